#include "rules/constraints/defaults.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace quantgate {

std::string ParamValue::text() const {
  if (size_ == 1) return absl::StrFormat("%.10g", at(0));
  constexpr size_t kShown = 8;
  std::string text = "[";
  for (size_t i = 0; i < size_ && i < kShown; ++i) {
    absl::StrAppendFormat(&text, "%s%.10g", i == 0 ? "" : ", ", at(i));
  }
  return text + (size_ > kShown ? ", …]" : "]");
}

void ParamDefaults::Add(absl::string_view name, absl::string_view text) {
  Default added;
  added.name = std::string(name);
  if (text == "N" || text == "N-1") {
    added.of_rank = true;
    added.value = text == "N" ? 0 : -1;
    defaults_.push_back(std::move(added));
    return;
  }
  absl::ConsumePrefix(&text, "fill:");
  if (absl::SimpleAtod(text, &added.value)) defaults_.push_back(std::move(added));
}

ParamValue ParamDefaults::Find(absl::string_view name, const BackendOp& op) const {
  for (const Default& found : defaults_) {
    if (found.name != name) continue;
    if (!found.of_rank) return ParamValue::Every(found.value);
    if (op.inputs.empty() || !op.inputs[0].present || op.inputs[0].rank < 1) break;
    return ParamValue::Every(op.inputs[0].rank + found.value);
  }
  return ParamValue::Unknown();
}

const BackendParam* FindParam(const BackendOp& op, absl::string_view name) {
  for (const BackendParam& param : op.params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

ParamValue ValueOf(const BackendOp& op, const ParamDefaults& defaults, absl::string_view name) {
  const BackendParam* param = FindParam(op, name);
  if (param == nullptr) return defaults.Find(name, op);
  return param->ints.empty() ? ParamValue::Reals(param->reals) : ParamValue::Ints(param->ints);
}

}  // namespace quantgate
