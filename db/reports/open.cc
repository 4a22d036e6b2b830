#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "db/reports/postgres_session.h"
#include "db/reports/report_store.h"
#include "db/reports/schema.h"
#include "db/reports/sql_store.h"
#include "db/reports/sqlite_session.h"

namespace quantgate::db {
namespace {

// No read takes long, and others wait for the session.
constexpr absl::Duration kReadPatience = absl::Seconds(21);

struct SqliteOptions {
  bool read_only = false;
  int64_t max_bytes = 0;  // 0: no limit of its own
};

// Of a store without reports. A smaller limit would stop nothing but the first report.
absl::StatusOr<int64_t> EmptyBytes() {
  using reports::SqliteSession;
  absl::StatusOr<std::unique_ptr<SqliteSession>> session =
      SqliteSession::Open(":memory:", SqliteSession::Mode::kReadWrite);
  if (!session.ok()) return session.status();
  if (absl::Status status = reports::PrepareSchema(**session); !status.ok()) return status;
  const absl::StatusOr<reports::Answer> answer =
      (*session)->Run("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", {});
  if (!answer.ok()) return answer.status();
  return answer->rows.at(0).Int(0);
}

absl::Status CheckMaxBytes(int64_t max_bytes) {
  const absl::StatusOr<int64_t> least = EmptyBytes();
  if (!least.ok()) return least.status();
  if (max_bytes >= *least) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("store: max_bytes=", max_bytes, " is less than a store without reports has; the least is ", *least));
}

absl::StatusOr<std::unique_ptr<ReportStore>> OpenSqlite(const std::string& path, const SqliteOptions& options,
                                                        StoreUse use) {
  using reports::SqliteSession;
  const SqliteSession::Mode mode = options.read_only ? SqliteSession::Mode::kReadOnly : SqliteSession::Mode::kReadWrite;
  absl::StatusOr<std::unique_ptr<SqliteSession>> writer = SqliteSession::Open(path, mode);
  if (!writer.ok()) return writer.status();
  absl::Status status = reports::PrepareSchema(**writer, use == StoreUse::kChange);
  if (status.ok() && use == StoreUse::kChange) status = (*writer)->Configure(options.max_bytes);
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<SqliteSession>> reader = SqliteSession::Open(path, SqliteSession::Mode::kReadOnly);
  if (!reader.ok()) return reader.status();
  return MakeSqlStore(*std::move(writer), *std::move(reader));
}

absl::StatusOr<std::unique_ptr<ReportStore>> OpenPostgres(const std::string& url, StoreUse use) {
  absl::StatusOr<std::unique_ptr<reports::Session>> writer = reports::OpenPostgresSession(url);
  if (!writer.ok()) return writer.status();
  absl::Status status = reports::PrepareSchema(**writer, use == StoreUse::kChange);
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<reports::Session>> reader = reports::OpenPostgresSession(url, kReadPatience);
  if (!reader.ok()) return reader.status();
  return MakeSqlStore(*std::move(writer), *std::move(reader));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReportStore>> OpenReportStore(const std::string& address, StoreUse use) {
  if (address == "none") return nullptr;
  if (absl::StartsWith(address, "postgresql://") || absl::StartsWith(address, "postgres://")) {
    return OpenPostgres(address, use);
  }
  absl::string_view rest = address;
  if (!absl::ConsumePrefix(&rest, "sqlite:")) {
    return absl::InvalidArgumentError(
        absl::StrCat("store: '", address, "' is none of sqlite:PATH, postgresql://... and none"));
  }
  const std::pair<std::string, std::string> parts = absl::StrSplit(rest, absl::MaxSplits('?', 1));
  const std::string& path = parts.first;
  if (path.empty()) return absl::InvalidArgumentError("store: sqlite: needs a path, sqlite:reports.db");
  if (path == ":memory:" || absl::StartsWith(path, "file:")) {
    return absl::InvalidArgumentError(absl::StrCat("store: '", path, "' is not the path of a file"));
  }
  std::error_code ignored;  // what cannot be looked at is said when it is opened
  const std::filesystem::file_status file = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file)) {
    return absl::InvalidArgumentError(absl::StrCat("store: '", path, "' is not the path of a file"));
  }
  SqliteOptions options;
  for (absl::string_view parameter : absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(parameter, absl::MaxSplits('=', 1));
    if (pair.first == "mode" && (pair.second == "ro" || pair.second == "rw")) {
      options.read_only = pair.second == "ro";
    } else if (pair.first == "max_bytes" && absl::SimpleAtoi(pair.second, &options.max_bytes) &&
               options.max_bytes > 0) {
      continue;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("store: '", parameter, "' is none of mode=ro, mode=rw and max_bytes=N"));
    }
  }
  if (options.max_bytes > 0) {
    if (absl::Status status = CheckMaxBytes(options.max_bytes); !status.ok()) return status;
  }
  return OpenSqlite(path, options, use);
}

std::string StoreFile(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, "sqlite:")) return "";
  return std::string(address.substr(0, address.find('?')));
}

}  // namespace quantgate::db
