// LiteRT's kernels that do not look at what the parameters of their operands say.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_AS_STORED_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_AS_STORED_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "rules/simulator/run/operate.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

enum class AsStored : uint8_t {
  kNo,        // parameters count
  kByOutput,  // integers are moved or compared as they are: they then mean what the output's parameters say
  kPlain,     // integers are numbers of their own
};

AsStored AsStoredOf(const NodeCall& node, absl::Span<const QTensor* const> ports);

// Operands whose integers are read by other parameters.
class Reread {
 public:
  // Of `ports` that are quantized; the others stay.
  Reread(absl::Span<const QTensor* const> ports, const Quantization& q);
  const std::vector<const QTensor*>& ports() const { return ports_; }

 private:
  std::vector<const QTensor*> ports_;
  std::vector<std::unique_ptr<QTensor>> own_;
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_AS_STORED_H_
