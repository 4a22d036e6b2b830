"""Operators that keep the numbers and move them."""
import numpy

from model import Case, NUMPY, Tensor
from tensors import constant, fill, kind_of, like, ODD_SHAPES, parameter, shape_of, tensor


def moved(draw, data, kind, shape):
    """An output of what keeps the numbers."""
    made = like(draw, data, draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8']), shape)
    how = draw('qparams', ['equal'], ['other scale', 'other zero point', 'none'])
    if made.quantized and how == 'other scale':
        made.scales = [float(numpy.float32(made.scales[0] * 1.25))]
    elif made.quantized and how == 'other zero point':
        made.zero_points = [made.zero_points[0] + (1 if made.zero_points[0] < 100 else -1)]
    elif how == 'none':
        made.scales = made.zero_points = None
    return made


def reshape(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    count = int(numpy.prod(shape))
    new = draw('output shape', [(count,), (count, 1), (1, count), shape[::-1], (1,) + shape],
               [(count + 1,), shape + (1, 1, 1, 1), (1, 1, 1, 1, 1) + shape])
    data = tensor(draw, kind, shape)
    form = draw('shape input', ['constant', 'constant', 'none'], ['computed', 'other', '-1', 'INT64'])
    shape_input = constant(new if form not in ('other', '-1') else [-1] if form == '-1' else [7, 7], 'INT64' if form == 'INT64' else 'INT32')
    if form == 'computed':
        shape_input.data = None
    return Case('RESHAPE', [data] + ([] if form == 'none' else [shape_input]), [moved(draw, data, kind, new)],
                ('ReshapeOptions', {'newShape': list(new)}))


def squeeze(draw):
    kind = kind_of(draw)
    shape = (1,) + shape_of(draw, draw.size(1, 4))
    data = tensor(draw, kind, shape)
    return Case('SQUEEZE', [data], [moved(draw, data, kind, draw('output shape', [shape[1:]], [shape, shape[1:] + (2,)]))],
                ('SqueezeOptions', {'squeezeDims': [0]}))


def expand_dims(draw):
    kind, shape = kind_of(draw), shape_of(draw, draw.size(1, 5))
    axis = draw('axis', [draw.size(0, len(shape) + 1)], [-1, -len(shape) - 1, len(shape) + 1])
    place = axis % (len(shape) + 1)
    data = tensor(draw, kind, shape)
    return Case('EXPAND_DIMS', [data, parameter(draw, 'axis tensor', draw.chance(0.5) and axis or [axis])],
                [moved(draw, data, kind, shape[:place] + (1,) + shape[place:])], ('ExpandDimsOptions', {}))


def transpose(draw):
    kind = kind_of(draw)
    large = [(1, 65537, 2, 3), (1, 2, 65537, 1), (1, 2, 3, 65537), (1, 2, 3, 32769), (1, 2, 3, 32768), (1, 2, 3, 16384), (1, 3, 2, 16385),
             (300, 300, 2, 2), (256, 2, 2, 256), (257, 2, 2, 256), (2, 65536), (65537, 2), (300, 2, 2, 300, 1)]
    shape = shape_of(draw, edge=ODD_SHAPES[:5] + large, largest=6)
    rank = len(shape)
    order = [int(axis) for axis in draw.rng.permutation(rank)]
    order = draw('order', [order, order, list(range(rank))],
                 [list(range(rank))[::-1], [axis - rank for axis in order], [0] * rank, order + [0], order[:-1] or [0], [rank] + order[1:]])
    out = tuple(shape[axis % rank] for axis in order[:rank])
    out = out + (1,) * (rank - len(out))
    data = tensor(draw, kind, shape)
    return Case('TRANSPOSE', [data, parameter(draw, 'order tensor', order)], [moved(draw, data, kind, out)], ('TransposeOptions', {}))


def slice_form(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    begin = [draw.size(0, min(size, 50)) for size in shape]
    size = [draw.size(1, min(each - start, 50) + 1) for each, start in zip(shape, begin)]
    out = tuple(size)
    stated = draw('sizes', [size], [[-1] * len(size), [0] + size[1:], [each + 100 for each in size], size[:-1] or [1], [-2] + size[1:]])
    if stated == [-1] * len(size):
        out = tuple(each - start for each, start in zip(shape, begin))
    begin = draw('begin', [begin], [[-1] + begin[1:], [each + 100 for each in begin]])
    data = tensor(draw, kind, shape)
    return Case('SLICE', [data, parameter(draw, 'begin tensor', begin), parameter(draw, 'size tensor', stated)],
                [moved(draw, data, kind, out)], ('SliceOptions', {}))


def strided_slice(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    rank = len(shape)
    step = [1] * rank
    steps = draw('steps', ['one', 'one', 'some'], ['last', 'first', 'negative', 'zero', 'large'])
    middle = [axis for axis in range(rank) if axis in (rank - 3, rank - 2)]
    if steps == 'some':
        for axis in middle:
            step[axis] = draw.size(1, 4)
    elif steps in ('last', 'first'):
        step[-1 if steps == 'last' else 0] = 2
    elif steps != 'one':
        step[middle[0] if middle else 0] = {'negative': -1, 'zero': 0, 'large': 100}[steps]
    begin = [draw.size(0, min(size, 50)) for size in shape]
    end = [draw.size(start + 1, min(size, 60) + 1) if start + 1 < min(size, 60) + 1 else start + 1 for start, size in zip(begin, shape)]
    bounds = draw('bounds', ['within'], ['negative', 'beyond', 'empty', 'reversed', 'before'])
    if bounds == 'negative':
        begin, end = [each - size for each, size in zip(begin, shape)], [each - size if each < size else each for each, size in zip(end, shape)]
    elif bounds == 'beyond':
        end = [each + 100 for each in end]
    elif bounds == 'empty':
        end[0] = begin[0]
    elif bounds == 'reversed':
        begin, end = end, begin
    elif bounds == 'before':
        begin = [-100] * rank
    masks = draw('masks', [(0, 0, 0, 0, 0)] * 3 + [(1, 0, 0, 0, 0), (0, 2**rank - 1, 0, 0, 0), (0, 0, 0, 0, 1)],
                 [(0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 1, 1), (0, 0, 0, 0, 2**rank - 1), (2**rank - 1, 2**rank - 1, 0, 0, 0),
                  (0, 0, 0, 0, 2), (0, 0, 2, 0, 0)])
    out = []
    try:
        for axis, (start, stop, by, size) in enumerate(zip(begin, end, step, shape)):
            if masks[4] >> axis & 1:
                continue
            out.append(max(1, len(range(size)[None if masks[0] >> axis & 1 else start:None if masks[1] >> axis & 1 else stop:by])))
    except ValueError:
        out = list(shape)
    if masks[2]:
        out = list(shape)
    if masks[3]:
        out = [1] + out
    data = tensor(draw, kind, shape)
    inputs = [data, parameter(draw, 'begin tensor', begin), parameter(draw, 'end tensor', end), parameter(draw, 'step tensor', step)]
    if draw('inputs', [4], [3, 5]) != 4 and draw.edge == 'inputs':
        inputs = inputs[:3] if draw.about.endswith('3') else inputs + [constant([1])]
    return Case('STRIDED_SLICE', inputs, [moved(draw, data, kind, out)],
                ('StridedSliceOptions', dict(zip(('beginMask', 'endMask', 'ellipsisMask', 'newAxisMask', 'shrinkAxisMask'), masks),
                                             offset=draw('offset', [False], [True]))))


def pads(draw, shape, largest=3):
    amounts = [[draw.size(0, largest), draw.size(0, largest)] for _ in shape]
    if draw.chance(0.5) and len(shape) == 4:
        amounts[0] = amounts[3] = [0, 0]
    return draw('pads', [amounts], [[[0, 0]] * len(shape), [[0, 0]] * (len(shape) - 1) + [[1, 2]], [[1, 1]] + [[0, 0]] * (len(shape) - 1),
                                    [[-1, 0]] + amounts[1:],
                                    [[200, 200]] + amounts[1:], amounts[:-1] or [[0, 0]], [[0, 0]] + amounts])


def padded(shape, amounts):
    return tuple(max(1, size + sum(both)) for size, both in zip(shape, list(amounts) + [[0, 0]] * len(shape)))


def pad(operator, options):
    def form(draw):
        kind, shape = kind_of(draw), shape_of(draw)
        amounts = pads(draw, shape)
        out = draw('output shape', [padded(shape, amounts)], [shape, padded(shape, amounts) + (1,)])
        data = tensor(draw, kind, shape)
        inputs = [data, parameter(draw, 'pad tensor', amounts)]
        if operator == 'PADV2':
            value = like(draw, data, draw('value type', [kind], ['INT8', 'INT32', 'FLOAT32']), draw('value shape', [(), (1,)], [(2,)]))
            if draw('value', ['constant'], ['computed']) == 'constant' and value.type in NUMPY:
                fill(draw, value)
            inputs.append(value)
        elif draw('inputs', [2], [3]) == 3:
            inputs.append(constant([0]))
        return Case(operator, inputs, [moved(draw, data, kind, out)], (options, {}))
    return form


def mirror_pad(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    shape = tuple(max(size, 2) for size in shape)
    amounts = draw('pads', [[[draw.size(0, 2), draw.size(0, 2)] for _ in shape]],
                   [[[0, 0]] * len(shape), [list(shape[:1]) * 2] + [[0, 0]] * (len(shape) - 1), [[0, 0]] * (len(shape) - 1) + [[1, 1]],
                    [[9, 9]] * len(shape), [[-1, 0]] * len(shape)])
    data = tensor(draw, kind, shape)
    return Case('MIRROR_PAD', [data, parameter(draw, 'pad tensor', amounts)], [moved(draw, data, kind, padded(shape, amounts))],
                ('MirrorPadOptions', {'mode': draw('mode', [0, 1])}))


def tile(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    times = draw('times', [[draw.size(1, 3) for _ in shape]],
                 [[1] * len(shape), [0] * len(shape), [2] * (len(shape) + 1), [100] + [1] * (len(shape) - 1)])
    data = tensor(draw, kind, shape)
    return Case('TILE', [data, parameter(draw, 'times tensor', times)],
                [moved(draw, data, kind, tuple(max(1, a * b) for a, b in zip(shape, times)))], ('TileOptions', {}))


def reverse(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    axes = draw('axes', [[draw.size(0, len(shape))]], [[-1], [], list(range(len(shape))), [len(shape)], [0, 0]])
    data = tensor(draw, kind, shape)
    return Case('REVERSE_V2', [data, parameter(draw, 'axis tensor', axes)], [moved(draw, data, kind, shape)], ('ReverseV2Options', {}))


def gather(draw):
    kind, shape = kind_of(draw), shape_of(draw, edge=ODD_SHAPES)
    axis = draw('axis', [0, 0, 0], [min(1, len(shape) - 1), -1, -len(shape), len(shape)])
    batch = draw('batch dims', [0], [1, -1, axis])
    place = axis % len(shape)
    picks = constant(draw.rng.integers(0, shape[place], draw('indices', [(3,), (2, 2)], [(), (1,)])),
                     draw('index type', ['INT32'], ['INT64', 'INT16', 'INT8']))
    if draw('index tensor', ['constant', 'computed']) == 'computed':
        picks.data = None
    data = tensor(draw, kind, shape)
    if batch == 1 and len(shape) > 1:
        picks = Tensor(picks.type, shape[:1] + (2,))
        out = shape[:1] + (2,) + shape[2:]
    else:
        out = shape[:place] + picks.shape + shape[place + 1:]
    return Case('GATHER', [data, picks], [moved(draw, data, kind, out)], ('GatherOptions', {'axis': axis, 'batchDims': batch}))


def scatter_nd(draw):
    kind = kind_of(draw)
    shape = draw('shape', [(draw.size(4, 9), draw.size(1, 5))], [(6,), (5, 2, 3), (4, 2, 2, 2), (2, 3, 2, 2, 2)])
    rows = min(3, shape[0])
    numbers = [[int(row)] for row in draw.rng.permutation(shape[0])[:rows]]
    numbers = draw('indices', [numbers], [[[0]] * rows, [[0] * 2 for _ in range(rows)] if len(shape) > 1 else [[0]] * rows,
                                          [[shape[0] + row] for row in range(rows)], [[-1 - row] for row in range(rows)]])
    index = parameter(draw, 'index tensor', numbers)
    width = len(numbers[0])
    updates = tensor(draw, kind, (rows,) + shape[width:])
    return Case('SCATTER_ND', [index, updates, parameter(draw, 'shape tensor', shape)], [moved(draw, updates, kind, shape)], ('ScatterNdOptions', {}))
