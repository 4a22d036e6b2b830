#include "client/cli/confirm_flags.h"

#include <cstdio>
#include <set>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/engine.h"
#include "client/confirm/find_library.h"
#include "client/report/layout.h"
#include "db/number_flag.h"

namespace quantgate {

std::shared_ptr<ConfirmFlags> AddConfirmFlags(CLI::App& command) {
  auto flags = std::make_shared<ConfirmFlags>();
  CLI::Option* confirm = command.add_flag(
      "--confirm", flags->confirm,
      "Ask the vendor's own HTP library, where it is installed, about every operator, and show both verdicts");
  command
      .add_option("--qnn-lib", flags->library,
                  "The library, libQnnHtp.so; else $QUANTGATE_QNN_LIB, else Python's package onnxruntime_qnn")
      ->type_name("PATH")
      ->needs(confirm);
  command.add_option("--confirm-timeout", flags->timeout_seconds, "For one operator, default 60")
      ->type_name("SECONDS")
      ->check(NumberRange(0.01, 86400.0))
      ->needs(confirm);
  command
      .add_option("--confirm-cases", flags->cases,
                  "Write the operators whose verdicts differ to this file, as cases to report; no names, no weights")
      ->type_name("PATH")
      ->needs(confirm);
  return flags;
}

absl::StatusOr<std::unique_ptr<ConfirmRun>> ConfirmRun::Create(const ConfirmFlags& flags,
                                                               const std::string& tables_path) {
  ConfirmOptions options;
  absl::StatusOr<std::string> library = FindVendorLibrary(flags.library);
  if (!library.ok()) return library.status();
  options.library = *std::move(library);
  options.worker = {"/proc/self/exe", kVendorWorker};
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(flags.timeout_seconds * 1000));
  absl::StatusOr<std::unique_ptr<db::Database>> tables = OpenTables(tables_path);
  if (!tables.ok()) return tables.status();
  absl::StatusOr<Confirmer> confirmer = Confirmer::Create(std::move(options), **tables);
  if (!confirmer.ok()) return confirmer.status();
  return std::unique_ptr<ConfirmRun>(new ConfirmRun(flags.cases, *std::move(tables), *std::move(confirmer)));
}

absl::Status ConfirmRun::Confirm(const v1::Graph& graph, const std::function<void(const std::string&)>& progress,
                                 v1::Report& report) {
  if (broken_.ok()) broken_ = confirmer_.Confirm(graph, progress, report);
  return broken_;
}

absl::Status ConfirmRun::Finish(bool quiet) {
  const std::vector<std::string> all = confirmer_.TakeNotes();
  for (const std::string& note : std::set<std::string>(all.begin(), all.end())) {
    if (!quiet) std::fprintf(stderr, "note: %s\n", Printable(note).c_str());
  }
  if (cases_path_.empty()) return absl::OkStatus();
  OutputFlags file;
  file.output = cases_path_;
  return WriteOutput(file, confirmer_.cases());
}

}  // namespace quantgate
