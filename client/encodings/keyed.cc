// The oldest layout: a tensor's name, and a list with one object for each channel. Overrides have it too, and may leave
// out all but a bit width.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/encodings/read.h"
#include "client/encodings/spec.h"

namespace quantgate::encodings {
namespace {

constexpr int64_t kMaxBits = 32;

// What converters compute of a range, the other way around from what quantizers do.
struct Computed {
  double scale;
  double offset;
};

Computed FromRange(double min, double max, int64_t bits, bool symmetric) {
  const double steps = std::ldexp(1.0, static_cast<int>(bits)) - 1;
  if (symmetric) {
    const double middle = std::ldexp(1.0, static_cast<int>(bits) - 1);
    return {std::max(std::fabs(min), std::fabs(max)) / (middle - 1), -middle};
  }
  min = std::min(min, 0.0);
  max = std::max(max, 0.0);
  const double scale = (max - min) / steps;
  return {scale, scale > 0 ? std::round(min / scale) : 0.0};
}

// One object of the list. Numbers that an earlier one has too must be the same.
class Channel {
 public:
  Channel(JsonValue object, bool partial, bool dtype_needed, ReadEncoding& encoding)
      : object_(object),
        fields_(object, encoding.facts.mutable_problems()),
        need_(partial ? Need::kOptional : Need::kRequired),
        dtype_need_(dtype_needed ? Need::kRequired : Need::kOptional),
        encoding_(encoding) {}

  void Read(bool first) {
    v1::Encoding& facts = encoding_.facts;
    const std::optional<int64_t> bits = fields_.Integer("bitwidth", Need::kRequired);
    if (bits) {
      if (!first && facts.bit_width() != *bits) {
        fields_.Invalid("bitwidth", *fields_.Find("bitwidth", Need::kOptional),
                        absl::StrCat(facts.bit_width(), ", as in the first channel"));
      } else {
        facts.set_bit_width(*bits);
      }
    }
    if (!ReadType(first)) return;
    // Real numbers have no grid. Overrides may say anything beside them: converters look at the type first.
    if (facts.is_float() && need_ == Need::kRequired) fields_.Forbid({"scale", "offset"}, "beside dtype float");
    if (facts.is_float()) return;
    if (const auto symmetric = fields_.TruthOrText("is_symmetric", need_)) {
      if (!first && facts.has_is_symmetric() && facts.is_symmetric() != *symmetric) {
        fields_.Invalid("is_symmetric", *fields_.Find("is_symmetric", Need::kOptional), "that of the first channel");
      }
      facts.set_is_symmetric(*symmetric);
    }
    ReadNumbers(bits.value_or(0));
  }

 private:
  // False: not the first channel's.
  bool ReadType(bool first) {
    v1::Encoding& facts = encoding_.facts;
    const auto type = fields_.Choice("dtype", dtype_need_, {"int", "float"});
    if (!type) return true;
    const bool is_float = *type == "float";
    if (first) facts.set_is_float(is_float);
    if (is_float == facts.is_float()) return true;
    fields_.Invalid("dtype", *fields_.Find("dtype", Need::kOptional), "that of the first channel");
    return false;
  }

  void ReadNumbers(int64_t bits) {
    v1::Encoding& facts = encoding_.facts;
    // They follow from scale and offset; who states one of them states both.
    const bool has_range = fields_.Find("min", Need::kOptional) || fields_.Find("max", Need::kOptional);
    const Need range_need = has_range ? Need::kRequired : Need::kOptional;
    const std::optional<double> min = fields_.Number("min", range_need);
    const std::optional<double> max = fields_.Number("max", range_need);
    std::optional<double> scale = fields_.Number("scale", need_);
    std::optional<double> offset = fields_.Number("offset", need_);
    if (min && max) {
      facts.add_minima(*min);
      facts.add_maxima(*max);
    }
    const bool computable = min && max && bits > 1 && bits <= kMaxBits;
    if (need_ == Need::kOptional && computable && (!scale || !offset)) {
      const Computed computed = FromRange(*min, *max, bits, facts.is_symmetric());
      facts.set_scale_is_computed(!scale);
      if (!scale) scale = computed.scale;
      if (!offset) offset = computed.offset;
    }
    if (scale) encoding_.spec.mutable_qparams()->add_scales(*scale);
    if (offset) facts.add_offsets(*offset);
  }

  JsonValue object_;
  Fields fields_;
  Need need_;
  Need dtype_need_;
  ReadEncoding& encoding_;
};

}  // namespace

void ReadKeyed(JsonValue entries, bool partial, bool dtype_needed, ReadEncoding& encoding) {
  v1::Encoding& facts = encoding.facts;
  if (!entries.is_array() || entries.size() == 0) {
    AddProblem(v1::EncodingProblem::KIND_INVALID, "", entries.Excerpt(), "a list of encodings, one for each channel",
               entries.place(), facts.mutable_problems());
    return;
  }
  bool first = true;
  entries.ForEach([&](absl::string_view, JsonValue entry) {
    if (!entry.is_object()) {
      AddProblem(v1::EncodingProblem::KIND_INVALID, "", entry.Excerpt(), "an object", entry.place(),
                 facts.mutable_problems());
      return false;
    }
    Channel(entry, partial, dtype_needed, encoding).Read(first);
    first = false;
    // A thousand channels that all lack a field lack it once.
    return facts.problems().empty();
  });
  if (!facts.problems().empty()) return;
  if (facts.is_float()) return SetReal(RealType(facts.bit_width()), encoding);
  if (entries.size() > 1) encoding.geometry.kind = Geometry::kPerChannel;
  // A width alone is an override as well: the converter finds the numbers.
  if (encoding.spec.qparams().scales_size() != facts.offsets_size()) return;
  const bool is_signed = facts.section() == v1::Encoding::SECTION_PARAMETERS && facts.is_symmetric();
  SetType(IntegerType(facts.bit_width(), is_signed), facts.is_symmetric(), encoding);
  if (encoding.has_spec) SetZeroPoints(facts.bit_width(), is_signed, encoding);
}

}  // namespace quantgate::encodings
