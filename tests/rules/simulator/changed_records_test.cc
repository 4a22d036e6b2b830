// Stored records of what runtimes compute, with one thing changed: under every profile the kernel gives a tensor that
// holds together and means the same numbers, or says why it gives none.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "tests/rules/simulator/record.h"

namespace quantgate::simulator {
namespace {

void ForEachStored(const std::function<void(const Record&)>& each) {
  for (const auto& file : std::filesystem::directory_iterator(QUANTGATE_TEST_DATA "/data/numerics")) {
    const absl::Status status = ForEachRecord(file.path().string(), each);
    EXPECT_TRUE(status.ok()) << status;
  }
}

std::string Named(const Record& record, const Profile& profile) {
  return absl::StrCat(record.id, " (", record.op, ") under ", profile.name);
}

TEST(ChangedRecords, OutputsBeyondTheMemoryThatIsAllowedAreRefused) {
  int refused = 0;
  ForEachStored([&](const Record& record) {
    for (const Profile& profile : Profiles()) {
      const Answer whole = Compute(record, profile);
      if (!whole.status.ok() || whole.output.tensor.data.empty()) continue;
      const AllocationLimit limit(static_cast<int64_t>(whole.output.tensor.data.size()) - 1);
      const absl::Status status = Compute(record, profile).status;
      EXPECT_TRUE(absl::IsResourceExhausted(status)) << Named(record, profile) << ": " << status;
      ++refused;
    }
  });
  EXPECT_GT(refused, 1000);
}

// bfloat16 has no kernel. Where it is moved as bits the output would have to be of that type too.
TEST(ChangedRecords, TypesThatNoKernelReadsAreRefused) {
  ForEachStored([&](const Record& record) {
    for (size_t input = 0; input <= record.inputs.size(); ++input) {
      Record changed = record;
      const bool output = input == record.inputs.size();
      QTensor& tensor = output ? changed.output : changed.inputs[input];
      tensor.tensor.type = v1::DATA_TYPE_BFLOAT16;
      tensor.q = {};
      if (!output) {
        const std::vector<int64_t> dims = tensor.tensor.dims;
        ASSERT_TRUE(Allocate(dims, tensor.tensor).ok());
      }
      for (const Profile& profile : Profiles()) {
        const absl::Status status = Compute(changed, profile).status;
        EXPECT_FALSE(status.ok()) << Named(record, profile) << ", "
                                  << (output ? "output" : absl::StrCat("input ", input));
        EXPECT_NE(status.message(), "") << Named(record, profile);
      }
    }
  });
}

// What each element of the recorded output stands for, and whether it may be cut off there.
double Meant(const Record& record, const std::vector<int64_t>& stored, size_t i) {
  return record.output.q.scales[0] * static_cast<double>(stored[i] - record.output.q.zero_point());
}

bool CutOff(const Record& record, int64_t stored) {
  return stored <= MinOf(record.output.tensor.type) + 1 || stored >= MaxOf(record.output.tensor.type) - 1;
}

// LiteRT's functions of 16 bits are interpolated between 513 entries of a table, and off by many steps.
bool IsCoarse(const Record& record) { return BitWidth(record.output.tensor.type) > 8; }

// Asked for real numbers, a kernel gives those that it would have rounded: once, or in fixed point two and three times.
TEST(ChangedRecords, OutputsInFloatAreThoseThatAreRounded) {
  int64_t compared = 0;
  ForEachStored([&](const Record& record) {
    if (record.output.q.scales.size() != 1 || IsCoarse(record)) return;
    Record changed = record;
    changed.output.q = {};
    changed.output.tensor.type = v1::DATA_TYPE_FLOAT32;
    for (const auto& [oracle, expected] : record.oracles) {
      const Profile& profile = *ProfileOfOracle(oracle);
      const Answer rounded = Compute(record, profile), real = Compute(changed, profile);
      if (!rounded.status.ok() || !real.status.ok()) continue;
      ASSERT_EQ(real.output.tensor.dims, rounded.output.tensor.dims) << Named(record, profile);
      const std::vector<int64_t> stored = *ToInt64(rounded.output.tensor);
      const absl::Span<const float> numbers = real.output.tensor.as<float>();
      for (size_t i = 0; i < stored.size(); ++i) {
        if (CutOff(record, stored[i])) continue;
        ++compared;
        const double off = std::fabs(numbers[i] - Meant(record, stored, i)) / record.output.q.scales[0];
        ASSERT_LE(off, 1.5) << Named(record, profile) << "[" << i << "]: " << numbers[i] << " beside " << stored[i];
      }
    }
  });
  EXPECT_GT(compared, 10000);
}

// A scale that is stated for each channel, and the same for all, is one scale.
TEST(ChangedRecords, EqualScalesOfChannelsMeanOneScale) {
  int64_t compared = 0;
  ForEachStored([&](const Record& record) {
    if (IsCoarse(record)) return;
    for (size_t input = 0; input < record.inputs.size(); ++input) {
      const QTensor& before = record.inputs[input];
      if (before.q.scales.size() != 1 || before.tensor.dims.empty() || before.tensor.dims.back() < 2) continue;
      Record changed = record;
      Quantization& q = changed.inputs[input].q;
      q.axis = static_cast<int>(before.tensor.dims.size()) - 1;
      q.scales.assign(static_cast<size_t>(before.tensor.dims.back()), before.q.scales[0]);
      q.zero_points.assign(q.scales.size(), before.q.zero_point());
      for (const Profile& profile : Profiles()) {
        const Answer one = Compute(record, profile), many = Compute(changed, profile);
        if (!one.status.ok() || !many.status.ok() || one.output.tensor.type == v1::DATA_TYPE_FLOAT32) continue;
        const std::vector<int64_t> a = *ToInt64(one.output.tensor), b = *ToInt64(many.output.tensor);
        ASSERT_EQ(a.size(), b.size()) << Named(record, profile);
        for (size_t i = 0; i < a.size(); ++i) {
          if (CutOff(record, a[i])) continue;
          ++compared;
          ASSERT_LE(std::abs(a[i] - b[i]), 1) << Named(record, profile) << ", input " << input << "[" << i << "]";
        }
      }
    }
  });
  EXPECT_GT(compared, 10000);
}

// Positions are the graph's own, whatever runtime computes with them: PyTorch's and ONNX's half pixels under LiteRT,
// too.
TEST(ChangedRecords, ResizedPositionsAreThoseOfTheGraph) {
  // 0 10 20 30 -> eight numbers, from the definition in ONNX's Resize.
  const std::vector<std::pair<std::string, std::vector<int64_t>>> expected = {
      {"half_pixel", {0, 3, 8, 13, 18, 23, 28, 30}},
      {"pytorch_half_pixel", {0, 3, 8, 13, 18, 23, 28, 30}},
      {"asymmetric", {0, 5, 10, 15, 20, 25, 30, 30}},
      {"align_corners", {0, 4, 9, 13, 17, 21, 26, 30}},
  };
  const std::vector<std::pair<std::string, std::vector<int64_t>>> nearest = {
      {"half_pixel", {0, 0, 10, 10, 20, 20, 30, 30}},
      {"pytorch_half_pixel", {0, 0, 10, 10, 20, 20, 30, 30}},
      {"asymmetric", {0, 0, 10, 10, 20, 20, 30, 30}},
      {"align_corners", {0, 0, 10, 10, 20, 20, 30, 30}},
  };
  for (const v1::DataType type : {v1::DATA_TYPE_UINT8, v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT16}) {
    for (const bool linear : {true, false}) {
      for (const auto& [mode, numbers] : linear ? expected : nearest) {
        Record record;
        record.id = absl::StrCat(linear ? "linear " : "nearest ", mode, " ", DataTypeName(type));
        record.op_id = linear ? OpId::kResizeBilinear : OpId::kResizeNearest;
        record.layout = Layout::kChannelsFirst;
        record.attributes.SetInts("sizes", {1, 1, 1, 8});
        record.attributes.SetText("coordinate_transformation_mode", mode);
        record.attributes.SetText("nearest_mode", mode == "asymmetric" ? "floor" : "round_prefer_floor");
        record.output.tensor.type = type;
        record.output.q = {.scales = {0.5f}, .zero_points = {0}};
        QTensor& x = record.inputs.emplace_back(record.output);
        ASSERT_TRUE(Allocate({1, 1, 1, 4}, x.tensor).ok());
        const int64_t size = static_cast<int64_t>(ElementSize(type));
        for (int64_t i = 0; i < 4; ++i) x.tensor.data[static_cast<size_t>(i * size)] = static_cast<std::byte>(i * 10);
        for (const Profile& profile : Profiles()) {
          const Answer answer = Compute(record, profile);
          if (absl::IsUnimplemented(answer.status)) continue;
          ASSERT_TRUE(answer.status.ok()) << Named(record, profile) << ": " << answer.status;
          const std::vector<int64_t> got = *ToInt64(answer.output.tensor);
          ASSERT_EQ(got.size(), numbers.size()) << Named(record, profile);
          for (size_t i = 0; i < got.size(); ++i) {
            EXPECT_LE(std::abs(got[i] - numbers[i]), linear ? 1 : 0) << Named(record, profile) << "[" << i << "]";
          }
        }
      }
    }
  }
}

// No elements are no reason to fail, to divide by their number or to read what is not there.
TEST(ChangedRecords, TensorsWithoutElements) {
  int empty = 0;
  ForEachStored([&](const Record& record) {
    for (size_t d = 0; d < record.inputs[0].tensor.dims.size(); ++d) {
      Record changed = record;
      for (QTensor& input : changed.inputs) {
        if (input.q.scales.size() > 1 || input.tensor.dims != record.inputs[0].tensor.dims) continue;
        std::vector<int64_t> dims = input.tensor.dims;
        dims[d] = 0;
        ASSERT_TRUE(Allocate(dims, input.tensor).ok());
      }
      for (const Profile& profile : Profiles()) {
        const Answer answer = Compute(changed, profile);
        if (!answer.status.ok()) {
          EXPECT_NE(answer.status.message(), "") << Named(record, profile);
          continue;
        }
        EXPECT_TRUE(Validate(answer.output).ok()) << Named(record, profile) << ": " << Validate(answer.output);
        empty += answer.output.tensor.data.empty();
      }
    }
  });
  EXPECT_GT(empty, 1000);
}

}  // namespace
}  // namespace quantgate::simulator
