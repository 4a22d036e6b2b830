// One operator of a LiteRT file as Vela reads it: sizes, options and constants by position.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_CALL_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_CALL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/graph/elements.h"
#include "rules/graph/graph.h"

namespace quantgate::ethos_u {

using Dims = absl::Span<const int64_t>;

// What is wrong with an operator, and where.
struct Complaint {
  enum Kind { kKnown, kPerhaps, kStops };

  std::string observed;
  std::string allowed;
  int input = -1;      // its position; -1: the operator as such
  Kind kind = kKnown;  // kPerhaps: what would tell is not here. kStops: it is placed, and the compiler ends over it
};

class Call {
 public:
  // `arch`: 55, 65 or 85.
  Call(const CheckContext& context, const BackendOp& op, int arch)
      : context_(context), graph_(context.graph()), op_(op), arch_(arch) {}

  absl::string_view name() const { return op_.name; }
  bool Is(absl::string_view name) const { return op_.name == name; }
  // Ethos-U55 and Ethos-U65 take the same operators.
  bool before_u85() const { return arch_ < 85; }

  size_t inputs() const { return op_.inputs.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  // Null: there is none.
  const BackendTensor* input(size_t position) const { return At(op_.inputs, position); }
  const BackendTensor* output(size_t position = 0) const { return At(op_.outputs, position); }

  const CheckContext& context() const { return context_; }
  const Graph& graph() const { return graph_; }
  int32_t node() const { return op_.node; }

  // Of 32 bits, as the file has them.
  int64_t option(absl::string_view name, int64_t fallback) const;
  double real_option(absl::string_view name, double fallback) const;

  // None: not known, or a size of it is not, or none that a file can have.
  std::optional<Dims> dims(const BackendTensor* tensor) const;
  std::optional<Dims> input_dims(size_t position) const { return dims(input(position)); }
  std::optional<Dims> output_dims(size_t position = 0) const { return dims(output(position)); }

  // The size along the axis may change.
  bool resizable(const BackendTensor* tensor, int axis) const;
  // So may one along another axis than the first.
  bool resizable(const BackendTensor* tensor) const;

  // What a constant holds; none where it is not one, or its numbers are not here.
  std::optional<IntegerView> integers(size_t position) const;

 private:
  static const BackendTensor* At(absl::Span<const BackendTensor> tensors, size_t position) {
    return position < tensors.size() && tensors[position].present ? &tensors[position] : nullptr;
  }

  const CheckContext& context_;
  const Graph& graph_;
  const BackendOp& op_;
  int arch_;
};

// "1 x 8 x 8 x 4"
std::string ShapeText(Dims dims);

// Of all sizes; at the most of 64 bits where it is beyond.
int64_t Product(Dims dims);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_CALL_H_
