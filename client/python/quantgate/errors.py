"""What this package raises."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quantgate.report import Report


class QuantGateError(RuntimeError):
    """The question could not be answered: unknown target, a limit, no server. `code` is the name of a gRPC status."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"error[{code}]: {message}")
        self.code = code
        self.message = message


class RejectedError(QuantGateError):
    """At least one target rejects the model; the message lists every error, `report` holds all of it."""

    def __init__(self, report: Report) -> None:
        super().__init__("REJECTED", str(report))
        self.report = report


# What selectors take, in milliseconds of 32 bits; nobody waits 23 days.
_LONGEST_SECONDS = 2_000_000.0


def seconds(timeout: Any) -> float:
    """A time limit as every way of waiting takes it; inf is a long time."""
    if not isinstance(timeout, (int, float)) or math.isnan(timeout):
        raise QuantGateError("INVALID_ARGUMENT", f"timeout {timeout!r}: expected seconds")
    return float(min(max(timeout, 0), _LONGEST_SECONDS))
