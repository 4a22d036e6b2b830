"""Writes what a runtime's CPU kernels take as the constraint table of its version, or compares with it.

Usage: registry.py write | compare | probe OPERATOR

The kernel registry of the runtime (get_all_opkernel_def) says which kernels there are, its schemas which types an
operator has at all. Neither says what happens in between: a float16 operator without a kernel of its own is computed
in float behind inserted Casts, and an operator that is a function is replaced by its body. So every combination of
types is put into a model of one node and the runtime is asked to load it. Only its answer about kernels and types
counts: combinations that fail to load for another reason (an attribute, a shape) are taken from the registry.
"""

import collections
import functools
import itertools
import pathlib
import re
import sys

import onnx
import onnxruntime
import onnxruntime.capi.onnxruntime_pybind11_state as state
from onnx import TensorProto, helper

TABLES = pathlib.Path(__file__).resolve().parents[3] / "db" / "tables"
DOMAINS = {"": "", "ai.onnx.ml": "ai.onnx.ml.", "com.microsoft": "com.microsoft."}
NEWEST = {"": 26, "ai.onnx.ml": 5, "com.microsoft": 1}  # newest operator sets that the runtime loads
OPEN = 2**31 - 1
OLDEST = 7  # operator set that the runtime promises to load
TRIED = (13, 18, 21)  # between the first and the last: operator sets that changed many operators
MANY = 700  # combinations of one operator's types; beyond, one variable at a time is changed

# The tables' names of element types, and ONNX's.
NAMES = {
    "float": "FLOAT_32", "double": "FLOAT_64", "float16": "FLOAT_16", "bfloat16": "BFLOAT_16", "bool": "BOOL_8",
    "string": "STRING", "complex64": "COMPLEX_64", "complex128": "COMPLEX_128",
    "float8e4m3fn": "FLOAT_8_E4M3FN", "float8e4m3fnuz": "FLOAT_8_E4M3FNUZ", "float8e5m2": "FLOAT_8_E5M2",
    "float8e5m2fnuz": "FLOAT_8_E5M2FNUZ", "float8e8m0": "FLOAT_8_E8M0", "float4e2m1": "FLOAT_4_E2M1",
    **{f"{sign}int{bits}": f"{sign.upper()}INT_{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)},
}
ONNX_NAMES = {"double": "DOUBLE", "float": "FLOAT"}


def element(text):
    """"tensor(int8)" -> "int8"; None for what is no tensor."""
    found = re.fullmatch(r"tensor\((\w+)\)", text)
    return found.group(1) if found and found.group(1) in NAMES else None


def onnx_type(name):
    return TensorProto.DataType.Value(ONNX_NAMES.get(name, name.upper()))


class Operator:
    """One version of one operator's schema."""

    def __init__(self, schema):
        self.domain, self.name, self.since = schema.domain, schema.name, schema.since_version
        self.schema = schema
        self.variables = {
            constraint.type_param_str: [e for e in map(element, constraint.allowed_type_strs) if e]
            for constraint in schema.type_constraints
        }
        self.inputs = [(p.typeStr, p.option.name) for p in schema.inputs]
        self.outputs = [(p.typeStr, p.option.name) for p in schema.outputs]
        used = [t for t, _ in self.inputs + self.outputs]
        # Types that are not tensors are not judged.
        self.free = [v for v, types in self.variables.items() if types and v in used]
        of_inputs = {t for t, _ in self.inputs}
        self.probed = [v for v in self.free if v in of_inputs]

    def port_types(self, text, chosen):
        if text in chosen:
            return chosen[text]
        if text in self.variables:
            return tuple(self.variables[text])
        one = element(text)
        return (one,) if one else ()


def ports(side, parameters):
    names = []
    for i, (_, option) in enumerate(parameters):
        names.append(f"{side}[{i}..m]" if option == "Variadic" else f"{side}[{i}]")
    return names


def kernels():
    found = collections.defaultdict(list)
    for kernel in state.get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider":
            domain = "" if kernel.domain == "ai.onnx" else kernel.domain
            found[domain, kernel.op_name].append((kernel.version_range, dict(kernel.type_constraints)))
    return found


def in_force(kernel_range, since):
    """A kernel without an end is for one version of the operator; one with an end, for all that begin within."""
    first, last = kernel_range
    return first == since or (last != OPEN and first <= since <= last)


def registered(op, found):
    """Combinations (one type per variable of op.free) that a kernel is registered for."""
    combinations = set()
    for versions, constraints in found[op.domain, op.name]:
        if not in_force(versions, op.since):
            continue
        lists = []
        for variable in op.free:
            types = op.variables[variable]
            if variable in constraints:
                allowed = {element(t) for t in constraints[variable]}
                types = [t for t in types if t in allowed]
            lists.append(types)
        combinations.update(itertools.product(*lists))
    return combinations


# Attributes that a node cannot do without, or that say an output's type.
REQUIRED = {
    "to": lambda: TensorProto.FLOAT, "kernel_shape": lambda: [1, 1], "axes": lambda: [0], "axis": lambda: 0,
    "keepdims": lambda: 1, "opset": lambda: 13, "K": lambda: 32, "N": lambda: 32, "block_size": lambda: 32,
    "blocksize": lambda: 1, "num_heads": lambda: 1, "equation": lambda: "i->i", "bits": lambda: 4, "size": lambda: 3,
    "direction": lambda: "RIGHT", "shape": lambda: [1], "num_outputs": lambda: 1, "mode": lambda: "default",
    "scale": lambda: 1.0, "perm": lambda: [0], "hidden_size": lambda: 4, "activation": lambda: "Relu", "batch_axis": lambda: 0, "time_axis": lambda: 1,
    "num_groups": lambda: 1, "quant_type": lambda: 1, "pooled_shape": lambda: [1, 1],
}
# Attributes that kernels cannot do without, whatever the schema says.
OF_KERNELS = {"LSTM": "hidden_size", "GRU": "hidden_size", "RNN": "hidden_size", "FusedGemm": "activation"}


def model_of(op, chosen, version=0):
    """The model of one node with these types, everything optional given, in operator set `version` (0: the one that
    brought this form of the operator); None when it cannot be written."""
    attributes = {}
    for name, attribute in op.schema.attributes.items():
        if not attribute.required and name != OF_KERNELS.get(op.name):
            continue
        if name not in REQUIRED:
            return None
        attributes[name] = REQUIRED[name]()
    if op.name == "Cast":
        attributes["to"] = onnx_type(chosen["T2"])
    values, inputs = [], []
    for i, (text, option) in enumerate(op.inputs):
        name = chosen.get(text) or element(text)
        if name is None:
            return None
        values.append(helper.make_tensor_value_info(f"x{i}", onnx_type(name), None))
        inputs.append(f"x{i}")
    # The shape inference of EmbedLayerNormalization writes an optional output that is not there.
    least = 2 if op.name == "EmbedLayerNormalization" else 1
    outputs = [f"y{i}" for i, (_, option) in enumerate(op.outputs) if option == "Single" or i < least]
    graph = helper.make_graph(
        [helper.make_node(op.name, inputs, outputs, domain=op.domain, **attributes)], "probe", values,
        [onnx.ValueInfoProto(name=name) for name in outputs])
    imports = [helper.make_opsetid("", version or op.since if not op.domain else 21)]
    if op.domain:
        imports.append(helper.make_opsetid(op.domain, version or op.since))
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def asked(op, chosen, version):
    """Whether it loads in operator set `version`; None: the runtime did not get as far as types and kernels."""
    model = model_of(op, chosen, version)
    if model is None:
        return None
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return True
    except Exception as error:
        text = str(error)
    if "NOT_IMPLEMENTED" in text or "Type Error: Type 'tensor(" in text:
        return False
    return None


def candidates_of(op, known):
    lists = [op.variables[v] for v in op.free]
    count = 1
    for types in lists:
        count *= len(types)
    if count <= MANY:
        return set(itertools.product(*lists))
    candidates = set(known)
    for combination in known:
        for i, types in enumerate(lists):
            candidates.update(combination[:i] + (t,) + combination[i + 1:] for t in types)
        candidates.add(tuple("float16" if t == "float" and "float16" in lists[i] else t
                             for i, t in enumerate(combination)))
    return candidates


def accepted(op, found, version):
    """Combinations of op.free that load in operator set `version`."""
    known = registered(op, found)
    outputs_alone = [i for i, v in enumerate(op.free) if v not in op.probed and op.name != "Cast"]
    known_outputs = {tuple(c[i] for i in outputs_alone) for c in known}
    taken, answers = set(), {}
    for combination in candidates_of(op, known):
        chosen = dict(zip(op.free, combination))
        if op.name != "Cast":
            # Types of outputs alone follow from attributes: the registry says which; of a function, all of them.
            chosen = {v: chosen[v] for v in op.probed}
        key = tuple(sorted(chosen.items()))
        if key not in answers:
            answers[key] = asked(op, chosen, version) if chosen else None
        if answers[key] and known and tuple(combination[i] for i in outputs_alone) not in known_outputs:
            continue
        if answers[key] or (answers[key] is None and combination in known):
            taken.add(combination)
    return taken


def spans(op, found, last):
    """[(first, last, combinations)] of the operator sets in which this form of the operator is in force. Where a node
    is replaced by Casts or a function's body, their kernels depend on the operator set of the model."""
    if op.domain:
        return [(op.since, last, accepted(op, found, op.since))]
    end = last or NEWEST[op.domain]
    first = max(op.since, min(end, OLDEST))  # what an older set takes is not promised
    tried = {first, end} | {version for version in TRIED if first < version < end}
    taken = {version: accepted(op, found, version) for version in tried}
    if any(taken[version] != taken[first] for version in tried):
        taken = {version: accepted(op, found, version) for version in range(first, end + 1)}
    result = []
    for version in sorted(taken):
        if result and result[-1][2] == taken[version]:
            result[-1][1] = version
        else:
            result.append([version, version, taken[version]])
    result[0][0] = op.since
    result[-1][1] = last
    return result


def merged(combinations):
    """Combinations as few products of lists."""
    rows = {tuple((t,) for t in c) for c in combinations}
    width = len(next(iter(rows))) if rows else 0
    for i in range(width):
        groups = collections.defaultdict(set)
        for row in rows:
            groups[row[:i] + row[i + 1:]].update(row[i])
        rows = {rest[:i] + (tuple(sorted(types, key=list(NAMES).index)),) + rest[i:] for rest, types in groups.items()}
    return sorted(rows)


@functools.cache
def operators():
    """Versions of every operator by (domain, name), oldest first."""
    by_name = collections.defaultdict(list)
    for schema in state.get_all_operator_schema():
        if schema.domain in DOMAINS and schema.since_version <= NEWEST[schema.domain] and not schema.deprecated:
            by_name[schema.domain, schema.name].append(Operator(schema))
    for versions in by_name.values():
        versions.sort(key=lambda op: op.since)
    return by_name


def tables():
    found = kernels()
    by_name = operators()
    removed = {}  # (domain, name) -> first version without it
    for schema in state.get_all_operator_schema():
        if schema.deprecated:
            key = schema.domain, schema.name
            removed[key] = min(removed.get(key, OPEN), schema.since_version)
    entries, definitions = {}, {}
    for (domain, name), versions in sorted(by_name.items()):
        most_in = max(versions, key=lambda op: len(op.inputs)).inputs
        most_out = max(versions, key=lambda op: len(op.outputs)).outputs
        ins, outs = ports("in", most_in), ports("out", most_out)
        rows = []  # (cells, first, last)
        for i, op in enumerate(versions):
            last = versions[i + 1].since - 1 if i + 1 < len(versions) else removed.get((domain, name), 0) - 1
            for first, until, combinations in spans(op, found, max(last, 0)):
                for row in merged(combinations):
                    chosen = dict(zip(op.free, row))
                    cells = []
                    for names, side in ((ins, op.inputs), (outs, op.outputs)):
                        for k in range(len(names)):
                            # A variadic parameter goes on where other versions have more parameters.
                            more = k >= len(side) and bool(side) and side[-1][1] == "Variadic"
                            types = op.port_types(side[-1 if more else k][0], chosen) if more or k < len(side) else ()
                            cells.append("|".join(NAMES[t] for t in types) or "~")
                    rows.append((" ".join(cells), first, until))
        if not rows:
            continue
        entries[DOMAINS[domain] + name] = (ins + outs, joined(rows))
        definitions[DOMAINS[domain] + name] = (ins, outs)
    return entries, definitions


def joined(rows):
    """Rows of consecutive versions that say the same, as one."""
    spans = {}
    for cells, first, last in rows:
        spans.setdefault(cells, []).append([first, last])
    result = []
    for cells, list_of_spans in spans.items():
        list_of_spans.sort()
        open_span = None
        for first, last in list_of_spans:
            if open_span and open_span[1] == first - 1:
                open_span[1] = last
            else:
                open_span = [first, last]
                result.append((cells, open_span))
    return [(cells, first, last) for cells, (first, last) in result]


def wrapped(text, indent):
    """Lines of at most 120 characters; those behind the first are indented. Cells break behind a bar."""
    lines = [""]
    for piece in re.findall(r"[^ |]*\|| *[^ |]+", text):
        if len(lines[-1]) + len(piece) > 120:
            lines.append(" " * indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)


def written(version):
    entries, definitions = tables()
    table = f"""# What the CPU kernels of ONNX Runtime {version} take: element types by operator and version of its operator set (archs are
# versions of the operator set of the operator's domain). Written by tests/runtimes/onnxruntime/registry.py, which asks
# the runtime; what is to be said beside types is in rules/backends/onnxruntime.
# Format and vocabulary: ../README.md.

table: onnxruntime
sdk: {version}
document: ONNX Runtime {version}, kernel registry of CPUExecutionProvider; models of one node, loaded
evidence: measured
definitions: onnxruntime_master@{version}

ops:
"""
    lines = [table.rstrip("\n")]
    for name, (names, rows) in entries.items():
        if all(set(cells.split()) <= {"~"} for cells, _, _ in rows):
            lines.append(f"  {name}: {{}}")  # sequences alone: no types to speak of
            continue
        lines.append(f"  {name}:")
        lines.append(f"    ports: {' '.join(names)}")
        lines.append("    rows:")
        lines.append("      All:")
        for cells, first, last in rows:
            span = f"{first if first > 1 else ''}..{last or ''}"
            if span == "..":
                lines.append(wrapped(f"        - {cells}", 12))
            else:
                lines.append(wrapped(f"        - {{types: {cells}, archs:_{span}}}", 12).replace("archs:_", "archs: "))
    master = f"""# Ports of the operators that ONNX Runtime {version} has CPU kernels for, those of all versions together. Written by
# tests/runtimes/onnxruntime/registry.py. Whether a port has to be given is for the rules about ONNX's definitions.
# Format and vocabulary: ../README.md.

definitions: onnxruntime_master
sdk: {version}
document: ONNX Runtime {version}, operator schemas
evidence: documented

ops:
"""
    formals = [master.rstrip("\n")]
    for name, (ins, outs) in definitions.items():
        formals.append(f"  {name}:")
        for role, side in (("inputs", ins), ("outputs", outs)):
            if side:
                formals.append(f"    {role}:")
                formals += [f"      - {port} optional backend" for port in side]
    return "\n".join(lines) + "\n", "\n".join(formals) + "\n"


def main():
    onnxruntime.set_default_logger_severity(4)
    version = onnxruntime.__version__
    if sys.argv[1:2] == ["probe"]:
        found = kernels()
        for schema in state.get_all_operator_schema():
            if schema.name == sys.argv[2] and schema.domain in DOMAINS:
                op = Operator(schema)
                for first, last, taken in spans(op, found, 0):
                    print(op.domain, op.name, op.since, op.free, len(registered(op, found)), first, last, merged(taken))
        return 0
    files = [TABLES / f"onnxruntime-{version}.yaml", TABLES / f"onnxruntime_master-{version}.yaml"]
    texts = written(version)
    if sys.argv[1:] == ["write"]:
        for path, text in zip(files, texts):
            path.write_text(text)
        return 0
    different = [path.name for path, text in zip(files, texts) if path.read_text() != text]
    print(f"registry: {'the tables say what the runtime answers' if not different else 'differs: ' + ' '.join(different)}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
