#include "client/tflite/tensor_reader.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "client/tensor/element.h"
#include "client/tensor/scan.h"
#include "client/text.h"
#include "client/tflite/data_type.h"
#include "client/tflite/sparsity.h"
#include "client/tflite/view.h"
#include "rules/tflite/missing_buffer.h"

namespace quantgate::tflite {
namespace {

// Scales of one tensor: a 16384 x 16384 weight in blocks of 256.
constexpr int64_t kMaxParameters = int64_t{1} << 20;
// Biases, shapes, axes.
constexpr int64_t kMaxVector = 65'536;

// Tensors of several subgraphs may share a buffer, a hostile file's all of them. Each file is read this often at most.
constexpr int64_t kMaxReads = 16;
constexpr int64_t kAlwaysScanned = int64_t{64} << 20;

constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();

// What is sent element by element: scalars, vectors, and the paddings of as many dimensions as shapes are judged by.
bool IsListed(const v1::Value& value) {
  constexpr int64_t kMaxPaddings = 16;
  return value.dims_size() <= 1 || (value.dims_size() == 2 && value.dims(0) <= kMaxPaddings && value.dims(1) == 2 &&
                                    (value.dtype() == v1::DATA_TYPE_INT32 || value.dtype() == v1::DATA_TYPE_INT64));
}

}  // namespace

TensorReader::TensorReader(const Model& model, absl::string_view file, ExternalData* external, int64_t max_weight_bytes)
    : model_(model),
      file_(file),
      external_(external),
      scanned_(kAlwaysScanned + kMaxReads * static_cast<int64_t>(file.size())),
      weights_(max_weight_bytes) {
  if (model.external_buffers() == nullptr) return;
  for (const ExternalBuffer* buffer : *model.external_buffers()) external_buffers_.try_emplace(buffer->id(), buffer);
}

TensorReader::Place TensorReader::FindBuffer(uint32_t index) const {
  const size_t count = model_.buffers() == nullptr ? 0 : model_.buffers()->size();
  if (index >= count) {
    v1::ExternalData missing;
    missing.set_location(absl::StrCat(kBufferName, index));
    missing.set_status(v1::ExternalData::MISSING);
    return {.elsewhere = missing};
  }
  const Buffer& buffer = *model_.buffers()->Get(index);
  if (buffer.data() != nullptr && buffer.data()->size() > 0) {
    return {.bytes = absl::string_view(reinterpret_cast<const char*>(buffer.data()->data()), buffer.data()->size())};
  }
  if (buffer.offset() <= 1) return {};
  if (buffer.offset() > file_.size() || buffer.size() > file_.size() - buffer.offset()) {
    v1::ExternalData beyond;
    beyond.set_location(kModelFileName);
    beyond.set_offset(static_cast<int64_t>(std::min(buffer.offset(), kLargest)));
    beyond.set_length(static_cast<int64_t>(std::min(buffer.size(), kLargest)));
    beyond.set_status(v1::ExternalData::BAD_RANGE);
    return {.elsewhere = beyond};
  }
  return {.bytes = file_.substr(buffer.offset(), buffer.size())};
}

v1::ExternalData TensorReader::FindExternal(uint32_t id) const {
  v1::ExternalData fact;
  const auto found = external_buffers_.find(id);
  if (found == external_buffers_.end()) {
    fact.set_location(absl::StrCat(kExternalBufferName, id));
    fact.set_status(v1::ExternalData::MISSING);
    return fact;
  }
  const ExternalBuffer& buffer = *found->second;
  const auto* groups = model_.external_buffer_groups();
  if (groups != nullptr && buffer.group() < groups->size()) {
    fact.set_location(ToUtf8(View(groups->Get(buffer.group())->name())));
  }
  fact.set_offset(buffer.offset() <= kLargest ? static_cast<int64_t>(buffer.offset()) : -1);
  fact.set_length(buffer.length() <= kLargest ? static_cast<int64_t>(buffer.length()) : -2);
  return fact;
}

TensorReader::Place TensorReader::Find(const Tensor& tensor) const {
  // Buffer 0 is the empty one, by convention.
  if (tensor.external_buffer() != 0) return {.elsewhere = FindExternal(tensor.external_buffer())};
  return tensor.buffer() == 0 ? Place() : FindBuffer(tensor.buffer());
}

bool TensorReader::HasData(const Tensor& tensor) const {
  const Place place = Find(tensor);
  return place.elsewhere.has_value() || (place.bytes.has_value() && !place.bytes->empty());
}

std::string TensorReader::SparsityProblem(const Tensor& tensor, const v1::Value& value) {
  if (tensor.sparsity() == nullptr || !HasData(tensor)) return "";
  if (!scanned_.Take(SparsityNumbers(*tensor.sparsity()))) return "";
  const Place place = Find(tensor);
  return CheckSparsity(*tensor.sparsity(), value,
                       place.elsewhere.has_value() ? -1 : static_cast<int64_t>(place.bytes->size()));
}

absl::Status TensorReader::Read(const Tensor& tensor, std::optional<int> channel_axis, v1::Value* value) {
  v1::Constant& constant = *value->mutable_constant();
  const Place place = Find(tensor);
  // Only some elements of a sparse tensor are stored: nothing is claimed about the others.
  const bool sparse = tensor.sparsity() != nullptr;
  if (sparse && scanned_.Take(SparsityNumbers(*tensor.sparsity()))) SetSparsity(*tensor.sparsity(), &constant);
  ScanOptions options;
  options.dtype = value->dtype();
  options.dims.assign(value->dims().begin(), value->dims().end());
  options.axis = channel_axis;
  options.max_axis_size = axis_entries_left_;
  options.max_listed = std::min(IsListed(*value) ? kMaxVector : 0, listed_left_);
  if (weights_.keeps()) options.kept = constant.mutable_data();
  const auto finish = [&](TensorScan& scan) {
    scan.Finish(&constant);
    listed_left_ -= constant.ints_size() + constant.reals_size();
    axis_entries_left_ -= constant.statistics().axis_min_size();
  };

  if (place.elsewhere.has_value()) {
    constant.set_stored_bytes(-1);
    v1::ExternalData& fact = *constant.mutable_external();
    fact = *place.elsewhere;
    if (fact.status() != v1::ExternalData::STATUS_UNSPECIFIED) return absl::OkStatus();
    const ExternalRegion region = external_->Open(NaturalBytes(value->dims(), value->dtype()), &fact);
    if (fact.status() != v1::ExternalData::READ) return absl::OkStatus();
    // A packed buffer is laid out for one runtime's kernels.
    const bool packed = external_buffers_.at(tensor.external_buffer())->packing() != nullptr;
    if (sparse || packed) return absl::OkStatus();
    if (!external_->Scans(region, &fact)) {
      constant.set_stored_bytes(region.size);
      return absl::OkStatus();
    }
    absl::Status status = weights_.Take(region.size);
    if (!status.ok()) return status;
    TensorScan scan(options, region.size);
    status = external_->Stream(
        region, [&](absl::string_view bytes) { scan.AddBytes(bytes); }, &fact);
    if (!status.ok() || fact.status() != v1::ExternalData::READ) return status;
    constant.set_stored_bytes(region.size);
    finish(scan);
    return absl::OkStatus();
  }
  const absl::string_view bytes = place.bytes.value_or(absl::string_view());
  constant.set_stored_bytes(sparse ? -1 : static_cast<int64_t>(bytes.size()));
  if (sparse || !scanned_.Take(static_cast<int64_t>(bytes.size()))) return absl::OkStatus();
  if (absl::Status status = weights_.Take(constant.stored_bytes()); !status.ok()) return status;
  TensorScan scan(options, constant.stored_bytes());
  scan.AddBytes(bytes);
  finish(scan);
  return absl::OkStatus();
}

std::vector<double> TensorReader::Numbers(const Tensor& tensor) {
  const Place place = Find(tensor);
  if (!place.bytes.has_value() || !scanned_.Take(static_cast<int64_t>(place.bytes->size()))) return {};
  ScanOptions options;
  options.dtype = DataTypeFromTflite(tensor.type());
  options.max_listed = std::min(kMaxParameters, listed_left_);
  TensorScan scan(options, static_cast<int64_t>(place.bytes->size()));
  scan.AddBytes(*place.bytes);
  v1::Constant constant;
  scan.Finish(&constant);
  std::vector<double> numbers(constant.reals().begin(), constant.reals().end());
  numbers.insert(numbers.end(), constant.ints().begin(), constant.ints().end());
  listed_left_ -= static_cast<int64_t>(numbers.size());
  return numbers;
}

}  // namespace quantgate::tflite
