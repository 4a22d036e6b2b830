#include "client/unfinished_file.h"

#include <signal.h>

#include <cstdlib>
#include <filesystem>

#include "client/passing_path.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"

namespace quantgate {
namespace {

int FilesIn(const std::filesystem::path& folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(UnfinishedFile, NamesAsLongAsTheyMayBe) {
  const TempFolder folder;
  for (const size_t length : {size_t{240}, size_t{251}, size_t{255}}) {
    const std::string path = (folder.path() / std::string(length, 'n')).string();
    absl::StatusOr<UnfinishedFile> file = UnfinishedFile::Write(path, "model");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(file->Finish().ok());
    EXPECT_EQ(std::filesystem::file_size(path), 5u);
  }
  EXPECT_EQ(FilesIn(folder.path()), 3);
  EXPECT_FALSE(UnfinishedFile::Write((folder.path() / std::string(256, 'n')).string(), "model")->Finish().ok());
  EXPECT_EQ(FilesIn(folder.path()), 3);
}

class EndedBySignal : public testing::TestWithParam<int> {};

TEST_P(EndedBySignal, LeavesWhatIsFinishedAlone) {
  const TempFolder folder;
  const auto write_and_raise = [&] {
    RemovePassingPathsAtSignals();
    absl::StatusOr<UnfinishedFile> finished = UnfinishedFile::Write((folder.path() / "finished").string(), "model");
    if (!finished->Finish().ok()) std::exit(1);
    absl::StatusOr<UnfinishedFile> created = UnfinishedFile::Write((folder.path() / "unfinished").string(), "model");
    const absl::StatusOr<UnfinishedFile> moved(*std::move(created));
    (void)::raise(GetParam());
    std::exit(0);
  };
  EXPECT_EXIT(write_and_raise(), testing::KilledBySignal(GetParam()), "");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "finished"));
  EXPECT_EQ(FilesIn(folder.path()), 1);
}

INSTANTIATE_TEST_SUITE_P(Signals, EndedBySignal, testing::Values(SIGHUP, SIGINT, SIGTERM));

TEST(UnfinishedFile, IgnoredSignalsStayIgnored) {
  const TempFolder folder;
  const auto write_and_raise = [&] {
    ::signal(SIGHUP, SIG_IGN);  // as under nohup
    RemovePassingPathsAtSignals();
    absl::StatusOr<UnfinishedFile> file = UnfinishedFile::Write((folder.path() / "file").string(), "model");
    (void)::raise(SIGHUP);
    std::exit(file->Finish().ok() ? 7 : 1);
  };
  EXPECT_EXIT(write_and_raise(), testing::ExitedWithCode(7), "");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "file"));
}

}  // namespace
}  // namespace quantgate
