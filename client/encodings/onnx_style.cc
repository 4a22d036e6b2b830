// AIMET 2.0.0 and 2.1.0: the inputs and attributes of ONNX's QuantizeLinear, scales as nested lists in the tensor's own
// layout. LPBQ has its factors and channel scales in two fields (2.0.0), or a scale that is itself quantized (2.1.0).
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/encodings/read.h"
#include "client/encodings/spec.h"

namespace quantgate::encodings {
namespace {

struct ElementType {
  bool known = false;
  bool is_float = false;
  bool is_brain = false;  // bfloat16
  bool is_signed = false;
  int64_t bits = 0;
  // Of integers, and of the real numbers that QuantizeLinear makes; UNSPECIFIED: nothing that is scaled.
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
};

v1::DataType ScaledFloat(absl::string_view name) {
  if (name == "float8e4m3fn") return v1::DATA_TYPE_FLOAT8_E4M3FN;
  if (name == "float8e4m3fnuz") return v1::DATA_TYPE_FLOAT8_E4M3FNUZ;
  if (name == "float8e5m2") return v1::DATA_TYPE_FLOAT8_E5M2;
  if (name == "float8e5m2fnuz") return v1::DATA_TYPE_FLOAT8_E5M2FNUZ;
  return name == "float4e2m1" ? v1::DATA_TYPE_FLOAT4_E2M1 : v1::DATA_TYPE_UNSPECIFIED;
}

// What QuantizeLinear takes for an axis that is not stated.
constexpr int64_t kDefaultAxis = 1;

// "uint8", "float16", "float8e4m3fn". A width that nothing can have ("int-8") is one all the same.
ElementType TypeOf(absl::string_view name) {
  ElementType type;
  absl::string_view digits = name;
  type.is_brain = absl::ConsumePrefix(&digits, "bfloat");
  if (type.is_brain || absl::ConsumePrefix(&digits, "float")) {
    type.is_float = true;
    digits = digits.substr(0, digits.find('e'));
  } else {
    type.is_signed = !absl::ConsumePrefix(&digits, "u");
    if (!absl::ConsumePrefix(&digits, "int")) return type;
  }
  const absl::string_view magnitude = absl::StripPrefix(digits, "-");
  type.known =
      !magnitude.empty() && absl::c_all_of(magnitude, absl::ascii_isdigit) && absl::SimpleAtoi(digits, &type.bits);
  if (type.is_brain && type.bits != 16) type.known = false;
  type.type = type.is_float ? ScaledFloat(name) : IntegerType(type.bits, type.is_signed);
  return type;
}

void Append(const NumberArray& array, google::protobuf::RepeatedField<double>* numbers) {
  numbers->Add(array.numbers.begin(), array.numbers.end());
}

// What a factor of the nested scale may be: weights of `bits` and their factors fill eight bits together.
int32_t FactorBits(int64_t bits) {
  constexpr int64_t kExpanded = 8;
  return bits >= 1 && bits < kExpanded ? static_cast<int32_t>(kExpanded - bits) : 0;
}

void ReadNested(const Fields& fields, ReadEncoding& encoding) {
  const auto factors = fields.Numbers("per_block_int_scale", Need::kRequired);
  const auto scales = fields.Numbers("per_channel_float_scale", Need::kRequired);
  fields.Forbid({"y_scale"}, "beside a scale in two parts");
  encoding.geometry.kind = Geometry::kNested;
  if (factors) encoding.geometry.shape = factors->shape;
  if (factors) Append(*factors, encoding.spec.mutable_qparams()->mutable_block_scales());
  if (scales) Append(*scales, encoding.spec.mutable_qparams()->mutable_scales());
}

void ReadQuantizedScale(JsonValue scale, ReadEncoding& encoding) {
  const Fields fields(scale, encoding.facts.mutable_problems(), "y_scale.");
  const auto factors = fields.Numbers("x", Need::kRequired);
  const auto scales = fields.Numbers("x_scale", Need::kRequired);
  encoding.geometry.kind = Geometry::kNested;
  encoding.geometry.channel_axis = fields.Integer("axis", Need::kOptional);
  if (factors) encoding.geometry.shape = factors->shape;
  if (factors) Append(*factors, encoding.spec.mutable_qparams()->mutable_block_scales());
  if (scales) Append(*scales, encoding.spec.mutable_qparams()->mutable_scales());
}

void ReadPlainScale(const Fields& fields, ReadEncoding& encoding) {
  const auto scales = fields.Numbers("y_scale", Need::kRequired);
  if (!scales) return;
  Append(*scales, encoding.spec.mutable_qparams()->mutable_scales());
  Geometry& geometry = encoding.geometry;
  geometry.shape = scales->shape;
  if (geometry.shape.empty()) fields.Forbid({"block_size"}, "beside one scale");
  const bool blocked = geometry.block_size != 0 || scales->shape.size() > 1;
  if (blocked) {
    geometry.kind = Geometry::kBlocks;
  } else if (!scales->shape.empty() && (geometry.axis || scales->numbers.size() > 1)) {
    geometry.kind = Geometry::kPerChannel;
  }
}

// More than one scale lies along an axis that the entry states, and blocks have a size. Readers that find no axis take
// the default or find their own; the default is what is judged on.
void RequireGeometry(const Fields& fields, ReadEncoding& encoding) {
  Geometry& geometry = encoding.geometry;
  if (geometry.kind == Geometry::kPerTensor) return;
  if (geometry.kind != Geometry::kPerChannel) fields.Find("block_size", Need::kRequired);
  fields.Find("axis", Need::kRequired);
  if (!geometry.axis) geometry.axis = kDefaultAxis;
}

// Whether real numbers have a scale. Factors of scales are of integers; the wider types have neither.
bool IsScaled(const Fields& fields, const ElementType& type) {
  fields.Forbid({"per_block_int_scale", "per_channel_float_scale"}, "beside an output_dtype of real numbers");
  if (type.type != v1::DATA_TYPE_UNSPECIFIED) return fields.Find("y_scale", Need::kOptional).has_value();
  fields.Forbid({"y_scale", "y_zero_point", "axis", "block_size"}, "beside an output_dtype that is not scaled");
  return false;
}

// In the shape of the scales. Another number of them is a rule's to say; one number is clear in a list as well.
void ReadZeroPoints(const Fields& fields, ReadEncoding& encoding) {
  constexpr char kZeroPoint[] = "y_zero_point";
  const std::optional<NumberArray> zero_points = fields.Numbers(kZeroPoint, Need::kOptional);
  if (!zero_points) return;
  v1::QParams& qparams = *encoding.spec.mutable_qparams();
  Append(*zero_points, qparams.mutable_zero_points());
  const std::vector<int64_t>& shape = zero_points->shape;
  const std::vector<int64_t>& scales = encoding.geometry.shape;
  if (encoding.geometry.kind == Geometry::kNested || shape == scales) return;
  if (qparams.zero_points_size() != qparams.scales_size() || std::max(shape.size(), scales.size()) < 2) return;
  fields.Invalid(kZeroPoint, *fields.Find(kZeroPoint, Need::kOptional),
                 absl::StrCat("shape [", absl::StrJoin(scales, ", "), "], that of y_scale"));
}

}  // namespace

void ReadOnnxStyle(JsonValue entry, ReadEncoding& encoding) {
  v1::Encoding& facts = encoding.facts;
  const Fields fields(entry, facts.mutable_problems());
  if (const auto name = fields.Text("name", Need::kRequired)) encoding.name = *name;
  fields.Forbid({"bw"}, "in an entry of version 2, which readers then take for one of 1.0.0");
  ElementType type;
  if (const auto name = fields.Text("output_dtype", Need::kRequired)) {
    type = TypeOf(*name);
    if (type.known) {
      facts.set_bit_width(type.bits);
      facts.set_is_float(type.is_float);
    } else {
      fields.Invalid("output_dtype", *fields.Find("output_dtype", Need::kOptional),
                     "an element type of ONNX, as \"int8\", \"uint16\" or \"float16\"");
    }
  }
  if (facts.is_float() && !IsScaled(fields, type)) {
    if (facts.problems().empty()) SetReal(type.is_brain ? v1::DATA_TYPE_BFLOAT16 : RealType(type.bits), encoding);
    return;
  }
  encoding.geometry.axis = fields.Integer("axis", Need::kOptional);
  const std::optional<int64_t> block_size = fields.Integer("block_size", Need::kOptional);
  if (block_size) facts.set_block_size(*block_size);
  encoding.geometry.block_size = block_size.value_or(0);
  const std::optional<JsonValue> scale = fields.Find("y_scale", Need::kOptional);
  if (fields.Find("per_block_int_scale", Need::kOptional) || fields.Find("per_channel_float_scale", Need::kOptional)) {
    ReadNested(fields, encoding);
  } else if (scale && scale->is_object()) {
    ReadQuantizedScale(*scale, encoding);
  } else {
    ReadPlainScale(fields, encoding);
    if (block_size && encoding.geometry.kind != Geometry::kBlocks) encoding.geometry.kind = Geometry::kBlocks;
  }
  v1::QParams& qparams = *encoding.spec.mutable_qparams();
  if (encoding.geometry.kind == Geometry::kNested) qparams.set_block_scale_bits(FactorBits(facts.bit_width()));
  ReadZeroPoints(fields, encoding);
  if (!facts.problems().empty()) return;
  RequireGeometry(fields, encoding);
  const bool centered = std::all_of(qparams.zero_points().begin(), qparams.zero_points().end(),
                                    [](double zero_point) { return zero_point == 0; });
  SetType(type.type, (type.is_signed || type.is_float) && centered, encoding);
}

}  // namespace quantgate::encodings
