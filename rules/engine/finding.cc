#include "rules/engine/finding.h"

#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

// Names come from files: one of a megabyte would be said again at each of a thousand places.
void Clip(std::string& text) {
  constexpr size_t kMax = 2'000;
  if (text.size() <= kMax) return;
  size_t end = kMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  const size_t more = text.size() - end;
  text.resize(end);
  absl::StrAppend(&text, "... (", more, " more bytes)");
  text.shrink_to_fit();
}

}  // namespace

void FindingSink::Add(FindingDraft draft) {
  Clip(draft.observed);
  Clip(draft.allowed);
  ++added_;
  if (budget_ != nullptr && !budget_->Admit(draft)) return;
  findings_.push_back(std::move(draft));
}

}  // namespace quantgate
