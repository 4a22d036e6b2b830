"""What TorchInductor computes on integers, asked of TorchInductor itself, node by node."""
import pytest

torch = pytest.importorskip('torch')
quantizers = pytest.importorskip('torchao.quantization.pt2e.quantizer.x86_inductor_quantizer')
import torch._inductor.config  # noqa: E402
import torch.ao.quantization.fx._decomposed  # noqa: E402,F401  registers quantized_decomposed
from torchao.quantization.pt2e import move_exported_model_to_eval  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import (convert_pt2e, prepare_pt2e,  # noqa: E402
                                                     prepare_qat_pt2e)
from torch._inductor.custom_graph_pass import CustomGraphPass  # noqa: E402

import quantgate  # noqa: E402
from quantgate.v1 import report_pb2  # noqa: E402

F = torch.nn.functional
nn = torch.nn
ops = torch.ops.quantized_decomposed
UINT8, INT8 = (0, 255, torch.uint8), (-128, 127, torch.int8)
SEVEN_BITS, INT16, INT32 = (0, 127, torch.uint8), (-2**15, 2**15 - 1, torch.int16), (-2**31, 2**31 - 1, torch.int32)
TARGET = 'x86_inductor/avx512_vnni'


def qdq(x, scale=0.05, zero_point=100, kind=UINT8):
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, scale, zero_point, *kind), scale, zero_point, *kind)


def dynamic(x, kind=UINT8):
    scale, zero_point = ops.choose_qparams.tensor(x, kind[0], kind[1], 1e-5, kind[2])
    stored = ops.quantize_per_tensor.tensor(x, scale, zero_point, *kind)
    return ops.dequantize_per_tensor.tensor(stored, scale, zero_point, *kind)


def tokens(x):
    scale, zero_point = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
    stored = ops.quantize_per_token(x, scale, zero_point, *INT8)
    return ops.dequantize_per_token(stored, scale, zero_point, *INT8, torch.float32)


class Net(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

        def stored(name, *shape):
            # Small enough for sums of two products in 16 bits: without VNNI, more are wrong (NR201).
            self.register_buffer(name, torch.randint(-63, 64, shape, dtype=torch.int8))

        stored('rows', 8, 8)
        stored('other_rows', 8, 8)
        stored('wide', 32, 32)
        stored('one', 1, 32)
        stored('full', 8, 32)
        self.full.fill_(127)
        stored('filters', 8, 4, 3, 3)
        stored('other_filters', 8, 4, 3, 3)
        stored('turned', 4, 8, 3, 3)  # of a transposed convolution
        stored('groups', 8, 2, 3, 3)
        stored('depthwise', 8, 1, 3, 3)
        stored('other_depthwise', 8, 1, 3, 3)
        stored('filters1', 8, 4, 3)
        stored('turned1', 4, 8, 3)
        stored('filters3', 8, 4, 3, 3, 3)
        self.register_buffer('unsigned', torch.randint(0, 255, (8, 8), dtype=torch.uint8))
        stored('nibbles', 8, 4, 3, 3)
        self.nibbles.clamp_(-8, 7)
        for size in (1, 4, 8, 32):
            self.register_buffer(f'scales{size}', torch.rand(size) * 0.01 + 0.01)
            self.register_buffer(f'zeros{size}', torch.zeros(size, dtype=torch.int64))
        self.register_buffer('threes', torch.full((8,), 3, dtype=torch.int64))
        self.register_buffer('middles', torch.full((8,), 128, dtype=torch.int64))
        self.bias, self.wide_bias = nn.Parameter(torch.randn(8)), nn.Parameter(torch.randn(32))

    def weight(self, stored, axis=0, zeros=None, limits=(-128, 127)):
        size = stored.shape[axis]
        zeros = getattr(self, f'zeros{size}') if zeros is None else zeros
        return ops.dequantize_per_channel(stored, getattr(self, f'scales{size}'), zeros, axis, *limits, torch.int8)

    def per_tensor(self, stored):
        return ops.dequantize_per_tensor(stored, 0.02, 0, *INT8)

    def linear(self, x, bias=None):
        return F.linear(x, self.weight(self.rows), bias)

    def other_linear(self, x, bias=None):
        return F.linear(x, self.weight(self.other_rows), bias)

    def conv(self, x, **options):
        return F.conv2d(x, self.weight(self.filters), **options)

    def other_conv(self, x, **options):
        return F.conv2d(x, self.weight(self.other_filters), **options)

    def forward(self, *arguments):
        return self.function(self, *arguments)


V, V3, IMAGE = (2, 8), (2, 3, 8), (1, 4, 6, 6)
WIDE = (1, 8, 6, 6)

# name: (shapes of the inputs, what is computed)
CASES = {
    # ---- Convolutions ----
    'conv': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x)))),
    'conv_bias': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x), bias=s.bias))),
    'conv_into_float': ([IMAGE], lambda s, x: s.conv(qdq(x))),
    'conv_into_both': ([IMAGE], lambda s, x: (lambda y: (qdq(y), y))(s.conv(qdq(x)))),
    'conv_of_floats': ([IMAGE], lambda s, x: qdq(s.conv(x))),
    'conv_float_weight': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.filters.float()))),
    'conv_strided': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x), stride=2, padding=1, dilation=1))),
    'conv_same': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x), padding='same'))),
    'conv_groups': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.groups), groups=2))),
    'conv_depthwise': ([WIDE], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.depthwise), groups=8))),
    'conv1d': ([(1, 4, 6)], lambda s, x: qdq(F.conv1d(qdq(x), s.weight(s.filters1)))),
    'conv1d_relu': ([(1, 4, 6)], lambda s, x: qdq(torch.relu(F.conv1d(qdq(x), s.weight(s.filters1))))),
    'conv3d': ([(1, 4, 5, 5, 5)], lambda s, x: qdq(F.conv3d(qdq(x), s.weight(s.filters3)))),
    'conv_unbatched': ([(4, 6, 6)], lambda s, x: qdq(s.conv(qdq(x)))),
    'conv_transpose': ([IMAGE], lambda s, x: qdq(F.conv_transpose2d(qdq(x), s.weight(s.turned, 1)))),
    'conv_transpose_axis0': ([IMAGE], lambda s, x: qdq(F.conv_transpose2d(qdq(x), s.weight(s.turned, 0)))),
    'conv_transpose1d': ([(1, 4, 6)], lambda s, x: qdq(F.conv_transpose1d(qdq(x), s.weight(s.turned1, 1)))),
    'conv_per_tensor': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.per_tensor(s.filters)))),
    'conv_axis1': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.filters, 1)))),
    'conv_asymmetric_weight': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.filters, zeros=s.threes)))),
    'conv_four_bits': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.nibbles, limits=(-8, 7))))),
    'conv_int8': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x, 0.05, 0, INT8)), 0.05, 0, INT8)),
    'conv_int8_asymmetric': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x, 0.05, 5, INT8)), 0.05, 5, INT8)),
    'conv_int8_to_uint8': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x, 0.05, 0, INT8)))),
    'conv_seven_bits': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x, 0.1, 64, SEVEN_BITS)), 0.02, 64, SEVEN_BITS)),
    'conv_int16': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x, 0.001, 0, INT16)))),
    'conv_into_int16': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x)), 0.001, 0, INT16)),
    'conv_into_int32': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x)), 0.001, 0, INT32)),
    'conv_dynamic': ([IMAGE], lambda s, x: s.conv(dynamic(x))),
    'conv_shared_input': ([IMAGE], lambda s, x: (lambda y: (qdq(s.conv(y)), qdq(s.other_conv(y))))(qdq(x))),
    'conv_input_into_float': ([IMAGE], lambda s, x: (lambda y: (qdq(s.conv(y)), y + 1.0))(qdq(x))),
    'conv_shared_weight': ([IMAGE], lambda s, x: (lambda w: qdq(F.conv2d(qdq(x), w) + F.conv2d(qdq(x, 0.02), w)))(
        s.weight(s.filters))),
    'conv_chain': ([WIDE], lambda s, x: qdq(F.conv2d(qdq(F.conv2d(qdq(x), s.weight(s.depthwise), groups=8)),
                                                     s.weight(s.other_depthwise), groups=8))),
    'conv_padded': ([IMAGE], lambda s, x: qdq(s.conv(F.pad(qdq(x), (1, 1, 1, 1))))),
    # ---- Behind a convolution ----
    'conv_relu': ([IMAGE], lambda s, x: qdq(torch.relu(s.conv(qdq(x))))),
    'conv_relu_seven_bits': ([IMAGE], lambda s, x: qdq(torch.relu(s.conv(qdq(x))), 0.02, 0, SEVEN_BITS)),
    'conv_relu6': ([IMAGE], lambda s, x: qdq(F.relu6(s.conv(qdq(x))))),
    'conv_hardtanh': ([IMAGE], lambda s, x: qdq(F.hardtanh(s.conv(qdq(x)), -2, 2))),
    'conv_gelu': ([IMAGE], lambda s, x: qdq(F.gelu(s.conv(qdq(x))))),
    'conv_silu': ([IMAGE], lambda s, x: qdq(F.silu(s.conv(qdq(x))))),
    'conv_hardswish': ([IMAGE], lambda s, x: qdq(F.hardswish(s.conv(qdq(x))))),
    'conv_leaky_relu': ([IMAGE], lambda s, x: qdq(F.leaky_relu(s.conv(qdq(x)), 0.1))),
    'conv_sigmoid': ([IMAGE], lambda s, x: qdq(torch.sigmoid(s.conv(qdq(x))))),
    'conv_add': ([IMAGE, (1, 8, 4, 4)], lambda s, x, y: qdq(s.conv(qdq(x)) + qdq(y))),
    'conv_add_relu': ([IMAGE, (1, 8, 4, 4)], lambda s, x, y: qdq(torch.relu(s.conv(qdq(x)) + qdq(y)))),
    'conv_add_float': ([IMAGE, (1, 8, 4, 4)], lambda s, x, y: qdq(s.conv(qdq(x)) + y)),
    'conv_add_conv': ([IMAGE], lambda s, x: qdq(s.conv(qdq(x)) + s.other_conv(qdq(x, 0.02)))),
    'conv_quantized_add': ([IMAGE, (1, 8, 4, 4)], lambda s, x, y: qdq(qdq(s.conv(qdq(x))) + qdq(y))),
    'conv_quantized_relu': ([IMAGE], lambda s, x: qdq(torch.relu(qdq(s.conv(qdq(x)))))),
    # ---- Linear layers ----
    'linear': ([V], lambda s, x: qdq(s.linear(qdq(x)))),
    'linear_bias': ([V], lambda s, x: qdq(s.linear(qdq(x), s.bias))),
    'linear_into_float': ([V], lambda s, x: s.linear(qdq(x), s.bias)),
    'linear_three': ([V3], lambda s, x: qdq(s.linear(qdq(x), s.bias))),
    'linear_three_no_bias': ([V3], lambda s, x: qdq(s.linear(qdq(x)))),
    'linear_three_into_float': ([V3], lambda s, x: s.linear(qdq(x))),
    'linear_transposed': ([(2, 8, 3)], lambda s, x: s.linear(qdq(x.transpose(1, 2)), s.bias)),
    'linear_transposed_behind': ([(2, 8, 3)], lambda s, x: s.linear(qdq(x).transpose(1, 2), s.bias)),
    'linear_four': ([(2, 2, 3, 8)], lambda s, x: qdq(s.linear(qdq(x), s.bias))),
    'linear_vector': ([(8,)], lambda s, x: qdq(s.linear(qdq(x), s.bias))),
    'linear_saturating': ([(2, 32)], lambda s, x: F.linear(qdq(x.abs() + 100.0, 0.05, 0), s.weight(s.full))),
    'linear_vector_wide': ([(32,)], lambda s, x: qdq(F.linear(qdq(x), s.weight(s.wide), s.wide_bias))),
    'linear_vector_no_bias': ([(8,)], lambda s, x: qdq(s.linear(qdq(x)))),
    'linear_row': ([(1, 8)], lambda s, x: qdq(s.linear(qdq(x), s.bias))),
    'linear_row_no_bias': ([(1, 8)], lambda s, x: qdq(s.linear(qdq(x)))),
    'linear_row_three': ([(1, 1, 8)], lambda s, x: qdq(s.linear(qdq(x), s.bias))),
    'linear_row_wide': ([(1, 32)], lambda s, x: qdq(F.linear(qdq(x), s.weight(s.wide), s.wide_bias))),
    'linear_row_into_one': ([(1, 32)], lambda s, x: qdq(F.linear(qdq(x), s.weight(s.one)))),
    'linear_into_one': ([(2, 32)], lambda s, x: qdq(F.linear(qdq(x), s.weight(s.one)))),
    'linear_relu_into_int16': ([V], lambda s, x: qdq(torch.relu(s.linear(qdq(x))), 0.001, 0, INT16)),
    'linear_tanh_into_int16': ([V], lambda s, x: qdq(torch.tanh(s.linear(qdq(x))), 0.001, 0, INT16)),
    'conv_relu_into_int16': ([IMAGE], lambda s, x: qdq(torch.relu(s.conv(qdq(x))), 0.001, 0, INT16)),
    'linear_relu': ([V], lambda s, x: qdq(torch.relu(s.linear(qdq(x))))),
    'linear_gelu': ([V], lambda s, x: qdq(F.gelu(s.linear(qdq(x), s.bias)))),
    'linear_gelu_tanh': ([V], lambda s, x: qdq(F.gelu(s.linear(qdq(x)), approximate='tanh'))),
    'linear_add': ([V, V], lambda s, x, y: qdq(s.linear(qdq(x)) + qdq(y))),
    'linear_add_relu': ([V, V], lambda s, x, y: qdq(torch.relu(s.linear(qdq(x)) + y))),
    'linear_int8': ([V], lambda s, x: qdq(s.linear(qdq(x, 0.05, 0, INT8)), 0.05, 0, INT8)),
    'linear_int8_asymmetric': ([V], lambda s, x: qdq(s.linear(qdq(x, 0.05, 5, INT8)), 0.05, 5, INT8)),
    'linear_int16': ([V], lambda s, x: qdq(s.linear(qdq(x, 0.001, 0, INT16)))),
    'linear_int32': ([V], lambda s, x: s.linear(qdq(x, 0.001, 0, INT32))),
    'linear_into_int16': ([V], lambda s, x: qdq(s.linear(qdq(x)), 0.001, 0, INT16)),
    'linear_unsigned_weight': ([V], lambda s, x: qdq(F.linear(qdq(x), ops.dequantize_per_channel(
        s.unsigned, s.scales8, s.middles, 0, *UINT8)))),
    'linear_seven_bits': ([V], lambda s, x: qdq(s.linear(qdq(x, 0.1, 64, SEVEN_BITS)), 0.02, 64, SEVEN_BITS)),
    'linear_per_tensor': ([V], lambda s, x: qdq(F.linear(qdq(x), s.per_tensor(s.rows)))),
    'linear_axis1': ([V], lambda s, x: qdq(F.linear(qdq(x), s.weight(s.rows, 1)))),
    'linear_asymmetric_weight': ([V], lambda s, x: qdq(F.linear(qdq(x), s.weight(s.rows, zeros=s.threes)))),
    'linear_of_floats': ([V], lambda s, x: s.linear(x)),
    'linear_dynamic': ([V], lambda s, x: s.linear(dynamic(x), s.bias)),
    'linear_dynamic_quantized': ([V], lambda s, x: qdq(s.linear(dynamic(x), s.bias))),
    'linear_dynamic_three': ([V3], lambda s, x: s.linear(dynamic(x))),
    'linear_dynamic_int8': ([V], lambda s, x: s.linear(dynamic(x, INT8))),
    'linear_dynamic_relu': ([V], lambda s, x: torch.relu(s.linear(dynamic(x)))),
    'linear_tokens': ([V], lambda s, x: s.linear(tokens(x))),
    'linear_shared_weight': ([V], lambda s, x: (lambda w: qdq(F.linear(qdq(F.linear(qdq(x), w)), w)))(
        s.weight(s.rows))),
    'linear_shared_input': ([V], lambda s, x: (lambda y: (s.linear(y), s.other_linear(y, s.bias)))(qdq(x))),
    'linear_input_into_float': ([V], lambda s, x: (lambda y: (s.linear(y), y * 2.0))(qdq(x))),
    'linear_shared_input_three': ([V3], lambda s, x: (lambda y: (s.linear(y), s.other_linear(y, s.bias)))(qdq(x))),
    # ---- Products of matrices ----
    'mm_of_weight': ([V], lambda s, x: qdq(torch.mm(qdq(x), s.weight(s.rows).t()))),
    'mm_of_weight_unturned': ([V], lambda s, x: qdq(torch.mm(qdq(x), s.weight(s.rows)))),
    'addmm_of_weight': ([V], lambda s, x: qdq(torch.addmm(s.bias, qdq(x), s.weight(s.rows).t()))),
    'matmul_of_weight': ([V3], lambda s, x: qdq(torch.matmul(qdq(x), s.weight(s.rows).t()))),
    'mm': ([V, (8, 4)], lambda s, x, y: torch.mm(qdq(x), qdq(y))),
    'matmul': ([V3, (2, 8, 4)], lambda s, x, y: qdq(torch.matmul(qdq(x), qdq(y)))),
    'matmul_into_float': ([V3, (2, 8, 4)], lambda s, x, y: torch.matmul(qdq(x), qdq(y))),
    # ---- Pooling ----
    'max_pool': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 2))),
    'max_pool_padded': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 3, 1, 1))),
    'max_pool_ceil': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 2, ceil_mode=True))),
    'max_pool_dilated': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 2, dilation=2))),
    'max_pool_unbatched': ([(4, 6, 6)], lambda s, x: qdq(F.max_pool2d(qdq(x), 2))),
    'max_pool_other': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 2), 0.02)),
    'max_pool_int8': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x, 0.05, 0, INT8), 2), 0.05, 0, INT8)),
    'max_pool_int8_to_uint8': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x, 0.05, 0, INT8), 2), 0.05, 0)),
    'max_pool_int16': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x, 0.05, 0, INT16), 2), 0.05, 0, INT16)),
    'max_pool_into_float': ([IMAGE], lambda s, x: F.max_pool2d(qdq(x), 2)),
    'max_pool_shared_input': ([IMAGE], lambda s, x: (lambda y: (qdq(F.max_pool2d(y, 2)), qdq(s.conv(y))))(qdq(x))),
    'max_pool_input_into_float': ([IMAGE], lambda s, x: (lambda y: (qdq(F.max_pool2d(y, 2)), y + 1.0))(qdq(x))),
    'max_pool_seven_bits': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 2), 0.05, 100, SEVEN_BITS)),
    'max_pool1d': ([(1, 4, 6)], lambda s, x: qdq(F.max_pool1d(qdq(x), 2))),
    'max_pool3d': ([(1, 4, 6, 6, 6)], lambda s, x: qdq(F.max_pool3d(qdq(x), 2))),
    'max_pool_large': ([(1, 4, 16, 16)], lambda s, x: qdq(F.max_pool2d(qdq(x), 13))),
    'max_pool_large_strided': ([(1, 4, 16, 16)], lambda s, x: qdq(F.max_pool2d(qdq(x), 13, 2))),
    'adaptive_max_pool': ([IMAGE], lambda s, x: qdq(F.adaptive_max_pool2d(qdq(x), 3))),
    'average_pool': ([IMAGE], lambda s, x: qdq(F.avg_pool2d(qdq(x), 2))),
    'adaptive_average_pool': ([IMAGE], lambda s, x: qdq(F.adaptive_avg_pool2d(qdq(x), 1))),
    'mean': ([IMAGE], lambda s, x: qdq(qdq(x).mean((2, 3)))),
    # ---- Shapes ----
    'flatten': ([IMAGE], lambda s, x: qdq(torch.flatten(qdq(x), 1))),
    'flatten_other': ([IMAGE], lambda s, x: qdq(torch.flatten(qdq(x), 1), 0.02)),
    'flatten_into_linear': ([(2, 2, 4)], lambda s, x: s.linear(qdq(torch.flatten(qdq(x), 1)))),
    'view': ([V], lambda s, x: qdq(qdq(x).view(4, 4))),
    'view_other': ([V], lambda s, x: qdq(qdq(x).view(4, 4), 0.02)),
    'reshape': ([V], lambda s, x: qdq(qdq(x).reshape(4, 4))),
    'reshape_int8': ([V], lambda s, x: qdq(qdq(x, 0.05, 0, INT8).reshape(4, 4), 0.05, 0, INT8)),
    'reshape_int8_to_uint8': ([V], lambda s, x: qdq(qdq(x, 0.05, 0, INT8).reshape(4, 4), 0.05, 0)),
    'reshape_int16': ([V], lambda s, x: qdq(qdq(x, 0.05, 0, INT16).reshape(4, 4), 0.05, 0, INT16)),
    'reshape_seven_bits': ([V], lambda s, x: qdq(qdq(x).reshape(4, 4), 0.05, 100, SEVEN_BITS)),
    'reshape_shared_input': ([V], lambda s, x: (lambda y: (qdq(y.reshape(4, 4)), y + 1.0))(qdq(x))),
    'unsqueeze': ([V], lambda s, x: qdq(qdq(x).unsqueeze(0))),
    'squeeze': ([(2, 1, 8)], lambda s, x: qdq(qdq(x).squeeze(1))),
    'permute': ([V3], lambda s, x: qdq(qdq(x).permute(0, 2, 1))),
    'transpose': ([V3], lambda s, x: qdq(qdq(x).transpose(1, 2))),
    'slice': ([V], lambda s, x: qdq(qdq(x)[:, :4])),
    'clone': ([V], lambda s, x: qdq(qdq(x).clone())),
    'cat': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), qdq(y)], 1))),
    'cat_other': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), qdq(y, 0.02)], 1))),
    'cat_other_output': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), qdq(y)], 1), 0.02)),
    'cat_with_float': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), y], 1))),
    'cat_first': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), qdq(y)]))),
    'cat_into_float': ([V, V], lambda s, x, y: torch.cat([qdq(x), qdq(y)], 1)),
    'cat_int8': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x, 0.05, 0, INT8), qdq(y, 0.05, 0, INT8)], 1), 0.05, 0,
                                             INT8)),
    'cat_int8_to_uint8': ([V, V], lambda s, x, y: qdq(
        torch.cat([qdq(x, 0.05, 0, INT8), qdq(y, 0.05, 0, INT8)], 1), 0.05, 0)),
    'cat_dynamic': ([V, V], lambda s, x, y: qdq(torch.cat([dynamic(x), dynamic(y)], 1))),
    'max_pool_dynamic': ([IMAGE], lambda s, x: qdq(F.max_pool2d(dynamic(x), 2))),
    'cat_flattened_types': ([IMAGE], lambda s, x: qdq(torch.flatten(qdq(x, 0.05, 0, INT8), 1), 0.05, 0)),
    'cat_twice': ([V], lambda s, x: (lambda y: qdq(torch.cat([y, y], 1)))(qdq(x))),
    'cat_shared_input': ([V, V], lambda s, x, y: (lambda z: (qdq(torch.cat([z, qdq(y)], 1)), z + 1.0))(qdq(x))),
    # ---- In float whatever is quantized around ----
    'add': ([V, V], lambda s, x, y: qdq(qdq(x) + qdq(y))),
    'mul': ([V, V], lambda s, x, y: qdq(qdq(x) * qdq(y))),
    'relu': ([V], lambda s, x: qdq(torch.relu(qdq(x)))),
    'softmax': ([V], lambda s, x: qdq(torch.softmax(qdq(x), -1))),
    'layer_norm': ([V], lambda s, x: qdq(F.layer_norm(qdq(x), (8,)))),
    'interpolate': ([IMAGE], lambda s, x: qdq(F.interpolate(qdq(x), scale_factor=2))),
    'embedding': ([V], lambda s, x: qdq(F.embedding(x.to(torch.int64).clamp(0, 7), s.weight(s.rows)))),
    'einsum': ([V3, (2, 8, 4)], lambda s, x, y: qdq(torch.einsum('abc,acd->abd', qdq(x), qdq(y)))),
    'attention': ([(1, 2, 4, 8)], lambda s, x: qdq(F.scaled_dot_product_attention(qdq(x), qdq(x), qdq(x)))),
    'requantize': ([V], lambda s, x: qdq(qdq(x), 0.02) + 1.0),
    'relu_into_float': ([V], lambda s, x: torch.relu(qdq(x))),
    'float_alone': ([V], lambda s, x: torch.relu(x) + 1.0),
}


class Stop(Exception):
    pass


class Recorder(CustomGraphPass):
    """Keeps the graph as it is behind all patterns, and makes no code of it."""

    def __init__(self):
        self.graph = None

    def __call__(self, graph):
        self.graph = graph
        raise Stop

    def uuid(self):
        return None


@pytest.fixture(autouse=True)
def _inductor():
    torch._dynamo.reset()
    with torch._inductor.config.patch(
            {'freezing': True, 'fx_graph_cache': False, 'compile_threads': 1, 'aot_inductor.debug_compile': True}):
        yield


def matched(module, arguments):
    """The graph with what the patterns made of it; None: the compilation ends before."""
    recorder = Recorder()
    with torch._inductor.config.patch(post_grad_custom_post_pass=recorder), torch.no_grad(), pytest.raises(Exception):
        torch.compile(module)(*arguments)
    return recorder.graph


def computed(module, arguments):
    """None: it does not compile, or its first call fails."""
    with torch.no_grad():
        try:
            return torch.compile(module)(*arguments)
        except (RuntimeError, NotImplementedError):
            return None


def origin(node, names):
    """The exported program's node that a node of the compiled one comes from."""
    found, sources = None, node.meta.get('from_node') or []
    while sources:
        found = next((source.name for source in sources if source.name in names), found)
        sources = [inner for source in sources for inner in source.from_node or []]
    return found


def is_integer(node):
    """A kernel for quantized data, or a view of it."""
    kernels = ('qconv', 'qlinear', 'qmaxpool2d', 'qcat', 'qreshape', 'onednn.')
    value = node.meta.get('val')
    value = value[0] if isinstance(value, (tuple, list)) else value
    return any(kernel in str(node.target) for kernel in kernels) or (
        isinstance(value, torch.Tensor) and not value.is_floating_point())


def is_conversion(node):
    return 'quantize' in str(node.target) or 'choose_qparams' in str(node.target)


def in_float(graph, names):
    """Nodes of the program of which something is left that computes on floats."""
    return {origin(node, names) for node in graph.nodes if node.op == 'call_function' and not is_integer(node)} - {None}


def asks_for_integers(node):
    """Between Dequantize and Quantize, and the layers and products, which write what they write."""
    tensors = [argument for argument in node.all_input_nodes if argument.op != 'get_attr']
    read = bool(tensors) and all('dequantize' in str(argument.target) for argument in tensors)
    written = bool(node.users) and all('.quantize' in str(user.target) for user in node.users)
    layer = any(word in str(node.target) for word in ('conv', 'linear', 'mm.', 'matmul'))
    return read and (written or layer) and not is_conversion(node)


def exported(name):
    """With its arguments."""
    shapes, function = CASES[name]
    torch.manual_seed(0)
    net = Net(function).eval()
    arguments = tuple(torch.randn(shape) for shape in shapes)
    return torch.export.export(net, arguments, strict=True), arguments


def compare(program, arguments, target=TARGET):
    """What QuantGate says of each node against what the patterns made of it. Returns the result."""
    result = quantgate.check(program, targets=[target]).result(target)
    module = program.module() if hasattr(program, 'module') else program
    graph = matched(module, arguments)
    nodes = {node.name: node for node in (program if graph is None else module).graph.nodes
             if node.op == 'call_function'}
    said = {node.node for node in result.outcome.nodes if node.refused}
    integers = {node.node for node in result.outcome.nodes if node.backend_ops and not node.refused}
    assert not [entry for entry in result.not_checked if entry.node]
    if graph is None:
        assert result.outcome.kind == report_pb2.Outcome.FAILS
        return result
    left = in_float(graph, nodes)
    assert not integers & left
    if result.outcome.kind != report_pb2.Outcome.FAILS:
        assert said <= left
        assert {name for name in left if asks_for_integers(nodes[name])} <= said
        assert (result.outcome.kind == report_pb2.Outcome.PARTIAL) == bool(said)
    return result


@pytest.mark.parametrize('name', CASES)
def test_patterns(name):
    compare(*exported(name))


# Compiled and run: what patterns take is not always what kernels do.
RUN = ['conv_int8', 'conv_int16', 'conv_transpose1d', 'conv_axis1', 'conv_asymmetric_weight', 'conv_four_bits',
       'linear_int8', 'linear_int16', 'linear_int32', 'linear_asymmetric_weight', 'max_pool', 'max_pool_int8',
       'max_pool_int16', 'max_pool_int8_to_uint8', 'max_pool_other', 'max_pool_unbatched', 'cat_int8',
       'cat_int8_to_uint8', 'cat_flattened_types']


@pytest.mark.parametrize('name', RUN)
def test_numbers(name):
    program, arguments = exported(name)
    result = quantgate.check(program, targets=[TARGET]).result(TARGET)
    module = program.module()
    output = computed(module, arguments)
    assert (output is None) == (result.outcome.kind == report_pb2.Outcome.FAILS)
    if output is not None:
        close = torch.allclose(output, module(*arguments), atol=0.11)
        assert close == (result.verdict != report_pb2.Result.REJECTED)


def test_eight_bits():
    """NR201, on the instruction set that is here."""
    program, arguments = exported('linear_saturating')
    module = program.module()
    here = 'x86_inductor/avx512_vnni' if torch.cpu._is_vnni_supported() else 'x86_inductor/avx2'
    result = quantgate.check(program, targets=[here]).result(here)
    close = torch.allclose(computed(module, arguments), module(*arguments), atol=0.11)
    assert close == (result.verdict != report_pb2.Result.REJECTED)


def block(*layers):
    return nn.Sequential(*layers)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.third = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.third(torch.relu(self.second(x) + x))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.third(torch.cat([self.first(x), self.second(x)], 1))


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(torch.relu(self.layer(x)))


class Same(nn.Module):
    """A layer that is called twice on the same tensor, which TorchInductor computes once, or on two."""

    def __init__(self, layer, between=None):
        super().__init__()
        self.layer, self.between = layer, between or nn.Identity()

    def forward(self, x):
        return torch.tanh(self.layer(x)), torch.sigmoid(self.layer(self.between(x)))


class SameChain(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return torch.tanh(self.second(self.first(x))), torch.sigmoid(self.second(self.first(x)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        weights = torch.softmax(torch.matmul(self.query(x), self.key(x).transpose(1, 2)), -1)
        return torch.matmul(weights, self.value(x))


def static(**options):
    return quantizers.get_default_x86_inductor_quantization_config(**options)


# name: (network, shape of its input, configuration)
MODELS = {
    'conv_bn_relu': (lambda: block(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 1)), IMAGE, {}),
    'conv_bn_relu_qat': (lambda: block(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 1)), IMAGE,
                         {'is_qat': True}),
    'hardswish': (lambda: block(nn.Conv2d(4, 8, 3), nn.Hardswish(), nn.Conv2d(8, 8, 3, groups=8), nn.ReLU6()), IMAGE,
                  {}),
    'pooled': (lambda: block(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 1)), IMAGE, {}),
    'averaged': (lambda: block(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 32)),
                 IMAGE, {}),
    'residual': (Residual, IMAGE, {}),
    'branches': (Branches, IMAGE, {}),
    'mlp': (lambda: block(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 4)), V, {}),
    'mlp_reduced': (lambda: block(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)), V, {'reduce_range': True}),
    'mlp_dynamic': (lambda: block(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)), V3, {'is_dynamic': True}),
    'twice': (Twice, V, {}),
    'same_linear': (lambda: Same(nn.Linear(8, 8)), V, {}),
    'same_linear_dynamic': (lambda: Same(nn.Linear(8, 8)), V, {'is_dynamic': True}),
    'same_conv': (lambda: Same(nn.Conv2d(4, 8, 3)), IMAGE, {}),
    'same_of_another': (lambda: Same(nn.Linear(8, 8), nn.ReLU()), V, {}),
    'same_chain': (SameChain, V, {}),
    'attention': (Attention, V3, {}),
}


def said_of(result):
    return {node.node: (tuple(node.backend_ops), node.refused) for node in result.outcome.nodes}


@pytest.mark.parametrize('name', MODELS)
def test_quantized(name):
    network, shape, options = MODELS[name]
    torch.manual_seed(0)
    arguments = (torch.randn(shape),)
    quantizer = quantizers.X86InductorQuantizer().set_global(static(**options))
    if name == 'attention':
        quantizer.set_function_type_qconfig(torch.matmul, static())
    qat = options.get('is_qat', False)
    network = network().train(qat)
    module = torch.export.export(network, arguments, strict=True).module()
    prepared = (prepare_qat_pt2e if qat else prepare_pt2e)(module, quantizer)
    prepared(*arguments)
    before = quantgate.check(prepared, targets=[TARGET]).result(TARGET)
    converted = convert_pt2e(prepared)
    move_exported_model_to_eval(converted)
    result = compare(converted, arguments)
    # A training graph names its nodes otherwise than what becomes of it.
    assert sorted(said_of(before).values()) == sorted(said_of(result).values())
