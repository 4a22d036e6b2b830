"""Single-operator models with types, quantization and data chosen at random, valid and not."""
import dataclasses

import numpy

from model import NUMPY, RANGE, Case, Tensor
from operators import OPERATORS

# Element types by their names in the tables: LiteRT's name, and whether the tensor states scale and zero point.
TYPES = {'FLOAT_32': ('FLOAT32', False), 'FLOAT_16': ('FLOAT16', False), 'SFIXED_POINT_2': ('INT2', True), 'SFIXED_POINT_4': ('INT4', True),
         'SFIXED_POINT_8': ('INT8', True), 'UFIXED_POINT_8': ('UINT8', True), 'SFIXED_POINT_16': ('INT16', True),
         'SFIXED_POINT_32': ('INT32', True), 'SFIXED_POINT_64': ('INT64', True), 'INT_8': ('INT8', False),
         'UINT_8': ('UINT8', False), 'INT_16': ('INT16', False), 'UINT_16': ('UINT16', False),
         'INT_32': ('INT32', False), 'UINT_32': ('UINT32', False), 'INT_64': ('INT64', False),
         'BOOL_8': ('BOOL', False)}

# Inputs that each model is run with.
DRAWS = 3

# Operators whose kernels prescribe the output's scale and zero point.
FIXED = {('SOFTMAX', 'INT8'): (1 / 256, -128), ('SOFTMAX', 'UINT8'): (1 / 256, 0), ('SOFTMAX', 'INT16'): (1 / 32768, 0),
         ('LOG_SOFTMAX', 'INT8'): (16 / 256, 127), ('LOG_SOFTMAX', 'UINT8'): (16 / 256, 255),
         ('LOGISTIC', 'INT8'): (1 / 256, -128), ('LOGISTIC', 'UINT8'): (1 / 256, 0), ('LOGISTIC', 'INT16'): (1 / 32768, 0),
         ('TANH', 'INT8'): (1 / 128, 0), ('TANH', 'UINT8'): (1 / 128, 128), ('TANH', 'INT16'): (1 / 32768, 0),
         ('L2_NORMALIZATION', 'INT8'): (1 / 128, 0), ('L2_NORMALIZATION', 'UINT8'): (1 / 128, 128)}

# Operators that keep the stored numbers.
SAME = {'RESHAPE', 'TRANSPOSE', 'SQUEEZE', 'EXPAND_DIMS', 'SLICE', 'STRIDED_SLICE', 'GATHER', 'GATHER_ND', 'PACK',
        'CONCATENATION', 'UNPACK', 'SPLIT', 'SPLIT_V', 'PAD', 'PADV2', 'MIRROR_PAD', 'TILE', 'REVERSE_V2', 'BROADCAST_TO',
        'SPACE_TO_DEPTH', 'DEPTH_TO_SPACE', 'SPACE_TO_BATCH_ND', 'BATCH_TO_SPACE_ND', 'SELECT', 'SELECT_V2', 'TOPK_V2',
        'DYNAMIC_UPDATE_SLICE', 'AVERAGE_POOL_2D', 'MAX_POOL_2D', 'REDUCE_MAX', 'REDUCE_MIN', 'RESIZE_BILINEAR',
        'RESIZE_NEAREST_NEIGHBOR', 'FILL', 'ONE_HOT', 'EQUAL', 'NOT_EQUAL', 'GREATER', 'GREATER_EQUAL', 'LESS',
        'LESS_EQUAL', 'MAXIMUM', 'MINIMUM', 'ZEROS_LIKE'}


def one_of(rng, *choices):
    return choices[int(rng.integers(len(choices)))]


def log_uniform(rng, low, high):
    return float(numpy.float32(numpy.exp(rng.uniform(numpy.log(low), numpy.log(high)))))


def numbers_for(rng, tensor, domain):
    """Stored numbers of a run-time or constant tensor."""
    kind, shape = tensor.type, tensor.shape
    if kind.startswith('FLOAT'):
        real = rng.normal(0, 2, shape)
        if domain in ('positive', 'tiny'):
            real = numpy.abs(real) + 0.2
        return numpy.asarray(real, NUMPY[kind])
    if kind == 'BOOL':
        return numpy.asarray(rng.random(shape) < 0.5)
    low, high = RANGE.get(kind, (0, 2**31))
    if not tensor.quantized:
        low, high = max(low, 1 if domain in ('positive', 'tiny') else -20), min(high, 2 if domain == 'tiny' else 20)
        if kind == 'INT4':
            low, high = (-8 if domain != 'positive' else 1), 7
    elif domain == 'positive':
        low = int(tensor.zero_points[0]) + (high - int(tensor.zero_points[0])) // 8 + 1
    low, high = max(low, -2**20), min(high, 2**20)
    return numpy.asarray(rng.integers(low, max(high, low) + 1, shape), NUMPY[kind])


def activation_tensor(rng, kind, shape, domain):
    name, quantized = TYPES[kind]
    tensor = Tensor(name, shape)
    if not quantized:
        return tensor
    low, high = RANGE[name]
    steps = min(high - low, 2**20)
    span = log_uniform(rng, 4, 12) if domain == 'small' else log_uniform(rng, 1, 40)
    tensor.scales = [float(numpy.float32(span / steps))]
    if name in ('INT16', 'INT32', 'INT64'):
        tensor.zero_points = [0]
    elif domain == 'positive':
        tensor.zero_points = [low]
    else:
        tensor.zero_points = [int(rng.integers(low, high + 1))]
    return tensor


def weight_tensor(rng, kind, shape, axis, per_channel):
    name, quantized = TYPES[kind]
    tensor = Tensor(name, shape, axis=axis)
    if quantized:
        count = shape[axis] if per_channel else 1
        tensor.scales = [log_uniform(rng, 0.002, 0.02) * {'INT2': 64, 'INT4': 16}.get(name, 1) for _ in range(count)]
        tensor.zero_points = [int(rng.integers(100, 156)) if name == 'UINT8' else 0] * count
    tensor.data = numbers_for(rng, tensor, 'any')
    if name == 'INT8' and quantized:
        tensor.data = numpy.maximum(tensor.data, -127)
    return tensor


def bias_tensor(rng, kind, shape, data, weight):
    name, quantized = TYPES[kind]
    tensor = Tensor(name, shape)
    if quantized:
        scale = data.scales[0] if data.quantized else 1.0
        scales = weight.scales or [1.0]
        tensor.scales = [float(numpy.float32(numpy.float32(scale) * numpy.float32(each))) for each in scales]
        tensor.zero_points = [0] * len(tensor.scales)
        tensor.data = numpy.asarray(rng.integers(*((-30, 30) if name == 'INT8' else (-10000, 10000)), shape),
                                    NUMPY[name])
    else:
        tensor.data = numbers_for(rng, tensor, 'any')
    return tensor


def calibrate(tensor, real, operator):
    """Scale and zero point of an output, as a converter chooses them."""
    fixed = FIXED.get((operator, tensor.type))
    if fixed is not None:
        tensor.scales, tensor.zero_points = [fixed[0]], [fixed[1]]
        return
    low, high = RANGE[tensor.type]
    real = numpy.nan_to_num(numpy.asarray(real, float), nan=0, posinf=1e3, neginf=-1e3)
    least, most = min(real.min(), 0.0), max(real.max(), 0.0)
    if tensor.type in ('INT16', 'INT32', 'INT64'):
        bound = max(-least, most, 1e-3)
        tensor.scales, tensor.zero_points = [float(numpy.float32(bound / min(high, 2**20)))], [0]
        return
    scale = float(numpy.float32(max(most - least, 1e-3) / (high - low)))
    tensor.scales, tensor.zero_points = [scale], [int(numpy.clip(round(low - least / scale), low, high))]


@dataclasses.dataclass
class Instance:
    case: Case
    plan: object
    draws: list  # of run-time inputs: a mistake need not show in every one

    def real_outputs(self, draw=0):
        reals, feeds = [], iter(self.draws[draw])
        for tensor in self.case.inputs:
            if tensor is None:
                reals.append(None)
            else:
                reals.append(tensor.real(next(feeds) if tensor.data is None else tensor.data))
        with numpy.errstate(all='ignore'):
            made = self.plan.real(*reals)
        if self.case.operator == 'CAST' and self.case.outputs and self.case.outputs[0].type == 'BOOL':
            made = [(real != 0).astype(float) for real in made]
        return made


def instance(rng, operator, types, per_channel=None, constant=None, index='INT32'):
    """`types`: of the slots that take one, inputs and then outputs; None leaves an input (a bias) out. `constant`: the
    data slot that is a constant; none by default."""
    plan = OPERATORS[operator](rng)
    left = list(types)
    tensors = []
    data = weight = None
    if per_channel is None:
        per_channel = rng.random() < 0.5
    data_slots = 0
    outputs = 1 if any(slot.role == 'data' for slot in plan.outputs) else 0
    repeated = None
    for slot in plan.inputs:
        if slot.role == 'own':
            tensors.append(Tensor(index if slot.type == 'INT32' else slot.type, slot.shape, data=slot.numbers))
            continue
        # The last type of an input stands for all further ones.
        kind = left.pop(0) if len(left) > outputs else repeated
        repeated = kind
        if kind is None:
            tensors.append(None)
        elif slot.role == 'data':
            tensors.append(activation_tensor(rng, kind, slot.shape, plan.domain))
            if operator in SAME and data is not None and data.quantized and tensors[-1].quantized and data.type == tensors[-1].type:
                tensors[-1].scales, tensors[-1].zero_points = list(data.scales), list(data.zero_points)
            data = data if data is not None else tensors[-1]
            if constant == data_slots:
                tensors[-1].data = numbers_for(rng, tensors[-1], plan.domain)
            data_slots += 1
        elif slot.role == 'weight':
            weight = weight_tensor(rng, kind, slot.shape, plan.weight_axis, per_channel)
            tensors.append(weight)
        else:
            tensors.append((kind, slot))
    tensors = [bias_tensor(rng, *(each[0], each[1].shape), data, weight) if isinstance(each, tuple) else each
               for each in tensors]
    # A bias that is left out is not written, but for FULLY_CONNECTED: other kernels take no -1.
    while tensors and tensors[-1] is None and operator != 'FULLY_CONNECTED':
        tensors.pop()
    case = Case(operator, tensors, [], plan.options, plan.version)
    draws = [[numbers_for(rng, tensor, plan.domain) for tensor in tensors if tensor is not None and tensor.data is None]
             for _ in range(DRAWS)]
    made = Instance(case, plan, draws)
    reals = made.real_outputs()
    for slot, real in zip(plan.outputs, reals):
        if slot.role == 'index':
            case.outputs.append(Tensor(slot.type, slot.shape))
            continue
        name, quantized = TYPES[left[0]]
        if len(left) > 1:
            left.pop(0)
        tensor = Tensor(name, slot.shape)
        if quantized:
            if operator in SAME and data is not None and data.quantized and data.type == name:
                tensor.scales, tensor.zero_points = list(data.scales), list(data.zero_points)
            elif operator == 'EMBEDDING_LOOKUP' and len(weight.scales or []) == 1 and weight.type == name:
                tensor.scales, tensor.zero_points = list(weight.scales), list(weight.zero_points)
            else:
                calibrate(tensor, real, operator)
        case.outputs.append(tensor)
    return made


# --- at random

ELEMENTS = ['FLOAT_32', 'SFIXED_POINT_8', 'UFIXED_POINT_8', 'SFIXED_POINT_16']
OTHERS = ['FLOAT_16', 'SFIXED_POINT_4', 'INT_8', 'UINT_8', 'INT_16', 'INT_32', 'INT_64', 'UINT_32', 'BOOL_8']
# Data, weights, bias and output of sums of products, as converters write them.
SUMS = [('FLOAT_32', 'FLOAT_32', 'FLOAT_32', 'FLOAT_32'), ('FLOAT_32', 'SFIXED_POINT_8', 'FLOAT_32', 'FLOAT_32'),
        ('FLOAT_32', 'SFIXED_POINT_4', 'FLOAT_32', 'FLOAT_32'),
        ('FLOAT_32', 'SFIXED_POINT_2', 'FLOAT_32', 'FLOAT_32'),
        ('SFIXED_POINT_8', 'SFIXED_POINT_2', 'SFIXED_POINT_32', 'SFIXED_POINT_8'),
        ('SFIXED_POINT_8', 'SFIXED_POINT_8', 'SFIXED_POINT_32', 'SFIXED_POINT_8'),
        ('SFIXED_POINT_8', 'SFIXED_POINT_4', 'SFIXED_POINT_32', 'SFIXED_POINT_8'),
        ('UFIXED_POINT_8', 'UFIXED_POINT_8', 'SFIXED_POINT_32', 'UFIXED_POINT_8'),
        ('SFIXED_POINT_16', 'SFIXED_POINT_8', 'SFIXED_POINT_64', 'SFIXED_POINT_16'),
        ('SFIXED_POINT_16', 'SFIXED_POINT_8', 'SFIXED_POINT_32', 'SFIXED_POINT_16')]
WEIGHTED = ('CONV_2D', 'DEPTHWISE_CONV_2D', 'TRANSPOSE_CONV', 'FULLY_CONNECTED')


def types_for(rng, operator):
    plan = OPERATORS[operator](numpy.random.default_rng(1))
    inputs = [slot for slot in plan.inputs if slot.role != 'own']
    outputs = 1 if any(slot.role == 'data' for slot in plan.outputs) else 0
    if operator in WEIGHTED:
        data, weight, bias, out = SUMS[int(rng.integers(len(SUMS)))]
        bias = bias if rng.random() < 0.7 else None
        types = [weight, data, bias, out] if operator == 'TRANSPOSE_CONV' else [data, weight, bias, out]
    else:
        kind = one_of(rng, *(ELEMENTS if rng.random() < 0.75 else OTHERS))
        types = [kind] * (min(len(inputs), 2) + outputs)
        if len(inputs) > 2 and operator != 'ADD_N' and operator != 'CONCATENATION':
            types = [kind] * (len(inputs) + outputs)
        if operator == 'QUANTIZE':
            types = [one_of(rng, 'FLOAT_32', *ELEMENTS), one_of(rng, *ELEMENTS[1:])]
        elif operator == 'DEQUANTIZE':
            types = [one_of(rng, *ELEMENTS[1:], 'FLOAT_16'), 'FLOAT_32']
        elif operator == 'CAST':
            types = [one_of(rng, *OTHERS, 'FLOAT_32'), one_of(rng, *OTHERS, 'FLOAT_32')]
        elif operator in ('EQUAL', 'NOT_EQUAL', 'GREATER', 'GREATER_EQUAL', 'LESS', 'LESS_EQUAL'):
            types[-1] = 'BOOL_8'
    if rng.random() < 0.15:
        candidates = [position for position, kind in enumerate(types) if kind is not None]
        types[int(rng.choice(candidates))] = one_of(rng, *ELEMENTS, *OTHERS)
    return types


def damage(rng, made):
    """Changes one thing about the quantization; says what."""
    case = made.case
    tensors = [tensor for tensor in case.inputs + case.outputs if tensor is not None and tensor.quantized]
    data = [tensor for tensor in tensors if tensor.data is None]
    constants = [tensor for tensor in tensors if tensor.data is not None]
    outputs = [tensor for tensor in case.outputs if tensor.quantized]
    choices = []
    if outputs:
        choices += ['output scale', 'output zero point']
    if data:
        choices += ['zero point', 'scale']
        choices += ['scales per channel'] if rng.random() < 0.15 else []
    if constants:
        choices += ['constant zero point', 'constant scale', 'constant axis']
    if not choices:
        return ''
    kind = one_of(rng, *choices)
    if kind in ('output scale', 'scale', 'constant scale'):
        tensor = one_of(rng, *{'output scale': outputs, 'scale': data, 'constant scale': constants}[kind])
        factor = one_of(rng, 1.5, 0.7)
        tensor.scales = [float(numpy.float32(scale * factor)) for scale in tensor.scales]
    elif kind in ('output zero point', 'zero point', 'constant zero point'):
        tensor = one_of(rng, *{'output zero point': outputs, 'zero point': data, 'constant zero point': constants}[kind])
        low, high = RANGE[tensor.type]
        step = {'INT2': 1, 'INT4': 2, 'INT32': 5000, 'INT64': 5000}.get(tensor.type, 7)
        tensor.zero_points = [zero + (step if zero + step <= high else -step) for zero in tensor.zero_points]
    elif kind == 'scales per channel':
        tensor = one_of(rng, *data)
        if not tensor.shape or len(tensor.scales) > 1:
            return ''
        tensor.axis = len(tensor.shape) - 1
        tensor.scales = [tensor.scales[0] * (1 + each / 4) for each in range(tensor.shape[-1])]
        tensor.zero_points = tensor.zero_points * len(tensor.scales)
    else:
        tensor = one_of(rng, *constants)
        if len(tensor.shape) < 2 or len(tensor.scales) < 2:
            return ''
        others = [axis for axis, size in enumerate(tensor.shape) if axis != tensor.axis and size > 1]
        if not others:
            return ''
        tensor.axis = one_of(rng, *others)
        tensor.scales = [tensor.scales[0] * (1 + each / 8) for each in range(tensor.shape[tensor.axis])]
        tensor.zero_points = [tensor.zero_points[0]] * len(tensor.scales)
    return kind


def random_instance(rng):
    names = sorted(OPERATORS)
    operator = one_of(rng, *(names if rng.random() < 0.8 else WEIGHTED))
    types = types_for(rng, operator)
    made = instance(rng, operator, types, index='INT32' if rng.random() < 0.95 else 'INT64')
    made.case.note = damage(rng, made) if rng.random() < 0.35 else ''
    return made
