// What a spec makes of a tensor: width, sign, scheme, granularity. And how to write a spec that makes something else.
#ifndef QUANTGATE_RULES_CORRECTIONS_SPEC_FORM_H_
#define QUANTGATE_RULES_CORRECTIONS_SPEC_FORM_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "db/table.h"
#include "quantgate/v1/spec.pb.h"

namespace quantgate::corrections {

enum class Granularity : uint8_t { kTensor, kChannel, kBlock };

struct SpecForm {
  int storage = 0;  // bits of the stored element: 8, 16 or 32
  int bits = 0;     // effective width, by the range: 4 for -8..7 in int8
  bool is_signed = false;
  bool symmetric = false;
  Granularity granularity = Granularity::kTensor;
  int axis = -1;                                    // kChannel
  std::vector<std::pair<int64_t, int64_t>> blocks;  // kBlock: a dimension, and the elements of a block along it
  bool is_dynamic = false;                          // scale and zero point are found at run time
  bool real_zero_points = false;                    // zero points between the steps, or that leave no step for 0
};

// Of a PLAIN, FIXED or DERIVED spec. storage 0: not an integer type.
SpecForm FormOf(const v1::Spec& spec);

// Whether both say the same of a tensor, whichever observer makes its numbers.
bool SayTheSame(const v1::Spec& a, const v1::Spec& b);

// SFIXED_POINT_8 and so on.
db::ElementType TypeOf(const SpecForm& form);
// Whether `type` is one of 8, 16 or 32 bits, quantized.
bool IsFixedPoint(db::ElementType type);

// `spec` with another form: dtype, range, scheme, axis; numbers and block sizes that no longer hold are taken out.
// `native`: the type says the range (uint16, int4); torch's observers know neither type and write int32 in 0..65535,
// and int8 in -8..7.
v1::Spec Rewritten(const v1::Spec& spec, const SpecForm& form, bool native);

// How much precision a tensor of these sizes loses by being stored as `after` instead of `before`; README.md has the
// unit. 0: none.
int Loss(const SpecForm& before, const SpecForm& after, absl::Span<const int64_t> dims);
// Among changes without a difference in loss: how far they go.
int Distance(const SpecForm& before, const SpecForm& after);

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_SPEC_FORM_H_
