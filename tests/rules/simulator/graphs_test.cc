// Small graphs as files, with what a runtime computed for them: every output is equal, integers to the bit, real
// numbers up to the order of sums. tests/runtimes/graphs writes them.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "rules/simulator/run/report.h"
#include "rules/simulator/tensor.h"
#include "tests/rules/simulator/graph_record.h"

namespace quantgate::simulator {
namespace {

// Nothing: `tensor` is as expected.
std::string Difference(const Tensor& tensor, const Tensor& expected, int64_t steps, double relative) {
  if (tensor.dims != expected.dims) return "another shape";
  if (tensor.type != expected.type) return absl::StrCat("it is of ", v1::DataType_Name(tensor.type));
  if (expected.type != v1::DATA_TYPE_FLOAT32) {
    const std::vector<int64_t> a = *ToInt64(tensor), b = *ToInt64(expected);
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > steps) return absl::StrCat(a[i], " instead of ", b[i], " at ", i);
    }
    return "";
  }
  const absl::Span<const float> a = tensor.as<float>(), b = expected.as<float>();
  double largest = 0;
  for (const float value : b) largest = std::max<double>(largest, std::isfinite(value) ? std::fabs(value) : 0);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!(std::fabs(a[i] - b[i]) <= relative * largest)) return absl::StrCat(a[i], " instead of ", b[i], " at ", i);
  }
  return "";
}

void Compare(const GraphRecord& record) {
  Tensors values;
  SimulateOptions options;
  options.on_value = [&](const std::string& name, const Tensor& tensor) { values[name] = tensor; };
  v1::Report report;
  const absl::Status status = SimulateReport(record.graph, record.request(), nullptr, options, report);
  ASSERT_TRUE(status.ok()) << status;
  for (const auto& [name, expected] : record.outputs) {
    const auto found = values.find(name);
    if (found == values.end()) {
      ADD_FAILURE() << name << " is not computed: " << report.simulation().ShortDebugString();
      continue;
    }
    EXPECT_EQ(Difference(found->second, expected, record.steps, record.relative), "") << name;
  }
}

class Graphs : public testing::TestWithParam<const char*> {};

TEST_P(Graphs, AsTheRuntimeComputesThem) { EXPECT_GT(ForEachGraphRecord(GetParam(), /*every=*/1, Compare), 0); }

INSTANTIATE_TEST_SUITE_P(Runtimes, Graphs, testing::Values("onnx", "torch", "litert", "litert_integers"),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

}  // namespace
}  // namespace quantgate::simulator
