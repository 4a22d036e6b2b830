// Constants whose bytes are taken along.
#include "client/error.h"
#include "client/import.h"
#include "client/onnx/onnx_importer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

using testing::HasSubstr;

onnx::ModelProto ModelOfTwoWeights() {
  onnx::ModelProto model = EmptyModel();
  AddTensor(model.mutable_graph(), "raw", onnx::TensorProto::INT8, {2, 2})->set_raw_data("\1\2\3\4");
  onnx::TensorProto* typed = AddTensor(model.mutable_graph(), "typed", onnx::TensorProto::INT64, {2});
  typed->add_int64_data(-2);
  typed->add_int64_data(258);
  return model;
}

TEST(Weights, AreLeftBehindUnlessAskedFor) {
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(ModelOfTwoWeights().SerializeAsString(), "");
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(ValueNamed(*graph, "raw").constant().data().empty());
}

TEST(Weights, HaveTheLayoutOfTheirType) {
  ImportOptions options;
  options.max_weight_bytes = 20;
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(ModelOfTwoWeights().SerializeAsString(), "", options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValueNamed(*graph, "raw").constant().data(), "\1\2\3\4");
  EXPECT_EQ(ValueNamed(*graph, "typed").constant().data(),
            std::string("\xfe\xff\xff\xff\xff\xff\xff\xff\x02\x01\x00\x00\x00\x00\x00\x00", 16));
}

TEST(Weights, KeepToTheirLimit) {
  ImportOptions options;
  options.max_weight_bytes = 19;
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(ModelOfTwoWeights().SerializeAsString(), "", options);
  EXPECT_EQ(ErrorCode(graph.status()), "FI002");
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr("more than 19 bytes"));
}

// Every constant of a whole file has as many bytes as its shape asks for.
void ExpectAllBytes(const std::string& path) {
  ImportOptions options;
  options.max_weight_bytes = 1 << 26;
  const absl::StatusOr<ImportedModel> model = ImportModel(path, options);
  ASSERT_TRUE(model.ok()) << model.status();
  int constants = 0;
  for (const v1::Value& value : model->graph.values()) {
    if (!value.has_constant() || value.constant().stored_bytes() < 0) continue;
    EXPECT_EQ(static_cast<int64_t>(value.constant().data().size()), value.constant().stored_bytes()) << value.name();
    constants += value.constant().data().empty() ? 0 : 1;
  }
  EXPECT_GT(constants, 5) << path;
}

TEST(Weights, OfEveryFormat) {
  ExpectAllBytes((OnnxData() / "tiny.qdq_u8s8.onnx").string());
  ExpectAllBytes((OnnxData() / "tiny.qdq_a16w4.onnx").string());
  ExpectAllBytes((TfliteData() / "dscnn.int8.tflite").string());
  ExpectAllBytes((Pt2Data() / "tinycnn.xnnpack_pc.pt2").string());
}

}  // namespace
}  // namespace quantgate
