// The search for changes, region by region: a region is a node with faults. Every round puts the next candidate of each
// region that is out of reach of the others into the graph and checks it once, so that a hundred layers with the same
// fault take no more checks than one.
#ifndef QUANTGATE_RULES_CORRECTIONS_SEARCH_H_
#define QUANTGATE_RULES_CORRECTIONS_SEARCH_H_

#include <queue>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "rules/corrections/candidates.h"
#include "rules/corrections/corrections.h"
#include "rules/corrections/names.h"
#include "rules/corrections/observed.h"

namespace quantgate::corrections {

// A set of changes and what it costs: places changed and warnings caused, then precision lost, then how far it goes.
struct State {
  std::vector<Edit> edits;
  std::vector<Choice> choices;
  int changes = 0;
  int loss = 0;
  int distance = 0;
  int order = 0;          // of making, so that ties are broken the same way every time
  int moves = 0;          // how many moves it consists of
  bool accepted = false;  // checked already: it causes warnings, and waits for its turn with them counted
};

struct Region {
  int32_t node = -1;
  std::vector<Issue> targets;
  enum Outcome { kSearching, kSolved, kGivenUp } outcome = kSearching;
  State solution;  // no edits: the changes of another region removed its faults
  struct Dearer {
    bool operator()(const State& a, const State& b) const;
  };
  std::priority_queue<State, std::vector<State>, Dearer> open;
  absl::flat_hash_set<std::string> seen;
  bool begun = false;
  bool has_error = false;  // among its faults, and not only what runs elsewhere
  bool needs_row = false;  // its types are in no row of the backend's table
  int made = 0;
  int tried = 0;
};

class Search {
 public:
  // `original` is the checked graph with the specs of its stored tensors lifted, `work` a copy of it, `first` what was
  // found.
  Search(const CorrectionTask& task, const v1::Graph& original, const StoredSpecs& stored, v1::Graph& work,
         const Names& names, Observed first);

  // Errors are the judge's.
  absl::Status Run();
  const std::vector<Region>& regions() const { return regions_; }
  // After Run, of a solved region whose solution touches no other's: other sets of changes that remove its faults, as
  // few as the solution's and no wider in bits, cheapest first, at most `most`; each checked with the solutions of all
  // other regions.
  absl::StatusOr<std::vector<State>> Alternatives(size_t region, size_t most);
  // Puts an alternative in the solution's place.
  void Take(size_t region, State alternative);
  // The bounds ended the search before every candidate had been tried.
  bool cut_short() const { return cut_short_; }
  int checks() const { return checks_; }
  const Candidates& candidates() const { return candidates_; }

 private:
  // A candidate in a round.
  struct Trial {
    Region* region;
    State state;
    std::vector<int32_t> reach;  // nodes that see it, sorted
    std::vector<Edit> undo;
  };

  std::vector<int32_t> ReachOf(const Region& region, const State& state) const;
  bool Next(Region& region, State& state);
  bool InVain(const Region& region, const State& state) const;
  void PushMoves(Region& region, const State& from, int32_t node);
  absl::Status Round(std::vector<Trial> trials);
  void Judged(Trial& trial, const Observed& seen);
  void Undo(const std::vector<Edit>& edits);
  void Do(const std::vector<Edit>& edits);
  int64_t BitsOf(const std::vector<Edit>& edits) const;
  absl::StatusOr<Observed> Check();
  bool OutOfBounds() const;

  const CorrectionTask& task_;
  const v1::Graph& original_;
  const StoredSpecs& stored_;
  v1::Graph& work_;
  const Names& names_;
  const Observed first_;  // of the unchanged graph
  Observed now_;          // with the accepted changes
  SpecEditor editor_;
  Candidates candidates_;
  std::vector<Region> regions_;
  int checks_ = 0;
  int64_t reached_ = 0;  // nodes looked at between checks: a value may have a hundred thousand readers
  int max_checks_ = 0;
  bool cut_short_ = false;
};

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_SEARCH_H_
