// What an operator of torch is asked for and its lowering does not read.
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/simulator/run/lowering.h"

namespace quantgate::simulator {
namespace {

// Arguments that change no number of a result: where it lies, how it is made, what is of training alone, widths of real
// numbers, which are one here, and what sizes and results say again (N, C, HxW, chunks).
constexpr absl::string_view kWithoutEffect[] = {"allow_tf32",
                                                "benchmark",
                                                "C",
                                                "chunks",
                                                "copy",
                                                "cudnn_enable",
                                                "cudnn_enabled",
                                                "deterministic",
                                                "device",
                                                "half_to_float",
                                                "HxW",
                                                "implicit",
                                                "layout",
                                                "memory_format",
                                                "momentum",
                                                "N",
                                                "non_blocking",
                                                "p",
                                                "padding_idx",
                                                "pin_memory",
                                                "scale_grad_by_freq",
                                                "sorted",
                                                "sparse",
                                                "sparse_grad"};

bool Null(const v1::Attribute& attribute) { return attribute.value_case() == v1::Attribute::VALUE_NOT_SET; }

}  // namespace

absl::Status LowerAtenInFull(const NodeReader& node, Lowered& lowered) {
  std::vector<absl::string_view> asked;
  if (absl::Status status = LowerAten(node.Recording(asked), lowered); !status.ok()) return status;
  if (!absl::StartsWith(node.op_type(), "aten.")) return absl::OkStatus();  // see integer_ops.h
  for (const v1::Attribute& attribute : node.attributes()) {
    const absl::string_view name = node.graph().symbol(attribute.name());
    if (Null(attribute) || absl::c_linear_search(asked, name) || absl::c_linear_search(kWithoutEffect, name)) continue;
    return absl::UnimplementedError(
        absl::StrCat("the simulator has no kernel for ", node.op_type(), " with its argument '", name, "'"));
  }
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
