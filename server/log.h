// Structured logs on standard error: one line per event, as JSON or for people.
#ifndef QUANTGATE_SERVER_LOG_H_
#define QUANTGATE_SERVER_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"

namespace spdlog {
class logger;
}

namespace quantgate::server {

struct LogField {
  absl::string_view key;
  std::variant<int64_t, double, std::string> value;
};

// Thread-safe.
class Log {
 public:
  enum class Format { kText, kJson };
  enum class Level { kInfo, kWarning, kError };
  explicit Log(Format format);
  ~Log();

  // {"time":"…","level":"info","event":"request","method":"…",…} or `… info request method=…`.
  void Event(Level level, absl::string_view event, std::initializer_list<LogField> fields);

 private:
  const Format format_;
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_LOG_H_
