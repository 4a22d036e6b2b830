"""Sharing groups of random annotated graphs, with live torchao as the oracle: equal lists, equal failures."""
import json
import os
import re
import sys
import threading

import pytest
import random_graphs
import torch
from quantgate import executable, fx
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, SharedQuantizationSpec

FIRST_SEED = int(os.environ.get('QUANTGATE_SEED', '20261121'))
COUNT = 10_000 if os.environ.get('QUANTGATE_TEST_VOLUME') == 'full' else 1_000
BATCH = 500

# What torchao raises, by our words for it.
RAISES = [(r'^(?:.+) is shared with (.+), which has no spec$', 'KeyError'),
          (r'^shared specs run in a circle: ', 'RecursionError'),
          (r'^(?:.+) is the first of its group but shared with (.+), which comes later$', 'AssertionError'),
          (r'^(?:.+) is derived from (.+), which (?:has no spec|comes later)$', 'KeyError')]


def as_raised(text):
    for pattern, kind in RAISES:
        match = re.match(pattern, text or '')
        if match:
            return [kind, *match.groups()]
    return text


def answers(modules, folder):
    paths = []
    for index, module in enumerate(modules):
        paths.append(folder / f'{index}.pb')
        paths[-1].write_bytes(fx.to_graph(module, told_apart=True).SerializeToString())
    found = json.loads(executable.run(['groups', *map(str, paths), '--format', 'json'], 120))
    return [{'groups': one['groups'], 'error': as_raised(one['error'])} for one in found]


def test_equal_to_torchao_on_random_graphs(tmp_path, capsys):
    different, raised, places = [], 0, 0
    for first in range(FIRST_SEED, FIRST_SEED + COUNT, BATCH):
        seeds = range(first, first + BATCH)
        modules = [random_graphs.graph_of(seed) for seed in seeds]
        for seed, module, ours in zip(seeds, modules, answers(modules, tmp_path)):
            expected = random_graphs.torchao_answer(module)
            raised += expected['error'] is not None
            places += sum(map(len, expected['groups']))
            if ours != expected:
                different.append((seed, ours, expected))
    with capsys.disabled():
        print(f'\nrandom graphs: {COUNT} from seed {FIRST_SEED}, {places} grouped places, {raised} where torchao '
              f'raises, {len(different)} differ')
    assert not different, different[:3]


def on_a_deep_stack(function):
    """What the function returns where only a true circle would exhaust the stack."""
    answer = []

    def call():
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(100_000)
        try:
            answer.append(function())
        finally:
            sys.setrecursionlimit(limit)
    size = threading.stack_size(512 << 20)
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    threading.stack_size(size)
    return answer[0]


def many_consumers():
    graph = torch.fx.Graph()
    value = graph.placeholder('value')
    plain = random_graphs.Generator(1).plain()
    readers = [graph.call_function(torch.ops.aten.relu.default, (value,)) for _ in range(1200)]
    for reader in readers:
        reader.meta['quantization_annotation'] = QuantizationAnnotation({value: plain}, plain)
    graph.output(readers[-1])
    return torch.fx.GraphModule(torch.nn.Module(), graph)


def long_chain_of_forward_references():
    graph = torch.fx.Graph()
    values = [graph.placeholder('value')]
    for _ in range(3000):
        values.append(graph.call_function(torch.ops.aten.relu.default, (values[-1],)))
    graph.output(values[-1])
    plain = random_graphs.Generator(1).plain()
    for value, following in zip(values, values[1:] + [None]):
        spec = SharedQuantizationSpec(following) if following else plain
        value.meta['quantization_annotation'] = QuantizationAnnotation({}, spec)
    return torch.fx.GraphModule(torch.nn.Module(), graph)


@pytest.mark.parametrize('make', [many_consumers, long_chain_of_forward_references])
def test_the_answer_where_only_the_stack_stops_torchao(make, tmp_path):
    module = make()
    assert random_graphs.torchao_answer(module)['error'] == ['RecursionError']
    expected = on_a_deep_stack(lambda: random_graphs.torchao_answer(module))
    assert expected['groups'] and answers([module, module], tmp_path) == [expected] * 2
