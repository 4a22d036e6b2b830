// Stands in for the compiled database, so that the server's tests need none.
#include "db/database.h"
#include "tests/server/fake_engine.h"

namespace quantgate::db {

struct Database::Impl {
  fake::Tables tables;
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

absl::StatusOr<std::unique_ptr<Database>> Database::OpenDefault() {
  return std::unique_ptr<Database>(new Database(std::make_unique<Impl>()));
}
absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  return absl::NotFoundError("no database at " + path);
}
const std::string& Database::digest() const { return impl_->tables.digest(); }
const std::vector<TableInfo>& Database::tables() const { return impl_->tables.tables(); }
absl::StatusOr<ConstraintTable> Database::LoadTable(const std::string& backend, const std::string& sdk) const {
  return impl_->tables.LoadTable(backend, sdk);
}
absl::StatusOr<std::vector<OpDefinition>> Database::LoadDefinitions(const std::string& family,
                                                                    const std::string& sdk) const {
  return impl_->tables.LoadDefinitions(family, sdk);
}
const std::vector<Soc>& Database::socs() const { return impl_->tables.socs(); }

}  // namespace quantgate::db
