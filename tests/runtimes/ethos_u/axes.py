"""Operators over axes: reductions, and what joins and splits tensors."""
from model import Case, NUMPY, Tensor
from tensors import fill, kind_of, like, ODD_SHAPES, OTHER_TYPES, parameter, shape_of, tensor, TYPES


def reduce(operator, types=TYPES):
    large = [(1, 4096, 1, 2), (1, 4097, 1, 2), (1, 1, 4097, 2), (1, 2, 2, 4097), (1, 1, 1, 4096), (1, 4096, 4096, 1), (1, 300, 300, 1),
             (1, 256, 256, 1), (4097, 2), (1, 65537, 2, 1)]
    def form(draw):
        kind = kind_of(draw, types)
        shape = shape_of(draw, edge=ODD_SHAPES + large)
        rank = len(shape)
        usual = sorted(int(axis) for axis in draw.rng.choice(rank, draw.size(1, rank + 1), False))
        if rank == 4 and draw.chance(0.5):
            usual = [1, 2]
        axes = draw('axes', [usual], [[-1], [axis - rank for axis in usual], list(range(rank)), [0], [rank - 1], usual[:1] * 2, [], 'scalar', [rank]])
        scalar = axes == 'scalar'
        axes = [rank - 1] if scalar else axes
        reduced = {axis % rank if -rank <= axis < rank else axis for axis in axes}
        keep = draw.chance(0.5)
        out = tuple(1 if axis in reduced else size for axis, size in enumerate(shape) if keep or axis not in reduced)
        data = tensor(draw, kind, shape)
        made = tensor(draw, draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
        if operator in ('REDUCE_MAX', 'REDUCE_MIN') and draw('qparams', ['equal'], ['unequal']) == 'equal':
            made = like(draw, data, made.type, out)
        return Case(operator, [data, parameter(draw, 'axis tensor', axes[0] if scalar else axes)], [made], ('ReducerOptions', {'keepDims': keep}))
    return form


def arg(operator, options):
    def form(draw):
        kind = kind_of(draw, ['INT8', 'INT8', 'UINT8'], OTHER_TYPES + ['INT16'])
        shape = shape_of(draw, edge=ODD_SHAPES + [(1, 2, 2, 127), (1, 2, 2, 128), (1, 127), (1, 200), (1, 40000, 3, 2)])
        axis = draw('axis', [len(shape) - 1, -1], [0, -len(shape), max(len(shape) - 2, 0), len(shape)])
        out = tuple(size for position, size in enumerate(shape) if position != axis % len(shape))
        index = draw('output type', ['INT32', 'INT64'], ['INT8', 'INT16', 'FLOAT32'])
        return Case(operator, [tensor(draw, kind, shape), parameter(draw, 'axis tensor', axis)], [Tensor(index, out)],
                    (options, {'outputType': 2 if index == 'INT32' else 4}))
    return form


def concatenation(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    axis = draw.size(0, len(shape))
    count = draw('count', [2, 2, 3], [1, 5])
    firsts = [tuple(size + draw.size(0, 3) if position == axis else size for position, size in enumerate(shape)) for _ in range(count)]
    out = tuple(sum(each[axis] for each in firsts) if position == axis else size for position, size in enumerate(shape))
    out = draw('output shape', [out], [out[:-1] + (out[-1] + 1,), (1,) + out, out[1:] or (1,)])
    stated = draw('axis', [axis, axis - len(shape)], [len(shape), -len(shape) - 1, (axis + 1) % len(shape)])
    data = [tensor(draw, kind, each) for each in firsts]
    if draw('qparams', ['equal'], ['unequal']) == 'equal':
        data = [data[0]] + [like(draw, data[0], kind, each) for each in firsts[1:]]
    if draw('input type', ['same'], ['another']) == 'another':
        data[-1] = tensor(draw, 'INT16' if kind != 'INT16' else 'INT8', firsts[-1])
    if draw('constant', [False, False, True]) and kind in NUMPY:
        fill(draw, data[-1])
    made = like(draw, data[0], draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8']), out)
    return Case('CONCATENATION', data, [made], ('ConcatenationOptions',
                                                {'axis': stated, 'fusedActivationFunction': draw('activation', [0], [1, 3, 4])}))


def pack(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    count = draw('count', [2, 3], [1])
    axis = draw('axis', [draw.size(0, len(shape) + 1)], [-1, -len(shape) - 1])
    place = axis % (len(shape) + 1)
    first = tensor(draw, kind, shape)
    data = [first] + [like(draw, first, kind, shape) for _ in range(count - 1)]
    return Case('PACK', data, [like(draw, first, draw('output type', [kind], ['INT8', 'INT16']),
                                    shape[:place] + (count,) + shape[place:])], ('PackOptions', {'valuesCount': count, 'axis': axis}))


def unpack(draw):
    kind, shape = kind_of(draw), shape_of(draw, draw.size(2, 5), 5)
    axis = draw('axis', [draw.size(0, len(shape))], [-1, -len(shape)])
    place = axis % len(shape)
    data = tensor(draw, kind, shape)
    count = min(shape[place], 8)
    out = draw('output type', [kind], ['INT8', 'INT16'])
    return Case('UNPACK', [data], [like(draw, data, out, shape[:place] + shape[place + 1:]) for _ in range(count)],
                ('UnpackOptions', {'num': shape[place] + draw('count', [0], [1]), 'axis': axis}))


def split(draw):
    kind, shape = kind_of(draw), shape_of(draw, edge=ODD_SHAPES[:5])
    place, count = draw.size(0, len(shape)), draw.size(1, 4)
    whole = tuple(size * count if position == place else size for position, size in enumerate(shape))
    whole = draw('input shape', [whole], [tuple(size + (position == place) for position, size in enumerate(whole))])
    data = tensor(draw, kind, whole)
    axis = draw('axis', [place, place - len(shape)], [-len(shape), len(shape), -len(shape) - 1])
    outs = [like(draw, data, kind, shape) for _ in range(count)]
    if draw('qparams', ['equal'], ['unequal']) == 'unequal' and data.quantized:
        outs[-1].scales = [data.scales[0] * 2]
    return Case('SPLIT', [parameter(draw, 'axis tensor', axis), data], outs, ('SplitOptions', {'numSplits': count + draw('count', [0], [1, -1])}))


def split_v(draw):
    kind, shape = kind_of(draw), shape_of(draw, edge=ODD_SHAPES[:5])
    place, count = draw.size(0, len(shape)), draw.size(1, 4)
    sizes = [draw.size(1, 4) for _ in range(count)]
    whole = tuple(sum(sizes) if position == place else size for position, size in enumerate(shape))
    parts = [tuple(each if position == place else size for position, size in enumerate(shape)) for each in sizes]
    stated = draw('sizes', [sizes, sizes[:-1] + [-1]], [[-1] * count, [size + 1 for size in sizes], [0] + sizes[1:], sizes + [1], [-2] + sizes[1:]])
    axis = draw('axis', [place, place - len(shape)], [-len(shape), len(shape)])
    data = tensor(draw, kind, whole)
    return Case('SPLIT_V', [data, parameter(draw, 'size tensor', stated), parameter(draw, 'axis tensor', axis)],
                [like(draw, data, kind, part) for part in parts],
                ('SplitVOptions', {'numSplits': count + draw('count', [0], [1, -1])}))
