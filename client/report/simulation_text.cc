#include "client/report/simulation_text.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/report/layout.h"

namespace quantgate {
namespace {

// Rows that are shown unless all are asked for.
constexpr size_t kShown = 12;

// No error at all: exact in integers, and no news in float, where nothing is rounded.
std::string Decibels(const v1::SimulatedNode& node, bool has, double value) {
  return has ? absl::StrFormat("%.1f", value) : node.float_reason().empty() ? "exact" : "float";
}

std::string Percent(double fraction) { return fraction == 0 ? "" : absl::StrFormat("%.2f%%", 100 * fraction); }

std::string Bits(const v1::SimulatedNode& node) {
  if (node.accumulator_bits_available() == 0) return "";
  return absl::StrCat(node.accumulator_bits(), " (", node.accumulator_bits_worst_case(), ") of ",
                      node.accumulator_bits_available());
}

// How much of the error is the node's own, the worst first; exact ones last.
double Badness(const v1::SimulatedNode& node) {
  if (node.has_own_sqnr_db()) return -node.own_sqnr_db();
  return node.has_sqnr_db() ? -node.sqnr_db() - 1000 : -1e9;
}

bool IsMissing(const v1::SimulatedNode& node) { return absl::StartsWith(node.float_reason(), "not computed: "); }

// "worst output 'y': 31.2 dB". None is stated where outputs are exact, or not numbers.
std::string OutputsText(const v1::Simulation& simulation) {
  const auto missing = absl::c_count_if(simulation.nodes(), IsMissing);
  if (missing > 0) {
    return absl::StrCat(WithCommas(missing), " of ", Count(simulation.nodes_size(), "result"), " not computed");
  }
  const auto worst = absl::c_find_if(simulation.nodes(), [&](const v1::SimulatedNode& node) {
    return !simulation.worst_output().empty() && node.value() == simulation.worst_output();
  });
  if (worst == simulation.nodes().end() || !worst->has_sqnr_db()) return "no noise measured at an output";
  return absl::StrCat("worst output '", Printable(worst->value()), "': ", absl::StrFormat("%.1f dB", worst->sqnr_db()));
}

// "qnn_htp (the arithmetic of this backend is not published; that of QNN HTP stands in)"
std::string Arithmetic(const v1::Simulation& simulation) {
  if (simulation.profile_reason().empty()) return Printable(simulation.profile());
  return Printable(absl::StrCat(simulation.profile(), " (", simulation.profile_reason(), ")"));
}

}  // namespace

std::string SimulationText(const v1::Simulation& simulation) {
  return absl::StrCat(OutputsText(simulation), "; arithmetic: ", Arithmetic(simulation),
                      "; inputs: ", Printable(simulation.inputs()));
}

std::string RenderSimulation(const v1::Report& report, const Style& style) {
  const v1::Simulation& simulation = report.simulation();
  std::string out = absl::StrCat(Paint(style, Ink::kBold, Printable(report.model().path())), "\n");
  AppendWrapped(out, "  arithmetic  ", Arithmetic(simulation), style.width);
  AppendWrapped(out, "  inputs      ", Printable(simulation.inputs()), style.width);
  std::vector<const v1::SimulatedNode*> nodes, missing;
  int in_float = 0;
  for (const v1::SimulatedNode& node : simulation.nodes()) {
    (IsMissing(node) ? missing : nodes).push_back(&node);
    in_float += node.float_reason().empty() ? 0 : 1;
  }
  const std::string where = simulation.only_integers()
                                ? ""
                                : absl::StrCat(", ", in_float - static_cast<int>(missing.size()), " of them in float");
  AppendWrapped(out, "  nodes       ",
                absl::StrCat(Count(static_cast<int64_t>(nodes.size()), "result"), " computed", where,
                             missing.empty() ? "" : absl::StrCat("; ", missing.size(), " not computed")),
                style.width);
  if (!simulation.only_integers()) {
    AppendWrapped(out, "  first bad   ",
                  simulation.first_bad_node().empty() ? "none" : Printable(simulation.first_bad_node()), style.width);
  }
  const auto& results = report.results();
  if (!results.empty() && !results[0].not_checked().empty()) {
    const v1::NotChecked& first = results[0].not_checked(0);
    const int more = results[0].not_checked_size() - 1;
    AppendWrapped(out, "  not checked ",
                  Printable(absl::StrCat(first.rule(), more > 0 ? absl::StrCat(" and ", more, " more") : "", ": ",
                                         first.reason())),
                  style.width);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const v1::SimulatedNode* a, const v1::SimulatedNode* b) { return Badness(*a) > Badness(*b); });
  if (simulation.only_integers()) nodes.clear();  // nothing was measured of them
  const size_t shown = style.verbose ? nodes.size() : std::min(nodes.size(), kShown);
  std::vector<std::vector<std::string>> rows = {
      {"node", "operator", "own dB", "dB", "max LSB", "mean LSB", "saturated", "accumulator bits (worst case)"}};
  for (size_t i = 0; i < shown; ++i) {
    const v1::SimulatedNode& node = *nodes[i];
    rows.push_back(
        {Shortened(node.output() == 0 ? node.node() : absl::StrCat(node.node(), " [", node.output(), "]"), 40),
         Shortened(node.op(), 28), Decibels(node, node.has_own_sqnr_db(), node.own_sqnr_db()),
         Decibels(node, node.has_sqnr_db(), node.sqnr_db()), absl::StrFormat("%.4g", node.max_abs_error_lsb()),
         absl::StrFormat("%.4g", node.mean_abs_error_lsb()), Percent(node.saturated_fraction()), Bits(node)});
  }
  if (shown > 0) absl::StrAppend(&out, "\n", RenderTable(rows, style));
  if (shown < nodes.size()) {
    absl::StrAppend(&out,
                    Paint(style, Ink::kDim,
                          absl::StrCat("... and ", Count(static_cast<int64_t>(nodes.size() - shown), "result"),
                                       " with less error (--verbose shows all)")),
                    "\n");
  }
  const auto& findings =
      report.results_size() > 0 ? report.results(0).findings() : v1::Result::default_instance().findings();
  if (!findings.empty()) absl::StrAppend(&out, "\n");
  const int told = style.verbose ? findings.size() : std::min(findings.size(), static_cast<int>(kShown));
  for (int i = 0; i < told; ++i) {
    const v1::Finding& finding = findings[i];
    const Ink ink = finding.severity() == v1::Finding::ERROR     ? Ink::kRed
                    : finding.severity() == v1::Finding::WARNING ? Ink::kYellow
                                                                 : Ink::kDim;
    AppendWrapped(out, absl::StrCat("  ", Paint(style, ink, finding.code()), "  "), Printable(finding.message()),
                  style.width, 9);
  }
  if (told < findings.size()) absl::StrAppend(&out, "  ... and ", Count(findings.size() - told, "finding"), " more\n");
  if (!missing.empty()) absl::StrAppend(&out, "\n");
  const size_t listed = style.verbose ? missing.size() : std::min<size_t>(missing.size(), 5);
  for (size_t i = 0; i < listed; ++i) {
    AppendWrapped(out, absl::StrCat("  ", Printable(missing[i]->node()), ": "), Printable(missing[i]->float_reason()),
                  style.width, 4);
  }
  if (listed < missing.size()) absl::StrAppend(&out, "  ... and ", missing.size() - listed, " more\n");
  return out;
}

}  // namespace quantgate
