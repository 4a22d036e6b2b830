"""torch.fx graphs at any stage of PT2E as quantgate.v1.Graph.

The message's comment says how fx nodes become values and nodes. Observers of a prepared graph are left out: what they
saw becomes the parameters of the specs they were made for. So is what a graph prepared for training has around its
convolutions.
"""
from __future__ import annotations

import re
from itertools import islice
from operator import is_
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import torch
import torch.fx

from quantgate.errors import QuantGateError, no_graph
from quantgate.fx_constants import serialized_constant
from quantgate.fx_foreign import (called, checked_annotation, invalid, peek, read, shown, shown_whole, text,
                                  whole)
from quantgate.fx_moved import Moved
from quantgate.fx_ops import Attributes, Operators, SourceLines, op_name, source_function
from quantgate.fx_qat import counters, folded_convolutions, is_shaped_as_input, with_foreign_examples
from quantgate.fx_specs import DTYPES, SpecPool, has_seen_values
from quantgate.progress import watch
from quantgate.v1 import graph_pb2, types_pb2
from quantgate.wire import Heads, tag, varint, varints

try:
    from quantgate import _native
except ImportError:  # No compiler where the package was installed: the same, slower.
    _native = None  # type: ignore[assignment]

_QUANTIZED_NAMESPACES = ("quantized_decomposed.", "torchao.")
# Of those namespaces, the operators whose results are scales and zero points.
_CHOICE = "choose_qparams"
_PER_CHANNEL = (torch.per_channel_affine, torch.per_channel_symmetric)

# What arguments of a call may be nested in.
_NESTING = (list, tuple, dict, slice)

# Before the fields of a Graph, a Value and a Node.
_VALUE = Heads(graph_pb2.Graph.VALUES_FIELD_NUMBER)
_NODE = Heads(graph_pb2.Graph.NODES_FIELD_NUMBER)
_VALUE_NAME = Heads(graph_pb2.Value.NAME_FIELD_NUMBER)
_NODE_NAME = Heads(graph_pb2.Node.NAME_FIELD_NUMBER)
_NODE_OP = tag(graph_pb2.Node.OP_FIELD_NUMBER)
_NODE_OUTPUT = tag(graph_pb2.Node.OUTPUTS_FIELD_NUMBER)
_NODE_INPUTS = Heads(graph_pb2.Node.INPUTS_FIELD_NUMBER)
_NODE_SOURCE_FN = tag(graph_pb2.Node.SOURCE_FN_FIELD_NUMBER)
_ANNOTATED = graph_pb2.Node(annotated=True).SerializeToString()
_NO_IMPLICIT_SHARING = graph_pb2.Node(no_implicit_sharing=True).SerializeToString()
_ANNOTATED_KEYWORDS = graph_pb2.Node(annotated_keywords=True).SerializeToString()
_NO_TENSOR = graph_pb2.Value(no_tensor=True).SerializeToString()
_NONE = varint(0)


def to_graph(model: Any, example_inputs: Any = None, told_apart: bool = False) -> graph_pb2.Graph:
    """See quantgate.to_graph. told_apart: as SpecPool has it."""
    if isinstance(model, torch.export.ExportedProgram):
        model = model.module(check_guards=False)
    if not isinstance(model, torch.fx.GraphModule):
        raise no_graph(model)
    if example_inputs is not None and not any("val" in node.meta for node in model.graph.nodes):
        from quantgate.fx_shapes import add_shapes

        add_shapes(model, example_inputs)
    try:
        message = _Converter(model, told_apart).convert()
    except UnicodeEncodeError as error:
        raise invalid(f"the name {ascii(error.object)} is no text") from None
    message.producer = f"pytorch {torch.__version__}"
    return message


class _Converter:
    """One GraphModule into one message."""

    def __init__(self, module: torch.fx.GraphModule, told_apart: bool) -> None:
        self._module = module
        self._told_apart = told_apart
        self._find = _attributes(module)
        self._out = graph_pb2.Graph(origin=graph_pb2.Graph.PT2E)
        self._operators = Operators()
        self._source_lines = SourceLines(self._symbol)
        self._attributes = Attributes(self._symbol)
        self._symbols: Dict[str, int] = {}
        self._specs = SpecPool(self._out, self._symbol, self._place, told_apart)
        self._annotations: Dict[torch.fx.Node, Any] = {}
        self._values: Dict[torch.fx.Node, int] = {}
        # The same as they are serialized.
        self._value_ids: Dict[Optional[torch.fx.Node], bytes] = {}
        self._foreign: Dict[Any, Tuple[int, str]] = {}
        # Tensors of get_attr nodes.
        self._constants: Dict[torch.fx.Node, torch.Tensor] = {}
        # Pieces of Values and Nodes that were serialized already: type and shape, spec, operator, input_args, input_specs.
        self._types: Dict[Tuple[torch.dtype, torch.Size], bytes] = {}
        self._output_specs: Dict[int, bytes] = {}
        self._ops: Dict[str, bytes] = {}
        # By id() of the target: the operator, serialized, and what its arguments are called.
        self._calls: Dict[int, Tuple[Any, ...]] = {}
        self._input_args: Dict[Tuple[int, ...], bytes] = {}
        self._input_specs: Dict[Tuple[int, ...], bytes] = {}
        self._nodes: Dict[torch.fx.Node, int] = {}
        # Bodies of control flow (cond, map, while_loop): of the get_attr nodes that name them, positions in
        # Graph.subgraphs.
        self._bodies: Dict[torch.fx.Node, int] = {}
        # Observer nodes of a prepared graph, and what each observes.
        self._observers: Dict[torch.fx.Node, Any] = {}
        # Of convolutions that a batch norm is folded into, and that had no bias before: what stands for it.
        self._biases: Dict[torch.fx.Node, torch.fx.Node] = {}
        # Of batch norms that are folded: into what.
        self._convolutions: Dict[torch.fx.Node, torch.fx.Node] = {}
        # Nodes whose meta["val"] is that of another graph.
        self._foreign_examples: Set[torch.fx.Node] = set()

    def convert(self) -> graph_pb2.Graph:
        self._out.name = type(self._module).__name__
        nodes = [node for node in self._module.graph.nodes
                 if node.op == "call_function" or not self._is_left_out(node)]
        self._out.stage = self._stage(nodes)
        if self._out.stage != types_pb2.STAGE_CONVERTED:
            # A converted graph still carries the annotations, but its Q/DQ nodes are what counts.
            annotations = {node: node.meta["quantization_annotation"] for node in nodes
                           if "quantization_annotation" in node.meta}
            if self._observers:  # prepare_pt2e stumbles over None; behind it nobody looks
                annotations = {node: one for node, one in annotations.items() if one is not None}
            self._annotations = {node: checked_annotation(one, node) for node, one in annotations.items()}
        if self._observers:
            moved = Moved(self._module.graph.nodes, self._annotations, self._observers, self._source)
            self._annotations = moved.annotations(nodes)
        kept = [node for node in nodes if node.op == "call_function" or self._is_node(node)]
        self._foreign_examples = with_foreign_examples(nodes)
        # Ids first: specs and consumers refer to nodes that come later.
        values = [node for node in nodes if node.op != "output" or self._has_output_spec(node)]
        if self._observers and not self._told_apart:
            values, kept = self._folded(values, kept)
        self._values = {node: index for index, node in enumerate(values, 1)}
        self._nodes = {node: index for index, node in enumerate(kept, 1)}
        self._value_ids = dict(zip(values, islice(varints(len(values)), 1, None)))
        self._value_ids.update((node, self._value_ids[result]) for result, node in self._convolutions.items())
        self._out.inputs.extend(self._values[node] for node in nodes if node.op == "placeholder")
        written = [self._written(_VALUE, watch(values, "reading values"), self._value),
                   self._written(_NODE, watch(kept, "reading nodes"), self._node)]
        self._out.MergeFromString(b"".join(written))
        for _, name in self._foreign.values():
            self._out.values.add(name=name, foreign=True)
        for node in nodes:
            if node.op == "output":
                self._out.outputs.extend(self._values[self._source(value)] for value in node.all_input_nodes
                                         if self._source(value) in self._values)
        return self._out

    def _written(self, heads: Heads, nodes: Iterator[torch.fx.Node], one: Callable[[torch.fx.Node], bytes]) -> bytes:
        if _native is not None and not self._observers and not self._bodies and not self._foreign_examples:
            return _native.write(heads.field, nodes, one, torch.fx.Node, torch.Tensor, self._specs.id,
                                 self._constant, self._values,
                                 self._nodes, self._annotations, self._constants, self._types, self._specs.known,
                                 self._calls, self._attributes.known, self._source_lines.frames,
                                 self._source_lines.scopes)
        pieces: List[bytes] = []
        for node in nodes:
            piece = one(node)
            pieces += heads[len(piece)], piece
        return b"".join(pieces)

    # ---- which nodes, and which stage ----

    def _is_left_out(self, node: torch.fx.Node) -> bool:
        if node.op == "get_attr":
            held = self._find(str(node.target))
            if isinstance(held, torch.Tensor):
                self._constants[node] = held
            # torchao shares observers of bodies as it does of any value.
            if self._told_apart or not isinstance(held, torch.fx.GraphModule):
                return False
            self._out.subgraphs.append(_Converter(held, self._told_apart).convert())
            self._bodies[node] = len(self._out.subgraphs)
            return read(node.meta.get("quantization_annotation"), "output_qspec") is None
        if node.op != "call_module":
            return False
        if node.target == "_guards_fn":
            return True
        observer = self._find(str(node.target))
        if len(node.args) != 1 or peek(observer, "calculate_qparams") is None:
            return False
        self._observers[node] = observer
        return True

    def _folded(self, values: List[torch.fx.Node], kept: List[torch.fx.Node]
                ) -> Tuple[List[torch.fx.Node], List[torch.fx.Node]]:
        """What is left of values and nodes when batch norms are folded as convert_pt2e does it: a convolution then
        writes the value of its batch norm."""
        gone = set(counters(kept))
        numbers: Dict[torch.fx.Node, torch.Tensor] = {}
        for one in folded_convolutions(kept, self._observers, self._constants):
            self._convolutions[one.output] = one.node
            numbers.update({one.weight: one.weight_numbers, one.bias: one.bias_numbers})
            gone.update(one.gone)
            if one.bias.op == "get_attr":
                self._biases[one.node] = one.bias
        self._constants.update(numbers)
        no_nodes = {*gone, *numbers, *self._convolutions}
        # Constants whose readers are all gone.
        gone.update(node for node in self._constants if node not in numbers and node.users
                    and no_nodes.issuperset(node.users))
        no_values = {*gone, *self._convolutions.values()}
        return [node for node in values if node not in no_values], [node for node in kept if node not in no_nodes]

    def _is_node(self, node: torch.fx.Node) -> bool:
        if node.op in ("placeholder", "get_attr"):
            return bool(getattr(self._annotations.get(node), "input_qspec_map", None))
        # The output has no meaning of its own; an annotated one has.
        return node.op != "output" or node in self._annotations

    def _has_output_spec(self, node: torch.fx.Node) -> bool:
        return getattr(self._annotations.get(node), "output_qspec", None) is not None

    def _stage(self, nodes: Sequence[torch.fx.Node]) -> types_pb2.Stage:
        called = {id(node.target): node for node in nodes if node.op == "call_function"}
        if any(self._operators.of(node).name.startswith(_QUANTIZED_NAMESPACES) for node in called.values()):
            return types_pb2.STAGE_CONVERTED
        # Where all is in modules of a quantizer's own (OpenVINO's weights), torchao's mark is what is left to see.
        if not self._observers and _is_torchaos(self._module) and any(
                _asks_for_observers(node.meta.get("quantization_annotation")) for node in nodes):
            return types_pb2.STAGE_CONVERTED
        # Observers that wait for their first value know no more than the annotations do.
        seen = {has_seen_values(observer) for observer in self._observers.values()}
        known = True in seen or seen == {None}
        return types_pb2.STAGE_CALIBRATED if known else types_pb2.STAGE_ANNOTATED

    def _source(self, node: torch.fx.Node) -> torch.fx.Node:
        while node in self._observers:
            node = node.args[0]  # type: ignore[assignment]
        return node

    # ---- values ----

    def _value(self, node: torch.fx.Node) -> bytes:
        name = node.name.encode()
        constant = self._constants.get(node)
        tensor = node.meta.get("val") if constant is None else constant
        known = None
        if node in self._foreign_examples:
            tensor = None
        if isinstance(tensor, torch.Tensor):
            try:
                known = self._types.get((tensor.dtype, tensor.shape))
            except Exception:  # noqa: BLE001  Sizes that are symbols, or none, or whatever a class of others raises.
                pass
        if known is None:
            known = self._type(node, self._example(node) if constant is None else constant)
        pieces = [_VALUE_NAME[len(name)], name, known]
        if constant is not None:
            pieces.append(self._constant(node))
        annotation = self._annotations.get(node)
        if annotation is not None and annotation.output_qspec is not None:
            pieces.append(self._output_spec(node, annotation.output_qspec))
        if self._observers or len(node.users) > 1:
            pieces.append(self._users(node))
        return b"".join(pieces)

    def _example(self, node: torch.fx.Node) -> Any:
        """meta["val"]; convert_pt2e leaves it out on what it inserts, which has the shape of what is quantized: a value of
        the graph, or a constant, of which none is kept."""
        while True:
            if node in self._foreign_examples and is_shaped_as_input(node):
                before = self._convolutions.get(node) or node.args[0]
            elif "val" not in node.meta and node.op == "call_function" and _keeps_shape(op_name(node)):
                before = node.args[0] if node.args else None
            else:
                break
            if not isinstance(before, torch.fx.Node):
                break
            node = self._source(before)
        return node.meta.get("val", self._constants.get(node))

    def _type(self, node: torch.fx.Node, tensor: Any) -> bytes:
        if not isinstance(tensor, torch.Tensor):
            return b"" if tensor is None else _NO_TENSOR
        value = graph_pb2.Value(dtype=_dtype(node, tensor))
        sizes = _sizes(tensor)
        if sizes is None or node in self._foreign_examples and not is_shaped_as_input(node):
            return value.SerializeToString()
        value.has_shape = True
        known = [isinstance(size, int) for size in sizes]
        if not all(known):
            value.dims.extend(size if plain else -1 for size, plain in zip(sizes, known))
            value.dim_symbols.extend(0 if plain else self._symbol(str(size)) for size, plain in zip(sizes, known))
            return value.SerializeToString()
        value.dims.extend(sizes)
        data = value.SerializeToString()
        if "val" in node.meta or node in self._constants:
            self._types[tensor.dtype, tensor.shape] = data
        return data

    def _output_spec(self, node: torch.fx.Node, spec: Any) -> bytes:
        number = self._spec_id(spec, self._observer_of_value(node), node)
        made = self._output_specs.get(number)
        if made is None:
            made = self._output_specs[number] = graph_pb2.Value(spec=number).SerializeToString()
        return made

    def _users(self, node: torch.fx.Node) -> bytes:
        consumers = dict.fromkeys(self._consumers(node)) if self._observers else node.users
        users = [self._nodes[user] for user in consumers if user in self._nodes]
        return b"" if users == sorted(users) else graph_pb2.Value(users=users).SerializeToString()

    def _consumers(self, node: torch.fx.Node) -> Iterator[torch.fx.Node]:
        for user in node.users:
            if user in self._observers:
                yield from self._consumers(user)
            else:
                yield user

    def _constant(self, node: torch.fx.Node) -> bytes:
        return serialized_constant(self._constants[node], self._channel_axis(node))

    def _channel_axis(self, node: torch.fx.Node) -> Optional[int]:
        """Axis along which a constant's consumers quantize it, if they agree to do it per channel."""
        for user in node.users:
            spec = (getattr(self._annotations.get(user), "input_qspec_map", None) or {}).get(node)
            axis = peek(spec, "ch_axis")
            if axis is not None and any(peek(spec, "qscheme") is one for one in _PER_CHANNEL):
                return whole(axis)
            if user.op == "call_function" and "per_channel" in self._operators.of(user).name:
                return whole(user.args[3] if len(user.args) > 3 else user.kwargs.get("axis"))
        return None

    # ---- nodes ----

    def _node(self, node: torch.fx.Node) -> bytes:
        operator = self._operators.of(node)
        name = node.name.encode()
        op = self._ops.get(operator.name) or self._op(operator.name)
        if operator.names is not None and not operator.told_by_source:
            self._calls[id(node.target)] = (op, *operator.names)
        pieces = [_NODE_NAME[len(name)], name, op]
        value = self._value_ids.get(node)
        if value is not None:
            pieces += _NODE_OUTPUT, value
        pieces.append(self._source_lines.of(node))
        inputs: List[Optional[torch.fx.Node]] = []
        positions: List[int] = []
        names, arguments = operator.arguments(node)
        if node in self._biases:
            arguments = [*arguments[:2], self._biases[node], *arguments[3:]]
        for position, argument in enumerate(arguments):
            if isinstance(argument, torch.fx.Node):
                if argument in self._bodies:
                    pieces.append(self._attributes.body(argument.name, self._bodies[argument]))
                else:
                    inputs.append(argument)
                    positions.append(position)
            elif argument is not None and not _add_inputs(argument, position, inputs, positions):
                pieces.append(self._attributes.of(names[position], argument))
        if node.kwargs or len(node.args) > len(arguments):
            for position, argument in enumerate(operator.rest(node), len(arguments)):
                _add_inputs((argument,), position, inputs, positions)
        if self._observers:
            inputs = [None if value is None else self._source(value) for value in inputs]
        if inputs:
            ids = b"".join([self._value_ids.get(value, _NONE) for value in inputs])
            pieces += _NODE_INPUTS[len(ids)], ids, self._positions(tuple(positions))
        if "asked_block_size" in node.meta:
            pieces.append(_asked_block_size(node))
        if operator.told_by_source and (source := source_function(node)):
            pieces.append(_NODE_SOURCE_FN + varint(self._symbol(source)))
        annotation = self._annotations.get(node)
        if annotation is not None:
            self._add_annotation(node, annotation, inputs, pieces)
        return b"".join(pieces)

    def _op(self, name: str) -> bytes:
        made = self._ops[name] = _NODE_OP + varint(self._symbol(name))
        return made

    def _positions(self, positions: Tuple[int, ...]) -> bytes:
        made = self._input_args.get(positions)
        if made is None:
            input_args = () if positions == tuple(range(len(positions))) else positions
            made = self._input_args[positions] = graph_pb2.Node(input_args=input_args).SerializeToString()
        return made

    # ---- annotations ----

    def _add_annotation(self, node: torch.fx.Node, annotation: Any, inputs: List[Optional[torch.fx.Node]],
                        pieces: List[bytes]) -> None:
        if annotation._annotated:
            pieces.append(_ANNOTATED)
        if not annotation.allow_implicit_sharing:
            pieces.append(_NO_IMPLICIT_SHARING)
        if _holds_node(node.kwargs):
            pieces.append(_ANNOTATED_KEYWORDS)
        spec_map = annotation.input_qspec_map
        if not spec_map:
            return
        if self._observers:
            ids = [self._spec_id(spec, self._observer_of_edge(node, key), node, key) for key, spec in spec_map.items()]
        else:
            ids = [self._specs.known.get(id(spec)) or self._spec_id(spec, None, node, key)
                   for key, spec in spec_map.items()]
        keys = list(spec_map)
        # None among them is a key that is no node; None among the inputs is an argument that is not there.
        if _are_same(keys, inputs) and None not in spec_map:
            pieces.append(self._edges(tuple(ids)))
            return
        specs = dict(zip(keys, ids))
        edges = [0 if value is None else specs.get(value, 0) for value in inputs]
        while edges and edges[-1] == 0:
            edges.pop()
        pieces.append(self._edges(tuple(edges)))
        # What the inputs say from left to right, each value at its first place.
        implied = dict.fromkeys(value for value in inputs if value is not None and value in specs)
        if not _are_same(list(implied), keys):
            whole = graph_pb2.Node()
            for key, spec in specs.items():
                if self._told_apart and not isinstance(key, torch.fx.Node):
                    raise invalid(f"the annotation of {node.name}: the key {shown(key)} of its input_qspec_map "
                                   "is no node")
                whole.input_spec_map.add(value=self._value_id(key), spec=spec)
            pieces.append(whole.SerializeToString())

    def _edges(self, specs: Tuple[int, ...]) -> bytes:
        made = self._input_specs.get(specs)
        if made is None:
            made = self._input_specs[specs] = graph_pb2.Node(input_specs=specs).SerializeToString()
        return made

    def _spec_id(self, spec: Any, observer: Any, node: torch.fx.Node, key: Any = None) -> int:
        try:
            return self._specs.id(spec, observer)
        except QuantGateError as error:
            where = f"the output of {node.name}" if key is None else f"the input {text(key)} of {node.name}"
            raise QuantGateError(error.code, f"the spec of {where}: {error.message}") from None

    def _value_id(self, node: Any) -> int:
        """Of a node of this graph, of another one that an annotation still points at, or of what is no node at all."""
        return self._values.get(node) or self._foreign_id(node, _name_of(node))

    def _foreign_id(self, key: Any, name: str) -> int:
        # They come after all values of this graph, which may not all have been added yet.
        return self._foreign.setdefault(key, (len(self._values) + len(self._foreign) + 1, name))[0]

    def _observer_of_value(self, node: torch.fx.Node) -> Any:
        if not self._observers:
            return None
        return next((self._observers[user] for user in node.users if user in self._observers), None)

    def _observer_of_edge(self, consumer: torch.fx.Node, value: torch.fx.Node) -> Any:
        if not self._observers:
            return None
        for argument in consumer.all_input_nodes:
            if argument in self._observers and self._source(argument) is value:
                return self._observers[argument]
        return None

    def _place(self, place: Any, out: Any) -> None:
        is_edge = isinstance(place, tuple) and len(place) == 2
        value, consumer = place if is_edge else (place, None)
        if not isinstance(value, torch.fx.Node) or is_edge and not isinstance(consumer, torch.fx.Node):
            raise invalid(f"it refers to {shown(place)}, which is neither a node nor an edge, a pair of nodes")
        if consumer is not None and consumer not in self._nodes:
            # An edge into no node of this graph never has a spec; it stands as what it would be called.
            out.value = self._foreign_id(place, f"({value.name}, {consumer.name})")
            return
        out.value = self._value_id(value)
        if consumer is not None:
            out.consumer = self._nodes[consumer]

    def _symbol(self, name: str) -> int:
        number = self._symbols.get(name)
        if number is None:
            # Names of files need not be text.
            self._out.symbols.append(name.encode("utf-8", "backslashreplace").decode())
            number = self._symbols[name] = len(self._symbols) + 1
        return number


def _keeps_shape(op: str) -> bool:
    """Whether an operator that convert_pt2e inserts has the shape of what is quantized, not of scales."""
    return op.startswith(_QUANTIZED_NAMESPACES) and _CHOICE not in op


def _is_torchaos(module: torch.fx.GraphModule) -> bool:
    """Whether prepare_pt2e or convert_pt2e made it: they take away train() and eval()."""
    train = getattr(vars(module).get("train"), "__func__", None)
    return str(getattr(train, "__qualname__", "")).startswith("_disallow_eval_train")


def _asks_for_observers(annotation: Any) -> bool:
    edges = read(annotation, "input_qspec_map")
    specs = called("the values of an input_qspec_map cannot be read", list, edges.values()) if isinstance(
        edges, dict) else []
    return any(spec is not None for spec in (*specs, read(annotation, "output_qspec")))


def _add_inputs(argument: Any, position: int, inputs: List[Optional[torch.fx.Node]], positions: List[int]) -> bool:
    """Appends the nodes in an argument, however deep, from left to right; true: it is a list that has nothing but nodes
    and absent members."""
    if not isinstance(argument, _NESTING):
        return False
    found: List[torch.fx.Node] = []
    torch.fx.node.map_arg(argument, found.append)
    if not found:
        return False
    only_nodes = isinstance(argument, (list, tuple)) and all(member is None or isinstance(member, torch.fx.Node)
                                                             for member in argument)
    members: Any = argument if only_nodes else found
    inputs.extend(members)
    positions.extend([position] * len(members))
    return only_nodes


def _holds_node(argument: Any) -> bool:
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, (list, tuple)):
        return any(map(_holds_node, argument))
    return isinstance(argument, torch.fx.Node)


def _asked_block_size(node: torch.fx.Node) -> bytes:
    asked = node.meta["asked_block_size"]
    try:
        return graph_pb2.Node(asked_block_size=asked).SerializeToString()
    except Exception:  # noqa: BLE001  Whatever protobuf, or a list of others that it reads, raises.
        raise invalid(f"the block size asked for {node.name}, {shown(asked)}, is no list of sizes") from None


def _are_same(nodes: Sequence[Any], others: Sequence[Any]) -> bool:
    """By identity: keys that are no nodes may compare as they like."""
    return len(nodes) == len(others) and all(map(is_, nodes, others))


_LONGEST_NAME = 200


def _name_of(key: Any) -> str:
    """Of a key that may be anything; the same in every process."""
    name = key if isinstance(key, str) else peek(key, "name")
    if not isinstance(name, str) or not name:
        name = re.sub(r" at 0x[0-9a-fA-F]+", "", shown_whole(key))
    if len(name) > _LONGEST_NAME and not isinstance(key, torch.fx.Node):
        name = name[:_LONGEST_NAME] + "..."
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _sizes(tensor: torch.Tensor) -> Optional[List[Any]]:
    """None where a tensor has none: a nested one, a parameter that was never initialized."""
    try:
        return None if tensor.is_nested else list(tensor.shape)
    except Exception:  # noqa: BLE001  Whatever a class of others raises.
        return None


def _attributes(module: torch.fx.GraphModule) -> Any:
    """A function from an attribute's path to what it holds, None where there is nothing."""
    holders: Dict[str, Any] = {}

    def find(path: str) -> Any:
        prefix, dot, name = path.rpartition(".")
        if not dot:
            return peek(module, name)
        if prefix not in holders:
            holder: Any = module
            for part in prefix.split("."):
                holder = peek(holder, part)
            holders[prefix] = holder
        return peek(holders[prefix], name)
    return find


def _dtype(node: torch.fx.Node, example: torch.Tensor) -> types_pb2.DataType:
    dtype: Any = example.dtype
    if "val" not in node.meta and node.op == "call_function":
        if ".quantize" in op_name(node):
            dtype = next((argument for argument in node.args if isinstance(argument, torch.dtype)), None)
        else:
            dtype = node.kwargs.get("out_dtype") or torch.float32
    unspecified = types_pb2.DATA_TYPE_UNSPECIFIED
    known: types_pb2.DataType = DTYPES.get(dtype, unspecified) if isinstance(dtype, torch.dtype) else unspecified
    return known
