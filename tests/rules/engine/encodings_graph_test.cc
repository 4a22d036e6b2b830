// What the engine makes of tensors with encodings, and of those that the file leaves out.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/backends/undecided.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/resolve.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;

void Encode(GraphBuilder& b, const std::string& name, v1::DataType type, double scale) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type);
  spec.mutable_qparams()->add_scales(scale);
  v1::Encoding& encoding = *b.graph.mutable_encodings_file()->add_encodings();
  encoding.set_value(b.Id(name));
  encoding.set_spec(b.graph.specs_size());
  b.Value(name).set_spec(b.graph.specs_size());
}

// x -> Conv (w, b) -> y -> Relu -> r -> Reshape -> f -> MatMul (m) -> p -> Add (v) -> z; encodings for x, w, r, m, z.
GraphBuilder Network() {
  const auto real = v1::DATA_TYPE_FLOAT32;
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_CALIBRATED);
  b.Input("x", real, {1, 2, 4, 4});
  b.Weight("w", real, {2, 2, 1, 1}, 16);
  b.Weight("b", real, {2}, 8);
  b.Node("Conv", "conv", {"x", "w", "b"}, {"y"});
  b.Shape("y", real, {1, 2, 4, 4});
  b.Node("Relu", "relu", {"y"}, {"r"});
  b.Shape("r", real, {1, 2, 4, 4});
  b.Ints("shape", v1::DATA_TYPE_INT64, {1, 32}, false);
  b.Node("Reshape", "reshape", {"r", "shape"}, {"f"});
  b.Shape("f", real, {1, 32});
  b.Weight("m", real, {32, 3}, 384);
  b.Node("MatMul", "matmul", {"f", "m"}, {"p"});
  b.Shape("p", real, {1, 3});
  b.Weight("v", real, {3}, 12);
  b.Node("Add", "add", {"p", "v"}, {"z"});
  b.Shape("z", real, {1, 3});
  b.Output("z");
  Encode(b, "x", v1::DATA_TYPE_UINT8, 0.1);
  Encode(b, "w", v1::DATA_TYPE_INT8, 0.2);
  Encode(b, "r", v1::DATA_TYPE_UINT8, 0.3);
  Encode(b, "m", v1::DATA_TYPE_INT8, 0.4);
  Encode(b, "z", v1::DATA_TYPE_UINT16, 0.5);
  return b;
}

class EncodedGraph : public ::testing::Test {
 protected:
  EncodedGraph()
      : builder_(Network()),
        graph_(*Graph::Build(builder_.graph)),
        resolved_(ResolvedGraph::Resolve(graph_)),
        context_(graph_, resolved_) {}

  const ResolvedOp& Op(const std::string& node) {
    for (const ResolvedOp& op : resolved_.ops()) {
      if (graph_.node_name(op.node) == node) return op;
    }
    std::abort();
  }
  double ScaleOf(const Operand& operand) {
    const QuantParams* params = resolved_.qparams(operand);
    return operand.quantized && params != nullptr ? params->scales[0] : 0;
  }

  GraphBuilder builder_;
  Graph graph_;
  ResolvedGraph resolved_;
  CheckContext context_;
};

TEST_F(EncodedGraph, TensorsCarryTheirEncodings) {
  EXPECT_EQ(ScaleOf(resolved_.inputs(Op("conv"))[0]), 0.1);
  EXPECT_EQ(ScaleOf(resolved_.inputs(Op("conv"))[1]), 0.2);
  EXPECT_EQ(ScaleOf(resolved_.outputs(Op("relu"))[0]), 0.3);
}

TEST_F(EncodedGraph, FusedAndMovedTensorsHaveThatOfTheirNeighbor) {
  EXPECT_EQ(ScaleOf(resolved_.outputs(Op("conv"))[0]), 0.3);
  EXPECT_EQ(ScaleOf(resolved_.inputs(Op("matmul"))[0]), 0.3);
}

TEST_F(EncodedGraph, WhatTheFileLeavesOutIsUndecided) {
  EXPECT_TRUE(IsUndecided(graph_, resolved_.inputs(Op("conv"))[2]));
  EXPECT_FALSE(IsUndecided(graph_, resolved_.inputs(Op("conv"))[1]));
  FindingSink sink;
  // Converters quantize a bias by one rule: the operator is judged all the same.
  EXPECT_TRUE(NoteUndecided(context_, Op("conv"), sink));
  EXPECT_EQ(sink.not_checked().size(), 1u);
}

TEST_F(EncodedGraph, AVectorAddedToAProductIsItsBias) {
  EXPECT_TRUE(BecomesBias(context_, Op("add")));
  EXPECT_FALSE(BecomesBias(context_, Op("matmul")));
  FindingSink sink;
  EXPECT_TRUE(NoteUndecided(context_, Op("matmul"), sink));
  EXPECT_TRUE(sink.not_checked().empty());
}

// Real numbers of 16 bits, by the file.
void KeepReal(GraphBuilder& b, const std::string& name) {
  v1::Spec& spec = *b.graph.mutable_specs(b.Value(name).spec() - 1);
  spec.set_dtype(v1::DATA_TYPE_FLOAT16);
  spec.clear_qparams();
}

TEST(RealTensors, HaveTheTypeThatTheFileSays) {
  GraphBuilder b = Network();
  for (const char* name : {"x", "w", "r"}) KeepReal(b, name);
  const Graph graph = *Graph::Build(b.graph);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  const CheckContext context(graph, resolved);
  const auto op = [&](int32_t node) { return resolved.ops()[resolved.op_of_node(node)]; };
  const ResolvedOp conv = op(0);
  EXPECT_EQ(resolved.inputs(conv)[0].type, v1::DATA_TYPE_FLOAT16);
  EXPECT_FALSE(resolved.inputs(conv)[0].quantized);
  EXPECT_FALSE(IsUndecided(graph, resolved.inputs(conv)[0]));
  EXPECT_TRUE(IsUndecided(graph, resolved.inputs(conv)[2]));
  // What is fused and what only moves its elements too.
  EXPECT_EQ(resolved.outputs(conv)[0].type, v1::DATA_TYPE_FLOAT16);
  const ResolvedOp matmul = op(3);
  EXPECT_EQ(resolved.inputs(matmul)[0].type, v1::DATA_TYPE_FLOAT16);
  EXPECT_FALSE(IsUndecided(graph, resolved.inputs(matmul)[0]));
  // The weight of the one is real as well, that of the other in integers.
  EXPECT_FALSE(IsMixed(context, conv));
  EXPECT_TRUE(IsMixed(context, matmul));
}

// It is quantized by the converters' one rule, whether the file leaves it out or leaves it real.
TEST(RealTensors, ABiasOfIntegersIsUndecidedAllTheSame) {
  for (const bool with_weight : {false, true}) {
    GraphBuilder b = Network();
    Encode(b, "b", v1::DATA_TYPE_UINT8, 0.1);
    KeepReal(b, "b");
    if (with_weight) KeepReal(b, "w");
    const Graph graph = *Graph::Build(b.graph);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
    const CheckContext context(graph, resolved);
    const ResolvedOp& conv = resolved.ops()[resolved.op_of_node(0)];
    EXPECT_EQ(IsMixed(context, conv), with_weight);
    EXPECT_TRUE(IsRealBias(context, conv, resolved.inputs(conv)[2]));
    EXPECT_FALSE(IsRealBias(context, conv, resolved.inputs(conv)[1]));
    FindingSink sink;
    EXPECT_TRUE(NoteUndecided(context, conv, sink));
    EXPECT_EQ(sink.not_checked().size(), 1u);
  }
  GraphBuilder b = Network();
  Encode(b, "b", v1::DATA_TYPE_UINT8, 0.1);
  for (const char* name : {"x", "w", "b", "r"}) KeepReal(b, name);
  const Graph graph = *Graph::Build(b.graph);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  const ResolvedOp& conv = resolved.ops()[resolved.op_of_node(0)];
  EXPECT_FALSE(IsRealBias(CheckContext(graph, resolved), conv, resolved.inputs(conv)[2]));
}

TEST(IdleTensors, NamesWithoutATensorAreJudgedByThemselves) {
  GraphBuilder b = Network();
  Encode(b, "nobody", v1::DATA_TYPE_UINT8, 0.7);
  b.Value("nobody").set_foreign(true);
  const Graph graph = *Graph::Build(b.graph);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  ASSERT_EQ(resolved.idle().size(), 1u);
  EXPECT_EQ(graph.value(resolved.idle()[0].value).name(), "nobody");
}

TEST(EncodedGraphIds, PointIntoTheirPools) {
  GraphBuilder b = Network();
  b.graph.mutable_encodings_file()->mutable_encodings(0)->set_value(b.graph.values_size() + 1);
  EXPECT_FALSE(Graph::Build(b.graph).ok());
  GraphBuilder c = Network();
  c.graph.mutable_encodings_file()->mutable_encodings(0)->set_spec(-1);
  EXPECT_FALSE(Graph::Build(c.graph).ok());
}

}  // namespace
}  // namespace quantgate
