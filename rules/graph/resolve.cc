#include "rules/graph/resolve.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "rules/graph/data_type.h"
#include "rules/graph/like_ops.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/sharing_annotations.h"

namespace quantgate {

// What is known of the stored form of a tensor: how Quantize writes it, or what a spec says.
struct Stored {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  int32_t qparams = -1;
  int64_t quant_min = 0;
  int64_t quant_max = 0;
  Tri is_dynamic = Tri::kUnknown;
  bool quantized = false;
};

class Resolver {
 public:
  Resolver(const Graph& graph, ResolvedGraph& result)
      : graph_(graph), result_(result), has_quantizers_(!graph.quantizers().empty()), like_(graph) {
    result_.op_of_node_.assign(graph.num_nodes(), -1);
    result_.ops_.reserve(graph.num_nodes());
    result_.operands_.reserve(static_cast<size_t>(graph.num_nodes()) * 4);
    quantizers_.assign(graph.num_nodes(), kNotComputed);
    stored_.assign(graph.num_values(), -1);
    specs_.assign(graph.message().specs_size(), kNotComputed);
    shared_roots_.assign(graph.message().specs_size(), kNotComputed);
    unit_.assign(graph.num_nodes(), kNotComputed);
  }

  void Run() {
    result_.quantizer_of_node_.assign(graph_.num_nodes(), -1);
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
  }

 private:
  static constexpr int32_t kNotComputed = -2;
  static constexpr int32_t kOnTheWay = -3;

  // ---- Quantize and Dequantize nodes ----

  // Stored form that a Quantize node writes or a Dequantize node reads. Computed once per node.
  Stored QuantizerOf(int32_t node) {
    if (quantizers_[node] != kNotComputed) return stored_forms_[quantizers_[node]];
    const QuantizerInputs inputs = QuantizerInputsOf(graph_, node);
    const bool quantize = graph_.op(node) == OpId::kQuantize;
    const int32_t written = graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1;
    const int32_t tensor = quantize ? written : inputs.data;
    Stored stored;
    stored.quantized = true;
    stored.type = tensor >= 0 ? graph_.dtype(tensor) : v1::DATA_TYPE_UNSPECIFIED;
    if (stored.type == v1::DATA_TYPE_UNSPECIFIED && inputs.zero_point >= 0) {
      stored.type = graph_.dtype(inputs.zero_point);
    }
    if (stored.type == v1::DATA_TYPE_UNSPECIFIED && !quantize && inputs.data >= 0 &&
        IsQuantize(graph_, graph_.producer(inputs.data))) {
      stored.type = QuantizerOf(graph_.producer(inputs.data)).type;
    }
    if (const v1::Attribute* dtype = graph_.attribute(node, "dtype");
        dtype != nullptr && dtype->value_case() == v1::Attribute::kDtype) {
      stored.type = dtype->dtype();
    }
    // ONNX: without a zero point the output is uint8.
    if (stored.type == v1::DATA_TYPE_UNSPECIFIED && quantize && graph_.origin() == v1::Graph::ONNX) {
      stored.type = v1::DATA_TYPE_UINT8;
    }
    stored.quant_min = graph_.int_attribute(node, "quant_min", MinOf(stored.type));
    stored.quant_max = graph_.int_attribute(node, "quant_max", MaxOf(stored.type));
    stored.is_dynamic = DynamicScale(inputs.scale) ? Tri::kYes : Tri::kNo;
    stored.qparams = MakeQuantizerParams(node, inputs);
    stored_forms_.push_back(stored);
    quantizers_[node] = static_cast<int32_t>(stored_forms_.size()) - 1;
    return stored_forms_.back();
  }

  void ExposeQuantizer(int32_t node) {
    Operand operand = StoredOperand(QuantizerOf(node));
    operand.quantizer = node;
    operand.edge_value = graph_.op(node) == OpId::kQuantize
                             ? (graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1)
                             : QuantizerInputsOf(graph_, node).data;
    operand.value = operand.edge_value >= 0 ? Recognizable(operand.edge_value) : -1;
    result_.quantizer_of_node_[node] = static_cast<int32_t>(result_.quantizers_.size());
    result_.quantizers_.push_back(operand);
  }

  bool DynamicScale(int32_t scale) const {
    if (scale < 0) return false;
    const int32_t producer = graph_.producer(scale);
    return producer >= 0 && graph_.op(producer) == OpId::kDynamicQuantize;
  }

  int32_t MakeQuantizerParams(int32_t node, const QuantizerInputs& inputs) {
    QuantParams params;
    params.scales = NumbersOf(inputs.scale);
    params.zero_points = NumbersOf(inputs.zero_point);
    if (inputs.scale < 0) {
      // Scalars as parameters (torch.ops.quantized_decomposed.*_per_tensor).
      if (graph_.attribute(node, "scale") != nullptr) {
        params.scales = Keep(std::vector<double>{graph_.float_attribute(node, "scale", 0)});
        params.zero_points = Keep(std::vector<double>{graph_.float_attribute(node, "zero_point", 0)});
      }
      return AddParams(params);
    }
    const v1::Value& scale = graph_.value(inputs.scale);
    const bool one_scale =
        params.scales.empty() ? (scale.has_shape() && scale.dims().empty()) : params.scales.size() == 1;
    int64_t rank =
        inputs.data >= 0 && graph_.value(inputs.data).has_shape() ? graph_.value(inputs.data).dims_size() : -1;
    const int64_t block_size = graph_.int_attribute(node, "block_size", 0);
    int64_t axis = graph_.int_attribute(node, "axis", graph_.origin() == v1::Graph::ONNX ? 1 : 0);
    if (axis < 0 && rank >= 0) axis += rank;
    if (block_size > 0) {
      if (rank < 0) rank = scale.has_shape() ? scale.dims_size() : 0;
      // More dimensions than any format allows: damaged, and found by a rule.
      rank = std::min<int64_t>(rank, 64);
      std::vector<int32_t> axes;
      std::vector<int64_t> blocks;
      for (int64_t i = 0; i < rank; ++i) {
        axes.push_back(static_cast<int32_t>(i));
        blocks.push_back(i == axis ? block_size : 1);
      }
      params.axes = Keep(std::move(axes));
      params.block_sizes = Keep(std::move(blocks));
    } else if (!one_scale) {
      params.axes = Keep(std::vector<int32_t>{static_cast<int32_t>(std::clamp<int64_t>(axis, -1000, 1000))});
    }
    return AddParams(params);
  }

  void ResolveQuantize(int32_t node) {
    const int32_t written = graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1;
    const QuantizerInputs inputs = QuantizerInputsOf(graph_, node);
    const Stored stored = QuantizerOf(node);
    if (written >= 0) SetStored(written, stored);
    if (inputs.data < 0) return;
    const int32_t producer = graph_.producer(inputs.data);
    const bool requantizes = IsDequantize(graph_, producer);
    // Part of the producer's output, or a constant quantized in the graph.
    if (!requantizes && producer >= 0 && FoldedQuantize(inputs.data) == node) return;
    if (!requantizes && producer < 0 && graph_.is_constant(inputs.data)) return;
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
    Operand input = StoredOperand(QuantizerOf(node));
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
      if (graph_.op(use.node) != OpId::kQuantize && !ComputesQuantized(use.node)) return true;
    }
    return false;
  }

  // The Quantize node that a tensor's producer writes through; -1: the producer writes floats.
  int32_t FoldedQuantize(int32_t value) {
    if (!has_quantizers_) return -1;
    const int32_t quantize = OnlyQuantizes(value);
    return quantize >= 0 && graph_.producer(value) >= 0 && !ComputesQuantized(graph_.producer(value)) ? -1 : quantize;
  }

  // Whether a node between Q/DQ nodes computes on quantized tensors: each float tensor that flows in is dequantized for
  // it, and each float output is quantized. Otherwise it computes in float, behind a Dequantize and in front of a
  // Quantize that are operators of their own; that is how runtimes and converters read QDQ graphs.
  bool ComputesQuantized(int32_t node) {
    if (unit_[node] == kNotComputed) unit_[node] = JudgeUnit(node) ? 1 : 0;
    return unit_[node] == 1;
  }

  bool JudgeUnit(int32_t node) const {
    const Binding* binding = graph_.binding(node);
    if (binding == nullptr || binding->integer_operator || IsQuantize(graph_, node) || IsDequantize(graph_, node)) {
      return true;
    }
    bool dequantized = false;           // reads a tensor at run time through a Dequantize
    bool dequantized_constant = false;  // reads a constant through one
    bool floats = false;                // reads a float tensor as it is
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      const Argument argument = ArgumentAt(*binding, graph_.argument(node, i));
      if (value < 0 || argument.role != ArgRole::kData || argument.port >= binding->op->inputs.size()) continue;
      const PortRole role = binding->op->inputs[argument.port].role;
      if (role != PortRole::kActivation && role != PortRole::kWeight) continue;
      if (IsDequantize(graph_, graph_.producer(value))) {
        (graph_.is_static(value) ? dequantized_constant : dequantized) = true;
      } else if (MayBeFloat(value) && stored_[value] < 0) {
        floats = true;
      }
    }
    bool quantizes = false;
    bool writes_floats = false;
    for (int i = 0; i < graph_.num_outputs(node); ++i) {
      const int32_t value = graph_.output(node, i);
      if (value < 0 || (graph_.uses(value).empty() && !graph_.is_graph_output(value))) continue;
      if (OnlyQuantizes(value) >= 0) {
        quantizes = true;
      } else if (MayBeFloat(value) && !WritesIntegers(binding->op->id)) {
        writes_floats = true;
      }
    }
    if (!dequantized && !dequantized_constant && !quantizes) return true;  // Q/DQ have no part in it
    // Quantized weights alone, floats everywhere else.
    if (dequantized_constant && floats && !dequantized && !quantizes) {
      return (binding->op->traits & kAccumulates) != 0;
    }
    return !floats && !writes_floats;
  }

  bool MayBeFloat(int32_t value) const {
    const v1::DataType type = graph_.dtype(value);
    return type == v1::DATA_TYPE_UNSPECIFIED || IsFloat(type);
  }

  // Operators whose result is no real number, for files that do not state the type.
  static bool WritesIntegers(OpId op) {
    switch (op) {
      case OpId::kArgMax:
      case OpId::kArgMin:
      case OpId::kEqual:
      case OpId::kNotEqual:
      case OpId::kLess:
      case OpId::kLessEqual:
      case OpId::kGreater:
      case OpId::kGreaterEqual:
      case OpId::kShape:
      case OpId::kNonZero:
        return true;
      default:
        return false;
    }
  }

  // The first of the Quantize nodes that are the only readers of a tensor; -1: somebody else reads it.
  int32_t OnlyQuantizes(int32_t value) const {
    if (graph_.is_graph_output(value) || graph_.uses(value).empty()) return -1;
    for (const Use& use : graph_.uses(value)) {
      if (use.input != 0 || graph_.op(use.node) != OpId::kQuantize) return -1;
    }
    return graph_.uses(value)[0].node;
  }

  // ---- Compute nodes ----

  // In torch.fx a node with several results has one value, and nobody reads that but getitem nodes: the results, with
  // their specs, are theirs.
  bool IsTuple(int32_t value) const {
    if (graph_.origin() != v1::Graph::PT2E || value < 0 || graph_.uses(value).empty()) return false;
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
      if (value >= 0 && moved >= 0 && stored_[value] < 0 && i == 0) stored_[value] = moved;
      AddOutput(node, i);
    }
    EndOutputs();
  }

  // Stored form of the first tensor that is moved (not the condition of a Where, nor indices); -1: not stored
  // quantized.
  int32_t StoredOfMoved(int32_t node, const Binding& binding) const {
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const Argument argument = ArgumentAt(binding, graph_.argument(node, i));
      if (argument.role != ArgRole::kData || argument.port >= binding.op->inputs.size()) continue;
      const PortRole role = binding.op->inputs[argument.port].role;
      if (role != PortRole::kActivation && role != PortRole::kWeight) continue;
      return graph_.input(node, i) >= 0 ? stored_[graph_.input(node, i)] : -1;
    }
    return -1;
  }

  Operand& AddInput(int32_t node, int i) {
    Operand& operand = result_.operands_.emplace_back();
    const int32_t value = graph_.input(node, i);
    if (value >= 0) {
      const int32_t producer = has_quantizers_ ? graph_.producer(value) : -1;
      if (IsDequantize(graph_, producer) && ComputesQuantized(node)) {
        const int32_t data = QuantizerInputsOf(graph_, producer).data;
        operand = StoredOperand(QuantizerOf(producer));
        operand.value = data >= 0 ? Recognizable(data) : value;
        operand.is_static = data >= 0 && (graph_.is_constant(data) || QuantizedConstant(data));
        operand.static_chain = data >= 0 && graph_.is_static(data);
        operand.quantizer = producer;
      } else {
        FillPlain(value, operand);
        int32_t spec = graph_.edge_spec(node, i);
        const bool on_edge = spec >= 0;
        // QNN and TFLite tensors carry their quantization themselves; in PT2E an edge without a spec reads floats.
        if (spec < 0 && TensorsCarrySpecs()) spec = graph_.value_spec(value);
        ApplySpec(spec, on_edge ? SpecPlace{value, node} : SpecPlace{value, -1}, operand);
      }
      operand.edge_value = value;
    }
    operand.argument = static_cast<int16_t>(std::min(i, 32767));
    return operand;
  }

  void AddOutput(int32_t node, int i) { AddOutputValue(graph_.output(node, i), i); }

  void AddOutputValue(int32_t value, int i) {
    Operand& operand = result_.operands_.emplace_back();
    if (value >= 0) {
      const int32_t quantize = FoldedQuantize(value);
      if (quantize >= 0) {
        operand = StoredOperand(QuantizerOf(quantize));
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
    if (stored_[value] >= 0) operand = StoredOperand(stored_forms_[stored_[value]]);
    operand.value = value;
    operand.edge_value = value;
    operand.present = true;
    if (!operand.quantized) operand.type = graph_.dtype(value);
    operand.is_static = graph_.is_constant(value) && !graph_.is_graph_input(value);
    operand.static_chain = graph_.is_static(value);
    if (has_quantizers_ && !operand.quantized && IsDequantize(graph_, graph_.producer(value))) {
      // The float form of a stored tensor.
      if (operand.type == v1::DATA_TYPE_UNSPECIFIED) operand.type = v1::DATA_TYPE_FLOAT32;
      operand.is_static = graph_.is_static(value);
    }
  }

  static Operand StoredOperand(const Stored& stored) {
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
      const bool bias = pending.operand.present && !pending.described && port < binding.op->inputs.size() &&
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
          Stored stored;
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
            operand = StoredOperand(QuantizerOf(quantize));
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
    params.scales = NumbersOf(scale);
    params.zero_points = NumbersOf(zero_point);
    const int64_t bits = graph_.int_attribute(node, "bits", 0);
    const int64_t block_size = graph_.int_attribute(node, "block_size", 0);
    if (block_size > 0) {
      // Packed weights [N, blocks, bytes]: logically [N, K], one scale per `block_size` elements of K.
      params.axes = Keep(std::vector<int32_t>{0, 1});
      params.block_sizes = Keep(std::vector<int64_t>{1, block_size});
      if (bits == 2) operand.type = v1::DATA_TYPE_UINT2;
      if (bits == 4) operand.type = v1::DATA_TYPE_UINT4;
      if (bits == 8) operand.type = v1::DATA_TYPE_UINT8;
    } else if (params.scales.size() > 1) {
      params.axes = Keep(std::vector<int32_t>{IntegerChannelAxis(node, operand)});
    }
    operand.quantized = true;
    operand.form = Operand::kFormUnlike;
    operand.quant_min = MinOf(operand.type);
    operand.quant_max = MaxOf(operand.type);
    operand.is_dynamic = DynamicScale(scale) ? Tri::kYes : Tri::kNo;
    operand.qparams = AddParams(params);
  }

  // Output channels of a filter or matrix, where per-channel scales of integer operators lie.
  int32_t IntegerChannelAxis(int32_t node, const Operand& operand) const {
    const v1::Value& tensor = graph_.value(operand.edge_value);
    const int32_t last = std::max(tensor.dims_size(), 1) - 1;
    switch (graph_.op(node)) {
      case OpId::kGemm:
        return graph_.int_attribute(node, "transB", 0) != 0 ? 0 : last;
      case OpId::kMatMul:
        return last;
      case OpId::kConvTranspose:
        return 1;
      default:
        return 0;
    }
  }

  // Integer operators define the bias as input scale x weight scale; it has no parameters of its own.
  void ImplyBias(Operand& bias, int32_t activation, int32_t weight) {
    const QuantParams& input = result_.qparams_[activation];
    const QuantParams& filter = result_.qparams_[weight];
    QuantParams params;
    if (input.scales.size() == 1) {
      std::vector<double> scales;
      scales.reserve(filter.scales.size());
      for (double scale : filter.scales) scales.push_back(scale * input.scales[0]);
      if (scales.size() > 1) params.axes = Keep(std::vector<int32_t>{0});
      params.scales = Keep(std::move(scales));
    }
    bias.quantized = true;
    bias.form = Operand::kFormUnlike;
    bias.quant_min = MinOf(bias.type);
    bias.quant_max = MaxOf(bias.type);
    bias.is_dynamic = Tri::kNo;
    bias.qparams = AddParams(params);
  }

  // ---- Specs ----

  bool TensorsCarrySpecs() const { return graph_.origin() == v1::Graph::QNN || graph_.origin() == v1::Graph::TFLITE; }

  // `place` is where the spec sits.
  void ApplySpec(int32_t spec, SpecPlace place, Operand& operand) {
    if (spec < 0) return;
    const int32_t root = RootSpec(spec, place);
    operand.spec = root >= 0 ? root : spec;
    if (root < 0) return;
    if (graph_.spec_kind(root) == v1::Spec::EXPLICIT_NONE) {
      operand.annotated_none = true;
      return;
    }
    operand.form = SpecForm(graph_.spec_like(root));
    const Stored& stored = stored_forms_[operand.form];
    operand.quantized = stored.quantized;
    if (stored.type != v1::DATA_TYPE_UNSPECIFIED) operand.type = stored.type;
    operand.qparams = stored.qparams;
    operand.quant_min = stored.quant_min;
    operand.quant_max = stored.quant_max;
    operand.is_dynamic = stored.is_dynamic;
  }

  // The spec that says something behind shared references; -1 when they lead nowhere or in a circle, which is a finding
  // of its own.
  int32_t RootSpec(int32_t spec, SpecPlace place) {
    if (graph_.spec_kind(spec) != v1::Spec::SHARED) return spec;
    spec = SpecAt(place);  // of a value that the node reads twice, the first
    return spec >= 0 && graph_.spec_kind(spec) == v1::Spec::SHARED ? RootOfShared(spec) : spec;
  }

  // Where the references of a shared spec end does not depend on the place that carries it.
  int32_t RootOfShared(int32_t spec) {
    std::vector<int32_t>& way = shared_way_;
    way.clear();
    int32_t root = -1;
    while (true) {
      if (shared_roots_[spec] == kOnTheWay) break;  // a circle
      if (shared_roots_[spec] != kNotComputed) {
        root = shared_roots_[spec];
        break;
      }
      shared_roots_[spec] = kOnTheWay;
      way.push_back(spec);
      spec = SpecAt(graph_.references(spec)[0]);
      if (spec < 0) break;  // it dangles
      if (graph_.spec_kind(spec) != v1::Spec::SHARED) {
        root = spec;
        break;
      }
    }
    for (int32_t each : way) shared_roots_[each] = root;
    return root;
  }

  // The spec that a place carries; -1: none. An output that is explicitly not quantized carries none, in torchao.
  int32_t SpecAt(SpecPlace place) {
    if (place.value < 0) return -1;
    if (!place.is_edge()) {
      const int32_t spec = graph_.value_spec(place.value);
      return spec >= 0 && graph_.spec_kind(spec) == v1::Spec::EXPLICIT_NONE ? -1 : spec;
    }
    constexpr int kWide = 16;
    if (graph_.num_inputs(place.node) > kWide || graph_.has_spec_map(place.node)) {
      if (!annotations_.has_value()) annotations_.emplace(graph_);
      const int32_t entry = annotations_->Find(place);
      return entry < 0 ? -1 : annotations_->spec_id(entry);
    }
    for (int i = 0; i < graph_.num_inputs(place.node); ++i) {
      if (graph_.input(place.node, i) == place.value && graph_.edge_spec(place.node, i) >= 0) {
        return graph_.edge_spec(place.node, i);
      }
    }
    return -1;
  }

  // Index into stored_forms_ of what a spec says.
  int32_t SpecForm(int32_t spec) { return specs_[spec] != kNotComputed ? specs_[spec] : MakeSpecForm(spec); }

  int32_t MakeSpecForm(int32_t spec) {
    const v1::Spec& message = graph_.message().specs(spec);
    Stored stored;
    stored.quantized = true;
    stored.type = message.dtype();
    stored.quant_min = message.has_quant_min() ? message.quant_min() : MinOf(message.dtype());
    stored.quant_max = message.has_quant_max() ? message.quant_max() : MaxOf(message.dtype());
    if (message.has_is_dynamic()) stored.is_dynamic = message.is_dynamic() ? Tri::kYes : Tri::kNo;
    QuantParams params;
    const v1::QParams& known = message.qparams();
    params.scales = known.scales();
    params.zero_points = known.zero_points();
    params.axes = known.axes();
    params.block_sizes = known.block_sizes();
    params.block_scales = known.block_scales();
    if (params.axes.empty() && !message.block_size().empty()) {
      std::vector<int32_t> axes;
      for (int i = 0; i < message.block_size_size(); ++i) axes.push_back(i);
      params.axes = Keep(std::move(axes));
      params.block_sizes = message.block_size();
    } else if (params.axes.empty() && PerChannel(message.qscheme()) && message.has_axis()) {
      params.axes = Keep(std::vector<int32_t>{message.axis()});
    }
    stored.qparams = AddParams(params);
    stored_forms_.push_back(stored);
    specs_[spec] = static_cast<int32_t>(stored_forms_.size()) - 1;
    return specs_[spec];
  }

  static bool PerChannel(v1::Spec::QScheme scheme) {
    return scheme == v1::Spec::PER_CHANNEL_AFFINE || scheme == v1::Spec::PER_CHANNEL_SYMMETRIC ||
           scheme == v1::Spec::PER_CHANNEL_AFFINE_FLOAT_QPARAMS;
  }

  // ---- Storage ----

  absl::Span<const double> NumbersOf(int32_t value) {
    if (value < 0 || !graph_.is_constant(value)) return {};
    if (numbers_of_.empty()) numbers_of_.resize(graph_.num_values(), kNotComputed);
    // Quantize and Dequantize mostly share their parameters.
    if (numbers_of_[value] != kNotComputed) return result_.numbers_[numbers_of_[value]];
    const v1::Constant& constant = graph_.value(value).constant();
    if (!constant.reals().empty()) return constant.reals();
    if (constant.ints().empty()) return {};
    numbers_of_[value] = static_cast<int32_t>(result_.numbers_.size());
    return Keep(std::vector<double>(constant.ints().begin(), constant.ints().end()));
  }

  absl::Span<const double> Keep(std::vector<double> numbers) {
    return result_.numbers_.emplace_back(std::move(numbers));
  }
  absl::Span<const int32_t> Keep(std::vector<int32_t> axes) { return result_.axes_.emplace_back(std::move(axes)); }
  absl::Span<const int64_t> Keep(std::vector<int64_t> blocks) {
    return result_.blocks_.emplace_back(std::move(blocks));
  }

  int32_t AddParams(const QuantParams& params) {
    result_.qparams_.push_back(params);
    return static_cast<int32_t>(result_.qparams_.size()) - 1;
  }

  void SetStored(int32_t value, const Stored& stored) {
    stored_forms_.push_back(stored);
    stored_[value] = static_cast<int32_t>(stored_forms_.size()) - 1;
  }

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
    op.like = like_.FirstLike(static_cast<int32_t>(result_.ops_.size()) - 1, op,
                              absl::MakeConstSpan(result_.operands_).subspan(op.first_input));
  }

  const Graph& graph_;
  ResolvedGraph& result_;
  const bool has_quantizers_;
  LikeOps like_;
  std::vector<Stored> stored_forms_;   // referred to by the three below
  std::vector<int32_t> quantizers_;    // by node
  std::vector<int32_t> stored_;        // by value: stored quantized in the file; -1: no
  std::vector<int32_t> specs_;         // by spec
  std::vector<int32_t> shared_roots_;  // by spec: where its references end; -1: nowhere
  std::vector<int32_t> shared_way_;
  std::vector<int32_t> numbers_of_;         // by value: index into the result's numbers of what it holds as integers
  std::vector<int32_t> unit_;               // by node: computes on quantized tensors
  std::optional<Annotations> annotations_;  // made when a place is not found at once
};

ResolvedGraph ResolvedGraph::Resolve(const Graph& graph) {
  ResolvedGraph result;
  Resolver(graph, result).Run();
  return result;
}

const Operand* ResolvedGraph::input(const ResolvedOp& op, int port) const {
  for (const Operand& operand : inputs(op)) {
    if (operand.port == port && operand.present) return &operand;
  }
  return nullptr;
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
