#include "rules/soundness/described.h"

#include <algorithm>

#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"

namespace quantgate {
namespace {

bool RepeatsItsQuantize(const CheckContext& context, const QuantizerInputs& inputs, const Operand& read,
                        const QuantParams& params) {
  const Graph& graph = context.graph();
  if (inputs.data < 0) return false;
  const int32_t producer = graph.producer(inputs.data);
  if (!IsQuantize(graph, producer)) return false;
  const QuantizerInputs quantize = QuantizerInputsOf(graph, producer);
  if (inputs.scale < 0 || quantize.scale != inputs.scale || quantize.zero_point != inputs.zero_point) return false;
  const Operand& written = *context.resolved().quantizer(producer);
  if (written.quant_min != read.quant_min || written.quant_max != read.quant_max) return false;
  const QuantParams* like = context.resolved().qparams(written);
  return like != nullptr && like->axes == params.axes && like->block_sizes == params.block_sizes;
}

void AddQuantizer(const CheckContext& context, int32_t node, std::vector<Described>& found) {
  const Graph& graph = context.graph();
  const Operand* operand = context.resolved().quantizer(node);
  const QuantParams* params = context.resolved().qparams(*operand);
  const QuantizerInputs inputs = QuantizerInputsOf(graph, node);
  if (params == nullptr) return;
  if (IsDequantize(graph, node) && RepeatsItsQuantize(context, inputs, *operand, *params)) return;
  Described entry;
  entry.place.node = node;
  entry.place.value = IsQuantize(graph, node) ? operand->value : operand->edge_value;
  entry.operand = operand;
  entry.params = params;
  entry.tensor = inputs.data;
  entry.scale = inputs.scale;
  entry.zero_point = inputs.zero_point;
  found.push_back(entry);
}

// Tells operands with a plain spec: no number, a range that the type has and axes that the tensor has. No rule has
// anything to say of them, and nearly all operands of a graph that is only annotated are that.
class PlainSpecs {
 public:
  explicit PlainSpecs(const CheckContext& context) : context_(context) {}

  bool Contain(const Operand& operand) {
    if (operand.form < 0) return false;
    if (static_cast<size_t>(operand.form) >= forms_.size()) forms_.resize(operand.form + 1);
    Form& form = forms_[operand.form];
    if (form.plainness == kUnknown || form.type != operand.type) form = {Judge(operand), operand.type};
    return form.plainness == kPlain || (form.plainness == kPlainWithAxes && AxesFit(operand));
  }

 private:
  enum Plainness : uint8_t { kUnknown, kPlain, kPlainWithAxes, kNotPlain };
  struct Form {
    Plainness plainness = kUnknown;
    v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  };

  Plainness Judge(const Operand& operand) const {
    const QuantParams* params = context_.resolved().qparams(operand);
    if (operand.spec < 0 || params == nullptr) return kNotPlain;
    if (!params->scales.empty() || !params->zero_points.empty() || params->blocked()) return kNotPlain;
    const bool range_fits = operand.quant_min >= MinOf(operand.type) && operand.quant_max <= MaxOf(operand.type) &&
                            operand.quant_min < operand.quant_max;
    if (IsInteger(operand.type) && !range_fits) return kNotPlain;
    if (params->axes.empty()) return kPlain;
    return context_.graph().message().specs(operand.spec).block_size().empty() ? kPlainWithAxes : kNotPlain;
  }

  bool AxesFit(const Operand& operand) const {
    const int rank = operand.edge_value < 0 ? -1 : context_.graph().rank(operand.edge_value);
    const absl::Span<const int32_t> axes = context_.resolved().qparams(operand)->axes;
    return std::all_of(axes.begin(), axes.end(), [rank](int32_t axis) { return axis >= -rank && axis < rank; });
  }

  const CheckContext& context_;
  std::vector<Form> forms_;  // by Operand::form
};

// Operands of a compute node whose parameters are its own arguments or a spec.
// `seen`: tensors with an encodings file's spec, which is one for the producer and all readers; empty: not of interest.
void AddOperands(const CheckContext& context, const ResolvedOp& op, PlainSpecs& plain, std::vector<bool>& seen,
                 std::vector<Described>& found) {
  const Binding* binding = context.graph().binding(op.node);
  const bool integer = binding != nullptr && binding->integer_operator;
  const auto add = [&](const Operand& operand, bool output) {
    if (operand.qparams < 0 || plain.Contain(operand)) return;
    if (!operand.present || operand.quantizer >= 0 || (!integer && operand.spec < 0)) return;
    if (!seen.empty() && operand.spec >= 0 && operand.edge_value >= 0) {
      if (seen[operand.edge_value]) return;
      seen[operand.edge_value] = true;
    }
    Described entry;
    entry.place.node = op.node;
    (output ? entry.place.output : entry.place.input) = operand.argument;
    entry.place.value = operand.value;
    entry.operand = &operand;
    entry.params = context.resolved().qparams(operand);
    entry.tensor = operand.edge_value;
    entry.integer_operator = integer;
    found.push_back(entry);
  };
  for (const Operand& operand : context.resolved().inputs(op)) add(operand, false);
  for (const Operand& operand : context.resolved().outputs(op)) add(operand, true);
}

}  // namespace

std::vector<Described> DescribedTensors(const CheckContext& context) {
  std::vector<Described> found;
  PlainSpecs plain(context);
  std::vector<bool> nothing_at(context.resolved().ops().size(), false);  // by ResolvedOp::like
  const Graph& graph = context.graph();
  std::vector<bool> seen(graph.message().has_encodings_file() ? graph.num_values() : 0, false);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (IsQuantize(graph, node) || IsDequantize(graph, node)) {
      AddQuantizer(context, node, found);
      continue;
    }
    const int32_t op = context.resolved().op_of_node(node);
    if (op < 0) continue;
    // Of operators that are alike all have something to be looked at, or none.
    const int32_t like = context.resolved().ops()[op].like;
    if (like >= 0 && nothing_at[like]) continue;
    const size_t before = found.size();
    AddOperands(context, context.resolved().ops()[op], plain, seen, found);
    if (like >= 0) nothing_at[like] = found.size() == before;
  }
  for (const Operand& operand : context.resolved().idle()) {
    if (operand.qparams < 0 || plain.Contain(operand)) continue;
    Described entry;
    entry.place.value = operand.value;
    entry.operand = &operand;
    entry.params = context.resolved().qparams(operand);
    entry.tensor = operand.value;
    found.push_back(entry);
  }
  return found;
}

}  // namespace quantgate
