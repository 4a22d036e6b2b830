#include "server/services/simulation_tensors.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/numpy_type.h"
#include "rules/simulator/run/constants.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

constexpr int kMaxRank = 64;  // numpy's
constexpr absl::string_view kLimit = "max_simulation_bytes";

}  // namespace

absl::StatusOr<absl::flat_hash_map<std::string, simulator::Tensor>> ReadTensors(const v1::Tensors& tensors,
                                                                                int64_t max_simulation_bytes) {
  absl::flat_hash_map<std::string, simulator::Tensor> read;
  int64_t total = 0;
  for (int i = 0; i < tensors.tensors_size(); ++i) {
    const v1::Tensor& tensor = tensors.tensors(i);
    const auto wrong = [i](absl::string_view field, absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat("inputs.tensors[", i, "].", field, ": ", what));
    };
    if (tensor.name().empty()) return wrong("name", "is empty");
    if (read.contains(tensor.name())) return wrong("name", absl::StrCat("'", tensor.name(), "' is there twice"));
    const std::optional<v1::DataType> type = simulator::FromNumpyType(tensor.dtype());
    if (!type.has_value()) {
      return wrong("dtype", absl::StrCat("'", tensor.dtype(), "' is not one of numpy's little-endian bool, integers ",
                                         "and reals, such as '<f4'"));
    }
    if (tensor.dims_size() > kMaxRank) return wrong("dims", absl::StrCat(tensor.dims_size(), " of them"));
    const std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
    const absl::StatusOr<int64_t> count = simulator::ElementCount(dims);
    if (!count.ok()) return wrong("dims", count.status().message());
    // A byte or more for each element: what is not there needs no memory.
    if (static_cast<uint64_t>(*count) <= tensor.data().size()) {
      total += *count * static_cast<int64_t>(std::max<size_t>(simulator::ElementSize(*type), 4));
      if (total > max_simulation_bytes) {
        return LimitExceeded(kLimit, max_simulation_bytes, absl::StrCat("the inputs take ", total, " bytes"));
      }
    }
    absl::StatusOr<simulator::Tensor> unpacked = simulator::UnpackGiven(*type, dims, tensor.data());
    if (!unpacked.ok()) return wrong("data", unpacked.status().message());
    read.emplace(tensor.name(), *std::move(unpacked));
  }
  return read;
}

void TensorWriter::Add(const std::string& name, const simulator::Tensor& tensor) {
  if (!status_.ok() || !names_.insert(name).second) return;
  const int64_t bytes = static_cast<int64_t>(tensor.data.size());
  if (bytes > left_) {
    status_ = LimitExceeded(kLimit, max_bytes_, "the values that the answer would hold take more; leave out dump");
    return;
  }
  left_ -= bytes;
  const absl::string_view dtype = simulator::NumpyType(tensor.type);
  if (dtype.empty()) {
    status_ = absl::UnimplementedError(absl::StrCat("numpy has no type for ", v1::DataType_Name(tensor.type)));
    return;
  }
  v1::Tensor& out = *out_.add_tensors();
  out.set_name(name);
  out.set_dtype(std::string(dtype));
  out.mutable_dims()->Add(tensor.dims.begin(), tensor.dims.end());
  out.set_data(tensor.data.data(), tensor.data.size());
}

}  // namespace quantgate::server
