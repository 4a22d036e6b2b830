"""Writes what ONNX Runtime computes for small ONNX graphs: onnx_graphs.py"""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import graph_record
from graph_record import Feed, integers, positive, reals

onnxruntime.set_default_logger_severity(4)


def run(model, feeds, optimized=True):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds)))


RECORDS = []


def case(name, op, inputs, outputs=1, opset=21, relative=2e-6, steps=0, quantized=None, **attributes):
    """One node. `inputs`: Feed, a constant, or None where one is left out."""
    domain, _, op_type = op.rpartition('::')
    names, feeds, constants = [], {}, []
    for position, given in enumerate(inputs):
        names.append('' if given is None else f'x{position}')
        if isinstance(given, Feed):
            feeds[names[-1]] = given.array
        elif given is not None:
            constants.append(numpy_helper.from_array(np.asarray(given), names[-1]))
    results = [f'y{i}' for i in range(outputs)]
    node = helper.make_node(op_type, names, results, name='n', domain=domain, **attributes)
    graph('_'.join([op_type, name] if name else [op_type]), [node], feeds, constants, results, opset, relative, steps)


def graph(name, nodes, feeds, constants, results, opset=21, relative=2e-6, steps=0, optimized=True):
    inputs = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for key, array in feeds.items()]
    made = helper.make_graph(nodes, 'g', inputs, [onnx.ValueInfoProto(name=result) for result in results], constants)
    domains = [helper.make_opsetid('', opset), helper.make_opsetid('com.microsoft', 1)]
    model = helper.make_model(made, opset_imports=domains, ir_version=10)
    try:
        outputs = run(model, feeds, optimized)
    except Exception as error:
        raise ValueError(f'{name}: {error}') from error
    RECORDS.append(graph_record.record(name, 'onnxruntime', model.SerializeToString(), feeds, outputs, steps, relative))


def element_wise():
    x = reals(3, 4)
    for op in ('Abs', 'Acos', 'Asin', 'Asinh', 'Atan', 'Atanh', 'Ceil', 'Cos', 'Cosh', 'Erf', 'Exp', 'Floor', 'Neg',
               'Reciprocal', 'Round', 'Sign', 'Sin', 'Sinh', 'Tan', 'Relu', 'Sigmoid', 'Tanh', 'Softplus', 'Softsign',
               'HardSwish', 'Mish', 'Identity'):
        case('', op, [Feed(np.tanh(x) if op in ('Acos', 'Asin', 'Atanh') else x)], opset=22 if op == 'Mish' else 21)
    case('ties', 'Round', [Feed(np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.4], np.float32))])
    for op in ('Log', 'Sqrt', 'Acosh'):
        case('', op, [Feed(positive(3, 4) + np.float32(op == 'Acosh'))])
    case('', 'LeakyRelu', [Feed(x)], alpha=0.3)
    case('default', 'LeakyRelu', [Feed(x)])
    case('', 'Elu', [Feed(x)], alpha=0.7)
    case('default', 'Elu', [Feed(x)])
    case('', 'Celu', [Feed(x)], alpha=1.7)
    case('', 'Selu', [Feed(x)])
    case('stated', 'Selu', [Feed(x)], alpha=1.2, gamma=2.0)
    case('', 'HardSigmoid', [Feed(x * 4)])
    case('stated', 'HardSigmoid', [Feed(x * 4)], alpha=0.3, beta=0.6)
    case('', 'ThresholdedRelu', [Feed(x)], alpha=0.4)
    case('', 'Gelu', [Feed(x)])
    case('tanh', 'Gelu', [Feed(x)], approximate='tanh')
    case('', 'com.microsoft::Gelu', [Feed(x)])
    case('', 'com.microsoft::FastGelu', [Feed(x)])
    case('', 'com.microsoft::QuickGelu', [Feed(x)], alpha=1.702)
    case('', 'PRelu', [Feed(x), reals(4, seed=2)])
    case('', 'IsNaN', [Feed(x)])
    case('', 'Not', [Feed(x > 0)])
    case('both', 'Clip', [Feed(x), np.float32(-0.5), np.float32(0.7)])
    case('low', 'Clip', [Feed(x), np.float32(-0.5)])
    case('high', 'Clip', [Feed(x), None, np.float32(0.7)])
    case('none', 'Clip', [Feed(x)])
    case('attributes', 'Clip', [Feed(x)], opset=6, min=-0.4, max=0.3)
    case('integers', 'Clip', [Feed(integers(3, 4)), np.int64(-3), np.int64(5)])
    case('inference', 'Dropout', [Feed(x)])
    case('mask', 'Dropout', [Feed(x)], 2)
    for op in ('Abs', 'Neg', 'Sign'):
        case('integers', op, [Feed(integers(3, 4, dtype=np.int32))])
        case('int64', op, [Feed(np.array([-2**63, -7, 0, 2**63 - 1]))])
    case('integers', 'Relu', [Feed(integers(3, 4, dtype=np.int32))])


def binary():
    a, b = reals(3, 4), reals(3, 4, seed=5)
    shapes = {'': (a, b), 'row': (a, b[:1]), 'column': (a[:, :1], b), 'scalar': (a, b[0, 0]), 'scalar_first': (a[0, 0], b),
              'outer': (a[:, :1], b[:1]), 'empty': (a[:, :0], b[:, :0])}
    for op in ('Add', 'Sub', 'Mul', 'Div', 'Max', 'Min', 'Equal', 'Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual'):
        for shape, (left, right) in shapes.items():
            if not shape or shape == 'outer' or op in ('Sub', 'Less'):
                case(shape, op, [Feed(left), Feed(right)])
    i, j = integers(3, 4), integers(3, 4, low=1, high=7) * np.where(np.arange(12).reshape(3, 4) % 2, 1, -1)
    for op in ('Add', 'Sub', 'Mul', 'Div', 'Max', 'Min', 'Equal', 'Less', 'Mod', 'Greater', 'GreaterOrEqual', 'LessOrEqual'):
        case('integers', op, [Feed(i), Feed(j)])
        case('integers_outer', op, [Feed(i[:, :1]), Feed(j[:1])])
    for op in ('And', 'Or', 'Xor'):
        case('outer', op, [Feed(a[:, :1] > 0), Feed(b[:1] > 0)])
    for op in ('BitwiseAnd', 'BitwiseOr', 'BitwiseXor'):
        case('outer', op, [Feed(i[:, :1]), Feed(j[:1])])
    case('outer', 'Pow', [Feed(positive(3, 1)), Feed(b[:1])])
    case('outer', 'PRelu', [Feed(a), reals(3, 1, seed=2)])
    case('fmod_outer', 'Mod', [Feed(a[:, :1]), Feed(b[:1])], fmod=1)
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
        name = np.dtype(dtype).name
        low = 0 if name.startswith('u') else -100
        left, right = (np.random.default_rng(seed).integers(low, 100, (2, 5)).astype(dtype) for seed in (1, 2))
        case(name, 'BitwiseAnd', [Feed(left), Feed(right)])
        case(name, 'BitwiseOr', [Feed(left), Feed(right)])
        case(name, 'BitwiseXor', [Feed(left), Feed(right)])
        case(name, 'Mod', [Feed(left), Feed(right | 1)])
    case('fmod', 'Mod', [Feed(a), Feed(b)], fmod=1)
    case('fmod_integers', 'Mod', [Feed(i), Feed(j)], fmod=1)
    case('', 'Pow', [Feed(positive(3, 4)), Feed(b)])
    case('square', 'Pow', [Feed(a), np.float32(2)])
    case('integers', 'Pow', [Feed(i), np.int64(3)])
    case('mixed', 'Pow', [Feed(a), np.int64(3)])
    for op in ('And', 'Or', 'Xor'):
        case('', op, [Feed(a > 0), Feed(b > 0)])
    for op in ('Sum', 'Mean', 'Max', 'Min'):
        case('three', op, [Feed(a), Feed(b), Feed(a[:1])])
        case('one', op, [Feed(a)])
    case('', 'Where', [Feed(a > 0), Feed(a), Feed(b)])
    case('broadcast', 'Where', [Feed(a[:, :1] > 0), Feed(a[:1]), np.float32(7)])
    case('integers', 'Where', [Feed(a > 0), Feed(i), np.int64(3)])
    case('wraps', 'Mul', [Feed(np.array([2**62, -5], np.int64)), Feed(np.array([7, 3], np.int64))])


def cast():
    x = np.array([[-3.7, -0.5, 0.0], [0.5, 2.6, 100.2]], np.float32)
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.float32, np.bool_):
        case(f'to_{np.dtype(dtype).name}', 'Cast', [Feed(x)], to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    for dtype in (np.uint8, np.uint16, np.uint32):
        case(f'to_{np.dtype(dtype).name}', 'Cast', [Feed(np.abs(x))], to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    for dtype in (np.int8, np.uint8, np.int32, np.int64, np.bool_):
        given = integers(2, 3, low=0, dtype=dtype)
        case(f'from_{np.dtype(dtype).name}', 'Cast', [Feed(given)], to=TensorProto.FLOAT)
        case(f'from_{np.dtype(dtype).name}_to_int16', 'Cast', [Feed(given)], to=TensorProto.INT16)
    case('wraps', 'Cast', [Feed(np.array([300, -1, 70000], np.int32))], to=TensorProto.UINT8)
    values = np.array([-300.6, -9, -8.5, -1.5, -0.5, 0, 0.5, 2.5, 7, 7.6, 15.5, 17.6, 1e5, 1e20], np.float32)
    for kind in (TensorProto.INT4, TensorProto.UINT4):
        for given in (values, integers(9, low=-30, high=30), integers(9, low=0, high=200, dtype=np.uint8)):
            build = Builder()
            back = build.node('Cast', [build.node('Cast', ['x'], to=kind)], to=TensorProto.FLOAT)
            build.record(f'Cast_{given.dtype}_to_four_bits_{kind}', {'x': given}, [back], optimized=False)


def products():
    for name, left, right in (('', (3, 4), (4, 5)), ('batch', (2, 3, 4), (2, 4, 5)), ('batch_right', (3, 4), (2, 4, 5)),
                              ('batch_left', (2, 3, 4), (4, 5)), ('broadcast', (2, 1, 3, 4), (3, 4, 5)),
                              ('vector', (4,), (4, 5)), ('column', (3, 4), (4,)), ('dot', (4,), (4,)),
                              ('vector_batch', (4,), (2, 4, 5))):
        case(name, 'MatMul', [Feed(reals(*left)), Feed(reals(*right, seed=3))], relative=1e-5)
    for a in (0, 1):
        for b in (0, 1):
            left, right = (4, 3) if a else (3, 4), (5, 4) if b else (4, 5)
            case(f'{a}{b}', 'Gemm', [Feed(reals(*left)), Feed(reals(*right, seed=3)), reals(5, seed=9)], transA=a, transB=b,
                 alpha=0.5, beta=1.5, relative=1e-5)
    for name, shape in (('scalar', ()), ('column', (3, 1)), ('matrix', (3, 5)), ('one', (1,))):
        case(name, 'Gemm', [Feed(reals(3, 4)), Feed(reals(4, 5, seed=3)), reals(*shape, seed=9)], relative=1e-5)
    case('no_bias', 'Gemm', [Feed(reals(3, 4)), Feed(reals(4, 5, seed=3))], relative=1e-5)


def convolutions():
    x, w = reals(2, 4, 7, 6), reals(6, 4, 3, 3, seed=3)
    bias = reals(6, seed=4)
    case('', 'Conv', [Feed(x), w, bias], relative=1e-5)
    case('pads', 'Conv', [Feed(x), w], pads=[1, 2, 0, 1], strides=[2, 1], dilations=[1, 2], relative=1e-5)
    case('group', 'Conv', [Feed(x), w[:, :2], bias], group=2, relative=1e-5)
    case('depthwise', 'Conv', [Feed(x), w[:4, :1]], group=4, pads=[1, 1, 1, 1], strides=[2, 2], relative=1e-5)
    case('pointwise', 'Conv', [Feed(x), w[:, :, :1, :1], bias], relative=1e-5)
    for pad in ('SAME_UPPER', 'SAME_LOWER', 'VALID'):
        case(pad.lower(), 'Conv', [Feed(x), w[:, :, :2]], auto_pad=pad, strides=[2, 2], relative=1e-5)
    case('line', 'Conv', [Feed(reals(1, 3, 9)), reals(2, 3, 4, seed=3)], pads=[2, 1], relative=1e-5)
    case('volume', 'Conv', [Feed(reals(1, 2, 4, 5, 6)), reals(3, 2, 2, 3, 2, seed=3)], pads=[0, 1, 0, 1, 0, 1], relative=1e-5)
    t = reals(4, 3, 3, 2, seed=3)
    case('', 'ConvTranspose', [Feed(x), t, reals(3, seed=4)], relative=1e-5)
    case('strides', 'ConvTranspose', [Feed(x), t], strides=[2, 3], pads=[1, 0, 0, 1], output_padding=[1, 2], dilations=[2, 1],
         relative=1e-5)
    case('group', 'ConvTranspose', [Feed(x), t], group=2, relative=1e-5)
    case('shape', 'ConvTranspose', [Feed(x), t], strides=[2, 2], output_shape=[14, 11], relative=1e-5)
    case('shape_upper', 'ConvTranspose', [Feed(x), t], strides=[2, 2], output_shape=[14, 12], auto_pad='SAME_UPPER',
         relative=1e-5)
    for pad in ('SAME_UPPER', 'SAME_LOWER', 'VALID'):
        case(pad.lower(), 'ConvTranspose', [Feed(x), t], auto_pad=pad, strides=[2, 2], relative=1e-5)
    case('line', 'ConvTranspose', [Feed(reals(1, 3, 5)), reals(3, 2, 4, seed=3)], strides=[3], relative=1e-5)


def pools():
    x = reals(2, 3, 7, 6)
    for op in ('MaxPool', 'AveragePool', 'LpPool'):
        case('', op, [Feed(x)], kernel_shape=[2, 3])
        case('pads', op, [Feed(x)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 0, 1])
        case('ceil', op, [Feed(x)], kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1)
        case('dilated', op, [Feed(x)], kernel_shape=[2, 2], dilations=[2, 3])
        for pad in ('SAME_UPPER', 'SAME_LOWER'):
            case(pad.lower(), op, [Feed(x)], kernel_shape=[2, 3], strides=[2, 2], auto_pad=pad)
        case('line', op, [Feed(x[:, :, 0])], kernel_shape=[3])
        case('volume', op, [Feed(reals(1, 2, 4, 5, 3))], kernel_shape=[2, 2, 2])
    for op in ('MaxPool', 'AveragePool'):
        # Windows over more than there is.
        case('over', op, [Feed(x)], kernel_shape=[8, 7], strides=[8, 7])
        case('over_ceil', op, [Feed(x)], kernel_shape=[1280, 7], strides=[1280, 2], ceil_mode=1)
        case('over_dilated', op, [Feed(x)], kernel_shape=[4, 2], strides=[4, 1], dilations=[3, 1])
    case('include', 'AveragePool', [Feed(x)], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    case('include_ceil', 'AveragePool', [Feed(x)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1,
         count_include_pad=1)
    case('p1', 'LpPool', [Feed(x)], kernel_shape=[2, 2], p=1)
    case('', 'GlobalAveragePool', [Feed(x)])
    case('', 'GlobalMaxPool', [Feed(x)])


def reductions():
    x = reals(2, 3, 4)
    for op in ('ReduceMean', 'ReduceSum', 'ReduceProd', 'ReduceMax', 'ReduceMin', 'ReduceL1', 'ReduceL2', 'ReduceSumSquare',
               'ReduceLogSumExp'):
        case('', op, [Feed(x)])
        case('axes', op, [Feed(x), np.array([-1, 0])])
        case('drop', op, [Feed(x), np.array([1])], keepdims=0)
        case('noop', op, [Feed(x)], noop_with_empty_axes=1) if op == 'ReduceSum' else None
        case('attribute', op, [Feed(x)], opset=11, axes=[1], keepdims=0)
    for op in ('ReduceSum', 'ReduceMax', 'ReduceMin', 'ReduceProd', 'ReduceMean'):
        case('integers', op, [Feed(integers(2, 3, 4, dtype=np.int32)), np.array([2])])
    for op in ('ArgMax', 'ArgMin'):
        ties = integers(3, 5, low=0, high=3).astype(np.float32)
        case('', op, [Feed(ties)])
        case('last', op, [Feed(ties)], axis=1, select_last_index=1)
        case('drop', op, [Feed(ties)], axis=-1, keepdims=0)
        case('integers', op, [Feed(ties.astype(np.int32))], axis=1)
    for largest in (0, 1):
        case(f'{largest}', 'TopK', [Feed(x), np.array([2])], 2, largest=largest)
        case(f'axis_{largest}', 'TopK', [Feed(x), np.array([2])], 2, largest=largest, axis=1)
    case('attribute', 'TopK', [Feed(x)], 2, opset=1, k=3, axis=2)
    case('integers', 'TopK', [Feed(integers(2, 6)), np.array([3])], 2)
    case('none', 'TopK', [Feed(x), np.array([0])], 2)
    for exclusive in (0, 1):
        for reverse in (0, 1):
            case(f'{exclusive}{reverse}', 'CumSum', [Feed(x), np.int64(1)], exclusive=exclusive, reverse=reverse)
    case('integers', 'CumSum', [Feed(integers(3, 4)), np.int64(-1)])
    case('int32', 'CumSum', [Feed(integers(3, 4, dtype=np.int32)), np.int64(0)])


def normalizations():
    x = reals(2, 6, 3, 4)
    for op in ('Softmax', 'LogSoftmax', 'Hardmax'):
        case('', op, [Feed(x)])
        case('axis', op, [Feed(x)], axis=1)
        case('old', op, [Feed(x)], opset=11, axis=2)
        case('old_default', op, [Feed(x[0])], opset=11)
        case('old_last', op, [Feed(x)], opset=11, axis=-1)
    c = [reals(6, seed=1), reals(6, seed=2), reals(6, seed=3), positive(6)]
    case('', 'BatchNormalization', [Feed(x), *c], epsilon=0.01, relative=1e-5)
    case('default', 'BatchNormalization', [Feed(x), *c], relative=1e-5)
    case('', 'InstanceNormalization', [Feed(x), c[0], c[1]], relative=1e-5)
    case('per_channel', 'GroupNormalization', [Feed(x), c[0], c[1]], num_groups=3, relative=1e-5)
    case('per_group', 'GroupNormalization', [Feed(x), c[0][:3], c[1][:3]], opset=18, num_groups=3, relative=1e-5)
    case('', 'LayerNormalization', [Feed(x), reals(4, seed=1), reals(4, seed=2)], relative=1e-5)
    case('axis', 'LayerNormalization', [Feed(x), reals(3, 4, seed=1)], axis=2, epsilon=0.1, relative=1e-5)
    case('statistics', 'LayerNormalization', [Feed(x), reals(4, seed=1), reals(4, seed=2)], 3, opset=17, relative=1e-5)
    case('statistics_axis', 'LayerNormalization', [Feed(x), reals(3, 4, seed=1)], 3, opset=17, axis=2, relative=1e-5)
    case('statistics', 'SimplifiedLayerNormalization', [Feed(x), reals(4, seed=1)], 2, opset=17, relative=1e-5)
    case('', 'RMSNormalization', [Feed(x), reals(4, seed=1)], opset=23, relative=1e-5)
    for p in (1, 2):
        case(f'{p}', 'LpNormalization', [Feed(x)], p=p, axis=1)
    case('default', 'LpNormalization', [Feed(x)])


def movements():
    x = reals(2, 3, 4)
    case('', 'Reshape', [Feed(x), np.array([4, -1])])
    case('zero', 'Reshape', [Feed(x), np.array([0, -1])])
    case('allowzero', 'Reshape', [Feed(x[:, :0]), np.array([0, 5])], allowzero=1)
    case('attribute', 'Reshape', [Feed(x)], opset=1, shape=[6, 4])
    for axis in (0, 1, 2, 3, -1):
        case(f'{axis}', 'Flatten', [Feed(x)], axis=axis)
    case('', 'Squeeze', [Feed(x[:, :1])])
    case('axes', 'Squeeze', [Feed(x[:1, :1]), np.array([-2])])
    case('attribute', 'Squeeze', [Feed(x[:, :1])], opset=11, axes=[1])
    case('', 'Unsqueeze', [Feed(x), np.array([0, -1])])
    case('attribute', 'Unsqueeze', [Feed(x)], opset=11, axes=[2])
    case('', 'Transpose', [Feed(x)])
    case('perm', 'Transpose', [Feed(x)], perm=[1, 2, 0])
    for dtype in (np.int8, np.int64, np.bool_):
        case(f'{np.dtype(dtype).name}', 'Transpose', [Feed(integers(2, 3, 4, low=0, dtype=dtype))], perm=[2, 0, 1])
    case('', 'Concat', [Feed(x), Feed(x[:, :1]), reals(2, 2, 4, seed=3)], axis=1)
    case('last', 'Concat', [Feed(x), Feed(x)], axis=-1)
    case('', 'Split', [Feed(x), np.array([1, 2])], 2, axis=1)
    case('equal', 'Split', [Feed(x)], 2, axis=2, num_outputs=2)
    case('uneven', 'Split', [Feed(x)], 2, axis=1, num_outputs=2)
    case('attribute', 'Split', [Feed(x)], 2, opset=11, axis=1, split=[2, 1])
    whole = np.iinfo(np.int64)
    for name, starts, ends, axes, steps in (
            ('', [0, 1], [2, 3], None, None), ('axes', [1], [3], [2], None), ('steps', [0], [4], [-1], [2]),
            ('backwards', [-1], [-9], [1], [-1]), ('backwards_two', [3], [0], [2], [-2]), ('end', [1], [whole.max], [1], None),
            ('negative', [-2], [-1], [2], None), ('empty', [3], [1], [2], [1]), ('all_back', [whole.max], [whole.min], [2], [-1]),
            ('before', [-9], [2], [2], [1])):
        inputs = [Feed(x), np.array(starts), np.array(ends)]
        if axes is not None:
            inputs.append(np.array(axes))
        if steps is not None:
            inputs.append(np.array(steps))
        case(name, 'Slice', inputs)
    case('attribute', 'Slice', [Feed(x)], opset=9, starts=[1, -2], ends=[2, 4], axes=[0, 2])
    case('', 'Expand', [Feed(x[:, :1]), np.array([2, 3, 4])])
    case('rank', 'Expand', [Feed(x[0, :1]), np.array([2, 3, 1])])
    case('', 'Tile', [Feed(x), np.array([2, 1, 3])])
    for mode in ('constant', 'reflect', 'edge', 'wrap'):
        case(mode, 'Pad', [Feed(x), np.array([0, 1, 2, 1, 2, 1])] + ([np.float32(1.5)] if mode == 'constant' else []), mode=mode)
    case('negative', 'Pad', [Feed(x), np.array([0, -1, 2, 0, 0, -1])])
    case('axes', 'Pad', [Feed(x), np.array([1, 2, 0, 1]), np.float32(3), np.array([-1, 0])])
    case('attribute', 'Pad', [Feed(x)], opset=2, pads=[0, 1, 0, 0, 0, 2], value=2.5)
    case('integers', 'Pad', [Feed(integers(2, 3)), np.array([0, 1, 1, 0]), np.int64(7)])
    case('bytes', 'Pad', [Feed(integers(2, 3, low=0, dtype=np.uint8)), np.array([0, 1, 1, 0]), np.uint8(9)])
    d = reals(1, 8, 2, 3)
    for mode in ('DCR', 'CRD'):
        case(mode, 'DepthToSpace', [Feed(d)], blocksize=2, mode=mode)
    case('', 'SpaceToDepth', [Feed(reals(1, 2, 4, 6))], blocksize=2)
    for upper in (0, 1):
        case(f'{upper}', 'Trilu', [Feed(reals(2, 4, 5))], upper=upper)
        case(f'diagonal_{upper}', 'Trilu', [Feed(reals(4, 5)), np.int64(1)], upper=upper)
    case('integers', 'Trilu', [Feed(integers(3, 3)), np.int64(-1)])
    case('', 'Gather', [Feed(x), Feed(np.array([[2, 0], [-1, 1]]))], axis=1)
    case('first', 'Gather', [Feed(x), np.int32(1)])
    case('last', 'Gather', [Feed(x), np.array([3, 3, -4])], axis=-1)
    case('', 'GatherElements', [Feed(x), Feed(np.array([[[0, 1, 2, 0]], [[-1, -3, 1, 2]]]))], axis=1)
    case('', 'GatherND', [Feed(x), Feed(np.array([[0, 2], [1, -1]]))])
    case('batch', 'GatherND', [Feed(x), Feed(np.array([[2], [0]]))], batch_dims=1)
    case('whole', 'GatherND', [Feed(x), Feed(np.array([[0, 2, 3]]))])


def creations():
    x = reals(2, 3, 4)
    case('', 'Shape', [Feed(x)])
    case('part', 'Shape', [Feed(x)], start=1, end=-1)
    case('beyond', 'Shape', [Feed(x)], start=-9, end=9)
    case('', 'Size', [Feed(x)])
    case('', 'ConstantOfShape', [Feed(np.array([2, 3]))])
    case('value', 'ConstantOfShape', [Feed(np.array([2, 3]))], value=numpy_helper.from_array(np.array([2.5], np.float32)))
    case('integers', 'ConstantOfShape', [Feed(np.array([4]))], value=numpy_helper.from_array(np.array([-7], np.int64)))
    case('', 'Range', [Feed(np.float32(1)), Feed(np.float32(3)), np.float32(0.5)])
    case('back', 'Range', [Feed(np.int64(9)), np.int64(1), np.int64(-3)])
    case('empty', 'Range', [Feed(np.int64(9)), np.int64(1), np.int64(3)])
    case('int32', 'Range', [Feed(np.int32(1)), np.int32(9), np.int32(3)])


def resizes():
    x = reals(2, 3, 5, 7)
    case('sizes', 'Resize', [Feed(x), None, None, np.array([2, 3, 8, 4])], mode='nearest')
    for mode in ('asymmetric', 'half_pixel', 'pytorch_half_pixel', 'align_corners'):
        case(mode, 'Resize', [Feed(x), None, np.array([1, 1, 2.3, 0.7], np.float32)], mode='linear',
             coordinate_transformation_mode=mode, relative=1e-5)
        case(f'{mode}_one', 'Resize', [Feed(x), None, None, np.array([2, 3, 1, 4])], mode='linear',
             coordinate_transformation_mode=mode, relative=1e-5)
    for mode in ('floor', 'ceil', 'round_prefer_floor', 'round_prefer_ceil'):
        case(mode, 'Resize', [Feed(x), None, np.array([1, 1, 2, 0.5], np.float32)], mode='nearest', nearest_mode=mode)
    case('old', 'Resize', [Feed(x), np.array([1, 1, 2, 3], np.float32)], mode='nearest', opset=10)
    case('old_linear', 'Resize', [Feed(x), np.array([1, 1, 2, 3], np.float32)], mode='linear', opset=10)
    case('', 'Upsample', [Feed(x), np.array([1, 1, 2, 3], np.float32)], mode='nearest', opset=9)
    case('cubic', 'Resize', [Feed(x), None, np.array([1, 1, 2, 2.5], np.float32)], mode='cubic', relative=1e-5)
    case('cubic_outside', 'Resize', [Feed(x), None, np.array([1, 1, 2, 1.7], np.float32)], mode='cubic', exclude_outside=1,
         cubic_coeff_a=-0.5, relative=1e-5)
    case('antialias', 'Resize', [Feed(x), None, np.array([1, 1, 0.5, 0.6], np.float32)], mode='linear', antialias=1, relative=1e-5)
    case('antialias_cubic', 'Resize', [Feed(x), None, None, np.array([2, 3, 2, 3])], mode='cubic', antialias=1, relative=1e-5)
    case('antialias_outside', 'Resize', [Feed(x), None, None, np.array([2, 3, 2, 3])], mode='linear', antialias=1,
         exclude_outside=1, relative=1e-5)
    for policy in ('not_larger', 'not_smaller'):
        case(policy, 'Resize', [Feed(x), None, None, np.array([8, 8])], axes=[2, 3], mode='linear',
             keep_aspect_ratio_policy=policy, relative=1e-5)
    # Not in ONNX Runtime where the ratio is kept, which takes axes from behind for others.
    case('axes', 'Resize', [Feed(x), None, None, np.array([8, 3])], axes=[-1, 2], mode='linear', relative=1e-5)
    case('region', 'Resize', [Feed(x), np.array([0, 0, .2, .1, 1, 1, .8, 1.2], np.float32), None, np.array([2, 3, 4, 4])],
         mode='linear', coordinate_transformation_mode='tf_crop_and_resize', extrapolation_value=7.0, relative=1e-5)
    case('region_point', 'Resize', [Feed(x), np.array([0, 0, .2, .1, 1, 1, .8, .9], np.float32), None, np.array([2, 3, 1, 4])],
         mode='linear', coordinate_transformation_mode='tf_crop_and_resize', relative=1e-5)
    case('symmetric', 'Resize', [Feed(x), None, None, np.array([2, 3, 9, 4])], mode='linear',
         coordinate_transformation_mode='half_pixel_symmetric', relative=1e-5)


class Builder:
    """A graph of several nodes, for `graph`; what is no name among the inputs is a constant."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, given):
        name = f'c{len(self.constants)}'
        if isinstance(given, onnx.TensorProto):
            given.name = name
            self.constants.append(given)
        else:
            self.constants.append(numpy_helper.from_array(np.asarray(given), name))
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        domain, _, op_type = op.rpartition('::')
        names = [f'v{len(self.nodes)}_{i}' for i in range(outputs)]
        inputs = [given if isinstance(given, str) else self.constant(given) for given in inputs]
        self.nodes.append(helper.make_node(op_type, inputs, names, name=f'n{len(self.nodes)}', domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def q(self, x, scale, zero, **attributes):
        return self.node('QuantizeLinear', [x, np.float32(scale), zero], **attributes)

    def dq(self, x, scale, zero, **attributes):
        return self.node('DequantizeLinear', [x, np.float32(scale), zero], **attributes)

    def record(self, name, feeds, outputs, **how):
        graph(name, self.nodes, feeds, self.constants, outputs, **how)


def between(name, op, shape, zero, scale=0.05, others=(), steps=0, opset=21, outputs=1, **attributes):
    """One node between Dequantize and Quantize; `others` are constants that follow the data."""
    build = Builder()
    stored = build.q('x', 0.025, zero)
    results = build.node(op, [build.dq(stored, 0.025, zero), *others], outputs, **attributes)
    made = []
    for result in [results] if outputs == 1 else results:
        made.append(build.q(result, scale, zero))
        build.dq(made[-1], scale, zero)
    build.record(f'qdq_{op}_{name}', {'x': reals(*shape)}, made, steps=steps, opset=opset)


def quantized():
    image = (1, 4, 6, 6)
    for kind, zero in (('u8', np.uint8(117)), ('s8', np.int8(-3)), ('u16', np.uint16(31000)), ('s16', np.int16(0))):
        scale = 0.05 if '8' in kind else 0.0002
        steps = int('16' in kind)
        for op in ('Sigmoid', 'Tanh', 'Relu', 'Abs', 'Exp', 'Neg', 'HardSwish', 'Erf', 'Sqrt', 'Identity'):
            between(kind, op, (3, 4), zero, scale, steps=steps)
        between(kind, 'LeakyRelu', (3, 4), zero, scale, alpha=0.2, steps=steps)
        between(kind, 'Clip', (3, 4), zero, scale, [np.float32(-0.4), np.float32(0.6)], steps=steps)
        between(kind, 'Softmax', (3, 4), zero, scale / 10, axis=-1, steps=steps)
        between(kind, 'Add', (3, 4), zero, scale, [reals(4, seed=2)], steps=steps)
        between(kind, 'Mul', (3, 4), zero, scale, [reals(4, seed=2)], steps=steps)
        between(kind, 'GlobalAveragePool', image, zero, scale, steps=steps)
        # Sums in another order.
        between(kind, 'AveragePool', image, zero, scale, kernel_shape=[2, 2], strides=[2, 2], steps=1)
        between(kind, 'MaxPool', image, zero, scale, kernel_shape=[3, 3], pads=[1, 1, 1, 1], steps=steps)
        between(kind, 'ReduceMean', image, zero, scale, [np.array([2, 3])], keepdims=0, steps=1)
        between(kind, 'Resize', image, zero, scale, ['', np.array([1, 1, 2, 2], np.float32)], mode='nearest', steps=steps)
        between(kind, 'LayerNormalization', (3, 4), zero, scale, [reals(4, seed=2), reals(4, seed=3)], steps=max(steps, 1))
        # A constant beyond what the input can be.
        for value in (-2.0, 0.5):
            between(f'{kind}_beyond{value}', 'Pad', (3, 4), zero, 4 * scale, [np.array([0, 1, 1, 0]), np.float32(100 * scale * value)],
                    steps=steps)
        # The parameters of the output are those of the input.
        for op, others, attributes in (
                ('Transpose', (), dict(perm=[0, 2, 3, 1])), ('Reshape', [np.array([4, -1])], {}), ('Flatten', (), {}),
                ('Slice', [np.array([1]), np.array([3]), np.array([1])], {}), ('Squeeze', [np.array([0])], {}),
                ('Unsqueeze', [np.array([0])], {}), ('Gather', [np.array([2, 0])], dict(axis=1)),
                ('DepthToSpace', (), dict(blocksize=2)), ('Tile', [np.array([1, 2, 1, 1])], {}),
                ('Expand', [np.array([2, 4, 6, 6])], {}),
                ('Pad', [np.array([0, 0, 1, 1, 0, 0, 1, 1]), np.float32(0.5)], {})):
            between(f'{kind}_same', op, image, zero, 0.025, others, **attributes)
            between(f'{kind}_other', op, image, zero, scale, others, steps=steps, **attributes)
        between(f'{kind}_same', 'Split', image, zero, 0.025, [np.array([1, 3])], outputs=2, axis=1)
        between(f'{kind}_other', 'Split', image, zero, scale, [np.array([1, 3])], outputs=2, axis=1, steps=steps)
        build = Builder()
        a = build.dq(build.q('x', 0.025, zero), 0.025, zero)
        b = build.dq(build.q('y', 0.03, zero), 0.03, zero)
        made = []
        for op, attributes in (('Add', {}), ('Sub', {}), ('Mul', {}), ('Div', {}), ('Max', {}), ('Min', {}), ('Concat', dict(axis=1))):
            made.append(build.q(build.node(op, [a, b], **attributes), scale, zero))
            build.dq(made[-1], scale, zero)
        build.record(f'qdq_two_{kind}', {'x': reals(3, 4), 'y': reals(3, 4, seed=5)}, made, steps=max(steps, 1))


def products_of_integers():
    u8 = integers(4, 8, low=0, high=256, dtype=np.uint8)
    w = integers(8, 5, low=-128, high=128, dtype=np.int8)
    for kind, zero in (('u8', np.uint8(117)), ('s8', np.int8(-3))):
        for per_channel in (False, True):
            scales = np.linspace(0.005, 0.02, 5).astype(np.float32) if per_channel else np.float32(0.01)
            zeros = np.zeros_like(scales).astype(np.int8)
            for op in ('MatMul', 'Gemm'):
                build = Builder()
                x = build.dq(build.q('x', 0.025, zero), 0.025, zero)
                operands = [x, build.dq(w, scales, zeros, axis=1)]
                if op == 'Gemm':
                    bias = np.float32(0.025) * scales
                    operands.append(build.dq(integers(5, low=-500, high=500, dtype=np.int32), bias,
                                             np.zeros_like(scales).astype(np.int32), axis=0))
                out = build.q(build.node(op, operands), 0.03, zero)
                build.dq(out, 0.03, zero)
                build.record(f'qdq_{op}_{kind}_{per_channel}', {'x': reals(4, 8)}, [out])
        for fields in (dict(pads=[1, 1, 1, 1]), dict(strides=[2, 2]), dict(group=2), dict(dilations=[2, 1])):
            build = Builder()
            kernel = integers(4, 4 // fields.get('group', 1), 3, 3, low=-128, high=128, dtype=np.int8)
            conv = build.node('Conv', [build.dq(build.q('x', 0.025, zero), 0.025, zero), build.dq(kernel, 0.01, np.int8(0))], **fields)
            out = build.q(conv, 0.05, zero)
            build.dq(out, 0.05, zero)
            build.record(f'qdq_Conv_{kind}_{next(iter(fields))}', {'x': reals(1, 4, 6, 6)}, [out])
    case('', 'DynamicQuantizeLinear', [Feed(reals(4, 8))], 3)
    case('zeros', 'DynamicQuantizeLinear', [Feed(np.zeros((2, 3), np.float32))], 3)
    case('', 'MatMulInteger', [Feed(u8), w, np.uint8(7), np.int8(3)])
    case('columns', 'MatMulInteger', [Feed(u8), w, np.uint8(7), np.arange(5).astype(np.int8)])
    case('plain', 'MatMulInteger', [Feed(u8[:, None]), w])
    case('vector', 'MatMulInteger', [Feed(u8[0]), w])
    kernel = integers(4, 3, 3, 3, low=-128, high=128, dtype=np.int8)
    pixels = integers(1, 3, 6, 6, low=0, high=256, dtype=np.uint8)
    case('', 'ConvInteger', [Feed(pixels), kernel, np.uint8(7), np.int8(3)], pads=[1, 1, 1, 1])
    case('line', 'ConvInteger', [Feed(pixels[:, :, 0]), kernel[:, :, 0], np.uint8(7)])
    micro = 'com.microsoft::'
    case('', micro + 'DynamicQuantizeMatMul', [Feed(reals(4, 8)), w, np.float32(0.02), np.int8(0), reals(5)], relative=1e-6)
    case('columns', micro + 'DynamicQuantizeMatMul', [Feed(reals(4, 8)), w, positive(5), np.zeros(5, np.int8)], relative=1e-6)
    case('', micro + 'MatMulIntegerToFloat', [Feed(u8), w, np.float32(0.02), np.float32(0.03), np.uint8(4), np.int8(0), reals(5)],
         relative=1e-6)
    case('columns', micro + 'MatMulIntegerToFloat', [Feed(u8), w, np.float32(0.02), positive(5), np.uint8(4)], relative=1e-6)
    s, z = np.float32, np.uint8
    case('', 'QLinearMatMul', [Feed(u8), s(0.02), z(7), w, s(0.01), np.int8(0), s(0.2), z(120)])
    case('', 'QLinearConv', [Feed(pixels), s(0.02), z(7), kernel, s(0.01), np.int8(0), s(0.2), z(120),
                             integers(4, low=-300, high=300, dtype=np.int32)], pads=[1, 1, 1, 1])
    for op in ('QLinearAdd', 'QLinearMul'):
        case('', micro + op, [Feed(u8), s(0.02), z(7), Feed(u8[::-1].copy()), s(0.03), z(9), s(0.05), z(11)])
    for op in ('QLinearSigmoid', 'QLinearLeakyRelu'):
        case('', micro + op, [Feed(u8), s(0.02), z(107), s(0.02), z(10)])
    case('', micro + 'QLinearGlobalAveragePool', [Feed(pixels), s(0.02), z(7), s(0.03), z(9)], channels_last=0)
    case('last', micro + 'QLinearGlobalAveragePool', [Feed(pixels), s(0.02), z(7), s(0.03), z(9)], channels_last=1)
    case('', micro + 'QLinearAveragePool', [Feed(pixels), s(0.02), z(7), s(0.03), z(9)], kernel_shape=[2, 2])
    case('', micro + 'QLinearConcat', [s(0.03), z(9), Feed(u8), s(0.02), z(7), Feed(u8[:2]), s(0.03), z(9)], axis=0)
    case('', micro + 'QGemm', [Feed(u8), s(0.02), z(7), w, s(0.01), np.int8(0), integers(5, low=-300, high=300, dtype=np.int32),
                               s(0.2), z(120)], alpha=0.5)
    case('', micro + 'QLinearWhere', [Feed(u8 > 100), Feed(u8), s(0.02), z(7), Feed(u8[::-1].copy()), s(0.03), z(9), s(0.05), z(11)])


def stored():
    """How constants are stored: block by block, in four bits, as floats of eight bits."""
    x = reals(3, 8)
    for name, dtype, low in (('int4', TensorProto.INT4, -8), ('uint4', TensorProto.UINT4, 0)):
        weight = integers(8, 6, low=low, high=low + 16)
        for axis, scales, block in ((1, positive(6), 0), (0, positive(2, 6), 4), (None, np.float32(0.1), 0)):
            build = Builder()
            zeros = helper.make_tensor('', dtype, np.shape(scales), np.full(np.shape(scales), low // 2).flatten().tolist())
            packed = helper.make_tensor('', dtype, weight.shape, weight.flatten().tolist())
            fields = {} if axis is None else dict(axis=axis)
            if block:
                fields['block_size'] = block
            real = build.node('DequantizeLinear', [packed, scales, zeros], **fields)
            out = build.node('MatMul', ['x', real])
            # Optimized, it would quantize the other operand too.
            build.record(f'{name}_{axis}_{block}', {'x': x}, [out], relative=1e-5, optimized=False)
    for kind in ('FLOAT8E4M3FN', 'FLOAT8E4M3FNUZ', 'FLOAT8E5M2', 'FLOAT8E5M2FNUZ'):
        build = Builder()
        zero = build.constant(helper.make_tensor('', getattr(TensorProto, kind), [], [0.0]))
        small = build.node('QuantizeLinear', ['x', np.float32(0.5), zero])
        build.record(kind.lower(), {'x': reals(5, 40) * 30}, [build.node('DequantizeLinear', [small, np.float32(0.5), zero])])


def body(nodes, inputs, outputs):
    """A graph inside a node; (name, type, shape) of what it takes and gives."""
    return helper.make_graph([helper.make_node(op, given, made) for op, given, made in nodes], 'body',
                             [helper.make_tensor_value_info(*value) for value in inputs],
                             [helper.make_tensor_value_info(*value) for value in outputs])


def control_flow():
    yes = body([('Relu', ['x'], ['yes'])], [], [('yes', 1, [2, 3])])
    no = body([('Neg', ['x'], ['no'])], [], [('no', 1, [2, 3])])
    for condition in (False, True):
        build = Builder()
        made = build.node('If', ['condition'], then_branch=yes, else_branch=no)
        build.record(f'If_{condition}', {'x': reals(2, 3), 'condition': np.array(condition)}, [build.node('Abs', [made])])
    values = ([('i', 7, []), ('go', 9, []), ('s', 1, [3])], [('again', 9, []), ('next', 1, [3]), ('scan', 1, [3])])
    build = Builder()
    made = build.node('Loop', [np.int64(3), np.array(True), 'x'], 2, body=body(
        [('Identity', ['go'], ['again']), ('Add', ['s', 'x'], ['next']), ('Identity', ['next'], ['scan'])], *values))
    build.record('Loop', {'x': reals(3)}, made)
    build = Builder()
    small = body([('ReduceSum', ['s'], ['sum']), ('Less', ['sum', 'limit'], ['again']), ('Add', ['s', 'x'], ['next']),
                  ('Identity', ['next'], ['scan'])], *values)
    small.node[0].attribute.append(helper.make_attribute('keepdims', 0))
    build.record('Loop_until', {'x': positive(3), 'limit': np.array(9, np.float32)},
                 build.node('Loop', ['', np.array(True), 'x'], 2, body=small))


def models():
    """Whole models of tests/data, every quantized tensor of theirs."""
    for name, steps in (('tiny.qdq_u8s8', 0), ('tiny.qdq_a16w4', 1)):
        model = onnx.load(graph_record.TESTS / 'data' / 'onnx' / f'{name}.onnx')
        feeds = {}
        for value in model.graph.input:
            feeds[value.name] = reals(*[dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim])
        given = [output.name for output in model.graph.output]
        made = [node.output[0] for node in model.graph.node
                if node.op_type == 'QuantizeLinear' and not any(node.output[0] == name for name in given)]
        model.graph.output.extend(onnx.ValueInfoProto(name=result) for result in made)
        outputs = run(model, feeds)
        RECORDS.append(graph_record.record(name, 'onnxruntime', f'onnx/{name}.onnx', feeds,
                                           {key: outputs[key] for key in made}, steps))


if __name__ == '__main__':
    for family in (element_wise, binary, cast, products, convolutions, pools, reductions, normalizations, movements, creations,
                   resizes, quantized, products_of_integers, stored, control_flow, models):
        family()
    graph_record.write('onnx', RECORDS)
