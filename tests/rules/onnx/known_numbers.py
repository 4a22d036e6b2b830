"""Draws ONNX graphs that compute sizes and records what ONNX Runtime computes.

Usage: known_numbers.py COUNT SEED > tests/data/onnx_shapes/numbers.jsonl
Needs the PyPI packages onnx, onnxruntime and numpy; the file is of onnx 1.23.2, onnxruntime 1.31.1, COUNT 150, SEED 1.

A line: {"model": the file, base64, "static": every size of it is stated, "numbers": {name of a value: [its elements
where the symbolic size is 4, where it is 6]}}; of values of up to 64 integers, truth values or real numbers. All
are finite.
"""

import base64
import json
import random
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MOST = 64
TYPES = {"int64": TensorProto.INT64, "int32": TensorProto.INT32, "bool": TensorProto.BOOL,
         "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
REALS = ["float32", "float32", "float64"]


def listed(value):
    return value.astype(float if value.dtype.kind == "f" else int).flatten().tolist()


class Drawing:
    """A graph that grows; knows of each value the elements for the first size, to draw what fits."""

    def __init__(self, r):
        self.r, self.nodes, self.constants, self.known = r, [], [], {}
        self.sizes = [r.choice([1, 2, 3, 5]) for _ in range(r.randint(1, 4))]
        self.symbolic = r.random() < 0.3
        if self.symbolic:
            self.sizes[r.randrange(len(self.sizes))] = "n"

    def constant(self, numbers, kind="int64"):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(numbers, kind), name))
        return name

    def pick(self, kind="int64", rank=None):
        fitting = [name for name, value in self.known.items()
                   if value.dtype == kind and (rank is None or value.ndim == rank)]
        # Constants of more dimensions are weights for an importer, whose elements it leaves where they are.
        if fitting and (rank == 2 or self.r.random() < 0.8):
            return self.r.choice(fitting)
        if rank == 2:
            raise LookupError
        shape = [self.r.choice([1, 2, 3]) for _ in range(self.r.randint(0, 1) if rank is None else rank)]
        numbers = np.random.default_rng(self.r.randrange(1 << 30)).integers(-3, 7, shape)
        if kind in REALS:
            numbers = numbers * np.float32(self.r.choice([1, 0.5, 0.3]))
        name = self.constant(numbers % 2 if kind == "bool" else numbers, kind)
        self.known[name] = np.asarray(numbers % 2 if kind == "bool" else numbers, kind)
        return name

    def any_kind(self):
        return self.r.choice(["int64", "int64", "int64", "int32", "float32", "float32", "float64"])

    def shape(self):
        attributes = {}
        if self.r.random() < 0.5:
            attributes = {"start": self.r.randint(-5, 5)}
            if self.r.random() < 0.5:
                attributes["end"] = self.r.randint(-5, 5)
        return "Shape", ["x"], attributes

    def size(self):
        return "Size", ["x"], {}

    def gather(self):
        data = self.pick(self.any_kind(), rank=self.r.randint(1, 2))
        shape = self.known[data].shape
        axis = self.r.randrange(len(shape))
        if 0 in shape:
            return None
        indices = [self.r.randrange(-shape[axis], shape[axis]) for _ in range(self.r.randint(1, 3))]
        scalar = self.r.random() < 0.5
        return "Gather", [data, self.constant(indices[0] if scalar else indices)], {"axis": axis - self.r.choice([0, len(shape)])}

    def slice(self):
        data = self.pick(self.any_kind(), rank=self.r.randint(1, 2))
        axes = self.r.sample(range(self.known[data].ndim), self.r.randint(1, self.known[data].ndim))
        steps = [self.r.choice([1, 1, 2, -1, -2]) for _ in axes]
        bound = [-(1 << 63) + 1, -9, -3, -2, -1, 0, 1, 2, 3, 9, (1 << 63) - 1]
        # The largest end backwards is everything for ONNX Runtime and nothing for ONNX: of what it makes no size is known.
        ends = [self.r.choice(bound if step > 0 else bound[:-1]) for step in steps]
        lists = [[self.r.choice(bound) for _ in axes], ends, axes, steps]
        return "Slice", [data] + [self.constant(numbers) for numbers in lists], {}

    def split(self):
        data = self.pick(self.any_kind(), rank=1)
        count = len(self.known[data])
        if count < 2:
            return None
        first = self.r.randint(1, count - 1)
        return "Split", [data, self.constant([first, count - first])], {}

    def concat(self):
        rank = self.r.randint(1, 2)
        kind = self.any_kind()
        inputs = [self.pick(kind, rank) for _ in range(self.r.randint(1, 3))]
        return "Concat", inputs, {"axis": self.r.randrange(-rank, rank)}

    def binary(self):
        op = self.r.choice(["Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Less", "Greater", "LessOrEqual",
                            "GreaterOrEqual", "Mod"])
        kind = self.r.choice(["int64", "int64", "int32"] + (REALS if op in ("Add", "Sub", "Mul", "Div", "Max", "Min") else []))
        return op, [self.pick(kind), self.pick(kind)], {"fmod": 1} if op == "Mod" and self.r.random() < 0.2 else {}

    def logic(self):
        op = self.r.choice(["And", "Or", "Xor", "Not"])
        return op, [self.pick("bool") for _ in range(1 if op == "Not" else 2)], {}

    def where(self):
        kind = self.any_kind()
        return "Where", [self.pick("bool"), self.pick(kind), self.pick(kind)], {}

    def unary(self):
        op = self.r.choice(["Neg", "Identity", "Abs", "Sign", "Floor", "Ceil", "Round", "Sqrt"])
        real = op in ("Floor", "Ceil", "Round", "Sqrt")
        return op, [self.pick(self.r.choice(REALS) if real else self.any_kind())], {}

    def cast(self):
        return "Cast", [self.pick(self.r.choice(list(TYPES)))], {"to": TYPES[self.r.choice(list(TYPES))]}

    def reshape(self):
        data = self.pick(self.any_kind())
        count = self.known[data].size
        shapes = [[-1], [count], [1, -1], [-1, 1]] + ([[2, -1], [-1, 2]] if count % 2 == 0 and count else [])
        return "Reshape", [data, self.constant(self.r.choice(shapes))], {}

    def transpose(self):
        return "Transpose", [self.pick(self.any_kind(), rank=2)], self.r.choice([{}, {"perm": [1, 0]}, {"perm": [0, 1]}])

    def axes(self):
        data = self.pick(self.any_kind())
        if self.r.random() < 0.5:
            return "Unsqueeze", [data, self.constant([self.r.randint(-self.known[data].ndim - 1, self.known[data].ndim)])], {}
        ones = [i for i, n in enumerate(self.known[data].shape) if n == 1]
        return ("Squeeze", [data, self.constant([self.r.choice(ones)])], {}) if ones else None

    def expand(self):
        return "Expand", [self.pick(self.any_kind()), self.constant([self.r.choice([1, 2, 3]) for _ in range(self.r.randint(1, 2))])], {}

    def fill(self):
        value = numpy_helper.from_array(np.asarray([self.r.randint(-3, 5)], self.r.choice(["int64", "int32", "float32", "float64"])))
        return "ConstantOfShape", [self.constant([self.r.randint(0, 3) for _ in range(self.r.randint(1, 2))])], {"value": value}

    def range(self):
        return "Range", [self.constant(self.r.randint(-3, 3)), self.pick(rank=0), self.constant(self.r.choice([1, 2, -1]))], {}

    def reduce(self):
        op = self.r.choice(["ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin"])
        data = self.pick(rank=1)
        return (op, [data, self.constant([0])], {"keepdims": self.r.choice([0, 1])}) if self.known[data].size else None

    KINDS = [shape, shape, shape, size, gather, gather, slice, split, concat, concat, binary, binary, binary, binary,
             where, unary, unary, logic, cast, cast, cast, reshape, transpose, axes, expand, fill, range, reduce]

    def model(self, outputs, more=()):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, self.sizes)
        graph = helper.make_graph([*self.nodes, *more], "g", [x],
                                  [helper.make_empty_tensor_value_info(name) for name in outputs], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

    def run(self, model, n):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        x = np.zeros([n if size == "n" else size for size in self.sizes], np.float32)
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, {"x": x})))

    def grow(self):
        try:
            drawn = self.r.choice(self.KINDS)(self)
        except LookupError:
            return
        if drawn is None:
            return
        op, inputs, attributes = drawn
        names = [f"v{len(self.nodes)}_{i}" for i in range(2 if op == "Split" else 1)]
        node = helper.make_node(op, inputs, names, **attributes)
        try:
            results = self.run(self.model(names, [node]), 4)
            more = self.run(self.model(names, [node]), 6)
        except Exception:  # what does not fit is not drawn
            return
        if not all(np.isfinite(value).all() for value in [*results.values(), *more.values()]):
            return
        if all(value.size <= MOST and value.dtype.name in TYPES for value in results.values()):
            self.nodes.append(node)
            self.known.update(results)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        drawing = Drawing(random.Random(f"{seed} {number}"))
        for _ in range(25):
            drawing.grow()
        names = [name for node in drawing.nodes for name in node.output]
        if not names:
            continue
        model = drawing.model(names)
        four, six = drawing.run(model, 4), drawing.run(model, 6)
        numbers = {name: [listed(four[name]), listed(six[name])] for name in names}
        print(json.dumps({"model": base64.b64encode(model.SerializeToString()).decode(),
                          "static": not drawing.symbolic, "numbers": numbers}))


if __name__ == "__main__":
    main()
