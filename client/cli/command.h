// What every command shares: global flags, how it ends, where its report goes.
#ifndef QUANTGATE_CLIENT_CLI_COMMAND_H_
#define QUANTGATE_CLIENT_CLI_COMMAND_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/report/style.h"
#include "client/unfinished_file.h"

namespace CLI {
class App;
}

namespace quantgate {

// Set by the chosen command's parser; returns the exit code.
using Run = std::function<int()>;

struct OutputFlags {
  bool quiet = false;
  std::string color = "auto";
  std::string format = "text";
  std::string output;  // file; empty or -: standard output
};

// Adds --quiet and --color, and those of `names` that the command has: "format" (text or json), "report-format" (all
// formats of a report), "output".
std::shared_ptr<OutputFlags> AddOutputFlags(CLI::App& command, std::initializer_list<absl::string_view> names = {});

// No file is named, or "-".
bool IsToStandardOutput(const OutputFlags& flags);

// The style of what goes to `flags.output`.
Style OutputStyle(const OutputFlags& flags);

// Writes a finished report to flags.output or standard output; a short write (full disk, closed pipe) is an error.
absl::Status WriteOutput(const OutputFlags& flags, absl::string_view text);

// As WriteOutput, piece by piece. A file appears at Close, whole or not at all, where it can take the place of what is
// there; what cannot be replaced (devices, pipes, links, files of others) is opened by the first piece.
class OutputStream {
 public:
  static OutputStream Open(const OutputFlags& flags);
  OutputStream(OutputStream&&) noexcept = default;
  absl::Status Write(absl::string_view text);
  // Without it, whether everything was written remains unknown.
  absl::Status Close();

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  OutputStream(std::string name, File file) : name_(std::move(name)), file_(std::move(file)) {}
  absl::Status OpenFile();
  absl::Status Error() const;

  std::string name_;                          // for messages
  File file_;                                 // null: not open yet
  std::optional<UnfinishedFile> unfinished_;  // in the place of `file_`
};

// 2: the question could not be answered. 3: no server, or a fault of ours.
int ExitCodeFor(const absl::Status& status);

// Prints "error[CODE]: message" as one line on stderr.
void PrintError(const absl::Status& status);

// PrintError, and the exit code to return.
int Fail(const absl::Status& status);

// Writes `text`; the exit code is `exit_code`, unless rendering or writing failed.
int Finish(const OutputFlags& flags, const absl::StatusOr<std::string>& text, int exit_code = 0);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_COMMAND_H_
