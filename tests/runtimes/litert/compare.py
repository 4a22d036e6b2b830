"""Whether what LiteRT computed is what the model says: dequantize, compute in real numbers, quantize."""
import numpy

from model import NUMPY, RANGE

# Steps of the output that a kernel may be off by, where it is more than one: measured for numbers that are no mistake of
# the model's, but the kernels' own arithmetic (tables with interpolation, fixed-point weights).
STEPS = {('SOFTMAX', 'INT16'): 200, ('LOGISTIC', 'INT16'): 8, ('TANH', 'INT16'): 16, ('GELU', 'INT16'): 40,
         ('EXP', 'INT16'): 200, ('RSQRT', 'INT16'): 200, ('LOG', 'INT16'): 200, ('RESIZE_BILINEAR', 'INT16'): 100, ('LOG_SOFTMAX', 'INT8'): 2, ('DIV', 'INT16'): 8,
         ('LEAKY_RELU', 'INT16'): 2, ('HARD_SWISH', 'INT8'): 2, ('HARD_SWISH', 'UINT8'): 2}


# Kernels of 16 bits have multipliers of 15.
STEPS.update({(operator, 'INT16'): 2 for operator in ('CONV_2D', 'DEPTHWISE_CONV_2D', 'TRANSPOSE_CONV')})


def float_tolerance(instance):
    """Absolute. Dynamic-range kernels quantize the input on the way, to eight bits."""
    case = instance.case
    weights = [tensor for tensor in case.inputs if tensor is not None and tensor.data is not None and tensor.quantized]
    if weights and case.operator in ('CONV_2D', 'DEPTHWISE_CONV_2D', 'TRANSPOSE_CONV', 'FULLY_CONNECTED'):
        magnitudes = numpy.abs(weights[0].real(weights[0].data))
        channel = 3 if case.operator == 'DEPTHWISE_CONV_2D' else 0
        sums = magnitudes.sum(tuple(axis for axis in range(magnitudes.ndim) if axis != channel))
        return float(max(numpy.abs(draw[0]).max() for draw in instance.draws) / 127 * 0.55 * sums.max()) + 1e-4
    return 0.0


def relative_tolerance(case):
    return 0.01 if any(tensor is not None and tensor.type == 'FLOAT16' for tensor in case.inputs + case.outputs) else 1e-4


def problem(instance, answer):
    """'' where LiteRT computed what the model says, else what is different."""
    for draw, outputs in enumerate(answer.outputs):
        if found := difference(instance, draw, outputs):
            return found
    return ''


def difference(instance, draw, outputs):
    case = instance.case
    for tensor, real, got in zip(case.outputs, instance.real_outputs(draw), outputs):
        if got.dtype != NUMPY[tensor.type]:
            return f'the output is {got.dtype}'
        if tuple(got.shape) != tuple(tensor.shape):
            return f'the output has shape {got.shape}'
        if real is None:
            continue
        real = numpy.asarray(real, numpy.float64)
        if tensor.type.startswith('FLOAT'):
            if tensor.type == 'FLOAT16':
                real = real.astype(numpy.float16).astype(float)
            # NaN and infinity where the operator has no finite result.
            largest = max(1.0, numpy.abs(numpy.nan_to_num(real, posinf=0, neginf=0)).max())
            relative = relative_tolerance(case)
            close = numpy.isclose(got, real, rtol=relative, equal_nan=True,
                                  atol=float_tolerance(instance) + relative * largest)
            if not close.all():
                return f'{got[~close].flat[0]:.6g} instead of {real[~close].flat[0]:.6g}'
            continue
        if tensor.type == 'BOOL':
            if (got.astype(float) != real).any():
                return 'another truth value'
            continue
        scale = zero = None
        if tensor.quantized:
            scale, zero = float(numpy.float32(tensor.scales[0])), tensor.zero_points[0]
            real = real / scale + zero
        if tensor.type in RANGE:
            real = numpy.clip(real, *[float(bound) for bound in RANGE[tensor.type]])
        steps = numpy.abs(got.astype(float) - real)
        limit = STEPS.get((case.operator, tensor.type), 1) + 0.01 if tensor.quantized else 1 - 1e-9
        if tensor.type in ('INT32', 'INT64') and tensor.quantized:
            limit = max(limit, 1e-5 * numpy.abs(real).max())
        if not (steps <= limit).all():
            return f'{numpy.nanmax(steps):.4g} steps off'
    return ''
