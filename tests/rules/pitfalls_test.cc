// What validators of quantization annotations get wrong, one test per point and per known defect; pitfalls.md says what
// the ids mean and where the others are tested. Every test has an input that must fire and a neighbor that must not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/check.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/constraints/fixture.h"
#include "tests/rules/empty_tables.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::GraphBuilder;
using ::quantgate::testing::RealModules;
using ::quantgate::testing::SoundConv;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The documented table: what it says and what it lacks is what these were written for.
constexpr char kV68[] = "qnn_htp/V68@2.25";
constexpr char kV75[] = "qnn_htp/V75@2.25";

v1::Report CheckOn(const v1::Graph& graph, const std::string& target, ModuleRegistry& modules = RealModules()) {
  CheckOptions options;
  // What a node means is asked here, not what a toolchain makes of a refused one.
  options.toolchain = "qnn-converter";
  return testing::CheckOn(graph, target, options, modules);
}

// "DT101 conv in1"; errors only.
std::vector<std::string> Errors(const GraphBuilder& b, const std::string& target = kV75) {
  std::vector<std::string> errors;
  const v1::Report report = CheckOn(b.graph, target);
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.severity() != v1::Finding::ERROR) continue;
    std::string text = absl::StrCat(finding.code(), " ", finding.location().node());
    if (finding.location().has_input()) absl::StrAppend(&text, " in", finding.location().input());
    if (finding.location().has_output()) absl::StrAppend(&text, " out", finding.location().output());
    errors.push_back(std::move(text));
  }
  return errors;
}

std::vector<std::string> Codes(const GraphBuilder& b, const std::string& target = kV75) {
  std::vector<std::string> codes;
  const v1::Report report = CheckOn(b.graph, target);
  for (const v1::Finding& finding : report.results(0).findings()) codes.push_back(finding.code());
  return codes;
}

std::vector<std::string> NotChecked(const GraphBuilder& b, const std::string& node, const std::string& target = kV75) {
  std::vector<std::string> reasons;
  const v1::Report report = CheckOn(b.graph, target);
  for (const v1::NotChecked& entry : report.results(0).not_checked()) {
    if (entry.node() == node) reasons.push_back(entry.reason());
  }
  return reasons;
}

std::vector<std::string> Emitted(const GraphBuilder& b, const std::string& node) {
  std::vector<std::string> names;
  const v1::Report report = CheckOn(b.graph, kV75);
  for (const v1::NodeOutcome& outcome : report.results(0).outcome().nodes()) {
    if (outcome.node() == node) names.assign(outcome.backend_ops().begin(), outcome.backend_ops().end());
  }
  return names;
}

// ---- Annotated graphs ----

constexpr v1::DataType kU8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kS8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kS16 = v1::DATA_TYPE_INT16;
constexpr v1::DataType kU16 = v1::DATA_TYPE_UINT16;
constexpr v1::DataType kS32 = v1::DATA_TYPE_INT32;
constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;

// aten.conv2d with uint8 activations, int8 filters per output channel and a derived bias; fine on every arch. The first
// node, so its id is 1; specs: 1 activation, 2 filter, 3 bias.
AnnotatedBuilder Conv(v1::DataType activation = kU8, v1::DataType weight = kS8) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8, 16, 16});
  b.Weight("w", kF32, {8, 8, 3, 3}, -1);
  b.Weight("b", kF32, {8}, -1);
  const int act = b.Act(activation);
  const int filter = b.Filter(weight);
  b.Op("aten.conv2d.default", "conv", {"x", "w", "b"}, {act, filter, b.Bias({"x", "w"}, 1)}, act, {1, 8, 14, 14});
  return b;
}

// y = op(x) with known parameters on both sides.
AnnotatedBuilder Calibrated(const std::string& op, int64_t in_zero, int64_t out_zero, double in_scale, double out_scale,
                            const std::vector<int64_t>& in = {1, 8}, const std::vector<int64_t>& out = {1, 8},
                            v1::DataType type = kU8) {
  AnnotatedBuilder b(v1::STAGE_CALIBRATED);
  b.Input("x", kF32, in);
  const int read = b.Act(type, in_scale, static_cast<double>(in_zero));
  b.Op(op, "n", {"x"}, {read}, b.Act(type, out_scale, static_cast<double>(out_zero)), out);
  return b;
}

AnnotatedBuilder Relu(v1::DataType in = kU8, v1::DataType out = kU8) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  const int read = b.Act(in);
  b.Op("aten.relu.default", "relu", {"x"}, {read}, b.Act(out), {1, 8});
  return b;
}

// aten.where(c, x, y); types of the edges x and y.
AnnotatedBuilder Where(v1::DataType x, v1::DataType y) {
  AnnotatedBuilder b;
  b.Input("c", v1::DATA_TYPE_BOOL, {1, 8});
  b.Input("x", kF32, {1, 8});
  b.Input("y", kF32, {1, 8});
  const int to_x = b.Act(x);
  const int to_y = b.Act(y);
  b.Op("aten.where.self", "where", {"c", "x", "y"}, {0, to_x, to_y}, b.Act(), {1, 8});
  return b;
}

AnnotatedBuilder Linear(v1::DataType activation = kU8, v1::DataType weight = kS8) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {2, 16});
  b.Weight("w", kF32, {8, 16}, -1);
  const int act = b.Act(activation);
  b.Op("aten.linear.default", "linear", {"x", "w"}, {act, b.Filter(weight)}, act, {2, 8});
  return b;
}

// Two halves of x, taken by getitem nodes with these specs.
AnnotatedBuilder Split(v1::DataType first, v1::DataType second) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  const int act = b.Act();
  b.Node("aten.split.Tensor", "split", {"x"}, {"split"}).add_input_specs(act);
  for (int i = 0; i < 2; ++i) {
    const std::string name = absl::StrCat("half", i);
    b.Int(b.Op("operator.getitem", name, {"split"}, {}, b.Act(i == 0 ? first : second), {1, 4}), "index", i);
  }
  return b;
}

// ---- The twelve points ----

TEST(Pitfalls, P01_ThreeValuedResultPerPort) {
  EXPECT_THAT(Errors(Conv()), IsEmpty());
  // All findings, each at its port, with stable codes: filter along the input channels, 16-bit output.
  AnnotatedBuilder several = Conv();
  several.At(2).set_axis(1);
  several.Input("z", kF32, {1, 8});
  several.Op("aten.relu.default", "relu", {"z"}, {several.Act(kU16)}, several.Act(kU8), {1, 8});
  EXPECT_THAT(Errors(several), ElementsAre("AX101 conv in1", HasSubstr("DT101 relu")));
  // What cannot be told is neither: no rank, no verdict on the axis; the port's other ports are still judged.
  AnnotatedBuilder unknown = Conv();
  unknown.Value("w").set_has_shape(false);
  unknown.Value("w").clear_dims();
  unknown.Value("x").set_has_shape(false);
  unknown.Value("x").clear_dims();
  EXPECT_THAT(NotChecked(unknown, "conv"), ElementsAre(HasSubstr("rank")));
  EXPECT_EQ(CheckOn(unknown.graph, kV75).results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_THAT(NotChecked(Conv(), "conv"), Not(Contains(HasSubstr("rank"))));
  EXPECT_EQ(CheckOn(Conv().graph, kV75).results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
}

TEST(Pitfalls, P01_NoAnnotationShapeIsAnException) {
  for (int kind = v1::Spec::KIND_UNSPECIFIED; kind <= v1::Spec::EXPLICIT_NONE; ++kind) {
    for (int type : {v1::DATA_TYPE_UNSPECIFIED, v1::DATA_TYPE_INT2, v1::DATA_TYPE_UINT4, v1::DATA_TYPE_BFLOAT16,
                     v1::DATA_TYPE_INT64, v1::DATA_TYPE_FLOAT8_E4M3FN, v1::DATA_TYPE_STRING}) {
      for (int scheme = 0; scheme < v1::Spec::QScheme_ARRAYSIZE; ++scheme) {
        AnnotatedBuilder b = Conv();
        const int spec = b.Spec(static_cast<v1::Spec::Kind>(kind), static_cast<v1::DataType>(type),
                                static_cast<v1::Spec::QScheme>(scheme));
        for (int port = 0; port < 3; ++port) {
          AnnotatedBuilder changed = b;
          changed.Find("conv").set_input_specs(port, spec);
          CheckOn(changed.graph, kV75);
        }
        b.Value("conv").set_spec(spec);
        CheckOn(b.graph, kV75);
      }
    }
  }
  for (int port = 0; port < 3; ++port) {
    AnnotatedBuilder b = Conv();
    b.Find("conv").set_input_specs(port, 0);
    CheckOn(b.graph, kV68);
  }
}

TEST(Pitfalls, P02_PortsByArgumentPosition) {
  // A map in another order than the arguments changes nothing.
  for (const bool weight_first : {false, true}) {
    AnnotatedBuilder b = Conv();
    v1::Node& conv = b.Find("conv");
    for (const int i : weight_first ? std::vector<int>{1, 0, 2} : std::vector<int>{0, 1, 2}) {
      v1::InputSpec& entry = *conv.add_input_spec_map();
      entry.set_value(conv.inputs(i));
      entry.set_spec(conv.input_specs(i));
    }
    EXPECT_THAT(Errors(b), IsEmpty());
    b.At(2).set_axis(1);
    EXPECT_THAT(Errors(b), ElementsAre("AX101 conv in1"));
  }
  // Every member of a list argument is a port of its own.
  for (int wrong = -1; wrong < 3; ++wrong) {
    AnnotatedBuilder b;
    const int narrow = b.Act();
    const int wide = b.Act(kU16);
    v1::Node& cat = b.Op("aten.cat.default", "cat", {}, {}, narrow, {3, 8});
    for (int i = 0; i < 3; ++i) {
      const std::string name = absl::StrCat("x", i);
      b.Input(name, kF32, {1, 8});
      cat.add_inputs(b.Id(name));
      cat.add_input_args(0);
      cat.add_input_specs(i == wrong ? wide : narrow);
    }
    if (wrong < 0) {
      EXPECT_THAT(Errors(b), IsEmpty());
    } else {
      EXPECT_THAT(Errors(b), ElementsAre(absl::StrCat("DT101 cat in", wrong)));
    }
  }
  // A repeated node sits on both ports.
  AnnotatedBuilder twice;
  twice.Input("x", kF32, {1, 8});
  const int wide = twice.Act(kU16);
  twice.Op("aten.add.Tensor", "add", {"x", "x"}, {wide, wide}, twice.Act(), {1, 8});
  EXPECT_THAT(Errors(twice), Contains(HasSubstr("DT101 add")));
  twice.Value("add").set_spec(wide);
  EXPECT_THAT(Errors(twice), IsEmpty());
}

TEST(Pitfalls, P03_SharingLikeTorchao) {
  AnnotatedBuilder fine = Relu();
  fine.Value("relu").set_spec(fine.Shared("x", 1));
  EXPECT_THAT(Errors(fine), IsEmpty());
  AnnotatedBuilder dangling = Relu();
  dangling.Value("relu").set_spec(dangling.Shared("x"));
  EXPECT_THAT(Errors(dangling), Contains(HasSubstr("SH001 relu")));
  AnnotatedBuilder circle = Relu();
  circle.Value("relu").set_spec(circle.Shared("x", 1));
  circle.Find("relu").set_input_specs(0, circle.Shared("relu"));
  EXPECT_THAT(Errors(circle), Contains(HasSubstr("SH002 relu")));
}

TEST(Pitfalls, P04_ClosestRowWhenNoneFits) {
  EXPECT_THAT(Errors(Relu(kU16, kU16)), IsEmpty());
  const v1::Report report = CheckOn(Relu(kU16, kU8).graph, kV75);
  ASSERT_EQ(report.results(0).verdict(), v1::Result::REJECTED);
  const v1::Finding& finding = report.results(0).findings(0);
  EXPECT_EQ(finding.code(), "DT101");
  EXPECT_THAT(finding.observed(), HasSubstr("UFIXED_POINT_"));
  EXPECT_THAT(finding.allowed(), HasSubstr("UFIXED_POINT_"));
  EXPECT_THAT(finding.source().row(), HasSubstr("Relu/"));
  EXPECT_EQ(finding.source().table(), "qnn_htp@2.25.0");
}

TEST(Pitfalls, P05_EveryKindOfSpecOnItsOwnTerms) {
  const auto tanh = [](double zero_point) {
    AnnotatedBuilder b(v1::STAGE_CALIBRATED);
    b.Input("x", kF32, {1, 8});
    const int read = b.Act(kU16, 1e-4, 30000);
    b.Op("aten.tanh.default", "tanh", {"x"}, {read}, b.Fixed(kU16, 1.0 / 32768, zero_point), {1, 8});
    return b;
  };
  EXPECT_THAT(Errors(tanh(32768)), IsEmpty());
  EXPECT_THAT(Errors(tanh(32767)), ElementsAre("FX202 tanh out0"));
  // Explicit None and no spec both mean float, and float weights do not go with integers.
  for (const bool stated : {true, false}) {
    AnnotatedBuilder b = Conv();
    b.Find("conv").set_input_specs(1, stated ? b.None() : 0);
    b.Find("conv").set_input_specs(2, 0);
    EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 conv"))) << stated;
  }
  // Derived: by its source edges.
  AnnotatedBuilder foreign = Conv();
  foreign.At(3).mutable_derived_from(0)->set_value(foreign.Id("conv"));
  foreign.At(3).mutable_derived_from(0)->set_consumer(0);
  EXPECT_THAT(Errors(foreign), Contains("FX004 conv in2"));
  EXPECT_THAT(Errors(Conv()), IsEmpty());
}

TEST(Pitfalls, P06_NotStatedIsNotFalse) {
  // The same statement at an input and at an output; nothing stated allows both schemes.
  for (const char* statement : {"", "symmetric", "asymmetric"}) {
    db::OpConstraints op;
    op.op = "Op";
    op.rows = {MakeRow("INT8", 1, "in[0]=SFIXED_POINT_8 out[0]=SFIXED_POINT_8")};
    if (*statement != 0) op.items = {MakeItem("INT8", "in[0]", {statement}), MakeItem("INT8", "out[0]", {statement})};
    const std::vector<db::ConstraintTable> tables = {MakeTable({op})};
    const TableMatcher matcher = TableMatcher::Compile(tables, {}).value();
    for (const Tri symmetric : {Tri::kYes, Tri::kNo}) {
      TestOp tensors;
      tensors.Input(0, "SFIXED_POINT_8").Output(0, "SFIXED_POINT_8");
      for (BackendTensor* tensor : {&tensors.in(0), &tensors.out(0)}) {
        tensor->qparams = nullptr;
        tensor->symmetric = symmetric;
      }
      MatchResult result;
      matcher.Match(tensors.view(), 75, result);
      const bool violated = *statement != 0 && (absl::StartsWith(statement, "symm") != (symmetric == Tri::kYes));
      EXPECT_EQ(result.violations.size(), violated ? 2 : 0) << statement;
      EXPECT_THAT(result.unjudged, IsEmpty());
    }
  }
}

TEST(Pitfalls, P07_SymmetryAndWidthFromTheNumbers) {
  // A lopsided range under a symmetric scheme.
  AnnotatedBuilder b = Conv();
  b.Range(2, -127, 127);
  EXPECT_THAT(Errors(b), IsEmpty());
  b.Range(2, -100, 27);
  EXPECT_THAT(Errors(b), ElementsAre("QS101 conv in1"));
  // int8 storage of 0..255 is said, not taken for uint8.
  AnnotatedBuilder unsigned_range = Relu(kS8, kS8);
  unsigned_range.Range(1, 0, 255);
  EXPECT_THAT(Errors(unsigned_range), Contains("NR003 relu in0"));
  EXPECT_THAT(Errors(unsigned_range, ""), ElementsAre("NR003 relu in0"));
  unsigned_range.Range(1, -128, 127);
  EXPECT_THAT(Errors(unsigned_range, ""), IsEmpty());
}

TEST(Pitfalls, P08_AxisBlocksAndDynamic) {
  AnnotatedBuilder axis = Conv();
  EXPECT_THAT(Errors(axis), IsEmpty());
  axis.At(2).set_axis(1);
  EXPECT_THAT(Errors(axis), ElementsAre("AX101 conv in1"));
  AnnotatedBuilder blocks = Linear();
  for (int64_t size : {1, 8}) blocks.At(2).add_block_size(size);
  EXPECT_THAT(Errors(blocks, ""), IsEmpty());
  blocks.At(2).set_block_size(1, 24);
  EXPECT_THAT(Errors(blocks, ""), ElementsAre("AX003 linear in1"));
  AnnotatedBuilder dynamic = Linear();
  dynamic.At(1).set_is_dynamic(false);
  EXPECT_THAT(Errors(dynamic), IsEmpty());
  dynamic.At(1).set_is_dynamic(true);
  EXPECT_THAT(Errors(dynamic), Contains("QS202 linear in0"));
}

TEST(Pitfalls, P09_ConstraintsByTarget) {
  EXPECT_THAT(Errors(Conv(kU16, kS16), kV75), IsEmpty());
  EXPECT_THAT(Errors(Conv(kU16, kS16), kV68), ElementsAre("DT105 conv in1"));
  v1::Report report;
  for (const char* unknown : {"qnn_htp/SM9999", "qnn_htp/V0", "qnn_npu/SM8650"}) {
    CheckOptions options;
    options.targets = {unknown};
    EXPECT_EQ(Check(Conv().graph, options, RealModules(), report).code(), absl::StatusCode::kNotFound) << unknown;
  }
  // A backend that nothing judges yet: no answer, which is not acceptance.
  CheckOptions options;
  options.targets = {"qnn_dsp/SM8650"};
  ASSERT_TRUE(Check(Conv().graph, options, RealModules(), report).ok());
  EXPECT_EQ(report.results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_THAT(report.results(0).unjudged_reason(), HasSubstr("no module for qnn_dsp"));
}

TEST(Pitfalls, P10_TheOperatorThatIsEmitted) {
  AnnotatedBuilder depthwise = Conv();
  EXPECT_THAT(Emitted(depthwise, "conv"), ElementsAre("Conv2d"));
  depthwise.Shape("w", kF32, {8, 1, 3, 3});
  depthwise.Int(depthwise.Find("conv"), "groups", 8);
  EXPECT_THAT(Emitted(depthwise, "conv"), ElementsAre("DepthWiseConv2d"));
  EXPECT_THAT(Emitted(Linear(), "linear"), ElementsAre("FullyConnected"));
  // Every output, through its getitem.
  EXPECT_THAT(Errors(Split(kU8, kU8)), IsEmpty());
  EXPECT_THAT(Errors(Split(kU8, kU16)), ElementsAre("DT101 split out1"));
  // A body of a control-flow node is a graph like any other.
  for (const bool wrong : {false, true}) {
    AnnotatedBuilder outer;
    outer.Input("c", v1::DATA_TYPE_BOOL, {});
    v1::Node& cond = outer.Node("aten.cond.default", "cond", {"c"}, {"cond"});
    v1::Attribute& body = *cond.add_attributes();
    body.set_name(outer.Symbol("true"));
    body.set_graph(1);
    *outer.graph.add_subgraphs() = Relu(kU8, wrong ? kU16 : kU8).graph;
    if (wrong) {
      EXPECT_THAT(Errors(outer), Contains(HasSubstr("DT101 relu")));
    } else {
      EXPECT_THAT(Errors(outer), Not(Contains(HasSubstr("relu"))));
    }
  }
}

TEST(Pitfalls, P11_AcrossEdges) {
  const auto chain = [](v1::DataType written, v1::DataType read) {
    AnnotatedBuilder b = Relu(written, written);
    const int spec = b.Act(read);
    b.Op("aten.relu.default", "next", {"relu"}, {spec}, spec, {1, 8});
    return b;
  };
  EXPECT_THAT(Codes(chain(kU8, kU8)), Not(Contains("SH004")));
  EXPECT_THAT(Codes(chain(kU16, kU8)), Contains("SH004"));
  // An operator that moves integers: equal parameters are enough, whatever kind of spec has them.
  const std::vector<int64_t> in = {1, 8};
  const std::vector<int64_t> out = {8, 1};
  EXPECT_THAT(Errors(Calibrated("aten.view.default", 128, 128, 0.02, 0.02, in, out)), IsEmpty());
  EXPECT_THAT(Errors(Calibrated("aten.view.default", 128, 128, 0.02, 0.04, in, out)), ElementsAre("SH202 n out0"));
}

TEST(Pitfalls, P12_UnquantizedTensorsAreLegal) {
  AnnotatedBuilder embedding;
  embedding.Weight("table", kF32, {100, 16}, -1);
  embedding.Input("indices", v1::DATA_TYPE_INT64, {1, 4});
  const int act = embedding.Act();
  embedding.Op("aten.embedding.default", "embedding", {"table", "indices"}, {act, 0}, act, {1, 4, 16});
  EXPECT_THAT(Errors(embedding), IsEmpty());
  embedding.Value("indices").set_dtype(kF32);
  EXPECT_THAT(Errors(embedding), ElementsAre("DT101 embedding in1"));
  EXPECT_THAT(Errors(Where(kU8, kU8)), IsEmpty());  // a boolean condition
  // bfloat16 is judged (no row has it), not an exception; sizes that are not known are refused by name.
  AnnotatedBuilder brain = Relu();
  brain.Value("x").set_dtype(v1::DATA_TYPE_BFLOAT16);
  EXPECT_THAT(Errors(brain), IsEmpty());  // quantized on its way in
  brain.Find("relu").set_input_specs(0, 0);
  EXPECT_THAT(Errors(brain), Contains(HasSubstr("DT101 relu")));
  AnnotatedBuilder symbolic = Relu();
  EXPECT_THAT(Errors(symbolic), IsEmpty());
  symbolic.Value("x").set_dims(0, -1);
  EXPECT_THAT(Errors(symbolic), ElementsAre("GS201 relu in0"));
  EXPECT_THAT(Errors(symbolic, ""), IsEmpty());
}

// ---- Nothing is skipped in silence ----

TEST(Pitfalls, K01_NoTableIsUnknownNotAccepted) {
  const v1::Report old = CheckOn(Conv().graph, "qnn_htp/V68@2.9");
  EXPECT_EQ(old.results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_THAT(old.results(0).verdict_reason(), HasSubstr("older"));
  static const testing::EmptyTables* empty = new testing::EmptyTables;
  ModuleRegistry registry(*empty);
  RegisterBuiltinModules(registry);
  EXPECT_EQ(CheckOn(Conv().graph, kV68, registry).results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_NE(CheckOn(Conv().graph, kV68).results(0).verdict(), v1::Result::UNKNOWN);
}

// Operators that upstream has no rule for: the wide output of each is looked at.
TEST(Pitfalls, K03_OperatorsWithoutAVendorNameAreJudged) {
  struct Case {
    const char* op;
    std::vector<const char*> more;  // inputs after x: i indices, m mask, w weight
    std::vector<int> positions;
  };
  const std::vector<Case> cases = {
      {"aten.index_select.default", {"i"}, {0, 2}}, {"aten.rsqrt.default", {}, {}},
      {"aten.masked_fill.Scalar", {"m"}, {}},       {"aten.scatter.src", {"i", "y"}, {0, 2, 3}},
      {"aten.gather.default", {"i"}, {0, 2}},
  };
  for (const Case& c : cases) {
    for (const bool wrong : {false, true}) {
      AnnotatedBuilder b;
      b.Input("x", kF32, {4, 4});
      b.Input("y", kF32, {4, 4});
      b.Input("i", v1::DATA_TYPE_INT64, {4});
      b.Input("m", v1::DATA_TYPE_BOOL, {4, 4});
      const int act = b.Act();
      std::vector<std::string> inputs = {"x"};
      std::vector<int> specs = {act};
      for (const char* more : c.more) {
        inputs.push_back(more);
        specs.push_back(*more == 'y' ? act : 0);
      }
      v1::Node& node = b.Op(c.op, "n", inputs, specs, wrong ? b.Act(kS16) : act, {4, 4});
      for (int position : c.positions) node.add_input_args(position);
      const std::vector<std::string> errors = Errors(b);
      EXPECT_EQ(std::any_of(errors.begin(), errors.end(), [](const std::string& e) { return e.substr(0, 2) == "DT"; }),
                wrong)
          << c.op << ::testing::PrintToString(errors);
    }
  }
}

TEST(Pitfalls, K05_NoDerivableTypeIsNotAccepted) {
  AnnotatedBuilder b = Relu();
  EXPECT_NE(CheckOn(b.graph, kV75).results(0).verdict(), v1::Result::UNKNOWN);
  b.Find("relu").set_input_specs(0, 0);
  b.Value("x").set_dtype(v1::DATA_TYPE_UNSPECIFIED);
  EXPECT_THAT(NotChecked(b, "relu"), Contains(HasSubstr("element type")));
}

TEST(Pitfalls, K07_TheAnnotatedFlagDecidesNothing) {
  AnnotatedBuilder b = Relu(kU8, kU16);
  for (const bool flag : {true, false}) {
    b.Find("relu").set_annotated(flag);
    EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 relu")));
  }
  AnnotatedBuilder fine = Relu();
  fine.Find("relu").set_annotated(false);
  EXPECT_THAT(Errors(fine), IsEmpty());
}

TEST(Pitfalls, K08_AnnotatedWithoutSpecsIsFloat) {
  // Marked by a helper, but nothing is quantized: float input of an operator that writes integers.
  AnnotatedBuilder b = Relu();
  b.Find("relu").clear_input_specs();
  EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 relu")));
  b.Value("relu").set_spec(0);
  EXPECT_THAT(Errors(b), IsEmpty());  // float throughout
}

TEST(Pitfalls, K12_ResultsBehindGetItem) {
  EXPECT_THAT(Emitted(Split(kU8, kU8), "split"), ElementsAre("Split"));
  // Results that nobody takes have no value in the graph: a Split writes them all the same, unbind does not.
  const auto only_second = [](const char* op, const std::vector<int64_t>& shape) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 8});
    v1::Node& node = b.Node(op, "node", {"x"}, {"node"});
    node.add_input_specs(b.Act());
    b.Int(b.Op("operator.getitem", "second", {"node"}, {}, b.Act(), shape), "index", 1);
    return b;
  };
  AnnotatedBuilder split = only_second("aten.split.Tensor", {2, 3});
  split.Int(split.Find("node"), "dim", 1);
  EXPECT_THAT(NotChecked(split, "node"), Not(IsEmpty()));  // the first may have any size
  split.Int(split.Find("node"), "split_size", 3);
  EXPECT_THAT(Emitted(split, "node"), ElementsAre("Split"));
  EXPECT_THAT(NotChecked(split, "node"), IsEmpty());
  EXPECT_THAT(Errors(split), IsEmpty());
  const AnnotatedBuilder unbind = only_second("aten.unbind.int", {8});
  EXPECT_THAT(Emitted(unbind, "node"), ElementsAre("StridedSlice", "Reshape"));
  EXPECT_THAT(Errors(unbind), IsEmpty());
  const auto topk = [](double zero_point) {
    AnnotatedBuilder b(v1::STAGE_CALIBRATED);
    b.Input("x", kF32, {1, 8});
    b.Int(b.Node("aten.topk.default", "topk", {"x"}, {"topk"}), "k", 2);
    b.Find("topk").add_input_specs(b.Act(kU8, 0.1, 128));
    b.Int(b.Op("operator.getitem", "values", {"topk"}, {}, b.Act(kU8, 0.1, zero_point), {1, 2}), "index", 0);
    b.Int(b.Op("operator.getitem", "indices", {"topk"}, {}, 0, {1, 2}), "index", 1);
    b.Value("indices").set_dtype(v1::DATA_TYPE_INT64);
    return b;
  };
  EXPECT_THAT(Errors(topk(128)), IsEmpty());
  EXPECT_THAT(Errors(topk(0)), Contains(HasSubstr("topk out0")));
  // An index that is not stated leaves the node unjudged rather than accepted.
  AnnotatedBuilder unstated = Split(kU8, kU8);
  unstated.Find("half1").clear_attributes();
  EXPECT_THAT(NotChecked(unstated, "split"), Not(IsEmpty()));
}

// ---- Verdicts ----

TEST(Pitfalls, V10_FixedRangeWithoutStatedParametersIsNotTakenAsMet) {
  // AnnotatedBuilder with an ordinary observer: the prescribed zero point is not known to be met, and that is said.
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  const int act = b.Act(kU16);
  b.Op("aten.tanh.default", "tanh", {"x"}, {act}, act, {1, 8});
  const v1::Report report = CheckOn(b.graph, kV75);
  EXPECT_NE(report.results(0).verdict(), v1::Result::ACCEPTED);
  EXPECT_NE(report.results(0).verdict(), v1::Result::REJECTED);  // V11: nor refused before training
  bool said = false;
  for (const v1::NotChecked& entry : report.results(0).not_checked()) said |= entry.rule() == "FX202";
  EXPECT_TRUE(said);
}

TEST(Pitfalls, V12_AZeroPointAloneIsCompared) {
  const auto softmax = [](double scale, double zero_point) {
    AnnotatedBuilder b(v1::STAGE_CALIBRATED);
    b.Input("x", kF32, {1, 8});
    const int read = b.Act(kU8, 0.1, 100);
    v1::Node& node = b.Op("aten.softmax.int", "n", {"x"}, {read}, b.Act(kU8, scale, zero_point), {1, 8});
    b.Int(node, "dim", -1);
    return b;
  };
  EXPECT_THAT(Errors(softmax(1.0 / 256, 0)), IsEmpty());
  EXPECT_THAT(Errors(softmax(0.01, 0)), IsEmpty());
  EXPECT_THAT(Errors(softmax(1.0 / 256, 3)), ElementsAre("FX203 n out0"));
}

TEST(Pitfalls, V13_ValuesAreComparedWithTolerance) {
  const double rounded = static_cast<double>(0.02f);
  const std::vector<int64_t> shape = {8, 1};
  EXPECT_THAT(Errors(Calibrated("aten.view.default", 128, 128, 0.02, rounded, {1, 8}, shape)), IsEmpty());
  EXPECT_THAT(Errors(Calibrated("aten.view.default", 128, 128, 0.02, 0.0201, {1, 8}, shape)), Not(IsEmpty()));
}

TEST(Pitfalls, V14_SharingWithAnUnrelatedNodeIsNoInvariance) {
  const auto view = [](const std::string& with, int consumer) {
    AnnotatedBuilder b(v1::STAGE_CALIBRATED);
    b.Input("other", kF32, {1, 8});
    b.Input("x", kF32, {1, 8});
    b.Op("aten.relu.default", "relu", {"other"}, {b.Act(kU8, 0.1, 0)}, 1, {1, 8});
    b.Op("aten.view.default", "view", {"x"}, {b.Act(kU8, 0.02, 128)}, b.Shared(with, consumer), {8, 1});
    return b;
  };
  EXPECT_THAT(Errors(view("x", 2)), IsEmpty());  // V15: the anchor is the plain input
  EXPECT_THAT(Errors(view("relu", 0)), ElementsAre("SH202 view out0"));
}

TEST(Pitfalls, V15_EqualFixedParametersAreInvariant) {
  for (const double out : {1.0 / 256, 1.0 / 128}) {
    AnnotatedBuilder b(v1::STAGE_CALIBRATED);
    b.Input("x", kF32, {1, 8});
    const int read = b.Fixed(kU8, 1.0 / 256, 0);
    b.Op("aten.view.default", "n", {"x"}, {read}, b.Fixed(kU8, out, 0), {8, 1});
    if (out == 1.0 / 256) {
      EXPECT_THAT(Errors(b), IsEmpty());
    } else {
      EXPECT_THAT(Errors(b), ElementsAre("SH202 n out0"));
    }
  }
}

TEST(Pitfalls, V18_WidthOfSubByteWeights) {
  AnnotatedBuilder b = Conv();
  b.Range(2, -8, 7);
  EXPECT_THAT(Errors(b), IsEmpty());  // 4 bits go with 8-bit activations
  b.Range(2, -2, 1);
  EXPECT_THAT(Errors(b), ElementsAre("DT203 conv in1"));  // 2 bits do not
}

TEST(Pitfalls, V18_WidthOfWideStorage) {
  // int32 that holds eight bits, as a quantizer may write it, is eight bits.
  for (const auto& [low, high] : std::vector<std::pair<int64_t, int64_t>>{{0, 255}, {-128, 127}}) {
    AnnotatedBuilder b = Relu(kS32, kS32);
    b.Range(1, low, high);
    b.Range(2, low, high);
    EXPECT_THAT(Errors(b), IsEmpty());
    b.Range(2, low, 70000);
    EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 relu")));
  }
  // Storage that says its width.
  AnnotatedBuilder b = Conv(kU8, v1::DATA_TYPE_INT4);
  EXPECT_THAT(Errors(b), IsEmpty());
  EXPECT_THAT(Errors(Conv(kU8, v1::DATA_TYPE_INT2)), ElementsAre("DT203 conv in1"));
  EXPECT_THAT(Errors(Conv(kU8, v1::DATA_TYPE_UINT4)), Not(IsEmpty()));
}

TEST(Pitfalls, V19_FullRangeInt32ActivationsAreRefused) {
  // What a 16-bit configuration becomes that loses its range.
  AnnotatedBuilder b = Relu(kS32, kS32);
  EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 relu")));
  b.Range(1, 0, 65535);
  b.Range(2, 0, 65535);
  EXPECT_THAT(Errors(b), IsEmpty());
}

TEST(Pitfalls, V20_NothingIsRememberedBetweenTargets) {
  const AnnotatedBuilder b = Conv(kU16, kS16);
  for (const bool new_first : {true, false}) {
    ModuleRegistry registry(RealModules().tables());
    RegisterBuiltinModules(registry);
    for (const char* target : new_first ? std::vector<const char*>{"qnn_htp/SM8750@2.25", "qnn_htp/SM8350@2.25"}
                                        : std::vector<const char*>{"qnn_htp/SM8350@2.25", "qnn_htp/SM8750@2.25"}) {
      EXPECT_EQ(CheckOn(b.graph, target, registry).results(0).verdict() == v1::Result::REJECTED,
                absl::StrContains(target, "8350"));
    }
  }
}

TEST(Pitfalls, V22_AnEdgeReferenceNeverFallsBackToTheProducer) {
  // Edge (x, relu) carries no spec; value x does. The reference to the edge dangles all the same.
  AnnotatedBuilder b = Relu();
  b.Value("x").set_spec(1);
  b.Find("relu").clear_input_specs();
  b.Value("relu").set_spec(b.Shared("x", 1));
  EXPECT_THAT(Errors(b), Contains(HasSubstr("SH001 relu")));
  b.Find("relu").add_input_specs(1);
  EXPECT_THAT(Errors(b), IsEmpty());
}

TEST(Pitfalls, V23_KeywordArgumentsAndGaps) {
  // layer_norm(x, normalized_shape, bias=...): the bias is the fourth argument, not the second tensor.
  AnnotatedBuilder b = Conv();
  v1::Node& conv = b.Find("conv");
  conv.clear_inputs();
  conv.add_inputs(b.Id("x"));
  conv.add_inputs(b.Id("b"));
  conv.add_input_args(0);
  conv.add_input_args(2);
  conv.clear_input_specs();
  conv.add_input_specs(1);
  conv.add_input_specs(3);
  EXPECT_THAT(Errors(b), Contains(HasSubstr("GS101 conv")));  // the weight is missing, the bias is not taken for it
  AnnotatedBuilder whole = Conv();
  for (int i = 0; i < 3; ++i) whole.Find("conv").add_input_args(i);
  EXPECT_THAT(Errors(whole), IsEmpty());
}

TEST(Pitfalls, V25_DerivedScaleByItsFormula) {
  for (const double bias : {2e-4, 2.5e-4}) {
    GraphBuilder b = SoundConv();
    b.Value("b_scale").mutable_constant()->set_reals(3, bias);
    if (bias == 2e-4) {
      EXPECT_THAT(Errors(b, ""), IsEmpty());
    } else {
      EXPECT_THAT(Errors(b, ""), ElementsAre(HasSubstr("FX001 conv")));
    }
  }
  // In PyTorch a bias is dequantized by its own scale, and HTP honors it with per-tensor weights.
  AnnotatedBuilder own(v1::STAGE_CALIBRATED);
  own.Input("x", kF32, {1, 8, 16, 16});
  own.Weight("w", kF32, {8, 8, 3, 3}, -1);
  own.Weight("b", kF32, {8}, -1);
  const int bias = own.Act(kS32, 3e-7, 0);
  own.Op("aten.conv2d.default", "conv", {"x", "w", "b"}, {own.Act(kU8, 0.02, 128), own.Act(kS8, 0.01, 0), bias},
         own.Act(kU8, 0.05, 10), {1, 8, 14, 14});
  EXPECT_THAT(Errors(own, ""), IsEmpty());
  EXPECT_THAT(Errors(own), IsEmpty());
}

TEST(Pitfalls, V26_GeometryAgainstTheWeight) {
  AnnotatedBuilder axis = Conv();
  axis.At(2).set_axis(4);
  EXPECT_THAT(Errors(axis, ""), ElementsAre("AX002 conv in1"));
  axis.At(2).set_axis(3);
  EXPECT_THAT(Errors(axis, ""), ElementsAre("AX011 conv in1", "FX005 conv in2"));
  for (const std::vector<int64_t>& blocks : {std::vector<int64_t>{1}, {1, 0}, {1, -1}, {3, 8}, {1, 32}}) {
    AnnotatedBuilder b = Linear();
    for (int64_t size : blocks) b.At(2).add_block_size(size);
    EXPECT_THAT(Errors(b, ""), ElementsAre("AX003 linear in1")) << ::testing::PrintToString(blocks);
  }
  AnnotatedBuilder scheme = Linear();
  for (int64_t size : {1, 8}) scheme.At(2).add_block_size(size);
  EXPECT_THAT(Errors(scheme, ""), IsEmpty());
  scheme.At(2).set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
  EXPECT_THAT(Errors(scheme, ""), ElementsAre("AX003 linear in1"));
}

TEST(Pitfalls, V26_PerChannelWithoutAnAxisIsNotPerTensor) {
  AnnotatedBuilder b = Conv();
  EXPECT_THAT(NotChecked(b, "conv"), Not(Contains(HasSubstr("quantized axis"))));
  b.At(2).clear_axis();
  EXPECT_THAT(NotChecked(b, "conv"), Contains(HasSubstr("quantized axis")));
  // On an activation the scheme alone is refused.
  AnnotatedBuilder relu = Relu();
  relu.At(2).set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
  EXPECT_THAT(Errors(relu), ElementsAre("AX205 relu out0"));
  // No scheme at all: neither one nor the other.
  AnnotatedBuilder open = Conv();
  open.At(2).set_qscheme(v1::Spec::Q_SCHEME_UNSPECIFIED);
  EXPECT_THAT(Errors(open), IsEmpty());
  EXPECT_THAT(NotChecked(open, "conv"), Contains(HasSubstr("encoding is not known")));
}

// ---- What raises an exception upstream ----

TEST(Pitfalls, X01_ExplicitNoneOnABias) {
  AnnotatedBuilder b = Conv();
  EXPECT_THAT(Errors(b), IsEmpty());
  b.Find("conv").set_input_specs(2, b.None());
  EXPECT_THAT(Errors(b), ElementsAre("DT101 conv in2"));
}

TEST(Pitfalls, X02_EdgeAndValueOfOneNodeAreNoCircle) {
  AnnotatedBuilder b = Relu(kU16, kU16);
  b.Value("x").set_spec(1);
  b.Find("relu").set_input_specs(0, b.Shared("x"));
  b.Value("relu").set_spec(b.Shared("x", 1));
  EXPECT_THAT(Errors(b), IsEmpty());
  b.Value("relu").set_spec(b.Act(kU8));  // the edge really is 16 bits wide
  EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 relu")));
}

TEST(Pitfalls, X03_FixedAndDerivedSpecsHaveNoObserver) {
  EXPECT_THAT(Errors(Conv()), IsEmpty());  // a derived bias
  AnnotatedBuilder b = Relu();
  b.Value("relu").set_spec(b.Fixed(kU16, 0.1, 3));
  EXPECT_THAT(Errors(b), Contains(HasSubstr("DT101 relu")));
  b.Value("relu").set_spec(b.Fixed(kU8, 0.1, 3));
  EXPECT_THAT(Errors(b), IsEmpty());
}

TEST(Pitfalls, X07_TwoBitWeightsPerTensor) {
  AnnotatedBuilder b = Conv(kU16);
  b.At(2).set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
  b.At(2).clear_axis();
  b.Range(2, -2, 1);
  EXPECT_THAT(Errors(b, kV75), IsEmpty());
  EXPECT_THAT(Errors(b, "qnn_htp/V69@2.25"), ElementsAre("DT202 conv in1"));
}

TEST(Pitfalls, X08_AWeightWithAnyKindOfSpec) {
  for (const v1::DataType type : {kS8, kS16}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8, 16, 16});
    b.Weight("w", kF32, {8, 8, 3, 3}, -1);
    const int act = b.Act(kU16);
    b.Op("aten.conv2d.default", "first", {"x", "w"}, {act, b.Filter(type)}, act, {1, 8, 14, 14});
    b.Op("aten.conv2d.default", "second", {"x", "w"}, {act, b.Shared("w", 1)}, act, {1, 8, 14, 14});
    if (type == kS8) {
      EXPECT_THAT(Errors(b, kV68), IsEmpty());
    } else {  // G5: the gate reads what the shared spec comes to
      EXPECT_THAT(Errors(b, kV68), ElementsAre("DT105 first in1", "DT105 second in1"));
    }
  }
}

TEST(Pitfalls, X09_PerChannelInt8WithoutARange) {
  AnnotatedBuilder b = Conv();
  EXPECT_FALSE(b.At(2).has_quant_min());
  EXPECT_THAT(Errors(b), IsEmpty());
  b.At(2).set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
  EXPECT_THAT(Errors(b), ElementsAre("QS101 conv in1"));
}

TEST(Pitfalls, X10_UnknownSocIsAnAnswer) {
  CheckOptions options;
  options.targets = {"qnn_htp/UNKNOWN_SM"};
  v1::Report report;
  const absl::Status status = Check(Conv().graph, options, RealModules(), report);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("UNKNOWN_SM"), HasSubstr("V75")));
  options.targets = {"qnn_htp/SM8650@2.25"};
  EXPECT_TRUE(Check(Conv().graph, options, RealModules(), report).ok());
}

// ---- Architecture gates ----

TEST(Pitfalls, G01_SixteenBitWeightsByTheirWidth) {
  // As int16, as int32 with a 16-bit range, and in a linear layer.
  EXPECT_THAT(Errors(Conv(kU16, kS16), kV68), ElementsAre("DT105 conv in1"));
  EXPECT_THAT(Errors(Linear(kU16, kS16), kV68), Not(IsEmpty()));
  AnnotatedBuilder stored = Conv(kU16, kS32);
  stored.Range(2, -32767, 32767);
  EXPECT_THAT(Errors(stored, kV68), ElementsAre("DT105 conv in1"));
  EXPECT_THAT(Errors(stored, kV75), IsEmpty());
}

TEST(Pitfalls, G02_GammaOfLayerNormIsTheThirdArgument) {
  for (const v1::DataType gamma : {kU8, kS16}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8});
    b.Weight("gamma", kF32, {8}, -1);
    const int act = b.Act(kU16);
    v1::Node& node = b.Op("aten.layer_norm.default", "norm", {"x", "gamma"}, {act, b.Act(gamma)}, act, {1, 4, 8});
    node.add_input_args(0);
    node.add_input_args(2);
    const std::vector<std::string> errors = Errors(b, kV68);
    EXPECT_EQ(
        std::any_of(errors.begin(), errors.end(), [](const std::string& e) { return absl::StrContains(e, "in1"); }),
        gamma == kS16)
        << ::testing::PrintToString(errors);
  }
}

TEST(Pitfalls, G03_TransposedConvolutionsHaveGatesToo) {
  const auto make = [](bool blocked, v1::DataType activation, v1::DataType weight) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8, 16, 16});
    b.Weight("w", kF32, {8, 8, 2, 2}, -1);
    const int act = b.Act(activation);
    const int filter = b.Filter(weight, 1);
    if (blocked) {
      for (int64_t size : {4, 1, 1, 1}) b.At(filter).add_block_size(size);
    }
    b.Op("aten.conv_transpose2d.input", "up", {"x", "w"}, {act, filter}, act, {1, 8, 17, 17});
    return b;
  };
  EXPECT_THAT(Errors(make(false, kU8, kS8), kV68), IsEmpty());
  EXPECT_THAT(Errors(make(true, kU8, kS8), kV68), Not(IsEmpty()));
  EXPECT_THAT(Errors(make(false, kU16, kS16), kV68), Not(IsEmpty()));
  EXPECT_THAT(Errors(make(false, kU16, kS16), kV75), IsEmpty());
}

TEST(Pitfalls, G04_MatMulIsJudgedByWhatItsEdgesSay) {
  const auto make = [](v1::DataType second) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8});
    b.Input("y", kF32, {1, 8, 4});
    const int act = b.Act(kU16);
    b.Op("aten.matmul.default", "mm", {"x", "y"}, {act, b.Act(second)}, act, {1, 4, 4});
    return b;
  };
  EXPECT_THAT(Errors(make(kU8), kV68), IsEmpty());
  EXPECT_THAT(Errors(make(kS16), kV68), Not(IsEmpty()));
}

TEST(Pitfalls, G07_GatesBeyondBlocksAndWideWeights) {
  // Gather has no float kernel on V68.
  AnnotatedBuilder b;
  b.Input("x", kF32, {10, 4});
  b.Input("i", v1::DATA_TYPE_INT64, {3});
  v1::Node& node = b.Op("aten.index_select.default", "n", {"x", "i"}, {}, 0, {3, 4});
  node.add_input_args(0);
  node.add_input_args(2);
  EXPECT_THAT(Errors(b, kV68), ElementsAre(HasSubstr("DT205 n")));
  EXPECT_THAT(Errors(b, "qnn_htp/V69@2.25"), IsEmpty());
}

}  // namespace
}  // namespace quantgate
