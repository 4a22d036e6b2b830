// Gemm of integers with a bias of every shape that ONNX broadcasts to its rows and columns. All scales are 1, so that
// every profile computes the sums themselves, which are written out here.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "rules/operators/operator.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {
namespace {

constexpr int64_t kRows = 2, kDepth = 3, kColumns = 4;

// Those that take int8 on both sides.
constexpr const char* kProfiles[] = {"onnxruntime", "litert/reference", "litert/optimized", "xnnpack", "tosa"};

template <typename T>
QTensor Counted(const std::vector<int64_t>& dims, v1::DataType type, T first) {
  QTensor tensor;
  tensor.tensor.type = type;
  EXPECT_TRUE(Allocate(dims, tensor.tensor).ok());
  const absl::Span<T> elements = tensor.tensor.as<T>();
  std::iota(elements.begin(), elements.end(), first);
  tensor.q.scales = {1};
  tensor.q.zero_points = {0};
  return tensor;
}

absl::Status Gemm(const Profile& profile, const QTensor& a, const QTensor& b, const QTensor& bias, bool transpose_a,
                  QTensor& out, AccumulatorUse* use = nullptr) {
  Attributes attributes;
  attributes.SetInt("transA", transpose_a ? 1 : 0);
  const QTensor* inputs[] = {&a, &b, &bias};
  out.tensor.type = v1::DATA_TYPE_INT8;
  out.q.scales = {1};
  out.q.zero_points = {0};
  KernelCall call{.op = OpId::kGemm,
                  .layout = Layout::kChannelsFirst,
                  .attributes = &attributes,
                  .inputs = inputs,
                  .outputs = absl::MakeSpan(&out, 1),
                  .use = use};
  return RunKernel(profile, call);
}

// Element [row, column] of what a tensor of rank 2 at most broadcasts to.
int32_t At(const QTensor& bias, int64_t row, int64_t column) {
  const std::vector<int64_t>& dims = bias.tensor.dims;
  const int64_t columns = dims.empty() ? 1 : dims.back(), rows = dims.size() < 2 ? 1 : dims[0];
  return bias.tensor.as<int32_t>()[(rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column)];
}

TEST(BroadcastBias, OfEveryShape) {
  const QTensor b = Counted<int8_t>({kDepth, kColumns}, v1::DATA_TYPE_INT8, -5);
  for (const char* name : kProfiles) {
    const Profile& profile = *FindProfile(name);
    for (const bool transpose_a : {false, true}) {
      const QTensor a =
          Counted<int8_t>(transpose_a ? std::vector<int64_t>{kDepth, kRows} : std::vector<int64_t>{kRows, kDepth},
                          v1::DATA_TYPE_INT8, -2);
      for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
               {}, {1}, {kColumns}, {1, 1}, {1, kColumns}, {kRows, 1}, {kRows, kColumns}}) {
        const QTensor bias = Counted<int32_t>(dims, v1::DATA_TYPE_INT32, 11);
        const std::string what = absl::StrCat(name, " [", absl::StrJoin(dims, ", "), "] ", transpose_a);
        QTensor out;
        AccumulatorUse use;
        const absl::Status status = Gemm(profile, a, b, bias, transpose_a, out, &use);
        ASSERT_TRUE(status.ok()) << what << ": " << status;
        ASSERT_EQ(out.tensor.dims, (std::vector<int64_t>{kRows, kColumns})) << what;
        for (int64_t row = 0; row < kRows; ++row) {
          for (int64_t column = 0; column < kColumns; ++column) {
            int32_t sum = At(bias, row, column);
            for (int64_t k = 0; k < kDepth; ++k) {
              sum += a.tensor.as<int8_t>()[transpose_a ? k * kRows + row : row * kDepth + k] *
                     b.tensor.as<int8_t>()[k * kColumns + column];
            }
            EXPECT_EQ(out.tensor.as<int8_t>()[row * kColumns + column], sum) << what << " " << row << " " << column;
          }
        }
      }
    }
  }
}

TEST(BroadcastBias, OfNoRows) {
  QTensor out;
  const absl::Status status = Gemm(*FindProfile(kProfiles[0]), Counted<int8_t>({0, kDepth}, v1::DATA_TYPE_INT8, 0),
                                   Counted<int8_t>({kDepth, kColumns}, v1::DATA_TYPE_INT8, 0),
                                   Counted<int32_t>({1, 1}, v1::DATA_TYPE_INT32, 1), /*transpose_a=*/false, out);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(out.tensor.dims, (std::vector<int64_t>{0, kColumns}));
}

TEST(BroadcastBias, OfAnotherShapeIsRefused) {
  const QTensor a = Counted<int8_t>({kRows, kDepth}, v1::DATA_TYPE_INT8, 0);
  const QTensor b = Counted<int8_t>({kDepth, kColumns}, v1::DATA_TYPE_INT8, 0);
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
           {kRows}, {kColumns, kRows}, {3, kColumns}, {1, kRows, kColumns}, {2, kRows, kColumns}}) {
    QTensor out;
    EXPECT_TRUE(absl::IsInvalidArgument(
        Gemm(*FindProfile(kProfiles[0]), a, b, Counted<int32_t>(dims, v1::DATA_TYPE_INT32, 0), false, out)))
        << absl::StrJoin(dims, ", ");
  }
  QTensor many = Counted<int32_t>({kRows, kColumns}, v1::DATA_TYPE_INT32, 0), out;
  many.q = {{1, 2, 1, 1}, {0, 0, 0, 0}, 1};
  EXPECT_TRUE(absl::IsUnimplemented(Gemm(*FindProfile(kProfiles[0]), a, b, many, false, out)));
}

}  // namespace
}  // namespace quantgate::simulator
