#include "rules/backends/table_target.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/sdk_version.h"
#include "rules/backends/coverage.h"

namespace quantgate {

std::vector<std::string> SdkVersions(const db::TableSource& tables, absl::string_view backend) {
  std::vector<std::string> versions;
  for (const db::TableInfo& info : tables.tables()) {
    if (info.backend == backend) versions.push_back(info.sdk);
  }
  return versions;
}

void SetTables(const db::TableSource& tables, absl::string_view soc, const std::string& sdk, Target& target) {
  const std::vector<std::string> versions = SdkVersions(tables, target.backend);
  // "02.25" is 2.25.
  const std::optional<std::vector<int>> numbers = db::ParseSdkVersion(sdk);
  std::string shown = numbers ? absl::StrJoin(*numbers, ".") : sdk;
  if (const std::optional<std::string> chosen = db::ChooseSdk(versions, sdk)) {
    target.sdk = *chosen;
    // The version asked for stays in the name when the table is another one's.
    if (sdk.empty() || absl::StartsWith(absl::StrCat(*chosen, "."), absl::StrCat(shown, "."))) shown = *chosen;
  }
  target.name = absl::StrCat(target.backend, soc.empty() ? "" : "/", soc, "@", shown.empty() ? "none" : shown);
  if (target.sdk.empty()) {
    target.unknown_reason = versions.empty() ? absl::StrCat("no table of ", target.backend, " is in the database")
                                             : absl::StrCat("SDK ", sdk, " is older than the oldest table of ",
                                                            target.backend, ", ", versions.front());
    return;
  }
  for (const db::TableInfo& info : tables.tables()) {
    if (info.sdk == target.sdk && !info.definitions && absl::StartsWith(info.backend, target.backend)) {
      target.tables.push_back(absl::StrCat(info.backend, "@", info.sdk));
    }
  }
}

FindingSource FromTable(const Target& target, v1::Source::Kind kind, absl::string_view row,
                        absl::string_view document) {
  FindingSource source;
  source.kind = kind;
  if (!target.tables.empty()) source.table = target.tables.front();
  source.row = std::string(row);
  source.document = std::string(document);
  return source;
}

void NoteOlderTable(const Target& target, FindingSink& sink) {
  const size_t at = target.name.rfind('@');
  if (at == std::string::npos || target.name.substr(at + 1) == target.sdk) return;
  FindingSource source = FromTable(target, v1::Source::DEFINITION);
  sink.Add(kOlderTable, Place(), target.name.substr(at + 1), absl::StrCat("the table of ", target.sdk),
           std::move(source));
}

}  // namespace quantgate
