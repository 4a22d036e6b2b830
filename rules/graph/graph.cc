#include "rules/graph/graph.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/alike.h"
#include "rules/graph/attributes.h"
#include "rules/graph/fetch_ahead.h"
#include "rules/graph/names.h"

namespace quantgate {
namespace {

absl::Status BadId(absl::string_view field, int64_t index, absl::string_view member, int64_t id, int64_t pool_size,
                   absl::string_view pool) {
  const std::string ids = pool_size == 0 ? ", which is empty" : absl::StrCat(" (1 to ", pool_size, ", 0 for none)");
  return absl::InvalidArgumentError(
      absl::StrCat("graph.", field, "[", index, "].", member, ": id ", id, " is outside of graph.", pool, ids));
}

// A number that no version of the contract gives a meaning to, or a newer client's: a guess would be worse than a no.
absl::Status BadEnum(absl::string_view field, int64_t index, absl::string_view member, int number) {
  const std::string place = index < 0 ? "" : absl::StrCat(field, "[", index, "].");
  return absl::InvalidArgumentError(absl::StrCat("graph.", place, member, ": ", number, " is not known"));
}

// From here on the sender numbers types that v1::DataType does not have (see Spec.dtype).
constexpr int kFirstUnlistedType = 1024;

// A bias is derived from two. Every place that has the spec reads the list, so a long one costs more than it weighs.
constexpr int kMaxDerivedFrom = 1024;

// Rules read the name at each place that has the spec.
constexpr size_t kMaxObserverName = 4096;

// Negative ids are larger than any pool.
bool IdOk(int64_t id, int64_t pool_size) { return static_cast<uint64_t>(id) <= static_cast<uint64_t>(pool_size); }

absl::Status CheckQParams(const v1::QParams& qparams, int64_t spec) {
  if (!qparams.block_sizes().empty() && qparams.block_sizes_size() != qparams.axes_size()) {
    return absl::InvalidArgumentError(absl::StrCat("graph.specs[", spec,
                                                   "].qparams: block_sizes must have one entry per axis; got ",
                                                   qparams.block_sizes_size(), " for ", qparams.axes_size(), " axes"));
  }
  for (int64_t size : qparams.block_sizes()) {
    if (size < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("graph.specs[", spec, "].qparams.block_sizes: ", size, " is not positive"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSpec(const v1::Graph& message, int64_t i) {
  const int64_t values = message.values_size();
  const int64_t nodes = message.nodes_size();
  const v1::Spec& spec = message.specs(i);
  if (!v1::Spec::Kind_IsValid(spec.kind())) return BadEnum("specs", i, "kind", spec.kind());
  if (!v1::DataType_IsValid(spec.dtype()) && spec.dtype() < kFirstUnlistedType) {
    return BadEnum("specs", i, "dtype", spec.dtype());
  }
  if (!v1::Spec::QScheme_IsValid(spec.qscheme())) return BadEnum("specs", i, "qscheme", spec.qscheme());
  if (!v1::DataType_IsValid(spec.qparams().scale_type())) {
    return BadEnum("specs", i, "qparams.scale_type", spec.qparams().scale_type());
  }
  if (absl::Status status = CheckQParams(spec.qparams(), i); !status.ok()) return status;
  if (!IdOk(spec.observer(), message.symbols_size())) {
    return BadId("specs", i, "observer", spec.observer(), message.symbols_size(), "symbols");
  }
  if (spec.observer() > 0 && message.symbols(spec.observer() - 1).size() > kMaxObserverName) {
    return absl::InvalidArgumentError(absl::StrCat("graph.specs[", i, "].observer: a name of ",
                                                   message.symbols(spec.observer() - 1).size(), " bytes; at most ",
                                                   kMaxObserverName));
  }
  if (spec.has_shared_with()) {
    if (!IdOk(spec.shared_with().value(), values)) {
      return BadId("specs", i, "shared_with.value", spec.shared_with().value(), values, "values");
    }
    if (!IdOk(spec.shared_with().consumer(), nodes)) {
      return BadId("specs", i, "shared_with.consumer", spec.shared_with().consumer(), nodes, "nodes");
    }
  }
  if (spec.derived_from_size() > kMaxDerivedFrom) {
    return absl::InvalidArgumentError(absl::StrCat("graph.specs[", i, "].derived_from: ", spec.derived_from_size(),
                                                   " edges; at most ", kMaxDerivedFrom));
  }
  for (const v1::EdgeRef& edge : spec.derived_from()) {
    if (!IdOk(edge.value(), values)) {
      return BadId("specs", i, "derived_from.value", edge.value(), values, "values");
    }
    if (!IdOk(edge.consumer(), nodes)) {
      return BadId("specs", i, "derived_from.consumer", edge.consumer(), nodes, "nodes");
    }
  }
  return absl::OkStatus();
}

// Statistics that contradict themselves would let a rule say something of elements that cannot exist.
absl::Status CheckStatistics(const v1::Statistics& statistics, int64_t value) {
  const char* wrong = nullptr;
  if (statistics.count() < 0 || statistics.nan_count() < 0 || statistics.inf_count() < 0 ||
      statistics.zero_count() < 0) {
    wrong = "a negative count";
  } else if (statistics.nan_count() > statistics.count() || statistics.inf_count() > statistics.count() ||
             statistics.zero_count() > statistics.count()) {
    wrong = "more elements of one kind than elements";
  } else if (statistics.min() > statistics.max()) {
    wrong = "min is greater than max";
  } else if (statistics.axis_min_size() != statistics.axis_max_size()) {
    wrong = "axis_min and axis_max differ in length";
  } else {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("graph.values[", value, "].constant.statistics: ", wrong));
}

absl::Status CheckValue(const v1::Graph& message, int64_t i) {
  const int64_t symbols = message.symbols_size();
  const v1::Value& value = message.values(i);
  if (!v1::DataType_IsValid(value.dtype())) return BadEnum("values", i, "dtype", value.dtype());
  if (!IdOk(value.spec(), message.specs_size())) {
    return BadId("values", i, "spec", value.spec(), message.specs_size(), "specs");
  }
  if (!value.dim_symbols().empty()) {
    if (value.dim_symbols_size() != value.dims_size()) {
      return absl::InvalidArgumentError(absl::StrCat("graph.values[", i, "].dim_symbols: ", value.dim_symbols_size(),
                                                     " entries for ", value.dims_size(), " dims"));
    }
    for (int32_t symbol : value.dim_symbols()) {
      if (!IdOk(symbol, symbols)) return BadId("values", i, "dim_symbols", symbol, symbols, "symbols");
    }
  }
  if (!value.has_shape() && !value.dims().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("graph.values[", i, "].dims: given although has_shape is false"));
  }
  for (int32_t user : value.users()) {
    if (user < 1 || user > message.nodes_size()) {
      return BadId("values", i, "users", user, message.nodes_size(), "nodes");
    }
  }
  if (value.has_constant() && value.constant().has_statistics()) {
    if (absl::Status status = CheckStatistics(value.constant().statistics(), i); !status.ok()) return status;
  }
  if (value.captured() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("graph.values[", i, "].captured: negative id"));
  }
  return absl::OkStatus();
}

absl::Status CheckEncoding(const v1::Graph& message, int64_t i) {
  const v1::Encoding& encoding = message.encodings_file().encodings(static_cast<int>(i));
  if (!IdOk(encoding.value(), message.values_size())) {
    return BadId("encodings_file.encodings", i, "value", encoding.value(), message.values_size(), "values");
  }
  if (!IdOk(encoding.spec(), message.specs_size())) {
    return BadId("encodings_file.encodings", i, "spec", encoding.spec(), message.specs_size(), "specs");
  }
  return absl::OkStatus();
}

absl::Status CheckNode(const v1::Graph& message, int64_t i) {
  const v1::Node& node = message.nodes(i);
  const int64_t symbols = message.symbols_size();
  const int64_t values = message.values_size();
  if (!IdOk(node.op(), symbols)) return BadId("nodes", i, "op", node.op(), symbols, "symbols");
  if (!IdOk(node.source_fn(), symbols)) return BadId("nodes", i, "source_fn", node.source_fn(), symbols, "symbols");
  for (int32_t id : node.inputs()) {
    if (!IdOk(id, values)) return BadId("nodes", i, "inputs", id, values, "values");
  }
  for (int32_t id : node.outputs()) {
    if (!IdOk(id, values)) return BadId("nodes", i, "outputs", id, values, "values");
  }
  if (node.input_specs_size() > node.inputs_size()) {
    return absl::InvalidArgumentError(absl::StrCat("graph.nodes[", i, "].input_specs: ", node.input_specs_size(),
                                                   " entries for ", node.inputs_size(), " inputs"));
  }
  for (int32_t id : node.input_specs()) {
    if (!IdOk(id, message.specs_size())) return BadId("nodes", i, "input_specs", id, message.specs_size(), "specs");
  }
  for (const v1::InputSpec& entry : node.input_spec_map()) {
    if (entry.value() < 1 || entry.value() > values) {
      return BadId("nodes", i, "input_spec_map.value", entry.value(), values, "values");
    }
    if (entry.spec() < 1 || entry.spec() > message.specs_size()) {
      return BadId("nodes", i, "input_spec_map.spec", entry.spec(), message.specs_size(), "specs");
    }
  }
  if (!node.input_args().empty() && node.input_args_size() != node.inputs_size()) {
    return absl::InvalidArgumentError(absl::StrCat("graph.nodes[", i, "].input_args: ", node.input_args_size(),
                                                   " entries for ", node.inputs_size(), " inputs"));
  }
  for (int32_t argument : node.input_args()) {
    if (argument < 0 || argument > 10'000) {
      return absl::InvalidArgumentError(
          absl::StrCat("graph.nodes[", i, "].input_args: ", argument, " is no argument position (0 to 10000)"));
    }
  }
  for (const v1::Attribute& attribute : node.attributes()) {
    if (!IdOk(attribute.name(), symbols)) {
      return BadId("nodes", i, "attributes.name", attribute.name(), symbols, "symbols");
    }
    if (attribute.value_case() == v1::Attribute::kGraph &&
        (attribute.graph() < 1 || attribute.graph() > message.subgraphs_size())) {
      return BadId("nodes", i, "attributes.graph", attribute.graph(), message.subgraphs_size(), "subgraphs");
    }
    if (attribute.value_case() == v1::Attribute::kTensor && !IdOk(attribute.tensor(), values)) {
      return BadId("nodes", i, "attributes.tensor", attribute.tensor(), values, "values");
    }
  }
  if (node.has_source_line()) {
    if (!IdOk(node.source_line().file(), symbols)) {
      return BadId("nodes", i, "source_line.file", node.source_line().file(), symbols, "symbols");
    }
    if (!IdOk(node.source_line().scope(), symbols)) {
      return BadId("nodes", i, "source_line.scope", node.source_line().scope(), symbols, "symbols");
    }
  }
  return absl::OkStatus();
}

SpecPlace PlaceOf(const v1::EdgeRef& reference) { return {reference.value() - 1, reference.consumer() - 1}; }

absl::Status CheckSignature(const v1::Graph& message) {
  const int64_t values = message.values_size();
  for (int64_t i = 0; i < message.inputs_size(); ++i) {
    if (message.inputs(i) < 1 || message.inputs(i) > values) {
      return BadId("inputs", i, "value", message.inputs(i), values, "values");
    }
  }
  for (int64_t i = 0; i < message.outputs_size(); ++i) {
    if (message.outputs(i) < 1 || message.outputs(i) > values) {
      return BadId("outputs", i, "value", message.outputs(i), values, "values");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Graph> Graph::Build(const v1::Graph& message) {
  if (!v1::Graph::Origin_IsValid(message.origin())) return BadEnum("", -1, "origin", message.origin());
  if (!v1::Stage_IsValid(message.stage())) return BadEnum("", -1, "stage", message.stage());
  Graph graph;
  graph.message_ = &message;
  if (absl::Status status = graph.ReadSpecs(); !status.ok()) return status;
  if (absl::Status status = graph.ReadValues(); !status.ok()) return status;
  if (absl::Status status = CheckSignature(message); !status.ok()) return status;
  if (absl::Status status = graph.ReadNodes(); !status.ok()) return status;
  for (int64_t i = 0; i < message.encodings_file().encodings_size(); ++i) {
    if (absl::Status status = CheckEncoding(message, i); !status.ok()) return status;
  }
  for (int32_t id : message.inputs()) graph.values_[id - 1].is_input = true;
  for (int32_t id : message.outputs()) graph.values_[id - 1].is_output = true;
  graph.LinkValues();
  graph.Order();
  graph.FindStatic();
  return graph;
}

absl::Status Graph::ReadSpecs() {
  LikeSpecs like(SpecKinds{message_});
  specs_.resize(static_cast<size_t>(message_->specs_size()) + 1);
  for (int32_t i = 0; i < message_->specs_size(); ++i) {
    if (absl::Status status = CheckSpec(*message_, i); !status.ok()) return status;
    const v1::Spec& spec = message_->specs(i);
    specs_[i].like = like(i);
    if (specs_[i].like == i) unlike_specs_.push_back(i);
    specs_[i].kind = static_cast<uint8_t>(spec.kind());
    if (spec.kind() == v1::Spec::SHARED) references_.push_back(PlaceOf(spec.shared_with()));
    if (spec.kind() == v1::Spec::DERIVED) {
      for (const v1::EdgeRef& source : spec.derived_from()) references_.push_back(PlaceOf(source));
    }
    specs_[i + 1].first_reference = static_cast<int32_t>(references_.size());
  }
  return absl::OkStatus();
}

bool Graph::Refers(int32_t spec) const {
  return spec >= 0 && (specs_[spec].kind == v1::Spec::SHARED || specs_[spec].kind == v1::Spec::DERIVED);
}

absl::Status Graph::ReadValues() {
  values_.resize(message_->values_size());
  LikeValues like(ValueKinds{message_});
  NameCheck names(message_->values_size());
  for (int32_t i = 0; i < num_values(); ++i) {
    FetchAhead<8>(message_->values(), i);
    FetchNameAhead(message_->values(), i);
    if (absl::Status status = CheckValue(*message_, i); !status.ok()) return status;
    const v1::Value& value = message_->values(i);
    ValueRecord& record = values_[i];
    record.spec = value.spec() - 1;
    if (Refers(record.spec)) referring_values_.push_back(i);
    record.dtype = static_cast<uint8_t>(value.dtype());
    record.like = like(i);
    if (record.like == i) unlike_values_.push_back(i);
    record.is_elsewhere = value.captured() > 0 || value.foreign();
    record.is_no_tensor = value.no_tensor();
    max_captured_ = std::max(max_captured_, value.captured());
    has_user_orders_ |= !value.users().empty();
    record.has_known_shape = value.has_shape();
    if (value.has_shape()) record.rank = static_cast<int16_t>(std::min(value.dims_size(), INT16_MAX));
    for (int64_t size : value.dims()) {
      if (size < 0) record.has_known_shape = false;
    }
    if (!value.foreign()) names.Add(value.name());
    if (!value.has_constant()) continue;
    record.is_constant = true;
    const v1::Constant& constant = value.constant();
    const bool is_finite = constant.has_statistics() && constant.statistics().inf_count() == 0;
    const bool has_nan = constant.has_statistics() && constant.statistics().nan_count() != 0;
    constants_.push_back({i, constant.has_external(), is_finite, has_nan, constant.stored_bytes()});
  }
  distinct_value_names_ = names.Distinct();
  MarkReadInBodies();
  return absl::OkStatus();
}

void Graph::MarkReadInBodies() {
  for (const v1::Graph& body : message_->subgraphs()) {
    for (const v1::Value& value : body.values()) {
      const int32_t outer = value.captured();
      if (outer > 0 && outer <= num_values()) values_[outer - 1].is_read_in_body = true;
    }
  }
}

absl::Status Graph::ReadNodes() {
  // Operators repeat: one lookup per distinct name.
  std::vector<const Binding*> bindings(message_->symbols_size() + 1, nullptr);
  std::vector<bool> looked_up(message_->symbols_size() + 1, false);
  LikeNodes like(NodeKinds{message_});
  NameCheck names(message_->nodes_size());
  nodes_.resize(static_cast<size_t>(message_->nodes_size()) + 1);
  inputs_.reserve(static_cast<size_t>(message_->nodes_size()) * 3);
  outputs_.reserve(message_->nodes_size());
  node_names_.reserve(message_->nodes_size());
  for (int32_t i = 0; i < num_nodes(); ++i) {
    FetchAhead<12>(message_->nodes(), i);
    FetchNameAhead(message_->nodes(), i);
    if (absl::Status status = CheckNode(*message_, i); !status.ok()) return status;
    const v1::Node& node = message_->nodes(i);
    const int32_t op = node.op();
    if (!looked_up[op]) {
      looked_up[op] = true;
      bindings[op] = FindBinding(origin(), symbol(op));
    }
    NodeRecord& record = nodes_[i];
    record.binding = bindings[op];
    record.op = op;
    record.has_spec_map = !node.input_spec_map().empty();
    has_spec_maps_ |= record.has_spec_map;
    record.no_implicit_sharing = node.no_implicit_sharing();
    record.has_attributes = !node.attributes().empty();
    record.has_annotated_keywords = node.annotated_keywords();
    record.like = like(i);
    if (record.like == i) unlike_nodes_.push_back(i);
    for (int k = 0; k < node.inputs_size(); ++k) {
      const int32_t spec = k < node.input_specs_size() ? node.input_specs(k) - 1 : -1;
      inputs_.push_back({node.inputs(k) - 1, spec, k < node.input_args_size() ? node.input_args(k) : k});
      if (Refers(spec) && node.inputs(k) > 0) referring_edges_.push_back({i, k});
    }
    for (int32_t id : node.outputs()) outputs_.push_back(id - 1);
    nodes_[i + 1].first_input = static_cast<int32_t>(inputs_.size());
    nodes_[i + 1].first_output = static_cast<int32_t>(outputs_.size());
    names.Add(node.name());
    node_names_.push_back(&node.name());
    if (record.binding == nullptr) {
      unknown_nodes_.push_back(i);
    } else if (record.binding->op->id == OpId::kQuantize || record.binding->op->id == OpId::kDequantize) {
      quantizers_.push_back(i);
    }
    if (record.binding != nullptr && record.binding->integer_operator) integer_nodes_.push_back(i);
  }
  distinct_node_names_ = names.Distinct();
  return absl::OkStatus();
}

void Graph::LinkValues() {
  for (int32_t n = 0; n < num_nodes(); ++n) {
    for (int i = 0; i < num_outputs(n); ++i) {
      const int32_t value = output(n, i);
      if (value < 0) continue;
      if (values_[value].producer >= 0 || values_[value].is_input || values_[value].is_constant) {
        all_written_once_ = false;
      }
      if (values_[value].producer >= 0) continue;
      values_[value].producer = n;
      values_[value].output_index = i;
    }
  }
  for (const Input& input : inputs_) {
    if (input.value >= 0) ++values_[input.value].use_count;
  }
  int32_t total = 0;
  for (ValueRecord& value : values_) {
    value.first_use = total;
    total += value.use_count;
    const bool given = value.producer >= 0 || value.is_constant || value.is_input || value.is_elsewhere;
    all_read_are_given_ &= given || value.use_count == 0;
    value.use_count = 0;
  }
  uses_.resize(total);
  for (int32_t n = 0; n < num_nodes(); ++n) {
    for (int i = 0; i < num_inputs(n); ++i) {
      if (input(n, i) < 0) continue;
      ValueRecord& value = values_[input(n, i)];
      uses_[value.first_use + value.use_count++] = {n, i};
    }
  }
}

// Files are nearly always in topological order already; only the others pay for a sort.
void Graph::Order() {
  order_.reserve(num_nodes());
  bool sorted = true;
  for (int32_t n = 0; n < num_nodes(); ++n) {
    order_.push_back(n);
    for (int i = 0; sorted && i < num_inputs(n); ++i) {
      const int32_t value = input(n, i);
      if (value >= 0 && values_[value].producer >= n) sorted = false;
    }
  }
  if (sorted) return;

  std::vector<int32_t> waiting(num_nodes(), 0);
  for (int32_t n = 0; n < num_nodes(); ++n) {
    for (int i = 0; i < num_inputs(n); ++i) {
      const int32_t value = input(n, i);
      if (value >= 0 && values_[value].producer >= 0) ++waiting[n];
    }
  }
  order_.clear();
  for (int32_t n = 0; n < num_nodes(); ++n) {
    if (waiting[n] == 0) order_.push_back(n);
  }
  for (size_t next = 0; next < order_.size(); ++next) {
    const int32_t n = order_[next];
    for (int i = 0; i < num_outputs(n); ++i) {
      const int32_t value = output(n, i);
      if (value < 0 || values_[value].producer != n || values_[value].output_index != i) continue;
      for (const Use& use : uses(value)) {
        if (--waiting[use.node] == 0) order_.push_back(use.node);
      }
    }
  }
  num_cyclic_ = num_nodes() - static_cast<int>(order_.size());
  for (int32_t n = 0; num_cyclic_ > 0 && n < num_nodes(); ++n) {
    if (waiting[n] > 0) order_.push_back(n);
  }
}

void Graph::FindStatic() {
  for (ValueRecord& value : values_) value.is_static = value.is_constant && !value.is_input;
  const int ordered = num_nodes() - num_cyclic_;
  for (int k = 0; k < ordered; ++k) {
    const int32_t n = order_[k];
    // Without inputs a node is a generator: a fill or a range is as good as a constant, random numbers are not.
    bool all_static = num_inputs(n) > 0 || IsFixedGenerator(op(n));
    for (int i = 0; all_static && i < num_inputs(n); ++i) {
      const int32_t value = input(n, i);
      all_static = value < 0 || values_[value].is_static;
    }
    if (!all_static) continue;
    static_nodes_.push_back(n);
    for (int i = 0; i < num_outputs(n); ++i) {
      if (output(n, i) >= 0) values_[output(n, i)].is_static = true;
    }
  }
}

absl::string_view Graph::symbol(int32_t id) const {
  if (id < 1 || id > message_->symbols_size()) return "";
  return message_->symbols(id - 1);
}

const v1::Attribute* Graph::attribute(int32_t node, absl::string_view name) const {
  if (!nodes_[node].has_attributes) return nullptr;  // without a look at the message
  for (const v1::Attribute& attribute : message_->nodes(node).attributes()) {
    if (symbol(attribute.name()) == name) return &attribute;
  }
  return nullptr;
}

int64_t Graph::int_attribute(int32_t node, absl::string_view name, int64_t fallback) const {
  return IntegerOf(attribute(node, name)).value_or(fallback);
}

double Graph::float_attribute(int32_t node, absl::string_view name, double fallback) const {
  return RealOf(attribute(node, name)).value_or(fallback);
}

}  // namespace quantgate
