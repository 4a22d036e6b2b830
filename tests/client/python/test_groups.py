"""Sharing groups of the package against those that torchao itself computes."""
import pytest
import models
import quantgate
from torchao.quantization.pt2e.prepare import _get_edge_or_node_to_group_id, _get_edge_or_node_to_qspec


def torchao_groups(module):
    members = {}
    specs = _get_edge_or_node_to_qspec(module)
    groups = _get_edge_or_node_to_group_id(specs)
    for place in specs:  # annotation order
        group = groups[place]
        named = ('edge', place[0].name, place[1].name) if isinstance(place, tuple) else ('node', place.name)
        members.setdefault(group, []).append(named)
    return [members[group] for group in sorted(members)]


@pytest.mark.parametrize('quantizer', [
    lambda: models.qnn('use_8a8w'), lambda: models.qnn('use_16a8w'), lambda: models.qnn('use_16a4w'),
    lambda: models.qnn('use_16a16w'), lambda: models.xnnpack(), lambda: models.xnnpack(is_per_channel=True),
    lambda: models.xnnpack(is_per_channel=True, is_dynamic=True)])
@pytest.mark.parametrize('export', [models.export] + [lambda seed=seed: models.export_random(seed) for seed in range(3)])
def test_equal_to_torchao(quantizer, export):
    module = models.annotate(export(), quantizer())
    expected = torchao_groups(module)
    assert expected
    assert quantgate.sharing_groups(module) == expected
