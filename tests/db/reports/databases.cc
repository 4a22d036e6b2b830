#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>

#include "tests/db/reports/fixture.h"
#include "tests/db/reports/postgres_cluster.h"

namespace quantgate::db {
namespace {

class SqliteDatabase final : public TestDatabase {
 public:
  SqliteDatabase() {
    std::string pattern = (std::filesystem::temp_directory_path() / "reports_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~SqliteDatabase() override { std::filesystem::remove_all(folder_); }

  std::string Address() const override { return absl::StrCat("sqlite:", (folder_ / "reports.db").string()); }

  void Sql(const std::string& sql) override {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "reports.db").c_str(), &handle), SQLITE_OK);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << (error ? error : "");
    sqlite3_close(handle);
  }

 private:
  std::filesystem::path folder_;
};

class PostgresDatabase final : public TestDatabase {
 public:
  explicit PostgresDatabase(PostgresCluster& cluster) : cluster_(cluster), name_(cluster.CreateDatabase()) {}
  std::string Address() const override { return cluster_.Address(name_); }
  void Sql(const std::string& sql) override { EXPECT_TRUE(cluster_.Sql(name_, sql)) << sql; }

 private:
  PostgresCluster& cluster_;
  std::string name_;
};

}  // namespace

std::unique_ptr<TestDatabase> MakeSqliteDatabase(std::string&) { return std::make_unique<SqliteDatabase>(); }

std::unique_ptr<TestDatabase> MakePostgresDatabase(std::string& reason) {
  PostgresCluster* cluster = PostgresCluster::Get(reason);
  return cluster == nullptr ? nullptr : std::make_unique<PostgresDatabase>(*cluster);
}

}  // namespace quantgate::db
