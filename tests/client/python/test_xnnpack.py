"""What ExecuTorch's XNNPACK partitioner takes and what its program computes, asked of ExecuTorch itself, node by node."""
import pytest

torch = pytest.importorskip('torch')
exir = pytest.importorskip('executorch.exir')
partitioner = pytest.importorskip('executorch.backends.xnnpack.partition.xnnpack_partitioner')
runtime = pytest.importorskip('executorch.runtime')
import torch.ao.quantization.fx._decomposed  # noqa: E402,F401  registers quantized_decomposed

import quantgate  # noqa: E402
from quantgate.v1 import report_pb2  # noqa: E402

F = torch.nn.functional
ops = torch.ops.quantized_decomposed
INT8 = (-128, 127, torch.int8)
INT32 = (-2**31, 2**31 - 1, torch.int32)


def qdq(x, scale=0.05, zero_point=0):
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, scale, zero_point, *INT8), scale, zero_point, *INT8)


def wide(x, scale=0.05, zero_point=0):
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, scale, zero_point, *INT32), scale, zero_point, *INT32)


def dynamic(x):
    scale, zero_point = ops.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
    stored = ops.quantize_per_tensor.tensor(x, scale, zero_point, *INT8)
    return ops.dequantize_per_tensor.tensor(stored, scale, zero_point, *INT8)


class Net(torch.nn.Module):
    def __init__(self, function, modules):
        super().__init__()
        self.function = function
        self.m = torch.nn.ModuleList(modules)
        self.matrix = torch.nn.Parameter(torch.randn(8, 8))
        self.bias = torch.nn.Parameter(torch.ones(8))
        self.register_buffer('rows', torch.randint(-127, 127, (8, 8), dtype=torch.int8))
        self.register_buffer('filters', torch.randint(-127, 127, (8, 4, 3, 3), dtype=torch.int8))
        self.register_buffer('depthwise', torch.randint(-127, 127, (8, 1, 3, 3), dtype=torch.int8))
        self.register_buffer('scales', torch.full((8,), 0.02))
        self.register_buffer('zeros', torch.zeros(8, dtype=torch.int64))

    def weight(self, stored):
        return ops.dequantize_per_channel(stored, self.scales, self.zeros, 0, -127, 127, torch.int8)

    def linear(self, x, bias=None):
        return F.linear(x, self.weight(self.rows), bias)

    def forward(self, *arguments):
        return self.function(self, *arguments)


V, V3, IMAGE = (2, 8), (2, 3, 8), (1, 4, 6, 6)
nn = torch.nn

# name: (shapes of the inputs, what is computed, modules of it)
CASES = {
    # ---- Quantize, Dequantize ----
    'pair': ([V], lambda s, x: qdq(x)),
    'pair_of_channels': ([V], lambda s, x: ops.dequantize_per_channel(
        ops.quantize_per_channel(x, s.scales, s.zeros, 1, *INT8), s.scales, s.zeros, 1, *INT8) + 1.0),
    'pair_of_int32': ([V], lambda s, x: ops.dequantize_per_tensor(
        ops.quantize_per_tensor(x, 0.001, 0, -2**31, 2**31 - 1, torch.int32), 0.001, 0, -2**31, 2**31 - 1,
        torch.int32) + 1.0),
    'requantize': ([V], lambda s, x: qdq(qdq(x), 0.02) + 1.0),
    # ---- Layers with quantized weights: as a whole or not at all ----
    'linear': ([V], lambda s, x: qdq(s.linear(qdq(x)))),
    'linear_relu': ([V], lambda s, x: qdq(torch.relu(s.linear(qdq(x))))),
    'linear_relu6': ([V], lambda s, x: qdq(F.relu6(s.linear(qdq(x))))),
    'linear_tanh': ([V], lambda s, x: qdq(torch.tanh(s.linear(qdq(x))))),
    'linear_into_float': ([V], lambda s, x: s.linear(qdq(x))),
    'linear_into_both': ([V], lambda s, x: (lambda y: (qdq(y), y))(s.linear(qdq(x)))),
    'linear_of_floats': ([V], lambda s, x: s.linear(x)),
    'linear_of_floats_quantized': ([V], lambda s, x: qdq(s.linear(x))),
    'dynamic_linear': ([V], lambda s, x: s.linear(dynamic(x))),
    'dynamic_linear_relu': ([V], lambda s, x: torch.relu(s.linear(dynamic(x)))),
    'dynamic_linear_quantized': ([V], lambda s, x: qdq(s.linear(dynamic(x)))),
    'conv': ([IMAGE], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.filters)))),
    'conv_padded': ([IMAGE], lambda s, x: qdq(F.conv2d(F.pad(qdq(x), (1, 1, 1, 1)), s.weight(s.filters)))),
    'linear_given_and_relu': ([V], lambda s, x: (lambda y: (qdq(torch.relu(y)), y))(s.linear(qdq(x)))),
    'dynamic_conv': ([IMAGE], lambda s, x: F.conv2d(dynamic(x), s.weight(s.filters))),
    'dynamic_depthwise': ([(1, 8, 6, 6)], lambda s, x: F.conv2d(dynamic(x), s.weight(s.depthwise), groups=8)),
    'conv_of_floats': ([IMAGE], lambda s, x: F.conv2d(x, s.weight(s.filters))),
    'one_bias': ([V], lambda s, x: qdq(s.linear(qdq(s.linear(qdq(x), s.bias), 0.1), s.bias))),
    'one_bias_alike': ([V], lambda s, x: qdq(s.linear(qdq(s.linear(qdq(x), s.bias)), s.bias))),
    # ---- Products of matrices ----
    'bmm': ([V3, (2, 8, 4)], lambda s, x, y: torch.bmm(x, y)),
    'mm': ([V, (8, 4)], lambda s, x, y: torch.mm(x, y)),
    'mm_of_parameter': ([V], lambda s, x: torch.mm(x, s.matrix)),
    'addmm_of_parameter': ([V], lambda s, x: torch.addmm(s.bias, x, s.matrix)),
    'matmul': ([V3, (2, 8, 4)], lambda s, x, y: torch.matmul(x, y)),
    'matmul_of_parameter': ([V3], lambda s, x: torch.matmul(x, s.matrix)),
    'matmul_of_vector': ([V], lambda s, x: torch.matmul(x, s.bias)),
    'attention': ([(1, 2, 4, 8)], lambda s, x: F.scaled_dot_product_attention(x, x, x)),
    # ---- Taken apart ----
    'layer_norm': ([V], lambda s, x: s.m[0](x), nn.LayerNorm(8)),
    'group_norm': ([IMAGE], lambda s, x: s.m[0](x), nn.GroupNorm(2, 4)),
    'instance_norm': ([IMAGE], lambda s, x: s.m[0](x), nn.InstanceNorm2d(4)),
    'rms_norm': ([V], lambda s, x: s.m[0](x), nn.RMSNorm(8)),
    'silu': ([V], lambda s, x: F.silu(x)),
    'silu_quantized': ([V], lambda s, x: qdq(F.silu(qdq(x)))),
    'glu': ([V], lambda s, x: F.glu(x)),
    'hardsigmoid': ([V], lambda s, x: F.hardsigmoid(x)),
    'logsigmoid': ([V], lambda s, x: F.logsigmoid(x)),
    'stack': ([V, V], lambda s, x, y: torch.stack([x, y], -1)),
    'split': ([V], lambda s, x: torch.split(x, 4, -1)[0] + 1.0),
    'unbind': ([V], lambda s, x: x.unbind(0)[0] + 1.0),
    'squeeze': ([(2, 1, 8)], lambda s, x: torch.relu(x.squeeze(1))),
    'select': ([V3], lambda s, x: torch.relu(x[:, 1])),
    'sum_with_product': ([(2, 3, 3), V3, (2, 8, 3)], lambda s, z, x, y: torch.baddbmm(z, x, y)),
    'scaled_sum_with_product': ([(2, 3, 3), V3, (2, 8, 3)],
                                lambda s, z, x, y: torch.baddbmm(z, x, y, beta=2.0, alpha=0.5)),
    'sum_with_product_by_integers': ([(2, 3, 3), V3, (2, 8, 3)], lambda s, z, x, y: torch.baddbmm(z, x, y, beta=2)),
    'product_alone': ([(2, 3, 3), V3, (2, 8, 3)], lambda s, z, x, y: torch.baddbmm(z, x, y, beta=0, alpha=0.5)),
    'pixel_shuffle': ([IMAGE], lambda s, x: F.pixel_shuffle(x, 2) + 1.0),
    'pixel_shuffle_quantized': ([IMAGE], lambda s, x: qdq(F.pixel_shuffle(qdq(x), 2))),
    'pixel_unshuffle': ([IMAGE], lambda s, x: F.pixel_unshuffle(x, 2) + 1.0),
    'channel_shuffle': ([IMAGE], lambda s, x: F.channel_shuffle(x, 2) + 1.0),
    'conv_without_batch': ([IMAGE[1:]], lambda s, x: s.m[0](x), nn.Conv2d(4, 8, 3)),
    'conv_without_batch_quantized': ([IMAGE[1:]], lambda s, x: qdq(F.conv2d(qdq(x), s.weight(s.filters)))),
    # ---- Overloads, by what they become ----
    'clamp_by_tensors': ([V, V], lambda s, x, y: torch.clamp(x, y, s.bias)),
    'minimum_of_clamp': ([V, V], lambda s, x, y: torch.clamp_min(x, y)),
    'pool_with_indices': ([IMAGE], lambda s, x: F.max_pool2d(x, 2, return_indices=True)[0]),
    'pool_of_three': ([(1, 4, 6, 6, 6)], lambda s, x: F.max_pool3d(x, 2)),
    'average_of_three': ([(1, 4, 6, 6, 6)], lambda s, x: F.avg_pool3d(x, 2)),
    'floor_of_quotient': ([V, V], lambda s, x, y: torch.div(x, y, rounding_mode='floor')),
    'cat_of_one': ([V], lambda s, x: torch.cat([x]) + 1.0),
    'cat_of_one_twice': ([V], lambda s, x: torch.cat([x, x])),
    'stack_of_one': ([V], lambda s, x: torch.stack([x], -1)),
    'stack_of_one_twice': ([V], lambda s, x: torch.stack([x, x], -1)),
    'stack_of_one_twice_in_front': ([V], lambda s, x: torch.stack([x, x], 1)),
    'stack_of_others': ([V], lambda s, x: qdq(torch.stack([qdq(x), qdq(torch.relu(x), 0.02)], 1))),
    'prelu': ([IMAGE], lambda s, x: s.m[0](x), nn.PReLU(4)),
    'prelu_of_input': ([IMAGE, (4,)], lambda s, x, slopes: F.prelu(x, slopes)),
    'maximum_along': ([IMAGE], lambda s, x: x.max(2, keepdim=True)[0]),
    'maximum_along_with_indices': ([IMAGE], lambda s, x: x.max(2, keepdim=True)),
    'maximum_of_three': ([V3], lambda s, x: x.max(-1)[0]),
    'cast_to_own_type': ([V], lambda s, x: x.to(torch.float32) + 1.0),
    'copy_of_own_type': ([V], lambda s, x: x.to(torch.float32, copy=True) + 1.0),
    'half_scalar': ([V], lambda s, x: x.half() * 2.0),
    # ---- Others ----
    'elu': ([V], lambda s, x: F.elu(x)),
    'square': ([V], lambda s, x: torch.square(x)),
    'power_of_integer': ([V], lambda s, x: x ** 2),
    'power_of_real': ([V], lambda s, x: x ** 2.0),
    'integer_scalar': ([V], lambda s, x: x * 2),
    'real_scalar': ([V], lambda s, x: x * 2.0),
    'pool_of_one_dimension': ([(1, 4, 6)], lambda s, x: F.max_pool1d(x, 2)),
    'pool': ([IMAGE], lambda s, x: F.max_pool2d(x, 2)),
    'clone': ([V], lambda s, x: torch.relu(x.clone())),
    'clone_of_integers': ([V], lambda s, x: (torch.relu(x), x.argmax(1).clone())),
    'clone_with_channels_last': ([IMAGE], lambda s, x: torch.relu(x.clone(memory_format=torch.channels_last))),
    'indices': ([V], lambda s, x: torch.relu(x)[:, [1, 0]]),
    'whole_slice': ([V], lambda s, x: torch.relu(x)[:, :] + 1.0),
    'view_as_other': ([V, (4, 4)], lambda s, x, y: torch.relu(x).view_as(y) + y),
    'detach': ([V], lambda s, x: torch.relu(x).detach() + 1.0),
    'reflect': ([IMAGE], lambda s, x: F.pad(x, (1, 1, 1, 1), mode='reflect')),
    'pad': ([V], lambda s, x: F.pad(x, (1, 1))),
    'pad_unpacked': ([V], lambda s, x: F.pad(qdq(x), (1, 1))),
    'pad_quantized': ([V], lambda s, x: qdq(F.pad(qdq(x), (1, 1)))),
    'relu_other': ([V], lambda s, x: qdq(torch.relu(qdq(x)), 0.025)),
    'clamp': ([V], lambda s, x: qdq(torch.clamp(qdq(x), -1, 1), 0.01)),
    'view_other': ([V], lambda s, x: qdq(qdq(x).view(4, 4), 0.025)),
    'view_alike': ([V], lambda s, x: qdq(qdq(x).view(4, 4))),
    'cat_other': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), qdq(y, 0.02)]))),
    'cat_alike': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), qdq(y)]))),
    'max_pool_other': ([IMAGE], lambda s, x: qdq(F.max_pool2d(qdq(x), 2), 0.025)),
    'softmax': ([V], lambda s, x: torch.softmax(x, -1)),
    'softmax_of_first': ([V], lambda s, x: torch.softmax(x, 0)),
    'sigmoid_quantized': ([V], lambda s, x: qdq(torch.sigmoid(qdq(x)))),
    # ---- Made from nothing: portable kernels fill them ----
    'full': ([V], lambda s, x: torch.relu(x) + torch.full((2, 8), 2.0)),
    'zeros_like': ([V], lambda s, x: torch.relu(x) + torch.zeros_like(x)),
    'range': ([V], lambda s, x: torch.relu(x) + torch.arange(8.0)),
    'identity_matrix': ([(8, 8)], lambda s, x: torch.relu(x) + torch.eye(8)),
    'viewed_fill': ([V], lambda s, x: torch.relu(x) + torch.full((16,), 1.0).view(2, 8)),
    'quantized_fill': ([V], lambda s, x: qdq(qdq(torch.full((2, 8), 1.0)) + qdq(x))),
    'weight_of_a_fill': ([V], lambda s, x: F.linear(x, torch.full((8, 8), 0.5))),
    'product_with_a_fill': ([V3], lambda s, x: torch.bmm(x, torch.zeros(2, 8, 8))),
    'number': ([V], lambda s, x: torch.relu(x) + torch.tensor(2.0)),
    # ---- float64 ----
    'double': ([V], lambda s, x: torch.relu(x.double())),
    'double_softmax': ([V], lambda s, x: torch.softmax(x.double(), -1)),
    'double_product': ([V3], lambda s, x: torch.bmm(x.double(), x.double().transpose(1, 2))),
    'batch_norm': ([IMAGE], lambda s, x: s.m[1](s.m[0](x)), nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8)),

    # ---- One bias for two ----
    'bias_in_float_first': ([V], lambda s, x: qdq(s.linear(qdq(F.linear(x, s.matrix, s.bias)), s.bias))),
    'bias_in_float_behind': ([V], lambda s, x: F.linear(torch.relu(qdq(s.linear(qdq(x), s.bias))), s.matrix, s.bias)),
    'bias_of_a_dynamic_layer': ([V], lambda s, x: qdq(s.linear(qdq(s.linear(dynamic(x), s.bias)), s.bias))),
    'bias_added_behind': ([V], lambda s, x: qdq(s.linear(qdq(x), s.bias)) + s.bias),
    'bias_in_float_alone': ([V], lambda s, x: F.linear(torch.relu(F.linear(x, s.matrix, s.bias)), s.matrix, s.bias)),
}


# The export ends: what runs in NHWC has four dimensions, and a maximum keeps the one it is taken along.
ENDED = {
    'prelu': ([V], lambda s, x: s.m[0](x), nn.PReLU()),
    'prelu_of_three': ([V3], lambda s, x: s.m[0](x), nn.PReLU()),
    'pool_without_batch': ([IMAGE[1:]], lambda s, x: F.max_pool2d(x, 2)),
    'average_without_batch': ([IMAGE[1:]], lambda s, x: F.avg_pool2d(x, 2)),
    'maximum_along': ([IMAGE], lambda s, x: x.max(2)[0]),
    'maximum_of_last': ([IMAGE], lambda s, x: x.max(-1, keepdim=True)[0]),
    'filter_twice': ([V3], lambda s, x: s.m[0](torch.relu(s.m[0](x))), nn.Conv1d(3, 3, 3, padding=1)),
}

# Tensors of int32. name: (shapes of the inputs, what is computed, whether its numbers come out)
WIDE = {
    'cat': ([V, V], lambda s, x, y: wide(torch.cat([wide(x), wide(y)])), True),
    'cat_of_other_scales': ([V, V], lambda s, x, y: wide(torch.cat([wide(x), wide(y, 1e-6)])), False),
    'cat_into_wide': ([V, V], lambda s, x, y: wide(torch.cat([qdq(x), qdq(y)])), False),
    'cat_into_narrow': ([V, V], lambda s, x, y: qdq(torch.cat([wide(x), wide(y)])), False),
    'cat_of_both': ([V, V], lambda s, x, y: qdq(torch.cat([qdq(x), wide(y)])), False),
    'cat_with_zero_points': ([V, V], lambda s, x, y: wide(torch.cat([wide(x, 0.05, 7), wide(y, 0.05, 7)]), 0.05, 7),
                             False),
    'cat_into_floats': ([V, V], lambda s, x, y: torch.cat([wide(x, 0.05, 7), qdq(y)]), True),
    'view': ([V], lambda s, x: wide(wide(x).view(4, 4)), True),
    'view_into_other_scale': ([V], lambda s, x: wide(wide(x).view(4, 4), 0.02), False),
    'view_with_zero_point': ([V], lambda s, x: wide(wide(x, 0.05, 7).view(4, 4), 0.05, 7), False),
    'unsqueeze': ([V], lambda s, x: wide(wide(x).unsqueeze(2)), True),
    'permute': ([V], lambda s, x: wide(wide(x).permute(1, 0)), True),
    'permute_into_narrow': ([V], lambda s, x: qdq(wide(x).permute(1, 0)), False),
    'slice': ([V], lambda s, x: wide(wide(x)[:, 2:6]), True),
    'slice_with_zero_point': ([V], lambda s, x: wide(wide(x, 0.05, 7)[:, 2:6], 0.05, 7), False),
    'slice_into_narrow': ([V], lambda s, x: qdq(wide(x, 0.05, 7)[:, 2:6]), True),
    'slice_into_other_scale': ([V], lambda s, x: wide(wide(x)[:, 2:6], 0.02), True),
    'max_pool': ([IMAGE], lambda s, x: wide(F.max_pool2d(wide(x), 2)), False),
    'mean_into_wide': ([IMAGE], lambda s, x: wide(qdq(x).mean((2, 3), keepdim=True)), False),
    'relu': ([V], lambda s, x: wide(torch.relu(wide(x))), False),
    'relu_into_floats': ([V], lambda s, x: torch.relu(wide(x, 0.05, 7)), True),
    'clamp': ([V], lambda s, x: wide(torch.clamp(wide(x), -1, 1)), False),
    'sum': ([V, V], lambda s, x, y: wide(wide(x) + wide(y)), False),
    'sum_with_a_number': ([V], lambda s, x: wide(wide(x, 0.05, 7) + 0.5, 0.05, 7), True),
    'difference': ([V, V], lambda s, x, y: qdq(qdq(x) - wide(y)), False),
    'product': ([V, V], lambda s, x, y: wide(qdq(x) * qdq(y)), False),
    'sigmoid': ([V], lambda s, x: wide(torch.sigmoid(wide(x, 0.05, 7)), 0.05, 7), True),
}

# The same with a first dimension of any size.
DYNAMIC = {
    'linear': ([V], lambda s, x: F.linear(x, s.matrix)),
    'linear_of_three': ([V3], lambda s, x: F.linear(x, s.matrix)),
    'matmul_of_three': ([V3], lambda s, x: torch.matmul(x, s.matrix)),
    'view_inferred': ([V], lambda s, x: torch.relu(x).view(-1, 2, 4) + 1.0),
    'view_flat': ([V], lambda s, x: torch.relu(x).view(-1) + 1.0),
    'view_computed': ([V], lambda s, x: torch.relu(x).view(x.shape[0], 2, 4) + 1.0),
    'view_product': ([V], lambda s, x: torch.relu(x).view(x.shape[0] * 2, 4) + 1.0),
    'flatten': ([V3], lambda s, x: torch.relu(x).flatten(1) + 1.0),
    'flatten_nothing': ([V], lambda s, x: torch.relu(x).flatten(1) + 1.0),
    'unflatten': ([V], lambda s, x: torch.relu(x).unflatten(1, (2, 4)) + 1.0),
    'unsqueeze': ([V], lambda s, x: torch.relu(x).unsqueeze(1) + 1.0),
    'slice': ([V], lambda s, x: torch.relu(x)[:, :4] + 1.0),
    'cat': ([V], lambda s, x: torch.cat([torch.relu(x), x]) + 1.0),
    'transpose': ([V], lambda s, x: torch.relu(x).t() + 1.0),
    'softmax': ([V], lambda s, x: torch.softmax(x, -1)),
}

# In a branch of torch.cond.
BODIES = {
    'linear': ([V], lambda s, x: F.linear(x, s.matrix, s.bias)),
    'hardswish': ([V], lambda s, x: F.hardswish(x)),
    'max_pool': ([IMAGE], lambda s, x: F.pad(F.max_pool2d(x, 3), (2, 2, 2, 2))),
    'upsampling': ([IMAGE], lambda s, x: F.interpolate(x, size=(6, 6), mode='bilinear')),
    'conv': ([IMAGE], lambda s, x: F.pad(F.conv2d(x, s.filters[:4].float()), (1, 1, 1, 1))),
    'mm': ([V], lambda s, x: torch.mm(x, s.matrix)),
    'softmax': ([V], lambda s, x: torch.softmax(x, -1)),
    'relu': ([V], lambda s, x: torch.relu(x)),
}


def origin(node, names):
    """The exported program's node that a node of the lowered one comes from."""
    found, sources = None, node.meta.get('from_node') or []
    while sources:
        found = next((source.name for source in sources if source.name in names), found)
        sources = [inner for source in sources for inner in source.from_node or []]
    return found


def outside(lowered, names):
    """Nodes of the exported program of which something is left outside of the delegates."""
    return {origin(node, names) for node in lowered.exported_program().graph.nodes
            if node.op == 'call_function' and 'call_delegate' not in str(node.target)
            and 'getitem' not in str(node.target)}


def numbers(lowered, arguments):
    """What the program computes; None: it does not load."""
    loaded = runtime.Runtime.get().load_program(lowered.to_executorch().buffer)
    try:
        return loaded.load_method('forward').execute(list(arguments))
    except RuntimeError:
        return None


def lower(program):
    return exir.to_edge_transform_and_lower(program, partitioner=[partitioner.XnnpackPartitioner()],
                                            compile_config=exir.EdgeCompileConfig(_check_ir_validity=False))


def delegation(program):
    """What QuantGate says of a program, the program lowered, and the nodes of which something is left, of both."""
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    lowered = lower(program)
    nodes = {node.name: node for node in program.graph.nodes if node.op == 'call_function'}
    left = outside(lowered, nodes) - {None}
    # Weights of a layer that is left are left with it: they are constants, and no node is said to be.
    left -= {name for name in left if nodes[name].args and getattr(nodes[name].args[0], 'op', '') == 'placeholder'
             and 'dequantize_per_channel' in str(nodes[name].target)}
    assert not [entry for entry in result.not_checked if entry.node]
    return result, lowered, {node.node for node in result.outcome.nodes if node.refused}, left


@pytest.mark.parametrize('name', CASES)
def test_delegation(name):
    shapes, function, *modules = CASES[name]
    torch.manual_seed(0)
    net = Net(function, modules).eval()
    arguments = tuple(torch.randn(shape) for shape in shapes)
    result, lowered, said, left = delegation(torch.export.export(net, arguments, strict=True))
    assert said == left

    outcome = report_pb2.Outcome
    if left:
        assert result.outcome.kind == outcome.PARTIAL
        return
    computed = numbers(lowered, arguments)
    assert (result.outcome.kind == outcome.FAILS) == (computed is None)
    if computed is None:
        return
    expected = net(*arguments)
    expected = expected if isinstance(expected, tuple) else (expected,)
    # Two steps of what is written, and what a bias with the wrong scale makes of it.
    close = all(torch.allclose(a, b, atol=0.11) for a, b in zip(computed, expected))
    assert close == (result.verdict != report_pb2.Result.REJECTED)


def test_a_padding_that_is_given_too_is_none_of_the_convolutions():
    def padded(s, x):
        y = F.pad(qdq(x), (1, 1, 1, 1))
        return qdq(F.conv2d(y, ops.dequantize_per_tensor(s.filters, 0.02, 0, -127, 127, torch.int8))), y

    arguments = (torch.randn(IMAGE),)
    result, lowered, said, left = delegation(torch.export.export(Net(padded, []).eval(), arguments, strict=True))
    assert said == left == {'conv2d'}
    assert numbers(lowered, arguments) is None
    assert result.outcome.kind == report_pb2.Outcome.FAILS
    assert result.findings[result.outcome.cause].location.node == 'pad'


def computed(program, arguments):
    """What the program computes; None: it is not written, or does not load."""
    pytest.importorskip('executorch.kernels.quantized')  # for the Quantize nodes that stay outside
    try:
        return numbers(lower(program), arguments)
    except ValueError:
        return None


@pytest.mark.parametrize('name', WIDE)
def test_tensors_of_int32(name):
    shapes, function, right = WIDE[name]
    torch.manual_seed(0)
    net = Net(function, []).eval()
    arguments = tuple(torch.randn(shape) for shape in shapes)
    program = torch.export.export(net, arguments, strict=True)
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    outputs = computed(program, arguments)
    assert right == (outputs is not None and torch.allclose(outputs[0], net(*arguments), atol=0.11))
    assert right == (result.verdict != report_pb2.Result.REJECTED)
    assert outputs is not None or result.outcome.kind == report_pb2.Outcome.FAILS


@pytest.mark.parametrize('name', ENDED)
def test_what_ends_the_export(name):
    shapes, function, *modules = ENDED[name]
    program = torch.export.export(Net(function, modules).eval(), tuple(torch.randn(shape) for shape in shapes),
                                  strict=True)
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    assert result.outcome.kind == report_pb2.Outcome.FAILS
    with pytest.raises(Exception):  # of a kind of each pass's own
        lower(program)


@pytest.mark.parametrize('name', DYNAMIC)
def test_sizes_that_are_not_known(name):
    shapes, function = DYNAMIC[name]
    sizes = tuple({0: torch.export.Dim('batch', min=2, max=64)} for _ in shapes)
    program = torch.export.export(Net(function, []).eval(), tuple(torch.randn(shape) for shape in shapes),
                                  dynamic_shapes={'arguments': sizes})
    _, _, said, left = delegation(program)
    assert said == left


@pytest.mark.parametrize('name', BODIES)
def test_bodies_of_control_flow(name):
    shapes, function = BODIES[name]
    net = Net(lambda s, x: torch.cond(x.sum() > 0, lambda x: function(s, x), lambda x: x * 2.0, (x,)), []).eval()
    program = torch.export.export(net, tuple(torch.randn(shape) for shape in shapes), strict=True)
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    try:
        lower(program)
        raised = ''
    except RuntimeError as error:
        raised = str(error)
    assert ('was not decomposed or delegated' in raised) == bool(raised)
    assert (result.outcome.kind == report_pb2.Outcome.FAILS) == bool(raised)
    assert ('CV603' in {finding.code for finding in result.findings}) == bool(raised)
