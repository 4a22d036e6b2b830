#include "client/cli/confirm_flags.h"

#include <cstdio>
#include <set>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "client/cli/command.h"
#include "client/cli/engine.h"
#include "client/confirm/find_library.h"
#include "client/report/layout.h"
#include "db/number_flag.h"
#include "rules/backends/qnn_htp/targets.h"
#include "rules/engine/module.h"

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

absl::Status CheckConfirmTargets(const std::vector<std::string>& targets, const std::string& tables_path) {
  constexpr absl::string_view kWhose = "that is the vendor's library for HTP: name a target such as qnn_htp/SM8650";
  if (targets.empty())
    return absl::InvalidArgumentError(absl::StrCat("--confirm asks a target's own validator; ", kWhose));
  const absl::StatusOr<Engine> engine = OpenEngine(tables_path);
  if (!engine.ok()) return engine.status();
  bool has_library = false;
  for (const std::string& target : targets) {
    const absl::StatusOr<TargetName> name = ParseTargetName(target);
    if (!name.ok()) return name.status();
    has_library = has_library || name->backend == qnn_htp::kBackend;
    const absl::Status module = engine->modules->Get(name->backend).status();
    if (absl::IsNotFound(module)) return module;
  }
  if (has_library) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--confirm: ", absl::StrJoin(targets, ", "),
                                                 targets.size() == 1 ? " has" : " have",
                                                 " no validator that can be asked; ", kWhose));
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
