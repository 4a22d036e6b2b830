#include "client/cli/command_line.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/command.h"
#include "client/cli/commands.h"
#include "client/cli/confirm_flags.h"
#include "client/cli/engine.h"
#include "client/confirm/worker.h"
#include "client/decode/json.h"
#include "client/passing_path.h"
#include "google/protobuf/stubs/logging.h"
#include "rules/all_rules.h"
#include "rules/check.h"
#include "rules/engine/nearest.h"
#include "rules/version.h"
#include "server/serve_command.h"

namespace quantgate {
namespace {

// The innermost command that was named.
const CLI::App& Chosen(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : Chosen(*chosen.front());
}

std::string CommandPath(const CLI::App& app) {
  return app.get_parent() == nullptr ? "quantgate" : absl::StrCat(CommandPath(*app.get_parent()), " ", app.get_name());
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  return names;
}

// A variable of a script that is not set makes a flag without value; a gate must not run without what it was given for.
absl::Status CheckEmptyValues(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->check_lname("filter") && absl::c_linear_search(option->results(), "")) {
      return absl::InvalidArgumentError(absl::StrCat(
          option->get_name(), " is empty: ", option->get_required() ? "give a value" : "leave it out or give a value"));
    }
  }
  return absl::OkStatus();
}

// CLI11's complaint in this program's words, with what the user may have meant.
absl::Status UsageError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Chosen(app);
  const std::string hint = absl::StrCat(" (see ", CommandPath(command), " --help)");
  std::vector<std::string> extra = command.remaining();
  if (!extra.empty() && extra[0] == "--") extra.clear();  // with nothing behind it: what is missing is the mistake
  const std::vector<std::string> commands = CommandNames(command);
  if (!extra.empty() && absl::StartsWith(extra[0], "-")) {
    const std::string flag = extra[0].substr(0, extra[0].find('='));
    return absl::InvalidArgumentError(absl::StrCat("unknown flag ", flag, DidYouMean(flag, FlagNames(command)), hint));
  }
  if (!extra.empty() && !commands.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown command '", extra[0], "'", DidYouMean(extra[0], commands), hint));
  }
  if (!extra.empty()) return absl::InvalidArgumentError(absl::StrCat("unexpected argument '", extra[0], "'", hint));
  for (const CLI::App* above = command.get_parent(); above != nullptr; above = above->get_parent()) {
    if (above->remaining().empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "unexpected '", above->remaining()[0], "' in front of a command: its flags and arguments go behind it", hint));
  }
  if (!commands.empty() && command.get_subcommands().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a command is missing: ", absl::StrJoin(commands, ", "), hint));
  }
  return absl::InvalidArgumentError(absl::StrCat(error.what(), hint));
}

std::string OwnPath() {
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code).string();
}

int ParseAndRun(int argc, const char* const* argv) {
  CLI::App app("Says whether a quantization configuration will run, in full and correctly, on a target.", "quantgate");
  app.set_version_flag("--version", absl::StrCat("quantgate ", kVersion));
  app.require_subcommand(1);
  Run run;
  AddCheckCommand(app, &run);
  // The server reads no model files: this program does, in a process of its own.
  std::function<absl::Status()> serve;
  AddServeCommand(app, &serve,
                  {Check, AllRules(), RegisterBuiltinModules, OpenTables, DecodeToJson, {OwnPath(), "import"}});
  AddImportCommand(app, &run);
  AddGroupsCommand(app, &run);
  AddSimulateCommand(app, &run);
  AddTargetsCommand(app, &run);
  AddRulesCommand(app, &run);
  AddExplainCommand(app, &run);
  AddDecodeCommand(app, &run);
  AddConstraintsCommand(app, &run);
  AddReportsCommand(app, &run);
  AddCompletionCommand(app, &run);
  // After the commands: they would inherit it.
  app.footer(
      "Examples:\n"
      "  quantgate check model.onnx\n"
      "  quantgate check model.onnx --target qnn_htp/SM8650 --target qnn_htp/SM8350\n"
      "  quantgate explain NR001\n"
      "Exit codes: 0 accepted, 1 rejected or unknown, 2 the question could not be answered, 3 no server or a fault.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    return Finish({}, text.str());
  } catch (const CLI::ParseError& error) {
    return Fail(UsageError(app, error));
  }
  if (absl::Status status = CheckEmptyValues(Chosen(app)); !status.ok()) return Fail(status);
  if (!serve) {
    RemovePassingPathsAtSignals();
    return run();
  }
  const absl::Status served = serve();
  return served.ok() ? 0 : Fail(served);
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv) {
  google::protobuf::SetLogHandler(nullptr);  // what it would say is in the error that follows
  try {
    if (argc == 4 && absl::string_view(argv[1]) == kVendorWorker) return RunVendorWorker(argv[2], std::atoi(argv[3]));
    return ParseAndRun(argc, argv);
  } catch (const std::bad_alloc&) {
    return Fail(absl::ResourceExhaustedError("out of memory"));
  } catch (const std::exception& error) {
    return Fail(absl::InternalError(error.what()));
  }
}

}  // namespace quantgate
