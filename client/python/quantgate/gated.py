"""A quantizer that asks before anything is inserted."""
from __future__ import annotations

import abc
import logging
import sys
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from quantgate.checking import apply, check
from quantgate.client import checked_address, question
from quantgate.errors import QuantGateError, seconds
from quantgate.report import Report
from quantgate.v1 import report_pb2

if TYPE_CHECKING:
    from quantgate.fx_apply import AppliedChange

_log = logging.getLogger("quantgate")

# Of corrections. What real quantizers write needed three at most.
_ROUNDS = 4


class Gated:
    """A torchao Quantizer around another: prepare_pt2e(gm, Gated(quantizer, targets=[...])).

    Annotations are checked when torchao validates them, which is before any observer is inserted. mode "strict" raises
    one RejectedError that lists everything; "warn" logs it and goes on. With fix=True the corrections are written into
    the annotations first, those that satisfy all targets when there are several, and what remains is judged. A search
    for corrections ends after a number of checks, so a corrected graph with errors is asked for more, three times at
    most. `report` is the last answer, `changes` what was corrected, one after the other: a place may be there twice. The
    quantizer's own validation comes last. Around a ComposableQuantizer, not in one: that has no part of it validate.
    """

    def __init__(self, quantizer: Any, targets: Optional[Sequence[str]] = (), mode: str = "strict", fix: bool = False, *,
                 server: Optional[str] = None, timeout: float = 60.0) -> None:
        if not hasattr(quantizer, "annotate"):
            raise QuantGateError("INVALID_ARGUMENT", f"expected a quantizer, not {type(quantizer).__name__}")
        # Here already: prepare_pt2e asks seconds later. A generator is read once, and fix asks twice.
        self._targets = list(question(targets, mode).targets)
        self._mode = mode
        self._fix = fix
        self._server = checked_address(server) if server else None
        self._timeout = seconds(timeout)
        # An instance of torchao's Quantizer, by its name: nothing here imports torchao.
        for base in type(quantizer).__mro__:
            if base.__name__ == "Quantizer" and isinstance(base, abc.ABCMeta):
                base.register(Gated)
        self._quantizer = quantizer
        self.report: Optional[Report] = None
        self.changes: List[AppliedChange] = []

    def transform_for_annotation(self, model: Any) -> Any:
        return self._quantizer.transform_for_annotation(model)

    def annotate(self, model: Any) -> Any:
        caller = sys._getframe().f_back
        if caller is not None and _is_part(self, caller.f_locals.get("self")):
            self._complain(QuantGateError("FAILED_PRECONDITION", "a ComposableQuantizer has none of its quantizers "
                                          "validate: write Gated(ComposableQuantizer([...]), targets=[...])"))
        # What QnnQuantizer was asked for; what it writes may differ.
        asked = getattr(self._quantizer, "block_size_map", None)
        for node in model.graph.nodes:
            if isinstance(asked, dict) and node.name in asked:
                node.meta["asked_block_size"] = asked[node.name]
        return self._quantizer.annotate(model)

    def validate(self, model: Any) -> None:
        if not any("quantization_annotation" in node.meta for node in model.graph.nodes):
            self._complain(QuantGateError("FAILED_PRECONDITION", f"{type(self._quantizer).__name__} annotated nothing: "
                                          "some quantizers find their patterns in strict exports only"))
        self.report = self._check(model)
        self.changes = []
        if self._fix:
            self._correct(model, self.report)
        if self._mode == "strict":
            self.report.raise_for_verdict()
        elif self.report.findings():
            _log.warning("%s", self.report)
        self._quantizer.validate(model)

    def _correct(self, model: Any, report: Report) -> None:
        for _ in range(_ROUNDS):
            changes = apply(report, model)
            if not changes:
                break
            _log.info("%d specs corrected: %s", len(changes), ", ".join(str(one.place) for one in changes))
            self.changes += changes
            report = self.report = self._check(model)
            if not _has_correctable_errors(report):
                break

    def _complain(self, error: QuantGateError) -> None:
        if self._mode == "strict":
            raise error
        _log.warning("%s", error)

    def _check(self, model: Any) -> Report:
        return check(model, targets=self._targets, mode=self._mode, server=self._server, timeout=self._timeout)

    def __getattr__(self, name: str) -> Any:
        # prepare_obs_or_fq_callback and whatever else the quantizer has. How it is copied is this object's own affair,
        # and while that happens there is no quantizer yet.
        if name == "_quantizer" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._quantizer, name)


def _is_part(quantizer: Gated, caller: Any) -> bool:
    """Whether whoever calls validates as torchao's ComposableQuantizer does, by its name, and has the quantizer."""
    validates = next((base for base in type(caller).__mro__ if "validate" in vars(base)), None)
    return validates is not None and validates.__name__ == "ComposableQuantizer" and any(
        one is quantizer for one in getattr(caller, "quantizers", ()))


def _has_correctable_errors(report: Report) -> bool:
    """With several targets, any errors: their common corrections do not say what they fix."""
    results = report.results
    if len(results) > 1:
        return any(_is_error(finding) for finding in report.findings())
    return any(_is_error(result.findings[index]) for result in results for one in result.corrections if one.proven
               for index in one.fixes)


def _is_error(finding: report_pb2.Finding) -> bool:
    return finding.severity == report_pb2.Finding.ERROR
