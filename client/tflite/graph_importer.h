// One SubGraph to one v1::Graph.
#ifndef QUANTGATE_CLIENT_TFLITE_GRAPH_IMPORTER_H_
#define QUANTGATE_CLIENT_TFLITE_GRAPH_IMPORTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/tflite/budget.h"
#include "client/tflite/model_generated.h"
#include "client/tflite/options.h"
#include "client/tflite/tensor_reader.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::tflite {

// What the subgraphs of one model share.
struct ModelContext {
  const Model& model;
  const flatbuffers::Verifier& verifier;  // of the file
  TensorReader& tensors;
  Budget& memory;
  Budget& nodes;
  bool quantized = false;  // set when a tensor with scales is met, or an operator that has to have one
};

// As in Node.op. `options`: the table of its parameters, null for none.
std::string OperatorName(const OperatorCode& code, const char** options);

class GraphImporter {
 public:
  // `position`: of the subgraph in the model. The first one is the model's own graph; the others are its subgraphs.
  GraphImporter(ModelContext* model, int position, v1::Graph* graph);

  // FI001 where an index or a size in the file does not hold and the graph could not say so, FI002 for limits. Indices
  // that a graph can be without are facts: a tensor that nothing defines, an operator without a name, a subgraph that
  // is not there.
  absl::Status Import();

 private:
  using Indices = flatbuffers::Vector<int32_t>;

  int Symbol(absl::string_view text);
  void AddTensor(const Tensor& tensor);
  // Sizes of an input that a caller is to set.
  void AddResizable(const Tensor& tensor, v1::Value* value);
  void SetSpec(const Tensor& tensor, v1::Value* value);
  // Value id of a tensor of the signature. An index that is none becomes a tensor of no type and shape.
  int Named(int32_t index);
  // Of an argument of an operator: 0 for -1, what is left out.
  int Read(int32_t index);
  // Value id of a tensor that is there; 0 for none.
  int Existing(int32_t index) const;
  absl::Status AddOperator(const Operator& op);
  // Whether integers stand for real numbers at the node, with scales or without. A DEQUANTIZE may also read floats of
  // 16 bits.
  bool HasQuantized(absl::string_view op, const v1::Node& node) const;
  // Operator as in Node.op; "" when the model has no such code.
  std::string NameAt(uint32_t code_index, const char** options) const;
  absl::Status AddOptions(const Operator& op, const char* own_table, v1::Node* node);
  v1::Attribute& AddAttribute(absl::string_view name, v1::Node* node);
  absl::Status ReadConstants();
  absl::Status Damaged(absl::string_view what) const;

  ModelContext& model_;
  const SubGraph& source_;
  const int position_;
  v1::Graph& graph_;
  std::vector<bool> given_;  // by tensor: an input of the graph, or written by an operator
  absl::flat_hash_map<int32_t, int> undefined_;
  absl::flat_hash_map<std::string, int> symbols_;
  absl::flat_hash_map<std::string, int> specs_;  // by their bytes
};

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_GRAPH_IMPORTER_H_
