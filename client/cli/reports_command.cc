#include <algorithm>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/report_access.h"
#include "client/cli/server_flags.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "client/report/text.h"
#include "google/protobuf/util/time_util.h"

namespace quantgate {
namespace {

constexpr int kPageSize = 500;

struct ReportsFlags {
  std::string store;
  std::string filter;
  int limit = 50;
  bool verbose = false;
  std::vector<std::string> names;  // show: one
  std::shared_ptr<ServerFlags> server;
  std::shared_ptr<OutputFlags> output;
};

absl::StatusOr<ReportAccess> Open(const ReportsFlags& flags) {
  if (!flags.store.empty()) return AccessStore(flags.store);
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

std::string ListText(const v1::ListReportsResponse& list, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"name", "time", "model", "verdict"}};
  for (const v1::Report& report : list.reports()) {
    v1::Report stamp = report;
    stamp.mutable_create_time()->set_nanos(0);
    std::string verdicts;
    for (const v1::Result& result : report.results()) {
      absl::StrAppend(&verdicts, verdicts.empty() ? "" : ", ", VerdictMark(result.verdict(), style), " ",
                      Printable(result.target()));
    }
    rows.push_back({Printable(report.name()), google::protobuf::util::TimeUtil::ToString(stamp.create_time()),
                    Printable(report.model().path()), verdicts});
  }
  return RenderTable(rows, style);
}

int RunList(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags);
  if (!access.ok()) return Fail(access.status());
  v1::ListReportsResponse list;
  const absl::Status status = ForEachReport(*access, flags.filter, flags.limit, false, [&](v1::Report& report) {
    *list.add_reports() = std::move(report);
    return absl::OkStatus();
  });
  if (!status.ok()) return Fail(status);
  if (flags.output->format == "json") return Finish(*flags.output, ToJson(list));
  return Finish(*flags.output, ListText(list, OutputStyle(*flags.output)));
}

int RunShow(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags);
  if (!access.ok()) return Fail(access.status());
  const absl::StatusOr<v1::Report> report = access->get(FullName(flags.names.front()));
  if (!report.ok()) return Fail(report.status());
  if (flags.output->format == "json") return Finish(*flags.output, ToJson(*report));
  Style style = OutputStyle(*flags.output);
  style.verbose = flags.verbose;
  return Finish(*flags.output, RenderText(*report, style));
}

int RunDelete(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags);
  if (!access.ok()) return Fail(access.status());
  int exit_code = 0;
  for (const std::string& name : flags.names) {
    const absl::Status status = access->remove(FullName(name));
    if (!status.ok()) exit_code = std::max(exit_code, Fail(status));
  }
  return exit_code;
}

int RunExport(const ReportsFlags& flags) {
  const absl::StatusOr<ReportAccess> access = Open(flags);
  if (!access.ok()) return Fail(access.status());
  std::string lines;
  const absl::Status status =
      ForEachReport(*access, flags.filter, std::numeric_limits<int64_t>::max(), true, [&](v1::Report& report) {
        const absl::StatusOr<std::string> line = ToJsonLine(report);
        if (line.ok()) absl::StrAppend(&lines, *line, "\n");
        return line.status();
      });
  if (!status.ok()) return Fail(status);
  return Finish(*flags.output, lines);
}

// The flags that all four have, and what runs them.
std::shared_ptr<ReportsFlags> AddCommon(CLI::App& command, std::initializer_list<absl::string_view> output_flags,
                                        int (*work)(const ReportsFlags&), Run* run) {
  auto flags = std::make_shared<ReportsFlags>();
  flags->server = AddServerFlags(command, /*need_server=*/false);
  CLI::Option* store = command.add_option("--store", flags->store, "Read this store instead of asking a server")
                           ->type_name("sqlite:PATH");
  flags->server->server->excludes(store);
  flags->output = AddOutputFlags(command, output_flags);
  command.callback([flags, work, run] { *run = [flags, work] { return work(*flags); }; });
  return flags;
}

constexpr char kFilterHelp[] =
    "Conditions joined with AND on model.path, model.sha256, graph_digest,\n"
    "target, verdict, code, create_time";

}  // namespace

void AddReportsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("reports", "Stored reports: list, show, delete, export");
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

  CLI::App* export_command = command->add_subcommand("export", "Whole reports, one JSON object per line");
  const auto export_flags = AddCommon(*export_command, {"output"}, RunExport, run);
  export_command->add_option("--filter", export_flags->filter, kFilterHelp)->type_name("FILTER");
  export_command->footer("Examples:\n  quantgate reports export --output reports.jsonl");
}

}  // namespace quantgate
