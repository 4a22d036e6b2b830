#include "client/confirm/vendor_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

extern char** environ;

namespace quantgate {
namespace {

using Json = nlohmann::json;

VendorStep StepOf(const Json& json) {
  VendorStep step;
  step.code = json.at("code").get<uint32_t>();
  step.outcome = step.code == 0 ? VendorStep::kAccepted : VendorStep::kRefused;
  step.step = json.at("step").get<std::string>();
  step.reason = json.at("reason").get<std::string>();
  return step;
}

}  // namespace

absl::Status VendorProcess::Start() {
  if (pid_ >= 0) return absl::OkStatus();
  // A socket rather than pipes: a write to a process that is gone then needs no signal handling.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::InternalError(absl::StrCat("socketpair: ", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command_) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  to_ = from_ = ends[0];
  pending_.clear();
  if (error != 0) {
    pid_ = -1;
    close(ends[0]);
    return absl::InternalError(absl::StrCat(command_[0], ": ", std::strerror(error)));
  }
  std::string line;
  VendorStep ended;
  if (!ReadLine(line, ended)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the vendor's library ", ended.outcome == VendorStep::kTimedOut ? "hangs" : "ends its process",
                     " while it is loaded (", ended.reason, ")"));
  }
  const Json hello = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!hello.is_object() || !hello.contains("sdk")) {
    Stop();
    return absl::FailedPreconditionError(hello.is_object() ? hello.value("error", "no answer") : "no answer");
  }
  sdk_ = hello.value("sdk", "");
  return absl::OkStatus();
}

absl::StatusOr<VendorReply> VendorProcess::Ask(const std::string& op, const Json& config) {
  Json question = {{"op", op}, {"config", config}, {"prepare", true}};
  VendorReply reply;
  Json answer;
  VendorStep ended;
  if (absl::Status status = Start(); !status.ok()) return status;
  if (!Exchange(question.dump(-1, ' ', false, Json::error_handler_t::replace), answer, ended)) {
    // Once more without preparing, to know what validation alone says.
    const VendorStep first = ended;
    if (absl::Status status = Start(); !status.ok()) return status;
    question["prepare"] = false;
    if (!Exchange(question.dump(-1, ' ', false, Json::error_handler_t::replace), answer, ended)) {
      reply.validate = ended;
      reply.validate.step = "backendValidateOpConfig";
    }
    reply.prepare = first;
    reply.prepare.step = "graphFinalize";
  }
  if (answer.is_null()) return reply;
  if (answer.contains("error")) {
    reply.validate.reason = reply.prepare.reason = answer.value("error", "");
    return reply;
  }
  try {
    reply.validate = StepOf(answer.at("validate"));
    if (answer.contains("prepare")) reply.prepare = StepOf(answer.at("prepare"));
  } catch (const Json::exception& error) {
    return absl::InternalError(absl::StrCat("an answer that makes no sense: ", error.what()));
  }
  return reply;
}

bool VendorProcess::Exchange(const std::string& question, Json& answer, VendorStep& ended) {
  const std::string line = question + "\n";
  size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t n = send(to_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      ended = Reap(/*timed_out=*/false);
      return false;
    }
    sent += n;
  }
  std::string text;
  if (!ReadLine(text, ended)) return false;
  answer = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) answer = {{"error", "an answer that is not JSON"}};
  return true;
}

bool VendorProcess::ReadLine(std::string& line, VendorStep& ended) {
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  for (;;) {
    if (const size_t end = pending_.find('\n'); end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return true;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd wait = {from_, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      ended = Reap(/*timed_out=*/true);
      return false;
    }
    char buffer[1 << 14];
    const ssize_t n = read(from_, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      ended = Reap(/*timed_out=*/false);
      return false;
    }
    pending_.append(buffer, n);
  }
}

VendorStep VendorProcess::Reap(bool timed_out) {
  VendorStep ended;
  ended.outcome = timed_out ? VendorStep::kTimedOut : VendorStep::kCrashed;
  close(to_);
  kill(pid_, SIGKILL);  // changes nothing of a process that is already ending
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (timed_out) {
    const double seconds = std::chrono::duration<double>(timeout_).count();
    ended.reason = absl::StrCat("no answer within ", seconds, " s");
  } else {
    ended.reason = WIFSIGNALED(status) ? absl::StrCat("signal ", WTERMSIG(status), ", ", strsignal(WTERMSIG(status)))
                                       : absl::StrCat("exit code ", WEXITSTATUS(status));
  }
  return ended;
}

void VendorProcess::Stop() {
  if (pid_ < 0) return;
  Reap(/*timed_out=*/false);  // it holds nothing that would have to be saved
}

}  // namespace quantgate
