"""What a spec's constructor makes: the class that observes, what is around it, and its settings."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Dict, FrozenSet, Tuple

from torchao.quantization.pt2e import fake_quantize, observer

from quantgate.fx_foreign import invalid, peek, read, shown, text

# What convert_pt2e takes for an observer.
_KNOWN = (observer.ObserverBase, fake_quantize.FakeQuantizeBase, observer.AffineQuantizedObserverBase)


# Constructors in one another. Real ones are two deep; what is its own observer has no end.
_DEEPEST = 32


def observer_of(constructor: Any, depth: int = 0) -> Tuple[Any, Dict[str, Any]]:
    """The observer class that a spec's constructor makes (a fake-quantize's inner one), and its settings."""
    partial = read(constructor, "p", constructor)
    if not isinstance(partial, functools.partial):
        return partial, {}
    if depth > _DEEPEST:
        raise invalid(f"the observer of its observer_or_fake_quant_ctr is another's, and so on: {shown(constructor)}")
    keywords = partial.keywords
    if "observer" in keywords:
        made, settings = observer_of(keywords["observer"], depth + 1)
        return made, {**keywords, **settings}
    made, settings = observer_of(partial.func, depth + 1)
    return made, {**settings, **keywords} if settings else keywords


def observer_name(constructor: Any) -> str:
    """The same as Spec.observer names it, with what torchao would stumble over."""
    made = maker_of(constructor) if isinstance(constructor, observer.PartialWrapper) else constructor
    if not isinstance(made, type):
        # prepare_pt2e asks for a name and for with_args; functions of a quantizer's own may have both.
        name = read(made, "__name__")
        usable = name is not None and read(constructor, "with_args") is not None
        return text(name) if usable else f"{type(made).__name__} object"
    if not issubclass(made, _KNOWN):
        return f"{made.__module__}.{made.__qualname__}"
    inner, settings = observer_of(constructor)
    if inner is made:
        inner = _default_observer(made)
    refused = _refused(made, inner or made, frozenset(settings))
    if inner is None:
        return made.__name__ + refused
    return f"{made.__name__}({peek(inner, '__name__', 'unknown')}{refused})"


def maker_of(constructor: Any) -> Any:
    """What it calls that has its settings bound by with_args; itself where it has none."""
    return read(read(constructor, "p", constructor), "func", constructor)


@functools.lru_cache(maxsize=None)
def _refused(made: type, inner: Any, settings: FrozenSet[str]) -> str:
    """", ch_axis" where one of torchao's observers is handed a setting that it does not take, and raises."""
    if any(not isinstance(one, type) or not str(one.__module__).startswith("torchao.") for one in (made, inner)):
        return ""  # what others do with settings that they do not name, nobody knows
    makers = [getattr(base, "__init__") for one in (made, inner) for base in one.__mro__]
    known = {name for maker in makers for name in inspect.signature(maker).parameters}
    refused = sorted(settings - known)
    return f", {refused[0]}" if refused else ""


@functools.lru_cache(maxsize=None)
def _default_observer(made: type) -> Any:
    """Of a fake quantizer that is told of none."""
    if not issubclass(made, fake_quantize.FakeQuantizeBase):
        return None
    parameter = inspect.signature(made).parameters.get("observer")
    default = None if parameter is None else parameter.default
    return default if isinstance(default, type) and default is not inspect.Parameter.empty else None
