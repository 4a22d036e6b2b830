#include "client/confirm/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "client/confirm/qnn_graph.h"
#include "client/confirm/vendor_library.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

Json ToJson(const StepReply& reply) { return {{"code", reply.code}, {"step", reply.step}, {"reason", reply.reason}}; }

Json Answer(VendorLibrary& library, const std::string& line) {
  const Json question = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!question.is_object()) return {{"error", "not a question"}};
  absl::StatusOr<QnnGraph> graph = QnnGraph::Parse(question.value("op", ""), question.value("config", Json::object()));
  if (!graph.ok()) return {{"error", std::string(graph.status().message())}};
  Json answer;
  answer["validate"] = ToJson(library.Validate(*graph));
  if (question.value("prepare", true)) answer["prepare"] = ToJson(library.Prepare(*graph));
  return answer;
}

// The library prints banners; the answers go where standard output was.
std::FILE* TakeStandardOutput() {
  const int answers = dup(STDOUT_FILENO);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (answers < 0 || nothing < 0) return nullptr;
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  return fdopen(answers, "w");
}

void Say(const Json& json, std::FILE* out) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(line.c_str(), out);
  std::fflush(out);
}

}  // namespace

int RunVendorWorker(const std::string& library_path, int soc_id) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::FILE* out = TakeStandardOutput();
  if (out == nullptr) return 3;
  absl::StatusOr<VendorLibrary> library = VendorLibrary::Load(library_path, soc_id);
  if (!library.ok()) {
    Say({{"error", std::string(library.status().message())}}, out);
    return 2;
  }
  Say({{"sdk", library->sdk()}}, out);
  std::string line;
  while (std::getline(std::cin, line)) Say(Answer(*library, line), out);
  // Unloading is not part of the question, and the library does not always survive it.
  _exit(0);
}

}  // namespace quantgate
