// The annotation table of a PT2E graph: every edge and value that carries a spec, in torchao's order, and what each
// spec comes to when its references are followed.
#ifndef QUANTGATE_RULES_GRAPH_SHARING_ANNOTATIONS_H_
#define QUANTGATE_RULES_GRAPH_SHARING_ANNOTATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "quantgate/v1/spec.pb.h"
#include "rules/graph/graph.h"

namespace quantgate {

// "x" or "(x, n)", as torchao prints them.
std::string SpecPlaceName(const Graph& graph, SpecPlace place);
SpecPlace SpecPlaceOf(const v1::EdgeRef& reference);

enum class SpecState : uint8_t {
  kConcrete,  // plain, fixed or derived
  kNone,      // explicitly not quantized
  kDangling,  // the references lead to a place without spec
  kCycle,     // the references lead into a circle
};

struct SpecResolution {
  SpecState state = SpecState::kNone;
  // kConcrete: the spec, an id into message().specs(). -1 otherwise.
  int32_t spec = -1;
  // Entry at which following the references ended: the one that holds the spec, whose reference dangles, or with which
  // the circle is entered.
  int32_t end = -1;
};

// Entries are numbered in annotation order: for every fx node in graph order, first its input_qspec_map in map order
// (an explicit None is an entry), then its output_qspec (where None is none). The graph must outlive the table.
class Annotations {
 public:
  // Linear time and memory. `values`: only the places of these, numbered as if there were no others; empty: all.
  explicit Annotations(const Graph& graph, const std::vector<bool>& values = {});

  const Graph& graph() const { return *graph_; }
  int size() const { return static_cast<int>(entries_.size()); }
  SpecPlace place(int32_t entry) const { return entries_[entry].place; }
  int32_t spec_id(int32_t entry) const { return entries_[entry].spec; }
  const v1::Spec& spec(int32_t entry) const { return graph_->message().specs(entries_[entry].spec); }
  // Entry of a place; -1: it carries no spec.
  int32_t Find(SpecPlace place) const;

  // SharedQuantizationSpec, and the entry that it refers to; -1: a place without spec (or the entry is not shared).
  bool is_shared(int32_t entry) const { return entries_[entry].shared; }
  int32_t target(int32_t entry) const { return entries_[entry].target; }
  // Follows shared references from entry to entry, whatever lies between: Shared((x, n)) on value n with Shared(x) on
  // edge (x, n) ends at x. Constant time.
  SpecResolution Resolve(int32_t entry) const {
    const Entry& from = entries_[entry];
    return {from.state, from.state == SpecState::kConcrete ? entries_[from.end].spec : -1, from.end};
  }
  SpecState state(int32_t entry) const { return entries_[entry].state; }
  // nullopt: the place carries no spec, which is not an explicit None.
  std::optional<SpecResolution> Resolve(SpecPlace place) const;
  // The entries on the way, `entry` first; of a circle up to and including the entry that is met twice.
  std::vector<int32_t> Path(int32_t entry) const;

  // An edge whose node does not read the value: an annotation may name anything.
  bool is_stray(int32_t entry) const { return entries_[entry].stray; }
  // An edge whose node allows implicit sharing.
  bool starts_sharing(int32_t entry) const { return entries_[entry].starts_sharing; }
  bool has_stray_edges() const { return has_stray_edges_; }
  // Entries of the edges that leave `value` for a consumer of this graph, in the order of torch.fx's users.
  absl::Span<const int32_t> siblings(int32_t value) const {
    return absl::MakeConstSpan(siblings_).subspan(first_sibling_[value],
                                                  first_sibling_[value + 1] - first_sibling_[value]);
  }

 private:
  struct Entry {
    SpecPlace place;
    int32_t spec = -1;
    int32_t target = -1;
    int32_t end = -1;
    SpecState state = SpecState::kNone;
    bool shared = false;
    bool stray = false;
    bool starts_sharing = false;
  };

  void AddEdges(int32_t node);
  void AddEdge(int32_t node, int32_t value, int32_t spec, bool stray);
  void FindTargets();
  void FollowReferences();
  void CollectSiblings();

  const Graph* graph_;
  const std::vector<bool>* only_;  // scratch of construction, as the last two; null: all values
  std::vector<Entry> entries_;
  bool has_stray_edges_ = false;
  std::vector<int32_t> value_entry_;  // by value
  std::vector<int32_t> first_edge_;   // by node; its entries are consecutive
  std::vector<int32_t> edge_count_;
  // Edges of nodes with many; the others are searched one by one.
  absl::flat_hash_map<int64_t, int32_t> wide_edges_;
  std::vector<int32_t> first_sibling_;  // by value, one more than values
  std::vector<int32_t> siblings_;
  // Scratch of construction, by value: the last node whose map named it; the last node with a map that reads it.
  std::vector<int32_t> in_map_of_;
  std::vector<int32_t> read_by_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SHARING_ANNOTATIONS_H_
