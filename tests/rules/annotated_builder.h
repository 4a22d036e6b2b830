// Graphs that a quantizer annotated (PT2E), written by name.
#ifndef QUANTGATE_TESTS_RULES_ANNOTATED_BUILDER_H_
#define QUANTGATE_TESTS_RULES_ANNOTATED_BUILDER_H_

#include <string>
#include <vector>

#include "rules/graph/data_type.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::testing {

class AnnotatedBuilder : public GraphBuilder {
 public:
  explicit AnnotatedBuilder(v1::Stage stage = v1::STAGE_ANNOTATED) : GraphBuilder(v1::Graph::PT2E, stage) {}

  v1::Spec& At(int id) { return *graph.mutable_specs(id - 1); }

  // Specs; all return the id.
  int Spec(v1::Spec::Kind kind, v1::DataType type, v1::Spec::QScheme scheme) {
    v1::Spec& spec = *graph.add_specs();
    spec.set_kind(kind);
    spec.set_dtype(type);
    spec.set_qscheme(scheme);
    return graph.specs_size();
  }
  int Act(v1::DataType type = v1::DATA_TYPE_UINT8) { return Spec(v1::Spec::PLAIN, type, v1::Spec::PER_TENSOR_AFFINE); }
  int Act(v1::DataType type, double scale, double zero_point) {
    const int id = Act(type);
    At(id).mutable_qparams()->add_scales(scale);
    At(id).mutable_qparams()->add_zero_points(zero_point);
    return id;
  }
  int Filter(v1::DataType type = v1::DATA_TYPE_INT8, int axis = 0) {
    const int id = Spec(v1::Spec::PLAIN, type, v1::Spec::PER_CHANNEL_SYMMETRIC);
    At(id).set_axis(axis);
    return id;
  }
  int Range(int id, int64_t low, int64_t high) {
    At(id).set_quant_min(low);
    At(id).set_quant_max(high);
    return id;
  }
  int Shared(const std::string& value, int consumer = 0) {
    const int id = Spec(v1::Spec::SHARED, v1::DATA_TYPE_UNSPECIFIED, v1::Spec::Q_SCHEME_UNSPECIFIED);
    At(id).mutable_shared_with()->set_value(Id(value));
    At(id).mutable_shared_with()->set_consumer(consumer);
    return id;
  }
  int Fixed(v1::DataType type, double scale, double zero_point) {
    const int id = Act(type, scale, zero_point);
    At(id).set_kind(v1::Spec::FIXED);
    At(id).set_quant_min(MinOf(type));
    At(id).set_quant_max(MaxOf(type));
    return id;
  }
  int None() { return Spec(v1::Spec::EXPLICIT_NONE, v1::DATA_TYPE_UNSPECIFIED, v1::Spec::Q_SCHEME_UNSPECIFIED); }
  int Bias(const std::vector<std::string>& from, int consumer) {
    constexpr v1::DataType kType = v1::DATA_TYPE_INT32;
    const int id = Range(Spec(v1::Spec::DERIVED, kType, v1::Spec::PER_CHANNEL_SYMMETRIC), MinOf(kType), MaxOf(kType));
    At(id).set_axis(0);
    for (const std::string& value : from) {
      v1::EdgeRef& edge = *At(id).add_derived_from();
      edge.set_value(Id(value));
      edge.set_consumer(consumer);
    }
    return id;
  }

  // A node that writes the value of its own name, which is an output of the graph as well.
  v1::Node& Op(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
               const std::vector<int>& specs, int output_spec, const std::vector<int64_t>& shape) {
    v1::Node& node = Node(op, name, inputs, {name});
    node.set_annotated(true);
    for (int spec : specs) node.add_input_specs(spec);
    Shape(name, v1::DATA_TYPE_FLOAT32, shape).set_spec(output_spec);
    Output(name);
    return node;
  }

  void IntsAttribute(v1::Node& node, const std::string& name, const std::vector<int64_t>& numbers) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol(name));
    attribute.mutable_ints()->mutable_values()->Add(numbers.begin(), numbers.end());
  }
};

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_ANNOTATED_BUILDER_H_
