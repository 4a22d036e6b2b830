#include "client/qnn_net/net_importer.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/json/document.h"
#include "client/qnn_net/net_encoding.h"
#include "client/qnn_net/net_types.h"
#include "client/text.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

using qnn_net::DataTypeOf;
using qnn_net::Malformed;

// Numbers of a parameter that are sent; strides, pads and axes are a handful.
constexpr int kMaxParameterNumbers = 65'536;

// Of QNN's own operators.
constexpr absl::string_view kQnnPackage = "qti.aisw";

// Whether a number of a parameter is one of its type. What a type is that has no name here is not known.
bool IsOf(v1::DataType type, JsonValue value) {
  if (type == v1::DATA_TYPE_UNSPECIFIED) return value.is_number() || value.is_bool() || value.is_string();
  if (type == v1::DATA_TYPE_STRING) return value.is_string();
  if (type == v1::DATA_TYPE_BOOL)
    return value.is_bool() || (value.is_integer() && (value.number() == 0 || value.number() == 1));
  if (!IsInteger(type)) return value.is_number();
  return value.is_integer() && value.number() >= static_cast<double>(MinOf(type)) &&
         value.number() <= static_cast<double>(MaxOf(type));
}

// One of the numbers of TensorType; -1: another, or none.
int64_t TensorTypeOf(JsonValue tensor) {
  const JsonValue::Member type = tensor.Find("type");
  return type.found && type.value.is_integer() ? static_cast<int64_t>(type.value.number()) : -1;
}

// "data_type" of `what`. UNSPECIFIED: a number that may be one of a later version. A tensor that is left out has none.
absl::Status ReadDataType(JsonValue tensor, absl::string_view what, qnn_net::DataType& type) {
  const JsonValue::Member member = tensor.Find("data_type");
  if (!member.found || !member.value.is_integer()) {
    return Malformed(absl::StrCat(what, " without an integer \"data_type\""), tensor);
  }
  const int64_t number = static_cast<int64_t>(member.value.number());
  if (!qnn_net::IsDataType(number) && TensorTypeOf(tensor) != qnn_net::kNull) {
    return Malformed(absl::StrCat(what, " with \"data_type\" ", member.value.Excerpt(), ", which is no data type"),
                     member.value);
  }
  type = DataTypeOf(number);
  return absl::OkStatus();
}

// Readers take different ones of two fields of one name. Where keys are names (of tensors, of nodes), that there are
// two is a fact. The document's depth bounds the recursion.
absl::Status EachFieldOnce(JsonValue value, bool are_names = false) {
  absl::flat_hash_set<absl::string_view> fields;
  absl::Status status;
  const bool is_object = value.is_object();
  value.ForEach([&](absl::string_view key, JsonValue inner) {
    if (is_object && !are_names && !fields.insert(key).second) {
      status = Malformed(absl::StrCat("the field \"", ToUtf8(key), "\" is given again"), inner);
    } else {
      status = EachFieldOnce(inner, key == "tensors" || key == "nodes");
    }
    return status.ok();
  });
  return status;
}

// Lists inside of each other have one length beside each other, as rows have; a flat list is one too.
bool IsRegular(JsonValue data) {
  int32_t length = -1;  // of the lists in it; -1: of none so far
  bool regular = true, has_numbers = false;
  data.ForEach([&](absl::string_view, JsonValue element) {
    if (!element.is_array()) {
      has_numbers = true;
    } else if (length >= 0 && element.size() != length) {
      regular = false;
    } else {
      length = element.size();
      regular = IsRegular(element);
    }
    if (has_numbers && length >= 0) regular = false;
    return regular;
  });
  return regular;
}

class NetImporter {
 public:
  NetImporter(const ImportOptions& options, v1::Graph* graph) : options_(options), graph_(*graph) {}

  absl::Status Import(JsonValue root) {
    graph_.set_origin(v1::Graph::QNN);
    graph_.set_stage(v1::STAGE_CONVERTED);
    graph_.set_producer("qnn converter");
    if (absl::Status status = EachFieldOnce(root); !status.ok()) return status;
    const JsonValue::Member graph = root.Find("graph");
    if (!graph.found || !graph.value.is_object()) return Malformed("no object \"graph\"", root);
    const JsonValue::Member tensors = graph.value.Find("tensors");
    const JsonValue::Member nodes = graph.value.Find("nodes");
    if (!tensors.found || !tensors.value.is_object()) return Malformed("no object \"tensors\"", graph.value);
    if (!nodes.found || !nodes.value.is_object()) return Malformed("no object \"nodes\"", graph.value);
    if (nodes.value.size() > options_.max_nodes) {
      return BeyondLimit(absl::StrCat("has ", nodes.value.size(), " nodes; the limit is ", options_.max_nodes));
    }
    absl::Status status;
    tensors.value.ForEach([&](absl::string_view name, JsonValue tensor) {
      status = AddTensor(name, tensor);
      return status.ok();
    });
    if (!status.ok()) return status;
    nodes.value.ForEach([&](absl::string_view name, JsonValue node) {
      status = AddNode(name, node);
      return status.ok();
    });
    return status;
  }

 private:
  int Symbol(absl::string_view text) {
    const auto [it, added] = symbols_.emplace(ToUtf8(text), graph_.symbols_size() + 1);
    if (added) graph_.add_symbols(it->first);
    return it->second;
  }

  int Use(absl::string_view name) {
    const auto [it, added] = ids_.emplace(ToUtf8(name), graph_.values_size() + 1);
    if (added) graph_.add_values()->set_name(it->first);
    return it->second;
  }

  // Type, shape and encoding, wherever the tensor is.
  absl::Status Describe(JsonValue tensor, v1::Value& value) {
    if (!tensor.is_object()) return Malformed("a tensor is no object", tensor);
    qnn_net::DataType data_type;
    if (absl::Status status = ReadDataType(tensor, "a tensor", data_type); !status.ok()) return status;
    value.set_dtype(data_type.type);
    JsonValue::Member dims = tensor.Find("dims");
    if (!dims.found) dims = tensor.Find("current_dims");
    if (dims.found) {
      if (!dims.value.is_array()) return Malformed("\"dims\" is no list", dims.value);
      value.set_has_shape(true);
      absl::Status status;
      dims.value.ForEach([&](absl::string_view, JsonValue size) {
        if (!size.is_integer()) {
          status = Malformed("a size is no integer", size);
          return false;
        }
        value.add_dims(static_cast<int64_t>(size.number()));
        return true;
      });
      if (!status.ok()) return status;
    }
    if (!data_type.quantized) return absl::OkStatus();
    const JsonValue::Member quant_params = tensor.Find("quant_params");
    if (quant_params.found && !quant_params.value.is_object()) {
      return Malformed("\"quant_params\" is no object", quant_params.value);
    }
    v1::Spec& spec = *graph_.add_specs();
    value.set_spec(graph_.specs_size());
    return qnn_net::ReadEncoding(quant_params.found ? quant_params.value : tensor, data_type, spec);
  }

  absl::Status AddTensor(absl::string_view name, JsonValue tensor) {
    const int before = graph_.values_size();
    int id = Use(name);
    if (id <= before) {  // the key again: a second tensor of the name
      graph_.add_values()->set_name(ToUtf8(name));
      id = graph_.values_size();
    }
    v1::Value& value = *graph_.mutable_values(id - 1);
    if (absl::Status status = Describe(tensor, value); !status.ok()) return status;
    const JsonValue::Member type = tensor.Find("type");
    if (type.found && !type.value.is_integer()) return Malformed("the \"type\" of a tensor is no integer", type.value);
    switch (TensorTypeOf(tensor)) {
      case qnn_net::kAppWrite:
        graph_.add_inputs(id);
        break;
      case qnn_net::kAppRead:
        graph_.add_outputs(id);
        break;
      case qnn_net::kAppReadWrite:
        graph_.add_inputs(id);
        graph_.add_outputs(id);
        break;
      case qnn_net::kStatic:
        value.mutable_constant()->set_stored_bytes(-1);
        break;
      case qnn_net::kNull:
        omitted_.emplace(ToUtf8(name), true);
        break;
      default:
        break;
    }
    return absl::OkStatus();
  }

  absl::Status AddNode(absl::string_view name, JsonValue source) {
    if (!source.is_object()) return Malformed("a node is no object", source);
    const JsonValue::Member type = source.Find("type");
    if (!type.found || !type.value.is_string()) return Malformed("a node without a \"type\"", source);
    v1::Node& node = *graph_.add_nodes();
    node.set_name(ToUtf8(name));
    // Operators of other packages have what names they like.
    const JsonValue::Member package = source.Find("package");
    if (package.found && !package.value.is_string()) return Malformed("\"package\" is no text", package.value);
    const bool foreign = package.found && package.value.text() != kQnnPackage;
    node.set_op(
        Symbol(foreign ? absl::StrCat(package.value.text(), "::", type.value.text()) : std::string(type.value.text())));
    if (absl::Status status = AddNames(source, "input_names", *node.mutable_inputs()); !status.ok()) return status;
    if (absl::Status status = AddNames(source, "output_names", *node.mutable_outputs()); !status.ok()) return status;
    absl::flat_hash_set<absl::string_view> parameters;
    const auto add_scalar = [&](absl::string_view key, JsonValue value) { return AddScalar(key, value, node); };
    if (absl::Status status = AddParameters(source, "scalar_params", parameters, add_scalar); !status.ok()) {
      return status;
    }
    const auto add_tensor = [&](absl::string_view key, JsonValue value) {
      return AddTensorParameter(key, value, node);
    };
    return AddParameters(source, "tensor_params", parameters, add_tensor);
  }

  // `parameters`: those of the node so far. Of two of one name a backend takes one.
  static absl::Status AddParameters(JsonValue node, const char* field,
                                    absl::flat_hash_set<absl::string_view>& parameters,
                                    absl::FunctionRef<absl::Status(absl::string_view, JsonValue)> add) {
    const JsonValue::Member params = node.Find(field);
    if (!params.found) return absl::OkStatus();
    if (!params.value.is_object()) return Malformed(absl::StrCat("\"", field, "\" is no object"), params.value);
    absl::Status status;
    params.value.ForEach([&](absl::string_view key, JsonValue value) {
      status = parameters.insert(key).second
                   ? add(key, value)
                   : Malformed(absl::StrCat("the parameter \"", ToUtf8(key), "\" is given again"), value);
      return status.ok();
    });
    return status;
  }

  absl::Status AddNames(JsonValue node, const char* key, google::protobuf::RepeatedField<int32_t>& ids) {
    const JsonValue::Member names = node.Find(key);
    if (!names.found || !names.value.is_array())
      return Malformed(absl::StrCat("a node without a list \"", key, "\""), node);
    absl::Status status;
    names.value.ForEach([&](absl::string_view, JsonValue name) {
      if (!name.is_string()) status = Malformed("a tensor's name is no text", name);
      ids.Add(name.text().empty() || omitted_.contains(ToUtf8(name.text())) ? 0 : Use(name.text()));
      return status.ok();
    });
    return status;
  }

  // {"306": 1}: the type's number, as text, and the value.
  absl::Status AddScalar(absl::string_view key, JsonValue typed, v1::Node& node) {
    if (!typed.is_object() || typed.size() != 1) return Malformed("a scalar parameter is no type and value", typed);
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol(key));
    absl::Status status;
    typed.ForEach([&](absl::string_view type_text, JsonValue value) {
      int64_t number = 0;
      if (!absl::SimpleAtoi(type_text, &number) || !qnn_net::IsDataType(number)) {
        status = Malformed(absl::StrCat("a scalar parameter of type '", ToUtf8(type_text), "', which is no data type"),
                           value);
        return false;
      }
      const v1::DataType type = DataTypeOf(number).type;
      attribute.set_param_type(type);
      if (!IsOf(type, value)) {
        status = Malformed(absl::StrCat("a scalar parameter of type ", type_text, " is ", value.Excerpt()), value);
      } else if (value.is_string()) {
        attribute.set_s(ToUtf8(value.text()));
      } else if (type == v1::DATA_TYPE_BOOL) {
        attribute.set_b(value.is_true() || value.number() != 0);
      } else if (value.is_integer() && !IsFloat(type)) {
        attribute.set_i(static_cast<int64_t>(value.number()));
      } else {
        attribute.set_f(value.number());
      }
      return true;
    });
    return status;
  }

  // {"name_of_the_tensor": {"data_type": …, "dims": [2, 2], "data": [[1, 1], [0, 0]]}}
  absl::Status AddTensorParameter(absl::string_view key, JsonValue named, v1::Node& node) {
    if (!named.is_object() || named.size() != 1) return Malformed("a tensor parameter is no name and tensor", named);
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol(key));
    absl::Status status;
    named.ForEach([&](absl::string_view, JsonValue tensor) {
      status = AddParameterTensor(tensor, attribute);
      return false;
    });
    return status;
  }

  static absl::Status AddParameterTensor(JsonValue tensor, v1::Attribute& attribute) {
    const JsonValue::Member data = tensor.Find("data");
    qnn_net::DataType read;
    if (absl::Status status = ReadDataType(tensor, "the tensor of a parameter", read); !status.ok()) return status;
    if (!data.found) return Malformed("the tensor of a parameter without \"data\"", tensor);
    const v1::DataType data_type = read.type;
    attribute.set_param_type(data_type);
    int64_t count = 0;
    if (absl::Status status = AddNumbers(data.value, data_type, attribute, count); !status.ok()) return status;
    const JsonValue::Member dims = tensor.Find("dims");
    if (!dims.found) return absl::OkStatus();
    double elements = 1;
    absl::Status status;
    dims.value.ForEach([&](absl::string_view, JsonValue size) {
      if (!size.is_integer() || size.number() < 0) status = Malformed("a size is no natural number", size);
      elements *= size.number();
      return status.ok();
    });
    if (!status.ok()) return status;
    if (!IsRegular(data.value)) return Malformed("the rows of a parameter have different lengths", data.value);
    if (!dims.value.is_array() || elements != static_cast<double>(count)) {
      return Malformed(
          absl::StrCat("the tensor of a parameter has ", count, " numbers, and dims ", dims.value.Excerpt()),
          dims.value);
    }
    return absl::OkStatus();
  }

  // Lists inside of each other, in row-major order.
  static absl::Status AddNumbers(JsonValue data, v1::DataType type, v1::Attribute& attribute, int64_t& count) {
    if (data.is_array()) {
      absl::Status status;
      data.ForEach([&](absl::string_view, JsonValue element) {
        status = AddNumbers(element, type, attribute, count);
        return status.ok();
      });
      return status;
    }
    if (!IsOf(type, data)) return Malformed(absl::StrCat("a number of a parameter is ", data.Excerpt()), data);
    ++count;
    if (data.is_string()) return absl::OkStatus();
    // Some of them would be taken for all.
    if (count > kMaxParameterNumbers) {
      attribute.clear_value();
      return absl::OkStatus();
    }
    if (IsFloat(type)) {
      attribute.mutable_floats()->add_values(data.number());
    } else {
      attribute.mutable_ints()->add_values(static_cast<int64_t>(data.is_integer() ? data.number()
                                                                : data.is_true()  ? 1
                                                                                  : 0));
    }
    return absl::OkStatus();
  }

  const ImportOptions& options_;
  v1::Graph& graph_;
  absl::flat_hash_map<std::string, int> symbols_;
  absl::flat_hash_map<std::string, int> ids_;
  absl::flat_hash_map<std::string, bool> omitted_;
};

}  // namespace

absl::StatusOr<v1::Graph> ImportQnnNet(absl::string_view bytes, const ImportOptions& options) {
  absl::StatusOr<JsonDocument> document = JsonDocument::Parse(bytes);
  if (!document.ok()) return document.status();
  v1::Graph graph;
  if (absl::Status status = NetImporter(options, &graph).Import(document->root()); !status.ok()) return status;
  return graph;
}

}  // namespace quantgate
