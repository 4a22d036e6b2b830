// vendor_ask LIBRARY FILE...: puts cases to the vendor's library and prints them with its answers, one JSON line each,
// in the form that agreement reads. The library runs in a process per SoC; a crash or a hang there is an answer.
// Exit code 2: the library cannot be asked, or a file cannot be read.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/confirm/vendor_process.h"
#include "client/confirm/worker.h"
#include "db/database.h"
#include "tests/vendor/lines.h"

namespace quantgate::vendor {
namespace {

using Json = nlohmann::json;

constexpr char kWorker[] = "--worker";
constexpr std::chrono::seconds kTimeout(30);

const char* WordFor(const VendorStep& step) {
  switch (step.outcome) {
    case VendorStep::kAccepted:
      return "accept";
    case VendorStep::kRefused:
      return "reject";
    case VendorStep::kNotAsked:
      return "not_asked";
    default:
      return "crash";
  }
}

class Asker {
 public:
  Asker(std::string library, const db::Database& tables) : library_(std::move(library)) {
    for (const db::Soc& soc : tables.socs()) {
      ids_.try_emplace(absl::StrCat("V", soc.arch), soc.id);
      ids_.try_emplace(soc.name.empty() ? absl::StrCat(soc.id) : soc.name, soc.id);
    }
  }

  // Prints the case with its answers. INVALID_ARGUMENT: it is no case.
  absl::Status Ask(absl::string_view line) {
    Json asked = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!asked.is_object() || !asked.contains("config")) return absl::InvalidArgumentError("not a case");
    const std::string name = asked.value("soc", asked.value("arch", ""));
    const auto soc = ids_.find(name);
    if (soc == ids_.end()) return absl::InvalidArgumentError(absl::StrCat("no SoC and no arch is named '", name, "'"));
    std::unique_ptr<VendorProcess>& process = processes_[name];
    if (process == nullptr) {
      process = std::make_unique<VendorProcess>(
          std::vector<std::string>{"/proc/self/exe", kWorker, library_, absl::StrCat(soc->second)}, kTimeout);
    }
    const absl::StatusOr<VendorReply> reply = process->Ask(asked.value("op", ""), asked["config"]);
    if (!reply.ok()) return reply.status();
    if (!reply->asked()) return absl::InvalidArgumentError(reply->validate.reason);
    asked["sdk"] = process->sdk();
    asked["vendor"] = {{"validate", WordFor(reply->validate)},
                       {"finalize", WordFor(reply->prepare)},
                       {"step", reply->deciding().step},
                       {"text", reply->deciding().reason}};
    std::puts(asked.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    return absl::OkStatus();
  }

 private:
  const std::string library_;
  std::map<std::string, int> ids_;  // by the name of a SoC, and of an arch that of its first SoC
  std::map<std::string, std::unique_ptr<VendorProcess>> processes_;
};

int AskAll(const std::string& library, int count, char** files) {
  const auto tables = db::Database::OpenDefault();
  if (!tables.ok()) {
    std::fprintf(stderr, "error: %s\n", std::string(tables.status().message()).c_str());
    return 2;
  }
  Asker asker(library, **tables);
  absl::Status broken;
  for (int i = 0; i < count && broken.ok(); ++i) {
    const absl::Status read = ForEachLine(files[i], [&](int64_t number, absl::string_view line) {
      if (!broken.ok()) return;
      const absl::Status asked = asker.Ask(line);
      if (asked.ok()) return;
      if (!absl::IsInvalidArgument(asked)) broken = asked;
      std::fprintf(stderr, "%s:%lld: %s\n", files[i], static_cast<long long>(number),
                   std::string(asked.message()).c_str());
    });
    if (broken.ok() && !read.ok()) {
      std::fprintf(stderr, "error: %s\n", std::string(read.message()).c_str());
      broken = read;
    }
  }
  return broken.ok() ? 0 : 2;
}

}  // namespace
}  // namespace quantgate::vendor

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == quantgate::vendor::kWorker) {
    return quantgate::RunVendorWorker(argv[2], std::atoi(argv[3]));
  }
  if (argc < 3) {
    std::fputs("usage: vendor_ask LIBRARY FILE...\n", stderr);
    return 2;
  }
  return quantgate::vendor::AskAll(argv[1], argc - 2, argv + 2);
}
