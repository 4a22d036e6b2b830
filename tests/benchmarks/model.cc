#include "tests/benchmarks/model.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace quantgate::benchmarks {
namespace {

constexpr int kChannels = 64;
constexpr int kSide = 28;
const std::vector<int64_t> kActivation = {1, kChannels, kSide, kSide};

// What both forms of the model have in common. Ids are those of the message, from 1.
class Writer {
 public:
  explicit Writer(v1::Graph& graph) : graph_(graph) {}

  int Symbol(const std::string& text) {
    int& id = symbols_[text];
    if (id == 0) {
      graph_.add_symbols(text);
      id = graph_.symbols_size();
    }
    return id;
  }

  v1::Value& Value(std::string name, v1::DataType type, const std::vector<int64_t>& dims) {
    v1::Value& value = *graph_.add_values();
    value.set_name(std::move(name));
    value.set_dtype(type);
    value.set_has_shape(true);
    value.mutable_dims()->Add(dims.begin(), dims.end());
    return value;
  }
  int last_value() const { return graph_.values_size(); }

  // Filters stay on the client; their shape and statistics are sent.
  int Weight(const std::string& name, v1::DataType type, const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (int64_t dim : dims) count *= dim;
    v1::Constant& constant = *Value(name, type, dims).mutable_constant();
    constant.set_stored_bytes(count * (type == v1::DATA_TYPE_FLOAT32 ? 4 : 1));
    v1::Statistics& statistics = *constant.mutable_statistics();
    const bool real = type == v1::DATA_TYPE_FLOAT32;
    statistics.set_min(real ? -0.51 : -127);
    statistics.set_max(real ? 0.49 : 126);
    statistics.set_min_index(count / 3);
    statistics.set_max_index(count / 2);
    statistics.set_count(count);
    statistics.set_zero_count(count / 100);
    statistics.set_axis(0);
    for (int64_t i = 0; i < dims[0]; ++i) {
      statistics.add_axis_min(statistics.min() + 0.001 * static_cast<double>(i));
      statistics.add_axis_max(statistics.max() - 0.001 * static_cast<double>(i));
    }
    return last_value();
  }

  int Bias(const std::string& name, v1::DataType type, int64_t count) {
    v1::Constant& constant = *Value(name, type, {count}).mutable_constant();
    constant.set_stored_bytes(4 * count);
    for (int64_t i = 0; i < count; ++i) {
      if (type == v1::DATA_TYPE_FLOAT32) {
        constant.add_reals(0.01 * static_cast<double>(i));
      } else {
        constant.add_ints(37 * i - 500);
      }
    }
    return last_value();
  }

  v1::Node& Node(const std::string& op, std::string name, const std::vector<int>& inputs) {
    v1::Node& node = *graph_.add_nodes();
    node.set_op(Symbol(op));
    node.set_name(std::move(name));
    node.mutable_inputs()->Add(inputs.begin(), inputs.end());
    return node;
  }

  v1::Attribute& Attribute(v1::Node& node, const std::string& name) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol(name));
    return attribute;
  }
  void Int(v1::Node& node, const std::string& name, int64_t number) { Attribute(node, name).set_i(number); }
  void Ints(v1::Node& node, const std::string& name, std::initializer_list<int64_t> numbers) {
    Attribute(node, name).mutable_ints()->mutable_values()->Add(numbers.begin(), numbers.end());
  }

  v1::Graph& graph() { return graph_; }

 private:
  v1::Graph& graph_;
  std::map<std::string, int> symbols_;
};

// The layers of one block. A form of the model says how each is written; all take and return value ids.
struct Layers {
  std::function<int(int input, int64_t groups)> convolution;
  std::function<int(const char* op, const std::vector<int>& inputs)> plain;  // "relu", "add", "mul"
  std::function<int(const std::vector<int>& inputs)> concatenation;          // of 32 channels each, to twice of them
};

// Until there are `nodes` of them; ends within a block.
int WriteNetwork(const v1::Graph& graph, int nodes, const Layers& layers, int input) {
  int x = input;
  const auto full = [&] { return graph.nodes_size() >= nodes; };
  while (!full()) {
    const int skip = x;
    x = layers.convolution(x, 1);
    if (!full()) x = layers.plain("relu", {x});
    if (!full()) x = layers.convolution(x, kChannels);
    if (!full()) x = layers.convolution(x, 1);
    if (!full()) x = layers.plain("add", {x, skip});
    const int left = x;
    if (!full()) x = layers.convolution(x, 1);
    if (!full()) x = layers.plain("mul", {x, left});
    if (!full()) x = layers.concatenation({x, left, skip});
    if (!full()) x = layers.convolution(x, 1);
    if (!full()) x = layers.plain("relu", {x});
  }
  return x;
}

std::vector<int64_t> FilterShape(int64_t inputs, int64_t groups) {
  return groups == 1 ? std::vector<int64_t>{kChannels, inputs, 1, 1} : std::vector<int64_t>{kChannels, 1, 3, 3};
}

void SetOptions(v1::ValidateRequest& request) { request.mutable_options()->add_targets(kTarget); }

// ---- PT2E ----

class Annotator {
 public:
  explicit Annotator(v1::Graph& graph) : writer_(graph) {
    graph.set_name("main");
    graph.set_origin(v1::Graph::PT2E);
    graph.set_stage(v1::STAGE_ANNOTATED);
    graph.set_producer("pytorch 2.13.0");
    v1::Spec& activation = NewSpec(v1::Spec::PLAIN, v1::DATA_TYPE_UINT8, 0, 255);
    activation.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
    activation.set_observer(writer_.Symbol("HistogramObserver"));
    activation_ = graph.specs_size();
    v1::Spec& weight = NewSpec(v1::Spec::PLAIN, v1::DATA_TYPE_INT8, -127, 127);
    weight.set_qscheme(v1::Spec::PER_CHANNEL_SYMMETRIC);
    weight.set_axis(0);
    weight.set_observer(writer_.Symbol("PerChannelMinMaxObserver"));
    weight_ = graph.specs_size();
    file_ = writer_.Symbol("/home/user/model/blocks.py");
    scope_ = writer_.Symbol("L['self'].features.block");
  }

  void Write(int nodes) {
    v1::Graph& graph = writer_.graph();
    writer_.Value("x", v1::DATA_TYPE_FLOAT32, kActivation);
    graph.add_inputs(1);
    const Layers layers = {
        [this](int input, int64_t groups) { return Convolution(input, groups); },
        [this](const char* op, const std::vector<int>& inputs) { return Plain(op, inputs); },
        [this](const std::vector<int>& inputs) { return Concatenation(inputs); },
    };
    graph.add_outputs(WriteNetwork(graph, nodes, layers, 1));
  }

 private:
  v1::Spec& NewSpec(v1::Spec::Kind kind, v1::DataType type, int64_t min, int64_t max) {
    v1::Spec& spec = *writer_.graph().add_specs();
    spec.set_kind(kind);
    if (type == v1::DATA_TYPE_UNSPECIFIED) return spec;
    spec.set_dtype(type);
    spec.set_quant_min(min);
    spec.set_quant_max(max);
    return spec;
  }

  // Marks the node, adds its output and returns that value's id.
  int Finish(v1::Node& node, int output_spec, int channels = kChannels) {
    node.set_annotated(true);
    v1::SourceLine& line = *node.mutable_source_line();
    line.set_file(file_);
    line.set_line(100 + writer_.graph().nodes_size() % 400);
    line.set_scope(scope_);
    v1::Value& value = writer_.Value(node.name(), v1::DATA_TYPE_FLOAT32, {1, channels, kSide, kSide});
    value.set_spec(output_spec);
    node.add_outputs(writer_.last_value());
    return writer_.last_value();
  }

  std::string Name(const char* op) { return absl::StrCat(op, "_", writer_.graph().nodes_size()); }
  int64_t ChannelsOf(int value) { return writer_.graph().values(value - 1).dims(1); }

  int Convolution(int input, int64_t groups) {
    const std::string name = Name("conv2d");
    const int weight = writer_.Weight(absl::StrCat("features.", name, ".weight"), v1::DATA_TYPE_FLOAT32,
                                      FilterShape(ChannelsOf(input), groups));
    const int bias = writer_.Bias(absl::StrCat("features.", name, ".bias"), v1::DATA_TYPE_FLOAT32, kChannels);
    v1::Node& node = writer_.Node("aten.conv2d.default", name, {input, weight, bias});
    const int id = writer_.graph().nodes_size();
    v1::Spec& derived = NewSpec(v1::Spec::DERIVED, v1::DATA_TYPE_INT32, INT32_MIN, INT32_MAX);
    derived.set_qscheme(v1::Spec::PER_CHANNEL_SYMMETRIC);
    derived.set_axis(0);
    for (int value : {input, weight}) {
      v1::EdgeRef& edge = *derived.add_derived_from();
      edge.set_value(value);
      edge.set_consumer(id);
    }
    for (int spec : {activation_, weight_, writer_.graph().specs_size()}) node.add_input_specs(spec);
    const int64_t padding = groups == 1 ? 0 : 1;
    writer_.Ints(node, "stride", {1, 1});
    writer_.Ints(node, "padding", {padding, padding});
    writer_.Ints(node, "dilation", {1, 1});
    writer_.Int(node, "groups", groups);
    return Finish(node, activation_);
  }

  int Plain(const std::string& op, const std::vector<int>& inputs) {
    const std::string overload = op == "relu" ? "default" : "Tensor";
    v1::Node& node = writer_.Node(absl::StrCat("aten.", op, ".", overload), Name(op.c_str()), inputs);
    for (size_t i = 0; i < inputs.size(); ++i) node.add_input_specs(activation_);
    return Finish(node, activation_);
  }

  // All operands share the parameters of the first.
  int Concatenation(const std::vector<int>& inputs) {
    v1::Node& node = writer_.Node("aten.cat.default", Name("cat"), inputs);
    const int id = writer_.graph().nodes_size();
    v1::EdgeRef& edge = *NewSpec(v1::Spec::SHARED, v1::DATA_TYPE_UNSPECIFIED, 0, 0).mutable_shared_with();
    edge.set_value(inputs[0]);
    edge.set_consumer(id);
    const int shared = writer_.graph().specs_size();
    int64_t channels = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      node.add_input_specs(i == 0 ? activation_ : shared);
      node.add_input_args(0);
      channels += ChannelsOf(inputs[i]);
    }
    writer_.Int(node, "dim", 1);
    return Finish(node, shared, static_cast<int>(channels));
  }

  Writer writer_;
  int activation_ = 0;
  int weight_ = 0;
  int file_ = 0;
  int scope_ = 0;
};

// ---- ONNX with Q/DQ ----

class QdqWriter {
 public:
  explicit QdqWriter(v1::Graph& graph) : writer_(graph) {
    graph.set_name("main_graph");
    graph.set_origin(v1::Graph::ONNX);
    graph.set_stage(v1::STAGE_CONVERTED);
    graph.set_producer("pytorch 2.13.0");
    graph.set_format_version(10);
    graph.add_opset_imports()->set_version(21);
  }

  void Write(int nodes) {
    v1::Graph& graph = writer_.graph();
    writer_.Value("x", v1::DATA_TYPE_FLOAT32, kActivation);
    graph.add_inputs(1);
    const Layers layers = {
        [this](int input, int64_t groups) { return Convolution(input, groups); },
        [this](const char* op, const std::vector<int>& inputs) { return Plain(op, inputs); },
        [this](const std::vector<int>& inputs) { return Concatenation(inputs); },
    };
    graph.add_outputs(WriteNetwork(graph, nodes, layers, Pair(1, "x")));
  }

 private:
  std::string Name(const char* op) { return absl::StrCat("/features/", op, "_", writer_.graph().nodes_size()); }
  int64_t ChannelsOf(int value) { return writer_.graph().values(value - 1).dims(1); }

  int Scales(const std::string& name, double scale, int64_t count) {
    v1::Constant& constant = *writer_.Value(name, v1::DATA_TYPE_FLOAT32, Shape(count)).mutable_constant();
    for (int64_t i = 0; i < count; ++i) constant.add_reals(scale);
    constant.set_stored_bytes(4 * count);
    return writer_.last_value();
  }
  int ZeroPoints(const std::string& name, v1::DataType type, int64_t zero_point, int64_t count) {
    v1::Constant& constant = *writer_.Value(name, type, Shape(count)).mutable_constant();
    for (int64_t i = 0; i < count; ++i) constant.add_ints(zero_point);
    constant.set_stored_bytes((type == v1::DATA_TYPE_INT32 ? 4 : 1) * count);
    return writer_.last_value();
  }
  static std::vector<int64_t> Shape(int64_t count) {
    return count == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{count};
  }
  static std::vector<int64_t> ShapeOf(const v1::Value& value) { return {value.dims().begin(), value.dims().end()}; }

  int Output(v1::Node& node, const std::string& name, v1::DataType type, const std::vector<int64_t>& dims) {
    writer_.Value(name, type, dims);
    node.add_outputs(writer_.last_value());
    return writer_.last_value();
  }

  // value -> QuantizeLinear -> DequantizeLinear; returns what the latter writes.
  int Pair(int value, const std::string& name) {
    const std::vector<int64_t> dims = ShapeOf(writer_.graph().values(value - 1));
    const int scale = Scales(name + "_scale", 0.02, 1);
    const int zero_point = ZeroPoints(name + "_zero_point", v1::DATA_TYPE_UINT8, 128, 1);
    v1::Node& quantize = writer_.Node("QuantizeLinear", name + "_QuantizeLinear", {value, scale, zero_point});
    const int stored = Output(quantize, name + "_QuantizeLinear_Output", v1::DATA_TYPE_UINT8, dims);
    v1::Node& dequantize = writer_.Node("DequantizeLinear", name + "_DequantizeLinear", {stored, scale, zero_point});
    return Output(dequantize, name + "_DequantizeLinear_Output", v1::DATA_TYPE_FLOAT32, dims);
  }

  int Dequantized(int constant, const std::string& name, v1::DataType type, double scale) {
    const std::vector<int64_t> dims = ShapeOf(writer_.graph().values(constant - 1));
    const int scales = Scales(name + "_scale", scale, kChannels);
    const int zero_points = ZeroPoints(name + "_zero_point", type, 0, kChannels);
    v1::Node& node = writer_.Node("DequantizeLinear", name + "_DequantizeLinear", {constant, scales, zero_points});
    writer_.Int(node, "axis", 0);
    return Output(node, name + "_DequantizeLinear_Output", v1::DATA_TYPE_FLOAT32, dims);
  }

  int Convolution(int input, int64_t groups) {
    const std::string name = Name("Conv");
    int weight = writer_.Weight(name + ".weight_quantized", v1::DATA_TYPE_INT8, FilterShape(ChannelsOf(input), groups));
    weight = Dequantized(weight, name + ".weight", v1::DATA_TYPE_INT8, 0.01);
    int bias = writer_.Bias(name + ".bias_quantized", v1::DATA_TYPE_INT32, kChannels);
    bias = Dequantized(bias, name + ".bias", v1::DATA_TYPE_INT32, 0.02 * 0.01);
    v1::Node& node = writer_.Node("Conv", name, {input, weight, bias});
    const int64_t padding = groups == 1 ? 0 : 1;
    const int64_t kernel = groups == 1 ? 1 : 3;
    writer_.Ints(node, "dilations", {1, 1});
    writer_.Int(node, "group", groups);
    writer_.Ints(node, "kernel_shape", {kernel, kernel});
    writer_.Ints(node, "pads", {padding, padding, padding, padding});
    writer_.Ints(node, "strides", {1, 1});
    return Pair(Output(node, name + "_output_0", v1::DATA_TYPE_FLOAT32, kActivation), name + "_output_0");
  }

  int Plain(const std::string& op, const std::vector<int>& inputs) {
    const char* type = op == "relu" ? "Relu" : op == "add" ? "Add" : "Mul";
    const std::string name = Name(type);
    v1::Node& node = writer_.Node(type, name, inputs);
    return Pair(Output(node, name + "_output_0", v1::DATA_TYPE_FLOAT32, kActivation), name + "_output_0");
  }

  int Concatenation(const std::vector<int>& inputs) {
    const std::string name = Name("Concat");
    v1::Node& node = writer_.Node("Concat", name, inputs);
    writer_.Int(node, "axis", 1);
    int64_t channels = 0;
    for (int input : inputs) channels += ChannelsOf(input);
    return Pair(Output(node, name + "_output_0", v1::DATA_TYPE_FLOAT32, {1, channels, kSide, kSide}),
                name + "_output_0");
  }

  Writer writer_;
};

}  // namespace

v1::ValidateRequest AnnotatedModel(int nodes) {
  v1::ValidateRequest request;
  SetOptions(request);
  Annotator(*request.mutable_graph()).Write(nodes);
  return request;
}

v1::ValidateRequest QdqModel(int nodes) {
  v1::ValidateRequest request;
  SetOptions(request);
  QdqWriter(*request.mutable_graph()).Write(nodes);
  return request;
}

}  // namespace quantgate::benchmarks
