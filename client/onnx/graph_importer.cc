#include "client/onnx/graph_importer.h"

#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/onnx/roles.h"
#include "client/onnx/source_line.h"
#include "client/onnx/sparse_tensor.h"
#include "client/text.h"
#include "rules/onnx/data_type.h"

namespace quantgate {
namespace {

// Bytes of tensors that were read; see ReadTensors.
constexpr size_t kHeld = 256 << 10;

// The last IR version that had no initializers without an input of their name.
constexpr int64_t kAllInitializersAreInputs = 3;

// The elements, owned; the list is empty afterwards.
template <typename Message>
std::vector<std::unique_ptr<Message>> TakeAll(google::protobuf::RepeatedPtrField<Message>* list) {
  std::vector<Message*> elements(list->size());
  list->ExtractSubrange(0, list->size(), elements.data());
  return std::vector<std::unique_ptr<Message>>(elements.begin(), elements.end());
}

std::string OperatorName(const onnx::NodeProto& node) {
  if (node.domain().empty() || node.domain() == "ai.onnx") return ToUtf8(node.op_type());
  return ToUtf8(absl::StrCat(node.domain(), "::", node.op_type()));
}

// Files of IR version 1 do not state the type of an attribute; in later ones such an attribute has no value.
onnx::AttributeProto::AttributeType TypeOf(const onnx::AttributeProto& attribute, int64_t ir_version) {
  using Attribute = onnx::AttributeProto;
  if (attribute.type() != Attribute::UNDEFINED || ir_version > 1) return attribute.type();
  if (attribute.has_f()) return Attribute::FLOAT;
  if (attribute.has_i()) return Attribute::INT;
  if (attribute.has_s()) return Attribute::STRING;
  if (attribute.has_t()) return Attribute::TENSOR;
  if (attribute.has_g()) return Attribute::GRAPH;
  if (attribute.has_sparse_tensor()) return Attribute::SPARSE_TENSOR;
  if (attribute.floats_size() > 0) return Attribute::FLOATS;
  if (attribute.ints_size() > 0) return Attribute::INTS;
  if (attribute.strings_size() > 0) return Attribute::STRINGS;
  if (attribute.tensors_size() > 0) return Attribute::TENSORS;
  if (attribute.graphs_size() > 0) return Attribute::GRAPHS;
  return Attribute::UNDEFINED;
}

const v1::Attribute* FindAttribute(const v1::Graph& graph, const v1::Node& node, absl::string_view name) {
  for (const v1::Attribute& attribute : node.attributes()) {
    if (attribute.name() > 0 && graph.symbols(attribute.name() - 1) == name) return &attribute;
  }
  return nullptr;
}

// Whether what a value is declared as can be this tensor.
bool Agrees(const v1::Value& declared, const onnx::TensorProto& tensor) {
  const v1::DataType type = DataTypeFromOnnx(tensor.data_type());
  if (declared.dtype() != v1::DATA_TYPE_UNSPECIFIED && declared.dtype() != type) return false;
  if (!declared.has_shape()) return true;
  if (declared.dims_size() != tensor.dims_size()) return false;
  for (int i = 0; i < declared.dims_size(); ++i) {
    if (declared.dims(i) >= 0 && declared.dims(i) != tensor.dims(i)) return false;
  }
  return true;
}

}  // namespace

GraphImporter::GraphImporter(ModelContext* model, GraphImporter* enclosing, v1::Graph* graph)
    : model_(*model), enclosing_(enclosing), depth_(enclosing ? enclosing->depth_ + 1 : 0), graph_(*graph) {}

int GraphImporter::Symbol(absl::string_view text) {
  if (text.empty()) return 0;
  auto [entry, is_new] = symbols_.try_emplace(ToUtf8(text), graph_.symbols_size() + 1);
  if (is_new) graph_.add_symbols(entry->first);
  return entry->second;
}

int GraphImporter::AddValue(absl::string_view name) {
  v1::Value& value = *graph_.add_values();
  value.set_name(ToUtf8(name));
  const int id = graph_.values_size();
  // What `name` points into is let go before the graph is whole.
  const absl::string_view kept = value.name() == name ? value.name() : odd_names_.emplace_back(name);
  states_.push_back({.name = kept});
  if (!name.empty()) ids_.try_emplace(kept, id);
  return id;
}

int GraphImporter::Find(absl::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const int outer = enclosing_ != nullptr ? enclosing_->Find(name) : 0;
  if (outer == 0) return 0;
  const int id = AddValue(name);
  graph_.mutable_values(id - 1)->set_captured(outer);
  return id;
}

int GraphImporter::Argument(absl::string_view name) {
  if (name.empty()) return 0;
  const int id = Find(name);
  return id != 0 ? id : AddValue(name);
}

void GraphImporter::SetType(const onnx::TypeProto& type, v1::Value* value) {
  int32_t element = 0;
  const onnx::TensorShapeProto* shape = nullptr;
  if (type.has_tensor_type()) {
    element = type.tensor_type().elem_type();
    if (type.tensor_type().has_shape()) shape = &type.tensor_type().shape();
  } else if (type.has_sparse_tensor_type()) {
    element = type.sparse_tensor_type().elem_type();
    if (type.sparse_tensor_type().has_shape()) shape = &type.sparse_tensor_type().shape();
  }
  if (value->dtype() == v1::DATA_TYPE_UNSPECIFIED) value->set_dtype(DataTypeFromOnnx(element));
  if (shape == nullptr || value->has_shape()) return;
  value->set_has_shape(true);
  bool symbolic = false;
  for (const onnx::TensorShapeProto::Dimension& dim : shape->dim()) {
    value->add_dims(dim.has_dim_value() ? dim.dim_value() : -1);
    symbolic |= !dim.dim_param().empty();
  }
  if (!symbolic) return;
  for (const onnx::TensorShapeProto::Dimension& dim : shape->dim()) value->add_dim_symbols(Symbol(dim.dim_param()));
}

void GraphImporter::SetConstant(int id, std::unique_ptr<onnx::TensorProto> tensor) {
  v1::Value& value = *graph_.mutable_values(id - 1);
  value.set_dtype(DataTypeFromOnnx(tensor->data_type()));
  value.set_has_shape(true);
  *value.mutable_dims() = tensor->dims();
  value.clear_dim_symbols();
  value.mutable_constant();
  states_[id - 1].tensor = std::move(tensor);
}

void GraphImporter::AddInitializer(std::unique_ptr<onnx::TensorProto> tensor) {
  const auto found = ids_.find(tensor->name());
  // A graph input of that name has it as its default; one of another type or shape is another tensor.
  const bool is_input = found != ids_.end() && !graph_.values(found->second - 1).has_constant() &&
                        Agrees(graph_.values(found->second - 1), *tensor);
  const int id = is_input ? found->second : AddValue(tensor->name());
  SetConstant(id, std::move(tensor));
}

void GraphImporter::AddSparseInitializer(const onnx::SparseTensorProto& sparse) {
  SparseAttribute(sparse, AddValue(sparse.values().name()));
}

int GraphImporter::TensorAttribute(std::unique_ptr<onnx::TensorProto> tensor, int output) {
  const bool taken = output == 0 || graph_.values(output - 1).has_constant();
  const int id = taken ? AddValue("") : output;
  if (taken) graph_.mutable_values(id - 1)->set_name(ToUtf8(tensor->name()));
  SetConstant(id, std::move(tensor));
  return id;
}

int GraphImporter::SparseAttribute(const onnx::SparseTensorProto& sparse, int output) {
  const int id = output == 0 || graph_.values(output - 1).has_constant() ? AddValue("") : output;
  if (auto dense = DenseTensor(sparse, &model_.dense_bytes_left); dense != nullptr) {
    SetConstant(id, std::move(dense));
    return id;
  }
  v1::Value& value = *graph_.mutable_values(id - 1);
  value.set_dtype(DataTypeFromOnnx(sparse.values().data_type()));
  value.set_has_shape(true);
  *value.mutable_dims() = sparse.dims();
  // The stored elements are not those of the dense tensor: nothing is claimed about them (tensor-size says so).
  value.mutable_constant()->set_stored_bytes(-1);
  value.mutable_constant()->mutable_sparsity();
  return id;
}

void GraphImporter::AddPlainConstant(const onnx::AttributeProto& attribute, int output) {
  if (output == 0 || graph_.values(output - 1).has_constant()) return;
  auto tensor = std::make_unique<onnx::TensorProto>();
  if (attribute.name() == "value_float") {
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_float_data(attribute.f());
  } else if (attribute.name() == "value_floats") {
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(attribute.floats_size());
    *tensor->mutable_float_data() = attribute.floats();
  } else if (attribute.name() == "value_int") {
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_int64_data(attribute.i());
  } else if (attribute.name() == "value_ints") {
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_dims(attribute.ints_size());
    *tensor->mutable_int64_data() = attribute.ints();
  } else if (attribute.name() == "value_string") {
    tensor->set_data_type(onnx::TensorProto::STRING);
    tensor->add_string_data(attribute.s());
  } else if (attribute.name() == "value_strings") {
    tensor->set_data_type(onnx::TensorProto::STRING);
    tensor->add_dims(attribute.strings_size());
    *tensor->mutable_string_data() = attribute.strings();
  } else {
    return;
  }
  SetConstant(output, std::move(tensor));
}

absl::Status GraphImporter::AddSubgraph(onnx::GraphProto& source, int name, v1::Node* node) {
  v1::Graph* subgraph = graph_.add_subgraphs();
  v1::Attribute& attribute = *node->add_attributes();
  attribute.set_name(name);
  attribute.set_graph(graph_.subgraphs_size());
  subgraph->set_origin(graph_.origin());
  return GraphImporter(&model_, this, subgraph).Import(source);
}

absl::Status GraphImporter::AddAttribute(onnx::AttributeProto& source, int constant_output, v1::Node* node) {
  using Type = onnx::AttributeProto;
  const int name = Symbol(source.name());
  const auto add = [&]() -> v1::Attribute& {
    v1::Attribute& attribute = *node->add_attributes();
    attribute.set_name(name);
    return attribute;
  };
  switch (TypeOf(source, model_.ir_version)) {
    case Type::FLOAT:
      add().set_f(source.f());
      break;
    case Type::INT:
      add().set_i(source.i());
      break;
    case Type::STRING:
      add().set_s(ToUtf8(source.s()));
      break;
    case Type::FLOATS:
      add().mutable_floats()->mutable_values()->Assign(source.floats().begin(), source.floats().end());
      break;
    case Type::INTS:
      *add().mutable_ints()->mutable_values() = source.ints();
      break;
    case Type::STRINGS: {
      v1::StringList& strings = *add().mutable_strings();
      for (const std::string& text : source.strings()) strings.add_values(ToUtf8(text));
      break;
    }
    case Type::TENSOR:
      source.mutable_t();  // one that is not there is an empty one
      add().set_tensor(TensorAttribute(absl::WrapUnique(source.release_t()), constant_output));
      break;
    case Type::SPARSE_TENSOR:
      add().set_tensor(SparseAttribute(source.sparse_tensor(), constant_output));
      break;
    // Lists of these are attributes of the same name, in order.
    case Type::TENSORS:
      for (auto& tensor : TakeAll(source.mutable_tensors())) add().set_tensor(TensorAttribute(std::move(tensor), 0));
      break;
    case Type::SPARSE_TENSORS:
      for (const onnx::SparseTensorProto& tensor : source.sparse_tensors())
        add().set_tensor(SparseAttribute(tensor, 0));
      break;
    case Type::GRAPH:
      return AddSubgraph(*source.mutable_g(), name, node);
    case Type::GRAPHS:
      for (onnx::GraphProto& graph : *source.mutable_graphs()) {
        if (absl::Status status = AddSubgraph(graph, name, node); !status.ok()) return status;
      }
      break;
    default:
      add();  // types of sequences and optionals: the name is kept, the value is not
  }
  if (constant_output != 0) AddPlainConstant(source, constant_output);
  return absl::OkStatus();
}

void GraphImporter::AddSourceLine(const onnx::NodeProto& source, v1::Node* node) {
  const SourceNote note = ReadSourceNote(source);
  if (note.file.empty() && note.scope.empty()) return;
  v1::SourceLine& line = *node->mutable_source_line();
  line.set_file(Symbol(note.file));
  line.set_line(note.line);
  line.set_scope(Symbol(note.scope));
}

void GraphImporter::MarkParameter(int id) {
  states_[id - 1].is_parameter = true;
  if (const int outer = graph_.values(id - 1).captured(); outer != 0) enclosing_->MarkParameter(outer);
}

absl::Status GraphImporter::AddNode(onnx::NodeProto& source) {
  v1::Node& node = *graph_.add_nodes();
  const std::string op = OperatorName(source);
  node.set_name(ToUtf8(source.name()));
  node.set_op(Symbol(op));
  model_.quantized |= IsQuantizedOperator(op);
  for (int i = 0; i < source.input_size(); ++i) {
    const int id = Argument(source.input(i));
    node.add_inputs(id);
    if (id != 0 && IsQuantizationParameter(op, i)) MarkParameter(id);
  }
  for (const std::string& name : source.output()) node.add_outputs(Argument(name));
  if (op == "DequantizeLinear" && node.inputs_size() > 1 && node.inputs(0) != 0 && node.inputs(1) != 0) {
    ValueState& data = states_[node.inputs(0) - 1];
    if (data.dequantize == nullptr) data.dequantize = &node;
  }
  const int constant_output = op == "Constant" && node.outputs_size() > 0 ? node.outputs(0) : 0;
  for (onnx::AttributeProto& attribute : *source.mutable_attribute()) {
    if (absl::Status status = AddAttribute(attribute, constant_output, &node); !status.ok()) return status;
  }
  AddSourceLine(source, &node);
  return absl::OkStatus();
}

void GraphImporter::DeclareTypes(const onnx::GraphProto& source) {
  absl::flat_hash_map<absl::string_view, const onnx::TypeProto*> types;
  for (const onnx::ValueInfoProto& output : source.output()) types.try_emplace(output.name(), &output.type());
  for (const onnx::ValueInfoProto& info : source.value_info()) types.try_emplace(info.name(), &info.type());
  for (size_t i = 0; i < states_.size(); ++i) {
    v1::Value& value = *graph_.mutable_values(static_cast<int>(i));
    // A constant is of the type it is stored in; if that is none, no declaration makes it one.
    if (value.has_constant()) continue;
    const auto found = types.find(states_[i].name);
    if (found != types.end()) SetType(*found->second, &value);
  }
}

std::optional<int> GraphImporter::ChannelAxis(const ValueState& state, int id) const {
  if (state.dequantize == nullptr) return std::nullopt;
  const v1::Value& scale = graph_.values(state.dequantize->inputs(1) - 1);
  if (!scale.has_shape() || scale.dims_size() != 1 || scale.dims(0) == 1) return std::nullopt;
  const v1::Attribute* block_size = FindAttribute(graph_, *state.dequantize, "block_size");
  if (block_size != nullptr && block_size->i() != 0) return std::nullopt;
  const v1::Attribute* axis = FindAttribute(graph_, *state.dequantize, "axis");
  const int64_t rank = graph_.values(id - 1).dims_size();
  const int64_t position = axis == nullptr ? 1 : axis->i() < 0 ? axis->i() + rank : axis->i();
  if (position < 0 || position >= rank) return std::nullopt;
  return static_cast<int>(position);
}

absl::Status GraphImporter::ReadTensors() {
  // Let go many at a time: what is kept of the next ones then lies close together where those were, and the memory
  // between is not in holes.
  std::vector<std::unique_ptr<onnx::TensorProto>> read;
  size_t held = 0;  // bytes
  for (size_t i = 0; i < states_.size(); ++i) {
    ValueState& state = states_[i];
    if (state.tensor == nullptr) continue;
    const int id = static_cast<int>(i) + 1;
    const ConstantUse use{.is_parameter = state.is_parameter, .channel_axis = ChannelAxis(state, id)};
    absl::Status status = model_.tensors.Read(*state.tensor, use, graph_.mutable_values(id - 1)->mutable_constant());
    if (!status.ok()) return status;
    held += state.tensor->raw_data().size();
    read.push_back(std::move(state.tensor));
    if (held < kHeld) continue;
    read.clear();
    held = 0;
  }
  return absl::OkStatus();
}

// Before IR version 4 every initializer had to be an input as well, and nobody could give another one.
bool GraphImporter::IsFixedInput(int id) const {
  if (depth_ > 0 || model_.ir_version < 1 || model_.ir_version > kAllInitializersAreInputs) return false;
  return states_[id - 1].tensor != nullptr || graph_.values(id - 1).has_constant();
}

absl::Status GraphImporter::Import(onnx::GraphProto& source) {
  if (depth_ > model_.options.max_subgraph_depth) {
    return BeyondLimit(absl::StrCat("subgraphs are nested more than ", model_.options.max_subgraph_depth, " deep"));
  }
  graph_.set_name(ToUtf8(source.name()));
  std::vector<int> inputs;
  for (const onnx::ValueInfoProto& input : source.input()) {
    const int id = AddValue(input.name());
    SetType(input.type(), graph_.mutable_values(id - 1));
    inputs.push_back(id);
  }
  for (auto& tensor : TakeAll(source.mutable_initializer())) AddInitializer(std::move(tensor));
  for (const onnx::SparseTensorProto& tensor : source.sparse_initializer()) AddSparseInitializer(tensor);
  for (int id : inputs) {
    if (!IsFixedInput(id)) graph_.add_inputs(id);
  }
  // All outputs come before any use, so that order and cycles in the file do not matter here.
  for (const onnx::NodeProto& node : source.node()) {
    for (const std::string& name : node.output()) {
      if (!name.empty() && !ids_.contains(name)) AddValue(name);
    }
  }
  for (auto& node : TakeAll(source.mutable_node())) {
    if (absl::Status status = AddNode(*node); !status.ok()) return status;
    node = nullptr;
  }
  for (const onnx::ValueInfoProto& output : source.output()) {
    const int id = Argument(output.name());
    graph_.add_outputs(id != 0 ? id : AddValue(""));  // without a name it is still one, which nothing defines
  }
  DeclareTypes(source);
  onnx::GraphProto().Swap(&source);  // Clear would keep the memory
  return ReadTensors();
}

}  // namespace quantgate
