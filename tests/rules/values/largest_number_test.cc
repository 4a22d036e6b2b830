// Large numbers of constants and parameters, followed through what computes with them. Expected is what the operators
// do to such a number by their definitions, whatever the input `in` is.
#include "rules/values/largest_number.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/rules/values/writer.h"

namespace quantgate {
namespace {

using testing::Writer;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  std::string name;
  std::function<void(Writer&)> write;
  std::string expected;  // see TextOf
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Where is no number, whether it surely is there says nothing.
std::string TextOf(const LargestNumber& number) {
  const std::string size = absl::StrCat(number.size, number.sign < 0 ? " -" : number.sign > 0 ? " +" : "");
  const bool any = number.size > 0;
  return absl::StrCat(size, any && number.surely ? " surely" : "", any && number.uniform ? " uniform" : "",
                      number.alone ? " alone" : "", number.is_fixed ? " fixed" : "");
}

class LargestNumberTest : public ::testing::TestWithParam<Case> {};

TEST_P(LargestNumberTest, OfY) {
  Writer writer;
  writer.Input("in");
  GetParam().write(writer);
  const Graph graph = writer.Build();
  const WrittenMemory memory(graph);
  const AttainedRanges ranges(graph, memory);
  EXPECT_EQ(TextOf(LargestNumbers(graph, ranges, memory).In(writer.Y())), GetParam().expected);
}

// `masked`: the input where a mask of its own is not true, the number elsewhere.
Writer& Masked(Writer& w, double number) {
  w.Input("other").Truth("aten.gt.Scalar", {"other"}, "mask", {{"other", 0}});
  return w.Of("aten.masked_fill.Scalar", {"in", "mask"}, "masked", {{"value", number}});
}
Writer& Full(Writer& w, const std::string& name, double number) {
  return w.Of("aten.full.default", {}, name, {{"fill_value", number}});
}

// y = op(masked, numbers).
Case OfMasked(std::string name, double masked, const std::string& op, std::string expected,
              const std::vector<std::pair<std::string, double>>& numbers = {}) {
  return {std::move(name), [=](Writer& w) { Masked(w, masked).Of(op, {"masked"}, "y", numbers); }, std::move(expected)};
}

// y = op(masked, full), or the other way round.
Case OfBoth(std::string name, double masked, const std::string& op, double full, std::string expected,
            bool swapped = false, const std::vector<std::pair<std::string, double>>& numbers = {}) {
  return {std::move(name),
          [=](Writer& w) {
            Full(Masked(w, masked), "full", full);
            w.Of(op, swapped ? std::vector<std::string>{"full", "masked"} : std::vector<std::string>{"masked", "full"},
                 "y", numbers);
          },
          std::move(expected)};
}

// y = op(in, numbers).
Case OfInput(std::string name, const std::string& op, std::string expected,
             const std::vector<std::pair<std::string, double>>& numbers = {}) {
  return {std::move(name), [=](Writer& w) { w.Of(op, {"in"}, "y", numbers); }, std::move(expected)};
}

std::vector<Case> Made() {
  return {
      OfInput("Computed", "aten.relu.default", "0"),
      {"Filled", [](Writer& w) { Full(w, "y", -1e4); }, "10000 - surely uniform alone fixed"},
      {"Constant",
       [](Writer& w) {
         w.Constant("y", {-3, 5});
       },
       "5 + surely alone fixed"},
      {"AsFarOnBothSides",
       [](Writer& w) {
         w.Constant("y", {-5, 5});
       },
       "5 surely alone fixed"},
      {"IndicesOfAnInput",
       [](Writer& w) {
         w.Of("aten.argmax.default", {"in"}, "y", {{"dim", 0}}, v1::DATA_TYPE_INT64, {4});
       },
       "0"},
      // Of a mask that the input has no part in, too: the number is not known to be in it.
      OfMasked("Masked", -kInfinity, "aten.clone.default", "inf -"),
      {"FilledInPlace",
       [](Writer& w) {
         Masked(w, 1).Of("aten.mul.Scalar", {"in"}, "x", {{"other", 2}});
         w.Of("aten.masked_fill_.Scalar", {"x", "mask"}, "z", {{"value", -kInfinity}});
         w.Of("aten.clone.default", {"x"}, "y");
       },
       "inf -"},
      {"APartFilledInPlace",
       [](Writer& w) {
         w.Of("aten.mul.Scalar", {"in"}, "x", {{"other", 2}}).Of("aten.slice.Tensor", {"x"}, "part", {{"end", 1}});
         w.Of("aten.fill_.Scalar", {"part"}, "z", {{"value", -1e5}}).Of("aten.clone.default", {"x"}, "y");
       },
       "100000 -"},
      {"FilledInPlaceWithATensor",
       [](Writer& w) {
         w.Of("aten.mul.Scalar", {"in"}, "x", {{"other", 2}}).Constant("number", {-1e5});
         w.Of("aten.slice.Tensor", {"x"}, "part", {{"end", 1}});
         w.Of("aten.fill_.Tensor", {"part", "number"}, "z").Of("aten.clone.default", {"x"}, "y");
       },
       "100000 -"},
      // The second is the larger of the two.
      {"AssignedTwice",
       [](Writer& w) {
         w.Of("aten.mul.Scalar", {"in"}, "x", {{"other", 2}}).Of("aten.slice.Tensor", {"x"}, "part", {{"end", 1}});
         w.Of("aten.zero_.default", {"part"}, "z").Of("aten.slice.Tensor", {"x"}, "other_part", {{"start", 3}});
         w.Of("aten.fill_.Scalar", {"other_part"}, "z2", {{"value", 7e4}}).Of("aten.clone.default", {"x"}, "y");
       },
       "70000 +"},
      {"QuantizedIsWithinTheRange",
       [](Writer& w) {
         Masked(w, -kInfinity).Constant("scale", {0.5}).Constant("zp", {0});
         w.Of("quantized_decomposed.quantize_per_tensor.default", {"masked", "scale", "zp"}, "y", {},
              v1::DATA_TYPE_INT8);
       },
       "0 -"},
  };
}

std::vector<Case> Moved() {
  return {
      OfMasked("Viewed", -1e4, "aten.view.default", "10000 -"),
      OfMasked("Negated", -1e4, "aten.neg.default", "10000 +"),
      OfMasked("Triangle", -1e4, "aten.triu.default", "10000 -", {{"diagonal", 0}}),
      OfMasked("Cast", -1e4, "aten.to.dtype", "10000 -"),
      {"Beside",
       [](Writer& w) {
         Full(Masked(w, -1e4), "full", 2e4).Of("aten.cat.default", {"masked", "full"}, "y");
       },
       "20000 + surely"},
      {"BesideItself",
       [](Writer& w) {
         Full(Masked(w, -1e4), "full", -1e4).Of("aten.cat.default", {"masked", "full"}, "y");
       },
       "10000 - surely"},
      {"BesideItsOpposite",
       [](Writer& w) {
         Full(Masked(w, -1e4), "full", 1e4).Of("aten.cat.default", {"masked", "full"}, "y");
       },
       "10000 surely"},
      OfInput("Padded", "aten.constant_pad_nd.default", "10000 - surely", {{"value", -1e4}}),
      OfInput("PaddedWithNothing", "aten.constant_pad_nd.default", "0"),
  };
}

std::vector<Case> Sums() {
  return {
      OfBoth("ShiftedByANumber", -1e4, "aten.add.Tensor", 3, "10000 -"),
      OfBoth("ANumberLessIt", -1e4, "aten.sub.Tensor", 3, "10000 +", /*swapped=*/true),
      OfBoth("WithInfinityEverywhere", -1e4, "aten.add.Tensor", -kInfinity, "inf - surely"),
      {"AddedToTheInput",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.add.Tensor", {"in", "masked"}, "y");
       },
       "10000 -"},
      {"TakenFromTheInput",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.sub.Tensor", {"in", "masked"}, "y");
       },
       "10000 +"},
      {"TakenTwice",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.sub.Tensor", {"in", "masked"}, "y", {{"alpha", 2}});
       },
       "20000 +"},
      {"TakenLessThanNever",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.sub.Tensor", {"in", "masked"}, "y", {{"alpha", -2}});
       },
       "20000 -"},
      OfInput("InfinityAsAParameter", "aten.add.Tensor", "inf surely uniform alone", {{"other", -kInfinity}}),
      OfInput("AFiniteParameter", "aten.add.Tensor", "0", {{"other", -1e4}}),
  };
}

std::vector<Case> Products() {
  return {
      OfBoth("Scaled", -1e4, "aten.mul.Tensor", -2, "20000 +"),
      OfBoth("ScaledFromTheLeft", -1e4, "aten.mul.Tensor", -2, "20000 +", /*swapped=*/true),
      OfBoth("Divided", -1e4, "aten.div.Tensor", 10, "1000 -"),
      // Of what divides nothing is known, and 0 may be among it.
      OfBoth("Divides", -1e4, "aten.div.Tensor", 10, "0", /*swapped=*/true),
      OfBoth("TimesNothing", -1e4, "aten.mul.Tensor", 0, "0"),
      OfBoth("TimesInfinity", -1e4, "aten.mul.Tensor", -kInfinity, "inf - surely uniform alone fixed"),
      OfBoth("ByInfinity", -1e4, "aten.div.Tensor", kInfinity, "0 alone fixed"),
      OfMasked("ByAParameter", -1e4, "aten.div.Scalar", "2500 -", {{"other", 4}}),
      {"InfinityWithAnything",
       [](Writer& w) {
         Masked(w, -kInfinity).Of("aten.mul.Tensor", {"in", "masked"}, "y");
       },
       "inf"},
      {"InfinityByAnything",
       [](Writer& w) {
         Masked(w, -kInfinity).Of("aten.div.Tensor", {"masked", "in"}, "y");
       },
       "inf"},
      {"AnythingByInfinity",
       [](Writer& w) {
         Masked(w, -kInfinity).Of("aten.div.Tensor", {"in", "masked"}, "y");
       },
       "0"},
      {"OfTwoComputed",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.mul.Tensor", {"in", "masked"}, "y");
       },
       "0"},
      // (1 - attention_mask) * 10000, and attention_mask * -10000.
      {"MaskOfADifference",
       [](Writer& w) {
         Full(w, "one", 1).Of("aten.sub.Tensor", {"one", "in"}, "turned");
         w.Of("aten.mul.Tensor", {"turned"}, "y", {{"other", 1e4}});
       },
       "10000"},
      OfInput("MaskOfTheInput", "aten.mul.Tensor", "10000", {{"other", -1e4}}),
      OfInput("TooSmallForAMask", "aten.mul.Tensor", "0", {{"other", -9999}}),
      OfInput("AGain", "aten.mul.Tensor", "0", {{"other", 1e4}}),
  };
}

std::vector<Case> Chosen() {
  const auto where = [](std::string name, const std::vector<std::string>& inputs, std::string expected) {
    return Case{std::move(name),
                [=](Writer& w) {
                  Full(Masked(w, -1e4), "full", -2e4).Truth("aten.ones.default", {}, "always");
                  w.Truth("aten.zeros.default", {}, "never").Of("aten.where.self", inputs, "y");
                },
                std::move(expected)};
  };
  return {
      where("OneOrTheOther", {"mask", "full", "in"}, "20000 -"),
      where("TheOtherOrOne", {"mask", "in", "full"}, "20000 -"),
      where("Always", {"always", "full", "in"}, "20000 - surely uniform alone fixed"),
      where("Never", {"never", "full", "in"}, "0"),
      where("NeverTheOther", {"never", "in", "full"}, "20000 - surely uniform alone fixed"),
      where("OfMasked", {"mask", "masked", "in"}, "10000 -"),
      // What it is made from is compared: the condition may leave out just the large number.
      {"ConditionOfItself",
       [](Writer& w) {
         Masked(w, -1e4).Truth("aten.gt.Scalar", {"masked"}, "larger", {{"other", -1e4}});
         w.Of("aten.where.self", {"larger", "masked", "in"}, "y");
       },
       "0"},
      {"NegatedConditionOfItself",
       [](Writer& w) {
         Masked(w, -1e4).Truth("aten.le.Scalar", {"masked"}, "less", {{"other", -1e4}});
         w.Truth("aten.logical_not.default", {"less"}, "larger");
         w.Of("aten.where.self", {"larger", "masked", "in"}, "y");
       },
       "0"},
      {"ConditionOfWhatItIsMadeOf",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.mul.Scalar", {"masked"}, "x", {{"other", 2}});
         w.Truth("aten.gt.Scalar", {"masked"}, "larger", {{"other", -1e4}});
         w.Of("aten.where.self", {"larger", "x", "in"}, "y");
       },
       "0"},
  };
}

std::vector<Case> Limited() {
  return {
      OfMasked("FromBelow", -kInfinity, "aten.clamp.default", "100 -", {{"min", -100}}),
      OfMasked("HardTanh", -kInfinity, "aten.hardtanh.default", "100 -", {{"min_val", -100}, {"max_val", 6}}),
      OfMasked("FromAboveAlone", -kInfinity, "aten.clamp.default", "inf -", {{"max", 6}}),
      OfMasked("FromAbove", kInfinity, "aten.clamp.default", "6 +", {{"max", 6}}),
      OfMasked("BelowAnyOfIt", -kInfinity, "aten.clamp.default", "0 -", {{"min", 5}}),
      OfInput("NothingKnown", "aten.clamp.default", "0", {{"min", -100}}),
      // On which side it is is not known.
      {"OnEitherSide",
       [](Writer& w) {
         Full(Masked(w, -1e4), "full", 1e4).Of("aten.cat.default", {"masked", "full"}, "both");
         w.Of("aten.clamp.default", {"both"}, "y", {{"min", -100}});
       },
       "0"},
      {"ByATensor",
       [](Writer& w) {
         Full(Masked(w, -1e4), "full", -100).Of("aten.clamp.Tensor", {"masked", "full"}, "y");
       },
       "0"},
      OfBoth("MaximumWith", -kInfinity, "aten.maximum.default", -100, "100 -"),
      OfBoth("MaximumOf", -kInfinity, "aten.maximum.default", -100, "100 -", /*swapped=*/true),
      OfBoth("MinimumWith", kInfinity, "aten.minimum.default", 100, "100 +"),
      OfBoth("MinimumBelow", -kInfinity, "aten.minimum.default", -100, "inf -"),
      {"MaximumOfTwoComputed",
       [](Writer& w) {
         Masked(w, -1e4).Of("aten.maximum.default", {"masked", "in"}, "y");
       },
       "0"},
  };
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Made, LargestNumberTest, ::testing::ValuesIn(Made()), NameOf);
INSTANTIATE_TEST_SUITE_P(Moved, LargestNumberTest, ::testing::ValuesIn(Moved()), NameOf);
INSTANTIATE_TEST_SUITE_P(Sums, LargestNumberTest, ::testing::ValuesIn(Sums()), NameOf);
INSTANTIATE_TEST_SUITE_P(Products, LargestNumberTest, ::testing::ValuesIn(Products()), NameOf);
INSTANTIATE_TEST_SUITE_P(Chosen, LargestNumberTest, ::testing::ValuesIn(Chosen()), NameOf);
INSTANTIATE_TEST_SUITE_P(Limited, LargestNumberTest, ::testing::ValuesIn(Limited()), NameOf);

}  // namespace
}  // namespace quantgate
