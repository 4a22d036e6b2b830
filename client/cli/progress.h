// Tells a waiting user on stderr what goes on, and nobody else.
#ifndef QUANTGATE_CLIENT_CLI_PROGRESS_H_
#define QUANTGATE_CLIENT_CLI_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace quantgate {

// On a terminal one line that is rewritten; elsewhere nothing, unless a step takes longer than `patience`: then one
// line for that step. The destructor removes what the terminal shows.
class Progress {
 public:
  enum class Kind { kSilent, kTerminal, kLog };
  // Terminal or log by what stderr is; silent with `quiet`.
  static Kind KindForStderr(bool quiet);

  explicit Progress(Kind kind, std::FILE* out = stderr, std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A step begins: "checking a.onnx (2 of 5)". Empty: nothing goes on, so that other lines can be printed.
  void Step(const std::string& text);

 private:
  struct Timer;  // only for kLog
  Kind kind_;
  std::FILE* out_;
  std::unique_ptr<Timer> timer_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_PROGRESS_H_
