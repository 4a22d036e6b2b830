// What ExternalData.location says of bytes that a LiteRT file should have itself and does not have: there is no other
// file to look for.
#ifndef QUANTGATE_RULES_TFLITE_MISSING_BUFFER_H_
#define QUANTGATE_RULES_TFLITE_MISSING_BUFFER_H_

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace quantgate {

inline constexpr char kBufferName[] = "buffer ";                   // and its number
inline constexpr char kExternalBufferName[] = "external buffer ";  // and its number
inline constexpr char kModelFileName[] = "the model file";

inline bool IsMissingBuffer(absl::string_view location) {
  return absl::StartsWith(location, kBufferName) || absl::StartsWith(location, kExternalBufferName) ||
         location == kModelFileName;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_MISSING_BUFFER_H_
