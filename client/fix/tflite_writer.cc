// A LiteRT file is changed without being written anew: what is larger than before or may be shared goes behind the end,
// and the offset of its one reader is turned there. Offsets count forward only, so that this is always possible. All
// bytes but those stay as they are, tables that are newer than our schema included.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/fix/requantize.h"
#include "client/fix/writer.h"
#include "client/text.h"
#include "client/tflite/data_type.h"
#include "client/tflite/model_generated.h"
#include "client/tflite/view.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// The alignment of a file's buffers.
constexpr size_t kAlignment = 16;
// Fields of the table of quantization parameters that are copied; a table with more of them says something unknown.
constexpr size_t kQuantizationFields = 7;

int TfliteNumberOf(v1::DataType type) {
  constexpr int kLast = 64;
  for (int number = 0; number <= kLast; ++number) {
    if (tflite::DataTypeFromTflite(number) == type) return number;
  }
  return -1;
}

absl::Status NotWritten(absl::string_view why) { return absl::UnimplementedError(why); }

// Generated types keep the table that they are to themselves.
const flatbuffers::Table& AsTable(const void* place) { return *static_cast<const flatbuffers::Table*>(place); }

// Fields that a table has room for, those that are newer than our schema included.
size_t FieldsOf(const void* place) {
  const uint8_t* list = AsTable(place).GetVTable();
  return flatbuffers::ReadScalar<flatbuffers::voffset_t>(list) / sizeof(flatbuffers::voffset_t) - 2;
}

// Files that are packed behind a model make it a zip archive, whose directory has to be at the end.
bool IsArchive(absl::string_view bytes) {
  constexpr size_t kLongestTail = 22 + 65535;
  const absl::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), kLongestTail));
  return absl::StrContains(tail, absl::string_view("PK\5\6", 4));
}

std::vector<float> FloatScales(const v1::QParams& qparams) {
  return {qparams.scales().begin(), qparams.scales().end()};
}

std::vector<int64_t> WholeZeroPoints(const v1::QParams& qparams) {
  std::vector<int64_t> numbers;
  for (int i = 0; i < qparams.scales_size(); ++i) {
    const int given = qparams.zero_points_size();
    numbers.push_back(given == 0 ? 0 : static_cast<int64_t>(qparams.zero_points(given == 1 ? 0 : i)));
  }
  return numbers;
}

class TfliteWriter {
 public:
  // `bytes`: a model that was imported, hence verified.
  TfliteWriter(absl::string_view bytes, const v1::Graph& graph)
      : out_(bytes), graph_(graph), archive_(IsArchive(bytes)) {
    const tflite::Model& model = *tflite::GetModel(out_.data());
    if (model.subgraphs() == nullptr) return;
    for (const tflite::SubGraph* subgraph : *model.subgraphs()) {
      if (subgraph->tensors() == nullptr) continue;
      for (const tflite::Tensor* tensor : *subgraph->tensors()) {
        ++readers_of_buffer_[tensor->buffer()];
        ++uses_of_table_[Offset(tensor)];
      }
    }
    if (model.buffers() == nullptr) return;
    for (const tflite::Buffer* buffer : *model.buffers()) {
      ++uses_of_table_[Offset(buffer)];
      if (buffer->data() != nullptr) ++uses_of_table_[Offset(buffer->data())];
    }
  }

  // Writes the changes of one correction, all or none of them: then they are added to `left`.
  void Write(const WriteTask& task, std::vector<UnwrittenChange>& left);
  std::string TakeBytes() { return std::move(out_); }

 private:
  struct Plan {
    uint32_t tensor = 0;                // index in the first subgraph
    std::optional<std::string> stored;  // elements that take the place of its buffer's
  };

  size_t Offset(const void* place) const { return static_cast<size_t>(static_cast<const char*>(place) - out_.data()); }
  const tflite::Model& Model() const { return *tflite::GetModel(out_.data()); }
  const tflite::Tensor& Tensor(uint32_t index) const { return *Model().subgraphs()->Get(0)->tensors()->Get(index); }

  absl::StatusOr<Plan> Prepare(const TensorChange& change) const;
  absl::Status CheckInterface(const TensorChange& change) const;
  absl::StatusOr<std::optional<std::string>> NewElements(const TensorChange& change) const;
  void Carry(const TensorChange& change, const Plan& plan);
  // Puts a finished table behind the end, and turns the offset at `reader` to it.
  void Append(const flatbuffers::FlatBufferBuilder& table, size_t reader);
  void PutQuantization(const TensorChange& change, uint32_t tensor);
  void PutElements(const std::string& elements, uint32_t buffer);

  std::string out_;
  const v1::Graph& graph_;
  const bool archive_;
  absl::flat_hash_map<uint32_t, int> readers_of_buffer_;
  absl::flat_hash_map<size_t, int> uses_of_table_;  // by position in the file
};

// Scales are read from the file by whoever feeds and reads it; a type is what their programs are written for.
absl::Status TfliteWriter::CheckInterface(const TensorChange& change) const {
  const int32_t id = change.value + 1;
  const bool is_interface = absl::c_linear_search(graph_.inputs(), id) || absl::c_linear_search(graph_.outputs(), id);
  if (!is_interface || change.before.dtype() == change.after.dtype()) return absl::OkStatus();
  return NotWritten("it is an input or output of the model: who feeds or reads it would have to change too");
}

absl::StatusOr<std::optional<std::string>> TfliteWriter::NewElements(const TensorChange& change) const {
  const v1::Value& value = graph_.values(change.value);
  const tflite::Tensor& tensor = Tensor(static_cast<uint32_t>(change.value));
  if (!value.has_constant() || KeepsIntegers(change)) return std::nullopt;
  if (tensor.external_buffer() != 0) return NotWritten("its elements are in another file");
  if (tensor.sparsity() != nullptr) return NotWritten("it is sparse");
  const auto* buffers = Model().buffers();
  if (buffers == nullptr || tensor.buffer() >= buffers->size()) return NotWritten("its buffer does not exist");
  const auto* data = buffers->Get(tensor.buffer())->data();
  if (data == nullptr) return NotWritten("its elements are behind the tables of the file");
  const absl::string_view elements(reinterpret_cast<const char*>(data->data()), data->size());
  absl::StatusOr<std::string> made =
      Requantize(elements, {value.dims().data(), static_cast<size_t>(value.dims_size())}, change.before, change.after);
  if (!made.ok()) return NotWritten(made.status().message());
  if (*made == elements) return std::nullopt;
  if (readers_of_buffer_.at(tensor.buffer()) > 1 || uses_of_table_.at(Offset(buffers->Get(tensor.buffer()))) > 1) {
    return NotWritten("other tensors have the same buffer");
  }
  return *std::move(made);
}

absl::StatusOr<TfliteWriter::Plan> TfliteWriter::Prepare(const TensorChange& change) const {
  const v1::QParams& qparams = change.after.qparams();
  const auto* tensors = Model().subgraphs() == nullptr || Model().subgraphs()->size() == 0
                            ? nullptr
                            : Model().subgraphs()->Get(0)->tensors();
  if (archive_) return NotWritten("other files are packed behind the model");
  if (change.reader >= 0) return NotWritten("one reader alone would see it as something else");
  if (tensors == nullptr || static_cast<uint32_t>(change.value) >= tensors->size()) {
    return NotWritten("it does not exist");
  }
  if (change.before.kind() == v1::Spec::KIND_UNSPECIFIED || change.after.kind() == v1::Spec::KIND_UNSPECIFIED) {
    return NotWritten("it would have to be quantized, or not be any more: other operators, which are not written");
  }
  if (qparams.scales().empty()) return NotWritten("its scale has to be found by calibration");
  const tflite::Tensor& tensor = Tensor(static_cast<uint32_t>(change.value));
  const tflite::Quantization* quantization = tensor.quantization();
  if (quantization == nullptr || quantization->details() != nullptr || !qparams.block_sizes().empty() ||
      qparams.axes_size() > 1) {
    return NotWritten("scales of blocks are not written");
  }
  if (FieldsOf(quantization) > kQuantizationFields) return NotWritten("its parameters have fields of a newer format");
  if (uses_of_table_.at(Offset(&tensor)) > 1) return NotWritten("it is the same table as another tensor");
  const std::vector<float> scales = FloatScales(qparams);
  const auto fits = [](float scale) {
    return scale >= std::numeric_limits<float>::min() && scale <= std::numeric_limits<float>::max();
  };
  if (!absl::c_all_of(scales, fits)) return NotWritten("its new scale is no float32 greater than 0");
  if (!IsInteger(change.after.dtype()) || TfliteNumberOf(change.after.dtype()) < 0) {
    return NotWritten("its new type is no integer type of the format");
  }
  if (absl::Status status = CheckInterface(change); !status.ok()) return status;
  absl::StatusOr<std::optional<std::string>> stored = NewElements(change);
  if (!stored.ok()) return stored.status();
  return Plan{static_cast<uint32_t>(change.value), *std::move(stored)};
}

void TfliteWriter::Append(const flatbuffers::FlatBufferBuilder& table, size_t reader) {
  out_.resize((out_.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
  const size_t start = out_.size();
  out_.append(reinterpret_cast<const char*>(table.GetBufferPointer()), table.GetSize());
  const size_t root = start + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(out_.data() + start);
  flatbuffers::WriteScalar(out_.data() + reader, static_cast<flatbuffers::uoffset_t>(root - reader));
}

void TfliteWriter::PutQuantization(const TensorChange& change, uint32_t index) {
  const tflite::Tensor& tensor = Tensor(index);
  const tflite::Quantization& old = *tensor.quantization();
  const v1::QParams& qparams = change.after.qparams();
  flatbuffers::FlatBufferBuilder builder;
  const auto copy = [&](const flatbuffers::Vector<float>* list) {
    return list == nullptr ? flatbuffers::Offset<flatbuffers::Vector<float>>()
                           : builder.CreateVector(tflite::Numbers(*list));
  };
  const auto min = copy(old.min());
  const auto max = copy(old.max());
  const auto scales = builder.CreateVector(FloatScales(qparams));
  const auto zero_points = builder.CreateVector(WholeZeroPoints(qparams));
  tflite::QuantizationBuilder made(builder);
  made.add_min(min);
  made.add_max(max);
  made.add_scale(scales);
  made.add_zero_point(zero_points);
  made.add_quantized_dimension(qparams.axes().empty() ? old.quantized_dimension() : qparams.axes(0));
  builder.Finish(made.Finish());
  Append(builder, Offset(AsTable(&tensor).GetAddressOf(tflite::Tensor::VT_QUANTIZATION)));
}

void TfliteWriter::PutElements(const std::string& elements, uint32_t index) {
  const auto& buffers = *Model().buffers();
  const auto& data = *buffers.Get(index)->data();
  if (data.size() == elements.size() && uses_of_table_.at(Offset(&data)) == 1) {
    std::memcpy(out_.data() + Offset(data.data()), elements.data(), elements.size());
    return;
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceVectorAlignment(elements.size(), sizeof(uint8_t), kAlignment);
  const auto list = builder.CreateVector(reinterpret_cast<const uint8_t*>(elements.data()), elements.size());
  tflite::BufferBuilder made(builder);
  made.add_data(list);
  builder.Finish(made.Finish());
  Append(builder, Offset(buffers.Data()) + index * sizeof(flatbuffers::uoffset_t));
}

void TfliteWriter::Carry(const TensorChange& change, const Plan& plan) {
  if (change.before.dtype() != change.after.dtype()) {
    const auto type = static_cast<int8_t>(TfliteNumberOf(change.after.dtype()));
    const uint8_t* place = AsTable(&Tensor(plan.tensor)).GetAddressOf(tflite::Tensor::VT_TYPE);
    std::memcpy(out_.data() + Offset(place), &type, sizeof(type));
  }
  if (plan.stored.has_value()) PutElements(*plan.stored, Tensor(plan.tensor).buffer());
  PutQuantization(change, plan.tensor);
}

void TfliteWriter::Write(const WriteTask& task, std::vector<UnwrittenChange>& left) {
  WriteCorrections(
      task, [this](const TensorChange& change) { return Prepare(change); },
      [this](const TensorChange& change, const Plan& plan) { Carry(change, plan); }, left);
}

}  // namespace

absl::StatusOr<WrittenModel> WriteTflite(const WriteTask& task) {
  TfliteWriter writer(task.bytes, task.graph);
  WrittenModel written;
  writer.Write(task, written.left);
  written.bytes = written.left.size() == task.changes.size() ? std::string(task.bytes) : writer.TakeBytes();
  if (written.bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE && written.bytes.size() > task.bytes.size()) {
    return BeyondLimit("with the corrections it is larger than 2 GiB, which its offsets cannot reach");
  }
  const tflite::Model& model = *tflite::GetModel(task.bytes.data());
  if (model.external_buffer_groups() != nullptr) {
    for (const auto* group : *model.external_buffer_groups()) {
      if (group->name() != nullptr) written.external.emplace_back(tflite::View(group->name()));
    }
  }
  return written;
}

}  // namespace quantgate
