#include "tests/rules/simulator/record.h"

#include <zlib.h>

#include <cmath>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "rules/graph/data_type.h"

namespace quantgate::simulator {
namespace {

using Json = nlohmann::json;

// The types of records by their short names.
v1::DataType TypeNamed(const std::string& name) {
  static const auto* types = new std::map<std::string, v1::DataType>{
      {"s4", v1::DATA_TYPE_INT4},     {"u4", v1::DATA_TYPE_UINT4},       {"s8", v1::DATA_TYPE_INT8},
      {"u8", v1::DATA_TYPE_UINT8},    {"s16", v1::DATA_TYPE_INT16},      {"u16", v1::DATA_TYPE_UINT16},
      {"s32", v1::DATA_TYPE_INT32},   {"s64", v1::DATA_TYPE_INT64},      {"f32", v1::DATA_TYPE_FLOAT32},
      {"bool", v1::DATA_TYPE_BOOL},   {"int8", v1::DATA_TYPE_INT8},      {"uint8", v1::DATA_TYPE_UINT8},
      {"int16", v1::DATA_TYPE_INT16}, {"uint16", v1::DATA_TYPE_UINT16},  {"int32", v1::DATA_TYPE_INT32},
      {"int64", v1::DATA_TYPE_INT64}, {"float32", v1::DATA_TYPE_FLOAT32}};
  const auto found = types->find(name);
  return found == types->end() ? v1::DATA_TYPE_UNSPECIFIED : found->second;
}

Tensor TensorOf(const Json& json, v1::DataType type) {
  Tensor tensor;
  tensor.type = type;
  if (!Allocate(json.at("shape").get<std::vector<int64_t>>(), tensor).ok()) return tensor;
  std::string packed;
  absl::Base64Unescape(json.at("z").get<std::string>(), &packed);
  uLongf size = tensor.data.size();
  std::vector<std::byte> bytes(size + 1);
  size = bytes.size();
  uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
             packed.size());
  bytes.resize(size);
  tensor.data.assign(bytes.begin(), bytes.end());
  return tensor;
}

Quantization QuantizationOf(const Json& json) {
  Quantization q;
  if (json.is_null()) return q;
  for (const Json& scale : json.at("scale")) q.scales.push_back(static_cast<float>(scale.get<double>()));
  q.zero_points = json.at("zp").get<std::vector<int64_t>>();
  q.axis = json.value("axis", -1);
  return q;
}

OpId OpNamed(const std::string& op) {
  static const auto* ops = new std::map<std::string, OpId>{
      {"abs", OpId::kAbs},
      {"add", OpId::kAdd},
      {"argmax", OpId::kArgMax},
      {"argmin", OpId::kArgMin},
      {"avg_pool2d", OpId::kAveragePool},
      {"batch_norm", OpId::kBatchNorm},
      {"batch_matmul", OpId::kMatMul},
      {"ceil", OpId::kCeil},
      {"clamp", OpId::kClamp},
      {"concat", OpId::kConcat},
      {"conv", OpId::kConv},
      {"conv2d", OpId::kConv},
      {"conv_acc", OpId::kConv},
      {"cos", OpId::kCos},
      {"depthwise_conv2d", OpId::kConv},
      {"depth_to_space", OpId::kDepthToSpace},
      {"depthwise", OpId::kDepthwiseConv},
      {"dequantize", OpId::kDequantize},
      {"div", OpId::kDiv},
      {"elu", OpId::kElu},
      {"exp", OpId::kExp},
      {"floor", OpId::kFloor},
      {"fully_connected", OpId::kLinear},
      {"gather", OpId::kGather},
      {"gelu", OpId::kGelu},
      {"global_avg_pool", OpId::kGlobalAveragePool},
      {"group_norm", OpId::kGroupNorm},
      {"hard_sigmoid", OpId::kHardSigmoid},
      {"hard_swish", OpId::kHardSwish},
      {"instance_norm", OpId::kInstanceNorm},
      {"layer_norm", OpId::kLayerNorm},
      {"leaky_relu", OpId::kLeakyRelu},
      {"log", OpId::kLog},
      {"log_softmax", OpId::kLogSoftmax},
      {"matmul", OpId::kMatMul},
      {"matmul_acc", OpId::kMatMul},
      {"max_pool2d", OpId::kMaxPool},
      {"maximum", OpId::kMaximum},
      {"mean", OpId::kReduceMean},
      {"minimum", OpId::kMinimum},
      {"mul", OpId::kMul},
      {"neg", OpId::kNeg},
      {"pad", OpId::kPad},
      {"prelu", OpId::kPRelu},
      {"quantize", OpId::kQuantize},
      {"reciprocal", OpId::kReciprocal},
      {"reduce_max", OpId::kReduceMax},
      {"reduce_min", OpId::kReduceMin},
      {"relu", OpId::kRelu},
      {"relu1", OpId::kRelu1},
      {"relu6", OpId::kRelu6},
      {"requantize", OpId::kRequantize},
      {"reshape", OpId::kReshape},
      {"resize_bilinear", OpId::kResizeBilinear},
      {"resize_nearest", OpId::kResizeNearest},
      {"rms_norm", OpId::kRmsNorm},
      {"round", OpId::kRound},
      {"rsqrt", OpId::kRsqrt},
      {"sigmoid", OpId::kSigmoid},
      {"sin", OpId::kSin},
      {"slice", OpId::kSlice},
      {"softmax", OpId::kSoftmax},
      {"split", OpId::kSplit},
      {"sqrt", OpId::kSqrt},
      {"squared_difference", OpId::kSquaredDifference},
      {"sub", OpId::kSub},
      {"sum", OpId::kReduceSum},
      {"tanh", OpId::kTanh},
      {"tile", OpId::kTile},
      {"topk", OpId::kTopK},
      {"transpose", OpId::kTranspose},
      {"transpose_conv2d", OpId::kConvTranspose},
      {"where", OpId::kWhere},
  };
  const auto found = ops->find(op);
  return found == ops->end() ? OpId::kUnknown : found->second;
}

// Attributes under canonical names: numbers and lists as they are, then what records say in words of their own.
void ReadAttributes(const Json& attrs, Record& record) {
  Attributes& to = record.attributes;
  const bool pool = record.op_id == OpId::kAveragePool || record.op_id == OpId::kMaxPool;
  for (const auto& [name, value] : attrs.items()) {
    if (name == "stride") {
      to.SetInts("strides", {value.get<int64_t>(), value.get<int64_t>()});
    } else if (name == "dilation") {
      to.SetInts("dilations", {value.get<int64_t>(), value.get<int64_t>()});
    } else if (name == "kernel" && pool) {
      to.SetInts("kernel_shape", {value.get<int64_t>(), value.get<int64_t>()});
    } else if (name == "pad" && value.is_string()) {
      to.SetText("auto_pad", value == "SAME" ? "SAME_UPPER" : "VALID");
    } else if (name == "groups") {
      to.SetInt("group", value.get<int64_t>());
    } else if (name == "output_hw") {
      to.SetInts("output_shape", {value.get<int64_t>(), value.get<int64_t>()});
    } else if (name == "size") {
      to.SetInts("sizes", value.get<std::vector<int64_t>>());
    } else if (name == "pads" && value.is_array() && !value.empty() && value[0].is_array()) {
      std::vector<int64_t> pads;
      for (const size_t side : {0, 1}) {
        for (const Json& pair : value) pads.push_back(pair[side].get<int64_t>());
      }
      to.SetInts("pads", pads);
    } else if (name == "layout") {
      if (value == "NCHW") record.layout = Layout::kChannelsFirst;
    } else if (value.is_boolean()) {
      to.SetInt(name, value.get<bool>());
    } else if (value.is_number_integer()) {
      to.SetInt(name, value.get<int64_t>());
      to.SetFloat(name, static_cast<double>(value.get<int64_t>()));
    } else if (value.is_number()) {
      to.SetFloat(name, value.get<double>());
    } else if (value.is_array() && (value.empty() || value[0].is_number_integer())) {
      to.SetInts(name, value.get<std::vector<int64_t>>());
    } else if (value.is_array() && value[0].is_number()) {
      to.SetFloats(name, value.get<std::vector<double>>());
    } else if (value.is_string()) {
      to.SetText(name, value.get<std::string>());
    }
  }
}

absl::StatusOr<Record> Parse(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return absl::InvalidArgumentError("not JSON");
  Record record;
  try {
    record.id = json.value("id", "");
    record.op = json.at("op").get<std::string>();
    record.op_id = OpNamed(record.op);
    // The stored ONNX models round ties up where corners are aligned, as LiteRT does.
    if (record.op == "resize_nearest" && json.at("attrs").value("align_corners", Json()) == true) {
      record.attributes.SetText("nearest_mode", "round_prefer_ceil");
    }
    if (absl::EndsWith(record.op, "_acc")) record.layout = Layout::kChannelsFirst;
    ReadAttributes(json.at("attrs"), record);
    for (const Json& input : json.at("inputs")) {
      if (input.is_null()) continue;
      QTensor& to = record.inputs.emplace_back();
      to.tensor = TensorOf(input, TypeNamed(input.value("qdtype", input.value("dtype", ""))));
      to.q = QuantizationOf(input.value("q", Json()));
    }
    const Json& output = json.at("output");
    record.output.tensor.type = TypeNamed(output.at("qdtype").get<std::string>());
    record.output.q = QuantizationOf(output.value("q", Json()));
    for (const auto& [name, tensor] : json.at("oracles").items()) {
      if (tensor.contains("same_as")) continue;
      record.oracles[name] = TensorOf(tensor, record.output.tensor.type);
    }
    for (const auto& [name, tensor] : json.at("oracles").items()) {
      if (tensor.contains("same_as")) record.oracles[name] = record.oracles[tensor.at("same_as").get<std::string>()];
    }
  } catch (const Json::exception& e) {
    return absl::InvalidArgumentError(e.what());
  }
  return record;
}

}  // namespace

absl::Status ForEachRecord(const std::string& path, absl::FunctionRef<void(const Record&)> each) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(path);
  std::string line;
  char buffer[1 << 16];
  int number = 0;
  absl::Status status;
  while (status.ok() && gzgets(file, buffer, sizeof(buffer)) != nullptr) {
    line += buffer;
    if (line.empty() || line.back() != '\n') continue;
    ++number;
    absl::StatusOr<Record> record = Parse(line);
    if (record.ok()) {
      each(*record);
    } else {
      status = absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", record.status().message()));
    }
    line.clear();
  }
  gzclose(file);
  return status;
}

const Profile* ProfileOfOracle(const std::string& oracle) {
  static const auto* profiles = new std::map<std::string, std::string>{{"litert_ref", "litert/reference"},
                                                                       {"litert_opt", "litert/optimized"},
                                                                       {"litert_xnnpack", "litert/xnnpack"},
                                                                       {"ort_qlinear", "onnxruntime"},
                                                                       {"ort_qgemm", "onnxruntime"},
                                                                       {"ort_qlinearmatmul", "onnxruntime"},
                                                                       {"ort_qdq", "onnxruntime"},
                                                                       {"ort", "onnxruntime"},
                                                                       {"ort_convinteger", "onnxruntime"},
                                                                       {"ort_matmulinteger", "onnxruntime"},
                                                                       {"ort_qdq_noopt", "onnxruntime/no-fusion"},
                                                                       {"torch_pt2e", "torch"},
                                                                       {"torch_quantize_per_tensor", "torch/x86"},
                                                                       {"torch_x86", "torch/x86"},
                                                                       {"torch_onednn", "torch/onednn"},
                                                                       {"torch_qnnpack", "torch/qnnpack"},
                                                                       {"qnn_htp", "qnn_htp"}};
  const auto found = profiles->find(oracle);
  return found == profiles->end() ? nullptr : FindProfile(found->second);
}

Answer Compute(const Record& record, const Profile& profile) {
  std::vector<const QTensor*> inputs;
  for (const QTensor& input : record.inputs) inputs.push_back(&input);
  std::vector<QTensor> outputs(static_cast<size_t>(record.attributes.Int("num_outputs", 1)), record.output);
  KernelCall call{.op = record.op_id,
                  .layout = record.layout,
                  .attributes = &record.attributes,
                  .inputs = inputs,
                  .outputs = absl::MakeSpan(outputs)};
  Answer answer;
  answer.status = RunKernel(profile, call);
  if (answer.status.ok()) answer.output = outputs.at(static_cast<size_t>(record.attributes.Int("output_index", 0)));
  return answer;
}

Difference Compare(const Record& record, const Profile& profile, const Tensor& expected) {
  const Answer answer = Compute(record, profile);
  Difference difference;
  difference.status = answer.status;
  if (!difference.status.ok()) return difference;
  const QTensor& output = answer.output;
  if (output.tensor.data.size() != expected.data.size()) {
    difference.status =
        absl::InternalError(absl::StrCat(output.tensor.data.size(), " bytes instead of ", expected.data.size()));
    return difference;
  }
  if (expected.type == v1::DATA_TYPE_FLOAT32) {
    absl::Span<const float> a = output.tensor.as<float>(), b = expected.as<float>();
    difference.elements = static_cast<int64_t>(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::memcmp(&a[i], &b[i], sizeof(float)) == 0) continue;
      ++difference.differ;
      difference.largest = std::max(difference.largest, static_cast<double>(std::fabs(a[i] - b[i])));
    }
    return difference;
  }
  const std::vector<int64_t> a = *ToInt64(output.tensor), b = *ToInt64(expected);
  difference.elements = static_cast<int64_t>(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++difference.differ;
    difference.largest = std::max(difference.largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return difference;
}

}  // namespace quantgate::simulator
