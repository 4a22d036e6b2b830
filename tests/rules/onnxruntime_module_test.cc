// The CPU kernels of ONNX Runtime, judged by the shipped table: each rule with a node that fires it and its neighbor
// that does not. The expectations are the runtime's own (tests/runtimes/onnxruntime asks it).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "rules/check.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;

constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;

db::Database& OrtTables() {
  static db::Database* database = db::Database::Open(QUANTGATE_TABLES_FILE).value().release();
  return *database;
}

absl::StatusOr<v1::Result> AskOrt(const v1::Graph& graph, const std::string& target = "onnxruntime/cpu") {
  ModuleRegistry modules(OrtTables());
  RegisterBuiltinModules(modules);
  CheckOptions options;
  options.targets = {target};
  v1::Report report;
  if (absl::Status status = Check(graph, options, modules, report); !status.ok()) return status;
  return report.results(0);
}

void SetOpset(GraphBuilder& b, int version) { b.graph.mutable_opset_imports(0)->set_version(version); }

// y = op(x, ...) of tensors of one type.
GraphBuilder Node(const std::string& op, v1::DataType type, int inputs, int opset = 21) {
  GraphBuilder b;
  SetOpset(b, opset);
  std::vector<std::string> names;
  for (int i = 0; i < inputs; ++i) {
    names.push_back(absl::StrCat("x", i));
    b.Input(names.back(), type, {1, 4, 6, 6});
  }
  b.Node(op, "node", names, {"y"});
  b.Shape("y", type, {1, 4, 6, 6});
  b.Output("y");
  return b;
}

GraphBuilder QLinearConv(v1::DataType x, v1::DataType w) {
  GraphBuilder b;
  b.Input("x", x, {1, 4, 6, 6});
  b.Weight("w", w, {8, 4, 1, 1}, 32);
  for (const char* scale : {"xs", "ws", "ys"}) b.Reals(scale, {0.1});
  b.Ints("xz", x, {0});
  b.Ints("wz", w, {0});
  b.Ints("yz", x, {0});
  b.Node("QLinearConv", "node", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"});
  b.Shape("y", x, {1, 8, 6, 6});
  b.Output("y");
  return b;
}

struct OrtCase {
  const char* name;
  std::function<GraphBuilder()> graph;
  const char* code;  // "": accepted without a finding
  v1::Finding::Effect effect = v1::Finding::REFUSED;
};

std::ostream& operator<<(std::ostream& out, const OrtCase& c) { return out << c.name; }

std::vector<OrtCase> OrtCases() {
  return {
      {"FloatAdd", [] { return Node("Add", kFloat, 2); }, ""},
      {"HalfAdd", [] { return Node("Add", v1::DATA_TYPE_FLOAT16, 2); }, ""},  // in float, behind Casts
      {"BfloatAdd", [] { return Node("Add", v1::DATA_TYPE_BFLOAT16, 2); }, "DT501"},
      {"Int8Add13", [] { return Node("Add", kInt8, 2, 13); }, "EN502"},
      {"Int8Add14", [] { return Node("Add", kInt8, 2, 14); }, ""},
      {"FunctionOfKernels", [] { return Node("HardSwish", kFloat, 1); }, ""},
      {"FunctionWithoutKernels", [] { return Node("HardSwish", v1::DATA_TYPE_FLOAT64, 1); }, "DT501"},
      {"Uint8Int8Conv", [] { return QLinearConv(kUint8, kInt8); }, ""},
      {"Int8Uint8Conv", [] { return QLinearConv(kInt8, kUint8); }, "DT501"},
      {"NoCpuKernel", [] { return Node("com.microsoft::QuickGeluNotThere", kFloat, 1); }, "CV501"},
      {"Opset26", [] { return Node("Relu", kFloat, 1, 26); }, ""},
      {"Opset27", [] { return Node("Relu", kFloat, 1, 27); }, "EN501"},
      {"NewIr",
       [] {
         GraphBuilder b = Node("Relu", kFloat, 1);
         b.graph.set_format_version(14);
         return b;
       },
       "EN501"},
  };
}

class OrtModuleTest : public ::testing::TestWithParam<OrtCase> {};

TEST_P(OrtModuleTest, SaysWhatTheRuntimeDoes) {
  const absl::StatusOr<v1::Result> result = AskOrt(GetParam().graph().graph);
  ASSERT_TRUE(result.ok()) << result.status();
  std::string codes;
  bool found = false;
  for (const v1::Finding& finding : result->findings()) {
    codes += finding.code() + " " + finding.message() + "\n";
    if (finding.code() == GetParam().code) {
      found = true;
      EXPECT_EQ(finding.effect(), GetParam().effect);
    }
  }
  if (*GetParam().code == '\0') {
    EXPECT_EQ(codes, "");
    EXPECT_EQ(result->verdict(), v1::Result::ACCEPTED) << result->not_checked_size();
    EXPECT_EQ(result->outcome().kind(), v1::Outcome::FULL);
    return;
  }
  EXPECT_TRUE(found) << codes;
  if (GetParam().effect == v1::Finding::REFUSED) {
    EXPECT_EQ(result->verdict(), v1::Result::REJECTED);
  }
}

INSTANTIATE_TEST_SUITE_P(, OrtModuleTest, ::testing::ValuesIn(OrtCases()),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(OrtModule, ARefusedNodeTakesTheSessionDown) {
  EXPECT_EQ(AskOrt(Node("Add", kInt8, 2, 13).graph)->outcome().kind(), v1::Outcome::FAILS);
}

TEST(OrtModule, OtherProvidersAndOriginsAreNotJudged) {
  EXPECT_EQ(AskOrt(Node("Relu", kFloat, 1).graph, "onnxruntime/cuda").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(AskOrt(Node("Relu", kFloat, 1).graph, "onnxruntime").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AskOrt(Node("Relu", kFloat, 1).graph, "onnxruntime/cpu@1.31")->target(), "onnxruntime/cpu@1.31.1");
  EXPECT_EQ(AskOrt(Node("Relu", kFloat, 1).graph, "onnxruntime/cpu@1.20")->verdict(), v1::Result::UNKNOWN);
  GraphBuilder torch(v1::Graph::PT2E);
  torch.Input("x", kFloat, {4});
  torch.Node("aten.relu.default", "relu", {"x"}, {"relu"});
  torch.Output("relu");
  EXPECT_EQ(AskOrt(torch.graph)->verdict(), v1::Result::UNKNOWN);
}

TEST(OrtModule, OperatorsOfOtherDomainsNeedALibrary) {
  GraphBuilder b = Node("com.example::Blur", kFloat, 1);
  v1::OpsetImport& import = *b.graph.add_opset_imports();
  import.set_domain("com.example");
  import.set_version(1);
  const v1::Result result = AskOrt(b.graph).value();
  EXPECT_EQ(result.verdict(), v1::Result::UNKNOWN);
  ASSERT_GT(result.not_checked_size(), 0);
}

}  // namespace
}  // namespace quantgate
