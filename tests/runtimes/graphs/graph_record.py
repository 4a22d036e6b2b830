"""Records of small graphs and what a runtime makes of them, as tests/rules/simulator/graphs_test.cc reads them."""
import base64
import gzip
import json
import pathlib
import zlib

import numpy

TESTS = pathlib.Path(__file__).resolve().parents[2]
FOLDER = TESTS / 'rules' / 'data' / 'graphs'


class Feed:
    """An input of the graph; other arrays are constants."""

    def __init__(self, array):
        self.array = numpy.asarray(array)


def reals(*shape, seed=23):
    return numpy.random.default_rng(seed).normal(size=shape).astype(numpy.float32)


def positive(*shape):
    return numpy.abs(reals(*shape)) + numpy.float32(0.1)


def integers(*shape, low=-9, high=10, dtype=numpy.int64):
    return numpy.random.default_rng(19).integers(low, high, shape).astype(dtype)


def packed(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


def tensor(array):
    array = numpy.asarray(array, order='C')
    return {'dtype': str(array.dtype), 'shape': list(array.shape), 'z': packed(array.tobytes())}


def record(name, profile, model, inputs, outputs, steps=0, relative=2e-6):
    """`model`: the bytes of a file, or the name of one in tests/data. Integers differ by at most `steps`, real numbers by a part of the largest one."""
    file = {'file': model} if isinstance(model, str) else {'model': packed(model)}
    return {'id': name, 'profile': profile, **file, 'steps': steps, 'relative': relative,
            'inputs': {key: tensor(array) for key, array in inputs.items()},
            'outputs': {key: tensor(array) for key, array in outputs.items()}}


def write(name, records):
    path = FOLDER / f'{name}.jsonl.gz'
    path.parent.mkdir(exist_ok=True)
    lines = ''.join(json.dumps(made) + '\n' for made in records)
    path.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
    print(f'{path.name}: {len(records)} graphs, {path.stat().st_size} bytes')
