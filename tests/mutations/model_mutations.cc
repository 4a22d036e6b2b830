// Good files, changed at random, through the whole check: no crash, no hang, no more memory than a small machine has.
// model_mutations FORMAT FOLDER COUNT SEED [--failures FOLDER] [--case N]
//   FORMAT      onnx, tflite, pt2, encodings, qnn_net, graph; what follows a colon tells its cases from others
//   FOLDER      the good files
//   --failures  where the cases that fail are written
//   --case N    runs this case alone, in this process, and leaves it in the failures' folder
// Exit code: 0 none failed, 1 one did, 2 usage.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "db/database.h"
#include "google/protobuf/stubs/logging.h"
#include "rules/engine/module.h"
#include "tests/mutations/batch.h"
#include "tests/mutations/formats.h"
#include "tests/mutations/whole_check.h"

namespace quantgate::mutations {
namespace {

constexpr int64_t kBatch = 1000;  // a new process now and then: what is in memory is a few cases' and not all cases'

struct Task {
  std::string format_name;
  std::string folder;
  int64_t count = 0;
  uint64_t seed = 0;
  std::string failures;
  std::optional<int64_t> only;
};

std::optional<Task> ParseTask(std::vector<std::string> words) {
  Task task;
  for (size_t i = 4; i + 1 < words.size(); i += 2) {
    int64_t number = 0;
    if (words[i] == "--failures") {
      task.failures = words[i + 1];
    } else if (words[i] == "--case" && absl::SimpleAtoi(words[i + 1], &number)) {
      task.only = number;
    } else {
      return std::nullopt;
    }
  }
  if (words.size() < 4 || words.size() % 2 != 0) return std::nullopt;
  if (!absl::SimpleAtoi(words[2], &task.count) || !absl::SimpleAtoi(words[3], &task.seed)) return std::nullopt;
  task.format_name = words[0];
  task.folder = words[1];
  return task;
}

// The files of one case.
struct Paths {
  std::string model;
  std::string encodings;  // empty: none
};

Paths WriteCase(const Case& made, const std::string& stem, const std::string& ending) {
  Paths paths = {stem + ending, made.encodings.empty() ? "" : stem + ".encodings"};
  std::ofstream(paths.model, std::ios::binary) << made.model;
  if (!paths.encodings.empty()) std::ofstream(paths.encodings, std::ios::binary) << made.encodings;
  return paths;
}

int Run(const Task& task) {
  const std::optional<Format> format = LoadFormat(task.format_name.substr(0, task.format_name.find(':')), task.folder);
  if (!format.has_value()) {
    absl::FPrintF(stderr, "%s: no such format, or no good files in %s\n", task.format_name, task.folder);
    return 2;
  }
  absl::StatusOr<std::unique_ptr<db::Database>> tables = db::Database::OpenDefault();
  if (!tables.ok()) {
    absl::FPrintF(stderr, "%s\n", tables.status().ToString());
    return 2;
  }
  ModuleRegistry modules(**tables);
  RegisterBuiltinModules(modules);
  for (const std::string& target : format->targets) {
    const std::string backend = target.substr(0, target.find('/'));
    if (!modules.Get(backend).ok()) return 2;  // loads it, once for all processes
  }

  std::string scratch = (std::filesystem::temp_directory_path() / "model_mutations.XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) return 2;
  const auto make = [&](int64_t number) {
    Random random(task.seed, static_cast<uint64_t>(number));
    return format->make(random);
  };
  const auto check = [&](int64_t number) {
    const Paths paths = WriteCase(make(number), scratch + "/case", format->ending);
    const auto targets = static_cast<int64_t>(format->targets.size());
    const auto target = static_cast<size_t>(number % targets);
    return CheckWhole(paths.model, paths.encodings, format->targets[target], number / targets, modules);
  };
  const auto keep = [&](int64_t number) {
    if (task.failures.empty()) return;
    std::filesystem::create_directories(task.failures);
    WriteCase(make(number), absl::StrCat(task.failures, "/", task.format_name, "-", task.seed, "-", number),
              format->ending);
  };

  if (task.only.has_value()) {
    keep(*task.only);
    const Answer answer = check(*task.only);
    absl::PrintF("%s seed %d case %d: outcome %d %s\n", task.format_name, task.seed, *task.only,
                 static_cast<int>(answer.outcome), answer.fault);
    std::filesystem::remove_all(scratch);
    return answer.outcome == Outcome::kFault ? 1 : 0;
  }

  Tally tally;
  int64_t failed = 0;
  for (int64_t next = 0; next < task.count;) {
    std::string failure;
    next = RunBatch(next, std::min(next + kBatch, task.count), LimitsOfBuild(), check, tally, failure);
    if (failure.empty()) continue;
    ++failed;
    keep(next - 1);
    absl::PrintF("%s seed %d case %d: FAILED: %s\n", task.format_name, task.seed, next - 1, failure);
    std::fflush(stdout);
  }
  std::filesystem::remove_all(scratch);
  absl::PrintF(
      "%s: %d cases, seed %d: %d refused, %d accepted, %d rejected, %d unknown, %d failed; slowest %.2f s (case %d), "
      "peak %d MiB (case %d)\n",
      task.format_name, task.count, task.seed, tally.outcomes[0], tally.outcomes[1], tally.outcomes[2],
      tally.outcomes[3], failed, tally.slowest_seconds, tally.slowest_case, tally.peak_kib >> 10, tally.peak_case);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace quantgate::mutations

int main(int argc, char** argv) {
  google::protobuf::SetLogHandler(nullptr);  // texts that are no UTF-8 are what it makes
  const auto task = quantgate::mutations::ParseTask(std::vector<std::string>(argv + 1, argv + argc));
  if (!task.has_value()) {
    std::fprintf(stderr, "usage: model_mutations FORMAT FOLDER COUNT SEED [--failures FOLDER] [--case N]\n");
    return 2;
  }
  return quantgate::mutations::Run(*task);
}
