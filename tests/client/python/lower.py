"""Lowers quantized models to HTP with ExecuTorch, as annotated and as QuantGate corrects them: a line of JSON for each.

Usage: lower.py MODEL:QUANTIZER:SOC...
  MODEL      a name in CASES
  QUANTIZER  a name in quantizers.HTP
The vendor's library keeps state, so each lowering has a process of its own, forked from one that has imported what all
need. LD_LIBRARY_PATH and QNN_SDK_ROOT must be set beforehand.
"""
import json
import os
import sys

import architectures
import models
import quantgate
import quantizers
import torch
from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
from executorch.backends.qualcomm.utils.utils import (generate_htp_compiler_spec,
                                                      generate_qnn_executorch_compiler_spec,
                                                      to_edge_transform_and_lower_to_qnn)
from quantgate import executable
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

torch.manual_seed(0)


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = torch.nn.LayerNorm(16), torch.nn.Linear(16, 16)

    def forward(self, x):
        return x + self.linear(self.norm(x))


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(16, 16) for _ in range(3))

    def forward(self, x):
        weights = torch.softmax(torch.matmul(self.query(x), self.key(x).transpose(1, 2)) / 4, -1)
        return torch.matmul(weights, self.value(x))


class Convolutions(torch.nn.Module):
    """Ordinary, strided, depthwise and 1x1, with batch norm."""

    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
            torch.nn.Conv2d(8, 8, 3, padding=1, groups=8), torch.nn.BatchNorm2d(8), torch.nn.ReLU6(),
            torch.nn.Conv2d(8, 16, 1), torch.nn.Hardswish())

    def forward(self, x):
        return self.body(x)


class Volume(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv3d(2, 4, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))


def made(module, *shape):
    inputs = (torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape),)
    return lambda: (torch.export.export(module().eval(), inputs, strict=True).module(check_guards=False), inputs)


CASES = {
    'conv_net': lambda: (models.export(), models.INPUTS), 'norm': made(Norm, 1, 8, 16),
    'attention': made(Attention, 1, 8, 16), 'convolutions': made(Convolutions, 1, 3, 16, 16),
    'volume': made(Volume, 1, 2, 4, 8, 8),
    'mlp': made(lambda: torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8)), 4, 16),
    'encoder': made(lambda: torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1, 8, 16),
    **{name: lambda name=name: architectures.export(name) for name in architectures.ALL}}


def lower(model, quantizer, soc, fix):
    target = f'qnn_htp/{soc}@2.49'
    module, inputs = CASES[model]()
    gated = quantgate.Gated(quantizers.HTP[quantizer](), targets=[target], mode='warn', fix=fix)
    prepared = prepare_pt2e(module, gated)
    prepared(*inputs)
    answer = {'says': report_pb2.Outcome.Kind.Name(gated.report.results[0].outcome.kind),
              'changes': len(gated.changes), 'lowered': False, 'full': False, 'error': ''}
    options = generate_htp_compiler_spec(use_fp16=False)
    spec = generate_qnn_executorch_compiler_spec(soc_model=QcomChipset[soc], backend_options=options)
    try:
        program = to_edge_transform_and_lower_to_qnn(convert_pt2e(prepared), inputs, spec)
        left = {str(node.target) for node in program.exported_program().graph.nodes if node.op == 'call_function'}
        answer['lowered'] = len(program.to_executorch().buffer) > 0
        answer['full'] = left <= {'executorch_call_delegate', '<built-in function getitem>'}
    except Exception as error:  # Whatever the toolchain raises is the answer.
        answer['error'] = f'{type(error).__name__}: {error}'.partition('\n')[0]
    return answer


def in_a_process_of_its_own(work):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer = work()
        except BaseException as error:
            answer = {'error': f'{type(error).__name__}: {error}'}
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {'error': 'the process died'}


def main():
    # The toolchain talks on standard output.
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    executable.private_server()
    for case in sys.argv[1:]:
        for fix in (False, True):
            answer = in_a_process_of_its_own(lambda: lower(*case.split(':'), fix))
            print(json.dumps({'case': case, 'fix': fix, **answer}), file=out, flush=True)


if __name__ == '__main__':
    main()
