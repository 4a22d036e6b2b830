#include "tests/rules/simulator/graph_record.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/import.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace quantgate::simulator {
namespace {

using Json = nlohmann::json;

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

absl::StatusOr<v1::Graph> GraphOf(const Json& record) {
  // In the record, or by its name in tests/data.
  const std::string own = absl::StrCat(::testing::TempDir(), "/quantgate-graph-", getpid());
  std::string path = own;
  if (record.contains("file")) {
    path = absl::StrCat(QUANTGATE_TEST_DATA "/../data/", record.at("file").get<std::string>());
  } else {
    std::ofstream(path, std::ios::binary) << Unpacked(record.at("model"));
  }
  ImportOptions import;
  import.max_weight_bytes = 1 << 24;
  absl::StatusOr<ImportedModel> model = ImportModel(path, import);
  std::filesystem::remove(own);
  if (!model.ok()) return model.status();
  return std::move(model->graph);
}

void UseLine(const std::string& line, const std::function<void(const GraphRecord&)>& use) {
  const Json json = Json::parse(line, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  SCOPED_TRACE(json.at("id").get<std::string>());
  absl::StatusOr<v1::Graph> graph = GraphOf(json);
  ASSERT_TRUE(graph.ok()) << graph.status();
  use({*std::move(graph), json.at("profile"), TensorsOf(json.at("inputs")), TensorsOf(json.at("outputs")),
       json.at("steps"), json.at("relative")});
}

}  // namespace

Request GraphRecord::request() const {
  Request request;
  request.profile = profile;
  request.given = &inputs;
  return request;
}

int ForEachGraphRecord(const std::string& name, int every, const std::function<void(const GraphRecord&)>& use) {
  const std::string path = absl::StrCat(QUANTGATE_TEST_DATA "/data/graphs/", name, ".jsonl.gz");
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return 0;
  std::string line;
  std::vector<char> buffer(1 << 16);
  int lines = 0, used = 0;
  while (gzgets(file, buffer.data(), static_cast<int>(buffer.size())) != nullptr) {
    line += buffer.data();
    if (line.back() != '\n') continue;
    if (lines++ % every == 0) {
      UseLine(line, use);
      ++used;
    }
    line.clear();
  }
  gzclose(file);
  return used;
}

}  // namespace quantgate::simulator
