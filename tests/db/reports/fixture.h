// Reports for tests of the store, and the databases that it runs on.
#ifndef QUANTGATE_TESTS_DB_REPORTS_FIXTURE_H_
#define QUANTGATE_TESTS_DB_REPORTS_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/reports/report_store.h"

namespace quantgate::db {

// An empty database. Its store can be opened several times, also at once.
class TestDatabase {
 public:
  virtual ~TestDatabase() = default;
  virtual std::string Address() const = 0;
  virtual void Sql(const std::string& sql) = 0;
};

struct DatabaseKind {
  const char* name;
  // Null: not possible here, for `reason`.
  std::unique_ptr<TestDatabase> (*make)(std::string& reason);
};
inline void PrintTo(const DatabaseKind& kind, std::ostream* out) { *out << kind.name; }
std::unique_ptr<TestDatabase> MakeSqliteDatabase(std::string& reason);
std::unique_ptr<TestDatabase> MakePostgresDatabase(std::string& reason);

// Runs on every kind of database.
class ReportStoreTest : public ::testing::TestWithParam<DatabaseKind> {
 protected:
  void SetUp() override {
    std::string reason;
    database_ = GetParam().make(reason);
    if (database_ == nullptr) GTEST_SKIP() << reason;
  }

  std::unique_ptr<ReportStore> Open() {
    auto store = OpenReportStore(database_->Address());
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }

  std::unique_ptr<TestDatabase> database_;
};

inline v1::Result MakeResult(const std::string& target, v1::Result::Verdict verdict,
                             std::vector<std::string> codes = {}) {
  v1::Result result;
  result.set_target(target);
  result.set_verdict(verdict);
  for (const std::string& code : codes) {
    v1::Finding& finding = *result.add_findings();
    finding.set_code(code);
    finding.set_severity(v1::Finding::ERROR);
  }
  result.mutable_outcome()->set_kind(v1::Outcome::FULL);
  result.mutable_outcome()->add_nodes()->set_node("n");
  result.add_not_checked()->set_reason("r");
  return result;
}

inline v1::Report MakeReport(const std::string& path, std::vector<v1::Result> results) {
  v1::Report report;
  report.mutable_model()->set_path(path);
  report.mutable_model()->set_sha256("sha-" + path);
  report.set_graph_digest("digest-" + path);
  report.set_mode(v1::Report::STRICT);
  for (v1::Result& result : results) *report.add_results() = std::move(result);
  return report;
}

inline std::vector<std::string> PathsOf(const ReportPage& page) {
  std::vector<std::string> paths;
  for (const v1::Report& report : page.reports) paths.push_back(report.model().path());
  return paths;
}

inline std::vector<std::string> ListPaths(ReportStore& store, const std::string& filter) {
  ReportQuery query;
  query.filter = filter;
  auto page = store.List(query);
  EXPECT_TRUE(page.ok()) << page.status();
  return page.ok() ? PathsOf(*page) : std::vector<std::string>{"error"};
}

// Filters of every shape: each field alone and with each other one, what has an index and what has none.
std::vector<std::string> ManyFilters();

}  // namespace quantgate::db

#endif  // QUANTGATE_TESTS_DB_REPORTS_FIXTURE_H_
