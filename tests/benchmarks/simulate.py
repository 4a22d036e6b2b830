"""Quantized convolutional networks through the simulator's integer kernels, beside ONNX Runtime: the same file, the same
input, one thread each.

Usage: simulate.py SIMULATE_BENCHMARK OUT.json. OUT has the form of google-benchmark's reports, an iteration for each
repetition; measured in turns, in processor time of the one thread:
  simulate_over_ort_mobilenetv2        affine space alone, over session.run (goal: 2)
  simulate_over_ort_resnet18           the same
  simulate_reference_over_ort_mobilenetv2  with float reference and statistics (goal: 4)
  simulate_whole_over_ort_mobilenetv2  with real space as well
Weights are seeded: what a convolution costs does not depend on them.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

REPETITIONS = 5
ROUNDS = 15  # in a repetition
SIZE = 224


class Network:
    """A float network as exporters write it: batch normalization is part of the convolutions."""

    def __init__(self):
        self.random = numpy.random.default_rng(0)
        self.nodes, self.tensors = [], []

    def node(self, op, inputs, **attributes):
        name = f'{op.lower()}{len(self.nodes)}'
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def constant(self, array):
        name = f'c{len(self.tensors)}'
        self.tensors.append(numpy_helper.from_array(array.astype(numpy.float32), name))
        return name

    def conv(self, x, into, out, kernel, stride=1, groups=1):
        fan = into // groups * kernel * kernel
        weight = self.random.normal(0, (2 / fan) ** 0.5, (out, into // groups, kernel, kernel))
        pad = kernel // 2
        return self.node('Conv', [x, self.constant(weight), self.constant(self.random.normal(0, 0.1, out))],
                         kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, group=groups)

    def relu6(self, x):
        return self.node('Clip', [x, self.constant(numpy.array(0)), self.constant(numpy.array(6))])

    def classify(self, x, width):
        x = self.node('Flatten', [self.node('GlobalAveragePool', [x])])
        weight = self.random.normal(0, width ** -0.5, (1000, width))
        return self.node('Gemm', [x, self.constant(weight), self.constant(numpy.zeros(1000))], transB=1)

    def save(self, result, path):
        graph = helper.make_graph(self.nodes, 'network',
                                  [helper.make_tensor_value_info('x', TensorProto.FLOAT, [1, 3, SIZE, SIZE])],
                                  [helper.make_tensor_value_info(result, TensorProto.FLOAT, [1, 1000])], self.tensors)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8), path)


def mobilenetv2(path):
    net = Network()
    x = net.relu6(net.conv('x', 3, 32, 3, 2))
    into = 32
    for factor, width, count, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                        (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            stride, hidden = first if i == 0 else 1, into * factor
            y = net.relu6(net.conv(x, into, hidden, 1)) if factor > 1 else x
            y = net.relu6(net.conv(y, hidden, hidden, 3, stride, hidden))
            y = net.conv(y, hidden, width, 1)
            x = net.node('Add', [x, y]) if stride == 1 and into == width else y
            into = width
    net.save(net.classify(net.relu6(net.conv(x, into, 1280, 1)), 1280), path)


def resnet18(path):
    net = Network()
    x = net.node('Relu', [net.conv('x', 3, 64, 7, 2)])
    x = net.node('MaxPool', [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    into = 64
    for width in (64, 128, 256, 512):
        for i in range(2):
            stride = 2 if i == 0 and width > 64 else 1
            y = net.conv(net.node('Relu', [net.conv(x, into, width, 3, stride)]), width, width, 3)
            x = net.node('Relu', [net.node('Add', [y, x if into == width else net.conv(x, into, width, 1, stride)])])
            into = width
    net.save(net.classify(x, 512), path)


class Image(CalibrationDataReader):
    def __init__(self):
        self.images = iter([{'x': numpy.random.default_rng(1).normal(size=(1, 3, SIZE, SIZE)).astype(numpy.float32)}])

    def get_next(self):
        return next(self.images, None)


def quantized(make, folder):
    plain, path = folder / 'plain.onnx', folder / f'{make.__name__}.onnx'
    make(plain)
    quantize_static(plain, path, Image(), quant_format=QuantFormat.QDQ, per_channel=True,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    return path


class Simulator:
    """simulate_benchmark with one model: seconds of each run that it is asked for."""

    def __init__(self, program, model, feeds):
        self.process = subprocess.Popen([program, model, feeds], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def seconds(self, what):
        self.process.stdin.write(what + '\n')
        self.process.stdin.flush()
        return 1e-6 * float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def seconds(work):
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def main():
    program, out = sys.argv[1:3]
    entries = []

    def measure(name, goal, simulator, what, run, rounds):
        for _ in range(REPETITIONS):
            pairs = [(simulator.seconds(what), seconds(run)) for _ in range(rounds)]
            measured, against = (statistics.median(times) for times in zip(*pairs))
            entries.append({'name': name, 'run_name': name, 'run_type': 'iteration', 'goal': goal,
                            'ratio': statistics.median(ours / theirs for ours, theirs in pairs),
                            'measured_us': 1e6 * measured, 'against_us': 1e6 * against})
            print(f'{name}: {1e3 * measured:.2f} ms over {1e3 * against:.2f} ms', file=sys.stderr)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        feeds = {'x': numpy.random.default_rng(2).normal(size=(1, 3, SIZE, SIZE)).astype(numpy.float32)}
        numpy.savez(folder / 'in.npz', **feeds)
        for make in (mobilenetv2, resnet18):
            model = quantized(make, folder)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            session = onnxruntime.InferenceSession(model, options, providers=['CPUExecutionProvider'])
            simulator = Simulator(program, model, folder / 'in.npz')
            run = lambda: session.run(None, feeds)  # noqa: E731
            for _ in range(3):
                run(), simulator.seconds('affine')
            measure(f'simulate_over_ort_{make.__name__}', 2, simulator, 'affine', run, ROUNDS)
            if make is mobilenetv2:
                measure('simulate_reference_over_ort_mobilenetv2', 4, simulator, 'reference', run, 3)
                measure('simulate_whole_over_ort_mobilenetv2', None, simulator, 'whole', run, 3)
            simulator.close()
    pathlib.Path(out).write_text(json.dumps({'benchmarks': entries}), encoding='utf-8')


if __name__ == '__main__':
    main()
