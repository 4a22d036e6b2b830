// Tensors that hold what another one does, only arranged in another way.
#ifndef QUANTGATE_RULES_VALUES_MOVED_H_
#define QUANTGATE_RULES_VALUES_MOVED_H_

#include <cstdint>

#include "rules/graph/graph.h"

namespace quantgate {

// The operator's result has elements of several tensors, or is computed of them: cat, stack, scatter, add, where, …
bool PutsTogether(const Binding& binding);

// The tensor whose elements are all that the node's results have; -1: they have others.
int32_t MovedBy(const Graph& graph, int32_t node);

// The tensor whose elements the value has; the value itself where its node does more than move.
int32_t SourceOf(const Graph& graph, int32_t value);

// Whether every element of what the node moves is in its result, which may have others: pad, cat.
bool KeepsAll(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_MOVED_H_
