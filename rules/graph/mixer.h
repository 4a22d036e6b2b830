// A quick hash of words and texts, for tables that compare their hits in full. It starts elsewhere in every process, as
// Abseil's does, so that no sender can make many things collide.
#ifndef QUANTGATE_RULES_GRAPH_MIXER_H_
#define QUANTGATE_RULES_GRAPH_MIXER_H_

#include <cstdint>
#include <cstring>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace quantgate {

class Mixer {
 public:
  void Add(uint64_t word) {
    const absl::uint128 product = absl::uint128(state_ ^ word) * kFactor;
    state_ = absl::Uint128Low64(product) ^ absl::Uint128High64(product);
  }

  void Add(absl::string_view text) {
    uint64_t word = text.size();
    if (text.size() < sizeof(word)) {
      for (char byte : text) word = word << 8 | static_cast<uint8_t>(byte);
      return Add(word);
    }
    Add(word);
    for (size_t at = 0; at + sizeof(word) < text.size(); at += sizeof(word)) Add(Load(text.data() + at));
    Add(Load(text.data() + text.size() - sizeof(word)));
  }

  uint64_t hash() const { return state_; }

 private:
  static uint64_t Load(const char* bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
  }

  static constexpr uint64_t kFactor = 0x9ddfea08eb382d69;
  static inline const char start_ = 0;  // its address differs from process to process
  uint64_t state_ = reinterpret_cast<uintptr_t>(&start_) * kFactor;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_MIXER_H_
