"""Writes what LiteRT's three kinds of kernels compute for operators of quantized integers whose parameters they do not
read as everybody else does, and for some that they do: litert_integer_graphs.py"""
import pathlib
import sys

import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

import graph_record

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'litert'))
from model import Case, NUMPY, RANGE, Tensor, write  # noqa: E402

KINDS = {'litert/reference': litert.OpResolverType.BUILTIN_REF,
         'litert/optimized': litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
         'litert/xnnpack': litert.OpResolverType.AUTO}
RECORDS = []


def run(kind, model, feeds):
    """None: this kind refuses it."""
    try:
        interpreter = litert.Interpreter(model_content=model, experimental_op_resolver_type=kind, num_threads=1)
        interpreter.allocate_tensors()
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(detail['index'], feeds[detail['name']])
        interpreter.invoke()
        return [interpreter.get_tensor(detail['index']) for detail in interpreter.get_output_details()]
    except (RuntimeError, ValueError):
        return None


def integers(type, *shape, seed=19):
    low, high = RANGE[type]
    return np.random.default_rng(seed).integers(low, high + 1, shape).astype(NUMPY[type])


def quantized(type, shape, scale, zero=5):
    return Tensor(type, shape, [scale], [0 if type == 'INT16' else zero])


def own(numbers):
    return Tensor('INT32', np.shape(numbers), data=np.int32(numbers))


def record(name, profile, case, fed):
    """False: this kind refuses it."""
    results = run(KINDS[profile], write(case), fed)
    if results is None:
        return False
    for tensor, result in zip(case.outputs, results):
        tensor.shape = result.shape  # as a converter writes it
    identity = '_'.join([case.operator, name, case.inputs[0].type, profile.split('/')[1]])
    outputs = {f'out{i}': array for i, array in enumerate(results)}
    RECORDS.append(graph_record.record(identity, profile, write(case), fed, outputs, relative=0))
    return True


def case(name, operator, inputs, outputs, options=None, feeds=None, **fields):
    """`inputs`: what has no data is fed. Of those kinds of kernels that take it; whether any does."""
    fed = {}
    for position, tensor in enumerate(inputs):
        if tensor is not None and tensor.data is None:
            made = integers(tensor.type, *tensor.shape, seed=position)
            fed[f'in{position}'] = made if feeds is None else np.array(feeds[position], made.dtype)
    for version in (1, 2, 3, 4, 5, 6, 9, 11):
        made = Case(operator, inputs, outputs, (options, fields) if options else None, version)
        if sum(record(name, profile, made, fed) for profile in KINDS):
            return True
    return False


MOVED = [
    ('RESHAPE', [[2, 48]], 'ReshapeOptions', {'newShape': [2, 48]}),
    ('SQUEEZE', [], 'SqueezeOptions', {'squeezeDims': [0]}),
    ('EXPAND_DIMS', [1], 'ExpandDimsOptions', {}),
    ('TRANSPOSE', [[0, 2, 1, 3]], 'TransposeOptions', {}),
    ('SLICE', [[0, 1, 0, 0], [1, 2, 3, 4]], 'SliceOptions', {}),
    ('STRIDED_SLICE', [[0, 0, 0, 0], [1, 4, 6, 4], [1, 2, 1, 1]], 'StridedSliceOptions', {}),
    ('GATHER', [[2, 0, 1]], 'GatherOptions', {'axis': 1}),
    ('GATHER_ND', [[[0, 1], [0, 3]]], 'GatherNdOptions', {}),
    ('PAD', [[[0, 0], [1, 0], [0, 2], [0, 0]]], 'PadOptions', {}),
    ('TILE', [[1, 2, 1, 1]], 'TileOptions', {}),
    ('BROADCAST_TO', [[2, 4, 6, 4]], 'BroadcastToOptions', {}),
    ('REVERSE_V2', [[1]], 'ReverseV2Options', {}),
    ('SPACE_TO_DEPTH', [], 'SpaceToDepthOptions', {'blockSize': 2}),
    ('DEPTH_TO_SPACE', [], 'DepthToSpaceOptions', {'blockSize': 2}),
    ('MAX_POOL_2D', [], 'Pool2DOptions', {'padding': 1, 'strideH': 1, 'strideW': 1, 'filterHeight': 2, 'filterWidth': 2,
                                          'fusedActivationFunction': 1}),
    ('AVERAGE_POOL_2D', [], 'Pool2DOptions', {'padding': 0, 'strideH': 2, 'strideW': 2, 'filterHeight': 3,
                                              'filterWidth': 3}),
    ('REDUCE_MAX', [[1, 2]], 'ReducerOptions', {'keepDims': True}),
    ('REDUCE_MIN', [[1, 2]], 'ReducerOptions', {'keepDims': False}),
    ('RESIZE_NEAREST_NEIGHBOR', [[5, 3]], 'ResizeNearestNeighborOptions', {}),
    ('RESIZE_BILINEAR', [[5, 3]], 'ResizeBilinearOptions', {}),
]


def moved():
    """Outputs with parameters of their own, and with the input's."""
    for type in ('INT8', 'UINT8', 'INT16'):
        for operator, arguments, options, fields in MOVED:
            for name, scale, zero in (('other', 0.05, -3 if type == 'INT8' else 9), ('same', 0.02, 5)):
                taken = case(name, operator, [quantized(type, (1, 4, 6, 4), 0.02), *map(own, arguments)],
                             [quantized(type, (1,), scale, zero)], options, **fields)
                assert taken or name == 'other' or type == 'INT16', (operator, type)
        other = dict(scale=0.05, zero=9)
        case('parts', 'SPLIT', [own(1), quantized(type, (2, 6), 0.02)],
             [quantized(type, (2, 3), 0.02), quantized(type, (2, 3), **other)], 'SplitOptions', numSplits=2)
        case('parts', 'SPLIT_V', [quantized(type, (2, 6), 0.02), own([2, 4]), own(1)],
             [quantized(type, (2, 2), 0.01), quantized(type, (2, 4), **other)], 'SplitVOptions', numSplits=2)
        case('', 'TOPK_V2', [quantized(type, (2, 6), 0.02), own(2)], [quantized(type, (2, 2), **other),
                                                                     Tensor('INT32', (2, 2))], 'TopKV2Options')
        for operator in ('MAXIMUM', 'MINIMUM'):
            case('other', operator, [quantized(type, (2, 6), 0.02), quantized(type, (2, 6), 0.03, 40)],
                 [quantized(type, (2, 6), **other)], 'MaximumMinimumOptions')
        condition = Tensor('BOOL', (2, 6), data=integers('UINT8', 2, 6) > 99)
        case('other', 'SELECT_V2', [condition, quantized(type, (2, 6), 0.02), quantized(type, (2, 6), 0.02)],
             [quantized(type, (2, 6), **other)], 'SelectV2Options')
        table = quantized(type, (5, 4), 0.02)
        table.data = integers(type, 5, 4)
        case('other', 'EMBEDDING_LOOKUP', [own([3, 0]), table], [quantized(type, (2, 4), **other)])
    parts = [quantized('UINT8', (2, 3), 0.02), quantized('UINT8', (2, 2), 0.03)]
    case('rescales', 'CONCATENATION', parts, [quantized('UINT8', (2, 5), 0.05, 9)], 'ConcatenationOptions', axis=1)


def plain():
    """Computed on integers as if they had no parameters."""
    for type, to in (('INT8', 'INT8'), ('UINT8', 'INT16'), ('INT16', 'INT8'), ('INT8', 'UINT8')):
        case(to, 'CAST', [quantized(type, (3, 7), 0.02)], [quantized(to, (3, 7), 0.3, 9)])
    case('FLOAT32', 'CAST', [quantized('INT8', (3, 7), 0.02)], [Tensor('FLOAT32', (3, 7))])
    for type in ('INT8', 'INT16'):
        a, b = integers(type, 3, 7, seed=1), integers(type, 3, 7, seed=2)
        b[b == 0] = 3
        for operator, options in (('FLOOR_DIV', 'FloorDivOptions'), ('FLOOR_MOD', 'FloorModOptions')):
            case('', operator, [quantized(type, (3, 7), 0.02), quantized(type, (3, 7), 0.03)],
                 [quantized(type, (3, 7), 0.05, 9)], options, feeds=[a, b])


def compared():
    """Rescaled to 256ths of one; the order of int16 is that of its integers."""
    for operator in ('EQUAL', 'NOT_EQUAL', 'LESS', 'LESS_EQUAL', 'GREATER', 'GREATER_EQUAL'):
        options = {'EQUAL': 'EqualOptions', 'NOT_EQUAL': 'NotEqualOptions', 'LESS': 'LessOptions',
                   'LESS_EQUAL': 'LessEqualOptions', 'GREATER': 'GreaterOptions',
                   'GREATER_EQUAL': 'GreaterEqualOptions'}[operator]
        for type in ('INT8', 'UINT8', 'INT16'):
            for name, scale in (('close', 0.0003), ('wide', 0.3)):
                case(name, operator, [quantized(type, (40, 9), scale), quantized(type, (9,), scale * 1.5, 8)],
                     [Tensor('BOOL', (40, 9))], options)


def single():
    for zero in (-128, 3):
        case(f'from_{zero}', 'RSQRT', [quantized('INT8', (128 - zero,), 0.05, zero)],
             [quantized('INT8', (128 - zero,), 0.04, -20)], feeds=[np.arange(zero, 128)])
    for type in ('INT8', 'UINT8', 'INT16'):
        case('', 'PRELU', [quantized(type, (2, 3, 3, 4), 0.02), quantized(type, (1, 1, 4), 0.01)],
             [quantized(type, (2, 3, 3, 4), 0.03, 60)])
    for type in ('INT8', 'UINT8'):
        for size in (1, 7, 8, 9, 31):
            case(f'{size}', 'DEQUANTIZE', [quantized(type, (size,), 0.1302, 77)], [Tensor('FLOAT32', (size,))])
        for zero in (20, 0):
            case(f'zero_{zero}', 'SOFTMAX', [quantized(type, (5, 9), 0.06)], [quantized(type, (5, 9), 0.003, zero)],
                 'SoftmaxOptions', beta=1.0)


def sums():
    """Of int16, in 32 bits or 64: as the operator states, or, where an optimized fully connected layer has no bias."""
    types = schema.TensorType
    x, scales = quantized('INT16', (2, 1, 3, 640), 2.0**-15), [2.0**-7, 2.0**-6, 0.011]
    fields = {'padding': 1, 'strideH': 1, 'strideW': 1}
    for name, stated, bias in (('unsaid', types.FLOAT32, None), ('unsaid_64', types.FLOAT32, 'INT64'),
                               ('32', types.INT32, 'INT32'), ('32_without', types.INT32, None),
                               ('64', types.INT64, 'INT64'), ('64_without', types.INT64, None)):
        biases = [] if bias is None else [Tensor(bias, (3,), [s * 2.0**-15 for s in scales], [0] * 3,
                                                 data=np.array([4000, -9000, 77], NUMPY[bias]))]
        for many, output in (('few', 2.0**-11), ('many', 2.0**-9)):
            # Numbers of one sign leave 32 bits, of both they do not.
            low = -120 if many == 'few' else 90
            weight = np.random.default_rng(3).integers(low, 121, (3, 1, 1, 640)).astype(np.int8)
            rows = np.abs(integers('INT16', 2, 1, 3, 640).astype(np.int32)).clip(0, 32767).astype(np.int16)

            def sum_of(operator, made, result, options, **fields):
                y = quantized('INT16', result, output)
                fed = [rows.reshape(t.shape) if t is not None and t.data is None else None for t in made]
                case(f'{name}_{many}', operator, made, [y], options, fed, quantizedBiasType=stated, **fields)

            kernel = Tensor('INT8', (3, 1, 1, 640), scales, [0] * 3, data=weight)
            if biases:
                sum_of('CONV_2D', [x, kernel, *biases], (2, 1, 3, 3), 'Conv2DOptions', dilationHFactor=1,
                       dilationWFactor=1, **fields)
            sum_of('TRANSPOSE_CONV', [own([2, 1, 3, 3]), kernel, x, *biases], (2, 1, 3, 3), 'TransposeConvOptions',
                   **fields)
            flat = Tensor('INT8', (3, 640), scales, [0] * 3, data=weight.reshape(3, 640))
            sum_of('FULLY_CONNECTED', [quantized('INT16', (6, 640), 2.0**-15), flat, *(biases or [None])], (6, 3),
                   'FullyConnectedOptions')


if __name__ == '__main__':
    for family in (moved, plain, compared, single, sums):
        family()
    graph_record.write('litert_integers', RECORDS)
