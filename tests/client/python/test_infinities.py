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


def mask():
    """A new one for each model: QnnQuantizer's transform writes into the tensor itself."""
    return torch.where(torch.ones(8, 12).tril() > 0, 0.0, -math.inf)


def padded_with_infinity(x):
    return F.pad(x * 2, (1, 1), value=-math.inf).amax(-1)


def padded_with_a_number(x):
    return F.pad(x * 2, (1, 1), value=-8.0).amax(-1)


class AddedInfinity(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mask', mask())

    def forward(self, x):
        return (x * 2 + self.mask).amax(-1)


class AddedCleaned(AddedInfinity):
    """The infinities are replaced before anything observes them."""

    def forward(self, x):
        return (x * 2 + torch.where(torch.isinf(self.mask), -8.0, self.mask)).amax(-1)


class AddedAfterMuch(AddedInfinity):
    def forward(self, x):
        for _ in range(7):
            x = (x + x.flip(-1)) * 0.5
        return (x + self.mask).amax(-1)


class AddedNegated(AddedInfinity):
    def forward(self, x):
        return (x * 2 + -(-self.mask)).amax(-1)


def fresh(function):
    return function() if isinstance(function, type) else function


FUNCTIONS = [padded_with_infinity, padded_with_a_number, AddedInfinity, AddedCleaned, AddedAfterMuch, AddedNegated]


def survives(function, name):
    """Whether conversion ends, and its numbers are some."""
    prepared = prepare_pt2e(export(fresh(function), X), quantizers.ALL[name]())
    with torch.no_grad():
        for _ in range(20):
            prepared(X)
        try:
            converted = convert_pt2e(prepared)
        except (AssertionError, ValueError):  # "min nan should be less than max 1"
            return False
        expected = fresh(function)(X)
        error = (converted(X) - expected).abs().max() / expected.abs().max()
    return bool(error < 0.5)


@pytest.mark.parametrize('function', FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize('name', ['qnn_8a8w', 'samsung', 'mediatek', 'cadence', 'x86'])
def test_an_infinity_that_is_observed_is_named_before(name, function):
    annotated = annotate(export(fresh(function), X), quantizers.ALL[name]())
    codes = [finding.code for finding in quantgate.check(annotated, targets=[]).findings()]
    assert ('NR009' in codes) == (not survives(function, name)), codes
