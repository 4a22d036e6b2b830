// ONNX files that onnx.checker or ONNX Runtime refuse, and their neighbors that they take: products of matrices whose
// parameters are of each matrix, bodies of control flow, signatures, ranks of arguments, computed scales, resizing,
// attention.
#include <cmath>
#include <initializer_list>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/rules/soundness/case.h"

namespace quantgate::testing {
namespace {

using Sizes = std::vector<int64_t>;

GraphBuilder Empty() { return GraphBuilder(); }
void AsItIs(GraphBuilder&) {}

int64_t CountOf(const Sizes& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

// a [2, 5, 4] times w [2, 4, 3], with parameters of these shapes.
GraphBuilder Product(const std::string& op, const Sizes& left, const Sizes& right, const Sizes& right_zero) {
  GraphBuilder b;
  b.Input("a", v1::DATA_TYPE_UINT8, {2, 5, 4});
  b.Weight("w", v1::DATA_TYPE_INT8, {2, 4, 3}, 24);
  const auto scales = [&b](const std::string& name, const Sizes& shape) {
    b.Reals(name, std::vector<double>(CountOf(shape), 0.1));
    b.Shape(name, v1::DATA_TYPE_FLOAT32, shape);
  };
  const auto zeros = [&b](const std::string& name, v1::DataType type, const Sizes& shape) {
    b.Ints(name, type, std::vector<int64_t>(CountOf(shape), 0));
    b.Shape(name, type, shape);
  };
  scales("a_scale", left);
  zeros("a_zp", v1::DATA_TYPE_UINT8, left);
  scales("w_scale", right);
  zeros("w_zp", v1::DATA_TYPE_INT8, right_zero);
  scales("y_scale", {});
  zeros("y_zp", v1::DATA_TYPE_UINT8, {});
  if (op == "QLinearMatMul") {
    b.Node(op, "n", {"a", "a_scale", "a_zp", "w", "w_scale", "w_zp", "y_scale", "y_zp"}, {"y"});
  } else if (op == "MatMulInteger") {
    b.Node(op, "n", {"a", "w", "a_zp", "w_zp"}, {"y"});
  } else {
    b.Node(op, "n", {"a", "w", "a_scale", "w_scale", "a_zp", "w_zp"}, {"y"});
  }
  b.Output("y");
  return b;
}

// So many of the three bounds are constants.
GraphBuilder Range(int constants, const Sizes& shape) {
  GraphBuilder b;
  for (int i = 0; i < 3; ++i) {
    const std::string name = absl::StrCat("c", i);
    if (i < constants) {
      b.Ints(name, v1::DATA_TYPE_INT64, {i == 2 ? 1 : 4 * i});
      b.Shape(name, v1::DATA_TYPE_INT64, shape);
    } else {
      b.Input(name, v1::DATA_TYPE_INT64, shape);
    }
  }
  b.Node("Range", "n", {"c0", "c1", "c2"}, {"y"});
  b.Output("y");
  return b;
}

GraphBuilder Window(bool is_constant, const Sizes& shape) {
  GraphBuilder b;
  if (is_constant) {
    b.Ints("size", v1::DATA_TYPE_INT64, {8});
    b.Shape("size", v1::DATA_TYPE_INT64, shape);
  } else {
    b.Input("size", v1::DATA_TYPE_INT64, shape);
  }
  b.Node("HannWindow", "n", {"size"}, {"y"});
  b.Output("y");
  return b;
}

// The right operand is a vector.
GraphBuilder OfVector(const Sizes& scales) {
  GraphBuilder b = Product("QLinearMatMul", {}, scales, scales);
  b.Weight("w", v1::DATA_TYPE_INT8, {4}, 4);
  return b;
}

// Group indices of the 64 columns of MatMulNBits, in blocks of 32.
GraphBuilder InGroups(const std::vector<int64_t>& groups) {
  GraphBuilder b = SoundPackedMatMul();
  b.Ints("g", v1::DATA_TYPE_INT32, groups, /*scalar=*/false);
  for (const char* name : {"", "g"}) b.Find("mm").add_inputs(b.Id(name));
  return b;
}

// MatMulNBits with a float zero point for each block, all alike.
GraphBuilder WithZeroPoint(double number) {
  GraphBuilder b = SoundPackedMatMul();
  b.Reals("z", std::vector<double>(64, number));
  b.Shape("z", v1::DATA_TYPE_FLOAT32, {32, 2});
  b.Find("mm").add_inputs(b.Id("z"));
  return b;
}

constexpr char kToFloat[] = "com.microsoft::MatMulIntegerToFloat";

std::vector<SoundnessCase> ProductCases() {
  return {
      // AX001
      {"ScalesOfEachMatrix",
       [] {
         return Product("QLinearMatMul", {}, {2, 1, 3}, {2, 1, 3});
       },
       AsItIs, ""},
      {"ScalesOfEachMatrixToFloat",
       [] {
         return Product(kToFloat, {}, {2, 1, 3}, {2, 1, 3});
       },
       AsItIs, ""},
      {"ScalesOfOneMatrix",
       [] {
         return Product("QLinearMatMul", {}, {1, 1, 3}, {1, 1, 3});
       },
       AsItIs, "AX001", "n", "w"},
      {"ScalesOfOneMatrixToFloat",
       [] {
         return Product(kToFloat, {}, {1, 1, 3}, {1, 1, 3});
       },
       AsItIs, "AX001", "n", "w"},
      {"ScalesOfEachMatrixInAList", [] { return Product("QLinearMatMul", {}, {6}, {6}); }, AsItIs, "AX001", "n", "w"},
      {"ScalesOfEachRow",
       [] {
         return Product("QLinearMatMul", {2, 5, 1}, {}, {});
       },
       AsItIs, ""},
      {"ScalesOfRowsInAList", [] { return Product("QLinearMatMul", {5}, {}, {}); }, AsItIs, ""},
      {"ScalesOfTheSum", [] { return Product("QLinearMatMul", {4}, {}, {}); }, AsItIs, "AX001", "n", "a"},
      {"ZeroPointsOfEachMatrix",
       [] {
         return Product("MatMulInteger", {}, {}, {2, 1, 3});
       },
       AsItIs, ""},
      {"ZeroPointsOfOneMatrix",
       [] {
         return Product("MatMulInteger", {}, {}, {1, 1, 3});
       },
       AsItIs, "AX001", "n", "w"},
      {"ZeroPointsInAList", [] { return Product("MatMulInteger", {}, {}, {3}); }, AsItIs, ""},
      {"ZeroPointsOfAnotherSize", [] { return Product("MatMulInteger", {}, {}, {4}); }, AsItIs, "AX001", "n", "w"},
      // AX011
      {"ScalesOfAVector", [] { return OfVector({4}); }, AsItIs, "AX011", "n", "w"},
      {"ScaleOfAVector", [] { return OfVector({1}); }, AsItIs, "-AX011"},
      // GS012
      {"Groups", [] { return InGroups(std::vector<int64_t>(64, 1)); }, AsItIs, ""},
      {"FewerGroups", [] { return InGroups(std::vector<int64_t>(60, 1)); }, AsItIs, "GS012", "mm", "g"},
      {"GroupsOfNoBlock", [] { return InGroups(std::vector<int64_t>(64, 2)); }, AsItIs, "GS012", "mm", "g"},
      {"GroupsBeforeTheFirstBlock", [] { return InGroups(std::vector<int64_t>(64, -1)); }, AsItIs, "GS012", "mm", "g"},
      {"GroupsOfWholeBlocks", [] { return InGroups(std::vector<int64_t>(64, 1)); },
       [](GraphBuilder& b) {
         b.Value("x").set_dims(1, 48);
         for (v1::Attribute& attribute : *b.Find("mm").mutable_attributes()) {
           if (b.graph.symbols(attribute.name() - 1) == "K") attribute.set_i(48);
         }
       },
       ""},
      // NR002
      {"ZeroPointsBetweenNumbers", [] { return WithZeroPoint(7.5); }, AsItIs, ""},
      {"ZeroPointsOfNoNumber", [] { return WithZeroPoint(std::numeric_limits<double>::quiet_NaN()); }, AsItIs, "NR002",
       "mm"},
      // AX004
      {"ScalesOfColumnsAsRows",
       [] {
         return Product("QLinearMatMul", {}, {2, 3, 1}, {2, 3, 1});
       },
       AsItIs, "AX004", "n", "w_scale"},
      {"ZeroPointsOfColumnsAsRows",
       [] {
         return Product("MatMulInteger", {}, {}, {1, 2, 3});
       },
       AsItIs, "AX004", "n", "w_zp"},
      {"ScalesOfAnUnknownTensorInAMatrix", Empty,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_UINT8, {});
         b.Value("x").set_has_shape(false);
         b.Reals("s", {0.1, 0.1, 0.1, 0.1});
         b.Shape("s", v1::DATA_TYPE_FLOAT32, {2, 2});
         b.Node("DequantizeLinear", "n", {"x", "s"}, {"y"});
         b.Output("y");
       },
       "AX004", "n", "x"},
      {"ScalesOfAnUnknownTensorInAList", Empty,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_UINT8, {});
         b.Value("x").set_has_shape(false);
         b.Reals("s", {0.1, 0.1, 0.1, 0.1});
         b.Node("DequantizeLinear", "n", {"x", "s"}, {"y"});
         b.Output("y");
       },
       ""},
  };
}

// A body whose outputs are made of nothing, in these types; inputs of other types.
v1::Graph BodyOf(std::initializer_list<v1::DataType> inputs, std::initializer_list<v1::DataType> outputs) {
  GraphBuilder body;
  body.graph.clear_opset_imports();
  body.graph.set_format_version(0);
  int count = 0;
  for (v1::DataType type : inputs) body.Input(absl::StrCat("in", count++), type, {});
  for (v1::DataType type : outputs) {
    const std::string name = absl::StrCat("made", count);
    body.Ints(name, type, {1});
    body.Node("Identity", absl::StrCat("inner", count), {name}, {absl::StrCat("out", count)});
    body.Shape(absl::StrCat("out", count), type, {});
    body.Output(absl::StrCat("out", count++));
  }
  return body.graph;
}

void Attach(GraphBuilder& b, const std::string& attribute, v1::Graph body) {
  *b.graph.add_subgraphs() = std::move(body);
  v1::Attribute& made = *b.Find("n").add_attributes();
  made.set_name(b.Symbol(attribute));
  made.set_graph(b.graph.subgraphs_size());
}

constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kInt = v1::DATA_TYPE_INT32;
constexpr v1::DataType kBool = v1::DATA_TYPE_BOOL;
constexpr v1::DataType kLong = v1::DATA_TYPE_INT64;
constexpr v1::DataType kNone = v1::DATA_TYPE_UNSPECIFIED;

GraphBuilder Branches(v1::DataType declared, v1::DataType then_type, v1::DataType else_type) {
  GraphBuilder b;
  b.Input("c", kBool, {});
  b.Node("If", "n", {"c"}, {"y"});
  b.Value("y").set_dtype(declared);
  b.Output("y");
  Attach(b, "then_branch", BodyOf({}, {then_type}));
  Attach(b, "else_branch", BodyOf({}, {else_type}));
  return b;
}

// One tensor is carried; `within` is its type in the body, `next` what the body makes of it.
GraphBuilder Rounds(v1::DataType within, v1::DataType next, v1::DataType declared) {
  GraphBuilder b;
  b.Input("x", kFloat, {});
  b.Node("Loop", "n", {"", "", "x"}, {"y"});
  b.Value("y").set_dtype(declared);
  b.Output("y");
  Attach(b, "body", BodyOf({kLong, kBool, within}, {kBool, next}));
  return b;
}

// One state, and one tensor that is scanned.
GraphBuilder Scanned(v1::DataType state, v1::DataType made, v1::DataType declared) {
  GraphBuilder b;
  b.Input("s", kFloat, {});
  b.Input("x", kFloat, {4});
  b.Int(b.Node("Scan", "n", {"s", "x"}, {"t", "y"}), "num_scan_inputs", 1);
  b.Value("y").set_dtype(declared);
  b.Output("t");
  b.Output("y");
  Attach(b, "body", BodyOf({kFloat, kFloat}, {state, made}));
  return b;
}

// x -> Quantize by 0.02 -> If or Loop -> Dequantize by 0.02, where the body dequantizes and quantizes again.
GraphBuilder PairsAround(const std::string& op, double read, double written) {
  GraphBuilder body;
  const bool captures = op == "If";
  for (const char* name : {"round", "going"}) {
    if (!captures) body.Input(name, name[0] == 'r' ? kLong : kBool, {});
  }
  if (!captures) body.Input("q", v1::DATA_TYPE_UINT8, {1});
  body.Reals("read", {read});
  body.Reals("written", {written});
  body.Ints("z", v1::DATA_TYPE_UINT8, {0});
  body.Node("DequantizeLinear", "inner_DQ", {"q", "read", "z"}, {"d"});
  body.Node("Relu", "relu", {"d"}, {"r"});
  body.Node("QuantizeLinear", "inner_Q", {"r", "written", "z"}, {"made"});
  if (!captures) body.Output("going");
  body.Output("made");
  GraphBuilder b;
  b.Input("x", kFloat, {1});
  b.Input("c", kBool, {});
  b.Reals("s", {0.02});
  b.Ints("z", v1::DATA_TYPE_UINT8, {0});
  b.Node("QuantizeLinear", "Q", {"x", "s", "z"}, {"q"});
  if (captures) {
    b.Node(op, "n", {"c"}, {"y"});
    body.Value("q").set_captured(b.Id("q"));
    Attach(b, "then_branch", body.graph);
    Attach(b, "else_branch", body.graph);
  } else {
    b.Node(op, "n", {"", "c", "q"}, {"y"});
    Attach(b, "body", body.graph);
  }
  b.Node("DequantizeLinear", "DQ", {"y", "s", "z"}, {"f"});
  b.Output("f");
  return b;
}

std::vector<SoundnessCase> BodyCases() {
  return {
      // GS009
      {"PairsAroundBranches", [] { return PairsAround("If", 0.02, 0.02); }, AsItIs, "-GS009"},
      {"PairIntoABranch", [] { return PairsAround("If", 0.5, 0.02); }, AsItIs, "GS009", "inner_DQ", "q"},
      {"PairOutOfABranch", [] { return PairsAround("If", 0.02, 0.5); }, AsItIs, "GS009", "inner_Q", "made"},
      {"PairsAroundRounds", [] { return PairsAround("Loop", 0.02, 0.02); }, AsItIs, "-GS009"},
      {"PairIntoARound", [] { return PairsAround("Loop", 0.5, 0.02); }, AsItIs, "GS009", "inner_DQ", "q"},
      {"PairIntoTheNextRound", [] { return PairsAround("Loop", 0.02, 0.5); }, AsItIs, "GS009", "inner_DQ", "q"},
      // FI014
      {"BranchesOfItsType", [] { return Branches(kFloat, kFloat, kFloat); }, AsItIs, ""},
      {"BranchesOfAnotherType", [] { return Branches(kFloat, kInt, kInt); }, AsItIs, "FI014", "n", "y"},
      {"BranchesOfTwoTypes", [] { return Branches(kNone, kFloat, kInt); }, AsItIs, "FI014", "n", "y"},
      {"BranchesOfNoKnownType", [] { return Branches(kFloat, kNone, kNone); }, AsItIs, "-FI014"},
      {"CarriedInItsType", [] { return Rounds(kFloat, kFloat, kFloat); }, AsItIs, ""},
      {"CarriedIntoAnotherType", [] { return Rounds(kInt, kFloat, kFloat); }, AsItIs, "FI014", "n", "x"},
      {"CarriedBackAsAnotherType", [] { return Rounds(kFloat, kInt, kInt); }, AsItIs, "FI014", "n", "x"},
      {"CarriedOutAsAnotherType", [] { return Rounds(kFloat, kFloat, kInt); }, AsItIs, "FI014", "n", "y"},
      {"ScannedIntoAnotherType", [] { return Scanned(kFloat, kInt, kInt); }, AsItIs, ""},
      {"ScannedOutAsAnotherType", [] { return Scanned(kFloat, kInt, kFloat); }, AsItIs, "FI014", "n", "y"},
      {"ProductOfFloats", [] { return Product("MatMulInteger", {}, {}, {}); },
       [](GraphBuilder& b) { b.Value("a").set_dtype(kFloat); }, "FI014", "n", "a"},
      {"ProductOfSignedIntegers", [] { return Product("MatMulInteger", {}, {}, {}); },
       [](GraphBuilder& b) {
         b.Value("a").set_dtype(v1::DATA_TYPE_INT8);
         b.Value("a_zp").set_dtype(v1::DATA_TYPE_INT8);
       },
       "-FI014"},
      {"StateOfAnotherType", [] { return Scanned(kInt, kFloat, kFloat); }, AsItIs, "FI014", "n", "s"},
  };
}

// "n" of float inputs x0, x1, ... of these shapes.
std::function<void(GraphBuilder&)> Node(const std::string& op, const std::vector<Sizes>& shapes,
                                        std::function<void(GraphBuilder&)> more = AsItIs) {
  return [=](GraphBuilder& b) {
    std::vector<std::string> names;
    for (const Sizes& shape : shapes) {
      names.push_back(absl::StrCat("x", names.size()));
      b.Input(names.back(), kFloat, shape);
    }
    b.Node(op, "n", names, {"y"});
    b.Output("y");
    more(b);
  };
}

// A constant list as the second input.
std::function<void(GraphBuilder&)> List(const std::string& op, const Sizes& data, const Sizes& list_shape) {
  return [=](GraphBuilder& b) {
    b.Input("x", kFloat, data);
    b.Ints("list", kLong, std::vector<int64_t>(CountOf(list_shape), 0));
    b.Shape("list", kLong, list_shape);
    b.Node(op, "n", {"x", "list"}, {"y"});
    b.Output("y");
  };
}

std::vector<SoundnessCase> SignatureCases() {
  const auto untyped = [](GraphBuilder& b) {
    b.Value("x0").set_dtype(kNone);
    b.Value("x0").set_has_shape(false);
    b.Value("x0").clear_dims();
  };
  return {
      // FI011
      {"InputOfNoTypeAtAll", Empty, Node("Relu", {{4}}, untyped), "FI011", "", "x0"},
      {"InputThatMayBeASequence", Empty, Node("SequenceLength", {{4}}, untyped), "-FI011"},
      {"InputWithoutShape", Empty,
       Node("Relu", {{4}},
            [](GraphBuilder& b) {
              b.Value("x0").set_has_shape(false);
              b.Value("x0").clear_dims();
            }),
       ""},
      {"InputOfABodyOfNoType", [] { return Rounds(kNone, kFloat, kFloat); },
       [](GraphBuilder& b) { b.graph.mutable_subgraphs(0)->mutable_values(2)->set_has_shape(false); }, "-FI011"},
      // GS001
      {"InputPassedOn", Empty,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
         b.Output("x");
       },
       "GS001", "", "", -1, v1::Finding::WARNING},
      {"OutputOfNothing", Empty,
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
         b.Output("y");
       },
       "GS001"},
      {"NoOutputs", Empty, Node("Relu", {{4}}, [](GraphBuilder& b) { b.graph.clear_outputs(); }), "GS001"},
      // CV001
      {"OperatorWithoutName", Empty, Node("", {{4}}), "CV001", "n"},
      {"OperatorWithoutNameOfADomain", Empty, Node("com.microsoft::", {{4}}), "CV001", "n"},
      {"OperatorWithName", Empty, Node("com.microsoft::Gelu", {{4}}), ""},
  };
}

std::vector<SoundnessCase> ArgumentCases() {
  return {
      // GS012
      {"UnsqueezeAxesInAMatrix", Empty, List("Unsqueeze", {2, 3}, {1, 1}), "GS012", "n", "list"},
      {"UnsqueezeAxesInAList", Empty, List("Unsqueeze", {2, 3}, {1}), ""},
      {"UnsqueezeAxisAsScalar", Empty, List("Unsqueeze", {2, 3}, {}), ""},
      {"CropSizesInAMatrix", Empty, List("CenterCropPad", {2, 3}, {1, 2}), "GS012", "n", "list"},
      {"CropSizeAsScalar", Empty, List("CenterCropPad", {2, 3}, {}), ""},
      {"WindowOfAConstantList", [] { return Window(true, {1}); }, AsItIs, "GS012", "n", "size"},
      {"WindowOfAConstant", [] { return Window(true, {}); }, AsItIs, ""},
      {"WindowOfAListThatIsGiven", [] { return Window(false, {1}); }, AsItIs, ""},
      {"WindowOfTwo", [] { return Window(false, {2}); }, AsItIs, "GS012", "n", "size"},
      {"OffsetInAMatrix", Empty, List("Trilu", {2, 3}, {1, 1}), "GS012", "n", "list"},
      {"OffsetInAList", Empty, List("Trilu", {2, 3}, {1}), ""},
      {"TriangleOfAList", Empty, Node("Trilu", {{4}}), "GS012", "n", "x0"},
      {"InstancesOfAMatrix", Empty, Node("InstanceNormalization", {{2, 3}, {3}, {3}}), "GS012", "n", "x0"},
      {"InstancesOfRows", Empty, Node("InstanceNormalization", {{2, 3, 4}, {3}, {3}}), ""},
      {"BatchOfAList", Empty, Node("BatchNormalization", {{3}, {1}, {1}, {1}, {1}}), ""},
      {"BatchOfAListWithChannels", Empty, Node("BatchNormalization", {{3}, {3}, {3}, {3}, {3}}), "GS012", "n", "x1"},
      {"GroupsOfAList", Empty,
       Node("GroupNormalization", {{3}, {3}, {3}}, [](GraphBuilder& b) { b.Int(b.Find("n"), "num_groups", 1); }),
       "GS012", "n", "x0"},
      {"SoftmaxOfAScalar", Empty, Node("Softmax", {{}}), "GS012", "n", "x0"},
      {"SoftmaxOfAList", Empty, Node("Softmax", {{4}}), ""},
      {"LayerScaleOfMoreDimensions", Empty, Node("LayerNormalization", {{2, 3, 4}, {1, 4}}), ""},
      {"LayerScaleOfTheWhole", Empty, Node("LayerNormalization", {{2, 3, 4}, {2, 3, 4}}), ""},
      {"LayerScaleOfTooMany", Empty, Node("LayerNormalization", {{2, 3, 4}, {1, 1, 1, 4}}), "GS012", "n", "x1"},
      {"DropoutRatioInAList", Empty, Node("Dropout", {{4}, {1}}), "GS012", "n", "x1"},
      {"DropoutRatio", Empty, Node("Dropout", {{4}, {}}), ""},
      {"RangeOfConstantLists", [] { return Range(3, {1}); }, AsItIs, "GS012", "n", "c0"},
      {"RangeOfConstants", [] { return Range(3, {}); }, AsItIs, ""},
      {"RangeToAnInput", [] { return Range(2, {1}); }, AsItIs, ""},
      {"DeterminantOfOtherSizes", Empty, Node("Det", {{2, 3}}), "GS012", "n", "x0"},
      {"DeterminantOfASquare", Empty, Node("Det", {{5, 3, 3}}), ""},
      {"ConditionOfTwo", [] { return Branches(kFloat, kFloat, kFloat); },
       [](GraphBuilder& b) { b.Shape("c", kBool, {2}); }, "GS012", "n", "c"},
      {"ConditionOfOne", [] { return Branches(kFloat, kFloat, kFloat); },
       [](GraphBuilder& b) { b.Shape("c", kBool, {1}); }, ""},
  };
}

// Attention over three tensors of this shape.
std::function<void(GraphBuilder&)> Attention(const Sizes& shape,
                                             std::initializer_list<std::pair<const char*, int64_t>> attributes) {
  std::vector<std::pair<const char*, int64_t>> stated(attributes);
  return Node("Attention", {shape, shape, shape}, [stated](GraphBuilder& b) {
    for (const auto& [name, number] : stated) b.Int(b.Find("n"), name, number);
    b.graph.mutable_opset_imports(0)->set_version(25);
  });
}

// An accumulator whose scale is that of the data, found at run time, times `weight_scale`.
GraphBuilder DynamicAccumulator() {
  GraphBuilder b;
  b.Input("x", kFloat, {2, 4});
  b.Weight("w", v1::DATA_TYPE_INT8, {4, 3}, 12);
  b.Reals("weight_scale", {0.1});
  b.Node("DynamicQuantizeLinear", "dynamic", {"x"}, {"q", "s", "z"});
  b.Node("MatMulInteger", "product", {"q", "w", "z"}, {"acc"});
  b.Node("Mul", "mul", {"s", "weight_scale"}, {"scale"});
  b.Node("DequantizeLinear", "n", {"acc", "scale"}, {"y"});
  b.Output("y");
  return b;
}

// QGemm of a [2, 4] and w [4, 3] with a scale for each column, and a bias of this shape.
GraphBuilder GemmWithBias(const Sizes& shape) {
  GraphBuilder b;
  b.Input("a", v1::DATA_TYPE_UINT8, {2, 4});
  b.Reals("a_scale", {0.1});
  b.Ints("a_zp", v1::DATA_TYPE_UINT8, {3});
  b.Weight("w", v1::DATA_TYPE_INT8, {4, 3}, 12);
  b.Reals("w_scale", {0.2, 0.3, 0.4}, false);
  b.Ints("w_zp", v1::DATA_TYPE_INT8, {0, 0, 0}, false);
  b.Ints("c", v1::DATA_TYPE_INT32, std::vector<int64_t>(CountOf(shape), 7));
  b.Shape("c", v1::DATA_TYPE_INT32, shape);
  b.Reals("y_scale", {0.5});
  b.Ints("y_zp", v1::DATA_TYPE_UINT8, {0});
  b.Node("com.microsoft::QGemm", "n", {"a", "a_scale", "a_zp", "w", "w_scale", "w_zp", "c", "y_scale", "y_zp"}, {"y"});
  b.Output("y");
  return b;
}

// What ONNX Runtime 1.31 runs, and refuses.
std::vector<SoundnessCase> GemmCases() {
  return {
      // AX001
      {"BiasOfChannels", [] { return GemmWithBias({3}); }, AsItIs, ""},
      {"BiasAsARow",
       [] {
         return GemmWithBias({1, 3});
       },
       AsItIs, ""},
      {"BiasOfEachElement",
       [] {
         return GemmWithBias({2, 3});
       },
       AsItIs, ""},
      {"BiasAsAColumn",
       [] {
         return GemmWithBias({2, 1});
       },
       AsItIs, ""},
      {"BiasOfOneNumber", [] { return GemmWithBias({}); }, AsItIs, ""},
      {"BiasOfAnotherCount", [] { return GemmWithBias({4}); }, AsItIs, "AX001", "n", "c"},
  };
}

// com.microsoft::QMoE: two experts, 32 inputs, 64 outputs between their two products.
struct Experts {
  int64_t bits = 4;
  int64_t block_size = 0;
  Sizes first_scales;
  Sizes second_scales;
  Sizes first_zeros;  // empty: no zero points
  Sizes second_zeros;
};

std::function<void(GraphBuilder&)> QMoE(const Experts& experts) {
  return [experts](GraphBuilder& b) {
    const int64_t inputs = 32;
    const int64_t between = 64;
    const auto weights = [&](const std::string& name, int64_t rows, int64_t columns) {
      const int64_t bytes = columns * experts.bits / 8;
      b.Weight(name, v1::DATA_TYPE_UINT8, {2, rows, bytes}, 2 * rows * bytes);
    };
    const auto scales = [&b](const std::string& name, const Sizes& shape) {
      b.Reals(name, std::vector<double>(CountOf(shape), 0.1));
      b.Shape(name, v1::DATA_TYPE_FLOAT32, shape);
    };
    const auto zeros = [&b](const std::string& name, const Sizes& shape) {
      if (shape.empty()) return;
      b.Ints(name, v1::DATA_TYPE_UINT8, std::vector<int64_t>(CountOf(shape), 0x88));
      b.Shape(name, v1::DATA_TYPE_UINT8, shape);
    };
    b.Input("x", v1::DATA_TYPE_FLOAT32, {3, inputs});
    b.Input("router", v1::DATA_TYPE_FLOAT32, {3, 2});
    weights("w1", between, inputs);
    weights("w2", inputs, between);
    scales("s1", experts.first_scales);
    scales("s2", experts.second_scales);
    zeros("z1", experts.first_zeros);
    zeros("z2", experts.second_zeros);
    v1::Node& node = b.Node("com.microsoft::QMoE", "n",
                            {"x", "router", "w1", "s1", "", "w2", "s2", "", "", "", "",
                             experts.first_zeros.empty() ? "" : "z1", experts.second_zeros.empty() ? "" : "z2"},
                            {"y"});
    b.Int(node, "expert_weight_bits", experts.bits);
    b.Int(node, "k", 1);
    if (experts.block_size > 0) b.Int(node, "block_size", experts.block_size);
    b.Output("y");
  };
}

// What ONNX Runtime 1.31 runs, and refuses.
std::vector<SoundnessCase> ExpertCases() {
  return {
      // AX001
      {"ExpertsByOutput", Empty, QMoE({4, 0, {2, 64}, {2, 32}}), ""},
      {"ExpertsByOutputInThreeDimensions", Empty, QMoE({4, 0, {2, 64, 1}, {2, 32, 1}}), ""},
      {"ExpertsInBlocks", Empty, QMoE({4, 32, {2, 64, 1}, {2, 32, 2}}), ""},
      {"ExpertsInBlocksOfTwoBits", Empty, QMoE({2, 16, {2, 64, 2}, {2, 32, 4}}), ""},
      {"ExpertsByOutputBesideABlockSize", Empty, QMoE({4, 32, {2, 64}, {2, 32}}), ""},
      {"ExpertsInOneBlock", Empty, QMoE({4, 64, {2, 64, 1}, {2, 32, 1}, {2, 64, 1}, {2, 32, 1}}), ""},
      {"ExpertsOfTheSecondProductByOutput", Empty, QMoE({4, 32, {2, 64, 1}, {2, 32}}), "AX001", "n", "w2"},
      {"ExpertsOfTheSecondProductInBlocks", Empty, QMoE({4, 32, {2, 64}, {2, 32, 2}}), "AX001", "n", "w2"},
      {"ExpertsOneScaleMissing", Empty, QMoE({4, 0, {2, 63}, {2, 32}}), "AX001", "n", "w1"},
      {"ExpertsScaleOfEachExpert", Empty, QMoE({4, 0, {2}, {2, 32}}), "AX001", "n", "w1"},
      {"ExpertsInOtherBlocks", Empty, QMoE({4, 32, {2, 64, 2}, {2, 32, 2}}), "AX001", "n", "w1"},
      {"ExpertsOfAKindThatIsNotKnown", Empty,
       [](GraphBuilder& b) {
         QMoE({4, 32, {2, 64, 2}, {2, 32, 2}})(b);
         v1::Attribute& kind = *b.Find("n").add_attributes();
         kind.set_name(b.Symbol("quant_type"));
         kind.set_s("nvfp4");
       },
       ""},
      // AX003
      {"ExpertsInBlocksOfSeven", Empty, QMoE({8, 7, {2, 64}, {2, 32}}), "AX003", "n"},
      {"ExpertsInBlocksOf48", Empty, QMoE({8, 48, {2, 64, 1}, {2, 32, 2}}), "AX003", "n"},
      // AX004
      {"ExpertsScalesTransposed", Empty, QMoE({4, 0, {64, 2}, {2, 32}}), "AX004", "n", "s1"},
      {"ExpertsScalesInAList", Empty, QMoE({4, 0, {128}, {2, 32}}), "AX004", "n", "s1"},
      {"ExpertsZeroPointsPacked", Empty, QMoE({4, 0, {2, 64}, {2, 32}, {2, 32}, {2, 16}}), ""},
      {"ExpertsZeroPointsNotPacked", Empty, QMoE({4, 0, {2, 64}, {2, 32}, {2, 64}, {2, 32}}), "AX004", "n", "z1"},
      {"ExpertsZeroPointsOfBlocks", Empty, QMoE({4, 16, {2, 64, 2}, {2, 32, 4}, {2, 64, 1}, {2, 32, 2}}), ""},
      {"ExpertsZeroPointsOfBlocksNotPacked", Empty, QMoE({4, 16, {2, 64, 2}, {2, 32, 4}, {2, 64, 2}, {2, 32, 2}}),
       "AX004", "n", "z1"},
      {"ExpertsZeroPointsByOutputBesideBlocks", Empty, QMoE({4, 16, {2, 64, 2}, {2, 32, 4}, {2, 32}, {2, 16}}), "AX004",
       "n", "z1"},
      {"ExpertsZeroPointsOfEightBits", Empty, QMoE({8, 0, {2, 64}, {2, 32}, {2, 64}, {2, 32}}), ""},
  };
}

// com.microsoft::GatherBlockQuantized: six rows of 48 numbers.
std::function<void(GraphBuilder&)> Gathered(int64_t bits, int64_t block_size, const Sizes& scales, const Sizes& zeros,
                                            int64_t axis = 1) {
  return [=](GraphBuilder& b) {
    b.Weight("data", v1::DATA_TYPE_UINT8, {6, 48 * bits / 8}, 6 * 48 * bits / 8);
    b.Input("ids", v1::DATA_TYPE_INT64, {2});
    b.Reals("s", std::vector<double>(CountOf(scales), 0.1));
    b.Shape("s", v1::DATA_TYPE_FLOAT32, scales);
    if (!zeros.empty()) {
      b.Ints("z", v1::DATA_TYPE_UINT8, std::vector<int64_t>(CountOf(zeros), 0x88));
      b.Shape("z", v1::DATA_TYPE_UINT8, zeros);
    }
    v1::Node& node =
        b.Node("com.microsoft::GatherBlockQuantized", "n", {"data", "ids", "s", zeros.empty() ? "" : "z"}, {"y"});
    b.Int(node, "bits", bits);
    b.Int(node, "block_size", block_size);
    b.Int(node, "quantize_axis", axis);
    b.Output("y");
  };
}

// The same of int4 numbers, in blocks of 16 along an axis.
std::function<void(GraphBuilder&)> GatheredAlong(int64_t axis, const Sizes& dims, const Sizes& scales) {
  return [=](GraphBuilder& b) {
    b.Weight("data", v1::DATA_TYPE_INT4, dims, CountOf(dims) / 2);
    b.Input("ids", v1::DATA_TYPE_INT64, {2});
    b.Reals("s", std::vector<double>(CountOf(scales), 0.1));
    b.Shape("s", v1::DATA_TYPE_FLOAT32, scales);
    v1::Node& node = b.Node("com.microsoft::GatherBlockQuantized", "n", {"data", "ids", "s"}, {"y"});
    b.Int(node, "block_size", 16);
    b.Int(node, "quantize_axis", axis);
    b.Int(node, "gather_axis", axis == 0 ? 1 : 0);
    b.Output("y");
  };
}

std::function<void(GraphBuilder&)> WithInt(std::function<void(GraphBuilder&)> change, const char* name,
                                           int64_t number) {
  return [=](GraphBuilder& b) {
    change(b);
    v1::Attribute* stated = nullptr;
    for (v1::Attribute& attribute : *b.Find("n").mutable_attributes()) {
      if (attribute.name() == b.Symbol(name)) stated = &attribute;
    }
    if (stated == nullptr) {
      b.Int(b.Find("n"), name, number);
    } else {
      stated->set_i(number);
    }
  };
}

// Nibbles in bytes, in blocks of 16.
std::function<void(GraphBuilder&)> GatheredWith(const char* name, int64_t number) {
  return WithInt(Gathered(4, 16, {6, 3}, {}), name, number);
}

// The bits of small floats are their type's, whatever is stated.
std::function<void(GraphBuilder&)> GatheredFloats(int64_t bits) {
  return [=](GraphBuilder& b) {
    WithInt(GatheredAlong(1, {6, 32}, {6, 2}), "bits", bits)(b);
    b.Value("data").set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN);
  };
}

// What ONNX Runtime 1.31 runs, and refuses.
std::vector<SoundnessCase> GatheredCases() {
  return {
      {"GatheredWithoutZeroPoints", Empty, Gathered(4, 16, {6, 3}, {}), ""},
      {"GatheredWithPackedZeroPoints", Empty, Gathered(4, 16, {6, 3}, {6, 2}), ""},
      {"GatheredOfTwoBits", Empty, Gathered(2, 16, {6, 3}, {6, 1}), ""},
      {"GatheredOfEightBits", Empty, Gathered(8, 16, {6, 3}, {6, 3}), ""},
      {"GatheredInABlockThatIsNotFull", Empty, Gathered(4, 32, {6, 2}, {6, 1}), ""},
      {"GatheredOfMoreAxesThanAreLookedAt", Empty, GatheredAlong(0, Sizes(65, 1), {1, 3}), "-AX001"},
      {"GatheredOfFewAxes", Empty, GatheredAlong(0, Sizes(3, 1), {1, 3}), "AX001", "n", "data"},
      {"GatheredBytesAlongTheFirstAxis", Empty, Gathered(8, 16, {1, 48}, {}, 0), "GS013", "n"},
      {"GatheredBytesAlongAnAxisFromTheEnd", Empty, Gathered(8, 16, {6, 3}, {}, -1), ""},
      {"GatheredOneScaleTooMany", Empty, Gathered(4, 16, {6, 4}, {}), "AX001", "n", "data"},
      {"GatheredOfEightBitsWithPackedZeroPoints", Empty, Gathered(8, 16, {6, 3}, {6, 2}), "AX001", "n", "data"},
      {"GatheredAlongTheFirstAxis", Empty, GatheredAlong(0, {32, 6}, {2, 6}), ""},
      {"GatheredAlongAnAxisFromTheEnd", Empty, GatheredAlong(-1, {6, 32}, {6, 2}), ""},
      {"GatheredMatrices", Empty, GatheredAlong(2, {3, 6, 32}, {3, 6, 2}), ""},
      {"GatheredAlongAnotherAxis", Empty, GatheredAlong(1, {32, 6}, {2, 6}), "AX001", "n", "data"},
      {"GatheredAlongNoAxis", Empty, GatheredAlong(2, {32, 6}, {2, 6}), "GS013", "n"},
      {"GatheredAlongNoAxisFromTheEnd", Empty, GatheredAlong(-3, {32, 6}, {2, 6}), "GS013", "n"},
      {"GatheredOfThreeBits", Empty, GatheredWith("bits", 3), "GS013", "n"},
      {"GatheredOfNibblesInBytes", Empty, GatheredWith("bits", 4), ""},
      {"GatheredOfFourBitNumbersOfEightBits", Empty, WithInt(GatheredAlong(1, {6, 32}, {6, 2}), "bits", 8), "GS013",
       "n"},
      {"GatheredOfFourBitNumbers", Empty, WithInt(GatheredAlong(1, {6, 32}, {6, 2}), "bits", 4), ""},
      {"GatheredBytesOfAnotherAxis", Empty, GatheredWith("gather_axis", 1), "GS013", "n"},
      {"GatheredBytesOfTheFirstAxisFromTheEnd", Empty, GatheredWith("gather_axis", -2), ""},
      {"GatheredFourBitNumbersOfAnotherAxis", Empty, GatheredAlong(0, {32, 6}, {2, 6}), ""},
      {"GatheredOfNoAxis", Empty, WithInt(GatheredAlong(1, {6, 32}, {6, 2}), "gather_axis", 2), "GS013", "n"},
      {"GatheredSmallFloats", Empty, GatheredFloats(3), "-GS013"},
      {"GatheredList", Empty, GatheredAlong(0, {32}, {2}), "GS013", "n"},
      {"GatheredInBlocksOf24", Empty, Gathered(4, 24, {6, 2}, {}), "AX003", "n"},
      {"GatheredZeroPointsNotPacked", Empty, Gathered(4, 16, {6, 3}, {6, 3}), "AX004", "n", "z"},
      {"GatheredZeroPointsInAList", Empty, Gathered(4, 16, {6, 3}, {12}), "AX004", "n", "z"},
  };
}

std::vector<SoundnessCase> ScaleCases() {
  return {
      // FI008
      {"DynamicZeroPointOfAnotherType", DynamicAccumulator,
       [](GraphBuilder& b) {
         b.Value("q").set_dtype(v1::DATA_TYPE_UINT8);
         b.Ints("zero", v1::DATA_TYPE_INT8, {0});
         b.Find("product").set_inputs(2, b.Id("zero"));
       },
       "FI008", "product", "q"},
      {"DynamicZeroPointOfItsType", DynamicAccumulator,
       [](GraphBuilder& b) {
         b.Value("q").set_dtype(v1::DATA_TYPE_UINT8);
         b.Ints("zero", v1::DATA_TYPE_UINT8, {0});
         b.Find("product").set_inputs(2, b.Id("zero"));
       },
       "-FI008"},
      // GS005
      {"ScaleOfADynamicAccumulator", DynamicAccumulator, AsItIs, ""},
      {"ScaleOfADynamicAccumulatorIsAnInput", DynamicAccumulator,
       [](GraphBuilder& b) {
         b.Value("weight_scale").clear_constant();
         b.graph.add_inputs(b.Id("weight_scale"));
       },
       "GS005", "n", "scale"},
      {"ScaleOfConstantsMultiplied", DynamicAccumulator,
       [](GraphBuilder& b) { b.Find("mul").set_inputs(0, b.Id("weight_scale")); }, "GS005", "n", "scale"},
  };
}

// x [1, 3, 8, 8] -> Resize by 1, 1, `factor`, 2, which are quantized with this scale.
std::function<void(GraphBuilder&)> ResizeBy(double factor, double scale, bool stored = false) {
  return [=](GraphBuilder& b) {
    b.Input("x", kFloat, {1, 3, 8, 8});
    b.Reals("factors", {1, 1, factor, 2});
    b.Reals("s", {scale});
    b.Ints("z", v1::DATA_TYPE_UINT8, {0});
    if (stored) {
      const auto store = [scale](double number) { return static_cast<int64_t>(std::lround(number / scale)); };
      b.Ints("q", v1::DATA_TYPE_UINT8, {store(1), store(1), store(factor), store(2)});
    } else {
      b.Node("QuantizeLinear", "factors_Q", {"factors", "s", "z"}, {"q"});
    }
    b.Node("DequantizeLinear", "factors_DQ", {"q", "s", "z"}, {"d"});
    b.Node("Resize", "n", {"x", "", "d"}, {"y"});
    b.Output("y");
  };
}

std::vector<SoundnessCase> ResizeCases() {
  const v1::Finding::Severity warning = v1::Finding::WARNING;
  return {
      // GS018
      {"ResizeByLessThanOne", Empty, ResizeBy(2, 0.0078431), "GS018", "n", "factors", 0},
      {"ResizeByWhatIsKept", Empty, ResizeBy(2, 0.015625), "-GS018"},
      {"ResizeToOneRowLess", Empty, ResizeBy(1.625, 0.25), "GS018", "n", "factors", 2},
      {"ResizeToAsManyRows", Empty, ResizeBy(1.14, 0.015625), "GS018", "n", "factors", 2, warning},
      {"ResizeByAStoredLessThanOne", Empty, ResizeBy(2, 0.0079, true), "GS018", "n", "q", 0},
      {"ResizeByWhatIsStored", Empty, ResizeBy(2, 0.015625, true), "-GS018"},
  };
}

std::vector<SoundnessCase> AttentionCases() {
  const Sizes heads = {1, 2, 4, 8};
  const Sizes packed = {1, 4, 16};
  return {
      // GS013
      {"WindowNegative", Empty, Attention(heads, {{"left_window_size", -5}}), "GS013", "n"},
      {"WindowNone", Empty, Attention(heads, {{"left_window_size", -1}, {"right_window_size", 0}}), ""},
      {"HeadsLeftOut", Empty, Attention(packed, {}), "GS013", "n"},
      {"HeadsStated", Empty, Attention(packed, {{"q_num_heads", 4}, {"kv_num_heads", 2}}), ""},
      {"HeadsNegative", Empty, Attention(packed, {{"q_num_heads", -2}, {"kv_num_heads", 2}}), "GS013", "n"},
      {"HeadsThatDoNotDivide", Empty, Attention(packed, {{"q_num_heads", 3}, {"kv_num_heads", 3}}), "GS013", "n"},
      {"HeadsOfNoPart", Empty, Attention({1, 4, 12}, {{"q_num_heads", 4}, {"kv_num_heads", 3}}), "GS013", "n"},
      {"HeadsInTheShape", Empty, Attention(heads, {{"q_num_heads", 0}}), ""},
      {"HeadsThatTheShapeContradicts", Empty, Attention(heads, {{"q_num_heads", 7}}), "GS013", "n"},
      {"HeadsThatTheShapeHas", Empty, Attention(heads, {{"q_num_heads", heads[1]}, {"kv_num_heads", heads[1]}}), ""},
      {"HeadsOfAMatrix", Empty, Attention({4, 16}, {}), "GS012", "n", "x0"},
      {"HeadsOfARuntimeNone", Empty,
       Node("com.microsoft::MultiHeadAttention", {{1, 4, 16}, {1, 4, 16}, {1, 4, 16}},
            [](GraphBuilder& b) { b.Int(b.Find("n"), "num_heads", 0); }),
       "GS013", "n"},
      {"HeadsOfARuntime", Empty,
       Node("com.microsoft::MultiHeadAttention", {{1, 4, 16}, {1, 4, 16}, {1, 4, 16}},
            [](GraphBuilder& b) { b.Int(b.Find("n"), "num_heads", 2); }),
       ""},
  };
}

// An attribute of the node "n".
v1::Attribute& AttributeOfN(GraphBuilder& b, const std::string& name) {
  v1::Attribute& attribute = *b.Find("n").add_attributes();
  attribute.set_name(b.Symbol(name));
  return attribute;
}

std::function<void(GraphBuilder&)> OfNumber(const std::string& name, int64_t number) {
  return [=](GraphBuilder& b) { AttributeOfN(b, name).set_i(number); };
}
std::function<void(GraphBuilder&)> OfWord(const std::string& name, const std::string& word) {
  return [=](GraphBuilder& b) { AttributeOfN(b, name).set_s(word); };
}
std::function<void(GraphBuilder&)> OfWords(const std::string& name, const std::vector<std::string>& words) {
  return [=](GraphBuilder& b) {
    v1::StringList& list = *AttributeOfN(b, name).mutable_strings();
    for (const std::string& word : words) list.add_values(word);
  };
}
std::function<void(GraphBuilder&)> OfNumbers(const std::string& name, const Sizes& numbers) {
  return [=](GraphBuilder& b) {
    v1::IntList& list = *AttributeOfN(b, name).mutable_ints();
    for (int64_t number : numbers) list.add_values(number);
  };
}
std::function<void(GraphBuilder&)> AlsoWith(const std::function<void(GraphBuilder&)>& one,
                                            const std::function<void(GraphBuilder&)>& other) {
  return [=](GraphBuilder& b) {
    one(b);
    other(b);
  };
}
// A list of this size in so many parts.
std::function<void(GraphBuilder&)> IntoParts(int64_t size, int count) {
  return [=](GraphBuilder& b) {
    b.Input("x", kFloat, {size});
    std::vector<std::string> parts;
    for (int i = 0; i < count; ++i) parts.push_back(absl::StrCat("y", i));
    b.Int(b.Node("Split", "n", {"x"}, parts), "num_outputs", count);
    for (const std::string& part : parts) b.Output(part);
  };
}

// A normalization with parameters of this shape, of [2, 3, 4, 5].
std::function<void(GraphBuilder&)> BatchOf(const Sizes& parameters, int opset, int64_t spatial) {
  const auto form = [=](GraphBuilder& b) {
    b.graph.mutable_opset_imports(0)->set_version(opset);
    if (spatial == 0) b.Int(b.Find("n"), "spatial", 0);
  };
  return Node("BatchNormalization", {{2, 3, 4, 5}, parameters, parameters, parameters, parameters}, form);
}

// The same with so many outputs.
std::function<void(GraphBuilder&)> BatchInto(int outputs, int opset) {
  return [=](GraphBuilder& b) {
    BatchOf({3}, opset, /*spatial=*/1)(b);
    for (int i = 1; i < outputs; ++i) b.Find("n").add_outputs(b.Id(absl::StrCat("y", i)));
  };
}

// With these scales, of [1, 1, 4, 4].
std::function<void(GraphBuilder&)> ByScales(const std::string& op, const std::vector<double>& scales, int opset) {
  return [=](GraphBuilder& b) {
    b.graph.mutable_opset_imports(0)->set_version(opset);
    b.Input("x", kFloat, {1, 1, 4, 4});
    b.Reals("s", scales, /*scalar=*/false);
    if (op == "Upsample") {
      b.Node(op, "n", {"x", "s"}, {"y"});
    } else {
      b.Node(op, "n", {"x", "", "s"}, {"y"});
    }
    b.Output("y");
  };
}

// A recurrence of 4 hidden elements, with more of it.
std::function<void(GraphBuilder&)> RecurrentWith(const std::function<void(GraphBuilder&)>& more) {
  return Node("LSTM", {{3, 2, 5}, {1, 16, 5}, {1, 16, 4}}, AlsoWith(OfNumber("hidden_size", 4), more));
}

// One more output than the one that is read, which has this name.
std::function<void(GraphBuilder&)> OfOutputs(const std::string& op, const std::string& first,
                                             const std::string& second) {
  return [=](GraphBuilder& b) {
    b.Input("x", kFloat, {2, 3, 4, 4});
    b.Node(op, "n", {"x"}, {first, second});
    if (op == "MaxPool") OfNumbers("kernel_shape", {2, 2})(b);
    b.Output(first.empty() ? second : first);
  };
}

std::function<void(GraphBuilder&)> OfSet(int64_t version) {
  return [version](GraphBuilder& b) { b.graph.mutable_opset_imports(0)->set_version(version); };
}

std::vector<SoundnessCase> MeaningCases() {
  const Sizes image = {1, 3, 8, 8};
  const Sizes weight = {4, 3, 3, 3};
  const Sizes turned = {3, 4, 3, 3};
  return {
      // GS013
      {"SplitIntoPartsThatRunOut", Empty, IntoParts(4, 3), "GS013", "n"},
      {"SplitIntoPartsThatRunOutBefore", Empty, IntoParts(9, 4), "GS013", "n"},
      {"SplitIntoASmallerLastPart", Empty, IntoParts(7, 4), ""},
      {"SplitIntoOneEach", Empty, IntoParts(3, 3), ""},
      {"SplitNeitherWay", Empty, Node("Split", {{4}}), "GS013", "n"},
      {"PadsBesideAutomaticOnes", Empty,
       Node("Conv", {image, weight}, AlsoWith(OfWord("auto_pad", "VALID"), OfNumbers("pads", {0, 0, 0, 0}))), "GS013",
       "n"},
      {"PadsBesideNone", Empty,
       Node("Conv", {image, weight}, AlsoWith(OfWord("auto_pad", "NOTSET"), OfNumbers("pads", {0, 0, 0, 0}))), ""},
      {"PadsOfAPoolBesideAutomaticOnes", Empty,
       Node("MaxPool", {image},
            AlsoWith(OfNumbers("kernel_shape", {2, 2}),
                     AlsoWith(OfWord("auto_pad", "VALID"), OfNumbers("pads", {0, 0, 0, 0})))),
       ""},
      {"OutputPaddingOfAStep", Empty,
       Node("ConvTranspose", {image, turned},
            AlsoWith(OfNumbers("strides", {2, 2}), OfNumbers("output_padding", {2, 1}))),
       "GS013", "n"},
      {"OutputPaddingWithinAStep", Empty,
       Node("ConvTranspose", {image, turned},
            AlsoWith(OfNumbers("strides", {2, 2}), OfNumbers("output_padding", {1, 1}))),
       ""},
      {"ResponseOverNothing", Empty, Node("LRN", {image}, OfNumber("size", 0)), "GS013", "n"},
      {"ResponseOverChannels", Empty, Node("LRN", {image}, OfNumber("size", 2)), ""},
      {"NormOfThirdOrder", Empty, Node("LpNormalization", {{2, 3}}, OfNumber("p", 3)), "GS013", "n"},
      {"NormOfFirstOrder", Empty, Node("LpNormalization", {{2, 3}}, OfNumber("p", 1)), ""},
      {"RemainderOfReals", Empty, Node("Mod", {{3}, {3}}), "GS013", "n"},
      {"RemainderOfRealsBefore28", Empty, AlsoWith(OfSet(27), Node("Mod", {{3}, {3}})), "GS013", "n"},
      {"RemainderOfRealsSince28", Empty, AlsoWith(OfSet(28), Node("Mod", {{3}, {3}})), ""},
      {"NormOfThirdOrderSince28", Empty, AlsoWith(OfSet(28), Node("LpNormalization", {{2, 3}}, OfNumber("p", 3))),
       "GS013", "n"},
      {"RemainderOfRealsBySignOfTheDividend", Empty, Node("Mod", {{3}, {3}}, OfNumber("fmod", 1)), ""},
      {"ReversedAlongOneAxis", Empty, List("ReverseSequence", {2, 3}, {2}), ""},
      {"ReversedAlongTheBatch", Empty, AlsoWith(List("ReverseSequence", {2, 3}, {2}), OfNumber("time_axis", 1)),
       "GS013", "n"},
      {"ReversedAlongTheThird", Empty, AlsoWith(List("ReverseSequence", {2, 3, 4}, {2}), OfNumber("time_axis", 2)),
       "GS013", "n"},
      {"SumOverWhatIsMissing", Empty, Node("Einsum", {{2, 3}, {3, 4}}, OfWord("equation", "ij,jk->il")), "GS013", "n"},
      {"SumOntoTheDiagonal", Empty, Node("Einsum", {{2, 3}}, OfWord("equation", "ij->ijj")), "GS013", "n"},
      {"SumOverALetter", Empty, Node("Einsum", {{2, 3}, {3, 4}}, OfWord("equation", "ij, j k -> i k")), ""},
      {"ShiftUp", Empty, Node("BitShift", {{2}, {2}}, OfWord("direction", "up")), "GS013", "n"},
      {"ActivationOfNoName", Empty, RecurrentWith(OfWords("activations", {"Sigmoid", "Foo", "Tanh"})), "GS013", "n"},
      {"ActivationsOfAnotherNumber", Empty, RecurrentWith(OfWords("activations", {"Sigmoid", "Tanh"})), "GS013", "n"},
      {"ActivationsInAnotherCase", Empty, RecurrentWith(OfWords("activations", {"sigmoid", "TANH", "Elu"})), ""},
      {"TrainedWithOneOutput", Empty,
       Node("BatchNormalization", {{2, 3}, {3}, {3}, {3}, {3}}, OfNumber("training_mode", 1)), "GS013", "n"},
      {"NotTrainedWithOneOutput", Empty,
       Node("BatchNormalization", {{2, 3}, {3}, {3}, {3}, {3}}, OfNumber("training_mode", 0)), ""},
      {"OldBatchWithOneOutput", Empty, BatchInto(1, 9), "-GS013"},
      {"OldBatchWithFourOutputs", Empty, BatchInto(4, 9), "GS013", "n"},
      {"OldBatchWithFiveOutputs", Empty, BatchInto(5, 9), "-GS013"},
      {"OlderBatchWithTwoOutputs", Empty, BatchInto(2, 7), "GS013", "n"},
      {"ScaleOfNothing", Empty, ByScales("Resize", {1, 1, 0, 2}, 19), "GS013", "n"},
      {"ScaleOfAHalf", Empty, ByScales("Resize", {1, 1, 0.5, 2}, 19), ""},
      {"UpsampledByAHalf", Empty, ByScales("Upsample", {1, 1, 0.5, 2}, 9), "GS013", "n"},
      {"UpsampledByTwo", Empty, ByScales("Upsample", {1, 1, 2, 2}, 9), ""},
      {"ResizedInTwoWays", Empty,
       [](GraphBuilder& b) {
         ByScales("Resize", {1, 1, 2, 2}, 19)(b);
         b.Ints("sizes", kLong, {1, 1, 8, 8}, /*scalar=*/false);
         b.Find("n").add_inputs(b.Id("sizes"));
       },
       "GS013", "n"},
      {"TransposedByNothing", Empty, Node("Transpose", {{2, 3}}, OfNumbers("perm", {})), "GS013", "n"},
      {"TransposedByDefault", Empty, Node("Transpose", {{2, 3}}), ""},
      {"CutTwiceAlongAnAxis", Empty,
       [](GraphBuilder& b) {
         b.Input("x", kFloat, {4, 4});
         b.Ints("from", kLong, {0, 1}, /*scalar=*/false);
         b.Ints("to", kLong, {3, 2}, /*scalar=*/false);
         b.Ints("axes", kLong, {1, -1}, /*scalar=*/false);
         b.Node("Slice", "n", {"x", "from", "to", "axes"}, {"y"});
         b.Output("y");
       },
       "GS013", "n"},
      // GS011
      {"OutputWithoutAName", Empty, OfOutputs("MaxPool", "", "y"), "GS011", "n"},
      {"OptionalOutputWithoutAName", Empty, OfOutputs("MaxPool", "y", ""), ""},
      // GS012
      {"BatchOfElements", Empty, BatchOf({3, 4, 5}, 7, 0), ""},
      {"BatchOfChannelsOfElements", Empty, BatchOf({3}, 8, 0), "GS012", "n", "x1"},
      {"BatchOfElementsByDefault", Empty, BatchOf({3, 4, 5}, 8, 1), "GS012", "n", "x1"},
      {"BatchOfElementsToday", Empty, BatchOf({3, 4, 5}, 9, 1), "GS012", "n", "x1"},
  };
}

// A branch of an If that adds what does not fit and shows only when it runs; the other one does nothing.
v1::Graph BranchOf(const std::function<void(GraphBuilder&)>& more) {
  GraphBuilder body;
  body.graph.clear_opset_imports();
  body.graph.set_format_version(0);
  more(body);
  return body.graph;
}

// `condition`: -1: not known before it runs; else a constant. `loads`: what is wrong shows when the file is loaded.
GraphBuilder ConditionalOn(int condition, bool loads) {
  GraphBuilder b;
  if (condition < 0) {
    b.Input("c", kBool, {});
  } else {
    b.Ints("c", kBool, {condition});
  }
  b.Node("If", "n", {"c"}, {"y"});
  b.Value("y").set_dtype(kFloat);
  b.Output("y");
  Attach(b, "then_branch", BranchOf([&](GraphBuilder& body) {
           body.Weight("w", kFloat, {2, 3}, 24);
           body.Ints("list", kLong, {5, loads ? -1 : 5}, /*scalar=*/false);
           body.Node("Reshape", "inner", {"w", "list"}, {"z"});
           body.Value("z").set_dtype(kFloat);
           body.Output("z");
         }));
  Attach(b, "else_branch", BranchOf([](GraphBuilder& body) {
           body.Weight("w", kFloat, {2, 3}, 24);
           body.Node("Identity", "other", {"w"}, {"z"});
           body.Value("z").set_dtype(kFloat);
           body.Output("z");
         }));
  return b;
}

// The condition is whether the input [2, 3] has so many elements, as exporters of expanded functions write it.
GraphBuilder ConditionalOnShape(int64_t elements) {
  GraphBuilder b = ConditionalOn(1, /*loads=*/false);
  b.Input("x", kFloat, {2, 3});
  b.Ints("count", kLong, {elements});
  b.Node("Size", "size", {"x"}, {"size"});
  b.Node("Equal", "equal", {"size", "count"}, {"condition"});
  b.Find("n").set_inputs(0, b.Id("condition"));
  b.graph.mutable_nodes()->SwapElements(0, 2);
  b.graph.mutable_nodes()->SwapElements(0, 1);
  return b;
}

std::vector<SoundnessCase> ConditionCases() {
  return {
      // GS012: a node that does not run fails nowhere.
      {"BranchTaken", [] { return ConditionalOn(1, false); }, AsItIs, "GS012", "inner", "list"},
      {"BranchNotTaken", [] { return ConditionalOn(0, false); }, AsItIs, ""},
      {"BranchThatMayBeTaken", [] { return ConditionalOn(-1, false); }, AsItIs, "-GS012"},
      {"BranchThatIsNotLoaded", [] { return ConditionalOn(0, true); }, AsItIs, "GS012", "inner", "list"},
      {"BranchTakenByShape", [] { return ConditionalOnShape(6); }, AsItIs, "GS012", "inner", "list"},
      {"BranchNotTakenByShape", [] { return ConditionalOnShape(5); }, AsItIs, ""},
      {"BranchOverriddenCondition", [] { return ConditionalOn(0, false); },
       [](GraphBuilder& b) { b.graph.add_inputs(b.Id("c")); }, "-GS012"},
  };
}

}  // namespace

std::vector<SoundnessCase> OnnxCases() {
  std::vector<SoundnessCase> cases;
  for (std::vector<SoundnessCase> (*some)() :
       {&ProductCases, &GemmCases, &ExpertCases, &GatheredCases, &BodyCases, &SignatureCases, &ArgumentCases,
        &ScaleCases, &ResizeCases, &AttentionCases, &MeaningCases, &ConditionCases}) {
    for (SoundnessCase& c : some()) cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace quantgate::testing
