// A program that a test starts, and may kill.
#ifndef QUANTGATE_TESTS_SERVER_PROCESS_H_
#define QUANTGATE_TESTS_SERVER_PROCESS_H_

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace quantgate {

// Its process id, with standard output and error in these files, which may be the same; -1 when it does not start.
// Not fork: until exec its child may not allocate, because a thread of this program (gRPC's) may have held the
// allocator's lock, and AddressSanitizer's is not freed by fork.
inline pid_t Spawn(std::vector<std::string> command, const std::string& out, const std::string& err) {
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

class Process {
 public:
  // `output` gets standard output and error.
  Process(std::vector<std::string> command, std::string output)
      : output_(std::move(output)), pid_(Spawn(std::move(command), output_, output_)) {}
  ~Process() { Kill(SIGKILL); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::string Output() const {
    std::ifstream file(output_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  // What follows `begin` on a line of the output; empty after 30 seconds.
  std::string LineAfter(const std::string& begin) const {
    const absl::Time end = absl::Now() + absl::Seconds(30);
    while (absl::Now() < end) {
      const std::string output = Output();
      const size_t at = output.find(begin);
      const size_t newline = at == std::string::npos ? at : output.find('\n', at);
      if (newline != std::string::npos) return output.substr(at + begin.size(), newline - at - begin.size());
      absl::SleepFor(absl::Milliseconds(5));
    }
    return "";
  }

  // The exit code; -signal when it was killed.
  int Kill(int signal) {
    if (pid_ <= 0) return 0;
    kill(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  std::string output_;
  pid_t pid_;
};

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_SERVER_PROCESS_H_
