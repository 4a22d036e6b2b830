"""Models of a few nodes, written by element type names such as "uint8" and "float8e4m3fn"."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from reference import RANGES

SPECIAL = {"float": "FLOAT", "double": "DOUBLE"}
NUMPY = {"float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_}


def proto_type(name):
    return TensorProto.DataType.Value(SPECIAL.get(name, name.upper()))


def packed(values, kind):
    """A TensorProto of that type; four and two bit integers and float8 are packed as ONNX stores them."""
    values = np.asarray(values)
    if kind in NUMPY:
        return onnx.numpy_helper.from_array(values.astype(NUMPY[kind]))
    if kind in RANGES:
        values = np.clip(values, *RANGES[kind])
    return helper.make_tensor("", proto_type(kind), values.shape, values.flatten().tolist())


class Builder:
    def __init__(self, opset=21, ir=10):
        self.nodes, self.inputs, self.constants, self.opset, self.ir = [], [], [], opset, ir
        self.feeds = {}
        self.domains = set()

    def constant(self, name, values, kind):
        tensor = packed(values, kind)
        tensor.name = name
        self.constants.append(tensor)
        return name

    def input(self, name, kind, values):
        """A graph input and what is fed to it."""
        values = np.asarray(values)
        self.inputs.append(helper.make_tensor_value_info(name, proto_type(kind), values.shape))
        self.feeds[name] = values.astype(NUMPY[kind]) if kind in NUMPY else values.astype(kind)
        return name

    def overridable(self, name, kind, values):
        """A constant for which a caller may give another one, and does not."""
        values = np.asarray(values)
        self.inputs.append(helper.make_tensor_value_info(name, proto_type(kind), values.shape))
        return self.constant(name, values, kind)

    def node(self, operator, inputs, outputs, domain="", **attributes):
        if domain:
            self.domains.add(domain)
        self.nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, name=f"n{len(self.nodes)}",
                                           **attributes))
        return outputs[0]

    def model(self, outputs):
        """`outputs`: name to element type."""
        graph = helper.make_graph(self.nodes, "case", self.inputs,
                                  [helper.make_tensor_value_info(n, proto_type(k), None) for n, k in outputs.items()],
                                  initializer=self.constants)
        imports = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(d, 1) for d in sorted(self.domains)]
        return helper.make_model(graph, opset_imports=imports, ir_version=self.ir)
