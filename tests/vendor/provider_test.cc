// What ONNX Runtime's QNN provider made of ONNX models of one to five operators, recorded, against what QuantGate says
// for the toolchain onnxruntime. README.md has the form of a line.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "rules/check.h"
#include "tests/vendor/lines.h"

namespace quantgate::vendor {
namespace {

using Json = nlohmann::json;

struct Said {
  std::string outcome;
  std::vector<std::string> refused;  // names of nodes
};

class Provider : public ::testing::Test {
 protected:
  Provider() : tables_(db::Database::OpenDefault()), modules_(**tables_) { RegisterBuiltinModules(modules_); }

  Said Judge(const v1::Graph& graph, const std::string& target, const char* toolchain) {
    CheckOptions options;
    options.targets = {target};
    options.toolchain = toolchain;
    options.corrections = false;
    v1::Report report;
    EXPECT_TRUE(Check(graph, options, modules_, report).ok());
    const v1::Outcome& outcome = report.results(0).outcome();
    Said said;
    said.outcome = v1::Outcome::Kind_Name(outcome.kind());
    for (const v1::NodeOutcome& node : outcome.nodes()) {
      if (node.refused()) said.refused.push_back(node.node());
    }
    return said;
  }

  static void ForEachCase(const std::function<void(const Json&, const v1::Graph&)>& use) {
    const absl::Status read = ForEachLine(
        QUANTGATE_TEST_DATA "/../data/vendor/onnxruntime-qnn-2.7.0.jsonl.gz", [&use](int64_t, absl::string_view line) {
          const Json asked = Json::parse(line);
          SCOPED_TRACE(absl::StrCat(std::string(asked["id"]), " ", std::string(asked["soc"])));
          v1::Graph graph;
          ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(asked["graph"].dump(), &graph).ok());
          use(asked, graph);
        });
    EXPECT_TRUE(read.ok()) << read;
  }

  static std::string TargetOf(const Json& asked) {
    return absl::StrCat("qnn_htp/", std::string(asked["soc"]), "@2.51.0");
  }

 private:
  absl::StatusOr<std::unique_ptr<db::Database>> tables_;
  ModuleRegistry modules_;
};

TEST_F(Provider, DoesWhatIsSaid) {
  int cases = 0;
  int said_otherwise = 0;
  ForEachCase([&](const Json& asked, const v1::Graph& graph) {
    ++cases;
    const Said said = Judge(graph, TargetOf(asked), "onnxruntime");
    EXPECT_EQ(said.outcome, asked.value("said", std::string(asked["outcome"])));
    said_otherwise += asked.contains("said") ? 1 : 0;
    // Never more than the provider does: what is said to be full is.
    if (said.outcome == "FULL") {
      EXPECT_EQ(asked["outcome"], "FULL");
    }
    if (said.outcome == "PARTIAL" && asked["outcome"] == "PARTIAL") {
      const auto left = asked["left"].get<std::vector<std::string>>();
      EXPECT_EQ(absl::c_linear_search(said.refused, "node"), absl::c_linear_search(left, "node"));
    }
  });
  EXPECT_GT(cases, 1700);
  EXPECT_LT(said_otherwise, cases * 4 / 100);
}

}  // namespace
}  // namespace quantgate::vendor
