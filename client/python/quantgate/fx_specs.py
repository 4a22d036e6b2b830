"""torchao's spec objects as the pool of quantgate.v1.Spec messages of a graph."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torchao.quantization.pt2e.quantizer import QuantizationSpec

from quantgate.errors import QuantGateError
from quantgate.fx_constructors import observer_name, observer_of
from quantgate.fx_foreign import ABSENT, invalid, peek, read, shown, whole, wholes
from quantgate.v1 import graph_pb2, spec_pb2, types_pb2

DTYPES: Dict[Any, Any] = {
    getattr(torch, name): types_pb2.DataType.Value("DATA_TYPE_" + ours)
    for name, ours in (
        ("bool", "BOOL"), ("int8", "INT8"), ("uint8", "UINT8"), ("int16", "INT16"), ("uint16", "UINT16"),
        ("int32", "INT32"), ("uint32", "UINT32"), ("int64", "INT64"), ("uint64", "UINT64"), ("float16", "FLOAT16"),
        ("bfloat16", "BFLOAT16"), ("float32", "FLOAT32"), ("float64", "FLOAT64"), ("int2", "INT2"), ("uint2", "UINT2"),
        ("int4", "INT4"), ("uint4", "UINT4"), ("float8_e4m3fn", "FLOAT8_E4M3FN"),
        ("float8_e4m3fnuz", "FLOAT8_E4M3FNUZ"), ("float8_e5m2", "FLOAT8_E5M2"),
        ("float8_e5m2fnuz", "FLOAT8_E5M2FNUZ"), ("float8_e8m0fnu", "FLOAT8_E8M0"),
        ("float4_e2m1fn_x2", "FLOAT4_E2M1"), ("complex64", "COMPLEX64"), ("complex128", "COMPLEX128"))
    if hasattr(torch, name)}

# What convert_pt2e makes of the types of torch's former quantized tensors.
_UNDERLYING = {getattr(torch, name): DTYPES[plain] for name, plain
               in (("quint8", torch.uint8), ("qint8", torch.int8), ("qint32", torch.int32)) if hasattr(torch, name)}

# torch's other types as Spec.dtype has them: numbers behind those of the contract, alike wherever this torch runs.
_OTHERS = {dtype for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)} - set(DTYPES) - set(_UNDERLYING)
SPEC_DTYPES: Dict[Any, Any] = {**DTYPES, **_UNDERLYING, **{dtype: number for number, dtype
                                                           in enumerate(sorted(_OTHERS, key=str), 1024)}}

QSCHEMES = {
    torch.per_tensor_affine: spec_pb2.Spec.PER_TENSOR_AFFINE,
    torch.per_tensor_symmetric: spec_pb2.Spec.PER_TENSOR_SYMMETRIC,
    torch.per_channel_affine: spec_pb2.Spec.PER_CHANNEL_AFFINE,
    torch.per_channel_symmetric: spec_pb2.Spec.PER_CHANNEL_SYMMETRIC,
    torch.per_channel_affine_float_qparams: spec_pb2.Spec.PER_CHANNEL_AFFINE_FLOAT_QPARAMS,
}

# Numbers of their own for those, where it matters that torchao gives them no observer of the plain type.
_TOLD_APART: Dict[Any, Any] = {dtype: number for number, dtype in enumerate(_UNDERLYING, 1024 + len(_OTHERS))}

# Attributes of a spec that are numbers, and fields of Spec.
_NUMBERS = (("quant_min", "quant_min"), ("quant_max", "quant_max"), ("ch_axis", "axis"), ("is_dynamic", "is_dynamic"))

# All that a plain spec of torchao has, besides what makes its observer.
_PLAIN_NAMES = ("dtype", "qscheme", *(name for name, _ in _NUMBERS))
_PLAIN_FIELDS = {*_PLAIN_NAMES, "observer_or_fake_quant_ctr"}

# Of scales of blocks within that of their channel.
_MOST_STEPS = 1 << 16


class SpecPool:
    """Graph.specs. Quantizers use one spec object in many places, so each object is read once."""

    def __init__(self, out: graph_pb2.Graph, symbol: Callable[[str], int], place: Callable[[Any, Any], None],
                 told_apart: bool = False) -> None:
        self._out = out
        # quint8 is not uint8, which it becomes.
        self._told_apart = told_apart
        self._symbol = symbol
        # Writes an edge or value that a spec refers to into an EdgeRef.
        self._place = place
        # Ids by id() of the object, of those met without an observer.
        self.known: Dict[int, int] = {}
        self._observed: Dict[Tuple[int, int], int] = {}
        # Ids by all that is said of a plain spec: quantizers make one anew for each place.
        self._plain: Dict[Tuple[Any, ...], int] = {}
        self._ids: Dict[bytes, int] = {}
        # Scales of fixed specs and what stands for them, by the float32 that they are nearest to.
        self._scales: Dict[float, List[Tuple[Any, float]]] = {}

    def id(self, spec: Any, observer: Any = None) -> int:
        """Of a spec; observer: what was inserted for it, whose parameters are then known."""
        if observer is None:
            found = self.known.get(id(spec))
            if found is None:
                found = self.known[id(spec)] = self._new(spec)
            return found
        key = (id(spec), id(observer))
        found = self._observed.get(key)
        if found is None:
            message = self._message(spec)
            add_observed(observer, message)
            found = self._observed[key] = self._pooled(message)
        return found

    def _new(self, spec: Any) -> int:
        said = _said_of_plain(spec)
        try:
            found = self._plain.get(said) if said else None
        except Exception:  # noqa: BLE001  Members that cannot be compared so, or objects that raise when they are.
            said = found = None
        if found is None:
            found = self._pooled(self._message(spec))
            if said:
                self._plain[said] = found
        return found

    def _message(self, spec: Any) -> spec_pb2.Spec:
        message = spec_message(spec, self._symbol, self._place)
        if self._told_apart and (dtype := read(spec, "dtype")) in _TOLD_APART:
            message.dtype = _TOLD_APART[dtype]
        if self._told_apart and message.kind == spec_pb2.Spec.FIXED and len(message.qparams.scales) == 1:
            message.qparams.scales[0] = self._as_compared(read(spec, "scale"), message.qparams.scales[0])
        return message

    def _as_compared(self, scale: Any, number: float) -> float:
        """One number for all scales that torchao finds equal. PyTorch and NumPy compare their float32 with a Python float
        as if that were one too: to a tensor of 0.1, 0.1 and its float32 are both equal, though not to one another."""
        alike = self._scales.setdefault(ctypes.c_float(number).value, [])
        for other, same in alike:
            if _are_equal(other, scale):
                return same
        alike.append((scale, number))
        return number

    def _pooled(self, message: spec_pb2.Spec) -> int:
        data = message.SerializeToString(deterministic=True)
        found = self._ids.get(data)
        if found is None:
            self._out.specs.append(message)
            found = self._ids[data] = len(self._ids) + 1
        return found


def _are_equal(first: Any, second: Any) -> bool:
    try:
        return bool(first == second)
    except Exception:  # noqa: BLE001  Whatever objects that are compared raise.
        return False


def _said_of_plain(spec: Any) -> Optional[Tuple[Any, ...]]:
    """All that the message of one of torchao's plain specs depends on; None: this is another, or not so simple."""
    if type(spec) is not QuantizationSpec or spec.__dict__.keys() != _PLAIN_FIELDS:
        return None
    said = spec.__dict__
    constructor = said["observer_or_fake_quant_ctr"]
    if not observer_of(constructor)[1].keys().isdisjoint(("scale", "block_size", "wc_param")):
        return None
    return (*[said[name] for name in _PLAIN_NAMES], observer_name(constructor))


def spec_message(spec: Any, symbol: Callable[[str], int], place: Callable[[Any, Any], None]) -> spec_pb2.Spec:
    """One spec; `symbol` gives the id of an observer's name, `place` writes a reference into an EdgeRef."""
    if spec is None:
        return spec_pb2.Spec(kind=spec_pb2.Spec.EXPLICIT_NONE)
    message = spec_pb2.Spec()
    if (shared := read(spec, "edge_or_node", ABSENT)) is not ABSENT:
        message.kind = spec_pb2.Spec.SHARED
        place(shared, message.shared_with)
    elif (sources := read(spec, "derived_from", ABSENT)) is not ABSENT:
        message.kind = spec_pb2.Spec.DERIVED
        if not isinstance(sources, (list, tuple)):
            raise _unreadable("derived_from", sources, "no list")
        for source in sources:
            place(source, message.derived_from.add())
    elif (scale := read(spec, "scale", ABSENT)) is not ABSENT:
        message.kind = spec_pb2.Spec.FIXED
        _add_fixed(scale, read(spec, "zero_point", 0), message)
    elif read(spec, "dtype", ABSENT) is not ABSENT:
        message.kind = spec_pb2.Spec.PLAIN
    else:
        raise invalid(f"a {type(spec).__name__} is no quantization spec")
    _add_scheme(spec, message, symbol)
    return message


def _add_scheme(spec: Any, message: spec_pb2.Spec, symbol: Callable[[str], int]) -> None:
    dtype = read(spec, "dtype")
    if dtype is not None:
        if type(dtype) is not torch.dtype:
            raise _unreadable("dtype", dtype, "no torch.dtype")
        message.dtype = SPEC_DTYPES[dtype]
    for name, field in _NUMBERS:
        value = read(spec, name)
        if value is not None:
            try:
                setattr(message, field, value)
            except Exception:  # noqa: BLE001  Whatever protobuf, or the object that it asks for a number, raises.
                _set(message, field, name, value)
    qscheme = read(spec, "qscheme")
    if qscheme is not None:
        if type(qscheme) is not torch.qscheme:
            raise _unreadable("qscheme", qscheme, "no torch.qscheme")
        message.qscheme = QSCHEMES[qscheme]
    constructor = read(spec, "observer_or_fake_quant_ctr", ABSENT)
    if constructor is ABSENT:
        return
    keywords = observer_of(constructor)[1]
    message.observer = symbol(observer_name(constructor))
    block_size = keywords.get("block_size")
    if block_size is None and "wc_param" in keywords:
        block_size = _blocks_of_weight(keywords["wc_param"])
    if block_size is not None:
        sizes = wholes(block_size)
        if sizes is None or any(abs(size) >> 63 for size in sizes):
            raise _unreadable("block_size", block_size, "no list of sizes")
        message.block_size.extend(sizes)
    if message.kind == spec_pb2.Spec.PLAIN and "scale" in keywords:
        _add_fixed(keywords["scale"], keywords.get("zero_point", 0), message)


def _blocks_of_weight(compression: Any) -> Sequence[int]:
    """What OpenVINO's observers of weights have for a block size: NNCF's WeightCompressionParameters. Empty: none."""
    group = read(read(compression, "compression_config"), "group_size", -1)
    if not isinstance(group, int) or group <= 0:
        return ()
    shape, axes = (_wholes_of(compression, name) for name in ("weight_shape", "reduction_axes"))
    if len(axes) != 1:
        return ()
    return [group if axis == axes[0] % len(shape) else 1 for axis in range(len(shape))]


def _wholes_of(compression: Any, name: str) -> Sequence[int]:
    value = read(compression, name, ())
    numbers = wholes(value)
    if numbers is None:
        raise _unreadable(f"wc_param's {name}", value, "no list of numbers")
    return numbers


def _set(message: spec_pb2.Spec, field: str, name: str, value: Any) -> None:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        setattr(message, field, whole)
    except Exception:  # noqa: BLE001  As above.
        raise _unreadable(name, value, "no whole number of a size that means something here") from None


def _add_fixed(scale: Any, zero_point: Any, message: spec_pb2.Spec) -> None:
    """Prescribed parameters: numbers or tensors of them."""
    for name, value, out in (("scale", scale, message.qparams.scales),
                             ("zero_point", zero_point, message.qparams.zero_points)):
        if type(value) is float or type(value) is int and abs(value) <= 1 << 53:
            out.append(value)
            continue
        try:
            numbers = torch.as_tensor(value, dtype=torch.float64).reshape(-1).tolist()
        except Exception:  # noqa: BLE001  Whatever torch, or the object that it asks for numbers, raises.
            numbers = []
        if not numbers:
            raise _unreadable(name, value, "no number")
        if isinstance(value, int) and numbers != [value]:
            raise _unreadable(name, value, "beyond what a number of 64 bits holds exactly")
        out.extend(numbers)


def _unreadable(name: str, value: Any, what: str) -> QuantGateError:
    return invalid(f"its {name}, {shown(value)}, is {what}")


def has_seen_values(observer: Any, outer: Tuple[Any, ...] = ()) -> Optional[bool]:
    """Whether an observer (a fake-quantize's inner one) was calibrated; None: it keeps no range, as a fixed one. outer:
    those that are derived from it."""
    observer = peek(observer, "activation_post_process", observer)
    sources = peek(observer, "obs_or_fqs")
    if isinstance(sources, list) and sources:  # derived: it knows what those know that it is derived from
        within = (*outer, observer)
        seen = {has_seen_values(source, within) for source in sources if not any(source is one for one in within)}
        return False if False in seen else True if True in seen else None
    minimum, maximum = peek(observer, "min_val"), peek(observer, "max_val")
    if not isinstance(minimum, torch.Tensor) or not isinstance(maximum, torch.Tensor):
        return None
    try:
        # Before the first value a minimum is inf, or empty. What has seen an infinity has numbers, useless ones.
        return minimum.numel() > 0 and not bool((minimum > maximum).any())
    except RuntimeError:  # tensors without numbers, of no common shape
        return None


def add_observed(observer: Any, message: spec_pb2.Spec) -> None:
    """The parameters an observer would give now; none while it has seen nothing."""
    if has_seen_values(observer) is False:
        return
    try:
        scale, zero_point = observer.calculate_qparams()[:2]
        scale = torch.as_tensor(scale).double()
        zero_points = [] if zero_point is None else torch.as_tensor(zero_point).double().reshape(-1).tolist()
        steps = int(getattr(observer, "num_steps", None) or 0)
        axes = spec_pb2.QParams(axes=[int(getattr(observer, "ch_axis", 0) or 0)]).axes
    except Exception:  # noqa: BLE001  Observers of quantizers fail in ways of their own; then nothing is known.
        return
    if 0 < steps <= _MOST_STEPS and message.block_size and scale.ndim and scale.numel():
        _add_nested(scale, steps, message)
        return
    del message.qparams.scales[:]
    del message.qparams.zero_points[:]
    message.qparams.scales.extend(scale.reshape(-1).tolist())
    message.qparams.zero_points.extend(zero_points)
    # With a block size, that says along which axes.
    if len(message.qparams.scales) > 1 and not message.block_size:
        message.qparams.axes.extend(axes)


def _add_nested(scale: torch.Tensor, steps: int, message: spec_pb2.Spec) -> None:
    """Scales of blocks as QNN gets them: one per channel, and one of `steps` factors per block."""
    blocks = scale.reshape(scale.shape[0], -1)
    channels = blocks.amax(1) / steps
    factors = (blocks / channels.unsqueeze(1)).round().clamp(1, steps)
    message.qparams.scales.extend(channels.tolist())
    message.qparams.block_scales.extend(factors.reshape(-1).tolist())
    message.qparams.block_scale_bits = (steps - 1).bit_length()
    message.qparams.axes.extend(range(len(message.block_size)))
    message.qparams.block_sizes.extend(message.block_size)
