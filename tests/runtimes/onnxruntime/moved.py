"""Graphs behind one DequantizeLinear at random: movements, readers, pairs of QuantizeLinear and DequantizeLinear,
branches that read what is outside of them. What is asked is whether ONNX Runtime's optimizer leaves a graph that loads."""

import random

from onnx import TensorProto, helper

from model import Builder

READERS = ("Sin", "Cos", "Exp", "Erf")
ORDERS = ([0, 2, 3, 1], [0, 3, 1, 2], [3, 2, 1, 0], [0, 1, 3, 2])


class Drawing:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kind = self.random.choice(["int8", "int8", "int8", "uint8", "int32"])
        self.builder = Builder(opset=self.random.choice([19, 21, 21, 21, 23, 24]))
        self.outputs, self.bodies, self.read = [], [], set()
        self.tensors = {"d": 4}  # name to rank

    def node(self, operator, inputs, output, **attributes):
        self.read.update(inputs)
        return self.builder.node(operator, inputs, [output], **attributes)

    def pair(self, value, output, scale):
        self.node("QuantizeLinear", [value, scale, self.point], f"q_{output}")
        self.node("DequantizeLinear", [f"q_{output}", scale, self.point], output)

    def begin(self):
        builder = self.builder
        builder.constant("s", 0.05, "float")
        builder.constant("s2", 0.07, "float")
        builder.constant("z", 0, self.kind)
        # No QuantizeLinear makes int32.
        self.point = "z" if self.kind != "int32" else "z8"
        if self.point != "z":
            builder.constant(self.point, 0, "int8")
        for name, values in (("flat", [-1]), ("first", [0]), ("one", [1]), ("two", [2])):
            builder.constant(name, values, "int64")
        if self.point == "z" and self.random.random() < 0.8:
            builder.input("x", "float", [[[[0.0] * 4] * 4] * 2] * 2)
            self.pair("x", "d", "s")
        else:
            builder.input("x", self.kind, [[[[0] * 4] * 4] * 2] * 2)
            self.node("DequantizeLinear", ["x", "s", "z"], "d")

    def step(self, output):
        value, rank = self.random.choice(list(self.tensors.items()))
        draw = self.random.random()
        if draw < 0.2 and rank == 4:
            self.node("Transpose", [value], output, perm=self.random.choice(ORDERS))
            self.tensors[output] = rank
        elif draw < 0.4:
            self.node("Slice", [value, "first", self.random.choice(["one", "two"])], output)
            self.tensors[output] = rank
        elif draw < 0.5:
            self.node("Reshape", [value, "flat"], output)
            self.tensors[output] = 1
        elif draw < 0.6:
            self.node("Unsqueeze", [value, "first"], output)
            self.tensors[output] = rank + 1
        elif draw < 0.66 and rank == 4:
            self.node("MaxPool", [value], output, kernel_shape=[2, 2])
            self.tensors[output] = rank
        elif draw < 0.72:
            self.node("Identity", [value], output)
            self.tensors[output] = rank
        elif draw < 0.82:
            self.outputs.append(self.node(self.random.choice(READERS), [value], output))
        elif draw < 0.92:
            self.pair(value, output, self.random.choice(["s", "s2"]))
            self.tensors[output] = rank
        elif draw < 0.95:
            self.outputs.append(value)
        elif draw < 0.97:
            self.node("Shape", [value], f"{output}_shape")
            self.outputs.append(self.node("Cast", [f"{output}_shape"], output, to=TensorProto.FLOAT))
        else:
            self.branch(value, output)

    def branch(self, value, output):
        bodies = []
        for operator in ("Sin", "Cos"):
            inner = f"{output}_{operator}"
            bodies.append(helper.make_graph([helper.make_node(operator, [value], [inner])], inner, [],
                                            [helper.make_tensor_value_info(inner, TensorProto.FLOAT, None)]))
        if not self.bodies:
            self.builder.input("condition", "bool", True)
        self.bodies.append(output)
        self.read.add(value)
        self.outputs.append(self.builder.node("If", ["condition"], [output], then_branch=bodies[0], else_branch=bodies[1]))

    def model(self):
        self.begin()
        for i in range(self.random.randint(1, 6)):
            self.step(f"t{i}")
        for name in list(self.tensors):
            if name in self.read or name in self.outputs:
                continue
            reader = self.random.random() < 0.6
            self.outputs.append(self.node("Sin", [name], f"{name}_end") if reader else name)
        return self.builder.model({name: "float" for name in dict.fromkeys(self.outputs)})


def drawn(count, seed):
    for i in range(count):
        yield Drawing(f"{seed} {i}").model()
