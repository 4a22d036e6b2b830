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
}
REFUSED = {
    'function of a domain that is not imported': model([call()], functions=[function()]),
    'function that is there twice': model([call()], functions=[function(), function()], imports=[LOCAL]),
    'function with too many inputs': model([call(('x', 'x'))], functions=[function()], imports=[LOCAL]),
    'function with too many outputs': model([call(outputs=('y', 'z'))], functions=[function()], imports=[LOCAL]),
    'domain that is not imported': gelu(),
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


@pytest.mark.parametrize('name', REFUSED)
def test_what_a_tool_refuses_is_an_error(name, tmp_path):
    path = saved(tmp_path, REFUSED[name])
    assert refused(path) is not None
    assert check(path)[0]
