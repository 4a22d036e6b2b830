// What the optimizer does behind a DequantizeLinear whose result is moved: so that integers are moved, it puts a pair
// of QuantizeLinear and DequantizeLinear behind the movement. Not every session survives that.
//
// Facts read in core/optimizer/qdq_transformer/qdq_propagation.cc of ONNX Runtime, and asked of sessions of 1.31.1.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_MOVED_PAIR_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_MOVED_PAIR_H_

#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kMovedSigned;        // DT506
extern const RuleInfo kMovedAccumulators;  // DT507
extern const RuleInfo kMovedIntoBody;      // GS509
extern const RuleInfo kMovedWithoutPoint;  // NR504

enum class PairHarm : uint8_t {
  kNone,      // there is no pair behind the node, or one that does no harm
  kUnlike,    // its type is stated and made another one
  kInt32,     // it would be of int32, which no QuantizeLinear makes
  kUint8,     // it is of uint8, since neither its type nor a zero point is stated, and the tensor is of another one
  kIntoBody,  // a body of control flow reads what would be behind it
};

// What is between the DequantizeLinear and the pair.
enum class Mover : uint8_t {
  kNode,     // the node itself
  kReshape,  // one that the optimizer puts in front of it, a MatMul that it makes a Gemm with the Add behind it
};

struct MovedPair {
  PairHarm harm = PairHarm::kNone;
  bool perhaps = false;  // by where the optimizer moves a Transpose, or whether a branch is left out
  Mover mover = Mover::kNode;
  // Of a pair that does no harm and is surely there: the DequantizeLinear that it is like, and the type it is of.
  int32_t source = -1;
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
};

// By node: the pair behind it, or the one in front of a MatMul. Empty: there is none. `types` by value.
std::vector<MovedPair> MovedPairsOf(const CheckContext& context, const std::vector<v1::DataType>& types);

// Whether no session is made, for the pair behind the node or for one of the model's own whose type is stated
// (QuantizeLinear's output_dtype). Where that is not known, it is said to be not checked. Of a pair that changes
// numbers there is a finding too.
Tri CheckPair(const Graph& graph, const std::vector<v1::DataType>& types, const std::vector<MovedPair>& moved,
              int32_t node, const FindingSource& source, FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_MOVED_PAIR_H_
