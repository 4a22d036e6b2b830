#include "client/report/layout.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/report/pattern.h"
#include "client/report/style.h"
#include "gtest/gtest.h"

namespace quantgate {
namespace {

struct WidthCase {
  std::string text;
  int width;
};
class DisplayWidthTest : public testing::TestWithParam<WidthCase> {};
TEST_P(DisplayWidthTest, CountsCodePointsWithoutColors) { EXPECT_EQ(DisplayWidth(GetParam().text), GetParam().width); }
INSTANTIATE_TEST_SUITE_P(Texts, DisplayWidthTest,
                         testing::Values(WidthCase{"", 0}, WidthCase{"abc", 3}, WidthCase{"✗ é", 3},
                                         WidthCase{"\033[1;31mred\033[0m", 3}, WidthCase{"\033[1;31", 0}));

struct PrintableCase {
  std::string text;
  std::string expected;
};
class PrintableTest : public testing::TestWithParam<PrintableCase> {};
TEST_P(PrintableTest, LeavesNothingThatATerminalObeys) { EXPECT_EQ(Printable(GetParam().text), GetParam().expected); }
INSTANTIATE_TEST_SUITE_P(Texts, PrintableTest,
                         testing::Values(PrintableCase{"layer.0/conv é 日本 🙂", "layer.0/conv é 日本 🙂"},
                                         PrintableCase{"a\nb\tc", "a\\x0ab\\x09c"},
                                         PrintableCase{"fc\u202Egnp", "fc\\xe2\\x80\\xaegnp"},
                                         PrintableCase{"\033]0;owned\007", "\\x1b]0;owned\\x07"},
                                         PrintableCase{"\x9b"
                                                       "31m",
                                                       "\\x9b31m"},  // a bare C1 byte
                                         PrintableCase{"\xC2\x9b"
                                                       "31m",
                                                       "\\xc2\\x9b31m"},                    // C1 in UTF-8
                                         PrintableCase{"\xC0\x8A", "\\xc0\\x8a"},           // overlong newline
                                         PrintableCase{"\xED\xA0\x80", "\\xed\\xa0\\x80"},  // surrogate
                                         PrintableCase{"\xE2\x82", "\\xe2\\x82"},           // cut off
                                         PrintableCase{"\x7f", "\\x7f"}));

TEST(AppendWrapped, BreaksAtSpacesAndIndentsToThePrefix) {
  std::string out;
  AppendWrapped(out, "fix: ", "one two three four", 14);
  EXPECT_EQ(out, "fix: one two\n     three\n     four\n");
}

TEST(AppendWrapped, NoLineIsWiderThanAskedUnlessOneWordIs) {
  const std::string text = "a bb ccc dddd eeeee ffffff a_word_that_is_wider_than_any_line ggggggg hhhhhhhh";
  for (int width = 12; width < 60; ++width) {
    std::string out;
    AppendWrapped(out, "p ", text, width);
    for (absl::string_view line : absl::StrSplit(out, '\n')) {
      const bool unbreakable = line.find("a_word_that") == 2 && line.find(' ', 2) == absl::string_view::npos;
      EXPECT_TRUE(DisplayWidth(line) <= width || unbreakable) << "width " << width << ": " << line;
    }
  }
}

TEST(AppendWrapped, ColorsTakeNoRoom) {
  std::string plain, colored;
  AppendWrapped(plain, "x: ", "one two three", 10);
  AppendWrapped(colored, "\033[2mx:\033[0m ", "one two three", 10);
  EXPECT_EQ(colored, "\033[2mx:\033[0m " + plain.substr(3));
}

TEST(RenderTable, AlignsColumnsAndWrapsTheLast) {
  Style style;
  style.width = 36;
  EXPECT_EQ(RenderTable({{"name", "n", "text"}, {"a", "10", "one two three four five"}, {"long-é", "1"}, {"b", "", ""}},
                        style),
            "name    n   text\n"
            "a       10  one two three four five\n"
            "long-é  1\n"
            "b\n");
  EXPECT_EQ(RenderTable({{"name", "text"}, {"a", "one two three four five six seven"}}, style),
            "name  text\n"
            "a     one two three four five six\n"
            "      seven\n");
}

TEST(RenderTable, KeepsARowTogetherWhereWrappingWouldLeaveNoRoom) {
  Style style;
  style.width = 20;
  EXPECT_EQ(RenderTable({{"name", "text"}, {"a", "one two three"}}, style), "name  text\na     one two three\n");
}

TEST(Numbers, HaveCommasAndPlurals) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
  EXPECT_EQ(WithCommas(-999), "-999");
  EXPECT_EQ(WithCommas(-1000), "-1,000");
  EXPECT_EQ(Count(1, "node"), "1 node");
  EXPECT_EQ(Count(0, "node"), "0 nodes");
}

struct PatternCase {
  std::vector<std::string> strings;
  std::string expected;
};
class CommonPatternTest : public testing::TestWithParam<PatternCase> {};
TEST_P(CommonPatternTest, PutsAStarWhereStringsDiffer) {
  EXPECT_EQ(CommonPattern(GetParam().strings), GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(Names, CommonPatternTest,
                         testing::Values(PatternCase{{}, ""}, PatternCase{{"conv"}, "conv"},
                                         PatternCase{{"conv", "conv"}, "conv"},
                                         PatternCase{{"layer.0.conv", "layer.1.conv", "layer.11.conv"}, "layer.*.conv"},
                                         PatternCase{{"layer.0.q_proj", "layer.1.k_proj"}, "layer.*.*_proj"},
                                         PatternCase{{"encoder/conv", "encoder/block/conv"}, "encoder/*conv"},
                                         PatternCase{{"conv", "conv_1"}, "conv*"},
                                         PatternCase{{"a/b", "c/d"}, ""},  // nothing in common but the slash
                                         PatternCase{{"conv", "linear"}, ""},
                                         PatternCase{{"x x", "x"}, ""}));  // prefix and suffix must not overlap

TEST(Alternatives, NamesAllWhereStringsDiffer) {
  EXPECT_EQ(Alternatives({}), "");
  EXPECT_EQ(Alternatives({"on V68", "on V68"}), "on V68");
  EXPECT_EQ(Alternatives({"on V68; that needs V73", "on V69; that needs V73"}), "on V68 or V69; that needs V73");
  EXPECT_EQ(Alternatives({"a b", "a c d"}), "a b or c d");
  EXPECT_EQ(Alternatives({"x x", "x"}), "x x or ");  // prefix and suffix must not overlap
}

TEST(MaskName, ReplacesANameThatStandsAlone) {
  EXPECT_EQ(MaskName("of a and 'a', not of cat or a_1", "a"), "of * and '*', not of cat or a_1");
  EXPECT_EQ(MaskName("aa a", "a"), "aa *");
  EXPECT_EQ(MaskName("a", "a"), "*");
  EXPECT_EQ(MaskName("b", "a"), "b");
  EXPECT_EQ(MaskName("a", ""), "a");
  EXPECT_EQ(MaskName("", "a"), "");
}

struct MaskCase {
  std::string text;
  std::string expected;
};
class MaskNumbersTest : public testing::TestWithParam<MaskCase> {};
TEST_P(MaskNumbersTest, MasksNumbersThatStandAlone) { EXPECT_EQ(MaskNumbers(GetParam().text), GetParam().expected); }
INSTANTIATE_TEST_SUITE_P(Texts, MaskNumbersTest,
                         testing::Values(MaskCase{"", ""}, MaskCase{"scale 0.012", "scale #"},
                                         MaskCase{"scale 1.5e-07, zero point -3", "scale #, zero point #"},
                                         MaskCase{"UFIXED_POINT_16", "UFIXED_POINT_16"}, MaskCase{"int8", "int8"},
                                         MaskCase{"16x8", "16x8"}, MaskCase{"rank 5.", "rank #."},
                                         MaskCase{"[1, 2]", "[#, #]"}, MaskCase{"-", "-"}));

struct StyleCase {
  Terminal terminal;
  ColorMode mode;
  bool color;
  int width;
};
class ChooseStyleTest : public testing::TestWithParam<StyleCase> {};
TEST_P(ChooseStyleTest, FollowsTerminalAndEnvironment) {
  const Style style = ChooseStyle(GetParam().terminal, GetParam().mode);
  EXPECT_EQ(style.color, GetParam().color);
  EXPECT_EQ(style.width, GetParam().width);
}
INSTANTIATE_TEST_SUITE_P(
    Terminals, ChooseStyleTest,
    testing::Values(StyleCase{{.is_tty = true, .columns = 80}, ColorMode::kAuto, true, 80},
                    StyleCase{{.is_tty = false}, ColorMode::kAuto, false, 100},
                    StyleCase{{.is_tty = false}, ColorMode::kAlways, true, 100},
                    StyleCase{{.is_tty = true, .columns = 80}, ColorMode::kNever, false, 80},
                    StyleCase{{.is_tty = true, .columns = 80, .no_color_env = "1"}, ColorMode::kAuto, false, 80},
                    StyleCase{{.is_tty = true, .columns = 80, .no_color_env = "1"}, ColorMode::kAlways, true, 80},
                    StyleCase{{.is_tty = true, .columns = 80, .term_env = "dumb"}, ColorMode::kAuto, false, 80},
                    StyleCase{{.is_tty = true, .columns = 80, .columns_env = "60"}, ColorMode::kAuto, true, 60},
                    StyleCase{{.columns_env = "none"}, ColorMode::kAuto, false, 100},
                    StyleCase{{.columns_env = "5"}, ColorMode::kAuto, false, 40},
                    StyleCase{{.columns_env = "99999"}, ColorMode::kAuto, false, 160}));

TEST(Paint, AddsNothingWithoutColor) {
  EXPECT_EQ(Paint(Style{}, Ink::kRed, "x"), "x");
  Style color;
  color.color = true;
  EXPECT_EQ(Paint(color, Ink::kRed, "x"), "\033[1;31mx\033[0m");
  EXPECT_EQ(Paint(color, Ink::kPlain, "x"), "x");
  EXPECT_EQ(Paint(color, Ink::kRed, ""), "");
}

}  // namespace
}  // namespace quantgate
