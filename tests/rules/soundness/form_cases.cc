// How ONNX nodes are written: attributes, arguments, types, versions and shapes. Each finding has a neighbor without.
#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/rules/soundness/case.h"

namespace quantgate::testing {
namespace {

using Shapes = std::initializer_list<std::pair<const char*, std::vector<int64_t>>>;
using Numbers = std::initializer_list<int64_t>;

// Integers that the convolution writes by 0.05, and others by `scale`, in one tensor that is read by 0.05.
void JoinWithQuantized(GraphBuilder& b, double scale) {
  b.Input("f", v1::DATA_TYPE_FLOAT32, {1, 8, 14, 14});
  b.Reals("f_scale", {scale});
  b.Node("QuantizeLinear", "f_Q", {"f", "f_scale", "y_zp"}, {"fq"});
  b.Int(b.Node("Concat", "join", {"yq", "fq"}, {"joined"}), "axis", 1);
  b.Node("DequantizeLinear", "j_DQ", {"joined", "y_scale", "y_zp"}, {"j"});
  b.Output("j");
}

GraphBuilder Blank() { return GraphBuilder(); }
void Nothing(GraphBuilder&) {}

// Node "n" over float inputs of these shapes, with output "y".
v1::Node& One(GraphBuilder& b, const std::string& op, const Shapes& inputs) {
  std::vector<std::string> names;
  for (const auto& [name, dims] : inputs) {
    b.Input(name, v1::DATA_TYPE_FLOAT32, dims);
    names.push_back(name);
  }
  v1::Node& node = b.Node(op, "n", names, {"y"});
  b.Output("y");
  return node;
}

v1::Attribute& Attribute(GraphBuilder& b, const std::string& name) {
  v1::Attribute& attribute = *b.Find("n").add_attributes();
  attribute.set_name(b.Symbol(name));
  return attribute;
}
void Int(GraphBuilder& b, const std::string& name, int64_t number) { Attribute(b, name).set_i(number); }
void Ints(GraphBuilder& b, const std::string& name, Numbers numbers) {
  v1::IntList& list = *Attribute(b, name).mutable_ints();
  for (int64_t number : numbers) list.add_values(number);
}
void Text(GraphBuilder& b, const std::string& name, const std::string& text) { Attribute(b, name).set_s(text); }

// A further input of "n": constant integers.
void Constant(GraphBuilder& b, const std::string& name, Numbers numbers) {
  b.Ints(name, v1::DATA_TYPE_INT64, numbers, /*scalar=*/false);
  b.Find("n").add_inputs(b.Id(name));
}

void Opset(GraphBuilder& b, int64_t version) { b.graph.mutable_opset_imports(0)->set_version(version); }

// [1, 3, 8, 8] and a weight of [4, 3, 3, 3].
void Conv(GraphBuilder& b) { One(b, "Conv", {{"x", {1, 3, 8, 8}}, {"w", {4, 3, 3, 3}}}); }

// "n" reads [2, 3, 4].
std::function<void(GraphBuilder&)> Of(const std::string& op, std::function<void(GraphBuilder&)> more) {
  return [op, more](GraphBuilder& b) {
    One(b, op, {{"x", {2, 3, 4}}});
    more(b);
  };
}

// A body with so many inputs and outputs, as `attribute` of "n".
void Body(GraphBuilder& b, const std::string& attribute, int inputs, int outputs) {
  GraphBuilder body;
  body.graph.clear_opset_imports();
  body.graph.set_format_version(0);
  for (int i = 0; i < inputs; ++i) body.Input(absl::StrCat("in", i), v1::DATA_TYPE_FLOAT32, {4});
  for (int i = 0; i < outputs; ++i) {
    const std::string from = absl::StrCat("from", i);
    body.Reals(from, {1});
    body.Node("Relu", absl::StrCat("inner", i), {from}, {absl::StrCat("out", i)});
    body.Output(absl::StrCat("out", i));
  }
  *b.graph.add_subgraphs() = body.graph;
  Attribute(b, attribute).set_graph(b.graph.subgraphs_size());
}

// An If of one output.
GraphBuilder Branches(int inputs, int outputs) {
  GraphBuilder b;
  b.Input("c", v1::DATA_TYPE_BOOL, {});
  b.Node("If", "n", {"c"}, {"y"});
  b.Output("y");
  for (const char* branch : {"then_branch", "else_branch"}) Body(b, branch, inputs, outputs);
  return b;
}

// A Loop or Scan over one tensor, with a body of so many inputs and outputs.
GraphBuilder Repeated(const std::string& op, int inputs, int outputs) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4, 4});
  b.Node(op, "n", op == "Loop" ? std::vector<std::string>{"", "", "x"} : std::vector<std::string>{"x"}, {"y"});
  b.Output("y");
  Body(b, "body", inputs, outputs);
  if (op == "Scan") Int(b, "num_scan_inputs", 1);
  return b;
}

// The output "y" of "n" is declared so.
void Declare(GraphBuilder& b, v1::DataType type, const std::vector<int64_t>& dims) { b.Shape("y", type, dims); }

void Append(std::vector<SoundnessCase>& to, std::vector<SoundnessCase> cases) {
  for (SoundnessCase& c : cases) to.push_back(std::move(c));
}

std::vector<SoundnessCase> AttributeCases() {
  return {
      // GS010
      {"AttributeUnknown", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Int(b, "grups", 1);
       },
       "GS010", "n"},
      {"AttributeOfATool", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Int(b, "__note", 1);
       },
       ""},
      {"AttributeUnknownToAnOpenDomain", SoundPackedMatMul,
       [](GraphBuilder& b) { b.Int(b.Find("mm"), "new_in_a_later_runtime", 1); }, ""},
      {"AttributeOfWrongType", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Text(b, "group", "one");
       },
       "GS010", "n"},
      {"AttributeNumberForList", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Int(b, "strides", 1);
       },
       "GS010", "n"},
      {"AttributeFloatForInteger", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Attribute(b, "group").set_f(1);
       },
       "GS010", "n"},
      {"AttributeWithoutValue", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Attribute(b, "group");
       },
       "GS010", "n"},
      {"AttributeEmptyList", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Attribute(b, "strides");
         b.graph.set_format_version(1);
       },
       ""},
      {"AttributeWithoutType", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Attribute(b, "strides");
       },
       "GS010", "n"},
      {"AttributeAsBool", Blank,
       [](GraphBuilder& b) {
         One(b, "Gemm", {{"x", {2, 3}}, {"w", {4, 3}}});
         Attribute(b, "transB").set_b(true);
       },
       "-GS010"},
      {"AttributeTwice", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Int(b, "group", 1);
         Int(b, "group", 1);
       },
       "GS010", "n"},
      {"AttributeLeftOut", Blank,
       [](GraphBuilder& b) {
         One(b, "Concat", {{"x", {2, 3}}, {"z", {2, 3}}});
       },
       "GS010", "n"},
      {"AttributeGiven", Blank,
       [](GraphBuilder& b) {
         One(b, "Concat", {{"x", {2, 3}}, {"z", {2, 3}}});
         Int(b, "axis", -1);
       },
       ""},
      {"AttributeOfPackedMatMulLeftOut", SoundPackedMatMul,
       [](GraphBuilder& b) { b.Find("mm").mutable_attributes()->DeleteSubrange(1, 1); }, "GS010", "mm"},

      // GS011
      {"InputsTooFew", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {1, 3, 8, 8}}});
       },
       "GS011", "n"},
      {"InputsTooMany", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {4}}, {"z", {4}}});
       },
       "GS011", "n"},
      {"InputsOptionalLeftOut", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         b.Find("n").add_inputs(0);
       },
       ""},
      {"InputsRequiredLeftOut", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         b.Find("n").set_inputs(1, 0);
       },
       "GS011", "n"},
      {"InputsVariadic", Blank,
       [](GraphBuilder& b) {
         One(b, "Sum", {{"x", {4}}, {"z", {4}}, {"v", {4}}, {"u", {4}}});
       },
       ""},
      {"InputsVariadicLeftOut", Blank,
       [](GraphBuilder& b) {
         One(b, "Sum", {{"x", {4}}, {"z", {4}}, {"v", {4}}});
         b.Find("n").set_inputs(1, 0);
       },
       "GS011", "n"},
      {"InputsOfAnOpenDomain", SoundPackedMatMul,
       [](GraphBuilder& b) {
         for (int i = 0; i < 5; ++i) b.Find("mm").add_inputs(0);
       },
       ""},
      {"OutputsTooMany", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         b.Find("n").add_outputs(b.Id("more"));
       },
       "GS011", "n"},
      {"OutputsNone", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         b.Node("Relu", "end", {"x"}, {});
       },
       "GS011", "end"},
      {"BranchesAsTheNode", [] { return Branches(0, 1); }, Nothing, ""},
      {"BranchesWithInputs", [] { return Branches(1, 1); }, Nothing, "GS011", "n"},
      {"BranchesWithMoreOutputs", [] { return Branches(0, 2); }, Nothing, "GS011", "n"},
      {"LoopAsTheNode", [] { return Repeated("Loop", 3, 2); }, Nothing, ""},
      {"LoopWithoutItsTensor", [] { return Repeated("Loop", 2, 2); }, Nothing, "GS011", "n"},
      {"LoopWithoutCondition", [] { return Repeated("Loop", 3, 1); }, Nothing, "GS011", "n"},
      {"ScanAsTheNode", [] { return Repeated("Scan", 1, 1); }, Nothing, ""},
      {"ScanWithMoreInputs", [] { return Repeated("Scan", 2, 1); }, Nothing, "GS011", "n"},

      // GS013: what stands on its own
      {"StrideZero", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "strides", {0, 1});
       },
       "GS013", "n"},
      {"StridesTooFew", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "strides", {1});
       },
       "GS013", "n"},
      {"StridesOfUnknownInput", Blank,
       [](GraphBuilder& b) {
         One(b, "MaxPool", {{"x", {1, 3, 8, 8}}});
         b.Value("x").set_has_shape(false);
         b.Value("x").clear_dims();
         Ints(b, "kernel_shape", {2, 2});
         Ints(b, "strides", {2, 2, 2});
       },
       "GS013", "n"},
      {"PadsNegative", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "pads", {0, 0, -1, 0});
       },
       "GS013", "n"},
      {"PadsOfTwo", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "pads", {1, 1});
       },
       "GS013", "n"},
      {"PadsOfFour", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "pads", {1, 1, 1, 1});
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
       },
       ""},
      {"GroupNegative", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Int(b, "group", -1);
       },
       "GS013", "n"},
      {"GroupDoesNotDivide", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Int(b, "group", 3);
       },
       "GS013", "n"},
      {"KernelShapeOfAnotherWeight", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "kernel_shape", {9, 9});
       },
       "GS013", "n"},
      {"KernelShapeOfTheWeight", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Ints(b, "kernel_shape", {3, 3});
       },
       ""},
      {"AutoPadUnknown", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Text(b, "auto_pad", "SAME");
       },
       "GS013", "n"},
      {"AutoPadSame", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Text(b, "auto_pad", "SAME_UPPER");
         Ints(b, "strides", {3, 3});
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 4, 3, 3});
       },
       ""},
      {"ModeUnknown", Blank, Of("Gelu", [](GraphBuilder& b) { Text(b, "approximate", "roughly"); }), "GS013", "n"},
      {"ModeKnown", Blank, Of("Gelu", [](GraphBuilder& b) { Text(b, "approximate", "tanh"); }), ""},
      {"PermTwice", Blank,
       Of("Transpose",
          [](GraphBuilder& b) {
            Ints(b, "perm", {0, 0, 1});
          }),
       "GS013", "n"},
      {"PermShort", Blank,
       Of("Transpose",
          [](GraphBuilder& b) {
            Ints(b, "perm", {1, 0});
          }),
       "GS013", "n"},
      {"PermWhole", Blank,
       Of("Transpose",
          [](GraphBuilder& b) {
            Ints(b, "perm", {2, 0, 1});
            Declare(b, v1::DATA_TYPE_FLOAT32, {4, 2, 3});
          }),
       ""},
      {"SoftmaxAxis", Blank, Of("Softmax", [](GraphBuilder& b) { Int(b, "axis", 3); }), "GS013", "n"},
      {"SoftmaxAxisFromTheEnd", Blank, Of("Softmax", [](GraphBuilder& b) { Int(b, "axis", -3); }), ""},
      {"FlattenAxisEnd", Blank,
       Of("Flatten",
          [](GraphBuilder& b) {
            Int(b, "axis", 3);
            Declare(b, v1::DATA_TYPE_FLOAT32, {24, 1});
          }),
       ""},
      {"FlattenAxisBeyond", Blank, Of("Flatten", [](GraphBuilder& b) { Int(b, "axis", 4); }), "GS013", "n"},
      {"ReduceAxis", Blank, Of("ReduceMean", [](GraphBuilder& b) { Constant(b, "axes", {3}); }), "GS013", "n"},
      {"ReduceAxisOfOldForm", Blank,
       Of("ReduceMean",
          [](GraphBuilder& b) {
            Opset(b, 13);
            Ints(b, "axes", {-4});
          }),
       "GS013", "n"},
      {"UnsqueezeTwice", Blank,
       Of("Unsqueeze",
          [](GraphBuilder& b) {
            Constant(b, "axes", {0, -5});
          }),
       "GS013", "n"},
      {"BlocksOfZero", Blank, Of("DepthToSpace", [](GraphBuilder& b) { Int(b, "blocksize", 0); }), "GS013", "n"},
      {"SplitOutputs", Blank, Of("Split", [](GraphBuilder& b) { Int(b, "num_outputs", 2); }), "GS013", "n"},
      {"PackedSizeNegative", SoundPackedMatMul, [](GraphBuilder& b) { b.Find("mm").mutable_attributes(1)->set_i(-4); },
       "GS013", "mm"},
  };
}

std::vector<SoundnessCase> ShapeCases() {
  return {
      // GS012
      {"SizesInAMatrix", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {24});
            b.Shape("shape", v1::DATA_TYPE_INT64, {1, 1});
          }),
       "GS012", "n", "shape"},
      {"AxisAsScalar", Blank,
       Of("ReduceMean",
          [](GraphBuilder& b) {
            Constant(b, "axes", {1});
            b.Shape("axes", v1::DATA_TYPE_INT64, {});
          }),
       "GS012", "n", "axes"},
      {"AxesInAList", Blank, Of("ReduceMean", [](GraphBuilder& b) { Constant(b, "axes", {1}); }), ""},
      {"ConvOfMatchingShapes", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 4, 6, 6});
       },
       ""},
      {"ConvChannels", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {1, 3, 8, 8}}, {"w", {4, 2, 3, 3}}});
       },
       "GS012", "n", "x"},
      {"ConvRank", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {1, 3, 8}}, {"w", {4, 3, 3, 3}}});
       },
       "GS012", "n", "x"},
      {"ConvWeightIsBias", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {1, 3, 8, 8}}, {"w", {4}}, {"b", {4, 3, 3, 3}}});
       },
       "GS012", "n", "w"},
      {"TransposedConvOfMatrix", Blank,
       [](GraphBuilder& b) {
         One(b, "ConvTranspose", {{"x", {8, 8}}, {"w", {}}});
       },
       "GS012", "n", "w"},
      {"ConvKernelBeyondInput", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {1, 3, 2, 8}}, {"w", {4, 3, 3, 3}}});
       },
       "GS012", "n", "x"},
      {"ConvBias", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {1, 3, 8, 8}}, {"w", {4, 3, 3, 3}}, {"b", {3}}});
       },
       "GS012", "n", "b"},
      {"ConvUnknownChannels", Blank,
       [](GraphBuilder& b) {
         One(b, "Conv", {{"x", {-1, -1, -1, -1}}, {"w", {4, 2, 3, 3}}});
       },
       ""},
      {"ConvChannelsLast", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Find("q").set_op(b.Symbol("com.microsoft::QLinearConv"));
         b.Int(b.Find("q"), "channels_last", 1);
       },
       ""},
      {"IntegerConvBias", SoundIntegerConv, [](GraphBuilder& b) { b.Weight("b", v1::DATA_TYPE_INT32, {7}, 28); },
       "GS012", "q", "b"},
      {"ConvTransposeChannels", Blank,
       [](GraphBuilder& b) {
         One(b, "ConvTranspose", {{"x", {1, 3, 8, 8}}, {"w", {4, 3, 3, 3}}});
       },
       "GS012", "n", "x"},
      {"ConvTransposeOfMatchingShapes", Blank,
       [](GraphBuilder& b) {
         One(b, "ConvTranspose", {{"x", {1, 4, 8, 8}}, {"w", {4, 3, 3, 3}}, {"b", {3}}});
       },
       ""},
      {"PoolWindowInCeilMode", Blank,
       [](GraphBuilder& b) {
         One(b, "MaxPool", {{"x", {1, 3, 7, 8}}});
         Ints(b, "kernel_shape", {2, 2});
         Ints(b, "strides", {2, 2});
         Int(b, "ceil_mode", 1);
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 3, 4, 4});
       },
       ""},
      {"PoolWindowBeyondInput", Blank,
       [](GraphBuilder& b) {
         One(b, "MaxPool", {{"x", {1, 3, 1, 8}}});
         Ints(b, "kernel_shape", {2, 2});
       },
       ""},
      {"PoolOfPadding", Blank,
       [](GraphBuilder& b) {
         One(b, "MaxPool", {{"x", {1, 3, 8, 8}}});
         Ints(b, "kernel_shape", {2, 2});
         Ints(b, "pads", {0, 0, 0, 2});
       },
       "GS013", "n"},
      {"GlobalPoolOfAMatrix", Blank,
       [](GraphBuilder& b) {
         One(b, "GlobalMaxPool", {{"x", {3, 7}}});
       },
       "GS012", "n", "x"},
      {"SplitIntoTooMany", Blank,
       Of("Split",
          [](GraphBuilder& b) {
            for (const char* more : {"z", "v"}) b.Find("n").add_outputs(b.Id(more));
            Int(b, "num_outputs", 3);
          }),
       "GS013", "n"},
      {"GlobalPool", Blank,
       [](GraphBuilder& b) {
         One(b, "GlobalAveragePool", {{"x", {1, 3, 7, 8}}});
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 3, 1, 1});
       },
       ""},
      {"MatMulInner", Blank,
       [](GraphBuilder& b) {
         One(b, "MatMul", {{"x", {4, 8}}, {"w", {5, 2}}});
       },
       "GS012", "n", "w"},
      {"MatMulBatch", Blank,
       [](GraphBuilder& b) {
         One(b, "MatMul", {{"x", {3, 4, 8}}, {"w", {2, 8, 2}}});
       },
       "GS012", "n", "w"},
      {"MatMulScalar", Blank,
       [](GraphBuilder& b) {
         One(b, "MatMul", {{"x", {4, 8}}, {"w", {}}});
       },
       "GS012", "n", "w"},
      {"MatMulVector", Blank,
       [](GraphBuilder& b) {
         One(b, "MatMul", {{"x", {3, 4, 8}}, {"w", {8}}});
         Declare(b, v1::DATA_TYPE_FLOAT32, {3, 4});
       },
       ""},
      {"MatMulBroadcast", Blank,
       [](GraphBuilder& b) {
         One(b, "MatMul", {{"x", {5, 1, 4, 8}}, {"w", {2, 8, 3}}});
         Declare(b, v1::DATA_TYPE_FLOAT32, {5, 2, 4, 3});
       },
       ""},
      {"GemmTransposed", Blank,
       [](GraphBuilder& b) {
         One(b, "Gemm", {{"x", {2, 3}}, {"w", {4, 3}}, {"c", {2, 1}}});
         Int(b, "transB", 1);
         Declare(b, v1::DATA_TYPE_FLOAT32, {2, 4});
       },
       ""},
      {"GemmNotTransposed", Blank,
       [](GraphBuilder& b) {
         One(b, "Gemm", {{"x", {2, 3}}, {"w", {4, 3}}});
       },
       "GS012", "n", "w"},
      {"GemmRank", Blank,
       [](GraphBuilder& b) {
         One(b, "Gemm", {{"x", {1, 2, 3}}, {"w", {3, 4}}});
       },
       "GS012", "n", "x"},
      {"GemmBias", Blank,
       [](GraphBuilder& b) {
         One(b, "Gemm", {{"x", {2, 3}}, {"w", {3, 4}}, {"c", {2}}});
       },
       "GS012", "n", "c"},
      {"PackedInner", SoundPackedMatMul, [](GraphBuilder& b) { b.Value("x").set_dims(1, 63); }, "GS012", "mm", "x"},
      {"AddBroadcast", Blank,
       [](GraphBuilder& b) {
         One(b, "Add", {{"x", {2, 1, 4}}, {"z", {3, 1}}});
         Declare(b, v1::DATA_TYPE_FLOAT32, {2, 3, 4});
       },
       ""},
      {"AddOfOtherShapes", Blank,
       [](GraphBuilder& b) {
         One(b, "Add", {{"x", {2, 3, 4}}, {"z", {5}}});
       },
       "GS012", "n", "z"},
      {"AddOfUnknownSizes", Blank,
       [](GraphBuilder& b) {
         One(b, "Add", {{"x", {2, -1, 4}}, {"z", {7, -1}}});
       },
       ""},
      {"PReluSlope", Blank,
       [](GraphBuilder& b) {
         One(b, "PRelu", {{"x", {2, 3, 4}}, {"s", {3}}});
       },
       "GS012", "n", "s"},
      {"PReluSlopeOfChannels", Blank,
       [](GraphBuilder& b) {
         One(b, "PRelu", {{"x", {2, 3, 4}}, {"s", {3, 1}}});
       },
       ""},
      {"LayerNormScale", Blank,
       [](GraphBuilder& b) {
         One(b, "LayerNormalization", {{"x", {2, 3, 4}}, {"s", {3}}});
       },
       "GS012", "n", "s"},
      {"LayerNormScaleOfTwoAxes", Blank,
       [](GraphBuilder& b) {
         One(b, "LayerNormalization", {{"x", {2, 3, 4}}, {"s", {3, 4}}});
         Int(b, "axis", 1);
       },
       ""},
      {"InstanceNormScale", Blank,
       [](GraphBuilder& b) {
         One(b, "InstanceNormalization", {{"x", {2, 3, 4}}, {"s", {4}}, {"b", {3}}});
       },
       "GS012", "n", "s"},
      {"ReshapeCount", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {7, 11});
          }),
       "GS012", "n", "shape"},
      {"ReshapeWildcards", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {-1, -1});
          }),
       "GS012", "n", "shape"},
      {"ReshapeWildcardDoesNotDivide", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {5, -1});
          }),
       "GS012", "n", "shape"},
      {"ReshapeWildcard", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {0, -1});
            Declare(b, v1::DATA_TYPE_FLOAT32, {2, 12});
          }),
       ""},
      {"ReshapeZeroBeyond", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {2, 3, 4, 0});
          }),
       "GS012", "n", "shape"},
      {"ReshapeZeroAllowed", Blank,
       [](GraphBuilder& b) {
         One(b, "Reshape", {{"x", {0, 3}}});
         Constant(b, "shape", {3, 0});
         Int(b, "allowzero", 1);
         Declare(b, v1::DATA_TYPE_FLOAT32, {3, 0});
       },
       ""},
      {"ReshapeZeroAndWildcard", Blank,
       [](GraphBuilder& b) {
         One(b, "Reshape", {{"x", {0, 3}}});
         Constant(b, "shape", {0, -1});
         Int(b, "allowzero", 1);
       },
       "GS012", "n", "shape"},
      {"ReshapeOfUnknownInput", Blank,
       [](GraphBuilder& b) {
         One(b, "Reshape", {{"x", {-1, 3}}});
         Constant(b, "shape", {7, 11});
       },
       ""},
      {"ReshapeByAnInputWithDefault", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {7, 11});
            b.graph.add_inputs(b.Id("shape"));
          }),
       ""},
      {"SqueezeOfThree", Blank, Of("Squeeze", [](GraphBuilder& b) { Constant(b, "axes", {1}); }), "GS012", "n", "x"},
      {"SqueezeAllOnes", Blank,
       [](GraphBuilder& b) {
         One(b, "Squeeze", {{"x", {1, 3, 1}}});
         Declare(b, v1::DATA_TYPE_FLOAT32, {3});
       },
       ""},
      {"UnsqueezeTwo", Blank,
       Of("Unsqueeze",
          [](GraphBuilder& b) {
            Constant(b, "axes", {0, -1});
            Declare(b, v1::DATA_TYPE_FLOAT32, {1, 2, 3, 4, 1});
          }),
       ""},
      {"ConcatOtherSizes", Blank,
       [](GraphBuilder& b) {
         One(b, "Concat", {{"x", {2, 3}}, {"z", {2, 4}}});
         Int(b, "axis", 0);
       },
       "GS012", "n", "z"},
      {"ConcatAlongThem", Blank,
       [](GraphBuilder& b) {
         One(b, "Concat", {{"x", {2, 3}}, {"z", {2, 4}}});
         Int(b, "axis", 1);
         Declare(b, v1::DATA_TYPE_FLOAT32, {2, 7});
       },
       ""},
      {"ConcatRank", Blank,
       [](GraphBuilder& b) {
         One(b, "Concat", {{"x", {2, 3}}, {"z", {2}}});
         Int(b, "axis", 0);
       },
       "GS012", "n", "z"},
      {"SplitUneven", Blank,
       Of("Split",
          [](GraphBuilder& b) {
            Opset(b, 13);
            Int(b, "axis", 1);
            b.Find("n").add_outputs(b.Id("z"));
          }),
       "GS012", "n"},
      {"SplitParts", Blank,
       Of("Split",
          [](GraphBuilder& b) {
            Constant(b, "split", {1, 1});
            Int(b, "axis", 1);
            b.Find("n").add_outputs(b.Id("z"));
          }),
       "GS012", "n", "split"},
      {"SplitPartsOfAll", Blank,
       Of("Split",
          [](GraphBuilder& b) {
            Constant(b, "split", {1, 2});
            Int(b, "axis", 1);
            b.Find("n").add_outputs(b.Id("z"));
            b.Shape("z", v1::DATA_TYPE_FLOAT32, {2, 2, 4});
          }),
       ""},
      {"SliceStepZero", Blank,
       Of("Slice",
          [](GraphBuilder& b) {
            Constant(b, "starts", {0});
            Constant(b, "ends", {2});
            Constant(b, "axes", {0});
            Constant(b, "steps", {0});
          }),
       "GS012", "n", "steps"},
      {"SliceBackwards", Blank,
       Of("Slice",
          [](GraphBuilder& b) {
            Constant(b, "starts", {-1});
            Constant(b, "ends", {-100});
            Constant(b, "axes", {2});
            Constant(b, "steps", {-3});
            Declare(b, v1::DATA_TYPE_FLOAT32, {2, 3, 2});
          }),
       ""},
      {"ExpandOtherSizes", Blank,
       Of("Expand",
          [](GraphBuilder& b) {
            Constant(b, "shape", {2, 3, 5});
          }),
       "GS012", "n", "shape"},
      {"ExpandFront", Blank,
       Of("Expand",
          [](GraphBuilder& b) {
            Constant(b, "shape", {7, 1, 3, 1});
            Declare(b, v1::DATA_TYPE_FLOAT32, {7, 2, 3, 4});
          }),
       ""},
      {"TileTooFew", Blank,
       Of("Tile",
          [](GraphBuilder& b) {
            Constant(b, "repeats", {2, 2});
          }),
       "GS012", "n", "repeats"},
      {"PadTooFew", Blank,
       Of("Pad",
          [](GraphBuilder& b) {
            Constant(b, "pads", {1, 1});
          }),
       "GS012", "n", "pads"},
      {"PadCutsTooMuch", Blank,
       Of("Pad",
          [](GraphBuilder& b) {
            Constant(b, "pads", {-1, 0, 0, -2, 0, 0});
          }),
       "GS012", "n", "pads"},
      {"PadOneAxis", Blank,
       Of("Pad",
          [](GraphBuilder& b) {
            Constant(b, "pads", {0, 0, 1, 0, 0, 2});
            Declare(b, v1::DATA_TYPE_FLOAT32, {2, 3, 7});
          }),
       ""},
      {"ResizeSizes", Blank,
       [](GraphBuilder& b) {
         One(b, "Resize", {{"x", {1, 3, 8, 8}}});
         for (int i = 0; i < 2; ++i) b.Find("n").add_inputs(0);
         Constant(b, "sizes", {16, 16});
       },
       "GS012", "n", "sizes"},
      {"BlocksDoNotDivide", Blank,
       [](GraphBuilder& b) {
         One(b, "DepthToSpace", {{"x", {1, 3, 8, 8}}});
         Int(b, "blocksize", 2);
       },
       "GS012", "n", "x"},
      // Found through two nodes whose shapes the file does not state.
      {"ShapeFoundOnTheWay", Blank,
       [](GraphBuilder& b) {
         One(b, "Flatten", {{"x", {2, 3, 4}}});
         b.Node("Relu", "r", {"y"}, {"z"});
         b.Weight("w", v1::DATA_TYPE_FLOAT32, {24, 5}, 480);
         b.Node("MatMul", "mm", {"z", "w"}, {"p"});
         b.Output("p");
       },
       "GS012", "mm", "w"},

      // FI013
      {"DeclaredNegative", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {-7, 3}}});
       },
       "FI013", "", "x"},
      {"DeclaredUnknown", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {-1, 3}}});
       },
       ""},
      {"DeclaredUncountable", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {int64_t{1} << 62, 4}}});
       },
       "FI013", "", "x"},
      {"DeclaredEmpty", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {int64_t{1} << 62, 4, 0}}});
       },
       ""},

      // FI015
      {"DeclaredOtherSize", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 4, 6, 77});
       },
       "FI015", "n", "y", -1, v1::Finding::WARNING},
      {"DeclaredOtherRank", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Declare(b, v1::DATA_TYPE_FLOAT32, {1, 4, 6});
       },
       "FI015", "n", "y", -1, v1::Finding::WARNING},
      {"DeclaredPartly", Blank,
       [](GraphBuilder& b) {
         Conv(b);
         Declare(b, v1::DATA_TYPE_FLOAT32, {-1, 4, -1, 6});
       },
       ""},
      {"BoundOfTwo", Blank,
       [](GraphBuilder& b) {
         One(b, "Clip", {{"x", {4}}, {"least", {2}}});
       },
       "GS012", "n"},
      {"BoundInAList", Blank,
       [](GraphBuilder& b) {
         One(b, "Clip", {{"x", {4}}, {"least", {1}}});
       },
       ""},
      {"GroupsWithScalesOfTheirOwn", Blank,
       [](GraphBuilder& b) {
         One(b, "GroupNormalization", {{"x", {1, 4, 6}}, {"s", {2}}, {"t", {4}}});
         Int(b, "num_groups", 2);
       },
       "GS012", "n"},
      {"GroupsOfChannels", Blank,
       [](GraphBuilder& b) {
         One(b, "GroupNormalization", {{"x", {1, 4, 6}}, {"s", {4}}, {"t", {4}}});
         Int(b, "num_groups", 2);
       },
       ""},

      // AX004
      {"BlockedScalesOfOtherShape", Blank,
       [](GraphBuilder& b) {
         b.Weight("w", v1::DATA_TYPE_INT8, {64, 32}, 2048);
         b.Reals("s", std::vector<double>(128, 0.01));
         b.Shape("s", v1::DATA_TYPE_FLOAT32, {4, 32});
         v1::Node& node = b.Node("DequantizeLinear", "n", {"w", "s"}, {"y"});
         b.Int(node, "axis", 1);
         b.Int(node, "block_size", 16);
         b.Output("y");
       },
       "AX004", "n", "w"},
      {"ScalesOfTwoDimensions", SoundConv,
       [](GraphBuilder& b) {
         b.Shape("w_scale", v1::DATA_TYPE_FLOAT32, {8, 1});
         b.Shape("w_zp", v1::DATA_TYPE_INT8, {8, 1});
       },
       "AX004", "w_DQ", "w"},
      {"ZeroPointsOfTwoDimensions", SoundConv,
       [](GraphBuilder& b) {
         b.Shape("w_zp", v1::DATA_TYPE_INT8, {1, 8});
       },
       "AX004", "w_DQ", "w"},
      {"OneZeroPointOfTwoDimensions", SoundConv,
       [](GraphBuilder& b) {
         b.Shape("y_zp", v1::DATA_TYPE_UINT8, {1, 1});
       },
       "AX004", "y_Q", "y"},
      {"OneZeroPointAsList", SoundConv, [](GraphBuilder& b) { b.Shape("y_zp", v1::DATA_TYPE_UINT8, {1}); }, ""},
      {"PackedScalesTheOtherWayRound", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Shape("w_scale", v1::DATA_TYPE_FLOAT32, {2, 32});
       },
       "AX004", "mm", "w_scale"},
      {"PackedScalesInAList", SoundPackedMatMul,
       [](GraphBuilder& b) { b.Shape("w_scale", v1::DATA_TYPE_FLOAT32, {64}); }, ""},
      {"BlocksOfAScalar", SoundConv, [](GraphBuilder& b) { b.Int(b.Find("y_DQ"), "block_size", 2); }, "AX004", "y_DQ"},
      {"NoBlocksOfAScalar", SoundConv, [](GraphBuilder& b) { b.Int(b.Find("y_DQ"), "block_size", 0); }, ""},
      {"ScaleAsListOfOne", SoundConv, [](GraphBuilder& b) { b.Shape("y_scale", v1::DATA_TYPE_FLOAT32, {1}); }, ""},
  };
}

// An If whose branches are one node of this operator.
void InABody(GraphBuilder& b, const std::string& op) {
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
  GraphBuilder body;
  body.Shape("x", v1::DATA_TYPE_FLOAT32, {4}).set_captured(b.Id("x"));
  body.Node(op, "inner", {"x"}, {"y"});
  body.Output("y");
  b.Branch("n", "c", body.graph, "z");
  b.Output("z");
}

// Four integers of this type behind a DequantizeLinear "n"; several zero points: along the only axis.
void DequantizedBy(GraphBuilder& b, v1::DataType type, const std::vector<int64_t>& zero_points) {
  b.Weight("w", type, {4}, type == v1::DATA_TYPE_INT32 ? 16 : 8);
  b.Reals("s", std::vector<double>(zero_points.size(), 0.1));
  b.Ints("zp", type, zero_points);
  b.Int(b.Node("DequantizeLinear", "n", {"w", "s", "zp"}, {"y"}), "axis", 0);
  b.Output("y");
}

std::vector<SoundnessCase> VersionAndTypeCases() {
  return {
      // FI003
      {"TwoVersionsOfOneDomain", SoundConv,
       [](GraphBuilder& b) {
         v1::OpsetImport& again = *b.graph.add_opset_imports();
         again.set_domain("ai.onnx");
         again.set_version(19);
       },
       "FI003"},
      {"OneVersionTwice", SoundConv, [](GraphBuilder& b) { *b.graph.add_opset_imports() = b.graph.opset_imports(0); },
       ""},
      {"VersionZeroOfAPublishedDomain", SoundConv,
       [](GraphBuilder& b) { b.graph.mutable_opset_imports(1)->set_version(0); }, "FI003"},
      {"VersionZeroOfAnotherDomain", SoundConv,
       [](GraphBuilder& b) {
         v1::OpsetImport& import = *b.graph.add_opset_imports();
         import.set_domain("acme");
         import.set_version(0);
       },
       ""},
      {"DomainNotImported", Blank,
       [](GraphBuilder& b) {
         One(b, "com.microsoft::Gelu", {{"x", {4}}});
         b.graph.mutable_opset_imports()->RemoveLast();
       },
       "FI003", "n", "", -1, v1::Finding::WARNING},
      {"DefaultDomainNotImported", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {4}}});
         b.graph.mutable_opset_imports()->DeleteSubrange(0, 1);
       },
       "FI003", "n"},
      {"DefaultDomainNotNeeded", Blank,
       [](GraphBuilder& b) {
         One(b, "com.microsoft::Gelu", {{"x", {4}}});
         b.graph.mutable_opset_imports()->DeleteSubrange(0, 1);
       },
       ""},
      {"DomainOfABodyNotImported", Blank,
       [](GraphBuilder& b) {
         InABody(b, "com.microsoft::Gelu");
         b.graph.mutable_opset_imports()->RemoveLast();
       },
       "FI003", "inner", "", -1, v1::Finding::WARNING},
      {"DomainOfABodyImported", Blank, [](GraphBuilder& b) { InABody(b, "com.microsoft::Gelu"); }, "-FI003"},
      {"DomainImported", Blank,
       [](GraphBuilder& b) {
         One(b, "com.microsoft::Gelu", {{"x", {4}}});
       },
       ""},

      // FI012
      {"OperatorTooNew", SoundConv, [](GraphBuilder& b) { Opset(b, 9); }, "FI012", "x_Q"},
      {"OperatorThatOnnxRuntimeHasBefore", Blank,
       [](GraphBuilder& b) {
         One(b, "LayerNormalization", {{"x", {2, 4}}, {"s", {4}}});
         Opset(b, 13);
       },
       "FI012", "n", "", -1, v1::Finding::WARNING},
      {"AttributeTooNew", SoundConv, [](GraphBuilder& b) { Opset(b, 12); }, "FI012", "w_DQ"},
      {"AttributeNewEnough", SoundConv, [](GraphBuilder& b) { Opset(b, 13); }, ""},
      {"OperatorRemoved", Blank,
       [](GraphBuilder& b) {
         One(b, "Upsample", {{"x", {1, 3, 8, 8}}, {"s", {4}}});
         Opset(b, 10);
       },
       "FI012", "n"},
      {"OperatorNotYetRemoved", Blank,
       [](GraphBuilder& b) {
         One(b, "Upsample", {{"x", {1, 3, 8, 8}}, {"s", {4}}});
         Opset(b, 9);
       },
       ""},
      {"TypeTooNew", Blank,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
         b.Pair("x", 0.1, 0, v1::DATA_TYPE_UINT16);
         b.Output("x_dq");
         Opset(b, 19);
       },
       "FI012", "x_Q"},
      {"TypeNewEnough", Blank,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
         b.Pair("x", 0.1, 0, v1::DATA_TYPE_UINT16);
         b.Output("x_dq");
       },
       ""},
      {"TypeOfARuntime", Blank,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
         b.Pair("x", 0.1, 0, v1::DATA_TYPE_UINT16);
         b.Output("x_dq");
         b.Find("x_Q").set_op(b.Symbol("com.microsoft::QuantizeLinear"));
         b.Find("x_DQ").set_op(b.Symbol("com.microsoft::DequantizeLinear"));
         Opset(b, 17);
       },
       ""},
      {"VersionUnknown", Blank,
       [](GraphBuilder& b) {
         One(b, "Gelu", {{"x", {4}}});
         b.graph.mutable_opset_imports(0)->set_version(999);
       },
       "-FI012"},
      {"HalfScaleTooNew", SoundConv,
       [](GraphBuilder& b) {
         b.Shape("x_scale", v1::DATA_TYPE_FLOAT16, {});
         Opset(b, 17);
       },
       "FI012", "x_Q"},
      {"HalfScaleNewEnough", SoundConv,
       [](GraphBuilder& b) {
         b.Shape("x_scale", v1::DATA_TYPE_FLOAT16, {});
         Opset(b, 19);
       },
       "-FI012"},
      {"HalfScaleOfContrib", SoundConv,
       [](GraphBuilder& b) {
         b.Shape("x_scale", v1::DATA_TYPE_FLOAT16, {});
         for (const char* node : {"x_Q", "x_DQ"}) {
           b.Find(node).set_op(b.Symbol(
               absl::StrCat("com.microsoft::", node == std::string("x_Q") ? "QuantizeLinear" : "DequantizeLinear")));
         }
         Opset(b, 17);
       },
       "-FI012"},
      // Bodies of control flow go by the imports of the model.
      {"OperatorTooNewInABody", Blank,
       [](GraphBuilder& b) {
         InABody(b, "Gelu");
         Opset(b, 17);
       },
       "FI012", "inner"},

      // FI014
      {"OutputOfOtherType", SoundConv, [](GraphBuilder& b) { b.Value("y_dq").set_dtype(v1::DATA_TYPE_INT8); }, "FI014",
       "y_DQ", "y_dq"},
      {"OutputOfItsType", SoundConv, [](GraphBuilder& b) { b.Value("y_dq").set_dtype(v1::DATA_TYPE_FLOAT32); }, ""},
      {"OutputOfOtherTypeInNewForm", SoundConv,
       [](GraphBuilder& b) {
         Opset(b, 23);
         b.Value("y_dq").set_dtype(v1::DATA_TYPE_INT8);
       },
       "FI014", "y_DQ", "y_dq"},
      {"OutputTypeByAttribute", SoundConv,
       [](GraphBuilder& b) {
         Opset(b, 23);
         b.Int(b.Find("y_DQ"), "output_dtype", 10);
         b.Value("y_dq").set_dtype(v1::DATA_TYPE_FLOAT16);
       },
       ""},
      {"InputsOfTwoTypes", Blank,
       [](GraphBuilder& b) {
         One(b, "Add", {{"x", {4}}, {"z", {4}}});
         b.Value("z").set_dtype(v1::DATA_TYPE_FLOAT16);
       },
       "FI014", "n", "z"},
      {"BitsOfFloats", Blank,
       [](GraphBuilder& b) {
         One(b, "BitwiseNot", {{"x", {4}}});
       },
       "FI014", "n", "x"},
      {"BitsOfIntegers", Blank,
       [](GraphBuilder& b) {
         One(b, "BitwiseNot", {{"x", {4}}});
         b.Value("x").set_dtype(v1::DATA_TYPE_INT32);
         b.Value("y").set_dtype(v1::DATA_TYPE_INT32);
       },
       ""},
      {"TruthQuantized", Blank,
       [](GraphBuilder& b) {
         One(b, "IsNaN", {{"x", {4}}});
         b.Pair("y", 0.1, 0);
         b.Output("y_dq");
         b.Value("y").set_dtype(v1::DATA_TYPE_UNSPECIFIED);
       },
       "FI014", "y_Q", "y"},
      {"IntegersBeforeTheyWereAdded", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {4}}});
         for (const char* name : {"x", "y"}) b.Value(name).set_dtype(v1::DATA_TYPE_INT16);
         Opset(b, 13);
       },
       "FI014", "n", "x"},
      {"IntegersSinceTheyWereAdded", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {4}}});
         for (const char* name : {"x", "y"}) b.Value(name).set_dtype(v1::DATA_TYPE_INT16);
         Opset(b, 14);
       },
       ""},
      {"ShapeOfInt32", Blank,
       Of("Reshape",
          [](GraphBuilder& b) {
            Constant(b, "shape", {24});
            b.Value("shape").set_dtype(v1::DATA_TYPE_INT32);
          }),
       "FI014", "n", "shape"},
      {"TypeFoundOnTheWay", Blank,
       [](GraphBuilder& b) {
         One(b, "Relu", {{"x", {4}}});
         b.Node("Neg", "end", {"y"}, {"z"});
         b.Value("z").set_dtype(v1::DATA_TYPE_INT32);
         b.Output("z");
       },
       "FI014", "end", "z"},
      {"StoredIntegersOf16Bits", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Value("y_zp").set_dtype(v1::DATA_TYPE_UINT16);
         b.Value("yq").set_dtype(v1::DATA_TYPE_UINT16);
       },
       "FI014", "q", "y_zp"},
      {"StoredFloatsOf8Bits", SoundIntegerConv,
       [](GraphBuilder& b) {
         for (const char* name : {"y_zp", "yq"}) b.Value(name).set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN);
       },
       "FI014", "q", "y_zp"},
      {"QuantizedInAnotherTypeThanItsScale", SoundConv,
       [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_FLOAT16); }, "FI014", "x_Q", "x_scale"},
      {"QuantizedInAnotherTypeSinceItMay", SoundConv,
       [](GraphBuilder& b) {
         b.Value("x").set_dtype(v1::DATA_TYPE_FLOAT16);
         Opset(b, 23);
       },
       ""},
      {"AccumulatorsQuantized", SoundConv, [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_INT32); },
       "-FI014"},

      {"ScaleOfAnotherFloat", SoundIntegerConv,
       [](GraphBuilder& b) { b.Value("y_scale").set_dtype(v1::DATA_TYPE_FLOAT64); }, "FI014", "q", "y_scale"},
      {"CastToAnotherType", Blank,
       [](GraphBuilder& b) {
         b.Int(One(b, "Cast", {{"x", {4}}}), "to", 7);
         b.Value("y").set_dtype(v1::DATA_TYPE_INT32);
       },
       "FI014", "n", "y"},
      {"CastToItsType", Blank,
       [](GraphBuilder& b) {
         b.Int(One(b, "Cast", {{"x", {4}}}), "to", 7);
         b.Value("y").set_dtype(v1::DATA_TYPE_INT64);
       },
       ""},
      {"FilledWithFloats", Blank,
       [](GraphBuilder& b) {
         One(b, "ConstantOfShape", {});
         Constant(b, "shape", {4});
         b.Value("y").set_dtype(v1::DATA_TYPE_INT64);
       },
       "FI014", "n", "y"},

      // FI016
      {"OutputTwice", SoundConv, [](GraphBuilder& b) { b.Output("y_dq"); }, "FI016", "", "y_dq", -1,
       v1::Finding::WARNING},

      // QS001
      {"Float8ZeroPoint", Blank,
       [](GraphBuilder& b) {
         b.Weight("w", v1::DATA_TYPE_FLOAT8_E4M3FN, {4}, 4);
         b.Reals("s", {0.1});
         b.Reals("zp", {1});
         b.Value("zp").set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN);
         b.Value("zp").mutable_constant()->set_stored_bytes(1);
         b.Node("DequantizeLinear", "n", {"w", "s", "zp"}, {"y"});
         b.Output("y");
       },
       "QS001", "n", "w"},
      {"Float8ZeroPointZero", Blank,
       [](GraphBuilder& b) {
         b.Weight("w", v1::DATA_TYPE_FLOAT8_E4M3FN, {4}, 4);
         b.Reals("s", {0.1});
         b.Reals("zp", {0});
         b.Value("zp").set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN);
         b.Value("zp").mutable_constant()->set_stored_bytes(1);
         b.Node("DequantizeLinear", "n", {"w", "s", "zp"}, {"y"});
         b.Output("y");
       },
       ""},

      // QS008
      {"IntegerZeroPoint", Blank, [](GraphBuilder& b) { DequantizedBy(b, v1::DATA_TYPE_INT32, {5}); }, "QS008", "n",
       "w", -1, v1::Finding::WARNING},
      {"IntegerZeroPointOfAChannel", Blank,
       [](GraphBuilder& b) {
         DequantizedBy(b, v1::DATA_TYPE_INT32, {0, 0, 5, 0});
       },
       "QS008", "n", "w", 2, v1::Finding::WARNING},
      {"IntegerZeroPointZero", Blank, [](GraphBuilder& b) { DequantizedBy(b, v1::DATA_TYPE_INT32, {0}); }, ""},
      {"IntegerZeroPointsZero", Blank,
       [](GraphBuilder& b) {
         DequantizedBy(b, v1::DATA_TYPE_INT32, {0, 0, 0, 0});
       },
       ""},
      {"ZeroPointOfAShorterInteger", Blank, [](GraphBuilder& b) { DequantizedBy(b, v1::DATA_TYPE_INT16, {5}); },
       "-QS008"},
      {"IntegerZeroPointOfOnnxRuntime", Blank,
       [](GraphBuilder& b) {
         DequantizedBy(b, v1::DATA_TYPE_INT32, {5});
         b.Find("n").set_op(b.Symbol("com.microsoft::DequantizeLinear"));
       },
       "-QS008"},

      // GS014
      {"ReadWithAnotherScale", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Reals("other", {0.2});
         b.Find("y_DQ").set_inputs(1, b.Id("other"));
       },
       "GS014", "y_DQ", "yq"},
      {"ReadWithAnotherZeroPoint", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Ints("other", v1::DATA_TYPE_UINT8, {3});
         b.Find("y_DQ").set_inputs(2, b.Id("other"));
       },
       "GS014", "y_DQ", "yq"},
      {"ReadByAnotherIntegerOperator", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Node("Identity", "same", {"yq"}, {"yq2"});
         b.Node("com.microsoft::QLinearSigmoid", "s", {"yq2", "x_scale", "y_zp", "y_scale", "y_zp"}, {"sq"});
         b.Output("sq");
       },
       "GS014", "s", "yq2"},
      {"JoinedWithAnotherScale", SoundIntegerConv, [](GraphBuilder& b) { JoinWithQuantized(b, 0.2); }, "GS014", "j_DQ",
       "joined"},
      {"ChosenBesideAnotherScale", SoundIntegerConv,
       [](GraphBuilder& b) {
         JoinWithQuantized(b, 0.2);
         b.Input("which", v1::DATA_TYPE_BOOL, {1, 8, 14, 14});
         v1::Node& join = b.Find("join");
         join.set_op(b.Symbol("Where"));
         join.clear_attributes();
         join.clear_inputs();
         for (const char* input : {"which", "yq", "fq"}) join.add_inputs(b.Id(input));
       },
       "GS014", "j_DQ", "joined"},
      {"JoinedWithTheSameScale", SoundIntegerConv, [](GraphBuilder& b) { JoinWithQuantized(b, 0.05); }, "-GS014"},
      {"ReadAsItIsWritten", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Node("Identity", "same", {"yq"}, {"yq2"});
         b.Node("com.microsoft::QLinearSigmoid", "s", {"yq2", "y_scale", "y_zp", "x_scale", "y_zp"}, {"sq"});
         b.Output("sq");
       },
       ""},
  };
}

// "n" reads [2, 3, 4] and a list of constants.
std::function<void(GraphBuilder&)> With(const std::string& op, const std::string& name, std::vector<int64_t> numbers) {
  return Of(op, [=](GraphBuilder& b) {
    b.Ints(name, v1::DATA_TYPE_INT64, numbers, /*scalar=*/false);
    b.Find("n").add_inputs(b.Id(name));
  });
}

// A convolution of [1, 3, 8, 8], or a pool of it, with such a list among its attributes.
std::function<void(GraphBuilder&)> Window(const std::string& op, const std::string& name,
                                          std::vector<int64_t> numbers) {
  return [=](GraphBuilder& b) {
    const bool pools = op == "MaxPool";
    if (pools) {
      One(b, op, {{"x", {1, 3, 8, 8}}});
    } else {
      One(b, op, {{"x", {1, 3, 8, 8}}, {"w", {3, 3, 3, 3}}});
    }
    v1::IntList& list = *Attribute(b, name).mutable_ints();
    for (int64_t number : numbers) list.add_values(number);
  };
}

// Indices of this shape, all of them one number.
std::function<void(GraphBuilder&)> Indexed(const std::string& op, const std::vector<int64_t>& dims, int64_t index,
                                           int64_t axis, bool updates = false) {
  return Of(op, [=](GraphBuilder& b) {
    int64_t count = 1;
    for (int64_t size : dims) count *= size;
    b.Ints("indices", v1::DATA_TYPE_INT64, std::vector<int64_t>(count, index), /*scalar=*/false);
    b.Shape("indices", v1::DATA_TYPE_INT64, dims);
    b.Find("n").add_inputs(b.Id("indices"));
    if (updates) {
      b.Input("updates", v1::DATA_TYPE_FLOAT32, dims);
      b.Find("n").add_inputs(b.Id("updates"));
    }
    if (op != "GatherND" && op != "ScatterND") Int(b, "axis", axis);
  });
}

// Numbers with which ONNX Runtime 1.31.1 loads no session, or ends every run, each beside the last one that it takes.
std::vector<SoundnessCase> NumberCases() {
  constexpr int64_t kHuge = int64_t{1} << 40;
  return {
      {"DilationBeyondAllSizes", Blank, Window("Conv", "dilations", {kHuge, 1}), "GS012", "n", "x"},
      {"DilationThatFits", Blank, Window("Conv", "dilations", {3, 1}), ""},
      {"PadsBeyondCounting", Blank, Window("Conv", "pads", {int64_t{1} << 62, 0, int64_t{1} << 62, 0}), "GS013", "n"},
      {"PoolOfANegativeSize", Blank, Window("MaxPool", "kernel_shape", {10, 1}), "GS012", "n", "x"},
      {"PoolOfAHugeKernel", Blank, Window("MaxPool", "kernel_shape", {kHuge, 1}), "GS012", "n", "x"},
      {"PoolOfNoElements", Blank, Window("MaxPool", "kernel_shape", {9, 1}), ""},
      {"OutputPaddingNegative", Blank, Window("ConvTranspose", "output_padding", {-1, 0}), "GS013", "n"},
      {"OutputShapeNegative", Blank, Window("ConvTranspose", "output_shape", {-1, 2}), "GS013", "n"},
      {"OutputShapeOfNothing", Blank, Window("ConvTranspose", "output_shape", {0, 2}), "GS013", "n"},
      {"OutputShape", Blank, Window("ConvTranspose", "output_shape", {2, 2}), ""},
      {"PadsLeaveNothing", Blank, Window("ConvTranspose", "pads", {5, 0, 5, 0}), "GS013", "n"},
      {"PadsLeaveTwo", Blank, Window("ConvTranspose", "pads", {4, 0, 4, 0}), ""},
      {"GatherBeyond", Blank, Indexed("Gather", {2}, 3, 1), "GS012", "n", "indices"},
      {"GatherBeyondFromTheEnd", Blank, Indexed("Gather", {2}, -4, 1), "GS012", "n", "indices"},
      {"GatherTheFirstFromTheEnd", Blank, Indexed("Gather", {2}, -3, 1), ""},
      {"GatherElementsBeyond", Blank, Indexed("GatherElements", {1, 3, 4}, 2, 0), "GS012", "n", "indices"},
      {"GatherElementsOfTheLast", Blank, Indexed("GatherElements", {1, 3, 4}, 1, 0), ""},
      {"ScatterElementsBeyond", Blank, Indexed("ScatterElements", {1, 3, 4}, 4, -1, true), "GS012", "n", "indices"},
      {"ScatterElementsOfTheLast", Blank, Indexed("ScatterElements", {1, 3, 4}, 3, -1, true), ""},
      {"GatherNdBeyond", Blank, Indexed("GatherND", {1, 2}, 2, 0), "GS012", "n", "indices"},
      {"GatherNdOfTheLast", Blank, Indexed("GatherND", {1, 2}, 1, 0), ""},
      {"IndexOfAllBits", Blank, Indexed("GatherElements", {1, 3, 4}, INT64_MAX, 0), "GS012", "n", "indices"},
      // What is sent of larger constants: how far they go.
      {"GatherNdBeyondByStatistics", Blank,
       [](GraphBuilder& b) {
         Indexed("GatherND", {1, 2}, 9, 0)(b);
         v1::Constant& constant = *b.Value("indices").mutable_constant();
         constant.clear_ints();
         constant.mutable_statistics()->set_min(9);
         constant.mutable_statistics()->set_max(9);
         constant.mutable_statistics()->set_count(2);
       },
       "GS012", "n", "indices"},
      {"TileNegative", Blank, With("Tile", "repeats", {-1, 1, 1}), "GS012", "n", "repeats"},
      {"TileByNothing", Blank, With("Tile", "repeats", {0, 1, 1}), ""},
      {"CumSumAxis", Blank,
       [](GraphBuilder& b) {
         One(b, "CumSum", {{"x", {2, 3, 4}}});
         b.Ints("axis", v1::DATA_TYPE_INT64, {3}, /*scalar=*/true);
         b.Find("n").add_inputs(b.Id("axis"));
       },
       "GS013", "n"},
      {"SequenceTooLong", Blank,
       [](GraphBuilder& b) {
         One(b, "ReverseSequence", {{"x", {4, 1}}});
         Constant(b, "lengths", {5});
       },
       "GS012", "n", "lengths"},
      {"SequenceOfAll", Blank,
       [](GraphBuilder& b) {
         One(b, "ReverseSequence", {{"x", {4, 1}}});
         Constant(b, "lengths", {4});
       },
       ""},
      {"SliceEndsTooFew", Blank,
       Of("Slice",
          [](GraphBuilder& b) {
            Constant(b, "starts", {0, 0});
            Constant(b, "ends", {2});
          }),
       "GS012", "n", "ends"},
      {"SliceAxesTooMany", Blank,
       Of("Slice",
          [](GraphBuilder& b) {
            Constant(b, "starts", {0});
            Constant(b, "ends", {2});
            Constant(b, "axes", {1, 2});
          }),
       "GS012", "n", "axes"},
      {"ResizeToNothing", Blank,
       [](GraphBuilder& b) {
         One(b, "Resize", {{"x", {1, 3, 8, 8}}});
         for (int i = 0; i < 2; ++i) b.Find("n").add_inputs(0);
         Constant(b, "sizes", {1, 3, -1, 8});
       },
       "GS012", "n", "sizes"},
      {"PadBeyondCounting", Blank, With("Pad", "pads", {0, 0, int64_t{1} << 62, 0, 0, 0}), "GS012", "n", "pads"},
      {"SqueezeAnAxisTwice", Blank,
       [](GraphBuilder& b) {
         One(b, "Squeeze", {{"x", {1, 3, 4}}});
         Constant(b, "axes", {0, -3});
       },
       ""},
      {"TopKNegative", Blank,
       [](GraphBuilder& b) {
         One(b, "TopK", {{"x", {2, 3, 4}}});
         Constant(b, "k", {-1});
         b.Find("n").add_outputs(b.Id("places"));
         b.Shape("places", v1::DATA_TYPE_INT64, {});
         b.Value("places").set_has_shape(false);
       },
       "GS012", "n", "k"},
  };
}

}  // namespace

std::vector<SoundnessCase> FormCases() {
  std::vector<SoundnessCase> cases;
  Append(cases, AttributeCases());
  Append(cases, ShapeCases());
  Append(cases, NumberCases());
  Append(cases, VersionAndTypeCases());
  return cases;
}

}  // namespace quantgate::testing
