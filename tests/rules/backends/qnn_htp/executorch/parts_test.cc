// Operators that PyTorch takes apart on the way to HTP, as ExecuTorch 1.5.1 was seen to lower them: by their parts, in
// part, or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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
constexpr char kV75[] = "qnn_htp/SM8650@2.49";

// The operator alone, with inputs of one shape and an output of another.
AnnotatedBuilder Alone(const std::string& op, int inputs, bool quantized, const std::vector<int64_t>& in = {4, 8},
                       const std::vector<int64_t>& out = {4, 8}) {
  AnnotatedBuilder b;
  const int act = quantized ? b.Act() : 0;
  std::vector<std::string> names;
  for (int i = 0; i < inputs; ++i) {
    names.push_back("x" + std::to_string(i));
    b.Input(names.back(), kF32, in);
  }
  b.Op(op, "node", names, std::vector<int>(inputs, act), act, out);
  return b;
}

v1::Outcome::Kind OutcomeOf(const AnnotatedBuilder& b, const std::string& target = kV75) {
  return ResultOf(b, target).outcome().kind();
}

TEST(ExecuTorchParts, WhatIsOnePartIsJudgedAsThat) {
  for (const bool quantized : {false, true}) {
    EXPECT_EQ(OutcomeOf(Alone("aten.vstack.default", 2, quantized, {4, 8}, {8, 8})), v1::Outcome::FULL) << quantized;
    EXPECT_EQ(OutcomeOf(Alone("aten.fliplr.default", 1, quantized)), v1::Outcome::FULL) << quantized;
    EXPECT_EQ(OutcomeOf(Alone("aten.mT.default", 1, quantized, {4, 8}, {8, 4})), v1::Outcome::FULL) << quantized;
  }
  // Joined with floats, the part is refused.
  AnnotatedBuilder mixed = Alone("aten.vstack.default", 2, true, {4, 8}, {8, 8});
  mixed.Find("node").set_input_specs(0, 0);
  EXPECT_THAT(Refused(ResultOf(mixed, kV75)), ElementsAre("node"));
}

// What drops elements is for training: PyTorch says it by native_dropout.
TEST(ExecuTorchParts, ADropoutThatDropsIsRefused) {
  for (const bool trains : {true, false}) {
    for (const double share : {0.5, 0.0}) {
      AnnotatedBuilder b = Alone("aten.dropout.default", 1, true);
      b.Int(b.Find("node"), "train", trains ? 1 : 0);
      v1::Attribute& p = *b.Find("node").add_attributes();
      p.set_name(b.Symbol("p"));
      p.set_f(share);
      EXPECT_EQ(Refused(ResultOf(b, kV75)).size(), trains && share > 0 ? 1 : 0) << trains << share;
    }
  }
}

// Tensors of one shape are passed on.
TEST(ExecuTorchParts, WhatIsNotBroadcastIsNoOperator) {
  for (const std::vector<int64_t>& second : {std::vector<int64_t>{4, 8}, std::vector<int64_t>{1, 8}}) {
    AnnotatedBuilder b = Alone("aten.broadcast_tensors.default", 2, true);
    b.Shape("x1", kF32, second);
    EXPECT_EQ(Refused(ResultOf(b, kV75)).size(), second[0] == 4 ? 0 : 1);
  }
}

// Nothing says how the tensors between the parts are quantized.
TEST(ExecuTorchParts, OfSeveralPartsThoseOfFloatsAreTaken) {
  for (const char* op : {"aten.addcmul.default", "aten.addcdiv.default"}) {
    EXPECT_EQ(OutcomeOf(Alone(op, 3, false)), v1::Outcome::FULL) << op;
    EXPECT_THAT(Refused(ResultOf(Alone(op, 3, true), kV75)), ElementsAre("node")) << op;
  }
  // Where there is no float, there are no kernels for them either.
  EXPECT_THAT(Refused(ResultOf(Alone("aten.addcmul.default", 3, false), "qnn_htp/QCM6490@2.49")), ElementsAre("node"));
}

TEST(ExecuTorchParts, APartThatQnnHasNotIsRefused) {
  for (const bool quantized : {false, true}) {
    EXPECT_THAT(Refused(ResultOf(Alone("aten.erf.default", 1, quantized), kV75)), ElementsAre("node")) << quantized;
    EXPECT_THAT(Refused(ResultOf(Alone("aten.bilinear.default", 3, quantized), kV75)), ElementsAre("node"));
  }
}

// Indices and grids that are computed in floats from constants: delegated, and prepared where there are kernels.
TEST(ExecuTorchParts, IndicesThatAreComputedInFloatsNeedKernels) {
  const auto fails = [](const char* op, const char* soc) {
    const v1::Result result = ResultOf(Alone(op, 1, true), absl::StrCat("qnn_htp/", soc, "@2.49"));
    return absl::c_linear_search(CodesAt(result, "node"), "EN222");
  };
  constexpr char kV68[] = "SM8350", kV68WithAllKernels[] = "SA8295", kV69[] = "SXR2230P", kWithoutFloat[] = "SSG2115P";
  for (const char* op : {"aten.upsample_linear1d.vec", "aten.affine_grid_generator.default"}) {
    EXPECT_TRUE(fails(op, kV68)) << op;
    EXPECT_TRUE(fails(op, kWithoutFloat)) << op;
    EXPECT_FALSE(fails(op, kV68WithAllKernels)) << op;
    EXPECT_FALSE(fails(op, kV69)) << op;
  }
  for (const char* op :
       {"aten.upsample_nearest1d.vec", "aten._upsample_nearest_exact1d.vec", "aten.upsample_nearest3d.vec"}) {
    EXPECT_TRUE(fails(op, kWithoutFloat)) << op;
    EXPECT_FALSE(fails(op, kV68)) << op;
  }
}

// Where there is no float they are refused, and the rest is lowered.
TEST(ExecuTorchParts, SelectionsAmongFloatsNeedKernels) {
  for (const char* op : {"aten.logit.default", "aten.logsumexp.default", "aten.nan_to_num.default",
                         "aten.renorm.default", "aten.xlogy.Tensor"}) {
    const int inputs = absl::string_view(op) == "aten.xlogy.Tensor" ? 2 : 1;
    const auto fails = [&](bool quantized, const char* soc) {
      const v1::Result result = ResultOf(Alone(op, inputs, quantized), absl::StrCat("qnn_htp/", soc, "@2.49"));
      return absl::c_linear_search(CodesAt(result, "node"), "EN222");
    };
    EXPECT_TRUE(fails(true, "SM8350")) << op;
    EXPECT_FALSE(fails(false, "SM8350")) << op;
    for (const char* soc : {"QCM6490", "SA8295", "SM8450"}) EXPECT_FALSE(fails(true, soc)) << op << soc;
  }
}

// Behind a relu, whose result is quantized or not.
AnnotatedBuilder BehindRelu(const std::string& op, bool quantized, v1::DataType result,
                            const std::vector<int64_t>& out = {4, 8}) {
  AnnotatedBuilder b;
  const int act = quantized ? b.Act() : 0;
  b.Input("x", kF32, {4, 8});
  b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {4, 8});
  b.Node(op, "node", {"relu"}, {"node"});
  b.Shape("node", result, out);
  b.Output("node");
  return b;
}

// A sort whose values nobody reads: over the last dimension, and not of places.
TEST(ExecuTorchParts, AnArgSortIsASort) {
  constexpr v1::DataType kPlaces = v1::DATA_TYPE_INT64;
  EXPECT_EQ(OutcomeOf(BehindRelu("aten.argsort.default", true, kPlaces)), v1::Outcome::FULL);
  AnnotatedBuilder first = BehindRelu("aten.argsort.default", true, kPlaces);
  first.Int(first.Find("node"), "dim", 0);
  EXPECT_THAT(Refused(ResultOf(first, kV75)), ElementsAre("node"));
  AnnotatedBuilder twice = BehindRelu("aten.argsort.default", true, kPlaces);
  twice.Node("aten.argsort.default", "again", {"node"}, {"again"});
  twice.Shape("again", kPlaces, {4, 8});
  EXPECT_THAT(Refused(ResultOf(twice, kV75)), ElementsAre("again"));
}

TEST(ExecuTorchParts, WhetherAllAreTrueIsAskedOfTruthValues) {
  constexpr v1::DataType kTruth = v1::DATA_TYPE_BOOL;
  for (const bool quantized : {false, true}) {
    EXPECT_THAT(Refused(ResultOf(BehindRelu("aten.all.dim", quantized, kTruth, {4}), kV75)), ElementsAre("node"));
  }
  for (const char* op : {"aten.all.default", "aten.all.dim"}) {
    AnnotatedBuilder b = BehindRelu("aten.isinf.default", false, kTruth);
    b.Node(op, "all", {"node"}, {"all"});
    b.Shape("all", kTruth, {4});
    EXPECT_THAT(Refused(ResultOf(b, kV75)), Not(Contains("all"))) << op;
  }
}

// A pass ends over them, and no node is asked about.
TEST(ExecuTorchParts, IndicesThatAreUsedBeforeTheyAreDefined) {
  for (const char* op : {"aten.cross.default", "aten.linalg_cross.default", "aten.take_along_dim.default"}) {
    for (const bool quantized : {false, true}) {
      const v1::Result result = ResultOf(Alone(op, 2, quantized), kV75);
      EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS) << op;
      EXPECT_THAT(CodesAt(result, "node"), Contains("EN222")) << op;
      EXPECT_THAT(Refused(result), IsEmpty()) << op;
    }
    EXPECT_THAT(CodesAt(ResultOf(Alone(op, 2, true), kV75, "qnn-converter"), "node"), Not(Contains("EN222"))) << op;
  }
}

TEST(ExecuTorchParts, WhoseFormIsNotKnownIsUnknown) {
  const v1::Result result = ResultOf(Alone("aten.take.default", 1, false), kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::UNKNOWN);
  EXPECT_THAT(Refused(result), IsEmpty());
}

TEST(ExecuTorchParts, ADifferenceOfNeighborsIsRefusedOfQuantizedValues) {
  EXPECT_THAT(Refused(ResultOf(Alone("aten.diff.default", 1, true), kV75)), ElementsAre("node"));
  EXPECT_THAT(Refused(ResultOf(Alone("aten.diff.default", 1, false), kV75)), IsEmpty());
}

// ExecuTorch puts reshapes around a linear, and asks about each by itself.
TEST(ExecuTorchParts, ALinearOfSixDimensionsIsTakenAndTheReshapesAreNot) {
  const auto result = [](const std::vector<int64_t>& front) {
    AnnotatedBuilder b;
    std::vector<int64_t> in = front, out = front;
    in.push_back(8);
    out.push_back(4);
    b.Input("x", kF32, in);
    b.Weight("w", kF32, {4, 8}, 128);
    const int act = b.Act();
    b.Op("aten.linear.default", "node", {"x", "w"}, {act, b.Filter()}, act, out);
    return ResultOf(b, kV75);
  };
  EXPECT_EQ(result({1, 2, 1, 2, 3}).outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(Refused(result({1, 2, 1, 2, 3})), ElementsAre("node"));
  EXPECT_EQ(result({1, 2, 2, 3}).outcome().kind(), v1::Outcome::FULL);
}

TEST(ExecuTorchParts, FillingOrAddingAtAnIndexAndLookingForNanAreRefusedOfQuantizedValues) {
  for (const char* op : {"aten.index_fill.int_Scalar", "aten.index_add.default", "aten.isnan.default"}) {
    EXPECT_THAT(Refused(ResultOf(Alone(op, 1, true), kV75)), ElementsAre("node")) << op;
    EXPECT_EQ(OutcomeOf(Alone(op, 1, true)), v1::Outcome::PARTIAL) << op;
    EXPECT_EQ(OutcomeOf(Alone(op, 1, false)), v1::Outcome::UNKNOWN) << op;
  }
}

// With an initial state of zeros the export ends, with one that is computed it does not.
TEST(ExecuTorchParts, ARecurrentLayerIsUnknown) {
  for (const char* op : {"aten.gru.input", "aten.lstm.input", "aten.rnn_tanh.input", "aten.gru_cell.default"}) {
    for (const bool quantized : {false, true}) {
      EXPECT_EQ(OutcomeOf(Alone(op, 3, quantized)), v1::Outcome::UNKNOWN) << op;
    }
  }
}

// Another toolchain is not known to take anything apart, nor is another origin.
TEST(ExecuTorchParts, AnOperatorThatNobodyKnowsHasNoCounterpart) {
  EXPECT_THAT(Refused(ResultOf(Alone("aten.nobody_knows.default", 1, false), kV75)), ElementsAre("node"));
}

// Its mask or range is computed by a delegate of constants alone, because the part behind is refused.
TEST(ExecuTorchParts, APartThatIsRefusedLeavesADelegateWithoutInput) {
  for (const char* op : {"aten.lerp.Scalar", "aten.quantile.scalar", "aten.tril.default"}) {
    const v1::Result result = ResultOf(Alone(op, op[5] == 'l' ? 2 : 1, false), kV75);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS) << op;
    EXPECT_THAT(CodesAt(result, "node"), Contains("CV203")) << op;
  }
  // The mask of a quantized tensor is computed with what is delegated in front of it; the weight is not.
  EXPECT_EQ(OutcomeOf(Alone("aten.lerp.Scalar", 2, true)), v1::Outcome::FAILS);
  EXPECT_EQ(OutcomeOf(Alone("aten.erf.default", 1, false)), v1::Outcome::PARTIAL);
}

// ExecuTorch reshapes the constant to the rank of the result. That to six dimensions is refused as well, and the
// constant's Dequantize is left.
TEST(ExecuTorchParts, AConstantOfANodeOfSixDimensions) {
  const auto outcome = [](bool constant) {
    const std::vector<int64_t> shape = {1, 2, 3, 2, 2, 4};
    AnnotatedBuilder b;
    b.Input("x", kF32, shape);
    if (constant) b.Reals("c", {1.5}, /*scalar=*/false);
    const int act = b.Act();
    b.Op("aten.add.Tensor", "node", {"x", constant ? "c" : "x"}, {act, act}, act, shape);
    return ResultOf(b, kV75).outcome().kind();
  };
  EXPECT_EQ(outcome(true), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(false), v1::Outcome::PARTIAL);
}

// So are the indices of an interpolation, unless what is in front of it is delegated and they are with that.
TEST(ExecuTorchParts, IndicesOfARefusedInterpolation) {
  const auto outcome = [](bool in_front, bool quantized) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8});
    const int act = b.Act();
    if (in_front) b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {1, 4, 8});
    v1::Node& node = b.Op("aten.upsample_nearest1d.vec", "node", {in_front ? "relu" : "x"}, {quantized ? act : 0},
                          in_front && !quantized ? 0 : act, {1, 4, 16});
    b.IntsAttribute(node, "output_size", {16});
    return ResultOf(b, kV75).outcome().kind();
  };
  EXPECT_EQ(outcome(false, false), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(false, true), v1::Outcome::FULL);
  EXPECT_EQ(outcome(true, false), v1::Outcome::PARTIAL);
}

TEST(ExecuTorchParts, SumsAndPoolsThatCannotBeSaid) {
  EXPECT_THAT(Refused(ResultOf(Alone("aten.sum.default", 1, false, {4, 8}, {}), kV75)), ElementsAre("node"));
  for (const bool divisor : {false, true}) {
    AnnotatedBuilder b = Alone("aten.avg_pool2d.default", 1, true, {1, 4, 8, 8}, {1, 4, 4, 4});
    b.IntsAttribute(b.Find("node"), "kernel_size", {2, 2});
    b.IntsAttribute(b.Find("node"), "stride", {2, 2});
    if (divisor) b.Int(b.Find("node"), "divisor_override", 3);
    EXPECT_EQ(OutcomeOf(b), divisor ? v1::Outcome::PARTIAL : v1::Outcome::FULL);
  }
}

// The builder of max_pool2d_with_indices is that of max_pool2d, too.
TEST(ExecuTorchParts, APoolWithIndicesNeedsItsStride) {
  for (const bool stride : {false, true}) {
    AnnotatedBuilder b = Alone("aten.max_pool2d_with_indices.default", 1, true, {1, 4, 8, 8}, {1, 4, 4, 4});
    b.IntsAttribute(b.Find("node"), "kernel_size", {2, 2});
    if (stride) b.IntsAttribute(b.Find("node"), "stride", {2, 2});
    EXPECT_EQ(OutcomeOf(b), stride ? v1::Outcome::FULL : v1::Outcome::FAILS);
    EXPECT_EQ(absl::c_linear_search(CodesAt(ResultOf(b, kV75), "node"), "EN202"), !stride);
  }
}

// Where the places are read, the builder returns before it looks at the stride, and so does the pass that takes pools
// over three dimensions apart: the pool stays on the CPU.
TEST(ExecuTorchParts, APoolWhosePlacesAreReadNeedsNoStride) {
  const auto pooled = [](bool three, int64_t result) {
    const std::vector<int64_t> in = three ? std::vector<int64_t>{1, 4, 8, 8, 8} : std::vector<int64_t>{1, 4, 8, 8};
    const std::vector<int64_t> out = three ? std::vector<int64_t>{1, 4, 4, 4, 4} : std::vector<int64_t>{1, 4, 4, 4};
    AnnotatedBuilder b;
    b.Input("x", kF32, in);
    v1::Node& pool = b.Node(three ? "aten.max_pool3d_with_indices.default" : "aten.max_pool2d_with_indices.default",
                            "pool", {"x"}, {"pool"});
    b.IntsAttribute(pool, "kernel_size", std::vector<int64_t>(in.size() - 2, 2));
    if (three) {
      b.IntsAttribute(pool, "stride", {});
      pool.mutable_attributes(1)->mutable_ints();
    }
    b.Int(b.Node("operator.getitem", "taken", {"pool"}, {"taken"}), "index", result);
    b.Shape("taken", result == 0 ? kF32 : v1::DATA_TYPE_INT64, out);
    b.Output("taken");
    return ResultOf(b, kV75);
  };
  for (const bool three : {false, true}) {
    EXPECT_EQ(pooled(three, 0).outcome().kind(), v1::Outcome::FAILS) << three;
    EXPECT_THAT(CodesAt(pooled(three, 0), "pool"), Contains("EN202")) << three;
    EXPECT_EQ(pooled(three, 1).outcome().kind(), v1::Outcome::PARTIAL) << three;
    EXPECT_THAT(CodesAt(pooled(three, 1), "pool"), ElementsAre("CV201")) << three;
  }
}

// The stride that is not given in front of a padding is an empty list, which the builders hand on.
TEST(ExecuTorchParts, AnEmptyStrideIsRefused) {
  const auto outcome = [](const char* op, const std::vector<int64_t>& shape, bool given) {
    AnnotatedBuilder b = Alone(op, 1, true, shape, shape);
    const std::vector<int64_t> ones(shape.size() - 2, 1);
    b.IntsAttribute(b.Find("node"), "kernel_size", ones);
    b.IntsAttribute(b.Find("node"), "stride", given ? ones : std::vector<int64_t>{});
    b.Find("node").mutable_attributes(1)->mutable_ints();
    return OutcomeOf(b);
  };
  for (const char* op : {"aten.max_pool2d.default", "aten.avg_pool2d.default"}) {
    EXPECT_EQ(outcome(op, {1, 4, 8, 8}, true), v1::Outcome::FULL) << op;
    EXPECT_EQ(outcome(op, {1, 4, 8, 8}, false), v1::Outcome::PARTIAL) << op;
  }
  EXPECT_NE(outcome("aten.max_pool3d.default", {1, 4, 8, 8, 8}, true), v1::Outcome::FAILS);
  EXPECT_EQ(outcome("aten.max_pool3d.default", {1, 4, 8, 8, 8}, false), v1::Outcome::FAILS);
}

TEST(ExecuTorchParts, ThreeDimensionalPoolsNeedTheirStride) {
  for (const bool stride : {false, true}) {
    AnnotatedBuilder b = Alone("aten.avg_pool3d.default", 1, false, {1, 4, 8, 8, 8}, {1, 4, 4, 4, 4});
    b.IntsAttribute(b.Find("node"), "kernel_size", {2, 2, 2});
    if (stride) b.IntsAttribute(b.Find("node"), "stride", {2, 2, 2});
    EXPECT_EQ(OutcomeOf(b), stride ? v1::Outcome::FULL : v1::Outcome::FAILS);
    if (!stride) {
      EXPECT_THAT(CodesAt(ResultOf(b, kV75), "node"), Contains("EN202"));
    }
    EXPECT_THAT(CodesAt(ResultOf(b, kV75, "qnn-converter"), "node"), Not(Contains("EN202")));
  }
}

// Lowered with ExecuTorch 1.5.1; conv2d with a filter of one scale and with activations of 16 bits, too.
TEST(ExecuTorchParts, AQuantizedConvolutionNeedsABatch) {
  struct Case {
    const char* op;
    std::vector<int64_t> image;  // with its batch
  };
  for (const Case& c : std::vector<Case>{{"aten.conv1d.default", {1, 4, 8}},
                                         {"aten.conv2d.default", {1, 4, 8, 8}},
                                         {"aten.conv2d.padding", {1, 4, 8, 8}},
                                         {"aten.conv3d.default", {1, 4, 8, 8, 8}},
                                         {"aten.conv_transpose2d.input", {1, 4, 8, 8}}}) {
    for (const bool batch : {false, true}) {
      for (const bool quantized : {false, true}) {
        SCOPED_TRACE(c.op);
        AnnotatedBuilder b;
        const std::vector<int64_t> image(c.image.begin() + (batch ? 0 : 1), c.image.end());
        std::vector<int64_t> filter(c.image.size(), 1);
        filter[0] = filter[1] = 4;
        b.Input("x", kF32, image);
        b.Weight("w", kF32, filter, -1);
        const int act = quantized ? b.Act() : 0;
        const int axis = absl::StrContains(c.op, "transpose") ? 1 : 0;
        b.Op(c.op, "node", {"x", "w"}, {act, quantized ? b.Filter(v1::DATA_TYPE_INT8, axis) : 0}, act, image);
        const v1::Result result = ResultOf(b, kV75);
        EXPECT_EQ(result.outcome().kind(), quantized && !batch ? v1::Outcome::FAILS : v1::Outcome::FULL);
        EXPECT_EQ(absl::c_linear_search(CodesAt(result, "node"), "EN222"), quantized && !batch);
        EXPECT_EQ(absl::c_linear_search(Refused(result), "node"), quantized && !batch);
        EXPECT_THAT(CodesAt(ResultOf(b, kV75, "qnn-converter"), "node"), Not(Contains("EN222")));
      }
    }
  }
}

AnnotatedBuilder Pad(const std::string& mode, bool quantized) {
  AnnotatedBuilder b = Alone("aten.pad.default", 1, quantized, {1, 4, 8, 8}, {1, 4, 10, 10});
  b.IntsAttribute(b.Find("node"), "pad", {1, 1, 1, 1});
  v1::Attribute& text = *b.Find("node").add_attributes();
  text.set_name(b.Symbol("mode"));
  text.set_s(mode);
  return b;
}

TEST(ExecuTorchParts, SomeAreNeverLowered) {
  const v1::Result circular = ResultOf(Pad("circular", true), kV75);
  EXPECT_EQ(circular.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(circular, "node"), Contains("EN222"));
  EXPECT_EQ(OutcomeOf(Pad("circular", false)), v1::Outcome::PARTIAL);
  EXPECT_THAT(CodesAt(ResultOf(Pad("reflect", true), kV75), "node"), Not(Contains("EN222")));
  EXPECT_THAT(CodesAt(ResultOf(Pad("circular", true), kV75, "qnn-converter"), "node"), Not(Contains("EN222")));
  for (const bool quantized : {false, true}) {
    EXPECT_EQ(OutcomeOf(Alone("aten.rrelu.default", 1, quantized)), v1::Outcome::FAILS) << quantized;
    EXPECT_EQ(OutcomeOf(Alone("aten.linalg_cross.default", 2, quantized)), v1::Outcome::FAILS) << quantized;
    EXPECT_EQ(OutcomeOf(Alone("aten.block_diag.default", 2, quantized, {4, 8}, {8, 16})),
              quantized ? v1::Outcome::FAILS : v1::Outcome::FULL);
    EXPECT_EQ(OutcomeOf(Alone("aten.max_unpool2d.default", 2, quantized)),
              quantized ? v1::Outcome::FAILS : v1::Outcome::PARTIAL);
  }
  EXPECT_EQ(OutcomeOf(Alone("aten.leaky_relu.default", 1, true)), v1::Outcome::FULL);
}

TEST(ExecuTorchParts, ComplexNumbersHaveNoType) {
  const auto unary = [](const char* op, v1::DataType in, v1::DataType out) {
    AnnotatedBuilder b;
    b.Input("x", in, {4, 8});
    b.Node(op, "node", {"x"}, {"node"});
    b.Shape("node", out, {4, 8});
    b.Output("node");
    return ResultOf(b, kV75);
  };
  constexpr v1::DataType kC64 = v1::DATA_TYPE_COMPLEX64;
  EXPECT_EQ(unary("aten.abs.default", kC64, kF32).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(unary("aten.abs.default", kC64, kF32), "node"), Contains("EN223"));
  EXPECT_EQ(unary("aten.abs.default", kF32, kF32).outcome().kind(), v1::Outcome::FULL);
  // A cast to complex numbers is in front of this one alone.
  EXPECT_THAT(CodesAt(unary("aten.fft_fftn.default", kF32, kC64), "node"), Contains("EN223"));
  EXPECT_THAT(CodesAt(unary("aten.fft_rfft.default", kF32, kC64), "node"), Not(Contains("EN223")));
  EXPECT_THAT(CodesAt(unary("aten.real.default", kC64, kF32), "node"), Not(Contains("EN223")));
  EXPECT_THAT(CodesAt(unary("aten.stft.default", kF32, kF32), "node"), Contains("EN223"));
}

// Taken apart into comparisons of an arange, which are refused; an arange alone is a constant.
TEST(ExecuTorchParts, GeneratorsThatCompareAreNoConstants) {
  const auto added = [](const char* op) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {8, 8});
    b.Int(b.Node(op, "made", {}, {"made"}), "n", 8);
    b.Shape("made", kF32, {8, 8});
    b.Node("aten.add.Tensor", "add", {"x", "made"}, {"add"});
    b.Shape("add", kF32, {8, 8});
    b.Output("add");
    return ResultOf(b, kV75);
  };
  EXPECT_EQ(added("aten.eye.default").outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(Refused(added("aten.eye.default")), Contains("made"));
  EXPECT_EQ(added("aten.ones.default").outcome().kind(), v1::Outcome::FULL);
}

// y = x * 2; y[:, 0] = z; return y
AnnotatedBuilder Assignment(const std::string& op, bool quantized, const std::string& view = "aten.select.int") {
  AnnotatedBuilder b;
  b.Input("x", kF32, {4, 8});
  b.Input("z", kF32, {4});
  const int act = quantized ? b.Act() : 0;
  b.Op("aten.neg.default", "y", {"x"}, {act}, act, {4, 8});
  b.Int(b.Node(view, "part", {"y"}, {"part"}), "dim", 1);
  b.Shape("part", kF32, {4}).set_spec(act);
  b.Node(op, "write",
         op == "aten.copy_.default" ? std::vector<std::string>{"part", "z"} : std::vector<std::string>{"part"},
         {"write"});
  b.Shape("write", kF32, {4});
  return b;
}

// The comparison of indices is refused, and the arange that it reads is left alone in a delegate.
TEST(ExecuTorchParts, AnAssignmentToAnElementIsAComparison) {
  for (const char* op : {"aten.copy_.default", "aten.fill_.Scalar"}) {
    const v1::Result result = ResultOf(Assignment(op, false), kV75);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS) << op;
    EXPECT_THAT(Refused(result), ElementsAre("write")) << op;
  }
  EXPECT_EQ(OutcomeOf(Assignment("aten.copy_.default", false, "aten.slice.Tensor")), v1::Outcome::FULL);
}

}  // namespace
}  // namespace quantgate
