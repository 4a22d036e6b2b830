// A program that a test starts, and may kill.
#ifndef QUANTGATE_TESTS_SERVER_PROCESS_H_
#define QUANTGATE_TESTS_SERVER_PROCESS_H_

#include <fcntl.h>
#include <signal.h>
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

class Process {
 public:
  // `output` gets standard output and error.
  Process(std::vector<std::string> command, std::string output) : output_(std::move(output)) {
    std::filesystem::remove(output_);
    pid_ = fork();
    if (pid_ != 0) return;
    const int file = open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    dup2(file, 1);
    dup2(file, 2);
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
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
  pid_t pid_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_SERVER_PROCESS_H_
