#include "client/report/verdict.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/report/layout.h"

namespace quantgate {

std::vector<std::string> EffectNames() {
  std::vector<std::string> names;
  for (int i = v1::Finding::EFFECT_UNSPECIFIED + 1; i <= v1::Finding::Effect_MAX; ++i) {
    names.push_back(absl::AsciiStrToLower(v1::Finding::Effect_Name(i)));
  }
  return names;
}

absl::StatusOr<v1::Finding::Effect> EffectFromName(absl::string_view name) {
  v1::Finding::Effect effect;
  if (v1::Finding::Effect_Parse(absl::AsciiStrToUpper(name), &effect) && effect != v1::Finding::EFFECT_UNSPECIFIED) {
    return effect;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--fail-on: '", name, "' is no effect; the effects are ", absl::StrJoin(EffectNames(), ", ")));
}

int ExitCodeFor(const v1::Report& report) {
  if (report.mode() == v1::Report::WARN) return 0;
  const auto accepted = [](const v1::Result& result) {
    return result.verdict() == v1::Result::ACCEPTED || result.verdict() == v1::Result::ACCEPTED_WITH_WARNINGS;
  };
  return report.results_size() > 0 && absl::c_all_of(report.results(), accepted) ? 0 : 1;
}

std::string Readable(absl::string_view enum_name) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(enum_name), {{"_", " "}});
}

}  // namespace quantgate
