"""A quantizer that asks before anything is inserted."""
from __future__ import annotations

import logging
from typing import Any, Optional, Sequence

from quantgate.checking import check
from quantgate.report import Report

_log = logging.getLogger("quantgate")


class Gated:
    """A torchao Quantizer around another: prepare_pt2e(gm, Gated(quantizer, targets=[...])).

    Annotations are checked when torchao validates them, which is before any observer is inserted. mode "strict" raises
    one RejectedError that lists everything; "warn" logs it and goes on. `report` is the last answer.
    """

    def __init__(self, quantizer: Any, targets: Sequence[str] = (), mode: str = "strict", fix: bool = False, *,
                 server: Optional[str] = None, timeout: float = 60.0) -> None:
        if fix:
            raise NotImplementedError("fix=True needs corrections, which this version does not make")
        self._quantizer = quantizer
        self._targets = targets
        self._mode = mode
        self._server = server
        self._timeout = timeout
        self.report: Optional[Report] = None

    def transform_for_annotation(self, model: Any) -> Any:
        return self._quantizer.transform_for_annotation(model)

    def annotate(self, model: Any) -> Any:
        return self._quantizer.annotate(model)

    def validate(self, model: Any) -> None:
        self._quantizer.validate(model)
        self.report = check(model, targets=self._targets, mode=self._mode, server=self._server, timeout=self._timeout)
        if self._mode == "strict":
            self.report.raise_for_verdict()
        elif self.report.findings():
            _log.warning("%s", self.report)

    def __getattr__(self, name: str) -> Any:
        # prepare_obs_or_fq_callback and whatever else the quantizer has.
        return getattr(self._quantizer, name)
