"""The changes of a correction, written into the annotations of a torch.fx graph."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import torch
import torch.fx
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation

from quantgate.errors import QuantGateError, not_checked
from quantgate.fx_foreign import checked_annotation
from quantgate.fx_restore import Restorer, scheme
from quantgate.v1 import report_pb2, spec_pb2

_KEY = "quantization_annotation"
_Edge = Tuple[torch.fx.Node, torch.fx.Node]
Place = Union[_Edge, torch.fx.Node]


class AppliedChange(NamedTuple):
    """One spec put in the place of another; both are torchao's objects, None where there is no spec."""

    place: Union[Tuple[str, str], Tuple[str, str, str]]
    before: Any
    after: Any


def apply(corrections: Sequence[Sequence[report_pb2.Change]], module: torch.fx.GraphModule) -> List[AppliedChange]:
    """Writes the changes of all corrections, or none when one of them does not fit the graph. A correction that asks for
    parameters of a tensor that PyTorch's observers cannot look at, of integers or booleans, is left out whole."""
    graph = AnnotatedGraph(module)
    changes = [change for one in corrections if all(map(graph.is_observable, one)) for change in one]
    planned = [(place, graph.find(place), graph.replacement(change, place))
               for change, place in ((change, graph.place(change.location)) for change in changes)]
    for (place, _, after), change in zip(planned, changes):
        graph.write(place, after, change.HasField("after"))
    return [AppliedChange(place_name(place), before, after) for place, before, after in planned]


class AnnotatedGraph:
    """The annotations of one graph, by place."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        if not isinstance(module, torch.fx.GraphModule):
            raise not_checked(module)
        self._nodes = {node.name: node for node in module.graph.nodes}
        self._restorer = Restorer(_specs(module), self._referred)

    def place(self, location: report_pb2.Location) -> Place:
        if location.HasField("input"):
            return self._node(location.value), self._operator(location)
        return self._node(location.value or location.node)

    def is_observable(self, change: report_pb2.Change) -> bool:
        place = self.place(change.location)
        value = (place[0] if isinstance(place, tuple) else place).meta.get("val")
        asks = change.HasField("after") and change.after.kind != spec_pb2.Spec.EXPLICIT_NONE
        return not (asks and self.find(place) is None and isinstance(value, torch.Tensor)
                    and not value.is_floating_point())

    def find(self, place: Place) -> Any:
        """The spec object at a place; None: there is none, or an explicit None."""
        node = place[1] if isinstance(place, tuple) else place
        annotation = annotation_of(node)
        if annotation is None:
            return None
        return annotation.input_qspec_map.get(place[0]) if isinstance(place, tuple) else annotation.output_qspec

    def replacement(self, change: report_pb2.Change, place: Place) -> Any:
        present = self.find(place)
        expected = scheme(change.before) if change.HasField("before") else scheme(None)
        if scheme(present) != expected:
            raise QuantGateError("FAILED_PRECONDITION", f"{place_words(place)} is not annotated as it was when it was "
                                                        "checked: check again")
        return self.restored(change.after, place) if change.HasField("after") else None

    def restored(self, after: spec_pb2.Spec, place: Place) -> Any:
        """The spec object that a message describes."""
        value = place[0] if isinstance(place, tuple) else place
        return self._restorer.restore(after, self.find(place), value.op == "get_attr")

    def write(self, place: Place, spec: Any, keep: bool) -> None:
        """keep: an entry stays, be it an explicit None."""
        node = place[1] if isinstance(place, tuple) else place
        annotation = node.meta.get(_KEY)
        if annotation is None:
            annotation = node.meta[_KEY] = QuantizationAnnotation(_annotated=True)
        if not isinstance(place, tuple):
            annotation.output_qspec = spec
        elif not keep:
            annotation.input_qspec_map.pop(place[0], None)
        elif place[0] in annotation.input_qspec_map:
            annotation.input_qspec_map[place[0]] = spec
        else:
            annotation.input_qspec_map = _inserted(annotation.input_qspec_map, place, spec)

    def _referred(self, reference: spec_pb2.EdgeRef) -> Place:
        value = self._node(reference.value_name)
        return (value, self._node(reference.consumer_name)) if reference.consumer_name else value

    def _operator(self, location: report_pb2.Location) -> torch.fx.Node:
        node = self._node(location.node)
        if isinstance(node.target, torch._ops.OpOverload) and location.op not in ("", str(node.target)):
            raise QuantGateError("FAILED_PRECONDITION", f"'{node.name}' is {node.target}, not {location.op}: the report is "
                                                        "of another graph")
        return node

    def _node(self, name: str) -> torch.fx.Node:
        node: Optional[torch.fx.Node] = self._nodes.get(name)
        if node is None:
            raise QuantGateError("FAILED_PRECONDITION",
                                 f"the graph has no node '{name}': the report is of another graph")
        return node


def annotation_of(node: torch.fx.Node) -> Any:
    """To be read, not to be written to; None: there is none."""
    annotation = node.meta.get(_KEY)
    return None if annotation is None else checked_annotation(annotation, node)


def _specs(module: torch.fx.GraphModule) -> Iterator[Tuple[Any, bool]]:
    """Every spec of the graph, and whether it is of a constant."""
    for node in module.graph.nodes:
        annotation = annotation_of(node)
        if annotation is not None:
            yield from ((spec, value.op == "get_attr") for value, spec in annotation.input_qspec_map.items())
            yield annotation.output_qspec, node.op == "get_attr"


def _inserted(present: Dict[torch.fx.Node, Any], edge: _Edge, spec: Any) -> Dict[torch.fx.Node, Any]:
    """With a new entry at the place that the order of the inputs gives it: the order decides who leads a group."""
    order = {value: index for index, value in enumerate(edge[1].all_input_nodes)}
    entries = [*present.items(), (edge[0], spec)]
    if [*present] == sorted(present, key=lambda value: order.get(value, len(order))):
        entries.sort(key=lambda entry: order.get(entry[0], len(order)))
    return dict(entries)


def place_name(place: Place) -> Union[Tuple[str, str], Tuple[str, str, str]]:
    return ("edge", place[0].name, place[1].name) if isinstance(place, tuple) else ("node", place.name)


def place_words(place: Place) -> str:
    return f"the edge ({place[0].name}, {place[1].name})" if isinstance(place, tuple) else f"'{place.name}'"
