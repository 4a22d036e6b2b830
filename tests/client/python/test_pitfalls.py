"""Live graphs on which ExecuTorch's own validation goes wrong; the ids are those of tests/rules/pitfalls.md."""
import copy

import models
import pytest
import quantgate
import quantizers
import torch
from executorch.backends.qualcomm.quantizer.validators import _resolve_shared_qspec
from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationAnnotation, SharedQuantizationSpec)

V68, V75 = 'qnn_htp/SM8350', 'qnn_htp/SM8650'


def annotation(module, name):
    return next(node for node in module.graph.nodes if node.name == name).meta['quantization_annotation']


def errors(report, target=None):
    return {(finding.code, finding.location.node) for finding in report.findings(target)
            if finding.severity == report_pb2.Finding.ERROR}


def test_k1_g1_p2_upstream_accepts_what_it_cannot_check():
    quantizer = quantizers.qnn('16a16w', soc='SM8350')
    module = models.annotate(models.export(), quantizer)
    quantizer.validate(module)  # strict, and silent
    assert errors(quantgate.check(module, targets=[V68])) == {('DT105', 'conv2d'), ('DT105', 'linear')}


def test_k7_the_private_flag_does_not_hide_specs():
    module = models.annotate(models.export(), quantizers.qnn('16a16w'))
    for node in module.graph.nodes:
        if 'quantization_annotation' in node.meta:
            node.meta['quantization_annotation']._annotated = False
    assert ('DT105', 'conv2d') in errors(quantgate.check(module, targets=[V68]))


def test_v20_targets_do_not_leak_into_each_other():
    module = models.annotate(models.export(), quantizers.qnn('16a16w'))
    for targets in ([V75, V68], [V68, V75], [V75, V68]):
        report = quantgate.check(module, targets=targets)
        assert report.verdict(V68) == 'REJECTED' and report.verdict(V75).startswith('ACCEPTED')
        assert [result.target.partition('@')[0] for result in report.results] == targets


def test_x1_an_explicit_none_is_no_quantization():
    module = models.annotate(models.export(), quantizers.qnn('8a8w'))
    specs = annotation(module, 'linear').input_qspec_map
    bias = list(specs)[2]
    specs[bias] = None
    report = quantgate.check(module, targets=[V75])
    assert report.results[0].coverage.checked_nodes > 0
    assert ['edge', bias.name, 'linear'] in [list(place) for group in quantgate.sharing_groups(module) for place in group]


def test_x2_an_edge_and_its_value_are_two_places():
    """n is shared with edge (x, n), and that edge with x: no circle, though upstream gives up."""
    graph = torch.fx.Graph()
    x = graph.placeholder('x')
    n = graph.call_function(torch.ops.aten.relu.default, (x,))
    graph.output(n)
    for node in (x, n):
        node.meta['val'] = torch.empty(1, 4, device='meta')
    spec = annotation(models.annotate(models.export(), quantizers.qnn('8a8w')), 'relu').output_qspec
    x.meta['quantization_annotation'] = QuantizationAnnotation({}, spec)
    n.meta['quantization_annotation'] = QuantizationAnnotation({x: SharedQuantizationSpec(x)},
                                                              SharedQuantizationSpec((x, n)))
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    assert _resolve_shared_qspec(SharedQuantizationSpec((x, n))) is None
    assert quantgate.sharing_groups(module) == [[('node', 'x'), ('edge', 'x', 'relu_default'),
                                                 ('node', 'relu_default')]]
    assert quantgate.check(module, targets=[V75]).ok


def test_x3_fixed_and_derived_specs_have_no_observer():
    module = models.annotate(models.export(), quantizers.qnn('8a8w'))
    softmax = annotation(module, 'softmax')
    softmax.output_qspec = FixedQParamsQuantizationSpec(torch.uint8, 1 / 256, 0, 0, 255, torch.per_tensor_affine)
    assert isinstance(list(annotation(module, 'linear').input_qspec_map.values())[2], DerivedQuantizationSpec)
    assert quantgate.check(module, targets=[V75]).ok


def test_x8_g5_a_shared_weight_is_judged_by_what_it_resolves_to():
    module = models.annotate(models.export(), quantizers.qnn('16a16w'))
    conv = next(node for node in module.graph.nodes if node.name == 'conv2d')
    weight = conv.args[1]
    specs = conv.meta['quantization_annotation'].input_qspec_map
    weight.meta['quantization_annotation'] = QuantizationAnnotation({}, specs[weight])
    specs[weight] = SharedQuantizationSpec(weight)
    assert ('DT105', 'conv2d') in errors(quantgate.check(module, targets=[V68]))


def test_x10_an_unknown_soc_is_an_answer():
    with pytest.raises(KeyError):
        quantizers.qnn('8a8w', soc=QcomChipset.UNKNOWN_SM.name)
    with pytest.raises(quantgate.QuantGateError) as caught:
        quantgate.check(models.export(), targets=['qnn_htp/UNKNOWN_SM'])
    assert caught.value.code == 'NOT_FOUND'


def test_g2_gamma_is_at_argument_2():
    class Norm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.LayerNorm(8)

        def forward(self, x):
            return self.norm(x)

    module = torch.export.export(Norm(), (torch.ones(1, 4, 8),), strict=True).module(check_guards=False)
    quantizer = quantizers.qnn('16a8w', soc='SM8350')
    module = models.annotate(module, quantizer)
    quantizer.validate(module)
    found = [finding for finding in quantgate.check(module, targets=[V68]).findings() if finding.code == 'DT105']
    assert [(finding.location.node, finding.location.value) for finding in found] == [('layer_norm', 'norm_weight')]
    assert quantgate.check(module, targets=[V75]).ok


def test_a6_symmetric_16_bit_activations_lose_their_range():
    module = models.annotate(models.export(), quantizers.qnn('16a8w', act_symmetric=True))
    report = quantgate.check(module, targets=[V75])
    assert 'conv2d' in {node for _, node in errors(report)} and 'SFIXED_POINT_32' in str(report), report


def test_a_copy_points_at_the_graph_it_was_copied_from():
    module = models.annotate(models.export(), quantizers.qnn('8a8w'))
    assert quantgate.check(module, targets=[V75]).ok
    copied = copy.deepcopy(module)
    with pytest.raises(quantgate.QuantGateError, match='has no spec'):
        quantgate.sharing_groups(copied)
    assert 'SH001' in {code for code, _ in errors(quantgate.check(copied))}


def test_zero_points_of_float_qparams_are_real_numbers():
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer.embedding_quantizer import EmbeddingQuantizer

    model = torch.nn.Sequential(torch.nn.Embedding(10, 4)).eval()
    model[0].weight.data = torch.rand(10, 4) + 0.5  # rows of one sign: their zero points are far outside of uint8
    inputs = (torch.tensor([[1, 2, 3]]),)
    prepared = prepare_pt2e(torch.export.export(model, inputs, strict=True).module(check_guards=False),
                            EmbeddingQuantizer())
    prepared(*inputs)
    report = quantgate.check(prepared)
    assert report.ok, report
    assert float((convert_pt2e(prepared)(*inputs) - model(*inputs)).abs().max()) < 0.01
