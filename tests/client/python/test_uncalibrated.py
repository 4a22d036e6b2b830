"""Graphs with observers that have seen nothing yet: what needs numbers is not checked, and the reason is given."""
import models
import pytest
import quantgate
import torch
from quantgate.v1 import report_pb2, spec_pb2, types_pb2
from torchao.quantization.pt2e import fake_quantize, observer
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import FixedQParamsQuantizationSpec, QuantizationAnnotation

V75, V68 = 'qnn_htp/SM8650', 'qnn_htp/SM8350'


def found(report):
    return [(finding.code, finding.location.node, finding.message) for finding in report.findings()]


@pytest.mark.parametrize('make, prepare, target', [
    (models.qnn, prepare_pt2e, V75),
    (lambda: models.qnn('use_16a16w'), prepare_pt2e, V68),
    (lambda: models.qnn(per_channel=True), prepare_pt2e, V75),  # biases are derived
    (lambda: models.xnnpack(is_per_channel=True), prepare_pt2e, 'xnnpack'),
    (lambda: models.xnnpack(is_per_channel=True, is_dynamic=True), prepare_pt2e, 'xnnpack'),
    (lambda: models.xnnpack(is_qat=True), prepare_qat_pt2e, 'xnnpack')])
def test_before_calibration_as_before_prepare(make, prepare, target):
    annotated = quantgate.check(models.annotate(models.export(), make()), targets=[target])
    prepared = prepare(models.export(), make())
    report = quantgate.check(prepared, targets=[target])
    assert report.proto.stage == types_pb2.STAGE_ANNOTATED and found(report) == found(annotated)
    reasons = {one.rule: one.reason for one in report.results[0].not_checked}
    assert reasons['FI009'] == 'needs a graph that is CALIBRATED or CONVERTED; this one is ANNOTATED'
    prepared(*models.INPUTS)
    report = quantgate.check(prepared, targets=[target])
    assert report.proto.stage == types_pb2.STAGE_CALIBRATED
    assert 'FI009' not in {one.rule for one in report.results[0].not_checked}
    assert not any(code == 'FI009' for code, _, _ in found(report))


def test_one_observer_that_the_calibration_did_not_reach_is_a_finding():
    prepared = prepare_pt2e(models.export(), models.xnnpack())
    prepared(*models.INPUTS)
    forgotten = next(node for node in prepared.graph.nodes if node.op == 'call_module' and node.args[0].name == 'relu')
    reset = prepared.get_submodule(forgotten.target)
    reset.min_val, reset.max_val = torch.tensor(float('inf')), torch.tensor(float('-inf'))
    report = quantgate.check(prepared, targets=['xnnpack'])
    assert report.proto.stage == types_pb2.STAGE_CALIBRATED
    missing = [finding for finding in report.findings() if finding.code == 'FI009']
    values = {finding.location.value for finding in missing}
    assert 'relu' in values and not values & {'x', 'conv_weight', 'linear'}, values  # others share its observer
    assert all(finding.severity == report_pb2.Finding.ERROR for finding in missing)


def of_sigmoid():
    graph = torch.fx.Graph()
    x = graph.placeholder('x')
    y = graph.call_function(torch.ops.aten.sigmoid.default, (x,))
    graph.output(y)
    spec = FixedQParamsQuantizationSpec(torch.uint8, 1 / 256, 0, 0, 255, torch.per_tensor_affine)
    y.meta['quantization_annotation'] = QuantizationAnnotation({x: spec}, spec, _annotated=True)
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    for index, value in enumerate((x, y)):
        module.add_module(f'observer{index}', observer.FixedQParamsObserver(
            1 / 256, 0, dtype=torch.uint8, quant_min=0, quant_max=255, qscheme=torch.per_tensor_affine))
        with graph.inserting_after(value):
            observed = graph.call_module(f'observer{index}', (value,))
        value.replace_all_uses_with(observed, lambda user, observed=observed: user is not observed)
    module.recompile()
    return module


def test_fixed_parameters_wait_for_nothing():
    graph = quantgate.to_graph(of_sigmoid())
    assert graph.stage == types_pb2.STAGE_CALIBRATED and graph.specs[0].qparams.scales[:] == [1 / 256]


def test_a_fake_quantize_knows_what_its_observer_has_seen():
    prepared = prepare_qat_pt2e(models.export(), models.xnnpack(is_qat=True))
    assert any(isinstance(module, fake_quantize.FakeQuantizeBase) for module in prepared.modules())
    assert not any(spec.qparams.scales for spec in quantgate.to_graph(prepared).specs)
    prepared(*models.INPUTS)
    assert all(spec.qparams.scales for spec in quantgate.to_graph(prepared).specs
               if spec.kind != spec_pb2.Spec.EXPLICIT_NONE)


def test_corrections_of_numbers_come_too_late():
    prepared = prepare_pt2e(models.export(), models.qnn('use_16a16w'))
    report = quantgate.check(prepared, targets=[V68])
    assert any(correction.proven for correction in report.results[0].corrections)
    before = {node: dict(vars(node.meta['quantization_annotation'])) for node in prepared.graph.nodes
              if 'quantization_annotation' in node.meta}
    with pytest.raises(quantgate.QuantGateError, match='FAILED_PRECONDITION.*before prepare_pt2e'):
        quantgate.apply(report, prepared)
    # The report of the annotated graph comes as late.
    with pytest.raises(quantgate.QuantGateError, match='FAILED_PRECONDITION.*before prepare_pt2e'):
        quantgate.apply(quantgate.check(models.annotate(models.export(), models.qnn('use_16a16w')), targets=[V68]),
                        prepared)
    assert before == {node: dict(vars(node.meta['quantization_annotation'])) for node in before}


@pytest.mark.parametrize('make', [models.qnn, lambda: models.xnnpack(is_per_channel=True)])
@pytest.mark.parametrize('calibrated', [False, True])
def test_a_run_for_the_shapes_leaves_observers_as_they_are(make, calibrated):
    prepared = prepare_pt2e(models.export(), make())
    if calibrated:
        prepared(*models.INPUTS)
    expected = quantgate.to_graph(prepared)
    for node in prepared.graph.nodes:
        node.meta.pop('val', None)
    before = {name: value.clone() for name, value in prepared.state_dict().items()}
    graph = quantgate.to_graph(prepared, models.INPUTS)
    after = prepared.state_dict()
    assert before.keys() == after.keys() and all(torch.equal(before[name], after[name]) for name in before)
    assert [list(value.dims) for value in graph.values] == [list(value.dims) for value in expected.values]
    assert (graph.stage, graph.specs) == (expected.stage, expected.specs)


def test_a_run_that_fails_leaves_no_shapes():
    module = torch.fx.symbolic_trace(models.ConvNet())
    with pytest.raises(quantgate.QuantGateError, match='example_inputs'):
        quantgate.to_graph(module, (torch.ones(2, 3, 1, 1),))
    assert not any('val' in node.meta for node in module.graph.nodes)
    assert all(value.has_shape for value in quantgate.to_graph(module, models.INPUTS).values)
