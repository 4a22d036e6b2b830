"""Writes what LiteRT's reference kernels compute for graphs of one operator: litert_graphs.py"""
import functools
import pathlib
import sys

import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

import graph_record
from graph_record import Feed, positive, reals

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'litert'))
from model import Case, Tensor, write  # noqa: E402

NAMES = {'float32': 'FLOAT32', 'int32': 'INT32', 'int64': 'INT64', 'bool': 'BOOL', 'int8': 'INT8', 'uint8': 'UINT8',
         'int16': 'INT16', 'uint32': 'UINT32'}
SAME, VALID = schema.Padding.SAME, schema.Padding.VALID
ACTIVATIONS = {name: getattr(schema.ActivationFunctionType, name) for name in ('NONE', 'RELU', 'RELU_N1_TO_1', 'RELU6')}
RECORDS = []
integers = functools.partial(graph_record.integers, dtype=np.int32)


def load(model):
    """With reference kernels; a few operators have none, and there is no other choice for them."""
    kinds = litert.OpResolverType
    for kind in (kinds.BUILTIN_REF, kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            return litert.Interpreter(model_content=model, experimental_op_resolver_type=kind, num_threads=1)
        except ValueError as error:
            refused = error
    raise refused


def case(name, operator, inputs, output='FLOAT32', options=None, outputs=1, version=1, relative=2e-6, shape=(1,), **fields):
    """`options`: the name of the operator's table, where it has one; `output`: the element type of its results."""
    tensors, feeds = [], {}
    for position, given in enumerate(inputs):
        if given is None:
            tensors.append(None)
            continue
        array = np.asarray(given.array if isinstance(given, Feed) else given)
        tensors.append(Tensor(NAMES[str(array.dtype)], array.shape))
        if isinstance(given, Feed):
            feeds[f'in{position}'] = array
        else:
            tensors[-1].data = array
    kinds = [output] * outputs if isinstance(output, str) else output
    # LiteRT says what the sizes of the results are.
    for shapes in ([shape] * len(kinds), None):
        if shapes is None:
            shapes = [array.shape for array in results]
        made = write(Case(operator, tensors, [Tensor(kind, shape) for kind, shape in zip(kinds, shapes)],
                          (options, fields) if options else None, version))
        interpreter = load(made)
        interpreter.allocate_tensors()
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(detail['index'], feeds[detail['name']])
        interpreter.invoke()
        results = [interpreter.get_tensor(detail['index']) for detail in interpreter.get_output_details()]
    RECORDS.append(graph_record.record('_'.join([operator, name]) if name else operator, 'litert/reference', made, feeds,
                                       {f'out{i}': array for i, array in enumerate(results)}, 0, relative))


def element_wise():
    x, y = reals(2, 3, 4), reals(2, 3, 4, seed=5)
    for op in ('ABS', 'CEIL', 'COS', 'ELU', 'EXP', 'FLOOR', 'LOGISTIC', 'NEG', 'RELU', 'RELU6', 'RELU_N1_TO_1', 'ROUND', 'SIN',
               'SQUARE', 'TANH', 'HARD_SWISH', 'SIGN'):
        case('', op, [Feed(x * (4 if op.startswith('R') else 1))])
    for op in ('LOG', 'SQRT', 'RSQRT'):
        case('', op, [Feed(positive(2, 3, 4))])
    case('', 'LEAKY_RELU', [Feed(x)], options='LeakyReluOptions', alpha=0.3)
    for approximate in (False, True):
        case(f'{approximate}', 'GELU', [Feed(x)], options='GeluOptions', approximate=approximate, relative=2e-5)
    case('', 'PRELU', [Feed(x), reals(1, 1, 4, seed=2)])
    for op, table in (('ADD', 'AddOptions'), ('SUB', 'SubOptions'), ('MUL', 'MulOptions'), ('DIV', 'DivOptions')):
        for name, activation in ACTIVATIONS.items():
            case(name.lower(), op, [Feed(x), Feed(y)], options=table, fusedActivationFunction=activation)
        case('row', op, [Feed(x), reals(4, seed=7)], options=table)
        case('integers', op, [Feed(integers(2, 5)), Feed(integers(2, 5, low=1))], 'INT32', options=table)
    for op in ('MAXIMUM', 'MINIMUM', 'SQUARED_DIFFERENCE', 'FLOOR_DIV', 'FLOOR_MOD', 'ATAN2'):
        case('', op, [Feed(x), Feed(y)], relative=1e-5)
    for op in ('MAXIMUM', 'FLOOR_DIV', 'FLOOR_MOD', 'SQUARED_DIFFERENCE'):
        case('integers', op, [Feed(integers(2, 5)), Feed(integers(2, 5, low=1, high=4))], 'INT32')
    case('', 'POW', [Feed(positive(2, 3, 4)), Feed(y)], relative=1e-5)
    case('', 'ADD_N', [Feed(x), Feed(y), Feed(x)])
    for op in ('EQUAL', 'NOT_EQUAL', 'LESS', 'LESS_EQUAL', 'GREATER', 'GREATER_EQUAL'):
        case('', op, [Feed(x), Feed(y)], 'BOOL')
        case('integers', op, [Feed(integers(2, 5)), np.int32([3])], 'BOOL')
    for op in ('LOGICAL_AND', 'LOGICAL_OR'):
        case('', op, [Feed(x > 0), Feed(y > 0)], 'BOOL')
    case('', 'LOGICAL_NOT', [Feed(x > 0)], 'BOOL')
    case('', 'SELECT', [Feed(x > 0), Feed(x), Feed(y)])
    case('', 'SELECT_V2', [Feed(x[:, :1] > 0), Feed(x), Feed(y[:1])])
    case('', 'BITWISE_XOR', [Feed(integers(2, 5)), Feed(integers(2, 5, low=1))], 'INT32')
    for output in ('INT32', 'INT64', 'BOOL', 'INT8', 'UINT8', 'INT16'):
        given = np.abs(x * 9) if output == 'UINT8' else x * 9
        case(f'to_{output.lower()}', 'CAST', [Feed(given)], output)
    case('from_bool', 'CAST', [Feed(x > 0)])
    case('', 'ZEROS_LIKE', [Feed(x)])


def products():
    x, w = reals(3, 4), reals(5, 4, seed=3)
    for name, activation in ACTIVATIONS.items():
        case(name.lower(), 'FULLY_CONNECTED', [Feed(x), w, reals(5, seed=4)], options='FullyConnectedOptions',
             fusedActivationFunction=activation, relative=1e-5)
    case('no_bias', 'FULLY_CONNECTED', [Feed(x), w, None], options='FullyConnectedOptions', relative=1e-5)
    case('flattens', 'FULLY_CONNECTED', [Feed(reals(2, 3, 4)), w, None], options='FullyConnectedOptions', relative=1e-5)
    case('keeps', 'FULLY_CONNECTED', [Feed(reals(2, 3, 4)), w, None], options='FullyConnectedOptions', keepNumDims=True,
         relative=1e-5, version=5)
    case('folds', 'FULLY_CONNECTED', [Feed(reals(2, 2, 2)), w, None], options='FullyConnectedOptions', relative=1e-5)
    for a in (False, True):
        for b in (False, True):
            left, right = (2, 4, 3) if a else (2, 3, 4), (2, 5, 4) if b else (2, 4, 5)
            case(f'{int(a)}{int(b)}', 'BATCH_MATMUL', [Feed(reals(*left)), Feed(reals(*right, seed=3))],
                 options='BatchMatMulOptions', adjX=a, adjY=b, relative=1e-5)


def windows():
    x = reals(1, 7, 6, 4)
    w, bias = reals(5, 3, 3, 4, seed=3), reals(5, seed=4)
    for name, padding in (('same', SAME), ('valid', VALID)):
        case(name, 'CONV_2D', [Feed(x), w, bias], options='Conv2DOptions', padding=padding, strideH=2, strideW=1,
             dilationHFactor=1, dilationWFactor=1, relative=1e-5)
        case(name, 'DEPTHWISE_CONV_2D', [Feed(x), reals(1, 3, 2, 8, seed=5), reals(8, seed=6)], options='DepthwiseConv2DOptions',
             padding=padding, strideH=2, strideW=2, depthMultiplier=2, dilationHFactor=1, dilationWFactor=1, relative=1e-5)
        sizes = (14, 12) if padding == SAME else (15, 13)
        case(name, 'TRANSPOSE_CONV', [np.int32([1, *sizes, 5]), w, Feed(x)], options='TransposeConvOptions', padding=padding,
             strideH=2, strideW=2, relative=1e-5)
        for op in ('MAX_POOL_2D', 'AVERAGE_POOL_2D', 'L2_POOL_2D'):
            case(name, op, [Feed(x)], options='Pool2DOptions', padding=padding, strideH=2, strideW=1, filterHeight=3,
                 filterWidth=2, relative=1e-5)
    case('relu', 'MAX_POOL_2D', [Feed(x - 1)], options='Pool2DOptions', padding=VALID, strideH=2, strideW=2, filterHeight=2,
         filterWidth=2, fusedActivationFunction=ACTIVATIONS['RELU'])
    case('dilated', 'CONV_2D', [Feed(x), w, bias], options='Conv2DOptions', padding=SAME, strideH=1, strideW=1,
         dilationHFactor=2, dilationWFactor=3, fusedActivationFunction=ACTIVATIONS['RELU6'], relative=1e-5)
    case('group', 'CONV_2D', [Feed(x), reals(6, 3, 3, 2, seed=3), reals(6, seed=4)], options='Conv2DOptions', padding=VALID,
         strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1, relative=1e-5)
    case('bias', 'TRANSPOSE_CONV', [np.int32([1, 15, 13, 5]), w, Feed(x), bias], options='TransposeConvOptions', padding=VALID,
         strideH=2, strideW=2, version=3, relative=1e-5)
    for op, table in (('RESIZE_BILINEAR', 'ResizeBilinearOptions'), ('RESIZE_NEAREST_NEIGHBOR', 'ResizeNearestNeighborOptions')):
        for corners, centers in ((False, False), (True, False), (False, True)):
            for sizes in ((4, 9), (14, 3)):
                case(f'{int(corners)}{int(centers)}_{sizes[0]}', op, [Feed(x), np.int32(sizes)], options=table, version=3,
                     alignCorners=corners, halfPixelCenters=centers, relative=1e-5)
    case('', 'DEPTH_TO_SPACE', [Feed(reals(1, 2, 3, 8))], options='DepthToSpaceOptions', blockSize=2)
    case('', 'SPACE_TO_DEPTH', [Feed(reals(1, 4, 6, 2))], options='SpaceToDepthOptions', blockSize=2)


def reductions():
    x = reals(2, 3, 4)
    for op in ('MEAN', 'SUM', 'REDUCE_PROD', 'REDUCE_MAX', 'REDUCE_MIN'):
        for keeps in (False, True):
            case(f'{int(keeps)}', op, [Feed(x), np.int32([-1, 0])], options='ReducerOptions', keepDims=keeps)
        case('integers', op, [Feed(integers(2, 3, 4)), np.int32([1])], 'INT32', options='ReducerOptions')
    case('none', 'SUM', [Feed(x), np.int32([])], options='ReducerOptions')
    case('', 'REDUCE_ANY', [Feed(x > 1), np.int32([1])], 'BOOL', options='ReducerOptions')
    for op, table in (('ARG_MAX', 'ArgMaxOptions'), ('ARG_MIN', 'ArgMinOptions')):
        for kind in ('INT32', 'INT64'):
            case(kind.lower(), op, [Feed(x), np.int32([1])], kind, options=table, outputType=getattr(schema.TensorType, kind))
    case('', 'TOPK_V2', [Feed(x), np.int32([2])], ['FLOAT32', 'INT32'], options='TopKV2Options')
    for exclusive in (False, True):
        for reverse in (False, True):
            case(f'{int(exclusive)}{int(reverse)}', 'CUMSUM', [Feed(x), np.int32([1])], options='CumsumOptions', exclusive=exclusive,
                 reverse=reverse)
    for beta in (1.0, 0.5):
        case(f'{beta}', 'SOFTMAX', [Feed(x)], options='SoftmaxOptions', beta=beta)
    case('', 'LOG_SOFTMAX', [Feed(x)], options='LogSoftmaxOptions')
    case('', 'L2_NORMALIZATION', [Feed(x)], options='L2NormOptions')


def movements():
    x = reals(2, 3, 4)
    case('', 'RESHAPE', [Feed(x), np.int32([4, -1])], options='ReshapeOptions', newShape=[4, -1])
    case('option', 'RESHAPE', [Feed(x)], options='ReshapeOptions', newShape=[-1, 6])
    case('', 'SQUEEZE', [Feed(x[:1, :1])], options='SqueezeOptions', squeezeDims=[])
    case('axes', 'SQUEEZE', [Feed(x[:1, :1])], options='SqueezeOptions', squeezeDims=[-2])
    for axis in (0, -1):
        case(f'{axis}', 'EXPAND_DIMS', [Feed(x), np.int32([axis])], options='ExpandDimsOptions')
    case('', 'TRANSPOSE', [Feed(x), np.int32([1, 2, 0])], options='TransposeOptions')
    case('', 'TILE', [Feed(x), np.int32([2, 1, 3])], options='TileOptions')
    case('', 'BROADCAST_TO', [Feed(x[:, :1]), np.int32([2, 3, 4])], options='BroadcastToOptions', version=2)
    case('', 'REVERSE_V2', [Feed(x), np.int32([1])], options='ReverseV2Options')
    case('', 'SLICE', [Feed(x), np.int32([0, 1, 1]), np.int32([2, -1, 2])], options='SliceOptions', shape=(2, 2, 2))
    for name, begin, end, step, fields in (
            ('', [0, 1, 0], [2, 3, 4], [1, 1, 2], {}), ('back', [1, -1, 3], [-9, 0, 0], [-1, -1, -2], {}),
            ('masks', [1, 1, 1], [1, 2, 2], [1, 1, 1], dict(beginMask=5, endMask=6)),
            ('masks_back', [0, 0, 0], [0, 0, 0], [-1, 1, -2], dict(beginMask=7, endMask=7)),
            ('shrink', [1, 0, -1], [2, 3, 9], [1, 2, 1], dict(shrinkAxisMask=5)),
            ('short', [1], [2], [1], {}), ('empty', [0, 2, 0], [2, 1, 4], [1, 1, 1], {}),
            ('offset', [0, 1, 1], [2, 2, 3], [1, 1, 1], dict(offset=True))):
        case(name, 'STRIDED_SLICE', [Feed(x), np.int32(begin), np.int32(end), np.int32(step)], options='StridedSliceOptions',
             version=8 if 'offset' in fields else 1, **fields)
    case('', 'CONCATENATION', [Feed(x), Feed(x[:, :1])], options='ConcatenationOptions', axis=1)
    case('last', 'CONCATENATION', [Feed(x), Feed(x)], options='ConcatenationOptions', axis=-1)
    case('', 'PACK', [Feed(x), Feed(x * 2)], options='PackOptions', valuesCount=2, axis=-1)
    case('', 'UNPACK', [Feed(x)], options='UnpackOptions', outputs=3, num=3, axis=1)
    case('', 'SPLIT', [np.int32([2]), Feed(x)], options='SplitOptions', outputs=2, numSplits=2)
    case('', 'SPLIT_V', [Feed(x), np.int32([1, -1]), np.int32([-1])], options='SplitVOptions', outputs=2, numSplits=2)
    case('', 'GATHER', [Feed(x), Feed(np.int32([[2, 0], [1, 1]]))], options='GatherOptions', axis=1)
    case('batch', 'GATHER', [Feed(x), Feed(np.int32([[2, 0], [1, 1]]))], options='GatherOptions', axis=1, batchDims=1)
    case('', 'GATHER_ND', [Feed(x), Feed(np.int32([[0, 2], [1, 1]]))], options='GatherNdOptions')
    case('', 'EMBEDDING_LOOKUP', [Feed(np.int32([2, 0])), reals(3, 4)])
    case('', 'PAD', [Feed(x), np.int32([[0, 1], [2, 0], [1, 1]])], options='PadOptions')
    case('', 'PADV2', [Feed(x), np.int32([[0, 1], [2, 0], [1, 1]]), np.float32([1.5])], options='PadV2Options')
    for name, mode in (('reflect', schema.MirrorPadMode.REFLECT), ('symmetric', schema.MirrorPadMode.SYMMETRIC)):
        case(name, 'MIRROR_PAD', [Feed(x), np.int32([[0, 1], [2, 0], [1, 1]])], options='MirrorPadOptions', mode=mode)
    for kind in ('INT32', 'INT64'):
        case(kind.lower(), 'SHAPE', [Feed(x)], kind, options='ShapeOptions', outType=getattr(schema.TensorType, kind))
    case('', 'FILL', [Feed(np.int32([2, 3])), np.float32(1.5)], options='FillOptions')
    case('integers', 'FILL', [np.int32([2, 3]), Feed(np.int32(-7))], 'INT32', options='FillOptions')
    case('', 'RANGE', [Feed(np.int32(1)), Feed(np.int32(9)), np.int32(3)], 'INT32', options='RangeOptions')
    case('reals', 'RANGE', [Feed(np.float32(3)), Feed(np.float32(1)), np.float32(-0.5)], options='RangeOptions')


def models():
    """Whole models of tests/data: every tensor that is computed of the quantized ones, the results of the others."""
    for name in ('dscnn.int8', 'dscnn.int16x8', 'conv1d.int16x8', 'unet.int8', 'unet.int16x8', 'transformer.int8',
                 'conv1d.aeq_weight_only_wi8_afp32', 'lstm.aeq_weight_only_wi4_afp32'):
        content = (graph_record.TESTS / 'data' / 'tflite' / f'{name}.tflite').read_bytes()
        interpreter = litert.Interpreter(model_content=content, experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
                                         experimental_preserve_all_tensors=True, num_threads=1)
        interpreter.allocate_tensors()
        feeds = {}
        for detail in interpreter.get_input_details():
            kind = detail['dtype']
            feeds[detail['name']] = (reals(*detail['shape']) if kind == np.float32 else
                                     integers(*detail['shape'], low=np.iinfo(kind).min, high=np.iinfo(kind).max + 1, dtype=kind))
            interpreter.set_tensor(detail['index'], feeds[detail['name']])
        interpreter.invoke()
        results = interpreter.get_output_details()
        if 'int' in name:
            made = [index for op in interpreter._get_ops_details() for index in op['outputs']]
            results = [detail for detail in interpreter.get_tensor_details() if detail['index'] in made]
        outputs = {detail['name']: interpreter.get_tensor(detail['index']) for detail in results
                   if np.prod(detail['shape']) <= 4096}
        RECORDS.append(graph_record.record(name, 'litert/reference', f'tflite/{name}.tflite', feeds, outputs, 0, 1e-5))


if __name__ == '__main__':
    for family in (element_wise, products, windows, reductions, movements, models):
        family()
    graph_record.write('litert', RECORDS)
