"""The graphs that _native.c writes, beside those of Python alone: the same messages, the same errors."""
import inspect

import architectures
import models
import pytest
import quantizers
import random_graphs
import torch
from quantgate import fx
from quantgate.errors import QuantGateError
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec

pytestmark = pytest.mark.skipif(fx._native is None, reason='no compiler where the package was installed')

ATEN = torch.ops.aten


def written(module):
    try:
        return fx.to_graph(module).SerializeToString(deterministic=True)
    except QuantGateError as error:
        return error.code, error.message


def both(module, monkeypatch):
    """What Python alone gives, and how many values and nodes it was asked for beside _native.c."""
    native, asked = fx._native, []
    with monkeypatch.context() as patch:
        for name in ('_value', '_node'):
            method = getattr(fx._Converter, name)
            patch.setattr(fx._Converter, name, lambda self, node, of=method: asked.append(node) or of(self, node))
        answer = written(module)
    with monkeypatch.context() as patch:
        patch.setattr(fx, '_native', None)
        expected = written(module)
    assert fx._native is native and answer == expected
    return expected, len(asked)


def spec(**options):
    return QuantizationSpec(**{'dtype': torch.int8, 'observer_or_fake_quant_ctr': None, 'quant_min': -128,
                               'quant_max': 127, 'qscheme': torch.per_tensor_affine, **options})


def chain(*calls, **meta):
    """Of an input: calls of (target, arguments after the first, keywords)."""
    graph = torch.fx.Graph()
    node = graph.placeholder('x')
    node.meta['val'] = torch.empty(2, 3, device='meta')
    for target, args, kwargs in calls:
        node = graph.call_function(target, (node, *args), kwargs)
        node.meta.update({'val': torch.empty(2, 3, device='meta'), **meta})
    graph.output((node,))
    return torch.fx.GraphModule(torch.nn.Module(), graph)


@pytest.mark.parametrize('first', range(0, 1000, 100))
def test_random_graphs(first, monkeypatch):
    for seed in range(first, first + 100):
        both(random_graphs.graph_of(seed), monkeypatch)


@pytest.mark.parametrize('name', ['bert', 'gpt2', 'mobilenet_v2', 'vit'])
def test_architectures(name, monkeypatch):
    module, _ = architectures.export(name)
    unquantized, _ = both(module, monkeypatch)
    annotated, _ = both(models.annotate(module, quantizers.qnn('16a8w')), monkeypatch)
    assert unquantized != annotated


def test_what_repeats_is_not_left_to_python(monkeypatch):
    _, asked = both(chain(*[(ATEN.add.Tensor, (1,), {'alpha': 2})] * 1000), monkeypatch)
    assert asked < 10


@pytest.mark.parametrize('argument', [
    0, 1, -1, True, False, 0.0, -0.0, 1.0, float('nan'), float('inf'), 2**63 - 1, 2**63, -2**70, 'text', 'é', '\udc80',
    torch.int8, torch.strided, None, [], [1, 1], [True, True], [1.0, 1.0], [1, 1.0], [1, True], [1, 2**70], [None, 1],
    (1, 1), torch.Size([1, 1]), 'a\0b', [[1, 1], [1, 1]], [1] * 100, slice(0, 1), 1j, b'1'], ids=ascii)
def test_arguments(argument, monkeypatch):
    """Twice each, among others that compare equal."""
    others = (0, False, 0.0, 1, True, 1.0, [1, 1], [True, True], [1.0, 1.0])
    calls = [(ATEN.add.Tensor, (one,), {}) for one in (*others, argument, argument, *others)]
    calls += [(ATEN.add.Tensor, (1,), {'alpha': one}) for one in (argument, argument)]
    both(chain(*calls), monkeypatch)


@pytest.mark.parametrize('meta', [
    {}, {'stack_trace': 'no frame'}, {'stack_trace': ''}, {'stack_trace': 3}, {'stack_trace': 'File "a", line 1, in f'},
    {'stack_trace': 'x\nFile "a", line 1\nFile "b\udc80", line 2'}, {'stack_trace': 'File "é", line 7'},
    {'nn_module_stack': {}}, {'nn_module_stack': {'a': ('', None)}}, {'nn_module_stack': {'a': ('a', 1), 'b': ('b', 1)}},
    {'nn_module_stack': {'a': ['a.b', 1]}}, {'nn_module_stack': {'a': ()}}, {'nn_module_stack': {'a': (3, 1)}},
    {'nn_module_stack': 'a'}, {'asked_block_size': (1, 2)}, {'asked_block_size': 'wide'}, {'val': None}, {'val': 3},
    {'val': (torch.empty(1), torch.empty(2))}, {'val': torch.empty(2, dtype=torch.complex32)}], ids=ascii)
def test_meta(meta, monkeypatch):
    both(chain(*[(ATEN.relu.default, (), {})] * 3, **meta), monkeypatch)


@pytest.mark.parametrize('meta', [
    {}, {'source_fn_stack': [('max_1', torch.max)], 'torch_fn': ('max_1', 'f.max')}, {'torch_fn': ('max_1', 'f.max')},
    {'source_fn_stack': [('max_1', 'max')]}, {'source_fn_stack': [('max', ATEN.max.dim)]}, {'source_fn_stack': 3},
    {'source_fn_stack': []}, {'torch_fn': ()}, {'source_fn_stack': [(1,)]}, {'source_fn_stack': [('a', None)]}], ids=ascii)
def test_what_the_source_calls(meta, monkeypatch):
    both(chain(*[(ATEN.max.dim, (1,), {}), (ATEN.relu.default, (), {})] * 3, **meta), monkeypatch)


def test_forms_of_calls(monkeypatch):
    graph = torch.fx.Graph()
    x, y = graph.placeholder('x'), graph.placeholder('y')
    many = graph.call_function(ATEN.cat.default, ([x] * 100, 1))
    for _ in range(2):
        graph.call_function(ATEN.cat.default, ([x, y],))
        graph.call_function(ATEN.cat.default, ((x, y), 1))
        graph.call_function(ATEN.index.Tensor, (x, [None, y]))
        graph.call_function(ATEN.reshape.default, (x, [2, y]))
        graph.call_function(ATEN.add.Tensor, (x,), {'other': y, 'alpha': 2})
        graph.call_function(ATEN.add.Tensor, (x,), {'alpha': 2, 'other': y, 'unknown': 3})
        graph.call_function(ATEN.add.Tensor, (x, y, 2, 3))
        graph.call_function(ATEN.conv2d.default, (x, y, None, [1, 1]), {'groups': 1})
        graph.call_function(torch.add, (x, y), {'alpha': 2})
        graph.call_method('add', (x, y))
        graph.call_function(ATEN.stack.default, ([[x, y], 1],))
        graph.call_function(ATEN.cat.default, ({'a': x},), {'dim': slice(y)})
        graph.call_function(ATEN.relu.default, (x,), {'unknown': slice(None, y)})
        graph.call_function(ATEN.relu.default, (x,), {'self': y})
        graph.call_function(ATEN.relu.default, (x, y))
    graph.output((many, x))
    for node in graph.nodes:
        node.meta['val'] = torch.empty(2, 3)
    next(iter(graph.find_nodes(op='call_method'))).name = 'naïve'
    both(torch.fx.GraphModule(torch.nn.Module(), graph), monkeypatch)


@pytest.mark.parametrize('change', [
    lambda annotation, x, y: None,
    lambda annotation, x, y: setattr(annotation, 'allow_implicit_sharing', False),
    lambda annotation, x, y: setattr(annotation, 'allow_implicit_sharing', 0),
    lambda annotation, x, y: delattr(annotation, '_annotated'),
    lambda annotation, x, y: setattr(annotation, 'output_qspec', None),
    lambda annotation, x, y: setattr(annotation, 'output_qspec', 'wide'),
    lambda annotation, x, y: setattr(annotation, 'output_qspec', spec(dtype='int8')),
    lambda annotation, x, y: setattr(annotation, 'input_qspec_map', {}),
    lambda annotation, x, y: setattr(annotation, 'input_qspec_map', {y: spec(), x: spec(quant_min=-127)}),
    lambda annotation, x, y: setattr(annotation, 'input_qspec_map', {y: None}),
    lambda annotation, x, y: setattr(annotation, 'input_qspec_map', {x: spec(), y: spec(), 'z': spec()}),
    lambda annotation, x, y: setattr(annotation, 'input_qspec_map', {x: spec(), y: 3}),
    lambda annotation, x, y: setattr(annotation, 'input_qspec_map', 3)],
    ids=lambda change: inspect.getsource(change).strip().partition("y: ")[2][:60])
def test_annotations(change, monkeypatch):
    graph = torch.fx.Graph()
    x, y = graph.placeholder('x'), graph.placeholder('y')
    sums = [graph.call_function(ATEN.add.Tensor, (x, y)) for _ in range(3)]
    graph.output(tuple(sums))
    for node in graph.nodes:
        node.meta['val'] = torch.empty(2, 3)
    for node in sums:
        annotation = QuantizationAnnotation({x: spec(), y: spec(ch_axis=1)}, spec(quant_max=100), _annotated=True)
        node.meta['quantization_annotation'] = annotation
        try:
            change(annotation, x, y)
        except AttributeError:  # a field that has a default on the class
            annotation._annotated = 1
    both(torch.fx.GraphModule(torch.nn.Module(), graph), monkeypatch)
