// What ExecuTorch 1.5.1 makes of arguments on its way to HTP, as it was seen to do (tests/lowering): those that it does
// not lower, and those that it reads as others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

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

using Sizes = std::vector<int64_t>;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kI64 = v1::DATA_TYPE_INT64;
constexpr char kV75[] = "qnn_htp/SM8650@2.49";

v1::Outcome::Kind KindOf(const AnnotatedBuilder& b, const std::string& toolchain = "executorch") {
  return ResultOf(b, kV75, toolchain).outcome().kind();
}

void Bool(AnnotatedBuilder& b, v1::Node& node, const std::string& name, bool truth) {
  v1::Attribute& attribute = *node.add_attributes();
  attribute.set_name(b.Symbol(name));
  attribute.set_b(truth);
}

void Text(AnnotatedBuilder& b, v1::Node& node, const std::string& name, const std::string& text) {
  v1::Attribute& attribute = *node.add_attributes();
  attribute.set_name(b.Symbol(name));
  attribute.set_s(text);
}

TEST(ExecuTorchArguments, AMatrixProductTakesNoVectors) {
  const auto product = [](const Sizes& a, const Sizes& w, const Sizes& out, const char* op = "aten.matmul.default") {
    AnnotatedBuilder b;
    b.Input("x", kF32, a);
    b.Input("w", kF32, w);
    b.Op(op, "node", {"x", "w"}, {b.Act(), b.Act()}, b.Act(), out);
    return b;
  };
  for (const auto& [a, w, out] :
       {std::tuple<Sizes, Sizes, Sizes>{{2, 4, 8}, {8}, {2, 4}}, {{8}, {8, 4}, {4}}, {{8}, {8}, {}}}) {
    EXPECT_EQ(KindOf(product(a, w, out)), v1::Outcome::FAILS);
    EXPECT_THAT(Refused(ResultOf(product(a, w, out), kV75)), ElementsAre("node"));
  }
  EXPECT_EQ(KindOf(product({2, 4, 8}, {8, 1}, {2, 4, 1})), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(product({1, 8}, {8, 4}, {1, 4})), v1::Outcome::FULL);
}

AnnotatedBuilder Hardtanh(const std::string& op, bool minimum, bool maximum) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  const int act = b.Act();
  v1::Node& node = b.Op(op, "node", {"x"}, {act}, act, {1, 8});
  if (minimum) b.Int(node, "min_val", 0);
  if (maximum) b.Int(node, "max_val", 6);
  return b;
}

TEST(ExecuTorchArguments, AHardtanhNeedsItsMaximumWhereItHasAMinimum) {
  for (const char* op : {"aten.hardtanh.default", "aten.hardtanh_.default"}) {
    const AnnotatedBuilder cut = Hardtanh(op, true, false);
    EXPECT_EQ(KindOf(cut), v1::Outcome::FAILS) << op;
    EXPECT_THAT(CodesAt(ResultOf(cut, kV75), "node"), Contains("EN224")) << op;
    for (const bool both : {false, true}) {
      const AnnotatedBuilder b = Hardtanh(op, both, both);
      EXPECT_THAT(CodesAt(ResultOf(b, kV75), "node"), Not(Contains("EN224"))) << op;
      EXPECT_EQ(KindOf(b), v1::Outcome::FULL) << op;
    }
  }
  EXPECT_THAT(CodesAt(ResultOf(Hardtanh("aten.hardtanh.default", true, false), kV75, "qnn-converter"), "node"),
              Not(Contains("EN224")));
  EXPECT_THAT(CodesAt(ResultOf(Hardtanh("aten.clamp.default", true, false), kV75), "node"), Not(Contains("EN224")));
}

TEST(ExecuTorchArguments, ADepthwiseConvolutionIsOfTwoDimensions) {
  const auto codes = [](const char* op, int64_t per_group, int64_t groups, bool volume = true) {
    const int64_t channels = per_group * groups;
    AnnotatedBuilder b;
    Sizes image = {1, channels, 4, 4}, filter = {channels, per_group, 1, 1};
    if (volume) {
      image.push_back(4);
      filter.push_back(1);
    }
    b.Input("x", kF32, image);
    b.Weight("w", kF32, filter, 4 * channels * per_group);
    v1::Node& node = b.Op(op, "conv", {"x", "w"}, {b.Act(), b.Filter()}, b.Act(), image);
    b.Int(node, "groups", groups);
    return CodesAt(ResultOf(b, kV75), "conv");
  };
  EXPECT_THAT(codes("aten.conv3d.default", 1, 4), Contains("EN225"));
  EXPECT_THAT(codes("aten.conv3d.default", 1, 3), Contains("EN225"));
  EXPECT_THAT(codes("aten.conv3d.default", 1, 2), Not(Contains("EN225")));
  EXPECT_THAT(codes("aten.conv3d.default", 2, 4), Not(Contains("EN225")));
  EXPECT_THAT(codes("aten.conv_transpose3d.input", 1, 4), Not(Contains("EN225")));
  EXPECT_THAT(codes("aten.conv2d.default", 1, 4, false), Not(Contains("EN225")));
}

struct Blocks {
  Sizes kernel = {2, 2}, dilation = {1, 1}, padding = {0, 0}, stride = {2, 2}, image = {1, 4, 8, 8};
};

AnnotatedBuilder Unfold(const Blocks& blocks, bool fold = false) {
  AnnotatedBuilder b;
  const Sizes columns = {1, 16, 16};
  b.Input("x", kF32, fold ? columns : blocks.image);
  b.Input("y", kF32, {1, 4});
  b.Input("z", kF32, {1, 4});
  const int act = b.Act();
  v1::Node& node = b.Op(fold ? "aten.col2im.default" : "aten.im2col.default", "node", {"x"}, {act}, act,
                        fold ? blocks.image : columns);
  b.IntsAttribute(node, "kernel_size", blocks.kernel);
  b.IntsAttribute(node, "dilation", blocks.dilation);
  b.IntsAttribute(node, "padding", blocks.padding);
  b.IntsAttribute(node, "stride", blocks.stride);
  // Refused, if it is asked about.
  b.Op("aten.add.Tensor", "other", {"y", "z"}, {act, 0}, act, {1, 4});
  return b;
}

TEST(ExecuTorchArguments, AnImageIsTakenApartIntoSquareBlocks) {
  std::vector<Blocks> odd(6);
  odd[0].stride = {1, 1};
  odd[1].kernel = odd[1].stride = {2, 4};
  odd[2].padding = {1, 1};
  odd[3].dilation = {2, 2};
  odd[4].image = {4, 8, 8};
  odd[5].image = {1, 4, 9, 8};
  for (const bool fold : {false, true}) {
    for (const Blocks& blocks : odd) {
      const v1::Result result = ResultOf(Unfold(blocks, fold), kV75);
      EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
      EXPECT_THAT(CodesAt(result, "node"), Contains("EN226"));
      // A pass ends before the partitioner asks about any node.
      EXPECT_THAT(Refused(result), IsEmpty());
      EXPECT_FALSE(CodesAt(result, "other").empty());
    }
    const v1::Result result = ResultOf(Unfold(Blocks(), fold), kV75);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
    EXPECT_THAT(CodesAt(result, "node"), Not(Contains("EN226")));
    EXPECT_THAT(Refused(result), ElementsAre("other"));
    EXPECT_THAT(CodesAt(ResultOf(Unfold(odd[0], fold), kV75, "qnn-converter"), "node"), Not(Contains("EN226")));
  }
  // Nothing is computed of numbers that hold nothing together.
  Blocks hostile;
  hostile.kernel = hostile.stride = {0, 0};
  EXPECT_THAT(CodesAt(ResultOf(Unfold(hostile), kV75), "node"), Not(Contains("EN226")));
}

TEST(ExecuTorchArguments, AnAverageDividesByItsWindow) {
  const auto pool = [](const char* op, const Sizes& kernel, int64_t divisor) {
    AnnotatedBuilder b;
    const Sizes image = kernel.size() == 3 ? Sizes{1, 2, 8, 8, 8} : Sizes{1, 2, 8, 8};
    b.Input("x", kF32, image);
    const int act = b.Act();
    v1::Node& node = b.Op(op, "pool", {"x"}, {act}, act, image);
    b.IntsAttribute(node, "kernel_size", kernel);
    b.IntsAttribute(node, "stride", Sizes(kernel.size(), 1));
    b.Int(node, "divisor_override", divisor);
    return b;
  };
  const auto refused = [&](const Sizes& kernel, int64_t divisor) {
    return !Refused(ResultOf(pool("aten.avg_pool2d.default", kernel, divisor), kV75)).empty();
  };
  EXPECT_FALSE(refused({2, 3}, 6));
  EXPECT_FALSE(refused({1, 1}, 1));
  EXPECT_TRUE(refused({2, 3}, 5));
  EXPECT_TRUE(refused({1, 1}, 2));
  EXPECT_TRUE(refused({int64_t{1} << 40, int64_t{1} << 40}, 0));
  // That of three dimensions is built, and divides by the window.
  const auto codes = [&](const Sizes& kernel, int64_t divisor) {
    const AnnotatedBuilder b = pool("aten.avg_pool3d.default", kernel, divisor);
    EXPECT_THAT(Refused(ResultOf(b, kV75)), IsEmpty());
    EXPECT_THAT(CodesAt(ResultOf(b, kV75, "qnn-converter"), "pool"), Not(Contains("EN227")));
    return CodesAt(ResultOf(b, kV75), "pool");
  };
  EXPECT_THAT(codes({1, 1, 1}, 2), Contains("EN227"));
  EXPECT_THAT(codes({1, 1, 1}, 1), Not(Contains("EN227")));
}

TEST(ExecuTorchArguments, TheReductionsOfAScatterAreSumsAndProducts) {
  const auto kind = [](const char* reduce, bool include_self) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Input("at", kI64, {4, 8});
    b.Input("y", kF32, {4, 8});
    const int act = b.Act();
    v1::Node& node = b.Op("aten.scatter_reduce.two", "node", {"x", "at", "y"}, {act, 0, act}, act, {4, 8});
    for (const int argument : {0, 2, 3}) node.add_input_args(argument);
    b.Int(node, "dim", 1);
    Text(b, node, "reduce", reduce);
    if (!include_self) Bool(b, node, "include_self", false);
    return KindOf(b);
  };
  EXPECT_EQ(kind("sum", true), v1::Outcome::FULL);
  for (const char* reduce : {"mean", "amax", "amin"}) EXPECT_EQ(kind(reduce, true), v1::Outcome::FAILS) << reduce;
  EXPECT_EQ(kind("sum", false), v1::Outcome::FAILS);
}

TEST(ExecuTorchArguments, ThePlacesOfAMaximumAreLeftToTheCpu) {
  for (const char* op : {"aten.max_pool2d_with_indices.default", "aten.adaptive_max_pool2d.default"}) {
    const auto refused = [op](bool read) {
      AnnotatedBuilder b;
      b.Input("x", kF32, {1, 4, 8, 8});
      const int act = b.Act();
      v1::Node& node = b.Op(op, "pool", {"x"}, {act}, act, {1, 4, 4, 4});
      node.add_outputs(b.Id("at"));
      b.IntsAttribute(node, "kernel_size", {2, 2});
      b.IntsAttribute(node, "stride", {2, 2});
      b.Shape("at", kI64, {1, 4, 4, 4});
      if (read) b.Output("at");
      return Refused(ResultOf(b, kV75));
    };
    EXPECT_THAT(refused(true), ElementsAre("pool")) << op;
    EXPECT_THAT(refused(false), IsEmpty()) << op;
  }
}

TEST(ExecuTorchArguments, AGridIsNotSampledBicubically) {
  const auto refused = [](int64_t mode) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 2, 6, 6});
    b.Input("grid", kF32, {1, 3, 3, 2});
    const int act = b.Act();
    v1::Node& node = b.Op("aten.grid_sampler.default", "node", {"x", "grid"}, {act, act}, act, {1, 2, 3, 3});
    b.Int(node, "interpolation_mode", mode);
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused(2), ElementsAre("node"));
  EXPECT_THAT(refused(1), IsEmpty());
  EXPECT_THAT(refused(0), IsEmpty());
}

// QnnQuantizer writes the silu out in front of the one that works in place, and readers read that.
TEST(ExecuTorchArguments, WhatWorksInPlaceForNobodyIsGone) {
  enum Reader { kNobody, kLater, kOfResult, kOutput, kViewBefore };
  const auto kind = [](Reader reader, bool quantized, const char* writer = "aten.neg.default") {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int act = quantized ? b.Act() : 0;
    b.Node(writer, "y", {"x"}, {"y"}).set_annotated(true);
    b.Find("y").add_input_specs(act);
    b.Shape("y", kF32, {1, 8}).set_spec(act);
    if (reader == kOutput) b.Output("y");
    if (reader == kViewBefore) b.Op("aten.view.default", "view", {"y"}, {act}, act, {1, 8});
    b.Op("aten.sigmoid.default", "sigmoid", {"y"}, {act}, act, {1, 8});
    b.Op("aten.mul.Tensor", "mul", {"y", "sigmoid"}, {act, act}, act, {1, 8});
    b.Node("aten.silu_.default", "silu_", {"y"}, {"silu_"});
    b.Shape("silu_", kF32, {1, 8});
    if (reader == kOfResult) b.Output("silu_");
    if (reader == kLater) b.Op("aten.relu.default", "relu", {"y"}, {act}, act, {1, 8});
    return KindOf(b);
  };
  EXPECT_EQ(kind(kNobody, true), v1::Outcome::FULL);
  EXPECT_EQ(kind(kNobody, false), v1::Outcome::FULL);
  for (const Reader reader : {kLater, kOfResult, kOutput, kViewBefore}) {
    EXPECT_EQ(kind(reader, false), v1::Outcome::UNKNOWN) << reader;
  }
  // y is memory of the input.
  EXPECT_EQ(kind(kNobody, false, "aten.view.default"), v1::Outcome::UNKNOWN);
}

TEST(ExecuTorchArguments, OfTwoThatAreAlikeOneMayBeGone) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  for (const char* name : {"first", "second"}) {
    const std::string y = absl::StrCat("y_", name);
    b.Node("aten.neg.default", y, {"x"}, {y});
    b.Shape(y, kF32, {1, 8});
    b.Node("aten.silu_.default", name, {y}, {name});
    b.Shape(name, kF32, {1, 8});
  }
  b.Output("second");
  EXPECT_EQ(KindOf(b), v1::Outcome::UNKNOWN);
}

// aten.max.dim of what the source calls so; `read`: its results, "v" the values and "p" the places.
AnnotatedBuilder Extreme(const std::string& source, const std::string& read, bool quantized = true,
                         const std::string& op = "aten.max.dim") {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 4, 8});
  const int act = quantized ? b.Act() : 0;
  v1::Node& node = b.Node(op, "node", {"x"}, {"node"});
  node.add_input_specs(act);
  b.Int(node, "dim", 1);
  if (!source.empty()) node.set_source_fn(b.Symbol(source));
  for (const char part : read) {
    const std::string name(1, part);
    b.Int(b.Node("operator.getitem", name, {"node"}, {name}), "index", part == 'p' ? 1 : 0);
    b.Shape(name, part == 'p' ? kI64 : kF32, {1, 8}).set_spec(part == 'p' ? 0 : act);
    b.Output(name);
  }
  return b;
}

TEST(ExecuTorchArguments, PlacesOfAMaximumAreThoseOfTheFunctionInAStrictExport) {
  for (const char* source : {"torch.max", "torch.min", ""}) {
    for (const char* read : {"v", "p", "vp"}) {
      EXPECT_EQ(KindOf(Extreme(source, read)), v1::Outcome::FULL) << source << " " << read;
    }
  }
  for (const char* source : {"max", "builtin_function_or_method.max", "method_descriptor.max"}) {
    for (const char* op : {"aten.max.dim", "aten.min.dim"}) {
      EXPECT_EQ(KindOf(Extreme(source, "v", true, op)), v1::Outcome::FULL) << source;
      const v1::Result places = ResultOf(Extreme(source, "p", true, op), kV75);
      EXPECT_EQ(places.outcome().kind(), v1::Outcome::PARTIAL) << source;
      EXPECT_THAT(Refused(places), ElementsAre("node"));
      const v1::Result both = ResultOf(Extreme(source, "vp", true, op), kV75);
      EXPECT_EQ(both.outcome().kind(), v1::Outcome::FAILS) << source;
      EXPECT_THAT(CodesAt(both, "node"), Contains("EN228"));
      EXPECT_THAT(Refused(both), IsEmpty());
    }
  }
  // What has no encoding is taken without one.
  EXPECT_THAT(CodesAt(ResultOf(Extreme("max", "p", false), kV75), "node"), Contains("EN228"));
  EXPECT_THAT(CodesAt(ResultOf(Extreme("max", "v", false), kV75), "node"), Not(Contains("EN228")));
  EXPECT_THAT(CodesAt(ResultOf(Extreme("max", "vp"), kV75, "qnn-converter"), "node"), Not(Contains("EN228")));
}

// One is judged by itself, whatever was said of another of the same operator, type and shape.
TEST(ExecuTorchArguments, OfTwoMaximaThatAreAlikeOneMayBeAMethod) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 4, 8});
  const int act = b.Act();
  for (const std::string name : {"first", "second"}) {
    v1::Node& node = b.Node("aten.max.dim", name, {"x"}, {name});
    node.add_input_specs(act);
    b.Int(node, "dim", 1);
    node.set_source_fn(b.Symbol(name == "first" ? "torch.max" : "max"));
    b.Int(b.Node("operator.getitem", name + "_p", {name}, {name + "_p"}), "index", 1);
    b.Shape(name + "_p", kI64, {1, 8});
    b.Output(name + "_p");
  }
  EXPECT_THAT(Refused(ResultOf(b, kV75)), ElementsAre("second"));
}

TEST(ExecuTorchArguments, WhatReadsPlacesThatAreNotMadeReadsIntegersOf64Bits) {
  const auto refused = [](const std::string& source) {
    AnnotatedBuilder b = Extreme(source, "p");
    b.Node("aten.view.default", "reader", {"p"}, {"reader"});
    b.Shape("reader", kI64, {8});
    b.Output("reader");
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused("torch.max"), IsEmpty());
  EXPECT_THAT(refused("max"), ElementsAre("node", "reader"));
}

// The node that takes the places is placed before it turns out that what makes them is outside: the constant's cast is
// left with nothing else.
TEST(ExecuTorchArguments, AConstantBesideThemIsADelegateWithoutInput) {
  const auto kind = [](const std::string& source, const char* op, v1::DataType type) {
    AnnotatedBuilder b = Extreme(source, "p");
    b.Shape("two", type, {});
    b.graph.mutable_values(b.Id("two") - 1)->mutable_constant()->add_ints(2);
    b.Node(op, "reader", {"p", "two"}, {"reader"});
    b.Shape("reader", kI64, {1, 8});
    b.Output("reader");
    return KindOf(b);
  };
  EXPECT_EQ(kind("max", "aten.mul.Tensor", kI64), v1::Outcome::FAILS);
  EXPECT_EQ(kind("max", "aten.eq.Tensor", kI64), v1::Outcome::FAILS);
  EXPECT_EQ(kind("max", "aten.eq.Tensor", v1::DATA_TYPE_INT32), v1::Outcome::PARTIAL);
  EXPECT_NE(kind("torch.max", "aten.mul.Tensor", kI64), v1::Outcome::FAILS);
}

// What begins as an empty cache is left out of what is joined with it; an empty part of the others' rank is one of
// them.
TEST(ExecuTorchArguments, ACatHasNoEmptyLists) {
  const auto cat = [](const Sizes& empty, int64_t dim) {
    AnnotatedBuilder b;
    b.Input("empty", kF32, empty);
    b.Input("x", kF32, {1, 2, 4, 8});
    const int act = b.Act();
    b.Int(b.Op("aten.cat.default", "node", {"empty", "x"}, {act, act}, act, {1, 2, 4, 8}), "dim", dim);
    return KindOf(b);
  };
  for (const int64_t dim : {-2, 2, -1}) EXPECT_EQ(cat({0}, dim), v1::Outcome::FULL) << dim;
  for (const int64_t dim : {-2, 2}) EXPECT_EQ(cat({1}, dim), v1::Outcome::PARTIAL) << dim;
}

// Of two tensors of shape [2, 4], or two scalars, along a new axis.
std::vector<std::string> PartsOfStack(v1::DataType type, bool quantized = false, int64_t axis = 2,
                                      const Sizes& sizes = {2, 4}) {
  AnnotatedBuilder b;
  b.Input("x", type, sizes);
  v1::Node& node = b.Node("aten.stack.default", "node", {"x", "x"}, {"y"});
  b.Int(node, "dim", axis);
  const int act = quantized ? b.Act() : 0;
  for (int i = 0; quantized && i < 2; ++i) node.add_input_specs(act);
  Sizes stacked = sizes;
  stacked.insert(stacked.begin() + axis, 2);
  b.Shape("y", type, stacked).set_spec(act);
  b.Output("y");
  const v1::Result result = ResultOf(b, kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FULL);
  const auto& parts = result.outcome().nodes(0).backend_ops();
  return {parts.begin(), parts.end()};
}

// torch/_refs: along the last axis of the result every part is reshaped first, and elsewhere the whole behind it.
TEST(ExecuTorchArguments, AStackOfIntegersIsACatAndReshapes) {
  EXPECT_THAT(PartsOfStack(kI64), ElementsAre("Reshape", "Reshape", "Concat"));
  EXPECT_THAT(PartsOfStack(kI64, false, 0, {}), ElementsAre("Reshape", "Reshape", "Concat"));
  EXPECT_THAT(PartsOfStack(kI64, false, 1), ElementsAre("Concat", "Reshape"));
  EXPECT_THAT(PartsOfStack(v1::DATA_TYPE_INT32, false, 0), ElementsAre("Concat", "Reshape"));
  EXPECT_THAT(PartsOfStack(kF32), ElementsAre("Pack"));
  EXPECT_THAT(PartsOfStack(kF32, true), ElementsAre("Pack"));
}

TEST(ExecuTorchArguments, AnIndexTakesSomething) {
  const auto codes = [](const char* op, int64_t taken, v1::DataType type = kI64) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 4, 8});
    b.Weight("at", type, {taken}, 8 * taken);
    v1::Node& node = b.Op(op, "node", {"x", "at"}, {b.Act()}, b.Act(), {taken, 4, 8});
    node.add_input_args(0);
    node.add_input_args(std::string(op) == "aten.index.Tensor" ? 1 : 2);
    return CodesAt(ResultOf(b, kV75), "node");
  };
  for (const char* op : {"aten.index.Tensor", "aten.index_select.default"}) {
    EXPECT_THAT(codes(op, 0), Contains("EN229")) << op;
    EXPECT_THAT(codes(op, 1), Not(Contains("EN229"))) << op;
  }
  EXPECT_THAT(codes("aten.index.Tensor", 0, v1::DATA_TYPE_BOOL), Not(Contains("EN229")));
}

// A list without dimensions is another argument than none: it is handed on, and refused.
TEST(ExecuTorchArguments, ASumNeedsItsDimensions) {
  enum Dims { kNone, kEmpty, kOne };
  const auto sum = [](const char* op, Dims dims) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    v1::Node& node = b.Op(op, "node", {"x"}, {b.Act()}, b.Act(), dims == kOne ? Sizes{4, 1} : Sizes{1, 1});
    if (dims == kEmpty) b.IntsAttribute(node, "dim", {});
    if (dims == kOne) b.IntsAttribute(node, "dim", {1});
    Bool(b, node, "keepdim", true);
    return b;
  };
  EXPECT_EQ(KindOf(sum("aten.sum.dim_IntList", kNone)), v1::Outcome::FAILS);
  EXPECT_EQ(KindOf(sum("aten.sum.dim_IntList", kEmpty)), v1::Outcome::PARTIAL);
  EXPECT_EQ(KindOf(sum("aten.sum.dim_IntList", kOne)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(sum("aten.mean.dim", kNone)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(sum("aten.mean.dim", kEmpty)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(sum("aten.amax.default", kNone)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(sum("aten.amax.default", kEmpty)), v1::Outcome::PARTIAL);
  EXPECT_EQ(KindOf(sum("aten.nansum.default", kNone)), v1::Outcome::FAILS);
  EXPECT_EQ(KindOf(sum("aten.nansum.default", kOne)), v1::Outcome::PARTIAL);
}

// The Dequantize of a constant cannot be all that is delegated of it: a reshape behind it can.
TEST(ExecuTorchArguments, ARefusedProductWithAScalarStaysOnTheCpu) {
  const auto kind = [](const Sizes& scalar, bool known = true) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8});
    const int act = b.Act();
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {1, 4, 8});
    b.Input("y", kF32, {1, 4, 8});
    b.Weight("half", kF32, scalar, 4);
    v1::Node& node = b.Op("aten.mul.Tensor", "node", {"y", "half"}, {0, act}, 0, {1, 4, 8});
    node.set_annotated(true);
    if (!known) {
      b.Value("node").clear_has_shape();
      b.Value("node").clear_dims();
    }
    return KindOf(b);
  };
  EXPECT_EQ(kind({}), v1::Outcome::PARTIAL);
  EXPECT_EQ(kind({1, 1, 1}), v1::Outcome::FAILS);
  EXPECT_EQ(kind({1, 1, 1}, /*known=*/false), v1::Outcome::FAILS);
}

// zeros_like(x) has its shape from x: what is in front of x is in front of the mask, too.
TEST(ExecuTorchArguments, AMaskOfAnInputsShapeIsBehindIt) {
  const auto kind = [](bool of_input) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 8});
    const int act = b.Act();
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {2, 8});
    b.Node(of_input ? "aten.zeros_like.default" : "aten.zeros.default", "zeros",
           of_input ? std::vector<std::string>{"relu"} : std::vector<std::string>{}, {"zeros"});
    b.Shape("zeros", v1::DATA_TYPE_INT32, {2, 8});
    b.Node("aten.unsqueeze.default", "mask", {"zeros"}, {"mask"});
    b.Shape("mask", v1::DATA_TYPE_INT32, {1, 2, 8});
    b.Input("at", v1::DATA_TYPE_INT32, {4});
    b.Node("aten.index.Tensor", "index", {"mask", "at", "at"}, {"taken"});
    b.Shape("taken", v1::DATA_TYPE_INT32, {4, 8});
    b.Node("aten.add.Tensor", "sum", {"taken", "taken"}, {"sum"});
    b.Shape("sum", v1::DATA_TYPE_INT32, {4, 8});
    b.Output("sum");
    return KindOf(b);
  };
  EXPECT_EQ(kind(true), v1::Outcome::PARTIAL);
  EXPECT_EQ(kind(false), v1::Outcome::FAILS);
}

// PyTorch leaves out the integer 0, its default.
TEST(ExecuTorchArguments, APadNeedsItsValueWritten) {
  const auto pad = [](const char* op, bool integer, bool real) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    const int act = b.Act();
    v1::Node& node = b.Op(op, "node", {"x"}, {act}, act, {1, 4, 8, 10});
    b.IntsAttribute(node, "pad", {1, 1});
    if (integer) b.Int(node, "value", 0);
    if (!real) return b;
    v1::Attribute& value = *node.add_attributes();
    value.set_name(b.Symbol("value"));
    value.set_f(0);
    return b;
  };
  for (bool integer : {false, true}) {
    const v1::Result result = ResultOf(pad("aten.constant_pad_nd.default", integer, false), kV75);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS) << integer;
    EXPECT_THAT(Refused(result), ElementsAre("node")) << integer;
    EXPECT_THAT(CodesAt(result, "node"), Contains("EN233")) << integer;
  }
  EXPECT_EQ(KindOf(pad("aten.constant_pad_nd.default", false, true)), v1::Outcome::FULL);
  EXPECT_EQ(KindOf(pad("aten.pad.default", false, false)), v1::Outcome::FULL);
  EXPECT_THAT(CodesAt(ResultOf(pad("aten.constant_pad_nd.default", false, false), kV75, "qnn-converter"), "node"),
              Not(Contains("EN233")));
}

TEST(ExecuTorchArguments, APaddingOfTheSameSizeHasTwoEqualSides) {
  const auto conv = [](const char* op, const Sizes& kernel, const Sizes& dilation, const char* padding) {
    AnnotatedBuilder b;
    Sizes image = {1, 4}, filter = {4, 4};
    int64_t bytes = 64;
    for (int64_t size : kernel) {
      image.push_back(8);
      filter.push_back(size);
      bytes *= size;
    }
    b.Input("x", kF32, image);
    b.Weight("w", kF32, filter, bytes);
    const int act = b.Act();
    v1::Node& node = b.Op(op, "node", {"x", "w"}, {act, b.Filter()}, act, image);
    Text(b, node, "padding", padding);
    if (!dilation.empty()) b.IntsAttribute(node, "dilation", dilation);
    return ResultOf(b, kV75);
  };
  constexpr char k1d[] = "aten.conv1d.padding", k2d[] = "aten.conv2d.padding", k3d[] = "aten.conv3d.padding";
  for (const v1::Result& result : {conv(k1d, {4}, {}, "same"), conv(k2d, {1, 4}, {}, "same"),
                                   conv(k2d, {2, 3}, {3}, "same"), conv(k3d, {2, 2, 2}, {}, "same")}) {
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
    EXPECT_THAT(Refused(result), ElementsAre("node"));
    EXPECT_THAT(CodesAt(result, "node"), Contains("EN233"));
  }
  for (const v1::Result& result :
       {conv(k1d, {3}, {}, "same"), conv(k2d, {3, 3}, {}, "same"), conv(k2d, {2, 2}, {2, 2}, "same"),
        conv(k2d, {3, 2}, {1, 2}, "same"), conv(k2d, {4, 4}, {}, "valid")}) {
    EXPECT_THAT(CodesAt(result, "node"), Not(Contains("EN233")));
  }
}

}  // namespace
}  // namespace quantgate
