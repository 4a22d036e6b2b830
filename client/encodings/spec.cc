#include "client/encodings/spec.h"

#include <cmath>

namespace quantgate::encodings {

v1::DataType IntegerType(int64_t bits, bool is_signed) {
  switch (bits) {
    case 2:
      return is_signed ? v1::DATA_TYPE_INT2 : v1::DATA_TYPE_UINT2;
    case 4:
      return is_signed ? v1::DATA_TYPE_INT4 : v1::DATA_TYPE_UINT4;
    case 8:
      return is_signed ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8;
    case 16:
      return is_signed ? v1::DATA_TYPE_INT16 : v1::DATA_TYPE_UINT16;
    case 32:
      return is_signed ? v1::DATA_TYPE_INT32 : v1::DATA_TYPE_UINT32;
    default:
      return v1::DATA_TYPE_UNSPECIFIED;
  }
}

v1::DataType RealType(int64_t bits) {
  if (bits == 16) return v1::DATA_TYPE_FLOAT16;
  return bits == 32 ? v1::DATA_TYPE_FLOAT32 : v1::DATA_TYPE_UNSPECIFIED;
}

void SetReal(v1::DataType type, ReadEncoding& encoding) {
  if (type == v1::DATA_TYPE_UNSPECIFIED) return;
  encoding.spec.set_kind(v1::Spec::PLAIN);
  encoding.spec.set_dtype(type);
  encoding.has_spec = true;
}

void SetType(v1::DataType type, bool symmetric, ReadEncoding& encoding) {
  const bool blocked = encoding.geometry.kind == Geometry::kBlocks || encoding.geometry.kind == Geometry::kNested;
  // Blocks of no size are no geometry.
  if (type == v1::DATA_TYPE_UNSPECIFIED || (blocked && encoding.geometry.block_size < 1)) return;
  v1::Spec& spec = encoding.spec;
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type);
  spec.set_is_dynamic(false);
  switch (encoding.geometry.kind) {
    case Geometry::kPerTensor:
      spec.set_qscheme(symmetric ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE);
      break;
    case Geometry::kPerChannel:
      spec.set_qscheme(symmetric ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_CHANNEL_AFFINE);
      break;
    case Geometry::kBlocks:
    case Geometry::kNested:
      spec.set_qscheme(symmetric ? v1::Spec::PER_BLOCK_SYMMETRIC : v1::Spec::PER_BLOCK_AFFINE);
      break;
  }
  encoding.has_spec = true;
}

void SetZeroPoints(int64_t grid_bits, bool is_signed, ReadEncoding& encoding) {
  const double middle = is_signed ? std::ldexp(1.0, static_cast<int>(grid_bits) - 1) : 0.0;
  for (double offset : encoding.facts.offsets())
    encoding.spec.mutable_qparams()->add_zero_points(0.0 - offset - middle);
}

}  // namespace quantgate::encodings
