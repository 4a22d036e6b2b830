#include "client/json/number.h"

#include <cmath>
#include <system_error>

#include "absl/strings/charconv.h"

namespace quantgate {

bool ParseJsonNumber(absl::string_view text, double& number) {
  const absl::from_chars_result result = absl::from_chars(text.data(), text.data() + text.size(), number);
  // What is nearer to 0 than any double is 0.
  if (result.ec == std::errc::result_out_of_range) return std::fabs(number) < 1;
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace quantgate
