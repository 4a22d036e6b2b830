#include "rules/simulator/run/operate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/float/float_kernel.h"
#include "rules/simulator/run/as_stored.h"
#include "rules/simulator/run/hybrid.h"
#include "rules/simulator/run/integer_ops.h"
#include "rules/simulator/run/stored.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

absl::Status Reshaped(const Integers& shape, std::vector<int64_t>& dims) {
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

std::vector<int64_t>& DimsOf(Tensor& tensor) { return tensor.dims; }
std::vector<int64_t>& DimsOf(QTensor& tensor) { return tensor.tensor.dims; }

// Operands in the shapes that the lowering takes them in.
template <typename T>
struct Shaped {
  Shaped(const Lowered& lowered, const std::vector<const T*>& operands) : inputs(operands) {
    Take(lowered.input_shape, 0);
    Take(lowered.second_shape, 1);
  }

  std::vector<const T*> inputs;
  absl::Status status;

 private:
  void Take(const std::optional<Integers>& shape, size_t operand) {
    if (!shape.has_value() || operand >= inputs.size() || inputs[operand] == nullptr) return;
    own[operand] = *inputs[operand];
    inputs[operand] = &own[operand];
    status.Update(Reshaped(*shape, DimsOf(own[operand])));
  }

  T own[2];
};

// And the first result in the shape that it is given in.
absl::Status GiveShape(const Lowered& lowered, std::vector<int64_t>& dims) {
  if (lowered.output_shape.has_value()) return Reshaped(*lowered.output_shape, dims);
  if (!lowered.drops_first_axis) return absl::OkStatus();
  if (dims.empty() || dims[0] != 1) return absl::InternalError("a first axis that is not of size 1");
  dims.erase(dims.begin());
  return absl::OkStatus();
}

// AsStored::kPlain.
absl::StatusOr<Affine> RunPlain(const NodeCall& node, const std::vector<const QTensor*>& ports) {
  const Reread plain(ports, {});
  absl::StatusOr<std::vector<Tensor>> computed = RunReal(node, plain.ports(), /*exact=*/true);
  if (!computed.ok()) return computed.status();
  Affine result;
  for (size_t i = 0; i < computed->size(); ++i) {
    QTensor out{std::move((*computed)[i]), {}};
    const Slot& slot = node.step.outputs[i];
    if (slot.quantized && slot.type == out.tensor.type) out.q = node.written[i];
    result.outputs.push_back(std::make_shared<QTensor>(std::move(out)));
  }
  return result;
}

}  // namespace

absl::Status LowerNode(const Step& step, const NodeReader& reader, Lowered& lowered) {
  lowered.op = step.op;
  switch (reader.graph().origin()) {
    case v1::Graph::ONNX:
      return LowerOnnx(reader, lowered);
    case v1::Graph::TFLITE:
      return LowerTflite(reader, lowered);
    case v1::Graph::PT2E:
      return LowerAtenInFull(reader, lowered);
    default:
      return absl::UnimplementedError("graphs of this origin are not simulated");
  }
}

std::vector<const QTensor*> Ports(const Step& step, absl::Span<const QTensor* const> operands, const Lowered& lowered,
                                  const QTensor* scalar) {
  std::vector<const QTensor*> ports;
  const Operator& op = GetOperator(step.op);
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t port = static_cast<size_t>(step.inputs[i].port);
    if (lowered.data_ports >= 0 && port >= static_cast<size_t>(lowered.data_ports)) continue;
    const bool variadic = port < op.inputs.size() && op.inputs[port].variadic;
    const size_t place = variadic ? std::max(port, ports.size()) : port;
    if (ports.size() <= place) ports.resize(place + 1, nullptr);
    ports[place] = operands[i];
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

QTensor ScalarFor(const std::vector<Held>& read, const Lowered& lowered) {
  const double number = lowered.scalar.value_or(0);
  bool integers = !lowered.scalar_is_real && number == std::floor(number) && std::fabs(number) < 9e15;
  v1::DataType type = v1::DATA_TYPE_INT64;
  for (const Held& held : read) {
    if (held.reference == nullptr) continue;
    const v1::DataType own = held.reference->tensor.type;
    integers &= own != kFloat;
    // A number widens no integers.
    if (IsInteger(own) && number >= static_cast<double>(MinOf(own)) && number <= static_cast<double>(MaxOf(own))) {
      type = own;
    }
  }
  Attributes to;
  to.SetInt("to", integers ? type : kFloat);
  to.SetFloat("value", number);
  std::vector<Tensor> filled(1);
  FloatCall fill{OpId::kFill, Layout::kChannelsFirst, to, {}, absl::MakeSpan(filled)};
  QTensor scalar;
  if (RunFloatKernel(fill).ok()) scalar.tensor = std::move(filled[0]);
  return scalar;
}

absl::StatusOr<Held> AsIntegers(const Held& held) {
  if (held.affine == nullptr || !held.affine->q.quantized()) return held;
  const Quantization& q = held.affine->q;
  Held plain;
  plain.affine = plain.reference = plain.real = Share(held.affine->tensor);
  plain.exact = held.exact;
  if (held.exact) return plain;
  if (q.scales.size() != 1) return absl::UnimplementedError("several scales of a tensor that is computed");
  const auto steps = [&](const Tensor& reals) {
    Tensor result = reals;
    for (float& value : result.as<float>()) value = value / q.scales[0] + static_cast<float>(q.zero_point());
    return result;
  };
  if (held.reference != nullptr && held.reference->tensor.type == kFloat) {
    plain.reference = Share(steps(held.reference->tensor));
  }
  if (held.real != nullptr && held.real->tensor.type == kFloat) plain.real = Share(steps(held.real->tensor));
  return plain;
}

absl::StatusOr<std::vector<Tensor>> RunReal(const NodeCall& node, const std::vector<const QTensor*>& ports, bool exact,
                                            bool relu) {
  std::vector<const Tensor*> inputs;
  std::vector<Tensor> outputs(node.step.outputs.size());
  if (IsIntegerOp(node.reader.op_type())) {
    // Arguments in the origin's order; `ports` has them so.
    for (const QTensor* port : ports) inputs.push_back(port == nullptr ? nullptr : &port->tensor);
    if (absl::Status status = RunIntegerOp(node.reader, inputs, node.lowered, exact, absl::MakeSpan(outputs));
        !status.ok())
      return status;
    return outputs;
  }
  for (const QTensor* port : ports) inputs.push_back(port == nullptr ? nullptr : &port->tensor);
  const Shaped<Tensor> shaped(node.lowered, inputs);
  if (!shaped.status.ok()) return shaped.status;
  FloatCall call{node.lowered.op,
                 node.lowered.layout,
                 node.lowered.attributes,
                 shaped.inputs,
                 absl::MakeSpan(outputs),
                 node.room,
                 relu};
  if (absl::Status status = RunFloatKernel(call); !status.ok()) return status;
  if (absl::Status status = GiveShape(node.lowered, outputs[0].dims); !status.ok()) return status;
  return outputs;
}

absl::StatusOr<Affine> RunAffine(const NodeCall& node, std::vector<const QTensor*> ports) {
  if (node.rounded_first != nullptr && !ports.empty()) ports[0] = node.rounded_first;
  const AsStored as_stored = AsStoredOf(node, ports);
  if (as_stored == AsStored::kPlain) return RunPlain(node, ports);
  std::optional<Reread> reread;
  if (as_stored == AsStored::kByOutput) ports = reread.emplace(ports, node.written[0]).ports();
  Affine result;
  std::vector<QTensor> outputs(node.step.outputs.size());
  bool any = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].tensor.type = node.step.outputs[i].quantized ? node.step.outputs[i].type : kFloat;
    outputs[i].q = node.written[i];
    any |= node.step.outputs[i].quantized;
    if (!node.step.outputs[i].quantized && node.step.outputs[i].value >= 0) {
      const v1::DataType declared = node.reader.graph().dtype(node.step.outputs[i].value);
      if (IsInteger(declared) || declared == v1::DATA_TYPE_BOOL) outputs[i].tensor.type = declared;
    }
  }
  bool reads = false;
  for (const QTensor* port : ports) reads |= port != nullptr && port->q.quantized();
  if (any || reads) {
    const Shaped<QTensor> shaped(node.lowered, ports);
    absl::Status status = shaped.status;
    KernelCall call{node.lowered.op, node.lowered.layout,     &node.lowered.attributes,
                    shaped.inputs,   absl::MakeSpan(outputs), node.statistics ? &result.use : nullptr};
    if (status.ok()) status = RunKernel(node.profile, call);
    if (status.ok()) status = GiveShape(node.lowered, outputs[0].tensor.dims);
    if (status.ok()) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (node.step.outputs[i].quantized) ClampToRange(node.step.outputs[i], outputs[i].tensor);
        result.outputs.push_back(std::make_shared<QTensor>(std::move(outputs[i])));
      }
      return result;
    }
    // LiteRT writes blocks of zeros with scale 0, and ONNX Runtime signs the scales of blocks: fine in float.
    bool blocks = false;
    for (const QTensor* port : ports) blocks |= port != nullptr && port->q.block > 0;
    if (status.code() != absl::StatusCode::kUnimplemented && !blocks) return status;
    result.float_reason = std::string(status.message());
    if (node.profile.family == Family::kLiteRt && IsHybrid(node.reader)) {
      result.float_reason = absl::StrCat("a hybrid kernel, which quantizes its input as the graph runs",
                                         node.rounded_first != nullptr ? "" : ": that is not computed in this form");
    }
    result.use = {};
  } else if (!IsIntegerOp(node.reader.op_type())) {  // those compute with integers of their own
    result.float_reason = "it reads and writes real numbers";
  }
  // Dequantized, computed in float, quantized.
  std::vector<QTensor> reals(ports.size());
  std::vector<const QTensor*> inputs(ports.size(), nullptr);
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i] == nullptr) continue;
    inputs[i] = ports[i];
    if (!ports[i]->q.quantized()) continue;
    absl::StatusOr<Tensor> real = Dequantized(node.profile, *ports[i]);
    if (!real.ok()) return real.status();
    reals[i].tensor = *std::move(real);
    inputs[i] = &reals[i];
  }
  absl::StatusOr<std::vector<Tensor>> computed = RunReal(node, inputs, /*exact=*/true);
  if (!computed.ok()) return computed.status();
  for (size_t i = 0; i < computed->size(); ++i) {
    Tensor& tensor = (*computed)[i];
    if (!node.step.outputs[i].quantized || tensor.type != kFloat) {
      result.outputs.push_back(Share(std::move(tensor)));
      continue;
    }
    absl::StatusOr<QTensor> stored = Quantized(node.profile, tensor, node.step.outputs[i], node.written[i]);
    if (!stored.ok()) return stored.status();
    result.outputs.push_back(std::make_shared<QTensor>(*std::move(stored)));
    if (!node.statistics) continue;
    result.unrounded.resize(computed->size());
    result.unrounded[i] = std::move(tensor);
  }
  return result;
}

absl::StatusOr<std::vector<Tensor>> RunUnrounded(const NodeCall& node, const std::vector<Held>& read,
                                                 const QTensor* scalar) {
  std::vector<QTensor> reals(read.size());
  std::vector<const QTensor*> operands(read.size(), nullptr);
  for (size_t i = 0; i < read.size(); ++i) {
    operands[i] = read[i].affine.get();
    if (operands[i] == nullptr || !operands[i]->q.quantized()) continue;
    operands[i] = read[i].real.get();
    if (read[i].exact) continue;
    absl::StatusOr<Tensor> real = Dequantized(node.profile, *read[i].affine);
    if (!real.ok()) return real.status();
    reals[i].tensor = *std::move(real);
    operands[i] = &reals[i];
  }
  return RunReal(node, Ports(node.step, operands, node.lowered, scalar), /*exact=*/false);
}

}  // namespace quantgate::simulator
