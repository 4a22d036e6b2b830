"""Spec messages of a correction as torchao's spec objects, with observers that fit them."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import torch
from torchao.quantization.pt2e import fake_quantize, observer
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationSpec, SharedQuantizationSpec)

from quantgate.errors import QuantGateError
from quantgate.fx_constructors import maker_of, observer_name, observer_of
from quantgate.fx_foreign import read
from quantgate.fx_specs import DTYPES, QSCHEMES, SPEC_DTYPES, spec_message
from quantgate.v1 import spec_pb2

DTYPE_OF = {ours: theirs for dtypes in (SPEC_DTYPES, DTYPES) for theirs, ours in dtypes.items()}
QSCHEME_OF = {ours: theirs for theirs, ours in QSCHEMES.items()}
_PER_CHANNEL = (spec_pb2.Spec.PER_CHANNEL_AFFINE, spec_pb2.Spec.PER_CHANNEL_SYMMETRIC)


def scheme(spec: Any) -> Tuple[Any, ...]:
    """What a spec, object or message, says of the stored numbers; references and observer left out."""
    message = spec if isinstance(spec, spec_pb2.Spec) else spec_message(spec, lambda _: 0, lambda *_: None)
    optional = [getattr(message, name) if message.HasField(name) else None
                for name in ("quant_min", "quant_max", "axis")]
    return (message.kind, message.dtype, message.qscheme, *optional, message.is_dynamic, tuple(message.block_size),
            comparable(message.qparams.scales), comparable(message.qparams.zero_points))


def comparable(numbers: Iterable[float]) -> Tuple[Optional[float], ...]:
    """Numbers as they can be compared: a NaN, which is not even equal to itself, as None."""
    return tuple(None if math.isnan(number) else number for number in numbers)


class Restorer:
    """Makes specs for one graph, with the observers of its own quantizer as far as they fit."""

    def __init__(self, present: Iterable[Tuple[Any, bool]], place: Callable[[spec_pb2.EdgeRef], Any]) -> None:
        # present: the spec objects of the graph, and whether each is of a constant. place: what a reference names.
        self._place = place
        self._present: Dict[Any, Any] = {}
        self._constructors: List[Any] = []
        self._derive: Any = None
        for spec, constant in present:
            if isinstance(spec, QuantizationSpec):
                self._present.setdefault((scheme(spec), constant), spec)
                self._constructors.append(spec.observer_or_fake_quant_ctr)
            if self._derive is None:
                self._derive = read(spec, "derive_qparams_fn")

    def restore(self, after: spec_pb2.Spec, before: Any, constant: bool) -> Any:
        """The object that `after` describes. before: the object in its place until now; constant: of a constant."""
        if after.kind == spec_pb2.Spec.EXPLICIT_NONE:
            return None
        if after.kind == spec_pb2.Spec.SHARED:
            return SharedQuantizationSpec(self._place(after.shared_with))
        fields: Dict[str, Any] = {
            "dtype": DTYPE_OF.get(after.dtype),
            "quant_min": after.quant_min if after.HasField("quant_min") else None,
            "quant_max": after.quant_max if after.HasField("quant_max") else None,
            "qscheme": QSCHEME_OF.get(after.qscheme),
            "is_dynamic": after.is_dynamic}
        if fields["dtype"] is None:
            raise QuantGateError("FAILED_PRECONDITION", "the correction has an element type that torch does not have")
        if after.kind == spec_pb2.Spec.FIXED:
            return FixedQParamsQuantizationSpec(**_fixed(after), **fields)
        fields["ch_axis"] = after.axis if after.HasField("axis") else None
        if after.kind == spec_pb2.Spec.DERIVED:
            return DerivedQuantizationSpec([self._place(source) for source in after.derived_from],
                                           self._derivation(after, before), **fields)
        present = self._present.get((scheme(after), constant)) or self._present.get((scheme(after), not constant))
        if present is None:
            constructor = self._constructor(after, read(before, "observer_or_fake_quant_ctr"), constant)
            present = QuantizationSpec(observer_or_fake_quant_ctr=constructor, **fields)
            self._present[scheme(after), constant] = present
        return present

    def _derivation(self, after: spec_pb2.Spec, before: Any) -> Any:
        own = read(before, "derive_qparams_fn")
        if after.qscheme in _PER_CHANNEL:
            return own or self._derive or product_of_scales
        # Whoever derives scales for channels may repeat the one that a tensor has.
        return product_of_scales if own is None or QSCHEMES.get(before.qscheme) in _PER_CHANNEL else own

    def _constructor(self, after: spec_pb2.Spec, before: Any, constant: bool) -> Any:
        if before is not None and _fits(before, after):
            return before
        # One call of with_args each: torchao does not see through two.
        if after.block_size:
            # Only the quantizer's package has observers of blocks.
            blocked = next((one for one in [before, *self._constructors]
                            if one is not None and "PerBlock" in observer_name(one)), None)
            make = read(maker_of(blocked), "with_args")
            if make is None:
                raise QuantGateError("FAILED_PRECONDITION", "no observer of this graph finds parameters by block")
            settings = {**read(read(blocked, "p"), "keywords", {}), "block_size": torch.Size(after.block_size)}
            return make(**settings)
        if after.qparams.scales:
            made = observer.FixedQParamsObserver.with_args(**_fixed(after))
        else:
            settings = {} if before is None else {"eps": observer_of(before)[1].get("eps")}
            if after.qscheme in _PER_CHANNEL:
                settings["ch_axis"] = after.axis
            made = _observer(after, constant).with_args(**{key: value for key, value in settings.items()
                                                           if value is not None})
        return fake_quantize.FakeQuantize.with_args(observer=made) if self._is_qat() else made

    def _is_qat(self) -> bool:
        made = map(maker_of, self._constructors)
        return any(isinstance(one, type) and issubclass(one, fake_quantize.FakeQuantizeBase) for one in made)


def product_of_scales(observers: List[Any]) -> Tuple[torch.Tensor, torch.Tensor]:
    """Parameters of a bias: the scale of the activation times that of the weight, and no zero point."""
    scales = [one.calculate_qparams()[0] for one in observers]
    scale = torch.as_tensor(scales[0])
    for other in scales[1:]:
        scale = scale * other
    scale = scale.to(torch.float32).reshape(-1)
    return scale, torch.zeros_like(scale, dtype=torch.int32)


def _fixed(after: spec_pb2.Spec) -> Dict[str, Any]:
    return {"scale": after.qparams.scales[0], "zero_point": zero_point(after.qparams)}


def zero_point(numbers: spec_pb2.QParams) -> float:
    """A whole number, as PyTorch has it, unless it is infinite or none."""
    first = numbers.zero_points[0] if numbers.zero_points else 0.0
    return int(first) if math.isfinite(first) else first


def _fits(constructor: Any, after: spec_pb2.Spec) -> bool:
    """Whether the observer can find what `after` asks for; torchao hands it type, range, scheme and axis anew."""
    settings = observer_of(constructor)[1]
    name = observer_name(constructor)
    if name.endswith(" object") or "." in name:
        return False
    if "FixedQParams" in name or after.qparams.scales:
        return False
    if after.block_size or "PerBlock" in name:
        return "PerBlock" in name and tuple(settings.get("block_size") or ()) == tuple(after.block_size)
    if "Placeholder" in name:
        return after.is_dynamic
    return ("PerChannel" in name) == (after.qscheme in _PER_CHANNEL) and not after.is_dynamic


def _observer(after: spec_pb2.Spec, constant: bool) -> Any:
    if after.is_dynamic:
        return observer.PlaceholderObserver
    if after.qscheme in _PER_CHANNEL:
        return observer.PerChannelMinMaxObserver
    return observer.MinMaxObserver if constant else observer.HistogramObserver
