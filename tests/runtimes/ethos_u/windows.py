"""Convolutions, products of matrices, pools and resizes."""
import numpy

from cases import log_uniform
from model import Case, NUMPY, RANGE, Tensor
from tensors import fill, kind_of, like, parameter, SAME, tensor, VALID


def extent(size, kernel, stride, padding):
    """The output size, or one that is as good as any where there is none."""
    stride = max(stride, 1)
    return max(1, -(-size // stride) if padding == SAME else -(-(size - kernel + 1) // stride))


def window(draw, kernels):
    stride = draw('stride', [(1, 1), (1, 1), (2, 2), (1, 2), (2, 1), (3, 3)], [(4, 4), (4, 1), (1, 4), (5, 5), (8, 2), (0, 1), (1, 300), (3, 4)])
    padding = draw('padding', [SAME, VALID])
    kernel = draw('kernel', [(1, 1), (3, 3), (2, 3), (2, 2), (5, 5), (1, 7), (4, 4)], kernels)
    return stride, padding, kernel


def weighted_types(draw):
    data, bias = draw('type', [('INT8', 'INT32')] * 5 + [('UINT8', 'INT32')] + [('INT16', 'INT64')] * 2,
                      [('INT16', 'INT32'), ('INT32', 'INT32'), ('INT64', 'INT64'), ('FLOAT32', 'FLOAT32'), ('BOOL', 'INT32'),
                       ('UINT16', 'INT32'), ('INT8', 'INT64')])
    return data, draw('weight type', ['UINT8' if data == 'UINT8' else 'FLOAT32' if data == 'FLOAT32' else 'INT8'],
                      ['INT4', 'INT16', 'UINT8', 'INT8', 'FLOAT32', 'INT32', 'INT2']), bias


def weights(draw, kind, shape, axis, data):
    made = Tensor(kind, tuple(shape), axis=axis)
    if not kind.startswith('FLOAT'):
        per_axis = draw('scales', ['axis', 'axis', 'tensor'], ['fewer', 'more', 'none'])
        count = {'tensor': 1, 'fewer': max(shape[axis] - 1, 1), 'more': shape[axis] + 1, 'none': 0}.get(per_axis, shape[axis])
        if kind == 'UINT8' and per_axis == 'axis':
            count = 1
        if count:
            made.scales = [log_uniform(draw.rng, 0.002, 0.02) for _ in range(count)]
            made.zero_points = [draw.size(100, 156) if kind == 'UINT8' else draw('weight zero point', [0], [5, -3])] * count
    form = draw('weights', ['random'], ['computed', 'largest', 'least', 'zero'])
    if form == 'computed':
        return made
    low, high = RANGE.get(kind, (-4, 4))
    low = max(low, -2**15)
    high = min(high, 2**15)
    if form == 'random':
        made.data = numpy.asarray(draw.rng.integers(low, high + 1, shape), NUMPY[kind])
    else:
        made.data = numpy.full(shape, {'largest': high, 'least': low, 'zero': 0}[form], NUMPY[kind])
    return made


def bias(draw, kind, count, data, weight, required=False):
    form = draw('bias', ['constant'] * 3 + ([] if required else ['none']),
                (['none'] if required else []) + ['computed', 'INT32', 'INT64', 'INT16', 'INT8', 'FLOAT32', 'wide', 'row', 'column', 'one',
                                                  'short', 'unquantized', '2^39', '2^40', '2^40-1', '2^48-1', '2^48', '-2^48'])
    if form == 'none':
        return None
    if form.startswith('2^') or form.startswith('-2^') or form == 'INT64' or form == 'wide':
        kind = 'INT64'
    elif form in ('INT32', 'INT16', 'INT8', 'FLOAT32'):
        kind = form
    shape = {'row': (1, count), 'column': (count, 1), 'one': (1,), 'short': (max(count - 1, 1),)}.get(form, (count,))
    made = Tensor(kind, shape)
    if kind.startswith('INT') and data.quantized and weight.quantized and form != 'unquantized':
        made.scales = [float(numpy.float32(data.scales[0] * scale)) for scale in weight.scales]
        made.zero_points = [0] * len(made.scales)
    if form == 'computed':
        return made
    made.data = numpy.asarray(draw.rng.integers(-100, 100, shape), NUMPY[kind])
    if '^' in form:
        made.data[...] = {'2^39': 2**39, '2^40': 2**40, '2^40-1': 2**40 - 1, '2^48-1': 2**48 - 1, '2^48': 2**48, '-2^48': -2**48}[form]
    elif form == 'wide':
        made.data[...] = 2**33
    return made


KERNELS = [(64, 64), (65, 2), (64, 65), (2, 65), (128, 1), (1, 4097), (9, 9), (1, 300), (300, 1), (8, 8)]


def conv(draw):
    stride, padding, kernel = window(draw, KERNELS)
    dilation = draw('dilation', [(1, 1), (1, 1), (1, 1), (2, 2)], [(3, 3), (1, 2), (4, 4), (16, 1), (1, 0), (2, 3)])
    data_kind, weight_kind, bias_kind = weighted_types(draw)
    # As many taps as 16 bits count, for the sums of weights.
    heavy = draw('taps', [None], [(64, 64, 16), (64, 64, 17), (32, 32, 64), (64, 65, 16)])
    depth, filters, groups = draw.size(1, 6), draw.size(1, 7), 1
    if heavy:
        kernel, depth, filters, stride, dilation = heavy[:2], heavy[2], 1, (1, 1), (1, 1)
    groups = draw('groups', [1, 1, 1, 2], [3, 'unequal', 'filters'])
    reach = [(k - 1) * max(d, 1) + 1 for k, d in zip(kernel, dilation)]
    h, w = [size + draw.size(0, 9) for size in reach]
    n = draw('batch', [1, 1, 1, 2], [3, 70000])
    shape, filter_depth = (n, h, w, depth), depth
    if groups == 'unequal':
        filter_depth = depth + 1
    elif groups == 'filters':
        shape, filters = (n, h, w, depth * 2), 3
    elif groups != 1:
        shape, filters = (n, h, w, depth * groups), filters * groups
    out = (n, extent(h, reach[0], stride[0], padding), extent(w, reach[1], stride[1], padding), filters)
    out = draw('output shape', [out], [out[1:], (1,) + out[:3] + (filters + 1,), (out[0], out[1] + 1, out[2], out[3])])
    rank = draw('rank', ['as it is'], ['3'])
    data = tensor(draw, data_kind, shape[1:] if rank == '3' else shape)
    weight = weights(draw, weight_kind, (filters,) + tuple(kernel) + (filter_depth,), 0, data)
    if heavy and weight.data is not None:
        weight.data[...] = draw.size(0, 2) * 255 - 128 if weight_kind == 'INT8' else 0
    each = bias(draw, bias_kind, filters, data, weight, True)
    made = tensor(draw, draw('output type', [data_kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
    inputs = [data, weight] + ([] if each is None else [each])
    return Case('CONV_2D', inputs, [made],
                ('Conv2DOptions', {'padding': padding, 'strideW': stride[1], 'strideH': stride[0], 'dilationWFactor': dilation[1],
                                   'dilationHFactor': dilation[0], 'fusedActivationFunction': draw('activation', [0, 0, 1, 3], [2, 4, 5])}))


def depthwise(draw):
    stride, padding, kernel = window(draw, KERNELS)
    dilation = draw('dilation', [(1, 1), (1, 1), (1, 1), (2, 2)], [(3, 3), (1, 2), (4, 4), (16, 1), (2, 3)])
    data_kind, weight_kind, bias_kind = weighted_types(draw)
    channels, multiplier = draw.size(1, 9), draw('multiplier', [1, 1, 1, 2], [3, 0, 8, 'other'])
    if multiplier == 2 and draw.chance(0.5):
        channels = 1
    filters = channels * (multiplier if isinstance(multiplier, int) else 2) or 1
    reach = [(k - 1) * max(d, 1) + 1 for k, d in zip(kernel, dilation)]
    h, w = [size + draw.size(0, 9) for size in reach]
    n = draw('batch', [1, 1, 1, 2], [3])
    out = (n, extent(h, reach[0], stride[0], padding), extent(w, reach[1], stride[1], padding), filters)
    data = tensor(draw, data_kind, (n, h, w, channels))
    weight = weights(draw, weight_kind, (1,) + tuple(kernel) + (filters,), 3, data)
    each = bias(draw, bias_kind, filters, data, weight)
    made = tensor(draw, draw('output type', [data_kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
    return Case('DEPTHWISE_CONV_2D', [data, weight] + ([] if each is None else [each]), [made],
                ('DepthwiseConv2DOptions', {'padding': padding, 'strideW': stride[1], 'strideH': stride[0], 'dilationWFactor': dilation[1],
                                            'dilationHFactor': dilation[0], 'depthMultiplier': multiplier if isinstance(multiplier, int) else 3,
                                            'fusedActivationFunction': draw('activation', [0, 0, 1, 3], [2, 4, 5])}))


def transpose_conv(draw):
    stride = draw('stride', [(2, 2), (2, 2), (1, 1)], [(1, 2), (2, 1), (3, 3), (4, 4), (0, 0), (2, 3)])
    padding = draw('padding', [SAME, VALID])
    kernel = draw('kernel', [(2, 2), (3, 3), (4, 4), (1, 1)], [(1, 3), (3, 1), (64, 64), (65, 1), (5, 2), (1, 2), (2, 1)])
    data_kind, weight_kind, bias_kind = weighted_types(draw)
    h, w = draw('input size', [(draw.size(1, 6), draw.size(1, 6))], [(1, 5), (5, 1), (1, 1)])
    if draw.edge == 'stride' and draw.chance(0.4):
        h, kernel = 1, (1, kernel[1])
    if draw.edge == 'stride' and draw.chance(0.4):
        w, kernel = 1, (kernel[0], 1)
    depth, filters = draw.size(1, 6), draw.size(1, 6)
    n = draw('batch', [1, 1, 1, 2], [3])
    size = [each * s + (max(k - s, 0) if padding == VALID else 0) for each, s, k in zip((h, w), stride, kernel)]
    off = draw('output size', [(0, 0)], [(1, 0), (0, -1), (2, 2)])
    out = (n, max(size[0] + off[0], 1), max(size[1] + off[1], 1), filters)
    data = tensor(draw, data_kind, (n, h, w, depth))
    weight = weights(draw, weight_kind, (filters,) + tuple(kernel) + (depth,), 0, data)
    each = bias(draw, bias_kind, filters, data, weight)
    made = tensor(draw, draw('output type', [data_kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
    return Case('TRANSPOSE_CONV', [parameter(draw, 'shape tensor', out), weight, data] + ([] if each is None else [each]), [made],
                ('TransposeConvOptions', {'padding': padding, 'strideW': stride[1], 'strideH': stride[0],
                                          'fusedActivationFunction': draw('activation', [0], [1, 3, 2, 4])}), version=3)


def fully_connected(draw):
    data_kind, weight_kind, bias_kind = weighted_types(draw)
    n, depth, filters = draw.size(1, 5), draw.size(1, 17), draw.size(1, 9)
    heavy = draw('taps', [None], [65536, 65537, 70000])
    if heavy:
        depth, filters = heavy, 1
    leading = draw('input shape', [(n,), (n,), (2, n), (1, 2, n)], [(), (2, 1, 1, n), (1, 1, 1, 1, n)])
    keep = draw('keep dims', [len(leading) > 1], [True, False])
    out = leading + (filters,) if keep else (int(numpy.prod(leading)), filters)
    out = draw('output shape', [out], [(1,) + out, out + (1,), (int(numpy.prod(leading)), filters)])
    shape = draw('weight shape', [(filters, depth)], [(filters, 1, depth), (filters, 1, 1, depth), (filters, 2, depth), (filters * depth,),
                                                      (filters, depth, 1), (1, filters, depth)])
    data = tensor(draw, data_kind, leading + (depth,))
    weight = weights(draw, weight_kind, shape, 0, data)
    if heavy and weight.data is not None:
        weight.data[...] = draw.size(0, 2) * 255 - 128 if weight_kind == 'INT8' else 0
    each = bias(draw, bias_kind, filters, data, weight)
    made = tensor(draw, draw('output type', [data_kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
    return Case('FULLY_CONNECTED', [data, weight, each], [made],
                ('FullyConnectedOptions', {'fusedActivationFunction': draw('activation', [0, 0, 1, 3], [2, 4, 5]), 'keepNumDims': keep,
                                           'weightsFormat': draw('weights format', [0], [1])}))


def batch_matmul(draw):
    kind = kind_of(draw, ['INT8'] * 4 + ['INT16'])
    b = draw('leading', [(2,), (1,), (3, 2), ()], [(2, 3, 2), (1, 1, 2, 2)])
    n, k, m = draw('sizes', [(draw.size(1, 5), draw.size(1, 9), draw.size(1, 6))],
                   [(1, 65536, 2), (1, 65537, 2), (2, 2, 65536), (2, 2, 65537), (65537, 2, 2)])
    adj_x, adj_y = draw('adjoints', [(False, False), (False, True)], [(True, False), (True, True)])
    second = draw('second leading', [b, b], [(1,) * len(b), b[1:], (5,) * len(b)])
    x = tensor(draw, kind, b + ((k, n) if adj_x else (n, k)))
    y = tensor(draw, draw('second type', [kind], ['INT8', 'INT16', 'UINT8', 'INT32']), second + ((m, k) if adj_y else (k, m)))
    if draw('constant', [False, False, True]) and y.type in NUMPY:
        fill(draw, y)
    out = draw('output shape', [b + (n, m)], [(1,) + b + (n, m), (n, m), b + (m, n), b + (n, m + 1)])
    made = tensor(draw, draw('output type', [kind], ['INT8', 'INT16', 'INT32']), out)
    return Case('BATCH_MATMUL', [x, y], [made], ('BatchMatMulOptions', {'adjX': adj_x, 'adjY': adj_y}))


def pool(operator):
    edges = [(8, 8), (9, 2), (2, 9), (8, 9), (256, 256), (257, 2), (256, 257), (2, 300), (256, 1), (0, 1), (1, 65537)]
    def form(draw):
        stride, padding, kernel = window(draw, edges)
        kind = kind_of(draw)
        h, w = [size + draw.size(0, 9) for size in kernel]
        if draw.chance(0.15):
            h, w = kernel
        n, c = draw('batch', [1, 1, 1, 2], [3]), draw.size(1, 9)
        out = (n, extent(h, kernel[0], stride[0], padding), extent(w, kernel[1], stride[1], padding), c)
        data = tensor(draw, kind, (n, h, w, c))
        made = like(draw, data, draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
        if draw('qparams', ['equal'], ['unequal']) == 'unequal' and made.quantized:
            made.scales = [made.scales[0] * 1.5]
        return Case(operator, [data], [made],
                    ('Pool2DOptions', {'padding': padding, 'strideW': stride[1], 'strideH': stride[0], 'filterWidth': kernel[1],
                                       'filterHeight': kernel[0], 'fusedActivationFunction': draw('activation', [0, 0, 0, 1, 3], [2, 4, 5])}))
    return form


def resize(operator, options):
    def form(draw):
        kind = kind_of(draw)
        h, w = draw('input size', [(draw.size(1, 6), draw.size(1, 6))], [(1, 1), (1, 4), (4, 1), (2, 2)])
        align, half = draw('flags', [(False, False), (False, True), (True, False)], [(True, True), (False, True), (True, False)])
        scale = draw('factor', [(2, 2), (2, 2), (4, 4), (8, 8)],
                     [(1, 1), (3, 3), (2, 4), (1, 2), (2, 1), (16, 16), (1024, 1), (1025, 1), (1, 2048), (2049, 1), (0.5, 0.5), (1.5, 1.5),
                      (5, 5)])
        sizes = [max(1, int((size - 1) * each) + 1 if align else int(size * each)) for size, each in zip((h, w), scale)]
        n, c = draw('batch', [1, 1, 1, 2], [3]), draw.size(1, 5)
        data = tensor(draw, kind, (n, h, w, c))
        made = like(draw, data, draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8']), (n, *sizes, c))
        if draw('qparams', ['equal'], ['unequal']) == 'unequal' and made.quantized:
            made.scales = [made.scales[0] * 1.5]
        return Case(operator, [data, parameter(draw, 'size', sizes)], [made], (options, {'alignCorners': align, 'halfPixelCenters': half}))
    return form
