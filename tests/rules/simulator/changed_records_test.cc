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

struct Answer {
  absl::Status status;
  QTensor output;
};

Answer Compute(const Record& record, const Profile& profile) {
  std::vector<const QTensor*> inputs;
  for (const QTensor& input : record.inputs) inputs.push_back(&input);
  std::vector<QTensor> outputs(static_cast<size_t>(record.attributes.Int("num_outputs", 1)), record.output);
  KernelCall call{.op = record.op_id,
                  .layout = record.layout,
                  .attributes = &record.attributes,
                  .inputs = inputs,
                  .outputs = absl::MakeSpan(outputs)};
  Answer answer;
  answer.status = RunKernel(profile, call);
  if (answer.status.ok()) answer.output = outputs.at(static_cast<size_t>(record.attributes.Int("output_index", 0)));
  return answer;
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
    // How positions are counted is LiteRT's own where there is one scale.
    if (IsCoarse(record) || record.op_id == OpId::kResizeBilinear) return;
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
