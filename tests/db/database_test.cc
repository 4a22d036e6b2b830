#include "db/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "db/schema.h"
#include "db/seal.h"
#include "db/sqlite.h"

namespace quantgate::db {
namespace {

using testing::HasSubstr;

std::string ShippedPath() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "quantgate-tables.sqlite";
}

std::string ShippedBytes() {
  std::ifstream file(ShippedPath(), std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string WriteTemp(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

std::string OpenError(const std::string& path) {
  const auto database = Database::Open(path);
  EXPECT_FALSE(database.ok());
  EXPECT_THAT(std::string(database.status().message()), HasSubstr(path));
  return std::string(database.status().message());
}

// A copy of the shipped file after some SQL.
std::string Changed(const std::string& name, const std::string& sql) {
  const std::string path = WriteTemp(name, ShippedBytes());
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  return path;
}

// ... and with a digest that matches: what a deliberate forger would write.
std::string Forged(const std::string& name, const std::string& sql) {
  const std::string path = Changed(name, sql);
  sqlite3* raw = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  {
    const SqliteHandle handle(raw);
    const auto digest = ContentDigest(raw);
    EXPECT_TRUE(digest.ok()) << digest.status();
    EXPECT_TRUE(Statement(raw, "UPDATE digest SET sha256=?, seal=?").Bind(*digest).Bind(kUnsealed).Run().ok());
  }
  EXPECT_TRUE(SealFile(path).ok());
  return path;
}

TEST(Open, RefusesWhatIsNotThere) {
  const auto database = Database::Open("/nonexistent/tables.sqlite");
  EXPECT_EQ(database.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(database.status().message()), HasSubstr("/nonexistent/tables.sqlite"));
  EXPECT_THAT(OpenError("/proc/self"), HasSubstr("not a regular file"));
}

TEST(Open, RefusesOtherFiles) {
  OpenError(WriteTemp("empty.sqlite", ""));
  OpenError(WriteTemp("text.sqlite", std::string(5000, 'x')));
  EXPECT_THAT(OpenError(Changed("other.sqlite", "PRAGMA application_id=1")), HasSubstr("not a constraint database"));
  EXPECT_THAT(OpenError(Changed("newer.sqlite", "PRAGMA user_version=99")), HasSubstr("schema version 99"));
}

TEST(Open, RefusesATruncatedFile) {
  const std::string bytes = ShippedBytes();
  ASSERT_GT(bytes.size(), 8192u);
  for (const size_t size :
       {size_t{1}, size_t{50}, size_t{100}, size_t{4096}, bytes.size() / 2, bytes.size() - 4096, bytes.size() - 1}) {
    OpenError(WriteTemp("truncated.sqlite", bytes.substr(0, size)));
  }
}

TEST(Open, RefusesAnotherSchema) {
  EXPECT_THAT(OpenError(Changed("view.sqlite", "CREATE VIEW extra AS SELECT 1")), HasSubstr("schema"));
  EXPECT_THAT(OpenError(Changed("trigger.sqlite", "CREATE TRIGGER t AFTER INSERT ON ops BEGIN SELECT 1; END")),
              HasSubstr("schema"));
  EXPECT_THAT(OpenError(Changed("missing.sqlite", "DROP TABLE digest")), HasSubstr("missing"));
  EXPECT_THAT(OpenError(Changed("column.sqlite", "ALTER TABLE socs ADD COLUMN more TEXT")), HasSubstr("schema"));
}

TEST(Open, RefusesChangedContent) {
  for (const char* sql :
       {"UPDATE dtype_rows SET configuration='INT4' WHERE op='Conv2d' AND row=1",
        "DELETE FROM items WHERE op='Conv2d' AND item=1", "UPDATE socs SET arch=89 WHERE id=30",
        "UPDATE digest SET sha256='00'", "UPDATE digest SET seal='00'", "INSERT INTO ops VALUES(1,'Extra',-1)"}) {
    EXPECT_THAT(OpenError(Changed("changed.sqlite", sql)), HasSubstr("digest")) << sql;
  }
  EXPECT_THAT(OpenError(Changed("nodigest.sqlite", "DELETE FROM digest")), HasSubstr("no digest"));
}

TEST(Open, RefusesAnyChangedByte) {
  const std::string bytes = ShippedBytes();
  ASSERT_TRUE(Database::Open(ShippedPath()).ok());
  for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 400) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x21);
    EXPECT_FALSE(Database::Open(WriteTemp("byte.sqlite", changed)).ok()) << at;
  }
}

// Sealed again, with other rows under the digest that was there, or a digest that is none.
TEST(CheckContent, FindsRowsOfAnotherDigest) {
  const auto sealed = [](const std::string& name, const std::string& sql) {
    const std::string path = Changed(name, sql + "; UPDATE digest SET seal='" + std::string(kUnsealed) + "'");
    EXPECT_TRUE(SealFile(path).ok());
    return path;
  };
  const auto original = Database::Open(ShippedPath());
  ASSERT_TRUE(original.ok());
  EXPECT_TRUE((*original)->CheckContent().ok());
  const auto forged = Database::Open(sealed("claimed.sqlite", "UPDATE socs SET arch=89 WHERE id=30"));
  ASSERT_TRUE(forged.ok()) << forged.status();
  EXPECT_EQ((*forged)->digest(), (*original)->digest());
  EXPECT_EQ((*forged)->CheckContent().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(OpenError(sealed("none.sqlite", "UPDATE digest SET sha256='00'")), HasSubstr("digest"));
}

TEST(LoadTable, RefusesForgedRows) {
  const auto load = [](const std::string& path) {
    const auto database = Database::Open(path);
    EXPECT_TRUE(database.ok()) << database.status();
    return std::string((*database)->LoadTable("qnn_htp", "2.25.0").status().message());
  };
  EXPECT_THAT(load(Forged("type.sqlite", "UPDATE dtype_row_ports SET types='FLOAT_17' WHERE op='Conv2d' AND row=1")),
              HasSubstr("unknown element type \"FLOAT_17\""));
  const std::string table = " AND tbl=(SELECT id FROM tables WHERE backend='qnn_htp' AND sdk='2.25.0')";
  EXPECT_THAT(load(Forged("stray.sqlite", "UPDATE dtype_rows SET op='Nothing' WHERE op='Conv2d' AND row=1" + table)),
              HasSubstr("stray row"));
  EXPECT_THAT(load(Forged("port.sqlite", "UPDATE dtype_row_ports SET row=99999 WHERE op='Conv2d' AND row=1" + table)),
              HasSubstr("stray row port"));
  EXPECT_THAT(load(Forged("item.sqlite", "UPDATE predicates SET item=0 WHERE op='Conv2d' AND item=1" + table)),
              HasSubstr("stray predicate"));
  EXPECT_THAT(load(Forged("evidence.sqlite", "UPDATE items SET evidence='?' WHERE op='Conv2d'")),
              HasSubstr("unknown evidence"));
}

TEST(LoadTable, NamesWhatThereIsWhenThereIsNone) {
  const auto database = Database::OpenDefault();
  ASSERT_TRUE(database.ok()) << database.status();
  for (const auto& [backend, sdk] : {std::pair{"qnn_htp", "2.25"}, {"qnn_htp", "9.9"}, {"qnn_gpu", "2.25.0"}}) {
    const auto table = (*database)->LoadTable(backend, sdk);
    EXPECT_EQ(table.status().code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(table.status().message()), HasSubstr("qnn_htp@2.25.0"));
  }
  EXPECT_EQ((*database)->LoadDefinitions("qnn_htp", "2.25.0").status().code(), absl::StatusCode::kNotFound);
  // Definitions are operators that no constraint is known for.
  const auto definitions = (*database)->LoadTable("qnn_master", "2.25.0");
  ASSERT_TRUE(definitions.ok());
  EXPECT_EQ(definitions->ops.size(), 151u);
  EXPECT_TRUE(definitions->ops[0].rows.empty());
}

TEST(LoadTable, SixtyFourThreadsAtOnce) {
  const auto database = Database::OpenDefault();
  ASSERT_TRUE(database.ok()) << database.status();
  std::vector<size_t> rows(64);
  std::vector<std::thread> threads;
  for (size_t& count : rows) {
    threads.emplace_back([&] {
      const auto table = (*database)->LoadTable("qnn_htp", "2.25.0");
      if (!table.ok()) return;
      for (const OpConstraints& op : table->ops) count += op.rows.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(rows, testing::Each(1086u));
}

TEST(OpenDefault, FollowsTheEnvironment) {
  const std::string odd = WriteTemp("odd name?#%41.sqlite", ShippedBytes());
  ASSERT_EQ(setenv("QUANTGATE_TABLES", odd.c_str(), 1), 0);
  EXPECT_TRUE(Database::OpenDefault().ok());
  ASSERT_EQ(setenv("QUANTGATE_TABLES", "/nonexistent", 1), 0);
  EXPECT_EQ(Database::OpenDefault().status().code(), absl::StatusCode::kNotFound);
  ASSERT_EQ(unsetenv("QUANTGATE_TABLES"), 0);
  EXPECT_TRUE(Database::OpenDefault().ok());
}

TEST(ElementTypeName, IsUniqueAndReadsBack) {
  std::set<absl::string_view> names;
  for (int type = v1::DataType_MIN + 1; type <= v1::DataType_MAX; ++type) {
    for (const bool quantized : {false, true}) {
      const ElementType element{static_cast<v1::DataType>(type), quantized};
      const absl::string_view name = ElementTypeName(element);
      EXPECT_NE(name, "UNKNOWN") << type;
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(ElementTypeFromName(name), element) << name;
    }
  }
  EXPECT_EQ(ElementTypeName({v1::DATA_TYPE_UINT8, true}), "UFIXED_POINT_8");
  EXPECT_EQ(ElementTypeName({v1::DATA_TYPE_UINT8, false}), "UINT_8");
  EXPECT_EQ(ElementTypeName({v1::DATA_TYPE_BOOL, false}), "BOOL_8");
  EXPECT_EQ(ElementTypeName({}), "UNKNOWN");
  EXPECT_EQ(ElementTypeName({static_cast<v1::DataType>(1000), false}), "UNKNOWN");
  EXPECT_EQ(ElementTypeFromName("UNKNOWN"), std::nullopt);
  EXPECT_EQ(ElementTypeFromName("ufixed_point_8"), std::nullopt);
  EXPECT_EQ(ElementTypeFromName(""), std::nullopt);
}

}  // namespace
}  // namespace quantgate::db
