#include "tests/vendor/tally.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/vendor/verdict.h"

namespace quantgate::vendor {
namespace {

bool Unknown(const v1::Result& judged) {
  return judged.verdict() == v1::Result::UNKNOWN || judged.coverage().checked_nodes() < judged.coverage().nodes();
}

void AppendTable(absl::string_view title, const std::map<std::string, Counts>& rows, std::string& text) {
  absl::StrAppendFormat(&text, "%-40s %7s %7s %7s %7s %7s\n", title, "cases", "false+", "false-", "named", "unknown");
  for (const auto& [name, counts] : rows) {
    const std::string named = counts.ignored == 0 ? "-" : absl::StrCat(counts.ignored_named, "/", counts.ignored);
    absl::StrAppendFormat(&text, "%-40s %7d %7d %7d %7s %7d\n", name, counts.cases, counts.false_accepts,
                          counts.false_rejects, named, counts.unknown);
  }
}

}  // namespace

std::vector<absl::string_view> Tally::Add(const Case& asked, const v1::Result& judged) {
  Counts one;
  one.cases = 1;
  one.accepted = asked.accepted;
  const bool refused = Refused(judged);
  const bool named = OutputNamed(judged);
  const bool executed = TellsOutputEncoding(asked);
  std::vector<absl::string_view> wrong;
  if (Unknown(judged)) {
    one.unknown = 1;
    wrong.push_back("not judged");
  }
  if (refused == asked.accepted) {
    (refused ? one.false_rejects : one.false_accepts) = 1;
    wrong.push_back(refused ? "false reject" : "false accept");
  }
  if (executed && asked.output_encoding == OutputEncoding::kIgnored) {
    one.ignored = 1;
    one.ignored_named = named;
    if (!named) wrong.push_back("wrong numbers not named");
  }
  if (executed && asked.output_encoding == OutputEncoding::kHonoured) {
    one.honoured = 1;
    one.honoured_named = named;
    if (named) wrong.push_back("wrong numbers named, and they are right");
  }
  if (asked.remarks && Remarks(judged) != *asked.remarks) wrong.push_back("other remarks");
  for (Counts* counts : {&all_, &by_op_[asked.op], &by_kind_[asked.kind]}) {
    counts->cases += one.cases;
    counts->accepted += one.accepted;
    counts->false_accepts += one.false_accepts;
    counts->false_rejects += one.false_rejects;
    counts->ignored += one.ignored;
    counts->ignored_named += one.ignored_named;
    counts->honoured += one.honoured;
    counts->honoured_named += one.honoured_named;
    counts->unknown += one.unknown;
  }
  return wrong;
}

std::vector<absl::string_view> Tally::AddStep(const Case& asked, const v1::Result& judged) {
  // On an arch that it does not take the library stops at either.
  if (absl::StrContains(asked.target, "/V89@")) return {};
  const Step said = StopsAt(judged);
  if (asked.graph.nodes_size() != 1 || asked.stops_at == Step::kNone || said == Step::kNone) return {};
  ++refusals_;
  if (said == asked.stops_at) {
    ++right_steps_;
    return {};
  }
  return {said == Step::kValidation ? "validated, and then not prepared" : "not validated"};
}

std::string Tally::Steps() const {
  return absl::StrCat("steps: ", right_steps_, " of ", refusals_, " refusals at the right one");
}

std::string Tally::Table() const {
  std::string text;
  AppendTable("operator", by_op_, text);
  text += "\n";
  AppendTable("kind", by_kind_, text);
  return text;
}

std::string Tally::Accepted() const {
  int64_t fewest = all_.cases;
  for (const auto& [op, counts] : by_op_) fewest = std::min(fewest, counts.cases);
  const double share =
      all_.cases == 0 ? 0 : 100.0 * static_cast<double>(all_.accepted) / static_cast<double>(all_.cases);
  return absl::StrFormat("the vendor accepts %.1f %% of them; %d cases or more of every operator", share, fewest);
}

std::string Tally::Summary() const {
  return absl::StrFormat(
      "agreement: %d cases, %d false accepts, %d false rejects, %d of %d wrong-number cases named, "
      "%d of %d honoured wrongly named, %d unknown",
      all_.cases, all_.false_accepts, all_.false_rejects, all_.ignored_named, all_.ignored, all_.honoured_named,
      all_.honoured, all_.unknown);
}

}  // namespace quantgate::vendor
