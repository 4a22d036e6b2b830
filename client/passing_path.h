// Files that are there only while a command runs.
#ifndef QUANTGATE_CLIENT_PASSING_PATH_H_
#define QUANTGATE_CLIENT_PASSING_PATH_H_

#include <signal.h>

#include <string>

namespace quantgate {

// While it lives, a signal that ends the program removes the file first, if RemovePassingPathsAtSignals was called. Who
// has one removes the file itself on all other ways out.
class PassingPath {
 public:
  // Of many at a time, and of very long ones, not every one is known to the signal.
  explicit PassingPath(const std::string& path);
  PassingPath(PassingPath&& other) noexcept;
  PassingPath& operator=(PassingPath&&) = delete;
  ~PassingPath();

 private:
  int slot_;  // -1: none
};

// While it lives, SIGHUP, SIGINT and SIGTERM wait: around steps that are done together or not at all.
class SignalsWait {
 public:
  SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait();

 private:
  sigset_t before_;
};

// SIGHUP, SIGINT and SIGTERM end the program as they would have, after that. Those that it was started to ignore it
// ignores. For a program's main: handlers are the process's own.
void RemovePassingPathsAtSignals();

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_PASSING_PATH_H_
