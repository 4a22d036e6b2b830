#include "rules/corrections/corrections.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "rules/corrections/apply.h"
#include "rules/corrections/describe.h"
#include "rules/corrections/names.h"
#include "rules/corrections/observed.h"
#include "rules/corrections/search.h"
#include "rules/engine/verdict.h"

namespace quantgate {
namespace corrections {
namespace {

// Regions whose changes can be seen by one and the same node depend on each other: they are one correction.
struct Draft {
  std::vector<int32_t> nodes;  // with faults
  std::vector<Edit> edits;
  std::vector<int32_t> reach;
};

std::vector<Draft> Join(const std::vector<Region>& regions, const Candidates& candidates) {
  std::vector<Draft> drafts;
  absl::flat_hash_map<int32_t, size_t> owner;  // by node: index into parents
  std::vector<size_t> parents;
  const auto root = [&](size_t i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
  };
  std::vector<const Region*> solved;
  std::vector<std::vector<int32_t>> reaches;
  for (const Region& region : regions) {
    if (region.outcome != Region::kSolved || region.solution.edits.empty()) continue;
    const size_t index = parents.size();
    parents.push_back(index);
    solved.push_back(&region);
    std::vector<int32_t>& reach = reaches.emplace_back();
    reach.push_back(region.node);
    for (const Edit& edit : region.solution.edits) {
      const std::vector<int32_t> nodes = candidates.NodesAt(edit.place);
      reach.insert(reach.end(), nodes.begin(), nodes.end());
    }
    for (int32_t node : reach) {
      const auto [known, inserted] = owner.emplace(node, index);
      if (inserted) continue;
      const size_t a = root(known->second);
      const size_t b = root(index);
      parents[std::max(a, b)] = std::min(a, b);
    }
  }
  absl::flat_hash_map<size_t, size_t> draft_of;
  for (size_t i = 0; i < parents.size(); ++i) {
    const auto [found, inserted] = draft_of.emplace(root(i), drafts.size());
    if (inserted) drafts.emplace_back();
    Draft& draft = drafts[found->second];
    draft.nodes.push_back(solved[i]->node);
    draft.reach.insert(draft.reach.end(), reaches[i].begin(), reaches[i].end());
    draft.edits.insert(draft.edits.end(), solved[i]->solution.edits.begin(), solved[i]->solution.edits.end());
  }
  return drafts;
}

// Of each draft the places with the specs that they have in `work`; a place whose spec stayed the same is no change.
v1::Correction Write(const Graph& graph, const v1::Graph& original, const StoredSpecs& stored, const v1::Graph& work,
                     Draft& draft) {
  v1::Correction correction;
  absl::c_sort(draft.edits, [](const Edit& a, const Edit& b) {
    return std::make_tuple(a.place.node < 0, a.place.node, a.place.value) <
           std::make_tuple(b.place.node < 0, b.place.node, b.place.value);
  });
  bool safe = true;
  SpecPlace last;
  for (const Edit& edit : draft.edits) {
    if (edit.place == last) continue;
    last = edit.place;
    const int32_t before = SpecAt(original, edit.place);
    const int32_t after = SpecAt(work, edit.place);
    if (before == after) continue;
    v1::Change& change = *correction.add_changes();
    change = MakeChange(graph, work, edit.place, before, after);
    if (!stored.empty() && edit.place.is_edge()) {
      // It had the spec of the tensor.
      const v1::Spec* tensor = stored.Stated(stored.ReadAs(edit.place.value));
      if (tensor != nullptr) *change.mutable_before() = *tensor;
    } else if (!stored.empty()) {
      *change.mutable_location() =
          stored.LocationOf(edit.place.value, change.has_after() ? &change.after() : nullptr, *change.mutable_before());
    }
    change.set_summary(Summary(change));
    if (!stored.empty() && edit.place.is_edge()) change.mutable_summary()->append(", for this reader alone");
    safe = safe && IsSafe(change, graph.message().values(edit.place.value).dims());
  }
  correction.set_safe(safe);
  correction.set_summary(Summary(correction));
  return correction;
}

// Predictions are runs of the whole model: for so many corrections, each with so many alternatives.
constexpr int kMostCompared = 8;
constexpr size_t kMostAlternatives = 3;
// In dB: below, the change that loses least by its types stays.
constexpr double kWorthwhile = 0.1;

// Asks task.predict, where a region has other changes that are as few, which of them costs least. What it says of
// changes with other regions' is not known: those stay as they are.
absl::Status TakeCheapest(const CorrectionTask& task, const v1::Graph& original, const StoredSpecs& stored,
                          const v1::Graph& work, Search& search) {
  std::vector<Draft> drafts = Join(search.regions(), search.candidates());
  int compared = 0;
  for (Draft& draft : drafts) {
    if (draft.nodes.size() != 1 || ++compared > kMostCompared) continue;
    const size_t region =
        absl::c_find_if(search.regions(), [&](const Region& one) { return one.node == draft.nodes[0]; }) -
        search.regions().begin();
    absl::StatusOr<std::vector<State>> alternatives = search.Alternatives(region, kMostAlternatives);
    if (!alternatives.ok()) return alternatives.status();
    if (alternatives->empty()) continue;
    const auto predict = [&] { return task.predict(Write(task.context.graph(), original, stored, work, draft)); };
    const std::optional<double> now = predict();
    if (!now.has_value()) continue;
    const State first = search.regions()[region].solution;
    const State* best = &first;
    double most = *now + kWorthwhile;
    for (const State& alternative : *alternatives) {
      search.Take(region, alternative);
      draft.edits = alternative.edits;
      const std::optional<double> promised = predict();
      if (!promised.has_value() || *promised <= most) continue;
      most = *promised;
      best = &alternative;
    }
    search.Take(region, *best);
  }
  return absl::OkStatus();
}

// Which correction a fault belongs to when it is gone: that of its node, else the one whose changes are nearest. -1:
// none is connected to it.
class NearestDraft {
 public:
  NearestDraft(const Graph& graph, const std::vector<Draft>& drafts) : owner_(graph.num_nodes(), -1) {
    std::vector<int32_t> queue;
    for (size_t i = 0; i < drafts.size(); ++i) {
      for (const std::vector<int32_t>* nodes : {&drafts[i].nodes, &drafts[i].reach}) {
        for (int32_t node : *nodes) {
          if (owner_[node] >= 0) continue;
          owner_[node] = static_cast<int32_t>(i);
          queue.push_back(node);
        }
      }
    }
    for (size_t head = 0; head < queue.size(); ++head) {
      const int32_t node = queue[head];
      const auto reach = [&](int32_t other) {
        if (other < 0 || owner_[other] >= 0) return;
        owner_[other] = owner_[node];
        queue.push_back(other);
      };
      for (int i = 0; i < graph.num_inputs(node); ++i) {
        if (graph.input(node, i) >= 0) reach(graph.producer(graph.input(node, i)));
      }
      for (int i = 0; i < graph.num_outputs(node); ++i) {
        if (graph.output(node, i) < 0) continue;
        for (const Use& use : graph.uses(graph.output(node, i))) reach(use.node);
      }
    }
  }
  int32_t Of(int32_t node) const { return node < 0 ? -1 : owner_[node]; }

 private:
  std::vector<int32_t> owner_;
};

// What a check says of the unchanged graph with the corrections applied as a reader of the report would.
absl::StatusOr<Observed> Prove(const CorrectionTask& task, const std::vector<v1::Correction>& corrections,
                               const Names& names) {
  v1::Graph changed = task.context.graph().message();
  v1::Result all;
  for (const v1::Correction& correction : corrections) *all.add_corrections() = correction;
  if (absl::Status status = ApplyCorrections(all, changed); !status.ok()) return status;
  google::protobuf::Arena arena;
  auto& result = *google::protobuf::Arena::CreateMessage<v1::Result>(&arena);
  if (absl::Status status = task.judge(changed, result); !status.ok()) return status;
  return Observed(result, names);
}

// Whether a reader of the report finds the places again: names may be missing, or be those of several places.
bool CanBeApplied(const v1::Correction& correction, const v1::Graph& graph) {
  v1::Graph changed = graph;
  v1::Result alone;
  *alone.add_corrections() = correction;
  return ApplyCorrections(alone, changed).ok();
}

bool Causes(const Observed& first, const Observed& after, std::vector<int32_t>& nodes) {
  nodes.clear();
  for (const auto& [issue, entry] : after.issues()) {
    const Observed::Entry* before = first.Find(issue);
    if (entry.weight >= Weight::kLosing && (before == nullptr || before->weight < entry.weight)) {
      nodes.push_back(issue.node);
    }
  }
  return !nodes.empty();
}

}  // namespace
}  // namespace corrections

absl::StatusOr<bool> PlanCorrections(const CorrectionTask& task, v1::Result& result) {
  using namespace corrections;  // NOLINT: the helpers above
  const int64_t faults = absl::c_count_if(result.findings(), IsFault);
  if (faults == 0) return true;
  if (faults > task.limits.max_faults) {
    result.add_not_checked()->set_reason(
        absl::StrCat("no corrections were looked for: ", faults, " faults; max_faults=", task.limits.max_faults));
    return false;
  }
  const Graph& graph = task.context.graph();
  const Names names(graph.message());
  const StoredSpecs stored(graph, task.context.resolved());
  if (graph.origin() == v1::Graph::PT2E && stored.empty() && !graph.quantizers().empty()) {
    // Its nodes state the parameters, and it is not written anyway.
    result.add_not_checked()->set_reason(
        "no corrections were looked for: the program is converted; what it was converted from can be corrected");
    return false;
  }
  v1::Graph original = graph.message();
  stored.Lift(original);
  v1::Graph work = original;
  const Observed first(result, names);
  Search search(task, original, stored, work, names, first);
  if (search.regions().empty()) return true;
  if (absl::Status status = search.Run(); !status.ok()) return status;

  if (task.predict) {
    if (absl::Status status = TakeCheapest(task, original, stored, work, search); !status.ok()) return status;
  }
  std::vector<Draft> drafts = Join(search.regions(), search.candidates());
  std::vector<v1::Correction> written;
  Observed after;
  int nameless = 0;  // corrections whose places cannot be named
  // Corrections that were found apart may not go together; those next to what appears are left out.
  while (true) {
    written.clear();
    for (Draft& draft : drafts) written.push_back(Write(graph, original, stored, work, draft));
    if (drafts.empty()) break;
    absl::StatusOr<Observed> proof = Prove(task, written, names);
    std::vector<bool> drop(drafts.size(), false);
    if (absl::IsNotFound(proof.status()) && nameless == 0) {
      // Each is tried on a graph of its own; where that is too much, none is offered.
      const bool affordable =
          static_cast<int64_t>(drafts.size()) * graph.num_nodes() <= task.limits.max_judged_nodes / 10;
      for (size_t i = 0; i < drafts.size(); ++i) {
        drop[i] = !affordable || !CanBeApplied(written[i], graph.message());
        nameless += drop[i] ? 1 : 0;
      }
      if (nameless == 0) return proof.status();
    } else if (!proof.ok()) {
      return proof.status();
    } else {
      std::vector<int32_t> causes;
      if (!Causes(first, *proof, causes)) {
        after = *std::move(proof);
        break;
      }
      const NearestDraft nearest(graph, drafts);
      for (int32_t node : causes) drop[std::max(0, nearest.Of(node))] = true;
    }
    std::vector<Draft> kept;
    for (size_t i = 0; i < drafts.size(); ++i) {
      if (!drop[i]) {
        kept.push_back(std::move(drafts[i]));
        continue;
      }
      for (const Edit& edit : drafts[i].edits) {
        SpecEditor(work).Set(edit.place, SpecAt(original, edit.place));
      }
    }
    drafts = std::move(kept);
  }

  const NearestDraft nearest(graph, drafts);
  for (int i = 0; i < result.findings_size() && !drafts.empty(); ++i) {
    const v1::Finding& finding = result.findings(i);
    if (!finding.location().subgraph().empty()) continue;
    const int32_t node = names.Node(finding.location().node());
    Issue issue;
    issue.code = finding.code();
    issue.node = finding.location().node().empty() ? -1 : node;
    if (finding.location().has_input()) issue.input = finding.location().input();
    if (finding.location().has_output()) issue.output = finding.location().output();
    if (after.Find(issue) != nullptr) continue;
    const int32_t owner = nearest.Of(node);
    if (owner >= 0) written[owner].add_fixes(i);
  }
  // In the order of the first finding that each removes.
  absl::c_stable_sort(written, [](const v1::Correction& a, const v1::Correction& b) {
    return (a.fixes().empty() ? INT32_MAX : a.fixes(0)) < (b.fixes().empty() ? INT32_MAX : b.fixes(0));
  });
  for (v1::Correction& correction : written) {
    if (correction.fixes().empty() || correction.changes().empty()) continue;
    correction.set_id(absl::StrCat("c", result.corrections_size() + 1));
    correction.set_proven(true);
    for (int index : correction.fixes()) result.mutable_findings(index)->set_correction(correction.id());
    *result.add_corrections() = std::move(correction);
  }
  if (search.cut_short()) {
    result.add_not_checked()->set_reason(absl::StrCat("the search for corrections ended after ", search.checks(),
                                                      " checks; there may be more corrections, or smaller ones"));
  }
  if (nameless > 0) {
    result.add_not_checked()->set_reason(absl::StrCat(nameless, nameless == 1 ? " correction is" : " corrections are",
                                                      " left out: what would change has no name of its own"));
  }
  return !search.cut_short() && nameless == 0;
}

}  // namespace quantgate
