"""Masks that leave a softmax a few integers for what counts (FX009), or are lost (FX011): the numbers say which."""
import pytest
import quantgate
import quantizers
import torch
import torch.nn.functional as F
from functions import annotate, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

X = torch.randn(2, 8, 12, generator=torch.Generator().manual_seed(0))
MASK = torch.ones(8, 8).tril() > 0


def unmasked(x):
    return F.softmax(x, -1)


def filled_with_infinity(x):
    return F.softmax(x.masked_fill(x > 1, float('-inf')), -1)


def filled_with_a_billion(x):
    return F.softmax(x.masked_fill(x > 1, -1e9), -1)


def added_ten_thousand(x):
    return F.softmax(x + torch.where(x > 1, -1e4, 0.0), -1)


def added_ten(x):
    return F.softmax(x + torch.where(x > 1, -10.0, 0.0), -1)


def attention(x):
    return F.scaled_dot_product_attention(x, x, x)


def attention_that_is_causal(x):
    return F.scaled_dot_product_attention(x, x, x, attn_mask=torch.where(MASK, 0.0, float('-inf')))


def attention_by_hand(x):
    return torch.softmax(x @ x.transpose(1, 2) / 3.5 + torch.where(MASK, 0.0, -1e9), -1) @ x


def products(x):
    return x @ x.transpose(1, 2) / 3.5


def triangle_of_one_number(x):
    return torch.softmax(products(x) + torch.full((8, 8), -1e4).triu(1), -1)


def triangle_of_ones(x):
    return torch.softmax(products(x) + (1 - torch.ones(8, 8).tril()) * -1e4, -1)


def counted(x):
    position = torch.arange(8)
    return torch.softmax(products(x).masked_fill(position[None] > position[:, None], -1e4), -1)


def counted_beyond_the_end(x):
    return torch.softmax(products(x).masked_fill(torch.arange(8)[None] > torch.arange(8, 16)[:, None], -1e4), -1)


def nothing_is_masked(x):
    return torch.softmax(products(x) + torch.where(torch.ones(8, 8).tril(-8) > 0, -1e4, 0.0), -1)


def subtracted_many_times(x):
    return torch.softmax(torch.sub(products(x), (~MASK).float(), alpha=1e4), -1)


def added_little(x):
    return torch.softmax(torch.add(products(x), torch.where(MASK, 0.0, -1e4), alpha=1e-4), -1)


def no_less_than_a_billion(x):
    return torch.softmax(torch.max(products(x) + torch.where(MASK, 0.0, -1e10), torch.tensor(-1e9)), -1)


def no_less_than_twenty(x):
    return torch.softmax((products(x) + torch.where(MASK, 0.0, -1e9)).clamp(min=-20), -1)


def assigned(x):
    mask = torch.zeros(8, 8)
    mask[:, -2:] = -1e4
    return torch.softmax(products(x) + mask, -1)


def copied(x):
    mask = torch.zeros(8, 8)
    mask[:] = torch.where(MASK, 0.0, -1e4)
    return torch.softmax(products(x) + mask, -1)


def written_over_by_the_input(x):
    y = torch.full((2, 8, 8), -1e4)
    y[:] = products(x)
    return torch.softmax(y * 1.0, -1)


def kept_columns(x):
    keep = torch.ones(8, 8)
    keep[:, 3:] = 0
    return torch.softmax(products(x).masked_fill(keep == 0, -1e4), -1)


def masked_in_place(x):
    y = products(x)
    y.masked_fill_(~MASK, -1e4)
    return torch.softmax(y, -1)


def masked_after_it_was_read(x):
    y = products(x)
    z = torch.softmax(y, -1)
    y.masked_fill_(~MASK, -1e4)
    return z


def compared_with_a_tensor(x):
    return torch.softmax(products(x).masked_fill(torch.arange(8) >= torch.tensor(100), -1e4), -1)


def a_part_that_is_cut(x):
    y, _ = torch.split(products(x) + torch.where(MASK, 0.0, -1e4), 4, -1)
    return torch.softmax(y.clamp(min=-20), -1)


def largest_of_a_mask_and_the_rest(x):
    y = products(x) + torch.where(MASK, 0.0, -1e4)
    return torch.softmax(torch.maximum(torch.where(MASK, -1e4, -2e4), y).clamp(min=-20), -1)


def cut_by_relu(x):
    return torch.softmax(F.relu(products(x) + torch.where(MASK, 0.0, -1e4) + 5.0), -1)


def chosen_again(x):
    y = products(x) + torch.where(MASK, 0.0, -1e4)
    return torch.softmax(torch.where(y < -100.0, -20.0, y), -1)


FUNCTIONS = [unmasked, filled_with_infinity, filled_with_a_billion, added_ten_thousand, added_ten, attention,
             attention_that_is_causal, attention_by_hand, triangle_of_one_number, triangle_of_ones, counted,
             counted_beyond_the_end, nothing_is_masked, subtracted_many_times, added_little, no_less_than_a_billion,
             no_less_than_twenty, cut_by_relu, chosen_again, compared_with_a_tensor, a_part_that_is_cut,
             largest_of_a_mask_and_the_rest]
NAMES = ['qnn_8a8w', 'qnn_16a8w', 'mediatek', 'samsung', 'ethos_u', 'xnnpack']
# XNNPACKQuantizer matches patterns for seconds.
OF_NAME = {'xnnpack': [added_ten_thousand, added_ten]}
CASES = [(name, function) for name in NAMES for function in OF_NAME.get(name, FUNCTIONS)]
seen = []


def is_found(graph, code='FX009'):
    return code in [finding.code for finding in quantgate.check(graph, targets=[]).findings()]


def error_of(converted, function):
    with torch.no_grad():
        expected = function(X)
        return ((converted(X) - expected).abs().max() / expected.abs().max()).item()


@pytest.mark.parametrize('name,function', CASES, ids=lambda p: getattr(p, '__name__', p))
def test_what_is_coarse_is_found(name, function):
    found = [is_found(annotate(export(function, X), quantizers.ALL[name]()))]
    prepared = prepare_pt2e(export(function, X), quantizers.ALL[name]())
    prepared(X)
    found.append(is_found(prepared))
    converted = convert_pt2e(prepared)
    found.append(is_found(converted))
    error = error_of(converted, function)
    # NaN, from a range without end, is coarse too.
    is_coarse = not error < 0.06
    assert found == [is_coarse] * 3, error
    seen.append(is_coarse)


# Of what is assigned to a quantized tensor, the assignment itself may be lost. EthosUQuantizer reads what is written
# over with the range of what was there before.
@pytest.mark.parametrize('name,function', [(name, function) for name in NAMES if name not in OF_NAME
                                           for function in (assigned, copied, written_over_by_the_input, kept_columns,
                                                            masked_in_place, masked_after_it_was_read)
                                           if (name, function) != ('ethos_u', written_over_by_the_input)],
                         ids=lambda p: getattr(p, '__name__', p))
def test_what_is_assigned(name, function):
    annotated = annotate(export(function, X), quantizers.ALL[name]())
    found = [is_found(annotated) or is_found(annotated, 'GS017')]
    prepared = prepare_pt2e(export(function, X), quantizers.ALL[name]())
    prepared(X)
    found.append(is_found(prepared) or is_found(prepared, 'GS017'))
    error = error_of(convert_pt2e(prepared), function)
    assert found == [not error < 0.06] * 2, error


def test_some_are_coarse_and_some_are_not():
    if len(seen) < len(CASES):
        pytest.skip('needs the cases above')
    assert 10 <= sum(seen) <= len(seen) - 10


def added_infinity(x):
    return F.softmax(x + torch.where(x > 1, float('-inf'), 0.0), -1)


def added_logarithm(x):
    return F.softmax(products(x) + torch.log(MASK.float()), -1)


def added_twenty(x):
    return F.softmax(x + torch.where(x > 1, -20.0, 0.0), -1)


# HistogramObserver looks at finite numbers alone. EthosUQuantizer has one too, but puts -256 in the place of -inf.
@pytest.mark.parametrize('function', [filled_with_infinity, added_infinity, added_logarithm, added_twenty], ids=lambda f: f.__name__)
@pytest.mark.parametrize('name', ['xnnpack', 'xnnpack_per_channel'])
def test_what_is_lost_is_found(name, function):
    found = [is_found(annotate(export(function, X), quantizers.ALL[name]()), 'FX011')]
    prepared = prepare_pt2e(export(function, X), quantizers.ALL[name]())
    prepared(X)
    found.append(is_found(prepared, 'FX011'))
    converted = convert_pt2e(prepared)
    is_lost = not error_of(converted, function) < 0.06
    assert found == [is_lost] * 2
    # Once converted, what is added there is nothing but zeros.
    assert is_found(converted, 'FX011') == (is_lost and function not in (added_infinity, added_logarithm))
