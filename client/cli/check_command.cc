#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "client/cli/checker.h"
#include "client/cli/commands.h"
#include "client/cli/confirm_flags.h"
#include "client/cli/engine.h"
#include "client/cli/import_flags.h"
#include "client/cli/overwrite.h"
#include "client/cli/progress.h"
#include "client/cli/server_flags.h"
#include "client/cli/simulation.h"
#include "client/cli/waiver_targets.h"
#include "client/fix/fix.h"
#include "client/gate/baseline.h"
#include "client/gate/gate.h"
#include "client/import.h"
#include "client/report/github.h"
#include "client/report/json.h"
#include "client/report/junit.h"
#include "client/report/layout.h"
#include "client/report/markdown.h"
#include "client/report/sarif.h"
#include "client/report/text.h"
#include "client/report/verdict.h"
#include "db/reports/labels.h"
#include "db/reports/report_store.h"
#include "rules/simulator/run/report.h"

namespace quantgate {
namespace {

// Elements of a constant, where nobody but the rules reads the graph. Sizes and axes, which are read as lists, have
// fewer.
constexpr int64_t kPackFrom = 64;

struct CheckFlags {
  std::vector<std::string> models;
  std::vector<std::string> targets;
  std::string toolchain;
  std::string mode = "strict";
  std::vector<std::string> fail_on;
  std::string waivers;
  std::string baseline;
  std::string tables;
  std::string store;
  std::string fix;
  std::vector<std::string> labels;
  ImportOptions import_options;
  bool no_corrections = false;
  bool simulate = false;
  int threads = 1;  // of the simulation
  bool verbose = false;
  std::shared_ptr<ConfirmFlags> confirm;
  std::shared_ptr<ServerFlags> server;
  std::shared_ptr<OutputFlags> output;
};

absl::StatusOr<Checker> MakeChecker(const CheckFlags& flags) {
  if (flags.server->server->count() == 0) return LocalChecker(flags.tables);
  absl::StatusOr<Remote> remote = OpenRemote(*flags.server);
  if (!remote.ok()) return remote.status();
  return RemoteChecker(*std::move(remote));
}

v1::ValidateOptions Options(const CheckFlags& flags, const v1::ModelInfo& model) {
  v1::ValidateOptions options;
  for (const std::string& label : flags.labels) (void)db::SetLabel(label, *options.mutable_labels());  // checked
  options.mutable_targets()->Add(flags.targets.begin(), flags.targets.end());
  options.set_mode(flags.mode == "warn" ? v1::Report::WARN : v1::Report::STRICT);
  options.set_toolchain(flags.toolchain);
  options.set_skip_corrections(flags.no_corrections);
  *options.mutable_model() = model;
  return options;
}

// Of a waivers file that names targets otherwise than reports, or such as there are not. Without tables names stay as
// they are and nothing is said: a server has judged.
void ResolveWaiverTargets(Waivers& waivers, absl::Span<const v1::Report> reports, const std::string& tables) {
  const bool names_targets =
      absl::c_any_of(waivers.entries, [](const WaiverEntry& waiver) { return !waiver.targets.empty(); });
  if (!names_targets) return;
  const absl::StatusOr<Engine> engine = OpenEngine(tables);
  if (!engine.ok()) return;
  ResolveTargets(waivers, reports, *engine->modules);
}

// Which models are new to the baseline, and which it knows under another name.
void NoteBaseline(const std::vector<v1::Report>& baseline, const std::vector<v1::Report>& reports) {
  if (baseline.empty()) return;
  const auto known = BaselinesOf(baseline, reports);
  std::vector<std::string> unknown;
  for (size_t i = 0; i < reports.size(); ++i) {
    const std::string path = Printable(reports[i].model().path());
    if (known[i].empty()) {
      unknown.push_back(path);
    } else if (const v1::Report& other = *known[i].back(); IsRenamed(other, reports[i])) {
      std::fprintf(stderr, "note: the baseline is about '%s', which has as many nodes; it counts for '%s'\n",
                   Printable(other.model().path()).c_str(), path.c_str());
    }
  }
  if (unknown.empty()) return;
  const size_t more = unknown.size() - 1;
  std::fprintf(stderr, "note: the baseline has no report about '%s'%s: all that is found there is new\n",
               unknown[0].c_str(), more == 0 ? "" : absl::StrCat(" and ", Count(more, "other model")).c_str());
}

// What the corrected file still has wrong, and what could not be written into it.
void PrintFixed(const FixResult& fixed, const CheckFlags& flags) {
  constexpr int kMaxListed = 20;
  const v1::Result& first = fixed.report.results(0);
  std::vector<std::string> lines = {
      absl::StrCat(flags.fix, ": ", flags.models[0], " with ", Count(fixed.written, "change"), " for ", first.target(),
                   ", read back and checked: ", Readable(v1::Result::Verdict_Name(first.verdict())))};
  std::vector<std::string> left;
  for (const UnwrittenChange& change : fixed.left) {
    left.push_back(absl::StrCat("not written, tensor '", change.tensor, "': ", change.reason));
  }
  for (const v1::Result& result : fixed.report.results()) {
    for (const v1::Finding& finding : result.findings()) {
      if (finding.severity() != v1::Finding::ERROR || finding.has_waiver()) continue;
      left.push_back(absl::StrCat("left, ", result.target(), ": ", finding.code(), " ", finding.message()));
    }
  }
  const size_t listed = std::min<size_t>(left.size(), kMaxListed);
  for (size_t i = 0; i < listed; ++i) lines.push_back(absl::StrCat(flags.fix, ": ", left[i]));
  if (left.size() > listed) lines.push_back(absl::StrCat(flags.fix, ": and ", left.size() - listed, " more"));
  for (const std::string& line : lines) std::fprintf(stderr, "%s\n", Printable(line).c_str());
}

// Among several models it is to be said which one; an unknown target is every model's.
bool IsAboutGraph(absl::string_view message) {
  return absl::StartsWith(message, "graph.") || absl::StartsWith(message, "subgraph ") ||
         absl::StartsWith(message, "the graph ");
}

// Known once the model is read: the files beside it, and where --fix puts them.
absl::Status CheckKeepsWeights(const CheckFlags& flags, const std::string& path, const v1::Graph& graph) {
  std::vector<KeptFile> kept = WeightFiles(path, graph);
  absl::Status status = CheckOverwrites("--fix", flags.fix, kept);
  if (!flags.fix.empty()) {
    for (KeptFile& file : WeightFiles(flags.fix, graph)) kept.push_back(std::move(file));
  }
  status.Update(CheckOverwrites("--output", flags.output->output, kept));
  status.Update(CheckOverwrites("--confirm-cases", flags.confirm->cases, kept));
  return status;
}

// What all models are checked with.
struct Means {
  const CheckFlags& flags;
  const Checker& check;
  ConfirmRun* confirm;     // null: --confirm is not given
  db::ReportStore* store;  // null: reports are not kept
  Progress& progress;
};

// What a check gives beside its report, which stands without.
struct Beside {
  absl::Status error;  // what --confirm, --simulate or --fix failed with
  std::optional<FixResult> fixed;
  bool overwrites = false;  // a file of the model is what a flag says to write: nothing may be written
};

absl::StatusOr<v1::Report> CheckModel(const std::string& path, const std::string& progress_suffix, const Means& means,
                                      Beside& beside) {
  const CheckFlags& flags = means.flags;
  const Checker& check = means.check;
  Progress& progress = means.progress;
  progress.Step(absl::StrCat("reading ", path, progress_suffix));
  SimulationFlags simulation;
  ImportOptions import_options = flags.import_options;
  if (flags.simulate) KeepWeights(simulation, import_options);
  const bool stays = flags.server->server->count() == 0 && flags.store.empty() && flags.fix.empty() && !flags.simulate;
  if (stays) import_options.pack_from = kPackFrom;
  absl::StatusOr<ImportedModel> model = ImportModel(path, import_options);
  if (!model.ok()) return model.status();
  if (absl::Status status = CheckKeepsWeights(flags, path, model->graph); !status.ok()) {
    beside.overwrites = true;
    return status;
  }
  std::optional<v1::Graph> weighted;
  if (flags.simulate) {
    weighted = model->graph;
    simulator::DropWeights(model->graph);
  }
  if (!flags.fix.empty()) {
    if (absl::Status status = CheckFixFormat(flags.fix, model->info); !status.ok()) return status;
  }
  progress.Step(absl::StrCat("checking ", path, progress_suffix));
  std::optional<SimulationBeside> simulated;
  PredictNoiseOn predict;
  if (weighted.has_value()) {
    simulation.tables = flags.tables;
    simulation.threads = flags.threads;
    simulated.emplace(simulation, *model, *weighted, import_options, progress);
    predict = [&](const std::string& target, const v1::Correction& correction) {
      return simulated->Predict(target, correction);
    };
  }
  absl::StatusOr<v1::Report> report = check(model->graph, Options(flags, model->info), predict);
  if (report.ok() && means.confirm != nullptr) {
    beside.error = means.confirm->Confirm(
        model->graph, [&](const std::string& step) { progress.Step(absl::StrCat(step, progress_suffix)); }, *report);
  }
  if (report.ok() && simulated.has_value() && beside.error.ok()) beside.error = simulated->AddTo(*report);
  if (report.ok() && means.store != nullptr) {
    // With all that is known by now.
    if (absl::Status status = means.store->Put({}, *report, &model->graph); !status.ok()) report = status;
  }
  progress.Step("");
  if (!report.ok() && flags.models.size() > 1 && IsAboutGraph(report.status().message())) {
    return absl::Status(report.status().code(), absl::StrCat(path, ": ", report.status().message()));
  }
  if (!report.ok() || flags.fix.empty() || !beside.error.ok()) return report;
  progress.Step(absl::StrCat("writing ", flags.fix));
  absl::StatusOr<FixResult> fixed = WriteFixed(*model, *report, flags.fix, [&](const ImportedModel& written) {
    v1::ValidateOptions options = Options(flags, written.info);
    options.set_skip_corrections(true);
    return check(written.graph, options, nullptr);
  });
  progress.Step("");
  if (fixed.ok()) {
    beside.fixed = *std::move(fixed);
  } else {
    beside.error = fixed.status();
  }
  return report;
}

// For other programs; null: not one of those.
using Printer = std::function<std::string(absl::Span<const MatrixRow>, int exit_code)>;
Printer PrinterOf(const CheckFlags& flags) {
  const std::string& format = flags.output->format;
  if (format == "sarif") {
    return [has_baseline = !flags.baseline.empty()](absl::Span<const MatrixRow> rows, int code) {
      return RenderSarif(rows, code, has_baseline);
    };
  }
  if (format == "junit") return RenderJunit;
  if (format == "github") return RenderGithub;
  if (format == "markdown")
    return [](absl::Span<const MatrixRow> rows, int code) { return RenderMarkdown(rows, code); };
  return nullptr;
}

absl::StatusOr<std::string> Render(const CheckFlags& flags, const std::vector<MatrixRow>& rows, int exit_code) {
  if (flags.output->format == "json") return rows.size() == 1 ? RowToJson(rows.front()) : RowsToJson(rows);
  if (const Printer printer = PrinterOf(flags); printer != nullptr) return printer(rows, exit_code);
  Style style = OutputStyle(*flags.output);
  style.verbose = flags.verbose;
  std::string text;
  for (const MatrixRow& row : rows) absl::StrAppend(&text, RenderRow(row, style), "\n");
  if (rows.size() > 1) absl::StrAppend(&text, RenderMatrix(rows, style), "\n");
  return absl::StrCat(text, RenderSummary(rows, exit_code, style));
}

// What CLI11's excludes cannot say: it sees whether a flag is given, not its value.
absl::Status CheckFlagsAgree(const CheckFlags& flags) {
  if (flags.mode == "warn" && !flags.fail_on.empty()) {
    return absl::InvalidArgumentError("--fail-on names what rejects, and --mode warn never rejects: give one of them");
  }
  if (flags.verbose && flags.output->format != "text") {
    return absl::InvalidArgumentError(
        absl::StrCat("--verbose is about the text report; --format ", flags.output->format, " always has every place"));
  }
  if (flags.confirm->cases == "-") {
    return absl::InvalidArgumentError("--confirm-cases -: standard output has the report; name a file");
  }
  if (flags.output->color == "always" && flags.output->format != "text") {
    return absl::InvalidArgumentError(absl::StrCat("--format ", flags.output->format, " has no colors"));
  }
  std::vector<KeptFile> kept = {{flags.import_options.encodings, "the encodings"},
                                {flags.waivers, "the waivers"},
                                // Findings that failed once would be known, and never fail again.
                                {flags.baseline, "the baseline"},
                                {db::StoreFile(flags.store), "the store"},
                                {TablesFile(flags.tables), "the tables"},
                                {flags.confirm->library, "the vendor's library"}};
  for (KeptFile& file : PemFiles(*flags.server)) kept.push_back(std::move(file));
  for (const std::string& model : flags.models) kept.push_back({model, "a model that is checked"});
  return CheckOutputs({{"--fix", flags.fix, "what --fix writes"},
                       {"--output", flags.output->output, "the report"},
                       {"--confirm-cases", flags.confirm->cases, "the cases"}},
                      std::move(kept));
}

absl::Status CheckLabelFlags(const CheckFlags& flags) {
  v1::Labels labels;
  for (const std::string& label : flags.labels) {
    if (absl::Status status = db::SetLabel(label, labels); !status.ok()) return status;
  }
  if (absl::Status status = db::CheckLabels(labels); !status.ok()) return status;
  const bool are_kept = flags.server->server->count() > 0 || !flags.store.empty() || flags.output->format == "json" ||
                        flags.labels.empty();
  if (are_kept) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--label goes with a report that is kept: give --store or --server, or --format json; --format ",
                   flags.output->format, " has no labels"));
}

// Large lists, which a check makes for a moment each, go back to the system. Where tensors are computed with, that
// costs time.
void KeepMemoryLow() { ::mallopt(M_MMAP_THRESHOLD, 128 << 10); }

int RunCheck(const CheckFlags& flags) {
  if (!flags.simulate) KeepMemoryLow();
  std::vector<v1::Finding::Effect> fail_on;
  for (const std::string& name : flags.fail_on) {
    absl::StatusOr<v1::Finding::Effect> effect = EffectFromName(name);
    if (!effect.ok()) return Fail(effect.status());
    fail_on.push_back(*effect);
  }
  if (absl::Status status = CheckFlagsAgree(flags); !status.ok()) return Fail(status);
  if (absl::Status status = CheckLabelFlags(flags); !status.ok()) return Fail(status);
  if (!flags.fix.empty()) {
    if (flags.models.size() > 1) {
      return Fail(absl::InvalidArgumentError("--fix takes one model: it writes one file"));
    }
    if (absl::Status status = CheckFixPath(flags.fix); !status.ok()) return Fail(status);
  }
  if (!flags.import_options.encodings.empty() && flags.models.size() > 1) {
    return Fail(absl::InvalidArgumentError("--encodings takes one model: the one that the file was made for"));
  }
  absl::StatusOr<Checker> check = MakeChecker(flags);
  if (!check.ok()) return Fail(check.status());
  std::unique_ptr<db::ReportStore> store;
  if (!flags.store.empty()) {
    auto opened = db::OpenReportStore(flags.store);
    if (!opened.ok()) return Fail(opened.status());
    store = *std::move(opened);
  }
  std::unique_ptr<ConfirmRun> confirm;
  if (flags.confirm->confirm) {
    if (absl::Status status = CheckConfirmTargets(flags.targets, flags.tables); !status.ok()) return Fail(status);
    absl::StatusOr<std::unique_ptr<ConfirmRun>> run = ConfirmRun::Create(*flags.confirm, flags.tables);
    if (!run.ok()) return Fail(run.status());
    confirm = *std::move(run);
  }

  std::vector<v1::Report> reports;
  reports.reserve(flags.models.size());  // rows point into it
  std::vector<MatrixRow> rows;
  std::set<std::string> errors_printed;  // an unknown target is said once, not per model
  absl::StatusOr<Gate> gate = OpenGate(flags.waivers, flags.baseline, absl::Now());
  if (!gate.ok()) return Fail(gate.status());
  gate->fail_on = std::move(fail_on);
  std::optional<FixResult> fixed;
  int exit_code = 0;
  const auto complain = [&](const absl::Status& status) {
    if (errors_printed.insert(status.ToString()).second) PrintError(status);
    exit_code = std::max(exit_code, ExitCodeFor(status));
  };
  bool server_is_there = true;
  Progress progress(Progress::KindForStderr(flags.output->quiet));
  const Means means{flags, *check, confirm.get(), store.get(), progress};
  for (size_t i = 0; i < flags.models.size(); ++i) {
    rows.push_back({flags.models[i], nullptr, "not checked: the server is gone"});
    if (!server_is_there) continue;
    const std::string suffix =
        flags.models.size() == 1 ? "" : absl::StrCat(" (", i + 1, " of ", flags.models.size(), ")");
    Beside beside;
    absl::StatusOr<v1::Report> report = CheckModel(flags.models[i], suffix, means, beside);
    progress.Step("");
    if (beside.overwrites) return Fail(report.status());
    if (!beside.error.ok()) complain(beside.error);
    if (beside.fixed.has_value()) fixed = std::move(beside.fixed);
    if (!report.ok()) {
      complain(report.status());
      rows.back().error = std::string(report.status().message());
      server_is_there = !absl::IsUnavailable(report.status());
      continue;
    }
    reports.push_back(*std::move(report));
    rows.back().report = &reports.back();
  }
  if (confirm != nullptr) {
    if (absl::Status finished = confirm->Finish(flags.output->quiet); !finished.ok()) complain(finished);
  }
  // The errors have said it all; but formats of other programs say it once more, and a file must not stay what an
  // earlier check found.
  if (reports.empty() && PrinterOf(flags) == nullptr && IsToStandardOutput(*flags.output)) return exit_code;
  if (!flags.output->quiet) NoteBaseline(gate->baseline, reports);
  ResolveWaiverTargets(gate->waivers, reports, flags.tables);
  gate->Apply(absl::MakeSpan(reports));
  for (const v1::Report& report : reports) exit_code = std::max(exit_code, ExitCodeFor(report));
  if (fixed.has_value()) {
    fixed->report.mutable_model()->set_path(flags.models[0]);  // which waivers and baselines know
    gate->Apply(absl::MakeSpan(&fixed->report, 1));
    exit_code = std::max(exit_code, ExitCodeFor(fixed->report));
    if (!fixed->left.empty() && flags.mode != "warn") exit_code = std::max(exit_code, 1);
    if (!flags.output->quiet) PrintFixed(*fixed, flags);
  }
  return Finish(*flags.output, Render(flags, rows, exit_code), exit_code);
}

}  // namespace

void AddCheckCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("check", "Check models against targets");
  auto flags = std::make_shared<CheckFlags>();
  command->add_option("MODEL", flags->models, "Model files; recognized by content")->required();
  command
      ->add_option("-t,--target", flags->targets,
                   "BACKEND[/SOC][@SDK], repeatable or with commas; none: only what holds everywhere")
      ->type_name("TARGET")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option("--toolchain", flags->toolchain, "What will consume the graph; by default that of its origin")
      ->type_name("NAME");
  command->add_option("--mode", flags->mode, "strict: errors reject; warn: the same findings, never rejects")
      ->check(CLI::IsMember({"strict", "warn"}));
  command
      ->add_option("--fail-on", flags->fail_on,
                   "Effects that reject too: refused, wrong_numbers, fallback, unsound, precision, advice")
      ->type_name("EFFECT")
      ->allow_extra_args(false)
      ->delimiter(',');
  AddImportFlags(*command, flags->import_options);
  command
      ->add_option("--waivers", flags->waivers,
                   "Findings that somebody answers for until a date, and severities that go before --fail-on (YAML)")
      ->type_name("FILE");
  command
      ->add_option("--baseline", flags->baseline,
                   "Earlier reports (--format json): only findings that they do not have fail")
      ->type_name("FILE");
  command
      ->add_option("--fix", flags->fix,
                   "Write the model with all corrections of the first target: its own format, or a graph (.pb, .json, "
                   ".txtpb)")
      ->type_name("PATH");
  command->add_flag("--no-corrections", flags->no_corrections, "Look for no corrections; the answer comes sooner")
      ->excludes("--fix");
  CLI::Option* simulate = command->add_flag(
      "--simulate", flags->simulate,
      "Also run the model through integer kernels, with the arithmetic of each target, and choose corrections by what "
      "they cost there (a server, which has no weights, chooses by types alone)");
  AddThreadsFlag(*command, flags->threads)->needs(simulate);
  command->add_flag("-v,--verbose", flags->verbose, "Name every place in the text report, not the first few");
  CLI::Option* tables = AddTablesFlag(*command, flags->tables);
  CLI::Option* store =
      command->add_option("--store", flags->store, "Keep the report in this store")->type_name("STORE");
  command
      ->add_option("--label", flags->labels,
                   "Where the model comes from, repeatable: repository, revision, branch or pull_request; for a report "
                   "that is kept: --store, --server or --format json")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  flags->confirm = AddConfirmFlags(*command);
  flags->server = AddServerFlags(*command, /*need_server=*/true);
  flags->server->server->excludes(tables)->excludes(store);
  flags->output = AddOutputFlags(*command, {"report-format", "output"});
  command->footer(
      "Examples:\n"
      "  quantgate check model.onnx                                   is it sound anywhere?\n"
      "  quantgate check model.onnx -t qnn_htp/SM8650@2.25            will this SoC take it?\n"
      "  quantgate check *.onnx -t qnn_htp/SM8350 -t qnn_htp/SM8650   several models, several SoCs\n"
      "  quantgate check model.onnx -t qnn_htp/V75 --fail-on fallback --format json --output report.json\n"
      "  quantgate check model.onnx -t qnn_htp/V75 --fix fixed.onnx   what would pass, as a model\n"
      "  quantgate check model.onnx --encodings model.encodings -t qnn_htp/SM8650\n"
      "  quantgate check model.onnx -t qnn_htp/SM8650 --confirm       what does the vendor's own library say?\n"
      "  quantgate check model.onnx -t qnn_htp/V75 --server 127.0.0.1:50051");
  command->callback([flags, run] { *run = [flags] { return RunCheck(*flags); }; });
}

}  // namespace quantgate
