#include "tests/db/reports/postgres_cluster.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"

// libpqxx 6.4 asks a connection for its encoding before it takes over a result: when the connection has just broken, it
// throws and loses the result. LeakSanitizer reads this; not every frame of the library has a name.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx\n"; }

namespace quantgate::db {
namespace {

std::string FindPrograms() {
  std::error_code ignored;
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string programs = (entry.path() / "bin").string();
    if (access((programs + "/initdb").c_str(), X_OK) == 0 && programs > newest) newest = programs;
  }
  return newest;
}

}  // namespace

PostgresCluster* PostgresCluster::Get(std::string& reason) {
  struct Started {
    std::unique_ptr<PostgresCluster> cluster;
    std::string reason;
  };
  static const Started started = [] {
    Started result;
    std::unique_ptr<PostgresCluster> cluster(new PostgresCluster);
    cluster->programs_ = FindPrograms();
    if (cluster->programs_.empty()) {
      result.reason = "PostgreSQL is not installed";
      return result;
    }
    // Short: a socket's path has at most 107 bytes.
    std::string pattern = "/tmp/qg_pg_XXXXXX";
    cluster->folder_ = mkdtemp(pattern.data());
    // initdb refuses root; the package brings a user.
    if (geteuid() == 0 && system(("chown postgres " + cluster->folder_).c_str()) != 0) {
      result.reason = "there is no user postgres";
      return result;
    }
    if (!cluster->Run(absl::StrCat("initdb --no-sync --auth=trust --username=quantgate --encoding=UTF8 --locale=C ",
                                   cluster->folder_, "/data")) ||
        !cluster->Start()) {
      result.reason = "PostgreSQL does not start";
      return result;
    }
    result.cluster = std::move(cluster);
    return result;
  }();
  reason = started.reason;
  return started.cluster.get();
}

PostgresCluster::~PostgresCluster() {
  Stop();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

bool PostgresCluster::Run(const std::string& arguments) const {
  const char* user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : "";
  return system(absl::StrCat("cd / && ", user, programs_, "/", arguments, " >> ", folder_, "/log 2>&1").c_str()) == 0;
}

bool PostgresCluster::Start() {
  // The socket's folder keeps clusters apart: no port of the machine is taken.
  return Run(absl::StrCat("pg_ctl start -w -D ", folder_, "/data -l ", folder_, "/data/server.log -o '-k ", folder_,
                          " -c listen_addresses= -c fsync=off'"));
}

void PostgresCluster::Stop() { (void)Run(absl::StrCat("pg_ctl stop -m immediate -D ", folder_, "/data")); }

std::string PostgresCluster::CreateDatabase() {
  const std::string name = absl::StrCat("test_", ++databases_);
  return Sql("postgres", "CREATE DATABASE " + name) ? name : "postgres";
}

std::string PostgresCluster::Address(const std::string& database) const {
  return absl::StrCat("postgresql:///", database, "?host=", folder_, "&user=quantgate");
}

bool PostgresCluster::Sql(const std::string& database, const std::string& sql) const {
  std::string quoted;
  for (const char c : sql) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return Run(
      absl::StrCat("psql -q -v ON_ERROR_STOP=1 -h ", folder_, " -U quantgate -d ", database, " -c '", quoted, "'"));
}

}  // namespace quantgate::db
