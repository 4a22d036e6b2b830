// What makes PT2E's prepare fail: torchao stops at the first of these with a bare exception; here each is a finding.
#include "rules/graph/sharing/sharing.h"

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDangling = {
    "SH001",
    "dangling-reference",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A shared spec takes its parameters from another edge or value, and there is none to take them from. prepare_pt2e "
    "raises a KeyError that names no annotation.",
    "Annotate the place that is referred to, or give this one a spec of its own.",
    "SharedQuantizationSpec(x) where x has no output_qspec fires it; with one it does not.",
};

constexpr RuleInfo kCycle = {
    "SH002",
    "sharing-cycle",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Shared specs refer to each other in a circle, so no member has parameters of its own. prepare_pt2e recurses until "
    "Python's stack ends.",
    "Give one member of the circle a plain spec.",
    "Edge (a, n) shared with (b, n), and (b, n) with (a, n), fires it; (a, n) plain and (b, n) shared with it does "
    "not.",
};

constexpr RuleInfo kUnobserved = {
    "SH003",
    "unobserved-group",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The first member of a sharing group makes the observer for all of them. This one cannot, so prepare_pt2e fails "
    "for the whole group.",
    "Let the first edge or value of the group, in graph order, carry the plain spec and the later ones share it.",
    "A group whose first member is a shared spec fires it, and an output that is shared with an explicit None; a group "
    "whose first member is plain does not.",
};

// What the three rules below have in common.
struct Sharing {
  const SharingGroups* groups = nullptr;  // computed when there may be errors
  std::vector<SharingError> errors;
};

Sharing FindSharing(const CheckContext& context) {
  Sharing sharing;
  if (SurelyNoSharingErrors(context.graph())) return sharing;
  sharing.groups = &GroupsOf(context);
  sharing.errors = AllSharingErrors(*sharing.groups);
  return sharing;
}

void Check(const CheckContext& context, FindingSink& sink, absl::Span<const SharingError::Kind> kinds,
           const RuleInfo& rule, absl::string_view allowed) {
  const Sharing& sharing = context.Once(FindSharing);
  for (const SharingError& error : sharing.errors) {
    if (error.kind == SharingError::kTooMuchWork) {
      sink.NotChecked(&rule, -1, "the sharing groups were given up: too many edges leave one value");
      continue;
    }
    bool wanted = false;
    for (SharingError::Kind kind : kinds) wanted |= kind == error.kind;
    if (!wanted) continue;
    const Annotations& annotations = sharing.groups->annotations;
    sink.Add(rule, PlaceOf(annotations.graph(), annotations.place(error.entry)), SharingErrorText(annotations, error),
             std::string(allowed));
  }
}

}  // namespace

Rule DanglingReference() {
  return {&kDangling, [](const CheckContext& context, FindingSink& sink) {
            Check(context, sink, {SharingError::kDanglingReference}, kDangling, "a reference to an annotated place");
          }};
}

Rule SharingCycle() {
  return {&kCycle, [](const CheckContext& context, FindingSink& sink) {
            Check(context, sink, {SharingError::kCycle}, kCycle, "references that end at a spec of its own");
          }};
}

Rule UnobservedGroup() {
  return {&kUnobserved, [](const CheckContext& context, FindingSink& sink) {
            Check(context, sink,
                  {SharingError::kFirstMemberShared, SharingError::kDerivedFromMissing, SharingError::kFirstMemberNone},
                  kUnobserved, "a first member that can make the observer");
          }};
}

}  // namespace quantgate
