#include "server/log.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/wrappers.pb.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace quantgate::server {
namespace {

// Quoted as in JSON, which also keeps text lines on one line.
std::string Quote(const std::string& text) {
  bool plain = true;
  for (char c : text) plain = plain && absl::ascii_isprint(c) && c != '"' && c != '\\';
  if (plain) return absl::StrCat("\"", text, "\"");
  google::protobuf::StringValue value;
  value.set_value(text);
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(value, &json).ok()) return "\"(not UTF-8)\"";
  return json;
}

std::string Render(const std::variant<int64_t, double, std::string>& value, bool always_quote) {
  if (const int64_t* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
  if (const double* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? absl::StrCat(*number) : "null";
  }
  const std::string& text = std::get<std::string>(value);
  if (!always_quote && !text.empty() && text.find_first_of(" =\"\\") == std::string::npos) {
    bool plain = true;
    for (char c : text) plain = plain && absl::ascii_isprint(c);
    if (plain) return text;
  }
  return Quote(text);
}

}  // namespace

Log::Log(Format format)
    : format_(format),
      logger_(std::make_unique<spdlog::logger>("quantgate", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  if (format == Format::kJson) {
    logger_->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  } else {
    logger_->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
  }
  // A log line that cannot be written must not take the server down.
  logger_->set_error_handler([](const std::string&) {});
}

Log::~Log() = default;

void Log::Event(Level level, absl::string_view event, std::initializer_list<LogField> fields) {
  const bool json = format_ == Format::kJson;
  std::string line = json ? absl::StrCat("\"event\":", Quote(std::string(event))) : std::string(event);
  for (const LogField& field : fields) {
    absl::StrAppend(&line, json ? ",\"" : " ", field.key, json ? "\":" : "=", Render(field.value, json));
  }
  const auto spdlog_level = level == Level::kInfo      ? spdlog::level::info
                            : level == Level::kWarning ? spdlog::level::warn
                                                       : spdlog::level::err;
  logger_->log(spdlog_level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace quantgate::server
