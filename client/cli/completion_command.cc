// Shell completion, generated from the commands themselves so that it cannot fall behind.
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/commands.h"
#include "client/report/verdict.h"
#include "rules/engine/toolchain.h"

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

// What the value can be, as the help shows it: "TEXT:{text,json}" are "text json". "": anything.
std::string Listed(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{');
  return open == std::string::npos
             ? ""
             : absl::StrReplaceAll(type.substr(open + 1, type.find('}', open) - open - 1), {{",", " "}});
}

// A shell's words for the first column of what `program` prints, of lines with an awk pattern: targets, tables and
// rules may be others tomorrow.
std::string Printed(absl::string_view program, absl::string_view command, absl::string_view lines) {
  return absl::StrCat("$(", program, " ", command, " 2>/dev/null | awk '", lines, " {print $1}')");
}

std::string Toolchains() {
  return absl::StrJoin(kToolchains, " ",
                       [](std::string* out, Toolchain toolchain) { absl::StrAppend(out, ToolchainName(toolchain)); });
}

// In the words of a shell.
std::string Values(const CLI::Option& option, absl::string_view program) {
  if (option.check_lname("target")) return Printed(program, "targets", "NR > 1");
  if (option.check_lname("toolchain")) return Toolchains();
  if (option.check_lname("fail-on")) return absl::StrJoin(EffectNames(), " ");
  if (!option.get_positional()) return Listed(option);
  const std::string name = option.get_name(/*positional=*/true);
  if (name == "CODE") return Printed(program, "rules", "/^[A-Z]+[0-9]+ /");
  if (name == "TABLE" || name == "OLD" || name == "NEW") return Printed(program, "constraints list", "/^[a-z0-9_]+@/");
  return Listed(option);
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0 && !option.get_positional(); }

// Calls visit(path, app) for the program ("") and every command ("reports list").
template <typename Visit>
void Walk(const CLI::App& app, const std::string& path, const Visit& visit) {
  visit(path, app);
  for (const CLI::App* command : Commands(app)) {
    Walk(*command, absl::StrCat(path, path.empty() ? "" : " ", command->get_name()), visit);
  }
}

// What can stand behind the command's name by itself; "" where nothing is known of it, or it is a file.
std::string Arguments(const CLI::App& command, absl::string_view program) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    std::string values = option->get_positional() ? Values(*option, program) : "";
    if (!values.empty() && !absl::c_linear_search(words, values)) words.push_back(std::move(values));
  }
  return absl::StrJoin(words, " ");
}

// A shell's case branches: for each path of commands what can follow it, commands, arguments and flags.
std::string Branches(const CLI::App& app, absl::string_view variable, absl::string_view program) {
  std::string cases;
  Walk(app, "", [&](const std::string& path, const CLI::App& command) {
    std::vector<std::string> words;
    for (const CLI::App* below : Commands(command)) words.push_back(below->get_name());
    if (std::string arguments = Arguments(command, program); !arguments.empty()) words.push_back(std::move(arguments));
    for (const std::string& flag : LongFlags(command)) words.push_back(absl::StrCat("--", flag));
    absl::StrAppend(&cases, "    '", path, "') ", variable, "=(", absl::StrJoin(words, " "), ") ;;\n");
  });
  return cases;
}

// As Branches, for each flag with a value, "check --format": nothing where it is a file, or anything.
std::string ValueBranches(const CLI::App& app, absl::string_view variable, absl::string_view program) {
  std::string cases;
  Walk(app, "", [&](const std::string& path, const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      if (!TakesValue(*option)) continue;
      std::vector<std::string> names;
      for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("'", path, " --", name, "'"));
      for (const std::string& name : option->get_snames()) names.push_back(absl::StrCat("'", path, " -", name, "'"));
      absl::StrAppend(&cases, "    ", absl::StrJoin(names, "|"), ") ", variable, "=(", Values(*option, program),
                      ") ;;\n");
    }
  });
  return cases;
}

// "'check'|'reports'|'reports list'".
std::string Paths(const CLI::App& app) {
  std::vector<std::string> paths;
  Walk(app, "", [&](const std::string& path, const CLI::App&) {
    if (!path.empty()) paths.push_back(absl::StrCat("'", path, "'"));
  });
  return absl::StrJoin(paths, "|");
}

// The words so far that are no flags name the command; what follows is a command, a flag, its value, or a file.
std::string BashScript(const CLI::App& app) {
  return absl::StrCat(
      "_quantgate() {\n"
      "  local word command='' words=() current=\"${COMP_WORDS[COMP_CWORD]}\" "
      "previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"${command:+$command }$word\" in ",
      Paths(app),
      ") command=\"${command:+$command }$word\" ;; esac\n"
      "  done\n"
      "  case \"$command $previous\" in\n",
      ValueBranches(app, "words", "\"${COMP_WORDS[0]}\""), "    *) case \"$command\" in\n",
      Branches(app, "words", "\"${COMP_WORDS[0]}\""),
      "    esac ;;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"${words[*]}\" -- \"$current\"))\n"
      "}\n"
      "complete -o default -F _quantgate quantgate\n");
}

// Works both sourced and as a file `_quantgate` of $fpath, which zsh loads when the command is first completed.
std::string ZshScript(const CLI::App& app) {
  return absl::StrCat(
      "#compdef quantgate\n"
      "_quantgate() {\n"
      "  local word command=''\n"
      "  local -a candidates\n"
      "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
      "    case \"${command:+$command }$word\" in ",
      Paths(app),
      ") command=\"${command:+$command }$word\" ;; esac\n"
      "  done\n"
      "  case \"$command ${words[CURRENT-1]}\" in\n",
      ValueBranches(app, "candidates", "\"${words[1]}\""), "    *) case \"$command\" in\n",
      Branches(app, "candidates", "\"${words[1]}\""),
      "    esac ;;\n"
      "  esac\n"
      "  compadd -- $candidates\n"
      "  [[ -n $command && $PREFIX != -* ]] && _files\n"
      "}\n"
      "if [[ $funcstack[1] == _quantgate ]]; then\n"
      "  _quantgate\n"
      "else\n"
      "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"
      "  compdef _quantgate quantgate\n"
      "fi\n");
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
    if (const std::string arguments = Arguments(command, "quantgate"); !arguments.empty()) {
      absl::StrAppend(&out, "complete -c quantgate -n ", quoted(condition), " -a ", quoted(arguments), "\n");
    }
    for (const CLI::Option* option : command.get_options()) {
      const std::string values = Values(*option, "quantgate");
      const std::string value = !TakesValue(*option) ? "" : values.empty() ? " -r" : " -x -a " + quoted(values);
      for (const std::string& name : option->get_lnames()) {
        absl::StrAppend(&out, "complete -c quantgate -n ", quoted(condition), " -l ", name, value, " -d ",
                        quoted(option->get_description()), "\n");
      }
    }
  });
  return out;
}

int RunCompletion(const CLI::App& app, const std::string& shell, const OutputFlags& flags) {
  return Finish(flags, shell == "fish" ? FishScript(app) : shell == "zsh" ? ZshScript(app) : BashScript(app));
}

}  // namespace

void AddCompletionCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  const auto flags = AddOutputFlags(*command, {"output"});
  command->footer(
      "Examples:\n  source <(quantgate completion bash)\n  quantgate completion zsh -o ~/.zfunc/_quantgate");
  command->callback(
      [&app, shell, flags, run] { *run = [&app, shell, flags] { return RunCompletion(app, *shell, *flags); }; });
}

}  // namespace quantgate
