"""Objects that quantizers and users made, as this package reads them.

Their properties, conversions and texts are code of others, which may raise anything. All of it is called from here, or
from a `try` around nothing else, so that it ends as an error that says what could not be read, and faults of this
package are not taken for such.
"""
from __future__ import annotations

import reprlib
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional

import torch.fx
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation

from quantgate.errors import QuantGateError

# In the place of an attribute that is not there.
ABSENT: Any = object()


def read(thing: Any, name: str, default: Any = None) -> Any:
    """An attribute, `default` where there is none; refused: its getter raises."""
    try:
        return getattr(thing, name, default)
    except Exception as error:  # noqa: BLE001  As the module says.
        raise _raised(f"its {name} cannot be read", error) from None


def peek(thing: Any, name: str, default: Any = None) -> Any:
    """An attribute, `default` where there is none or its getter raises."""
    try:
        return getattr(thing, name, default)
    except Exception:  # noqa: BLE001  As the module says.
        return default


def called(complaint: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives that runs code of others; refused: it raises."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001  As the module says.
        raise _raised(complaint, error) from None


def _raised(complaint: str, error: Exception) -> QuantGateError:
    return invalid(f"{complaint}: {shown(error, _LONG)}")


def whole(value: Any) -> Optional[int]:
    """As a whole number; None: it is none."""
    try:
        return int(value)
    except Exception:  # noqa: BLE001  As the module says.
        return None


def wholes(value: Any) -> Optional[List[int]]:
    """As a list of whole numbers; None: it is none."""
    try:
        return [int(member) for member in value]
    except Exception:  # noqa: BLE001  As the module says.
        return None


def text(value: Any, convert: Callable[[Any], str] = str) -> str:
    """str(), or what else converts, of anything."""
    try:
        return convert(value)
    except Exception:  # noqa: BLE001  As the module says; integers of too many digits are no text either.
        return f"<{type(value).__name__}>"


class _Repr(reprlib.Repr):
    def repr_int(self, value: int, level: int) -> str:
        try:
            return super().repr_int(value, level)
        except ValueError:  # too many digits
            return f"<an int of {value.bit_length()} bits>"


_SHORT = _Repr()
# Addresses of objects whole, so that they can be left out.
_LONG = _Repr()
_LONG.maxother = 120


def shown(value: Any, form: reprlib.Repr = _SHORT) -> str:
    """A short repr() of anything."""
    return text(value, form.repr)


def shown_whole(value: Any) -> str:
    """The same, less shortened."""
    return shown(value, _LONG)


def invalid(message: str) -> QuantGateError:
    return QuantGateError("INVALID_ARGUMENT", message)


def checked_annotation(annotation: Any, node: torch.fx.Node) -> Any:
    """The annotation of a node, or a plain copy of one that is not torchao's own; refused is what PyTorch could not read
    either."""
    if type(annotation) is QuantizationAnnotation:  # whose attributes are no code
        said = annotation.__dict__.get
        if type(said("input_qspec_map")) is dict and type(said("_annotated")) is bool and (
                type(said("allow_implicit_sharing")) is bool):
            return annotation
    try:
        return _copied(annotation)
    except QuantGateError as error:
        raise QuantGateError(error.code, f"the annotation of {node.name}: {error.message}") from None
    except _NoAnnotation:
        raise invalid(f"the annotation of {node.name} is no QuantizationAnnotation with an input_qspec_map: "
                      f"{shown(annotation)}") from None


class _NoAnnotation(Exception):
    pass


def _copied(annotation: Any) -> Any:
    edges, output = read(annotation, "input_qspec_map"), read(annotation, "output_qspec", ABSENT)
    if not isinstance(edges, dict) or output is ABSENT:
        raise _NoAnnotation
    copied: Dict[Any, Any] = called("its input_qspec_map cannot be read", lambda: dict(edges.items()))
    flags = {}
    for name, default in (("_annotated", False), ("allow_implicit_sharing", True)):
        flag = read(annotation, name, default)
        flags[name] = called(f"its {name}, {shown(flag)}, is neither true nor false", bool, flag)
    return SimpleNamespace(input_qspec_map=copied, output_qspec=output, **flags)
