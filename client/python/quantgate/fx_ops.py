"""What torch.fx nodes call, with what, and where they come from in the user's source."""
from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

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


class Signatures:
    """Names of operators and of their arguments, each target read once."""

    def __init__(self) -> None:
        self._names: Dict[Any, str] = {}
        self._arguments: Dict[Any, Optional[List[str]]] = {}

    def op_name(self, node: torch.fx.Node) -> str:
        if node.op != "call_function":
            return op_name(node)
        name = self._names.get(node.target)
        if name is None:
            name = self._names[node.target] = op_name(node)
        return name

    def arguments(self, node: torch.fx.Node) -> Iterator[Tuple[int, str, Any]]:
        """(schema position, schema name, value) of every argument that is given, by position."""
        names = self._argument_names(node)
        args, kwargs = node.args, node.kwargs
        if names is None:
            index = self.op_name(node) == "operator.getitem"
            for position, value in enumerate(args):
                yield position, "index" if index and position == 1 else f"arg{position}", value
            for position, (name, value) in enumerate(kwargs.items(), len(args)):
                yield position, name, value
            return
        yield from zip(range(len(args)), names, args)
        if kwargs:
            for position in range(len(args), len(names)):
                if names[position] in kwargs:
                    yield position, names[position], kwargs[names[position]]

    def _argument_names(self, node: torch.fx.Node) -> Optional[List[str]]:
        if node.op != "call_function":
            return None
        if node.target not in self._arguments:
            schema = getattr(node.target, "_schema", None)
            self._arguments[node.target] = None if schema is None else [one.name for one in schema.arguments]
        return self._arguments[node.target]


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


def add_source_line(node: torch.fx.Node, out: graph_pb2.Node, symbol: Callable[[str], int]) -> None:
    """The innermost frame of the user's code, and the module that the node belongs to."""
    meta = node.meta
    trace = meta.get("stack_trace")
    frame = _FRAME.match(trace, max(0, trace.rfind('File "'))) if isinstance(trace, str) else None
    if frame:
        out.source_line.file = symbol(frame[1])
        out.source_line.line = int(frame[2])
    stack = meta.get("nn_module_stack")
    if isinstance(stack, dict) and stack:
        innermost = next(reversed(stack.values()))
        if isinstance(innermost, (list, tuple)) and innermost and innermost[0]:
            out.source_line.scope = symbol(str(innermost[0]))
