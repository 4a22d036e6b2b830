#include "client/qnn_net/net_encoding.h"

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "rules/graph/data_type.h"

namespace quantgate::qnn_net {
namespace {

constexpr int64_t kMaxBits = 32;

// An enumerator; -1: the field is not there.
absl::Status ReadEnumerator(JsonValue object, absl::string_view key, int64_t& number) {
  const JsonValue::Member member = object.Find(key);
  number = -1;
  if (!member.found) return absl::OkStatus();
  if (!member.value.is_integer()) return Malformed(absl::StrCat("\"", key, "\" is no integer"), member.value);
  number = static_cast<int64_t>(member.value.number());
  return absl::OkStatus();
}

absl::Status AddScaleOffset(JsonValue object, v1::QParams& qparams) {
  const JsonValue::Member scale = object.Find("scale");
  const JsonValue::Member offset = object.Find("offset");
  if (!scale.found || !scale.value.is_number()) return Malformed("no number \"scale\"", object);
  if (offset.found && !offset.value.is_integer()) return Malformed("\"offset\" is no integer", offset.value);
  qparams.add_scales(scale.value.number());
  qparams.add_zero_points(0.0 - (offset.found ? offset.value.number() : 0.0));
  return absl::OkStatus();
}

absl::Status AddList(JsonValue list, const char* name, JsonValue owner, v1::QParams& qparams) {
  if (!list.is_array()) return Malformed(absl::StrCat("no list \"", name, "\""), owner);
  absl::Status status;
  list.ForEach([&](absl::string_view, JsonValue entry) {
    status = AddScaleOffset(entry, qparams);
    return status.ok();
  });
  return status;
}

absl::Status AddNumbers(JsonValue object, absl::string_view name, double sign,
                        google::protobuf::RepeatedField<double>& numbers) {
  const JsonValue::Member list = object.Find(name);
  if (!list.found) return absl::OkStatus();
  absl::Status status;
  list.value.ForEach([&](absl::string_view, JsonValue number) {
    if (!number.is_number()) status = Malformed(absl::StrCat("a member of \"", name, "\" is no number"), number);
    numbers.Add(sign < 0 ? 0.0 - number.number() : number.number());
    return status.ok();
  });
  return status;
}

absl::Status AddAxis(JsonValue object, v1::Spec& spec) {
  const JsonValue::Member axis = object.Find("axis");
  constexpr double kMaxRank = 1024;
  if (!axis.found || !axis.value.is_integer() || axis.value.number() > kMaxRank || axis.value.number() < -kMaxRank) {
    return Malformed("no integer \"axis\"", object);
  }
  spec.set_axis(static_cast<int32_t>(axis.value.number()));
  spec.mutable_qparams()->add_axes(spec.axis());
  return absl::OkStatus();
}

// A range that is stated is what tells a bit-width encoding.
absl::Status StateRange(JsonValue object, v1::Spec& spec) {
  const JsonValue::Member stated = object.Find("bitwidth");
  const double bits = stated.found && stated.value.is_integer() ? stated.value.number() : 0;
  if (!(bits >= 1 && bits <= static_cast<double>(kMaxBits))) {
    return Malformed(absl::StrCat("no \"bitwidth\" from 1 to ", kMaxBits), stated.found ? stated.value : object);
  }
  const int64_t levels = int64_t{1} << static_cast<int>(bits);
  const bool is_signed = IsSigned(spec.dtype());
  spec.set_quant_min(is_signed ? -levels / 2 : 0);
  spec.set_quant_max(is_signed ? levels / 2 - 1 : levels - 1);
  return absl::OkStatus();
}

// "scale_offsets", as many as "num_scale_offsets" says where it is there.
absl::Status AddScaleOffsets(JsonValue owner, v1::QParams& qparams) {
  const JsonValue::Member list = owner.Find("scale_offsets");
  if (absl::Status status = AddList(list.value, "scale_offsets", owner, qparams); !status.ok()) return status;
  const JsonValue::Member count = owner.Find("num_scale_offsets");
  if (!count.found || (count.value.is_integer() && count.value.number() == list.value.size())) return absl::OkStatus();
  return Malformed(
      absl::StrCat("\"num_scale_offsets\" is ", count.value.Excerpt(), " beside ", list.value.size(), " of them"),
      count.value);
}

// ONNX Runtime's QNN provider, asked for its graphs, writes "scale_offset" whatever the encoding: of others it is the
// memory of something else, and their numbers are not in the file.
bool IsLeftOut(JsonValue quant_params, int64_t kind) {
  if (kind != kAxisScaleOffset && kind != kBwScaleOffset && kind != kBwAxisScaleOffset) return false;
  for (const char* name : {"axis_scale_offset", "bw_scale_offset", "bw_axis_scale_offset"}) {
    if (quant_params.Find(name).found) return false;
  }
  const JsonValue::Member written = quant_params.Find("scale_offset");
  return written.found && !written.value.Find("bitwidth").found;
}

// Where the numbers are not known. Of signed types with these encodings converters make offsets of 0.
v1::Spec::QScheme SchemeOf(int64_t kind, bool is_signed) {
  if (kind == kBwScaleOffset) return is_signed ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE;
  return is_signed ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_CHANNEL_AFFINE;
}

}  // namespace

absl::Status Malformed(absl::string_view what, JsonValue value) {
  const JsonPlace place = value.place();
  return UnreadableFile(
      absl::StrCat("is no QNN *_net.json: ", what, ", at line ", place.line, ", column ", place.column));
}

absl::Status ReadEncoding(JsonValue quant_params, DataType type, v1::Spec& spec) {
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type.type);
  spec.set_is_dynamic(false);
  int64_t definition = 0, kind = 0;
  if (absl::Status status = ReadEnumerator(quant_params, "definition", definition); !status.ok()) return status;
  if (absl::Status status = ReadEnumerator(quant_params, "encoding", kind); !status.ok()) return status;
  if (definition != kDefined) return absl::OkStatus();
  if (IsLeftOut(quant_params, kind)) {
    spec.set_qscheme(SchemeOf(kind, IsSigned(spec.dtype())));
    return absl::OkStatus();
  }
  v1::QParams& qparams = *spec.mutable_qparams();
  const auto member = [&](const char* name) { return quant_params.Find(name); };
  switch (kind) {
    case kScaleOffset: {
      const JsonValue::Member found = member("scale_offset");
      return found.found ? AddScaleOffset(found.value, qparams) : Malformed("no \"scale_offset\"", quant_params);
    }
    case kBwScaleOffset: {
      JsonValue::Member found = member("bw_scale_offset");
      if (!found.found) found = member("scale_offset");
      if (!found.found) return Malformed("no \"bw_scale_offset\"", quant_params);
      if (absl::Status status = StateRange(found.value, spec); !status.ok()) return status;
      return AddScaleOffset(found.value, qparams);
    }
    case kAxisScaleOffset: {
      const JsonValue::Member found = member("axis_scale_offset");
      if (!found.found) return Malformed("no \"axis_scale_offset\"", quant_params);
      if (absl::Status status = AddAxis(found.value, spec); !status.ok()) return status;
      return AddScaleOffsets(found.value, qparams);
    }
    case kBwAxisScaleOffset: {
      JsonValue::Member found = member("bw_axis_scale_offset");
      if (!found.found) found = member("axis_scale_offset");
      if (!found.found) return Malformed("no \"bw_axis_scale_offset\"", quant_params);
      if (absl::Status status = AddAxis(found.value, spec); !status.ok()) return status;
      if (absl::Status status = StateRange(found.value, spec); !status.ok()) return status;
      if (found.value.Find("scale_offsets").found) return AddScaleOffsets(found.value, qparams);
      if (absl::Status status = AddNumbers(found.value, "scales", 1, *qparams.mutable_scales()); !status.ok()) {
        return status;
      }
      return AddNumbers(found.value, "offsets", -1, *qparams.mutable_zero_points());
    }
    case kBlock:
    case kBlockwiseExpansion:
      spec.set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

}  // namespace quantgate::qnn_net
