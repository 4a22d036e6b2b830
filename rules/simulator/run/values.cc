#include "rules/simulator/run/values.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/graph/names.h"
#include "rules/graph/quantizer.h"
#include "rules/simulator/run/constants.h"
#include "rules/simulator/run/stored.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

int64_t BytesOf(const Held& held) {
  int64_t bytes = held.affine == nullptr ? 0 : static_cast<int64_t>(held.affine->tensor.data.size());
  if (held.reference != nullptr && held.reference != held.affine)
    bytes += static_cast<int64_t>(held.reference->tensor.data.size());
  if (held.real != nullptr && held.real != held.affine && held.real != held.reference) {
    bytes += static_cast<int64_t>(held.real->tensor.data.size());
  }
  return bytes;
}

}  // namespace

Values::Values(const Graph& graph, const ResolvedGraph& resolved, const std::vector<Step>& steps,
               const SimulateOptions& options)
    : graph_(graph),
      resolved_(resolved),
      steps_(steps),
      options_(options),
      profile_(*options.profile),
      held_(graph.num_values()) {}

absl::Status Values::Keep(int32_t value, Held held) {
  Drop(value);
  const int64_t bytes = BytesOf(held);
  if (bytes > room()) {
    return absl::ResourceExhaustedError(absl::StrCat("'", graph_.value(value).name(), "' would make ", bytes_ + bytes,
                                                     " bytes of tensors, where ", options_.max_bytes, " are allowed"));
  }
  bytes_ += bytes;
  held_[value] = std::move(held);
  return options_.work == nullptr ? absl::OkStatus() : options_.work->SpendOnBytes(bytes);
}

void Values::Drop(int32_t value) {
  bytes_ -= BytesOf(held_[value]);
  held_[value] = {};
}

void Values::Report(int32_t value) const {
  const std::string& name = graph_.value(value).name();
  if (name.empty()) return;
  const Held& held = held_[value];
  if (options_.on_value && held.affine != nullptr) options_.on_value(name, held.affine->tensor);
  if (options_.on_reference && options_.statistics && held.reference != nullptr) {
    options_.on_reference(name, held.reference->tensor);
  }
}

absl::StatusOr<Quantization> Values::ParametersOf(const Slot& slot) {
  if ((slot.q.quantized() && !slot.late_zero_point) || slot.quantizer < 0) return slot.q;
  const QuantizerInputs inputs = QuantizerInputsOf(graph_, slot.quantizer);
  Quantization q = slot.q;
  if (q.quantized()) {
    if (!Materialize(inputs.zero_point).ok() || held_[inputs.zero_point].affine == nullptr) {
      return absl::UnimplementedError("a zero point that is not known");
    }
    absl::StatusOr<std::vector<int64_t>> zeros = ToInt64(held_[inputs.zero_point].affine->tensor);
    if (!zeros.ok()) return zeros.status();
    q.zero_points = *std::move(zeros);
    return q;
  }
  if (inputs.scale < 0 || !Materialize(inputs.scale).ok() || held_[inputs.scale].affine == nullptr) {
    return absl::UnimplementedError("a scale that is not known");
  }
  const Tensor& scale = held_[inputs.scale].affine->tensor;
  if (scale.type != kFloat) return absl::InvalidArgumentError("a scale that is no real number");
  q.scales.assign(scale.as<float>().begin(), scale.as<float>().end());
  if (inputs.zero_point >= 0) {
    if (!Materialize(inputs.zero_point).ok() || held_[inputs.zero_point].affine == nullptr) {
      return absl::UnimplementedError("a zero point that is not known");
    }
    absl::StatusOr<std::vector<int64_t>> zeros = ToInt64(held_[inputs.zero_point].affine->tensor);
    if (!zeros.ok()) return zeros.status();
    q.zero_points = *std::move(zeros);
  }
  if (q.scales.size() > 1) return absl::UnimplementedError("several scales that are computed as the graph runs");
  return q;
}

absl::Status Values::TakeInput(int32_t value, Tensor tensor) {
  Held held;
  held.affine = held.reference = held.real = Share(std::move(tensor));
  // It may be stored quantized.
  for (const Step& step : steps_) {
    for (const Slot& slot : step.inputs) {
      if (slot.value != value || !slot.quantized || !slot.q.quantized()) continue;
      absl::StatusOr<QTensor> stored = held.affine->tensor.type == kFloat
                                           ? Quantized(profile_, held.affine->tensor, slot, slot.q)
                                           : absl::StatusOr<QTensor>(QTensor{held.affine->tensor, slot.q});
      if (absl::IsUnimplemented(stored.status())) return absl::OkStatus();  // what reads it is not computed
      if (!stored.ok()) return InValue(value, stored.status());
      if (stored->tensor.type != slot.type) break;
      absl::StatusOr<Tensor> reals = Dequantized(profile_, *stored);
      if (absl::IsUnimplemented(reals.status())) return absl::OkStatus();
      if (!reals.ok()) return InValue(value, reals.status());
      const bool given_reals = held.affine->tensor.type == kFloat;
      held.affine = std::make_shared<QTensor>(*std::move(stored));
      held.real = Share(*std::move(reals));
      held.reference = given_reals ? held.reference : held.real;
      held.exact = false;
      if (absl::Status status = Keep(value, std::move(held)); !status.ok()) return status;
      Report(value);
      return absl::OkStatus();
    }
  }
  if (absl::Status status = Keep(value, std::move(held)); !status.ok()) return status;
  Report(value);
  return absl::OkStatus();
}

absl::Status Values::InValue(int32_t value, const absl::Status& status) const {
  return absl::Status(status.code(), absl::StrCat("'", graph_.value(value).name(), "': ", status.message()));
}

absl::Status Values::Materialize(int32_t value) {
  if (held_[value].affine != nullptr) return absl::OkStatus();
  // Quantizers behind each other, also by their scales; in a broken graph in a circle.
  constexpr int kMostDepth = 64;
  if (depth_ == kMostDepth) return absl::UnimplementedError("it is not computed");
  ++depth_;
  absl::Status status = Make(value);
  --depth_;
  Note(status);
  return status;
}

absl::Status Values::Make(int32_t value) {
  Held held;
  held.exact = true;
  if (graph_.is_constant(value)) {
    absl::StatusOr<Tensor> tensor = LoadConstant(graph_.value(value));
    if (!tensor.ok()) return tensor.status();
    held.affine = held.reference = held.real = Share(*std::move(tensor));
    return Keep(value, std::move(held));
  }
  const int32_t producer = graph_.producer(value);
  if (producer < 0) {
    const absl::string_view type = DataTypeName(graph_.value(value).dtype());
    return absl::UnimplementedError(absl::StrCat("no numbers were made for it (its type is ", type, ")"));
  }
  const bool quantizes = IsQuantize(graph_, producer);
  if (!quantizes && !IsDequantize(graph_, producer)) return absl::UnimplementedError("it is not computed");
  const int32_t data = QuantizerInputsOf(graph_, producer).data;
  if (data < 0) return absl::UnimplementedError("it is not computed");
  if (absl::Status status = Materialize(data); !status.ok()) return status;
  Slot slot = SlotOfQuantizer(producer);
  absl::StatusOr<Quantization> q = ParametersOf(slot);
  if (!q.ok()) return q.status();
  const Held& from = held_[data];
  if (IsSmallFloat(slot.type)) {
    if (quantizes) return absl::UnimplementedError("it is not computed");  // a step of its own
    absl::StatusOr<Tensor> reals = FromSmallFloats(from.affine->tensor, *q);
    if (!reals.ok()) return reals.status();
    held.affine = held.reference = held.real = Share(*std::move(reals));
    held.exact = from.exact;
    if (!from.exact) {
      held.reference = from.reference;
      held.real = from.real;
    }
    return Keep(value, std::move(held));
  }
  if (quantizes) {
    absl::StatusOr<QTensor> stored = Quantized(profile_, from.affine->tensor, slot, *q);
    if (!stored.ok()) return stored.status();
    held.affine = std::make_shared<QTensor>(*std::move(stored));
    if (from.exact || options_.real_space) {
      absl::StatusOr<Tensor> reals = Dequantized(profile_, *held.affine);
      if (!reals.ok()) return reals.status();
      held.real = Share(*std::move(reals));
    }
    held.reference = from.reference;
    held.exact = from.exact;
    return Keep(value, std::move(held));
  }
  absl::StatusOr<Tensor> reals = Dequantized(profile_, QTensor{from.affine->tensor, *q});
  if (!reals.ok()) return reals.status();
  held.affine = Share(*std::move(reals));
  held.exact = from.exact;
  if (from.exact && from.reference == from.affine) {
    held.reference = held.real = held.affine;
  } else {
    held.reference = from.reference;
    held.real = from.real;
  }
  return Keep(value, std::move(held));
}

const Tensor* Values::Numbers(int32_t value) {
  const absl::StatusOr<const Tensor*> numbers = MakeNumbers(value);
  Note(numbers.status());
  return numbers.ok() ? *numbers : nullptr;
}

absl::StatusOr<const Tensor*> Values::MakeNumbers(int32_t value) {
  if (absl::Status status = Materialize(value); !status.ok()) return status;
  const Held& held = held_[value];
  if (!held.affine->q.quantized()) return &held.affine->tensor;
  if (held.real == nullptr || held.real->q.quantized()) {  // left out, or integers alone without statistics
    absl::StatusOr<Tensor> reals = Dequantized(profile_, *held.affine);
    if (!reals.ok()) return reals.status();
    Held with = held;
    with.real = Share(*std::move(reals));
    if (absl::Status status = Keep(value, std::move(with)); !status.ok()) return status;
  }
  return &held_[value].real->tensor;
}

Slot Values::SlotOfQuantizer(int32_t node) const {
  Slot slot;
  for (const Step& step : steps_) {
    for (const std::vector<Slot>* slots : {&step.inputs, &step.outputs}) {
      for (const Slot& candidate : *slots) {
        if (candidate.quantizer == node) return candidate;
      }
    }
  }
  const Operand* operand = resolved_.quantizer(node);
  if (operand == nullptr) return slot;
  slot.quantized = true;
  slot.type = operand->type;
  slot.quant_min = operand->quant_min;
  slot.quant_max = operand->quant_max;
  slot.quantizer = node;
  slot.q = QuantizationOf(resolved_.qparams(*operand), graph_.rank(operand->edge_value));
  slot.late_zero_point = HasLateZeroPoint(graph_, node);
  return slot;
}

absl::StatusOr<Held> Values::Read(const Slot& slot) {
  absl::StatusOr<Held> held = MakeOperand(slot);
  Note(held.status());
  return held;
}

absl::StatusOr<Held> Values::MakeOperand(const Slot& slot) {
  Held held;
  if (slot.value < 0) return held;
  if (absl::Status status = Materialize(slot.value); !status.ok()) return status;
  const Held& from = held_[slot.value];
  if (!slot.quantized) return from;
  absl::StatusOr<Quantization> q = ParametersOf(slot);
  if (!q.ok()) return q.status();
  if (from.affine->tensor.type == kFloat && !from.affine->q.quantized()) {
    // The graph declares integers and has reals: nothing that a kernel could read.
    if (slot.type != kFloat) return absl::UnimplementedError("it is stored as real numbers");
    return from;
  }
  if (from.affine->q.quantized() && SameParameters(from.affine->q, *q)) return from;
  const bool unread = !from.affine->q.quantized();
  // A constant's tensor is nobody else's yet, and need not be copied; with borrowed parameters it stays as it is.
  if (unread && !slot.borrowed && graph_.is_constant(slot.value) && from.affine == from.reference &&
      from.affine == from.real && from.affine.use_count() == 3) {
    const auto tensor = std::const_pointer_cast<QTensor>(from.affine);
    tensor->q = *std::move(q);
    held.affine = tensor;
  } else {
    held.affine = std::make_shared<QTensor>(QTensor{from.affine->tensor, *std::move(q)});
  }
  if (!options_.statistics) {
    // Nobody asks for the other two.
    if (absl::Status status = CheckGeometry(*held.affine); !status.ok()) return InValue(slot.value, status);
    held.real = held.reference = held.affine;
    held.exact = from.exact;
    if (!unread || !from.exact || slot.borrowed) return held;
    if (absl::Status status = Keep(slot.value, held); !status.ok()) return status;
    return held;
  }
  // Integers that are read with other parameters than they were written with mean other numbers; the reference does
  // not follow.
  absl::StatusOr<Tensor> reals = Dequantized(profile_, *held.affine);
  if (!reals.ok()) return InValue(slot.value, reals.status());
  held.real = Share(*std::move(reals));
  const bool has_reference = !unread && from.reference != nullptr && from.reference != from.affine;
  held.reference = has_reference ? from.reference : held.real;
  held.exact = from.exact;
  // Constants are read more than once.
  if (unread && from.exact && !slot.borrowed) {
    if (absl::Status status = Keep(slot.value, held); !status.ok()) return status;
  }
  return held;
}

}  // namespace quantgate::simulator
