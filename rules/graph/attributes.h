// One number that an attribute of a node states, whichever way exporters write it.
#ifndef QUANTGATE_RULES_GRAPH_ATTRIBUTES_H_
#define QUANTGATE_RULES_GRAPH_ATTRIBUTES_H_

#include <cstdint>
#include <optional>

#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// Of an integer or a truth value (1 or 0); nothing of another kind, or of null.
inline std::optional<int64_t> IntegerOf(const v1::Attribute* attribute) {
  if (attribute == nullptr) return std::nullopt;
  switch (attribute->value_case()) {
    case v1::Attribute::kI:
      return attribute->i();
    case v1::Attribute::kB:
      return attribute->b() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

// Of a real number or an integer; nothing of another kind, or of null.
inline std::optional<double> RealOf(const v1::Attribute* attribute) {
  if (attribute == nullptr) return std::nullopt;
  switch (attribute->value_case()) {
    case v1::Attribute::kF:
      return attribute->f();
    case v1::Attribute::kI:
      return static_cast<double>(attribute->i());
    default:
      return std::nullopt;
  }
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_ATTRIBUTES_H_
