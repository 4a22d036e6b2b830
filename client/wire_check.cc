#include "client/wire_check.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/error.h"
#include "client/text.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/message.h"
#include "google/protobuf/wire_format_lite.h"

namespace quantgate {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::internal::WireFormatLite;

constexpr int64_t kStringObject = 32;

int64_t ElementSize(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return 8;
    case FieldDescriptor::CPPTYPE_BOOL:
      return 1;
    default:
      return 4;
  }
}

WireFormatLite::WireType NaturalWireType(const FieldDescriptor& field) {
  return WireFormatLite::WireTypeForFieldType(static_cast<WireFormatLite::FieldType>(field.type()));
}

class Walker {
 public:
  Walker(absl::string_view bytes, const WireLimits& limits)
      : bytes_(bytes),
        in_(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size())),
        limits_(limits) {
    in_.SetTotalBytesLimit(std::numeric_limits<int>::max());
  }

  absl::Status Walk(const Descriptor& type, int end, int depth) {
    if (depth > limits_.max_depth) {
      return BeyondLimit(absl::StrCat("messages are nested more than ", limits_.max_depth, " deep, at ", Where()));
    }
    while (in_.CurrentPosition() < end) {
      const uint32_t tag = in_.ReadTag();
      const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      if (field != nullptr) path_.push_back(field->name().c_str());
      absl::Status status = Field(tag, field, end, depth);
      if (!status.ok()) return status;
      if (field != nullptr) path_.pop_back();
      if (memory_ > limits_.max_memory) {
        return BeyondLimit(absl::StrCat("takes more than ", limits_.max_memory, " bytes in memory, at ", Where()));
      }
    }
    if (in_.CurrentPosition() > end) return Malformed("a field goes beyond the message that it is in");
    return absl::OkStatus();
  }

 private:
  absl::Status Field(uint32_t tag, const FieldDescriptor* field, int end, int depth) {
    if (WireFormatLite::GetTagFieldNumber(tag) == 0) return Malformed("not a field");
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT: {
        uint64_t value;
        if (!in_.ReadVarint64(&value)) return Malformed("the file is cut, or a number is damaged");
        if (field == nullptr || field->is_repeated()) memory_ += 8;
        return absl::OkStatus();
      }
      case WireFormatLite::WIRETYPE_FIXED32:
        return Skip(4, end, field);
      case WireFormatLite::WIRETYPE_FIXED64:
        return Skip(8, end, field);
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        break;
      default:
        return Malformed("not a field");
    }
    uint64_t length;
    if (!in_.ReadVarint64(&length)) return Malformed("the file is cut, or a length is damaged");
    const int64_t left = int64_t{end} - in_.CurrentPosition();
    if (left < 0 || length > static_cast<uint64_t>(left)) {
      return Malformed(absl::StrCat("it claims ", length, " bytes, but only ", std::max<int64_t>(left, 0),
                                    " are left: the file is cut or damaged"));
    }
    const int size = static_cast<int>(length);
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return Message(*field, size, depth);
    if (field != nullptr && field->is_packable()) return Packed(*field, size);
    return String(field, size);
  }

  absl::Status Skip(int size, int end, const FieldDescriptor* field) {
    if (in_.CurrentPosition() + int64_t{size} > end) return Malformed("the file is cut");
    in_.Skip(size);
    if (field == nullptr || field->is_repeated()) memory_ += 8;
    return absl::OkStatus();
  }

  absl::Status String(const FieldDescriptor* field, int size) {
    // The parser refuses ill-formed text in proto3 string fields only.
    if (field != nullptr && field->type() == FieldDescriptor::TYPE_STRING &&
        field->file()->syntax() == FileDescriptor::SYNTAX_PROTO3 &&
        Utf8Prefix(bytes_.substr(in_.CurrentPosition(), size)) != static_cast<size_t>(size)) {
      return Malformed("text that is not UTF-8");
    }
    in_.Skip(size);
    memory_ += kStringObject + size;
    return absl::OkStatus();
  }

  absl::Status Message(const FieldDescriptor& field, int size, int depth) {
    const Descriptor& type = *field.message_type();
    memory_ += ObjectSize(type) + 8;
    if (&type == limits_.counted && ++counted_ > limits_.max_counted) {
      return BeyondLimit(absl::StrCat("more than ", limits_.max_counted, " nodes"));
    }
    return Walk(type, in_.CurrentPosition() + size, depth + 1);
  }

  absl::Status Packed(const FieldDescriptor& field, int size) {
    const absl::string_view data = bytes_.substr(in_.CurrentPosition(), size);
    int64_t count = 0;
    if (NaturalWireType(field) == WireFormatLite::WIRETYPE_VARINT) {
      int run = 0;
      for (unsigned char c : data) {
        run = c < 0x80 ? 0 : run + 1;
        count += c < 0x80;
        if (run >= 10) return Malformed("a number is damaged");
      }
      if (run != 0) return Malformed("a number is cut");
    } else {
      const int width = NaturalWireType(field) == WireFormatLite::WIRETYPE_FIXED32 ? 4 : 8;
      if (size % width != 0) return Malformed("a number is cut");
      count = size / width;
    }
    memory_ += count * ElementSize(field);
    in_.Skip(size);
    return absl::OkStatus();
  }

  int64_t ObjectSize(const Descriptor& type) {
    auto [entry, is_new] = object_sizes_.try_emplace(&type, 0);
    if (is_new) {
      entry->second = static_cast<int64_t>(
          google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->SpaceUsedLong());
    }
    return entry->second;
  }

  std::string Where() const {
    return absl::StrCat(path_.empty() ? "the top level" : absl::StrJoin(path_, "."), ", byte ", in_.CurrentPosition());
  }
  absl::Status Malformed(absl::string_view what) const {
    return UnreadableFile(absl::StrCat("at ", Where(), ": ", what));
  }

  const absl::string_view bytes_;
  google::protobuf::io::CodedInputStream in_;
  const WireLimits& limits_;
  int64_t memory_ = 0;
  int64_t counted_ = 0;
  std::vector<const char*> path_;
  absl::flat_hash_map<const Descriptor*, int64_t> object_sizes_;
};

}  // namespace

absl::Status CheckWire(absl::string_view bytes, const Descriptor& type, const WireLimits& limits) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return BeyondLimit(absl::StrCat(bytes.size(), " bytes in one protobuf message; the format ends at 2 GiB"));
  }
  return Walker(bytes, limits).Walk(type, static_cast<int>(bytes.size()), 1);
}

int WireFit(absl::string_view bytes, const Descriptor& type) {
  constexpr int kFields = 32;
  google::protobuf::io::CodedInputStream in(
      reinterpret_cast<const uint8_t*>(bytes.data()),
      static_cast<int>(std::min<size_t>(bytes.size(), std::numeric_limits<int>::max())));
  int fit = 0;
  for (int i = 0; i < kFields; ++i) {
    const uint32_t tag = in.ReadTag();
    if (tag == 0) break;
    const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    const WireFormatLite::WireType wire_type = WireFormatLite::GetTagWireType(tag);
    const bool known =
        field != nullptr && (wire_type == NaturalWireType(*field) ||
                             (field->is_packable() && wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
    fit += known ? 1 : -1;
    if (!WireFormatLite::SkipField(&in, tag)) break;
  }
  return fit;
}

}  // namespace quantgate
