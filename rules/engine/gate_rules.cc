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
    "reported only if one of the models and targets of the run is among those that it names.",
    "Remove the waiver, or correct its rule and patterns.",
    "A waiver of DT105 for `layer.*` is reported when no node of that name has the finding. One that names another "
    "model, or a target that was not asked about, is not.",
};

}  // namespace quantgate
