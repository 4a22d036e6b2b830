"""Running a model through reference integer kernels, beside a float reference."""
from __future__ import annotations

import json
import os
import pathlib
import zipfile
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from quantgate import executable
from quantgate.checking import import_file, no_answer
from quantgate.errors import QuantGateError, is_of_torch, seconds

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
    for name, value in (("target", target), ("profile", profile)):
        if not isinstance(value, str):
            raise QuantGateError("INVALID_ARGUMENT", f"{name} {value!r}: expected a name")
    with executable.folder() as folder:
        place = pathlib.Path(folder)
        path, named = _file_of(model, inputs, place, timeout)
        arguments = ["simulate", "--format", "json", "--quiet", "--dump", str(place / "out.npz"), "--seed", str(seed)]
        if target:
            arguments += ["--target", target]
        if profile:
            arguments += ["--profile", profile]
        if named is not None:
            _write(place / "in.npz", named)
            arguments += ["--input", str(place / "in.npz")]
        # 1: computed, and something of it is a finding.
        report = executable.run([*arguments, "--", path], timeout, answers=(0, 1))
        try:
            with numpy.load(place / "out.npz") as values:
                return Simulation(json.loads(report), {name: values[name] for name in values.files})
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise no_answer("simulate", str(error)) from None


def _write(path: pathlib.Path, inputs: Mapping[str, Any]) -> None:
    """As numpy.savez does, which takes some names for its own arguments."""
    import numpy

    with zipfile.ZipFile(path, "w") as archive:
        for name, value in inputs.items():
            if not isinstance(name, str):
                raise QuantGateError("INVALID_ARGUMENT", f"input {name!r}: expected the name of an input")
            try:
                array = numpy.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value)
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    numpy.save(member, array, allow_pickle=False)
            # bfloat16, float8; lists of no one shape, objects; half of a character.
            except (TypeError, ValueError, RuntimeError) as error:
                raise QuantGateError("INVALID_ARGUMENT", f"input {ascii(name)}: {error}") from None


def _file_of(model: Any, inputs: Optional[Inputs], folder: pathlib.Path,
             timeout: float) -> Tuple[str, Optional[Mapping[str, Any]]]:
    """A file of the model, and the inputs by their names in it."""
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        if inputs is None or isinstance(inputs, Mapping):
            return path, inputs
        graph, _ = import_file(path, timeout)
        return path, _by_name([graph.values[number - 1].name for number in graph.inputs], inputs)
    refusal = QuantGateError("INVALID_ARGUMENT", f"{type(model).__name__}: no path, GraphModule or ExportedProgram")
    if not is_of_torch(model):
        raise refusal
    import numpy
    import torch

    program = model
    if isinstance(model, torch.fx.GraphModule):
        if inputs is None:
            raise QuantGateError("INVALID_ARGUMENT", "a GraphModule is simulated with inputs: they say its shapes")
        names = [str(node.target) for node in model.graph.nodes if node.op == "placeholder"]
        inputs = list(_by_name(names, inputs).values())
        try:
            program = torch.export.export(model, tuple(
                torch.from_numpy(value) if isinstance(value, numpy.ndarray) else value for value in inputs))
        except Exception as error:  # of any kind: it is a user's module
            raise QuantGateError("INVALID_ARGUMENT", f"torch.export.export refuses the module with these inputs: "
                                                     f"{(str(error).splitlines() or [repr(error)])[0]}") from error
    elif not isinstance(model, torch.export.ExportedProgram):
        raise refusal
    path = str(folder / "model.pt2")
    torch.export.save(program, path)
    return path, None if inputs is None else _by_name(program.graph_signature.user_inputs, inputs)


def _by_name(names: Sequence[Any], inputs: Inputs) -> Mapping[str, Any]:
    """In the order of the model's inputs."""
    if isinstance(inputs, Mapping):
        if set(inputs) == set(names):
            return {name: inputs[name] for name in names}
    elif not isinstance(inputs, (list, tuple)):
        raise QuantGateError("INVALID_ARGUMENT", f"inputs: a list, a tuple or a mapping, not {type(inputs).__name__}")
    elif len(inputs) == len(names):
        return dict(zip(names, inputs))
    given = ", ".join(map(str, inputs)) if isinstance(inputs, Mapping) else len(inputs)
    raise QuantGateError("INVALID_ARGUMENT", f"the model has the inputs {', '.join(map(str, names))}; given: {given}")
