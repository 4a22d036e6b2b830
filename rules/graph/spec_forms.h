// The stored forms that specs state, and where shared specs lead.
#ifndef QUANTGATE_RULES_GRAPH_SPEC_FORMS_H_
#define QUANTGATE_RULES_GRAPH_SPEC_FORMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/sharing/annotations.h"
#include "rules/graph/stored_form.h"

namespace quantgate {

class SpecForms {
 public:
  SpecForms(const Graph& graph, StoredForms& forms, QParamsStore& params);

  // The spec that says something behind shared references, for a spec that sits at `place`; -1 when they lead nowhere
  // or in a circle, which is a finding of its own.
  int32_t Root(int32_t spec, SpecPlace place) {
    return graph_.spec_kind(spec) == v1::Spec::SHARED ? RootAt(place) : spec;
  }
  // Index into the forms of what a spec says.
  int32_t FormOf(int32_t spec) { return form_of_[spec] >= 0 ? form_of_[spec] : AddForm(spec); }
  // The same for what `spec` leads to. The observer of a shared spec is also the root's, and where that stands at no
  // place that can be observed, the shared spec alone has the numbers.
  int32_t FormOf(int32_t spec, int32_t root);

 private:
  int32_t AddForm(int32_t spec);
  int32_t RootAt(SpecPlace place);
  int32_t RootOfShared(int32_t spec);
  int32_t SpecAt(SpecPlace place);
  StoredForm Describe(const v1::Spec& spec);

  const Graph& graph_;
  StoredForms& forms_;
  QParamsStore& params_;
  std::vector<int32_t> form_of_;  // by spec; -1: not computed
  std::vector<int32_t> roots_;    // by spec: where its references end; -1: nowhere
  std::vector<int32_t> way_;
  std::optional<Annotations> annotations_;  // made when a place is not found at once
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SPEC_FORMS_H_
