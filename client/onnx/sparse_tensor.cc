#include "client/onnx/sparse_tensor.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/onnx/tensor_reader.h"
#include "client/tensor/element.h"
#include "client/tensor/scan.h"
#include "rules/onnx/data_type.h"

namespace quantgate {
namespace {

// 2^20 scales of float32.
constexpr int64_t kMostBytes = int64_t{4} << 20;

// Of one element; 0: it is not a whole number of them, or 0 is no number of the type.
int64_t ElementBytes(v1::DataType dtype) {
  if (dtype == v1::DATA_TYPE_FLOAT8_E8M0) return 0;
  return ElementBits(dtype) % 8 == 0 ? ElementBits(dtype) / 8 : 0;
}

std::optional<std::string> OwnElements(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return std::nullopt;
  absl::StatusOr<std::string> bytes = ReadElements(tensor, /*external=*/nullptr);
  if (!bytes.ok()) return std::nullopt;
  return *std::move(bytes);
}

// Where the stored elements are in the dense tensor of that shape: numbers of elements, or one index for each
// dimension.
std::optional<std::vector<int64_t>> Positions(const onnx::SparseTensorProto& sparse, int64_t stored, int64_t elements) {
  const onnx::TensorProto& indices = sparse.indices();
  if (indices.data_type() != onnx::TensorProto::INT64 || indices.dims_size() < 1 || indices.dims_size() > 2) {
    return std::nullopt;
  }
  const int64_t rank = indices.dims_size() == 2 ? sparse.dims_size() : 1;
  if (indices.dims_size() == 2 && indices.dims(1) != rank) return std::nullopt;
  const std::optional<std::string> bytes = OwnElements(indices);
  if (!bytes || indices.dims(0) != stored || static_cast<int64_t>(bytes->size()) != stored * rank * 8) {
    return std::nullopt;
  }
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < stored; ++i) {
    int64_t position = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t index = 0;
      std::memcpy(&index, bytes->data() + (i * rank + dim) * 8, 8);
      const int64_t size = indices.dims_size() == 2 ? sparse.dims(static_cast<int>(dim)) : elements;
      if (index < 0 || index >= size) return std::nullopt;
      position = position * size + index;
    }
    if (!positions.empty() && position <= positions.back()) return std::nullopt;
    positions.push_back(position);
  }
  return positions;
}

}  // namespace

std::unique_ptr<onnx::TensorProto> DenseTensor(const onnx::SparseTensorProto& sparse, int64_t* bytes_left) {
  const v1::DataType dtype = DataTypeFromOnnx(sparse.values().data_type());
  const int64_t width = ElementBytes(dtype);
  const int64_t size = NaturalBytes(sparse.dims(), dtype);
  if (width == 0 || size < 0 || size > kMostBytes || size > *bytes_left || sparse.dims_size() == 0) return nullptr;
  const std::optional<std::string> values = OwnElements(sparse.values());
  if (!values || static_cast<int64_t>(values->size()) % width != 0) return nullptr;
  const auto positions = Positions(sparse, static_cast<int64_t>(values->size()) / width, size / width);
  if (!positions) return nullptr;
  *bytes_left -= size;
  auto dense = std::make_unique<onnx::TensorProto>();
  dense->set_name(sparse.values().name());
  dense->set_data_type(sparse.values().data_type());
  *dense->mutable_dims() = sparse.dims();
  std::string& bytes = *dense->mutable_raw_data();
  bytes.assign(size, '\0');
  for (size_t i = 0; i < positions->size(); ++i) {
    std::memcpy(bytes.data() + (*positions)[i] * width, values->data() + static_cast<int64_t>(i) * width, width);
  }
  return dense;
}

}  // namespace quantgate
