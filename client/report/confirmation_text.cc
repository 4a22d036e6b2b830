#include "client/report/confirmation_text.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/layout.h"
#include "client/report/verdict.h"

namespace quantgate {
namespace {

// The first answer that decides the node: a refusal, else one that is missing, else the first.
const v1::VendorAnswer* DecidingAnswer(const v1::ConfirmedNode& node) {
  for (const v1::VendorAnswer& answer : node.answers()) {
    if (answer.answer() != v1::VendorAnswer::ACCEPTED && answer.answer() != v1::VendorAnswer::NOT_ASKED) return &answer;
  }
  for (const v1::VendorAnswer& answer : node.answers()) {
    if (answer.answer() == v1::VendorAnswer::NOT_ASKED) return &answer;
  }
  return node.answers().empty() ? nullptr : &node.answers(0);
}

std::string AnswerText(v1::VendorAnswer::Answer answer) {
  return v1::VendorAnswer::Answer_IsValid(answer) ? Readable(v1::VendorAnswer::Answer_Name(answer)) : "?";
}

// "graphFinalize, code 1002: no properties registered for q::Add"
std::string Why(const v1::VendorAnswer& answer) {
  std::vector<std::string> parts;
  if (!answer.step().empty()) parts.push_back(Printable(answer.step()));
  if (answer.code() != 0) parts.push_back(absl::StrCat("code ", answer.code()));
  std::string text = absl::StrJoin(parts, ", ");
  if (!answer.reason().empty()) absl::StrAppend(&text, text.empty() ? "" : ": ", Printable(answer.reason()));
  return text;
}

std::string Ops(const v1::ConfirmedNode& node) {
  std::vector<std::string> names;
  for (const v1::VendorAnswer& answer : node.answers()) {
    if (!answer.backend_op().empty()) names.push_back(Printable(answer.backend_op()));
  }
  return absl::StrJoin(names, ", ");
}

// What a row says of a node, besides its name.
std::vector<std::string> Cells(const v1::ConfirmedNode& node, const Style& style) {
  const v1::VendorAnswer* deciding = DecidingAnswer(node);
  std::string why = deciding == nullptr ? "" : Why(*deciding);
  const bool accepted = deciding != nullptr && deciding->answer() == v1::VendorAnswer::ACCEPTED;
  if (accepted && node.refused() && !node.differs()) why = "refused for what is around it, or by the toolchain";
  const Ink ink = node.differs() ? Ink::kRed : Ink::kPlain;
  return {Ops(node), Paint(style, ink, node.refused() ? "refused" : "accepted"),
          Paint(style, ink, deciding == nullptr ? "" : AnswerText(deciding->answer())),
          absl::StrCat(node.differs() ? Paint(style, Ink::kRed, "DIFFERS") : "",
                       node.differs() && !why.empty() ? "; " : "", why)};
}

// "a", "a and 11 more".
std::string Names(const std::vector<std::string>& names) {
  return absl::StrCat(Printable(names.front()),
                      names.size() > 1 ? absl::StrCat(" and ", WithCommas(names.size() - 1), " more") : "");
}

}  // namespace

std::string RenderConfirmation(const v1::Result& result, const Style& style) {
  if (!result.has_confirmation()) return "";
  const v1::Confirmation& confirmation = result.confirmation();
  int64_t agree = 0;
  int64_t differ = 0;
  int64_t open = 0;
  // A model repeats itself: nodes of which the same is said share a row.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> said;
  std::map<std::vector<std::string>, size_t> row_of;
  for (const v1::ConfirmedNode& node : confirmation.nodes()) {
    const bool asked = std::none_of(node.answers().begin(), node.answers().end(), [](const v1::VendorAnswer& answer) {
      return answer.answer() == v1::VendorAnswer::NOT_ASKED;
    });
    ++(node.differs() ? differ : asked || node.refused_by_vendor() ? agree : open);
    if (style.verbose || node.differs() || node.refused() || node.refused_by_vendor() || !asked) {
      std::vector<std::string> cells = Cells(node, style);
      const auto [row, is_new] = row_of.try_emplace(cells, said.size());
      if (is_new) said.emplace_back(std::move(cells), std::vector<std::string>());
      said[row->second].second.push_back(node.node());
    }
  }
  std::string text = absl::StrCat(Printable(result.target()), ", ", Count(confirmation.nodes_size(), "node"),
                                  " put to the vendor's library ", Printable(confirmation.sdk()), ": ",
                                  WithCommas(agree), " agree, ", WithCommas(differ), " differ");
  if (open > 0) absl::StrAppend(&text, ", ", WithCommas(open), " not asked");
  std::string out;
  AppendWrapped(out, Paint(style, differ > 0 ? Ink::kRed : Ink::kBold, "confirmed") + " ", text, style.width);
  if (said.empty()) return out;
  std::vector<std::vector<std::string>> rows = {{"node", "operators", "QuantGate", "library", "why"}};
  for (const auto& [cells, names] : said) {
    const size_t lines = style.verbose ? names.size() : 1;
    for (size_t i = 0; i < lines; ++i) {
      std::vector<std::string>& row = rows.emplace_back(cells);
      row.insert(row.begin(), style.verbose ? Printable(names[i]) : Names(names));
    }
  }
  absl::StrAppend(&out, RenderTable(rows, style));
  return out;
}

}  // namespace quantgate
