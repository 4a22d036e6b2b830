"""Running a model through reference integer kernels, beside a float reference."""
from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Union

from quantgate import executable
from quantgate.errors import QuantGateError, seconds

if TYPE_CHECKING:
    import numpy

Inputs = Union[Mapping[str, Any], Sequence[Any]]


class Simulation:
    """What the numbers do: `report` as in `quantgate simulate --format json`, `values` by name, integers where the value
    is quantized."""

    def __init__(self, report: Dict[str, Any], values: Dict[str, "numpy.ndarray[Any, Any]"]) -> None:
        self.report = report
        self.values = values

    @property
    def nodes(self) -> Sequence[Dict[str, Any]]:
        nodes: Sequence[Dict[str, Any]] = self.report["simulation"]["nodes"]
        return nodes

    @property
    def findings(self) -> Sequence[Dict[str, Any]]:
        findings: Sequence[Dict[str, Any]] = self.report["results"][0]["findings"]
        return findings

    @property
    def first_bad_node(self) -> str:
        return str(self.report["simulation"]["firstBadNode"])


def simulate(model: Any, inputs: Optional[Inputs] = None, target: str = "", profile: str = "", seed: int = 0,
             timeout: float = 600.0) -> Simulation:
    """Runs `model` (a path, a converted torch.fx.GraphModule or a torch.export.ExportedProgram).

    `inputs`: arrays or tensors by name, or in the order of the model's inputs; a GraphModule needs them. None: seeded
    ones from the recorded ranges. Raises QuantGateError when the question could not be answered.
    """
    import numpy

    timeout = seconds(timeout)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        path, names = _file_of(model, inputs, place)
        arguments = ["simulate", path, "--format", "json", "--quiet", "--dump", str(place / "out.npz"), "--seed", str(seed)]
        if target:
            arguments += ["--target", target]
        if profile:
            arguments += ["--profile", profile]
        if inputs is not None:
            if not isinstance(inputs, Mapping):
                if len(names) != len(inputs):
                    raise QuantGateError("INVALID_ARGUMENT", "inputs of a file are given by name")
                inputs = dict(zip(names, inputs))
            numpy.savez(place / "in.npz", **{name: _array(value) for name, value in inputs.items()})
            arguments += ["--input", str(place / "in.npz")]
        try:
            done = subprocess.run([executable.find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, errors="replace", timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise QuantGateError("DEADLINE_EXCEEDED", f"quantgate simulate took more than {timeout:g} s") from None
        if done.returncode not in (0, 1):
            line = (done.stderr.strip().splitlines() or [f"quantgate simulate ended with {done.returncode}"])[-1]
            code, _, message = line.removeprefix("error[").partition("]: ")
            raise QuantGateError(code, message) if message else QuantGateError("INTERNAL", line)
        with numpy.load(place / "out.npz") as values:
            return Simulation(json.loads(done.stdout), {name: values[name] for name in values.files})


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _file_of(model: Any, inputs: Optional[Inputs], folder: pathlib.Path) -> "tuple[str, Sequence[str]]":
    """A file of the model, and the names of its inputs where they are known."""
    if isinstance(model, (str, pathlib.Path)):
        return str(model), ()
    import torch

    program = model
    if isinstance(model, torch.fx.GraphModule):
        if inputs is None:
            raise QuantGateError("INVALID_ARGUMENT", "a GraphModule is simulated with inputs: they say its shapes")
        given = tuple(inputs.values()) if isinstance(inputs, Mapping) else tuple(inputs)
        program = torch.export.export(model, given)
    elif not isinstance(model, torch.export.ExportedProgram):
        raise QuantGateError("INVALID_ARGUMENT", f"{type(model).__name__}: no path, GraphModule or ExportedProgram")
    path = folder / "model.pt2"
    torch.export.save(program, str(path))
    return str(path), tuple(program.graph_signature.user_inputs)
