// A few operators in the library's own layout, with all that their pointers point to.
#ifndef QUANTGATE_CLIENT_CONFIRM_QNN_GRAPH_H_
#define QUANTGATE_CLIENT_CONFIRM_QNN_GRAPH_H_

#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/confirm/qnn_abi.h"

namespace quantgate {

// Cannot be copied: tensors point into it.
class QnnGraph {
 public:
  // `config` as in the case files that tests/vendor/README.md describes: the inputs, outputs and parameters of one
  // operator `op`, or tensors and nodes. Constants without data get small values that fit type and width.
  // INVALID_ARGUMENT says what cannot be expressed.
  static absl::StatusOr<QnnGraph> Parse(const std::string& op, const nlohmann::json& config);

  QnnGraph(QnnGraph&&) = default;

  struct Node {
    std::string type;
    std::string name;
    std::deque<qnn_abi::Param> params;
    std::vector<size_t> inputs;  // into tensors()
    std::vector<size_t> outputs;
  };
  std::deque<Node>& nodes() { return nodes_; }
  std::deque<qnn_abi::Tensor>& tensors() { return tensors_; }

  // The operator with its tensors as they are now. Valid until the next call.
  qnn_abi::OpConfig ConfigOf(const Node& node);

 private:
  friend class QnnGraphParser;
  QnnGraph() = default;

  std::deque<Node> nodes_;
  std::deque<qnn_abi::Tensor> tensors_;
  // What is pointed to; a deque never moves what it holds.
  std::deque<std::string> names_;
  std::deque<std::vector<uint32_t>> sizes_;
  std::deque<std::vector<uint8_t>> bytes_;
  std::deque<std::vector<qnn_abi::ScaleOffset>> entries_;
  std::deque<std::vector<float>> scales_;
  std::deque<std::vector<int32_t>> offsets_;
  std::deque<qnn_abi::BlockwiseExpansion> expansions_;
  std::vector<qnn_abi::Param> params_;
  std::vector<qnn_abi::Tensor> inputs_;
  std::vector<qnn_abi::Tensor> outputs_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_QNN_GRAPH_H_
