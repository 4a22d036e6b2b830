// Flags that are numbers, of the server's command and of the client's.
#ifndef QUANTGATE_DB_NUMBER_FLAG_H_
#define QUANTGATE_DB_NUMBER_FLAG_H_

#include <cmath>
#include <string>

#include "CLI/CLI.hpp"

namespace quantgate {

// CLI::Range compares, and what is not a number is neither too small nor too large.
template <typename Number>
CLI::Validator NumberRange(Number low, Number high) {
  CLI::Validator range = CLI::Range(low, high);
  const auto check = [range](const std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && std::isnan(value)) return text + " is no number";
    return range(text);
  };
  return CLI::Validator(check, range.get_description());
}

}  // namespace quantgate

#endif  // QUANTGATE_DB_NUMBER_FLAG_H_
