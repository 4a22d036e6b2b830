"""ResNet, quantized 16a16w for SM8350: ExecuTorch ends in "Failed to generate Qnn context binary." QuantGate mends it."""
import time

import quantgate
import torch
from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype
from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset, QnnExecuTorchBackendType
from executorch.backends.qualcomm.utils import utils
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from transformers import ResNetConfig, ResNetModel

def look(graph):  # prepare_pt2e calls it between annotating and inserting observers
    begin = time.perf_counter()
    report = quantgate.check(graph, targets=["qnn_htp/SM8350@2.49"])
    print(f"{1000 * (time.perf_counter() - begin):.0f} ms\n{report}")
    for change in quantgate.apply(report, graph):
        print("changed", change.place, change.before.dtype, "->", change.after.dtype)
    print(quantgate.check(graph, targets=["qnn_htp/SM8350@2.49"]).verdict())

model = ResNetModel(ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic")).eval()
images = (torch.randn(1, 3, 64, 64),)
quantizer = QnnQuantizer(backend=QnnExecuTorchBackendType.kHtpBackend, soc_model=QcomChipset.SM8350)
quantizer.set_default_quant_config(QuantDtype.use_16a16w, is_conv_per_channel=True, is_linear_per_channel=True)
quantizer.validate = look  # without this line: AssertionError
gm = prepare_pt2e(torch.export.export(model, images, strict=True).module(check_guards=False), quantizer)
gm(*images)
options = utils.generate_htp_compiler_spec(use_fp16=False)
spec = utils.generate_qnn_executorch_compiler_spec(soc_model=QcomChipset.SM8350, backend_options=options)
lowered = utils.to_edge_transform_and_lower_to_qnn(convert_pt2e(gm), images, spec)
print("lowered:", [str(node.target) for node in lowered.exported_program().graph.nodes if node.op == "call_function"])
