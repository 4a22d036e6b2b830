#include "rules/backends/onnxruntime/fusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "rules/backends/onnxruntime/own_quantization.h"
#include "rules/backends/onnxruntime/unsigned_pair.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"

namespace quantgate::onnxruntime {
namespace {

enum class Form : uint8_t {
  kMove,      // the integers are moved or compared: the operator itself, on the stored type
  kCompare,   // the same, for 8 bits and positive scales
  kResample,  // the same, for 8 bits
  kSplit,     // kMove with several outputs
  kArgMax,    // reads integers, gives indices
  kUnary,     // com.microsoft QLinear operators
  kBinary,
  kConcat,
  kWhere,
  kConv,
  kMatMul,
  kGemm,
};

struct Entry {
  absl::string_view op;
  Form form;
  absl::string_view kernel;  // empty: the operator itself
};

constexpr Entry kEntries[] = {
    {"Add", Form::kBinary, "com.microsoft::QLinearAdd"},
    {"ArgMax", Form::kArgMax, ""},
    {"AveragePool", Form::kUnary, "com.microsoft::QLinearAveragePool"},
    {"Concat", Form::kConcat, "com.microsoft::QLinearConcat"},
    {"Conv", Form::kConv, "QLinearConv"},
    {"DepthToSpace", Form::kResample, ""},
    {"Expand", Form::kMove, ""},
    {"Flatten", Form::kMove, ""},
    {"Gather", Form::kMove, ""},
    {"GatherElements", Form::kMove, ""},
    {"Gemm", Form::kGemm, "com.microsoft::QGemm"},
    {"GlobalAveragePool", Form::kUnary, "com.microsoft::QLinearGlobalAveragePool"},
    {"LeakyRelu", Form::kUnary, "com.microsoft::QLinearLeakyRelu"},
    {"MatMul", Form::kMatMul, "QLinearMatMul"},
    {"MaxPool", Form::kCompare, ""},
    {"Mul", Form::kBinary, "com.microsoft::QLinearMul"},
    {"ReduceMax", Form::kCompare, ""},
    {"ReduceMin", Form::kCompare, ""},
    {"Reshape", Form::kMove, ""},
    {"Resize", Form::kResample, ""},
    {"Sigmoid", Form::kUnary, "com.microsoft::QLinearSigmoid"},
    {"Slice", Form::kMove, ""},
    {"Softmax", Form::kUnary, "com.microsoft::QLinearSoftmax"},
    {"Split", Form::kSplit, ""},
    {"Squeeze", Form::kMove, ""},
    {"Tile", Form::kMove, ""},
    {"Transpose", Form::kMove, ""},
    {"Unsqueeze", Form::kMove, ""},
    {"Where", Form::kWhere, "com.microsoft::QLinearWhere"},
};

constexpr char kNoIntegerKernel[] = "it has no integer kernel";
constexpr char kIncomplete[] = "not all tensors around it are quantized";
constexpr char kFloatBias[] = "its bias is of floats, and the runtime does not quantize it";
constexpr char kMoved[] = "scale or zero point change on the way";
constexpr char kBiasDiffers[] = "the scale of the bias is not that of input times weight, or its zero point is not 0";
constexpr char kAtRunTime[] = "scale or zero point are not known before it runs";
constexpr char kBiasAtRunTime[] =
    "the scales of input and weight, or scale or zero point of the bias, are not known before it runs";
constexpr char kInterpolates[] = "only mode nearest is fused";
constexpr char kHalf[] = "it has no kernel of float16, and Casts to float32 and back stand around it by then";
constexpr char kSignedActivation[] =
    "INT8 activations are not fused on x86-64, but behind a QuantizeLinear that one DequantizeLinear with one reader "
    "follows";

constexpr absl::string_view kMatMulToFloat = "com.microsoft::MatMulIntegerToFloat";

// Relative difference of a bias scale from the product of the others with which a Conv is still fused.
constexpr double kBiasTolerance = 0.0101;

// In the place of a DequantizeLinear: of a weight that the runtime quantizes by itself.
constexpr int32_t kOwn = -1;

const Entry* EntryOf(absl::string_view op) {
  const auto* found =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) { return entry.op == op; });
  return found == std::end(kEntries) ? nullptr : found;
}

bool Is16Bit(v1::DataType type) { return type == v1::DATA_TYPE_INT16 || type == v1::DATA_TYPE_UINT16; }
bool Is4Bit(v1::DataType type) { return type == v1::DATA_TYPE_INT4 || type == v1::DATA_TYPE_UINT4; }
bool HasClipBounds(v1::DataType type) {
  return type == v1::DATA_TYPE_INT8 || type == v1::DATA_TYPE_UINT8 || Is16Bit(type);
}

// The nodes of a group, and what they say.
class Finder {
 public:
  Finder(const Graph& graph, const std::vector<v1::DataType>& types, const std::vector<MovedPair>& pairs, int32_t node,
         Group& group)
      : graph_(graph), types_(types), pairs_(pairs), node_(node), group_(group) {}

  void Find() {
    const absl::string_view op = graph_.op_type(node_);
    if (IsQuantize(graph_, node_) || IsDequantize(graph_, node_) || AllStatic()) return;
    own_ = OwnQuantizationOf(graph_, types_, node_);
    for (int i = 0; i < graph_.num_inputs(node_); ++i) {
      const int32_t value = graph_.input(node_, i);
      int32_t producer = value < 0 ? -1 : graph_.producer(value);
      given_ += value >= 0;
      if (i == 1 && op == "MatMul" && TurnsWeight(producer)) {
        producer = graph_.producer(graph_.input(producer, 0));
        turned_ = true;
      }
      // One that gives the model a result too is there twice by then.
      if (IsDequantize(graph_, producer)) {
        AddDequantize(producer, StoredTypeOf(producer));
      } else if (producer >= 0 && !pairs_.empty() && pairs_[producer].source >= 0) {
        AddDequantize(pairs_[producer].source, pairs_[producer].type, i);
      }
      if (i == 1 && own_.weight && dequantizes_.size() == 1) AddDequantize(kOwn, v1::DATA_TYPE_INT8, i);
    }
    group_.own_weight = own_.weight;
    if (dequantizes_.empty()) return;
    FindQuantizes();
    const Entry* entry = EntryOf(op);
    const bool quantized = !quantizes_.empty() && quantizes_.size() == static_cast<size_t>(graph_.num_outputs(node_));
    if (entry == nullptr) {
      // Behind a Relu or Clip of float16 there is a Cast by then.
      if (quantized && (IsHalf() || !Vanishes(op))) InFloat(kNoIntegerKernel);
      return;
    }
    const std::string reason = Fuse(*entry);
    if (reason.empty()) {
      group_.kind = Group::kFused;
    } else if (quantized) {
      InFloat(reason);
    }
  }

 private:
  // A Transpose of a dequantized matrix of constants, which the runtime moves in front of the DequantizeLinear. One
  // without `perm` it makes part of the product before that.
  bool TurnsWeight(int32_t node) const {
    if (node < 0 || graph_.op_type(node) != "Transpose" || InputAt(graph_, node, 0) < 0) return false;
    const int32_t dequantize = graph_.producer(InputAt(graph_, node, 0));
    const int32_t stored = IsDequantize(graph_, dequantize) ? InputAt(graph_, dequantize, 0) : -1;
    if (stored < 0 || !graph_.is_static(stored) || graph_.rank(stored) != 2) return false;
    const v1::Attribute* perm = graph_.attribute(node, "perm");
    if (perm == nullptr || perm->value_case() != v1::Attribute::kInts) return false;
    return perm->ints().values_size() == 2 && perm->ints().values(0) == 1 && perm->ints().values(1) == 0;
  }

  bool AllStatic() const {
    for (int i = 0; i < graph_.num_outputs(node_); ++i) {
      if (graph_.output(node_, i) >= 0 && !graph_.is_static(graph_.output(node_, i))) return false;
    }
    return true;
  }

  // `input`: of the node, where what it reads is not what that one has dequantized.
  void AddDequantize(int32_t dequantize, v1::DataType stored, int input = -1) {
    dequantizes_.push_back(dequantize);
    stored_.push_back(stored);
    direct_.push_back(input);
  }

  void InFloat(const std::string& reason) {
    group_.kind = Group::kInFloat;
    group_.reason = reason;
    group_.needed = "integer types that the runtime fuses";
    group_.fix = nullptr;
    if (reason == kNoIntegerKernel) {
      group_.needed = "an operator that has an integer kernel";
    } else if (reason == kBiasDiffers) {
      group_.needed = "a bias with that scale and zero point 0";
      group_.fix = "Quantize the bias with the scale of input times weight, and zero point 0.";
    } else if (reason == kFloatBias) {
      group_.needed = "a bias of one dimension, beside one scale for the input and, for the weight, one or as many";
      group_.fix = "Quantize the input per tensor and the weight along its output channels, or the bias to int32.";
    } else if (reason == kAtRunTime || reason == kBiasAtRunTime) {
      group_.needed = "constants for them";
      group_.fix = "Make them initializers that are not inputs of the graph.";
    } else if (reason == kHalf) {
      group_.needed = "float32 scales";
      group_.fix = "Convert the model to float32: scales of float32 are what the integer kernels take.";
    } else if (reason == kInterpolates) {
      group_.needed = "mode nearest";
      group_.fix = "Use mode nearest, or accept that it is computed in float.";
    } else if (reason == kMoved) {
      group_.needed = "one scale and zero point on both sides";
      group_.fix = "Give the output the scale and zero point of the input.";
    }
  }

  // The QuantizeLinear of each output; behind a Relu or Clip that it makes redundant as well.
  void FindQuantizes() {
    for (int i = 0; i < graph_.num_outputs(node_); ++i) {
      int32_t value = graph_.output(node_, i);
      if (value < 0) continue;
      if (graph_.num_outputs(node_) == 1) value = BehindClip(value);
      const int32_t quantize = OnlyQuantize(value);
      if (quantize < 0) {
        other_reader_ = true;
        continue;
      }
      quantizes_.push_back(quantize);
    }
  }

  int32_t OnlyQuantize(int32_t value) const {
    const int32_t use = OnlyUse(graph_, value);
    return IsQuantize(graph_, use) && graph_.num_outputs(use) > 0 ? use : -1;
  }
  int32_t BehindClip(int32_t value) const {
    const int32_t use = OnlyUse(graph_, value);
    if (use < 0 || (graph_.op_type(use) != "Relu" && graph_.op_type(use) != "Clip")) return value;
    const int32_t output = graph_.num_outputs(use) == 1 ? graph_.output(use, 0) : -1;
    const int32_t quantize = output < 0 ? -1 : OnlyQuantize(output);
    return quantize >= 0 && Redundant(use, quantize) ? output : value;
  }

  // What the Relu or Clip leaves is what the QuantizeLinear can say.
  bool Redundant(int32_t clip, int32_t quantize) const {
    const v1::DataType type = TypeOf(StoredOf(graph_, quantize));
    if (!HasClipBounds(type)) return false;
    const double least = static_cast<double>(MinOf(type)), most = static_cast<double>(MaxOf(type));
    if (const int32_t point = InputAt(graph_, quantize, 2); point >= 0 && !graph_.is_static(point)) return false;
    const std::optional<double> scale = FixedScalar(graph_, InputAt(graph_, quantize, 1));
    const double zero = FixedScalar(graph_, InputAt(graph_, quantize, 2)).value_or(0);
    if (graph_.op_type(clip) == "Relu") return zero == least;
    if (!scale) return false;
    // In float and to its epsilon, as the optimizer compares: 255 steps of 1.5 / 255 are a little more than 1.5.
    const auto low = static_cast<float>(least - zero) * static_cast<float>(*scale);
    const auto high = static_cast<float>(most - zero) * static_cast<float>(*scale);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
    const auto bound = [&](int argument, absl::string_view name, float none, float unknown) {
      // Before operator set 11 bounds are attributes.
      const v1::Attribute* attribute = graph_.attribute(clip, name);
      if (attribute != nullptr && attribute->has_f()) return static_cast<float>(attribute->f());
      const int32_t value = InputAt(graph_, clip, argument);
      return value < 0 ? none : static_cast<float>(FixedScalar(graph_, value).value_or(unknown));
    };
    return bound(1, "min", -kInfinity, kInfinity) - low <= kEpsilon &&
           high - bound(2, "max", kInfinity, -kInfinity) <= kEpsilon;
  }

  // A Relu or Clip that is removed computes nothing.
  bool Vanishes(absl::string_view op) const {
    if ((op != "Relu" && op != "Clip") || quantizes_.size() != 1) return false;
    return Redundant(node_, quantizes_[0]) || (op == "Relu" && RemovedUntested(quantizes_[0]));
  }
  // A Relu goes in front of types whose bounds are not known (NR502).
  bool RemovedUntested(int32_t quantize) const {
    const v1::DataType type = TypeOf(StoredOf(graph_, quantize));
    const int32_t zero_point = InputAt(graph_, quantize, 2);
    return type != v1::DATA_TYPE_UNSPECIFIED && !HasClipBounds(type) &&
           (zero_point < 0 || graph_.is_static(zero_point));
  }

  v1::DataType TypeOf(int32_t value) const { return value < 0 ? v1::DATA_TYPE_UNSPECIFIED : types_[value]; }

  v1::DataType StoredTypeOf(int32_t quantizer) const {
    return IsMadeUnsigned(graph_, types_, quantizer) ? v1::DATA_TYPE_UINT8 : TypeOf(StoredOf(graph_, quantizer));
  }
  v1::DataType StoredType(size_t i) const { return stored_[i]; }
  v1::DataType OutputType() const { return StoredTypeOf(quantizes_[0]); }

  static std::string Unlike(v1::DataType a, v1::DataType b) {
    return absl::StrCat(DataTypeName(a), " and ", DataTypeName(b), " are not fused");
  }
  static std::string Narrow(v1::DataType type, bool only_16 = false) {
    if (Is16Bit(type) || (!only_16 && Is4Bit(type))) return absl::StrCat(DataTypeName(type), " is not fused");
    return "";
  }

  // Each needs `count` dequantized inputs; and all outputs quantized.
  bool Complete(size_t count) const { return dequantizes_.size() == count && !other_reader_ && !quantizes_.empty(); }

  bool IsHalf() const { return TypeOf(FirstOutput(graph_, dequantizes_[0])) == v1::DATA_TYPE_FLOAT16; }

  // Of float16, what has no kernel of that is computed between Casts, which are there before groups are looked for.
  static bool IsCast(const Entry& entry) {
    return (entry.form != Form::kMove && entry.form != Form::kSplit && entry.form != Form::kArgMax &&
            entry.form != Form::kConcat) ||
           entry.op == "Tile";
  }

  // A reason not to fuse; empty: fused, and the call is filled in.
  std::string Fuse(const Entry& entry) {
    if (IsCast(entry) && IsHalf()) return kHalf;
    switch (entry.form) {
      case Form::kMove:
      case Form::kCompare:
      case Form::kResample:
      case Form::kSplit:
        return FuseMove(entry);
      case Form::kArgMax: {
        if (dequantizes_.size() != 1) return "not all inputs are dequantized";
        if (std::string reason = Narrow(StoredType(0)); !reason.empty()) return reason;
        if (!HasStatics(dequantizes_[0])) return kAtRunTime;
        if (!HasScalars(dequantizes_[0])) return "per-channel parameters are not fused";
        BeginDropped();
        return "";
      }
      case Form::kUnary:
        return FuseLike(entry, 1);
      case Form::kBinary:
      case Form::kConcat:
        return FuseLike(entry, given_);
      case Form::kWhere:
        return FuseLike(entry, 2);
      case Form::kConv:
        return FuseConv(entry);
      case Form::kMatMul:
        return FuseMatMul(entry);
      case Form::kGemm:
        return FuseGemm(entry);
    }
    return kNoIntegerKernel;
  }

  std::string FuseMove(const Entry& entry) {
    if (!Complete(1)) return kIncomplete;
    if (entry.op == "Resize" && !IsNearest()) return kInterpolates;
    const v1::DataType type = StoredType(0);
    if ((entry.form == Form::kCompare || entry.form == Form::kResample) && Is16Bit(type)) return Narrow(type);
    if (entry.form != Form::kCompare && Is4Bit(type)) return Narrow(type);
    for (int32_t quantize : quantizes_) {
      if (StoredTypeOf(quantize) != type) return Unlike(type, StoredTypeOf(quantize));
      if (!HasStatics(dequantizes_[0]) || !HasStatics(quantize)) return kAtRunTime;
      if (!SameParameters(dequantizes_[0], quantize)) return kMoved;
    }
    BeginDropped();
    for (size_t i = 0; i < quantizes_.size(); ++i) {
      group_.call.outputs[i] = StoredOf(graph_, quantizes_[i]);
      group_.call.output_types[i] = StoredTypeOf(quantizes_[i]);
    }
    return "";
  }

  bool IsNearest() const {
    const v1::Attribute* mode = graph_.attribute(node_, "mode");
    return mode == nullptr || mode->s() == "nearest";
  }

  // All data has one type of 8 bits.
  std::string FuseLike(const Entry& entry, size_t count) {
    if (!Complete(count)) return kIncomplete;
    const v1::DataType type = StoredType(0);
    for (size_t i = 1; i < dequantizes_.size(); ++i) {
      if (StoredType(i) != type) return Unlike(type, StoredType(i));
    }
    if (OutputType() != type) return Unlike(type, OutputType());
    if (std::string reason = Narrow(type); !reason.empty()) return reason;
    Begin(entry.kernel);
    if (entry.form == Form::kConcat) AddOutputParameters();
    if (entry.form == Form::kWhere) AddInput(graph_, types_, node_, 0, group_.call);
    for (size_t i = 0; i < dequantizes_.size(); ++i) AddOperand(i);
    if (entry.form != Form::kConcat) AddOutputParameters();
    return "";
  }

  // All but the third input come from where they are quantized.
  bool HasFloatBias() const {
    const int32_t bias = InputAt(graph_, node_, 2);
    return given_ == 3 && Complete(2) && bias >= 0 && !IsDequantize(graph_, graph_.producer(bias));
  }

  std::string FuseConv(const Entry& entry) {
    if (dequantizes_.size() < 2) return "not all inputs are dequantized";
    if (!Complete(own_.bias ? 2 : given_)) return HasFloatBias() ? kFloatBias : kIncomplete;
    if (own_.bias_at_run_time) return kBiasAtRunTime;
    if (StoredType(0) != OutputType()) return Unlike(StoredType(0), OutputType());
    if (Is4Bit(StoredType(1))) return Narrow(StoredType(1));
    if (StoredType(0) == v1::DATA_TYPE_INT8) return kSignedActivation;
    for (size_t i = 0; i < 2; ++i) {
      if (std::string reason = Narrow(StoredType(i), /*only_16=*/true); !reason.empty()) return reason;
    }
    if (dequantizes_.size() == 3) {
      if (StoredType(2) != v1::DATA_TYPE_INT32)
        return absl::StrCat("a bias of ", DataTypeName(StoredType(2)), " is not fused");
    }
    if (dequantizes_.size() == 3 || own_.bias) {
      if (!BiasIsStatic()) return kBiasAtRunTime;
      if (dequantizes_.size() == 3 && !BiasFits()) return kBiasDiffers;
    }
    Begin(entry.kernel);
    for (size_t i = 0; i < 2; ++i) AddOperand(i);
    AddOutputParameters();
    if (dequantizes_.size() == 3) AddInput(graph_, types_, dequantizes_[2], 0, group_.call);
    return "";
  }

  std::string FuseMatMul(const Entry& entry) {
    if (dequantizes_.size() != 2) return "not all inputs are dequantized";
    if (StoredType(0) == v1::DATA_TYPE_INT8) return kSignedActivation;
    for (size_t i = 0; i < 2; ++i) {
      if (std::string reason = Narrow(StoredType(i)); !reason.empty()) return reason;
    }
    if (GivesFloats()) {
      Begin(kMatMulToFloat);
      for (int argument : {0, 1, 2}) {
        for (size_t i = 0; i < dequantizes_.size(); ++i) AddOperandsArgument(i, argument);
      }
      return "";
    }
    if (!Complete(2)) return kIncomplete;
    if (StoredType(0) != OutputType()) return Unlike(StoredType(0), OutputType());
    Begin(entry.kernel);
    for (size_t i = 0; i < dequantizes_.size(); ++i) AddOperand(i);
    AddOutputParameters();
    return "";
  }

  std::string FuseGemm(const Entry& entry) {
    if (dequantizes_.size() < 2) return "not all inputs are dequantized";
    const bool float_output = GivesFloats();
    const size_t needed = own_.bias && !float_output ? 2 : given_;
    if (!float_output && !Complete(needed)) return HasFloatBias() ? kFloatBias : kIncomplete;
    if (dequantizes_.size() != needed) return "not all inputs are dequantized";
    if (StoredType(0) == v1::DATA_TYPE_INT8 && StoredType(1) != StoredType(0)) {
      return Unlike(StoredType(0), StoredType(1));
    }
    if (!float_output && StoredType(0) != OutputType()) return Unlike(StoredType(0), OutputType());
    for (size_t i = 0; i < 2; ++i) {
      if (std::string reason = Narrow(StoredType(i)); !reason.empty()) return reason;
    }
    for (size_t i = 0; i < 2; ++i) {
      if (dequantizes_[i] != kOwn && InputAt(graph_, dequantizes_[i], 2) < 0)
        return "a Gemm without zero points is not fused";
    }
    if (!IsPerTensor(dequantizes_[0]) || (!float_output && !IsPerTensor(quantizes_[0])))
      return "a Gemm with several scales for its input or output is not fused";
    if (ScalarBesideList(dequantizes_[1])) return "a Gemm with a scalar beside a list for its weight is not fused";
    if (!OneForEachOutput(dequantizes_[1])) return "a Gemm with another number of scales than outputs is not fused";
    if (given_ == 3) {
      for (const char* factor : {"alpha", "beta"}) {
        if (graph_.float_attribute(node_, factor, 1) == 1) continue;
        return absl::StrCat("a Gemm with a bias and another ", factor, " than 1 is not fused");
      }
    }
    if (dequantizes_.size() == 3 && StoredType(2) != v1::DATA_TYPE_INT32) {
      return absl::StrCat("a bias of ", DataTypeName(StoredType(2)), " is not fused");
    }
    Begin(entry.kernel);
    for (size_t i = 0; i < 2; ++i) AddOperand(i);
    if (dequantizes_.size() == 3) {
      AddInput(graph_, types_, dequantizes_[2], 0, group_.call);
    } else {
      group_.call.Add(-1, Place(), v1::DATA_TYPE_UNSPECIFIED);
    }
    if (!float_output) AddOutputParameters();
    return "";
  }

  bool IsPerTensor(int32_t quantizer) const {
    return MayBeOne(graph_, InputAt(graph_, quantizer, 1)) && MayBeOne(graph_, InputAt(graph_, quantizer, 2));
  }

  // One of scale and zero point is a scalar, the other a list.
  bool ScalarBesideList(int32_t quantizer) const {
    if (quantizer == kOwn) return false;
    const auto rank = [&](int argument) {
      const int32_t value = InputAt(graph_, quantizer, argument);
      return value < 0 ? -1 : graph_.rank(value);
    };
    return rank(1) >= 0 && rank(2) >= 0 && rank(1) != rank(2);
  }

  // Of a Gemm's weight: one scale, or as many as its outputs. True where that is not known.
  bool OneForEachOutput(int32_t dequantize) const {
    if (dequantize == kOwn) return true;
    const int32_t scale = InputAt(graph_, dequantize, 1), weight = StoredOf(graph_, dequantize);
    if (scale < 0 || weight < 0 || graph_.rank(scale) != 1 || graph_.rank(weight) != 2) return true;
    const int64_t scales = graph_.value(scale).dims(0);
    const int64_t outputs = graph_.value(weight).dims(graph_.int_attribute(node_, "transB", 0) != 0 ? 0 : 1);
    return scales <= 1 || outputs < 0 || scales == outputs;
  }

  // Nothing quantizes the output, and no Relu or Clip stands where one would be looked for.
  bool GivesFloats() const { return quantizes_.empty() && !AnyQuantizeReads() && !ClipFollows(); }
  bool ClipFollows() const {
    const int32_t use = OnlyUse(graph_, graph_.output(node_, 0));
    if (use < 0 || (graph_.op_type(use) != "Relu" && graph_.op_type(use) != "Clip")) return false;
    return graph_.num_outputs(use) == 1 && OnlyUse(graph_, graph_.output(use, 0)) >= 0;
  }
  bool AnyQuantizeReads() const {
    for (int i = 0; i < graph_.num_outputs(node_); ++i) {
      if (graph_.output(node_, i) < 0) continue;
      for (const Use& use : graph_.uses(graph_.output(node_, i))) {
        if (IsQuantize(graph_, use.node)) return true;
      }
    }
    return false;
  }

  // Scale and zero point are the same in every run, as far as they are there.
  bool HasStatics(int32_t quantizer) const {
    const int32_t scale = InputAt(graph_, quantizer, 1), zero_point = InputAt(graph_, quantizer, 2);
    return (scale < 0 || graph_.is_static(scale)) && (zero_point < 0 || graph_.is_static(zero_point));
  }
  bool HasScalars(int32_t quantizer) const {
    return FixedScalar(graph_, InputAt(graph_, quantizer, 1)) && FixedScalar(graph_, InputAt(graph_, quantizer, 2));
  }
  bool SameParameters(int32_t a, int32_t b) const {
    return HasScalars(a) && HasScalars(b) &&
           FixedScalar(graph_, InputAt(graph_, a, 1)) == FixedScalar(graph_, InputAt(graph_, b, 1)) &&
           FixedScalar(graph_, InputAt(graph_, a, 2)) == FixedScalar(graph_, InputAt(graph_, b, 2));
  }

  // What the scale of the bias has to be, and what it is. That of a float one is made of the other two.
  bool BiasIsStatic() const {
    for (size_t i = 0; i < 2; ++i) {
      const int32_t scale = dequantizes_[i] == kOwn ? -1 : InputAt(graph_, dequantizes_[i], 1);
      if (scale >= 0 && !graph_.is_static(scale)) return false;
    }
    return dequantizes_.size() < 3 || HasStatics(dequantizes_[2]);
  }
  // The optimizer compares the scale of the bias itself.
  bool BiasFits() const {
    const int32_t activation = InputAt(graph_, dequantizes_[0], 1);
    if (activation >= 0 && graph_.is_constant(activation) && NumbersOf(graph_.value(activation)).size() > 1)
      return false;
    const std::optional<double> input = FixedScalar(graph_, activation);
    const int32_t weight = InputAt(graph_, dequantizes_[1], 1);
    const int32_t bias = InputAt(graph_, dequantizes_[2], 1);
    const int32_t zero = InputAt(graph_, dequantizes_[2], 2);
    if (zero >= 0 && graph_.is_constant(zero)) {
      for (int64_t point : IntegersOf(graph_.value(zero))) {
        if (point != 0) return false;
      }
    }
    if (!input || weight < 0 || bias < 0 || !graph_.is_constant(weight) || !graph_.is_constant(bias)) return true;
    const RealView weights = RealsOf(graph_.value(weight));
    const RealView scales = RealsOf(graph_.value(bias));
    if (weights.empty() || scales.empty()) return true;
    const size_t count = std::max(weights.size(), scales.size());
    if ((weights.size() != 1 && weights.size() != count) || (scales.size() != 1 && scales.size() != count))
      return false;
    for (size_t i = 0; i < count; ++i) {
      const double expected = *input * weights[weights.size() == 1 ? 0 : i];
      if (std::fabs(scales[scales.size() == 1 ? 0 : i] - expected) > kBiasTolerance * std::fabs(expected)) return false;
    }
    return true;
  }

  void Begin(absl::string_view kernel) {
    KernelCall& call = group_.call;
    call.op = kernel;
    call.node = node_;
    call.fused = true;
    call.Clear();
    call.turned = turned_;
    for (int i = 0; i < graph_.num_outputs(node_); ++i) {
      if (quantizes_.empty()) {
        call.AddOutput(graph_.output(node_, i), TypeOf(graph_.output(node_, i)));
      } else {
        call.AddOutput(StoredOf(graph_, quantizes_[0]), OutputType());
      }
    }
  }
  // The operator itself, on the integers in front of the DequantizeLinear.
  void BeginDropped() {
    FillCall(graph_, types_, node_, group_.call);
    group_.call.fused = true;
    for (size_t i = 0; i < group_.call.inputs.size(); ++i) {
      const int32_t value = group_.call.inputs[i];
      if (value < 0) continue;
      if (direct_[0] == static_cast<int>(i)) group_.call.types[i] = StoredType(0);
      if (graph_.producer(value) != dequantizes_[0]) continue;
      group_.call.inputs[i] = StoredOf(graph_, dequantizes_[0]);
      group_.call.types[i] = StoredType(0);
      group_.call.places[i].value = group_.call.inputs[i];
    }
  }
  // Data, scale or zero point of a quantizer.
  void AddArgument(int32_t quantizer, int i) {
    AddInput(graph_, types_, quantizer, i, group_.call);
    if (i != 1 && IsMadeUnsigned(graph_, types_, quantizer)) group_.call.types.back() = v1::DATA_TYPE_UINT8;
  }
  // Data, scale or zero point of one of dequantizes_.
  void AddOperandsArgument(size_t operand, int i) {
    if (direct_[operand] >= 0 && i == 0) {
      AddInput(graph_, types_, node_, direct_[operand], group_.call);
    } else if (dequantizes_[operand] == kOwn) {
      group_.call.Add(-1, Place(), v1::DATA_TYPE_UNSPECIFIED);
      return;
    } else {
      AddInput(graph_, types_, dequantizes_[operand], i, group_.call);
    }
    // Which is not always that of the file.
    if (i != 1 && group_.call.types.back() != v1::DATA_TYPE_UNSPECIFIED) group_.call.types.back() = stored_[operand];
  }
  void AddOperand(size_t operand) {
    for (int i : {0, 1, 2}) AddOperandsArgument(operand, i);
  }
  void AddOutputParameters() {
    for (int i : {1, 2}) AddArgument(quantizes_[0], i);
  }

  const Graph& graph_;
  const std::vector<v1::DataType>& types_;
  const std::vector<MovedPair>& pairs_;
  const int32_t node_;
  Group& group_;
  size_t given_ = 0;  // inputs that are not left out
  std::vector<int32_t> dequantizes_;
  std::vector<v1::DataType> stored_;  // of those: what is stored in front of them when groups are looked for
  std::vector<int> direct_;           // of those: the node's input that is it, -1 where it is behind them
  std::vector<int32_t> quantizes_;
  bool other_reader_ = false;
  OwnQuantization own_;
  bool turned_ = false;
};

}  // namespace

void FindGroup(const Graph& graph, const std::vector<v1::DataType>& types, const std::vector<MovedPair>& pairs,
               int32_t node, Group& group) {
  group.kind = Group::kNone;
  group.own_weight = false;
  Finder(graph, types, pairs, node, group).Find();
}

}  // namespace quantgate::onnxruntime
