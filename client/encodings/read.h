// Encodings files as they are, before they meet their model: AIMET 0.4 to 0.6.1, 1.0.0, 2.0.0 and 2.1.0, and the
// quantization overrides of QNN and SNPE, which have the oldest of these forms and state less.
//
// Offsets become zero points here and nowhere else. The two older layouts count on the unsigned grid (real =
// scale * (q + offset), q from 0): parameters that are symmetric are the signed type with its zero point in the middle,
// all else is unsigned, as AIMET itself writes the same numbers in its later versions.
#ifndef QUANTGATE_CLIENT_ENCODINGS_READ_H_
#define QUANTGATE_CLIENT_ENCODINGS_READ_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/encodings/fields.h"
#include "quantgate/v1/encodings.pb.h"
#include "quantgate/v1/spec.pb.h"

namespace quantgate::encodings {

// How scales lie on the tensor. Without the model an axis may not be known: older layouts do not state it.
struct Geometry {
  enum Kind { kPerTensor, kPerChannel, kBlocks, kNested };
  Kind kind = kPerTensor;
  // kPerChannel: of the channels; kBlocks, kNested: along which blocks lie. Absent: not stated.
  std::optional<int64_t> axis;
  // kNested: of the channels. Absent: not stated.
  std::optional<int64_t> channel_axis;
  int64_t block_size = 0;
  // Of the scales (kBlocks) or of the factors (kNested) as nested lists. One entry: flat, [channel, block].
  std::vector<int64_t> shape;
};

struct ReadEncoding {
  std::string name;  // bytes of the file
  v1::Encoding facts;
  // Element type, scheme, scales, zero points and factors in the file's order, without axes. Of use when has_spec.
  v1::Spec spec;
  bool has_spec = false;
  Geometry geometry;
};

struct ReadFile {
  v1::EncodingsFile file;  // without its encodings
  std::vector<ReadEncoding> encodings;
};

// FI001: no JSON, or none that looks like encodings; FI002: a limit.
absl::StatusOr<ReadFile> Read(absl::string_view bytes);

// One entry of each layout. `spec` stays as it is when the entry says too little.
void ReadKeyed(JsonValue entries, bool partial, bool dtype_needed, ReadEncoding& encoding);
void ReadListed(JsonValue entry, ReadEncoding& encoding);
void ReadOnnxStyle(JsonValue entry, ReadEncoding& encoding);

}  // namespace quantgate::encodings

#endif  // QUANTGATE_CLIENT_ENCODINGS_READ_H_
