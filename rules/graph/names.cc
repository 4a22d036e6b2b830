#include "rules/graph/names.h"

#include <algorithm>

#include "absl/numeric/bits.h"
#include "rules/graph/mixer.h"

namespace quantgate {
namespace {

// A set of hashes by a few of their bits.
class Marks {
 public:
  explicit Marks(size_t bits) : mask_(bits - 1), words_(bits / 64, 0) {}
  // Whether it was marked before.
  bool TestAndSet(uint64_t hash) {
    const uint64_t bit = uint64_t{1} << (hash % 64);
    uint64_t& word = words_[(hash & mask_) / 64];
    const bool marked = (word & bit) != 0;
    word |= bit;
    return marked;
  }
  bool Test(uint64_t hash) const { return (words_[(hash & mask_) / 64] >> (hash % 64)) & 1; }

 private:
  uint64_t mask_;
  std::vector<uint64_t> words_;
};

}  // namespace

void NameCheck::Add(absl::string_view name) {
  if (name.empty()) return;
  Mixer mixer;
  mixer.Add(name);
  hashes_.push_back(mixer.hash());
}

bool NameCheck::Distinct() const {
  // Names whose mark was taken are compared by the whole hash; with 16 marks per name they are few.
  const size_t bits = std::max<size_t>(64, absl::bit_ceil(hashes_.size() * 16));
  Marks met(bits);
  Marks met_again(bits);
  bool any = false;
  for (uint64_t hash : hashes_) {
    if (!met.TestAndSet(hash)) continue;
    any = true;
    met_again.TestAndSet(hash);
  }
  if (!any) return true;
  std::vector<uint64_t> candidates;
  for (uint64_t hash : hashes_) {
    if (met_again.Test(hash)) candidates.push_back(hash);
  }
  std::sort(candidates.begin(), candidates.end());
  return std::adjacent_find(candidates.begin(), candidates.end()) == candidates.end();
}

}  // namespace quantgate
