// Targets of torch.fx nodes outside of ATen: quantization, control flow, and what torch.fx itself adds. Arguments are
// counted by schema position, so numbers between tensors take a place. Source: the operator schemas of PyTorch 2.13.0
// and torchao 0.18.0.
#include "rules/operators/op_map.h"

namespace quantgate {
namespace {

constexpr OpRow kOps[] = {
    {"quantized_decomposed.quantize_per_tensor.default", OpId::kQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.quantize_per_tensor.tensor", OpId::kQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.quantize_per_tensor.tensor2", OpId::kQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.quantize_per_channel.default", OpId::kQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.quantize_per_channel_group.default", OpId::kQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.quantize_per_token.default", OpId::kQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.dequantize_per_tensor.default", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    {"quantized_decomposed.dequantize_per_tensor.tensor", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    {"quantized_decomposed.dequantize_per_channel.default", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    // No such overload in PyTorch; backend tables name it.
    {"quantized_decomposed.dequantize_per_channel.tensor", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    {"quantized_decomposed.dequantize_per_channel_group.default", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    {"quantized_decomposed.dequantize_per_token.default", OpId::kDequantize, {Data(0), Scale(0), Zero(0)}},
    {"quantized_decomposed.fake_quant_per_channel.default", OpId::kFakeQuantize, {Data(0), OutScale(), OutZero()}},
    {"quantized_decomposed.choose_qparams.tensor", OpId::kChooseQParams},
    {"quantized_decomposed.choose_qparams_symmetric.tensor", OpId::kChooseQParams},
    {"quantized_decomposed.choose_qparams_per_token.default", OpId::kChooseQParams},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric.default", OpId::kChooseQParams},
    {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default", OpId::kChooseQParams},
    {"quantized_decomposed.convert_element_type.no_fuse", OpId::kCast},

    // torchao writes its targets without the overload.
    {"torchao.quantize_affine", OpId::kQuantize, {Data(0), Other(), OutScale(), OutZero()}},
    {"torchao.quantize_affine.default", OpId::kQuantize, {Data(0), Other(), OutScale(), OutZero()}},
    {"torchao.dequantize_affine", OpId::kDequantize, {Data(0), Other(), Scale(0), Zero(0)}},
    {"torchao.dequantize_affine.default", OpId::kDequantize, {Data(0), Other(), Scale(0), Zero(0)}},
    {"torchao.quantize_affine_float8_non_decomposed", OpId::kQuantize, {Data(0), OutScale()}},
    {"torchao.quantize_affine_float8_non_decomposed.default", OpId::kQuantize, {Data(0), OutScale()}},
    {"torchao.dequantize_affine_float8_non_decomposed", OpId::kDequantize, {Data(0), Scale(0)}},
    {"torchao.dequantize_affine_float8_non_decomposed.default", OpId::kDequantize, {Data(0), Scale(0)}},
    {"torchao.choose_qparams_affine", OpId::kChooseQParams},
    {"torchao.choose_qparams_affine.default", OpId::kChooseQParams},
    {"torchao.choose_scale_float8", OpId::kChooseQParams},
    {"torchao.choose_scale_float8.default", OpId::kChooseQParams},

    {"dim_order_ops._to_dim_order_copy.default", OpId::kCast},
    {"dim_order_ops._clone_dim_order.default", OpId::kIdentity},
    {"qnn_custom.hadamard_transform.default", OpId::kHadamardTransform},

    // Branches and bodies are arguments that are no tensors; lists of operands are flattened.
    {"higher_order.cond", OpId::kIf, {Data(0), Other(), Other(), Rest(Data(1))}},
    {"higher_order.while_loop", OpId::kWhile, {Other(), Other(), Rest(Data(0))}},
    {"higher_order.scan", OpId::kScan, {Other(), Rest(Data(0))}},

    {"operator.getitem", OpId::kGetItem},
    {"placeholder", OpId::kPlaceholder},
    {"get_attr", OpId::kPlaceholder},
    {"output", OpId::kOutput},
};

}  // namespace

absl::Span<const OpRow> TorchOps() { return kOps; }

}  // namespace quantgate
