// Cases of pt2e_convert.py: read, compute, render. Shared by the tests of sharing.
#ifndef QUANTGATE_TESTS_RULES_GRAPH_SHARING_CASES_H_
#define QUANTGATE_TESTS_RULES_GRAPH_SHARING_CASES_H_

#include <google/protobuf/util/json_util.h>

#include <istream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/graph/sharing/sharing.h"

namespace quantgate {

struct SharingCase {
  std::string name;
  std::string graph_json;
  std::string answer;
};

inline std::vector<SharingCase> ReadSharingCases(std::istream& in) {
  std::vector<SharingCase> cases;
  for (SharingCase c; std::getline(in, c.name) && std::getline(in, c.graph_json) && std::getline(in, c.answer);) {
    cases.push_back(c);
  }
  return cases;
}

inline std::string RenderGroups(const SharingGroups& groups) {
  const Annotations& table = groups.annotations;
  std::string text;
  for (int id = 0; id < groups.num_groups(); ++id) {
    if (id > 0) text += "|";
    for (int32_t entry : groups.group(id)) {
      if (entry != groups.leader(id)) text += " ";
      const SpecPlace place = table.place(entry);
      absl::StrAppend(&text, table.graph().value(place.value).name());
      if (place.is_edge()) absl::StrAppend(&text, ">", table.graph().node(place.node).name());
    }
  }
  return text;
}

// The error as torchao words it.
inline std::string RenderTorchaoError(const SharingGroups& groups) {
  if (!groups.error) return "";
  const std::string reference = SpecPlaceName(groups.annotations.graph(), groups.error->reference);
  switch (groups.error->kind) {
    case SharingError::kDanglingReference:
    case SharingError::kDerivedFromMissing:
      return absl::StrCat("!KeyError ", reference);
    case SharingError::kCycle:
      return "!RecursionError maximum recursion depth exceeded";
    case SharingError::kFirstMemberShared:
      return absl::StrCat(
          "!AssertionError please make sure only refer to edge or node that has observer/fake_quant "
          "inserted: '",
          reference, "' not in");
    case SharingError::kFirstMemberNone:  // met behind the grouping
    case SharingError::kTooMuchWork:
      break;
  }
  return "!?";
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_RULES_GRAPH_SHARING_CASES_H_
