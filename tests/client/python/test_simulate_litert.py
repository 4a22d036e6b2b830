"""`quantgate simulate` beside LiteRT's reference kernels, on single operators that move 8-bit integers: what their
options make of the shape, too."""
import concurrent.futures.process
import multiprocessing
import os
import pathlib
import subprocess
import sys

import pytest

np = pytest.importorskip('numpy')
litert = pytest.importorskip('ai_edge_litert.interpreter')
schema = pytest.importorskip('ai_edge_litert.schema_py_generated')
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'runtimes' / 'litert'))
from model import Case, Tensor, write  # noqa: E402


def case_of(operator, shape, constants, table, outputs=('INT8',), version=1, **options):
    """Of one int8 input of `shape` and int32 constants."""
    quantized = dict(scales=[0.1], zero_points=[3])
    inputs = [Tensor('INT8', shape, **quantized)]
    inputs += [Tensor('INT32', np.shape(numbers), data=np.array(numbers, np.int32)) for numbers in constants]
    results = [Tensor(type, (1,), **(quantized if type == 'INT8' else {})) for type in outputs]
    return Case(operator, inputs, results, (table, options), version)


def computed(case, numbers):
    """By LiteRT: the output; None where it refuses the model, or crashes: it is asked in a process of its own."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context('fork')) as process:
        try:
            return process.submit(computed_here, case, numbers).result()
        except concurrent.futures.process.BrokenProcessPool:
            return None


def computed_here(case, numbers):
    kinds = litert.OpResolverType
    # A few versions have no reference kernel.
    for kind in (kinds.BUILTIN_REF, kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            interpreter = litert.Interpreter(model_content=write(case), experimental_op_resolver_type=kind,
                                             num_threads=1)
            interpreter.allocate_tensors()
            interpreter.set_tensor(interpreter.get_input_details()[0]['index'], numbers)
            interpreter.invoke()
        except (RuntimeError, ValueError):
            continue
        return interpreter.get_tensor(interpreter.get_output_details()[0]['index'])
    return None


def simulated(case, numbers, folder):
    (folder / 'model.tflite').write_bytes(write(case))
    np.savez(folder / 'in.npz', in0=numbers)
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(folder / 'model.tflite'), '--profile',
               'litert/reference', '--input', str(folder / 'in.npz'), '--dump', str(folder / 'out.npz'), '--quiet']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    with np.load(folder / 'out.npz') as values:
        return values['out0']


def same(case, folder, seed=0):
    numbers = np.random.default_rng(seed).integers(-128, 128, case.inputs[0].shape).astype(np.int8)
    expected = computed(case, numbers)
    if expected is None:
        return False
    case.outputs[0].shape = expected.shape  # as a converter writes it
    result = simulated(case, numbers, folder)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)
    return True


@pytest.mark.parametrize('mode', [0, 1])
@pytest.mark.parametrize('pads', [[[0, 0], [2, 2]], [[1, 0], [0, 3]], [[1, 1], [3, 3]]])
def test_mirror_pad(mode, pads, tmp_path):
    assert same(case_of('MIRROR_PAD', (2, 4), [pads], 'MirrorPadOptions', mode=mode), tmp_path)


@pytest.mark.parametrize('axis, batch, indices', [
    (1, 0, [[0, 2], [1, 1]]), (1, 1, [[0, 2], [1, 1]]), (2, 1, [[3, 0], [1, 1]]), (2, 2, [[[3], [0], [1]]] * 2),
    (1, 1, [0, 2])])
def test_gather(axis, batch, indices, tmp_path):
    assert same(case_of('GATHER', (2, 3, 4), [indices], 'GatherOptions', axis=axis, batchDims=batch, version=4), tmp_path)


def test_strided_slice(tmp_path):
    """Masks, offsets and negative steps at random. An end that is counted from the start is not held to the axis: LiteRT
    reads, and crashes, beyond it, so that none is drawn there; nor backward or with masks, of which it makes one
    shape and fills another."""
    draw = np.random.default_rng(20261122)
    compared = 0
    for seed in range(60):
        rank = int(draw.integers(1, 4))
        shape = tuple(int(n) for n in draw.integers(1, 6, rank))
        offset = bool(seed % 2)
        begin, end = draw.integers(-6, 7, (2, rank)).tolist()
        step = draw.choice([1, 2, 3] if offset else [-2, -1, 1, 1, 2, 3], rank).tolist()
        begin_mask = int(draw.integers(0, 2 ** rank))
        end_mask, shrink = draw.integers(0, 2 ** rank, 2).tolist() if not offset else (0, 0)
        for axis, size in enumerate(shape):
            if shrink >> axis & 1:
                begin[axis], step[axis] = int(draw.integers(0, size)), 1
                begin_mask &= ~(1 << axis)
            if offset:
                begin[axis] = int(draw.integers(-size, size))
                end[axis] = int(draw.integers(0, size + 1 - (0 if begin_mask >> axis & 1 else begin[axis] % size)))
        case = case_of('STRIDED_SLICE', shape, [begin, end, step], 'StridedSliceOptions', version=8,
                       beginMask=begin_mask, endMask=end_mask, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=shrink,
                       offset=offset)
        compared += same(case, tmp_path, seed)
    assert compared >= 45


@pytest.mark.parametrize('operator', ['ARG_MAX', 'ARG_MIN'])
def test_index_types(operator, tmp_path):
    """LiteRT gives indices of 32 and 64 bits; of another type the model is refused, and nothing is computed."""
    types = schema.TensorType
    table = {'ARG_MAX': 'ArgMaxOptions', 'ARG_MIN': 'ArgMinOptions'}[operator]
    for type in ('INT32', 'INT64'):
        assert same(case_of(operator, (2, 5), [1], table, outputs=(type,), outputType=getattr(types, type)), tmp_path)
    case = case_of(operator, (2, 5), [1], table, outputs=('INT32',), outputType=types.FLOAT32)
    numbers = np.zeros((2, 5), np.int8)
    assert computed(case, numbers) is None
    case.outputs[0].shape = (2,)
    (tmp_path / 'model.tflite').write_bytes(write(case))
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(tmp_path / 'model.tflite'), '--profile',
               'litert/reference', '--quiet']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2), done.stderr
