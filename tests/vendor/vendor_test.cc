// The agreement tool's parts, and a sample of what the vendor's library answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "db/database.h"
#include "rules/check.h"
#include "tests/rules/less_known.h"
#include "tests/vendor/case.h"
#include "tests/vendor/lines.h"
#include "tests/vendor/tally.h"
#include "tests/vendor/verdict.h"

namespace quantgate::vendor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kRelu[] =
    R"({"id":"a","op":"Relu","arch":"V75","sdk":"2.51.0","kind":"row","config":{"inputs":[{"name":"x","dtype":)"
    R"("UFIXED_POINT_8","shape":[1,8],"encoding":{"kind":"per_tensor","scale":0.02,"zero_point":128}}],"outputs":[)"
    R"({"name":"y","dtype":"UFIXED_POINT_8","shape":[1,8],"encoding":{"kind":"per_tensor","scale":0.02,)"
    R"("zero_point":128}}],"params":{}},"vendor":{"validate":"accept","finalize":"accept"}})";

std::string With(const std::string& from, const std::string& to) { return absl::StrReplaceAll(kRelu, {{from, to}}); }

class Engine {
 public:
  // Without corrections it is ten times as fast; with them, their search meets all that the vendor refuses.
  explicit Engine(bool corrections = true)
      : tables_(db::Database::OpenDefault()), modules_(**tables_), corrections_(corrections) {
    RegisterBuiltinModules(modules_);
  }
  v1::Result Judge(const Case& asked, const char* toolchain = "qnn-converter") {
    CheckOptions options;
    options.targets = {asked.target};
    options.toolchain = toolchain;
    options.corrections = corrections_;
    v1::Report report;
    EXPECT_TRUE(Check(asked.graph, options, modules_, report).ok()) << asked.id;
    return report.results(0);
  }

 private:
  absl::StatusOr<std::unique_ptr<db::Database>> tables_;
  ModuleRegistry modules_;
  const bool corrections_;
};

TEST(ParseCase, MakesAGraphOfOneNode) {
  const auto parsed = ParseCase(kRelu);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->target, "qnn_htp/V75@2.51.0");
  EXPECT_TRUE(parsed->accepted);
  ASSERT_EQ(parsed->graph.nodes_size(), 1);
  EXPECT_EQ(parsed->graph.symbols(parsed->graph.nodes(0).op() - 1), "Relu");
  EXPECT_EQ(parsed->graph.specs(0).qparams().zero_points(0), 128);
  EXPECT_FALSE(parsed->graph.specs(0).has_quant_min());
}

TEST(ParseCase, ABitWidthEncodingStatesItsRange) {
  const auto parsed = ParseCase(With(R"("scale":0.02)", R"("bits":4,"scale":0.02)"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->graph.specs(0).quant_min(), 0);
  EXPECT_EQ(parsed->graph.specs(0).quant_max(), 15);
}

TEST(ParseCase, SaysWhatIsWrongWithALine) {
  for (const auto& [line, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "not JSON"},
           {"{", "not JSON"},
           {"[]", "type"},
           {"{}", "key 'id' not found"},
           {With("\"outputs\"", "\"no_outputs\""), "key 'outputs' not found"},
           {With("UFIXED_POINT_8", "UFIXED_POINT_7"), "unknown element type UFIXED_POINT_7"},
           {With("0.02", "NaN"), "not JSON"},
           {With("[1,8]", "[1,1e30]"), "size"},
           {With("[1,8]", "[1,\"8\"]"), "type"},
           {With("[1,8]", absl::StrCat(std::string(100000, '['), std::string(100000, ']'))), "nested too deep"},
           {With(R"("scale":0.02)", R"("bits":99,"scale":0.02)"), "an encoding of 99 bits"},
           {With(R"("finalize":"accept")", R"("finalize":"accept","output_encoding":"lost")"), "output_encoding"},
       }) {
    const auto parsed = ParseCase(line);
    ASSERT_FALSE(parsed.ok()) << line;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(why)) << line;
  }
}

TEST(ParseCase, TakesNumbersThatJsonCannotWrite) {
  const auto parsed = ParseCase(With("0.02", "\"nan\""));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  Engine engine;
  EXPECT_EQ(engine.Judge(*parsed).verdict(), v1::Result::REJECTED);
}

class Lines : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = (std::filesystem::path(::testing::TempDir()) / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::vector<std::string> Read(const std::string& path, absl::Status& status) {
    std::vector<std::string> lines;
    status = ForEachLine(
        path, [&](int64_t number, absl::string_view line) { lines.push_back(absl::StrCat(number, ":", line)); });
    return lines;
  }
};

TEST_F(Lines, OfPlainAndCompressedFiles) {
  absl::Status status;
  EXPECT_THAT(Read(Write("plain", "a\n\nb"), status), ElementsAre("1:a", "3:b"));
  EXPECT_TRUE(status.ok());
  const std::string path = Write("packed.gz", "");
  gzFile file = gzopen(path.c_str(), "wb");
  const std::string text = absl::StrCat(std::string(200000, 'x'), "\nb\n");
  gzwrite(file, text.data(), text.size());
  gzclose(file);
  EXPECT_EQ(Read(path, status).size(), 2);
  EXPECT_TRUE(status.ok());
}

TEST_F(Lines, OfATruncatedFileAreAnError) {
  const std::string path = Write("short.gz", "");
  gzFile file = gzopen(path.c_str(), "wb");
  std::string text;
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&text, i * 7919 % 10007, "\n");
  gzwrite(file, text.data(), text.size());
  gzclose(file);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  absl::Status status;
  EXPECT_FALSE(Read(path, status).empty());
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  Read(path + ".none", status);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

v1::Result Judged(v1::Finding::Effect effect, bool at_output) {
  v1::Result result;
  result.mutable_coverage()->set_nodes(1);
  result.mutable_coverage()->set_checked_nodes(1);
  v1::Finding& finding = *result.add_findings();
  finding.set_effect(effect);
  if (at_output) finding.mutable_location()->set_output(0);
  return result;
}

TEST(Tally, CountsWhatDiffers) {
  Tally tally;
  Case accepted;
  accepted.op = "Reshape";
  accepted.kind = "out_scale";
  accepted.accepted = true;
  accepted.output_encoding = OutputEncoding::kIgnored;
  Case refused;
  refused.op = "Reshape";
  refused.kind = "rank";
  EXPECT_THAT(tally.Add(accepted, Judged(v1::Finding::WRONG_NUMBERS, true)), ElementsAre());
  EXPECT_THAT(tally.Add(accepted, Judged(v1::Finding::WRONG_NUMBERS, false)), ElementsAre("wrong numbers not named"));
  EXPECT_THAT(tally.Add(accepted, Judged(v1::Finding::REFUSED, false)),
              ElementsAre("false reject", "wrong numbers not named"));
  EXPECT_THAT(tally.Add(refused, Judged(v1::Finding::UNSOUND, false)), ElementsAre("false accept"));
  accepted.output_encoding = OutputEncoding::kHonoured;
  EXPECT_THAT(tally.Add(accepted, Judged(v1::Finding::WRONG_NUMBERS, true)),
              ElementsAre("wrong numbers named, and they are right"));
  accepted.output_encoding = OutputEncoding::kInexact;
  v1::Result unknown;
  unknown.set_verdict(v1::Result::UNKNOWN);
  EXPECT_THAT(tally.Add(accepted, unknown), ElementsAre("not judged"));
  EXPECT_EQ(tally.Summary(),
            "agreement: 6 cases, 1 false accepts, 1 false rejects, 1 of 3 wrong-number cases named, 1 of 1 honoured "
            "wrongly named, 1 unknown");
  EXPECT_THAT(tally.Table(), HasSubstr("Reshape"));
}

// What a document forbids and the library takes and computes right is a warning that says so.
TEST(Measured, DocumentedButNotEnforcedIsAWarning) {
  const std::string head =
      R"({"id":"a","arch":"V75","sdk":"2.51.0","kind":"k","vendor":{"validate":"accept","finalize":)"
      R"("accept"},"op":)";
  const auto tensor = [](const char* name, const char* type, const char* shape, const char* encoding) {
    return absl::StrCat(R"({"name":")", name, R"(","dtype":")", type, R"(","shape":)", shape, R"(,"encoding":)",
                        encoding, "}");
  };
  constexpr char kByte[] = R"({"kind":"per_tensor","scale":0.02,"zero_point":128})";
  constexpr char kSigned[] = R"({"kind":"per_tensor","scale":0.02,"zero_point":0})";
  constexpr char kWide[] = R"({"kind":"per_tensor","scale":0.0001,"zero_point":32768})";
  constexpr char kChannels[] = R"({"kind":"per_channel","axis":3,"scale":[0.1,0.2],"zero_point":[128,128]})";
  constexpr char kBlocks[] =
      R"({"kind":"block_expansion","axis":3,"scale":[0.1,0.2],"zero_point":[0,0],"blocks_per_axis":1,)"
      R"("block_scale_bits":4,"block_scale":[1,2],"bits":4})";
  const auto conv = [&](const char* type, const char* encoding) {
    return absl::StrCat(R"("Conv2d","config":{"inputs":[)", tensor("x", "UFIXED_POINT_8", "[1,4,4,4]", kByte), ",",
                        tensor("w", type, "[1,1,4,2]", encoding), R"(],"outputs":[)",
                        tensor("y", "UFIXED_POINT_8", "[1,4,4,2]", kByte),
                        R"(],"params":{"stride":{"dtype":"UINT_32","data":[1,1]},)"
                        R"("pad_amount":{"dtype":"UINT_32","data":[[0,0],[0,0]]}}}})");
  };
  const auto sigmoid =
      absl::StrCat(R"("Sigmoid","config":{"inputs":[)", tensor("x", "UFIXED_POINT_16", "[4]", kWide),
                   R"(],"outputs":[)", tensor("y", "UFIXED_POINT_16", "[4]", kWide), R"(],"params":{}}})");
  const auto joined = absl::StrCat(R"("Concat","config":{"inputs":[)", tensor("a", "UFIXED_POINT_8", "[1,4]", kByte),
                                   ",", tensor("b", "SFIXED_POINT_8", "[1,4]", kSigned), R"(],"outputs":[)",
                                   tensor("y", "UFIXED_POINT_8", "[1,8]", kByte),
                                   R"(],"params":{"axis":{"dtype":"UINT_32","value":1}}}})");
  Engine engine;
  for (const auto& [text, code] : std::vector<std::pair<std::string, std::string>>{
           {conv("UFIXED_POINT_8", kChannels), "QS102"},
           {conv("UFIXED_POINT_8", kChannels), "GS106"},  // not a constant here
           {absl::StrReplaceAll(conv("SFIXED_POINT_8", kBlocks), {{R"("name":"w",)", R"("name":"w","static":true,)"}}),
            "DT105"},
           {sigmoid, "FX101"},
           {joined, "DT104"},
       }) {
    const auto parsed = ParseCase(head + text);
    ASSERT_TRUE(parsed.ok()) << parsed.status() << text;
    bool found = false;
    const v1::Result judged = engine.Judge(*parsed);
    for (const v1::Finding& finding : judged.findings()) {
      EXPECT_NE(finding.effect(), v1::Finding::REFUSED) << finding.code() << " " << finding.message();
      if (finding.code() != code) continue;
      found = true;
      EXPECT_EQ(finding.effect(), v1::Finding::ADVICE);
      EXPECT_EQ(finding.severity(), v1::Finding::WARNING);
      EXPECT_THAT(finding.allowed(), HasSubstr("does not enforce it"));
    }
    EXPECT_TRUE(found) << code << " in " << parsed->op;
  }
}

// Judges every case of a file; names those that differ in `wrong`.
Tally Judge(const std::string& name, std::string& wrong) {
  Engine engine;
  Engine in_steps(/*corrections=*/false);
  Tally tally;
  const std::string path = absl::StrCat(QUANTGATE_TEST_DATA, "/../data/vendor/", name);
  const absl::Status status = ForEachLine(path, [&](int64_t, absl::string_view line) {
    const auto parsed = ParseCase(line);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    if (!tally.Add(*parsed, engine.Judge(*parsed)).empty()) absl::StrAppend(&wrong, parsed->id, "; ");
    if (!tally.AddStep(*parsed, in_steps.Judge(*parsed, "executorch")).empty()) {
      absl::StrAppend(&wrong, parsed->id, ": another step; ");
    }
  });
  EXPECT_TRUE(status.ok()) << status;
  return tally;
}

// 600 configurations drawn from those that the vendor's library (QAIRT 2.51.0) was asked about: some of every operator
// and of every kind of variation, and of those where it takes an operator and ignores the output's encoding.
TEST(Measured, ADrawnSampleAgrees) {
  std::string wrong;
  const Tally tally = Judge("qnn_htp-2.51.0.jsonl", wrong);
  EXPECT_THAT(tally.Summary(),
              HasSubstr("agreement: 600 cases, 0 false accepts, 0 false rejects, 28 of 28 wrong-number"));
  // Whether validation knows that ExtractGlimpse has no float16 differs from configuration to configuration.
  EXPECT_EQ(wrong, "ExtractGlimpse/row1/v73: another step; ");
  EXPECT_THAT(tally.Summary(), HasSubstr(" 0 of 42 honoured wrongly named, 0 unknown"));
}

// For the measured statements of the table a configuration that breaks this one alone and that the library refused,
// and configurations next to them that it took.
TEST(Measured, EveryStatementHasACase) {
  std::string wrong;
  const Tally tally = Judge("qnn_htp-2.51.0-items.jsonl", wrong);
  EXPECT_THAT(tally.Summary(), HasSubstr(" 0 false accepts, 0 false rejects, "));
  // Validation knows other widths than can be prepared, and lets a Concat without `axis` pass.
  EXPECT_EQ(wrong,
            "FullyConnected FP162 w_pc_bits3/v68: another step; FullyConnected INT819 w_pc_bits2/v68: another step; "
            "Concat OTHERS7 missing_param_axis/v68: another step; ");
}

// For rows, items and shape rules a configuration that the library was asked about and that is judged otherwise without
// the statement; with what else is said of it. tests/vendor/mutation tells when a statement has none.
TEST(Measured, StatementsHaveACaseOfTheirOwn) {
  std::string wrong;
  const Tally tally = Judge("qnn_htp-2.51.0-rules.jsonl.gz", wrong);
  EXPECT_THAT(tally.Summary(), HasSubstr(" 0 false accepts, 0 false rejects, "));
  // Where encodings and zero points are both wrong it is not known which of them validation looks at.
  EXPECT_EQ(wrong,
            "Lstm/negative_scale/2153: another step; OneHot/negative_scale_asym/1607: another step; "
            "TopK/several/2050: another step; UnPack/per_channel/2107: another step; ");
}

// Operands of unequal ranks and sizes: limits hold for each, in either order, and signed data is not selected from
// what is spread over the output.
TEST(Measured, OperandsAreBroadcast) {
  std::string wrong;
  const Tally tally = Judge("qnn_htp-2.51.0-broadcast.jsonl.gz", wrong);
  EXPECT_THAT(tally.Summary(), HasSubstr("agreement: 637 cases, 0 false accepts, 0 false rejects, "));
  EXPECT_EQ(wrong, "");
}

// 258 configurations of which SA8295 or QCS6490 are asked: what the first answers otherwise than SM8350, and for every
// operator on floats what the second takes and refuses. All three are V68.
TEST(Measured, SocsOfOneArchDiffer) {
  std::string wrong;
  const Tally tally = Judge("qnn_htp-2.51.0-socs.jsonl.gz", wrong);
  EXPECT_THAT(tally.Summary(), HasSubstr("agreement: 258 cases, 0 false accepts, 0 false rejects, "));
  EXPECT_EQ(wrong, "");
}

// 378 configurations that the library of QAIRT 2.49.40 was asked about: one or two of each kind that 2.51.0 answers
// otherwise, and others at random.
TEST(Measured, TheLibraryBeforeAgrees) {
  std::string wrong;
  const Tally tally = Judge("qnn_htp-2.49.40.jsonl.gz", wrong);
  EXPECT_THAT(tally.Summary(), HasSubstr("agreement: 378 cases, 0 false accepts, 0 false rejects, "));
  // As above: validation knows other widths than can be prepared.
  EXPECT_EQ(wrong,
            "FullyConnected INT819 w_pc_bits2/v68: another step; FullyConnected FP162 w_pc_bits3/v68: another step; ");
}

// The documents of older SDKs, with what the library was measured to do otherwise in place of what they say. It was
// asked in a later version: agreement cannot be complete. The numbers are those at the time of writing: not to get
// worse.
TEST(Measured, TablesOfOlderSdksMostlyAgree) {
  Engine engine;
  struct Expected {
    const char* sdk;
    int cases;  // of archs that the SDK knows
    int least;
  };
  for (const Expected& expected : {Expected{"2.25.0", 530, 515}, Expected{"2.13.0", 438, 376}}) {
    int cases = 0;
    int agree = 0;
    const absl::Status status =
        ForEachLine(QUANTGATE_TEST_DATA "/../data/vendor/qnn_htp-2.51.0.jsonl", [&](int64_t, absl::string_view line) {
          auto parsed = ParseCase(line);
          ASSERT_TRUE(parsed.ok()) << parsed.status();
          parsed->target = absl::StrReplaceAll(parsed->target, {{"@2.51.0", absl::StrCat("@", expected.sdk)}});
          const v1::Result result = engine.Judge(*parsed);
          if (absl::StrContains(result.verdict_reason(), "came later")) return;
          ASSERT_NE(result.verdict(), v1::Result::UNKNOWN) << result.verdict_reason();
          ++cases;
          agree += Refused(result) != parsed->accepted;
        });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(cases, expected.cases);
    EXPECT_GE(agree, expected.least) << expected.sdk;
  }
}

// Under a sanitizer each takes a hundred times as long, and what is said of it is judged without one.
#ifdef QUANTGATE_SANITIZED
constexpr int64_t kEvery = 8;
#else
constexpr int64_t kEvery = 1;
#endif

// What the library took is never refused for the reason that less is known of it.
TEST(Measured, WhatIsNotKnownIsNotRefused) {
  Engine engine(/*corrections=*/false);
  int judged = 0;
  for (const char* name : {"qnn_htp-2.51.0.jsonl", "qnn_htp-2.51.0-items.jsonl", "qnn_htp-2.51.0-rules.jsonl.gz"}) {
    const absl::Status status = ForEachLine(
        absl::StrCat(QUANTGATE_TEST_DATA, "/../data/vendor/", name), [&](int64_t number, absl::string_view line) {
          if (number % kEvery != 0) return;
          const auto parsed = ParseCase(line);
          ASSERT_TRUE(parsed.ok()) << parsed.status();
          for (int way = 0; way < testing::kWaysToKnowLess; ++way) {
            Case less = *parsed;
            testing::KnowLess(less.graph, way, number);
            const v1::Result result = engine.Judge(less);
            ++judged;
            if (!parsed->accepted || way >= testing::kWithoutParameters) continue;
            for (const v1::Finding& finding : result.findings()) {
              if (way == testing::kWithoutSizes && finding.code() == "GS201")
                continue;  // a size that is not known until run time
              EXPECT_NE(finding.effect(), v1::Finding::REFUSED) << way << " " << parsed->id << " " << parsed->op << " "
                                                                << finding.code() << ": " << finding.message();
            }
          }
        });
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_GT(judged, 10000 / kEvery);
}

}  // namespace
}  // namespace quantgate::vendor
