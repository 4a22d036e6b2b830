// Every stored record of what runtimes compute, under the profile of that runtime: equal, or listed here with its bound
// and the reason.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/rules/simulator/record.h"

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
    {"conv2d", "litert_opt", 8, 1, 0.02, "a rule of its own for 8-bit sums of products"},
    {"depthwise_conv2d", "litert_opt", 8, 1, 0.02, "a rule of its own for 8-bit sums of products"},
    {"fully_connected", "litert_opt", 8, 1, 0.04, "a rule of its own for 8-bit sums of products"},
    {"add", "litert_opt", 8, 1, 0.001, "its vectorized part rounds a few values otherwise"},
    {"resize_bilinear", "litert_opt", 8, 1, 0.02, "its vectorized part for uint8 and twice the size"},
    {"sum", "litert_ref", 0, 65535, 1, "rescales every partial sum and wraps: nobody's meaning of a sum"},
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

// Sums of products without an integer kernel under a profile: those are computed in float, around this library.
bool InFloat(const Record& record, const std::string& oracle) {
  const bool product = absl::StrContains(record.op, "conv2d") || record.op == "batch_matmul";
  return product && (absl::StartsWith(oracle, "ort_qdq") || oracle == "torch_pt2e");
}

TEST(Golden, EveryRecordOfEveryRuntime) {
  int equal = 0, listed = 0, in_float = 0;
  for (const auto& file : std::filesystem::directory_iterator(QUANTGATE_TEST_DATA "/data/numerics")) {
    const absl::Status status = ForEachRecord(file.path().string(), [&](const Record& record) {
      const int bits = static_cast<int>(8 * ElementSize(record.output.tensor.type));
      for (const auto& [oracle, expected] : record.oracles) {
        const Profile* profile = ProfileOfOracle(oracle);
        ASSERT_NE(profile, nullptr) << oracle;
        const Difference difference = Compare(record, *profile, expected);
        const std::string what = absl::StrCat(record.id, " under ", profile->name, " (", oracle, ")");
        if (difference.status.code() == absl::StatusCode::kUnimplemented && InFloat(record, oracle)) {
          ++in_float;
          continue;
        }
        EXPECT_TRUE(difference.status.ok()) << what << ": " << difference.status;
        if (difference.differ == 0) {
          ++equal;
          continue;
        }
        double largest = 0, share = 0;
        for (const KnownDifference& known : kKnown) {
          if (record.op != known.op || !absl::StartsWith(oracle, known.oracle)) continue;
          if (known.bits != 0 && known.bits != bits) continue;
          largest = std::max(largest, known.largest);
          share = std::max(share, known.share);
        }
        ++listed;
        EXPECT_LE(difference.largest, largest) << what;
        EXPECT_LE(static_cast<double>(difference.differ), share * static_cast<double>(difference.elements)) << what;
      }
    });
    EXPECT_TRUE(status.ok()) << status;
  }
  RecordProperty("equal", equal);
  RecordProperty("listed", listed);
  RecordProperty("in_float", in_float);
  std::printf("equal %d, listed differences %d, in float %d\n", equal, listed, in_float);
  EXPECT_GT(equal, 1000);
}

}  // namespace
}  // namespace quantgate::simulator
