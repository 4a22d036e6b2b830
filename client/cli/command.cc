#include "client/cli/command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/report/layout.h"

namespace quantgate {

std::shared_ptr<OutputFlags> AddOutputFlags(CLI::App& command, std::initializer_list<absl::string_view> names) {
  auto flags = std::make_shared<OutputFlags>();
  command.add_flag("-q,--quiet", flags->quiet, "No progress and no notes on stderr; errors remain");
  command.add_option("--color", flags->color, "auto, always or never; $NO_COLOR is respected")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  if (absl::c_linear_search(names, "report-format")) {
    command.add_option("--format", flags->format, "text, json, sarif, junit, github or markdown")
        ->check(CLI::IsMember({"text", "json", "sarif", "junit", "github", "markdown"}));
  }
  if (absl::c_linear_search(names, "format")) {
    command.add_option("--format", flags->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  }
  if (absl::c_linear_search(names, "output")) {
    command.add_option("-o,--output", flags->output, "Write to this file, not to standard output")->type_name("PATH");
  }
  return flags;
}

Style OutputStyle(const OutputFlags& flags) {
  const ColorMode mode = flags.color == "always"  ? ColorMode::kAlways
                         : flags.color == "never" ? ColorMode::kNever
                                                  : ColorMode::kAuto;
  Terminal terminal = DescribeTerminal(STDOUT_FILENO);
  if (!flags.output.empty()) terminal.is_tty = false;
  return ChooseStyle(terminal, mode);
}

absl::Status WriteOutput(const OutputFlags& flags, absl::string_view text) {
  const bool to_file = !flags.output.empty();
  std::FILE* file = to_file ? std::fopen(flags.output.c_str(), "wb") : stdout;
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = (to_file ? std::fclose(file) : std::fflush(file)) == 0 && written;
  if (written) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot write ", to_file ? flags.output : "standard output", ": ", std::strerror(errno)));
}

int ExitCodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 0;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kDataLoss:
      return 2;
    default:
      return 3;
  }
}

void PrintError(const absl::Status& status) {
  const std::string line = absl::StrCat("error[", ErrorCode(status), "]: ", Printable(status.message()), "\n");
  std::fputs(line.c_str(), stderr);
}

int Fail(const absl::Status& status) {
  PrintError(status);
  return ExitCodeFor(status);
}

int Finish(const OutputFlags& flags, const absl::StatusOr<std::string>& text, int exit_code) {
  if (!text.ok()) return Fail(text.status());
  if (const absl::Status written = WriteOutput(flags, *text); !written.ok()) return Fail(written);
  return exit_code;
}

}  // namespace quantgate
