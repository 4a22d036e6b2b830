// Annotated PT2E graphs for tests of corrections, and the check of them.
#ifndef QUANTGATE_TESTS_RULES_CORRECTIONS_ANNOTATED_H_
#define QUANTGATE_TESTS_RULES_CORRECTIONS_ANNOTATED_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/check.h"
#include "rules/corrections/apply.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate::testing {

class Annotated : public GraphBuilder {
 public:
  Annotated() : GraphBuilder(v1::Graph::PT2E, v1::STAGE_ANNOTATED) {}

  // Ids of specs as quantizers for HTP write them. `axis` -1: per tensor.
  int Spec(v1::DataType type, int64_t min, int64_t max, v1::Spec::QScheme scheme, int axis = -1) {
    v1::Spec spec;
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(type);
    spec.set_quant_min(min);
    spec.set_quant_max(max);
    spec.set_qscheme(scheme);
    if (axis >= 0) spec.set_axis(axis);
    return Add(spec);
  }
  int Add(const v1::Spec& spec) {
    *graph.add_specs() = spec;
    return graph.specs_size();
  }
  int A16() { return Spec(v1::DATA_TYPE_INT32, 0, 65535, v1::Spec::PER_TENSOR_AFFINE); }
  int A8() { return Spec(v1::DATA_TYPE_UINT8, 0, 255, v1::Spec::PER_TENSOR_AFFINE); }
  int W16() { return Spec(v1::DATA_TYPE_INT16, -32767, 32767, v1::Spec::PER_CHANNEL_SYMMETRIC, 0); }
  int W8() { return Spec(v1::DATA_TYPE_INT8, -127, 127, v1::Spec::PER_CHANNEL_SYMMETRIC, 0); }

  // Of a bias, from these two tensors as the last node reads them.
  int DerivedPerChannel(const std::string& input, const std::string& weight) {
    v1::Spec spec;
    spec.set_kind(v1::Spec::DERIVED);
    spec.set_dtype(v1::DATA_TYPE_INT32);
    spec.set_quant_min(INT32_MIN);
    spec.set_quant_max(INT32_MAX);
    spec.set_qscheme(v1::Spec::PER_CHANNEL_SYMMETRIC);
    spec.set_axis(0);
    for (const std::string& value : {input, weight}) {
      v1::EdgeRef& from = *spec.add_derived_from();
      from.set_value(Id(value));
      from.set_consumer(graph.nodes_size());
    }
    return Add(spec);
  }

  void FloatInput(const std::string& name, const std::vector<int64_t>& dims) {
    Input(name, v1::DATA_TYPE_FLOAT32, dims);
  }
  void FloatConstant(const std::string& name, const std::vector<int64_t>& dims) {
    int64_t count = 4;
    for (int64_t dim : dims) count *= dim;
    Weight(name, v1::DATA_TYPE_FLOAT32, dims, count);
  }
  // `specs`: of the edges, 0 for none; `output`: of what the node writes.
  v1::Node& Op(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
               const std::vector<int64_t>& dims, const std::vector<int>& specs, int output) {
    v1::Node& node = Node(op, name, inputs, {name});
    Shape(name, v1::DATA_TYPE_FLOAT32, dims).set_spec(output);
    for (int spec : specs) node.add_input_specs(spec);
    node.set_annotated(true);
    return node;
  }
  // A linear layer of 8 features: x -> name, weight name_w.
  void Linear(const std::string& x, const std::string& name, int activation, int weight) {
    FloatConstant(name + "_w", {8, 8});
    Op("aten.linear.default", name, {x, name + "_w"}, {1, 8}, {activation, weight}, activation);
  }
};

inline v1::Report CheckFor(const v1::Graph& graph, const std::vector<std::string>& targets,
                           CorrectionLimits limits = {}) {
  CheckOptions options;
  options.targets = targets;
  options.correction_limits = limits;
  v1::Report report;
  const absl::Status status = Check(graph, options, RealModules(), report);
  EXPECT_TRUE(status.ok()) << status;
  return report;
}

inline v1::Result CheckFor(const v1::Graph& graph, const std::string& target) {
  return CheckFor(graph, std::vector<std::string>{target}).results(0);
}

inline bool IsFault(const v1::Finding& finding) {
  return finding.severity() == v1::Finding::ERROR || finding.effect() == v1::Finding::FALLBACK;
}

inline int Faults(const v1::Result& result) { return static_cast<int>(absl::c_count_if(result.findings(), IsFault)); }

// The graph with all corrections of the result.
inline v1::Graph Corrected(v1::Graph graph, const v1::Result& result) {
  const absl::Status status = ApplyCorrections(result, graph);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

// "linear/1: int16 in -32767..32767, … becomes …" of every change, in order.
inline std::vector<std::string> Changes(const v1::Result& result) {
  std::vector<std::string> texts;
  for (const v1::Correction& correction : result.corrections()) {
    for (const v1::Change& change : correction.changes()) {
      const v1::Location& location = change.location();
      std::string port = location.has_input() ? "/" + std::to_string(location.input()) : "";
      texts.push_back((location.node().empty() ? location.value() : location.node()) + port + ": " + change.summary());
    }
  }
  return texts;
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_CORRECTIONS_ANNOTATED_H_
