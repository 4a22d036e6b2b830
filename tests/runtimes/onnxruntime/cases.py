"""Single-operator models at random: for every draw a model, what to feed it, and what the specification says comes out.

A case is valid or not by chance: types, shapes of scales and zero points, their values, axes, opsets and constness are
drawn around the border of what is taken. `label` names what was drawn away from the plain configuration.
"""

import dataclasses
import random

import numpy as np
import onnx
from onnx import TensorProto, helper

import processor
import reference as ref
from model import Builder, proto_type

MS = "com.microsoft"
BYTES = ("int8", "uint8")


@dataclasses.dataclass
class Case:
    family: str
    label: str
    model: onnx.ModelProto
    feeds: dict
    # Name -> (values, steps): expected, and by how many output steps it may differ. Empty: only loading is asked.
    expected: dict = dataclasses.field(default_factory=dict)
    # The specification gives an answer. False: a scale is 0, negative, infinite or not a number.
    defined: bool = True
    # A group between DequantizeLinear and QuantizeLinear nodes: whether it is fused is asked as well.
    quantized_output: bool = False


class Draw:
    """A case in the making."""

    def __init__(self, seed, opsets=(21,)):
        self.rng = random.Random(seed)
        self.np = np.random.default_rng(self.rng.randrange(2**32))
        self.b = Builder(opset=self.rng.choice(opsets))
        self.odd = []  # what is drawn away from the plain configuration
        self.defined = True

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *options):
        return self.rng.choice(options)

    def note(self, text):
        self.odd.append(text)

    def kind(self, plain, others, p=0.12):
        if self.chance(p):
            kind = self.rng.choice(others)
            if kind != plain:
                self.note(f"{kind} for {plain}")
            return kind
        return plain

    def scale(self, low=0.01, high=0.1):
        return float(np.float32(self.rng.uniform(low, high)))

    def zero(self, kind):
        low, high = ref.RANGES.get(kind, (0, 0))
        if kind == "int32":
            return 0
        return self.pick(0, low, high, self.rng.randint(low, high), (low + high + 1) // 2)

    def integers(self, kind, shape):
        low, high = ref.RANGES[kind]
        return self.np.integers(max(low, -40000), min(high, 70000) + 1, shape)

    def weights(self, kind, shape):
        """What is multiplied with activations: of 7 bits where the processor's products would saturate."""
        return processor.weights(self.integers(kind, shape), kind)

    def parameters(self, name, kind, channels=0, p=0.10, shapes=True, zero=None):
        """Scale and zero point. `channels`: per channel is plain with even odds. Returns (scale, zero point) values."""
        shape = ()
        count = 1
        if channels and self.chance(0.5):
            shape, count = (channels,), channels
        if shapes and self.chance(p):
            shape = self.pick((1,), (2,), (channels or 3,), (1, 1))
            count = int(np.prod(shape))
            self.note(f"{name} scale of shape {list(shape)}")
        scales = np.array([self.scale() for _ in range(count)], np.float32).reshape(shape)
        first = self.zero(kind) if zero is None else zero
        zeros = np.full(shape, first)
        if count > 1 and self.chance(0.25):
            zeros = np.array([self.zero(kind) for _ in range(count)]).reshape(shape)
            if len(set(zeros.flatten().tolist())) > 1:
                self.note(f"{name} zero points differ")
        if self.chance(0.04):
            special = self.pick(0.0, float("nan"), float("inf"), -0.05)
            scales = scales.copy()
            scales.reshape(-1)[0] = special
            self.note(f"{name} scale {special}")
            self.defined = False
        if shapes and self.chance(p / 3):
            zeros = np.array(zeros).reshape((1,) if np.ndim(zeros) == 0 else ()) if zeros.size == 1 else zeros[:1]
            self.note(f"{name} zero point of shape {list(zeros.shape)}")
        return scales, zeros

    def operand(self, name, kind, values, constant):
        if constant or kind in ("int4", "uint4", "int2", "uint2") or kind.startswith("float8"):
            return self.b.constant(name, values, kind)
        return self.b.input(name, kind, values)

    def case(self, family, outputs, expected):
        return Case(family, ", ".join(self.odd), self.b.model(outputs), self.b.feeds, expected if self.defined else {},
                    self.defined)


def bound(d, name, kind, scales, zeros, constant=None, zero_kind=None):
    """Scale and zero point as constants, or now and then as inputs of the graph; their names."""
    if not np.all(np.isfinite(scales)) or np.any(np.asarray(scales) <= 0):
        constant = True  # what is not known before it runs cannot be said
    if constant is None:
        constant = not d.chance(0.06)
        if not constant:
            d.note(f"{name} parameters not constant")
    if not constant and d.chance(0.5):
        d.note("but with values")
        return [d.b.overridable(f"{name}_scale", "float", scales),
                d.b.overridable(f"{name}_zero_point", zero_kind or kind, zeros)]
    s = d.operand(f"{name}_scale", "float", scales, constant)
    z = d.operand(f"{name}_zero_point", zero_kind or kind, zeros, constant)
    return [s, z]


def activation_types(d):
    """Plain pairs of activation and weight types, now and then others."""
    x = d.pick(*BYTES)
    w = "int8" if x == "int8" else d.pick(*BYTES)
    y = x
    x = d.kind(x, ("int8", "uint8", "int16", "uint16"), 0.06)
    w = d.kind(w, ("int8", "uint8", "int16"), 0.08)
    y = d.kind(y, ("int8", "uint8", "uint16"), 0.06)
    return x, w, y


def scalar_like(a):
    return a if np.size(a) != 1 else np.reshape(a, ())


def usable(*arrays):
    """Parameters that the specification has a meaning for: one, or one per channel."""
    return all(np.ndim(a) <= 1 for a in arrays)


def conv_shapes(d):
    """Attributes, input and weight shapes of a small convolution."""
    groups = d.pick(1, 1, 1, 2, 4)
    cin = groups * d.pick(1, 2, 3)
    cout = groups * d.pick(1, 2, 4)
    k = d.pick(1, 3)
    attributes = {"group": groups, "strides": [d.pick(1, 2)] * 2, "pads": [d.pick(0, 1)] * 4 if k == 3 else [0] * 4}
    if d.chance(0.2):
        attributes["dilations"] = [2, 2] if k == 3 and attributes["pads"][0] == 1 else [1, 1]
    return attributes, (1, cin, 6, 6), (cout, cin // groups, k, k)


def qlinear_conv(seed):
    d = Draw(seed, (10, 13, 19, 21, 24))
    domain = "" if d.chance(0.85) else MS
    x_kind, w_kind, y_kind = activation_types(d)
    attributes, x_shape, w_shape = conv_shapes(d)
    x, w = d.integers(x_kind, x_shape), d.weights(w_kind, w_shape)
    xs, xz = d.parameters("x", x_kind, p=0.06)
    ws, wz = d.parameters("w", w_kind, w_shape[0], zero=0 if w_kind == "int8" and d.chance(0.7) else None)
    ys, yz = d.parameters("y", y_kind, p=0.06)
    ys = (ys * np.float32(np.sqrt(np.prod(w_shape[1:])) * 5)).astype(np.float32)
    names = [d.operand("x", x_kind, x, False), *bound(d, "x", x_kind, xs, xz),
             d.operand("w", w_kind, w, not d.chance(0.1)), *bound(d, "w", w_kind, ws, wz),
             *bound(d, "y", y_kind, ys, yz)]
    bias = None
    if d.chance(0.5):
        bias = d.np.integers(-2000, 2000, w_shape[0])
        names.append(d.b.constant("b", bias, d.kind("int32", ("float", "int16"), 0.05)) if not d.chance(0.02) else "")
        if names[-1] == "":
            bias = None
    d.b.node("QLinearConv", names, ["y"], domain=domain, **attributes)
    expected = {}
    if usable(xs, ws, ys, xz, wz, yz) and np.size(xs) == 1 and np.size(ys) == 1 and d.defined:
        try:
            xf = ref.dequantize(x, xs, xz)
            wf = ref.dequantize(w, ws, wz, axis=0)
            inputs = [xf, wf]
            if bias is not None:
                inputs.append(bias * (np.float64(scalar_like(xs)) * np.broadcast_to(np.reshape(ws, -1), w_shape[0])))
            yf = ref.computed("Conv", inputs, **attributes)
            expected = {"y": (ref.quantize(yf, ys, yz, y_kind), 1)}
        except (ValueError, KeyError):
            expected = {}
    return d.case(f"{domain + '.' if domain else ''}QLinearConv", {"y": y_kind}, expected)


def matmul_shapes(d):
    m, k, n = d.pick(1, 3), d.pick(4, 8), d.pick(2, 5)
    batch = d.pick((), (), (2,))
    return batch + (m, k), ((k, n) if d.chance(0.7) or not batch else batch + (k, n))


def qlinear_matmul(seed):
    d = Draw(seed, (10, 13, 21, 24))
    a_kind, b_kind, y_kind = activation_types(d)
    a_shape, b_shape = matmul_shapes(d)
    a, b = d.integers(a_kind, a_shape), d.weights(b_kind, b_shape)
    as_, az = d.parameters("a", a_kind, p=0.06)
    bs, bz = d.parameters("b", b_kind, b_shape[-1] if len(b_shape) == 2 else 0)
    ys, yz = d.parameters("y", y_kind, p=0.06)
    ys = (ys * np.float32(15)).astype(np.float32)
    names = [d.operand("a", a_kind, a, False), *bound(d, "a", a_kind, as_, az),
             d.operand("b", b_kind, b, d.chance(0.7)), *bound(d, "b", b_kind, bs, bz), *bound(d, "y", y_kind, ys, yz)]
    d.b.node("QLinearMatMul", names, ["y"])
    expected = {}
    if usable(as_, bs, ys, az, bz, yz) and np.size(as_) == 1 and np.size(ys) == 1:
        try:
            yf = ref.dequantize(a, as_, az) @ ref.dequantize(b, bs, bz, axis=-1)
            expected = {"y": (ref.quantize(yf, ys, yz, y_kind), 1)}
        except ValueError:
            pass
    return d.case("QLinearMatMul", {"y": y_kind}, expected)


def integer_matmul(seed):
    d = Draw(seed, (10, 13, 21))
    conv = d.chance(0.4)
    a_kind = d.kind(d.pick(*BYTES), ("int16", "uint16"), 0.05)
    b_kind = d.kind(d.pick(*BYTES), ("int16",), 0.05)
    if conv:
        attributes, a_shape, b_shape = conv_shapes(d)
    else:
        attributes, (a_shape, b_shape) = {}, matmul_shapes(d)
    # Of ConvInteger the filters are the left side.
    a, b = (d.weights if conv else d.integers)(a_kind, a_shape), d.weights(b_kind, b_shape)
    names = [d.operand("a", a_kind, a, False), d.operand("b", b_kind, b, d.chance(0.6))]
    az, bz = np.array(0), np.array(0)
    if d.chance(0.8):
        az = np.array(d.zero(a_kind))
        if d.chance(0.15):
            az = np.array([d.zero(a_kind) for _ in range(a_shape[-2] if not conv else 2)])
            d.note(f"a zero point of shape {list(az.shape)}")
        names.append(d.operand("az", a_kind, az, d.chance(0.9)))
        if d.chance(0.8):
            bz = np.array(d.zero(b_kind))
            if d.chance(0.3):
                count = b_shape[0] if conv else b_shape[-1]
                bz = np.array([d.zero(b_kind) for _ in range(count)])
                d.note(f"b zero point of shape {list(bz.shape)}")
            names.append(d.operand("bz", b_kind, bz, d.chance(0.9)))
    name = "ConvInteger" if conv else "MatMulInteger"
    d.b.node(name, names, ["y"], **attributes)
    expected = {}
    try:
        if az.size == 1 or not conv:
            af = a - (az.reshape(-1, 1) if az.size > 1 else az.reshape(()))
            bf = b - (bz.reshape((-1, 1, 1, 1) if conv else (-1,)) if bz.size > 1 else bz.reshape(()))
            af, bf = af.astype(np.float64), bf.astype(np.float64)
            yf = ref.computed("Conv", [af, bf], **attributes) if conv else af @ bf
            expected = {"y": (yf, 0)}
    except ValueError:
        pass
    return d.case(name, {"y": "int32"}, expected)


def float_matmul(seed):
    """MatMulIntegerToFloat and DynamicQuantizeMatMul."""
    d = Draw(seed)
    dynamic = d.chance(0.5)
    a_kind, b_kind, _ = activation_types(d)
    a_shape, b_shape = (3, 8), (8, 5)
    b = d.weights(b_kind, b_shape)
    bs, bz = d.parameters("b", b_kind, b_shape[-1])
    constant = not d.defined or not d.chance(0.15)
    expected = {}
    if dynamic:
        a = d.np.standard_normal(a_shape).astype(np.float32)
        names = [d.operand("a", "float", a, False), d.operand("b", b_kind, b, constant),
                 d.operand("b_scale", "float", bs, constant)]
        if d.chance(0.8):
            names.append(d.operand("b_zero_point", b_kind, bz, constant))
        else:
            bz = np.array(0)
            names.append("")
        low, high = min(0, a.min()), max(0, a.max())
        scale = np.float32((high - low) / np.float32(255))
        zero = np.clip(np.rint(0 - low / scale), 0, 255)
        af = ref.dequantize(ref.quantize(a, scale, zero, "uint8"), scale, zero)
        name = "DynamicQuantizeMatMul"
        tolerance = float(scale) * 1.01  # a step of one element, times a weight
        yf_kind = "float"
    else:
        a = d.integers(a_kind, a_shape)
        as_, az = d.parameters("a", a_kind, p=0.06)
        names = [d.operand("a", a_kind, a, False), d.operand("b", b_kind, b, constant),
                 d.operand("a_scale", "float", as_, constant), d.operand("b_scale", "float", bs, constant)]
        if d.chance(0.8):
            names += [d.operand("a_zero_point", a_kind, az, constant), d.operand("b_zero_point", b_kind, bz, constant)]
        else:
            az, bz = np.array(0), np.array(0)
            names += ["", ""]
        af = ref.dequantize(a, as_, az) if usable(as_, az) and np.size(as_) == 1 and np.size(az) == 1 else None
        name = "MatMulIntegerToFloat"
        tolerance = 1e-3
    bias = None
    if d.chance(0.4):
        bias = d.np.standard_normal(b_shape[-1]).astype(np.float32)
        names.append(d.b.constant("bias", bias, "float"))
    d.b.node(name, names, ["y"], domain=MS)
    if af is not None and usable(bs, bz) and d.defined:
        try:
            bf = ref.dequantize(b, bs, bz, axis=-1)
            yf = af @ bf + (0 if bias is None else bias)
            slack = tolerance * (1 + (np.abs(bf).max() if dynamic else np.abs(yf).max()))
            expected = {"y": (yf, ("absolute", slack))}
        except ValueError:
            pass
    return d.case(name, {"y": "float"}, expected)


def qgemm(seed):
    d = Draw(seed)
    a_kind, b_kind, y_kind = activation_types(d)
    trans_a, trans_b = int(d.chance(0.2)), int(d.chance(0.4))
    a, b = d.integers(a_kind, (3, 8)), d.weights(b_kind, (8, 5))
    as_, az = d.parameters("a", a_kind, p=0.06)
    bs, bz = d.parameters("b", b_kind, 5)
    quantized = d.chance(0.8)
    ys, yz = d.parameters("y", y_kind, p=0.06) if quantized else (np.ones((), np.float32), np.zeros(()))
    ys = (ys * np.float32(15)).astype(np.float32)
    alpha = d.pick(1.0, 1.0, 0.5)
    names = [d.operand("a", a_kind, a.T if trans_a else a, False), *bound(d, "a", a_kind, as_, az),
             d.operand("b", b_kind, b.T if trans_b else b, d.chance(0.8)), *bound(d, "b", b_kind, bs, bz)]
    bias = d.np.integers(-100, 100, 5) * 20 if d.chance(0.6) else None
    names.append("" if bias is None else d.b.constant("c", bias, d.kind("int32", ("float", "int16"), 0.05)))
    names += bound(d, "y", y_kind, ys, yz) if quantized else []
    d.b.node("QGemm", names, ["y"], domain=MS, alpha=alpha, transA=trans_a, transB=trans_b)
    expected = {}
    if usable(as_, bs, az, bz, ys, yz) and np.size(as_) == 1 and np.size(ys) == 1 and d.defined:
        try:
            yf = alpha * (ref.dequantize(a, as_, az) @ ref.dequantize(b, bs, bz, axis=-1))
            if bias is not None:
                yf = yf + bias * (alpha * np.float64(np.reshape(as_, ())) * np.reshape(bs, -1).astype(np.float64))
            expected = {"y": (ref.quantize(yf, ys, yz, y_kind), 1) if quantized
                        else (yf, ("absolute", 1e-4 * (1 + np.abs(yf).max())))}
        except ValueError:
            pass
    return d.case("QGemm", {"y": y_kind if quantized else "float"}, expected)


UNARY = {
    "QLinearSigmoid": lambda x, d: (ref.computed("Sigmoid", [x]), {}),
    "QLinearLeakyRelu": lambda x, d: (np.where(x < 0, 0.1 * x, x), {"alpha": 0.1}),
    "QLinearSoftmax": lambda x, d: (ref.computed("Softmax", [x], axis=-1), {"axis": -1, "opset": 13}),
    "QLinearAveragePool": lambda x, d: (
        ref.computed("AveragePool", [x], kernel_shape=[2, 2]), {"kernel_shape": [2, 2]}),
    "QLinearGlobalAveragePool": lambda x, d: (x.mean(axis=(2, 3), keepdims=True), {}),
    "QLinearReduceMean": lambda x, d: (x.mean(axis=(2, 3), keepdims=True), {"axes": [2, 3], "keepdims": 1}),
}


def leave_out(d, names, position):
    """An input of a node, by a name that is empty or, where it is the last, by a shorter list."""
    if position == len(names) - 1 and d.chance(0.5):
        names.pop()
        d.note("a shorter list of inputs")
    else:
        names[position] = ""
        d.note(f"input {position} without a name")


def qlinear_unary(seed):
    d = Draw(seed)
    name = d.rng.choice(sorted(UNARY))
    kind = d.kind(d.pick(*BYTES), ("int16", "uint16"), 0.08)
    x = d.integers(kind, (1, 3, 4, 4))
    xs, xz = d.parameters("x", kind, p=0.12)
    ys, yz = d.parameters("y", kind, p=0.12)
    if name in ("QLinearSigmoid", "QLinearSoftmax"):
        ys = np.where(np.abs(ys) < 1, ys / np.float32(16), ys).astype(np.float32)
    names = [d.operand("x", kind, x, False), *bound(d, "x", kind, xs, xz), *bound(d, "y", kind, ys, yz)]
    if d.chance(0.08) and name not in ("QLinearGlobalAveragePool",):
        names[2], xz = "", np.array(0)
        d.note("no x zero point")
    if d.chance(0.05) and name not in ("QLinearGlobalAveragePool", "QLinearSoftmax") and (kind == "uint8" or d.chance(0.3)):
        leave_out(d, names, len(names) - 1)
        yz = np.array(0)
    expected, attributes = {}, UNARY[name](np.zeros((1, 3, 4, 4)), d)[1]
    d.b.node(name, names, ["y"], domain=MS, **attributes)
    if usable(xs, xz, ys, yz) and np.size(xs) == 1 and np.size(ys) == 1 and d.defined:
        yf, _ = UNARY[name](ref.dequantize(x, xs, xz), d)
        expected = {"y": (ref.quantize(yf, ys, yz, kind), 1)}
    return d.case(name, {"y": kind}, expected)


def qlinear_binary(seed):
    d = Draw(seed)
    name = d.pick("QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearWhere")
    kind = d.kind(d.pick(*BYTES), ("int16", "uint16"), 0.08)
    other = d.kind(kind, ("int8", "uint8"), 0.06)
    a, b = d.integers(kind, (2, 3, 4)), d.integers(other, (2, 3, 4) if d.chance(0.6) or name == "QLinearConcat" else (4,))
    as_, az = d.parameters("a", kind, p=0.12)
    bs, bz = d.parameters("b", other, p=0.12)
    ys, yz = d.parameters("y", kind, p=0.12)
    an = [d.operand("a", kind, a, False), *bound(d, "a", kind, as_, az)]
    bn = [d.operand("b", other, b, d.chance(0.3)), *bound(d, "b", other, bs, bz)]
    yn = bound(d, "y", kind, ys, yz)
    attributes = {}
    if name == "QLinearConcat":
        names, attributes = yn + an + bn, {"axis": d.pick(0, 1, 2, -1)}
    elif name == "QLinearWhere":
        c = d.np.integers(0, 2, (2, 3, 4)).astype(bool)
        names = [d.operand("c", "bool", c, False)] + an + bn + yn
    else:
        names = an + bn + yn
    if d.chance(0.08):
        zeros = {"a": az, "b": bz, "y": yz}
        left_out = d.pick(*zeros)
        leave_out(d, names, names.index(f"{left_out}_zero_point"))
        zeros[left_out] = np.zeros_like(zeros[left_out])
        az, bz, yz = zeros.values()
    d.b.node(name, names, ["y"], domain=MS, **attributes)
    expected = {}
    if usable(as_, bs, ys, az, bz, yz) and np.size(as_) == 1 and np.size(bs) == 1 and np.size(ys) == 1 and d.defined:
        af, bf = ref.dequantize(a, as_, az), ref.dequantize(b, bs, bz)
        yf = (af + bf if name == "QLinearAdd" else af * bf if name == "QLinearMul" else
              np.concatenate([af, bf], attributes["axis"]) if name == "QLinearConcat" else np.where(c, af, bf))
        expected = {"y": (ref.quantize(yf, ys, yz, kind), 1)}
    return d.case(name, {"y": kind}, expected)


STORED = ("int8", "uint8", "int16", "uint16", "int4", "uint4", "int2", "uint2", "int32", "float8e4m3fn",
          "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")


def geometry(d, kind):
    """Axis, block size, and the shape of scales, around what goes with a tensor of shape (4, 6, 8)."""
    shape = d.pick((4, 6, 8), (4, 6), (8,))
    form = d.pick("tensor", "tensor", "axis", "axis", "block", "odd")
    axis, block, scale_shape, attributes = 1, 0, (), {}
    if form == "axis":
        axis = d.rng.randrange(len(shape))
        scale_shape = (shape[axis],)
        axis = axis if d.chance(0.7) else axis - len(shape)
        attributes = {"axis": axis}
    elif form == "block":
        axis = d.rng.randrange(len(shape))
        block = d.pick(2, 3, 4)
        scale_shape = tuple(-(-n // block) if i == axis else n for i, n in enumerate(shape))
        if d.chance(0.1):
            scale_shape = scale_shape[:-1] + (scale_shape[-1] + 1,)
            d.note("one block too many")
        attributes = {"axis": axis, "block_size": block}
        d.note("blocks")
        if shape[axis] % block:
            d.note("last block is short")
    elif form == "odd":
        scale_shape = d.pick((1,), (2,), (1, 1), (3,))
        if d.chance(0.3):
            attributes = {"axis": d.pick(-4, 3, 5)}
            axis = attributes["axis"]
            d.note(f"axis {axis}")
        d.note(f"scale of shape {list(scale_shape)}")
    return shape, axis, block, scale_shape, attributes


def quantizer(seed):
    d = Draw(seed, (10, 13, 18, 19, 20, 21, 23, 24, 25, 26))
    d.b.ir = 13
    dequantizing = d.chance(0.5)
    contrib = d.chance(0.15)
    kind = d.rng.choice(STORED if d.chance(0.8) else ("int8", "uint8"))
    shape, axis, block, scale_shape, attributes = geometry(d, kind)
    if contrib or d.b.opset < 13:
        attributes.pop("block_size", None) if d.chance(0.8) else d.note("block_size where there is none")
        if "block_size" not in attributes and block:
            block, scale_shape, attributes = 0, (), {}
        if d.b.opset < 13 and not contrib and d.chance(0.9):
            attributes, scale_shape = {}, ()
    scale_kind = "float" if d.chance(0.85) else d.pick("float16", "double", "bfloat16")
    if scale_kind != "float":
        d.note(f"{scale_kind} scale")
    scales = np.abs(d.np.uniform(0.01, 0.1, scale_shape)).astype(np.float16 if scale_kind == "float16" else np.float32)
    if d.chance(0.05):
        special = d.pick(0.0, float("nan"), float("inf"), -0.05)
        scales = np.array(scales)
        scales.reshape(-1)[0] = special
        d.note(f"scale {special}")
        d.defined = False
    is_float = kind.startswith("float8")
    zeros = np.zeros(scale_shape, np.int64)
    if not is_float and (kind != "int32" or d.chance(0.1)) and d.chance(0.7):
        low, high = ref.RANGES[kind] if kind != "int32" else (1, 3)
        zeros = d.np.integers(low, high + 1, scale_shape)
        if kind == "int32":
            d.note("zero point of int32")
    given = d.chance(0.8) or (not dequantizing and kind != "uint8" and d.chance(0.8))
    if is_float and given and d.chance(0.1):
        zeros = zeros + 1
        d.note("float8 zero point 1")
    if given and d.chance(0.05):
        zeros = np.zeros((2,) if zeros.shape != (2,) else (), np.int64)
        d.note("zero point of another shape")
    if not given:
        zeros = np.zeros(scale_shape, np.int64)
        d.note("no zero point")
    zero_kind = kind
    if given and d.chance(0.04):
        zero_kind = d.pick("int8", "uint8", "int32")
    names = []
    float_kind = scale_kind
    domain = MS if contrib else ""
    if dequantizing:
        q = d.integers(kind, shape) if not is_float else d.np.uniform(-4, 4, shape)
        if is_float:
            q = q.astype(ref.FLOAT8[kind]).astype(np.float32)
        names = [d.operand("x", kind, q, kind in ("int2", "uint2"))]
    else:
        x = d.np.uniform(-6, 6, shape).astype(np.float16 if float_kind == "float16" else np.float32)
        if d.chance(0.2):
            x = x * 40
        names = [d.operand("x", float_kind if float_kind != "bfloat16" else "bfloat16", x, float_kind == "bfloat16")]
    names.append(d.operand("s", scale_kind, scales, scale_kind == "bfloat16" or not d.defined or not d.chance(0.1)))
    if given:
        names.append(d.operand("z", zero_kind, zeros, not d.chance(0.1)))
    if not given and not dequantizing and kind != "uint8" and d.b.opset >= 21 and not contrib and d.chance(0.7):
        attributes["output_dtype"] = proto_type(kind)
    if is_float and not dequantizing and d.chance(0.3):
        attributes["saturate"] = 0
    d.b.node("DequantizeLinear" if dequantizing else "QuantizeLinear", names, ["y"], domain=domain, **attributes)
    out_kind = float_kind if dequantizing else (zero_kind if given else kind if "output_dtype" in attributes else "uint8")
    outputs, result = {"y": out_kind}, "y"
    narrow = out_kind in ("int4", "uint4", "int2", "uint2") or out_kind.startswith("float8")
    if narrow:
        d.b.node("DequantizeLinear", ["y"] + names[1:], ["r"], domain=domain,
                 **{k: v for k, v in attributes.items() if k in ("axis", "block_size")})
        outputs, result = {"r": scale_kind}, "r"
    elif out_kind == "bfloat16":
        d.b.node("Cast", ["y"], ["r"], to=proto_type("float"))
        outputs, result = {"r": "float"}, "r"
    expected = {}
    if zero_kind == kind and zeros.shape == scale_shape and scale_kind != "bfloat16" and scale_kind != "double":
        try:
            if dequantizing:
                yf = ref.dequantize(q, scales, zeros, axis, block)
                slack = (2e-3 if scale_kind == "float16" else 1e-5) * (1 + np.abs(yf).max())
                expected = {result: (yf, ("absolute", slack))}
            elif is_float:
                if out_kind == kind and not attributes.get("saturate") == 0:
                    ratio = (x.astype(np.float32) / ref.along(scales, shape, axis, block)).astype(np.float32)
                    top = float(ref.ml_dtypes.finfo(ref.FLOAT8[kind]).max)
                    yf = np.clip(ratio, -top, top).astype(ref.FLOAT8[kind]).astype(np.float64)
                    expected = {result: (yf * ref.along(scales, shape, axis, block),
                                         ("absolute", 0.13 * np.abs(yf).max() * np.max(scales)))}
            elif out_kind == kind:
                yf = ref.quantize(x, scales, zeros, kind, axis, block)
                if narrow:
                    expected = {result: (ref.dequantize(yf, scales, zeros, axis, block),
                                         ("absolute", 1.01 * np.max(scales)))}
                else:
                    expected = {result: (yf, 1)}
        except (ValueError, IndexError, np.exceptions.AxisError, ZeroDivisionError):
            expected = {}
    return d.case(("com.microsoft." if contrib else "") + ("DequantizeLinear" if dequantizing else "QuantizeLinear"),
                  outputs, expected)


def dynamic_quantize(seed):
    d = Draw(seed, (10, 11, 13, 21, 26))
    x = (d.np.standard_normal((3, 5)) * d.pick(0.01, 1, 100)).astype(np.float32) + d.pick(0, 3, -3)
    kind = d.kind("float", ("float16", "double"), 0.15)
    d.b.node("DynamicQuantizeLinear", [d.operand("x", kind, x, False)], ["y", "s", "z"])
    low, high = min(0, x.min()), max(0, x.max())
    scale = np.float32((high - low) / 255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return d.case("DynamicQuantizeLinear", {"y": "uint8", "s": "float", "z": "uint8"},
                  {"y": (ref.quantize(x, scale, zero, "uint8"), 1)})


def group_of(d, name):
    """Shapes of the quantized inputs, attributes, and extra inputs (values, by name) of an operator in a QDQ group."""
    s = (1, 4, 6, 6)
    if name in ("Conv", "ConvTranspose"):
        attributes, x, w = conv_shapes(d)
        if name == "ConvTranspose":
            attributes = {"group": 1, "strides": [2, 2]}
            x, w = (1, 3, 4, 4), (3, 2, 2, 2)
        return [x, w], attributes, []
    if name == "MatMul":
        return list(matmul_shapes(d)), {}, []
    if name == "Gemm":
        trans = int(d.chance(0.5))
        return [(3, 8), (5, 8) if trans else (8, 5)], {"transB": trans}, []
    if name in ("Add", "Mul", "Sub", "Div", "Max", "Min", "PRelu", "Pow"):
        return [s, s if d.chance(0.6) else (4, 1, 1)], {}, []
    if name == "Where":
        return [s, s], {}, [("condition", d.np.integers(0, 2, s).astype(bool), "bool")]
    if name == "Concat":
        return [s] * d.pick(2, 3), {"axis": d.pick(1, -1, 0)}, []
    if name in ("MaxPool", "AveragePool"):
        return [s], {"kernel_shape": [2, 2], "strides": [d.pick(1, 2)] * 2}, []
    if name == "Softmax":
        return [(2, 5)], {"axis": d.pick(-1, 1, 0)}, []
    if name == "LeakyRelu":
        return [s], {"alpha": 0.1}, []
    if name == "Reshape":
        return [s], {}, [("shape", np.array([4, 36]), "int64")]
    if name == "Transpose":
        return [s], {"perm": [0, 2, 3, 1]}, []
    if name == "Flatten":
        return [s], {"axis": 1}, []
    if name in ("Squeeze", "Unsqueeze"):
        return [s], {}, [("axes", np.array([0]), "int64")]
    if name == "Slice":
        return [s], {}, [("starts", np.array([1]), "int64"), ("ends", np.array([3]), "int64"), ("axes", np.array([1]), "int64")]
    if name == "Gather":
        return [s], {"axis": 1}, [("indices", np.array([0, 2]), "int64")]
    if name == "Tile":
        return [s], {}, [("repeats", np.array([1, 2, 1, 1]), "int64")]
    if name == "Expand":
        return [s], {}, [("shape", np.array([2, 4, 6, 6]), "int64")]
    if name == "Split":
        return [s], {"axis": 1, "num_outputs": 2}, []
    if name in ("ReduceMax", "ReduceMin", "ReduceMean", "ReduceSum"):
        return [s], {"keepdims": 1}, [("axes", np.array([2, 3]), "int64")]
    if name == "Clip":
        return [s], {}, [("min", np.array(-1.0, np.float32), "float"), ("max", np.array(1.5, np.float32), "float")]
    if name == "Pad":
        return [s], {}, [("pads", np.array([0, 0, 1, 1, 0, 0, 1, 1]), "int64")]
    if name == "Resize":
        return [s], {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, \
            [("roi", None, ""), ("scales", np.array([1, 1, 2, 2], np.float32), "float")]
    if name == "DepthToSpace":
        return [s], {"blocksize": 2}, []
    if name == "LayerNormalization":
        return [(2, 8), (8,)], {}, []
    if name == "ArgMax":
        return [s], {"axis": 1}, []
    return [s], {}, []


GROUP_OPERATORS = (
    "Conv", "Conv", "Conv", "ConvTranspose", "MatMul", "MatMul", "Gemm", "Gemm", "Add", "Mul", "Sub", "Div", "Max", "Min",
    "PRelu", "Where", "Concat", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Softmax", "Sigmoid",
    "Tanh", "LeakyRelu", "Relu", "HardSwish", "HardSigmoid", "Gelu", "Elu", "Exp", "Sqrt", "Abs", "Neg", "Erf", "Reshape",
    "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather", "Tile", "Expand", "Split", "ReduceMax",
    "ReduceMin", "ReduceMean", "ReduceSum", "Clip", "Pad", "Resize", "DepthToSpace", "LayerNormalization", "ArgMax",
)
MOVES = {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather", "Tile", "Expand", "Split",
         "MaxPool", "ReduceMax", "ReduceMin", "Resize", "DepthToSpace", "GlobalMaxPool"}


def group(seed):
    """DequantizeLinear of every input, the operator, QuantizeLinear of its output."""
    d = Draw(seed, (21, 21, 22, 23, 24, 25))
    name = d.rng.choice(GROUP_OPERATORS)
    kind = d.pick("uint8", "int8", "uint8", "int8", "uint16", "int16", "uint4", "int4", "float8e4m3fn")
    shapes, attributes, extra = group_of(d, name)
    weighted = name in ("Conv", "ConvTranspose", "MatMul", "Gemm")
    inputs, floats, scales_of = [], [], []
    for i, shape in enumerate(shapes):
        own = kind
        if weighted and i == 1:
            own = d.pick("int8", "int8", "uint8", "int4", "uint4", "int16") if d.chance(0.7) else kind
            if kind.startswith("float8"):
                own = kind
        elif i > 0 and d.chance(0.1):
            own = d.pick("uint8", "int8", "int16")
        if own != kind:
            d.note(f"{own} beside {kind}")
        channels = shape[0 if name == "Conv" else -1] if weighted and i == 1 else 0
        axis = 0 if name == "Conv" or attributes.get("transB") else len(shape) - 1
        if attributes.get("transB") and i == 1:
            channels = shape[0]
        if name == "ConvTranspose" and i == 1:
            axis, channels = 1, shape[1]
        is_float = own.startswith("float8")
        s, z = d.parameters(f"in{i}", own if not is_float else "int32", channels, p=0.0 if channels else 0.03)
        if not channels and np.size(s) > 1:
            axis = min(1, len(shape) - 1)
            s = np.resize(s, shape[axis]).astype(np.float32)
            z = np.resize(z, shape[axis])
        s, z = (s, z) if np.ndim(s) <= 1 else (s.reshape(()), z.reshape(()))
        if np.shape(z) != np.shape(s):
            z = np.resize(z, np.shape(s))
        draw = d.weights if weighted and i == 1 else d.integers
        q = draw(own, shape) if not is_float else d.np.uniform(-4, 4, shape).astype(ref.FLOAT8[own]).astype(np.float32)
        scales_of.append(s)
        parameters = [d.b.constant(f"s{i}", s, "float"), d.b.constant(f"z{i}", z, own)]
        if (is_float or d.chance(0.05)) and np.all(z == 0):
            parameters.pop()
        if weighted and i == 1 and not d.chance(0.1):
            stored = d.b.constant(f"q{i}", q, own)
        elif is_float or own in ("int4", "uint4"):
            # Such tensors cannot be fed: a QuantizeLinear makes them of floats that it represents exactly.
            feed = d.b.input(f"f{i}", "float", ref.dequantize(q, s, z, axis))
            zero = [f"z{i}"] if len(parameters) == 2 else [d.b.constant(f"zero{i}", z, own)]
            stored = d.b.node("QuantizeLinear", [feed, f"s{i}"] + zero, [f"q{i}"], axis=axis if np.ndim(s) else 1)
        else:
            stored = d.b.input(f"q{i}", own, q)
        d.b.node("DequantizeLinear", [stored] + parameters, [f"x{i}"], axis=axis if np.ndim(s) else 1)
        inputs.append(f"x{i}")
        floats.append(ref.dequantize(q, s, z, axis))
    if name in ("Conv", "Gemm") and d.chance(0.5):
        count = shapes[1][0] if name == "Conv" or attributes.get("transB") else shapes[1][-1]
        bias = d.np.integers(-2000, 2000, count)
        scale = (np.reshape(scales_of[0], -1)[0] * scales_of[1]).astype(np.float32)
        if d.chance(0.15):
            scale = (scale * np.float32(d.pick(0.5, 2, 1.01))).astype(np.float32)
            d.note("another bias scale")
        if d.chance(0.8):
            bias_kind = d.kind("int32", ("int8", "int16"), 0.05)
            if bias_kind != "int32":
                bias = np.clip(bias, -100, 100)
            d.b.constant("qb", bias, bias_kind)
            zero = np.zeros(np.shape(scale), np.int64)
            if d.chance(0.05):
                zero = zero + 3
                d.note("bias zero point 3")
            given = [d.b.constant("sb", scale, "float")] + ([d.b.constant("zb", zero, bias_kind)] if d.chance(0.7) or zero.any() else [])
            d.b.node("DequantizeLinear", ["qb"] + given, ["b"], axis=0)
            floats.append(ref.dequantize(bias, scale, zero, 0))
        else:
            values = d.np.standard_normal(count).astype(np.float32)
            d.b.constant("b", values, "float")
            floats.append(values.astype(np.float64))
            d.note("float bias")
        inputs.append("b")
    data = list(inputs)
    for label, values, k in extra:
        if values is None:
            inputs.append("")
        elif label == "condition":
            inputs.insert(0, d.operand(label, k, values, False))
        else:
            inputs.append(d.b.constant(label, values, k))
    outputs = 2 if name == "Split" else 1
    raw = [f"y{i}" for i in range(outputs)]
    d.b.node(name, inputs, raw, **attributes)
    # The same in float64.
    arguments = list(floats)
    for label, values, k in extra:
        value = None if values is None else (values.astype(np.float64) if k == "float" and label in ("min", "max") else values)
        arguments.insert(0, value) if label == "condition" else arguments.append(value)
    with np.errstate(all="ignore"):
        try:
            if name == "Gelu":
                import math
                results = [0.5 * floats[0] * (1 + np.vectorize(math.erf)(floats[0] / np.sqrt(2)))]
            elif name == "LayerNormalization":
                x = floats[0]
                results = [(x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * floats[1]]
            else:
                results = ref.computed(name, arguments, opset=d.b.opset, count=outputs, **attributes)
                results = results if outputs > 1 else [results]
        except Exception:
            results = None
    if name == "ArgMax":
        return d.case("QDQ ArgMax", {"y0": "int64"}, {} if results is None else {"y0": (results[0], 0)})
    quantized = not (name in ("MatMul", "Gemm", "Conv") and d.chance(0.15))
    if not quantized:
        d.note("float output")
        top = np.abs(results[0]).max() if results is not None else 0
        return d.case(f"QDQ {name}", {"y0": "float"},
                      {} if results is None else {"y0": (results[0], ("absolute", 1e-4 * (1 + top)))})
    out_kind = kind if d.chance(0.92) else d.pick("uint8", "int8", "uint16")
    if out_kind != kind:
        d.note(f"{out_kind} from {kind}")
    is_float = out_kind.startswith("float8")
    equal = name in MOVES and d.chance(0.8) and np.ndim(scales_of[0]) == 0 and out_kind == kind
    ys, yz = np.ones(()), np.zeros((), np.int64)
    if not equal:
        ys, yz = d.parameters("y", out_kind if not is_float else "int32", p=0.0)
    ys = ys.reshape(-1)[0]
    if results is not None and not equal and np.isfinite(ys) and ys > 0:
        finite = results[0][np.isfinite(results[0])]
        span = np.abs(finite).max() if finite.size else 1
        low, high = ref.RANGES.get(out_kind, (-448, 448))
        ys = np.float32(max(span, 1e-3) * d.pick(1, 2) / (high - low))
    yz = np.reshape(yz, -1)[0]
    outs, expected = {}, {}
    for i in range(outputs):
        names = [d.b.constant(f"ys{i}", np.float32(ys), "float"), d.b.constant(f"yz{i}", yz, out_kind)]
        if equal:
            names = ["s0"] + (["z0"] if any(c.name == "z0" for c in d.b.constants) else [])
            if len(names) == 1 and "z0" not in d.b.nodes[0].input:
                names = ["s0"] if out_kind == "uint8" else names + [d.b.constant(f"yz0{i}", 0, out_kind)]
        d.b.node("QuantizeLinear", [raw[i]] + names, [f"q_out{i}"])
        result, result_kind = f"q_out{i}", out_kind
        narrow = out_kind in ("int4", "uint4") or is_float  # no type that could be fetched
        if narrow:
            result, result_kind = d.b.node("DequantizeLinear", [result] + names, [f"r{i}"]), "float"
        outs[result] = result_kind
        if results is None or not np.all(np.isfinite(results[i])):
            continue
        s, z = (scales_of[0], 0) if equal else (ys, yz)
        if equal:
            z = next((onnx.numpy_helper.to_array(c) for c in d.b.constants if c.name == "z0"), 0)
            z = np.asarray(z).astype(np.float64) if not is_float else 0
        step = float(np.reshape(s, ()))
        if is_float:
            ratio = np.clip(results[i] / step, -448, 448)
            yf = ratio.astype(np.float32).astype(ref.FLOAT8[out_kind]).astype(np.float64)
            expected[result] = (yf * step, ("absolute", abs(0.13 * step) * np.abs(yf).max()))
        elif narrow:
            yf = ref.dequantize(ref.quantize(results[i], s, z, out_kind), s, z)
            expected[result] = (yf, ("absolute", abs(step) * 1.01))
        else:
            expected[result] = (ref.quantize(results[i], s, z, out_kind), 1)
    case = d.case(f"QDQ {name}", outs, expected)
    case.quantized_output = True
    return case


def nbits(seed):
    """com.microsoft MatMulNBits."""
    d = Draw(seed)
    bits, block = d.pick(4, 4, 8, 2), d.pick(16, 32, 64, 32, 32)
    if d.chance(0.1):
        bits, block = d.pick(3, 4, 16), d.pick(8, 48, 32)
        d.note(f"{bits} bits in blocks of {block}")
    k, n = d.pick(32, 64, 48), d.pick(4, 8)
    blocks = -(-k // block)
    size = max(1, block * bits // 8)
    weight = d.np.integers(0, 256, (n, blocks, size))
    scale_kind = d.kind("float", ("float16", "double"), 0.15)
    flat = d.chance(0.5)
    scales = (d.np.uniform(0.01, 0.1, (n * blocks,) if flat else (n, blocks)) * d.np.choice([1, 1, -1], n * blocks).reshape((-1,) if flat else (n, blocks)))
    scales = scales.astype(np.float16 if scale_kind == "float16" else np.float32)
    a = d.np.standard_normal((3, k)).astype(np.float16 if scale_kind == "float16" else np.float32)
    names = [d.operand("a", d.kind(scale_kind, ("float", "float16"), 0.05), a, False), d.b.constant("b", weight, "uint8"),
             d.operand("s", scale_kind, scales, not d.chance(0.1))]
    zeros = None
    per = 8 // bits if bits in (2, 4, 8) else 1
    zero_bytes = -(-blocks // per)
    if d.chance(0.5):
        packed_zero = d.np.integers(0, 256, (n * zero_bytes,) if flat else (n, zero_bytes))
        names.append(d.operand("z", "uint8", packed_zero, not d.chance(0.1)))
        zeros = packed_zero.reshape(n, zero_bytes)
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    if d.chance(0.3):
        attributes["accuracy_level"] = d.pick(0, 1, 4)
    d.b.node("MatMulNBits", names, ["y"], domain=MS, **attributes)
    expected = {}
    if bits in (2, 4, 8):
        def unpack(bytes_, count):
            parts = [(bytes_ >> (bits * i)) & (2**bits - 1) for i in range(per)]
            return np.stack(parts, -1).reshape(bytes_.shape[:-1] + (-1,))[..., :count]
        w = unpack(weight, block).astype(np.float64)
        z = unpack(zeros, blocks) if zeros is not None else np.full((n, blocks), 2**(bits - 1))
        wf = ((w - z[..., None]) * scales.astype(np.float64).reshape(n, blocks)[..., None]).reshape(n, -1)[:, :k]
        yf = a.astype(np.float64) @ wf.T
        loose = 0.03 if scale_kind == "float16" or attributes.get("accuracy_level") == 4 else 1e-3
        expected = {"y": (yf, ("absolute", loose * (1 + np.abs(yf).max())))}
    return d.case("MatMulNBits", {"y": scale_kind}, expected)


FAMILIES = {
    quantizer: 20, group: 38, qlinear_conv: 8, qlinear_matmul: 6, integer_matmul: 5, float_matmul: 3, qgemm: 5,
    qlinear_unary: 8, qlinear_binary: 6, dynamic_quantize: 1, nbits: 3,
}


def kernel(seed):
    """Any operator of any operator set with types at random. Only whether it loads is asked."""
    import registry

    d = Draw(seed)
    operators = registry.operators()
    domain, name = d.rng.choice(sorted(operators))
    newest = registry.NEWEST[domain]
    version = d.rng.randint(7, newest) if not domain else newest
    op = None
    for candidate in operators[domain, name]:
        if candidate.since <= version:
            op = candidate
    if op is None:
        op = operators[domain, name][0]
        version = op.since
    chosen = {}
    for variable in op.free:
        common = [t for t in op.variables[variable] if t in ("float", "int8", "uint8", "int64", "float16")]
        pool = common if common and d.chance(0.4) else op.variables[variable]
        if d.chance(0.1):
            pool = sorted(registry.NAMES)
            d.note(f"any type for {variable}")
        chosen[variable] = d.rng.choice(pool)
    # It loads, and ends where it runs.
    if name == "QuantizeLinear" and version >= 23 and not domain and chosen["T1"] != chosen["T2"]:
        return None
    model = registry.model_of(op, chosen, version)
    return None if model is None else Case(f"{domain + '.' if domain else ''}{name}", ", ".join(d.odd), model, None)


FAMILIES[kernel] = 60


def drawn(count, seed):
    """`count` cases, by weight; the same for the same seed."""
    rng = random.Random(seed)
    families = list(FAMILIES)
    weights = [FAMILIES[f] for f in families]
    made = 0
    while made < count:
        family = rng.choices(families, weights)[0]
        case = family(rng.randrange(2**40))
        if case is not None:
            made += 1
            yield family.__name__, case
