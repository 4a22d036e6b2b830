#include "rules/graph/node_shapes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/graph/elements.h"

namespace quantgate {

bool Shape::is_static() const {
  return known && std::all_of(dims.begin(), dims.end(), [](int64_t size) { return size >= 0; });
}

std::string ShapeText(absl::Span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < std::min<size_t>(dims.size(), kMaxRank); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ");
    if (dims[i] == kAnySize) {
      text.push_back('?');
    } else {
      absl::StrAppend(&text, dims[i]);
    }
  }
  absl::StrAppend(&text, dims.size() > kMaxRank ? ", ...]" : "]");
  return text;
}

std::string ListText(absl::Span<const int64_t> numbers) {
  const bool is_long = numbers.size() > kMaxRank;
  return absl::StrCat("[", absl::StrJoin(numbers.first(std::min<size_t>(numbers.size(), kMaxRank)), ", "),
                      is_long ? ", ...]" : "]");
}

absl::optional<int64_t> CountOf(absl::Span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims) {
    if (__builtin_mul_overflow(count, size, &count) || count > kMaxSize) return absl::nullopt;
  }
  return count;
}

std::string ReasonUnderCondition(const Contradiction& found) {
  return absl::StrCat("fails if the branch that it is in is taken, by a condition that is not known: ", found.observed,
                      "; expected ", found.allowed);
}

void NodeShapes::Start(int32_t node) {
  node_ = node;
  read_computed_ = false;
  num_outputs_ = std::min(graph_.num_outputs(node), kOutputs);
  for (int i = 0; i < num_outputs_; ++i) outputs_[i].known = false;
}

Shape NodeShapes::at(int argument) const {
  return argument >= 0 && given(argument) ? shapes_[graph_.input(node_, argument)] : Shape();
}

int NodeShapes::data(int port) const {
  const absl::Span<const Argument> arguments = binding().arguments;
  const int count = std::min<int>(arguments.size(), num_inputs());
  for (int i = 0; i < count; ++i) {
    if (arguments[i].role == ArgRole::kData && arguments[i].port == port && !arguments[i].of_output) {
      return given(i) ? i : -1;
    }
  }
  return -1;
}

Shape NodeShapes::port(int port) const { return at(data(port)); }

absl::optional<absl::Span<const int64_t>> NodeShapes::constant(int argument) const {
  if (!given(argument)) return absl::nullopt;
  const int32_t id = graph_.input(node_, argument);
  const v1::Value& value = graph_.value(id);
  if (!value.has_constant()) return WholeOrNone(computed(argument));
  // A caller may give an input another value than the file's.
  if (graph_.is_graph_input(id) || value.dims_size() > 1) return absl::nullopt;
  const int64_t count = value.dims_size() == 0 ? 1 : value.dims(0);
  const auto& ints = value.constant().ints();
  if (!value.has_shape() || ints.size() != count) return absl::nullopt;
  return absl::MakeConstSpan(ints.data(), ints.size());
}

absl::optional<absl::Span<const int64_t>> NodeShapes::computed(int argument) const {
  if (numbers_ == nullptr || !given(argument) || at(argument).rank() > 1) return absl::nullopt;
  const auto numbers = numbers_->of(graph_.input(node_, argument));
  read_computed_ |= numbers.has_value();
  return numbers;
}

RealView NodeShapes::reals(int argument) const {
  if (!given(argument)) return {};
  const int32_t id = graph_.input(node_, argument);
  const v1::Value& value = graph_.value(id);
  if (!value.has_constant()) {
    const auto known = reals_ == nullptr || at(argument).rank() > 1 ? absl::nullopt : reals_->of(id);
    read_computed_ |= known.has_value();
    return known && absl::c_none_of(*known, [](double real) { return std::isnan(real); }) ? *known : RealView();
  }
  if (graph_.is_graph_input(id) || !value.has_shape() || value.dims_size() > 1) return {};
  const RealView found = RealsOf(value);
  const int64_t count = value.dims_size() == 0 ? 1 : value.dims(0);
  return static_cast<int64_t>(found.size()) == count ? found : RealView();
}

absl::Span<const int64_t> NodeShapes::integers(absl::string_view attribute) const {
  const v1::Attribute* found = graph_.attribute(node_, attribute);
  if (found == nullptr || found->value_case() != v1::Attribute::kInts) return {};
  return absl::MakeConstSpan(found->ints().values().data(), found->ints().values_size());
}

absl::string_view NodeShapes::text(absl::string_view attribute) const {
  const v1::Attribute* found = graph_.attribute(node_, attribute);
  return found == nullptr ? absl::string_view() : absl::string_view(found->s());
}

absl::optional<absl::Span<const int64_t>> NodeShapes::moved_list(absl::string_view attribute, int argument) const {
  if (given(argument)) return constant(argument);
  return integers(attribute);
}

int NodeShapes::Axis(int64_t axis, int rank, int last, absl::string_view what) {
  if (axis >= -rank && axis <= last) return static_cast<int>(axis < 0 ? axis + rank : axis);
  BadParameter(absl::StrCat(what, " ", axis), rank == 0
                                                  ? "none: the tensor is a scalar"
                                                  : absl::StrCat(-rank, " to ", last, " for a tensor of rank ", rank));
  return -1;
}

NodeShapes::Output* NodeShapes::Slot(int output) { return output < num_outputs_ ? &outputs_[output] : nullptr; }

void NodeShapes::Give(int output, Dims dims) {
  Output* slot = Slot(output);
  if (slot == nullptr || dims.size() > kMaxRank) return;
  for (int64_t& size : dims) {
    if (size < 0 || size > kMaxSize) size = kAnySize;
  }
  slot->dims = std::move(dims);
  slot->shape = Shape{true, slot->dims};
  slot->known = true;
  slot->like = false;
}

void NodeShapes::GiveLike(int output, const Shape& shape) {
  Output* slot = Slot(output);
  if (slot == nullptr || !shape.known) return;
  slot->shape = shape;
  slot->known = true;
  slot->like = true;
}

}  // namespace quantgate
