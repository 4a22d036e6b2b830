"""`quantgate simulate` beside LiteRT's reference kernels, on single operators that move 8-bit integers: what their
options make of the shape, too."""
import concurrent.futures.process
import multiprocessing
import os
import pathlib
import subprocess
import sys

import pytest

np = pytest.importorskip('numpy')
litert = pytest.importorskip('ai_edge_litert.interpreter')
schema = pytest.importorskip('ai_edge_litert.schema_py_generated')
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'runtimes' / 'litert'))
from model import Case, Tensor, write  # noqa: E402
from runtime import ask  # noqa: E402


def case_of(operator, shape, constants, table, outputs=('INT8',), version=1, **options):
    """Of one int8 input of `shape` and int32 constants."""
    quantized = dict(scales=[0.1], zero_points=[3])
    inputs = [Tensor('INT8', shape, **quantized)]
    inputs += [Tensor('INT32', np.shape(numbers), data=np.array(numbers, np.int32)) for numbers in constants]
    results = [Tensor(type, (1,), **(quantized if type == 'INT8' else {})) for type in outputs]
    return Case(operator, inputs, results, (table, options), version)


def computed(case, numbers):
    """By LiteRT: the output; None where it refuses the model, or crashes: it is asked in a process of its own."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context('fork')) as process:
        try:
            return process.submit(computed_here, case, numbers).result()
        except concurrent.futures.process.BrokenProcessPool:
            return None


def computed_here(case, numbers):
    kinds = litert.OpResolverType
    # A few versions have no reference kernel.
    for kind in (kinds.BUILTIN_REF, kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            interpreter = litert.Interpreter(model_content=write(case), experimental_op_resolver_type=kind,
                                             num_threads=1)
            interpreter.allocate_tensors()
            interpreter.set_tensor(interpreter.get_input_details()[0]['index'], numbers)
            interpreter.invoke()
        except (RuntimeError, ValueError):
            continue
        return interpreter.get_tensor(interpreter.get_output_details()[0]['index'])
    return None


def simulated(case, numbers, folder, profile='litert/reference'):
    (folder / 'model.tflite').write_bytes(write(case))
    fed = next(i for i, tensor in enumerate(case.inputs) if tensor is not None and tensor.data is None)
    np.savez(folder / 'in.npz', **{f'in{fed}': numbers})
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(folder / 'model.tflite'), '--profile',
               profile, '--input', str(folder / 'in.npz'), '--dump', str(folder / 'out.npz'), '--quiet']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    with np.load(folder / 'out.npz') as values:
        return values['out0']


def same(case, folder, seed=0):
    numbers = np.random.default_rng(seed).integers(-128, 128, case.inputs[0].shape).astype(np.int8)
    expected = computed(case, numbers)
    if expected is None:
        return False
    case.outputs[0].shape = expected.shape  # as a converter writes it
    result = simulated(case, numbers, folder)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)
    return True


@pytest.mark.parametrize('mode', [0, 1])
@pytest.mark.parametrize('pads', [[[0, 0], [2, 2]], [[1, 0], [0, 3]], [[1, 1], [3, 3]]])
def test_mirror_pad(mode, pads, tmp_path):
    assert same(case_of('MIRROR_PAD', (2, 4), [pads], 'MirrorPadOptions', mode=mode), tmp_path)


@pytest.mark.parametrize('axis, batch, indices', [
    (1, 0, [[0, 2], [1, 1]]), (1, 1, [[0, 2], [1, 1]]), (2, 1, [[3, 0], [1, 1]]), (2, 2, [[[3], [0], [1]]] * 2),
    (1, 1, [0, 2])])
def test_gather(axis, batch, indices, tmp_path):
    assert same(case_of('GATHER', (2, 3, 4), [indices], 'GatherOptions', axis=axis, batchDims=batch, version=4), tmp_path)


def test_strided_slice(tmp_path):
    """Masks, offsets and negative steps at random. An end that is counted from the start is not held to the axis: LiteRT
    reads, and crashes, beyond it, so that none is drawn there; nor backward or with masks, of which it makes one
    shape and fills another."""
    draw = np.random.default_rng(20261122)
    compared = 0
    for seed in range(60):
        rank = int(draw.integers(1, 4))
        shape = tuple(int(n) for n in draw.integers(1, 6, rank))
        offset = bool(seed % 2)
        begin, end = draw.integers(-6, 7, (2, rank)).tolist()
        step = draw.choice([1, 2, 3] if offset else [-2, -1, 1, 1, 2, 3], rank).tolist()
        begin_mask = int(draw.integers(0, 2 ** rank))
        end_mask, shrink = draw.integers(0, 2 ** rank, 2).tolist() if not offset else (0, 0)
        for axis, size in enumerate(shape):
            if shrink >> axis & 1:
                begin[axis], step[axis] = int(draw.integers(0, size)), 1
                begin_mask &= ~(1 << axis)
            if offset:
                begin[axis] = int(draw.integers(-size, size))
                end[axis] = int(draw.integers(0, size + 1 - (0 if begin_mask >> axis & 1 else begin[axis] % size)))
        case = case_of('STRIDED_SLICE', shape, [begin, end, step], 'StridedSliceOptions', version=8,
                       beginMask=begin_mask, endMask=end_mask, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=shrink,
                       offset=offset)
        compared += same(case, tmp_path, seed)
    assert compared >= 45


@pytest.mark.parametrize('type', ['INT8', 'UINT8', 'INT16', 'FLOAT32', 'INT32'])
@pytest.mark.parametrize('operator, shape, block, borders, out', [
    ('SPACE_TO_BATCH_ND', (2, 4, 6, 3), [2, 3], [[0, 0], [0, 0]], (12, 2, 2, 3)),
    ('SPACE_TO_BATCH_ND', (2, 3, 5, 2), [2, 2], [[1, 0], [0, 3]], (8, 2, 4, 2)),
    ('SPACE_TO_BATCH_ND', (2, 5, 3), [3], [[2, 2]], (6, 3, 3)),
    ('BATCH_TO_SPACE_ND', (12, 2, 2, 3), [2, 3], [[0, 0], [0, 0]], (2, 4, 6, 3)),
    ('BATCH_TO_SPACE_ND', (8, 2, 4, 2), [2, 2], [[1, 0], [0, 3]], (2, 3, 5, 2)),
    ('BATCH_TO_SPACE_ND', (6, 3, 3), [3], [[2, 2]], (2, 5, 3))])
def test_blocks_and_samples(operator, shape, block, borders, out, type, tmp_path):
    """As dilated convolutions are converted. What is padded is real zero."""
    quantized = {'INT8': ([0.1], [3]), 'UINT8': ([0.1], [7]), 'INT16': ([0.1], [0])}.get(type, (None, None))
    constants = [Tensor('INT32', np.shape(numbers), data=np.array(numbers)) for numbers in (block, borders)]
    case = Case(operator, [Tensor(type, shape, *quantized), *constants], [Tensor(type, out, *quantized)], version=3)
    numbers = np.random.default_rng(1).integers(0, 100, shape).astype(type.lower())
    expected = computed(case, numbers)
    if expected is None:
        assert type == 'INT16'  # not in all of its versions
        return
    np.testing.assert_array_equal(simulated(case, numbers, tmp_path), expected)


@pytest.mark.parametrize('starts', [[0, 1, 2], [-4, 9, 1], [1, 0, 0]])
@pytest.mark.parametrize('part', [(1, 2, 2), (2, 1, 4), (2, 3, 4), (2, 0, 4)])
@pytest.mark.parametrize('type', ['INT8', 'FLOAT32', 'INT32'])
def test_parts_written_anew(type, part, starts, tmp_path):
    """A cache of keys and values. Starts are held to where the part lies within."""
    quantized = ([0.1], [3]) if type == 'INT8' else (None, None)
    draw = np.random.default_rng(2)
    update = Tensor(type, part, *quantized, data=draw.integers(-100, 100, part))
    case = Case('DYNAMIC_UPDATE_SLICE', [Tensor(type, (2, 3, 4), *quantized), update,
                                         Tensor('INT32', (3,), data=np.array(starts))], [Tensor(type, (2, 3, 4), *quantized)])
    numbers = draw.integers(-100, 100, (2, 3, 4)).astype(type.lower())
    np.testing.assert_array_equal(simulated(case, numbers, tmp_path), computed(case, numbers))


def test_a_part_of_another_scale_is_copied(tmp_path):
    """LiteRT moves stored integers, which then mean something else."""
    part = Tensor('INT8', (2, 2), [0.25], [5], data=np.array([[100, -100], [7, 0]]))
    case = Case('DYNAMIC_UPDATE_SLICE', [Tensor('INT8', (3, 4), [0.1], [3]), part,
                                         Tensor('INT32', (2,), data=np.array([1, 1]))], [Tensor('INT8', (3, 4), [0.2], [1])])
    numbers = np.arange(-60, 60, 10).reshape(3, 4).astype(np.int8)
    np.testing.assert_array_equal(simulated(case, numbers, tmp_path), computed(case, numbers))


@pytest.mark.parametrize('axis', [-1, 0, 1])
@pytest.mark.parametrize('type, on, off', [('FLOAT32', 1.5, -0.5), ('INT8', 5, -3), ('INT32', 70000, 1), ('BOOL', 1, 0),
                                           ('INT64', 2**40, -1)])
def test_one_hot(type, on, off, axis, tmp_path):
    """An index that is not there, before the first or behind the last, is nowhere."""
    values = [Tensor(type, (), data=np.array(value)) for value in (on, off)]
    shape = {-1: (2, 3, 4), 0: (4, 2, 3), 1: (2, 4, 3)}[axis]
    case = Case('ONE_HOT', [Tensor('INT32', (2, 3)), Tensor('INT32', (), data=np.array(4)), *values],
                [Tensor(type, shape)], ('OneHotOptions', {'axis': axis}))
    numbers = np.array([[0, 3, -1], [4, 2, 2]], np.int32)
    np.testing.assert_array_equal(simulated(case, numbers, tmp_path), computed(case, numbers))


@pytest.mark.parametrize('shape', [(2, 3), (4,), (1, 1, 1, 2)])
def test_rank(shape, tmp_path):
    case = Case('RANK', [Tensor('INT8', shape, [0.1], [3])], [Tensor('INT32', ())], ('RankOptions', {}))
    numbers = np.zeros(shape, np.int8)
    assert computed(case, numbers) == simulated(case, numbers, tmp_path) == len(shape)


@pytest.mark.parametrize('operator', ['ARG_MAX', 'ARG_MIN'])
def test_index_types(operator, tmp_path):
    """LiteRT gives indices of 32 and 64 bits; of another type the model is refused, and nothing is computed."""
    types = schema.TensorType
    table = {'ARG_MAX': 'ArgMaxOptions', 'ARG_MIN': 'ArgMinOptions'}[operator]
    for type in ('INT32', 'INT64'):
        assert same(case_of(operator, (2, 5), [1], table, outputs=(type,), outputType=getattr(types, type)), tmp_path)
    case = case_of(operator, (2, 5), [1], table, outputs=('INT32',), outputType=types.FLOAT32)
    numbers = np.zeros((2, 5), np.int8)
    assert computed(case, numbers) is None
    case.outputs[0].shape = (2,)
    (tmp_path / 'model.tflite').write_bytes(write(case))
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(tmp_path / 'model.tflite'), '--profile',
               'litert/reference', '--quiet']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2), done.stderr


@pytest.mark.parametrize('activation', ['NONE', 'RELU', 'RELU_N1_TO_1', 'RELU6'])
@pytest.mark.parametrize('operator, type', [('ADD', 'INT32'), ('ADD', 'INT64'), ('SUB', 'INT32'), ('SUB', 'INT64'),
                                            ('MUL', 'INT32'), ('MUL', 'INT64'), ('DIV', 'INT32')])
def test_activations_of_integers(operator, type, activation, tmp_path):
    """Integers without a scale are clamped as the numbers that they are."""
    numbers = np.array([-9, -1, 0, 1, 3, 7, 20, 8], type.lower())
    options = {'fusedActivationFunction': getattr(schema.ActivationFunctionType, activation)}
    case = Case(operator, [Tensor(type, (8,)), Tensor(type, (8,), data=np.array([2, 1, 3, 1, 2, 2, 1, 1]))],
                [Tensor(type, (8,))], (operator.capitalize() + 'Options', options))
    np.testing.assert_array_equal(simulated(case, numbers, tmp_path), computed(case, numbers))


@pytest.mark.parametrize('options', [None, ('SoftmaxOptions', {'beta': 1.0}), ('SoftmaxOptions', {'beta': 0.5})])
def test_softmax_without_options(options, tmp_path):
    """Without options everything is as large."""
    numbers = np.float32([[1, 2, 3], [0, 5, 0]])
    case = Case('SOFTMAX', [Tensor('FLOAT32', (2, 3))], [Tensor('FLOAT32', (2, 3))], options)
    np.testing.assert_allclose(simulated(case, numbers, tmp_path), computed(case, numbers), rtol=1e-5)


def hybrid(operator, kind, channels, asymmetric):
    """Float inputs and weights of integers, with a scale for all or for each output channel."""
    draw = np.random.default_rng(20261127)
    low = {'INT4': -7, 'INT8': -127}[kind]
    shape, weights, out, axis, table, options, version = {
        'FULLY_CONNECTED': ((3, 64), (5, 64), (3, 5), 0, 'FullyConnectedOptions', {}, 10),
        'CONV_2D': ((2, 5, 5, 4), (6, 3, 3, 4), (2, 3, 3, 6), 0, 'Conv2DOptions',
                    {'padding': 1, 'strideW': 1, 'strideH': 1}, 2),
        'DEPTHWISE_CONV_2D': ((2, 5, 5, 4), (1, 3, 3, 4), (2, 3, 3, 4), 3, 'DepthwiseConv2DOptions',
                              {'padding': 1, 'strideW': 1, 'strideH': 1, 'depthMultiplier': 1}, 4),
        'ODD_ROWS': ((3, 13), (5, 13), (3, 5), 0, 'FullyConnectedOptions', {}, 10),
        'PIXELS': ((2, 5, 5, 4), (6, 1, 1, 4), (2, 5, 5, 6), 0, 'Conv2DOptions',
                   {'padding': 0, 'strideW': 1, 'strideH': 1}, 2),
        'SOME_PIXELS': ((2, 5, 5, 4), (6, 1, 1, 4), (2, 3, 3, 6), 0, 'Conv2DOptions',
                        {'padding': 0, 'strideW': 2, 'strideH': 2}, 2),
        'TRANSPOSE_CONV': ((2, 4, 4, 3), (2, 3, 3, 3), (2, 9, 9, 2), 0, 'TransposeConvOptions',
                           {'padding': 1, 'strideW': 2, 'strideH': 2}, 3),
        'BATCH_MATMUL': ((2, 3, 16), (2, 16, 8), (2, 3, 8), 0, 'BatchMatMulOptions', {}, 4)}[operator]
    operator = {'PIXELS': 'CONV_2D', 'SOME_PIXELS': 'CONV_2D', 'ODD_ROWS': 'FULLY_CONNECTED'}.get(operator, operator)
    if operator in ('FULLY_CONNECTED', 'BATCH_MATMUL'):
        options = {**options, 'asymmetricQuantizeInputs': asymmetric}
    scales = [float(scale) for scale in draw.uniform(0.005, 0.02, weights[axis] if channels else 1).astype(np.float32)]
    stored = draw.integers(low, -low + 1, weights).astype(np.int8)
    weight = Tensor(kind, weights, scales, [0] * len(scales), axis, stored)
    inputs = [Tensor('FLOAT32', shape), weight]
    if operator != 'BATCH_MATMUL':
        inputs.append(Tensor('FLOAT32', (out[-1],), data=draw.normal(size=out[-1])))
    if operator == 'TRANSPOSE_CONV':
        inputs = [Tensor('INT32', (4,), data=np.array(out, np.int32)), weight, inputs[0], inputs[2]]
    numbers = (3 * draw.normal(size=shape) + 1).astype(np.float32)
    numbers[0] = abs(numbers[0])
    return Case(operator, inputs, [Tensor('FLOAT32', out)], (table, options), version), numbers


@pytest.mark.parametrize('profile', ['reference', 'xnnpack'])
@pytest.mark.parametrize('operator, kind, channels, asymmetric', [
    (operator, 'INT8', channels, asymmetric) for operator in ('FULLY_CONNECTED', 'CONV_2D')
    for channels in (False, True) for asymmetric in (False, True)] + [
        ('FULLY_CONNECTED', 'INT4', False, False), ('FULLY_CONNECTED', 'INT4', False, True),
        ('ODD_ROWS', 'INT4', False, False), ('ODD_ROWS', 'INT4', False, True),
        ('PIXELS', 'INT8', False, False), ('PIXELS', 'INT8', True, False), ('SOME_PIXELS', 'INT8', True, False),
        ('TRANSPOSE_CONV', 'INT8', False, False), ('TRANSPOSE_CONV', 'INT8', True, False),
        ('DEPTHWISE_CONV_2D', 'INT8', True, False), ('BATCH_MATMUL', 'INT8', False, False),
        ('BATCH_MATMUL', 'INT8', False, True)])
def test_hybrid_kernels(operator, kind, channels, asymmetric, profile, tmp_path):
    """Inputs that are quantized as the graph runs: the simulator is as far off from real numbers as LiteRT, in the same
    way."""
    case, numbers = hybrid(operator, kind, channels, asymmetric)
    check_hybrid(case, numbers, profile, tmp_path)


@pytest.mark.parametrize('version', [8, 9])
def test_hybrid_kernels_by_version(version, tmp_path):
    """XNNPACK leaves version 8 to the built-in kernel."""
    case, numbers = hybrid('FULLY_CONNECTED', 'INT8', False, False)
    case.version = version
    check_hybrid(case, numbers, 'xnnpack', tmp_path)


def check_hybrid(case, numbers, profile, tmp_path):
    answer, = ask([(write(case), [[numbers]], profile)])
    made = simulated(case, numbers, tmp_path, 'litert/' + profile)
    np.testing.assert_allclose(made, answer.outputs[0][0], atol=3e-5)


def of_bytes(operator, kind, scale, zero_point, out_kind, out_scale, out_zero_point, version=1, options=None):
    shape = (1, 65536 if kind == 'INT16' else 256)
    given = Tensor(kind, shape, scales=[scale], zero_points=[zero_point])
    return Case(operator, [given], [Tensor(out_kind, shape, scales=[out_scale], zero_points=[out_zero_point])], options,
                version)


def every(kind, least=None):
    limits = np.iinfo(kind.lower())
    numbers = np.arange(limits.min, limits.max + 1)
    return np.maximum(numbers, limits.min if least is None else least).astype(kind.lower())[None]


@pytest.mark.parametrize('profile', ['reference', 'xnnpack'])
@pytest.mark.parametrize('case', [
    of_bytes('SQRT', 'INT8', 0.02, -128, 'INT8', 0.01, -100, 2), of_bytes('SQRT', 'INT8', 0.05, -20, 'INT8', 0.01, 3, 2),
    of_bytes('SQRT', 'INT16', 0.001, 0, 'INT16', 0.0002, 0, 2),
    of_bytes('HARD_SWISH', 'INT8', 0.03, -5, 'INT8', 0.015, -100), of_bytes('HARD_SWISH', 'INT8', 0.08, 20, 'INT8', 0.04, -115),
    of_bytes('HARD_SWISH', 'UINT8', 0.003, 100, 'UINT8', 0.002, 60), of_bytes('HARD_SWISH', 'UINT8', 0.05, 0, 'UINT8', 0.05, 0),
    of_bytes('QUANTIZE', 'UINT8', 0.02, 7, 'INT8', 0.013, -9, 3), of_bytes('QUANTIZE', 'INT8', 0.02, 7, 'UINT8', 0.013, 99, 3),
    of_bytes('QUANTIZE', 'INT8', 0.02, 7, 'INT8', 0.013, -9, 3)],
    ids=lambda case: f'{case.operator}_{case.inputs[0].type}_{case.outputs[0].type}_{case.inputs[0].scales[0]}')
def test_every_integer(case, profile, tmp_path):
    given = case.inputs[0]
    numbers = every(given.type, given.zero_points[0] if case.operator == 'SQRT' else None)
    answer, = ask([(write(case), [[numbers]], profile)])
    np.testing.assert_array_equal(simulated(case, numbers, tmp_path, 'litert/' + profile), answer.outputs[0][0])
