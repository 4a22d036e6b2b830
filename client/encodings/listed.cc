// AIMET 1.0.0: one object for each tensor; scales and offsets are flat lists, the axis is not stated.
#include "client/encodings/read.h"
#include "client/encodings/spec.h"

namespace quantgate::encodings {
namespace {

Geometry::Kind KindOf(absl::string_view type) {
  if (type == "PER_CHANNEL") return Geometry::kPerChannel;
  if (type == "PER_BLOCK") return Geometry::kBlocks;
  return type == "LPBQ" ? Geometry::kNested : Geometry::kPerTensor;
}

bool IsWidth(int64_t bits) { return IntegerType(bits, true) != v1::DATA_TYPE_UNSPECIFIED; }

void ReadBlocks(const Fields& fields, ReadEncoding& encoding) {
  Geometry& geometry = encoding.geometry;
  if (const auto size = fields.Integer("block_size", Need::kRequired)) encoding.facts.set_block_size(*size);
  geometry.block_size = encoding.facts.block_size();
  if (geometry.kind != Geometry::kNested) return;
  const std::optional<NumberArray> factors = fields.FlatNumbers("per_block_int_scale", Need::kRequired);
  if (!factors) return;
  geometry.shape = factors->shape;
  v1::QParams& qparams = *encoding.spec.mutable_qparams();
  qparams.mutable_block_scales()->Add(factors->numbers.begin(), factors->numbers.end());
}

// A part of a step that is added to each offset: AIMET writes what is whole of them and the rest apart.
void ReadShift(const Fields& fields, v1::Encoding& facts) {
  constexpr char kShift[] = "zero_point_shift";
  const std::optional<NumberArray> shift = fields.Numbers(kShift, Need::kOptional);
  if (!shift) return;
  const size_t count = shift->numbers.size();
  if (shift->shape.size() > 1 || (count != 1 && count != static_cast<size_t>(facts.offsets_size()))) {
    return fields.Invalid(kShift, *fields.Find(kShift, Need::kOptional),
                          "one number, or a flat list of one for each offset");
  }
  for (int i = 0; i < facts.offsets_size(); ++i) {
    facts.set_offsets(i, facts.offsets(i) + shift->numbers[count == 1 ? 0 : static_cast<size_t>(i)]);
  }
}

// Real numbers have no grid; readers take the type and drop the rest, or the other way around.
void RefuseGrid(const Fields& fields) {
  fields.Choice("enc_type", Need::kOptional, {"PER_TENSOR"});
  fields.Forbid({"scale", "offset", "zero_point_shift", "block_size", "per_block_int_scale", "compressed_bw"},
                "beside dtype FLOAT");
}

void RefuseOtherGeometry(const Fields& fields, Geometry::Kind kind) {
  if (kind < Geometry::kBlocks) fields.Forbid({"block_size"}, "without blocks in enc_type");
  if (kind != Geometry::kNested)
    fields.Forbid({"per_block_int_scale", "compressed_bw"}, "beside another enc_type than LPBQ");
  if (kind == Geometry::kNested) fields.Forbid({"zero_point_shift"}, "beside enc_type LPBQ");
}

}  // namespace

void ReadListed(JsonValue entry, ReadEncoding& encoding) {
  v1::Encoding& facts = encoding.facts;
  const Fields fields(entry, facts.mutable_problems());
  if (const auto name = fields.Text("name", Need::kRequired)) encoding.name = *name;
  const auto type = fields.Choice("dtype", Need::kRequired, {"INT", "FLOAT"});
  facts.set_is_float(type == "FLOAT");
  const std::optional<int64_t> bits = fields.Integer("bw", Need::kRequired);
  if (bits) facts.set_bit_width(*bits);
  if (facts.is_float()) {
    RefuseGrid(fields);
    if (facts.problems().empty()) SetReal(RealType(facts.bit_width()), encoding);
    return;
  }
  const auto kind = fields.Choice("enc_type", Need::kRequired, {"PER_TENSOR", "PER_CHANNEL", "PER_BLOCK", "LPBQ"});
  if (kind) encoding.geometry.kind = KindOf(*kind);
  const std::optional<bool> symmetric = fields.Truth("is_sym", Need::kRequired);
  if (symmetric) facts.set_is_symmetric(*symmetric);
  v1::QParams& qparams = *encoding.spec.mutable_qparams();
  const std::optional<NumberArray> scales = fields.FlatNumbers("scale", Need::kRequired);
  if (scales) qparams.mutable_scales()->Add(scales->numbers.begin(), scales->numbers.end());
  const std::optional<NumberArray> offsets = fields.FlatNumbers("offset", Need::kRequired);
  if (offsets) facts.mutable_offsets()->Add(offsets->numbers.begin(), offsets->numbers.end());
  if (encoding.geometry.kind != Geometry::kNested) ReadShift(fields, facts);
  if (encoding.geometry.kind == Geometry::kBlocks || encoding.geometry.kind == Geometry::kNested) {
    ReadBlocks(fields, encoding);
  }
  RefuseOtherGeometry(fields, encoding.geometry.kind);
  // Of nested scales `bw` is the width of scale factor and weight together, and offsets are on its grid: it stays the
  // width of an entry that has problems, for those who judge its offsets.
  std::optional<int64_t> compressed;
  if (encoding.geometry.kind == Geometry::kNested) {
    compressed = fields.Integer("compressed_bw", Need::kRequired);
    if (bits && compressed && IsWidth(*bits) && (*compressed >= *bits || *compressed < 1)) {
      fields.Invalid("compressed_bw", *fields.Find("compressed_bw", Need::kOptional), "1 or more, and less than bw");
    }
  }
  if (!facts.problems().empty()) return;
  if (compressed && IsWidth(*bits)) {
    facts.set_bit_width(*compressed);
    qparams.set_block_scale_bits(static_cast<int32_t>(*bits - *compressed));
  }
  const bool is_signed = *symmetric && (facts.section() == v1::Encoding::SECTION_PARAMETERS ||
                                        encoding.geometry.kind >= Geometry::kBlocks);
  SetType(IntegerType(facts.bit_width(), is_signed), *symmetric, encoding);
  if (encoding.has_spec && *bits >= 1 && *bits <= 64) SetZeroPoints(*bits, is_signed, encoding);
}

}  // namespace quantgate::encodings
