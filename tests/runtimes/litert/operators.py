"""What each operator computes, in real numbers, and how its arguments look: what single-operator models are made of.

A plan has slots. `data` slots take the types under test; a slot with numbers of its own is a constant that is never
quantized (axes, sizes, positions)."""
import dataclasses
import math

import numpy


@dataclasses.dataclass
class Slot:
    shape: tuple
    role: str = 'data'  # data, weight, bias, index (of a result), or own
    numbers: numpy.ndarray = None
    type: str = 'INT32'


@dataclasses.dataclass
class Plan:
    inputs: list
    outputs: list
    real: callable  # real numbers of all inputs (None where one is left out) -> those of the outputs, a list
    options: tuple = None
    domain: str = 'any'  # of the data: any, positive, small
    weight_axis: int = 0
    version: int = 1


def own(numbers, type='INT32'):
    array = numpy.array(numbers, numpy.int32 if type == 'INT32' else numpy.int64)
    return Slot(array.shape, 'own', array, type)


def shape_of(rng, rank=None, largest=6):
    rank = rank or int(rng.integers(1, 5))
    return tuple(int(size) for size in rng.integers(2, largest, rank))


def unary(function, options=None, domain='any', rank=None):
    def plan(rng):
        shape = shape_of(rng, rank)
        return Plan([Slot(shape)], [Slot(shape)], lambda x: [function(x)], options and (options, {}), domain)
    return plan


def binary(function, options=None, domain='any', activation=False):
    def plan(rng):
        shape = shape_of(rng)
        other = shape if rng.random() < 0.7 else tuple(1 if rng.random() < 0.5 else size for size in shape)
        fields = {}
        kind = int(rng.choice([0, 0, 0, 1, 3])) if activation else 0
        if activation:
            fields['fusedActivationFunction'] = kind
        return Plan([Slot(shape), Slot(other)], [Slot(shape)],
                    lambda a, b: [activated(function(a, b), kind)], options and (options, fields), domain)
    return plan


def activated(x, kind):
    return {0: lambda: x, 1: lambda: numpy.maximum(x, 0), 2: lambda: numpy.clip(x, -1, 1),
            3: lambda: numpy.clip(x, 0, 6)}[kind]()


def erf(x):
    return numpy.vectorize(math.erf, otypes=[float])(x)


def softmax(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_plan(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape)], [Slot(shape)], lambda x: [softmax(x)], ('SoftmaxOptions', {'beta': 1.0}), 'small')


def log_softmax_plan(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape)], [Slot(shape)], lambda x: [numpy.log(softmax(x))], ('LogSoftmaxOptions', {}), 'small')


def leaky_relu(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape)], [Slot(shape)], lambda x: [numpy.where(x < 0, 0.25 * x, x)],
                ('LeakyReluOptions', {'alpha': 0.25}))


def gelu(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape)], [Slot(shape)], lambda x: [x * (1 + erf(x / math.sqrt(2))) / 2],
                ('GeluOptions', {'approximate': False}))


def prelu(rng):
    shape = (1,) + shape_of(rng, 3)
    return Plan([Slot(shape), Slot((1, 1, shape[-1]))], [Slot(shape)],
                lambda x, a: [numpy.where(x < 0, a * x, x)])


def compare(function, options):
    def plan(rng):
        shape = shape_of(rng)
        return Plan([Slot(shape), Slot(shape)], [Slot(shape)],
                    lambda a, b: [function(a, b).astype(float)], (options, {}))
    return plan


# --- what moves data

def reshape(rng):
    shape = shape_of(rng)
    new = (int(numpy.prod(shape)), 1)
    return Plan([Slot(shape), own(new)], [Slot(new)], lambda x, _: [x.reshape(new)],
                ('ReshapeOptions', {'newShape': list(new)}))


def transpose(rng):
    shape = shape_of(rng)
    order = [int(axis) for axis in rng.permutation(len(shape))]
    return Plan([Slot(shape), own(order)], [Slot(tuple(shape[axis] for axis in order))],
                lambda x, _: [x.transpose(order)], ('TransposeOptions', {}))


def squeeze(rng):
    shape = (1,) + shape_of(rng, 2)
    return Plan([Slot(shape)], [Slot(shape[1:])], lambda x: [x[0]], ('SqueezeOptions', {'squeezeDims': [0]}))


def expand_dims(rng):
    shape = shape_of(rng, int(rng.integers(1, 4)))
    return Plan([Slot(shape), own([0])], [Slot((1,) + shape)], lambda x, _: [x[None]], ('ExpandDimsOptions', {}))


def slice_plan(rng):
    shape = shape_of(rng)
    begin = [int(rng.integers(0, size)) for size in shape]
    size = [int(rng.integers(1, size - start + 1)) for size, start in zip(shape, begin)]
    cut = tuple(slice(start, start + length) for start, length in zip(begin, size))
    return Plan([Slot(shape), own(begin), own(size)], [Slot(tuple(size))], lambda x, *_: [x[cut]],
                ('SliceOptions', {}))


def strided_slice(rng):
    shape = shape_of(rng)
    cut = tuple(slice(0, size, 2) for size in shape)
    out = tuple((size + 1) // 2 for size in shape)
    return Plan([Slot(shape), own([0] * len(shape)), own(shape), own([2] * len(shape))], [Slot(out)],
                lambda x, *_: [x[cut]], ('StridedSliceOptions', {}))


def gather(rng):
    shape = shape_of(rng)
    picks = rng.integers(0, shape[0], 3)
    return Plan([Slot(shape), own(picks)], [Slot((3,) + shape[1:])], lambda x, _: [x[picks]],
                ('GatherOptions', {'axis': 0}))


def gather_nd(rng):
    shape = shape_of(rng, int(rng.integers(2, 5)))
    picks = rng.integers(0, shape[0], (3, 1))
    return Plan([Slot(shape), own(picks)], [Slot((3,) + shape[1:])], lambda x, _: [x[picks[:, 0]]],
                ('GatherNdOptions', {}))


def concatenation(rng):
    shape = shape_of(rng)
    axis = int(rng.integers(0, len(shape)))
    count = int(rng.choice([2, 2, 2, 3, 4]))
    out = tuple(size * count if position == axis else size for position, size in enumerate(shape))
    return Plan([Slot(shape)] * count, [Slot(out)], lambda *xs: [numpy.concatenate(xs, axis)],
                ('ConcatenationOptions', {'axis': axis}))


def pack(rng):
    shape = shape_of(rng, int(rng.integers(1, 4)))
    return Plan([Slot(shape)] * 2, [Slot((2,) + shape)], lambda *xs: [numpy.stack(xs)],
                ('PackOptions', {'valuesCount': 2, 'axis': 0}))


def unpack(rng):
    shape = (2,) + shape_of(rng, int(rng.integers(1, 4)))
    return Plan([Slot(shape)], [Slot(shape[1:])] * 2, lambda x: [x[0], x[1]], ('UnpackOptions', {'num': 2, 'axis': 0}))


def split(rng):
    shape = shape_of(rng)
    whole = (shape[0] * 2,) + shape[1:]
    return Plan([own(0), Slot(whole)], [Slot(shape)] * 2, lambda _, x: numpy.split(x, 2), ('SplitOptions', {'numSplits': 2}))


def split_v(rng):
    shape = shape_of(rng)
    whole = (shape[0] * 2,) + shape[1:]
    return Plan([Slot(whole), own([shape[0]] * 2), own(0)], [Slot(shape)] * 2, lambda x, *_: numpy.split(x, 2),
                ('SplitVOptions', {'numSplits': 2}))


def pad(rng):
    shape = shape_of(rng)
    amounts = [[int(n) for n in rng.integers(0, 3, 2)] for _ in shape]
    out = tuple(size + sum(both) for size, both in zip(shape, amounts))
    return Plan([Slot(shape), own(amounts)], [Slot(out)], lambda x, _: [numpy.pad(x, amounts)], ('PadOptions', {}))


def pad_v2(rng):
    shape = shape_of(rng)
    amounts = [[int(n) for n in rng.integers(0, 3, 2)] for _ in shape]
    out = tuple(size + sum(both) for size, both in zip(shape, amounts))
    return Plan([Slot(shape), own(amounts), Slot((1,))], [Slot(out)],
                lambda x, _, v: [numpy.pad(x, amounts, constant_values=v.item())], ('PadV2Options', {}))


def mirror_pad(rng):
    shape = shape_of(rng)
    amounts = [[1, 1] for _ in shape]
    out = tuple(size + 2 for size in shape)
    return Plan([Slot(shape), own(amounts)], [Slot(out)], lambda x, _: [numpy.pad(x, amounts, mode='reflect')],
                ('MirrorPadOptions', {'mode': 0}))


def tile(rng):
    shape = shape_of(rng)
    times = [int(n) for n in rng.integers(1, 3, len(shape))]
    out = tuple(a * b for a, b in zip(shape, times))
    return Plan([Slot(shape), own(times)], [Slot(out)], lambda x, _: [numpy.tile(x, times)], ('TileOptions', {}))


def reverse(rng):
    shape = shape_of(rng)
    axis = int(rng.integers(0, len(shape)))
    return Plan([Slot(shape), own([axis])], [Slot(shape)], lambda x, _: [numpy.flip(x, axis)], ('ReverseV2Options', {}))


def broadcast_to(rng):
    shape = shape_of(rng)
    out = (3,) + shape[1:]
    return Plan([Slot((1,) + shape[1:]), own(out)], [Slot(out)], lambda x, _: [numpy.broadcast_to(x, out)],
                ('BroadcastToOptions', {}), version=2)


def space_to_depth(rng):
    n, h, w, c = 1, 4, 2, int(rng.integers(1, 4))
    def real(x):
        return [x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h // 2, w // 2, 4 * c)]
    return Plan([Slot((n, h, w, c))], [Slot((n, h // 2, w // 2, 4 * c))], real, ('SpaceToDepthOptions', {'blockSize': 2}))


def depth_to_space(rng):
    n, h, w, c = 1, 2, 3, int(rng.integers(1, 4))
    def real(x):
        return [x.reshape(n, h, w, 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, 2 * h, 2 * w, c)]
    return Plan([Slot((n, h, w, 4 * c))], [Slot((n, 2 * h, 2 * w, c))], real, ('DepthToSpaceOptions', {'blockSize': 2}))


def space_to_batch(rng):
    c = int(rng.integers(1, 4))
    def real(x, *_):
        return [x.reshape(1, 2, 2, 2, 2, c).transpose(2, 4, 0, 1, 3, 5).reshape(4, 2, 2, c)]
    return Plan([Slot((1, 4, 4, c)), own([2, 2]), own([[0, 0], [0, 0]])], [Slot((4, 2, 2, c))], real,
                ('SpaceToBatchNDOptions', {}))


def batch_to_space(rng):
    c = int(rng.integers(1, 4))
    def real(x, *_):
        return [x.reshape(2, 2, 1, 2, 2, c).transpose(2, 3, 0, 4, 1, 5).reshape(1, 4, 4, c)]
    return Plan([Slot((4, 2, 2, c)), own([2, 2]), own([[0, 0], [0, 0]])], [Slot((1, 4, 4, c))], real,
                ('BatchToSpaceNDOptions', {}))


def select(options):
    def plan(rng):
        shape = shape_of(rng)
        condition = Slot(shape, 'own', rng.random(shape) < 0.5, 'BOOL')
        return Plan([condition, Slot(shape), Slot(shape)], [Slot(shape)],
                    lambda c, a, b: [numpy.where(condition.numbers, a, b)], (options, {}))
    return plan


def top_k(rng):
    shape = shape_of(rng)
    k = 2
    return Plan([Slot(shape), own(k)], [Slot(shape[:-1] + (k,)), Slot(shape[:-1] + (k,), 'index')],
                lambda x, _: [-numpy.sort(-x, -1)[..., :k], None], ('TopKV2Options', {}))


def arg(name, function):
    def plan(rng):
        shape = shape_of(rng, int(rng.integers(2, 5)))
        index, number = [('INT32', 2), ('INT64', 4)][int(rng.integers(2))]
        return Plan([Slot(shape), own(len(shape) - 1)], [Slot(shape[:-1], 'index', type=index)],
                    lambda x, _: [function(x, -1).astype(float)], (name + 'Options', {'outputType': number}))
    return plan


def dynamic_update_slice(rng):
    shape = shape_of(rng)
    update = tuple(1 for _ in shape)
    def real(x, u, _):
        out = x.copy()
        out[(0,) * len(shape)] = u.item()
        return [out]
    return Plan([Slot(shape), Slot(update), own([0] * len(shape))], [Slot(shape)], real)


# --- windows

def windows(x, kh, kw, stride):
    n, h, w, c = x.shape
    oh, ow = (h - kh) // stride + 1, (w - kw) // stride + 1
    cut = [x[:, i:i + stride * (oh - 1) + 1:stride, j:j + stride * (ow - 1) + 1:stride] for i in range(kh) for j in range(kw)]
    return numpy.stack(cut)


def pool(function):
    def plan(rng):
        shape = (1, int(rng.integers(3, 7)), int(rng.integers(3, 7)), int(rng.integers(1, 9)))
        k, stride = int(rng.integers(1, 4)), int(rng.integers(1, 3))
        kind = int(rng.choice([0, 0, 0, 1, 3]))
        out = (1, (shape[1] - k) // stride + 1, (shape[2] - k) // stride + 1, shape[3])
        return Plan([Slot(shape)], [Slot(out)], lambda x: [activated(function(windows(x, k, k, stride)), kind)],
                    ('Pool2DOptions', {'padding': 1, 'strideW': stride, 'strideH': stride, 'filterWidth': k,
                                       'filterHeight': k, 'fusedActivationFunction': kind}))
    return plan


def reduce(function, domain='any'):
    def plan(rng):
        shape = shape_of(rng)
        axes = tuple(sorted(int(axis) for axis in rng.choice(len(shape), int(rng.integers(1, len(shape) + 1)), False)))
        if len(shape) == 4 and rng.random() < 0.4:
            axes = (1, 2)
        keep = bool(rng.random() < 0.5)
        out = tuple(1 if axis in axes else size for axis, size in enumerate(shape) if keep or axis not in axes)
        return Plan([Slot(shape), own(axes)], [Slot(out)], lambda x, _: [function(x, axis=axes, keepdims=keep)],
                    ('ReducerOptions', {'keepDims': keep}), domain)
    return plan


def cumsum(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape), own(0)], [Slot(shape)], lambda x, _: [numpy.cumsum(x, 0)], ('CumsumOptions', {}))


def resize(options, bilinear):
    def plan(rng):
        shape = (1, int(rng.integers(2, 5)), int(rng.integers(2, 5)), int(rng.integers(1, 5)))
        size = (shape[1] * 2, shape[2] * 2)
        def real(x, _):
            def lines(x, axis, n):
                m = x.shape[axis]
                if not bilinear:
                    return x.take([min(i * m // n, m - 1) for i in range(n)], axis)
                low = numpy.array([i * m // n for i in range(n)])
                part = numpy.array([i * m / n - i * m // n for i in range(n)])
                high = numpy.minimum(low + 1, m - 1)
                part = part.reshape([-1 if a == axis else 1 for a in range(x.ndim)])
                return x.take(low, axis) * (1 - part) + x.take(high, axis) * part
            return [lines(lines(x, 1, size[0]), 2, size[1])]
        return Plan([Slot(shape), own(size)], [Slot((1,) + size + shape[3:])], real, (options, {}))
    return plan


# --- sums of products

def conv(rng):
    k, stride = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    h, w, ci, co = int(rng.integers(k, 6)), int(rng.integers(k, 6)), int(rng.integers(1, 6)), int(rng.integers(1, 7))
    kind = int(rng.choice([0, 0, 1, 3]))
    out = (1, (h - k) // stride + 1, (w - k) // stride + 1, co)
    def real(x, f, b=None):
        taps = windows(x, k, k, stride)
        y = numpy.einsum('tnhwi,oti->nhwo', taps, f.reshape(co, k * k, ci))
        return [activated(y if b is None else y + b, kind)]
    return Plan([Slot((1, h, w, ci)), Slot((co, k, k, ci), 'weight'), Slot((co,), 'bias')], [Slot(out)], real,
                ('Conv2DOptions', {'padding': 1, 'strideW': stride, 'strideH': stride, 'dilationWFactor': 1,
                                   'dilationHFactor': 1, 'fusedActivationFunction': kind}))


def depthwise(rng):
    k, stride = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    h, w, c = int(rng.integers(k, 6)), int(rng.integers(k, 6)), int(rng.integers(1, 9))
    multiplier = int(rng.choice([1, 1, 2]))
    kind = int(rng.choice([0, 0, 1, 3]))
    out = (1, (h - k) // stride + 1, (w - k) // stride + 1, c * multiplier)
    def real(x, f, b=None):
        taps = windows(x, k, k, stride)
        y = numpy.einsum('tnhwc,tcm->nhwcm', taps, f.reshape(k * k, c, multiplier)).reshape(out)
        return [activated(y if b is None else y + b, kind)]
    return Plan([Slot((1, h, w, c)), Slot((1, k, k, c * multiplier), 'weight'), Slot((c * multiplier,), 'bias')],
                [Slot(out)], real,
                ('DepthwiseConv2DOptions', {'padding': 1, 'strideW': stride, 'strideH': stride, 'dilationWFactor': 1,
                                            'dilationHFactor': 1, 'depthMultiplier': multiplier,
                                            'fusedActivationFunction': kind}), weight_axis=3)


def transpose_conv(rng):
    k, stride = 2, 2
    h, w, ci, co = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 6)), int(rng.integers(1, 6))
    out = (1, h * 2, w * 2, co)
    def real(_, f, x, b=None):
        y = numpy.zeros(out)
        for i in range(k):
            for j in range(k):
                y[:, i::2, j::2] = numpy.einsum('nhwi,oi->nhwo', x, f[:, i, j])
        return [y if b is None else y + b]
    return Plan([own(out), Slot((co, k, k, ci), 'weight'), Slot((1, h, w, ci)), Slot((co,), 'bias')], [Slot(out)], real,
                ('TransposeConvOptions', {'padding': 1, 'strideW': stride, 'strideH': stride}), version=3)


def fully_connected(rng):
    n, ci, co = int(rng.integers(1, 4)), int(rng.integers(1, 17)), int(rng.integers(1, 9))
    kind = int(rng.choice([0, 0, 1, 3]))
    def real(x, f, b=None):
        y = x @ f.T
        return [activated(y if b is None else y + b, kind)]
    return Plan([Slot((n, ci)), Slot((co, ci), 'weight'), Slot((co,), 'bias')], [Slot((n, co))], real,
                ('FullyConnectedOptions', {'fusedActivationFunction': kind}))


def batch_matmul(rng):
    b, n, k, m = 2, int(rng.integers(1, 4)), int(rng.integers(1, 9)), int(rng.integers(1, 5))
    return Plan([Slot((b, n, k)), Slot((b, k, m))], [Slot((b, n, m))], lambda x, y: [x @ y], ('BatchMatMulOptions', {}))


def embedding(rng):
    shape = (int(rng.integers(2, 6)), int(rng.integers(2, 9)))
    picks = rng.integers(0, shape[0], 3)
    return Plan([own(picks), Slot(shape, 'weight')], [Slot((3, shape[1]))], lambda _, w: [w[picks]])


# --- conversions

def convert(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape)], [Slot(shape)], lambda x: [x])


def add_n(rng):
    shape = shape_of(rng)
    return Plan([Slot(shape)] * 3, [Slot(shape)], lambda *xs: [sum(xs)], ('AddNOptions', {}))


def fill(rng):
    shape = shape_of(rng)
    return Plan([own(shape), Slot(())], [Slot(shape)], lambda _, v: [numpy.full(shape, v.item())], ('FillOptions', {}))


def one_hot(rng):
    picks = rng.integers(0, 4, 3)
    def real(_, depth, on, off):
        return [numpy.where(numpy.arange(4)[None] == picks[:, None], on.item(), off.item())]
    return Plan([own(picks), own(4), Slot(()), Slot(())], [Slot((3, 4))], real, ('OneHotOptions', {'axis': -1}))


def facts(function, options, fields):
    def plan(rng):
        shape = shape_of(rng)
        return Plan([Slot(shape)], [Slot(function(numpy.zeros(shape)).shape, 'index')], lambda x: [function(x)],
                    (options, fields))
    return plan


def ignore_errors(function):
    def quiet(*arguments, **keywords):
        with numpy.errstate(all='ignore'):
            return function(*arguments, **keywords)
    return quiet


OPERATORS = {
    'ABS': unary(numpy.abs, 'AbsOptions'),
    'NEG': unary(numpy.negative, 'NegOptions'),
    'EXP': unary(numpy.exp, 'ExpOptions', 'small'),
    'LOG': unary(ignore_errors(numpy.log), None, 'positive'),
    'SQRT': unary(ignore_errors(numpy.sqrt), None, 'positive'),
    'RSQRT': unary(ignore_errors(lambda x: 1 / numpy.sqrt(x)), None, 'positive'),
    'SIN': unary(numpy.sin),
    'COS': unary(numpy.cos, 'CosOptions'),
    'CEIL': unary(numpy.ceil),
    'FLOOR': unary(numpy.floor),
    'ROUND': unary(numpy.round),
    'SQUARE': unary(numpy.square, 'SquareOptions'),
    'SIGN': unary(numpy.sign),
    'ELU': unary(ignore_errors(lambda x: numpy.where(x < 0, numpy.expm1(x), x))),
    'HARD_SWISH': unary(lambda x: x * numpy.clip(x + 3, 0, 6) / 6, 'HardSwishOptions'),
    'LOGISTIC': unary(ignore_errors(lambda x: 1 / (1 + numpy.exp(-x))), None, 'small'),
    'TANH': unary(numpy.tanh, None, 'small'),
    'RELU': unary(lambda x: numpy.maximum(x, 0)),
    'RELU6': unary(lambda x: numpy.clip(x, 0, 6)),
    'RELU_N1_TO_1': unary(lambda x: numpy.clip(x, -1, 1)),
    'RELU_0_TO_1': unary(lambda x: numpy.clip(x, 0, 1)),
    'L2_NORMALIZATION': unary(ignore_errors(lambda x: x / numpy.sqrt((x * x).sum(-1, keepdims=True))), 'L2NormOptions'),
    'ZEROS_LIKE': unary(numpy.zeros_like, 'ZerosLikeOptions'),
    'SOFTMAX': softmax_plan,
    'LOG_SOFTMAX': log_softmax_plan,
    'LEAKY_RELU': leaky_relu,
    'GELU': gelu,
    'PRELU': prelu,
    'ADD': binary(numpy.add, 'AddOptions', activation=True),
    'SUB': binary(numpy.subtract, 'SubOptions', activation=True),
    'MUL': binary(numpy.multiply, 'MulOptions', activation=True),
    'DIV': binary(ignore_errors(numpy.divide), 'DivOptions', 'positive', activation=True),
    'MAXIMUM': binary(numpy.maximum, 'MaximumMinimumOptions'),
    'MINIMUM': binary(numpy.minimum, 'MaximumMinimumOptions'),
    'SQUARED_DIFFERENCE': binary(lambda a, b: (a - b) ** 2, 'SquaredDifferenceOptions'),
    'POW': binary(ignore_errors(numpy.power), 'PowOptions', 'tiny'),
    'FLOOR_DIV': binary(ignore_errors(lambda a, b: numpy.floor(a / b)), 'FloorDivOptions', 'positive'),
    'FLOOR_MOD': binary(ignore_errors(numpy.mod), 'FloorModOptions', 'positive'),
    'ATAN2': binary(numpy.arctan2, None, 'positive'),
    'ADD_N': add_n,
    'EQUAL': compare(numpy.equal, 'EqualOptions'),
    'NOT_EQUAL': compare(numpy.not_equal, 'NotEqualOptions'),
    'GREATER': compare(numpy.greater, 'GreaterOptions'),
    'GREATER_EQUAL': compare(numpy.greater_equal, 'GreaterEqualOptions'),
    'LESS': compare(numpy.less, 'LessOptions'),
    'LESS_EQUAL': compare(numpy.less_equal, 'LessEqualOptions'),
    'LOGICAL_AND': binary(lambda a, b: ((a != 0) & (b != 0)).astype(float), 'LogicalAndOptions'),
    'LOGICAL_OR': binary(lambda a, b: ((a != 0) | (b != 0)).astype(float), 'LogicalOrOptions'),
    'LOGICAL_NOT': unary(lambda x: (x == 0).astype(float), 'LogicalNotOptions'),
    'RESHAPE': reshape,
    'TRANSPOSE': transpose,
    'SQUEEZE': squeeze,
    'EXPAND_DIMS': expand_dims,
    'SLICE': slice_plan,
    'STRIDED_SLICE': strided_slice,
    'GATHER': gather,
    'GATHER_ND': gather_nd,
    'CONCATENATION': concatenation,
    'PACK': pack,
    'UNPACK': unpack,
    'SPLIT': split,
    'SPLIT_V': split_v,
    'PAD': pad,
    'PADV2': pad_v2,
    'MIRROR_PAD': mirror_pad,
    'TILE': tile,
    'REVERSE_V2': reverse,
    'BROADCAST_TO': broadcast_to,
    'SPACE_TO_DEPTH': space_to_depth,
    'DEPTH_TO_SPACE': depth_to_space,
    'SPACE_TO_BATCH_ND': space_to_batch,
    'BATCH_TO_SPACE_ND': batch_to_space,
    'SELECT': select('SelectOptions'),
    'SELECT_V2': select('SelectV2Options'),
    'TOPK_V2': top_k,
    'ARG_MAX': arg('ArgMax', numpy.argmax),
    'ARG_MIN': arg('ArgMin', numpy.argmin),
    'DYNAMIC_UPDATE_SLICE': dynamic_update_slice,
    'AVERAGE_POOL_2D': pool(lambda taps: taps.mean(0)),
    'MAX_POOL_2D': pool(lambda taps: taps.max(0)),
    'L2_POOL_2D': pool(lambda taps: numpy.sqrt((taps * taps).mean(0))),
    'MEAN': reduce(numpy.mean),
    'SUM': reduce(numpy.sum),
    'REDUCE_MAX': reduce(numpy.max),
    'REDUCE_MIN': reduce(numpy.min),
    'REDUCE_PROD': reduce(numpy.prod, 'tiny'),
    'REDUCE_ANY': reduce(lambda x, **k: (x != 0).any(**k).astype(float)),
    'REDUCE_ALL': reduce(lambda x, **k: (x != 0).all(**k).astype(float)),
    'CUMSUM': cumsum,
    'RESIZE_BILINEAR': resize('ResizeBilinearOptions', True),
    'RESIZE_NEAREST_NEIGHBOR': resize('ResizeNearestNeighborOptions', False),
    'CONV_2D': conv,
    'DEPTHWISE_CONV_2D': depthwise,
    'TRANSPOSE_CONV': transpose_conv,
    'FULLY_CONNECTED': fully_connected,
    'BATCH_MATMUL': batch_matmul,
    'EMBEDDING_LOOKUP': embedding,
    'QUANTIZE': convert,
    'DEQUANTIZE': convert,
    'CAST': lambda rng: dataclasses.replace(convert(rng), domain='positive'),
    'SHAPE': facts(lambda x: numpy.array(x.shape), 'ShapeOptions', {'outType': 2}),
    'RANK': facts(lambda x: numpy.array(x.ndim), 'RankOptions', {}),
    'FILL': fill,
    'ONE_HOT': one_hot,
}
