#include "rules/backends/node_view.h"

#include "rules/graph/attributes.h"
#include "rules/graph/elements.h"
#include "rules/onnx/infer.h"

namespace quantgate {
namespace {

const Operand* FirstOf(absl::Span<const Operand> operands, int port) {
  for (const Operand& operand : operands) {
    if (operand.present && operand.port == port) return &operand;
  }
  return nullptr;
}

}  // namespace

const Operand* NodeView::input(int port) const { return FirstOf(inputs_, port); }
const Operand* NodeView::output(int port) const { return FirstOf(outputs_, port); }

int NodeView::rank(const Operand* operand) const {
  if (operand == nullptr || operand->value < 0) return -1;
  const v1::Value& value = graph().value(operand->value);
  return value.has_shape() ? value.dims_size() : -1;
}

int64_t NodeView::dim(const Operand* operand, int axis) const {
  if (axis < 0 || axis >= rank(operand)) return -1;
  return graph().value(operand->value).dims(axis);
}

const v1::Attribute* NodeView::attribute(Names names) const {
  for (absl::string_view name : names) {
    if (const v1::Attribute* found = graph().attribute(op_.node, name)) return found;
  }
  return nullptr;
}

std::optional<int64_t> NodeView::integer(Names names) const { return IntegerOf(attribute(names)); }
std::optional<double> NodeView::real(Names names) const { return RealOf(attribute(names)); }

absl::string_view NodeView::text(Names names) const {
  const v1::Attribute* found = attribute(names);
  return found != nullptr && found->value_case() == v1::Attribute::kS ? absl::string_view(found->s())
                                                                      : absl::string_view();
}

const v1::Value* NodeView::constant(int port) const {
  const Operand* operand = input(port);
  if (operand == nullptr || operand->value < 0 || !graph().is_constant(operand->value)) return nullptr;
  *looked_at_constants_ = true;
  return &graph().value(operand->value);
}

std::optional<IntVector> NodeView::integers(Names names, int port) const {
  if (const v1::Attribute* found = attribute(names)) {
    switch (found->value_case()) {
      case v1::Attribute::kInts:
        return IntVector(found->ints().values().begin(), found->ints().values().end());
      case v1::Attribute::kI:
        return IntVector{found->i()};
      default:
        return std::nullopt;
    }
  }
  const v1::Value* found = port >= 0 ? constant(port) : nullptr;
  if (found == nullptr) return computed(port);
  const IntegerView integers = IntegersOf(*found);
  if (integers.empty()) return std::nullopt;
  return IntVector(integers.begin(), integers.end());
}

std::optional<IntVector> NodeView::computed(int port) const {
  const Operand* operand = port < 0 ? nullptr : input(port);
  if (operand == nullptr || operand->value < 0 || graph().origin() != v1::Graph::ONNX) return std::nullopt;
  const auto numbers = WholeOrNone(context_.Once(InferShapes).numbers.of(operand->value));
  if (!numbers) return std::nullopt;
  *looked_at_constants_ = true;
  return IntVector(numbers->begin(), numbers->end());
}

std::optional<double> NodeView::scalar(Names names, int port) const {
  if (std::optional<double> value = real(names)) return value;
  const v1::Value* found = port >= 0 ? constant(port) : nullptr;
  const RealView numbers = found == nullptr ? RealView() : NumbersOf(*found);
  return numbers.empty() ? std::nullopt : std::optional<double>(numbers[0]);
}

bool IsRead(const NodeView& view, const Operand* output) {
  if (output == nullptr || output->value < 0) return false;
  return view.graph().is_graph_output(output->value) || !view.graph().uses(output->value).empty();
}

bool IsUnbatchedConvolution(const NodeView& view) {
  const OpId id = view.op().op == nullptr ? OpId::kUnknown : view.op().op->id;
  if (id != OpId::kConv && id != OpId::kDepthwiseConv && id != OpId::kConvTranspose) return false;
  const int rank = view.rank(view.input(0));
  return rank >= 0 && rank + 1 == view.rank(view.input(1));
}

bool IsHardtanhWithoutMaximum(const Graph& graph, int32_t node) {
  const absl::string_view type = graph.op_type(node);
  const bool is_hardtanh = type == "aten.hardtanh.default" || type == "aten.hardtanh_.default";
  return is_hardtanh && graph.attribute(node, "min_val") != nullptr && graph.attribute(node, "max_val") == nullptr;
}

}  // namespace quantgate
