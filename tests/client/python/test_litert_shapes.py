"""Shapes and parameters that do not go together, of float models of one operator: `quantgate check` finds a model
unsound exactly where LiteRT's reference kernels refuse to prepare or to run it, and calls it that, at the operator."""
import faulthandler
import json
import os
import pathlib
import subprocess
import sys

import pytest

numpy = pytest.importorskip('numpy')
litert = pytest.importorskip('ai_edge_litert.interpreter')
schema = pytest.importorskip('ai_edge_litert.schema_py_generated')
flatbuffers = pytest.importorskip('flatbuffers')

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'runtimes' / 'litert'))
from model import Case, Tensor, write  # noqa: E402

SAME, VALID, NEITHER = 0, 1, 7
LEFT_OUT = 'left out'
CODES = ('GS010', 'GS011', 'GS012', 'GS013')  # op-attributes, argument-count, shape-mismatch, parameter-range


def given(*shape):
    return Tensor('FLOAT32', shape)


def stored(*shape):
    return Tensor('FLOAT32', shape, data=numpy.zeros(shape, numpy.float32))


def ints(*numbers):
    return Tensor('INT32', numpy.shape(numbers), data=numpy.array(numbers, numpy.int32))


def with_bias(inputs, bias):
    if bias is None:
        return inputs
    return [*inputs, None if bias is LEFT_OUT else bias]


def number(value):
    return Tensor('INT32', (), data=numpy.array(value, numpy.int32))


def conv(filters, bias=None, channels=4, **fields):
    fields = {'padding': SAME, 'strideW': 1, 'strideH': 1, 'dilationWFactor': 1, 'dilationHFactor': 1, **fields}
    return 'CONV_2D', with_bias([given(2, 5, 5, channels), stored(*filters)], bias), ('Conv2DOptions', fields)


def depthwise(filters, bias=None, channels=4, **fields):
    fields = {'padding': SAME, 'strideW': 1, 'strideH': 1, 'dilationWFactor': 1, 'dilationHFactor': 1,
              'depthMultiplier': 1, **fields}
    return 'DEPTHWISE_CONV_2D', with_bias([given(2, 5, 5, channels), stored(*filters)], bias), ('DepthwiseConv2DOptions', fields)


def transposed(filters, bias=None, channels=4, padding=SAME):
    fields = {'padding': padding, 'strideW': 2, 'strideH': 2}
    inputs = [ints(2, 10, 10, filters[0]), stored(*filters), given(2, 5, 5, channels)]
    return 'TRANSPOSE_CONV', with_bias(inputs, bias), ('TransposeConvOptions', fields)


def pool(op, rank=4, padding=SAME):
    fields = {'padding': padding, 'strideW': 1, 'strideH': 1, 'filterWidth': 2, 'filterHeight': 2}
    return op, [given(*[5, 6, 7, 4][:rank])], ('Pool2DOptions', fields)


def dense(rows, shape=(3, 8), bias=None, keep=False):
    return 'FULLY_CONNECTED', with_bias([given(*shape), stored(*rows)], bias), ('FullyConnectedOptions', {'keepNumDims': keep})


def pair(op, left, right, table=None, **fields):
    return op, [given(*left), given(*right)], (table, fields) if table else None


# Each: operator, inputs, options. What LiteRT says of them is asked, not written down here.
CASES = {
    'conv_no_bias': conv((6, 3, 3, 4)),
    'conv_grouped': conv((6, 3, 3, 2), stored(6)),
    'conv_channels': conv((6, 3, 3, 3)),
    'conv_groups_of_outputs': conv((5, 3, 3, 2)),
    'conv_bias': conv((6, 3, 3, 4), stored(6)),
    'conv_bias_short': conv((6, 3, 3, 4), stored(5)),
    'conv_bias_one': conv((6, 3, 3, 4), stored(1)),
    'conv_bias_left_out': conv((6, 3, 3, 4), LEFT_OUT),
    'depthwise_bias_left_out': depthwise((1, 3, 3, 8), LEFT_OUT),
    'transposed_bias_left_out': transposed((6, 3, 3, 4), LEFT_OUT),
    'dense_bias_left_out': dense((5, 8), bias=LEFT_OUT),
    'conv_filter_of_three': conv((6, 3, 4)),
    'conv_padding': conv((6, 3, 3, 4), padding=NEITHER),
    'depthwise': depthwise((1, 3, 3, 8)),
    'depthwise_channels': depthwise((1, 3, 3, 6)),
    'depthwise_filters': depthwise((2, 3, 3, 4)),
    'depthwise_bias_long': depthwise((1, 3, 3, 4), stored(5)),
    'depthwise_padding': depthwise((1, 3, 3, 4), padding=NEITHER),
    'transposed': transposed((6, 3, 3, 4)),
    'transposed_channels': transposed((6, 3, 3, 5)),
    'transposed_bias': transposed((6, 3, 3, 4), stored(6)),
    'transposed_bias_short': transposed((6, 3, 3, 4), stored(4)),
    'dense': dense((5, 8)),
    'dense_flattens': dense((5, 12)),
    'dense_rows': dense((5, 8), bias=stored(5)),
    'dense_bias': dense((5, 8), bias=stored(8)),
    'dense_rank': dense((5, 2, 4)),
    'dense_keeps': dense((5, 8), (2, 3, 8), keep=True),
    'dense_keeps_other': dense((5, 12), (2, 3, 8), keep=True),
    'average': pool('AVERAGE_POOL_2D'),
    'average_of_three': pool('AVERAGE_POOL_2D', rank=3),
    'max_of_three': pool('MAX_POOL_2D', rank=3),
    'matmul': pair('BATCH_MATMUL', (2, 3, 4), (2, 4, 5), 'BatchMatMulOptions'),
    'matmul_inner': pair('BATCH_MATMUL', (2, 3, 4), (2, 3, 5), 'BatchMatMulOptions'),
    'matmul_turned': pair('BATCH_MATMUL', (2, 3, 4), (2, 5, 4), 'BatchMatMulOptions', adjY=True),
    'matmul_turned_inner': pair('BATCH_MATMUL', (2, 3, 4), (2, 4, 5), 'BatchMatMulOptions', adjY=True),
    'matmul_left_turned': pair('BATCH_MATMUL', (2, 4, 3), (2, 4, 5), 'BatchMatMulOptions', adjX=True),
    'squeezed': ('SQUEEZE', [given(2, 3)], ('SqueezeOptions', {'squeezeDims': [3]})),
    'expanded': ('EXPAND_DIMS', [given(2, 3), number(2)], None),
    'expanded_beyond': ('EXPAND_DIMS', [given(2, 3), number(4)], None),
    'expanded_before': ('EXPAND_DIMS', [given(2, 3), number(-3)], None),
    'transposes': ('TRANSPOSE', [given(2, 3, 4), ints(2, 0, 1)], None),
    'transposes_twice': ('TRANSPOSE', [given(2, 3, 4), ints(2, 0, 0)], None),
    'transposes_beyond': ('TRANSPOSE', [given(2, 3, 4), ints(3, 0, 1)], None),
    'transposes_too_few': ('TRANSPOSE', [given(2, 3, 4), ints(1, 0)], None),
    'reshaped': ('RESHAPE', [given(2, 6), ints(3, 4)], None),
    'reshaped_open': ('RESHAPE', [given(2, 6), ints(-1, 4)], None),
    'reshaped_open_twice': ('RESHAPE', [given(2, 6), ints(-1, -1)], None),
    'reshaped_negative': ('RESHAPE', [given(2, 6), ints(-3, -4)], None),
    'reshaped_to_more': ('RESHAPE', [given(2, 6), ints(3, 5)], None),
    'reshaped_open_to_more': ('RESHAPE', [given(2, 6), ints(-1, 5)], None),
    'reshaped_by_option': ('RESHAPE', [given(2, 6)], ('ReshapeOptions', {'newShape': [3, 4]})),
    'reshaped_by_option_to_more': ('RESHAPE', [given(2, 6)], ('ReshapeOptions', {'newShape': [3, 5]})),
    'padded': ('PAD', [given(2, 3), ints([0, 1], [2, 0])], None),
    'padded_negative': ('PAD', [given(2, 3), ints([0, 1], [-1, 0])], None),
    'padded_rows': ('PAD', [given(2, 3), ints([0, 1], [2, 0], [0, 0])], None),
    'mirrored': ('MIRROR_PAD', [given(2, 3), ints([0, 1], [2, 0])], ('MirrorPadOptions', {'mode': 0})),
    'resized': ('RESIZE_BILINEAR', [given(2, 3, 3, 4), ints(6, 6)], ('ResizeBilinearOptions', {})),
    'resized_to_nothing': ('RESIZE_BILINEAR', [given(2, 3, 3, 4), ints(6, 0)], ('ResizeBilinearOptions', {})),
    'nearest_to_less': ('RESIZE_NEAREST_NEIGHBOR', [given(2, 3, 3, 4), ints(6, -6)],
                        ('ResizeNearestNeighborOptions', {})),
    'strided': ('STRIDED_SLICE', [given(4, 6), ints(0, 0), ints(4, 6), ints(1, 2)], ('StridedSliceOptions', {})),
    'strided_zero': ('STRIDED_SLICE', [given(4, 6), ints(0, 0), ints(4, 6), ints(1, 0)], ('StridedSliceOptions', {})),
    'splits': ('SPLIT', [number(1), given(2, 6)], ('SplitOptions', {'numSplits': 1})),
    'splits_beyond': ('SPLIT', [number(2), given(2, 6)], ('SplitOptions', {'numSplits': 1})),
    'unpacked_beyond': ('UNPACK', [given(2, 6)], ('UnpackOptions', {'num': 1, 'axis': 2})),
    'gathered': ('GATHER', [given(3, 6), ints(0, 2)], ('GatherOptions', {'axis': -1})),
    'gathered_beyond': ('GATHER', [given(3, 6), ints(0, 2)], ('GatherOptions', {'axis': 2})),
    'packed': ('PACK', [given(3, 6), given(3, 6)], ('PackOptions', {'valuesCount': 2, 'axis': 2})),
    'packed_beyond': ('PACK', [given(3, 6), given(3, 6)], ('PackOptions', {'valuesCount': 2, 'axis': 3})),
    'joined': ('CONCATENATION', [given(3, 6), given(3, 5)], ('ConcatenationOptions', {'axis': 1})),
    'joined_from_the_end': ('CONCATENATION', [given(3, 6), given(3, 5)], ('ConcatenationOptions', {'axis': -1})),
    'joined_beyond': ('CONCATENATION', [given(3, 6), given(3, 5)], ('ConcatenationOptions', {'axis': 2})),
    'joined_other_rows': ('CONCATENATION', [given(3, 6), given(2, 5)], ('ConcatenationOptions', {'axis': 1})),
    'joined_other_rank': ('CONCATENATION', [given(3, 6), given(3, 5, 2)], ('ConcatenationOptions', {'axis': 1})),
}
for op, table in (('ADD', 'AddOptions'), ('SUB', 'SubOptions'), ('MUL', 'MulOptions'), ('DIV', 'DivOptions'),
                  ('MAXIMUM', None), ('MINIMUM', None), ('SQUARED_DIFFERENCE', None), ('POW', None),
                  ('EQUAL', None), ('LESS', None), ('GREATER_EQUAL', None)):
    CASES[f'{op}_spread'] = pair(op, (2, 3, 4), (3, 1), table)
    CASES[f'{op}_apart'] = pair(op, (2, 3, 4), (2, 4), table)
for op in ('MEAN', 'SUM', 'REDUCE_MAX', 'REDUCE_MIN', 'REDUCE_PROD'):
    CASES[f'{op}_last'] = op, [given(2, 3, 4), ints(-1, 0)], ('ReducerOptions', {})
    CASES[f'{op}_beyond'] = op, [given(2, 3, 4), ints(3)], ('ReducerOptions', {})
    CASES[f'{op}_before'] = op, [given(2, 3, 4), ints(-4)], ('ReducerOptions', {})
for op, table in (('ARG_MAX', 'ArgMaxOptions'), ('ARG_MIN', 'ArgMinOptions')):
    CASES[f'{op}_last'] = op, [given(2, 3, 4), number(2)], (table, {'outputType': 2})
    CASES[f'{op}_beyond'] = op, [given(2, 3, 4), number(3)], (table, {'outputType': 2})
CASES['cumulated_beyond'] = 'CUMSUM', [given(2, 3, 4), number(3)], ('CumsumOptions', {})
CASES['conv_window'] = conv((3, 5, 3, 4), padding=VALID)
CASES['conv_window_too_high'] = conv((3, 6, 3, 4), padding=VALID)
CASES['conv_window_dilated'] = conv((3, 3, 3, 4), padding=VALID, dilationWFactor=2)
CASES['conv_window_dilated_too_wide'] = conv((3, 3, 3, 4), padding=VALID, dilationWFactor=3)
CASES['conv_of_rank_3'] = 'CONV_2D', [given(5, 5, 4), *conv((3, 3, 3, 4))[1][1:]], conv((3, 3, 3, 4))[2]
CASES['conv_of_rank_5'] = 'CONV_2D', [given(1, 2, 5, 5, 4), *conv((3, 3, 3, 4))[1][1:]], conv((3, 3, 3, 4))[2]
CASES['depthwise_of_rank_3'] = ('DEPTHWISE_CONV_2D', [given(5, 5, 4), *depthwise((1, 3, 3, 4))[1][1:]],
                                depthwise((1, 3, 3, 4))[2])
CASES['reversed_beyond'] = 'REVERSE_V2', [given(2, 3, 4), ints(3)], None

CASES['packed_miscounted'] = 'PACK', [given(3, 6), given(3, 6)], ('PackOptions', {'valuesCount': 0, 'axis': 1})
CASES['joined_with_none'] = 'CONCATENATION', [given(3, 6), None], ('ConcatenationOptions', {'axis': 1})
CASES['reshaped_by_none'] = 'RESHAPE', [given(2, 6), None], ('ReshapeOptions', {'newShape': [3, 4]})
CASES['padded_by_none'] = 'PAD', [given(2, 3), None], None
CASES['added_to_none'] = 'ADD', [given(2, 3), None], ('AddOptions', {})
CASES['mean_of_none'] = 'MEAN', [given(2, 3), None], ('ReducerOptions', {})
for word, number_of_type in (('int32', 2), ('int64', 4), ('float32', 0), ('int8', 9), ('none', -1), ('beyond', 100)):
    CASES[f'shape_in_{word}'] = 'SHAPE', [given(2, 3)], ('ShapeOptions', {'outType': number_of_type})
    CASES[f'largest_in_{word}'] = 'ARG_MAX', [given(2, 3), number(1)], ('ArgMaxOptions', {'outputType': number_of_type})
for word, mode in (('reflected', 0), ('mirrored', 1)):
    for pads in ([[1, 1], [2, 2]], [[2, 0], [0, 3]], [[3, 0], [0, 0]], [[0, 0], [0, 4]]):
        CASES[f'{word}_by_{pads}'] = 'MIRROR_PAD', [given(2, 3), ints(*pads)], ('MirrorPadOptions', {'mode': mode})
for name, numbers in {'counts_up': (1, 6, 2), 'counts_down': (6, 1, -2), 'counts_to_itself': (3, 3, -1), 'counts_away': (1, 6, -2),
                      'counts_away_down': (6, 1, 2), 'counts_by_nothing': (1, 6, 0), 'counts_nothing': (3, 3, 0)}.items():
    CASES[name] = 'RANGE', [number(each) for each in numbers], ('RangeOptions', {})
CASES['gathered_elements'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 2, 3], [1, 0, 0])], None
CASES['gathered_slices'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 2], [1, 1])], None
CASES['gathered_slices_past'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 2], [1, 3])], None
CASES['gathered_slices_past_the_first'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 2], [2, 1])], None
CASES['gathered_slices_before'] = 'GATHER_ND', [given(2, 3, 4), ints([0, -1], [1, 1])], None
CASES['gathered_elements_past'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 2, 4], [1, 0, 0])], None
CASES['gathered_elements_before'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 2, -1], [1, 0, 0])], None
CASES['gathered_whole'] = 'GATHER_ND', [given(2, 3, 4), ints([1])], None
CASES['gathered_one'] = 'GATHER_ND', [given(2, 3, 4), ints(1, 2, 3)], None
CASES['gathered_one_past'] = 'GATHER_ND', [given(2, 3, 4), ints(1, 3, 3)], None
CASES['gathered_by_more'] = 'GATHER_ND', [given(2, 3, 4), ints([0, 0, 0, 0])], None
for word, number_of_type in (('float32', 0), ('none', -1), ('beyond', 100)):
    CASES[f'conv_bias_{word}'] = conv((6, 3, 3, 4), stored(6), quantizedBiasType=number_of_type)

CASES['reshaped_by_nothing'] = 'RESHAPE', [given(2, 6)], ('ReshapeOptions', {})
CASES['reshaped_one_by_nothing'] = 'RESHAPE', [given(1, 1)], ('ReshapeOptions', {})
CASES['reshaped_to_old_scalar'] = 'RESHAPE', [given(1, 1)], ('ReshapeOptions', {'newShape': [0]})
CASES['transposed_from_less'] = transposed((6, 3, 3, 4))
CASES['transposed_from_more'] = ('TRANSPOSE_CONV', [ints(2, 10, 10, 6), stored(6, 3, 3, 4), given(2, 6, 5, 4)],
                                 transposed((6, 3, 3, 4))[2])
CASES['transposed_without_padding'] = ('TRANSPOSE_CONV', [ints(2, 11, 12, 6), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                       transposed((6, 3, 3, 4), padding=VALID)[2])
CASES['transposed_without_padding_from_more'] = ('TRANSPOSE_CONV',
                                                 [ints(2, 11, 13, 6), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                                 transposed((6, 3, 3, 4), padding=VALID)[2])
CASES['sliced'] = 'SLICE', [given(4, 6), ints(1, 2), ints(3, -1)], None
CASES['sliced_too_much'] = 'SLICE', [given(4, 6), ints(1, 2), ints(4, -1)], None
CASES['sliced_by_less'] = 'SLICE', [given(4, 6), ints(1, 2), ints(3, -2)], None
CASES['split_in_three'] = 'SPLIT', [number(1), given(2, 6)], ('SplitOptions', {'numSplits': 1})
CASES['split_unevenly'] = 'SPLIT', [number(1), given(2, 5)], ('SplitOptions', {'numSplits': 2})
CASES['squeezed_one'] = 'SQUEEZE', [given(2, 1, 3)], ('SqueezeOptions', {'squeezeDims': [1]})
CASES['squeezed_more'] = 'SQUEEZE', [given(2, 2, 3)], ('SqueezeOptions', {'squeezeDims': [1]})
CASES['deepened'] = 'SPACE_TO_DEPTH', [given(1, 4, 6, 3)], ('SpaceToDepthOptions', {'blockSize': 2})
CASES['deepened_unevenly'] = 'SPACE_TO_DEPTH', [given(1, 4, 5, 3)], ('SpaceToDepthOptions', {'blockSize': 2})
CASES['flattened'] = 'DEPTH_TO_SPACE', [given(1, 4, 6, 8)], ('DepthToSpaceOptions', {'blockSize': 2})
CASES['flattened_unevenly'] = 'DEPTH_TO_SPACE', [given(1, 4, 6, 6)], ('DepthToSpaceOptions', {'blockSize': 2})

CASES['transposed_to_less_channels'] = ('TRANSPOSE_CONV', [ints(2, 10, 10, 5), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                        transposed((6, 3, 3, 4))[2])
CASES['transposed_to_negative'] = ('TRANSPOSE_CONV', [ints(2, 10, -10, 6), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                   transposed((6, 3, 3, 4))[2])
CASES['conv_of_nothing'] = 'CONV_2D', [given(1, 0, 5, 4), stored(6, 3, 3, 4), stored(6)], conv((6, 3, 3, 4))[2]
CASES['conv_of_no_images'] = 'CONV_2D', [given(0, 5, 5, 4), stored(6, 3, 3, 4), stored(6)], conv((6, 3, 3, 4))[2]
CASES['transposes_by_matrix'] = 'TRANSPOSE', [given(2, 3, 4), ints([2, 0, 1])], None
CASES['resized_by_matrix'] = 'RESIZE_BILINEAR', [given(2, 3, 3, 4), ints([6, 6])], ('ResizeBilinearOptions', {})
CASES['strided_by_matrix'] = ('STRIDED_SLICE', [given(4, 6), ints([0, 0]), ints(4, 6), ints(1, 2)],
                              ('StridedSliceOptions', {}))
CASES['sliced_by_matrix'] = 'SLICE', [given(4, 6), ints([1, 2]), ints(3, -1)], None
CASES['reshaped_by_matrix'] = 'RESHAPE', [given(2, 6), ints([3, 4])], None
CASES['reshaped_by_matrix_and_option'] = 'RESHAPE', [given(2, 6), ints([3, 5])], ('ReshapeOptions', {'newShape': [3, 4]})
CASES['tiled'] = 'TILE', [given(2, 3), ints(2, 1)], None
CASES['tiled_too_often'] = 'TILE', [given(2, 3), ints(2, 1, 2)], None
CASES['joined_and_rectified'] = ('CONCATENATION', [given(3, 6), given(3, 5)],
                                 ('ConcatenationOptions', {'axis': 1, 'fusedActivationFunction': 1}))
CASES['dense_shuffled'] = ('FULLY_CONNECTED', [given(3, 8), stored(5, 8)], ('FullyConnectedOptions', {'weightsFormat': 1}))
CASES['dense_of_no_format'] = ('FULLY_CONNECTED', [given(3, 8), stored(5, 8)], ('FullyConnectedOptions', {'weightsFormat': 2}))

CASES['transposed_to_nothing'] = ('TRANSPOSE_CONV', [ints(2, 0, 10, 6), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                  transposed((6, 3, 3, 4))[2])
CASES['transposed_to_less_images'] = ('TRANSPOSE_CONV', [ints(1, 10, 10, 6), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                      transposed((6, 3, 3, 4))[2])
CASES['transposed_by_matrix'] = ('TRANSPOSE_CONV', [ints([2, 10], [10, 6]), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                                 transposed((6, 3, 3, 4))[2])
CASES['gathered_last'] = 'GATHER', [given(3, 6), ints(0, 5)], ('GatherOptions', {'axis': -1})
CASES['gathered_past'] = 'GATHER', [given(3, 6), ints(0, 6)], ('GatherOptions', {'axis': -1})
CASES['gathered_from_the_end'] = 'GATHER', [given(3, 6), ints(0, -1)], ('GatherOptions', {'axis': 0})
CASES['spread'] = 'BROADCAST_TO', [given(3, 1), ints(2, 3, 4)], None, 2
CASES['spread_otherwise'] = 'BROADCAST_TO', [given(3, 1), ints(2, 4, 4)], None, 2
CASES['spread_to_less'] = 'BROADCAST_TO', [given(3, 1), ints(3)], None, 2

CASES['strided_by_less'] = ('STRIDED_SLICE', [given(4, 6), ints(0, 0), ints(4), ints(1, 2)], ('StridedSliceOptions', {}))
CASES['spread_by_matrix'] = 'BROADCAST_TO', [given(3, 1), ints([2, 3, 4])], None, 2
CASES['packed_others'] = 'PACK', [given(3, 6), given(3, 5)], ('PackOptions', {'valuesCount': 2, 'axis': 1})
CASES['packed_other_rank'] = 'PACK', [given(3, 6), given(3, 6, 2)], ('PackOptions', {'valuesCount': 2, 'axis': 1})

def batch_to_space(shape, blocks, crops):
    return 'BATCH_TO_SPACE_ND', [given(*shape), ints(*blocks), ints(*crops)], None


def space_to_batch(shape, blocks, pads):
    return 'SPACE_TO_BATCH_ND', [given(*shape), ints(*blocks), ints(*pads)], None


def splits(sizes, axis=1, number_of_splits=1, shape=(2, 6)):
    return 'SPLIT_V', [given(*shape), ints(*sizes), axis], ('SplitVOptions', {'numSplits': number_of_splits})


def selects(operator, choice, left, right):
    table = ('SelectOptions' if operator == 'SELECT' else 'SelectV2Options', {})
    return operator, [Tensor('BOOL', choice), given(*left), given(*right)], table


# Counts, sizes and positions.
CASES.update({
    'mirrored_by_no_mode': ('MIRROR_PAD', [given(2, 3), ints([0, 1], [2, 0])], ('MirrorPadOptions', {'mode': 2})),
    'mirrored_without_options': ('MIRROR_PAD', [given(2, 3), ints([0, 1], [2, 0])], None),
    'unpacked': ('UNPACK', [given(1, 6)], ('UnpackOptions', {'num': 1, 'axis': 0})),
    'unpacked_miscounted': ('UNPACK', [given(1, 6)], ('UnpackOptions', {'num': 2, 'axis': 0})),
    'unpacked_without_options': ('UNPACK', [given(1, 6)], None),
    'unpacked_in_part': ('UNPACK', [given(1, 6)], ('UnpackOptions', {'num': 1, 'axis': -1})),
    'split_miscounted': ('SPLIT', [number(1), given(2, 6)], ('SplitOptions', {'numSplits': 2})),
    'split_by_no_axis': ('SPLIT', [ints(), given(2, 6)], ('SplitOptions', {'numSplits': 1})),
    'split_into': splits([6], number(1)), 'split_into_open': splits([-1], number(-1)),
    'split_into_less': splits([5], number(1)), 'split_into_more': splits([7], number(1)),
    'split_into_two': splits([3, 3], number(1)), 'split_into_miscounted': splits([6], number(1), 2),
    'split_into_beyond': splits([6], number(2)), 'split_into_before': splits([6], number(-3)),
    'sliced_from_before': ('SLICE', [given(4, 6), ints(-1, 2), ints(3, 2)], None),
    'sliced_from_less': ('SLICE', [given(4, 6), ints(1), ints(3, 2)], None),
    'sliced_by_more': ('SLICE', [given(4, 6), ints(1, 2), ints(3, 2, 1)], None),
    'sliced_of_more': ('SLICE', [given(4, 6, 2), ints(1, 2), ints(3, 2)], None),
    'tiled_never': ('TILE', [given(2, 3), ints(0, 1)], None),
    'tiled_negative': ('TILE', [given(2, 3), ints(2, -1)], None),
    'spread_to_negative': ('BROADCAST_TO', [given(3, 1), ints(-2, 3, 4)], None, 2),
    'filled': ('FILL', [ints(2, 3), stored()], None), 'filled_negative': ('FILL', [ints(2, -3), stored()], None),
    'filled_by_vector': ('FILL', [ints(2, 3), stored(1)], None),
    'batched': space_to_batch((1, 4, 6, 3), (2, 3), ([0, 0], [0, 0])),
    'batched_padded': space_to_batch((1, 3, 6, 3), (2, 3), ([0, 1], [1, 2])),
    'batched_unevenly': space_to_batch((1, 4, 5, 3), (2, 3), ([0, 0], [0, 0])),
    'batched_by_nothing': space_to_batch((1, 4, 6, 3), (2, 0), ([0, 0], [0, 0])),
    'batched_by_negative': space_to_batch((1, 4, 6, 3), (2, -3), ([0, 0], [0, 0])),
    'batched_by_more': space_to_batch((1, 4, 6, 3), (2, 3, 1), ([0, 0], [0, 0])),
    'batched_of_rank_3': space_to_batch((1, 4, 3), (2,), ([0, 0],)),
    'batched_of_rank_5': space_to_batch((1, 4, 6, 2, 3), (2, 3, 1), ([0, 0], [0, 0], [0, 0])),
    'batched_padded_by_less': space_to_batch((1, 4, 6, 3), (2, 3), ([0, 0],)),
    'unbatched': batch_to_space((6, 2, 2, 3), (2, 3), ([0, 0], [0, 0])),
    'unbatched_cropped': batch_to_space((6, 2, 2, 3), (2, 3), ([1, 1], [0, 5])),
    'unbatched_cropped_negative': batch_to_space((6, 2, 2, 3), (2, 3), ([-1, 1], [0, 0])),
    'unbatched_cropped_too_much': batch_to_space((6, 2, 2, 3), (2, 3), ([3, 3], [0, 0])),
    'unbatched_unevenly': batch_to_space((5, 2, 2, 3), (2, 3), ([0, 0], [0, 0])),
    'unbatched_by_nothing': batch_to_space((6, 2, 2, 3), (2, 0), ([0, 0], [0, 0])),
    'unbatched_by_less': batch_to_space((6, 2, 2, 3), (2,), ([0, 0], [0, 0])),
    'unbatched_of_rank_5': batch_to_space((6, 2, 2, 3, 1), (2, 3, 1), ([0, 0], [0, 0], [0, 0])),
    'deepened_of_rank_3': ('SPACE_TO_DEPTH', [given(4, 6, 3)], ('SpaceToDepthOptions', {'blockSize': 2})),
    'flattened_of_rank_5': ('DEPTH_TO_SPACE', [given(1, 4, 6, 2, 8)], ('DepthToSpaceOptions', {'blockSize': 2})),
    'resized_of_rank_3': ('RESIZE_BILINEAR', [given(3, 3, 4), ints(6, 6)], ('ResizeBilinearOptions', {})),
    'nearest_of_rank_5': ('RESIZE_NEAREST_NEIGHBOR', [given(1, 3, 3, 4, 1), ints(6, 6)],
                          ('ResizeNearestNeighborOptions', {})),
    'resized_by_less': ('RESIZE_BILINEAR', [given(2, 3, 3, 4), ints(6)], ('ResizeBilinearOptions', {})),
    'transposed_of_rank_3': ('TRANSPOSE_CONV', [ints(2, 10, 10, 6), stored(6, 3, 3, 4), given(2, 5, 4)],
                             transposed((6, 3, 3, 4))[2]),
    'transposed_by_less': ('TRANSPOSE_CONV', [ints(2, 10, 10), stored(6, 3, 3, 4), given(2, 5, 5, 4)],
                           transposed((6, 3, 3, 4))[2]),
    'transposed_to_less_than_the_filter': ('TRANSPOSE_CONV', [ints(2, 2, 11, 6), stored(6, 3, 3, 4), given(2, 1, 5, 4)],
                                           transposed((6, 3, 3, 4), padding=VALID)[2]),
    'depthwise_window': depthwise((1, 5, 3, 4), padding=VALID),
    'depthwise_window_too_high': depthwise((1, 6, 3, 4), padding=VALID),
    'depthwise_window_dilated_too_wide': depthwise((1, 3, 3, 4), padding=VALID, dilationWFactor=3),
    'matmul_batches': pair('BATCH_MATMUL', (2, 3, 4), (3, 4, 5), 'BatchMatMulOptions'),
    'matmul_batches_spread': pair('BATCH_MATMUL', (2, 1, 3, 4), (3, 4, 5), 'BatchMatMulOptions'),
    'selected': selects('SELECT', (2, 3), (2, 3), (2, 3)), 'selected_by_rows': selects('SELECT', (2,), (2, 3), (2, 3)),
    'selected_by_one': selects('SELECT', (), (2, 3), (2, 3)), 'selected_by_many': selects('SELECT', (3,), (2, 3), (2, 3)),
    'selected_of_others': selects('SELECT', (2, 3), (2, 3), (2, 4)),
    'selected_by_rows_of_others': selects('SELECT', (2,), (2, 3), (2, 4)),
    'selected_by_others': selects('SELECT', (2, 1), (2, 3), (2, 3)),
    'selected_spread': selects('SELECT_V2', (2, 1), (3,), (1, 3)),
    'selected_apart': selects('SELECT_V2', (2, 1), (3,), (1, 4)),
    'selected_by_apart': selects('SELECT_V2', (4, 3), (1, 3), (2, 3)),
    'sloped': ('PRELU', [given(1, 5, 2, 4), stored(1, 1, 4)], None),
    'sloped_apart': ('PRELU', [given(1, 5, 2, 4), stored(1, 1, 3)], None),
    'sloped_to_more': ('PRELU', [given(1, 5, 2, 1), stored(1, 1, 3)], None),
    'sloped_of_rank': ('PRELU', [given(5, 2, 4), stored(1, 1, 1, 4)], None),
    'summed': ('ADD_N', [given(2, 3), given(2, 3)], None), 'summed_spread': ('ADD_N', [given(2, 3), given(1, 3)], None),
    'both': ('LOGICAL_AND', [Tensor('BOOL', (2, 3)), Tensor('BOOL', (3,))], None),
    'both_apart': ('LOGICAL_AND', [Tensor('BOOL', (2, 3)), Tensor('BOOL', (2,))], None),
    'either_apart': ('LOGICAL_OR', [Tensor('BOOL', (2, 3)), Tensor('BOOL', (2,))], None),
    'gathered_by_batches': ('GATHER', [given(2, 3, 4), ints([0, 2], [1, 1])], ('GatherOptions', {'axis': 1, 'batchDims': 1})),
    'gathered_by_batches_beyond': ('GATHER', [given(2, 3, 4), ints([0, 1], [1, 1])],
                                   ('GatherOptions', {'axis': 0, 'batchDims': 1})),
    'gathered_by_batches_from_the_end': ('GATHER', [given(2, 3, 4), ints([0, 1], [1, 1])],
                                         ('GatherOptions', {'axis': 0, 'batchDims': -1})),
    'one_hot': ('ONE_HOT', [ints(0, 2), number(3), stored(), stored()], ('OneHotOptions', {'axis': -1})),
    'one_hot_beyond': ('ONE_HOT', [ints(0, 2), number(3), stored(), stored()], ('OneHotOptions', {'axis': 2})),
    'one_hot_first': ('ONE_HOT', [ints(0, 2), number(3), stored(), stored()], ('OneHotOptions', {'axis': 0})),
    'one_hot_before': ('ONE_HOT', [ints(0, 2), number(3), stored(), stored()], ('OneHotOptions', {'axis': -2})),
    'one_hot_negative': ('ONE_HOT', [ints(0, 2), number(-3), stored(), stored()], ('OneHotOptions', {'axis': -1})),
    'one_hot_of_two_depths': ('ONE_HOT', [ints(0, 2), ints(3, 3), stored(), stored()], ('OneHotOptions', {'axis': -1})),
    'looked_up': ('EMBEDDING_LOOKUP', [ints(0, 4), stored(5, 3)], None),
    'looked_up_past': ('EMBEDDING_LOOKUP', [ints(0, 5), stored(5, 3)], None),
    'looked_up_before': ('EMBEDDING_LOOKUP', [ints(0, -1), stored(5, 3)], None),
    'updated': ('DYNAMIC_UPDATE_SLICE', [given(4, 5), given(2, 2), ints(1, 1)], None),
    'updated_from_less': ('DYNAMIC_UPDATE_SLICE', [given(4, 5), given(2, 2), ints(1)], None),
    'updated_by_less': ('DYNAMIC_UPDATE_SLICE', [given(4, 5), given(2), ints(1, 1)], None),
    'expanded_twice': ('EXPAND_DIMS', [given(2, 3), ints(0, 1)], None),
    'cumulated': ('CUMSUM', [given(2, 3, 4), number(1)], ('CumsumOptions', {})),
    'cumulated_twice': ('CUMSUM', [given(2, 3, 4), ints(0, 1)], ('CumsumOptions', {})),
    'largest_along_two': ('ARG_MAX', [given(2, 3, 4), ints(0, 1)], ('ArgMaxOptions', {'outputType': 2})),
    'reversed': ('REVERSE_V2', [given(2, 3, 4), ints(0, 1)], None),
    'reversed_from_the_end': ('REVERSE_V2', [given(2, 3, 4), ints(-1, 1)], None),
    'reversed_apart': ('REVERSE_V2', [given(2, 3, 4), ints(0, 2)], None),
    'reversed_along_nothing': ('REVERSE_V2', [given(2, 3, 4), ints()], None),
    'normalized': ('L2_NORMALIZATION', [given(2, 3)], ('L2NormOptions', {})),
    'normalized_and_rectified': ('L2_NORMALIZATION', [given(2, 3)], ('L2NormOptions', {'fusedActivationFunction': 1})),
    'dense_and_rectified': ('FULLY_CONNECTED', [given(3, 8), stored(5, 8)], ('FullyConnectedOptions', {'fusedActivationFunction': 3})),
    'dense_and_bent': ('FULLY_CONNECTED', [given(3, 8), stored(5, 8)], ('FullyConnectedOptions', {'fusedActivationFunction': 4})),
    'dense_and_signed': ('FULLY_CONNECTED', [given(3, 8), stored(5, 8)], ('FullyConnectedOptions', {'fusedActivationFunction': 5})),
    'padded_with': ('PADV2', [given(2, 3), ints([0, 1], [2, 0]), stored(1)], None),
    'padded_with_two': ('PADV2', [given(2, 3), ints([0, 1], [2, 0]), stored(2)], None),
})

# LiteRT does not look, and computes something else than the model says.
CASES['average_padding'] = pool('AVERAGE_POOL_2D', padding=NEITHER)
CASES['max_padding'] = pool('MAX_POOL_2D', padding=NEITHER)
UNASKED = {'transposes_twice': 'an axis of the result reads one that another reads as well',
           'depthwise_window_too_high': 'the result has no elements',
           'average_padding': 'the result has no elements', 'max_padding': 'the result has no elements',
           'shape_in_another_type': 'the result is of the type of the option',
           'largest_in_another_type': 'the result is of the type of the option'}
ROWS = 'SCATTER_ND', ('ScatterNdOptions', {})
CASES |= {
    'scattered': (ROWS[0], [ints([1], [0]), given(2, 3), ints(4, 3)], ROWS[1]),
    'scattered_apart': (ROWS[0], [ints([1], [0]), given(3, 3), ints(4, 3)], ROWS[1]),
    'scattered_alone': (ROWS[0], [ints([1], [0]), stored(), ints(4, 3)], ROWS[1]),
    'stable_sum': ('STABLEHLO_ADD', [given(2, 3), given(2, 3)], None),
    'stable_sum_spread': ('STABLEHLO_ADD', [given(2, 3), given(1, 3)], None),
    'stable_largest_flat': ('STABLEHLO_MAXIMUM', [given(2, 3), given(3)], None),
    'neighbors': ('LOCAL_RESPONSE_NORMALIZATION', [given(1, 2, 2, 3)], ('LocalResponseNormalizationOptions', {'radius': 1})),
    'neighbors_of_three_axes': ('LOCAL_RESPONSE_NORMALIZATION', [given(2, 2, 3)],
                                ('LocalResponseNormalizationOptions', {'radius': 1}))}
CASES['shape_in_another_type'] = 'SHAPE', [given(2, 3)], ('ShapeOptions', {'outType': 4})
CASES['largest_in_another_type'] = 'ARG_MAX', [given(2, 3), number(1)], ('ArgMaxOptions', {'outputType': 4})


def load(model):
    try:
        interpreter = litert.Interpreter(model_content=model, num_threads=1,
                                         experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        interpreter.invoke()
    except (RuntimeError, ValueError) as error:
        return str(error).strip() or 'refused'
    return ''


def refusal(model):
    """What LiteRT says, or how it died: in a process of its own."""
    read, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        os.write(write_end, load(model).encode()[:4096])
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read, 'rb') as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return f'signal {os.WTERMSIG(status)}' if os.WIFSIGNALED(status) else said or None


@pytest.mark.parametrize('name', sorted(CASES))
def test_unsound_where_litert_refuses(name, tmp_path):
    operator, inputs, options, version = (*CASES[name], 1)[:4]
    kind = {'ARG_MAX': 'INT32', 'ARG_MIN': 'INT32', 'EQUAL': 'BOOL', 'LESS': 'BOOL', 'GREATER_EQUAL': 'BOOL', 'SHAPE': 'INT32',
            'LOGICAL_AND': 'BOOL', 'LOGICAL_OR': 'BOOL', 'RANGE': 'INT32'}
    # Shapes of results are LiteRT's to find.
    model = write(Case(operator, inputs, [Tensor('INT64' if name.endswith('_int64') else kind.get(operator, 'FLOAT32'), ())], options, version))
    path = tmp_path / 'model.tflite'
    path.write_bytes(model)
    done = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--format', 'json', '--quiet'],
                          capture_output=True, text=True, timeout=60)
    findings = json.loads(done.stdout)['results'][0].get('findings', [])
    unsound = [finding['message'] for finding in findings if finding['code'] in CODES]
    assert [finding['code'] for finding in findings if finding['severity'] == 'ERROR'
            and finding['code'] not in CODES] == [], findings
    assert all(finding['location']['node'] == '#0' for finding in findings)
    refused = refusal(model)
    if name in UNASKED:
        assert refused is None and unsound, UNASKED[name]
    else:
        assert bool(unsound) == bool(refused), f'quantgate: {unsound}; LiteRT: {refused}'


@pytest.mark.parametrize('options', [None, ('FullyConnectedOptions', {})])
@pytest.mark.parametrize('kind', ['INT8', 'INT16'])
def test_dense_without_options(kind, options, tmp_path):
    """The type of the bias is one of the options, which only the kernel of int16 needs."""
    weights = Tensor('INT8', (5, 8), [0.1], [0], data=numpy.ones((5, 8)))
    model = write(Case('FULLY_CONNECTED', [Tensor(kind, (3, 8), [0.1], [0]), weights], [Tensor(kind, (3, 5), [0.1], [0])], options, 7))
    path = tmp_path / 'model.tflite'
    path.write_bytes(model)
    done = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--format', 'json', '--quiet'],
                          capture_output=True, text=True, timeout=60)
    codes = [finding['code'] for finding in json.loads(done.stdout)['results'][0].get('findings', [])]
    assert codes == (['GS013'] if refusal(model) else [])
    assert bool(codes) == (kind == 'INT16' and options is None)


NHWC = given(1, 6, 8, 4)
# Operators whose results' shapes follow: LiteRT is asked what they are.
MADE = {
    'conv_same': conv((6, 3, 3, 4), stored(6), strideW=2), 'conv_valid': conv((6, 3, 2, 4), stored(6), padding=VALID, strideH=2),
    'conv_dilated': conv((6, 2, 2, 4), stored(6), padding=VALID, dilationWFactor=3),
    'depthwise_valid': depthwise((1, 3, 2, 8), padding=VALID), 'depthwise_dilated': depthwise((1, 2, 2, 8), padding=VALID, dilationHFactor=3),
    'transposed': transposed((6, 3, 3, 4)),
    'average': ('AVERAGE_POOL_2D', [NHWC], ('Pool2DOptions', {'padding': VALID, 'strideW': 2, 'strideH': 3, 'filterWidth': 3,
                                                             'filterHeight': 2})),
    'largest': pool('MAX_POOL_2D'), 'dense': dense((5, 8)), 'dense_keeps': dense((5, 8), (2, 3, 8), keep=True),
    'dense_flattens': dense((5, 12)), 'matmul': CASES['matmul'], 'matmul_turned': CASES['matmul_turned'],
    'matmul_spread': pair('BATCH_MATMUL', (2, 1, 3, 4), (5, 4, 6), 'BatchMatMulOptions'),
    'added': pair('ADD', (2, 1, 4), (3, 1), 'AddOptions'), 'powered': pair('POW', (4,), (2, 3, 1)), 'compared': pair('LESS', (4,), (2, 1)),
    'joined': CASES['joined'], 'joined_from_the_end': CASES['joined_from_the_end'], 'packed': CASES['packed'],
    'expanded': CASES['expanded'], 'expanded_before': CASES['expanded_before'],
    'squeezed': CASES['squeezed_one'], 'squeezed_all': ('SQUEEZE', [given(1, 3, 1, 2)], ('SqueezeOptions', {})),
    'reshaped': CASES['reshaped'], 'reshaped_open': CASES['reshaped_open'], 'reshaped_by_option': CASES['reshaped_by_option'],
    'transposes': CASES['transposes'], 'indexed': CASES['ARG_MAX_last'], 'indexed_first': (
        'ARG_MIN', [given(2, 3, 4), number(0)], ('ArgMinOptions', {'outputType': 2})),
    'mean': CASES['MEAN_last'], 'sum_kept': ('SUM', [given(2, 3, 4), ints(-2)], ('ReducerOptions', {'keepDims': True})),
    'largest_of_all': ('REDUCE_MAX', [given(2, 3), ints(0, 1)], ('ReducerOptions', {})),
    'padded': CASES['padded'], 'mirrored': CASES['mirrored'],
    'padded_with': ('PADV2', [given(2, 3), ints([0, 1], [2, 0]), stored()], None),
    'sliced': CASES['sliced'], 'resized': CASES['resized'],
    'nearest': ('RESIZE_NEAREST_NEIGHBOR', [NHWC, ints(3, 9)], ('ResizeNearestNeighborOptions', {})),
    'gathered': CASES['gathered'],
    'gathered_rows': ('GATHER', [given(3, 6), ints([0, 2, 1], [1, 1, 1])], ('GatherOptions', {'axis': 0})),
    'gathered_in_batches': ('GATHER', [given(2, 3, 4), ints([0, 2], [1, 1])], ('GatherOptions', {'axis': 1, 'batchDims': 1})),
    'split': CASES['split_in_three'], 'deepened': CASES['deepened'], 'flattened': CASES['flattened'],
    'softmax': ('SOFTMAX', [given(2, 3)], ('SoftmaxOptions', {'beta': 1.0})), 'counted': ('SHAPE', [given(2, 3)], ('ShapeOptions', {'outType': 2})),
    'tiled': ('TILE', [given(2, 3), ints(2, 1)], None), 'filled': ('FILL', [ints(2, 3), stored()], None),
    'selected': ('SELECT_V2', [Tensor('BOOL', (2, 1)), given(3), given(1, 3)], None),
    'accumulated': ('CUMSUM', [given(2, 3, 4), number(1)], ('CumsumOptions', {})), 'rectified': ('RELU', [given(2, 3)], None),
}
for number_of_case, (shape, begin, end, strides, masks) in enumerate([
        ((4, 6), (0, 0), (4, 6), (1, 2), {}), ((4, 6), (1, -2), (-1, 6), (1, 1), {}), ((4, 6), (3, 5), (0, 0), (-1, -2), {}),
        ((4, 6), (1, 1), (2, 2), (1, 1), {'shrinkAxisMask': 2}), ((4, 6), (2,), (9,), (1,), {}),
        ((4, 6), (2, 3), (0, 0), (1, 3), {'endMask': 3}), ((4, 6), (2, 3), (0, 1), (-1, -1), {'beginMask': 2, 'endMask': 1}),
        ((4, 6, 2), (-9, 1), (9, 6), (3, 4), {}), ((4, 6), (3, 0), (1, 6), (1, 1), {})]):
    MADE[f'strided_{number_of_case}'] = ('STRIDED_SLICE', [given(*shape), ints(*begin), ints(*end), ints(*strides)],
                                         ('StridedSliceOptions', masks))


@pytest.mark.parametrize('name', sorted(MADE))
def test_declared_shapes(name, tmp_path):
    """The shape that LiteRT gives a result is the one that passes; another of the same rank and one of another rank are
    said to be declared otherwise, and nothing else is said."""
    operator, inputs, options = MADE[name]
    kind = {'ARG_MAX': 'INT32', 'ARG_MIN': 'INT32', 'LESS': 'BOOL', 'SHAPE': 'INT32'}.get(operator, 'FLOAT32')
    interpreter = litert.Interpreter(model_content=write(Case(operator, inputs, [Tensor(kind, ())], options)), num_threads=1,
                                     experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    made = [int(size) for size in interpreter.get_output_details()[0]['shape']]
    path = tmp_path / 'model.tflite'
    # What is declared as 1, or without any sizes, may be found as the model runs.
    for declared, said in ((made, False), ([size + 7 for size in made] or [7], True), ([*made, 7], True)):
        path.write_bytes(write(Case(operator, inputs, [Tensor(kind, tuple(declared))], options)))
        done = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--format', 'json', '--quiet'],
                              capture_output=True, text=True, timeout=60)
        findings = json.loads(done.stdout)['results'][0].get('findings', [])
        codes = [finding['code'] for finding in findings if finding['severity'] != 'INFO']
        # SLICE alone insists on what is declared.
        insists = said and operator == 'SLICE'
        assert (refusal(path.read_bytes()) is not None) == insists
        assert codes == (['GS012'] if insists else ['FI015'] if said else []), (made, declared, findings)


def relu(**quantized):
    given = Tensor('INT8', (1, 4, 6), **{'scales': [0.1], 'zero_points': [3], 'axis': 0, **quantized})
    return Case('RELU', [given], [Tensor('INT8', (1, 4, 6), scales=[0.1], zero_points=[3])])


@pytest.mark.parametrize('quantized, code', [
    ({}, None), ({'zero_points': [0]}, None), ({'axis': 2}, None),
    ({'zero_points': []}, 'AX001'), ({'zero_points': [3, 3]}, 'AX001'), ({'axis': 3}, 'AX002'), ({'axis': -1}, 'AX002'),
    ({'axis': 9}, 'AX002')])
def test_tables_of_quantization(quantized, code, tmp_path):
    """LiteRT counts zero points, none included, and asks of one scale, too, that its axis is one."""
    path = tmp_path / 'model.tflite'
    path.write_bytes(write(relu(**quantized)))
    assert (refusal(path.read_bytes()) is None) == (code is None)
    report = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', str(path), '--format', 'json', '--quiet'],
                            capture_output=True, text=True, timeout=60)
    errors = {finding['code'] for finding in json.loads(report.stdout)['results'][0].get('findings', [])
              if finding['severity'] == 'ERROR'}
    assert errors == ({code} if code else set())


def changed(change):
    """A sum with a constant; `change` edits its tables."""
    case = Case('ADD', [given(2, 3, 4), stored(2, 3, 4)], [given(2, 3, 4)], ('AddOptions', {}))
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(write(case)))
    change(model, model.subgraphs[0].tensors[1])
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b'TFL3')
    return bytes(builder.Output())


def sign(model, key='serving_default', inputs=(), outputs=()):
    signature = schema.SignatureDefT()
    signature.signatureKey, signature.inputs, signature.outputs, signature.subgraphIndex = key, inputs, outputs, 0
    model.signatureDefs = [signature]


def thin(tensor, order, formats):
    tensor.sparsity = schema.SparsityParametersT()
    tensor.sparsity.traversalOrder = order
    tensor.sparsity.dimMetadata = formats


def dimension(size, form=0):
    made = schema.DimensionMetadataT()
    made.format, made.denseSize = form, size
    return made


dense = [dimension(2), dimension(3), dimension(4)]


@pytest.mark.parametrize('change, loads', [
    (lambda model, tensor: sign(model), True),
    (lambda model, tensor: sign(model, key=None), False),
    (lambda model, tensor: thin(tensor, [0, 1, 2], dense), True),
    (lambda model, tensor: thin(tensor, [0, 1, 2], None), False),
    (lambda model, tensor: thin(tensor, None, dense), False),
    (lambda model, tensor: thin(tensor, [0, 1, 2], [*dense[:2], dimension(4, 1)]), False)])
def test_tables_that_litert_asks_for(change, loads, tmp_path):
    path = tmp_path / 'model.tflite'
    path.write_bytes(changed(change))
    assert (refusal(path.read_bytes()) is None) == loads
    done = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--quiet'], capture_output=True, timeout=60)
    assert (done.returncode == 0) == loads, done.stderr


@pytest.mark.parametrize('operator, table', [('ADD', 'AddOptions'), ('SUB', 'SubOptions'), ('MUL', 'MulOptions')])
@pytest.mark.parametrize('count', [1, 4])
def test_operand_with_scales_of_channels(operator, table, count, tmp_path):
    data = numpy.ones((2, 3, 4), numpy.int8)
    other = Tensor('INT8', (2, 3, 4), scales=[0.1] * count, zero_points=[0] * count, axis=2, data=data)
    tensor = Tensor('INT8', (2, 3, 4), scales=[0.1], zero_points=[3])
    path = tmp_path / 'model.tflite'
    path.write_bytes(write(Case(operator, [tensor, other], [tensor], (table, {}), 2)))
    if operator == 'MUL':
        # It runs, and takes the scale for 0.
        interpreter = litert.Interpreter(model_path=str(path), num_threads=1,
                                         experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]['index'], 50 * data)
        interpreter.invoke()
        made = interpreter.get_tensor(interpreter.get_output_details()[0]['index'])
        assert numpy.all(made == 3) == (count == 4)
    else:
        assert (refusal(path.read_bytes()) is None) == (count == 1)
    report = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', str(path), '--format', 'json', '--quiet'],
                            capture_output=True, text=True, timeout=60)
    errors = {finding['code'] for finding in json.loads(report.stdout)['results'][0].get('findings', [])
              if finding['severity'] == 'ERROR'}
    assert errors == (set() if count == 1 else {'AX008'})
