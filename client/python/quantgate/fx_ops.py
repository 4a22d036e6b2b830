"""What torch.fx nodes call, with what, and where they come from in the user's source."""
from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import torch
import torch.fx

from quantgate.fx_specs import DTYPES
from quantgate.v1 import graph_pb2

_FRAME = re.compile(r'File "([^"]+)", line (\d{1,9})\b')


def op_name(node: torch.fx.Node) -> str:
    """"aten.conv2d.default", "operator.getitem", "higher_order.cond", "output"."""
    if node.op in ("output", "placeholder", "get_attr"):
        return str(node.op)
    if node.op != "call_function":
        return f"{node.op}.{node.target}"
    target = node.target
    if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.__name__}"
    module = getattr(target, "__module__", "") or ""
    name = getattr(target, "__name__", str(target))
    return f"{module.removeprefix('_')}.{name}" if module else name


class Operator:
    """What a node calls: its name, and how its arguments are named."""

    __slots__ = ("name", "_names")

    def __init__(self, node: torch.fx.Node) -> None:
        self.name = op_name(node)
        schema = getattr(node.target, "_schema", None) if node.op == "call_function" else None
        self._names = None if schema is None else [one.name for one in schema.arguments]

    def arguments(self, node: torch.fx.Node) -> Tuple[Sequence[str], Sequence[Any]]:
        """Names and values of the arguments by position in the schema; None: not given."""
        names, args, kwargs = self._names, node.args, node.kwargs
        if names is None:
            names = [f"arg{position}" for position in range(len(args))]
            if self.name == "operator.getitem" and len(args) > 1:
                names[1] = "index"
            return [*names, *kwargs], [*args, *kwargs.values()]
        if kwargs:
            return names, [*args[:len(names)], *(kwargs.get(name) for name in names[len(args):])]
        return names, args[:len(names)]


class Operators:
    """The operators of a graph, each target of call_function read once."""

    def __init__(self) -> None:
        # By identity: OpOverload.__hash__ is slow, and the graph keeps its targets alive.
        self._known: Dict[int, Operator] = {}

    def of(self, node: torch.fx.Node) -> Operator:
        if node.op != "call_function":
            return Operator(node)
        key = id(node.target)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Operator(node)
        return known


def set_attribute(argument: Any, attribute: graph_pb2.Attribute) -> None:
    """The value of an argument that is no tensor; sizes known at run time only are -1."""
    try:
        _set_value(argument, attribute)
    except ValueError:  # a number beyond 64 bits, text that is no UTF-8
        attribute.s = ascii(argument)


def _set_value(argument: Any, attribute: graph_pb2.Attribute) -> None:
    if isinstance(argument, bool):
        attribute.b = argument
    elif isinstance(argument, int):
        attribute.i = argument
    elif isinstance(argument, float):
        attribute.f = argument
    elif isinstance(argument, str):
        attribute.s = argument
    elif isinstance(argument, torch.dtype):
        attribute.dtype = DTYPES.get(argument, 0)
    elif isinstance(argument, (list, tuple)):
        members = [-1 if isinstance(member, (torch.fx.Node, torch.SymInt)) else member for member in argument]
        if all(isinstance(member, int) for member in members):
            attribute.ints.values.extend(int(member) for member in members)
        elif all(isinstance(member, (int, float)) for member in members):
            attribute.floats.values.extend(float(member) for member in members)
        else:
            attribute.strings.values.extend(str(member) for member in members)
    else:
        attribute.s = str(argument)


class SourceLines:
    """Where nodes come from: the innermost frame of the user's code, and the module that the node belongs to."""

    def __init__(self, symbol: Callable[[str], int]) -> None:
        self._symbol = symbol
        # Serialized Nodes that have nothing but a source line; many nodes share one.
        self._known: Dict[Tuple[str, str], bytes] = {}

    def of(self, node: torch.fx.Node) -> bytes:
        """A serialized Node that has nothing but the source line; empty: not known."""
        meta = node.meta
        trace, stack = meta.get("stack_trace"), meta.get("nn_module_stack")
        frame = scope = ""
        if isinstance(trace, str):
            begin = trace.rfind('File "')
            frame = trace[begin:] if begin > 0 else trace
        if isinstance(stack, dict) and stack:
            innermost = next(reversed(stack.values()))
            if isinstance(innermost, (list, tuple)) and innermost and innermost[0]:
                scope = str(innermost[0])
        known = self._known.get((frame, scope))
        if known is None:
            known = self._known[frame, scope] = self._serialized(_FRAME.match(frame), scope)
        return known

    def _serialized(self, frame: Optional[re.Match[str]], scope: str) -> bytes:
        out = graph_pb2.Node()
        if frame:
            out.source_line.file = self._symbol(frame[1])
            out.source_line.line = int(frame[2])
        if scope:
            out.source_line.scope = self._symbol(scope)
        return out.SerializeToString()
