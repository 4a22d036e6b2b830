// Rules about what a quantizer wrote into a PT2E graph.
#include <limits>

#include "tests/rules/soundness/case.h"

namespace quantgate::testing {
namespace {

// Makes the spec that the edge or value is to carry, and returns its id.
int AddSpec(GraphBuilder& b, v1::DataType type, v1::Spec::QScheme scheme) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type);
  spec.set_qscheme(scheme);
  return b.graph.specs_size();
}

// The weight of Conv gets numbers of that type from that observer.
v1::Spec& Observed(GraphBuilder& b, v1::DataType type, const std::string& observer) {
  v1::Spec& spec = *b.graph.mutable_specs(1);
  spec.set_dtype(type);
  spec.set_observer(b.Symbol(observer));
  return spec;
}

// And in that scheme.
std::function<void(GraphBuilder&)> Observes(const std::string& observer, v1::Spec::QScheme scheme) {
  return [=](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_INT8, observer).set_qscheme(scheme); };
}

constexpr char kFused[] = "FusedMovingAvgObsFakeQuantize(MovingAveragePerChannelMinMaxObserver)";

// Along that axis.
std::function<void(GraphBuilder&)> ChannelsAlong(int axis, const std::string& observer) {
  return [=](GraphBuilder& b) {
    v1::Spec& spec = Observed(b, v1::DATA_TYPE_INT8, observer);
    spec.set_qscheme(v1::Spec::PER_CHANNEL_SYMMETRIC);
    spec.set_axis(axis);
  };
}

// In that range.
std::function<void(GraphBuilder&)> Ranges(const std::string& observer, int64_t min, int64_t max) {
  return [=](GraphBuilder& b) {
    v1::Spec& spec = Observed(b, v1::DATA_TYPE_INT8, observer);
    spec.set_quant_min(min);
    spec.set_quant_max(max);
  };
}

// And at run time.
std::function<void(GraphBuilder&)> Dynamic(const std::string& observer, v1::DataType type = v1::DATA_TYPE_INT8,
                                           v1::Spec::QScheme scheme = v1::Spec::PER_TENSOR_AFFINE) {
  return [=](GraphBuilder& b) {
    v1::Spec& spec = Observed(b, type, observer);
    spec.set_qscheme(scheme);
    spec.set_is_dynamic(true);
  };
}

v1::Spec& Fixed(GraphBuilder& b) {
  v1::Spec& spec = *b.graph.mutable_specs(1);
  spec.set_kind(v1::Spec::FIXED);
  spec.set_dtype(v1::DATA_TYPE_INT8);
  spec.set_quant_min(-127);
  spec.set_quant_max(127);
  return spec;
}

// Symmetric int32 in 0..65535, for which observers choose zero point 0.
int AddUnevenSpec(GraphBuilder& b) {
  const int id = AddSpec(b, v1::DATA_TYPE_INT32, v1::Spec::PER_TENSOR_SYMMETRIC);
  b.graph.mutable_specs(id - 1)->set_quant_min(0);
  b.graph.mutable_specs(id - 1)->set_quant_max(65535);
  return id;
}

// A spec that is like that of the input, without numbers.
int UnscaledSpec(GraphBuilder& b) {
  *b.graph.add_specs() = b.graph.specs(0);
  b.graph.mutable_specs(b.graph.specs_size() - 1)->clear_qparams();
  return b.graph.specs_size();
}

// torch.fx's output node behind relu, annotated: `edge` on what it returns (0: nothing), and a spec without numbers of
// its own.
void AddOutputNode(GraphBuilder& b, int edge) {
  const int spec = UnscaledSpec(b);
  b.Node("output", "output", {"relu"}, {"output"}).add_input_specs(edge);
  b.Value("output").set_spec(spec);
}

// conv(x, w, b), spec 1 on x and the output, 2 on w, 3 (derived) on b; then relu.
GraphBuilder Conv() {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 32, 8, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {16, 32, 1, 1}, -1);
  b.Weight("b", v1::DATA_TYPE_FLOAT32, {16}, -1);
  v1::Node& conv = b.Node("aten.conv2d.default", "conv", {"x", "w", "b"}, {"conv"});
  b.Shape("conv", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Node("aten.relu.default", "relu", {"conv"}, {"relu"});
  b.Shape("relu", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("relu");
  AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE);
  const int weight = AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_CHANNEL_SYMMETRIC);
  b.graph.mutable_specs(weight - 1)->set_axis(0);
  const int bias = AddSpec(b, v1::DATA_TYPE_INT32, v1::Spec::PER_CHANNEL_SYMMETRIC);
  b.graph.mutable_specs(bias - 1)->set_axis(0);
  b.graph.mutable_specs(bias - 1)->set_kind(v1::Spec::DERIVED);
  b.graph.mutable_specs(bias - 1)->set_quant_min(std::numeric_limits<int32_t>::min());
  b.graph.mutable_specs(bias - 1)->set_quant_max(std::numeric_limits<int32_t>::max());
  for (const char* source : {"x", "w"}) {
    v1::EdgeRef& edge = *b.graph.mutable_specs(bias - 1)->add_derived_from();
    edge.set_value(b.Id(source));
    edge.set_consumer(1);
  }
  for (int spec : {1, weight, bias}) conv.add_input_specs(spec);
  b.Value("conv").set_spec(1);
  return b;
}

// The same calibrated: scales of x and w, and biases in full.
GraphBuilder CalibratedConv(double input_scale, double bias) {
  GraphBuilder b = Conv();
  b.graph.set_stage(v1::STAGE_CALIBRATED);
  v1::QParams& input = *b.graph.mutable_specs(0)->mutable_qparams();
  input.add_scales(input_scale);
  input.add_zero_points(0);
  for (int spec : {1, 2}) {
    v1::QParams& params = *b.graph.mutable_specs(spec)->mutable_qparams();
    for (int i = 0; i < 16; ++i) {
      params.add_scales(spec == 1 ? 1e-4 : 1e-4 * input_scale);
      params.add_zero_points(0);
    }
    params.add_axes(0);
  }
  for (int i = 0; i < 16; ++i) b.Value("b").mutable_constant()->add_reals(i == 5 ? bias : 0.01);
  return b;
}

GraphBuilder SmallBias() { return CalibratedConv(1e-2, 0.5); }
GraphBuilder LargeBias() { return CalibratedConv(1e-6, 0.5); }
// Of 2^31 steps, as a tool makes the scale, or a little more.
GraphBuilder FittedBias(double more) { return CalibratedConv(0.5 / 2147483648.0 / 1e-4 / more, 0.5); }

void Blocks(GraphBuilder& b, const std::vector<int64_t>& sizes) {
  b.graph.mutable_specs(1)->mutable_block_size()->Assign(sizes.begin(), sizes.end());
}

void Asked(GraphBuilder& b, const std::vector<int64_t>& sizes) {
  b.Find("conv").mutable_asked_block_size()->Assign(sizes.begin(), sizes.end());
}

// The convolution's result and the edge that reads it are one group: specs per channel that leave the axis out.
GraphBuilder SharedAxis(const char* first, const char* second) {
  GraphBuilder b = Conv();
  std::vector<int> ids;
  for (const char* observer : {first, second}) {
    ids.push_back(AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_CHANNEL_SYMMETRIC));
    b.graph.mutable_specs(ids.back() - 1)->set_observer(b.Symbol(observer));
  }
  b.Value("conv").set_spec(ids[0]);
  b.Find("relu").add_input_specs(ids[1]);
  b.Find("relu").set_annotated(true);
  return b;
}

// A transposed convolution of two groups with 32 output channels in all, per channel along axis 1.
void Transpose(GraphBuilder& b) {
  b.Find("conv").set_op(b.Symbol("aten.conv_transpose2d.input"));
  b.Int(b.Find("conv"), "groups", 2);
  b.Shape("w", v1::DATA_TYPE_FLOAT32, {32, 16, 1, 1});
  b.Shape("b", v1::DATA_TYPE_FLOAT32, {32});
  b.Shape("conv", v1::DATA_TYPE_FLOAT32, {1, 32, 8, 8});
  b.Shape("relu", v1::DATA_TYPE_FLOAT32, {1, 32, 8, 8});
  b.graph.mutable_specs(1)->set_axis(1);
}

// So many of the elements of a constant.
void AddNaN(GraphBuilder& b, const char* constant, int64_t count) {
  v1::Statistics& statistics = *b.Value(constant).mutable_constant()->mutable_statistics();
  statistics.set_count(16);
  statistics.set_nan_count(count);
}

// A product of matrices instead, whose right operand has scales along `axis`.
std::function<void(GraphBuilder&)> Multiplies(const char* op, int axis, bool beside_floats = false) {
  return [=](GraphBuilder& b) {
    b.Shape("x", v1::DATA_TYPE_FLOAT32, {4, 32});
    b.Shape("w", v1::DATA_TYPE_FLOAT32, {32, 16});
    v1::Node& node = b.Node(op, "product", {"x", "w"}, {"product"});
    b.Shape("product", v1::DATA_TYPE_FLOAT32, {4, 16});
    b.Output("product");
    b.graph.mutable_specs(1)->set_axis(axis);
    b.Find("conv").clear_input_specs();
    node.add_input_specs(beside_floats ? 0 : 1);
    node.add_input_specs(2);
  };
}

// arange + 1 as index arithmetic, its result an int64.
void AddIndices(GraphBuilder& b, v1::DataType one) {
  b.Node("aten.arange.default", "arange", {}, {"arange"});
  b.Shape("arange", v1::DATA_TYPE_INT64, {8});
  b.Shape("one", one, {}).mutable_constant()->set_stored_bytes(-1);
  b.Node("aten.add.Tensor", "add", {"arange", "one"}, {"add"});
  b.Shape("add", v1::DATA_TYPE_INT64, {8});
  b.Output("add");
}

// `rounding` of counted / counted, of int64, as a part of a remainder; `indexes`: and an embedding of it.
void Remainder(GraphBuilder& b, const std::string& rounding, bool indexes) {
  b.Node("aten.arange.default", "arange", {}, {"counted"});
  b.Node("aten.div.Tensor", "div", {"counted", "counted"}, {"quotient"});
  v1::Node& node = b.Node(rounding, "rounding", {"quotient"}, {"rounded"});
  if (rounding == "aten.type_as.default") node.add_inputs(b.Id("counted"));
  for (const char* value : {"counted", "quotient", "rounded"}) b.Shape(value, v1::DATA_TYPE_INT64, {8});
  b.Output("rounded");
  if (indexes) b.Node("aten.embedding.default", "embedding", {"w", "rounded"}, {"embedding"});
}

std::function<void(GraphBuilder&)> IndexBy(const std::string& rounding) {
  return [=](GraphBuilder& b) { Remainder(b, rounding, true); };
}

// An embedding of (x * 0.5).to(int64), where the product has the spec `written` and the cast reads it with `read`.
void HalfOf(GraphBuilder& b, const std::string& x, int written, int read) {
  b.Node("aten.arange.default", "arange", {}, {"counted"});
  b.Shape("counted", v1::DATA_TYPE_INT64, {8});
  b.Shape("factor", v1::DATA_TYPE_FLOAT32, {}).mutable_constant()->set_stored_bytes(4);
  b.Node("aten.mul.Tensor", "half", {x, "factor"}, {"half"});
  b.Shape("half", v1::DATA_TYPE_FLOAT32, {8}).set_spec(written);
  v1::Node& cast = b.Node("aten.to.dtype", "cast", {"half"}, {"cast"});
  cast.add_input_specs(read);
  b.Shape("cast", v1::DATA_TYPE_INT64, {8});
  b.Node("aten.embedding.default", "embedding", {"w", "cast"}, {"embedding"});
  b.Output("embedding");
}

// A node behind the relu whose output shares with the value `with`.
void AddShared(GraphBuilder& b, const char* op, const char* with) {
  b.Node(op, "shared", {"relu"}, {"shared"});
  b.Shape("shared", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("shared");
  b.Value("relu").set_spec(1);
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::SHARED);
  spec.mutable_shared_with()->set_value(b.Id(with));
  b.Value("shared").set_spec(b.graph.specs_size());
}

// stack(first, second) whose operands and result have one observer.
void AddStack(GraphBuilder& b, const char* first, const char* second, const char* observer) {
  b.graph.mutable_specs(0)->set_observer(b.Symbol(observer));
  v1::Node& stack = b.Node("aten.stack.default", "stack", {first, second}, {"stack"});
  b.Shape("stack", v1::DATA_TYPE_FLOAT32, {2, 1, 16, 8, 8});
  b.Output("stack");
  v1::Spec& shared = *b.graph.add_specs();
  shared.set_kind(v1::Spec::SHARED);
  shared.mutable_shared_with()->set_value(b.Id(first));
  shared.mutable_shared_with()->set_consumer(b.graph.nodes_size());
  for (int spec : {1, b.graph.specs_size()}) {
    stack.add_input_args(0);
    stack.add_input_specs(spec);
  }
  b.Value("stack").set_spec(b.graph.specs_size());
}

// softmax(conv + mask), where the last spec is of the sum. `widest`: of the mask, the number of the largest size.
void AddMaskedSoftmax(GraphBuilder& b, double widest, bool quantized = true) {
  v1::Constant& mask = *b.Value("mask").mutable_constant();
  b.Shape("mask", v1::DATA_TYPE_FLOAT32, {2});
  for (const double number : {0.0, widest}) mask.add_reals(number);
  mask.set_stored_bytes(8);
  b.Node("aten.add.Tensor", "masked", {"conv", "mask"}, {"masked"});
  b.Shape("masked", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  const int spec = AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE);
  if (quantized) b.Value("masked").set_spec(spec);
  b.Node("aten.softmax.int", "softmax", {"masked"}, {"softmax"});
  b.Shape("softmax", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("softmax");
}

// exp(conv + mask - conv), and what exp reads is quantized to uint8.
void AddMaskedExp(GraphBuilder& b, double widest) {
  AddMaskedSoftmax(b, widest, false);
  b.Node("aten.sub.Tensor", "shifted", {"masked", "conv"}, {"shifted"});
  b.Shape("shifted", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Value("shifted").set_spec(AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE));
  b.Node("aten.exp.default", "exp", {"shifted"}, {"exp"});
  b.Shape("exp", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("exp");
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The same, with an observer.
void AddObservedMask(GraphBuilder& b, double widest, const char* observer) {
  AddMaskedSoftmax(b, widest);
  b.graph.mutable_specs(b.graph.specs_size() - 1)->set_observer(b.Symbol(observer));
}

// conv padded.
v1::Node& AddPad(GraphBuilder& b, const char* observer) {
  v1::Node& pad = b.Node("aten.pad.default", "pad", {"conv"}, {"pad"});
  b.Shape("pad", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 10});
  b.Output("pad");
  const int spec = AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE);
  b.graph.mutable_specs(spec - 1)->set_observer(b.Symbol(observer));
  b.Value("pad").set_spec(spec);
  return pad;
}

// permute(relu), which has the numbers of relu.
void AddPermuted(GraphBuilder& b, const char* name) {
  b.Node("aten.permute.default", name, {"relu"}, {name});
  b.Shape(name, v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
}

// relu.select(...).copy_(x), and relu is read again.
void AddAssignment(GraphBuilder& b, int spec_of_relu) {
  b.Node("aten.select.int", "part", {"relu"}, {"part"}).add_input_specs(spec_of_relu);
  b.Shape("part", v1::DATA_TYPE_FLOAT32, {16, 8, 8});
  b.Node("aten.copy_.default", "write", {"part", "x"}, {"write"});
  b.Shape("write", v1::DATA_TYPE_FLOAT32, {16, 8, 8});
  b.Node("aten.neg.default", "again", {"relu"}, {"again"});
  b.Shape("again", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("again");
}

// A cache that index_put_ writes, with a spec of its own that those of the values and of the result share. Calibrated,
// torchao has observed the values and the result, not the cache.
void AddCache(GraphBuilder& b, const char* op = "aten.index_put_.default") {
  b.Weight("cache", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8}, -1);
  b.Weight("at", v1::DATA_TYPE_INT64, {1}, -1);
  v1::Node& put = b.Node(op, "put", {"cache", "at", "relu"}, {"put"});
  b.Shape("put", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("put");
  put.add_input_specs(AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE));
  v1::Spec& shared = *b.graph.add_specs();
  shared.set_kind(v1::Spec::SHARED);
  shared.mutable_shared_with()->set_value(b.Id("cache"));
  shared.mutable_shared_with()->set_consumer(b.graph.nodes_size());
  if (b.graph.stage() == v1::STAGE_CALIBRATED) {
    shared.mutable_qparams()->add_scales(0.5);
    shared.mutable_qparams()->add_zero_points(3);
  }
  put.add_input_specs(0);
  put.add_input_specs(b.graph.specs_size());
  b.Value("put").set_spec(b.graph.specs_size());
}

// topk behind the relu, with an annotated output, and the values taken out of it.
void AddTopK(GraphBuilder& b) {
  v1::Node& topk = b.Node("aten.topk.default", "topk", {"relu"}, {"topk"});
  b.Int(topk, "k", 2);
  b.Int(b.Node("operator.getitem", "getitem", {"topk"}, {"getitem"}), "index", 0);
  b.Shape("getitem", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 2});
  b.Output("getitem");
}

// A view of relu in the size of its first axis, to which specs may be added: one for relu, one for the size.
v1::Node& AddSize(GraphBuilder& b) {
  b.Node("aten.sym_size.int", "size", {"relu"}, {"size"});
  b.Value("size").set_no_tensor(true);
  v1::Node& view = b.Node("aten.view.default", "view", {"relu", "size"}, {"view"});
  b.Output("view");
  view.mutable_input_specs()->Resize(2, 0);
  return view;
}

void AddSigmoid(GraphBuilder& b, v1::DataType type, double zero_point) {
  b.Node("aten.sigmoid.default", "sigmoid", {"relu"}, {"sigmoid"});
  b.Shape("sigmoid", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("sigmoid");
  const int id = AddSpec(b, type, v1::Spec::PER_TENSOR_AFFINE);
  v1::Spec& spec = *b.graph.mutable_specs(id - 1);
  spec.set_kind(v1::Spec::FIXED);
  spec.set_quant_min(type == v1::DATA_TYPE_INT8 ? -128 : 0);
  spec.set_quant_max(type == v1::DATA_TYPE_INT8 ? 127 : 255);
  spec.mutable_qparams()->add_scales(1.0 / 256);
  spec.mutable_qparams()->add_zero_points(zero_point);
  b.Value("sigmoid").set_spec(id);
}

// A result of so many elements, whose observer has no scale.
void AddUnscaledNeg(GraphBuilder& b, int64_t size) {
  b.Input("part", v1::DATA_TYPE_FLOAT32, {size});
  b.Node("aten.neg.default", "neg", {"part"}, {"neg"});
  b.Shape("neg", v1::DATA_TYPE_FLOAT32, {size}).set_spec(UnscaledSpec(b));
}

// sigmoid times a matrix, in half precision, read with that spec.
void AddHalfProduct(GraphBuilder& b, int spec) {
  AddSigmoid(b, v1::DATA_TYPE_UINT8, 0);
  b.Value("sigmoid").set_dtype(v1::DATA_TYPE_FLOAT16);
  b.Input("matrix", v1::DATA_TYPE_FLOAT16, {8, 8});
  b.Node("aten.matmul.default", "mm", {"sigmoid", "matrix"}, {"mm"}).add_input_specs(spec);
}

// relu * sigmoid(relu), both operands with the observer of `leader`, where the sigmoid asks for fixed numbers.
void AddGatedProduct(GraphBuilder& b, const std::string& leader) {
  AddSigmoid(b, v1::DATA_TYPE_INT8, 0);
  v1::Spec& fixed = *b.graph.mutable_specs(3);
  fixed.set_kind(v1::Spec::PLAIN);
  fixed.set_observer(b.Symbol("FixedQParamsObserver"));
  const v1::Spec copy = fixed;
  *b.graph.add_specs() = copy;
  v1::Spec& plain = *b.graph.mutable_specs(b.graph.specs_size() - 1);
  plain.clear_qparams();
  plain.set_observer(b.Symbol("MinMaxObserver"));
  if (leader == "relu") b.Value("relu").set_spec(b.graph.specs_size());
  v1::Node& product = b.Node("aten.mul.Tensor", "product", {leader, "sigmoid"}, {"product"});
  v1::Spec& shared = *b.graph.add_specs();
  shared.set_kind(v1::Spec::SHARED);
  shared.mutable_shared_with()->set_value(b.Id(leader));
  for (int i = 0; i < 2; ++i) product.add_input_specs(b.graph.specs_size());
  b.Shape("product", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("product");
}

// op(args) -> name, of the shape of conv's output, with a number as parameter where it has one.
void AddPlain(GraphBuilder& b, const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
              const std::vector<std::pair<std::string, double>>& parameters = {}) {
  v1::Node& node = b.Node(op, name, inputs, {name});
  for (const auto& [parameter, number] : parameters) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(parameter));
    attribute.set_f(number);
  }
  b.Shape(name, v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
}

// cat([image, softplus(image)]) under a ConcatObserver, and softplus reads its input quantized or float.
void AddConcatOfAnInput(GraphBuilder& b, bool quantized) {
  b.Input("image", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  AddPlain(b, "other", "aten.softplus.default", {"image"});
  v1::Node& cat = b.Node("aten.cat.default", "cat", {"image", "other"}, {"cat"});
  b.Shape("cat", v1::DATA_TYPE_FLOAT32, {1, 32, 8, 8});
  b.Output("cat");
  const int spec = AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE);
  b.graph.mutable_specs(spec - 1)->set_observer(b.Symbol("ConcatObserver"));
  for (int i = 0; i < 2; ++i) cat.add_input_specs(spec);
  b.Value("cat").set_spec(spec);
  if (quantized) b.Find("other").add_input_specs(spec);
}

// mask + conv, where the mask {0, -inf} is what `change` makes of it; the sum is observed.
void AddChangedMask(GraphBuilder& b, const std::function<void(GraphBuilder&)>& change) {
  AddObservedMask(b, -kInfinity, "MinMaxObserver");
  v1::Node masked = b.graph.nodes(b.graph.nodes_size() - 2);
  v1::Node softmax = b.graph.nodes(b.graph.nodes_size() - 1);
  b.graph.mutable_nodes()->RemoveLast();
  b.graph.mutable_nodes()->RemoveLast();
  change(b);
  masked.set_inputs(1, b.Id("changed"));
  *b.graph.add_nodes() = std::move(masked);
  *b.graph.add_nodes() = std::move(softmax);
}

// The mask and what is filled in where the input is large, added in this order.
void AddTwoInfinities(GraphBuilder& b, const std::string& first, const std::string& second) {
  AddChangedMask(b, [&](GraphBuilder& m) {
    AddPlain(m, "is_large", "aten.gt.Scalar", {"conv"}, {{"other", 1}});
    m.Value("is_large").set_dtype(v1::DATA_TYPE_BOOL);
    AddPlain(m, "filled", "aten.masked_fill.Scalar", {"conv", "is_large"}, {{"value", -kInfinity}});
    AddPlain(m, "changed", "aten.add.Tensor", {first, second});
  });
}

// mul of a tensor and a constant, both read with 1/256 times `scale` and that zero point.
void AddFixedMul(GraphBuilder& b, const std::string& input, double factor, double zero_point = 0, double scale = 1) {
  b.Reals("factor", {factor});
  v1::Node& mul = b.Node("aten.mul.Tensor", "mul", {input, "factor"}, {"mul"});
  b.Shape("mul", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("mul");
  const int id = AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_TENSOR_AFFINE);
  v1::Spec& spec = *b.graph.mutable_specs(id - 1);
  spec.set_kind(v1::Spec::FIXED);
  spec.set_quant_min(-128);
  spec.set_quant_max(127);
  spec.mutable_qparams()->add_scales(scale / 256);
  spec.mutable_qparams()->add_zero_points(zero_point);
  for (int i = 0; i < 2; ++i) mul.add_input_specs(id);
}

// The operator reads conv with a fixed range of -1..1.
void AddFixedRead(GraphBuilder& b, const std::string& op) {
  AddFixedMul(b, "conv", 0.25, 0, 2);
  b.Find("mul").clear_input_specs();
  AddPlain(b, "read", op, {"conv"});
  b.Output("read");
  b.Find("read").add_input_specs(b.graph.specs_size());
}

// conv behind the first one, with the same bias tensor and a spec for it that is derived from its own edges.
void AddConvWithTheSameBias(GraphBuilder& b, const std::string& input, const std::string& weight) {
  b.Weight("w2", v1::DATA_TYPE_FLOAT32, {16, 32, 1, 1}, -1);
  v1::Node& conv = b.Node("aten.conv2d.default", "conv2", {input, weight, "b"}, {"conv2"});
  b.Shape("conv2", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
  b.Output("conv2");
  *b.graph.add_specs() = b.graph.specs(2);
  v1::Spec& derived = *b.graph.mutable_specs(b.graph.specs_size() - 1);
  derived.mutable_derived_from(0)->set_value(b.Id(input));
  derived.mutable_derived_from(1)->set_value(b.Id(weight));
  for (v1::EdgeRef& edge : *derived.mutable_derived_from()) edge.set_consumer(b.graph.nodes_size());
  for (int spec : {1, 2, b.graph.specs_size()}) conv.add_input_specs(spec);
}

// w in blocks of 8 for conv, and for conv2 in blocks of another size.
void ReadWeightAgain(GraphBuilder& b, const std::vector<int64_t>& sizes) {
  Blocks(b, {1, 8, 1, 1});
  AddConvWithTheSameBias(b, "x", "w");
  *b.graph.add_specs() = b.graph.specs(1);
  b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_block_size()->Assign(sizes.begin(), sizes.end());
  b.Find("conv2").set_input_specs(1, b.graph.specs_size());
}

// A second reader of x, whose spec is the first one's until it is changed.
v1::Spec& ReadInputAgain(GraphBuilder& b) {
  v1::Node& node = b.Node("aten.neg.default", "neg", {"x"}, {"neg"});
  b.Shape("neg", v1::DATA_TYPE_FLOAT32, {1, 32, 8, 8});
  b.Output("neg");
  *b.graph.add_specs() = b.graph.specs(0);
  node.add_input_specs(b.graph.specs_size());
  return *b.graph.mutable_specs(b.graph.specs_size() - 1);
}

void RemoveSpecs(GraphBuilder& b) {
  b.graph.clear_specs();
  for (v1::Node& node : *b.graph.mutable_nodes()) node.clear_input_specs();
  for (v1::Value& value : *b.graph.mutable_values()) value.clear_spec();
}

void KeyTheMap(GraphBuilder& b, const std::string& node, const std::string& value) {
  v1::InputSpec& entry = *b.Find(node).add_input_spec_map();
  entry.set_value(b.Id(value));
  entry.set_spec(1);
}

}  // namespace

std::vector<SoundnessCase> AnnotationCases() {
  const v1::Finding::Severity warning = v1::Finding::WARNING;
  return {
      {"AnnotatedConv", Conv, [](GraphBuilder& b) { b.Find("conv").set_annotated(true); }, "-NR004"},

      // DT002
      {"SpecOnIntegers", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_INT64);
         b.Value("add").set_spec(1);
       },
       "DT002", "add", "add"},
      {"SpecOnAnIntegerInput", Conv,
       [](GraphBuilder& b) { b.Input("ids", v1::DATA_TYPE_INT64, {8}), b.Value("ids").set_spec(1); }, "DT002", "ids",
       "ids"},
      {"SpecOnAConstantOfIntegers", Conv,
       [](GraphBuilder& b) {
         b.Shape("positions", v1::DATA_TYPE_INT64, {8}).mutable_constant()->set_stored_bytes(64);
         b.Value("positions").set_spec(1);
       },
       "DT002", "positions", "positions"},
      {"SpecOnAnIntegerEdge", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_INT64);
         b.Find("add").add_input_specs(1);
       },
       "DT002", "add", "arange"},
      {"SpecOnBooleans", Conv,
       [](GraphBuilder& b) {
         b.Value("relu").set_dtype(v1::DATA_TYPE_BOOL);
         b.Value("relu").set_spec(1);
       },
       "DT002", "relu", "relu"},
      {"SharedSpecOnIntegers", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_INT64);
         v1::Spec& spec = *b.graph.add_specs();
         spec.set_kind(v1::Spec::SHARED);
         spec.mutable_shared_with()->set_value(b.Id("conv"));
         b.Value("add").set_spec(b.graph.specs_size());
       },
       "DT002", "add", "add"},
      {"NoneOnIntegers", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_INT64);
         b.graph.add_specs()->set_kind(v1::Spec::EXPLICIT_NONE);
         b.Find("add").add_input_specs(b.graph.specs_size());
       },
       "-DT002"},
      {"SpecOnFloats", Conv, [](GraphBuilder& b) { b.Value("relu").set_spec(1); }, "-DT002"},
      {"SpecOnDoubles", Conv,
       [](GraphBuilder& b) {
         b.Value("relu").set_dtype(v1::DATA_TYPE_FLOAT64);
         b.Value("relu").set_spec(1);
       },
       "DT002", "relu", "relu"},
      {"SpecOnComplexNumbers", Conv,
       [](GraphBuilder& b) {
         b.Value("relu").set_dtype(v1::DATA_TYPE_COMPLEX64);
         b.Value("relu").set_spec(1);
       },
       "DT002", "relu", "relu"},
      {"SpecOnHalves", Conv,
       [](GraphBuilder& b) {
         b.Value("relu").set_dtype(v1::DATA_TYPE_FLOAT16);
         b.Value("relu").set_spec(1);
       },
       "-DT002"},
      {"DoublesWithoutASpec", Conv, [](GraphBuilder& b) { b.Value("relu").set_dtype(v1::DATA_TYPE_FLOAT64); },
       "-DT002"},

      // DT003
      {"FloatInIndexArithmetic", Conv, [](GraphBuilder& b) { AddIndices(b, v1::DATA_TYPE_FLOAT32); }, "DT003", "add",
       "one", -1, warning},
      {"FloatBehindIndexArithmetic", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_FLOAT32);
         b.Node("aten.to.dtype", "to", {"add"}, {"to"});
         b.Shape("to", v1::DATA_TYPE_FLOAT32, {8});
         b.Node("aten.index.Tensor", "index", {"to", "arange"}, {"index"});
       },
       "DT003", "add", "one", -1, warning},
      {"FloatAsAnIndex", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_FLOAT32);
         b.Node("aten.unsqueeze.default", "unsqueeze", {"add"}, {"unsqueeze"});
         b.Shape("unsqueeze", v1::DATA_TYPE_INT64, {1, 8});
         b.Node("aten.embedding.default", "embedding", {"w", "unsqueeze"}, {"embedding"});
       },
       "DT003", "add", "one"},
      {"FloatThatIsAssertedToBeAnInteger", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_FLOAT32);
         b.Node("aten._assert_tensor_metadata.default", "assert", {"add"}, {"assert"});
       },
       "DT003", "add", "one"},
      {"IntegerIndexArithmetic", Conv, [](GraphBuilder& b) { AddIndices(b, v1::DATA_TYPE_INT64); }, "-DT003"},
      {"FloatResult", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_FLOAT32);
         b.Value("add").set_dtype(v1::DATA_TYPE_FLOAT32);
       },
       "-DT003"},
      {"ComparisonOfFloats", Conv,
       [](GraphBuilder& b) {
         AddIndices(b, v1::DATA_TYPE_FLOAT32);
         b.Find("add").set_op(b.Symbol("aten.eq.Tensor"));
         b.Value("add").set_dtype(v1::DATA_TYPE_BOOL);
       },
       "-DT003"},
      {"QuotientOfIntegersAsAnIndex", Conv, IndexBy("aten.floor.default"), "DT003", "div"},
      {"QuotientOfIntegersThatIsNoIndex", Conv, [](GraphBuilder& b) { Remainder(b, "aten.floor.default", false); },
       "-DT003"},
      {"QuotientOfIntegersThatIsCast", Conv, IndexBy("aten.to.dtype"), "-DT003"},
      {"QuotientOfIntegersThatIsCastLikeAnother", Conv, IndexBy("aten.type_as.default"), "-DT003"},
      {"PlaceOfTheLargestQuotient", Conv, IndexBy("aten.argmax.default"), "-DT003"},
      {"RoundedQuotientOfIntegers", Conv,
       [](GraphBuilder& b) {
         Remainder(b, "aten.floor.default", true);
         v1::Attribute& attribute = *b.Find("div").add_attributes();
         attribute.set_name(b.Symbol("rounding_mode"));
         attribute.set_s("floor");
       },
       "-DT003"},

      // DT007
      {"IndexRoundedBetweenIntegers", Conv, [](GraphBuilder& b) { HalfOf(b, "counted", 1, 0); }, "DT007", "cast",
       "half", -1, warning},
      {"IndexReadRounded", Conv, [](GraphBuilder& b) { HalfOf(b, "counted", 0, 1); }, "DT007", "cast", "half", -1,
       warning},
      {"RoundedIndexCastTwice", Conv,
       [](GraphBuilder& b) {
         HalfOf(b, "counted", 1, 0);
         b.Node("aten.to.dtype", "again", {"cast"}, {"again"});
         b.Shape("again", v1::DATA_TYPE_INT32, {8});
         b.Find("embedding").set_inputs(1, b.Id("again"));
       },
       "DT007", "cast", "half", -1, warning},
      {"RoundedIndexCastLikeAnother", Conv,
       [](GraphBuilder& b) {
         HalfOf(b, "counted", 1, 0);
         b.Find("cast").set_op(b.Symbol("aten.type_as.default"));
         b.Find("cast").add_inputs(b.Id("counted"));
       },
       "DT007", "cast", "half", -1, warning},
      {"RoundedPositions", Conv,
       [](GraphBuilder& b) {
         HalfOf(b, "counted", 1, 0);
         b.Shape("positions", v1::DATA_TYPE_INT64, {8}).mutable_constant()->set_stored_bytes(64);
         b.Find("half").set_inputs(0, b.Id("positions"));
       },
       "DT007", "cast", "half", -1, warning},
      {"RoundedTimesWhatIsMade", Conv,
       [](GraphBuilder& b) {
         HalfOf(b, "counted", 1, 0);
         b.Node("aten.full.default", "full", {}, {"full"});
         b.Shape("full", v1::DATA_TYPE_FLOAT32, {8});
         b.Find("half").set_inputs(1, b.Id("full"));
       },
       "DT007", "cast", "half", -1, warning},
      {"ConstantsThatAreCastToAnIndex", Conv,
       [](GraphBuilder& b) {
         HalfOf(b, "counted", 1, 0);
         b.Find("half").set_inputs(0, b.Id("factor"));
       },
       "-DT007"},
      {"IndexThatIsNotQuantized", Conv, [](GraphBuilder& b) { HalfOf(b, "counted", 0, 0); }, "-DT007"},
      {"IndexOfFloats", Conv, [](GraphBuilder& b) { HalfOf(b, "relu", 1, 0); }, "-DT007"},
      {"RoundedIntegersThatAreNoIndex", Conv,
       [](GraphBuilder& b) {
         HalfOf(b, "counted", 1, 0);
         b.Find("embedding").set_op(b.Symbol("aten.neg.default"));
         b.Find("embedding").mutable_inputs()->erase(b.Find("embedding").mutable_inputs()->begin());
       },
       "-DT007"},

      // DT005
      {"TypeThatNoObserverTakes", Conv, [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_INT4, "MinMaxObserver"); },
       "DT005", "conv", "w"},
      {"BooleanRange", Conv, [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_BOOL, "PerChannelMinMaxObserver"); },
       "DT005", "conv", "w"},
      {"HalfPrecisionInAHistogram", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_FLOAT16, "HistogramObserver"); }, "DT005", "conv", "w"},
      {"ObservedTypes", Conv, [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_INT32, "MinMaxObserver"); }, "-DT005"},
      {"ObservedFloat8", Conv,
       [](GraphBuilder& b) {
         Observed(b, v1::DATA_TYPE_FLOAT8_E4M3FN, "MinMaxObserver").set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
       },
       "-DT005"},
      {"ObserverThatTakesAllTypes", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_FLOAT16, "PlaceholderObserver"); }, "-DT005"},
      {"ChannelsOfUint16", Conv,
       [](GraphBuilder& b) {
         v1::Spec& spec = Observed(b, v1::DATA_TYPE_UINT16, "PerChannelMinMaxObserver");
         spec.set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
         spec.set_axis(0);
       },
       "DT005", "conv", "w"},
      {"ChannelsOfInt16", Conv,
       [](GraphBuilder& b) {
         v1::Spec& spec = Observed(b, v1::DATA_TYPE_INT16, "PerChannelMinMaxObserver");
         spec.set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
         spec.set_axis(0);
       },
       "-DT005"},
      {"OneRangeOfUint16", Conv,
       [](GraphBuilder& b) {
         Observed(b, v1::DATA_TYPE_UINT16, "MinMaxObserver").set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
       },
       "-DT005"},
      {"HistogramOfFloat8", Conv,
       [](GraphBuilder& b) {
         Observed(b, v1::DATA_TYPE_FLOAT8_E4M3FN, "HistogramObserver").set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
       },
       "DT005", "conv", "w"},
      {"ObserverUnknown", Conv, [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_INT4, "TheirObserver"); }, "-DT005"},

      {"TypeThatConvertLeavesInFloat", Conv,
       [](GraphBuilder& b) {
         Observed(b, v1::DATA_TYPE_INT4, "PlaceholderObserver");
         b.Find("conv").set_input_specs(2, 0);
       },
       "DT005", "conv", "w", -1, warning},

      {"RangeOfFloat8InAFakeQuantizer", Conv,
       [](GraphBuilder& b) {
         Ranges("FakeQuantize(MinMaxObserver)", -448, 448)(b);
         b.graph.mutable_specs(1)->set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN);
       },
       "DT005", "conv", "w"},
      {"RangeOfFloat8", Conv,
       [](GraphBuilder& b) {
         Ranges("MinMaxObserver", -448, 448)(b);
         b.graph.mutable_specs(1)->set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN);
         b.graph.mutable_specs(1)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
       },
       "-DT005"},
      {"Float8InAFakeQuantizer", Conv,
       [](GraphBuilder& b) {
         Observed(b, v1::DATA_TYPE_FLOAT8_E4M3FN, "FakeQuantize(MinMaxObserver)")
             .set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
       },
       "-DT005"},
      {"FixedInFourBits", Conv,
       [](GraphBuilder& b) {
         v1::Spec& spec = Fixed(b);
         spec.set_dtype(v1::DATA_TYPE_INT4);
         spec.set_quant_min(-8);
         spec.set_quant_max(7);
         spec.set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         spec.clear_axis();
       },
       "DT005", "conv", "w", -1, warning},
      {"FixedInEightBits", Conv, [](GraphBuilder& b) { Fixed(b); }, "-DT005"},
      {"FixedHalfPrecision", Conv, [](GraphBuilder& b) { Fixed(b).set_dtype(v1::DATA_TYPE_FLOAT16); }, "-DT005"},
      {"DerivedInSixtyFourBits", Conv,
       [](GraphBuilder& b) { b.graph.mutable_specs(2)->set_dtype(v1::DATA_TYPE_INT64); }, "DT005", "conv", "b", -1,
       warning},

      // AX012
      {"AxisBesideAFakeQuantizer", Conv, ChannelsAlong(1, kFused), "AX012", "conv", "w"},
      {"LastAxisBesideAFakeQuantizer", Conv, ChannelsAlong(-1, kFused), "AX012", "conv", "w"},
      {"FirstAxisBesideAFakeQuantizer", Conv, ChannelsAlong(0, kFused), "-AX012"},
      {"FirstAxisCountedFromTheEnd", Conv, ChannelsAlong(-4, kFused), "-AX012"},
      {"AxisOfAnObserver", Conv, ChannelsAlong(1, "MovingAveragePerChannelMinMaxObserver"), "-AX012"},
      {"AxisOfAFakeQuantizerOfChannels", Conv,
       ChannelsAlong(1, "PerChannelFakeQuantize(MovingAveragePerChannelMinMaxObserver)"), "-AX012"},
      {"AxisOfTheirFakeQuantizer", Conv, ChannelsAlong(1, "their.FakeQuantize(PerChannelMinMaxObserver)"), "-AX012"},

      // QS004
      {"OneRangePerChannel", Conv, Observes("MinMaxObserver", v1::Spec::PER_CHANNEL_SYMMETRIC), "QS004", "conv", "w"},
      {"HistogramPerChannel", Conv, Observes("FakeQuantize(HistogramObserver)", v1::Spec::PER_CHANNEL_AFFINE), "QS004",
       "conv", "w"},
      {"ChannelsPerTensor", Conv, Observes("PerChannelMinMaxObserver", v1::Spec::PER_TENSOR_SYMMETRIC), "QS004", "conv",
       "w"},
      {"NoScheme", Conv, Observes("MovingAverageMinMaxObserver", v1::Spec::Q_SCHEME_UNSPECIFIED), "QS004", "conv", "w"},
      {"NoSchemeOfChannels", Conv, Observes("MovingAveragePerChannelMinMaxObserver", v1::Spec::Q_SCHEME_UNSPECIFIED),
       "QS004", "conv", "w"},
      {"OneRange", Conv, Observes("MinMaxObserver", v1::Spec::PER_TENSOR_SYMMETRIC), "-QS004"},
      {"RangesOfChannels", Conv, Observes("PerChannelMinMaxObserver", v1::Spec::PER_CHANNEL_SYMMETRIC), "-QS004"},
      {"TheirObserverPerChannel", Conv, Observes("TheirMinMaxObserver", v1::Spec::PER_CHANNEL_SYMMETRIC), "-QS004"},
      {"NoSchemeOfAPlaceholder", Conv, Observes("PlaceholderObserver", v1::Spec::Q_SCHEME_UNSPECIFIED), "-QS004"},
      {"FixedPerChannel", Conv, [](GraphBuilder& b) { Fixed(b); }, "QS004", "conv", "w"},
      {"FixedPerChannelCalibrated", Conv,
       [](GraphBuilder& b) {
         Fixed(b);
         b.graph.set_stage(v1::STAGE_CALIBRATED);
       },
       "QS004", "conv", "w"},
      {"ObserverOfNumbersPerChannel", Conv, Observes("FixedQParamsObserver", v1::Spec::PER_CHANNEL_AFFINE), "QS004",
       "conv", "w"},
      {"FixedPerTensor", Conv, [](GraphBuilder& b) { Fixed(b).set_qscheme(v1::Spec::PER_TENSOR_AFFINE); }, "-QS004"},
      {"FixedWithoutScheme", Conv, [](GraphBuilder& b) { Fixed(b).clear_qscheme(); }, "-QS004"},
      {"DerivedPerChannel", Conv, [](GraphBuilder&) {}, "-QS004"},
      // The first member makes the observer of all.
      {"OneRangePerChannelBehindAnother", Conv,
       [](GraphBuilder& b) {
         const int spec = b.Find("conv").input_specs(1);
         b.graph.mutable_specs(spec - 1)->set_observer(b.Symbol("PerChannelMinMaxObserver"));
         v1::Node& reader = b.Node("aten.conv2d.default", "reader", {"x", "w"}, {"reader"});
         b.Shape("reader", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         *b.graph.add_specs() = b.graph.specs(spec - 1);
         b.graph.mutable_specs(b.graph.specs_size() - 1)->set_observer(b.Symbol("MinMaxObserver"));
         reader.add_input_specs(0);
         reader.add_input_specs(b.graph.specs_size());
       },
       "-QS004"},

      // QS005
      {"DynamicHistogram", Conv, Dynamic("HistogramObserver"), "QS005", "conv", "w"},
      {"DynamicChannels", Conv,
       Dynamic("PerChannelMinMaxObserver", v1::DATA_TYPE_INT8, v1::Spec::PER_CHANNEL_SYMMETRIC), "QS005", "conv", "w"},
      {"DynamicAverage", Conv, Dynamic("MovingAverageMinMaxObserver"), "QS005", "conv", "w"},
      {"DynamicMinimum", Conv, Dynamic("MinMaxObserver"), "QS005", "conv", "w"},
      {"DynamicInSixteenBits", Conv, Dynamic("PlaceholderObserver", v1::DATA_TYPE_INT16), "QS005", "conv", "w"},
      {"DynamicPlaceholderPerChannel", Conv,
       Dynamic("PlaceholderObserver", v1::DATA_TYPE_INT8, v1::Spec::PER_CHANNEL_SYMMETRIC), "QS005", "conv", "w"},
      {"StaticPlaceholder", Conv, Observes("PlaceholderObserver", v1::Spec::PER_TENSOR_AFFINE), "QS005", "conv", "w"},
      {"DynamicPlaceholder", Conv, Dynamic("PlaceholderObserver"), "-QS005"},
      {"DynamicFakeQuantizer", Conv, Dynamic("FakeQuantize(MinMaxObserver)"), "-QS005"},
      {"DynamicAverageInAFakeQuantizer", Conv, Dynamic("FakeQuantize(MovingAverageMinMaxObserver)"), "-QS005"},
      {"HalfPrecisionPlaceholder", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_FLOAT16, "PlaceholderObserver"); }, "-QS005"},

      {"HalfPrecisionPlaceholderInAFakeQuantizer", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_FLOAT16, "FakeQuantize(PlaceholderObserver)"); }, "QS005",
       "conv", "w"},
      {"DynamicPlaceholderInAFakeQuantizer", Conv, Dynamic("FakeQuantize(PlaceholderObserver)"), "QS005", "conv", "w"},
      {"DynamicNumbersOfTheirOwn", Conv, Dynamic("FixedQParamsObserver"), "QS005", "conv", "w"},
      {"DynamicFixed", Conv, [](GraphBuilder& b) { Fixed(b).set_is_dynamic(true); }, "QS005", "conv", "w"},
      {"StaticFixed", Conv, [](GraphBuilder& b) { Fixed(b).set_is_dynamic(false); }, "-QS005"},
      {"DynamicDerived", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(2)->set_is_dynamic(true); }, "QS005", "conv",
       "b"},
      {"StaticDerived", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(2)->set_is_dynamic(false); }, "-QS005"},

      // QS006
      {"ObserverMadeAlready", Conv, Observes("MinMaxObserver object", v1::Spec::PER_TENSOR_AFFINE), "QS006", "conv",
       "w"},
      {"ObserverOfTorch", Conv, Observes("torch.ao.quantization.observer.MinMaxObserver", v1::Spec::PER_TENSOR_AFFINE),
       "QS006", "conv", "w"},
      {"ObserverThatLetsThrough", Conv, Observes("NoopObserver", v1::Spec::PER_TENSOR_AFFINE), "QS006", "conv", "w"},
      {"FakeQuantizerOfFixedSpecs", Conv,
       Observes("FixedQParamsFakeQuantize(FixedQParamsObserver)", v1::Spec::PER_TENSOR_AFFINE), "QS006", "conv", "w"},
      {"ObserverOfAnAxisThatItDoesNotTake", Conv,
       Observes("FakeQuantize(MinMaxObserver, ch_axis)", v1::Spec::PER_TENSOR_AFFINE), "QS006", "conv", "w"},
      {"ObserverInAFakeQuantizer", Conv, Observes("FakeQuantize(MinMaxObserver)", v1::Spec::PER_TENSOR_AFFINE),
       "-QS006"},
      {"ObserverOfTorchao", Conv, Observes("MinMaxObserver", v1::Spec::PER_TENSOR_AFFINE), "-QS006"},

      // AX005
      {"PerChannelBias", Conv, [](GraphBuilder& b) { b.Find("conv").set_input_specs(2, 2); }, "AX005", "conv", "b"},
      {"PerChannelMatrix", Conv,
       [](GraphBuilder& b) {
         b.Shape("w", v1::DATA_TYPE_FLOAT32, {16, 32});
       },
       "-AX005"},

      // AX006
      {"ChannelAxisLeftOut", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(1)->clear_axis(); }, "AX006", "conv",
       "w", -1, warning},
      {"AxisLeftOutOfATransposedConvolution", Conv,
       [](GraphBuilder& b) {
         Transpose(b);
         b.graph.mutable_specs(1)->clear_axis();
       },
       "AX006", "conv", "w"},
      {"ChannelAxisStated", Conv, [](GraphBuilder&) {}, "-AX006"},
      {"AxisLeftOutOfAnObserver", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_INT8, "PerChannelMinMaxObserver").clear_axis(); }, "AX006",
       "conv", "w"},
      {"AxisLeftOutOfAFakeQuantizer", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_INT8, "FakeQuantize(PerChannelMinMaxObserver)").clear_axis(); },
       "AX006", "conv", "w", -1, warning},
      {"AxisLeftOutBehindAnObserver", [] { return SharedAxis("PerChannelMinMaxObserver", "PerChannelMinMaxObserver"); },
       [](GraphBuilder&) {}, "AX006", "relu", "conv"},
      {"AxisLeftOutBehindAFakeQuantizer",
       [] { return SharedAxis("FakeQuantize(PerChannelMinMaxObserver)", "PerChannelMinMaxObserver"); },
       [](GraphBuilder&) {}, "AX006", "relu", "conv", -1, warning},
      {"DerivedAxisLeftOut", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(2)->clear_axis(); }, "AX006", "conv",
       "b"},

      // AX011
      {"OutputChannels", Conv, [](GraphBuilder&) {}, "-AX011"},
      {"InputChannels", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(1)->set_axis(1); }, "AX011", "conv", "w"},
      {"InputChannelsFromTheEnd", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(1)->set_axis(-3); }, "AX011",
       "conv", "w"},
      // Of size 1.
      {"WindowOfOne", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(1)->set_axis(2); }, "-AX011"},
      {"InputChannelsInBlocks", Conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(1)->set_axis(1);
         Blocks(b, {1, 16, 1, 1});
       },
       "-AX011"},
      {"FloatsBesideInputChannels", Conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(1)->set_axis(1);
         b.Find("conv").set_input_specs(0, 0);
       },
       "-AX011"},
      {"ChannelsOfAnImage", Conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
         b.graph.mutable_specs(0)->set_axis(1);
       },
       "AX011", "conv", "x"},
      {"ChannelsOfAnImageOneByOne", Conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
         b.graph.mutable_specs(0)->set_axis(1);
         b.Int(b.Find("conv"), "groups", 32);
         b.Shape("w", v1::DATA_TYPE_FLOAT32, {32, 1, 1, 1});
       },
       "-AX011"},
      {"InputChannelsTransposed", Conv,
       [](GraphBuilder& b) {
         Transpose(b);
         b.graph.mutable_specs(1)->set_axis(0);
       },
       "AX011", "conv", "w"},
      {"OutputChannelsTransposed", Conv, Transpose, "-AX011"},
      {"InputChannelsTransposedOneByOne", Conv,
       [](GraphBuilder& b) {
         Transpose(b);
         b.graph.mutable_specs(1)->set_axis(0);
         b.Find("conv").clear_attributes();
         b.Int(b.Find("conv"), "groups", 32);
       },
       "-AX011"},
      {"InputChannelsOfAConvolutionThatSaysSo", Conv,
       [](GraphBuilder& b) {
         Transpose(b);
         b.Find("conv").set_op(b.Symbol("aten.convolution.default"));
         b.Int(b.Find("conv"), "transposed", 1);
         b.graph.mutable_specs(1)->set_axis(0);
       },
       "AX011", "conv", "w"},
      {"ColumnsOfAProduct", Conv, Multiplies("aten.mm.default", 0), "AX011", "product", "w"},
      {"ColumnsOfAProductBesideHalfPrecision", Conv,
       [](GraphBuilder& b) {
         Multiplies("aten.mm.default", 0)(b);
         b.graph.mutable_specs(0)->set_dtype(v1::DATA_TYPE_FLOAT16);
       },
       "-AX011"},
      // As OpenVINO annotates: where a tensor is written.
      {"ColumnsOfAProductOfAnnotatedTensors", Conv,
       [](GraphBuilder& b) {
         Multiplies("aten.mm.default", 0)(b);
         b.Find("product").clear_input_specs();
         b.Value("x").set_spec(1);
         b.Value("w").set_spec(2);
       },
       "AX011", "product", "w"},
      {"ColumnsOfAnAnnotatedTensorBesideFloats", Conv,
       [](GraphBuilder& b) {
         Multiplies("aten.mm.default", 0)(b);
         b.Find("product").clear_input_specs();
         b.Value("w").set_spec(2);
       },
       "-AX011"},
      {"ColumnsOfAProductBesideFloats", Conv, Multiplies("aten.mm.default", 0, /*beside_floats=*/true), "-AX011"},
      {"RowsOfAProduct", Conv, Multiplies("aten.mm.default", 1), "-AX011"},
      {"InputsOfALinearLayer", Conv,
       [](GraphBuilder& b) {
         Multiplies("aten.linear.default", 1)(b);
         b.Shape("w", v1::DATA_TYPE_FLOAT32, {16, 32});
       },
       "AX011", "product", "w"},
      {"OutputsOfALinearLayer", Conv,
       [](GraphBuilder& b) {
         Multiplies("aten.linear.default", 0)(b);
         b.Shape("w", v1::DATA_TYPE_FLOAT32, {16, 32});
       },
       "-AX011"},

      // AX007
      {"BlocksOtherThanAsked", Conv,
       [](GraphBuilder& b) {
         Blocks(b, {1, 8, 1, 1});
         Asked(b, {1, 32, 1, 1});
       },
       "AX007", "conv", "w"},
      {"BlocksAsAsked", Conv,
       [](GraphBuilder& b) {
         Blocks(b, {1, 8, 1, 1});
         Asked(b, {1, 8, 1, 1});
       },
       "-AX007"},
      {"BlocksNobodyAskedFor", Conv,
       [](GraphBuilder& b) {
         Blocks(b, {1, 8, 1, 1});
       },
       "-AX007"},

      // SH005
      {"KeyIsNoInput", Conv, [](GraphBuilder& b) { KeyTheMap(b, "relu", "x"); }, "SH005", "relu", "x"},
      {"KeyOfAnotherGraph", Conv,
       [](GraphBuilder& b) {
         b.Value("old").set_foreign(true);
         KeyTheMap(b, "relu", "old");
       },
       "SH005", "relu", "old"},
      {"KeyIsAnInput", Conv, [](GraphBuilder& b) { KeyTheMap(b, "relu", "conv"); }, "-SH005"},

      // GS017
      {"AssignmentToACopy", Conv, [](GraphBuilder& b) { AddAssignment(b, 1); }, "GS017", "write", "part"},
      {"AssignmentToATensorThatIsRead", Conv, [](GraphBuilder& b) { AddAssignment(b, 0); }, "-GS017"},

      // GS019
      {"SpecOnTheEdgeOfATuple", Conv,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.Find("getitem").add_input_specs(1);
       },
       "GS019", "getitem", "topk"},
      {"SpecOfTheTupleOnItsEdge", Conv,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.Value("topk").set_spec(1);
         v1::Spec& spec = *b.graph.add_specs();
         spec.set_kind(v1::Spec::SHARED);
         spec.mutable_shared_with()->set_value(b.Id("topk"));
         b.Find("getitem").add_input_specs(b.graph.specs_size());
       },
       "-GS019"},
      {"NoneOnTheEdgeOfATuple", Conv,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.graph.add_specs()->set_kind(v1::Spec::EXPLICIT_NONE);
         b.Find("getitem").add_input_specs(b.graph.specs_size());
       },
       "-GS019"},
      {"SpecOnTheEdgeOfANumber", Conv, [](GraphBuilder& b) { AddSize(b).set_input_specs(1, 1); }, "GS019", "view",
       "size"},
      {"NoneOnTheEdgeOfANumber", Conv,
       [](GraphBuilder& b) {
         b.graph.add_specs()->set_kind(v1::Spec::EXPLICIT_NONE);
         AddSize(b).set_input_specs(1, b.graph.specs_size());
       },
       "-GS019"},
      {"SpecOnTheEdgeOfATensorBesideANumber", Conv, [](GraphBuilder& b) { AddSize(b).set_input_specs(0, 1); },
       "-GS019"},
      {"SpecOnTheEdgeOfWhatIsNotKnown", Conv,
       [](GraphBuilder& b) {
         AddSize(b).set_input_specs(1, 1);
         b.Value("size").clear_no_tensor();
       },
       "-GS019"},
      {"SpecOnAnElementOfATuple", Conv,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.Value("getitem").set_spec(1);
       },
       "-GS019"},

      // GS020
      {"AnnotatedKeywords", Conv, [](GraphBuilder& b) { b.Find("relu").set_annotated_keywords(true); }, "GS020",
       "relu"},
      {"AnnotatedKeywordsThatPrepareTook", Conv,
       [](GraphBuilder& b) {
         b.Find("relu").set_annotated_keywords(true);
         b.graph.set_stage(v1::STAGE_CALIBRATED);
       },
       "-GS020"},
      {"AnnotatedArguments", Conv, [](GraphBuilder&) {}, "-GS020"},

      // NR011
      {"RangeWithoutZero", Conv, Ranges("MinMaxObserver", 5, 100), "NR011", "conv", "w"},
      {"RangeBelowZero", Conv, Ranges("FakeQuantize(HistogramObserver)", -100, -5), "NR011", "conv", "w"},
      {"RangeFromZero", Conv, Ranges("MinMaxObserver", 0, 100), "-NR011"},
      {"RangeWithoutZeroOfTheirs", Conv, Ranges("TheirObserver", 5, 100), "-NR011"},
      {"FixedRangeWithoutZero", Conv, [](GraphBuilder& b) { Fixed(b).set_quant_min(5); }, "-NR011"},
      {"DynamicRangeWithoutZero", Conv,
       [](GraphBuilder& b) {
         Ranges("PlaceholderObserver", 5, 100)(b);
         b.graph.mutable_specs(1)->set_is_dynamic(true);
       },
       "NR011", "conv", "w"},

      // CV003
      {"SpecOnANumber", Conv,
       [](GraphBuilder& b) {
         AddSize(b);
         b.Value("size").set_spec(1);
       },
       "CV003", "size", "size", -1, warning},
      {"SpecOnATuple", Conv,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.Value("topk").set_spec(1);
       },
       "CV003", "topk", "topk", -1, warning},
      {"SpecOnAnElement", Conv,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.Value("getitem").set_spec(1);
       },
       "-CV003"},
      {"SpecOnAWrittenBuffer", Conv, [](GraphBuilder& b) { AddCache(b); }, "CV003", "put", "cache", -1, warning},
      {"SpecOnABufferThatIsRead", Conv, [](GraphBuilder& b) { AddCache(b, "aten.index_put.default"); }, "-CV003"},
      {"SpecOnAWrittenView", Conv,
       [](GraphBuilder& b) {
         AddCache(b);
         b.Node("aten.slice.Tensor", "view", {"cache"}, {"view"});
         b.Shape("view", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         b.Find("put").set_inputs(0, b.Id("view"));
         b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_shared_with()->set_value(b.Id("view"));
       },
       "CV003", "put", "view", -1, warning},
      {"SpecOnAWrittenFill", Conv,
       [](GraphBuilder& b) {
         AddCache(b);
         b.Node("aten.zeros.default", "fill", {}, {"fill"});
         b.Shape("fill", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         b.Node("aten.slice.Tensor", "view", {"fill"}, {"view"});
         b.Shape("view", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         b.Find("put").set_inputs(0, b.Id("view"));
       },
       "-CV003"},
      {"SpecOnTheFirstOperandOfAnd", Conv, [](GraphBuilder& b) { AddCache(b, "aten.__and__.Tensor"); }, "-CV003"},
      {"WrittenBufferWithoutSpec", Conv,
       [](GraphBuilder& b) {
         AddCache(b);
         b.Find("put").set_input_specs(0, 0);
       },
       "-CV003"},
      {"SpecOnTheOutputNode", Conv, [](GraphBuilder& b) { AddOutputNode(b, 0); }, "CV003", "output", "output", -1,
       warning},
      {"SpecOnTheOutputNodeAndItsEdge", Conv, [](GraphBuilder& b) { AddOutputNode(b, 1); }, "-CV003"},
      {"OutputNodeIsNotObserved", SmallBias, [](GraphBuilder& b) { AddOutputNode(b, 1); }, "-FI009"},
      {"TupleIsNotObserved", SmallBias,
       [](GraphBuilder& b) {
         AddTopK(b);
         b.Value("topk").set_spec(UnscaledSpec(b));
       },
       "-FI009"},
      {"WrittenBufferIsNotObserved", SmallBias, [](GraphBuilder& b) { AddCache(b); }, "-FI009"},
      {"ObserverThatComputesWhenConverted", SmallBias,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(1)->clear_qparams();
         b.graph.mutable_specs(1)->set_observer(b.Symbol("INT8WeightObserver"));
       },
       "-FI009"},
      {"ObserverThatHasSeenNothing", SmallBias, [](GraphBuilder& b) { b.graph.mutable_specs(1)->clear_qparams(); },
       "FI009", "conv", "w"},
      {"NothingToBeSeen", SmallBias, [](GraphBuilder& b) { AddUnscaledNeg(b, 0); }, "-FI009"},
      {"SomethingToBeSeen", SmallBias, [](GraphBuilder& b) { AddUnscaledNeg(b, 1); }, "FI009", "neg", "neg"},
      {"SharedWithoutNumbers", SmallBias,
       [](GraphBuilder& b) {
         AddCache(b);
         b.graph.mutable_specs(b.graph.specs_size() - 1)->clear_qparams();
         b.Find("put").set_input_specs(2, 0);
       },
       "FI009", "put", "put"},

      // CV004
      {"NothingAnnotated", Conv, RemoveSpecs, "CV004", "", "", -1, warning},
      {"MarkedOnly", Conv,
       [](GraphBuilder& b) {
         RemoveSpecs(b);
         b.Find("conv").set_annotated(true);
       },
       "CV004", "", "", -1, warning},
      {"OnlyToldWhatNotToQuantize", Conv,
       [](GraphBuilder& b) {
         RemoveSpecs(b);
         b.graph.add_specs()->set_kind(v1::Spec::EXPLICIT_NONE);
         b.Value("conv").set_spec(1);
       },
       "CV004", "", "", -1, warning},
      {"OneSpec", Conv,
       [](GraphBuilder& b) {
         RemoveSpecs(b);
         AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_TENSOR_SYMMETRIC);
         b.Find("conv").add_input_specs(1);
       },
       "-CV004"},
      {"NothingToAnnotate", Conv,
       [](GraphBuilder& b) {
         RemoveSpecs(b);
         b.graph.mutable_nodes()->DeleteSubrange(0, 2);
         b.Node("aten.permute.default", "permute", {"x"}, {"relu"});
       },
       "-CV004"},
      {"FloatModelOfAnotherOrigin", Conv,
       [](GraphBuilder& b) {
         RemoveSpecs(b);
         b.graph.set_origin(v1::Graph::QNN);
       },
       "-CV004"},

      // GS001: torch.export and ExecuTorch make and run `return x`.
      {"ProgramThatPassesItsInputOn", [] { return GraphBuilder(v1::Graph::PT2E, v1::STAGE_ANNOTATED); },
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
         b.Output("x");
       },
       "GS001", "", "", -1, warning},
      {"ProgramWithoutOutputs", [] { return GraphBuilder(v1::Graph::PT2E, v1::STAGE_ANNOTATED); },
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
       },
       "GS001"},

      // SH004
      {"FixedOutputReadWithAnObserver", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_UINT8, 0);
         b.Node("aten.neg.default", "neg", {"sigmoid"}, {"neg"}).add_input_specs(1);
       },
       "SH004", "neg", "sigmoid", -1, warning},
      {"FixedOutputReadAsFixed", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_UINT8, 0);
         b.Node("aten.neg.default", "neg", {"sigmoid"}, {"neg"}).add_input_specs(4);
       },
       "-SH004"},

      // Behind the second observer it comes as float32, beside a float16 weight.
      {"HalfReadWithASecondObserver", Conv, [](GraphBuilder& b) { AddHalfProduct(b, 1); }, "SH004", "mm", "sigmoid"},
      {"HalfReadAsItIsWritten", Conv, [](GraphBuilder& b) { AddHalfProduct(b, 4); }, "-SH004"},

      // Specs that agree get one observer, here the one with numbers.
      {"FixedObserverOfAPlainSpec", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_UINT8, 0);
         v1::Spec& spec = *b.graph.mutable_specs(3);
         const v1::QParams numbers = spec.qparams();
         spec = b.graph.specs(0);
         *spec.mutable_qparams() = numbers;
         b.Node("aten.neg.default", "neg", {"sigmoid"}, {"neg"}).add_input_specs(1);
       },
       "-SH004"},
      {"FixedEdgeOfAnObservedInput", Conv,
       [](GraphBuilder& b) {
         b.Value("x").set_spec(1);
         AddSigmoid(b, v1::DATA_TYPE_UINT8, 0);
         b.Node("aten.neg.default", "neg", {"x"}, {"neg"}).add_input_specs(4);
       },
       "SH004", "neg", "x", -1, warning},
      {"InputReadAsObserved", Conv,
       [](GraphBuilder& b) {
         b.Value("x").set_spec(1);
         b.Node("aten.neg.default", "neg", {"x"}, {"neg"}).add_input_specs(1);
       },
       "-SH004"},

      // SH006
      {"BiasesMergedThatAreDerivedFromOtherEdges", Conv,
       [](GraphBuilder& b) { AddConvWithTheSameBias(b, "relu", "w2"); }, "SH006", "conv2", "b"},
      {"BiasesMergedOfAnotherWeight", Conv, [](GraphBuilder& b) { AddConvWithTheSameBias(b, "x", "w2"); }, "SH006",
       "conv2", "b"},
      {"BiasesMergedThatAreDerivedFromOneGroup", Conv, [](GraphBuilder& b) { AddConvWithTheSameBias(b, "x", "w"); },
       "-SH006"},
      {"BiasesKeptApart", Conv,
       [](GraphBuilder& b) {
         AddConvWithTheSameBias(b, "relu", "w2");
         b.graph.mutable_specs(3)->set_quant_max(1 << 30);
       },
       "-SH006"},
      {"BlockSizeOfTheFirst", Conv,
       [](GraphBuilder& b) {
         ReadWeightAgain(b, {1, 16, 1, 1});
       },
       "SH006", "conv2", "w", -1, warning},
      {"OneBlockSize", Conv,
       [](GraphBuilder& b) {
         ReadWeightAgain(b, {1, 8, 1, 1});
       },
       "-SH006"},
      {"ObserverOfTheFirst", Conv, [](GraphBuilder& b) { ReadInputAgain(b).set_observer(b.Symbol("MinMaxObserver")); },
       "SH006", "neg", "x", -1, v1::Finding::INFO},
      {"FixedNumbersOverruled", Conv,
       [](GraphBuilder& b) { ReadInputAgain(b).set_observer(b.Symbol("FixedQParamsObserver")); }, "SH006", "neg", "x",
       -1, warning},
      {"FixedNumbersOfTheFirst", Conv,
       [](GraphBuilder& b) {
         ReadInputAgain(b);
         b.graph.mutable_specs(0)->set_observer(b.Symbol("FixedQParamsObserver"));
       },
       "-SH006"},
      {"OneObserver", Conv, [](GraphBuilder& b) { ReadInputAgain(b); }, "-SH006"},

      // SH008
      {"SharedWithItsInput", Conv, [](GraphBuilder& b) { AddShared(b, "aten.exp.default", "relu"); }, "SH008", "shared",
       "shared", -1, warning},
      {"NegatedAndShared", Conv, [](GraphBuilder& b) { AddShared(b, "aten.neg.default", "relu"); }, "-SH008"},
      {"SharedWithAnotherTensor", Conv, [](GraphBuilder& b) { AddShared(b, "aten.exp.default", "conv"); }, "-SH008"},

      {"ProductSharedWithAFactor", Conv,
       [](GraphBuilder& b) {
         AddShared(b, "aten.mul.Tensor", "relu");
         b.Find("shared").add_inputs(b.Id("conv"));
       },
       "SH008", "shared", "shared", -1, warning},
      {"ProductByANumberShared", Conv, [](GraphBuilder& b) { AddShared(b, "aten.mul.Tensor", "relu"); }, "-SH008"},

      {"QuotientSharedWithADividend", Conv,
       [](GraphBuilder& b) {
         AddShared(b, "aten.div.Tensor", "relu");
         b.Find("shared").add_inputs(b.Id("conv"));
       },
       "SH008", "shared", "shared", -1, warning},

      // SH009
      {"AverageOfASumAndItsOperand", Conv,
       [](GraphBuilder& b) {
         AddStack(b, "relu", "b", "MovingAverageMinMaxObserver");
         b.Find("stack").set_op(b.Symbol("aten.add.Tensor"));
         b.Find("stack").clear_input_args();
       },
       "SH009", "stack", "stack", -1, warning},
      {"AverageOfTwoTensors", Conv, [](GraphBuilder& b) { AddStack(b, "conv", "relu", "MovingAverageMinMaxObserver"); },
       "SH009", "stack", "stack", -1, warning},
      {"AverageInAFakeQuantizer", Conv,
       [](GraphBuilder& b) { AddStack(b, "conv", "relu", "FakeQuantize(MovingAverageMinMaxObserver)"); }, "SH009",
       "stack", "stack", -1, warning},
      {"AverageOfAFakeQuantizer", Conv,
       [](GraphBuilder& b) { AddStack(b, "conv", "relu", "FusedMovingAvgObsFakeQuantize(MinMaxObserver)"); }, "SH009",
       "stack", "stack", -1, warning},
      {"WidestOfTwoTensors", Conv, [](GraphBuilder& b) { AddStack(b, "conv", "relu", "MinMaxObserver"); }, "-SH009"},
      {"AverageOfOneTensor", Conv,
       [](GraphBuilder& b) {
         AddPermuted(b, "moved");
         AddStack(b, "relu", "moved", "MovingAverageMinMaxObserver");
       },
       "-SH009"},
      {"AverageOfOperandsAlone", Conv,
       [](GraphBuilder& b) {
         AddStack(b, "conv", "relu", "MovingAverageMinMaxObserver");
         b.Value("stack").clear_spec();
       },
       "SH009", "stack", "conv", -1, warning},
      {"AverageOfOneOperandAndTheResult", Conv,
       [](GraphBuilder& b) {
         AddStack(b, "conv", "relu", "MovingAverageMinMaxObserver");
         b.Find("stack").set_input_specs(1, 0);
       },
       "SH009", "stack", "stack", -1, warning},
      {"AveragesOfTheirOwn", Conv,
       [](GraphBuilder& b) {
         AddStack(b, "conv", "relu", "MovingAverageMinMaxObserver");
         const int own = AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_TENSOR_AFFINE);
         b.graph.mutable_specs(own - 1)->set_observer(b.Symbol("MovingAverageMinMaxObserver"));
         b.Find("stack").set_input_specs(1, own);
         b.Value("stack").clear_spec();
       },
       "-SH009"},
      {"AverageThatIsDynamic", Conv,
       [](GraphBuilder& b) {
         AddStack(b, "conv", "relu", "FakeQuantize(MovingAverageMinMaxObserver)");
         b.graph.mutable_specs(0)->set_is_dynamic(true);
       },
       "-SH009"},
      {"AverageOfWhatIsSelected", Conv,
       [](GraphBuilder& b) {
         AddPermuted(b, "moved");
         AddStack(b, "relu", "moved", "MovingAverageMinMaxObserver");
         b.Find("stack").set_op(b.Symbol("aten.maximum.default"));
         b.Find("stack").clear_input_args();
       },
       "-SH009"},
      {"AverageOfATensorAndAConstant", SmallBias,
       [](GraphBuilder& b) { AddStack(b, "relu", "b", "MovingAverageMinMaxObserver"); }, "SH009", "stack", "stack", -1,
       warning},
      {"AverageOfATensorAndZeros", SmallBias,
       [](GraphBuilder& b) {
         AddStack(b, "relu", "b", "MovingAverageMinMaxObserver");
         for (double& number : *b.Value("b").mutable_constant()->mutable_reals()) number = 0;
       },
       "SH009", "stack", "stack", -1, warning},
      {"AverageOfATensorAndAnUnknownConstant", Conv,
       [](GraphBuilder& b) { AddStack(b, "relu", "b", "MovingAverageMinMaxObserver"); }, "-SH009"},

      // QS003
      {"NegativesOfAConvolutionLost", Conv, [](GraphBuilder& b) { b.Value("conv").set_spec(AddUnevenSpec(b)); },
       "QS003", "conv", "conv"},
      {"NegativesOfAConvolutionLostAfterCalibration", SmallBias,
       [](GraphBuilder& b) { b.Value("conv").set_spec(AddUnevenSpec(b)); }, "QS003", "conv", "conv"},
      {"NegativesLostByItsReader", Conv, [](GraphBuilder& b) { b.Find("relu").add_input_specs(AddUnevenSpec(b)); },
       "QS003", "relu", "conv"},
      {"NegativesCutOff", Conv,
       [](GraphBuilder& b) {
         b.Value("conv").set_spec(AddUnevenSpec(b));
         b.graph.mutable_specs(3)->set_quant_min(-8);
       },
       "QS003", "conv", "conv"},
      {"NegativesOfAnInputPerhapsLost", Conv,
       [](GraphBuilder& b) {
         AddUnevenSpec(b);
         b.Find("conv").set_input_specs(0, 4);
       },
       "QS003", "conv", "x", -1, warning},
      {"NoNegativesBehindARelu", Conv, [](GraphBuilder& b) { b.Value("relu").set_spec(AddUnevenSpec(b)); }, "-QS003"},
      {"NoNegativesBehindAMovedRelu", Conv,
       [](GraphBuilder& b) {
         b.Node("aten.permute.default", "moved", {"relu"}, {"moved"});
         b.Value("moved").set_spec(AddUnevenSpec(b));
       },
       "-QS003"},
      {"EvenRange", Conv,
       [](GraphBuilder& b) {
         b.Value("conv").set_spec(AddUnevenSpec(b));
         b.graph.mutable_specs(3)->set_quant_min(-65535);
       },
       "-QS003"},
      {"AffineRange", Conv,
       [](GraphBuilder& b) {
         b.Value("conv").set_spec(AddUnevenSpec(b));
         b.graph.mutable_specs(3)->set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
       },
       "-QS003"},
      {"SymmetricUint8HasItsZeroPointInTheMiddle", Conv,
       [](GraphBuilder& b) {
         b.Value("conv").set_spec(AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_SYMMETRIC));
       },
       "-QS003"},
      {"ZeroPointInTheMiddle", SmallBias,
       [](GraphBuilder& b) {
         b.Value("conv").set_spec(AddUnevenSpec(b));
         b.graph.mutable_specs(3)->mutable_qparams()->add_scales(0.1);
         b.graph.mutable_specs(3)->mutable_qparams()->add_zero_points(32768);
       },
       "-QS003"},

      // NR004
      {"BiasFits", SmallBias, [](GraphBuilder&) {}, "-NR004"},
      {"BiasThatJustFits", [] { return FittedBias(1); }, [](GraphBuilder&) {}, "-NR004"},
      {"BiasThatJustDoesNotFit", [] { return FittedBias(1.00001); }, [](GraphBuilder&) {}, "NR004", "conv", "b", 5},
      {"BiasBeyondInt32", LargeBias, [](GraphBuilder&) {}, "NR004", "conv", "b", 5},
      {"BiasBeyondInt32ByItsSources", LargeBias, [](GraphBuilder& b) { b.graph.mutable_specs(2)->clear_qparams(); },
       "NR004", "conv", "b", 5},
      {"BiasBeyondInt32ByStatistics", LargeBias,
       [](GraphBuilder& b) {
         b.Value("b").mutable_constant()->clear_reals();
         b.Value("b").mutable_constant()->mutable_statistics()->set_min(-0.5);
       },
       "NR004", "conv", "b"},

      // FX005
      {"OneScaleForEachBias", Conv,
       [](GraphBuilder& b) {
         Blocks(b, {1, 8, 1, 1});
       },
       "-FX005"},
      {"GroupsRepeatTheScales", Conv, Transpose, "-FX005"},
      {"BlocksAlongTheFirstAxis", Conv,
       [](GraphBuilder& b) {
         Transpose(b);
         Blocks(b, {16, 1, 1, 1});
       },
       "FX005", "conv", "b"},
      {"BiasPerTensorOfAWeightPerChannel", Conv,
       [](GraphBuilder& b) { b.graph.mutable_specs(2)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC); }, "FX005", "conv",
       "b"},
      {"BiasPerTensorOfAWeightPerTensor", Conv,
       [](GraphBuilder& b) {
         for (int spec : {1, 2}) b.graph.mutable_specs(spec)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
       },
       "-FX005"},
      {"ScalesOfTheInputChannels", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(1)->set_axis(1); }, "FX005",
       "conv", "b"},

      // NR003, AX002: what no operator writes.
      {"RangeOfAnInput", Conv,
       [](GraphBuilder& b) {
         const int spec = AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_TENSOR_AFFINE);
         b.graph.mutable_specs(spec - 1)->set_quant_min(0);
         b.graph.mutable_specs(spec - 1)->set_quant_max(255);
         b.Value("x").set_spec(spec);
       },
       "NR003", "", "x"},
      {"RangeOfAnInputFits", Conv,
       [](GraphBuilder& b) {
         const int spec = AddSpec(b, v1::DATA_TYPE_UINT8, v1::Spec::PER_TENSOR_AFFINE);
         b.graph.mutable_specs(spec - 1)->set_quant_min(0);
         b.graph.mutable_specs(spec - 1)->set_quant_max(255);
         b.Value("x").set_spec(spec);
       },
       "-NR003"},
      {"AxisOfAConstant", Conv,
       [](GraphBuilder& b) {
         const int spec = AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_CHANNEL_SYMMETRIC);
         b.graph.mutable_specs(spec - 1)->set_axis(4);
         b.Value("w").set_spec(spec);
       },
       "AX002", "", "w"},
      {"AxisOfAConstantFits", Conv, [](GraphBuilder& b) { b.Value("w").set_spec(2); }, "-AX002"},

      // FX012
      {"DerivedFromWhatIsFoundAtRunTime", Conv, Dynamic("PlaceholderObserver"), "FX012", "conv", "b"},
      {"DerivedFromHalfPrecision", Conv,
       [](GraphBuilder& b) { Observed(b, v1::DATA_TYPE_FLOAT16, "PlaceholderObserver"); }, "FX012", "conv", "b"},
      {"DerivedFromWhatIsNotQuantized", Conv,
       [](GraphBuilder& b) {
         b.graph.add_specs()->set_kind(v1::Spec::EXPLICIT_NONE);
         b.Find("conv").set_input_specs(0, b.graph.specs_size());
       },
       "FX012", "conv", "b"},
      {"DerivedFromARange", Conv, Observes("MinMaxObserver", v1::Spec::PER_TENSOR_AFFINE), "-FX012"},
      {"BiasInFloatBesideARunTimeRange", Conv,
       [](GraphBuilder& b) {
         Dynamic("PlaceholderObserver")(b);
         b.Find("conv").set_input_specs(2, 0);
       },
       "-FX012"},

      // FX008
      {"FixedWithoutRange", Conv, [](GraphBuilder& b) { Fixed(b).clear_quant_max(); }, "FX008", "conv", "w"},
      {"FixedWithRange", Conv, [](GraphBuilder& b) { Fixed(b); }, "-FX008"},
      {"DynamicWithoutRange", Conv, Dynamic("PlaceholderObserver"), "FX008", "conv", "w"},
      {"DynamicWithoutRangeObserved", Conv, Dynamic("FakeQuantize(MinMaxObserver)"), "-FX008"},
      {"ObserverOfNumbersWithoutRange", Conv, Observes("FixedQParamsObserver", v1::Spec::PER_TENSOR_AFFINE), "FX008",
       "conv", "w"},
      {"ObserverOfNumbersWithRange", Conv, Ranges("FixedQParamsObserver", -128, 127), "-FX008"},
      {"ObservedWithoutRange", Conv, Observes("MinMaxObserver", v1::Spec::PER_TENSOR_AFFINE), "-FX008"},
      {"DerivedWithoutRange", Conv, [](GraphBuilder& b) { b.graph.mutable_specs(2)->clear_quant_min(); }, "FX008",
       "conv", "b"},
      {"DerivedWithRange", Conv, [](GraphBuilder&) {}, "-FX008"},
      {"FixedHalf", Conv,
       [](GraphBuilder& b) {
         Fixed(b).set_dtype(v1::DATA_TYPE_FLOAT16);
         b.graph.mutable_specs(1)->clear_quant_max();
       },
       "-FX008"},

      // FX009
      {"MaskOfTenThousand", Conv, [](GraphBuilder& b) { AddMaskedSoftmax(b, -10000); }, "FX009", "softmax", "masked",
       -1, warning},
      {"InfiniteMask", Conv, [](GraphBuilder& b) { AddMaskedSoftmax(b, -std::numeric_limits<double>::infinity()); },
       "FX009", "softmax", "masked", -1, warning},
      {"MaskThatTheSoftmaxReadsItself", Conv,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -10000, false);
         b.Find("softmax").add_input_specs(b.graph.specs_size());
       },
       "FX009", "softmax", "masked", -1, warning},
      {"StepsOfCalibration", SmallBias,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -30);
         v1::QParams& params = *b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_qparams();
         params.add_scales(0.7);
         params.add_zero_points(0);
       },
       "FX009", "softmax", "masked", -1, warning},
      {"FineStepsOfCalibration", SmallBias,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -10000);
         v1::QParams& params = *b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_qparams();
         params.add_scales(0.6);
         params.add_zero_points(0);
       },
       "-FX009"},
      {"MaskOfThirty", Conv, [](GraphBuilder& b) { AddMaskedSoftmax(b, -30); }, "-FX009"},
      {"InfiniteMaskInAHistogram", Conv,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -std::numeric_limits<double>::infinity());
         b.graph.mutable_specs(b.graph.specs_size() - 1)->set_observer(b.Symbol("HistogramObserver"));
       },
       "-FX009"},
      {"MaskUnderFixedNumbers", Conv,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -10000);
         b.graph.mutable_specs(b.graph.specs_size() - 1)->set_observer(b.Symbol("FixedQParamsObserver"));
       },
       "-FX009"},
      {"MaskInASoftmaxTakenApart", Conv, [](GraphBuilder& b) { AddMaskedExp(b, -10000); }, "FX009", "exp", "shifted",
       -1, v1::Finding::WARNING},
      {"SmallMaskInASoftmaxTakenApart", Conv, [](GraphBuilder& b) { AddMaskedExp(b, -30); }, "-FX009"},
      {"MaskOfAnInput", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) {
           m.Input("attention", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
           AddPlain(m, "unmasked", "aten.rsub.Scalar", {"attention"}, {{"other", 1}});
           AddPlain(m, "changed", "aten.mul.Tensor", {"unmasked"}, {{"other", -10000}});
         });
       },
       "FX009", "softmax", "masked", -1, warning},
      {"InputThatIsScaled", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) {
           m.Input("attention", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
           AddPlain(m, "changed", "aten.mul.Tensor", {"attention"}, {{"other", -100}});
         });
       },
       "-FX009"},
      {"TwoNumbersAlone", Conv,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -10000);
         b.Find("masked").set_op(b.Symbol("aten.where.self"));
         b.Find("masked").clear_inputs();
         b.Input("condition", v1::DATA_TYPE_BOOL, {1, 16, 8, 8});
         b.Reals("zero", {0});
         b.Reals("one", {-10000});
         for (const char* name : {"condition", "zero", "one"}) b.Find("masked").add_inputs(b.Id(name));
       },
       "-FX009"},
      {"MaskInFloat", Conv, [](GraphBuilder& b) { AddMaskedSoftmax(b, -10000, false); }, "-FX009"},
      {"MaskInSixteenBits", Conv,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -10000);
         b.graph.mutable_specs(b.graph.specs_size() - 1)->set_dtype(v1::DATA_TYPE_UINT16);
       },
       "-FX009"},

      // QS007
      {"ConcatBesideAFloatReader", Conv, [](GraphBuilder& b) { AddConcatOfAnInput(b, false); }, "QS007", "cat",
       "image"},
      {"ConcatBesideAQuantizedReader", Conv, [](GraphBuilder& b) { AddConcatOfAnInput(b, true); }, "-QS007"},
      {"ConcatOfAnObservedTensor", Conv,
       [](GraphBuilder& b) {
         AddConcatOfAnInput(b, true);
         b.Output("other");
         b.Find("other").clear_input_specs();
         b.Value("image").set_spec(b.graph.specs_size());
       },
       "-QS007"},  // what reads an observed tensor reads the observer
      {"ConcatBesideAFloatReaderThatIsWrittenLater", Conv,
       [](GraphBuilder& b) {
         AddConcatOfAnInput(b, true);
         AddPlain(b, "late", "aten.softplus.default", {"image"});
         b.Find("late").set_annotated(true);
         b.Output("late");
       },
       "-QS007"},
      {"ConcatOfWhatIsReturned", Conv,
       [](GraphBuilder& b) {
         AddConcatOfAnInput(b, true);
         b.graph.clear_outputs();
         AddPlain(b, "late", "aten.softplus.default", {"cat"});
         for (const char* name : {"late", "image"}) b.Output(name);
       },
       "QS007", "cat", "image"},
      {"ConcatReturnedBesideItsInput", Conv,
       [](GraphBuilder& b) {
         AddConcatOfAnInput(b, true);
         b.Output("image");
       },
       "-QS007"},
      {"ConcatUnderAnotherObserver", Conv,
       [](GraphBuilder& b) {
         AddConcatOfAnInput(b, false);
         b.graph.mutable_specs(b.graph.specs_size() - 1)->set_observer(b.Symbol("MinMaxObserver"));
       },
       "-QS007"},

      // FX011
      {"InfinityLostInAHistogram", Conv, [](GraphBuilder& b) { AddObservedMask(b, -kInfinity, "HistogramObserver"); },
       "FX011", "softmax", "masked", -1, warning},
      {"FiniteMaskInAHistogram", Conv, [](GraphBuilder& b) { AddObservedMask(b, -20, "HistogramObserver"); }, "-FX011"},
      {"InfinityUnderAnotherObserver", Conv, [](GraphBuilder& b) { AddObservedMask(b, -kInfinity, "MyObserver"); },
       "-FX011"},
      {"InfinityInFloat", Conv, [](GraphBuilder& b) { AddMaskedSoftmax(b, -kInfinity, false); }, "-FX011"},
      {"InfinityInANarrowRange", SmallBias,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -kInfinity);
         v1::QParams& params = *b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_qparams();
         params.add_scales(0.03);
         params.add_zero_points(128);
       },
       "FX011", "softmax", "masked", -1, warning},
      {"InfinityInAWideRange", SmallBias,
       [](GraphBuilder& b) {
         AddMaskedSoftmax(b, -kInfinity);
         v1::QParams& params = *b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_qparams();
         params.add_scales(0.1);
         params.add_zero_points(255);
       },
       "-FX011"},

      // NR010
      {"NaNInAWeight", Conv, [](GraphBuilder& b) { AddNaN(b, "w", 1); }, "NR010", "conv", "w"},
      {"NaNInABias", Conv, [](GraphBuilder& b) { AddNaN(b, "b", 2); }, "NR010", "conv", "b"},
      {"NaNThatSharesTheParametersOfAnother", Conv,
       [](GraphBuilder& b) {
         AddNaN(b, "w", 1);
         v1::Spec& shared = *b.graph.add_specs();
         shared.set_kind(v1::Spec::SHARED);
         shared.mutable_shared_with()->set_value(b.Id("conv"));
         b.Find("conv").set_input_specs(1, b.graph.specs_size());
       },
       "NR010", "conv", "w"},
      {"NaNThatIsAnnotatedItself", Conv,
       [](GraphBuilder& b) {
         AddNaN(b, "w", 1);
         b.Find("conv").set_input_specs(1, 0);
         b.Value("w").set_spec(2);
       },
       "NR010", "", "w"},
      {"NaNThatStaysFloat", Conv,
       [](GraphBuilder& b) {
         AddNaN(b, "w", 1);
         b.Find("conv").set_input_specs(1, 0);
       },
       "-NR010"},

      // NR009
      {"InfinityInARange", Conv, [](GraphBuilder& b) { AddObservedMask(b, -kInfinity, "MinMaxObserver"); }, "NR009",
       "masked", "masked"},
      {"InfinityInAnAverage", Conv,
       [](GraphBuilder& b) { AddObservedMask(b, -kInfinity, "MovingAverageMinMaxObserver"); }, "NR009", "masked",
       "masked"},
      {"InfinityLeftOut", Conv, [](GraphBuilder& b) { AddObservedMask(b, -kInfinity, "HistogramObserver"); }, "-NR009"},
      {"LargeNumberInARange", Conv, [](GraphBuilder& b) { AddObservedMask(b, -1e30, "MinMaxObserver"); }, "-NR009"},
      {"InfinityThatIsFilledIn", Conv,
       [](GraphBuilder& b) {
         v1::Attribute& attribute = *AddPad(b, "MinMaxObserver").add_attributes();
         attribute.set_name(b.Symbol("value"));
         attribute.set_f(-kInfinity);
       },
       "NR009", "pad", "pad"},
      {"ZerosThatAreFilledIn", Conv, [](GraphBuilder& b) { AddPad(b, "MinMaxObserver"); }, "-NR009"},
      {"InfinityNegated", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) { AddPlain(m, "changed", "aten.neg.default", {"mask"}); });
       },
       "NR009", "masked", "masked"},
      {"InfinityScaled", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) {
           AddPlain(m, "changed", "aten.mul.Tensor", {"mask"}, {{"other", 2}});
         });
       },
       "NR009", "masked", "masked"},
      {"InfinityReplaced", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) {
           m.Node("aten.isinf.default", "is_infinite", {"mask"}, {"is_infinite"});
           m.Shape("is_infinite", v1::DATA_TYPE_BOOL, {2});
           AddPlain(m, "changed", "aten.masked_fill.Scalar", {"mask", "is_infinite"}, {{"value", -8}});
         });
       },
       "-NR009"},
      {"InfinityInAPart", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) { AddPlain(m, "changed", "aten.select.int", {"mask"}); });
       },
       "NR009", "masked", "masked", -1, v1::Finding::WARNING},
      {"InfinityWhereTheInputIsLarge", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) {
           AddPlain(m, "is_large", "aten.gt.Scalar", {"conv"}, {{"other", 1}});
           m.Value("is_large").set_dtype(v1::DATA_TYPE_BOOL);
           AddPlain(m, "changed", "aten.masked_fill.Scalar", {"conv", "is_large"}, {{"value", -kInfinity}});
         });
       },
       "NR009", "masked", "masked", -1, v1::Finding::WARNING},
      {"InfinityBesideOneOfTheInput", Conv, [](GraphBuilder& b) { AddTwoInfinities(b, "mask", "filled"); }, "NR009",
       "masked", "masked"},
      {"InfinityOfTheInputBesideOne", Conv, [](GraphBuilder& b) { AddTwoInfinities(b, "filled", "mask"); }, "NR009",
       "masked", "masked"},
      {"IndicesOfAnInfinity", Conv,
       [](GraphBuilder& b) {
         AddChangedMask(b, [](GraphBuilder& m) {
           AddPlain(m, "indices", "aten.argmax.default", {"mask"});
           m.Value("indices").set_dtype(v1::DATA_TYPE_INT64);
           AddPlain(m, "changed", "aten.to.dtype", {"indices"});
         });
       },
       "-NR009"},

      // FX010
      {"FixedBehindAnObserver", Conv, [](GraphBuilder& b) { AddFixedMul(b, "conv", 0.25); }, "FX010", "mul", "conv", -1,
       v1::Finding::WARNING},
      {"FixedBehindAMovedTensor", Conv,
       [](GraphBuilder& b) {
         b.Node("aten.permute.default", "moved", {"conv"}, {"moved"});
         b.Shape("moved", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddFixedMul(b, "moved", 0.25);
       },
       "FX010", "mul", "moved", -1, v1::Finding::WARNING},
      {"FixedWhereNothingBounds", Conv, [](GraphBuilder& b) { AddFixedMul(b, "relu", 0.25); }, "FX010", "mul", "relu",
       -1, v1::Finding::WARNING},
      {"FixedBehindWhatRoundsThat", Conv,
       [](GraphBuilder& b) {
         AddPlain(b, "rounded", "aten.floor.default", {"relu"});
         AddFixedMul(b, "rounded", 0.25);
       },
       "FX010", "mul", "rounded", -1, v1::Finding::WARNING},
      {"FixedToWhatSomebodyMeasured", Conv, [](GraphBuilder& b) { AddFixedMul(b, "relu", 0.25, 0, 16); }, "-FX010"},
      {"FixedConstantBeyond", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, -128);
         AddFixedMul(b, "sigmoid", 2, -128);
       },
       "FX010", "mul", "factor", -1, v1::Finding::WARNING},
      {"FixedBySharing", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, -128);
         AddFixedMul(b, "sigmoid", 2, -128);
         v1::Spec& shared = *b.graph.add_specs();
         shared.set_kind(v1::Spec::SHARED);
         shared.mutable_shared_with()->set_value(b.Id("sigmoid"));
         shared.mutable_shared_with()->set_consumer(b.graph.nodes_size());
         b.graph.mutable_nodes(b.graph.nodes_size() - 1)->set_input_specs(1, b.graph.specs_size());
       },
       "FX010", "mul", "factor", -1, v1::Finding::WARNING},
      {"FixedConstantWithin", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, -128);
         AddFixedMul(b, "sigmoid", 0.5, -128);
       },
       "-FX010"},
      {"FixedHalfOfASigmoid", Conv,
       [](GraphBuilder& b) {
         b.Node("aten.sigmoid.default", "sigmoid", {"relu"}, {"sigmoid"});
         b.Shape("sigmoid", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddFixedMul(b, "sigmoid", 0.25);
       },
       "FX010", "mul", "sigmoid", -1, v1::Finding::WARNING},
      {"FixedBehindOneMinusASigmoid", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, -128);
         v1::Attribute& other = *b.Node("aten.rsub.Scalar", "rest", {"sigmoid"}, {"rest"}).add_attributes();
         other.set_name(b.Symbol("other"));
         other.set_f(1);
         b.Shape("rest", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddFixedMul(b, "rest", 0.25, -128);
       },
       "-FX010"},
      {"FixedBehindASigmoidMinusOne", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, -128);
         v1::Attribute& other = *b.Node("aten.sub.Scalar", "rest", {"sigmoid"}, {"rest"}).add_attributes();
         other.set_name(b.Symbol("other"));
         other.set_f(1);
         b.Shape("rest", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddFixedMul(b, "rest", 0.25, -128);
       },
       "FX010", "mul", "rest", -1, v1::Finding::WARNING},
      {"FixedBehindAClamp", Conv,
       [](GraphBuilder& b) {
         v1::Node& clamp = b.Node("aten.hardtanh.default", "clamp", {"relu"}, {"clamp"});
         for (const auto& [end, number] : {std::pair("min_val", -0.5), std::pair("max_val", 0.5)}) {
           v1::Attribute& attribute = *clamp.add_attributes();
           attribute.set_name(b.Symbol(end));
           attribute.set_f(number);
         }
         b.Shape("clamp", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddFixedMul(b, "clamp", 0.25);
       },
       "-FX010"},
      {"FixedNormOfAnInput", Conv,
       [](GraphBuilder& b) {
         b.Input("image", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddPlain(b, "norm", "aten.layer_norm.default", {"image"});
         AddFixedMul(b, "norm", 0.25);
       },
       "-FX010"},
      {"FixedInputOfTheModel", Conv,
       [](GraphBuilder& b) {
         b.Input("image", v1::DATA_TYPE_FLOAT32, {1, 16, 8, 8});
         AddFixedMul(b, "image", 0.25);
       },
       "-FX010"},
      {"FixedBesideAWiderCalibrated", SmallBias, [](GraphBuilder& b) { AddFixedMul(b, "conv", 0.25); }, "FX010", "mul",
       "conv", -1, v1::Finding::WARNING},
      {"FixedBesideANarrowerCalibrated", SmallBias,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->mutable_qparams()->set_scales(0, 1e-3);
         AddFixedMul(b, "conv", 0.25);
       },
       "-FX010"},

      {"FixedBesideASymmetricCalibrated", SmallBias,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         b.graph.mutable_specs(0)->mutable_qparams()->set_scales(0, 0.7 / 128);
         b.graph.mutable_specs(0)->mutable_qparams()->set_zero_points(0, 128);
         AddFixedMul(b, "conv", 0.25, -128);  // 0..1
       },
       "-FX010"},
      {"FixedBesideAWiderSymmetricCalibrated", SmallBias,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         b.graph.mutable_specs(0)->mutable_qparams()->set_scales(0, 1.4 / 128);
         b.graph.mutable_specs(0)->mutable_qparams()->set_zero_points(0, 128);
         AddFixedMul(b, "conv", 0.25, -128);
       },
       "FX010", "mul", "conv", -1, v1::Finding::WARNING},
      {"FixedBehindTwoClamps", Conv,
       [](GraphBuilder& b) {
         AddPlain(b, "above", "aten.clamp.default", {"conv"}, {{"min", -0.4}});
         AddPlain(b, "clamped", "aten.clamp.default", {"above"}, {{"max", 0.4}});
         AddFixedMul(b, "clamped", 0.25);
       },
       "-FX010"},
      {"FixedBehindTwoWideClamps", Conv,
       [](GraphBuilder& b) {
         AddPlain(b, "above", "aten.clamp.default", {"conv"}, {{"min", -4}});
         AddPlain(b, "clamped", "aten.clamp.default", {"above"}, {{"max", 4}});
         AddFixedMul(b, "clamped", 0.25);
       },
       "FX010", "mul", "clamped", -1, v1::Finding::WARNING},
      {"FixedBehindAWideClamp", Conv,
       [](GraphBuilder& b) {
         AddPlain(b, "clamped", "aten.clamp.default", {"relu"}, {{"min", -4}, {"max", 4}});
         AddFixedMul(b, "clamped", 0.25);
       },
       "FX010", "mul", "clamped", -1, v1::Finding::WARNING},
      {"FixedBehindASumOfTwo", Conv,
       [](GraphBuilder& b) {
         AddPlain(b, "one", "aten.sigmoid.default", {"relu"});
         AddPlain(b, "other", "aten.tanh.default", {"relu"});
         AddPlain(b, "sum", "aten.add.Tensor", {"one", "other"});
         AddFixedMul(b, "sum", 0.25, -128);
       },
       "-FX010"},
      {"FixedToHalfOfItsDomain", Conv,
       [](GraphBuilder& b) {
         AddFixedRead(b, "aten.asin.default");
         v1::QParams& params = *b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_qparams();
         params.set_scales(0, 1.0 / 256);
         params.set_zero_points(0, -128);
       },
       "FX010", "read", "conv", -1, v1::Finding::WARNING},
      {"FixedToItsDomain", Conv, [](GraphBuilder& b) { AddFixedRead(b, "aten.asin.default"); }, "-FX010"},
      {"FixedToNoDomain", Conv, [](GraphBuilder& b) { AddFixedRead(b, "aten.sin.default"); }, "FX010", "read", "conv",
       -1, v1::Finding::WARNING},
      {"FixedByWhatItIsCatWith", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, -128);
         AddPlain(b, "other", "aten.exp.default", {"relu"});
         v1::Node& cat = b.Node("aten.cat.default", "cat", {"sigmoid", "other"}, {"cat"});
         b.Shape("cat", v1::DATA_TYPE_FLOAT32, {1, 32, 8, 8});
         b.Output("cat");
         v1::Spec& shared = *b.graph.add_specs();
         shared.set_kind(v1::Spec::SHARED);
         shared.mutable_shared_with()->set_value(b.Id("sigmoid"));
         for (int i = 0; i < 2; ++i) cat.add_input_specs(b.graph.specs_size());
       },
       "FX010", "cat", "other", -1, v1::Finding::WARNING},

      // FX006
      {"SigmoidCutInHalf", Conv, [](GraphBuilder& b) { AddSigmoid(b, v1::DATA_TYPE_INT8, 0); }, "FX006", "sigmoid",
       "sigmoid"},
      {"SigmoidInTheGroupOfItsProduct", Conv, [](GraphBuilder& b) { AddGatedProduct(b, "sigmoid"); }, "FX006",
       "sigmoid", "sigmoid"},
      {"SigmoidInAGroupThatAnotherLeads", Conv, [](GraphBuilder& b) { AddGatedProduct(b, "relu"); }, "-FX006"},
      {"SigmoidCutInHalfByItsObserver", Conv,
       [](GraphBuilder& b) {
         b.graph.set_stage(v1::STAGE_CALIBRATED);
         AddSigmoid(b, v1::DATA_TYPE_INT8, 0);
         b.graph.mutable_specs(3)->set_kind(v1::Spec::PLAIN);
         b.graph.mutable_specs(3)->set_observer(b.Symbol("FixedQParamsObserver"));
       },
       "FX006", "sigmoid", "sigmoid"},
      {"SigmoidOfInt8", Conv, [](GraphBuilder& b) { AddSigmoid(b, v1::DATA_TYPE_INT8, -128); }, "-FX006"},
      {"SigmoidOfUint8", Conv, [](GraphBuilder& b) { AddSigmoid(b, v1::DATA_TYPE_UINT8, 0); }, "-FX006"},
      {"SigmoidObserved", Conv,
       [](GraphBuilder& b) {
         AddSigmoid(b, v1::DATA_TYPE_INT8, 0);
         b.graph.set_stage(v1::STAGE_CALIBRATED);
         b.graph.mutable_specs(3)->set_kind(v1::Spec::PLAIN);
       },
       "-FX006"},
  };
}

}  // namespace quantgate::testing
