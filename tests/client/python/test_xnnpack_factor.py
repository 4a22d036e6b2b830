"""Where XNNPACK makes no kernel: input scale x weight scale / output scale of 256 and above, asked of ExecuTorch itself."""
import pytest

torch = pytest.importorskip('torch')
exir = pytest.importorskip('executorch.exir')
partitioner = pytest.importorskip('executorch.backends.xnnpack.partition.xnnpack_partitioner')
runtime = pytest.importorskip('executorch.runtime')
import torch.ao.quantization.fx._decomposed  # noqa: E402,F401  registers quantized_decomposed

import quantgate  # noqa: E402

ops = torch.ops.quantized_decomposed
SCALE = 0.5  # of input and weights


class Layer(torch.nn.Module):
    """A convolution or a linear layer of int8 on all sides, whose output scale gives the factor."""

    def __init__(self, kind, factor):
        super().__init__()
        self.kind = kind
        self.out = SCALE * SCALE / factor
        shape = (4, 16) if kind == 'linear' else (4, 1 if kind == 'depthwise' else 4, 3, 3)
        self.register_buffer('w', torch.randint(-127, 127, shape, dtype=torch.int8))
        self.register_buffer('scales', torch.full((4,), SCALE))
        self.register_buffer('zeros', torch.zeros(4, dtype=torch.int64))

    @staticmethod
    def pair(x, scale):
        q = ops.quantize_per_tensor(x, scale, 0, -128, 127, torch.int8)
        return ops.dequantize_per_tensor(q, scale, 0, -128, 127, torch.int8)

    def forward(self, x):
        w = ops.dequantize_per_channel(self.w, self.scales, self.zeros, 0, -127, 127, torch.int8)
        x = self.pair(x, SCALE)
        if self.kind == 'linear':
            y = torch.nn.functional.linear(x, w)
        else:
            y = torch.nn.functional.conv2d(x, w, groups=4 if self.kind == 'depthwise' else 1)
        return self.pair(y, self.out)


def loads(program):
    lowered = exir.to_edge_transform_and_lower(
        program, partitioner=[partitioner.XnnpackPartitioner()],
        compile_config=exir.EdgeCompileConfig(_check_ir_validity=False))
    delegates = [node for node in lowered.exported_program().graph.nodes if 'call_delegate' in str(node.target)]
    assert len(delegates) == 1
    loaded = runtime.Runtime.get().load_program(lowered.to_executorch().buffer)
    try:
        return loaded.load_method('forward') is not None
    except RuntimeError:
        return False


@pytest.mark.parametrize('kind', ['conv', 'depthwise', 'linear'])
@pytest.mark.parametrize('factor', [0.001, 255.9, 256.0, 1e5])
def test_factor(kind, factor):
    program = torch.export.export(Layer(kind, factor).eval(),
                                  (torch.randn((1, 16) if kind == 'linear' else (1, 4, 8, 8)),))
    report = quantgate.check(program, targets=['xnnpack'])
    found = [finding for finding in report.findings('xnnpack') if finding.code == 'NR105']
    assert bool(found) is (not loads(program))
