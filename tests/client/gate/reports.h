// Reports for the gate's tests.
#ifndef QUANTGATE_TESTS_CLIENT_GATE_REPORTS_H_
#define QUANTGATE_TESTS_CLIENT_GATE_REPORTS_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// A finding about the weight of one of several layers.
struct Layer {
  std::string node;
  std::string weight;
  int position = 0;
  std::string code = "DT105";
};

inline v1::Finding LayerFinding(const Layer& layer) {
  v1::Finding finding;
  finding.set_code(layer.code);
  finding.set_rule("minimum-arch");
  finding.set_severity(v1::Finding::ERROR);
  finding.set_effect(v1::Finding::REFUSED);
  v1::Location& where = *finding.mutable_location();
  where.set_node(layer.node);
  where.set_op("Conv");
  where.set_input(1);
  where.set_value(layer.weight);
  where.set_position(layer.position);
  return finding;
}

inline v1::Report LayerReport(const std::string& model, const std::vector<Layer>& layers,
                              const std::string& target = "qnn_htp/SM8350@2.25.0") {
  v1::Report report;
  report.mutable_model()->set_path(model);
  report.set_mode(v1::Report::STRICT);
  v1::Result& result = *report.add_results();
  result.set_target(target);
  result.mutable_coverage()->set_nodes(9);
  result.mutable_coverage()->set_checked_nodes(9);
  for (const Layer& layer : layers) *result.add_findings() = LayerFinding(layer);
  result.set_verdict(layers.empty() ? v1::Result::ACCEPTED : v1::Result::REJECTED);
  return report;
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_GATE_REPORTS_H_
