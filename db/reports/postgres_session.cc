#include "db/reports/postgres_session.h"

#include <libpq-fe.h>

#include <chrono>
#include <exception>
#include <pqxx/pqxx>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "db/reports/socket_watch.h"

namespace quantgate::db::reports {
namespace {

// Of all programs that use the database, only this one locks it: "quantgat" in ASCII.
constexpr const char* kSchemaLock = "SELECT pg_advisory_xact_lock(8175264868497219956)";

using Clock = std::chrono::steady_clock;

// A connection that is refused later than that was waited for.
constexpr std::chrono::seconds kWaited(1);
constexpr std::chrono::seconds kSilence(5);

// Numbers that PostgreSQL gives to types, in every version (its pg_type.dat).
constexpr pqxx::oid kByteaType = 17;
constexpr pqxx::oid kIntTypes[] = {20, 21, 23};

absl::StatusCode CodeOf(absl::string_view state) {
  if (state == "23505" || state == "40001" || state == "40P01") return absl::StatusCode::kAborted;
  if (state == "53300" || state == "57014" || absl::StartsWith(state, "57P") || absl::StartsWith(state, "08")) {
    return absl::StatusCode::kUnavailable;
  }
  if (absl::StartsWith(state, "53") || absl::StartsWith(state, "54")) return absl::StatusCode::kResourceExhausted;
  if (state == "25006" || state == "42501") return absl::StatusCode::kFailedPrecondition;
  if (absl::StartsWith(state, "XX0")) return absl::StatusCode::kDataLoss;
  return absl::StatusCode::kInternal;
}

std::string Text(const Value& value) {
  if (const int64_t* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
  if (const absl::string_view* text = std::get_if<absl::string_view>(&value)) return std::string(*text);
  return absl::StrCat("\\x", absl::BytesToHexString(std::get<Blob>(value).bytes));
}

bool IsInt(pqxx::oid type) {
  for (const pqxx::oid candidate : kIntTypes) {
    if (type == candidate) return true;
  }
  return false;
}

Answer Read(const pqxx::result& result) {
  Answer answer;
  answer.changes = static_cast<int64_t>(result.affected_rows());
  for (const auto& row : result) {
    std::vector<std::variant<int64_t, std::string>> cells;
    for (const auto& field : row) {
      if (field.is_null()) {
        cells.emplace_back(int64_t{0});
      } else if (IsInt(field.type())) {
        cells.emplace_back(field.as<int64_t>());
      } else if (field.type() == kByteaType) {
        cells.emplace_back(pqxx::binarystring(field).str());
      } else {
        cells.emplace_back(std::string(field.c_str(), field.size()));
      }
    }
    answer.rows.emplace_back(std::move(cells));
  }
  return answer;
}

class PostgresSession final : public Session {
 public:
  PostgresSession(std::string url, std::string name, absl::Duration patience)
      : url_(std::move(url)), name_(std::move(name)), patience_(patience) {}
  ~PostgresSession() override { Rollback(); }

  absl::Status Execute(const std::string& script) override {
    return Guarded([&](pqxx::transaction_base& transaction) {
             transaction.exec(script);
             return Answer();
           })
        .status();
  }

  absl::StatusOr<Answer> Run(const std::string& sql, absl::Span<const Value> values) override {
    return Guarded([&](pqxx::transaction_base& transaction) {
      if (values.empty()) return Read(transaction.exec(sql));
      std::vector<std::string> texts;
      texts.reserve(values.size());
      for (const Value& value : values) texts.push_back(Text(value));
      return Read(transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(texts)));
    });
  }

  absl::Status Begin() override {
    // A connection that broke since the last transaction shows with its first statement.
    for (int attempt = 0;; ++attempt) {
      absl::Status status = Connect();
      if (!status.ok()) return status;
      status = Guarded([&](pqxx::transaction_base& transaction) { return Read(transaction.exec("SELECT 1")); },
                       [&] { work_ = std::make_unique<pqxx::work>(*connection_); })
                   .status();
      if (status.ok()) return status;
      Rollback();
      if (!absl::IsUnavailable(status) || attempt == 1) return status;
    }
  }

  absl::Status Commit() override {
    absl::Status status = Guarded([&](pqxx::transaction_base& transaction) {
                            transaction.commit();
                            return Answer();
                          }).status();
    if (status.ok()) work_.reset();
    return status;
  }

  void Rollback() override {
    if (work_ != nullptr) {
      const SocketWatch::Guard guard = Watch();
      work_.reset();
    }
    if (connection_ != nullptr && !connection_->is_open()) connection_.reset();
  }

  absl::Status LockSchema() override { return Run(kSchemaLock, {}).status(); }

  std::string Migration(absl::string_view script) const override {
    return absl::StrReplaceAll(
        script, {{"INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
                 {"INTEGER", "BIGINT"},
                 {"BLOB", "BYTEA"},
                 {" WITHOUT ROWID", ""}});
  }

  absl::StatusOr<bool> HasTables() override {
    return Exists("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1", {});
  }

  absl::StatusOr<bool> HasTable(const std::string& name) override {
    return Exists("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1",
                  {absl::string_view(name)});
  }

  const Dialect& dialect() const override {
    static constexpr Dialect kDialect = {" JOIN ", "", " FOR UPDATE"};
    return kDialect;
  }

  bool read_only() const override { return false; }
  const std::string& name() const override { return name_; }

  absl::Status Connect() {
    if (connection_ != nullptr && connection_->is_open()) return absl::OkStatus();
    work_.reset();
    connection_.reset();
    const Clock::time_point start = Clock::now();
    if (start < silent_until_) return Error(absl::StatusCode::kUnavailable, "the database does not answer");
    try {
      connection_ = std::make_unique<pqxx::connection>(url_);
      // By itself the library would connect again in the middle: without what is set here, and unwatched.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
      connection_->inhibit_reactivation(true);
#pragma GCC diagnostic pop
      const SocketWatch::Guard guard = Watch();
      pqxx::nontransaction setup(*connection_);
      // Whatever the server's defaults: what was acknowledged stays, and nothing waits forever.
      setup.exec(absl::StrCat("SET synchronous_commit = on; SET lock_timeout = '30s'; SET statement_timeout = ",
                              absl::ToInt64Milliseconds(patience_ * 6 / 7)));
      setup.commit();
      return absl::OkStatus();
    } catch (const std::exception& e) {
      connection_.reset();
      if (const Clock::time_point now = Clock::now(); now - start > kWaited) silent_until_ = now + kSilence;
      return Error(absl::StatusCode::kUnavailable, e.what());
    }
  }

 private:
  SocketWatch::Guard Watch() { return SocketWatch::Guard(watch_, connection_->sock(), patience_); }

  absl::StatusOr<bool> Exists(const std::string& sql, absl::Span<const Value> values) {
    absl::StatusOr<Answer> answer = Run(sql, values);
    if (!answer.ok()) return answer.status();
    return !answer->rows.empty();
  }

  absl::Status Error(absl::StatusCode code, absl::string_view message) const {
    std::vector<absl::string_view> lines = absl::StrSplit(message, '\n', absl::SkipWhitespace());
    for (absl::string_view& line : lines) line = absl::StripAsciiWhitespace(line);
    return absl::Status(code, absl::StrCat(name_, ": ", absl::StrJoin(lines, "; ")));
  }

  // `work` in the transaction that is open, else in one of its own, then again if the connection had broken before.
  template <typename Work>
  absl::StatusOr<Answer> Guarded(Work work) {
    if (work_ != nullptr) return Guarded(work, [] {});
    absl::StatusOr<Answer> answer;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (absl::Status status = Connect(); !status.ok()) return status;
      answer = Guarded(work, [] {});
      if (!absl::IsUnavailable(answer.status())) break;
    }
    return answer;
  }

  template <typename Work, typename Before>
  absl::StatusOr<Answer> Guarded(Work work, Before before) {
    try {
      const SocketWatch::Guard guard = Watch();
      before();
      if (work_ != nullptr) return work(*work_);
      pqxx::nontransaction transaction(*connection_);
      return work(transaction);
    } catch (const pqxx::sql_error& e) {
      const bool is_gone = !connection_->is_open();
      return Error(is_gone ? absl::StatusCode::kUnavailable : CodeOf(e.sqlstate()), e.what());
    } catch (const pqxx::broken_connection& e) {
      return Error(absl::StatusCode::kUnavailable, e.what());
    } catch (const pqxx::in_doubt_error& e) {
      return Error(absl::StatusCode::kUnavailable, e.what());
    } catch (const std::exception& e) {
      const bool is_gone = connection_ == nullptr || !connection_->is_open();
      return Error(is_gone ? absl::StatusCode::kUnavailable : absl::StatusCode::kInternal, e.what());
    }
  }

  const std::string url_;
  const std::string name_;
  const absl::Duration patience_;
  Clock::time_point silent_until_ = Clock::time_point::min();
  SocketWatch watch_;
  std::unique_ptr<pqxx::connection> connection_;
  std::unique_ptr<pqxx::work> work_;  // the transaction that is open; goes before its connection
};

// Host and database, and nothing that is secret. INVALID_ARGUMENT: not a connection URI.
absl::StatusOr<std::string> NameOf(const std::string& url) {
  char* error = nullptr;
  PQconninfoOption* options = PQconninfoParse(url.c_str(), &error);
  if (options == nullptr) {
    const std::string reason(absl::StripAsciiWhitespace(error == nullptr ? "out of memory" : error));
    PQfreemem(error);
    // Its message repeats the address, with the password that may be in it.
    return absl::InvalidArgumentError(
        absl::StrCat("store: not a connection URI of PostgreSQL: ", reason.substr(0, reason.find(": \""))));
  }
  std::string host, database;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (absl::string_view(option->keyword) == "host") host = option->val;
    if (absl::string_view(option->keyword) == "dbname") database = option->val;
  }
  PQconninfoFree(options);
  return absl::StrCat("report store postgresql://", absl::StartsWith(host, "/") ? "" : host, "/", database);
}

// A default of ours for what the address leaves open.
void AddDefault(std::string& url, absl::string_view name, absl::string_view value) {
  if (absl::StrContains(url, absl::StrCat(name, "="))) return;
  absl::StrAppend(&url, absl::StrContains(url, '?') ? "&" : "?", name, "=", value);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> OpenPostgresSession(const std::string& url, absl::Duration patience) {
  absl::StatusOr<std::string> name = NameOf(url);
  if (!name.ok()) return name.status();
  std::string complete = url;
  AddDefault(complete, "connect_timeout", "5");
  AddDefault(complete, "tcp_user_timeout", "15000");
  AddDefault(complete, "application_name", "quantgate");
  auto session = std::make_unique<PostgresSession>(std::move(complete), *std::move(name), patience);
  if (absl::Status status = session->Connect(); !status.ok()) return status;
  return session;
}

}  // namespace quantgate::db::reports
