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
    command.add_option("-o,--output", flags->output, "Write to this file; - is standard output")->type_name("PATH");
  }
  return flags;
}

bool IsToStandardOutput(const OutputFlags& flags) { return flags.output.empty() || flags.output == "-"; }

Style OutputStyle(const OutputFlags& flags) {
  const ColorMode mode = flags.color == "always"  ? ColorMode::kAlways
                         : flags.color == "never" ? ColorMode::kNever
                                                  : ColorMode::kAuto;
  Terminal terminal = DescribeTerminal(STDOUT_FILENO);
  if (!IsToStandardOutput(flags)) terminal.is_tty = false;
  return ChooseStyle(terminal, mode);
}

OutputStream OutputStream::Open(const OutputFlags& flags) {
  if (IsToStandardOutput(flags)) return OutputStream("standard output", File(stdout, std::fflush));
  OutputStream stream(flags.output, File(nullptr, std::fclose));
  if (!IsReplaceable(flags.output)) return stream;
  // Where the folder takes no new file, or the name is too long for one beside it, the file is written itself.
  absl::StatusOr<UnfinishedFile> unfinished = UnfinishedFile::Create(flags.output);
  if (unfinished.ok()) stream.unfinished_.emplace(*std::move(unfinished));
  return stream;
}

absl::Status OutputStream::OpenFile() {
  if (file_ == nullptr) file_.reset(std::fopen(name_.c_str(), "wb"));
  return file_ == nullptr ? Error() : absl::OkStatus();
}

absl::Status OutputStream::Write(absl::string_view text) {
  if (unfinished_.has_value()) return unfinished_->Append(text);
  if (absl::Status status = OpenFile(); !status.ok()) return status;
  return std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() ? absl::OkStatus() : Error();
}

absl::Status OutputStream::Close() {
  if (unfinished_.has_value()) return unfinished_->Finish();
  if (absl::Status status = OpenFile(); !status.ok()) return status;
  const auto close = file_.get_deleter();
  return close(file_.release()) == 0 ? absl::OkStatus() : Error();
}

absl::Status OutputStream::Error() const {
  return absl::FailedPreconditionError(absl::StrCat("cannot write ", name_, ": ", std::strerror(errno)));
}

absl::Status WriteOutput(const OutputFlags& flags, absl::string_view text) {
  OutputStream stream = OutputStream::Open(flags);
  absl::Status status = stream.Write(text);
  if (status.ok()) status = stream.Close();
  return status;
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
