#include "rules/backends/qnn_htp/ops/graph_input_matmul.h"

#include "absl/strings/str_cat.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"

namespace quantgate::qnn_htp {
namespace {

// More than one matrix. Sizes that are not known do not count.
bool IsBatched(const BackendTensor& tensor) {
  for (size_t axis = 0; axis + 2 < tensor.dims.size(); ++axis) {
    if (tensor.dims[axis] > 1) return true;
  }
  return false;
}

int64_t SizeFromEnd(const BackendTensor& tensor, size_t axis) {
  return tensor.dims.size() < axis ? -1 : tensor.dims[tensor.dims.size() - axis];
}

// SFIXED_POINT_16 with any 16-bit first operand, SFIXED_POINT_8 with a signed one; SFIXED_POINT_8 with an unsigned one
// where the sums are of a multiple of 128 products and the batch next to the matrices is more than one.
bool IsAffected(const BackendTensor& first, const BackendTensor& second) {
  if (!IsFixed16(first) || second.encoding != Encoding::kPerTensor) return false;
  if (IsFixed(second, v1::DATA_TYPE_INT16)) return true;
  if (!IsFixed(second, v1::DATA_TYPE_INT8)) return false;
  const int64_t products = SizeFromEnd(second, 2);
  return IsSignedType(first) || (products > 0 && products % 128 == 0 && SizeFromEnd(second, 3) > 1);
}

}  // namespace

const RuleInfo kGraphInputMatMul = {
    "GS204",
    "graph-input-matmul",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Validation passes and preparation finds no kernel (could not create op: q::flat_from_vtcm, or "
    "q::MatMul_HVX_in_offset_vec_i64) for a MatMul of 16-bit activations with a signed second operand, when both are "
    "inputs of the graph itself, there is more than one matrix and the second is not transposed; of unsigned "
    "activations with SFIXED_POINT_8 only where each sum is of a multiple of 128 products. Behind any other operator "
    "the same MatMul is prepared.",
    "Keep at least one operand an output of an operator inside the graph (a float input that is quantized there is "
    "one), or pass the second operand transposed and set transpose_in1.",
    "Fires: MatMul of graph inputs UFIXED_POINT_16 [1,4,16,64] and SFIXED_POINT_16 [1,4,64,32]. Does not: with "
    "batch size 1, with transpose_in1, or when one of them is the output of a Relu.",
};

bool NeedsOperatorInFront(const BackendOp& op) {
  return op.name == "MatMul" && IsAffected(Input(op, 0), Input(op, 1)) && IsBatched(Input(op, 1)) &&
         ParamElement(op, "transpose_in1", 0, 0) == 0;
}

void CheckGraphInputMatMul(const BackendOp& op, const Target&, OpReport& report) {
  const BackendTensor& first = Input(op, 0);
  const BackendTensor& second = Input(op, 1);
  if (!first.is_graph_input || !second.is_graph_input || !NeedsOperatorInFront(op)) return;
  report.Add(kGraphInputMatMul, In(1), absl::StrCat("two graph inputs, ", TypeText(first), " and ", TypeText(second)),
             "the second behind an operator of the graph, or transposed");
}

}  // namespace quantgate::qnn_htp
