#include "client/report/json.h"

#include <nlohmann/json.hpp>

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

absl::StatusOr<std::string> RowToJson(const MatrixRow& row) {
  if (row.report != nullptr) return ToJson(*row.report);
  using Json = nlohmann::ordered_json;
  v1::Report unchecked;
  unchecked.mutable_model();
  const auto json = ToJson(unchecked);
  if (!json.ok()) return json.status();
  Json fields = Json::parse(*json);
  fields["model"]["path"] = row.model;
  fields["error"] = row.error;
  return fields.dump(1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<std::string> RowsToJson(absl::Span<const MatrixRow> rows) {
  std::string out = "[";
  for (const MatrixRow& row : rows) {
    if (row.report == nullptr) continue;
    const auto json = ToJson(*row.report);
    if (!json.ok()) return json.status();
    absl::StrAppend(&out, out.size() > 1 ? ",\n" : "\n", absl::StripTrailingAsciiWhitespace(*json));
  }
  return absl::StrCat(out, out.size() > 1 ? "\n]\n" : "]\n");
}

}  // namespace quantgate
