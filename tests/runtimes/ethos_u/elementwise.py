"""Operators that work element by element."""
import math

from model import Case, NUMPY, Tensor
from tensors import fill, fixed, kind_of, like, ODD_SHAPES, shape_of, tensor, TYPES


def unary(operator, options=None, types=TYPES, fields=None):
    def form(draw):
        kind, shape = kind_of(draw, types), shape_of(draw)
        values = {name: draw(name, *choices) for name, choices in (fields or {}).items()}
        out = draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8', 'BOOL'])
        out_shape = draw('output shape', [shape], [shape[::-1], shape + (1,), (1,) + shape, shape[:-1] + (shape[-1] + 1,)])
        made = tensor(draw, out, out_shape)
        if draw('output scale', ['fixed'], ['any']) == 'fixed':
            fixed(operator, made)
        return Case(operator, [tensor(draw, kind, shape)], [made], options and (options, values))
    return form


def binary(operator, options=None, types=TYPES, activation=False, out=None, same=False):
    def form(draw):
        kind, shape = kind_of(draw, types), shape_of(draw)
        ones = tuple(1 if draw.chance(0.5) else size for size in shape)
        other = draw('second shape', [shape, shape, ones, shape[-1:], (1,)],
                     [(), (2,) + shape, shape + (2,), tuple(size + 1 for size in shape), (1,) + shape])
        both = tuple(1 if draw.chance(0.5) else size for size in shape)
        first = draw('first shape', [shape], [both, (1,), tuple(size + 2 for size in shape)])
        second_kind = draw('second type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8'])
        out_kind = draw('output type', [out or kind], ['INT8', 'INT16', 'INT32', 'UINT8', 'BOOL'])
        a, b = tensor(draw, kind, first), tensor(draw, second_kind, other)
        made = tensor(draw, out_kind, shape)
        if same and draw('qparams', ['equal'], ['unequal']) == 'equal':
            b, made = like(draw, a, second_kind, other), like(draw, a, out_kind, shape)
        if draw('constant', [False, False, True], []):
            fill(draw, b)
        which = draw('constants', ['as they are'], ['first', 'both'])
        if which != 'as they are' and a.type in NUMPY and b.type in NUMPY:
            fill(draw, a)
            if which == 'both':
                fill(draw, b)
        values = {'fusedActivationFunction': draw('activation', [0, 0, 0, 1, 3], [2, 4, 5])} if activation else {}
        return Case(operator, [a, b], [made], options and (options, values))
    return form


def prelu(draw):
    kind, shape = kind_of(draw), shape_of(draw)
    alpha = tensor(draw, draw('alpha type', [kind], ['INT8', 'INT16', 'UINT8', 'INT32', 'FLOAT32']),
                   draw('alpha shape', [shape[-1:], (1,) * (len(shape) - 1) + shape[-1:]], [(1,), shape, shape[:1]]))
    if draw('alpha', ['constant', 'constant', 'constant'], ['computed']) == 'constant' and alpha.type in NUMPY:
        fill(draw, alpha)
        if draw.chance(0.3):
            alpha.data[...] = draw.size(0, 20)
    return Case('PRELU', [tensor(draw, kind, shape), alpha], [tensor(draw, draw('output type', [kind], ['INT8', 'INT16', 'UINT8']), shape)])


def select(operator, options):
    def form(draw):
        kind, shape = kind_of(draw), shape_of(draw)
        condition = Tensor(draw('condition type', ['BOOL'], ['INT8', 'UINT8', 'INT32']),
                           draw('condition shape', [shape], [shape[:1], (1,), shape[-1:]]))
        a = tensor(draw, kind, shape)
        b = like(draw, a, draw('third type', [kind], ['INT8', 'INT16', 'INT32']), draw('third shape', [shape], [(1,), shape[-1:]]))
        made = like(draw, a, draw('output type', [kind], ['INT8', 'INT16', 'INT32']), shape)
        if draw('qparams', ['equal'], ['unequal']) == 'unequal' and made.quantized:
            made.scales = [made.scales[0] * 2]
        return Case(operator, [condition, a, b], [made], (options, {}))
    return form


def softmax(draw):
    kind = kind_of(draw)
    shape = shape_of(draw, edge=ODD_SHAPES + [(1, 256, 256, 2), (1, 256, 257, 2), (256, 256, 3), (2, 300, 300, 2), (1, 65536, 2),
                                              (1, 65537, 2), (1, 1, 2**16 + 1), (3, 4, 65536)])
    out = draw('output type', [kind], ['INT8', 'INT16', 'INT32', 'UINT8'])
    out_shape = draw('output shape', [shape], [shape[::-1], shape + (1,), (1,) + shape])
    return Case('SOFTMAX', [tensor(draw, kind, shape)], [fixed('SOFTMAX', tensor(draw, out, out_shape))],
                ('SoftmaxOptions', {'beta': draw('beta', [1.0], [0.0, -1.0, 0.5, 100.0, math.inf, math.nan])}))
