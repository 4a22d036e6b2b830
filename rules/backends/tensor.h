// An operand as a backend's tensor: element type, encoding, shape and quantized axis in the terms of the tables, which
// are QNN's.
//
// Types. Quantized integers are FIXED_POINT types; widths below eight bits are stored in eight bits under a bit-width
// (BW) encoding, as both ExecuTorch and ONNX Runtime emit them. The width is the range's, not only the storage's: int32
// with 0..65535 is UFIXED_POINT_16, int8 with -8..7 is 4 bits. Plain 64-bit integers and doubles become 32-bit ones
// (the toolchains insert the casts). float32 stays FLOAT_32: HTP computes it in half precision, its tables list both.
#ifndef QUANTGATE_RULES_BACKENDS_TENSOR_H_
#define QUANTGATE_RULES_BACKENDS_TENSOR_H_

#include "rules/backends/emission.h"
#include "rules/backends/layout.h"
#include "rules/backends/node_view.h"

namespace quantgate {

db::ElementType StoredType(const NodeView& view, const Operand& operand);

// Fills `tensor`. A null operand leaves it absent. `backend_rank` -1: the origin's rank.
void FillTensor(const NodeView& view, const Operand* operand, Layout layout, int backend_rank, Emission& emission,
                BackendTensor& tensor);

inline void AddInput(const NodeView& view, const Operand* operand, Emission& emission, Layout layout = Layout::kSame,
                     int backend_rank = -1) {
  FillTensor(view, operand, layout, backend_rank, emission, emission.AddInput());
}
inline void AddOutput(const NodeView& view, const Operand* operand, Emission& emission, Layout layout = Layout::kSame,
                      int backend_rank = -1) {
  FillTensor(view, operand, layout, backend_rank, emission, emission.AddOutput());
}

// Whether the operand is an input of the backend's graph as it is. What a PT2E annotation quantizes gets a Quantize in
// front.
bool IsGraphInput(const Graph& graph, const Operand& operand);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_TENSOR_H_
