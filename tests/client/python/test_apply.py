"""quantgate.apply: spec messages become torchao's objects in the right place, with observers that work."""
import models
import pytest
import quantgate
import quantizers
import torch
from quantgate import fx_calibrated, gated
from quantgate.fx_restore import scheme
from quantgate.fx_specs import add_observed, observer_of, spec_message
from quantgate.v1 import report_pb2, spec_pb2, types_pb2
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationAnnotation, SharedQuantizationSpec)

V68 = 'qnn_htp/SM8350'
INT8 = spec_pb2.Spec(kind=spec_pb2.Spec.PLAIN, dtype=types_pb2.DATA_TYPE_INT8, quant_min=-127, quant_max=127,
                     qscheme=spec_pb2.Spec.PER_TENSOR_SYMMETRIC, is_dynamic=False)


def message(spec):
    return spec_message(spec, lambda _: 0, lambda *_: None)


def node(module, name):
    return next(one for one in module.graph.nodes if one.name == name)


def annotation(module, name):
    return node(module, name).meta['quantization_annotation']


def key(module, name, position):
    return node(module, name).all_input_nodes[position]


def edge(module, name, position, after):
    """A change of an edge's spec."""
    value = key(module, name, position)
    specs = annotation(module, name).input_qspec_map
    change = report_pb2.Change(location=report_pb2.Location(node=name, input=position, value=value.name))
    if value in specs:
        change.before.CopyFrom(message(specs[value]))
    if after is not None:
        change.after.CopyFrom(after)
    return change


def report(*changes, proven=True, target=V68 + '@2.51.0'):
    stage = types_pb2.STAGE_ANNOTATED
    correction = report_pb2.Correction(id='c1', changes=changes, proven=proven)
    return quantgate.Report(report_pb2.Report(stage=stage, results=[
        report_pb2.Result(target=target, corrections=[correction])]))


def annotated(dtype='use_16a16w', per_channel=False):
    quantizer = models.qnn()
    quantizer.set_default_quant_config(models.QuantDtype[dtype], is_conv_per_channel=per_channel,
                                       is_linear_per_channel=per_channel)
    return models.annotate(models.export(), quantizer)


def test_narrower_weights_end_in_a_graph_that_converts_and_is_accepted():
    module = annotated()
    assert quantgate.check(module, targets=[V68]).verdict() == 'REJECTED'
    changed = quantgate.apply(report(edge(module, 'conv2d', 1, INT8), edge(module, 'linear', 1, INT8)), module, V68)
    assert [change.place for change in changed] == [('edge', 'conv_weight', 'conv2d'),
                                                    ('edge', 'linear_weight', 'linear')]
    spec = annotation(module, 'conv2d').input_qspec_map[key(module, 'conv2d', 1)]
    assert scheme(spec) == scheme(INT8) and spec is changed[0].after and changed[0].before.dtype is torch.int16
    # The observer and its settings are the quantizer's own.
    assert observer_of(spec.observer_or_fake_quant_ctr) == observer_of(changed[0].before.observer_or_fake_quant_ctr)
    assert quantgate.check(module, targets=[V68]).ok
    prepared = prepare(module)
    assert quantgate.check(convert_pt2e(prepared), targets=[V68]).ok


class Nothing(models.XNNPACKQuantizer):
    """Leaves the annotations as they are."""

    def transform_for_annotation(self, model):
        return model

    def annotate(self, model):
        return model

    def validate(self, model):
        pass


def prepare(module, inputs=models.INPUTS):
    prepared = prepare_pt2e(module, Nothing())
    prepared(*inputs)
    return prepared


def test_per_tensor_and_per_channel_take_observers_that_fit():
    module = annotated('use_8a8w')
    channel = spec_pb2.Spec()
    channel.CopyFrom(INT8)
    channel.qscheme, channel.axis = spec_pb2.Spec.PER_CHANNEL_SYMMETRIC, 0
    before = annotation(module, 'conv2d').input_qspec_map[key(module, 'conv2d', 1)]
    quantgate.apply(report(edge(module, 'conv2d', 1, channel)), module)
    after = annotation(module, 'conv2d').input_qspec_map[key(module, 'conv2d', 1)]
    made, settings = observer_of(after.observer_or_fake_quant_ctr)
    assert 'PerChannel' in made.__name__
    assert settings['eps'] == observer_of(before.observer_or_fake_quant_ctr)[1]['eps']
    prepared = prepare(module)
    assert any('quantize_per_channel' in str(one.target) for one in convert_pt2e(prepared).graph.nodes)
    # And back.
    module = annotated('use_8a8w', per_channel=True)
    quantgate.apply(report(edge(module, 'linear', 1, INT8)), module)
    spec = annotation(module, 'linear').input_qspec_map[key(module, 'linear', 1)]
    assert 'PerChannel' not in observer_of(spec.observer_or_fake_quant_ctr)[0].__name__


def test_every_kind_of_spec():
    module = annotated('use_8a8w')
    relu = node(module, 'relu')
    fixed = spec_pb2.Spec(kind=spec_pb2.Spec.FIXED, dtype=types_pb2.DATA_TYPE_UINT8, quant_min=0, quant_max=255,
                          qscheme=spec_pb2.Spec.PER_TENSOR_AFFINE, is_dynamic=False)
    fixed.qparams.scales.append(1 / 256)
    fixed.qparams.zero_points.append(0)
    shared = spec_pb2.Spec(kind=spec_pb2.Spec.SHARED)
    shared.shared_with.value_name, shared.shared_with.consumer_name = 'conv2d', 'relu'
    derived = spec_pb2.Spec(kind=spec_pb2.Spec.DERIVED, dtype=types_pb2.DATA_TYPE_INT32, quant_min=-2**31,
                            quant_max=2**31 - 1, qscheme=spec_pb2.Spec.PER_TENSOR_SYMMETRIC, is_dynamic=False)
    for position in (0, 1):
        source = derived.derived_from.add()
        source.value_name, source.consumer_name = key(module, 'conv2d', position).name, 'conv2d'
    output = report_pb2.Change(location=report_pb2.Location(node='softmax', output=0, value='softmax'),
                               before=message(annotation(module, 'softmax').output_qspec), after=fixed)
    relu_output = report_pb2.Change(location=report_pb2.Location(node='relu', output=0, value='relu'),
                                    before=message(relu.meta['quantization_annotation'].output_qspec), after=shared)
    quantgate.apply(report(output, relu_output, edge(module, 'conv2d', 2, derived)), module)
    assert isinstance(annotation(module, 'softmax').output_qspec, FixedQParamsQuantizationSpec)
    assert annotation(module, 'relu').output_qspec == SharedQuantizationSpec((node(module, 'conv2d'), relu))
    bias = annotation(module, 'conv2d').input_qspec_map[key(module, 'conv2d', 2)]
    assert isinstance(bias, DerivedQuantizationSpec) and len(bias.derived_from) == 2
    convert_pt2e(prepare(module))


def test_specs_come_and_go_in_the_order_of_the_inputs():
    module = annotated('use_8a8w')
    specs = annotation(module, 'conv2d').input_qspec_map
    weight = specs.pop(key(module, 'conv2d', 1))
    quantgate.apply(report(edge(module, 'conv2d', 1, message(weight))), module)
    specs = annotation(module, 'conv2d').input_qspec_map
    assert list(specs) == node(module, 'conv2d').all_input_nodes
    assert specs[key(module, 'conv2d', 1)].observer_or_fake_quant_ctr is not None
    quantgate.apply(report(edge(module, 'conv2d', 1, spec_pb2.Spec(kind=spec_pb2.Spec.EXPLICIT_NONE))), module)
    assert specs[key(module, 'conv2d', 1)] is None and len(specs) == 3
    quantgate.apply(report(edge(module, 'conv2d', 1, None)), module)
    assert len(specs) == 2


def test_all_or_nothing():
    module = annotated()
    good, bad = edge(module, 'conv2d', 1, INT8), edge(module, 'linear', 1, INT8)
    bad.location.node = 'elsewhere'
    with pytest.raises(quantgate.QuantGateError, match="no node 'elsewhere'"):
        quantgate.apply(report(good, bad), module)
    stale = edge(module, 'linear', 1, INT8)
    stale.before.dtype = types_pb2.DATA_TYPE_UINT8
    with pytest.raises(quantgate.QuantGateError, match=r'\(linear_weight, linear\) is not annotated as it was'):
        quantgate.apply(report(good, stale), module)
    assert annotation(module, 'conv2d').input_qspec_map[key(module, 'conv2d', 1)].dtype is torch.int16
    # A correction that was not proven is not applied, nor one of another target.
    assert quantgate.apply(report(good, proven=False), module) == []
    with pytest.raises(quantgate.QuantGateError, match='no result for'):
        quantgate.apply(report(good), module, 'qnn_htp/SM8650')


def test_corrections_of_the_engine_are_those_of_the_annotations():
    module = annotated()
    found = quantgate.check(module, targets=[V68])
    changes = quantgate.apply(found, module, V68)
    assert {change.place for change in changes} == {('edge', 'conv_weight', 'conv2d'),
                                                    ('edge', 'linear_weight', 'linear')}
    again = quantgate.check(module, targets=[V68])
    assert again.ok and not again.results[0].corrections
    assert 'correction c1' in str(found) and '<th>correction</th>' in found._repr_html_()


def test_gated_corrects_and_the_flow_runs_on():
    gate = quantgate.Gated(models.qnn('use_16a16w', 'SM8350'), targets=[V68], fix=True)
    prepared = prepare_pt2e(models.export(), gate)
    assert gate.report.ok and len(gate.changes) == 2
    prepared(*models.INPUTS)
    assert quantgate.check(prepared, targets=[V68]).ok
    assert quantgate.check(convert_pt2e(prepared), targets=[V68]).ok


def test_one_set_of_specs_for_several_targets():
    targets = [V68, 'qnn_htp/SM8650']
    gate = quantgate.Gated(models.qnn('use_16a16w', 'SM8350'), targets=targets, fix=True)
    prepare_pt2e(models.export(), gate)
    assert len(gate.changes) == 2 and gate.report.ok and len(gate.report.results) == 2


def one_at_a_time(monkeypatch, count=1):
    """Checks that find no more than so many corrections: a search that ends early."""
    asked = []

    def check(*args, **kwargs):
        asked.append(quantgate.check(*args, **kwargs))
        for result in asked[-1].results:
            del result.corrections[count:]
        return asked[-1]
    monkeypatch.setattr(gated, 'check', check)
    return asked


def test_gated_asks_again_while_errors_can_be_corrected(monkeypatch):
    asked = one_at_a_time(monkeypatch)
    gate = quantgate.Gated(models.qnn('use_16a16w', 'SM8350'), targets=[V68], fix=True)
    prepare_pt2e(models.export(), gate)
    assert gate.report.ok and gate.report is asked[-1]
    assert [one.verdict() for one in asked[:-1]] == ['REJECTED', 'REJECTED'] and len(asked) == 3
    assert {change.place for change in gate.changes} == {('edge', 'conv_weight', 'conv2d'),
                                                         ('edge', 'linear_weight', 'linear')}


def test_gated_asks_no_more_where_nothing_is_corrected(monkeypatch):
    asked = one_at_a_time(monkeypatch, 0)
    with pytest.raises(quantgate.RejectedError):
        prepare_pt2e(models.export(), quantgate.Gated(models.qnn('use_16a16w', 'SM8350'), targets=[V68], fix=True))
    assert len(asked) == 1


def test_gated_asks_no_more_than_a_few_times(monkeypatch):
    asked = one_at_a_time(monkeypatch)
    module = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1), torch.nn.ReLU()) for _ in range(6)])
    exported = torch.export.export(module.eval(), (torch.randn(1, 3, 8, 8),), strict=True).module(check_guards=False)
    gate = quantgate.Gated(models.qnn('use_16a16w', 'SM8350'), targets=[V68], fix=True)
    with pytest.raises(quantgate.RejectedError):
        prepare_pt2e(exported, gate)
    assert len(asked) == 5 and len(gate.changes) >= 4 and not gate.report.ok


@pytest.mark.parametrize('groups', [3, 6])
def test_a_derived_bias_follows_its_weight_to_the_end_of_the_flow(groups):
    """ExecuTorch derives scales for channels, and repeats them for the groups of a transposed convolution."""
    module = torch.nn.Sequential(torch.nn.ConvTranspose2d(6, 6, 4, 2, 1, groups=groups)).eval()
    inputs = (torch.randn(1, 6, 4, 4), )
    exported = torch.export.export(module, inputs, strict=True).module(check_guards=False)
    target = 'qnn_htp/SM8650'
    gate = quantgate.Gated(quantizers.ALL['qnn_8a8w'](), targets=[target], fix=True)
    prepared = prepare_pt2e(exported, gate)
    assert gate.changes
    prepared(*inputs)
    assert quantgate.check(prepared, targets=[target]).ok
    converted = convert_pt2e(prepared)
    assert quantgate.check(converted, targets=[target]).ok
    assert (converted(*inputs) - module(*inputs)).abs().max() < 0.1 * module(*inputs).abs().max()


def calibrated(dtype='use_16a16w', soc='SM8350', per_channel=False):
    quantizer = models.qnn(dtype, soc)
    quantizer.set_default_quant_config(models.QuantDtype[dtype], is_conv_per_channel=per_channel,
                                       is_linear_per_channel=per_channel)
    prepared = prepare_pt2e(models.export(), quantizer)
    prepared(*models.INPUTS)
    return prepared


@pytest.mark.parametrize('per_channel', [False, True])
def test_calibrated_observers_give_way_to_the_corrected_numbers(per_channel):
    prepared = calibrated(per_channel=per_channel)
    found = quantgate.check(prepared, targets=[V68])
    assert found.verdict() == 'REJECTED' and len(found.results[0].corrections) == 2
    changes = quantgate.apply(found, prepared)
    weights = {('edge', 'conv_weight', 'conv2d'), ('edge', 'linear_weight', 'linear')}
    biases = {('edge', 'conv_bias', 'conv2d'), ('edge', 'linear_bias', 'linear')} if per_channel else set()
    assert {change.place for change in changes} == weights | biases
    again = quantgate.check(prepared, targets=[V68])
    assert again.ok and not again.results[0].corrections, again
    # The numbers are those of the report, also of the biases, which follow.
    wanted = [change.after.qparams.scales for one in found.results[0].corrections for change in one.changes]
    assert [pytest.approx(list(scales)) for scales in wanted] == [
        change.after.calculate_qparams()[0].tolist() for change in changes]
    converted = convert_pt2e(prepared)
    assert quantgate.check(converted, targets=[V68]).ok
    converted(*models.INPUTS)


def test_an_observer_is_taken_away_where_no_spec_is_left():
    prepared = prepare_pt2e(models.export(), quantizers.ALL['qnn_8a8w_symmetric']())
    prepared(*models.INPUTS)
    place = report_pb2.Change(location=report_pb2.Location(node='softmax', output=0, value='softmax'))
    before = quantgate.check(prepared, targets=['qnn_htp/SM8650']).results[0].corrections[0].changes[0].before
    place.before.CopyFrom(before)
    found = report(place)
    found.proto.stage = types_pb2.STAGE_CALIBRATED
    quantgate.apply(found, prepared)
    assert not any(user.op == 'call_module' for user in node(prepared, 'softmax').users)
    convert_pt2e(prepared)(*models.INPUTS)
    # It is not there a second time.
    with pytest.raises(quantgate.QuantGateError, match="'softmax'.* is not observed"):
        quantgate.apply(found, prepared)


def test_places_that_share_an_observer_change_together_or_not_at_all():
    prepared = calibrated()
    graph = fx_calibrated._Prepared(prepared)
    relu, add = node(prepared, 'relu'), node(prepared, 'add')
    present = graph.observer_at(relu)
    assert present is not None and graph.observer_at((relu, add)) is present
    before = message(annotation(prepared, 'relu').output_qspec)
    add_observed(present, before)
    after = spec_pb2.Spec()
    after.CopyFrom(before)
    after.qparams.scales[0] *= 2
    change = report_pb2.Change(before=before, after=after,
                               location=report_pb2.Location(node='relu', output=0, value='relu'))
    found = report(change)
    found.proto.stage = types_pb2.STAGE_CALIBRATED
    with pytest.raises(quantgate.QuantGateError, match='shares its observer with places that change'):
        quantgate.apply(found, prepared)
    assert graph.observer_at(relu) is present


def test_after_convert_it_is_too_late():
    found = report(report_pb2.Change(location=report_pb2.Location(node='softmax', output=0, value='softmax')))
    found.proto.stage = types_pb2.STAGE_CONVERTED
    with pytest.raises(quantgate.QuantGateError, match='is converted already'):
        quantgate.apply(found, convert_pt2e(calibrated()))
    # Nor is an answer without corrections silently none.
    found.proto.results[0].ClearField('corrections')
    with pytest.raises(quantgate.QuantGateError, match='is converted already'):
        quantgate.apply(found, convert_pt2e(calibrated()))


NAN = float('nan')


def fixed_at_nan(scale, zero_point):
    module = torch.export.export(torch.nn.ReLU(), (torch.randn(2, 3),), strict=True).module(check_guards=False)
    node(module, 'relu').meta['quantization_annotation'] = QuantizationAnnotation({}, FixedQParamsQuantizationSpec(
        torch.int8, scale, zero_point, -128, 127, torch.per_tensor_affine), _annotated=True)
    return module


@pytest.mark.parametrize(('scale', 'zero_point'), [(NAN, 0), (0.1, NAN), (NAN, NAN), (torch.tensor(NAN), 0),
                                                   (torch.tensor([NAN]), torch.tensor([0])), (0.1, float('inf')),
                                                   (torch.tensor(0.1), torch.tensor(NAN))])
def test_what_is_no_number_is_corrected(scale, zero_point):
    module = fixed_at_nan(scale, zero_point)
    found = quantgate.check(module)
    assert found.verdict() == 'REJECTED' and found.results[0].corrections[0].proven
    assert [change.place for change in quantgate.apply(found, module)] == [('node', 'relu')]
    assert quantgate.check(module).ok and not isinstance(annotation(module, 'relu').output_qspec,
                                                         FixedQParamsQuantizationSpec)
    for mode in ('strict', 'warn'):
        gate = quantgate.Gated(Nothing(), mode=mode, fix=True)
        module = fixed_at_nan(scale, zero_point)
        gate.validate(module)
        assert gate.report.verdict() == 'ACCEPTED_WITH_WARNINGS' and len(gate.changes) == 1


def test_a_nan_is_no_other_number():
    found = quantgate.check(fixed_at_nan(NAN, 0))
    for scale, zero_point in ((0.1, 0), (NAN, 1), (NAN, NAN)):
        with pytest.raises(quantgate.QuantGateError, match="'relu' is not annotated as it was"):
            quantgate.apply(found, fixed_at_nan(scale, zero_point))


def test_a_fixed_spec_keeps_a_zero_point_that_is_none():
    module = fixed_at_nan(0.1, NAN)
    change = report_pb2.Change(location=report_pb2.Location(node='relu', value='relu'))
    change.before.CopyFrom(message(annotation(module, 'relu').output_qspec))
    change.after.CopyFrom(change.before)
    change.after.quant_min = -127
    (_, before, after), = quantgate.apply(report(change), module)
    assert scheme(after)[3] == -127 and scheme(after)[4:] == scheme(before)[4:]


# The numbers of an observer are compared with those of the report as the numbers of an annotation are.
def test_an_observer_of_what_is_no_number_is_compared():
    module = fixed_at_nan(NAN, 0)
    module = prepare_pt2e(module, Nothing())
    found = quantgate.check(module)
    change = report_pb2.Change(location=report_pb2.Location(node='relu', value='relu'))
    change.before.CopyFrom(next(spec for spec in quantgate.to_graph(module).specs))
    change.after.CopyFrom(change.before)
    change.after.qparams.scales[0] = 0.5
    changes = quantgate.apply(quantgate.Report(report_pb2.Report(stage=found.proto.stage, results=[report_pb2.Result(
        target='any', corrections=[report_pb2.Correction(id='c1', changes=[change], proven=True)])])), module)
    assert [one.place for one in changes] == [('node', 'relu')] and changes[0].after.scale == 0.5


def test_an_operator_of_another_graph():
    module = annotated()
    change = edge(module, 'conv2d', 1, INT8)
    change.location.op = 'aten.linear.default'
    with pytest.raises(quantgate.QuantGateError, match='aten.conv2d.default, not aten.linear.default'):
        quantgate.apply(report(change), module)
    change.location.op = 'aten.conv2d.default'
    assert quantgate.apply(report(change), module)
