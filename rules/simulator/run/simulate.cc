#include "rules/simulator/run/simulate.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/graph/names.h"
#include "rules/graph/quantizer.h"
#include "rules/simulator/float/float_kernel.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/run/constants.h"
#include "rules/simulator/run/integer_ops.h"
#include "rules/simulator/run/lowering.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/run/statistics.h"

namespace quantgate::simulator {
namespace {

constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;

using Shared = std::shared_ptr<const QTensor>;

// One value in the three results. Where all agree (indices, shapes, what constants alone make) they are one tensor.
struct Held {
  Shared affine;
  Shared reference;  // real numbers where the value is quantized
  Shared real;       // those of the grid
  bool exact = false;
};

Shared Share(Tensor tensor) { return std::make_shared<QTensor>(QTensor{std::move(tensor), {}}); }

int64_t BytesOf(const Held& held) {
  int64_t bytes = held.affine == nullptr ? 0 : static_cast<int64_t>(held.affine->tensor.data.size());
  if (held.reference != nullptr && held.reference != held.affine)
    bytes += static_cast<int64_t>(held.reference->tensor.data.size());
  if (held.real != nullptr && held.real != held.affine && held.real != held.reference) {
    bytes += static_cast<int64_t>(held.real->tensor.data.size());
  }
  return bytes;
}

bool SameParameters(const Quantization& a, const Quantization& b) {
  if (a.scales != b.scales || (a.scales.size() > 1 && (a.axis != b.axis || a.block != b.block))) return false;
  if (a.zero_points == b.zero_points) return true;
  for (size_t i = 0; i < a.scales.size(); ++i) {
    if (a.zero_point(i) != b.zero_point(i)) return false;
  }
  return true;
}

// As many parameters as the tensor has channels or blocks. Their values are the kernels' affair: some runtimes take
// scales below zero.
absl::Status CheckGeometry(const QTensor& value) {
  const Quantization& q = value.q;
  const std::vector<int64_t>& dims = value.tensor.dims;
  if (!q.zero_points.empty() && q.zero_points.size() != 1 && q.zero_points.size() != q.scales.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(q.zero_points.size(), " zero points beside ", q.scales.size(), " scales"));
  }
  if (q.scales.size() == 1 && q.block == 0) return absl::OkStatus();
  if (q.axis < 0 || static_cast<size_t>(q.axis) >= dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("scales along axis ", q.axis, " of a tensor of rank ", dims.size()));
  }
  int64_t wanted = dims[q.axis];
  if (q.block > 0) {
    wanted = (wanted + q.block - 1) / q.block;
    for (size_t i = 0; i < dims.size(); ++i) wanted *= static_cast<int>(i) == q.axis ? 1 : dims[i];
  }
  if (static_cast<int64_t>(q.scales.size()) == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(q.scales.size(), " scales where the tensor's shape asks for ", wanted));
}

class Simulator {
 public:
  Simulator(const Graph& graph, const ResolvedGraph& resolved, const SimulateOptions& options)
      : graph_(graph),
        options_(options),
        profile_(*options.profile),
        steps_(MakePlan(graph, resolved)),
        held_(graph.num_values()) {}

  absl::StatusOr<v1::Simulation> Run(Inputs inputs) {
    const AllocationLimit limit(options_.max_bytes);
    result_.set_profile(std::string(profile_.name));
    result_.set_inputs(inputs.origin);
    for (auto& [value, tensor] : inputs.tensors) {
      if (Cancelled()) return absl::CancelledError("the simulation was cancelled");
      if (absl::Status status = TakeInput(value, std::move(tensor)); !status.ok()) return status;
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (Cancelled()) return absl::CancelledError("the simulation was cancelled");
      if (options_.progress) options_.progress(static_cast<int>(i), static_cast<int>(steps_.size()));
      if (absl::Status status = RunStep(steps_[i]); !status.ok()) return status;
      for (int32_t value : steps_[i].last_reads) Drop(value);
    }
    return std::move(result_);
  }

 private:
  bool Cancelled() const { return options_.cancelled && options_.cancelled(); }

  // ---- Values ----

  absl::Status Keep(int32_t value, Held held) {
    Drop(value);
    const int64_t bytes = BytesOf(held);
    if (bytes > options_.max_bytes - bytes_) {
      return absl::ResourceExhaustedError(absl::StrCat("'", graph_.value(value).name(), "' would make ", bytes_ + bytes,
                                                       " bytes of tensors, where ", options_.max_bytes,
                                                       " are allowed"));
    }
    bytes_ += bytes;
    held_[value] = std::move(held);
    return absl::OkStatus();
  }

  void Drop(int32_t value) {
    bytes_ -= BytesOf(held_[value]);
    held_[value] = {};
  }

  void Report(int32_t value) {
    if (options_.on_value && held_[value].affine != nullptr && !graph_.value(value).name().empty()) {
      options_.on_value(graph_.value(value).name(), held_[value].affine->tensor);
    }
  }

  absl::StatusOr<Tensor> Dequantized(const QTensor& stored) const {
    std::vector<float> values;
    if (absl::Status status = CheckGeometry(stored); !status.ok()) return status;
    if (absl::Status status = DequantizeToFloats(profile_, stored, values); !status.ok()) return status;
    Tensor tensor;
    tensor.type = kFloat;
    if (absl::Status status = Allocate(stored.tensor.dims, tensor); !status.ok()) return status;
    if (values.size() != tensor.as<float>().size())
      return absl::InvalidArgumentError("elements that do not fit the shape");
    std::copy(values.begin(), values.end(), tensor.as<float>().begin());
    return tensor;
  }

  // Reals as stored integers, clamped to the range that the slot states.
  absl::StatusOr<QTensor> Quantized(const Tensor& reals, const Slot& slot, const Quantization& q) const {
    QTensor stored;
    stored.tensor.type = slot.type;
    stored.q = q;
    if (reals.type != kFloat) return absl::InvalidArgumentError("integers where real numbers are quantized");
    if (absl::Status status = Allocate(reals.dims, stored.tensor); !status.ok()) return status;
    if (absl::Status status = CheckGeometry(stored); !status.ok()) return status;
    if (absl::Status status = QuantizeFloats(profile_, reals.as<float>(), stored); !status.ok()) return status;
    ClampToRange(slot, stored.tensor);
    return stored;
  }

  template <typename T>
  static void ClampElements(const Slot& slot, Tensor& tensor) {
    for (T& element : tensor.as<T>()) {
      element = static_cast<T>(std::min<int64_t>(std::max<int64_t>(element, slot.quant_min), slot.quant_max));
    }
  }

  static void ClampToRange(const Slot& slot, Tensor& tensor) {
    if (slot.quant_min <= MinOf(slot.type) && slot.quant_max >= MaxOf(slot.type)) return;
    if (slot.quant_min > slot.quant_max) return;
    if (slot.type == v1::DATA_TYPE_INT8) ClampElements<int8_t>(slot, tensor);
    if (slot.type == v1::DATA_TYPE_UINT8) ClampElements<uint8_t>(slot, tensor);
    if (slot.type == v1::DATA_TYPE_INT16) ClampElements<int16_t>(slot, tensor);
    if (slot.type == v1::DATA_TYPE_UINT16) ClampElements<uint16_t>(slot, tensor);
    if (slot.type == v1::DATA_TYPE_INT32) ClampElements<int32_t>(slot, tensor);
  }

  // Parameters of a slot; those that are computed as the graph runs are read now.
  absl::StatusOr<Quantization> ParametersOf(const Slot& slot) {
    if (slot.q.quantized() || slot.quantizer < 0) return slot.q;
    const QuantizerInputs inputs = QuantizerInputsOf(graph_, slot.quantizer);
    Quantization q;
    if (inputs.scale < 0 || !Materialize(inputs.scale).ok() || held_[inputs.scale].affine == nullptr) {
      return absl::UnimplementedError("a scale that is not known");
    }
    const Tensor& scale = held_[inputs.scale].affine->tensor;
    if (scale.type != kFloat) return absl::InvalidArgumentError("a scale that is no real number");
    q.scales.assign(scale.as<float>().begin(), scale.as<float>().end());
    if (inputs.zero_point >= 0 && Materialize(inputs.zero_point).ok() && held_[inputs.zero_point].affine != nullptr) {
      absl::StatusOr<std::vector<int64_t>> zeros = ToInt64(held_[inputs.zero_point].affine->tensor);
      if (!zeros.ok()) return zeros.status();
      q.zero_points = *std::move(zeros);
    }
    if (q.scales.size() > 1) return absl::UnimplementedError("several scales that are computed as the graph runs");
    return q;
  }

  absl::Status TakeInput(int32_t value, Tensor tensor) {
    Held held;
    held.affine = held.reference = held.real = Share(std::move(tensor));
    inputs_.emplace(value, 0);
    // Inputs that are stored quantized.
    for (const Step& step : steps_) {
      for (const Slot& slot : step.inputs) {
        if (slot.value != value || !slot.quantized || !slot.q.quantized()) continue;
        absl::StatusOr<QTensor> stored = held.affine->tensor.type == kFloat
                                             ? Quantized(held.affine->tensor, slot, slot.q)
                                             : absl::StatusOr<QTensor>(QTensor{held.affine->tensor, slot.q});
        if (!stored.ok()) return InValue(value, stored.status());
        if (stored->tensor.type != slot.type) break;
        absl::StatusOr<Tensor> reals = Dequantized(*stored);
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

  absl::Status InValue(int32_t value, const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat("'", graph_.value(value).name(), "': ", status.message()));
  }

  // Makes a value there is that no step makes: a constant, and what Quantize and Dequantize nodes make of others.
  absl::Status Materialize(int32_t value) {
    if (held_[value].affine != nullptr) return absl::OkStatus();
    Held held;
    held.exact = true;
    if (graph_.is_constant(value)) {
      absl::StatusOr<Tensor> tensor = LoadConstant(graph_.value(value));
      if (!tensor.ok()) return tensor.status();
      held.affine = held.reference = held.real = Share(*std::move(tensor));
      return Keep(value, std::move(held));
    }
    const int32_t producer = graph_.producer(value);
    const bool quantizes = IsQuantize(graph_, producer);
    if (!quantizes && !IsDequantize(graph_, producer)) return absl::UnimplementedError("it is not computed");
    const int32_t data = QuantizerInputsOf(graph_, producer).data;
    if (data < 0 || depth_ > 64) return absl::UnimplementedError("it is not computed");
    ++depth_;
    const absl::Status status = Materialize(data);
    --depth_;
    if (!status.ok()) return status;
    Slot slot = SlotOfQuantizer(producer);
    absl::StatusOr<Quantization> q = ParametersOf(slot);
    if (!q.ok()) return q.status();
    const Held& from = held_[data];
    if (quantizes) {
      absl::StatusOr<QTensor> stored = Quantized(from.affine->tensor, slot, *q);
      if (!stored.ok()) return stored.status();
      held.affine = std::make_shared<QTensor>(*std::move(stored));
      absl::StatusOr<Tensor> reals = Dequantized(*held.affine);
      if (!reals.ok()) return reals.status();
      held.real = Share(*std::move(reals));
      held.reference = from.reference;
      held.exact = from.exact;
      return Keep(value, std::move(held));
    }
    absl::StatusOr<Tensor> reals = Dequantized(QTensor{from.affine->tensor, *q});
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

  Slot SlotOfQuantizer(int32_t node) const {
    Slot slot;
    for (const Step& step : steps_) {
      for (const std::vector<Slot>* slots : {&step.inputs, &step.outputs}) {
        for (const Slot& candidate : *slots) {
          if (candidate.quantizer == node) return candidate;
        }
      }
    }
    const Operand* operand = resolved_of_quantizer_ != nullptr ? resolved_of_quantizer_->quantizer(node) : nullptr;
    if (operand == nullptr) return slot;
    slot.quantized = true;
    slot.type = operand->type;
    slot.quant_min = operand->quant_min;
    slot.quant_max = operand->quant_max;
    slot.quantizer = node;
    slot.q = QuantizationOf(resolved_of_quantizer_->qparams(*operand), graph_.rank(operand->edge_value));
    return slot;
  }

 public:
  void set_resolved(const ResolvedGraph* resolved) { resolved_of_quantizer_ = resolved; }

 private:
  // A slot's operand in the three results. Stored constants are made real here, where their parameters are known.
  absl::StatusOr<Held> Read(const Slot& slot) {
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
    held.affine = std::make_shared<QTensor>(QTensor{from.affine->tensor, *q});
    // Integers that are read with other parameters than they were written with mean other numbers; the reference does
    // not follow.
    absl::StatusOr<Tensor> reals = Dequantized(*held.affine);
    if (!reals.ok()) return InValue(slot.value, reals.status());
    held.real = Share(*std::move(reals));
    const bool has_reference = !unread && from.reference != nullptr && from.reference != from.affine;
    held.reference = has_reference ? from.reference : held.real;
    held.exact = from.exact;
    // Constants are read more than once.
    if (unread && from.exact) {
      if (absl::Status status = Keep(slot.value, held); !status.ok()) return status;
    }
    return held;
  }

  // ---- Steps ----

  std::string NodeText(int32_t node) const {
    return graph_.node_name(node).empty() ? absl::StrCat("#", node) : graph_.node_name(node);
  }

  absl::Status InNode(int32_t node, const absl::Status& status) const {
    return absl::Status(status.code(),
                        absl::StrCat("node '", NodeText(node), "' (", graph_.op_type(node), "): ", status.message()));
  }

  void NotComputed(const Step& step, absl::string_view why) {
    v1::SimulatedNode& node = *result_.add_nodes();
    Describe(step, 0, node);
    node.set_float_reason(absl::StrCat(kNotComputed, why));
  }

  void Describe(const Step& step, size_t output, v1::SimulatedNode& node) const {
    node.set_node(NodeText(step.node));
    node.set_output(static_cast<int32_t>(output));
    node.set_op(std::string(graph_.op_type(step.node)));
    const Slot& slot = step.outputs[output];
    if (slot.value >= 0) node.set_value(graph_.value(slot.value).name());
  }

  absl::Status RunStep(const Step& step) {
    std::vector<Held> operands;
    for (const Slot& slot : step.inputs) {
      absl::StatusOr<Held> held = Read(slot);
      if (!held.ok()) {
        if (held.status().code() != absl::StatusCode::kUnimplemented) return InNode(step.node, held.status());
        NotComputed(step, absl::StrCat("'", graph_.value(slot.value).name(), "': ", held.status().message()));
        return absl::OkStatus();
      }
      operands.push_back(*std::move(held));
    }
    absl::Status status = Compute(step, operands);
    if (status.ok()) return status;
    if (status.code() != absl::StatusCode::kUnimplemented) return InNode(step.node, status);
    NotComputed(step, status.message());
    return absl::OkStatus();
  }

  absl::Status LowerNode(const Step& step, const NodeReader& reader, Lowered& lowered) const {
    lowered.op = step.op;
    switch (graph_.origin()) {
      case v1::Graph::ONNX:
        return LowerOnnx(reader, lowered);
      case v1::Graph::TFLITE:
        return LowerTflite(reader, lowered);
      case v1::Graph::PT2E:
        return LowerAten(reader, lowered);
      default:
        return absl::UnimplementedError("graphs of this origin are not simulated");
    }
  }

  // Operands in the order of the ports; `pick` says which result of a value.
  template <typename Pick>
  std::vector<const QTensor*> Ports(const Step& step, const std::vector<Held>& operands, const Lowered& lowered,
                                    const QTensor* scalar, Pick pick) const {
    std::vector<const QTensor*> ports;
    const Operator& op = GetOperator(step.op);
    for (size_t i = 0; i < operands.size(); ++i) {
      const size_t port = static_cast<size_t>(step.inputs[i].port);
      if (lowered.data_ports >= 0 && port >= static_cast<size_t>(lowered.data_ports)) continue;
      const bool variadic = port < op.inputs.size() && op.inputs[port].variadic;
      const size_t place = variadic ? std::max(port, ports.size()) : port;
      if (ports.size() <= place) ports.resize(place + 1, nullptr);
      ports[place] = pick(i);
    }
    if (scalar != nullptr) {
      const auto place = static_cast<size_t>(lowered.scalar_port);
      if (lowered.scalar_port == 0 && !ports.empty() && ports[0] != nullptr && step.op != OpId::kWhere) {
        ports.insert(ports.begin(), nullptr);
        if (ports.size() > 2 && ports[2] == nullptr) ports.resize(2);
      }
      if (ports.size() <= place) ports.resize(place + 1, nullptr);
      ports[place] = scalar;
    }
    return ports;
  }

  absl::Status Reshaped(const Integers& shape, std::vector<int64_t>& dims) const {
    Attributes attributes;
    attributes.SetInts("shape", shape);
    Tensor hull;
    hull.dims = dims;
    const Tensor* inputs[1] = {&hull};
    std::vector<Tensor> outputs(1);
    FloatCall call{OpId::kReshape, Layout::kChannelsFirst, attributes, inputs, absl::MakeSpan(outputs)};
    if (absl::Status status = RunFloatKernel(call); !status.ok()) return status;
    dims = outputs[0].dims;
    return absl::OkStatus();
  }

  // The operator on tensors that are not quantized.
  absl::StatusOr<std::vector<Tensor>> RunReal(const Step& step, const NodeReader& reader, const Lowered& lowered,
                                              std::vector<const QTensor*> ports, bool exact) const {
    std::vector<const Tensor*> inputs;
    std::vector<Tensor> outputs(step.outputs.size());
    if (IsIntegerOp(reader.op_type())) {
      // Arguments in the origin's order; `ports` has them so.
      for (const QTensor* port : ports) inputs.push_back(port == nullptr ? nullptr : &port->tensor);
      if (absl::Status status = RunIntegerOp(reader, inputs, lowered, exact, absl::MakeSpan(outputs)); !status.ok())
        return status;
      return outputs;
    }
    Tensor turned;
    for (const QTensor* port : ports) inputs.push_back(port == nullptr ? nullptr : &port->tensor);
    if (lowered.input_shape.has_value() && !inputs.empty() && inputs[0] != nullptr) {
      turned = *inputs[0];
      if (absl::Status status = Reshaped(*lowered.input_shape, turned.dims); !status.ok()) return status;
      inputs[0] = &turned;
    }
    FloatCall call{lowered.op, lowered.layout,          lowered.attributes,
                   inputs,     absl::MakeSpan(outputs), options_.max_bytes - bytes_};
    if (absl::Status status = RunFloatKernel(call); !status.ok()) return status;
    if (lowered.output_shape.has_value()) {
      if (absl::Status status = Reshaped(*lowered.output_shape, outputs[0].dims); !status.ok()) return status;
    }
    return outputs;
  }

  struct Affine {
    std::vector<Shared> outputs;
    AccumulatorUse use;
    std::string float_reason;
  };

  // The operator as the profile computes it. `ports` may be quantized or not.
  absl::StatusOr<Affine> RunAffine(const Step& step, const NodeReader& reader, const Lowered& lowered,
                                   const std::vector<const QTensor*>& ports,
                                   const std::vector<Quantization>& written) const {
    Affine result;
    std::vector<QTensor> outputs(step.outputs.size());
    bool any = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].tensor.type = step.outputs[i].quantized ? step.outputs[i].type : kFloat;
      outputs[i].q = written[i];
      any |= step.outputs[i].quantized;
      if (!step.outputs[i].quantized && step.outputs[i].value >= 0) {
        const v1::DataType declared = graph_.dtype(step.outputs[i].value);
        if (IsInteger(declared) || declared == v1::DATA_TYPE_BOOL) outputs[i].tensor.type = declared;
      }
    }
    bool reads = false;
    for (const QTensor* port : ports) reads |= port != nullptr && port->q.quantized();
    if (any || reads) {
      std::vector<const QTensor*> inputs = ports;
      QTensor turned;
      absl::Status status;
      if (lowered.input_shape.has_value() && !inputs.empty() && inputs[0] != nullptr) {
        turned = *inputs[0];
        status = Reshaped(*lowered.input_shape, turned.tensor.dims);
        inputs[0] = &turned;
      }
      KernelCall call{lowered.op, lowered.layout, &lowered.attributes, inputs, absl::MakeSpan(outputs), &result.use};
      if (status.ok()) status = RunKernel(profile_, call);
      if (status.ok() && lowered.output_shape.has_value())
        status = Reshaped(*lowered.output_shape, outputs[0].tensor.dims);
      if (status.ok()) {
        for (size_t i = 0; i < outputs.size(); ++i) {
          if (step.outputs[i].quantized) ClampToRange(step.outputs[i], outputs[i].tensor);
          result.outputs.push_back(std::make_shared<QTensor>(std::move(outputs[i])));
        }
        return result;
      }
      // LiteRT writes blocks of zeros with scale 0, and ONNX Runtime signs the scales of blocks: fine in float.
      bool blocks = false;
      for (const QTensor* port : ports) blocks |= port != nullptr && port->q.block > 0;
      if (status.code() != absl::StatusCode::kUnimplemented && !blocks) return status;
      result.float_reason = std::string(status.message());
      result.use = {};
    } else {
      result.float_reason = "it reads and writes real numbers";
    }
    // Dequantized, computed in float, quantized.
    std::vector<QTensor> reals(ports.size());
    std::vector<const QTensor*> inputs(ports.size(), nullptr);
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i] == nullptr) continue;
      inputs[i] = ports[i];
      if (!ports[i]->q.quantized()) continue;
      absl::StatusOr<Tensor> real = Dequantized(*ports[i]);
      if (!real.ok()) return real.status();
      reals[i].tensor = *std::move(real);
      inputs[i] = &reals[i];
    }
    absl::StatusOr<std::vector<Tensor>> computed = RunReal(step, reader, lowered, inputs, /*exact=*/true);
    if (!computed.ok()) return computed.status();
    for (size_t i = 0; i < computed->size(); ++i) {
      Tensor& tensor = (*computed)[i];
      if (!step.outputs[i].quantized || tensor.type != kFloat) {
        result.outputs.push_back(Share(std::move(tensor)));
        continue;
      }
      absl::StatusOr<QTensor> stored = Quantized(tensor, step.outputs[i], written[i]);
      if (!stored.ok()) return stored.status();
      result.outputs.push_back(std::make_shared<QTensor>(*std::move(stored)));
    }
    return result;
  }

  absl::Status Compute(const Step& step, const std::vector<Held>& operands) {
    const NodeReader::TensorOf tensor_of = [this](int32_t value) -> const Tensor* {
      if (!Materialize(value).ok()) return nullptr;
      // Numbers, where the value is one of a quantized tensor.
      const Held& held = held_[value];
      return &(held.real != nullptr && held.affine->q.quantized() ? held.real : held.affine)->tensor;
    };
    const NodeReader reader(graph_, step.node, tensor_of);
    std::vector<Quantization> written;
    for (const Slot& slot : step.outputs) {
      absl::StatusOr<Quantization> q = ParametersOf(slot);
      if (!q.ok()) return q.status();
      written.push_back(*std::move(q));
    }
    if (step.op == OpId::kQuantize || step.op == OpId::kDequantize || step.op == OpId::kRequantize) {
      return Convert(step, operands, written[0]);
    }
    Lowered lowered;
    if (absl::Status status = LowerNode(step, reader, lowered); !status.ok()) return status;
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
        absl::StatusOr<Held> held = Read(slot);
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
    if (lowered.scalar.has_value()) scalar = ScalarFor(*read, *lowered.scalar);
    const QTensor* number = scalar.has_value() ? &*scalar : nullptr;
    const auto affine_ports = Ports(*called, *read, lowered, number, [&](size_t i) { return (*read)[i].affine.get(); });
    absl::StatusOr<Affine> affine = RunAffine(*called, reader, lowered, affine_ports, written);
    if (!affine.ok()) return affine.status();

    if (exact || !options_.statistics) {
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        if (step.outputs[i].value < 0 || affine->outputs[i]->tensor.type == v1::DATA_TYPE_UNSPECIFIED) continue;
        Held held;
        held.affine = held.reference = held.real = affine->outputs[i];
        held.exact = exact;
        if (held.affine->q.quantized() && options_.statistics) {
          absl::StatusOr<Tensor> reals = Dequantized(*held.affine);
          if (!reals.ok()) return reals.status();
          held.reference = held.real = Share(*std::move(reals));
        }
        if (absl::Status status = Keep(step.outputs[i].value, std::move(held)); !status.ok()) return status;
        Report(step.outputs[i].value);
        if (!options_.statistics) Describe(step, i, *result_.add_nodes());
      }
      return absl::OkStatus();
    }
    return ComputeBeside(step, *called, reader, lowered, *read, number, written, *std::move(affine));
  }

  // The reference and real space of a node whose affine results are there, and what they say about it.
  absl::Status ComputeBeside(const Step& step, const Step& called, const NodeReader& reader, const Lowered& lowered,
                             const std::vector<Held>& read, const QTensor* scalar,
                             const std::vector<Quantization>& written, Affine affine) {
    const auto reference_ports =
        Ports(called, read, lowered, scalar, [&](size_t i) { return read[i].reference.get(); });
    absl::StatusOr<std::vector<Tensor>> reference = RunReal(called, reader, lowered, reference_ports, /*exact=*/false);
    if (!reference.ok()) return reference.status();
    const auto real_ports = Ports(called, read, lowered, scalar, [&](size_t i) { return read[i].real.get(); });
    absl::StatusOr<std::vector<Tensor>> real = RunReal(called, reader, lowered, real_ports, /*exact=*/true);
    if (!real.ok()) return real.status();
    const absl::StatusOr<Affine> own = RunOwn(called, reader, lowered, read, scalar, written);
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      const Slot& slot = called.outputs[i];
      if (slot.value < 0 || (*reference)[i].type == v1::DATA_TYPE_UNSPECIFIED) continue;
      FoldRelu(slot, written[i], (*reference)[i]);
      FoldRelu(slot, written[i], (*real)[i]);
      Held held;
      held.affine = affine.outputs[i];
      held.reference = Share(std::move((*reference)[i]));
      if (slot.quantized && (*real)[i].type == kFloat) {
        absl::StatusOr<QTensor> stored = Quantized((*real)[i], slot, written[i]);
        if (!stored.ok()) return stored.status();
        absl::StatusOr<Tensor> rounded = Dequantized(*stored);
        if (!rounded.ok()) return rounded.status();
        (*real)[i] = *std::move(rounded);
      }
      held.real = Share(std::move((*real)[i]));
      // Indices, shapes and conditions have no error.
      v1::SimulatedNode unlisted;
      v1::SimulatedNode& node = held.reference->tensor.type == kFloat ? *result_.add_nodes() : unlisted;
      Describe(step, i, node);
      node.set_float_reason(affine.float_reason);
      if (absl::Status status = Measure(slot, held, own.ok() ? own->outputs[i].get() : nullptr, node); !status.ok())
        return status;
      if (i == 0) {
        node.set_accumulator_bits(affine.use.bits_used);
        node.set_accumulator_bits_worst_case(affine.use.bits_worst_case);
        node.set_accumulator_bits_available(affine.use.bits_available);
      }
      if (absl::Status status = Keep(slot.value, std::move(held)); !status.ok()) return status;
      Report(slot.value);
    }
    return absl::OkStatus();
  }

  // The node on the reference's operands, quantized: its own share of the error.
  absl::StatusOr<Affine> RunOwn(const Step& step, const NodeReader& reader, const Lowered& lowered,
                                const std::vector<Held>& read, const QTensor* scalar,
                                const std::vector<Quantization>& written) const {
    std::vector<Shared> operands;
    for (size_t i = 0; i < read.size(); ++i) {
      const Held& held = read[i];
      if (held.affine == nullptr || held.exact || !step.inputs[i].quantized) {
        operands.push_back(held.exact ? held.affine : held.reference);
        continue;
      }
      absl::StatusOr<QTensor> stored = Quantized(held.reference->tensor, step.inputs[i], held.affine->q);
      if (!stored.ok()) return stored.status();
      operands.push_back(std::make_shared<QTensor>(*std::move(stored)));
    }
    const auto ports = Ports(step, read, lowered, scalar, [&](size_t i) { return operands[i].get(); });
    return RunAffine(step, reader, lowered, ports, written);
  }

  // A range that begins at zero is a Relu that was folded into the quantizer: the reference has one too.
  static void FoldRelu(const Slot& slot, const Quantization& q, Tensor& reals) {
    if (!slot.quantized || reals.type != kFloat || q.scales.size() != 1 || q.zero_point() != slot.quant_min) return;
    for (float& value : reals.as<float>()) value = value < 0 ? 0.0f : value;
  }

  static QTensor ScalarFor(const std::vector<Held>& read, double number) {
    bool integers = number == std::floor(number) && std::fabs(number) < 9e15;
    for (const Held& held : read) {
      integers &= held.reference == nullptr || held.reference->tensor.type == v1::DATA_TYPE_BOOL ||
                  held.reference->tensor.type != kFloat;
    }
    QTensor scalar;
    scalar.tensor.type = integers ? v1::DATA_TYPE_INT64 : kFloat;
    scalar.tensor.data.resize(integers ? 8 : 4);
    if (integers) {
      scalar.tensor.as<int64_t>()[0] = static_cast<int64_t>(number);
    } else {
      scalar.tensor.as<float>()[0] = static_cast<float>(number);
    }
    return scalar;
  }

  // Quantize, Dequantize and Requantize as operators of their own.
  absl::Status Convert(const Step& step, const std::vector<Held>& operands, const Quantization& q) {
    if (operands.empty() || operands[0].affine == nullptr) return absl::InvalidArgumentError("its input is not there");
    const Held& from = operands[0];
    const Slot& slot = step.outputs[0];
    Held held;
    held.reference = from.reference;
    held.exact = false;
    std::string reason;
    std::optional<QTensor> own;
    if (step.op == OpId::kDequantize) {
      absl::StatusOr<Tensor> reals = Dequantized(*from.affine);
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
        absl::StatusOr<QTensor> made = Quantized(from.affine->tensor, slot, q);
        if (!made.ok()) return made.status();
        stored = *std::move(made);
      }
      held.affine = std::make_shared<QTensor>(std::move(stored));
      if (options_.statistics) {
        absl::StatusOr<QTensor> fake = Quantized(from.real->tensor, slot, q);
        if (!fake.ok()) return fake.status();
        absl::StatusOr<Tensor> reals = Dequantized(*fake);
        if (!reals.ok()) return reals.status();
        held.real = Share(*std::move(reals));
        absl::StatusOr<QTensor> alone = Quantized(from.reference->tensor, slot, q);
        if (alone.ok()) own = *std::move(alone);
      } else {
        held.real = held.affine;
      }
    }
    v1::SimulatedNode& node = *result_.add_nodes();
    Describe(step, 0, node);
    if (options_.statistics) {
      absl::Status status = Measure(slot, held, own.has_value() ? &*own : nullptr, node);
      if (!status.ok()) return status;
    }
    if (absl::Status status = Keep(slot.value, std::move(held)); !status.ok()) return status;
    Report(slot.value);
    return absl::OkStatus();
  }

  absl::Status Measure(const Slot& slot, const Held& held, const QTensor* own, v1::SimulatedNode& node) const {
    if (held.reference->tensor.type != kFloat) return absl::OkStatus();
    const absl::Span<const float> reference = held.reference->tensor.as<float>();
    const auto reals = [&](const QTensor& result) -> absl::StatusOr<Tensor> {
      if (result.q.quantized()) return Dequantized(result);
      if (result.tensor.type == kFloat) return result.tensor;
      // Integers of no parameters, compared as they are.
      const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(result.tensor);
      if (!integers.ok()) return integers.status();
      Tensor tensor;
      tensor.type = kFloat;
      if (absl::Status status = Allocate(result.tensor.dims, tensor); !status.ok()) return status;
      for (size_t i = 0; i < integers->size(); ++i) tensor.as<float>()[i] = static_cast<float>((*integers)[i]);
      return tensor;
    };
    const absl::StatusOr<Tensor> result = reals(*held.affine);
    if (!result.ok()) return result.status();
    if (const std::optional<double> sqnr = Sqnr(reference, result->as<float>())) node.set_sqnr_db(*sqnr);
    if (own != nullptr) {
      const absl::StatusOr<Tensor> alone = reals(*own);
      if (alone.ok()) {
        if (const std::optional<double> sqnr = Sqnr(reference, alone->as<float>())) node.set_own_sqnr_db(*sqnr);
      }
    }
    double max_error = 0, mean_error = 0;
    CompareInSteps(slot, held.affine->q, reference, result->as<float>(), max_error, mean_error);
    node.set_max_abs_error_lsb(max_error);
    node.set_mean_abs_error_lsb(mean_error);
    CompareInSteps(slot, held.affine->q, held.real->tensor.as<float>(), result->as<float>(), max_error, mean_error);
    node.set_max_space_difference_lsb(max_error);
    CountEnds(slot, *held.affine, node);
    return absl::OkStatus();
  }

  const Graph& graph_;
  const SimulateOptions& options_;
  const Profile& profile_;
  const ResolvedGraph* resolved_of_quantizer_ = nullptr;
  std::vector<Step> steps_;
  std::vector<Held> held_;
  absl::flat_hash_map<int32_t, int> inputs_;
  int64_t bytes_ = 0;
  int depth_ = 0;
  v1::Simulation result_;
};

}  // namespace

absl::StatusOr<v1::Simulation> Simulate(const Graph& graph, const ResolvedGraph& resolved, Inputs inputs,
                                        const SimulateOptions& options) {
  Simulator simulator(graph, resolved, options);
  simulator.set_resolved(&resolved);
  return simulator.Run(std::move(inputs));
}

}  // namespace quantgate::simulator
