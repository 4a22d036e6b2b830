"""check, to_graph and sharing_groups: one question, whatever the model is held in."""
from __future__ import annotations

import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, List, Literal, Optional, Sequence, Tuple, Union

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from quantgate import executable
from quantgate.client import Client
from quantgate.errors import QuantGateError, is_of_torch, no_graph, not_checked, seconds
from quantgate.report import Report
from quantgate.v1 import graph_pb2, report_pb2, types_pb2

if TYPE_CHECKING:
    from quantgate.fx_apply import AppliedChange

Place = Union[Tuple[Literal["node"], str], Tuple[Literal["edge"], str, str]]


def check(model: Any, targets: Optional[Sequence[str]] = (), mode: str = "strict", server: Optional[str] = None,
          example_inputs: Any = None, *, toolchain: str = "", timeout: float = 60.0) -> Report:
    """Asks whether `model` will run, in full and correctly, on every target.

    model: a torch.fx.GraphModule at any PT2E stage, a torch.export.ExportedProgram, or the path of a model file.
    targets: such as ["qnn_htp/SM8650"]; none, or None: the rules that hold everywhere. mode: "strict" or "warn".
    server: "host:port"; none: a server of this process's own. example_inputs: for a GraphModule whose nodes carry no
    meta["val"]: shapes are taken from a run with them. timeout: seconds.

    Raises QuantGateError when the question cannot be answered; findings are data in the report.
    """
    timeout = seconds(timeout)
    file = report_pb2.ModelInfo()
    if isinstance(model, (str, os.PathLike)):
        graph, file = import_file(os.fspath(model), timeout)
    else:
        graph = to_graph(model, example_inputs)
    with Client(server or executable.private_server(timeout), timeout=timeout) as client:
        return client.validate(graph, targets=targets, mode=mode, toolchain=toolchain, model=file)


def to_graph(model: Any, example_inputs: Any = None) -> graph_pb2.Graph:
    """The quantgate.v1.Graph of a torch.fx.GraphModule or torch.export.ExportedProgram."""
    return _convert(model, example_inputs)


def _convert(model: Any, example_inputs: Any = None, told_apart: bool = False) -> graph_pb2.Graph:
    """As fx.to_graph, which imports PyTorch: what cannot be a graph of it is refused without."""
    if not is_of_torch(model):
        raise no_graph(model)
    try:
        from quantgate import fx
    except ModuleNotFoundError as error:
        raise QuantGateError("INVALID_ARGUMENT", f"expected the path of a model file, not {type(model).__name__}: without "
                                                 f"{error.name} no other model can be read") from None

    return fx.to_graph(model, example_inputs, told_apart)


def sharing_groups(model: Any, *, timeout: float = 60.0) -> List[List[Place]]:
    """Which annotated places will share one observer, in the order of torchao's group ids.

    A member is ("edge", producer, consumer) or ("node", name). Raises QuantGateError where prepare_pt2e would fail.
    """
    with executable.folder() as folder:
        path = pathlib.Path(folder) / "graph.pb"
        path.write_bytes(_convert(model, told_apart=True).SerializeToString())
        text = executable.run(["groups", str(path), "--format", "json"], seconds(timeout))
    try:
        answer = json.loads(text)
    except ValueError:
        raise no_answer("groups", text) from None
    if answer["error"] is not None:
        raise QuantGateError("FAILED_PRECONDITION", answer["error"])
    return [[("node", place[0]) if len(place) == 1 else ("edge", place[0], place[1]) for place in group]
            for group in answer["groups"]]


def apply(report: Report, model: Any, target: Optional[str] = None) -> List[AppliedChange]:
    """Writes the corrected specs of a report into the annotations of the graph that was checked, in place.

    The moment is that of annotated graphs: after annotate, before observers are inserted (Gated does it there). In a
    calibrated graph observers give way to such as answer with the corrected numbers; corrections that need other
    observers than the graph has are refused, and so is a converted graph.

    target: whose corrections; none: those of the only target, or with several those that satisfy all of them. Only
    corrections that were checked again are applied. Returns what changed; nothing does when one of their places is not
    in the graph, or is another operator, or annotated otherwise, than when it was checked (QuantGateError).
    """
    if not isinstance(report, Report):
        raise QuantGateError("INVALID_ARGUMENT", f"expected the report of a check, not {type(report).__name__}")
    if not is_of_torch(model):  # without an import of PyTorch, which takes seconds
        raise not_checked(model)
    corrections = _corrections(report, target)
    if report.proto.stage == types_pb2.STAGE_CONVERTED:
        raise QuantGateError("FAILED_PRECONDITION", "the graph is converted already: apply the report of the annotated "
                                                    "graph, before prepare_pt2e inserts observers")
    if not corrections:
        return []
    from quantgate import fx_apply, fx_calibrated

    if report.proto.stage == types_pb2.STAGE_CALIBRATED or fx_calibrated.is_prepared(model):
        return fx_calibrated.apply(corrections, model)
    return fx_apply.apply(corrections, model)


def _corrections(report: Report, target: Optional[str]) -> List[List[report_pb2.Change]]:
    if target is None and len(report.results) > 1:
        common = report.proto.common_corrections
        return [list(common.changes)] if common.proven and common.changes else []
    result = report.results[0] if target is None else report.result(target)
    return [list(correction.changes) for correction in result.corrections if correction.proven]


def import_file(path: str, timeout: float) -> Tuple[graph_pb2.Graph, report_pb2.ModelInfo]:
    """What `quantgate import` makes of a model file."""
    with executable.folder() as folder:
        graph_file, info_file = pathlib.Path(folder) / "graph.pb", pathlib.Path(folder) / "info.json"
        executable.run(["import", "-o", str(graph_file), "--info", str(info_file), "--quiet", "--", path], timeout)
        graph = graph_pb2.Graph()
        info = report_pb2.ModelInfo()
        try:
            graph.ParseFromString(graph_file.read_bytes())
            json_format.Parse(info_file.read_bytes(), info)
        except (OSError, DecodeError, json_format.ParseError) as error:
            raise no_answer("import", str(error)) from None
        return graph, info


def no_answer(command: str, text: str) -> QuantGateError:
    return QuantGateError("INTERNAL", f"{executable.find()} {command} gave no answer that this version reads: "
                                      f"{text[:200].strip() or 'nothing'}")
