"""What torch.fx nodes call, with what, and where they come from in the user's source."""
from __future__ import annotations

import operator
import re
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import torch
import torch.fx

from quantgate.fx_foreign import peek, text
from quantgate.fx_specs import DTYPES
from quantgate.v1 import graph_pb2
from quantgate.wire import Heads, tag, varint

# Types of arguments of which equal ones are written alike.
_SCALARS = {bool, int, str, torch.dtype}
_WHOLE = {int}

_SOURCE_LINE = Heads(graph_pb2.Node.SOURCE_LINE_FIELD_NUMBER)
_SCOPE = tag(graph_pb2.SourceLine.SCOPE_FIELD_NUMBER)

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
    edge = peek(target, "_op")  # an operator of ExecuTorch's edge dialect
    if isinstance(edge, torch._ops.OpOverload):
        return str(edge)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.__name__}"
    module, name = peek(target, "__module__"), peek(target, "__name__")
    name = name if isinstance(name, str) else text(target)
    return f"{module.removeprefix('_')}.{name}" if isinstance(module, str) and module else name


# Of which Node.source_fn is sent.
_TOLD_BY_SOURCE = ("aten.max.dim", "aten.min.dim", "aten.adaptive_avg_pool1d.default")


def source_function(node: torch.fx.Node) -> str:
    """What the user's source calls, as torch.export has noted it: "torch.max", "max" (the method); "": it has not."""
    noted, named = node.meta.get("source_fn_stack"), node.meta.get("torch_fn")
    try:
        if not noted:
            return str(named[1]) if named else ""
        function = noted[-1][1]
        if isinstance(function, str):
            return function
        return f"{getattr(function, '__module__', None)}.{getattr(function, '__name__', None)}"
    except Exception:  # noqa: BLE001  Not as torch.export writes them; then they may raise anything.
        return ""


class Operator:
    """What a node calls: its name, how its arguments are named, and whether a toolchain goes by its source."""

    __slots__ = ("name", "names", "told_by_source")

    def __init__(self, node: torch.fx.Node) -> None:
        self.name = op_name(node)
        self.told_by_source = self.name in _TOLD_BY_SOURCE
        # Of the arguments; None: they have none.
        self.names: Optional[Sequence[str]] = None
        if node.op == "call_function":
            schema = peek(peek(node.target, "_schema"), "arguments")
            if isinstance(schema, (list, tuple)):
                self.names = [text(peek(one, "name")) for one in schema]
            elif node.target is operator.getitem:
                self.names = ["arg0", "index"]

    def arguments(self, node: torch.fx.Node) -> Tuple[Sequence[str], Sequence[Any]]:
        """Names and values of the arguments by position in the schema; None: not given."""
        names, args, kwargs = self.names, node.args, node.kwargs
        if names is None:
            return [*(f"arg{position}" for position in range(len(args))), *kwargs], [*args, *kwargs.values()]
        if kwargs:
            return names, [*args[:len(names)], *(kwargs.get(name) for name in names[len(args):])]
        return names, args[:len(names)]

    def rest(self, node: torch.fx.Node) -> Sequence[Any]:
        """Values of arguments that the schema does not have, or that are given twice: the call fails, but torchao looks
        at no schema."""
        if self.names is None:
            return ()
        known = self.names[len(node.args):]
        return [*node.args[len(self.names):], *(value for name, value in node.kwargs.items() if name not in known)]


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


class Attributes:
    """Arguments that are no tensors, as serialized Nodes that have nothing but this attribute."""

    def __init__(self, symbol: Callable[[str], int]) -> None:
        self._symbol = symbol
        # Of arguments that are equal only to what is written alike; 0.0 and -0.0 are not.
        self.known: Dict[Tuple[Any, ...], bytes] = {}

    def of(self, name: str, argument: Any) -> bytes:
        """Sizes known at run time only are -1."""
        kind = type(argument)
        key: Tuple[Any, ...]
        if kind in _SCALARS or kind is float and argument != 0:
            key = (name, kind, argument)
        elif isinstance(argument, (list, tuple)) and set(map(type, argument)) == _WHOLE:
            key = (name, tuple(argument))
        else:
            return self._serialized(name, argument)
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self._serialized(name, argument)
        return known

    def body(self, name: str, graph: int) -> bytes:
        """Of control flow, by its position in Graph.subgraphs."""
        return graph_pb2.Node(attributes=[graph_pb2.Attribute(name=self._symbol(name), graph=graph)]).SerializeToString()

    def _serialized(self, name: str, argument: Any) -> bytes:
        attribute = graph_pb2.Attribute(name=self._symbol(name))
        try:
            _set_value(argument, attribute)
        except (ValueError, OverflowError):  # a number beyond 64 bits or all floats, text that is no UTF-8
            attribute.s = text(argument, ascii)
        return graph_pb2.Node(attributes=[attribute]).SerializeToString()


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
            attribute.strings.values.extend(text(member) for member in members)
    else:
        attribute.s = text(argument)


class SourceLines:
    """Where nodes come from: the innermost frame of the user's code, and the module that the node belongs to."""

    def __init__(self, symbol: Callable[[str], int]) -> None:
        # Both as pieces of a SourceLine.
        self.frames = _Frames(symbol)
        self.scopes = _Scopes(symbol)

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
            if isinstance(innermost, (list, tuple)) and innermost and innermost[0] is not None:
                scope = innermost[0] if isinstance(innermost[0], str) else text(innermost[0])
        line = self.frames[frame] + self.scopes[scope]
        return _SOURCE_LINE[len(line)] + line if line else line


class _Frames(Dict[str, bytes]):
    """File and line of frames of a stack trace."""

    def __init__(self, symbol: Callable[[str], int]) -> None:
        super().__init__()
        self._symbol = symbol

    def __missing__(self, frame: str) -> bytes:
        found = _FRAME.match(frame)
        line = graph_pb2.SourceLine(file=self._symbol(found[1]), line=int(found[2])) if found else None
        made = self[frame] = line.SerializeToString() if line else b""
        return made


class _Scopes(Dict[str, bytes]):
    """Module paths."""

    def __init__(self, symbol: Callable[[str], int]) -> None:
        super().__init__()
        self._symbol = symbol

    def __missing__(self, scope: str) -> bytes:
        made = self[scope] = _SCOPE + varint(self._symbol(scope)) if scope else b""
        return made
