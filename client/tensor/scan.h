// One pass over the elements of a constant: statistics, and the elements themselves when few enough.
#ifndef QUANTGATE_CLIENT_TENSOR_SCAN_H_
#define QUANTGATE_CLIENT_TENSOR_SCAN_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// Number of elements of a shape; nullopt when a size is negative or the product exceeds 63 bits.
std::optional<int64_t> ElementCount(absl::Span<const int64_t> dims);

// Bytes that the shape and the type ask for; -1: unknown or absurd.
int64_t NaturalBytes(absl::Span<const int64_t> dims, v1::DataType dtype);

struct ScanOptions {
  v1::DataType dtype = v1::DATA_TYPE_UNSPECIFIED;
  // As declared; never trusted. Used for the padding of packed types and for per-axis statistics, both only where it
  // agrees with the stored bytes.
  std::vector<int64_t> dims;
  // Take minimum and maximum per index of this axis (0-based).
  std::optional<int> axis;
  // Longest axis for which per-axis statistics are taken.
  int64_t max_axis_size = 0;
  // List the elements in Constant.ints or Constant.reals when there are at most this many.
  int64_t max_listed = 0;
  // AddBytes appends what it is given; null: nowhere.
  std::string* kept = nullptr;
};

// Feed elements in row-major order with Add*, then Finish. Memory: the listed elements and the axis, nothing else.
class TensorScan {
 public:
  // `stored_bytes`: bytes that will be added, in the packed layout of the dtype (little-endian; types below 8 bits have
  // the first element in the lowest bits).
  TensorScan(const ScanOptions& options, int64_t stored_bytes);

  // Bytes in chunks of a multiple of 16, the last one excepted. A partial element at the very end is not counted.
  void AddBytes(absl::string_view bytes);
  // One value that need not fit the dtype; a zero point of 300 in a uint8 tensor stays 300.
  void AddInteger(int64_t value);
  void AddUnsigned(uint64_t value);
  void AddReal(double value);

  // Writes ints or reals, and statistics (which NaN does not take part in). Leaves the other fields alone.
  void Finish(v1::Constant* constant);

 private:
  template <typename T>
  void AddArray(absl::string_view bytes);
  void AddPacked(absl::string_view bytes, int bits);
  void AddTable(absl::string_view bytes);
  void Count(double value);
  void CountOnAxis(double value);

  const v1::DataType dtype_;
  const int64_t limit_;  // elements that are no padding
  std::string* const kept_;
  const absl::Span<const double> table_;  // bit pattern to value, for floats of at most 16 bits
  bool list_ = false;
  bool per_axis_ = false;
  int axis_ = 0;
  int64_t axis_stride_ = 1;
  int64_t axis_run_ = 0;  // elements seen at the present index of the axis
  size_t axis_index_ = 0;
  std::vector<int64_t> ints_;
  std::vector<double> reals_;
  std::vector<double> axis_min_;
  std::vector<double> axis_max_;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  int64_t min_index_ = -1;
  int64_t max_index_ = -1;
  int64_t nan_count_ = 0;
  int64_t inf_count_ = 0;
  int64_t zero_count_ = 0;
  int64_t count_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TENSOR_SCAN_H_
