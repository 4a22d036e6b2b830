"""Readers that ConcatObserver takes for observers (QS007): whether the first batch of calibration raises."""
import pytest
import quantgate
import quantizers
import torch
import torch.nn.functional as F
from functions import annotate, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

X = torch.randn(2, 8, 12, generator=torch.Generator().manual_seed(0))


def beside_a_quantized_reader(x):
    return torch.cat([x, F.relu(x)], -1)


def beside_a_reader_that_is_not(x):
    return torch.cat([F.silu(F.softplus(x)), x], -1)


def of_what_is_not_quantized(x):
    return torch.cat([F.softplus(x), F.relu(x)], -1)


def of_what_is_and_is_read_in_float(x):
    y = F.relu(x)
    return torch.cat([y, F.silu(F.softplus(y))], -1)


def of_what_is_returned(x):
    y = F.softplus(x)
    return torch.cat([y, F.relu(y)], -1), y


def of_what_is_returned_beside_floats(x):
    y = F.softplus(x)
    return F.softplus(torch.cat([y, F.relu(y)], -1)), y


def of_a_quantized_tensor_that_is_returned(x):
    y = F.relu(x)
    return torch.cat([y, x * 2], -1), y


def twice(x):
    return torch.cat([x, x], -1)


def of_an_input_alone(x):
    return torch.cat([x, x[:1].expand_as(x)], 1)


FUNCTIONS = [beside_a_quantized_reader, beside_a_reader_that_is_not, of_what_is_not_quantized,
             of_what_is_and_is_read_in_float, of_what_is_returned, of_what_is_returned_beside_floats,
             of_a_quantized_tensor_that_is_returned, twice, of_an_input_alone]


@pytest.mark.parametrize('function', FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize('name', ['qnn_8a8w', 'qnn_16a8w', 'samsung'])
def test_what_is_found_raises(name, function):
    annotated = annotate(export(function, X), quantizers.ALL[name]())
    found = 'QS007' in [finding.code for finding in quantgate.check(annotated, targets=[]).findings()]
    prepared = prepare_pt2e(export(function, X), quantizers.ALL[name]())
    if found:
        with pytest.raises(AttributeError, match="'GraphModule' object has no attribute"):
            prepared(X)
    else:
        prepared(X)
        convert_pt2e(prepared)(X)


# To share with another input hides the reader from ConcatObserver, and leaves the range of a moving average (SH009).
def test_no_correction_makes_the_numbers_wrong():
    def function(x):
        return torch.cat([F.silu(F.softplus(x)), x], -1)

    report = quantgate.check(annotate(export(function, X), quantizers.qnn('8a8w')), targets=['qnn_htp/SM8650'])
    result, = report.results
    assert 'QS007' in [finding.code for finding in result.findings] and not result.corrections
