"""What is told of a constant: all of it when it is small, otherwise statistics. Weights stay in this process."""
from __future__ import annotations

import math
import struct
from typing import Any, List, Optional

import torch

from quantgate.v1 import graph_pb2
from quantgate.wire import Heads, tag, varint

# Constants of at most this many elements are sent in full when they are scalars or vectors (biases, scales, shapes).
_FULL_ELEMENTS = 1 << 16

# Of at most this many elements, Python finds the statistics in less time than torch takes to be called for each.
_FEW_ELEMENTS = 128

_FakeTensor = torch._subclasses.FakeTensor

# Types in which torch finds minima itself; the others are converted first.
_DIRECT = {torch.float32, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}


# Of these, and few, the message is written without one: weights and biases of small layers are many.
_PLAIN = {torch.float32, torch.float64, torch.float16, torch.bfloat16}

_CONSTANT = Heads(graph_pb2.Value.CONSTANT_FIELD_NUMBER)
_REALS = Heads(graph_pb2.Constant.REALS_FIELD_NUMBER)
_STATISTICS = Heads(graph_pb2.Constant.STATISTICS_FIELD_NUMBER)
_STORED_BYTES = tag(graph_pb2.Constant.STORED_BYTES_FIELD_NUMBER)
_RANGE = struct.Struct("<sdsd")
_MIN, _MAX = (varint(field << 3 | 1) for field in (graph_pb2.Statistics.MIN_FIELD_NUMBER,
                                                   graph_pb2.Statistics.MAX_FIELD_NUMBER))
_MIN_INDEX, _MAX_INDEX, _COUNT, _ZERO_COUNT = (
    tag(field) for field in (graph_pb2.Statistics.MIN_INDEX_FIELD_NUMBER, graph_pb2.Statistics.MAX_INDEX_FIELD_NUMBER,
                             graph_pb2.Statistics.COUNT_FIELD_NUMBER, graph_pb2.Statistics.ZERO_COUNT_FIELD_NUMBER))


def serialized_constant(tensor: torch.Tensor, axis: Optional[int]) -> bytes:
    """A Value that has nothing but its constant. axis: along which the tensor is quantized per channel, if it is.
    Nothing is told of elements that torch cannot compute with: sub-byte types, sparse and nested layouts, tensor
    classes of others."""
    value = graph_pb2.Value()
    try:
        plain = _plain(tensor) if axis is None else None
        if plain is not None:
            return plain
        _add(tensor, axis, value.constant)
    except Exception:  # noqa: BLE001  Every layout and class of tensors refuses in ways of its own.
        value.constant.Clear()
        value.constant.stored_bytes = -1
    return value.SerializeToString()


def _plain(tensor: torch.Tensor) -> Optional[bytes]:
    """Of few finite real numbers; None: it is something else."""
    count = tensor.numel()
    if not 0 < count <= _FEW_ELEMENTS or tensor.dtype not in _PLAIN or tensor.layout is not torch.strided or (
            tensor.is_meta or isinstance(tensor, _FakeTensor)):
        return None
    vector = tensor.ndim == 1
    members = tensor.tolist() if vector else tensor.detach().reshape(-1).tolist()
    if not math.isfinite(sum(members)):
        return None
    least, most = min(members), max(members)
    statistics = b"".join((_RANGE.pack(_MIN, least, _MAX, most), _MIN_INDEX, varint(members.index(least)),
                           _MAX_INDEX, varint(members.index(most)), _COUNT, varint(count),
                           _ZERO_COUNT, varint(members.count(0))))
    # Whole numbers with a sign are written as their double.
    pieces = [_STORED_BYTES, varint(2 * count * tensor.element_size()), _STATISTICS[len(statistics)], statistics]
    if vector or tensor.ndim == 0:
        pieces += _REALS[8 * count], struct.pack(f"<{count}d", *members)
    constant = b"".join(pieces)
    return _CONSTANT[len(constant)] + constant


def _add(tensor: torch.Tensor, axis: Optional[int], out: Any) -> None:
    count = tensor.numel()
    out.stored_bytes = count * tensor.element_size()
    dtype, dimensions = tensor.dtype, tensor.ndim
    if count == 0 or dtype.is_complex or tensor.is_meta or isinstance(tensor, _FakeTensor):
        return
    real = dtype.is_floating_point
    numbers = tensor.detach()
    if dtype not in _DIRECT:
        numbers = numbers.to(torch.float64 if real else torch.int64)
    members = numbers.reshape(-1).tolist() if count <= (_FULL_ELEMENTS if dimensions <= 1 else _FEW_ELEMENTS) else []
    if dimensions <= 1:
        (out.reals if real else out.ints).extend(members)
    statistics = out.statistics
    if count <= _FEW_ELEMENTS and math.isfinite(sum(members)):
        _add_range(members, statistics)
    else:
        _add_range_of_many(numbers.reshape(-1), statistics)
    if axis is not None and -dimensions <= axis < dimensions:
        rows = numbers.movedim(axis, 0).reshape(tensor.shape[axis], -1)
        statistics.axis = axis % dimensions
        statistics.axis_min.extend(rows.amin(1).tolist())
        statistics.axis_max.extend(rows.amax(1).tolist())


def _add_range(members: List[Any], statistics: graph_pb2.Statistics) -> None:
    """Of finite numbers."""
    least, most = min(members), max(members)
    statistics.count = len(members)
    statistics.zero_count = members.count(0)
    statistics.min_index, statistics.max_index = members.index(least), members.index(most)
    statistics.min, statistics.max = least, most


def _add_range_of_many(flat: torch.Tensor, statistics: graph_pb2.Statistics) -> None:
    statistics.count = flat.numel()
    statistics.zero_count = flat.numel() - int(flat.count_nonzero())
    least, most = int(flat.argmin()), int(flat.argmax())
    minimum, maximum = float(flat[least]), float(flat[most])
    if not math.isfinite(minimum) or not math.isfinite(maximum):
        statistics.nan_count = int(flat.isnan().sum())
        statistics.inf_count = int(flat.isinf().sum())
        finite = flat.nan_to_num(nan=0.0, posinf=torch.inf, neginf=-torch.inf)
        least, most = int(finite.argmin()), int(finite.argmax())
        minimum, maximum = float(finite[least]), float(finite[most])
    statistics.min_index, statistics.max_index = least, most
    statistics.min, statistics.max = minimum, maximum
