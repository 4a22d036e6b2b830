// Small graphs as files, with what a runtime computed for them: every output is equal, integers to the bit, real
// numbers up to the order of sums. tests/runtimes/graphs writes them.
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/import.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "rules/simulator/numpy_type.h"
#include "rules/simulator/run/report.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

using Json = nlohmann::json;
using Tensors = absl::flat_hash_map<std::string, Tensor>;

std::string Unpacked(const std::string& text) {
  std::string packed;
  EXPECT_TRUE(absl::Base64Unescape(text, &packed));
  std::string bytes(1 << 20, '\0');
  uLongf size = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  bytes.resize(size);
  return bytes;
}

v1::DataType TypeNamed(const std::string& name) {
  static const auto* types = new absl::flat_hash_map<std::string, v1::DataType>{
      {"bool", v1::DATA_TYPE_BOOL},     {"int8", v1::DATA_TYPE_INT8},     {"uint8", v1::DATA_TYPE_UINT8},
      {"int16", v1::DATA_TYPE_INT16},   {"uint16", v1::DATA_TYPE_UINT16}, {"int32", v1::DATA_TYPE_INT32},
      {"uint32", v1::DATA_TYPE_UINT32}, {"int64", v1::DATA_TYPE_INT64},   {"float32", v1::DATA_TYPE_FLOAT32}};
  return types->at(name);
}

Tensors TensorsOf(const Json& json) {
  Tensors tensors;
  for (const auto& [name, given] : json.items()) {
    Tensor& tensor = tensors[name];
    tensor.type = TypeNamed(given.at("dtype"));
    EXPECT_TRUE(Allocate(given.at("shape").get<std::vector<int64_t>>(), tensor).ok());
    const std::string bytes = Unpacked(given.at("z"));
    EXPECT_EQ(bytes.size(), tensor.data.size());
    std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), tensor.data.begin());
  }
  return tensors;
}

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

void Compare(const Json& record) {
  // In the record, or by its name in tests/data.
  const std::string own = absl::StrCat(testing::TempDir(), "/quantgate-graph-", getpid());
  std::string path = own;
  if (record.contains("file")) {
    path = absl::StrCat(QUANTGATE_TEST_DATA "/../data/", record.at("file").get<std::string>());
  } else {
    std::ofstream(path, std::ios::binary) << Unpacked(record.at("model"));
  }
  ImportOptions import;
  import.max_weight_bytes = 1 << 24;
  const absl::StatusOr<ImportedModel> model = ImportModel(path, import);
  std::filesystem::remove(own);
  ASSERT_TRUE(model.ok()) << model.status();
  const Tensors inputs = TensorsOf(record.at("inputs"));
  Tensors values;
  SimulateOptions options;
  options.on_value = [&](const std::string& name, const Tensor& tensor) { values[name] = tensor; };
  Request request;
  request.profile = record.at("profile");
  request.given = &inputs;
  v1::Report report;
  const absl::Status status = SimulateReport(model->graph, request, nullptr, options, report);
  ASSERT_TRUE(status.ok()) << status;
  for (const auto& [name, expected] : TensorsOf(record.at("outputs"))) {
    const auto found = values.find(name);
    if (found == values.end()) {
      ADD_FAILURE() << name << " is not computed: " << report.simulation().ShortDebugString();
      continue;
    }
    EXPECT_EQ(Difference(found->second, expected, record.at("steps"), record.at("relative")), "") << name;
  }
}

class Graphs : public testing::TestWithParam<const char*> {};

TEST_P(Graphs, AsTheRuntimeComputesThem) {
  const std::string path = absl::StrCat(QUANTGATE_TEST_DATA "/data/graphs/", GetParam(), ".jsonl.gz");
  gzFile file = gzopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  std::string line;
  char buffer[1 << 16];
  int records = 0;
  while (gzgets(file, buffer, sizeof(buffer)) != nullptr) {
    line += buffer;
    if (line.back() != '\n') continue;
    const Json record = Json::parse(line, nullptr, false);
    ASSERT_FALSE(record.is_discarded());
    SCOPED_TRACE(record.at("id").get<std::string>());
    Compare(record);
    ++records;
    line.clear();
  }
  gzclose(file);
  EXPECT_GT(records, 0);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, Graphs, testing::Values("onnx", "torch", "litert", "litert_integers"),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

}  // namespace
}  // namespace quantgate::simulator
