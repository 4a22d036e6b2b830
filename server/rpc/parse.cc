#include "server/rpc/parse.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

constexpr int kPiece = 16 << 10;

// Hands its input on in small pieces and ends it when the arena has grown too large.
class GuardedStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  GuardedStream(ZeroCopyInputStream& input, const google::protobuf::Arena& arena, int64_t max_bytes)
      : input_(input), arena_(arena), max_bytes_(max_bytes) {}

  bool exceeded() const { return exceeded_; }

  bool Next(const void** data, int* size) override {
    if (static_cast<int64_t>(arena_.SpaceAllocated()) > max_bytes_) exceeded_ = true;
    if (exceeded_) return false;
    while (left_ == 0) {
      const void* next = nullptr;
      if (!input_.Next(&next, &left_)) return false;
      at_ = static_cast<const char*>(next);
    }
    *data = at_;
    *size = std::min(left_, kPiece);
    Advance(*size);
    return true;
  }

  void BackUp(int count) override { Advance(-count); }

  bool Skip(int count) override {
    const void* data;
    int size = 0;
    while (count > 0 && Next(&data, &size)) {
      const int used = std::min(count, size);
      BackUp(size - used);
      count -= used;
    }
    return count == 0;
  }

  int64_t ByteCount() const override { return count_; }

 private:
  void Advance(int count) {
    at_ += count;
    left_ -= count;
    count_ += count;
  }

  ZeroCopyInputStream& input_;
  const google::protobuf::Arena& arena_;
  const int64_t max_bytes_;
  const char* at_ = nullptr;
  int left_ = 0;
  int64_t count_ = 0;
  bool exceeded_ = false;
};

}  // namespace

google::protobuf::ArenaOptions RequestArena() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 16 << 10;
  options.max_block_size = 1 << 20;
  return options;
}

absl::Status ParseBounded(google::protobuf::io::ZeroCopyInputStream& input, const google::protobuf::Arena& arena,
                          int64_t max_bytes, google::protobuf::MessageLite& message) {
  GuardedStream guarded(input, arena, max_bytes);
  const bool parsed = message.ParseFromZeroCopyStream(&guarded);
  // Before `parsed`: input that was cut between two fields parses.
  if (guarded.exceeded()) {
    return LimitExceeded("max_parsed_bytes", max_bytes, "the request takes more memory than this when parsed");
  }
  if (!parsed) {
    return absl::InvalidArgumentError(absl::StrCat("the bytes are not a valid ", std::string(message.GetTypeName()),
                                                   " (damaged, not UTF-8, or nested more than 100 deep)"));
  }
  return absl::OkStatus();
}

absl::Status ParseBounded(std::string bytes, const google::protobuf::Arena& arena, int64_t max_bytes,
                          google::protobuf::MessageLite& message) {
  google::protobuf::io::ArrayInputStream input(bytes.data(), static_cast<int>(bytes.size()));
  return ParseBounded(input, arena, max_bytes, message);
}

}  // namespace quantgate::server
