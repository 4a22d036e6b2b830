"""Writes N records of random operator calls with what LiteRT computes, its three kinds of kernels each:
litert_cases.py N SEED."""
import os
import pathlib
import sys

import numpy
from ai_edge_litert import interpreter as litert

import record

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'litert'))
from model import Case, Tensor, write  # noqa: E402

ORACLES = {'litert_ref': litert.OpResolverType.BUILTIN_REF,
           'litert_opt': litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
           'litert_xnnpack': litert.OpResolverType.AUTO}
DTYPE = {'INT8': numpy.int8, 'UINT8': numpy.uint8, 'INT16': numpy.int16, 'INT32': numpy.int32, 'INT64': numpy.int64,
         'FLOAT32': numpy.float32, 'INT4': numpy.int8}
QDTYPE = {'INT8': 's8', 'UINT8': 'u8', 'INT16': 's16', 'INT32': 's32', 'INT64': 's64', 'FLOAT32': 'f32', 'INT4': 's4'}
RANGE = {'INT8': (-128, 127), 'UINT8': (0, 255), 'INT16': (-32768, 32767), 'INT4': (-8, 7)}
NONE, RELU, RELU_N1_TO_1, RELU6 = 0, 1, 2, 3
ACTIVATION = {NONE: 'none', RELU: 'relu', RELU_N1_TO_1: 'relu_n1_to_1', RELU6: 'relu6'}


class Draw:
    def __init__(self, seed):
        self.rng = numpy.random.default_rng(seed)

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def scale(self, low, high):
        """Some are powers of two, whose ratios make ties."""
        if self.rng.random() < 0.2:
            return float(2.0 ** self.integer(int(low), int(high)))
        return float(numpy.float32(2.0 ** self.rng.uniform(low, high)))

    def zero(self, type):
        if type in ('INT16', 'INT4'):
            return 0
        low, high = RANGE[type]
        return self.pick(0 if low < 0 else 128, low, high, self.integer(low, high), self.integer(low, high))

    def numbers(self, type, shape):
        low, high = RANGE[type]
        if self.rng.random() < 0.2:
            return self.rng.choice([low, high], shape).astype(DTYPE[type])
        return self.rng.integers(low, high + 1, shape).astype(DTYPE[type])

    def activation(self, type, shape, scale=None):
        base = -12 if type == 'INT16' else -5
        tensor = Tensor(type, tuple(shape), [scale or self.scale(base, base + 4)], [self.zero(type)])
        tensor.numbers = self.numbers(type, shape)
        return tensor

    def weight(self, shape, axis, type='INT8', per_channel=True):
        channels = shape[axis]
        count = channels if per_channel and self.rng.random() < 0.7 else 1
        tensor = Tensor(type, tuple(shape), [self.scale(-9, -4) for _ in range(count)], [0] * count, axis)
        tensor.data = tensor.numbers = numpy.clip(self.numbers(type, shape), -127, 127).astype(DTYPE[type])
        return tensor

    def output(self, type, shape, reach):
        low, high = RANGE[type]
        scale = float(numpy.float32(max(reach, 1e-7) * self.rng.uniform(0.3, 2.0) / (high - low)))
        return Tensor(type, tuple(shape), [scale], [self.zero(type)])

    def bias(self, x, w, channels):
        type = 'INT64' if x.type == 'INT16' else 'INT32'
        scales = [float(numpy.float32(numpy.float32(x.scales[0]) * numpy.float32(s))) for s in w.scales]
        tensor = Tensor(type, (channels,), scales, [0] * len(scales), 0)
        tensor.data = tensor.numbers = self.rng.integers(-2**13, 2**13, channels).astype(DTYPE[type])
        return tensor


def reach(x, w, depth):
    half = 2**15 if x.type == 'INT16' else 2**7
    return x.scales[0] * numpy.mean(w.scales) * half * 70 * max(depth, 1) ** 0.5


def window(draw, size, kernel, stride, dilation, same):
    extent = (kernel - 1) * dilation + 1
    return -(-size // stride) if same else (size - extent) // stride + 1


def conv(draw):
    type = draw.pick('INT8', 'INT8', 'INT16')
    depthwise = draw.rng.random() < 0.35
    channels = draw.integer(1, 9)
    out = channels * draw.pick(1, 1, 1, 2) if depthwise else draw.integer(1, 9)
    kernel = [draw.integer(1, 3), draw.integer(1, 3)]
    strides = [draw.pick(1, 1, 2), draw.pick(1, 1, 2)]
    if depthwise:
        strides[1] = strides[0]
    dilations = [draw.pick(1, 1, 2)] * 2 if strides == [1, 1] else [1, 1]
    same = draw.rng.random() < 0.5
    size = [draw.integer((k - 1) * d + 1, 9) for k, d in zip(kernel, dilations)]
    x = draw.activation(type, [draw.integer(1, 2), *size, channels])
    shape = [1, *kernel, out] if depthwise else [out, *kernel, channels]
    w = draw.weight(shape, 3 if depthwise else 0)
    bias = draw.bias(x, w, out)
    spatial = [window(draw, *v, same) for v in zip(size, kernel, strides, dilations)]
    depth = kernel[0] * kernel[1] * (1 if depthwise else channels)
    y = draw.output(type, [x.shape[0], *spatial, out], reach(x, w, depth))
    act = draw.pick(NONE, NONE, RELU, RELU6, RELU_N1_TO_1)
    fields = {'padding': 0 if same else 1, 'strideH': strides[0], 'strideW': strides[1], 'dilationHFactor': dilations[0],
              'dilationWFactor': dilations[1], 'fusedActivationFunction': act}
    if depthwise:
        fields['depthMultiplier'] = out // channels
    case = Case('DEPTHWISE_CONV_2D' if depthwise else 'CONV_2D', [x, w, bias], [y],
                ('DepthwiseConv2DOptions' if depthwise else 'Conv2DOptions', fields), 6)
    attrs = {'strides': strides, 'dilations': dilations, 'auto_pad': 'SAME_UPPER' if same else 'VALID',
             'activation': ACTIVATION[act], 'group': 1}
    return 'depthwise' if depthwise else 'conv', attrs, case


def transpose_conv(draw):
    type = draw.pick('INT8', 'INT8', 'INT16')
    channels, out = draw.integer(1, 6), draw.integer(1, 6)
    kernel = [draw.integer(1, 3), draw.integer(1, 3)]
    stride = draw.integer(1, 2)
    same = draw.rng.random() < 0.5
    size = [draw.integer(1, 5), draw.integer(1, 5)]
    full = [s * stride if same else (s - 1) * stride + k for s, k in zip(size, kernel)]
    x = draw.activation(type, [1, *size, channels])
    w = draw.weight([out, *kernel, channels], 0)
    y = draw.output(type, [1, *full, out], reach(x, w, channels * kernel[0] * kernel[1] / stride**2))
    shape = Tensor('INT32', (4,), data=numpy.int32([1, *full, out]))
    shape.own = True
    bias = draw.bias(x, w, out)
    case = Case('TRANSPOSE_CONV', [shape, w, x, bias], [y],
                ('TransposeConvOptions', {'padding': 0 if same else 1, 'strideH': stride, 'strideW': stride}), 3)
    case.order = [x, w, bias]
    return 'transpose_conv2d', {'strides': [stride] * 2, 'auto_pad': 'SAME_UPPER' if same else 'VALID',
                                'output_shape': full}, case


def fully_connected(draw):
    type = draw.pick('INT8', 'INT8', 'INT16')
    rows, depth, columns = draw.integer(1, 7), draw.integer(1, 80), draw.integer(1, 9)
    x = draw.activation(type, [rows, depth])
    w = draw.weight([columns, depth], 0, per_channel=draw.rng.random() < 0.5)
    bias = draw.bias(x, w, columns)
    y = draw.output(type, [rows, columns], reach(x, w, depth))
    act = draw.pick(NONE, NONE, RELU, RELU6)
    case = Case('FULLY_CONNECTED', [x, w, bias], [y], ('FullyConnectedOptions', {'fusedActivationFunction': act}), 9)
    return 'fully_connected', {'activation': ACTIVATION[act]}, case


def batch_matmul(draw):
    type = draw.pick('INT8', 'INT8', 'INT16')
    batch, rows, depth, columns = draw.integer(1, 3), draw.integer(1, 6), draw.integer(1, 40), draw.integer(1, 6)
    swap = draw.rng.random() < 0.3
    a = draw.activation(type, [batch, rows, depth])
    b = draw.activation(type, [batch, columns, depth] if swap else [batch, depth, columns])
    y = draw.output(type, [batch, rows, columns], reach(a, b, depth) * (400 if type == 'INT16' else 1))
    case = Case('BATCH_MATMUL', [a, b], [y], ('BatchMatMulOptions', {'adjX': False, 'adjY': swap}), 4)
    return 'batch_matmul', {'transB': int(swap)}, case


def binary(draw):
    op = draw.pick('ADD', 'ADD', 'SUB', 'MUL', 'MUL', 'DIV', 'SQUARED_DIFFERENCE', 'MAXIMUM', 'MINIMUM', 'PRELU')
    type = 'INT8' if op == 'SQUARED_DIFFERENCE' else draw.pick('INT8', 'UINT8', 'INT16') if op != 'DIV' else draw.pick('INT8', 'UINT8')
    if op == 'PRELU':
        type = draw.pick('INT8', 'UINT8')
    shape = [draw.integer(1, 5) for _ in range(draw.integer(1, 4))] if draw.rng.random() < 0.6 else [1, draw.integer(1, 500)]
    other = [1 if draw.rng.random() < 0.2 else d for d in shape]
    if op == 'PRELU':
        shape = [1, *shape[:3]] if len(shape) < 4 else shape
        other = [*[1] * (len(shape) - 1), shape[-1]][1:]
    a, b = draw.activation(type, shape), draw.activation(type, other)
    half = 2**15 if type == 'INT16' else 2**7
    span = {'ADD': (a.scales[0] + b.scales[0]) * half, 'SUB': (a.scales[0] + b.scales[0]) * half,
            'MUL': a.scales[0] * b.scales[0] * half * half, 'DIV': a.scales[0] / b.scales[0] * 4,
            'SQUARED_DIFFERENCE': ((a.scales[0] + b.scales[0]) * half) ** 2,
            'PRELU': a.scales[0] * half * 2}.get(op, 1)
    y = draw.output(type, shape, span)
    if op in ('MAXIMUM', 'MINIMUM'):
        b.scales, b.zero_points, y.scales, y.zero_points = a.scales, a.zero_points, a.scales, a.zero_points
    if op == 'DIV':
        b.numbers[b.numbers == b.zero_points[0]] = RANGE[type][0 if b.zero_points[0] > 0 else 1]
    act = draw.pick(NONE, NONE, RELU, RELU6) if op in ('ADD', 'SUB', 'MUL', 'DIV') else NONE
    options = {'ADD': 'AddOptions', 'SUB': 'SubOptions', 'MUL': 'MulOptions', 'DIV': 'DivOptions',
               'SQUARED_DIFFERENCE': 'SquaredDifferenceOptions', 'MAXIMUM': 'MaximumMinimumOptions',
               'MINIMUM': 'MaximumMinimumOptions'}.get(op)
    fields = {'fusedActivationFunction': act} if op in ('ADD', 'SUB', 'MUL', 'DIV') else {}
    if op in ('ADD', 'SUB'):
        fields['potScaleInt16'] = False
    case = Case(op, [a, b], [y], options and (options, fields), 3)
    return {'PRELU': 'prelu'}.get(op, op.lower()), {'activation': ACTIVATION[act]}, case


def unary(draw):
    op = draw.pick('LOGISTIC', 'TANH', 'RELU', 'RELU6', 'LEAKY_RELU', 'GELU', 'EXP', 'ABS', 'ELU', 'QUANTIZE', 'SOFTMAX',
                   'NEG', 'LOG', 'HARD_SWISH', 'SQRT')
    type = draw.pick('INT8', 'UINT8', 'INT16')
    if op in ('EXP', 'ABS', 'LOG', 'NEG', 'SQRT'):
        type = draw.pick('INT8', 'INT16')
    if op == 'ELU':
        type = 'INT8'
    if op == 'HARD_SWISH':
        type = draw.pick('INT8', 'UINT8')
    shape = [draw.integer(1, 3), draw.integer(1, 40 if op == 'SOFTMAX' else 300)]
    x = draw.activation(type, shape, draw.scale(-15, -11) if type == 'INT16' else draw.scale(-7, -3))
    half = 2**15 if type == 'INT16' else 2**7
    changed = {'INT8': 'UINT8', 'UINT8': 'INT8'}.get(type, type) if op == 'QUANTIZE' and draw.rng.random() < 0.3 else type
    y = draw.output(changed, shape, (x.scales[0] * half * 2) ** (0.5 if op == 'SQRT' else 1))
    if op == 'SQRT':
        x.numbers = numpy.maximum(x.numbers, x.zero_points[0]).astype(x.numbers.dtype)
    low = RANGE[type][0]
    fixed = {'LOGISTIC': 2.0**-15 if type == 'INT16' else 1 / 256, 'SOFTMAX': 2.0**-15 if type == 'INT16' else 1 / 256,
             'TANH': 2.0**-15 if type == 'INT16' else 1 / 128}
    if op in fixed:
        y.scales = [fixed[op]]
        y.zero_points = [0 if type == 'INT16' else (low + 128 if op == 'TANH' else low)]
    options, fields, attrs = {'GELU': ('GeluOptions', {'approximate': False}), 'LEAKY_RELU': ('LeakyReluOptions', {'alpha': 0.0}),
                              'SOFTMAX': ('SoftmaxOptions', {'beta': 1.0})}.get(op, (None, {})) + ({},)
    if op == 'LEAKY_RELU':
        alpha = float(numpy.float32(draw.rng.uniform(0.01, 0.6)))
        fields, attrs = {'alpha': alpha}, {'alpha': alpha}
    if op == 'ABS' and draw.rng.random() < 0.5:
        y.scales = x.scales
    if op == 'NEG':
        y.scales, y.zero_points = x.scales, x.zero_points
    name = {'LOGISTIC': 'sigmoid', 'QUANTIZE': 'requantize'}.get(op, op.lower())
    case = Case(op, [x], [y], options and (options, fields), 2 if op != 'QUANTIZE' else 3)
    return name, attrs, case


def pool(draw):
    type = draw.pick('INT8', 'UINT8', 'INT16')
    op = draw.pick('AVERAGE_POOL_2D', 'MAX_POOL_2D')
    kernel = [draw.integer(1, 3), draw.integer(1, 3)]
    strides = [draw.integer(1, 3), draw.integer(1, 3)]
    same = draw.rng.random() < 0.5
    size = [draw.integer(k, 9) for k in kernel]
    x = draw.activation(type, [draw.integer(1, 2), *size, draw.integer(1, 20)])
    y = Tensor(type, (x.shape[0], *[window(draw, s, k, st, 1, same) for s, k, st in zip(size, kernel, strides)], x.shape[3]),
               x.scales, x.zero_points)
    act = draw.pick(NONE, NONE, RELU, RELU6)
    case = Case(op, [x], [y], ('Pool2DOptions', {'padding': 0 if same else 1, 'strideH': strides[0], 'strideW': strides[1],
                                                 'filterHeight': kernel[0], 'filterWidth': kernel[1],
                                                 'fusedActivationFunction': act}), 3)
    return 'avg_pool2d' if op[0] == 'A' else 'max_pool2d', {
        'kernel_shape': kernel, 'strides': strides, 'auto_pad': 'SAME_UPPER' if same else 'VALID',
        'activation': ACTIVATION[act]}, case


def reduce(draw):
    type = draw.pick('INT8', 'UINT8', 'INT16')
    op = draw.pick('MEAN', 'MEAN', 'REDUCE_MAX', 'REDUCE_MIN', 'SUM')
    rank = draw.pick(2, 3, 4, 4)
    shape = [draw.integer(1, 7) for _ in range(rank)]
    axes = [1, 2] if rank == 4 and draw.rng.random() < 0.5 else sorted(
        int(a) for a in draw.rng.choice(rank, draw.integer(1, rank), replace=False))
    keep = draw.rng.random() < 0.6
    x = draw.activation(type, shape)
    out = [1 if d in axes else s for d, s in enumerate(shape) if keep or d not in axes]
    count = numpy.prod([shape[a] for a in axes])
    half = 2**15 if type == 'INT16' else 2**7
    y = draw.output(type, out, x.scales[0] * half * (count ** 0.5 if op == 'SUM' else 1))
    if op.startswith('REDUCE'):
        y.scales, y.zero_points = x.scales, x.zero_points
    own = Tensor('INT32', (len(axes),), data=numpy.int32(axes))
    own.own = True
    case = Case(op, [x, own], [y], ('ReducerOptions', {'keepDims': keep}), 3)
    return op.lower(), {'axes': axes, 'keepdims': int(keep)}, case


def resize(draw):
    type = draw.pick('INT8', 'UINT8', 'INT16')
    op = draw.pick('RESIZE_BILINEAR', 'RESIZE_NEAREST_NEIGHBOR')
    x = draw.activation(type, [1, draw.integer(1, 6), draw.integer(1, 6), draw.integer(1, 9)])
    size = [draw.integer(1, 11), draw.integer(1, 11)]
    mode = draw.pick((False, False), (True, False), (False, True))
    y = Tensor(type, (1, *size, x.shape[3]), x.scales, x.zero_points)
    own = Tensor('INT32', (2,), data=numpy.int32(size))
    own.own = True
    options = 'ResizeBilinearOptions' if op == 'RESIZE_BILINEAR' else 'ResizeNearestNeighborOptions'
    case = Case(op, [x, own], [y], (options, {'alignCorners': mode[0], 'halfPixelCenters': mode[1]}), 4)
    return 'resize_bilinear' if op == 'RESIZE_BILINEAR' else 'resize_nearest', {
        'sizes': size, 'align_corners': int(mode[0]), 'half_pixel_centers': int(mode[1])}, case


def concat(draw):
    type = draw.pick('INT8', 'UINT8', 'INT16')
    shape = [draw.integer(1, 5) for _ in range(draw.integer(2, 4))]
    axis = draw.integer(0, len(shape) - 1)
    parts = []
    for _ in range(draw.integer(2, 4)):
        size = list(shape)
        size[axis] = draw.integer(1, 5)
        parts.append(draw.activation(type, size))
    total = list(shape)
    total[axis] = sum(p.shape[axis] for p in parts)
    if type == 'INT8' or draw.rng.random() < 0.5:
        for part in parts:
            part.scales, part.zero_points = parts[0].scales, parts[0].zero_points
        y = Tensor(type, tuple(total), parts[0].scales, parts[0].zero_points)
    else:
        y = draw.output(type, total, max(p.scales[0] for p in parts) * 2 * (2**15 if type == 'INT16' else 2**7))
    case = Case('CONCATENATION', parts, [y], ('ConcatenationOptions', {'axis': axis}), 3)
    return 'concat', {'axis': axis}, case


def quantize(draw):
    type = draw.pick('INT8', 'UINT8', 'INT16')
    y = Tensor(type, (draw.integer(1, 400),), [draw.scale(-10, 1)], [draw.zero(type)])
    low, high = RANGE[type]
    steps = draw.rng.integers(low - 5, high + 6, y.shape) - y.zero_points[0] + draw.pick(0, 0.5, 0.25)
    x = Tensor('FLOAT32', y.shape)
    x.numbers = (steps * numpy.float32(y.scales[0])).astype(numpy.float32)
    return 'quantize', {}, Case('QUANTIZE', [x], [y], ('QuantizeOptions', {}), 3)


CASES = [conv] * 5 + [transpose_conv, fully_connected, fully_connected, batch_matmul, binary, binary, binary, unary, unary,
                      pool, pool, reduce, resize, concat, quantize]


def run(model, inputs, resolver):
    try:
        interpreter = litert.Interpreter(model_content=model, experimental_op_resolver_type=resolver, num_threads=1)
        interpreter.allocate_tensors()
        for detail, numbers in zip(interpreter.get_input_details(), inputs):
            interpreter.set_tensor(detail['index'], numbers)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]['index'])
    except (RuntimeError, ValueError):
        return None  # this kind of kernels refuses it


def q(tensor):
    if tensor.scales is None:
        return None
    return record.quantization(tensor.scales, tensor.zero_points, tensor.axis if len(tensor.scales) > 1 else None)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # LiteRT's own messages
    for number in range(count):
        draw = Draw([seed, number])
        op, attrs, case = CASES[draw.integer(0, len(CASES) - 1)](draw)
        model = write(case)
        fed = [t.numbers for t in case.inputs if t.data is None]
        oracles = {name: run(model, fed, resolver) for name, resolver in ORACLES.items()}
        oracles = {name: array for name, array in oracles.items() if array is not None}
        given = [t for t in getattr(case, 'order', case.inputs) if not hasattr(t, 'own')]
        inputs = [record.value(t.numbers, q(t), QDTYPE[t.type]) for t in given]
        y = case.outputs[0]
        print(record.line(f'{seed}-{number}', op, attrs, inputs, QDTYPE[y.type], q(y), oracles), flush=number % 500 == 0)


if __name__ == '__main__':
    main()
