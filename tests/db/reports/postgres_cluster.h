// A PostgreSQL of this program's own: data, socket and log in a temporary folder, gone when the program ends.
#ifndef QUANTGATE_TESTS_DB_POSTGRES_CLUSTER_H_
#define QUANTGATE_TESTS_DB_POSTGRES_CLUSTER_H_

#include <memory>
#include <string>

namespace quantgate::db {

class PostgresCluster {
 public:
  // Started on the first call, one for the whole program. Null: Debian's PostgreSQL is not installed, or it does not
  // start, for `reason`.
  static PostgresCluster* Get(std::string& reason);
  ~PostgresCluster();

  // An empty database of a new name.
  std::string CreateDatabase();
  // The store's address of a database.
  std::string Address(const std::string& database) const;
  // True: it succeeded.
  bool Sql(const std::string& database, const std::string& sql) const;

  // As a machine that fails and comes back: connections break, and nothing answers until Start.
  void Stop();
  bool Start();

 private:
  PostgresCluster() = default;
  // Runs one of PostgreSQL's programs as a user that may.
  bool Run(const std::string& arguments) const;

  std::string programs_;  // /usr/lib/postgresql/15/bin
  std::string folder_;
  int databases_ = 0;
};

}  // namespace quantgate::db

#endif  // QUANTGATE_TESTS_DB_POSTGRES_CLUSTER_H_
