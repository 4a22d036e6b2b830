// The stored forms that Quantize nodes write and Dequantize nodes read.
#ifndef QUANTGATE_RULES_GRAPH_QUANTIZER_FORMS_H_
#define QUANTGATE_RULES_GRAPH_QUANTIZER_FORMS_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/stored_form.h"

namespace quantgate {

class QuantizerForms {
 public:
  QuantizerForms(const Graph& graph, StoredForms& forms, QParamsStore& params);

  // Of a Quantize or Dequantize node. Computed once per node.
  StoredForm Of(int32_t node);
  // What a constant holds, or what only reshapes, casts or fills with it, as real numbers; empty: not known. -1: no
  // value.
  RealView NumbersOf(int32_t value) const;
  // Whether a scale is computed at run time.
  bool IsDynamic(int32_t scale) const;

 private:
  StoredForm Describe(int32_t node);
  RealView NumbersOf(int32_t value, int hops) const;
  // The tensor with which ONNX's ConstantOfShape fills; -1: the node is another, or states none.
  int32_t FilledWith(int32_t node) const;
  // Declared, or what the producer states.
  v1::DataType TypeOf(int32_t value) const;
  std::vector<int64_t> AffineBlocks(int32_t node, int32_t data) const;
  int32_t MakeParams(int32_t node, const QuantizerInputs& inputs);

  const Graph& graph_;
  StoredForms& forms_;
  QParamsStore& params_;
  std::vector<int32_t> form_of_;  // by node; -1: not computed
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QUANTIZER_FORMS_H_
