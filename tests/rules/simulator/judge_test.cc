// Findings about simulated numbers: for each rule numbers that fire it, and numbers next to them that do not.
#include "rules/simulator/run/judge.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/engine/simulation_rules.h"

namespace quantgate::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

v1::Report Judged(const std::function<void(v1::SimulatedNode&)>& change) {
  v1::Graph message;
  message.set_origin(v1::Graph::ONNX);
  message.add_symbols("Conv");
  message.add_values()->set_name("y");
  v1::Node& node = *message.add_nodes();
  node.set_name("conv");
  node.set_op(1);
  node.add_outputs(1);
  v1::Report report;
  v1::Simulation& simulation = *report.mutable_simulation();
  simulation.set_profile("onnxruntime");
  v1::SimulatedNode& simulated = *simulation.add_nodes();
  simulated.set_node("conv");
  simulated.set_op("Conv");
  simulated.set_own_sqnr_db(35);
  simulated.set_sqnr_db(30);
  simulated.set_max_abs_error_lsb(2);
  simulated.set_accumulator_bits(20);
  simulated.set_accumulator_bits_worst_case(24);
  simulated.set_accumulator_bits_available(32);
  change(simulated);
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  EXPECT_TRUE(graph.ok()) << graph.status();
  Judge(*graph, "onnxruntime/cpu@1.31.1", report);
  return report;
}

std::vector<std::string> Codes(const std::function<void(v1::SimulatedNode&)>& change) {
  std::vector<std::string> codes;
  const v1::Report report = Judged(change);
  for (const v1::Finding& finding : report.results(0).findings()) codes.push_back(finding.code());
  return codes;
}

TEST(SimulationFindings, NumbersThatAreFine) {
  const v1::Report report = Judged([](v1::SimulatedNode&) {});
  EXPECT_THAT(report.results(0).findings(), IsEmpty());
  EXPECT_EQ(report.results(0).verdict(), v1::Result::ACCEPTED);
  EXPECT_EQ(report.results(0).target(), "onnxruntime/cpu@1.31.1");
  EXPECT_EQ(report.simulation().first_bad_node(), "");
}

TEST(SimulationFindings, LostPrecision) {
  const v1::Report report = Judged([](v1::SimulatedNode& node) { node.set_own_sqnr_db(9.5); });
  ASSERT_EQ(report.results(0).findings_size(), 1);
  const v1::Finding& finding = report.results(0).findings(0);
  EXPECT_EQ(finding.code(), "SM001");
  EXPECT_EQ(finding.observed(), "9.5 dB");
  EXPECT_THAT(finding.message(), HasSubstr("'conv'"));
  EXPECT_EQ(finding.location().value(), "y");
  EXPECT_EQ(report.simulation().first_bad_node(), "conv");
  EXPECT_EQ(report.results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_own_sqnr_db(10.5); }), IsEmpty());
  // What was inherited is not the node's.
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_sqnr_db(3); }), IsEmpty());
}

TEST(SimulationFindings, SaturatedValues) {
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_saturated_fraction(0.06); }), ElementsAre("SM002"));
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_saturated_fraction(0.04); }), IsEmpty());
  // The zeros of a Relu lie at the end of its range.
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) {
                node.set_saturated_fraction(0.5);
                node.set_zero_fraction(0.49);
              }),
              IsEmpty());
}

TEST(SimulationFindings, Accumulators) {
  const v1::Report report = Judged([](v1::SimulatedNode& node) { node.set_accumulator_bits(33); });
  EXPECT_EQ(report.results(0).findings(0).code(), "SM003");
  EXPECT_EQ(report.results(0).verdict(), v1::Result::REJECTED);
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_accumulator_bits(32); }), IsEmpty());
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_accumulator_bits_worst_case(33); }), ElementsAre("SM004"));
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_accumulator_bits_worst_case(32); }), IsEmpty());
}

TEST(SimulationFindings, KernelDisagreement) {
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_max_space_difference_lsb(17); }), ElementsAre("SM005"));
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_max_space_difference_lsb(15); }), IsEmpty());
}

TEST(SimulationFindings, VanishedValues) {
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) {
                node.set_zero_fraction(1);
                node.set_own_sqnr_db(0);
              }),
              ElementsAre("SM001", "SM006"));
  EXPECT_THAT(Codes([](v1::SimulatedNode& node) { node.set_zero_fraction(1); }), IsEmpty());
}

TEST(SimulationFindings, WhatWasNotComputedIsNotAccepted) {
  const v1::Report report =
      Judged([](v1::SimulatedNode& node) { node.set_float_reason("not computed: the simulator has no kernel"); });
  EXPECT_EQ(report.results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_EQ(report.results(0).verdict_reason(), "1 node was not computed");
}

TEST(SimulationFindings, EveryRuleIsListed) { EXPECT_EQ(SimulationRules().size(), 6u); }

}  // namespace
}  // namespace quantgate::simulator
