"""Models whose tables do not go together beyond one operator: bodies of branches and loops, constants of which some
elements are stored, operators that nothing uses. LiteRT is asked what it makes of each, and the check says the same."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

numpy = pytest.importorskip('numpy')
pytest.importorskip('ai_edge_litert.interpreter')
schema = pytest.importorskip('ai_edge_litert.schema_py_generated')
flatbuffers = pytest.importorskip('flatbuffers')
flexbuffers = pytest.importorskip('flatbuffers.flexbuffers')

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'runtimes' / 'litert'))
from model import NUMPY  # noqa: E402
from runtime import ask  # noqa: E402


class Body:
    """A subgraph; tensors by name."""

    def __init__(self, model):
        self.model = model
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.inputs, self.graph.outputs, self.graph.operators = [], [], [], []
        self.names = {}
        model.subgraphs.append(self.graph)

    def tensor(self, name, type='FLOAT32', shape=(2,), data=None, scale=None):
        made = schema.TensorT()
        made.name, made.type, made.shape, made.hasRank = name, getattr(schema.TensorType, type), list(shape), True
        made.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = numpy.frombuffer(numpy.ascontiguousarray(data, NUMPY[type]).tobytes(), numpy.uint8)
            made.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        if scale is not None:
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale, made.quantization.zeroPoint = [scale], [0]
        self.names[name] = len(self.graph.tensors)
        self.graph.tensors.append(made)
        return made

    def given(self, name, type='FLOAT32', shape=(2,), **more):
        self.tensor(name, type, shape, **more)
        self.graph.inputs.append(self.names[name])

    def gives(self, *names):
        self.graph.outputs += [self.names[name] for name in names]

    def run(self, operator, inputs, outputs, version=1, **options):
        """Outputs that are not there yet are like the first input. Options are those of the table of that name."""
        for name in outputs:
            if name not in self.names:
                like = self.graph.tensors[self.names[inputs[0]]]
                self.tensor(name)
                self.graph.tensors[-1].type, self.graph.tensors[-1].shape = like.type, like.shape
        made = schema.OperatorT()
        made.opcodeIndex = code_of(self.model, operator, version)
        made.inputs = [-1 if name is None else self.names[name] for name in inputs]
        made.outputs = [self.names[name] for name in outputs]
        for table, fields in options.items():
            stated = getattr(schema, table + 'T')()
            for field, value in fields.items():
                setattr(stated, field, value)
            if hasattr(schema.BuiltinOptions, table):
                made.builtinOptionsType, made.builtinOptions = getattr(schema.BuiltinOptions, table), stated
            else:
                made.builtinOptions2Type, made.builtinOptions2 = getattr(schema.BuiltinOptions2, table), stated
        self.graph.operators.append(made)


def empty():
    model = schema.ModelT()
    model.version, model.operatorCodes, model.buffers, model.subgraphs = 3, [], [schema.BufferT()], []
    return model


def code_of(model, operator, version=1, custom=None):
    code = schema.OperatorCodeT()
    code.builtinCode = operator if isinstance(operator, int) else getattr(schema.BuiltinOperator, operator)
    code.deprecatedBuiltinCode, code.version, code.customCode = min(code.builtinCode, 127), version, custom
    model.operatorCodes.append(code)
    return len(model.operatorCodes) - 1


def written(model, folder):
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b'TFL3')
    path = folder / 'model.tflite'
    path.write_bytes(bytes(builder.Output()))
    return path


def checked(path, target):
    """Codes of the errors and of the warnings; 'FI001' where it is not read."""
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'check', str(path), '--target', 'litert/' + target,
               '--format', 'json', '--quiet', '--no-corrections']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode == 2:
        assert 'error[FI001]' in done.stderr
        return {'FI001'}, set()
    findings = json.loads(done.stdout)['results'][0].get('findings', [])
    return [{found['code'] for found in findings if found['severity'] == severity} for severity in ('ERROR', 'WARNING')]


def judged(model, feeds, folder):
    """By target: what LiteRT answers, and what the check says."""
    path = written(model, folder)
    targets = ('reference', 'xnnpack')
    for target, answer in zip(targets, ask([(path.read_bytes(), [feeds], target) for target in targets])):
        yield (target, answer, *checked(path, target))


NUMBERS = [numpy.float32([1, 10]), numpy.float32([2, 20]), numpy.float32([3, 30])]


def loop(body, rounds=5, condition=None):
    """Over a count and three vectors. `body`: adds to a Body and names what it gives."""
    model = empty()
    main = Body(model)
    main.given('i', 'INT32', ())
    for name in ('x', 'y', 'z'):
        main.given(name)
    main.run('WHILE', ['i', 'x', 'y', 'z'], ['i2'], WhileOptions={'condSubgraphIndex': 1, 'bodySubgraphIndex': 2})
    for name in ('x2', 'y2', 'z2'):
        main.tensor(name)
        main.graph.operators[0].outputs.append(main.names[name])
    main.gives('i2', 'x2', 'y2', 'z2')
    for number in (1, 2):
        made = Body(model)
        made.given('i', 'INT32', ())
        for name in ('a', 'b', 'c'):
            made.given(name)
        if number == 1:
            made.tensor('rounds', 'INT32', (), rounds)
            made.tensor('go', 'BOOL', ())
            made.run('LESS', ['i', 'rounds'], ['go'])
            made.gives(condition(made) if condition else 'go')
        else:
            made.tensor('one', 'INT32', (), 1)
            made.run('ADD', ['i', 'one'], ['next'])
            made.run('ADD', ['a', 'b'], ['s'])
            made.gives('next', *body(made))
    return model


def rounds_of(given, numbers, rounds):
    a, b, c = numbers
    for _ in range(rounds):
        values = {'a': a, 'b': b, 'c': c, 's': a + b}
        a, b, c = (values[name] for name in given)
    return [a, b, c]


@pytest.mark.parametrize('given', ['abc', 'bca', 'sac', 'bsc', 'acb', 'bac', 'aab', 'aac', 'asa', 'ssc', 'sbc', 'csb'])
def test_what_a_body_hands_on(given, tmp_path):
    """LiteRT computes something else exactly where the check says that something is overwritten. What it hands on shows
    after one round, two or more: where numbers come to rest no longer after many."""
    wrong = {'reference': False, 'xnnpack': False}
    for rounds in (1, 2, 5):
        feeds = [numpy.int32(0), *NUMBERS]
        for target, answer, errors, _ in judged(loop(lambda body: list(given), rounds), feeds, tmp_path):
            assert not answer.error
            expected = rounds_of(given, NUMBERS, rounds)
            wrong[target] |= any((made != right).any() for made, right in zip(answer.outputs[0][1:], expected))
            assert errors <= {'GS603'}
            said = bool(errors)
    assert wrong == {'reference': said, 'xnnpack': said}


def bool_of(shape, type='BOOL'):
    def condition(body):
        body.tensor('fixed', type, shape, numpy.zeros(shape))
        return 'fixed'
    return condition


def as_integers(body):
    body.tensor('whole', 'INT32')
    body.run('CAST', ['c'], ['whole'])
    return ['a', 'b', 'whole']


@pytest.mark.parametrize('model', [
    loop(lambda body: list('abc'), condition=bool_of(())), loop(lambda body: list('abc'), condition=bool_of((1,))),
    loop(lambda body: list('abc'), condition=bool_of((2,))), loop(lambda body: list('abc'), condition=bool_of((1, 1))),
    loop(lambda body: list('abc'), condition=bool_of((), 'INT32')), loop(as_integers)],
    ids=['scalar', 'alone', 'two', 'matrix', 'integer', 'other_type'])
def test_loops(model, tmp_path):
    for _, answer, errors, _ in judged(model, [numpy.int32(0), *NUMBERS], tmp_path):
        assert errors == ({'GS013'} if answer.error else set()), answer.error


def branches(bodies, type='FLOAT32', outputs=1):
    """`bodies`: each adds to a Body that is given a, and names what it gives; the first two are the branches."""
    model = empty()
    main = Body(model)
    main.given('go', 'BOOL', (1,))
    main.given('x')
    names = [f'y{number}' for number in range(outputs)]
    for name in names:
        main.tensor(name, type)
    main.run('IF', ['go', 'x'], names, IfOptions={'thenSubgraphIndex': 1, 'elseSubgraphIndex': 2})
    main.gives(*names)
    for add in bodies:
        body = Body(model)
        body.given('a')
        body.gives(*add(body))
    return model


def size(body):
    body.run('ABS', ['a'], ['s'])
    return ['s']


def inner(then, other, arguments=1):
    def add(body):
        body.tensor('go', 'BOOL', (1,), [True])
        options = {'thenSubgraphIndex': then, 'elseSubgraphIndex': other}
        body.run('IF', ['go'] + ['a'] * arguments, ['o'], IfOptions=options)
        body.graph.tensors[-1].type, body.graph.tensors[-1].shape = schema.TensorType.FLOAT32, [2]
        return ['o']
    return add


@pytest.mark.parametrize('bodies, errors', [
    ([size, size], set()), ([inner(3, 3), size, size], set()), ([inner(2, 3), size, size], set()),
    ([inner(3, 3, arguments=2), size, size], {'GS013'}), ([inner(1, 3), size, size], {'GS013'}),
    ([inner(3, 3), size, inner(1, 2)], {'GS013'}), ([inner(3, 3), size, inner(2, 2)], set())],
    ids=['one', 'nested', 'shared', 'inner_arguments', 'itself', 'each_other', 'deeper'])
def test_branches(bodies, errors, tmp_path):
    for _, answer, found, _ in judged(branches(bodies), [numpy.array([True]), NUMBERS[0]], tmp_path):
        assert found == errors
        assert bool(answer.error) == bool(errors), answer.error


@pytest.mark.parametrize('given, wrong', [('ss', True), ('aa', False), ('sa', False)])
def test_what_a_branch_gives(given, wrong, tmp_path):
    def body(made):
        size(made)
        return list(given)
    model = branches([body, body], outputs=2)
    for _, answer, errors, _ in judged(model, [numpy.array([True]), -NUMBERS[0]], tmp_path):
        assert errors == ({'GS603'} if wrong else set())
        values = {'a': -NUMBERS[0], 's': NUMBERS[0]}
        assert any((made != values[name]).any() for made, name in zip(answer.outputs[0], given)) == wrong


@pytest.mark.parametrize('operator, version, custom', [
    ('ABS', 2, None), ('ABS', 99, None), ('ABS', 0, None), ('ABS', 5, None), (250, 1, None), ('CALL', 1, None),
    ('ELU', 1, None), ('CUSTOM', 1, None), ('CUSTOM', 1, 'AcmeMagic'), ('DELEGATE', 1, None), ('CONV_2D', 3, None)])
def test_operators_that_no_node_is_of(operator, version, custom, tmp_path):
    model = empty()
    main = Body(model)
    main.given('a')
    main.run('ABS', ['a'], ['y'])
    main.gives('y')
    code_of(model, operator, version, custom)
    for _, answer, errors, _ in judged(model, [NUMBERS[0]], tmp_path):
        assert bool(errors) == bool(answer.error), answer.error
        assert errors <= {'EN601', 'CV601'}


def sparse(tensor, dense, run=1, change=None):
    """Stores `dense` by rows, of each the runs of that many columns that are not zero."""
    dense = numpy.asarray(dense)
    rows, columns = dense.shape
    segments, indices, stored = [0], [], []
    for row in dense:
        for first in range(0, columns, run):
            if row[first:first + run].any():
                indices.append(first // run)
                stored += list(row[first:first + run])
        segments.append(len(indices))

    def numbers(of):
        made = schema.Int32VectorT()
        made.values = of
        return made

    def dimension(size, form=0):
        made = schema.DimensionMetadataT()
        made.format, made.denseSize = form, size
        return made
    made = schema.SparsityParametersT()
    made.traversalOrder, made.dimMetadata = [0, 1], [dimension(rows), dimension(0, 1)]
    if run > 1:
        made.traversalOrder, made.blockMap = [0, 1, 2], [1]
        made.dimMetadata.append(dimension(run))
    some = made.dimMetadata[1]
    some.arraySegmentsType = some.arrayIndicesType = schema.SparseIndexVector.Int32Vector
    some.arraySegments, some.arrayIndices = numbers(segments), numbers(indices)
    if change is not None:
        change(made, some)
    tensor.sparsity = made
    return numpy.array(stored, dense.dtype)


DENSE = numpy.zeros((4, 32), numpy.int8)
DENSE[0, 0:16], DENSE[2, 16:32] = range(1, 17), range(-16, 0)


@pytest.mark.parametrize('version', [1, 8, 9])
@pytest.mark.parametrize('kind, run', [('FLOAT32', 1), ('FLOAT32', 4), ('FLOAT32', 8), ('INT8', 1), ('INT8', 4),
                                       ('INT8', 16), ('hybrid', 1), ('hybrid', 4), ('hybrid', 16)])
def test_sparse_weights(kind, run, version, tmp_path):
    """Right, refused or wrong: the check says the same of the kernel that runs it."""
    type, weight = ('FLOAT32', 'INT8') if kind == 'hybrid' else (kind, kind)
    model = empty()
    main = Body(model)
    scale = {'FLOAT32': None, 'INT8': 0.5}
    main.given('x', type, (2, 32), scale=scale[type])
    tensor = main.tensor('w', weight, (4, 32), DENSE, scale[weight])
    stored = sparse(tensor, DENSE.astype(NUMPY[weight]), run)
    model.buffers[tensor.buffer].data = numpy.frombuffer(stored.tobytes(), numpy.uint8)
    main.tensor('y', type, (2, 4), scale=64.0 if type == 'INT8' else None)
    main.run('FULLY_CONNECTED', ['x', 'w', None], ['y'], version, FullyConnectedOptions={})
    main.gives('y')
    x = numpy.random.default_rng(0).integers(-100, 100, (2, 32)).astype(NUMPY[type])
    expected = x.astype(float) @ DENSE.T * (1 if kind == 'FLOAT32' else 0.5 if kind == 'hybrid' else 0.25 / 64)
    for target, answer, errors, warnings in judged(model, [x], tmp_path):
        right = not answer.error and (abs(answer.outputs[0][0] - expected) <= (1 if type == 'INT8' else 60)).all()
        assert errors == (set() if right else {'CV601'} if answer.error else {'GS602'}), (target, answer)
        assert target == 'reference' or answer.error or answer.delegated == ('CV602' not in warnings)


@pytest.mark.parametrize('columns', [None, 4])
def test_sparse_summand(columns, tmp_path):
    """Stored whole it is read as it is meant."""
    dense = numpy.float32([[1, 0, 0, 2], [0, 0, 3, 0]])
    model = empty()
    main = Body(model)
    main.given('x', shape=(2, 4))
    tensor = main.tensor('w', 'FLOAT32', (2, 4), dense)

    def whole(_, some):
        some.format, some.denseSize = 0, 4
    stored = sparse(tensor, dense, change=whole if columns else None)
    if columns is None:
        model.buffers[tensor.buffer].data = numpy.frombuffer(stored.tobytes(), numpy.uint8)
    main.run('ADD', ['x', 'w'], ['y'], AddOptions={})
    main.gives('y')
    for _, answer, errors, _ in judged(model, [numpy.zeros((2, 4), numpy.float32)], tmp_path):
        right = (answer.outputs[0][0] == dense).all()
        assert errors == (set() if right else {'GS602'})
        assert right == (columns is not None)


def order(made, _): made.traversalOrder = [0]
def described(made, _): made.dimMetadata = made.dimMetadata[:1]
def rows(made, _): made.dimMetadata[0].denseSize = 3
def back(_, some): some.arraySegments.values = [0, 2, 1, 3, 3]
def beyond(_, some): some.arraySegments.values = [0, 2, 2, 9, 9]
def few(_, some): some.arraySegments.values = [0, 2]
def outside(_, some): some.arrayIndices.values = [0, 99]
def before(_, some): some.arrayIndices.values = [0, -1]
def twice(_, some): some.arraySegments.values, some.arrayIndices.values = [0, 2, 2, 2, 2], [1, 1]
def as_it_is(_, some): pass
def longer(_, some): some.arraySegments.values += [7]


@pytest.mark.parametrize('change, holds', [(as_it_is, True), (longer, True)] + [
    (change, False) for change in (order, described, rows, back, beyond, few, outside, before, twice)])
def test_sparsity_that_does_not_hold(change, holds, tmp_path):
    """LiteRT reads whatever lies there, and ends its process on some of them: it is not asked."""
    model = empty()
    main = Body(model)
    main.given('x', shape=(2, 32))
    tensor = main.tensor('w', 'FLOAT32', (4, 32), DENSE)
    stored = sparse(tensor, DENSE.astype(numpy.float32), 16, change)
    model.buffers[tensor.buffer].data = numpy.frombuffer(stored.tobytes(), numpy.uint8)
    main.tensor('y', shape=(2, 4))
    main.run('FULLY_CONNECTED', ['x', 'w', None], ['y'], 8, FullyConnectedOptions={})
    main.gives('y')
    assert checked(written(model, tmp_path), 'reference')[0] == (set() if holds else {'FI001'})


def binary(operator, type, first, second, result, zero_point=0, shape=(4, 4), data=None, table=None):
    """Of tensors of these scales; the second one is a constant where there is data, and may have several scales."""
    model = empty()
    main = Body(model)
    main.given('x', type, shape, scale=first)
    (main.given if data is None else main.tensor)('k', 'INT8' if data is not None else type, shape,
                                                  **({} if data is None else {'data': data}), scale=0.5)
    quantization = main.graph.tensors[1].quantization
    quantization.scale, quantization.zeroPoint = list(second), [zero_point] * len(second)
    main.tensor('y', type, shape, scale=result)
    main.run(operator, ['x', 'k'], ['y'], 4 if operator == 'BATCH_MATMUL' else 2, **({table: {}} if table else {}))
    main.gives('y')
    return model


@pytest.mark.parametrize('zero_point', [0, 3])
@pytest.mark.parametrize('data', [None, numpy.ones((4, 4), numpy.int8)], ids=['given', 'constant'])
@pytest.mark.parametrize('below', [True, False])
def test_products_of_bytes(zero_point, data, below, tmp_path):
    """The delegate takes those of which the second has zero point 0, and ends of a constant above a factor of 255."""
    model = binary('BATCH_MATMUL', 'INT8', 0.5, [0.5], 0.25 / (255 if below else 255.01), zero_point, data=data,
                   table='BatchMatMulOptions')
    feeds = [numpy.ones((4, 4), numpy.int8)] * (2 if data is None else 1)
    for target, answer, errors, warnings in judged(model, feeds, tmp_path):
        ends = target == 'xnnpack' and zero_point == 0 and not below and data is not None
        assert (errors, bool(answer.error)) == (({'NR105'}, True) if ends else (set(), False))
        if target == 'xnnpack' and not ends:
            assert answer.delegated == (zero_point == 0) == ('CV602' not in warnings)


@pytest.mark.parametrize('type, bits', [('INT8', 19), ('UINT8', 19), ('INT16', 14)])
@pytest.mark.parametrize('below', [True, False])
def test_sums_into_a_small_scale(type, bits, below, tmp_path):
    model = binary('ADD', type, 0.25, [0.5], 0.5 / 2**bits * (1.01 if below else 1), table='AddOptions')
    for _, answer, errors, _ in judged(model, [numpy.ones((4, 4), NUMPY[type])] * 2, tmp_path):
        assert (errors, bool(answer.error)) == ((set(), False) if below else ({'NR105'}, True)), answer.error


@pytest.mark.parametrize('below', [True, False])
def test_squares_into_a_small_scale(below, tmp_path):
    model = binary('SQUARED_DIFFERENCE', 'INT8', 0.5, [0.5], 0.25 / 4096 * (1.01 if below else 1))
    for _, answer, errors, _ in judged(model, [numpy.ones((4, 4), numpy.int8)] * 2, tmp_path):
        assert (errors, bool(answer.error)) == ((set(), False) if below else ({'NR105'}, True)), answer.error


@pytest.mark.parametrize('count', [1, 4])
@pytest.mark.parametrize('operator, type, table', [
    ('BATCH_MATMUL', 'INT8', 'BatchMatMulOptions'), ('BATCH_MATMUL', 'INT16', 'BatchMatMulOptions'),
    ('BATCH_MATMUL', 'FLOAT32', 'BatchMatMulOptions'), ('MAXIMUM', 'INT8', None), ('DIV', 'INT8', 'DivOptions')])
def test_constants_of_several_scales(operator, type, table, count, tmp_path):
    scale = None if type == 'FLOAT32' else 1.0
    data = numpy.eye(4, dtype=numpy.int8) + (operator != 'BATCH_MATMUL')
    steps = 32 if operator == 'DIV' else 1  # at fewer a small quotient comes out wrong by itself
    model = binary(operator, type, scale, [1.0] * count, scale and scale / steps, data=data, table=table)
    model.subgraphs[0].tensors[1].quantization.quantizedDimension = 1
    x = (numpy.arange(16).reshape(4, 4) % 4).astype(NUMPY[type])
    right = {'BATCH_MATMUL': x, 'MAXIMUM': numpy.maximum(x, data), 'DIV': x / numpy.maximum(data, 1) * steps}[operator]
    for _, answer, errors, _ in judged(model, [x], tmp_path):
        wrong = bool(answer.error) or (abs(answer.outputs[0][0] - right) > 0.6).any()
        if operator != 'MAXIMUM':
            assert wrong == (count > 1 and type != 'FLOAT32')
        assert errors == ({'AX601'} if count > 1 and type != 'FLOAT32' else set())


@pytest.mark.parametrize('zero_point', [0, 5])
def test_wide_products_with_bytes(zero_point, tmp_path):
    model = binary('BATCH_MATMUL', 'INT16', 1.0, [1.0], 1.0, zero_point, data=numpy.eye(4, dtype=numpy.int8),
                   table='BatchMatMulOptions')
    x = numpy.arange(16).reshape(4, 4).astype(numpy.int16)
    for _, answer, errors, _ in judged(model, [x], tmp_path):
        assert (errors, bool(answer.error)) == ((set(), False) if zero_point == 0 else ({'QS104'}, True)), answer.error
        assert answer.error or (answer.outputs[0][0] == x).all()


@pytest.mark.parametrize('type, scale, is_sparse, reads', [
    ('FLOAT32', None, True, True), ('INT8', 0.5, True, True), ('INT8', 0.25, True, True), ('INT32', None, True, True),
    ('FLOAT32', None, False, True), ('FLOAT32', None, True, False)])
def test_constants_that_are_unpacked(type, scale, is_sparse, reads, tmp_path):
    """A DENSIFY gives all elements of a constant of which some are stored."""
    dense = numpy.array([[1, 0, 0, 2], [0, 0, 3, 0]], NUMPY[type])
    model = empty()
    main = Body(model)
    tensor = main.tensor('packed', type, (2, 4), dense, 0.5 if type == 'INT8' else None)
    if is_sparse:
        stored = sparse(tensor, dense)
        model.buffers[tensor.buffer].data = numpy.frombuffer(stored.tobytes(), numpy.uint8)
    main.tensor('whole', type, (2, 4), scale=scale)
    main.run('DENSIFY', ['packed'], ['whole'])
    main.given('x', type, (2, 4), scale=scale)
    main.tensor('y', type, (2, 4), scale=scale)
    if reads:
        main.run('ADD', ['x', 'whole'], ['y'], AddOptions={})
    main.gives('y' if reads else 'whole')
    for target, answer, found, _ in judged(model, [numpy.zeros((2, 4), NUMPY[type])], tmp_path):
        right = not answer.error and (answer.outputs[0][0] == dense).all() and scale in (None, 0.5)
        assert bool(found) == (not right), (target, answer, found)


def test_packed_weights_are_constants_of_the_delegate(tmp_path):
    """Of half floats some are stored: what a DENSIFY and a DEQUANTIZE make of them is no weight that comes at run time."""
    dense = DENSE.astype(numpy.float16)
    model = empty()
    main = Body(model)
    main.given('x', shape=(2, 32))
    tensor = main.tensor('packed', 'FLOAT16', (4, 32), dense)
    model.buffers[tensor.buffer].data = numpy.frombuffer(sparse(tensor, dense).tobytes(), numpy.uint8)
    main.run('DENSIFY', ['packed'], ['halves'])
    main.tensor('w', shape=(4, 32))
    main.run('DEQUANTIZE', ['halves'], ['w'])
    main.tensor('y', shape=(2, 4))
    main.run('FULLY_CONNECTED', ['x', 'w', None], ['y'], FullyConnectedOptions={})
    main.gives('y')
    x = numpy.random.default_rng(0).normal(size=(2, 32)).astype(numpy.float32)
    for target, answer, errors, warnings in judged(model, [x], tmp_path):
        assert not errors and not answer.error
        numpy.testing.assert_allclose(answer.outputs[0][0], x @ DENSE.T.astype(numpy.float32), rtol=1e-3, atol=1e-3)
        assert answer.delegated == (target == 'xnnpack') and not warnings


def scattering(*operators):
    """Rows of a matrix; the update computation is of these operators."""
    model = empty()
    main = Body(model)
    main.given('x', shape=(4, 3))
    main.tensor('at', 'INT32', (2, 1), [[2], [0]])
    main.given('rows', shape=(2, 3))
    main.run('STABLEHLO_SCATTER', ['x', 'at', 'rows'], ['y'], StablehloScatterOptions={
        'updateWindowDims': [1], 'insertedWindowDims': [0], 'scatterDimsToOperandDims': [0], 'indexVectorDim': 1,
        'updateComputationSubgraphIndex': 1})
    main.gives('y')
    update = Body(model)
    update.given('a', shape=())
    update.given('b', shape=())
    last = 'a'
    for number, operator in enumerate(operators):
        update.run(operator, [last, 'b'], [f's{number}'])
        last = f's{number}'
    update.gives(last if operators else 'b')
    return model


@pytest.mark.parametrize('operators, right', [
    ([], lambda a, b: b), (['STABLEHLO_ADD'], numpy.add), (['STABLEHLO_MULTIPLY'], numpy.multiply),
    (['STABLEHLO_MAXIMUM'], numpy.maximum), (['STABLEHLO_MINIMUM'], numpy.minimum), (['ADD'], None), (['MAXIMUM'], None),
    (['STABLEHLO_ADD', 'STABLEHLO_ADD'], None)])
def test_what_a_scatter_does_with_what_is_there(operators, right, tmp_path):
    """PyTorch's scatter_add is exported with an ADD, which LiteRT's kernel does not know."""
    draw = numpy.random.default_rng(3)
    x, rows = draw.normal(size=(4, 3)).astype(numpy.float32), draw.normal(size=(2, 3)).astype(numpy.float32)
    for _, answer, errors, _ in judged(scattering(*operators), [x, rows], tmp_path):
        assert errors == ({'CV601'} if answer.error else set()), answer.error
        assert bool(answer.error) == (right is None)
        if right is not None:
            x2 = x.copy()
            x2[[2, 0]] = right(x[[2, 0]], rows)
            numpy.testing.assert_allclose(answer.outputs[0][0], x2, rtol=1e-6)


@pytest.mark.parametrize('place', ['kept', 'x'])
def test_variables_and_composites(place, tmp_path):
    """What is kept between two runs, and a subgraph that stands for an operator. A number is no variable."""
    model = empty()
    main = Body(model)
    main.given('x')
    main.tensor('kept', 'RESOURCE', ())
    main.run('VAR_HANDLE', [], ['kept'], VarHandleOptions={'container': '', 'sharedName': 'kept'})
    main.run('ASSIGN_VARIABLE', [place, 'x'], [], AssignVariableOptions={})
    main.tensor('read')
    main.run('READ_VARIABLE', ['kept'], ['read'], ReadVariableOptions={})
    main.run('STABLEHLO_COMPOSITE', ['read'], ['y'], StableHLOCompositeOptions={
        'name': 'acme.size', 'decompositionSubgraphIndex': 1, 'compositeAttributes': list(flexbuffers.Dumps({}))})
    main.gives('y')
    body = Body(model)
    body.given('a')
    body.gives(*size(body))
    for _, answer, errors, _ in judged(model, [-NUMBERS[0]], tmp_path):
        assert bool(answer.error) == bool(errors) == (place == 'x')
        assert answer.error or (answer.outputs[0][0] == NUMBERS[0]).all()


@pytest.mark.parametrize('type', ['FLOAT32', 'INT8', 'INT32'])
@pytest.mark.parametrize('steps, is_given, shape, masks', [
    ([1, 1], False, (2, 2), {}), ([1, 1], False, (2, 4), {'beginMask': 3, 'endMask': 3}), ([1, 2], False, (2, 1), {}),
    ([1, 1], True, (2, 2), {}), ([1, 1], False, (1, 2, 4), {'newAxisMask': 1}), ([1, 1], False, (2,), {'shrinkAxisMask': 1}),
    ([1, 1], False, (2, 2), {'ellipsisMask': 1})])
def test_slices_that_the_delegate_takes(type, steps, is_given, shape, masks, tmp_path):
    model = empty()
    main = Body(model)
    scale = 0.5 if type == 'INT8' else None
    main.given('x', type, (2, 4), scale=scale)
    (main.given if is_given else main.tensor)('begin', 'INT32', (2,), **({} if is_given else {'data': [0, 1]}))
    main.tensor('end', 'INT32', (2,), [2, 3])
    main.tensor('steps', 'INT32', (2,), steps)
    main.tensor('y', type, shape, scale=scale)
    main.run('STRIDED_SLICE', ['x', 'begin', 'end', 'steps'], ['y'], StridedSliceOptions=masks)
    main.gives('y')
    feeds = [numpy.zeros((2, 4), NUMPY[type])] + [numpy.int32([0, 1])] * is_given
    for target, answer, errors, warnings in judged(model, feeds, tmp_path):
        assert not answer.error
        assert target == 'reference' or answer.delegated == ('CV602' not in warnings), warnings


@pytest.mark.parametrize('scales', [[0.1], [0.1, 0.2]])
@pytest.mark.parametrize('type, zero_point', [('INT8', 0), ('UINT8', 128)])
def test_weights_that_are_quantized_as_the_model_runs(type, zero_point, scales, tmp_path):
    """Models in the middle of quantization-aware training quantize their weights so, channel by channel."""
    model = empty()
    main = Body(model)
    main.tensor('w', 'FLOAT32', (2, 3), [[1, 2, 3], [4, 5, 6]])
    quantization = main.tensor('y', type, (2, 3), scale=0.1).quantization
    quantization.scale, quantization.zeroPoint = scales, [zero_point] * len(scales)
    main.run('QUANTIZE', ['w'], ['y'])
    main.gives('y')
    for target, answer, errors, warnings in judged(model, [], tmp_path):
        assert not answer.error and not errors
        assert target == 'reference' or answer.delegated == ('CV602' not in warnings)
