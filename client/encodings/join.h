// Encodings meet their model: by name, and nothing that has no place is left out in silence.
#ifndef QUANTGATE_CLIENT_ENCODINGS_JOIN_H_
#define QUANTGATE_CLIENT_ENCODINGS_JOIN_H_

#include "client/encodings/read.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::encodings {

// Each encoding becomes a spec of its tensor; of several for one tensor the first is the tensor's. Names that the graph
// does not have become foreign values. Axes and blocks that the file leaves to the reader follow from the tensor's
// shape and from the operator that reads it. A graph that was ANNOTATED is CALIBRATED thereafter, if anything was
// joined.
// Bodies of control-flow nodes are joined like the graph around them, whose values have their specs in bodies too; what
// the file is stands in each of them, what is wrong with it as a whole in the main graph alone.
void Join(const ReadFile& file, v1::Graph* graph);

// A file without its model: a graph of foreign values alone.
v1::Graph Alone(const ReadFile& file);

}  // namespace quantgate::encodings

#endif  // QUANTGATE_CLIENT_ENCODINGS_JOIN_H_
