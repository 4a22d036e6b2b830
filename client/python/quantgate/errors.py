"""What this package raises; of a report it is RejectedError, beside it."""
from __future__ import annotations

import math
from typing import Any, Tuple


class QuantGateError(RuntimeError):
    """The question could not be answered: unknown target, a limit, no server. `code` is the name of a gRPC status."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"error[{code}]: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.code, self.message)


# What selectors take, in milliseconds of 32 bits; nobody waits 23 days.
_LONGEST_SECONDS = 2_000_000.0


def seconds(timeout: Any) -> float:
    """A time limit as every way of waiting takes it; inf is a long time."""
    if not isinstance(timeout, (int, float)) or math.isnan(timeout) or timeout < 0:
        raise QuantGateError("INVALID_ARGUMENT", f"timeout {timeout!r}: expected seconds")
    return float(min(timeout, _LONGEST_SECONDS))
