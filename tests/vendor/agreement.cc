// agreement FILE...: puts recorded configurations to QuantGate's own engine and compares its verdicts with the
// vendor's. Prints a JSON line per disagreement, a table per operator and kind, and a summary. Exit code 2: a file
// could not be read to its end.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/database.h"
#include "rules/check.h"
#include "rules/engine/module.h"
#include "tests/vendor/case.h"
#include "tests/vendor/lines.h"
#include "tests/vendor/tally.h"
#include "tests/vendor/verdict.h"

namespace quantgate::vendor {
namespace {

class Comparison {
 public:
  explicit Comparison(ModuleRegistry& modules) : modules_(modules) { options_.corrections = false; }

  // A line that is no case, or that the engine cannot take, is an error.
  absl::Status Compare(absl::string_view line) {
    absl::StatusOr<Case> asked = ParseCase(line);
    if (!asked.ok()) return asked.status();
    options_.targets = {asked->target};
    absl::StatusOr<v1::Report> report = Judge(asked->graph, "qnn-converter");
    if (!report.ok()) return report.status();
    const absl::StatusOr<v1::Report> in_steps = Judge(asked->graph, "executorch");
    if (!in_steps.ok()) return in_steps.status();
    std::vector<absl::string_view> wrong = tally_.Add(*asked, report->results(0));
    for (absl::string_view step : tally_.AddStep(*asked, in_steps->results(0))) wrong.push_back(step);
    if (!wrong.empty()) Print(*asked, report->results(0), wrong);
    return absl::OkStatus();
  }

  const Tally& tally() const { return tally_; }

 private:
  absl::StatusOr<v1::Report> Judge(const v1::Graph& graph, const char* toolchain) {
    options_.toolchain = toolchain;
    v1::Report report;
    if (absl::Status status = Check(graph, options_, modules_, report); !status.ok()) return status;
    return report;
  }

  static void Print(const Case& asked, const v1::Result& judged, const std::vector<absl::string_view>& wrong) {
    nlohmann::ordered_json line;
    line["id"] = asked.id;
    line["op"] = asked.op;
    line["kind"] = asked.kind;
    line["target"] = judged.target();
    line["wrong"] = absl::StrJoin(wrong, ", ");
    line["vendor"] = asked.accepted ? "accept" : "reject";
    line["findings"] = nlohmann::json::array();
    for (const v1::Finding& finding : judged.findings()) {
      line["findings"].push_back(absl::StrCat(finding.code(), " ", v1::Finding::Effect_Name(finding.effect()), ": ",
                                              finding.message(), " [", finding.source().row(), "]"));
    }
    line["remarks"] = Remarks(judged);
    for (const v1::NotChecked& entry : judged.not_checked()) {
      line["not_checked"].push_back(absl::StrCat(entry.rule(), ": ", entry.reason()));
    }
    // Names come from the file and may be any bytes.
    std::puts(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }

  ModuleRegistry& modules_;
  CheckOptions options_;
  Tally tally_;
};

int Run(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: agreement FILE...\n", stderr);
    return 2;
  }
  const auto tables = db::Database::OpenDefault();
  if (!tables.ok()) {
    std::fprintf(stderr, "error: %s\n", std::string(tables.status().message()).c_str());
    return 2;
  }
  ModuleRegistry modules(**tables);
  RegisterBuiltinModules(modules);
  Comparison comparison(modules);
  int exit_code = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const absl::Status status = ForEachLine(path, [&](int64_t number, absl::string_view line) {
      if (absl::Status compared = comparison.Compare(line); !compared.ok()) {
        std::fprintf(stderr, "%s:%lld: %s\n", path.c_str(), static_cast<long long>(number),
                     std::string(compared.message()).c_str());
      }
    });
    if (!status.ok()) {
      std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
      exit_code = 2;
    }
  }
  std::printf("\n%s\n%s\n%s\n%s\n", comparison.tally().Table().c_str(), comparison.tally().Accepted().c_str(),
              comparison.tally().Steps().c_str(), comparison.tally().Summary().c_str());
  return exit_code;
}

}  // namespace
}  // namespace quantgate::vendor

int main(int argc, char** argv) { return quantgate::vendor::Run(argc, argv); }
