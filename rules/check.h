// The check: graph in, report out. No I/O.
#ifndef QUANTGATE_RULES_CHECK_H_
#define QUANTGATE_RULES_CHECK_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "quantgate/v1/validation_service.pb.h"
#include "rules/corrections/corrections.h"
#include "rules/engine/module.h"

namespace quantgate {

// Bounds on what a check will take; a graph beyond them is RESOURCE_EXHAUSTED with the limit's name.
struct CheckLimits {
  int max_targets = 256;
  int max_subgraphs = 10'000;
  int max_subgraph_depth = 32;
  int64_t max_judgements = 20'000'000;    // nodes times targets
  int64_t max_scales_read = 100'000'000;  // those of a spec at each operand that has it, times targets
  // Beyond these a result leaves out its least severe findings and counts them in not_checked, by rule; the verdict is
  // of all. They also bound what is kept of findings until then.
  int max_findings = 100'000;            // per result
  int64_t max_report_bytes = 256 << 20;  // of the findings and corrections of all results, about
};

// PredictNoise for one of several targets ("" when there is none).
using PredictNoiseOn =
    std::function<std::optional<double>(const std::string& target, const v1::Correction& correction)>;

struct CheckOptions {
  // Empty: only target-independent rules, result "any". One that is named twice, in whatever spelling, has one result,
  // at its first place.
  std::vector<std::string> targets;
  v1::Report::Mode mode = v1::Report::STRICT;
  std::string toolchain;
  // Asked now and then; true stops the check with CANCELLED. Null: never.
  std::function<bool()> cancelled;
  CheckLimits limits;
  // Where a result has errors or fallbacks, look for spec changes that remove them.
  bool corrections = true;
  CorrectionLimits correction_limits;
  PredictNoiseOn predict;  // which of several corrections costs least; null: their types tell
};

// What a request asks for, with the limits and callbacks of a CheckOptions without any.
CheckOptions OptionsOf(const v1::ValidateOptions& asked);

// Fills `report` except name, create_time, model and graph_digest. Errors: INVALID_ARGUMENT (malformed graph or
// target), NOT_FOUND (unknown backend, SoC or arch), RESOURCE_EXHAUSTED (a limit, named), CANCELLED. A module that
// fails to load is not an error: its result is UNKNOWN with the reason. `report` may live on an arena.
absl::Status Check(const v1::Graph& graph, const CheckOptions& options, ModuleRegistry& modules, v1::Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CHECK_H_
