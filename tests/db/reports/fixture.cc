#include "tests/db/reports/fixture.h"

namespace quantgate::db {

std::vector<std::string> ManyFilters() {
  std::vector<std::string> filters = {"",
                                      "create_time > \"2027-01-01T00:00:00Z\"",
                                      "create_time > \"2027-01-01T00:00:00Z\" AND target = x",
                                      "create_time != \"2027-01-01T00:00:00Z\" AND labels.branch = a",
                                      "target = x AND verdict = REJECTED AND code = NR001 AND labels.branch = a",
                                      "code = NR001 AND code = NR002 AND code != NR003 AND verdict != REJECTED",
                                      "target = x AND target = y AND target != z",
                                      "model.path = a AND target = x",
                                      "model.path = a AND target = x AND verdict = REJECTED AND labels.branch = b",
                                      "model.path = a AND target = x AND labels.repository = r AND code != NR001"};
  const std::vector<std::string> fields = {
      "model.path", "model.sha256",  "graph_digest",      "target",          "verdict",
      "code",       "labels.branch", "labels.repository", "labels.revision", "labels.pull_request"};
  const auto value = [](const std::string& field) { return field == "verdict" ? "REJECTED" : "a"; };
  for (const std::string& one : fields) {
    for (const char* op : {" = ", " != "}) {
      filters.push_back(one + op + value(one));
      for (const std::string& other : fields) {
        if (other != one) filters.push_back(absl::StrCat(one, op, value(one), " AND ", other, " = ", value(other)));
      }
    }
  }
  return filters;
}

}  // namespace quantgate::db
