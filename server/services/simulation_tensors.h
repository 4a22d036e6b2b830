// Tensors of requests and answers as the simulator has them.
#ifndef QUANTGATE_SERVER_SERVICES_SIMULATION_TENSORS_H_
#define QUANTGATE_SERVER_SERVICES_SIMULATION_TENSORS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "quantgate/v1/simulation_service.pb.h"
#include "rules/simulator/tensor.h"

namespace quantgate::server {

// Reals become float32. INVALID_ARGUMENT, with the field ("inputs.tensors[2].dtype"): a name that is empty or there
// twice, an unknown dtype, dims that no tensor has, data of another size. RESOURCE_EXHAUSTED: "max_simulation_bytes=…".
absl::StatusOr<absl::flat_hash_map<std::string, simulator::Tensor>> ReadTensors(const v1::Tensors& tensors,
                                                                                int64_t max_simulation_bytes);

// Collects values as they are computed.
class TensorWriter {
 public:
  TensorWriter(int64_t max_simulation_bytes, v1::Tensors& out)
      : max_bytes_(max_simulation_bytes), left_(max_bytes_), out_(out) {}

  // The first of several of one name is kept; nothing is after an error.
  void Add(const std::string& name, const simulator::Tensor& tensor);
  // RESOURCE_EXHAUSTED: all together take more than the limit. UNIMPLEMENTED: numpy has no such type.
  const absl::Status& status() const { return status_; }

 private:
  const int64_t max_bytes_;
  int64_t left_;
  v1::Tensors& out_;
  absl::flat_hash_set<std::string> names_;
  absl::Status status_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_SIMULATION_TENSORS_H_
