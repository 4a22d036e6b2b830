// What becomes of nodes that ExecuTorch 1.5.1 lays out channels-last, each as it was lowered (libraries of QAIRT
// 2.49.40, SM8650).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::Refused;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

using Sizes = std::vector<int64_t>;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;

v1::Result Lower(const AnnotatedBuilder& b, const std::string& toolchain = "executorch") {
  return testing::ResultOf(b, "qnn_htp/SM8650@2.49", toolchain);
}

std::vector<std::string> CodesIn(const v1::Result& result) {
  std::vector<std::string> codes;
  for (const v1::Finding& finding : result.findings()) codes.push_back(finding.code());
  return codes;
}

v1::Outcome::Kind KindOf(const AnnotatedBuilder& b) { return Lower(b).outcome().kind(); }

// A pooling in floats that makes "pool" of that shape.
AnnotatedBuilder Pooled(const Sizes& shape) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {shape[0], shape[1], 2 * shape[2], 2 * shape[3]});
  v1::Node& pool = b.Node("aten.avg_pool2d.default", "pool", {"x"}, {"pool"});
  b.IntsAttribute(pool, "kernel_size", {2, 2});
  b.IntsAttribute(pool, "stride", {2, 2});
  b.Shape("pool", kF32, shape);
  return b;
}

v1::Node& Add(AnnotatedBuilder& b, const std::string& op, const std::vector<std::string>& inputs, const Sizes& shape,
              const std::string& name = "node") {
  v1::Node& node = b.Node(op, name, inputs, {name});
  b.Shape(name, kF32, shape);
  b.Output(name);
  return node;
}

// `op` of the pooling and a tensor of that shape.
AnnotatedBuilder PooledWith(const std::string& op, const Sizes& other, const Sizes& shape = {1, 4, 8, 8}) {
  AnnotatedBuilder b = Pooled(shape);
  b.Input("other", kF32, other);
  Add(b, op, {"pool", "other"}, shape);
  if (op == "aten.lt.Tensor" || op == "aten.gt.Tensor" || op == "aten.eq.Tensor") {
    b.Value("node").set_dtype(v1::DATA_TYPE_BOOL);
  }
  return b;
}

TEST(ExecuTorchLayout, AVectorMeetsTheChannels) {
  const v1::Result result = Lower(PooledWith("aten.maximum.default", {8}));
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(Refused(result), ElementsAre("node"));
  EXPECT_THAT(CodesIn(result), Contains("EN205"));
  EXPECT_THAT(Refused(Lower(PooledWith("aten.minimum.default", {8}))), ElementsAre("node"));
  EXPECT_THAT(Refused(Lower(PooledWith("aten.lt.Tensor", {8}))), ElementsAre("node"));
  // One number, all dimensions, and an operator that gets a reshape in front of its operand.
  for (const Sizes& other : {Sizes{1}, Sizes{1, 1, 1, 8}, Sizes{1, 4, 8, 8}}) {
    EXPECT_EQ(KindOf(PooledWith("aten.maximum.default", other)), v1::Outcome::FULL);
  }
  EXPECT_EQ(KindOf(PooledWith("aten.add.Tensor", {8})), v1::Outcome::FULL);
  EXPECT_THAT(CodesIn(Lower(PooledWith("aten.maximum.default", {8}), "qnn-converter")), Not(Contains("EN205")));
}

// It is delegated all the same where the sizes fit, and where the library does not look at them.
TEST(ExecuTorchLayout, AVectorThatFitsTheChannelsGivesWrongNumbers) {
  for (const AnnotatedBuilder& b : {PooledWith("aten.maximum.default", {8}, {1, 8, 8, 8}),
                                    PooledWith("aten.gt.Tensor", {8}), PooledWith("aten.eq.Tensor", {8})}) {
    const v1::Result result = Lower(b);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FULL);
    EXPECT_THAT(CodesIn(result), Contains("EN207"));
  }
  EXPECT_THAT(CodesIn(Lower(PooledWith("aten.maximum.default", {1, 1, 1, 8}, {1, 8, 8, 8}))), Not(Contains("EN207")));
  EXPECT_THAT(CodesIn(Lower(PooledWith("aten.add.Tensor", {8}, {1, 8, 8, 8}))), Not(Contains("EN207")));
}

TEST(ExecuTorchLayout, AnOperandOfAnotherRankEndsTheExport) {
  const v1::Result result = Lower(PooledWith("aten.maximum.default", {4, 1, 8}));
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesIn(result), Contains("EN205"));
  EXPECT_EQ(KindOf(PooledWith("aten.gt.Tensor", {8, 8})), v1::Outcome::FAILS);
  EXPECT_EQ(KindOf(PooledWith("aten.mul.Tensor", {4, 1, 8})), v1::Outcome::FULL);
}

// Nothing needs another layout, or a reshape stops it.
TEST(ExecuTorchLayout, ElsewhereOperandsAreAsTheyAre) {
  AnnotatedBuilder alone;
  alone.Input("x", kF32, {1, 4, 8, 8});
  alone.Input("other", kF32, {4, 1, 8});
  Add(alone, "aten.maximum.default", {"x", "other"}, {1, 4, 8, 8});
  EXPECT_EQ(KindOf(alone), v1::Outcome::FULL);
  AnnotatedBuilder behind = Pooled({1, 4, 8, 8});
  behind.Input("other", kF32, {16});
  Add(behind, "aten.view.default", {"pool"}, {1, 4, 4, 16}, "view");
  Add(behind, "aten.maximum.default", {"view", "other"}, {1, 4, 4, 16});
  EXPECT_EQ(KindOf(behind), v1::Outcome::FULL);
}

// What is taken out does not stop it, what remains does.
TEST(ExecuTorchLayout, GoesThroughWhatIsTakenOut) {
  for (const std::string op : {"aten.clone.default", "aten.slice.Tensor", "aten.tanh.default"}) {
    AnnotatedBuilder b = Pooled({1, 4, 8, 8});
    b.Input("other", kF32, {8});
    Add(b, op, {"pool"}, {1, 4, 8, 8}, "between");
    Add(b, "aten.maximum.default", {"between", "other"}, {1, 4, 8, 8});
    EXPECT_EQ(KindOf(b), op == "aten.tanh.default" ? v1::Outcome::FULL : v1::Outcome::PARTIAL) << op;
  }
}

// A tensor of a lower rank gets its own reshape, so that the layout of the sum is not that of what comes in front.
TEST(ExecuTorchLayout, TheReshapeOfAnOperandStopsTheLayout) {
  for (const bool same_rank : {false, true}) {
    AnnotatedBuilder b = Pooled({1, 4, 8, 8});
    b.Input("y", kF32, same_rank ? Sizes{1, 1, 8, 8} : Sizes{8, 8});
    b.Input("z", kF32, {8});
    Add(b, "aten.maximum.default", {"y", "z"}, same_rank ? Sizes{1, 1, 8, 8} : Sizes{8, 8}, "front");
    Add(b, "aten.add.Tensor", {"pool", "front"}, {1, 4, 8, 8});
    EXPECT_EQ(KindOf(b), same_rank ? v1::Outcome::PARTIAL : v1::Outcome::FULL);
  }
}

AnnotatedBuilder Repeated(const Sizes& multiples, bool pooled) {
  Sizes shape = {1, 4, 8, 8};
  AnnotatedBuilder b;
  if (pooled) {
    b = Pooled(shape);
  } else {
    b.Input("pool", kF32, shape);
  }
  shape.insert(shape.begin(), multiples.size() - shape.size(), 1);
  for (size_t i = 0; i < shape.size(); ++i) shape[i] *= multiples[i];
  b.IntsAttribute(Add(b, "aten.repeat.default", {"pool"}, shape), "repeats", multiples);
  return b;
}

TEST(ExecuTorchLayout, TheMultiplesOfARepeatKeepTheirOrder) {
  for (const Sizes& multiples : {Sizes{1, 1, 1, 2}, Sizes{1, 1, 2, 1}, Sizes{1, 2, 1, 1}}) {
    const v1::Result result = Lower(Repeated(multiples, true));
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
    EXPECT_THAT(CodesIn(result), Contains("EN205"));
    EXPECT_EQ(KindOf(Repeated(multiples, false)), v1::Outcome::FULL);
  }
  // The order makes no difference.
  EXPECT_EQ(KindOf(Repeated({1, 2, 2, 2}, true)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(Repeated({2, 1, 1, 1}, true)), v1::Outcome::FULL);
}

TEST(ExecuTorchLayout, ARepeatIntoAHigherRank) {
  EXPECT_EQ(KindOf(Repeated({2, 1, 1, 1, 1}, true)), v1::Outcome::FAILS);
  const v1::Result result = Lower(Repeated({2, 1, 1, 1, 1}, false));
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(CodesIn(result), Contains("CV201"));
}

AnnotatedBuilder Reduced(const std::string& op, bool keep) {
  AnnotatedBuilder b = Pooled({1, 4, 8, 8});
  v1::Node& node = Add(b, op, {"pool"}, keep ? Sizes{1, 4, 1, 8} : Sizes{1, 4, 8});
  b.IntsAttribute(node, "dim", {2});
  b.Int(node, "keepdim", keep ? 1 : 0);
  return b;
}

TEST(ExecuTorchLayout, AMinimumThatDropsADimensionEndsTheExport) {
  EXPECT_EQ(KindOf(Reduced("aten.amin.default", false)), v1::Outcome::FAILS);
  EXPECT_EQ(KindOf(Reduced("aten.amin.default", true)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(Reduced("aten.amax.default", false)), v1::Outcome::FULL);
}

TEST(ExecuTorchLayout, ASliceAlongADimensionThatCountsFromTheEnd) {
  const auto slice = [](bool pooled, int64_t dim) {
    AnnotatedBuilder b;
    if (pooled) {
      b = Pooled({1, 4, 8, 8});
    } else {
      b.Input("pool", kF32, {1, 4, 8, 8});
    }
    v1::Node& node = Add(b, "aten.slice.Tensor", {"pool"}, {1, 4, 8, 4});
    b.Int(node, "dim", dim);
    b.Int(node, "start", 0);
    b.Int(node, "end", 4);
    return b;
  };
  EXPECT_EQ(KindOf(slice(true, -1)), v1::Outcome::FAILS);
  EXPECT_EQ(KindOf(slice(true, 3)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(slice(false, -1)), v1::Outcome::FULL);
}

// A softmax over the rows lays out matrices, too, and these are multiplied transposed.
TEST(ExecuTorchLayout, AProductOfTransposedMatrices) {
  const auto product = [](int64_t columns, int64_t dim, const std::string& op) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, columns});
    b.Input("y", kF32, {1, columns, 4});
    b.Int(Add(b, "aten.softmax.int", {"x"}, {1, 4, columns}, "weights"), "dim", dim);
    Add(b, op, {"weights", "y"}, {1, 4, 4});
    return b;
  };
  EXPECT_THAT(Refused(Lower(product(8, 1, "aten.bmm.default"))), ElementsAre("node"));
  EXPECT_THAT(Refused(Lower(product(8, 2, "aten.bmm.default"))), IsEmpty());
  EXPECT_THAT(Refused(Lower(product(8, 1, "aten.matmul.default"))), IsEmpty());
  const v1::Result square = Lower(product(4, 1, "aten.bmm.default"));
  EXPECT_THAT(Refused(square), IsEmpty());
  EXPECT_THAT(CodesIn(square), Contains("EN207"));
}

AnnotatedBuilder Sorted(const std::string& op, std::optional<int64_t> dim, int64_t channels, bool pooled) {
  AnnotatedBuilder b;
  const Sizes shape = {1, channels, 8, 8};
  if (pooled) {
    b = Pooled(shape);
  } else {
    b.Input("pool", kF32, shape);
  }
  v1::Node& node = b.Node(op, "node", {"pool"}, {"values", "indices"});
  if (op == "aten.topk.default") b.Int(node, "k", channels);
  if (dim) b.Int(node, "dim", *dim);
  Sizes out = shape;
  if (op == "aten.topk.default") out[dim.value_or(3)] = channels;
  b.Shape("values", kF32, out);
  b.Shape("indices", v1::DATA_TYPE_INT64, out);
  b.Output("values");
  return b;
}

TEST(ExecuTorchLayout, TopKIsOverWhatComesLast) {
  for (const std::string op : {"aten.topk.default", "aten.sort.default"}) {
    SCOPED_TRACE(op);
    EXPECT_THAT(CodesIn(Lower(Sorted(op, 1, 4, false))), Contains("EN206"));
    EXPECT_THAT(Refused(Lower(Sorted(op, 3, 4, false))), IsEmpty());
    EXPECT_THAT(Refused(Lower(Sorted(op, std::nullopt, 4, false))), IsEmpty());
    EXPECT_THAT(Refused(Lower(Sorted(op, 1, 4, true))), IsEmpty());
    EXPECT_THAT(Refused(Lower(Sorted(op, 3, 4, true))), ElementsAre("node"));
    EXPECT_THAT(Refused(Lower(Sorted(op, std::nullopt, 4, true))), ElementsAre("node"));
    EXPECT_THAT(CodesIn(Lower(Sorted(op, 1, 4, false), "qnn-converter")), Not(Contains("EN206")));
  }
  // An axis that is not stated is not looked at, and the sizes are right.
  const v1::Result kept = Lower(Sorted("aten.topk.default", std::nullopt, 8, true));
  EXPECT_THAT(Refused(kept), IsEmpty());
  EXPECT_THAT(CodesIn(kept), Contains("EN207"));
  EXPECT_THAT(Refused(Lower(Sorted("aten.topk.default", 3, 8, true))), ElementsAre("node"));
}

}  // namespace
}  // namespace quantgate
