#include "rules/backends/xnnpack/hardtanh_maximum.h"

#include <string>
#include <utility>

#include "rules/backends/node_view.h"
#include "rules/backends/table_target.h"

namespace quantgate::xnnpack {

const RuleInfo kHardtanhMaximum = {
    "CV604",
    "hardtanh-maximum",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; ExecuTorch needs {allowed}.",
    "PyTorch leaves out a last argument that has its default value, 1 for the maximum of hardtanh. Where ExecuTorch "
    "1.5.1 makes a hardtanh part of the layer in front, and where it writes one, it reads the maximum of all that have "
    "a minimum, and the export ends with \"tuple index out of range\".",
    "Write clamp(x, minimum, 1), or choose another maximum.",
    "Fires: aten.hardtanh.default(x, 0). Does not: (x), (x, 0, 6), or one that is left to the CPU.",
};

void CheckHardtanhMaximum(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result) {
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const int32_t node = context.resolved().ops()[i].node;
    if (result.ops[i].refused || !IsHardtanhWithoutMaximum(context.graph(), node)) continue;
    FindingSource source =
        FromTable(target, v1::Source::MEASURED, "", "ExecuTorch 1.5.1, a convolution and a hardtanh, lowered");
    Place place;
    place.node = node;
    sink.Add(kHardtanhMaximum, place, "a minimum and no maximum", "both written out", std::move(source));
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::xnnpack
