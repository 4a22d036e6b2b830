#include "rules/backends/x86_inductor/seven_bits.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/backends/pattern.h"
#include "rules/backends/table_judge.h"

namespace quantgate::x86_inductor {

const RuleInfo kSevenBits = {
    "NR201",
    "seven-bit-activations",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has a range of {observed}; without VNNI it may have {allowed}.",
    "Without VNNI the kernel adds two products of an unsigned and a signed byte in 16 bits, and 2 x 255 x 127 does not "
    "fit: the sum is cut off at 32767 without a word. With seven bits, 2 x 127 x 127 fits.",
    "Quantize activations to 0..127 (reduce_range=True), or run on a CPU with VNNI.",
    "Fires: a convolution with activations in 0..255 on x86_inductor/avx2. Does not: the same on "
    "x86_inductor/avx512_vnni, or 0..127.",
};

void CheckSevenBits(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink) {
  if (target.soc != "avx2" && target.soc != "avx512") return;
  if (op.name != "QConv" && op.name != "QLinear") return;
  const ResolvedGraph& resolved = context.resolved();
  const ResolvedOp& node = resolved.ops()[resolved.op_of_node(op.node)];
  const Operand* input = resolved.input(node, 0);
  if (input == nullptr) return;
  const Operand read = AsRead(context, *input);
  if (!read.quantized || read.quant_max - read.quant_min <= 127) return;
  FindingSource source;
  source.kind = v1::Source::DOCUMENTED;
  source.row = std::string(op.name);
  source.document = "oneDNN, Nuances of int8 Computations; torchao 0.18.0, x86_inductor_quantizer.py (reduce_range)";
  sink.Add(kSevenBits, PlaceOf(op, {PortRef::kInput, 0}), absl::StrCat(read.quant_min, "..", read.quant_max),
           "at most 128 values, 0..127", std::move(source));
}

}  // namespace quantgate::x86_inductor
