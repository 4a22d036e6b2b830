"""Infinities that an observer makes its range of (NR009): what convert_pt2e says, and the numbers."""
import math

import pytest
import quantgate
import quantizers
import torch
import torch.nn.functional as F
from functions import annotate, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

X = torch.randn(2, 8, 12, generator=torch.Generator().manual_seed(0))
MASK = torch.where(torch.ones(8, 12).tril() > 0, 0.0, -math.inf)


def padded_with_infinity(x):
    return F.pad(x * 2, (1, 1), value=-math.inf).amax(-1)


def padded_with_a_number(x):
    return F.pad(x * 2, (1, 1), value=-8.0).amax(-1)


def added_infinity(x):
    return (x * 2 + MASK).amax(-1)


FUNCTIONS = [padded_with_infinity, padded_with_a_number, added_infinity]


def survives(function, name):
    """Whether conversion ends, and its numbers are some."""
    prepared = prepare_pt2e(export(function, X), quantizers.ALL[name]())
    with torch.no_grad():
        for _ in range(20):
            prepared(X)
        try:
            converted = convert_pt2e(prepared)
        except (AssertionError, ValueError):  # "min nan should be less than max 1"
            return False
        error = (converted(X) - function(X)).abs().max() / function(X).abs().max()
    return bool(error < 0.5)


@pytest.mark.parametrize('function', FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize('name', ['qnn_8a8w', 'samsung', 'mediatek', 'cadence', 'x86'])
def test_an_infinity_that_is_observed_is_named_before(name, function):
    annotated = annotate(export(function, X), quantizers.ALL[name]())
    codes = [finding.code for finding in quantgate.check(annotated, targets=[]).findings()]
    assert ('NR009' in codes) == (not survives(function, name)), codes
