"""torch.fx graphs at any stage of PT2E as quantgate.v1.Graph.

The message's comment says how fx nodes become values and nodes. Observers of a prepared graph are left out: what they
saw becomes the parameters of the specs they were made for.
"""
from __future__ import annotations

import functools
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import torch
import torch.fx

from quantgate.errors import QuantGateError
from quantgate.v1 import graph_pb2, spec_pb2, types_pb2

_DTYPES: Dict[Any, Any] = {
    getattr(torch, name): types_pb2.DataType.Value("DATA_TYPE_" + ours)
    for name, ours in (
        ("bool", "BOOL"), ("int8", "INT8"), ("uint8", "UINT8"), ("int16", "INT16"), ("uint16", "UINT16"),
        ("int32", "INT32"), ("uint32", "UINT32"), ("int64", "INT64"), ("uint64", "UINT64"), ("float16", "FLOAT16"),
        ("bfloat16", "BFLOAT16"), ("float32", "FLOAT32"), ("float64", "FLOAT64"), ("int2", "INT2"), ("uint2", "UINT2"),
        ("int4", "INT4"), ("uint4", "UINT4"), ("float8_e4m3fn", "FLOAT8_E4M3FN"),
        ("float8_e4m3fnuz", "FLOAT8_E4M3FNUZ"), ("float8_e5m2", "FLOAT8_E5M2"),
        ("float8_e5m2fnuz", "FLOAT8_E5M2FNUZ"), ("float8_e8m0fnu", "FLOAT8_E8M0"),
        ("float4_e2m1fn_x2", "FLOAT4_E2M1"), ("complex64", "COMPLEX64"), ("complex128", "COMPLEX128"))
    if hasattr(torch, name)}

_QSCHEMES = {
    torch.per_tensor_affine: spec_pb2.Spec.PER_TENSOR_AFFINE,
    torch.per_tensor_symmetric: spec_pb2.Spec.PER_TENSOR_SYMMETRIC,
    torch.per_channel_affine: spec_pb2.Spec.PER_CHANNEL_AFFINE,
    torch.per_channel_symmetric: spec_pb2.Spec.PER_CHANNEL_SYMMETRIC,
    torch.per_channel_affine_float_qparams: spec_pb2.Spec.PER_CHANNEL_AFFINE_FLOAT_QPARAMS,
}

# Constants of at most this many elements are sent in full when they are scalars or vectors (biases, scales, shapes);
# of all others only statistics leave this process.
_FULL_ELEMENTS = 1 << 16

_QUANTIZED_NAMESPACES = ("quantized_decomposed.", "torchao.")


def to_graph(model: Any, example_inputs: Any = None) -> graph_pb2.Graph:
    """See quantgate.to_graph."""
    if isinstance(model, torch.export.ExportedProgram):
        model = model.module(check_guards=False)
    if not isinstance(model, torch.fx.GraphModule):
        raise QuantGateError("INVALID_ARGUMENT", f"expected a GraphModule, an ExportedProgram or a path, not "
                                                 f"{type(model).__name__}")
    if example_inputs is not None and not any("val" in node.meta for node in model.graph.nodes):
        from torch.fx.passes.fake_tensor_prop import FakeTensorProp

        FakeTensorProp(model).propagate(*example_inputs)
    message = _Converter(model).convert()
    message.producer = f"pytorch {torch.__version__}"
    return message


class _Converter:
    """One GraphModule into one message."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        self._module = module
        self._attributes = _attributes(module)
        self._out = graph_pb2.Graph(origin=graph_pb2.Graph.PT2E)
        self._symbols: Dict[str, int] = {}
        self._specs: Dict[bytes, int] = {}
        self._values: Dict[torch.fx.Node, int] = {}
        self._foreign: Dict[Any, Tuple[int, str]] = {}
        self._nodes: Dict[torch.fx.Node, int] = {}
        # Observer nodes of a prepared graph, and what each observes.
        self._observers: Dict[torch.fx.Node, Any] = {}

    def convert(self) -> graph_pb2.Graph:
        self._out.name = type(self._module).__name__
        nodes = [node for node in self._module.graph.nodes if not self._is_left_out(node)]
        self._out.stage = self._stage(nodes)
        kept = [node for node in nodes if self._is_node(node)]
        # Ids first: specs and consumers refer to nodes that come later.
        for node in nodes:
            if self._is_value(node):
                self._values[node] = len(self._values) + 1
        for node in kept:
            self._nodes[node] = len(self._nodes) + 1
        for node in nodes:
            if node in self._values:
                self._add_value(node)
            if node.op == "placeholder":
                self._out.inputs.append(self._values[node])
        for node in kept:
            self._add_node(node)
        for _, name in self._foreign.values():
            self._out.values.add(name=name, foreign=True)
        for node in nodes:
            if node.op == "output":
                self._out.outputs.extend(self._values[self._source(value)] for value in node.all_input_nodes
                                         if self._source(value) in self._values)
        return self._out

    # ---- which nodes, and which stage ----

    def _is_left_out(self, node: torch.fx.Node) -> bool:
        if node.op != "call_module":
            return False
        if node.target == "_guards_fn":
            return True
        observer = self._attributes(str(node.target))
        if len(node.args) != 1 or not hasattr(observer, "calculate_qparams"):
            return False
        self._observers[node] = observer
        return True

    def _is_node(self, node: torch.fx.Node) -> bool:
        if node.op in ("placeholder", "get_attr"):
            return False
        # The output has no meaning of its own; an annotated one has.
        return node.op != "output" or self._annotation(node) is not None

    def _is_value(self, node: torch.fx.Node) -> bool:
        return node.op != "output" or getattr(self._annotation(node), "output_qspec", None) is not None

    def _stage(self, nodes: Sequence[torch.fx.Node]) -> types_pb2.Stage:
        if any(_op_name(node).startswith(_QUANTIZED_NAMESPACES) for node in nodes if node.op == "call_function"):
            return types_pb2.STAGE_CONVERTED
        return types_pb2.STAGE_CALIBRATED if self._observers else types_pb2.STAGE_ANNOTATED

    def _annotation(self, node: torch.fx.Node) -> Any:
        # A converted graph still carries the annotations, but its Q/DQ nodes are what counts.
        return None if self._out.stage == types_pb2.STAGE_CONVERTED else node.meta.get("quantization_annotation")

    def _source(self, node: torch.fx.Node) -> torch.fx.Node:
        while node in self._observers:
            node = node.args[0]  # type: ignore[assignment]
        return node

    # ---- values ----

    def _add_value(self, node: torch.fx.Node) -> None:
        value = self._out.values.add(name=node.name)
        constant = self._attributes(str(node.target)) if node.op == "get_attr" else None
        tensor = constant if isinstance(constant, torch.Tensor) else _example(node)
        if isinstance(tensor, torch.Tensor):
            value.dtype = _dtype(node, tensor)
            value.has_shape = True
            symbols = []
            for size in tensor.shape:
                known = isinstance(size, int)
                value.dims.append(size if known else -1)
                symbols.append(0 if known else self._symbol(str(size)))
            if any(symbols):
                value.dim_symbols.extend(symbols)
        if isinstance(constant, torch.Tensor):
            _add_constant(constant, self._channel_axis(node), value.constant)
        annotation = self._annotation(node)
        output_spec = getattr(annotation, "output_qspec", None)
        if output_spec is not None:
            value.spec = self._spec(output_spec, self._observer_of_value(node))
        self._add_users(node, value)

    def _add_users(self, node: torch.fx.Node, value: Any) -> None:
        users = []
        for user in node.users:
            users.extend([self._nodes[real] for real in self._consumers(user) if real in self._nodes])
        users = list(dict.fromkeys(users))
        if users != sorted(users):
            value.users.extend(users)

    def _consumers(self, user: torch.fx.Node) -> Iterator[torch.fx.Node]:
        if user not in self._observers:
            yield user
            return
        for below in user.users:
            yield from self._consumers(below)

    def _channel_axis(self, node: torch.fx.Node) -> Optional[int]:
        """Axis along which a constant's consumers quantize it, if they agree to do it per channel."""
        for user in node.users:
            spec = getattr(self._annotation(user), "input_qspec_map", {}).get(node)
            axis = getattr(spec, "ch_axis", None)
            if axis is not None and getattr(spec, "qscheme", None) in (
                    torch.per_channel_affine, torch.per_channel_symmetric):
                return int(axis)
            if user.op == "call_function" and "per_channel" in _op_name(user):
                return int(user.args[3])  # type: ignore[arg-type]
        return None

    # ---- nodes ----

    def _add_node(self, node: torch.fx.Node) -> None:
        out = self._out.nodes.add(name=node.name, op=self._symbol(_op_name(node)))
        if node in self._values:
            out.outputs.append(self._values[node])
        _add_source_line(node, out.source_line, self._symbol)
        inputs: List[Tuple[Optional[torch.fx.Node], int]] = []
        for position, name, argument in _arguments(node):
            if self._add_inputs(argument, position, inputs):
                continue
            self._add_attribute(out, name, argument)
        for value, _ in inputs:
            out.inputs.append(0 if value is None else self._values.get(self._source(value), 0))
        if [position for _, position in inputs] != list(range(len(inputs))):
            out.input_args.extend(position for _, position in inputs)
        self._add_annotation(node, [value for value, _ in inputs], out)

    def _add_inputs(self, argument: Any, position: int, inputs: List[Tuple[Optional[torch.fx.Node], int]]) -> bool:
        """Appends the nodes in an argument; true: it has nothing but nodes (and absent members of a list of them)."""
        if isinstance(argument, torch.fx.Node):
            inputs.append((argument, position))
            return True
        if not isinstance(argument, (list, tuple)):
            return False
        members = list(argument)
        if not any(isinstance(member, torch.fx.Node) for member in members):
            return False
        only_nodes = all(member is None or isinstance(member, torch.fx.Node) for member in members)
        for member in members:
            if isinstance(member, torch.fx.Node):
                inputs.append((member, position))
            elif member is None and only_nodes:
                inputs.append((None, position))
        return only_nodes

    def _add_attribute(self, out: Any, name: str, argument: Any) -> None:
        if argument is None:
            return
        attribute = graph_pb2.Attribute(name=self._symbol(name))
        if isinstance(argument, bool):
            attribute.b = argument
        elif isinstance(argument, int):
            attribute.i = argument
        elif isinstance(argument, float):
            attribute.f = argument
        elif isinstance(argument, str):
            attribute.s = argument
        elif isinstance(argument, torch.dtype):
            attribute.dtype = _data_type(argument)
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
        out.attributes.append(attribute)

    # ---- annotations ----

    def _add_annotation(self, node: torch.fx.Node, inputs: Sequence[Optional[torch.fx.Node]], out: Any) -> None:
        annotation = self._annotation(node)
        if annotation is None:
            return
        out.annotated = bool(getattr(annotation, "_annotated", False))
        out.no_implicit_sharing = not getattr(annotation, "allow_implicit_sharing", True)
        spec_map: Mapping[torch.fx.Node, Any] = getattr(annotation, "input_qspec_map", None) or {}
        specs = {key: self._spec(spec, self._observer_of_edge(node, key)) for key, spec in spec_map.items()}
        edges = [0 if value is None else specs.get(self._source(value), 0) for value in inputs]
        while edges and edges[-1] == 0:
            edges.pop()
        out.input_specs.extend(edges)
        # What the inputs say from left to right, each value at its first place.
        implied: Dict[torch.fx.Node, int] = {}
        for value in inputs:
            if value is not None and self._source(value) in specs:
                implied.setdefault(self._source(value), specs[self._source(value)])
        if list(implied.items()) != list(specs.items()):
            for key, spec in specs.items():
                out.input_spec_map.add(value=self._value_id(key), spec=spec)

    def _value_id(self, node: torch.fx.Node) -> int:
        """Of a node of this graph, or of another one that an annotation still points at."""
        return self._values.get(node) or self._foreign_id(node, node.name)

    def _foreign_id(self, key: Any, name: str) -> int:
        # They come after all values of this graph, which may not all have been added yet.
        return self._foreign.setdefault(key, (len(self._values) + len(self._foreign) + 1, name))[0]

    def _observer_of_value(self, node: torch.fx.Node) -> Any:
        return next((self._observers[user] for user in node.users if user in self._observers), None)

    def _observer_of_edge(self, consumer: torch.fx.Node, value: torch.fx.Node) -> Any:
        for argument in consumer.all_input_nodes:
            if argument in self._observers and self._source(argument) is value:
                return self._observers[argument]
        return None

    def _spec(self, spec: Any, observer: Any) -> int:
        message = spec_pb2.Spec()
        kind = type(spec).__name__ if spec is not None else "None"
        if spec is None:
            message.kind = spec_pb2.Spec.EXPLICIT_NONE
        elif hasattr(spec, "edge_or_node"):
            message.kind = spec_pb2.Spec.SHARED
            self._place(spec.edge_or_node, message.shared_with)
        elif hasattr(spec, "derived_from"):
            message.kind = spec_pb2.Spec.DERIVED
            for place in spec.derived_from:
                self._place(place, message.derived_from.add())
        elif hasattr(spec, "scale"):
            message.kind = spec_pb2.Spec.FIXED
            message.qparams.scales.append(float(spec.scale))
            message.qparams.zero_points.append(float(spec.zero_point))
        elif hasattr(spec, "dtype"):
            message.kind = spec_pb2.Spec.PLAIN
        else:
            raise QuantGateError("INVALID_ARGUMENT", f"a {kind} is no quantization spec")
        self._add_scheme(spec, message)
        if observer is not None:
            _add_observed(observer, message)
        key = message.SerializeToString(deterministic=True)
        if key not in self._specs:
            self._out.specs.append(message)
            self._specs[key] = len(self._out.specs)
        return self._specs[key]

    def _place(self, place: Any, out: Any) -> None:
        value, consumer = place if isinstance(place, tuple) else (place, None)
        if consumer is not None and consumer not in self._nodes:
            # An edge into no node of this graph never has a spec; it stands as what it would be called.
            out.value = self._foreign_id(place, f"({value.name}, {consumer.name})")
            return
        out.value = self._value_id(value)
        if consumer is not None:
            out.consumer = self._nodes[consumer]

    def _add_scheme(self, spec: Any, message: spec_pb2.Spec) -> None:
        dtype = getattr(spec, "dtype", None)
        if dtype is not None:
            message.dtype = _data_type(dtype)
        for name, field in (("quant_min", "quant_min"), ("quant_max", "quant_max"), ("ch_axis", "axis"),
                            ("is_dynamic", "is_dynamic")):
            value = getattr(spec, name, None)
            if value is not None:
                setattr(message, field, value)
        qscheme = getattr(spec, "qscheme", None)
        if qscheme is not None:
            message.qscheme = _QSCHEMES.get(qscheme, spec_pb2.Spec.Q_SCHEME_UNSPECIFIED)
        constructor = getattr(spec, "observer_or_fake_quant_ctr", None)
        if constructor is None:
            return
        partial = getattr(constructor, "p", constructor)
        keywords = partial.keywords if isinstance(partial, functools.partial) else {}
        observer = keywords.get("observer", getattr(partial, "func", partial))
        message.observer = self._symbol(getattr(observer, "__name__", str(observer)))
        if "block_size" in keywords and keywords["block_size"] is not None:
            message.block_size.extend(int(size) for size in keywords["block_size"])
        if message.kind == spec_pb2.Spec.PLAIN and "scale" in keywords:
            message.qparams.scales.append(float(keywords["scale"]))
            message.qparams.zero_points.append(float(keywords.get("zero_point", 0)))

    def _symbol(self, text: str) -> int:
        if text not in self._symbols:
            self._out.symbols.append(text)
            self._symbols[text] = len(self._out.symbols)
        return self._symbols[text]


def _attributes(module: torch.fx.GraphModule) -> Any:
    """A function from an attribute's path to what it holds, None where there is nothing."""
    def find(path: str) -> Any:
        found: Any = module
        for name in path.split("."):
            found = getattr(found, name, None)
        return found
    return find


def _op_name(node: torch.fx.Node) -> str:
    """"aten.conv2d.default", "operator.getitem", "higher_order.cond", "output"."""
    if node.op == "output":
        return "output"
    if node.op != "call_function":
        return f"{node.op}.{node.target}"
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.__name__}"
    module = getattr(target, "__module__", "") or ""
    name = getattr(target, "__name__", str(target))
    return f"{module.removeprefix('_')}.{name}" if module else name


def _example(node: torch.fx.Node) -> Any:
    """meta["val"]; convert_pt2e leaves it out on what it inserts, which has the shape of what is quantized."""
    while "val" not in node.meta and node.op == "call_function" and _op_name(node).startswith(_QUANTIZED_NAMESPACES):
        before = node.args[0] if node.args else None
        if not isinstance(before, torch.fx.Node):
            break
        node = before
    return node.meta.get("val")


def _data_type(dtype: Any) -> types_pb2.DataType:
    known: types_pb2.DataType = _DTYPES.get(dtype, types_pb2.DATA_TYPE_UNSPECIFIED)
    return known


def _dtype(node: torch.fx.Node, example: torch.Tensor) -> types_pb2.DataType:
    if "val" not in node.meta and node.op == "call_function":
        quantizes = ".quantize" in _op_name(node)
        dtype = next((argument for argument in node.args if isinstance(argument, torch.dtype)), None)
        stored = dtype if quantizes else node.kwargs.get("out_dtype") or torch.float32
        return _data_type(stored)
    return _data_type(example.dtype)


def _arguments(node: torch.fx.Node) -> Iterator[Tuple[int, str, Any]]:
    """(schema position, schema name, value) of every argument that is given, by position."""
    schema = getattr(node.target, "_schema", None) if node.op == "call_function" else None
    if schema is None:
        names = {1: "index"} if _op_name(node) == "operator.getitem" else {}
        for position, value in enumerate(node.args):
            yield position, names.get(position, f"arg{position}"), value
        for position, (name, value) in enumerate(node.kwargs.items(), len(node.args)):
            yield position, name, value
        return
    for position, argument in enumerate(schema.arguments):
        if position < len(node.args):
            yield position, argument.name, node.args[position]
        elif argument.name in node.kwargs:
            yield position, argument.name, node.kwargs[argument.name]


_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def _add_source_line(node: torch.fx.Node, out: Any, symbol: Any) -> None:
    trace = node.meta.get("stack_trace")
    frames = _FRAME.findall(trace) if isinstance(trace, str) else []
    if frames:
        out.file = symbol(frames[-1][0])
        out.line = int(frames[-1][1])
    stack = node.meta.get("nn_module_stack")
    if stack:
        path = list(stack.values())[-1][0]
        if path:
            out.scope = symbol(str(path))


def _add_constant(tensor: torch.Tensor, axis: Optional[int], out: Any) -> None:
    tensor = tensor.detach()
    out.stored_bytes = tensor.numel() * tensor.element_size()
    if tensor.is_meta or tensor.is_complex() or tensor.numel() == 0 or isinstance(
            tensor, torch._subclasses.FakeTensor):
        return
    real = tensor.is_floating_point()
    numbers = tensor.to(torch.float64) if real else tensor.to(torch.int64)
    if tensor.ndim <= 1 and tensor.numel() <= _FULL_ELEMENTS:
        (out.reals if real else out.ints).extend(numbers.reshape(-1).tolist())
    flat = numbers.reshape(-1)
    statistics = out.statistics
    statistics.count = flat.numel()
    statistics.zero_count = int((flat == 0).sum())
    if real:
        statistics.nan_count = int(flat.isnan().sum())
        statistics.inf_count = int(flat.isinf().sum())
        finite = flat.nan_to_num(nan=0.0, posinf=torch.inf, neginf=-torch.inf)
    else:
        finite = flat
    statistics.min_index, statistics.max_index = int(finite.argmin()), int(finite.argmax())
    statistics.min, statistics.max = float(finite[statistics.min_index]), float(finite[statistics.max_index])
    if axis is not None and -tensor.ndim <= axis < tensor.ndim:
        rows = numbers.movedim(axis, 0).reshape(tensor.shape[axis], -1)
        statistics.axis = axis % tensor.ndim
        statistics.axis_min.extend(rows.amin(1).tolist())
        statistics.axis_max.extend(rows.amax(1).tolist())


def _add_observed(observer: Any, message: spec_pb2.Spec) -> None:
    """The parameters an observer would give now; none while it has seen nothing."""
    minimum = getattr(observer, "min_val", None)
    if isinstance(minimum, torch.Tensor) and (minimum.numel() == 0 or not bool(torch.isfinite(minimum).all())):
        return
    try:
        scale, zero_point = observer.calculate_qparams()[:2]
    except Exception:  # noqa: BLE001  Observers of quantizers fail in ways of their own; then nothing is known.
        return
    del message.qparams.scales[:]
    del message.qparams.zero_points[:]
    message.qparams.scales.extend(torch.as_tensor(scale).double().reshape(-1).tolist())
    if zero_point is not None:
        message.qparams.zero_points.extend(torch.as_tensor(zero_point).double().reshape(-1).tolist())
    if len(message.qparams.scales) > 1:
        message.qparams.axes.append(int(getattr(observer, "ch_axis", 0) or 0))
