#include "client/report/json.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"

namespace quantgate {
namespace {

absl::StatusOr<std::string> Render(const google::protobuf::Message& message, bool indented) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = indented;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return absl::InternalError(absl::StrCat("cannot write JSON: ", status.ToString()));
  return json;
}

}  // namespace

absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message) { return Render(message, true); }

absl::StatusOr<std::string> ToJsonLine(const google::protobuf::Message& message) { return Render(message, false); }

absl::StatusOr<std::string> ReportsToJson(absl::Span<const v1::Report> reports) {
  std::string out = "[";
  for (const v1::Report& report : reports) {
    const auto json = ToJson(report);
    if (!json.ok()) return json.status();
    absl::StrAppend(&out, out.size() > 1 ? ",\n" : "\n", absl::StripTrailingAsciiWhitespace(*json));
  }
  return absl::StrCat(out, out.size() > 1 ? "\n]\n" : "]\n");
}

}  // namespace quantgate
