"""The vendor's library, asked to compute one operator: a small ctypes view of its C interface (API 2.x, x86-64 Linux)."""
import ctypes as C
import importlib.util
import os

import numpy

FIXED = {'int8': 0x0308, 'uint8': 0x0408, 'int16': 0x0316, 'uint16': 0x0416, 'int32': 0x0332}
PLAIN = {'int32': 0x0032, 'uint32': 0x0132, 'float32': 0x0232, 'float16': 0x0216, 'bool': 0x0508, 'uint8': 0x0108}
APP_WRITE, APP_READ, STATIC = 0, 1, 4
UNDEFINED = 0x7FFFFFFF
# SoCs by the version of the processor that the library picks for them.
SOCS = {68: 30, 69: 36, 73: 43, 75: 57, 79: 69, 81: 87}


class ScaleOffset(C.Structure):
    _fields_ = [('scale', C.c_float), ('offset', C.c_int32)]


class AxisScaleOffset(C.Structure):
    _fields_ = [('axis', C.c_int32), ('num', C.c_uint32), ('so', C.POINTER(ScaleOffset))]


class Encoding(C.Union):
    _fields_ = [('so', ScaleOffset), ('aso', AxisScaleOffset), ('size', C.c_uint64 * 4)]


class QuantParams(C.Structure):
    _fields_ = [('definition', C.c_uint32), ('encoding', C.c_uint32), ('u', Encoding)]


class Buffer(C.Structure):
    _fields_ = [('data', C.c_void_p), ('size', C.c_uint32)]


class Tensor(C.Structure):
    """Filled as version 1, of the size of version 2."""
    _fields_ = [('version', C.c_uint32), ('pad', C.c_uint32), ('id', C.c_uint32), ('name', C.c_char_p),
                ('type', C.c_uint32), ('format', C.c_uint32), ('dtype', C.c_uint32), ('quant', QuantParams),
                ('rank', C.c_uint32), ('dims', C.POINTER(C.c_uint32)), ('mem', C.c_uint32), ('buf', Buffer),
                ('dyn', C.c_void_p), ('sparse', C.c_uint32 * 3), ('produced', C.c_uint8)]


assert C.sizeof(Tensor) == 144


class ScalarValue(C.Union):
    _fields_ = [('f', C.c_float), ('u64', C.c_uint64), ('u32', C.c_uint32), ('i32', C.c_int32), ('u8', C.c_uint8)]


class Scalar(C.Structure):
    _fields_ = [('dtype', C.c_uint32), ('u', ScalarValue)]


class ParamValue(C.Union):
    _fields_ = [('scalar', Scalar), ('tensor', Tensor)]


class Param(C.Structure):
    _fields_ = [('kind', C.c_uint32), ('name', C.c_char_p), ('u', ParamValue)]


class OpConfig(C.Structure):
    _fields_ = [('version', C.c_uint32), ('name', C.c_char_p), ('package', C.c_char_p), ('type', C.c_char_p),
                ('n_params', C.c_uint32), ('params', C.POINTER(Param)), ('n_in', C.c_uint32),
                ('ins', C.POINTER(Tensor)), ('n_out', C.c_uint32), ('outs', C.POINTER(Tensor))]


FUNCTIONS = """propertyHasCapability backendCreate backendSetConfig backendGetApiVersion backendGetBuildId
backendRegisterOpPackage backendGetSupportedOperations backendValidateOpConfig backendFree contextCreate
contextSetConfig contextGetBinarySize contextGetBinary contextCreateFromBinary contextFree graphCreate
graphCreateSubgraph graphSetConfig graphAddNode graphFinalize graphRetrieve graphExecute graphExecuteAsync
tensorCreateContextTensor tensorCreateGraphTensor logCreate logSetLogLevel logFree profileCreate profileSetConfig
profileGetEvents profileGetSubEvents profileGetEventData profileGetExtendedEventData profileFree memRegister
memDeRegister deviceGetPlatformInfo deviceFreePlatformInfo deviceGetInfrastructure deviceCreate""".split()


class Provider(C.Structure):
    _fields_ = [('backend_id', C.c_uint32), ('name', C.c_char_p), ('api', C.c_uint32 * 6),
                ('functions', C.c_void_p * len(FUNCTIONS))]


LOG = C.CFUNCTYPE(None, C.c_char_p, C.c_int, C.c_uint64, C.c_void_p)


class DeviceCustom(C.Structure):
    _fields_ = [('option', C.c_uint32), ('pad', C.c_uint32), ('soc', C.c_uint32), ('pad2', C.c_uint32)]


class Config(C.Structure):
    _fields_ = [('option', C.c_uint32), ('pointer', C.c_void_p)]


class Refused(RuntimeError):
    """The library does not take the operator."""


class Value:
    """A tensor of an operator: data, and scale(s) with zero point(s) where it is quantized. real = scale * (q - zero)."""

    def __init__(self, data, scale=None, zero=0, axis=None, static=False):
        self.data, self.scale, self.zero, self.axis, self.static = numpy.asarray(data), scale, zero, axis, static

    @property
    def dtype(self):
        return str(self.data.dtype)


def library_path():
    return os.path.join(importlib.util.find_spec('onnxruntime_qnn').submodule_search_locations[0], 'libQnnHtp.so')


class Library:
    """The library with one device. The version of the processor is the process's: one Library a process."""

    def __init__(self, arch=75, path=None):
        self.library = C.CDLL(path or library_path(), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self.get_providers = self.library.QnnInterface_getProviders
        self.get_providers.restype = C.c_uint64
        providers, count = C.POINTER(C.POINTER(Provider))(), C.c_uint32()
        self.check('getProviders', self.get_providers(C.byref(providers), C.byref(count)))
        self.functions = dict(zip(FUNCTIONS, providers[0].contents.functions))
        self.silent = LOG(lambda *_: None)
        self.log, self.backend, self.device = C.c_void_p(), C.c_void_p(), C.c_void_p()
        self.check('logCreate', self.call('logCreate', [LOG, C.c_int, C.c_void_p], self.silent, 1, C.byref(self.log)))
        self.check('backendCreate', self.call('backendCreate', [C.c_void_p] * 3, self.log, None, C.byref(self.backend)))
        self.soc = DeviceCustom(0, SOCS[arch], SOCS[arch], 0)
        self.config = Config(0, C.cast(C.pointer(self.soc), C.c_void_p))
        self.configs = (C.POINTER(Config) * 2)(C.pointer(self.config))
        self.check('deviceCreate', self.call('deviceCreate', [C.c_void_p] * 3, self.log, self.configs, C.byref(self.device)))

    def call(self, name, types, *arguments):
        return C.CFUNCTYPE(C.c_uint64, *types)(self.functions[name])(*arguments)

    @staticmethod
    def check(where, code):
        if code & 0xFFFF:
            raise Refused(f'{where}: {code & 0xFFFF}')

    def run(self, op, inputs, outputs, params=None, validate=True):
        """The outputs of one operator: arrays. `outputs` are Values of the shape and type wanted. Params: a number with
        its type, ('uint32', 3), or an array."""
        node = Node(op, inputs, outputs, params or {})
        if validate:
            self.check('validate', self.call('backendValidateOpConfig', [C.c_void_p, OpConfig], self.backend, node.config))
        context, graph = C.c_void_p(), C.c_void_p()
        self.check('contextCreate', self.call('contextCreate', [C.c_void_p] * 4, self.backend, self.device, None,
                                              C.byref(context)))
        try:
            self.check('graphCreate', self.call('graphCreate', [C.c_void_p, C.c_char_p, C.c_void_p, C.c_void_p], context,
                                                b'g', None, C.byref(graph)))
            for tensor in node.all_tensors():
                self.check('tensorCreate', self.call('tensorCreateGraphTensor', [C.c_void_p] * 2, graph, C.byref(tensor)))
            self.check('addNode', self.call('graphAddNode', [C.c_void_p, OpConfig], graph, node.config))
            self.check('finalize', self.call('graphFinalize', [C.c_void_p] * 3, graph, None, None))
            feeds = [(t, numpy.ascontiguousarray(v.data)) for t, v in zip(node.inputs, inputs) if not v.static]
            results = [(t, numpy.zeros_like(v.data)) for t, v in zip(node.outputs, outputs)]
            fed, got = buffers(feeds), buffers(results)
            self.check('execute', self.call('graphExecute', [C.c_void_p, C.c_void_p, C.c_uint32, C.c_void_p, C.c_uint32,
                                                             C.c_void_p, C.c_void_p], graph, fed, len(feeds), got,
                                            len(results), None, None))
            return [array for _, array in results]
        finally:
            self.call('contextFree', [C.c_void_p] * 2, context, None)


def buffers(pairs):
    made = (Tensor * max(1, len(pairs)))()
    for i, (tensor, array) in enumerate(pairs):
        made[i] = tensor
        made[i].buf = Buffer(array.ctypes.data, array.nbytes)
    return made


class Node:
    """Owns what an operator's configuration points to."""

    def __init__(self, op, inputs, outputs, params):
        self.keep = []
        self.inputs = (Tensor * len(inputs))(*[self.tensor(f'i{i}', v, STATIC if v.static else APP_WRITE)
                                               for i, v in enumerate(inputs)])
        self.outputs = (Tensor * len(outputs))(*[self.tensor(f'o{i}', v, APP_READ) for i, v in enumerate(outputs)])
        self.params = (Param * len(params))(*[self.param(name, value) for name, value in params.items()])
        self.config = OpConfig(1, b'n', b'qti.aisw', op.encode(), len(params), self.params, len(inputs), self.inputs,
                               len(outputs), self.outputs)

    def tensor(self, name, value, kind):
        shape = value.data.shape
        dims = (C.c_uint32 * max(1, len(shape)))(*shape)
        name = name.encode()
        made = Tensor(version=1, name=name, type=kind, rank=len(shape), dims=C.cast(dims, C.POINTER(C.c_uint32)),
                      dtype=(PLAIN if value.scale is None else FIXED)[value.dtype])
        made.quant.definition = made.quant.encoding = UNDEFINED
        if value.scale is not None:
            made.quant.definition = 1
            if value.axis is None:
                made.quant.encoding = 0
                made.quant.u.so = ScaleOffset(float(value.scale), -int(value.zero))
            else:
                pairs = (ScaleOffset * len(value.scale))(*[ScaleOffset(float(s), -int(z))
                                                           for s, z in zip(value.scale, value.zero)])
                made.quant.encoding = 1
                made.quant.u.aso = AxisScaleOffset(value.axis, len(value.scale), pairs)
                self.keep.append(pairs)
        if kind == STATIC:
            data = numpy.ascontiguousarray(value.data)
            made.buf = Buffer(data.ctypes.data, data.nbytes)
            self.keep.append(data)
        self.keep += [dims, name]
        return made

    def param(self, name, value):
        made = Param(kind=0, name=name.encode())
        self.keep.append(made.name)
        if isinstance(value, tuple):
            dtype, number = value
            made.u.scalar = Scalar(dtype=PLAIN[dtype])
            setattr(made.u.scalar.u, {'float32': 'f', 'int32': 'i32', 'bool': 'u8'}.get(dtype, 'u32'), number)
        else:
            made.kind = 1
            made.u.tensor = self.tensor('p_' + name, Value(numpy.asarray(value), static=True), STATIC)
        return made

    def all_tensors(self):
        return [p.u.tensor for p in self.params if p.kind == 1] + list(self.inputs) + list(self.outputs)
