// What a shape function sees of its node, and where it writes: shapes of the outputs, and what contradicts itself.
#ifndef QUANTGATE_RULES_GRAPH_NODE_SHAPES_H_
#define QUANTGATE_RULES_GRAPH_NODE_SHAPES_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "rules/graph/graph.h"
#include "rules/graph/known_numbers.h"
#include "rules/graph/number_view.h"

namespace quantgate {

constexpr int64_t kAnySize = -1;
// Shapes of more dimensions and sizes beyond are not judged: what they come to is not worth the work.
constexpr int kMaxRank = 16;
constexpr int64_t kMaxSize = int64_t{1} << 48;

using Dims = absl::InlinedVector<int64_t, 6>;

// A shape as far as it is known. The dims belong to the graph's message or to Inferred.
struct Shape {
  bool known = false;              // the rank is
  absl::Span<const int64_t> dims;  // kAnySize: not known

  int rank() const { return static_cast<int>(dims.size()); }
  bool is_static() const;
};

// "[1, 3, ?]"; no longer than shapes that are judged.
std::string ShapeText(absl::Span<const int64_t> dims);
// "[0, -1]": numbers that are no sizes, at most as many.
std::string ListText(absl::Span<const int64_t> numbers);
// Elements of a shape that is static; none when there are more than kMaxSize.
absl::optional<int64_t> CountOf(absl::Span<const int64_t> dims);

struct Contradiction {
  enum Kind : uint8_t { kShapes, kParameter };
  Kind kind;
  int32_t node;
  int32_t input;  // -1: the node as a whole
  std::string observed;
  std::string allowed;
  bool when_run = false;  // a file is loaded with it, and fails where the node runs
  bool perhaps = false;   // the same, and whether the node ever runs is not known
};

// Why nothing is said for certain of one that shows only in a branch that may not be taken.
std::string ReasonUnderCondition(const Contradiction& found);

class NodeShapes {
 public:
  // Shapes by value id; `opset`: version of the default operator set; `numbers`, `reals`: what nodes before this one
  // compute, null where none are computed.
  NodeShapes(const Graph& graph, int64_t opset, absl::Span<const Shape> shapes, const KnownNumbers* numbers = nullptr,
             const KnownReals* reals = nullptr)
      : graph_(graph), opset_(opset), shapes_(shapes), numbers_(numbers), reals_(reals) {}
  void Start(int32_t node);

  const Graph& graph() const { return graph_; }
  int32_t node() const { return node_; }
  const Binding& binding() const { return *graph_.binding(node_); }
  int64_t opset() const { return opset_; }
  int num_inputs() const { return graph_.num_inputs(node_); }
  int num_outputs() const { return graph_.num_outputs(node_); }

  // By argument position; unknown when left out.
  Shape at(int argument) const;
  bool given(int argument) const { return argument < num_inputs() && graph_.input(node_, argument) >= 0; }
  // Position of the data of a port of the canonical operator; -1: left out.
  int data(int port) const;
  Shape port(int port) const;
  // Integers of an argument of rank 0 or 1 that is a constant, or computed before the model runs, all of them; none
  // when it is something else.
  absl::optional<absl::Span<const int64_t>> constant(int argument) const;
  // The same of one that is computed, with kUnknownNumber among them.
  absl::optional<absl::Span<const int64_t>> computed(int argument) const;
  // Whether numbers of the node last started were asked for that are computed.
  bool read_computed() const { return read_computed_; }
  // The same of real numbers; empty: it is something else.
  RealView reals(int argument) const;

  bool has(absl::string_view attribute) const { return graph_.attribute(node_, attribute) != nullptr; }
  int64_t integer(absl::string_view attribute, int64_t fallback) const {
    return graph_.int_attribute(node_, attribute, fallback);
  }
  // Empty when absent.
  absl::Span<const int64_t> integers(absl::string_view attribute) const;
  absl::string_view text(absl::string_view attribute) const;
  // Axes that moved from an attribute to an argument; none when they are computed. Empty: not stated.
  absl::optional<absl::Span<const int64_t>> moved_list(absl::string_view attribute, int argument) const;

  // `axis` from the start, or -1 after a contradiction has been noted. `last`: the largest one admitted.
  int Axis(int64_t axis, int rank, int last, absl::string_view what = "axis");
  int Axis(int64_t axis, int rank) { return Axis(axis, rank, rank - 1); }

  void Give(int output, Dims dims);
  void GiveLike(int output, const Shape& shape);
  Contradiction& Conflict(int input, std::string observed, std::string allowed) {
    return contradictions.emplace_back(
        Contradiction{Contradiction::kShapes, node_, input, std::move(observed), std::move(allowed)});
  }
  Contradiction& BadParameter(std::string observed, std::string allowed) {
    return contradictions.emplace_back(
        Contradiction{Contradiction::kParameter, node_, -1, std::move(observed), std::move(allowed)});
  }

  struct Output {
    bool known = false;
    bool like = false;  // `shape` is of another value: nothing to store
    Shape shape;
    Dims dims;
  };
  // Of the node last started; those that were not given are unknown.
  absl::Span<const Output> outputs() const { return absl::MakeConstSpan(outputs_).first(num_outputs_); }
  std::vector<Contradiction> contradictions;

 private:
  Output* Slot(int output);

  const Graph& graph_;
  const int64_t opset_;
  const absl::Span<const Shape> shapes_;
  const KnownNumbers* const numbers_;
  const KnownReals* const reals_;
  int32_t node_ = -1;
  mutable bool read_computed_ = false;
  // Shape functions fill few outputs; those beyond stay unknown.
  static constexpr int kOutputs = 64;
  std::vector<Output> outputs_ = std::vector<Output>(kOutputs);
  int num_outputs_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_NODE_SHAPES_H_
