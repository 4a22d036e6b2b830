#include "tests/vendor/case_graph.h"

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/table.h"

namespace quantgate::vendor {
namespace {

using Json = nlohmann::json;

absl::StatusOr<db::ElementType> ParseType(const Json& json) {
  const std::string& name = json.get_ref<const std::string&>();
  const std::optional<db::ElementType> type = db::ElementTypeFromName(name);
  if (!type) return absl::InvalidArgumentError(absl::StrCat("unknown element type ", name));
  return *type;
}

bool IsSigned(v1::DataType type) {
  return type == v1::DATA_TYPE_INT4 || type == v1::DATA_TYPE_INT8 || type == v1::DATA_TYPE_INT16 ||
         type == v1::DATA_TYPE_INT32;
}

// One number or a list of them.
template <typename Add>
void ForEach(const Json& json, Add add) {
  if (!json.is_array()) {
    add(json);
    return;
  }
  for (const Json& entry : json) ForEach(entry, add);
}

// "ElementWiseBinary:ADD" is for the reader; the operation is among the parameters.
absl::string_view OperatorName(absl::string_view op) { return op.substr(0, op.find(':')); }

class Builder {
 public:
  Builder(const Json& config, v1::Graph& graph) : config_(config), graph_(graph) {}

  absl::Status Build(const std::string& op) {
    graph_.set_origin(v1::Graph::QNN);
    graph_.set_stage(v1::STAGE_CONVERTED);
    return config_.contains("nodes") ? BuildNodes() : BuildOne(op);
  }

 private:
  absl::Status BuildOne(const std::string& op) {
    v1::Node& node = *graph_.add_nodes();
    node.set_name("n");
    node.set_op(Symbol(OperatorName(op)));
    int position = 0;
    for (const Json& tensor : config_.at("inputs")) {
      const bool absent = tensor.value("null", false);
      if (!absent) {
        if (absl::Status status = AddTensor(tensor); !status.ok()) return status;
        node.add_inputs(graph_.values_size());
        node.add_input_args(position);
        if (!tensor.value("static", false)) graph_.add_inputs(graph_.values_size());
      }
      ++position;
    }
    for (const Json& tensor : config_.at("outputs")) {
      if (absl::Status status = AddTensor(tensor); !status.ok()) return status;
      node.add_outputs(graph_.values_size());
      graph_.add_outputs(graph_.values_size());
    }
    for (const auto& [name, param] : config_.at("params").items()) AddParam(name, param, node);
    return absl::OkStatus();
  }

  // Several operators, which name their tensors.
  absl::Status BuildNodes() {
    std::map<std::string, int> value_of;
    for (const Json& tensor : config_.at("tensors")) {
      if (absl::Status status = AddTensor(tensor); !status.ok()) return status;
      value_of[tensor.at("name").get<std::string>()] = graph_.values_size();
    }
    std::set<int> produced;
    std::set<int> consumed;
    const auto value = [&](const Json& name) {
      const auto found = value_of.find(name.get<std::string>());
      return found == value_of.end() ? 0 : found->second;
    };
    for (const Json& json : config_.at("nodes")) {
      v1::Node& node = *graph_.add_nodes();
      node.set_name(absl::StrCat("n", graph_.nodes_size() - 1));
      node.set_op(Symbol(OperatorName(json.at("op").get<std::string>())));
      for (const Json& name : json.at("inputs")) node.add_inputs(value(name));
      for (const Json& name : json.at("outputs")) node.add_outputs(value(name));
      consumed.insert(node.inputs().begin(), node.inputs().end());
      produced.insert(node.outputs().begin(), node.outputs().end());
      for (const auto& [name, param] : json.at("params").items()) AddParam(name, param, node);
    }
    if (consumed.contains(0) || produced.contains(0)) return absl::InvalidArgumentError("a node names no tensor");
    for (const int id : consumed) {
      if (!produced.contains(id) && !graph_.values(id - 1).has_constant()) graph_.add_inputs(id);
    }
    for (const int id : produced) {
      if (!consumed.contains(id)) graph_.add_outputs(id);
    }
    return absl::OkStatus();
  }

  int Symbol(absl::string_view text) {
    graph_.add_symbols(text.data(), text.size());
    return graph_.symbols_size();
  }

  absl::Status AddTensor(const Json& json) {
    absl::StatusOr<db::ElementType> type = ParseType(json.at("dtype"));
    if (!type.ok()) return type.status();
    v1::Value& value = *graph_.add_values();
    value.set_name(json.at("name").get<std::string>());
    value.set_dtype(type->type);
    value.set_has_shape(true);
    for (const Json& size : json.at("shape")) {
      if (size.is_number() && !size.is_number_integer()) return absl::InvalidArgumentError("a size is no integer");
      value.add_dims(size.get<int64_t>());
    }
    if (json.value("static", false)) AddConstant(json, value);
    if (!type->quantized) return absl::OkStatus();
    const auto encoding = json.find("encoding");
    const Json stated = encoding == json.end() ? Json() : *encoding;
    if (const int bits = stated.is_object() ? stated.value("bits", 8) : 8; bits < 1 || bits > 32) {
      return absl::InvalidArgumentError(absl::StrCat("an encoding of ", bits, " bits"));
    }
    value.set_spec(AddSpec(*type, stated, value));
    return absl::OkStatus();
  }

  // What a constant holds is known where the case says it.
  void AddConstant(const Json& json, v1::Value& value) {
    v1::Constant& constant = *value.mutable_constant();
    constant.set_stored_bytes(-1);
    const auto data = json.find("data");
    if (data == json.end()) return;
    const bool real = json.at("dtype").get_ref<const std::string&>().compare(0, 5, "FLOAT") == 0;
    ForEach(*data, [&](const Json& element) {
      real ? constant.add_reals(Number(element)) : constant.add_ints(element.get<int64_t>());
    });
  }

  int AddSpec(db::ElementType type, const Json& encoding, const v1::Value& value) {
    v1::Spec& spec = *graph_.add_specs();
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(type.type);
    if (!encoding.is_object() || encoding.at("kind") == "none") return graph_.specs_size();
    // In a QNN graph a range that is stated is a bit-width encoding.
    if (const auto bits = encoding.find("bits"); bits != encoding.end()) {
      const int64_t levels = int64_t{1} << bits->get<int>();
      spec.set_quant_min(IsSigned(type.type) ? -levels / 2 : 0);
      spec.set_quant_max(IsSigned(type.type) ? levels / 2 - 1 : levels - 1);
    }
    v1::QParams& qparams = *spec.mutable_qparams();
    ForEach(encoding.at("scale"), [&](const Json& scale) { qparams.add_scales(Number(scale)); });
    ForEach(encoding.at("zero_point"), [&](const Json& zero) { qparams.add_zero_points(Number(zero)); });
    AddGeometry(encoding, value, qparams);
    return graph_.specs_size();
  }

  static void AddGeometry(const Json& encoding, const v1::Value& value, v1::QParams& qparams) {
    const std::string& kind = encoding.at("kind").get_ref<const std::string&>();
    if (kind == "block") {  // a size for every dimension
      int axis = 0;
      for (const Json& size : encoding.at("block_size")) {
        qparams.add_axes(axis++);
        qparams.add_block_sizes(size.get<int64_t>());
      }
      return;
    }
    if (kind == "per_tensor") return;
    const int axis = encoding.at("axis").get<int>();
    qparams.add_axes(axis);
    if (kind != "block_expansion") return;
    // Blocks lie along the input channels, which are next to the output channels.
    const int blocked = axis == 0 ? 1 : axis - 1;
    const int64_t blocks = encoding.at("blocks_per_axis").get<int64_t>();
    qparams.add_axes(blocked);
    qparams.add_block_sizes(1);
    qparams.add_block_sizes(blocked < value.dims_size() && blocks > 0 ? value.dims(blocked) / blocks : 1);
    for (const Json& scale : encoding.at("block_scale")) qparams.add_block_scales(Number(scale));
    qparams.set_block_scale_bits(encoding.at("block_scale_bits").get<int>());
  }

  // JSON has no infinities and no NaN; writers put text.
  static double Number(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    const std::string& text = json.get_ref<const std::string&>();
    if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    return json.get<double>();  // throws, with the reason
  }

  void AddParam(const std::string& name, const Json& json, v1::Node& node) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol(name));
    const std::string& dtype = json.at("dtype").get_ref<const std::string&>();
    const bool real = dtype.compare(0, 5, "FLOAT") == 0;
    const auto data = json.find("data");
    if (data == json.end()) {
      const Json& value = json.at("value");
      if (dtype == "BOOL_8") {
        attribute.set_b(value.is_boolean() ? value.get<bool>() : value.get<int>() != 0);
      } else if (real) {
        attribute.set_f(Number(value));
      } else {
        attribute.set_i(value.get<int64_t>());
      }
    } else if (real) {
      attribute.mutable_floats();
      ForEach(*data, [&](const Json& value) { attribute.mutable_floats()->add_values(Number(value)); });
    } else {
      attribute.mutable_ints();
      ForEach(*data, [&](const Json& value) { attribute.mutable_ints()->add_values(value.get<int64_t>()); });
    }
  }

  const Json& config_;
  v1::Graph& graph_;
};

}  // namespace

absl::Status BuildGraph(const std::string& op, const Json& config, v1::Graph& graph) {
  return Builder(config, graph).Build(op);
}

}  // namespace quantgate::vendor
