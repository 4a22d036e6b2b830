// Counts what a thread allocates, which no other load disturbs: operator new of the whole program is the one here.
// Include it in one file of a test program.
#ifndef QUANTGATE_TESTS_RULES_COUNT_ALLOCATIONS_H_
#define QUANTGATE_TESTS_RULES_COUNT_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace quantgate {

// Under ThreadSanitizer, whose operator new cannot be replaced, nothing is counted.
#ifdef QUANTGATE_SANITIZED_THREADS
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
#endif

// Of the calling thread, since it began.
inline thread_local int64_t allocations = 0;

}  // namespace quantgate

#ifndef QUANTGATE_SANITIZED_THREADS
// Not inlined: the compiler would otherwise see malloc meet delete.
[[gnu::noinline]] void* operator new(size_t size) {
  ++quantgate::allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

#endif  // QUANTGATE_TESTS_RULES_COUNT_ALLOCATIONS_H_
