#include "client/confirm/element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

struct Prefix {
  absl::string_view text;
  Element::Family family;
};
constexpr Prefix kPrefixes[] = {
    {"INT_", Element::kInt},
    {"UINT_", Element::kUint},
    {"FLOAT_", Element::kFloat},
    {"SFIXED_POINT_", Element::kSigned},
    {"UFIXED_POINT_", Element::kUnsigned},
    {"BOOL_", Element::kBool},
};

// IEEE half precision, rounded toward zero: made-up constants and parameters are coarse numbers.
uint16_t Half(float number) {
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  const uint32_t sign = bits >> 16 & 0x8000;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127 + 15;
  if (exponent <= 0) return static_cast<uint16_t>(sign);
  if (exponent >= 31) return static_cast<uint16_t>(sign | 0x7c00);
  return static_cast<uint16_t>(sign | exponent << 10 | (bits >> 13 & 0x3ff));
}

template <typename T>
void Append(T value, std::vector<uint8_t>& bytes) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(value));
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

}  // namespace

absl::StatusOr<Element> ElementFromName(absl::string_view name) {
  for (const Prefix& prefix : kPrefixes) {
    int bits = 0;
    if (name.substr(0, prefix.text.size()) != prefix.text ||
        !absl::SimpleAtoi(name.substr(prefix.text.size()), &bits)) {
      continue;
    }
    // The code has the width in decimal digits.
    if (bits != 4 && bits != 8 && bits != 16 && bits != 32 && bits != 64) break;
    Element element;
    element.family = prefix.family;
    element.code = static_cast<uint32_t>(prefix.family) << 8 | static_cast<uint32_t>(bits / 10) << 4 |
                   static_cast<uint32_t>(bits % 10);
    element.bytes = std::max(1, bits / 8);
    return element;
  }
  return absl::InvalidArgumentError(absl::StrCat("element type ", name, " cannot be asked about"));
}

std::vector<uint8_t> Encode(const Element& element, const std::vector<double>& numbers) {
  std::vector<uint8_t> bytes;
  bytes.reserve(numbers.size() * element.bytes);
  for (double number : numbers) {
    if (element.family == Element::kFloat) {
      if (element.bytes == 2) Append(Half(static_cast<float>(number)), bytes);
      if (element.bytes == 4) Append(static_cast<float>(number), bytes);
      if (element.bytes == 8) Append(number, bytes);
      continue;
    }
    const double finite = std::isfinite(number) ? std::clamp(number, -9e18, 9e18) : 0.0;
    const auto value = static_cast<int64_t>(finite);
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), raw, raw + element.bytes);
  }
  return bytes;
}

std::vector<uint8_t> MadeUp(const Element& element, int64_t count, const nlohmann::json& encoding) {
  const bool stated = encoding.is_object();
  const int bits = stated ? std::clamp(encoding.value("bits", 8), 1, 8) : 8;
  const int bound = std::min(6, (1 << (bits - 1)) - 1);
  double middle = 0;
  if (stated && encoding.contains("zero_point") && encoding["zero_point"].is_number()) {
    middle = encoding["zero_point"].get<double>();
  }
  // Thirteen numbers that look unordered, again and again.
  std::vector<double> numbers;
  for (int i = 0; i < 13; ++i) {
    const int k = i * 7919 % 13;
    switch (element.family) {
      case Element::kFloat:
        numbers.push_back((k - 6) * 0.05);
        break;
      case Element::kSigned:
        numbers.push_back(std::clamp(k - 6, -bound, bound));
        break;
      case Element::kUnsigned:
        numbers.push_back(std::clamp(k - 6 + middle, 0.0, bits < 8 ? (1 << bits) - 1.0 : 255.0));
        break;
      default:
        numbers.push_back(k % 2);
    }
  }
  const std::vector<uint8_t> pattern = Encode(element, numbers);
  std::vector<uint8_t> bytes(count * element.bytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern[i % pattern.size()];
  return bytes;
}

}  // namespace quantgate
