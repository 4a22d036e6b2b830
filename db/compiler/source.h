// Reads the reviewed text files of db/tables. Format: db/README.md.
#ifndef QUANTGATE_DB_COMPILER_SOURCE_H_
#define QUANTGATE_DB_COMPILER_SOURCE_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "db/table.h"

namespace quantgate::db {

// What the head of every file says. `document` is the source of everything in the file that names no other.
struct SourceHead {
  std::string name;  // backend, or family of definitions
  std::string sdk;
  std::string sdk_until;  // last SDK version the file speaks for; empty: open
  std::string document;
  Evidence evidence = Evidence::kDocumented;
};

struct ConstraintSource {
  SourceHead head;
  std::vector<OpConstraints> ops;  // sorted by op
  // The same of the older SDK versions that the file speaks for as well; these have none themselves.
  std::vector<ConstraintSource> also;
};

struct DefinitionSource {
  SourceHead head;
  std::vector<OpDefinition> ops;  // sorted by op
};

struct SocSource {
  SourceHead head;
  std::vector<Soc> socs;  // sorted by id
};

using Source = std::variant<ConstraintSource, DefinitionSource, SocSource>;

// `text` is the content of the file, `path` names it in errors ("path:LINE: what is wrong"; INVALID_ARGUMENT).
// `known` are the files read so far: a constraint file names definitions, against which its ports are checked, and the
// archs it names are those of its backend's SoCs.
absl::StatusOr<Source> ParseSource(const std::string& path, const std::string& text, absl::Span<const Source> known);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_COMPILER_SOURCE_H_
