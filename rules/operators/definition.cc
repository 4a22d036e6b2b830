#include "rules/operators/definition.h"

#include <limits>

#include "absl/container/flat_hash_map.h"
#include "rules/operators/definition_row.h"

namespace quantgate {
namespace {

Parameters Parse(const char* pattern) {
  Parameters parameters;
  for (const char* at = pattern; *at != '\0'; ++at) {
    Parameter parameter{*at, Parameter::kRequired};
    const char mark = at[1];
    if (mark == '?' || mark == '*' || mark == '+') {
      parameter.presence = mark == '?' ? Parameter::kOptional : Parameter::kVariadic;
      ++at;
    }
    parameters.list.push_back(parameter);
    const int count = static_cast<int>(parameters.list.size());
    if (parameter.presence == Parameter::kRequired || mark == '+') parameters.min = count;
    // Variadic ones come behind all others, left out or not.
    if (mark == '*') parameters.min = count - 1;
  }
  parameters.max = parameters.list.size();
  if (parameters.max > 0 && parameters.list.back().presence == Parameter::kVariadic) {
    parameters.max = std::numeric_limits<int>::max();
  }
  return parameters;
}

class Definitions {
 public:
  void Add(absl::Span<const DefinitionRow> rows, bool open) {
    for (const DefinitionRow& row : rows) {
      std::vector<Definition>& known = by_name_[row.name];
      Definition& made = known.emplace_back();
      made.since = row.since;
      made.open = open;
      made.removed = row.inputs == nullptr;
      if (made.removed) continue;
      made.inputs = Parse(row.inputs);
      made.outputs = Parse(row.outputs);
      made.attributes = absl::MakeConstSpan(row.attributes.begin(), row.attributes.size());
    }
  }

  absl::Span<const Definition> Find(absl::string_view op_type) const {
    const auto found = by_name_.find(op_type);
    return found == by_name_.end() ? absl::Span<const Definition>() : absl::MakeConstSpan(found->second);
  }

 private:
  absl::flat_hash_map<absl::string_view, std::vector<Definition>> by_name_;  // names are literals
};

// Built once, on first use, and never destroyed.
const Definitions& All() {
  static const Definitions& all = *[] {
    auto* made = new Definitions;
    made->Add(OnnxDefinitions(), /*open=*/false);
    made->Add(OnnxContribDefinitions(), /*open=*/true);
    return made;
  }();
  return all;
}

}  // namespace

const AttributeDefinition* Definition::attribute(absl::string_view name) const {
  for (const AttributeDefinition& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

absl::Span<const Definition> DefinitionsOf(absl::string_view op_type) { return All().Find(op_type); }

const Definition* DefinitionAt(absl::Span<const Definition> rows, int64_t version) {
  const Definition* found = nullptr;
  for (const Definition& row : rows) {
    if (row.since <= version) found = &row;
  }
  return found;
}

}  // namespace quantgate
