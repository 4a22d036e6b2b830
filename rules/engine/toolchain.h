// What will consume the graph on its way to the target.
#ifndef QUANTGATE_RULES_ENGINE_TOOLCHAIN_H_
#define QUANTGATE_RULES_ENGINE_TOOLCHAIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/operators/op_id.h"

namespace quantgate {

// "1", "1.5", "1.5.1": of numbers below a billion.
bool IsVersion(absl::string_view text);

enum class Toolchain { kQnnConverter, kOnnxRuntime, kExecuTorch, kLiteRt };

// By name ("executorch", "executorch@1.5.1"); empty: by the graph's origin, except that ONNX and QNN graphs for a qnn_*
// backend go through the vendor's converter, which takes all of a graph or nothing. INVALID_ARGUMENT otherwise.
absl::StatusOr<Toolchain> ResolveToolchain(absl::string_view name, absl::string_view backend, v1::Graph::Origin origin);

// "executorch"
absl::string_view ToolchainName(Toolchain toolchain);
inline constexpr Toolchain kToolchains[] = {Toolchain::kExecuTorch, Toolchain::kOnnxRuntime, Toolchain::kQnnConverter,
                                            Toolchain::kLiteRt};

// Whether it takes quantization parameters from a file beside the model.
inline bool ReadsEncodings(Toolchain toolchain) { return toolchain == Toolchain::kQnnConverter; }

// Of `name` as it is given to ResolveToolchain: why what is known of the toolchain may not hold for its version. Empty:
// it holds, or no version is given, or the beginning of the one that is known. A converter is known by its SDK: `sdk`,
// of the target's table; empty: the target is of another vendor, and no version is known.
std::string OtherVersion(absl::string_view name, Toolchain toolchain, absl::string_view sdk);

// Whether ExecuTorch gives operands of the operator the rank of the result on its way to HTP, by a reshape in front
// (_passes/expand_broadcast_tensor_shape.py). Those of an expand belong to what it becomes.
bool ReshapesOperands(OpId id);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_TOOLCHAIN_H_
