// Element types by QNN's names: their code in the interface, and bytes for constants.
#ifndef QUANTGATE_CLIENT_CONFIRM_ELEMENT_H_
#define QUANTGATE_CLIENT_CONFIRM_ELEMENT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate {

struct Element {
  enum Family : uint8_t { kInt = 0, kUint = 1, kFloat = 2, kSigned = 3, kUnsigned = 4, kBool = 5 };
  Family family = kInt;
  uint32_t code = 0;
  int bytes = 1;  // of one element; 4-bit types have a byte each
};

// "UFIXED_POINT_8".
absl::StatusOr<Element> ElementFromName(absl::string_view name);

// Little-endian; what does not fit is cut off.
std::vector<uint8_t> Encode(const Element& element, const std::vector<double>& numbers);

// Small numbers around the zero point that fit the type and the stated width; 0 and 1 where they may be indices.
std::vector<uint8_t> MadeUp(const Element& element, int64_t count, const nlohmann::json& encoding);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_ELEMENT_H_
