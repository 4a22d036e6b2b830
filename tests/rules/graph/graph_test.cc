// Graphs that cannot be built (every reference outside of its pool is named), and the facts a built one answers.
#include "rules/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "rules/graph/resolve.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;
using ::testing::HasSubstr;
using testing::SoundConv;

struct Damage {
  std::string field;  // named by the message
  std::function<void(v1::Graph&)> change;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.field; }

// SoundConv with one of everything that refers to something.
v1::Graph Whole() {
  GraphBuilder b = SoundConv();
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_observer(1);
  spec.mutable_shared_with()->set_value(1);
  spec.mutable_shared_with()->set_consumer(1);
  spec.add_derived_from()->set_value(1);
  spec.mutable_qparams()->add_axes(0);
  spec.mutable_qparams()->add_block_sizes(4);
  v1::Value& value = b.Value("x");
  value.set_spec(1);
  for (int i = 0; i < value.dims_size(); ++i) value.add_dim_symbols(0);
  value.add_users(1);
  value.set_captured(0);
  v1::Node& node = *b.graph.mutable_nodes(0);
  node.add_input_specs(1);
  for (int i = 0; i < node.inputs_size(); ++i) node.add_input_args(i);
  v1::InputSpec& entry = *node.add_input_spec_map();
  entry.set_value(1);
  entry.set_spec(1);
  b.Int(node, "number", 3);
  v1::Attribute& tensor = *node.add_attributes();
  tensor.set_name(b.Symbol("tensor"));
  tensor.set_tensor(1);
  v1::Attribute& body = *node.add_attributes();
  body.set_name(b.Symbol("body"));
  body.set_graph(1);
  node.mutable_source_line()->set_file(1);
  node.mutable_source_line()->set_scope(1);
  node.set_source_fn(1);
  b.graph.add_subgraphs();
  return b.graph;
}

class Damaged : public ::testing::TestWithParam<Damage> {};

TEST_P(Damaged, GraphIsRefusedByTheFieldsName) {
  const v1::Graph whole = Whole();
  ASSERT_TRUE(Graph::Build(whole).ok()) << Graph::Build(whole).status();
  v1::Graph graph = whole;
  GetParam().change(graph);
  const absl::Status status = Graph::Build(graph).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().field));
}

v1::Node& N(v1::Graph& g) { return *g.mutable_nodes(0); }
v1::Spec& S(v1::Graph& g) { return *g.mutable_specs(0); }
v1::Value& V(v1::Graph& g) { return *g.mutable_values(0); }
v1::Statistics& Statistics(v1::Graph& g) { return *V(g).mutable_constant()->mutable_statistics(); }

std::vector<Damage> Ids(int bad) {
  return {
      {"specs[0].observer", [bad](v1::Graph& g) { S(g).set_observer(bad); }},
      {"specs[0].shared_with.value", [bad](v1::Graph& g) { S(g).mutable_shared_with()->set_value(bad); }},
      {"specs[0].shared_with.consumer", [bad](v1::Graph& g) { S(g).mutable_shared_with()->set_consumer(bad); }},
      {"specs[0].derived_from.value", [bad](v1::Graph& g) { S(g).mutable_derived_from(0)->set_value(bad); }},
      {"specs[0].derived_from.consumer", [bad](v1::Graph& g) { S(g).mutable_derived_from(0)->set_consumer(bad); }},
      {"values[0].spec", [bad](v1::Graph& g) { V(g).set_spec(bad); }},
      {"values[0].dim_symbols", [bad](v1::Graph& g) { V(g).set_dim_symbols(0, bad); }},
      {"values[0].users", [bad](v1::Graph& g) { V(g).set_users(0, bad); }},
      {"nodes[0].op", [bad](v1::Graph& g) { N(g).set_op(bad); }},
      {"nodes[0].inputs", [bad](v1::Graph& g) { N(g).set_inputs(0, bad); }},
      {"nodes[0].outputs", [bad](v1::Graph& g) { N(g).set_outputs(0, bad); }},
      {"nodes[0].input_specs", [bad](v1::Graph& g) { N(g).set_input_specs(0, bad); }},
      {"nodes[0].input_spec_map.value", [bad](v1::Graph& g) { N(g).mutable_input_spec_map(0)->set_value(bad); }},
      {"nodes[0].input_spec_map.spec", [bad](v1::Graph& g) { N(g).mutable_input_spec_map(0)->set_spec(bad); }},
      {"nodes[0].source_fn", [bad](v1::Graph& g) { N(g).set_source_fn(bad); }},
      {"nodes[0].input_args", [bad](v1::Graph& g) { N(g).set_input_args(0, bad); }},
      {"nodes[0].attributes.name", [bad](v1::Graph& g) { N(g).mutable_attributes(0)->set_name(bad); }},
      {"nodes[0].attributes.tensor", [bad](v1::Graph& g) { N(g).mutable_attributes(1)->set_tensor(bad); }},
      {"nodes[0].attributes.graph", [bad](v1::Graph& g) { N(g).mutable_attributes(2)->set_graph(bad); }},
      {"nodes[0].source_line.file", [bad](v1::Graph& g) { N(g).mutable_source_line()->set_file(bad); }},
      {"nodes[0].source_line.scope", [bad](v1::Graph& g) { N(g).mutable_source_line()->set_scope(bad); }},
      {"inputs[0]", [bad](v1::Graph& g) { g.set_inputs(0, bad); }},
      {"outputs[0]", [bad](v1::Graph& g) { g.set_outputs(0, bad); }},
  };
}

INSTANTIATE_TEST_SUITE_P(TooLarge, Damaged, ::testing::ValuesIn(Ids(1'000'000)));
INSTANTIATE_TEST_SUITE_P(Negative, Damaged, ::testing::ValuesIn(Ids(-1)));
INSTANTIATE_TEST_SUITE_P(
    Counts, Damaged,
    ::testing::Values(
        Damage{"block_sizes must have one entry per axis",
               [](v1::Graph& g) { S(g).mutable_qparams()->add_block_sizes(4); }},
        Damage{"qparams.block_sizes: 0 is not positive",
               [](v1::Graph& g) { S(g).mutable_qparams()->set_block_sizes(0, 0); }},
        // Types that the contract does not have begin at 1024.
        Damage{"specs[0].dtype", [](v1::Graph& g) { S(g).set_dtype(static_cast<v1::DataType>(1023)); }},
        Damage{"specs[0].dtype", [](v1::Graph& g) { S(g).set_dtype(static_cast<v1::DataType>(-1)); }},
        Damage{"values[0].dtype", [](v1::Graph& g) { V(g).set_dtype(static_cast<v1::DataType>(1024)); }},
        Damage{"values[0].dim_symbols", [](v1::Graph& g) { V(g).add_dim_symbols(0); }},
        Damage{"values[0].dims: given although has_shape is false",
               [](v1::Graph& g) {
                 V(g).set_has_shape(false);
                 V(g).clear_dim_symbols();
               }},
        Damage{"specs[0].derived_from: 1025 edges; at most 1024",
               [](v1::Graph& g) {
                 while (S(g).derived_from_size() < 1025) S(g).add_derived_from()->set_value(1);
               }},
        Damage{"specs[0].observer: a name of 4097 bytes; at most 4096",
               [](v1::Graph& g) {
                 g.add_symbols(std::string(4097, 'O'));
                 S(g).set_observer(g.symbols_size());
               }},
        Damage{"values[0].constant.statistics: min is greater than max",
               [](v1::Graph& g) { Statistics(g).set_min(2); }},
        Damage{"values[0].constant.statistics: a negative count", [](v1::Graph& g) { Statistics(g).set_count(-1); }},
        Damage{"values[0].constant.statistics: more elements of one kind than elements",
               [](v1::Graph& g) { Statistics(g).set_zero_count(1); }},
        Damage{"values[0].constant.statistics: axis_min and axis_max differ in length",
               [](v1::Graph& g) { Statistics(g).add_axis_min(0); }},
        Damage{"values[0].captured", [](v1::Graph& g) { V(g).set_captured(-1); }},
        // 0 means "none" in other places; a map entry without key or spec, or a user that is none, means nothing.
        Damage{"values[0].users", [](v1::Graph& g) { V(g).set_users(0, 0); }},
        Damage{"input_spec_map.value", [](v1::Graph& g) { N(g).mutable_input_spec_map(0)->set_value(0); }},
        Damage{"input_spec_map.spec", [](v1::Graph& g) { N(g).mutable_input_spec_map(0)->set_spec(0); }},
        Damage{"attributes.graph", [](v1::Graph& g) { N(g).mutable_attributes(2)->set_graph(0); }},
        Damage{"outputs[0]", [](v1::Graph& g) { g.set_outputs(0, 0); }},
        Damage{"nodes[0].input_specs",
               [](v1::Graph& g) {
                 while (N(g).input_specs_size() <= N(g).inputs_size()) N(g).add_input_specs(0);
               }},
        Damage{"nodes[0].input_args", [](v1::Graph& g) { N(g).add_input_args(0); }}));

TEST(GraphTest, AttributesOfTheirKinds) {
  GraphBuilder b;
  v1::Node& node = b.Node("Relu", "n", {"x"}, {"y"});
  const auto add = [&](const std::string& name) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(name));
    return &attribute;
  };
  add("i")->set_i(-3);
  add("b")->set_b(true);
  add("off")->set_b(false);
  add("f")->set_f(0.5);
  add("s")->set_s("text");
  const Graph graph = *Graph::Build(b.graph);
  EXPECT_EQ(graph.int_attribute(0, "i", 7), -3);
  EXPECT_EQ(graph.int_attribute(0, "b", 7), 1);
  EXPECT_EQ(graph.int_attribute(0, "off", 7), 0);
  EXPECT_EQ(graph.int_attribute(0, "f", 7), 7);
  EXPECT_EQ(graph.int_attribute(0, "absent", 7), 7);
  EXPECT_EQ(graph.float_attribute(0, "f", 7), 0.5);
  EXPECT_EQ(graph.float_attribute(0, "i", 7), -3);
  EXPECT_EQ(graph.float_attribute(0, "s", 7), 7);
  EXPECT_EQ(graph.float_attribute(0, "absent", 7), 7);
  EXPECT_EQ(graph.symbol(0), "");
  EXPECT_EQ(graph.symbol(1000), "");
}

// ---- Stored forms, from every way of stating them ----

Operand QuantizerNamed(const v1::Graph& message, const std::string& name, double* scale = nullptr) {
  const Graph graph = *Graph::Build(message);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.node(node).name() != name) continue;
    const Operand operand = *resolved.quantizer(node);
    const QuantParams* qparams = resolved.qparams(operand);
    if (scale != nullptr) *scale = qparams->scales.empty() ? -1 : qparams->scales[0];
    return operand;
  }
  ADD_FAILURE() << "no node " << name;
  return {};
}

TEST(ResolveTest, TypeOfAQuantizedTensor) {
  // Stated by the zero point; by nothing, which is uint8 in ONNX; by the Quantize in front of a Dequantize.
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
  b.Reals("s", {0.1});
  b.Ints("z", v1::DATA_TYPE_INT16, {0});
  b.Node("QuantizeLinear", "by_zero_point", {"x", "s", "z"}, {"q0"});
  b.Node("DequantizeLinear", "behind", {"q0", "s"}, {"d0"});
  b.Node("QuantizeLinear", "by_default", {"x", "s"}, {"q1"});
  b.Output("d0");
  b.Output("q1");
  EXPECT_EQ(QuantizerNamed(b.graph, "by_zero_point").type, v1::DATA_TYPE_INT16);
  EXPECT_EQ(QuantizerNamed(b.graph, "behind").type, v1::DATA_TYPE_INT16);
  EXPECT_EQ(QuantizerNamed(b.graph, "by_default").type, v1::DATA_TYPE_UINT8);
}

TEST(ResolveTest, NumbersOfTorchQuantizersAreAttributes) {
  GraphBuilder b(v1::Graph::PT2E);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
  v1::Node& node = b.Node("quantized_decomposed.quantize_per_tensor.default", "q", {"x"}, {"y"});
  v1::Attribute& scale = *node.add_attributes();
  scale.set_name(b.Symbol("scale"));
  scale.set_f(0.25);
  b.Int(node, "zero_point", 3);
  b.Int(node, "quant_min", -8);
  b.Int(node, "quant_max", 7);
  v1::Attribute& type = *node.add_attributes();
  type.set_name(b.Symbol("dtype"));
  type.set_dtype(v1::DATA_TYPE_INT8);
  b.Output("y");
  double found = 0;
  const Operand operand = QuantizerNamed(b.graph, "q", &found);
  EXPECT_EQ(operand.type, v1::DATA_TYPE_INT8);
  EXPECT_EQ(EffectiveBits(operand), 4);
  EXPECT_EQ(found, 0.25);
}

// Scales that are computed: PyTorch's names say what they are for, ONNX's operator leaves it to their shape.
TEST(ResolveTest, GranularityOfScalesThatAreNotKnown) {
  enum Granularity { kPerTensor, kPerAxis };
  const auto granularity = [](v1::Graph::Origin origin, const char* op, const std::vector<int64_t>* shape) {
    GraphBuilder b(origin);
    b.Input("x", v1::DATA_TYPE_FLOAT32, {4, 4});
    b.graph.add_inputs(b.Id("s"));
    b.graph.add_inputs(b.Id("z"));
    if (shape != nullptr) b.Shape("s", v1::DATA_TYPE_FLOAT32, *shape);
    b.Int(b.Node(op, "q", {"x", "s", "z"}, {"y"}), "axis", 0);
    b.Output("y");
    const auto graph = Graph::Build(b.graph);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
    return resolved.qparams(*resolved.quantizer(0))->per_tensor() ? kPerTensor : kPerAxis;
  };
  const std::vector<int64_t> one, four = {4};
  const std::string torch = "quantized_decomposed.quantize_";
  EXPECT_EQ(granularity(v1::Graph::PT2E, (torch + "per_tensor.tensor").c_str(), nullptr), kPerTensor);
  EXPECT_EQ(granularity(v1::Graph::PT2E, (torch + "per_channel.default").c_str(), nullptr), kPerAxis);
  EXPECT_EQ(granularity(v1::Graph::ONNX, "QuantizeLinear", &one), kPerTensor);
  EXPECT_EQ(granularity(v1::Graph::ONNX, "QuantizeLinear", &four), kPerAxis);
}

// One scale in a vector is that of the tensor in ONNX, and that of its only channel where the name says so.
TEST(ResolveTest, GranularityOfOneScale) {
  const auto per_tensor = [](v1::Graph::Origin origin, const std::string& op) {
    GraphBuilder b(origin);
    b.Input("x", v1::DATA_TYPE_FLOAT32, {4, 1});
    b.Reals("s", {0.1}, /*scalar=*/false);
    b.Ints("z", v1::DATA_TYPE_INT8, {0}, /*scalar=*/false);
    b.Int(b.Node(op, "q", {"x", "s", "z"}, {"y"}), "axis", 1);
    b.Output("y");
    const auto graph = Graph::Build(b.graph);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
    return resolved.qparams(*resolved.quantizer(0))->per_tensor();
  };
  EXPECT_FALSE(per_tensor(v1::Graph::PT2E, "quantized_decomposed.quantize_per_channel.default"));
  EXPECT_TRUE(per_tensor(v1::Graph::PT2E, "quantized_decomposed.quantize_per_tensor.tensor"));
  EXPECT_TRUE(per_tensor(v1::Graph::ONNX, "QuantizeLinear"));
}

TEST(ResolveTest, QuantizerWithoutOutputsOrInputs) {
  GraphBuilder b;
  b.Node("QuantizeLinear", "q", {}, {});
  b.Node("DequantizeLinear", "d", {}, {});
  EXPECT_EQ(QuantizerNamed(b.graph, "q").edge_value, -1);
  EXPECT_EQ(QuantizerNamed(b.graph, "d").edge_value, -1);
}

// Per-channel scales of integer operators lie along the outputs of the weight.
TEST(ResolveTest, ChannelAxisOfIntegerOperators) {
  struct AxisCase {
    const char* op;
    std::vector<const char*> inputs;
    bool transposed;
    int axis;
  };
  const std::vector<AxisCase> cases = {
      {"QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, false, 0},
      {"QLinearMatMul", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, false, 1},
      {"com.microsoft::QGemm", {"x", "xs", "xz", "w", "ws", "wz", "", "ys", "yz"}, false, 1},
      {"com.microsoft::QGemm", {"x", "xs", "xz", "w", "ws", "wz", "", "ys", "yz"}, true, 0},
      {"com.microsoft::QAttention", {"x", "w", "bias", "xs", "ws", "", "xz", "wz"}, false, 1},
  };
  for (const AxisCase& c : cases) {
    GraphBuilder b;
    b.Input("x", v1::DATA_TYPE_UINT8, {2, 4});
    b.Weight("w", v1::DATA_TYPE_INT8, {4, 4}, 16);
    for (const char* scale : {"xs", "ys"}) b.Reals(scale, {0.1});
    b.Reals("ws", {0.1, 0.2, 0.3, 0.4});
    for (const char* zero : {"xz", "yz"}) b.Ints(zero, v1::DATA_TYPE_UINT8, {0});
    b.Ints("wz", v1::DATA_TYPE_INT8, {0, 0, 0, 0});
    v1::Node& node = b.Node(c.op, "n", std::vector<std::string>(c.inputs.begin(), c.inputs.end()), {"y"});
    if (c.transposed) b.Int(node, "transB", 1);
    b.Output("y");
    const Graph graph = *Graph::Build(b.graph);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
    const Operand* weight = resolved.input(resolved.ops()[0], 1);
    ASSERT_NE(weight, nullptr);
    EXPECT_THAT(resolved.qparams(*weight)->axes, ::testing::ElementsAre(c.axis)) << c.op;
    EXPECT_EQ(resolved.input(resolved.ops()[0], 9), nullptr);
  }
}

// [directions, inputs, channels]: a scale for each channel of each direction, or one for each direction.
TEST(ResolveTest, ScalesOfLstmWeights) {
  for (const size_t scales : {size_t{8}, size_t{2}}) {
    GraphBuilder b;
    b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 1, 3});
    b.Weight("w", v1::DATA_TYPE_INT8, {2, 3, 4}, 24);
    b.Weight("r", v1::DATA_TYPE_INT8, {2, 1, 4}, 8);
    b.Reals("s", std::vector<double>(scales, 0.1), /*scalar=*/false);
    b.Node("com.microsoft::DynamicQuantizeLSTM", "n", {"x", "w", "r", "", "", "", "", "", "s", "", "s"}, {"y"});
    b.Output("y");
    const Graph graph = *Graph::Build(b.graph);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
    const QuantParams* params = resolved.qparams(*resolved.input(resolved.ops()[0], 1));
    ASSERT_NE(params, nullptr);
    if (scales == 8) {
      EXPECT_THAT(params->axes, ::testing::ElementsAre(0, 2));
    } else {
      EXPECT_THAT(params->axes, ::testing::ElementsAre(0));
    }
  }
}

// Two numbers in a byte: blocks of 16 of them are 8 bytes.
TEST(ResolveTest, BlocksOfPackedBytes) {
  GraphBuilder b;
  b.Weight("data", v1::DATA_TYPE_UINT8, {6, 16}, 96);
  b.Input("ids", v1::DATA_TYPE_INT64, {2});
  b.Weight("s", v1::DATA_TYPE_FLOAT32, {6, 2}, 48);
  v1::Node& node = b.Node("com.microsoft::GatherBlockQuantized", "n", {"data", "ids", "s"}, {"y"});
  b.Int(node, "block_size", 16);
  b.Output("y");
  const Graph graph = *Graph::Build(b.graph);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  const Operand* data = resolved.input(resolved.ops()[0], 0);
  ASSERT_NE(data, nullptr);
  EXPECT_THAT(resolved.qparams(*data)->block_sizes, ::testing::ElementsAre(1, 8));
}

}  // namespace
}  // namespace quantgate
