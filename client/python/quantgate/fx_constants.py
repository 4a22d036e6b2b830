"""What is told of a constant: all of it when it is small, otherwise statistics. Weights stay in this process."""
from __future__ import annotations

import math
from typing import Any, List, Optional

import torch

from quantgate.v1 import graph_pb2

# Constants of at most this many elements are sent in full when they are scalars or vectors (biases, scales, shapes).
_FULL_ELEMENTS = 1 << 16

# Of at most this many elements, Python finds the statistics in less time than torch takes to be called for each.
_FEW_ELEMENTS = 128

# Types in which torch finds minima itself; the others are converted first.
_DIRECT = {torch.float32, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}


def add_constant(tensor: torch.Tensor, axis: Optional[int], out: Any) -> None:
    """Fills a v1.Constant. axis: along which the tensor is quantized per channel, if it is. Nothing is told of elements
    that torch cannot compute with: sub-byte types, sparse and nested layouts, tensor classes of others."""
    try:
        _add(tensor, axis, out)
    except Exception:  # noqa: BLE001  Every layout and class of tensors refuses in ways of its own.
        out.Clear()
        out.stored_bytes = -1


def _add(tensor: torch.Tensor, axis: Optional[int], out: Any) -> None:
    count = tensor.numel()
    out.stored_bytes = count * tensor.element_size()
    dtype, dimensions = tensor.dtype, tensor.ndim
    if count == 0 or dtype.is_complex or tensor.is_meta or isinstance(tensor, torch._subclasses.FakeTensor):
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
