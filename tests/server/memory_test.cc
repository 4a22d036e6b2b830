// The C library's allocator keeps what a request freed.
#include "server/memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace quantgate::server {
namespace {

TEST(FreedMemory, IsKept) {
#if !defined(__GLIBC__) || defined(QUANTGATE_SANITIZED)
  GTEST_SKIP() << "another allocator";
#else
  KeepFreedMemory();
  constexpr size_t kBlock = 8 << 20, kBlocks = 8;
  std::vector<std::unique_ptr<char[]> > blocks;
  for (size_t i = 0; i < kBlocks; ++i) blocks.push_back(std::make_unique<char[]>(kBlock));
  blocks.clear();
  EXPECT_GE(mallinfo2().fordblks, kBlock * kBlocks);
#endif
}

}  // namespace
}  // namespace quantgate::server
