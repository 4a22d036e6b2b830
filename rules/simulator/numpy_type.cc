#include "rules/simulator/numpy_type.h"

namespace quantgate::simulator {
namespace {

struct NumpyName {
  absl::string_view descr;
  v1::DataType type;
};

constexpr NumpyName kNumpyNames[] = {
    {"|b1", v1::DATA_TYPE_BOOL},    {"|i1", v1::DATA_TYPE_INT8},    {"|u1", v1::DATA_TYPE_UINT8},
    {"<i2", v1::DATA_TYPE_INT16},   {"<u2", v1::DATA_TYPE_UINT16},  {"<i4", v1::DATA_TYPE_INT32},
    {"<u4", v1::DATA_TYPE_UINT32},  {"<i8", v1::DATA_TYPE_INT64},   {"<u8", v1::DATA_TYPE_UINT64},
    {"<f2", v1::DATA_TYPE_FLOAT16}, {"<f4", v1::DATA_TYPE_FLOAT32}, {"<f8", v1::DATA_TYPE_FLOAT64},
};

}  // namespace

std::optional<v1::DataType> FromNumpyType(absl::string_view descr) {
  for (const NumpyName& name : kNumpyNames) {
    if (name.descr == descr) return name.type;
  }
  return std::nullopt;
}

absl::string_view NumpyType(v1::DataType type) {
  if (type == v1::DATA_TYPE_INT4 || type == v1::DATA_TYPE_INT2) type = v1::DATA_TYPE_INT8;
  if (type == v1::DATA_TYPE_UINT4 || type == v1::DATA_TYPE_UINT2) type = v1::DATA_TYPE_UINT8;
  for (const NumpyName& name : kNumpyNames) {
    if (name.type == type) return name.descr;
  }
  return "";
}

}  // namespace quantgate::simulator
