// One onnx::GraphProto to one v1::Graph.
#ifndef QUANTGATE_CLIENT_ONNX_GRAPH_IMPORTER_H_
#define QUANTGATE_CLIENT_ONNX_GRAPH_IMPORTER_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/import.h"
#include "client/onnx/tensor_reader.h"
#include "onnx/onnx.pb.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// What the graphs of one model share.
struct ModelContext {
  const ImportOptions& options;
  TensorReader& tensors;
  int64_t ir_version = 0;
  bool quantized = false;                        // set when a quantized operator is met
  int64_t dense_bytes_left = int64_t{16} << 20;  // that sparse tensors may be made into
};

class GraphImporter {
 public:
  // `enclosing`: the graph that the node with this subgraph is in; null for the model's own graph.
  GraphImporter(ModelContext* model, GraphImporter* enclosing, v1::Graph* graph);

  // Fails on limits only. Takes `source`, which is on no arena, apart: what was read is let go, for two forms of all of
  // it would be twice the memory.
  absl::Status Import(onnx::GraphProto& source);

 private:
  // What is known of a value beyond its message, until tensors are read.
  struct ValueState {
    absl::string_view name;                     // raw bytes
    std::unique_ptr<onnx::TensorProto> tensor;  // of a constant whose elements are to be read
    bool is_parameter = false;                  // used as scale or zero point
    const v1::Node* dequantize = nullptr;       // reads it as data
  };

  int Symbol(absl::string_view text);
  // A new value; uses of the name bind to it unless the name is taken.
  int AddValue(absl::string_view name);
  // The value that the name means here; captured from an enclosing graph if need be. 0: nobody makes it.
  int Find(absl::string_view name);
  // The value an argument names, made when nobody else does; 0 for the empty name.
  int Argument(absl::string_view name);

  // Whether an input is an initializer for which nobody can give another value.
  bool IsFixedInput(int id) const;
  void AddInitializer(std::unique_ptr<onnx::TensorProto> tensor);
  void AddSparseInitializer(const onnx::SparseTensorProto& sparse);
  void SetConstant(int id, std::unique_ptr<onnx::TensorProto> tensor);
  void SetType(const onnx::TypeProto& type, v1::Value* value);
  // A constant value for a tensor attribute: the output of a Constant node, or a value of its own.
  int TensorAttribute(std::unique_ptr<onnx::TensorProto> tensor, int output);
  int SparseAttribute(const onnx::SparseTensorProto& sparse, int output);
  // The value_* attributes of Constant are constants too.
  void AddPlainConstant(const onnx::AttributeProto& attribute, int output);

  absl::Status AddNode(onnx::NodeProto& source);
  absl::Status AddAttribute(onnx::AttributeProto& source, int constant_output, v1::Node* node);
  absl::Status AddSubgraph(onnx::GraphProto& source, int name, v1::Node* node);
  void AddSourceLine(const onnx::NodeProto& source, v1::Node* node);
  void MarkParameter(int id);
  void DeclareTypes(const onnx::GraphProto& source);
  absl::Status ReadTensors();
  std::optional<int> ChannelAxis(const ValueState& state, int id) const;

  ModelContext& model_;
  GraphImporter* const enclosing_;
  const int depth_;
  v1::Graph& graph_;
  std::vector<ValueState> states_;     // parallel to graph_.values
  std::deque<std::string> odd_names_;  // that are not UTF-8: the graph has them in another form
  absl::flat_hash_map<absl::string_view, int> ids_;
  absl::flat_hash_map<std::string, int> symbols_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_GRAPH_IMPORTER_H_
