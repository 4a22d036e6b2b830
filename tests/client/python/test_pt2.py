"""What `quantgate import` reads of exported programs, against what torch.export.load makes of the same files: every node
and placeholder, operators, types and shapes, constants and the parameters of quantizers."""
import operator
import pathlib
import subprocess

import architectures
import functions
import models
import pytest
import quantgate
import quantizers
import torch
from quantgate import executable
from quantgate.fx_ops import op_name
from quantgate.fx_specs import DTYPES
from quantgate.v1 import graph_pb2, types_pb2
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / 'data' / 'pt2'


class Odd(torch.nn.Module):
    """Several results, control flow, sizes known at run time, a weight with two names, a buffer that is written."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.embedding = torch.nn.Embedding(10, 4)
        self.head = torch.nn.Linear(4, 10, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer('count', torch.zeros(4))
        self.register_buffer('column', torch.arange(12, dtype=torch.int64).reshape(3, 4).t()[1], persistent=False)

    def forward(self, x, index):
        left, right = torch.split(self.linear(x), 2, dim=-1)
        values, _ = torch.topk(x, 2)
        self.count.add_(1)
        chosen = torch.cond(x.sum() > 0, lambda t: t.relu(), lambda t: t.tanh(), (x,))
        pooled = torch.nn.functional.max_pool1d(x, 2, return_indices=True)[0]
        return (torch.cat([left, right], -1) + chosen, values, x.view(x.shape[0] * 2, 2),
                self.head(self.embedding(index)) + 1e3, pooled, self.column * 2)


def odd():
    return torch.export.export(Odd(), (torch.randn(3, 4), torch.tensor([1, 2])),
                               dynamic_shapes={'x': {0: torch.export.Dim('batch')}, 'index': None})


def converted(module, quantizer, inputs):
    prepared = prepare_pt2e(module, quantizer)
    prepared(*inputs)
    return torch.export.export(convert_pt2e(prepared), inputs)


def pt2e(quantizer):
    return lambda: converted(models.export(), quantizer(), models.INPUTS)


def bert():
    module, inputs = architectures.bert()
    return converted(torch.export.export(module, inputs).module(), quantizers.xnnpack(is_per_channel=True), inputs)


PROGRAMS = {
    'float': lambda: torch.export.export(models.ConvNet().eval(), models.INPUTS),
    'odd': odd,
    'xnnpack_pc': pt2e(lambda: models.xnnpack(is_per_channel=True)),
    'xnnpack_dynamic': pt2e(lambda: models.xnnpack(is_per_channel=True, is_dynamic=True)),
    'qnn_16a4w': pt2e(lambda: models.qnn('use_16a4w')),
    'bert': bert,
}


def imported(path, tmp_path):
    graph = tmp_path / 'graph.json'
    subprocess.run([executable.find(), 'import', str(path), '-o', str(graph), '--quiet'], check=True)
    from google.protobuf import json_format
    return json_format.Parse(graph.read_text(), graph_pb2.Graph())


def attributes(graph, node):
    return {graph.symbols[attribute.name - 1]: attribute for attribute in node.attributes}


def type_differences(value, example):
    if not isinstance(example, torch.Tensor):
        if value.has_shape:
            yield f'{value.name} has a shape and is no tensor'
        return
    if value.dtype != DTYPES.get(example.dtype):
        yield f'{value.name} is {types_pb2.DataType.Name(value.dtype)}, not {example.dtype}'
    sizes = [size if isinstance(size, int) else -1 for size in example.shape]
    if list(value.dims) != sizes:
        yield f'{value.name} has shape {list(value.dims)}, not {sizes}'


def constant_differences(value, tensor):
    """Of a parameter: its elements, or their minimum and maximum."""
    constant = value.constant
    if constant.stored_bytes != tensor.numel() * tensor.element_size():
        yield f'{value.name} has {constant.stored_bytes} bytes'
    numbers = tensor.detach().reshape(-1).to(torch.float64)
    if tensor.ndim <= 1 and list(constant.reals or constant.ints) != numbers.tolist():
        yield f'{value.name} has other elements'
    statistics = constant.statistics
    if numbers.numel() and (statistics.min, statistics.max, statistics.min_index) != (
            numbers.min().item(), numbers.max().item(), int(numbers.argmin())):
        yield f'{value.name} has other statistics: {statistics}'
    if statistics.HasField('axis'):
        rows = tensor.movedim(statistics.axis, 0).reshape(tensor.shape[statistics.axis], -1).to(torch.float64)
        if list(statistics.axis_min) != rows.amin(1).tolist() or list(statistics.axis_max) != rows.amax(1).tolist():
            yield f'{value.name} has other statistics per channel'


def argument_differences(graph, node, fx_node):
    """Operands in order, and numbers by their names."""
    operands = [graph.values[i - 1].name if i else None for i in node.inputs]
    expected = [value.name for value in fx_node.all_input_nodes if value.op != 'get_attr']
    if list(dict.fromkeys(name for name in operands if name)) != expected:
        yield f'{node.name} reads {operands}, not {expected}'
    if fx_node.target is operator.getitem:
        if attributes(graph, node)['index'].i != fx_node.args[1]:
            yield f'{node.name} takes another result'
        return
    schema = getattr(fx_node.target, '_schema', None)
    if schema is None:
        return
    given = dict(zip((argument.name for argument in schema.arguments), fx_node.args)) | fx_node.kwargs
    found = attributes(graph, node)
    for name, value in given.items():
        if isinstance(value, (bool, int, float)) and not isinstance(value, torch.SymInt):
            kind = found[name].WhichOneof('value') if name in found else None
            if kind is None or getattr(found[name], kind) != value:
                yield f'{node.name}: {name} is {found.get(name)}, not {value}'
        if isinstance(value, torch.dtype) and found[name].dtype != DTYPES.get(value):
            yield f'{node.name}: {name} is {found[name].dtype}, not {value}'


def graph_differences(graph, module, parameters=()):
    parameters = dict(parameters)
    fx_nodes = [node for node in module.graph.nodes if node.op not in ('get_attr', 'output')]
    if [value.name for value in graph.values] != [node.name for node in fx_nodes]:
        yield f'{[value.name for value in graph.values]} are not {[node.name for node in fx_nodes]}'
        return
    for value, node in zip(graph.values, fx_nodes):
        yield from type_differences(value, node.meta.get('val'))
        if value.HasField('constant') != (node.name in parameters):
            yield f'{node.name} is a constant, or is none'
        elif node.name in parameters:
            yield from constant_differences(value, parameters[node.name])
    calls = [node for node in fx_nodes if node.op == 'call_function']
    if [graph.symbols[node.op - 1] for node in graph.nodes] != [op_name(node) for node in calls]:
        yield f'{[graph.symbols[node.op - 1] for node in graph.nodes]} are not {[op_name(node) for node in calls]}'
        return
    for node, fx_node in zip(graph.nodes, calls):
        yield from argument_differences(graph, node, fx_node)
    bodies = [getattr(module, str(node.target)) for node in module.graph.nodes if node.op == 'get_attr']
    bodies = [body for body in bodies if isinstance(body, torch.fx.GraphModule)]
    if len(bodies) != len(graph.subgraphs):
        yield f'{len(graph.subgraphs)} bodies, not {len(bodies)}'
    for body, one in zip(graph.subgraphs, bodies):
        yield from graph_differences(body, one)


def parameters_of(program):
    signature = program.graph_signature
    lifted = {**signature.inputs_to_parameters, **signature.inputs_to_buffers,
              **signature.inputs_to_lifted_tensor_constants}
    return {name: program.state_dict[path] if path in program.state_dict else program.constants[path]
            for name, path in lifted.items()}


@pytest.mark.parametrize('name', PROGRAMS)
def test_everything_that_torch_loads(name, tmp_path):
    path = tmp_path / 'model.pt2'
    torch.export.save(PROGRAMS[name](), path)
    loaded = torch.export.load(path)
    graph = imported(path, tmp_path)
    assert not list(graph_differences(graph, loaded.graph_module, parameters_of(loaded)))
    assert [graph.values[i - 1].name for i in graph.inputs] == list(loaded.graph_signature.user_inputs)


@pytest.mark.parametrize('path', sorted(FIXTURES.glob('tinycnn.*.pt2')), ids=lambda path: path.name)
def test_files(path, tmp_path):
    loaded = torch.export.load(path)
    assert not list(graph_differences(imported(path, tmp_path), loaded.graph_module, parameters_of(loaded)))


@pytest.mark.parametrize('name', ['xnnpack_pc', 'xnnpack_dynamic', 'qnn_16a4w', 'bert'])
def test_the_file_means_what_the_live_program_means(name, tmp_path):
    """The same operators and parameters of quantizers, and the same findings."""
    program = PROGRAMS[name]()
    path = tmp_path / 'model.pt2'
    torch.export.save(program, path)

    def findings(report):
        return sorted((finding.code, finding.location.node) for finding in report.findings())
    for targets in ([], ['xnnpack'], ['qnn_htp/SM8650'], ['qnn_htp/SM8350']):
        of_file = quantgate.check(str(path), targets=targets)
        live = quantgate.check(program, targets=targets)
        assert findings(of_file) == findings(live), targets


@pytest.mark.parametrize('call, strict, source', [
    (lambda x: torch.max(x, 1)[1], True, 'torch.max'), (lambda x: x.min(1)[1], True, 'min'),
    (lambda x: torch.max(x, 1)[1], False, 'builtin_function_or_method.max'),
    (lambda x: x.min(1)[1], False, 'method_descriptor.min'),
    (torch.nn.AdaptiveAvgPool1d(1), True, 'torch.nn.modules.pooling.AdaptiveAvgPool1d')])
def test_what_the_source_calls(call, strict, source, tmp_path):
    """Of the file and of the live program: what ExecuTorch goes by where a maximum is taken apart."""
    program = torch.export.export(functions.Function(call), (torch.randn(2, 3),), strict=strict)
    path = tmp_path / 'model.pt2'
    torch.export.save(program, path)
    for graph in (imported(path, tmp_path), quantgate.to_graph(program)):
        assert [graph.symbols[node.source_fn - 1] for node in graph.nodes if node.source_fn] == [source]


def test_cases_of_the_importer_are_torch_s():
    """Schema numbers of the installed torch that the importer knows by heart."""
    from torch._export.serde import schema
    assert schema.SCHEMA_VERSION[0] == 8
    source = (pathlib.Path(__file__).resolve().parents[3] / 'client' / 'pt2' / 'schema.cc').read_text()
    for number in schema.ScalarType:
        if number.name not in ('UNKNOWN', 'COMPLEXHALF'):
            assert f'case {number.value}:' in source, number
    known = {argument for argument in schema.Argument.__annotations__}
    handled = (pathlib.Path(__file__).resolve().parents[3] / 'client' / 'pt2' / 'arguments.cc').read_text()
    handled += (pathlib.Path(__file__).resolve().parents[3] / 'client' / 'pt2' / 'graph_importer.cc').read_text()
    generic = {'as_int', 'as_ints', 'as_bools', 'as_string_to_argument'}  # told by what they hold
    assert not {kind for kind in known - generic if f'"{kind}"' not in handled}
