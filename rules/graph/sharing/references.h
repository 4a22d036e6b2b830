// References of shared and derived specs that lead back to an earlier place: the common case, told from the compact
// records of the graph, without the annotation table.
//
// Why that says much. Let every shared and every derived spec refer to annotated places that come before it in
// annotation order (annotations.h), and none to an explicit None. Then no reference dangles or runs in a
// circle; once a shared place has joined the group of its target it is not the first of that group; and whoever is
// derived finds its sources observed. What is left of torchao's errors are circles that joining groups makes. A circle
// leads through shared specs, and groups grow within one value or along a reference of a shared spec, so the places of
// values that carry a shared spec or are referred to by one are all that can take part.
#ifndef QUANTGATE_RULES_GRAPH_SHARING_REFERENCES_H_
#define QUANTGATE_RULES_GRAPH_SHARING_REFERENCES_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/sharing/annotations.h"

namespace quantgate {

class EarlierReferences {
 public:
  explicit EarlierReferences(const Graph& graph) : graph_(graph) {}

  // True: all references lead to earlier places. False: one does not, or that takes longer to tell.
  bool All();

  // After All said true: joining groups makes no circle, and nothing has to be joined to tell. False: it may.
  //
  // It makes none when each value has shared specs at one place at most, and following them from value to value never
  // comes back. Call the value that v's shared spec refers to its parent. A group that spans several values is then a
  // connected part of a forest: it got from v to the parent of v only by joining the shared place of v, which is no
  // root (of torchao's tree) from then on. So a root that is shared belongs to the top value of its group, and what it
  // refers to lies in a group with a higher top: pointers from group to group only climb. A union that closed a circle
  // would join such a group with one further up, by a value that both have (or a shared place of one and its target in
  // the other); the upper one has that value only through the value's shared place, and the lower one is led by it.
  bool MakeNoCircle() const;

  // By value, whether a shared spec sits there or refers to there; empty when there is none.
  std::vector<bool> Reached() const;

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
  bool IsEarlier(SpecPlace reference, SpecPlace place, int place_input) const;
  bool Check(int32_t spec, SpecPlace place, int input);

  const Graph& graph_;
  static constexpr int32_t kNone = -1;
  std::vector<int32_t> parent_;  // by value: what its shared spec refers to; empty when there is none
  struct Edge {
    int32_t value, parent;
  };
  std::vector<Edge> further_;  // of the further shared specs of a value
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SHARING_REFERENCES_H_
