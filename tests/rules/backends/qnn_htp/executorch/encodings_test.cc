// Tensors that are read with another encoding than they are written with, as ExecuTorch 1.5.1 was seen to lower them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
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

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kNarrow = v1::DATA_TYPE_UINT8, kWide = v1::DATA_TYPE_UINT16;
constexpr char kV75[] = "qnn_htp/SM8650@2.49";

TEST(ExecuTorchEncodings, WhatASigmoidWritesIsNotConverted) {
  const auto refused = [](const char* op, v1::DataType reads) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int wide = b.Act(kWide), other = b.Act(reads);
    b.Op(op, "writer", {"x"}, {wide}, wide, {1, 8});
    b.Op("aten.relu.default", "reader", {"writer"}, {other}, other, {1, 8});
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused("aten.sigmoid.default", kNarrow), ElementsAre("reader"));
  EXPECT_THAT(refused("aten.sigmoid.default", kWide), IsEmpty());
  EXPECT_THAT(refused("aten.abs.default", kNarrow), IsEmpty());
}

TEST(ExecuTorchEncodings, WhatIsLeftOpenHasTheEncodingOfItsFirstReader) {
  const auto refused = [](v1::DataType first, v1::DataType second) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int wide = b.Act(kWide), one = b.Act(first), other = b.Act(second);
    b.Op("aten.relu.default", "relu", {"x"}, {wide}, wide, {1, 8});
    b.Op("aten.neg.default", "open", {"relu"}, {}, 0, {1, 8});
    b.Op("aten.relu.default", "one", {"open"}, {one}, one, {1, 8});
    b.Op("aten.abs.default", "other", {"open"}, {other}, other, {1, 8});
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused(kWide, kNarrow), ElementsAre("other"));
  EXPECT_THAT(refused(kNarrow, kWide), ElementsAre("open", "other"));
  EXPECT_THAT(refused(kWide, kWide), IsEmpty());
}

// It is taken out, and there is a Convert behind what is in front of it.
TEST(ExecuTorchEncodings, AnIdentityPassesOnWhatIsWritten) {
  const auto refused = [](const char* writer, const char* between) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int wide = b.Act(kWide), narrow = b.Act(kNarrow);
    b.Op(writer, "writer", {"x"}, {wide}, wide, {1, 8});
    b.Op(between, "between", {"writer"}, {}, 0, {1, 8});
    b.Op("aten.relu.default", "one", {"between"}, {wide}, wide, {1, 8});
    b.Op("aten.abs.default", "other", {"between"}, {narrow}, narrow, {1, 8});
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused("aten.relu.default", "aten.contiguous.default"), IsEmpty());
  EXPECT_THAT(refused("aten.sigmoid.default", "aten.contiguous.default"), ElementsAre("other"));
  EXPECT_THAT(refused("aten.relu.default", "aten.neg.default"), ElementsAre("other"));
}

// A relu, an unbind into `parts`, which reads and writes `type` (unspecified: it has no specs), and a relu of each
// part.
AnnotatedBuilder Unbind(int parts, v1::DataType written, v1::DataType type, v1::DataType read) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {parts, 8});
  const int wrote = b.Act(written), own = type == v1::DATA_TYPE_UNSPECIFIED ? 0 : b.Act(type);
  const int reads = read == v1::DATA_TYPE_UNSPECIFIED ? 0 : b.Act(read);
  b.Op("aten.relu.default", "relu", {"x"}, {wrote}, wrote, {parts, 8});
  std::vector<std::string> names;
  for (int i = 0; i < parts; ++i) names.push_back(absl::StrCat("part", i));
  v1::Node& unbind = b.Node("aten.unbind.int", "unbind", {"relu"}, names);
  b.Int(unbind, "dim", 0);
  if (own > 0) unbind.add_input_specs(own);
  for (const std::string& name : names) {
    b.Shape(name, kF32, {8}).set_spec(own);
    b.Op("aten.relu.default", "of_" + name, {name}, {reads}, reads, {8});
  }
  return b;
}

TEST(ExecuTorchEncodings, OfThePartsOfAnUnbindTheFirstIsConverted) {
  EXPECT_THAT(Refused(ResultOf(Unbind(3, kWide, kNarrow, kNarrow), kV75)), ElementsAre("unbind"));
  EXPECT_THAT(Refused(ResultOf(Unbind(1, kWide, kNarrow, kNarrow), kV75)), IsEmpty());
  EXPECT_THAT(Refused(ResultOf(Unbind(3, kWide, kWide, kNarrow), kV75)), IsEmpty());
}

TEST(ExecuTorchEncodings, AnUnbindThatIsLeftOpenHasTheEncodingOfTheWhole) {
  constexpr v1::DataType kNone = v1::DATA_TYPE_UNSPECIFIED;
  EXPECT_THAT(Refused(ResultOf(Unbind(2, kWide, kNone, kWide), kV75)), IsEmpty());
  // They read integers and write floats.
  EXPECT_THAT(Refused(ResultOf(Unbind(2, kWide, kNone, kNone), kV75)), ElementsAre("of_part0", "of_part1"));
}

TEST(ExecuTorchEncodings, TheGreatestHaveTheEncodingThatTheirInputIsWrittenWith) {
  const auto refused = [](v1::DataType written, v1::DataType type) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int wrote = b.Act(written), own = b.Act(type);
    b.Op("aten.relu.default", "relu", {"x"}, {wrote}, wrote, {1, 8});
    v1::Node& node = b.Node("aten.topk.default", "topk", {"relu"}, {"greatest", "places"});
    node.add_input_specs(own);
    b.Int(node, "k", 2);
    b.Shape("greatest", kF32, {1, 2}).set_spec(own);
    b.Shape("places", v1::DATA_TYPE_INT64, {1, 2});
    b.Output("greatest");
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused(kWide, kNarrow), ElementsAre("topk"));
  EXPECT_THAT(refused(kNarrow, kNarrow), IsEmpty());
}

// A convolution (or an abs) and a relu of one width, and a pool of another over one dimension.
AnnotatedBuilder Pool(const char* first, const char* op, v1::DataType written, v1::DataType type) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 4, 16});
  b.Weight("filter", kF32, {4, 4, 1}, 64);
  const int wrote = b.Act(written), own = b.Act(type);
  const bool convolves = std::string(first) == "aten.conv1d.default";
  std::vector<std::string> inputs = {"x"};
  std::vector<int> specs = {wrote};
  if (convolves) {
    inputs.push_back("filter");
    specs.push_back(b.Filter());
  }
  b.Op(first, "first", inputs, specs, wrote, {1, 4, 16});
  b.Op("aten.relu.default", "relu", {"first"}, {wrote}, wrote, {1, 4, 16});
  v1::Node& pool = b.Op(op, "pool", {"relu"}, {own}, own, {1, 4, 8});
  b.IntsAttribute(pool, std::string(op) == "aten.avg_pool1d.default" ? "kernel_size" : "output_size",
                  {std::string(op) == "aten.avg_pool1d.default" ? 2 : 8});
  return b;
}

TEST(ExecuTorchEncodings, APoolBehindAConvolutionOfOneDimensionIsNotConverted) {
  for (const char* op : {"aten.avg_pool1d.default", "aten.adaptive_avg_pool1d.default"}) {
    const v1::Result result = ResultOf(Pool("aten.conv1d.default", op, kWide, kNarrow), kV75);
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS) << op;
    EXPECT_THAT(Refused(result), ElementsAre("pool")) << op;
    EXPECT_THAT(CodesAt(result, "pool"), Contains("EN230")) << op;
    for (const AnnotatedBuilder& b :
         {Pool("aten.abs.default", op, kWide, kNarrow), Pool("aten.conv1d.default", op, kNarrow, kNarrow)}) {
      const v1::Result neighbor = ResultOf(b, kV75);
      EXPECT_EQ(neighbor.outcome().kind(), v1::Outcome::FULL) << op;
      EXPECT_THAT(CodesAt(neighbor, "pool"), Not(Contains("EN230"))) << op;
    }
    EXPECT_THAT(CodesAt(ResultOf(Pool("aten.conv1d.default", op, kWide, kNarrow), kV75, "qnn-converter"), "pool"),
                Not(Contains("EN230")));
  }
}

TEST(ExecuTorchEncodings, APoolOfAnInputThatIsReadOtherwiseBeforeEndsTheExport) {
  for (bool pool_first : {false, true}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 4, 16});
    const int wide = b.Act(kWide), narrow = b.Act(kNarrow);
    const auto add_relu = [&] { b.Op("aten.relu.default", "relu", {"x"}, {wide}, wide, {1, 4, 16}); };
    if (!pool_first) add_relu();
    b.IntsAttribute(b.Op("aten.avg_pool1d.default", "pool", {"x"}, {narrow}, narrow, {1, 4, 8}), "kernel_size", {2});
    if (pool_first) add_relu();
    const v1::Result result = ResultOf(b, kV75);
    EXPECT_EQ(result.outcome().kind(), pool_first ? v1::Outcome::PARTIAL : v1::Outcome::FAILS);
    EXPECT_THAT(Refused(result), ElementsAre(pool_first ? "relu" : "pool"));
  }
}

TEST(ExecuTorchEncodings, BlocksNeedAConvolutionOverTwoDimensions) {
  const auto result = [](bool blocks, bool two, const char* toolchain) {
    AnnotatedBuilder b;
    const std::vector<int64_t> shape = two ? std::vector<int64_t>{1, 16, 1, 16} : std::vector<int64_t>{1, 16, 16};
    const std::vector<int64_t> filter = two ? std::vector<int64_t>{2, 16, 1, 3} : std::vector<int64_t>{2, 16, 3};
    b.Input("x", kF32, shape);
    b.Weight("filter", kF32, filter, 384);
    const int act = b.Range(b.Act(v1::DATA_TYPE_INT32), 0, 65535), weight = b.Range(b.Filter(), -7, 7);
    if (blocks) {
      for (size_t i = 0; i < filter.size(); ++i) b.At(weight).add_block_size(i == 1 ? 8 : 1);
    }
    b.Op(two ? "aten.conv2d.default" : "aten.conv1d.default", "conv", {"x", "filter"}, {act, weight}, act,
         two ? std::vector<int64_t>{1, 2, 1, 14} : std::vector<int64_t>{1, 2, 14});
    return ResultOf(b, kV75, toolchain);
  };
  const v1::Result ends = result(true, false, "executorch");
  EXPECT_EQ(ends.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(ends, "conv"), Contains("EN231"));
  EXPECT_THAT(CodesAt(result(true, false, "qnn-converter"), "conv"), Not(Contains("EN231")));
  for (const v1::Result& neighbor : {result(false, false, "executorch"), result(true, true, "executorch")}) {
    EXPECT_EQ(neighbor.outcome().kind(), v1::Outcome::FULL);
    EXPECT_THAT(CodesAt(neighbor, "conv"), Not(Contains("EN231")));
  }
}

TEST(ExecuTorchEncodings, ATanhNeedsAZeroPointThatNoObserverGives) {
  const auto result = [](v1::DataType type, bool fixed, const char* toolchain = "executorch") {
    AnnotatedBuilder b;
    b.Input("x", kF32, {1, 8});
    const int act = b.Act(type);
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {1, 8});
    if (fixed) {
      b.Op("aten.tanh.default", "tanh", {"relu"}, {act}, b.Act(type, 1.0 / 32768, 32768), {1, 8});
    } else {
      b.Op("aten.tanh.default", "tanh", {"relu"}, {}, 0, {1, 8});
    }
    b.Op("aten.relu.default", "last", {"tanh"}, {act}, act, {1, 8});
    return ResultOf(b, kV75, toolchain);
  };
  const v1::Result measured = result(kWide, false);
  EXPECT_EQ(measured.outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(CodesAt(measured, "tanh"), Contains("FX206"));
  for (const v1::Result& neighbor : {result(kWide, true), result(kNarrow, false)}) {
    EXPECT_EQ(neighbor.outcome().kind(), v1::Outcome::FULL);
    EXPECT_THAT(CodesAt(neighbor, "tanh"), Not(Contains("FX206")));
  }
  EXPECT_THAT(CodesAt(result(kWide, false, "qnn-converter"), "tanh"), Not(Contains("FX206")));
}

// Rows of what a relu writes: the library compares their zero point with that of all.
v1::Result Taken(int (*output)(AnnotatedBuilder&)) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {4, 8});
  const int act = b.Act();
  b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {4, 8});
  b.Ints("at", v1::DATA_TYPE_INT64, {0, 2}, /*scalar=*/false);
  v1::Node& taken = b.Op("aten.index_select.default", "taken", {"relu", "at"}, {act, 0}, output(b), {2, 8});
  b.Int(taken, "dim", 0);
  for (const int position : {0, 2}) taken.add_input_args(position);
  return ResultOf(b, kV75);
}

std::vector<std::string> OpenZeroPoints(const v1::Result& result) {
  std::vector<std::string> nodes;
  for (const v1::NotChecked& entry : result.not_checked()) {
    if (entry.rule() == "SH101") nodes.push_back(entry.node());
  }
  return nodes;
}

// It was lowered in full where the observers found one zero point, in parts where they found two.
TEST(ExecuTorchEncodings, WhatTwoObserversFindMayDiffer) {
  const auto own = [](AnnotatedBuilder& b) { return b.Act(); };
  const auto shared = [](AnnotatedBuilder& b) { return b.Shared("relu", 2); };
  const auto symmetric = [](AnnotatedBuilder& b) {
    return b.Spec(v1::Spec::PLAIN, kNarrow, v1::Spec::PER_TENSOR_SYMMETRIC);
  };
  EXPECT_EQ(Taken(own).outcome().kind(), v1::Outcome::UNKNOWN);
  EXPECT_THAT(OpenZeroPoints(Taken(own)), ElementsAre("taken"));
  EXPECT_EQ(Taken(shared).outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(OpenZeroPoints(Taken(shared)), IsEmpty());
  EXPECT_EQ(Taken(symmetric).outcome().kind(), v1::Outcome::PARTIAL);
}

// The table of an embedding is a constant; with a scale for each row it is converted to what is written.
TEST(ExecuTorchEncodings, ATableAndWhatIsTakenFromItMayDiffer) {
  const auto result = [](bool by_row, bool first_shares, bool second_shares) {
    AnnotatedBuilder b;
    b.Weight("table", kF32, {10, 8}, 320);
    b.Input("i", v1::DATA_TYPE_INT64, {1, 3});
    b.Input("j", v1::DATA_TYPE_INT64, {1, 3});
    const int table = by_row ? b.Filter() : b.Act();
    const auto take = [&](const char* name, const char* at, int consumer, bool shares) {
      b.Op("aten.embedding.default", name, {"table", at}, {table, 0},
           shares ? b.Shared("table", consumer) : b.Act(by_row ? kWide : kNarrow), {1, 3, 8});
    };
    take("first", "i", 1, first_shares);
    take("second", "j", 2, second_shares);
    return ResultOf(b, kV75);
  };
  EXPECT_EQ(result(false, true, true).outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(result(true, false, false).outcome().kind(), v1::Outcome::FULL);
  for (const bool second : {true, false}) {
    const v1::Result one = result(false, second, !second);
    EXPECT_EQ(one.outcome().kind(), v1::Outcome::UNKNOWN);
    EXPECT_THAT(OpenZeroPoints(one), ElementsAre(second ? "second" : "first"));
  }
}

// As fp16a8w leaves it behind a quantized neighbor: the cast alone is refused, and runs on the CPU.
TEST(ExecuTorchEncodings, ALinearThatWritesFloatsCastsWhatItReads) {
  const auto result = [](v1::DataType type, bool states_input, bool writes) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    const int act = b.Act(type);
    b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {4, 8});
    b.Weight("w", kF32, {8, 8}, 256);
    b.Op("aten.linear.default", "linear", {"relu", "w"}, {states_input ? act : 0, b.Filter()}, writes ? act : 0,
         {4, 8});
    return ResultOf(b, kV75);
  };
  for (const v1::DataType type : {kNarrow, kWide}) {
    for (const bool states_input : {true, false}) {
      const v1::Result open = result(type, states_input, false);
      EXPECT_EQ(open.outcome().kind(), v1::Outcome::PARTIAL);
      EXPECT_THAT(Refused(open), ElementsAre("linear"));
      EXPECT_EQ(result(type, states_input, true).outcome().kind(), v1::Outcome::FULL);
    }
  }
}

}  // namespace
}  // namespace quantgate
