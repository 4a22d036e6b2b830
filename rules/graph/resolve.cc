#include "rules/graph/resolve.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/graph/argument_axes.h"
#include "rules/graph/data_type.h"
#include "rules/graph/like_ops.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantized_units.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/quantizer_forms.h"
#include "rules/graph/spec_forms.h"
#include "rules/graph/stored_form.h"
#include "rules/graph/written_buffer.h"

namespace quantgate {

class Resolver {
 public:
  Resolver(const Graph& graph, Reading reading, ResolvedGraph& result)
      : graph_(graph),
        result_(result),
        store_(result.qparams_),
        has_quantizers_(!graph.quantizers().empty()),
        has_tuples_(HasTuples(graph)),
        like_(graph),
        quantizers_(graph, forms_, store_),
        specs_(graph, forms_, store_),
        stored_(graph.num_values(), -1),
        reading_(reading),
        units_(graph, stored_) {
    if (reading == Reading::kByTensor) NoteLastQuantize();
    result_.op_of_node_.assign(graph.num_nodes(), -1);
    result_.ops_.reserve(graph.num_nodes());
    result_.operands_.reserve(static_cast<size_t>(graph.num_nodes()) * 4);
  }

  void Run() {
    result_.quantizer_of_node_.assign(graph_.num_nodes(), -1);
    if (graph_.message().has_encodings_file()) ReadEncodings();
    if (graph_.origin() == v1::Graph::PT2E) ReadUnwritten();
    for (int32_t node : graph_.order()) {
      switch (graph_.op(node)) {
        case OpId::kQuantize:
          ExposeQuantizer(node);
          ResolveQuantize(node);
          break;
        case OpId::kDequantize:
          ExposeQuantizer(node);
          ResolveDequantize(node);
          break;
        default:
          ResolveCompute(node);
      }
    }
    result_.depends_on_reading_ = computes_floats_ || quantizes_between_ || IsReadBesideQuantize();
  }

 private:
  // ---- Quantize and Dequantize nodes ----

  void ExposeQuantizer(int32_t node) {
    Operand operand = StoredOperand(quantizers_.Of(node));
    operand.quantizer = node;
    operand.edge_value = graph_.op(node) == OpId::kQuantize
                             ? (graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1)
                             : QuantizerInputsOf(graph_, node).data;
    operand.value = operand.edge_value >= 0 ? Recognizable(operand.edge_value) : -1;
    result_.quantizer_of_node_[node] = static_cast<int32_t>(result_.quantizers_.size());
    result_.quantizers_.push_back(operand);
  }

  void ResolveQuantize(int32_t node) {
    const int32_t written = graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1;
    const QuantizerInputs inputs = QuantizerInputsOf(graph_, node);
    const StoredForm stored = quantizers_.Of(node);
    if (written >= 0) SetStored(written, stored);
    if (inputs.data < 0) return;
    const int32_t producer = graph_.producer(inputs.data);
    const bool requantizes = IsDequantize(graph_, producer);
    // No operator either: ExecuTorch has the reader's form put in front of it, or not.
    if (requantizes && reading_ == Reading::kByTensor) return;
    // Part of the producer's output, or a constant quantized in the graph.
    const int32_t folded = !requantizes && producer >= 0 ? FoldedQuantize(inputs.data) : -1;
    if (folded == node || (folded >= 0 && reading_ == Reading::kByTensor)) return;
    if (!requantizes && producer < 0 && graph_.is_constant(inputs.data)) return;
    quantizes_between_ = quantizes_between_ || producer >= 0;
    BeginOp(node, &GetOperator(requantizes ? OpId::kRequantize : OpId::kQuantize));
    AddInput(node, 0);
    EndInputs();
    Operand output = StoredOperand(stored);
    output.value = written;
    output.edge_value = written;
    output.quantizer = node;
    output.argument = 0;
    result_.operands_.push_back(output);
    EndOutputs();
  }

  void ResolveDequantize(int32_t node) {
    const int32_t read = graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1;
    const QuantizerInputs inputs = QuantizerInputsOf(graph_, node);
    if (read < 0 || inputs.data < 0 || !ReadAsFloat(read, inputs.data)) return;
    BeginOp(node, &GetOperator(OpId::kDequantize));
    Operand input = StoredOperand(quantizers_.Of(node));
    input.value = Recognizable(inputs.data);
    input.edge_value = inputs.data;
    input.quantizer = node;
    input.argument = 0;
    input.is_static = graph_.is_constant(inputs.data);
    input.static_chain = graph_.is_static(inputs.data);
    result_.operands_.push_back(input);
    EndInputs();
    AddOutput(node, 0);
    EndOutputs();
  }

  // Whether somebody reads a dequantized tensor as a float one: a caller, or a node that computes in float. The float
  // form of a constant is a constant as well, and needs no operator.
  bool ReadAsFloat(int32_t value, int32_t stored) {
    if (graph_.is_graph_output(value)) return true;
    if (graph_.is_static(stored)) return false;
    for (const Use& use : graph_.uses(value)) {
      if (graph_.op(use.node) != OpId::kQuantize && !Computes(use.node)) return true;
    }
    return false;
  }

  // ---- Compute nodes ----

  static bool HasTuples(const Graph& graph) {
    return graph.origin() == v1::Graph::PT2E &&
           absl::c_any_of(graph.unlike_nodes(), [&graph](int32_t node) { return graph.op(node) == OpId::kGetItem; });
  }

  // In torch.fx a node with several results has one value, and nobody reads that but getitem nodes: the results, with
  // their specs, are theirs.
  bool IsTuple(int32_t value) const {
    if (!has_tuples_ || value < 0 || graph_.uses(value).empty()) return false;
    return std::all_of(graph_.uses(value).begin(), graph_.uses(value).end(), [&](const Use& use) {
      return graph_.op(use.node) == OpId::kGetItem && ResultIndex(use.node) >= 0;
    });
  }

  // Which result a getitem node takes; -1: not stated, or beyond what any operator has.
  int64_t ResultIndex(int32_t getitem) const {
    constexpr int64_t kMaxResults = 4096;
    const int64_t index = graph_.int_attribute(getitem, "index", -1);
    return index < kMaxResults && graph_.num_outputs(getitem) == 1 ? index : -1;
  }

  // Results by their index in the tuple; one that nobody takes is absent.
  void AddTupleOutputs(int32_t tuple) {
    std::vector<int32_t> results;
    for (const Use& use : graph_.uses(tuple)) {
      const size_t index = static_cast<size_t>(ResultIndex(use.node));
      if (results.size() <= index) results.resize(index + 1, -1);
      results[index] = graph_.output(use.node, 0);
    }
    for (size_t i = 0; i < results.size(); ++i) AddOutputValue(results[i], static_cast<int>(i));
  }

  void ResolveCompute(int32_t node) {
    // Part of the node that makes the tuple.
    if (graph_.op(node) == OpId::kGetItem && graph_.num_inputs(node) > 0 && IsTuple(graph_.input(node, 0)) &&
        graph_.producer(graph_.input(node, 0)) >= 0) {
      return;
    }
    const Binding* binding = graph_.binding(node);
    BeginOp(node, binding != nullptr ? binding->op : nullptr);
    if (binding != nullptr && binding->integer_operator) {
      ResolveInteger(node, *binding);
      return;
    }
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      uint8_t port = 0;
      if (binding != nullptr) {
        const Argument argument = ArgumentAt(*binding, graph_.argument(node, i));
        if (argument.role != ArgRole::kData) continue;
        port = argument.port;
      }
      AddInput(node, i).port = port;
    }
    EndInputs();
    // An operator that only moves or picks elements leaves integers as they are stored.
    const int32_t moved =
        binding != nullptr && (binding->op->traits & (kMovesData | kSelects)) != 0 ? StoredOfMoved(node, *binding) : -1;
    if (graph_.num_outputs(node) == 1 && IsTuple(graph_.output(node, 0))) {
      AddTupleOutputs(graph_.output(node, 0));
      EndOutputs();
      return;
    }
    for (int i = 0; i < graph_.num_outputs(node); ++i) {
      const int32_t value = graph_.output(node, i);
      // Of a Split every part; elsewhere what is behind the first output is indices or a mask.
      const bool part = i == 0 || (moved >= 0 && !binding->op->outputs.empty() && binding->op->outputs[0].variadic);
      if (value >= 0 && moved >= 0 && stored_[value] < 0 && part) stored_[value] = moved;
      AddOutput(node, i);
    }
    EndOutputs();
  }

  // Stored form of the first tensor that is moved (not the condition of a Where, nor indices) and has one; -1: none of
  // them is stored quantized. Integers beside it without a form of their own, a constant say, are put among its.
  int32_t StoredOfMoved(int32_t node, const Binding& binding) const {
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const PortRole role = RoleAt(binding, graph_.argument(node, i));
      if (role != PortRole::kActivation && role != PortRole::kWeight) continue;
      const int32_t value = graph_.input(node, i);
      if (value >= 0 && stored_[value] >= 0) return stored_[value];
    }
    return -1;
  }

  Operand& AddInput(int32_t node, int i) {
    Operand& operand = result_.operands_.emplace_back();
    const int32_t value = graph_.input(node, i);
    if (value >= 0) {
      const int32_t producer = has_quantizers_ ? graph_.producer(value) : -1;
      if (IsDequantize(graph_, producer) && Computes(node)) {
        const int32_t data = QuantizerInputsOf(graph_, producer).data;
        operand = StoredOperand(quantizers_.Of(producer));
        operand.value = data >= 0 ? TensorBehind(Recognizable(data)) : value;
        operand.is_static = data >= 0 && (graph_.is_constant(data) || QuantizedConstant(data));
        operand.static_chain = data >= 0 && graph_.is_static(data);
        operand.quantizer = producer;
      } else if (const int32_t written = WrittenThrough(node, value); written >= 0) {
        operand = StoredOperand(quantizers_.Of(written));
        operand.value = value;
        operand.is_static = graph_.is_constant(value);
        operand.static_chain = graph_.is_static(value);
      } else {
        FillPlain(value, operand);
        int32_t spec = graph_.edge_spec(node, i);
        // No observer comes there, whatever was asked for.
        if (spec >= 0 && graph_.message().stage() != v1::STAGE_CONVERTED && IsWrittenBuffer(graph_, node, i)) spec = -1;
        const bool on_edge = spec >= 0;
        // QNN and TFLite tensors carry their quantization themselves; in PT2E an edge without a spec reads floats.
        if (spec < 0 && TensorsCarrySpecs()) spec = graph_.value_spec(value);
        ApplySpec(spec, on_edge ? SpecPlace{value, node} : SpecPlace{value, -1}, operand);
      }
      operand.edge_value = TensorBehind(value);
    }
    operand.argument = static_cast<int16_t>(std::min(i, 32767));
    return operand;
  }

  // ---- By unit or by tensor ----

  // Of several Quantize nodes that read a tensor the last one overwrites what the others said.
  void NoteLastQuantize() {
    last_quantize_.assign(graph_.num_values(), -1);
    for (int32_t node : graph_.quantizers()) {
      const int32_t data = IsQuantize(graph_, node) ? QuantizerInputsOf(graph_, node).data : -1;
      if (data >= 0) last_quantize_[data] = node;
    }
  }

  // An input or constant that is read in front of its Quantize as well: by tensor quantized there, too.
  bool IsReadBesideQuantize() const {
    std::vector<bool> seen(graph_.num_values(), false);
    for (int32_t node : graph_.quantizers()) {
      const int32_t data = IsQuantize(graph_, node) ? QuantizerInputsOf(graph_, node).data : -1;
      if (data < 0 || seen[data] || graph_.producer(data) >= 0) continue;
      seen[data] = true;
      for (const Use& use : graph_.uses(data)) {
        if (graph_.op(use.node) != OpId::kQuantize) return true;
      }
    }
    return false;
  }

  bool Computes(int32_t node) {
    if (reading_ == Reading::kByTensor) return true;
    const bool computes = units_.Computes(node);
    computes_floats_ = computes_floats_ || !computes;
    return computes;
  }

  int32_t FoldedQuantize(int32_t value) {
    return reading_ == Reading::kByTensor ? last_quantize_[value] : units_.FoldedQuantize(value);
  }

  // The Quantize node that gives a tensor its parameters for those, too, that read it in front of the node; -1: none.
  int32_t WrittenThrough(int32_t node, int32_t value) const {
    return reading_ == Reading::kByTensor && graph_.op(node) != OpId::kQuantize ? last_quantize_[value] : -1;
  }

  // The tensor that Quantize and Dequantize nodes make another form of; by unit the one that they make.
  int32_t TensorBehind(int32_t value) const {
    if (reading_ != Reading::kByTensor) return value;
    return quantgate::TensorBehind(graph_, value, [](int32_t) { return true; });
  }

  void AddOutput(int32_t node, int i) { AddOutputValue(graph_.output(node, i), i); }

  void AddOutputValue(int32_t value, int i) {
    Operand& operand = result_.operands_.emplace_back();
    if (value >= 0) {
      const int32_t quantize = FoldedQuantize(value);
      if (quantize >= 0) {
        operand = StoredOperand(quantizers_.Of(quantize));
        operand.quantizer = quantize;
        operand.value = value;
      } else {
        FillPlain(value, operand);
        ApplySpec(graph_.value_spec(value), SpecPlace{value, -1}, operand);
      }
      operand.edge_value = value;
    }
    operand.port = static_cast<uint8_t>(std::min(i, 255));
    operand.argument = static_cast<int16_t>(std::min(i, 32767));
  }

  // A tensor as it is: stored quantized (behind a Quantize or an integer operator), or with its own type.
  Operand PlainOperand(int32_t value) const {
    Operand operand;
    FillPlain(value, operand);
    return operand;
  }

  void FillPlain(int32_t value, Operand& operand) const {
    if (stored_[value] >= 0) operand = StoredOperand(forms_[stored_[value]]);
    operand.value = value;
    operand.edge_value = value;
    operand.present = true;
    const bool stated = operand.type != v1::DATA_TYPE_UNSPECIFIED && IsFloat(operand.type);  // by an encodings file
    if (!operand.quantized && !stated) operand.type = graph_.dtype(value);
    operand.is_static = graph_.is_constant(value) && !graph_.is_graph_input(value);
    operand.static_chain = graph_.is_static(value);
    if (has_quantizers_ && !operand.quantized && IsDequantize(graph_, graph_.producer(value))) {
      // The float form of a stored tensor.
      if (operand.type == v1::DATA_TYPE_UNSPECIFIED) operand.type = v1::DATA_TYPE_FLOAT32;
      operand.is_static = graph_.is_static(value);
    }
  }

  static Operand StoredOperand(const StoredForm& stored) {
    Operand operand;
    operand.present = true;
    operand.type = stored.type;
    operand.qparams = stored.qparams;
    operand.quant_min = stored.quant_min;
    operand.quant_max = stored.quant_max;
    operand.is_dynamic = stored.is_dynamic;
    operand.quantized = stored.quantized;
    operand.form = Operand::kFormUnlike;
    return operand;
  }

  bool QuantizedConstant(int32_t data) const {
    const int32_t producer = graph_.producer(data);
    if (!IsQuantize(graph_, producer)) return false;
    const int32_t source = QuantizerInputsOf(graph_, producer).data;
    return source >= 0 && graph_.is_constant(source);
  }

  // The tensor behind a stored one: the float tensor in front of its Quantize.
  int32_t Recognizable(int32_t stored) const {
    const int32_t producer = graph_.producer(stored);
    if (!IsQuantize(graph_, producer)) return stored;
    const int32_t source = QuantizerInputsOf(graph_, producer).data;
    return source >= 0 ? source : stored;
  }

  // ---- Integer operators: quantized data inside, scales as arguments ----

  void ResolveInteger(int32_t node, const Binding& binding) {
    struct Pending {
      Operand operand;
      int32_t scale = -1;
      int32_t zero_point = -1;
      bool described = false;
    };
    std::vector<Pending> inputs;
    Pending output;
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      const Argument argument = ArgumentAt(binding, graph_.argument(node, i));
      if (argument.role == ArgRole::kData) {
        Pending pending;
        if (value >= 0) pending.operand = PlainOperand(value);
        pending.operand.value = value >= 0 ? Recognizable(value) : -1;
        pending.operand.argument = static_cast<int16_t>(std::min(i, 32767));
        pending.operand.port = argument.port;
        inputs.push_back(pending);
        continue;
      }
      if (argument.role == ArgRole::kOther || value < 0) continue;
      Pending* described = argument.of_output ? &output : nullptr;
      // The latest operand of that port: lists repeat (data, scale, zero point).
      for (auto it = inputs.rbegin(); described == nullptr && it != inputs.rend(); ++it) {
        if (it->operand.port == argument.port) described = &*it;
      }
      if (described == nullptr) continue;
      described->described = true;
      (argument.role == ArgRole::kScale ? described->scale : described->zero_point) = value;
    }
    int32_t activation_params = -1;
    int32_t weight_params = -1;
    for (Pending& pending : inputs) {
      if (!pending.operand.present || !pending.described) continue;
      Describe(node, pending.operand, pending.scale, pending.zero_point);
      (pending.operand.port == 0 ? activation_params : weight_params) = pending.operand.qparams;
    }
    for (Pending& pending : inputs) {
      const uint8_t port = pending.operand.port;
      const bool bias = pending.operand.present && !pending.described &&
                        binding.op->inputs[port].role == PortRole::kBias &&
                        pending.operand.type == v1::DATA_TYPE_INT32 && activation_params >= 0 && weight_params >= 0;
      if (bias) ImplyBias(pending.operand, activation_params, weight_params);
      result_.operands_.push_back(pending.operand);
    }
    EndInputs();
    for (int i = 0; i < graph_.num_outputs(node); ++i) {
      const int32_t value = graph_.output(node, i);
      Operand operand;
      if (value >= 0) {
        operand = PlainOperand(value);
        if (i == 0 && output.described) {
          if (operand.type == v1::DATA_TYPE_UNSPECIFIED && output.zero_point >= 0) {
            operand.type = graph_.dtype(output.zero_point);
          }
          Describe(node, operand, output.scale, output.zero_point);
          StoredForm stored;
          stored.quantized = true;
          stored.type = operand.type;
          stored.qparams = operand.qparams;
          stored.quant_min = operand.quant_min;
          stored.quant_max = operand.quant_max;
          stored.is_dynamic = Tri::kNo;
          SetStored(value, stored);
        } else if (!operand.quantized) {
          const int32_t quantize = FoldedQuantize(value);
          if (quantize >= 0) {
            operand = StoredOperand(quantizers_.Of(quantize));
            operand.quantizer = quantize;
            operand.value = value;
            operand.edge_value = value;
          }
        }
      }
      operand.argument = static_cast<int16_t>(std::min(i, 32767));
      operand.port = static_cast<uint8_t>(std::min(i, 255));
      result_.operands_.push_back(operand);
    }
    EndOutputs();
  }

  void Describe(int32_t node, Operand& operand, int32_t scale, int32_t zero_point) {
    QuantParams params;
    params.scales = quantizers_.NumbersOf(scale);
    params.zero_points = quantizers_.NumbersOf(zero_point);
    DescribedArgument argument;
    argument.node = node;
    argument.port = operand.port;
    argument.tensor = operand.edge_value;
    argument.type = operand.type;
    argument.scale = scale;
    argument.zero_point = zero_point;
    // MatMulInteger and its kind have zero points alone.
    argument.count = params.scales.empty() ? params.zero_points.size() : params.scales.size();
    ArgumentAxes found = AxesOf(graph_, argument);
    if (!found.axes.empty()) params.axes = store_.Keep(std::move(found.axes));
    if (!found.block_sizes.empty()) params.block_sizes = store_.Keep(std::move(found.block_sizes));
    if (!found.known) params.scales = RealView();
    if (!found.known || found.packed_zero_points) params.zero_points = RealView();
    if (found.type != v1::DATA_TYPE_UNSPECIFIED) operand.type = found.type;
    operand.quantized = true;
    operand.form = Operand::kFormUnlike;
    operand.quant_min = MinOf(operand.type);
    operand.quant_max = MaxOf(operand.type);
    operand.is_dynamic = quantizers_.IsDynamic(scale) ? Tri::kYes : Tri::kNo;
    operand.qparams = store_.Add(params);
  }

  // Integer operators define the bias as input scale x weight scale; it has no parameters of its own. The channels are
  // along its last dimension: QGemm takes one of [N], [1, N] or [M, N], and spreads one of [M, 1] over all channels, so
  // that its numbers have as many scales as there are channels and no axis tells which.
  void ImplyBias(Operand& bias, int32_t activation, int32_t weight) {
    const QuantParams& input = store_[activation];
    const QuantParams& filter = store_[weight];
    const int rank = graph_.rank(bias.edge_value);
    const bool spread = filter.scales.size() > 1 && graph_.has_known_shape(bias.edge_value) &&
                        (rank == 0 || graph_.value(graph_.value_like(bias.edge_value)).dims(rank - 1) == 1);
    QuantParams params;
    if (input.scales.size() == 1 && !spread) {
      std::vector<double> scales;
      scales.reserve(filter.scales.size());
      for (double scale : filter.scales) scales.push_back(scale * input.scales[0]);
      if (scales.size() > 1) params.axes = store_.Keep(std::vector<int32_t>{std::max(rank - 1, 0)});
      params.scales = store_.Keep(std::move(scales));
    }
    bias.quantized = true;
    bias.form = Operand::kFormUnlike;
    bias.quant_min = MinOf(bias.type);
    bias.quant_max = MaxOf(bias.type);
    bias.is_dynamic = Tri::kNo;
    bias.qparams = store_.Add(params);
  }

  // ---- Specs ----

  bool TensorsCarrySpecs() const {
    return graph_.origin() == v1::Graph::QNN || graph_.origin() == v1::Graph::TFLITE ||
           graph_.message().has_encodings_file();
  }

  // A tensor with an encoding is stored so, and what only moves its elements leaves them as they are: AIMET and the
  // converters state no encoding there.
  void ReadEncodings() {
    for (int32_t value = 0; value < graph_.num_values(); ++value) {
      const int32_t spec = graph_.value_spec(value);
      if (spec < 0 || graph_.spec_kind(spec) != v1::Spec::PLAIN) continue;
      stored_[value] = specs_.FormOf(graph_.spec_like(spec));
      if (graph_.producer(value) >= 0 || !graph_.uses(value).empty()) continue;
      Operand& operand = result_.idle_.emplace_back();
      FillPlain(value, operand);
      ApplySpec(spec, SpecPlace{value, -1}, operand);
    }
    for (int32_t node = 0; node < graph_.num_nodes(); ++node) PassToFused(node);
  }

  // In PT2E who reads a tensor does not have the spec that it is written with, and nothing writes an input or a
  // constant.
  void ReadUnwritten() {
    for (int32_t value = 0; value < graph_.num_values(); ++value) {
      const int32_t spec = graph_.value_spec(value);
      if (spec < 0 || graph_.producer(value) >= 0) continue;
      Operand& operand = result_.idle_.emplace_back();
      FillPlain(value, operand);
      operand.edge_value = value;
      ApplySpec(spec, SpecPlace{value, -1}, operand);
    }
  }

  // What a Relu alone reads is no tensor of its own for AIMET and the converters: it is fused with what writes it, and
  // has the encoding behind it.
  void PassToFused(int32_t node) {
    const OpId op = graph_.op(node);
    if (op != OpId::kRelu && op != OpId::kRelu6 && op != OpId::kClamp) return;
    if (graph_.num_inputs(node) == 0 || graph_.num_outputs(node) == 0) return;
    const int32_t read = graph_.input(node, 0);
    const int32_t written = graph_.output(node, 0);
    if (read < 0 || written < 0 || stored_[written] < 0 || stored_[read] >= 0) return;
    if (graph_.producer(read) < 0 || graph_.only_use(read) == nullptr) return;
    stored_[read] = stored_[written];
  }

  // `place` is where the spec sits.
  void ApplySpec(int32_t spec, SpecPlace place, Operand& operand) {
    if (spec < 0) return;
    const int32_t root = specs_.Root(spec, place);
    // LiteRT ignores the scale of a tensor of floats.
    if (root >= 0 && graph_.origin() == v1::Graph::TFLITE && IsFloat(graph_.message().specs(root).dtype())) return;
    operand.spec = root >= 0 ? root : spec;
    if (root < 0) return;
    if (graph_.spec_kind(root) == v1::Spec::EXPLICIT_NONE) {
      operand.annotated_none = true;
      return;
    }
    operand.form = specs_.FormOf(spec, root);
    const StoredForm& stored = forms_[operand.form];
    operand.quantized = stored.quantized;
    if (stored.type != v1::DATA_TYPE_UNSPECIFIED) operand.type = stored.type;
    operand.qparams = stored.qparams;
    operand.quant_min = stored.quant_min;
    operand.quant_max = stored.quant_max;
    operand.is_dynamic = stored.is_dynamic;
  }

  void SetStored(int32_t value, const StoredForm& form) { stored_[value] = forms_.Add(form); }

  void BeginOp(int32_t node, const Operator* op) {
    ResolvedOp resolved;
    resolved.node = node;
    resolved.op = op;
    resolved.first_input = static_cast<uint32_t>(result_.operands_.size());
    result_.op_of_node_[node] = static_cast<int32_t>(result_.ops_.size());
    result_.ops_.push_back(resolved);
  }
  void EndInputs() {
    ResolvedOp& op = result_.ops_.back();
    op.input_count = static_cast<uint32_t>(result_.operands_.size()) - op.first_input;
    op.first_output = static_cast<uint32_t>(result_.operands_.size());
  }
  void EndOutputs() {
    ResolvedOp& op = result_.ops_.back();
    op.output_count = static_cast<uint32_t>(result_.operands_.size()) - op.first_output;
    const int32_t number = static_cast<int32_t>(result_.ops_.size()) - 1;
    op.like = like_.FirstLike(number, op, absl::MakeConstSpan(result_.operands_).subspan(op.first_input));
    if (op.like < 0 || op.like == number) result_.unlike_ops_.push_back(number);
  }

  const Graph& graph_;
  ResolvedGraph& result_;
  QParamsStore& store_;
  const bool has_quantizers_;
  const bool has_tuples_;
  LikeOps like_;
  StoredForms forms_;
  QuantizerForms quantizers_;
  SpecForms specs_;
  std::vector<int32_t> stored_;  // by value: form of a tensor that is stored quantized in the file; -1: no
  const Reading reading_;
  std::vector<int32_t> last_quantize_;  // by value, when read by tensor; -1: none
  bool computes_floats_ = false;        // a node beside Quantize or Dequantize nodes does, read by unit
  bool quantizes_between_ = false;      // a Quantize node behind another node is an operator
  QuantizedUnits units_;
};

ResolvedGraph ResolvedGraph::Resolve(const Graph& graph, Reading reading) {
  ResolvedGraph result;
  Resolver(graph, reading, result).Run();
  return result;
}

const Operand* ResolvedGraph::input(const ResolvedOp& op, int port) const {
  for (const Operand& operand : inputs(op)) {
    if (operand.port == port && operand.present) return &operand;
  }
  return nullptr;
}

int64_t ScalesRead(const ResolvedGraph& graph) {
  const auto all = graph.all_qparams();
  if (std::all_of(all.begin(), all.end(), [](const QuantParams& params) { return params.scales.empty(); })) return 0;
  int64_t scales = 0;
  const auto count = [&](absl::Span<const Operand> operands) {
    for (const Operand& operand : operands) {
      const QuantParams* params = graph.qparams(operand);
      if (params != nullptr) scales += static_cast<int64_t>(params->scales.size());
    }
  };
  for (const ResolvedOp& op : graph.ops()) {
    count(graph.inputs(op));
    count(graph.outputs(op));
  }
  return scales;
}

int32_t StoredValue(const Graph& graph, const Operand& input) {
  return input.quantizer >= 0 && graph.num_inputs(input.quantizer) > 0 ? graph.input(input.quantizer, 0)
                                                                       : input.edge_value;
}

int EffectiveBits(const Operand& operand) {
  const int width = BitWidth(operand.type);
  if (!operand.quantized || operand.quant_max <= operand.quant_min || width >= 64) return width;
  const uint64_t steps = static_cast<uint64_t>(operand.quant_max) - static_cast<uint64_t>(operand.quant_min);
  int bits = 0;
  while (bits < 64 && (steps >> bits) != 0) ++bits;
  return bits;
}

}  // namespace quantgate
