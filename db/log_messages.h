// What vendors' tools print and what it means: the reviewed text of db/messages, part of the program.
#ifndef QUANTGATE_DB_LOG_MESSAGES_H_
#define QUANTGATE_DB_LOG_MESSAGES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate::db {

struct LogMessage {
  std::string tool;     // "QNN"
  std::string pattern;  // RE2, searched in a line; empty: `code` says it
  int64_t code = 0;     // an error code
  std::string near;     // RE2: what else the line must hold for a code that others use too; empty: nothing
  // One sentence or two; "{1}" is the first group of the pattern that matched, "{1:dtype}" the element type that it
  // is the number of.
  std::string means;
  std::vector<std::string> rules;  // codes of the rules that find it before; empty: none does
  std::string change;              // what to change; placeholders as in `means`
  std::string source;
};

struct LogMessages {
  std::vector<LogMessage> messages;           // in the order in which they are tried
  std::map<int64_t, std::string> data_types;  // numbers of element types
};

// One file of db/messages; `name` is for errors, which are INVALID_ARGUMENT with the line.
absl::Status ParseLogMessages(absl::string_view name, const std::string& text, LogMessages& messages);

// All that are part of this program.
absl::StatusOr<LogMessages> BuiltinLogMessages();

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_LOG_MESSAGES_H_
