// LiteRT models: what its specification and kernels ask of types, scales and parameters.
#include <cmath>
#include <cstdint>
#include <iterator>

#include "tests/rules/soundness/case.h"

namespace quantgate::testing {
namespace {

// What one tensor says of itself; an empty list of scales leaves the spec without any.
void Quantize(GraphBuilder& b, const std::string& name, const std::vector<double>& scales, double zero_point = 0,
              int axis = -1) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(b.Value(name).dtype());
  spec.set_is_dynamic(false);
  for (double scale : scales) {
    spec.mutable_qparams()->add_scales(scale);
    spec.mutable_qparams()->add_zero_points(zero_point);
  }
  if (axis >= 0) spec.mutable_qparams()->add_axes(axis);
  b.Value(name).set_spec(b.graph.specs_size());
}

v1::Spec& SpecOf(GraphBuilder& b, const std::string& name) { return *b.graph.mutable_specs(b.Value(name).spec() - 1); }
void SetScale(GraphBuilder& b, const std::string& name, double scale) {
  SpecOf(b, name).mutable_qparams()->set_scales(0, scale);
}
void SetZeroPoint(GraphBuilder& b, const std::string& name, double zero_point) {
  SpecOf(b, name).mutable_qparams()->set_zero_points(0, zero_point);
}
void SetType(GraphBuilder& b, const std::string& name, v1::DataType type) {
  b.Value(name).set_dtype(type);
  if (b.Value(name).spec() > 0) SpecOf(b, name).set_dtype(type);
}
void Remove(v1::Node& node) { node.clear_attributes(); }
v1::Attribute& Set(GraphBuilder& b, const std::string& node, const std::string& name) {
  v1::Node& found = b.Find(node);
  for (v1::Attribute& attribute : *found.mutable_attributes()) {
    if (b.graph.symbols(attribute.name() - 1) == name) return attribute;
  }
  v1::Attribute& attribute = *found.add_attributes();
  attribute.set_name(b.Symbol(name));
  return attribute;
}

void SetNewShape(GraphBuilder& b, const std::string& node, const std::vector<int64_t>& sizes) {
  v1::IntList& list = *Set(b, node, "new_shape").mutable_ints();
  list.mutable_values()->Assign(sizes.begin(), sizes.end());
}

// x -> CONV_2D (per-channel weight w, bias b) -> y -> RESHAPE -> r -> SOFTMAX -> p, in these types.
GraphBuilder Classifier(v1::DataType activations, v1::DataType biases) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  const bool wide = activations == v1::DATA_TYPE_INT16;
  const double zero_point = wide ? 0 : 3;
  b.Input("x", activations, {1, 8, 8, 3});
  Quantize(b, "x", {0.02}, zero_point);
  b.Weight("w", v1::DATA_TYPE_INT8, {2, 3, 3, 3}, 54);
  Quantize(b, "w", {0.01, 0.02}, 0, 0);
  b.Ints("b", biases, {1, 2});
  Quantize(b, "b", {2e-4, 4e-4}, 0, 0);
  v1::Node& conv = b.Node("CONV_2D", "conv", {"x", "w", "b"}, {"y"});
  for (const char* name : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) b.Int(conv, name, 1);
  b.Shape("y", activations, {1, 6, 6, 2});
  Quantize(b, "y", {0.1}, zero_point);
  b.Node("RESHAPE", "reshape", {"y"}, {"r"});
  SetNewShape(b, "reshape", {1, 72});
  b.Shape("r", activations, {1, 72});
  Quantize(b, "r", {0.1}, zero_point);
  b.Node("SOFTMAX", "softmax", {"r"}, {"p"});
  b.Shape("p", activations, {1, 72});
  Quantize(b, "p", {wide ? 1.0 / 32768 : 1.0 / 256}, wide ? 0 : -128);
  b.Output("p");
  return b;
}

GraphBuilder Int8() { return Classifier(v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT32); }
GraphBuilder Int16() { return Classifier(v1::DATA_TYPE_INT16, v1::DATA_TYPE_INT64); }

// x, of 3 channels -> DEPTHWISE_CONV_2D -> y.
GraphBuilder Depthwise() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_INT8, {1, 8, 8, 3});
  Quantize(b, "x", {0.02}, 3);
  b.Weight("w", v1::DATA_TYPE_INT8, {1, 3, 3, 3}, 27);
  Quantize(b, "w", {0.01, 0.02, 0.03}, 0, 3);
  v1::Node& conv = b.Node("DEPTHWISE_CONV_2D", "conv", {"x", "w"}, {"y"});
  for (const char* name : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) b.Int(conv, name, 1);
  b.Shape("y", v1::DATA_TYPE_INT8, {1, 6, 6, 3});
  Quantize(b, "y", {0.1}, 3);
  b.Output("y");
  return b;
}

// Two tensors of scale 0.1 side by side.
GraphBuilder Concatenation(v1::DataType type) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  for (const char* name : {"x", "z"}) {
    b.Input(name, type, {1, 4});
    Quantize(b, name, {0.1});
  }
  b.Node("CONCATENATION", "concat", {"x", "z"}, {"y"});
  b.Shape("y", type, {2, 4});
  Quantize(b, "y", {0.1});
  b.Output("y");
  return b;
}

// A float x through a weight in blocks of 4.
GraphBuilder Blocks() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Weight("w", v1::DATA_TYPE_INT4, {2, 8}, 8);
  Quantize(b, "w", {0.1, 0.2, 0.3, 0.4});
  for (int axis : {0, 1}) SpecOf(b, "w").mutable_qparams()->add_axes(axis);
  for (int size : {1, 4}) SpecOf(b, "w").mutable_qparams()->add_block_sizes(size);
  b.Node("FULLY_CONNECTED", "fc", {"x", "w"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 2});
  b.Output("y");
  return b;
}

// A float that is an int8 in between: x -> QUANTIZE -> q -> DEQUANTIZE -> y.
GraphBuilder ThereAndBack() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
  b.Node("QUANTIZE", "quantize", {"x"}, {"q"});
  b.Shape("q", v1::DATA_TYPE_INT8, {4});
  Quantize(b, "q", {0.1});
  b.Node("DEQUANTIZE", "dequantize", {"q"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {4});
  b.Output("y");
  return b;
}

// Rows 1 and 0 of a table of int8.
GraphBuilder Embedding(v1::DataType result) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Ints("rows", v1::DATA_TYPE_INT32, {1, 0}, /*scalar=*/false).set_stored_bytes(8);
  b.Weight("table", v1::DATA_TYPE_INT8, {5, 4}, 20);
  b.Node("EMBEDDING_LOOKUP", "look up", {"rows", "table"}, {"y"});
  b.Shape("y", result, {2, 4});
  b.Output("y");
  return b;
}

// A product of int8 or int16 with int8.
GraphBuilder Product(v1::DataType left) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", left, {2, 4});
  b.Weight("w", v1::DATA_TYPE_INT8, {4, 3}, 12);
  b.Node("BATCH_MATMUL", "product", {"x", "w"}, {"y"});
  b.Shape("y", left, {2, 3});
  for (const char* name : {"x", "w", "y"}) Quantize(b, name, {0.1});
  b.Output("y");
  return b;
}

// Fully connected, with options or without.
GraphBuilder Dense(v1::DataType type, bool options) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", type, {2, 4});
  b.Weight("w", v1::DATA_TYPE_INT8, {3, 4}, 12);
  v1::Node& node = b.Node("FULLY_CONNECTED", "dense", {"x", "w"}, {"y"});
  if (options) {
    v1::Attribute& activation = *node.add_attributes();
    activation.set_name(b.Symbol("fused_activation_function"));
    activation.set_s("NONE");
  }
  b.Shape("y", type, {2, 3});
  for (const char* name : {"x", "w", "y"}) Quantize(b, name, {0.1});
  b.Output("y");
  return b;
}

// In blocks of two, four by six pixels.
GraphBuilder InBlocks(const std::vector<int64_t>& blocks) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 6, 2});
  b.Ints("blocks", v1::DATA_TYPE_INT64, blocks, /*scalar=*/false).set_stored_bytes(16);
  b.Ints("borders", v1::DATA_TYPE_INT32, {0, 0, 0, 0});
  b.Shape("borders", v1::DATA_TYPE_INT32, {2, 2});
  b.Node("SPACE_TO_BATCH_ND", "op", {"x", "blocks", "borders"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {}).set_has_shape(false);
  b.Output("y");
  return b;
}

// A loop over one float, which is compared with itself and handed on.
GraphBuilder Loop() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1});
  v1::Node& node = b.Node("WHILE", "while", {"x"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1});
  b.Output("y");
  for (int i = 1; i <= 2; ++i) {
    GraphBuilder body(v1::Graph::TFLITE);
    body.Input("i", v1::DATA_TYPE_FLOAT32, {1});
    if (i == 1) {
      body.Node("LESS", "less", {"i", "i"}, {"go"});
      body.Shape("go", v1::DATA_TYPE_BOOL, {1});
    }
    body.Output(i == 1 ? "go" : "i");
    *b.graph.add_subgraphs() = body.graph;
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(i == 1 ? "cond_subgraph_index" : "body_subgraph_index"));
    attribute.set_graph(i);
  }
  return b;
}

// y = c ? x : x, through two branches that hand it through, in int8 of one scale.
GraphBuilder Branches() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("c", v1::DATA_TYPE_BOOL, {1});
  b.Input("x", v1::DATA_TYPE_INT8, {4});
  Quantize(b, "x", {0.1}, 3);
  v1::Node& node = b.Node("IF", "if", {"c", "x"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_INT8, {4});
  Quantize(b, "y", {0.1}, 3);
  b.Output("y");
  for (int i = 1; i <= 2; ++i) {
    GraphBuilder body(v1::Graph::TFLITE);
    body.Input("i", v1::DATA_TYPE_INT8, {4});
    Quantize(body, "i", {0.1}, 3);
    body.Output("i");
    *b.graph.add_subgraphs() = body.graph;
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(i == 1 ? "then_subgraph_index" : "else_subgraph_index"));
    attribute.set_graph(i);
  }
  return b;
}

// Branches of which the first one branches again: into subgraph 3 either way.
GraphBuilder NestedBranches() {
  GraphBuilder b = Branches();
  GraphBuilder body(v1::Graph::TFLITE);
  body.Input("i", v1::DATA_TYPE_INT8, {4});
  Quantize(body, "i", {0.1}, 3);
  body.Ints("c", v1::DATA_TYPE_BOOL, {1}, /*scalar=*/false);
  v1::Node& node = body.Node("IF", "inner", {"c", "i"}, {"o"});
  body.Shape("o", v1::DATA_TYPE_INT8, {4});
  Quantize(body, "o", {0.1}, 3);
  body.Output("o");
  for (const char* branch : {"then_subgraph_index", "else_subgraph_index"}) body.Int(node, branch, 3);
  *b.graph.add_subgraphs() = b.graph.subgraphs(0);
  *b.graph.mutable_subgraphs(0) = body.graph;
  return b;
}
v1::Attribute& InnerBranch(GraphBuilder& b, int branch) {
  return *b.graph.mutable_subgraphs(0)->mutable_nodes(0)->mutable_attributes(branch);
}

// x of [2, 3, 4] -> op with the constant k, and what it says of its result's type.
GraphBuilder Indexed(const std::string& op, const std::string& option, const std::vector<int64_t>& k) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3, 4});
  b.Ints("k", v1::DATA_TYPE_INT32, k, /*scalar=*/false).set_stored_bytes(4 * static_cast<int64_t>(k.size()));
  b.Node(op, "op", op == "SHAPE" ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "k"}, {"y"});
  b.Shape("y", option.empty() ? v1::DATA_TYPE_FLOAT32 : v1::DATA_TYPE_INT64, {});
  b.Value("y").set_has_shape(false);
  if (!option.empty()) Set(b, "op", option).set_dtype(v1::DATA_TYPE_INT64);
  b.Output("y");
  return b;
}
GraphBuilder Largest() { return Indexed("ARG_MAX", "output_type", {1}); }
GraphBuilder Counted() { return Indexed("SHAPE", "out_type", {1}); }
GraphBuilder GatheredNd() { return Indexed("GATHER_ND", "", {1, 2, 3}); }
// Indices of which the smallest and the largest is known.
void SetPlaces(GraphBuilder& b, int64_t depth, double least, double most) {
  b.Weight("k", v1::DATA_TYPE_INT32, {5, depth}, 20 * depth);
  b.Value("k").mutable_constant()->clear_ints();
  v1::Statistics& statistics = *b.Value("k").mutable_constant()->mutable_statistics();
  statistics.set_count(5 * depth);
  statistics.set_min(least);
  statistics.set_max(most);
}

// Two behind the second of two axes of 3.
GraphBuilder Mirrored() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {3, 3});
  b.Ints("k", v1::DATA_TYPE_INT32, {0, 0, 0, 2});
  b.Shape("k", v1::DATA_TYPE_INT32, {2, 2});
  b.Node("MIRROR_PAD", "op", {"x", "k"}, {"y"});
  Set(b, "op", "mode").set_s("REFLECT");
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {}).set_has_shape(false);
  b.Output("y");
  return b;
}

GraphBuilder Pooled() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 4, 2});
  v1::Node& pool = b.Node("MAX_POOL_2D", "pool", {"x"}, {"y"});
  for (const char* name : {"stride_w", "stride_h", "filter_width", "filter_height"}) b.Int(pool, name, 2);
  Set(b, "pool", "padding").set_s("VALID");
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 2, 2, 2});
  b.Output("y");
  return b;
}

// x of [2, 3, 4] along its last axis.
GraphBuilder Mean() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3, 4});
  b.Ints("axes", v1::DATA_TYPE_INT32, {2}, /*scalar=*/false).set_stored_bytes(4);
  b.Node("MEAN", "op", {"x", "axes"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {2, 3});
  b.Output("y");
  return b;
}

// As the kernel for training has it: five inputs and four outputs.
GraphBuilder BasicLstm() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  for (const char* name : {"x", "activation", "weights", "bias", "state"}) {
    b.Input(name, v1::DATA_TYPE_FLOAT32, {2, 4});
  }
  v1::Node& lstm = b.Node("LSTM", "lstm", {"x", "activation", "weights", "bias", "state"}, {"y0", "y1", "y2", "y3"});
  b.Int(lstm, "kernel_type", 1);
  for (const char* name : {"y0", "y1", "y2", "y3"}) {
    b.Shape(name, v1::DATA_TYPE_FLOAT32, {2, 4});
    b.Output(name);
  }
  return b;
}

// Numbers that the model keeps, and nothing that it returns.
GraphBuilder Kept() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
  b.Node("VAR_HANDLE", "handle", {}, {"v"});
  b.Shape("v", v1::DATA_TYPE_INT32, {1});
  b.Node("ASSIGN_VARIABLE", "keep", {"v", "x"}, {});
  return b;
}

GraphBuilder Volume() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 3, 3, 3, 2});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {2, 2, 2, 2, 4}, 256);
  v1::Node& conv = b.Node("CONV_3D", "conv", {"x", "w"}, {"y"});
  for (const char* name : {"stride_d", "stride_w", "stride_h"}) b.Int(conv, name, 1);
  Set(b, "conv", "padding").set_s("VALID");
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 2, 2, 2, 4});
  b.Output("y");
  return b;
}

v1::QParams& BodyNumbers(GraphBuilder& b, int body) {
  return *b.graph.mutable_subgraphs(body)->mutable_specs(0)->mutable_qparams();
}

}  // namespace

std::vector<SoundnessCase> TfliteCases() {
  const v1::Finding::Severity warning = v1::Finding::WARNING;
  const v1::Finding::Severity info = v1::Finding::INFO;
  return {
      {"TfliteInt8", Int8, [](GraphBuilder&) {}, ""},
      {"TfliteInt16", Int16, [](GraphBuilder&) {}, ""},
      {"TfliteDepthwise", Depthwise, [](GraphBuilder&) {}, ""},
      {"TfliteBlocks", Blocks, [](GraphBuilder&) {}, ""},
      {"TfliteLoop", Loop, [](GraphBuilder&) {}, ""},
      {"TfliteBranches", Branches, [](GraphBuilder&) {}, ""},
      {"TfliteNestedBranches", NestedBranches, [](GraphBuilder&) {}, ""},
      {"TfliteLargest", Largest, [](GraphBuilder&) {}, ""},
      {"TfliteCounted", Counted, [](GraphBuilder&) {}, ""},
      {"TfliteGatheredNd", GatheredNd, [](GraphBuilder&) {}, ""},
      {"TflitePooled", Pooled, [](GraphBuilder&) {}, ""},

      {"TfliteVersion4", Int8, [](GraphBuilder& b) { b.graph.set_format_version(4); }, "FI003"},
      {"TfliteRepeatedName", Int8, [](GraphBuilder& b) { b.Value("y").set_name("x"); }, "FI006", "conv", "x", -1,
       warning},
      {"TfliteTwoWriters", Int8, [](GraphBuilder& b) { b.Find("reshape").set_outputs(0, b.Id("y")); }, "FI006",
       "reshape", "y"},
      {"TfliteNoScale", Int8, [](GraphBuilder& b) { b.Value("y").set_spec(0); }, "FI009", "conv", "y"},
      {"TfliteNoScaleOfMovedIntegers", Int8,
       [](GraphBuilder& b) {
         b.Input("i", v1::DATA_TYPE_INT8, {4});
         b.Node("RESHAPE", "move", {"i"}, {"j"});
         SetNewShape(b, "move", {2, 2});
         b.Shape("j", v1::DATA_TYPE_INT8, {2, 2});
         b.Output("j");
       },
       ""},
      {"TfliteThereAndBack", ThereAndBack, [](GraphBuilder&) {}, ""},
      {"TfliteQuantizeNoScale", ThereAndBack, [](GraphBuilder& b) { b.Value("q").set_spec(0); }, "FI009", "quantize",
       "q"},
      {"TfliteDequantizeNoScale", Int8,
       [](GraphBuilder& b) {
         b.Weight("i", v1::DATA_TYPE_INT8, {4}, 4);
         b.Node("DEQUANTIZE", "back", {"i"}, {"j"});
         b.Shape("j", v1::DATA_TYPE_FLOAT32, {4});
         b.Output("j");
       },
       "FI009", "back", "i"},
      {"TfliteDequantizeHalfPrecision", Int8,
       [](GraphBuilder& b) {
         b.Weight("i", v1::DATA_TYPE_FLOAT16, {4}, 8);
         b.Node("DEQUANTIZE", "back", {"i"}, {"j"});
         b.Shape("j", v1::DATA_TYPE_FLOAT32, {4});
         b.Output("j");
       },
       ""},
      {"TfliteTableNoScale", [] { return Embedding(v1::DATA_TYPE_FLOAT32); }, [](GraphBuilder&) {}, "FI009", "look up",
       "table"},
      {"TfliteTableOfIntegers", [] { return Embedding(v1::DATA_TYPE_INT8); }, [](GraphBuilder&) {}, ""},
      {"TfliteUnknownType", Int8, [](GraphBuilder& b) { SetType(b, "w", v1::DATA_TYPE_UNSPECIFIED); }, "FI011"},
      {"TfliteUnknownTypeOfActivation", Int8, [](GraphBuilder& b) { SetType(b, "y", v1::DATA_TYPE_UNSPECIFIED); },
       "FI011", "conv", "y"},
      {"TfliteHandle", Blocks,
       [](GraphBuilder& b) {
         b.Node("VAR_HANDLE", "handle", {}, {"h"});
         b.Value("h").set_has_shape(true);
         b.Node("ASSIGN_VARIABLE", "assign", {"h", "y"}, {});
       },
       ""},
      {"TfliteNegativeSize", Int8, [](GraphBuilder& b) { b.Value("y").set_dims(0, -1); }, "FI013", "", "y"},

      {"TfliteOperatorCode", Int8,
       [](GraphBuilder& b) {
         b.Find("reshape").set_op(0);
         b.Int(b.Find("reshape"), "opcode_index", 99);
       },
       "FI018", "reshape"},
      {"TfliteSubgraphIndex", Loop, [](GraphBuilder& b) { Set(b, "while", "body_subgraph_index").set_i(3); }, "FI018",
       "while"},
      {"TfliteSubgraphIndexOfBody", Loop, [](GraphBuilder& b) { Set(b, "while", "body_subgraph_index").set_i(2); }, ""},

      {"TfliteReshapeToInt16", Int8, [](GraphBuilder& b) { SetType(b, "r", v1::DATA_TYPE_INT16); }, "FI019", "reshape",
       "r"},
      {"TfliteUnsignedBetweenSigned", Int8, [](GraphBuilder& b) { SetType(b, "y", v1::DATA_TYPE_UINT8); }, "FI019",
       "conv", "y"},
      {"TfliteChannelsBesideUnsigned", Depthwise,
       [](GraphBuilder& b) {
         for (const char* name : {"x", "y"}) SetType(b, name, v1::DATA_TYPE_UINT8);
       },
       "AX010", "conv", "w"},
      {"TfliteChannelsBesideSigned", Depthwise, [](GraphBuilder&) {}, "-AX010"},
      {"TfliteOneScaleBesideUnsigned", Depthwise,
       [](GraphBuilder& b) {
         for (const char* name : {"x", "y", "w"}) SetType(b, name, v1::DATA_TYPE_UINT8);
         Quantize(b, "w", {0.01}, 128);
       },
       "-AX010"},
      {"TfliteFloatWeights", Int8,
       [](GraphBuilder& b) {
         b.Weight("w", v1::DATA_TYPE_FLOAT32, {8, 1, 1, 3}, 96);
         b.Value("w").set_spec(0);
       },
       "FI019", "conv", "w"},
      {"TfliteFloatWeightsBesideWhatIsDequantized", ThereAndBack,
       [](GraphBuilder& b) {
         b.Shape("q", v1::DATA_TYPE_INT8, {1, 4});
         b.Shape("x", v1::DATA_TYPE_FLOAT32, {1, 4});
         b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4});
         b.Weight("w", v1::DATA_TYPE_FLOAT32, {4, 4}, 64);
         b.Weight("half", v1::DATA_TYPE_FLOAT32, {4}, 16);
         b.Node("FULLY_CONNECTED", "layer", {"y", "w"}, {"z"});
         b.Shape("z", v1::DATA_TYPE_FLOAT32, {1, 4});
         b.Node("ADD", "sum", {"y", "half"}, {"s"});
         b.Shape("s", v1::DATA_TYPE_FLOAT32, {1, 4});
         b.Output("z");
         b.Output("s");
       },
       "-FI019"},
      {"TfliteUnsignedWeights", Depthwise, [](GraphBuilder& b) { SetType(b, "w", v1::DATA_TYPE_UINT8); }, "FI019",
       "conv", "w"},
      {"TfliteWideWeights", Depthwise, [](GraphBuilder& b) { SetType(b, "w", v1::DATA_TYPE_INT16); }, "FI019", "conv",
       "w"},
      {"TfliteNarrowWeights", Depthwise, [](GraphBuilder& b) { SetType(b, "w", v1::DATA_TYPE_INT4); }, "-FI019"},
      {"TfliteWeightsBesideFloats", Depthwise,
       [](GraphBuilder& b) {
         for (const char* name : {"x", "y"}) {
           SetType(b, name, v1::DATA_TYPE_FLOAT32);
           b.Value(name).set_spec(0);
         }
       },
       "-FI019"},
      {"TfliteProductInFloats", [] { return Product(v1::DATA_TYPE_INT8); },
       [](GraphBuilder& b) {
         SetType(b, "y", v1::DATA_TYPE_FLOAT32);
         b.Value("y").set_spec(0);
       },
       "FI019", "product", "y"},
      {"TfliteProductInInt32", [] { return Product(v1::DATA_TYPE_INT8); },
       [](GraphBuilder& b) { SetType(b, "y", v1::DATA_TYPE_INT32); }, "-FI019"},
      {"TfliteDequantizedFloats", ThereAndBack,
       [](GraphBuilder& b) {
         b.Input("f", v1::DATA_TYPE_FLOAT32, {4});
         b.Node("DEQUANTIZE", "again", {"f"}, {"g"});
         b.Shape("g", v1::DATA_TYPE_FLOAT32, {4});
         b.Output("g");
       },
       "FI019", "again", "f"},
      {"TfliteDequantizedHalves", ThereAndBack,
       [](GraphBuilder& b) {
         b.Input("f", v1::DATA_TYPE_FLOAT16, {4});
         b.Node("DEQUANTIZE", "again", {"f"}, {"g"});
         b.Shape("g", v1::DATA_TYPE_FLOAT32, {4});
         b.Output("g");
       },
       ""},
      {"TfliteQuantizedTruths", ThereAndBack, [](GraphBuilder& b) { SetType(b, "x", v1::DATA_TYPE_BOOL); }, "FI019",
       "quantize", "x"},
      {"TfliteQuantizedToFloats", ThereAndBack,
       [](GraphBuilder& b) {
         SetType(b, "q", v1::DATA_TYPE_FLOAT32);
         b.Value("q").set_spec(0);
       },
       "FI019", "quantize", "q"},
      {"TfliteProductOfInt16", [] { return Product(v1::DATA_TYPE_INT16); }, [](GraphBuilder&) {}, ""},
      {"TfliteProductOfInt16AndUnsigned", [] { return Product(v1::DATA_TYPE_INT16); },
       [](GraphBuilder& b) { SetType(b, "w", v1::DATA_TYPE_UINT8); }, "FI019", "product", "w"},
      {"TfliteProductOfInt8AndInt16", [] { return Product(v1::DATA_TYPE_INT8); },
       [](GraphBuilder& b) { SetType(b, "w", v1::DATA_TYPE_INT16); }, "FI019", "product", "w"},
      {"TfliteDenseOfInt16", [] { return Dense(v1::DATA_TYPE_INT16, true); }, [](GraphBuilder&) {}, ""},
      {"TfliteDenseOfInt16WithoutOptions", [] { return Dense(v1::DATA_TYPE_INT16, false); }, [](GraphBuilder&) {},
       "GS013", "dense"},
      {"TfliteDenseOfInt8WithoutOptions", [] { return Dense(v1::DATA_TYPE_INT8, false); }, [](GraphBuilder&) {}, ""},
      {"TfliteBlocksOfPixels",
       [] {
         return InBlocks({2, 3});
       },
       [](GraphBuilder&) {}, ""},
      {"TfliteBlocksOfPixelsLeft",
       [] {
         return InBlocks({2, 4});
       },
       [](GraphBuilder&) {}, "GS013", "op"},
      {"TfliteBlocksOfNoPixels",
       [] {
         return InBlocks({2, 0});
       },
       [](GraphBuilder&) {}, "GS013", "op"},
      {"TfliteMoreBlocksThanAxes",
       [] {
         return InBlocks({2, 3, 1});
       },
       [](GraphBuilder&) {}, "GS012", "op"},
      // More than a kernel can count is not counted.
      {"TfliteBlocksBeyondCount",
       [] {
         return InBlocks({2, INT64_MAX});
       },
       [](GraphBuilder&) {}, ""},
      {"TfliteSoftmaxToInt16", Int8,
       [](GraphBuilder& b) {
         SetType(b, "p", v1::DATA_TYPE_INT16);
         SetScale(b, "p", 1.0 / 65536);
         SetZeroPoint(b, "p", -32768);
       },
       ""},
      {"TfliteQuantizeChangesType", Int8,
       [](GraphBuilder& b) {
         b.Find("reshape").set_op(b.Symbol("QUANTIZE"));
         SetType(b, "y", v1::DATA_TYPE_INT8);
         SetScale(b, "r", 0.5);
         for (const char* result : {"r", "p"}) {
           const int64_t sizes[] = {1, 6, 6, 2};
           b.Value(result).mutable_dims()->Assign(std::begin(sizes), std::end(sizes));
         }
       },
       ""},
      {"TfliteScaledFloat", Blocks, [](GraphBuilder& b) { Quantize(b, "x", {0.1}); }, "FI020", "", "x", -1, info},

      {"TfliteNothingDefinesIt", Int8, [](GraphBuilder& b) { b.Value("w").clear_constant(); }, "GS002", "conv", "w"},
      {"TfliteVariable", Blocks,
       [](GraphBuilder& b) {
         b.Value("x").set_foreign(true);
         b.graph.clear_inputs();
       },
       ""},
      {"TfliteReadBeforeWritten", Int8, [](GraphBuilder& b) { b.graph.mutable_nodes()->SwapElements(1, 2); }, "GS003",
       "reshape"},
      {"TfliteOtherOptions", Int8,
       [](GraphBuilder& b) {
         Remove(b.Find("conv"));
         Set(b, "conv", "builtin_options").set_s("Pool2DOptions");
       },
       "GS010", "conv"},
      {"TfliteNoWeight", Int8, [](GraphBuilder& b) { b.Find("conv").mutable_inputs()->Truncate(1); }, "GS011", "conv"},
      {"TfliteWeightLeftOut", Int8, [](GraphBuilder& b) { b.Find("conv").set_inputs(1, 0); }, "GS011", "conv"},
      {"TfliteNoBias", Int8, [](GraphBuilder& b) { b.Find("conv").mutable_inputs()->Truncate(2); }, "GS011", "conv"},
      {"TfliteTwoOutputs", Int8,
       [](GraphBuilder& b) {
         b.Shape("more", v1::DATA_TYPE_INT8, {1, 6, 6, 2});
         Quantize(b, "more", {0.1}, 3);
         b.Find("conv").add_outputs(b.Id("more"));
       },
       "GS011", "conv"},
      {"TfliteOutputLeftOut", Pooled, [](GraphBuilder& b) { b.Find("pool").set_outputs(0, 0); }, "GS011", "pool"},
      // Other origins reduce along all axes where none are given.
      {"TfliteMean", Mean, [](GraphBuilder&) {}, ""},
      {"TfliteMeanWithoutAxes", Mean, [](GraphBuilder& b) { b.Find("op").mutable_inputs()->Truncate(1); }, "GS011",
       "op"},
      {"TfliteMeanOfThree", Mean, [](GraphBuilder& b) { b.Find("op").add_inputs(b.Id("axes")); }, "GS011", "op"},
      {"TfliteBasicLstm", BasicLstm, [](GraphBuilder&) {}, ""},
      {"TfliteFullLstmOfFive", BasicLstm, [](GraphBuilder& b) { Remove(b.Find("lstm")); }, "GS011", "lstm"},
      {"TfliteSvdfOfThree", BasicLstm,
       [](GraphBuilder& b) {
         b.Find("lstm").set_op(b.Symbol("SVDF"));
         b.Find("lstm").mutable_inputs()->Truncate(3);
       },
       "GS011", "lstm"},
      {"TfliteConcatenationOfOne", [] { return Concatenation(v1::DATA_TYPE_INT8); },
       [](GraphBuilder& b) {
         b.Find("concat").mutable_inputs()->Truncate(1);
         b.Value("y").set_dims(0, 1);
       },
       "-GS011"},
      {"TfliteDenseOfTwoOutputs", Blocks,
       [](GraphBuilder& b) {
         b.Shape("workspace", v1::DATA_TYPE_FLOAT32, {1, 8});
         b.Find("fc").add_outputs(b.Id("workspace"));
       },
       "GS011", "fc"},
      {"TfliteShuffledDense", Blocks,
       [](GraphBuilder& b) {
         b.Shape("workspace", v1::DATA_TYPE_FLOAT32, {1, 8});
         b.Find("fc").add_outputs(b.Id("workspace"));
         b.Int(b.Find("fc"), "weights_format", 1);
       },
       "-GS011"},
      {"TfliteNoOutputs", Int8, [](GraphBuilder& b) { b.graph.clear_outputs(); }, "GS001"},
      {"TfliteKeptAlone", Kept, [](GraphBuilder&) {}, "-GS001"},
      {"TfliteActivationOfNoName", Int8, [](GraphBuilder& b) { Set(b, "conv", "fused_activation_function").set_i(99); },
       "GS010", "conv"},
      {"TfliteActivation", Int8, [](GraphBuilder& b) { Set(b, "conv", "fused_activation_function").set_s("RELU6"); },
       ""},
      // What a binding does not know as data is asked for, too.
      {"TfliteShapeLeftOut", Int8, [](GraphBuilder& b) { b.Find("reshape").add_inputs(0); }, "GS011", "reshape"},
      {"TfliteRecurrentGateLeftOut", Depthwise,
       [](GraphBuilder& b) {
         v1::Node& lstm = b.Node("LSTM", "lstm", std::vector<std::string>(20, "x"), {"z"});
         lstm.set_inputs(1, 0);
         b.Shape("z", v1::DATA_TYPE_INT8, {1, 8, 8, 3});
         Quantize(b, "z", {0.02}, 3);
         b.Output("z");
       },
       ""},
      {"TfliteBiasTypeOfNoName", Int8, [](GraphBuilder& b) { Set(b, "conv", "quantized_bias_type").set_i(100); },
       "GS010", "conv"},
      {"TfliteConstantVariable", Int8, [](GraphBuilder& b) { b.Value("w").set_foreign(true); }, "FI027", "", "w"},
      {"TfliteConditionIsBody", Loop, [](GraphBuilder& b) { Set(b, "while", "cond_subgraph_index").set_graph(2); },
       "GS013", "while"},
      {"TfliteConditionOfNoOutput", Loop, [](GraphBuilder& b) { b.graph.mutable_subgraphs(0)->clear_outputs(); },
       "GS013", "while"},
      {"TfliteBodyOfNoInput", Loop,
       [](GraphBuilder& b) {
         b.graph.mutable_subgraphs(1)->clear_inputs();
         b.graph.mutable_subgraphs(1)->mutable_values(0)->mutable_constant()->add_reals(1);
       },
       "GS013", "while"},
      {"TfliteBodyOfIntegers", Loop,
       [](GraphBuilder& b) { b.graph.mutable_subgraphs(1)->mutable_values(0)->set_dtype(v1::DATA_TYPE_INT32); },
       "GS012", "while", "x"},
      {"TfliteBranchOfAnotherScale", Branches, [](GraphBuilder& b) { BodyNumbers(b, 1).set_scales(0, 0.2); }, "GS012",
       "if", "x"},
      {"TfliteBranchOfAScaleRoundedOtherwise", Branches,
       [](GraphBuilder& b) {
         v1::QParams& numbers = BodyNumbers(b, 1);
         numbers.set_scales(0, numbers.scales(0) * (1 + 5e-7));
       },
       ""},
      {"TfliteBranchOfAnotherZeroPoint", Branches, [](GraphBuilder& b) { BodyNumbers(b, 0).set_zero_points(0, 0); },
       "GS013", "if"},
      {"TfliteConditionOfIntegers", Branches, [](GraphBuilder& b) { b.Value("c").set_dtype(v1::DATA_TYPE_INT32); },
       "GS012", "if", "c"},
      {"TfliteConditionOfTwo", Branches, [](GraphBuilder& b) { b.Value("c").set_dims(0, 2); }, "GS012", "if", "c"},
      {"TfliteBranchOfNoOutput", Branches, [](GraphBuilder& b) { b.graph.mutable_subgraphs(1)->clear_outputs(); },
       "GS013", "if"},
      {"TfliteBranchIntoTheModel", Branches, [](GraphBuilder& b) { Set(b, "if", "else_subgraph_index").set_i(0); },
       "GS013", "if"},
      {"TfliteLoopIntoTheModel", Loop, [](GraphBuilder& b) { Set(b, "while", "body_subgraph_index").set_i(0); },
       "GS013", "while"},
      {"TfliteBodyThatChangesItsScale", Loop,
       [](GraphBuilder& b) {
         v1::Graph& body = *b.graph.mutable_subgraphs(1);
         for (double scale : {0.1, 0.3}) {
           v1::Spec& spec = *body.add_specs();
           spec.set_kind(v1::Spec::PLAIN);
           spec.set_dtype(v1::DATA_TYPE_INT8);
           spec.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
           spec.mutable_qparams()->add_scales(scale);
           spec.mutable_qparams()->add_zero_points(0);
         }
         body.mutable_values(0)->set_dtype(v1::DATA_TYPE_INT8);
         body.mutable_values(0)->set_spec(1);
         v1::Value& written = *body.add_values();
         written = body.values(0);
         written.set_name("written");
         written.set_spec(2);
         body.set_outputs(0, body.values_size());
       },
       "GS013", "while"},
      {"TfliteConditionOfFloat", Loop,
       [](GraphBuilder& b) { b.graph.mutable_subgraphs(0)->set_outputs(0, b.graph.subgraphs(0).inputs(0)); }, "GS013",
       "while"},
      {"TfliteConditionOfTwoBools", Loop,
       [](GraphBuilder& b) { b.graph.mutable_subgraphs(0)->mutable_values(1)->set_dims(0, 2); }, "GS013", "while"},
      {"TfliteConditionOfAScalar", Loop,
       [](GraphBuilder& b) {
         v1::Graph& condition = *b.graph.mutable_subgraphs(0);
         condition.clear_nodes();
         condition.mutable_values(1)->clear_dims();
         condition.mutable_values(1)->mutable_constant()->add_ints(0);
         condition.mutable_values(1)->mutable_constant()->set_stored_bytes(1);
       },
       ""},
      {"TfliteBodyThatGivesIntegers", Loop,
       [](GraphBuilder& b) {
         v1::Graph& body = *b.graph.mutable_subgraphs(1);
         v1::Value& counted = *body.add_values();
         counted.set_name("counted");
         counted.set_dtype(v1::DATA_TYPE_INT32);
         counted.mutable_constant()->add_ints(1);
         counted.mutable_constant()->set_stored_bytes(4);
         body.set_outputs(0, body.values_size());
       },
       "GS013", "while"},
      {"TfliteBranchThatGivesFloats", Branches,
       [](GraphBuilder& b) {
         v1::Graph& branch = *b.graph.mutable_subgraphs(1);
         v1::Value& real = *branch.add_values();
         real.set_name("real");
         real.set_dtype(v1::DATA_TYPE_FLOAT32);
         real.mutable_constant()->add_reals(1);
         real.mutable_constant()->set_stored_bytes(4);
         branch.set_outputs(0, branch.values_size());
       },
       "GS013", "if"},
      {"TfliteInnerBranchOfAnotherType", NestedBranches,
       [](GraphBuilder& b) {
         b.graph.mutable_subgraphs(2)->mutable_values(0)->set_dtype(v1::DATA_TYPE_INT16);
         b.graph.mutable_subgraphs(2)->mutable_specs(0)->set_dtype(v1::DATA_TYPE_INT16);
       },
       "GS012", "inner", "i"},
      {"TfliteInnerBranchOfNoOutput", NestedBranches,
       [](GraphBuilder& b) { b.graph.mutable_subgraphs(2)->clear_outputs(); }, "GS013", "inner"},
      {"TfliteBranchIntoItself", NestedBranches, [](GraphBuilder& b) { InnerBranch(b, 0).set_i(1); }, "GS013", "if"},
      {"TfliteInnerBranchIntoAnother", NestedBranches, [](GraphBuilder& b) { InnerBranch(b, 0).set_i(2); }, ""},
      {"TfliteLargestOfAnotherType", Largest, [](GraphBuilder& b) { SetType(b, "y", v1::DATA_TYPE_INT32); }, "GS013",
       "op"},
      {"TfliteCountedInAnotherType", Counted, [](GraphBuilder& b) { SetType(b, "y", v1::DATA_TYPE_INT32); }, "GS013",
       "op"},
      {"TfliteGatheredBeyond", GatheredNd, [](GraphBuilder& b) { b.Value("k").mutable_constant()->set_ints(1, 3); },
       "GS013", "op"},
      {"TfliteGatheredBefore", GatheredNd, [](GraphBuilder& b) { b.Value("k").mutable_constant()->set_ints(1, -1); },
       "GS013", "op"},
      {"TfliteGatheredByMoreIndices", GatheredNd,
       [](GraphBuilder& b) {
         b.Value("k").set_dims(0, 4);
         b.Value("k").mutable_constant()->add_ints(0);
         b.Value("k").mutable_constant()->set_stored_bytes(16);
       },
       "GS012", "op", "k"},
      // Along the first axis alone it would be beyond.
      {"TfliteGatheredSomewhere", GatheredNd, [](GraphBuilder& b) { SetPlaces(b, 2, 0, 2); }, ""},
      {"TfliteGatheredNowhere", GatheredNd, [](GraphBuilder& b) { SetPlaces(b, 2, 0, 3); }, "GS013", "op"},
      {"TfliteMirrored", Mirrored, [](GraphBuilder&) {}, ""},
      {"TfliteMirroredTooFar", Mirrored, [](GraphBuilder& b) { b.Value("k").mutable_constant()->set_ints(3, 3); },
       "GS013", "op"},
      {"TfliteMirroredWithTheBorder", Mirrored,
       [](GraphBuilder& b) {
         b.Value("k").mutable_constant()->set_ints(3, 3);
         Set(b, "op", "mode").set_s("SYMMETRIC");
       },
       ""},
      {"TflitePoolOfNoPadding", Pooled, [](GraphBuilder& b) { Set(b, "pool", "padding").set_i(7); }, "GS013", "pool"},
      {"TfliteVolume", Volume, [](GraphBuilder&) {}, ""},
      {"TfliteVolumeOfNoPadding", Volume, [](GraphBuilder& b) { Set(b, "conv", "padding").set_i(7); }, "GS013", "conv"},
      {"TfliteBiasLeftOut", Int8, [](GraphBuilder& b) { b.Find("conv").set_inputs(2, 0); }, "GS011", "conv"},
      {"TfliteLoopOfNothing", Loop, [](GraphBuilder& b) { b.Find("while").set_inputs(0, 0); }, "GS011", "while"},
      {"TfliteBranchOfNothing", Branches, [](GraphBuilder& b) { b.Find("if").set_inputs(1, 0); }, "GS011", "if"},
      {"TfliteBranchByNothing", Branches, [](GraphBuilder& b) { b.Find("if").set_inputs(0, 0); }, "GS011", "if"},
      {"TfliteBiasOfDenseLeftOut", Blocks, [](GraphBuilder& b) { b.Find("fc").add_inputs(0); }, ""},
      {"TfliteConvChannels", Int8,
       [](GraphBuilder& b) {
         b.Value("w").set_dims(3, 2);
         b.Value("w").mutable_constant()->set_stored_bytes(36);
       },
       "GS012", "conv", "w"},
      {"TfliteConvBiasTooLong", Int8,
       [](GraphBuilder& b) {
         b.Value("b").set_dims(0, 3);
         b.Value("b").mutable_constant()->add_ints(0);
         b.Value("b").mutable_constant()->set_stored_bytes(12);
       },
       "GS012", "conv", "b"},
      {"TfliteConvOfOneChannel", Int8, [](GraphBuilder& b) { b.Value("x").set_dims(3, 1); }, "GS012", "conv", "w"},
      // What is 1 may be a size that the caller sets.
      {"TfliteConvOfAnyChannels", Int8,
       [](GraphBuilder& b) {
         b.Value("x").set_dims(3, 1);
         for (int i = 0; i < 4; ++i) b.Value("x").add_dim_symbols(i == 3 ? b.Symbol("resizable") : 0);
       },
       ""},
      // Padding and new shape stated: 8 x 8 becomes 6 x 6, and that 72.
      {"TfliteShapesFollow", Int8,
       [](GraphBuilder& b) {
         Set(b, "conv", "padding").set_s("VALID");
         SetNewShape(b, "reshape", {1, 72});
       },
       ""},
      {"TfliteDeclaredOtherwise", Int8,
       [](GraphBuilder& b) {
         Set(b, "conv", "padding").set_s("SAME");
         SetNewShape(b, "reshape", {1, 128});
         b.Value("r").set_dims(1, 128);
         b.Value("p").set_dims(1, 128);
       },
       "FI015", "conv", "y", -1, warning},
      // The RESHAPE is given what the convolution makes, not what the file declares.
      {"TfliteReshapeOfWhatIsMade", Int8,
       [](GraphBuilder& b) {
         Set(b, "conv", "padding").set_s("SAME");
         b.Value("y").set_dims(1, 1);
         b.Value("y").set_dims(2, 1);
         SetNewShape(b, "reshape", {1, 72});
       },
       "GS012", "reshape"},
      {"TflitePaddingOfNoName", Int8, [](GraphBuilder& b) { Set(b, "conv", "padding").set_i(7); }, "GS013", "conv"},
      {"TflitePaddingByName", Int8, [](GraphBuilder& b) { Set(b, "conv", "padding").set_s("VALID"); }, ""},
      {"TfliteInputThatIsNone", Int8,
       [](GraphBuilder& b) {
         b.AddValue("tensor 99");
         b.graph.add_inputs(b.Id("tensor 99"));
       },
       "GS002", "", "tensor 99"},
      {"TfliteOutputThatIsNone", Int8,
       [](GraphBuilder& b) {
         b.AddValue("tensor 99");
         b.Find("conv").add_outputs(b.Id("tensor 99"));
       },
       "GS002", "conv", "tensor 99"},
      {"TfliteStride0", Int8, [](GraphBuilder& b) { Set(b, "conv", "stride_h").set_i(0); }, "GS013", "conv"},
      {"TfliteNoOptions", Int8, [](GraphBuilder& b) { Remove(b.Find("conv")); }, "GS013", "conv"},

      {"TfliteCustom", Int8, [](GraphBuilder& b) { b.Find("reshape").set_op(b.Symbol("CUSTOM::AcmeMagic")); }, "CV001",
       "reshape"},
      {"TfliteFutureBuiltin", Int8, [](GraphBuilder& b) { b.Find("reshape").set_op(b.Symbol("BUILTIN_5000")); },
       "CV001", "reshape"},
      {"TfliteFlex", Int8, [](GraphBuilder& b) { b.Find("reshape").set_op(b.Symbol("CUSTOM::FlexReshape")); }, "CV002",
       "reshape", "", -1, warning},
      {"TfliteKnownCustom", Int8,
       [](GraphBuilder& b) { b.Find("reshape").set_op(b.Symbol("CUSTOM::TFLite_Detection_PostProcess")); }, ""},

      {"TfliteScalesOfActivation", Int8,
       [](GraphBuilder& b) {
         b.Value("x").set_dims(0, 2);
         Quantize(b, "x", {0.02, 0.03}, 3, 0);
       },
       "AX008", "", "x"},
      {"TfliteAxisNegative", Int8, [](GraphBuilder& b) { SpecOf(b, "w").mutable_qparams()->set_axes(0, -1); }, "AX002",
       "conv", "w"},
      {"TfliteDepthwiseAxis", Depthwise, [](GraphBuilder& b) { SpecOf(b, "w").mutable_qparams()->set_axes(0, 1); },
       "AX009", "conv", "w"},
      {"TfliteBlocksOfZeros", Blocks, [](GraphBuilder& b) { SetScale(b, "w", 0); }, "NR001", "fc", "w", 0, warning},
      {"TfliteBlocksNan", Blocks, [](GraphBuilder& b) { SetScale(b, "w", NAN); }, "NR001", "fc", "w", 0},

      {"TfliteBiasInt16", Int8, [](GraphBuilder& b) { SetType(b, "b", v1::DATA_TYPE_INT16); }, "DT004", "conv", "b"},
      {"TfliteBiasInt32Beside16", Int16, [](GraphBuilder& b) { SetType(b, "b", v1::DATA_TYPE_INT32); }, "DT004", "conv",
       "b", -1, warning},
      {"TfliteBiasInt32Stated", Int16,
       [](GraphBuilder& b) {
         SetType(b, "b", v1::DATA_TYPE_INT32);
         Set(b, "conv", "quantized_bias_type").set_dtype(v1::DATA_TYPE_INT32);
       },
       ""},

      {"TfliteWeightMinus128", Int8,
       [](GraphBuilder& b) {
         v1::Statistics& statistics = *b.Value("w").mutable_constant()->mutable_statistics();
         statistics.set_min(-128);
         statistics.set_min_index(7);
       },
       "NR005", "conv", "w", 7, info},
      {"TfliteWeightMinus127", Int8,
       [](GraphBuilder& b) { b.Value("w").mutable_constant()->mutable_statistics()->set_min(-127); }, ""},
      {"TfliteWeightShifted", Int8, [](GraphBuilder& b) { SetZeroPoint(b, "w", 5); }, "QS002", "conv", "w", 0},
      {"TfliteInt16Shifted", Int16, [](GraphBuilder& b) { SetZeroPoint(b, "x", 12); }, "QS002", "", "x"},

      {"TfliteReshapeRescales", Int8, [](GraphBuilder& b) { SetScale(b, "r", 0.2); }, "SH007", "reshape", "r"},
      {"TfliteReshapeShifts", Int8, [](GraphBuilder& b) { SetZeroPoint(b, "r", 4); }, "SH007", "reshape", "r"},
      {"TfliteConcatenationInt16", [] { return Concatenation(v1::DATA_TYPE_INT16); },
       [](GraphBuilder& b) { SetScale(b, "z", 0.2); }, "SH007", "concat", "z"},
      {"TfliteConcatenationUint8", [] { return Concatenation(v1::DATA_TYPE_UINT8); },
       [](GraphBuilder& b) { SetScale(b, "z", 0.2); }, ""},

      {"TfliteSoftmaxScale", Int8, [](GraphBuilder& b) { SetScale(b, "p", 0.01); }, "FX007", "softmax", "p"},
      {"TfliteSoftmaxZeroPoint", Int16, [](GraphBuilder& b) { SetScale(b, "p", 1.0 / 256); }, "FX007", "softmax", "p"},
      {"TfliteBiasScale", Int16, [](GraphBuilder& b) { SetScale(b, "b", 3e-4); }, "FX001", "conv", "b", 0},
      {"TfliteBiasZeroPoint", Int16, [](GraphBuilder& b) { SetZeroPoint(b, "b", 3); }, "FX002", "conv", "b", 0},
      {"TfliteZeroBiasOfOne", Int8,
       [](GraphBuilder& b) {
         for (int i : {0, 1}) b.Value("b").mutable_constant()->set_ints(i, 0);
         SetScale(b, "b", 3e-4);
       },
       "FX001", "conv", "b", 0},
      {"TfliteZeroBiasOfTwo", Int8,
       [](GraphBuilder& b) {
         for (int i : {0, 1}) b.Value("b").mutable_constant()->set_ints(i, 0);
         SetScale(b, "b", 3e-4);
         v1::Node twin = b.Find("conv");
         twin.set_name("twin");
         twin.set_outputs(0, b.Id("y2"));
         *b.graph.add_nodes() = twin;
         b.Shape("y2", v1::DATA_TYPE_INT8, {1, 6, 6, 2});
         Quantize(b, "y2", {0.1}, 3);
         b.Output("y2");
       },
       "FX001", "conv", "b", 0, info},
      {"TfliteBiasOf64BitsAt32", Int16,
       [](GraphBuilder& b) { b.Value("b").mutable_constant()->set_ints(0, INT32_MAX); }, "FX003", "conv", "b", 0,
       warning},
      {"TfliteBiasOf64BitsBeyond32", Int16,
       [](GraphBuilder& b) { b.Value("b").mutable_constant()->set_ints(0, int64_t{INT32_MAX} + 1000); }, ""},
  };
}

}  // namespace quantgate::testing
