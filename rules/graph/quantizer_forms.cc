#include "rules/graph/quantizer_forms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"

namespace quantgate {

namespace {

// PyTorch's operators say in their names whether there is one scale, whatever is known of the tensor that holds it.
bool IsPerTensor(absl::string_view op_type) { return absl::StrContains(op_type, "_per_tensor."); }
bool IsPerChannel(absl::string_view op_type) { return absl::StrContains(op_type, "_per_channel."); }

// What is between a parameter and the constant that it is made of, as exporters write it.
constexpr int kMaxHops = 8;

bool IsOneElement(const v1::Value& value) {
  return value.has_shape() && absl::c_all_of(value.dims(), [](int64_t dim) { return dim == 1; });
}

// A cast to an integer type leaves the number as it is.
bool CastKeeps(const RealView& numbers, v1::DataType type) {
  return numbers.size() == 1 && IsInteger(type) && numbers[0] == std::trunc(numbers[0]) &&
         numbers[0] >= static_cast<double>(MinOf(type)) && numbers[0] <= static_cast<double>(MaxOf(type));
}

}  // namespace

QuantizerForms::QuantizerForms(const Graph& graph, StoredForms& forms, QParamsStore& params)
    : graph_(graph), forms_(forms), params_(params), form_of_(graph.num_nodes(), -1) {}

StoredForm QuantizerForms::Of(int32_t node) {
  if (form_of_[node] < 0) form_of_[node] = forms_.Add(Describe(node));
  return forms_[form_of_[node]];
}

StoredForm QuantizerForms::Describe(int32_t node) {
  const QuantizerInputs inputs = QuantizerInputsOf(graph_, node);
  const bool quantize = graph_.op(node) == OpId::kQuantize;
  const int32_t written = graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1;
  const int32_t tensor = quantize ? written : inputs.data;
  StoredForm form;
  form.quantized = true;
  form.type = tensor >= 0 ? graph_.dtype(tensor) : v1::DATA_TYPE_UNSPECIFIED;
  if (form.type == v1::DATA_TYPE_UNSPECIFIED && inputs.zero_point >= 0) form.type = TypeOf(inputs.zero_point);
  if (form.type == v1::DATA_TYPE_UNSPECIFIED && !quantize && inputs.data >= 0 &&
      IsQuantize(graph_, graph_.producer(inputs.data))) {
    form.type = Of(graph_.producer(inputs.data)).type;
  }
  if (const v1::Attribute* dtype = graph_.attribute(node, "dtype");
      dtype != nullptr && dtype->value_case() == v1::Attribute::kDtype) {
    form.type = dtype->dtype();
  }
  // ONNX: without a zero point the output is uint8.
  if (form.type == v1::DATA_TYPE_UNSPECIFIED && quantize && graph_.origin() == v1::Graph::ONNX) {
    form.type = v1::DATA_TYPE_UINT8;
  }
  form.quant_min = graph_.int_attribute(node, "quant_min", MinOf(form.type));
  form.quant_max = graph_.int_attribute(node, "quant_max", MaxOf(form.type));
  form.is_dynamic = IsDynamic(inputs.scale) ? Tri::kYes : Tri::kNo;
  form.qparams = MakeParams(node, inputs);
  return form;
}

v1::DataType QuantizerForms::TypeOf(int32_t value) const {
  const v1::DataType declared = graph_.dtype(value);
  const int32_t producer = graph_.producer(value);
  if (declared != v1::DATA_TYPE_UNSPECIFIED || producer < 0) return declared;
  const int32_t filled = FilledWith(producer);
  return filled >= 0 ? graph_.dtype(filled) : declared;
}

int32_t QuantizerForms::FilledWith(int32_t node) const {
  const v1::Attribute* filled = graph_.op(node) == OpId::kFill ? graph_.attribute(node, "value") : nullptr;
  const bool tensor = filled != nullptr && filled->value_case() == v1::Attribute::kTensor && filled->tensor() >= 1 &&
                      filled->tensor() <= graph_.num_values();
  return tensor ? static_cast<int32_t>(filled->tensor() - 1) : -1;
}

bool QuantizerForms::IsDynamic(int32_t scale) const {
  if (scale < 0) return false;
  int32_t producer = graph_.producer(scale);
  // torch.fx takes scale and zero point out of one tuple.
  if (producer >= 0 && graph_.op(producer) == OpId::kGetItem && graph_.num_inputs(producer) > 0 &&
      graph_.input(producer, 0) >= 0) {
    producer = graph_.producer(graph_.input(producer, 0));
  }
  if (producer < 0) return false;
  return graph_.op(producer) == OpId::kDynamicQuantize || graph_.op(producer) == OpId::kChooseQParams;
}

// torchao's affine functions, which have no schema, take a block size for each dimension as the second argument. Also
// where each channel is one block, as in a spec: what reads such weights (ExecuTorch's builders) goes by the function.
// Empty: of what is computed a block is a row (per token) or all of it; or the sizes are none.
std::vector<int64_t> QuantizerForms::AffineBlocks(int32_t node, int32_t data) const {
  if (data < 0 || !graph_.is_constant(data) || !absl::StartsWith(graph_.op_type(node), "torchao.")) return {};
  const v1::Attribute* stated = graph_.attribute(node, "block_size");
  if (stated == nullptr) stated = graph_.attribute(node, "arg1");
  if (stated == nullptr || !stated->has_ints()) return {};
  const auto& sizes = stated->ints().values();
  const v1::Value& value = graph_.value(data);
  if (!value.has_shape() || sizes.size() != value.dims_size()) return {};
  bool whole = true;
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1) return {};
    whole = whole && sizes[i] == value.dims(i);
  }
  return whole ? std::vector<int64_t>() : std::vector<int64_t>(sizes.begin(), sizes.end());
}

int32_t QuantizerForms::MakeParams(int32_t node, const QuantizerInputs& inputs) {
  QuantParams params;
  params.scales = NumbersOf(inputs.scale);
  params.zero_points = NumbersOf(inputs.zero_point);
  if (inputs.scale < 0) {
    // Scalars as parameters (torch.ops.quantized_decomposed.*_per_tensor).
    if (graph_.attribute(node, "scale") != nullptr) {
      params.scales = params_.Keep(std::vector<double>{graph_.float_attribute(node, "scale", 0)});
      params.zero_points = params_.Keep(std::vector<double>{graph_.float_attribute(node, "zero_point", 0)});
    }
    return params_.Add(params);
  }
  const v1::Value& scale = graph_.value(inputs.scale);
  const bool one_scale =
      IsPerTensor(graph_.op_type(node)) || (!IsPerChannel(graph_.op_type(node)) &&
                                            (params.scales.empty() ? IsOneElement(scale) : params.scales.size() == 1));
  int64_t rank = inputs.data >= 0 && graph_.value(inputs.data).has_shape() ? graph_.value(inputs.data).dims_size() : -1;
  const int64_t block_size = graph_.int_attribute(node, "block_size", 0);
  // Scales of blocks have the rank of what they are of. More dimensions than any format allows: damaged, and found by a
  // rule.
  if (block_size > 0 && rank < 0) rank = scale.has_shape() ? scale.dims_size() : 0;
  if (block_size > 0) rank = std::min<int64_t>(rank, 64);
  int64_t axis = graph_.int_attribute(node, "axis", graph_.origin() == v1::Graph::ONNX ? 1 : 0);
  if (axis < 0 && axis >= -rank) axis += rank;  // one that is out of range is left for a rule to show
  if (std::vector<int64_t> blocks = AffineBlocks(node, inputs.data); !blocks.empty()) {
    std::vector<int32_t> axes(blocks.size());
    std::iota(axes.begin(), axes.end(), 0);
    params.axes = params_.Keep(std::move(axes));
    params.block_sizes = params_.Keep(std::move(blocks));
  } else if (block_size > 0) {
    std::vector<int32_t> axes;
    std::vector<int64_t> blocks;
    for (int64_t i = 0; i < rank; ++i) {
      axes.push_back(static_cast<int32_t>(i));
      blocks.push_back(i == axis ? block_size : 1);
    }
    params.axes = params_.Keep(std::move(axes));
    params.block_sizes = params_.Keep(std::move(blocks));
  } else if (!one_scale) {
    params.axes = params_.Keep(std::vector<int32_t>{static_cast<int32_t>(std::clamp<int64_t>(axis, -1000, 1000))});
  }
  return params_.Add(params);
}

RealView QuantizerForms::NumbersOf(int32_t value) const { return NumbersOf(value, kMaxHops); }

RealView QuantizerForms::NumbersOf(int32_t value, int hops) const {
  if (value < 0) return RealView();
  if (graph_.is_constant(value)) return quantgate::NumbersOf(graph_.value(value));
  const int32_t producer = graph_.producer(value);
  if (hops == 0 || producer < 0) return RealView();
  const int32_t input = graph_.num_inputs(producer) > 0 ? graph_.input(producer, 0) : -1;
  switch (graph_.op(producer)) {
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kFlatten:
    case OpId::kSqueeze:
    case OpId::kUnsqueeze:
      return NumbersOf(input, hops - 1);
    case OpId::kCast: {
      const RealView numbers = NumbersOf(input, hops - 1);
      return CastKeeps(numbers, graph_.dtype(value)) ? numbers : RealView();
    }
    case OpId::kFill: {
      const int32_t filled = FilledWith(producer);
      return filled >= 0 && IsOneElement(graph_.value(value)) ? quantgate::NumbersOf(graph_.value(filled)) : RealView();
    }
    default:
      return RealView();
  }
}

}  // namespace quantgate
