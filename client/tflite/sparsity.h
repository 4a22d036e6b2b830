// Tensors of which only some elements are stored.
#ifndef QUANTGATE_CLIENT_TFLITE_SPARSITY_H_
#define QUANTGATE_CLIENT_TFLITE_SPARSITY_H_

#include <cstdint>
#include <string>

#include "client/tflite/model_generated.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::tflite {

// Numbers that CheckSparsity may look at.
int64_t SparsityNumbers(const Sparsity& sparsity);

// What does not hold of it, as the end of "tensor 3 is sparse "; "" where all does. `stored_bytes`: -1 where that is
// not known. LiteRT loads no file with a sparse constant that lacks tables, and asks nothing else: it reads whatever
// lies where they point.
std::string CheckSparsity(const Sparsity& sparsity, const v1::Value& value, int64_t stored_bytes);

void SetSparsity(const Sparsity& sparsity, v1::Constant* constant);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_SPARSITY_H_
