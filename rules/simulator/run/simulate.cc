#include "rules/simulator/run/simulate.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/run/control_flow.h"
#include "rules/simulator/run/hybrid.h"
#include "rules/simulator/run/integer_ops.h"
#include "rules/simulator/run/lowering.h"
#include "rules/simulator/run/measure.h"
#include "rules/simulator/run/operate.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/run/stored.h"
#include "rules/simulator/run/team.h"
#include "rules/simulator/run/unfused.h"
#include "rules/simulator/run/values.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

constexpr int kResults = 3;              // of a node: Simulator::ComputeAll
constexpr int kTogether = kResults + 1;  // and what the affine one is rounded from, until they are measured

// One of the results of each operand.
std::vector<const QTensor*> Each(const std::vector<Held>& operands, Shared Held::*result) {
  std::vector<const QTensor*> each;
  each.reserve(operands.size());
  for (const Held& held : operands) each.push_back((held.*result).get());
  return each;
}

class Simulator {
 public:
  Simulator(const Graph& graph, const ResolvedGraph& resolved, const SimulateOptions& options)
      : graph_(graph),
        options_(options),
        profile_(*options.profile),
        unfused_(UnfusedOf(graph, resolved, *options.profile)),
        steps_(MakePlan(graph, resolved)),
        values_(graph, resolved, steps_, options),
        team_(options.statistics ? std::min(options.threads, kResults) : 1) {}

  absl::StatusOr<v1::Simulation> Run(Inputs inputs) {
    const AllocationLimit limit(options_.max_bytes);
    result_.set_profile(std::string(profile_.name));
    result_.set_inputs(inputs.origin);
    for (auto& [value, tensor] : inputs.tensors) {
      if (Cancelled()) return absl::CancelledError("the simulation was cancelled");
      if (absl::Status status = values_.TakeInput(value, std::move(tensor)); !status.ok()) return status;
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (Cancelled()) return absl::CancelledError("the simulation was cancelled");
      if (options_.progress) options_.progress(static_cast<int>(i), static_cast<int>(steps_.size()));
      if (absl::Status status = RunStep(steps_[i]); !status.ok()) return status;
      for (int32_t value : steps_[i].last_reads) values_.Drop(value);
    }
    if (absl::Status status = ReportConstants(); !status.ok()) return status;
    if (options_.outputs != nullptr) {
      for (const int32_t id : graph_.message().outputs()) {
        const absl::StatusOr<Held> held = values_.Read({.value = id - 1});
        if (!held.ok()) return held.status();
        options_.outputs->push_back(held->affine->tensor);
      }
    }
    return std::move(result_);
  }

 private:
  const Profile& ProfileOf(int32_t node) const {
    return unfused_.nodes.empty() || !unfused_.nodes[node] ? profile_ : *unfused_.profile;
  }

  // No step makes a constant that the graph gives as it is.
  absl::Status ReportConstants() {
    if (!options_.on_value) return absl::OkStatus();
    for (const int32_t id : graph_.message().outputs()) {
      if (!graph_.is_constant(id - 1)) continue;
      absl::Status status = values_.Materialize(id - 1);
      if (absl::IsUnimplemented(status)) continue;
      if (!status.ok()) return status;
      values_.Report(id - 1);
    }
    return absl::OkStatus();
  }

  bool Cancelled() const { return options_.cancelled && options_.cancelled(); }

  std::string NodeText(int32_t node) const {
    return graph_.node_name(node).empty() ? absl::StrCat("#", node) : graph_.node_name(node);
  }

  absl::Status InNode(int32_t node, const absl::Status& status) const {
    return absl::Status(status.code(),
                        absl::StrCat("node '", NodeText(node), "' (", graph_.op_type(node), "): ", status.message()));
  }

  void NotComputed(const Step& step, absl::string_view why, size_t output = 0) {
    v1::SimulatedNode& node = *result_.add_nodes();
    Describe(step, output, node);
    node.set_float_reason(absl::StrCat(kNotComputed, why));
  }

  // A result that the node's kernel does not make: said where somebody reads it.
  void LeaveOut(const Step& step, size_t output) {
    const int32_t value = step.outputs[output].value;
    if (value < 0 || (graph_.uses(value).empty() && !graph_.is_graph_output(value) && !graph_.is_read_in_body(value)))
      return;
    NotComputed(step, absl::StrCat("the simulator has no kernel for result ", output), output);
  }

  void Describe(const Step& step, size_t output, v1::SimulatedNode& node) const {
    node.set_node(NodeText(step.node));
    node.set_output(static_cast<int32_t>(output));
    node.set_op(std::string(graph_.op_type(step.node)));
    const Slot& slot = step.outputs[output];
    if (slot.value >= 0) node.set_value(graph_.value(slot.value).name());
  }

  // See HybridInput.
  std::optional<Tensor> HybridFirst(const Step& step, const NodeReader& reader, const std::vector<Held>& read) const {
    const QTensor* ports[] = {nullptr, nullptr};
    for (size_t i = 0; i < read.size() && i < step.inputs.size(); ++i) {
      if (step.inputs[i].port == 0 || step.inputs[i].port == 1) ports[step.inputs[i].port] = read[i].affine.get();
    }
    if (ports[0] == nullptr || ports[1] == nullptr) return std::nullopt;
    return HybridInput(profile_, reader, *ports[0], *ports[1]);
  }

  absl::Status RunStep(const Step& step) {
    std::vector<Held> operands;
    for (const Slot& slot : step.inputs) {
      absl::StatusOr<Held> held = values_.Read(slot);
      if (!held.ok()) {
        if (held.status().code() != absl::StatusCode::kUnimplemented) return InNode(step.node, held.status());
        NotComputed(step, absl::StrCat("'", graph_.value(slot.value).name(), "': ", held.status().message()));
        return absl::OkStatus();
      }
      operands.push_back(*std::move(held));
    }
    absl::Status status = Compute(step, operands);
    if (!values_.shortage().ok()) return InNode(step.node, values_.shortage());
    if (status.ok()) return status;
    if (status.code() != absl::StatusCode::kUnimplemented) return InNode(step.node, status);
    NotComputed(step, status.message());
    return absl::OkStatus();
  }

  absl::Status Compute(const Step& step, const std::vector<Held>& operands) {
    const NodeReader::TensorOf tensor_of = [this](int32_t value) { return values_.Numbers(value); };
    const NodeReader reader(graph_, step.node, tensor_of);
    std::vector<Quantization> written;
    for (const Slot& slot : step.outputs) {
      absl::StatusOr<Quantization> q = values_.ParametersOf(slot);
      if (!q.ok()) return q.status();
      written.push_back(*std::move(q));
    }
    if (step.op == OpId::kQuantize || step.op == OpId::kDequantize || step.op == OpId::kRequantize) {
      return Convert(step, operands, written[0]);
    }
    if (IsControlFlow(graph_, step.node)) return RunBodies(step, written);
    Lowered lowered;
    if (absl::Status status = LowerNode(step, reader, lowered); !status.ok()) return status;
    if (lowered.stored_fill.has_value() && !operands.empty() && operands[0].affine != nullptr &&
        step.inputs[0].quantizer < 0 && operands[0].affine->q.quantized()) {
      const Quantization& q = operands[0].affine->q;
      lowered.attributes.SetFloat(
          "value", (*lowered.stored_fill - static_cast<double>(q.zero_point())) * static_cast<double>(q.scales[0]));
    }
    const bool packed = absl::EndsWith(reader.op_type(), "::MatMulNBits");
    std::vector<Held> unpacked;
    const std::vector<Held>* read = &operands;
    if (packed) {
      absl::StatusOr<Tensor> weight = UnpackedWeight(reader);
      if (!weight.ok()) return weight.status();
      unpacked = operands;
      for (size_t i = 0; i < unpacked.size(); ++i) {
        if (step.inputs[i].port != 1) continue;
        unpacked[i].affine = unpacked[i].reference = unpacked[i].real = Share(std::move(*weight));
        break;
      }
      read = &unpacked;
    }
    // Arguments of integer operators are read as the origin has them.
    std::vector<Held> arguments;
    Step plain;
    const Step* called = &step;
    if (IsIntegerOp(reader.op_type())) {
      plain = step;
      plain.inputs.clear();
      for (int i = 0; i < graph_.num_inputs(step.node); ++i) {
        Slot slot;
        slot.value = graph_.input(step.node, i);
        slot.port = graph_.argument(step.node, i);
        plain.inputs.push_back(slot);
        absl::StatusOr<Held> held = values_.Read(slot);
        if (held.ok()) held = AsIntegers(*held);
        if (!held.ok()) return held.status();
        arguments.push_back(*std::move(held));
      }
      for (Slot& slot : plain.outputs) slot.quantized = false;
      for (Quantization& q : written) q = {};
      read = &arguments;
      called = &plain;
    }
    bool exact = true;
    for (const Held& held : *read) exact &= held.affine == nullptr || (held.exact && !held.affine->q.quantized());
    std::optional<QTensor> scalar;
    if (lowered.scalar.has_value()) scalar = ScalarFor(*read, lowered);
    const QTensor* number = scalar.has_value() ? &*scalar : nullptr;
    const int results = exact || !options_.statistics ? 1 : options_.real_space ? kTogether : kTogether - 1;
    const std::vector<Held>& sized = called == &plain ? operands : *read;
    const int64_t work = WorkOf(lowered.op, lowered.layout, lowered.attributes,
                                Ports(step, Each(sized, &Held::affine), lowered, number));
    if (absl::Status status = options_.work->SpendOnNode(work, results); !status.ok()) return status;
    NodeCall node{ProfileOf(step.node), *called, reader, lowered, written, values_.room() / results,
                  options_.statistics};
    QTensor rounded;
    if (packed && profile_.nbits_accuracy_level && RoundsInput(reader) && (*read)[0].affine != nullptr) {
      absl::StatusOr<Tensor> input = RoundedInput(reader, (*read)[0].affine->tensor);
      if (!input.ok()) return input.status();
      rounded.tensor = *std::move(input);
      node.rounded_first = &rounded;
    } else if (std::optional<Tensor> input = HybridFirst(*called, reader, *read); input.has_value()) {
      rounded.tensor = *std::move(input);
      node.rounded_first = &rounded;
    }
    if (!exact && options_.statistics) return ComputeAll(step, node, *read, number);
    absl::StatusOr<Affine> affine = RunAffine(node, Ports(*called, Each(*read, &Held::affine), lowered, number));
    if (!affine.ok()) return affine.status();
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i].value < 0) continue;
      if (affine->outputs[i]->tensor.type == v1::DATA_TYPE_UNSPECIFIED) {
        LeaveOut(step, i);
        continue;
      }
      Held held;
      held.affine = held.reference = held.real = affine->outputs[i];
      held.exact = exact;
      if (held.affine->q.quantized() && options_.statistics) {
        absl::StatusOr<Tensor> reals = Dequantized(profile_, *held.affine);
        if (!reals.ok()) return reals.status();
        held.reference = held.real = Share(*std::move(reals));
      }
      if (absl::Status status = values_.Keep(step.outputs[i].value, std::move(held)); !status.ok()) return status;
      values_.Report(step.outputs[i].value);
      if (!options_.statistics) Describe(step, i, *result_.add_nodes());
    }
    return absl::OkStatus();
  }

  // What is measured of a value: against the reference that was given for it, where one was.
  Held Compared(int32_t value, Held held) const {
    if (options_.references == nullptr || value < 0) return held;
    const auto given = options_.references->find(graph_.value(value).name());
    if (given == options_.references->end() || given->second.type != held.reference->tensor.type ||
        given->second.dims != held.reference->tensor.dims)
      return held;
    held.reference = std::make_shared<QTensor>(QTensor{given->second, {}});
    return held;
  }

  // A node with bodies, which are run as the profile computes them in all three results: on each one's operands.
  absl::Status RunBodies(const Step& step, const std::vector<Quantization>& written) {
    std::vector<Held> arguments;
    bool same = !options_.statistics;
    for (int i = 0; i < graph_.num_inputs(step.node); ++i) {
      absl::StatusOr<Held> held = values_.Read({.value = graph_.input(step.node, i)});
      if (!held.ok()) return held.status();
      arguments.push_back(*std::move(held));
    }
    std::vector<Held> results(step.outputs.size());
    for (Shared Held::*result : {&Held::affine, &Held::reference, &Held::real}) {
      if (result == &Held::real && options_.statistics && !options_.real_space) continue;
      if (same && result != &Held::affine) {
        for (Held& held : results) held.*result = held.affine;
        continue;
      }
      std::vector<const Tensor*> operands;
      operands.reserve(arguments.size());
      for (const Held& held : arguments)
        operands.push_back(held.*result == nullptr ? nullptr : &(held.*result)->tensor);
      std::vector<Shared> kept;  // as long as the bodies run
      const auto captured = [&](int32_t value) -> const Tensor* {
        const absl::StatusOr<Held> held = values_.Read({.value = value});
        if (!held.ok() || (*held).*result == nullptr) return nullptr;
        kept.push_back((*held).*result);
        return &kept.back()->tensor;
      };
      SimulateOptions options = options_;
      options.max_bytes = values_.room() / (same ? 1 : kResults);
      options.threads = 1;
      absl::StatusOr<std::vector<Tensor>> outputs = RunControlFlow(graph_, step.node, operands, captured, options);
      if (!outputs.ok()) return outputs.status();
      if (outputs->size() < results.size()) return absl::InvalidArgumentError("a body with fewer results");
      for (size_t i = 0; i < results.size(); ++i) {
        QTensor value{std::move((*outputs)[i]), {}};
        if (step.outputs[i].quantized && value.tensor.type == step.outputs[i].type) value.q = written[i];
        if (result != &Held::affine && value.q.quantized()) {
          absl::StatusOr<Tensor> reals = Dequantized(profile_, value);
          if (!reals.ok()) return reals.status();
          value = {*std::move(reals), {}};
        }
        results[i].*result = std::make_shared<QTensor>(std::move(value));
      }
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const Slot& slot = step.outputs[i];
      if (slot.value < 0) continue;
      v1::SimulatedNode unlisted;
      v1::SimulatedNode& node =
          results[i].reference->tensor.type == kFloat || !options_.statistics ? *result_.add_nodes() : unlisted;
      Describe(step, i, node);
      if (options_.statistics) {
        node.set_float_reason("its bodies are run as a whole");
        absl::Status status = Measure(profile_, slot, Compared(slot.value, results[i]), nullptr, node);
        if (!status.ok()) return status;
      }
      if (absl::Status status = values_.Keep(slot.value, std::move(results[i])); !status.ok()) return status;
      values_.Report(slot.value);
    }
    return absl::OkStatus();
  }

  static std::vector<Tensor> Absent(const Step& step) { return std::vector<Tensor>(step.outputs.size()); }

  // All results of a node and what they say about it.
  absl::Status ComputeAll(const Step& step, const NodeCall& call, const std::vector<Held>& read,
                          const QTensor* scalar) {
    const auto ports = [&](Shared Held::*result) { return Ports(call.step, Each(read, result), call.lowered, scalar); };
    absl::StatusOr<Affine> affine = absl::UnknownError("");
    absl::StatusOr<std::vector<Tensor>> reference = affine.status(), real = affine.status(),
                                        unrounded = affine.status();
    const bool relu = FoldsRelu(call.step.outputs[0], call.written[0]);
    // The longest come first.
    const std::function<void()> tasks[kResults] = {
        [&] { reference = RunReal(call, ports(&Held::reference), /*exact=*/false, relu); },
        [&] { real = options_.real_space ? RunReal(call, ports(&Held::real), /*exact=*/true) : Absent(call.step); },
        [&] {
          affine = RunAffine(call, ports(&Held::affine));
          if (!affine.ok() || affine->use.rounding.known) return;
          if (affine->unrounded.empty()) {
            unrounded = RunUnrounded(call, read, scalar);
          } else {
            unrounded = std::move(affine->unrounded);
          }
        },
    };
    if (IsIntegerOp(call.reader.op_type())) {  // they read the graph's values
      for (const auto& task : tasks) task();
    } else {
      const int64_t limit = call.room;
      std::vector<std::function<void()>> limited;
      for (const auto& task : tasks) {
        limited.push_back([&task, limit] {
          const AllocationLimit of_thread(limit);
          task();
        });
      }
      team_.Run(limited);
    }
    if (!affine.ok()) return affine.status();
    if (!reference.ok()) return reference.status();
    if (!real.ok()) return real.status();
    if (absl::IsResourceExhausted(unrounded.status())) return unrounded.status();
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      const Slot& slot = call.step.outputs[i];
      if (slot.value < 0) continue;
      if ((*reference)[i].type == v1::DATA_TYPE_UNSPECIFIED) {
        LeaveOut(step, i);
        continue;
      }
      const auto made = std::make_shared<QTensor>(QTensor{std::move((*reference)[i]), {}});
      const auto rounded = std::make_shared<QTensor>(QTensor{std::move((*real)[i]), {}});
      const Held held{affine->outputs[i], made, options_.real_space ? rounded : nullptr, false};
      absl::Span<float> references, reals;
      if (made->tensor.type == kFloat) references = made->tensor.as<float>();
      if (slot.quantized && rounded->tensor.type == kFloat) reals = rounded->tensor.as<float>();
      // A part at a time, right before it is measured, where each is on its own.
      Grid grid(profile_, slot, call.written[i]);
      const size_t size = references.size();
      const bool in_parts = grid.takes_parts() && slot.quantized && size > 0 &&
                            (!options_.real_space || reals.size() == size) &&
                            held.affine->tensor.data.size() == size * ElementSize(held.affine->tensor.type);
      const auto prepare = [&](size_t first, size_t count) {
        if (!in_parts) return absl::OkStatus();
        if (!(relu && i == 0)) FoldRelu(slot, call.written[i], references.subspan(first, count));
        return reals.empty() ? absl::OkStatus() : grid.Round(reals.subspan(first, count));
      };
      if (!in_parts) {
        if (!(relu && i == 0)) FoldRelu(slot, call.written[i], references);
        if (!reals.empty()) {
          if (absl::Status status = grid.Round(rounded->tensor); !status.ok()) return status;
        }
      }
      // Indices, shapes and conditions have no error.
      v1::SimulatedNode unlisted;
      v1::SimulatedNode& node = held.reference->tensor.type == kFloat ? *result_.add_nodes() : unlisted;
      Describe(step, i, node);
      node.set_float_reason(affine->float_reason);
      Tensor* const exact = unrounded.ok() && i < unrounded->size() ? &(*unrounded)[i] : nullptr;
      if (exact != nullptr && exact->type == kFloat) FoldRelu(slot, call.written[i], exact->as<float>());
      if (absl::Status status = Measure(profile_, slot, Compared(slot.value, held), exact, prepare, node); !status.ok())
        return status;
      if (i == 0) {
        if (const RoundingError& own = affine->use.rounding; own.known) SetOwnError(own.signal, own.noise, node);
        node.set_accumulator_bits(affine->use.bits_used);
        node.set_accumulator_bits_worst_case(affine->use.bits_worst_case);
        node.set_accumulator_bits_available(affine->use.bits_available);
      }
      if (absl::Status status = values_.Keep(slot.value, held); !status.ok()) return status;
      values_.Report(slot.value);
    }
    return absl::OkStatus();
  }

  // Quantize and Dequantize of small floats, which are kept as real numbers.
  absl::Status ConvertSmallFloats(const Step& step, const Held& from, const Slot& slot) {
    const absl::StatusOr<Quantization> q = values_.ParametersOf(slot);
    if (!q.ok()) return q.status();
    const bool quantizes = step.op == OpId::kQuantize;
    Held held;
    Tensor stored = from.affine->tensor;
    if (quantizes) {
      absl::StatusOr<Tensor> rounded = ToSmallFloats(from.affine->tensor, slot.type, *q);
      if (!rounded.ok()) return rounded.status();
      stored = *std::move(rounded);
    }
    absl::StatusOr<Tensor> reals = FromSmallFloats(stored, *q);
    if (!reals.ok()) return reals.status();
    held.exact = from.exact && !quantizes;
    held.affine = Share(*std::move(reals));
    held.reference = held.exact ? held.affine : from.reference;
    held.real = held.exact ? held.affine : from.real;
    if (quantizes && options_.statistics) {
      if (from.real != nullptr) {
        absl::StatusOr<Tensor> fake = ToSmallFloats(from.real->tensor, slot.type, *q);
        if (fake.ok()) fake = FromSmallFloats(*fake, *q);
        if (!fake.ok()) return fake.status();
        held.real = Share(*std::move(fake));
      }
    }
    v1::SimulatedNode& node = *result_.add_nodes();
    Describe(step, 0, node);
    if (options_.statistics) {
      absl::Status status = Measure(profile_, step.outputs[0], Compared(step.outputs[0].value, held),
                                    quantizes ? &from.affine->tensor : nullptr, node);
      if (!status.ok()) return status;
    }
    if (quantizes) held.affine = Share(std::move(stored));
    if (absl::Status status = values_.Keep(step.outputs[0].value, std::move(held)); !status.ok()) return status;
    values_.Report(step.outputs[0].value);
    return absl::OkStatus();
  }

  // Quantize, Dequantize and Requantize as operators of their own.
  absl::Status Convert(const Step& step, const std::vector<Held>& operands, const Quantization& q) {
    if (operands.empty() || operands[0].affine == nullptr) return absl::InvalidArgumentError("its input is not there");
    if (!step.outputs[0].quantized && !step.inputs[0].quantized) {
      const Slot slot = values_.SlotOfQuantizer(step.node);
      if (IsSmallFloat(slot.type)) return ConvertSmallFloats(step, operands[0], slot);
    }
    const Held& from = operands[0];
    const Slot& slot = step.outputs[0];
    Held held;
    held.reference = from.reference;
    held.exact = false;
    std::optional<Tensor> unrounded;  // what is rounded here
    if (step.op == OpId::kDequantize) {
      absl::StatusOr<Tensor> reals = Dequantized(profile_, *from.affine);
      if (!reals.ok()) return reals.status();
      held.affine = Share(*std::move(reals));
      held.real = from.real;
      held.exact = from.exact;
      if (held.exact) held.reference = held.real = held.affine;
    } else {
      if (!slot.quantized)
        return absl::UnimplementedError("it quantizes to a type or with parameters that no kernel has");
      QTensor stored;
      if (step.op == OpId::kRequantize && from.affine->q.quantized()) {
        stored.tensor.type = slot.type;
        stored.q = q;
        const QTensor* inputs[1] = {from.affine.get()};
        Attributes attributes;
        KernelCall call{
            OpId::kRequantize, Layout::kChannelsFirst, &attributes, inputs, absl::MakeSpan(&stored, 1), nullptr};
        if (absl::Status status = RunKernel(profile_, call); !status.ok()) return status;
        ClampToRange(slot, stored.tensor);
      } else {
        absl::StatusOr<QTensor> made = Quantized(profile_, from.affine->tensor, slot, q);
        if (!made.ok()) return made.status();
        stored = *std::move(made);
      }
      held.affine = std::make_shared<QTensor>(std::move(stored));
      if (options_.statistics) {
        if (options_.real_space) {
          absl::StatusOr<QTensor> fake = Quantized(profile_, from.real->tensor, slot, q);
          if (!fake.ok()) return fake.status();
          absl::StatusOr<Tensor> reals = Dequantized(profile_, *fake);
          if (!reals.ok()) return reals.status();
          held.real = Share(*std::move(reals));
        }
        if (from.affine->q.quantized()) {
          absl::StatusOr<Tensor> values = Dequantized(profile_, *from.affine);
          if (!values.ok()) return values.status();
          unrounded = *std::move(values);
        } else {
          unrounded = from.affine->tensor;
        }
      } else {
        held.real = held.affine;
      }
    }
    v1::SimulatedNode& node = *result_.add_nodes();
    Describe(step, 0, node);
    if (options_.statistics) {
      absl::Status status =
          Measure(profile_, slot, Compared(slot.value, held), unrounded.has_value() ? &*unrounded : nullptr, node);
      if (!status.ok()) return status;
    }
    if (absl::Status status = values_.Keep(slot.value, std::move(held)); !status.ok()) return status;
    values_.Report(slot.value);
    return absl::OkStatus();
  }

  const Graph& graph_;
  const SimulateOptions& options_;
  const Profile& profile_;
  const Unfused unfused_;
  std::vector<Step> steps_;
  Values values_;
  Team team_;
  v1::Simulation result_;
};

}  // namespace

absl::StatusOr<v1::Simulation> Simulate(const Graph& graph, const ResolvedGraph& resolved, Inputs inputs,
                                        const SimulateOptions& options) {
  if (graph.message().has_encodings_file()) {
    return absl::InvalidArgumentError(
        "quantized by an encodings file, whose numbers are not simulated; simulate a model with Quantize and "
        "Dequantize nodes");
  }
  if (options.work != nullptr) return Simulator(graph, resolved, options).Run(std::move(inputs));
  SimulateOptions counted = options;
  counted.work = std::make_shared<WorkBudget>();
  return Simulator(graph, resolved, counted).Run(std::move(inputs));
}

}  // namespace quantgate::simulator
