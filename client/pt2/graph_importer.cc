#include "client/pt2/graph_importer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/error.h"
#include "client/pt2/schema.h"
#include "client/stack_trace.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

bool IsHigherOrder(absl::string_view target) { return absl::StartsWith(target, "torch.ops.higher_order."); }

// Operators with a schema; others have arguments without names.
bool HasSchema(absl::string_view target) { return absl::StartsWith(target, "torch.ops.") && !IsHigherOrder(target); }

// These give a tensor, always. Whether others do, only their schema says.
bool IsQuantizer(absl::string_view target) { return absl::StartsWith(target, "torch.ops.quantized_decomposed."); }

bool IsList(const Tagged& argument) { return argument.value != nullptr && argument.value->IsArray(); }

// Whether the node's one result is a tuple of one tensor rather than the tensor.
bool IsTupleOfOne(const Json& source) {
  const Json* single = Find(&source, "is_hop_single_tensor_return");
  return IsHigherOrder(FindText(&source, "target")) && single != nullptr && IntegerOf(single) == 0;
}

// One of several results: an Argument, or what lists have instead ({"name": "x"}, {"as_name": "s"}).
struct Result {
  absl::string_view name;
  bool is_tensor = false;
  const Json* list = nullptr;
};

Result ResultOf(const Json& source) {
  const Tagged result = TaggedOf(&source);
  if (result.tag == "name") return {TextOf(result.value), true};
  if (result.tag == "as_name") return {TextOf(result.value)};
  if (IsList(result)) return {"", false, result.value};
  const Operands operands = OperandsOf(result);
  return {operands.names.empty() ? "" : operands.names[0], result.tag == "as_tensor"};
}

void SetType(const Json& meta, v1::Value* value, const std::function<int(absl::string_view)>& symbol) {
  const int64_t type = IntegerOf(Find(&meta, "dtype")).value_or(0);
  // Complex numbers of two float16 are a type that Graph has no name for; other numbers that have none are no type.
  constexpr int64_t kComplexHalf = 9;
  if (type == kComplexHalf) return;
  value->set_dtype(DataTypeOf(type));
  const Json* sizes = FindArray(&meta, "sizes");
  if (sizes == nullptr) return;
  value->set_has_shape(true);
  bool symbolic = false;
  for (const Json& size : sizes->GetArray()) symbolic |= Find(&size, "as_int") == nullptr;
  for (const Json& size : sizes->GetArray()) {
    const std::optional<int64_t> known = IntegerOf(Find(&size, "as_int"));
    value->add_dims(known.value_or(-1));
    if (!symbolic) continue;
    const absl::string_view expression = FindText(Find(&size, "as_expr"), "expr_str");
    value->add_dim_symbols(known.has_value() || expression.empty() ? 0 : symbol(SymbolName(expression)));
  }
}

// The value that an entry of a signature is of; "" where it is of none.
absl::string_view NameInSignature(const Json& spec) {
  const auto [tag, value] = TaggedOf(&spec);
  if (tag == "token" || tag == "custom_obj") return "";
  const Json* argument = Find(value, "arg");
  const Json* tensor = Find(argument, "as_tensor");
  return FindText(tensor != nullptr ? tensor : argument, "name");
}

// All of it where the delimiter is not there.
absl::string_view BehindLast(char delimiter, absl::string_view text) {
  const size_t last = text.rfind(delimiter);
  return last == absl::string_view::npos ? text : text.substr(last + 1);
}

// What a declaration cannot be without; null: nothing.
const char* Incomplete(const Json& meta) {
  if (!IntegerOf(Find(&meta, "dtype"))) return "has no dtype";
  const Json* sizes = FindArray(&meta, "sizes");
  if (sizes == nullptr) return "has no sizes";
  for (const Json& size : sizes->GetArray()) {
    const std::optional<int64_t> known = IntegerOf(Find(&size, "as_int"));
    if (!known && FindObject(&size, "as_expr") == nullptr) return "has a size that is no integer and no expression";
    if (known.value_or(0) < 0) return "has a negative size";
  }
  return nullptr;
}

}  // namespace

absl::Status GraphImporter::CheckSignature(const Json& signature, const Json& inputs, const Json& outputs) const {
  for (const char* side : {"input_specs", "output_specs"}) {
    const Json* specs = FindArray(&signature, side);
    if (specs == nullptr) return Damaged(absl::StrCat("its signature has no ", side));
    for (const Json& spec : specs->GetArray()) {
      if (TaggedOf(&spec).value == nullptr) return Damaged(absl::StrCat("its signature has one of no kind in ", side));
    }
  }
  // More of them name what the graph does not have: a fact.
  const Json& given = *FindArray(&signature, "input_specs");
  if (given.Size() < inputs.Size()) {
    return Damaged(absl::StrCat("has ", inputs.Size(), " inputs, and ", given.Size(), " in its signature"));
  }
  const Json& results = *FindArray(&signature, "output_specs");
  if (results.Size() == outputs.Size()) return absl::OkStatus();
  return Damaged(absl::StrCat("has ", outputs.Size(), " outputs, and ", results.Size(), " in its signature"));
}

absl::Status GraphImporter::CheckInputNames(const Json& signature, const Json& inputs, bool unknown) const {
  if (unknown) return absl::OkStatus();
  const Json& specs = *FindArray(&signature, "input_specs");
  if (specs.Size() != inputs.Size()) {
    return Damaged(absl::StrCat("has ", inputs.Size(), " inputs, and ", specs.Size(), " in its signature"));
  }
  for (rapidjson::SizeType i = 0; i < inputs.Size(); ++i) {
    const Result input = ResultOf(inputs[i]);
    const absl::string_view name = NameInSignature(specs[i]);
    if (!input.is_tensor || name.empty() || name == input.name) continue;
    return Damaged(
        absl::StrCat("its input ", i, " is '", ToUtf8(input.name), "', and '", ToUtf8(name), "' in its signature"));
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::CheckOutputNames(const Json& signature, const Json& outputs) const {
  const Json& specs = *FindArray(&signature, "output_specs");
  for (rapidjson::SizeType i = 0; i < outputs.Size(); ++i) {
    const absl::string_view output = ResultOf(outputs[i]).name;
    const absl::string_view name = NameInSignature(specs[i]);
    if (name.empty() || name == output || !values_.contains(name)) continue;
    return Damaged(
        absl::StrCat("its output ", i, " is '", ToUtf8(output), "', and '", ToUtf8(name), "' in its signature"));
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::Damaged(absl::string_view what) const {
  return UnreadableFile(graph_.name().empty() ? std::string(what)
                                              : absl::StrCat("graph '", graph_.name(), "': ", what));
}

int GraphImporter::Symbol(absl::string_view text) {
  auto [entry, is_new] = symbols_.try_emplace(std::string(text), graph_.symbols_size() + 1);
  if (is_new) graph_.add_symbols(entry->first);
  return entry->second;
}

void GraphImporter::AddValue(absl::string_view name, v1::Value* value) {
  value->set_name(ToUtf8(name));
  const auto declared = tensors_.find(name);
  if (declared == tensors_.end()) return;
  SetType(*declared->second, value, [this](absl::string_view text) { return Symbol(text); });
}

int GraphImporter::Define(absl::string_view name, bool is_tensor) {
  if (!name.empty()) {
    if (is_tensor && !tensors_.contains(name)) return 0;
    const auto [entry, is_new] = values_.try_emplace(std::string(name), graph_.values_size() + 1);
    if (!is_new) return entry->second;
  }
  AddValue(name, graph_.add_values());
  return graph_.values_size();
}

int GraphImporter::Read(absl::string_view name) {
  const auto [entry, is_new] = values_.try_emplace(std::string(name), graph_.values_size() + 1);
  if (is_new) graph_.add_values()->set_name(ToUtf8(name));
  return entry->second;
}

absl::Status GraphImporter::AddInputs(const Json& inputs, const Json* signature) {
  absl::flat_hash_map<absl::string_view, absl::string_view> parameters;  // by the input's name
  const Json* specs = FindArray(signature, "input_specs");
  if (specs != nullptr) {
    for (const Json& spec : specs->GetArray()) {
      const auto [tag, value] = TaggedOf(&spec);
      if (tag != "parameter" && tag != "buffer" && tag != "tensor_constant") continue;
      parameters[FindText(Find(value, "arg"), "name")] = FindText(value, absl::StrCat(tag, "_name"));
    }
  }
  int position = -1;
  for (const Json& input : inputs.GetArray()) {
    ++position;
    const Result given = ResultOf(input);
    std::string name(given.name);
    if (name.empty() && specs != nullptr && position < static_cast<int>(specs->Size())) {
      const Tagged spec = TaggedOf(&(*specs)[static_cast<rapidjson::SizeType>(position)]);
      name = std::string(FindText(spec.value, "name"));
    }
    if (name.empty()) name = absl::StrCat("arg", position);
    int id = 0;
    if (values_.contains(name)) {
      AddValue(name, graph_.add_values());
      id = graph_.values_size();
    } else {
      id = Define(name, given.is_tensor);
    }
    if (id == 0) {
      graph_.add_outputs(Read(name));  // not declared: said to be defined nowhere, even if nobody reads it
      continue;
    }
    const auto parameter = parameters.find(name);
    if (parameter == parameters.end()) {
      graph_.add_inputs(id);
    } else {
      constants_.emplace_back(id, parameter->second);
    }
  }
  return absl::OkStatus();
}

void GraphImporter::AddGetItem(const Json& source, int tuple, int64_t index, int result) {
  v1::Node& node = *graph_.add_nodes();
  if (result > 0) node.set_name(graph_.values(result - 1).name());
  node.set_op(Symbol("operator.getitem"));
  node.add_inputs(tuple);
  node.add_outputs(result);
  v1::Attribute& attribute = *node.add_attributes();
  attribute.set_name(Symbol("index"));
  attribute.set_i(index);
  AddSourceLine(source, &node);
}

absl::Status GraphImporter::AddResults(const Json& source, const Json& results, int tuple) {
  int64_t index = 0;
  for (const Json& entry : results.GetArray()) {
    if (--program_.nodes_left < 0) return absl::OkStatus();
    const Result result = ResultOf(entry);
    const int id = Define(result.name, result.is_tensor);
    AddGetItem(source, tuple, index++, id);
    if (result.list == nullptr) continue;
    int64_t inner = 0;
    for (const Json& member : result.list->GetArray()) {
      if (--program_.nodes_left < 0) return absl::OkStatus();
      const Result one = ResultOf(member);
      AddGetItem(source, id, inner++, Define(one.name, one.is_tensor));
    }
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::AddNode(const Json& source) {
  const absl::string_view target = FindText(&source, "target");
  const Json* inputs = FindArray(&source, "inputs");
  const Json* results = FindArray(&source, "outputs");
  if (target.empty() || inputs == nullptr || results == nullptr) {
    return Damaged(absl::StrCat("node ", graph_.nodes_size(), ": lacks its target, its inputs or its outputs"));
  }
  const int position = graph_.nodes_size();
  v1::Node& node = *graph_.add_nodes();
  node.set_op(Symbol(OperatorName(target)));
  AddSourceLine(source, &node);
  AddSourceFunction(source, &node);
  pending_.push_back({position, &source});

  const bool none = results->Empty() || (results->Size() == 1 && TaggedOf(&(*results)[0]).tag == "as_none");
  const bool list = results->Size() == 1 && IsList(TaggedOf(&(*results)[0]));
  absl::string_view name = FindText(&source, "name");
  if (none && IsQuantizer(target))
    return Damaged(absl::StrCat("node ", position, ": ", ToUtf8(target), " has no result"));
  if (!none && !list && results->Size() == 1 && !IsTupleOfOne(source)) {
    const Result result = ResultOf((*results)[0]);
    const absl::string_view tag = TaggedOf(&(*results)[0]).tag;
    if (result.name.empty() && (tag.empty() || tag == "as_tensor")) {
      return Damaged(absl::StrCat("node ", position, ": its result has no name"));
    }
    node.set_name(ToUtf8(name.empty() ? result.name : name));
    node.add_outputs(Define(result.name.empty() ? name : result.name, result.is_tensor));
    return absl::OkStatus();
  }
  node.set_name(ToUtf8(name));
  if (none) {  // the name is the node's, and of nothing that others can read
    AddValue(name, graph_.add_values());
    node.add_outputs(graph_.values_size());
    return absl::OkStatus();
  }
  node.add_outputs(Define(name, /*is_tensor=*/false));
  return AddResults(source, list ? *TaggedOf(&(*results)[0]).value : *results, node.outputs(0));
}

absl::Status GraphImporter::AddNodes(const Json& nodes) {
  for (const Json& node : nodes.GetArray()) {
    if (--program_.nodes_left >= 0) {
      if (absl::Status status = AddNode(node); !status.ok()) return status;
    }
    if (program_.nodes_left < 0) return BeyondLimit("has too many nodes");
  }
  for (const Pending& pending : pending_) {
    if (absl::Status status = AddArguments(pending); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::AddArguments(const Pending& pending) {
  v1::Node& node = *graph_.mutable_nodes(pending.node);
  const bool has_schema = HasSchema(FindText(pending.source, "target"));
  absl::flat_hash_set<absl::string_view> names;  // given so far
  std::vector<int> positions;
  int position = -1;
  for (const Json& input : FindArray(pending.source, "inputs")->GetArray()) {
    ++position;
    const Tagged argument = TaggedOf(Find(&input, "arg"));
    if (argument.value == nullptr) {
      return Damaged(absl::StrCat("node '", node.name(), "': argument ", position, " has no value, or several"));
    }
    const Json* stated = Find(&input, "name");
    if (stated == nullptr || !stated->IsString()) {
      return Damaged(absl::StrCat("node '", node.name(), "': argument ", position, " has no name"));
    }
    const absl::string_view name = TextOf(stated);
    // torch takes the last of them.
    if (!name.empty() && !names.insert(name).second) {
      return Damaged(
          absl::StrCat("node '", node.name(), "': argument ", position, ": '", ToUtf8(name), "' is given again"));
    }
    if (argument.tag == "as_none") continue;
    if (argument.tag == "as_graph") {
      if (absl::Status status = AddBody(*argument.value, &node); !status.ok()) return status;
      continue;
    }
    const Operands operands = OperandsOf(argument);
    for (absl::string_view operand : operands.names) {
      node.add_inputs(operand.empty() ? 0 : Read(operand));
      positions.push_back(position);
    }
    if (!operands.names.empty() && !operands.has_more) continue;
    v1::Attribute& attribute = *node.add_attributes();
    constexpr int64_t kKeyword = 2;
    const bool named = has_schema || (IntegerOf(Find(&input, "kind")) == kKeyword && !name.empty());
    attribute.set_name(Symbol(named ? ToUtf8(name) : absl::StrCat("arg", position)));
    SetAttribute(argument, &attribute);
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] == static_cast<int>(i)) continue;
    node.mutable_input_args()->Assign(positions.begin(), positions.end());
    break;
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::AddBody(const Json& argument, v1::Node* node) {
  if (--program_.bodies_left < 0) {
    return BeyondLimit("has bodies within bodies too deep");
  }
  const std::string name = ToUtf8(FindText(&argument, "name"));
  const Json* source = FindObject(&argument, "graph");
  if (source == nullptr) return Damaged(absl::StrCat("node '", node->name(), "': its body '", name, "' has no graph"));
  v1::Graph* body = graph_.add_subgraphs();
  body->set_name(name);
  if (absl::Status status = GraphImporter(&program_, body).Import(*source, nullptr); !status.ok()) return status;
  v1::Attribute& attribute = *node->add_attributes();
  attribute.set_name(Symbol(name));
  attribute.set_graph(graph_.subgraphs_size());
  ++program_.bodies_left;
  return absl::OkStatus();
}

void GraphImporter::AddSourceLine(const Json& source, v1::Node* node) {
  const Json* metadata = FindObject(&source, "metadata");
  if (const std::optional<SourceFrame> frame = InnermostFrame(FindText(metadata, "stack_trace"))) {
    node->mutable_source_line()->set_file(Symbol(frame->file));
    node->mutable_source_line()->set_line(frame->line);
  }
  // "key,path,type" of each module around the node, the innermost last.
  const absl::string_view modules = FindText(metadata, "nn_module_stack");
  const std::vector<absl::string_view> innermost = absl::StrSplit(BehindLast(';', modules), absl::MaxSplits(',', 2));
  if (innermost.size() > 1 && !innermost[1].empty()) {
    node->mutable_source_line()->set_scope(Symbol(ToUtf8(innermost[1])));
  }
}

void GraphImporter::AddSourceFunction(const Json& source, v1::Node* node) {
  const absl::string_view op = graph_.symbols(node->op() - 1);
  if (op != "aten.max.dim" && op != "aten.min.dim" && op != "aten.adaptive_avg_pool1d.default") return;
  const Json* metadata = FindObject(&source, "metadata");
  // "name,function" of each function around the node, the innermost last; else "name;class.function".
  const absl::string_view noted = BehindLast(';', FindText(metadata, "source_fn_stack"));
  const absl::string_view function =
      noted.empty() ? BehindLast(';', FindText(metadata, "torch_fn")) : BehindLast(',', noted);
  if (!function.empty()) node->set_source_fn(Symbol(ToUtf8(function)));
}

void GraphImporter::AddOutputs(const Json& outputs) {
  for (const Json& output : outputs.GetArray()) {
    for (absl::string_view name : OperandsOf(TaggedOf(&output)).names) {
      if (!name.empty()) graph_.add_outputs(Read(name));
    }
  }
}

bool GraphImporter::AddUnknownNames(const Json* specs) {
  if (specs == nullptr) return false;
  const int known = graph_.outputs_size();
  for (const Json& spec : specs->GetArray()) {
    const absl::string_view name = NameInSignature(spec);
    if (!name.empty() && !values_.contains(name)) graph_.add_outputs(Read(name));
  }
  return graph_.outputs_size() > known;
}

std::vector<std::optional<int>> GraphImporter::ChannelAxes() const {
  std::vector<std::optional<int>> axes(static_cast<size_t>(graph_.values_size()) + 1);
  for (const v1::Node& node : graph_.nodes()) {
    if (node.inputs().empty() || !absl::StrContains(graph_.symbols(node.op() - 1), "per_channel")) continue;
    for (const v1::Attribute& attribute : node.attributes()) {
      if (graph_.symbols(attribute.name() - 1) != "axis" || axes[node.inputs(0)].has_value()) continue;
      const int rank = node.inputs(0) > 0 ? graph_.values(node.inputs(0) - 1).dims_size() : 0;
      const int64_t axis = attribute.i() < 0 ? attribute.i() + rank : attribute.i();
      if (axis >= 0 && axis < rank) axes[node.inputs(0)] = static_cast<int>(axis);
    }
  }
  return axes;
}

absl::Status GraphImporter::ReadConstants() {
  const std::vector<std::optional<int>> axes = ChannelAxes();
  for (const auto& [id, parameter] : constants_) {
    absl::Status status = program_.payloads.Read(parameter, axes[id], graph_.mutable_values(id - 1));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphImporter::Import(const Json& source, const Json* signature) {
  graph_.set_origin(v1::Graph::PT2E);
  const Json* inputs = FindArray(&source, "inputs");
  const Json* outputs = FindArray(&source, "outputs");
  const Json* nodes = FindArray(&source, "nodes");
  const Json* tensors = FindObject(&source, "tensor_values");
  if (inputs == nullptr || outputs == nullptr || nodes == nullptr || tensors == nullptr) {
    return Damaged("lacks its inputs, outputs, nodes or tensor_values");
  }
  for (const auto& [name, meta] : tensors->GetObject()) {
    if (!meta.IsObject()) continue;
    if (const char* missing = Incomplete(meta))
      return Damaged(absl::StrCat("tensor '", ToUtf8(TextOf(&name)), "' ", missing));
    tensors_.insert_or_assign(TextOf(&name), &meta);
  }
  if (signature != nullptr) {
    if (absl::Status status = CheckSignature(*signature, *inputs, *outputs); !status.ok()) return status;
  }
  if (absl::Status status = AddInputs(*inputs, signature); !status.ok()) return status;
  if (absl::Status status = AddNodes(*nodes); !status.ok()) return status;
  AddOutputs(*outputs);
  const bool unknown = AddUnknownNames(FindArray(signature, "input_specs"));
  if (signature != nullptr) {
    if (absl::Status status = CheckInputNames(*signature, *inputs, unknown); !status.ok()) return status;
    if (absl::Status status = CheckOutputNames(*signature, *outputs); !status.ok()) return status;
  }
  AddUnknownNames(FindArray(signature, "output_specs"));
  const bool converted = std::any_of(symbols_.begin(), symbols_.end(), [](const auto& symbol) {
    return absl::StartsWith(symbol.first, "quantized_decomposed.") || absl::StartsWith(symbol.first, "torchao.");
  });
  graph_.set_stage(converted ? v1::STAGE_CONVERTED : v1::STAGE_ANNOTATED);
  return ReadConstants();
}

}  // namespace quantgate::pt2
