#include "rules/corrections/stored_specs.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "rules/corrections/numbers.h"
#include "rules/corrections/spec_editor.h"
#include "rules/corrections/spec_form.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"

namespace quantgate::corrections {
namespace {

// Positions of the arguments of QuantizeLinear and DequantizeLinear.
constexpr int kScale = 1;
constexpr int kZeroPoint = 2;

bool AllAlike(const RealView& numbers) {
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] != numbers[0]) return false;
  }
  return true;
}

v1::Spec SpecOf(const Operand& operand, const QuantParams& params) {
  v1::Spec spec;
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(operand.type);
  const int64_t half = MaxOf(operand.type) / 2 + 1;  // 128 of uint8
  const double middle = IsSigned(operand.type) ? 0.0 : static_cast<double>(half);
  const RealView& stated = params.zero_points;
  // As many as there are scales; else all are the same.
  const auto zero_point = [&](size_t i) { return stated.empty() ? 0.0 : stated[i < stated.size() ? i : 0]; };
  bool symmetric = true;
  for (size_t i = 0; i < params.scales.size(); ++i) symmetric &= zero_point(i) == middle;
  if (params.blocked()) {
    spec.set_qscheme(symmetric ? v1::Spec::PER_BLOCK_SYMMETRIC : v1::Spec::PER_BLOCK_AFFINE);
  } else if (!params.per_tensor()) {
    spec.set_qscheme(symmetric ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_CHANNEL_AFFINE);
    if (params.axes.size() == 1) spec.set_axis(params.axes[0]);
  } else {
    spec.set_qscheme(symmetric ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE);
  }
  v1::QParams& numbers = *spec.mutable_qparams();
  numbers.mutable_scales()->Add(params.scales.begin(), params.scales.end());
  // Of a wrong number of them as many as the file has: one for each scale is a change.
  const size_t count = stated.size() > 1 ? stated.size() : params.scales.size();
  for (size_t i = 0; i < count; ++i) numbers.add_zero_points(zero_point(i));
  numbers.mutable_axes()->Add(params.axes.begin(), params.axes.end());
  numbers.mutable_block_sizes()->Add(params.block_sizes.begin(), params.block_sizes.end());
  return spec;
}

// The integer that stands under `after` for what `stored` stands for under `before`.
double Restored(double stored, int channel, const v1::Spec& before, const v1::Spec& after) {
  const auto at = [&](const v1::QParams& qparams) { return qparams.scales_size() == 1 ? 0 : channel; };
  const int b = at(before.qparams());
  const int a = at(after.qparams());
  const double real = before.qparams().scales(b) * (stored - ZeroPoint(before.qparams(), b));
  return std::clamp(std::round(real / after.qparams().scales(a) + ZeroPoint(after.qparams(), a)),
                    static_cast<double>(MinOf(after.dtype())), static_cast<double>(MaxOf(after.dtype())));
}

// What is known of the stored integers, under the new parameters.
void RestoreConstant(const v1::Value& value, const v1::Spec& before, const v1::Spec& after, v1::Constant& constant) {
  const int before_scales = before.qparams().scales_size();
  const int after_scales = after.qparams().scales_size();
  const int channels = std::max(before_scales, after_scales);
  if (before_scales != after_scales && before_scales != 1 && after_scales != 1) {
    constant.clear_ints();
    constant.clear_statistics();
    return;
  }
  const bool by_element = channels == 1 || (value.dims_size() == 1 && channels == constant.ints_size());
  constant.clear_data();
  if (!constant.ints().empty() && by_element) {
    for (int i = 0; i < constant.ints_size(); ++i) {
      constant.set_ints(i, static_cast<int64_t>(Restored(static_cast<double>(constant.ints(i)), i, before, after)));
    }
  } else {
    constant.clear_ints();
  }
  if (constant.stored_bytes() >= 0) {
    // A size that overflows is said of the graph as it is; its bytes are left alone.
    int64_t bits = BitWidth(after.dtype());
    bool fits = true;
    for (int64_t dim : value.dims()) fits &= dim >= 0 && !__builtin_mul_overflow(bits, dim, &bits);
    if (fits && bits <= INT64_MAX - 7) constant.set_stored_bytes((bits + 7) / 8);
  }
  if (!constant.has_statistics()) return;
  v1::Statistics& statistics = *constant.mutable_statistics();
  if (channels == 1) {
    // A scale that changes its sign turns the order round.
    const auto [min, max] =
        std::minmax({Restored(statistics.min(), 0, before, after), Restored(statistics.max(), 0, before, after)});
    statistics.set_min(min);
    statistics.set_max(max);
  } else if (statistics.axis_min_size() == channels && statistics.axis_max_size() == channels) {
    for (int i = 0; i < channels; ++i) {
      const auto [min, max] = std::minmax(
          {Restored(statistics.axis_min(i), i, before, after), Restored(statistics.axis_max(i), i, before, after)});
      statistics.set_axis_min(i, min);
      statistics.set_axis_max(i, max);
    }
    statistics.set_min(*std::min_element(statistics.axis_min().begin(), statistics.axis_min().end()));
    statistics.set_max(*std::max_element(statistics.axis_max().begin(), statistics.axis_max().end()));
  } else {
    constant.clear_statistics();
  }
}

int SymbolId(const std::string& text, v1::Graph& message) {
  for (int i = 0; i < message.symbols_size(); ++i) {
    if (message.symbols(i) == text) return i + 1;
  }
  message.add_symbols(text);
  return message.symbols_size();
}

// Sets an integer attribute, or removes it.
void SetAttribute(v1::Node& node, const std::string& name, bool present, int64_t number, v1::Graph& message) {
  const int symbol = SymbolId(name, message);
  auto& attributes = *node.mutable_attributes();
  for (int i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name() != symbol) continue;
    if (present) {
      attributes[i].set_i(number);
    } else {
      attributes.DeleteSubrange(i, 1);
    }
    return;
  }
  if (!present) return;
  v1::Attribute& attribute = *attributes.Add();
  attribute.set_name(symbol);
  attribute.set_i(number);
}

// Ids of values, 1-based.
struct Parameters {
  int32_t scale;
  int32_t zero_point;
};

// Constants with the numbers of `spec`, called after `tensor`.
Parameters AddParameters(absl::string_view tensor, v1::DataType scale_type, const v1::Spec& spec, v1::Graph& message) {
  const auto parameter = [&](const char* suffix, v1::DataType type) -> v1::Value& {
    v1::Value& made = *message.add_values();
    made.set_name(absl::StrCat(tensor, suffix));
    made.set_dtype(type);
    made.set_has_shape(true);
    if (!spec.qparams().axes().empty()) made.add_dims(spec.qparams().scales_size());
    made.mutable_constant()->set_stored_bytes(-1);
    return made;
  };
  Parameters parameters;
  *parameter("_scale", scale_type).mutable_constant()->mutable_reals() = spec.qparams().scales();
  parameters.scale = message.values_size();
  v1::Value& zero_point = parameter("_zero_point", spec.dtype());
  for (int i = 0; i < spec.qparams().scales_size(); ++i) {
    zero_point.mutable_constant()->add_ints(static_cast<int64_t>(ZeroPoint(spec.qparams(), i)));
  }
  parameters.zero_point = message.values_size();
  return parameters;
}

// A Quantize or Dequantize node's parameters and axis; rank of what it stores: that of `spec`.
void Restate(const Parameters& parameters, const v1::Spec& spec, v1::Node& node, v1::Graph& message) {
  while (node.inputs_size() <= kZeroPoint) node.add_inputs(0);
  node.set_inputs(kScale, parameters.scale);
  node.set_inputs(kZeroPoint, parameters.zero_point);
  const bool per_channel = !spec.qparams().axes().empty();
  SetAttribute(node, "axis", per_channel, per_channel ? spec.qparams().axes(0) : 0, message);
  SetAttribute(node, "block_size", false, 0, message);
}

// Whether the numbers can be written down here: scales that are known, none of blocks, and zero points that are
// integers.
bool HasNumbers(const v1::Spec& spec) {
  constexpr double kLargest = 1LL << 32;  // of any stored type
  const v1::QParams& params = spec.qparams();
  return !params.scales().empty() && params.block_sizes().empty() &&
         absl::c_all_of(params.zero_points(), [](double zero_point) {
           return std::abs(zero_point) <= kLargest && zero_point == std::trunc(zero_point);
         });
}

}  // namespace

StoredSpecs::StoredSpecs(const Graph& graph, const ResolvedGraph& resolved) : graph_(graph) {
  if (graph.origin() != v1::Graph::ONNX || graph.quantizers().empty()) return;
  stored_of_node_.assign(graph.num_nodes(), -1);
  absl::flat_hash_map<int32_t, size_t> index;
  for (int32_t node : graph.quantizers()) {
    const Operand* operand = resolved.quantizer(node);
    if (operand == nullptr || operand->edge_value < 0 || operand->is_dynamic == Tri::kYes) continue;
    const QuantParams* params = resolved.qparams(*operand);
    if (params == nullptr || params->scales.empty() || graph.num_inputs(node) <= kScale) continue;
    // Damaged: which scale belongs to which zero point cannot be told, unless all are the same.
    if (params->zero_points.size() != params->scales.size() && !AllAlike(params->zero_points)) continue;
    v1::Spec spec = SpecOf(*operand, *params);
    const auto [found, inserted] = index.emplace(operand->edge_value, tensors_.size());
    if (inserted) tensors_.push_back({operand->edge_value, {}, spec, std::nullopt});
    Tensor& tensor = tensors_[found->second];
    tensor.quantizers.push_back(node);
    if (spec.SerializeAsString() != tensor.spec.SerializeAsString()) {
      const bool writes = IsQuantize(graph, node);
      tensor.written = writes ? spec : tensor.spec;
      if (!writes) tensor.spec = std::move(spec);
    }
    stored_of_node_[node] = operand->edge_value;
  }
}

const StoredSpecs::Tensor* StoredSpecs::Find(int32_t stored) const {
  const auto found = absl::c_find_if(tensors_, [&](const Tensor& tensor) { return tensor.value == stored; });
  return found != tensors_.end() ? &*found : nullptr;
}

const StoredSpecs::Tensor* StoredSpecs::Uneven(int32_t stored) const {
  const Tensor* tensor = Find(stored);
  return tensor != nullptr && tensor->written.has_value() ? tensor : nullptr;
}

int32_t StoredSpecs::ReadAs(int32_t value) const {
  const int32_t producer = value < 0 ? -1 : graph_.producer(value);
  return IsDequantize(graph_, producer) ? Of(producer) : -1;
}

const v1::Spec* StoredSpecs::Stated(int32_t stored) const {
  const Tensor* tensor = Find(stored);
  return tensor == nullptr ? nullptr : &tensor->spec;
}

const v1::Spec* StoredSpecs::Written(int32_t stored) const {
  const Tensor* tensor = Uneven(stored);
  return tensor == nullptr ? nullptr : &*tensor->written;
}

const v1::Spec* StoredSpecs::Read(int32_t stored) const {
  const Tensor* tensor = Uneven(stored);
  return tensor == nullptr ? nullptr : &tensor->spec;
}

std::vector<int32_t> StoredSpecs::NodesAt(int32_t stored) const {
  std::vector<int32_t> nodes;
  if (const int32_t quantize = graph_.producer(stored); quantize >= 0) {
    nodes.push_back(quantize);
    const int32_t data = Of(quantize) == stored ? graph_.input(quantize, 0) : -1;
    if (data >= 0 && graph_.producer(data) >= 0) nodes.push_back(graph_.producer(data));
  }
  for (const Use& use : graph_.uses(stored)) {
    nodes.push_back(use.node);
    if (graph_.num_outputs(use.node) == 0 || graph_.output(use.node, 0) < 0) continue;
    for (const Use& reader : graph_.uses(graph_.output(use.node, 0))) nodes.push_back(reader.node);
  }
  return nodes;
}

bool StoredSpecs::ReaderOf(int32_t stored, v1::Location& location) const {
  for (const Use& use : graph_.uses(stored)) {
    if (!IsDequantize(graph_, use.node) || graph_.num_outputs(use.node) == 0) continue;
    const int32_t read = graph_.output(use.node, 0);
    if (read < 0 || graph_.uses(read).empty()) continue;
    const Use& reader = graph_.uses(read)[0];
    location.set_node(NodeName(graph_, reader.node));
    location.set_op(std::string(graph_.op_type(reader.node)));
    location.set_input(reader.input);
    return true;
  }
  return false;
}

v1::Location StoredSpecs::LocationOf(int32_t stored, const v1::Spec* after, v1::Spec& before) const {
  const Tensor* uneven = Uneven(stored);
  const auto becomes = [&](const v1::Spec& stated) {
    return uneven != nullptr && after != nullptr && stated.dtype() == after->dtype() &&
           stated.qparams().SerializeAsString() == after->qparams().SerializeAsString();
  };
  v1::Location location;
  const int32_t quantize = graph_.producer(stored);
  const int32_t data = quantize >= 0 && Of(quantize) == stored ? graph_.input(quantize, 0) : -1;
  location.set_value(graph_.value(data >= 0 ? data : stored).name());
  // What is written stays: the change is what is read.
  if (uneven != nullptr && becomes(*uneven->written) && ReaderOf(stored, location)) return location;
  if (data >= 0 && graph_.producer(data) >= 0 && !IsDequantize(graph_, graph_.producer(data))) {
    if (uneven != nullptr) before = *uneven->written;
    location.set_node(NodeName(graph_, graph_.producer(data)));
    location.set_op(std::string(graph_.op_type(graph_.producer(data))));
    location.set_output(graph_.output_index(data));
    return location;
  }
  ReaderOf(stored, location);
  return location;
}

void StoredSpecs::Lift(v1::Graph& message) const {
  for (const Tensor& tensor : tensors_) {
    v1::Spec& spec = *message.add_specs();
    spec = tensor.spec;
    // Not equal to what anything becomes: that the readers' spec is to be the writer's, too, is a change.
    if (tensor.written.has_value()) spec.set_observer_name("as read");
    message.mutable_values(tensor.value)->set_spec(message.specs_size());
  }
}

int32_t StoredSpecs::NewSpec(size_t tensor, const v1::Graph& lifted) const {
  const int32_t spec = lifted.values(tensors_[tensor].value).spec();
  return spec == graph_.message().specs_size() + static_cast<int32_t>(tensor) + 1 ? 0 : spec;
}

std::vector<TensorChange> StoredSpecs::Changed(const v1::Graph& lifted) const {
  std::vector<TensorChange> changes;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const int32_t spec = NewSpec(i, lifted);
    if (spec == 0) continue;
    const Tensor& tensor = tensors_[i];
    changes.push_back({tensor.value, tensor.quantizers, -1, -1, tensor.spec, lifted.specs(spec - 1)});
  }
  for (const Edge& edge : NewEdges(lifted)) {
    const int32_t stored = ReadAs(edge.place.value);
    changes.push_back({edge.place.value,
                       {graph_.producer(edge.place.value)},
                       edge.place.node,
                       -1,
                       *Stated(stored),
                       lifted.specs(edge.spec - 1)});
  }
  return changes;
}

void StoredSpecs::Lower(v1::Graph& message) const {
  if (tensors_.empty()) return;
  const int before = graph_.message().specs_size();
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const int32_t spec = NewSpec(i, message);
    if (spec != 0) Rewrite(tensors_[i], message.specs(spec - 1), message);
    message.mutable_values(tensors_[i].value)->set_spec(0);
  }
  if (const std::vector<Edge> edges = NewEdges(message); !edges.empty()) InsertRequantize(edges, message);
  message.mutable_specs()->DeleteSubrange(before, message.specs_size() - before);
}

std::vector<StoredSpecs::Edge> StoredSpecs::NewEdges(const v1::Graph& lifted) const {
  std::vector<Edge> edges;
  for (int32_t n = 0; n < graph_.num_nodes(); ++n) {
    const v1::Node& node = lifted.nodes(n);
    for (int i = 0; i < node.inputs_size() && i < node.input_specs_size(); ++i) {
      const SpecPlace place{node.inputs(i) - 1, n};
      const int32_t spec = node.input_specs(i);
      if (spec == 0 || ReadAs(place.value) < 0 || spec == SpecAt(graph_.message(), place)) continue;
      if (!edges.empty() && edges.back().place == place) continue;  // add(x, x)
      edges.push_back({place, spec});
    }
  }
  return edges;
}

void StoredSpecs::InsertRequantize(const std::vector<Edge>& edges, v1::Graph& message) const {
  absl::flat_hash_map<int32_t, std::vector<v1::Node>> before;  // by reader
  for (size_t i = 0; i < edges.size(); ++i) {
    const SpecPlace place = edges[i].place;
    const v1::Spec spec = message.specs(edges[i].spec - 1);
    v1::Node& reader = *message.mutable_nodes(place.node);
    *reader.mutable_input_specs() = graph_.node(place.node).input_specs();
    if (!HasNumbers(spec)) continue;
    const int32_t dequantize = graph_.producer(place.value);
    const std::string name =
        absl::StrCat(graph_.value(place.value).name(), "_requantized", i == 0 ? "" : absl::StrCat("_", i));
    const Parameters parameters = AddParameters(name, graph_.dtype(graph_.input(dequantize, kScale)), spec, message);
    const auto value_like = [&](const std::string& called, v1::DataType type) {
      v1::Value made = graph_.value(place.value);
      made.set_name(called);
      made.set_dtype(type);
      *message.add_values() = std::move(made);
      return message.values_size();
    };
    const int32_t stored = value_like(absl::StrCat(name, "_stored"), spec.dtype());
    const int32_t read = value_like(name, graph_.dtype(place.value));
    v1::Node node = graph_.node(dequantize);
    Restate(parameters, spec, node, message);
    node.set_name(absl::StrCat(name, "_dequantize"));
    node.set_inputs(0, stored);
    node.set_outputs(0, read);
    v1::Node quantize = node;
    for (const char* attribute : {"output_dtype", "saturate"}) SetAttribute(quantize, attribute, false, 0, message);
    quantize.set_name(absl::StrCat(name, "_quantize"));
    quantize.set_op(
        SymbolId(std::string(absl::StrReplaceAll(graph_.op_type(dequantize), {{"Dequantize", "Quantize"}})), message));
    quantize.set_inputs(0, place.value + 1);
    quantize.set_outputs(0, stored);
    before[place.node].push_back(std::move(quantize));
    before[place.node].push_back(std::move(node));
    for (int32_t& input : *reader.mutable_inputs()) {
      if (input == place.value + 1) input = read;
    }
  }
  if (before.empty()) return;
  google::protobuf::RepeatedPtrField<v1::Node> nodes;
  for (int32_t n = 0; n < message.nodes_size(); ++n) {
    if (const auto inserted = before.find(n); inserted != before.end()) {
      for (v1::Node& node : inserted->second) *nodes.Add() = std::move(node);
    }
    v1::Node& node = *message.mutable_nodes(n);
    if (node.name().empty()) node.set_name(NodeName(graph_, n));
    *nodes.Add() = std::move(node);
  }
  *message.mutable_nodes() = std::move(nodes);
}

void StoredSpecs::Rewrite(const Tensor& tensor, const v1::Spec& after, v1::Graph& message) const {
  // A spec without numbers cannot be written down here; the graph then stays as it was, with its fault.
  if (!HasNumbers(after)) return;
  const v1::DataType scale_type = graph_.dtype(graph_.input(tensor.quantizers[0], kScale));
  const Parameters parameters =
      AddParameters(absl::StrCat(graph_.value(tensor.value).name(), "_corrected"), scale_type, after, message);
  for (int32_t quantizer : tensor.quantizers) Restate(parameters, after, *message.mutable_nodes(quantizer), message);
  v1::Value& value = *message.mutable_values(tensor.value);
  ListElements(value);  // the bytes are of the type that it had
  if (value.dtype() != v1::DATA_TYPE_UNSPECIFIED) value.set_dtype(after.dtype());
  if (value.has_constant()) RestoreConstant(value, tensor.spec, after, *value.mutable_constant());
}

}  // namespace quantgate::corrections
