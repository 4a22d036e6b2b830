// The operator tables against the schemas of the projects that define the operators (tests/rules/data/operators_*.tsv).
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/operators/op_map.h"
#include "rules/operators/operator.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

struct Parameter {
  std::string name;
  bool optional = false;
  bool variadic = false;
};

struct Schema {
  std::string op;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
};

std::vector<std::vector<std::string>> ReadTable(const std::string& name) {
  std::ifstream file(absl::StrCat(QUANTGATE_TEST_DATA, "/data/", name));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (!absl::StartsWith(line, "#")) rows.push_back(absl::StrSplit(line, '\t'));
  }
  return rows;
}

std::vector<Parameter> ParseParameters(const std::string& text) {
  std::vector<Parameter> parameters;
  for (absl::string_view name : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    Parameter parameter;
    parameter.optional = absl::ConsumeSuffix(&name, "?");
    parameter.variadic = absl::ConsumeSuffix(&name, "*");
    parameter.name = std::string(name);
    parameters.push_back(parameter);
  }
  return parameters;
}

std::vector<Schema> ReadSchemas(const std::string& name) {
  std::vector<Schema> schemas;
  for (const auto& row : ReadTable(name)) {
    schemas.push_back({row.at(0), ParseParameters(row.at(1)), ParseParameters(row.at(2))});
  }
  return schemas;
}

const Binding* Onnx(absl::string_view op) { return FindBinding(v1::Graph::ONNX, op); }
const Binding* Torch(absl::string_view op) { return FindBinding(v1::Graph::PT2E, op); }
const Binding* Qnn(absl::string_view op) { return FindBinding(v1::Graph::QNN, op); }

// "weight", "weight.scale", "output.zero_point", "-"; the arguments of `binding` up to `count`.
std::vector<std::string> Roles(const Binding& binding, int count) {
  std::vector<std::string> roles;
  for (int i = 0; i < count; ++i) {
    const Argument argument = ArgumentAt(binding, i);
    if (argument.role == ArgRole::kOther) {
      roles.push_back("-");
      continue;
    }
    const auto ports = argument.of_output ? binding.op->outputs : binding.op->inputs;
    std::string role = ports.at(argument.port).name;
    if (argument.role == ArgRole::kScale) role += ".scale";
    if (argument.role == ArgRole::kZeroPoint) role += ".zero_point";
    roles.push_back(role);
  }
  return roles;
}

// What must hold between an operator's schema and its binding, whatever the operator is.
void CheckInputs(const Schema& schema, const Binding& binding) {
  SCOPED_TRACE(schema.op);
  std::set<int> ports;
  for (size_t i = 0; i < schema.inputs.size(); ++i) {
    const Parameter& parameter = schema.inputs[i];
    SCOPED_TRACE(parameter.name);
    const Argument argument = ArgumentAt(binding, static_cast<int>(i));
    if (argument.role != ArgRole::kData) continue;
    ASSERT_LT(argument.port, binding.op->inputs.size());
    const Port& port = binding.op->inputs[argument.port];
    EXPECT_TRUE(ports.insert(argument.port).second || port.variadic) << "two arguments at port " << port.name;
    if (parameter.optional) {
      EXPECT_TRUE(port.optional) << "port " << port.name;
    }
    if (parameter.variadic) {
      // The first may have a port of its own (maximum: a, then b).
      const Argument far = ArgumentAt(binding, 1000);
      EXPECT_NE(far.role, ArgRole::kOther);
      EXPECT_TRUE(binding.op->inputs.at(far.port).variadic) << "port " << port.name;
    }
  }
  const bool endless = !schema.inputs.empty() && schema.inputs.back().variadic;
  if (!endless && !binding.op->inputs.empty() && !binding.op->inputs.back().variadic) {
    EXPECT_EQ(ArgumentAt(binding, static_cast<int>(binding.arguments.size())).role, ArgRole::kOther);
  }
}

void CheckOutputs(const Schema& schema, const Binding& binding) {
  SCOPED_TRACE(schema.op);
  const auto ports = binding.op->outputs;
  for (size_t i = 0; i < schema.outputs.size(); ++i) {
    SCOPED_TRACE(schema.outputs[i].name);
    if (i >= ports.size()) {
      ASSERT_FALSE(ports.empty());
      EXPECT_TRUE(ports.back().variadic);
      continue;
    }
    if (schema.outputs[i].variadic) {
      EXPECT_TRUE(ports[i].variadic);
    }
    if (schema.outputs[i].optional) {
      EXPECT_TRUE(ports[i].optional) << "port " << ports[i].name;
    }
  }
}

// --- The catalog -----------------------------------------------------------------------------------------------------

TEST(Catalog, EveryOperatorIsFoundById) {
  for (const Operator& op : AllOperators()) EXPECT_EQ(&GetOperator(op.id), &op) << op.name;
  EXPECT_STREQ(GetOperator(OpId::kUnknown).name, "unknown");
  EXPECT_EQ(GetOperator(static_cast<OpId>(60000)).id, OpId::kUnknown);
}

TEST(Catalog, NamesAreDistinctSnakeCase) {
  std::set<std::string> names;
  for (const Operator& op : AllOperators()) {
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    for (char c : std::string(op.name)) {
      EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') << op.name;
    }
  }
}

TEST(Catalog, PortsAreConsistent) {
  for (const Operator& op : AllOperators()) {
    SCOPED_TRACE(op.name);
    EXPECT_FALSE(op.inputs.empty() && op.outputs.empty());
    for (const auto& ports : {op.inputs, op.outputs}) {
      std::set<std::string> names;
      for (size_t i = 0; i < ports.size(); ++i) {
        EXPECT_TRUE(names.insert(ports[i].name).second) << ports[i].name;
        if (ports[i].variadic) {
          EXPECT_EQ(i + 1, ports.size()) << ports[i].name << " is variadic, but not last";
        }
      }
    }
  }
}

TEST(Catalog, TraitsAreConsistent) {
  for (const Operator& op : AllOperators()) {
    SCOPED_TRACE(op.name);
    if (op.traits & kNoData) {
      EXPECT_EQ(op.traits, kNoData);
      for (const Port& port : op.inputs) {
        EXPECT_TRUE(port.role == PortRole::kParameter || op.id == OpId::kSequenceLength || op.id == OpId::kOptionalHas)
            << port.name;
      }
    }
    if (op.traits & kMovesData) {
      EXPECT_FALSE(op.traits & (kAccumulates | kFixedRange));
      EXPECT_FALSE(op.inputs.empty());
    }
    if (op.traits & (kElementwise | kMovesData | kSelects)) {
      ASSERT_FALSE(op.inputs.empty());
    }
  }
}

TEST(Catalog, TraitsOfWellKnownOperators) {
  auto traits = [](OpId id) { return GetOperator(id).traits; };
  for (OpId id : {OpId::kReshape, OpId::kTranspose, OpId::kSlice, OpId::kConcat, OpId::kSplit, OpId::kGather,
                  OpId::kPad, OpId::kTile, OpId::kExpand, OpId::kDepthToSpace, OpId::kIdentity, OpId::kResizeNearest}) {
    EXPECT_TRUE(traits(id) & kMovesData) << GetOperator(id).name;
  }
  // They compute new values, or new types.
  for (OpId id : {OpId::kResizeBilinear, OpId::kResize, OpId::kCast, OpId::kAdd, OpId::kAveragePool, OpId::kRelu,
                  OpId::kScatterReduce, OpId::kColumnsToImage}) {
    EXPECT_FALSE(traits(id) & kMovesData) << GetOperator(id).name;
  }
  for (OpId id : {OpId::kConv, OpId::kConvTranspose, OpId::kLinear, OpId::kGemm, OpId::kMatMul, OpId::kLstm,
                  OpId::kAttention, OpId::kEinsum, OpId::kMoE}) {
    EXPECT_EQ(traits(id), kAccumulates) << GetOperator(id).name;
  }
  for (OpId id : {OpId::kSigmoid, OpId::kTanh, OpId::kSoftmax, OpId::kHardSigmoid, OpId::kSin, OpId::kCos}) {
    EXPECT_TRUE(traits(id) & kFixedRange) << GetOperator(id).name;
  }
  for (OpId id : {OpId::kRelu, OpId::kClamp, OpId::kLogSoftmax, OpId::kExp, OpId::kGelu}) {
    EXPECT_FALSE(traits(id) & kFixedRange) << GetOperator(id).name;
  }
  for (OpId id : {OpId::kMaxPool, OpId::kTopK, OpId::kMaximum, OpId::kMinimum, OpId::kRelu, OpId::kClamp, OpId::kWhere,
                  OpId::kReduceMax, OpId::kReduceMin}) {
    EXPECT_TRUE(traits(id) & kSelects) << GetOperator(id).name;
  }
  EXPECT_FALSE(traits(OpId::kAveragePool) & kSelects);
  for (OpId id : {OpId::kIf, OpId::kLoop, OpId::kScan, OpId::kWhile, OpId::kSequenceMap, OpId::kGenerate}) {
    EXPECT_EQ(traits(id), kControlFlow) << GetOperator(id).name;
  }
  for (OpId id : {OpId::kShape, OpId::kSize, OpId::kConstant, OpId::kFill, OpId::kRandomLike, OpId::kRange}) {
    EXPECT_EQ(traits(id), kNoData) << GetOperator(id).name;
  }
  EXPECT_FALSE(traits(OpId::kNonZero) & kNoData);
  for (OpId id : {OpId::kAdd, OpId::kMul, OpId::kSigmoid, OpId::kCast, OpId::kQuantize, OpId::kPRelu}) {
    EXPECT_TRUE(traits(id) & kElementwise) << GetOperator(id).name;
  }
  EXPECT_FALSE(traits(OpId::kSoftmax) & kElementwise);
}

// --- The op maps -----------------------------------------------------------------------------------------------------

TEST(OpMap, NoNameTwice) {
  std::set<std::string> names;
  for (const auto& rows : {OnnxOps(), OnnxContribOps()}) {
    for (const OpRow& row : rows) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  names.clear();
  for (const OpRow& row : QnnOps()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  names.clear();
  for (const OpRow& row : TorchOps()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  for (const OverloadRow& row : AtenOps()) {
    for (absl::string_view packet : absl::StrSplit(row.packets, ' ')) {
      for (absl::string_view overload : absl::StrSplit(row.overloads, ' ')) {
        EXPECT_TRUE(names.insert(absl::StrCat(packet, ".", overload)).second) << packet << "." << overload;
      }
    }
  }
}

// Every row's arguments must point at ports that the operator has; only the last group may be variadic.
TEST(OpMap, ArgumentsPointAtPorts) {
  std::vector<std::pair<std::string, const Binding*>> bindings;
  for (const auto& rows : {OnnxOps(), OnnxContribOps()}) {
    for (const OpRow& row : rows) bindings.push_back({row.name, Onnx(row.name)});
  }
  for (const OpRow& row : QnnOps()) bindings.push_back({row.name, Qnn(row.name)});
  for (const OpRow& row : TfliteOps()) bindings.push_back({row.name, FindBinding(v1::Graph::TFLITE, row.name)});
  for (const OpRow& row : TorchOps()) bindings.push_back({row.name, Torch(row.name)});
  for (const OverloadRow& row : AtenOps()) {
    for (absl::string_view packet : absl::StrSplit(row.packets, ' ')) {
      for (absl::string_view overload : absl::StrSplit(row.overloads, ' ')) {
        const std::string name = absl::StrCat(packet, ".", overload);
        bindings.push_back({name, Torch(name)});
      }
    }
  }
  for (const auto& [name, binding] : bindings) {
    SCOPED_TRACE(name);
    ASSERT_NE(binding, nullptr);
    EXPECT_NE(binding->op->id, OpId::kUnknown);
    const int count = static_cast<int>(binding->arguments.size());
    for (int i = 0; i < count; ++i) {
      const Argument& argument = binding->arguments[i];
      if (argument.role == ArgRole::kOther) continue;
      const auto ports = argument.of_output ? binding->op->outputs : binding->op->inputs;
      ASSERT_LT(argument.port, ports.size());
      if (argument.variadic) {
        EXPECT_TRUE(ports[argument.port].variadic);
        EXPECT_GE(i, count - argument.group);
        EXPECT_EQ(argument.group, binding->arguments[count - 1].group);
      }
      if (argument.of_output) {
        EXPECT_NE(argument.role, ArgRole::kData);
      }
    }
  }
}

TEST(OpMap, UnknownNamesGiveNull) {
  for (absl::string_view name : {"", "conv", "Conv2d", "FusedMagic", "acme.npu::FusedMagic", "com.microsoft::Conv",
                                 "ai.onnx.ml::Conv", "::Conv", "Conv ", "aten.conv2d.default"}) {
    EXPECT_EQ(Onnx(name), nullptr) << name;
  }
  for (absl::string_view name : {"", "aten", "aten.conv2d.", "aten.conv2d.defaul", "aten.conv4d.default", "conv2d",
                                 "Conv", "aten.add.Tensor "}) {
    EXPECT_EQ(Torch(name), nullptr) << name;
  }
  for (absl::string_view name : {"", "Conv", "conv2d", "Conv2D", "ElementWiseFoo"}) EXPECT_EQ(Qnn(name), nullptr);
  EXPECT_EQ(FindBinding(v1::Graph::ORIGIN_UNSPECIFIED, "Conv"), nullptr);
  EXPECT_EQ(FindBinding(v1::Graph::TFLITE, "Conv"), nullptr);
  EXPECT_EQ(FindBinding(static_cast<v1::Graph::Origin>(99), "Conv"), nullptr);
}

TEST(ArgumentAt, BeyondTheLastIsOther) {
  const Binding& conv = *Onnx("Conv");
  EXPECT_EQ(ArgumentAt(conv, 2).role, ArgRole::kData);
  EXPECT_EQ(ArgumentAt(conv, 3).role, ArgRole::kOther);
  EXPECT_EQ(ArgumentAt(conv, -1).role, ArgRole::kOther);
  EXPECT_EQ(ArgumentAt(*Onnx("Constant"), 0).role, ArgRole::kOther);
}

TEST(ArgumentAt, VariadicGroupsRepeat) {
  const Binding& concat = *Onnx("com.microsoft::QLinearConcat");
  EXPECT_THAT(Roles(concat, 8), ElementsAre("output.scale", "output.zero_point", "inputs", "inputs.scale",
                                            "inputs.zero_point", "inputs", "inputs.scale", "inputs.zero_point"));
  EXPECT_EQ(ArgumentAt(concat, 2 + 3 * 100000 + 1).role, ArgRole::kScale);
  EXPECT_EQ(ArgumentAt(*Onnx("Concat"), 12345).role, ArgRole::kData);
  EXPECT_THAT(Roles(*Onnx("Loop"), 5), ElementsAre("count", "condition", "inputs", "inputs", "inputs"));
}

// --- ONNX ------------------------------------------------------------------------------------------------------------

TEST(OnnxOps, EverySchemaOfEveryVersionBinds) {
  const std::vector<Schema> schemas = ReadSchemas("operators_onnx.tsv");
  EXPECT_GE(schemas.size(), 250u);
  for (const Schema& schema : schemas) {
    const Binding* binding = Onnx(schema.op);
    ASSERT_NE(binding, nullptr) << schema.op;
    CheckInputs(schema, *binding);
    CheckOutputs(schema, *binding);
  }
}

TEST(OnnxOps, EveryContribSchemaBinds) {
  const std::vector<Schema> schemas = ReadSchemas("operators_onnxruntime.tsv");
  EXPECT_GE(schemas.size(), 150u);
  for (const Schema& schema : schemas) {
    const Binding* binding = Onnx(schema.op);
    ASSERT_NE(binding, nullptr) << schema.op;
    CheckInputs(schema, *binding);
    CheckOutputs(schema, *binding);
  }
}

// No operator beyond those that the schemas have, but for the named ones.
TEST(OnnxOps, NothingInvented) {
  std::set<std::string> known;
  for (const char* file : {"operators_onnx.tsv", "operators_onnxruntime.tsv"}) {
    for (const Schema& schema : ReadSchemas(file)) known.insert(schema.op);
  }
  std::vector<std::string> extra;
  for (const auto& rows : {OnnxOps(), OnnxContribOps()}) {
    for (const OpRow& row : rows) {
      if (known.count(row.name) == 0) extra.push_back(row.name);
    }
  }
  // Registered by execution providers only; ORT's CPU build knows it in its internal layout domain.
  EXPECT_THAT(extra, ElementsAre("com.microsoft::QLinearConvTranspose"));
}

// Inputs that bind to nothing are the exception; each is listed here.
TEST(OnnxOps, OnlyTheseInputsBindToNothing) {
  std::set<std::string> unbound;
  for (const char* file : {"operators_onnx.tsv", "operators_onnxruntime.tsv"}) {
    for (const Schema& schema : ReadSchemas(file)) {
      for (size_t i = 0; i < schema.inputs.size(); ++i) {
        if (ArgumentAt(*Onnx(schema.op), static_cast<int>(i)).role == ArgRole::kOther) {
          unbound.insert(absl::StrCat(schema.op, ".", schema.inputs[i].name));
        }
      }
    }
  }
  EXPECT_THAT(unbound,
              UnorderedElementsAre(
                  "com.microsoft::MatMulFpQ4.B_shape", "com.microsoft::MatMulNBits.g_idx",
                  "com.microsoft::TorchEmbedding.padding_idx", "com.microsoft::TorchEmbedding.scale_grad_by_freq",
                  // Between the products inside of the operator.
                  "com.microsoft::QMoE.fc1_global_scale", "com.microsoft::QMoE.fc2_global_scale",
                  "com.microsoft::QMoE.fc1_act_scale", "com.microsoft::QMoE.fc2_act_scale",
                  "com.microsoft::QMoE.fc1_act_block_scale", "com.microsoft::QMoE.fc2_act_block_scale",
                  "com.microsoft::QOrderedAttention.scale_Q_gemm", "com.microsoft::QOrderedAttention.scale_K_gemm",
                  "com.microsoft::QOrderedAttention.scale_V_gemm", "com.microsoft::QOrderedAttention.scale_QKT_gemm",
                  "com.microsoft::QOrderedAttention.scale_QKT_softmax",
                  "com.microsoft::QOrderedLongformerAttention.scale_qkv_gemm",
                  "com.microsoft::QOrderedLongformerAttention.scale_global_gemm"));
}

// The schemas' own names say what a scale and a zero point is.
TEST(OnnxOps, NamesOfScalesAndZeroPointsAgree) {
  // Called a scale, but a factor that the operator multiplies with, or a number of its own.
  const std::set<std::string> factors = {"BatchNormalization.scale",
                                         "GroupNormalization.scale",
                                         "InstanceNormalization.scale",
                                         "LayerNormalization.Scale",
                                         "RMSNormalization.scale",
                                         "SimplifiedLayerNormalization.scale",
                                         "Resize.scales",
                                         "Upsample.scales",
                                         "com.microsoft::QOrderedLayerNormalization.scale",
                                         "com.microsoft::MatMulNBitsMlp.norm_scale",
                                         "com.microsoft::MatMulNBitsQkv.norm_scale",
                                         "com.microsoft::TorchEmbedding.scale_grad_by_freq"};
  int scales = 0;
  int zero_points = 0;
  for (const char* file : {"operators_onnx.tsv", "operators_onnxruntime.tsv"}) {
    for (const Schema& schema : ReadSchemas(file)) {
      const Binding& binding = *Onnx(schema.op);
      if (binding.op->id == OpId::kOpaque) continue;
      for (size_t i = 0; i < schema.inputs.size(); ++i) {
        const std::string name = absl::StrCat(schema.op, ".", schema.inputs[i].name);
        const ArgRole role = ArgumentAt(binding, static_cast<int>(i)).role;
        if (role == ArgRole::kOther || factors.count(name) > 0) continue;
        const bool is_zero_point = absl::StrContains(name, "zero_point");
        const bool is_scale =
            !is_zero_point && (absl::StrContains(schema.inputs[i].name, "scale") || schema.inputs[i].name == "absmax");
        EXPECT_EQ(role == ArgRole::kZeroPoint, is_zero_point) << name;
        EXPECT_EQ(role == ArgRole::kScale, is_scale) << name;
        scales += is_scale;
        zero_points += is_zero_point;
      }
    }
  }
  EXPECT_GE(scales, 80);
  EXPECT_GE(zero_points, 50);
}

TEST(OnnxOps, QuantizeAndDequantize) {
  for (const char* domain : {"", "com.microsoft::"}) {
    const Binding& quantize = *Onnx(absl::StrCat(domain, "QuantizeLinear"));
    EXPECT_EQ(quantize.op->id, OpId::kQuantize);
    EXPECT_THAT(Roles(quantize, 3), ElementsAre("input", "output.scale", "output.zero_point"));
    EXPECT_FALSE(quantize.integer_operator);
    const Binding& dequantize = *Onnx(absl::StrCat(domain, "DequantizeLinear"));
    EXPECT_EQ(dequantize.op->id, OpId::kDequantize);
    EXPECT_THAT(Roles(dequantize, 3), ElementsAre("input", "input.scale", "input.zero_point"));
    EXPECT_FALSE(dequantize.integer_operator);
  }
  EXPECT_EQ(Onnx("DynamicQuantizeLinear")->op->id, OpId::kDynamicQuantize);
  EXPECT_THAT(Roles(*Onnx("DynamicQuantizeLinear"), 1), ElementsAre("input"));
}

struct IntegerOp {
  const char* name;
  OpId op;
  const char* roles;
};

// By hand from the operators' documentation, argument by argument: every operator that has quantized data inside.
constexpr IntegerOp kIntegerOps[] = {
    {"QLinearConv", OpId::kConv,
     "input input.scale input.zero_point weight weight.scale weight.zero_point output.scale output.zero_point bias"},
    {"QLinearMatMul", OpId::kMatMul, "a a.scale a.zero_point b b.scale b.zero_point output.scale output.zero_point"},
    {"ConvInteger", OpId::kConv, "input weight input.zero_point weight.zero_point"},
    {"MatMulInteger", OpId::kMatMul, "a b a.zero_point b.zero_point"},
    {"com.microsoft::QLinearConv", OpId::kConv,
     "input input.scale input.zero_point weight weight.scale weight.zero_point output.scale output.zero_point bias"},
    {"com.microsoft::QLinearConvTranspose", OpId::kConvTranspose,
     "input input.scale input.zero_point weight weight.scale weight.zero_point output.scale output.zero_point bias"},
    {"com.microsoft::QGemm", OpId::kGemm,
     "input input.scale input.zero_point weight weight.scale weight.zero_point bias output.scale output.zero_point"},
    {"com.microsoft::GemmFloat8", OpId::kFusedGemm, "input weight bias input.scale weight.scale output.scale"},
    {"com.microsoft::DynamicQuantizeMatMul", OpId::kMatMul, "a b b.scale b.zero_point bias"},
    {"com.microsoft::MatMulIntegerToFloat", OpId::kMatMul, "a b a.scale b.scale a.zero_point b.zero_point bias"},
    {"com.microsoft::MatMulInteger16", OpId::kMatMul, "a b"},
    {"com.microsoft::MatMulNBits", OpId::kLinear, "input weight weight.scale weight.zero_point - bias"},
    {"com.microsoft::MatMulBnb4", OpId::kLinear, "input weight weight.scale"},
    {"com.microsoft::MatMulFpQ4", OpId::kMatMul, "a b -"},
    {"com.microsoft::MatMulNBitsMlp", OpId::kFusedMlp,
     "input skip norm_weight gate_weight gate_weight.scale gate_bias up_weight up_weight.scale up_bias"},
    {"com.microsoft::MatMulNBitsQkv", OpId::kFusedQkv,
     "input skip norm_weight q_weight q_weight.scale q_bias k_weight k_weight.scale k_bias v_weight v_weight.scale "
     "v_bias"},
    {"com.microsoft::QOrderedMatMul", OpId::kMatMulAdd, "a a.scale b b.scale output.scale bias addend addend.scale"},
    {"com.microsoft::QMoE", OpId::kMoE,
     "input router fc1_weight fc1_weight.scale fc1_bias fc2_weight fc2_weight.scale fc2_bias fc3_weight "
     "fc3_weight.scale fc3_bias fc1_weight.zero_point fc2_weight.zero_point fc3_weight.zero_point router_weights - - - "
     "- - -"},
    {"com.microsoft::DynamicQuantizeLSTM", OpId::kLstm,
     "input weight recurrent_weight bias sequence_lengths initial_hidden initial_cell peephole weight.scale "
     "weight.zero_point recurrent_weight.scale recurrent_weight.zero_point"},
    {"com.microsoft::QAttention", OpId::kProjectedAttention,
     "input weight bias input.scale weight.scale mask input.zero_point weight.zero_point past"},
    {"com.microsoft::QOrderedAttention", OpId::kSplitProjectedAttention,
     "input input.scale - - - q_weight k_weight v_weight q_weight.scale k_weight.scale v_weight.scale q_bias k_bias "
     "v_bias - - output.scale mask past score_bias"},
    {"com.microsoft::QOrderedLongformerAttention", OpId::kLongformerAttention,
     "input input.scale weight weight.scale bias bias.scale - mask global_weight global_weight.scale global_bias - "
     "global_mask output.scale"},
    {"com.microsoft::QEmbedLayerNormalization", OpId::kEmbedLayerNorm,
     "input_ids segment_ids word_embedding position_embedding segment_embedding weight bias mask word_embedding.scale "
     "position_embedding.scale segment_embedding.scale weight.scale bias.scale word_embedding.zero_point "
     "position_embedding.zero_point segment_embedding.zero_point weight.zero_point bias.zero_point"},
    {"com.microsoft::GatherBlockQuantized", OpId::kGather, "input indices input.scale input.zero_point"},
    {"com.microsoft::QLinearAdd", OpId::kAdd,
     "a a.scale a.zero_point b b.scale b.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearMul", OpId::kMul,
     "a a.scale a.zero_point b b.scale b.zero_point output.scale output.zero_point"},
    {"com.microsoft::MulInteger", OpId::kMul, "a a.zero_point b b.zero_point"},
    {"com.microsoft::QLinearWhere", OpId::kWhere,
     "condition a a.scale a.zero_point b b.scale b.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearLeakyRelu", OpId::kLeakyRelu,
     "input input.scale input.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearSigmoid", OpId::kSigmoid,
     "input input.scale input.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearSoftmax", OpId::kSoftmax,
     "input input.scale input.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearAveragePool", OpId::kAveragePool,
     "input input.scale input.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearGlobalAveragePool", OpId::kGlobalAveragePool,
     "input input.scale input.zero_point output.scale output.zero_point"},
    {"com.microsoft::QLinearReduceMean", OpId::kReduceMean,
     "input input.scale input.zero_point output.scale output.zero_point"},
    {"com.microsoft::ReduceSumInteger", OpId::kReduceSum, "input"},
    {"com.microsoft::QLinearConcat", OpId::kConcat,
     "output.scale output.zero_point inputs inputs.scale inputs.zero_point inputs"},
    {"com.microsoft::QOrderedGelu", OpId::kGelu, "input input.scale output.scale"},
    {"com.microsoft::QOrderedLayerNormalization", OpId::kLayerNorm, "input input.scale weight bias output.scale"},
};

TEST(OnnxOps, ArgumentsOfEveryIntegerOperator) {
  std::set<std::string> listed;
  for (const IntegerOp& expected : kIntegerOps) {
    SCOPED_TRACE(expected.name);
    listed.insert(expected.name);
    const Binding* binding = Onnx(expected.name);
    ASSERT_NE(binding, nullptr);
    EXPECT_EQ(binding->op->id, expected.op);
    EXPECT_TRUE(binding->integer_operator);
    const std::vector<std::string> roles = absl::StrSplit(expected.roles, ' ');
    EXPECT_EQ(absl::StrJoin(Roles(*binding, static_cast<int>(roles.size())), " "), expected.roles);
  }
  for (const auto& rows : {OnnxOps(), OnnxContribOps()}) {
    for (const OpRow& row : rows) {
      if (row.op == OpId::kOpaque) continue;
      EXPECT_EQ(Onnx(row.name)->integer_operator, listed.count(row.name) > 0) << row.name;
    }
  }
}

// Opaque operators that stored integers may enter: not everything that is opaque means real numbers.
TEST(OnnxOps, OpaqueOperatorsThatTakeIntegers) {
  std::vector<std::string> names;
  for (const OpRow& row : OnnxContribOps()) {
    if (row.op == OpId::kOpaque && Onnx(row.name)->integer_operator) names.push_back(row.name);
  }
  EXPECT_THAT(names, UnorderedElementsAre(
                         "com.microsoft::QuantizeBFP", "com.microsoft::DequantizeBFP", "com.microsoft::EPContext",
                         "com.microsoft::Snpe", "com.ms.internal.nhwc::QLinearAveragePool",
                         "com.ms.internal.nhwc::QLinearConv", "com.ms.internal.nhwc::QLinearConvTranspose"));
}

TEST(OnnxOps, ArgumentsInAnotherOrder) {
  EXPECT_THAT(Roles(*Onnx("com.microsoft::RotaryEmbedding"), 4),
              ElementsAre("input", "position_ids", "cos_cache", "sin_cache"));
  EXPECT_THAT(Roles(*Onnx("RotaryEmbedding"), 4), ElementsAre("input", "cos_cache", "sin_cache", "position_ids"));
  EXPECT_THAT(Roles(*Onnx("Upsample"), 2), ElementsAre("input", "scales"));
  EXPECT_THAT(Roles(*Onnx("Resize"), 4), ElementsAre("input", "roi", "scales", "sizes"));
  EXPECT_THAT(Roles(*Onnx("MatMul"), 3), ElementsAre("a", "b", "-"));
  EXPECT_THAT(Roles(*Onnx("com.microsoft::GroupQueryAttention"), 14).back(), "past_value.scale");
}

// What does more than its neighbor must not be lowered like it.
TEST(OnnxOps, FusionsAndOtherLayoutsAreOperatorsOfTheirOwn) {
  for (const char* name : {"com.microsoft::FusedConv", "com.microsoft::NhwcConv", "com.microsoft::NhwcFusedConv",
                           "com.microsoft.nchwc::Conv", "com.ms.internal.nhwc::Conv"}) {
    EXPECT_NE(Onnx(name)->op->id, OpId::kConv) << name;
  }
  EXPECT_NE(Onnx("com.microsoft::FusedGemm")->op->id, OpId::kGemm);
  EXPECT_NE(Onnx("com.microsoft::FusedMatMul")->op->id, OpId::kMatMul);
  EXPECT_NE(Onnx("com.microsoft::GroupNorm")->op->id, OpId::kGroupNorm);
}

// --- QNN -------------------------------------------------------------------------------------------------------------

TEST(QnnOps, EveryDefinitionBindsPortByPort) {
  const std::vector<Schema> schemas = ReadSchemas("operators_qnn.tsv");
  EXPECT_EQ(schemas.size(), 151u);
  // The documents do not have HadamardTransform, which later libraries take.
  EXPECT_EQ(QnnOps().size(), schemas.size() + 1);
  EXPECT_EQ(Qnn("HadamardTransform")->op->id, OpId::kHadamardTransform);
  for (const Schema& schema : schemas) {
    const Binding* binding = Qnn(schema.op);
    ASSERT_NE(binding, nullptr) << schema.op;
    SCOPED_TRACE(schema.op);
    EXPECT_FALSE(binding->integer_operator);
    CheckInputs(schema, *binding);
    CheckOutputs(schema, *binding);
    for (size_t i = 0; i < schema.inputs.size(); ++i) {
      const Argument argument = ArgumentAt(*binding, static_cast<int>(i));
      EXPECT_EQ(argument.role, ArgRole::kData);
      const auto last = static_cast<int>(binding->op->inputs.size()) - 1;
      EXPECT_EQ(argument.port, std::min(static_cast<int>(i), last));
    }
  }
}

TEST(QnnOps, OperatorsThatAParameterDecides) {
  EXPECT_EQ(Qnn("ElementWiseBinary")->op->id, OpId::kElementWiseBinary);
  EXPECT_EQ(Qnn("ElementWiseUnary")->op->id, OpId::kElementWiseUnary);
  EXPECT_EQ(Qnn("ElementWiseNeuron")->op->id, OpId::kElementWiseNeuron);
}

// --- torch.fx --------------------------------------------------------------------------------------------------------

TEST(TorchOps, EverySchemaBinds) {
  const auto rows = ReadTable("operators_torch.tsv");
  EXPECT_GE(rows.size(), 400u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.at(0));
    const Binding* binding = Torch(row.at(0));
    ASSERT_NE(binding, nullptr);
    const std::string& arguments = row.at(1);
    if (arguments == "?" || binding->op->id == OpId::kOpaque) continue;
    std::map<int, int> operands;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument argument = ArgumentAt(*binding, static_cast<int>(i));
      const Port* port = argument.role == ArgRole::kData && argument.port < binding->op->inputs.size()
                             ? &binding->op->inputs[argument.port]
                             : nullptr;
      switch (arguments[i]) {
        case 'T':
        case 'O':
        case 'L':
          // The one exception: the bounds of the stored type, as tensors.
          if (absl::EndsWith(row.at(0), ".tensor2") && (i == 3 || i == 4)) break;
          EXPECT_NE(argument.role, ArgRole::kOther) << "tensor at position " << i;
          if (port == nullptr) break;
          if (arguments[i] == 'O') {
            EXPECT_TRUE(port->optional) << port->name;
          }
          EXPECT_EQ(++operands[argument.port], 1) << port->name;
          break;
        case 'x':
          // A number, a list or a flag is no tensor port, unless other overloads have a tensor parameter in its place.
          if (port != nullptr) {
            EXPECT_TRUE(port->role == PortRole::kParameter || port->variadic) << port->name;
          }
          break;
        default:
          break;
      }
    }
    const std::string& results = row.at(2);
    const auto outputs = binding->op->outputs;
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] == 'T') {
        EXPECT_TRUE(i < outputs.size() || outputs.back().variadic);
      }
      if (results[i] == 'L') {
        EXPECT_TRUE(outputs.back().variadic || binding->op->id == OpId::kNonZero);
      }
    }
  }
}

TEST(TorchOps, NothingInvented) {
  std::set<std::string> known;
  for (const auto& row : ReadTable("operators_torch.tsv")) known.insert(row.at(0));
  int extra = 0;
  for (const OverloadRow& row : AtenOps()) {
    for (absl::string_view packet : absl::StrSplit(row.packets, ' ')) {
      for (absl::string_view overload : absl::StrSplit(row.overloads, ' ')) {
        const std::string name = absl::StrCat(packet, ".", overload);
        if (known.count(name) == 0) {
          ++extra;
          ADD_FAILURE() << name;
        }
      }
    }
  }
  EXPECT_EQ(extra, 0);
}

TEST(TorchOps, OverloadsOfOnePacketCanBeDifferentOperators) {
  EXPECT_EQ(Torch("aten.max.dim")->op->id, OpId::kMaxDim);
  EXPECT_EQ(Torch("aten.max.other")->op->id, OpId::kMaximum);
  EXPECT_EQ(Torch("aten.max.default")->op->id, OpId::kReduceMax);
  EXPECT_EQ(Torch("aten.max"), nullptr);  // which one is not said
  EXPECT_EQ(Torch("aten.scatter"), nullptr);
  EXPECT_EQ(Torch("aten.where"), nullptr);
  EXPECT_EQ(Torch("aten.where.self")->op->id, OpId::kWhere);
  EXPECT_EQ(Torch("aten.where.default")->op->id, OpId::kNonZero);
}

// Second names, which an exporter keeps.
TEST(TorchOps, AliasesAreTheSameOperator) {
  const std::pair<const char*, const char*> aliases[] = {
      {"absolute.default", "abs.default"},       {"arctan2.default", "atan2.default"},
      {"clip.Tensor", "clamp.Tensor"},           {"greater.Scalar", "gt.Scalar"},
      {"multiply.Tensor", "mul.Tensor"},         {"subtract.Scalar", "sub.Scalar"},
      {"true_divide.Tensor", "div.Tensor"},      {"negative.default", "neg.default"},
      {"fix.default", "trunc.default"},          {"broadcast_to.default", "expand.default"},
      {"unsafe_chunk.default", "chunk.default"}, {"swapdims.default", "transpose.int"},
      {"type_as.default", "to.other"},           {"positive.default", "alias.default"},
      {"less_equal.Tensor", "le.Tensor"},        {"ravel.default", "flatten.using_ints"}};
  for (const auto& [alias, name] : aliases) {
    const Binding* known = Torch(absl::StrCat("aten.", alias));
    ASSERT_NE(known, nullptr) << alias;
    EXPECT_EQ(known->op->id, Torch(absl::StrCat("aten.", name))->op->id) << alias;
  }
}

TEST(TorchOps, VariantsOfOneOperator) {
  for (const char* name : {"aten.add.Tensor", "aten.add.Scalar", "aten.add_.Tensor", "aten.add_.Scalar", "aten.add"}) {
    ASSERT_NE(Torch(name), nullptr) << name;
    EXPECT_EQ(Torch(name)->op->id, OpId::kAdd) << name;
  }
  for (const char* name :
       {"aten.permute.default", "aten.permute_copy.default", "aten.transpose.int", "aten.t.default"}) {
    EXPECT_EQ(Torch(name)->op->id, OpId::kTranspose) << name;
  }
  EXPECT_EQ(Torch("aten.conv2d.padding")->op->id, OpId::kConv);
  EXPECT_EQ(Torch("aten.convolution.default")->op->id, OpId::kConv);
}

TEST(TorchOps, ArgumentsBySchemaPosition) {
  EXPECT_THAT(Roles(*Torch("aten.conv2d.default"), 4), ElementsAre("input", "weight", "bias", "-"));
  EXPECT_THAT(Roles(*Torch("aten.linear.default"), 3), ElementsAre("input", "weight", "bias"));
  EXPECT_THAT(Roles(*Torch("aten.addmm.default"), 3), ElementsAre("bias", "input", "weight"));
  EXPECT_THAT(Roles(*Torch("aten.rsub.Scalar"), 2), ElementsAre("b", "a"));
  EXPECT_THAT(Roles(*Torch("aten.layer_norm.default"), 4), ElementsAre("input", "-", "weight", "bias"));
  EXPECT_THAT(Roles(*Torch("aten.native_layer_norm.default"), 4), ElementsAre("input", "-", "weight", "bias"));
  EXPECT_THAT(Roles(*Torch("aten.group_norm.default"), 4), ElementsAre("input", "-", "weight", "bias"));
  EXPECT_THAT(Roles(*Torch("aten.native_group_norm.default"), 4), ElementsAre("input", "weight", "bias", "-"));
  EXPECT_THAT(Roles(*Torch("aten.rms_norm.default"), 3), ElementsAre("input", "-", "weight"));
  EXPECT_THAT(Roles(*Torch("aten.batch_norm.default"), 6),
              ElementsAre("input", "weight", "bias", "mean", "variance", "-"));
  EXPECT_THAT(Roles(*Torch("aten.gather.default"), 3), ElementsAre("input", "-", "indices"));
  EXPECT_THAT(Roles(*Torch("aten.index_select.default"), 3), ElementsAre("input", "-", "indices"));
  EXPECT_THAT(Roles(*Torch("aten.embedding.default"), 3), ElementsAre("weight", "indices", "-"));
  EXPECT_THAT(Roles(*Torch("aten.scatter.src"), 4), ElementsAre("input", "-", "indices", "updates"));
  EXPECT_THAT(Roles(*Torch("aten.index_put.default"), 3), ElementsAre("input", "indices", "updates"));
  EXPECT_THAT(Roles(*Torch("aten.where.ScalarSelf"), 3), ElementsAre("condition", "a", "b"));
  EXPECT_THAT(Roles(*Torch("aten.clamp_max.default"), 2), ElementsAre("input", "max"));
  EXPECT_THAT(Roles(*Torch("aten.einsum.default"), 3), ElementsAre("-", "inputs", "inputs"));
  // Members of a list have the position of the list, or, where a producer of graphs numbers them, the ones that follow.
  EXPECT_THAT(Roles(*Torch("aten.cat.default"), 3), ElementsAre("inputs", "inputs", "inputs"));
  EXPECT_THAT(Roles(*Torch("aten.index.Tensor"), 4), ElementsAre("input", "indices", "indices", "indices"));
  EXPECT_THAT(Roles(*Torch("higher_order.cond"), 6), ElementsAre("condition", "-", "-", "inputs", "inputs", "inputs"));
  EXPECT_THAT(Roles(*Torch("aten.scaled_dot_product_attention.default"), 5),
              ElementsAre("query", "key", "value", "mask", "-"));
}

TEST(TorchOps, QuantizeAndDequantize) {
  int quantizes = 0;
  for (const auto& row : ReadTable("operators_torch.tsv")) {
    const std::string& name = row.at(0);
    if (!absl::StartsWith(name, "quantized_decomposed.") && !absl::StartsWith(name, "torchao.")) continue;
    SCOPED_TRACE(name);
    const Binding& binding = *Torch(name);
    EXPECT_FALSE(binding.integer_operator);
    const bool has_zero_point = !absl::StrContains(name, "float8");
    // torchao's affine operators have the block size in between.
    const int scale = absl::StrContains(name, "_affine") && has_zero_point ? 2 : 1;
    if (absl::StrContains(name, ".dequantize_")) {
      ++quantizes;
      EXPECT_EQ(binding.op->id, OpId::kDequantize);
      EXPECT_EQ(Roles(binding, scale + 1).back(), "input.scale");
      if (has_zero_point) {
        EXPECT_EQ(Roles(binding, scale + 2).back(), "input.zero_point");
      }
    } else if (absl::StrContains(name, ".quantize_")) {
      ++quantizes;
      EXPECT_EQ(binding.op->id, OpId::kQuantize);
      EXPECT_EQ(Roles(binding, scale + 1).back(), "output.scale");
      if (has_zero_point) {
        EXPECT_EQ(Roles(binding, scale + 2).back(), "output.zero_point");
      }
    } else if (absl::StrContains(name, "choose_")) {
      EXPECT_EQ(binding.op->id, OpId::kChooseQParams);
    }
  }
  EXPECT_GE(quantizes, 18);
  EXPECT_EQ(Torch("torchao.dequantize_affine")->op->id, OpId::kDequantize);
}

}  // namespace
}  // namespace quantgate
