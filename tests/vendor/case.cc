#include "tests/vendor/case.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/vendor/case_graph.h"

namespace quantgate::vendor {
namespace {

using Json = nlohmann::json;

absl::StatusOr<OutputEncoding> ParseOutputEncoding(const Json& vendor) {
  const auto found = vendor.find("output_encoding");
  if (found == vendor.end() || found->is_null()) return OutputEncoding::kNotExecuted;
  if (*found == "honoured") return OutputEncoding::kHonoured;
  if (*found == "ignored") return OutputEncoding::kIgnored;
  if (*found == "inexact") return OutputEncoding::kInexact;
  return absl::InvalidArgumentError(absl::StrCat("unknown output_encoding ", found->dump()));
}

absl::StatusOr<Case> Read(const Json& json) {
  Case result;
  result.id = json.at("id").get<std::string>();
  result.op = json.at("op").get<std::string>();
  result.kind = json.at("kind").get<std::string>();
  const Json& asked_for = json.contains("soc") ? json.at("soc") : json.at("arch");
  result.target = absl::StrCat("qnn_htp/", asked_for.get_ref<const std::string&>(), "@",
                               json.at("sdk").get_ref<const std::string&>());
  const Json& vendor = json.at("vendor");
  result.accepted = vendor.at("validate") == "accept" && vendor.at("finalize") == "accept";
  if (vendor.at("validate") != "accept") {
    result.stops_at = Step::kValidation;
  } else if (!result.accepted) {
    result.stops_at = Step::kPreparation;
  }
  absl::StatusOr<OutputEncoding> output_encoding = ParseOutputEncoding(vendor);
  if (!output_encoding.ok()) return output_encoding.status();
  result.output_encoding = *output_encoding;
  if (const auto remarks = json.find("remarks"); remarks != json.end()) {
    result.remarks = remarks->get<std::set<std::string>>();
  }
  if (absl::Status status = BuildGraph(result.op, json.at("config"), result.graph); !status.ok()) return status;
  return result;
}

}  // namespace

bool TellsOutputEncoding(const Case& asked) {
  return asked.accepted && asked.op != "DetectionOutput" &&
         (asked.output_encoding == OutputEncoding::kIgnored || asked.output_encoding == OutputEncoding::kHonoured);
}

absl::StatusOr<Case> ParseCase(absl::string_view line) {
  // Deeper than any case, and shallow enough to be walked by recursion.
  constexpr int kMaxDepth = 16;
  bool too_deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    too_deep |= depth > kMaxDepth;
    return !too_deep;
  };
  const Json json = Json::parse(line.begin(), line.end(), shallow, /*allow_exceptions=*/false);
  if (too_deep) return absl::InvalidArgumentError("nested too deep");
  if (json.is_discarded()) return absl::InvalidArgumentError("not JSON");
  // The library reports missing fields and wrong types by exception.
  try {
    return Read(json);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

}  // namespace quantgate::vendor
