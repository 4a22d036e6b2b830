// Who wrote the integers that a node of an ONNX graph reads.
#ifndef QUANTGATE_RULES_SOUNDNESS_STORED_WRITER_H_
#define QUANTGATE_RULES_SOUNDNESS_STORED_WRITER_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"

namespace quantgate {

// The Quantize or integer operator that gave the stored numbers of a tensor their meaning, through what only moves
// them; -1: none that says so.
int32_t StoredWriter(const Graph& graph, int32_t value);

// All of them, where a Concat or a Where joins what several wrote; of very many parts those of the first.
std::vector<int32_t> StoredWriters(const Graph& graph, int32_t value);

// Type of the zero point of what an integer operator writes; unspecified for others (-1 too), and where none is stated.
v1::DataType WrittenType(const Graph& graph, int32_t node);

// Type that a reader states for its input by the zero point beside it; unspecified where none is stated.
v1::DataType ZeroPointTypeStated(const Graph& graph, int32_t node, int input);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_STORED_WRITER_H_
