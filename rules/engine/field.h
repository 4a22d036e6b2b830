// Which field of a request an error is about, beside the message: "options.targets[2]".
#ifndef QUANTGATE_RULES_ENGINE_FIELD_H_
#define QUANTGATE_RULES_ENGINE_FIELD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace quantgate {

inline constexpr char kFieldPayload[] = "quantgate.field";

inline absl::Status AtField(absl::Status status, absl::string_view field) {
  status.SetPayload(kFieldPayload, absl::Cord(field));
  return status;
}

// "" when the error names none.
inline std::string FieldOf(const absl::Status& status) {
  const auto field = status.GetPayload(kFieldPayload);
  return field ? std::string(*field) : std::string();
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_FIELD_H_
