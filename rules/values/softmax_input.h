// What a softmax reads, as it is quantized.
#ifndef QUANTGATE_RULES_VALUES_SOFTMAX_INPUT_H_
#define QUANTGATE_RULES_VALUES_SOFTMAX_INPUT_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

// Softmax may be taken apart, and exp is what makes its ratios.
bool MakesRatios(const Graph& graph, int32_t node);

// The operand as it is quantized, by the node itself or by the one that wrote it: a float softmax of what is quantized
// reads no finer steps. Null: it is not quantized.
const Operand* AsQuantized(const CheckContext& context, const Operand& read);

// The tensors that it was clamped, chosen, shifted or moved from: its steps are no finer than theirs. Empty: it is
// computed, or given.
std::vector<const Operand*> CutFrom(const CheckContext& context, const Operand& read);

// The tensor that was quantized, where a file has a Quantize in front; else `value`.
int32_t BeforeQuantize(const Graph& graph, int32_t value);

// Of the stored range, which a file may make as wide as all of int64.
double StepsOf(const Operand& operand);

// "" where none is stated.
absl::string_view ObserverOf(const Graph& graph, const Operand& operand);

// Where the operand is read: the place of what is said of it.
Place SoftmaxInput(const CheckContext& context, const ResolvedOp& op);

// Of scales that many may read.
class LargestScale {
 public:
  double Of(int32_t qparams, const RealView& scales);

 private:
  absl::flat_hash_map<int32_t, double> known_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_SOFTMAX_INPUT_H_
