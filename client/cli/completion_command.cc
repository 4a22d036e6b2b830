// Shell completion, generated from the commands themselves so that it cannot fall behind.
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/commands.h"

namespace quantgate {
namespace {

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> LongFlags(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

// Calls visit(path, app) for the program ("") and every command ("reports list").
template <typename Visit>
void Walk(const CLI::App& app, const std::string& path, const Visit& visit) {
  visit(path, app);
  for (const CLI::App* command : Commands(app)) {
    Walk(*command, absl::StrCat(path, path.empty() ? "" : " ", command->get_name()), visit);
  }
}

// The words so far that are no flags name the command; what follows is a command, a flag, or a file.
std::string BashScript(const CLI::App& app) {
  std::string cases;
  std::vector<std::string> paths;
  Walk(app, "", [&](const std::string& path, const CLI::App& command) {
    std::vector<std::string> words;
    for (const CLI::App* below : Commands(command)) words.push_back(below->get_name());
    for (const std::string& flag : LongFlags(command)) words.push_back(absl::StrCat("--", flag));
    absl::StrAppend(&cases, "    '", path, "') words='", absl::StrJoin(words, " "), "' ;;\n");
    if (!path.empty()) paths.push_back(absl::StrCat("'", path, "'"));
  });
  return absl::StrCat(
      "_quantgate() {\n"
      "  local word path='' words='' current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"${path:+$path }$word\" in ",
      absl::StrJoin(paths, "|"),
      ") path=\"${path:+$path }$word\" ;; esac\n"
      "  done\n"
      "  case \"$path\" in\n",
      cases,
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}\n"
      "complete -o default -F _quantgate quantgate\n");
}

std::string FishScript(const CLI::App& app) {
  std::string out;
  const auto quoted = [](const std::string& text) {
    return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
  };
  Walk(app, "", [&](const std::string& path, const CLI::App& command) {
    std::vector<std::string> below;
    for (const CLI::App* one : Commands(command)) below.push_back(one->get_name());
    std::string condition =
        path.empty() ? ""
                     : absl::StrCat("__fish_seen_subcommand_from ",
                                    absl::StrReplaceAll(path, {{" ", "; and __fish_seen_subcommand_from "}}));
    if (!below.empty()) {
      absl::StrAppend(&condition, condition.empty() ? "" : "; and ", "not __fish_seen_subcommand_from ",
                      absl::StrJoin(below, " "));
    }
    for (const CLI::App* one : Commands(command)) {
      absl::StrAppend(&out, "complete -c quantgate -n ", quoted(condition), " -a ", one->get_name(), " -d ",
                      quoted(one->get_description()), "\n");
    }
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        absl::StrAppend(&out, "complete -c quantgate -n ", quoted(condition), " -l ", name, " -d ",
                        quoted(option->get_description()), "\n");
      }
    }
  });
  return out;
}

int RunCompletion(const CLI::App& app, const std::string& shell, const OutputFlags& flags) {
  if (shell == "fish") return Finish(flags, FishScript(app));
  const std::string bash = BashScript(app);
  if (shell == "bash") return Finish(flags, bash);
  // zsh runs bash completions itself.
  return Finish(
      flags, absl::StrCat("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n", bash));
}

}  // namespace

void AddCompletionCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  const auto flags = AddOutputFlags(*command);
  command->footer("Examples:\n  source <(quantgate completion bash)");
  command->callback(
      [&app, shell, flags, run] { *run = [&app, shell, flags] { return RunCompletion(app, *shell, *flags); }; });
}

}  // namespace quantgate
