"""What a check found."""
from __future__ import annotations

import html
from typing import Any, List, Optional, Sequence, Tuple

from quantgate.errors import QuantGateError
from quantgate.v1 import report_pb2

_ACCEPTED = (report_pb2.Result.ACCEPTED, report_pb2.Result.ACCEPTED_WITH_WARNINGS)
_COLORS = {"ACCEPTED": "#1a7f37", "ACCEPTED_WITH_WARNINGS": "#9a6700", "REJECTED": "#cf222e"}


class Report:
    """A quantgate.v1.Report with the questions that scripts ask. `proto` is the message itself; `targets` the names
    that were asked for. A target that was named twice has one result, at its first place."""

    def __init__(self, proto: report_pb2.Report, targets: Sequence[str] = ()) -> None:
        self.proto = proto
        names = tuple(dict.fromkeys(str(target).casefold() for target in targets))
        # Fewer results: some of them are other spellings of one target, and which ones only the server knows.
        self._asked = names if len(names) == len(proto.results) else ()

    @property
    def ok(self) -> bool:
        """Every target accepts, with or without warnings; always true in warn mode."""
        return (self.proto.mode == report_pb2.Report.WARN
                or all(result.verdict in _ACCEPTED for result in self.results))

    @property
    def results(self) -> Sequence[report_pb2.Result]:
        """One per target, in the order in which they were first asked for."""
        results: Sequence[report_pb2.Result] = self.proto.results
        return results

    def result(self, target: str) -> report_pb2.Result:
        """The result of one target, by the name it was asked by or its resolved form."""
        target = str(target)
        for asked, result in zip(self._asked, self.results):
            if asked == target.casefold():
                return result
        for result in self.results:
            if result.target == target or result.target.partition("@")[0] == target or (
                    "@" in target and result.target.startswith(target + ".")):
                return result
        known = ", ".join(result.target for result in self.results)
        raise QuantGateError("NOT_FOUND", f"the report has no result for '{target}' (it has: {known})")

    def findings(self, target: Optional[str] = None) -> List[report_pb2.Finding]:
        """All findings of one target; without a target those of all, one after the other."""
        results = self.results if target is None else [self.result(target)]
        return [finding for result in results for finding in result.findings]

    def verdict(self, target: Optional[str] = None) -> str:
        """"ACCEPTED", "ACCEPTED_WITH_WARNINGS", "REJECTED" or "UNKNOWN"; without a target the worst of all."""
        results = self.results if target is None else [self.result(target)]
        order = [report_pb2.Result.REJECTED, report_pb2.Result.UNKNOWN, report_pb2.Result.ACCEPTED_WITH_WARNINGS]
        for verdict in order:
            if any(result.verdict == verdict for result in results):
                return str(report_pb2.Result.Verdict.Name(verdict))
        return "ACCEPTED"

    def raise_for_verdict(self) -> None:
        """Raises RejectedError, with every error in its text, unless `ok`."""
        if not self.ok:
            raise RejectedError(self)

    def __str__(self) -> str:
        lines = []
        for result in self.results:
            lines.append(f"{result.target}: {_words(report_pb2.Result.Verdict.Name(result.verdict))}"
                         + (f" ({result.verdict_reason})" if result.verdict_reason else ""))
            for finding in result.findings:
                severity = report_pb2.Finding.Severity.Name(finding.severity).lower()
                effect = _words(report_pb2.Finding.Effect.Name(finding.effect))
                lines.append(f"  {severity}[{finding.code}] {finding.rule} · {effect}: {finding.message}")
            for correction in result.corrections:
                lines.append(f"  correction {correction.id}{_nature(correction)}: {correction.summary}")
            lines.extend(f"  {line}" for line in _not_checked(result))
        return "\n".join([*lines, *_common(self.proto.common_corrections)])

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{r.target}: {report_pb2.Result.Verdict.Name(r.verdict)}" for r in self.results)
        return f"<quantgate.Report {verdicts}>"

    def _repr_html_(self) -> str:
        parts = []
        for result in self.results:
            verdict = report_pb2.Result.Verdict.Name(result.verdict)
            color = _COLORS.get(verdict, "#57606a")
            parts.append(f"<h4>{html.escape(result.target)}: <span style='color:{color}'>{_words(verdict)}</span></h4>")
            if result.verdict_reason:
                parts.append(_paragraph(result.verdict_reason))
            if result.findings:
                parts.append(_table(("finding", "node", "what", "fix"), [
                    (f"{finding.code} {finding.rule}", finding.location.node, finding.message, finding.fix)
                    for finding in result.findings]))
            if result.corrections:
                parts.append(_table(("correction", "changes", "what"), [
                    (f"{correction.id}{_nature(correction)}", str(len(correction.changes)), correction.summary)
                    for correction in result.corrections]))
            parts.extend(map(_paragraph, _not_checked(result)))
        return "".join([*parts, *map(_paragraph, _common(self.proto.common_corrections))])


def _nature(correction: report_pb2.Correction) -> str:
    words = [word for word, said in (("safe", correction.safe), ("not proven", not correction.proven)) if said]
    return f" ({', '.join(words)})" if words else ""


def _not_checked(result: report_pb2.Result) -> List[str]:
    left = result.not_checked
    return [f"not checked: {len(left)}, because {left[0].reason}" + (", …" if len(left) > 1 else "")] if left else []


def _common(corrections: report_pb2.CommonCorrections) -> List[str]:
    """Of several targets together."""
    conflicts = corrections.conflicts
    together = ([f"{len(corrections.changes)} changes of specs satisfy all targets"]
                if corrections.changes and not conflicts else [])
    return together + [f"not together: {', '.join(conflict.targets)}: {conflict.reason}" for conflict in conflicts]


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                   for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


class RejectedError(QuantGateError):
    """At least one target rejects the model; the message lists every error, `report` holds all of it."""

    def __init__(self, report: Report) -> None:
        super().__init__("REJECTED", str(report))
        self.report = report

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.report,)
