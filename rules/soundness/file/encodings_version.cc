#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEncodingsVersion = {
    "FI022",
    "encodings-version",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "the encodings file states {observed}; expected {allowed}",
    "The version says which fields there are and which sign an offset has. A converter that believes another one than "
    "the file is written in stops, or reads zero points as their negatives.",
    "Export the encodings again in a version that the converter of the target's SDK knows.",
    "A list of entries with y_scale under version 0.6.1 fires it; the same list under 2.0.0 does not.",
};

std::vector<std::string> Versions(v1::EncodingsFile::Layout layout) {
  switch (layout) {
    case v1::EncodingsFile::LAYOUT_KEYED:
      return {"0.4.0", "0.4", "0.5.0", "0.5", "0.6.0", "0.6", "0.6.1"};
    case v1::EncodingsFile::LAYOUT_TWO_LISTS:
      return {"1.0.0"};
    default:
      return {"2.0.0", "2.1.0"};
  }
}

const char* LayoutName(v1::EncodingsFile::Layout layout) {
  switch (layout) {
    case v1::EncodingsFile::LAYOUT_KEYED:
      return "entries keyed by tensor names";
    case v1::EncodingsFile::LAYOUT_TWO_LISTS:
      return "two lists of entries";
    default:
      return "one list of entries";
  }
}

void CheckEncodingsVersion(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = WholeEncodings(context);
  // Overrides have no version.
  if (file == nullptr || file->layout() == v1::EncodingsFile::LAYOUT_UNSPECIFIED || file->partial()) return;
  const std::vector<std::string> versions = Versions(file->layout());
  if (file->version_is_string() && absl::c_linear_search(versions, file->version())) return;
  std::string observed = "no version";
  if (file->has_version()) {
    observed = file->version_is_string() ? absl::StrCat("version \"", file->version(), "\"")
                                         : absl::StrCat("version ", file->version(), ", which is no text");
  }
  sink.Add(kEncodingsVersion, {}, std::move(observed),
           absl::StrCat("\"", absl::StrJoin(versions, "\" or \""), "\", for it has ", LayoutName(file->layout())));
}

}  // namespace

Rule EncodingsVersion() { return {&kEncodingsVersion, &CheckEncodingsVersion}; }

}  // namespace quantgate
