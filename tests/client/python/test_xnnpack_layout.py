"""Tensors that a delegate keeps with the channels last, and who reads them: run by ExecuTorch itself."""
import pytest

torch = pytest.importorskip('torch')
asked = pytest.importorskip('test_xnnpack')  # skips itself without ExecuTorch

import quantgate  # noqa: E402
from quantgate.v1 import report_pb2  # noqa: E402

F = torch.nn.functional
ops, qdq = asked.ops, asked.qdq
outcome = report_pb2.Outcome
IMAGE = (1, 4, 8, 10)


def filtered(s, x):
    return s.m[0](x)


def stored(s, x):
    return ops.quantize_per_tensor(F.conv2d(qdq(x), s.weight(s.filters)), 0.05, 0, *asked.INT8)


def read(q):
    return ops.dequantize_per_tensor(q, 0.05, 0, *asked.INT8)


def two(one, other):
    """Both of what one Dequantize gives."""
    return lambda s, x: (lambda y: (one(y), other(y)))(read(stored(s, x)))


def viewed(y):
    return torch.sigmoid(y.view(1, 8, -1))


# What is computed, and whether the numbers are right; None: the program does not run, or is not made.
CASES = {
    'softmax': (lambda s, x: torch.softmax(x, -1), True),
    'softmax_of_a_convolution': (lambda s, x: torch.softmax(filtered(s, x), -1), False),
    'softmax_behind_a_sum': (lambda s, x: torch.softmax(torch.relu(filtered(s, x)) + x, 3), False),
    'softmax_behind_a_number': (lambda s, x: torch.softmax(filtered(s, x) * 0.5, -1), True),
    'softmax_of_a_transpose': (lambda s, x: torch.softmax(filtered(s, x).permute(0, 2, 3, 1), -1), False),
    'softmax_of_a_pool': (lambda s, x: torch.softmax(F.max_pool2d(x, 2), -1), False),
    'softmax_of_a_view': (lambda s, x: torch.softmax(filtered(s, x).flatten(1, 2), -1), True),
    'softmax_on_the_cpu': (lambda s, x: torch.softmax(filtered(s, x), 1), True),
    'softmax_behind_the_cpu': (lambda s, x: torch.softmax(torch.atan(filtered(s, x)), -1), True),
    'softmax_quantized': (lambda s, x: torch.softmax(read(stored(s, x)), -1), False),
    'delegate_and_cpu': (two(torch.sigmoid, torch.atan), None),
    'cpu_and_delegate': (two(torch.atan, torch.sigmoid), None),
    'delegate_alone': (two(torch.sigmoid, torch.tanh), True),
    'cpu_alone': (two(torch.atan, torch.erf), True),
    'delegate_and_output': (two(torch.sigmoid, lambda y: y), None),
    'cpu_and_output': (two(torch.atan, lambda y: y), True),
    'delegate_and_view': (two(torch.sigmoid, viewed), None),
    'view_and_delegate': (two(viewed, torch.sigmoid), True),
    'view_and_cpu': (two(viewed, torch.atan), None),
    'number_and_cpu': (two(lambda y: y + 1.0, torch.atan), None),
    'one_for_each': (lambda s, x: (lambda q: (torch.sigmoid(read(q)), torch.atan(read(q))))(stored(s, x)), True),
    'mish': (lambda s, x: F.mish(read(stored(s, x))), None),
    'softplus': (lambda s, x: F.softplus(read(stored(s, x))), None),
    'logsigmoid': (lambda s, x: F.logsigmoid(read(stored(s, x))), None),
    'hardshrink': (lambda s, x: F.hardshrink(read(stored(s, x))), None),
    'hardsigmoid': (lambda s, x: F.hardsigmoid(read(stored(s, x))), True),
    'sum_of_all': (lambda s, x: qdq(x) - qdq(x.sum()), None),
    'sum_of_all_in_float': (lambda s, x: x - x.sum(), True),
    'mean_of_each': (lambda s, x: qdq(x) - qdq(x.mean((1, 2, 3), keepdim=True)), True),
    'less_a_constant': (lambda s, x: qdq(x) - torch.tensor(0.25), True),
    'of_no_layer': (lambda s, x: (lambda y: (torch.sigmoid(y), torch.atan(y)))(qdq(x)), True),
}


def run(program, arguments):
    try:
        return asked.numbers(asked.lower(program), arguments)
    except Exception:  # of a kind of each pass's own, or where it runs
        return None


@pytest.mark.parametrize('name', CASES)
def test_layout(name):
    function, right = CASES[name]
    torch.manual_seed(0)
    net = asked.Net(function, [torch.nn.Conv2d(4, 4, 3, padding=1)]).eval()
    arguments = (torch.randn(IMAGE),)
    program = torch.export.export(net, arguments, strict=True)
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    assert not [entry for entry in result.not_checked if entry.node]
    found = {finding.code for finding in result.findings} & {'GS605', 'GS606', 'GS607'}
    computed = run(program, arguments)
    assert (computed is None) == (right is None) == (result.outcome.kind == outcome.FAILS)
    assert bool(found) == (not right) == (result.verdict == report_pb2.Result.REJECTED)
    if computed is None:
        return
    expected = net(*arguments)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert all(torch.allclose(a, b, atol=0.02) for a, b in zip(computed, expected)) == right


def test_nothing_is_delegated_in_a_branch():
    torch.manual_seed(0)
    branches = lambda x: torch.softmax(F.avg_pool2d(x, 2), -1), lambda x: F.avg_pool2d(x, 2)  # noqa: E731
    net = asked.Net(lambda s, x: torch.cond(x.sum() > 0, *branches, (x,)), []).eval()
    arguments = (torch.rand(IMAGE),)
    program = torch.export.export(net, arguments, strict=True)
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    assert 'GS605' not in {finding.code for finding in result.findings}
    assert torch.allclose(run(program, arguments)[0], net(*arguments), atol=1e-5)


def test_as_many_channels_as_rows_and_columns():
    torch.manual_seed(0)
    net = asked.Net(lambda s, x: (lambda y: (torch.sigmoid(y), torch.atan(y)))(read(stored(s, x))), []).eval()
    arguments = (torch.randn(1, 4, 10, 10),)
    program = torch.export.export(net, arguments, strict=True)
    result = quantgate.check(program, targets=['xnnpack']).result('xnnpack')
    assert [finding.effect for finding in result.findings if finding.code == 'GS606'] == [
        report_pb2.Finding.WRONG_NUMBERS]
    computed = run(program, arguments)
    assert computed is not None and not torch.allclose(computed[0], net(*arguments)[0], atol=0.02)
