"""Corrected models, judged by the runtimes that they are for: `quantgate check --fix` writes ONNX files that ONNX Runtime
loads and LiteRT files that LiteRT loads; their outputs are no further from those of the sound model than before; and
what no correction names is as it was."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

numpy = pytest.importorskip('numpy')

DATA = pathlib.Path(__file__).resolve().parents[2] / 'data'


def cases(format):
    lines = (DATA / format / 'cases.jsonl').open(encoding='utf-8')
    return [case for case in map(json.loads, lines) if not case['good'] and case['file'].count('.') >= 3]


def fix(path, folder, *options):
    """The written file and the report of what it is made from; None for the file where nothing was to correct or errors
    are left."""
    quantgate = os.environ['QUANTGATE_EXECUTABLE']
    fixed = folder / path.name
    answer = subprocess.run([quantgate, 'check', path, '--format', 'json', *options, '--fix', fixed], capture_output=True,
                            text=True, check=False)
    assert answer.returncode in (0, 1, 2), answer.stderr
    if not fixed.exists():
        return None, None
    result = json.loads(answer.stdout)['results'][0]
    if not result['corrections']:
        assert fixed.read_bytes() == path.read_bytes()
        return None, result
    again = subprocess.run([quantgate, 'check', fixed, '--format', 'json', *options], capture_output=True,
                           text=True, check=False)
    errors = [sum(finding['severity'] == 'ERROR' for finding in one['findings'])
              for one in (result, json.loads(again.stdout)['results'][0])]
    assert errors[1] < errors[0] or 'not written' in answer.stderr, answer.stderr
    return (fixed if again.returncode == 0 else None), result


def distance(outputs, reference):
    return max(float(numpy.max(numpy.abs(a - b))) for a, b in zip(outputs, reference))


def judge(run, case, format, fixed):
    """Runs the corrected model; its outputs are as near to the sound model's as those of the broken one, but for two
    steps of eight bits."""
    outputs = run(fixed)
    assert all(numpy.isfinite(output).all() for output in outputs)
    base = DATA / format / case['file'].split('.', 2)[2]  # bad.MUTATION.MODEL
    if not base.is_file():
        return
    reference = run(base)
    step = max(float(numpy.max(numpy.abs(output))) for output in reference) / 255
    try:
        before = distance(run(DATA / format / case['file']), reference)
    except RuntimeError:  # the runtime refuses the broken file
        before = 0.0
    assert distance(outputs, reference) <= before + 2 * step


# ONNX

onnx = pytest.importorskip('onnx')
onnxruntime = pytest.importorskip('onnxruntime')
onnxruntime.set_default_logger_severity(4)


def run_onnx(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=['CPUExecutionProvider'])
        random = numpy.random.default_rng(0)
        feeds = {one.name: random.standard_normal([size if isinstance(size, int) else 1 for size in one.shape])
                 .astype(numpy.float32) for one in session.get_inputs()}
        return session.run(None, feeds)
    except Exception as error:  # of classes that it does not export
        raise RuntimeError(str(error)) from error


def untouched(before, after):
    """Differences outside of Quantize and Dequantize nodes that changed and of what they read."""
    touched = set()
    for old, new in zip(before.graph.node, after.graph.node, strict=True):
        if old.op_type in ('QuantizeLinear', 'DequantizeLinear') and old.output == new.output:
            touched |= set(old.input) | set(new.input) | set(new.output)
        elif old != new:
            yield f'node {old.name}'
    tensors = {tensor.name: tensor for tensor in after.graph.initializer}
    for tensor in before.graph.initializer:
        if tensor.name not in touched and tensors.get(tensor.name) != tensor:
            yield f'initializer {tensor.name}'
    infos = {info.name: info for info in after.graph.value_info}
    for info in before.graph.value_info:
        if info.name not in touched and infos.get(info.name) != info:
            yield f'value info {info.name}'
    for model in (before, after):
        for field in ('node', 'initializer', 'value_info'):
            model.graph.ClearField(field)
    if before != after:
        yield 'the rest of the model'


@pytest.mark.parametrize('case', cases('onnx'), ids=lambda case: case['id'])
def test_onnx(case, tmp_path):
    path = DATA / 'onnx' / case['file']
    fixed, _ = fix(path, tmp_path)
    if fixed is None:
        return
    judge(run_onnx, case, 'onnx', fixed)
    onnx.checker.check_model(str(fixed))
    assert not list(untouched(onnx.load(path, load_external_data=False), onnx.load(fixed, load_external_data=False)))


def test_a_bias_that_follows_its_weight_stands_for_the_same(tmp_path):
    path = DATA / 'onnx' / 'bad.axis_input_channel.tiny.qdq_s8s8_pc.onnx'
    fixed, _ = fix(path, tmp_path, '-t', 'qnn_htp/SM8650@2.51')
    assert fixed is not None
    before = run_onnx(path)
    step = max(float(numpy.max(numpy.abs(output))) for output in before) / 255
    assert distance(run_onnx(fixed), before) < 2.5 * step


def test_some_onnx_models_are_corrected(tmp_path):
    assert sum(fix(DATA / 'onnx' / case['file'], tmp_path)[0] is not None for case in cases('onnx')) >= 5


def products(path, right):
    """A product of matrices in int16 whose second operand is of type `right`: the HTP takes int8. In int16 it has
    another reader, which takes 16 bits alone."""
    nodes, tensors = [], []

    def quantized(name, largest, type):
        scale = numpy.float32(largest / numpy.iinfo(type).max)
        tensors.append(onnx.numpy_helper.from_array(numpy.array(scale), f'{name}_scale'))
        tensors.append(onnx.numpy_helper.from_array(numpy.array(0, type), f'{name}_zero'))
        parameters = [f'{name}_scale', f'{name}_zero']
        nodes.append(onnx.helper.make_node('QuantizeLinear', [name, *parameters], [f'{name}_q'], f'{name}_Q'))
        nodes.append(onnx.helper.make_node('DequantizeLinear', [f'{name}_q', *parameters], [f'{name}_d'], f'{name}_D'))
        return f'{name}_d'

    a = quantized('a', 4, numpy.int16)
    b = quantized('b', 4, right)
    nodes.append(onnx.helper.make_node('MatMul', [a, b], ['product']))
    product = quantized('product', 64, numpy.int16)
    nodes.append(onnx.helper.make_node('Mul', [product, product if right == numpy.int8 else b], ['scaled'], 'mul'))
    scaled = quantized('scaled', 256, numpy.int16)
    values = {name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4, 4])
              for name in ('a', 'b', product, scaled)}
    graph = onnx.helper.make_graph(nodes, 'graph', [values['a'], values['b']],
                                   [values[product], values[scaled]], tensors)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid('', 21)], ir_version=10), path)
    return path


def test_one_reader_gets_a_conversion_of_its_own(tmp_path):
    path = products(tmp_path / 'products.onnx', numpy.int16)
    (tmp_path / 'fixed').mkdir()
    fixed, result = fix(path, tmp_path / 'fixed', '-t', 'qnn_htp/SM8650@2.51')
    assert fixed is not None
    assert [change['location']['value'] for one in result['corrections'] for change in one['changes']] == ['b_d']
    onnx.checker.check_model(str(fixed), full_check=True)
    before, after = onnx.load(path), onnx.load(fixed)
    added = [node for node in after.graph.node if node.name not in [other.name for other in before.graph.node]]
    assert [node.op_type for node in added] == ['QuantizeLinear', 'DequantizeLinear']
    for node in before.graph.node:
        (same,) = [other for other in after.graph.node if other.output == node.output]
        assert same == node or (node.op_type == 'MatMul' and list(same.input) == ['a_d', *added[1].output])
    # Each of four terms is off by half a step of eight bits times what it is multiplied with, the sum by its own step.
    assert numpy.max(numpy.abs(run_onnx(path)[0] - run_onnx(fixed)[0])) <= 4 * 4 * 0.5 * 4 / 127 + 64 / 32767
    graph = tmp_path / 'fixed.json'
    for options in ([path, '--fix', graph], [graph]):
        answer = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', '-t', 'qnn_htp/SM8650@2.51', *options],
                                capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_what_is_taken_gets_no_conversion(tmp_path):
    path = products(tmp_path / 'products.onnx', numpy.int8)
    (tmp_path / 'fixed').mkdir()
    fixed, result = fix(path, tmp_path / 'fixed', '-t', 'qnn_htp/SM8650@2.51')
    assert fixed is None and (result is None or not result['corrections'])


# LiteRT, which may end the process: in one of its own.

RUN_LITERT = '''
import sys
import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType
interpreter = Interpreter(model_path=sys.argv[1], experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
interpreter.allocate_tensors()
random = numpy.random.default_rng(0)
for tensor in interpreter.get_input_details():
    data = random.standard_normal(tensor['shape'])
    scale, zero_point = tensor['quantization']
    if tensor['dtype'] != numpy.float32:
        info = numpy.iinfo(tensor['dtype'])
        data = numpy.clip(numpy.round(data / (scale or 1) + zero_point), info.min, info.max)
    interpreter.set_tensor(tensor['index'], data.astype(tensor['dtype']))
interpreter.invoke()
outputs = []
for tensor in interpreter.get_output_details():
    scale, zero_point = tensor['quantization']
    data = interpreter.get_tensor(tensor['index']).astype(numpy.float64)
    outputs.append((data - zero_point) * scale if scale else data)
numpy.savez(sys.argv[2], *outputs)
'''


@pytest.fixture
def run_litert(tmp_path):
    pytest.importorskip('ai_edge_litert.interpreter')

    def run(path):
        outputs = tmp_path / 'outputs.npz'
        answer = subprocess.run([sys.executable, '-c', RUN_LITERT, path, outputs], capture_output=True, text=True,
                                check=False)
        if answer.returncode != 0:
            raise RuntimeError(answer.stderr)
        with numpy.load(outputs) as arrays:
            return [arrays[name] for name in arrays.files]

    return run


@pytest.mark.parametrize('case', cases('tflite'), ids=lambda case: case['id'])
def test_litert(case, tmp_path, run_litert):
    path = DATA / 'tflite' / case['file']
    fixed, result = fix(path, tmp_path)
    if fixed is None:
        return
    judge(run_litert, case, 'tflite', fixed)
    # What changes in place is an offset and perhaps a type of each tensor; the rest is behind the end.
    old, new = path.read_bytes(), fixed.read_bytes()
    changes = sum(len(correction['changes']) for correction in result['corrections'])
    stored = stored_bytes(path, result, tmp_path)
    assert len(new) >= len(old)
    assert sum(a != b for a, b in zip(old, new)) <= 16 * changes + stored


# The parameters are all there, in another form than the runtime takes: nothing is lost.
@pytest.mark.parametrize('name', ['bias_type.dscnn.int16x8', 'dw_axis.dscnn.int16x8', 'zp_count.unet.int8'])
def test_litert_computes_what_the_sound_model_does(name, tmp_path, run_litert):
    fixed, _ = fix(DATA / 'tflite' / f'bad.{name}.tflite', tmp_path, '-t', 'litert/reference')
    assert fixed is not None
    assert distance(run_litert(fixed), run_litert(DATA / 'tflite' / f"{name.split('.', 1)[1]}.tflite")) == 0


def stored_bytes(path, result, folder):
    """Bytes of the constants that corrections name."""
    names = {change['location']['value'] for correction in result['corrections'] for change in correction['changes']}
    graph = folder / 'graph.json'
    subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'import', path, '-o', graph, '--quiet'], check=True)
    values = json.loads(graph.read_text(encoding='utf-8'))['values']
    return sum(int(value['constant'].get('storedBytes', 0)) for value in values
               if value.get('name') in names and 'constant' in value)


def test_some_litert_models_are_corrected(tmp_path):
    assert sum(fix(DATA / 'tflite' / case['file'], tmp_path)[0] is not None for case in cases('tflite')) >= 5
