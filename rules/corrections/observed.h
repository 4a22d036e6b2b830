// What a check found, by ids, so that two checks of one graph under different specs can be compared.
#ifndef QUANTGATE_RULES_CORRECTIONS_OBSERVED_H_
#define QUANTGATE_RULES_CORRECTIONS_OBSERVED_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "quantgate/v1/report.pb.h"
#include "rules/corrections/names.h"

namespace quantgate::corrections {

// One finding, or one thing that could not be checked, whatever its words.
struct Issue {
  std::string code;
  int32_t node = -1;  // -1: the graph
  int32_t input = -1;
  int32_t output = -1;
  bool not_checked = false;

  friend bool operator==(const Issue&, const Issue&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Issue& issue) {
    return H::combine(std::move(h), issue.code, issue.node, issue.input, issue.output, issue.not_checked);
  }
};

enum class Weight : uint8_t {
  kNote,     // advice that no one has to follow
  kWarning,  // precision
  kLosing,   // a warning that numbers may be lost: none is corrected, and no change may cause one
  kFault,    // an error or a fallback, or something that cannot be judged any more
};

class Observed {
 public:
  Observed() = default;
  // Findings in bodies of control-flow nodes are left out.
  Observed(const v1::Result& result, const Names& names);

  struct Entry {
    Weight weight;
    size_t words;           // hash of what is observed and allowed
    bool is_error = false;  // of a finding
  };
  const Entry* Find(const Issue& issue) const;
  const absl::flat_hash_map<Issue, Entry>& issues() const { return issues_; }
  // Of the result, however many of them are one issue.
  int64_t findings() const { return findings_; }
  // Issues of one node; empty span for a node without.
  const std::vector<Issue>& At(int32_t node) const;
  // Replaces the issues of `node` by those that `other` has there.
  void TakeFrom(const Observed& other, int32_t node);

 private:
  void Add(Issue issue, Entry entry);

  absl::flat_hash_map<Issue, Entry> issues_;
  absl::flat_hash_map<int32_t, std::vector<Issue>> by_node_;
  int64_t findings_ = 0;
};

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_OBSERVED_H_
