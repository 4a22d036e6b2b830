// --confirm and the flags that go with it.
#ifndef QUANTGATE_CLIENT_CLI_CONFIRM_FLAGS_H_
#define QUANTGATE_CLIENT_CLI_CONFIRM_FLAGS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/confirm/confirm.h"
#include "db/database.h"

namespace CLI {
class App;
}

namespace quantgate {

// First argument of the program when it is the process that the vendor's library runs in; a library and a SoC id
// follow. Not for users.
inline constexpr char kVendorWorker[] = "--vendor-worker";

struct ConfirmFlags {
  bool confirm = false;
  std::string library;
  double timeout_seconds = 60;
  std::string cases;  // file for the disagreements
};

std::shared_ptr<ConfirmFlags> AddConfirmFlags(CLI::App& command);

// INVALID_ARGUMENT: none of the targets has a validator that can be asked. NOT_FOUND: one of them is no backend's.
absl::Status CheckConfirmTargets(const std::vector<std::string>& targets, const std::string& tables_path);

// What a check does about --confirm.
class ConfirmRun {
 public:
  // FAILED_PRECONDITION: the library is not there.
  static absl::StatusOr<std::unique_ptr<ConfirmRun>> Create(const ConfirmFlags& flags, const std::string& tables_path);

  // Adds the vendor's verdicts to the report. A library that did not start is not tried again.
  absl::Status Confirm(const v1::Graph& graph, const std::function<void(const std::string&)>& progress,
                       v1::Report& report);
  // Writes --confirm-cases; says on stderr what a user should know once.
  absl::Status Finish(bool quiet);

 private:
  ConfirmRun(std::string cases_path, std::unique_ptr<db::Database> tables, Confirmer confirmer)
      : cases_path_(std::move(cases_path)), tables_(std::move(tables)), confirmer_(std::move(confirmer)) {}

  std::string cases_path_;
  std::unique_ptr<db::Database> tables_;
  Confirmer confirmer_;
  absl::Status broken_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_CONFIRM_FLAGS_H_
