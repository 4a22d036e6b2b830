// The parts of LowerForProvider(), by theme; provider.cc has the table that maps canonical operators to them. `name` is
// the QNN operator of the table entry.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_PROVIDER_LOWERERS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_PROVIDER_LOWERERS_H_

#include "absl/functional/function_ref.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/tensor.h"

namespace quantgate::qnn::provider {

inline constexpr absl::string_view kLeft = "ONNX Runtime's QNN provider does not build it in this form";
inline constexpr absl::string_view kNotAsked = "whether ONNX Runtime's QNN provider takes this form was not asked";

inline constexpr absl::string_view kManyScales =
    "ONNX Runtime's QNN provider takes Dequantize and Quantize nodes with one scale only";

// float.cc: computed in float between Dequantize and Quantize
Lowering LowerTan(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSelu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerThresholdedRelu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerQuickGelu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerMultiply(const NodeView&, absl::string_view name, Emission&);
Lowering LowerVariadic(const NodeView&, absl::string_view name, Emission&);  // Sum, Mean, Max, Min
Lowering LowerReduceL2(const NodeView&, absl::string_view name, Emission&);
Lowering LowerRoiAlign(const NodeView&, absl::string_view name, Emission&);
Lowering LowerFusedMatMul(const NodeView&, absl::string_view name, Emission&);
Lowering LowerCastTo(const NodeView&, absl::string_view name, Emission&);
Lowering LowerLpPool(const NodeView&, absl::string_view name, Emission&);
Lowering LowerRandom(const NodeView&, absl::string_view name, Emission&);
Lowering LowerRecurrent(const NodeView&, absl::string_view name, Emission&);
Lowering LowerUnjudged(const NodeView&, absl::string_view name, Emission&);  // no row in the tables

// apart.cc
// A Dequantize for each operand, what `lower` makes of the node in float, and a Quantize for each result.
Lowering LowerApart(const NodeView&, absl::FunctionRef<Lowering(const NodeView&)> lower, Emission&);

Lowering LowerQuantizer(const NodeView&, absl::string_view name, Emission&);  // by itself

// products.cc
Lowering LowerConvolution(const NodeView&, absl::string_view name, Emission&);
Lowering LowerTransposedConvolution(const NodeView&, absl::string_view name, Emission&);
Lowering LowerMatMul(const NodeView&, absl::string_view name, Emission&);

// gemm.cc
Lowering LowerGemm(const NodeView&, absl::string_view name, Emission&);

// forms.cc: parameters, types and forms that it has by itself
Lowering LowerSoftplus(const NodeView&, absl::string_view name, Emission&);
Lowering LowerLeakyRelu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerModulo(const NodeView&, absl::string_view name, Emission&);
Lowering LowerPool(const NodeView&, absl::string_view name, Emission&);
Lowering LowerPrelu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerBatchNorm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerInstanceNorm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerGroupNorm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerMatMulNBits(const NodeView&, absl::string_view name, Emission&);
Lowering LowerLogSumExp(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSplit(const NodeView&, absl::string_view name, Emission&);
Lowering LowerExpand(const NodeView&, absl::string_view name, Emission&);
Lowering LowerUnclear(const NodeView&, absl::string_view name, Emission&);  // some forms are taken
Lowering LowerLeft(const NodeView&, absl::string_view name, Emission&);     // no form is taken

// resize.cc
Lowering LowerResizing(const NodeView&, absl::string_view name, Emission&);  // also Upsample

// groups.cc: what it depends on which nodes are around it
Lowering LowerErf(const NodeView&, absl::string_view name, Emission&);
Lowering LowerTransposition(const NodeView&, absl::string_view name, Emission&);
// Whether it is a Reshape or Transpose of six dimensions that is taken with those around it, and how.
bool IsInWindow(const NodeView&);
Lowering LowerInWindow(const NodeView&, Emission&);

// einsum.cc
Lowering LowerEinsum(const NodeView&, absl::string_view name, Emission&);

// Shared helpers.
// The node that alone reads the first result, in its own graph; -1: there is none.
int32_t OnlyReader(const Graph&, int32_t node);
// Whether ONNX Runtime makes the product one with a Quantize behind it: what stands between moves integers as they are,
// or limits numbers to what the Quantize stores anyway.
bool GetsQuantize(const Graph&, int32_t product);
// Whether a window states a dilation other than 1.
bool IsDilated(const NodeView&);
// An operand in float: as it is, or behind a Dequantize of its own. A constant is a run-time tensor then.
BackendTensor FloatInput(const NodeView&, const Operand*, Emission&, Layout layout = Layout::kSame);

// A result that is computed in float. Finish() quantizes it, if it is quantized.
class FloatOutput {
 public:
  FloatOutput(const NodeView& view, int port, Emission& emission, Layout layout = Layout::kSame);
  const BackendTensor& reals() const { return reals_; }
  void Finish();

 private:
  const NodeView& view_;
  Emission& emission_;
  BackendTensor stated_;
  BackendTensor reals_;
};

void AddBinary(absl::string_view name, const NodeView&, const BackendTensor& first, const BackendTensor& second,
               const BackendTensor& to, Emission&);
// Without tensors: see LowerForProvider().
void AddUnjudged(absl::string_view name, const NodeView&, Emission&);

}  // namespace quantgate::qnn::provider

#endif  // QUANTGATE_RULES_BACKENDS_QNN_PROVIDER_LOWERERS_H_
