#include "db/database.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "db/schema.h"
#include "db/sdk_version.h"
#include "db/seal.h"
#include "db/sqlite.h"

namespace quantgate::db {
namespace {

constexpr absl::string_view kFileName = "quantgate-tables.sqlite";
// Ours has 2 MB; anything beyond this is not a constraint database.
constexpr int64_t kMaxFileBytes = 64 << 20;
constexpr int kMaxValueBytes = 1 << 20;

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("constraint database ", path, ": ", status.message()));
}

absl::Status Damaged(absl::string_view what) { return absl::DataLossError(what); }

absl::Status CheckFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return absl::NotFoundError(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return Damaged("not a regular file");
  if (info.st_size > kMaxFileBytes) return Damaged("larger than 64 MB");
  return absl::OkStatus();
}

absl::StatusOr<SqliteHandle> OpenHandle(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(ImmutableUri(path).c_str(), &raw,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteHandle handle(raw);
  if (code != SQLITE_OK) return absl::UnavailableError(sqlite3_errstr(code));
  // The schema comes from a file that may be hostile: nothing in it runs, and no value is larger than any of ours.
  sqlite3_db_config(handle.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle.get(), SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  // Everything is read once or twice, from end to end: the whole file as pages in memory would serve nobody.
  sqlite3_exec(handle.get(), "PRAGMA cache_size = -128", nullptr, nullptr, nullptr);
  return handle;
}

absl::StatusOr<int64_t> Pragma(sqlite3* handle, absl::string_view name) {
  Statement statement(handle, absl::StrCat("PRAGMA ", name));
  if (statement.Next()) return statement.Int(0);
  return statement.status().ok() ? Damaged("no answer to a pragma") : statement.status();
}

absl::Status CheckSchema(sqlite3* handle) {
  const auto application = Pragma(handle, "application_id");
  if (!application.ok()) return application.status();
  if (*application != kApplicationId) return Damaged("not a constraint database");
  const auto version = Pragma(handle, "user_version");
  if (!version.ok()) return version.status();
  if (*version != kSchemaVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("schema version ", *version, ", this program reads version ", kSchemaVersion));
  }
  size_t seen = 0;
  Statement objects(handle, "SELECT name, sql FROM sqlite_schema ORDER BY rowid");
  while (objects.Next()) {
    if (seen == Schema().size() || objects.Text(0) != Schema()[seen].name || objects.Text(1) != Schema()[seen].sql) {
      return Damaged("its schema is not the one this program writes");
    }
    ++seen;
  }
  if (!objects.status().ok()) return objects.status();
  return seen == Schema().size() ? absl::OkStatus() : Damaged("tables are missing");
}

// The stored digest, of a file that is as it was written.
absl::StatusOr<std::string> CheckDigest(sqlite3* handle, const std::string& path) {
  Statement stored(handle, "SELECT sha256, seal FROM digest");
  if (!stored.Next()) return stored.status().ok() ? Damaged("no digest") : stored.status();
  if (auto status = CheckSeal(path, stored.Text(1)); !status.ok()) return status;
  std::string digest(stored.Text(0));
  constexpr size_t kDigits = 64;
  if (digest.size() != kDigits || digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return Damaged("its digest is not one: 64 hexadecimal digits");
  }
  return digest;
}

absl::StatusOr<Evidence> ParseEvidence(absl::string_view text) {
  if (text == "documented") return Evidence::kDocumented;
  if (text == "measured") return Evidence::kMeasured;
  return Damaged(absl::StrCat("unknown evidence \"", text, "\""));
}

struct TableKey {
  int64_t id = 0;
  int64_t document = 0;
  std::string evidence;
};

// What the rows of one table need beside the row: operators by name, sources by id.
class TableLoader {
 public:
  TableLoader(sqlite3* handle, TableKey key, ConstraintTable& table)
      : handle_(handle), key_(std::move(key)), table_(table) {}

  absl::Status Load() {
    for (auto step : {&TableLoader::LoadOps, &TableLoader::LoadRows, &TableLoader::LoadRowPorts,
                      &TableLoader::LoadItems, &TableLoader::LoadPredicates}) {
      if (auto status = (this->*step)(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // Rows come in the order of operators: look ahead only. Null: not an operator of the table.
  OpConstraints* Find(absl::string_view op) {
    for (size_t i = 0; i < table_.ops.size(); ++i, ++current_) {
      if (current_ >= table_.ops.size()) current_ = 0;
      if (table_.ops[current_].op == op) return &table_.ops[current_];
    }
    return nullptr;
  }

  absl::Status LoadOps() {
    Statement rows(handle_, "SELECT op, operation FROM ops WHERE tbl=? ORDER BY op");
    rows.Bind(key_.id);
    while (rows.Next()) {
      OpConstraints& op = table_.ops.emplace_back();
      op.op = std::string(rows.Text(0));
      op.operation = static_cast<int>(rows.Int(1));
    }
    return rows.status();
  }

  template <typename Entry>
  absl::Status ReadOrigin(const Statement& rows, int column, Entry& entry) {
    entry.archs = {static_cast<int>(rows.Int(column)), static_cast<int>(rows.Int(column + 1))};
    const auto evidence = ParseEvidence(rows.Text(column + 2));
    if (!evidence.ok()) return evidence.status();
    entry.evidence = *evidence;
    if (rows.Int(column + 3) != key_.document) entry.source = std::string(rows.Text(column + 4));
    return absl::OkStatus();
  }

  absl::Status LoadRows() {
    Statement rows(handle_,
                   "SELECT op, row, configuration, arch_min, arch_max, evidence, source, text FROM dtype_rows"
                   " JOIN sources ON sources.id = source WHERE tbl=? ORDER BY op, row");
    rows.Bind(key_.id);
    while (rows.Next()) {
      OpConstraints* op = Find(rows.Text(0));
      if (op == nullptr || rows.Int(1) != static_cast<int64_t>(op->rows.size()) + 1) return Damaged("stray row");
      DtypeRow& row = op->rows.emplace_back();
      row.ordinal = static_cast<int>(rows.Int(1));
      row.configuration = std::string(rows.Text(2));
      if (auto status = ReadOrigin(rows, 3, row); !status.ok()) return status;
    }
    return rows.status();
  }

  absl::Status LoadRowPorts() {
    Statement rows(handle_, "SELECT op, row, port, types FROM dtype_row_ports WHERE tbl=? ORDER BY op, row, position");
    rows.Bind(key_.id);
    while (rows.Next()) {
      OpConstraints* op = Find(rows.Text(0));
      const int64_t row = rows.Int(1);
      if (op == nullptr || row < 1 || row > static_cast<int64_t>(op->rows.size())) return Damaged("stray row port");
      PortTypes& port = op->rows[static_cast<size_t>(row - 1)].ports.emplace_back();
      port.port = std::string(rows.Text(2));
      for (absl::string_view name : absl::StrSplit(rows.Text(3), ',')) {
        const auto type = ElementTypeFromName(name);
        if (!type) return Damaged(absl::StrCat("unknown element type \"", name, "\""));
        port.types.push_back(*type);
      }
    }
    return rows.status();
  }

  absl::Status LoadItems() {
    Statement rows(
        handle_,
        "SELECT op, item, configuration, port, ordinal, summary, arch_min, arch_max, evidence, source, text, effect"
        " FROM items JOIN sources ON sources.id = source WHERE tbl=? ORDER BY op, item");
    rows.Bind(key_.id);
    while (rows.Next()) {
      OpConstraints* op = Find(rows.Text(0));
      if (op == nullptr || rows.Int(1) != static_cast<int64_t>(op->items.size()) + 1) return Damaged("stray item");
      Item& item = op->items.emplace_back();
      item.configuration = std::string(rows.Text(2));
      item.port = std::string(rows.Text(3));
      item.ordinal = static_cast<int>(rows.Int(4));
      item.summary = rows.Int(5) != 0;
      const auto effect = ItemEffectFromName(rows.Text(11));
      if (!effect) return Damaged(absl::StrCat("unknown effect \"", rows.Text(11), "\""));
      item.effect = *effect;
      if (auto status = ReadOrigin(rows, 6, item); !status.ok()) return status;
    }
    return rows.status();
  }

  absl::Status LoadPredicates() {
    Statement rows(handle_, "SELECT op, item, kind, args FROM predicates WHERE tbl=? ORDER BY op, item, position");
    rows.Bind(key_.id);
    while (rows.Next()) {
      OpConstraints* op = Find(rows.Text(0));
      const int64_t item = rows.Int(1);
      if (op == nullptr || item < 1 || item > static_cast<int64_t>(op->items.size())) return Damaged("stray predicate");
      Predicate& predicate = op->items[static_cast<size_t>(item - 1)].predicates.emplace_back();
      predicate.kind = std::string(rows.Text(2));
      for (absl::string_view word : absl::StrSplit(rows.Text(3), ' ', absl::SkipEmpty())) {
        const std::pair<std::string, std::string> arg = absl::StrSplit(word, absl::MaxSplits('=', 1));
        predicate.args.push_back(arg);
      }
    }
    return rows.status();
  }

  sqlite3* handle_;
  TableKey key_;
  ConstraintTable& table_;
  size_t current_ = 0;
};

std::string ExecutableDirectory() {
  char buffer[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", buffer, sizeof(buffer));
  if (size <= 0) return "";
  const std::string path(buffer, static_cast<size_t>(size));
  return path.substr(0, path.rfind('/'));
}

std::string NamedTables() {
  const char* named = std::getenv("QUANTGATE_TABLES");
  return named == nullptr ? "" : named;
}

std::vector<std::string> InstalledTables() {
  const std::string directory = ExecutableDirectory();
  return {absl::StrCat(directory, "/", kFileName), absl::StrCat(directory, "/../share/quantgate/", kFileName)};
}

}  // namespace

struct Database::Impl {
  std::string path;
  std::string digest;
  std::vector<TableInfo> tables;
  std::vector<Soc> socs;
  mutable std::mutex mutex;
  SqliteHandle handle;  // guarded by mutex

  absl::Status LoadCatalog() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Statement rows(handle.get(),
                   "SELECT kind, backend, sdk, text, ops, rows, items FROM tables JOIN sources ON sources.id = source"
                   " WHERE kind != 'socs'");
    while (rows.Next()) {
      TableInfo& info = tables.emplace_back();
      info.definitions = rows.Text(0) == "definitions";
      info.backend = std::string(rows.Text(1));
      info.sdk = std::string(rows.Text(2));
      info.document = std::string(rows.Text(3));
      info.ops = static_cast<int>(rows.Int(4));
      info.rows = static_cast<int>(rows.Int(5));
      info.items = static_cast<int>(rows.Int(6));
    }
    std::sort(tables.begin(), tables.end(), [](const TableInfo& a, const TableInfo& b) {
      return a.backend != b.backend ? a.backend < b.backend : SdkVersionLess(a.sdk, b.sdk);
    });
    return rows.status();
  }

  absl::Status LoadSocs() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Statement rows(handle.get(), "SELECT id, name, arch, kernels, vtcm_mb, aliases, has_float FROM socs ORDER BY id");
    while (rows.Next()) {
      Soc& soc = socs.emplace_back();
      soc.id = static_cast<int>(rows.Int(0));
      soc.name = std::string(rows.Text(1));
      soc.arch = static_cast<int>(rows.Int(2));
      soc.kernels = static_cast<int>(rows.Int(3));
      soc.vtcm_mb = static_cast<int>(rows.Int(4));
      soc.aliases = absl::StrSplit(rows.Text(5), ',', absl::SkipEmpty());
      soc.has_float = rows.Int(6) != 0;
    }
    return rows.status();
  }

  // NOT_FOUND with what there is.
  absl::StatusOr<TableKey> FindTable(const std::string& name, const std::string& sdk, absl::string_view kind) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Statement rows(handle.get(),
                   "SELECT id, source, kind, evidence FROM tables WHERE backend=? AND sdk=? AND kind != 'socs'");
    rows.Bind(name).Bind(sdk);
    while (rows.Next()) {
      if (kind.empty() || rows.Text(2) == kind) return TableKey{rows.Int(0), rows.Int(1), std::string(rows.Text(3))};
    }
    if (!rows.status().ok()) return InFile(path, rows.status());
    const std::string known = absl::StrJoin(tables, ", ", [](std::string* out, const TableInfo& info) {
      absl::StrAppend(out, info.backend, "@", info.sdk);
    });
    return absl::NotFoundError(absl::StrCat("no table ", name, "@", sdk, "; there are ", known));
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  if (auto status = CheckFile(path); !status.ok()) return InFile(path, status);
  auto handle = OpenHandle(path);
  if (!handle.ok()) return InFile(path, handle.status());
  if (auto status = CheckSchema(handle->get()); !status.ok()) return InFile(path, status);
  auto digest = CheckDigest(handle->get(), path);
  if (!digest.ok()) return InFile(path, digest.status());

  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->digest = *std::move(digest);
  {
    const std::lock_guard lock(impl->mutex);
    impl->handle = *std::move(handle);
    if (auto status = impl->LoadCatalog(); !status.ok()) return InFile(path, status);
    if (auto status = impl->LoadSocs(); !status.ok()) return InFile(path, status);
  }
  return std::unique_ptr<Database>(new Database(std::move(impl)));
}

absl::Status Database::CheckContent() const {
  const std::lock_guard lock(impl_->mutex);
  const auto digest = ContentDigest(impl_->handle.get());
  if (!digest.ok()) return InFile(impl_->path, digest.status());
  if (*digest != impl_->digest) return InFile(impl_->path, Damaged("its digest is not that of its content"));
  return absl::OkStatus();
}

std::string Database::DefaultPath() {
  if (std::string named = NamedTables(); !named.empty()) return named;
  for (const std::string& candidate : InstalledTables()) {
    if (access(candidate.c_str(), F_OK) == 0) return candidate;
  }
  return "";
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenDefault() {
  const std::string path = DefaultPath();
  if (path.empty()) {
    return absl::InternalError(absl::StrCat("no constraint database: looked for ",
                                            absl::StrJoin(InstalledTables(), " and "),
                                            "; QUANTGATE_TABLES can name one"));
  }
  auto opened = Open(path);
  if (!opened.ok() && NamedTables().empty()) return absl::InternalError(opened.status().message());
  return opened;
}

const std::string& Database::digest() const { return impl_->digest; }
const std::vector<TableInfo>& Database::tables() const { return impl_->tables; }
const std::vector<Soc>& Database::socs() const { return impl_->socs; }

absl::StatusOr<ConstraintTable> Database::LoadTable(const std::string& backend, const std::string& sdk) const {
  const std::lock_guard lock(impl_->mutex);
  const auto key = impl_->FindTable(backend, sdk, "");
  if (!key.ok()) return key.status();
  ConstraintTable table;
  table.backend = backend;
  table.sdk = sdk;
  for (const TableInfo& info : impl_->tables) {
    if (info.backend == backend && info.sdk == sdk) table.document = info.document;
  }
  const auto evidence = ParseEvidence(key->evidence);
  if (!evidence.ok()) return InFile(impl_->path, evidence.status());
  table.evidence = *evidence;
  auto status = TableLoader(impl_->handle.get(), *key, table).Load();
  if (!status.ok()) return InFile(impl_->path, status);
  return table;
}

absl::StatusOr<std::vector<OpDefinition>> Database::LoadDefinitions(const std::string& family,
                                                                    const std::string& sdk) const {
  const std::lock_guard lock(impl_->mutex);
  const auto key = impl_->FindTable(family, sdk, "definitions");
  if (!key.ok()) return key.status();
  std::vector<OpDefinition> definitions;
  Statement rows(impl_->handle.get(),
                 "SELECT op, role, name, mandatory, dtype, default_value, same_type_as FROM formals WHERE tbl=?"
                 " ORDER BY op, role, position");
  rows.Bind(key->id);
  while (rows.Next()) {
    if (definitions.empty() || definitions.back().op != rows.Text(0)) {
      definitions.emplace_back().op = std::string(rows.Text(0));
    }
    OpDefinition& definition = definitions.back();
    const absl::string_view role = rows.Text(1);
    auto& formals = role == "input" ? definition.inputs : role == "output" ? definition.outputs : definition.parameters;
    Formal& formal = formals.emplace_back();
    formal.name = std::string(rows.Text(2));
    formal.mandatory = rows.Int(3) != 0;
    formal.dtype = std::string(rows.Text(4));
    formal.default_value = std::string(rows.Text(5));
    formal.same_type_as = std::string(rows.Text(6));
  }
  if (!rows.status().ok()) return InFile(impl_->path, rows.status());
  return definitions;
}

}  // namespace quantgate::db
