// A table source without tables: for checks that name no target, and for modules that a test registers itself.
#ifndef QUANTGATE_TESTS_RULES_EMPTY_TABLES_H_
#define QUANTGATE_TESTS_RULES_EMPTY_TABLES_H_

#include <string>
#include <vector>

#include "db/table_source.h"

namespace quantgate::testing {

class EmptyTables : public db::TableSource {
 public:
  const std::string& digest() const override { return digest_; }
  const std::vector<db::TableInfo>& tables() const override { return tables_; }
  absl::StatusOr<db::ConstraintTable> LoadTable(const std::string&, const std::string&) const override {
    return absl::NotFoundError("no tables");
  }
  absl::StatusOr<std::vector<db::OpDefinition>> LoadDefinitions(const std::string&, const std::string&) const override {
    return absl::NotFoundError("no tables");
  }
  const std::vector<db::Soc>& socs() const override { return socs_; }

 private:
  std::string digest_ = "none";
  std::vector<db::TableInfo> tables_;
  std::vector<db::Soc> socs_;
};

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_EMPTY_TABLES_H_
