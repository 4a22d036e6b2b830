"""What this package raises."""
from __future__ import annotations

from typing import TYPE_CHECKING

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
