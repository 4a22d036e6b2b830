// Does the program understand everything that a table says?
#ifndef QUANTGATE_CLIENT_CLI_VERIFY_H_
#define QUANTGATE_CLIENT_CLI_VERIFY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table.h"

namespace quantgate {

struct TableCheck {
  int ops = 0;
  int rows = 0;
  int items = 0;
  int not_encoded = 0;                // items that no evaluator judges
  std::vector<std::string> problems;  // each with its place, "Conv2d/All/in[1]/item 2: …"
};

// Counts (items without the summary ones, as db::TableInfo does), and looks for: items without a predicate or with one
// whose kind is not in `kinds` (not encoded), operators, rows or items that occur twice, rows without a port, ports
// without a type.
TableCheck CheckTable(const db::ConstraintTable& table, absl::Span<const absl::string_view> kinds);

// The same of a table of operator definitions, whose items are ports and parameters: operators and names that occur
// twice, ports and parameters without a name.
TableCheck CheckDefinitions(absl::Span<const db::OpDefinition> definitions);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_VERIFY_H_
