// Synthetic models of any size for the benchmarks: the layers, shapes, names and parameters of a convolutional network,
// written as importers write them.
#ifndef QUANTGATE_TESTS_BENCHMARKS_MODEL_H_
#define QUANTGATE_TESTS_BENCHMARKS_MODEL_H_

#include "quantgate/v1/validation_service.pb.h"

namespace quantgate::benchmarks {

inline constexpr char kTarget[] = "qnn_htp/SM8650";

// torch.fx with ATen operators, annotated by a quantizer: about four annotated edges and outputs a node, derived specs
// for biases, shared ones for concatenations. `nodes` compute nodes; checked for kTarget.
v1::ValidateRequest AnnotatedModel(int nodes);

// The same layers as an ONNX file with QuantizeLinear and DequantizeLinear nodes, which count as nodes.
v1::ValidateRequest QdqModel(int nodes);

}  // namespace quantgate::benchmarks

#endif  // QUANTGATE_TESTS_BENCHMARKS_MODEL_H_
