#include "rules/backends/xnnpack/volume_convolution.h"

#include <string>
#include <utility>

#include "rules/backends/node_view.h"
#include "rules/backends/table_target.h"

namespace quantgate::xnnpack {

const RuleInfo kVolumeConvolution = {
    "CV605",
    "volume-convolution",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; ExecuTorch needs {allowed}.",
    "XNNPACK has convolutions over rows and planes. One over volumes is left to ExecuTorch's portable kernel, and that "
    "takes the same two alone: the program is written, and every call ends with error 0x12 (InvalidArgument). In float "
    "it is no better.",
    "Write it as convolutions over planes, one for each place of the kernel's depth, and sum what they give.",
    "Fires: aten.conv3d.default. Does not: aten.conv2d.default.",
};

namespace {

bool IsOverVolumes(const CheckContext& context, const ResolvedOp& op) {
  constexpr int kVolumes = 5;  // channels out, channels in, and three of the kernel
  if (op.op == nullptr || (op.op->id != OpId::kConv && op.op->id != OpId::kConvTranspose)) return false;
  const NodeView view(context, op, nullptr);
  return view.rank(view.input(1)) == kVolumes;
}

}  // namespace

void CheckVolumeConvolution(const CheckContext& context, const Target& target, FindingSink& sink,
                            ModuleResult& result) {
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const ResolvedOp& op = context.resolved().ops()[i];
    if (!result.ops[i].refused || !IsOverVolumes(context, op)) continue;
    FindingSource source =
        FromTable(target, v1::Source::MEASURED, "", "ExecuTorch 1.5.1, Conv3d and ConvTranspose3d, run");
    Place place;
    place.node = op.node;
    sink.Add(kVolumeConvolution, place, "a kernel of three dimensions", "one of one or two", std::move(source));
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::xnnpack
