#include "client/confirm/case_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

absl::Status NotKnown(absl::string_view what) { return absl::FailedPreconditionError(what); }

// Parameters that are tensors even with one element. Those with more than one always are.
constexpr absl::string_view kLists[] = {
    "axes",           "block_size", "delta_scaling_factors", "dilation", "filter_size",
    "img_size_ratio", "multiples",  "output_padding",        "perm",     "rate",
    "shape",          "size",       "split_index",           "stride",   "weights",
};

// Columns of the parameters that are matrices: [before, after] and [begin, end, step].
int Columns(absl::string_view param) {
  if (param == "pad_amount" || param == "crops") return 2;
  return param == "ranges" ? 3 : 1;
}

bool IsBitWidth(const BackendTensor& tensor) {
  return tensor.encoding == Encoding::kBwPerTensor || tensor.encoding == Encoding::kBwPerChannel;
}

// Parameters that a toolchain might choose for a constant of its own.
Json Plausible(const BackendTensor& tensor) {
  const int bits = std::clamp(tensor.bits, 2, 31);
  const bool is_unsigned = tensor.type.type == v1::DATA_TYPE_UINT8 || tensor.type.type == v1::DATA_TYPE_UINT16 ||
                           tensor.type.type == v1::DATA_TYPE_UINT32;
  int64_t zero_point = is_unsigned ? int64_t{1} << (bits - 1) : 0;
  if (tensor.symmetric == Tri::kNo) --zero_point;
  return {{"kind", "per_tensor"}, {"scale", std::ldexp(1.0, 2 - bits)}, {"zero_point", zero_point}};
}

absl::StatusOr<Json> ZeroPoints(const QuantParams& qparams) {
  Json zero_points = Json::array();
  for (size_t i = 0; i < qparams.scales.size(); ++i) {
    const double zero_point =
        qparams.zero_points.size() > 1 && i >= qparams.zero_points.size() ? 0.0 : qparams.zero_point(i);
    if (zero_point != std::floor(zero_point) || std::abs(zero_point) > 2147483648.0) {
      return NotKnown("a zero point is no 32-bit integer");
    }
    zero_points.push_back(static_cast<int64_t>(zero_point));
  }
  return zero_points;
}

absl::Status WriteScales(const QuantParams& qparams, Json& encoding) {
  absl::StatusOr<Json> zero_points = ZeroPoints(qparams);
  if (!zero_points.ok()) return zero_points.status();
  Json scales = Json::array();
  for (double scale : qparams.scales) {
    if (std::isfinite(scale)) {
      scales.push_back(scale);
    } else {
      scales.push_back(std::isnan(scale) ? "nan" : scale > 0 ? "inf" : "-inf");
    }
  }
  const bool one = qparams.per_tensor() && scales.size() == 1;
  encoding["scale"] = one ? scales[0] : scales;
  encoding["zero_point"] = one ? (*zero_points)[0] : *zero_points;
  return absl::OkStatus();
}

// A blocked encoding counts axes in the origin's layout; only where that is the backend's can it be written down.
absl::Status WriteBlocks(const BackendTensor& tensor, bool as_stated, Json& encoding) {
  const QuantParams& qparams = *tensor.qparams;
  if (!as_stated || qparams.axes.size() != qparams.block_sizes.size()) {
    return NotKnown("a block encoding whose axes the toolchain moves");
  }
  if (tensor.encoding == Encoding::kBlock) {
    encoding["kind"] = "block";
    Json sizes = Json::array();
    for (int64_t size : tensor.dims) sizes.push_back(size);
    for (size_t i = 0; i < qparams.axes.size(); ++i) {
      if (qparams.axes[i] < 0 || qparams.axes[i] >= tensor.rank) return NotKnown("a block axis outside of the tensor");
      sizes[qparams.axes[i]] = qparams.block_sizes[i];
    }
    encoding["block_size"] = std::move(sizes);
    return absl::OkStatus();
  }
  encoding["kind"] = "block_expansion";
  encoding["axis"] = tensor.axis;
  encoding["bits"] = tensor.bits;
  // The reader's convention: the blocks lie along the dimension before the axis, along the second when that is first.
  const int blocked = tensor.axis == 0 ? 1 : tensor.axis - 1;
  for (size_t i = 0; i < qparams.axes.size(); ++i) {
    if (qparams.axes[i] != blocked || blocked >= tensor.rank || qparams.block_sizes[i] <= 0) continue;
    encoding["blocks_per_axis"] = tensor.dims[blocked] / qparams.block_sizes[i];
  }
  if (!encoding.contains("blocks_per_axis")) return NotKnown("a block encoding along another axis");
  Json scales = Json::array();
  for (double scale : qparams.block_scales) scales.push_back(scale);
  encoding["block_scale"] = std::move(scales);
  encoding["block_scale_bits"] = 4;
  return absl::OkStatus();
}

absl::StatusOr<Json> EncodingOf(const BackendTensor& tensor, bool as_stated, v1::Stage stage) {
  if (tensor.qparams == nullptr || tensor.qparams->scales.empty()) {
    if (tensor.without_encoding) return Json{{"kind", "none"}};
    if (stage != v1::STAGE_CONVERTED && tensor.value >= 0) {
      return NotKnown("quantization parameters are not known at this stage");
    }
    return Plausible(tensor);
  }
  const QuantParams& qparams = *tensor.qparams;
  Json encoding;
  if (absl::Status status = WriteScales(qparams, encoding); !status.ok()) return status;
  if (tensor.encoding == Encoding::kBlock || tensor.encoding == Encoding::kBlockExpansion) {
    if (absl::Status status = WriteBlocks(tensor, as_stated, encoding); !status.ok()) return status;
    return encoding;
  }
  encoding["kind"] = qparams.per_tensor() ? "per_tensor" : "per_channel";
  if (!qparams.per_tensor()) {
    if (tensor.axis < 0) return NotKnown("the axis of a per-channel encoding is not known");
    encoding["axis"] = tensor.axis;
  }
  if (IsBitWidth(tensor)) encoding["bits"] = tensor.bits;
  return encoding;
}

absl::StatusOr<Json> TensorOf(const BackendTensor& tensor, const std::string& name, bool as_stated, v1::Stage stage) {
  Json json = {{"name", name}};
  if (!tensor.present) {
    json["null"] = true;
    return json;
  }
  if (tensor.type.type == v1::DATA_TYPE_UNSPECIFIED) {
    return NotKnown(absl::StrCat("the element type of ", name, " is not known"));
  }
  json["dtype"] = std::string(db::ElementTypeName(tensor.type));
  Json shape = Json::array();
  int64_t count = 1;
  for (int64_t size : tensor.dims) {
    if (size < 0) return NotKnown(absl::StrCat("a size of ", name, " is not known"));
    shape.push_back(size);
    if (__builtin_mul_overflow(count, size, &count)) return NotKnown(absl::StrCat(name, " is too large"));
  }
  if (tensor.dims.empty() && tensor.rank != 0) {
    // A constant that the toolchain makes has one element.
    if (tensor.value >= 0 || tensor.rank < 0) return NotKnown(absl::StrCat("the shape of ", name, " is not known"));
    for (int i = 0; i < tensor.rank; ++i) shape.push_back(1);
  }
  json["shape"] = std::move(shape);
  if (tensor.is_static) json["static"] = true;
  if (tensor.type.quantized) {
    absl::StatusOr<Json> encoding = EncodingOf(tensor, as_stated, stage);
    if (!encoding.ok()) return NotKnown(absl::StrCat(name, ": ", encoding.status().message()));
    json["encoding"] = *std::move(encoding);
    return json;
  }
  // Indices and the like: what they hold can decide.
  const IntegerView integers = tensor.constant == nullptr ? IntegerView() : tensor.constant.integers();
  if (tensor.is_static && !integers.empty() && static_cast<int64_t>(integers.size()) == count) {
    json["data"] = Json::array();
    for (int64_t value : integers) json["data"].push_back(value);
  }
  return json;
}

// The filter of a grouped transposed convolution has a scale for each output of one group, a bias in the graph one for
// each output. ExecuTorch gives the library every groups-th of them (builders/op_conv.py).
void ThinOutScalesOfBias(const BackendOp& op, Json& config) {
  Json& inputs = config["inputs"];
  if ((op.name != "TransposeConv2d" && op.name != "TransposeConv3d") || inputs.size() < 3) return;
  const Json filter = inputs[1].value("encoding", Json::object()).value("scale", Json());
  const Json bias = inputs[2].value("encoding", Json::object()).value("scale", Json());
  if (!filter.is_array() || !bias.is_array() || filter.empty() || bias.size() % filter.size() != 0) return;
  const size_t groups = bias.size() / filter.size();
  for (const char* numbers : {"scale", "zero_point"}) {
    Json& all = inputs[2]["encoding"][numbers];
    Json kept = Json::array();
    for (size_t i = 0; i < all.size(); i += groups) kept.push_back(all[i]);
    all = std::move(kept);
  }
}

}  // namespace

CaseConfigWriter::CaseConfigWriter(const std::vector<db::OpDefinition>& definitions) {
  for (const db::OpDefinition& definition : definitions) {
    for (const db::Formal& param : definition.parameters) {
      dtype_[absl::StrCat(definition.op, "/", param.name)] = param.dtype.substr(0, param.dtype.find('|'));
      if (param.mandatory) mandatory_[definition.op].push_back(param.name);
    }
  }
}

absl::StatusOr<Json> CaseConfigWriter::ParamOf(const BackendOp& op, const BackendParam& param) const {
  const bool real = !param.reals.empty();
  const auto found = dtype_.find(absl::StrCat(op.name, "/", param.name));
  std::string dtype = found == dtype_.end() || found->second == "backend" ? "" : found->second;
  if (dtype.empty()) dtype = real ? "FLOAT_32" : "UINT_32";
  Json values = Json::array();
  for (int64_t value : param.ints) values.push_back(value);
  for (double value : param.reals) values.push_back(value);
  if (values.empty()) return NotKnown(absl::StrCat("the value of parameter ", param.name, " is not known"));
  for (const Json& value : values) {
    // Sizes and positions that come from an unknown size of the graph.
    if (absl::StartsWith(dtype, "UINT") && value.get<double>() < 0) {
      return NotKnown(absl::StrCat("the value of parameter ", param.name, " is not known"));
    }
  }
  const int columns = Columns(param.name);
  const bool list = values.size() > 1 || columns > 1 ||
                    std::find(std::begin(kLists), std::end(kLists), param.name) != std::end(kLists);
  if (!list) return Json{{"dtype", dtype}, {"value", values[0]}};
  Json shape = Json::array({values.size() / columns});
  if (columns > 1) {
    shape.push_back(columns);
    Json rows = Json::array();
    for (size_t i = 0; i + columns <= values.size(); i += columns) {
      Json row = Json::array();
      for (int k = 0; k < columns; ++k) row.push_back(values[i + k]);
      rows.push_back(std::move(row));
    }
    values = std::move(rows);
  }
  return Json{{"dtype", dtype}, {"shape", shape}, {"data", values}};
}

absl::StatusOr<Json> CaseConfigWriter::Write(const BackendOp& op, v1::Stage stage) const {
  Json config = {{"inputs", Json::array()}, {"outputs", Json::array()}, {"params", Json::object()}};
  for (const auto& [side, list, prefix] : {std::make_tuple(op.inputs, "inputs", "in["),  //
                                           std::make_tuple(op.outputs, "outputs", "out[")}) {
    for (const BackendTensor& tensor : side) {
      absl::StatusOr<Json> json = TensorOf(tensor, absl::StrCat(prefix, config[list].size(), "]"), op.as_stated, stage);
      if (!json.ok()) return json.status();
      config[list].push_back(*std::move(json));
    }
  }
  Json& params = config["params"];
  for (const BackendParam& param : op.params) {
    absl::StatusOr<Json> json = ParamOf(op, param);
    if (!json.ok()) return json.status();
    params[std::string(param.name)] = *std::move(json);
  }
  // As stated it is the question itself.
  if (!op.as_stated) ThinOutScalesOfBias(op, config);
  // Lowering leaves out what no rule asks for.
  const auto mandatory = mandatory_.find(op.name);
  if (op.as_stated || mandatory == mandatory_.end()) return config;
  for (const std::string& name : mandatory->second) {
    if (!params.contains(name)) return NotKnown(absl::StrCat("the value of parameter ", name, " is not known"));
  }
  return config;
}

}  // namespace quantgate
