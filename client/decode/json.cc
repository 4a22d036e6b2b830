#include "client/decode/json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "rules/all_rules.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

absl::StatusOr<Decoder> MakeDecoder() {
  absl::StatusOr<db::LogMessages> messages = db::BuiltinLogMessages();
  if (!messages.ok()) return absl::InternalError(messages.status().message());
  return Decoder::Create(*std::move(messages));
}

}  // namespace

std::string DecodedRuleName(const std::string& code) {
  for (const RuleInfo* rule : AllRules()) {
    if (code == rule->code) return rule->name;
  }
  return "";
}

std::string LogJson(const DecodedLog& log) {
  Json messages = Json::array(), unknown = Json::array();
  for (const DecodedMessage& one : log.messages) {
    Json rules = Json::array();
    for (const std::string& code : one.message->rules)
      rules.push_back({{"code", code}, {"name", DecodedRuleName(code)}});
    messages.push_back({{"line", one.line},
                        {"count", one.count},
                        {"text", one.text},
                        {"tool", one.message->tool},
                        {"means", one.means},
                        {"rules", std::move(rules)},
                        {"change", one.change},
                        {"source", one.message->source}});
  }
  for (const UnknownLine& line : log.unknown) unknown.push_back({{"line", line.line}, {"text", line.text}});
  const Json json = {{"lines", log.lines},
                     {"messages", std::move(messages)},
                     {"unknown", std::move(unknown)},
                     {"unknownCount", log.unknown_count}};
  return json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<std::string> DecodeToJson(absl::string_view text) {
  static const absl::StatusOr<Decoder> decoder = MakeDecoder();
  if (!decoder.ok()) return decoder.status();
  const DecodedLog log = decoder->Decode(text);
  if (log.lines == 0) return absl::InvalidArgumentError("text: nothing to decode");
  return LogJson(log);
}

}  // namespace quantgate
