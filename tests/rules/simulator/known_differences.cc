#include "tests/rules/simulator/known_differences.h"

#include <algorithm>

#include "absl/strings/match.h"

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
    {"add", "litert_opt", 8, 1, 0.001, "its vectorized part rounds a few values otherwise"},
    {"resize_bilinear", "litert_opt", 8, 1, 0.1, "its vectorized part for uint8 and twice the size"},
    {"sum", "litert_ref", 0, 65535, 1, "rescales every partial sum and wraps: nobody's meaning of a sum"},
    {"sigmoid", "ort_qlinear", 8, 1, 0.02, "a vectorized function of another last bit"},
    {"sigmoid", "ort_qdq", 16, 1, 0.002, "a vectorized function of another last bit"},
    {"tanh", "ort_qdq", 16, 1, 0.004, "a vectorized function of another last bit"},
    {"mean", "ort_qdq", 8, 1, 0.2, "another order of float additions"},
    {"add", "torch_pt2e", 16, 1, 0.01, "uint16 alone; not known"},
    {"sub", "torch_pt2e", 16, 1, 0.01, "uint16 alone; not known"},
    {"leaky_relu", "torch_pt2e", 16, 1, 0.01, "uint16 alone; not known"},
    {"elu", "torch_pt2e", 16, 1, 0.001, "a vectorized exponential of another last bit"},
    {"gelu", "torch_pt2e", 16, 1, 0.002, "a vectorized error function of another last bit"},
    {"mean", "torch_pt2e", 8, 1, 0.2, "another order of float additions"},
    {"add", "torch_qnnpack", 8, 1, 0.02, "fixed point of its own"},
};

// A record may be short: one value of it may always differ.
constexpr double kAtLeast = 1;

}  // namespace

bool IsKnown(const Record& record, const std::string& oracle, const Difference& difference) {
  if (difference.differ == 0) return true;
  const int bits = static_cast<int>(8 * ElementSize(record.output.tensor.type));
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const KnownDifference& known) {
    return record.op == known.op && absl::StartsWith(oracle, known.oracle) && (known.bits == 0 || known.bits == bits) &&
           difference.largest <= known.largest &&
           static_cast<double>(difference.differ) <=
               std::max(kAtLeast, known.share * static_cast<double>(difference.elements));
  });
}

bool IsComputedInFloat(const Record& record, const std::string& oracle) {
  const bool product = absl::StrContains(record.op, "conv2d") || record.op == "batch_matmul";
  return product && (absl::StartsWith(oracle, "ort_qdq") || oracle == "torch_pt2e");
}

}  // namespace quantgate::simulator
