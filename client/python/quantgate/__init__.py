"""Will this quantization configuration run, in full and correctly, on this SoC?

    import quantgate
    report = quantgate.check(model, targets=["qnn_htp/SM8650"])
    if not report.ok:
        print(report)

`model` is a path, a torch.fx.GraphModule at any stage of PT2E, or a torch.export.ExportedProgram. PyTorch is only
imported by whoever passes one.
"""
from typing import TYPE_CHECKING

from quantgate.checking import apply, check, sharing_groups, to_graph
from quantgate.client import Client
from quantgate.errors import QuantGateError
from quantgate.gated import Gated
from quantgate.report import RejectedError, Report
from quantgate.simulation import Simulation, simulate

__all__ = ["Client", "Gated", "QuantGateError", "RejectedError", "Report", "Simulation", "apply", "check",
           "sharing_groups", "simulate", "to_graph"]
__version__: str

if not TYPE_CHECKING:  # which would take it for a promise of any name
    def __getattr__(name):
        """__version__, as pyproject.toml has it; who does not ask need not load what reads it."""
        if name == "__version__":
            from importlib import metadata

            try:
                return metadata.version("quantgate")
            except metadata.PackageNotFoundError:  # copied without it
                pass
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
