#include "client/onnx/tensor_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/base/casts.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "client/tensor/element.h"
#include "client/tensor/scan.h"
#include "client/text.h"
#include "rules/graph/elements.h"
#include "rules/onnx/data_type.h"

namespace quantgate {
namespace {

// Scales of one tensor: a 16384 x 16384 weight in blocks of 256.
constexpr int64_t kMaxParameters = int64_t{1} << 20;
// Biases, shapes, axes.
constexpr int64_t kMaxVector = 65'536;

// Bytes of elements that have memory pages of their own.
constexpr int64_t kMovedFrom = 128 << 10;

// Elements of a typed field stand for this many bits of the packed layout. ONNX keeps types below 8 bits packed inside
// int32_data: one byte, that is two 4-bit or four 2-bit elements, in each entry.
int64_t EntryBits(v1::DataType dtype) { return std::max(8, ElementBits(dtype)); }

// Bytes of the typed field that holds elements of this type, in the packed layout. -1: no field does.
int64_t TypedBytes(const onnx::TensorProto& tensor, v1::DataType dtype) {
  switch (dtype) {
    case v1::DATA_TYPE_UNSPECIFIED:
      return -1;
    case v1::DATA_TYPE_FLOAT32:
    case v1::DATA_TYPE_COMPLEX64:
      return tensor.float_data_size() * int64_t{4};
    case v1::DATA_TYPE_FLOAT64:
    case v1::DATA_TYPE_COMPLEX128:
      return tensor.double_data_size() * int64_t{8};
    case v1::DATA_TYPE_INT64:
      return tensor.int64_data_size() * int64_t{8};
    case v1::DATA_TYPE_UINT32:
      return tensor.uint64_data_size() * int64_t{4};
    case v1::DATA_TYPE_UINT64:
      return tensor.uint64_data_size() * int64_t{8};
    case v1::DATA_TYPE_STRING: {
      int64_t bytes = 0;
      for (const std::string& text : tensor.string_data()) bytes += static_cast<int64_t>(text.size());
      return bytes;
    }
    default:
      return tensor.int32_data_size() * (EntryBits(dtype) / 8);
  }
}

// Elements of a sub-byte integer type in one int32_data entry. An entry beyond one byte is kept as it is: its surplus
// shows in the last element.
void AddPackedEntry(int64_t entry, v1::DataType dtype, TensorScan& scan) {
  const int bits = ElementBits(dtype);
  const int64_t mask = (int64_t{1} << bits) - 1;
  const bool is_signed = dtype == v1::DATA_TYPE_INT4 || dtype == v1::DATA_TYPE_INT2;
  const int64_t sign = is_signed ? int64_t{1} << (bits - 1) : 0;
  const bool fits = entry >= -128 && entry <= 255;
  for (int shift = 0; shift < 8; shift += bits) {
    const bool last = shift + bits == 8;
    const int64_t pattern = last && !fits ? entry >> shift : (entry >> shift) & mask;
    scan.AddInteger(pattern <= mask && pattern >= 0 ? (pattern ^ sign) - sign : pattern);
  }
}

void AddInt32Data(const onnx::TensorProto& tensor, v1::DataType dtype, TensorScan& scan) {
  const int bits = ElementBits(dtype);
  for (int32_t entry : tensor.int32_data()) {
    if (IsRealType(dtype)) {
      // Bit patterns of small floats.
      const char bytes[2] = {static_cast<char>(entry), static_cast<char>(entry >> 8)};
      scan.AddBytes(absl::string_view(bytes, bits == 16 ? 2 : 1));
    } else if (bits < 8) {
      AddPackedEntry(entry, dtype, scan);
    } else {
      scan.AddInteger(entry);
    }
  }
}

void AddTypedData(const onnx::TensorProto& tensor, v1::DataType dtype, TensorScan& scan) {
  switch (dtype) {
    case v1::DATA_TYPE_FLOAT32:
      for (float value : tensor.float_data()) scan.AddReal(value);
      break;
    case v1::DATA_TYPE_FLOAT64:
      for (double value : tensor.double_data()) scan.AddReal(value);
      break;
    case v1::DATA_TYPE_INT64:
      for (int64_t value : tensor.int64_data()) scan.AddInteger(value);
      break;
    case v1::DATA_TYPE_UINT32:
    case v1::DATA_TYPE_UINT64:
      for (uint64_t value : tensor.uint64_data()) scan.AddUnsigned(value);
      break;
    default:
      if (IsIntegerType(dtype) || IsRealType(dtype)) AddInt32Data(tensor, dtype, scan);
  }
}

// Digits alone, as runtimes read them. None: it is no number, or one that no file is as long as.
std::optional<int64_t> ExternalNumber(absl::string_view text) {
  int64_t number = 0;
  absl::string_view digits = text;
  absl::ConsumePrefix(&digits, "-");
  if (!absl::c_all_of(digits, absl::ascii_isdigit) || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

// What a tensor says of where its data is.
struct StatedPlace {
  v1::ExternalData fact;
  // Offset or length are no number. Then neither is in the fact: it claims nothing that the file does not.
  bool no_number = false;
};

StatedPlace PlaceOf(const onnx::TensorProto& tensor) {
  StatedPlace place;
  v1::ExternalData& fact = place.fact;
  fact.set_length(-1);
  int locations = 0;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      fact.set_location(ToUtf8(entry.value()));
      ++locations;
    }
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const std::optional<int64_t> number = ExternalNumber(entry.value());
    if (!number) {
      place.no_number = true;
    } else if (entry.key() == "offset") {
      fact.set_offset(*number);
    } else {
      // -1 would mean "to the end" here, which readers take 0 for; a file that says -1 says something wrong.
      fact.set_length(*number == 0 ? -1 : *number == -1 ? -2 : *number);
    }
  }
  if (locations > 1) fact.clear_location();  // which of them is meant is for no reader to guess
  if (place.no_number) {
    fact.clear_offset();
    fact.set_length(-1);
  }
  return place;
}

// Where the data of a tensor is; `fact` is what there is to say of it.
ExternalRegion Locate(const onnx::TensorProto& tensor, v1::DataType dtype, const ExternalData& external,
                      v1::ExternalData* fact) {
  StatedPlace place = PlaceOf(tensor);
  *fact = std::move(place.fact);
  ExternalRegion region = external.Open(NaturalBytes(tensor.dims(), dtype), fact);
  if (!place.no_number || fact->status() != v1::ExternalData::READ) return region;
  fact->set_status(v1::ExternalData::BAD_RANGE);
  return {};
}

// Of the whole file that holds the data; empty: not stated.
std::string Checksum(const onnx::TensorProto& tensor) {
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "checksum") return entry.value();
  }
  return {};
}

}  // namespace

absl::Status TensorReader::Read(onnx::TensorProto& tensor, const ConstantUse& use, v1::Constant* constant) {
  ScanOptions options;
  options.dtype = DataTypeFromOnnx(tensor.data_type());
  options.dims.assign(tensor.dims().begin(), tensor.dims().end());
  options.axis = use.channel_axis;
  options.max_axis_size = axis_entries_left_;
  options.max_listed = use.is_parameter ? kMaxParameters : tensor.dims_size() <= 1 ? kMaxVector : 0;
  options.max_listed = std::min(options.max_listed, listed_left_);
  if (weights_.keeps()) options.kept = constant->mutable_data();

  const auto finish = [&](TensorScan& scan) {
    scan.Finish(constant);
    listed_left_ -= constant->ints_size() + constant->reals_size();
    axis_entries_left_ -= constant->statistics().axis_min_size();
  };

  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    constant->set_stored_bytes(-1);
    v1::ExternalData& fact = *constant->mutable_external();
    const ExternalRegion region = Locate(tensor, options.dtype, *external_, &fact);
    if (fact.status() != v1::ExternalData::READ) return absl::OkStatus();
    constant->set_stored_bytes(region.size);
    if (!external_->Scans(region, &fact)) return absl::OkStatus();
    if (absl::Status status = external_->Verify(region, fact.location(), Checksum(tensor)); !status.ok()) return status;
    absl::Status status = weights_.Take(region.size);
    if (!status.ok()) return status;
    TensorScan scan(options, region.size);
    status = external_->Stream(
        region, [&](absl::string_view bytes) { scan.AddBytes(bytes); }, &fact);
    if (!status.ok()) return status;
    if (fact.status() != v1::ExternalData::READ) {
      constant->set_stored_bytes(-1);
      return absl::OkStatus();
    }
    finish(scan);
    return absl::OkStatus();
  }
  // Some writers set every field: an empty raw_data next to a filled typed field is none.
  const int64_t typed_bytes = TypedBytes(tensor, options.dtype);
  if (!tensor.raw_data().empty() || (tensor.has_raw_data() && typed_bytes <= 0)) {
    const int64_t raw_bytes = static_cast<int64_t>(tensor.raw_data().size());
    if (absl::Status status = weights_.Take(raw_bytes); !status.ok()) return status;
    const int64_t width = static_cast<int64_t>(PackedWidth(options.dtype));
    const int64_t elements = width == 0 ? 0 : raw_bytes / width;
    const bool pack = pack_from_ > 0 && elements >= pack_from_ && elements <= options.max_listed;
    if (pack) options.max_listed = 0;
    TensorScan scan(options, raw_bytes);
    scan.AddBytes(tensor.raw_data());
    finish(scan);
    if (pack) {
      // Small ones are copied, lest the message's memory stay in pieces between them.
      if (raw_bytes < kMovedFrom) {
        constant->set_data(tensor.raw_data());
      } else {
        constant->mutable_data()->swap(*tensor.mutable_raw_data());
      }
      listed_left_ -= elements;
    }
    // A file with both holds the sum; which of the two is meant is for no reader to guess.
    constant->set_stored_bytes(raw_bytes + std::max<int64_t>(typed_bytes, 0));
    return absl::OkStatus();
  }
  constant->set_stored_bytes(typed_bytes);
  if (typed_bytes < 0) return absl::OkStatus();
  TensorScan scan(options, typed_bytes);
  AddTypedData(tensor, options.dtype, scan);
  finish(scan);
  if (weights_.keeps()) {
    if (absl::Status status = weights_.Take(typed_bytes); !status.ok()) return status;
    // Elements of text and of other types without a form of their own are not computed with.
    absl::StatusOr<std::string> bytes = ReadElements(tensor, external_);
    if (bytes.ok()) *constant->mutable_data() = *std::move(bytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadElements(const onnx::TensorProto& tensor, ExternalData* external) {
  const v1::DataType dtype = DataTypeFromOnnx(tensor.data_type());
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    v1::ExternalData fact;
    const ExternalRegion region = Locate(tensor, dtype, *external, &fact);
    std::string bytes;
    absl::Status status;
    if (fact.status() == v1::ExternalData::READ) {
      status = external->Stream(
          region, [&](absl::string_view part) { bytes.append(part.data(), part.size()); }, &fact);
    }
    if (!status.ok()) return status;
    if (fact.status() == v1::ExternalData::READ) return bytes;
    return absl::InvalidArgumentError("its external data cannot be read");
  }
  const int64_t typed_bytes = TypedBytes(tensor, dtype);
  if (!tensor.raw_data().empty() && typed_bytes > 0) return absl::InvalidArgumentError("its elements are there twice");
  if (!tensor.raw_data().empty()) return tensor.raw_data();
  const int width = static_cast<int>(EntryBits(dtype) / 8);
  std::string bytes;
  const auto append = [&](uint64_t pattern, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(pattern >> (8 * i)));
  };
  switch (dtype) {
    case v1::DATA_TYPE_FLOAT32:
      for (float value : tensor.float_data()) append(absl::bit_cast<uint32_t>(value), width);
      return bytes;
    case v1::DATA_TYPE_UINT32:
      for (uint64_t value : tensor.uint64_data()) append(value, width);
      return bytes;
    case v1::DATA_TYPE_INT64:
      for (int64_t value : tensor.int64_data()) append(static_cast<uint64_t>(value), width);
      return bytes;
    case v1::DATA_TYPE_UINT64:
      for (uint64_t value : tensor.uint64_data()) append(value, width);
      return bytes;
    case v1::DATA_TYPE_FLOAT64:
      for (double value : tensor.double_data()) append(absl::bit_cast<uint64_t>(value), width);
      return bytes;
    default:
      if (typed_bytes < 0 || width > 4) break;
      for (int32_t value : tensor.int32_data()) append(static_cast<uint32_t>(value), width);
      return bytes;
  }
  return absl::InvalidArgumentError("its elements are of a type without a packed layout");
}

}  // namespace quantgate
