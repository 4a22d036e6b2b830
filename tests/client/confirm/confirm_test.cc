// Questions for the vendor's library: what a check emitted, written down, and in the library's layout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/confirm/case_config.h"
#include "client/confirm/element.h"
#include "client/confirm/qnn_graph.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr db::ElementType kByte = {v1::DATA_TYPE_UINT8, true};

// A convolution over rows with everything that an operator can have.
class Operator {
 public:
  Operator() {
    activation_.scales = scale_;
    activation_.zero_points = zero_point_;
    weight_.scales = scales_;
    weight_.axes = axis_;
    inputs_ = {Tensor(kByte, dims_, activation_), Tensor({v1::DATA_TYPE_INT8, true}, filter_, weight_)};
    inputs_[1].is_static = true;
    inputs_[1].axis = 3;
    inputs_[1].encoding = Encoding::kPerChannel;
    outputs_ = {Tensor(kByte, dims_, activation_)};
    params_ = {{"stride", {1, 2}, {}}, {"pad_amount", {0, 0, 1, 1}, {}}, {"group", {1}, {}}, {"axes", {2}, {}}};
  }
  absl::StatusOr<Json> Written(v1::Stage stage = v1::STAGE_CONVERTED, absl::string_view name = "Conv2d") {
    BackendOp op;
    op.name = name;
    op.inputs = inputs_;
    op.outputs = outputs_;
    op.params = params_;
    db::OpDefinition definition;
    definition.op = "Conv2d";
    definition.parameters = {{"group", false, "UINT_32|backend", "", ""}, {"stride", true, "UINT_32", "", ""}};
    return CaseConfigWriter({definition}).Write(op, stage);
  }
  std::vector<BackendTensor> inputs_, outputs_;
  std::vector<BackendParam> params_;

 private:
  BackendTensor Tensor(db::ElementType type, const std::vector<int64_t>& dims, const QuantParams& qparams) {
    BackendTensor tensor;
    tensor.present = true;
    tensor.type = type;
    tensor.bits = 8;
    tensor.encoding = Encoding::kPerTensor;
    tensor.rank = static_cast<int>(dims.size());
    tensor.dims = dims;
    tensor.qparams = &qparams;
    tensor.value = 0;
    return tensor;
  }
  const std::vector<int64_t> dims_ = {1, 4, 4, 2};
  const std::vector<int64_t> filter_ = {1, 1, 2, 2};
  const std::vector<double> scale_ = {0.5};
  const std::vector<double> zero_point_ = {3};
  const std::vector<double> scales_ = {0.25, 0.125};
  const std::vector<int32_t> axis_ = {1};
  QuantParams activation_, weight_;
};

TEST(CaseConfig, HasTensorsEncodingsAndParameters) {
  const auto json = Operator().Written();
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->at("inputs")[0], Json::parse(R"({"name": "in[0]", "dtype": "UFIXED_POINT_8", "shape": [1,4,4,2],
      "encoding": {"kind": "per_tensor", "scale": 0.5, "zero_point": 3}})"));
  EXPECT_EQ(json->at("inputs")[1],
            Json::parse(R"({"name": "in[1]", "dtype": "SFIXED_POINT_8", "shape": [1,1,2,2], "static": true,
      "encoding": {"kind": "per_channel", "axis": 3, "scale": [0.25, 0.125], "zero_point": [0, 0]}})"));
  EXPECT_EQ(json->at("params"), Json::parse(R"({"stride": {"dtype": "UINT_32", "shape": [2], "data": [1, 2]},
      "pad_amount": {"dtype": "UINT_32", "shape": [2, 2], "data": [[0, 0], [1, 1]]},
      "group": {"dtype": "UINT_32", "value": 1}, "axes": {"dtype": "UINT_32", "shape": [1], "data": [2]}})"));
}

TEST(CaseConfig, ABiasHasAsManyScalesAsTheFilterOfOneGroup) {
  for (const bool is_transposed : {true, false}) {
    Operator op;
    const std::vector<int64_t> dims = {4};
    const std::vector<double> scales = {0.5, 0.25, 0.125, 0.0625};
    const std::vector<int32_t> axes = {0};
    QuantParams qparams;
    qparams.scales = scales;
    qparams.axes = axes;
    BackendTensor bias = op.inputs_[1];
    bias.type = {v1::DATA_TYPE_INT32, true};
    bias.dims = dims;
    bias.rank = 1;
    bias.axis = 0;
    bias.qparams = &qparams;
    op.inputs_.push_back(bias);
    const auto json = op.Written(v1::STAGE_CONVERTED, is_transposed ? "TransposeConv2d" : "Conv2d");
    ASSERT_TRUE(json.ok()) << json.status();
    const Json& encoding = json->at("inputs")[2].at("encoding");
    EXPECT_EQ(encoding.at("scale"), is_transposed ? Json({0.5, 0.125}) : Json({0.5, 0.25, 0.125, 0.0625}));
    EXPECT_EQ(encoding.at("zero_point").size(), encoding.at("scale").size());
  }
}

TEST(CaseConfig, SaysWhatIsNotKnown) {
  const auto reason = [](auto change, v1::Stage stage = v1::STAGE_CONVERTED) {
    Operator op;
    change(op);
    const auto json = op.Written(stage);
    return json.ok() ? json->dump() : std::string(json.status().message());
  };
  const std::vector<int64_t> open = {1, -1, 4, 2};
  EXPECT_EQ(reason([&](Operator& op) { op.inputs_[0].dims = open; }), "a size of in[0] is not known");
  EXPECT_EQ(reason([](Operator& op) {
              op.outputs_[0].dims = {};
              op.outputs_[0].rank = -1;
            }),
            "the shape of out[0] is not known");
  EXPECT_EQ(reason([](Operator& op) { op.inputs_[1].axis = -1; }),
            "in[1]: the axis of a per-channel encoding is not known");
  EXPECT_EQ(reason([](Operator& op) { op.inputs_[0].qparams = nullptr; }, v1::STAGE_ANNOTATED),
            "in[0]: quantization parameters are not known at this stage");
  EXPECT_EQ(reason([](Operator& op) { op.params_[0].ints = {}; }), "the value of parameter stride is not known");
  EXPECT_EQ(reason([](Operator& op) { op.params_[0].ints = {-1, 1}; }), "the value of parameter stride is not known");
  EXPECT_EQ(reason([](Operator& op) { op.params_.erase(op.params_.begin()); }),
            "the value of parameter stride is not known");
  EXPECT_THAT(reason([](Operator& op) { op.params_.erase(op.params_.begin() + 2); }), Not(HasSubstr("group")));
  EXPECT_EQ(reason([](Operator& op) { op.inputs_[0].type = {}; }), "the element type of in[0] is not known");
  // What the graph leaves out is asked as it is; what the toolchain chooses is made up.
  EXPECT_THAT(reason([](Operator& op) {
                op.inputs_[0].qparams = nullptr;
                op.inputs_[0].without_encoding = true;
              }),
              HasSubstr(R"("encoding":{"kind":"none"})"));
  EXPECT_THAT(
      reason([](Operator& op) {
        op.inputs_[0].qparams = nullptr;
        op.inputs_[0].value = -1;
        op.inputs_[0].rank = 1;
        op.inputs_[0].dims = {};
      }),
      HasSubstr(R"("encoding":{"kind":"per_tensor","scale":0.015625,"zero_point":128},"name":"in[0]","shape":[1])"));
  EXPECT_THAT(reason([](Operator& op) {
                op.inputs_[0].qparams = nullptr;
                op.inputs_[0].value = -1;
                op.inputs_[0].symmetric = Tri::kNo;
              }),
              HasSubstr(R"("zero_point":127},"name":"in[0]")"));
}

TEST(QnnGraph, IsInTheLibrarysLayout) {
  const auto json = Operator().Written();
  ASSERT_TRUE(json.ok());
  absl::StatusOr<QnnGraph> graph = QnnGraph::Parse("Conv2d", *json);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const qnn_abi::OpConfig op = graph->ConfigOf(graph->nodes()[0]);
  EXPECT_STREQ(op.type, "Conv2d");
  ASSERT_EQ(op.num_inputs, 2);
  EXPECT_EQ(op.inputs[0].type, qnn_abi::kAppWrite);
  EXPECT_EQ(op.inputs[0].dtype, 0x408);
  EXPECT_EQ(op.inputs[0].quantize.encoding, qnn_abi::kScaleOffset);
  EXPECT_EQ(op.inputs[0].quantize.scale_offset.offset, -3);
  EXPECT_EQ(op.inputs[1].type, qnn_abi::kStatic);
  EXPECT_EQ(op.inputs[1].data_size, 4);
  EXPECT_EQ(op.inputs[1].quantize.axis_scale_offset.axis, 3);
  EXPECT_EQ(op.inputs[1].quantize.axis_scale_offset.entries[1].scale, 0.125F);
  EXPECT_EQ(op.outputs[0].type, qnn_abi::kAppRead);
  ASSERT_EQ(op.num_params, 4);  // in the order of their names
  EXPECT_STREQ(op.params[0].name, "axes");
  EXPECT_EQ(op.params[0].kind, 1);
  EXPECT_STREQ(op.params[1].name, "group");
  EXPECT_EQ(op.params[1].scalar.u32, 1);
  EXPECT_EQ(op.params[2].tensor.rank, 2);
  EXPECT_EQ(static_cast<const uint32_t*>(op.params[2].tensor.data)[3], 1);
}

TEST(QnnGraph, TensorsBetweenNodesAreTheLibrarysOwn) {
  const Json config = Json::parse(R"({
      "tensors": [{"name": "x", "dtype": "FLOAT_16", "shape": [2]}, {"name": "y", "dtype": "FLOAT_16", "shape": [2]},
                  {"name": "z", "dtype": "FLOAT_16", "shape": [2]}],
      "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["y"], "params": {}},
                {"op": "ElementWiseAdd", "inputs": ["x", "y"], "outputs": ["z"], "params": {}}]})");
  absl::StatusOr<QnnGraph> graph = QnnGraph::Parse("graph", config);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->tensors()[0].type, qnn_abi::kAppWrite);
  EXPECT_EQ(graph->tensors()[1].type, qnn_abi::kNative);
  EXPECT_EQ(graph->tensors()[2].type, qnn_abi::kAppRead);
}

TEST(QnnGraph, SparseTensorsSayHowManyElementsTheyHave) {
  const Json config = Json::parse(R"({
      "inputs": [{"name": "x", "dtype": "UINT_8", "shape": [4, 4, 3], "sparse": {"elements": 10, "dimensions": 2}}],
      "outputs": [{"name": "y", "dtype": "UINT_8", "shape": [10, 3]}], "params": {}})");
  absl::StatusOr<QnnGraph> graph = QnnGraph::Parse("GetSparseValues", config);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const qnn_abi::Tensor& sparse = graph->tensors()[0];
  EXPECT_EQ(sparse.version, 2);
  EXPECT_EQ(sparse.format, qnn_abi::kSparse);
  EXPECT_EQ(sparse.sparse.layout, qnn_abi::kHybridCoo);
  EXPECT_EQ(sparse.sparse.elements, 10);
  EXPECT_EQ(sparse.sparse.dimensions, 2);
  EXPECT_EQ(graph->tensors()[1].version, 1);
}

TEST(QnnGraph, SaysWhatCannotBeExpressed) {
  const auto reason = [](const std::string& tensor) {
    const Json config = Json::parse(R"({"inputs": [)" + tensor + R"(], "outputs": [], "params": {}})");
    const auto graph = QnnGraph::Parse("Relu", config);
    return graph.ok() ? "" : std::string(graph.status().message());
  };
  EXPECT_EQ(reason(R"({"name": "x", "dtype": "UINT_8", "shape": [1]})"), "");
  EXPECT_THAT(reason(R"({"dtype": "UINT_8", "shape": [1]})"), HasSubstr("key 'name' not found"));
  EXPECT_THAT(reason(R"({"name": "x", "dtype": "BFLOAT_16", "shape": [1]})"), HasSubstr("BFLOAT_16 cannot be asked"));
  EXPECT_THAT(reason(R"({"name": "x", "dtype": "UINT_9", "shape": [1]})"), HasSubstr("UINT_9 cannot be asked"));
  EXPECT_EQ(reason(R"({"name": "x", "dtype": "UINT_8", "shape": [-1]})"), "size -1 of x");
  EXPECT_EQ(reason(R"({"name": "x", "dtype": "UINT_8", "shape": [4294967295, 4294967295, 2]})"),
            "size 4294967295 of x");
  EXPECT_EQ(reason(R"({"name": "x", "dtype": "UINT_8", "shape": [4294967295, 2], "static": true})"), "x is too large");
  EXPECT_EQ(reason(R"({"name": "x", "dtype": "UINT_8", "shape": [2], "static": true, "data": [1]})"),
            "x has data for another shape");
  EXPECT_THAT(reason(R"({"name": "x", "dtype": "UFIXED_POINT_8", "shape": [2], "encoding": {"kind": "per_moon",
      "scale": 1, "zero_point": 0}})"),
              HasSubstr("unknown encoding per_moon"));
}

TEST(Element, Bytes) {
  const auto bytes = [](const char* type, std::vector<double> numbers) {
    return Encode(*ElementFromName(type), numbers);
  };
  EXPECT_THAT(bytes("INT_16", {-2, 258}), ElementsAre(0xfe, 0xff, 2, 1));
  EXPECT_THAT(bytes("FLOAT_16", {1, -0.5, 0, 1e9}), ElementsAre(0, 0x3c, 0, 0xb8, 0, 0, 0, 0x7c));
  EXPECT_THAT(bytes("FLOAT_32", {1}), ElementsAre(0, 0, 0x80, 0x3f));
  EXPECT_THAT(bytes("BOOL_8", {1}), ElementsAre(1));
  EXPECT_EQ(ElementFromName("SFIXED_POINT_32")->code, 0x332);
  EXPECT_EQ(ElementFromName("INT_64")->code, 0x64);
  // Within two bits.
  for (uint8_t byte : MadeUp(*ElementFromName("SFIXED_POINT_8"), 20, Json{{"bits", 2}})) {
    EXPECT_TRUE(byte == 0 || byte == 1 || byte == 0xff) << int{byte};
  }
}

}  // namespace
}  // namespace quantgate
