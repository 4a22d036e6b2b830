"""Every quantizer of torchao and ExecuTorch that starts without its vendor's SDK, by a short name.

A factory imports what it needs, so that one whose packages are absent skips alone.
"""
import sys
import types
import unittest.mock

import torch


def qnn(dtype, soc='SM8650', per_channel=True, backend='kHtpBackend', **options):
    from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset, QnnExecuTorchBackendType

    quantizer = QnnQuantizer(backend=QnnExecuTorchBackendType[backend], soc_model=QcomChipset[soc])
    quantizer.set_default_quant_config(QuantDtype['use_' + dtype], is_conv_per_channel=per_channel,
                                       is_linear_per_channel=per_channel, **options)
    return quantizer


def qnn_blocks():
    quantizer = qnn('16a4w_block')
    quantizer.set_block_size_map({'linear': (1, 4)})
    return quantizer


def xnnpack(**options):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (XNNPACKQuantizer,
                                                                         get_symmetric_quantization_config)

    return XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))


def inductor(kind, **options):
    if kind == 'x86':
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as module
        return module.X86InductorQuantizer().set_global(module.get_default_x86_inductor_quantization_config(**options))
    if kind == 'arm':
        from torchao.quantization.pt2e.quantizer import arm_inductor_quantizer as module
        return module.ArmInductorQuantizer().set_global(module.get_default_arm_inductor_quantization_config(**options))
    from torchao.quantization.pt2e.quantizer import xpu_inductor_quantizer as module
    return module.XPUInductorQuantizer().set_global(module.get_default_xpu_inductor_quantization_config())


def embedding():
    from torchao.quantization.pt2e.quantizer.embedding_quantizer import EmbeddingQuantizer
    return EmbeddingQuantizer()


def cadence(name):
    from executorch.backends.cadence.aot.quantizer import quantizer as module
    return getattr(module, name)()


def vulkan(**options):
    from executorch.backends.vulkan.quantizer import vulkan_quantizer as module
    return module.VulkanQuantizer().set_global(module.get_symmetric_quantization_config(**options))


def coreml():
    from coremltools.optimize.torch.quantization.quantization_config import (LinearQuantizerConfig,
                                                                             QuantizationScheme)
    from executorch.backends.apple.coreml.quantizer import CoreMLQuantizer

    return CoreMLQuantizer(LinearQuantizerConfig.from_dict({'global_config': {
        'quantization_scheme': QuantizationScheme.symmetric, 'activation_dtype': torch.quint8,
        'weight_dtype': torch.qint8, 'weight_per_channel': True}}))


def samsung():
    from executorch.backends.samsung.quantizer import EnnQuantizer
    return EnnQuantizer()


def example():
    from executorch.backends.example.example_quantizer import ExampleQuantizer
    return ExampleQuantizer()


def stand_in(*names):
    """Empty modules for a vendor's packages, which importing a quantizer needs and quantizing does not."""
    for name in names:
        if name not in sys.modules:
            sys.modules[name] = types.ModuleType(name)
            parent, _, child = name.rpartition('.')
            if parent:
                setattr(sys.modules[parent], child, sys.modules[name])


def mediatek(precision='A8W8'):
    stand_in('mtk_converter', 'mtk_converter.python', 'mtk_converter.python.converters',
             'mtk_converter.python.converters.pytorch', 'mtk_converter.python.converters.pytorch.importer_v2',
             'mtk_neuron')
    from executorch.backends.mediatek.quantizer import NeuropilotQuantizer, Precision

    quantizer = NeuropilotQuantizer()
    quantizer.setup_precision(Precision[precision])
    return quantizer


def nxp():
    stand_in('eiq_neutron_sdk')
    sdk = sys.modules['eiq_neutron_sdk']
    sdk.neutron_converter = sdk.neutron_library_utils = unittest.mock.MagicMock()
    from executorch.backends.nxp.backend import neutron_target_spec as target
    from executorch.backends.nxp.quantizer.neutron_quantizer import NeutronQuantizer

    with unittest.mock.patch.multiple(target.NeutronTargetSpec, is_subsystem=lambda _: False,
                                      get_hw_version=lambda _: target.NeutronHWVersion.N3):
        return NeutronQuantizer(target.NeutronTargetSpec('imxrt700'))


def arm(kind):
    from executorch.backends.arm.quantizer import arm_quantizer as module

    if kind == 'ethos_u':
        from executorch.backends.arm.ethosu import EthosUCompileSpec
        return module.EthosUQuantizer(EthosUCompileSpec('ethos-u55-128')).set_global(
            module.get_symmetric_quantization_config())
    from executorch.backends.arm.vgf import VgfCompileSpec
    return module.VgfQuantizer(VgfCompileSpec()).set_global(module.get_symmetric_quantization_config())


def cortex_m():
    from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
    return CortexMQuantizer()


def openvino(mode='INT8_SYM'):
    from executorch.backends.openvino.quantizer.quantizer import OpenVINOQuantizer, QuantizationMode
    return OpenVINOQuantizer(mode=QuantizationMode[mode])


HTP = {'qnn_8a8w': lambda: qnn('8a8w'), 'qnn_8a8w_per_tensor': lambda: qnn('8a8w', per_channel=False),
       'qnn_8a4w': lambda: qnn('8a4w'), 'qnn_16a8w': lambda: qnn('16a8w'), 'qnn_16a4w': lambda: qnn('16a4w'),
       'qnn_16a16w': lambda: qnn('16a16w'), 'qnn_16a2w': lambda: qnn('16a2w'), 'qnn_16a4w_block': qnn_blocks,
       'qnn_8a8w_symmetric': lambda: qnn('8a8w', act_symmetric=True)}

OTHERS = {
    'qnn_lpai_8a8w': lambda: qnn('8a8w', soc='SM8850', backend='kLpaiBackend'),
    'xnnpack': xnnpack, 'xnnpack_per_channel': lambda: xnnpack(is_per_channel=True),
    'xnnpack_dynamic': lambda: xnnpack(is_per_channel=True, is_dynamic=True),
    'xnnpack_4w': lambda: xnnpack(is_per_channel=True, is_dynamic=True, weight_qmin=-8, weight_qmax=7),
    'x86': lambda: inductor('x86'), 'x86_dynamic': lambda: inductor('x86', is_dynamic=True),
    'arm_inductor': lambda: inductor('arm'), 'xpu': lambda: inductor('xpu'), 'embedding': embedding,
    'cadence': lambda: cadence('CadenceDefaultQuantizer'),
    'cadence_wake_word': lambda: cadence('CadenceWakeWordQuantizer'),
    'cadence_layer_norm': lambda: cadence('CadenceWithLayerNormQuantizer'),
    'cadence_fused': lambda: cadence('CadenceFusedConvReluQuantizer'),
    'cadence_softmax': lambda: cadence('CadenceWithSoftmaxQuantizer'),
    'cadence_16bit_linear': lambda: cadence('CadenceWith16BitLinearActivationsQuantizer'),
    'cadence_16bit_conv': lambda: cadence('CadenceWith16BitConvActivationsQuantizer'),
    'vulkan': vulkan, 'coreml': coreml, 'samsung': samsung, 'example': example, 'mediatek': mediatek,
    'mediatek_a16w8': lambda: mediatek('A16W8'), 'nxp': nxp, 'ethos_u': lambda: arm('ethos_u'),
    'vgf': lambda: arm('vgf'), 'cortex_m': cortex_m, 'openvino': openvino,
    'openvino_mixed': lambda: openvino('INT8_MIXED'), 'openvino_weights': lambda: openvino('INT8WO_SYM')}

ALL = {**HTP, **OTHERS}
