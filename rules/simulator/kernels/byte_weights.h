// What products of bytes (byte_products.h) need around them: weights as signed bytes, and results in their tensor.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_WEIGHTS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "rules/simulator/kernel.h"
#include "rules/simulator/kernels/byte_products.h"
#include "rules/simulator/kernels/products.h"

namespace quantgate::simulator {

// Whether sums of `depth` products of any bytes with their biases stay within 32 bits, and no accumulator wraps.
bool FitsBytes(const QTensor& x, int64_t depth, const Requantization& requantization);

// Whether all elements are signed bytes when their zero points, which follow `axis`, are subtracted.
bool AreBytes(const QTensor& weight, int axis);

struct ByteWeights {
  const int8_t* data = nullptr;  // of the tensor, or of `own`
  int64_t stride = 0;            // from row to row: the depth, filled up with zeros to a multiple of 4
  std::vector<ByteSums> sums;    // of each row
  std::vector<int8_t> own;

  const int8_t* row(int64_t i) const { return data + i * stride; }
};

// Rows in the tensor's own order, with the zero points subtracted. AreBytes is true, and the tensor outlives them.
ByteWeights MakeByteWeights(const QTensor& weight, int64_t rows, int64_t depth);

// Requantizes products into a tensor, and notes what the accumulators did.
class ByteResults {
 public:
  // All outlive it; `use` may be null.
  ByteResults(const QTensor& x, const ByteWeights& weights, const Requantization& requantization, AccumulatorUse* use,
              Tensor& out);
  // Row r and column c to element `to` + r * row_stride + c. `first_row`: of the product's rows among all. The
  // product's bias is set here.
  void Panel(PanelProduct product, int64_t first_row, int64_t to, int64_t row_stride) const;
  // `outputs` elements from `to` on. The product's bias is set here.
  void Plane(PlaneProduct product, int64_t outputs, int64_t row, int64_t to) const;

 private:
  void Note(const SumRange& range) const;
  void Note(const StepErrors& errors) const;
  void Store(const int32_t* sums, int64_t count, int64_t row, int64_t to) const;

  const Requantization& requantization_;
  AccumulatorUse* const use_;
  Tensor& out_;
  const bool bytes_;  // the vectorized way to results
  ByteRescale rescale_;
  std::vector<int32_t> bias_;  // with what the input's zero point adds
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_WEIGHTS_H_
