"""Small models and the real quantizers, annotated as prepare_pt2e does it."""
import random

import torch
from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype
from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset, QnnExecuTorchBackendType
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (XNNPACKQuantizer,
                                                                     get_symmetric_quantization_config)


class ConvNet(torch.nn.Module):
    """Convolution, shared inputs, concatenation, linear, softmax."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.linear = torch.nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = torch.cat([x + x, x.transpose(2, 3)], 1)
        return torch.softmax(self.linear(x.mean((2, 3))), -1)


INPUTS = (torch.linspace(-1, 1, 3 * 256).reshape(1, 3, 16, 16),)


def export():
    torch.manual_seed(0)
    return torch.export.export(ConvNet().eval(), INPUTS, strict=True).module(check_guards=False)


def qnn(dtype='use_8a8w', soc='SM8650', per_channel=False):
    quantizer = QnnQuantizer(backend=QnnExecuTorchBackendType.kHtpBackend, soc_model=QcomChipset[soc])
    quantizer.set_default_quant_config(QuantDtype[dtype], is_conv_per_channel=per_channel,
                                       is_linear_per_channel=per_channel)
    return quantizer


def xnnpack(**options):
    return XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))


def annotate(module, quantizer):
    module = quantizer.transform_for_annotation(module)
    quantizer.annotate(module)
    return module


class RandomNet(torch.nn.Module):
    """A seeded chain of operators, some of which read two earlier values."""

    def __init__(self, seed):
        super().__init__()
        choice = random.Random(seed)
        self.plan = [(choice.choice('relu add mul conv cat pool transpose sigmoid'.split()), choice.randrange(step + 1),
                      choice.randrange(step + 1)) for step in range(12)]
        self.conv = torch.nn.Conv2d(4, 4, 1)

    def forward(self, x):
        values = [x]
        for op, first, second in self.plan:
            a, b = values[first], values[second]
            if op == 'relu':
                values.append(torch.relu(a))
            elif op == 'add':
                values.append(a + b)
            elif op == 'mul':
                values.append(a * b)
            elif op == 'conv':
                values.append(self.conv(a))
            elif op == 'cat':
                values.append(torch.cat([a, b], 1)[:, :4])
            elif op == 'pool':
                values.append(torch.nn.functional.max_pool2d(a, 3, 1, 1))
            elif op == 'transpose':
                values.append(a.transpose(2, 3))
            else:
                values.append(torch.sigmoid(a))
        return values[-1]


def export_random(seed):
    torch.manual_seed(seed)
    return torch.export.export(RandomNet(seed).eval(), (torch.randn(1, 4, 6, 6),), strict=True).module(
        check_guards=False)
