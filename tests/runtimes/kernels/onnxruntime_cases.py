"""Writes N records of random operator calls with what ONNX Runtime computes: onnxruntime_cases.py N SEED."""
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

import record

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'onnxruntime'))
import processor

ONNX_TYPE = {'int8': TensorProto.INT8, 'uint8': TensorProto.UINT8, 'int16': TensorProto.INT16,
             'uint16': TensorProto.UINT16, 'int32': TensorProto.INT32, 'float32': TensorProto.FLOAT}
onnxruntime.set_default_logger_severity(4)
PLAIN = onnxruntime.SessionOptions()
PLAIN.intra_op_num_threads = 1
PLAIN.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
FUSED = onnxruntime.SessionOptions()
FUSED.intra_op_num_threads = 1


def run(nodes, feeds, constants, output_type, options=PLAIN):
    """The output `y` of a graph of nodes. Feeds are inputs, constants initializers: what fusion asks for."""
    graph = helper.make_graph(
        nodes, 'g', [helper.make_tensor_value_info(n, ONNX_TYPE[str(a.dtype)], a.shape) for n, a in feeds.items()],
        [helper.make_tensor_value_info('y', ONNX_TYPE[output_type], None)],
        [onnx.numpy_helper.from_array(numpy.asarray(a), n) for n, a in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 21), helper.make_opsetid('com.microsoft', 1)],
                              ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    return session.run(None, feeds)[0]


class Draw:
    def __init__(self, seed):
        self.rng = numpy.random.default_rng(seed)

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def scale(self, low=-8, high=1):
        """Some are powers of two, whose ratios make ties."""
        if self.rng.random() < 0.2:
            return numpy.float32(2.0 ** self.integer(low, high))
        return numpy.float32(2.0 ** self.rng.uniform(low, high))

    def zero_point(self, dtype):
        info = numpy.iinfo(dtype)
        return self.pick(0, info.min, info.max, self.integer(info.min, info.max)) if self.rng.random() < 0.9 else 0

    def numbers(self, dtype, shape):
        info = numpy.iinfo(dtype)
        kind = self.integer(0, 5)
        if kind == 0:
            return self.rng.choice([info.min, info.max], shape).astype(dtype)
        if kind == 1:
            middle = (info.min + info.max + 1) / 2
            return numpy.clip(self.rng.normal(middle, (info.max - info.min) / 8, shape), info.min, info.max).astype(dtype)
        return self.rng.integers(info.min, info.max + 1, shape).astype(dtype)

    def value(self, shape, dtype, scale=None):
        return Value(self.numbers(dtype, shape), numpy.float32(scale if scale is not None else self.scale()),
                     self.zero_point(dtype))

    def shape(self, rank=None, largest=7):
        return [self.integer(1, largest) for _ in range(rank or self.integer(1, 4))]


class Value:
    def __init__(self, data, scale, zero, axis=None):
        self.data, self.scale, self.zero, self.axis = data, scale, zero, axis

    @property
    def dtype(self):
        return str(self.data.dtype)

    def q(self):
        return record.quantization(self.scale, self.zero, self.axis)

    def recorded(self):
        return record.value(self.data, self.q())

    def constants(self, name):
        return {name + '_s': numpy.asarray(self.scale, numpy.float32), name + '_z': numpy.asarray(self.zero, self.data.dtype)}


def output(draw, dtype, reach):
    """Scale and zero point so that a good part of +-reach fits."""
    info = numpy.iinfo(dtype)
    scale = numpy.float32(max(reach, 1e-6) * draw.rng.uniform(0.2, 2.0) / (info.max - info.min))
    return Value(numpy.zeros(0, dtype), scale, draw.zero_point(dtype))


def weights(draw, shape, dtype, axis, signed_zero):
    channels = shape[axis]
    data = processor.weights(draw.numbers(dtype, shape))
    if draw.rng.random() < 0.6 and channels > 1:
        scales = numpy.float32([draw.scale(-9, -3) for _ in range(channels)])
        zeros = numpy.zeros(channels, int) if signed_zero else numpy.array([draw.zero_point(dtype) for _ in range(channels)])
        return Value(data, scales, zeros, axis)
    return Value(data, draw.scale(-9, -3), 0 if signed_zero else draw.zero_point(dtype))


def reach_of(x, w, depth):
    return float(numpy.max(x.scale) * numpy.mean(w.scale)) * 128 * 80 * max(depth, 1) ** 0.5


def conv(draw):
    rank = draw.pick(1, 2, 2, 2, 3)
    group = draw.pick(1, 1, 1, 2, 4)
    per = draw.integer(1, 4)
    if group == 4 and draw.rng.random() < 0.6:
        per = 1
    into, out = group * per, group * draw.integer(1, 3 if group > 1 else 6)
    kernel = [draw.integer(1, 3) for _ in range(rank)]
    dilations = [draw.pick(1, 1, 2) for _ in range(rank)]
    strides = [draw.pick(1, 1, 2, 3) for _ in range(rank)]
    pads = [draw.integer(0, k - 1) for k in kernel] + [draw.integer(0, k - 1) for k in kernel]
    size = [max(draw.integer(1, 8), (k - 1) * d + 1) for k, d in zip(kernel, dilations)]
    dtype = draw.pick('uint8', 'uint8', 'int8')
    x = draw.value([draw.integer(1, 2), into, *size], dtype)
    w = weights(draw, [out, per, *kernel], 'int8' if dtype == 'int8' else draw.pick('int8', 'uint8'), 0, dtype == 'int8')
    if w.dtype == 'int8':
        w.zero = numpy.zeros_like(w.zero) if w.axis is not None else 0
    elif w.axis is not None:
        w.zero = numpy.full_like(w.zero, w.zero[0])  # one zero point for all is what the runtime takes
    y = output(draw, dtype, reach_of(x, w, per * numpy.prod(kernel)))
    attrs = dict(kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads, group=group)
    bias = draw.rng.integers(-2**14, 2**14, out).astype(numpy.int32) if draw.rng.random() < 0.6 else None
    names = ['x', 'x_s', 'x_z', 'w', 'w_s', 'w_z', 'y_s', 'y_z'] + (['b'] if bias is not None else [])
    constants = {**x.constants('x'), 'w': w.data, **w.constants('w'), **y.constants('y')}
    if bias is not None:
        constants['b'] = bias
    got = run([helper.make_node('QLinearConv', names, ['y'], **attrs)], {'x': x.data}, constants, dtype)
    inputs = [x.recorded(), w.recorded()] + ([record.value(bias)] if bias is not None else [])
    return 'conv', dict(attrs, layout='NCHW'), inputs, y, {'ort_qlinear': got}


def conv_integer(draw):
    into, out = draw.integer(1, 5), draw.integer(1, 5)
    kernel = [draw.integer(1, 3), draw.integer(1, 3)]
    x = draw.value([1, into, draw.integer(3, 7), draw.integer(3, 7)], 'uint8', 1)
    w = draw.value([out, into, *kernel], 'int8', 1)
    w.data, w.zero = processor.weights(w.data), 0
    pads = [draw.integer(0, 1) for _ in range(4)]
    attrs = dict(kernel_shape=kernel, pads=pads, strides=[draw.integer(1, 2)] * 2)
    got = run([helper.make_node('ConvInteger', ['x', 'w', 'x_z', 'w_z'], ['y'], **attrs)], {'x': x.data},
              {'w': w.data, 'x_z': x.constants('x')['x_z'], 'w_z': w.constants('w')['w_z']}, 'int32')
    return 'conv_acc', dict(attrs, layout='NCHW'), [x.recorded(), w.recorded()], Raw('int32'), {'ort_convinteger': got}


class Raw:
    def __init__(self, dtype):
        self.dtype = dtype

    def q(self):
        return None


def matmul(draw):
    rows, depth, columns = draw.integer(1, 8), draw.integer(1, 80), draw.integer(1, 9)
    batch = draw.shape(draw.integer(0, 2), 3) if draw.rng.random() < 0.5 else []
    dtype = draw.pick('uint8', 'uint8', 'int8')
    a = draw.value([*batch, rows, depth], dtype)
    both = draw.rng.random() < 0.5
    if both:
        b = draw.value([*batch, depth, columns], dtype)
        b.data = processor.weights(b.data)
    else:
        b = weights(draw, [depth, columns], 'int8' if dtype == 'int8' else draw.pick('uint8', 'int8'), 1, True)
    y = output(draw, dtype, reach_of(a, b, depth))
    feeds = {'a': a.data, **({'b': b.data} if both else {})}
    constants = {**a.constants('a'), **b.constants('b'), **y.constants('y'), **({} if both else {'b': b.data})}
    got = run([helper.make_node('QLinearMatMul', ['a', 'a_s', 'a_z', 'b', 'b_s', 'b_z', 'y_s', 'y_z'], ['y'])], feeds,
              constants, dtype)
    return 'matmul', {}, [a.recorded(), b.recorded()], y, {'ort_qlinearmatmul': got}


def gemm(draw):
    rows, depth, columns = draw.integer(1, 8), draw.integer(1, 80), draw.integer(1, 9)
    dtype = draw.pick('uint8', 'int8')
    a = draw.value([rows, depth], dtype)
    w = weights(draw, [columns, depth], 'int8', 0, True)
    y = output(draw, dtype, reach_of(a, w, depth))
    bias = draw.rng.integers(-2**14, 2**14, columns).astype(numpy.int32)
    constants = {**a.constants('a'), 'w': w.data, **w.constants('w'), 'c': bias, **y.constants('y')}
    got = run([helper.make_node('QGemm', ['a', 'a_s', 'a_z', 'w', 'w_s', 'w_z', 'c', 'y_s', 'y_z'], ['y'],
                                domain='com.microsoft', transB=1)], {'a': a.data}, constants, dtype)
    return 'fully_connected', {}, [a.recorded(), w.recorded(), record.value(bias)], y, {'ort_qgemm': got}


def qlinear_binary(draw):
    op = draw.pick('Add', 'Mul')
    dtype = draw.pick('uint8', 'int8')
    shape = draw.shape() if draw.rng.random() < 0.5 else [draw.integer(1, 4), draw.integer(1, 600)]
    other = [1 if draw.rng.random() < 0.2 else d for d in shape]
    a, b = draw.value(shape, dtype), draw.value(other, dtype)
    y = output(draw, dtype, float(a.scale * b.scale) * 16384 if op == 'Mul' else float(a.scale + b.scale) * 128)
    names = ['a', 'a_s', 'a_z', 'b', 'b_s', 'b_z', 'y_s', 'y_z']
    got = run([helper.make_node('QLinear' + op, names, ['y'], domain='com.microsoft')], {'a': a.data, 'b': b.data},
              {**a.constants('a'), **b.constants('b'), **y.constants('y')}, dtype)
    return op.lower(), {}, [a.recorded(), b.recorded()], y, {'ort_qlinear': got}


def pool(draw):
    dtype = draw.pick('uint8', 'int8')
    size = [draw.integer(3, 9), draw.integer(3, 9)]
    x = draw.value([draw.integer(1, 2), draw.integer(1, 5), *size], dtype)
    if draw.rng.random() < 0.3:
        y = output(draw, dtype, float(x.scale) * 200)
        got = run([helper.make_node('QLinearGlobalAveragePool', ['x', 'x_s', 'x_z', 'y_s', 'y_z'], ['y'],
                                    domain='com.microsoft')], {'x': x.data}, {**x.constants('x'), **y.constants('y')}, dtype)
        return 'global_avg_pool', {'layout': 'NCHW'}, [x.recorded()], y, {'ort_qlinear': got}
    kernel = [draw.integer(1, 3), draw.integer(1, 3)]
    attrs = dict(kernel_shape=kernel, strides=[draw.integer(1, 3), draw.integer(1, 3)],
                 pads=[draw.integer(0, k - 1) for k in kernel * 2])
    if draw.rng.random() < 0.4:
        got = run([helper.make_node('MaxPool', ['x'], ['y'], **attrs)], {'x': x.data}, {}, dtype)
        return 'max_pool2d', dict(attrs, layout='NCHW'), [x.recorded()], x, {'ort_qdq': got}
    attrs['count_include_pad'] = draw.integer(0, 1)
    y = output(draw, dtype, float(x.scale) * 256)
    got = run([helper.make_node('QLinearAveragePool', ['x', 'x_s', 'x_z', 'y_s', 'y_z'], ['y'], domain='com.microsoft',
                                **attrs)], {'x': x.data}, {**x.constants('x'), **y.constants('y')}, dtype)
    return 'avg_pool2d', dict(attrs, layout='NCHW'), [x.recorded()], y, {'ort_qlinear': got}


def table(draw):
    op = draw.pick('Sigmoid', 'LeakyRelu', 'Softmax')
    dtype = draw.pick('uint8', 'int8')
    x = draw.value([draw.integer(1, 3), draw.integer(1, 300 if op != 'Softmax' else 40)], dtype)
    attrs = {}
    if op == 'LeakyRelu':
        attrs['alpha'] = float(numpy.float32(draw.rng.uniform(0.01, 0.5)))
        y = output(draw, dtype, float(x.scale) * 256)
    else:
        y = Value(numpy.zeros(0, dtype), numpy.float32(1 / 256), -128 if dtype == 'int8' else 0)
    if op == 'Softmax' and draw.rng.random() < 0.4:
        y.scale, y.zero = draw.scale(-13, -4), draw.zero_point(dtype)
    names = ['x', 'x_s', 'x_z', 'y_s', 'y_z']
    constants = {**x.constants('x'), **y.constants('y')}
    if op == 'Softmax':
        attrs['axis'] = -1
    node = helper.make_node('QLinear' + op, names, ['y'], domain='com.microsoft', **attrs,
                            **({'opset': 13} if op == 'Softmax' else {}))
    got = run([node], {'x': x.data}, constants, dtype)
    name = {'Sigmoid': 'sigmoid', 'LeakyRelu': 'leaky_relu', 'Softmax': 'softmax'}[op]
    return name, attrs, [x.recorded()], y, {'ort_qlinear': got}


def quantize(draw):
    dtype = draw.pick('uint8', 'int8', 'uint16', 'int16')
    y = Value(numpy.zeros(0, dtype), draw.scale(), draw.zero_point(dtype))
    info = numpy.iinfo(dtype)
    shape = [draw.integer(1, 400)]
    steps = draw.rng.integers(info.min - 5, info.max + 6, shape) - y.zero + draw.pick(0, 0.5, 0.25)
    x = (steps * float(y.scale)).astype(numpy.float32)
    x = numpy.nextafter(x, numpy.float32(numpy.inf)) if draw.rng.random() < 0.3 else x
    got = run([helper.make_node('QuantizeLinear', ['x', 'y_s', 'y_z'], ['y'])], {'x': x}, y.constants('y'), dtype)
    return 'quantize', {}, [record.value(x)], y, {'ort': got}


UNARY = {'Relu': 'relu', 'Exp': 'exp', 'Sqrt': 'sqrt', 'Neg': 'neg', 'Abs': 'abs', 'HardSwish': 'hard_swish', 'Elu': 'elu',
         'HardSigmoid': 'hard_sigmoid', 'Floor': 'floor', 'Ceil': 'ceil', 'Reciprocal': 'reciprocal', 'Log': 'log'}


def decomposed(draw):
    """Dequantize, float operator, Quantize, without fusion."""
    dtype = draw.pick('uint8', 'int8', 'uint16', 'int16')
    low = -14 if '16' in dtype else -7
    x = draw.value([draw.integer(1, 3), draw.integer(1, 200)], dtype, draw.scale(low, low + 3))
    inputs = [x]
    if draw.rng.random() < 0.5:
        op = draw.pick('Sub', 'Div', 'Max', 'Min', 'Add', 'Mul')
        inputs.append(draw.value(list(x.data.shape), dtype, draw.scale(low, low + 3)))
        name = {'Max': 'maximum', 'Min': 'minimum'}.get(op, op.lower())
    else:
        op = draw.pick(*UNARY)
        name = UNARY[op]
    y = output(draw, dtype, float(x.scale) * 2 ** (16 if '16' in dtype else 8))
    nodes, constants = [], y.constants('q')
    for i, value in enumerate(inputs):
        nodes.append(helper.make_node('DequantizeLinear', [f'i{i}', f'i{i}_s', f'i{i}_z'], [f'f{i}']))
        constants.update(value.constants(f'i{i}'))
    attrs = {'alpha': 1.0} if op == 'Elu' else {'alpha': 0.2, 'beta': 0.5} if op == 'HardSigmoid' else {}
    nodes.append(helper.make_node(op, [f'f{i}' for i in range(len(inputs))], ['f'], **attrs))
    nodes.append(helper.make_node('QuantizeLinear', ['f', 'q_s', 'q_z'], ['y']))
    got = run(nodes, {f'i{i}': v.data for i, v in enumerate(inputs)}, constants, dtype)
    return name, attrs, [v.recorded() for v in inputs], y, {'ort_qdq_noopt': got}


def concat(draw):
    dtype = draw.pick('uint8', 'int8')
    shape = draw.shape(draw.integer(2, 4), 5)
    axis = draw.integer(0, len(shape) - 1)
    parts = []
    for _ in range(draw.integer(2, 4)):
        size = list(shape)
        size[axis] = draw.integer(1, 5)
        parts.append(draw.value(size, dtype))
    y = output(draw, dtype, max(float(p.scale) for p in parts) * 256)
    names, constants = ['y_s', 'y_z'], y.constants('y')
    for i, part in enumerate(parts):
        names += [f'p{i}', f'p{i}_s', f'p{i}_z']
        constants.update(part.constants(f'p{i}'))
    got = run([helper.make_node('QLinearConcat', names, ['y'], domain='com.microsoft', axis=axis)],
              {f'p{i}': p.data for i, p in enumerate(parts)}, constants, dtype)
    return 'concat', {'axis': axis}, [p.recorded() for p in parts], y, {'ort_qlinear': got}


def moved(draw):
    dtype = draw.pick('uint8', 'int8')
    kind = draw.pick('transpose', 'slice', 'resize_nearest', 'depth_to_space', 'gather')
    x = draw.value([draw.integer(1, 2), 4 * draw.integer(1, 2), draw.integer(2, 5), draw.integer(2, 5)], dtype)
    more, constants, inputs = [], {}, [x.recorded()]
    if kind == 'transpose':
        attrs = {'perm': [int(i) for i in draw.rng.permutation(4)]}
        node = helper.make_node('Transpose', ['x'], ['y'], **attrs)
    elif kind == 'slice':
        axes = sorted(int(a) for a in draw.rng.choice(4, draw.integer(1, 3), replace=False))
        attrs = {'starts': [draw.integer(-6, 6) for _ in axes], 'ends': [draw.integer(-6, 9) for _ in axes], 'axes': axes,
                 'steps': [draw.pick(1, 2, -1, -2) for _ in axes]}
        constants = {n: numpy.array(attrs[n], numpy.int64) for n in ('starts', 'ends', 'axes', 'steps')}
        node = helper.make_node('Slice', ['x', 'starts', 'ends', 'axes', 'steps'], ['y'])
    elif kind == 'depth_to_space':
        attrs = {'blocksize': 2, 'mode': draw.pick('DCR', 'CRD')}
        node = helper.make_node('DepthToSpace', ['x'], ['y'], **attrs)
    elif kind == 'gather':
        attrs = {'axis': draw.integer(0, 3)}
        size = x.data.shape[attrs['axis']]
        indices = draw.rng.integers(-size, size, draw.shape(draw.integer(1, 2), 4)).astype(numpy.int64)
        constants, inputs = {'indices': indices}, [x.recorded(), record.value(indices)]
        node = helper.make_node('Gather', ['x', 'indices'], ['y'], **attrs)
    else:
        sizes = [x.data.shape[0], x.data.shape[1], draw.integer(1, 9), draw.integer(1, 9)]
        attrs = {'sizes': sizes, 'coordinate_transformation_mode': draw.pick('asymmetric', 'half_pixel', 'align_corners'),
                 'nearest_mode': draw.pick('floor', 'ceil', 'round_prefer_floor', 'round_prefer_ceil')}
        constants = {'sizes': numpy.array(sizes, numpy.int64)}
        node = helper.make_node('Resize', ['x', '', '', 'sizes'], ['y'], mode='nearest',
                                **{k: v for k, v in attrs.items() if k != 'sizes'})
    got = run([node], {'x': x.data}, constants, dtype)
    return kind, dict(attrs, layout='NCHW'), inputs, x, {'ort_qdq': got}


CASES = [conv] * 4 + [matmul] * 2 + [gemm, qlinear_binary, qlinear_binary, pool, pool, table, quantize, decomposed,
                                     decomposed, concat, moved, moved, conv_integer]


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    if processor.saturates():
        print(processor.NOTE, file=sys.stderr)
    for number in range(count):
        draw = Draw([seed, number])
        case = CASES[draw.integer(0, len(CASES) - 1)]
        op, attrs, inputs, y, oracles = case(draw)
        print(record.line(f'{seed}-{number}', op, attrs, inputs, record.NAMES[y.dtype], y.q(), oracles))


if __name__ == '__main__':
    main()
