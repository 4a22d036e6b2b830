// Corrections: for the faults that a check found, the spec changes that remove them, each checked before it is offered.
// What they minimize, and how they are searched, is in README.md.
#ifndef QUANTGATE_RULES_CORRECTIONS_CORRECTIONS_H_
#define QUANTGATE_RULES_CORRECTIONS_CORRECTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/corrections/candidates.h"
#include "rules/engine/context.h"

namespace quantgate {

// Bounds of the search, in checks, so that the same question always has the same answer.
struct CorrectionLimits {
  int max_faults = 20'000;  // beyond, there is no search: it keeps candidates for each node with faults
  int max_checks = 200;
  int max_tried = 120;                   // candidates for one node; where nothing helps, all of them are tried in vain
  int64_t max_judged_nodes = 3'000'000;  // checks times nodes, and what takes as long as those
};

// Checks a changed graph for the one target that the corrections are for.
using Judge = std::function<absl::Status(const v1::Graph& graph, v1::Result& result)>;

// What a correction alone does to the numbers: signal to quantization noise of the model's worst output, in dB.
// nullopt: not known.
using PredictNoise = std::function<std::optional<double>(const v1::Correction& correction)>;

struct CorrectionTask {
  const CheckContext& context;  // of the main graph, unchanged
  Judge judge;
  corrections::AcceptedTypesOf accepted;  // may be null
  CorrectionLimits limits;
  // Of changes that are as few, those of which it promises most are taken. Null: those that lose least by their types.
  PredictNoise predict = nullptr;
  // Whether tensors may leave the integers for a node that only runs elsewhere. Not where another target computes it in
  // integers: that would lose them for nothing.
  bool floats_for_fallbacks = true;
};

// Fills Result.corrections and Finding.correction of `result`, the answer for the unchanged graph with all its
// findings; what the bounds cut short goes to Result.not_checked. False: they did, and there may be corrections that
// were not found. Errors are the judge's.
absl::StatusOr<bool> PlanCorrections(const CorrectionTask& task, v1::Result& result);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CORRECTIONS_CORRECTIONS_H_
