"""What this package raises; of a report it is RejectedError, beside it."""
from __future__ import annotations

import math
import sys
from typing import Any, Tuple


class QuantGateError(RuntimeError):
    """The question could not be answered: unknown target, a limit, no server. `code` is the name of a gRPC status."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"error[{code}]: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.code, self.message)


def no_graph(model: Any) -> QuantGateError:
    return QuantGateError("INVALID_ARGUMENT", f"expected a GraphModule or an ExportedProgram (check takes a path too), "
                                              f"not {type(model).__name__}")


def not_checked(model: Any) -> QuantGateError:
    return QuantGateError("INVALID_ARGUMENT", f"expected the GraphModule that was checked, not {type(model).__name__}")


def is_of_torch(model: Any) -> bool:
    """Whether its type is made of one of PyTorch's. Nothing is imported: who has such an object has done that."""
    return "torch" in sys.modules and any(str(getattr(base, "__module__", "")).partition(".")[0] == "torch"
                                          for base in model.__class__.__mro__)  # as isinstance sees it


# What selectors take, in milliseconds of 32 bits; nobody waits 23 days.
_LONGEST_SECONDS = 2_000_000.0


def seconds(timeout: Any) -> float:
    """A time limit as every way of waiting takes it; inf is a long time."""
    if not isinstance(timeout, (int, float)) or math.isnan(timeout) or timeout < 0:
        raise QuantGateError("INVALID_ARGUMENT", f"timeout {timeout!r}: expected seconds")
    return float(min(timeout, _LONGEST_SECONDS))
