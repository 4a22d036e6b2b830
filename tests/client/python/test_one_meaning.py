"""One network with one fault gives the same findings, by code and layer, through ONNX, LiteRT, an exported program and a
live torch.fx graph. Where a format cannot say a fault, or where its own rules ask for more, DIFFERENCES says so."""
import subprocess

import networks
import pytest
import quantgate
from google.protobuf import json_format
from quantgate import executable
from quantgate.v1 import graph_pb2, report_pb2

pytest.importorskip('onnx')
pytest.importorskip('ai_edge_litert.schema_py_generated')

FORMATS = ['onnx', 'tflite', 'pt2', 'live']
MOVERS = ('Quantize', 'Dequantize', 'quantize_', 'dequantize_')

# ---- Faults: what is done to a network, and the finding that every format must give at a layer. ----

def bias_scale(net):
    net.tensors['second_b'].scales = [2 * scale for scale in net.tensors['second_b'].scales]

def bias_saturated(net):
    net.tensors['first_b'].data[1] = 2147483647

def zero_scale(net):
    net.tensors['second_w'].scales[2] = 0.0

def not_a_number(net):
    net.tensors['first_w'].scales[0] = float('nan')

def infinite_scale(net):
    net.tensors['second'].scales = [float('inf')]

def scale_count(net):
    net.tensors['second_w'].scales.pop()
    net.tensors['second_w'].zero_points.pop()

def softmax_range(net):
    net.tensors['softmax'].scales = [1 / 1024]

def zero_point(net):
    net.tensors['first'].zero_points = [300]

def no_parameters(net):
    net.tensors['first'].scales = net.tensors['first'].zero_points = None

def asymmetric_weight(net):
    net.tensors['first_w'].zero_points = [5] * len(net.tensors['first_w'].zero_points)

FAULTS = {bias_scale: ('FX001', 'second'), bias_saturated: ('FX003', 'first'), zero_scale: ('NR001', 'second'),
          not_a_number: ('NR001', 'first'), infinite_scale: ('NR001', 'second'), scale_count: ('AX001', 'second'),
          softmax_range: ('FX007', 'softmax'), zero_point: ('NR002', 'first'), no_parameters: ('FI009', 'first'),
          asymmetric_weight: ('QS002', 'first')}

# Fault and format: what it says instead, and why.
DIFFERENCES = {
    (bias_scale, 'pt2'): (None, 'PyTorch computes with the dequantized bias, whatever its scale is'),
    (bias_scale, 'live'): (None, 'PyTorch computes with the dequantized bias, whatever its scale is'),
    (softmax_range, 'onnx'): (None, 'only LiteRT prescribes them: elsewhere a calibrated range may be what was seen'),
    (softmax_range, 'pt2'): (None, 'only LiteRT prescribes them: elsewhere a calibrated range may be what was seen'),
    (softmax_range, 'live'): (None, 'only LiteRT prescribes them: elsewhere a calibrated range may be what was seen'),
    (zero_point, 'onnx'): (None, 'the zero point is stored in the type of its tensor, where 300 cannot be'),
    (no_parameters, 'onnx'): (None, 'without QuantizeLinear and DequantizeLinear the tensor is a float tensor'),
    (no_parameters, 'pt2'): (None, 'the parameters are arguments of the operator that quantizes'),
    (no_parameters, 'live'): (None, 'the parameters are arguments of the operator that quantizes'),
    (asymmetric_weight, 'onnx'): (None, 'only the specification of LiteRT asks for symmetric weights; ONNX is any backend\'s'),
    (asymmetric_weight, 'pt2'): (None, 'only the specification of LiteRT asks for symmetric weights'),
    (asymmetric_weight, 'live'): (None, 'only the specification of LiteRT asks for symmetric weights'),
}

# ---- The same question in each format. ----

def written(net, form, folder):
    """What quantgate.check takes, and the graph that it sees."""
    if form == 'live':
        module = networks.live(net)
        return module, quantgate.to_graph(module, networks.examples(net))
    path = getattr(networks, f'{form}_file')(net, folder / f'net.{form}')
    graph = folder / f'{form}.json'
    subprocess.run([executable.find(), 'import', str(path), '-o', str(graph), '--quiet'], check=True)
    return str(path), json_format.Parse(graph.read_text(), graph_pb2.Graph())

class Layers:
    """Which layer of the network a node or a tensor of a graph belongs to: Quantize, Dequantize and constants belong to
    the operator that computes with them."""

    def __init__(self, graph, net):
        self.graph = graph
        self.ops = [graph.symbols[node.op - 1] for node in graph.nodes]
        self.computing = [i for i, op in enumerate(self.ops) if not any(mover in op for mover in MOVERS)]
        self.names = [layer.output for layer in net.layers]
        assert len(self.computing) == len(self.names), self.ops

    def of_node(self, index):
        if index in self.computing:
            return self.names[self.computing.index(index)]
        node = self.graph.nodes[index]
        source = node.inputs[0]
        before = self.producer(source)
        constant = self.graph.values[source - 1].HasField('constant')
        if before is not None and not constant:
            return self.of_node(before)
        after = self.consumer(node.outputs[0])
        return None if after is None else self.of_node(after)

    def of_value(self, name):
        number = next(i for i, value in enumerate(self.graph.values, 1) if value.name == name)
        before = self.producer(number)
        found = before if before is not None else self.consumer(number)
        return None if found is None else self.of_node(found)

    def producer(self, value):
        return next((i for i, node in enumerate(self.graph.nodes) if value in node.outputs), None)

    def consumer(self, value):
        return next((i for i, node in enumerate(self.graph.nodes) if value in node.inputs), None)

    def of(self, location):
        for index, node in enumerate(self.graph.nodes):
            if location.node and location.node in (node.name, f'#{index}'):
                return self.of_node(index)
        return self.of_value(location.value) if location.value else None

def errors(net, form, folder):
    """{(code, layer)} of errors and warnings."""
    model, graph = written(net, form, folder)
    layers = Layers(graph, net)
    example_inputs = networks.examples(net) if form == 'live' else None
    report = quantgate.check(model, targets=[], example_inputs=example_inputs)
    return {(finding.code, layers.of(finding.location)) for finding in report.findings()
            if finding.severity in (report_pb2.Finding.ERROR, report_pb2.Finding.WARNING)}

@pytest.mark.parametrize('architecture', networks.ARCHITECTURES)
def test_a_sound_network_is_sound_in_every_format(architecture, tmp_path):
    for form in FORMATS:
        found = errors(networks.ARCHITECTURES[architecture](), form, tmp_path)
        if form == 'tflite':
            # LiteRT's kernel copies the elements of its inputs; others requantize them.
            found.discard(('SH007', 'both'))
        assert not {code for code, _ in found} - {'SH004'}, (form, found)

@pytest.mark.parametrize('fault', FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize('architecture', networks.ARCHITECTURES)
def test_a_fault_is_the_same_finding_at_the_same_layer(architecture, fault, tmp_path):
    code, layer = FAULTS[fault]
    answers = {}
    for form in FORMATS:
        expected, reason = DIFFERENCES.get((fault, form), (code, ''))
        net = networks.ARCHITECTURES[architecture]()
        sound = errors(net, form, tmp_path)
        net = networks.ARCHITECTURES[architecture]()
        fault(net)
        try:
            found = errors(net, form, tmp_path) - sound
        except networks.CannotSay:
            assert expected is None and reason, (form, 'cannot say it')
            continue
        answers[form] = found
        if expected is None:
            assert reason and code not in {one for one, _ in found}, (form, found)
        else:
            assert (expected, layer) in found, (form, found)
    # The two forms of one PyTorch graph have no differences at all.
    if {'pt2', 'live'} <= answers.keys():
        assert answers['pt2'] == answers['live']
