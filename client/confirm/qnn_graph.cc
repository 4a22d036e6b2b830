#include "client/confirm/qnn_graph.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/confirm/element.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxBytes = int64_t{1} << 30;  // of one constant

// JSON has no infinities and no NaN; writers put text.
double Number(const Json& json) {
  double number = 0;
  if (json.is_string() && absl::SimpleAtod(json.get_ref<const std::string&>(), &number)) return number;
  return json.get<double>();  // throws, with the reason
}

// One number or nested lists of them, flat.
std::vector<double> Numbers(const Json& json) {
  if (!json.is_array()) return {Number(json)};
  std::vector<double> all;
  for (const Json& entry : json) {
    for (double number : Numbers(entry)) all.push_back(number);
  }
  return all;
}

int32_t OffsetOf(double zero_point) {
  const double offset = -zero_point;
  if (!(offset >= std::numeric_limits<int32_t>::min() && offset <= std::numeric_limits<int32_t>::max())) return 0;
  return static_cast<int32_t>(offset);
}

}  // namespace

class QnnGraphParser {
 public:
  explicit QnnGraphParser(QnnGraph& graph) : graph_(graph) {}

  absl::Status Operator(const std::string& op, const Json& config) {
    QnnGraph::Node& node = graph_.nodes_.emplace_back();
    node.type = op.substr(0, op.find(':'));
    node.name = "n0";
    for (const auto& [list, type, into] : {std::make_tuple("inputs", qnn_abi::kAppWrite, &node.inputs),
                                           std::make_tuple("outputs", qnn_abi::kAppRead, &node.outputs)}) {
      for (const Json& tensor : config.at(list)) {
        into->push_back(graph_.tensors_.size());
        if (absl::Status status = AddTensor(tensor, type); !status.ok()) return status;
      }
    }
    return AddParams(config.at("params"), node);
  }

  absl::Status Nodes(const Json& config) {
    std::map<std::string, size_t> index;
    for (const Json& tensor : config.at("tensors")) {
      index[tensor.at("name").get<std::string>()] = graph_.tensors_.size();
      if (absl::Status status = AddTensor(tensor, qnn_abi::kAppWrite); !status.ok()) return status;
    }
    std::set<size_t> consumed;
    for (const Json& json : config.at("nodes")) {
      QnnGraph::Node& node = graph_.nodes_.emplace_back();
      node.type = json.at("op").get<std::string>();
      node.type = node.type.substr(0, node.type.find(':'));
      node.name = absl::StrCat("n", graph_.nodes_.size() - 1);
      for (const auto& [list, into] :
           {std::make_pair("inputs", &node.inputs), std::make_pair("outputs", &node.outputs)}) {
        for (const Json& name : json.at(list)) {
          const auto found = index.find(name.get<std::string>());
          if (found == index.end()) return absl::InvalidArgumentError(absl::StrCat("no tensor ", name.dump()));
          into->push_back(found->second);
        }
      }
      consumed.insert(node.inputs.begin(), node.inputs.end());
      for (size_t output : node.outputs) graph_.tensors_[output].type = qnn_abi::kAppRead;
      if (absl::Status status = AddParams(json.at("params"), node); !status.ok()) return status;
    }
    for (size_t tensor : consumed) {
      if (graph_.tensors_[tensor].type == qnn_abi::kAppRead) graph_.tensors_[tensor].type = qnn_abi::kNative;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddTensor(const Json& json, qnn_abi::TensorType type) {
    return FillTensor(json, json.at("name").get<std::string>(), type, graph_.tensors_.emplace_back());
  }

  absl::Status FillTensor(const Json& json, const std::string& name, qnn_abi::TensorType type,
                          qnn_abi::Tensor& tensor) {
    tensor = {};
    tensor.version = 1;
    tensor.name = graph_.names_.emplace_back(name).c_str();
    tensor.quantize.definition = tensor.quantize.encoding = qnn_abi::kUndefined;
    if (json.value("null", false)) {
      tensor.type = qnn_abi::kNull;
      return absl::OkStatus();
    }
    const absl::StatusOr<Element> element = ElementFromName(json.at("dtype").get<std::string>());
    if (!element.ok()) return element.status();
    tensor.dtype = element->code;
    const bool is_static = json.value("static", false);
    tensor.type = is_static ? qnn_abi::kStatic : type;
    std::vector<uint32_t>& dims = graph_.sizes_.emplace_back();
    int64_t count = 1;
    for (const Json& size : json.at("shape")) {
      const auto dim = size.get<int64_t>();
      if (dim < 0 || dim > std::numeric_limits<uint32_t>::max() || __builtin_mul_overflow(count, dim, &count)) {
        return absl::InvalidArgumentError(absl::StrCat("size ", dim, " of ", name));
      }
      dims.push_back(static_cast<uint32_t>(dim));
    }
    tensor.rank = dims.size();
    tensor.dims = dims.data();
    if (const auto sparse = json.find("sparse"); sparse != json.end()) {
      tensor.version = 2;
      tensor.format = qnn_abi::kSparse;
      tensor.sparse = {qnn_abi::kHybridCoo, sparse->at("elements").get<uint32_t>(),
                       sparse->at("dimensions").get<uint32_t>()};
    }
    const Json none;
    const auto encoding = json.find("encoding");
    const Json& stated = encoding == json.end() ? none : *encoding;
    if (absl::Status status = FillEncoding(stated, dims.size(), tensor.quantize); !status.ok()) return status;
    if (!is_static) return absl::OkStatus();
    if (count > kMaxBytes / element->bytes) return absl::InvalidArgumentError(absl::StrCat(name, " is too large"));
    const auto given = json.find("data");
    std::vector<uint8_t>& bytes = graph_.bytes_.emplace_back();
    if (given != json.end()) {
      bytes = Encode(*element, Numbers(*given));
    } else {
      bytes = MadeUp(*element, count, stated);
    }
    if (static_cast<int64_t>(bytes.size()) != count * element->bytes) {
      return absl::InvalidArgumentError(absl::StrCat(name, " has data for another shape"));
    }
    tensor.data = bytes.data();
    tensor.data_size = bytes.size();
    return absl::OkStatus();
  }

  std::vector<qnn_abi::ScaleOffset>& Entries(const Json& encoding) {
    const std::vector<double> scales = Numbers(encoding.at("scale"));
    const std::vector<double> zero_points = Numbers(encoding.at("zero_point"));
    std::vector<qnn_abi::ScaleOffset>& entries = graph_.entries_.emplace_back();
    for (size_t i = 0; i < scales.size(); ++i) {
      const double zero_point = zero_points.empty() ? 0 : zero_points[std::min(i, zero_points.size() - 1)];
      entries.push_back({static_cast<float>(scales[i]), OffsetOf(zero_point)});
    }
    if (entries.empty()) entries.push_back({});
    return entries;
  }

  absl::Status FillEncoding(const Json& json, size_t rank, qnn_abi::QuantizeParams& out) {
    if (!json.is_object() || json.at("kind") == "none") return absl::OkStatus();
    const std::string kind = json.at("kind").get<std::string>();
    const int bits = json.value("bits", 0);
    std::vector<qnn_abi::ScaleOffset>& entries = Entries(json);
    const uint32_t count = entries.size();
    out.definition = qnn_abi::kDefined;
    if (kind == "per_tensor" && bits == 0) {
      out.encoding = qnn_abi::kScaleOffset;
      out.scale_offset = entries[0];
    } else if (kind == "per_tensor") {
      out.encoding = qnn_abi::kBwScaleOffset;
      out.bw_scale_offset = {static_cast<uint32_t>(bits), entries[0].scale, entries[0].offset};
    } else if (kind == "per_channel" && bits == 0) {
      out.encoding = qnn_abi::kAxisScaleOffset;
      out.axis_scale_offset = {json.at("axis").get<int32_t>(), count, entries.data()};
    } else if (kind == "per_channel") {
      std::vector<float>& scales = graph_.scales_.emplace_back();
      std::vector<int32_t>& offsets = graph_.offsets_.emplace_back();
      for (const qnn_abi::ScaleOffset& entry : entries) {
        scales.push_back(entry.scale);
        offsets.push_back(entry.offset);
      }
      out.encoding = qnn_abi::kBwAxisScaleOffset;
      out.bw_axis_scale_offset = {static_cast<uint32_t>(bits), json.at("axis").get<int32_t>(), count, scales.data(),
                                  offsets.data()};
    } else if (kind == "block") {
      std::vector<uint32_t>& sizes = graph_.sizes_.emplace_back();
      for (double size : Numbers(json.at("block_size"))) sizes.push_back(static_cast<uint32_t>(size));
      if (sizes.size() != rank) return absl::InvalidArgumentError("block_size needs an entry for every dimension");
      out.encoding = qnn_abi::kBlock;
      out.block = {sizes.data(), entries.data()};
    } else if (kind == "block_expansion") {
      std::vector<uint8_t>& scales = graph_.bytes_.emplace_back();
      for (double scale : Numbers(json.at("block_scale"))) scales.push_back(static_cast<uint8_t>(scale));
      out.encoding = qnn_abi::kBlockwiseExpansion;
      out.expansion = &graph_.expansions_.emplace_back(qnn_abi::BlockwiseExpansion{
          json.at("axis").get<int32_t>(), entries.data(), json.at("blocks_per_axis").get<uint32_t>(),
          json.at("block_scale_bits").get<uint32_t>(), 0, scales.data()});
    } else {
      return absl::InvalidArgumentError(absl::StrCat("unknown encoding ", kind));
    }
    return absl::OkStatus();
  }

  absl::Status AddParams(const Json& json, QnnGraph::Node& node) {
    for (const auto& [name, value] : json.items()) {
      qnn_abi::Param& param = node.params.emplace_back();
      param = {};
      param.name = graph_.names_.emplace_back(name).c_str();
      const std::string dtype = value.at("dtype").get<std::string>();
      const absl::StatusOr<Element> element = ElementFromName(dtype);
      if (!element.ok()) return element.status();
      if (const auto data = value.find("data"); data != value.end()) {
        Json tensor = {{"dtype", dtype}, {"static", true}, {"data", *data}};
        tensor["shape"] = value.contains("shape") ? value.at("shape") : ShapeOf(*data);
        param.kind = 1;
        const std::string full = absl::StrCat(node.name, "_", name);
        if (absl::Status status = FillTensor(tensor, full, qnn_abi::kStatic, param.tensor); !status.ok()) return status;
        continue;
      }
      const Json& scalar = value.at("value");
      param.scalar = {};
      param.scalar.dtype = element->code;
      const double number = scalar.is_boolean() ? scalar.get<bool>() : Number(scalar);
      const std::vector<uint8_t> bytes = Encode(*element, {number});
      std::memcpy(&param.scalar.u64, bytes.data(), std::min<size_t>(bytes.size(), sizeof(param.scalar.u64)));
    }
    return absl::OkStatus();
  }

  // Of lists in lists, by the first of each.
  static Json ShapeOf(const Json& data) {
    Json shape = Json::array();
    for (const Json* level = &data; level->is_array(); level = &level->front()) {
      shape.push_back(level->size());
      if (level->empty()) break;
    }
    return shape;
  }

  QnnGraph& graph_;
};

absl::StatusOr<QnnGraph> QnnGraph::Parse(const std::string& op, const Json& config) {
  QnnGraph graph;
  QnnGraphParser parser(graph);
  // The library reports missing fields and wrong types by exception.
  try {
    const absl::Status status = config.contains("nodes") ? parser.Nodes(config) : parser.Operator(op, config);
    if (!status.ok()) return status;
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return graph;
}

qnn_abi::OpConfig QnnGraph::ConfigOf(const Node& node) {
  params_.assign(node.params.begin(), node.params.end());
  inputs_.clear();
  outputs_.clear();
  for (size_t index : node.inputs) inputs_.push_back(tensors_[index]);
  for (size_t index : node.outputs) outputs_.push_back(tensors_[index]);
  qnn_abi::OpConfig config = {};
  config.version = 1;
  config.name = node.name.c_str();
  config.package = "qti.aisw";
  config.type = node.type.c_str();
  config.num_params = params_.size();
  config.params = params_.data();
  config.num_inputs = inputs_.size();
  config.inputs = inputs_.data();
  config.num_outputs = outputs_.size();
  config.outputs = outputs_.data();
  return config;
}

}  // namespace quantgate
