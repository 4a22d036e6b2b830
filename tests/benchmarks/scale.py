"""A quantized ONNX model of 10,000 nodes with 2 GB of weights in a file beside it: `quantgate check` in a process of its
own, beside onnx.checker with shape inference on the same file.

Usage: scale.py OUT.json; $QUANTGATE_EXECUTABLE names the program. OUT has the form of google-benchmark's reports:
  check_over_onnx_checker_2gb  wall time of the whole command, over that of onnx.checker.check_model with full_check
  check_seconds_2gb            that wall time (goal: 2 s)
  check_memory_over_graph_2gb  peak memory beyond that of `quantgate --version`, over the bytes of the model file, which
                               has everything but the weights (goal: 3)
  check_memory_beyond_one_layer_2gb  the same beyond that of the command on a model of one layer: without the tables
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

NODES = 10_000
LAYERS = NODES // 5
WEIGHT_BYTES = 2_000_000_000
REPETITIONS = 3
ONNX_CHECKER = 'import sys, onnx; onnx.checker.check_model(sys.argv[1], full_check=True)'


def write(folder, layers, size):
    """A chain of MatMul and Relu between Dequantize and Quantize, five nodes a layer. In a process of its own: what a
    process measures of its children is at least its own size."""
    import numpy
    from onnx import TensorProto, helper, numpy_helper

    nodes, tensors = [], []

    def constant(name, array):
        tensors.append(numpy_helper.from_array(array, name))

    constant('s', numpy.float32(0.02))
    constant('z', numpy.uint8(128))
    nodes += [helper.make_node('QuantizeLinear', ['x', 's', 'z'], ['q'], 'quantize'),
              helper.make_node('DequantizeLinear', ['q', 's', 'z'], ['d'], 'dequantize')]
    before = 'd'
    for i in range(layers):
        weight = TensorProto(name=f'w{i}', data_type=TensorProto.INT8, dims=[size, size],
                             data_location=TensorProto.EXTERNAL)
        for key, value in (('location', 'weights.bin'), ('offset', i * size * size), ('length', size * size)):
            weight.external_data.add(key=key, value=str(value))
        tensors.append(weight)
        constant(f'ws{i}', numpy.full(size, 0.01, numpy.float32))
        constant(f'wz{i}', numpy.zeros(size, numpy.int8))
        after = 'y' if i + 1 == layers else f'd{i}'
        nodes += [helper.make_node('DequantizeLinear', [f'w{i}', f'ws{i}', f'wz{i}'], [f'wd{i}'], f'weight{i}', axis=1),
                  helper.make_node('MatMul', [before, f'wd{i}'], [f'm{i}'], f'matmul{i}'),
                  helper.make_node('Relu', [f'm{i}'], [f'r{i}'], f'relu{i}'),
                  helper.make_node('QuantizeLinear', [f'r{i}', 's', 'z'], [f'q{i}'], f'quantize{i}'),
                  helper.make_node('DequantizeLinear', [f'q{i}', 's', 'z'], [after], f'dequantize{i}')]
        before = after
    graph = helper.make_graph(nodes, 'scale', [helper.make_tensor_value_info('x', TensorProto.FLOAT, [1, size])],
                              [helper.make_tensor_value_info('y', TensorProto.FLOAT, [1, size])], tensors)
    path = folder / 'model.onnx'
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 13)],
                                       ir_version=8).SerializeToString())
    chunk = numpy.random.default_rng(0).integers(-128, 128, 1 << 24, dtype=numpy.int8).tobytes()
    with open(folder / 'weights.bin', 'wb') as weights:
        left = layers * size * size
        while left:
            left -= weights.write(chunk[:left])


def run(*command):
    """Seconds and peak kilobytes of a process."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f'{command[0]} ended with {status}')
    return time.perf_counter() - begin, usage.ru_maxrss


def main():
    program = os.environ['QUANTGATE_EXECUTABLE']
    entries = []

    def add(name, ratio, goal, measured, against):
        entries.append({'name': name, 'run_name': name, 'run_type': 'iteration', 'ratio': ratio, 'goal': goal,
                        'measured_us': measured, 'against_us': against})

    with tempfile.TemporaryDirectory() as folder:
        size = int((WEIGHT_BYTES / LAYERS) ** 0.5)
        for name, layers in (('whole', LAYERS), ('one_layer', 1)):
            (pathlib.Path(folder) / name).mkdir()
            run(sys.executable, __file__, '--write', pathlib.Path(folder) / name, str(layers), str(size))
        model = pathlib.Path(folder) / 'whole' / 'model.onnx'
        graph_kb = model.stat().st_size / 1024

        def check(path):
            return run(program, 'check', path, '-t', 'onnxruntime/cpu', '--quiet')

        _, base = run(program, '--version')
        for _ in range(REPETITIONS):
            _, one_layer = check(pathlib.Path(folder) / 'one_layer' / 'model.onnx')
            seconds, peak = check(model)
            checker, checker_peak = run(sys.executable, '-c', ONNX_CHECKER, model)
            add('check_over_onnx_checker_2gb', seconds / checker, None, 1e6 * seconds, 1e6 * checker)
            add('check_seconds_2gb', seconds, 2, 1e6 * seconds, 1e6)
            add('check_memory_over_graph_2gb', (peak - base) / graph_kb, 3, peak, graph_kb)
            add('check_memory_beyond_one_layer_2gb', (peak - one_layer) / graph_kb, None, peak, graph_kb)
            print(f'check: {seconds:.2f} s, {peak} KB ({base} KB without a model, {one_layer} KB for one layer); '
                  f'onnx.checker: {checker:.2f} s, {checker_peak} KB; model without weights: {graph_kb:.0f} KB',
                  file=sys.stderr)
    pathlib.Path(sys.argv[1]).write_text(json.dumps({'benchmarks': entries}), encoding='utf-8')


if __name__ == '__main__':
    if sys.argv[1] == '--write':
        write(pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
