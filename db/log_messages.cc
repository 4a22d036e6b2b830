#include "db/log_messages.h"

#include <yaml-cpp/yaml.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "db/yaml_document.h"

namespace quantgate::db {
namespace {

absl::Status Error(absl::string_view name, const YAML::Mark& mark, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(name, ":", mark.line + 1, ": ", message));
}

absl::Status ReadMessage(absl::string_view name, const YAML::Node& node, LogMessage& message) {
  for (const auto& entry : node) {
    const std::string key = entry.first.as<std::string>();
    if (key == "match") {
      message.pattern = entry.second.as<std::string>();
    } else if (key == "code") {
      message.code = entry.second.as<int64_t>();
    } else if (key == "near") {
      message.near = entry.second.as<std::string>();
    } else if (key == "means") {
      message.means = entry.second.as<std::string>();
    } else if (key == "rules") {
      message.rules = entry.second.as<std::vector<std::string>>();
    } else if (key == "change") {
      message.change = entry.second.as<std::string>();
    } else if (key == "source") {
      message.source = entry.second.as<std::string>();
    } else {
      return Error(name, entry.first.Mark(), absl::StrCat("unknown key '", key, "'"));
    }
  }
  if (message.pattern.empty() == (message.code == 0)) return Error(name, node.Mark(), "needs 'match' or 'code'");
  if (message.means.empty() || message.change.empty() || message.source.empty()) {
    return Error(name, node.Mark(), "needs 'means', 'change' and 'source'");
  }
  return absl::OkStatus();
}

absl::Status ReadFile(absl::string_view name, const YAML::Node& root, LogMessages& messages) {
  std::string tool;
  for (const auto& entry : root) {
    const std::string key = entry.first.as<std::string>();
    if (key == "tool") {
      tool = entry.second.as<std::string>();
    } else if (key == "dtypes") {
      for (const auto& type : entry.second)
        messages.data_types[type.first.as<int64_t>()] = type.second.as<std::string>();
    } else if (key == "messages" || key == "codes") {
      for (const YAML::Node& node : entry.second) {
        LogMessage message;
        message.tool = tool;
        if (absl::Status status = ReadMessage(name, node, message); !status.ok()) return status;
        messages.messages.push_back(std::move(message));
      }
    } else {
      return Error(name, entry.first.Mark(), absl::StrCat("unknown key '", key, "'"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseLogMessages(absl::string_view name, const std::string& text, LogMessages& messages) {
  try {
    return ReadFile(name, LoadYamlDocument(text), messages);
  } catch (const YAML::Exception& e) {
    return Error(name, e.mark, e.msg);
  }
}

}  // namespace quantgate::db
