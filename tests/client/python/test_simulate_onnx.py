"""Small ONNX graphs through `quantgate simulate` and through ONNX Runtime itself: every tensor of integers is equal."""
import json
import os
import subprocess

import pytest

np = pytest.importorskip('numpy')
onnx = pytest.importorskip('onnx')
onnxruntime = pytest.importorskip('onnxruntime')

from onnx import helper, numpy_helper  # noqa: E402

TYPES = {np.dtype(name): kind for name, kind in (
    ('float32', onnx.TensorProto.FLOAT), ('uint8', onnx.TensorProto.UINT8), ('int8', onnx.TensorProto.INT8),
    ('int32', onnx.TensorProto.INT32), ('int64', onnx.TensorProto.INT64), ('uint16', onnx.TensorProto.UINT16),
    ('int16', onnx.TensorProto.INT16), ('bool', onnx.TensorProto.BOOL))}


class Builder:
    """A graph of nodes in order; constants by value."""

    def __init__(self, opset=21):
        self.nodes, self.constants, self.opset = [], [], opset

    def constant(self, array):
        name = f'c{len(self.constants)}'
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        """Names of the outputs; what is no name among the inputs is a constant."""
        domain, _, name = op.rpartition('::')
        names = [f'v{len(self.nodes)}' if i == 0 else f'v{len(self.nodes)}_{i}' for i in range(outputs)]
        inputs = [given if isinstance(given, str) else self.constant(given) for given in inputs]
        self.nodes.append(helper.make_node(name, inputs, names, name=f'n{len(self.nodes)}', domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def quantize(self, x, scale, zero_point, **attributes):
        return self.node('QuantizeLinear', [x, scale, zero_point], **attributes)

    def dequantize(self, x, scale, zero_point, **attributes):
        return self.node('DequantizeLinear', [x, scale, zero_point], **attributes)

    def model(self, feeds, outputs):
        inputs = [helper.make_tensor_value_info(name, TYPES[array.dtype], array.shape) for name, array in feeds.items()]
        graph = helper.make_graph(self.nodes, 'g', inputs, [onnx.ValueInfoProto(name=name) for name in outputs],
                                  self.constants)
        domains = [helper.make_opsetid('', self.opset), helper.make_opsetid('com.microsoft', 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=10)


def simulate(model, feeds, folder):
    onnx.save(model, folder / 'model.onnx')
    np.savez(folder / 'in.npz', **feeds)
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(folder / 'model.onnx'), '--input',
               str(folder / 'in.npz'), '--dump', str(folder / 'out.npz'), '--profile', 'onnxruntime', '--format', 'json',
               '--quiet']
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    with np.load(folder / 'out.npz') as values:
        return {name: values[name] for name in values.files}, json.loads(done.stdout)


def run(model, feeds, optimized=True):
    options = onnxruntime.SessionOptions()
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    return session.run(None, feeds)


def compare(builder, feeds, outputs, folder, steps=0, relative=2e-6):
    """Integers are equal (or within `steps`), reals up to the order of sums. The report."""
    model = builder.model(feeds, outputs)
    expected = run(model, feeds)
    values, report = simulate(model, feeds, folder)
    for name, array in zip(outputs, expected):
        assert name in values, report['simulation']
        if array.dtype == np.float32:
            np.testing.assert_allclose(values[name], array, rtol=relative, atol=relative * np.abs(array).max(initial=0))
            continue
        assert values[name].dtype == array.dtype, name
        assert values[name].shape == array.shape, name
        assert np.abs(values[name].astype(np.int64) - array.astype(np.int64)).max(initial=0) <= steps, name
    return report


def codes(report):
    return {finding['code'] for finding in report['results'][0].get('findings', [])}


def product(op, factor, zero_point, per_channel, dtype):
    """A quantized Conv or Gemm whose bias has `factor` times the scale of its sums."""
    random = np.random.default_rng(7)
    build = Builder()
    x = random.normal(size=(1, 3, 6, 6) if op == 'Conv' else (2, 8)).astype(np.float32)
    weight = random.integers(-127, 128, (4, 3, 3, 3) if op == 'Conv' else (4, 8)).astype(np.int8)
    scale = np.linspace(0.005, 0.02, 4).astype(np.float32) if per_channel else np.float32(0.01)
    bias = random.integers(-2000, 2000, 4).astype(np.int32)
    bias_scale = (np.float32(0.02) * scale * np.float32(factor)).astype(np.float32)
    zero = dtype(3)
    stored = build.quantize('x', np.float32(0.02), zero)
    operands = [build.dequantize(stored, np.float32(0.02), zero),
                build.dequantize(weight, scale, np.zeros_like(scale).astype(np.int8), axis=0),
                build.dequantize(bias, bias_scale, np.full_like(bias_scale, zero_point).astype(np.int32), axis=0)]
    result = build.node(op, operands, **({'transB': 1} if op == 'Gemm' else {}))
    out = build.quantize(result, np.float32(0.05), zero)
    build.dequantize(out, np.float32(0.05), zero)
    return build, {'x': x}, out


@pytest.mark.parametrize('op', ['Conv', 'Gemm'])
@pytest.mark.parametrize('factor, zero_point', [(1, 0), (1.005, 0), (1.1, 0), (2, 0), (0.13, 0), (1, 50)])
@pytest.mark.parametrize('per_channel', [False, True])
@pytest.mark.parametrize('dtype', [np.uint8, np.int8])
def test_bias_of_another_scale(op, factor, zero_point, per_channel, dtype, tmp_path):
    build, feeds, out = product(op, factor, zero_point, per_channel, dtype)
    compare(build, feeds, [out], tmp_path)


def test_bias_that_fits_only_its_own_scale(tmp_path):
    """As integers beside the sums the bias would overflow; what it stands for does not."""
    build, feeds, out = product('Conv', 1, 0, False, np.uint8)
    build.constants[7] = numpy_helper.from_array(np.full(4, 2 ** 31 - 1, np.int32), build.constants[7].name)
    build.constants[8] = numpy_helper.from_array(np.float32(1e-10), build.constants[8].name)
    assert not codes(compare(build, feeds, [out], tmp_path)) & {'SM003', 'SM004', 'SM005'}


@pytest.mark.parametrize('alpha', [1.0, 0.5, 3.7, -1.3])
@pytest.mark.parametrize('per_channel', [False, True])
@pytest.mark.parametrize('transposed', [0, 1])
@pytest.mark.parametrize('dtype', [np.uint8, np.int8])
def test_qgemm(alpha, per_channel, transposed, dtype, tmp_path):
    random = np.random.default_rng(11)
    build = Builder(17)
    limits = np.iinfo(dtype)
    x = random.integers(limits.min, limits.max + 1, (3, 8)).astype(dtype)
    weight = weights(*((5, 8) if transposed else (8, 5)))
    scale = np.linspace(0.005, 0.02, 5).astype(np.float32) if per_channel else np.float32(0.01)
    bias = random.integers(-2000, 2000, 5).astype(np.int32)
    out = build.node('com.microsoft::QGemm',
                     ['x', np.float32(0.02), dtype(7), weight, scale, np.zeros_like(scale).astype(np.int8), bias,
                      np.float32(0.05), dtype(7)], alpha=alpha, transB=transposed)
    compare(build, {'x': x}, [out], tmp_path)


@pytest.mark.parametrize('dtype', [np.uint8, np.int8])
@pytest.mark.parametrize('form', ['qdq', 'operator', 'channels last'])
@pytest.mark.parametrize('ceil_mode', [0, 1])
@pytest.mark.parametrize('count_include_pad', [0, 1])
@pytest.mark.parametrize('pads', [[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0]])
def test_average_pool(dtype, form, ceil_mode, count_include_pad, pads, tmp_path):
    random = np.random.default_rng(13)
    limits = np.iinfo(dtype)
    x = random.integers(limits.min, limits.max + 1, (2, 6, 6, 3) if 'last' in form else (2, 3, 6, 6)).astype(dtype)
    scale, other, zero = np.float32(0.031), np.float32(0.04), dtype(5)
    attributes = dict(kernel_shape=[3, 3], strides=[2, 2], pads=pads, ceil_mode=ceil_mode,
                      count_include_pad=count_include_pad)
    build = Builder(19)
    if form == 'qdq':
        out = build.quantize(build.node('AveragePool', [build.dequantize('x', scale, zero)], **attributes), other, zero)
    else:
        out = build.node('com.microsoft::QLinearAveragePool', ['x', scale, zero, other, zero],
                         channels_last=int('last' in form), **attributes)
    compare(build, {'x': x}, [out], tmp_path)


@pytest.mark.parametrize('op', ['Add', 'Mul'])
@pytest.mark.parametrize('types', [(np.uint8, np.int8, np.uint8), (np.int8, np.uint8, np.int8), (np.uint8,) * 3,
                                   (np.uint8, np.uint8, np.int8)])
def test_operands_of_two_types(op, types, tmp_path):
    random = np.random.default_rng(17)
    build, feeds, reals = Builder(), {}, []
    for name, dtype in zip('ab', types):
        limits = np.iinfo(dtype)
        feeds[name] = random.integers(limits.min, limits.max + 1, (4, 500)).astype(dtype)
        reals.append(build.dequantize(name, np.float32(0.013 if name == 'a' else 0.029), dtype(9)))
    out = build.quantize(build.node(op, reals), np.float32(0.037), types[2](11))
    compare(build, feeds, [out], tmp_path)


def test_a_pool_of_an_immense_kernel(tmp_path):
    """Bounded by what is under its windows, not by its size."""
    build = Builder()
    side = 4000000
    out = build.node('AveragePool', ['x'], kernel_shape=[side, side], pads=[side - 1, side - 1, 0, 0])
    model = build.model({'x': np.zeros((1, 1, 2, 2), np.float32)}, [out])
    values, _ = simulate(model, {'x': np.ones((1, 1, 2, 2), np.float32)}, tmp_path)
    np.testing.assert_array_equal(values[out], np.ones((1, 1, 2, 2), np.float32))


def integers(dtype, *shape):
    limits = np.iinfo(dtype)
    return np.random.default_rng(19).integers(limits.min, limits.max + 1, shape).astype(dtype)


def weights(*shape):
    """Of 7 bits: ONNX Runtime saturates sums of two products of bytes on processors without VNNI."""
    return integers(np.int8, *shape) // 2


def reals(*shape):
    return np.random.default_rng(23).normal(size=shape).astype(np.float32)


# Quantization that is computed as the graph runs, and integers without parameters: all exact.
INTEGER_OPERATORS = {
    'dynamic_quantize_linear': (reals(4, 8), lambda build: build.node('DynamicQuantizeLinear', ['x'], 3)),
    'matmul_integer': (integers(np.uint8, 4, 8), lambda build: build.node(
        'MatMulInteger', ['x', weights(8, 5), np.uint8(7), np.int8(3)])),
    'matmul_integer_columns': (integers(np.uint8, 4, 8), lambda build: build.node(
        'MatMulInteger', ['x', weights(8, 5), np.uint8(7), np.arange(5).astype(np.int8)])),
    'matmul_integer_broadcast': (integers(np.uint8, 2, 1, 4, 8), lambda build: build.node(
        'MatMulInteger', ['x', weights(3, 8, 5)])),
    'matmul_integer_vector': (integers(np.uint8, 8), lambda build: build.node(
        'MatMulInteger', ['x', weights(8, 5)])),
    'conv_integer': (integers(np.uint8, 1, 3, 6, 6), lambda build: build.node(
        'ConvInteger', ['x', integers(np.int8, 4, 3, 3, 3), np.uint8(7), np.int8(3)], pads=[1, 1, 1, 1])),
    'conv_integer_line': (integers(np.uint8, 1, 3, 9), lambda build: build.node(
        'ConvInteger', ['x', integers(np.int8, 4, 3, 3), np.uint8(7)])),
    'dynamic_quantize_matmul': (reals(4, 8), lambda build: build.node(
        'com.microsoft::DynamicQuantizeMatMul',
        ['x', integers(np.int8, 8, 5), np.float32(0.02), np.int8(0), reals(5)])),
    'dynamic_quantize_matmul_columns': (reals(2, 4, 8), lambda build: build.node(
        'com.microsoft::DynamicQuantizeMatMul', ['x', integers(np.uint8, 8, 5), np.abs(reals(5)),
                                                 integers(np.uint8, 5)])),
    'matmul_integer_to_float': (integers(np.uint8, 4, 8), lambda build: build.node(
        'com.microsoft::MatMulIntegerToFloat',
        ['x', integers(np.int8, 8, 5), np.float32(0.02), np.float32(0.03), np.uint8(4), np.int8(0), reals(5)])),
    'matmul_integer_to_float_columns': (integers(np.uint8, 2, 4, 8), lambda build: build.node(
        'com.microsoft::MatMulIntegerToFloat',
        ['x', integers(np.int8, 8, 5), np.float32(0.02), np.abs(reals(5)), np.uint8(4)])),
    'max_pool_of_bytes': (integers(np.uint8, 1, 2, 6, 6), lambda build: build.node(
        'MaxPool', ['x'], kernel_shape=[2, 2], strides=[2, 2])),
    'max_pool_of_signed_bytes': (integers(np.int8, 1, 2, 7, 7), lambda build: build.node(
        'MaxPool', ['x'], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, pads=[1, 1, 1, 1])),
}


@pytest.mark.parametrize('name', INTEGER_OPERATORS)
def test_integers_of_their_own(name, tmp_path):
    x, write = INTEGER_OPERATORS[name]
    build = Builder()
    outputs = write(build)
    report = compare(build, {'x': x}, [outputs] if isinstance(outputs, str) else outputs, tmp_path, relative=1e-7)
    for node in report['simulation'].get('nodes', []):
        assert 'floatReason' not in node or not node['floatReason'], node


@pytest.mark.parametrize('values', [np.array([0, 1], np.float32), np.array([2, -1.5], np.float32), np.array([0, 5])])
@pytest.mark.parametrize('axis', [-1, 0, 1])
@pytest.mark.parametrize('dims', [(6,), (2, 3)])
def test_one_hot(values, axis, dims, tmp_path):
    # From the end as well, and beyond either.
    indices = np.random.default_rng(29).integers(-7, 8, dims)
    build = Builder()
    out = build.node('OneHot', ['x', np.array(5, np.int64), values], axis=axis)
    compare(build, {'x': indices}, [out], tmp_path)


@pytest.mark.parametrize('opset, parameters', [(18, 2), (21, 4)])
def test_group_normalization(opset, parameters, tmp_path):
    build = Builder(opset)
    out = build.node('GroupNormalization', ['x', reals(parameters), reals(parameters)], num_groups=2)
    compare(build, {'x': reals(1, 4, 3, 3)}, [out], tmp_path, relative=1e-6)


def test_what_is_not_computed_is_listed_and_the_rest_runs(tmp_path):
    build = Builder()
    build.node('Relu', [build.node('SequenceAt', [build.node('SequenceConstruct', ['x', 'x']), np.int64(1)])])
    beside = build.node('Relu', ['x'])
    x = reals(2, 3)
    values, report = simulate(build.model({'x': x}, ['v2', beside]), {'x': x}, tmp_path)
    np.testing.assert_array_equal(values[beside], np.maximum(x, 0))
    assert 'v2' not in values
    missing = [node['node'] for node in report['simulation']['nodes']
               if node.get('floatReason', '').startswith('not computed: ')]
    assert missing == ['n0', 'n1', 'n2']
    assert report['results'][0]['verdict'] == 'UNKNOWN'


@pytest.mark.parametrize('kind', ['FLOAT8E4M3FN', 'FLOAT8E4M3FNUZ', 'FLOAT8E5M2', 'FLOAT8E5M2FNUZ'])
def test_small_floats(kind, tmp_path):
    """Every size of number, and a product between Dequantize and Quantize, which no kernel reads as integers."""
    dtype = getattr(onnx.TensorProto, kind)
    random = np.random.default_rng(29)
    x = (random.normal(size=(20, 64)) * 10 ** random.uniform(-4, 4, (20, 64))).astype(np.float32)
    x[0, :40] = np.arange(-20, 20) / 8
    zero = helper.make_tensor('zero', dtype, [], [0.0])
    scale = numpy_helper.from_array(np.float32(0.5), 'scale')
    weight = helper.make_tensor('weight', dtype, [64, 8], random.normal(size=512).astype(np.float32).tolist())
    nodes = [helper.make_node('QuantizeLinear', ['x', 'scale', 'zero'], ['q'], name='n0'),
             helper.make_node('DequantizeLinear', ['q', 'scale', 'zero'], ['y'], name='n1'),
             helper.make_node('DequantizeLinear', ['weight', 'scale', 'zero'], ['w'], name='n2'),
             helper.make_node('MatMul', ['y', 'w'], ['p'], name='n3'),
             helper.make_node('QuantizeLinear', ['p', 'scale', 'zero'], ['pq'], name='n4'),
             helper.make_node('DequantizeLinear', ['pq', 'scale', 'zero'], ['z'], name='n5')]
    graph = helper.make_graph(nodes, 'g', [helper.make_tensor_value_info('x', 1, x.shape)],
                              [helper.make_tensor_value_info(name, 1, None) for name in 'yz'], [zero, scale, weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 21)], ir_version=10)
    values, report = simulate(model, {'x': x}, tmp_path)
    for name, array in zip('yz', run(model, {'x': x}, optimized=False)):  # it fuses what it then has no kernel for
        np.testing.assert_array_equal(values[name], array)
    assert not any(node.get('floatReason', '').startswith('not computed') for node in report['simulation']['nodes'])


def body(nodes, inputs, outputs):
    """A graph inside a node; (name, type, shape) of what it takes and gives."""
    return helper.make_graph([helper.make_node(op, given, made) for op, given, made in nodes], 'body',
                             [helper.make_tensor_value_info(*value) for value in inputs],
                             [helper.make_tensor_value_info(*value) for value in outputs])


@pytest.mark.parametrize('condition', [True, False])
def test_branches(condition, tmp_path):
    """Both read a value of the graph around them, one of them quantized there."""
    x = reals(2, 3)
    build = Builder()
    stored = build.quantize('x', np.float32(0.02), np.uint8(128))
    real = build.dequantize(stored, np.float32(0.02), np.uint8(128))
    yes = body([('Relu', [real], ['yes'])], [], [('yes', 1, [2, 3])])
    no = body([('Neg', ['x'], ['no'])], [], [('no', 1, [2, 3])])
    made = build.node('If', ['condition'], then_branch=yes, else_branch=no)
    compare(build, {'x': x, 'condition': np.array(condition)}, [build.node('Abs', [made])], tmp_path)


LOOP = ([('i', 7, []), ('go', 9, []), ('s', 1, [3])], [('again', 9, []), ('next', 1, [3]), ('scan', 1, [3])])


def test_loop(tmp_path):
    build = Builder()
    doubled = body([('Identity', ['go'], ['again']), ('Add', ['s', 'x'], ['next']), ('Identity', ['next'], ['scan'])],
                   *LOOP)
    outputs = build.node('Loop', [np.int64(3), np.array(True), 'x'], 2, body=doubled)
    compare(build, {'x': reals(3)}, outputs, tmp_path)


def test_a_loop_that_does_not_end_is_not_computed(tmp_path):
    build = Builder()
    forever = body([('Identity', ['go'], ['again']), ('Identity', ['s'], ['next']), ('Identity', ['s'], ['scan'])], *LOOP)
    outputs = build.node('Loop', ['', np.array(True), 'x'], 2, body=forever)
    _, report = simulate(build.model({'x': reals(3)}, outputs), {'x': reals(3)}, tmp_path)
    node, = report['simulation']['nodes']
    assert node['floatReason'] == 'not computed: a loop of more than 10000 rounds'


# Scales or sizes (the other one omitted), region, attributes.
RESIZES = {
    'axes': ([2., 2.], None, '', dict(axes=[2, 3], mode='nearest')),
    'axes_in_another_order': (None, [7, 3], '', dict(axes=[3, 2], mode='linear')),
    'cubic': ([1, 1, 2., 2.5], None, '', dict(mode='cubic')),
    'cubic_outside': ([1, 1, 2., 1.7], None, '', dict(mode='cubic', exclude_outside=1, cubic_coeff_a=-0.5)),
    'cubic_corners': (None, [2, 3, 7, 9], '', dict(mode='cubic', coordinate_transformation_mode='align_corners')),
    'antialias': ([1, 1, 0.5, 0.6], None, '', dict(mode='linear', antialias=1)),
    'antialias_cubic': (None, [2, 3, 2, 3], '', dict(mode='cubic', antialias=1)),
    'not_larger': (None, [8, 8], '', dict(axes=[2, 3], mode='linear', keep_aspect_ratio_policy='not_larger')),
    'not_smaller': (None, [8, 8], '', dict(axes=[2, 3], mode='linear', keep_aspect_ratio_policy='not_smaller')),
    'region': (None, [2, 3, 4, 4], np.array([0, 0, .2, .1, 1, 1, .8, 1.2], np.float32),
               dict(mode='linear', coordinate_transformation_mode='tf_crop_and_resize', extrapolation_value=7.0)),
    'symmetric': (None, [2, 3, 9, 4], '', dict(mode='linear', coordinate_transformation_mode='half_pixel_symmetric')),
}


@pytest.mark.parametrize('name', RESIZES)
def test_resize(name, tmp_path):
    scales, sizes, region, attributes = RESIZES[name]
    build = Builder(19)
    inputs = ['x', region, '' if scales is None else np.array(scales, np.float32)]
    out = build.node('Resize', inputs + ([] if sizes is None else [np.array(sizes)]), **attributes)
    compare(build, {'x': reals(2, 3, 5, 7)}, [out], tmp_path, relative=1e-5)


# Positions are computed in single precision, and so are sizes: 20 x 0.7 is 14, and 1 / (1 / 3) is 3.
@pytest.mark.parametrize('scale', [1 / 3, 0.6, 0.7, 1.1, 1.2, 1.7, 0.3])
@pytest.mark.parametrize('coordinates', ['asymmetric', 'half_pixel', 'tf_half_pixel_for_nn'])
@pytest.mark.parametrize('nearest', ['floor', 'ceil', 'round_prefer_ceil', 'round_prefer_floor'])
@pytest.mark.parametrize('quantized', [False, True])
def test_nearest_elements(scale, coordinates, nearest, quantized, tmp_path):
    build = Builder(11)
    scale = np.array([1, 1, 1, scale], np.float32)
    x, zero = np.arange(20, dtype=np.float32).reshape(1, 1, 1, 20), np.uint8(3)
    inner = build.dequantize(build.quantize('x', np.float32(1), zero), np.float32(1), zero) if quantized else 'x'
    made = build.node('Resize', [inner, np.zeros(0, np.float32), scale], mode='nearest', nearest_mode=nearest,
                      coordinate_transformation_mode=coordinates)
    outputs = [build.quantize(made, np.float32(1), zero)] if quantized else [made]
    compare(build, {'x': x}, outputs, tmp_path)


@pytest.mark.parametrize('scale', [0.6, 0.3, 1.7, 2.0])
def test_nearest_elements_before_they_were_defined(scale, tmp_path):
    build = Builder(10)
    made = build.node('Resize', ['x', np.array([1, 1, 1, scale], np.float32)], mode='nearest')
    compare(build, {'x': np.arange(20, dtype=np.float32).reshape(1, 1, 1, 20)}, [made], tmp_path)


IMAGE = np.arange(96, dtype=np.float32).reshape(2, 3, 4, 4)
ELEMENTS = np.random.default_rng(3).normal(size=(3, 4, 4)).astype(np.float32)
# Operator, operator set, inputs behind x, x, outputs, attributes.
FORMS = {
    'no padding beside pads': ('MaxPool', 21, [], IMAGE, 1, dict(kernel_shape=[2, 2], auto_pad='VALID', pads=[1] * 4)),
    'averages without padding': ('AveragePool', 21, [], IMAGE, 1,
                                 dict(kernel_shape=[2, 2], auto_pad='VALID', pads=[1] * 4)),
    'dilated beside automatic padding': ('MaxPool', 21, [], IMAGE, 1,
                                         dict(kernel_shape=[2, 2], auto_pad='SAME_LOWER', dilations=[2, 1])),
    'dilated averages': ('AveragePool', 21, [], IMAGE, 1,
                         dict(kernel_shape=[3, 2], auto_pad='SAME_UPPER', dilations=[1, 2], strides=[2, 1])),
    'parameters of elements': ('BatchNormalization', 8, [ELEMENTS, ELEMENTS, ELEMENTS, np.abs(ELEMENTS) + 1], IMAGE, 1,
                               dict(spatial=0)),
    'largest bound': ('Clip', 13, [np.int64(-2**63), np.int64(2**63 - 1)], np.array([5, 2**62, -2**63, 2**63 - 1]), 1, {}),
    'largest of none': ('ReduceMax', 18, [np.array([1])], np.zeros((2, 0), np.float32), 1, {}),
    'least of none': ('ReduceMin', 18, [np.array([1])], np.zeros((2, 0), np.int32), 1, {}),
    'squeezed along no axes': ('Squeeze', 13, [np.zeros(0, np.int64)], reals(1, 3), 1, {}),
    'mask of zeros': ('Dropout', 7, [], reals(3), 2, {}),
    'mask of no truth': ('Dropout', 10, [], reals(3), 2, {}),
    'mask of truth': ('Dropout', 13, [], reals(3), 2, {}),
    'cast beyond': ('Cast', 13, [], np.array([3e9, -3e9, 300.7, -1.5], np.float32), 1, dict(to=6)),
    'cast beyond to bytes': ('Cast', 13, [], np.array([3e9, -3e9, 300.7, -1.5, 70000.5], np.float32), 1, dict(to=3)),
    'cast beyond 64 bits': ('Cast', 13, [], np.array([1e19, -1e19, 3e9], np.float32), 1, dict(to=7)),
}


@pytest.mark.parametrize('name', FORMS)
def test_forms(name, tmp_path):
    op, opset, inputs, x, outputs, attributes = FORMS[name]
    build = Builder(opset)
    made = build.node(op, ['x', *inputs], outputs, **attributes)
    compare(build, {'x': x}, [made] if outputs == 1 else made, tmp_path)


@pytest.mark.parametrize('dtype', [np.float16, np.float64])
@pytest.mark.parametrize('number', [0.5, -np.inf])
def test_filled_with_a_real_number(dtype, number, tmp_path):
    build = Builder()
    made = build.node('ConstantOfShape', [np.array([3])], value=numpy_helper.from_array(np.array([number], dtype)))
    out = build.node('Add', [build.node('Cast', [made], to=onnx.TensorProto.FLOAT), 'x'])
    compare(build, {'x': reals(3)}, [out], tmp_path)


def refused(model, folder, *options):
    onnx.save(model, folder / 'model.onnx')
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(folder / 'model.onnx'), '--quiet', *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done.stdout
    return done.stderr


def test_products_that_no_model_means(tmp_path):
    build = Builder()
    filled = [build.node('ConstantOfShape', [np.array([8192, 8192])]) for _ in range(2)]
    out = build.node('MatMul', [build.node('Add', [filled[0], 'x']), filled[1]])
    assert '549755813888 multiplications' in refused(build.model({'x': reals(1)}, [out]), tmp_path)


def test_sizes_that_no_model_means(tmp_path):
    build = Builder(19)
    out = build.node('Resize', ['x', '', np.array([1e9, 1e9], np.float32)])
    assert 'RESOURCE_EXHAUSTED' in refused(build.model({'x': reals(1, 1)}, [out]), tmp_path)


def test_results_are_counted_before_they_are_there(tmp_path):
    build = Builder()
    out = build.node('ReduceSum', [build.node('Expand', ['x', np.array([2**28])])])
    assert '1073741824' not in refused(build.model({'x': reals(1)}, [out]), tmp_path, '--max-memory', '2GB')


def test_loops_within_loops_end(tmp_path):
    def rounds(depth):
        names = [f'{name}{depth}' for name in ('i', 'go', 's', 'again', 'next')]
        inner = [helper.make_node('Loop', ['n', '', names[2]], [names[4]], body=rounds(depth - 1))] if depth else \
            [helper.make_node('Add', [names[2], names[2]], [names[4]])]
        infos = [helper.make_tensor_value_info(name, kind, shape)
                 for name, kind, shape in zip(names, (7, 9, 1, 9, 1), ([], [], [3], [], [3]))]
        return helper.make_graph([helper.make_node('Identity', [names[1]], [names[3]]), *inner], f'b{depth}', infos[:3],
                                 infos[3:])

    build = Builder()
    build.constants.append(numpy_helper.from_array(np.array(9999), 'n'))
    out = build.node('Loop', ['n', '', 'x'], body=rounds(2))
    _, report = simulate(build.model({'x': reals(3)}, [out]), {'x': reals(3)}, tmp_path)
    node, = report['simulation']['nodes']
    assert 'not computed' in node['floatReason']


def test_a_bias_at_the_limit(tmp_path):
    """RC-39, RC-41 and RC-85 in numbers: the sums leave 32 bits. A bias of ordinary size next to it does not."""
    build, feeds, out = product('Conv', 1, 0, False, np.uint8)
    assert 'SM003' not in codes(compare(build, feeds, [out], tmp_path))
    build.constants[7] = numpy_helper.from_array(np.full(4, 2 ** 31 - 1, np.int32), build.constants[7].name)
    _, report = simulate(build.model(feeds, [out]), feeds, tmp_path)
    assert 'SM003' in codes(report)
    assert report['results'][0]['verdict'] == 'REJECTED'


POSITIVE = lambda build: build.node('Greater', ['x', np.float32(0)])  # noqa: E731
SCALE, ZERO = np.float32(0.03), np.uint8(120)


def stored(build):
    return build.quantize('x', SCALE, ZERO)


def filled(dtype, number, *shape):
    return lambda build: build.node('ConstantOfShape', [np.array(shape, np.int64)],
                                    value=numpy_helper.from_array(np.array([number], dtype)))


# Stored integers and integers of no parameters in one operator: those are put among them as they are.
MIXED_INTEGERS = {
    'where_else': lambda build: build.node('Where', [POSITIVE(build), stored(build), np.uint8(120)]),
    'where_then': lambda build: build.node('Where', [POSITIVE(build), np.uint8(3), stored(build)]),
    'where_of_two_scales': lambda build: build.node(
        'Where', [POSITIVE(build), stored(build), build.quantize('x', np.float32(0.05), np.uint8(90))]),
    'concat': lambda build: build.node('Concat', [filled(np.uint8, 9, 2, 3)(build), stored(build)], axis=-1),
    'pad': lambda build: build.node('Pad', [stored(build), np.array([0, 1, 0, 1]), np.uint8(120)]),
    'pad_by_default': lambda build: build.node('Pad', [stored(build), np.array([0, 1, 0, 1])]),
    'pad_edge': lambda build: build.node('Pad', [stored(build), np.array([0, 1, 0, 1])], mode='edge'),
    'pad_axes': lambda build: build.node('Pad', [stored(build), np.array([2, 1]), np.uint8(7), np.array([-1])]),
}


@pytest.mark.parametrize('name', MIXED_INTEGERS)
def test_integers_beside_stored_ones(name, tmp_path):
    build = Builder()
    out = MIXED_INTEGERS[name](build)
    compare(build, {'x': reals(2, 3)}, [out, build.dequantize(out, SCALE, ZERO)], tmp_path)


# Next to them: operators that state the parameters of each operand rescale it.
OWN_PARAMETERS = {
    'concat': lambda build: build.node(
        'com.microsoft::QLinearConcat',
        [np.float32(.04), np.uint8(5), stored(build), SCALE, ZERO, integers(np.uint8, 2, 2), np.float32(.03),
         np.uint8(1)], axis=-1),
    'where': lambda build: build.node(
        'com.microsoft::QLinearWhere',
        [POSITIVE(build), stored(build), SCALE, ZERO, integers(np.uint8, 2, 1), np.float32(.05), np.uint8(1),
         np.float32(.04), np.uint8(3)]),
}


@pytest.mark.parametrize('name', OWN_PARAMETERS)
def test_operands_of_their_own_parameters(name, tmp_path):
    build = Builder()
    compare(build, {'x': reals(2, 3)}, [OWN_PARAMETERS[name](build)], tmp_path)


@pytest.mark.parametrize('fill', [np.float32(0.7), None])
def test_pad_between_dequantize_and_quantize(fill, tmp_path):
    """What is filled in is a real number there."""
    build = Builder()
    real = build.dequantize(stored(build), SCALE, ZERO)
    fill = [build.dequantize(np.uint8(200), SCALE, ZERO) if fill is None else fill]
    out = build.quantize(build.node('Pad', [real, np.array([0, 1, 0, 1])] + fill), SCALE, ZERO)
    compare(build, {'x': reals(2, 3)}, [out], tmp_path)


@pytest.mark.parametrize('dtype', [np.uint8, np.int8, np.int16])
@pytest.mark.parametrize('shape', [(), (3,)])
def test_zero_points_that_are_computed(dtype, shape, tmp_path):
    build = Builder()
    scale = np.array([.01, .02, .03], np.float32) if shape else SCALE
    zero = filled(dtype, 5, *shape)(build)
    out = build.quantize('x', scale, zero, axis=1)
    compare(build, {'x': reals(2, 3)}, [out, build.dequantize(out, scale, zero, axis=1)], tmp_path)


@pytest.mark.parametrize('is_input', [False, True])
def test_parts_of_stored_integers(is_input, tmp_path):
    build = Builder()
    first, second = build.node('Split', ['x' if is_input else stored(build), np.array([1, 3])], 2, axis=-1)
    turned = build.dequantize(build.node('Transpose', [second]), SCALE, ZERO)
    outputs = [first, second, turned, build.dequantize(first, SCALE, ZERO)]
    compare(build, {'x': integers(np.uint8, 2, 4) if is_input else reals(2, 4)}, outputs, tmp_path)


@pytest.mark.parametrize('shape', [(), (1,), (5,), (1, 5), (3, 1), (3, 5), (5, 1)])
@pytest.mark.parametrize('form', ['qdq', 'operator'])
def test_bias_that_is_broadcast(shape, form, tmp_path):
    random = np.random.default_rng(31)
    rows = 5 if shape == (5, 1) else 3
    bias = random.integers(-2000, 2000, shape).astype(np.int32)
    weight, scale, other = weights(8, 5), np.float32(0.01), np.float32(0.05)
    build = Builder(17)
    if form == 'operator':
        out = build.node('com.microsoft::QGemm',
                         ['x', SCALE, ZERO, weight, scale, np.int8(0), bias, other, np.uint8(7)])
    else:
        operands = [build.dequantize('x', SCALE, ZERO), build.dequantize(weight, scale, np.int8(0)),
                    build.dequantize(bias, SCALE * scale, np.int32(0))]
        out = build.quantize(build.node('Gemm', operands), other, np.uint8(7))
    compare(build, {'x': integers(np.uint8, rows, 8)}, [out], tmp_path)


def test_a_bias_that_does_not_fit(tmp_path):
    build = Builder(17)
    out = build.node('com.microsoft::QGemm', ['x', SCALE, ZERO, integers(np.int8, 8, 5), SCALE, np.int8(0),
                                              np.zeros((2, 5), np.int32), SCALE, ZERO])
    with pytest.raises(AssertionError, match='a bias of .2, 5. for sums of .3, 5.'):
        simulate(build.model({'x': integers(np.uint8, 3, 8)}, [out]), {'x': integers(np.uint8, 3, 8)}, tmp_path)


@pytest.mark.parametrize('level', [0, 4])
@pytest.mark.parametrize('bits, block', [(2, 16), (2, 32), (2, 128), (2, 256), (4, 16), (4, 64), (8, 32)])
@pytest.mark.parametrize('zeros', [False, True])
@pytest.mark.parametrize('rows, depth', [(1, 256), (3, 200)])
def test_matmul_nbits(level, bits, block, zeros, rows, depth, tmp_path):
    """accuracy_level 4 rounds the input to int8 in blocks, but for weights of 2 bits in two sizes of them."""
    random = np.random.default_rng(37)
    columns, blocks = 8, -(-depth // block)
    x = random.normal(size=(rows, depth)).astype(np.float32)
    x[0, :block] = 0
    operands = ['x', random.integers(0, 256, (columns, blocks, block * bits // 8)).astype(np.uint8),
                random.uniform(0.001, 0.05, columns * blocks).astype(np.float32)]
    if zeros:
        operands.append(random.integers(0, 256, columns * (-(-blocks * bits // 8))).astype(np.uint8))
    build = Builder()
    out = build.node('com.microsoft::MatMulNBits', operands, K=depth, N=columns, bits=bits, block_size=block,
                     accuracy_level=level)
    compare(build, {'x': x}, [out], tmp_path, relative=1e-5)
