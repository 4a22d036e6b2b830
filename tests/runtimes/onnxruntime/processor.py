"""What ONNX Runtime's kernels do on this processor, asked of them."""

import functools

import numpy

NOTE = "ONNX Runtime's products of uint8 and int8 saturate on this processor: int8 weights are drawn with 7 bits"


@functools.lru_cache(maxsize=1)
def saturates():
    """Sums of two products of uint8 and int8 saturate in 16 bits, as on x86 processors without VNNI. Products of uint8
    and a weight of 7 bits cannot."""
    import onnx
    import onnxruntime

    given = [onnx.helper.make_tensor_value_info(name, kind, [4, 4]) for name, kind in
             (("a", onnx.TensorProto.UINT8), ("b", onnx.TensorProto.INT8))]
    result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT32, [4, 4])
    graph = onnx.helper.make_graph([onnx.helper.make_node("MatMulInteger", ["a", "b"], ["y"])], "g", given, [result])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {"a": numpy.full((4, 4), 255, numpy.uint8), "b": numpy.full((4, 4), 127, numpy.int8)}
    return bool((session.run(None, feeds)[0] != 4 * 255 * 127).any())


def weights(stored, kind=None):
    """Integers of the type `kind` (by default the array's) as they are where products are exact, and int8 halved, to 7
    bits, where they saturate: what is compared is the arithmetic that the specification defines."""
    return stored // 2 if (kind or stored.dtype) == "int8" and saturates() else stored
