#include "client/cli/size_flag.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 50;

std::string NumberText(std::string& text) {
  if (!text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) return "";
  return absl::StrCat("'", text, "' is no number from 0 up");
}

}  // namespace

CLI::Option* TakesSize(CLI::Option* option, uint64_t least) {
  // Bytes, when the unit has been read.
  const auto in_range = [least](const std::string& text) {
    uint64_t bytes = 0;
    const bool fits = absl::SimpleAtoi(text, &bytes) && bytes >= least && bytes <= kMost;
    return fits ? std::string() : absl::StrCat(text, " bytes: it takes ", least, " to ", kMost);
  };
  return option->type_name("SIZE")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->transform(CLI::Validator(NumberText, ""))  // goes in front of the one before
      ->check(in_range);
}

}  // namespace quantgate
