// What several strings have in common.
#ifndef QUANTGATE_CLIENT_REPORT_PATTERN_H_
#define QUANTGATE_CLIENT_REPORT_PATTERN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace quantgate {

// One pattern with `*` where the strings differ: {"layer.0.conv", "layer.1.conv"} is "layer.*.conv". Words are
// compared, not characters. The string itself when all are equal; empty when too little is common to be of use.
std::string CommonPattern(const std::vector<std::string>& strings);

// All of them at once: {"on V68; needs V73", "on V69; needs V73"} is "on V68 or V69; needs V73". The string itself when
// all are equal.
std::string Alternatives(const std::vector<std::string>& strings);

// `name` replaced by '*' wherever it stands alone: "a" in "of a and 'a'", not in "cat". An empty name is nowhere.
std::string MaskName(absl::string_view text, absl::string_view name);

// Numbers that stand alone replaced by '#', so that "scale 0.012" and "scale 0.5" share a cause; the digits of a name
// ("UFIXED_POINT_16", "int8") say what it is and stay.
std::string MaskNumbers(absl::string_view text);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_PATTERN_H_
