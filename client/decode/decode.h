// What a vendor's log says, line by line.
#ifndef QUANTGATE_CLIENT_DECODE_DECODE_H_
#define QUANTGATE_CLIENT_DECODE_DECODE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/log_messages.h"

namespace quantgate {

// One known message of a log; lines that mean the same are said once.
struct DecodedMessage {
  int line = 0;      // 1-based, the first
  int count = 1;     // how many lines
  std::string text;  // of the first line, UTF-8
  std::string means, change;
  const db::LogMessage* message = nullptr;  // of the decoder
};

struct UnknownLine {
  int line = 0;
  std::string text;
};

struct DecodedLog {
  int lines = 0;                         // that are not blank
  std::vector<DecodedMessage> messages;  // in the order of the log
  // Lines that are not known and speak of an error; of a log of one line that line. The first few: `unknown_count` are
  // all.
  std::vector<UnknownLine> unknown;
  int unknown_count = 0;
};

// Patterns, ready to be searched. Thread-safe.
class Decoder {
 public:
  // INTERNAL: a pattern of `messages` is none.
  static absl::StatusOr<Decoder> Create(db::LogMessages messages);
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  // Any bytes. Of a line of more than 8 KiB the rest is not looked at. At most one message per line: the first that
  // matches, codes after patterns. A code counts where the line is nothing else, or calls it an error.
  DecodedLog Decode(absl::string_view text) const;

 private:
  struct Impl;
  explicit Decoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_DECODE_DECODE_H_
