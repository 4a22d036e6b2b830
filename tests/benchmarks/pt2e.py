"""QuantGate beside PyTorch's and ExecuTorch's Python on one annotated graph of about 10,000 nodes.

Usage: pt2e.py PT2E_BENCHMARK OUT.json; $QUANTGATE_EXECUTABLE names the program for the private server.
OUT has the form of google-benchmark's reports, an iteration for each of five repetitions:
  groups_vs_torchao_10k      torchao's sharing groups over ours
  check_vs_executorch_10k    torchao's groups and QnnQuantizer.validate, over our whole check (groups, rules, coverage)
  rules_vs_executorch_10k    the same over our check of a graph that is built, as that of Python is; for information
  python_call_over_annotate  wall time from the Python call to the report in hand, over that of annotate
"""
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Set and empty: nothing is downloaded.
os.environ.setdefault('QNN_SDK_ROOT', '')
logging.disable(logging.WARNING)

import executorch.backends.qualcomm.python.PyQnnManagerAdaptor as qnn  # noqa: E402
import quantgate  # noqa: E402
import torch  # noqa: E402
from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype  # noqa: E402
from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset, QnnExecuTorchBackendType  # noqa: E402
from torchao.quantization.pt2e.prepare import (_get_edge_or_node_to_group_id,  # noqa: E402
                                               _get_edge_or_node_to_qspec)

TARGET = 'qnn_htp/SM8650'
BLOCKS = 1100
REPETITIONS = 5


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolutions = torch.nn.ModuleList(torch.nn.Conv2d(4, 4, 1) for _ in range(BLOCKS))

    def forward(self, x):
        for convolution in self.convolutions:
            y = torch.relu(convolution(x))
            x = torch.cat([y + x, x], 1)[:, :4] * torch.sigmoid(y)
        return x


class OpInfo:
    """In the place of the SDK's table, without which validate does nothing: 8-bit rows for the operators used here."""

    class Port:
        def __init__(self, dtype, onward=False):
            self.dtype, self.onward = dtype, onward

        def get_datatype(self):
            return self.dtype

        def get_quant_constraint_info(self):
            return [self]

        def is_applicable_from_current_dtype_onward(self):
            return self.onward

        def get_encoding_types(self):
            return [qnn.Qnn_QuantizationEncoding_t.QNN_QUANTIZATION_ENCODING_SCALE_OFFSET]

        is_symmetric = is_math_invariant = get_axis = get_scale = get_offset = lambda self: None

    class Row:
        def __init__(self, inputs, outputs):
            self.get_input_info, self.get_output_info = (lambda: inputs), (lambda: outputs)

    def __init__(self):
        kinds = qnn.Qnn_DataType_t
        activation, weight, bias = (self.Port(dtype) for dtype in (
            kinds.QNN_DATATYPE_UFIXED_POINT_8, kinds.QNN_DATATYPE_SFIXED_POINT_8, kinds.QNN_DATATYPE_SFIXED_POINT_32))
        self.convolution = [self.Row([activation, weight, bias], [activation])]
        onward = self.Port(kinds.QNN_DATATYPE_UFIXED_POINT_8, True)
        self.other = [self.Row([onward], [activation])]

    def get_all_supported_ops(self):
        return ['Conv2d', 'Relu', 'ElementWiseAdd', 'ElementWiseMultiply', 'Concat', 'StridedSlice', 'Sigmoid',
                'ElementWiseNeuron', 'ElementWiseBinary']

    def get_op_info(self, name):
        return self.convolution if name == 'Conv2d' else self.other


def quantizer():
    made = QnnQuantizer(backend=QnnExecuTorchBackendType.kHtpBackend, soc_model=QcomChipset.SM8650)
    made.set_default_quant_config(QuantDtype.use_8a8w)
    made.backend_opinfo = OpInfo()
    return made


def seconds(work, clock=time.thread_time):
    begin = clock()
    work()
    return clock() - begin


def main():
    program, out = sys.argv[1:]
    torch.manual_seed(0)
    exported = torch.export.export(Model().eval(), (torch.randn(1, 4, 4, 4),), strict=False)
    module = quantizer().transform_for_annotation(exported.module(check_guards=False))
    quantizer().annotate(module)
    print(f'{len(module.graph.nodes)} nodes', file=sys.stderr)
    quantgate.check(module, targets=[TARGET])  # starts the server
    entries = []

    def add(name, measured, against, ratio, goal):
        entries.append({'name': name, 'run_name': name, 'run_type': 'iteration', 'ratio': ratio, 'goal': goal,
                        'measured_us': 1e6 * measured, 'against_us': 1e6 * against})

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'graph.pb'
        path.write_bytes(quantgate.to_graph(module).SerializeToString())
        for _ in range(REPETITIONS):
            judge = quantizer()
            torchao = seconds(lambda: _get_edge_or_node_to_group_id(_get_edge_or_node_to_qspec(module)))
            validate = seconds(lambda: judge.validate(module))
            done = subprocess.run([program, path, TARGET, '15'], capture_output=True, text=True, check=True)
            groups, check, build = (1e-6 * float(number) for number in done.stdout.split())
            add('groups_vs_torchao_10k', groups, torchao, torchao / groups, 60)
            add('check_vs_executorch_10k', check, torchao + validate, (torchao + validate) / check, 100)
            rules = check - build
            add('rules_vs_executorch_10k', rules, torchao + validate, (torchao + validate) / rules, None)
            for node in module.graph.nodes:
                node.meta.pop('quantization_annotation', None)
            annotate = seconds(lambda: judge.annotate(module), time.perf_counter)
            call = seconds(lambda: quantgate.check(module, targets=[TARGET]), time.perf_counter)
            add('python_call_over_annotate', call, annotate, call / annotate, 0.3)
    pathlib.Path(out).write_text(json.dumps({'benchmarks': entries}), encoding='utf-8')


if __name__ == '__main__':
    main()
