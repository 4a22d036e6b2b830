// Every stored record of what runtimes compute, under the profile of that runtime: equal, or listed with its
// bound and the reason.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/rules/simulator/known_differences.h"
#include "tests/rules/simulator/record.h"

namespace quantgate::simulator {
namespace {

TEST(Golden, EveryRecordOfEveryRuntime) {
  int equal = 0, listed = 0, in_float = 0;
  for (const auto& file : std::filesystem::directory_iterator(QUANTGATE_TEST_DATA "/data/numerics")) {
    const absl::Status status = ForEachRecord(file.path().string(), [&](const Record& record) {
      for (const auto& [oracle, expected] : record.oracles) {
        const Profile* profile = ProfileOfOracle(oracle);
        ASSERT_NE(profile, nullptr) << oracle;
        const Difference difference = Compare(record, *profile, expected);
        const std::string what = absl::StrCat(record.id, " under ", profile->name, " (", oracle, ")");
        if (difference.status.code() == absl::StatusCode::kUnimplemented && IsComputedInFloat(record, oracle)) {
          ++in_float;
          continue;
        }
        EXPECT_TRUE(difference.status.ok()) << what << ": " << difference.status;
        EXPECT_TRUE(IsKnown(record, oracle, difference))
            << what << ": " << difference.differ << " of " << difference.elements << ", largest " << difference.largest;
        ++(difference.differ == 0 ? equal : listed);
      }
    });
    EXPECT_TRUE(status.ok()) << status;
  }

  std::printf("equal %d, listed differences %d, in float %d\n", equal, listed, in_float);
  EXPECT_GT(equal, 1000);
}

}  // namespace
}  // namespace quantgate::simulator
