"""Writes what PyTorch computes for exported programs of many operators each: torch_graphs.py"""
import io

import numpy
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  operators of quantized programs

import graph_record

F = torch.nn.functional
decomposed = torch.ops.quantized_decomposed
RECORDS = []


class Program(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return tuple(self.function(*inputs))


def program(name, function, *inputs, relative=2e-6):
    exported = torch.export.export(Program(function), inputs)
    file = io.BytesIO()
    torch.export.save(exported, file)
    results = exported.module()(*inputs)
    names = list(exported.graph_signature.user_outputs)
    assert len(names) == len(results), name
    feeds = {key: value.numpy() for key, value in zip(exported.graph_signature.user_inputs, inputs)}
    # One tensor that is named twice has one value.
    outputs = {key: value.detach().numpy() for key, value in zip(names, results)}
    RECORDS.append(graph_record.record(name, 'torch', file.getvalue(), feeds, outputs, 0, relative))


def generated(*shape, seed=0):
    return torch.from_numpy(numpy.random.default_rng(seed).normal(size=shape).astype(numpy.float32))


def numbers(*shape, low=-9, high=10, dtype=torch.int64, seed=0):
    return torch.from_numpy(numpy.random.default_rng(seed).integers(low, high, shape)).to(dtype)


def unary(x, p):
    a = torch.ops.aten
    for op in (torch.abs, torch.asinh, torch.atan, torch.ceil, torch.cos, torch.cosh, torch.erf, torch.exp, torch.floor,
               torch.neg, torch.reciprocal, torch.round, torch.sign, torch.sin, torch.sinh, torch.square, torch.tan,
               torch.relu, torch.sigmoid, torch.tanh, torch.expm1, torch.isnan, torch.trunc, F.relu6, F.softsign, F.mish,
               F.silu, F.hardswish, F.hardsigmoid, F.softplus, F.selu, F.gelu, F.elu, F.celu, F.leaky_relu, F.hardtanh,
               F.logsigmoid, torch.clone):
        yield op(x)
    for op in (torch.log, torch.sqrt, torch.rsqrt, torch.log2, torch.log10, torch.log1p):
        yield op(p)
    for op in (torch.acos, torch.asin, torch.atanh):
        yield op(torch.tanh(x))
    yield torch.acosh(p + 1)
    yield F.gelu(x, approximate='tanh')
    yield F.elu(x, 0.3)
    yield F.celu(x, 1.7)
    yield F.leaky_relu(x, 0.2)
    yield F.hardtanh(x, -0.3, 0.6)
    yield torch.clamp(x, -0.5, 0.5)
    yield torch.clamp(x, min=-0.25)
    yield torch.clamp(x, max=0.25)
    yield a.clamp_min.default(x, 0.1)
    yield a.clamp_max.default(x, 0.1)
    yield F.prelu(x, torch.tensor([0.1]))
    yield F.dropout(x, training=False)


def binary(x, y, i, j):
    yield x + y
    yield x - y
    yield x * y
    yield x / y
    yield torch.add(x, y, alpha=3)
    yield torch.sub(x, y, alpha=0.5)
    yield torch.add(i, j, alpha=3)
    yield torch.sub(i, j, alpha=2)
    yield torch.rsub(x, 2.5)
    yield torch.rsub(x, y)
    yield x + 1
    yield x * 2.5
    yield x - 0.5
    yield x / 3
    yield torch.div(x, y, rounding_mode='floor')
    yield torch.div(x, y, rounding_mode='trunc')
    yield torch.div(x, 0.3, rounding_mode='floor')
    yield x // y
    yield torch.remainder(x, y)
    yield torch.fmod(x, y)
    yield torch.remainder(x, 0.7)
    yield torch.fmod(x, 0.7)
    yield torch.pow(torch.abs(x), y)
    yield x ** 2
    yield torch.pow(2.0, x)
    yield torch.maximum(x, y)
    yield torch.minimum(x, y)
    yield torch.max(x, y)
    yield torch.atan2(x, y)
    for compare in (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge):
        yield compare(x, y)
        yield compare(i, 2)
    yield torch.logical_and(x > 0, y > 0)
    yield torch.logical_or(x > 0, y > 0)
    yield torch.logical_xor(x > 0, y > 0)
    yield torch.logical_not(x > 0)
    yield torch.bitwise_and(i, j)
    yield torch.bitwise_or(i, 3)
    yield torch.bitwise_xor(i, j)
    yield (x > 0) & (y > 0)
    yield i + j
    yield i - 2
    yield i * j
    yield i // 3
    yield torch.div(i, 3, rounding_mode='trunc')
    yield i / 4
    yield i / (j * j + 1)
    yield i % 5
    yield i + 0.5
    yield i * x
    yield torch.where(x > 0, x, y)
    yield torch.where(x > 0, x, 0.5)
    yield torch.where(x > 0, 7.0, y)
    yield torch.masked_fill(x, y > 0, -1.5)
    yield x.to(torch.int32)
    yield i.to(torch.float32)
    yield (x > 0).to(torch.int64)
    yield i.to(torch.uint8)


def reductions(x, i):
    for op in (torch.mean, torch.sum, torch.amax, torch.amin):
        yield op(x, dim=(0, -1))
        yield op(x, dim=1, keepdim=True)
    yield torch.mean(x)
    yield torch.sum(x)
    yield torch.max(x)
    yield torch.min(x)
    yield torch.prod(x)
    yield torch.prod(x, dim=1)
    yield torch.any(x > 1.5)
    yield torch.any(x > 1.5, dim=1)
    yield torch.var(x)
    yield torch.var(x, dim=1)
    yield torch.var(x, dim=1, unbiased=False)
    yield torch.var(x, dim=(0, 2), correction=2, keepdim=True)
    for op in (torch.argmax, torch.argmin):
        yield op(x)
        yield op(x, dim=1)
        yield op(x, dim=-1, keepdim=True)
    yield torch.sum(i)
    yield torch.sum(i, dim=1)
    yield torch.sum(i > 0, dim=0)
    yield torch.sum(i.to(torch.int32), dim=0)
    yield torch.amax(i, dim=0)
    yield torch.cumsum(x, dim=1)
    yield torch.cumsum(i, dim=0)
    yield torch.cumsum(i.to(torch.int32), dim=0)
    yield torch.prod(i.to(torch.int8))
    yield torch.mean(i, dim=0, dtype=torch.float32)
    yield torch.sum(i, dim=0, dtype=torch.float32)
    yield torch.any(i, dim=0)
    yield torch.any(x, dim=0)
    yield torch.diff(x, dim=1)
    yield F.softmax(x, dim=1)
    yield F.log_softmax(x, dim=-1)
    yield x.softmax(0)


def several(x, i):
    """Operators of several outputs."""
    yield from torch.topk(x, 2, dim=1)
    yield from torch.topk(x, 2, dim=-1, largest=False)
    yield from torch.max(x, dim=1)
    yield from torch.min(x, dim=-1, keepdim=True)
    yield from torch.split(x, 2, dim=1)
    yield from torch.split(x, [1, 3], dim=-1)
    yield from torch.chunk(x, 2, dim=-1)
    yield from torch.unbind(x, dim=0)
    yield from torch.unbind(i, dim=-1)


def movements(x, i, image):
    yield x.reshape(4, -1)
    yield x.view(-1)
    yield torch.flatten(x)
    yield torch.flatten(x, 1)
    yield torch.flatten(x, 0, 1)
    yield x.permute(2, 0, 1)
    yield x.permute(-1, 0, 1)
    yield x.transpose(0, -1)
    yield x[0].t()
    yield x.unsqueeze(-1)
    yield x.unsqueeze(1)
    yield x[:, :1].squeeze(1)
    yield x[:1, :1].squeeze()
    yield x[:1, :1].squeeze((0, 1))
    yield torch.cat([x, x[:, :1]], dim=1)
    yield torch.stack([x, x * 2], dim=-1)
    yield torch.stack([x, x * 2])
    yield x[:, 1:3]
    yield x[:, -2:]
    yield x[..., ::2]
    yield x[1]
    yield x.select(-1, -1)
    yield torch.narrow(x, 1, 1, 2)
    yield x[:, :1].expand(-1, 5, -1)
    yield x[:, :1].expand(2, 2, 5, 4)
    yield x.repeat(1, 2, 1)
    yield x.repeat(3, 1, 1, 2)
    yield torch.tile(x, (2,))
    yield F.pad(x, (1, 2))
    yield F.pad(x, (0, 1, 2, 0), value=1.5)
    yield F.pad(x, (-1, 0))
    yield F.pad(image, (1, 2, 1, 1), mode='reflect')
    yield F.pad(image, (1, 2, 1, 1), mode='replicate')
    yield F.pad(image, (1, 2, 1, 1), mode='circular')
    yield torch.flip(x, (0, -1))
    yield torch.tril(x)
    yield torch.triu(x, 1)
    yield F.pixel_shuffle(image, 2)
    yield F.pixel_unshuffle(image, 2)
    yield torch.index_select(x, 1, i[0] % 3)
    yield torch.gather(x, 2, (i % 4).unsqueeze(1).expand(2, 3, 3))
    yield F.embedding(i % 2, x[:, 0])
    yield x[i % 2]
    yield x[i[0] % 2, i[1] % 3]
    yield x[:, i[0] % 3]
    yield x[:, i[0] % 3, i[1] % 4]


def creations(x, i):
    yield torch.full((2, 3), 1.5) + x[0, 0, 0]
    yield torch.full((2, 3), 7)
    yield torch.zeros(2, 3)
    yield torch.ones(2, 3, dtype=torch.int32)
    yield torch.zeros_like(x)
    yield torch.ones_like(i)
    yield torch.full_like(x, 3.5)
    yield x.new_zeros(4)
    yield x.new_ones(2, 2)
    yield i.new_full((3,), 5)
    yield torch.arange(5)
    yield torch.arange(1, 9, 3)
    yield torch.arange(0.5, 3)
    yield torch.arange(0, 1, 0.25)
    yield torch.arange(5, dtype=torch.float32)
    yield torch.scalar_tensor(2.5)


def products(x, w, b, batch):
    yield F.linear(x, w, b)
    yield F.linear(x, w)
    yield x @ w.t()
    yield batch @ batch.transpose(1, 2)
    yield torch.bmm(batch, batch.transpose(1, 2))
    yield torch.addmm(b, x, w.t())
    yield torch.addmm(b, x, w.t(), alpha=0.5, beta=2)
    yield x @ w[0]
    yield torch.mm(x, w.t())


def windows(image, line, volume, w, w1, w3, b):
    yield F.conv2d(image, w, b)
    yield F.conv2d(image, w, b, stride=2, padding=1)
    yield F.conv2d(image, w, padding='same')
    yield F.conv2d(image, w, padding='valid', dilation=(1, 2))
    yield F.conv2d(image, w[:, :2], groups=2, padding=(1, 0))
    yield F.conv1d(line, w1, padding=1)
    yield F.conv3d(volume, w3)
    yield F.conv_transpose2d(image, w.transpose(0, 1), stride=2, padding=1, output_padding=1)
    yield F.conv_transpose1d(line, w1.transpose(0, 1), stride=2)
    yield torch.convolution(image, w, b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
    yield torch.convolution(image, w.transpose(0, 1), None, [2, 2], [0, 0], [1, 1], True, [1, 1], 1)
    yield F.max_pool2d(image, 2)
    yield F.max_pool2d(image, 3, stride=2, padding=1, ceil_mode=True)
    yield F.max_pool2d(image, 2, dilation=2)
    yield F.avg_pool2d(image, 3, stride=2, padding=1)
    yield F.avg_pool2d(image, (2, 3), count_include_pad=False, padding=1)
    yield F.avg_pool2d(image, 2, divisor_override=3)
    yield F.avg_pool1d(line, 2)
    yield F.adaptive_avg_pool2d(image, 1)
    yield F.adaptive_avg_pool2d(image, (3, 2))
    yield F.adaptive_avg_pool1d(line, 4)
    yield F.interpolate(image, size=(9, 4), mode='nearest')
    yield F.interpolate(image, size=(9, 4), mode='bilinear', align_corners=False)
    yield F.interpolate(image, size=(9, 4), mode='bilinear', align_corners=True)
    yield F.interpolate(image, scale_factor=(2, 3), mode='nearest')
    yield F.interpolate(image, scale_factor=3, mode='bilinear', align_corners=False)
    yield F.interpolate(image, scale_factor=2, mode='bilinear', align_corners=True)


def normalizations(x, w, b, mean, variance, last):
    yield F.batch_norm(x, mean, variance, w, b)
    yield F.batch_norm(x, mean, variance, eps=0.1)
    yield F.instance_norm(x, weight=w, bias=b)
    yield F.group_norm(x, 2, w, b)
    yield F.layer_norm(x, (5,), last, last)
    yield F.layer_norm(x, (3, 5), eps=0.5)
    yield F.rms_norm(x, (5,), last)


def arguments(x, image, slope, mean, variance):
    """What exporters write only where it is not the default."""
    a = torch.ops.aten
    yield F.prelu(image, slope)
    yield F.prelu(image[0, :, 0].t(), slope)
    yield F.softplus(x, beta=2)
    yield F.softplus(x * 10, beta=1, threshold=5)
    yield a.elu.default(x, 0.5, 2.0, 1.5)
    yield torch.rsub(x, 2.0, alpha=3)
    yield torch.rsub(x, x.abs(), alpha=3)
    yield torch.round(x, decimals=1)
    yield torch.round(x * 100, decimals=-1)
    for dtype in (torch.float64, torch.int32, torch.int64, torch.int8):
        yield (x * 3).sum(1, dtype=dtype).float()
        yield (x * 3).prod(1, dtype=dtype).float()
        yield (x * 3).cumsum(1, dtype=dtype).float()
    yield x.mean(1, dtype=torch.float64).float()
    yield F.instance_norm(image, mean, variance, slope, slope, use_input_stats=False)
    yield torch.full_like(x, 2) ** -1
    yield x.new_full((2, 2), 3)
    yield torch.full((2, 2), 3)
    grid = torch.round(x * 20) * 0.3
    yield torch.div(grid, 0.3, rounding_mode='floor')
    yield torch.div(grid, 0.3, rounding_mode='trunc')
    yield grid // -0.3
    yield torch.floor_divide(grid, torch.zeros(()))


def no_numbers(x):
    """What is no number is the largest and the smallest."""
    x = torch.log(x)
    yield x.amax(1)
    yield x.amin(0)
    yield x.max()
    yield x.argmax(1)
    yield x.argmin(1)
    yield from x.max(1)
    yield from x.min(1)
    yield x.topk(2, 1)[0]
    yield x.topk(2, 1, largest=False)[0]
    yield F.max_pool1d(x[None], 2)
    yield F.max_pool2d(x[None], 3, 1, 1)


def mixed_types(x, i):
    yield i.clamp(-2.5, 3)
    yield i.clamp(-2, 3)
    yield i * 2.0
    yield i.int() * 2
    yield 7 - i.int()
    yield i.int().masked_fill(i > 0, 2)
    yield torch.remainder(3.0, x.abs() + 0.2)
    yield torch.cat([x, i], 1)
    yield torch.stack([i, x > 0, x])
    yield torch.cat([i, i])


def samples(image, line, volume, w, w1, transposed):
    """Without an axis of batches."""
    yield F.conv2d(image, w, padding=1, stride=2)
    yield F.conv1d(line, w1)
    yield F.conv_transpose2d(image, transposed, stride=2, output_padding=1)
    yield F.max_pool2d(image, 2)
    yield F.max_pool1d(line, 3, 2, 1)
    yield F.max_pool3d(volume, 2)
    yield F.avg_pool2d(image, 3, 1, 1)
    yield F.avg_pool3d(volume, 2)
    yield F.adaptive_avg_pool2d(image, 3)
    yield F.adaptive_avg_pool1d(line, 3)


def quantized(x, y):
    """What an integer kernel for a plain sum or quotient would not do."""
    def pair(x, scale, zero):
        stored = decomposed.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8)
        return decomposed.dequantize_per_tensor(stored, scale, zero, -128, 127, torch.int8)

    a, b = pair(x, 0.03, 4), pair(y, 0.02, -7)
    for result in (a + b, torch.add(a, b, alpha=2), torch.sub(a, b, alpha=0.3), torch.rsub(a, b, alpha=3),
                   a / (b.abs() + 0.5), torch.div(a, b.abs() + 0.5, rounding_mode='floor'),
                   torch.div(a, b.abs() + 0.5, rounding_mode='trunc')):
        yield decomposed.quantize_per_tensor(result, 0.05, 3, -128, 127, torch.int8)


if __name__ == '__main__':
    x, y = generated(3, 5), generated(3, 5, seed=1)
    i, j = numbers(3, 5), numbers(3, 5, low=1, seed=1)
    program('unary', unary, x, x.abs() + 0.1, relative=5e-6)
    program('binary', binary, x, y, i, j, relative=5e-6)
    cube = generated(2, 3, 4)
    program('reductions', reductions, cube, numbers(3, 4), relative=5e-6)
    program('several', several, cube, numbers(2, 3))
    image = generated(1, 4, 6, 6, seed=2)
    program('movements', movements, cube, numbers(2, 3, low=0), image)
    program('creations', creations, cube, numbers(2, 3))
    program('products', products, generated(3, 4), generated(5, 4, seed=1), generated(5, seed=2), cube, relative=1e-5)
    program('windows', windows, image, generated(1, 4, 8, seed=3), generated(1, 2, 3, 4, 5, seed=4), generated(6, 4, 3, 3, seed=5),
            generated(6, 4, 3, seed=6), generated(3, 2, 2, 2, 2, seed=7), generated(6, seed=8), relative=1e-5)
    program('normalizations', normalizations, generated(2, 4, 3, 5), generated(4, seed=1), generated(4, seed=2),
            generated(4, seed=3), generated(4, seed=4).abs() + 0.1, generated(5, seed=5), relative=1e-5)
    channels = generated(4, seed=3)
    program('arguments', arguments, generated(4, 6, seed=9), image, channels, generated(4, seed=4), channels.abs() + 0.1,
            relative=5e-6)
    program('no_numbers', no_numbers, generated(4, 6, seed=9))
    program('mixed_types', mixed_types, x, i)
    program('samples', samples, image[0], generated(4, 8, seed=3), generated(2, 4, 4, 5, seed=4),
            generated(6, 4, 3, 3, seed=5), generated(6, 4, 3, seed=6), generated(4, 6, 3, 3, seed=7), relative=1e-5)
    program('quantized', quantized, generated(9, 40), generated(9, 40, seed=1))
    graph_record.write('torch', RECORDS)
