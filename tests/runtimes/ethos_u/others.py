"""Operators of no family: recurrent, conversions, variables, and what is never supported."""
from cases import log_uniform
from model import Case, RANGE, Tensor
from tensors import fill, kind_of, like, OTHER_TYPES, shape_of, tensor, TYPES


def lstm(draw):
    kind = kind_of(draw, ['INT8', 'INT8', 'INT16'])
    time_major = draw.chance(0.5)
    batch, time, inputs, cells = draw('batch', [1, 1, 2], [5]), draw.size(1, 4), draw.size(1, 6), draw.size(1, 6)
    leading = (time, batch) if time_major else (batch, time)
    form = draw('form', ['plain'], ['coupled', 'peephole', 'projection', 'normalized', 'one peephole', 'no bias'])
    def matrix(rows, columns):
        made = Tensor('INT8', (rows, columns), [log_uniform(draw.rng, 0.002, 0.02)], [0])
        return fill(draw, made)
    def vector(size, type='INT32'):
        return fill(draw, Tensor(type, (size,), [log_uniform(draw.rng, 1e-5, 1e-3)], [0]))
    def state(size, type):
        made = tensor(draw, type, (batch, size), True)
        made.variable = True
        return made
    data = tensor(draw, kind, leading + (inputs,), True)
    tensors = [data] + [matrix(cells, inputs) for _ in range(4)] + [matrix(cells, cells) for _ in range(4)] + [None] * 3
    tensors += [vector(cells) for _ in range(4)] + [None] * 2
    tensors += [state(cells, kind), state(cells, 'INT16')] + [None] * 4
    if form == 'coupled':
        tensors[1] = tensors[5] = tensors[12] = None
    elif form in ('peephole', 'one peephole'):
        for position in ([9, 10, 11] if form == 'peephole' else [10]):
            tensors[position] = vector(cells, 'INT16')
    elif form == 'projection':
        tensors[16] = matrix(cells, cells)
    elif form == 'normalized':
        for position in range(20, 24):
            tensors[position] = vector(cells, 'INT16')
    elif form == 'no bias':
        tensors[12:16] = [None] * 4
    count = draw('inputs', [24], [20, 23])
    weight_kind = draw('weight type', ['INT8'], ['UINT8', 'INT16', 'FLOAT32'])
    if weight_kind != 'INT8':
        quantization = ([0.01], [0]) if weight_kind in RANGE else ()
        tensors[2] = fill(draw, Tensor(weight_kind, tensors[2].shape, *quantization))
    if draw('states', ['variable'], ['inputs']) == 'inputs':
        for position in (18, 19):
            tensors[position].variable = False
    out = like(draw, data, draw('output type', [kind], ['INT8', 'INT16']),
               draw('output shape', [leading + (cells,)], [(batch * time, cells), leading + (cells, 1)]))
    made = Case('UNIDIRECTIONAL_SEQUENCE_LSTM', tensors[:count], [out],
                ('UnidirectionalSequenceLSTMOptions', {'fusedActivationFunction': draw('activation', [4], [0, 1]), 'timeMajor': time_major,
                                                       'cellClip': draw('clip', [0.0, 10.0], [-1.0]), 'projClip': 0.0}))
    made.intermediates = [Tensor('INT16', (cells,), [2**-12], [0]) for _ in range(4)] + [Tensor('INT8' if kind == 'INT8' else 'INT16',
            (cells,), [2**-7], [0])]
    made.intermediates = made.intermediates[:draw('intermediates', [5], [4, 0])]
    return made


def quantize(draw):
    kind, out = kind_of(draw), draw('output type', TYPES, ['INT32', 'FLOAT32', 'INT64', 'BOOL'])
    shape = shape_of(draw)
    return Case('QUANTIZE', [tensor(draw, kind, shape)], [tensor(draw, out, shape)], ('QuantizeOptions', {}))


def cast(draw):
    kinds = ['INT8', 'UINT8', 'INT16', 'INT32', 'INT64', 'BOOL', 'FLOAT32']
    kind, out, shape = draw('type', kinds, OTHER_TYPES), draw('output type', kinds, OTHER_TYPES), shape_of(draw)
    plain = draw.chance(0.5)
    return Case('CAST', [tensor(draw, kind, shape, False if plain else None)], [tensor(draw, out, shape, False if plain else None)],
                ('CastOptions', {}))


def variable(operator):
    def form(draw):
        kind, shape = kind_of(draw), shape_of(draw)
        handle = Tensor(draw('handle type', ['RESOURCE'], ['INT32']), draw('handle shape', [(1,), ()], [(2,)]))
        data = tensor(draw, kind, shape)
        return Case(operator, [handle, data], []) if operator == 'ASSIGN_VARIABLE' else Case(operator, [handle], [data])
    return form


def space(operator, options, fields, shape, out):
    def form(draw):
        kind = kind_of(draw)
        data = tensor(draw, kind, shape)
        return Case(operator, [data], [like(draw, data, kind, out)], (options, fields))
    return form


def shape_operator(draw):
    shape = shape_of(draw)
    return Case('SHAPE', [tensor(draw, kind_of(draw), shape)], [Tensor('INT32', (len(shape),))], ('ShapeOptions', {'outType': 2}))
