#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEncodingFields = {
    "FI021",
    "encoding-fields",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An encodings file says with every tensor what its version of the format asks for. Where a field is missing, of "
    "another kind or there twice, tools stop in the middle of a conversion, take a default that nobody chose, or take "
    "the last of two answers.",
    "Export the encodings again, or write the field as the format has it.",
    "An AIMET 1.0.0 entry without bw fires it, and so does \"scale\": \"0.05\"; one with all fields does not.",
};

std::string Subject(const v1::Encoding* encoding, size_t index) {
  return encoding != nullptr && encoding->value() == 0 ? absl::StrCat("entry ", index, ": ") : "";
}

std::string Observed(const v1::EncodingProblem& problem) {
  const std::string field = problem.field().empty() ? "the entry" : absl::StrCat("\"", problem.field(), "\"");
  return problem.kind() == v1::EncodingProblem::KIND_MISSING ? absl::StrCat("no field ", field)
                                                             : absl::StrCat(field, " is ", problem.observed());
}

void Report(const v1::EncodingProblem& problem, Place place, const std::string& subject, FindingSink& sink) {
  const bool missing = problem.kind() == v1::EncodingProblem::KIND_MISSING;
  sink.Add(kEncodingFields, place, absl::StrCat(subject, Observed(problem), AtPlace(problem.line(), problem.column())),
           missing ? "every field that the format requires" : problem.allowed());
}

void CheckEncodingFields(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr) return;
  for (const v1::EncodingProblem& problem : file->problems()) Report(problem, {}, "the encodings file: ", sink);
  for (int i = 0; i < file->encodings_size(); ++i) {
    const v1::Encoding& encoding = file->encodings(i);
    for (const v1::EncodingProblem& problem : encoding.problems()) {
      Report(problem, PlaceOf(context.graph(), encoding), Subject(&encoding, i), sink);
    }
  }
}

}  // namespace

Rule EncodingFields() { return {&kEncodingFields, &CheckEncodingFields}; }

}  // namespace quantgate
