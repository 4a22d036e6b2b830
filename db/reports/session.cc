#include "db/reports/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate::db::reports {

int64_t Row::Int(int column) const {
  const int64_t* number = std::get_if<int64_t>(&cells_[column]);
  return number == nullptr ? 0 : *number;
}

const std::string& Row::Bytes(int column) const {
  static const std::string& empty = *new std::string;
  const std::string* bytes = std::get_if<std::string>(&cells_[column]);
  return bytes == nullptr ? empty : *bytes;
}

absl::StatusOr<Transaction> Transaction::Begin(Session& session) {
  absl::Status status = session.Begin();
  if (!status.ok()) return status;
  return Transaction(&session);
}

Transaction::~Transaction() {
  if (session_ != nullptr) session_->Rollback();
}

absl::Status Transaction::Commit() {
  absl::Status status = session_->Commit();
  if (status.ok()) session_ = nullptr;
  return status;
}

absl::Status InsertRows(Session& session, const std::string& insert, absl::Span<const std::vector<Value>> rows,
                        const std::string& conflict) {
  // Powers of two: few different statements, which the session keeps prepared.
  constexpr size_t kMostRows = 64;
  while (!rows.empty()) {
    size_t count = kMostRows;
    while (count > rows.size()) count /= 2;
    std::string sql = absl::StrCat(insert, " VALUES ");
    std::vector<Value> values;
    for (const std::vector<Value>& row : rows.first(count)) {
      absl::StrAppend(&sql, values.empty() ? "(" : ", (");
      for (size_t i = 0; i < row.size(); ++i) {
        values.push_back(row[i]);
        absl::StrAppend(&sql, i == 0 ? "$" : ", $", values.size());
      }
      sql += ")";
    }
    absl::StatusOr<Answer> answer = session.Run(absl::StrCat(sql, " ", conflict), values);
    if (!answer.ok()) return answer.status();
    rows.remove_prefix(count);
  }
  return absl::OkStatus();
}

}  // namespace quantgate::db::reports
