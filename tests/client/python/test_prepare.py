"""What prepare_pt2e and the first batch raise on is an error beforehand, and what they take is none."""
import pytest
import quantgate
import torch
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e import (FakeQuantize, HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver,
                                       PerChannelMinMaxObserver, PlaceholderObserver)
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
from torchao.quantization.pt2e.quantizer import (QuantizationAnnotation, QuantizationSpec, Quantizer,
                                                 SharedQuantizationSpec)


class Embedded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, 8)
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.linear(self.embedding(x))


EXAMPLE = (torch.tensor([[1, 2]]), )


def plain(dtype, low, high, observer, scheme=torch.per_tensor_affine, axis=None):
    return QuantizationSpec(dtype=dtype, observer_or_fake_quant_ctr=observer, quant_min=low, quant_max=high,
                            qscheme=scheme, ch_axis=axis)


def weight(axis=0, dtype=torch.int8, observer=PerChannelMinMaxObserver):
    return plain(dtype, -7, 7, observer, torch.per_channel_symmetric, axis)


class Annotates(Quantizer):
    """The linear layer with these specs, and the output of the embedding with one made of its weight's edge."""
    def __init__(self, activation=None, linear_weight=None, embedding_weight=None, shares=False):
        self.activation, self.linear_weight = activation, linear_weight
        self.embedding_weight, self.shares = embedding_weight, shares

    def annotate(self, model):
        for node in model.graph.nodes:
            if node.target == torch.ops.aten.linear.default:
                specs = {node.args[0]: self.activation, node.args[1]: self.linear_weight}
                node.meta['quantization_annotation'] = QuantizationAnnotation(input_qspec_map=specs)
            if node.target == torch.ops.aten.embedding.default and self.shares:
                node.meta['quantization_annotation'] = QuantizationAnnotation(
                    input_qspec_map={node.args[0]: self.embedding_weight},
                    output_qspec=SharedQuantizationSpec((node.args[0], node)))
        return model

    def validate(self, model):
        pass


class AsAnnotated(Annotates):
    def annotate(self, model):
        return model


def prepares(module, quantizer):
    try:
        prepare_pt2e(module, quantizer)(*EXAMPLE)
    except (AssertionError, AttributeError, TypeError, ValueError) as error:
        return f'{type(error).__name__}: {error}'
    return ''


QUANTIZERS = {
    'int8': Annotates(plain(torch.int8, -128, 127, MinMaxObserver), weight()),
    'int4': Annotates(plain(torch.int4, -8, 7, MinMaxObserver), weight()),
    'uint4': Annotates(plain(torch.uint4, 0, 15, HistogramObserver), weight()),
    'int4 weight': Annotates(linear_weight=weight(dtype=torch.int4)),
    'int64': Annotates(plain(torch.int64, -128, 127, MinMaxObserver)),
    'int16': Annotates(plain(torch.int16, -32768, 32767, MovingAverageMinMaxObserver)),
    'uint16': Annotates(plain(torch.uint16, 0, 65535, HistogramObserver)),
    'int32': Annotates(plain(torch.int32, 0, 65535, MinMaxObserver)),
    'bool': Annotates(plain(torch.bool, 0, 1, MinMaxObserver)),
    'complex64': Annotates(plain(torch.complex64, 0, 1, MinMaxObserver)),
    'bfloat16': Annotates(plain(torch.bfloat16, None, None, MinMaxObserver)),
    'float8': Annotates(plain(torch.float8_e4m3fn, None, None, MinMaxObserver)),
    'float16 placeholder': Annotates(plain(torch.float16, None, None, PlaceholderObserver, None)),
    'int64 in a fake quantizer': Annotates(
        plain(torch.int64, -128, 127, FakeQuantize.with_args(observer=MovingAverageMinMaxObserver))),
    'output shared with a weight': Annotates(
        embedding_weight=plain(torch.uint8, 0, 255, MinMaxObserver), shares=True),
    'output shared with an explicit None': Annotates(shares=True),
}


@pytest.mark.parametrize('name', QUANTIZERS)
def test_told_beforehand(name):
    quantizer = QUANTIZERS[name]
    module = torch.export.export(Embedded().eval(), EXAMPLE).module()
    quantizer.annotate(module)
    report = quantgate.check(module)
    errors = {finding.code for finding in report.findings() if finding.severity == report_pb2.Finding.ERROR}
    raised = prepares(torch.export.export(Embedded().eval(), EXAMPLE).module(), quantizer)
    assert bool(errors) == bool(raised), (errors, raised)
    if errors:
        assert errors <= {'DT005', 'SH003'}
        quantgate.apply(report, module)
        assert not any(finding.severity == report_pb2.Finding.ERROR for finding in quantgate.check(module).findings())
        assert prepares(module, AsAnnotated()) == ''
