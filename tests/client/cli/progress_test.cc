#include "client/cli/progress.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace quantgate {
namespace {

using std::chrono::milliseconds;

// Runs `steps` on a progress of this kind and returns what it printed.
template <typename Steps>
std::string Printed(Progress::Kind kind, milliseconds patience, const Steps& steps) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  {
    Progress progress(kind, out, patience);
    steps(progress);
  }
  std::fclose(out);
  std::string printed(text, size);
  std::free(text);
  return printed;
}

TEST(Progress, ATerminalSeesOneLineThatGoesAway) {
  const std::string printed = Printed(Progress::Kind::kTerminal, milliseconds(0),
                                      [](Progress& p) { p.Step("reading a"), p.Step("checking a"); });
  EXPECT_EQ(printed, "\r\033[Kreading a ...\r\033[Kchecking a ...\r\033[K");
}

TEST(Progress, QuietPrintsNothing) {
  EXPECT_EQ(Printed(Progress::Kind::kSilent, milliseconds(0), [](Progress& p) { p.Step("reading a"); }), "");
}

TEST(Progress, ALogHearsOnlyOfSlowSteps) {
  EXPECT_EQ(Printed(Progress::Kind::kLog, std::chrono::hours(1), [](Progress& p) { p.Step("fast"); }), "");
  const std::string printed = Printed(Progress::Kind::kLog, milliseconds(20), [](Progress& p) {
    p.Step("slow");
    std::this_thread::sleep_for(milliseconds(300));
  });
  EXPECT_EQ(printed, "slow ...\n");
}

TEST(Progress, FileNamesCannotMoveTheCursor) {
  EXPECT_EQ(Printed(Progress::Kind::kTerminal, milliseconds(0), [](Progress& p) { p.Step("a\nb"); }),
            "\r\033[Ka\\x0ab ...\r\033[K");
}

}  // namespace
}  // namespace quantgate
