#include "client/fix/lost_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quantgate {
namespace {

using ::testing::ElementsAre;

v1::Graph WithValues(const std::vector<std::string>& names) {
  v1::Graph graph;
  for (const std::string& name : names) graph.add_values()->set_name(name);
  return graph;
}

std::vector<std::string> Names(const v1::Graph& graph) {
  std::vector<std::string> names;
  for (const v1::Value& value : graph.values()) names.push_back(value.name());
  return names;
}

TEST(DropLostValues, WhatNobodyNamesAnyMoreGoesAndIdsFollow) {
  // "stray" was nobody's before.
  v1::Graph before = WithValues({"x", "scale", "stray", "zero", "y"});
  before.add_inputs(1);
  before.add_outputs(5);
  v1::Node& node = *before.add_nodes();
  for (int id : {1, 2, 4}) node.add_inputs(id);
  node.add_outputs(5);
  v1::Graph changed = before;
  changed.add_values()->set_name("new scale");
  changed.add_values()->set_name("never read");
  changed.mutable_nodes(0)->set_inputs(1, 6);
  changed.mutable_nodes(0)->set_inputs(2, 0);
  DropLostValues(before, changed);
  EXPECT_THAT(Names(changed), ElementsAre("x", "stray", "y", "new scale"));
  EXPECT_THAT(changed.nodes(0).inputs(), ElementsAre(1, 4, 0));
  EXPECT_THAT(changed.nodes(0).outputs(), ElementsAre(3));
  EXPECT_THAT(changed.inputs(), ElementsAre(1));
  EXPECT_THAT(changed.outputs(), ElementsAre(3));
}

TEST(DropLostValues, EveryPlaceThatNamesAValueCounts) {
  v1::Graph before = WithValues({"lost", "captured", "tensor", "shared", "derived", "mapped", "entry"});
  v1::Node& node = *before.add_nodes();
  node.add_inputs(1);
  node.add_attributes()->set_tensor(3);
  node.add_input_spec_map()->set_value(6);
  v1::Spec& spec = *before.add_specs();
  spec.mutable_shared_with()->set_value(4);
  spec.add_derived_from()->set_value(5);
  before.mutable_encodings_file()->add_encodings()->set_value(7);
  before.add_subgraphs()->add_values()->set_captured(2);
  v1::Graph changed = before;
  changed.mutable_nodes(0)->set_inputs(0, 0);
  DropLostValues(before, changed);
  EXPECT_THAT(Names(changed), ElementsAre("captured", "tensor", "shared", "derived", "mapped", "entry"));
  EXPECT_EQ(changed.subgraphs(0).values(0).captured(), 1);
  EXPECT_EQ(changed.nodes(0).attributes(0).tensor(), 2);
  EXPECT_EQ(changed.specs(0).shared_with().value(), 3);
  EXPECT_EQ(changed.specs(0).derived_from(0).value(), 4);
  EXPECT_EQ(changed.nodes(0).input_spec_map(0).value(), 5);
  EXPECT_EQ(changed.encodings_file().encodings(0).value(), 6);
}

TEST(DropLostValues, AnUnchangedGraphStays) {
  const v1::Graph before = WithValues({"a", "b"});
  v1::Graph changed = before;
  DropLostValues(before, changed);
  EXPECT_THAT(Names(changed), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace quantgate
