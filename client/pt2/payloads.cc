#include "client/pt2/payloads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/error.h"
#include "client/pt2/schema.h"
#include "client/tensor/element.h"
#include "client/tensor/scan.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

// Two gigabytes of weights have a few thousand entries of 400 bytes.
constexpr int64_t kMaxConfigBytes = int64_t{64} << 20;
// Biases, scales, shapes.
constexpr int64_t kMaxVector = 65'536;
// Each byte of the file may be looked at this often.
constexpr int64_t kMaxReads = 16;
constexpr int64_t kAlwaysScanned = int64_t{64} << 20;
// Views that are not contiguous are gathered from the whole member.
constexpr int64_t kMaxGathered = int64_t{256} << 20;

// Sizes or strides ([{"as_int": 8}, ...]); nullopt: not all are known.
std::optional<std::vector<int64_t>> Integers(const Json* list) {
  if (list == nullptr) return std::nullopt;
  std::vector<int64_t> integers;
  for (const Json& entry : list->GetArray()) {
    const std::optional<int64_t> integer = IntegerOf(Find(&entry, "as_int"));
    if (!integer.has_value()) return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

// Elements from the beginning of the storage to the last one of the tensor; nullopt: more than can be counted, or a
// stride is negative, which torch does not have.
std::optional<int64_t> Extent(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, int64_t offset) {
  int64_t last = offset;
  if (offset < 0) return std::nullopt;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) return std::nullopt;
    if (sizes[i] == 0) return 0;
    int64_t step = 0;
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &step) || __builtin_add_overflow(last, step, &last)) {
      return std::nullopt;
    }
  }
  int64_t extent = 0;
  return __builtin_add_overflow(last, 1, &extent) ? std::nullopt : std::optional(extent);
}

bool IsContiguous(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != expected) return false;
    if (__builtin_mul_overflow(expected, sizes[i], &expected)) return false;
  }
  return true;
}

// The elements of a view, in row-major order.
void Gather(absl::string_view storage, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
            int64_t offset, int64_t width, TensorScan* scan) {
  constexpr size_t kChunk = size_t{1} << 16;
  std::string chunk;
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t at = offset;
  const int64_t count = ElementCount(sizes).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    chunk.append(storage.data() + at * width, static_cast<size_t>(width));
    if (chunk.size() == kChunk) {
      scan->AddBytes(chunk);
      chunk.clear();
    }
    for (size_t axis = sizes.size(); axis-- > 0;) {
      if (++index[axis] < sizes[axis]) {
        at += strides[axis];
        break;
      }
      // Back by no more than Extent has counted: the stride along a single element may be anything.
      at -= strides[axis] * (sizes[axis] - 1);
      index[axis] = 0;
    }
  }
  scan->AddBytes(chunk);
}

// Whether the bytes are those of the tensor that the graph declares: then only the layout of the payload is wrong.
bool FitsDeclared(const v1::Value& value, int64_t bytes) {
  const int64_t width = ElementBits(value.dtype()) / 8;
  const std::optional<int64_t> count =
      ElementCount(absl::Span<const int64_t>(value.dims().data(), static_cast<size_t>(value.dims_size())));
  int64_t declared = 0;
  return width > 0 && count && !__builtin_mul_overflow(*count, width, &declared) && declared == bytes;
}

// Whether bytes begin as torch.save writes them: a zip archive; before PyTorch 1.6 a pickle, whose first number in
// text, as the oldest protocols have it, is that of the format.
bool IsSaved(absl::string_view beginning) {
  return absl::StartsWith(beginning, "PK\x03\x04") || absl::StartsWith(beginning, "\x80") ||
         absl::StartsWith(beginning, "L119547037146038801333356L");
}

std::string Described(v1::DataType dtype, absl::Span<const int64_t> dims) {
  return absl::StrCat(v1::DataType_Name(dtype).substr(sizeof("DATA_TYPE_") - 1), " [", absl::StrJoin(dims, ", "), "]");
}

}  // namespace

absl::StatusOr<Payloads> Payloads::Open(Archive* archive, const std::string& root, absl::string_view program,
                                        int64_t max_weight_bytes) {
  Payloads payloads;
  payloads.archive_ = archive;
  payloads.weights_ = WeightRoom(max_weight_bytes);
  payloads.folder_ = absl::StrCat(root, "data/weights/");
  for (const char* kind : {"weights", "constants"}) {
    if (absl::Status status = payloads.AddFolder(root, program, kind); !status.ok()) return status;
  }
  int64_t total = 0;
  for (const std::string& name : archive->names()) total += archive->Find(name)->size;
  payloads.scanned_left_ = kAlwaysScanned + kMaxReads * total;
  return payloads;
}

absl::Status Payloads::AddFolder(const std::string& root, absl::string_view program, absl::string_view kind) {
  const std::string folder = absl::StrCat(root, "data/", kind, "/");
  const std::string pickle = absl::StrCat(folder, program, ".pt");
  if (archive_->Find(pickle) != nullptr) {  // which torch prefers
    if (pickle_.empty()) pickle_ = pickle;
    return absl::OkStatus();
  }
  const std::string path = absl::StrCat(folder, program, "_", kind, "_config.json");
  const Archive::Member* member = archive_->Find(path);
  if (member != nullptr) return AddConfig(path, *member, folder);
  return UnreadableFile(absl::StrCat(ToUtf8(path), ": is missing: it says which ", kind,
                                     " there are, or that there are "
                                     "none"));
}

absl::Status Payloads::AddConfig(const std::string& path, const Archive::Member& member, const std::string& folder) {
  absl::StatusOr<std::string> text = archive_->Read(member, kMaxConfigBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<JsonDocument> json = JsonDocument::Parse(*std::move(text));
  if (!json.ok()) return InMember(path, json.status());
  const Json* config = FindObject(&json->root(), "config");
  if (config == nullptr) return UnreadableFile(absl::StrCat(ToUtf8(path), ": has no object 'config'"));
  for (const auto& entry : config->GetObject()) {
    Payload payload;
    payload.path = absl::StrCat(folder, FindText(&entry.value, "path_name"));
    const Json* meta = FindObject(&entry.value, "tensor_meta");
    const std::optional<std::vector<int64_t>> sizes = Integers(FindArray(meta, "sizes"));
    const std::optional<std::vector<int64_t>> strides = Integers(FindArray(meta, "strides"));
    const std::optional<int64_t> offset = IntegerOf(Find(Find(meta, "storage_offset"), "as_int"));
    payload.pickled = IntegerOf(Find(&entry.value, "use_pickle")).value_or(0) != 0;
    const bool strided = IntegerOf(Find(meta, "layout")).value_or(kStridedLayout) == kStridedLayout;
    if (!payload.pickled && strided && sizes && strides) {
      if (sizes->size() != strides->size()) {
        return UnreadableFile(absl::StrCat(ToUtf8(path), ": '", ToUtf8(TextOf(&entry.name)), "' has ", sizes->size(),
                                           " sizes and ", strides->size(), " strides"));
      }
      payload.readable = true;
      const v1::DataType dtype = DataTypeOf(IntegerOf(Find(meta, "dtype")).value_or(0));
      payload.layout = {dtype, *sizes, *strides, offset.value_or(0)};
    }
    payloads_.insert_or_assign(std::string(TextOf(&entry.name)), std::move(payload));
  }
  return absl::OkStatus();
}

absl::Status Payloads::Read(const std::string& fqn, std::optional<int> channel_axis, v1::Value* value) {
  v1::Constant& constant = *value->mutable_constant();
  constant.set_stored_bytes(-1);
  const auto found = payloads_.find(fqn);
  if (found == payloads_.end() && !pickle_.empty()) {
    constant.mutable_external()->set_location(ToUtf8(pickle_));
    constant.mutable_external()->set_length(archive_->Find(pickle_)->size);
    constant.mutable_external()->set_status(v1::ExternalData::READ);
    return absl::OkStatus();
  }
  if (found == payloads_.end()) {
    constant.mutable_external()->set_location(ToUtf8(absl::StrCat(folder_, "*: ", fqn)));
    constant.mutable_external()->set_status(v1::ExternalData::MISSING);
    return absl::OkStatus();
  }
  const Payload& payload = found->second;
  constant.mutable_external()->set_location(ToUtf8(payload.path));
  const Archive::Member* member = archive_->Find(payload.path);
  if (member == nullptr) {
    constant.mutable_external()->set_status(v1::ExternalData::MISSING);
    return absl::OkStatus();
  }
  constant.mutable_external()->set_length(member->size);
  constant.mutable_external()->set_status(v1::ExternalData::READ);
  if (payload.pickled) return CheckPickle(payload, *member);
  if (!payload.readable) return absl::OkStatus();
  return ReadMember(payload, *member, channel_axis, value);
}

absl::Status Payloads::CheckPickle(const Payload& payload, const Archive::Member& member) {
  constexpr int64_t kLongestBeginning = 32;
  const absl::StatusOr<std::string> beginning = archive_->Beginning(member, kLongestBeginning);
  if (!beginning.ok()) return beginning.status();
  if (IsSaved(*beginning)) return absl::OkStatus();
  return UnreadableFile(absl::StrCat(ToUtf8(payload.path), ": is said to be pickled (use_pickle), and is no pickle"));
}

absl::Status Payloads::ReadMember(const Payload& payload, const Archive::Member& member,
                                  std::optional<int> channel_axis, v1::Value* value) {
  v1::Constant& constant = *value->mutable_constant();
  const Layout& layout = payload.layout;
  const int64_t width = ElementBits(layout.dtype) / 8;
  const std::optional<int64_t> count = ElementCount(layout.sizes);
  int64_t natural = 0;
  const std::optional<int64_t> extent = Extent(layout.sizes, layout.strides, layout.offset);
  int64_t needed = 0;
  const bool counted = width > 0 && count && extent && !__builtin_mul_overflow(*count, width, &natural) &&
                       !__builtin_mul_overflow(*extent, width, &needed);
  // What is no whole number of elements no loader takes.
  const bool whole = width > 0 && member.size % width == 0;
  if (!counted || !whole || needed > member.size) {
    constant.set_stored_bytes(member.size);
    if (!FitsDeclared(*value, member.size)) return absl::OkStatus();
    return UnreadableFile(absl::StrCat(ToUtf8(payload.path), ": has ", member.size, " bytes, and the payload of '",
                                       value->name(), "' is ", Described(layout.dtype, layout.sizes), " with strides [",
                                       absl::StrJoin(layout.strides, ", "), "] from element ", layout.offset));
  }
  // Views of one storage lie in one member, which is then longer than each of them.
  constant.set_stored_bytes(natural);
  const absl::Span<const int64_t> dims(value->dims().data(), static_cast<size_t>(value->dims_size()));
  const bool same = value->dtype() == layout.dtype && dims == absl::MakeConstSpan(layout.sizes);
  if (!same) {
    const std::optional<int64_t> declared = ElementCount(dims);
    if (!declared || ElementBits(value->dtype()) / 8 != width || *declared != *count) return absl::OkStatus();
    return UnreadableFile(absl::StrCat(ToUtf8(payload.path), ": holds ", Described(layout.dtype, layout.sizes),
                                       ", and '", value->name(), "' of the graph, which it is for, is ",
                                       Described(value->dtype(), dims)));
  }
  const bool contiguous = layout.offset == 0 && natural == needed && IsContiguous(layout.sizes, layout.strides);
  const int64_t cost = contiguous ? member.size : member.size + natural;
  if (natural == 0 || cost > scanned_left_ || (!contiguous && member.size > kMaxGathered)) return absl::OkStatus();
  scanned_left_ -= cost;

  ScanOptions options;
  options.dtype = layout.dtype;
  options.dims = layout.sizes;
  options.axis = channel_axis;
  options.max_axis_size = axis_entries_left_;
  options.max_listed = std::min(dims.size() <= 1 ? kMaxVector : 0, listed_left_);
  absl::Status status = weights_.Take(natural);
  if (!status.ok()) return status;
  if (weights_.keeps()) options.kept = constant.mutable_data();
  TensorScan scan(options, natural);
  if (contiguous) {
    int64_t left = natural;
    status = archive_->Stream(member, [&scan, &left](absl::string_view bytes) {
      bytes = bytes.substr(0, static_cast<size_t>(std::min<int64_t>(left, static_cast<int64_t>(bytes.size()))));
      left -= static_cast<int64_t>(bytes.size());
      scan.AddBytes(bytes);
    });
  } else {
    const absl::StatusOr<std::string> storage = archive_->Read(member, kMaxGathered);
    status = storage.status();
    if (status.ok()) Gather(*storage, layout.sizes, layout.strides, layout.offset, width, &scan);
  }
  if (!status.ok()) {
    constant.mutable_external()->set_status(v1::ExternalData::UNREADABLE);
    return absl::OkStatus();
  }
  scan.Finish(&constant);
  listed_left_ -= constant.ints_size() + constant.reals_size();
  axis_entries_left_ -= constant.statistics().axis_min_size();
  return absl::OkStatus();
}

}  // namespace quantgate::pt2
