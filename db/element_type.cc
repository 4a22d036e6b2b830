#include <array>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "db/table.h"

namespace quantgate::db {
namespace {

struct Names {
  v1::DataType type;
  absl::string_view plain;
  absl::string_view quantized;
};

// QNN's spelling where QNN has the type, and its pattern where it does not.
constexpr Names kNames[] = {
    {v1::DATA_TYPE_BOOL, "BOOL_8", "QUANTIZED_BOOL_8"},
    {v1::DATA_TYPE_INT2, "INT_2", "SFIXED_POINT_2"},
    {v1::DATA_TYPE_UINT2, "UINT_2", "UFIXED_POINT_2"},
    {v1::DATA_TYPE_INT4, "INT_4", "SFIXED_POINT_4"},
    {v1::DATA_TYPE_UINT4, "UINT_4", "UFIXED_POINT_4"},
    {v1::DATA_TYPE_INT8, "INT_8", "SFIXED_POINT_8"},
    {v1::DATA_TYPE_UINT8, "UINT_8", "UFIXED_POINT_8"},
    {v1::DATA_TYPE_INT16, "INT_16", "SFIXED_POINT_16"},
    {v1::DATA_TYPE_UINT16, "UINT_16", "UFIXED_POINT_16"},
    {v1::DATA_TYPE_INT32, "INT_32", "SFIXED_POINT_32"},
    {v1::DATA_TYPE_UINT32, "UINT_32", "UFIXED_POINT_32"},
    {v1::DATA_TYPE_INT64, "INT_64", "SFIXED_POINT_64"},
    {v1::DATA_TYPE_UINT64, "UINT_64", "UFIXED_POINT_64"},
    {v1::DATA_TYPE_FLOAT16, "FLOAT_16", "QUANTIZED_FLOAT_16"},
    {v1::DATA_TYPE_BFLOAT16, "BFLOAT_16", "QUANTIZED_BFLOAT_16"},
    {v1::DATA_TYPE_FLOAT32, "FLOAT_32", "QUANTIZED_FLOAT_32"},
    {v1::DATA_TYPE_FLOAT64, "FLOAT_64", "QUANTIZED_FLOAT_64"},
    {v1::DATA_TYPE_FLOAT8_E4M3FN, "FLOAT_8_E4M3FN", "QUANTIZED_FLOAT_8_E4M3FN"},
    {v1::DATA_TYPE_FLOAT8_E4M3FNUZ, "FLOAT_8_E4M3FNUZ", "QUANTIZED_FLOAT_8_E4M3FNUZ"},
    {v1::DATA_TYPE_FLOAT8_E5M2, "FLOAT_8_E5M2", "QUANTIZED_FLOAT_8_E5M2"},
    {v1::DATA_TYPE_FLOAT8_E5M2FNUZ, "FLOAT_8_E5M2FNUZ", "QUANTIZED_FLOAT_8_E5M2FNUZ"},
    {v1::DATA_TYPE_FLOAT8_E8M0, "FLOAT_8_E8M0", "QUANTIZED_FLOAT_8_E8M0"},
    {v1::DATA_TYPE_FLOAT4_E2M1, "FLOAT_4_E2M1", "QUANTIZED_FLOAT_4_E2M1"},
    {v1::DATA_TYPE_FLOAT6_E2M3, "FLOAT_6_E2M3", "QUANTIZED_FLOAT_6_E2M3"},
    {v1::DATA_TYPE_FLOAT6_E3M2, "FLOAT_6_E3M2", "QUANTIZED_FLOAT_6_E3M2"},
    {v1::DATA_TYPE_COMPLEX64, "COMPLEX_64", "QUANTIZED_COMPLEX_64"},
    {v1::DATA_TYPE_COMPLEX128, "COMPLEX_128", "QUANTIZED_COMPLEX_128"},
    {v1::DATA_TYPE_STRING, "STRING", "QUANTIZED_STRING"},
};

constexpr std::array<absl::string_view, 64> NamesByCode() {
  std::array<absl::string_view, 64> names{};
  for (absl::string_view& name : names) name = "UNKNOWN";
  for (const Names& entry : kNames) {
    names[ElementType{entry.type, false}.code()] = entry.plain;
    names[ElementType{entry.type, true}.code()] = entry.quantized;
  }
  return names;
}

}  // namespace

absl::string_view ElementTypeName(ElementType type) {
  static constexpr std::array<absl::string_view, 64> kByCode = NamesByCode();
  if (type.type < 0 || type.type >= 32) return "UNKNOWN";  // an enum value of a newer client
  return kByCode[type.code()];
}

std::optional<ElementType> ElementTypeFromName(absl::string_view name) {
  static const auto* by_name = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, ElementType>();
    for (const Names& entry : kNames) {
      map->emplace(entry.plain, ElementType{entry.type, false});
      map->emplace(entry.quantized, ElementType{entry.type, true});
    }
    return map;
  }();
  const auto found = by_name->find(name);
  if (found == by_name->end()) return std::nullopt;
  return found->second;
}

absl::string_view ItemEffectName(ItemEffect effect) {
  switch (effect) {
    case ItemEffect::kUnprepared:
      return "unprepared";
    case ItemEffect::kWrongNumbers:
      return "wrong_numbers";
    case ItemEffect::kNotEnforced:
      return "not_enforced";
    default:
      return "refused";
  }
}

std::optional<ItemEffect> ItemEffectFromName(absl::string_view name) {
  for (ItemEffect effect :
       {ItemEffect::kRefused, ItemEffect::kUnprepared, ItemEffect::kWrongNumbers, ItemEffect::kNotEnforced}) {
    if (name == ItemEffectName(effect)) return effect;
  }
  return std::nullopt;
}

bool NeedsFloats(const ConstraintTable& table, const DtypeRow& row) {
  const bool of_floats =
      row.configuration == "FP16" || row.configuration == "BF16" || absl::EndsWith(table.backend, "_fp16");
  return of_floats && absl::c_any_of(row.ports, [](const PortTypes& port) {
           return absl::c_any_of(port.types, [](ElementType type) {
             return !type.quantized && (type.type == v1::DATA_TYPE_FLOAT16 || type.type == v1::DATA_TYPE_FLOAT32 ||
                                        type.type == v1::DATA_TYPE_BFLOAT16);
           });
         });
}

}  // namespace quantgate::db
