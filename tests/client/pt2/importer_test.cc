// What of an exported program becomes what of a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "client/error.h"
#include "client/pt2/pt2_importer.h"
#include "tests/client/onnx/model.h"
#include "tests/client/pt2/archive.h"

namespace quantgate {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsNan;

v1::Graph Imported(const Program& program) {
  absl::StatusOr<v1::Graph> graph = ImportPt2(program.Bytes(), {});
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : v1::Graph();
}

constexpr int kChar = 2;
constexpr int kLong = 5;
constexpr int kFloat = 7;

// y = linear(dequantize_per_channel(w, scales, zero points, axis 0), x).
Program Linear() {
  Program p;
  p.inputs = absl::StrJoin({Tensor("p_w"), Tensor("b_scale"), Tensor("b_zero"), Tensor("x")}, ",");
  p.outputs = Tensor("linear");
  p.specs = absl::StrCat(Parameter("p_w", "w"), R"(,
      {"buffer": {"arg": {"name": "b_scale"}, "buffer_name": "scale", "persistent": true}},
      {"buffer": {"arg": {"name": "b_zero"}, "buffer_name": "zero", "persistent": true}},
      {"user_input": {"arg": {"as_tensor": {"name": "x"}}}})");
  p.nodes = absl::StrCat(
      NodeJson("torch.ops.quantized_decomposed.dequantize_per_channel.default",
               absl::StrJoin(
                   {Argument("input", Tensor("p_w")), Argument("scales", Tensor("b_scale")),
                    Argument("zero_points", Tensor("b_zero")), Argument("axis", R"({"as_int": 0})"),
                    Argument("quant_min", R"({"as_int": -127})"), Argument("quant_max", R"({"as_int": 127})"),
                    Argument("dtype", R"({"as_scalar_type": 2})"), Argument("out_dtype", R"({"as_none": true})", 2)},
                   ","),
               Tensor("w_dq"), "w_dq"),
      ",",
      NodeJson("torch.ops.aten.linear.default",
               absl::StrCat(Argument("input", Tensor("x")), ",", Argument("weight", Tensor("w_dq"))), Tensor("linear"),
               "linear", R"("stack_trace": "  File \"a.py\", line 1, in f\n  File \"b.py\", line 22, in g\n    y",
                           "nn_module_stack": "L__self__,,T;L__self__fc,block.fc,torch.nn.Linear")"));
  p.tensors = absl::StrCat("\"p_w\": ", MetaJson(kChar, {2, 3}), ", \"b_scale\": ", MetaJson(kFloat, {2}),
                           ", \"b_zero\": ", MetaJson(kLong, {2}), ", \"x\": ", MetaJson(kFloat, {1, 3}),
                           ", \"w_dq\": ", MetaJson(kFloat, {2, 3}), ", \"linear\": ", MetaJson(kFloat, {1, 2}));
  p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(kChar, {2, 3})),
                           ", \"scale\": ", Payload("weight_1", MetaJson(kFloat, {2})),
                           ", \"zero\": ", Payload("weight_2", MetaJson(kLong, {2})));
  p.members = {{"weight_0", Raw<int8_t>({1, -2, 3, 40, 50, -60})},
               {"weight_1", Raw<float>({0.5F, 0.25F})},
               {"weight_2", Raw<int64_t>({0, 0})}};
  return p;
}

TEST(Pt2Importer, NodesValuesAndConstants) {
  const v1::Graph graph = Imported(Linear());
  EXPECT_EQ(graph.origin(), v1::Graph::PT2E);
  EXPECT_EQ(graph.stage(), v1::STAGE_CONVERTED);
  EXPECT_EQ(graph.producer(), "pytorch 2.13.0");
  EXPECT_EQ(graph.format_version(), 8);
  EXPECT_EQ(graph.opset_imports(0).domain(), "aten");
  std::vector<std::string> names;
  for (const v1::Value& value : graph.values()) names.push_back(value.name());
  EXPECT_THAT(names, ElementsAre("p_w", "b_scale", "b_zero", "x", "w_dq", "linear"));
  EXPECT_THAT(graph.inputs(), ElementsAre(4));
  EXPECT_THAT(graph.outputs(), ElementsAre(6));

  const v1::Node& dequantize = graph.nodes(0);
  EXPECT_EQ(SymbolOf(graph, dequantize.op()), "quantized_decomposed.dequantize_per_channel.default");
  EXPECT_THAT(dequantize.inputs(), ElementsAre(1, 2, 3));
  EXPECT_THAT(dequantize.outputs(), ElementsAre(5));
  EXPECT_EQ(dequantize.attributes_size(), 4);  // an absent argument is none
  EXPECT_EQ(AttributeNamed(graph, dequantize, "quant_min")->i(), -127);
  EXPECT_EQ(AttributeNamed(graph, dequantize, "dtype")->dtype(), v1::DATA_TYPE_INT8);

  const v1::Node& linear = graph.nodes(1);
  EXPECT_EQ(linear.name(), "linear");
  EXPECT_EQ(SymbolOf(graph, linear.source_line().file()), "b.py");
  EXPECT_EQ(linear.source_line().line(), 22);
  EXPECT_EQ(SymbolOf(graph, linear.source_line().scope()), "block.fc");

  const v1::Value& w = ValueNamed(graph, "p_w");
  EXPECT_EQ(w.dtype(), v1::DATA_TYPE_INT8);
  EXPECT_THAT(w.dims(), ElementsAre(2, 3));
  EXPECT_EQ(w.constant().stored_bytes(), 6);
  EXPECT_EQ(w.constant().external().location(), "m/data/weights/weight_0");
  EXPECT_THAT(w.constant().ints(), ElementsAre());  // weights stay with the client
  EXPECT_EQ(w.constant().statistics().axis(), 0);
  EXPECT_THAT(w.constant().statistics().axis_min(), ElementsAre(-2, -60));
  EXPECT_THAT(w.constant().statistics().axis_max(), ElementsAre(3, 50));
  EXPECT_THAT(ValueNamed(graph, "b_scale").constant().reals(), ElementsAre(0.5, 0.25));
  EXPECT_THAT(ValueNamed(graph, "b_zero").constant().ints(), ElementsAre(0, 0));
}

// Two parameters that share a storage, one of them transposed.
TEST(Pt2Importer, ViewsOfOneStorage) {
  Program p = Linear();
  p.inputs = absl::StrJoin({Tensor("p_w"), Tensor("p_t"), Tensor("x")}, ",");
  p.specs = absl::StrCat(Parameter("p_w", "w"), ",", Parameter("p_t", "t"), ",", UserInput("x"));
  p.nodes = "";
  p.outputs = "";
  absl::StrAppend(&p.tensors, ", \"p_t\": ", MetaJson(kChar, {2}));
  p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(kChar, {2, 3}, {1, 2})),
                           ", \"t\": ", Payload("weight_0", MetaJson(kChar, {2}, {3}, 1)));
  const v1::Graph graph = Imported(p);
  // Read down the columns of [[1, -2], [3, 40], [50, -60]].
  const v1::Constant& w = ValueNamed(graph, "p_w").constant();
  EXPECT_EQ(w.statistics().min(), -60);
  EXPECT_EQ(w.statistics().min_index(), 5);
  EXPECT_EQ(w.statistics().max_index(), 2);
  EXPECT_THAT(ValueNamed(graph, "p_t").constant().ints(), ElementsAre(-2, 50));
  EXPECT_EQ(ValueNamed(graph, "p_t").constant().stored_bytes(), 2);
}

TEST(Pt2Importer, WhatIsWrongWithPayloadsIsAFact) {
  Program p = Linear();
  p.members.erase("weight_0");
  p.members["weight_1"].resize(7);
  v1::Graph graph = Imported(p);
  EXPECT_EQ(ValueNamed(graph, "p_w").constant().external().status(), v1::ExternalData::MISSING);
  EXPECT_EQ(ValueNamed(graph, "p_w").constant().stored_bytes(), -1);
  EXPECT_EQ(ValueNamed(graph, "b_scale").constant().stored_bytes(), 7);
  // Never unpickled, and nothing is claimed.
  p.members["weight_1"] = "PK\x03\x04";
  p.weights = absl::StrCat("\"w\": ", Payload("weight_1", MetaJson(kChar, {2, 3}), true));
  graph = Imported(p);
  EXPECT_EQ(ValueNamed(graph, "p_w").constant().external().status(), v1::ExternalData::READ);
  EXPECT_EQ(ValueNamed(graph, "p_w").constant().stored_bytes(), -1);
  EXPECT_EQ(ValueNamed(graph, "b_scale").constant().external().status(), v1::ExternalData::MISSING);
}

// torch.load is what reads them.
TEST(Pt2Importer, PicklesThatAreNone) {
  const auto status = [](const std::string& bytes) {
    Program p = Linear();
    p.members["weight_0"] = bytes;
    p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(kChar, {2, 3}), true));
    return ImportPt2(p.Bytes(), {}).status();
  };
  for (const char* bytes : {"PK\x03\x04 and more", "\x80\x02\x8a", "L119547037146038801333356L\n."}) {
    EXPECT_TRUE(status(bytes).ok()) << bytes;
  }
  for (const char* bytes : {"", "P", "PK\x03", "\x01\x02\x03\x04\x05\x06", "L1"}) {
    EXPECT_EQ(ErrorCode(status(bytes)), "FI001") << bytes;
  }
  EXPECT_TRUE(absl::StrContains(status("raw").message(), "m/data/weights/weight_0: is said to be pickled"));
}

TEST(Pt2Importer, ListsOfPayloadsThatAreMissing) {
  for (const std::string kind : {"weights", "constants"}) {
    const std::string folder = absl::StrCat("m/data/", kind, "/");
    Members members = Linear().Files();
    members.erase(absl::StrCat(folder, "model_", kind, "_config.json"));
    const absl::Status status = ImportPt2(Zip(members), {}).status();
    EXPECT_EQ(ErrorCode(status), "FI001");
    EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat(folder, "model_", kind, "_config.json: is missing")))
        << status;
    // PyTorch 2.8 pickles them all together: nothing is claimed of any.
    members[absl::StrCat(folder, "model.pt")] = "PK\x03\x04";
    const absl::StatusOr<v1::Graph> graph = ImportPt2(Zip(members), {});
    ASSERT_TRUE(graph.ok()) << graph.status();
    if (kind == "constants") continue;
    EXPECT_EQ(ValueNamed(*graph, "p_w").constant().external().status(), v1::ExternalData::READ);
    EXPECT_EQ(ValueNamed(*graph, "p_w").constant().external().location(), "m/data/weights/model.pt");
    EXPECT_EQ(ValueNamed(*graph, "p_w").constant().stored_bytes(), -1);
  }
}

TEST(Pt2Importer, PayloadsThatContradictTheGraph) {
  Program p = Linear();
  p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(1, {2, 3})));
  const absl::Status status = ImportPt2(p.Bytes(), {}).status();
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_EQ(
      status.message(),
      "m/models/model.json: m/data/weights/weight_0: holds UINT8 [2, 3], and 'p_w' of the graph, which it is for, "
      "is INT8 [2, 3]");
}

// Along a single element a stride may be anything; sanitizers see it added.
TEST(Pt2Importer, AStrideAlongOneElementIsNeverTaken) {
  Program p = Linear();
  p.tensors = absl::StrReplaceAll(p.tensors, {{MetaJson(kChar, {2, 3}), MetaJson(kChar, {1, 2, 3})}});
  p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(kChar, {1, 2, 3}, {INT64_MAX, 3, 1}, 1)));
  p.members["weight_0"].resize(7);
  const absl::StatusOr<v1::Graph> graph = ImportPt2(p.Bytes(), {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValueNamed(*graph, "p_w").constant().statistics().count(), 6);
}

// torch refuses them too.
TEST(Pt2Importer, PayloadsOfNoType) {
  for (const int dtype : {99, -4, 3}) {  // int16: not in whole elements, where there is one byte
    Program p = Linear();
    p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(dtype, {2, 3})));
    if (dtype == 3) p.members["weight_0"].resize(5);
    const absl::StatusOr<v1::Graph> graph = ImportPt2(p.Bytes(), {});
    if (dtype == 3) {
      ASSERT_TRUE(graph.ok());
      EXPECT_EQ(ValueNamed(*graph, "p_w").constant().stored_bytes(), 5);  // said by tensor-size
    } else {
      EXPECT_EQ(ErrorCode(graph.status()), "FI001") << dtype;
    }
  }
  Program p = Linear();
  p.weights = absl::StrCat("\"w\": ", Payload("weight_0", MetaJson(kChar, {2, 3}, {3, 1, 1})));
  EXPECT_TRUE(absl::StrContains(ImportPt2(p.Bytes(), {}).status().message(), "'w' has 2 sizes and 3 strides"));
}

TEST(Pt2Importer, DeclarationsThatLackSomething) {
  const auto message = [](Program p) { return std::string(ImportPt2(p.Bytes(), {}).status().message()); };
  for (const auto& [meta, said] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "tensor 'more' has no dtype"},
           {R"({"dtype": 7})", "tensor 'more' has no sizes"},
           {MetaJson(7, {2, -1}), "tensor 'more' has a negative size"},
           {R"({"dtype": 7, "sizes": [2]})", "tensor 'more' has a size that is no integer and no expression"},
           {R"({"dtype": 7, "sizes": [{"as_int": 2.5}]})", "tensor 'more' has a size that is no integer"},
           {R"({"dtype": 7, "sizes": [{"as_expr": "s0"}]})", "tensor 'more' has a size that is no integer"},
           {R"({"dtype": 7, "sizes": [{"as_expr": {"expr_str": "s0"}}]})", ""}}) {
    Program p = Linear();
    absl::StrAppend(&p.tensors, ", \"more\": ", meta);
    EXPECT_TRUE(said.empty() ? message(p).empty() : absl::StrContains(message(p), said)) << message(p);
  }
  Program p = Linear();
  absl::StrAppend(&p.specs, ", null");
  EXPECT_TRUE(absl::StrContains(message(p), "its signature has one of no kind in input_specs")) << message(p);
}

TEST(Pt2Importer, NodesWithoutResults) {
  const auto code = [](const std::string& target, const std::string& outputs) {
    Program p = Linear();
    absl::StrAppend(&p.nodes, ", ", NodeJson(target, "", outputs, "last"));
    return ErrorCode(ImportPt2(p.Bytes(), {}).status());
  };
  EXPECT_EQ(code("torch.ops.quantized_decomposed.quantize_per_tensor.default", ""), "FI001");
  EXPECT_EQ(code("torch.ops.aten._assert_async.msg", ""), "OK");
  EXPECT_EQ(code("torch.ops.aten.relu.default", "{}"), "FI001");
  EXPECT_EQ(code("torch.ops.aten.relu.default", R"({"as_tensor": {}})"), "FI001");
}

// A node without a result makes nothing that others can read, whatever the graph declares under its name.
TEST(Pt2Importer, NobodyReadsWhatIsNoResult) {
  Program p = Linear();
  absl::StrAppend(&p.nodes, ", ", NodeJson("torch.ops.aten.relu.default", Argument("self", Tensor("x")), "", "none"),
                  ", ", NodeJson("torch.ops.aten.relu.default", Argument("self", Tensor("none")), Tensor("y"), "y"));
  absl::StrAppend(&p.tensors, ", \"none\": ", MetaJson(7, {2}), ", \"y\": ", MetaJson(7, {2}));
  const v1::Graph graph = Imported(p);
  const v1::Node& reader = NodeNamed(graph, "y");
  ASSERT_EQ(reader.inputs_size(), 1);
  EXPECT_EQ(graph.values(reader.inputs(0) - 1).name(), "none");
  EXPECT_NE(NodeNamed(graph, "none").outputs(0), reader.inputs(0));
}

// As in torch.fx: one value for the tuple, and a node for each result.
// The bytes are those that the graph asks for, and the payload says that they are others.
TEST(Pt2Importer, LayoutsThatContradictTheBytes) {
  for (const std::string& meta : {MetaJson(kChar, {2, 300}), MetaJson(kChar, {2, -3}),
                                  MetaJson(kChar, {2, 3}, {900, 1}), MetaJson(kChar, {2, 3}, {3, 1}, 4)}) {
    Program p = Linear();
    p.weights = absl::StrCat("\"w\": ", Payload("weight_0", meta));
    const absl::Status status = ImportPt2(p.Bytes(), {}).status();
    EXPECT_EQ(ErrorCode(status), "FI001") << meta;
    EXPECT_TRUE(
        absl::StrContains(status.message(), "m/data/weights/weight_0: has 6 bytes, and the payload of 'p_w' is"));
  }
  // Longer members hold views of one storage, but only whole elements.
  Program p = Linear();
  p.members["weight_0"].resize(9);
  p.members["weight_1"].resize(9);
  const v1::Graph graph = Imported(p);
  EXPECT_EQ(ValueNamed(graph, "p_w").constant().stored_bytes(), 6);
  EXPECT_EQ(ValueNamed(graph, "b_scale").constant().stored_bytes(), 9);
}

// ExecuTorch goes by it; of other operators it is left out.
TEST(Pt2Importer, WhatTheSourceCalls) {
  const auto source = [](const std::string& target, const std::string& metadata) {
    Program p = Linear();
    absl::StrAppend(&p.nodes, ",", NodeJson(target, Argument("self", Tensor("x")), Tensor("last"), "last", metadata));
    const v1::Graph graph = Imported(p);
    const int32_t id = graph.nodes(2).source_fn();
    return id == 0 ? "" : SymbolOf(graph, id);
  };
  const std::string max = "torch.ops.aten.max.dim";
  EXPECT_EQ(source(max, R"("source_fn_stack": "max_1,torch.max", "torch_fn": "max_1;a.max")"), "torch.max");
  EXPECT_EQ(source(max, R"("source_fn_stack": "f,torch.f;max_1,max")"), "max");
  EXPECT_EQ(source("torch.ops.aten.min.dim", R"("torch_fn": "min_1;method_descriptor.min")"), "method_descriptor.min");
  EXPECT_EQ(source(max, ""), "");
  EXPECT_EQ(source("torch.ops.aten.adaptive_avg_pool1d.default", R"("source_fn_stack": "pool,torch.nn.modules.Pool")"),
            "torch.nn.modules.Pool");
  EXPECT_EQ(source("torch.ops.aten.amax.default", R"("source_fn_stack": "amax,torch.amax")"), "");
}

TEST(Pt2Importer, SeveralResults) {
  Program p = Linear();
  p.nodes = absl::StrCat(
      NodeJson("torch.ops.aten.split.Tensor", Argument("self", Tensor("x")),
               R"({"as_tensors": [{"name": "getitem"}, {"name": "getitem_1"}]})", "split"),
      ",",
      NodeJson("torch.ops.aten.topk.default", Argument("self", Tensor("getitem_1")),
               absl::StrCat(Tensor("values"), ",", Tensor("indices")), "topk"),
      ",", NodeJson("torch.ops.aten._assert_tensor_metadata.default", Argument("a", Tensor("values")), "", "check"));
  p.outputs = Tensor("values");
  for (const char* name : {"getitem", "getitem_1", "values", "indices"}) {
    absl::StrAppend(&p.tensors, ", \"", name, "\": ", MetaJson(kFloat, {1}));
  }
  const v1::Graph graph = Imported(p);
  std::vector<std::string> nodes;
  for (const v1::Node& node : graph.nodes()) nodes.push_back(node.name() + " " + SymbolOf(graph, node.op()));
  EXPECT_THAT(nodes, ElementsAre("split aten.split.Tensor", "getitem operator.getitem", "getitem_1 operator.getitem",
                                 "topk aten.topk.default", "values operator.getitem", "indices operator.getitem",
                                 "check aten._assert_tensor_metadata.default"));
  const v1::Node& second = NodeNamed(graph, "getitem_1");
  EXPECT_EQ(graph.values(second.inputs(0) - 1).name(), "split");
  EXPECT_EQ(AttributeNamed(graph, second, "index")->i(), 1);
  EXPECT_EQ(NodeNamed(graph, "topk").inputs(0), second.outputs(0));
  EXPECT_FALSE(ValueNamed(graph, "split").has_shape());
}

TEST(Pt2Importer, BodiesOfControlFlow) {
  const auto body = [](const std::string& op) {
    Program b;
    b.inputs = Tensor("arg0");
    b.outputs = Tensor(op);
    b.nodes =
        NodeJson(absl::StrCat("torch.ops.aten.", op, ".default"), Argument("self", Tensor("arg0")), Tensor(op), op);
    b.tensors = absl::StrCat("\"arg0\": ", MetaJson(kFloat, {1, 3}), ", \"", op, "\": ", MetaJson(kFloat, {1, 3}));
    return absl::StrCat(R"({"as_graph": {"name": ")", op, R"(_graph_0", "graph": )", b.Graph(), "}}");
  };
  Program p = Linear();
  p.nodes = NodeJson("torch.ops.higher_order.cond",
                     absl::StrJoin({Argument("", Tensor("b_zero")), Argument("", body("relu")),
                                    Argument("", body("tanh")), Argument("", R"({"as_tensors": [{"name": "x"}]})")},
                                   ","),
                     R"({"as_tensors": [{"name": "getitem"}]})", "cond");
  absl::StrAppend(&p.tensors, ", \"getitem\": ", MetaJson(kFloat, {1, 3}));
  p.outputs = Tensor("getitem");
  const v1::Graph graph = Imported(p);
  ASSERT_EQ(graph.subgraphs_size(), 2);
  EXPECT_EQ(graph.subgraphs(0).name(), "relu_graph_0");
  EXPECT_EQ(SymbolOf(graph.subgraphs(1), graph.subgraphs(1).nodes(0).op()), "aten.tanh.default");
  const v1::Node& cond = graph.nodes(0);
  EXPECT_EQ(SymbolOf(graph, cond.op()), "higher_order.cond");
  EXPECT_EQ(AttributeNamed(graph, cond, "tanh_graph_0")->graph(), 2);
  EXPECT_THAT(cond.input_args(), ElementsAre(0, 3));
  EXPECT_EQ(graph.nodes(1).name(), "getitem");
}

TEST(Pt2Importer, SizesKnownAtRunTime) {
  Program p = Linear();
  p.nodes =
      absl::StrCat(NodeJson("torch.ops.aten.sym_size.int",
                            absl::StrCat(Argument("self", Tensor("x")), ",", Argument("dim", R"({"as_int": 0})")),
                            R"({"as_sym_int": {"as_name": "sym"}})", "sym"),
                   ",",
                   NodeJson("_operator.mul",
                            absl::StrCat(Argument("", R"({"as_sym_int": {"as_name": "sym"}})"), ",",
                                         Argument("", R"({"as_sym_int": {"as_int": 2}})")),
                            R"({"as_sym_int": {"as_name": "mul"}})", "mul"),
                   ",",
                   NodeJson("torch.ops.aten.view.default",
                            absl::StrCat(Argument("self", Tensor("x")), ",",
                                         Argument("size", R"({"as_sym_ints": [{"as_name": "mul"}, {"as_int": 3}]})")),
                            Tensor("linear"), "view"));
  const std::string symbolic =
      R"json({"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('s77', positive=True, integer=True)",
              "hint": {"as_int": 2}}}, {"as_int": 3}], "strides": [], "layout": 7})json";
  p.tensors = absl::StrCat("\"x\": ", symbolic, ", \"linear\": ", symbolic);
  const v1::Graph graph = Imported(p);
  const v1::Value& x = ValueNamed(graph, "x");
  EXPECT_THAT(x.dims(), ElementsAre(-1, 3));
  EXPECT_EQ(SymbolOf(graph, x.dim_symbols(0)), "s77");
  EXPECT_EQ(x.dim_symbols(1), 0);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(1).op()), "operator.mul");
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(1), "arg1")->i(), 2);
  const v1::Node& view = graph.nodes(2);
  EXPECT_EQ(view.inputs_size(), 2);
  EXPECT_THAT(AttributeNamed(graph, view, "size")->ints().values(), ElementsAre(-1, 3));
}

TEST(Pt2Importer, NumbersAreExact) {
  Program p = Linear();
  p.nodes =
      NodeJson("torch.ops.aten.to.dtype_layout",
               absl::StrJoin({Argument("zero", R"({"as_float": 0e212})"), Argument("tiny", R"({"as_float": 5e-324})"),
                              Argument("large", R"({"as_int": 9223372036854775807})"),
                              Argument("least", R"({"as_int": -9223372036854775808})")},
                             ","),
               Tensor("linear"), "to");
  const v1::Graph graph = Imported(p);
  const v1::Node& node = graph.nodes(0);
  EXPECT_EQ(AttributeNamed(graph, node, "zero")->f(), 0);
  EXPECT_EQ(AttributeNamed(graph, node, "tiny")->f(), 5e-324);
  EXPECT_EQ(AttributeNamed(graph, node, "large")->i(), INT64_MAX);
  EXPECT_EQ(AttributeNamed(graph, node, "least")->i(), INT64_MIN);
}

TEST(Pt2Importer, KindsOfArguments) {
  Program p = Linear();
  p.nodes = NodeJson(
      "torch.ops.aten.to.dtype_layout",
      absl::StrJoin({Argument("self", R"({"as_optional_tensors": [{"as_tensor": {"name": "x"}}, {"as_none": true}]})"),
                     Argument("nan", R"({"as_float": "NaN"})"), Argument("inf", R"({"as_float": "-Infinity"})"),
                     Argument("layout", R"({"as_layout": 7})"), Argument("format", R"({"as_memory_format": 2})"),
                     Argument("device", R"({"as_device": {"type": "cuda", "index": 1}})"),
                     Argument("flag", R"({"as_bool": true})"), Argument("list", R"({"as_ints": [1, 2]})"),
                     Argument("floats", R"({"as_floats": [0.5, "Infinity"]})"),
                     Argument("words", R"({"as_strings": ["a", "b"]})"), Argument("later", R"({"as_later": {}})")},
                    ","),
      Tensor("linear"), "to");
  const v1::Graph graph = Imported(p);
  const v1::Node& node = graph.nodes(0);
  EXPECT_THAT(node.inputs(), ElementsAre(4, 0));
  EXPECT_THAT(node.input_args(), ElementsAre(0, 0));
  EXPECT_THAT(AttributeNamed(graph, node, "nan")->f(), IsNan());
  EXPECT_THAT(AttributeNamed(graph, node, "inf")->f(), DoubleEq(-INFINITY));
  EXPECT_EQ(AttributeNamed(graph, node, "layout")->s(), "torch.strided");
  EXPECT_EQ(AttributeNamed(graph, node, "format")->s(), "torch.channels_last");
  EXPECT_EQ(AttributeNamed(graph, node, "device")->s(), "cuda:1");
  EXPECT_TRUE(AttributeNamed(graph, node, "flag")->b());
  EXPECT_THAT(AttributeNamed(graph, node, "list")->ints().values(), ElementsAre(1, 2));
  EXPECT_EQ(AttributeNamed(graph, node, "floats")->floats().values(1), INFINITY);
  EXPECT_THAT(AttributeNamed(graph, node, "words")->strings().values(), ElementsAre("a", "b"));
  EXPECT_EQ(AttributeNamed(graph, node, "later")->s(), "as_later");
}

TEST(Pt2Importer, NamesThatDoNotHold) {
  Program p = Linear();
  p.outputs = Tensor("nowhere");
  v1::Graph graph = Imported(p);
  EXPECT_EQ(graph.values(graph.outputs(0) - 1).name(), "nowhere");
  // A tensor that the graph does not declare is not made by the node that claims to.
  p = Linear();
  p.tensors.resize(p.tensors.find(", \"linear\""));
  graph = Imported(p);
  EXPECT_THAT(NodeNamed(graph, "linear").outputs(), ElementsAre(0));
  EXPECT_EQ(graph.values(graph.outputs(0) - 1).name(), "linear");
}

// What is told of in the signature or given as an input, and is not there, is an output that nothing makes.
TEST(Pt2Importer, NamesOfTheSignature) {
  Program p = Linear();
  absl::StrAppend(&p.specs, ", ", Parameter("p_nobody", "nobody"));
  v1::Graph graph = Imported(p);
  ASSERT_EQ(graph.outputs_size(), 2);
  EXPECT_EQ(graph.values(graph.outputs(1) - 1).name(), "p_nobody");
  p = Linear();
  absl::StrAppend(&p.inputs, ", ", Tensor("undeclared"));
  absl::StrAppend(&p.specs, ", ", UserInput("undeclared"));
  absl::StrAppend(&p.tensors, ", \"undeclared\": null");
  graph = Imported(p);
  ASSERT_EQ(graph.outputs_size(), 2);
  EXPECT_EQ(graph.values(graph.outputs(0) - 1).name(), "undeclared");
  EXPECT_FALSE(graph.values(graph.outputs(0) - 1).has_shape());
}

// torch goes by the order of the signature, and refuses one that tells of other inputs than the graph has.
TEST(Pt2Importer, SignaturesOfOtherInputs) {
  const auto message = [](const std::string& specs) {
    Program p = Linear();
    p.specs = specs;
    return std::string(ImportPt2(p.Bytes(), {}).status().message());
  };
  const std::string good = Linear().specs;
  EXPECT_EQ(message(good), "");
  const std::string last = absl::StrCat(",\n      ", UserInput("x"));
  ASSERT_TRUE(absl::EndsWith(good, last));
  EXPECT_EQ(message(good.substr(0, good.size() - last.size())),
            "m/models/model.json: graph 'model': has 4 inputs, and 3 in its signature");
  EXPECT_EQ(message(""), "m/models/model.json: graph 'model': has 4 inputs, and 0 in its signature");
  EXPECT_EQ(message(good + last), "m/models/model.json: graph 'model': has 4 inputs, and 5 in its signature");
  EXPECT_EQ(message(absl::StrReplaceAll(good, {{"b_scale", "b_zero"}, {"b_zero", "b_scale"}})),
            "m/models/model.json: graph 'model': its input 1 is 'b_scale', and 'b_zero' in its signature");
  // One that is a number has its name from the signature.
  Program p = Linear();
  absl::StrAppend(&p.inputs, R"(, {"as_int": 3})");
  absl::StrAppend(&p.specs, R"(, {"constant_input": {"name": "n", "value": {"as_int": 3}}})");
  EXPECT_EQ(ValueNamed(Imported(p), "n").name(), "n");
}

// A value of another kind than its tag stays what it is.
TEST(Pt2Importer, ArgumentsOfAnotherKind) {
  Program p;
  p.inputs = Tensor("x");
  p.specs = UserInput("x");
  p.outputs = Tensor("y");
  p.nodes = NodeJson("torch.ops.aten.relu.default",
                     absl::StrCat(Argument("self", Tensor("x")), ", ", Argument("a", R"({"as_float": "0.5"})"), ", ",
                                  Argument("b", R"({"as_int": 3.5})"), ", ", Argument("c", R"({"as_int": "3"})"), ", ",
                                  Argument("d", R"({"as_float": "Infinity"})")),
                     Tensor("y"), "y");
  p.tensors = absl::StrCat("\"x\": ", MetaJson(7, {2}), ", \"y\": ", MetaJson(7, {2}));
  const v1::Graph graph = Imported(p);
  const v1::Node& node = graph.nodes(0);
  EXPECT_EQ(AttributeNamed(graph, node, "a")->s(), "0.5");
  EXPECT_EQ(AttributeNamed(graph, node, "b")->f(), 3.5);
  EXPECT_EQ(AttributeNamed(graph, node, "c")->s(), "3");
  EXPECT_TRUE(std::isinf(AttributeNamed(graph, node, "d")->f()));
}

// torch refuses both.
TEST(Pt2Importer, ArgumentsHaveOneNameAndOneValue) {
  const auto message = [](const std::string& argument) {
    Program p = Linear();
    absl::StrAppend(&p.nodes, ", ", NodeJson("torch.ops.aten.relu.default", argument, Tensor("y"), "y"));
    absl::StrAppend(&p.tensors, ", \"y\": ", MetaJson(7, {2}));
    return std::string(ImportPt2(p.Bytes(), {}).status().message());
  };
  EXPECT_EQ(message(Argument("self", Tensor("x"))), "");
  constexpr char kNoName[] = "m/models/model.json: graph 'model': node 'y': argument 0 has no name";
  EXPECT_EQ(message(R"({"arg": {"as_tensor": {"name": "x"}}, "kind": 1})"), kNoName);
  EXPECT_EQ(message(R"({"name": 3, "arg": {"as_tensor": {"name": "x"}}, "kind": 1})"), kNoName);
  EXPECT_EQ(message(Argument("self", R"({"as_tensor": {"name": "x"}, "as_int": 3})")),
            "m/models/model.json: graph 'model': node 'y': argument 0 has no value, or several");
}

// torch goes by the order of the signature here as well.
TEST(Pt2Importer, OutputsOfTheSignature) {
  const auto message = [](const std::string& first, const std::string& second) {
    Program p = Linear();
    p.outputs = absl::StrCat(Tensor("linear"), ", ", Tensor("x"));
    std::string json = p.Json();
    const auto spec = [](const std::string& name) { return absl::StrCat(R"({"user_output": {"arg": )", name, "}}"); };
    const size_t begin = json.find("\"output_specs\": [");
    EXPECT_NE(begin, std::string::npos);
    const size_t from = json.find('[', begin), to = json.find(']', from);
    json.replace(from, to - from, absl::StrCat("[", spec(first), ", ", spec(second)));
    Members files = p.Files();
    files["m/models/model.json"] = json;
    return std::string(ImportPt2(Zip(files), {}).status().message());
  };
  EXPECT_EQ(message(Tensor("linear"), Tensor("x")), "");
  EXPECT_EQ(message(Tensor("x"), Tensor("linear")),
            "m/models/model.json: graph 'model': its output 0 is 'linear', and 'x' in its signature");
  EXPECT_EQ(message(Tensor("linear"), R"({"as_int": 3})"), "");
}

// By position and by keyword, or twice by keyword: torch takes the last.
TEST(Pt2Importer, ArgumentsGivenTwice) {
  const auto add = [](const std::string& more, const std::string& target = "torch.ops.aten.add.Tensor") {
    Program p;
    p.inputs = Tensor("x");
    p.specs = UserInput("x");
    p.outputs = Tensor("y");
    p.nodes = NodeJson(target, absl::StrCat(Argument("self", Tensor("x")), ", ", more), Tensor("y"), "y");
    p.tensors = absl::StrCat("\"x\": ", MetaJson(7, {2}), ", \"y\": ", MetaJson(7, {2}));
    return ImportPt2(p.Bytes(), {}).status();
  };
  const std::string alpha = Argument("alpha", R"({"as_int": 2})", 2);
  EXPECT_TRUE(add(absl::StrCat(Argument("other", Tensor("x")), ", ", alpha)).ok());
  const absl::Status twice = add(absl::StrCat(alpha, ", ", Argument("self", Tensor("x"), 2)));
  EXPECT_EQ(ErrorCode(twice), "FI001");
  EXPECT_THAT(std::string(twice.message()), testing::HasSubstr("node 'y': argument 2: 'self' is given again"));
  EXPECT_EQ(ErrorCode(add(absl::StrCat(alpha, ", ", alpha))), "FI001");
  EXPECT_EQ(ErrorCode(add(absl::StrCat(alpha, ", ", Argument("alpha", R"({"as_none": true})", 2)))), "FI001");
  // Operators without a schema have no names for what is given by position.
  const std::string unnamed = Argument("", Tensor("x"));
  EXPECT_TRUE(add(absl::StrCat(unnamed, ", ", unnamed), "torch.ops.higher_order.wrap").ok());
}

TEST(Pt2Importer, FurtherProgramsAndOddNames) {
  Members members = Linear().Files();
  members["m/models/a.json"] = Linear().Json();
  for (const std::string kind : {"weights", "constants"}) {
    const std::string folder = absl::StrCat("m/data/", kind, "/");
    members[absl::StrCat(folder, "a_", kind, "_config.json")] =
        members[absl::StrCat(folder, "model_", kind, "_config.json")];
  }
  members["../../evil"] = "x";
  const absl::StatusOr<v1::Graph> graph = ImportPt2(Zip(members), {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->name(), "model");
  ASSERT_EQ(graph->subgraphs_size(), 1);
  EXPECT_EQ(graph->subgraphs(0).name(), "a");
  const v1::Value& odd = graph->values(graph->values_size() - 1);
  EXPECT_EQ(odd.name(), "../../evil");
  EXPECT_TRUE(odd.foreign());
}

TEST(Pt2Importer, SchemaVersions) {
  Program p = Linear();
  p.version = R"({"major": 8, "minor": 4711, "patch": 1})";
  EXPECT_EQ(Imported(p).nodes_size(), 2);
  for (const char* version : {R"({"major": 9, "minor": 0})", R"({"major": 7, "minor": 3})", "{}", "8"}) {
    p.version = version;
    const absl::Status status = ImportPt2(p.Bytes(), {}).status();
    EXPECT_EQ(ErrorCode(status), "FI001");
    EXPECT_TRUE(absl::StrContains(status.message(), "schema version")) << status;
  }
}

}  // namespace
}  // namespace quantgate
