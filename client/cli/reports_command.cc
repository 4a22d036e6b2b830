#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/commands.h"
#include "client/cli/overwrite.h"
#include "client/cli/report_access.h"
#include "client/cli/report_lines.h"
#include "client/cli/server_flags.h"
#include "client/report/diff.h"
#include "client/report/json.h"
#include "client/report/list.h"
#include "client/report/text.h"
#include "db/reports/age.h"
#include "db/reports/report_store.h"
#include "rules/graph/digest.h"

namespace quantgate {
namespace {

constexpr int kPageSize = 500;

struct ReportsFlags {
  std::string store;
  std::string filter;
  int limit = 50;
  bool verbose = false;
  std::vector<std::string> names;       // show: one; diff: two; import: files
  bool exit_code = false;               // diff
  std::string older_than;               // prune
  int64_t max_reports = 0;              // prune
  std::shared_ptr<ServerFlags> server;  // null: only a store will do
  std::shared_ptr<OutputFlags> output;
};

absl::StatusOr<ReportAccess> Open(const ReportsFlags& flags, Access access) {
  std::vector<KeptFile> kept;
  if (flags.server != nullptr) kept = PemFiles(*flags.server);
  kept.push_back({db::StoreFile(flags.store), "the store"});
  if (absl::Status status = CheckOverwrites("--output", flags.output->output, kept); !status.ok()) return status;
  if (!flags.store.empty()) return AccessStore(flags.store, access);
  absl::StatusOr<Remote> remote = OpenRemote(*flags.server);
  if (!remote.ok()) return remote.status();
  return AccessThrough(*std::move(remote));
}

// "reports/ID" for both spellings.
std::string FullName(const std::string& name) {
  return absl::StartsWith(name, "reports/") ? name : absl::StrCat("reports/", name);
}

// Page after page, at most `limit` reports, each handed to `take`.
template <typename Take>
absl::Status ForEachReport(const ReportAccess& access, const std::string& filter, int64_t limit, bool full, Take take) {
  v1::ListReportsRequest request;
  request.set_filter(filter);
  request.set_full(full);
  while (limit > 0) {
    request.set_page_size(static_cast<int>(std::min<int64_t>(limit, kPageSize)));
    absl::StatusOr<v1::ListReportsResponse> page = access.list(request);
    if (!page.ok()) return page.status();
    for (v1::Report& report : *page->mutable_reports()) {
      if (limit-- == 0) return absl::OkStatus();
      if (absl::Status status = take(report); !status.ok()) return status;
    }
    if (page->next_page_token().empty()) return absl::OkStatus();
    request.set_page_token(page->next_page_token());
  }
  return absl::OkStatus();
}

int RunList(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kRead);
  if (!access.ok()) return Fail(access.status());
  v1::ListReportsResponse list;
  const absl::Status status = ForEachReport(*access, flags.filter, flags.limit, false, [&](v1::Report& report) {
    *list.add_reports() = std::move(report);
    return absl::OkStatus();
  });
  if (!status.ok()) return Fail(status);
  if (flags.output->format == "json") return Finish(*flags.output, ToJson(list));
  return Finish(*flags.output, RenderList(list, OutputStyle(*flags.output)));
}

int RunShow(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kRead);
  if (!access.ok()) return Fail(access.status());
  const absl::StatusOr<v1::Report> report = access->get(FullName(flags.names.front()));
  if (!report.ok()) return Fail(report.status());
  if (flags.output->format == "json") return Finish(*flags.output, ToJson(*report));
  Style style = OutputStyle(*flags.output);
  style.verbose = flags.verbose;
  return Finish(*flags.output, RenderText(*report, style));
}

int RunDelete(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kChange);
  if (!access.ok()) return Fail(access.status());
  int exit_code = 0;
  for (const std::string& name : flags.names) {
    const absl::Status status = access->remove(FullName(name));
    if (!status.ok()) exit_code = std::max(exit_code, Fail(status));
  }
  return exit_code;
}

// The graph of a report, once for all reports that are about it. Nothing: it was not kept, or it has gone with another
// report.
absl::StatusOr<std::optional<v1::Graph>> GraphToExport(const ReportAccess& access, const v1::Report& report,
                                                       absl::flat_hash_set<std::string>& exported) {
  if (report.graph_digest().empty() || exported.contains(report.graph_digest())) return std::nullopt;
  absl::StatusOr<v1::Graph> graph = access.graph(report.name());
  if (absl::IsNotFound(graph.status())) return std::nullopt;
  if (!graph.ok()) return graph.status();
  graph->DiscardUnknownFields();  // JSON would lose them
  // An import takes a graph by its digest alone; the store keeps one without its weights, if it had any.
  if (GraphDigest(*graph) != report.graph_digest()) return std::nullopt;
  exported.insert(report.graph_digest());
  return *std::move(graph);
}

int RunExport(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kRead);
  if (!access.ok()) return Fail(access.status());
  OutputStream out = OutputStream::Open(*flags.output);
  absl::flat_hash_set<std::string> exported;
  absl::Status lost;
  absl::Status status =
      ForEachReport(*access, flags.filter, std::numeric_limits<int64_t>::max(), true, [&](v1::Report& report) {
        if (report.results().empty()) {  // the store cannot read it, and nobody could import it
          lost = absl::DataLossError(absl::StrCat(report.name(), ": cannot be read: left out"));
          PrintError(lost);
          return absl::OkStatus();
        }
        const absl::StatusOr<std::optional<v1::Graph>> graph = GraphToExport(*access, report, exported);
        if (!graph.ok()) return graph.status();
        absl::StatusOr<std::string> line = ReportLine(report, graph->has_value() ? &**graph : nullptr);
        // Rather the report alone than nothing.
        if (absl::IsResourceExhausted(line.status()) && graph->has_value()) line = ReportLine(report, nullptr);
        if (!line.ok()) {
          return absl::Status(line.status().code(), absl::StrCat(report.name(), ": ", line.status().message()));
        }
        return out.Write(*line);
      });
  if (status.ok()) status = out.Close();
  return status.ok() ? ExitCodeFor(lost) : Fail(status);
}

int RunDiff(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kRead);
  if (!access.ok()) return Fail(access.status());
  v1::DiffReportsRequest request;
  request.set_base(FullName(flags.names[0]));
  request.set_other(FullName(flags.names[1]));
  const absl::StatusOr<v1::DiffReportsResponse> diff = access->diff(request);
  if (!diff.ok()) return Fail(diff.status());
  const bool has_new =
      absl::c_any_of(diff->targets(), [](const v1::TargetDiff& target) { return target.new_findings_size() > 0; });
  const int exit_code = flags.exit_code && has_new ? 1 : 0;
  if (flags.output->format == "json") return Finish(*flags.output, ToJson(*diff), exit_code);
  return Finish(*flags.output, RenderDiff(*diff, OutputStyle(*flags.output)), exit_code);
}

int RunImport(const ReportsFlags& flags) {
  for (const std::string& path : flags.names) {
    const KeptFile read = {path, "a file that is read"};
    absl::Status status = CheckOverwrites("--output", flags.output->output, {read});
    status.Update(CheckReportLines(path));  // no store is made for a file that is not there
    if (!status.ok()) return Fail(status);
  }
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kCreate);
  if (!access.ok()) return Fail(access.status());
  int64_t imported = 0, present = 0;
  const auto take = [&](const v1::ImportReportsRequest& batch) {
    const absl::StatusOr<v1::ImportReportsResponse> response = access->import(batch);
    if (!response.ok()) return response.status();
    imported += response->imported();
    present += response->present();
    return absl::OkStatus();
  };
  int exit_code = 0;
  const auto leave = [&](const absl::Status& lost) { exit_code = Fail(lost); };
  for (const std::string& path : flags.names) {
    const absl::Status status = ReadReportLines(path, take, leave);
    if (status.ok()) continue;
    return Fail(absl::Status(status.code(), absl::StrCat(status.message(), "; ", imported, " imported before that")));
  }
  return Finish(*flags.output, absl::StrCat(imported, " imported, ", present, " were there already\n"), exit_code);
}

int RunPrune(const ReportsFlags& flags) {
  v1::PruneReportsRequest request;
  request.set_max_reports(flags.max_reports);
  if (!flags.older_than.empty()) {
    const absl::StatusOr<absl::Duration> age = db::ParseAge(flags.older_than);
    if (!age.ok()) return Fail(absl::InvalidArgumentError(absl::StrCat("--older-than: ", age.status().message())));
    request.mutable_before()->set_seconds(absl::ToUnixSeconds(absl::Now() - *age));
  }
  if (!request.has_before() && flags.max_reports == 0) {
    return Fail(absl::InvalidArgumentError("give --older-than, --max-reports or both: which reports are to go?"));
  }
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kChange);
  if (!access.ok()) return Fail(access.status());
  const absl::StatusOr<v1::PruneReportsResponse> response = access->prune(request);
  if (!response.ok()) return Fail(response.status());
  return Finish(*flags.output, absl::StrCat(response->deleted(), " deleted\n"));
}

int RunMigrate(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags, Access::kCreate);
  if (!access.ok()) return Fail(access.status());
  return Finish(*flags.output, "the store is ready\n");
}

CLI::Option* AddStore(CLI::App& command, ReportsFlags& flags, const char* description) {
  return command.add_option("--store", flags.store, description)->type_name("STORE");
}

// What runs them, and where the answer goes.
void AddWork(CLI::App& command, const std::shared_ptr<ReportsFlags>& flags,
             std::initializer_list<absl::string_view> output_flags, int (*work)(const ReportsFlags&), Run* run) {
  flags->output = AddOutputFlags(command, output_flags);
  command.callback([flags, work, run] { *run = [flags, work] { return work(*flags); }; });
}

// The flags that all have that may ask a server.
std::shared_ptr<ReportsFlags> AddCommon(CLI::App& command, std::initializer_list<absl::string_view> output_flags,
                                        int (*work)(const ReportsFlags&), Run* run) {
  auto flags = std::make_shared<ReportsFlags>();
  flags->server = AddServerFlags(command, /*need_server=*/false);
  flags->server->server->excludes(
      AddStore(command, *flags, "This store instead of a server: sqlite:PATH or postgresql://..."));
  AddWork(command, flags, output_flags, work, run);
  return flags;
}

constexpr char kFilterHelp[] =
    "Conditions joined with AND on model.path, model.sha256, graph_digest,\n"
    "target, verdict, code, labels.repository, labels.branch, labels.revision,\n"
    "labels.pull_request, create_time";

}  // namespace

void AddReportsCommand(CLI::App& app, Run* run) {
  CLI::App* command =
      app.add_subcommand("reports", "Stored reports: list, show, diff, delete, export, import, prune, migrate");
  command->require_subcommand(1);
  command->footer(
      "Without --store a server is asked: --server, else $QUANTGATE_SERVER, else 127.0.0.1:50051.\n"
      "Examples:\n"
      "  quantgate reports list\n"
      "  quantgate reports show reports/ID --store sqlite:reports.db");

  CLI::App* list = command->add_subcommand("list", "Newest first");
  const auto list_flags = AddCommon(*list, {"format", "output"}, RunList, run);
  list->add_option("--filter", list_flags->filter, kFilterHelp)->type_name("FILTER");
  list->add_option("--limit", list_flags->limit, "At most so many (default 50)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  list->footer(
      "Examples:\n"
      "  quantgate reports list\n"
      "  quantgate reports list --store sqlite:reports.db --filter 'verdict = REJECTED AND code = \"DT101\"'");

  CLI::App* show = command->add_subcommand("show", "One report, as check prints it");
  const auto show_flags = AddCommon(*show, {"format", "output"}, RunShow, run);
  show->add_option("NAME", show_flags->names, "reports/ID, or ID alone")->required()->expected(1);
  show->add_flag("-v,--verbose", show_flags->verbose, "Name every place, not the first few");
  show->footer("Examples:\n  quantgate reports show reports/ID --format json");

  CLI::App* remove = command->add_subcommand("delete", "Delete reports");
  const auto delete_flags = AddCommon(*remove, {}, RunDelete, run);
  remove->add_option("NAME", delete_flags->names, "reports/ID, or ID alone")->required();
  remove->footer("Examples:\n  quantgate reports delete reports/ID");

  CLI::App* export_command =
      command->add_subcommand("export", "Whole reports, one JSON object per line, with their graphs");
  const auto export_flags = AddCommon(*export_command, {"output"}, RunExport, run);
  export_command->add_option("--filter", export_flags->filter, kFilterHelp)->type_name("FILTER");
  export_command->footer(
      "A graph is written with the first of its reports, as `graph`. One that the store keeps without weights that "
      "were\n"
      "checked with it stays behind.\n"
      "Examples:\n  quantgate reports export --output reports.jsonl");

  CLI::App* diff = command->add_subcommand("diff", "What a report has that another has not: new, fixed, still there");
  const auto diff_flags = AddCommon(*diff, {"format", "output"}, RunDiff, run);
  diff->add_option("BASE OTHER", diff_flags->names, "Two reports, the earlier one first")->required()->expected(2);
  diff->add_flag("--exit-code", diff_flags->exit_code, "Exit with 1 when there are new findings");
  diff->footer("Examples:\n  quantgate reports diff reports/ID1 reports/ID2 --format json");

  CLI::App* import =
      command->add_subcommand("import", "Store reports that export wrote, with their names, times and graphs");
  const auto import_flags = AddCommon(*import, {"output"}, RunImport, run);
  import->add_option("FILE", import_flags->names, "One JSON object per line; - is standard input")->required();
  import->footer("Examples:\n  quantgate reports import reports.jsonl --store sqlite:reports.db");

  CLI::App* prune = command->add_subcommand("prune", "Delete the oldest reports");
  const auto prune_flags = AddCommon(*prune, {"output"}, RunPrune, run);
  prune->add_option("--older-than", prune_flags->older_than, "Reports of this age: 12h, 90d, 8w")->type_name("AGE");
  prune->add_option("--max-reports", prune_flags->max_reports, "All but the newest so many")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000'000}));
  prune->footer("Examples:\n  quantgate reports prune --older-than 90d");

  CLI::App* migrate = command->add_subcommand("migrate", "Make a store, or bring it to this version, and do no more");
  const auto migrate_flags = std::make_shared<ReportsFlags>();
  AddStore(*migrate, *migrate_flags, "Which one: sqlite:PATH or postgresql://...")->required();
  AddWork(*migrate, migrate_flags, {"output"}, RunMigrate, run);
  migrate->footer("Examples:\n  quantgate reports migrate --store postgresql://quantgate@db.example/quantgate");
}

}  // namespace quantgate
