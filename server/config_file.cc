#include "server/config_file.h"

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/yaml_document.h"
#include "rules/engine/nearest.h"

namespace quantgate::server {
namespace {

constexpr std::streamsize kMaxBytes = 1 << 20;

bool IsSettable(absl::string_view flag) { return flag != "config" && flag != "help"; }

std::vector<std::string> FlagNames(CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (IsSettable(name)) names.push_back(name);
    }
  }
  return names;
}

// One value, or a list of them for a flag that can be repeated.
std::vector<std::string> ValuesOf(const YAML::Node& node, const CLI::Option& option) {
  std::vector<std::string> values;
  if (node.IsScalar() && !node.Scalar().empty()) values.push_back(node.Scalar());
  if (!node.IsSequence() || option.get_expected_max() <= 1) return values;
  for (const YAML::Node& element : node) {
    if (!element.IsScalar() || element.Scalar().empty()) return {};
    values.push_back(element.Scalar());
  }
  return values;
}

absl::Status Apply(const YAML::Node& root, CLI::App& command, const std::string& path) {
  const auto error = [&path](const YAML::Node& at, absl::string_view message) {
    return absl::InvalidArgumentError(absl::StrCat("config file ", path, ":", at.Mark().line + 1, ": ", message));
  };
  if (root.IsNull()) return absl::OkStatus();  // an empty file
  if (!root.IsMap()) return error(root, "must be a map of flags, as in 'listen: 127.0.0.1:50051'");
  std::set<std::string> seen;
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) return error(entry.first, "a key must be a word");
    const std::string key = entry.first.Scalar();
    if (!seen.insert(key).second) return error(entry.first, absl::StrCat("'", key, "' is set twice"));
    CLI::Option* option = command.get_option_no_throw("--" + key);
    if (option == nullptr || !IsSettable(key)) {
      return error(entry.first, absl::StrCat("unknown key '", key, "'", DidYouMean(key, FlagNames(command))));
    }
    const std::vector<std::string> values = ValuesOf(entry.second, *option);
    if (values.empty()) {
      const bool is_repeated = option->get_expected_max() > 1;
      return error(
          entry.first,  // nothing, which may be all that there is, has no line
          absl::StrCat("'", key, is_repeated ? "' takes a value or a list of them" : "' takes a single value"));
    }
    if (option->count() > 0) continue;  // the command line wins
    try {
      for (const std::string& value : values) option->add_result(value);
      option->run_callback();
    } catch (const CLI::Error& e) {
      return error(entry.second, absl::StrCat("'", key, "': ", e.what()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyConfigFile(const std::string& path, CLI::App& command) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), kMaxBytes + 1);
  if (!file && !file.eof()) {
    return absl::InvalidArgumentError(absl::StrCat("config file ", path, ": cannot be read: ", std::strerror(errno)));
  }
  if (file.gcount() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat("config file ", path, ": larger than ", kMaxBytes, " bytes"));
  }
  text.resize(file.gcount());
  try {
    return Apply(db::LoadYamlDocument(text), command, path);
  } catch (const YAML::Exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("config file ", path, ":", e.mark.line + 1, ": ", e.msg));
  }
}

}  // namespace quantgate::server
