// Bytes for a parser that reads them once, from front to back.
#ifndef QUANTGATE_CLIENT_FORGETFUL_STREAM_H_
#define QUANTGATE_CLIENT_FORGETFUL_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "google/protobuf/io/zero_copy_stream.h"

namespace quantgate {

// Gives the memory of what was read back to the system while the rest is still being read: a file and the message made
// of it are then never in memory both in full.
class ForgetfulStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit ForgetfulStream(std::string bytes) : bytes_(std::move(bytes)) {}

  bool Next(const void** data, int* size) override;
  void BackUp(int count) override { position_ -= static_cast<size_t>(count); }
  bool Skip(int count) override;
  int64_t ByteCount() const override { return static_cast<int64_t>(position_); }

 private:
  std::string bytes_;
  size_t position_ = 0;
  size_t forgotten_ = 0;  // bytes at the front
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FORGETFUL_STREAM_H_
