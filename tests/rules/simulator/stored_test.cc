// Tensors between real numbers and integers: in parts what they are as a whole.
#include "rules/simulator/run/stored.h"

#include <gtest/gtest.h>

#include <random>

#include "rules/simulator/kernel.h"

namespace quantgate::simulator {
namespace {

class Stored : public testing::TestWithParam<const char*> {
 protected:
  const Profile& profile() const { return *FindProfile(GetParam()); }

  Tensor Reals(const std::vector<int64_t>& dims) {
    Tensor reals;
    reals.type = v1::DATA_TYPE_FLOAT32;
    EXPECT_TRUE(Allocate(dims, reals).ok());
    for (float& x : reals.as<float>()) x = std::normal_distribution<float>(0, 4)(random_);
    return reals;
  }

  std::mt19937 random_{5};
};

Slot SlotOf(v1::DataType type, int64_t low, int64_t high) {
  Slot slot;
  slot.quantized = true;
  slot.type = type;
  slot.quant_min = low;
  slot.quant_max = high;
  return slot;
}

TEST_P(Stored, WhatIsRoundedInPlaceIsWhatWouldBeStored) {
  Quantization each{{0.05f, 0.1f, 0.02f}, {}, 0, 0};
  const struct {
    Slot slot;
    Quantization q;
    std::vector<int64_t> dims;
  } cases[] = {{SlotOf(v1::DATA_TYPE_UINT8, 0, 255), {{0.07f}, {11}}, {3, 3001}},
               {SlotOf(v1::DATA_TYPE_INT8, -128, 127), {{0.07f}, {-5}}, {4096}},
               {SlotOf(v1::DATA_TYPE_INT8, -100, 20), {{0.03f}, {-100}}, {4097}},
               {SlotOf(v1::DATA_TYPE_INT16, -32768, 32767), {{0.0003f}, {}}, {9000}},
               {SlotOf(v1::DATA_TYPE_INT8, -127, 127), each, {3, 2000}}};
  for (const auto& [slot, q, dims] : cases) {
    Tensor reals = Reals(dims);
    const auto stored = Quantized(profile(), reals, slot, q);
    ASSERT_TRUE(stored.ok()) << stored.status();
    const auto expected = Dequantized(profile(), *stored);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(Grid(profile(), slot, q).Round(reals).ok());
    EXPECT_EQ(reals.dims, expected->dims);
    EXPECT_EQ(reals.as<float>(), expected->as<float>());
  }
}

TEST_P(Stored, PartsOfTensorsAreDequantizedAlike) {
  for (const v1::DataType type : {v1::DATA_TYPE_INT8, v1::DATA_TYPE_UINT8, v1::DATA_TYPE_INT16}) {
    for (const int axis : {-1, 0, 1, 2}) {
      QTensor stored;
      stored.tensor.type = type;
      ASSERT_TRUE(Allocate({3, 5, 7}, stored.tensor).ok());
      for (std::byte& x : stored.tensor.data) x = static_cast<std::byte>(random_());
      stored.q.axis = axis;
      for (int i = 0; i < (axis < 0 ? 1 : stored.tensor.dims[axis]); ++i) {
        stored.q.scales.push_back(0.1f * static_cast<float>(i + 1));
      }
      const auto whole = Dequantized(profile(), stored);
      ASSERT_TRUE(whole.ok()) << whole.status();
      for (size_t first = 0; first <= 105; first += 4) {
        std::vector<float> part(std::min<size_t>(105 - first, 33));
        ASSERT_TRUE(DequantizeTo(profile(), stored, absl::MakeSpan(part), first).ok());
        EXPECT_EQ(absl::MakeConstSpan(part), whole->as<float>().subspan(first, part.size()));
      }
      std::vector<float> more(2);
      EXPECT_EQ(DequantizeTo(profile(), stored, absl::MakeSpan(more), 104).code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(DequantizeTo(profile(), stored, absl::MakeSpan(more), 200).code(), absl::StatusCode::kInvalidArgument);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Stored,
                         testing::Values("onnxruntime", "litert/reference", "litert/optimized", "litert/xnnpack",
                                         "torch", "qnn_htp"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '/' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace quantgate::simulator
