// An operand as a QNN tensor: element type, encoding, shape and quantized axis in QNN's terms.
//
// Types. Quantized integers are FIXED_POINT types; widths below eight bits are stored in eight bits under a bit-width
// (BW) encoding, as both ExecuTorch and ONNX Runtime emit them. The width is the range's, not only the storage's: int32
// with 0..65535 is UFIXED_POINT_16, int8 with -8..7 is 4 bits. Plain 64-bit integers and doubles become 32-bit ones
// (the toolchains insert the casts). float32 stays FLOAT_32: HTP computes it in half precision, its tables list both.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_TENSOR_H_
#define QUANTGATE_RULES_BACKENDS_QNN_TENSOR_H_

#include "rules/backends/qnn/emission.h"
#include "rules/backends/qnn/layout.h"
#include "rules/backends/qnn/node_view.h"

namespace quantgate::qnn {

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

// Whether the operand is an input of the QNN graph as it is. What a PT2E annotation quantizes gets a Quantize in front.
bool IsGraphInput(const Graph& graph, const Operand& operand);

// Symmetric by the numbers: every zero point is 0 (signed) or the middle of the range (unsigned). Without known numbers
// the scheme of the spec decides; unknown when there is none.
Tri Symmetric(const NodeView& view, const Operand& operand, bool is_signed);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_TENSOR_H_
