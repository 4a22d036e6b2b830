// Shapes that follow from operators, against what ONNX's own inference and ONNX Runtime made of the same nodes
// (shapes.py draws them and records the answers).
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/onnx/onnx_importer.h"
#include "rules/graph/data_type.h"
#include "rules/onnx/complete.h"
#include "rules/onnx/infer.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

// Of a dimension that only ONNX knows `known_more` says so.
bool Agree(absl::Span<const int64_t> ours, const std::vector<int64_t>& theirs, bool& known_more) {
  if (ours.size() != theirs.size()) return false;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] >= 0 && theirs[i] >= 0 && ours[i] != theirs[i]) return false;
    known_more |= ours[i] < 0 && theirs[i] >= 0;
  }
  return true;
}

// Sizes that flow in: what ONNX knows of such nodes, the rank or a part of the shape, is not looked for.
bool TakesSizesAtRunTime(const v1::Graph& graph) {
  return std::any_of(graph.inputs().begin(), graph.inputs().end(),
                     [&](int32_t input) { return graph.values(input - 1).dtype() == v1::DATA_TYPE_INT64; });
}

// Calls with the shapes of the node's outputs and whether the node contradicts itself.
void WithInferred(const v1::Graph& message, const std::function<void(const Inferred&, const Graph&)>& use) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  const CheckContext context(*graph, resolved);
  use(InferShapes(context), *graph);
}

void CompareShapes(const Inferred& inferred, const Graph& graph, const Json& theirs, bool may_know_less) {
  for (int i = 0; i < graph.num_outputs(0); ++i) {
    if (theirs[i].is_null()) continue;
    const Shape ours = inferred.shapes[graph.output(0, i)];
    bool known_more = !ours.known;
    EXPECT_TRUE(!ours.known || Agree(ours.dims, theirs[i], known_more)) << "output " << i << ShapeText(ours.dims);
    EXPECT_TRUE(!known_more || may_know_less) << "output " << i << ": " << ShapeText(ours.dims);
  }
}

void Compare(const v1::Graph& message, const Json& expected) {
  WithInferred(message, [&](const Inferred& inferred, const Graph& graph) {
    ASSERT_EQ(inferred.contradictions.empty(), !expected.contains("error"))
        << (inferred.contradictions.empty() ? "" : inferred.contradictions[0].observed);
    if (expected.contains("error")) return;
    CompareShapes(inferred, graph, expected["shapes"], TakesSizesAtRunTime(message));
  });
}

void CompareLess(const v1::Graph& message, const Json& expected) {
  WithInferred(message, [&](const Inferred& inferred, const Graph& graph) {
    if (expected.contains("error")) return;
    EXPECT_TRUE(inferred.contradictions.empty()) << inferred.contradictions[0].observed;
    CompareShapes(inferred, graph, expected["shapes"], /*may_know_less=*/true);
  });
}

void ForEachNode(const std::function<void(v1::Graph&, const Json&)>& use) {
  std::ifstream file(QUANTGATE_TEST_DATA "/../data/onnx_shapes/nodes.jsonl");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const Json expected = Json::parse(line);
    SCOPED_TRACE(expected.dump());
    std::string model;
    ASSERT_TRUE(absl::Base64Unescape(std::string(expected["model"]), &model));
    absl::StatusOr<v1::Graph> message = ImportOnnx(model, "");
    ASSERT_TRUE(message.ok()) << message.status();
    use(*message, expected);
  }
  EXPECT_GT(cases, 900);
}

TEST(OnnxShapes, AreThoseOfOnnx) { ForEachNode(Compare); }

// The same nodes with less known of what flows in: still nothing that ONNX knows otherwise, and no new contradiction.
TEST(OnnxShapes, DoNotContradictWhatIsNotKnown) {
  ForEachNode([](const v1::Graph& whole, const Json& expected) {
    for (int32_t input : whole.inputs()) {
      for (const bool rank_known : {false, true}) {
        v1::Graph less = whole;
        v1::Value& value = *less.mutable_values(input - 1);
        if (rank_known) {
          for (int64_t& size : *value.mutable_dims()) size = -1;
        } else {
          value.clear_dims();
          value.clear_dim_symbols();
          value.set_has_shape(false);
        }
        CompareLess(less, expected);
      }
    }
  });
}

// A constant that is only described, as large ones are, is a tensor whose numbers are not known.
TEST(OnnxShapes, DoNotContradictConstantsThatAreNotKnown) {
  ForEachNode([](const v1::Graph& whole, const Json& expected) {
    for (int i = 0; i < whole.values_size(); ++i) {
      if (!whole.values(i).has_constant()) continue;
      v1::Graph less = whole;
      less.mutable_values(i)->mutable_constant()->clear_ints();
      CompareLess(less, expected);
    }
  });
}

// What is known of a value is what the runtime computes, whatever the symbolic size is.
template <typename T>
void CompareNumbers(absl::optional<absl::Span<const T>> known, const Json& computed, bool must_be_known) {
  if (!known) {
    EXPECT_FALSE(must_be_known);
    return;
  }
  for (const Json& run : computed) {
    ASSERT_EQ(known->size(), run.size());
    for (size_t i = 0; i < known->size(); ++i) {
      const bool unknown = std::is_same_v<T, double> ? std::isnan((*known)[i]) : (*known)[i] == kUnknownNumber;
      EXPECT_TRUE(unknown ? !must_be_known : (*known)[i] == run[i]) << "element " << i << ": " << (*known)[i];
    }
  }
}

// known_numbers.py draws the graphs and records what ONNX Runtime computes.
TEST(OnnxNumbers, AreThoseOfTheRuntime) {
  std::ifstream file(QUANTGATE_TEST_DATA "/../data/onnx_shapes/numbers.jsonl");
  int values = 0;
  for (std::string line; std::getline(file, line);) {
    const Json expected = Json::parse(line);
    std::string model;
    ASSERT_TRUE(absl::Base64Unescape(std::string(expected["model"]), &model));
    const absl::StatusOr<v1::Graph> message = ImportOnnx(model, "");
    ASSERT_TRUE(message.ok()) << message.status();
    WithInferred(*message, [&](const Inferred& inferred, const Graph& graph) {
      EXPECT_TRUE(inferred.contradictions.empty());
      for (int32_t value = 0; value < graph.num_values(); ++value) {
        const auto computed = expected["numbers"].find(graph.value(value).name());
        if (computed == expected["numbers"].end()) continue;
        ++values;
        SCOPED_TRACE(
            absl::StrCat(graph.op_type(graph.producer(value)), " makes ", graph.value(value).name(), " of ", line));
        const bool must_be_known = expected["static"];
        if (IsFloat(graph.dtype(value))) {
          CompareNumbers(inferred.reals.of(value), *computed, must_be_known);
        } else {
          CompareNumbers(inferred.numbers.of(value), *computed, must_be_known);
        }
      }
    });
  }
  EXPECT_GT(values, 3000);
}

// Exporters name the sizes that they do not compute themselves.
TEST(OnnxShapes, TakeThePlaceOfNamedSizes) {
  testing::GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 6});
  b.Shape("free", v1::DATA_TYPE_FLOAT32, {-1, 4}).mutable_dim_symbols()->Add(b.Symbol("n"));
  b.Value("free").add_dim_symbols(0);
  b.graph.add_inputs(b.Id("free"));
  b.Ints("shape", v1::DATA_TYPE_INT64, {3, 4});
  b.Node("Reshape", "reshape", {"x", "shape"}, {"y"});
  b.Node("Relu", "relu", {"free"}, {"z"});
  for (const char* name : {"y", "z"}) *b.Value(name).mutable_dims() = b.Value("free").dims();
  for (const char* name : {"y", "z"}) *b.Value(name).mutable_dim_symbols() = b.Value("free").dim_symbols();
  for (const char* name : {"y", "z"}) b.Value(name).set_has_shape(true);
  CompleteShapes(b.graph, &b.graph);
  EXPECT_THAT(b.Value("y").dims(), ::testing::ElementsAre(3, 4));
  EXPECT_THAT(b.Value("y").dim_symbols(), ::testing::ElementsAre(0, 0));
  EXPECT_THAT(b.Value("z").dims(), ::testing::ElementsAre(-1, 4));
  EXPECT_THAT(b.Value("z").dim_symbols(), ::testing::ElementsAre(b.Symbol("n"), 0));
}

// Files that contradict themselves, where their own sizes would lead astray whoever computed with them.
TEST(OnnxNumbers, OfWhatContradictsItselfAreNotKnown) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  const auto ints = [](testing::GraphBuilder& b, v1::Node& node, const std::string& name,
                       const std::vector<int64_t>& numbers) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(name));
    for (int64_t number : numbers) attribute.mutable_ints()->add_values(number);
  };
  // "sizes" holds 2, 3; "matrix" the same as [2, 1]; "nothing" is [2^40, 0].
  const auto base = [&](testing::GraphBuilder& b) {
    b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
    b.Node("Shape", "shape", {"x"}, {"sizes"});
    b.Ints("column", v1::DATA_TYPE_INT64, {2, 1});
    b.Node("Reshape", "reshape", {"sizes", "column"}, {"matrix"});
    b.Ints("huge", v1::DATA_TYPE_INT64, {kHuge, 0});
    b.Ints("fill", v1::DATA_TYPE_INT64, {7}, /*scalar=*/false);
    v1::Attribute& value = *b.Node("ConstantOfShape", "filled", {"huge"}, {"nothing"}).add_attributes();
    value.set_name(b.Symbol("value"));
    value.set_tensor(b.Id("fill"));
  };
  struct Case {
    const char* what;
    std::vector<int64_t> declared;
    std::function<void(testing::GraphBuilder&)> make;
  };
  const std::vector<Case> cases = {
      {"axes that are none",
       {1, 2},
       [&](testing::GraphBuilder& b) {
         ints(b, b.Node("Transpose", "n", {"matrix"}, {"y"}), "perm", {1000, -7});
       }},
      {"rows without columns",
       {kHuge, 1},
       [&](testing::GraphBuilder& b) {
         b.Int(b.Node("Concat", "n", {"nothing", "nothing"}, {"y"}), "axis", 1);
       }},
      {"none of no columns",
       {kHuge, 2},
       [&](testing::GraphBuilder& b) {
         b.Ints("none", v1::DATA_TYPE_INT64, {}, /*scalar=*/false);
         b.Int(b.Node("Gather", "n", {"nothing", "none"}, {"y"}), "axis", 1);
       }},
      {"a step beyond all",
       {2, 1},
       [&](testing::GraphBuilder& b) {
         b.Ints("start", v1::DATA_TYPE_INT64, {-1}, /*scalar=*/false);
         b.Ints("end", v1::DATA_TYPE_INT64, {INT64_MAX}, /*scalar=*/false);
         b.Ints("axis", v1::DATA_TYPE_INT64, {0}, /*scalar=*/false);
         b.Ints("step", v1::DATA_TYPE_INT64, {INT64_MIN + 1}, /*scalar=*/false);
         b.Node("Slice", "n", {"matrix", "start", "end", "axis", "step"}, {"y"});
       }},
      {"a range beyond all",
       {5},
       [&](testing::GraphBuilder& b) {
         b.Ints("from", v1::DATA_TYPE_INT64, {INT64_MIN + 1});
         b.Ints("to", v1::DATA_TYPE_INT64, {INT64_MAX});
         b.Node("Range", "n", {"from", "to", "to"}, {"y"});
       }},
      {"of another size than declared",
       {4},
       [&](testing::GraphBuilder& b) {
         b.Int(b.Node("Concat", "n", {"sizes", "matrix"}, {"y"}), "axis", 0);
       }},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    testing::GraphBuilder b;
    base(b);
    test.make(b);
    b.Shape("y", v1::DATA_TYPE_INT64, test.declared);
    b.Output("y");
    WithInferred(b.graph, [&](const Inferred& inferred, const Graph&) {
      EXPECT_TRUE(inferred.numbers.of(b.Id("matrix") - 1).has_value());
      EXPECT_EQ(inferred.numbers.of(b.Id("nothing") - 1)->size(), 0u);
      const auto known = WholeOrNone(inferred.numbers.of(b.Id("y") - 1));
      EXPECT_TRUE(!known || known->empty());
    });
  }
}

// What no integer is becomes one that is not known.
TEST(OnnxNumbers, OfRealsThatNoIntegerHolds) {
  testing::GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
  const double infinity = std::numeric_limits<double>::infinity();
  b.Reals("reals", {-2.5, 1e30, infinity, std::nan(""), -infinity, 0.5});
  for (const auto& [name, type] : {std::pair("long", 7), {"int", 6}, {"truth", 9}}) {
    b.Int(b.Node("Cast", name, {"reals"}, {name}), "to", type);
    b.Shape(name, type == 7 ? v1::DATA_TYPE_INT64 : type == 6 ? v1::DATA_TYPE_INT32 : v1::DATA_TYPE_BOOL, {6});
    b.Output(name);
  }
  constexpr int64_t kNone = kUnknownNumber;
  WithInferred(b.graph, [&](const Inferred& inferred, const Graph&) {
    EXPECT_THAT(*inferred.numbers.of(b.Id("long") - 1), ::testing::ElementsAre(-2, kNone, kNone, kNone, kNone, 0));
    EXPECT_THAT(*inferred.numbers.of(b.Id("int") - 1), ::testing::ElementsAre(-2, kNone, kNone, kNone, kNone, 0));
    EXPECT_THAT(*inferred.numbers.of(b.Id("truth") - 1), ::testing::ElementsAre(1, 1, 1, kNone, 1, 1));
  });
}

// As many nodes as a file may have, each with as many numbers as are kept: what is kept is bounded.
TEST(OnnxNumbers, AreFew) {
  KnownNumbers numbers;
  for (int32_t value = 0; value < 1'000'000; ++value) numbers.Set(value, std::vector<int64_t>(KnownNumbers::kMost, 7));
  EXPECT_TRUE(numbers.of(0).has_value());
  EXPECT_FALSE(numbers.of(999'999).has_value());
}

// The contrib operators are not ONNX's own; ONNX Runtime checks the same things when it runs them.
TEST(OnnxShapes, OfPackedMatMul) {
  struct Change {
    const char* what;
    std::function<void(testing::GraphBuilder&)> make;
    std::string contradiction;  // "": none
  };
  const auto set = [](testing::GraphBuilder& b, const std::string& name, int64_t number) {
    for (v1::Attribute& attribute : *b.Find("mm").mutable_attributes()) {
      if (attribute.name() == b.Symbol(name)) attribute.set_i(number);
    }
  };
  const auto bias = [](testing::GraphBuilder& b, const std::vector<int64_t>& dims) {
    b.Weight("bias", v1::DATA_TYPE_FLOAT32, dims, 4 * dims[0]);
    v1::Node& node = b.Find("mm");
    while (node.inputs_size() < 5) node.add_inputs(0);
    node.add_inputs(b.Id("bias"));
  };
  const std::vector<Change> changes = {
      {"as it is", [](testing::GraphBuilder&) {}, ""},
      {"K of another size", [&](testing::GraphBuilder& b) { set(b, "K", 96); }, "shape [1, 64]"},
      {"K of 0", [&](testing::GraphBuilder& b) { set(b, "K", 0); }, "K 0"},
      {"N beyond 31 bits", [&](testing::GraphBuilder& b) { set(b, "N", int64_t{1} << 40); }, "N 1099511627776"},
      {"a bias", [&](testing::GraphBuilder& b) { bias(b, {32}); }, ""},
      {"a bias of another size", [&](testing::GraphBuilder& b) { bias(b, {31}); }, "a bias of shape [31]"},
      {"a bias of rank 2",
       [&](testing::GraphBuilder& b) {
         bias(b, {32, 1});
       },
       "a bias of shape [32, 1]"},
      {"an input that is not known",
       [](testing::GraphBuilder& b) { b.Value("x").set_has_shape(false), b.Value("x").clear_dims(); }, ""},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.what);
    testing::GraphBuilder builder = testing::SoundPackedMatMul();
    change.make(builder);
    WithInferred(builder.graph, [&](const Inferred& inferred, const Graph& graph) {
      ASSERT_EQ(inferred.contradictions.size(), change.contradiction.empty() ? 0 : 1);
      if (!change.contradiction.empty()) {
        EXPECT_EQ(inferred.contradictions[0].observed, change.contradiction);
      } else if (graph.value(0).has_shape()) {
        EXPECT_EQ(ShapeText(inferred.shapes[graph.output(0, 0)].dims), "[1, 32]");
      }
    });
  }
}

// A body computes from what the graph around it holds, and from what is computed there.
TEST(OnnxNumbers, BodiesKnowWhatIsComputedAroundThem) {
  testing::GraphBuilder outer;
  outer.Ints("stored", v1::DATA_TYPE_INT64, {3, 4});
  outer.Shape("stored", v1::DATA_TYPE_INT64, {2});
  outer.Node("Neg", "neg", {"stored"}, {"computed"});
  outer.Shape("computed", v1::DATA_TYPE_INT64, {2});
  testing::GraphBuilder body;
  for (const char* name : {"stored", "computed"}) {
    body.Shape(name, v1::DATA_TYPE_INT64, {2}).set_captured(outer.Id(name));
  }
  body.Node("Add", "add", {"stored", "computed"}, {"sum"});
  body.Shape("sum", v1::DATA_TYPE_INT64, {2});
  const Graph around = *Graph::Build(outer.graph);
  const Graph inside = *Graph::Build(body.graph);
  const ResolvedGraph resolved_around = ResolvedGraph::Resolve(around);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(inside);
  const CheckContext context(around, resolved_around);
  const BodyPlace place{&context, -1, "body"};
  const Inferred inferred = InferShapes(CheckContext(inside, resolved, &context.model(), &place));
  const auto sum = inferred.numbers.of(body.Id("sum") - 1);
  ASSERT_TRUE(sum.has_value());
  EXPECT_THAT(*sum, ::testing::ElementsAre(0, 0));
}

// Truth may be stored as any number but 0.
TEST(OnnxNumbers, TruthOfOtherNumbers) {
  const std::vector<std::pair<std::string, int>> cases{{"And", 1}, {"Or", 1}, {"Xor", 0}};
  for (const auto& c : cases) {
    testing::GraphBuilder b;
    b.Ints("a", v1::DATA_TYPE_BOOL, {2});
    b.Ints("b", v1::DATA_TYPE_BOOL, {1});
    b.Node(c.first, "op", {"a", "b"}, {"c"});
    b.Shape("c", v1::DATA_TYPE_BOOL, {1});
    for (const char* name : {"a", "b"}) b.Shape(name, v1::DATA_TYPE_BOOL, {1});
    WithInferred(b.graph, [&](const Inferred& inferred, const Graph&) {
      const auto result = inferred.numbers.of(b.Id("c") - 1);
      ASSERT_TRUE(result.has_value()) << c.first;
      EXPECT_THAT(*result, ::testing::ElementsAre(c.second)) << c.first;
    });
  }
}

}  // namespace
}  // namespace quantgate
