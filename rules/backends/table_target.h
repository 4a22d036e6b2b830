// SDK versions and tables of a target: what all backends with tables do alike.
#ifndef QUANTGATE_RULES_BACKENDS_TABLE_TARGET_H_
#define QUANTGATE_RULES_BACKENDS_TABLE_TARGET_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "db/table_source.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate {

// Versions that have a table of this backend, oldest first.
std::vector<std::string> SdkVersions(const db::TableSource& tables, absl::string_view backend);

// Fills sdk, tables and name of `target`, whose backend is set. `soc`: as the name shows it, "" for none. The SDK: none
// given, the newest table; a prefix ("2.25"), the newest version under it; otherwise the newest table that is not
// newer, with the version asked for kept in the name; older than all: unknown_reason.
void SetTables(const db::TableSource& tables, absl::string_view soc, const std::string& sdk, Target& target);

// The source of what the table says of the target, its first where it has several (litert: that of the kernels).
FindingSource FromTable(const Target& target, v1::Source::Kind kind, absl::string_view row = {},
                        absl::string_view document = {});

// A remark (EN201) when the SDK version in the target's name is not the table's.
void NoteOlderTable(const Target& target, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_TABLE_TARGET_H_
