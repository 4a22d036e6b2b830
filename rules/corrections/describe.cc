#include "rules/corrections/describe.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/corrections/numbers.h"
#include "rules/corrections/spec_form.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"

namespace quantgate::corrections {
namespace {

std::string PlaceText(const v1::EdgeRef& reference) {
  return reference.consumer_name().empty()
             ? absl::StrCat("'", reference.value_name(), "'")
             : absl::StrCat("('", reference.value_name(), "', '", reference.consumer_name(), "')");
}

std::string BlocksText(const SpecForm& form) {
  if (form.blocks.empty()) return "";
  return absl::StrCat(" of ", absl::StrJoin(form.blocks, "x", [](std::string* out, const auto& block) {
                        absl::StrAppend(out, block.second);
                      }));
}

std::string FormText(const v1::Spec& spec) {
  const SpecForm form = FormOf(spec);
  std::string text(DataTypeName(spec.dtype()));
  if (spec.has_quant_min() && spec.has_quant_max()) {
    absl::StrAppend(&text, " in ", spec.quant_min(), "..", spec.quant_max());
  }
  switch (form.granularity) {
    case Granularity::kTensor:
      break;
    case Granularity::kChannel:
      absl::StrAppend(&text, ", per channel");
      if (form.axis >= 0) absl::StrAppend(&text, " along axis ", form.axis);
      break;
    case Granularity::kBlock:
      absl::StrAppend(&text, ", per block", BlocksText(form));
      break;
  }
  if (form.symmetric) absl::StrAppend(&text, ", symmetric");
  if (form.is_dynamic) absl::StrAppend(&text, ", dynamic");
  if (form.real_zero_points && spec.qparams().scales_size() != 1) absl::StrAppend(&text, ", real zero points");
  if (spec.qparams().scales_size() == 1) {
    absl::StrAppend(&text, ", scale ", FormatNumber(spec.qparams().scales(0)), ", zero point ",
                    FormatNumber(ZeroPoint(spec.qparams(), 0)));
  } else if (spec.qparams().scales_size() > 1) {
    const auto [least, most] = std::minmax_element(spec.qparams().scales().begin(), spec.qparams().scales().end());
    absl::StrAppend(&text, ", ", spec.qparams().scales_size(), " scales from ", FormatNumber(*least), " to ",
                    FormatNumber(*most));
  }
  // What is wrong, where they change into as many as there are scales.
  const int zero_points = spec.qparams().zero_points_size();
  if (zero_points > 1 && zero_points != spec.qparams().scales_size()) {
    absl::StrAppend(&text, ", ", zero_points, " zero points");
  }
  return text;
}

}  // namespace

std::string SpecText(const v1::Spec* spec) {
  if (spec == nullptr) return "no spec";
  switch (spec->kind()) {
    case v1::Spec::SHARED:
      return absl::StrCat("shared with ", PlaceText(spec->shared_with()));
    case v1::Spec::DERIVED:
      return absl::StrCat(FormText(*spec), ", derived from ",
                          absl::StrJoin(spec->derived_from(), " and ", [](std::string* out, const v1::EdgeRef& place) {
                            absl::StrAppend(out, PlaceText(place));
                          }));
    case v1::Spec::FIXED:
      return absl::StrCat(FormText(*spec), ", fixed");
    case v1::Spec::EXPLICIT_NONE:
      return "not quantized";
    default:
      return FormText(*spec);
  }
}

std::string Summary(const v1::Change& change) {
  return absl::StrCat(SpecText(change.has_before() ? &change.before() : nullptr), " becomes ",
                      SpecText(change.has_after() ? &change.after() : nullptr));
}

std::string Summary(const v1::Correction& correction) {
  if (correction.changes().empty()) return "";
  const v1::Change& first = correction.changes(0);
  const v1::Location& location = first.location();
  std::string where = absl::StrCat("'", location.value(), "'");
  if (location.has_input()) {
    where = absl::StrCat("input ", location.input(), " ", where, " of '", location.node(), "'");
  } else if (location.has_output()) {
    where = absl::StrCat("output ", location.output(), " of '", location.node(), "'");
  }
  std::string text = absl::StrCat(where, ": ", Summary(first));
  if (correction.changes_size() > 1) {
    absl::StrAppend(&text, "; and ", correction.changes_size() - 1, " more place",
                    correction.changes_size() > 2 ? "s" : "", " with it");
  }
  return text;
}

bool IsSafe(const v1::Change& change, absl::Span<const int64_t> dims) {
  if (!change.has_before() || !change.has_after()) return false;
  if (change.before().kind() != change.after().kind()) return false;
  if (change.after().kind() != v1::Spec::PLAIN) return false;
  if (HoldsNegatives(change.before()) && !HoldsNegatives(change.after())) return false;
  const SpecForm before = FormOf(change.before());
  const SpecForm after = FormOf(change.after());
  return before.storage > 0 && after.storage > 0 && Loss(before, after, dims) == 0;
}

}  // namespace quantgate::corrections
