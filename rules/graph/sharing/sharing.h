// Sharing groups: which annotated edges and values will use one observer, hence one set of qparams. Equal, ids and all,
// to what torchao 0.18.0 computes in torchao/quantization/pt2e/prepare.py.
//
// Two relations make groups. A shared spec joins the group of the place that it refers to. And an edge (a, n) joins
// other edges (a, u), in the order of a's users, and then value a, when the specs on both sides, references followed,
// agree in dtype, is_dynamic, quant_min, quant_max, qscheme, ch_axis, scale and zero_point ("has none" agrees with "has
// none": a fixed spec has no ch_axis and never agrees with a plain one). Observers, block sizes and derived_from are
// not compared.
#ifndef QUANTGATE_RULES_GRAPH_SHARING_SHARING_H_
#define QUANTGATE_RULES_GRAPH_SHARING_SHARING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "rules/graph/graph.h"
#include "rules/graph/sharing/annotations.h"

namespace quantgate {

struct SharingError {
  enum Kind {
    // A reference leads to a place without spec (torchao: KeyError). Stops the grouping.
    kDanglingReference,
    // Following the references never ends (torchao: RecursionError). Stops the grouping.
    kCycle,
    // A group's first member is shared, so nothing can make the observer (torchao: AssertionError).
    kFirstMemberShared,
    // A group's first member is derived from a place that has no spec or comes later (torchao: KeyError).
    kDerivedFromMissing,
    // A value in a group whose first member is explicitly not quantized, so that there is no observer to put behind it
    // (torchao: AttributeError; edges of such a group stay as they are). `reference` is that member.
    kFirstMemberNone,
    // Only for graphs made to be slow: the grouping was given up. Not an answer of torchao's.
    kTooMuchWork,
  };
  Kind kind;
  int32_t entry;        // whose spec it is
  SpecPlace reference;  // what the spec refers to
  // Entries on the way, as they are met. kCycle: ends with the entry met twice. kDanglingReference: ends at `entry`.
  std::vector<int32_t> path;
};

// "(x, n) is shared with y, which has no spec".
std::string SharingErrorText(const Annotations& annotations, const SharingError& error);

// Entry numbers are those of `annotations`.
struct SharingGroups {
  Annotations annotations;
  // Group id of each entry, in torchao's id order; empty when the grouping was stopped.
  std::vector<int32_t> group_of;
  // Entries by group, within a group in annotation order; group g has those from first_member[g] to first_member[g +
  // 1].
  std::vector<int32_t> members;
  std::vector<int32_t> first_member;
  // Of each group, the entry that ended as the root of torchao's tree. Its resolved spec agrees with those of all
  // members in the eight attributes, never mind the leader's.
  std::vector<int32_t> roots;
  // What makes torchao fail, the first thing that it meets. Groups exist when it is one of the two observer errors.
  std::optional<SharingError> error;

  int num_groups() const { return static_cast<int>(roots.size()); }
  // The first member makes the observer of all, with its own spec.
  absl::Span<const int32_t> group(int32_t id) const {
    return absl::MakeConstSpan(members).subspan(first_member[id], first_member[id + 1] - first_member[id]);
  }
  int32_t leader(int32_t group) const { return members[first_member[group]]; }
  const v1::Spec& spec_of(int32_t group) const { return annotations.spec(leader(group)); }
  // Group of a place; -1: it carries no spec, or the grouping was stopped.
  int32_t group_at(SpecPlace place) const {
    const int32_t entry = group_of.empty() ? -1 : annotations.Find(place);
    return entry < 0 ? -1 : group_of[entry];
  }
};

// Near-linear in the number of annotated edges and values. Never fails: faults of the annotation are data.
SharingGroups ComputeSharingGroups(const Graph& graph);

// Whether AllSharingErrors has nothing to say, told without grouping what no shared spec can reach. False: it may.
bool SurelyNoSharingErrors(const Graph& graph);

// Every reference that dangles or runs in a circle (each circle once) and every group that cannot be observed, in
// annotation order, where torchao stops at the first.
std::vector<SharingError> AllSharingErrors(const SharingGroups& groups);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SHARING_SHARING_H_
