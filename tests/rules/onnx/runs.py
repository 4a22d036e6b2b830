"""Draws ONNX graphs with If and Loop whose conditions are computed from constants and sizes, and records which bodies
ONNX Runtime runs.

Usage: runs.py COUNT SEED > tests/data/onnx_shapes/runs.jsonl
Needs the PyPI packages onnx, onnxruntime and numpy; the file is of onnx 1.23.2, onnxruntime 1.31.1, COUNT 300, SEED 1.

A line: {"model": the file, base64, "static": every size is stated, "runs": {"outer then_branch": [whether it is run where
the symbolic size is 4, where it is 6], "outer else_branch": .., "inner then_branch": .., "inner else_branch": ..,
"loop body": ..}}. The node `inner` stands in the then_branch of `outer`.
"""

import base64
import json
import random
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


class Drawing:
    """A condition or a count, by nodes whose names begin with `prefix`."""

    def __init__(self, r, prefix, outer=()):
        self.r, self.prefix, self.outer = r, prefix, list(outer)
        self.nodes, self.constants, self.count = [], [], 0
        self.lists, self.truths = [], []

    def name(self):
        self.count += 1
        return f"{self.prefix}{self.count}"

    def constant(self, numbers, kind="int64"):
        self.constants.append(numpy_helper.from_array(np.asarray(numbers, kind), self.name()))
        return self.constants[-1].name

    def add(self, op, inputs, **attributes):
        output = self.name()
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def integer(self):
        """Of one element, with or without a dimension."""
        kind = self.r.randrange(8)
        if self.outer and self.r.random() < 0.3:
            return self.r.choice(self.outer)
        if kind == 0:
            return self.constant(self.r.randint(-1, 6))
        if kind == 1:
            return self.add("Size", ["x"])
        if kind == 2:
            return self.add("Gather", [self.add("Shape", ["x"]), self.constant([self.r.randrange(-3, 3)])])
        if kind == 3:
            return self.add("Gather", [self.add("Shape", ["x"]), self.constant(self.r.randrange(-3, 3))], axis=0)
        if kind == 4:
            return self.add(self.r.choice(["Add", "Sub", "Mul"]), [self.integer(), self.integer()])
        if kind == 5:
            return self.add("Identity", [self.integer()])
        if kind == 6:
            return self.add("Cast", [self.truth()], to=TensorProto.INT64)
        return self.add("Reshape", [self.integer(), self.constant([1])])

    def truth(self):
        kind = self.r.randrange(6)
        if kind == 0:
            return self.constant(self.r.random() < 0.5, "bool")
        if kind == 1:
            return self.add("Not", [self.truth()])
        if kind == 2:
            return self.add(self.r.choice(["And", "Or", "Xor"]), [self.truth(), self.truth()])
        if kind == 3:
            return self.add("Cast", [self.integer()], to=TensorProto.BOOL)
        op = self.r.choice(["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
        return self.add(op, [self.integer(), self.integer()])

    def scalar(self, name):
        return self.add("Squeeze", [self.add("Reshape", [name, self.constant([1])]), self.constant([0])])


def number(value, name):
    return helper.make_graph([helper.make_node("Constant", [], [name], value_int=value)], name + "_body", [],
                             [helper.make_tensor_value_info(name, TensorProto.INT64, [])])


def draw(r):
    symbolic = r.random() < 0.25
    sizes = ["n" if symbolic else r.choice([1, 4, 6]), r.choice([0, 1, 2]), 3]
    main = Drawing(r, "m")
    outer = main.scalar(main.truth())
    shared = main.integer()

    body = Drawing(r, "b", outer=[shared])
    inner = body.scalar(body.truth())
    body.nodes.append(helper.make_node("If", [inner], ["b_out"], "inner", then_branch=number(3, "i_then"),
                                       else_branch=number(2, "i_else")))
    then_branch = helper.make_graph(body.nodes, "then", [], [helper.make_tensor_value_info("b_out", TensorProto.INT64, [])],
                                    initializer=body.constants)
    main.nodes.append(helper.make_node("If", [outer], ["taken"], "outer", then_branch=then_branch,
                                       else_branch=number(1, "o_else")))

    loop = helper.make_graph(
        [helper.make_node("Identity", ["going"], ["goes_on"]), helper.make_node("Add", ["turns", "one"], ["more"])],
        "turn", [helper.make_tensor_value_info("turn", TensorProto.INT64, []),
                 helper.make_tensor_value_info("going", TensorProto.BOOL, []),
                 helper.make_tensor_value_info("turns", TensorProto.INT64, [])],
        [helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
         helper.make_tensor_value_info("more", TensorProto.INT64, [])],
        initializer=[numpy_helper.from_array(np.int64(1), "one")])
    trips = main.scalar(main.integer()) if r.random() < 0.7 else main.constant(3)
    going = main.scalar(main.truth()) if r.random() < 0.5 else ""
    main.nodes.append(helper.make_node("Loop", [trips, going, main.constant(0)], ["turned"], "loop", body=loop))

    graph = helper.make_graph(main.nodes, "runs", [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)],
                              [helper.make_tensor_value_info("taken", TensorProto.INT64, []),
                               helper.make_tensor_value_info("turned", TensorProto.INT64, [])],
                              initializer=main.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return model, symbolic, sizes


def runs_of(model, sizes):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    taken, turned = session.run(None, {"x": np.zeros(sizes, np.float32)})
    return {"outer then_branch": bool(taken != 1), "outer else_branch": bool(taken == 1),
            "inner then_branch": bool(taken == 3), "inner else_branch": bool(taken == 2), "loop body": bool(turned != 0)}


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    r = random.Random(seed)
    written = 0
    while written < count:
        model, symbolic, sizes = draw(r)
        if len(model.graph.node) > 60:
            continue
        data = model.SerializeToString()
        try:
            both = [runs_of(data, [size if each == "n" else each for each in sizes]) for size in (4, 6)]
        except Exception as error:  # a count of turns that never ends is none of these; what ONNX refuses is no case
            print(error, file=sys.stderr)
            continue
        print(json.dumps({"model": base64.b64encode(data).decode(), "static": not symbolic,
                          "runs": {name: [each[name] for each in both] for name in both[0]}}))
        written += 1


if __name__ == "__main__":
    main()
