"""Records of single operator calls, as tests/rules/simulator/record.h reads them."""
import base64
import json
import zlib

import numpy

NAMES = {'int8': 's8', 'uint8': 'u8', 'int16': 's16', 'uint16': 'u16', 'int32': 's32', 'int64': 's64',
         'float32': 'f32', 'bool': 'bool'}


def tensor(array):
    array = numpy.asarray(array, order='C')
    return {'dtype': str(array.dtype), 'shape': list(array.shape),
            'z': base64.b64encode(zlib.compress(array.tobytes(), 1)).decode()}


def quantization(scales, zero_points, axis=None):
    if scales is None:
        return None
    made = {'scale': [float(numpy.float32(s)) for s in numpy.atleast_1d(scales)],
            'zp': [int(z) for z in numpy.atleast_1d(zero_points)]}
    if axis is not None:
        made['axis'] = axis
    return made


def value(array, q=None, qdtype=None):
    return {**tensor(array), 'qdtype': qdtype or NAMES[str(array.dtype)], 'q': q}


def line(number, op, attrs, inputs, qdtype, q, oracles):
    return json.dumps({'id': f'{op}-{number}', 'op': op, 'attrs': attrs, 'inputs': inputs,
                       'output': {'qdtype': qdtype, 'q': q},
                       'oracles': {name: tensor(array) for name, array in oracles.items()}})
