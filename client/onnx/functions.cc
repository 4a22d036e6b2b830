#include "client/onnx/functions.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/error.h"
#include "client/text.h"
#include "google/protobuf/unknown_field_set.h"
#include "rules/operators/definition.h"
#include "rules/operators/operator.h"

namespace quantgate {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// Fields that are newer than the schema we compile (ONNX 1.12).
constexpr int kNodeOverload = 8;
constexpr int kFunctionAttributeProto = 11;
constexpr int kFunctionOverload = 13;

std::vector<std::string> NewerField(const google::protobuf::Message& message, int number) {
  std::vector<std::string> values;
  const google::protobuf::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      values.push_back(field.length_delimited());
    }
  }
  return values;
}

absl::string_view Domain(absl::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

template <typename Message>
std::string KeyOf(const Message& message, absl::string_view name, int overload) {
  const std::vector<std::string> overloads = NewerField(message, overload);
  const std::string last = overloads.empty() ? "" : overloads.back();
  return absl::StrCat(Domain(message.domain()), absl::string_view("\0", 1), name, absl::string_view("\0", 1), last);
}

const onnx::AttributeProto* FindAttribute(const google::protobuf::RepeatedPtrField<onnx::AttributeProto>& attributes,
                                          const std::string& name) {
  const auto found = absl::c_find_if(attributes, [&](const auto& attribute) { return attribute.name() == name; });
  return found == attributes.end() ? nullptr : &*found;
}

// Whether runtimes have such an operator: then it is what a node of that name means, whatever function there is. ONNX
// leaves that to them, and ONNX Runtime has it so.
bool HasOperator(absl::string_view domain, absl::string_view op_type) {
  if (Domain(domain).empty() || domain == "ai.onnx.ml") return true;  // nobody else names anything there
  if (domain != "com.microsoft") return false;
  const std::string name = absl::StrCat(domain, "::", op_type);
  return FindBinding(v1::Graph::ONNX, name) != nullptr || !DefinitionsOf(name).empty();
}

// Names that the file uses, and those that were made.
class NamePool {
 public:
  void Note(const std::string& name) { used_.insert(name); }
  std::string Fresh(const std::string& wanted) {
    if (used_.insert(wanted).second) return wanted;
    std::string name;
    int& count = taken_.try_emplace(wanted, 0).first->second;
    do {
      name = absl::StrCat(wanted, "_", ++count);
    } while (!used_.insert(name).second);
    return name;
  }

 private:
  absl::flat_hash_set<std::string> used_;
  absl::flat_hash_map<std::string, int> taken_;
};

// New names for the tensors of one call; those of bodies inside it see the ones around them.
struct Names {
  const Names* outer = nullptr;
  absl::flat_hash_map<std::string, std::string> own;
};

class Inliner {
 public:
  Inliner(const FunctionLimits& limits, const onnx::ModelProto& model) : limits_(limits) {
    for (const onnx::FunctionProto& function : model.functions()) {
      functions_.try_emplace(KeyOf(function, function.name(), kFunctionOverload), &function);
    }
    for (const onnx::OperatorSetIdProto& import : model.opset_import()) imported_.emplace(Domain(import.domain()));
    NoteNames(model.graph());
  }

  absl::Status Expand(onnx::GraphProto* graph) {
    Nodes expanded;
    for (onnx::NodeProto& node : *graph->mutable_node()) {
      const onnx::FunctionProto* function = FunctionOf(node);
      absl::Status status = ExpandBodies(&node);
      if (status.ok() && function != nullptr) {
        status = Call(*function, node, &expanded);
      } else {
        expanded.Add(std::move(node));
      }
      if (!status.ok()) return status;
    }
    graph->mutable_node()->Swap(&expanded);
    return absl::OkStatus();
  }

 private:
  const onnx::FunctionProto* FunctionOf(const onnx::NodeProto& node) const {
    if (HasOperator(node.domain(), node.op_type())) return nullptr;
    const auto found = functions_.find(KeyOf(node, node.op_type(), kNodeOverload));
    return found == functions_.end() ? nullptr : found->second;
  }

  absl::Status ExpandBodies(onnx::NodeProto* node) {
    for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
      absl::Status status;
      if (attribute.has_g()) status = Expand(attribute.mutable_g());
      for (int i = 0; i < attribute.graphs_size() && status.ok(); ++i) status = Expand(attribute.mutable_graphs(i));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Call(const onnx::FunctionProto& function, const onnx::NodeProto& call, Nodes* out) {
    const std::string name = ToUtf8(absl::StrCat(call.domain(), "::", call.op_type()));
    if (absl::Status status = CheckArguments(function, name, call); !status.ok()) return status;
    if (absl::c_linear_search(calls_, &function)) {
      return UnreadableFile(absl::StrCat("function ", name, " calls itself"));
    }
    if (static_cast<int>(calls_.size()) >= limits_.max_depth) {
      return BeyondLimit(absl::StrCat("functions call each other more than ", limits_.max_depth, " deep"));
    }
    calls_.push_back(&function);
    const std::string prefix = nodes_.Fresh(call.name().empty() ? call.op_type() : call.name());
    Names names;
    BindArguments(function, call, &names, out);
    for (const onnx::NodeProto& inner : function.node()) {
      for (const std::string& output : inner.output()) {
        if (names.own.contains(output) || output.empty()) continue;
        names.own.emplace(output, tensors_.Fresh(absl::StrCat(prefix, "/", output)));
      }
    }
    for (const onnx::NodeProto& inner : function.node()) {
      made_bytes_ += static_cast<int64_t>(inner.ByteSizeLong());
      if (++made_nodes_ > limits_.max_nodes || made_bytes_ > limits_.max_bytes) {
        return BeyondLimit(absl::StrCat("calls of functions come to more than ", limits_.max_nodes, " nodes or ",
                                        limits_.max_bytes, " bytes"));
      }
      onnx::NodeProto node = inner;
      node.set_name(nodes_.Fresh(absl::StrCat(prefix, "/", inner.name().empty() ? inner.op_type() : inner.name())));
      if (node.doc_string().empty()) node.set_doc_string(call.doc_string());
      Rename(prefix, &names, &node);
      PutAttributes(function, call, &node);
      const onnx::FunctionProto* next = FunctionOf(node);
      absl::Status status = ExpandBodies(&node);
      if (status.ok() && next != nullptr) {
        status = Call(*next, node, out);
      } else {
        out->Add(std::move(node));
      }
      if (!status.ok()) return status;
    }
    calls_.pop_back();
    // What is wrong with the function comes first: an import would not mend it.
    if (calls_.empty() && !imported_.contains(Domain(call.domain()))) {
      return CodedError(absl::StatusCode::kInvalidArgument, "FI003",
                        absl::StrCat("function ", name, " is called, and its domain not imported"));
    }
    return absl::OkStatus();
  }

  // Fewer inputs are holes; more mean nothing, and outputs are there or not. (ONNX Runtime refuses them.)
  static absl::Status CheckArguments(const onnx::FunctionProto& function, const std::string& name,
                                     const onnx::NodeProto& call) {
    const auto check = [&](int count, int most, const char* what) {
      if (count <= most) return absl::OkStatus();
      return UnreadableFile(
          absl::StrCat("node '", ToUtf8(call.name()), "' has ", count, what, "; function ", name, " has ", most));
    };
    absl::Status status = check(call.input_size(), function.input_size(), " inputs");
    if (status.ok()) status = check(call.output_size(), function.output_size(), " outputs");
    if (!status.ok() || call.output_size() == function.output_size()) return status;
    return UnreadableFile(absl::StrCat("node '", ToUtf8(call.name()), "' has ", call.output_size(),
                                       " outputs; function ", name, " has ", function.output_size(),
                                       ", and one that is not used needs a place"));
  }

  // The function's own arguments are called what the caller calls them.
  void BindArguments(const onnx::FunctionProto& function, const onnx::NodeProto& call, Names* names, Nodes* out) {
    for (int i = 0; i < function.input_size(); ++i) {
      names->own.try_emplace(function.input(i), i < call.input_size() ? call.input(i) : "");
    }
    for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      const auto [name, inserted] = names->own.try_emplace(function.output(i), call.output(i));
      if (inserted) continue;
      // One tensor under two names outside: an argument that is handed on.
      onnx::NodeProto* identity = out->Add();
      identity->set_op_type("Identity");
      identity->set_name(nodes_.Fresh(absl::StrCat(call.name(), "/", function.output(i))));
      identity->add_input(name->second);
      identity->add_output(call.output(i));
    }
  }

  // References to the caller's attributes become those, or the function's defaults; without either they go.
  void PutAttributes(const onnx::FunctionProto& function, const onnx::NodeProto& call, onnx::NodeProto* node) {
    for (int i = node->attribute_size() - 1; i >= 0; --i) {
      onnx::AttributeProto& attribute = *node->mutable_attribute(i);
      if (attribute.has_g()) PutAttributes(function, call, attribute.mutable_g());
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) PutAttributes(function, call, &body);
      if (attribute.ref_attr_name().empty()) continue;
      onnx::AttributeProto fallback;
      const onnx::AttributeProto* given = FindAttribute(call.attribute(), attribute.ref_attr_name());
      for (const std::string& bytes : NewerField(function, kFunctionAttributeProto)) {
        if (given == nullptr && fallback.ParseFromString(bytes) && fallback.name() == attribute.ref_attr_name()) {
          given = &fallback;
        }
      }
      if (given == nullptr) {
        node->mutable_attribute()->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = *given;
      attribute.set_name(name);
    }
  }
  void PutAttributes(const onnx::FunctionProto& function, const onnx::NodeProto& call, onnx::GraphProto* body) {
    for (onnx::NodeProto& node : *body->mutable_node()) PutAttributes(function, call, &node);
  }

  void Rename(const std::string& prefix, Names* names, std::string* name) {
    if (name->empty()) return;
    for (const Names* scope = names; scope != nullptr; scope = scope->outer) {
      if (const auto found = scope->own.find(*name); found != scope->own.end()) {
        *name = found->second;
        return;
      }
    }
    std::string fresh = tensors_.Fresh(absl::StrCat(prefix, "/", *name));
    names->own.emplace(*name, fresh);
    *name = std::move(fresh);
  }

  void Rename(const std::string& prefix, Names* names, onnx::NodeProto* node) {
    for (std::string& input : *node->mutable_input()) Rename(prefix, names, &input);
    for (std::string& output : *node->mutable_output()) Rename(prefix, names, &output);
    for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
      if (attribute.has_g()) Rename(prefix, names, attribute.mutable_g());
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) Rename(prefix, names, &body);
    }
  }

  // What a body defines is its own, whatever it is called outside.
  void Rename(const std::string& prefix, const Names* outer, onnx::GraphProto* body) {
    Names names{outer, {}};
    const auto define = [&](std::string* name) {
      if (name->empty()) return;
      const auto [known, inserted] = names.own.try_emplace(*name);
      if (inserted) known->second = tensors_.Fresh(absl::StrCat(prefix, "/", *name));
      *name = known->second;
    };
    for (onnx::ValueInfoProto& input : *body->mutable_input()) define(input.mutable_name());
    for (onnx::TensorProto& tensor : *body->mutable_initializer()) define(tensor.mutable_name());
    for (onnx::SparseTensorProto& sparse : *body->mutable_sparse_initializer()) {
      define(sparse.mutable_values()->mutable_name());
    }
    for (const onnx::NodeProto& node : body->node()) {
      for (std::string output : node.output()) define(&output);
    }
    for (onnx::NodeProto& node : *body->mutable_node()) Rename(prefix, &names, &node);
    for (onnx::ValueInfoProto& info : *body->mutable_value_info()) Rename(prefix, &names, info.mutable_name());
    for (onnx::ValueInfoProto& output : *body->mutable_output()) Rename(prefix, &names, output.mutable_name());
  }

  void NoteNames(const onnx::GraphProto& graph) {
    for (const onnx::ValueInfoProto& input : graph.input()) tensors_.Note(input.name());
    for (const onnx::TensorProto& tensor : graph.initializer()) tensors_.Note(tensor.name());
    for (const onnx::NodeProto& node : graph.node()) {
      // A call's own name becomes the prefix of what is inside.
      if (FunctionOf(node) == nullptr) nodes_.Note(node.name());
      for (const std::string& input : node.input()) tensors_.Note(input);
      for (const std::string& output : node.output()) tensors_.Note(output);
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g()) NoteNames(attribute.g());
        for (const onnx::GraphProto& body : attribute.graphs()) NoteNames(body);
      }
    }
  }

  const FunctionLimits limits_;
  absl::flat_hash_map<std::string, const onnx::FunctionProto*> functions_;
  absl::flat_hash_set<std::string> imported_;      // domains, by the model itself
  std::vector<const onnx::FunctionProto*> calls_;  // that are being expanded, outermost first
  NamePool nodes_;
  NamePool tensors_;
  int64_t made_nodes_ = 0;
  int64_t made_bytes_ = 0;
};

// An operator set that the model has in another version stays the model's: a file has one version of each.
void ImportOpsets(onnx::ModelProto* model) {
  absl::flat_hash_set<std::string> known;
  for (const onnx::OperatorSetIdProto& import : model->opset_import()) known.emplace(Domain(import.domain()));
  for (const onnx::FunctionProto& function : model->functions()) {
    for (const onnx::OperatorSetIdProto& import : function.opset_import()) {
      if (known.emplace(Domain(import.domain())).second) *model->add_opset_import() = import;
    }
  }
}

// Which of two a call means nobody can tell.
absl::Status CheckNames(const onnx::ModelProto& model) {
  absl::flat_hash_set<std::string> names;
  for (const onnx::FunctionProto& function : model.functions()) {
    if (names.insert(KeyOf(function, function.name(), kFunctionOverload)).second) continue;
    return UnreadableFile(
        absl::StrCat("function ", ToUtf8(absl::StrCat(function.domain(), "::", function.name())), " is there twice"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InlineFunctions(const FunctionLimits& limits, onnx::ModelProto* model) {
  if (model->functions().empty()) return absl::OkStatus();
  if (absl::Status status = CheckNames(*model); !status.ok()) return status;
  Inliner inliner(limits, *model);
  ImportOpsets(model);
  return inliner.Expand(model->mutable_graph());
}

}  // namespace quantgate
