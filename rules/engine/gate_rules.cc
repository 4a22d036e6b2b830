#include "rules/engine/gate_rules.h"

namespace quantgate {

const RuleInfo kExpiredWaiver = {
    "EN301",
    "expired-waiver",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} {observed}; it holds {allowed}",
    "A waiver is a promise with a date: until then somebody answers for the finding. After the last day, in UTC, it "
    "waives nothing any more, and the findings that it was for count again.",
    "Remove what was waived from the model, or decide again and write a new date.",
    "A waiver with `expires: 2026-01-31` is reported from 2026-02-01T00:00:00Z on, and not a second before.",
};

const RuleInfo kUnusedWaiver = {
    "EN302",
    "unused-waiver",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} {observed}; it is for {allowed}",
    "A waiver that matches nothing hides the next finding that happens to match it, and nobody will know. It is "
    "reported if one of the models and targets of the run is among those that it names, and if it names a target that "
    "no backend has: that matches in no run at all.",
    "Remove the waiver, or correct its rule and patterns.",
    "A waiver of DT105 for `layer.*` is reported when no node of that name has the finding, and so is one for "
    "`qnn_htp/SM865O`. One that names another model, or a target that was not asked about, is not: EN303 counts it.",
};

const RuleInfo kForeignWaiver = {
    "EN303",
    "foreign-waiver",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject} for other runs: {observed}",
    "The patterns of these waivers name no model, or no target, of this run. That is as it should be where one file "
    "serves many runs; it is also what a mistyped pattern looks like.",
    "Nothing, if another run checks what they are for; otherwise remove them or correct their patterns.",
    "A waiver with `model: vision/*.onnx` is counted when only `audio/asr.onnx` is checked, and not when "
    "`vision/a.onnx` is.",
};

const RuleInfo kRenamedModel = {
    "EN304",
    "renamed-model",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} {observed}; it counts for {allowed}",
    "A baseline about one model that is not there any more also counts for a model of another name that has as many "
    "nodes and values: it has most likely been renamed. If it is a new one, what it has in common with the old one "
    "does not fail.",
    "Write the baseline again, with the model's own name; without the old one, if this is another model.",
    "A baseline about `resnet8.onnx` counts for `resnet8_v2.onnx` of the same size once `resnet8.onnx` is gone.",
};

}  // namespace quantgate
