"""Writes N records of random calls of single operators with what the vendor's library computes, executed on x86-64:
numerics_cases.py N SEED. The form of records is that of tests/rules/simulator/record.h, the oracle's name `qnn_htp`.

Operators are drawn equally often; the processor's version changes with the number of the case. What the library refuses
is drawn again. It runs in a process of its own, which is started again behind a case that ends it."""
import os
import pathlib
import resource
import signal
import subprocess
import sys
from collections import Counter

import numpy

from library import Library, Refused, Value

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'runtimes' / 'kernels'))
import record  # noqa: E402

ARCHS = [73, 75, 79, 81]  # they agree; 68 and 69 compute otherwise
ATTEMPTS = 12
# Some cases make the library run on and on, and take all memory.
SECONDS = 4
MEMORY = 6 << 30


def limits(dtype):
    info = numpy.iinfo(dtype)
    return info.min, info.max


class Draw:
    def __init__(self, seed):
        self.rng = numpy.random.default_rng(seed)
        self.dtype = self.pick('uint8', 'uint8', 'uint8', 'int8', 'uint16', 'uint16', 'int16')

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def chance(self, share):
        return bool(self.rng.random() < share)

    def numbers(self, shape, dtype=None, bell=False):
        """The whole range, its ends, or a bell in the middle; `bell`: of 16 bits nothing else."""
        low, high = limits(dtype or self.dtype)
        kind = self.integer(0, 5)
        if bell and '16' in (dtype or self.dtype):
            kind = 1
        if kind == 0:
            return self.rng.choice([low, high], shape).astype(dtype or self.dtype)
        if kind == 1:
            bell = self.rng.normal((low + high + 1) / 2, (high - low) / 8, shape)
            return numpy.clip(bell, low, high).astype(dtype or self.dtype)
        return self.rng.integers(low, high + 1, shape).astype(dtype or self.dtype)

    def zero(self, dtype=None):
        low, high = limits(dtype or self.dtype)
        middle = (low + high + 1) // 2
        return self.pick(middle, middle, low, high, self.integer(low, high), self.integer(low, high))

    def scale(self, reach, dtype=None):
        """About 2 * reach over the type; one in five is a power of two, whose ratios make ties."""
        low, high = limits(dtype or self.dtype)
        exact = max(reach, 1e-9) * 2 * self.rng.uniform(0.6, 1.7) / (high - low)
        return numpy.float32(2.0 ** round(numpy.log2(exact)) if self.chance(0.2) else exact)

    def activation(self, shape, reach=None, dtype=None, bell=False):
        dtype = dtype or self.dtype
        reach = reach or 2.0 ** self.rng.uniform(-4, 4)
        return Value(self.numbers(shape, dtype, bell), self.scale(reach, dtype), self.zero(dtype))

    def output(self, shape, reach, dtype=None):
        dtype = dtype or self.dtype
        return Value(numpy.zeros(shape, dtype), self.scale(reach, dtype), self.zero(dtype))

    def like(self, shape, value):
        """An output with the parameters of an input."""
        return Value(numpy.zeros(shape, value.data.dtype), value.scale, value.zero)

    def shape(self, rank=None):
        rank = rank or self.integer(1, 4)
        return [1] * (rank - 3) + [self.integer(1, 8) for _ in range(min(rank - 1, 2))] + [self.integer(1, 40)]

    def weight(self, shape, axis, per_channel=True, dtype=None):
        """Symmetric; `axis` as the library has it."""
        dtype = dtype or ('int16' if '16' in self.dtype and self.chance(0.3) else 'int8')
        low, high = limits(dtype)
        data = numpy.clip(self.numbers(shape, dtype, bell=True), -high, high).astype(dtype)
        base = (0.5 if dtype == 'int8' else 0.5 / 256) / 64
        if per_channel and self.chance(0.6):
            scales = [numpy.float32(base * 2.0 ** self.rng.uniform(-2, 2)) for _ in range(shape[axis])]
            return Value(data, scales, [0] * len(scales), axis, static=True)
        return Value(data, numpy.float32(base * 2.0 ** self.rng.uniform(-2, 2)), 0, static=True)

    def bias(self, x, w, channels):
        """Its scale is the product of the scales; with scales per channel the library wants none."""
        data = self.rng.integers(-2 ** 13, 2 ** 13, channels).astype(numpy.int32)
        if w.axis is not None:
            return Value(data, 0.0, 0, static=True)
        return Value(data, numpy.float32(x.scale) * numpy.float32(w.scale), 0, static=True)


class Call:
    """An operator as the library has it (qnn, inputs, params, outputs) and as a record (op, attrs, recorded inputs)."""

    def __init__(self, op, attrs, qnn, inputs, params, output, recorded=None, more_outputs=(), index=0):
        self.op, self.attrs, self.qnn, self.params = op, attrs, qnn, params
        self.inputs, self.outputs, self.index = inputs, [output, *more_outputs], index
        self.recorded = recorded or [recorded_value(v) for v in inputs]


def recorded_value(value, data=None, axis=None):
    """A plain integer tensor has no quantization; a bias counts in the product's scale."""
    data = value.data if data is None else data
    if value.scale is None or value.dtype == 'int32':
        return record.value(data)
    return record.value(data, record.quantization(value.scale, value.zero, value.axis if axis is None else axis))


def u32(*numbers):
    return numpy.uint32(numbers)


def of_products(x, w, depth):
    return float(x.scale) * float(numpy.mean(w.scale)) * 2 ** (8 * x.data.itemsize - 1) * limits(w.dtype)[1] * depth ** 0.5 / 3


def window(draw, largest=3):
    kernel = [draw.integer(1, largest), draw.integer(1, largest)]
    stride = [draw.pick(1, 1, 2, 3), draw.pick(1, 1, 2, 3)]
    pads = [[draw.integer(0, k - 1), draw.integer(0, k - 1)] for k in kernel]
    return kernel, stride, pads


def onnx_pads(pads):
    return [p[0] for p in pads] + [p[1] for p in pads]


def conv(draw, depthwise=False):
    kernel, stride, pads = window(draw)
    dilation = [1, 1] if depthwise or draw.chance(0.7) else [2, 2]
    group = 1 if depthwise or draw.chance(0.8) else 2
    into = group * draw.integer(1, 20)
    out = into if depthwise else group * draw.integer(1, 16)
    size = [draw.integer((k - 1) * d + 1, 9) for k, d in zip(kernel, dilation)]
    x = draw.activation([draw.pick(1, 1, 2), *size, into], bell=True)
    plain = group == 1 and dilation == [1, 1] and kernel != [1, 1]  # others come out wrong with 16-bit weights (README)
    w = draw.weight([*kernel, 1 if depthwise else into // group, out], 3, dtype=None if plain else 'int8')
    reached = [(s + sum(p) - (k - 1) * d - 1) // t + 1 for s, p, k, d, t in zip(size, pads, kernel, dilation, stride)]
    y = draw.output([x.data.shape[0], *reached, out], of_products(x, w, w.data[..., 0].size))
    params = {'stride': u32(*stride), 'pad_amount': numpy.uint32(pads), 'dilation': u32(*dilation)}
    attrs = dict(strides=stride, pads=onnx_pads(pads), dilations=dilation)
    inputs = [x, w] + ([draw.bias(x, w, out)] if draw.chance(0.6) else [])
    # (1, h, w, out), or (out, h, w, in / group)
    data, axis = (w.data.transpose(2, 0, 1, 3), 3) if depthwise else (w.data.transpose(3, 0, 1, 2), 0)
    if not depthwise:
        params['group'], attrs['group'] = ('uint32', group), group
    recorded = [recorded_value(x), recorded_value(w, data, axis if w.axis is not None else None),
                *[recorded_value(b) for b in inputs[2:]]]
    return Call('depthwise' if depthwise else 'conv', attrs, 'DepthWiseConv2d' if depthwise else 'Conv2d', inputs, params, y,
                recorded)


def depthwise(draw):
    return conv(draw, True)


def transposed(draw):
    kernel, stride, pads = window(draw, 4)
    into, out = draw.integer(1, 16), draw.integer(1, 12)
    size = [draw.integer(2, 6), draw.integer(2, 6)]
    x = draw.activation([1, *size, into], bell=True)
    w = draw.weight([*kernel, into, out], 3)
    reached = [t * (s - 1) + k - sum(p) for s, k, t, p in zip(size, kernel, stride, pads)]
    y = draw.output([1, *[max(r, 1) for r in reached], out], of_products(x, w, into * 2))
    inputs = [x, w] + ([draw.bias(x, w, out)] if draw.chance(0.5) else [])
    recorded = [recorded_value(x), recorded_value(w, w.data.transpose(3, 0, 1, 2), 0 if w.axis is not None else None),
                *[recorded_value(b) for b in inputs[2:]]]
    return Call('transpose_conv2d', dict(strides=stride, pads=onnx_pads(pads)), 'TransposeConv2d', inputs,
                {'stride': u32(*stride), 'pad_amount': numpy.uint32(pads)}, y, recorded)


def fully_connected(draw):
    depth, out = draw.integer(1, 100), draw.integer(1, 24)
    x = draw.activation([draw.integer(1, 6), depth], bell=True)
    w = draw.weight([out, depth], 0)
    y = draw.output([x.data.shape[0], out], of_products(x, w, depth))
    return Call('fully_connected', {}, 'FullyConnected', [x, w] + ([draw.bias(x, w, out)] if draw.chance(0.6) else []), {}, y)


def matmul(draw):
    rows, depth, columns = draw.integer(1, 8), draw.integer(1, 80), draw.integer(1, 16)
    batch = [draw.integer(1, 3) for _ in range(draw.integer(0, 2))]
    a = draw.activation([*batch, rows, depth], bell=True)
    if draw.chance(0.5):
        b = draw.weight([*batch, depth, columns], len(batch) + 1)
    else:
        b = draw.activation([*batch, depth, columns], bell=True)
    y = draw.output([*batch, rows, columns], of_products(a, b, depth))
    return Call('matmul', {}, 'MatMul', [a, b], {'transpose_in0': ('bool', 0), 'transpose_in1': ('bool', 0)}, y)


def binary(op, qnn, reach):
    def drawn(draw):
        shape = draw.shape()
        other = [1 if draw.chance(0.15) else d for d in shape]
        a = draw.activation(shape)
        ra = float(a.scale) * 2 ** (8 * a.data.itemsize - 1)
        b = draw.activation(other, ra * 2.0 ** draw.rng.uniform(-2, 2))
        if op == 'div':  # not by zero
            b.data[b.data == b.zero] = b.zero + 1 if b.zero < limits(b.dtype)[1] else b.zero - 1
        rb = float(b.scale) * 2 ** (8 * a.data.itemsize - 1)
        y = draw.output(shape, reach(ra, rb))
        return Call(op, {}, qnn, [a, b], {}, y)
    return drawn


def prelu(draw):
    shape = draw.shape(4)
    x = draw.activation(shape)
    slope = draw.activation([shape[-1]], 0.3)
    slope.static = True
    y = draw.output(shape, float(x.scale) * 2 ** (8 * x.data.itemsize - 1))
    if '16' in draw.dtype:  # what exceeds the range often comes out lowest (README)
        y.scale, y.zero = numpy.float32(x.scale * draw.rng.uniform(2.5, 4)), sum(limits(y.dtype)) // 2 + 1
    return Call('prelu', {}, 'Prelu', [x, slope], {}, y)


def unary(op, qnn, reach_in, reach_out=None, params=None, attrs=None):
    """reach_in None: anything; reach_out None: that of the input."""
    def drawn(draw):
        shape = draw.shape()
        x = draw.activation(shape, reach_in and reach_in * 2.0 ** draw.rng.uniform(-2, 1))
        if op in ('sqrt', 'rsqrt', 'log') and '16' in draw.dtype:  # not of negative numbers
            x.zero = limits(draw.dtype)[0]
        reach = reach_out or float(x.scale) * 2 ** (8 * x.data.itemsize - 1)
        y = draw.output(shape, reach)
        if op == 'log' and '16' in draw.dtype:  # the whole output range is 4 at least (README)
            y.scale = numpy.float32(draw.rng.uniform(5, 12) / 65535)
        if params and 'min_value' in params:
            low, high = -reach * draw.rng.uniform(0, 1), reach * draw.rng.uniform(0, 1)
            low, high = float(numpy.float32(low)), float(numpy.float32(high))
            return Call(op, {'min': low, 'max': high}, qnn, [x], {'min_value': ('float32', low), 'max_value': ('float32', high)}, y)
        return Call(op, dict(attrs or {}), qnn, [x], dict(params or {}), y)
    return drawn


def softmax(op, qnn):
    def drawn(draw):
        shape = draw.shape(draw.integer(1, 4))
        x = draw.activation(shape, 2.0 ** draw.rng.uniform(-1, 4))
        low, high = limits(x.dtype)
        if op == 'softmax':
            y = Value(numpy.zeros(shape, x.dtype), numpy.float32(1 / (high - low + draw.pick(0, 1))), low)
        else:
            y = draw.output(shape, float(x.scale) * (high - low))
            y.zero = high
        axis = len(shape) - 1
        if op == 'log_softmax' and shape[axis] == 1:  # always 0, and anything comes out
            return drawn(draw)
        return Call(op, {'axis': axis}, qnn, [x], {'axis': ('uint32', axis), 'beta': ('float32', 1.0)}, y)
    return drawn


def pool(op, qnn):
    def drawn(draw):
        kernel, stride, pads = window(draw)
        size = [draw.integer(3, 9), draw.integer(3, 9)]
        if draw.chance(0.3):  # all of it
            kernel, stride, pads = size, [1, 1], [[0, 0], [0, 0]]
        x = draw.activation([draw.pick(1, 1, 2), *size, draw.integer(1, 20)])
        reached = [(s + sum(p) - k) // t + 1 for s, p, k, t in zip(size, pads, kernel, stride)]
        shape = [x.data.shape[0], *reached, x.data.shape[3]]
        y = draw.like(shape, x) if draw.chance(0.5) else draw.output(shape, float(x.scale) * 2 ** (8 * x.data.itemsize - 1))
        attrs = dict(kernel_shape=kernel, strides=stride, pads=onnx_pads(pads))
        params = {'filter_size': u32(*kernel), 'stride': u32(*stride), 'pad_amount': numpy.uint32(pads)}
        if op == 'avg_pool2d':
            # Padding that counts, with a stride, and padding of one side come out wrong (README).
            if any(p[0] != p[1] for p in pads) or (any(map(any, pads)) and max(stride) > 1):
                return drawn(draw)
            attrs['count_include_pad'] = draw.integer(0, 1)
            params['count_pad_for_edges'] = ('bool', attrs['count_include_pad'])
        return Call(op, attrs, qnn, [x], params, y)
    return drawn


def reduced(op, qnn):
    def drawn(draw):
        shape = draw.shape(draw.integer(2, 4))
        axes = sorted(int(a) for a in draw.rng.choice(len(shape), draw.integer(1, len(shape) - 1), replace=False))
        keep = draw.integer(0, 1)
        x = draw.activation(shape)
        left = [1 if d in axes else s for d, s in enumerate(shape) if keep or d not in axes]
        count = numpy.prod([shape[a] for a in axes])
        if min(shape[a] for a in axes) == 1:  # what comes out of ReduceMax and ReduceMin is not from this tensor (README)
            return drawn(draw)
        y = draw.output(left, float(x.scale) * 2 ** (8 * x.data.itemsize - 1) * (float(count) ** 0.6 if op == 'sum' else 0.7))
        return Call(op, {'axes': axes, 'keepdims': keep}, qnn, [x], {'axes': u32(*axes), 'keep_dims': ('bool', keep)}, y)
    return drawn


def norm(op, qnn):
    def drawn(draw):
        shape = draw.shape(4 if op in ('instance_norm', 'group_norm', 'batch_norm') else draw.integer(2, 4))
        groups = 1
        if op == 'group_norm':
            groups = draw.pick(1, 2, 4)
            shape[-1] = groups * draw.integer(1, 8)
        channels = shape[-1]
        x = draw.activation(shape)
        reach = 3.0
        gamma = draw.activation([channels], 1.0, dtype='uint8' if '8' in draw.dtype else draw.pick('uint8', draw.dtype))
        gamma.static = True
        if op == 'batch_norm':
            reach = float(x.scale) * 2 ** (8 * x.data.itemsize - 1)
        beta = Value(draw.rng.integers(-2 ** 12, 2 ** 12, channels).astype(numpy.int32), numpy.float32(reach / 2 ** 13), 0, static=True)
        inputs = [x, gamma, beta] if op != 'rms_norm' or draw.chance(0.5) else [x, gamma]
        epsilon = float(numpy.float32(draw.pick(1e-5, 1e-3)))
        attrs, params = {'epsilon': epsilon}, {'epsilon': ('float32', epsilon)}
        if op in ('layer_norm', 'rms_norm'):
            attrs['axis'] = -1
            params['axes'] = u32(len(shape) - 1)
        elif op == 'group_norm':
            attrs['num_groups'] = groups
            params['group'] = ('uint32', groups)
        elif op == 'batch_norm':
            attrs, params = {}, {}
        recorded = [recorded_value(v) for v in inputs]
        if len(inputs) > 2:  # a number of its own, not one in the product's scale
            recorded[2] = record.value(beta.data, record.quantization(beta.scale, 0))
        return Call(op, attrs, qnn, inputs, params, draw.output(shape, reach), recorded)
    return drawn


def moved(kind):
    def drawn(draw):
        shape = [1, draw.integer(2, 6), draw.integer(2, 6), 4 * draw.integer(1, 6)]
        x = draw.activation(shape)
        other = draw.chance(0.5)

        def out(to):
            return draw.output(to, float(x.scale) * 2 ** (8 * x.data.itemsize - 1)) if other else draw.like(to, x)
        if kind == 'transpose':
            perm = [int(i) for i in draw.rng.permutation(4)]
            return Call(kind, {'perm': perm}, 'Transpose', [x], {'perm': u32(*perm)}, out([shape[p] for p in perm]))
        if kind == 'reshape':
            to = [shape[1], shape[2] * shape[3]]
            return Call(kind, {'shape': to}, 'Reshape', [x], {}, out(to))
        if kind == 'slice':
            begin = [draw.integer(0, s - 1) for s in shape]
            end = [draw.integer(b + 1, s) for b, s in zip(begin, shape)]
            step = [draw.pick(1, 1, 2) for _ in shape]
            ranges = numpy.int32([begin, end, step]).T.copy()
            attrs = {'starts': begin, 'ends': end, 'steps': step}
            return Call(kind, attrs, 'StridedSlice', [x], {'ranges': ranges}, out([-(-(e - b) // t) for b, e, t in zip(begin, end, step)]))
        if kind == 'pad':
            pads = [[0, 0] if d == 0 else [draw.integer(0, 2), draw.integer(0, 2)] for d in range(4)]
            mode = draw.pick('constant', 'reflect', 'edge')
            if mode == 'reflect':
                pads = [[min(p[0], s - 1), min(p[1], s - 1)] for p, s in zip(pads, shape)]
            params = {'scheme': ('uint32', {'constant': 0, 'reflect': 2, 'edge': 3}[mode]), 'pad_amount': numpy.uint32(pads)}
            attrs = {'mode': mode, 'pads': onnx_pads(pads)}
            if mode == 'constant':
                pads[3] = [0, 0]
                params['pad_amount'], attrs['pads'] = numpy.uint32(pads), onnx_pads(pads)
                params['pad_constant_value'] = ('int32', int(x.zero))
            return Call(kind, attrs, 'Pad', [x], params, out([s + sum(p) for s, p in zip(shape, pads)]))
        if kind == 'tile':
            repeats = [1, *[draw.integer(1, 2) for _ in shape[1:]]]
            y = out([s * r for s, r in zip(shape, repeats)])
            y.zero = x.zero
            return Call(kind, {'repeats': repeats}, 'Tile', [x], {'multiples': u32(*repeats)}, y)
        if kind == 'gather':
            axis = draw.integer(0, 3)
            indices = draw.rng.integers(0, shape[axis], [draw.integer(1, 5)]).astype(numpy.int32)
            y = out(shape[:axis] + list(indices.shape) + shape[axis + 1:])
            y.zero = x.zero
            return Call(kind, {'axis': axis}, 'Gather', [x, Value(indices, static=True)], {'axis': ('int32', axis)}, y)
        if kind == 'split':
            axis = draw.integer(1, 3)
            at = draw.integer(1, shape[axis] - 1)
            parts = [[*shape[:axis], size, *shape[axis + 1:]] for size in (at, shape[axis] - at)]
            first = out(parts[0])
            second = Value(numpy.zeros(parts[1], x.dtype), first.scale, first.zero)
            index = draw.integer(0, 1)
            attrs = {'axis': axis, 'sizes': [at, shape[axis] - at], 'num_outputs': 2, 'output_index': index}
            return Call(kind, attrs, 'Split', [x], {'axis': ('uint32', axis), 'split_index': u32(at)}, first, None, [second], index)
        if kind == 'depth_to_space':
            mode = draw.pick('DCR', 'CRD')
            params = {'block_size': u32(2, 2), 'mode': ('uint32', 0 if mode == 'DCR' else 1)}
            y = out([1, 2 * shape[1], 2 * shape[2], shape[3] // 4])
            return Call(kind, {'blocksize': 2, 'mode': mode}, 'DepthToSpace', [x], params, y)
        raise ValueError(kind)
    return drawn


def concat(draw):
    shape = draw.shape(draw.integer(2, 4))
    axis = draw.integer(0, len(shape) - 1)
    parts = []
    for _ in range(draw.integer(2, 4)):
        size = list(shape)
        size[axis] = draw.integer(1, 6)
        parts.append(draw.activation(size, 1.0 * 2.0 ** draw.rng.uniform(-1, 1)))
    total = list(shape)
    total[axis] = sum(p.data.shape[axis] for p in parts)
    if draw.chance(0.3):
        for part in parts:
            part.scale, part.zero = parts[0].scale, parts[0].zero
        y = draw.like(total, parts[0])
    else:
        y = draw.output(total, 1.0)
    return Call('concat', {'axis': axis}, 'Concat', parts, {'axis': ('uint32', axis)}, y)


def top(draw):
    x = draw.activation([draw.integer(1, 4), draw.integer(4, 60)])
    k = draw.integer(1, 4)
    y = draw.like([x.data.shape[0], k], x) if draw.chance(0.6) else draw.output([x.data.shape[0], k], float(x.scale) * 100)
    y.zero = x.zero
    return Call('topk', {'k': k}, 'TopK', [x], {'k': ('uint32', k)}, y, None, [Value(numpy.zeros([x.data.shape[0], k], numpy.uint32))])


def arg(op, qnn):
    def drawn(draw):
        shape = draw.shape(4)
        x = draw.activation(shape)
        axis = draw.integer(1, 3)
        to = [1 if d == axis else s for d, s in enumerate(shape)]
        return Call(op, {'axis': axis, 'keepdims': 1}, qnn, [x], {'axis': ('uint32', axis), 'keep_dims': ('bool', 1)},
                    Value(numpy.zeros(to, numpy.int32)))
    return drawn


def resize(op, qnn):
    def drawn(draw):
        shape = [1, draw.integer(2, 6), draw.integer(2, 6), draw.integer(1, 12)]
        sizes = [draw.integer(2, 12), draw.integer(2, 12)]
        if draw.chance(0.4):
            sizes = [2 * shape[1], 2 * shape[2]]
        mode = draw.pick('asymmetric', 'half_pixel', 'align_corners')
        params = {'align_corners': ('bool', int(mode == 'align_corners')), 'half_pixel_centers': ('bool', int(mode == 'half_pixel'))}
        x = draw.activation(shape)
        y = [1, *sizes, shape[3]]
        other = draw.chance(0.4)
        y = draw.output(y, float(x.scale) * 2 ** (8 * x.data.itemsize - 1)) if other else draw.like(y, x)
        attrs = {'sizes': [1, *sizes, shape[3]], 'coordinate_transformation_mode': mode}
        if op == 'resize_nearest':
            attrs['nearest_mode'] = {'asymmetric': 'floor', 'half_pixel': 'round_prefer_ceil', 'align_corners': 'round_prefer_ceil'}[mode]
        return Call(op, attrs, qnn, [x], params, y)
    return drawn


def where(draw):
    shape = draw.shape()
    condition = Value((draw.rng.random(shape) < 0.5))
    a = draw.activation(shape, 1.0)
    b = draw.activation(shape, 1.0)
    return Call('where', {}, 'ElementWiseSelect', [condition, a, b], {}, draw.output(shape, 1.0))


def quantize(draw):
    shape = draw.shape()
    y = draw.output(shape, 2.0 ** draw.rng.uniform(-3, 3))
    low, high = limits(y.dtype)
    steps = draw.rng.integers(low - 5, high + 6, shape) - y.zero + draw.pick(0, 0.5, 0.25, draw.rng.random(shape))
    return Call('quantize', {}, 'Quantize', [Value((steps * float(y.scale)).astype(numpy.float32))], {}, y)


def dequantize(draw):
    x = draw.activation(draw.shape())
    return Call('dequantize', {}, 'Dequantize', [x], {}, Value(numpy.zeros(x.data.shape, numpy.float32)))


def convert(draw):
    x = draw.activation(draw.shape())
    to = draw.pick('uint8', 'int8', 'uint16', 'int16')
    y = draw.output(x.data.shape, float(x.scale) * 2 ** (8 * x.data.itemsize - 1), to)
    if x.data.itemsize > y.data.itemsize:  # other zero points do not add up (README)
        x.zero, y.zero = sum(limits(x.dtype)) // 2 + 1, sum(limits(to)) // 2 + 1
    return Call('requantize', {}, 'Convert', [x], {}, y)


CALLS = {
    'conv': conv, 'depthwise': depthwise, 'transposed': transposed, 'fully_connected': fully_connected, 'matmul': matmul,
    'add': binary('add', 'ElementWiseAdd', lambda a, b: a + b),
    'sub': binary('sub', 'ElementWiseSubtract', lambda a, b: a + b),
    'mul': binary('mul', 'ElementWiseMultiply', lambda a, b: a * b / 2),
    'div': binary('div', 'ElementWiseDivide', lambda a, b: a / b * 4),
    'maximum': binary('maximum', 'ElementWiseMaximum', lambda a, b: max(a, b)),
    'minimum': binary('minimum', 'ElementWiseMinimum', lambda a, b: max(a, b)),
    'squared_difference': binary('squared_difference', 'ElementWiseSquaredDifference', lambda a, b: (a + b) ** 2 / 2),
    'prelu': prelu,
    'relu': unary('relu', 'Relu', None), 'relu6': unary('relu6', 'Relu6', 6.0, 6.0), 'relu1': unary('relu1', 'Relu1', 2.0, 1.0),
    'clamp': unary('clamp', 'ReluMinMax', None, None, {'min_value': None}),
    'sigmoid': unary('sigmoid', 'Sigmoid', 6.0, 1.0), 'tanh': unary('tanh', 'Tanh', 3.0, 1.0),
    'gelu': unary('gelu', 'Gelu', 4.0), 'hard_swish': unary('hard_swish', 'HardSwish', 4.0),
    'elu': unary('elu', 'Elu', 3.0, None, {'alpha': ('float32', 1.0)}, {'alpha': 1.0}),
    'exp': unary('exp', 'ElementWiseExp', 2.0, 4.0), 'log': unary('log', 'ElementWiseLog', 4.0, 3.0),
    'sqrt': unary('sqrt', 'ElementWiseSquareRoot', 4.0, 2.0), 'rsqrt': unary('rsqrt', 'ElementWiseRsqrt', 4.0, 3.0),
    'abs': unary('abs', 'ElementWiseAbs', None), 'neg': unary('neg', 'ElementWiseNeg', None),
    'floor': unary('floor', 'ElementWiseFloor', 4.0), 'ceil': unary('ceil', 'ElementWiseCeil', 4.0),
    'round': unary('round', 'ElementWiseRound', 4.0), 'sin': unary('sin', 'ElementWiseSin', 3.0, 1.0),
    'cos': unary('cos', 'ElementWiseCos', 3.0, 1.0),
    'softmax': softmax('softmax', 'Softmax'), 'log_softmax': softmax('log_softmax', 'LogSoftmax'),
    'avg_pool2d': pool('avg_pool2d', 'PoolAvg2d'), 'max_pool2d': pool('max_pool2d', 'PoolMax2d'),
    'mean': reduced('mean', 'ReduceMean'), 'sum': reduced('sum', 'ReduceSum'),
    'reduce_max': reduced('reduce_max', 'ReduceMax'), 'reduce_min': reduced('reduce_min', 'ReduceMin'),
    'layer_norm': norm('layer_norm', 'LayerNorm'), 'rms_norm': norm('rms_norm', 'RmsNorm'),
    'instance_norm': norm('instance_norm', 'InstanceNorm'), 'group_norm': norm('group_norm', 'GroupNorm'),
    'batch_norm': norm('batch_norm', 'Batchnorm'),
    'concat': concat, 'topk': top, 'argmax': arg('argmax', 'Argmax'), 'argmin': arg('argmin', 'Argmin'),
    'resize_bilinear': resize('resize_bilinear', 'ResizeBilinear'),
    'resize_nearest': resize('resize_nearest', 'ResizeNearestNeighbor'),
    'where': where, 'quantize': quantize, 'dequantize': dequantize, 'requantize': convert,
    **{kind: moved(kind) for kind in ('transpose', 'reshape', 'slice', 'pad', 'tile', 'gather', 'split', 'depth_to_space')},
}


def answer(library, seed, number, name):
    """The record of case `number`, or the last reason why there is none."""
    reason = ''
    for attempt in range(ATTEMPTS):
        call = CALLS[name](Draw([seed, number, attempt]))
        try:
            results = library.run(call.qnn, call.inputs, call.outputs, call.params)
        except Refused as refused:
            reason = str(refused)
            continue
        y = call.outputs[call.index]
        q = None if y.scale is None else record.quantization(y.scale, y.zero)
        return record.line(f'{seed}-{number}', call.op, call.attrs, call.recorded, record.NAMES[y.dtype], q,
                           {'qnn_htp': results[call.index]}), reason
    return None, reason


def work(arch, seed, numbers, names):
    out = os.fdopen(os.dup(1), 'w')
    nothing = os.open(os.devnull, os.O_WRONLY)  # the library prints on both
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    library = Library(arch)
    for number in numbers:
        name = names[number % len(names)]
        print(f'# {number}', file=out, flush=True)
        signal.alarm(SECONDS)
        line, reason = answer(library, seed, number, name)
        print(line if line else f'! {name}: {reason}', file=out, flush=True)
    out.flush()
    os._exit(0)


def main():
    if sys.argv[1] == 'worker':
        arch, seed, first, end = map(int, sys.argv[2:6])
        work(arch, seed, range(first, end), sys.argv[6].split(','))
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    names = sys.argv[3].split(',') if len(sys.argv) > 3 else list(CALLS)
    missing, written = Counter(), 0
    for i, arch in enumerate(ARCHS):
        first, end = count * i // len(ARCHS), count * (i + 1) // len(ARCHS)
        while first < end:
            last = first
            worker = subprocess.Popen([sys.executable, __file__, 'worker', str(arch), str(seed), str(first), str(end),
                                       ','.join(names)], stdout=subprocess.PIPE, text=True)
            for line in worker.stdout:
                if line.startswith('# '):
                    last = int(line[2:])
                elif line.startswith('! '):
                    missing[line[2:].strip()] += 1
                else:
                    written += 1
                    sys.stdout.write(line)
            if worker.wait() == 0:
                break
            missing[f'{names[last % len(names)]}: the library died ({worker.returncode})'] += 1
            first = last + 1
    for reason, times in sorted(missing.items()):
        print(f'no answer for {times} of {reason}', file=sys.stderr)
    print(f'{written} of {count} cases answered', file=sys.stderr)
    sys.exit(0 if written * 20 >= count * 19 else 1)


if __name__ == '__main__':
    main()
