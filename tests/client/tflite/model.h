// Small LiteRT models made in memory.
#ifndef QUANTGATE_TESTS_CLIENT_TFLITE_MODEL_H_
#define QUANTGATE_TESTS_CLIENT_TFLITE_MODEL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/tflite/model_generated.h"

namespace quantgate {

constexpr int8_t kTfliteFloat32 = 0, kTfliteFloat16 = 1, kTfliteInt32 = 2, kTfliteInt8 = 9, kTfliteInt4 = 17;

struct TfliteTensor {
  std::string name;
  int8_t type = kTfliteFloat32;
  std::vector<int32_t> shape;
  uint32_t buffer = 0;  // position in TfliteModel::buffers, from 1
  std::vector<float> scales = {};
  std::vector<int64_t> zero_points = {};
  int32_t axis = 0;
  // Details: tensors with scales and zero points, and the size of a block; `dimensions`: multi-axis.
  int32_t scales_tensor = -1;
  int32_t zero_points_tensor = -1;
  int32_t block_size = 0;
  std::vector<int32_t> block_shape = {};
  std::vector<int32_t> dimensions = {};
  uint32_t external_buffer = 0;
  bool variable = false;
  // Of a matrix that is stored by rows: where each begins among the columns, and the columns. Empty: stored whole.
  std::vector<int32_t> segments = {};
  std::vector<int32_t> indices = {};
};

struct TfliteOperator {
  int32_t code = 0;  // builtin
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  uint8_t options_type = 0;
  std::vector<std::pair<int, int32_t>> options = {};  // field number and an int
  std::string custom = {};
  int32_t version = 1;
};

struct TfliteSubgraph {
  std::vector<TfliteTensor> tensors;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<TfliteOperator> operators;
};

struct TfliteModel {
  std::vector<TfliteSubgraph> subgraphs;
  std::vector<std::string> buffers = {};
  // Buffer behind the tables: offset and size, for the buffer after those above.
  std::vector<std::pair<uint64_t, uint64_t>> appended = {};
  // File, offset, length of external buffers with id 1, 2, …
  struct External {
    std::string file;
    uint64_t offset;
    uint64_t length;
  };
  std::vector<External> externals = {};
  uint32_t version = 3;
  std::vector<TfliteOperator> unused = {};  // in the table of operators alone
};

class TfliteWriter {
 public:
  std::string Write(const TfliteModel& model) {
    std::vector<flatbuffers::Offset<tflite::SubGraph>> subgraphs;
    for (const TfliteSubgraph& subgraph : model.subgraphs) subgraphs.push_back(Subgraph(subgraph));
    for (const TfliteOperator& op : model.unused) AddCode(op);
    std::vector<flatbuffers::Offset<tflite::Buffer>> buffers = {tflite::CreateBuffer(fbb_)};
    for (const std::string& bytes : model.buffers) {
      fbb_.ForceVectorAlignment(bytes.size(), 1, 16);
      const auto data = fbb_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      buffers.push_back(tflite::CreateBuffer(fbb_, data));
    }
    for (const auto& [offset, size] : model.appended) buffers.push_back(tflite::CreateBuffer(fbb_, 0, offset, size));
    std::vector<flatbuffers::Offset<tflite::ExternalBufferGroup>> groups;
    std::vector<flatbuffers::Offset<tflite::ExternalBuffer>> externals;
    for (const TfliteModel::External& external : model.externals) {
      const auto group = static_cast<uint32_t>(groups.size());
      groups.push_back(tflite::CreateExternalBufferGroupDirect(fbb_, external.file.c_str()));
      externals.push_back(tflite::CreateExternalBuffer(fbb_, group + 1, group, external.offset, external.length));
    }
    const auto codes = fbb_.CreateVector(codes_);
    const auto subgraph_list = fbb_.CreateVector(subgraphs);
    const auto description = fbb_.CreateString("test");
    const auto buffer_list = fbb_.CreateVector(buffers);
    const auto group_list = fbb_.CreateVector(groups);
    const auto external_list = fbb_.CreateVector(externals);
    tflite::ModelBuilder builder(fbb_);
    builder.add_version(model.version);
    builder.add_operator_codes(codes);
    builder.add_subgraphs(subgraph_list);
    builder.add_description(description);
    builder.add_buffers(buffer_list);
    builder.add_external_buffer_groups(group_list);
    builder.add_external_buffers(external_list);
    tflite::FinishModelBuffer(fbb_, builder.Finish());
    return {reinterpret_cast<const char*>(fbb_.GetBufferPointer()), fbb_.GetSize()};
  }

 private:
  flatbuffers::Offset<tflite::Quantization> Quantization(const TfliteTensor& tensor) {
    auto type = tflite::QuantizationDetails::NONE;
    flatbuffers::Offset<void> details;
    if (!tensor.dimensions.empty()) {
      type = tflite::QuantizationDetails::MultiAxisQuantization;
      details = tflite::CreateMultiAxisQuantizationDirect(fbb_, tensor.scales_tensor, tensor.zero_points_tensor,
                                                          tensor.block_size, &tensor.dimensions)
                    .Union();
    } else if (tensor.scales_tensor >= 0) {
      type = tflite::QuantizationDetails::BlockwiseQuantization;
      details = tflite::CreateBlockwiseQuantizationDirect(fbb_, tensor.scales_tensor, tensor.zero_points_tensor,
                                                          tensor.block_size,
                                                          tensor.block_shape.empty() ? nullptr : &tensor.block_shape)
                    .Union();
    }
    return tflite::CreateQuantizationDirect(fbb_, nullptr, nullptr, &tensor.scales, &tensor.zero_points, type, details,
                                            tensor.axis);
  }

  flatbuffers::Offset<tflite::Sparsity> ByRows(const TfliteTensor& tensor) {
    if (tensor.segments.empty()) return 0;
    constexpr int8_t kSparse = 1;
    const auto list = [&](const std::vector<int32_t>& numbers) {
      return tflite::CreateInt32VectorDirect(fbb_, &numbers).Union();
    };
    const auto type = tflite::SparseIndexVector::Int32Vector;
    const auto segments = list(tensor.segments), indices = list(tensor.indices);
    const std::vector<flatbuffers::Offset<tflite::DimensionMetadata>> dimensions = {
        tflite::CreateDimensionMetadata(fbb_, 0, tensor.shape[0]),
        tflite::CreateDimensionMetadata(fbb_, kSparse, 0, type, segments, type, indices)};
    const std::vector<int32_t> order = {0, 1};
    return tflite::CreateSparsityDirect(fbb_, &order, nullptr, &dimensions);
  }

  flatbuffers::Offset<tflite::Tensor> Tensor(const TfliteTensor& tensor) {
    const auto quantization = Quantization(tensor);
    const auto sparsity = ByRows(tensor);
    const auto shape = fbb_.CreateVector(tensor.shape);
    const auto name = fbb_.CreateString(tensor.name);
    tflite::TensorBuilder builder(fbb_);
    builder.add_shape(shape);
    builder.add_type(tensor.type);
    builder.add_buffer(tensor.buffer);
    builder.add_name(name);
    builder.add_quantization(quantization);
    builder.add_is_variable(tensor.variable);
    builder.add_sparsity(sparsity);
    builder.add_has_rank(true);
    builder.add_external_buffer(tensor.external_buffer);
    return builder.Finish();
  }

  void AddCode(const TfliteOperator& op) {
    const auto deprecated = static_cast<int8_t>(op.code < 127 ? op.code : 127);
    codes_.push_back(tflite::CreateOperatorCodeDirect(fbb_, deprecated, op.custom.empty() ? nullptr : op.custom.c_str(),
                                                      op.version, op.code));
  }

  flatbuffers::Offset<tflite::Operator> Operator(const TfliteOperator& op) {
    AddCode(op);
    flatbuffers::Offset<tflite::Any> options;
    if (op.options_type != 0) {
      const flatbuffers::uoffset_t start = fbb_.StartTable();
      for (const auto& [field, number] : op.options) {
        fbb_.AddElement<int32_t>(static_cast<flatbuffers::voffset_t>(4 + 2 * field), number);
      }
      options = flatbuffers::Offset<tflite::Any>(fbb_.EndTable(start));
    }
    const auto inputs = fbb_.CreateVector(op.inputs);
    const auto outputs = fbb_.CreateVector(op.outputs);
    tflite::OperatorBuilder builder(fbb_);
    builder.add_opcode_index(static_cast<uint32_t>(codes_.size() - 1));
    builder.add_inputs(inputs);
    builder.add_outputs(outputs);
    builder.add_options_type(op.options_type);
    builder.add_options(options);
    return builder.Finish();
  }

  flatbuffers::Offset<tflite::SubGraph> Subgraph(const TfliteSubgraph& subgraph) {
    std::vector<flatbuffers::Offset<tflite::Tensor>> tensors;
    for (const TfliteTensor& tensor : subgraph.tensors) tensors.push_back(Tensor(tensor));
    std::vector<flatbuffers::Offset<tflite::Operator>> operators;
    for (const TfliteOperator& op : subgraph.operators) operators.push_back(Operator(op));
    return tflite::CreateSubGraphDirect(fbb_, &tensors, &subgraph.inputs, &subgraph.outputs, &operators, "g");
  }

  flatbuffers::FlatBufferBuilder fbb_;
  std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes_;
};

inline std::string WriteTflite(const TfliteModel& model) { return TfliteWriter().Write(model); }

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_TFLITE_MODEL_H_
