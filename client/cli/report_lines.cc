#include "client/cli/report_lines.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/text.h"
#include "google/protobuf/util/json_util.h"

namespace quantgate {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;
// What goes into one request: gRPC's default limit of a message with room to spare, unless one report is larger.
constexpr size_t kBatchBytes = size_t{2} << 20;
constexpr int kBatchReports = 100;

// Reports on their way, and the line of each.
struct Batch {
  v1::ImportReportsRequest request;
  std::vector<int64_t> lines;
  size_t bytes = 0;
};

absl::Status Send(const std::string& path, const std::function<absl::Status(const v1::ImportReportsRequest&)>& take,
                  Batch& batch) {
  if (batch.lines.empty()) return absl::OkStatus();
  absl::Status status = take(batch.request);
  // "reports[3].name: ..." becomes "file:17: name: ...".
  absl::string_view message = status.message();
  if (absl::ConsumePrefix(&message, "reports[")) {
    size_t index = 0;
    const size_t end = message.find("].");
    if (end != absl::string_view::npos && absl::SimpleAtoi(message.substr(0, end), &index) &&
        index < batch.lines.size()) {
      status = absl::Status(status.code(), absl::StrCat(path, ":", batch.lines[index], ": ", message.substr(end + 2)));
    }
  }
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

}  // namespace

absl::Status ReadReportLines(const std::string& path,
                             const std::function<absl::Status(const v1::ImportReportsRequest&)>& take) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file.is_open()) return absl::InvalidArgumentError(absl::StrCat("cannot read ", path));
  }
  std::istream& in = path == "-" ? std::cin : file;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer version
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
    const auto parsed = google::protobuf::util::JsonStringToMessage(line, &report, options);
    if (!parsed.ok()) {
      const std::string why(parsed.message());
      return error(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("is no report of quantgate: ", why.substr(0, why.find('\n'))));
    }
    const size_t bytes = report.ByteSizeLong();
    if (batch.bytes + bytes > kBatchBytes || batch.request.reports_size() == kBatchReports) {
      if (absl::Status status = Send(path, take, batch); !status.ok()) return status;
    }
    batch.bytes += bytes;
    batch.lines.push_back(number);
    *batch.request.add_reports() = std::move(report);
  }
  return Send(path, take, batch);
}

}  // namespace quantgate
