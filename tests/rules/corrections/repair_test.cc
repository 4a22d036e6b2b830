// What each kind of fault is repaired with, and what must be left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "rules/corrections/report.h"
#include "rules/engine/module.h"
#include "tests/rules/corrections/annotated.h"

namespace quantgate {
namespace {

using ::quantgate::testing::Annotated;
using ::quantgate::testing::Changes;
using ::quantgate::testing::CheckFor;
using ::quantgate::testing::Corrected;
using ::quantgate::testing::Faults;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kV68[] = "qnn_htp/V68@2.49";
constexpr char kV75[] = "qnn_htp/V75@2.49";

Annotated Linear16a16w() {
  Annotated b;
  b.FloatInput("x", {1, 8});
  const int a16 = b.A16();
  b.Value("x").set_spec(a16);
  b.Linear("x", "fc", a16, b.W16());
  b.Output("fc");
  return b;
}

TEST(Repair, SixteenBitWeightsBeforeV73BecomeEightBit) {
  const Annotated b = Linear16a16w();
  const v1::Result result = CheckFor(b.graph, kV68);
  EXPECT_EQ(Faults(result), 1);
  EXPECT_THAT(Changes(result), ElementsAre("fc/1: int16 in -32767..32767, per channel along axis 0, symmetric becomes "
                                           "int8 in -127..127, per channel along axis 0, symmetric"));
  ASSERT_EQ(result.corrections_size(), 1);
  EXPECT_TRUE(result.corrections(0).proven());
  EXPECT_FALSE(result.corrections(0).safe());
  EXPECT_EQ(result.findings(result.corrections(0).fixes(0)).correction(), result.corrections(0).id());
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV68)), 0);
}

TEST(Repair, WhereTheTargetTakesThemNothingIsChanged) {
  const v1::Result result = CheckFor(Linear16a16w().graph, kV75);
  EXPECT_EQ(Faults(result), 0);
  EXPECT_THAT(result.corrections(), IsEmpty());
}

TEST(Repair, SecondOperandOfAMatMul) {
  Annotated b;
  b.FloatInput("x", {1, 4, 8});
  b.FloatInput("y", {1, 8, 4});
  const int a16 = b.A16();
  const int operand = b.Spec(v1::DATA_TYPE_INT16, -32767, 32767, v1::Spec::PER_TENSOR_SYMMETRIC);
  b.Value("x").set_spec(a16);
  b.Value("y").set_spec(a16);
  b.Op("aten.bmm.default", "bmm", {"x", "y"}, {1, 4, 4}, {a16, operand}, a16);
  b.Output("bmm");
  const v1::Result result = CheckFor(b.graph, kV68);
  EXPECT_THAT(Changes(result), ElementsAre("bmm/1: int16 in -32767..32767, symmetric becomes int8 in -127..127, "
                                           "symmetric"));
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV68)), 0);
}

TEST(Repair, AnEdgeThatWasForgottenGetsASpec) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.FloatInput("y", {1, 8});
  const int a8 = b.A8();
  b.Op("aten.relu.default", "left", {"x"}, {1, 8}, {a8}, a8);
  b.Op("aten.add.Tensor", "sum", {"left", "y"}, {1, 8}, {a8}, a8);
  b.Output("sum");
  const v1::Result result = CheckFor(b.graph, kV68);
  EXPECT_GT(Faults(result), 0);
  EXPECT_THAT(Changes(result), ElementsAre("sum/1: no spec becomes uint8 in 0..255"));
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV68)), 0);
}

TEST(Repair, ABiasOfTheWrongTypeIsDerived) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.FloatConstant("w", {8, 8});
  b.FloatConstant("b", {8});
  const int a16 = b.A16();
  const int bias = b.Spec(v1::DATA_TYPE_INT16, -32767, 32767, v1::Spec::PER_TENSOR_SYMMETRIC);
  b.Op("aten.linear.default", "fc", {"x", "w", "b"}, {1, 8}, {a16, b.W8(), bias}, a16);
  b.Output("fc");
  const v1::Result result = CheckFor(b.graph, kV75);
  EXPECT_GT(Faults(result), 0);
  ASSERT_EQ(result.corrections_size(), 1);
  const v1::Change& change = result.corrections(0).changes(0);
  EXPECT_EQ(change.location().input(), 2);
  EXPECT_EQ(change.after().dtype(), v1::DATA_TYPE_INT32);
  // convert_pt2e fails without a range.
  EXPECT_EQ(change.after().quant_min(), INT32_MIN);
  EXPECT_EQ(change.after().quant_max(), INT32_MAX);
  EXPECT_EQ(change.after().kind(), v1::Spec::DERIVED);
  EXPECT_EQ(change.after().qscheme(), v1::Spec::PER_CHANNEL_SYMMETRIC);
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
}

// All derive it in one form, and would get one observer.
TEST(Repair, ABiasOfManyLayersIsDerivedForEach) {
  constexpr int kLayers = 4;
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.FloatConstant("b", {8});
  std::string x = "x";
  for (int i = 0; i < kLayers; ++i) {
    const std::string name = "fc" + std::to_string(i), weight = name + "_w";
    b.FloatConstant(weight, {8, 8});
    const int a8 = b.A8();
    v1::Node& node = b.Op("aten.linear.default", name, {x, weight, "b"}, {1, 8}, {a8, b.W8()}, a8);
    node.add_input_specs(b.DerivedPerChannel(x, weight));
    x = name;
  }
  b.Output(x);
  const v1::Result result = CheckFor(b.graph, std::vector<std::string>{}).results(0);
  EXPECT_EQ(Faults(result), kLayers - 1);
  EXPECT_EQ(Changes(result).size(), kLayers - 1);
  const v1::Graph corrected = Corrected(b.graph, result);
  EXPECT_EQ(Faults(CheckFor(corrected, std::vector<std::string>{}).results(0)), 0);
}

// OpenVINO's observers of weights have parameters that no spec has.
TEST(Repair, AnObserverWithParametersOfItsOwnStays) {
  for (const char* observer : {"INT8WeightObserver", "MinMaxObserver"}) {
    Annotated b;
    b.FloatInput("x", {1, 8});
    b.Linear("x", "fc", b.A8(), b.Spec(v1::DATA_TYPE_INT8, 0, 255, v1::Spec::PER_TENSOR_AFFINE));
    b.graph.mutable_specs(b.Find("fc").input_specs(1) - 1)->set_observer(b.Symbol(observer));
    b.Output("fc");
    const v1::Result result = CheckFor(b.graph, kV75);
    EXPECT_EQ(absl::c_any_of(Changes(result), [](const std::string& text) { return absl::StartsWith(text, "fc/1"); }),
              std::string(observer) == "MinMaxObserver")
        << observer;
  }
}

// What an observer of its own would find is refused after calibration: a zero point, or one scale where the weights
// have one per channel.
TEST(Repair, AMissingBiasIsDerivedWithTheGranularityOfTheWeights) {
  for (bool per_channel : {true, false}) {
    Annotated b;
    b.FloatInput("x", {1, 8});
    b.FloatConstant("w", {8, 8});
    b.FloatConstant("b", {8});
    const int a8 = b.A8();
    const int w8 = per_channel ? b.W8() : b.Spec(v1::DATA_TYPE_INT8, -127, 127, v1::Spec::PER_TENSOR_SYMMETRIC);
    b.Op("aten.linear.default", "fc", {"x", "w", "b"}, {1, 8}, {a8, w8}, a8);
    b.Output("fc");
    const v1::Result result = CheckFor(b.graph, kV75);
    EXPECT_GT(Faults(result), 0);
    ASSERT_EQ(result.corrections_size(), 1);
    ASSERT_EQ(result.corrections(0).changes_size(), 1);
    const v1::Spec& after = result.corrections(0).changes(0).after();
    EXPECT_EQ(after.kind(), v1::Spec::DERIVED) << result.corrections(0).summary();
    EXPECT_EQ(after.qscheme(), per_channel ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_TENSOR_SYMMETRIC);
    EXPECT_EQ(after.has_axis(), per_channel);
    EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
  }
}

// Who derives scales for channels may repeat the one of a tensor, for each group: convert_pt2e's graph would not run.
TEST(Repair, ADerivedBiasFollowsTheGranularityOfItsWeight) {
  Annotated b;
  b.FloatInput("x", {1, 8, 4, 4});
  b.FloatConstant("w", {8, 2, 4, 4});
  b.FloatConstant("b", {8});
  const int a8 = b.A8();
  const int w8 = b.Spec(v1::DATA_TYPE_INT8, -127, 127, v1::Spec::PER_CHANNEL_SYMMETRIC, 1);
  v1::Node& conv = b.Op("aten.conv_transpose2d.input", "conv", {"x", "w", "b"}, {1, 8, 8, 8}, {a8, w8}, a8);
  conv.add_input_specs(b.DerivedPerChannel("x", "w"));
  for (const auto& [name, numbers] :
       {std::make_pair("stride", std::vector<int64_t>{2, 2}), std::make_pair("padding", std::vector<int64_t>{1, 1})}) {
    v1::Attribute& attribute = *conv.add_attributes();
    attribute.set_name(b.Symbol(name));
    for (int64_t number : numbers) attribute.mutable_ints()->add_values(number);
  }
  b.Int(conv, "groups", 4);
  b.Output("conv");
  const v1::Result result = CheckFor(b.graph, kV75);
  EXPECT_GT(Faults(result), 0);  // AX207
  ASSERT_EQ(result.corrections_size(), 1);
  ASSERT_EQ(result.corrections(0).changes_size(), 2);
  for (const v1::Change& change : result.corrections(0).changes()) {
    EXPECT_EQ(change.after().qscheme(), v1::Spec::PER_TENSOR_SYMMETRIC) << change.summary();
    EXPECT_FALSE(change.after().has_axis());
  }
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
}

// As many scales as the weight gets that had none: what is derived for channels keeps channels.
TEST(Repair, ADerivedBiasFollowsTheWeightThatHadNoSpec) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.FloatConstant("w", {8, 8});
  b.FloatConstant("b", {8});
  const int a8 = b.A8();
  v1::Spec none;
  none.set_kind(v1::Spec::EXPLICIT_NONE);
  v1::Node& fc = b.Op("aten.linear.default", "fc", {"x", "w", "b"}, {1, 8}, {a8, b.Add(none)}, a8);
  fc.add_input_specs(b.DerivedPerChannel("x", "w"));
  b.Output("fc");
  const v1::Result result = CheckFor(b.graph, kV75);
  EXPECT_GT(Faults(result), 0);
  ASSERT_EQ(result.corrections_size(), 1);
  const v1::Graph corrected = Corrected(b.graph, result);
  const auto& specs = corrected.nodes(0).input_specs();
  EXPECT_EQ(corrected.specs(specs[1] - 1).has_axis(), corrected.specs(specs[2] - 1).has_axis())
      << result.corrections(0).summary();
  EXPECT_EQ(Faults(CheckFor(corrected, kV75)), 0);
}

// As XNNPACKQuantizer leaves a convolution in front of a relu: bias and output are in float.
TEST(Repair, SeveralPortsInFloatBecomeThoseOfARow) {
  Annotated b;
  b.FloatInput("x", {1, 8, 4, 4});
  b.FloatConstant("w", {8, 8, 1, 1});
  b.FloatConstant("b", {8});
  const int a8 = b.Spec(v1::DATA_TYPE_INT8, -128, 127, v1::Spec::PER_TENSOR_AFFINE);
  b.Op("aten.conv2d.default", "conv", {"x", "w", "b"}, {1, 8, 4, 4}, {a8, b.W8()}, 0);
  b.Op("aten.relu.default", "relu", {"conv"}, {1, 8, 4, 4}, {}, a8);
  b.Output("relu");
  for (const char* target : {kV75, "qnn_lpai/SM8850"}) {
    const v1::Result result = CheckFor(b.graph, target);
    EXPECT_GT(Faults(result), 0) << target;
    EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), target)), 0) << target << result.DebugString();
  }
}

TEST(Repair, AMissingBiasWithoutAQuantizedWeightHasNoZeroPoint) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.FloatConstant("w", {8, 8});
  b.FloatConstant("b", {8});
  const int a8 = b.A8();
  b.Op("aten.linear.default", "fc", {"x", "w", "b"}, {1, 8}, {a8}, a8);
  b.Output("fc");
  const v1::Result result = CheckFor(b.graph, kV75);
  for (const v1::Correction& correction : result.corrections()) {
    for (const v1::Change& change : correction.changes()) {
      if (change.after().dtype() != v1::DATA_TYPE_INT32) continue;
      EXPECT_NE(change.after().qscheme(), v1::Spec::PER_TENSOR_AFFINE) << change.summary();
    }
  }
}

// What moves integers must read and write them by the same parameters. Two observers of one scheme see the same
// numbers; those of two schemes differ.
TEST(Repair, AnAliasGetsTheSchemeOfWhatItReads) {
  for (bool symmetric : {true, false}) {
    Annotated b;
    b.FloatInput("x", {1, 4, 8});
    const int a8 = b.A8();
    const v1::Spec::QScheme scheme = symmetric ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE;
    b.Op("aten.relu.default", "relu", {"x"}, {1, 4, 8}, {a8}, a8);
    b.Op("aten.transpose.int", "moved", {"relu"}, {1, 8, 4}, {a8}, b.Spec(v1::DATA_TYPE_UINT8, 0, 255, scheme));
    b.Int(b.Find("moved"), "dim0", 1);
    b.Int(b.Find("moved"), "dim1", 2);
    b.Output("moved");
    const v1::Result result = CheckFor(b.graph, kV75);
    const bool drifts =
        absl::c_any_of(result.findings(), [](const v1::Finding& finding) { return finding.code() == "SH101"; });
    EXPECT_EQ(drifts, symmetric);
    EXPECT_EQ(Faults(result) > 0, symmetric);
    EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
  }
}

TEST(Repair, WideningIsSafe) {
  Annotated b;
  b.FloatInput("x", {1, 8, 4, 4});
  b.FloatConstant("w", {8, 8, 1, 1});
  const int a16 = b.A16();
  const int w2 = b.Spec(v1::DATA_TYPE_INT8, -2, 1, v1::Spec::PER_TENSOR_SYMMETRIC);
  b.Op("aten.conv2d.default", "conv", {"x", "w"}, {1, 8, 4, 4}, {a16, w2}, a16);
  b.Output("conv");
  const v1::Result result = CheckFor(b.graph, kV75);
  EXPECT_GT(Faults(result), 0);
  ASSERT_EQ(result.corrections_size(), 1);
  EXPECT_TRUE(result.corrections(0).safe()) << result.corrections(0).summary();
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
}

// Of a weight with one column, scales along the columns are one scale.
TEST(Repair, ScalesAlongAnotherAxisAreSafeWhereThereWasOne) {
  for (const int64_t columns : {8, 1}) {
    Annotated b;
    b.FloatInput("x", {1, columns});
    b.FloatConstant("w", {8, columns});
    const int a8 = b.A8();
    const int w8 = b.Spec(v1::DATA_TYPE_INT8, -127, 127, v1::Spec::PER_CHANNEL_SYMMETRIC, 1);
    b.Op("aten.linear.default", "fc", {"x", "w"}, {1, 8}, {a8, w8}, a8);
    b.Output("fc");
    const v1::Result result = CheckFor(b.graph, kV75);
    ASSERT_EQ(result.corrections_size(), 1);
    EXPECT_EQ(result.corrections(0).safe(), columns == 1) << result.corrections(0).summary();
    EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
  }
}

TEST(Repair, ARangeForAllRunsIsNotSafe) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.FloatConstant("w", {8, 8});
  const int a8 = b.A8();
  v1::Spec at_run_time = b.graph.specs(a8 - 1);
  at_run_time.set_is_dynamic(true);
  b.Op("aten.linear.default", "fc", {"x", "w"}, {1, 8}, {b.Add(at_run_time), b.W8()}, a8);
  b.Output("fc");
  const v1::Result result = CheckFor(b.graph, kV75);
  ASSERT_EQ(result.corrections_size(), 1);
  EXPECT_FALSE(result.corrections(0).safe());
  EXPECT_THAT(result.corrections(0).summary(),
              ::testing::HasSubstr("uint8 in 0..255, dynamic becomes uint8 in 0..255"));
}

// A symmetric range of 16 unsigned bits has zero point 0 in torch, and no place for negative numbers.
TEST(Repair, NegativeNumbersKeepTheirPlace) {
  for (v1::DataType type : {v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT16}) {
    const int64_t max = type == v1::DATA_TYPE_INT8 ? 127 : 32767;
    Annotated b;
    b.FloatInput("x", {1, 8, 4, 4});
    b.FloatConstant("w", {8, 8, 1, 1});
    const int input = b.Spec(type, -max, max, v1::Spec::PER_TENSOR_SYMMETRIC);
    const int w8 = b.Spec(v1::DATA_TYPE_INT8, -127, 127, v1::Spec::PER_TENSOR_SYMMETRIC);
    b.Value("x").set_spec(input);
    b.Op("aten.conv2d.default", "conv", {"x", "w"}, {1, 8, 4, 4}, {input, w8}, b.A16());
    b.Output("conv");
    const v1::Result result = CheckFor(b.graph, kV75);
    EXPECT_GT(Faults(result), 0);
    ASSERT_FALSE(result.corrections().empty());
    for (const v1::Correction& correction : result.corrections()) {
      for (const v1::Change& change : correction.changes()) {
        const v1::Spec& after = change.after();
        EXPECT_FALSE(after.quant_min() == 0 && after.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC) << change.summary();
      }
    }
    EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
  }
}

TEST(Repair, NumbersFollowWhereTheyAreKnown) {
  Annotated b;
  b.graph.set_stage(v1::STAGE_CALIBRATED);
  b.FloatInput("x", {1, 8});
  b.FloatConstant("w", {8, 8});
  b.FloatConstant("b", {8});
  const auto known = [&](int id, const std::vector<double>& scales, int64_t zero_point) {
    v1::QParams& numbers = *b.graph.mutable_specs(id - 1)->mutable_qparams();
    for (double scale : scales) {
      numbers.add_scales(scale);
      numbers.add_zero_points(zero_point);
    }
    if (scales.size() > 1) numbers.add_axes(0);
    return id;
  };
  const int a16 = known(b.A16(), {0.5}, 32768);
  const int w16 = known(b.W16(), std::vector<double>(8, 0.25), 0);
  const int bias = known(b.Spec(v1::DATA_TYPE_INT32, INT32_MIN, INT32_MAX, v1::Spec::PER_CHANNEL_SYMMETRIC, 0),
                         std::vector<double>(8, 0.125), 0);
  b.Value("x").set_spec(a16);
  b.Op("aten.linear.default", "fc", {"x", "w", "b"}, {1, 8}, {a16, w16, bias}, a16);
  b.Output("fc");
  const v1::Result result = CheckFor(b.graph, kV68);
  ASSERT_EQ(result.corrections_size(), 1) << result.DebugString();
  ASSERT_EQ(result.corrections(0).changes_size(), 2);
  const v1::QParams& weight = result.corrections(0).changes(0).after().qparams();
  ASSERT_EQ(weight.scales_size(), 8);
  EXPECT_DOUBLE_EQ(weight.scales(0), 0.25 * 32767 / 127);
  const v1::QParams& follows = result.corrections(0).changes(1).after().qparams();
  EXPECT_DOUBLE_EQ(follows.scales(7), 0.5 * 0.25 * 32767 / 127);
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV68)), 0);
}

TEST(Repair, QuantizeAndDequantizeNodesAreRewritten) {
  testing::GraphBuilder b = testing::SoundConv();
  for (double& scale : *b.Value("b_scale").mutable_constant()->mutable_reals()) scale *= 2;
  const v1::Result result = CheckFor(b.graph, "qnn_htp/V75");
  EXPECT_GT(Faults(result), 0);
  ASSERT_EQ(result.corrections_size(), 1) << result.DebugString();
  const v1::Location& location = result.corrections(0).changes(0).location();
  EXPECT_EQ(location.node(), "conv");
  EXPECT_EQ(location.input(), 2);
  const v1::Graph corrected = Corrected(b.graph, result);
  EXPECT_EQ(Faults(CheckFor(corrected, "qnn_htp/V75")), 0);
  // The same reals in other units.
  EXPECT_THAT(corrected.values(b.Id("b") - 1).constant().ints(), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

// QnnQuantizer's 16a8w with symmetric activations leaves the range of some int32 specs out: they are 32 bits then,
// which no row takes. Both ends have to become 16 bits, of a table that takes many types at each.
TEST(Repair, WideActivationsOfBothEndsBecomeThoseOfARow) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.Linear("x", "fc", b.Spec(v1::DATA_TYPE_INT32, INT32_MIN, INT32_MAX, v1::Spec::PER_TENSOR_SYMMETRIC), b.W8());
  b.Output("fc");
  const v1::Result result = CheckFor(b.graph, kV75);
  const char kNarrowed[] = "int32 in -2147483648..2147483647, symmetric becomes int16 in -32767..32767, symmetric";
  EXPECT_THAT(Changes(result), ElementsAre(absl::StrCat("fc/0: ", kNarrowed), absl::StrCat("fc: ", kNarrowed)));
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV75)), 0);
}

// sign of five dimensions, which V68 has a kernel for and later ones have not: no spec changes that.
void AddSignOfRankFive(Annotated& b) {
  b.FloatInput("y", {1, 2, 2, 2, 2});
  b.Op("aten.sign.default", "sign", {"y"}, {1, 2, 2, 2, 2}, {}, 0);
  b.Output("sign");
}

TEST(Repair, WhatNothingRepairsNamesTheNearestTargetThatTakesIt) {
  Annotated b;
  AddSignOfRankFive(b);
  const v1::Result result = CheckFor(b.graph, kV75);
  ASSERT_GT(Faults(result), 0);
  const auto fault = absl::c_find_if(result.findings(), [](const v1::Finding& finding) {
    return testing::IsFault(finding) && finding.location().node() == "sign";
  });
  ASSERT_NE(fault, result.findings().end());
  EXPECT_THAT(fault->fix(), ::testing::HasSubstr("takes the node as it is."));
}

TEST(Repair, OtherTargetsAreOneOfEachHardware) {
  const Module& htp = *testing::RealModules().Get("qnn_htp").value();
  const auto resolve = [&](const std::string& name) { return htp.resolve(ParseTargetName(name).value()).value(); };
  const auto others = [&](const std::string& name) {
    std::vector<Target> targets;
    for (const std::string& other : OtherTargets(htp, resolve(name))) targets.push_back(resolve(other));
    return targets;
  };
  // Its arch with floats first, then with other kernels, then later archs.
  const std::vector<Target> of_integers = others("qnn_htp/QCS6490@2.51.0");
  ASSERT_EQ(of_integers.size(), 9u);
  EXPECT_EQ(of_integers[0].soc, "SM8350");
  EXPECT_EQ(of_integers[1].arch, 68);
  EXPECT_EQ(of_integers[1].kernels, 69);
  for (size_t i = 2; i < of_integers.size(); ++i) EXPECT_GT(of_integers[i].arch, of_integers[i - 1].arch);
  // One without floats takes nothing that one with them does not.
  const std::vector<Target> of_floats = others("qnn_htp/SM8350@2.51.0");
  EXPECT_EQ(of_floats.size(), 8u);
  for (const Target& target : of_floats) EXPECT_TRUE(target.has_float) << target.name;
}

TEST(Repair, ManyLayersTakeAsFewChecksAsOne) {
  constexpr int kLayers = 96;
  Annotated b;
  b.FloatInput("x", {1, 8});
  const int a16 = b.A16();
  const int w16 = b.W16();
  std::string before = "x";
  for (int i = 0; i < kLayers; ++i) {
    const std::string name = "fc" + std::to_string(i);
    b.Linear(before, name, a16, w16);
    before = name;
  }
  b.Output(before);
  CorrectionLimits limits;
  limits.max_checks = 40;
  const v1::Result result = CheckFor(b.graph, {kV68}, limits).results(0);
  EXPECT_EQ(result.corrections_size(), kLayers);
  EXPECT_EQ(Faults(CheckFor(Corrected(b.graph, result), kV68)), 0);
}

TEST(Repair, TenThousandNodesWithAThousandFaults) {
  constexpr int kNodes = 10'000;
  Annotated b;
  b.FloatInput("x", {1, 8});
  const int a16 = b.A16();
  const int w16 = b.W16();
  const int w8 = b.W8();
  std::string before = "x";
  for (int i = 0; i < kNodes; ++i) {
    const std::string name = "fc" + std::to_string(i);
    b.Linear(before, name, a16, i % 10 == 0 ? w16 : w8);
    before = name;
  }
  b.Output(before);
  const absl::Time begin = absl::Now();
  const v1::Result result = CheckFor(b.graph, kV68);
  std::printf("%d nodes, %d faults: checked and corrected in %.2f s\n", kNodes, Faults(result),
              absl::ToDoubleSeconds(absl::Now() - begin));
  EXPECT_EQ(Faults(result), kNodes / 10);
  EXPECT_EQ(result.corrections_size(), kNodes / 10);
}

TEST(Repair, NodesThatShareANameAreLeftAlone) {
  Annotated b = Linear16a16w();
  b.Linear("fc", "fc2", 1, 2);
  b.graph.mutable_nodes(1)->set_name("fc");
  const v1::Result result = CheckFor(b.graph, kV68);
  EXPECT_GT(Faults(result), 0);
  EXPECT_THAT(result.corrections(), IsEmpty());
}

// Found by tests/mutations: the check as a whole failed.
TEST(Repair, TensorsThatShareANameAreLeftAlone) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.Linear("x", "fc", b.Spec(v1::DATA_TYPE_INT32, INT32_MIN, INT32_MAX, v1::Spec::PER_TENSOR_SYMMETRIC), b.W8());
  b.Output("fc");
  for (v1::Value& value : *b.graph.mutable_values()) {
    if (value.name() == "x") value.set_name("fc");
  }
  const v1::Result result = CheckFor(b.graph, kV75);
  EXPECT_GT(Faults(result), 0);
  EXPECT_THAT(result.corrections(), IsEmpty());
  EXPECT_TRUE(absl::c_any_of(result.not_checked(), [](const v1::NotChecked& skipped) {
    return absl::StrContains(skipped.reason(), "has no name of its own");
  }));
}

TEST(Repair, OneSetOfSpecsForSeveralTargets) {
  const Annotated b = Linear16a16w();
  const v1::Report report = CheckFor(b.graph, {kV68, "qnn_htp/V69@2.49", kV75});
  const v1::CommonCorrections& common = report.common_corrections();
  EXPECT_EQ(common.targets_size(), 3);
  EXPECT_EQ(common.changes_size(), 1);
  EXPECT_TRUE(common.proven());
  EXPECT_THAT(common.conflicts(), IsEmpty());
  v1::Graph changed = b.graph;
  ASSERT_TRUE(ApplyChanges(common.changes(), changed).ok());
  for (const char* target : {kV68, "qnn_htp/V69@2.49", kV75}) EXPECT_EQ(Faults(CheckFor(changed, target)), 0);
}

// What V75 has no kernel for excludes it where the toolchain has nowhere else to run it; the others keep what they have
// in common.
TEST(Repair, ATargetThatNothingSatisfiesIsLeftOutWithTheReason) {
  Annotated b = Linear16a16w();
  AddSignOfRankFive(b);
  CheckOptions options;
  options.targets = {kV75, kV68};
  options.toolchain = "qnn-converter";
  v1::Report report;
  ASSERT_TRUE(Check(b.graph, options, testing::RealModules(), report).ok());
  const v1::CommonCorrections& common = report.common_corrections();
  EXPECT_THAT(common.targets(), ElementsAre(report.results(1).target()));
  EXPECT_TRUE(common.proven());
  ASSERT_EQ(common.conflicts_size(), 1);
  EXPECT_THAT(common.conflicts(0).targets(), ElementsAre(report.results(0).target()));
  EXPECT_EQ(common.conflicts(0).location().node(), "sign");
  EXPECT_THAT(common.conflicts(0).reason(), StartsWith("no change of specs removes "));
}

// ExecuTorch runs it on the CPU: no reason why the targets should not have specs in common.
TEST(Repair, AFallbackExcludesNoTarget) {
  Annotated b = Linear16a16w();
  b.FloatInput("y", {1, 8});
  b.Op("aten.asin.default", "asin", {"y"}, {1, 8}, {}, 0);  // no row for floats on any arch
  b.Output("asin");
  const v1::Report report = CheckFor(b.graph, std::vector<std::string>{kV75, kV68});
  EXPECT_EQ(Faults(report.results(0)), 1);
  EXPECT_EQ(report.common_corrections().targets_size(), 2);
  EXPECT_THAT(report.common_corrections().conflicts(), IsEmpty());
}

TEST(Repair, CorrectionsCountAgainstTheBytesOfTheReport) {
  const Annotated b = Linear16a16w();
  const v1::Result whole = CheckFor(b.graph, kV68);
  ASSERT_EQ(whole.corrections_size(), 1);
  int64_t bytes = 0;
  for (const v1::Finding& finding : whole.findings()) bytes += static_cast<int64_t>(finding.ByteSizeLong());
  bytes += static_cast<int64_t>(whole.corrections(0).ByteSizeLong());
  for (bool fits : {true, false}) {
    CheckOptions options;
    options.targets = {kV68};
    options.limits.max_report_bytes = fits ? bytes : bytes - 1;
    v1::Report report;
    ASSERT_TRUE(Check(b.graph, options, testing::RealModules(), report).ok());
    const v1::Result& result = report.results(0);
    EXPECT_EQ(result.verdict(), v1::Result::REJECTED);
    EXPECT_EQ(result.corrections_size(), fits ? 1 : 0);
    EXPECT_EQ(absl::c_count_if(result.findings(), [](const v1::Finding& f) { return !f.correction().empty(); }),
              fits ? 1 : 0);
    EXPECT_EQ(absl::c_count_if(result.not_checked(),
                               [](const v1::NotChecked& entry) {
                                 return entry.reason() == "1 more corrections are not listed (max_report_bytes)";
                               }),
              fits ? 0 : 1);
  }
}

// Every use of a spec reads its scales again: a few of them with very many cost what a large graph costs.
TEST(Repair, ScalesCountAgainstTheBoundsOfTheSearch) {
  for (int scales : {1, 64'000}) {
    Annotated b = Linear16a16w();
    b.graph.set_stage(v1::STAGE_CALIBRATED);
    for (v1::Spec& spec : *b.graph.mutable_specs()) {
      for (int i = 0; i < scales; ++i) spec.mutable_qparams()->add_scales(0.01);
    }
    CorrectionLimits limits;
    limits.max_judged_nodes = 1000;
    const v1::Result result = CheckFor(b.graph, {kV68}, limits).results(0);
    EXPECT_EQ(absl::c_any_of(result.not_checked(),
                             [](const v1::NotChecked& entry) {
                               return absl::StartsWith(entry.reason(),
                                                       "the search for corrections ended after 0 checks");
                             }),
              scales > 1);
  }
}

TEST(Repair, AClaimOfVeryManyChannelsTakesNoMemory) {
  Annotated b = Linear16a16w();
  b.graph.set_stage(v1::STAGE_CALIBRATED);
  for (v1::Spec& spec : *b.graph.mutable_specs()) spec.mutable_qparams()->add_scales(0.01);
  for (v1::Value& value : *b.graph.mutable_values()) {
    for (int i = 0; i < value.dims_size(); ++i) value.set_dims(i, int64_t{1} << 40);
  }
  EXPECT_GT(Faults(CheckFor(b.graph, kV68)), 0);
}

// ---- What is never quantized, and what is prescribed ----

// The result without a target.
v1::Result CheckAlone(const v1::Graph& graph) { return CheckFor(graph, std::vector<std::string>{}).results(0); }

// Rows i of x, with those specs.
void TakeRows(Annotated& b, int x, int i, int rows) {
  v1::Node& node = b.Op("aten.index_select.default", "rows", {"x", "i"}, {4, 8}, {x, i}, rows);
  for (int argument : {0, 2}) node.add_input_args(argument);
}

TEST(Repair, SpecsOfIndicesGo) {
  Annotated b;
  b.FloatInput("x", {4, 8});
  b.Input("i", v1::DATA_TYPE_INT64, {4});
  const int a8 = b.A8();
  TakeRows(b, a8, a8, a8);
  b.Op("aten.add.Tensor", "next", {"i", "i"}, {4}, {a8, a8}, a8);
  b.Shape("next", v1::DATA_TYPE_INT64, {4});
  b.Output("rows");
  b.Output("next");
  const v1::Result result = CheckAlone(b.graph);
  EXPECT_THAT(Changes(result),
              ElementsAre("rows/1: uint8 in 0..255 becomes no spec", "next/0: uint8 in 0..255 becomes no spec",
                          "next: uint8 in 0..255 becomes no spec"));
  EXPECT_EQ(Faults(CheckAlone(Corrected(b.graph, result))), 0);
}

TEST(Repair, ASharedSpecOfIndicesGoesAlone) {
  Annotated b;
  b.FloatInput("x", {4, 8});
  b.Input("i", v1::DATA_TYPE_INT64, {4});
  const int a8 = b.A8();
  v1::Spec shared;
  shared.set_kind(v1::Spec::SHARED);
  shared.mutable_shared_with()->set_value(b.Id("x"));
  shared.mutable_shared_with()->set_consumer(1);
  const int as_read = b.Add(shared);
  TakeRows(b, a8, as_read, as_read);
  b.Output("rows");
  const v1::Result result = CheckAlone(b.graph);
  EXPECT_THAT(Changes(result), ElementsAre("rows/1: shared with ('x', 'rows') becomes no spec"));
  EXPECT_EQ(Faults(CheckAlone(Corrected(b.graph, result))), 0);
}

// A sigmoid with an output prescribed so.
Annotated FixedSigmoid(v1::DataType type, int64_t min, int64_t max, double scale, double zero_point) {
  Annotated b;
  b.FloatInput("x", {1, 8});
  const int a8 = b.A8();
  v1::Spec spec;
  spec.set_kind(v1::Spec::FIXED);
  spec.set_dtype(type);
  spec.set_quant_min(min);
  spec.set_quant_max(max);
  spec.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
  spec.mutable_qparams()->add_scales(scale);
  spec.mutable_qparams()->add_zero_points(zero_point);
  const int fixed = b.Add(spec);
  b.Op("aten.sigmoid.default", "sigmoid", {"x"}, {1, 8}, {a8}, fixed);
  b.Output("sigmoid");
  return b;
}

TEST(Repair, PrescribedNumbersBecomeThoseOfWhatTheOperatorFills) {
  struct Case {
    v1::DataType type;
    int64_t min, max;
    double scale, zero_point;
    std::string change;
  };
  const Case cases[] = {
      {v1::DATA_TYPE_INT8, -128, 127, 1.0 / 256, 0,
       "int8 in -128..127, scale 0.00390625, zero point 0, fixed becomes int8 in -128..127, scale 0.00390625, zero "
       "point -128, fixed"},
      {v1::DATA_TYPE_UINT8, 0, 255, 1.0 / 512, 0,
       "uint8 in 0..255, scale 0.001953125, zero point 0, fixed becomes uint8 in 0..255, scale 0.00390625, zero point "
       "0, fixed"},
      {v1::DATA_TYPE_UINT8, 0, 255, 0, 0,
       "uint8 in 0..255, scale 0, zero point 0, fixed becomes uint8 in 0..255, scale 0.00390625, zero point 0, fixed"},
  };
  for (const Case& c : cases) {
    const Annotated b = FixedSigmoid(c.type, c.min, c.max, c.scale, c.zero_point);
    const v1::Result result = CheckAlone(b.graph);
    EXPECT_THAT(Changes(result), ElementsAre("sigmoid: " + c.change));
    EXPECT_EQ(Faults(CheckAlone(Corrected(b.graph, result))), 0);
  }
}

// As Samsung's quantizer writes them: a plain spec, whose observer has the numbers.
TEST(Repair, NumbersOfAnObserverBecomeThoseOfWhatTheOperatorFills) {
  Annotated b = FixedSigmoid(v1::DATA_TYPE_INT8, -128, 127, 1.0 / 256, 0);
  v1::Spec& spec = *b.graph.mutable_specs(b.graph.specs_size() - 1);
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_observer(b.Symbol("FixedQParamsObserver"));
  const v1::Result result = CheckAlone(b.graph);
  EXPECT_GT(Faults(result), 0);
  EXPECT_THAT(Changes(result), ElementsAre(::testing::HasSubstr("scale 0.00390625, zero point -128")));
  EXPECT_EQ(Faults(CheckAlone(Corrected(b.graph, result))), 0);
}

TEST(Repair, PrescribedNumbersThatHoldTheRangeStay) {
  const v1::Result result = CheckAlone(FixedSigmoid(v1::DATA_TYPE_UINT8, 0, 255, 1.0 / 256, 0).graph);
  EXPECT_EQ(Faults(result), 0);
  EXPECT_THAT(result.corrections(), IsEmpty());
}

TEST(Repair, CanBeTurnedOff) {
  CheckOptions options;
  options.targets = {kV68};
  options.corrections = false;
  v1::Report report;
  ASSERT_TRUE(Check(Linear16a16w().graph, options, testing::RealModules(), report).ok());
  EXPECT_THAT(report.results(0).corrections(), IsEmpty());
}

TEST(Repair, ChangesOfAnotherGraphAreRefused) {
  const v1::Result result = CheckFor(Linear16a16w().graph, kV68);
  v1::Graph other = Linear16a16w().graph;
  other.mutable_nodes(0)->set_name("other");
  EXPECT_TRUE(absl::IsNotFound(ApplyCorrections(result, other)));
}

}  // namespace
}  // namespace quantgate
