"""Will this quantization configuration run, in full and correctly, on this SoC?

    import quantgate
    report = quantgate.check(model, targets=["qnn_htp/SM8650"])
    if not report.ok:
        print(report)

`model` is a path, a torch.fx.GraphModule at any stage of PT2E, or a torch.export.ExportedProgram. PyTorch is only
imported by whoever passes one.
"""
from quantgate.checking import apply, check, sharing_groups, to_graph
from quantgate.client import Client
from quantgate.errors import QuantGateError
from quantgate.gated import Gated
from quantgate.report import RejectedError, Report
from quantgate.simulation import Simulation, simulate

__all__ = ["Client", "Gated", "QuantGateError", "RejectedError", "Report", "Simulation", "apply", "check",
           "sharing_groups", "simulate", "to_graph"]
