// Corrections of a whole report: of each target by itself, of all together, and where else what nothing repairs would
// be accepted.
#ifndef QUANTGATE_RULES_CORRECTIONS_REPORT_H_
#define QUANTGATE_RULES_CORRECTIONS_REPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/corrections/corrections.h"

namespace quantgate {

struct ReportTask {
  struct OneTarget {
    std::string name;                       // as asked for
    corrections::AcceptedTypesOf accepted;  // may be null
    // Targets to look at where nothing helps, nearest first; asked only then. Null: none.
    std::function<std::vector<std::string>()> others;
    PredictNoise predict = nullptr;
    bool complete = true;  // the result lists everything that was found
  };
  const CheckContext& context;  // of the main graph, unchanged
  // A check without corrections: one result per target, in order.
  std::function<absl::Status(const v1::Graph& graph, absl::Span<const std::string> targets, v1::Report& report)> check;
  std::vector<OneTarget> targets;  // of the report, in order
  CorrectionLimits limits;
  // Of one result's findings and corrections: corrections that are beyond are counted in not_checked instead.
  int64_t max_bytes = INT64_MAX;
};

// Fills corrections and common_corrections of `report`. Errors are those of the check.
absl::Status CorrectReport(const ReportTask& task, v1::Report& report);

// Other targets of the backend, for ReportTask: the same SoC with the newest SDK, then a SoC of each other hardware
// with the same SDK, those of its arch first, then newer archs.
struct Module;
struct Target;
std::vector<std::string> OtherTargets(const Module& module, const Target& target);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CORRECTIONS_REPORT_H_
