"""Shapes of a graph that has none, from a run with example inputs that computes no numbers."""
from __future__ import annotations

from typing import Any

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
    needed = sum(node.op == "placeholder" for node in module.graph.nodes)
    if not isinstance(example_inputs, (tuple, list)) or len(example_inputs) != needed:
        given = f"{len(example_inputs)}" if isinstance(example_inputs, (tuple, list)) else type(example_inputs).__name__
        raise QuantGateError("INVALID_ARGUMENT", f"example_inputs: expected a tuple of {needed}, not {given}")
    try:
        _ShapesOnly(module, FakeTensorMode(allow_non_fake_inputs=True)).propagate(*example_inputs)
    except Exception as error:  # noqa: BLE001  Whatever the graph's operators raise.
        for node in module.graph.nodes:
            node.meta.pop("val", None)
        raise QuantGateError("INVALID_ARGUMENT", "example_inputs: the graph does not run with them: "
                                                 + str(error).partition("\n")[0]) from error
