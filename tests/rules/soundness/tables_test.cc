// Rules that have a table of their own, asked about every row of it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/check.h"
#include "tests/rules/empty_tables.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;

// The findings of one rule.
std::vector<v1::Finding> FindingsOf(const v1::Graph& graph, const std::string& code) {
  const testing::EmptyTables tables;
  ModuleRegistry registry(tables);
  v1::Report report;
  const absl::Status status = Check(graph, {}, registry, report);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<v1::Finding> found;
  if (report.results().empty()) return found;
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.code() == code) found.push_back(finding);
  }
  return found;
}

struct GivenValue {
  const char* kind;
  std::function<void(v1::Attribute&)> set;
};

const std::vector<GivenValue>& GivenValues() {
  static const auto* const all = new std::vector<GivenValue>{
      {"a float", [](v1::Attribute& a) { a.set_f(0.5); }},
      {"an integer", [](v1::Attribute& a) { a.set_i(1); }},
      {"a string", [](v1::Attribute& a) { a.set_s("none"); }},
      {"a tensor", [](v1::Attribute& a) { a.set_tensor(1); }},
      {"a graph", [](v1::Attribute& a) { a.set_graph(1); }},
      {"a list of floats", [](v1::Attribute& a) { a.mutable_floats()->add_values(0.5); }},
      {"a list of integers", [](v1::Attribute& a) { a.mutable_ints()->add_values(1); }},
      {"a list of strings", [](v1::Attribute& a) { a.mutable_strings()->add_values("a"); }},
  };
  return *all;
}

// What ONNX's schemas say that an attribute is, and every kind of value in its place.
TEST(SoundnessTables, AttributesOfEveryKind) {
  struct Stated {
    const char* op;
    const char* attribute;
    const char* kind;
  };
  for (const Stated& stated : std::vector<Stated>{{"LeakyRelu", "alpha", "a float"},
                                                  {"Softmax", "axis", "an integer"},
                                                  {"Gelu", "approximate", "a string"},
                                                  {"ConstantOfShape", "value", "a tensor"},
                                                  {"If", "then_branch", "a graph"},
                                                  {"Optional", "type", "a type"},
                                                  {"Constant", "value_floats", "a list of floats"},
                                                  {"MaxPool", "kernel_shape", "a list of integers"},
                                                  {"Constant", "value_strings", "a list of strings"}}) {
    for (const GivenValue& given : GivenValues()) {
      GraphBuilder b;
      b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 2, 4, 4});
      v1::Node& node = b.Node(stated.op, "n", {"x"}, {"y"});
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(stated.attribute));
      given.set(attribute);
      b.graph.add_subgraphs()->set_origin(v1::Graph::ONNX);
      b.Output("y");
      const std::string says = absl::StrCat("attribute ", stated.attribute, " is ", given.kind);
      bool said = false;
      for (const v1::Finding& finding : FindingsOf(b.graph, "GS010")) {
        if (finding.observed() != says) continue;
        said = true;
        EXPECT_EQ(finding.allowed(), stated.kind);
      }
      EXPECT_EQ(said, std::string(given.kind) != stated.kind) << stated.op << ": " << says;
    }
  }
}

// Which operators may give negative numbers: a symmetric range from 0 on loses them.
TEST(SoundnessTables, SignsOfOperators) {
  enum Expected { kNothing, kWarning, kError };
  struct Row {
    const char* op;
    std::vector<std::string> inputs;
    Expected expected;
    std::vector<std::pair<std::string, double>> attributes = {};
  };
  for (const Row& row : std::vector<Row>{
           {"aten.relu.default", {"x"}, kNothing},
           {"aten.sigmoid.default", {"x"}, kNothing},
           {"aten.exp.default", {"x"}, kNothing},
           {"aten.abs.default", {"x"}, kNothing},
           {"aten.sqrt.default", {"x"}, kNothing},
           {"aten._softmax.default", {"x"}, kNothing},
           {"aten.sub.Tensor", {"some", "some"}, kError},
           {"aten.log.default", {"some"}, kError},
           {"aten.cos.default", {"x"}, kError},
           {"aten.neg.default", {"some"}, kWarning},
           {"aten.add.Tensor", {"some", "some"}, kNothing},
           {"aten.add.Tensor", {"some", "x"}, kWarning},
           {"aten.add.Tensor", {"some", "negative"}, kError},
           {"aten.add.Tensor", {"some", "positive"}, kNothing},
           {"aten.add.Tensor", {"some", "seen_negative"}, kError},
           {"aten.add.Tensor", {"some", "seen_positive"}, kNothing},
           {"aten.add.Tensor", {"some", "unseen"}, kWarning},
           {"aten.mul.Tensor", {"x", "x"}, kNothing},
           {"aten.mul.Tensor", {"some", "x"}, kWarning},
           {"aten.mul.Tensor", {"some", "some"}, kNothing},
           {"aten.tanh.default", {"some"}, kNothing},
           {"aten.tanh.default", {"x"}, kWarning},
           {"aten.clamp.default", {"x"}, kNothing, {{"min", 0}}},
           {"aten.clamp.default", {"x"}, kWarning, {{"min", -1}}},
           {"aten.permute.default", {"some"}, kNothing},
           {"aten.permute.default", {"x"}, kWarning},
           {"aten.linear.default", {"some", "unseen"}, kError},
           {"aten.linear.default", {"some", "positive"}, kNothing},
           {"made.up.default", {"some"}, kWarning},
       }) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 2});
    b.Node("aten.relu.default", "some", {"x"}, {"some"});
    b.Reals("negative", {-1, 2}, false);
    b.Reals("positive", {1, 2}, false);
    for (const auto& [name, least] : {std::pair("seen_negative", -0.5), std::pair("seen_positive", 0.5)}) {
      v1::Statistics& seen = *b.Weight(name, v1::DATA_TYPE_FLOAT32, {2}, 8).mutable_statistics();
      seen.set_min(least);
      seen.set_max(1);
    }
    b.Weight("unseen", v1::DATA_TYPE_FLOAT32, {2, 2}, 16);
    v1::Node& node = b.Node(row.op, "n", row.inputs, {"n"});
    for (const auto& [name, number] : row.attributes) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(name));
      attribute.set_f(number);
    }
    v1::Spec& spec = *b.graph.add_specs();
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(v1::DATA_TYPE_INT32);
    spec.set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
    spec.set_quant_min(0);
    spec.set_quant_max(65535);
    b.Value("n").set_spec(1);
    b.Output("n");
    const std::vector<v1::Finding> found = FindingsOf(b.graph, "QS003");
    const std::string what = absl::StrCat(row.op, " of ", row.inputs.back());
    ASSERT_EQ(found.size(), row.expected == kNothing ? 0u : 1u) << what;
    if (found.empty()) continue;
    EXPECT_EQ(found[0].severity(), row.expected == kError ? v1::Finding::ERROR : v1::Finding::WARNING) << what;
  }
}

// Operators that fill a range whatever they read, annotated with less than that and with all of it.
TEST(SoundnessTables, RangesThatOperatorsFill) {
  struct Row {
    const char* op;
    double scale;
    int64_t zero_point;
    bool fires;
  };
  for (const Row& row : std::vector<Row>{{"aten.sigmoid.default", 1.0 / 256, 0, false},
                                         {"aten.sigmoid.default", 1.0 / 512, 0, true},
                                         {"aten.sigmoid.default", 1.0 / 256, 128, true},
                                         {"aten.hardsigmoid.default", 1.0 / 256, 0, false},
                                         {"aten.hardsigmoid.default", 1.0 / 512, 0, true},
                                         {"aten._softmax.default", 1.0 / 256, 0, false},
                                         {"aten._softmax.default", 1.0 / 300, 0, true},
                                         {"aten.tanh.default", 1.0 / 128, 128, false},
                                         {"aten.tanh.default", 1.0 / 256, 128, true},
                                         {"aten.tanh.default", 1.0 / 128, 0, true},
                                         {"aten.relu.default", 1.0 / 512, 0, false}}) {
    for (const v1::Spec::Kind kind : {v1::Spec::FIXED, v1::Spec::PLAIN}) {
      GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
      b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
      b.Node(row.op, "n", {"x"}, {"n"});
      v1::Spec& spec = *b.graph.add_specs();
      spec.set_kind(kind);
      spec.set_dtype(v1::DATA_TYPE_UINT8);
      spec.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
      spec.mutable_qparams()->add_scales(row.scale);
      spec.mutable_qparams()->add_zero_points(static_cast<double>(row.zero_point));
      b.Value("n").set_spec(1);
      b.Output("n");
      EXPECT_EQ(FindingsOf(b.graph, "FX006").size(), row.fires ? 1u : 0u)
          << row.op << ", scale " << row.scale << ", zero point " << row.zero_point;
    }
  }
}

// AIMET's layouts of an encodings file, each of which has versions of its own.
TEST(SoundnessTables, VersionsOfEncodings) {
  struct Layout {
    v1::EncodingsFile::Layout layout;
    std::vector<std::string> versions;
    std::string words;
  };
  const std::vector<Layout> layouts = {
      {v1::EncodingsFile::LAYOUT_KEYED, {"0.4.0", "0.5.0", "0.6.1"}, "entries keyed by tensor names"},
      {v1::EncodingsFile::LAYOUT_TWO_LISTS, {"1.0.0"}, "two lists of entries"},
      {v1::EncodingsFile::LAYOUT_ONE_LIST, {"2.0.0", "2.1.0"}, "one list of entries"}};
  for (const Layout& file : layouts) {
    for (const Layout& of : layouts) {
      for (const std::string& version : of.versions) {
        GraphBuilder b;
        b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
        b.Node("Relu", "n", {"x"}, {"y"});
        b.Output("y");
        v1::EncodingsFile& written = *b.graph.mutable_encodings_file();
        written.set_layout(file.layout);
        written.set_version(version);
        written.set_version_is_string(true);
        const std::vector<v1::Finding> found = FindingsOf(b.graph, "FI022");
        ASSERT_EQ(found.size(), file.layout == of.layout ? 0u : 1u) << file.words << ", version " << version;
        if (found.empty()) continue;
        EXPECT_EQ(found[0].observed(), absl::StrCat("version \"", version, "\""));
        EXPECT_TRUE(absl::StrContains(found[0].allowed(), file.words)) << found[0].allowed();
      }
    }
  }
}

}  // namespace
}  // namespace quantgate
