#include "rules/graph/sharing/sharing.h"

#include <google/protobuf/text_format.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rules/graph/sharing_cases.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- torchao's own answers ----

class RecordedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedTest, GroupsAndErrorsAreThoseOfTorchao) {
  std::ifstream in(std::string(QUANTGATE_TEST_DATA) + "/data/" + GetParam());
  const std::vector<SharingCase> cases = ReadSharingCases(in);
  ASSERT_GE(cases.size(), 25u);
  for (const SharingCase& c : cases) {
    SCOPED_TRACE(c.name);
    v1::Graph message;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(c.graph_json, &message).ok());
    const absl::StatusOr<Graph> graph = Graph::Build(message);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const SharingGroups groups = ComputeSharingGroups(*graph);
    const std::string answer = RenderGroups(groups) + RenderTorchaoError(groups);
    // Python words its recursion error in several ways.
    if (groups.error && groups.error->kind == SharingError::kCycle) {
      EXPECT_TRUE(absl::StartsWith(c.answer, answer)) << c.answer << "\n" << answer;
    } else {
      EXPECT_EQ(answer, c.answer);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedTest, ::testing::Values("pt2e_hand.txt", "pt2e_random.txt", "pt2e_real.txt"));

// ---- Graphs made here ----

// A graph written down in a few calls. Ids in the message are 1-based, and so are these.
class Builder {
 public:
  Builder() { message_.set_origin(v1::Graph::PT2E); }

  int Plain(v1::DataType dtype = v1::DATA_TYPE_INT8) {
    v1::Spec* spec = AddSpec(v1::Spec::PLAIN);
    spec->set_dtype(dtype);
    spec->set_is_dynamic(false);
    return message_.specs_size();
  }
  int Fixed(double scale, double zero_point = 0) {
    const int id = Plain();
    v1::Spec& spec = Spec(id);
    spec.set_kind(v1::Spec::FIXED);
    spec.mutable_qparams()->add_scales(scale);
    spec.mutable_qparams()->add_zero_points(zero_point);
    return id;
  }
  int Shared(int value, int consumer = 0) {
    v1::EdgeRef* reference = AddSpec(v1::Spec::SHARED)->mutable_shared_with();
    reference->set_value(value);
    reference->set_consumer(consumer);
    return message_.specs_size();
  }
  int Derived(std::vector<std::pair<int, int>> from) {
    const int id = Plain(v1::DATA_TYPE_INT32);
    Spec(id).set_kind(v1::Spec::DERIVED);
    for (auto [value, consumer] : from) {
      v1::EdgeRef* reference = Spec(id).add_derived_from();
      reference->set_value(value);
      reference->set_consumer(consumer);
    }
    return id;
  }
  int None() {
    AddSpec(v1::Spec::EXPLICIT_NONE);
    return message_.specs_size();
  }
  v1::Spec& Spec(int id) { return *message_.mutable_specs(id - 1); }

  int Input(const std::string& name, int spec = 0) {
    const int value = AddValue(name, spec);
    message_.add_inputs(value);
    return value;
  }
  // Returns the value; the node's id is the number of nodes so far.
  int Op(const std::string& name, std::vector<int> inputs, std::vector<int> input_specs, int spec = 0) {
    v1::Node* node = message_.add_nodes();
    node->set_name(name);
    for (int input : inputs) node->add_inputs(input);
    for (int id : input_specs) node->add_input_specs(id);
    node->add_outputs(AddValue(name, spec));
    return node->outputs(0);
  }
  v1::Graph& message() { return message_; }

  const SharingGroups& Compute() {
    graph_ = *Graph::Build(message_);
    groups_ = ComputeSharingGroups(*graph_);
    return *groups_;
  }
  std::string Groups() { return RenderGroups(Compute()); }

 private:
  v1::Spec* AddSpec(v1::Spec::Kind kind) {
    v1::Spec* spec = message_.add_specs();
    spec->set_kind(kind);
    return spec;
  }
  int AddValue(const std::string& name, int spec) {
    v1::Value* value = message_.add_values();
    value->set_name(name);
    value->set_spec(spec);
    return message_.values_size();
  }

  v1::Graph message_;
  std::optional<Graph> graph_;
  std::optional<SharingGroups> groups_;
};

TEST(AnnotationsTest, OrderIsMapThenValueAndMissingIsNotNone) {
  Builder b;
  const int plain = b.Plain();
  const int none = b.None();
  const int x = b.Input("x", plain);
  const int y = b.Input("y", none);  // output_qspec None: no entry
  const int n = b.Op("n", {x, y}, {none, plain}, plain);
  b.Op("m", {n, x}, {0, plain});
  const Annotations& table = b.Compute().annotations;
  std::vector<std::string> names;
  for (int i = 0; i < table.size(); ++i) names.push_back(SpecPlaceName(table.graph(), table.place(i)));
  EXPECT_THAT(names, ElementsAre("x", "(x, n)", "(y, n)", "n", "(x, m)"));
  EXPECT_EQ(table.Resolve(SpecPlace{0, 0})->state, SpecState::kNone);
  EXPECT_EQ(table.Resolve(SpecPlace{2, 1}), std::nullopt);
  EXPECT_EQ(table.Resolve(SpecPlace{1, -1}), std::nullopt);
}

TEST(AnnotationsTest, OneEdgePerValueAndNode) {
  Builder b;
  const int plain = b.Plain();
  const int x = b.Input("x");
  b.Op("add", {x, x}, {plain, plain});
  EXPECT_EQ(b.Groups(), "x>add");
}

TEST(AnnotationsTest, MapOrderAndStrayKeys) {
  Builder b;
  const int int8 = b.Plain();
  const int uint8 = b.Plain(v1::DATA_TYPE_UINT8);
  const int x = b.Input("x");
  const int y = b.Input("y");
  const int z = b.Input("z");
  b.Op("n", {x, y}, {int8, uint8});
  b.Op("m", {z}, {uint8});
  v1::Node* n = b.message().mutable_nodes(0);
  for (auto [value, spec] : {std::pair(y, uint8), std::pair(z, uint8), std::pair(x, int8), std::pair(y, int8)}) {
    v1::InputSpec* entry = n->add_input_spec_map();
    entry->set_value(value);
    entry->set_spec(spec);
  }
  // n does not read z, so m has no sibling; yet n's stray edge looks at z's users and finds m.
  EXPECT_EQ(b.Groups(), "y>n|z>n z>m|x>n");
  EXPECT_TRUE(b.Compute().annotations.siblings(y - 1).size() == 1 &&
              b.Compute().annotations.siblings(z - 1).size() == 1);
}

TEST(AnnotationsTest, IdsOutsideTheirPoolAreRefused) {
  Builder b;
  b.Op("n", {b.Input("x")}, {b.Plain()});
  v1::InputSpec* entry = b.message().mutable_nodes(0)->add_input_spec_map();
  entry->set_value(7);
  entry->set_spec(1);
  EXPECT_THAT(std::string(Graph::Build(b.message()).status().message()), HasSubstr("nodes[0].input_spec_map.value"));
  entry->set_value(1);
  entry->set_spec(0);
  EXPECT_THAT(std::string(Graph::Build(b.message()).status().message()), HasSubstr("nodes[0].input_spec_map.spec"));
  entry->set_spec(1);
  EXPECT_TRUE(Graph::Build(b.message()).ok());
  b.message().mutable_values(0)->add_users(2);
  EXPECT_THAT(std::string(Graph::Build(b.message()).status().message()), HasSubstr("values[0].users"));
}

// Shared((x, n)) on value n while n's map has x: Shared(x). A guard on nodes takes the second step for a circle.
TEST(ResolveTest, X2EdgeAndValueOfOneNodeAreDifferentPlaces) {
  Builder b;
  const int x = b.Input("x", b.Plain());
  b.Op("n", {x}, {b.Shared(x)}, b.Shared(x, 1));
  const SharingGroups& groups = b.Compute();
  EXPECT_FALSE(groups.error);
  const SpecResolution n = *groups.annotations.Resolve(SpecPlace{1, -1});
  EXPECT_EQ(n.state, SpecState::kConcrete);
  EXPECT_EQ(n.spec, 0);
  EXPECT_THAT(groups.annotations.Path(groups.annotations.Find({1, -1})), ElementsAre(2, 1, 0));
  EXPECT_EQ(RenderGroups(groups), "x x>n n");
}

TEST(ResolveTest, CircleIsReportedWithItsPath) {
  Builder b;
  const int x = b.Input("x", b.Plain());
  b.Op("n", {x}, {b.Shared(2)}, b.Shared(x, 1));
  const SharingGroups& groups = b.Compute();
  EXPECT_EQ(groups.annotations.Resolve(SpecPlace{1, -1})->state, SpecState::kCycle);
  ASSERT_TRUE(groups.error);
  EXPECT_EQ(groups.error->kind, SharingError::kCycle);
  EXPECT_TRUE(groups.group_of.empty());
  EXPECT_EQ(SharingErrorText(groups.annotations, *groups.error), "shared specs run in a circle: (x, n) -> n -> (x, n)");
  EXPECT_EQ(AllSharingErrors(groups).size(), 1u);
}

// Nobody resolves the specs of values: torchao groups them and fails when it makes observers.
TEST(ResolveTest, CircleOfValuesFailsLater) {
  Builder b;
  b.Input("x", b.Shared(2));
  b.Input("y", b.Shared(1));
  const SharingGroups& groups = b.Compute();
  EXPECT_EQ(RenderGroups(groups), "x y");
  ASSERT_TRUE(groups.error);
  EXPECT_EQ(groups.error->kind, SharingError::kFirstMemberShared);
  const std::vector<SharingError> all = AllSharingErrors(groups);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, SharingError::kCycle);
}

TEST(ResolveTest, DanglingReferenceNamesBothEnds) {
  Builder b;
  const int x = b.Input("x");
  const int y = b.Input("y", b.Plain());
  b.Op("n", {x}, {b.Shared(x)}, b.Shared(x, 1));
  b.Op("m", {y}, {b.Shared(y)}, b.Shared(y, 1));  // the value has no spec, the edge has: no fall-back from one to other
  const SharingGroups& groups = b.Compute();
  ASSERT_TRUE(groups.error);
  EXPECT_EQ(groups.error->kind, SharingError::kDanglingReference);
  EXPECT_EQ(SharingErrorText(groups.annotations, *groups.error), "(x, n) is shared with x, which has no spec");
  EXPECT_EQ(groups.annotations.Resolve(SpecPlace{2, -1})->state, SpecState::kDangling);
  // Value m refers to the edge (y, n), which nobody annotated.
  const std::vector<SharingError> all = AllSharingErrors(groups);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(SharingErrorText(groups.annotations, all[1]), "m is shared with (y, n), which has no spec");
}

TEST(ResolveTest, ForeignKeyIsAnEdgeOfItsOwn) {
  Builder b;
  const int plain = b.Plain();
  const int x = b.Input("x", plain);
  b.Op("n", {x}, {}, plain);
  b.message().add_values()->set_name("x");
  b.message().mutable_values(2)->set_foreign(true);
  v1::InputSpec* entry = b.message().mutable_nodes(0)->add_input_spec_map();
  entry->set_value(3);
  entry->set_spec(plain);
  EXPECT_EQ(b.Groups(), "x|x>n|n");
}

TEST(ImplicitTest, EachAttributeDecides) {
  using Change = void (*)(v1::Spec&);
  const auto groups = [](Change change) {
    Builder b;
    const int x = b.Input("x", b.Plain());
    const int edge = b.Plain();
    change(b.Spec(edge));
    b.Op("n", {x}, {edge});
    return b.Groups();
  };
  EXPECT_EQ(groups([](v1::Spec&) {}), "x x>n");
  EXPECT_EQ(groups([](v1::Spec& s) {
              s.set_observer(0);
              s.add_block_size(4);
            }),
            "x x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.mutable_qparams()->add_scales(0.5); }), "x x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_dtype(v1::DATA_TYPE_UINT8); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_dtype(static_cast<v1::DataType>(1024)); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_is_dynamic(true); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.clear_is_dynamic(); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_quant_min(0); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_quant_max(0); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_qscheme(v1::Spec::PER_TENSOR_AFFINE); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_axis(0); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_kind(v1::Spec::DERIVED); }), "x x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_kind(v1::Spec::FIXED); }), "x|x>n");
  EXPECT_EQ(groups([](v1::Spec& s) { s.set_kind(v1::Spec::EXPLICIT_NONE); }), "x|x>n");
}

TEST(ImplicitTest, TypesBeyondTheListAreTheirNumbers) {
  const auto groups = [](int first, int second) {
    Builder b;
    const int x = b.Input("x", b.Plain(static_cast<v1::DataType>(first)));
    b.Op("n", {x}, {b.Plain(static_cast<v1::DataType>(second))});
    return b.Groups();
  };
  EXPECT_EQ(groups(1024, 1024), "x x>n");
  EXPECT_EQ(groups(1024, 1025), "x|x>n");
  EXPECT_EQ(groups(1024, v1::DATA_TYPE_UNSPECIFIED), "x|x>n");
  EXPECT_EQ(groups(1024 + v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT8), "x|x>n");
}

TEST(ImplicitTest, FixedSpecsShareWhenTheirNumbersAreEqual) {
  const auto groups = [](double scale, double zero_point) {
    Builder b;
    const int x = b.Input("x", b.Fixed(0.0, 3));
    b.Op("n", {x}, {b.Fixed(scale, zero_point)});
    return b.Groups();
  };
  EXPECT_EQ(groups(-0.0, 3), "x x>n");
  EXPECT_EQ(groups(0.0, 4), "x|x>n");
  EXPECT_EQ(groups(1e-300, 3), "x|x>n");
  Builder b;
  const int nan = b.Fixed(std::numeric_limits<double>::quiet_NaN());
  b.Op("n", {b.Input("x", nan)}, {nan});
  EXPECT_EQ(b.Groups(), "x|x>n");
}

TEST(ImplicitTest, ExplicitNoneNeverShares) {
  Builder b;
  const int none = b.None();
  const int x = b.Input("x");
  b.Op("n", {x}, {none});
  b.Op("m", {x}, {none});
  EXPECT_EQ(b.Groups(), "x>n|x>m");
}

TEST(ImplicitTest, FlagStopsOnlyTheNodeThatStarts) {
  const auto groups = [](bool first_off, bool second_off) {
    Builder b;
    const int plain = b.Plain();
    const int x = b.Input("x", plain);
    b.Op("n", {x}, {plain});
    b.Op("m", {x}, {plain});
    b.message().mutable_nodes(0)->set_no_implicit_sharing(first_off);
    b.message().mutable_nodes(1)->set_no_implicit_sharing(second_off);
    return b.Groups();
  };
  EXPECT_EQ(groups(false, false), "x x>n x>m");
  EXPECT_EQ(groups(true, false), "x x>n x>m");
  EXPECT_EQ(groups(true, true), "x|x>n|x>m");
}

TEST(ObserverTest, FirstMemberMakesTheObserver) {
  Builder b;
  const int x = b.Input("x");
  const int y = b.Input("y");
  b.Op("cat", {x, y}, {b.Shared(y, 1), b.Plain()});
  const SharingGroups& groups = b.Compute();
  EXPECT_EQ(RenderGroups(groups), "x>cat y>cat");
  ASSERT_TRUE(groups.error);
  EXPECT_EQ(SharingErrorText(groups.annotations, *groups.error),
            "(x, cat) is the first of its group but shared with (y, cat), which comes later");
  EXPECT_EQ(groups.leader(0), 0);
  EXPECT_EQ(groups.roots[0], 1);
  b.message().mutable_nodes(0)->set_input_specs(0, b.Plain());
  b.message().mutable_nodes(0)->set_input_specs(1, b.Shared(x, 1));
  EXPECT_FALSE(b.Compute().error);
}

TEST(ObserverTest, DerivedNeedsItsSourcesBefore) {
  Builder b;
  const int x = b.Input("x");
  const int w = b.Input("w");
  const int bias = b.Input("b");
  const int plain = b.Plain();
  b.Op("conv", {x, w, bias}, {plain, plain, b.Derived({{x, 1}, {w, 1}})});
  EXPECT_FALSE(b.Compute().error);
  b.message().mutable_nodes(0)->set_input_specs(1, 0);
  const SharingGroups& missing = b.Compute();
  ASSERT_TRUE(missing.error);
  EXPECT_EQ(SharingErrorText(missing.annotations, *missing.error),
            "(b, conv) is derived from (w, conv), which has no spec");
  b.message().mutable_nodes(0)->set_input_specs(1, plain);
  b.message().mutable_nodes(0)->set_input_specs(0, b.Derived({{w, 1}}));
  const SharingGroups& later = b.Compute();
  ASSERT_TRUE(later.error);
  EXPECT_EQ(SharingErrorText(later.annotations, *later.error),
            "(x, conv) is derived from (w, conv), which comes later");
}

// ---- Depth and width, where Python's stack gives up and its loops are quadratic ----

TEST(ScaleTest, LongForwardChainOfEdges) {
  Builder b;
  const int plain = b.Plain();
  constexpr int kNodes = 200'000;
  int x = b.Input("x");
  for (int i = 1; i <= kNodes; ++i) {
    const int out = b.message().values_size() + 1;
    b.Op("n", {x}, {i < kNodes ? b.Shared(out, i + 1) : plain}, plain);
    x = out;
  }
  const SharingGroups& groups = b.Compute();
  EXPECT_EQ(groups.num_groups(), 2);  // the last value has no consumer
  ASSERT_TRUE(groups.error);
  EXPECT_EQ(groups.error->kind, SharingError::kFirstMemberShared);
}

TEST(ScaleTest, ManyConsumersOfOneValue) {
  for (int classes : {1, 7, 100'000}) {
    Builder b;
    constexpr int kConsumers = 100'000;
    std::vector<int> specs;
    for (int i = 0; i < classes; ++i) {
      specs.push_back(b.Plain());
      b.Spec(specs.back()).set_quant_max(i);
    }
    const int x = b.Input("x", specs[0]);
    for (int i = 0; i < kConsumers; ++i) b.Op("n", {x}, {specs[i % classes]});
    EXPECT_EQ(b.Compute().num_groups(), classes);
  }
}

// A circle that only the joining closes stays open until (x, last) is visited; until then each sibling must be asked.
TEST(ScaleTest, OpenCircleAndManyConsumersGiveUpInsteadOfHanging) {
  const auto kind = [](int consumers) {
    Builder b;
    const int plain = b.Plain();
    const int x = b.Input("x");
    const int y = b.Input("y");
    const int first = b.Op("first", {x}, {plain}, b.Shared(x, 1));
    for (int i = 0; i < consumers; ++i) b.Op("n", {y}, {plain});
    b.Op("last", {x}, {b.Shared(first)});
    const SharingGroups& groups = b.Compute();
    EXPECT_EQ(groups.annotations.Resolve(groups.annotations.size() - 1).state, SpecState::kConcrete);
    EXPECT_EQ(AllSharingErrors(groups).size(), 1u);
    return groups.error->kind;
  };
  EXPECT_EQ(kind(10), SharingError::kCycle);
  EXPECT_EQ(kind(8'000), SharingError::kTooMuchWork);
}

TEST(ScaleTest, LongCircle) {
  Builder b;
  constexpr int kValues = 200'000;
  for (int i = 1; i <= kValues; ++i) b.Input("v", b.Shared(i % kValues + 1));
  b.Op("n", {1}, {b.Shared(1)});
  const SharingGroups& groups = b.Compute();
  ASSERT_TRUE(groups.error);
  EXPECT_EQ(groups.error->kind, SharingError::kCycle);
  EXPECT_LT(SharingErrorText(groups.annotations, *groups.error).size(), 200u);
}

}  // namespace
}  // namespace quantgate
