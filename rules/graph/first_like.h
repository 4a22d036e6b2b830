// Finds, for things by number, the first one that is the same.
#ifndef QUANTGATE_RULES_GRAPH_FIRST_LIKE_H_
#define QUANTGATE_RULES_GRAPH_FIRST_LIKE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace quantgate {

// What a kind of things tells of them:
//   uint64_t Guess(int32_t) const          a few of their words, added up: quick, and foreseeable for a sender
//   size_t Hash(int32_t) const             all that Same compares, in a way that nobody can foresee
//   bool Same(int32_t, int32_t) const      exactly
// A graph repeats few kinds, so a guess nearly always leads to the right one, and Same confirms it. A wrong guess costs
// one comparison more: whoever makes all things guess alike does not make the search slower than a hash table.
template <typename Things>
class FirstLike {
 public:
  explicit FirstLike(Things things) : things_(std::move(things)), first_(0, Hash{&things_}, Same{&things_}) {
    guessed_.fill(-1);
  }
  FirstLike(const FirstLike&) = delete;

  // The first, of those that it was called with, that is the same as this one.
  int32_t operator()(int32_t thing) {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
    int32_t& guess = guessed_[things_.Guess(thing) * kSpread >> (64 - kSlotBits)];
    if (guess < 0 || !things_.Same(guess, thing)) guess = *first_.insert(thing).first;
    return guess;
  }

 private:
  static constexpr int kSlotBits = 7;
  struct Hash {
    const Things* things;
    size_t operator()(int32_t thing) const { return things->Hash(thing); }
  };
  struct Same {
    const Things* things;
    bool operator()(int32_t a, int32_t b) const { return things->Same(a, b); }
  };

  Things things_;
  std::array<int32_t, 1 << kSlotBits> guessed_;  // the first of the things that were last found by this guess
  absl::flat_hash_set<int32_t, Hash, Same> first_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_FIRST_LIKE_H_
