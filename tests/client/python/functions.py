"""Functions of one tensor as models, exported and annotated as prepare_pt2e does it."""
import torch


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def export(function, x, is_trained=False):
    model = Function(function).train(is_trained)
    return torch.export.export(model, (x,), strict=True).module(check_guards=False)


def annotate(module, quantizer):
    module = quantizer.transform_for_annotation(module) or module
    return quantizer.annotate(module) or module
