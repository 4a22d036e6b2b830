#include "client/tflite/graph_importer.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/tensor/scan.h"
#include "client/text.h"
#include "client/tflite/builtins.h"
#include "client/tflite/data_type.h"
#include "client/tflite/quantization.h"
#include "client/tflite/view.h"
#include "rules/graph/data_type.h"

namespace quantgate::tflite {
namespace {

// What a message takes beside what it holds, about.
constexpr int64_t kMessageBytes = 128;

template <typename T>
int64_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

int64_t SizeOf(const flatbuffers::String* text) { return text == nullptr ? 0 : text->size(); }

}  // namespace

GraphImporter::GraphImporter(ModelContext* model, int position, v1::Graph* graph)
    : model_(*model),
      source_(*model->model.subgraphs()->Get(position)),
      position_(position),
      graph_(*graph),
      given_(SizeOf(source_.tensors()), false) {}

absl::Status GraphImporter::Damaged(absl::string_view what) const {
  return UnreadableFile(absl::StrCat("subgraph ", position_, ": ", what));
}

int GraphImporter::Symbol(absl::string_view text) {
  auto [entry, is_new] = symbols_.try_emplace(ToUtf8(text), graph_.symbols_size() + 1);
  if (is_new) graph_.add_symbols(entry->first);
  return entry->second;
}

void GraphImporter::AddTensor(const Tensor& tensor) {
  v1::Value& value = *graph_.add_values();
  if (!model_.memory.Take(2 * kMessageBytes + SizeOf(tensor.name()) + 8 * SizeOf(tensor.shape()))) return;
  value.set_name(ToUtf8(View(tensor.name())));
  value.set_dtype(DataTypeFromTflite(tensor.type()));
  value.set_foreign(tensor.is_variable());
  const bool scalar = SizeOf(tensor.shape()) == 0;
  // An empty shape is that of a scalar, and in older files that of a tensor whose shape is not known.
  value.set_has_shape(!scalar || tensor.has_rank() || model_.tensors.HasData(tensor));
  if (!scalar) value.mutable_dims()->Assign(tensor.shape()->begin(), tensor.shape()->end());
  SetSpec(tensor, &value);
}

void GraphImporter::AddResizable(const Tensor& tensor, v1::Value* value) {
  const auto* signature = tensor.shape_signature();
  value->clear_dim_symbols();
  if (signature == nullptr || SizeOf(signature) != value->dims_size()) return;
  const std::vector<int32_t> sizes = Numbers(*signature);
  if (std::find(sizes.begin(), sizes.end(), -1) == sizes.end()) return;
  for (int32_t size : sizes) value->add_dim_symbols(size == -1 ? Symbol("resizable") : 0);
}

void GraphImporter::SetSpec(const Tensor& tensor, v1::Value* value) {
  const std::optional<v1::Spec> spec = SpecOf(tensor, source_, model_.tensors, model_.memory);
  if (!spec.has_value()) return;
  model_.quantized = true;
  auto [entry, is_new] = specs_.try_emplace(spec->SerializeAsString(), graph_.specs_size() + 1);
  if (is_new) *graph_.add_specs() = *spec;
  value->set_spec(entry->second);
}

int GraphImporter::Existing(int32_t index) const {
  return index >= 0 && index < static_cast<int64_t>(given_.size()) ? index + 1 : 0;
}

int GraphImporter::Named(int32_t index) {
  const int id = Existing(index);
  if (id != 0) return id;
  auto [entry, is_new] = undefined_.try_emplace(index, graph_.values_size() + 1);
  if (is_new) graph_.add_values()->set_name(absl::StrCat("tensor ", index));
  return entry->second;
}

int GraphImporter::Read(int32_t index) {
  constexpr int32_t kLeftOut = -1;
  return index == kLeftOut ? 0 : Named(index);
}

std::string OperatorName(const OperatorCode& code, const char** options) {
  *options = nullptr;
  const int32_t number = std::max<int32_t>(code.deprecated_builtin_code(), code.builtin_code());
  if (number == kCustomOperator) return ToUtf8(absl::StrCat("CUSTOM::", View(code.custom_code())));
  const Builtin* builtin = BuiltinOf(number);
  if (builtin == nullptr) return absl::StrCat("BUILTIN_", number);
  *options = builtin->options;
  return builtin->name;
}

std::string GraphImporter::NameAt(uint32_t code_index, const char** options) const {
  *options = nullptr;
  const auto* codes = model_.model.operator_codes();
  if (codes == nullptr || code_index >= codes->size()) return "";
  return OperatorName(*codes->Get(code_index), options);
}

v1::Attribute& GraphImporter::AddAttribute(absl::string_view name, v1::Node* node) {
  v1::Attribute& attribute = *node->add_attributes();
  attribute.set_name(Symbol(name));
  return attribute;
}

absl::Status GraphImporter::AddOptions(const Operator& op, const char* own_table, v1::Node* node) {
  const OptionsTable* table = OptionsOf(op.options_type(), op.options_2_type());
  const Any* fields = op.options_type() != 0 ? op.options() : op.options_2();
  if (table == nullptr || fields == nullptr || own_table == nullptr) return absl::OkStatus();
  if (absl::string_view(table->name) != own_table) {
    // Not this operator's parameters: their numbers mean something else.
    AddAttribute("builtin_options", node).set_s(table->name);
    return absl::OkStatus();
  }
  const auto& raw = *reinterpret_cast<const flatbuffers::Table*>(fields);
  for (size_t i = 0; i < table->options.size(); ++i) {
    const Option& option = table->options[i];
    std::optional<v1::Attribute> read = ReadOption(raw, static_cast<int>(i), option, model_.verifier, model_.memory);
    if (!read.has_value()) {
      return Damaged(absl::StrCat("operator ", graph_.nodes_size() - 1, ": ", table->name, ".", option.name,
                                  " lies outside of the file"));
    }
    if (read->value_case() == v1::Attribute::VALUE_NOT_SET) continue;
    // Subgraphs hang on the model's own graph; elsewhere the file's number stays a number.
    const bool is_body = option.kind == OptionKind::kSubgraph && position_ == 0 && read->i() > 0 &&
                         read->i() < SizeOf(model_.model.subgraphs());
    if (is_body) read->set_graph(static_cast<int32_t>(read->i()));
    v1::Attribute& attribute = AddAttribute(option.name, node);
    read->set_name(attribute.name());
    attribute = *std::move(read);
  }
  return absl::OkStatus();
}

bool GraphImporter::HasQuantized(absl::string_view op, const v1::Node& node) const {
  if (op != "DEQUANTIZE" || node.inputs().empty() || node.inputs(0) == 0) return op == "QUANTIZE";
  return IsInteger(graph_.values(node.inputs(0) - 1).dtype());
}

absl::Status GraphImporter::AddOperator(const Operator& op) {
  const int64_t arguments = SizeOf(op.inputs()) + SizeOf(op.outputs());
  if (!model_.nodes.Take(1) || !model_.memory.Take(4 * kMessageBytes + 4 * arguments)) return absl::OkStatus();
  v1::Node& node = *graph_.add_nodes();
  const char* own_table = nullptr;
  const std::string name = NameAt(op.opcode_index(), &own_table);
  if (name.empty()) {
    AddAttribute("opcode_index", &node).set_i(op.opcode_index());
  } else {
    node.set_op(Symbol(name));
    const int32_t version = model_.model.operator_codes()->Get(op.opcode_index())->version();
    if (version != 1) AddAttribute("operator_version", &node).set_i(version);
  }
  if (op.inputs() != nullptr) {
    for (int32_t index : *op.inputs()) node.add_inputs(Read(index));
  }
  if (op.outputs() != nullptr) {
    for (int32_t index : *op.outputs()) {
      if (Existing(index) != 0) given_[index] = true;
      node.add_outputs(Read(index));
    }
  }
  if (HasQuantized(name, node)) model_.quantized = true;
  return AddOptions(op, own_table, &node);
}

absl::Status GraphImporter::ReadConstants() {
  for (size_t i = 0; i < given_.size(); ++i) {
    const Tensor& tensor = *source_.tensors()->Get(static_cast<uint32_t>(i));
    v1::Value& value = *graph_.mutable_values(static_cast<int>(i));
    // A tensor without elements needs no bytes.
    const bool empty =
        value.has_shape() &&
        ElementCount({value.dims().data(), given_.empty() ? 0 : static_cast<size_t>(value.dims_size())}) == 0;
    if (!model_.tensors.HasData(tensor) && (!empty || given_[i] || tensor.is_variable())) continue;
    std::optional<int> axis;
    if (value.spec() != 0) {
      const v1::QParams& qparams = graph_.specs(value.spec() - 1).qparams();
      if (qparams.axes_size() == 1 && qparams.block_sizes().empty()) axis = qparams.axes(0);
    }
    if (absl::Status status = model_.tensors.Read(tensor, axis, &value); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::Import() {
  graph_.set_origin(v1::Graph::TFLITE);
  graph_.set_name(ToUtf8(View(source_.name())));
  const int64_t signature = SizeOf(source_.inputs()) + SizeOf(source_.outputs());
  if (!model_.memory.Take(kMessageBytes + SizeOf(source_.name()) + 4 * signature)) return absl::OkStatus();
  if (source_.tensors() != nullptr) {
    for (const Tensor* tensor : *source_.tensors()) {
      AddTensor(*tensor);
      if (model_.memory.exceeded()) return absl::OkStatus();
      const v1::Value& value = graph_.values(graph_.values_size() - 1);
      if (const std::string problem = model_.tensors.SparsityProblem(*tensor, value); !problem.empty()) {
        return Damaged(absl::StrCat("tensor ", graph_.values_size() - 1, " is sparse ", problem));
      }
    }
  }
  if (source_.inputs() != nullptr) {
    for (int32_t index : *source_.inputs()) {
      graph_.add_inputs(Named(index));
      if (Existing(index) == 0) continue;
      given_[index] = true;
      AddResizable(*source_.tensors()->Get(static_cast<uint32_t>(index)), graph_.mutable_values(index));
    }
  }
  if (source_.operators() != nullptr) {
    for (const Operator* op : *source_.operators()) {
      if (absl::Status status = AddOperator(*op); !status.ok()) return status;
      if (model_.memory.exceeded() || model_.nodes.exceeded()) return absl::OkStatus();
    }
  }
  if (source_.outputs() != nullptr) {
    for (int32_t index : *source_.outputs()) graph_.add_outputs(Named(index));
  }
  return ReadConstants();
}

}  // namespace quantgate::tflite
