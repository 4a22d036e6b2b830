// Smallest and largest elements of tensors that are computed from nothing but constants.
#include "rules/values/attained_range.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/values/writer.h"

namespace quantgate {
namespace {

using testing::Writer;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Ends = std::optional<std::pair<double, double>>;

Ends EndsOfY(Writer& writer) {
  const Graph graph = writer.Build();
  const WrittenMemory memory(graph);
  const AttainedRange range = AttainedRanges(graph, memory).Of(writer.Y());
  return range.known ? Ends({range.low, range.high}) : std::nullopt;
}

struct Case {
  std::string name;
  std::function<void(Writer&)> write;
  Ends expected;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class AttainedRangeTest : public ::testing::TestWithParam<Case> {};

TEST_P(AttainedRangeTest, OfY) {
  Writer writer;
  GetParam().write(writer);
  EXPECT_EQ(EndsOfY(writer), GetParam().expected);
}

Case OfTriangle(std::string name, const std::string& side, double diagonal, Ends expected) {
  return {std::move(name),
          [=](Writer& w) {
            w.Of("aten.full.default", {}, "x", {{"fill_value", -7}});
            w.Of("aten." + side + ".default", {"x"}, "y", {{"diagonal", diagonal}});
          },
          expected};
}

// Of rows and columns that are counted from 0 to 3, compared or computed with.
Case OfCounters(std::string name, const std::string& op, Ends expected, v1::DataType type = v1::DATA_TYPE_BOOL) {
  return {std::move(name),
          [=](Writer& w) {
            w.Count("row", 4, {4, 1}).Count("column", 4, {1, 4});
            w.Of("aten." + op + ".Tensor", {"row", "column"}, "y", {}, type);
          },
          expected};
}

// The absolute value of `op` of row and column, which T5 takes of positions.
Case OfDistance(std::string name, const std::string& op, const std::vector<std::pair<std::string, double>>& numbers,
                Ends expected) {
  return {std::move(name),
          [=](Writer& w) {
            w.Count("row", 4, {4, 1}).Count("column", 4, {1, 4});
            w.Of(op, {"row", "column"}, "of_both", numbers, v1::DATA_TYPE_INT64);
            w.Of("aten.neg.default", {"of_both"}, "x", {}, v1::DATA_TYPE_INT64);
            w.Of("aten.abs.default", {"x"}, "y", {}, v1::DATA_TYPE_INT64);
          },
          expected};
}

Case OfScalar(std::string name, const std::string& op, double number, Ends expected) {
  return {std::move(name),
          [=](Writer& w) {
            w.Constant("x", {-1, 0, 2});
            w.Truth("aten." + op + ".Scalar", {"x"}, "y", {{"other", number}});
          },
          expected};
}

// masked_fill of zeros with -infinity where 0, 1 and 2 are less than the number.
Case OfFilled(std::string name, double number, Ends expected) {
  return {std::move(name),
          [=](Writer& w) {
            w.Constant("x", {0, 1, 2}).Truth("aten.lt.Scalar", {"x"}, "mask", {{"other", number}});
            w.Of("aten.zeros.default", {}, "zeros");
            w.Of("aten.masked_fill.Scalar", {"zeros", "mask"}, "y", {{"value", -kInfinity}});
          },
          expected};
}

// Of a constant that has these numbers, and no others.
Case OfConstant(std::string name, const std::vector<double>& numbers, const std::string& op, Ends expected,
                const std::vector<std::pair<std::string, double>>& attributes = {},
                v1::DataType type = v1::DATA_TYPE_FLOAT32) {
  return {std::move(name), [=](Writer& w) { w.Constant("x", numbers).Of(op, {"x"}, "y", attributes, type); }, expected};
}

// Of a constant beside a tensor that is one number everywhere.
Case OfConstantAnd(std::string name, const std::vector<double>& numbers, const std::string& op, double number,
                   Ends expected, v1::DataType type = v1::DATA_TYPE_FLOAT32) {
  return {std::move(name),
          [=](Writer& w) {
            w.Constant("x", numbers).Of("aten.full.default", {}, "full", {{"fill_value", number}});
            w.Of(op, {"x", "full"}, "y", {}, type);
          },
          expected};
}

Case OfCounting(std::string name, double start, double end, double step, Ends expected,
                v1::DataType type = v1::DATA_TYPE_INT64) {
  return {std::move(name),
          [=](Writer& w) {
            w.Of("aten.arange.start_step", {}, "y", {{"start", start}, {"end", end}, {"step", step}}, type, {4});
          },
          expected};
}

std::vector<Case> Cases() {
  const Ends both = {{0, 1}};
  const Ends always = {{1, 1}};
  const Ends never = {{0, 0}};
  return {
      {"Ones", [](Writer& w) { w.Of("aten.ones.default", {}, "y"); }, {{1, 1}}},
      {"ZerosLikeAnInput", [](Writer& w) { w.Input("x").Of("aten.zeros_like.default", {"x"}, "y"); }, {{0, 0}}},
      {"OfAnInput", [](Writer& w) { w.Input("x").Of("aten.neg.default", {"x"}, "y"); }, std::nullopt},
      {"Negated",
       [](Writer& w) {
         w.Constant("x", {-3, 5}).Of("aten.neg.default", {"x"}, "y");
       },
       {{-5, 3}}},
      {"AbsoluteOfPositives",
       [](Writer& w) {
         w.Constant("x", {2, 5}).Of("aten.abs.default", {"x"}, "y");
       },
       {{2, 5}}},
      {"AbsoluteOfNegatives",
       [](Writer& w) {
         w.Constant("x", {-5, -2}).Of("aten.abs.default", {"x"}, "y");
       },
       {{2, 5}}},
      // Which of them is next to 0 is not known.
      {"AbsoluteOfBoth",
       [](Writer& w) {
         w.Constant("x", {-5, 3}).Of("aten.abs.default", {"x"}, "y");
       },
       std::nullopt},
      OfDistance("DistanceOfCounters", "aten.sub.Tensor", {}, {{0, 3}}),
      OfDistance("SumOfCounters", "aten.add.Tensor", {}, {{0, 6}}),
      // Every other number is left out, 0 perhaps.
      OfDistance("DistanceInSteps", "aten.sub.Tensor", {{"alpha", 2}}, std::nullopt),
      OfDistance("ProductOfCounters", "aten.mul.Tensor", {}, {{0, 9}}),
      {"AbsoluteOfCountedTwos",
       [](Writer& w) {
         w.Of("aten.arange.start_step", {}, "x", {{"start", -3}, {"end", 4}, {"step", 2}}, v1::DATA_TYPE_INT64, {4});
         w.Of("aten.abs.default", {"x"}, "y", {}, v1::DATA_TYPE_INT64, {4});
       },
       std::nullopt},
      {"AbsoluteOfCountedOnes",
       [](Writer& w) {
         w.Of("aten.arange.start_step", {}, "x", {{"start", -3}, {"end", 4}, {"step", 1}}, v1::DATA_TYPE_INT64, {7});
         w.Of("aten.to.dtype", {"x"}, "real", {}, v1::DATA_TYPE_FLOAT32, {7});
         w.Of("aten.abs.default", {"real"}, "y", {}, v1::DATA_TYPE_FLOAT32, {7});
       },
       {{0, 3}}},
      // Beyond 2048 not every whole number is one of float16.
      {"AbsoluteOfManyInHalf",
       [](Writer& w) {
         w.Of("aten.arange.start_step", {}, "x", {{"start", -3}, {"end", 4001}, {"step", 1}}, v1::DATA_TYPE_INT64,
              {4004});
         w.Of("aten.to.dtype", {"x"}, "half", {}, v1::DATA_TYPE_FLOAT16, {4004});
         w.Of("aten.abs.default", {"half"}, "y", {}, v1::DATA_TYPE_FLOAT16, {4004});
       },
       std::nullopt},
      {"LogarithmOfZero",
       [](Writer& w) {
         w.Constant("x", {0, 1}).Of("aten.log.default", {"x"}, "y");
       },
       {{-kInfinity, 0}}},
      {"RootOfLessThanNothing",
       [](Writer& w) {
         w.Constant("x", {-1, 1}).Of("aten.sqrt.default", {"x"}, "y");
       },
       std::nullopt},
      {"WhatDoesNotFitAByte",
       [](Writer& w) {
         w.Of("aten.ones.default", {}, "x", {}, v1::DATA_TYPE_UINT8);
         w.Of("aten.neg.default", {"x"}, "y", {}, v1::DATA_TYPE_UINT8);
       },
       std::nullopt},
      {"SumOfTruths",
       [](Writer& w) {
         w.Truth("aten.ones.default", {}, "x").Truth("aten.add.Tensor", {"x"}, "y", {{"other", 1}});
       },
       {{1, 1}}},
      {"HalfOfAnInteger",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "y", {{"fill_value", 0.5}}, v1::DATA_TYPE_INT64);
       },
       std::nullopt},
      {"TooLargeForHalf",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "y", {{"fill_value", -1e9}}, v1::DATA_TYPE_FLOAT16);
       },
       {{-kInfinity, -kInfinity}}},
      {"RoundedToHalf",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "y", {{"fill_value", 2049}}, v1::DATA_TYPE_FLOAT16);
       },
       {{2048, 2048}}},
      {"TooSmallForAFloat",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "y", {{"fill_value", 1e-46}});
       },
       {{0, 0}}},
      {"SmallestFloat",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "y", {{"fill_value", 0x1p-149}});
       },
       {{0x1p-149, 0x1p-149}}},
      {"InfinityTimesZeroInside",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "a", {{"fill_value", -kInfinity}}).Constant("b", {-1, 0, 1});
         w.Of("aten.mul.Tensor", {"a", "b"}, "y");
       },
       std::nullopt},
      {"CopyOf",
       [](Writer& w) {
         w.Of("aten.zeros.default", {}, "a").Constant("b", {-4, 1}).Of("aten.copy.default", {"a", "b"}, "y");
       },
       {{-4, 1}}},
      {"ReadBeforeItIsWritten",
       [](Writer& w) {
         w.Of("aten.ones.default", {}, "x").Of("aten.neg.default", {"x"}, "y").Of("aten.zero_.default", {"x"}, "z");
       },
       {{-1, -1}}},
      {"ReadBehindAWrittenView",
       [](Writer& w) {
         w.Of("aten.ones.default", {}, "x").Of("aten.slice.Tensor", {"x"}, "part", {{"end", 1}});
         w.Of("aten.zero_.default", {"part"}, "z").Of("aten.neg.default", {"x"}, "y");
       },
       std::nullopt},
      {"ReadBehindAWrittenCopy",
       [](Writer& w) {
         w.Of("aten.ones.default", {}, "x").Of("aten.clone.default", {"x"}, "copy");
         w.Of("aten.zero_.default", {"copy"}, "z").Of("aten.neg.default", {"x"}, "y");
       },
       {{-1, -1}}},
      {"OfAConstantThatIsDetached",
       [](Writer& w) {
         w.Constant("x", {1, 2}).Of("aten.detach_.default", {"x"}, "z").Of("aten.neg.default", {"z"}, "y");
       },
       {{-2, -1}}},
      {"AScalarBesideHalves",
       [](Writer& w) {
         w.Of("aten.zeros.default", {}, "x", {}, v1::DATA_TYPE_FLOAT16);
         w.Of("aten.mul.Tensor", {"x"}, "y", {{"other", -1e5}}, v1::DATA_TYPE_FLOAT16);
       },
       {{0, 0}}},
      {"AWrittenConstant",
       [](Writer& w) {
         w.Constant("x", {1, 2}).Of("aten.neg.default", {"x"}, "y").Of("aten.zero_.default", {"x"}, "z");
       },
       std::nullopt},
      {"PaddedBySizesThatAreNotKnown",
       [](Writer& w) {
         w.Constant("x", {-3, 5}).Of("aten.replication_pad1d.default", {"x"}, "y");
       },
       std::nullopt},
      {"Moved",
       [](Writer& w) {
         w.Constant("x", {-3, 5}).Of("aten.unsqueeze.default", {"x"}, "y");
       },
       {{-3, 5}}},
      {"APart",
       [](Writer& w) {
         w.Constant("x", {-3, 5, 0, 0}).Of("aten.slice.Tensor", {"x"}, "y", {{"end", 1}}, v1::DATA_TYPE_FLOAT32, {1});
       },
       std::nullopt},
      OfTriangle("Lower", "tril", 0, {{-7, 0}}),
      OfTriangle("LowerWithoutAnything", "tril", -4, {{0, 0}}),
      OfTriangle("LowerWithOne", "tril", -3, {{-7, 0}}),
      OfTriangle("LowerWithAll", "tril", 3, {{-7, -7}}),
      OfTriangle("LowerWithAllButOne", "tril", 2, {{-7, 0}}),
      OfTriangle("Upper", "triu", 1, {{-7, 0}}),
      OfTriangle("UpperWithoutAnything", "triu", 4, {{0, 0}}),
      OfTriangle("UpperWithAll", "triu", -3, {{-7, -7}}),
      OfCounters("Less", "lt", both),
      OfCounters("Difference", "sub", {{-3, 3}}, v1::DATA_TYPE_INT64),
      OfCounters("Product", "mul", {{0, 9}}, v1::DATA_TYPE_INT64),
      OfCounters("EqualSomewhere", "eq", std::nullopt),
      {"OfOneShape",
       [](Writer& w) {
         w.Constant("a", {0, 1}).Constant("b", {0, 1}).Of("aten.sub.Tensor", {"a", "b"}, "y");
       },
       std::nullopt},
      {"SubtractedManyTimes",
       [](Writer& w) {
         w.Of("aten.zeros.default", {}, "a").Constant("b", {0, 1});
         w.Of("aten.sub.Tensor", {"a", "b"}, "y", {{"alpha", 100}});
       },
       {{-100, 0}}},
      OfScalar("LessThanAll", "lt", 3, always),
      OfScalar("LessThanSome", "lt", 2, both),
      OfScalar("LessThanNone", "lt", -1, never),
      OfScalar("AtMostTheLeast", "le", -1, both),
      OfScalar("MoreThanNone", "gt", 2, never),
      OfScalar("AtLeastTheLeast", "ge", -1, always),
      OfScalar("EqualToTheLargest", "eq", 2, both),
      OfScalar("EqualToWhatMayBeBetween", "eq", 1, std::nullopt),
      OfScalar("EqualToNone", "eq", 7, never),
      OfScalar("OtherThanAll", "ne", 7, always),
      OfFilled("FilledSomewhere", 1, {{-kInfinity, 0}}),
      OfFilled("FilledNowhere", 0, {{0, 0}}),
      OfFilled("FilledEverywhere", 3, {{-kInfinity, -kInfinity}}),
      OfConstant("NotOfNumbers", {2, 5}, "aten.logical_not.default", never, {}, v1::DATA_TYPE_BOOL),
      OfConstant("NotOfNegatives", {-5, -2}, "aten.logical_not.default", never, {}, v1::DATA_TYPE_BOOL),
      OfConstant("NotOfNothing", {0, 0}, "aten.logical_not.default", always, {}, v1::DATA_TYPE_BOOL),
      OfConstant("NotOfSome", {0, 5}, "aten.logical_not.default", both, {}, v1::DATA_TYPE_BOOL),
      OfConstant("NotOfWhatMayHaveNothing", {-1, 1}, "aten.logical_not.default", std::nullopt, {}, v1::DATA_TYPE_BOOL),
      OfConstant("BitsOfIntegers", {0, 1}, "aten.bitwise_not.default", std::nullopt, {}, v1::DATA_TYPE_INT64),
      OfConstant("Powers", {0, kInfinity}, "aten.exp.default", {{1, kInfinity}}),
      OfConstant("PowersOfZero", {0, 0}, "aten.exp.default", {{1, 1}}),
      OfConstant("RootsOfSquares", {4, 9}, "aten.sqrt.default", {{2, 3}}),
      OfConstant("LogarithmOfLessThanNothing", {-1, 1}, "aten.log.default", std::nullopt),
      OfConstant("Half", {-4, 6}, "aten.div.Tensor", {{-2, 3}}, {{"other", 2}}),
      OfConstant("HalfOfTheOtherSign", {-4, 6}, "aten.div.Tensor", {{-3, 2}}, {{"other", -2}}),
      OfConstant("ByNothing", {-4, 6}, "aten.div.Tensor", std::nullopt, {{"other", 0}}),
      OfConstant("RoundedDown", {-4, 6}, "aten.div.Tensor_mode", std::nullopt, {{"other", 2}, {"rounding_mode", 1}}),
      OfConstantAnd("ByATensor", {-4, 6}, "aten.div.Tensor", 2, {{-2, 3}}),
      OfConstantAnd("SumWithInfinity", {-4, 6}, "aten.add.Tensor", -kInfinity, {{-kInfinity, -kInfinity}}),
      OfConstantAnd("LessThanATensor", {-4, 6}, "aten.lt.Tensor", 7, always, v1::DATA_TYPE_BOOL),
      OfConstantAnd("EqualToATensor", {-4, 6}, "aten.eq.Tensor", 6, both, v1::DATA_TYPE_BOOL),
      OfConstantAnd("OtherThanATensor", {-4, 6}, "aten.ne.Tensor", -4, both, v1::DATA_TYPE_BOOL),
      OfConstantAnd("EqualToNoneOfATensor", {-4, 6}, "aten.eq.Tensor", 9, never, v1::DATA_TYPE_BOOL),
      OfConstantAnd("OneNumberEqualsItself", {3, 3}, "aten.eq.Tensor", 3, always, v1::DATA_TYPE_BOOL),
      OfConstantAnd("OneNumberIsNoOther", {3, 3}, "aten.eq.Tensor", 4, never, v1::DATA_TYPE_BOOL),
      {"InfinityLessInfinity",
       [](Writer& w) {
         for (const char* name : {"a", "b"}) w.Of("aten.full.default", {}, name, {{"fill_value", kInfinity}});
         w.Of("aten.sub.Tensor", {"a", "b"}, "y");
       },
       std::nullopt},
      {"InfinityTimesNothing",
       [](Writer& w) {
         w.Of("aten.full.default", {}, "a", {{"fill_value", kInfinity}}).Of("aten.zeros.default", {}, "b");
         w.Of("aten.mul.Tensor", {"a", "b"}, "y");
       },
       std::nullopt},
      OfCounting("CountedDown", 3, -1, -1, {{0, 3}}),
      OfCounting("CountedNowhere", 3, 0, 1, std::nullopt),
      OfCounting("CountedWithoutAStep", 0, 3, 0, std::nullopt),
      OfCounting("CountedInHalves", 0, 2, 0.5, {{0, 1.5}}, v1::DATA_TYPE_FLOAT32),
      OfCounting("CountedInHalvesOfIntegers", 0, 2, 0.5, std::nullopt),
      {"WhereNeverTrue",
       [](Writer& w) {
         w.Constant("x", {0, 1, 2}).Truth("aten.lt.Scalar", {"x"}, "mask", {{"other", 0}});
         w.Constant("a", {5, 6}).Constant("b", {7, 8}).Of("aten.where.self", {"mask", "a", "b"}, "y");
       },
       {{7, 8}}},
      {"WhereAlwaysTrue",
       [](Writer& w) {
         w.Constant("x", {0, 1, 2}).Truth("aten.ge.Scalar", {"x"}, "mask", {{"other", 0}});
         w.Constant("a", {5, 6}).Constant("b", {7, 8}).Of("aten.where.self", {"mask", "a", "b"}, "y");
       },
       {{5, 6}}},
      {"NotOfTruths",
       [](Writer& w) {
         w.Constant("x", {0, 1})
             .Truth("aten.ge.Scalar", {"x"}, "m", {{"other", 0}})
             .Truth("aten.bitwise_not.default", {"m"}, "y");
       },
       never},
  };
}

INSTANTIATE_TEST_SUITE_P(All, AttainedRangeTest, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace quantgate
