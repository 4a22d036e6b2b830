// Quantization of a tensor as the file states it.
#ifndef QUANTGATE_CLIENT_TFLITE_QUANTIZATION_H_
#define QUANTGATE_CLIENT_TFLITE_QUANTIZATION_H_

#include <optional>

#include "client/tflite/budget.h"
#include "client/tflite/model_generated.h"
#include "client/tflite/tensor_reader.h"
#include "quantgate/v1/spec.pb.h"

namespace quantgate::tflite {

// The spec of a tensor with scales; nullopt: it has none (a table without scales is what converters write for every
// tensor that is not quantized). Details, where given, override scale, zero point and axis. `subgraph` is where the
// tensors are that details refer to. Scales that exceed the budget, or that are not in the file, are left out.
std::optional<v1::Spec> SpecOf(const Tensor& tensor, const SubGraph& subgraph, TensorReader& tensors, Budget& budget);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_QUANTIZATION_H_
