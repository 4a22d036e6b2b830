// What the optimizer makes of QuantizeLinear and DequantizeLinear nodes before it looks for groups.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_UNSIGNED_PAIR_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_UNSIGNED_PAIR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

// One number of a constant; nullopt when it is none, or has several. An initializer that is an input of the graph is no
// constant to the optimizer: a caller may give another one.
std::optional<double> FixedScalar(const Graph& graph, int32_t value);

// The node that reads the value as its first input, where nothing else does; -1: there is none.
int32_t OnlyUse(const Graph& graph, int32_t value);

// The integers: what a DequantizeLinear reads, or a QuantizeLinear writes.
int32_t StoredOf(const Graph& graph, int32_t quantizer);

// The runtime makes uint8 tensors of the int8 ones that stand between one QuantizeLinear and one DequantizeLinear with
// one zero point. Of a DequantizeLinear with several readers it has made several. `types` by value.
bool IsMadeUnsigned(const Graph& graph, const std::vector<v1::DataType>& types, int32_t quantizer);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_UNSIGNED_PAIR_H_
