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
#include "client/encodings/geometry.h"
#include "client/encodings/read.h"
#include "client/error.h"
#include "client/fix/writer.h"
#include "client/json/document.h"
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

// Offsets and zero points, which are whole but in a few files.
Value Whole(double number) {
  const bool whole = std::fabs(number) <= UINT32_MAX && number == std::trunc(number);
  return whole ? Value(static_cast<int64_t>(number)) : Value(number);
}

Value WholeList(const std::vector<double>& numbers, Allocator& allocator) {
  Value list(rapidjson::kArrayType);
  for (const double number : numbers) list.PushBack(Whole(number), allocator);
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
    Set(channel, "offset", Whole(stated.offsets[i]), allocator);
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
  std::vector<double> whole;
  std::vector<double> rest;
  for (const double offset : stated.offsets) {
    whole.push_back(std::floor(offset));
    rest.push_back(offset - whole.back());
  }
  Set(entry, "offset", WholeList(whole, allocator), allocator);
  entry.RemoveMember("zero_point_shift");
  if (absl::c_any_of(rest, [](double part) { return part != 0; })) {
    Set(entry, "zero_point_shift", List(rest, allocator), allocator);
  }
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
    Set(entry, "y_zero_point", per_channel ? WholeList(zero_points, allocator) : Whole(zero_points[0]), allocator);
  }
  entry.RemoveMember("axis");
  if (per_channel) Set(entry, "axis", Value(qparams.axes(0)), allocator);
}

// Why an encodings file cannot say what the change asks for, whatever its version; "": it can.
std::string CannotSay(const TensorChange& change, const v1::Encoding* encoding) {
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
  return "";
}

bool SameNumbers(const v1::QParams& a, const v1::QParams& b) {
  if (!absl::c_equal(a.scales(), b.scales())) return false;
  if (a.scales_size() > 1 && !absl::c_equal(a.axes(), b.axes())) return false;
  for (int i = 0; i < a.scales_size(); ++i) {
    if (ZeroPoint(a, i) != ZeroPoint(b, i)) return false;
  }
  return true;
}

// Whether readers take the written entry for `after`: older layouts have no axes, and signed types for some alone.
bool Says(absl::string_view text, const v1::EncodingsFile& file, v1::Encoding::Section section, const v1::Value& value,
          int channel_axis, const v1::Spec& after) {
  const absl::StatusOr<JsonDocument> document = JsonDocument::Parse(text);
  if (!document.ok()) return false;
  ReadEncoding read;
  read.facts.set_section(section);
  switch (file.layout()) {
    case v1::EncodingsFile::LAYOUT_KEYED:
      ReadKeyed(document->root(), file.partial(), /*dtype_needed=*/false, read);
      break;
    case v1::EncodingsFile::LAYOUT_TWO_LISTS:
      ReadListed(document->root(), read);
      break;
    default:
      ReadOnnxStyle(document->root(), read);
  }
  if (!read.has_spec) return false;
  Lay(&value, channel_axis, read);
  return read.spec.dtype() == after.dtype() && SameNumbers(read.spec.qparams(), after.qparams());
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

absl::StatusOr<Splice> Rewrite(absl::string_view bytes, const std::vector<size_t>& lines, const v1::Encoding& encoding,
                               const v1::EncodingsFile& file, const v1::Spec& after) {
  const absl::Status changed = UnreadableFile("is not what was checked");
  if (encoding.line() < 1 || static_cast<size_t>(encoding.line()) > lines.size() || encoding.column() < 1) {
    return changed;
  }
  const size_t begin = lines[encoding.line() - 1] + static_cast<size_t>(encoding.column()) - 1;
  if (begin >= bytes.size()) return changed;
  rapidjson::MemoryStream stream(bytes.data() + begin, bytes.size() - begin);
  Document entry;
  constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseFullPrecisionFlag |
                              rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag;
  entry.ParseStream<kFlags>(stream);
  if (entry.HasParseError()) return changed;
  const bool keyed = file.layout() == v1::EncodingsFile::LAYOUT_KEYED;
  if (keyed ? !entry.IsArray() || entry.Empty() || !entry[0].IsObject() : !entry.IsObject()) return changed;
  switch (file.layout()) {
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
  const std::vector<size_t> lines = encodings::Lines(task.bytes);
  const encodings::Consumers consumers(task.graph);
  absl::Status broken;
  const auto prepare = [&](const TensorChange& change) -> absl::StatusOr<encodings::Splice> {
    const v1::Encoding* encoding = encoding_of(change);
    if (std::string why = encodings::CannotSay(change, encoding); !why.empty()) return absl::UnimplementedError(why);
    absl::StatusOr<encodings::Splice> splice = encodings::Rewrite(task.bytes, lines, *encoding, file, change.after);
    if (!splice.ok()) return broken = splice.status();
    if (!encodings::Says(splice->text, file, encoding->section(), task.graph.values(change.value),
                         consumers.ChannelAxis(change.value + 1), change.after)) {
      return absl::UnimplementedError("this version of the format cannot say it: it has no axes, or no such type");
    }
    return splice;
  };
  std::vector<encodings::Splice> splices;
  const auto carry = [&](const TensorChange&, const encodings::Splice& splice) { splices.push_back(splice); };
  WriteCorrections(task, prepare, carry, written.left);
  if (!broken.ok()) return broken;
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
