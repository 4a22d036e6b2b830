// Parameters of Quantize and Dequantize nodes are initializers that other nodes may share, and so is what they store. A
// tensor that has no reader besides the nodes that are to change is rewritten where it is; the others get a new one.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/base/casts.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/fix/requantize.h"
#include "client/fix/writer.h"
#include "client/import.h"
#include "client/onnx/tensor_reader.h"
#include "client/tensor/element.h"
#include "client/tensor/external_data.h"
#include "client/text.h"
#include "google/protobuf/arena.h"
#include "onnx/onnx.pb.h"
#include "rules/graph/data_type.h"
#include "rules/graph/small_float.h"
#include "rules/onnx/data_type.h"

namespace quantgate {
namespace {

// Positions of the arguments of QuantizeLinear and DequantizeLinear.
constexpr int kDataArgument = 0;
constexpr int kScaleArgument = 1;
constexpr int kZeroPointArgument = 2;
// Before this version of the format every initializer is an input of its graph too.
constexpr int64_t kInitializersAreNoInputs = 4;
// Version of the default operator set; those of com.microsoft always do.
constexpr int64_t kWideQuantizersFrom = 21;

int OnnxNumberOf(v1::DataType type) {
  constexpr int kLast = 64;
  for (int number = 1; number <= kLast; ++number) {
    if (DataTypeFromOnnx(number) == type) return number;
  }
  return 0;
}

bool IsCalled(const onnx::NodeProto& node, absl::string_view op) {
  const bool plain = node.domain().empty() || node.domain() == "ai.onnx";
  return op == (plain ? ToUtf8(node.op_type()) : ToUtf8(absl::StrCat(node.domain(), "::", node.op_type())));
}

// Of the two operators whose parameters are written.
bool Dequantizes(const onnx::NodeProto& node) { return node.op_type() == "DequantizeLinear"; }

onnx::AttributeProto* FindAttribute(onnx::NodeProto& node, absl::string_view name) {
  const auto found = absl::c_find_if(*node.mutable_attribute(), [&](const auto& one) { return one.name() == name; });
  return found == node.mutable_attribute()->end() ? nullptr : &*found;
}

void SetInteger(onnx::NodeProto& node, const char* name, int64_t number) {
  onnx::AttributeProto* attribute = FindAttribute(node, name);
  if (attribute == nullptr) {
    attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
  }
  attribute->set_i(number);
}

void RemoveAttribute(onnx::NodeProto& node, absl::string_view name) {
  auto& attributes = *node.mutable_attribute();
  attributes.erase(
      std::remove_if(attributes.begin(), attributes.end(), [&](const auto& one) { return one.name() == name; }),
      attributes.end());
}

// The elements of a tensor, apart from its name.
struct Elements {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  std::vector<int64_t> dims;
  std::string bytes;
};

void Store(const Elements& elements, onnx::TensorProto& tensor) {
  onnx::TensorProto stored;
  stored.set_data_type(OnnxNumberOf(elements.type));
  stored.mutable_dims()->Assign(elements.dims.begin(), elements.dims.end());
  stored.set_raw_data(elements.bytes);
  if (tensor.has_name()) stored.set_name(tensor.name());
  if (tensor.has_doc_string()) stored.set_doc_string(tensor.doc_string());
  stored.mutable_unknown_fields()->MergeFrom(tensor.unknown_fields());
  tensor = std::move(stored);
}

// Nearest of the values of a float type of 16 bits. Its values are ordered by pattern where the sign is plus.
uint16_t NearestPattern(double value, absl::Span<const double> values) {
  uint16_t best = 0;
  for (size_t i = 0; i < values.size() / 2; ++i) {
    if (std::fabs(values[i] - value) < std::fabs(values[best] - value)) best = static_cast<uint16_t>(i);
  }
  return best;
}

// nullopt: the type of the scales cannot hold them.
std::optional<std::string> EncodeScales(const google::protobuf::RepeatedField<double>& scales, v1::DataType type) {
  std::string bytes;
  for (double scale : scales) {
    if (!(scale > 0)) return std::nullopt;
    if (type == v1::DATA_TYPE_FLOAT32) {
      const auto stored = static_cast<float>(scale);
      if (!std::isfinite(stored) || stored <= 0) return std::nullopt;
      bytes.append(reinterpret_cast<const char*>(&stored), sizeof(stored));
    } else if (type == v1::DATA_TYPE_FLOAT16 || type == v1::DATA_TYPE_BFLOAT16) {
      const absl::Span<const double> values = SmallFloatValues(type);
      const uint16_t pattern = NearestPattern(scale, values);
      if (!(values[pattern] > 0) || !std::isfinite(values[pattern])) return std::nullopt;
      bytes.append(reinterpret_cast<const char*>(&pattern), sizeof(pattern));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::string EncodeZeroPoints(const v1::QParams& qparams, v1::DataType type) {
  const int bits = ElementBits(type);
  const int count = qparams.scales_size();
  std::string bytes(static_cast<size_t>((int64_t{count} * bits + 7) / 8), '\0');
  for (int i = 0; i < count; ++i) {
    const int given = qparams.zero_points_size();
    const double zero_point = given == 0 ? 0.0 : qparams.zero_points(given == 1 ? 0 : i);
    const auto pattern = static_cast<uint32_t>(static_cast<int64_t>(zero_point));
    if (bits < 8) {
      const int64_t bit = int64_t{i} * bits;
      bytes[bit / 8] |= static_cast<char>((pattern & ((1U << bits) - 1)) << (bit % 8));
    } else {
      std::memcpy(bytes.data() + int64_t{i} * (bits / 8), &pattern, bits / 8);
    }
  }
  return bytes;
}

bool AllZero(const v1::QParams& qparams) {
  return absl::c_all_of(qparams.zero_points(), [](double zero_point) { return zero_point == 0; });
}

absl::Status Cannot(absl::string_view why) { return absl::UnimplementedError(why); }

// Who reads a name: nodes of the model's own graph by argument; elsewhere (bodies, outputs) it only counts that
// somebody does.
struct Readers {
  std::vector<std::pair<const onnx::NodeProto*, int>> nodes;
  bool others = false;
};

class OnnxWriter {
 public:
  OnnxWriter(onnx::ModelProto& model, const v1::Graph& graph, ExternalData& external)
      : model_(model), file_(*model.mutable_graph()), graph_(graph), external_(external) {
    Note(file_, /*outermost=*/true);
    for (onnx::TensorProto& tensor : *file_.mutable_initializer()) {
      names_.insert(tensor.name());
      tensors_.try_emplace(tensor.name(), &tensor);
    }
  }

  // Writes the changes of one correction, all or none of them: then they are added to `left`.
  void Write(const WriteTask& task, std::vector<UnwrittenChange>& left);
  // Nodes that were made stand before those that they were made for.
  void PutInOrder();
  // A Dequantize and the Quantize behind it that came to state the same are taken out: what they make is what they get.
  void RemoveConversions();
  // What nobody reads any more, because its readers got a new one, is taken out.
  void RemoveUnread();

 private:
  struct Plan {
    std::vector<onnx::NodeProto*> nodes;
    Elements scale;
    Elements zero_point;
    std::optional<Elements> stored;     // of a constant whose elements change
    onnx::NodeProto* reader = nullptr;  // the one that alone gets the new parameters, of what the node in `nodes` reads
  };

  void Note(onnx::GraphProto& graph, bool outermost);
  absl::StatusOr<Plan> Prepare(const TensorChange& change);
  absl::Status PrepareReader(const TensorChange& change, Plan& plan);
  // Inserts a Quantize and a Dequantize between the node that is planned and its reader.
  void Insert(const TensorChange& change, const Plan& plan);
  void Carry(const TensorChange& change, const Plan& plan);
  absl::StatusOr<onnx::NodeProto*> NodeOf(int32_t index);
  bool IsInterface(absl::string_view name) const;
  bool Needs(const onnx::NodeProto& node, const TensorChange& change) const;
  // Makes the nodes read `elements` as that argument. `made`: the name of the tensor made for it, "" before.
  void Put(const Elements& elements, int argument, absl::string_view name, const Plan& plan, onnx::NodeProto& node,
           std::string& made);
  bool StateTheSame(const onnx::NodeProto& a, const onnx::NodeProto& b);
  // Whether the tensor of that name has these elements already. A list of one is no scalar: kernels tell them apart.
  bool Says(const std::string& name, const Elements& elements);
  void Declare(const std::string& name, const Elements& elements);
  // What is declared of `like` holds for `name`, in another type.
  void DeclareLike(const std::string& like, const std::string& name, v1::DataType type);
  void Make(const std::string& name, const Elements& elements);
  int64_t OpsetOf(absl::string_view domain) const;
  std::string FreshName(const std::string& wanted);

  onnx::ModelProto& model_;
  onnx::GraphProto& file_;
  const v1::Graph& graph_;
  ExternalData& external_;
  absl::flat_hash_map<std::string, onnx::NodeProto*> producers_;  // of the model's own graph
  absl::flat_hash_map<std::string, onnx::TensorProto*> tensors_;  // initializers, and what Constant nodes write
  absl::flat_hash_map<std::string, Readers> readers_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_set<std::string> left_behind_;
  absl::flat_hash_set<const onnx::NodeProto*> written_;                                  // with parameters that changed
  absl::flat_hash_map<const onnx::NodeProto*, std::vector<onnx::NodeProto*>> inserted_;  // by the node behind them
};

void OnnxWriter::Note(onnx::GraphProto& graph, bool outermost) {
  for (const onnx::ValueInfoProto& input : graph.input()) names_.insert(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) names_.insert(tensor.name());
  for (const onnx::ValueInfoProto& output : graph.output()) readers_[output.name()].others = true;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      names_.insert(node.input(i));
      if (outermost) {
        readers_[node.input(i)].nodes.emplace_back(&node, i);
      } else {
        readers_[node.input(i)].others = true;
      }
    }
    for (const std::string& output : node.output()) {
      names_.insert(output);
      if (!outermost) continue;
      // Of a name that two nodes write nobody can say whose it is.
      const auto [known, inserted] = producers_.emplace(output, &node);
      if (!inserted) known->second = nullptr;
    }
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) Note(*attribute.mutable_g(), false);
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) Note(body, false);
      if (outermost && node.op_type() == "Constant" && node.output_size() == 1 && attribute.name() == "value" &&
          attribute.has_t()) {
        tensors_.try_emplace(node.output(0), attribute.mutable_t());
      }
    }
  }
}

bool OnnxWriter::IsInterface(absl::string_view name) const {
  const auto named = [&](const onnx::ValueInfoProto& info) { return info.name() == name; };
  if (absl::c_any_of(file_.output(), named)) return true;
  return absl::c_any_of(file_.input(), named) && !tensors_.contains(name);
}

absl::StatusOr<onnx::NodeProto*> OnnxWriter::NodeOf(int32_t index) {
  const v1::Node& node = graph_.nodes(index);
  const std::string& op = graph_.symbols(node.op() - 1);
  const std::string& output =
      node.outputs_size() > 0 && node.outputs(0) > 0 ? graph_.values(node.outputs(0) - 1).name() : "";
  const auto found = producers_.find(output);
  if (found == producers_.end() || found->second == nullptr || !IsCalled(*found->second, op) ||
      found->second->input_size() != node.inputs_size()) {
    return Cannot(absl::StrCat("no ", op, " of the file's own graph is known to write '", output,
                               "': it is in a function, or the name is written twice or is no text"));
  }
  return found->second;
}

// Whether the node has to state a zero point.
bool OnnxWriter::Needs(const onnx::NodeProto& node, const TensorChange& change) const {
  if (node.input_size() > kZeroPointArgument && !node.input(kZeroPointArgument).empty()) return true;
  const bool reads = Dequantizes(node);
  return !AllZero(change.after.qparams()) || (!reads && change.after.dtype() != change.before.dtype());
}

absl::StatusOr<OnnxWriter::Plan> OnnxWriter::Prepare(const TensorChange& change) {
  const v1::QParams& qparams = change.after.qparams();
  if (change.quantizers.empty()) {
    return Cannot("its parameters are not those of Quantize and Dequantize nodes");
  }
  if (qparams.scales().empty()) return Cannot("its scale has to be found by calibration");
  if (!qparams.block_sizes().empty() || !change.before.qparams().block_sizes().empty()) {
    return Cannot("scales of blocks are not written");
  }
  Plan plan;
  for (int32_t index : change.quantizers) {
    const absl::StatusOr<onnx::NodeProto*> node = NodeOf(index);
    if (!node.ok()) return node.status();
    plan.nodes.push_back(*node);
  }
  const onnx::NodeProto& first = *plan.nodes[0];
  const bool reads = Dequantizes(first);
  const std::string& stored_name = reads ? first.input(kDataArgument) : first.output(0);
  if (change.reader < 0 && IsInterface(stored_name)) {
    return Cannot("it is an input or output of the model: who feeds or reads it would have to change too");
  }

  const std::vector<int64_t> dims =
      qparams.axes().empty() ? std::vector<int64_t>() : std::vector<int64_t>{qparams.scales_size()};
  const int32_t scale = graph_.nodes(change.quantizers[0]).inputs(kScaleArgument);
  plan.scale = {graph_.values(scale - 1).dtype(), dims, {}};
  std::optional<std::string> scales = EncodeScales(qparams.scales(), plan.scale.type);
  if (!scales.has_value()) {
    return Cannot(absl::StrCat("its new scale is no ", DataTypeName(plan.scale.type), " greater than 0"));
  }
  plan.scale.bytes = *std::move(scales);
  if (!IsInteger(change.after.dtype()) || ElementBits(change.after.dtype()) > 32) {
    return Cannot("its new type is no integer type of at most 32 bits");
  }
  plan.zero_point = {change.after.dtype(), dims, EncodeZeroPoints(qparams, change.after.dtype())};

  if (change.reader >= 0) {
    if (absl::Status status = PrepareReader(change, plan); !status.ok()) return status;
    return plan;
  }
  const v1::Value& value = graph_.values(change.value);
  if (!value.has_constant()) return plan;
  const auto tensor = tensors_.find(stored_name);
  if (tensor == tensors_.end()) return Cannot("it is not stored as a tensor");
  absl::StatusOr<std::string> elements = ReadElements(*tensor->second, &external_);
  if (!elements.ok()) return Cannot(elements.status().message());
  Elements stored{change.after.dtype(), {value.dims().begin(), value.dims().end()}, {}};
  if (KeepsIntegers(change)) return plan;
  absl::StatusOr<std::string> bytes = Requantize(*elements, stored.dims, change.before, change.after);
  if (!bytes.ok()) return Cannot(bytes.status().message());
  if (*bytes == *elements && change.before.dtype() == change.after.dtype()) return plan;
  stored.bytes = *std::move(bytes);
  plan.stored = std::move(stored);
  return plan;
}

absl::Status OnnxWriter::PrepareReader(const TensorChange& change, Plan& plan) {
  const absl::StatusOr<onnx::NodeProto*> reader = NodeOf(change.reader);
  if (!reader.ok()) return reader.status();
  plan.reader = *reader;
  const onnx::NodeProto& dequantize = *plan.nodes[0];
  if (!absl::c_linear_search(plan.reader->input(), dequantize.output(0))) {
    return Cannot("the node that is to read other parameters does not read it by that name");
  }
  if (!change.after.qparams().axes().empty()) return Cannot("a conversion for one reader has one scale");
  const int bits = ElementBits(change.after.dtype());
  const bool plain = dequantize.domain().empty() || dequantize.domain() == "ai.onnx";
  if (bits != 8 && bits != 16) return Cannot("nodes that convert are inserted for 8 and 16 bits alone");
  if (bits == 16 && plain && OpsetOf("") < kWideQuantizersFrom) {
    return Cannot(absl::StrCat("QuantizeLinear writes 16 bits from operator set ", kWideQuantizersFrom, " on"));
  }
  return absl::OkStatus();
}

int64_t OnnxWriter::OpsetOf(absl::string_view domain) const {
  for (const onnx::OperatorSetIdProto& import : model_.opset_import()) {
    if (import.domain() == domain || (domain.empty() && import.domain() == "ai.onnx")) return import.version();
  }
  return 0;
}

void OnnxWriter::Insert(const TensorChange& change, const Plan& plan) {
  const std::string read = plan.nodes[0]->output(0);
  const std::string result = FreshName(absl::StrCat(read, "_requantized"));
  const std::string stored = FreshName(absl::StrCat(result, "_stored"));
  const std::string scale = FreshName(absl::StrCat(result, "_scale"));
  const std::string zero_point = FreshName(absl::StrCat(result, "_zero_point"));
  Make(scale, plan.scale);
  Make(zero_point, plan.zero_point);
  const auto add = [&](absl::string_view op, const std::string& from, const std::string& to) {
    onnx::NodeProto& node = *file_.add_node();
    node.set_name(absl::StrCat(result, "_", op));
    node.set_op_type(std::string(op));
    if (plan.nodes[0]->has_domain()) node.set_domain(plan.nodes[0]->domain());
    for (const std::string& input : {from, scale, zero_point}) {
      readers_[input].nodes.emplace_back(&node, node.input_size());
      node.add_input(input);
    }
    node.add_output(to);
    inserted_[plan.reader].push_back(&node);
  };
  add("QuantizeLinear", read, stored);
  add("DequantizeLinear", stored, result);
  DeclareLike(read, stored, change.after.dtype());
  DeclareLike(read, result, graph_.values(change.value).dtype());
  for (int i = 0; i < plan.reader->input_size(); ++i) {
    if (plan.reader->input(i) == read) plan.reader->set_input(i, result);
  }
}

void OnnxWriter::PutInOrder() {
  if (inserted_.empty()) return;
  absl::flat_hash_map<const onnx::NodeProto*, int> place;
  for (int i = 0; i < file_.node_size(); ++i) place.emplace(&file_.node(i), 2 * i + 1);
  for (const auto& [reader, nodes] : inserted_) {
    for (const onnx::NodeProto* node : nodes) place[node] = place[reader] - 1;
  }
  std::stable_sort(file_.mutable_node()->pointer_begin(), file_.mutable_node()->pointer_end(),
                   [&](const onnx::NodeProto* a, const onnx::NodeProto* b) { return place[a] < place[b]; });
}

std::string OnnxWriter::FreshName(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) name = absl::StrCat(wanted, "_", i);
  return name;
}

// What the graph declares of a tensor says its new type and shape.
void OnnxWriter::Declare(const std::string& name, const Elements& elements) {
  for (auto* infos : {file_.mutable_input(), file_.mutable_value_info()}) {
    for (onnx::ValueInfoProto& info : *infos) {
      if (info.name() != name || !info.type().has_tensor_type()) continue;
      onnx::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
      tensor.set_elem_type(OnnxNumberOf(elements.type));
      if (!tensor.has_shape() || tensor.shape().dim_size() == static_cast<int>(elements.dims.size())) continue;
      tensor.mutable_shape()->clear_dim();
      for (int64_t dim : elements.dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    }
  }
}

void OnnxWriter::DeclareLike(const std::string& like, const std::string& name, v1::DataType type) {
  for (int i = 0; i < file_.value_info_size(); ++i) {
    if (file_.value_info(i).name() != like || !file_.value_info(i).type().has_tensor_type()) continue;
    onnx::ValueInfoProto info = file_.value_info(i);
    info.set_name(name);
    info.clear_doc_string();
    info.mutable_type()->mutable_tensor_type()->set_elem_type(OnnxNumberOf(type));
    *file_.add_value_info() = std::move(info);
    return;
  }
}

void OnnxWriter::Make(const std::string& name, const Elements& elements) {
  onnx::TensorProto& tensor = *file_.add_initializer();
  tensor.set_name(name);
  Store(elements, tensor);
  tensors_[name] = &tensor;
  if (model_.ir_version() >= kInitializersAreNoInputs) return;
  onnx::ValueInfoProto& input = *file_.add_input();
  input.set_name(name);
  input.mutable_type()->mutable_tensor_type()->mutable_shape();
  Declare(name, elements);
}

bool OnnxWriter::Says(const std::string& name, const Elements& elements) {
  const auto tensor = tensors_.find(name);
  if (tensor == tensors_.end() || DataTypeFromOnnx(tensor->second->data_type()) != elements.type) return false;
  if (!absl::c_equal(tensor->second->dims(), elements.dims)) return false;
  const absl::StatusOr<std::string> bytes = ReadElements(*tensor->second, &external_);
  return bytes.ok() && *bytes == elements.bytes;
}

void OnnxWriter::Put(const Elements& elements, int argument, absl::string_view name, const Plan& plan,
                     onnx::NodeProto& node, std::string& made) {
  while (node.input_size() <= argument) {
    readers_[""].nodes.emplace_back(&node, node.input_size());
    node.add_input("");
  }
  const std::string old = node.input(argument);
  if ((old == made && !made.empty()) || Says(old, elements)) return;
  Readers& readers = readers_[old];
  const bool ours = !old.empty() && !readers.others && absl::c_all_of(readers.nodes, [&](const auto& reader) {
    return reader.second == argument && absl::c_linear_search(plan.nodes, reader.first);
  });
  if (const auto tensor = tensors_.find(old); ours && tensor != tensors_.end()) {
    Store(elements, *tensor->second);
    Declare(old, elements);
    return;
  }
  if (made.empty()) {
    made = FreshName(std::string(name));
    Make(made, elements);
  }
  auto& nodes = readers.nodes;
  nodes.erase(
      std::remove(nodes.begin(), nodes.end(), std::make_pair(static_cast<const onnx::NodeProto*>(&node), argument)),
      nodes.end());
  if (!old.empty()) left_behind_.insert(old);
  node.set_input(argument, made);
  readers_[made].nodes.emplace_back(&node, argument);
}

void OnnxWriter::Carry(const TensorChange& change, const Plan& plan) {
  if (plan.reader != nullptr) return Insert(change, plan);
  const v1::QParams& qparams = change.after.qparams();
  const v1::Value& value = graph_.values(change.value);
  std::string scale;
  std::string zero_point;
  std::string stored;
  written_.insert(plan.nodes.begin(), plan.nodes.end());
  for (onnx::NodeProto* node : plan.nodes) {
    const bool reads = Dequantizes(*node);
    const std::string tensor = reads ? node->input(kDataArgument) : node->output(0);
    Put(plan.scale, kScaleArgument, absl::StrCat(tensor, "_corrected_scale"), plan, *node, scale);
    if (Needs(*node, change)) {
      Put(plan.zero_point, kZeroPointArgument, absl::StrCat(tensor, "_corrected_zero_point"), plan, *node, zero_point);
    }
    if (plan.stored.has_value() && reads) {
      Put(*plan.stored, kDataArgument, absl::StrCat(tensor, "_corrected"), plan, *node, stored);
    } else if (!reads) {
      Declare(tensor, {change.after.dtype(), {value.dims().begin(), value.dims().end()}, {}});
    }
    if (!qparams.axes().empty()) {
      const onnx::AttributeProto* axis = FindAttribute(*node, "axis");
      const int64_t stated = axis == nullptr ? 1 : axis->i() < 0 ? axis->i() + value.dims_size() : axis->i();
      if (stated != qparams.axes(0)) SetInteger(*node, "axis", qparams.axes(0));
    }
    RemoveAttribute(*node, "block_size");
    if (const onnx::AttributeProto* type = FindAttribute(*node, "output_dtype"); type != nullptr && type->i() != 0) {
      SetInteger(*node, "output_dtype", OnnxNumberOf(change.after.dtype()));
    }
  }
}

void OnnxWriter::Write(const WriteTask& task, std::vector<UnwrittenChange>& left) {
  WriteCorrections(
      task, [this](const TensorChange& change) { return Prepare(change); },
      [this](const TensorChange& change, const Plan& plan) { Carry(change, plan); }, left);
}

// One scale and one zero point each, of the same type and bytes.
bool OnnxWriter::StateTheSame(const onnx::NodeProto& a, const onnx::NodeProto& b) {
  constexpr int kArguments = 3;
  if (a.input_size() != kArguments || b.input_size() != kArguments) return false;
  for (int argument : {kScaleArgument, kZeroPointArgument}) {
    const auto one = tensors_.find(a.input(argument));
    const auto other = tensors_.find(b.input(argument));
    if (one == tensors_.end() || other == tensors_.end()) return false;
    if (one->second->data_type() != other->second->data_type()) return false;
    for (const onnx::TensorProto* tensor : {one->second, other->second}) {
      if (absl::c_any_of(tensor->dims(), [](int64_t dim) { return dim != 1; })) return false;
    }
    const absl::StatusOr<std::string> bytes = ReadElements(*one->second, &external_);
    const absl::StatusOr<std::string> others = ReadElements(*other->second, &external_);
    if (!bytes.ok() || !others.ok() || *bytes != *others) return false;
  }
  return true;
}

void OnnxWriter::RemoveConversions() {
  absl::flat_hash_map<std::string, std::string> instead;  // by the stored tensor that nobody has to make any more
  absl::flat_hash_set<const onnx::NodeProto*> gone;
  std::vector<const onnx::NodeProto*> in_front;  // of those Quantize nodes
  absl::flat_hash_set<std::string> unmade;
  for (const onnx::NodeProto& node : file_.node()) {
    if (node.op_type() != "QuantizeLinear" || node.output_size() != 1) continue;
    const auto before = producers_.find(node.input_size() > 0 ? node.input(0) : "");
    if (before == producers_.end() || before->second == nullptr) continue;
    const onnx::NodeProto& dequantize = *before->second;
    if (!Dequantizes(dequantize) || dequantize.domain() != node.domain()) continue;
    if (!written_.contains(&node) && !written_.contains(&dequantize)) continue;  // it was so before
    const Readers& readers = readers_[node.output(0)];
    if (readers.others || readers.nodes.empty() || !StateTheSame(dequantize, node)) continue;
    instead[node.output(0)] = dequantize.input(0);
    gone.insert(&node);
    in_front.push_back(&dequantize);
  }
  if (gone.empty()) return;
  for (const onnx::NodeProto* dequantize : in_front) {
    const Readers& between = readers_[dequantize->output(0)];
    const auto is_gone = [&gone](const auto& use) { return gone.contains(use.first); };
    if (!between.others && absl::c_all_of(between.nodes, is_gone)) gone.insert(dequantize);
  }
  for (onnx::NodeProto& node : *file_.mutable_node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      // One may follow another, and in a damaged file itself.
      for (size_t step = 0; step < instead.size(); ++step) {
        const auto found = instead.find(node.input(i));
        if (found == instead.end()) break;
        node.set_input(i, found->second);
      }
      if (!gone.contains(&node)) continue;
      auto& readers = readers_[node.input(i)].nodes;
      readers.erase(std::remove_if(readers.begin(), readers.end(), [&](const auto& use) { return use.first == &node; }),
                    readers.end());
      left_behind_.insert(node.input(i));
    }
    if (gone.contains(&node)) unmade.insert(node.output(0));
  }
  auto& nodes = *file_.mutable_node();
  const auto kept = std::stable_partition(nodes.pointer_begin(), nodes.pointer_end(),
                                          [&](const onnx::NodeProto* node) { return !gone.contains(node); });
  nodes.DeleteSubrange(static_cast<int>(kept - nodes.pointer_begin()), static_cast<int>(nodes.pointer_end() - kept));
  auto& infos = *file_.mutable_value_info();
  infos.erase(
      std::remove_if(infos.begin(), infos.end(), [&](const auto& info) { return unmade.contains(info.name()); }),
      infos.end());
}

void OnnxWriter::RemoveUnread() {
  const auto unread = [&](const onnx::TensorProto& tensor) {
    if (!left_behind_.contains(tensor.name())) return false;
    const auto named = [&](const onnx::ValueInfoProto& input) { return input.name() == tensor.name(); };
    const Readers& readers = readers_[tensor.name()];
    return readers.nodes.empty() && !readers.others && absl::c_none_of(file_.input(), named);
  };
  auto& tensors = *file_.mutable_initializer();
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(), unread), tensors.end());
}

void NoteExternal(const onnx::GraphProto& graph, absl::flat_hash_set<std::string>& locations);

void NoteExternal(const onnx::TensorProto& tensor, absl::flat_hash_set<std::string>& locations) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") locations.insert(entry.value());
  }
}

void NoteExternal(const onnx::NodeProto& node, absl::flat_hash_set<std::string>& locations) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_t()) NoteExternal(attribute.t(), locations);
    for (const onnx::TensorProto& tensor : attribute.tensors()) NoteExternal(tensor, locations);
    if (attribute.has_g()) NoteExternal(attribute.g(), locations);
    for (const onnx::GraphProto& body : attribute.graphs()) NoteExternal(body, locations);
  }
}

void NoteExternal(const onnx::GraphProto& graph, absl::flat_hash_set<std::string>& locations) {
  for (const onnx::TensorProto& tensor : graph.initializer()) NoteExternal(tensor, locations);
  for (const onnx::NodeProto& node : graph.node()) NoteExternal(node, locations);
}

}  // namespace

absl::StatusOr<WrittenModel> WriteOnnx(const WriteTask& task) {
  google::protobuf::Arena arena;
  auto* model = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!model->ParseFromArray(task.bytes.data(), static_cast<int>(task.bytes.size())) || !model->has_graph()) {
    return UnreadableFile("is no ONNX model any more");
  }
  const ImportOptions limits;
  ExternalData external(task.folder, limits.max_external_bytes, limits.max_external_bytes);
  OnnxWriter writer(*model, task.graph, external);
  WrittenModel written;
  writer.Write(task, written.left);
  writer.PutInOrder();
  writer.RemoveConversions();
  writer.RemoveUnread();

  absl::flat_hash_set<std::string> locations;
  NoteExternal(model->graph(), locations);
  for (const onnx::FunctionProto& function : model->functions()) {
    for (const onnx::NodeProto& node : function.node()) NoteExternal(node, locations);
  }
  written.external.assign(locations.begin(), locations.end());
  absl::c_sort(written.external);
  if (written.left.size() == task.changes.size()) {  // nothing to write: not even protobuf's idea of order
    written.bytes = std::string(task.bytes);
    return written;
  }
  if (model->ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return BeyondLimit("with the corrections it is larger than 2 GiB, which no ONNX file can be without external data");
  }
  if (!model->SerializeToString(&written.bytes)) return absl::InternalError("protobuf cannot write the model");
  return written;
}

}  // namespace quantgate
