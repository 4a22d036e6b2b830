#include "db/compiler/compile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/schema.h"
#include "db/sdk_version.h"
#include "db/seal.h"
#include "db/sqlite.h"

namespace quantgate::db {
namespace {

const SourceHead& Head(const Source& source) {
  return std::visit([](const auto& s) -> const SourceHead& { return s.head; }, source);
}

bool Before(const Source* a, const Source* b) {
  if (a->index() != b->index()) return a->index() < b->index();
  if (Head(*a).name != Head(*b).name) return Head(*a).name < Head(*b).name;
  return SdkVersionLess(Head(*a).sdk, Head(*b).sdk);
}

absl::string_view EvidenceName(Evidence evidence) {
  return evidence == Evidence::kMeasured ? "measured" : "documented";
}

std::string ArgsText(const Predicate& predicate) {
  return absl::StrJoin(predicate.args, " ", absl::PairFormatter("="));
}

std::string TypesText(const std::vector<ElementType>& types) {
  return absl::StrJoin(types, ",",
                       [](std::string* out, ElementType type) { absl::StrAppend(out, ElementTypeName(type)); });
}

// One INSERT per database table, prepared once. Errors stick to the statements and are read at the end.
class Writer {
 public:
  explicit Writer(sqlite3* handle)
      : sources_(handle, "INSERT INTO sources VALUES(?,?)"),
        tables_(handle, "INSERT INTO tables VALUES(?,?,?,?,?,?,?,?,?,?)"),
        ops_(handle, "INSERT INTO ops VALUES(?,?,?)"),
        rows_(handle, "INSERT INTO dtype_rows VALUES(?,?,?,?,?,?,?,?)"),
        row_ports_(handle, "INSERT INTO dtype_row_ports VALUES(?,?,?,?,?,?)"),
        items_(handle, "INSERT INTO items VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"),
        predicates_(handle, "INSERT INTO predicates VALUES(?,?,?,?,?,?)"),
        formals_(handle, "INSERT INTO formals VALUES(?,?,?,?,?,?,?,?,?)"),
        socs_(handle, "INSERT INTO socs VALUES(?,?,?,?,?,?,?,?,?,?)") {}

  void Write(const ConstraintSource& source) {
    document_ = SourceId(source.head.document);
    int rows = 0;
    int items = 0;
    for (const OpConstraints& op : source.ops) {
      ops_.Bind(table_).Bind(op.op).Bind(op.operation).Run().IgnoreError();
      for (const DtypeRow& row : op.rows) WriteRow(op.op, row);
      for (size_t i = 0; i < op.items.size(); ++i) WriteItem(op.op, static_cast<int64_t>(i) + 1, op.items[i]);
      rows += static_cast<int>(op.rows.size());
      items += static_cast<int>(
          std::count_if(op.items.begin(), op.items.end(), [](const Item& item) { return !item.summary; }));
    }
    WriteTable("constraints", source.head, source.ops.size(), rows, items);
  }

  void Write(const DefinitionSource& source) {
    document_ = SourceId(source.head.document);
    int formals = 0;
    for (const OpDefinition& op : source.ops) {
      ops_.Bind(table_).Bind(op.op).Bind(-1).Run().IgnoreError();
      WriteFormals(op.op, "input", op.inputs);
      WriteFormals(op.op, "parameter", op.parameters);
      WriteFormals(op.op, "output", op.outputs);
      formals += static_cast<int>(op.inputs.size() + op.parameters.size() + op.outputs.size());
    }
    WriteTable("definitions", source.head, source.ops.size(), 0, formals);
  }

  void Write(const SocSource& source) {
    document_ = SourceId(source.head.document);
    for (const Soc& soc : source.socs) {
      socs_.Bind(table_).Bind(soc.id).Bind(soc.name).Bind(soc.arch).Bind(soc.kernels).Bind(soc.vtcm_mb);
      socs_.Bind(absl::StrJoin(soc.aliases, ","))
          .Bind(soc.has_float ? 1 : 0)
          .Bind(EvidenceName(source.head.evidence))
          .Bind(document_);
      socs_.Run().IgnoreError();
    }
    WriteTable("socs", source.head, 0, static_cast<int>(source.socs.size()), 0);
  }

  absl::Status status() const {
    for (const Statement* statement :
         {&sources_, &tables_, &ops_, &rows_, &row_ports_, &items_, &predicates_, &formals_, &socs_}) {
      if (!statement->status().ok()) return statement->status();
    }
    return absl::OkStatus();
  }

 private:
  int64_t SourceId(const std::string& text) {
    const auto [entry, inserted] = source_ids_.emplace(text, static_cast<int64_t>(source_ids_.size()) + 1);
    if (inserted) sources_.Bind(entry->second).Bind(text).Run().IgnoreError();
    return entry->second;
  }
  int64_t SourceOr(const std::string& text) { return text.empty() ? document_ : SourceId(text); }

  void WriteRow(const std::string& op, const DtypeRow& row) {
    rows_.Bind(table_).Bind(op).Bind(row.ordinal).Bind(row.configuration).Bind(row.archs.min).Bind(row.archs.max);
    rows_.Bind(EvidenceName(row.evidence)).Bind(SourceOr(row.source)).Run().IgnoreError();
    for (size_t i = 0; i < row.ports.size(); ++i) {
      row_ports_.Bind(table_).Bind(op).Bind(row.ordinal).Bind(static_cast<int64_t>(i));
      row_ports_.Bind(row.ports[i].port).Bind(TypesText(row.ports[i].types)).Run().IgnoreError();
    }
  }

  void WriteItem(const std::string& op, int64_t number, const Item& item) {
    items_.Bind(table_).Bind(op).Bind(number).Bind(item.configuration).Bind(item.port).Bind(item.ordinal);
    items_.Bind(item.summary ? 1 : 0).Bind(ItemEffectName(item.effect)).Bind(item.archs.min).Bind(item.archs.max);
    items_.Bind(EvidenceName(item.evidence)).Bind(SourceOr(item.source)).Run().IgnoreError();
    for (size_t i = 0; i < item.predicates.size(); ++i) {
      predicates_.Bind(table_).Bind(op).Bind(number).Bind(static_cast<int64_t>(i));
      predicates_.Bind(item.predicates[i].kind).Bind(ArgsText(item.predicates[i])).Run().IgnoreError();
    }
  }

  void WriteFormals(const std::string& op, absl::string_view role, const std::vector<Formal>& formals) {
    for (size_t i = 0; i < formals.size(); ++i) {
      const Formal& formal = formals[i];
      formals_.Bind(table_).Bind(op).Bind(role).Bind(static_cast<int64_t>(i)).Bind(formal.name);
      formals_.Bind(formal.mandatory ? 1 : 0).Bind(formal.dtype).Bind(formal.default_value);
      formals_.Bind(formal.same_type_as).Run().IgnoreError();
    }
  }

  void WriteTable(absl::string_view kind, const SourceHead& head, size_t ops, int rows, int items) {
    tables_.Bind(table_).Bind(kind).Bind(head.name).Bind(head.sdk).Bind(head.sdk_until);
    tables_.Bind(EvidenceName(head.evidence)).Bind(document_);
    tables_.Bind(static_cast<int64_t>(ops)).Bind(rows).Bind(items).Run().IgnoreError();
    ++table_;
  }

  int64_t table_ = 1;
  int64_t document_ = 0;
  std::map<std::string, int64_t> source_ids_;
  Statement sources_, tables_, ops_, rows_, row_ports_, items_, predicates_, formals_, socs_;
};

absl::Status Execute(sqlite3* handle, const std::string& sql) {
  if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return absl::OkStatus();
  return absl::InternalError(sqlite3_errmsg(handle));
}

absl::Status WriteInto(sqlite3* handle, const std::vector<const Source*>& sources) {
  std::string setup = absl::StrCat(
      "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
      "PRAGMA application_id=",
      kApplicationId, "; PRAGMA user_version=", kSchemaVersion, "; BEGIN;");
  for (const TableSchema& table : Schema()) absl::StrAppend(&setup, table.sql, ";");
  if (auto status = Execute(handle, setup); !status.ok()) return status;
  {
    Writer writer(handle);
    for (const Source* source : sources) std::visit([&](const auto& s) { writer.Write(s); }, *source);
    if (!writer.status().ok()) return writer.status();
  }
  const auto digest = ContentDigest(handle);
  if (!digest.ok()) return digest.status();
  auto status = Statement(handle, "INSERT INTO digest VALUES(?, ?)").Bind(*digest).Bind(kUnsealed).Run();
  if (!status.ok()) return status;
  return Execute(handle, "COMMIT; VACUUM;");
}

}  // namespace

absl::StatusOr<std::vector<Source>> ParseSources(absl::Span<const SourceFile> files) {
  std::vector<Source> sources;
  std::vector<const SourceFile*> later;
  // A definition file extends none but those before it; anything that fails here is reported when its turn comes below.
  for (const SourceFile& file : files) {
    auto source = ParseSource(file.path, file.text, sources);
    if (source.ok() && !std::holds_alternative<ConstraintSource>(*source)) {
      sources.push_back(*std::move(source));
    } else {
      later.push_back(&file);
    }
  }
  for (const SourceFile* file : later) {
    auto source = ParseSource(file->path, file->text, sources);
    if (!source.ok()) return source.status();
    if (auto* constraints = std::get_if<ConstraintSource>(&*source)) {
      for (ConstraintSource& other : constraints->also) sources.push_back(std::move(other));
      constraints->also.clear();
    }
    sources.push_back(*std::move(source));
  }
  return sources;
}

absl::Status WriteDatabase(absl::Span<const Source> sources, const std::string& path) {
  std::vector<const Source*> ordered;
  for (const Source& source : sources) ordered.push_back(&source);
  std::sort(ordered.begin(), ordered.end(), Before);
  for (size_t i = 1; i < ordered.size(); ++i) {
    if (!Before(ordered[i - 1], ordered[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("two sources of ", Head(*ordered[i]).name, "@", Head(*ordered[i]).sdk));
    }
  }
  // Written beside and moved into place: whoever reads the old file keeps it whole.
  const std::string draft = absl::StrCat(path, ".draft");
  std::remove(draft.c_str());
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(draft.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  SqliteHandle handle(raw);
  if (opened != SQLITE_OK) return absl::UnavailableError(absl::StrCat(draft, ": ", sqlite3_errstr(opened)));
  auto status = WriteInto(handle.get(), ordered);
  handle.reset();
  if (status.ok()) status = SealFile(draft);
  if (status.ok() && std::rename(draft.c_str(), path.c_str()) != 0) {
    status = absl::UnavailableError(absl::StrCat("cannot write ", path));
  }
  if (!status.ok()) std::remove(draft.c_str());
  return status;
}

}  // namespace quantgate::db
