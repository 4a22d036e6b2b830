"""Fresh configurations of single operators and of small graphs, drawn at random, one JSON line each.

Usage: live_cases.py N SEED FILE...

FILEs have recorded cases; every operator in them is asked about equally often. A recorded configuration is a starting
point only: element types, encodings, shapes, ranks, parameters, constness and arch are drawn anew. Every tenth case is
a graph of two to six operators in which values have several consumers. The same N, SEED and FILEs give the same cases.
"""

import copy
import json
import random
import sys

ARCHS = ["V68", "V69", "V73", "V75", "V79", "V81"]
# V85 answers as V75 and V89 refuses everything: seldom.
SELDOM_ARCHS = ["V85", "V89"]
# SoCs that do not answer as the first of their arch, which a bare arch stands for.
SOCS = {"SA8295": "V68", "QCS6490": "V68", "SM7475": "V69", "SM7550": "V73", "SSG2115P": "V73", "SAR2230P": "V81"}

FIXED = {  # bits, signed
    "UFIXED_POINT_8": (8, False), "SFIXED_POINT_8": (8, True), "UFIXED_POINT_16": (16, False),
    "SFIXED_POINT_16": (16, True), "SFIXED_POINT_32": (32, True), "UFIXED_POINT_32": (32, False),
}
PLAIN = ["FLOAT_16", "FLOAT_32", "INT_32", "UINT_32", "INT_8", "UINT_8", "INT_16", "UINT_16", "INT_64", "BOOL_8"]
COMMON = ["UFIXED_POINT_8", "SFIXED_POINT_8", "UFIXED_POINT_16", "SFIXED_POINT_16", "FLOAT_16", "FLOAT_32", "INT_32"]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32]

# Operators that take each other's configurations.
FAMILIES = [
    ["ElementWise" + name for name in ("Add", "Subtract", "Multiply", "Divide", "Maximum", "Minimum", "Power",
                                       "FloorDiv", "SquaredDifference")],
    ["ElementWise" + name for name in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")],
    ["ElementWise" + name for name in ("And", "Or", "Xor")],
    ["ElementWise" + name for name in ("Abs", "Asin", "Atan", "Ceil", "Cos", "Exp", "Floor", "Log", "Neg", "Round",
                                       "Rsqrt", "Sign", "Sin", "SquareRoot")] +
    ["Relu", "Relu1", "Relu6", "Sigmoid", "Tanh", "Gelu", "HardSwish"],
    ["ReduceMax", "ReduceMin", "ReduceMean", "ReduceSum"],
    ["Argmax", "Argmin"],
]
OPERATIONS = {
    "ElementWiseBinary": ["ADD", "AND", "DIVIDE", "EQUAL", "FLOORDIV", "FMOD", "GREATER", "GREATEREQUAL", "LESS",
                          "LESSEQUAL", "MAXIMUM", "MINIMUM", "MOD", "MULTIPLY", "NOTEQUAL", "OR", "POWER",
                          "SQUAREDDIFFERENCE", "SUBTRACT", "XOR"],
    "ElementWiseUnary": ["ABS", "ASIN", "ATAN", "CEIL", "COS", "EXP", "FLOOR", "LOG", "NEG", "NOT", "RECIPROCAL",
                         "ROUND", "RSQRT", "SIGN", "SIN", "SQRT"],
    "ElementWiseNeuron": ["ELU", "GELU", "HARDSIGMOID", "HARDSWISH", "RELU", "RELUMINMAX", "SIGMOID", "SOFTPLUS",
                          "TANH"],
}
GRAPH_OPS = {  # operators of small graphs, by their number of inputs; all keep shape and type
    1: ["Relu", "Sigmoid", "Tanh", "HardSwish", "Gelu", "ElementWiseNeg", "ElementWiseAbs", "ElementWiseExp", "Reshape"],
    2: ["ElementWiseAdd", "ElementWiseSubtract", "ElementWiseMultiply", "ElementWiseMaximum", "ElementWiseDivide"],
}


def label(op):
    """Recorded cases spell an operation in more than one way."""
    return op.replace("_", "")


def tensors(config):
    return config["inputs"] + config["outputs"]


def zero_point_range(dtype, bits=None):
    width, signed = FIXED[dtype]
    width = bits or width
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def fresh_encoding(rng, dtype, symmetric=None):
    low, high = zero_point_range(dtype)
    width, signed = FIXED[dtype]
    if symmetric is None:
        symmetric = rng.random() < 0.5
    middle = 0 if signed else 1 << (width - 1)
    zero_point = middle if symmetric or width == 32 else rng.randint(low, high)
    return {"kind": "per_tensor", "scale": round(10 ** rng.uniform(-4, -1), 6), "zero_point": zero_point}


def set_dtype(rng, tensor, dtype, encoding=None):
    tensor["dtype"] = dtype
    tensor.pop("data", None)
    tensor.pop("encoding", None)
    if dtype in FIXED:
        tensor["encoding"] = copy.deepcopy(encoding) if encoding else fresh_encoding(rng, dtype)


# ---- What can be drawn anew. Each takes the generator, the operator's name and its configuration. ----

def types_together(rng, op, config):
    """Every tensor of the first input's type gets another one; often they share one encoding."""
    old = config["inputs"][0]["dtype"]
    new = rng.choice(COMMON if rng.random() < 0.85 else list(FIXED) + PLAIN)
    shared = fresh_encoding(rng, new) if new in FIXED and rng.random() < 0.6 else None
    for tensor in tensors(config):
        if tensor["dtype"] == old:
            set_dtype(rng, tensor, new, shared)


def one_type(rng, op, config):
    set_dtype(rng, rng.choice(tensors(config)), rng.choice(list(FIXED) + PLAIN))


def weight_types(rng, op, config):
    """Weight and bias as quantizers choose them."""
    if len(config["inputs"]) < 2:
        return one_type(rng, op, config)
    weight = config["inputs"][1]
    set_dtype(rng, weight, rng.choice(["SFIXED_POINT_8", "UFIXED_POINT_8", "SFIXED_POINT_16", "UFIXED_POINT_16"]))
    if len(config["inputs"]) > 2:
        set_dtype(rng, config["inputs"][2], rng.choice(["SFIXED_POINT_32", "UFIXED_POINT_8", "SFIXED_POINT_8"]))
    return None


def numbers(rng, op, config):
    """Scale and zero point of one tensor."""
    fixed = [tensor for tensor in tensors(config) if tensor["dtype"] in FIXED]
    if fixed:
        tensor = rng.choice(fixed)
        tensor["encoding"] = fresh_encoding(rng, tensor["dtype"])


def same_numbers(rng, op, config):
    """One encoding for all tensors of the first input's type."""
    dtype = config["inputs"][0]["dtype"]
    if dtype in FIXED:
        encoding = fresh_encoding(rng, dtype)
        for tensor in tensors(config):
            if tensor["dtype"] == dtype:
                tensor["encoding"] = copy.deepcopy(encoding)


def odd_numbers(rng, op, config):
    fixed = [tensor for tensor in tensors(config) if tensor["dtype"] in FIXED]
    if fixed:
        tensor = rng.choice(fixed)
        encoding = fresh_encoding(rng, tensor["dtype"])
        which = rng.randrange(4)
        if which == 0:
            encoding = {"kind": "none"}
        elif which == 1:
            encoding["scale"] = rng.choice([0.0, -encoding["scale"]])
        elif which == 2:
            encoding["zero_point"] = zero_point_range(tensor["dtype"])[1] + rng.choice([1, 1000])
        else:
            encoding["bits"] = rng.choice([2, 3, 4, 5, 8])
        tensor["encoding"] = encoding


def per_channel(rng, op, config):
    """Mostly of a weight along its last axis."""
    fixed = [tensor for tensor in tensors(config) if tensor["dtype"] in FIXED and tensor["shape"]]
    if not fixed:
        return
    weights = [tensor for tensor in config["inputs"][1:2] if tensor in fixed]
    tensor = weights[0] if weights and rng.random() < 0.8 else rng.choice(fixed)
    rank = len(tensor["shape"])
    axis = rng.randrange(rank) if rng.random() < 0.3 else 0 if op == "FullyConnected" else rank - 1
    if tensor in config["inputs"] and rng.random() < 0.7:
        tensor["static"] = True
    encoding = fresh_encoding(rng, tensor["dtype"], symmetric=rng.random() < 0.8)
    encoding["kind"] = "per_channel"
    encoding["axis"] = axis
    if rng.random() < 0.3:
        encoding["bits"] = rng.choice([2, 3, 4, 8])
    tensor["encoding"] = encoding  # one entry; made to fit at the end


def constness(rng, op, config):
    tensor = rng.choice(config["inputs"])
    if tensor.get("static"):
        tensor["static"] = False
        tensor.pop("data", None)
    else:
        tensor["static"] = True


def sizes(rng, op, config):
    """One size everywhere, so that what belongs together stays together."""
    known = sorted({size for tensor in tensors(config) for size in tensor["shape"] if size > 1})
    if known:
        old, new = rng.choice(known), rng.choice(SIZES)
        for tensor in tensors(config):
            tensor["shape"] = [new if size == old else size for size in tensor["shape"]]
            tensor.pop("data", None)


def one_size(rng, op, config):
    tensor = rng.choice(tensors(config))
    if tensor["shape"]:
        tensor["shape"][rng.randrange(len(tensor["shape"]))] = rng.choice(SIZES)
        tensor.pop("data", None)


def rank(rng, op, config):
    """Dimensions of size 1 in front of the activations, with the parameters that count dimensions."""
    count = rng.choice([1, 1, 2])
    shared = [tensor for tensor in tensors(config) if len(tensor["shape"]) == len(config["inputs"][0]["shape"])]
    for tensor in shared:
        tensor["shape"] = [1] * count + tensor["shape"]
        if tensor.get("encoding", {}).get("kind") == "per_channel":
            tensor["encoding"]["axis"] += count
    for name, param in config["params"].items():
        data = param.get("data")
        if name == "axis":
            param["value"] += count
        elif name == "axes":
            param["data"] = [axis + count for axis in data]
        elif name == "perm":
            param["data"] = list(range(count)) + [axis + count for axis in data]
        elif name == "multiples":
            param["data"] = [1] * count + data
        elif name == "ranges":
            param["data"] = [[0, 1, 1]] * count + data
        elif name == "pad_amount" and op == "Pad":
            param["data"] = [[0, 0]] * count + data
        param.pop("shape", None)


def broadcast(rng, op, config):
    """One operand that is spread over the others: of fewer axes, or with sizes of 1."""
    if not op.startswith("ElementWise") or len(config["inputs"]) < 2:
        return
    operand = rng.choice(config["inputs"])
    if operand.get("encoding", {}).get("kind") == "per_channel":
        return
    if rng.random() < 0.5 and len(config["inputs"][0]["shape"]) < 6:
        rank(rng, op, config)
    shape = operand["shape"]
    if rng.random() < 0.7:
        operand["shape"] = shape[rng.randint(0, max(0, len(shape) - 1)):]
    else:
        operand["shape"] = [size if rng.random() < 0.6 else 1 for size in shape]


def parameter(rng, op, config):
    names = sorted(name for name in config["params"] if name != "operation")
    if not names:
        return
    name = rng.choice(names)
    param = config["params"][name]
    if "data" in param:
        flat = param["data"]
        where = rng.randrange(len(flat)) if flat else 0
        if not flat:
            return
        if isinstance(flat[where], list):
            column = rng.randrange(len(flat[where]))
            flat[where][column] = max(0, flat[where][column] + rng.choice([-1, 1]))
        elif isinstance(flat[where], int):
            flat[where] = max(0, flat[where] + rng.choice([-1, 1]))
        return
    if param["dtype"] == "BOOL_8":
        param["value"] = 0 if param["value"] else 1
    elif param["dtype"].startswith("FLOAT"):
        param["value"] = round(rng.choice([0.0, 0.5, 1.0, 2.0, param["value"] * 2]), 6)
    else:
        param["value"] = max(0, param["value"] + rng.choice([-1, 1, 1, 2]))


def without(rng, op, config):
    """A parameter or the last input is left out."""
    names = sorted(name for name in config["params"] if name != "operation")
    if names and rng.random() < 0.5:
        del config["params"][rng.choice(names)]
    elif len(config["inputs"]) > 1:
        config["inputs"].pop()


# Most draws keep what is likely to be accepted.
DRAWS = [
    (types_together, 14), (same_numbers, 14), (sizes, 14), (numbers, 8), (weight_types, 5), (per_channel, 6), (rank, 5),
    (broadcast, 5), (constness, 5), (parameter, 5), (one_type, 3), (odd_numbers, 3), (one_size, 2), (without, 2),
]


def finish(config):
    """Per-channel encodings have an entry per channel."""
    for tensor in tensors(config):
        encoding = tensor.get("encoding") or {}
        if encoding.get("kind") != "per_channel" or not 0 <= encoding["axis"] < len(tensor["shape"]):
            continue
        count = tensor["shape"][encoding["axis"]]
        for key in ("scale", "zero_point"):
            values = encoding[key] if isinstance(encoding[key], list) else [encoding[key]]
            encoding[key] = [values[i % len(values)] for i in range(count)]
    for param in config["params"].values():
        if "data" in param:
            param.pop("shape", None)  # follows from the data


class Generator:
    def __init__(self, seed, recorded):
        self.rng = random.Random(seed)
        self.by_op = {}
        for case in recorded:
            if "nodes" not in case["config"]:
                self.by_op.setdefault(label(case["op"]), []).append(case)
        for composite, operations in OPERATIONS.items():
            known = [case for op, cases in self.by_op.items() if op.startswith(composite + ":") for case in cases]
            for number, operation in enumerate(operations):
                own = self.by_op.setdefault(f"{composite}:{operation}", [])
                if len(own) < 3:
                    own += [self.with_operation(case, number) for case in known[:40]]
        for family in FAMILIES:
            cases = [case for op in family for case in self.by_op.get(op, [])[:6]]
            for op in family:
                self.by_op.setdefault(op, []).extend(cases)
        self.ops = sorted(self.by_op)

    @staticmethod
    def with_operation(case, number):
        case = copy.deepcopy(case)
        case["config"]["params"]["operation"] = {"dtype": "UINT_32", "value": number}
        return case

    def target(self):
        if self.rng.random() < 0.15:
            soc = self.rng.choice(sorted(SOCS))
            return {"arch": SOCS[soc], "soc": soc}
        return {"arch": self.rng.choice(ARCHS if self.rng.random() < 0.97 else SELDOM_ARCHS)}

    def operator(self, index):
        rng = self.rng
        op = self.ops[index % len(self.ops)]
        known = self.by_op[op]
        taken = [case for case in known if case["vendor"]["validate"] == case["vendor"]["finalize"] == "accept"]
        case = rng.choice(taken if taken and rng.random() < 0.92 else known)
        config = copy.deepcopy(case["config"])
        drawn = []
        if config["inputs"]:
            weights = [weight for _, weight in DRAWS]
            for draw, _ in rng.choices(DRAWS, weights, k=rng.choice([1, 1, 1, 2, 2, 3])):
                draw(rng, op, config)
                drawn.append(draw.__name__)
        finish(config)
        return {"op": op, "kind": drawn[0] if len(drawn) == 1 else "several", "config": config}

    def graph(self):
        rng = self.rng
        dtype = rng.choice(COMMON)
        shape = [rng.choice([1, 2, 4, 8]) for _ in range(rng.randint(1, 5))]
        encoding = fresh_encoding(rng, dtype) if dtype in FIXED else None

        def tensor(name):
            made = {"name": name, "shape": shape}
            kind = dtype if rng.random() < 0.97 else rng.choice(COMMON)
            set_dtype(rng, made, kind, encoding if kind == dtype and rng.random() < 0.8 else None)
            return made

        made = [tensor("x")]
        nodes = []
        for i in range(rng.randint(2, 6)):
            # The newest value, so that all of it hangs together, and any other: several consumers are the rule.
            names = [made[-1]["name"]]
            arity = rng.choice([1, 2])
            if arity == 2:
                names.append(rng.choice(made)["name"])
            made.append(tensor(f"t{i}"))
            nodes.append({"op": rng.choice(GRAPH_OPS[arity]), "inputs": names, "outputs": [f"t{i}"], "params": {}})
        return {"op": "graph", "kind": "graph", "config": {"tensors": made, "nodes": nodes}}

    def cases(self, count):
        asked = 0
        for index in range(count):
            if index % 10 == 9:
                case = self.graph()
            else:
                case = self.operator(asked)
                asked += 1
            yield {"id": f"live/{index}", **self.target(), **case}


def main():
    count, seed, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    recorded = []
    for name in files:
        with open(name, encoding="utf-8") as lines:
            recorded += [json.loads(line) for line in lines]
    for case in Generator(seed, recorded).cases(count):
        print(json.dumps(case, separators=(",", ":")))


if __name__ == "__main__":
    main()
