"""Fixed parameters on inputs whose range they do not hold (FX010): the numbers say which."""
import pytest
import quantgate
import quantizers
import torch
import torch.nn.functional as F
from functions import annotate, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

X = torch.randn(2, 8, 12, generator=torch.Generator().manual_seed(0))


def doubled(x):
    return x * 2


def product(x):
    return x * F.relu(x)


def product_of_moved(x):
    return x.flip(-1) * x.unsqueeze(0).squeeze(0)


def scaled_in_range(x):
    return torch.clamp(x, -0.4, 0.4) * torch.clamp(x, -0.3, 0.3)


def sum_of_two(x):
    return x + x.flip(-1)


def angle(x):
    return torch.acos(x * 0.2)


def angle_of_clamped(x):
    return torch.asin(F.relu(x * 2).clamp(max=0.9))


def beside_a_softmax(x):
    return torch.cat([F.softmax(x, -1), x * 2], -1)


def scaled_product_of_matrices(x):
    return (x @ x.transpose(1, 2)) * 0.3


def scaled_product_of_small_matrices(x):
    return (torch.sigmoid(x) @ torch.clamp(x, -0.02, 0.02).transpose(1, 2)) * 0.3


FUNCTIONS = [doubled, product, product_of_moved, scaled_in_range, sum_of_two, angle, angle_of_clamped, beside_a_softmax,
             scaled_product_of_matrices, scaled_product_of_small_matrices]


def is_found(graph):
    return 'FX010' in [finding.code for finding in quantgate.check(graph, targets=[]).findings()]


@pytest.mark.parametrize('function', FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize('name', ['nxp', 'qnn_8a8w', 'samsung', 'ethos_u', 'cortex_m'])
def test_the_numbers_agree(name, function):
    annotated = is_found(annotate(export(function, X), quantizers.ALL[name]()))
    prepared = prepare_pt2e(export(function, X), quantizers.ALL[name]())
    with torch.no_grad():
        for _ in range(20):
            prepared(X)
    calibrated = is_found(prepared)
    converted = convert_pt2e(prepared)
    with torch.no_grad():
        expected, actual = function(X), converted(X)
    error = float((actual - expected).abs().max() / expected.abs().max())
    assert annotated == calibrated == (error > 0.2), (annotated, calibrated, error)
