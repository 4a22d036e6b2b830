#include "server/memory.h"

#include <cstdlib>  // says which library this is

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace quantgate::server {

void KeepFreedMemory() {
#if defined(__GLIBC__)
  constexpr int kKeptBytes = 256 << 20;    // free bytes at the end of an arena of malloc's
  constexpr int kLargestBlock = 32 << 20;  // larger ones are the system's, and go back to it
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
#endif
}

}  // namespace quantgate::server
