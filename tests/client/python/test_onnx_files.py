"""Whole ONNX files that ONNX Runtime or the ONNX checker refuses, and their neighbors that both take: `quantgate check`
without a target must find an error in the former and none in the latter, and accept the latter for ONNX Runtime."""
import json
import os
import subprocess

import pytest

onnx = pytest.importorskip('onnx')
onnxruntime = pytest.importorskip('onnxruntime')
numpy = pytest.importorskip('numpy')
from onnx import TensorProto, helper  # noqa: E402

SHAPE = [2, 4]


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=op, **attributes)


def value(name, shape=SHAPE, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def model(nodes, constants=(), opset=17, imports=(), functions=(), shape=SHAPE, out=SHAPE):
    graph = helper.make_graph(nodes, 'graph', [value('x', shape)], [value('y', out)], initializer=list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid('', opset),
                                                   *[helper.make_opsetid(*each) for each in imports]],
                             ir_version=10, functions=list(functions))


def function(name='F'):
    return helper.make_function('local', name, ['a'], ['b'], [helper.make_node('Relu', ['a'], ['b'], name='inner')],
                                [helper.make_opsetid('', 17)])


def call(inputs=('x',), outputs=('y',)):
    return node('F', list(inputs), list(outputs), domain='local')


def branch(name, inputs=(), outputs=1):
    names = [f'{name}{i}' for i in range(outputs)]
    return helper.make_graph([helper.make_node('Relu', ['x'], [each]) for each in names], name,
                             [value(each) for each in inputs], [value(each) for each in names])


def conditional(inputs=(), outputs=1):
    return model([node('If', ['c'], ['y'], then_branch=branch('t', inputs, outputs),
                       else_branch=branch('e', (), outputs))],
                 [helper.make_tensor('c', TensorProto.BOOL, [], [True])])


def loop(inputs=('n', 'c', 'x'), outputs=('y',)):
    body = helper.make_graph(
        [helper.make_node('Identity', ['c_in'], ['c_out']), helper.make_node('Relu', ['v_in'], ['v_out'])], 'body',
        [value('i', [], TensorProto.INT64), value('c_in', [], TensorProto.BOOL), value('v_in', None)],
        [value('c_out', [], TensorProto.BOOL), value('v_out', None)])
    return model([node('Loop', list(inputs), list(outputs), body=body)],
                 [helper.make_tensor('c', TensorProto.BOOL, [], [True]),
                  helper.make_tensor('n', TensorProto.INT64, [], [3])])


def scan(inputs=('s', 'x'), outputs=('last', 'y')):
    body = helper.make_graph(
        [helper.make_node('Add', ['sum', 'row'], ['next']), helper.make_node('Identity', ['next'], ['out'])], 'body',
        [value('sum', [4]), value('row', [4])], [value('next', [4]), value('out', [4])])
    return model([node('Scan', list(inputs), list(outputs), body=body, num_scan_inputs=1)],
                 [helper.make_tensor('s', TensorProto.FLOAT, [4], [0] * 4)])


def untyped_attribute(untyped=True):
    softmax = node('Softmax', ['x'], ['y'], axis=1)
    if untyped:
        softmax.attribute[0].type = onnx.AttributeProto.UNDEFINED
    return model([softmax])


def gelu(*imports):
    return model([node('Gelu', ['x'], ['y'], domain='com.microsoft')], imports=imports)


def blocks(shape):
    scale = helper.make_tensor('s', TensorProto.FLOAT, shape, [0.1] * (4 if shape else 1))
    return model([node('QuantizeLinear', ['x', 's'], ['q'], block_size=2),
                  node('DequantizeLinear', ['q', 's'], ['y'], block_size=2)], [scale], opset=21)


def constant():
    return model([helper.make_node('Constant', [], ['c'], name='c', value_float=2.0), node('Add', ['x', 'c'], ['y'])])


def group_normalization():
    ones = [helper.make_tensor(name, TensorProto.FLOAT, [4], [1.0] * 4) for name in ('s', 'b')]
    return model([node('GroupNormalization', ['x', 's', 'b'], ['y'], num_groups=2)], ones, opset=21, shape=[2, 4, 3],
                 out=[2, 4, 3])


def shaped(op, inputs, shapes, shape=SHAPE, opset=17, **attributes):
    """One node that reads x and constants of ones, of these shapes; integers where the operator wants such."""
    elements = {'depth': TensorProto.INT64, 'indices': TensorProto.INT64, 'axis': TensorProto.INT64}
    constants = [helper.make_tensor(name, elements.get(name, TensorProto.FLOAT), dims, [1] * int(numpy.prod(dims)))
                 for name, dims in shapes.items()]
    return model([node(op, inputs, ['y0'], **attributes), node('ReduceSum', ['y0'], ['y'], keepdims=0)], constants,
                 opset=opset, shape=shape, out=[])


def clip(shape):
    return shaped('Clip', ['x', 'least'], {'least': shape})


def one_hot(values):
    return shaped('OneHot', ['indices', 'depth', 'values'], {'indices': [2], 'depth': [], 'values': values})


def sequence(shape):
    return shaped('Range', ['start', 'limit', 'delta'], {'start': shape, 'limit': [], 'delta': []})


def gather(last):
    return shaped('GatherND', ['x', 'indices'], {'indices': [1, last]})


def groups(channels, number):
    return shaped('GroupNormalization', ['x', 's', 'b'], {'s': [channels], 'b': [channels]}, [2, 4, 3], 21, num_groups=number)


LOCAL = ('local', 1)
TAKEN = {
    'constant': constant(),
    'group normalization': group_normalization(),
    'function': model([call()], functions=[function()], imports=[LOCAL]),
    'domain': gelu(('com.microsoft', 1)),
    'If': conditional(),
    'Loop': loop(),
    'Scan': scan(),
    'attribute': untyped_attribute(untyped=False),
    'blocks': blocks([2, 2]),
    'Clip': clip([]),
    'Clip with a list of one': clip([1]),
    'OneHot': one_hot([2]),
    'Range': sequence([]),
    'GatherND': gather(2),
    'groups': groups(4, 2),
    'Concat': model([node('Concat', ['x'], ['y'], axis=0)]),
}
REFUSED = {
    'function of a domain that is not imported': model([call()], functions=[function()]),
    'function that is there twice': model([call()], functions=[function(), function()], imports=[LOCAL]),
    'function with too many inputs': model([call(('x', 'x'))], functions=[function()], imports=[LOCAL]),
    'function with too many outputs': model([call(outputs=('y', 'z'))], functions=[function()], imports=[LOCAL]),
    'domain of version 0': gelu(('com.microsoft', 0)),
    'If with an input of a branch': conditional(inputs=['more']),
    'If with branches without output': conditional(outputs=0),
    'If with branches of two outputs': conditional(outputs=2),
    'Loop with too few inputs': loop(('n', 'c')),
    'Loop with too many inputs': loop(('n', 'c', 'x', 'x')),
    'Loop with too many outputs': loop(outputs=('y', 'z')),
    'Scan with too few inputs': scan(('x',), ('y',)),
    'Scan with too few outputs': scan(outputs=('y',)),
    'attribute without a type': untyped_attribute(),
    'blocks with one scale': blocks([]),
    'Clip with two bounds': clip([2]),
    'OneHot with three values': one_hot([3]),
    'Range from two numbers': sequence([2]),
    'GatherND with indices of three': gather(3),
    'groups with too few scales': groups(3, 2),
    'Concat with a hole': model([node('Concat', ['', 'x'], ['y'], axis=0)]),
    'groups that do not divide': groups(4, 3),
}


def refused(path):
    """What the checker or the runtime says against the file; None where both take it."""
    try:
        onnx.checker.check_model(path, full_check=True)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
        session.run(None, {'x': numpy.ones(session.get_inputs()[0].shape, numpy.float32)})
    except Exception as error:  # pylint: disable=broad-except
        return str(error).splitlines()[0]
    return None


def check(path, *options):
    """Codes of errors (of a file that is not read, the code that says why), and the exit code."""
    answer = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--format', 'json', *options],
                            capture_output=True, text=True, check=False)
    if answer.returncode == 2:
        return [answer.stderr.split('[')[1].split(']')[0]], 2
    findings = [f for result in json.loads(answer.stdout)['results'] for f in result.get('findings', [])]
    return [f['code'] for f in findings if f['severity'] == 'ERROR'], answer.returncode


# One operator on all element types, in sets in which its types differ.
TYPED = [('Relu', 1, (13, 14)), ('Add', 2, (6, 13, 14)), ('BitwiseNot', 1, (18,)), ('PRelu', 2, (9, 16)), ('Not', 1, (13,)),
         ('IsNaN', 1, (13, 20)), ('MatMul', 2, (13,)), ('Sigmoid', 1, (13,)), ('MaxPool', 1, (11, 12)), ('Neg', 1, (13,)),
         ('Equal', 2, (7, 13)), ('Less', 2, (7, 9)), ('GlobalAveragePool', 1, (13, 22)), ('Erf', 1, (9, 13))]
ELEMENTS = ['FLOAT', 'FLOAT16', 'DOUBLE', 'BFLOAT16', 'INT8', 'UINT8', 'INT16', 'INT32', 'INT64', 'UINT32', 'BOOL', 'INT4',
            'FLOAT8E4M3FN']


def typed(op, inputs, opset, element):
    names = [f'x{i}' for i in range(inputs)]
    attributes = {'kernel_shape': [1, 1]} if op == 'MaxPool' else {}
    graph = helper.make_graph([node(op, names, ['y'], **attributes)], 'graph',
                              [value(name, [1, 1, 4, 4], getattr(TensorProto, element)) for name in names],
                              [onnx.ValueInfoProto(name='y')])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid('', opset)], ir_version=10)


def infers(made):
    try:
        onnx.shape_inference.infer_shapes(made, check_type=True, strict_mode=True)
    except onnx.shape_inference.InferenceError:
        return False
    return True


@pytest.mark.parametrize('op, inputs, opset', [(op, inputs, opset) for op, inputs, sets in TYPED for opset in sets])
def test_types_of_inputs(op, inputs, opset, tmp_path):
    wrong = []
    for element in ELEMENTS:
        made = typed(op, inputs, opset, element)
        errors, _ = check(saved(tmp_path, made))
        if ('FI014' in errors) == infers(made):
            wrong.append((element, errors))
    assert not wrong


def saved(folder, made):
    path = str(folder / 'model.onnx')
    onnx.save(made, path)
    return path


@pytest.mark.parametrize('name', TAKEN)
def test_what_the_tools_take_is_accepted(name, tmp_path):
    path = saved(tmp_path, TAKEN[name])
    assert refused(path) is None
    assert check(path) == ([], 0)
    assert check(path, '--target', 'onnxruntime/cpu') == ([], 0)


def test_an_import_that_the_runtime_adds(tmp_path):
    """The checker demands it; ONNX Runtime has the operator, and its own quantizers of weights leave the import out."""
    path = saved(tmp_path, gelu())
    onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    assert 'com.microsoft' in refused(path)
    assert check(path) == ([], 0)
    assert check(path, '--target', 'onnxruntime/cpu') == ([], 0)


@pytest.mark.parametrize('name', REFUSED)
def test_what_a_tool_refuses_is_an_error(name, tmp_path):
    path = saved(tmp_path, REFUSED[name])
    assert refused(path) is not None
    assert check(path)[0]
