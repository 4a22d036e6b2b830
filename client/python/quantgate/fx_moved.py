"""Specs of a prepared graph whose annotations name nodes that are no longer there.

move_exported_model_to_eval puts other batch norms and dropouts in the place of those that were annotated, and
copy.deepcopy copies the nodes and not what annotations say of them. The observers are where they were, and convert_pt2e
asks them alone.
"""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterable, List, Sequence

import torch
import torch.fx

from quantgate.fx_foreign import peek


class Moved:
    """The annotations of a prepared graph, with what the observers know in the place of what names no node of it."""

    def __init__(self, present: Iterable[torch.fx.Node], annotations: Dict[torch.fx.Node, Any],
                 observers: Dict[torch.fx.Node, Any],
                 source: Callable[[torch.fx.Node], torch.fx.Node]) -> None:
        self._present = set(present)
        self._annotations = annotations
        self._observers = observers
        self._source = source
        # By id() of the observer: places that share one have one spec.
        self._seen: Dict[int, Any] = {}

    def annotations(self, nodes: Sequence[torch.fx.Node]) -> Dict[torch.fx.Node, Any]:
        """Of those nodes, the annotations themselves where nothing is amiss. A value that is observed, and that neither
        an annotation of its own nor one of its consumers names, has lost its own."""
        named = {key for annotation in self._annotations.values() for key in annotation.input_qspec_map}
        made = {node: annotation if self._is_known(annotation) else self._restored(node, annotation)
                for node, annotation in self._annotations.items()}
        for node in nodes:
            if node.op == "call_function" and node not in made and node not in named and len(node.users) == 1:
                observer = self._observers.get(next(iter(node.users)))
                if observer is not None:
                    made[node] = _annotation({}, self._spec(observer), True)
        return made

    def _is_known(self, annotation: Any) -> bool:
        specs = annotation.input_qspec_map
        return self._present.issuperset(key for key in specs if isinstance(key, torch.fx.Node)) and not any(
            map(self._names_others, [*specs.values(), annotation.output_qspec]))

    def _names_others(self, spec: Any) -> bool:
        derived = peek(spec, "derived_from")
        places = derived if isinstance(derived, (list, tuple)) and derived else [peek(spec, "edge_or_node", ())]
        nodes = (node for place in places for node in (place if isinstance(place, tuple) else (place,)))
        return any(isinstance(node, torch.fx.Node) and node not in self._present for node in nodes)

    def _restored(self, node: torch.fx.Node, annotation: Any) -> Any:
        observed = {self._source(argument): argument for argument in node.all_input_nodes
                    if argument in self._observers}
        unnamed: List[torch.fx.Node] = [value for value in observed if value not in annotation.input_qspec_map]
        specs: Dict[Any, Any] = {}
        for key, spec in annotation.input_qspec_map.items():
            if key in self._present:
                specs[key] = self._or_observed(spec, observed.get(key))
            elif unnamed:  # both are in the order of the arguments
                value = unnamed.pop(0)
                specs[value] = self._spec(self._observers[observed[value]])
        observer = next((user for user in node.users if user in self._observers), None)
        return _annotation(specs, self._or_observed(annotation.output_qspec, observer),
                           getattr(annotation, "allow_implicit_sharing", True))

    def _or_observed(self, spec: Any, observer: Any) -> Any:
        return self._spec(self._observers[observer]) if observer is not None and self._names_others(spec) else spec

    def _spec(self, observer: Any) -> Any:
        found = self._seen.get(id(observer))
        if found is None:
            found = self._seen[id(observer)] = _spec_of(observer)
        return found


def _annotation(specs: Dict[Any, Any], output: Any, implicit_sharing: bool) -> Any:
    return SimpleNamespace(input_qspec_map=specs, output_qspec=output, allow_implicit_sharing=implicit_sharing,
                           _annotated=True)


def _spec_of(observer: Any) -> Any:
    """A plain spec that says what the observer does."""
    made: Any = type(observer)
    inner = peek(observer, "activation_post_process")
    if inner is not None and peek(made, "with_args") is not None:
        made = made.with_args(observer=type(inner))
    qscheme = peek(observer, "qscheme")
    per_channel = any(qscheme is one for one in (torch.per_channel_affine, torch.per_channel_symmetric))
    dynamic = peek(observer, "is_dynamic")
    return SimpleNamespace(dtype=peek(observer, "dtype"), qscheme=qscheme, observer_or_fake_quant_ctr=made,
                           quant_min=peek(observer, "quant_min"), quant_max=peek(observer, "quant_max"),
                           ch_axis=peek(observer, "ch_axis") if per_channel else None,
                           is_dynamic=False if dynamic is None else dynamic)
