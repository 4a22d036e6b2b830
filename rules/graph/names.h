// Whether names are told apart: exactly, and with a few bits per name where they are.
#ifndef QUANTGATE_RULES_GRAPH_NAMES_H_
#define QUANTGATE_RULES_GRAPH_NAMES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace quantgate {

class NameCheck {
 public:
  explicit NameCheck(size_t expected) { hashes_.reserve(expected); }
  // Empty names are none.
  void Add(absl::string_view name);
  // No name was added twice. False: one probably was.
  bool Distinct() const;

 private:
  std::vector<uint64_t> hashes_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_NAMES_H_
