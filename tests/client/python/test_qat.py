"""Graphs prepared for training are judged as what convert_pt2e makes of them, of real quantizers, by torchao itself."""
import collections
import copy
import os

import pytest

torch = pytest.importorskip('torch')
pytest.importorskip('torchao.quantization.pt2e')
import quantgate  # noqa: E402
import quantizers  # noqa: E402
from quantgate import fx  # noqa: E402
from quantgate.v1 import report_pb2, types_pb2  # noqa: E402
from torchao.quantization.pt2e import move_exported_model_to_eval, qat_utils  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e  # noqa: E402

nn, F, aten = torch.nn, torch.nn.functional, torch.ops.aten
V68, V73 = HTP = ['qnn_htp/SM8350@2.49', 'qnn_htp/SM8550@2.49']
ERROR = report_pb2.Finding.ERROR


@pytest.fixture(autouse=True)
def only_patterns_that_may_be_there(monkeypatch):
    """torchao traces its patterns anew for each kind of convolution, there or not, which takes most of the time."""
    kinds = {F.conv1d: aten.conv1d.default, F.conv2d: aten.conv2d.default,
             F.conv_transpose1d: aten.conv_transpose1d.default, F.conv_transpose2d: aten.conv_transpose2d.input}
    for name in ('_fuse_conv_bn_qat_helper', '_fold_conv_bn_qat_helper'):
        def helper(module, kind, *arguments, inner=getattr(qat_utils, name), **keywords):
            is_there = any(node.target is kinds[kind] for node in module.graph.nodes)
            return inner(module, kind, *arguments, **keywords) if is_there else module
        monkeypatch.setattr(qat_utils, name, helper)


class Net(nn.Module):
    """Residual addition, depthwise, with and without bias and activations, a linear layer."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8))
        self.depthwise = nn.Sequential(nn.Conv2d(8, 8, 3, stride=2, groups=8, bias=False), nn.BatchNorm2d(8),
                                       nn.ReLU6())
        self.dropout = nn.Dropout(0.1)
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        x = self.first(x)
        x = self.depthwise(torch.relu(self.second(x) + x))
        return self.linear(self.dropout(x).mean((2, 3)))


def two(kind, norm, **options):
    return nn.Sequential(kind(4, 8, 3, **options), norm(8), nn.ReLU(), kind(8, 6, 3, bias=False), norm(6))


NETWORKS = {'net': (Net, (2, 4, 8, 8)),
            'conv1d': (lambda: two(nn.Conv1d, nn.BatchNorm1d), (2, 4, 16)),
            'conv_transpose1d': (lambda: two(nn.ConvTranspose1d, nn.BatchNorm1d), (2, 4, 8)),
            'conv_transpose2d': (lambda: two(nn.ConvTranspose2d, nn.BatchNorm2d), (2, 4, 8, 8)),
            'conv2d': (lambda: two(nn.Conv2d, nn.BatchNorm2d), (2, 4, 8, 8)),
            # What torchao has no pattern for.
            'conv3d': (lambda: two(nn.Conv3d, nn.BatchNorm3d), (2, 4, 6, 6, 6)),
            'same_padding': (lambda: two(nn.Conv2d, nn.BatchNorm2d, padding='same'), (2, 4, 8, 8))}


def qnn_16a16w():
    from executorch.backends.qualcomm.quantizer.qconfig import get_qat_per_channel_quant_config as config

    quantizer = quantizers.qnn('16a8w', is_qat=True)
    made = quantizer.default_quant_config
    made.per_channel_quant_config_list = [config(torch.uint16, torch.int16, ch_axis=axis)
                                          for axis in range(len(made.per_channel_quant_config_list))]
    return quantizer


QUANTIZERS = {'xnnpack': lambda: quantizers.xnnpack(is_per_channel=True, is_qat=True),
              'xnnpack_per_tensor': lambda: quantizers.xnnpack(is_qat=True),
              'qnn_8a8w': lambda: quantizers.qnn('8a8w', is_qat=True),
              'qnn_16a8w_per_tensor': lambda: quantizers.qnn('16a8w', is_qat=True, per_channel=False),
              'qnn_16a4w': lambda: quantizers.qnn('16a4w', is_qat=True), 'qnn_16a16w': qnn_16a16w,
              'x86': lambda: quantizers.inductor('x86', is_qat=True)}


class Seen:
    """A quantizer whose annotations are shown to somebody before torchao rewrites the graph."""

    def __init__(self, quantizer, look):
        self._quantizer, self._look = quantizer, look

    def validate(self, model):
        self._look(model)
        self._quantizer.validate(model)

    def __getattr__(self, name):
        return getattr(self._quantizer, name)


def prepared(quantizer, network, look=lambda model: None):
    pytest.importorskip('executorch.backends')
    torch.manual_seed(0)
    make, shape = NETWORKS[network]
    inputs = (torch.randn(*shape),)
    model = torch.export.export(make().train(), inputs, strict=True).module()
    model = prepare_qat_pt2e(model, Seen(QUANTIZERS[quantizer](), look))
    model(*inputs)
    return model


def operators(graph):
    names = collections.Counter(graph.symbols[node.op - 1] for node in graph.nodes)
    return {name: count for name, count in names.items() if not name.startswith('quantized_decomposed.')}


def errors(report, target):
    """By code and operator: nodes have other names at each stage. What becomes of counters follows from what becomes of
    the rest, and is known of converted graphs only."""
    return sorted((finding.code, finding.location.op) for finding in report.findings(target)
                  if finding.severity == ERROR and finding.location.op != 'aten.add_.Tensor')


def judged(stages, model, name, targets):
    report = quantgate.check(model, targets=targets)
    stages[name] = [errors(report, target) for target in targets] + [errors(quantgate.check(model), None)]
    return report


EVERYWHERE = [
    ('xnnpack', 'net', ['xnnpack']), ('qnn_8a8w', 'conv1d', HTP), ('qnn_16a4w', 'conv2d', HTP),
    ('xnnpack_per_tensor', 'conv_transpose1d', ['xnnpack']), ('x86', 'net', ['x86_inductor/avx512_vnni'])]
if os.environ.get('QUANTGATE_TEST_VOLUME') == 'full':
    EVERYWHERE += [
        ('xnnpack_per_tensor', 'conv_transpose2d', ['xnnpack']), ('xnnpack', 'conv1d', ['xnnpack']),
        ('xnnpack_per_tensor', 'same_padding', ['xnnpack']), ('qnn_8a8w', 'net', HTP),
        ('qnn_8a8w', 'conv_transpose2d', HTP), ('qnn_16a8w_per_tensor', 'net', HTP),
        ('x86', 'conv1d', ['x86_inductor/avx512_vnni'])]


@pytest.mark.parametrize('quantizer, network, targets', EVERYWHERE)
def test_nothing_false_is_found_at_any_stage(quantizer, network, targets):
    stages = {}
    model = prepared(quantizer, network, lambda annotated: judged(stages, annotated, 'annotated', targets))
    judged(stages, model, 'prepared', targets)
    before = operators(quantgate.to_graph(model))
    judged(stages, copy.deepcopy(model), 'copied', targets)
    move_exported_model_to_eval(model)
    judged(stages, model, 'evaluated', targets)
    assert operators(quantgate.to_graph(model)) == before
    converted = convert_pt2e(model)
    judged(stages, converted, 'converted', targets)
    assert all(found == [[]] * (len(targets) + 1) for found in stages.values()), stages
    assert operators(quantgate.to_graph(converted)) == before


def test_scales_along_the_inputs_of_a_transposed_convolution_are_found_at_every_stage():
    """In front of a norm XNNPACKQuantizer forgets that channels of the output are axis 1, and ExecuTorch leaves the
    layers to its float kernels."""
    stages = {}
    model = prepared('xnnpack', 'conv_transpose2d',
                     lambda annotated: judged(stages, annotated, 'annotated', ['xnnpack']))
    judged(stages, model, 'prepared', ['xnnpack'])
    move_exported_model_to_eval(model)
    judged(stages, model, 'evaluated', ['xnnpack'])
    report = judged(stages, convert_pt2e(model), 'converted', ['xnnpack'])
    expected = [[], [('AX011', 'aten.conv_transpose2d.input')] * 2]
    assert all(found == expected for found in stages.values()), stages
    assert [finding.code for finding in report.findings('xnnpack')] == ['AX101'] * 2


@pytest.mark.parametrize('quantizer, rejected', [('qnn_16a16w', True), ('qnn_8a8w', False)])
def test_what_no_target_takes_is_found_at_every_stage(quantizer, rejected):
    stages = {}
    model = prepared(quantizer, 'conv2d', lambda annotated: judged(stages, annotated, 'annotated', HTP))
    report = judged(stages, model, 'prepared', HTP)
    nodes = {node.name: node.target for node in model.graph.nodes}
    assert all(nodes[finding.location.node] is aten.conv2d.default for finding in report.findings(V68)
               if finding.severity == ERROR)
    move_exported_model_to_eval(model)
    judged(stages, model, 'evaluated', HTP)
    judged(stages, convert_pt2e(model), 'converted', HTP)
    expected = [('DT105', 'aten.conv2d.default')] * 2 if rejected else []
    assert all(found == [expected, [], []] for found in stages.values()), stages


def test_corrections_of_a_prepared_graph_are_written_into_it():
    model = prepared('qnn_16a16w', 'conv2d')
    report = quantgate.check(model, targets=[V68])
    assert not report.ok
    changes = quantgate.apply(report, model)
    assert {change.place[0] for change in changes} == {'edge'} and quantgate.check(model, targets=[V68]).ok


def constants(graph, node):
    """Of a convolution: the constants that it reads, through Quantize and Dequantize."""
    producer = {output: one for one in graph.nodes for output in one.outputs}
    found = []
    for value in node.inputs[1:]:
        while not graph.values[value - 1].HasField('constant'):
            value = producer[value].inputs[0]
        found.append(graph.values[value - 1])
    return found


@pytest.mark.parametrize('network', ['conv2d', 'conv_transpose2d'])
def test_weights_and_biases_are_the_folded_ones(network):
    model = prepared('xnnpack', network)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:
                parameter.copy_(torch.linspace(0.5, 2, parameter.numel()))
    model(torch.randn(*NETWORKS[network][1]))
    graphs = [quantgate.to_graph(model), quantgate.to_graph(convert_pt2e(model, fold_quantize=False))]
    assert graphs[0].stage == types_pb2.STAGE_CALIBRATED
    pairs = [[constants(graph, node) for node in graph.nodes if '.conv' in graph.symbols[node.op - 1]]
             for graph in graphs]
    assert len(pairs[0]) == len(pairs[1]) == 2
    for ours, theirs in zip(*pairs):
        assert len(ours) == len(theirs) == 2
        for one, other in zip(ours, theirs):
            assert list(one.dims) == list(other.dims)
            assert one.constant.statistics.max == pytest.approx(other.constant.statistics.max, rel=1e-5)
            assert list(one.constant.reals) == pytest.approx(list(other.constant.reals), rel=1e-5)


def test_sharing_groups_are_those_of_the_graph_that_torchao_sees():
    model = prepared('xnnpack', 'conv2d')
    assert 'aten.sqrt.default' not in operators(quantgate.to_graph(model))
    assert operators(fx.to_graph(model, told_apart=True))['aten.sqrt.default'] == 2


def observe_convolution(model):
    """An output of its own keeps the first convolution apart from its batch norm."""
    first = next(node for node in model.graph.nodes if node.target is aten.conv2d.default)
    first.meta['quantization_annotation'].output_qspec = next(iter(
        first.meta['quantization_annotation'].input_qspec_map.values()))


def leave_weight(model):
    first = next(node for node in model.graph.nodes if node.target is aten.conv2d.default)
    specs = first.meta['quantization_annotation'].input_qspec_map
    specs[first.args[1]] = None


def read_weight_too(model):
    """What enters the pattern may have other readers."""
    first = next(node for node in model.graph.nodes if node.target is aten.conv2d.default)
    output = model.graph.output_node()
    with model.graph.inserting_before(output):
        total = model.graph.call_function(aten.sum.default, (first.args[1],))
        result = model.graph.call_function(aten.sub.Tensor, (output.args[0][0], total))
    output.args = ((result,),)


@pytest.mark.parametrize('change, left', [(observe_convolution, 1), (leave_weight, 1), (read_weight_too, 0)])
def test_what_convert_does_not_fold_stays(change, left):
    model = prepared('xnnpack', 'conv2d', change)
    before = operators(quantgate.to_graph(model))
    after = operators(quantgate.to_graph(convert_pt2e(model, fold_quantize=False)))
    assert before == after and before.get('aten.sqrt.default', 0) == before.get('aten.batch_norm.default', 0) == left


@pytest.mark.parametrize('network, norms', [('conv3d', 2), ('same_padding', 1)])
def test_convolutions_without_a_pattern_keep_their_batch_norms(network, norms):
    model = prepared('xnnpack', network)
    assert operators(quantgate.to_graph(model))['aten.batch_norm.default'] == norms


def test_shapes_are_those_of_the_graph_and_not_of_a_pattern():
    model = prepared('xnnpack', 'net')
    move_exported_model_to_eval(model)
    dropout = next(node for node in model.graph.nodes if node.target is aten.dropout.default)
    assert list(dropout.meta['val'].shape) == [1]  # what torchao leaves
    shapes = {value.name: list(value.dims) for value in quantgate.to_graph(model).values}
    assert shapes[dropout.name] == [2, 8, 3, 3]
    norms = [node.name for node in model.graph.nodes if node.target is aten.batch_norm.default]
    assert [shapes[name] for name in norms] == [[2, 8, 8, 8], [2, 8, 8, 8], [2, 8, 3, 3]]
    converted = quantgate.to_graph(convert_pt2e(model))
    position = next(at for at, value in enumerate(converted.values, 1) if value.name == dropout.name)
    readers = [converted.values[node.outputs[0] - 1] for node in converted.nodes if position in node.inputs]
    assert readers and all(list(value.dims) == [2, 8, 3, 3] for value in readers if value.has_shape)
