// Writes v1::Graph messages for tests by name.
#ifndef QUANTGATE_TESTS_RULES_GRAPH_BUILDER_H_
#define QUANTGATE_TESTS_RULES_GRAPH_BUILDER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/v1/graph.pb.h"

namespace quantgate::testing {

class GraphBuilder {
 public:
  explicit GraphBuilder(v1::Graph::Origin origin = v1::Graph::ONNX, v1::Stage stage = v1::STAGE_CONVERTED) {
    graph.set_origin(origin);
    graph.set_stage(stage);
    if (origin == v1::Graph::ONNX) {
      graph.set_format_version(10);
      graph.add_opset_imports()->set_version(21);
      v1::OpsetImport* contrib = graph.add_opset_imports();
      contrib->set_domain("com.microsoft");
      contrib->set_version(1);
    }
  }

  int Symbol(const std::string& text) {
    auto [it, inserted] = symbols_.emplace(text, 0);
    if (inserted) {
      graph.add_symbols(text);
      it->second = graph.symbols_size();
    }
    return it->second;
  }

  // Id of the value of that name, made on first use; "" is an omitted input.
  int Id(const std::string& name) {
    if (name.empty()) return 0;
    auto [it, inserted] = values_.emplace(name, 0);
    if (inserted) it->second = AddValue(name);
    return it->second;
  }
  int AddValue(const std::string& name) {
    graph.add_values()->set_name(name);
    return graph.values_size();
  }
  v1::Value& Value(const std::string& name) { return *graph.mutable_values(Id(name) - 1); }

  v1::Value& Shape(const std::string& name, v1::DataType type, const std::vector<int64_t>& dims) {
    v1::Value& value = Value(name);
    value.set_dtype(type);
    value.set_has_shape(true);
    value.clear_dims();
    for (int64_t dim : dims) value.add_dims(dim);
    return value;
  }
  void Input(const std::string& name, v1::DataType type, const std::vector<int64_t>& dims) {
    Shape(name, type, dims);
    graph.add_inputs(Id(name));
  }
  void Output(const std::string& name) { graph.add_outputs(Id(name)); }

  v1::Constant& Reals(const std::string& name, const std::vector<double>& numbers, bool scalar = true) {
    v1::Value& value = Shape(name, v1::DATA_TYPE_FLOAT32, DimsOf(numbers.size(), scalar));
    for (double number : numbers) value.mutable_constant()->add_reals(number);
    value.mutable_constant()->set_stored_bytes(4 * static_cast<int64_t>(numbers.size()));
    return *value.mutable_constant();
  }
  v1::Constant& Ints(const std::string& name, v1::DataType type, const std::vector<int64_t>& numbers,
                     bool scalar = true) {
    v1::Value& value = Shape(name, type, DimsOf(numbers.size(), scalar));
    for (int64_t number : numbers) value.mutable_constant()->add_ints(number);
    value.mutable_constant()->set_stored_bytes(-1);
    return *value.mutable_constant();
  }
  // A constant of which only shape and statistics are known.
  v1::Constant& Weight(const std::string& name, v1::DataType type, const std::vector<int64_t>& dims, int64_t bytes) {
    v1::Constant& constant = *Shape(name, type, dims).mutable_constant();
    constant.set_stored_bytes(bytes);
    return constant;
  }

  v1::Node& Node(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs) {
    v1::Node& node = *graph.add_nodes();
    node.set_name(name);
    node.set_op(Symbol(op));
    for (const std::string& input : inputs) node.add_inputs(Id(input));
    for (const std::string& output : outputs) node.add_outputs(Id(output));
    return node;
  }
  v1::Node& Find(const std::string& name) {
    for (v1::Node& node : *graph.mutable_nodes()) {
      if (node.name() == name) return node;
    }
    std::abort();
  }
  void Int(v1::Node& node, const std::string& name, int64_t number) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol(name));
    attribute.set_i(number);
  }

  // An If behind a new input `condition`, with this body as both of its branches; writes `output`.
  v1::Node& Branch(const std::string& name, const std::string& condition, v1::Graph body, const std::string& output) {
    body.clear_opset_imports();  // the model's hold
    body.clear_format_version();
    Input(condition, v1::DATA_TYPE_BOOL, {});
    *graph.add_subgraphs() = std::move(body);
    v1::Node& node = Node("If", name, {condition}, {output});
    for (const char* branch : {"then_branch", "else_branch"}) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(Symbol(branch));
      attribute.set_graph(graph.subgraphs_size());
    }
    return node;
  }

  // x -> Quantize -> Dequantize, with tensors x_q, x_dq and parameters x_scale, x_zp.
  void Pair(const std::string& x, double scale, int64_t zero_point, v1::DataType type = v1::DATA_TYPE_UINT8) {
    Reals(x + "_scale", {scale});
    Ints(x + "_zp", type, {zero_point});
    Node("QuantizeLinear", x + "_Q", {x, x + "_scale", x + "_zp"}, {x + "_q"});
    Node("DequantizeLinear", x + "_DQ", {x + "_q", x + "_scale", x + "_zp"}, {x + "_dq"});
    Value(x + "_q").set_dtype(type);
  }

  v1::Graph graph;

 private:
  static std::vector<int64_t> DimsOf(size_t count, bool scalar) {
    if (scalar && count == 1) return {};
    return {static_cast<int64_t>(count)};
  }
  std::map<std::string, int> symbols_;
  std::map<std::string, int> values_;
};

// x (uint8) -> Conv with int8 per-channel weight w [8, 3, 3, 3] and int32 bias b -> y (uint8), sound in every way.
inline GraphBuilder SoundConv() {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 3, 16, 16});
  b.Pair("x", 0.02, 128);
  b.Weight("w", v1::DATA_TYPE_INT8, {8, 3, 3, 3}, 216);
  b.Reals("w_scale", {0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01});
  b.Ints("w_zp", v1::DATA_TYPE_INT8, {0, 0, 0, 0, 0, 0, 0, 0});
  b.Int(b.Node("DequantizeLinear", "w_DQ", {"w", "w_scale", "w_zp"}, {"w_dq"}), "axis", 0);
  b.Ints("b", v1::DATA_TYPE_INT32, {1, 2, 3, 4, 5, 6, 7, 8});
  b.Reals("b_scale", {2e-4, 2e-4, 2e-4, 2e-4, 2e-4, 2e-4, 2e-4, 2e-4});
  b.Ints("b_zp", v1::DATA_TYPE_INT32, {0, 0, 0, 0, 0, 0, 0, 0});
  b.Int(b.Node("DequantizeLinear", "b_DQ", {"b", "b_scale", "b_zp"}, {"b_dq"}), "axis", 0);
  b.Node("Conv", "conv", {"x_dq", "w_dq", "b_dq"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 8, 14, 14});
  b.Pair("y", 0.05, 0);
  b.Output("y_dq");
  return b;
}

// The same with everything inside QLinearConv; "q" is its name, "yq" its output.
inline GraphBuilder SoundIntegerConv() {
  GraphBuilder b;
  b.Input("xq", v1::DATA_TYPE_UINT8, {1, 3, 16, 16});
  b.Reals("x_scale", {0.02});
  b.Ints("x_zp", v1::DATA_TYPE_UINT8, {128});
  b.Weight("w", v1::DATA_TYPE_INT8, {8, 3, 3, 3}, 216);
  b.Reals("w_scale", {0.01});
  b.Ints("w_zp", v1::DATA_TYPE_INT8, {0});
  b.Reals("y_scale", {0.05});
  b.Ints("y_zp", v1::DATA_TYPE_UINT8, {0});
  b.Weight("b", v1::DATA_TYPE_INT32, {8}, 32);
  b.Node("QLinearConv", "q", {"xq", "x_scale", "x_zp", "w", "w_scale", "w_zp", "y_scale", "y_zp", "b"}, {"yq"});
  b.Node("DequantizeLinear", "y_DQ", {"yq", "y_scale", "y_zp"}, {"y"});
  b.Output("y");
  return b;
}

// x [1, 64] -> MatMulNBits with 4-bit weights of N=32, K=64 in blocks of 32.
inline GraphBuilder SoundPackedMatMul() {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 64});
  b.Weight("w", v1::DATA_TYPE_UINT8, {32, 2, 16}, 1024);
  b.Reals("w_scale", std::vector<double>(64, 0.01));
  b.Shape("w_scale", v1::DATA_TYPE_FLOAT32, {32, 2});
  v1::Node& node = b.Node("com.microsoft::MatMulNBits", "mm", {"x", "w", "w_scale"}, {"y"});
  b.Int(node, "N", 32);
  b.Int(node, "K", 64);
  b.Int(node, "bits", 4);
  b.Int(node, "block_size", 32);
  b.Output("y");
  return b;
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_GRAPH_BUILDER_H_
