#include "rules/engine/positions.h"

#include "gtest/gtest.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;

int32_t OfNode(const Positions& positions, int32_t node) {
  Place place;
  place.node = node;
  return positions.Of(place);
}

int32_t OfValue(const Positions& positions, int32_t value) {
  Place place;
  place.value = value;
  return positions.Of(place);
}

TEST(Positions, CountNodesOfTheOperatorAndValuesThatNoNodeWrites) {
  GraphBuilder builder;
  builder.Input("x", v1::DATA_TYPE_FLOAT32, {1});  // values: x, w, a, b, c
  builder.Reals("w", {1});
  builder.Node("Add", "first", {"x", "w"}, {"a"});
  builder.Node("Relu", "between", {"a"}, {"b"});
  builder.Node("Add", "second", {"b", "w"}, {"c"});
  const absl::StatusOr<Graph> graph = Graph::Build(builder.graph);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Positions positions(*graph);
  EXPECT_EQ(OfNode(positions, 0), 0);
  EXPECT_EQ(OfNode(positions, 1), 0);
  EXPECT_EQ(OfNode(positions, 2), 1);
  EXPECT_EQ(OfValue(positions, 0), 0);
  EXPECT_EQ(OfValue(positions, 1), 1);
  EXPECT_EQ(OfValue(positions, 2), -1);  // its node says where
  EXPECT_EQ(positions.Of(Place()), -1);
}

TEST(Positions, WhatStandsInFrontMovesOnlyItsOwnKind) {
  GraphBuilder builder;
  builder.Node("Relu", "new", {"x"}, {"y"});
  builder.Node("Add", "first", {"y", "w"}, {"a"});
  const absl::StatusOr<Graph> graph = Graph::Build(builder.graph);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OfNode(Positions(*graph), 1), 0);
}

}  // namespace
}  // namespace quantgate
