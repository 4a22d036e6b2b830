// One-node configurations whose verdict under the published 2.25.0 tables was worked out by hand-written scripts from
// the documents, independently of this matcher and of the encoded tables. The file also holds what the vendor's newer
// library answered; that is not what is compared here.
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "db/database.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rules/constraints/fixture.h"

namespace quantgate {
namespace {

// "0.5,1*3" is 0.5, 1, 1, 1.
std::vector<double> Numbers(absl::string_view text) {
  std::vector<double> numbers;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> run = absl::StrSplit(part, absl::MaxSplits('*', 1));
    double value = 0;
    int count = 1;
    EXPECT_TRUE(absl::SimpleAtod(run.first, &value)) << text;
    if (!run.second.empty()) {
      EXPECT_TRUE(absl::SimpleAtoi(run.second, &count)) << text;
    }
    numbers.insert(numbers.end(), count, value);
  }
  return numbers;
}

Encoding EncodingOf(const std::string& name) {
  if (name == "per_tensor") return Encoding::kPerTensor;
  if (name == "per_channel") return Encoding::kPerChannel;
  if (name == "bw_per_tensor") return Encoding::kBwPerTensor;
  if (name == "bw_per_channel") return Encoding::kBwPerChannel;
  if (name == "block") return Encoding::kBlock;
  EXPECT_EQ(name, "block_expansion");
  return Encoding::kBlockExpansion;
}

// "in[1] SFIXED_POINT_8 3x3x16x32 static per_channel AXIS BITS SCALES ZERO_POINTS"; the encoding is left out when none.
void AddTensor(absl::string_view text, TestOp& op) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  const size_t bracket = words[0].find('[');
  int index = 0;
  ASSERT_TRUE(absl::SimpleAtoi(words[0].substr(bracket + 1, words[0].size() - bracket - 2), &index)) << text;
  BackendTensor& tensor = words[0][0] == 'i' ? op.in(index) : op.out(index);
  words[0][0] == 'i' ? op.Input(index, words[1]) : op.Output(index, words[1]);
  std::vector<int64_t> dims;
  if (words[2] != "-") {
    for (absl::string_view size : absl::StrSplit(words[2], 'x')) dims.push_back(Numbers(size)[0]);
  }
  op.Shape(tensor, std::move(dims));
  tensor.is_static = words[3] == "static";
  tensor.encoding = Encoding::kNone;
  tensor.qparams = nullptr;
  if (words.size() == 4) return;
  tensor.encoding = EncodingOf(words[4]);
  if (words[5] != "-") tensor.axis = Numbers(words[5])[0];
  if (words[6] != "-") tensor.bits = Numbers(words[6])[0];
  op.Qparams(tensor, Numbers(words[7]), Numbers(words[8]));
}

std::string Describe(const MatchResult& result) {
  return absl::StrCat(absl::StrJoin(result.violations, "\n",
                                    [](std::string* out, const Violation& v) {
                                      absl::StrAppend(out, v.rule->code, " ", v.row, ": ", v.observed, ", allowed ",
                                                      v.allowed);
                                    }),
                      "\n", absl::StrJoin(result.unjudged, "\n", [](std::string* out, const Unjudged& u) {
                        absl::StrAppend(out, "not judged: ", u.rule->code, " ", u.reason);
                      }));
}

TEST(ConstraintsOracleTest, AgreesWithVerdictsWorkedOutFromTheDocuments) {
  const auto database = db::Database::OpenDefault();
  ASSERT_TRUE(database.ok()) << database.status();
  const auto table = (*database)->LoadTable("qnn_htp", "2.25.0");
  ASSERT_TRUE(table.ok()) << table.status();
  const auto definitions = (*database)->LoadDefinitions("qnn_master", "2.25.0");
  ASSERT_TRUE(definitions.ok()) << definitions.status();
  const absl::StatusOr<TableMatcher> matcher = TableMatcher::Compile({*table}, *definitions);
  ASSERT_TRUE(matcher.ok()) << matcher.status();

  // Cases without their arch, and why the other verdict is the right one.
  std::map<std::string, std::string> differences;
  std::ifstream differences_file(QUANTGATE_TEST_DATA "/data/constraints_oracle_differences.tsv");
  ASSERT_TRUE(differences_file.is_open());
  for (std::string line; std::getline(differences_file, line);) {
    differences.insert(absl::StrSplit(line, absl::MaxSplits('\t', 1)));
  }

  std::ifstream file(QUANTGATE_TEST_DATA "/data/constraints_oracle.tsv");
  ASSERT_TRUE(file.is_open());
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_GE(fields.size(), 6u) << line;
    TestOp op(fields[3]);
    if (fields[5] != "-") {
      for (absl::string_view param : absl::StrSplit(fields[5], ' ')) {
        const std::pair<std::string, std::string> parts = absl::StrSplit(param, absl::MaxSplits('=', 1));
        const std::vector<double> values = Numbers(parts.second);
        std::vector<int64_t> ints(values.begin(), values.end());
        const bool integral = std::equal(values.begin(), values.end(), ints.begin());
        op.Param(parts.first, integral ? ints : std::vector<int64_t>(), integral ? std::vector<double>() : values);
      }
    }
    for (size_t i = 6; i < fields.size(); ++i) AddTensor(fields[i], op);
    MatchResult result;
    matcher->Match(op.view(), Numbers(fields[4])[0], result);
    bool errors = false;
    for (const Violation& violation : result.violations) errors |= violation.rule->severity == v1::Finding::ERROR;
    const auto known = differences.find(fields[2].substr(0, fields[2].rfind('/')));
    if (known != differences.end()) {
      EXPECT_NE(errors ? "reject" : "accept", fields[0]) << fields[2] << " agrees now; listed as: " << known->second;
    } else {
      EXPECT_EQ(errors ? "reject" : "accept", fields[0]) << fields[2] << "\n" << Describe(result);
    }
    ++cases;
  }
  EXPECT_GT(cases, 400);
}

}  // namespace
}  // namespace quantgate
