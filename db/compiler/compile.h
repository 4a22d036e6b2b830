// Compiles sources into the one read-only SQLite file that Database opens.
#ifndef QUANTGATE_DB_COMPILER_COMPILE_H_
#define QUANTGATE_DB_COMPILER_COMPILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "db/compiler/source.h"

namespace quantgate::db {

struct SourceFile {
  std::string path;
  std::string text;
};

// Definitions and SoCs are read first, whatever the order of `files`. INVALID_ARGUMENT names file and line.
absl::StatusOr<std::vector<Source>> ParseSources(absl::Span<const SourceFile> files);

// Replaces the file at `path`. The same sources give the same bytes, in whatever order they come. INVALID_ARGUMENT for
// two sources of one name and SDK.
absl::Status WriteDatabase(absl::Span<const Source> sources, const std::string& path);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_COMPILER_COMPILE_H_
