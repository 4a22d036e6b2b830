// The check as a whole: targets, modules, verdicts, order, limits, bodies of control flow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/check.h"
#include "rules/engine/field.h"
#include "rules/engine/finding_writer.h"
#include "rules/engine/nearest.h"
#include "rules/engine/outcome.h"
#include "rules/engine/verdict.h"
#include "rules/graph/digest.h"
#include "rules/graph/resolve.h"
#include "rules/soundness/rules.h"
#include "tests/rules/empty_tables.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;
using ::testing::HasSubstr;
using testing::SoundConv;

constexpr RuleInfo kRefusesConv = {"DT999",
                                   "refuses-conv",
                                   v1::Finding::REFUSED,
                                   v1::Finding::ERROR,
                                   kAtAnyStage,
                                   "{subject}: {observed}; expected {allowed}",
                                   "why",
                                   "fix",
                                   "example"};

// A backend that refuses every Conv on arch 1 and takes everything on arch 2; "unknown" is a target it cannot judge.
std::unique_ptr<Module> FakeModule() {
  auto module = std::make_unique<Module>();
  module->name = "fake";
  module->rules = {&kRefusesConv};
  module->resolve = [](const TargetName& name) -> absl::StatusOr<Target> {
    Target target;
    target.backend = "fake";
    target.soc = name.soc;
    target.sdk = "1.0";
    target.name = absl::StrCat("fake/", name.soc, "@1.0");
    target.arch = name.soc == "one" ? 1 : 2;
    if (name.soc == "unknown") target.unknown_reason = "no table for it";
    if (name.soc == "nothing") return absl::NotFoundError("no SoC is named 'nothing'");
    return target;
  };
  module->check = [](const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result) {
    for (size_t i = 0; i < context.resolved().ops().size(); ++i) {
      const ResolvedOp& op = context.resolved().ops()[i];
      if (context.graph().op_type(op.node) == "Unjudged") continue;
      result.ops[i].checked = true;
      result.ops[i].backend_ops = {"FakeOp"};
      if (target.arch != 1 || context.graph().op_type(op.node) != "Conv") continue;
      result.ops[i].refused = true;
      Place place;
      place.node = op.node;
      sink.Add(kRefusesConv, place, "a Conv", "no Conv");
    }
  };
  return module;
}

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : registry_(tables_) {
    registry_.Register("fake", [this](const db::TableSource&) -> absl::StatusOr<std::unique_ptr<Module>> {
      ++loads_;
      return FakeModule();
    });
    registry_.Register("broken", [](const db::TableSource&) -> absl::StatusOr<std::unique_ptr<Module>> {
      return absl::DataLossError("its table is damaged");
    });
    registry_.Register("absent", [](const db::TableSource&) -> absl::StatusOr<std::unique_ptr<Module>> {
      return absl::NotFoundError("its table is gone");
    });
  }

  absl::Status Run(const v1::Graph& graph, std::vector<std::string> targets, v1::Report::Mode mode = v1::Report::STRICT,
                   std::string toolchain = "") {
    CheckOptions options;
    options.targets = std::move(targets);
    options.mode = mode;
    options.toolchain = std::move(toolchain);
    report_.Clear();
    return Check(graph, options, registry_, report_);
  }

  testing::EmptyTables tables_;
  std::atomic<int> loads_{0};
  ModuleRegistry registry_;
  v1::Report report_;
};

TEST_F(EngineTest, ModuleIsLoadedByTheFirstRequestThatNamesIt) {
  EXPECT_FALSE(registry_.IsLoaded("fake"));
  ASSERT_TRUE(Run(SoundConv().graph, {}).ok());
  EXPECT_FALSE(registry_.IsLoaded("fake"));
  ASSERT_TRUE(Run(SoundConv().graph, {"fake/two"}).ok());
  EXPECT_TRUE(registry_.IsLoaded("fake"));
  EXPECT_EQ(loads_, 1);
}

TEST_F(EngineTest, SixtyFourThreadsLoadItOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&] {
      v1::Report report;
      CheckOptions options;
      options.targets = {"fake/one"};
      options.toolchain = "qnn-converter";
      if (Check(SoundConv().graph, options, registry_, report).ok() &&
          report.results(0).verdict() == v1::Result::REJECTED) {
        ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 64);
  EXPECT_EQ(loads_, 1);
}

TEST_F(EngineTest, ModuleThatFailsToLoadIsUnknownWithTheReason) {
  for (const char* name : {"broken", "absent"}) {
    ASSERT_TRUE(Run(SoundConv().graph, {name, "fake/two"}).ok());
    EXPECT_EQ(report_.results(0).verdict(), v1::Result::UNKNOWN);
    EXPECT_THAT(report_.results(0).verdict_reason(), HasSubstr("its table is"));
    EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::UNKNOWN);
    EXPECT_EQ(report_.results(1).verdict(), v1::Result::ACCEPTED);
    EXPECT_FALSE(registry_.IsLoaded(name));
  }
}

TEST_F(EngineTest, UnknownNamesAreErrorsWithSuggestions) {
  absl::Status status = Run(SoundConv().graph, {"fale/one"});
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean fake?"));
  EXPECT_TRUE(absl::IsNotFound(Run(SoundConv().graph, {"fake/nothing"})));
  for (const char* bad : {"", "/one", "fake/", "fake/one@", "fake/one@x", "fake/one@1.", "fa ke", "fake/o ne", "@1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Run(SoundConv().graph, {bad}))) << bad;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(Run(SoundConv().graph, {std::string(200, 'a')})));
  EXPECT_THAT(std::string(Run(SoundConv().graph, {"fake@1.0/one"}).message()), HasSubstr("write fake/one@1.0"));
  EXPECT_TRUE(absl::IsInvalidArgument(Run(SoundConv().graph, {"fake/one"}, v1::Report::STRICT, "gcc")));
}

TEST_F(EngineTest, ATargetThatIsNamedTwiceHasOneResult) {
  const std::vector<std::string> targets = {"fake/two", "fake/one@1.0", "fake/two@1", "fake/one"};
  ASSERT_TRUE(Run(SoundConv().graph, targets).ok());
  ASSERT_EQ(report_.results_size(), 2);
  EXPECT_EQ(report_.results(0).target(), "fake/two@1.0");
  EXPECT_EQ(report_.results(1).target(), "fake/one@1.0");

  // Nor does it count twice where targets are bounded by what they cost.
  CheckOptions options;
  options.targets = targets;
  const GraphBuilder conv = SoundConv();
  options.limits.max_judgements = 2 * conv.graph.nodes_size();
  report_.Clear();
  EXPECT_TRUE(Check(conv.graph, options, registry_, report_).ok());
  options.targets.push_back("fake/unknown");
  EXPECT_TRUE(absl::IsResourceExhausted(Check(conv.graph, options, registry_, report_)));
}

TEST_F(EngineTest, VerdictsPerTargetAndMode) {
  ASSERT_TRUE(
      Run(SoundConv().graph, {"fake/one", "fake/two", "fake/unknown"}, v1::Report::STRICT, "qnn-converter").ok());
  EXPECT_EQ(report_.results(0).target(), "fake/one@1.0");
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::REJECTED);
  EXPECT_EQ(report_.results(1).verdict(), v1::Result::ACCEPTED);
  EXPECT_EQ(report_.results(2).verdict(), v1::Result::UNKNOWN);
  EXPECT_EQ(report_.results(2).verdict_reason(), "no table for it");
  EXPECT_EQ(report_.results(1).coverage().nodes(), report_.results(1).coverage().checked_nodes());
  EXPECT_EQ(report_.results(2).coverage().checked_nodes(), 4);  // folded Q/DQ; no operator was judged

  ASSERT_TRUE(Run(SoundConv().graph, {"fake/one", "fake/unknown"}, v1::Report::WARN).ok());
  EXPECT_EQ(report_.mode(), v1::Report::WARN);
  EXPECT_EQ(report_.results(0).findings_size(), 1);
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
  EXPECT_EQ(report_.results(1).verdict(), v1::Result::UNKNOWN);
}

TEST_F(EngineTest, WhatWasNotJudgedIsNotAccepted) {
  GraphBuilder b = SoundConv();
  b.graph.add_opset_imports()->set_domain("acme");
  b.Node("Unjudged", "u", {"y_dq"}, {"z"});
  b.Output("z");
  b.graph.set_origin(v1::Graph::QNN);  // an operator that no table has is no error there
  ASSERT_TRUE(Run(b.graph, {"fake/two"}).ok());
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_THAT(report_.results(0).verdict_reason(), HasSubstr("could not be judged"));
  EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::UNKNOWN);
}

TEST_F(EngineTest, ToolchainDecidesWhatARefusedNodeMeans) {
  ASSERT_TRUE(Run(SoundConv().graph, {"fake/one"}, v1::Report::STRICT, "qnn-converter").ok());
  EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_EQ(report_.results(0).outcome().cause(), 0);
  EXPECT_EQ(report_.results(0).findings(0).effect(), v1::Finding::REFUSED);

  for (const char* toolchain : {"", "onnxruntime", "onnxruntime@1.20", "litert"}) {
    ASSERT_TRUE(Run(SoundConv().graph, {"fake/one"}, v1::Report::STRICT, toolchain).ok());
    EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::PARTIAL) << toolchain;
    EXPECT_EQ(report_.results(0).findings(0).effect(), v1::Finding::FALLBACK);
    EXPECT_EQ(report_.results(0).findings(0).severity(), v1::Finding::WARNING);
    EXPECT_EQ(report_.results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
  }
  // A quantized constant keeps ExecuTorch from leaving the node to the CPU.
  ASSERT_TRUE(Run(SoundConv().graph, {"fake/one"}, v1::Report::STRICT, "executorch").ok());
  EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::FAILS);
  GraphBuilder float_weights = SoundConv();
  float_weights.Weight("wf", v1::DATA_TYPE_FLOAT32, {8, 3, 3, 3}, 864);
  float_weights.Find("conv").set_inputs(1, float_weights.Id("wf"));
  float_weights.Find("conv").mutable_inputs()->RemoveLast();
  ASSERT_TRUE(Run(float_weights.graph, {"fake/one"}, v1::Report::STRICT, "executorch").ok());
  EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::PARTIAL);
  ASSERT_TRUE(Run(SoundConv().graph, {"fake/two"}).ok());
  EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::FULL);
}

TEST_F(EngineTest, EncodingsHaveNoEffectWhereNobodyReadsThem) {
  const auto ignored = [&] {
    return absl::c_any_of(report_.results(0).not_checked(), [](const v1::NotChecked& entry) {
      return absl::StrContains(entry.reason(), "encodings file has no effect");
    });
  };
  GraphBuilder b = SoundConv();
  b.graph.mutable_encodings_file()->set_layout(v1::EncodingsFile::LAYOUT_KEYED);
  b.graph.mutable_encodings_file()->set_partial(true);
  for (const char* toolchain : {"", "onnxruntime", "executorch", "litert"}) {
    ASSERT_TRUE(Run(b.graph, {"fake/two"}, v1::Report::STRICT, toolchain).ok());
    EXPECT_TRUE(ignored()) << toolchain;
    EXPECT_EQ(report_.results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
  }
  ASSERT_TRUE(Run(b.graph, {"fake/two"}, v1::Report::STRICT, "qnn-converter").ok());
  EXPECT_FALSE(ignored());
  ASSERT_TRUE(Run(SoundConv().graph, {"fake/two"}, v1::Report::STRICT, "onnxruntime").ok());
  EXPECT_FALSE(ignored());
}

// AIMET's strict symmetric grids; the words are the converter's (RC-45).
TEST_F(EngineTest, SymmetricWithoutSmallestNumberIsRefusedWhereItIsRead) {
  GraphBuilder b = SoundConv();
  b.graph.mutable_encodings_file()->set_layout(v1::EncodingsFile::LAYOUT_KEYED);
  b.graph.mutable_encodings_file()->set_partial(true);
  v1::Encoding& encoding = *b.graph.mutable_encodings_file()->add_encodings();
  encoding.set_value(b.Id("x"));
  encoding.set_bit_width(8);
  encoding.set_is_symmetric(true);
  const auto agreement = [&](const char* toolchain, double offset) {
    encoding.clear_offsets();
    encoding.add_offsets(offset);
    EXPECT_TRUE(Run(b.graph, {"fake/two"}, v1::Report::STRICT, toolchain).ok());
    std::vector<std::pair<v1::Finding::Severity, v1::Finding::Effect>> found;
    for (const v1::Finding& finding : report_.results(0).findings()) {
      if (finding.code() == "FI024") found.emplace_back(finding.severity(), finding.effect());
    }
    return found;
  };
  const std::pair refused(v1::Finding::ERROR, v1::Finding::REFUSED);
  const std::pair unclear(v1::Finding::WARNING, v1::Finding::PRECISION);
  const std::pair wrong(v1::Finding::ERROR, v1::Finding::UNSOUND);
  EXPECT_THAT(agreement("qnn-converter", -127), ::testing::ElementsAre(refused));
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::REJECTED);
  EXPECT_EQ(report_.results(0).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(agreement("onnxruntime", -127), ::testing::ElementsAre(unclear));
  EXPECT_THAT(agreement("qnn-converter", 0), ::testing::ElementsAre(unclear));
  EXPECT_THAT(agreement("qnn-converter", -128), ::testing::IsEmpty());
  EXPECT_THAT(agreement("onnxruntime", -7), ::testing::ElementsAre(wrong));
}

TEST(Toolchain, DefaultsFollowOriginAndBackend) {
  EXPECT_EQ(*ResolveToolchain("", "qnn_htp", v1::Graph::ONNX), Toolchain::kQnnConverter);
  EXPECT_EQ(*ResolveToolchain("", "onnxruntime", v1::Graph::ONNX), Toolchain::kOnnxRuntime);
  EXPECT_EQ(*ResolveToolchain("", "qnn_htp", v1::Graph::PT2E), Toolchain::kExecuTorch);
  EXPECT_EQ(*ResolveToolchain("", "litert", v1::Graph::TFLITE), Toolchain::kLiteRt);
  EXPECT_EQ(*ResolveToolchain("", "qnn_htp", v1::Graph::QNN), Toolchain::kQnnConverter);
  EXPECT_EQ(*ResolveToolchain("executorch@1.5.1", "xnnpack", v1::Graph::ONNX), Toolchain::kExecuTorch);
}

TEST(Toolchain, OtherVersionsAreSaid) {
  for (const char* known : {"onnxruntime", "onnxruntime@1.31.1", "onnxruntime@1.31", "onnxruntime@1"}) {
    EXPECT_EQ(OtherVersion(known, Toolchain::kOnnxRuntime, ""), "") << known;
  }
  EXPECT_EQ(OtherVersion("onnxruntime@1.3", Toolchain::kOnnxRuntime, ""),
            "what is known of ONNX Runtime is of 1.31.1; 1.3 may do otherwise");
  EXPECT_EQ(OtherVersion("qnn-converter@2.51", Toolchain::kQnnConverter, "2.51.0"), "");
  EXPECT_EQ(OtherVersion("qnn-converter", Toolchain::kQnnConverter, ""), "");
  EXPECT_EQ(OtherVersion("qnn-converter@9.9", Toolchain::kQnnConverter, "2.51.0"),
            "what is known of QNN's converter is of 2.51.0; 9.9 may do otherwise");
  EXPECT_EQ(OtherVersion("qnn-converter@9.9", Toolchain::kQnnConverter, ""),
            "nothing is known of QNN's converter 9.9 for this target");
}

TEST_F(EngineTest, FindingsAreCompleteAndOrdered) {
  GraphBuilder b = SoundConv();
  b.Value("x_scale").mutable_constant()->set_reals(0, 0);
  b.Value("y_scale").mutable_constant()->set_reals(0, -1);
  b.Value("w_zp").mutable_constant()->set_ints(3, 200);
  b.graph.set_format_version(99);
  ASSERT_TRUE(Run(b.graph, {"fake/one"}).ok());
  std::vector<std::string> seen;
  for (const v1::Finding& f : report_.results(0).findings()) {
    seen.push_back(absl::StrCat(f.code(), " ", f.location().node()));
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("FI003 ", "NR001 x_Q", "NR002 w_DQ", "DT999 conv", "NR001 y_Q"));
}

TEST_F(EngineTest, SameInputSameBytes) {
  GraphBuilder b = SoundConv();
  b.Value("x_scale").mutable_constant()->set_reals(0, 0);
  ASSERT_TRUE(Run(b.graph, {"fake/one", "fake/two"}).ok());
  const std::string first = report_.SerializeAsString();
  ASSERT_TRUE(Run(b.graph, {"fake/one", "fake/two"}).ok());
  EXPECT_EQ(report_.SerializeAsString(), first);
  EXPECT_EQ(GraphDigest(b.graph), GraphDigest(b.graph));
  EXPECT_NE(GraphDigest(b.graph), GraphDigest(SoundConv().graph));
  EXPECT_EQ(GraphDigest(b.graph).size(), 64u);
}

TEST_F(EngineTest, RulesThatCannotRunAtThisStageAreNamed) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1});
  b.Node("aten.relu.default", "relu", {"x"}, {"y"});
  b.Output("y");
  // Nothing is quantized: nothing is left unchecked either.
  ASSERT_TRUE(Run(b.graph, {}).ok());
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::ACCEPTED);

  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(v1::DATA_TYPE_INT8);
  b.Value("y").set_spec(1);
  ASSERT_TRUE(Run(b.graph, {}).ok());
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
  bool bias_scale = false;
  for (const v1::NotChecked& entry : report_.results(0).not_checked()) {
    if (entry.rule() != "FX001") continue;
    bias_scale = true;
    EXPECT_EQ(entry.reason(), "needs a graph that is CALIBRATED or CONVERTED; this one is ANNOTATED");
  }
  EXPECT_TRUE(bias_scale);
}

TEST_F(EngineTest, BodiesOfControlFlowAreChecked) {
  GraphBuilder b;
  b.Input("c", v1::DATA_TYPE_BOOL, {});
  v1::Node& branch = b.Node("If", "branch", {"c"}, {"out"});
  for (const char* name : {"else_branch", "then_branch"}) {  // the last one names the body
    v1::Attribute& attribute = *branch.add_attributes();
    attribute.set_name(b.Symbol(name));
    attribute.set_graph(1);
  }
  b.Output("out");
  GraphBuilder body = SoundConv();
  body.Value("y_scale").mutable_constant()->set_reals(0, 0);
  body.Value("x").set_captured(b.Id("c"));
  body.graph.clear_inputs();
  body.graph.clear_opset_imports();  // bodies have no versions
  body.graph.clear_format_version();
  *b.graph.add_subgraphs() = body.graph;
  ASSERT_TRUE(Run(b.graph, {"fake/one"}).ok());
  ASSERT_EQ(report_.results(0).findings_size(), 2);
  EXPECT_EQ(report_.results(0).findings(0).location().subgraph(), "branch/then_branch");
  EXPECT_EQ(report_.results(0).findings(0).code(), "DT999");
  EXPECT_EQ(report_.results(0).findings(1).code(), "NR001");
  EXPECT_EQ(report_.results(0).coverage().nodes(), b.graph.nodes_size() + body.graph.nodes_size());

  b.graph.mutable_subgraphs(0)->mutable_values(0)->set_captured(1000);
  EXPECT_TRUE(absl::IsInvalidArgument(Run(b.graph, {})));
}

TEST_F(EngineTest, LimitsAreNamed) {
  v1::Graph graph;
  v1::Graph* inner = &graph;
  for (int i = 0; i < 40; ++i) inner = inner->add_subgraphs();
  absl::Status status = Run(graph, {});
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("max_subgraph_depth=32"));

  CheckOptions options;
  options.limits.max_subgraphs = 3;
  v1::Graph wide;
  for (int i = 0; i < 5; ++i) wide.add_subgraphs();
  status = Check(wide, options, registry_, report_);
  EXPECT_THAT(std::string(status.message()), HasSubstr("max_subgraphs=3"));

  status = Run(SoundConv().graph, std::vector<std::string>(300, "fake/one"));
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("max_targets=256"));

  options = {};
  const GraphBuilder conv = SoundConv();
  const int64_t scales = ScalesRead(ResolvedGraph::Resolve(*Graph::Build(conv.graph)));
  EXPECT_GT(scales, 2);
  options.limits.max_scales_read = scales;
  EXPECT_TRUE(Check(conv.graph, options, registry_, report_).ok());
  options.targets = {"fake/one", "fake/two"};
  status = Check(conv.graph, options, registry_, report_);
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("max_scales_read=", scales)));

  GraphBuilder b = SoundConv();
  for (int i = 0; i < 10; ++i) b.Node("FusedMagic", absl::StrCat("m", i), {"y_dq"}, {absl::StrCat("z", i)});
  options = {};
  options.limits.max_findings = 4;
  report_.Clear();
  ASSERT_TRUE(Check(b.graph, options, registry_, report_).ok());
  EXPECT_EQ(report_.results(0).findings_size(), 4);
  EXPECT_THAT(report_.results(0).not_checked(0).reason(), HasSubstr("6 more findings"));
  options.limits.max_findings = 100;
  options.limits.max_report_bytes = 1;  // one of a severity is always said
  report_.Clear();
  ASSERT_TRUE(Check(b.graph, options, registry_, report_).ok());
  EXPECT_EQ(report_.results(0).findings_size(), 1);

  options.targets = {"fake/one", "fake/two"};
  options.limits.max_judgements = 2 * b.graph.nodes_size() - 1;
  status = Check(b.graph, options, registry_, report_);
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("max_judgements="));
}

TEST_F(EngineTest, TheVerdictIsOfAllFindingsAndErrorsAreListedFirst) {
  GraphBuilder b = SoundConv();
  for (int i = 0; i < 10; ++i) b.Node("Relu", "same", {"y_dq"}, {absl::StrCat("r", i)});  // FI007, warnings
  b.Node("Kaputt", "last", {"y_dq"}, {"k"});
  CheckOptions options;
  options.limits.max_findings = 4;
  ASSERT_TRUE(Check(b.graph, options, registry_, report_).ok());
  EXPECT_EQ(report_.results(0).verdict(), v1::Result::REJECTED);
  const auto& findings = report_.results(0).findings();
  ASSERT_EQ(findings.size(), 4);
  EXPECT_EQ(findings[3].code(), "CV001");
}

TEST_F(EngineTest, WhatIsLeftOutIsCountedByRule) {
  GraphBuilder b = SoundConv();
  for (int i = 0; i < 10; ++i) b.Node("Relu", "same", {"y_dq"}, {absl::StrCat("r", i)});  // FI007, warnings
  for (int i = 0; i < 7; ++i) b.Node("Kaputt", absl::StrCat("k", i), {"y_dq"}, {absl::StrCat("k", i)});
  CheckOptions options;
  options.limits.max_findings = 4;
  options.targets = {"fake/one"};
  ASSERT_TRUE(Check(b.graph, options, registry_, report_).ok());
  const v1::Result& result = report_.results(0);
  std::map<std::string, std::string> reasons;
  for (const v1::NotChecked& entry : result.not_checked()) reasons[entry.rule()] = entry.reason();
  EXPECT_THAT(reasons["CV001"], HasSubstr("3 more findings"));
  EXPECT_THAT(reasons["FI007"], HasSubstr("9 more findings"));  // one is listed: none of its severity would be
  EXPECT_THAT(reasons[""], HasSubstr("no corrections were looked for"));
  v1::Report again;
  ASSERT_TRUE(Check(b.graph, options, registry_, again).ok());
  EXPECT_EQ(again.SerializeAsString(), report_.SerializeAsString());
}

TEST_F(EngineTest, ASearchForCorrectionsHasALimitOfFaults) {
  GraphBuilder b = SoundConv();
  for (int i = 0; i < 3; ++i) b.Node("Kaputt", absl::StrCat("k", i), {"y_dq"}, {absl::StrCat("k", i)});
  CheckOptions options;
  options.correction_limits.max_faults = 2;
  ASSERT_TRUE(Check(b.graph, options, registry_, report_).ok());
  ASSERT_EQ(report_.results(0).not_checked_size(), 1);
  EXPECT_THAT(report_.results(0).not_checked(0).reason(), HasSubstr("max_faults=2"));
  options.correction_limits.max_faults = 3;
  report_.Clear();
  ASSERT_TRUE(Check(b.graph, options, registry_, report_).ok());
  EXPECT_EQ(report_.results(0).not_checked_size(), 0);
}

// A budget for two findings of a rule; the third knows its place alone, or is only counted.
TEST(FindingBudgetTest, KeepsPlacesOfRefusedNodes) {
  static constexpr RuleInfo kAdvice = {"ZZ001", "advice", v1::Finding::ADVICE, v1::Finding::INFO, kAtAnyStage, "", "",
                                       "",      ""};
  static constexpr RuleInfo kRefused = {
      "ZZ002", "refused", v1::Finding::REFUSED, v1::Finding::ERROR, kAtAnyStage, "", "", "", ""};
  FindingBudget budget(/*max_of_rule=*/2, /*max_bytes=*/1 << 20);
  FindingSink sink(&budget);
  for (int32_t node = 0; node < 5; ++node) {
    sink.Add(kAdvice, {.node = node}, "a", "b");
    sink.Add(kRefused, {.node = node}, "a", "b");
  }
  EXPECT_EQ(sink.added(), 10);
  ASSERT_EQ(sink.findings().size(), 7u);
  EXPECT_TRUE(sink.findings()[6].bare);
  EXPECT_EQ(sink.findings()[6].place.node, 4);
  EXPECT_EQ(budget.left_out(), (LeftOut{{"ZZ001", 3}}));

  FindingBudget tight(/*max_of_rule=*/100, /*max_bytes=*/1);  // the first of a rule is kept whatever it takes
  FindingSink few(&tight);
  for (int i = 0; i < 3; ++i) few.Add(kAdvice, {}, "a", "b");
  EXPECT_EQ(few.findings().size(), 1u);
}

// A warning that is a refusal where a file is read must not get lost behind those that stay warnings.
TEST(FindingBudgetTest, KeepsTheFirstThatAToolchainMakesMoreOf) {
  static constexpr RuleInfo kUnclear = {
      "ZZ003", "unclear", v1::Finding::PRECISION, v1::Finding::WARNING, kAtAnyStage, "", "", "", ""};
  FindingBudget budget(/*max_of_rule=*/2, /*max_bytes=*/1 << 20);
  FindingSink sink(&budget);
  for (int i = 0; i < 3; ++i) sink.Add(kUnclear, {}, "a", "b");
  FindingDraft refused;
  refused.rule = &kUnclear;
  refused.refused_when_read = true;
  sink.Add(std::move(refused));
  ASSERT_EQ(sink.findings().size(), 3u);
  EXPECT_TRUE(sink.findings()[2].refused_when_read);
  EXPECT_EQ(budget.left_out(), (LeftOut{{"ZZ003", 1}}));
}

// The verdict needs one finding of each severity, with or without text.
TEST(FindingWriterTest, APlaceIsListedWhereNothingElseSaysItsSeverity) {
  const GraphBuilder b = SoundConv();
  const absl::StatusOr<Graph> graph = Graph::Build(b.graph);
  ASSERT_TRUE(graph.ok());
  const auto draft = [](int32_t node, v1::Finding::Severity severity, bool bare) {
    FindingDraft draft;
    draft.rule = &kRefusesConv;
    draft.place.node = node;
    draft.severity = severity;
    draft.bare = bare;
    return draft;
  };
  const auto write = [&](std::vector<FindingDraft> drafts) {
    v1::Result result;
    FindingWriter writer(/*max_findings=*/10, /*max_bytes=*/1 << 20);
    const std::string path;
    writer.Add(*graph, path, drafts);
    EXPECT_FALSE(writer.Write(result));
    return result;
  };
  const v1::Result apart = write({draft(0, v1::Finding::WARNING, false), draft(1, v1::Finding::ERROR, true),
                                  draft(2, v1::Finding::ERROR, true), draft(3, v1::Finding::WARNING, true)});
  ASSERT_EQ(apart.findings_size(), 2);
  EXPECT_EQ(apart.findings(1).severity(), v1::Finding::ERROR);
  EXPECT_THAT(apart.findings(1).observed(), HasSubstr("refused"));
  ASSERT_EQ(apart.not_checked_size(), 1);
  EXPECT_EQ(apart.not_checked(0).rule(), "DT999");
  EXPECT_THAT(apart.not_checked(0).reason(), HasSubstr("2 more findings"));
  EXPECT_EQ(write({draft(0, v1::Finding::ERROR, true), draft(1, v1::Finding::ERROR, false)}).findings_size(), 1);
}

TEST(FindingWriterTest, WhatWasNotCheckedHasTheSameLimit) {
  const GraphBuilder b = SoundConv();
  const absl::StatusOr<Graph> graph = Graph::Build(b.graph);
  ASSERT_TRUE(graph.ok());
  FindingSink sink;
  for (int32_t node = 0; node < 4; ++node) sink.NotChecked(&kRefusesConv, node, "why not");
  v1::Result result;
  FindingWriter writer(/*max_findings=*/3, /*max_bytes=*/1 << 20);
  writer.AddNotChecked(*graph, sink.not_checked());
  EXPECT_FALSE(writer.Write(result));
  ASSERT_EQ(result.not_checked_size(), 4);
  EXPECT_EQ(result.not_checked(2).reason(), "why not");
  EXPECT_THAT(result.not_checked(3).reason(), HasSubstr("1 more places"));
}

TEST_F(EngineTest, LongNamesDoNotMultiply) {
  GraphBuilder b = SoundConv();
  b.Node(std::string(100'000, 'x'), "n", {"y_dq"}, {"z"});
  ASSERT_TRUE(Check(b.graph, {}, registry_, report_).ok());
  EXPECT_LT(report_.results(0).findings(0).observed().size(), 2'100u);
  EXPECT_THAT(report_.results(0).findings(0).observed(), HasSubstr("more bytes)"));
}

TEST_F(EngineTest, CancelledWhenAsked) {
  CheckOptions options;
  options.cancelled = [] { return true; };
  EXPECT_TRUE(absl::IsCancelled(Check(SoundConv().graph, options, registry_, report_)));
  // A rule may take long on a large graph: it is asked before each.
  int asked = 0;
  options.cancelled = [&] { return ++asked > 3; };
  EXPECT_TRUE(absl::IsCancelled(Check(SoundConv().graph, options, registry_, report_)));
  EXPECT_EQ(asked, 4);
  options.targets = {"fake/one"};
  asked = 0;
  options.cancelled = [&] { return ++asked > static_cast<int>(SoundnessRules().size()); };
  EXPECT_TRUE(absl::IsCancelled(Check(SoundConv().graph, options, registry_, report_)));
}

TEST_F(EngineTest, AGraphThatSaysNothingIsRefused) {
  const absl::Status status = Check(v1::Graph(), CheckOptions(), registry_, report_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "graph");
  v1::Graph nodeless;  // a rule's business
  nodeless.set_origin(v1::Graph::ONNX);
  EXPECT_TRUE(Check(nodeless, CheckOptions(), registry_, report_).ok());
}

TEST(Nearest, SuggestsWhatIsClose) {
  const std::vector<std::string> names = {"SM8650", "SM8550", "SM8350", "QCS403", std::string(100, 'x')};
  EXPECT_EQ(DidYouMean("SM8651", names), "; did you mean SM8650, SM8550 or SM8350?");
  EXPECT_EQ(DidYouMean("zzzzzzzz", names), "");
  EXPECT_THAT(NearestNames("sm8350", names, 1), ::testing::ElementsAre("SM8350"));
  EXPECT_EQ(DidYouMean("V5", {"V6"}), "; did you mean V6?");
  EXPECT_EQ(DidYouMean("Nope", {"TopK"}), "");
}

TEST(Verdict, WaivedFindingsDoNotCount) {
  v1::Result result;
  result.mutable_coverage()->set_nodes(1);
  result.mutable_coverage()->set_checked_nodes(1);
  v1::Finding& finding = *result.add_findings();
  finding.set_severity(v1::Finding::ERROR);
  finding.mutable_waiver()->set_reason("known");
  SetVerdict(v1::Report::STRICT, 0, result);
  EXPECT_EQ(result.verdict(), v1::Result::ACCEPTED);
}

TEST(Verdict, InformationDoesNotWarn) {
  v1::Result result;
  result.mutable_coverage()->set_nodes(1);
  result.mutable_coverage()->set_checked_nodes(1);
  result.add_findings()->set_severity(v1::Finding::INFO);
  SetVerdict(v1::Report::STRICT, 0, result);
  EXPECT_EQ(result.verdict(), v1::Result::ACCEPTED);
}

TEST(Verdict, NothingCheckedIsUnknown) {
  v1::Result result;
  result.mutable_coverage()->set_nodes(3);
  SetVerdict(v1::Report::STRICT, 0, result);
  EXPECT_EQ(result.verdict(), v1::Result::UNKNOWN);
  EXPECT_EQ(result.verdict_reason(), "no node of the graph was checked");
}

}  // namespace
}  // namespace quantgate
