#include "server/http/import_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "rules/engine/field.h"

extern char** environ;

namespace quantgate::server {
namespace {

constexpr size_t kMaxWords = 4096;

void Limit(int resource, int64_t value) {
  const rlimit limit = {static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Between fork and exec: system calls only.
[[noreturn]] void Become(char* const* arguments, const char* folder, int error, const ImportLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = open("/dev/null", O_RDWR);
  if (null < 0 || chdir(folder) != 0) _exit(127);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
#if !defined(QUANTGATE_SANITIZED)  // they reserve terabytes of addresses
  Limit(RLIMIT_AS, limits.memory_bytes);
#endif
  Limit(RLIMIT_CPU, absl::ToInt64Seconds(limits.cpu_time));
  Limit(RLIMIT_FSIZE, limits.output_bytes);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_NOFILE, 64);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(arguments[0], arguments, environ);
  _exit(127);
}

// Reads what it says until it ends, or for `limits.time`. False: it had to be stopped, and `status` says why.
bool Listen(int from, const ImportLimits& limits, const std::function<bool()>& gone, std::string& said,
            absl::Status& status) {
  const absl::Time deadline = absl::Now() + limits.time;
  while (true) {
    if (absl::Now() > deadline) {
      status = absl::ResourceExhaustedError(
          absl::StrCat("import_time=", absl::FormatDuration(limits.time), ": reading the model took longer"));
      return false;
    }
    if (gone()) {
      status = absl::CancelledError("the client has gone or the server is shutting down");
      return false;
    }
    pollfd wait = {from, POLLIN, 0};
    if (poll(&wait, 1, 100) <= 0) continue;
    char buffer[4096];
    const ssize_t n = read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    said.append(buffer, std::min(static_cast<size_t>(n), kMaxWords - said.size()));
  }
}

// Of "error[FI001]: model: is cut" what follows the first word.
std::string WhatItSaid(absl::string_view said) {
  for (absl::string_view line : absl::StrSplit(said, '\n')) {
    if (!absl::ConsumePrefix(&line, "error[")) continue;
    const size_t end = line.find("]: ");
    if (end != absl::string_view::npos)
      return absl::StrCat("the model cannot be read: ", line.substr(0, end), ": ", line.substr(end + 3));
  }
  return "the model cannot be read";
}

}  // namespace

absl::Status RunImport(const std::vector<std::string>& command, const std::string& folder, const ImportLimits& limits,
                       const std::function<bool()>& gone) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError(absl::StrCat("pipe: ", std::strerror(errno)));
  const pid_t pid = fork();
  if (pid == 0) Become(arguments.data(), folder.c_str(), ends[1], limits);
  const int fork_error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return absl::UnavailableError(absl::StrCat("fork: ", std::strerror(fork_error)));
  }
  std::string said;
  absl::Status status;
  if (!Listen(ends[0], limits, gone, said, status)) kill(pid, SIGKILL);
  close(ends[0]);
  int result = 0;
  while (waitpid(pid, &result, 0) < 0 && errno == EINTR) {
  }
  if (!status.ok()) return status;
  if (WIFSIGNALED(result)) {
    const int signal = WTERMSIG(result);
    if (signal == SIGXCPU || signal == SIGKILL) {
      return absl::ResourceExhaustedError(
          absl::StrCat("import_cpu_time=", absl::FormatDuration(limits.cpu_time), ": reading the model took longer"));
    }
    if (signal == SIGXFSZ) {
      return absl::ResourceExhaustedError(
          absl::StrCat("max_stream_bytes=", limits.output_bytes, ": the model's graph is larger"));
    }
    return absl::InternalError(
        absl::StrCat("reading the model ended by signal ", signal, " (", strsignal(signal), ")"));
  }
  const int code = WEXITSTATUS(result);
  if (code == 0) return absl::OkStatus();
  const std::string message = WhatItSaid(said);
  if (code == 127) return absl::InternalError("the program that reads models cannot be started");
  if (absl::StrContains(said, "error[RESOURCE_EXHAUSTED]: ") || absl::StrContains(said, "error[FI002]: ")) {
    return absl::ResourceExhaustedError(message);
  }
  return code == 2 ? AtField(absl::InvalidArgumentError(message), "body") : absl::InternalError(message);
}

}  // namespace quantgate::server
