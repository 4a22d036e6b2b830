// A collection of model files (fixture_lines.h) taken through an importer, beside what its lists say of each.
#ifndef QUANTGATE_TESTS_CLIENT_FIXTURE_IMPORTS_H_
#define QUANTGATE_TESTS_CLIENT_FIXTURE_IMPORTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "client/error.h"
#include "client/import.h"
#include "tests/client/fixture_lines.h"
#include "tests/client/time_limit.h"

namespace quantgate::testing {

// Every line of qparams.jsonl. `compare(graph, line)` says what differs, nothing when the graph is as the line says.
template <typename Compare>
void CompareEveryLine(const std::filesystem::path& folder, const std::string& format, int at_least, Compare compare) {
  std::map<std::string, v1::Graph> graphs;
  int compared = 0;
  for (const Struct& line : ReadLines(folder / "qparams.jsonl")) {
    const std::string file = Text(line, "file");
    if (!graphs.contains(file)) {
      absl::StatusOr<ImportedModel> model = ImportModel((folder / file).string());
      ASSERT_TRUE(model.ok()) << model.status();
      EXPECT_EQ(model->info.format(), format);
      graphs[file] = model->graph;
    }
    EXPECT_EQ(compare(graphs[file], line), "") << file << " " << line.ShortDebugString();
    ++compared;
  }
  EXPECT_GT(compared, at_least);
  std::printf("%d lines about %zu files compared\n", compared, graphs.size());
}

// Every file of cases.jsonl: it imports, or says in one line of a code for unreadable files why not, and is quick about
// it. `judge(line, model)` has the rest to say.
template <typename Judge>
void ImportEveryFile(const std::filesystem::path& folder, Judge judge) {
  double slowest = 0;
  std::string slowest_file;
  int imported = 0, refused = 0;
  for (const Struct& line : ReadLines(folder / "cases.jsonl")) {
    const std::string file = Text(line, "file");
    const double start = CpuSeconds();
    const absl::StatusOr<ImportedModel> model = ImportModel((folder / file).string());
    const double seconds = CpuSeconds() - start;
    if (seconds > slowest) {
      slowest = seconds;
      slowest_file = file;
    }
    (model.ok() ? imported : refused) += 1;
    if (!model.ok()) {
      EXPECT_FALSE(Field(line, "good").bool_value()) << file << " " << model.status();
      EXPECT_TRUE(absl::StartsWith(ErrorCode(model.status()), "FI00")) << model.status();
      EXPECT_FALSE(absl::StrContains(model.status().message(), '\n'));
    }
    judge(line, model);
  }
  EXPECT_GT(imported, 0);
  EXPECT_LT(slowest, kMaxSeconds) << slowest_file;
  std::printf("%d imported, %d refused, slowest %.3f s (%s)\n", imported, refused, slowest, slowest_file.c_str());
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_CLIENT_FIXTURE_IMPORTS_H_
