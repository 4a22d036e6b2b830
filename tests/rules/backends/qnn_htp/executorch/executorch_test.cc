// What ExecuTorch 1.5.1 does with a graph on its way to HTP, as it was seen to do (tests/lowering): which encoding a
// tensor ends up with, what is refused by the partitioner and what only when the delegate is prepared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::CodesAt;
using ::quantgate::testing::Refused;
using ::quantgate::testing::ResultOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr char kV68[] = "qnn_htp/SM8350@2.49";
constexpr char kV68WithAllKernels[] = "qnn_htp/SA8295@2.49";
constexpr char kV69[] = "qnn_htp/SM8450@2.49";
constexpr char kV75[] = "qnn_htp/SM8650@2.49";
constexpr char kWithoutFloat[] = "qnn_htp/QCM6490@2.49";  // V68, too

// A node without specs, written behind an annotated one and read by another.
AnnotatedBuilder Between(bool writer, bool reader) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  const int act = b.Act();
  b.Op("aten.relu.default", "first", {"x"}, {act}, writer ? act : 0, {1, 8});
  b.Op("aten.neg.default", "middle", {"first"}, {}, 0, {1, 8});
  b.Op("aten.relu.default", "last", {"middle"}, {reader ? act : 0}, act, {1, 8});
  return b;
}

TEST(ExecuTorch, ATensorHasTheEncodingThatOneOfItsNodesStates) {
  EXPECT_EQ(ResultOf(Between(true, true), kV75).outcome().kind(), v1::Outcome::FULL);
  // Integers come in and floats go out, or the other way around.
  EXPECT_THAT(Refused(ResultOf(Between(true, false), kV75)), ElementsAre("middle", "last"));
  EXPECT_THAT(Refused(ResultOf(Between(false, true), kV75)), ElementsAre("first", "middle"));
}

// torchao 0.18.0, prepare.py: a KeyError where a shared spec refers to what has none.
TEST(ExecuTorch, NothingComesAfterPrepareHasRaised) {
  const auto result = [](bool dangling, bool refused, const char* target) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int act = b.Act();
    b.Op("aten.relu.default", "first", {"x"}, {act}, dangling ? 0 : act, {1, 8});
    b.Op("aten.relu.default", "last", {"first"}, {b.Shared("first")}, act, {1, 8});
    if (refused) b.Op("aten.bincount.default", "refused", {"x"}, {}, 0, {1, 8});
    return ResultOf(b, target);
  };
  for (const char* target : {kV75, "xnnpack", "x86_inductor/avx2"}) {
    for (const bool refused : {false, true}) {
      const v1::Result raised = result(true, refused, target);
      EXPECT_EQ(raised.outcome().kind(), v1::Outcome::FAILS) << target << " " << refused;
      ASSERT_TRUE(raised.outcome().has_cause());
      EXPECT_EQ(raised.findings(raised.outcome().cause()).code(), "SH001");
      EXPECT_NE(result(false, refused, target).outcome().kind(), v1::Outcome::FAILS) << target << " " << refused;
    }
  }
}

TEST(ExecuTorch, ATensorHasTheEncodingThatIsStatedBehindAnIdentity) {
  const auto refused = [](const char* between) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int act = b.Act();
    b.Op("aten.relu.default", "first", {"x"}, {act}, act, {1, 8});
    b.Op("aten.neg.default", "middle", {"first"}, {}, 0, {1, 8});
    b.Op(between, "between", {"middle"}, {}, 0, {1, 8});
    b.Op("aten.relu.default", "last", {"between"}, {act}, act, {1, 8});
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused("aten.contiguous.default"), IsEmpty());
  EXPECT_THAT(refused("aten.abs.default"), ElementsAre("middle", "between"));
}

TEST(ExecuTorch, TheEncodingOfANeighborIsNotThatOfOthersLikeIt) {
  AnnotatedBuilder b = Between(true, true);
  b.Op("aten.relu.default", "again", {"first"}, {1}, 1, {1, 8});
  b.Op("aten.neg.default", "like", {"again"}, {}, 0, {1, 8});
  EXPECT_THAT(Refused(ResultOf(b, kV75)), ElementsAre("like"));
}

// A pooling between two sums of a quantized tensor and floats, which are refused.
TEST(ExecuTorch, ABuilderThatRaisesEndsThePartitioning) {
  for (const bool stated : {false, true}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    b.Input("y", kF32, {1, 4, 8, 8});
    b.Input("z", kF32, {1, 4, 4, 4});
    const int act = b.Act();
    b.Op("aten.add.Tensor", "before", {"x", "y"}, {act, 0}, act, {1, 4, 8, 8});
    v1::Node& pool = b.Op("aten.max_pool2d.default", "pool", {"before"}, {act}, act, {1, 4, 4, 4});
    b.Int(pool, "kernel_size", 2);
    if (stated) b.Int(pool, "stride", 2);
    b.Op("aten.add.Tensor", "behind", {"pool", "z"}, {act, 0}, act, {1, 4, 4, 4});
    const v1::Result result = ResultOf(b, kV75);
    if (stated) {
      EXPECT_THAT(Refused(result), ElementsAre("before", "behind"));
      EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
      continue;
    }
    // It asks from the last node to the first. What it does not reach is found all the same.
    EXPECT_THAT(Refused(result), ElementsAre("pool", "behind"));
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
    EXPECT_THAT(CodesAt(result, "pool"), Contains("EN202"));
    EXPECT_FALSE(CodesAt(result, "before").empty());
  }
}

// Lowered with ExecuTorch 1.5.1: prepare_pt2e leaves the buffer that an operator writes as it is, and a sum of floats
// that is quantized is no operator of HTP. Computed beside it, or of an input, the sum is one.
TEST(ExecuTorch, AWrittenBufferStaysFloat) {
  const auto sum = [](const char* op, bool of_buffer, v1::Stage stage = v1::STAGE_ANNOTATED) {
    AnnotatedBuilder b(stage);
    const int act = b.Act(v1::DATA_TYPE_UINT8, 0.1, 0);
    b.Input("x", kF32, {4, 8});
    b.Input("y", kF32, {4, 8});
    b.Weight("buffer", kF32, {4, 8}, -1);
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {4, 8});
    b.Op(op, "sum", {of_buffer ? "buffer" : "y", "relu"}, {act, act}, act, {4, 8});
    return ResultOf(b, kV75);
  };
  for (const v1::Stage stage : {v1::STAGE_ANNOTATED, v1::STAGE_CALIBRATED}) {
    const v1::Result result = sum("aten.add_.Tensor", true, stage);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
    EXPECT_THAT(Refused(result), ElementsAre("sum"));
    EXPECT_THAT(CodesAt(result, "sum"), ::testing::IsSupersetOf({"CV003", "DT101"}));
    for (const v1::Result& beside : {sum("aten.add.Tensor", true, stage), sum("aten.add_.Tensor", false, stage)}) {
      EXPECT_EQ(beside.outcome().kind(), v1::Outcome::FULL);
      EXPECT_THAT(CodesAt(beside, "sum"), Not(Contains("DT101")));
    }
  }
}

// Lowered with ExecuTorch 1.5.1: what repeats the edge along several dimensions raises, along the last one it does not.
TEST(ExecuTorch, ThePaddingThatRepeatsTheEdgeIsBuiltForOneDimension) {
  const auto pad = [](const std::string& mode, const std::vector<int64_t>& amounts) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    v1::Node& node =
        b.Op("aten.pad.default", "pad", {"x"}, {b.Act()}, b.Act(), {1, 4, 8 + (amounts.size() > 2) * 2, 10});
    v1::Attribute& numbers = *node.add_attributes();
    numbers.set_name(b.Symbol("pad"));
    for (int64_t amount : amounts) numbers.mutable_ints()->add_values(amount);
    v1::Attribute& text = *node.add_attributes();
    text.set_name(b.Symbol("mode"));
    text.set_s(mode);
    return b;
  };
  const v1::Result result = ResultOf(pad("replicate", {1, 1, 1, 1}), kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(result, "pad"), Contains("EN209"));
  EXPECT_THAT(CodesAt(ResultOf(pad("replicate", {1, 1}), kV75), "pad"), Not(Contains("EN209")));
  EXPECT_THAT(CodesAt(ResultOf(pad("reflect", {1, 1, 1, 1}), kV75), "pad"), Not(Contains("EN209")));
  EXPECT_THAT(CodesAt(ResultOf(pad("replicate", {1, 1, 1, 1}), kV75, "qnn-converter"), "pad"), Not(Contains("EN209")));
}

// Lowered with ExecuTorch 1.5.1: selu becomes an elu, which is kept whole. Its builder reads the alpha alone.
TEST(ExecuTorch, SeluIsAnEluWithoutItsScale) {
  const auto unary = [](const char* op, bool out, double scale) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int act = b.Act();
    v1::Node& node = b.Op(op, "node", {"x"}, {act}, out ? act : 0, {1, 8});
    if (scale != 1) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol("scale"));
      attribute.set_f(scale);
    }
    return b;
  };
  EXPECT_EQ(ResultOf(unary("aten.selu.default", true, 1), kV75).outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(CodesAt(ResultOf(unary("aten.selu.default", true, 1), kV75), "node"), Contains("EN210"));
  EXPECT_THAT(CodesAt(ResultOf(unary("aten.elu.default", true, 2), kV75), "node"), Contains("EN210"));
  EXPECT_THAT(CodesAt(ResultOf(unary("aten.elu.default", true, 1), kV75), "node"), Not(Contains("EN210")));
  // Refused, and nothing on the CPU computes it.
  EXPECT_EQ(ResultOf(unary("aten.selu.default", false, 1), kV75).outcome().kind(), v1::Outcome::FAILS);
  // celu is taken apart into other operators.
  EXPECT_EQ(ResultOf(unary("aten.celu.default", true, 1), kV75).outcome().kind(), v1::Outcome::PARTIAL);
}

// Lowered with ExecuTorch 1.5.1: it casts in front of these alone, and leaves the others with operands of two kinds.
TEST(ExecuTorch, OperandsOfTwoKindsAreCastInFrontOfSomeOperators) {
  const auto binary = [](const char* op, v1::DataType second, v1::DataType first = kF32) {
    AnnotatedBuilder b;
    b.Input("x", first, {4, 8});
    b.Input("y", second, {4, 8});
    b.Node(op, "node", {"x", "y"}, {"node"});
    b.Shape("node", kF32, {4, 8});
    b.Output("node");
    return b;
  };
  for (v1::DataType second : {v1::DATA_TYPE_BOOL, v1::DATA_TYPE_INT64}) {
    for (const char* op :
         {"aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor", "aten.div.Tensor", "aten.minimum.default"}) {
      EXPECT_THAT(Refused(ResultOf(binary(op, second), kV75)), IsEmpty()) << op;
    }
    for (const char* op : {"aten.maximum.default", "aten.pow.Tensor_Tensor"}) {
      EXPECT_THAT(Refused(ResultOf(binary(op, second), kV75)), ElementsAre("node")) << op;
    }
  }
  // A quotient is a real number.
  for (v1::DataType type : {v1::DATA_TYPE_BOOL, v1::DATA_TYPE_INT64}) {
    EXPECT_THAT(Refused(ResultOf(binary("aten.div.Tensor", v1::DATA_TYPE_INT64, type), kV75)), IsEmpty());
  }
  // Of one kind and two widths.
  EXPECT_THAT(Refused(ResultOf(binary("aten.add.Tensor", kF32, v1::DATA_TYPE_FLOAT16), kV75)), IsEmpty());
  EXPECT_THAT(Refused(ResultOf(binary("aten.mul.Tensor", kF32, v1::DATA_TYPE_UINT8), kV75)), IsEmpty());
  EXPECT_THAT(Refused(ResultOf(binary("aten.maximum.default", kF32, v1::DATA_TYPE_FLOAT16), kV75)),
              ElementsAre("node"));
}

// Lowered with ExecuTorch 1.5.1: what works in place is taken for what works beside it, and kept whole as that.
TEST(ExecuTorch, WhatWorksInPlaceIsKeptWholeToo) {
  for (const char* op : {"aten.hardswish_.default", "aten.selu_.default", "aten.elu_.default"}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    b.Op(op, "node", {"x"}, {b.Act()}, 0, {1, 8});
    EXPECT_EQ(ResultOf(b, kV75).outcome().kind(), v1::Outcome::FAILS) << op;
  }
}

// Lowered with ExecuTorch 1.5.1: the average falls back where the sizes do not divide, and then it is kept whole; the
// maximum is built with windows that may be others than PyTorch's.
TEST(ExecuTorch, AdaptivePoolsWhoseSizesDoNotDivide) {
  const auto pool = [](const char* op, int64_t from, int64_t to) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, from, from});
    const int act = b.Act();
    b.Op(op, "pool", {"x"}, {act}, act, {1, 4, to, to});
    return b;
  };
  EXPECT_EQ(ResultOf(pool("aten.adaptive_avg_pool2d.default", 9, 2), kV75).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_EQ(ResultOf(pool("aten.adaptive_avg_pool2d.default", 8, 2), kV75).outcome().kind(), v1::Outcome::FULL);
  for (const auto& [from, to, wrong] :
       {std::tuple{8, 3, true}, {9, 2, false}, {8, 4, false}, {10, 4, true}, {7, 3, false}}) {
    const v1::Result result = ResultOf(pool("aten.adaptive_max_pool2d.default", from, to), kV75);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FULL) << from << to;
    EXPECT_EQ(absl::c_linear_search(CodesAt(result, "pool"), "EN211"), wrong) << from << to;
  }
}

TEST(ExecuTorch, LongIntegersOfManyDimensionsAtTheEdgeOfADelegateEndTheExport) {
  const auto add = [](v1::DataType type, const std::vector<int64_t>& dims, const char* between) {
    AnnotatedBuilder b;
    b.Input("x", type, dims);
    b.Op(between, "between", {"x"}, {}, 0, dims);
    b.Op("aten.add.Tensor", "add", {"between", "between"}, {}, 0, dims);
    for (const char* value : {"between", "add"}) b.Shape(value, type, dims);
    b.Output("add");
    return CodesAt(ResultOf(b, kV75), "add");
  };
  constexpr v1::DataType kLong = v1::DATA_TYPE_INT64;
  EXPECT_THAT(add(kLong, {1, 2, 1, 3, 6}, "aten.alias.default"), Contains("GS208"));
  EXPECT_THAT(add(kLong, {2, 1, 3, 6}, "aten.alias.default"), Not(Contains("GS208")));
  EXPECT_THAT(add(v1::DATA_TYPE_INT32, {1, 2, 1, 3, 6}, "aten.alias.default"), Not(Contains("GS208")));
}

// What is passed on is followed no further than there is an end.
TEST(ExecuTorch, WhatPassesItselfOnIsLeftOnTheWay) {
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{1, 2, 1, 3, 6}, std::vector<int64_t>{2, 3}}) {
    AnnotatedBuilder b;
    for (const char* value : {"a", "b", "sum"}) b.Shape(value, v1::DATA_TYPE_INT64, dims);
    b.Op("aten.alias.default", "a", {"b"}, {}, 0, dims);
    b.Op("aten.alias.default", "b", {"a"}, {}, 0, dims);
    b.Op("aten.add.Tensor", "sum", {"a", "a"}, {}, 0, dims);
    b.Op("aten.floor_divide.default", "quotient", {"a", "a"}, {}, 0, dims);
    for (const char* value : {"a", "b", "sum", "quotient"}) b.Shape(value, v1::DATA_TYPE_INT64, dims);
    b.Output("sum");
    EXPECT_EQ(ResultOf(b, kV68).verdict(), v1::Result::REJECTED);
  }
}

// Only floats can be quantized; QnnQuantizer does not look, and the text model of CLIP has such an argmax.
TEST(ExecuTorch, AQuantizedTensorOfIntegersEndsTheExport) {
  const auto argmax = [](v1::DataType type, bool annotated) {
    AnnotatedBuilder b;
    b.Input("x", type, {1, 8});
    b.Op("aten.argmax.default", "argmax", {"x"}, {annotated ? b.Act() : 0}, 0, {1});
    b.Shape("argmax", v1::DATA_TYPE_INT64, {1});
    return ResultOf(b, kV75);
  };
  for (const v1::DataType type : {v1::DATA_TYPE_INT32, v1::DATA_TYPE_INT64}) {
    EXPECT_EQ(argmax(type, true).outcome().kind(), v1::Outcome::FAILS);
    EXPECT_THAT(CodesAt(argmax(type, true), "argmax"), Contains("EN220"));
    EXPECT_THAT(CodesAt(argmax(type, false), "argmax"), Not(Contains("EN220")));
  }
  EXPECT_EQ(argmax(kF32, true).outcome().kind(), v1::Outcome::FULL);
}

// PyTorch makes int64 of it, which ExecuTorch does not undo here.
TEST(ExecuTorch, ASumOfIntegersIsLeftToTheCpu) {
  const auto sum = [](v1::DataType in, v1::DataType out) {
    AnnotatedBuilder b;
    b.Input("x", in, {1, 8});
    b.Int(b.Node("aten.sum.dim_IntList", "sum", {"x"}, {"sum"}), "dim", 1);
    b.Shape("sum", out, {1});
    b.Output("sum");
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(sum(v1::DATA_TYPE_INT64, v1::DATA_TYPE_INT64), ElementsAre("sum"));
  EXPECT_THAT(sum(v1::DATA_TYPE_BOOL, v1::DATA_TYPE_INT64), ElementsAre("sum"));
  EXPECT_THAT(sum(v1::DATA_TYPE_INT32, v1::DATA_TYPE_INT32), IsEmpty());
  EXPECT_THAT(sum(kF32, kF32), IsEmpty());
}

// The cast of the indices, which ExecuTorch stores as int32, cannot be prepared for tensors of five dimensions.
TEST(ExecuTorch, IndicesOfFiveDimensionsCannotBeCast) {
  const auto gather = [](const std::vector<int64_t>& dims) {
    AnnotatedBuilder b;
    b.Input("x", kF32, dims);
    b.Input("at", v1::DATA_TYPE_INT64, dims);
    v1::Node& node = b.Node("aten.gather.default", "gather", {"x", "at"}, {"gather"});
    node.add_input_args(0);
    node.add_input_args(2);
    b.Int(node, "dim", 0);
    b.Shape("gather", kF32, dims);
    b.Output("gather");
    return b;
  };
  EXPECT_EQ(ResultOf(gather({1, 2, 3, 4, 5}), kV75).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_EQ(ResultOf(gather({2, 3, 4, 5}), kV75).outcome().kind(), v1::Outcome::FULL);
}

// The buffer has no spec, and what becomes of the assignment is not in the graph.
TEST(ExecuTorch, WhatIsCopiedInPlaceIsUnknownWhereItIsQuantized) {
  const auto copy = [](bool quantized) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Input("y", kF32, {4, 8});
    const int act = quantized ? b.Act() : 0;
    b.Op("aten.neg.default", "neg", {"y"}, {act}, act, {4, 8});
    b.Op("aten.copy_.default", "copy", {"x", "neg"}, {0, act}, 0, {4, 8});
    return b;
  };
  EXPECT_EQ(ResultOf(copy(true), kV75).outcome().kind(), v1::Outcome::UNKNOWN);
  EXPECT_EQ(ResultOf(copy(false), kV75).outcome().kind(), v1::Outcome::FULL);
}

// y = neg(x) or zeros; y[2:] = gather(z); return relu(y): where `quantized`, what is written is a copy of y (GS017).
AnnotatedBuilder Assigned(bool quantized, bool of_input = true) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {4, 8});
  b.Input("at", v1::DATA_TYPE_INT64, {2, 8});
  const int act = b.Act();
  const int spec = quantized ? act : 0;
  if (of_input) {
    b.Op("aten.neg.default", "y", {"x"}, {act}, spec, {4, 8});
  } else {
    b.Op("aten.zeros.default", "y", {}, {}, spec, {4, 8});
  }
  b.Op("aten.slice.Tensor", "view", {"y"}, {spec}, spec, {2, 8});
  v1::Node& gather = b.Node("aten.gather.default", "gather", {"x", "at"}, {"gather"});
  gather.add_input_args(0);
  gather.add_input_args(2);
  b.Int(gather, "dim", 0);
  b.Shape("gather", kF32, {2, 8}).set_spec(act);
  b.Op("aten.copy_.default", "copy_", {"view", "gather"}, {0, act}, 0, {2, 8});
  b.Op("aten.relu.default", "relu", {"y"}, {spec}, act, {4, 8});
  b.graph.clear_outputs();
  b.Output("relu");
  return b;
}

// The nodes that ExecuTorch asks its backend about.
std::vector<std::string> NodesOf(const AnnotatedBuilder& b) {
  std::vector<std::string> nodes;
  const auto result = ResultOf(b, kV75);
  for (const v1::NodeOutcome& node : result.outcome().nodes()) nodes.push_back(node.node());
  return nodes;
}

TEST(ExecuTorch, NothingIsLeftOfAnAssignmentThatIsLost) {
  EXPECT_THAT(CodesAt(ResultOf(Assigned(true), kV75), "copy_"), Contains("GS017"));
  EXPECT_EQ(ResultOf(Assigned(true), kV75).outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(NodesOf(Assigned(true)), ElementsAre("y", "relu"));
  // With y left float it is a slice_scatter of what gather computes.
  EXPECT_THAT(CodesAt(ResultOf(Assigned(false), kV75), "copy_"), Not(Contains("GS017")));
  EXPECT_THAT(NodesOf(Assigned(false)), Contains("gather"));
}

TEST(ExecuTorch, WhatIsLeftOfALostAssignmentMayReadNoInput) {
  EXPECT_THAT(CodesAt(ResultOf(Assigned(true), kV75), "relu"), Not(Contains("CV203")));
  const auto alone = ResultOf(Assigned(true, /*of_input=*/false), kV75);
  EXPECT_EQ(alone.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(alone, "relu"), Contains("CV203"));
}

TEST(ExecuTorch, AGraphMayReadNoInput) {
  for (const char* made_of : {"x", "w"}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Weight("w", kF32, {4, 8}, 128);
    const int act = b.Act();
    b.Op("aten.relu.default", "relu", {made_of}, {act}, act, {4, 8});
    const auto result = ResultOf(b, kV75);
    EXPECT_EQ(result.outcome().kind(), made_of[0] == 'x' ? v1::Outcome::FULL : v1::Outcome::FAILS);
    EXPECT_EQ(CodesAt(result, "relu").size(), made_of[0] == 'x' ? 0u : 1u);
  }
}

// A branch may give a constant: what goes into the node that has it is the graph's around it.
TEST(ExecuTorch, ABodyMayReadNoInput) {
  AnnotatedBuilder body;
  body.Weight("w", kF32, {4, 8}, 128);
  const int act = body.Act();
  body.Op("aten.relu.default", "relu", {"w"}, {act}, act, {4, 8});
  AnnotatedBuilder b;
  b.Input("x", kF32, {4, 8});
  *b.graph.add_subgraphs() = body.graph;
  v1::Attribute& branch = *b.Node("cond", "cond", {"x"}, {"y"}).add_attributes();
  branch.set_name(b.Symbol("true_fn"));
  branch.set_graph(1);
  b.Shape("y", kF32, {4, 8});
  b.Output("y");
  const auto result = ResultOf(b, kV75);
  EXPECT_THAT(CodesAt(result, "relu"), Not(Contains("CV203")));
}

AnnotatedBuilder FloatGather() {
  AnnotatedBuilder b;
  b.Input("x", kF32, {4, 8});
  b.Input("at", v1::DATA_TYPE_INT64, {1, 8});
  v1::Node& node = b.Node("aten.gather.default", "gather", {"x", "at"}, {"gather"});
  node.add_input_args(0);
  node.add_input_args(2);
  b.Int(node, "dim", 0);
  b.Shape("gather", kF32, {1, 8});
  b.Output("gather");
  return b;
}

TEST(ExecuTorch, WhatLaterArchsTakeIsDelegatedAndHasNoKernel) {
  const v1::Result result = ResultOf(FloatGather(), kV68);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(Refused(result), IsEmpty());
  EXPECT_THAT(CodesAt(result, "gather"), Contains("DT102"));
  for (const char* target : {kV68WithAllKernels, kV69}) {
    EXPECT_EQ(ResultOf(FloatGather(), target).outcome().kind(), v1::Outcome::FULL) << target;
  }
  // The converter validates nothing beforehand: the node is refused.
  EXPECT_THAT(Refused(ResultOf(FloatGather(), kV68, "qnn-converter")), ElementsAre("gather"));
}

AnnotatedBuilder CastOf(v1::DataType type, const std::vector<int64_t>& shape) {
  AnnotatedBuilder b;
  b.Input("x", type, shape);
  b.Node("aten._to_copy.default", "cast", {"x"}, {"cast"});
  b.Shape("cast", kF32, shape);
  b.Output("cast");
  return b;
}

// The library's validation refuses a Cast of rank 6 on every arch (tests/data/vendor).
TEST(ExecuTorch, ARankThatIsTooHighIsRefused) {
  const AnnotatedBuilder b = CastOf(v1::DATA_TYPE_INT32, {1, 1, 1, 1, 1, 2});
  for (const char* target : {kV68, kV75}) EXPECT_THAT(Refused(ResultOf(b, target)), ElementsAre("cast")) << target;
}

// One of booleans it takes up to rank 5, and from V69 on has no kernel for that.
TEST(ExecuTorch, ARankThatIsValidatedAndNotPreparedEndsTheExport) {
  const AnnotatedBuilder b = CastOf(v1::DATA_TYPE_BOOL, {1, 1, 1, 1, 2});
  const v1::Result result = ResultOf(b, kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(Refused(result), IsEmpty());
  EXPECT_THAT(CodesAt(result, "cast"), Contains("GS103"));
  EXPECT_EQ(ResultOf(b, kV68).outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(ResultOf(CastOf(v1::DATA_TYPE_BOOL, {1, 1, 1, 2}), kV75).outcome().kind(), v1::Outcome::FULL);
  // What validation refuses besides comes first, and both are said as one.
  const v1::Result refused = ResultOf(CastOf(v1::DATA_TYPE_BOOL, {1, 1, 1, 1, 1, 2}), kV75);
  EXPECT_THAT(Refused(refused), ElementsAre("cast"));
  EXPECT_THAT(CodesAt(refused, "cast"), ElementsAre("GS103"));
  EXPECT_THAT(Refused(ResultOf(b, kV75, "qnn-converter")), ElementsAre("cast"));
}

// A measured rule in the place of a statement of the table.
TEST(ExecuTorch, IntegersThatAreValidatedAndNotPreparedEndTheExport) {
  const auto slice = [](int64_t dim) {
    AnnotatedBuilder b;
    b.Input("x", v1::DATA_TYPE_INT32, {2, 4, 4, 4});
    v1::Node& node = b.Node("aten.slice.Tensor", "slice", {"x"}, {"slice"});
    b.Int(node, "dim", dim);
    b.Int(node, "start", 0);
    b.Int(node, "end", 4);
    b.Int(node, "step", 2);
    std::vector<int64_t> shape = {2, 4, 4, 4};
    shape[dim] = 2;
    b.Shape("slice", v1::DATA_TYPE_INT32, shape);
    b.Output("slice");
    return b;
  };
  const v1::Result result = ResultOf(slice(1), kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(Refused(result), IsEmpty());
  EXPECT_THAT(CodesAt(result, "slice"), Contains("GS205"));
  EXPECT_EQ(ResultOf(slice(3), kV75).outcome().kind(), v1::Outcome::FULL);
}

AnnotatedBuilder FloatRelu() {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  b.Op("aten.relu.default", "relu", {"x"}, {}, 0, {1, 8});
  return b;
}

TEST(ExecuTorch, SomeSocsHaveNoFloat) {
  const v1::Result result = ResultOf(FloatRelu(), kWithoutFloat);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(Refused(result), ElementsAre("relu"));
  EXPECT_THAT(CodesAt(result, "relu"), Contains("DT106"));
  // That nothing is annotated is said of the graph; the node tells why.
  EXPECT_EQ(result.findings(result.outcome().cause()).location().node(), "relu");
  EXPECT_EQ(ResultOf(FloatRelu(), kV68).outcome().kind(), v1::Outcome::FULL);
  // Whatever asks the library: it was asked of ONNX Runtime's provider, too, and of SM7550, which is V73.
  for (const char* toolchain : {"qnn-converter", "onnxruntime"}) {
    for (const char* target : {kWithoutFloat, "qnn_htp/SM7550@2.49"}) {
      EXPECT_THAT(Refused(ResultOf(FloatRelu(), target, toolchain)), ElementsAre("relu")) << toolchain << target;
    }
    EXPECT_THAT(Refused(ResultOf(FloatRelu(), "qnn_htp/SM8550@2.49", toolchain)), IsEmpty()) << toolchain;
  }
  // Not delegated, hence not prepared either.
  EXPECT_EQ(ResultOf(FloatGather(), kWithoutFloat).outcome().kind(), v1::Outcome::PARTIAL);
}

TEST(ExecuTorch, AnArchStandsForSocsWithAndWithoutFloats) {
  AnnotatedBuilder b = FloatRelu();
  b.Op("aten.neg.default", "neg", {"relu"}, {}, 0, {1, 8});
  const v1::Result result = ResultOf(b, "qnn_htp/V73@2.49");
  // Once, of the first operator; the arch takes it.
  EXPECT_THAT(CodesAt(result, "relu"), Contains("DT107"));
  EXPECT_THAT(CodesAt(result, "neg"), Not(Contains("DT107")));
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FULL);
  // A SoC is what it is, and all SoCs of V75 have floats.
  for (const char* target : {"qnn_htp/SM8550@2.49", "qnn_htp/V75@2.49", kWithoutFloat}) {
    EXPECT_THAT(CodesAt(ResultOf(b, target), "relu"), Not(Contains("DT107"))) << target;
  }
}

TEST(ExecuTorch, WhatItTakesApartIsTakenWhereAllAreFloats) {
  const auto outcome = [](const char* op_type, bool quantized) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int act = quantized ? b.Act() : 0;
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {1, 8});
    b.Op(op_type, "op", {"relu", "relu", "relu"}, {}, 0, {1, 8});
    return ResultOf(b, kV75).outcome().kind();
  };
  // Beside quantized tensors they stay on the CPU.
  EXPECT_EQ(outcome("aten.addcmul.default", false), v1::Outcome::FULL);
  EXPECT_EQ(outcome("aten.addcmul.default", true), v1::Outcome::PARTIAL);
  // What stays as it is has no builder.
  EXPECT_EQ(outcome("aten.hypot.default", false), v1::Outcome::PARTIAL);
  EXPECT_EQ(outcome("acme.addcmul.default", false), v1::Outcome::PARTIAL);
}

TEST(ExecuTorch, TheMaskOfATriangleIsADelegateWithoutInput) {
  const auto outcome = [](bool quantized, bool goes_on) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {8, 8});
    b.Input("mask", kF32, {8, 8});
    const int act = b.Act();
    const int spec = quantized ? act : 0;
    b.Op("aten.relu.default", "relu", {"x"}, {spec}, spec, {8, 8});
    b.Op("aten.tril.default", "tril", {"mask"}, {spec}, spec, {8, 8});
    if (goes_on) b.Op("aten.mul.Tensor", "mul", {"relu", "tril"}, {spec, spec}, spec, {8, 8});
    return ResultOf(b, kV75).outcome().kind();
  };
  // At the end of the graph it is computed with the rest; what waits for it cannot be.
  EXPECT_EQ(outcome(true, false), v1::Outcome::PARTIAL);
  EXPECT_EQ(outcome(true, true), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(false, true), v1::Outcome::FAILS);
}

TEST(ExecuTorch, AMaskOfBooleansIsComputedWithWhatIsDelegatedInFrontOfIt) {
  const auto outcome = [](bool cut, bool quantized) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {8, 8});
    b.Input("y", kF32, {8, 8});
    const int act = b.Act();
    b.Op("aten.ones.default", "ones", {}, {}, 0, {8, 8});
    b.Op("aten.tril.default", "tril", {"ones"}, {}, 0, {8, 8});
    for (const char* mask : {"ones", "tril"}) b.Shape(mask, v1::DATA_TYPE_BOOL, {8, 8});
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {8, 8});
    // Refused: what is in front of it is a delegate of its own.
    b.Op(cut ? "aten.erf.default" : "aten.sigmoid.default", "middle", {"relu"}, {act}, act, {8, 8});
    const int spec = quantized ? act : 0;
    const std::string selected = quantized ? "middle" : "y";
    b.Op("aten.where.self", "where", {"tril", selected, selected}, {0, spec, spec}, spec, {8, 8});
    return ResultOf(b, kV75).outcome().kind();
  };
  EXPECT_EQ(outcome(true, true), v1::Outcome::PARTIAL);
  EXPECT_EQ(outcome(false, true), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(true, false), v1::Outcome::FAILS);
}

// Weights of four bits have to be constants; what a parametrization computes is one once convert_pt2e has run.
TEST(ExecuTorch, AWeightThatConvertComputesIsAConstant) {
  const auto codes = [](bool observed) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Weight("v", kF32, {4, 8}, 128);
    const int weight = b.Range(b.Filter(), -8, 7);
    b.Node("aten.neg.default", "neg", {"v"}, {"w"});
    b.Shape("w", kF32, {4, 8});
    if (observed) b.Find("neg").add_input_specs(b.Act());
    b.Op("aten.linear.default", "linear", {"x", "w"}, {b.Act(), weight}, b.Act(), {4, 4});
    return CodesAt(ResultOf(b, kV75), "linear");
  };
  EXPECT_THAT(codes(false), Not(Contains("GS106")));
  EXPECT_THAT(codes(true), Contains("GS106"));
}

// A linear, something that is refused or not, and another linear of the same weight.
TEST(ExecuTorch, ConstantsOfSeveralScalesBelongToOneDelegate) {
  enum Scales { kOne, kPerChannel, kBlocks, kTwoRanges };
  const auto codes = [](Scales scales, bool cut) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Weight("w", kF32, {8, 8}, 256);
    b.Weight("bias", kF32, {8}, 32);
    const int act = b.Act();
    const int weight = scales == kOne ? b.Act(v1::DATA_TYPE_INT8) : b.Range(b.Filter(), -7, 7);
    if (scales == kBlocks) {
      for (const int size : {1, 4}) b.At(weight).add_block_size(size);
    }
    const int again = scales == kTwoRanges ? b.Range(b.Filter(), -127, 127) : weight;
    b.Op("aten.linear.default", "first", {"x", "w", "bias"}, {act, weight, b.Bias({"x", "w"}, 1)}, act, {4, 8});
    b.Op(cut ? "aten.erf.default" : "aten.relu.default", "between", {"first"}, {act}, act, {4, 8});
    b.Op("aten.linear.default", "second", {"between", "w", "bias"}, {act, again, b.Bias({"between", "w"}, 3)}, act,
         {4, 8});
    return CodesAt(ResultOf(b, kV75), "second");
  };
  EXPECT_THAT(codes(kPerChannel, true), Contains("CV206"));
  EXPECT_THAT(codes(kBlocks, true), Contains("CV206"));
  EXPECT_THAT(codes(kPerChannel, false), Not(Contains("CV206")));
  EXPECT_THAT(codes(kOne, true), Not(Contains("CV206")));
  EXPECT_THAT(codes(kTwoRanges, true), Not(Contains("CV206")));
}

TEST(ExecuTorch, AGraphInputHasTheEncodingOfItsFirstReader) {
  const auto refused = [](v1::DataType first, v1::DataType second, bool computed) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    const int one = b.Act(first), other = b.Act(second);
    if (computed) b.Op("aten.neg.default", "neg", {"x"}, {one}, one, {4, 8});
    const std::string read = computed ? "neg" : "x";
    b.Op("aten.relu.default", "first", {read}, {one}, one, {4, 8});
    b.Op("aten.relu.default", "second", {read}, {other}, other, {4, 8});
    return Refused(ResultOf(b, kV75));
  };
  constexpr v1::DataType kNarrow = v1::DATA_TYPE_UINT8, kWide = v1::DATA_TYPE_UINT16;
  EXPECT_THAT(refused(kWide, kNarrow, false), ElementsAre("second"));
  EXPECT_THAT(refused(kNarrow, kWide, false), ElementsAre("second"));
  EXPECT_THAT(refused(kNarrow, kNarrow, false), IsEmpty());
  // What a node computes is converted for each.
  EXPECT_THAT(refused(kWide, kNarrow, true), IsEmpty());
}

TEST(ExecuTorch, APerChannelTableIsGatheredFromInSixteenBits) {
  const auto outcome = [](v1::DataType type) {
    AnnotatedBuilder b;
    b.Weight("table", kF32, {10, 4}, 160);
    b.Input("i", v1::DATA_TYPE_INT32, {3});
    b.Op("aten.embedding.default", "embedding", {"table", "i"}, {b.Filter()}, b.Act(type), {3, 4});
    return ResultOf(b, kV75).outcome().kind();
  };
  EXPECT_EQ(outcome(v1::DATA_TYPE_UINT16), v1::Outcome::FULL);
  EXPECT_EQ(outcome(v1::DATA_TYPE_UINT8), v1::Outcome::FAILS);
}

TEST(ExecuTorch, ATriangleOfChannelsLastEndsTheLowering) {
  const auto codes = [](const char* in_between) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    b.Weight("w", kF32, {4, 4, 1, 1}, 64);
    b.Op("aten.conv2d.default", "conv", {"x", "w"}, {b.Act(), b.Filter()}, b.Act(), {1, 4, 8, 8});
    b.Op(in_between, "between", {"conv"}, {b.Act()}, b.Act(), {1, 4, 8, 8});
    b.Op("aten.tril.default", "tril", {"between"}, {}, 0, {1, 4, 8, 8});
    return CodesAt(ResultOf(b, kV75), "tril");
  };
  EXPECT_THAT(codes("aten.relu.default"), Contains("EN205"));
  // It stops the layout.
  EXPECT_THAT(codes("aten.view.default"), Not(Contains("EN205")));
}

AnnotatedBuilder Divided(v1::DataType type) {
  AnnotatedBuilder b;
  b.Input("x", type, {4, 8});
  b.Input("y", type, {4, 8});
  b.Node("aten.floor_divide.default", "quotient", {"x", "y"}, {"quotient"});
  b.Shape("quotient", type, {4, 8});
  b.Output("quotient");
  return b;
}

TEST(ExecuTorch, AQuotientOfIntegersIsTakenApartAndOneOfFloatsIsNot) {
  EXPECT_EQ(ResultOf(Divided(v1::DATA_TYPE_INT64), kV75).outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(ResultOf(Divided(v1::DATA_TYPE_INT64), kWithoutFloat).outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_EQ(ResultOf(Divided(kF32), kWithoutFloat).outcome().kind(), v1::Outcome::FAILS);
}

// Lowered with ExecuTorch 1.5.1: slices and squeezes stay on the CPU. It asks PyTorch to keep unbind whole, in vain.
TEST(ExecuTorch, AnUnbindThatIsRefusedIsTakenApart) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 1, 2, 2, 3, 4});
  b.Int(b.Node("aten.unbind.int", "node", {"x"}, {"y"}), "dim", 0);
  b.Shape("y", kF32, {1, 2, 2, 3, 4});
  b.Output("y");
  const v1::Result result = ResultOf(b, kV75);
  EXPECT_THAT(Refused(result), ElementsAre("node"));
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
}

AnnotatedBuilder Norm(const char* op, v1::DataType type) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {2, 4, 8});
  const int act = b.Act(type);
  b.IntsAttribute(b.Op(op, "norm", {"x"}, {act}, act, {2, 4, 8}), "normalized_shape", {8});
  return b;
}

// The gamma that ExecuTorch makes has the zero point 0, which 16 bits without a sign do not take in a LayerNorm.
TEST(ExecuTorch, AMadeGammaIsOfTheOutputsType) {
  EXPECT_EQ(ResultOf(Norm("aten.layer_norm.default", v1::DATA_TYPE_UINT8), kV75).outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(Refused(ResultOf(Norm("aten.layer_norm.default", v1::DATA_TYPE_UINT16), kV75)), ElementsAre("norm"));
  EXPECT_EQ(ResultOf(Norm("aten.rms_norm.default", v1::DATA_TYPE_UINT16), kV75).outcome().kind(), v1::Outcome::FULL);
}

TEST(ExecuTorch, RandomNumbersOfEightBits) {
  const auto random = [](v1::DataType type) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 4});
    const int act = b.Act(type);
    b.Op("aten.rand_like.default", "random", {"x"}, {}, 0, {2, 4});
    b.Op("aten.add.Tensor", "sum", {"x", "random"}, {act, act}, act, {2, 4});
    return b;
  };
  EXPECT_EQ(ResultOf(random(v1::DATA_TYPE_UINT8), kV68).outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(Refused(ResultOf(random(v1::DATA_TYPE_UINT16), kV68)), ElementsAre("random"));
}

// What is between the reshapes of a maximum along one axis has no encoding; of an average it has.
TEST(ExecuTorch, AMaximumAlongOneAxisIsOfFloatsInside) {
  const auto pool = [](const char* op, const std::vector<int64_t>& shape, bool quantized) {
    AnnotatedBuilder b;
    b.Input("x", kF32, shape);
    const int act = quantized ? b.Act() : 0;
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, shape);
    std::vector<int64_t> out = shape;
    for (size_t i = 2; i < out.size(); ++i) out[i] /= 2;
    v1::Node& node = b.Node(op, "pool", {"relu"}, {"pool"});
    const std::vector<int64_t> two(shape.size() - 2, 2);
    b.IntsAttribute(node, "kernel_size", two);
    b.IntsAttribute(node, "stride", two);
    b.Shape("pool", kF32, out);
    b.Op("aten.abs.default", "abs", {"pool"}, {act}, act, out);
    return b;
  };
  const v1::Result result = ResultOf(pool("aten.max_pool1d.default", {1, 4, 16}, true), kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(Refused(result), ElementsAre("pool"));
  EXPECT_EQ(ResultOf(pool("aten.max_pool1d.default", {1, 4, 16}, false), kV75).outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(ResultOf(pool("aten.avg_pool1d.default", {1, 4, 16}, true), kV75).outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(ResultOf(pool("aten.max_pool2d.default", {1, 4, 16, 16}, true), kV75).outcome().kind(), v1::Outcome::FULL);
}

// ExecuTorch looks for the functions, and for one module of a strict export.
TEST(ExecuTorch, AnAdaptivePoolIsKnownByItsSource) {
  const auto result = [](const std::string& source) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 16});
    const int act = b.Act();
    v1::Node& pool = b.Op("aten.adaptive_avg_pool1d.default", "pool", {"x"}, {act}, act, {1, 4, 1});
    b.IntsAttribute(pool, "output_size", {1});
    if (!source.empty()) pool.set_source_fn(b.Symbol(source));
    return ResultOf(b, kV75);
  };
  // The reshape in front is, and the pool itself is not: it is kept whole, and would end the export.
  const v1::Result module = result("torch.nn.modules.pooling.AdaptiveAvgPool1d");
  EXPECT_THAT(Refused(module), ElementsAre("pool"));
  EXPECT_EQ(module.outcome().kind(), v1::Outcome::PARTIAL);
  for (const char* source : {"torch.adaptive_avg_pool1d", "builtin_function_or_method.adaptive_avg_pool1d", ""}) {
    EXPECT_THAT(Refused(result(source)), IsEmpty()) << source;
  }
}

// What is said of the function is not said of the module beside it.
TEST(ExecuTorch, AnAdaptivePoolIsKnownByItsOwnSource) {
  for (const bool module_first : {false, true}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 16});
    const int act = b.Act();
    for (const bool is_module : {module_first, !module_first}) {
      v1::Node& pool =
          b.Op("aten.adaptive_avg_pool1d.default", is_module ? "module" : "function", {"x"}, {act}, act, {1, 4, 1});
      b.IntsAttribute(pool, "output_size", {1});
      pool.set_source_fn(
          b.Symbol(is_module ? "torch.nn.modules.pooling.AdaptiveAvgPool1d" : "torch.adaptive_avg_pool1d"));
    }
    EXPECT_THAT(Refused(ResultOf(b, kV75)), ElementsAre("module")) << module_first;
  }
}

TEST(ExecuTorch, WithoutABuilderANodeStaysOnTheCpu) {
  const auto logical = [](const char* op) {
    AnnotatedBuilder b;
    b.Input("x", v1::DATA_TYPE_BOOL, {4, 8});
    b.Input("y", v1::DATA_TYPE_BOOL, {4, 8});
    b.Node(op, "node", {"x", "y"}, {"node"});
    b.Shape("node", v1::DATA_TYPE_BOOL, {4, 8});
    b.Output("node");
    return b;
  };
  for (const char* op : {"aten.logical_or.default", "aten.logical_xor.default"}) {
    EXPECT_THAT(Refused(ResultOf(logical(op), kV75)), ElementsAre("node")) << op;
  }
  for (const char* op : {"aten.logical_and.default", "aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor"}) {
    EXPECT_THAT(Refused(ResultOf(logical(op), kV75)), IsEmpty()) << op;
  }
  const auto mean = [](const char* op) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.IntsAttribute(b.Node(op, "node", {"x"}, {"node"}), "dim", {0});
    b.Shape("node", kF32, {8});
    b.Output("node");
    return b;
  };
  EXPECT_THAT(Refused(ResultOf(mean("aten.mean.default"), kV75)), ElementsAre("node"));
  EXPECT_THAT(Refused(ResultOf(mean("aten.mean.dim"), kV75)), IsEmpty());
}

// On a SoC without float, what is left in refuses.
TEST(ExecuTorch, WhatChangesNothingIsTakenOut) {
  const auto between = [](const char* op, const std::vector<int64_t>& shape) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    v1::Node& node = b.Node(op, "node", {"x"}, {"node"});
    b.Int(node, "dim", 1);
    b.Int(node, "end", shape[1]);
    b.IntsAttribute(node, "repeats", {shape[0], shape[1] / 8});
    b.Shape("node", kF32, shape);
    b.Output("node");
    return b;
  };
  for (const char* op :
       {"aten.slice.Tensor", "aten.repeat.default", "aten.expand.default", "aten.clone.default", "aten.to.dtype"}) {
    EXPECT_THAT(Refused(ResultOf(between(op, {1, 8}), kWithoutFloat)), IsEmpty()) << op;
  }
  EXPECT_THAT(Refused(ResultOf(between("aten.slice.Tensor", {1, 4}), kWithoutFloat)), ElementsAre("node"));
  EXPECT_THAT(Refused(ResultOf(between("aten.repeat.default", {1, 16}), kWithoutFloat)), ElementsAre("node"));
  EXPECT_THAT(Refused(ResultOf(between("aten.expand.default", {2, 8}), kWithoutFloat)), ElementsAre("node"));
}

// PyTorch ignores updates that no index asks for, the library counts them. It is asked to keep a scatter whole.
TEST(ExecuTorch, AsManyUpdatesAsIndices) {
  const auto scatter = [](int64_t updates) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 16});
    b.Input("at", v1::DATA_TYPE_INT64, {1, 1, 16});
    b.Input("y", kF32, {1, updates, 16});
    v1::Node& node = b.Node("aten.scatter.src", "scatter", {"x", "at", "y"}, {"scatter"});
    for (int argument : {0, 2, 3}) node.add_input_args(argument);
    b.Int(node, "dim", 1);
    b.Shape("scatter", kF32, {1, 4, 16});
    b.Output("scatter");
    return b;
  };
  EXPECT_EQ(ResultOf(scatter(4), kV75).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(ResultOf(scatter(4), kV75), "scatter"), Contains("GS203"));
  EXPECT_EQ(ResultOf(scatter(1), kV75).outcome().kind(), v1::Outcome::FULL);
}

// A reshape of floats is delegated where nothing else of floats is, and alone it has no input.
TEST(ExecuTorch, TheReshapeOfARefusedNodesConstantIsADelegateOfItsOwn) {
  const auto with = [](const char* op, const std::vector<int64_t>& shape) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8});
    int64_t bytes = 4;
    for (int64_t size : shape) bytes *= size;
    b.Weight("c", kF32, shape, bytes);
    b.Op(op, "node", {"x", "c"}, {}, 0, {1, 4, 8});
    return b;
  };
  const v1::Result result = ResultOf(with("aten.add.Tensor", {8}), kWithoutFloat);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(result, "node"), Contains("CV203"));
  EXPECT_EQ(ResultOf(with("aten.mul.Tensor", {}), kWithoutFloat).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_EQ(ResultOf(with("aten.add.Tensor", {1, 1, 8}), kWithoutFloat).outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_EQ(ResultOf(with("aten.maximum.default", {8}), kWithoutFloat).outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_EQ(ResultOf(with("aten.add.Tensor", {8}), kV75).outcome().kind(), v1::Outcome::FULL);
}

// A condition is not cast to the type of what it selects.
TEST(ExecuTorch, AConditionIsNoInputOfTheDelegateOfAConstant) {
  for (const v1::DataType condition : {v1::DATA_TYPE_BOOL, kF32}) {
    AnnotatedBuilder b;
    b.Input("m", condition, {4, 8});
    b.Input("x", kF32, {4, 8});
    b.Ints("k", v1::DATA_TYPE_INT64, {1, 2, 3, 4, 5, 6, 7, 8}, /*scalar=*/false);
    b.Op("aten.where.self", "node", {"m", "x", "k"}, {}, 0, {4, 8});
    EXPECT_THAT(CodesAt(ResultOf(b, kWithoutFloat), "node"), Contains("CV203"));
  }
}

}  // namespace
}  // namespace quantgate
