#include "client/tflite/quantization.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "client/tflite/data_type.h"
#include "client/tflite/view.h"

namespace quantgate::tflite {
namespace {

const Tensor* TensorAt(const SubGraph& subgraph, int32_t index) {
  if (index < 0 || subgraph.tensors() == nullptr) return nullptr;
  return static_cast<uint32_t>(index) < subgraph.tensors()->size() ? subgraph.tensors()->Get(index) : nullptr;
}

bool IsSymmetric(const v1::QParams& qparams) {
  return std::all_of(qparams.zero_points().begin(), qparams.zero_points().end(), [](double zero) { return zero == 0; });
}

class SpecReader {
 public:
  SpecReader(const Tensor& tensor, const SubGraph& subgraph, TensorReader& tensors, Budget& budget)
      : tensor_(tensor), subgraph_(subgraph), tensors_(tensors), budget_(budget) {}

  std::optional<v1::Spec> Read() {
    const Quantization* quantization = tensor_.quantization();
    if (quantization == nullptr) return std::nullopt;
    if (const BlockwiseQuantization* blocks = quantization->details_as_BlockwiseQuantization()) {
      ReadBlocks(*blocks);
    } else if (const MultiAxisQuantization* axes = quantization->details_as_MultiAxisQuantization()) {
      ReadAxes(*axes);
    } else if (quantization->scale() != nullptr && quantization->scale()->size() > 0) {
      ReadPlain(*quantization);
    } else {
      return std::nullopt;
    }
    spec_.set_kind(v1::Spec::PLAIN);
    spec_.set_dtype(DataTypeFromTflite(tensor_.type()));
    spec_.set_is_dynamic(false);
    SetScheme();
    return spec_;
  }

 private:
  v1::QParams& qparams() { return *spec_.mutable_qparams(); }

  void ReadPlain(const Quantization& quantization) {
    const flatbuffers::Vector<float>& scales = *quantization.scale();
    const flatbuffers::Vector<int64_t>* zero_points = quantization.zero_point();
    const int64_t count = int64_t{scales.size()} + (zero_points == nullptr ? 0 : zero_points->size());
    if (!budget_.Take(count * 8)) return;
    qparams().mutable_scales()->Assign(scales.begin(), scales.end());
    if (zero_points != nullptr) {
      const std::vector<int64_t> numbers = Numbers(*zero_points);
      qparams().mutable_zero_points()->Assign(numbers.begin(), numbers.end());
    }
    // Of one scale it means nothing, but has to be a dimension all the same.
    const int32_t axis = quantization.quantized_dimension();
    if (scales.size() > 1 || axis < 0 || (Rank() > 0 && axis >= Rank())) qparams().add_axes(axis);
  }

  // Scales and zero points in tensors of their own.
  void ReadTensors(int32_t scales, int32_t zero_points) {
    if (const Tensor* tensor = TensorAt(subgraph_, scales)) {
      const std::vector<double> numbers = tensors_.Numbers(*tensor);
      qparams().mutable_scales()->Assign(numbers.begin(), numbers.end());
      qparams().set_scale_type(DataTypeFromTflite(tensor->type()));
    }
    if (const Tensor* tensor = TensorAt(subgraph_, zero_points)) {
      const std::vector<double> numbers = tensors_.Numbers(*tensor);
      qparams().mutable_zero_points()->Assign(numbers.begin(), numbers.end());
    }
  }

  int Rank() const { return tensor_.shape() == nullptr ? 0 : static_cast<int>(tensor_.shape()->size()); }

  void ReadBlocks(const BlockwiseQuantization& blocks) {
    ReadTensors(blocks.scales(), blocks.zero_points());
    const int rank = Rank();
    const bool shaped = blocks.block_shape() != nullptr && static_cast<int>(blocks.block_shape()->size()) == rank;
    if (!budget_.Take(int64_t{16} * rank)) return;
    for (int i = 0; i < rank; ++i) {
      // A block size alone is that of the innermost dimension, which sums run along.
      const int64_t size = shaped ? blocks.block_shape()->Get(i) : i == rank - 1 ? blocks.block_size() : 1;
      AddBlock(i, size);
    }
  }

  void ReadAxes(const MultiAxisQuantization& axes) {
    ReadTensors(axes.scales(), axes.zero_points());
    const auto* dimensions = axes.quantized_dimensions();
    if (dimensions == nullptr || !budget_.Take(int64_t{16} * dimensions->size())) return;
    for (uint32_t i = 0; i < dimensions->size(); ++i) {
      if (axes.block_size() > 0) {
        AddBlock(dimensions->Get(i), i + 1 == dimensions->size() ? axes.block_size() : 1);
      } else {
        qparams().add_axes(dimensions->Get(i));
      }
    }
  }

  // A block of no elements is none that the message can hold; the rules find it as a wrong number of scales.
  void AddBlock(int32_t axis, int64_t size) {
    qparams().add_axes(axis);
    qparams().add_block_sizes(std::max<int64_t>(size, 1));
  }

  void SetScheme() {
    const bool symmetric = IsSymmetric(qparams());
    if (!qparams().block_sizes().empty()) {
      spec_.set_qscheme(symmetric ? v1::Spec::PER_BLOCK_SYMMETRIC : v1::Spec::PER_BLOCK_AFFINE);
    } else if (!qparams().axes().empty()) {
      spec_.set_qscheme(symmetric ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_CHANNEL_AFFINE);
      if (qparams().axes_size() == 1) spec_.set_axis(qparams().axes(0));
    } else {
      spec_.set_qscheme(symmetric ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE);
    }
  }

  const Tensor& tensor_;
  const SubGraph& subgraph_;
  TensorReader& tensors_;
  Budget& budget_;
  v1::Spec spec_;
};

}  // namespace

std::optional<v1::Spec> SpecOf(const Tensor& tensor, const SubGraph& subgraph, TensorReader& tensors, Budget& budget) {
  return SpecReader(tensor, subgraph, tensors, budget).Read();
}

}  // namespace quantgate::tflite
