"""A model at random: one of the forms, in half of them with one thing at or beyond a constraint of the compiler."""
import math

import numpy

from draw import Draw
from forms import FORMS, OTHERS
from model import NUMPY

# What any tensor may have that the compiler minds.
CHANGES = ['no quantization', 'no zero point', 'scales per axis', 'zero points per axis', 'zero point', 'scale', 'dynamic', 'rank', 'constant input']
SCALES = [0.0, -0.5, math.inf, math.nan, 1e-38, 1e38, 1e-45, 1e10, 1e-10]


def change(draw, case):
    """Changes one thing about one tensor, and says what."""
    places = [(f'input {position}', each) for position, each in enumerate(case.inputs) if each is not None]
    places += [(f'output {position}', each) for position, each in enumerate(case.outputs)]
    quantized = [place for place in places if place[1].quantized]
    kind = draw('what', CHANGES)
    name, tensor = draw('where', quantized or places)
    if kind == 'dynamic':
        name, tensor = draw('where', [place for place in places if place[1].data is None] or places)
        if not tensor.shape:
            return ''
        axis = draw('axis', [0, 0, len(tensor.shape) - 1, draw.size(0, len(tensor.shape))])
        tensor.signature = tuple(-1 if axis == position else size for position, size in enumerate(tensor.shape))
        if axis == 0 and draw.chance(0.5):
            for _, other in places:
                if other.data is None and other.shape:
                    other.signature = (-1,) + tuple(other.shape[1:])
            name = 'all'
        return f'{name}: dynamic axis {axis}'
    if kind == 'rank':
        ones = (1,) * draw.size(1, 3)
        for _, each in places:
            if each.data is None:
                each.shape = ones + tuple(each.shape)
        return 'ones in front of all shapes'
    if not tensor.quantized:
        return ''
    if kind == 'no quantization':
        tensor.scales = tensor.zero_points = None
    elif kind == 'no zero point':
        tensor.zero_points = []
    elif kind == 'scales per axis':
        count = min(max(tensor.shape[-1], 2), 16) if tensor.shape else 2
        tensor.axis = max(len(tensor.shape) - 1, 0)
        tensor.scales = [tensor.scales[0] * (1 + each / 4) for each in range(count)]
        tensor.zero_points = tensor.zero_points[:1] * count
    elif kind == 'zero points per axis':
        tensor.zero_points = tensor.zero_points[:1] * 2
    elif kind == 'zero point':
        zero = draw('zero', [-129, -128, 127, 128, 200, 255, 256, 32768, 5, -1, 2**31 - 1])
        tensor.zero_points = [zero] * len(tensor.zero_points)
        return f'{name}: zero point {zero}'
    elif kind == 'scale':
        scale = draw('scale', SCALES)
        tensor.scales = [scale] * len(tensor.scales)
        return f'{name}: scale {scale}'
    elif tensor.data is None and name.startswith('input') and tensor.type in NUMPY and numpy.prod(tensor.shape) < 2**20:
        tensor.data = numpy.zeros(tensor.shape, NUMPY[tensor.type])
    return f'{name}: {kind}'


def random_case(rng):
    """A case; its note says what was put at the edge."""
    forms = FORMS if rng.random() < 0.95 else OTHERS
    names = sorted(forms)
    form = forms[names[int(rng.integers(len(names)))]]
    draw = Draw(rng)
    case = form(draw)
    if rng.random() < 0.5:
        if draw.names and rng.random() < 0.7:
            draw = Draw(rng, draw.names[int(rng.integers(len(draw.names)))])
            case = form(draw)
            case.note = draw.about
        else:
            case.note = change(draw, case)
    return case
