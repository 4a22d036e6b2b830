// ONNX files that onnx.checker or ONNX Runtime refuse, and their neighbors that they take: products of matrices whose
// parameters are of each matrix, bodies of control flow, signatures, ranks of arguments, computed scales, attention.
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "tests/rules/soundness_case.h"

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

std::vector<SoundnessCase> BodyCases() {
  return {
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

std::vector<SoundnessCase> ScaleCases() {
  return {
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

}  // namespace

std::vector<SoundnessCase> OnnxCases() {
  std::vector<SoundnessCase> cases;
  for (std::vector<SoundnessCase> (*some)() : {&ProductCases, &GemmCases, &ExpertCases, &BodyCases, &SignatureCases,
                                               &ArgumentCases, &ScaleCases, &AttentionCases}) {
    for (SoundnessCase& c : some()) cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace quantgate::testing
