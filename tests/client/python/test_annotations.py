"""Annotations that PyTorch stumbles over because of what they are on, or what they are: told before prepare_pt2e, which
is asked."""
import models
import pytest
import quantgate
import torch
from quantgate.v1 import report_pb2
from torchao.quantization.pt2e.observer import MinMaxObserver
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

SPEC = QuantizationSpec(torch.int8, MinMaxObserver, -128, 127, torch.per_tensor_affine)


class Annotates(Quantizer):
    def __init__(self, annotate):
        self.annotate_with = annotate

    def annotate(self, model):
        return self.annotate_with(model)

    def validate(self, model):
        pass


class Doubled(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x.view(x.shape[0] * 2, -1)) * x.sum().item()


def doubled():
    shapes = {'x': {0: torch.export.Dim('batch', min=2, max=64)}}
    program = torch.export.export(Doubled(), (torch.ones(4, 8),), dynamic_shapes=shapes, strict=True)
    return program.module(check_guards=False)


def annotated_where(module, wanted, of_inputs, of_output):
    """The nodes that are wanted, with that spec for their inputs and for what they write."""
    for node in module.graph.nodes:
        if wanted(node):
            specs = {value: of_inputs for value in node.all_input_nodes} if of_inputs else {}
            node.meta['quantization_annotation'] = QuantizationAnnotation(specs, of_output, _annotated=True)
    return module


@pytest.mark.parametrize('target', [torch.ops.aten.view.default, torch.ops.aten.mul.Tensor])
def test_an_observer_in_front_of_a_number(target):
    annotate = Annotates(lambda module: annotated_where(module, lambda node: node.target == target, SPEC, None))
    report = quantgate.check(annotate.annotate(doubled()))
    found = {finding.code for finding in report.findings() if finding.severity == report_pb2.Finding.ERROR}
    assert found == {'GS019'}, report
    with pytest.raises(AttributeError, match='numel'):
        prepare_pt2e(doubled(), annotate)(torch.ones(4, 8))


def test_a_spec_on_a_number():
    numbers = ('item', 'sym_size_int_1', 'mul')
    annotate = Annotates(lambda module: annotated_where(module, lambda node: node.name in numbers, None, SPEC))
    found = [finding.location.node for finding in quantgate.check(annotate.annotate(doubled())).findings()
             if finding.code == 'CV003']
    assert sorted(found) == sorted(numbers)
    prepared = prepare_pt2e(doubled(), annotate)
    assert not any('activation_post_process' in str(node.target) for node in prepared.graph.nodes)


class Sum(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x) + y


@pytest.mark.parametrize('by_keyword, annotated, raises', [(True, True, True), (False, True, False),
                                                           (True, False, False)])
def test_values_by_keyword(by_keyword, annotated, raises):
    def make():
        module = torch.export.export(Sum(), (torch.ones(2, 4), torch.ones(2, 4)), strict=True).module(
            check_guards=False)
        for node in module.graph.nodes:
            if by_keyword and node.target == torch.ops.aten.add.Tensor:
                node.args, node.kwargs = node.args[:1], {'other': node.args[1]}
        module.recompile()
        return module

    target = torch.ops.aten.add.Tensor if annotated else torch.ops.aten.relu.default
    annotate = Annotates(lambda module: annotated_where(module, lambda node: node.target == target, SPEC, SPEC))
    found = {finding.code for finding in quantgate.check(annotate.annotate(make())).findings()}
    assert ('GS020' in found) == raises, found
    if not raises:
        prepare_pt2e(make(), annotate)
        return
    with pytest.raises(AssertionError, match="Kwarg 'other'"):
        prepare_pt2e(make(), annotate)


@pytest.mark.parametrize('annotation', [None, QuantizationAnnotation(None), {}])
def test_what_is_no_annotation(annotation):
    module = models.export()
    node = next(node for node in module.graph.nodes if node.op == 'call_function')
    node.meta['quantization_annotation'] = annotation
    with pytest.raises(quantgate.QuantGateError, match=f'the annotation of {node.name} is no QuantizationAnnotation'):
        quantgate.check(module)
    with pytest.raises(AttributeError):
        prepare_pt2e(module, Annotates(lambda module: module))
