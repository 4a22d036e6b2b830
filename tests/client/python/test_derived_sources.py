"""A bias that is derived from what has no numbers, told before convert_pt2e asks for them and raises."""
import models
import pytest
import quantgate
import torch
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e import FakeQuantize, MinMaxObserver, MovingAverageMinMaxObserver, PlaceholderObserver
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationAnnotation, QuantizationSpec, Quantizer,
                                                 SharedQuantizationSpec)

INPUTS = (torch.linspace(-1, 1, 32).reshape(4, 8),)


def product(observers):
    scale = observers[0].calculate_qparams()[0] * observers[1].calculate_qparams()[0]
    return scale, torch.zeros_like(scale, dtype=torch.int64)


def spec(constructor, dtype=torch.int8, dynamic=False, stated=True):
    return QuantizationSpec(dtype, constructor, *((-127, 127) if stated else (None, None)),
                            torch.per_tensor_symmetric, None, dynamic)


def at_run_time():
    return spec(PlaceholderObserver, dynamic=True)


class Annotates(Quantizer):
    """The linear layer: that spec for its input, that of the graph's input, and a bias derived from both edges."""
    def __init__(self, of_edge, of_value=None, fix=False):
        self.of_edge, self.of_value, self.fix = of_edge, of_value, fix
        self.errors = []

    def annotate(self, model):
        for node in model.graph.nodes:
            if node.op == 'placeholder' and self.of_value is not None:
                node.meta['quantization_annotation'] = QuantizationAnnotation(output_qspec=self.of_value)
            if node.target != torch.ops.aten.linear.default:
                continue
            given, weight, bias = node.args
            of_edge = SharedQuantizationSpec(given) if self.of_edge == 'shared' else self.of_edge
            of_bias = DerivedQuantizationSpec([(given, node), (weight, node)], product, torch.int32, -2**31, 2**31 - 1,
                                              torch.per_tensor_symmetric)
            node.meta['quantization_annotation'] = QuantizationAnnotation(
                input_qspec_map={given: of_edge, weight: spec(MinMaxObserver), bias: of_bias})
        return model

    def validate(self, model):
        report = quantgate.check(model)
        self.errors = errors(report)
        if self.fix:
            quantgate.apply(report, model)


def errors(report):
    return [(finding.code, finding.location.node) for finding in report.findings()
            if finding.severity == report_pb2.Finding.ERROR]


def converts(quantizer):
    module = torch.export.export(torch.nn.Linear(8, 4).eval(), INPUTS).module()
    try:
        prepared = prepare_pt2e(module, quantizer)
        prepared(*INPUTS)
        convert_pt2e(prepared)(*INPUTS)
    except Exception as error:  # noqa: BLE001  torchao raises Exception itself
        assert 'calculate_qparams' in str(error)
        return False
    return True


@pytest.mark.parametrize('of_edge, of_value, sound', [
    (spec(MinMaxObserver), None, True), (spec(FakeQuantize.with_args(observer=MovingAverageMinMaxObserver)), None, True),
    (FixedQParamsQuantizationSpec(torch.int8, 0.1, 0, -127, 127, torch.per_tensor_symmetric), None, True),
    ('shared', spec(MinMaxObserver), True), (None, None, False), (at_run_time(), None, False),
    (spec(PlaceholderObserver, torch.float16, stated=False), None, False), ('shared', at_run_time(), False)])
def test_told_beforehand(of_edge, of_value, sound):
    quantizer = Annotates(of_edge, of_value)
    assert converts(quantizer) == sound
    assert quantizer.errors == ([] if sound else [('FX012', 'linear')])


@pytest.mark.parametrize('of_edge, of_value', [(None, None), (at_run_time(), None), ('shared', at_run_time())])
def test_corrected(of_edge, of_value):
    assert converts(Annotates(of_edge, of_value, fix=True))


def test_a_real_quantizer_of_run_time_ranges():
    """Arm's derives the biases of dynamic layers as it does those of static ones."""
    try:
        from executorch.backends.arm.quantizer import arm_quantizer
        from executorch.backends.arm.vgf import VgfCompileSpec
    except ImportError as error:
        pytest.skip(str(error))
    quantizer = arm_quantizer.VgfQuantizer(VgfCompileSpec()).set_global(
        arm_quantizer.get_symmetric_quantization_config(is_dynamic=True))
    report = quantgate.check(models.annotate(models.export(), quantizer))
    assert ('FX012', 'conv2d') in errors(report) and ('FX012', 'linear') in errors(report)
    assert {code for code, _ in errors(report)} == {'FX012'}
