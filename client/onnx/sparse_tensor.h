// onnx::SparseTensorProto to the dense tensor that it stands for, as runtimes make it when they load the file.
#ifndef QUANTGATE_CLIENT_ONNX_SPARSE_TENSOR_H_
#define QUANTGATE_CLIENT_ONNX_SPARSE_TENSOR_H_

#include <cstdint>
#include <memory>

#include "onnx/onnx.pb.h"

namespace quantgate {

// The name is that of the values. Null: it is larger than a scale or a bias is or than `bytes_left`, its elements are
// in another file or of no whole number of bytes, or its indices are not places of the shape in ascending order. Takes
// what it makes off `bytes_left`: few bytes of a file can stand for very many.
std::unique_ptr<onnx::TensorProto> DenseTensor(const onnx::SparseTensorProto& sparse, int64_t* bytes_left);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_SPARSE_TENSOR_H_
