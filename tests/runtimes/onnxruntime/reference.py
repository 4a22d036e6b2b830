"""What the ONNX specification says that quantized operators compute, in float64, apart from any runtime."""

import warnings

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

RANGES = {
    "int2": (-2, 1), "uint2": (0, 3), "int4": (-8, 7), "uint4": (0, 15), "int8": (-128, 127), "uint8": (0, 255),
    "int16": (-32768, 32767), "uint16": (0, 65535), "int32": (-2**31, 2**31 - 1),
}
FLOAT8 = {
    "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}


def along(values, shape, axis, block=0):
    """Scales or zero points as they apply to a tensor: one, one per index of `axis`, or one per block along it."""
    values = np.asarray(values, np.float64)
    if values.size == 1 and values.ndim <= 1:
        return values.reshape(())
    if block:
        return np.repeat(values, block, axis=axis)[tuple(slice(0, n) for n in shape)]
    return values.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


def dequantize(q, scale, zero_point=0, axis=1, block=0):
    q = np.asarray(q).astype(np.float64)
    return (q - along(zero_point, q.shape, axis, block)) * along(scale, q.shape, axis, block)


def quantize(x, scale, zero_point, kind, axis=1, block=0):
    """Integers; ties to even, saturated."""
    low, high = RANGES[kind]
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        q = np.rint(x / along(scale, x.shape, axis, block)) + along(zero_point, x.shape, axis, block)
    return np.clip(q, low, high)


def computed(operator, inputs, opset=21, domain="", count=1, **attributes):
    """An operator on float arrays, by the ONNX reference implementation; one array, or `count` of them."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    given = {n: x for n, x in zip(names, inputs) if n}
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in given.items()]
    outputs = [f"y{i}" for i in range(count)]
    node = helper.make_node(operator, names, outputs, domain=domain, **attributes)
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name=n) for n in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = ReferenceEvaluator(model).run(None, given)
    return results if count > 1 else results[0]
