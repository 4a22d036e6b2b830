"""One bias for several layers: torchao gives them the scale of the first, and a correction keeps each apart."""
import pytest
import quantgate
import quantizers
import torch
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

INPUTS = (torch.linspace(-1, 1, 32).reshape(4, 8),)
TARGET = 'qnn_htp/SM8650'


class Layers(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(count))
        for layer in self.layers:
            layer.bias = self.layers[0].bias

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class AsAnnotated(Quantizer):
    def annotate(self, model):
        return model

    def validate(self, model):
        pass


def errors(report):
    return [finding.code for finding in report.findings() if finding.severity == report_pb2.Finding.ERROR]


def converted(module):
    prepared = prepare_pt2e(module, AsAnnotated())
    prepared(*INPUTS)
    return convert_pt2e(prepared)


@pytest.mark.parametrize('count', [2, 4])
def test_each_layer_gets_a_scale_of_its_own(count):
    torch.manual_seed(0)
    net = Layers(count).eval()
    modules = []
    for _ in range(2):
        quantizer = quantizers.HTP['qnn_8a8w']()
        module = torch.export.export(net, INPUTS).module()
        module = quantizer.transform_for_annotation(module) or module
        modules.append(quantizer.annotate(module) or module)
    as_it_was, corrected = modules
    report = quantgate.check(corrected, targets=[TARGET])
    assert errors(report) == ['SH006'] * (count - 1)
    quantgate.apply(report, corrected)
    assert not errors(quantgate.check(corrected, targets=[TARGET]))
    assert errors(quantgate.check(converted(as_it_was), targets=[TARGET])) == ['FX201'] * (count - 1)
    assert not errors(quantgate.check(converted(corrected), targets=[TARGET]))
