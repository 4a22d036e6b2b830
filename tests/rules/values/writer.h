// Graphs for tests of what is known of numbers before any input is.
#ifndef QUANTGATE_TESTS_RULES_VALUES_WRITER_H_
#define QUANTGATE_TESTS_RULES_VALUES_WRITER_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/graph/graph.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::testing {

// Writes graphs of ATen operators on floats of [4, 4], unless they say otherwise; `y` is asked about.
class Writer {
 public:
  Writer& Of(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
             const std::vector<std::pair<std::string, double>>& numbers = {}, v1::DataType type = v1::DATA_TYPE_FLOAT32,
             const std::vector<int64_t>& dims = {4, 4}) {
    v1::Node& node = builder_.Node(op, output, inputs, {output});
    for (const auto& [name, number] : numbers) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(builder_.Symbol(name));
      if (std::trunc(number) == number && std::abs(number) < 1e6) {
        attribute.set_i(static_cast<int64_t>(number));
      } else {
        attribute.set_f(number);
      }
    }
    builder_.Shape(output, type, dims);
    return *this;
  }
  Writer& Count(const std::string& output, double end, const std::vector<int64_t>& dims) {
    Of("aten.arange.default", {}, output + "_list", {{"end", end}}, v1::DATA_TYPE_INT64, {static_cast<int64_t>(end)});
    return Of("aten.unsqueeze.default", {output + "_list"}, output, {}, v1::DATA_TYPE_INT64, dims);
  }
  Writer& Truth(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                const std::vector<std::pair<std::string, double>>& numbers = {}) {
    return Of(op, inputs, output, numbers, v1::DATA_TYPE_BOOL);
  }
  Writer& Constant(const std::string& name, const std::vector<double>& numbers) {
    builder_.Reals(name, numbers);
    return *this;
  }
  Writer& Input(const std::string& name) {
    builder_.Input(name, v1::DATA_TYPE_FLOAT32, {4, 4});
    return *this;
  }
  // The graph, and the value `y` of it.
  Graph Build() const { return *Graph::Build(builder_.graph); }
  int32_t Y() { return builder_.Id("y") - 1; }

 private:
  GraphBuilder builder_{v1::Graph::PT2E, v1::STAGE_ANNOTATED};
};

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_VALUES_WRITER_H_
