#include "absl/strings/str_cat.h"
#include "rules/graph/attributes.h"
#include "rules/graph/opset.h"
#include "rules/simulator/run/lowering.h"

namespace quantgate::simulator {

int64_t NodeReader::Int(absl::string_view name, int64_t fallback) const {
  const v1::Attribute* found = attribute(name);
  if (found == nullptr) return fallback;
  switch (found->value_case()) {
    case v1::Attribute::kInts:
      return found->ints().values().empty() ? fallback : found->ints().values(0);
    case v1::Attribute::kDtype:
      return found->dtype();
    default:
      return IntegerOf(found).value_or(fallback);
  }
}

double NodeReader::Real(absl::string_view name, double fallback) const {
  const v1::Attribute* found = attribute(name);
  if (found != nullptr && found->value_case() == v1::Attribute::kB) return found->b() ? 1 : 0;
  return RealOf(found).value_or(fallback);
}

std::optional<Integers> NodeReader::Ints(absl::string_view name) const {
  const v1::Attribute* found = attribute(name);
  if (found == nullptr) return std::nullopt;
  if (found->value_case() == v1::Attribute::kI) return Integers{found->i()};
  if (found->value_case() != v1::Attribute::kInts) return std::nullopt;
  return Integers(found->ints().values().begin(), found->ints().values().end());
}

absl::string_view NodeReader::Text(absl::string_view name) const {
  const v1::Attribute* found = attribute(name);
  return found == nullptr || found->value_case() != v1::Attribute::kS ? absl::string_view()
                                                                      : absl::string_view(found->s());
}

int32_t NodeReader::Value(int position) const {
  for (int i = 0; i < graph_.num_inputs(node_); ++i) {
    if (graph_.argument(node_, i) == position) return graph_.input(node_, i);
  }
  return -1;
}

const Tensor* NodeReader::Argument(int position) const {
  const int32_t value = Value(position);
  return value < 0 ? nullptr : tensor_(value);
}

std::optional<Integers> NodeReader::ArgumentInts(int position) const {
  const Tensor* tensor = Argument(position);
  if (tensor == nullptr) return std::nullopt;
  absl::StatusOr<Integers> integers = ToInt64(*tensor);
  return integers.ok() ? std::optional(*std::move(integers)) : std::nullopt;
}

std::optional<double> NodeReader::ArgumentReal(int position) const {
  const Tensor* tensor = Argument(position);
  if (tensor == nullptr) return std::nullopt;
  if (tensor->type == v1::DATA_TYPE_FLOAT32) {
    return tensor->data.empty() ? std::nullopt : std::optional<double>(tensor->as<float>()[0]);
  }
  const absl::StatusOr<Integers> integers = ToInt64(*tensor);
  return !integers.ok() || integers->empty() ? std::nullopt
                                             : std::optional<double>(static_cast<double>((*integers)[0]));
}

std::optional<Integers> NodeReader::IntsOf(absl::string_view name, int position) const {
  std::optional<Integers> given = Ints(name);
  return given.has_value() ? given : ArgumentInts(position);
}

absl::Span<const int64_t> NodeReader::Dims(int position) const {
  const Tensor* tensor = Argument(position);
  return tensor == nullptr ? absl::Span<const int64_t>() : absl::MakeConstSpan(tensor->dims);
}

int64_t NodeReader::opset(absl::string_view domain) const {
  const v1::OpsetImport* import = ImportOf(graph_.message(), domain);
  return import == nullptr ? 1 << 20 : import->version();
}

absl::Status Unknown(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat(what, " are not known before they are needed"));
}

}  // namespace quantgate::simulator
