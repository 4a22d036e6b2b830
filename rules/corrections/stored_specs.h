// Graphs with Quantize and Dequantize nodes seen as annotated ones: each tensor that is stored between two of them has
// a spec, which is what the nodes beside it state. An edge from a Dequantize to one reader has none; where it gets one,
// that reader alone is to see it, and a Quantize and a Dequantize are put before it.
#ifndef QUANTGATE_RULES_CORRECTIONS_STORED_SPECS_H_
#define QUANTGATE_RULES_CORRECTIONS_STORED_SPECS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/corrections/apply.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate::corrections {

class StoredSpecs {
 public:
  // Finds the tensors of ONNX QuantizeLinear and DequantizeLinear nodes whose parameters are constants.
  StoredSpecs(const Graph& graph, const ResolvedGraph& resolved);

  bool empty() const { return tensors_.empty(); }
  // The stored tensor of a Quantize or Dequantize node; -1: none, or not one that can be changed.
  int32_t Of(int32_t node) const { return stored_of_node_.empty() ? -1 : stored_of_node_[node]; }
  // The stored tensor that `value` is the dequantized form of; -1: none, or not one that can be changed.
  int32_t ReadAs(int32_t value) const;
  // What the nodes state of a stored tensor; null: nothing that can be changed.
  const v1::Spec* Stated(int32_t stored) const;
  // How the Quantize node writes a stored tensor, when its readers take it for something else; null: they agree. The
  // spec that Lift puts there is that of the readers.
  const v1::Spec* Written(int32_t stored) const;
  // What the readers take it for then; as a new spec it says that the Quantize node is to write that.
  const v1::Spec* Read(int32_t stored) const;
  // Nodes beside a stored tensor: those that state its parameters, what writes it and what reads it.
  std::vector<int32_t> NodesAt(int32_t stored) const;
  // The operator's port that a report names for a stored tensor, where it gets `after` (null: no spec): the one that
  // states something else now. `before` becomes what that is, if it is not the readers' spec.
  v1::Location LocationOf(int32_t stored, const v1::Spec* after, v1::Spec& before) const;

  // Puts what the nodes state into Value.spec.
  void Lift(v1::Graph& message) const;
  // Tensors whose spec in `lifted` is not what Lift put there, and edges that got one.
  std::vector<TensorChange> Changed(const v1::Graph& lifted) const;
  // Takes the specs out again; where one is not what Lift put there, the nodes and the stored constant are rewritten:
  // its integers where they are in the message, else their statistics. Nodes are put before those whose edges got a
  // spec; nodes without a name then are called by the number that they had, as in reports.
  void Lower(v1::Graph& message) const;

 private:
  struct Tensor {
    int32_t value;
    std::vector<int32_t> quantizers;  // nodes
    v1::Spec spec;
    std::optional<v1::Spec> written;
  };
  struct Edge {
    SpecPlace place;
    int32_t spec;  // in the lifted graph, 1-based
  };
  const Tensor* Find(int32_t stored) const;
  const Tensor* Uneven(int32_t stored) const;
  // Edges that have a spec in `lifted` which they did not have.
  std::vector<Edge> NewEdges(const v1::Graph& lifted) const;
  void InsertRequantize(const std::vector<Edge>& edges, v1::Graph& message) const;
  // The operator's port behind a Dequantize of the tensor; false: there is none.
  bool ReaderOf(int32_t stored, v1::Location& location) const;
  // Spec of a tensor in `lifted` when it is not what Lift put there (1-based); 0: it is, or there is none.
  int32_t NewSpec(size_t tensor, const v1::Graph& lifted) const;
  void Rewrite(const Tensor& tensor, const v1::Spec& after, v1::Graph& message) const;

  const Graph& graph_;
  std::vector<Tensor> tensors_;
  std::vector<int32_t> stored_of_node_;
};

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_STORED_SPECS_H_
