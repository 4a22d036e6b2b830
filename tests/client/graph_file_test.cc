#include "client/graph_file.h"

#include <cmath>

#include "absl/strings/match.h"
#include "client/error.h"
#include "client/text.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"

namespace quantgate {
namespace {

// Something in every corner that a format could lose: zeros in a oneof, NaN, 64-bit integers, tiny doubles, bytes.
v1::Graph OddGraph() {
  v1::Graph graph;
  graph.set_name("tab\tquote\"umlaut\xc3\xa4");
  graph.set_origin(v1::Graph::ONNX);
  graph.set_stage(v1::STAGE_CONVERTED);
  graph.add_symbols("Conv");
  graph.add_symbols("");
  v1::Value* value = graph.add_values();
  value->set_has_shape(true);
  value->add_dims(int64_t{1} << 62);
  value->add_dims(-1);
  v1::Constant* constant = value->mutable_constant();
  constant->add_ints(-9'007'199'254'740'993);
  constant->add_reals(0.1);
  constant->add_reals(4.9406564584124654e-324);
  constant->add_reals(NAN);
  constant->add_reals(-INFINITY);
  constant->add_reals(0.0078740157186985015869140625);
  constant->set_data(std::string("\0\xff\x80", 3));
  constant->set_stored_bytes(-1);
  constant->mutable_statistics()->set_axis(0);
  v1::Node* node = graph.add_nodes();
  node->set_op(1);
  node->add_inputs(1);
  node->add_inputs(0);
  node->add_attributes()->set_i(0);
  node->add_attributes()->set_f(0);
  node->add_attributes()->set_b(false);
  node->add_attributes()->set_s("");
  node->add_attributes()->mutable_ints();
  node->add_attributes()->set_dtype(v1::DATA_TYPE_FLOAT8_E8M0);
  node->add_attributes();
  v1::Spec* spec = graph.add_specs();
  spec->set_is_dynamic(false);
  spec->set_quant_min(0);
  spec->set_axis(-1);
  graph.add_subgraphs()->add_values()->set_captured(1);
  return graph;
}

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, LosesNothing) {
  const TempFolder folder;
  const std::string path = (folder.path() / (std::string("graph.") + GetParam())).string();
  v1::Graph graph = OddGraph();
  if (std::string(GetParam()) != "json") graph.mutable_values(0)->mutable_constant()->add_reals(-0.0);
  const absl::Status written = WriteGraphFile(graph, path);
  ASSERT_TRUE(written.ok()) << written;
  const absl::StatusOr<ImportedModel> model = ImportModel(path);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.SerializeAsString(), graph.SerializeAsString()) << ReadFile(path);
  EXPECT_EQ(model->info.format(), "quantgate.v1.Graph");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}
INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip, testing::Values("pb", "json", "txtpb"));

TEST_P(RoundTrip, OfARealModel) {
  const absl::StatusOr<ImportedModel> model = ImportModel((OnnxData() / "tiny.qdq_a16w4.onnx").string());
  ASSERT_TRUE(model.ok());
  const TempFolder folder;
  const std::string path = (folder.path() / (std::string("graph.") + GetParam())).string();
  ASSERT_TRUE(WriteGraphFile(model->graph, path).ok());
  const absl::StatusOr<ImportedModel> again = ImportModel(path);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->graph.SerializeAsString(), model->graph.SerializeAsString());
}

TEST(GraphFile, UnknownExtensionAndUnwritableFolder) {
  EXPECT_EQ(WriteGraphFile(v1::Graph(), "graph.xml").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteGraphFile(v1::Graph(), "/nonexistent/graph.pb").code(), absl::StatusCode::kFailedPrecondition);
}

absl::Status Parse(const std::string& bytes, FileFormat format, const ImportOptions& options = {}) {
  return ParseGraph(bytes, format, options).status();
}

TEST(GraphFile, ErrorsNameThePlace) {
  absl::Status status = Parse("name: \"x\"\nnodes { oops: 1 }", FileFormat::kGraphText);
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_TRUE(absl::StrContains(status.message(), "line 2")) << status;
  status = Parse("{\"nodes\": [{\"oops\": 1}]}", FileFormat::kGraphJson);
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_TRUE(absl::StrContains(status.message(), "oops")) << status;
  // A node that claims 100 bytes with 2 left.
  status = Parse(std::string("\x52\x64\x08\x01", 4), FileFormat::kGraphBinary);
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_TRUE(absl::StrContains(status.message(), "nodes, byte 2: it claims 100 bytes, but only 2 are left")) << status;
  // A name that is not UTF-8.
  status = Parse("\x0a\x01\xff", FileFormat::kGraphBinary);
  EXPECT_TRUE(absl::StrContains(status.message(), "name, byte 2: text that is not UTF-8")) << status;
  EXPECT_EQ(ErrorCode(Parse("{}", FileFormat::kGraphJson)), "FI001");
}

TEST(GraphFile, ByteOrderMarkInFrontOfText) {
  for (const FileFormat format : {FileFormat::kGraphJson, FileFormat::kGraphText}) {
    const std::string text = SerializeGraph(OddGraph(), format).value();
    const absl::StatusOr<v1::Graph> graph = ParseGraph("\xEF\xBB\xBF" + text, format, {});
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->SerializeAsString(), ParseGraph(text, format, {})->SerializeAsString());
  }
}

TEST(GraphFile, JsonErrorsAreOneLine) {
  const absl::Status status = ParseGraph("{\"name\": \"a\",\n \"nodes\": [x]}", FileFormat::kGraphJson, {}).status();
  EXPECT_FALSE(absl::StrContains(status.message(), "\\x0a")) << status;
  EXPECT_FALSE(absl::StrContains(status.message(), "\n")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "x]}")) << status;
}

TEST(GraphFile, LimitsHoldInEveryFormat) {
  const ImportOptions few{.max_nodes = 3, .max_subgraph_depth = 2};
  v1::Graph many;
  for (int i = 0; i < 4; ++i) many.add_nodes()->set_op(1);
  v1::Graph deep;
  v1::Graph* inner = &deep;
  for (int i = 0; i < 3; ++i) inner = inner->add_subgraphs();
  inner->set_name("x");
  for (FileFormat format : {FileFormat::kGraphBinary, FileFormat::kGraphJson, FileFormat::kGraphText}) {
    EXPECT_EQ(ErrorCode(Parse(*SerializeGraph(many, format), format, few)), "FI002");
    EXPECT_EQ(ErrorCode(Parse(*SerializeGraph(deep, format), format, few)), "FI002");
    many.mutable_nodes()->RemoveLast();
    EXPECT_TRUE(Parse(*SerializeGraph(many, format), format, few).ok());
    many.add_nodes()->set_op(1);
  }
}

TEST(GraphFile, DeepNestingIsRefusedNotFollowed) {
  std::string text, json, binary;
  for (int i = 0; i < 100'000; ++i) text += "subgraphs {", json += "{\"subgraphs\":[";
  EXPECT_FALSE(Parse(text, FileFormat::kGraphText).ok());
  EXPECT_FALSE(Parse(json, FileFormat::kGraphJson).ok());
  for (int i = 0; i < 1000; ++i) {
    std::string outer = "\x6a";  // field 13, length-delimited
    for (size_t n = binary.size();; n >>= 7) {
      outer += static_cast<char>(n >= 128 ? (n & 127) | 128 : n);
      if (n < 128) break;
    }
    binary = outer + binary;
  }
  EXPECT_EQ(ErrorCode(Parse(binary, FileFormat::kGraphBinary)), "FI002");
}

TEST(Text, WellFormedUtf8) {
  EXPECT_EQ(ToUtf8("plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), "plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(ToUtf8("\xc0\x80"), "\\xc0\\x80");           // overlong
  EXPECT_EQ(ToUtf8("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(ToUtf8("a\xe2\x82"), "a\\xe2\\x82");         // cut
  EXPECT_EQ(ToUtf8("\xf4\x90\x80\x80"
                   "z"),
            "\\xf4\\x90\\x80\\x80z");
}

}  // namespace
}  // namespace quantgate
