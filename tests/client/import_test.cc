#include "client/import.h"

#include <sys/stat.h>

#include "absl/strings/match.h"
#include "client/error.h"
#include "client/graph_file.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

struct NotAModel {
  const char* name;
  std::string bytes;
  const char* reason;
};

class Refused : public testing::TestWithParam<NotAModel> {};

TEST_P(Refused, SaysWhatTheFileIs) {
  const TempFolder folder;
  const std::string path = folder.Write("model.onnx", GetParam().bytes);
  const absl::Status status = ImportModel(path).status();
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_TRUE(absl::StartsWith(status.message(), path + ": ")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), GetParam().reason)) << status;
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Refused,
    testing::Values(NotAModel{"empty", "", "is empty"},
                    NotAModel{"tflite", std::string("\x1c\0\0\0TFL3\0\0", 10), "LiteRT"},
                    NotAModel{"zip", "PK\x03\x04rest", "damaged zip archive"},
                    NotAModel{"gzip", "\x1f\x8b\x08", "gzip"},
                    NotAModel{"lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"},
                    NotAModel{"html", "\n<!DOCTYPE html><html>", "HTML"},
                    NotAModel{"encodings", "{\"activation_encodings\": {}", "cut off"},
                    NotAModel{"utf16", std::string("\xff\xfe{\0", 4), "UTF-16"},
                    NotAModel{"json", "{\"model\": 1}", "is JSON, but no quantgate.v1.Graph"},
                    NotAModel{"list", "[1]", "JSON list"}, NotAModel{"text", "hello world", "no known format"},
                    NotAModel{"noise", std::string("\x07\xee\x00\x13\x99", 5), "no known format"},
                    NotAModel{"pickle", "\x80\x02}q", "pickle"}, NotAModel{"no_graph", "\x08\x0a", "has no graph"}),
    [](const auto& info) { return info.param.name; });

TEST(ImportModel, WhatIsNotAFile) {
  const TempFolder folder;
  absl::Status status = ImportModel((folder.path() / "none.onnx").string()).status();
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_TRUE(absl::StrContains(status.message(), "no such file")) << status;
  status = ImportModel(folder.path().string()).status();
  EXPECT_TRUE(absl::StrContains(status.message(), "directory")) << status;
  ::mkfifo((folder.path() / "pipe").c_str(), 0600);
  status = ImportModel((folder.path() / "pipe").string()).status();  // must not wait for a writer
  EXPECT_TRUE(absl::StrContains(status.message(), "regular file")) << status;
}

TEST(ImportModel, FileSizeIsLimited) {
  const TempFolder folder;
  const std::string path = folder.Write("m.onnx", std::string(11, 'x'));
  EXPECT_EQ(ErrorCode(ImportModel(path, {.max_file_bytes = 10}).status()), "FI002");
}

TEST(ImportModel, InfoNamesFileDigestAndFormat) {
  const TempFolder folder;
  const std::string path = folder.Write("oddly.named", EmptyModel().SerializeAsString());
  const absl::StatusOr<ImportedModel> model = ImportModel(path);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->info.path(), path);
  EXPECT_EQ(model->info.format(), "onnx");
  EXPECT_EQ(model->info.sha256().size(), 64u);
}

// A member of the graph has the name of a member of such a file.
TEST(ImportModel, GraphMadeOfEncodingsIsAGraph) {
  const TempFolder folder;
  const std::string path = folder.Write("model.encodings", R"({
    "version": "2.0.0",
    "encodings": [{"name": "a \"}{", "output_dtype": "uint8", "y_scale": 0.5, "y_zero_point": 3}]})");
  const absl::StatusOr<ImportedModel> encodings = ImportModel(path);
  ASSERT_TRUE(encodings.ok()) << encodings.status();
  EXPECT_EQ(encodings->info.format(), "encodings");
  for (const FileFormat format : {FileFormat::kGraphJson, FileFormat::kGraphText, FileFormat::kGraphBinary}) {
    const absl::StatusOr<std::string> bytes = SerializeGraph(encodings->graph, format);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<ImportedModel> graph = ImportModel(folder.Write("graph", *bytes));
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->info.format(), "quantgate.v1.Graph");
    EXPECT_EQ(graph->graph.SerializeAsString(), encodings->graph.SerializeAsString());
  }
}

TEST(ImportModel, EncodingsBehindOtherMembers) {
  const TempFolder folder;
  const std::string path = folder.Write("model.encodings", R"({"quantizer_args": {"nodes": [{}, {"x": "]}"}]},
    "excluded_layers": [], "version": "0.6.1", "activation_encodings": {}, "param_encodings": {}})");
  const absl::StatusOr<ImportedModel> model = ImportModel(path);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->info.format(), "encodings");
}

}  // namespace
}  // namespace quantgate
