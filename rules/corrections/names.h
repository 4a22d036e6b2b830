// Nodes and values of a graph by the names that reports use.
#ifndef QUANTGATE_RULES_CORRECTIONS_NAMES_H_
#define QUANTGATE_RULES_CORRECTIONS_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::corrections {

// Refers to the message, which must outlive it. Of a name that several have, nobody is found.
class Names {
 public:
  explicit Names(const v1::Graph& graph);
  // 0-based; -1: none, or more than one. "#3" is node 3 when it has no name.
  int32_t Node(absl::string_view name) const { return Find(nodes_, name); }
  int32_t Value(absl::string_view name) const { return Find(values_, name); }
  std::string NodeName(int32_t node) const;

 private:
  using Map = absl::flat_hash_map<std::string, int32_t>;
  static int32_t Find(const Map& map, absl::string_view name);

  const v1::Graph& graph_;
  Map nodes_;
  Map values_;
};

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_NAMES_H_
