"""Tensors as converters write them, and the choices that models of all operators share."""
import numpy

from cases import FIXED, log_uniform
from model import NUMPY, RANGE, Tensor

TYPES = ['INT8'] * 5 + ['UINT8'] * 2 + ['INT16'] * 2 + ['INT32']
OTHER_TYPES = ['FLOAT32', 'FLOAT16', 'INT32', 'INT64', 'BOOL', 'UINT16', 'UINT32', 'INT4']
ODD_SHAPES = [(2, 3, 4, 5, 6), (1, 1, 2, 3, 4, 5), (1, 1, 1, 1, 1, 1, 1, 2, 2), (5, 2, 3, 4), (1, 1, 1, 65537), (1, 65537, 1, 2), (1, 1, 65536, 3),
              (70000, 2), (1,), (1, 1, 1, 1), (3, 1, 1, 1)]
SAME, VALID = 0, 1


def tensor(draw, kind, shape, quantized=None):
    """A tensor that is computed when the model runs, or a model's input."""
    made = Tensor(kind, tuple(shape))
    if kind not in RANGE or (kind in ('INT32', 'INT64', 'UINT16', 'INT4') and not draw.chance(0.7)) or quantized is False:
        return made
    low, high = RANGE[kind]
    made.scales = [log_uniform(draw.rng, 0.5, 40) / min(high - low, 2**20)]
    made.zero_points = [0 if kind in ('INT16', 'INT32', 'INT64') else int(draw.rng.integers(low, high + 1))]
    return made


def like(draw, first, kind, shape):
    """One with the quantization of `first` where the types are the same."""
    made = tensor(draw, kind, shape)
    if kind == first.type:
        made.scales, made.zero_points = first.scales and list(first.scales), first.zero_points and list(first.zero_points)
    return made


def fixed(operator, made):
    """Scale and zero point as LiteRT's kernel prescribes them."""
    if made.quantized and (operator, made.type) in FIXED:
        scale, zero = FIXED[operator, made.type]
        made.scales, made.zero_points = [scale], [zero]
    return made


def constant(numbers, kind='INT32'):
    array = numpy.array(numbers, NUMPY[kind])
    return Tensor(kind, array.shape, data=array)


def parameter(draw, name, numbers, kind='INT32', other='INT64'):
    """Axes, sizes, positions: a constant, at the edge one of another type or none."""
    form = draw(name, ['constant'], ['computed', other])
    made = constant(numbers, other if form == other else kind)
    if form == 'computed':
        made.data = None
    return made


def fill(draw, made):
    low, high = RANGE.get(made.type, (0, 2))
    low, high = max(low, -2**20), min(high, 2**20)
    made.data = numpy.asarray(draw.rng.integers(low, high + 1, made.shape), NUMPY[made.type])
    return made


def kind_of(draw, usual=TYPES, edge=OTHER_TYPES):
    return draw('type', usual, edge)


def shape_of(draw, rank=None, largest=8, edge=ODD_SHAPES):
    usual = tuple(draw.size(1, largest) for _ in range(rank or draw.size(1, 5)))
    if len(usual) == 4 and not draw.chance(0.2):
        usual = (1,) + usual[1:]
    return draw('shape', [usual], edge)
