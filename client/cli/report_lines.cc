#include "client/cli/report_lines.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/report/json.h"
#include "client/text.h"
#include "google/protobuf/util/json_util.h"

namespace quantgate {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;
// What goes into one request: gRPC's default limit of a message with room to spare, unless one report is larger.
constexpr size_t kBatchBytes = size_t{2} << 20;
constexpr int kBatchReports = 100;

// Reports and graphs on their way, and the line of each.
struct Batch {
  v1::ImportReportsRequest request;
  std::vector<int64_t> lines;
  std::vector<int64_t> graph_lines;
  size_t bytes = 0;
};

// "reports[3].name: ..." becomes "file:17: name: ...".
absl::Status AtLine(const std::string& path, const Batch& batch, absl::Status status) {
  absl::string_view message = status.message();
  const bool is_graph = absl::ConsumePrefix(&message, "graphs[");
  if (!is_graph && !absl::ConsumePrefix(&message, "reports[")) return status;
  const std::vector<int64_t>& lines = is_graph ? batch.graph_lines : batch.lines;
  const absl::string_view after = is_graph ? "]: " : "].";
  const size_t end = message.find(after);
  size_t index = 0;
  if (end == absl::string_view::npos || !absl::SimpleAtoi(message.substr(0, end), &index) || index >= lines.size()) {
    return status;
  }
  return absl::Status(status.code(), absl::StrCat(path, ":", lines[index], ": ", is_graph ? "graph: " : "",
                                                  message.substr(end + after.size())));
}

absl::Status Send(const std::string& path, const std::function<absl::Status(const v1::ImportReportsRequest&)>& take,
                  Batch& batch) {
  if (batch.lines.empty()) return absl::OkStatus();
  absl::Status status = take(batch.request);
  status = AtLine(path, batch, std::move(status));
  batch = Batch();
  return status;
}

// False: the end. RESOURCE_EXHAUSTED: a line that is too long.
absl::StatusOr<bool> NextLine(std::istream& in, std::string& line) {
  line.clear();
  std::streambuf& buffer = *in.rdbuf();
  for (int c = buffer.sbumpc(); c != EOF; c = buffer.sbumpc()) {
    if (c == '\n') return true;
    if (line.size() == kMaxLineBytes) {
      return absl::ResourceExhaustedError(absl::StrCat("the line has more than ", kMaxLineBytes, " bytes"));
    }
    line.push_back(static_cast<char>(c));
  }
  return !line.empty();
}

// Where the object's member `graph` is: key, colon and value, with the comma before or after it. Nothing: it has none.
// Looks at strings and brackets alone; what is wrong with the rest shows when it is parsed.
struct Member {
  size_t begin = 0, end = 0;  // of all that is to be cut out
  size_t value = 0, value_end = 0;
};

std::optional<Member> FindGraph(absl::string_view line) {
  constexpr absl::string_view kKey = "\"graph\"";
  int depth = 0;
  bool is_key = false;  // the next string is one, of the outermost object
  std::optional<Member> member;
  size_t comma = 0;  // the last one of the outermost object
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      const size_t begin = i;
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '\\') ++i;
      }
      if (!is_key) continue;
      is_key = false;
      if (line.substr(begin, i + 1 - begin) != kKey) continue;
      const size_t colon = line.find(':', i);
      if (colon == absl::string_view::npos) return std::nullopt;
      member = Member{comma > 0 ? comma : begin, 0, colon + 1, 0};
      i = colon;
    } else if (c == '{' || c == '[') {
      is_key = ++depth == 1 && c == '{';
    } else if (c == '}' || c == ']' || (c == ',' && depth == 1)) {
      if (c != ',') --depth;
      if (member.has_value() && (depth == 0 || c == ',')) {
        member->value_end = i;
        // The comma behind it goes where there is none before it.
        member->end = c == ',' && comma == 0 ? i + 1 : i;
        return member;
      }
      if (c == ',') {
        comma = i;
        is_key = true;
      }
    }
  }
  return std::nullopt;
}

template <typename Message>
absl::Status ParseJson(absl::string_view text, absl::string_view what, Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer version
  const auto parsed = google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &message, options);
  if (parsed.ok()) return absl::OkStatus();
  const std::string why(parsed.message());
  return absl::InvalidArgumentError(absl::StrCat(what, why.substr(0, why.find('\n'))));
}

absl::Status ParseLine(std::string& line, v1::Report& report, std::optional<v1::Graph>& graph) {
  if (const std::optional<Member> member = FindGraph(line); member.has_value()) {
    const absl::string_view value = absl::string_view(line).substr(member->value, member->value_end - member->value);
    if (absl::StripAsciiWhitespace(value) != "null") {
      absl::Status status = ParseJson(value, "graph: is no graph of quantgate: ", graph.emplace());
      if (!status.ok()) return status;
    }
    line.erase(member->begin, member->end - member->begin);
  }
  return ParseJson(line, "is no report of quantgate on a line, as 'quantgate reports export' writes it: ", report);
}

bool IsNameAlone(const v1::Report& report) {
  v1::Report name;
  name.set_name(report.name());
  return !report.name().empty() && report.ByteSizeLong() == name.ByteSizeLong();
}

absl::Status CannotRead(const std::string& path, int error) {
  return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<std::string> ReportLine(const v1::Report& report, const v1::Graph* graph) {
  absl::StatusOr<std::string> line = ToJsonLine(report);
  if (!line.ok()) return line.status();
  if (graph != nullptr) {
    std::string json;
    const auto status = google::protobuf::util::MessageToJsonString(*graph, &json);
    if (!status.ok()) return absl::InternalError(absl::StrCat("graph: ", std::string(status.message())));
    line->pop_back();
    absl::StrAppend(&*line, ",\"graph\":", json, "}");
  }
  if (line->size() > kMaxLineBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the line has more than ", kMaxLineBytes, " bytes"));
  }
  return *line + "\n";
}

absl::Status CheckReportLines(const std::string& path) {
  if (path == "-") return absl::OkStatus();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return CannotRead(path, EISDIR);
  return ::access(path.c_str(), R_OK) == 0 ? absl::OkStatus() : CannotRead(path, errno);
}

absl::Status ReadReportLines(const std::string& path,
                             const std::function<absl::Status(const v1::ImportReportsRequest&)>& take,
                             const std::function<void(const absl::Status&)>& leave) {
  if (absl::Status status = CheckReportLines(path); !status.ok()) return status;
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file.is_open()) return CannotRead(path, errno);
  }
  std::istream& in = path == "-" ? std::cin : file;
  Batch batch;
  std::string line;
  for (int64_t number = 1;; ++number) {
    const auto error = [&](absl::StatusCode code, absl::string_view why) {
      return absl::Status(code, absl::StrCat(path, ":", number, ": ", why));
    };
    const absl::StatusOr<bool> has_line = NextLine(in, line);
    if (!has_line.ok()) return error(has_line.status().code(), has_line.status().message());
    if (!*has_line) break;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    if (const size_t good = Utf8Prefix(line); good != line.size()) {
      return error(absl::StatusCode::kInvalidArgument, absl::StrCat("byte ", good, " is not UTF-8"));
    }
    v1::Report report;
    std::optional<v1::Graph> graph;
    if (absl::Status status = ParseLine(line, report, graph); !status.ok()) {
      return error(status.code(), status.message());
    }
    if (IsNameAlone(report)) {
      leave(error(absl::StatusCode::kDataLoss, absl::StrCat(report.name(), ": has nothing but its name: left out")));
      continue;
    }
    const size_t bytes = report.ByteSizeLong() + (graph.has_value() ? graph->ByteSizeLong() : 0);
    if (batch.bytes + bytes > kBatchBytes || batch.request.reports_size() == kBatchReports) {
      if (absl::Status status = Send(path, take, batch); !status.ok()) return status;
    }
    batch.bytes += bytes;
    batch.lines.push_back(number);
    *batch.request.add_reports() = std::move(report);
    if (!graph.has_value()) continue;
    batch.graph_lines.push_back(number);
    *batch.request.add_graphs() = *std::move(graph);
  }
  return Send(path, take, batch);
}

}  // namespace quantgate
