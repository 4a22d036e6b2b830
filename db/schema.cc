#include "db/schema.h"

namespace quantgate::db {
namespace {

// Keys are (table, op, number within the op), so that reading one table touches its own pages only. sdk_until is the
// last SDK version a table speaks for, empty when it is open. Arch 0 is an open end. Every row names its source.
// The digest is of the content, the same whatever SQLite wrote it; the seal is of the file (seal.h).
constexpr TableSchema kSchema[] = {
    {"sources", "CREATE TABLE sources(id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
     "SELECT * FROM sources ORDER BY id"},
    {"tables",
     "CREATE TABLE tables(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, backend TEXT NOT NULL, sdk TEXT NOT NULL,"
     " sdk_until TEXT NOT NULL, evidence TEXT NOT NULL, source INTEGER NOT NULL, ops INTEGER NOT NULL, rows INTEGER "
     "NOT NULL,"
     " items INTEGER NOT NULL)",
     "SELECT * FROM tables ORDER BY id"},
    {"ops", "CREATE TABLE ops(tbl INTEGER, op TEXT, operation INTEGER NOT NULL, PRIMARY KEY(tbl, op)) WITHOUT ROWID",
     "SELECT * FROM ops ORDER BY tbl, op"},
    {"dtype_rows",
     "CREATE TABLE dtype_rows(tbl INTEGER, op TEXT, row INTEGER, configuration TEXT NOT NULL,"
     " arch_min INTEGER NOT NULL, arch_max INTEGER NOT NULL, evidence TEXT NOT NULL, source INTEGER NOT NULL,"
     " PRIMARY KEY(tbl, op, row)) WITHOUT ROWID",
     "SELECT * FROM dtype_rows ORDER BY tbl, op, row"},
    {"dtype_row_ports",
     "CREATE TABLE dtype_row_ports(tbl INTEGER, op TEXT, row INTEGER, position INTEGER, port TEXT NOT NULL,"
     " types TEXT NOT NULL, PRIMARY KEY(tbl, op, row, position)) WITHOUT ROWID",
     "SELECT * FROM dtype_row_ports ORDER BY tbl, op, row, position"},
    {"items",
     "CREATE TABLE items(tbl INTEGER, op TEXT, item INTEGER, configuration TEXT NOT NULL, port TEXT NOT NULL,"
     " ordinal INTEGER NOT NULL, summary INTEGER NOT NULL, effect TEXT NOT NULL, arch_min INTEGER NOT NULL, arch_max "
     "INTEGER NOT NULL,"
     " evidence TEXT NOT NULL, source INTEGER NOT NULL, PRIMARY KEY(tbl, op, item)) WITHOUT ROWID",
     "SELECT * FROM items ORDER BY tbl, op, item"},
    {"predicates",
     "CREATE TABLE predicates(tbl INTEGER, op TEXT, item INTEGER, position INTEGER, kind TEXT NOT NULL,"
     " args TEXT NOT NULL, PRIMARY KEY(tbl, op, item, position)) WITHOUT ROWID",
     "SELECT * FROM predicates ORDER BY tbl, op, item, position"},
    {"formals",
     "CREATE TABLE formals(tbl INTEGER, op TEXT, role TEXT, position INTEGER, name TEXT NOT NULL,"
     " mandatory INTEGER NOT NULL, dtype TEXT NOT NULL, default_value TEXT NOT NULL, same_type_as TEXT NOT NULL,"
     " PRIMARY KEY(tbl, op, role, position)) WITHOUT ROWID",
     "SELECT * FROM formals ORDER BY tbl, op, role, position"},
    {"socs",
     "CREATE TABLE socs(tbl INTEGER, id INTEGER, name TEXT NOT NULL, arch INTEGER NOT NULL, kernels INTEGER NOT NULL,"
     " vtcm_mb INTEGER NOT NULL, aliases TEXT NOT NULL, has_float INTEGER NOT NULL, evidence TEXT NOT NULL, source "
     "INTEGER NOT NULL,"
     " PRIMARY KEY(tbl, id)) WITHOUT ROWID",
     "SELECT * FROM socs ORDER BY tbl, id"},
    {"digest", "CREATE TABLE digest(sha256 TEXT NOT NULL, seal TEXT NOT NULL)", ""},
};

}  // namespace

absl::Span<const TableSchema> Schema() { return kSchema; }

}  // namespace quantgate::db
