#include "rules/backends/onnxruntime/byte_products.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/engine/render.h"

namespace quantgate::onnxruntime {

const RuleInfo kByteProducts = {
    "NR503",
    "saturating-byte-products",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject} has int8 of {observed} that are multiplied with uint8; on x86 without VNNI that is right for {allowed}.",
    "On x86 processors without VNNI (AVX2, and AVX-512 before Cascade Lake) the kernel adds two products of an "
    "unsigned and a signed byte in 16 bits: 2 x 255 x 127 does not fit, and the sum is cut off at 32767 without a "
    "word. The same file is exact on processors with VNNI and on Arm. Measured on 1.31.1: uint8 x uint8, int8 x int8 "
    "and depthwise QLinearConv are exact everywhere.",
    "Where such processors are used, quantize weights to 7 bits (reduce_range=True) or to uint8, or make the session "
    "with session.x64quantprecision=1.",
    "Fires: MatMulInteger of uint8 and int8 -127..127. Does not: of uint8 and int8 -64..64, or of two uint8 tensors.",
};

namespace {

// 2 x 255 x 64 fits in 16 bits, 2 x 255 x 65 does not.
constexpr double kLargest = 64;

// The arguments that a kernel multiplies as unsigned and signed bytes. `left` -1: floats, quantized to uint8 as it
// runs.
struct Product {
  absl::string_view op;
  int left;
  int right;
  // A kernel of its own, exact, for one filter on each channel.
  bool has_depthwise = false;
};
constexpr Product kProducts[] = {
    {"MatMulInteger", 0, 1},
    {"QLinearMatMul", 0, 3},
    {"QLinearConv", 0, 3, /*has_depthwise=*/true},
    {"com.microsoft::QLinearConv", 0, 3, /*has_depthwise=*/true},
    {"ConvInteger", 1, 0},  // filters times columns of the image
    {"com.microsoft::QGemm", 0, 3},
    {"com.microsoft::MatMulIntegerToFloat", 0, 1},
    {"com.microsoft::DynamicQuantizeMatMul", -1, 1},
    {"com.microsoft::DynamicQuantizeLSTM", -1, 1},
    {"com.microsoft::DynamicQuantizeLSTM", -1, 2},
    {"com.microsoft::QAttention", 0, 1},
};

bool IsDepthwise(const Graph& graph, int32_t node, int32_t filter) {
  if (graph.rank(filter) < 2) return false;
  const v1::Value& value = graph.value(filter);
  return value.dims(1) == 1 && value.dims(0) == graph.int_attribute(node, "group", 1);
}

}  // namespace

void CheckByteProducts(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  for (const Product& product : kProducts) {
    if (call.op != product.op) continue;
    const int32_t right = call.input(product.right);
    if (right < 0 || call.types[product.right] != v1::DATA_TYPE_INT8) continue;
    if (product.left >= 0 && (call.input(product.left) < 0 || call.types[product.left] != v1::DATA_TYPE_UINT8))
      continue;
    if (product.has_depthwise && IsDepthwise(graph, call.node, right)) continue;
    double least = -128;
    double most = 127;
    // Of floats that the runtime makes int8 all of it is used.
    const bool is_stored = graph.value(right).dtype() == v1::DATA_TYPE_INT8;
    if (is_stored && graph.is_constant(right) && graph.value(right).constant().has_statistics()) {
      least = graph.value(right).constant().statistics().min();
      most = graph.value(right).constant().statistics().max();
    }
    if (std::max(-least, most) <= kLargest) continue;
    sink.Add(kByteProducts, call.places[product.right], absl::StrCat(FormatNumber(least), "..", FormatNumber(most)),
             "-64..64", source);
  }
}

}  // namespace quantgate::onnxruntime
