"""Element types that LiteRT's operators take, beside what the check says of each: operators of one model each. What is
right runs and computes what it says; of the rest, LiteRT refuses some and computes something else of others."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

np = pytest.importorskip('numpy')
pytest.importorskip('ai_edge_litert.interpreter')
schema = pytest.importorskip('ai_edge_litert.schema_py_generated')
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'runtimes' / 'litert'))
import model as models  # noqa: E402
from model import Case, Tensor, write  # noqa: E402
from runtime import ask  # noqa: E402

NUMPY = {**models.NUMPY, 'COMPLEX64': np.complex64}


@pytest.fixture(autouse=True)
def complex_numbers(monkeypatch):
    monkeypatch.setitem(models.NUMPY, 'COMPLEX64', np.complex64)


def errors_of(model, target, folder):
    """None: the verdict is not known."""
    path = folder / 'model.tflite'
    path.write_bytes(model)
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'check', str(path), '--target', 'litert/' + target, '--format', 'json',
               '--quiet', '--no-corrections']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)['results'][0]
    errors = {found['effect'] for found in result.get('findings', []) if found['severity'] == 'ERROR'}
    return None if result['verdict'] == 'UNKNOWN' else errors


def judged(case, feeds, folder):
    model = write(case)
    for target in ('reference', 'xnnpack'):
        yield target, ask([(model, [feeds], target)])[0], errors_of(model, target, folder)


def biased(operator, bias, option):
    """Of int16, and what it computes in real numbers."""
    draw = np.random.default_rng(20261129)
    data, weight, out, table, options, version = {
        'FULLY_CONNECTED': ((2, 8), (3, 8), (2, 3), 'FullyConnectedOptions', {}, 11),
        'CONV_2D': ((2, 1, 1, 8), (3, 1, 1, 8), (2, 1, 1, 3), 'Conv2DOptions',
                    {'padding': 1, 'strideW': 1, 'strideH': 1}, 8),
        'TRANSPOSE_CONV': ((2, 1, 1, 8), (3, 1, 1, 8), (2, 1, 1, 3), 'TransposeConvOptions',
                           {'padding': 1, 'strideW': 1, 'strideH': 1}, 5)}[operator]
    if option is not None:
        options = {**options, 'quantizedBiasType': getattr(schema.TensorType, option)}
    numbers = draw.integers(-20000, 20000, data).astype(np.int16)
    stored = draw.integers(-127, 128, weight).astype(np.int8)
    summand = draw.integers(-900000, 900000, 3)
    scales = [0.01, 0.012, 0.008]
    inputs = [Tensor('INT16', data, [0.0004], [0]), Tensor('INT8', weight, scales, [0] * 3, 0, stored),
              Tensor(bias, (3,), [0.0004 * scale for scale in scales], [0] * 3, 0, summand)]
    if operator == 'TRANSPOSE_CONV':
        inputs = [Tensor('INT32', (4,), data=np.array(out)), inputs[1], inputs[0], inputs[2]]
    case = Case(operator, inputs, [Tensor('INT16', out, [0.002], [0])], (table, options), version)
    sums = numbers.reshape(2, 8).astype(float) @ stored.reshape(3, 8).T + summand
    right = np.clip(np.round(sums * np.array(scales) * 0.0004 / 0.002), -32768, 32767)
    return case, numbers, right.reshape(out)


@pytest.mark.parametrize('option', [None, 'FLOAT32', 'INT32', 'INT64', 'INT8'])
@pytest.mark.parametrize('bias', ['INT32', 'INT64'])
@pytest.mark.parametrize('operator', ['FULLY_CONNECTED', 'CONV_2D', 'TRANSPOSE_CONV'])
def test_what_the_option_says_of_a_bias(operator, bias, option, tmp_path):
    """Biases of int16 data are of 64 bits, or of what the option names."""
    case, numbers, right = biased(operator, bias, option)
    for target, answer, errors in judged(case, [numbers], tmp_path):
        if option in ('INT32', 'INT64', 'INT8') and option != bias:
            assert answer.error and errors == {'REFUSED'}, (target, errors)
            continue
        assert not answer.error
        wrong = abs(answer.outputs[0][0] - right).max() > 1
        assert wrong == (bias != 'INT64' and option != 'INT32' and (operator, target) != ('FULLY_CONNECTED', 'xnnpack'))
        assert errors == ({'WRONG_NUMBERS'} if wrong else set()), target


def drawn(type, shape):
    draw = np.random.default_rng(1)
    if type == 'COMPLEX64':
        return (draw.normal(size=shape) + 1j * draw.normal(size=shape)).astype(np.complex64)
    return draw.integers(1, 5, shape).astype(NUMPY[type])


def ints(*numbers):
    return Tensor('INT32', np.shape(numbers), data=np.array(numbers, np.int32))


def moved(operator, type, constants, out, table, options, move):
    numbers = drawn(type, (1, 2, 3))
    return Case(operator, [Tensor(type, (1, 2, 3)), *constants], [Tensor(type, out)], (table, options)), [numbers], [
        move(numbers)]


def of_one(operator, type, out, right):
    numbers = drawn(type, (2, 8))
    constants = [ints(2, 8)] if operator == 'RFFT2D' else []
    result = right(numbers) if type == ('FLOAT32' if operator == 'RFFT2D' else 'COMPLEX64') else numbers
    table = ('Rfft2dOptions', {}) if operator == 'RFFT2D' else None
    return Case(operator, [Tensor(type, (2, 8)), *constants], [Tensor(out, result.shape)], table), [numbers], [result]


def ranged(type):
    numbers = [np.array(n, NUMPY[type]) for n in (1, 6, 2)]
    return Case('RANGE', [Tensor(type, ())] * 3, [Tensor(type, (3,))], ('RangeOptions', {})), numbers, [
        np.array([1, 3, 5], NUMPY[type])]


def scattered(type):
    numbers = drawn(type, (2,))
    right = np.zeros(5, NUMPY[type])
    right[[3, 1]] = numbers
    indices = Tensor('INT32', (2, 1), data=np.array([[3], [1]], np.int32))
    return Case('SCATTER_ND', [indices, Tensor(type, (2,)), ints(5)], [Tensor(type, (5,))],
                ('ScatterNdOptions', {})), [numbers], [right]


def reversed_in_part(type):
    numbers = drawn(type, (2, 3))
    right = numbers.copy()
    right[0, :2], right[1] = numbers[0, 1::-1], numbers[1, ::-1]
    return Case('REVERSE_SEQUENCE', [Tensor(type, (2, 3)), ints(2, 3)], [Tensor(type, (2, 3))],
                ('ReverseSequenceOptions', {'seqDim': 1, 'batchDim': 0})), [numbers], [right]


def places(type):
    numbers = np.ones((2, 3), NUMPY[type])
    return Case('WHERE', [Tensor(type, (2, 3))], [Tensor('INT64', (6, 2))], ('WhereOptions', {})), [numbers], [
        np.argwhere(numbers)]


def indices_of_largest(type):
    numbers = np.float32([[3, 1, 4, 1.5], [2, 7, 1, 8]])
    outputs = [Tensor('FLOAT32', (2, 2)), Tensor(type, (2, 2))]
    return Case('TOPK_V2', [Tensor('FLOAT32', (2, 4)), Tensor('INT32', (), data=np.array(2))], outputs,
                ('TopKV2Options', {}), 3 if type == 'INT16' else 2), [numbers], [np.float32([[4, 3], [8, 7]])]


def different(type):
    numbers = np.array([2, 1, 2, 1], NUMPY[type])
    return Case('UNIQUE', [Tensor(type, (4,))], [Tensor(type, (2,)), Tensor('INT32', (4,))],
                ('UniqueOptions', {'idxOutType': schema.TensorType.INT32})), [numbers], [np.array([2, 1], NUMPY[type])]


def sums_of_segments(type):
    numbers = drawn(type, (3, 2))
    indices = Tensor('INT32', (3,), data=np.array([0, 1, 0]))
    return Case('UNSORTED_SEGMENT_SUM', [Tensor(type, (3, 2)), indices, Tensor('INT32', (), data=np.array(2))],
                [Tensor(type, (2, 2))], ('UnsortedSegmentSumOptions', {})), [numbers], [
                    np.stack([numbers[0] + numbers[2], numbers[1]])]


def bits(type):
    numbers = drawn(type, (2, 3))
    right = numbers if type.startswith('FLOAT') else numbers ^ numbers[::-1]
    return Case('BITWISE_XOR', [Tensor(type, (2, 3))] * 2, [Tensor(type, (2, 3))]), [numbers, numbers[::-1].copy()], [right]


def volume(type):
    numbers, weight = drawn(type, (1, 2, 2, 2, 3)), drawn(type, (2, 2, 2, 3, 4))
    strides = dict(padding=1, strideD=1, strideH=1, strideW=1, dilationDFactor=1, dilationHFactor=1, dilationWFactor=1)
    right = np.tensordot(numbers.astype(float), weight.astype(float), 4).reshape(1, 1, 1, 1, 4)
    return Case('CONV_3D', [Tensor(type, numbers.shape), Tensor(type, weight.shape, data=weight)],
                [Tensor(type, right.shape)], ('Conv3DOptions', strides)), [numbers], [right]


def neighbors(type):
    """Normalized by the channels on both sides, all of a window of three."""
    numbers = drawn(type, (1, 1, 2, 6))
    squares = np.pad(numbers.astype(float), ((0, 0),) * 3 + ((1, 1),))**2
    right = numbers * (1 + 0.5 * (squares[..., :-2] + squares[..., 1:-1] + squares[..., 2:]))**-0.75
    return Case('LOCAL_RESPONSE_NORMALIZATION', [Tensor(type, numbers.shape)], [Tensor(type, numbers.shape)], (
        'LocalResponseNormalizationOptions', dict(radius=1, bias=1.0, alpha=0.5, beta=0.75))), [numbers], [right]


def filled(type):
    numbers = drawn(type, (2,))
    right = np.ones((3, 3), NUMPY[type])
    right[0, 1], right[2, 2] = numbers
    at = Tensor('INT32', (2, 2), data=np.array([[0, 1], [2, 2]]))
    return Case('SPARSE_TO_DENSE', [at, ints(3, 3), Tensor(type, (2,)), Tensor(type, (), data=np.array(1))],
                [Tensor(type, (3, 3))], ('SparseToDenseOptions', {})), [numbers], [right]


def between(type):
    numbers = drawn(type, (4,))
    return Case('BUCKETIZE', [Tensor(type, (4,))], [Tensor('INT32', (4,))],
                ('BucketizeOptions', {'boundaries': [2.0, 4.0]})), [numbers], [np.digitize(numbers, [2, 4])]


def dilated(type):
    numbers = drawn(type, (2, 3))
    right = np.zeros((3, 3), NUMPY[type])
    right[::2] = numbers
    return Case('DILATE', [Tensor(type, (2, 3)), ints(2, 1), Tensor(type, (), data=np.array(0))],
                [Tensor(type, (3, 3))]), [numbers], [right]


def summed(type):
    numbers = drawn(type, (2, 3))
    right = (numbers + numbers[::-1]).astype(NUMPY[type])
    return Case('STABLEHLO_ADD', [Tensor(type, (2, 3))] * 2, [Tensor(type, (2, 3))]), [numbers, numbers[::-1].copy()], [right]


def as_they_lie(type):
    numbers = drawn(type, (2, 3))
    return Case('BITCAST', [Tensor(type, (2, 3))], [Tensor(type, (2, 3))]), [numbers], [numbers]


EVERY = ['FLOAT32', 'FLOAT16', 'INT8', 'UINT8', 'INT16', 'INT32', 'UINT32', 'INT64', 'BOOL']
ALL = [(moved, 'SQUEEZE', [], (2, 3), 'SqueezeOptions', {'squeezeDims': [0]}, lambda x: x[0]),
       (moved, 'RESHAPE', [ints(3, 2)], (3, 2), 'ReshapeOptions', {'newShape': [3, 2]}, lambda x: x.reshape(3, 2)),
       (moved, 'EXPAND_DIMS', [ints(0)], (1, 1, 2, 3), 'ExpandDimsOptions', {}, lambda x: x[None]),
       (moved, 'TRANSPOSE', [ints(0, 2, 1)], (1, 3, 2), 'TransposeOptions', {}, lambda x: x.transpose(0, 2, 1)),
       (moved, 'SLICE', [ints(0, 0, 1), ints(1, 2, 2)], (1, 2, 2), 'SliceOptions', {}, lambda x: x[:, :, 1:]),
       (moved, 'STRIDED_SLICE', [ints(0, 0, 1), ints(1, 2, 3), ints(1, 1, 1)], (1, 2, 2), 'StridedSliceOptions', {},
        lambda x: x[:, :, 1:]),
       (moved, 'CONCATENATION', [], (1, 2, 3), 'ConcatenationOptions', {'axis': 0}, lambda x: x)]


@pytest.mark.parametrize('make, operator, more', [(row[0], row[1], row[2:]) for row in ALL], ids=[row[1] for row in ALL])
@pytest.mark.parametrize('type', ['COMPLEX64', 'FLOAT32'])
def test_complex_numbers_that_are_moved(make, operator, more, type, tmp_path):
    """A spectrum has axes of size 1, which converters take out. Not all operators move complex numbers."""
    takes_and_says_so(make(operator, type, *more), tmp_path, type != 'COMPLEX64' or operator != 'CONCATENATION')


def takes_and_says_so(made, folder, takes):
    case, feeds, right = made
    for target, answer, errors in judged(case, feeds, folder):
        assert bool(answer.error) == (not takes), (target, answer.error)
        if takes:
            np.testing.assert_allclose(answer.outputs[0][0], right[0], rtol=1e-3, atol=1e-4)
        assert errors == (set() if takes else {'REFUSED'}), target


@pytest.mark.parametrize('operator, out, right', [('REAL', 'FLOAT32', np.real), ('IMAG', 'FLOAT32', np.imag),
                                                  ('COMPLEX_ABS', 'FLOAT32', np.abs), ('RFFT2D', 'COMPLEX64', np.fft.rfft2)])
@pytest.mark.parametrize('type', ['COMPLEX64', 'FLOAT32', 'INT8'])
def test_spectra(operator, out, right, type, tmp_path):
    takes_and_says_so(of_one(operator, type, out, right), tmp_path,
                      type == ('FLOAT32' if operator == 'RFFT2D' else 'COMPLEX64'))


@pytest.mark.parametrize('make, types', [
    (ranged, ('FLOAT32', 'INT32', 'INT64')), (scattered, ('FLOAT32', 'INT8', 'UINT8', 'INT32', 'INT64', 'BOOL')),
    (reversed_in_part, ('FLOAT32', 'UINT8', 'INT16', 'INT32', 'INT64')),
    (indices_of_largest, ('INT16', 'INT32')), (sums_of_segments, ('FLOAT32', 'INT32')),
    (different, ('FLOAT32', 'INT8', 'UINT8', 'INT16', 'INT32', 'INT64')),
    (bits, ('INT8', 'UINT8', 'INT16', 'INT32', 'UINT32')),
    (places, ('FLOAT32', 'INT8', 'UINT8', 'INT32', 'UINT32', 'INT64', 'BOOL')), (volume, ('FLOAT32',)),
    (filled, ('FLOAT32', 'INT8', 'UINT8', 'INT32', 'INT64')), (between, ('FLOAT32', 'INT32', 'INT64')),
    (dilated, EVERY), (summed, EVERY), (as_they_lie, EVERY)],
                         ids=['RANGE', 'SCATTER_ND', 'REVERSE_SEQUENCE', 'TOPK_V2', 'UNSORTED_SEGMENT_SUM', 'UNIQUE', 'BITWISE_XOR',
                              'WHERE', 'CONV_3D', 'SPARSE_TO_DENSE', 'BUCKETIZE', 'DILATE', 'STABLEHLO_ADD', 'BITCAST'])
@pytest.mark.parametrize('type', EVERY)
def test_types(make, types, type, tmp_path):
    if make is ranged and type == 'BOOL':
        pytest.skip('there is no range of conditions')
    takes_and_says_so(make(type), tmp_path, type in types)


def recurrent(form, gate=None, type=None, change=None, **options):
    """An LSTM without projection, as Keras' layer is converted; `type`: of the input weight of one gate. `change` edits
    the arguments."""
    draw = np.random.default_rng(5)
    integers = form == 'integer'
    stored = form != 'float'

    def weight(width):
        data = draw.integers(-127, 128, (4, width)) if stored else draw.normal(size=(4, width))
        return Tensor('INT8' if stored else 'FLOAT32', (4, width), [0.01] if stored else None, [0] if stored else None, 0,
                      data)

    inputs = [None] * 24
    inputs[0] = Tensor('INT8' if integers else 'FLOAT32', (1, 3, 8), [0.05] if integers else None, [0])
    for i in range(1, 5):
        inputs[i], inputs[i + 4] = weight(8), weight(4)
        scale = [0.05 * 0.01] if integers else None
        inputs[i + 11] = Tensor('INT32' if integers else 'FLOAT32', (4,), scale, [0] if integers else None, 0, np.zeros(4))
    if gate is not None:
        inputs[gate].type, inputs[gate].data = type, np.zeros((4, 8))
    inputs[18] = Tensor('INT8' if integers else 'FLOAT32', (1, 4), [1 / 128] if integers else None, [0])
    inputs[19] = Tensor('INT16' if integers else 'FLOAT32', (1, 4), [2**-11] if integers else None, [0])
    out = Tensor('INT8' if integers else 'FLOAT32', (1, 3, 4), [1 / 128] if integers else None, [0])
    if change is not None:
        change(inputs)
    options = {'fusedActivationFunction': schema.ActivationFunctionType.TANH, 'cellClip': 10.0, **options}
    case = Case('UNIDIRECTIONAL_SEQUENCE_LSTM', inputs, [out], ('UnidirectionalSequenceLSTMOptions', options))
    return with_states(case, integers), drawn('INT8' if integers else 'FLOAT32', (1, 3, 8))


def with_states(case, integers, states=('in18', 'in19')):
    """The states are variables of the model and no inputs; integers go through tensors of their own within."""
    flatbuffers = pytest.importorskip('flatbuffers')
    read = schema.ModelT.InitFromObj(schema.Model.GetRootAs(write(case), 0))
    graph = read.subgraphs[0]
    for name in states:
        index = next(i for i, tensor in enumerate(graph.tensors) if tensor.name.decode() == name)
        graph.tensors[index].isVariable = True
        graph.inputs = [i for i in graph.inputs if i != index]
    if integers:
        graph.operators[0].intermediates = []
        for _ in range(5):
            within = schema.TensorT()
            within.name, within.shape, within.type, within.hasRank = 'within', [], schema.TensorType.INT8, True
            within.quantization = schema.QuantizationParametersT()
            within.quantization.scale, within.quantization.zeroPoint = [1 / 128], [0]
            graph.operators[0].intermediates.append(len(graph.tensors))
            graph.tensors.append(within)
    builder = flatbuffers.Builder(1024)
    builder.Finish(read.Pack(builder), b'TFL3')
    return bytes(builder.Output())


@pytest.mark.parametrize('form, gate, type', [('float', None, None), ('hybrid', None, None), ('integer', None, None),
                                              ('float', 2, 'INT16'), ('hybrid', 2, 'INT16'), ('integer', 2, 'FLOAT32')])
def test_recurrent_layers(form, gate, type, tmp_path):
    model, numbers = recurrent(form, gate, type)
    for target in ('reference', 'xnnpack'):
        answer = ask([(model, [[numbers]], target)])[0]
        assert bool(answer.error) == (gate is not None), (target, answer.error)
        assert bool(errors_of(model, target, tmp_path)) == (gate is not None), target
        assert errors_of(model, target, tmp_path) is not None


def larger(argument, axis):
    def change(inputs):
        tensor = inputs[argument]
        tensor.shape = tuple(size + (d == axis) for d, size in enumerate(tensor.shape))
        if tensor.data is not None:
            tensor.data = np.zeros(tensor.shape)
    return change


def without(*arguments):
    def change(inputs):
        for argument in arguments:
            inputs[argument] = None
    return change


@pytest.mark.parametrize('form', ['float', 'integer'])
@pytest.mark.parametrize('change, options, holds', [
    *[(larger(argument, axis), {}, False) for argument in (1, 3, 4, 5, 8) for axis in (0, 1)],
    *[(larger(argument, 0), {}, False) for argument in (12, 15)], (larger(18, 1), {}, False), (larger(19, 1), {}, False),
    (without(1, 5, 12), {}, True), (without(1), {}, False), (without(5), {}, False), (without(1, 5), {}, False),
    (None, {'timeMajor': True}, False), (None, {'cellClip': -1.0}, False), (None, {'projClip': 1.0}, True)])
def test_shapes_of_recurrent_layers(form, change, options, holds, tmp_path):
    """Without input weights an LSTM has no input gate at all. Steps first, there are as many samples as states are not
    for."""
    model, numbers = recurrent(form, change=change, **options)
    path = tmp_path / 'model.tflite'
    path.write_bytes(model)
    answer = ask([(model, [[numbers]], 'reference')])[0]
    assert bool(answer.error) != holds, answer.error
    assert bool(errors_of(model, 'reference', tmp_path)) != holds


def test_weights_that_are_taken_for_signed_ones(tmp_path):
    def change(inputs):
        for tensor in inputs[1:9]:
            tensor.type, tensor.data = 'UINT8', np.abs(tensor.data)
    model, numbers = recurrent('hybrid', change=change)
    for target in ('reference', 'xnnpack'):
        assert not ask([(model, [[numbers]], target)])[0].error
        assert errors_of(model, target, tmp_path) == {'WRONG_NUMBERS'}


def kept(operator, form, zero_point=-128, activation='RELU', weights='INT8', rank_stated=2, change=None):
    """A step of a network that keeps a state; the model, its input and what it computes in real numbers."""
    draw = np.random.default_rng(7)
    integers, stored = form == 'integer', form != 'float'
    rank, units, memory = 2, 3, 4

    def constant(type, shape, scale):
        numbers = draw.normal(size=shape) if type == 'FLOAT32' else draw.integers(20, 100, shape)
        return Tensor(type, shape, None if type == 'FLOAT32' else [scale], [0], 0, numbers)
    weight = weights if stored else 'FLOAT32'
    given = Tensor('INT8' if integers else 'FLOAT32', (2, 5), [0.02] if integers else None, [0])
    out = Tensor(given.type, (2, units), [0.1] if integers else None, [zero_point])
    if operator == 'SVDF':
        inputs = [given, constant(weight, (units * rank, 5), 0.01),
                  constant('INT16' if integers else weight, (units * rank, memory), 0.01),
                  constant('INT32' if integers else 'FLOAT32', (units,), 0.01 / 512)]
        state = Tensor('INT16' if integers else 'FLOAT32', (2, units * rank * memory), [1 / 512] if integers else None, [0])
        options = ('SVDFOptions', {'rank': rank_stated})
    else:
        inputs = [given, constant(weight, (units, 5), 0.01), constant(weight, (units, units), 0.01),
                  constant('FLOAT32', (units,), 1)]
        state = Tensor('FLOAT32', (2, units))
        options = ('RNNOptions', {})
    options[1]['fusedActivationFunction'] = getattr(schema.ActivationFunctionType, activation)
    numbers = draw.integers(-100, 100, (2, 5)).astype(np.int8) if integers else draw.normal(size=(2, 5)).astype(np.float32)
    real = given.real(numbers) @ inputs[1].real(inputs[1].data).T
    if operator == 'SVDF':
        real = (real * inputs[2].real(inputs[2].data)[:, -1]).reshape(2, units, rank).sum(-1)
    real = np.maximum(real + inputs[3].real(inputs[3].data), 0 if activation == 'RELU' else -np.inf)
    arguments = [*inputs, state]
    if change is not None:
        change(arguments)
    case = Case(operator, arguments, [out], options)
    return with_states(case, False, ('in4',)), numbers, out, real


@pytest.mark.parametrize('operator, form, change, refused, wrong', [
    ('SVDF', 'float', {}, False, False), ('SVDF', 'float', {'activation': 'NONE'}, False, False),
    ('SVDF', 'hybrid', {}, False, False), ('SVDF', 'hybrid', {'weights': 'INT16'}, True, False),
    ('SVDF', 'integer', {}, False, False), ('SVDF', 'integer', {'activation': 'NONE'}, True, False),
    ('SVDF', 'integer', {'zero_point': 0}, False, True), ('SVDF', 'integer', {'weights': 'INT4'}, True, False),
    ('RNN', 'float', {}, False, False), ('RNN', 'hybrid', {}, False, False), ('RNN', 'integer', {}, True, False)])
def test_layers_that_keep_a_state(operator, form, change, refused, wrong, tmp_path):
    """Integers are cut off at the end of their type instead of by the activation."""
    model, numbers, out, real = kept(operator, form, **change)
    for target in ('reference', 'xnnpack'):
        answer = ask([(model, [[numbers]], target)])[0]
        assert bool(answer.error) == refused, answer.error
        errors = errors_of(model, target, tmp_path)
        assert 'REFUSED' in errors if refused else errors == ({'WRONG_NUMBERS'} if wrong else set())
        if not refused:
            off = abs(out.real(answer.outputs[0][0]) - np.clip(real, None, 25.5 if form == 'integer' else None)).max()
            assert (off > (0.2 if form == 'integer' else 0.05 * abs(real).max())) == wrong, off


@pytest.mark.parametrize('operator, change, holds', [
    *[('SVDF', {'change': larger(*place)}, False) for place in [(1, 0), (1, 1), (2, 0), (3, 0), (4, 0), (4, 1)]],
    *[('SVDF', {'rank_stated': rank}, rank == 2) for rank in (0, 1, 2, 3, 4)],
    *[('RNN', {'change': larger(*place)}, False) for place in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (4, 0), (4, 1)]]])
def test_shapes_of_layers_that_keep_a_state(operator, change, holds, tmp_path):
    model, numbers, _, _ = kept(operator, 'float', **change)
    path = tmp_path / 'model.tflite'
    path.write_bytes(model)
    assert bool(ask([(model, [[numbers]], 'reference')])[0].error) != holds
    assert bool(errors_of(model, 'reference', tmp_path)) != holds


def test_channels_on_one_side(tmp_path):
    case, feeds, right = neighbors('FLOAT32')
    for target, answer, errors in judged(case, feeds, tmp_path):
        same = np.allclose(answer.outputs[0][0], right[0], rtol=1e-3)
        assert same == (target == 'xnnpack')
        assert errors == (set() if same else {'WRONG_NUMBERS'})


@pytest.mark.parametrize('type', ['FLOAT32', 'FLOAT16', 'INT8'])
def test_rounds_real_numbers(type, tmp_path):
    numbers = drawn(type, (2, 3))
    case = Case('FAKE_QUANT', [Tensor(type, (2, 3))], [Tensor(type, (2, 3))],
                ('FakeQuantOptions', dict(min=-6.0, max=6.0, numBits=8)))
    for target, answer, errors in judged(case, [numbers], tmp_path):
        assert (not answer.error and np.allclose(answer.outputs[0][0], numbers, atol=0.03)) == (errors == set()), target


@pytest.mark.parametrize('zero_point, scale, holds', [(0, 0.5, True), (3, 0.5, False), (0, 0.25, False)])
def test_zeros_around_what_is_scattered(zero_point, scale, holds, tmp_path):
    """The kernel writes stored zeros and copies stored integers, whatever they stand for."""
    numbers = np.int8([[5, 6, 7], [8, 9, 10]])
    given, out = Tensor('INT8', (2, 3), [0.5], [zero_point]), Tensor('INT8', (3, 3), [scale], [zero_point])
    case = Case('SCATTER_ND', [Tensor('INT32', (2, 1), data=np.array([[1], [0]])), given, ints(3, 3)], [out],
                ('ScatterNdOptions', {}))
    right = np.zeros((3, 3))
    right[[1, 0]] = given.real(numbers)
    for target, answer, errors in judged(case, [numbers], tmp_path):
        assert np.array_equal(out.real(answer.outputs[0][0]), right) == holds
        assert errors == (set() if holds else {'WRONG_NUMBERS'}), target


@pytest.mark.parametrize('out', ['FLOAT32', 'FLOAT16'])
@pytest.mark.parametrize('type, columns, holds', [('INT2', 8, True), ('INT2', 6, False), ('INT2', 5, False), ('INT4', 6, True),
                                                  ('INT4', 5, False), ('INT8', 5, True)])
def test_tables_of_narrow_numbers(type, columns, holds, out, tmp_path):
    """Each row is taken to begin with a whole byte."""
    numbers = np.random.default_rng(1).integers(*{'INT2': (-2, 2), 'INT4': (-8, 8), 'INT8': (-128, 128)}[type], (5, columns))
    table = Tensor(type, (5, columns), [0.1, 0.2, 0.3, 0.4, 0.5], [0] * 5, 0, numbers)
    case = Case('EMBEDDING_LOOKUP', [Tensor('INT32', (2,)), table], [Tensor(out, (2, columns))], None, 4)
    for target, answer, errors in judged(case, [np.int32([3, 1])], tmp_path):
        assert np.allclose(answer.outputs[0][0], table.real(numbers)[[3, 1]], rtol=2e-3) == holds
        assert errors == (set() if holds else {'WRONG_NUMBERS'}), target


@pytest.mark.parametrize('count', [1, 4])
def test_one_scale_for_channels_of_their_own(count, tmp_path):
    """As litert-torch writes them without channels: the kernel has a scale for each, and reads on behind the one."""
    draw = np.random.default_rng(2)
    weight = Tensor('INT8', (1, 3, 3, 4), [0.02] * count, [0] * count, 3 if count > 1 else 0,
                    draw.integers(-127, 128, (1, 3, 3, 4)))
    inputs = [Tensor('FLOAT32', (1, 3, 3, 4)), weight, Tensor('FLOAT32', (4,), data=np.zeros(4))]
    case = Case('DEPTHWISE_CONV_2D', inputs, [Tensor('FLOAT32', (1, 1, 1, 4))], ('DepthwiseConv2DOptions', dict(
        padding=1, strideW=1, strideH=1, depthMultiplier=1, dilationWFactor=1, dilationHFactor=1)), 6)
    numbers = draw.normal(size=(1, 3, 3, 4)).astype(np.float32)
    right = (numbers * weight.real(weight.data)).sum((1, 2))
    for target, answer, errors in judged(case, [numbers], tmp_path):
        off = abs(answer.outputs[0][0].reshape(right.shape) - right).max() / abs(right).max()
        assert (off > 0.1) == (count == 1), off
        assert errors == ({'WRONG_NUMBERS'} if count == 1 else set()), target
