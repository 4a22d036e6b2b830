// What a vendor's log says, line by line.
#ifndef QUANTGATE_CLIENT_DECODE_DECODE_H_
#define QUANTGATE_CLIENT_DECODE_DECODE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/log_messages.h"

namespace quantgate {

// One known message of a log; lines that mean the same are said once.
struct DecodedMessage {
  int64_t line = 0;   // 1-based, the first
  int64_t count = 1;  // how many lines
  std::string text;   // of the first line, UTF-8
  std::string means, change;
  const db::LogMessage* message = nullptr;  // of the decoder
};

struct UnknownLine {
  int64_t line = 0;
  std::string text;
};

struct DecodedLog {
  int64_t lines = 0;                     // that are not blank
  std::vector<DecodedMessage> messages;  // in the order of the log
  // Lines that are not known and speak of an error; of a log of one line that line. The first few: `unknown_count` are
  // all.
  std::vector<UnknownLine> unknown;
  int64_t unknown_count = 0;
};

// Patterns, ready to be searched. Thread-safe.
class Decoder {
 public:
  // INTERNAL: a pattern of `messages` is none.
  static absl::StatusOr<Decoder> Create(db::LogMessages messages);
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  // As LogDecoding, of a text that is there as a whole.
  DecodedLog Decode(absl::string_view text) const;

 private:
  friend class LogDecoding;
  struct Impl;
  explicit Decoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Decodes a log piece by piece, in memory that does not grow with it. Any bytes. What follows a carriage return is a
// line too (progress bars write so), and has the number of the one that it overwrites. Of a line of more than 16 KiB
// the middle is not looked at. At most one message per line: the first that matches, codes after patterns. A code
// counts where the line is nothing else, or calls it an error.
class LogDecoding {
 public:
  explicit LogDecoding(const Decoder& decoder) : decoder_(decoder) {}
  // Pieces end anywhere.
  void Add(absl::string_view piece);
  // Once, after all of them.
  DecodedLog Finish();

 private:
  void EndLine();

  const Decoder& decoder_;
  DecodedLog log_;
  std::map<std::pair<const db::LogMessage*, std::string>, size_t> known_;  // by meaning
  int64_t number_ = 1;                                                     // of the line that is being read
  std::string line_;
  UnknownLine last_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_DECODE_DECODE_H_
