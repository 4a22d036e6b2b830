// Changes in words, and what can be said of them from the specs alone.
#ifndef QUANTGATE_RULES_CORRECTIONS_DESCRIBE_H_
#define QUANTGATE_RULES_CORRECTIONS_DESCRIBE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::corrections {

// "int8 in -127..127, per channel along axis 0, symmetric"; "uint8 in 0..255, dynamic"; "no spec".
std::string SpecText(const v1::Spec* spec);

// "int16 in -32767..32767, symmetric becomes int8 in -127..127, symmetric".
std::string Summary(const v1::Change& change);

// "input 1 'w' of 'conv': int16 … becomes int8 …", of several changes the first and how many more there are.
std::string Summary(const v1::Correction& correction);

// The tensor, of these sizes, keeps at least the range and the steps that it had: no number gets worse.
bool IsSafe(const v1::Change& change, absl::Span<const int64_t> dims);

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_DESCRIBE_H_
