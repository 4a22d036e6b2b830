// The values of a graph as it runs, each in three results (simulate.h), freed after their last use.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_VALUES_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_VALUES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/run/simulate.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

using Shared = std::shared_ptr<const QTensor>;

inline Shared Share(Tensor tensor) { return std::make_shared<QTensor>(QTensor{std::move(tensor), {}}); }

// One value in the three results. Where all agree (indices, shapes, what constants alone make) they are one tensor.
struct Held {
  Shared affine;
  Shared reference;  // real numbers where the value is quantized
  Shared real;       // those of the grid; null: left out, and the value is not made of constants alone
  bool exact = false;
};

class Values {
 public:
  // All arguments must outlive it.
  Values(const Graph& graph, const ResolvedGraph& resolved, const std::vector<Step>& steps,
         const SimulateOptions& options);

  // RESOURCE_EXHAUSTED names the bytes that all values would take together.
  absl::Status Keep(int32_t value, Held held);
  void Drop(int32_t value);
  // Shows the value to SimulateOptions.on_value.
  void Report(int32_t value) const;
  absl::Status TakeInput(int32_t value, Tensor tensor);

  // Makes a value there is that no step makes: a constant, and what Quantize and Dequantize nodes make of others.
  absl::Status Materialize(int32_t value);
  // The value as numbers, also where it is quantized; null: it is not known, or shortage() has an error.
  const Tensor* Numbers(int32_t value);
  // RESOURCE_EXHAUSTED: there was no room for something, whatever became of it: parameters, arguments and what bodies
  // read may have counted as not known.
  const absl::Status& shortage() const { return shortage_; }
  // Parameters of a slot; those that are computed as the graph runs are read now.
  absl::StatusOr<Quantization> ParametersOf(const Slot& slot);
  // A slot's operand in the three results. Stored constants are made real here, where their parameters are known.
  absl::StatusOr<Held> Read(const Slot& slot);

  // What a Quantize or Dequantize node states of the stored tensor.
  Slot SlotOfQuantizer(int32_t node) const;

  // Bytes that are left.
  int64_t room() const { return options_.max_bytes - bytes_; }

 private:
  absl::Status Make(int32_t value);
  absl::StatusOr<const Tensor*> MakeNumbers(int32_t value);
  absl::StatusOr<Held> MakeOperand(const Slot& slot);
  void Note(const absl::Status& status) {
    if (absl::IsResourceExhausted(status)) shortage_ = status;
  }
  absl::Status InValue(int32_t value, const absl::Status& status) const;

  const Graph& graph_;
  const ResolvedGraph& resolved_;
  const std::vector<Step>& steps_;
  const SimulateOptions& options_;
  const Profile& profile_;
  std::vector<Held> held_;
  absl::Status shortage_;
  int64_t bytes_ = 0;
  int depth_ = 0;
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_VALUES_H_
