"""Models of one operator, written as .tflite files."""
import dataclasses

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

NUMPY = {'FLOAT32': numpy.float32, 'FLOAT16': numpy.float16, 'INT8': numpy.int8, 'UINT8': numpy.uint8,
         'INT16': numpy.int16, 'UINT16': numpy.uint16, 'INT32': numpy.int32, 'UINT32': numpy.uint32,
         'INT64': numpy.int64, 'BOOL': numpy.bool_, 'INT4': numpy.int8, 'INT2': numpy.int8}
RANGE = {'INT2': (-2, 1), 'INT4': (-8, 7), 'INT8': (-128, 127), 'UINT8': (0, 255), 'INT16': (-32768, 32767), 'UINT16': (0, 65535),
         'INT32': (-2**31, 2**31 - 1), 'INT64': (-2**63, 2**63 - 1)}


@dataclasses.dataclass
class Tensor:
    """`scales` None: no quantization. `data` None: not a constant. Numbers of two and four bits are one per element here."""
    type: str
    shape: tuple
    scales: list = None
    zero_points: list = None
    axis: int = 0
    data: numpy.ndarray = None
    signature: tuple = None  # the shape with -1 where a size is not known
    variable: bool = False

    @property
    def quantized(self):
        return self.scales is not None

    def real(self, numbers):
        """The real numbers that stored ones stand for."""
        if not self.quantized or self.type.startswith('FLOAT'):
            return numpy.asarray(numbers, numpy.float64)
        shape = [1] * len(self.shape)
        if len(self.scales) > 1:
            shape[self.axis] = len(self.scales)
        scales = numpy.float32(self.scales).astype(numpy.float64).reshape(shape if len(self.scales) > 1 else ())
        zeros = numpy.asarray(self.zero_points, numpy.float64).reshape(shape if len(self.scales) > 1 else ())
        return (numpy.asarray(numbers, numpy.float64) - zeros) * scales


@dataclasses.dataclass
class Case:
    operator: str
    inputs: list  # Tensor, or None where an optional one is left out
    outputs: list
    options: tuple = None  # name of the table, and its fields
    version: int = 1
    note: str = ''
    intermediates: list = dataclasses.field(default_factory=list)


def packed(tensor):
    numbers = numpy.ascontiguousarray(tensor.data, NUMPY[tensor.type])
    if tensor.type == 'INT2':
        pairs = numpy.append(numbers.reshape(-1).astype(numpy.uint8) & 3, numpy.zeros(-numbers.size % 4, numpy.uint8))
        return (pairs[0::4] | pairs[1::4] << 2 | pairs[2::4] << 4 | pairs[3::4] << 6).tobytes()
    if tensor.type != 'INT4':
        return numbers.tobytes()
    nibbles = numbers.reshape(-1).astype(numpy.uint8) & 15
    nibbles = numpy.append(nibbles, numpy.zeros(nibbles.size % 2, numpy.uint8))
    return (nibbles[0::2] | nibbles[1::2] << 4).tobytes()


def write(case):
    model = schema.ModelT()
    model.version = 3
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, case.operator)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = case.version
    model.operatorCodes = [code]
    model.buffers = [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs = [], [], []

    def add(tensor, name):
        made = schema.TensorT()
        made.name = name
        made.type = getattr(schema.TensorType, tensor.type)
        made.shape = [int(size) for size in tensor.shape]
        made.shapeSignature = None if tensor.signature is None else [int(size) for size in tensor.signature]
        made.isVariable = tensor.variable
        made.hasRank = True
        made.buffer = 0
        if tensor.data is not None:
            buffer = schema.BufferT()
            buffer.data = numpy.frombuffer(packed(tensor), numpy.uint8)
            made.buffer = len(model.buffers)
            model.buffers.append(buffer)
        if tensor.quantized:
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale = [float(scale) for scale in tensor.scales]
            made.quantization.zeroPoint = [int(zero) for zero in tensor.zero_points]
            made.quantization.quantizedDimension = tensor.axis
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    operator = schema.OperatorT()
    operator.opcodeIndex = 0
    operator.inputs = []
    for position, tensor in enumerate(case.inputs):
        index = -1 if tensor is None else add(tensor, f'in{position}')
        operator.inputs.append(index)
        if tensor is not None and tensor.data is None and not tensor.variable:
            graph.inputs.append(index)
    if case.intermediates:
        operator.intermediates = [add(tensor, f'between{position}') for position, tensor in enumerate(case.intermediates)]
    operator.outputs = [add(tensor, f'out{position}') for position, tensor in enumerate(case.outputs)]
    graph.outputs = list(operator.outputs)
    if case.options is not None:
        table, fields = case.options
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, table)
        operator.builtinOptions = getattr(schema, table + 'T')()
        for name, value in fields.items():
            assert hasattr(operator.builtinOptions, name), (table, name)
            setattr(operator.builtinOptions, name, value)
    graph.operators = [operator]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b'TFL3')
    return bytes(builder.Output())
