#include "rules/graph/sharing/sharing.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/graph/sharing/forest.h"
#include "rules/graph/sharing/references.h"

namespace quantgate {
namespace {

// Why this is fast although torchao's loops are quadratic in the users of a value and its recursion in the length of
// reference chains.
//
// Call the class of a spec what the eight attributes say once references are followed. Every union joins two places of
// one class: an implicit one because that is its condition, an explicit one because a shared spec has the class of its
// target. So the class that torchao finds by walking through the union-find tree is the one that the references alone
// give, and never changes, with one exception: a union can close a circle where there was none. Therefore
//  - classes are computed once, before;
//  - the first edge of a value that is visited joins all its siblings of the same class into one set; for the later
//    ones the walk over the siblings would change nothing and is left out;
//  - what remains is to notice circles. New ones need a shared spec at the root of a set. A short walk excludes them
//    nearly always; where it does not, PointerForest follows all pointers from then on, and while a circle is open the
//    siblings are visited one by one as torchao does, because the walk may now fail.

constexpr int kShortWalk = 16;
// Visits of siblings while a circle is open; a graph has to be built for the purpose to come near.
constexpr int64_t kMaxSlowVisits = 50'000'000;
// Class of specs that agree with none: explicit None, errors, and fixed specs with a NaN.
constexpr int32_t kAgreesWithNone = -1;

using SpecKey = std::tuple<bool, int, int, bool, int64_t, bool, int64_t, int, bool, int64_t, double, double>;

// The eight attributes, each with whether it is there at all; nullopt: equal to nothing, itself included.
std::optional<SpecKey> KeyOf(const v1::Spec& spec) {
  const bool fixed = spec.kind() == v1::Spec::FIXED;
  double scale = 0;
  double zero_point = 0;
  if (fixed) {
    if (!spec.qparams().scales().empty()) scale = spec.qparams().scales(0);
    if (!spec.qparams().zero_points().empty()) zero_point = spec.qparams().zero_points(0);
    if (std::isnan(scale) || std::isnan(zero_point)) return std::nullopt;
  }
  const bool has_axis = !fixed && spec.has_axis();
  // Adding 0.0 makes a negative zero positive: equal keys must hash alike.
  return SpecKey(fixed, spec.dtype(), spec.has_is_dynamic() + spec.is_dynamic(), spec.has_quant_min(), spec.quant_min(),
                 spec.has_quant_max(), spec.quant_max(), spec.qscheme(), has_axis, has_axis ? spec.axis() : 0,
                 scale + 0.0, zero_point + 0.0);
}

class Grouper {
  // What is kept of an entry.
  struct Item {
    int32_t parent = -1;  // in the union-find tree; itself: a root
    int32_t spec_class = kAgreesWithNone;
    int32_t head = -1;    // of an edge: the first sibling of its class; -1: there is none
    int32_t next = -1;    // the next one
    bool joined = false;  // of a head: all siblings of the class are in one set
  };

 public:
  explicit Grouper(SharingGroups& result)
      : result_(result), table_(result.annotations), graph_(result.annotations.graph()) {}

  void Run() {
    const int size = table_.size();
    items_.resize(size);
    for (int32_t entry = 0; entry < size; ++entry) items_[entry].parent = entry;
    FindClasses();
    LinkSiblings();
    for (int32_t entry = 0; entry < size; ++entry) {
      if (!Visit(entry)) return;
    }
    NumberGroups();
  }

  // Whether no circle came near while everything was joined.
  bool StaysFarFromCircles() const { return !result_.error && forest_ == nullptr; }

 private:
  void FindClasses() {
    constexpr int32_t kNotLookedUp = -2;
    absl::flat_hash_map<SpecKey, int32_t> ids;
    std::vector<int32_t> class_of_spec(graph_.message().specs_size(), kNotLookedUp);
    for (int32_t entry = 0; entry < table_.size(); ++entry) {
      const SpecResolution resolution = table_.Resolve(entry);
      if (resolution.state != SpecState::kConcrete) continue;
      int32_t& id = class_of_spec[resolution.spec];
      if (id == kNotLookedUp) {
        const std::optional<SpecKey> key = KeyOf(graph_.message().specs(resolution.spec));
        id = key ? ids.emplace(*key, static_cast<int32_t>(ids.size())).first->second : kAgreesWithNone;
      }
      items_[entry].spec_class = id;
    }
    num_classes_ = static_cast<int32_t>(ids.size());
  }

  // Chains the siblings of one class, in user order, and notes values with a sibling that cannot be resolved.
  void LinkSiblings() {
    may_fail_.assign(graph_.num_values(), false);
    std::vector<int32_t> last(num_classes_, -1);
    for (int32_t value = 0; value < graph_.num_values(); ++value) {
      for (int32_t sibling : table_.siblings(value)) {
        const SpecState state = table_.state(sibling);
        if (state == SpecState::kDangling || state == SpecState::kCycle) may_fail_[value] = true;
        if (items_[sibling].spec_class == kAgreesWithNone) continue;
        int32_t& before = last[items_[sibling].spec_class];
        if (before >= 0 && table_.place(before).value == value) {
          items_[before].next = sibling;
          items_[sibling].head = items_[before].head;
        } else {
          items_[sibling].head = sibling;
        }
        before = sibling;
      }
    }
    if (table_.has_stray_edges()) LinkStrays();
  }

  // An edge whose key is no input of its node is nobody's sibling, but looks at the users all the same.
  void LinkStrays() {
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> head_of_class;
    for (int32_t entry = 0; entry < table_.size(); ++entry) {
      if (items_[entry].head == entry)
        head_of_class.emplace(std::pair(table_.place(entry).value, items_[entry].spec_class), entry);
    }
    for (int32_t entry = 0; entry < table_.size(); ++entry) {
      if (!table_.is_stray(entry)) continue;
      const auto found = head_of_class.find({table_.place(entry).value, items_[entry].spec_class});
      if (found != head_of_class.end()) items_[entry].head = found->second;
    }
  }

  // One step of torchao's loop over the table. False: it fails here.
  bool Visit(int32_t entry) {
    if (table_.place(entry).is_edge()) {
      if (!Unwrap(entry)) return false;
      if (table_.starts_sharing(entry) && !ShareImplicitly(entry)) return false;
    }
    if (!table_.is_shared(entry)) return true;
    if (table_.target(entry) < 0) return Fail(entry);
    Union(table_.target(entry), entry);
    return true;
  }

  // Siblings first, then the producer.
  bool ShareImplicitly(int32_t entry) {
    const int32_t head = items_[entry].head;
    if (head >= 0 && items_[head].joined && !table_.is_stray(entry) && !CircleOpen()) return true;
    const int32_t value = table_.place(entry).value;
    if (!JoinSiblings(entry, value)) return false;
    const int32_t producer = table_.Find({value, -1});
    if (producer >= 0) {
      if (!Unwrap(producer)) return false;
      JoinIfAgreed(producer, entry);
    }
    if (head >= 0) items_[head].joined = true;
    return true;
  }

  bool JoinSiblings(int32_t entry, int32_t value) {
    if (may_fail_[value] || CircleOpen()) return JoinOneByOne(entry, table_.siblings(value));
    const int32_t head = items_[entry].head;
    if (head >= 0 && items_[head].joined) {
      Union(head, entry);
      return true;
    }
    for (int32_t sibling = head; sibling >= 0; sibling = items_[sibling].next) {
      if (sibling == entry) continue;
      Union(sibling, entry);
      if (!CircleOpen()) continue;
      const absl::Span<const int32_t> siblings = table_.siblings(value);
      size_t done = 0;
      while (siblings[done] != sibling) ++done;
      return JoinOneByOne(entry, siblings.subspan(done + 1));
    }
    return true;
  }

  bool JoinOneByOne(int32_t entry, absl::Span<const int32_t> siblings) {
    slow_visits_ += siblings.size();
    if (slow_visits_ > kMaxSlowVisits) {
      result_.error = SharingError{SharingError::kTooMuchWork, entry, {}, {}};
      return false;
    }
    for (int32_t sibling : siblings) {
      if (sibling == entry) continue;
      if (!Unwrap(sibling)) return false;
      JoinIfAgreed(sibling, entry);
    }
    return true;
  }

  void JoinIfAgreed(int32_t parent, int32_t child) {
    const int32_t spec_class = items_[parent].spec_class;
    if (spec_class == items_[child].spec_class && spec_class != kAgreesWithNone) Union(parent, child);
  }

  int32_t Find(int32_t entry) {
    while (items_[entry].parent != entry) entry = items_[entry].parent = items_[items_[entry].parent].parent;
    return entry;
  }

  // The child's root goes under the parent's root, unless the latter already refers to the former.
  void Union(int32_t parent, int32_t child) {
    const int32_t above = Find(parent);
    const int32_t below = Find(child);
    if (above == below) return;
    if (table_.is_shared(above) && table_.target(above) == below) {
      items_[above].parent = below;
      return;
    }
    // Places that refer into a circle from the start stay so whatever is joined.
    if (table_.state(below) != SpecState::kCycle) Repoint(below, above);
    items_[below].parent = above;
  }

  void Repoint(int32_t from, int32_t to) {
    if (forest_ == nullptr) {
      int32_t at = to;
      for (int steps = 0; steps < kShortWalk && at != from; ++steps) {
        if (table_.target(at) < 0) return;
        at = Find(table_.target(at));
      }
      if (at != from && table_.target(at) < 0) return;
      StartForest();
    }
    forest_->Repoint(from, to);
  }

  // Where torchao looks next: the parent in the union-find tree, at a root what the shared spec refers to.
  void StartForest() {
    std::vector<int32_t> pointers(table_.size(), -1);
    for (int32_t entry = 0; entry < table_.size(); ++entry) {
      if (items_[entry].parent != entry) {
        pointers[entry] = items_[entry].parent;
      } else if (table_.state(entry) != SpecState::kCycle) {
        pointers[entry] = table_.target(entry);
      }
    }
    forest_ = std::make_unique<PointerForest>(pointers);
  }

  bool CircleOpen() const { return forest_ != nullptr && forest_->num_circles() > 0; }

  // False when following the entry's spec fails now.
  bool Unwrap(int32_t entry) {
    const SpecState state = table_.state(entry);
    if (state == SpecState::kDangling || state == SpecState::kCycle) return Fail(entry);
    if (!CircleOpen() || table_.target(entry) < 0 || !forest_->IsEndless(table_.target(entry))) return true;
    // The circle leads through sets: from a root to what it refers to, to the root of that place's set, and so on.
    SharingError error{SharingError::kCycle, entry, table_.place(table_.target(entry)), {entry}};
    std::vector<bool> met(table_.size(), false);
    for (int32_t at = table_.target(entry);;) {
      const int32_t root = Find(at);
      error.path.push_back(at);
      if (root != at) error.path.push_back(root);
      if (met[root]) break;
      met[root] = true;
      at = table_.target(root);
    }
    result_.error = std::move(error);
    return false;
  }

  bool Fail(int32_t entry);

  void NumberGroups() {
    std::vector<int32_t> id_of_root(table_.size(), -1);
    result_.group_of.resize(table_.size());
    result_.first_member = {0};
    for (int32_t entry = 0; entry < table_.size(); ++entry) {
      const int32_t root = Find(entry);
      if (id_of_root[root] < 0) {
        id_of_root[root] = result_.num_groups();
        result_.roots.push_back(root);
        result_.first_member.push_back(0);
      }
      result_.group_of[entry] = id_of_root[root];
      ++result_.first_member[id_of_root[root] + 1];
    }
    std::partial_sum(result_.first_member.begin(), result_.first_member.end(), result_.first_member.begin());
    result_.members.resize(table_.size());
    std::vector<int32_t> next = result_.first_member;
    for (int32_t entry = 0; entry < table_.size(); ++entry) result_.members[next[result_.group_of[entry]]++] = entry;
  }

  SharingGroups& result_;
  const Annotations& table_;
  const Graph& graph_;
  std::vector<Item> items_;
  int32_t num_classes_ = 0;
  std::vector<bool> may_fail_;
  std::unique_ptr<PointerForest> forest_;
  int64_t slow_visits_ = 0;
};

SharingError ReferenceError(const Annotations& table, int32_t entry) {
  const SpecResolution resolution = table.Resolve(entry);
  SharingError error{SharingError::kCycle, resolution.end, {}, table.Path(entry)};
  if (resolution.state == SpecState::kDangling) error.kind = SharingError::kDanglingReference;
  error.reference = SpecPlaceOf(table.spec(resolution.end).shared_with());
  return error;
}

bool Grouper::Fail(int32_t entry) {
  result_.error = ReferenceError(table_, entry);
  return false;
}

// What stops the making of a group's observer, given its first member.
std::optional<SharingError> ObserverError(const Annotations& table, int32_t leader) {
  const v1::Spec& spec = table.spec(leader);
  if (table.is_shared(leader)) {
    return SharingError{SharingError::kFirstMemberShared, leader, SpecPlaceOf(spec.shared_with()), {}};
  }
  if (spec.kind() != v1::Spec::DERIVED) return std::nullopt;
  for (const v1::EdgeRef& edge : spec.derived_from()) {
    const int32_t source = table.Find(SpecPlaceOf(edge));
    if (source >= 0 && source < leader) continue;
    return SharingError{SharingError::kDerivedFromMissing, leader, SpecPlaceOf(edge), {}};
  }
  return std::nullopt;
}

// prepare puts observers behind outputs without asking whether there is one; results that are no tensor are left out.
std::optional<SharingError> MissingObserver(const SharingGroups& groups, int32_t group) {
  const Annotations& table = groups.annotations;
  const int32_t leader = groups.leader(group);
  if (table.spec(leader).kind() != v1::Spec::EXPLICIT_NONE) return std::nullopt;
  for (int32_t member : groups.group(group)) {
    const SpecPlace place = table.place(member);
    if (place.is_edge() || !table.graph().value(place.value).has_shape()) continue;
    return SharingError{SharingError::kFirstMemberNone, member, table.place(leader), {}};
  }
  return std::nullopt;
}

}  // namespace

SharingGroups ComputeSharingGroups(const Graph& graph) {
  SharingGroups result{Annotations(graph)};
  Grouper(result).Run();
  for (int32_t group = 0; group < result.num_groups() && !result.error; ++group) {
    result.error = ObserverError(result.annotations, result.leader(group));
  }
  return result;
}

bool SurelyNoSharingErrors(const Graph& graph) {
  EarlierReferences references(graph);
  if (!references.All()) return false;
  if (references.MakeNoCircle()) return true;
  SharingGroups result{Annotations(graph, references.Reached())};
  Grouper grouper(result);
  grouper.Run();
  return grouper.StaysFarFromCircles();
}

std::vector<SharingError> AllSharingErrors(const SharingGroups& groups) {
  const Annotations& table = groups.annotations;
  std::vector<SharingError> errors;
  for (int32_t entry = 0; entry < table.size(); ++entry) {
    const SpecResolution resolution = table.Resolve(entry);
    if (resolution.end != entry) continue;
    if (resolution.state == SpecState::kDangling || resolution.state == SpecState::kCycle) {
      errors.push_back(ReferenceError(table, entry));
    }
  }
  for (int32_t group = 0; group < groups.num_groups(); ++group) {
    // A circle of values that nobody resolves gives groups whose leader is shared; the circle says more.
    if (table.state(groups.leader(group)) == SpecState::kCycle) continue;
    if (auto error = ObserverError(table, groups.leader(group))) errors.push_back(*std::move(error));
    if (auto error = MissingObserver(groups, group)) errors.push_back(*std::move(error));
  }
  // What only the joining brought about is in no spec alone.
  if (groups.error && groups.group_of.empty() && table.state(groups.error->entry) == SpecState::kConcrete) {
    errors.push_back(*groups.error);
  }
  return errors;
}

std::string SharingErrorText(const Annotations& annotations, const SharingError& error) {
  const Graph& graph = annotations.graph();
  const std::string subject = SpecPlaceName(graph, annotations.place(error.entry));
  const std::string reference = SpecPlaceName(graph, error.reference);
  switch (error.kind) {
    case SharingError::kDanglingReference:
      return absl::StrCat(subject, " is shared with ", reference, ", which has no spec");
    case SharingError::kCycle: {
      constexpr size_t kShown = 12;
      const absl::Span<const int32_t> path = error.path;
      const auto name = [&](std::string* out, int32_t entry) {
        out->append(SpecPlaceName(graph, annotations.place(entry)));
      };
      std::string text =
          absl::StrCat("shared specs run in a circle: ", absl::StrJoin(path.subspan(0, kShown), " -> ", name));
      if (path.size() > kShown) {
        absl::StrAppend(&text, " -> ... ", path.size() - kShown - 1, " more -> ");
        name(&text, path.back());
      }
      return text;
    }
    case SharingError::kFirstMemberShared:
      return absl::StrCat(subject, " is the first of its group but shared with ", reference, ", which comes later");
    case SharingError::kDerivedFromMissing: {
      const bool later = annotations.Find(error.reference) >= 0;
      return absl::StrCat(subject, " is derived from ", reference,
                          later ? ", which comes later" : ", which has no spec");
    }
    case SharingError::kFirstMemberNone:
      return absl::StrCat(subject, " shares its observer with ", reference, ", which is explicitly not quantized");
    case SharingError::kTooMuchWork:
      return absl::StrCat("sharing groups not computed: too many circles of shared specs (at ", subject, ")");
  }
  return "";
}

}  // namespace quantgate
