// A QNN converter's *_net.json, written by hand after the fields that its serializer writes.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/error.h"
#include "client/import.h"
#include "client/qnn_net/net_importer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/check.h"
#include "tests/client/files.h"
#include "tests/client/onnx/model.h"
#include "tests/rules/empty_tables.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Corpus(const std::string& name) {
  return ReadFile(OnnxData().parent_path().parent_path() / "fuzz" / "corpus" / "qnn_net" / name);
}

const v1::Spec& SpecNamed(const v1::Graph& graph, const std::string& value) {
  const int32_t spec = ValueNamed(graph, value).spec();
  return spec > 0 ? graph.specs(spec - 1) : v1::Spec::default_instance();
}

TEST(QnnNet, ConvolutionIsImportedWhole) {
  const absl::StatusOr<v1::Graph> graph = ImportQnnNet(Corpus("conv.json"), {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->origin(), v1::Graph::QNN);
  EXPECT_EQ(graph->stage(), v1::STAGE_CONVERTED);
  ASSERT_EQ(graph->nodes_size(), 1);
  const v1::Node& node = graph->nodes(0);
  EXPECT_EQ(node.name(), "conv");
  EXPECT_EQ(SymbolOf(*graph, node.op()), "Conv2d");
  EXPECT_THAT(node.inputs(), ElementsAre(1, 2, 3));
  EXPECT_THAT(node.outputs(), ElementsAre(4));
  EXPECT_THAT(graph->inputs(), ElementsAre(1));
  EXPECT_THAT(graph->outputs(), ElementsAre(4));

  EXPECT_EQ(ValueNamed(*graph, "x").dtype(), v1::DATA_TYPE_UINT8);
  EXPECT_THAT(ValueNamed(*graph, "x").dims(), ElementsAre(1, 8, 8, 3));
  EXPECT_THAT(SpecNamed(*graph, "x").qparams().scales(), ElementsAre(0.02));
  EXPECT_THAT(SpecNamed(*graph, "x").qparams().zero_points(), ElementsAre(120));
  EXPECT_TRUE(ValueNamed(*graph, "w").has_constant());
  EXPECT_THAT(SpecNamed(*graph, "w").qparams().axes(), ElementsAre(3));
  EXPECT_THAT(SpecNamed(*graph, "w").qparams().scales(), ElementsAre(0.01, 0.02));
  EXPECT_EQ(SpecNamed(*graph, "b").dtype(), v1::DATA_TYPE_INT32);
  EXPECT_EQ(SpecNamed(*graph, "b").quant_max(), 2147483647);

  EXPECT_THAT(AttributeNamed(*graph, node, "stride")->ints().values(), ElementsAre(1, 1));
  EXPECT_THAT(AttributeNamed(*graph, node, "pad_amount")->ints().values(), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(AttributeNamed(*graph, node, "group")->i(), 1);
  EXPECT_EQ(AttributeNamed(*graph, node, "group")->param_type(), v1::DATA_TYPE_UINT32);
}

TEST(QnnNet, BitWidthEncodingsStateTheirRange) {
  const absl::StatusOr<v1::Graph> graph = ImportQnnNet(Corpus("bit_widths.json"), {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(SpecNamed(*graph, "w").quant_min(), -8);
  EXPECT_EQ(SpecNamed(*graph, "w").quant_max(), 7);
  EXPECT_THAT(SpecNamed(*graph, "w").qparams().scales(), ElementsAre(0.01, 0.02));
  EXPECT_FALSE(SpecNamed(*graph, "x").has_quant_min());
  // A name that no tensor has is a value that nobody makes; an empty one is an omitted input.
  EXPECT_EQ(graph->nodes(0).inputs(2), 0);
  EXPECT_FALSE(ValueNamed(*graph, "nobody").has_constant());
}

// That no numbers of its weight were read is said, and is no fault of the file.
void ExpectNumbersOfConvNotChecked(const v1::Graph& graph) {
  const testing::EmptyTables tables;
  ModuleRegistry modules(tables);
  v1::Report report;
  ASSERT_TRUE(Check(graph, CheckOptions(), modules, report).ok());
  EXPECT_EQ(report.results(0).findings_size(), 0) << report.results(0).findings(0).code();
  ASSERT_EQ(report.results(0).not_checked_size(), 1);
  EXPECT_EQ(report.results(0).not_checked(0).rule(), "FI009");
  EXPECT_EQ(report.results(0).not_checked(0).node(), "conv");
}

// No document says how scales of blocks are written: the scheme is kept.
TEST(QnnNet, ScalesOfBlocksAreNotRead) {
  std::string text = Corpus("conv.json");
  absl::StrReplaceAll({{R"("encoding": 1)", R"("encoding": 5)"}}, &text);
  const absl::StatusOr<v1::Graph> graph = ImportQnnNet(text, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(SpecNamed(*graph, "w").qscheme(), v1::Spec::PER_BLOCK_SYMMETRIC);
  ExpectNumbersOfConvNotChecked(*graph);
}

// As ONNX Runtime's QNN provider writes its graphs (dump_json_qnn_graph).
TEST(QnnNet, NumbersThatAreNotInTheFileAreNotKnown) {
  std::string text = Corpus("conv.json");
  const size_t begin = text.find(R"("axis_scale_offset")");
  const size_t end = text.find("]}}", begin);
  ASSERT_NE(end, std::string::npos);
  text.replace(begin, end + 2 - begin, R"("scale_offset": {"offset": 2, "scale": 4.203895392974451e-45})");
  const absl::StatusOr<v1::Graph> graph = ImportQnnNet(text, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(SpecNamed(*graph, "w").qscheme(), v1::Spec::PER_CHANNEL_SYMMETRIC);
  EXPECT_TRUE(SpecNamed(*graph, "w").qparams().scales().empty());
  ExpectNumbersOfConvNotChecked(*graph);
}

TEST(QnnNet, ErrorsNameThePlace) {
  const absl::Status status = ImportQnnNet(Corpus("wrong_kind.json"), {}).status();
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_THAT(std::string(status.message()), HasSubstr("data_type"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("at line 1, column 29"));
  EXPECT_EQ(ErrorCode(ImportQnnNet(Corpus("conv.json"), {.max_nodes = 0}).status()), "FI002");
}

// Each of these passed unseen once.
TEST(QnnNet, FieldsAreOfTheirKind) {
  const std::pair<const char*, const char*> kChanges[] = {
      {R"("bitwidth": 4, "scales")", R"("bitwidth": 0, "scales")"},
      {R"("bitwidth": 4, "scales")", R"("bitwidth": -4, "scales")"},
      {R"("bitwidth": 4, "scales")", R"("bitwidth": 64, "scales")"},
      {R"("bitwidth": 4, "scales")", R"("scales")"},
      {R"("bitwidth": 32, "scale")", R"("bitwidth": "32", "scale")"},
      {R"("dims": [2], "data": [1, 1])", R"("dims": [2], "data": [1, 1, 1])"},
      {R"("dims": [2], "data": [1, 1])", R"("dims": [2])"},
      {R"("dims": [2], "data": [1, 1])", R"("dims": [2], "data": [1, "1"])"},
      {R"({"conv_stride": {"data_type": 306, "dims": [2], "data": [1, 1]}})", "[1, 1]"},
      {R"({"conv_stride": {"data_type": 306, "dims": [2], "data": [1, 1]}})", "null"},
      {R"({"306": 1})", R"({"306": "1"})"},
      {R"({"306": 1})", R"({"306": null})"},
      {R"({"306": 1})", R"({"306": 1.5})"},
      {R"({"306": 1})", R"({"306": -1})"},
      {R"({"306": 1})", R"({"306": 4294967296})"},
      {R"({"306": 1})", R"({"1288": 2})"},
      {R"("dims": [2], "data": [1, 1])", R"("dims": [2], "data": [1, -1])"},
      {R"({"306": 1})", R"({"306": {}})"},
      {R"("offset": -120)", R"("offset": -120.5)"},
      {R"("definition": 1)", R"("definition": "1")"},
      {R"("encoding": 0)", R"("encoding": "0")"},
      {R"("quant_params": {"definition": 1, "encoding": 0,)", R"("quant_params": null, "was": {"encoding": 0,)"},
      {R"("type": 0, "dataFormat")", R"("type": "0", "dataFormat")"},
      {R"("package": "qti.aisw")", R"("package": 5)"},
      {R"("scalar_params": {"group")", R"("scalar_params": null, "others": {"group")"},
      // Twice: readers take different ones.
      {R"("dataFormat": 0)", R"("dataFormat": 0, "dataFormat": 0)"},
      {R"("group": {)", R"("group": {"306": 2}, "group": {)"},
      {R"("group": {)", R"("stride": {"306": 2}, "group": {)"},
      {R"("dims": [2, 2], "data": [[0, 0], [0, 0]])", R"("dims": [2, 2], "data": [[0, 0, 0], [0]])"},
      {R"("dims": [2, 2], "data": [[0, 0], [0, 0]])", R"("dims": [2, 2], "data": [0, [0, 0, 0]])"},
      {R"("dims": [2, 2], "data": [[0, 0], [0, 0]])", R"("dims": [-2, -2], "data": [[0, 0], [0, 0]])"},
  };
  const std::string good = Corpus("bit_widths.json");
  ASSERT_TRUE(ImportQnnNet(good, {}).ok());
  for (const auto& [from, to] : kChanges) {
    const std::string text = absl::StrReplaceAll(good, {{from, to}});
    ASSERT_NE(text, good) << from;
    const absl::Status status = ImportQnnNet(text, {}).status();
    EXPECT_EQ(ErrorCode(status), "FI001") << to;
    EXPECT_THAT(std::string(status.message()), HasSubstr("at line 1, column")) << to;
  }
  const std::string flat = absl::StrReplaceAll(good, {{R"("data": [[0, 0], [0, 0]])", R"("data": [0, 0, 0, 0])"}});
  ASSERT_NE(flat, good);
  EXPECT_TRUE(ImportQnnNet(flat, {}).ok());
  const std::string counted =
      absl::StrReplaceAll(Corpus("conv.json"), {{R"("num_scale_offsets": 2)", R"("num_scale_offsets": 7)"}});
  EXPECT_THAT(std::string(ImportQnnNet(counted, {}).status().message()), HasSubstr("num_scale_offsets"));
}

// Numbers that QNN has for no data type in any version are no types.
TEST(QnnNet, DataTypesAreNumbersOfQnn) {
  const std::string good = Corpus("conv.json");
  const auto message = [&](const char* from, const char* to) {
    const std::string text = absl::StrReplaceAll(good, {{from, to}});
    EXPECT_NE(text, good) << from;
    const absl::Status status = ImportQnnNet(text, {}).status();
    EXPECT_TRUE(status.ok() || ErrorCode(status) == "FI001") << status;
    return std::string(status.message());
  };
  constexpr char kTensor[] = R"("type": 0, "dataFormat": 0, "data_type": 1032)";
  const char* undefined = R"("type": 0, "data_type": 2147483647)";
  EXPECT_THAT(message(kTensor, undefined), HasSubstr("\"data_type\" 2147483647, which is no data type, at line 1"));
  EXPECT_THAT(message(kTensor, R"("type": 0, "data_type": -1)"), HasSubstr("a tensor with \"data_type\" -1"));
  EXPECT_EQ(message(kTensor, R"("type": 0, "data_type": 2147483646)"), "");
  EXPECT_EQ(message(kTensor, R"("type": 5, "data_type": 2147483647)"), "");  // a tensor that is left out
  EXPECT_THAT(message(R"("data_type": 306, "dims": [2])", R"("data_type": -306, "dims": [2])"),
              HasSubstr("the tensor of a parameter with \"data_type\" -306"));
  EXPECT_THAT(message(R"("306": 1)", R"("uint32": 1)"), HasSubstr("a scalar parameter of type 'uint32'"));
  EXPECT_THAT(message(R"("306": 1)", R"("-306": 1)"), HasSubstr("'-306', which is no data type"));
  EXPECT_EQ(message(R"("306": 1)", R"("1794": 1)"), "");
}

// Later versions have types whose numbers nobody publishes. Nothing else is said of such a tensor.
TEST(QnnNet, DataTypesOfLaterVersionsAreNotChecked) {
  const auto not_checked = [](const std::string& text) {
    const absl::StatusOr<v1::Graph> graph = ImportQnnNet(text, {});
    EXPECT_TRUE(graph.ok()) << graph.status();
    const testing::EmptyTables tables;
    ModuleRegistry modules(tables);
    v1::Report report;
    EXPECT_TRUE(Check(*graph, CheckOptions(), modules, report).ok());
    EXPECT_EQ(report.results(0).findings_size(), 0);
    std::vector<std::string> entries;
    for (const v1::NotChecked& entry : report.results(0).not_checked()) {
      entries.push_back(absl::StrCat(entry.rule(), " ", entry.node(), ": ", entry.reason()));
    }
    return entries;
  };
  const std::string good = Corpus("conv.json");
  EXPECT_THAT(not_checked(good), ::testing::IsEmpty());
  const std::string later = absl::StrReplaceAll(good, {{R"("data_type": 776)", R"("data_type": 770)"}});
  EXPECT_THAT(not_checked(later),
              ElementsAre("FI011 conv: the number of the data type of tensor 'w' is none that is known here"));
}

TEST(QnnNet, OperatorsOfOtherPackagesHaveNamesOfTheirOwn) {
  const std::string text = absl::StrReplaceAll(Corpus("conv.json"), {{"qti.aisw", "my.OpPackage"}});
  const absl::StatusOr<v1::Graph> graph = ImportQnnNet(text, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(SymbolOf(*graph, graph->nodes(0).op()), "my.OpPackage::Conv2d");
}

TEST(QnnNet, IsRecognizedByContent) {
  const TempFolder folder;
  const absl::StatusOr<ImportedModel> model = ImportModel(folder.Write("m.onnx", Corpus("conv.json")));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->info.format(), "qnn-net");
}

}  // namespace
}  // namespace quantgate
