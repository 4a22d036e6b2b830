"""Small quantized networks, written once and said in four formats: ONNX, LiteRT, exported program, live torch.fx graph.

A network is a list of layers over int8 tensors. What a format cannot say raises CannotSay with the reason.
"""
import dataclasses
from typing import Dict, List, Optional

import numpy
import torch

INT8, INT32 = 'int8', 'int32'


class CannotSay(Exception):
    """The format has no way to write this down."""


@dataclasses.dataclass
class Tensor:
    """Of `scales`, one is per tensor and several are per channel of the first axis; None: no parameters at all."""
    shape: List[int]
    scales: Optional[List[float]]
    zero_points: Optional[List[int]]
    data: Optional[numpy.ndarray] = None
    dtype: str = INT8


@dataclasses.dataclass
class Layer:
    kind: str  # linear, add, concat, softmax, relu
    inputs: List[str]
    output: str


class Network:
    def __init__(self):
        self.tensors: Dict[str, Tensor] = {}
        self.layers: List[Layer] = []
        self.inputs: List[str] = []

    def input(self, name, shape, scale=0.02, zero_point=3):
        self.tensors[name] = Tensor(shape, [scale], [zero_point])
        self.inputs.append(name)

    def layer(self, kind, inputs, output, shape, scale=0.05, zero_point=-7):
        self.tensors[output] = Tensor(shape, [scale], [zero_point])
        self.layers.append(Layer(kind, inputs, output))

    def linear(self, source, output, size):
        """With a weight per channel, and a bias at input scale x weight scale."""
        columns = self.tensors[source].shape[-1]
        weight, bias = f'{output}_w', f'{output}_b'
        scales = [0.01 * (1 + channel / size) for channel in range(size)]
        values = numpy.arange(size * columns).reshape(size, columns) % 251 - 125
        self.tensors[weight] = Tensor([size, columns], scales, [0] * size, values.astype(numpy.int8))
        product = [self.tensors[source].scales[0] * scale for scale in scales]
        self.tensors[bias] = Tensor([size], product, [0] * size, numpy.arange(1, size + 1, dtype=numpy.int32), INT32)
        self.layer('linear', [source, weight, bias], output, [self.tensors[source].shape[0], size])


def mlp():
    """linear, relu, linear, softmax"""
    net = Network()
    net.input('x', [1, 8])
    net.linear('x', 'first', 6)
    net.layer('relu', ['first'], 'relu', [1, 6])
    net.linear('relu', 'second', 4)
    net.layer('softmax', ['second'], 'softmax', [1, 4], 1 / 256, -128)
    return net


def residual():
    """two linear layers and an addition"""
    net = Network()
    net.input('x', [2, 8])
    net.linear('x', 'first', 8)
    net.linear('first', 'second', 8)
    net.layer('add', ['second', 'x'], 'sum', [2, 8])
    net.layer('softmax', ['sum'], 'softmax', [2, 8], 1 / 256, -128)
    return net


def branches():
    """two branches side by side"""
    net = Network()
    net.input('x', [1, 8])
    net.linear('x', 'first', 4)
    net.linear('x', 'second', 4)
    net.layer('concat', ['first', 'second'], 'both', [1, 8])
    net.linear('both', 'third', 4)
    net.layer('softmax', ['third'], 'softmax', [1, 4], 1 / 256, -128)
    return net


ARCHITECTURES = {'mlp': mlp, 'residual': residual, 'branches': branches}


# ---- ONNX ----

def onnx_file(net, path):
    onnx = __import__('onnx')
    from onnx import TensorProto, helper, numpy_helper
    nodes, constants = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(array, name))
        return name

    def parameters(name, tensor):
        if tensor.scales is None:
            raise CannotSay('a tensor of a QDQ model without parameters is a float tensor')
        scales, zeros = numpy.array(tensor.scales, numpy.float32), numpy.array(tensor.zero_points)
        # Numbers beyond the type cannot be stored in it.
        kind = numpy.int32 if tensor.dtype == INT32 else numpy.int8
        if (zeros < numpy.iinfo(kind).min).any() or (zeros > numpy.iinfo(kind).max).any():
            raise CannotSay('a zero point has the type of its tensor')
        one = len(tensor.scales) == 1
        return [constant(f'{name}_scale', scales[0] if one else scales),
                constant(f'{name}_zero', zeros.astype(kind)[0] if one else zeros.astype(kind))]

    def axis(tensor):
        return {} if len(tensor.scales) == 1 else {'axis': 0}

    def activation(name):
        tensor = net.tensors[name]
        both = parameters(name, tensor)
        nodes.append(helper.make_node('QuantizeLinear', [name, *both], [f'{name}_q'], f'{name}_Q', **axis(tensor)))
        nodes.append(helper.make_node('DequantizeLinear', [f'{name}_q', *both], [f'{name}_dq'], f'{name}_DQ',
                                      **axis(tensor)))

    for name in net.inputs:
        activation(name)
    for layer in net.layers:
        for name in layer.inputs:
            tensor = net.tensors[name]
            if tensor.data is not None:
                both = parameters(name, tensor)
                constant(f'{name}_q', tensor.data)
                nodes.append(helper.make_node('DequantizeLinear', [f'{name}_q', *both], [f'{name}_dq'], f'{name}_DQ',
                                              **axis(tensor)))
        kind, options = {'linear': ('Gemm', {'transB': 1}), 'add': ('Add', {}), 'concat': ('Concat', {'axis': 1}),
                         'softmax': ('Softmax', {'axis': -1}), 'relu': ('Relu', {})}[layer.kind]
        nodes.append(helper.make_node(kind, [f'{name}_dq' for name in layer.inputs], [layer.output],
                                      f'{layer.output}_node', **options))
        activation(layer.output)
    last = net.layers[-1].output
    graph = helper.make_graph(
        nodes, 'net', [helper.make_tensor_value_info(name, TensorProto.FLOAT, net.tensors[name].shape)
                       for name in net.inputs],
        [helper.make_tensor_value_info(f'{last}_dq', TensorProto.FLOAT, net.tensors[last].shape)], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 21)], ir_version=10), path)
    return path


# ---- torch.fx ----

def live(net):
    """A converted graph, as convert_pt2e leaves it."""
    importing = __import__('torch.ao.quantization.fx._decomposed')
    assert importing
    ops, aten = torch.ops.quantized_decomposed, torch.ops.aten
    root, graph, values = torch.nn.Module(), torch.fx.Graph(), {}

    def held(name, tensor):
        root.register_buffer(name, tensor)
        return graph.get_attr(name)

    def node(target, *arguments):
        return graph.call_function(target, arguments)

    def arguments(tensor):
        if tensor.scales is None:
            raise CannotSay('a tensor that is quantized has its parameters as arguments')
        kind = torch.int32 if tensor.dtype == INT32 else torch.int8
        limits = torch.iinfo(kind)
        return kind, limits.min, limits.max

    def activation(name, value):
        tensor = net.tensors[name]
        kind, low, high = arguments(tensor)
        numbers = (float(tensor.scales[0]), int(tensor.zero_points[0]), low, high, kind)
        return node(ops.dequantize_per_tensor.default, node(ops.quantize_per_tensor.default, value, *numbers), *numbers)

    def stored(name):
        tensor = net.tensors[name]
        kind, low, high = arguments(tensor)
        data = held(f'{name}_data', torch.from_numpy(tensor.data))
        scales = held(f'{name}_scales', torch.tensor(tensor.scales, dtype=torch.float32))
        zeros = held(f'{name}_zeros', torch.tensor(tensor.zero_points, dtype=torch.int64))
        return node(ops.dequantize_per_channel.default, data, scales, zeros, 0, low, high, kind)

    for name in net.inputs:
        values[name] = activation(name, graph.placeholder(name))
    for layer in net.layers:
        inputs = [values[name] if net.tensors[name].data is None else stored(name) for name in layer.inputs]
        made = {'linear': lambda: node(aten.linear.default, *inputs), 'add': lambda: node(aten.add.Tensor, *inputs),
                'concat': lambda: node(aten.cat.default, inputs, 1), 'relu': lambda: node(aten.relu.default, *inputs),
                'softmax': lambda: node(aten.softmax.int, *inputs, -1)}[layer.kind]()
        values[layer.output] = activation(layer.output, made)
    graph.output((values[net.layers[-1].output],))
    return torch.fx.GraphModule(root, graph)


def examples(net):
    return tuple(torch.zeros(net.tensors[name].shape) for name in net.inputs)


def pt2_file(net, path):
    try:
        torch.export.save(torch.export.export(live(net), examples(net)), path)
    except (RuntimeError, ValueError, AssertionError) as error:
        raise CannotSay(f'PyTorch exports no such program: {error}') from None
    return path


# ---- LiteRT ----

def tflite_file(net, path):
    flatbuffers = __import__('flatbuffers')
    from ai_edge_litert import schema_py_generated as schema
    buffers, tensors, numbers, codes, operators = [schema.BufferT()], [], {}, [], []

    def index(name):
        if name not in numbers:
            given = net.tensors[name]
            tensor, quantization = schema.TensorT(), schema.QuantizationParametersT()
            tensor.name, tensor.shape = name.encode(), given.shape
            tensor.type = schema.TensorType.INT32 if given.dtype == INT32 else schema.TensorType.INT8
            tensor.buffer = 0
            if given.data is not None:
                buffer = schema.BufferT()
                buffer.data = list(given.data.tobytes())
                buffers.append(buffer)
                tensor.buffer = len(buffers) - 1
            if given.scales is not None:
                quantization.scale, quantization.zeroPoint = given.scales, given.zero_points
                quantization.quantizedDimension = 0
                tensor.quantization = quantization
            tensors.append(tensor)
            numbers[name] = len(tensors) - 1
        return numbers[name]

    for name in net.inputs:
        index(name)
    for layer in net.layers:
        builtin, options, fields = {
            'linear': ('FULLY_CONNECTED', 'FullyConnectedOptions', {}), 'add': ('ADD', 'AddOptions', {}),
            'concat': ('CONCATENATION', 'ConcatenationOptions', {'axis': 1}), 'relu': ('RELU', None, {}),
            'softmax': ('SOFTMAX', 'SoftmaxOptions', {'beta': 1.0})}[layer.kind]
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, builtin)
        codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = len(codes) - 1
        operator.inputs, operator.outputs = [index(name) for name in layer.inputs], [index(layer.output)]
        if options:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(schema, options + 'T')()
            for field, value in fields.items():
                setattr(operator.builtinOptions, field, value)
        operators.append(operator)
    graph, model = schema.SubGraphT(), schema.ModelT()
    graph.tensors, graph.operators = tensors, operators
    graph.inputs, graph.outputs = [index(name) for name in net.inputs], [index(net.layers[-1].output)]
    model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], buffers, codes
    model.description = b'test'
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b'TFL3')
    path.write_bytes(bytes(builder.Output()))
    return path
