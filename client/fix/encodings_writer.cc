// Encodings files in the version they came in: the entries of tensors that change are written anew, every other byte
// stays.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/fix/writer.h"
#include "rapidjson/document.h"
#include "rapidjson/memorystream.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace encodings {
namespace {

using rapidjson::Document;
using rapidjson::Value;
using Allocator = Document::AllocatorType;

// What the older layouts can say of a spec: a grid that starts at 0, and whether its middle is the zero.
struct Stated {
  int64_t bits = 0;
  bool symmetric = false;
  std::vector<double> scales;
  std::vector<double> offsets;
};

double ZeroPoint(const v1::QParams& qparams, int i) {
  if (qparams.zero_points().empty()) return 0;
  return qparams.zero_points(qparams.zero_points_size() == 1 ? 0 : i);
}

Stated StatedOf(const v1::Spec& spec) {
  Stated stated;
  stated.bits = BitWidth(spec.dtype());
  const double middle = std::ldexp(1.0, static_cast<int>(stated.bits) - 1);
  stated.symmetric = true;
  for (int i = 0; i < spec.qparams().scales_size(); ++i) {
    stated.scales.push_back(spec.qparams().scales(i));
    stated.offsets.push_back(0.0 - ZeroPoint(spec.qparams(), i) - (IsSigned(spec.dtype()) ? middle : 0.0));
    stated.symmetric = stated.symmetric && stated.offsets.back() == -middle;
  }
  return stated;
}

void Set(Value& object, const char* name, Value value, Allocator& allocator) {
  if (object.HasMember(name)) {
    object[name] = std::move(value);
  } else {
    object.AddMember(Value(name, allocator), std::move(value), allocator);
  }
}

Value List(const std::vector<double>& numbers, Allocator& allocator) {
  Value list(rapidjson::kArrayType);
  for (const double number : numbers) list.PushBack(number, allocator);
  return list;
}

// A truth value in the way the entry has it: AIMET's oldest versions write it as text.
Value Truth(const Value& object, const char* name, bool value, Allocator& allocator) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsString()) return Value(value);
  return Value(value ? "True" : "False", allocator);
}

void WriteKeyed(const v1::Spec& after, Value& entry, Allocator& allocator) {
  const Stated stated = StatedOf(after);
  const Value model(entry[0], allocator);
  entry.Clear();
  for (size_t i = 0; i < stated.scales.size(); ++i) {
    Value channel(model, allocator);
    const double scale = stated.scales[i];
    const double steps = std::ldexp(1.0, static_cast<int>(stated.bits)) - 1;
    Set(channel, "is_symmetric", Truth(channel, "is_symmetric", stated.symmetric, allocator), allocator);
    Set(channel, "bitwidth", Value(stated.bits), allocator);
    Set(channel, "scale", Value(scale), allocator);
    Set(channel, "offset", Value(stated.offsets[i]), allocator);
    Set(channel, "min", Value(scale * stated.offsets[i]), allocator);
    Set(channel, "max", Value(scale * (stated.offsets[i] + steps)), allocator);
    entry.PushBack(std::move(channel), allocator);
  }
}

void WriteListed(const v1::Spec& after, Value& entry, Allocator& allocator) {
  const Stated stated = StatedOf(after);
  Set(entry, "bw", Value(stated.bits), allocator);
  Set(entry, "is_sym", Value(stated.symmetric), allocator);
  Set(entry, "enc_type", Value(after.qparams().axes().empty() ? "PER_TENSOR" : "PER_CHANNEL", allocator), allocator);
  Set(entry, "scale", List(stated.scales, allocator), allocator);
  Set(entry, "offset", List(stated.offsets, allocator), allocator);
}

void WriteOnnxStyle(const v1::Spec& after, Value& entry, Allocator& allocator) {
  const v1::QParams& qparams = after.qparams();
  Set(entry, "output_dtype", Value(std::string(DataTypeName(after.dtype())).c_str(), allocator), allocator);
  const bool per_channel = !qparams.axes().empty();
  const std::vector<double> scales(qparams.scales().begin(), qparams.scales().end());
  std::vector<double> zero_points;
  zero_points.reserve(qparams.scales_size());
  for (int i = 0; i < qparams.scales_size(); ++i) zero_points.push_back(ZeroPoint(qparams, i));
  Set(entry, "y_scale", per_channel ? List(scales, allocator) : Value(scales[0]), allocator);
  entry.RemoveMember("y_zero_point");
  if (absl::c_any_of(zero_points, [](double zero_point) { return zero_point != 0; })) {
    Set(entry, "y_zero_point", per_channel ? List(zero_points, allocator) : Value(zero_points[0]), allocator);
  }
  entry.RemoveMember("axis");
  if (per_channel) Set(entry, "axis", Value(qparams.axes(0)), allocator);
}

// Why the layout cannot say what the change asks for; "": it can.
std::string CannotSay(const TensorChange& change, const v1::Encoding* encoding, v1::EncodingsFile::Layout layout) {
  const v1::Spec& after = change.after;
  if (encoding == nullptr || encoding->spec() == 0) return "the file has no encoding that could be changed";
  if (change.reader >= 0) return "one reader alone is to see the change, and an encoding is for all of them";
  if (after.kind() != v1::Spec::PLAIN || after.qparams().scales().empty())
    return "its numbers are found by calibration";
  if (!IsInteger(after.dtype()) || BitWidth(after.dtype()) > 32) return "it would be no integer type";
  if (!after.qparams().block_sizes().empty() || !after.qparams().block_scales().empty() ||
      !change.before.qparams().block_sizes().empty()) {
    return "scales of blocks are not written";
  }
  if (after.qparams().axes_size() > 1) return "it has more than one axis";
  if (layout == v1::EncodingsFile::LAYOUT_ONE_LIST || !IsSigned(after.dtype())) {
    const bool parameter = encoding->section() == v1::Encoding::SECTION_PARAMETERS;
    if (layout != v1::EncodingsFile::LAYOUT_ONE_LIST && parameter && StatedOf(after).symmetric) {
      return "this version of the format takes a symmetric parameter for a signed one";
    }
    return "";
  }
  if (encoding->section() != v1::Encoding::SECTION_PARAMETERS || !StatedOf(after).symmetric) {
    return "this version of the format has signed types for symmetric parameters alone";
  }
  return "";
}

// Where lines begin.
std::vector<size_t> Lines(absl::string_view bytes) {
  std::vector<size_t> lines = {0};
  for (size_t at = bytes.find('\n'); at != absl::string_view::npos; at = bytes.find('\n', at + 1))
    lines.push_back(at + 1);
  return lines;
}

struct Splice {
  size_t begin;
  size_t end;
  std::string text;
};

absl::StatusOr<Splice> Rewrite(absl::string_view bytes, size_t begin, v1::EncodingsFile::Layout layout,
                               const v1::Spec& after) {
  const absl::Status changed = CodedError(absl::StatusCode::kInvalidArgument, "FI001", "is not what was checked");
  if (begin >= bytes.size()) return changed;
  rapidjson::MemoryStream stream(bytes.data() + begin, bytes.size() - begin);
  Document entry;
  constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseFullPrecisionFlag |
                              rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag;
  entry.ParseStream<kFlags>(stream);
  if (entry.HasParseError()) return changed;
  const bool keyed = layout == v1::EncodingsFile::LAYOUT_KEYED;
  if (keyed ? !entry.IsArray() || entry.Empty() || !entry[0].IsObject() : !entry.IsObject()) return changed;
  switch (layout) {
    case v1::EncodingsFile::LAYOUT_KEYED:
      WriteKeyed(after, entry, entry.GetAllocator());
      break;
    case v1::EncodingsFile::LAYOUT_TWO_LISTS:
      WriteListed(after, entry, entry.GetAllocator());
      break;
    default:
      WriteOnnxStyle(after, entry, entry.GetAllocator());
  }
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, rapidjson::CrtAllocator,
                    rapidjson::kWriteNanAndInfFlag>
      writer(text);
  entry.Accept(writer);
  return Splice{begin, begin + stream.Tell(), std::string(text.GetString(), text.GetSize())};
}

}  // namespace
}  // namespace encodings

absl::StatusOr<WrittenModel> WriteEncodings(const WriteTask& task) {
  const v1::EncodingsFile& file = task.graph.encodings_file();
  absl::flat_hash_map<int32_t, const v1::Encoding*> by_value;
  for (const v1::Encoding& encoding : file.encodings()) by_value.emplace(encoding.value() - 1, &encoding);
  const auto encoding_of = [&](const TensorChange& change) {
    const auto found = by_value.find(change.value);
    return found == by_value.end() ? nullptr : found->second;
  };
  WrittenModel written;
  // The changes of one correction hold together or not at all.
  absl::flat_hash_map<int32_t, std::string> impossible;
  for (const TensorChange& change : task.changes) {
    std::string why = encodings::CannotSay(change, encoding_of(change), file.layout());
    if (!why.empty()) impossible.emplace(change.correction, std::move(why));
  }
  const std::vector<size_t> lines = encodings::Lines(task.bytes);
  std::vector<encodings::Splice> splices;
  for (const TensorChange& change : task.changes) {
    if (const auto found = impossible.find(change.correction); found != impossible.end()) {
      written.left.push_back({task.graph.values(change.value).name(), found->second});
      continue;
    }
    const v1::Encoding& encoding = *encoding_of(change);
    if (encoding.line() < 1 || static_cast<size_t>(encoding.line()) > lines.size() || encoding.column() < 1) {
      return CodedError(absl::StatusCode::kInvalidArgument, "FI001", "is not what was checked");
    }
    const size_t begin = lines[encoding.line() - 1] + static_cast<size_t>(encoding.column()) - 1;
    absl::StatusOr<encodings::Splice> splice = encodings::Rewrite(task.bytes, begin, file.layout(), change.after);
    if (!splice.ok()) return splice.status();
    splices.push_back(*std::move(splice));
  }
  absl::c_sort(splices, [](const encodings::Splice& a, const encodings::Splice& b) { return a.begin < b.begin; });
  size_t copied = 0;
  for (const encodings::Splice& splice : splices) {
    if (splice.begin < copied) continue;  // two changes of one tensor: the first stands
    absl::StrAppend(&written.bytes, task.bytes.substr(copied, splice.begin - copied), splice.text);
    copied = splice.end;
  }
  absl::StrAppend(&written.bytes, task.bytes.substr(copied));
  return written;
}

}  // namespace quantgate
