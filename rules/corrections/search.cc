#include "rules/corrections/search.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "rules/graph/data_type.h"

namespace quantgate::corrections {
namespace {

// Moves in one candidate: the node's own, and those of neighbors that it affects.
constexpr int kMaxMoves = 4;
constexpr int kMaxOpen = 4000;
// Candidates that are tried for alternatives to one solution.
constexpr int kMaxAlternativesTried = 12;
constexpr int64_t kMaxReached = 20'000'000;

std::string KeyOf(const std::vector<Edit>& edits) {
  std::string key;
  for (const Edit& edit : edits) absl::StrAppend(&key, edit.place.value, ",", edit.place.node, "=", edit.spec, ";");
  return key;
}

// Families of rules that are about specs, as the codes promise (DT: types, QS: schemes, …): no spec makes a shape, a
// file or a missing operator right, and none has the range that an infinite scale has lost.
bool AboutSpecs(const std::string& code) {
  if (code == "NR202") return false;
  for (absl::string_view family : {"DT", "QS", "AX", "FX", "SH", "NR", "EN"}) {
    if (absl::StartsWith(code, family)) return true;
  }
  return false;
}

// Whether none of a region's faults is among what was seen.
bool Gone(const Region& region, const Observed& seen) {
  return absl::c_none_of(region.targets, [&](const Issue& issue) { return seen.Find(issue) != nullptr; });
}

// Whether the check `seen` has a fault or a warning that `known` does not have, or only as less.
bool SaysMore(const Observed& seen, const Observed& known) {
  return absl::c_any_of(seen.issues(), [&](const auto& said) {
    const Observed::Entry* before = known.Find(said.first);
    return said.second.weight != Weight::kNote && (before == nullptr || before->weight < said.second.weight);
  });
}

// Sums of smaller losses come to as much, and what is never quantized may go without any.
bool LeavesIntegers(const State& state) {
  return state.loss >= kUnquantizedLoss && absl::c_any_of(state.edits, [](const Edit& e) { return e.spec == 0; });
}

// A check takes about as long for a node as for so many scales.
constexpr int64_t kScalesPerNode = 32;
// And for a finding as for so many nodes: it is found, written and compared.
constexpr int64_t kNodesPerFinding = 8;

}  // namespace

bool Region::Dearer::operator()(const State& a, const State& b) const {
  return std::tie(a.changes, a.loss, a.distance, a.order) > std::tie(b.changes, b.loss, b.distance, b.order);
}

Search::Search(const CorrectionTask& task, const v1::Graph& original, const StoredSpecs& stored, v1::Graph& work,
               const Names& names, Observed first)
    : task_(task),
      original_(original),
      stored_(stored),
      work_(work),
      names_(names),
      first_(std::move(first)),
      now_(first_),
      editor_(work),
      candidates_(task.context, original, stored, task.accepted, editor_) {
  std::map<int32_t, std::vector<Issue>> faults;
  for (const auto& [issue, entry] : first_.issues()) {
    if (entry.weight != Weight::kFault || issue.not_checked || issue.node < 0) continue;
    // Of a tensor that is read otherwise than it is written, one of the two specs is wrong.
    const bool uneven = stored.Of(issue.node) >= 0 && stored.Written(stored.Of(issue.node)) != nullptr;
    if (AboutSpecs(issue.code) || uneven) {
      faults[issue.node].push_back(issue);
    }
  }
  for (auto& [node, targets] : faults) {
    Region& region = regions_.emplace_back();
    region.node = node;
    region.has_error = absl::c_any_of(targets, [&](const Issue& issue) { return first_.Find(issue)->is_error; });
    region.targets = std::move(targets);
  }
  const int64_t cost = std::max(1, work.nodes_size()) + ScalesRead(task.context.resolved()) / kScalesPerNode +
                       first_.findings() * kNodesPerFinding;
  max_checks_ = static_cast<int>(std::min<int64_t>(task.limits.max_checks, task.limits.max_judged_nodes / cost));
}

bool Search::OutOfBounds() const { return checks_ >= max_checks_ || reached_ > kMaxReached; }

std::vector<int32_t> Search::ReachOf(const Region& region, const State& state) const {
  std::vector<int32_t> reach = {region.node};
  for (const Edit& edit : state.edits) {
    const std::vector<int32_t> nodes = candidates_.NodesAt(edit.place);
    reach.insert(reach.end(), nodes.begin(), nodes.end());
  }
  absl::c_sort(reach);
  reach.erase(std::unique(reach.begin(), reach.end()), reach.end());
  return reach;
}

void Search::PushMoves(Region& region, const State& from, int32_t node) {
  if (from.moves >= kMaxMoves) return;
  for (const Move& move : candidates_.At(node)) {
    if (region.open.size() >= kMaxOpen || OutOfBounds()) return;
    const bool again = absl::c_any_of(move.edits, [&](const Edit& edit) {
      return absl::c_any_of(from.edits, [&](const Edit& known) { return known.place == edit.place; });
    });
    if (again) continue;
    State next = from;
    next.choices.insert(next.choices.end(), move.choices.begin(), move.choices.end());
    if (from.moves > 0 && !candidates_.Compatible(node, next.choices)) continue;
    next.edits.insert(next.edits.end(), move.edits.begin(), move.edits.end());
    reached_ += candidates_.AddDependent(next.edits);
    if (!region.seen.insert(KeyOf(next.edits)).second) continue;
    next.changes = candidates_.ChangesOf(next.edits);
    next.loss += move.loss;
    if (!task_.floats_for_fallbacks && !region.has_error && LeavesIntegers(next)) continue;
    next.distance += move.distance;
    next.order = region.made++;
    // A single move in vain may fit with another one; of two there are too many.
    if (++next.moves > 1 && InVain(region, next)) continue;
    region.open.push(std::move(next));
  }
}

// A fault of types stays while no row of the table has them, whatever else is changed.
bool Search::InVain(const Region& region, const State& state) const {
  return region.needs_row && !candidates_.FitsRow(region.node, state.edits);
}

// The next candidate of a region that is still searching; false: there is none.
bool Search::Next(Region& region, State& state) {
  if (!region.begun) {
    region.begun = true;
    PushMoves(region, State(), region.node);
    region.needs_row =
        absl::c_any_of(region.targets, [](const Issue& issue) { return absl::StartsWith(issue.code, "DT"); }) &&
        !candidates_.FitsRow(region.node, {});
  }
  while (!region.open.empty() && region.tried < task_.limits.max_tried) {
    state = region.open.top();
    region.open.pop();
    if (!InVain(region, state)) return true;
    PushMoves(region, state, region.node);  // with another port it may fit
  }
  cut_short_ |= !region.open.empty();
  region.outcome = Region::kGivenUp;
  return false;
}

absl::StatusOr<Observed> Search::Check() {
  ++checks_;
  google::protobuf::Arena arena;
  auto& result = *google::protobuf::Arena::CreateMessage<v1::Result>(&arena);
  absl::Status status;
  if (stored_.empty()) {
    status = task_.judge(work_, result);
  } else {
    v1::Graph lowered = work_;
    stored_.Lower(lowered);
    status = task_.judge(lowered, result);
  }
  if (!status.ok()) return status;
  return Observed(result, names_);
}

// Judges one candidate of the round by what was seen within its reach.
void Search::Judged(Trial& trial, const Observed& seen) {
  Region& region = *trial.region;
  ++region.tried;
  const bool removed = Gone(region, seen);
  bool caused = false;
  int32_t caused_at = -1;  // -1: at the graph, or at a node that the candidate inserts
  int warnings = 0;
  bool moved = false;  // something is said differently than before
  for (int32_t node : trial.reach) {
    for (const Issue& issue : seen.At(node)) {
      const Observed::Entry& entry = *seen.Find(issue);
      const Observed::Entry* before = now_.Find(issue);
      moved |= before == nullptr || before->words != entry.words;
      if (before != nullptr && before->weight >= entry.weight) continue;
      if (entry.weight >= Weight::kLosing && caused_at < 0) {
        caused = true;
        caused_at = node;
      }
      if (entry.weight == Weight::kWarning) ++warnings;
    }
    moved |= seen.At(node).size() != now_.At(node).size();
  }
  if (removed && !caused) {
    if (warnings == 0 || trial.state.accepted || region.open.empty()) {
      region.outcome = Region::kSolved;
      region.solution = std::move(trial.state);
      return;
    }
    // A warning counts like a changed place: perhaps there is something cheaper.
    State waiting = std::move(trial.state);
    waiting.changes = candidates_.ChangesOf(waiting.edits) + warnings;
    waiting.accepted = true;
    region.open.push(std::move(waiting));
    return;
  }
  if (!moved) return;  // the fault does not depend on it
  const int32_t next = removed ? caused_at : region.node;
  if (next >= 0) PushMoves(region, trial.state, next);
}

// Puts the trials into the graph, checks it, and takes back those that are not solutions. When something new is out of
// reach of every trial it cannot be told whose doing it is: those that look like solutions are tried again by halves.
absl::Status Search::Round(std::vector<Trial> trials) {
  if (trials.empty()) return absl::OkStatus();
  if (OutOfBounds()) {
    for (Trial& trial : trials) trial.region->open.push(std::move(trial.state));
    return absl::OkStatus();
  }
  for (Trial& trial : trials) {
    for (const Edit& edit : trial.state.edits) {
      trial.undo.push_back({edit.place, editor_.Get(edit.place)});
      editor_.Set(edit.place, edit.spec);
    }
  }
  absl::StatusOr<Observed> seen = Check();
  if (!seen.ok()) return seen.status();
  bool stray = false;
  if (trials.size() > 1) {
    absl::flat_hash_set<int32_t> reached;
    for (const Trial& trial : trials) reached.insert(trial.reach.begin(), trial.reach.end());
    for (const auto& [issue, entry] : seen->issues()) {
      const Observed::Entry* before = now_.Find(issue);
      const bool caused = entry.weight >= Weight::kLosing && (before == nullptr || before->weight < entry.weight);
      stray |= caused && !reached.contains(issue.node);
    }
  } else {
    // What appears elsewhere is this one's doing.
    for (const auto& [issue, entry] : seen->issues()) {
      const Observed::Entry* before = now_.Find(issue);
      if (entry.weight >= Weight::kLosing && (before == nullptr || before->weight < entry.weight)) {
        trials[0].reach.push_back(issue.node);
      }
    }
    absl::c_sort(trials[0].reach);
    trials[0].reach.erase(std::unique(trials[0].reach.begin(), trials[0].reach.end()), trials[0].reach.end());
  }
  std::vector<Trial> again[2];
  int doubtful = 0;
  for (Trial& trial : trials) {
    const bool in_doubt = stray && Gone(*trial.region, *seen);
    if (!in_doubt) Judged(trial, *seen);
    if (trial.region->outcome == Region::kSolved) {
      for (int32_t node : trial.reach) now_.TakeFrom(*seen, node);
      continue;
    }
    for (auto edit = trial.undo.rbegin(); edit != trial.undo.rend(); ++edit) editor_.Set(edit->place, edit->spec);
    trial.undo.clear();
    if (in_doubt) again[doubtful++ % 2].push_back(std::move(trial));
  }
  for (std::vector<Trial>& half : again) {
    if (absl::Status status = Round(std::move(half)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Search::Run() {
  while (true) {
    std::vector<Trial> trials;
    absl::flat_hash_set<int32_t> claimed;
    for (Region& region : regions_) {
      if (region.outcome != Region::kSearching) continue;
      if (OutOfBounds()) break;
      if (Gone(region, now_)) {
        region.outcome = Region::kSolved;
        continue;
      }
      State state;
      if (!Next(region, state)) continue;
      std::vector<int32_t> reach = ReachOf(region, state);
      reached_ += static_cast<int64_t>(reach.size());
      if (absl::c_any_of(reach, [&](int32_t node) { return claimed.contains(node); })) {
        region.open.push(std::move(state));
        continue;
      }
      claimed.insert(reach.begin(), reach.end());
      trials.push_back({&region, std::move(state), std::move(reach), {}});
    }
    if (OutOfBounds() &&
        absl::c_any_of(regions_, [](const Region& region) { return region.outcome == Region::kSearching; })) {
      cut_short_ = true;
      return absl::OkStatus();
    }
    if (trials.empty()) return absl::OkStatus();
    if (absl::Status status = Round(std::move(trials)); !status.ok()) return status;
  }
}

void Search::Undo(const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) editor_.Set(edit.place, SpecAt(original_, edit.place));
}

void Search::Do(const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) editor_.Set(edit.place, edit.spec);
}

// Per element, summed over the places; a tensor in float counts as one of 32 bits.
int64_t Search::BitsOf(const std::vector<Edit>& edits) const {
  int64_t bits = 0;
  for (const Edit& edit : edits) {
    const int width = edit.spec == 0 ? 0 : BitWidth(editor_.spec(edit.spec).dtype());
    bits += width == 0 ? 32 : width;
  }
  return bits;
}

absl::StatusOr<std::vector<State>> Search::Alternatives(size_t index, size_t most) {
  Region& region = regions_[index];
  std::vector<State> found;
  if (region.outcome != Region::kSolved || region.solution.edits.empty()) return found;
  const int64_t bits = BitsOf(region.solution.edits);
  for (int tried = 0; tried < kMaxAlternativesTried && found.size() < most && !region.open.empty();) {
    State state = region.open.top();
    if (state.changes > region.solution.changes || OutOfBounds()) break;
    region.open.pop();
    // A place that another region has changed is not this one's to put back.
    const bool taken = absl::c_any_of(state.edits, [&](const Edit& edit) {
      const bool own =
          absl::c_any_of(region.solution.edits, [&](const Edit& ours) { return ours.place == edit.place; });
      return !own && editor_.Get(edit.place) != SpecAt(original_, edit.place);
    });
    if (taken || BitsOf(state.edits) > bits || InVain(region, state)) continue;
    ++tried;
    Undo(region.solution.edits);
    Do(state.edits);
    const absl::StatusOr<Observed> seen = Check();
    Undo(state.edits);
    Do(region.solution.edits);
    if (!seen.ok()) return seen.status();
    if (Gone(region, *seen) && !SaysMore(*seen, now_)) found.push_back(std::move(state));
  }
  return found;
}

void Search::Take(size_t index, State alternative) {
  Region& region = regions_[index];
  Undo(region.solution.edits);
  Do(alternative.edits);
  region.solution = std::move(alternative);
}

}  // namespace quantgate::corrections
