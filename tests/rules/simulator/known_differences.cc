#include "tests/rules/simulator/known_differences.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace quantgate::simulator {
namespace {

struct KnownDifference {
  const char* op;      // empty: any
  const char* oracle;  // prefix
  int bits;            // of the output; 0: any
  double largest;      // in steps of the output
  double share;        // of a record's values that may differ
  const char* reason;
};

constexpr KnownDifference kKnown[] = {
    {"depthwise_conv2d", "litert_opt", 8, 1, 0.2, "some of its kernels round the second time away from zero"},
    {"depthwise", "litert_opt", 8, 1, 0.2, "some of its kernels round the second time away from zero"},
    {"requantize", "litert_opt", 8, 1, 0.5,
     "ties of negatives in the second rounding go up; in about one of 100 calls"},
    {"add", "litert_opt", 8, 1, 0.001, "its vectorized part rounds a few values otherwise"},
    {"add", "litert_opt", 16, 1, 0.02, "ties of negatives in the second rounding go up"},
    {"add", "litert_xnnpack", 16, 1, 0.02, "left to the optimized kernel"},
    {"resize_bilinear", "litert_opt", 8, 1, 0.1, "its vectorized part for uint8 and twice the size"},
    {"sum", "litert_ref", 0, 65535, 1, "rescales every partial sum and wraps: nobody's meaning of a sum"},
    {"sigmoid", "ort_qlinear", 8, 1, 0.02, "a vectorized function of another last bit"},
    {"sigmoid", "ort_qdq", 16, 1, 0.002, "a vectorized function of another last bit"},
    {"tanh", "ort_qdq", 16, 1, 0.004, "a vectorized function of another last bit"},
    {"add", "ort_qlinear", 8, 1, 0.005,
     "values within 2e-5 of a half, seen in one call of 60,000; its order there is not known"},
    {"exp", "ort_qdq", 16, 1, 0.01, "a vectorized function of another last bit"},
    {"log", "ort_qdq", 16, 1, 0.01, "a vectorized function of another last bit"},
    {"elu", "ort_qdq", 16, 1, 0.01, "a vectorized exponential of another last bit"},
    {"mean", "ort_qdq", 8, 1, 0.2, "another order of float additions"},
    {"add", "torch_pt2e", 16, 1, 0.01, "uint16 alone; not known"},
    {"sub", "torch_pt2e", 16, 1, 0.01, "uint16 alone; not known"},
    {"leaky_relu", "torch_pt2e", 16, 1, 0.01, "uint16 alone; not known"},
    {"elu", "torch_pt2e", 16, 1, 0.001, "a vectorized exponential of another last bit"},
    {"gelu", "torch_pt2e", 16, 1, 0.002, "a vectorized error function of another last bit"},
    {"mean", "torch_pt2e", 8, 1, 0.2, "another order of float additions"},
    {"add", "torch_qnnpack", 8, 1, 0.02, "fixed point of its own"},
    // QNN HTP, 8 bits: kHtpExact below is equal, the rest within a step.
    {"matmul", "qnn_htp", 8, 3, 0.5, "a second operand at run time whose zero point is far from the middle"},
    {"squared_difference", "qnn_htp", 8, 3, 1, "the difference is rounded before it is squared"},
    {"", "qnn_htp", 8, 1, 1, "the order and width of its fixed-point sums is not known"},
    // QNN HTP, 16 bits: the largest difference of 10,000 calls, rounded up.
    {"conv", "qnn_htp", 16, 48, 1, "sums are kept in less than 32 bits: about 256 of its units are lost"},
    {"depthwise", "qnn_htp", 16, 48, 1, "as conv"},
    {"transpose_conv2d", "qnn_htp", 16, 48, 1, "as conv"},
    {"fully_connected", "qnn_htp", 16, 48, 1, "as conv"},
    {"matmul", "qnn_htp", 16, 48, 1, "as conv"},
    {"sqrt", "qnn_htp", 16, 80, 1, "a short polynomial"},
    {"softmax", "qnn_htp", 16, 120, 1, "short polynomials for the exponential and the reciprocal"},
    {"log_softmax", "qnn_htp", 16, 10, 1, "as softmax"},
    {"div", "qnn_htp", 16, 40, 1, "a reciprocal of about 16 bits"},
    {"gelu", "qnn_htp", 16, 40, 1, "a short polynomial"},
    {"log", "qnn_htp", 16, 40, 1, "a short polynomial"},
    {"cos", "qnn_htp", 16, 20, 1, "a short polynomial"},
    {"sin", "qnn_htp", 16, 20, 1, "a short polynomial"},
    {"batch_norm", "qnn_htp", 16, 512, 1, "a scale of 8 bits is multiplied first"},
    {"squared_difference", "qnn_htp", 16, 8, 1, "the difference is rounded before it is squared"},
    {"prelu", "qnn_htp", 16, 8, 1, "the product is rounded before it is rescaled"},
    {"elu", "qnn_htp", 16, 6, 1, "a short polynomial"},
    {"exp", "qnn_htp", 16, 6, 1, "a short polynomial"},
    {"tanh", "qnn_htp", 16, 6, 1, "a short polynomial"},
    {"sigmoid", "qnn_htp", 16, 4, 1, "a short polynomial"},
    {"", "qnn_htp", 16, 3, 1, "the order and width of its fixed-point operations is not known"},
    {"dequantize", "qnn_htp", 32, 1e-5, 1, "the product's last bit"},
};

// What HTP computes with 8 bits by tables or by copying, bit for bit.
constexpr absl::string_view kHtpExact[] = {
    "abs",   "ceil",       "clamp",   "cos",  "depth_to_space", "elu",   "exp",     "floor",
    "gelu",  "hard_swish", "log",     "relu", "relu1",          "relu6", "reshape", "resize_nearest",
    "round", "rsqrt",      "sigmoid", "sin",  "sqrt",           "tanh",  "topk",    "transpose"};

// A record may be short: one value of it may always differ.
constexpr double kAtLeast = 1;

}  // namespace

bool IsKnown(const Record& record, const std::string& oracle, const Difference& difference) {
  if (difference.differ == 0) return true;
  const int bits = static_cast<int>(8 * ElementSize(record.output.tensor.type));
  if (oracle == "qnn_htp" && bits == 8 && absl::c_linear_search(kHtpExact, record.op)) return false;
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const KnownDifference& known) {
    return (known.op[0] == 0 || record.op == known.op) && absl::StartsWith(oracle, known.oracle) &&
           (known.bits == 0 || known.bits == bits) && difference.largest <= known.largest &&
           static_cast<double>(difference.differ) <=
               std::max(kAtLeast, known.share * static_cast<double>(difference.elements));
  });
}

bool IsComputedInFloat(const Record& record, const std::string& oracle) {
  const bool product = absl::StrContains(record.op, "conv2d") || record.op == "batch_matmul";
  return product && (absl::StartsWith(oracle, "ort_qdq") || oracle == "torch_pt2e");
}

}  // namespace quantgate::simulator
