"""Operators with all stored numbers on both sides of the factors between their scales that the table has. See factors."""
import sys
import tempfile

import numpy

import runtime
from cases import TYPES, instance
from judge import opinion, truth, verdicts
from model import NUMPY, RANGE, write

BYTES = ('SFIXED_POINT_8', 'UFIXED_POINT_8')
WORDS = ('SFIXED_POINT_16',)
# Scale of the operands that a factor does not change.
SCALE = 0.01

# Operator, element types, the factor from which on numbers come out wrong, and the scales of inputs and output there.
LIMITS = [
    *[(operator, kinds, limit, lambda factor: ([SCALE * factor], SCALE))
      for operator in ('RELU', 'RELU6', 'LEAKY_RELU', 'QUANTIZE') for kinds, limit in ((BYTES, 2**23), (WORDS, 2**16))],
    *[(operator, BYTES, 2**23, lambda factor: ([SCALE * factor], SCALE)) for operator in ('RELU_N1_TO_1', 'RELU_0_TO_1')],
    ('GELU', BYTES[1:], 2**23, lambda factor: ([SCALE * factor], SCALE)),
    ('ABS', BYTES[:1], 2**23, lambda factor: ([SCALE * factor], SCALE)),
    ('ABS', WORDS, 2**15, lambda factor: ([SCALE * factor], SCALE)),
    ('MUL', BYTES, 2**15, lambda factor: ([factor, SCALE], SCALE)),
    ('MUL', WORDS, 1, lambda factor: ([factor, SCALE], SCALE)),
    ('SUB', BYTES, 2**19, lambda factor: ([SCALE * factor, SCALE], SCALE)),
    ('SUB', WORDS, 2**14, lambda factor: ([SCALE, SCALE * factor], SCALE)),
    # From the other side: the quotient is wrong where its scale is large.
    ('DIV', BYTES, 1 / 32, lambda factor: ([SCALE, SCALE], factor)),
    ('DIV', WORDS, 1 / 8192, lambda factor: ([SCALE, SCALE], factor)),
    *[(operator, BYTES, 1, lambda factor: ([factor, factor], None))
      for operator in ('EQUAL', 'NOT_EQUAL', 'GREATER', 'GREATER_EQUAL', 'LESS', 'LESS_EQUAL')],
]


def stored(kind):
    """All numbers of 8 bits; of 16 those at the ends, around zero, and some between."""
    low, high = RANGE[TYPES[kind][0]]
    if kind in BYTES:
        return numpy.arange(low, high + 1)
    return numpy.concatenate([numpy.arange(low, high, 1021), numpy.arange(-16, 17), [low, low + 1, high - 1, high]])


def model_at(operator, kind, scales, out):
    """The operator over every number, or every pair; no divisor is zero."""
    made = instance(numpy.random.default_rng(1), operator, [kind] * len(scales) + [kind if out else 'BOOL_8'],
                    per_channel=False)
    low, _ = RANGE[TYPES[kind][0]]
    zero = 0 if kind in WORDS else low
    numbers = stored(kind)
    draw = [numbers]
    if len(scales) == 2:
        others = numbers[numbers != zero] if operator == 'DIV' else numbers
        draw = [grid.ravel() for grid in numpy.meshgrid(numbers, others)]
    for tensor in made.case.inputs + made.case.outputs:
        tensor.shape = (len(draw[0]),)
    for tensor, scale in zip(made.case.inputs + made.case.outputs, scales + ([out] if out else [])):
        tensor.scales, tensor.zero_points = [float(numpy.float32(scale))], [zero]
    made.draws = [[numpy.asarray(each, NUMPY[TYPES[kind][0]]) for each in draw]]
    return made


def main():
    questions = [(operator, kind, side, model_at(operator, kind, *scales(limit * side)))
                 for operator, kinds, limit, scales in LIMITS for kind in kinds for side in (0.99, 1.01)]
    models = [write(made.case) for *_, made in questions]
    answers = runtime.ask([(model, made.draws, 'reference') for model, (*_, made) in zip(models, questions)])
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [f'{folder}/{number}.tflite' for number in range(len(models))]
        for path, model in zip(paths, models):
            with open(path, 'wb') as file:
                file.write(model)
        for (operator, kind, side, made), answer, result in zip(questions, answers, verdicts(sys.argv[1], paths)):
            known, why = truth(made, answer)
            said, text = opinion(result['reference'])
            if (known == 'right') != (said == 'right') or (known == 'right') != (side < 1):
                differ += 1
                print(f'{operator} {kind}, {side} of its factor: LiteRT {known} ({why[:100]}), QuantGate {said} ({text[:160]})')
    print(f'litert/reference: {len(questions) - differ} of {len(questions)} models on both sides of a factor are judged as LiteRT computes them')
    sys.exit(1 if differ else 0)


if __name__ == '__main__':
    main()
