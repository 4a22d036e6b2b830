#include "rules/corrections/candidates.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/corrections/numbers.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/port_role.h"
#include "rules/soundness/derived/fixed_output.h"
#include "rules/values/bounds.h"
#include "rules/values/never_quantized.h"

namespace quantgate::corrections {
namespace {

// Quantizing what was float: eight bits of the 24 that count in a float32 are kept.
constexpr int kFloatBits = 24;
// Beyond these a sharing group is not changed as a whole, and a node (a concatenation of hundreds) not at all.
constexpr size_t kMaxGroup = 256;
constexpr uint32_t kMaxPortsOfNode = 64;

int64_t Key(SpecPlace place) { return (static_cast<int64_t>(place.value) << 32) | static_cast<uint32_t>(place.node); }

bool Less(SpecPlace a, SpecPlace b) { return std::tie(a.value, a.node) < std::tie(b.value, b.node); }

const db::ElementType kFixedPoint[] = {
    {v1::DATA_TYPE_INT8, true},
    {v1::DATA_TYPE_UINT8, true},
    {v1::DATA_TYPE_INT16, true},
    {v1::DATA_TYPE_UINT16, true},
};

// Beside activations of 16 bits in LiteRT.
constexpr db::ElementType kWideBias{v1::DATA_TYPE_INT64, true};

bool Concrete(const v1::Spec& spec) {
  return spec.kind() == v1::Spec::PLAIN || spec.kind() == v1::Spec::FIXED || spec.kind() == v1::Spec::DERIVED;
}

// Kernels whose output counts in the steps of the input.
bool KeepsSteps(const Operator& op) {
  return (op.traits & (kMovesData | kSelects)) != 0 || op.id == OpId::kAveragePool || op.id == OpId::kResizeBilinear;
}

// A derived bias in the granularity that its weight gets, where it had that of the weight, or the weight had none.
std::optional<v1::Spec> DerivedLike(const v1::Spec& bias, const v1::Spec* was, const v1::Spec& is) {
  const auto has_channels = [](const v1::Spec& spec) { return FormOf(spec).granularity == Granularity::kChannel; };
  if (bias.kind() != v1::Spec::DERIVED || !Concrete(is) || has_channels(bias) == has_channels(is)) return std::nullopt;
  if (was != nullptr && Concrete(*was) && has_channels(bias) != has_channels(*was)) return std::nullopt;
  v1::Spec follows = bias;
  follows.clear_axis();
  if (has_channels(is)) follows.set_axis(0);
  follows.set_qscheme(has_channels(is) ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_TENSOR_SYMMETRIC);
  return follows;
}

// Its type is told by TypeOf; tables have types of their own for fewer than eight bits.
bool HasPlainType(const v1::Spec& spec) { return Concrete(spec) && FormOf(spec).bits >= 8; }

}  // namespace

Candidates::Candidates(const CheckContext& context, const v1::Graph& original, const StoredSpecs& stored,
                       AcceptedTypesOf accepted, SpecEditor& editor)
    : context_(context),
      original_(original),
      stored_(stored),
      accepted_(std::move(accepted)),
      editor_(editor),
      native_(context.graph().origin() != v1::Graph::PT2E),
      original_specs_(context.graph().message().specs_size()) {
  const Graph& graph = context.graph();
  if (graph.origin() == v1::Graph::PT2E) groups_ = ComputeSharingGroups(graph);
  const auto refer = [&](int32_t spec, int32_t node) {
    if (spec < 0 || node < 0) return;
    for (SpecPlace place : graph.references(spec)) referring_[Key(place)].push_back(node);
  };
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) refer(graph.edge_spec(node, i), node);
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0) refer(graph.value_spec(graph.output(node, i)), node);
    }
  }
}

const std::vector<Move>& Candidates::At(int32_t node) {
  const auto [found, inserted] = moves_.try_emplace(node);
  if (inserted) found->second = Make(node);
  return found->second;
}

std::vector<int32_t> Candidates::NodesAt(SpecPlace place) const {
  const Graph& graph = context_.graph();
  std::vector<int32_t> nodes;
  if (place.is_edge()) {
    nodes.push_back(place.node);
  } else if (!stored_.empty()) {
    nodes = stored_.NodesAt(place.value);
  } else {
    if (graph.producer(place.value) >= 0) nodes.push_back(graph.producer(place.value));
    for (const Use& use : graph.uses(place.value)) nodes.push_back(use.node);
  }
  if (const auto found = referring_.find(Key(place)); found != referring_.end()) {
    nodes.insert(nodes.end(), found->second.begin(), found->second.end());
  }
  absl::c_sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// Where the references of a shared spec end; itself when it is not shared, or they end nowhere.
SpecPlace Candidates::Root(SpecPlace place) const {
  if (!groups_.has_value()) return place;
  const Annotations& annotations = groups_->annotations;
  const int32_t entry = annotations.Find(place);
  if (entry < 0) return place;
  const SpecResolution resolution = annotations.Resolve(entry);
  return resolution.state == SpecState::kConcrete ? annotations.place(resolution.end) : place;
}

// Where the references of a shared spec end at an explicit None.
bool Candidates::SharesWithNone(SpecPlace place) const {
  if (!groups_.has_value()) return false;
  const int32_t entry = groups_->annotations.Find(place);
  return entry >= 0 && groups_->annotations.is_shared(entry) && groups_->annotations.state(entry) == SpecState::kNone;
}

// Places whose observer is that of `place`, those that only refer to others left out.
std::vector<SpecPlace> Candidates::GroupOf(SpecPlace place) const {
  std::vector<SpecPlace> places = {place};
  if (!groups_.has_value() || groups_->group_of.empty()) return places;
  const Annotations& annotations = groups_->annotations;
  const int32_t entry = annotations.Find(place);
  if (entry < 0) return places;
  const absl::Span<const int32_t> members = groups_->group(groups_->group_of[entry]);
  if (members.size() > kMaxGroup) return places;
  for (int32_t member : members) {
    if (member != entry && Concrete(annotations.spec(member))) places.push_back(annotations.place(member));
  }
  absl::c_sort(places, Less);
  return places;
}

std::optional<SpecPlace> Candidates::PlaceOf(const Operand& operand, int32_t node, bool is_output) const {
  if (!operand.present || operand.edge_value < 0) return std::nullopt;
  if (operand.quantizer >= 0) {
    const int32_t stored = stored_.Of(operand.quantizer);
    return stored < 0 ? std::nullopt : std::make_optional(SpecPlace{stored, -1});
  }
  const SpecPlace edge{operand.edge_value, node};
  switch (context_.graph().origin()) {
    case v1::Graph::ONNX:
      // Floats, or parameters inside of an integer operator, but for what an encodings file says of a tensor. Beside
      // Quantize and Dequantize nodes a place is that of a stored tensor.
      if (!stored_.empty() || !operand.quantized || SpecAt(original_, {operand.edge_value, -1}) == 0) {
        return std::nullopt;
      }
      return SpecPlace{operand.edge_value, -1};
    case v1::Graph::PT2E:
      return is_output ? SpecPlace{operand.edge_value, -1} : edge;
    default:
      // Tensors carry their specs themselves; an edge may say otherwise.
      return !is_output && SpecAt(original_, edge) != 0 ? edge : SpecPlace{operand.edge_value, -1};
  }
}

// Of constants there are as many as there are specs for them.
std::optional<SpecPlace> Candidates::EdgeOf(const Operand& operand, int32_t node) const {
  if (operand.quantizer < 0 || operand.is_static) return std::nullopt;
  const SpecPlace edge{context_.graph().input(node, operand.argument), node};
  return stored_.ReadAs(edge.value) < 0 ? std::nullopt : std::make_optional(edge);
}

int Candidates::ChangesOf(const std::vector<Edit>& edits) const {
  const auto inserts = [&](const Edit& edit) { return edit.place.is_edge() && !stored_.empty(); };
  return static_cast<int>(edits.size() + absl::c_count_if(edits, inserts));
}

const v1::Spec* Candidates::Before(SpecPlace place) const {
  const int32_t spec = SpecAt(original_, place);
  return spec != 0 && Concrete(editor_.spec(spec)) ? &editor_.spec(spec) : nullptr;
}

// Where no table says what is accepted. A bias counts in 32 bits: in fewer its integers are lost. A file says its types
// in many places, and without a target nobody can tell which others a runtime takes: it keeps those that it has.
std::vector<db::ElementType> Candidates::TypesToTry(const Port& port) const {
  if (port.is_bias) return {port.type, {v1::DATA_TYPE_INT32, true}};
  if (accepted_ || !native_) return {std::begin(kFixedPoint), std::end(kFixedPoint)};
  return {port.type};
}

std::vector<Candidates::Port> Candidates::PortsOf(const ResolvedOp& op, const std::vector<AcceptedTypes>& accepted) {
  const Graph& graph = context_.graph();
  std::vector<Port> ports;
  const auto add = [&](const Operand& operand, bool is_output) {
    const std::optional<SpecPlace> own = PlaceOf(operand, op.node, is_output);
    if (!own.has_value()) return;
    Port port;
    port.place = Root(*own);
    if (!(port.place == *own)) port.own = *own;
    port.value = own->value;
    port.alike = GroupOf(port.place);
    port.before = Before(port.place);
    port.is_output = is_output;
    if (!is_output) port.edge = EdgeOf(operand, op.node);
    port.is_static = operand.is_static;
    port.is_bias = !is_output && RoleOf(op, operand) == PortRole::kBias;
    port.argument = operand.argument;
    port.rank = graph.rank(port.value);
    port.type =
        port.before != nullptr ? TypeOf(FormOf(*port.before)) : db::ElementType{operand.type, operand.quantized};
    for (const AcceptedTypes& row : accepted) {
      for (const AcceptedTypes::Port& known : row.ports) {
        if (known.is_output != is_output || known.value != operand.value) continue;
        for (db::ElementType type : known.types) {
          if (!absl::c_linear_search(port.types, type)) port.types.push_back(type);
        }
      }
    }
    if (port.types.empty() && port.before != nullptr) port.types = TypesToTry(port);
    ports.push_back(std::move(port));
  };
  for (const Operand& operand : context_.resolved().inputs(op)) add(operand, false);
  for (const Operand& operand : context_.resolved().outputs(op)) add(operand, true);
  return ports;
}

// In the words of the graph, where it has a spec of that form: its range and observer are the user's habit.
v1::Spec Candidates::Write(const Port& port, const SpecForm& form) {
  static const v1::Spec kNone;
  const v1::Spec& before = port.before != nullptr ? *port.before : kNone;
  const auto same = [&](const v1::Spec& spec) {
    if (spec.kind() != v1::Spec::PLAIN) return false;
    const SpecForm other = FormOf(spec);
    return other.storage == form.storage && other.bits == form.bits && other.is_signed == form.is_signed &&
           other.symmetric == form.symmetric && other.granularity == form.granularity &&
           (form.granularity != Granularity::kBlock || absl::c_equal(spec.block_size(), before.block_size()));
  };
  v1::Spec out = Rewritten(before, form, native_);
  if (FormOf(before).granularity != form.granularity) out.clear_observer();
  for (int i = 0; i < original_specs_; ++i) {
    if (!same(editor_.spec(i + 1))) continue;
    out = editor_.spec(i + 1);
    out.clear_qparams();
    if (form.granularity == Granularity::kChannel && form.axis >= 0) out.set_axis(form.axis);
    break;
  }
  const v1::Value& value = context_.graph().message().values(port.value);
  const int64_t channels = form.axis >= 0 && form.axis < value.dims_size() ? value.dims(form.axis) : 0;
  if (std::max<int64_t>(channels, before.qparams().scales_size()) > numbers_left_) return out;
  if (std::optional<v1::QParams> numbers = Renumbered(before, out, value, port.is_static)) {
    numbers_left_ -= numbers->scales_size() + numbers->zero_points_size();
    *out.mutable_qparams() = *std::move(numbers);
    if (before.kind() == v1::Spec::FIXED) out.set_kind(v1::Spec::FIXED);
  }
  return out;
}

int64_t Candidates::AddDependent(std::vector<Edit>& edits) const {
  const auto spec_at = [&](const Operand& operand, int32_t node, bool now) -> const v1::Spec* {
    const std::optional<SpecPlace> own = PlaceOf(operand, node, /*is_output=*/false);
    if (!own.has_value()) return nullptr;
    const SpecPlace place = Root(*own);
    int32_t spec = SpecAt(original_, place);
    for (const Edit& edit : edits) {
      if (now && edit.place == place) spec = edit.spec;
    }
    const std::optional<SpecPlace> edge = EdgeOf(operand, node);
    for (const Edit& edit : edits) {
      if (now && edge.has_value() && edit.place == *edge) spec = edit.spec;
    }
    return spec == 0 ? nullptr : &editor_.spec(spec);
  };
  const auto add = [&](SpecPlace place, const v1::Spec& follows) {
    if (absl::c_any_of(edits, [&](const Edit& edit) { return edit.place == place; })) return;
    edits.push_back({place, editor_.Intern(follows)});
  };
  std::vector<int32_t> nodes;
  for (const Edit& edit : edits) {
    const std::vector<int32_t> seen = NodesAt(edit.place);
    nodes.insert(nodes.end(), seen.begin(), seen.end());
  }
  for (int32_t node : nodes) {
    const int32_t index = context_.resolved().op_of_node(node);
    if (index < 0 || context_.resolved().ops()[index].op == nullptr) continue;
    const ResolvedOp& op = context_.resolved().ops()[index];
    const Operand* ports[3] = {};  // input, weight, bias
    for (const Operand& input : context_.resolved().inputs(op)) {
      if (!input.present) continue;
      const PortRole role = RoleOf(op, input);
      if (input.port == 0) ports[0] = &input;
      if (role == PortRole::kWeight) ports[1] = &input;
      if (role == PortRole::kBias) ports[2] = &input;
    }
    if (ports[0] == nullptr || ports[1] == nullptr || ports[2] == nullptr) continue;
    const auto product = [&](bool now) -> std::optional<v1::QParams> {
      const v1::Spec* input = spec_at(*ports[0], node, now);
      const v1::Spec* weight = spec_at(*ports[1], node, now);
      return input == nullptr || weight == nullptr ? std::nullopt : ProductOf(*input, *weight, /*bias_axis=*/0);
    };
    const v1::Spec* bias = spec_at(*ports[2], node, /*now=*/false);
    if (context_.stage() == v1::STAGE_ANNOTATED) {  // no numbers yet, but as many of them as the weight will have
      const v1::Spec* was = spec_at(*ports[1], node, /*now=*/false);
      const v1::Spec* is = spec_at(*ports[1], node, /*now=*/true);
      if (bias == nullptr || is == nullptr) continue;
      if (const std::optional<v1::Spec> follows = DerivedLike(*bias, was, *is)) {
        add(*PlaceOf(*ports[2], node, /*is_output=*/false), *follows);
      }
      continue;
    }
    const std::optional<v1::QParams> before = product(/*now=*/false);
    const std::optional<v1::QParams> after = product(/*now=*/true);
    if (bias == nullptr || !before.has_value() || !after.has_value() || SameScales(*before, *after)) continue;
    // Where the weight had scales along another axis than its outputs, the bias could not go with them.
    const int scales = bias->qparams().scales_size();
    const bool could_not = before->scales_size() > 1 && scales > 1 && scales != before->scales_size();
    if (!could_not && !SameScales(bias->qparams(), *before)) continue;
    v1::Spec follows = *bias;
    *follows.mutable_qparams() = *after;
    if (after->axes().empty() && FormOf(*bias).granularity == Granularity::kChannel) {
      follows.set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
      follows.clear_axis();
    }
    add(*PlaceOf(*ports[2], node, /*is_output=*/false), follows);
  }
  absl::c_sort(edits, [](const Edit& a, const Edit& b) { return Less(a.place, b.place); });
  return static_cast<int64_t>(nodes.size());
}

void Candidates::AddVariant(const Port& port, SpecForm form, std::vector<Variant>& variants) {
  // Kernels add a bias of 32 bits as it is stored: a zero point has no meaning.
  if (port.is_bias && form.storage == 32) form.symmetric = true;
  const v1::Spec spec = Write(port, form);
  if (!native_ && !HoldsNegatives(spec)) return;
  // What the graph's own habit brings along counts too: a range for all runs, say.
  AddSpec(port, editor_.Intern(spec), FormOf(spec), variants);
}

void Candidates::AddSpec(const Port& port, int32_t spec, const SpecForm& form, std::vector<Variant>& variants) {
  const int32_t present = SpecAt(original_, port.place);
  if (spec == present) return;
  // Quantizers write down which observer makes the numbers; a change of that alone changes no tensor.
  if (!native_ && context_.stage() != v1::STAGE_CONVERTED && present > 0 &&
      SayTheSame(editor_.spec(present), editor_.spec(spec)))
    return;
  if (absl::c_any_of(variants, [&](const Variant& known) { return known.spec == spec; })) return;
  Variant variant{spec, TypeOf(form), 0, 0};
  if (port.before != nullptr) {
    variant.loss = Loss(FormOf(*port.before), form, context_.graph().message().values(port.value).dims());
    variant.distance = Distance(FormOf(*port.before), form);
    // Who prescribed numbers did not ask for an observer.
    if (port.before->kind() == v1::Spec::FIXED && editor_.spec(spec).kind() == v1::Spec::PLAIN) ++variant.distance;
  } else {
    variant.loss = 8 * std::max(0, kFloatBits - form.bits) + (form.symmetric ? 8 : 0);
  }
  variants.push_back(variant);
}

void Candidates::AddFollowing(const ResolvedOp& op, const std::vector<Port>& ports, size_t index,
                              std::vector<Variant>& variants) {
  const bool annotated = context_.graph().origin() == v1::Graph::PT2E;
  const Port& port = ports[index];
  if (annotated && !port.is_output && port.place.is_edge()) {
    const SpecPlace written{port.value, -1};
    const v1::Spec* decides = Before(Root(written));
    if (decides != nullptr && !(Root(written) == port.place)) {
      AddSpec(port, SpecAt(original_, written), FormOf(*decides), variants);
    }
  }
  if (op.op == nullptr) return;
  AddPrescribed(op, port, variants);
  const std::optional<FixedParameters> fixed = FixedParametersOf(context_, op);
  if (fixed.has_value() && port.is_output && port.argument == 0 && port.before != nullptr) {
    v1::Spec prescribed = *port.before;
    prescribed.clear_qparams();
    prescribed.mutable_qparams()->add_scales(fixed->scale);
    prescribed.mutable_qparams()->add_zero_points(fixed->zero_point);
    prescribed.set_qscheme(fixed->zero_point == 0 ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE);
    AddSpec(port, editor_.Intern(prescribed), FormOf(prescribed), variants);
  }
  const auto input = absl::c_find_if(ports, [](const Port& other) { return !other.is_output; });
  if (input == ports.end() || input->before == nullptr) return;
  if (port.is_output && KeepsSteps(*op.op) && !(port.place == input->place)) {
    v1::Spec same = *input->before;
    if (annotated) {
      same.Clear();
      same.set_kind(v1::Spec::SHARED);
      same.mutable_shared_with()->set_value(input->value + 1);
      same.mutable_shared_with()->set_consumer(op.node + 1);
    }
    AddSpec(port, editor_.Intern(same), FormOf(*input->before), variants);
  }
}

void Candidates::AddPrescribed(const ResolvedOp& op, const Port& port, std::vector<Variant>& variants) {
  if (native_ || !port.is_output || port.before == nullptr) return;
  // Some quantizers write the numbers into the observer.
  const bool by_observer = port.before->kind() == v1::Spec::PLAIN && port.before->qparams().scales_size() == 1 &&
                           context_.graph().symbol(port.before->observer()) == kFixedObserver;
  if (port.before->kind() != v1::Spec::FIXED && !by_observer) return;
  const Bounds fills = OutputBounds(op.op->id);
  const SpecForm form = FormOf(*port.before);
  if (!fills.known || form.storage == 0) return;
  // A range that the type does not hold is one more thing to be put right.
  for (v1::Spec prescribed : {*port.before, Rewritten(*port.before, form, native_)}) {
    const auto low = static_cast<double>(prescribed.quant_min());
    const double steps = static_cast<double>(prescribed.quant_max()) - low + 1;
    if (!prescribed.has_quant_min() || !prescribed.has_quant_max() || steps < 2) continue;
    const double scale = (fills.high - fills.low) / steps;
    prescribed.set_kind(v1::Spec::FIXED);
    prescribed.clear_observer();
    prescribed.clear_qparams();
    prescribed.mutable_qparams()->add_scales(scale);
    prescribed.mutable_qparams()->add_zero_points(std::round(low - fills.low / scale));
    AddSpec(port, editor_.Intern(prescribed), FormOf(prescribed), variants);
  }
}

std::optional<v1::Spec> Candidates::DerivedBias(const ResolvedOp& op, const std::vector<Port>& ports,
                                                size_t index) const {
  // Once there are numbers, they are written down; until then the observers of input and weight tell them.
  const bool derives = !native_ && context_.stage() == v1::STAGE_ANNOTATED;
  const Port& port = ports[index];
  if (!port.is_bias || (op.op->traits & kAccumulates) == 0) return std::nullopt;
  const auto input = absl::c_find_if(ports, [](const Port& other) { return !other.is_output && !other.is_bias; });
  if (input == ports.end() || input->before == nullptr) return std::nullopt;
  const auto weight = absl::c_find_if(ports, [&](const Port& other) {
    return !other.is_output && &other != &*input && !other.is_bias && other.before != nullptr;
  });
  if (weight == ports.end()) return std::nullopt;
  v1::Spec derived;
  derived.set_kind(derives ? v1::Spec::DERIVED : v1::Spec::PLAIN);
  const auto takes = [&](v1::DataType type) { return absl::c_linear_search(port.types, db::ElementType{type, true}); };
  const bool wide = native_ && takes(v1::DATA_TYPE_INT64) && !takes(v1::DATA_TYPE_INT32);
  derived.set_dtype(wide ? v1::DATA_TYPE_INT64 : v1::DATA_TYPE_INT32);
  if (!native_) {  // convert_pt2e does not go without
    derived.set_quant_min(INT32_MIN);
    derived.set_quant_max(INT32_MAX);
  }
  const bool per_channel = FormOf(*weight->before).granularity != Granularity::kTensor;
  derived.set_qscheme(per_channel ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_TENSOR_SYMMETRIC);
  if (per_channel) derived.set_axis(0);
  for (int32_t value : {input->value, weight->value}) {
    if (!derives) break;  // a spec of its own
    v1::EdgeRef& from = *derived.add_derived_from();
    from.set_value(value + 1);
    from.set_consumer(op.node + 1);
  }
  // Readers of one bias whose specs say the same get one observer, whatever they are derived from, and they would once
  // each is derived in the same form. Some steps less of the range keep this one apart: as many as no other node has.
  if (derives && port.before != nullptr && (port.alike.size() > 1 || SayTheSame(*port.before, derived))) {
    derived.set_quant_min(INT32_MIN + 1 + static_cast<int64_t>(op.node));
  }
  if (std::optional<v1::QParams> product = ProductOf(*input->before, *weight->before, /*bias_axis=*/0)) {
    // Of a weight whose scale has the wrong sign, as it will be turned.
    for (double& scale : *product->mutable_scales()) scale = std::fabs(scale);
    *derived.mutable_qparams() = *std::move(product);
  } else if (!native_ && !derives) {
    return std::nullopt;
  }
  return derived;
}

// Sums of 64 bits take a bias of 64 bits: the same numbers in the same steps.
std::optional<v1::Spec> Candidates::WiderBias(const Port& port) {
  if (!port.is_bias || port.before == nullptr || !absl::c_linear_search(port.types, kWideBias)) return std::nullopt;
  if (port.before->dtype() != v1::DATA_TYPE_INT32 || FormOf(*port.before).bits != 32) return std::nullopt;
  v1::Spec wider = *port.before;
  wider.set_dtype(kWideBias.type);
  wider.clear_quant_min();
  wider.clear_quant_max();
  return wider;
}

// The axis that has as many elements as there are scales, where the one that is stated has not. -1: none.
int Candidates::MeantAxis(const Port& port, const SpecForm& before) const {
  if (port.before == nullptr || before.granularity != Granularity::kChannel) return -1;
  const auto& dims = context_.graph().message().values(port.value).dims();
  const int scales = port.before->qparams().scales_size();
  if (before.axis >= 0 && before.axis < dims.size() && dims[before.axis] == scales) return -1;
  const auto meant = absl::c_find(dims, scales);
  return meant == dims.end() ? -1 : static_cast<int>(meant - dims.begin());
}

std::vector<Candidates::Variant> Candidates::VariantsOf(const Port& port) {
  std::vector<Variant> variants;
  const SpecForm before = port.before != nullptr ? FormOf(*port.before) : SpecForm();
  if (const std::optional<v1::Spec> wider = WiderBias(port)) {
    AddSpec(port, editor_.Intern(*wider), FormOf(*wider), variants);
  }
  for (db::ElementType type : port.types) {
    if (!IsFixedPoint(type)) continue;
    SpecForm form = before;
    form.storage = BitWidth(type.type);
    form.is_signed = IsSigned(type.type);
    std::vector<int> widths = {form.storage};
    if (form.storage == 8 && before.bits > 0 && before.bits < 8) {
      widths.push_back(before.bits);
      if (before.bits < 4) widths.push_back(4);
    }
    for (int width : widths) {
      form.bits = width;
      if (port.before != nullptr) {
        form.symmetric = before.symmetric;
        form.granularity = before.granularity;
        form.axis = before.axis;
        AddVariant(port, form, variants);
      }
      form.granularity = Granularity::kTensor;
      form.axis = -1;
      for (bool symmetric : {true, false}) {
        form.symmetric = symmetric;
        AddVariant(port, form, variants);
      }
      if (!port.is_static || port.rank < 1) continue;
      form.granularity = Granularity::kChannel;
      form.symmetric = true;
      for (int axis = 0; axis < std::min(port.rank, 2); ++axis) {
        form.axis = axis;
        AddVariant(port, form, variants);
      }
      if (const int axis = MeantAxis(port, before); axis >= 2) {
        form.axis = axis;
        AddVariant(port, form, variants);
      }
    }
  }
  // It says so itself.
  if (SharesWithNone(port.place)) variants.push_back({0, {v1::DATA_TYPE_FLOAT32, false}, 0, 0});
  const bool takes_float =
      absl::c_any_of(port.types, [](db::ElementType type) { return !type.quantized && IsFloat(type.type); });
  // What a derived bias is derived from may have no numbers before it runs.
  const bool derives = !native_ && port.is_bias && port.before != nullptr && port.before->kind() == v1::Spec::DERIVED;
  if (port.before != nullptr && (takes_float || derives)) {
    variants.push_back({0, {v1::DATA_TYPE_FLOAT32, false}, kUnquantizedLoss, 0});
  }
  return variants;
}

bool Candidates::Compatible(int32_t node, const std::vector<Choice>& choices) const {
  const auto rows = rows_.find(node);
  if (rows == rows_.end() || rows->second.empty()) return true;
  const auto takes = [](const AcceptedTypes& row, const Choice& choice) {
    const auto port = absl::c_find_if(row.ports, [&](const AcceptedTypes::Port& known) {
      return known.is_output == choice.is_output && known.argument == choice.argument;
    });
    if (port == row.ports.end() || absl::c_linear_search(port->types, choice.type)) return true;
    // Some toolchains narrow a bias of 64 bits on the way; whether this one does is seen when it is asked.
    return choice.type == kWideBias && absl::c_linear_search(port->types, db::ElementType{v1::DATA_TYPE_INT32, true});
  };
  return absl::c_any_of(rows->second, [&](const AcceptedTypes& row) {
    return absl::c_all_of(choices, [&](const Choice& choice) { return choice.node != node || takes(row, choice); });
  });
}

bool Candidates::FitsRow(int32_t node, const std::vector<Edit>& edits) const {
  const auto held = held_.find(node);
  if (held == held_.end()) return true;
  std::vector<Choice> choices;
  for (const Held& port : held->second) {
    Choice choice = port.choice;
    bool known = true;
    for (const Edit& edit : edits) {
      if (!(edit.place == port.own) && !(edit.place == port.place) && edit.place != port.edge) continue;
      known = edit.spec != 0 && HasPlainType(editor_.spec(edit.spec));
      if (known) choice.type = TypeOf(FormOf(editor_.spec(edit.spec)));
    }
    if (known) choices.push_back(choice);
  }
  return Compatible(node, choices);
}

// Moves that leave a tensor to its other readers, and to who writes it: this node reads it in another spec.
void Candidates::AddEdges(int32_t node, const std::vector<Port>& ports,
                          const std::vector<std::vector<Variant>>& variants, std::vector<Move>& moves) {
  for (size_t p = 0; p < ports.size(); ++p) {
    const Port& port = ports[p];
    if (!port.edge.has_value() || port.before == nullptr) continue;
    for (const Variant& variant : variants[p]) {
      if (variant.spec == 0 || !editor_.spec(variant.spec).qparams().axes().empty()) continue;
      moves.push_back(
          {{{*port.edge, variant.spec}}, {{node, false, port.argument, variant.type}}, variant.loss, variant.distance});
    }
  }
}

void Candidates::AddRemovals(int32_t node, const std::vector<Port>& ports, std::vector<Move>& moves) const {
  if (native_ || context_.stage() == v1::STAGE_CONVERTED) return;
  const Graph& graph = context_.graph();
  for (const Port& port : ports) {
    const SpecPlace place = port.own.value_or(port.place);
    const v1::DataType type = graph.dtype(port.value);
    if (!IsNeverQuantized(type) || SpecAt(original_, place) == 0) continue;
    moves.push_back({{{place, 0}}, {{node, port.is_output, port.argument, {type, false}}}, 0, 0});
  }
}

std::vector<Move> Candidates::MakeForQuantizer(int32_t node) {
  std::vector<Move> moves;
  const Operand* operand = context_.resolved().quantizer(node);
  const std::optional<SpecPlace> place =
      operand == nullptr ? std::nullopt : PlaceOf(*operand, node, /*is_output=*/false);
  if (!place.has_value()) return moves;
  Port port;
  port.place = *place;
  port.value = place->value;
  port.before = Before(*place);
  if (port.before != nullptr) port.type = TypeOf(FormOf(*port.before));
  port.is_static = context_.graph().is_constant(place->value);
  port.rank = context_.graph().rank(place->value);
  if (port.before != nullptr) port.types = TypesToTry(port);
  std::vector<Variant> variants;
  for (const v1::Spec* stated : {stored_.Written(place->value), stored_.Read(place->value)}) {
    if (stated != nullptr) AddSpec(port, editor_.Intern(*stated), FormOf(*stated), variants);
  }
  for (const Variant& variant : VariantsOf(port)) variants.push_back(variant);
  for (const Variant& variant : variants) {
    moves.push_back({{{*place, variant.spec}}, {}, variant.loss, variant.distance});
  }
  return moves;
}

std::vector<Move> Candidates::Make(int32_t node) {
  std::vector<Move> moves;
  const int32_t index = context_.resolved().op_of_node(node);
  if (index < 0 || stored_.Of(node) >= 0) return MakeForQuantizer(node);
  const ResolvedOp& op = context_.resolved().ops()[index];
  if (op.input_count + op.output_count > kMaxPortsOfNode) return moves;
  const std::vector<AcceptedTypes>& accepted = rows_[node] = accepted_ ? accepted_(op) : std::vector<AcceptedTypes>();
  const std::vector<Port> ports = PortsOf(op, accepted);
  for (const Port& port : ports) {
    // What is read or written in float takes a row of its own as well.
    const bool in_float = port.before == nullptr && !port.type.quantized && IsFloat(port.type.type);
    if (!in_float && (port.before == nullptr || !HasPlainType(*port.before))) continue;
    held_[node].push_back(
        {port.own.value_or(port.place), port.place, port.edge, {node, port.is_output, port.argument, port.type}});
  }
  std::vector<std::vector<Variant>> variants;
  variants.reserve(ports.size());
  for (size_t i = 0; i < ports.size(); ++i) {
    variants.push_back(VariantsOf(ports[i]));
    AddFollowing(op, ports, i, variants.back());
    if (const std::optional<v1::Spec> derived = DerivedBias(op, ports, i)) {
      // In 32 bits it counts in no other units: those that an observer finds would be refused after calibration.
      // Numbers that are known are judged by what they are.
      if (derived->kind() == v1::Spec::DERIVED) {
        std::erase_if(variants.back(), [](const Variant& v) { return v.type.type == v1::DATA_TYPE_INT32; });
      }
      AddSpec(ports[i], editor_.Intern(*derived), FormOf(*derived), variants.back());
    }
  }

  // Adds an edit of one place, or of all that have to say the same.
  const auto add = [node](const Port& port, const Variant& variant, bool whole_group, Move& move) {
    move.choices.push_back({node, port.is_output, port.argument, variant.type});
    for (SpecPlace place : whole_group ? port.alike : std::vector<SpecPlace>{port.place}) {
      if (absl::c_any_of(move.edits, [&](const Edit& edit) { return edit.place == place; })) continue;
      move.edits.push_back({place, variant.spec});
      move.loss += variant.loss;
      move.distance += variant.distance;
    }
  };
  for (size_t p = 0; p < ports.size(); ++p) {
    for (const Variant& variant : variants[p]) {
      for (bool whole_group : {false, true}) {
        if (whole_group && ports[p].alike.size() == 1) continue;
        Move move;
        add(ports[p], variant, whole_group, move);
        moves.push_back(std::move(move));
      }
      if (!ports[p].own.has_value()) continue;
      // A place that only refers to another one gets a spec of its own.
      moves.push_back({{{*ports[p].own, variant.spec}},
                       {{node, ports[p].is_output, ports[p].argument, variant.type}},
                       variant.loss,
                       variant.distance});
    }
  }
  AddEdges(node, ports, variants, moves);
  AddRemovals(node, ports, moves);
  // A whole row of the backend's table, where the node differs from it in several ports.
  for (const AcceptedTypes& row : accepted) {
    for (bool whole_group : {false, true}) {
      Move move;
      int differing = 0;
      bool possible = true;
      for (const AcceptedTypes::Port& taken : row.ports) {
        for (size_t p = 0; p < ports.size(); ++p) {
          if (ports[p].is_output != taken.is_output || ports[p].argument != taken.argument) continue;
          if (absl::c_linear_search(taken.types, ports[p].type)) continue;
          ++differing;
          const Variant* best = nullptr;
          for (const Variant& variant : variants[p]) {
            if (!absl::c_linear_search(taken.types, variant.type)) continue;
            if (best == nullptr || std::tie(variant.loss, variant.distance) < std::tie(best->loss, best->distance)) {
              best = &variant;
            }
          }
          possible &= best != nullptr;
          if (best != nullptr) add(ports[p], *best, whole_group, move);
        }
      }
      if (!possible || differing < 2) continue;
      if (absl::c_none_of(moves, [&](const Move& known) { return known.edits == move.edits; })) {
        moves.push_back(std::move(move));
      }
    }
  }
  return moves;
}

}  // namespace quantgate::corrections
