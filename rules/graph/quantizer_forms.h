// The stored forms that Quantize nodes write and Dequantize nodes read.
#ifndef QUANTGATE_RULES_GRAPH_QUANTIZER_FORMS_H_
#define QUANTGATE_RULES_GRAPH_QUANTIZER_FORMS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "rules/graph/graph.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/stored_form.h"

namespace quantgate {

class QuantizerForms {
 public:
  QuantizerForms(const Graph& graph, StoredForms& forms, QParamsStore& params);

  // Of a Quantize or Dequantize node. Computed once per node.
  StoredForm Of(int32_t node);
  // What a constant holds, as real numbers; empty: not known. -1: no value.
  absl::Span<const double> NumbersOf(int32_t value);
  // Whether a scale is computed at run time.
  bool IsDynamic(int32_t scale) const;

 private:
  StoredForm Describe(int32_t node);
  int32_t MakeParams(int32_t node, const QuantizerInputs& inputs);
  // So many zeros; all rows of them are parts of one.
  absl::Span<const double> Zeros(size_t count);

  const Graph& graph_;
  StoredForms& forms_;
  QParamsStore& params_;
  std::vector<int32_t> form_of_;                      // by node; -1: not computed
  std::vector<absl::Span<const double>> numbers_of_;  // by value, of constants that hold integers
  absl::Span<const double> zeros_;                    // the longest row of them so far
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QUANTIZER_FORMS_H_
