"""Convolutions of a graph of prepare_qat_pt2e, as convert_pt2e makes them.

For training, torchao spells a convolution and its batch norm out: the weight is scaled before it is quantized, the
result scaled back before the batch norm sees it. convert_pt2e folds that into one convolution; what it does not fold
stays as it is, here too.
"""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

import torch
import torch.fx
from torch.nn.utils.fusion import fuse_conv_bn_weights

from quantgate.fx_foreign import peek

_aten = torch.ops.aten
_BATCH_NORM = _aten.batch_norm.default
_TRANSPOSED = (_aten.conv_transpose1d.default, _aten.conv_transpose2d.input)
_CONVOLUTIONS = (_aten.conv1d.default, _aten.conv2d.default, *_TRANSPOSED)
_OBSERVED = "observed"
# What there is around a convolution and its batch norm.
_WRITTEN = {_aten.add.Tensor, _aten.div.Tensor, _aten.mul.Tensor, _aten.reshape.default, _aten.sqrt.default,
            _aten.zeros_like.default}

# Types that convert_pt2e has Quantize nodes for, and a weight may have.
_QUANTIZED = {torch.uint8, torch.int8, torch.uint16, torch.int16, torch.int32, torch.quint8, torch.qint8, torch.qint32}
_PER_CHANNEL = (torch.per_channel_affine, torch.per_channel_symmetric)

# What torchao's qat_utils write and look for. A node: the name it gets, what it calls (one of several), and its
# arguments as far as they are nodes; a name alone: any node, the same one at each place.
_Pattern = Union[str, Tuple[Any, ...]]
_SCALE = ("scale", (_aten.div.Tensor,), "gamma",
          ("deviation", (_aten.sqrt.default,), ("variance_eps", (_aten.add.Tensor,), "variance")))
_WEIGHT = ("observed_weight", _OBSERVED,
           ("scaled_weight", (_aten.mul.Tensor,), "weight",
            ("weight_scale", (_aten.reshape.default,), _SCALE)))
_ZEROS = ("zeros", (_aten.zeros_like.default,), "bias")
_ZERO_BIASES: Sequence[Tuple[_Pattern, ...]] = ((), (_ZEROS,), (("observed_zeros", _OBSERVED, _ZEROS),))


def _pattern(zero_bias: Tuple[_Pattern, ...]) -> _Pattern:
    """zero_bias: the third argument of the convolution, if it has one."""
    result: _Pattern = ("unscaled", (_aten.div.Tensor,), ("convolution", _CONVOLUTIONS, "x", _WEIGHT, *zero_bias),
                        ("output_scale", (_aten.reshape.default,), _SCALE))
    if zero_bias:
        result = ("biased", (_aten.add.Tensor,), result, ("bias_row", (_aten.reshape.default,), "bias"))
    return ("batch_norm", (_BATCH_NORM,), result, "gamma", "beta", "mean", "variance")


_PATTERNS = [_pattern(zero_bias) for zero_bias in _ZERO_BIASES]

# Nodes that others may read too: inputs of the pattern, and its output.
_INPUTS = {"x", "weight", "bias", "gamma", "beta", "mean", "variance"}
_SHARED = {*_INPUTS, "batch_norm"}


class Convolution(NamedTuple):
    """One convolution with what is folded into it, as nodes of the prepared graph."""

    node: torch.fx.Node
    # Whose value and specs are those of the result.
    output: torch.fx.Node
    # Those that stand for the weight and bias: what the annotation names, or beta where there was no bias.
    weight: torch.fx.Node
    bias: torch.fx.Node
    weight_numbers: torch.Tensor
    bias_numbers: torch.Tensor
    # All others.
    gone: List[torch.fx.Node]


def folded_convolutions(nodes: Sequence[torch.fx.Node], observers: Dict[torch.fx.Node, Any],
                        constants: Dict[torch.fx.Node, torch.Tensor]) -> Iterator[Convolution]:
    """Of the nodes of a graph: what observes there, and tensors of get_attr nodes."""
    for node in nodes:
        if node.target is _BATCH_NORM:
            for pattern in _PATTERNS:
                match = _Match(observers)
                if match.is_at(pattern, node) and match.is_closed():
                    made = _folded(match.found, observers, constants)
                    if made is not None:
                        yield made
                    break


def counters(nodes: Sequence[torch.fx.Node]) -> Iterator[torch.fx.Node]:
    """The steps of num_batches_tracked that convert_pt2e takes away."""
    for node in nodes:
        if node.target is _aten.add_.Tensor and len(node.args) == 2 and node.args[1] == 1 and (
                isinstance(node.args[0], torch.fx.Node) and node.args[0].op == "get_attr"):
            stack = node.meta.get("nn_module_stack")
            entries = stack.values() if isinstance(stack, dict) else ()
            if any(isinstance(entry, (list, tuple)) and "torch.nn.modules.batchnorm.BatchNorm2d" in entry[1:2]
                   for entry in entries):
                yield node


def is_shaped_as_input(node: torch.fx.Node) -> bool:
    """Whether its result has the type and shape of its first argument, by what it calls."""
    return node.target is _BATCH_NORM or node.target is _aten.dropout.default or node.target is _aten.dropout_.default


def with_foreign_examples(nodes: Sequence[torch.fx.Node]) -> Set[torch.fx.Node]:
    """Nodes whose meta["val"] is that of a pattern's example. prepare_qat_pt2e and move_exported_model_to_eval put in
    what they traced elsewhere, with other tensors than those of this graph's inputs."""
    if not any(map(is_shaped_as_input, nodes)):
        return set()
    modes = {id(mode) for node in nodes if node.op == "placeholder" and (mode := _mode(node)) is not None}
    if not modes:
        return set()
    return {node for node in nodes if (is_shaped_as_input(node) or node.target in _WRITTEN)
            and (mode := _mode(node)) is not None and id(mode) not in modes}


def _mode(node: torch.fx.Node) -> Any:
    return peek(node.meta.get("val"), "fake_mode")


class _Match:
    """Nodes of one occurrence of a pattern, by their names in it."""

    def __init__(self, observers: Dict[torch.fx.Node, Any]) -> None:
        self._observers = observers
        self.found: Dict[str, torch.fx.Node] = {}

    def is_at(self, pattern: _Pattern, node: Any) -> bool:
        if not isinstance(node, torch.fx.Node):
            return False
        name = pattern if isinstance(pattern, str) else pattern[0]
        if self.found.setdefault(name, node) is not node:
            return False
        if isinstance(pattern, str):
            return True
        _, targets, *arguments = pattern
        if targets is _OBSERVED:
            known = node in self._observers
        else:
            known = node.op == "call_function" and any(node.target is target for target in targets)
        return known and self._are_at(arguments, node)

    def _are_at(self, arguments: Sequence[_Pattern], node: torch.fx.Node) -> bool:
        literals = (*node.args[len(arguments):], *node.kwargs.values())
        return len(node.args) >= len(arguments) and all(map(self.is_at, arguments, node.args)) and not any(
            isinstance(literal, torch.fx.Node) for literal in literals)

    def is_closed(self) -> bool:
        """Whether nobody else reads what is between its inputs and its output."""
        inside = set(self.found.values())
        return all(name in _SHARED or inside.issuperset(node.users) for name, node in self.found.items())


def _folded(found: Dict[str, torch.fx.Node], observers: Dict[torch.fx.Node, Any],
            constants: Dict[torch.fx.Node, torch.Tensor]) -> Optional[Convolution]:
    weight_observer = observers[found["observed_weight"]]
    bias_observer = observers.get(found.get("observed_zeros"))  # type: ignore[arg-type]
    if not _is_quantized(weight_observer) or bias_observer is not None and (
            not _is_quantized(bias_observer) or _is_per_channel(bias_observer) != _is_per_channel(weight_observer)):
        return None
    if any(found[name] not in constants for name in found.keys() & (_INPUTS - {"x"})):
        return None
    convolution, batch_norm = found["convolution"], found["batch_norm"]
    numbers = _numbers(found, constants)
    bias = found.get("zeros", found["beta"])
    if numbers is None or bias is found["beta"] and not _is_of_alike(bias):
        return None
    stay = {convolution, batch_norm, found["scaled_weight"], bias, found["x"]}
    gone: Set[torch.fx.Node] = {node for name, node in found.items() if name not in _INPUTS} - stay
    return Convolution(convolution, batch_norm, found["scaled_weight"], bias, *numbers, list(gone))


def _is_quantized(observer: Any) -> bool:
    """Whether convert_pt2e makes a Quantize and a Dequantize of it with numbers that are constants."""
    return (not hasattr(observer, "convert") and not getattr(observer, "is_dynamic", False)
            and getattr(observer, "dtype", None) in _QUANTIZED)


def _is_per_channel(observer: Any) -> bool:
    return getattr(observer, "qscheme", None) in _PER_CHANNEL


def _is_of_alike(beta: torch.fx.Node) -> bool:
    """Whether all that read it become convolutions of the same bias."""
    return all(user.target is _BATCH_NORM and user.args[1:5] == next(iter(beta.users)).args[1:5]
               for user in beta.users)


def _numbers(found: Dict[str, torch.fx.Node], constants: Dict[torch.fx.Node, torch.Tensor]
             ) -> Optional[Tuple[torch.Tensor, torch.Tensor]]:
    """Weight and bias of the convolution; None: the sizes do not fit, and convert_pt2e fails."""
    tensors = [constants.get(found[name]) if name in found else None
               for name in ("weight", "bias", "mean", "variance", "gamma", "beta")]
    weight, bias, mean, variance, gamma, beta = tensors
    arguments: Any = found["batch_norm"].args
    try:
        folded = fuse_conv_bn_weights(weight, bias, mean, variance, arguments[7], gamma, beta,  # type: ignore[arg-type]
                                      transpose=found["convolution"].target in _TRANSPOSED)
    except (RuntimeError, IndexError, TypeError):
        return None
    return folded[0].detach(), folded[1].detach()
