// Pairs of QuantizeLinear and DequantizeLinear that the optimizer makes uint8 before it looks for groups.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_UNSIGNED_PAIR_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_UNSIGNED_PAIR_H_

#include <cstdint>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

// The runtime makes uint8 tensors of the int8 ones that stand between one QuantizeLinear and one DequantizeLinear with
// one zero point. Of a DequantizeLinear with several readers it has made several. `types` by value.
bool IsMadeUnsigned(const Graph& graph, const std::vector<v1::DataType>& types, int32_t quantizer);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_UNSIGNED_PAIR_H_
