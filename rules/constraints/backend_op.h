// An operator as a backend sees it: its own name, port order, layout and types. What a module's lowering produces and
// what constraint tables are matched against.
#ifndef QUANTGATE_RULES_CONSTRAINTS_BACKEND_OP_H_
#define QUANTGATE_RULES_CONSTRAINTS_BACKEND_OP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table.h"
#include "rules/graph/elements.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// QNN's encoding kinds, the superset in use.
enum class Encoding : uint8_t {
  kNone,            // not quantized, or quantized without known parameters
  kPerTensor,       // SCALE_OFFSET
  kPerChannel,      // AXIS_SCALE_OFFSET
  kBwPerTensor,     // BW_SCALE_OFFSET: fewer bits than the storage type
  kBwPerChannel,    // BW_AXIS_SCALE_OFFSET
  kBlock,           // BLOCK
  kBlockExpansion,  // BLOCKWISE_EXPANSION (LPBQ)
  kUndefined,       // quantized type, but no scheme is stated
};

// The content of a constant, and a note that somebody looked: a judgement made without looking is that of any operator
// which differs in its constants alone.
class ConstantContent {
 public:
  ConstantContent() = default;
  // `looked`, if any, becomes true at the first look.
  ConstantContent(const v1::Constant* constant, v1::DataType dtype = v1::DATA_TYPE_UNSPECIFIED, bool* looked = nullptr)
      : constant_(constant), dtype_(dtype), looked_(looked) {}
  operator const v1::Constant*() const {
    if (looked_ != nullptr) *looked_ = true;
    return constant_;
  }
  const v1::Constant* operator->() const { return *this; }
  // Of a constant that is there.
  IntegerView integers() const { return IntegersOf(**this, dtype_); }
  RealView reals() const { return RealsOf(**this, dtype_); }

 private:
  const v1::Constant* constant_ = nullptr;
  v1::DataType dtype_ = v1::DATA_TYPE_UNSPECIFIED;
  bool* looked_ = nullptr;
};

struct BackendTensor {
  bool present = false;
  db::ElementType type;
  int bits = 0;  // effective width, 4 for a 4-bit encoding in 8-bit storage
  Encoding encoding = Encoding::kNone;
  Tri symmetric = Tri::kUnknown;        // judged by zero points and range, not by scheme alone
  Tri asked_symmetric = Tri::kUnknown;  // what an observer is asked for: the scheme alone; known before its numbers are
  Tri dynamic_shape = Tri::kNo;
  Tri dynamic_qparams = Tri::kUnknown;  // scale and zero point computed at run time
  int rank = -1;                        // -1: unknown
  absl::Span<const int64_t> dims;       // backend layout; empty when unknown; -1 for a dynamic size
  int axis = -1;                        // quantized axis, backend layout; -1: per tensor or not known
  bool is_static = false;
  bool static_chain = false;             // constant, or computed from constants alone
  bool is_graph_input = false;           // of the backend's graph: no operator in front of it
  const QuantParams* qparams = nullptr;  // null: not known at this stage
  bool without_encoding = false;         // quantized, and the graph that should say how does not
  ConstantContent constant;              // null: none
  // Where it comes from, for findings.
  int32_t value = -1;
  int16_t argument = -1;
  int32_t encoded_as = -1;  // the value whose encoding it takes, where that is not its own
};

// Parameter of the backend's operator. Absent parameters take the definition's default.
struct BackendParam {
  absl::string_view name;  // QNN's lower-case name, "transpose_in1"
  std::vector<int64_t> ints;
  std::vector<double> reals;
};

struct BackendOp {
  absl::string_view name;                  // "Conv2d"
  int32_t node = -1;                       // the graph's node it is emitted for
  absl::Span<const BackendTensor> inputs;  // by port number; absent optional ones have present = false
  absl::Span<const BackendTensor> outputs;
  absl::Span<const BackendParam> params;
  bool as_stated = false;  // from a graph in the backend's own terms: it has these parameters and no others
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_BACKEND_OP_H_
