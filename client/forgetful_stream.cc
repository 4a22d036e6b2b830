#include "client/forgetful_stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace quantgate {
namespace {

constexpr size_t kPiece = 256 << 10;

// Whole pages between the two become zeros that take no memory. Returns how many bytes at the front are done with.
size_t Forget(char* begin, char* end) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const size_t before = (page - address % page) % page;
  const auto size = static_cast<size_t>(end - begin);
  if (size < before + page) return 0;
  const size_t pages = (size - before) / page * page;
  // If it fails, the memory stays, which is no harm.
  (void)::madvise(begin + before, pages, MADV_DONTNEED);
  return before + pages;
}

}  // namespace

bool ForgetfulStream::Next(const void** data, int* size) {
  // What was given out before is needed no more. The page in which it ends goes with the next piece.
  forgotten_ += Forget(bytes_.data() + forgotten_, bytes_.data() + position_);
  if (position_ == bytes_.size()) return false;
  const size_t piece = std::min(kPiece, bytes_.size() - position_);
  *data = bytes_.data() + position_;
  *size = static_cast<int>(piece);
  position_ += piece;
  return true;
}

bool ForgetfulStream::Skip(int count) {
  const size_t left = bytes_.size() - position_;
  const bool enough = static_cast<size_t>(count) <= left;
  position_ += enough ? static_cast<size_t>(count) : left;
  return enough;
}

}  // namespace quantgate
