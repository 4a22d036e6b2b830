#include "db/sdk_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantgate::db {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::Optional;

TEST(ParseSdkVersion, TakesOneToFourNumbers) {
  EXPECT_THAT(ParseSdkVersion("2.25.0"), Optional(ElementsAre(2, 25, 0)));
  EXPECT_THAT(ParseSdkVersion("2"), Optional(ElementsAre(2)));
  EXPECT_THAT(ParseSdkVersion("2.25.0.240728"), Optional(ElementsAre(2, 25, 0, 240728)));
}

TEST(ParseSdkVersion, RefusesWhatIsNoVersion) {
  for (const char* text : {"", ".", "2.", ".2", "v2.25", "2.-1", "2. 1", "2.25.0.1.2", "2.9999999999", "2.25\n"}) {
    EXPECT_EQ(ParseSdkVersion(text), std::nullopt) << text;
  }
}

TEST(SdkVersionLess, IsNumeric) {
  EXPECT_TRUE(SdkVersionLess("2.9", "2.13.0"));
  EXPECT_FALSE(SdkVersionLess("2.13.0", "2.9"));
  EXPECT_FALSE(SdkVersionLess("2.25", "2.25.0"));
  EXPECT_FALSE(SdkVersionLess("2.25.0", "2.25"));
  EXPECT_TRUE(SdkVersionLess("nonsense", "0"));
  EXPECT_FALSE(SdkVersionLess("0", "nonsense"));
}

TEST(ChooseSdk, ExactThenPrefixThenNewestNotNewer) {
  const std::vector<std::string> available = {"2.25.1", "2.13.0", "2.25.0", "2.9.0"};
  EXPECT_THAT(ChooseSdk(available, ""), Optional(Eq("2.25.1")));
  EXPECT_THAT(ChooseSdk(available, "2.25.0"), Optional(Eq("2.25.0")));
  EXPECT_THAT(ChooseSdk(available, "2.25"), Optional(Eq("2.25.1")));
  EXPECT_THAT(ChooseSdk(available, "2.13"), Optional(Eq("2.13.0")));
  EXPECT_THAT(ChooseSdk(available, "2.20"), Optional(Eq("2.13.0")));
  EXPECT_THAT(ChooseSdk(available, "2.51.3"), Optional(Eq("2.25.1")));
  EXPECT_THAT(ChooseSdk(available, "2.1"), Eq(std::nullopt));  // not a prefix of 2.13.0
  EXPECT_THAT(ChooseSdk(available, "1.0"), Eq(std::nullopt));
  EXPECT_THAT(ChooseSdk(available, "latest"), Eq(std::nullopt));
  EXPECT_THAT(ChooseSdk({}, ""), Eq(std::nullopt));
}

}  // namespace
}  // namespace quantgate::db
