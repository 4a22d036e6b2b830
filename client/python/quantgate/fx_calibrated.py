"""The changes of a correction, written into the observers of a prepared torch.fx graph."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import torch
import torch.fx
from torchao.quantization.pt2e import observer

from quantgate.errors import QuantGateError
from quantgate.fx_apply import AnnotatedGraph, AppliedChange, Place, annotation_of, place_name, place_words
from quantgate.fx_foreign import peek
from quantgate.fx_restore import DTYPE_OF, QSCHEME_OF, comparable, scheme, zero_point
from quantgate.fx_specs import add_observed, spec_message
from quantgate.v1 import report_pb2, spec_pb2


def apply(corrections: Sequence[Sequence[report_pb2.Change]], module: torch.fx.GraphModule) -> List[AppliedChange]:
    """Puts observers with the numbers of the changes in the place of those that are there, or nothing where no spec is
    left: all changes, or none. A change that would need another observer where one serves several places, or numbers
    that only a new calibration finds, is refused."""
    graph = _Prepared(module)
    planned: Dict[int, Tuple[Any, Any]] = {}
    applied: List[AppliedChange] = []
    changed: Dict[Place, Any] = {}
    derived: List[Tuple[Place, Any, int]] = []
    for change in (change for one in corrections for change in one):
        place = graph.annotations.place(change.location)
        present = graph.observer_at(place)
        if present is None:
            raise _too_late(place, "is not observed")
        graph.compare(place, present, change)
        changed[place] = graph.spec(place, change)
        if change.after.kind == spec_pb2.Spec.DERIVED == change.before.kind:
            applied.append(AppliedChange(place_name(place), present, present))  # it follows what it is derived from
            derived.append((place, present, len(change.after.qparams.scales)))
            continue
        after = _made(place, change) if change.HasField("after") else None
        known = planned.setdefault(id(present), (present, after))[1]
        if _numbers(known) != _numbers(after):
            raise _too_late(place, "shares its observer with places that become something else")
        applied.append(AppliedChange(place_name(place), present, known))
    for place, present in graph.observed():
        if id(present) in planned and place not in changed:
            raise _too_late(place, "shares its observer with places that change")
    for place, present, scales in derived:
        if scales not in (0, _derived_scales(present, planned)):
            raise _too_late(place, "is derived by a function of the quantizer's that gives other numbers then")
    for place, spec in changed.items():
        graph.annotations.write(place, spec, keep=spec is not None)
    for present, after in planned.values():
        graph.replace(present, after)
    module.recompile()
    return applied


def is_prepared(model: Any) -> bool:
    """Whether a graph has observers, calibrated or not."""
    return isinstance(model, torch.fx.GraphModule) and any(
        _observer(model, node) is not None for node in model.graph.nodes)


def _observer(module: torch.fx.GraphModule, node: torch.fx.Node) -> Optional[torch.nn.Module]:
    """What the node observes with; None: it is no observer."""
    if node.op != "call_module" or len(node.args) != 1:
        return None
    try:
        called = module.get_submodule(str(node.target))
    except AttributeError:
        return None
    return called if peek(called, "calculate_qparams") is not None else None


class _Prepared:
    """A graph with observers, by place."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        self._module = module
        self.annotations = AnnotatedGraph(module)
        self._observers: Dict[torch.fx.Node, Any] = {}
        for node in module.graph.nodes:
            called = _observer(module, node)
            if called is not None:
                self._observers[node] = called

    def observed(self) -> Iterator[Tuple[Place, Any]]:
        """Every annotated place that has an observer."""
        for node in self._module.graph.nodes:
            annotation = annotation_of(node)
            if annotation is None or node in self._observers:
                continue
            places: List[Place] = [(value, node) for value in annotation.input_qspec_map]
            for place in (*places, node):
                present = self.observer_at(place)
                if present is not None and self.annotations.find(place) is not None:
                    yield place, present

    def observer_at(self, place: Place) -> Optional[Any]:
        if not isinstance(place, tuple):
            return next((self._observers[user] for user in place.users if user in self._observers), None)
        value, consumer = place
        return next((self._observers[argument] for argument in consumer.all_input_nodes
                     if argument in self._observers and self._source(argument) is value), None)

    def _source(self, node: torch.fx.Node) -> torch.fx.Node:
        while node in self._observers:
            node = node.args[0]  # type: ignore[assignment]
        return node

    def compare(self, place: Place, present: Any, change: report_pb2.Change) -> None:
        message = spec_message(self.annotations.find(place), lambda _: 0, lambda *_: None)
        add_observed(present, message)
        if scheme(message) != scheme(change.before):
            raise QuantGateError("FAILED_PRECONDITION", f"{place_words(place)} is not observed as it was when it was "
                                                        "checked: check again")

    def spec(self, place: Place, change: report_pb2.Change) -> Any:
        """What the annotation then says: the change without its numbers, which the observer has."""
        after = spec_pb2.Spec()
        after.CopyFrom(change.after)
        if after.kind != spec_pb2.Spec.FIXED:
            after.ClearField("qparams")
        return self.annotations.restored(after, place) if change.HasField("after") else None

    def replace(self, present: Any, after: Any) -> None:
        nodes = [node for node, called in self._observers.items() if called is present]
        for node in nodes:
            if after is None:
                node.replace_all_uses_with(node.args[0])  # type: ignore[arg-type]
                self._module.graph.erase_node(node)
            else:
                parent, _, name = str(node.target).rpartition(".")
                setattr(self._module.get_submodule(parent), name, after)
        # Biases that are derived hold on to the observers that they are derived from.
        for called in self._observers.values():
            sources = peek(called, "obs_or_fqs")
            if sources is not None and after is not None:
                called.obs_or_fqs = [after if one is present else one for one in sources]


def _made(place: Place, change: report_pb2.Change) -> Any:
    """An observer that always answers with the numbers of the change; None: no observer."""
    after = change.after
    if after.kind == spec_pb2.Spec.EXPLICIT_NONE:
        return None
    numbers = after.qparams
    if after.kind not in (spec_pb2.Spec.PLAIN, spec_pb2.Spec.FIXED) or not numbers.scales or after.block_size or (
            numbers.block_scales or after.is_dynamic or DTYPE_OF.get(after.dtype) is None):
        raise _too_late(place, "needs numbers that only a new calibration finds")
    fields: Dict[str, Any] = {"dtype": DTYPE_OF[after.dtype], "quant_min": after.quant_min,
                              "quant_max": after.quant_max, "qscheme": QSCHEME_OF.get(after.qscheme)}
    if not after.HasField("quant_min"):
        limits = torch.iinfo(fields["dtype"])
        fields.update(quant_min=limits.min, quant_max=limits.max)
    if not numbers.axes:
        return observer.FixedQParamsObserver(scale=numbers.scales[0], zero_point=zero_point(numbers), **fields)
    if any(numbers.zero_points) or after.qscheme != spec_pb2.Spec.PER_CHANNEL_SYMMETRIC:
        raise _too_late(place, "needs an affine scale per channel")
    made = observer.PerChannelMinMaxObserver(ch_axis=numbers.axes[0], eps=torch.finfo(torch.float32).tiny, **fields)
    made.max_val = torch.tensor(list(numbers.scales)) * ((fields["quant_max"] - fields["quant_min"]) / 2)
    made.min_val = -made.max_val
    return made


def _derived_scales(present: Any, planned: Dict[int, Tuple[Any, Any]]) -> int:
    """How many scales a derived observer has when those that it is derived from are replaced as planned."""
    sources = peek(present, "obs_or_fqs")
    if sources is None:
        return 0
    present.obs_or_fqs = [planned.get(id(one), (one, one))[1] for one in sources]
    try:
        return int(torch.as_tensor(present.calculate_qparams()[0]).numel())
    except Exception:  # noqa: BLE001  Functions of quantizers fail in ways of their own.
        return -1
    finally:
        present.obs_or_fqs = sources


def _numbers(made: Any) -> Any:
    if made is None:
        return None
    scale, offset = (comparable(numbers.reshape(-1).tolist()) for numbers in made.calculate_qparams()[:2])
    return made.dtype, made.quant_min, made.quant_max, scale, offset


def _too_late(place: Place, reason: str) -> QuantGateError:
    return QuantGateError("FAILED_PRECONDITION", f"{place_words(place)} {reason}, and the graph has its observers already: "
                                                 "apply the report of the annotated graph, before prepare_pt2e")
