// What each kind of fault is repaired with, and what must be left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace quantgate
