#include "client/graph_file.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/error.h"
#include "client/text.h"
#include "client/unfinished_file.h"
#include "client/wire_check.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"

namespace quantgate {
namespace {

// Text is for people and small graphs; parsing it takes many times its size.
constexpr size_t kMaxTextBytes = size_t{256} << 20;
constexpr int kMaxTextDepth = 90;

// Editors of Windows write it in front; neither parser takes it.
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Keeps the first complaint of the text parser, which would otherwise go to stderr.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Limits that hold before any memory is taken: every message in JSON or text opens a brace.
absl::Status CheckText(absl::string_view text, const ImportOptions& options) {
  if (text.size() > kMaxTextBytes) {
    return BeyondLimit(
        absl::StrCat(text.size(), " bytes of text; the limit is ", kMaxTextBytes, ": use the binary form"));
  }
  const size_t good = Utf8Prefix(text);
  if (good != text.size()) return UnreadableFile(absl::StrCat("byte ", good, " is not UTF-8"));
  const int64_t messages = std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '<'; });
  // A node has a handful of attributes and one or two values.
  const int64_t limit = 16 * options.max_nodes;
  if (messages > limit) return BeyondLimit(absl::StrCat(messages, " messages in text; the limit is ", limit));
  return absl::OkStatus();
}

absl::Status CheckNodes(const v1::Graph& graph, const ImportOptions& options, int depth, int64_t* nodes) {
  if (depth > options.max_subgraph_depth) {
    return BeyondLimit(absl::StrCat("subgraphs are nested more than ", options.max_subgraph_depth, " deep"));
  }
  *nodes += graph.nodes_size();
  if (*nodes > options.max_nodes) return BeyondLimit(absl::StrCat("more than ", options.max_nodes, " nodes"));
  for (const v1::Graph& subgraph : graph.subgraphs()) {
    absl::Status status = CheckNodes(subgraph, options, depth + 1, nodes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ParseBinary(absl::string_view bytes, const ImportOptions& options, v1::Graph* graph) {
  const WireLimits limits{.max_memory = ParseMemoryLimit(bytes.size()),
                          .counted = v1::Node::descriptor(),
                          .max_counted = options.max_nodes};
  absl::Status status = CheckWire(bytes, *v1::Graph::descriptor(), limits);
  if (!status.ok()) return status;
  if (!graph->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return UnreadableFile("protobuf cannot parse it");
  }
  return absl::OkStatus();
}

absl::Status ParseJson(absl::string_view text, v1::Graph* graph) {
  const google::protobuf::StringPiece piece(text.data(), text.size());
  const auto status = google::protobuf::util::JsonStringToMessage(piece, graph);
  if (status.ok()) return absl::OkStatus();
  // What is wrong, the text around the place, and a mark below it.
  const std::vector<std::string> lines =
      absl::StrSplit(absl::string_view(status.message().data(), status.message().size()), '\n');
  const std::string place = lines.size() > 1 ? absl::StrCat(" at '", ToUtf8(lines[1]), "'") : "";
  return UnreadableFile(absl::StrCat("is JSON, but no quantgate.v1.Graph: ", ToUtf8(lines[0]), place));
}

absl::Status ParseText(absl::string_view text, v1::Graph* graph) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxTextDepth);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&stream, graph)) return absl::OkStatus();
  return UnreadableFile(absl::StrCat("is no text proto of quantgate.v1.Graph: ", error.text()));
}

}  // namespace

absl::StatusOr<v1::Graph> ParseGraph(absl::string_view bytes, FileFormat format, const ImportOptions& options) {
  v1::Graph graph;
  absl::Status status;
  if (format == FileFormat::kGraphBinary) {
    status = ParseBinary(bytes, options, &graph);
  } else {
    const absl::string_view text = absl::StripPrefix(bytes, kByteOrderMark);
    status = CheckText(text, options);
    if (status.ok()) status = format == FileFormat::kGraphJson ? ParseJson(text, &graph) : ParseText(text, &graph);
  }
  if (!status.ok()) return status;
  int64_t nodes = 0;
  status = CheckNodes(graph, options, 0, &nodes);
  if (!status.ok()) return status;
  if (graph.ByteSizeLong() == 0) return UnreadableFile("is a quantgate.v1.Graph without any content");
  return graph;
}

absl::StatusOr<std::string> SerializeGraph(const v1::Graph& graph, FileFormat format) {
  std::string bytes;
  bool ok = false;
  if (format == FileFormat::kGraphBinary) {
    if (graph.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int>::max())) {
      return BeyondLimit("the graph is larger than 2 GiB");
    }
    ok = graph.SerializeToString(&bytes);
  } else if (format == FileFormat::kGraphJson) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    ok = google::protobuf::util::MessageToJsonString(graph, &bytes, options).ok();
  } else if (format == FileFormat::kGraphText) {
    ok = google::protobuf::TextFormat::PrintToString(graph, &bytes);
    bytes.insert(0, "# proto-file: quantgate/v1/graph.proto\n# proto-message: quantgate.v1.Graph\n");
  }
  if (!ok) return absl::InternalError("the graph cannot be written in this format");
  return bytes;
}

std::optional<FileFormat> GraphFormatOf(absl::string_view path) {
  if (absl::EndsWith(path, ".pb")) return FileFormat::kGraphBinary;
  if (absl::EndsWith(path, ".json")) return FileFormat::kGraphJson;
  if (absl::EndsWith(path, ".txtpb")) return FileFormat::kGraphText;
  return std::nullopt;
}

absl::Status WriteGraphFile(const v1::Graph& graph, const std::string& path) {
  const std::optional<FileFormat> format = GraphFormatOf(path);
  if (!format.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": a graph file ends in .pb, .json or .txtpb"));
  }
  absl::StatusOr<std::string> bytes = SerializeGraph(graph, *format);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<UnfinishedFile> file = UnfinishedFile::Write(path, *bytes);
  return file.ok() ? file->Finish() : file.status();
}

}  // namespace quantgate
