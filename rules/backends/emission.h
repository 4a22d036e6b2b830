// What one node becomes: a backend's operators with their tensors and parameters, in storage that is reused from node
// to node, so that lowering a graph allocates only until the largest node has been seen.
#ifndef QUANTGATE_RULES_BACKENDS_EMISSION_H_
#define QUANTGATE_RULES_BACKENDS_EMISSION_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/constraints/backend_op.h"

namespace quantgate {

// No backend here takes more dimensions; wider tensors keep their rank and lose their sizes.
inline constexpr int kMaxBackendRank = 8;

class Emission {
 public:
  Emission() = default;
  Emission(const Emission&) = delete;
  Emission& operator=(const Emission&) = delete;

  // Forgets all operators; keeps the storage.
  void Clear();

  // Begins an operator; tensors and parameters added from now on are its. `name` must outlive the emission.
  void Begin(absl::string_view name, int32_t node);
  // The operator is one of the graph's own, in the backend's terms.
  void MarkAsStated();
  // The next port in order. The reference holds until the next tensor is added.
  BackendTensor& AddInput();
  BackendTensor& AddOutput();
  // A parameter without values. The reference holds until the next parameter is added.
  BackendParam& AddParam(absl::string_view name);
  void AddInt(absl::string_view name, int64_t value) { AddParam(name).ints.push_back(value); }
  void AddReal(absl::string_view name, double value) { AddParam(name).reals.push_back(value); }
  // Set by whoever reads what a constant holds while the operators are made or judged; Clear() takes it back.
  bool* looked_at_constants() { return &looked_at_constants_; }
  // Room for sizes in the backend's layout; stays where it is until Clear().
  std::array<int64_t, kMaxBackendRank>& NewDims();

  // Of all operators so far. Valid until something is added or cleared.
  absl::Span<BackendTensor> inputs() { return absl::MakeSpan(inputs_); }
  absl::Span<BackendTensor> outputs() { return absl::MakeSpan(outputs_); }
  // The operators in order. Valid until something is added or cleared.
  absl::Span<const BackendOp> Finish();

 private:
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };
  struct Record {
    absl::string_view name;
    int32_t node = -1;
    Range inputs, outputs, params;
    bool as_stated = false;
  };
  std::vector<Record> records_;
  std::vector<BackendTensor> inputs_;
  std::vector<BackendTensor> outputs_;
  // Never shrinks: a parameter's own vectors are the storage worth keeping.
  std::vector<BackendParam> params_;
  size_t params_used_ = 0;
  std::deque<std::array<int64_t, kMaxBackendRank>> dims_;
  size_t dims_used_ = 0;
  std::vector<BackendOp> ops_;
  bool looked_at_constants_ = false;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_EMISSION_H_
