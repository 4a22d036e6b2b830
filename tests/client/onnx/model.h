// Small ONNX models made in memory, and a look into the graphs that come out.
#ifndef QUANTGATE_TESTS_CLIENT_ONNX_MODEL_H_
#define QUANTGATE_TESTS_CLIENT_ONNX_MODEL_H_

#include <initializer_list>
#include <string>

#include "onnx/onnx.pb.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

inline onnx::ModelProto EmptyModel() {
  onnx::ModelProto model;
  model.set_ir_version(10);
  model.set_producer_name("test");
  model.add_opset_import()->set_version(21);
  model.mutable_graph()->set_name("g");
  return model;
}

inline onnx::NodeProto* AddNode(onnx::GraphProto* graph, const std::string& op, const std::string& name,
                                std::initializer_list<std::string> inputs, std::initializer_list<std::string> outputs) {
  onnx::NodeProto* node = graph->add_node();
  node->set_op_type(op);
  node->set_name(name);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  return node;
}

inline onnx::TensorProto* AddTensor(onnx::GraphProto* graph, const std::string& name, int type,
                                    std::initializer_list<int64_t> dims) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  for (int64_t dim : dims) tensor->add_dims(dim);
  return tensor;
}

inline onnx::ValueInfoProto* SetTensorType(onnx::ValueInfoProto* info, const std::string& name, int type,
                                           std::initializer_list<int64_t> dims) {
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (int64_t dim : dims) tensor->mutable_shape()->add_dim()->set_dim_value(dim);
  return info;
}

// First value of that name; a static empty one when there is none.
inline const v1::Value& ValueNamed(const v1::Graph& graph, const std::string& name) {
  for (const v1::Value& value : graph.values()) {
    if (value.name() == name) return value;
  }
  return v1::Value::default_instance();
}

inline int CountNamed(const v1::Graph& graph, const std::string& name) {
  int count = 0;
  for (const v1::Value& value : graph.values()) count += value.name() == name;
  return count;
}

inline const v1::Node& NodeNamed(const v1::Graph& graph, const std::string& name) {
  for (const v1::Node& node : graph.nodes()) {
    if (node.name() == name) return node;
  }
  return v1::Node::default_instance();
}

inline std::string SymbolOf(const v1::Graph& graph, int id) { return id > 0 ? graph.symbols(id - 1) : ""; }

inline const v1::Attribute* AttributeNamed(const v1::Graph& graph, const v1::Node& node, const std::string& name) {
  for (const v1::Attribute& attribute : node.attributes()) {
    if (SymbolOf(graph, attribute.name()) == name) return &attribute;
  }
  return nullptr;
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_ONNX_MODEL_H_
