// One Graph of torch's schema, that of the program or the body of a control-flow node, to one v1::Graph.
#ifndef QUANTGATE_CLIENT_PT2_GRAPH_IMPORTER_H_
#define QUANTGATE_CLIENT_PT2_GRAPH_IMPORTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/pt2/arguments.h"
#include "client/pt2/json.h"
#include "client/pt2/payloads.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::pt2 {

// What the graphs of one program share.
struct ProgramContext {
  Payloads& payloads;
  int64_t nodes_left;
  int bodies_left;  // levels that bodies may be nested
};

class GraphImporter {
 public:
  GraphImporter(ProgramContext* program, v1::Graph* graph) : program_(*program), graph_(*graph) {}

  // `signature`: which inputs of the program are parameters, buffers and constants; null for bodies, which have none.
  // FI001, with the place, where the schema does not hold; FI002 for limits. Names that nothing defines, and those that
  // are defined twice, are facts.
  absl::Status Import(const Json& source, const Json* signature);

 private:
  // A node of the message, and the arguments that it is still to be given.
  struct Pending {
    int node;  // position in the message
    const Json* source;
  };

  absl::Status Damaged(absl::string_view what) const;
  // What it says of inputs and outputs, beside those of the graph.
  absl::Status CheckSignature(const Json& signature, const Json& inputs, const Json& outputs) const;
  // Whether it names the inputs in their order. `unknown`: it names some that the graph does not have, which are facts.
  absl::Status CheckInputNames(const Json& signature, const Json& inputs, bool unknown) const;
  // The same of outputs. Names that the graph does not have are facts.
  absl::Status CheckOutputNames(const Json& signature, const Json& outputs) const;
  int Symbol(absl::string_view text);
  void AddValue(absl::string_view name, v1::Value* value);
  // Value id for a new value; that of the earlier one when the name is taken, 0 for a tensor that the graph does not
  // declare.
  int Define(absl::string_view name, bool is_tensor);
  // Value id of a name that is read; of one that nothing defines, a value that nothing writes.
  int Read(absl::string_view name);
  absl::Status AddInputs(const Json& inputs, const Json* signature);
  absl::Status AddNodes(const Json& nodes);
  absl::Status AddNode(const Json& source);
  // The results of a node that has several: as in torch.fx, nodes that take them out of `tuple`, the node's one value.
  absl::Status AddResults(const Json& source, const Json& results, int tuple);
  void AddGetItem(const Json& source, int tuple, int64_t index, int result);
  absl::Status AddArguments(const Pending& pending);
  absl::Status AddBody(const Json& argument, v1::Node* node);
  void AddSourceLine(const Json& source, v1::Node* node);
  // Node.source_fn.
  void AddSourceFunction(const Json& source, v1::Node* node);
  void AddOutputs(const Json& outputs);
  // Names in the signature that the graph does not have stand as outputs that nothing writes. Whether there are any.
  bool AddUnknownNames(const Json* specs);
  absl::Status ReadConstants();
  std::vector<std::optional<int>> ChannelAxes() const;

  ProgramContext& program_;
  v1::Graph& graph_;
  absl::flat_hash_map<absl::string_view, const Json*> tensors_;  // declared, with their types and shapes
  absl::flat_hash_map<std::string, int> values_;
  absl::flat_hash_map<std::string, int> symbols_;
  std::vector<Pending> pending_;
  // Inputs that are constants of the program: value id and the name of the parameter.
  std::vector<std::pair<int, std::string>> constants_;
};

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_GRAPH_IMPORTER_H_
