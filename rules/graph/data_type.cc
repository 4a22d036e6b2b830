#include "rules/graph/data_type.h"

#include <limits>

namespace quantgate {
namespace {

enum class Kind : uint8_t { kNone, kBool, kSigned, kUnsigned, kFloat, kSmallFloat, kComplex, kOther };

struct Facts {
  const char* name;
  Kind kind;
  int bits;
};

// Indexed by v1::DataType.
constexpr Facts kFacts[] = {
    {"unknown", Kind::kNone, 0},
    {"bool", Kind::kBool, 8},
    {"int2", Kind::kSigned, 2},
    {"uint2", Kind::kUnsigned, 2},
    {"int4", Kind::kSigned, 4},
    {"uint4", Kind::kUnsigned, 4},
    {"int8", Kind::kSigned, 8},
    {"uint8", Kind::kUnsigned, 8},
    {"int16", Kind::kSigned, 16},
    {"uint16", Kind::kUnsigned, 16},
    {"int32", Kind::kSigned, 32},
    {"uint32", Kind::kUnsigned, 32},
    {"int64", Kind::kSigned, 64},
    {"uint64", Kind::kUnsigned, 64},
    {"float16", Kind::kFloat, 16},
    {"bfloat16", Kind::kFloat, 16},
    {"float32", Kind::kFloat, 32},
    {"float64", Kind::kFloat, 64},
    {"float8_e4m3fn", Kind::kSmallFloat, 8},
    {"float8_e4m3fnuz", Kind::kSmallFloat, 8},
    {"float8_e5m2", Kind::kSmallFloat, 8},
    {"float8_e5m2fnuz", Kind::kSmallFloat, 8},
    {"float8_e8m0", Kind::kSmallFloat, 8},
    {"float4_e2m1", Kind::kSmallFloat, 4},
    {"float6_e2m3", Kind::kSmallFloat, 6},
    {"float6_e3m2", Kind::kSmallFloat, 6},
    {"complex64", Kind::kComplex, 64},
    {"complex128", Kind::kComplex, 128},
    {"string", Kind::kOther, 0},
};

static_assert(sizeof(kFacts) / sizeof(kFacts[0]) == v1::DataType_ARRAYSIZE, "one row per DataType");

const Facts& FactsOf(v1::DataType type) {
  // Proto3 enums are open: a number of a newer contract is as good as unspecified.
  return v1::DataType_IsValid(type) ? kFacts[type] : kFacts[0];
}

}  // namespace

int BitWidth(v1::DataType type) { return FactsOf(type).bits; }
bool IsSigned(v1::DataType type) { return FactsOf(type).kind == Kind::kSigned; }
bool IsInteger(v1::DataType type) { return IsSigned(type) || FactsOf(type).kind == Kind::kUnsigned; }
bool IsFloat(v1::DataType type) { return FactsOf(type).kind == Kind::kFloat; }
bool IsBeyondFloat32(v1::DataType type) {
  const Kind kind = FactsOf(type).kind;
  return (kind == Kind::kFloat && BitWidth(type) > 32) || kind == Kind::kComplex;
}
bool IsSmallFloat(v1::DataType type) { return FactsOf(type).kind == Kind::kSmallFloat; }
absl::string_view DataTypeName(v1::DataType type) { return FactsOf(type).name; }

int64_t MinOf(v1::DataType type) {
  if (!IsSigned(type)) return 0;
  const int bits = BitWidth(type);
  return bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1));
}

int64_t MaxOf(v1::DataType type) {
  if (!IsInteger(type)) return 0;
  const int bits = BitWidth(type) - (IsSigned(type) ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
}

}  // namespace quantgate
