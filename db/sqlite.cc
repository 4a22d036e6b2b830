#include "db/sqlite.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "db/schema.h"

namespace quantgate::db {

Statement::Statement(sqlite3* handle, absl::string_view sql) : handle_(handle) {
  if (sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) != SQLITE_OK) Fail();
}

void Statement::Fail() {
  if (status_.ok()) status_ = absl::DataLossError(sqlite3_errmsg(handle_));
}

Statement& Statement::Bind(int64_t value) {
  if (status_.ok() && sqlite3_bind_int64(statement_, ++bound_, value) != SQLITE_OK) Fail();
  return *this;
}

Statement& Statement::Bind(absl::string_view value) {
  const int size = static_cast<int>(value.size());
  // A null pointer would bind NULL, not the empty text.
  const char* data = value.data() == nullptr ? "" : value.data();
  if (status_.ok() && sqlite3_bind_text(statement_, ++bound_, data, size, SQLITE_TRANSIENT) != SQLITE_OK) Fail();
  return *this;
}

bool Statement::Next() {
  if (!status_.ok()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) Fail();
  return false;
}

absl::Status Statement::Run() {
  Next();
  if (statement_ != nullptr) sqlite3_reset(statement_);
  bound_ = 0;
  return status_;
}

absl::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return absl::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

std::string ImmutableUri(absl::string_view path) {
  std::string uri = "file:";
  // Two slashes would start the name of a host.
  while (path.size() > 1 && path[0] == '/' && path[1] == '/') path.remove_prefix(1);
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      absl::StrAppend(&uri, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      uri.push_back(c);
    }
  }
  return uri + "?immutable=1";
}

absl::StatusOr<std::string> ContentDigest(sqlite3* handle) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!hash || EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 is not available");
  }
  constexpr size_t kChunk = 32 << 10;
  std::string pending = absl::StrCat("quantgate-tables ", kSchemaVersion, "\n");
  EVP_DigestUpdate(hash.get(), pending.data(), pending.size());
  for (const TableSchema& table : Schema()) {
    if (table.select.empty()) continue;
    pending = absl::StrCat(table.name, "\n");
    Statement rows(handle, table.select);
    while (rows.Next()) {
      for (int column = 0; column < rows.columns(); ++column) {
        // With its length, so that no two rows can look the same.
        const absl::string_view text = rows.Text(column);
        absl::StrAppend(&pending, text.size(), ":", text);
      }
      pending.push_back('\n');
      if (pending.size() < kChunk) continue;
      EVP_DigestUpdate(hash.get(), pending.data(), pending.size());
      pending.clear();
    }
    EVP_DigestUpdate(hash.get(), pending.data(), pending.size());
    if (!rows.status().ok()) return rows.status();
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(hash.get(), digest, &size);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

}  // namespace quantgate::db
