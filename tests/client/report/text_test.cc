#include "client/report/text.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "rules/engine/subject.h"

namespace quantgate {
namespace {

using testing::HasSubstr;
using testing::Not;

template <typename Message>
Message ParseAs(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}
v1::Report Parse(const std::string& text) { return ParseAs<v1::Report>(text); }
v1::Finding ParseFinding(const std::string& text) { return ParseAs<v1::Finding>(text); }

// Two targets: what both report, 96 places of one cause on the first, a target-specific remark on the second.
v1::Report Example() {
  v1::Report report = Parse(R"pb(
    model { path: "vision.onnx" format: "onnx" }
    stage: STAGE_CONVERTED
    mode: STRICT
    results {
      target: "qnn_htp/SM8350@2.25.0"
      verdict: REJECTED
      coverage { nodes: 1200 checked_nodes: 1200 values: 2412 checked_values: 2410 }
      outcome {
        kind: PARTIAL
        cause: 0
        nodes { node: "layer.0.conv" refused: true }
      }
    }
    results {
      target: "qnn_htp/SM8650@2.25.0"
      verdict: ACCEPTED_WITH_WARNINGS
      coverage { nodes: 1200 checked_nodes: 1200 values: 2412 checked_values: 2410 }
      outcome { kind: FULL }
    }
  )pb");
  const v1::Finding wide_weight = ParseFinding(R"pb(
    code: "DT201"
    rule: "wide-weights"
    severity: ERROR
    effect: REFUSED
    location { op: "Conv" input: 1 }
    observed: "SFIXED_POINT_16 on V68"
    allowed: "SFIXED_POINT_8, or V73 and later"
    source { kind: MEASURED table: "qnn_htp@2.25.0" row: "Conv2d/INT16/row 3" document: "HTP library 2.51" }
    fix: "Quantize the weight to 8 bits."
  )pb");
  for (int i = 0; i < 96; ++i) {
    v1::Finding& finding = *report.mutable_results(0)->add_findings();
    finding = wide_weight;
    const std::string node = absl::StrCat("layer.", i, ".conv");
    finding.mutable_location()->set_node(node);
    finding.mutable_location()->set_value(absl::StrCat("layer.", i, ".weight"));
    finding.set_message(absl::StrCat(SubjectText(finding.location()),
                                     " is SFIXED_POINT_16; with activations of UFIXED_POINT_16 that needs V73"));
  }
  for (v1::Result& result : *report.mutable_results()) {
    *result.add_findings() = ParseFinding(R"pb(
      code: "FX001"
      rule: "bias-scale"
      severity: WARNING
      effect: PRECISION
      location { node: "fc" op: "Gemm" input: 2 value: "fc.bias" index: 3 source_line: "net.py:12" }
      message: "fc.bias has scale 0.0125; the accumulator's is 0.01"
      observed: "0.0125"
      allowed: "0.01"
      source { kind: DEFINITION }
    )pb");
    for (int i = 0; i < 2; ++i) {
      v1::NotChecked& entry = *result.add_not_checked();
      entry.set_rule("SH003");
      entry.set_node(absl::StrCat("concat_", i));
      entry.set_reason("qparams are not known");
    }
  }
  return report;
}

TEST(RenderText, IsWhatAReaderSees) {
  Style style;
  style.unicode = true;
  EXPECT_EQ(RenderText(Example(), style),
            "vision.onnx · onnx · converted · 1,200 nodes\n"
            "  ✗ rejected                qnn_htp/SM8350@2.25.0  DT201 ×96, FX001, 2 not checked\n"
            "  ! accepted with warnings  qnn_htp/SM8650@2.25.0  FX001, 2 not checked\n"
            "\n"
            "error[DT201] wide-weights · refused · 96 nodes\n"
            "  input 1 of 96 Conv nodes is SFIXED_POINT_16; with activations of UFIXED_POINT_16 that needs V73\n"
            "  where       input 1 of Conv layer.*.conv: layer.0.conv, layer.1.conv, layer.2.conv and 93 more\n"
            "  observed    SFIXED_POINT_16 on V68\n"
            "  allowed     SFIXED_POINT_8, or V73 and later\n"
            "  source      qnn_htp@2.25.0 Conv2d/INT16/row 3, measured: HTP library 2.51\n"
            "  fix         Quantize the weight to 8 bits.\n"
            "  targets     only qnn_htp/SM8350@2.25.0; not qnn_htp/SM8650@2.25.0\n"
            "\n"
            "warning[FX001] bias-scale · precision\n"
            "  fc.bias has scale 0.0125; the accumulator's is 0.01\n"
            "  where       fc (Gemm), input 2, tensor fc.bias, index 3, net.py:12\n"
            "  observed    0.0125\n"
            "  allowed     0.01\n"
            "  source      definition\n"
            "  targets     all 2\n"
            "\n"
            "  outcome     qnn_htp/SM8350@2.25.0: partial, 1 node refused, because of DT201 at layer.0.conv\n"
            "  outcome     qnn_htp/SM8650@2.25.0: full\n"
            "  checked     1,200 of 1,200 nodes, 2,410 of 2,412 values\n"
            "  not checked SH003, 2 nodes (concat_0, concat_1): qparams are not known\n");
}

TEST(RenderText, VerboseNamesEveryPlace) {
  Style style;
  EXPECT_THAT(RenderText(Example(), style), Not(HasSubstr("layer.50.conv")));
  style.verbose = true;
  EXPECT_THAT(RenderText(Example(), style), HasSubstr("layer.50.conv"));
}

TEST(RenderText, AsciiAndPlainUnlessAskedOtherwise) {
  const std::string text = RenderText(Example(), Style{});
  for (char c : text) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << text;
  Style color;
  color.color = true;
  EXPECT_THAT(RenderText(Example(), color), HasSubstr("\033[1;31merror[DT201]\033[0m"));
}

TEST(RenderText, NoLineIsWiderThanTheStyle) {
  for (int width : {60, 80, 100, 140}) {
    Style style;
    style.width = width;
    const std::string text = RenderText(Example(), style);
    for (absl::string_view line : absl::StrSplit(text, '\n')) EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

TEST(RenderText, HostileNamesStayOnTheirLine) {
  v1::Report report = Example();
  v1::Result& result = *report.mutable_results(0);
  result.mutable_findings(0)->mutable_location()->set_node("x\nexit 0: accepted\033[2J");
  result.set_target("t\r");
  result.mutable_not_checked(0)->set_reason("a\nb");
  report.mutable_model()->set_path("m\n");
  const std::string text = RenderText(report, Style{});
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\nexit 0")));
}

TEST(RenderText, UnknownSaysWhy) {
  const v1::Report report =
      Parse(R"pb(results { target: "x/y@1" verdict: UNKNOWN verdict_reason: "no table for SDK 1" })pb");
  EXPECT_THAT(RenderText(report, Style{}), HasSubstr("? unknown  x/y@1  no table for SDK 1\n"));
}

// What differs from target to target is said whole.
TEST(RenderText, FewWordsOfManyPlacesAreAllSaid) {
  v1::Report report;
  for (const char* arch : {"V68", "V69"}) {
    v1::Result& result = *report.add_results();
    result.set_target(absl::StrCat("qnn_htp/", arch, "@2.51.0"));
    for (const char* node : {"stem", "head"}) {
      v1::Finding& finding = *result.add_findings();
      finding.set_code("DT105");
      finding.mutable_location()->set_op("Conv");
      finding.mutable_location()->set_node(node);
      finding.mutable_location()->set_input(1);
      finding.set_observed(absl::StrCat("16 bits on ", arch));
      finding.set_allowed("V73 or later");
      finding.set_message(
          absl::StrCat(SubjectText(finding.location()), " has 16 bits on ", arch, "; that needs V73 or later"));
    }
  }
  EXPECT_THAT(RenderText(report, Style{}),
              HasSubstr("  input 1 of 2 Conv nodes has 16 bits on V68 or V69; that needs V73 or later\n"));
}

TEST(RenderText, DifferentValuesOfOneCauseAreCounted) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  for (int i = 0; i < 9; ++i) {
    v1::Finding& finding = *result.add_findings();
    finding.set_code("NR001");
    finding.mutable_location()->set_value(absl::StrCat("w", i));
    finding.set_observed(absl::StrCat("-", i + 1));
    finding.set_allowed("positive");
    finding.set_message(
        absl::StrCat(SubjectText(finding.location()), " has scale -", i + 1, "; a scale must be positive"));
  }
  const std::string text = RenderText(report, Style{});
  EXPECT_THAT(text, HasSubstr("  observed    -1, -2, -3 and 6 more\n"));
  EXPECT_THAT(text, HasSubstr("  each of 9 tensors has scale -*; a scale must be positive\n"));
  EXPECT_THAT(text, HasSubstr("9 places"));
}

TEST(RenderMatrix, ModelsTimesTargets) {
  const v1::Report first = Example();
  v1::Report second = Example();
  second.mutable_results(0)->set_verdict(v1::Result::ACCEPTED);
  const std::vector<MatrixRow> rows = {{"vision.onnx", &first}, {"b.onnx", &second}, {"broken.onnx", nullptr}};
  EXPECT_EQ(RenderMatrix(rows, Style{}),
            "model        qnn_htp/SM8350@2.25.0  qnn_htp/SM8650@2.25.0\n"
            "vision.onnx  x rejected             ! accepted with warnings\n"
            "b.onnx       + accepted             ! accepted with warnings\n"
            "broken.onnx  not checked            not checked\n");
  Style narrow;
  narrow.width = 50;  // one column per block
  EXPECT_EQ(RenderMatrix(rows, narrow),
            "model        qnn_htp/SM8350@2.25.0\n"
            "vision.onnx  x rejected\n"
            "b.onnx       + accepted\n"
            "broken.onnx  not checked\n"
            "\n"
            "model        qnn_htp/SM8650@2.25.0\n"
            "vision.onnx  ! accepted with warnings\n"
            "b.onnx       ! accepted with warnings\n"
            "broken.onnx  not checked\n");
}

TEST(RenderRow, SaysWhyAModelCouldNotBeChecked) {
  const v1::Report report = Example();
  EXPECT_EQ(RenderRow({"vision.onnx", &report}, Style{}), RenderText(report, Style{}));
  EXPECT_EQ(RenderRow({"broken\n.onnx", nullptr, "broken.onnx: ends within a tensor"}, Style{}),
            "broken\\x0a.onnx\n  not checked  broken.onnx: ends within a tensor\n");
}

TEST(RenderText, ARuleWithErrorsAndWarningsIsNamedOnce) {
  const v1::Report report = Parse(R"pb(results {
                                         target: "any"
                                         verdict: REJECTED
                                         findings {
                                           code: "QS003"
                                           severity: WARNING
                                           location { node: "a" }
                                         }
                                         findings {
                                           code: "DT001"
                                           severity: WARNING
                                           location { node: "a" }
                                         }
                                         findings {
                                           code: "QS003"
                                           severity: ERROR
                                           location { node: "b" }
                                         }
                                       })pb");
  EXPECT_THAT(RenderText(report, Style{}), testing::HasSubstr("rejected  any  QS003 x2, DT001\n"));
}

TEST(RenderSummary, NamesTheReasonOfTheExitCode) {
  const v1::Report rejected = Example();
  v1::Report accepted = Parse(R"pb(mode: STRICT
                                   results { verdict: ACCEPTED })pb");
  v1::Report warn = rejected;
  warn.set_mode(v1::Report::WARN);
  EXPECT_EQ(RenderSummary({{"m", &rejected}}, 1, Style{}), "exit 1: 1 of 2 results rejected\n");
  EXPECT_EQ(RenderSummary({{"m", &accepted}}, 0, Style{}), "exit 0: 1 result, all accepted\n");
  EXPECT_EQ(RenderSummary({{"m", &accepted}, {"n", nullptr}}, 2, Style{}), "exit 2: 1 model could not be checked\n");
  EXPECT_EQ(RenderSummary({{"m", &warn}}, 0, Style{}), "exit 0: 1 of 2 results rejected; warn mode never rejects\n");
}

TEST(Json, HasEveryListAndReadsBackTheSame) {
  v1::Report report = Parse(R"pb(results { target: "any" verdict: ACCEPTED })pb");
  const std::string json = *ToJson(report);
  for (const char* field : {"\"findings\": []", "\"notChecked\": []", "\"corrections\": []", "\"graphDigest\": \"\"",
                            "\"verdict\": \"ACCEPTED\""}) {
    EXPECT_THAT(json, HasSubstr(field));
  }
  v1::Report again;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(*ToJson(Example()), &again).ok());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(again, Example()));
}

TEST(RenderText, ASimulationBesideACheckIsALine) {
  v1::Report report = Parse(R"pb(
    results { target: "onnxruntime/cpu" verdict: ACCEPTED }
    simulation {
      profile: "onnxruntime"
      inputs: "seed 0, from recorded ranges"
      worst_output: "y"
      nodes { node: "inner" value: "x" sqnr_db: 12 }
      nodes { node: "end" value: "y" sqnr_db: 31.25 }
    }
  )pb");
  Style style;
  style.width = 160;
  EXPECT_THAT(RenderText(report, style),
              HasSubstr("  simulated   worst output 'y': 31.2 dB; arithmetic: onnxruntime; inputs: seed 0, from "
                        "recorded ranges\n"));
  report.mutable_simulation()->clear_worst_output();
  EXPECT_THAT(RenderText(report, style), HasSubstr("  simulated   no noise measured at an output; "));
  report.mutable_simulation()->mutable_nodes(0)->set_float_reason("not computed: an operator without a kernel");
  EXPECT_THAT(RenderText(report, style), HasSubstr("  simulated   1 of 2 results not computed; "));
  report.clear_simulation();
  EXPECT_THAT(RenderText(report, style), Not(HasSubstr("simulated")));
}

TEST(Json, ZeroPositionsAreWrittenAndAbsentOnesAreNot) {
  const v1::Report with = Parse(R"pb(results { findings { location { input: 0 } } })pb");
  const v1::Report without = Parse(R"pb(results { findings { location { node: "n" } } })pb");
  EXPECT_THAT(*ToJson(with), HasSubstr("\"input\": 0"));
  EXPECT_THAT(*ToJson(without), Not(HasSubstr("\"input\"")));
}

TEST(Json, SeveralReportsAreAnArray) {
  const v1::Report report = Parse(R"pb(results { target: "any" })pb");
  EXPECT_EQ(*RowsToJson({}), "[]\n");
  const std::string two = *RowsToJson({{"a", &report, ""}, {"b", &report, ""}});
  EXPECT_TRUE(absl::StartsWith(two, "[\n{"));
  EXPECT_THAT(two, HasSubstr("},\n{"));
  EXPECT_TRUE(absl::EndsWith(two, "}\n]\n"));
  EXPECT_EQ(*RowToJson({"a", &report, ""}), *ToJson(report));
}

TEST(Json, AModelThatCouldNotBeCheckedIsAReportWithoutResults) {
  const std::string json = *RowToJson({"gone \xff\".onnx", nullptr, "no such file"});
  EXPECT_THAT(json, HasSubstr("\"error\": \"no such file\""));
  v1::Report report;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &report, options).ok()) << json;
  EXPECT_EQ(report.model().path(), "gone \xef\xbf\xbd\".onnx");
  EXPECT_TRUE(report.results().empty());
}

}  // namespace
}  // namespace quantgate
