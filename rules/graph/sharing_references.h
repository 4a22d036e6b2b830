// References of shared and derived specs that lead back to an earlier place: the common case, told from the compact
// records of the graph, without the annotation table.
//
// Why that says much. Let every shared and every derived spec refer to annotated places that come before it in
// annotation order (sharing_annotations.h). Then no reference dangles or runs in a circle; once a shared place has
// joined the group of its target it is not the first of that group; and whoever is derived finds its sources observed.
// What is left of torchao's errors are circles that joining groups makes. A circle leads through shared specs, and
// groups grow within one value or along a reference of a shared spec, so the places of values that carry a shared spec
// or are referred to by one are all that can take part.
#ifndef QUANTGATE_RULES_GRAPH_SHARING_REFERENCES_H_
#define QUANTGATE_RULES_GRAPH_SHARING_REFERENCES_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/sharing_annotations.h"

namespace quantgate {

class EarlierReferences {
 public:
  explicit EarlierReferences(const Graph& graph) : graph_(graph) {}

  // True: all references lead to earlier places. False: one does not, or that takes longer to tell. `reached` becomes,
  // by value, whether a shared spec sits there or refers to there; empty when there is none.
  bool All(std::vector<bool>& reached) const;

 private:
  // Position in annotation order. Edges come at the first value that their node writes, in front of that value's own
  // spec; nodes that write none come last.
  struct Position {
    int32_t value;
    int32_t node;  // kNoNode: the value itself
    int32_t input;
  };
  static constexpr int32_t kNoNode = INT32_MAX;

  // Input through which the edge is entered into the table; -1: it carries no spec.
  int InputOf(SpecPlace edge) const;
  Position PositionOf(SpecPlace place, int input) const;
  bool IsEarlier(SpecPlace reference, const Position& position) const;
  bool Check(int32_t spec, SpecPlace place, int input, std::vector<bool>& reached) const;

  const Graph& graph_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SHARING_REFERENCES_H_
