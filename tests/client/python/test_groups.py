"""Sharing groups of the package against those that torchao itself computes."""
import operator

import pytest
import models
import numpy
import quantgate
import torch
from torchao.quantization.pt2e.observer import MinMaxObserver
from torchao.quantization.pt2e.prepare import _get_edge_or_node_to_group_id, _get_edge_or_node_to_qspec
from torchao.quantization.pt2e.quantizer import (FixedQParamsQuantizationSpec, QuantizationAnnotation,
                                                 QuantizationSpec)


def torchao_groups(module):
    members = {}
    specs = _get_edge_or_node_to_qspec(module)
    groups = _get_edge_or_node_to_group_id(specs)
    for place in specs:  # annotation order
        group = groups[place]
        named = ('edge', place[0].name, place[1].name) if isinstance(place, tuple) else ('node', place.name)
        members.setdefault(group, []).append(named)
    return [members[group] for group in sorted(members)]


@pytest.mark.parametrize('quantizer', [
    lambda: models.qnn('use_8a8w'), lambda: models.qnn('use_16a8w'), lambda: models.qnn('use_16a4w'),
    lambda: models.qnn('use_16a16w'), lambda: models.xnnpack(), lambda: models.xnnpack(is_per_channel=True),
    lambda: models.xnnpack(is_per_channel=True, is_dynamic=True)])
@pytest.mark.parametrize('export', [models.export] + [lambda seed=seed: models.export_random(seed)
                                                      for seed in range(3)])
def test_equal_to_torchao(quantizer, export):
    module = models.annotate(export(), quantizer())
    expected = torchao_groups(module)
    assert expected
    assert quantgate.sharing_groups(module) == expected


# ---- what no real quantizer writes ----

def plain(dtype=torch.uint8):
    return QuantizationSpec(dtype, MinMaxObserver, None, None, torch.per_tensor_affine)


def fixed(zero_point, scale=0.1):
    return FixedQParamsQuantizationSpec(torch.uint8, scale, zero_point, 0, 255, torch.per_tensor_affine)


def relu_of(first, second):
    """x with one spec, the edge to its reader with the other."""
    graph = torch.fx.Graph()
    x = graph.placeholder('x')
    relu = graph.call_function(torch.ops.aten.relu.default, (x,))
    for node in (x, relu):
        node.meta['val'] = torch.empty(2, 3, device='meta')
    graph.output(relu)
    x.meta['quantization_annotation'] = QuantizationAnnotation({}, first, _annotated=True)
    relu.meta['quantization_annotation'] = QuantizationAnnotation({x: second}, None, _annotated=True)
    return torch.fx.GraphModule(torch.nn.Module(), graph)


OTHERS = [torch.int3, torch.uint3, torch.int1, torch.uint1, torch.qint8, torch.quint8, torch.qint32, torch.bits8]


@pytest.mark.parametrize('first', OTHERS)
def test_types_that_the_contract_does_not_list_are_told_apart(first):
    for second in [*OTHERS, torch.uint8, None]:
        module = relu_of(plain(first), plain(second))
        assert quantgate.sharing_groups(module) == torchao_groups(module), (first, second)
    assert quantgate.check(relu_of(plain(first), plain(first)), targets=['qnn_htp/SM8650', 'xnnpack']).results


def test_corrections_of_such_types_can_be_applied():
    module = relu_of(None, plain(torch.int3))
    report = quantgate.check(module, targets=['qnn_htp/SM8650'])
    changes = quantgate.apply(report, module)
    assert [change.before.dtype for change in changes] == [torch.int3], report
    assert 'DT101' not in {code for code, _ in found(module, ['qnn_htp/SM8650'])}


def test_zero_points_that_no_message_holds_are_refused_before_they_become_one():
    assert len(torchao_groups(relu_of(fixed(2**53), fixed(2**53 + 1)))) == 2
    with pytest.raises(quantgate.QuantGateError, match='the input x of relu.*zero_point, 9007199254740993'):
        quantgate.sharing_groups(relu_of(fixed(2**53), fixed(2**53 + 1)))
    assert len(quantgate.sharing_groups(relu_of(fixed(2**53), fixed(2**53 - 1)))) == 2


@pytest.mark.parametrize('kind', ['placeholder', 'get_attr'])
def test_a_map_at_what_reads_nothing(kind):
    spec = plain()
    module = relu_of(spec, spec)
    nodes = {node.name: node for node in module.graph.nodes}
    start = nodes['x']
    if kind == 'get_attr':
        module.register_buffer('weight', torch.ones(2, 3))
        with module.graph.inserting_before(nodes['relu_default']):
            start = module.graph.get_attr('weight')
    before = [found(module, targets) for targets in ([], ['qnn_htp/SM8650'], ['xnnpack'])]
    start.meta['quantization_annotation'] = QuantizationAnnotation({nodes['relu_default']: plain()}, spec)
    groups = quantgate.sharing_groups(module)
    assert groups == torchao_groups(module)
    assert ('edge', 'relu_default', start.name) in [place for group in groups for place in group]
    # It is no operator: nothing but the stray key is found.
    after = [found(module, targets) for targets in ([], ['qnn_htp/SM8650'], ['xnnpack'])]
    assert [now - then for now, then in zip(after, before)] == [{('SH005', start.name)}] * 3


def found(module, targets):
    return {(finding.code, finding.location.node) for finding in quantgate.check(module, targets=targets).findings()}


class Branches(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, torch.relu, lambda x: x * 2, (x,)) + 1


def test_annotated_bodies_of_control_flow():
    module = torch.export.export(Branches(), (torch.ones(2, 4),)).module(check_guards=False)
    for node in module.graph.nodes:
        if node.op != 'output':
            node.meta['quantization_annotation'] = QuantizationAnnotation(
                {value: plain() for value in node.all_input_nodes}, plain())
    groups = quantgate.sharing_groups(module)
    assert groups == torchao_groups(module)
    assert [('node', 'true_graph_0'), ('edge', 'true_graph_0', 'cond')] in groups
    assert len(quantgate.to_graph(module).subgraphs) == 2
    assert quantgate.check(module, targets=['qnn_htp/SM8650']).results


class Bodies(torch.nn.Module):
    def forward(self, x):
        y = torch.cond(x.sum() > 0, torch.relu, torch.sin, (x,))
        return torch.cond(x.max() > 1, torch.cos, torch.tan, (y,))


def test_annotated_bodies_with_several_readers():
    module = torch.export.export(Bodies(), (torch.ones(2, 4),)).module(check_guards=False)
    body = next(node for node in module.graph.nodes if node.op == 'get_attr')
    calls = [node for node in module.graph.nodes if node.target is torch.ops.higher_order.cond]
    spec = plain()
    for call in calls:
        call.args = (call.args[0], body, *call.args[2:])
        call.meta['quantization_annotation'] = QuantizationAnnotation({body: spec})
    groups = quantgate.sharing_groups(module)
    assert groups == torchao_groups(module) == [[('edge', body.name, call.name) for call in calls]]
    assert quantgate.check(module, targets=['qnn_htp/SM8650']).results


ROUNDED = float(numpy.float32(0.1))


@pytest.mark.parametrize('first', [0.1, ROUNDED, torch.tensor(0.1), torch.tensor(0.1, dtype=torch.float64),
                                   torch.tensor([0.1]), numpy.float32(0.1), numpy.float64(0.1), numpy.array(0.1)],
                         ids=repr)
def test_scales_are_compared_as_their_types_do(first):
    for second in [0.1, ROUNDED, 0.2, torch.tensor(0.1), torch.tensor(0.1, dtype=torch.float64), torch.tensor(ROUNDED),
                   numpy.float32(0.1), numpy.float64(0.1), numpy.float32(0.2)]:
        module = relu_of(fixed(0, first), fixed(0, second))
        assert quantgate.sharing_groups(module) == torchao_groups(module), (first, second)


# ---- arguments in arguments ----

ATEN = torch.ops.aten


def call(target, *args, **kwargs):
    return lambda graph, x, y: graph.call_function(target, as_nodes(args, x, y), as_nodes(kwargs, x, y))


def as_nodes(argument, x, y):
    """With x and y in the place of their names."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(as_nodes(member, x, y) for member in argument)
    if isinstance(argument, dict):
        return {key: as_nodes(member, x, y) for key, member in argument.items()}
    if isinstance(argument, slice):
        return slice(*as_nodes((argument.start, argument.stop, argument.step), x, y))
    return {'x': x, 'y': y}.get(argument, argument)


def output(argument):
    return lambda graph, x, y: graph.output(as_nodes(argument, x, y))


def two_readers(first, second):
    """Of x, annotated alike: one tensor, and one observer."""
    graph = torch.fx.Graph()
    x, y = graph.placeholder('x'), graph.placeholder('y')
    readers = [first(graph, x, y), second(graph, x, y)]
    if readers[1].op != 'output':
        graph.output(tuple(readers))
    spec = plain()
    for reader in readers:
        reader.meta['quantization_annotation'] = QuantizationAnnotation({x: spec}, None, _annotated=True)
    for node in graph.nodes:
        node.meta['val'] = torch.empty(2, 3, device='meta') if node.op != 'output' else None
    return torch.fx.GraphModule(torch.nn.Module(), graph)


NESTED = [call(ATEN.stack.default, [['x', 'y']]), call(ATEN.stack.default, [('y', ['x', None])], 1),
          call(ATEN.cat.default, {'a': 'x', 'b': 'y'}), call(ATEN.cat.default, [{'a': ['x']}]),
          call(ATEN.cat.default, kw={'a': 'x'}), call(ATEN.cat.default, tensors=[['x']]),
          call(ATEN.cat.default, dim=slice('x')), call(ATEN.cat.default, ['y'], unknown=slice(None, 'x')),
          call(ATEN.relu.default, 'y', 'x'),
          call(ATEN.relu.default, 'y', self='x'), call(ATEN.relu.default, 'y', ['x']),
          call(operator.getitem, 'y', slice('x', None)), call(operator.getitem, 'y', (slice(None, None, 'x'), 0)),
          lambda graph, x, y: graph.call_method('view', (y,), {'size': {'k': [x]}})]


@pytest.mark.parametrize('first', [call(ATEN.relu.default, 'x'), *NESTED])
def test_what_reads_in_nested_arguments(first):
    for second in [*NESTED, call(ATEN.cat.default, ['y', 'x']), output('x'), output({'a': 'x'}), output((['x'], 'y')),
                   output({'a': {'b': ('y', 'x')}})]:
        module = two_readers(first, second)
        groups = torchao_groups(module)
        assert len(groups) == 1 and quantgate.sharing_groups(module) == groups
        # The keys are inputs.
        assert 'SH005' not in {code for code, _ in found(module, [])}


def test_inputs_of_nested_arguments():
    module = two_readers(call(ATEN.stack.default, [['y', {'b': 'x', 'a': 'y'}], 3, slice('x', 'y')], 1),
                         call(ATEN.clamp.Tensor, 'y', None, 'x', max={'a': 'x'}, unknown=['y', ['x']]))
    graph = quantgate.to_graph(module)
    x, y = 1, 2
    assert [graph.values[value - 1].name for value in (x, y)] == ['x', 'y']
    assert [(list(node.inputs), list(node.input_args)) for node in graph.nodes] == [
        ([y, x, y, x, y], [0, 0, 0, 0, 0]), ([y, x, x, y, x], [0, 2, 3, 4, 4])]
    # What is no list of nodes is there as it was: as text.
    assert [graph.symbols[one.name - 1] for one in graph.nodes[0].attributes] == ['tensors', 'dim']
