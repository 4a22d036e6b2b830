// The HTP module as a whole: names of targets, lazily loaded, judged with the real tables.
#include "rules/backends/qnn_htp/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "tests/rules/empty_tables.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::qnn_htp {
namespace {

using ::quantgate::testing::GraphBuilder;
using ::quantgate::testing::SoundConv;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HtpModule : public ::testing::Test {
 protected:
  void SetUp() override {
    static db::Database* database = db::Database::Open(QUANTGATE_TABLES_FILE).value().release();
    tables_ = database;
    absl::StatusOr<std::unique_ptr<Module>> loaded = LoadModule(*tables_);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    module_ = *std::move(loaded);
  }

  absl::StatusOr<Target> Resolve(const std::string& text) { return module_->resolve(*ParseTargetName(text)); }

  struct Answer {
    FindingSink sink;
    ModuleResult result;
    std::vector<std::string> errors;  // codes of findings that are errors
    std::vector<std::string> codes;   // of all
    bool refused() const {
      return std::any_of(result.ops.begin(), result.ops.end(), [](const auto& op) { return op.refused; });
    }
  };
  std::unique_ptr<Answer> Ask(const v1::Graph& message, const std::string& text,
                              Toolchain toolchain = Toolchain::kQnnConverter) {
    auto answer = std::make_unique<Answer>();
    const Graph graph = *Graph::Build(message);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
    Target target = Resolve(text).value();
    target.toolchain = toolchain;
    module_->check(CheckContext(graph, resolved), target, answer->sink, answer->result);
    EXPECT_EQ(answer->result.ops.size(), resolved.ops().size());
    for (const FindingDraft& draft : answer->sink.findings()) {
      answer->codes.emplace_back(draft.rule->code);
      const auto severity = draft.severity != v1::Finding::SEVERITY_UNSPECIFIED ? draft.severity : draft.rule->severity;
      if (severity == v1::Finding::ERROR) answer->errors.emplace_back(draft.rule->code);
    }
    return answer;
  }

  const db::TableSource* tables_ = nullptr;
  std::unique_ptr<Module> module_;
};

TEST_F(HtpModule, TargetNames) {
  EXPECT_EQ(Resolve("qnn_htp/SM8650")->name, "qnn_htp/SM8650@2.51.0");
  EXPECT_EQ(Resolve("qnn_htp/sm8650@2.25")->name, "qnn_htp/SM8650@2.25.0");
  EXPECT_EQ(Resolve("qnn_htp/SM8650")->arch, 75);
  EXPECT_EQ(Resolve("qnn_htp/SM8350")->arch, 68);
  EXPECT_EQ(Resolve("qnn_htp/V75")->name, "qnn_htp/V75@2.51.0");
  EXPECT_EQ(Resolve("qnn_htp/QCM6490")->arch, 68);
  EXPECT_EQ(Resolve("qnn_htp/63")->name, "qnn_htp/63@2.51.0");  // the library knows it by number only
  EXPECT_EQ(Resolve("qnn_htp/57")->name, "qnn_htp/SM8650@2.51.0");
  EXPECT_EQ(Resolve("qnn_htp/SM8650@02.25")->name, "qnn_htp/SM8650@2.25.0");
  EXPECT_EQ(Resolve("qnn_htp/SM8650@02.30")->name, "qnn_htp/SM8650@2.30");
  EXPECT_THAT(Resolve("qnn_htp/SM8650@2.25")->tables, ElementsAre("qnn_htp@2.25.0"));
  EXPECT_THAT(Resolve("qnn_htp/SM8650@2.13")->tables,
              ::testing::UnorderedElementsAre("qnn_htp@2.13.0", "qnn_htp_fp16@2.13.0"));
}

TEST_F(HtpModule, UnknownTargetsAreNeverArchZero) {
  const absl::Status soc = Resolve("qnn_htp/SM8651").status();
  EXPECT_EQ(soc.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(soc.message(), AllOf(HasSubstr("SM8651"), HasSubstr("SM8650")));
  EXPECT_EQ(Resolve("qnn_htp/V71").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Resolve("qnn_htp/V0").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Resolve("qnn_htp").status().code(), absl::StatusCode::kInvalidArgument);
}

// Ids and archs are numbers alike.
TEST_F(HtpModule, ANumberThatIsAnArchAndAnIdIsRefused) {
  const absl::Status status = Resolve("qnn_htp/68").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("V68, or SM8635, whose number is 68?"));
  for (const char* both : {"69", "73", "75", "85", "89"}) {
    EXPECT_EQ(Resolve(absl::StrCat("qnn_htp/", both)).status().code(), absl::StatusCode::kInvalidArgument) << both;
  }
  EXPECT_EQ(Resolve("qnn_htp/SM8635")->arch, 73);
  EXPECT_EQ(Resolve("qnn_htp/V68")->arch, 68);
  EXPECT_EQ(Resolve("qnn_htp/57")->arch, 75);
  EXPECT_EQ(Resolve("qnn_htp/79").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(absl::c_count_if(module_->targets(), [](const Target& target) { return target.soc == "SM8635"; }), 1);
}

// SM8850 has V81, SM8750 V79, SM8650 V75.
TEST_F(HtpModule, ATableDoesNotAnswerForLaterArchs) {
  for (const char* text : {"qnn_htp/SM8850@2.25", "qnn_htp/V81@2.25", "qnn_htp/SM8850@2.30", "qnn_htp/SM8750@2.13"}) {
    const Target target = Resolve(text).value();
    EXPECT_THAT(target.unknown_reason, HasSubstr("came later")) << text;
    EXPECT_THAT(target.tables, IsEmpty()) << text;
  }
  for (const char* text : {"qnn_htp/SM8750@2.25", "qnn_htp/SM8650@2.13", "qnn_htp/SM8850", "qnn_htp/V89@2.51"}) {
    EXPECT_EQ(Resolve(text).value().unknown_reason, "") << text;
  }
}

TEST_F(HtpModule, SocWithoutHtpSaysSo) {
  for (const db::Soc& soc : tables_->socs()) {
    if (soc.arch != 0) continue;
    const absl::Status status = Resolve(absl::StrCat("qnn_htp/", soc.name)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(status.message(), HasSubstr("has no HTP"));
    return;
  }
  ADD_FAILURE() << "no such SoC in the table";
}

TEST_F(HtpModule, SdkBetweenTablesIsJudgedByTheOlderOneAndSaysSo) {
  const Target target = Resolve("qnn_htp/SM8650@2.20").value();
  EXPECT_EQ(target.sdk, "2.13.0");
  EXPECT_EQ(target.name, "qnn_htp/SM8650@2.20");
  EXPECT_THAT(Ask(SoundConv().graph, "qnn_htp/SM8650@2.20")->codes, Contains("EN201"));
  EXPECT_THAT(Ask(SoundConv().graph, "qnn_htp/SM8650@2.25")->codes, Not(Contains("EN201")));
}

TEST_F(HtpModule, SdkOlderThanEveryTableIsUnknown) {
  EXPECT_THAT(Resolve("qnn_htp/SM8650@2.9")->unknown_reason, HasSubstr("older"));
}

TEST_F(HtpModule, EveryTargetOfTheCatalogResolves) {
  const std::vector<Target> targets = module_->targets();
  EXPECT_GT(targets.size(), 60);
  for (const Target& target : targets) {
    EXPECT_GE(target.arch, 68) << target.name;
    EXPECT_TRUE(target.unknown_reason.empty());
  }
}

TEST(HtpModuleLoading, FailsWithoutATable) {
  const testing::EmptyTables empty;
  EXPECT_EQ(LoadModule(empty).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(HtpModule, SoundConvolutionIsAccepted) {
  for (const char* target : {"qnn_htp/V68", "qnn_htp/V75", "qnn_htp/SM8650@2.13"}) {
    const auto answer = Ask(SoundConv().graph, target);
    EXPECT_THAT(answer->errors, IsEmpty()) << target;
    EXPECT_FALSE(answer->refused());
    EXPECT_TRUE(
        std::all_of(answer->result.ops.begin(), answer->result.ops.end(), [](const auto& op) { return op.checked; }));
  }
}

// Other numbers in place of the ones that are there.
void SetScales(GraphBuilder& b, const std::string& name, const std::vector<double>& scales) {
  b.Value(name + "_scale").clear_constant();
  b.Reals(name + "_scale", scales);
}
void SetZeroPoints(GraphBuilder& b, const std::string& name, v1::DataType type, const std::vector<int64_t>& numbers) {
  b.Value(name + "_zp").clear_constant();
  b.Ints(name + "_zp", type, numbers);
}

// 16-bit activations, 16-bit weights.
GraphBuilder WideConv() {
  GraphBuilder b = SoundConv();
  for (const char* x : {"x", "y"}) {
    for (const char* suffix : {"_zp", "_q"}) b.Value(absl::StrCat(x, suffix)).set_dtype(v1::DATA_TYPE_UINT16);
  }
  b.Value("w").set_dtype(v1::DATA_TYPE_INT16);
  b.Value("w_zp").set_dtype(v1::DATA_TYPE_INT16);
  return b;
}

TEST_F(HtpModule, WideConvolutionDiffersBetweenV68AndV75_G1) {
  const auto old = Ask(WideConv().graph, "qnn_htp/SM8350");
  EXPECT_TRUE(old->refused());
  EXPECT_EQ(old->errors.size(), 1) << "one cause, one finding";
  const FindingDraft& finding = old->sink.findings()[0];
  EXPECT_EQ(finding.place.node >= 0 && finding.place.input == 1, true);
  EXPECT_THAT(finding.allowed, HasSubstr("73"));
  const auto recent = Ask(WideConv().graph, "qnn_htp/SM8650");
  EXPECT_THAT(recent->errors, IsEmpty());
  EXPECT_FALSE(recent->refused());
}

TEST_F(HtpModule, LayerNormGammaIsThePortItIs_G2) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 8});
  b.Pair("x", 0.02, 32768, v1::DATA_TYPE_UINT16);
  b.Weight("g", v1::DATA_TYPE_INT16, {8}, 16);
  b.Reals("g_scale", {0.01});
  b.Ints("g_zp", v1::DATA_TYPE_INT16, {0});
  b.Node("DequantizeLinear", "g_DQ", {"g", "g_scale", "g_zp"}, {"g_dq"});
  b.Node("LayerNormalization", "norm", {"x_dq", "g_dq"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4, 8});
  b.Pair("y", 0.05, 32768, v1::DATA_TYPE_UINT16);
  b.Output("y_dq");
  EXPECT_TRUE(Ask(b.graph, "qnn_htp/V69")->refused());
  EXPECT_FALSE(Ask(b.graph, "qnn_htp/V73")->refused());
}

TEST_F(HtpModule, AxisOfTheInputChannelsIsFound_V9) {
  GraphBuilder b = SoundConv();
  b.Find("w_DQ").mutable_attributes(0)->set_i(1);
  SetScales(b, "w", {0.01, 0.01, 0.01});
  SetZeroPoints(b, "w", v1::DATA_TYPE_INT8, {0, 0, 0});
  EXPECT_THAT(Ask(b.graph, "qnn_htp/V75")->errors, Contains("AX101"));
}

TEST_F(HtpModule, PerTensorBiasOfPerChannelWeightsIsDropped) {
  GraphBuilder b = SoundConv();
  SetScales(b, "b", {2e-4});
  SetZeroPoints(b, "b", v1::DATA_TYPE_INT32, {0});
  EXPECT_THAT(Ask(b.graph, "qnn_htp/V75")->errors, Contains("FX201"));
}

TEST_F(HtpModule, ReshapeBetweenScalesComputesSomethingElse) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Pair("x", 0.02, 128);
  b.Ints("shape", v1::DATA_TYPE_INT64, {8, 1}, false);
  b.Node("Reshape", "n", {"x_dq", "shape"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {8, 1});
  b.Pair("y", 0.04, 128);
  b.Output("y_dq");
  EXPECT_THAT(Ask(b.graph, "qnn_htp/V75")->errors, ElementsAre("SH102"));
  EXPECT_THAT(Ask(b.graph, "qnn_htp/V75@2.25")->errors, ElementsAre("SH202"));
  SetScales(b, "y", {0.02});
  EXPECT_THAT(Ask(b.graph, "qnn_htp/V75")->errors, IsEmpty());
}

TEST_F(HtpModule, UnknownOperatorIsRefusedNotSkipped) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4, 4});
  b.Node("Det", "n", {"x"}, {"y"});
  b.Output("y");
  const auto answer = Ask(b.graph, "qnn_htp/V75");
  EXPECT_THAT(answer->errors, ElementsAre("CV201"));
  EXPECT_TRUE(answer->result.ops[0].refused);
}

TEST_F(HtpModule, WhatCannotBeToldIsNotChecked) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4, 4});
  b.Node("Einsum", "n", {"x"}, {"y"});
  b.Output("y");
  const auto answer = Ask(b.graph, "qnn_htp/V75");
  EXPECT_FALSE(answer->result.ops[0].checked);
  ASSERT_EQ(answer->sink.not_checked().size(), 1);
  EXPECT_EQ(answer->sink.not_checked()[0].node, 0);
}

// A pooling without the stride argument ends ExecuTorch's export, in whatever else the graph is fine.
TEST_F(HtpModule, MaxPoolWithoutStrideEndsAnExportWithExecuTorch) {
  for (const bool stated : {false, true}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
    v1::Node& pool = b.Node("aten.max_pool2d.default", "pool", {"x"}, {"y"});
    b.Int(pool, "kernel_size", 2);
    if (stated) b.Int(pool, "stride", 2);
    b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4, 4, 4});
    b.Output("y");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    EXPECT_EQ(answer->errors, stated ? std::vector<std::string>{} : std::vector<std::string>{"EN202"});
    EXPECT_EQ(answer->result.ops[0].ends_export, !stated);
    EXPECT_EQ(answer->result.ops[0].refused, !stated);
    EXPECT_THAT(Ask(b.graph, "qnn_htp/SM8650", Toolchain::kQnnConverter)->errors, IsEmpty());
  }
}

// A layer norm whose reader is laid out anew for a convolution: through what does not mind the layout, and not through
// what does, nor where nothing needs another layout.
TEST_F(HtpModule, LayoutOfALayerNormEndsAnExportWithExecuTorch) {
  struct Case {
    const char* between;
    const char* last;
    bool ends;
  };
  for (const Case& c : std::vector<Case>{{"aten.relu.default", "aten.avg_pool2d.default", true},
                                         {"aten.abs.default", "aten.pixel_unshuffle.default", true},
                                         {"aten.rsqrt.default", "aten.avg_pool2d.default", false},
                                         {"aten.tanh.default", "aten.avg_pool2d.default", false},
                                         {"aten.relu.default", "aten.exp.default", false}}) {
    SCOPED_TRACE(absl::StrCat(c.between, " ", c.last));
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
    v1::Node& norm = b.Node("aten.layer_norm.default", "norm", {"x"}, {"n"});
    b.Int(norm, "normalized_shape", 8);
    b.Shape("n", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
    b.Node(c.between, "between", {"n"}, {"b"});
    b.Shape("b", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
    v1::Node& last = b.Node(c.last, "last", {"b"}, {"y"});
    b.Int(last, "kernel_size", 2);
    b.Int(last, "stride", 2);
    b.Int(last, "downscale_factor", 2);
    b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4, 4, 4});
    b.Output("y");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    EXPECT_EQ(absl::c_linear_search(answer->codes, "EN204"), c.ends);
    EXPECT_EQ(answer->result.ops[0].ends_export, c.ends);
    EXPECT_FALSE(absl::c_linear_search(Ask(b.graph, "qnn_htp/SM8650", Toolchain::kQnnConverter)->codes, "EN204"));
  }
}

// arange -> unsqueeze -> index (refused: it takes two index tensors) -> add to the input.
TEST_F(HtpModule, DelegateOfConstantsAloneEndsAnExportWithExecuTorch) {
  for (const bool two_indices : {true, false}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    constexpr v1::DataType kI32 = v1::DATA_TYPE_INT32;
    b.Input("x", kI32, {1, 8});
    b.Ints("i", kI32, {0, 1});
    b.Node("aten.arange.default", "arange", {}, {"a"});
    b.Shape("a", kI32, {8});
    b.Node("aten.unsqueeze.default", "unsqueeze", {"a"}, {"u"});
    b.Shape("u", kI32, {1, 8});
    v1::Node& index = b.Node("aten.index.Tensor", "index", {"u", "i"}, {"g"});
    if (two_indices) index.add_inputs(b.Id("i"));
    b.Shape("g", kI32, two_indices ? std::vector<int64_t>{2} : std::vector<int64_t>{2, 8});
    b.Node("aten.add.Tensor", "add", {"x", "g"}, {"y"});
    b.Shape("y", kI32, {2, 8});
    b.Output("y");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    EXPECT_EQ(absl::c_linear_search(answer->codes, "CV203"), two_indices);
    EXPECT_EQ(absl::c_any_of(answer->result.ops, [](const auto& op) { return op.ends_export; }), two_indices);
    EXPECT_FALSE(absl::c_linear_search(Ask(b.graph, "qnn_htp/SM8650")->codes, "CV203"));
  }
}

// A relative position bias: constants are indexed, and reach the input through an identity, which is no operator.
TEST_F(HtpModule, ADelegateGoesOnBehindAnIdentity) {
  for (const bool joined : {true, false}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    constexpr v1::DataType kI32 = v1::DATA_TYPE_INT32;
    b.Input("x", kI32, {2, 8});
    b.Ints("i", kI32, {0, 1});
    b.Ints("table", kI32, {0, 1, 2, 3, 4, 5, 6, 7});
    b.Node("aten.unsqueeze.default", "unsqueeze", {"table"}, {"u"});
    b.Shape("u", kI32, {1, 8});
    b.Node("aten.contiguous.default", "contiguous", {"u"}, {"c"});
    b.Shape("c", kI32, {1, 8});
    b.Node("aten.alias.default", "alias", {"c"}, {"d"});
    b.Shape("d", kI32, {1, 8});
    b.Node("aten.unsqueeze.default", "again", {"d"}, {"a"});
    b.Shape("a", kI32, {1, 1, 8});
    b.Node("aten.add.Tensor", "add", {"x", joined ? "a" : "x"}, {"y"});
    b.Shape("y", kI32, {1, 2, 8});
    b.Node("aten.index.Tensor", "index", {joined ? "y" : "a", "i", "i"}, {"g"});
    b.Shape("g", kI32, {2});
    b.Node("aten.unsqueeze.default", "behind", {"g"}, {"h"});
    b.Shape("h", kI32, {2, 1});
    b.Node("aten.add.Tensor", "sum", {"h", joined ? "g" : "x"}, {"z"});
    b.Shape("z", kI32, joined ? std::vector<int64_t>{2, 2} : std::vector<int64_t>{2, 8});
    b.Output("z");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    ASSERT_TRUE(absl::c_any_of(answer->result.ops, [](const auto& op) { return op.refused; }));
    // One delegate, told of once.
    EXPECT_EQ(absl::c_count(answer->codes, "CV203"), joined ? 0 : 1);
  }
}

// Delegates need not be connected: constants go with what else does not wait for the refused node, as an embedding does
// in front of attention.
TEST_F(HtpModule, ConstantsGoIntoADelegateThatIsNotBehindTheRefusedNode) {
  struct Case {
    const char* in_front;  // what another node reads that the refused one waits for
    bool alone;
  };
  for (const Case& c : {Case{"x", false}, Case{"", true}}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    constexpr v1::DataType kI32 = v1::DATA_TYPE_INT32;
    const bool waits = c.in_front[0] != 0;
    b.Input("x", kI32, {2, 2});
    b.Ints("i", kI32, {0, 1});
    b.Node("aten.arange.default", "arange", {}, {"a"});
    b.Shape("a", kI32, {2});
    b.Node("aten.unsqueeze.default", "unsqueeze", {"a"}, {"u"});
    b.Shape("u", kI32, {1, 2});
    b.Node("aten.add.Tensor", "in_front", {"x", "x"}, {"f"});
    b.Shape("f", kI32, {2, 2});
    v1::Node& index = b.Node("aten.index.Tensor", "index", {waits ? "f" : "u", "i", "i"}, {"g"});
    b.Shape("g", kI32, {2});
    if (waits) index.set_inputs(1, b.Id("u"));
    b.Node("aten.add.Tensor", "add", {waits ? "x" : "f", "g"}, {"y"});
    b.Shape("y", kI32, {2, 2});
    b.Output("y");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    ASSERT_TRUE(absl::c_any_of(answer->result.ops, [](const auto& op) { return op.refused; }));
    EXPECT_EQ(absl::c_count(answer->codes, "CV203"), c.alone ? 1 : 0);
  }
}

// What a node with several results is behind, it is behind through each of them.
TEST_F(HtpModule, ARefusedTupleIsInFrontOfWhatReadsItsParts) {
  for (const bool alone : {true, false}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    constexpr v1::DataType kI32 = v1::DATA_TYPE_INT32;
    b.Input("x", kI32, {2, 2});
    b.Node("aten.arange.default", "arange", {}, {"a"});
    b.Shape("a", kI32, {2});
    b.Node("aten.abs.default", "abs", {"a"}, {"u"});
    b.Shape("u", kI32, {2});
    b.Node("aten.frexp.Tensor", "frexp", {"u"}, {"tuple"});
    b.Node("operator.getitem", "getitem", {"tuple"}, {"part"});
    b.Shape("part", kI32, {2, 2});
    b.Node("aten.add.Tensor", "add", {"x", alone ? "part" : "x"}, {"y"});
    b.Shape("y", kI32, {2, 2});
    b.Output("y");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    EXPECT_EQ(absl::c_count(answer->codes, "CV203"), alone ? 1 : 0);
  }
}

// The model casts an index where it enters: that is a node with an input, in front of the refused one.
TEST_F(HtpModule, TheCastOfAnIntegerInputGivesConstantsAnInput) {
  for (const v1::DataType type : {v1::DATA_TYPE_INT64, v1::DATA_TYPE_INT32}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    constexpr v1::DataType kI32 = v1::DATA_TYPE_INT32;
    b.Input("x", kI32, {2, 2});
    b.Input("at", type, {2});
    b.Node("aten.arange.default", "arange", {}, {"a"});
    b.Shape("a", kI32, {2});
    b.Node("aten.unsqueeze.default", "unsqueeze", {"a"}, {"u"});
    b.Shape("u", kI32, {1, 2});
    b.Node("aten.index.Tensor", "index", {"u", "at", "at"}, {"g"});
    b.Shape("g", kI32, {2});
    b.Node("aten.add.Tensor", "add", {"x", "g"}, {"y"});
    b.Shape("y", kI32, {2, 2});
    b.Output("y");
    const auto answer = Ask(b.graph, "qnn_htp/SM8650", Toolchain::kExecuTorch);
    EXPECT_EQ(absl::c_count(answer->codes, "CV203"), type == kI32 ? 1 : 0);
  }
}

TEST_F(HtpModule, RulesThatNeedParametersSayThatTheyDidNotRun) {
  GraphBuilder b(v1::Graph::QNN, v1::STAGE_ANNOTATED);
  // Nothing is quantized: nothing is left unchecked.
  EXPECT_TRUE(Ask(b.graph, "qnn_htp/V75")->sink.not_checked().empty());
  b.graph.add_specs()->set_kind(v1::Spec::PLAIN);
  const auto answer = Ask(b.graph, "qnn_htp/V75");
  EXPECT_FALSE(answer->sink.not_checked().empty());
}

// x -> Relu -> y, as a converter wrote it.
GraphBuilder NetRelu(const std::string& op, v1::DataType type) {
  GraphBuilder b(v1::Graph::QNN, v1::STAGE_CONVERTED);
  b.Input("x", type, {1, 4});
  b.Node(op, "relu", {"x"}, {"y"});
  b.Shape("y", type, {1, 4});
  b.Output("y");
  return b;
}

TEST_F(HtpModule, OperatorsOfOtherPackagesAndUnknownTypesAreNotJudged) {
  const auto half = v1::DATA_TYPE_FLOAT16;
  const auto answer = Ask(NetRelu("Relu", half).graph, "qnn_htp/V75");
  EXPECT_TRUE(answer->result.ops[0].checked);
  EXPECT_TRUE(answer->codes.empty());
  // Both names, whether QNN has an operator of that name or not.
  for (const char* op : {"my.Package::Relu", "my.Package::Fancy"}) {
    const auto other = Ask(NetRelu(op, half).graph, "qnn_htp/V75");
    EXPECT_FALSE(other->result.ops[0].checked);
    EXPECT_TRUE(other->codes.empty()) << other->codes[0];
  }
  const auto typeless = Ask(NetRelu("Relu", v1::DATA_TYPE_UNSPECIFIED).graph, "qnn_htp/V75");
  EXPECT_FALSE(typeless->result.ops[0].checked);
  EXPECT_TRUE(typeless->codes.empty());
}

TEST_F(HtpModule, CodesOfAllRulesAreUnique) {
  std::vector<std::string> codes;
  for (const RuleInfo* rule : module_->rules) codes.emplace_back(rule->code);
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(std::adjacent_find(codes.begin(), codes.end()), codes.end());
}

}  // namespace
}  // namespace quantgate::qnn_htp
