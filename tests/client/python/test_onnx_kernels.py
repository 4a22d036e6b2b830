"""What single operators may be, in ONNX and in the CPU kernels of ONNX Runtime, around the border of what they take: each
case is put to the runtime itself, and `quantgate check --target onnxruntime/cpu` must find an error exactly where that
ends with one, or ends."""
import faulthandler
import json
import multiprocessing
import os
import subprocess

import pytest

np = pytest.importorskip('numpy')
onnx = pytest.importorskip('onnx')
onnxruntime = pytest.importorskip('onnxruntime')

from onnx import helper, numpy_helper  # noqa: E402

RANDOM = np.random.default_rng(5)


def reals(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def made(nodes, feeds, constants=(), outputs=('y',), opset=21, ir=10, overridable=(), functions=(), domains=()):
    """A model and what is fed to it; of `constants`, by name, those in `overridable` are inputs of the graph too."""
    tensors = {name: numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()}
    inputs = [helper.make_tensor_value_info(name, numpy_helper.from_array(array).data_type, array.shape)
              for name, array in feeds.items()]
    inputs += [helper.make_tensor_value_info(name, tensors[name].data_type, tensors[name].dims) for name in overridable]
    graph = helper.make_graph(nodes, 'g', inputs, [onnx.ValueInfoProto(name=name) for name in outputs],
                              list(tensors.values()))
    imports = [helper.make_opsetid('', opset), helper.make_opsetid('com.microsoft', 1),
               *[helper.make_opsetid(domain, 1) for domain in domains]]
    return helper.make_model(graph, opset_imports=imports, ir_version=ir, functions=list(functions)), feeds


def one(op, x, constants=(), outputs=('y',), opset=21, domain='', names=None, **attributes):
    """One node that reads x and then the constants, in their order, or these names."""
    names = ['x', *dict(constants)] if names is None else names
    return made([helper.make_node(op, names, outputs, domain=domain, **attributes)], {'x': np.asarray(x)}, constants,
                [name for name in outputs if name], opset)


def answer(model, feeds, pipe):
    faulthandler.disable()  # of an end that is asked for
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(model, options, providers=['CPUExecutionProvider'])
        session.run(None, feeds)
        pipe.send(None)
    except Exception as error:  # pylint: disable=broad-except
        pipe.send(str(error))


def refused(model, feeds):
    """What the runtime says against it; None where it runs."""
    here, there = multiprocessing.Pipe(False)
    process = multiprocessing.get_context('fork').Process(target=answer, args=(model.SerializeToString(), feeds, there))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return 'the process ended'
    finally:
        process.join()


def check(model, folder, *options):
    path = str(folder / 'model.onnx')
    onnx.save(model, path)
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--target', 'onnxruntime/cpu', '--format', 'json',
               '--quiet', '--no-corrections', *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)['results'][0]


def errors(result):
    return [f['message'] for f in result['findings'] if f['severity'] == 'ERROR']


IMAGE = reals(2, 3, 4, 4)
WEIGHT, TURNED = reals(2, 3, 2, 2), reals(3, 2, 2, 2)
BYTES, BYTE_WEIGHT = np.zeros((1, 3, 4, 4), np.uint8), np.zeros((2, 3, 2, 2), np.uint8)
SCALE, POINT = np.float32(0.1), np.uint8(0)


def convolutions():
    for attributes in (dict(auto_pad='VALID', pads=[0, 0, 0, 0]), dict(auto_pad='NOTSET', pads=[0, 0, 0, 0]),
                       dict(auto_pad='SAME_UPPER', dilations=[2, 2]), dict(auto_pad='VALID', dilations=[2, 2]),
                       dict(auto_pad='SAME_LOWER', dilations=[1, 1])):
        text = ' '.join(f'{name}={number}' for name, number in attributes.items())
        yield f'Conv {text}', one('Conv', IMAGE, {'w': WEIGHT}, **attributes)
        yield f'ConvTranspose {text}', one('ConvTranspose', IMAGE, {'w': TURNED}, **attributes)
        yield f'ConvInteger {text}', one('ConvInteger', BYTES, {'w': BYTE_WEIGHT}, **attributes)
        yield f'QLinearConv {text}', one('QLinearConv', BYTES, {'s': SCALE, 'z': POINT, 'w': BYTE_WEIGHT},
                                         names=['x', 's', 'z', 'w', 's', 'z', 's', 'z'], **attributes)
        yield f'MaxPool {text}', one('MaxPool', IMAGE, kernel_shape=[2, 2], **attributes)
    for attributes in (dict(output_padding=[1, 1]), dict(output_padding=[1, 1], strides=[2, 2]),
                       dict(output_padding=[2, 1], strides=[2, 2])):
        yield f'ConvTranspose {attributes}', one('ConvTranspose', IMAGE, {'w': TURNED}, **attributes)


def pools():
    for op in ('MaxPool', 'AveragePool', 'LpPool', 'GlobalAveragePool', 'GlobalMaxPool', 'GlobalLpPool'):
        for rank in (5, 6):
            attributes = {} if 'Global' in op else {'kernel_shape': [1] * (rank - 2)}
            yield f'{op} of rank {rank}', one(op, reals(*[1, 1], *[2] * (rank - 2)), **attributes)
    for rank in (3, 4, 5, 6):
        yield f'GridSample of rank {rank}', one('GridSample', reals(1, 1, *[2] * (rank - 2)),
                                                {'grid': reals(1, *[2] * (rank - 2), rank - 2)}, opset=20)


def resizes():
    for mode in ('nearest', 'linear', 'cubic'):
        for scales in ([2.], [2., 1.], [1., 2., 2.], [2., 2., 2.], [1., 1., 2., 2.], [1., 2., 2., 2.], [2., 1., 2., 2.],
                       [1., 2., 2., 1.], [1., 1., 2., 2., 2.], [1., 2., 2., 2., 2.], [1.] * 4 + [2.] * 2, [1., 1., 0.5, 2.],
                       [1., 1., 0., 2.], [1., 1., -1., 2.]):
            x = reals(*[2] * len(scales))
            yield f'Resize {mode} by {scales}', one('Resize', x, {'s': np.float32(scales)}, names=['x', '', 's'],
                                                    opset=19, mode=mode)
            if len(scales) == 4:
                yield f'Resize-10 {mode} by {scales}', one('Resize', x, {'s': np.float32(scales)}, opset=10, mode=mode) \
                    if mode != 'cubic' else one('Relu', x)
                yield f'Upsample {mode} by {scales}', one('Upsample', x, {'s': np.float32(scales)}, opset=9, mode=mode) \
                    if mode != 'cubic' else one('Relu', x)
        yield f'Resize {mode} to another number of channels', one(
            'Resize', IMAGE, {'sizes': np.int64([2, 6, 8, 8])}, names=['x', '', '', 'sizes'], opset=19, mode=mode)
        yield f'Resize {mode} along an axis', one('Resize', IMAGE, {'s': np.float32([2])}, names=['x', '', 's'], opset=19,
                                                  mode=mode, axes=[1])
        for attributes in (dict(antialias=1), dict(exclude_outside=1), dict(antialias=1, exclude_outside=1)):
            yield f'Resize {mode} {attributes}', one('Resize', IMAGE, {'s': np.float32([1, 1, .5, .5])},
                                                     names=['x', '', 's'], opset=19, mode=mode, **attributes)
    for opset in (11, 13, 19):
        for scales in ([1, 1, 2, 2], []):
            yield f'Resize-{opset} by {scales} to sizes', one(
                'Resize', IMAGE, {'roi': np.zeros(0, np.float32), 's': np.float32(scales), 'z': np.int64([2, 3, 8, 8])},
                opset=opset)


def recurrences():
    for op, gates, functions in (('LSTM', 4, 3), ('GRU', 3, 2), ('RNN', 1, 1)):
        constants = {'w': reals(1, 3 * gates, 4), 'r': reals(1, 3 * gates, 3)}
        for attributes in ({}, dict(hidden_size=3), dict(hidden_size=3, activations=['Affine'] * functions),
                           dict(hidden_size=3, activations=['Foo'] * functions),
                           dict(hidden_size=3, activations=['Tanh'] * (functions + 2))):
            yield f'{op} {attributes}', one(op, reals(2, 1, 4), constants, **attributes)


def attributes_of_others():
    for size in (-1, 0, 1, 2, 3):
        yield f'LRN over {size}', one('LRN', IMAGE, size=size)
    for p in (0, 1, 2, 3):
        yield f'LpNormalization {p}', one('LpNormalization', IMAGE, p=p)
    for dtype in (np.float32, np.float64, np.int64):
        for fmod in (0, 1):
            yield f'Mod of {dtype.__name__} fmod={fmod}', one('Mod', dtype([3, 2]), names=['x', 'x'], fmod=fmod)
    for time, batch in ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0)):
        yield f'ReverseSequence {time} {batch}', one('ReverseSequence', reals(2, 2, 2), {'n': np.int64([1, 1])},
                                                     time_axis=time, batch_axis=batch)
    for axis in (-4, -3, -1, 2, 3):
        yield f'OneHot along {axis}', one('OneHot', np.int64([[0, 1], [1, 2]]), {'n': np.int64(3), 'v': reals(2)}, axis=axis)
    for equation in ('ij->ijj', 'ij->ji', 'i...->...i', 'ij,jk->il', 'ij , jk -> i k', 'ij->'):
        yield f'Einsum {equation}', one('Einsum', reals(3, 3), names=['x'] * (equation.count(',') + 1), equation=equation)
    for direction in ('LEFT', 'RIGHT', 'up'):
        yield f'BitShift {direction}', one('BitShift', np.uint8([3]), names=['x', 'x'], direction=direction)
    for shape in ([1], [2], []):
        yield f'ConstantOfShape of a value {shape}', one('ConstantOfShape', np.int64([2]),
                                                         value=numpy_helper.from_array(np.ones(shape, np.float32)))
    for pads in ([0, 2, 0, 2], [0, 3, 0, 0], [0, 0, 0, 3], [2, 0, 0, 0], [-1, 0, 0, 3], [0, -1, 0, 2], [0, -1, 0, 1]):
        for mode in ('reflect', 'edge', 'wrap'):
            yield f'Pad {mode} {pads}', one('Pad', reals(2, 3), {'p': np.int64(pads)}, mode=mode)
    for axes in ([0, 1], [1, 1], [1, -1]):
        yield f'Slice along {axes}', one('Slice', reals(4, 4), {'from': np.int64([0, 1]), 'to': np.int64([3, 2]),
                                                                'axes': np.int64(axes)})
    transpose = helper.make_node('Transpose', ['x'], ['y'])
    yield 'Transpose', made([transpose], {'x': IMAGE})
    transpose = helper.make_node('Transpose', ['x'], ['y'], perm=[0, 1, 2, 3])
    transpose.attribute[0].ClearField('ints')
    yield 'Transpose by nothing', made([transpose], {'x': IMAGE})
    parameters = {'s': reals(3), 'b': reals(3), 'm': reals(3), 'v': np.abs(reals(3))}
    for training, count in ((0, 1), (0, 3), (1, 1), (1, 3)):
        yield f'BatchNormalization training {training} outputs {count}', one(
            'BatchNormalization', IMAGE, parameters, ['y', 'mean', 'variance'][:count], training_mode=training)
    for opset in (7, 8):
        for shape in ([3, 4, 4], [3], [1, 4, 4]):
            for attributes in ({}, dict(spatial=0)):
                given = {name: np.abs(reals(*shape)) for name in 'sbmv'}
                yield f'BatchNormalization-{opset} {shape} {attributes}', one('BatchNormalization', IMAGE, given,
                                                                              opset=opset, **attributes)
    for opset in (21, 23):
        for data, scale in ((np.float32, np.float32), (np.float32, np.float16), (np.float16, np.float32),
                            (np.float16, np.float16)):
            yield f'QuantizeLinear-{opset} {data.__name__} by {scale.__name__}', one(
                'QuantizeLinear', reals(3).astype(data), {'s': scale(0.25), 'z': POINT}, opset=opset)


def splits():
    for size, parts in ((4, 3), (5, 4), (6, 4), (7, 4), (7, 3), (3, 3), (9, 4), (10, 4)):
        names = [f'y{i}' for i in range(parts)]
        yield f'Split {size} into {parts}', one('Split', reals(size), outputs=names, opset=18, num_outputs=parts)
    for opset, names, attributes in ((13, ['x', ''], {}), (18, ['x', ''], dict(num_outputs=2)), (18, ['x'], {}),
                                     (18, ['x', 'p'], dict(num_outputs=2)), (18, ['x', 'p'], {})):
        yield f'Split-{opset} {names} {attributes}', one('Split', reals(2, 3), {'p': np.int64([1, 1])}, ['y', 'z'], opset,
                                                         names=names, **attributes)


def names():
    for op, inputs in (('LayerNormalization', ['x', 'g', '']), ('LayerNormalization', ['x', 'g']),
                       ('Clip', ['x', '', '']), ('Dropout', ['x', '', ''])):
        yield f'{op} {inputs}', one(op, reals(2, 4), {'g': reals(4)}, names=inputs)
    for inputs in (['x', ''], ['x']):
        yield f'Squeeze {inputs}', one('Squeeze', reals(1, 3), names=inputs)
    for op, outputs, constants, attributes in (
            ('TopK', ['y', ''], {'k': np.int64([1])}, {}), ('TopK', ['', 'i'], {'k': np.int64([1])}, {}),
            ('MaxPool', ['', 'i'], {}, dict(kernel_shape=[2, 2])), ('MaxPool', ['y', ''], {}, dict(kernel_shape=[2, 2])),
            ('Dropout', ['', 'm'], {}, {}), ('Dropout', ['y', ''], {}, {}),
            ('DynamicQuantizeLinear', ['q', '', 'z'], {}, {}), ('Unique', ['', 'i'], {}, {}), ('Unique', ['y', ''], {}, {}),
            ('Split', ['y', ''], {}, dict(num_outputs=2)), ('Split', ['', 'y'], {}, dict(num_outputs=2))):
        yield f'{op} to {outputs}', one(op, IMAGE, constants, outputs, **attributes)


def graph(nodes, output, constants=()):
    return helper.make_graph(nodes, 'b', [], [onnx.ValueInfoProto(name=output)],
                             [numpy_helper.from_array(array, name) for name, array in dict(constants).items()])


def branches():
    """A branch that is taken or not, of what fails when the file is loaded, when a kernel is made, or when it runs."""
    condition = {'c': np.array(True)}
    relu = graph([helper.make_node('Relu', ['x'], ['e'])], 'e')
    outer = helper.make_node('If', ['c'], ['y'], then_branch=graph([], 'k'), else_branch=relu)
    yield 'If gives back an outer tensor', made([outer], {'x': IMAGE, **condition}, {'k': IMAGE})
    own = helper.make_node('If', ['c'], ['y'], then_branch=graph([], 'k', {'k': IMAGE}), else_branch=relu)
    yield 'If gives back its own tensor', made([own], {'x': IMAGE, **condition})
    for taken in (True, False):
        for name, node, constants in (
                ('when it runs', helper.make_node('Reshape', ['x', 's'], ['o']), {'s': np.int64([5, 5])}),
                ('when it is loaded', helper.make_node('Reshape', ['x', 's'], ['o']), {'s': np.int64([5, -1])}),
                ('of a kernel', helper.make_node('Conv', ['x', 's'], ['o'], auto_pad='SAME_UPPER', dilations=[2, 2]),
                 {'s': WEIGHT})):
            branch = helper.make_node('If', ['c'], ['y'], then_branch=graph([node], 'o', constants), else_branch=relu)
            size = [helper.make_node('Size', ['x'], ['n']), helper.make_node('Equal', ['n', 'k'], ['c'])]
            yield f'If fails {name}, by shapes {taken}', made(
                [*size, branch], {'x': IMAGE}, {'k': np.int64(96 if taken else 5)})
            yield f'If fails {name}, by a constant {taken}', made([branch], {'x': IMAGE}, {'c': np.array(taken)})


def halves():
    """Float16 where there is no kernel of it: the runtime computes in float, between Casts."""
    for op, gates in (('LSTM', 4), ('GRU', 3), ('RNN', 1)):
        constants = {'w': reals(1, gates * 4, 3), 'r': reals(1, gates * 4, 4)}
        constants = {name: array.astype(np.float16) for name, array in constants.items()}
        yield f'{op} of float16', one(op, reals(5, 1, 3).astype(np.float16), constants, hidden_size=4)
    packed = {'w': np.full(128, 0x37, np.uint8), 'a': np.ones(8, np.float16)}
    yield 'MatMulBnb4 of float16', one('MatMulBnb4', reals(2, 32).astype(np.float16), packed, domain='com.microsoft', K=32,
                                       N=8, block_size=32, quant_type=1)
    for kind in (np.int8, np.uint8):  # a quantized constant of int8 stays, where the other operand becomes uint8
        constants = {'s': np.float16(0.1), 't': np.float16(0.2), 'z': kind(3), 'c': np.ones((1, 2), np.float16)}
        nodes = [helper.make_node('QuantizeLinear', [name, 's', 'z'], [f'q{name}']) for name in 'xc']
        nodes += [helper.make_node('DequantizeLinear', [f'q{name}', 's', 'z'], [f'd{name}']) for name in 'xc']
        nodes += [helper.make_node('Concat', ['dc', 'dx'], ['both'], axis=0),
                  helper.make_node('QuantizeLinear', ['both', 't', 'z'], ['qy']),
                  helper.make_node('DequantizeLinear', ['qy', 't', 'z'], ['y'])]
        yield f'Concat of float16 beside a constant, {kind.__name__}', made(
            nodes, {'x': reals(3, 2).astype(np.float16)}, constants)


def gathered():
    for bits, block, scales, zeros in ((4, 16, 3, 2), (4, 16, 3, 3), (4, 16, 3, 1), (4, 16, 3, 0), (4, 16, 4, 0), (2, 16, 3, 1),
                                       (2, 16, 3, 3), (8, 16, 3, 3), (8, 16, 3, 2), (4, 32, 2, 1), (4, 24, 2, 0), (4, 8, 6, 3)):
        constants = {'d': np.full((6, 48 * bits // 8), 0x9a, np.uint8), 's': np.full((6, scales), 0.5, np.float32)}
        if zeros:
            constants['z'] = np.full((6, zeros), 0x88, np.uint8)
        yield f'GatherBlockQuantized of {bits} bits in blocks of {block}, {scales} scales, {zeros} bytes', one(
            'GatherBlockQuantized', np.int64([0, 5]), constants, domain='com.microsoft',
            names=['d', 'x', 's'] + ['z'] * bool(zeros), bits=bits, block_size=block, quantize_axis=1)


def biases():
    """The DequantizeLinear of a bias that states an axis which a list does not have: read where it is not fused."""
    for op, weight in (('Gemm', np.ones((4, 3), np.int8)), ('Conv', np.ones((3, 4, 1, 1), np.int8))):
        for quantized in (True, False):
            scales = np.float32([0.01, 0.02, 0.03])
            constants = {'s': np.float32(0.02), 'z': np.uint8(128), 'w': weight, 'ws': scales, 'wz': np.zeros(3, np.int8),
                         'b': np.int32([9, -9, 5]), 'bs': scales * np.float32(0.02), 't': np.float32(0.1)}
            nodes = [helper.make_node('DequantizeLinear', ['x', 's', 'z'], ['xd']),
                     helper.make_node('DequantizeLinear', ['w', 'ws', 'wz'], ['wd'], axis=int(op == 'Gemm')),
                     helper.make_node('DequantizeLinear', ['b', 'bs'], ['bd'], axis=1),
                     helper.make_node(op, ['xd', 'wd', 'bd'], ['y' if not quantized else 'f'])]
            if quantized:
                nodes.append(helper.make_node('QuantizeLinear', ['f', 't', 'z'], ['y']))
            x = np.zeros((2, 4) if op == 'Gemm' else (1, 4, 2, 2), np.uint8)
            yield f'{op} with a bias along an axis that is not there, quantized {quantized}', made(nodes, {'x': x}, constants)


CASES = {name: case for cases in (convolutions, pools, resizes, recurrences, attributes_of_others, splits, names, branches,
                                  halves, gathered, biases)
         for name, case in cases()}


@pytest.mark.parametrize('name', CASES)
def test_what_the_runtime_does(name, tmp_path):
    model, feeds = CASES[name]
    said = refused(model, feeds)
    found = errors(check(model, tmp_path))
    assert bool(found) == (said is not None), (said, found)


def group(op, scale=True):
    """x, quantized, through the operator, quantized: with a weight and a bias where it has them."""
    weight = {'Conv': reals(4, 4, 1, 1), 'Gemm': reals(4, 4), 'MatMul': reals(4, 4), 'Add': reals(4, 4)}.get(op)
    constants = {'xs': np.float32(0.02), 'xz': np.uint8(100), 'ys': np.float32(0.02 if scale else 0.5), 'yz': np.uint8(100)}
    nodes = [helper.make_node('QuantizeLinear', ['x', 'xs', 'xz'], ['xq']),
             helper.make_node('DequantizeLinear', ['xq', 'xs', 'xz'], ['xd'])]
    inputs = ['xd']
    if weight is not None:
        kind = np.uint8 if op == 'Add' else np.int8
        constants.update(wq=RANDOM.integers(0, 60, weight.shape).astype(kind), ws=np.float32(0.01), wz=kind(0))
        nodes.append(helper.make_node('DequantizeLinear', ['wq', 'ws', 'wz'], ['wd']))
        inputs.append('wd')
    if op in ('Conv', 'Gemm'):
        constants.update(bq=np.arange(4, dtype=np.int32), bs=np.float32(0.02) * np.float32(0.01))
        nodes.append(helper.make_node('DequantizeLinear', ['bq', 'bs'], ['bd']))
        inputs.append('bd')
    if op == 'Relu':
        constants.update(yz=np.uint8(0))
    attributes = {'MaxPool': dict(kernel_shape=[2, 2]), 'Transpose': dict(perm=[0, 2, 3, 1])}.get(op, {})
    nodes += [helper.make_node(op, inputs, ['o'], **attributes),
              helper.make_node('QuantizeLinear', ['o', 'ys', 'yz'], ['q']),
              helper.make_node('DequantizeLinear', ['q', 'ys', 'yz'], ['y'])]
    return nodes, constants, {'x': reals(2, 4) if op == 'Gemm' else reals(1, 4, 4, 4)}


def runs_in_float(model, op, folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(folder / 'optimized.onnx')
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    operators = [node.op_type for node in onnx.load(folder / 'optimized.onnx').graph.node]
    return op in operators and 'DequantizeLinear' in operators[:operators.index(op)]


@pytest.mark.parametrize('ir', [3, 10])
@pytest.mark.parametrize('op', ['Conv', 'Gemm', 'MatMul', 'Add', 'Sigmoid', 'MaxPool', 'Transpose', 'Relu'])
def test_constants_that_a_caller_may_replace(op, ir, tmp_path):
    nodes, constants, feeds = group(op)
    for name in (None, *constants):
        model, _ = made(nodes, feeds, constants, opset=13, ir=ir, overridable=[name] if name else [])
        found = any(f['code'] == 'CV205' for f in check(model, tmp_path)['findings'])
        assert found == runs_in_float(model, op, tmp_path), name


def function(domain, name):
    return helper.make_function(domain, name, ['a'], ['b'], [helper.make_node('Neg', ['a'], ['b'])],
                                [helper.make_opsetid('', 21)])


@pytest.mark.parametrize('domain, name, is_called', [('', 'Relu', False), ('ai.onnx', 'Relu', False),
                                                     ('com.microsoft', 'Gelu', False), ('com.microsoft', 'Mine', True),
                                                     ('mine', 'Relu', True)])
def test_a_function_named_as_an_operator_is_not_called(domain, name, is_called, tmp_path):
    model, feeds = made([helper.make_node(name, ['x'], ['y'], domain=domain)], {'x': IMAGE},
                        functions=[function(domain, name)], domains=['mine'])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=['CPUExecutionProvider'])
    assert np.array_equal(session.run(None, feeds)[0], -IMAGE) == is_called
    onnx.save(model, tmp_path / 'model.onnx')
    out = tmp_path / 'graph.json'
    subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'import', str(tmp_path / 'model.onnx'), '-o', str(out)], check=True)
    assert ('Neg' in json.loads(out.read_text())['symbols']) == is_called


def test_a_function_of_the_default_domain_is_refused(tmp_path):
    model, feeds = made([helper.make_node('Mine', ['x'], ['y'])], {'x': IMAGE}, functions=[function('', 'Mine')])
    assert refused(model, feeds)
    assert errors(check(model, tmp_path))


def outputs(model, feeds, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    return session.run(None, feeds)[0]


@pytest.mark.parametrize('bias', [600, 700])
def test_a_bias_of_float16_that_is_lost(bias, tmp_path):
    constants = {'s': np.float16(0.1), 'z': np.uint8(0), 'w': np.ones((2, 1, 1, 1), np.int8), 'wz': np.int8(0),
                 'b': np.float16([0.1, bias]), 't': np.float16(4)}
    nodes = [helper.make_node('DequantizeLinear', ['x', 's', 'z'], ['xd']),
             helper.make_node('DequantizeLinear', ['w', 's', 'wz'], ['wd']),
             helper.make_node('Conv', ['xd', 'wd', 'b'], ['f']), helper.make_node('QuantizeLinear', ['f', 't', 'z'], ['y'])]
    model, feeds = made(nodes, {'x': np.full((1, 1, 1, 1), 3, np.uint8)}, constants)
    levels = onnxruntime.GraphOptimizationLevel
    plain, optimized = (outputs(model, feeds, level) for level in (levels.ORT_DISABLE_ALL, levels.ORT_ENABLE_ALL))
    codes = {finding['code'] for finding in check(model, tmp_path)['findings']}
    assert ('NR506' in codes) == bool(np.any(plain != optimized)), (plain, optimized)
