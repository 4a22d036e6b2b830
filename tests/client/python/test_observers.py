"""Observers that do not serve their spec, told before prepare_pt2e: whether it, the first batch, convert_pt2e or the
converted module raises, or nothing is quantized, is asked of torchao."""
import functools

import pytest
import quantgate
import torch
import torch.ao.quantization as torch_ao
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e import (FakeQuantize, FixedQParamsObserver, FusedMovingAvgObsFakeQuantize,
                                       HistogramObserver, MinMaxObserver,
                                       MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver,
                                       PerChannelMinMaxObserver, PlaceholderObserver)
from torchao.quantization.pt2e.fake_quantize import FixedQParamsFakeQuantize
from torchao.quantization.pt2e.observer import NoopObserver, RecordingObserver, ReuseInputObserver
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationAnnotation, QuantizationSpec, Quantizer)

TENSOR, SYMMETRIC = torch.per_tensor_affine, torch.per_tensor_symmetric
CHANNEL, SYMMETRIC_CHANNEL = torch.per_channel_affine, torch.per_channel_symmetric


class TakesAny(FakeQuantize):
    """Of somebody's own: nobody knows what it does with settings that it does not name."""
    def __init__(self, observer=MinMaxObserver, **settings):
        for name in ('ch_axis', 'bits'):
            settings.pop(name, None)
        super().__init__(observer, **settings)


ONE_RANGE = (MinMaxObserver, MovingAverageMinMaxObserver, HistogramObserver)
CHANNELS = (PerChannelMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
INPUTS = (torch.linspace(-1, 1, 32).reshape(4, 8),)


def fake(observer, **settings):
    return FakeQuantize.with_args(observer=observer, **settings)


def spec(constructor, scheme=TENSOR, dtype=torch.int8, dynamic=False, axis=None, stated=True):
    unsigned = 'u' in str(dtype).partition('.')[2][:2]
    low, high = ((0, 127) if unsigned else (-128, 127)) if stated else (None, None)
    return QuantizationSpec(dtype=dtype, observer_or_fake_quant_ctr=constructor, quant_min=low, quant_max=high,
                            qscheme=scheme, ch_axis=axis, is_dynamic=dynamic)


def ranged(constructor, low, high, dynamic=False):
    return QuantizationSpec(torch.int8, constructor, low, high, TENSOR, None, dynamic)


def fixed(scheme=TENSOR, dtype=torch.int8, dynamic=False, low=-128, high=127):
    return FixedQParamsQuantizationSpec(dtype, 1 / 128, 0, low, high, scheme, dynamic)


def derived(scheme=TENSOR, dtype=torch.int8, dynamic=False, low=-128, high=127):
    return DerivedQuantizationSpec([], lambda _: (torch.tensor([0.1]), torch.tensor([0])), dtype, low, high, scheme,
                                   is_dynamic=dynamic)


class Annotates(Quantizer):
    """The input and, with that spec, the weight of the linear layer."""
    def __init__(self, given, of_weight):
        self.given, self.of_weight = given, of_weight

    def annotate(self, model):
        for node in model.graph.nodes:
            if node.target == torch.ops.aten.linear.default:
                of_input = None if self.of_weight else self.given
                specs = {node.args[0]: of_input, node.args[1]: self.given if self.of_weight else None}
                node.meta['quantization_annotation'] = QuantizationAnnotation(specs, _annotated=True)
        return model

    def validate(self, model):
        pass


def module():
    torch.manual_seed(0)
    return torch.export.export(torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()).eval(), INPUTS).module()


def outcome(quantizer):
    """What became of the spec: what raised, 'left' in float, or 'quantized'."""
    step = 'prepare'
    try:
        prepared = prepare_pt2e(module(), quantizer)
        step = 'calibrate'
        prepared(*INPUTS)
        step = 'convert'
        converted = convert_pt2e(prepared)
        step = 'run'
        converted(*INPUTS)
    except Exception:  # noqa: BLE001  torchao raises as it comes: Exception itself, KeyError, NameError.
        return step
    done = any('quantize_per' in str(node.target) or 'convert_element_type' in str(node.target)
               for node in converted.graph.nodes)
    return 'quantized' if done else 'left'


# name: (spec, whether of the weight, what becomes of it, code of the finding that says so)
CASES = {
    **{f'{made.__name__} {scheme}': (spec(made, scheme, axis=0), True, 'prepare', 'QS004')
       for made in ONE_RANGE for scheme in (CHANNEL, SYMMETRIC_CHANNEL, torch.per_channel_affine_float_qparams, None)},
    **{f'{made.__name__} {scheme}': (spec(made, scheme, axis=0), True, 'prepare', 'QS004')
       for made in CHANNELS for scheme in (TENSOR, SYMMETRIC, None)},
    **{f'{made.__name__} {scheme} fits': (spec(made, scheme), False, 'quantized', None)
       for made in ONE_RANGE for scheme in (TENSOR, SYMMETRIC)},
    **{f'{made.__name__} {scheme} fits': (spec(made, scheme, axis=0), True, 'quantized', None)
       for made in CHANNELS for scheme in (CHANNEL, SYMMETRIC_CHANNEL)},
    'fake quantizer per channel': (spec(fake(MinMaxObserver), SYMMETRIC_CHANNEL, axis=0), True, 'prepare', 'QS004'),
    'fake quantizer of its own choice per channel':
        (spec(FakeQuantize, SYMMETRIC_CHANNEL, axis=0), True, 'prepare', 'QS004'),
    'fused without scheme': (spec(FusedMovingAvgObsFakeQuantize, None), True, 'prepare', 'QS004'),
    'fused': (spec(FusedMovingAvgObsFakeQuantize), True, 'quantized', None),
    # ---- Dynamic or not ----
    **{f'dynamic {made.__name__}': (spec(made, dynamic=True), False, 'prepare', 'QS005')
       for made in (HistogramObserver, MovingAverageMinMaxObserver)},
    'dynamic channels': (spec(PerChannelMinMaxObserver, SYMMETRIC_CHANNEL, dynamic=True, axis=0), False, 'prepare',
                         'QS005'),
    'dynamic MinMaxObserver': (spec(MinMaxObserver, dynamic=True), False, 'run', 'QS005'),
    'dynamic MinMaxObserver with eps':
        (spec(MinMaxObserver.with_args(eps=2**-12), SYMMETRIC, dynamic=True), False, 'run', 'QS005'),
    'dynamic average of one': (spec(MovingAverageMinMaxObserver.with_args(averaging_constant=1), dynamic=True), False,
                               'run', 'QS005'),
    'dynamic fake quantizer': (spec(fake(MinMaxObserver), dynamic=True), False, 'quantized', None),
    'dynamic fake quantizer of the last': (spec(fake(MovingAverageMinMaxObserver, averaging_constant=1), dynamic=True),
                                           False, 'quantized', None),
    **{f'dynamic {scheme}': (spec(PlaceholderObserver, scheme, dynamic=True), False, 'quantized', None)
       for scheme in (TENSOR, SYMMETRIC, None)},
    'dynamic per channel': (spec(PlaceholderObserver, CHANNEL, dynamic=True, axis=0), False, 'convert', 'QS005'),
    **{f'dynamic {dtype}': (spec(PlaceholderObserver, dtype=dtype, dynamic=True), False, 'convert', 'QS005')
       for dtype in (torch.int16, torch.int32, torch.float16)},
    'dynamic without a range': (spec(PlaceholderObserver, dynamic=True, stated=False), False, 'run', 'FX008'),
    **{f'static {dtype}': (spec(PlaceholderObserver, dtype=dtype), False, 'convert', 'QS005')
       for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.qint8)},
    **{f'placeholder in a fake quantizer, {dtype} {dynamic}':
       (spec(fake(PlaceholderObserver), dtype=dtype, dynamic=dynamic, stated=dtype is torch.int8), False, 'calibrate',
        'QS005') for dtype, dynamic in ((torch.int8, False), (torch.int8, True), (torch.float16, False))},
    'dynamic numbers': (spec(FixedQParamsObserver.with_args(scale=0.1, zero_point=0), dynamic=True), False, 'prepare',
                        'QS005'),
    'dynamic fixed': (fixed(dynamic=True), False, 'prepare', 'QS005'),
    'dynamic derived': (derived(dynamic=True), False, 'convert', 'QS005'),
    'half precision': (spec(PlaceholderObserver, None, torch.float16, stated=False), False, 'quantized', None),
    'four bits': (spec(PlaceholderObserver, dtype=torch.int4, stated=False), False, 'left', 'DT005'),
    # ---- Fixed and derived ----
    **{f'fixed {scheme}': (fixed(scheme), False, 'convert', 'QS004')
       for scheme in (CHANNEL, SYMMETRIC_CHANNEL, torch.per_channel_affine_float_qparams)},
    **{f'fixed {scheme} fits': (fixed(scheme), False, 'quantized', None) for scheme in (TENSOR, SYMMETRIC, None)},
    **{f'{dtype} {made.__name__}': (made(dtype=dtype, low=0, high=7), False, 'left', 'DT005')
       for made in (fixed, derived)
       for dtype in (torch.int4, torch.int64, torch.uint32)},
    'derived fits': (derived(), False, 'quantized', None),
    'fixed without a range': (fixed(low=None), False, 'run', 'FX008'),
    'numbers without a range': (spec(FixedQParamsObserver.with_args(scale=0.1, zero_point=0), stated=False), False,
                                'run', 'FX008'),
    'range of float8 in a fake quantizer': (spec(fake(MinMaxObserver), dtype=torch.float8_e4m3fn), False, 'prepare',
                                            'DT005'),
    'histogram of float8': (spec(HistogramObserver, dtype=torch.float8_e4m3fn, stated=False), False, 'prepare', 'DT005'),
    **{f'channels of {dtype}': (spec(PerChannelMinMaxObserver, CHANNEL, dtype, axis=0, stated=False), True, 'convert', 'DT005')
       for dtype in (torch.uint16, torch.float8_e4m3fn)},
    'channels of int16': (spec(PerChannelMinMaxObserver, CHANNEL, torch.int16, axis=0), True, 'quantized', None),
    'derived without a range': (derived(low=None), False, 'run', 'FX008'),
    'derived per channel without an axis': (derived(CHANNEL), False, 'prepare', 'AX006'),
    'channels without an axis': (spec(PerChannelMinMaxObserver, CHANNEL), True, 'calibrate', 'AX006'),
    # ---- The range ----
    **{f'{made} {low}..{high}': (ranged(made, low, high), False, 'prepare', 'NR011')
       for made in (MinMaxObserver, HistogramObserver, fake(MinMaxObserver)) for low, high in ((5, 100), (-100, -5))},
    'dynamic 5..100': (ranged(PlaceholderObserver, 5, 100, True), False, 'run', 'NR011'),
    '0..100': (ranged(MinMaxObserver, 0, 100), False, 'quantized', None),
    'fixed 5..127': (fixed(low=5), False, 'quantized', None),
    # ---- The constructor ----
    'no constructor': (spec(None), False, 'prepare', 'QS006'),
    'an observer': (spec(MinMaxObserver(dtype=torch.int8)), False, 'prepare', 'QS006'),
    'a fake quantizer': (spec(fake(MinMaxObserver)()), False, 'prepare', 'QS006'),
    'a partial': (spec(functools.partial(MinMaxObserver, eps=1e-5)), False, 'prepare', 'QS006'),
    'a function': (spec(lambda **settings: MinMaxObserver(**settings)), False, 'prepare', 'QS006'),
    'with_args of with_args': (spec(MinMaxObserver.with_args(eps=1e-5).with_args(eps=1e-6)), False, 'prepare', 'QS006'),
    'a setting that it does not take': (spec(MinMaxObserver.with_args(ch_axis=0)), False, 'prepare', 'QS006'),
    'a setting that the one within does not take': (
        spec(FusedMovingAvgObsFakeQuantize.with_args(observer=MovingAverageMinMaxObserver, ch_axis=0)), False, 'prepare',
        'QS006'),
    'a setting of a fake quantizer that takes any': (
        spec(TakesAny.with_args(observer=MinMaxObserver, ch_axis=0, bits=4)), False, 'quantized', None),
    'a setting that the one within takes': (
        spec(FusedMovingAvgObsFakeQuantize.with_args(observer=MovingAverageMinMaxObserver, averaging_constant=0.5)),
        False, 'quantized', None),
    'with_args': (spec(MinMaxObserver.with_args(eps=1e-5)), False, 'quantized', None),
    'with_args of torch.ao': (spec(torch_ao.MinMaxObserver.with_args(eps=1e-5)), False, 'prepare', 'QS006'),
    **{f'{made.__name__} of torch.ao': (spec(made), False, 'left', 'QS006')
       for made in (torch_ao.MinMaxObserver, torch_ao.HistogramObserver, torch_ao.FakeQuantize)},
    **{made.__name__: (spec(made), False, 'prepare', 'QS006') for made in (
        NoopObserver, RecordingObserver, ReuseInputObserver, FixedQParamsFakeQuantize)},
    'fake quantizer of what lets through': (spec(fake(NoopObserver)), False, 'prepare', 'QS006'),
    # ---- Types of torch's former quantized tensors ----
    **{f'{dtype}': (spec(MinMaxObserver, dtype=dtype), False, 'quantized', None)
       for dtype in (torch.quint8, torch.qint8, torch.qint32)},
    'quint4x2': (spec(MinMaxObserver.with_args(quant_min=0, quant_max=15), dtype=torch.quint4x2, stated=False), False,
                 'left', 'DT005'),
    'quint2x4': (spec(MinMaxObserver, dtype=torch.quint2x4, stated=False), False, 'prepare', 'DT005'),
}


@pytest.mark.parametrize('name', CASES)
def test_told_beforehand(name):
    given, of_weight, becomes, code = CASES[name]
    quantizer = Annotates(given, of_weight)
    assert outcome(quantizer) == becomes
    report = quantgate.check(quantizer.annotate(module()))
    found = {finding.code for finding in report.findings() if finding.severity != report_pb2.Finding.INFO}
    assert found == ({code} if code else set()), [finding.message for finding in report.findings()]


class AnnotatesInput(Annotates):
    """The input of the graph itself, which no operator writes."""
    def annotate(self, model):
        given = next(node for node in model.graph.nodes if node.op == 'placeholder')
        given.meta['quantization_annotation'] = QuantizationAnnotation(output_qspec=self.given)
        return model


@pytest.mark.parametrize('made, dtype, low, high, becomes', [
    (MinMaxObserver, torch.int8, 0, 255, 'run'), (MinMaxObserver, torch.int8, -200, 127, 'prepare'),
    (HistogramObserver, torch.uint8, -128, 127, 'run'), (fake(MovingAverageMinMaxObserver), torch.int16, 0, 65535,
                                                         'prepare'),
    (FixedQParamsObserver.with_args(scale=0.1, zero_point=0), torch.int8, 0, 255, 'run'),
    (MinMaxObserver, torch.int32, 0, 65535, 'quantized'), (MinMaxObserver, torch.uint8, 0, 255, 'quantized')])
def test_ranges_of_an_input(made, dtype, low, high, becomes):
    quantizer = AnnotatesInput(QuantizationSpec(dtype, made, low, high, TENSOR), False)
    assert outcome(quantizer) == becomes
    found = [(finding.code, finding.location.value) for finding in quantgate.check(quantizer.annotate(module())).findings()
             if finding.severity == report_pb2.Finding.ERROR]
    assert found == ([] if becomes == 'quantized' else [('NR003', 'input_1')])


def test_the_types_of_quantized_tensors_are_those_that_are_stored():
    """Behind convert nothing is left of them."""
    quantizer = Annotates(spec(MinMaxObserver, dtype=torch.qint8), False)
    assert [one.dtype for one in quantgate.to_graph(quantizer.annotate(module())).specs if one.dtype] == [
        one.dtype for one in quantgate.to_graph(Annotates(spec(MinMaxObserver), False).annotate(module())).specs
        if one.dtype]
