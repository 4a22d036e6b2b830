"""Shapes of a graph that has none, from a run with example inputs that computes no numbers."""
from __future__ import annotations

from typing import Any, List, Sequence

import torch
import torch.fx
from torch._subclasses import FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

from quantgate.errors import QuantGateError


class _ShapesOnly(FakeTensorProp):
    """Passes observers by: they would count tensors without numbers among what they have seen."""

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        if len(args) == 1 and hasattr(self.fetch_attr(target), "calculate_qparams"):
            return args[0]
        return super().call_module(target, args, kwargs)


def add_shapes(module: torch.fx.GraphModule, example_inputs: Any) -> None:
    """Writes meta["val"] of every node, or of none where the graph does not run with the inputs."""
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    given = _flat(module, example_inputs) if isinstance(example_inputs, (tuple, list)) else None
    # A placeholder that has a default may be left out.
    if given is None or not sum(not node.args for node in inputs) <= len(given) <= len(inputs):
        what = type(example_inputs).__name__ if given is None else f"{len(given)}"
        raise QuantGateError("INVALID_ARGUMENT", f"example_inputs: expected a tuple of {len(inputs)}, not {what}")
    try:
        _ShapesOnly(module, FakeTensorMode(allow_non_fake_inputs=True)).propagate(*given)
    except Exception as error:  # noqa: BLE001  Whatever the graph's operators raise.
        for node in module.graph.nodes:
            node.meta.pop("val", None)
        raise QuantGateError("INVALID_ARGUMENT", "example_inputs: the graph does not run with them: "
                                                 + str(error).partition("\n")[0]) from error


def _flat(module: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Sequence[Any]:
    """One per placeholder, where they have the structure that the module was exported with."""
    structure = getattr(getattr(module.graph._codegen, "pytree_info", None), "in_spec", None)
    if structure is None:
        return example_inputs
    try:
        flat: List[Any] = structure.flatten_up_to((tuple(example_inputs), {}))
    except ValueError:  # another one, such as a tuple of what the placeholders stand for
        return example_inputs
    return flat
