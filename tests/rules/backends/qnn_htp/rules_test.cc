// Every measured rule of the HTP backend: an operator that fires it, and one next to it that does not.
#include "rules/constraints/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <limits>

#include "rules/backends/qnn_htp/composite.h"
#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/backends/qnn_htp/overrules.h"
#include "rules/backends/qnn_htp/rule_list.h"

namespace quantgate::qnn_htp {
namespace {

// A backend operator that owns what it points to.
class TestOp {
 public:
  explicit TestOp(std::string name) : name_(std::move(name)) {}

  TestOp& In(const char* type, std::vector<double> scales = {}, std::vector<double> zero_points = {}) {
    inputs_.push_back(Make(type, std::move(scales), std::move(zero_points)));
    return *this;
  }
  TestOp& Out(const char* type, std::vector<double> scales = {}, std::vector<double> zero_points = {}) {
    outputs_.push_back(Make(type, std::move(scales), std::move(zero_points)));
    return *this;
  }
  TestOp& Param(absl::string_view name, std::vector<int64_t> ints) {
    params_.push_back({name, std::move(ints), {}});
    return *this;
  }
  // Changes the tensor that was added last.
  TestOp& With(const std::function<void(BackendTensor&)>& change) {
    change(outputs_.empty() ? inputs_.back() : outputs_.back());
    return *this;
  }
  TestOp& Dims(std::vector<int64_t> dims) {
    dims_.push_back(std::move(dims));
    return With([&](BackendTensor& t) {
      t.dims = dims_.back();
      t.rank = static_cast<int>(dims_.back().size());
    });
  }
  TestOp& Bits(int bits) {
    return With([&](BackendTensor& t) {
      t.bits = bits;
      t.encoding = t.encoding == Encoding::kPerChannel ? Encoding::kBwPerChannel : Encoding::kBwPerTensor;
    });
  }
  TestOp& Static() {
    return With([](BackendTensor& t) { t.is_static = t.static_chain = true; });
  }
  TestOp& Axis(int axis) {
    return With([&](BackendTensor& t) { t.axis = axis; });
  }
  // One size for each axis of the origin; the tensor has scales.
  TestOp& Blocks(std::vector<int64_t> sizes) {
    sizes_.push_back(std::move(sizes));
    qparams_.back().block_sizes = sizes_.back();
    return *this;
  }
  TestOp& Kind(Encoding encoding) {
    return With([&](BackendTensor& t) { t.encoding = encoding; });
  }

  TestOp& AsStated() {
    as_stated_ = true;
    return *this;
  }

  BackendOp op() const {
    BackendOp op;
    op.name = name_;
    op.node = 0;
    op.inputs = inputs_;
    op.outputs = outputs_;
    op.params = params_;
    op.as_stated = as_stated_;
    return op;
  }

 private:
  BackendTensor Make(const char* type, std::vector<double> scales, std::vector<double> zero_points) {
    BackendTensor tensor;
    tensor.present = true;
    tensor.type = *db::ElementTypeFromName(type);
    tensor.value = 0;
    tensor.argument = static_cast<int16_t>(inputs_.size());
    if (!tensor.type.quantized) return tensor;
    tensor.encoding = scales.size() > 1 ? Encoding::kPerChannel : Encoding::kPerTensor;
    if (scales.empty()) return tensor;
    numbers_.push_back(std::move(scales));
    numbers_.push_back(std::move(zero_points));
    axes_.push_back({0});
    QuantParams qparams;
    qparams.scales = numbers_[numbers_.size() - 2];
    qparams.zero_points = numbers_.back();
    if (qparams.scales.size() > 1) qparams.axes = axes_.back();
    qparams_.push_back(qparams);
    tensor.qparams = &qparams_.back();
    return tensor;
  }

  std::string name_;
  std::vector<BackendTensor> inputs_;
  std::vector<BackendTensor> outputs_;
  std::vector<BackendParam> params_;
  bool as_stated_ = false;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<int32_t>> axes_;
  std::deque<QuantParams> qparams_;
  std::deque<std::vector<int64_t>> dims_;
  std::deque<std::vector<int64_t>> sizes_;
};

std::vector<std::string> Codes(const BackendOp& op, int arch, const std::vector<Violation>& reported = {},
                               Toolchain toolchain = Toolchain::kQnnConverter, const char* sdk = "") {
  Target target;
  target.sdk = sdk;
  target.arch = arch;
  target.kernels = arch;
  target.toolchain = toolchain;
  FindingSink sink;
  OpReport report(op, reported, sink);
  for (const OpRule& rule : OpRules()) rule.check(op, target, report);
  std::vector<std::string> codes;
  for (const FindingDraft& draft : sink.findings()) codes.emplace_back(draft.rule->code);
  return codes;
}

constexpr char kU8[] = "UFIXED_POINT_8";
constexpr char kS8[] = "SFIXED_POINT_8";
constexpr char kU16[] = "UFIXED_POINT_16";
constexpr char kS16[] = "SFIXED_POINT_16";
constexpr char kS32[] = "SFIXED_POINT_32";
constexpr char kF16[] = "FLOAT_16";
constexpr char kF32[] = "FLOAT_32";

struct Case {
  const char* code;
  std::shared_ptr<TestOp> fires;
  std::shared_ptr<TestOp> neighbor;
  int arch = 75;
  int neighbor_arch = 75;
  Toolchain toolchain = Toolchain::kQnnConverter;
  Toolchain neighbor_toolchain = Toolchain::kQnnConverter;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.code; }

std::shared_ptr<TestOp> Op(TestOp op);

// TestOp's tensors point into its own deques, which move along.
std::shared_ptr<TestOp> Op(TestOp op) { return std::make_shared<TestOp>(std::move(op)); }
TestOp T(const char* name) { return TestOp(name); }

TEST(StaticShapes, SomeSizesMayChangeInSixteenBits) {
  const auto codes = [](const char* name, const char* type, std::vector<int64_t> dims, const char* sdk = "2.49.40") {
    TestOp op(name);
    const auto dynamic = [](BackendTensor& t) { t.dynamic_shape = Tri::kYes; };
    op.In(type).Dims(dims).With(dynamic).Out(type).Dims(dims).With(dynamic);
    return Codes(op.op(), /*arch=*/75, {}, Toolchain::kExecuTorch, sdk);
  };
  const std::vector<std::string> refused = {"GS201"};
  const std::vector<std::string> taken;
  EXPECT_EQ(codes("ElementWiseAdd", kU16, {2, 3, 4, -1}), taken);
  EXPECT_EQ(codes("ElementWiseAdd", kU16, {2, 3, -1, 5}), taken);
  EXPECT_EQ(codes("ElementWiseAdd", kU16, {-1, 5}), taken);
  EXPECT_EQ(codes("ElementWiseAdd", kS32, {2, 3, 4, -1}), taken);
  EXPECT_EQ(codes("ElementWiseAdd", kU16, {2, -1, 4, 5}), refused);
  EXPECT_EQ(codes("ElementWiseAdd", kU16, {-1, 3, 4}), refused);
  EXPECT_EQ(codes("ElementWiseAdd", kU8, {2, 3, 4, -1}), refused);
  EXPECT_EQ(codes("ElementWiseAdd", kF16, {2, 3, 4, -1}), refused);
  EXPECT_EQ(codes("ElementWiseAdd", kU16, {2, 3, 4, -1}, "2.51.0"), refused);
  EXPECT_EQ(codes("Softmax", kU16, {-1, 5}), taken);
  EXPECT_EQ(codes("Softmax", kU8, {-1, 5}), refused);
  EXPECT_EQ(codes("Softmax", kU16, {3, -1}), refused);
  EXPECT_EQ(codes("Sigmoid", kU16, {2, 3, -1, 5}), refused);
  EXPECT_EQ(codes("Sigmoid", kU16, {2, 3, 4, -1}), taken);
  EXPECT_EQ(codes("Sigmoid", kU16, {2, -1, 4, 5}), refused);
  EXPECT_EQ(codes("ElementWiseMultiply", kU16, {2, 3, 4, -1}), refused);
}

class MeasuredRule : public ::testing::TestWithParam<Case> {};

TEST_P(MeasuredRule, FiresThereAndNotNextToIt) {
  const Case& c = GetParam();
  EXPECT_THAT(Codes(c.fires->op(), c.arch, {}, c.toolchain), ::testing::Contains(c.code));
  EXPECT_THAT(Codes(c.neighbor->op(), c.neighbor_arch, {}, c.neighbor_toolchain),
              ::testing::Not(::testing::Contains(c.code)));
}

std::vector<Case> Cases() {
  const std::vector<double> two = {0.01, 0.02};
  const std::vector<double> zeros = {0, 0};
  std::vector<Case> cases;
  const auto add = [&](const char* code, TestOp& fires, TestOp& neighbor, int arch = 75, int neighbor_arch = 0) {
    cases.push_back({code, Op(std::move(fires)), Op(std::move(neighbor)), arch, neighbor_arch ? neighbor_arch : arch});
  };
  for (const char* op :
       {"Conv2d", "DepthWiseConv2d", "TransposeConv2d", "FullyConnected", "MatMul", "LayerNorm", "Batchnorm"}) {
    add("DT201", T(op).In(kU16).In(kS16).Out(kU16), T(op).In(kU16).In(kS16).Out(kU16), 69, 73);
    add("DT201", T(op).In(kU16).In(kU16).Out(kU16), T(op).In(kU16).In(kU8).Out(kU16), 68);
  }
  add("DT202", T("Conv2d").In(kU16).In(kS8).Bits(2).Out(kU16), T("Conv2d").In(kU16).In(kS8).Bits(2).Out(kU16), 68, 73);
  add("DT202", T("Conv2d").In(kU16).In(kS8).Bits(2).Out(kU16), T("FullyConnected").In(kU16).In(kS8).Bits(2).Out(kU16),
      69);
  add("DT203", T("Conv2d").In(kU8).In(kS8).Bits(2).Out(kU8), T("Conv2d").In(kU8).In(kS8).Bits(4).Out(kU8));
  add("DT203", T("FullyConnected").In(kU16).In(kS8).Bits(3).Out(kU16),
      T("FullyConnected").In(kU16).In(kS8).Bits(2).Out(kU16));
  add("DT203", T("Conv3d").In(kU8).In(kS8).Bits(4).Out(kU8), T("Conv3d").In(kU8).In(kU8).Bits(4).Out(kU8));
  add("DT203", T("Conv2d").In(kU8).In(kU8, two, {8, 8}).Bits(4).Out(kU8),
      T("Conv2d").In(kU8).In(kS8, two, zeros).Bits(4).Out(kU8));
  add("DT204", T("Conv2d").In(kF16).In(kS8, two).Dims({3, 3, 8, 2}).Out(kF16),
      T("Conv2d").In(kF16).In(kS8, two).Dims({1, 1, 8, 2}).Out(kF16));
  add("DT204", T("MatMul").In(kF16).In(kS8).Out(kF16), T("FullyConnected").In(kF16).In(kS8, two).Out(kF16));
  add("DT205", T("Gather").In(kF32).In("INT_32").Out(kF32), T("Gather").In(kF32).In("INT_32").Out(kF32), 68, 69);
  add("DT205", T("ElementWiseSelect").In("BOOL_8").In(kF32).In(kF32).Out(kF32),
      T("ElementWiseSelect").In("BOOL_8").In(kF16).In(kF16).Out(kF16), 68);
  add("DT206", T("MatMul").In(kU8).In(kS8).Dims({1, 2, 8, 8}).Out(kU8),
      T("MatMul").In(kU8).In(kS8).Dims({2, 8, 8}).Out(kU8));
  add("DT206", T("MatMul").In(kU8).In(kS8).Dims({1, 2, 8, 8}).Out(kU8),
      T("MatMul").In(kU8).In(kS8).Dims({1, 2, 8, 8}).Static().Out(kU8));
  add("DT207", T("ElementWiseSelect").In("INT_32").In(kU8).In(kU8).Out(kU8),
      T("ElementWiseSelect").In("BOOL_8").In(kU8).In(kU8).Out(kU8));
  using Dims = std::vector<int64_t>;
  const auto select = [](const char* type, Dims x, Dims y, int constant = 0) {
    TestOp op = T("ElementWiseSelect");
    op.In("BOOL_8").Dims({2, 3});
    op.In(type).Dims(std::move(x));
    if (constant == 1) op.Static();
    op.In(type).Dims(std::move(y));
    if (constant == 2) op.Static();
    op.Out(type).Dims({2, 3});
    return op;
  };
  const auto selects = [&](TestOp fires, TestOp neighbor) { add("GS209", fires, neighbor); };
  selects(select(kS16, {3}, {2, 3}), select(kU16, {3}, {2, 3}));
  selects(select(kS16, {2, 1}, {2, 3}), select(kS16, {1, 1}, {2, 3}));
  selects(select(kS16, {2, 3}, {3}), select(kS16, {2, 3}, {2, 3}));
  selects(select(kS16, {3}, {3}), select(kS16, {3}, {2, 3}, /*constant=*/1));
  selects(select(kS16, {3}, {2, 3}, /*constant=*/2), select(kS16, {2, 3}, {3}, /*constant=*/2));
  selects(select(kS8, {3}, {2, 3}), select(kS8, {2, 3}, {3}));
  selects(select(kS8, {3}, {1}), select(kS8, {3}, {3}));
  selects(select(kS8, {3}, {2, 3}), select(kS8, {3}, {2, 3}, /*constant=*/2));
  // A 1x1 convolution of floats and narrow weights, from `channels` to 2.
  const auto half = [&](int64_t channels, int bits, int64_t group, int64_t dilation, const char* input = kF16) {
    TestOp op = T("Conv2d");
    op.In(input).In(kS8, two, zeros).Dims({1, 1, channels, 2});
    if (bits < 8) op.Bits(bits);
    op.Out(input).Param("group", {group}).Param("dilation", {dilation, dilation});
    return op;
  };
  for (const auto& [bits, fits, does_not] : {std::tuple{8, 4, 6}, {4, 8, 4}, {2, 16, 8}}) {
    TestOp fires = half(does_not, bits, 1, 1);
    TestOp neighbor = half(fits, bits, 1, 1);
    add("DT210", fires, neighbor);
  }
  for (const auto& [group, dilation] : {std::pair{2, 1}, {1, 2}}) {
    TestOp fires = half(8, 8, group, dilation);
    TestOp neighbor = half(8, 8, 1, 1);
    add("DT210", fires, neighbor);
  }
  {
    TestOp fires = half(3, 8, 1, 1);
    TestOp neighbor = half(3, 8, 2, 2, kU8);
    add("DT210", fires, neighbor);
    const auto blocks = [&](int64_t group, int64_t dilation) {
      TestOp op = T("Conv2d");
      op.In(kF16).In(kS8, two, zeros).Kind(Encoding::kBlock).Dims({1, 1, 8, 2});
      op.Out(kF16).Param("group", {group}).Param("dilation", {dilation, dilation});
      return op;
    };
    for (const auto& [group, dilation] : {std::pair{2, 1}, {1, 2}}) {
      TestOp wrong = blocks(group, dilation);
      TestOp right = blocks(1, 1);
      add("DT211", wrong, right);
    }
  }
  const auto second = [](BackendTensor& t) { t.argument = 1; };
  add("DT209", T("Convert").In(kU16, {0.1}, {5}).With(second).Out(kU8), T("Convert").In(kU16, {0.1}, {5}).Out(kU8));
  add("DT209", T("Convert").In(kU16, {0.1}, {5}).With(second).Out(kU8),
      T("Convert").In(kU16, {0.1}, {5}).With(second).Out(kU8, {0.2}, {9}));
  add("QS201", T("Conv2d").In(kU8).In(kS8, two).In(kU8, {0.1}, {128}).Out(kU8),
      T("Conv2d").In(kU8).In(kS8, {0.01}, {0}).In(kU8, {0.1}, {128}).Out(kU8));
  const auto run_time = [](BackendTensor& t) { t.dynamic_qparams = Tri::kYes; };
  const auto stated = [](BackendTensor& t) { t.dynamic_qparams = Tri::kNo; };
  add("QS202", T("FullyConnected").In(kU8).With(run_time).In(kS8).Out(kU8),
      T("FullyConnected").In(kU8).With(stated).In(kS8).Out(kU8));
  add("QS203", T("Conv2d").In(kU8).In(kS8, {0.1}, {3.5}).Out(kU8), T("Conv2d").In(kU8).In(kS8, {0.1}, {3}).Out(kU8));
  add("QS202", T("Relu").In(kU8).Out(kU8).With(run_time), T("Relu").In(kU8).Out(kU8));
  add("AX201", T("FullyConnected").In(kU8).In(kS8, two).Axis(1).Static().Out(kU8),
      T("FullyConnected").In(kU8).In(kS8, two).Axis(0).Static().Out(kU8));
  add("AX202", T("FullyConnected").In(kU8).In(kS8, two).Axis(0).Out(kU8),
      T("FullyConnected").In(kU8).In(kS8, {0.1}, {0}).Out(kU8));
  add("AX203", T("TransposeConv2d").In(kU8).In(kS8).Kind(Encoding::kBlockExpansion).Out(kU8),
      T("Conv2d").In(kU8).In(kS8).Kind(Encoding::kBlockExpansion).Out(kU8));
  add("AX203", T("MatMul").In(kF16).In(kS8).Kind(Encoding::kBlockExpansion).Out(kF16),
      T("MatMul").In(kU16).In(kS8).Kind(Encoding::kBlockExpansion).Out(kU16));
  add("AX203", T("FullyConnected").In(kF16).In(kS8).Kind(Encoding::kBlock).Out(kF16),
      T("FullyConnected").In(kF16).In(kS8).Kind(Encoding::kBlock).Out(kF16), 68, 69);
  add("AX204", T("LayerNorm").In(kU8).In(kU8, two, {1, 1}).Out(kU8),
      T("LayerNorm").In(kU8).In(kU8, {0.1}, {1}).Out(kU8));
  add("AX205", T("PoolMax2d").In(kU8).Out(kU8, two, zeros), T("PoolMax2d").In(kU8).Out(kU8, {0.1}, {0}));
  add("AX205", T("Relu").In(kU8, two, zeros).Out(kU8), T("Relu").In(kU8, two, zeros).Static().Out(kU8));
  add("AX206", T("Convert").In(kS8, two).Static().Out(kU8), T("Convert").In(kS8, two).Static().Out(kU16));
  // Channels of a group in, one scale for each that comes out.
  const auto grouped = [](int64_t groups, int64_t in, int64_t scales, std::vector<int64_t> stride = {2, 2},
                          Encoding encoding = Encoding::kPerChannel) {
    TestOp op = T("TransposeConv2d");
    op.In(kU8).In(kS8).Kind(encoding).Dims({3, 3, in * groups, scales}).Out(kU8);
    op.Param("group", {groups}).Param("stride", std::move(stride));
    return op;
  };
  const auto scales = [&](TestOp fires, TestOp neighbor) { add("AX207", fires, neighbor); };
  scales(grouped(4, 2, 2), grouped(2, 2, 2));
  scales(grouped(4, 2, 3), grouped(4, 2, 4));
  scales(grouped(4, 2, 1), grouped(4, 2, 1, {2, 2}, Encoding::kPerTensor));
  scales(grouped(8, 1, 1), grouped(8, 1, 1, {2, 1}));
  scales(grouped(8, 2, 1, {1, 1}), grouped(8, 1, 1, {1, 1}));
  // A filter of `height` by 3, one scale for each `block` input channels.
  const auto blocks = [](int64_t height, std::vector<int64_t> block, const char* input = "UFIXED_POINT_16") {
    TestOp op = T("Conv2d");
    op.In(input).In(kS8, {0.1, 0.2}, {0, 0}).Bits(4).Kind(Encoding::kBlockExpansion).Blocks(std::move(block));
    op.Dims({height, 3, 32, 4}).Out(input);
    return op;
  };
  const auto filter_blocks = [&](TestOp fires, TestOp neighbor) { add("AX208", fires, neighbor); };
  filter_blocks(blocks(3, {1, 8, 1, 1}), blocks(3, {1, 9, 1, 1}));
  filter_blocks(blocks(1, {1, 2, 1, 1}), blocks(1, {1, 4, 1, 1}));
  filter_blocks(blocks(3, {1, 8, 1, 1}), blocks(int64_t{1} << 62, {1, int64_t{1} << 62, 4, 1}));
  filter_blocks(blocks(3, {1, 8, 1, 1}), blocks(3, {1, 8, 1, 1}, kF16));
  const auto linear = [](int64_t outputs, int64_t inputs, const char* input = "UFIXED_POINT_16") {
    TestOp op = T("FullyConnected");
    op.In(input).In(kS8, {0.1, 0.2}, {0, 0}).Bits(4).Kind(Encoding::kBlockExpansion).Blocks({1, 16});
    op.Dims({outputs, inputs}).Out(input);
    return op;
  };
  const auto linear_blocks = [&](TestOp fires, TestOp neighbor) { add("AX209", fires, neighbor); };
  linear_blocks(linear(257, 64), linear(256, 64));
  linear_blocks(linear(257, 256), linear(257, 257));
  linear_blocks(linear(1024, 512), linear(516, 1024));
  linear_blocks(linear(512, 64), linear(512, 64, kF16));
  // Bias: dropped, mis-scaled, saturating.
  add("FX201", T("Conv2d").In(kU8, {0.5}, {0}).In(kS8, two).In(kS32, {0.005}, {0}).Out(kU8),
      T("Conv2d").In(kU8, {0.5}, {0}).In(kS8, two).In(kS32, {0.005, 0.01}, zeros).Out(kU8));
  add("FX201", T("Conv2d").In(kU8, {0.5}, {0}).In(kS8, two).In(kS32, {0.005, 0.02}, zeros).Out(kU8),
      T("Conv2d").In(kU8, {0.5}, {0}).In(kS8, two).In(kS32, {0.0}, {0}).Out(kU8));
  add("FX201", T("FullyConnected").In(kU8, {0.5}, {0}).In(kS8, {0.1}, {0}).In(kS32, {0.0}, {0}).Out(kU8),
      T("FullyConnected").In(kU8, {0.5}, {0}).In(kS8, {0.1}, {0}).In(kS32, {0.7}, {0}).Out(kU8));
  add("FX201", T("Conv2d").In(kU8, {0.5}, {0}).In(kS8, {0.1}, {0}).In(kS32, {0.05, 0.05}, zeros).Out(kU8),
      T("Conv2d").In(kU8, {0.5}, {0}).In(kS8, {0.1}, {0}).In(kS32, {0.05}, {0}).Out(kU8));
  add("FX202", T("Tanh").In(kU16).Out(kU16, {1.0 / 32768}, {32767}), T("Tanh").In(kU16).Out(kU16, {0.5}, {32768}));
  add("FX203", T("Softmax").In(kU8).Out(kU8, {1.0 / 256}, {3}), T("Softmax").In(kU8).Out(kU8, {0.01}, {0}));
  add("FX203", T("Softmax").In(kS8).Out(kS8, {1.0 / 256}, {0}), T("Softmax").In(kS8).Out(kS8, {1.0 / 256}, {-128}));
  const double infinite = std::numeric_limits<double>::infinity();
  add("NR202", T("Relu").In(kU8).Out(kU8, {infinite}, {0}), T("Relu").In(kU8).Out(kU8, {3e38}, {0}));
  add("NR202", T("Relu").In(kU8).Out(kU8, {1e39}, {0}), T("Relu").In(kU8).Out(kU8, {1e-39}, {0}));
  add("NR202", T("ElementWiseAdd").In(kU8).In(kU8, {infinite}, {0}).Out(kU8),
      T("ElementWiseAdd").In(kU8).In(kU8, {infinite}, {0}).Static().Out(kU8));
  add("FX204", T("MatMul").In(kU8).In(kS8, {0.1}, {0}).In(kS32, {0.1}, {0}).Out(kU8),
      T("FullyConnected").In(kU8).In(kS8, {0.1}, {0}).In(kS32, {0.1}, {0}).Out(kU8));
  add("SH201", T("Tile").In(kU8, {0.1}, {128}).Out(kU8, {0.1}, {0}),
      T("Tile").In(kU8, {0.1}, {128}).Out(kU8, {0.2}, {128}));
  add("SH201", T("Gather").In(kS8, {0.1}, {0}).In("INT_32").Out(kU8, {0.1}, {0}),
      T("Gather").In(kS8, {0.1}, {0}).In("INT_32").Out(kU8, {0.1}, {128}));
  for (const char* op : {"Reshape", "Transpose", "DepthToSpace", "SpaceToDepth", "ResizeNearestNeighbor", "Squeeze"}) {
    add("SH202", T(op).In(kU8, {0.02}, {128}).Out(kU8, {0.04}, {128}),
        T(op).In(kU8, {0.02}, {128}).Out(kU8, {0.02f}, {128}));
  }
  add("SH202", T("Transpose").In(kU8, {0.02}, {128}).Out(kU8, {0.02}, {0}),
      T("Concat").In(kU8, {0.02}, {128}).Out(kU8, {0.04}, {0}));
  add("SH202", T("Pack").In(kS8, {0.02}, {0}).Out(kS8, {0.04}, {0}),
      T("Pack").In(kU8, {0.02}, {0}).Out(kU8, {0.04}, {0}));
  add("SH202", T("Pad").Param("scheme", {2}).In(kU8, {0.02}, {128}).Out(kU8, {0.04}, {128}),
      T("Pad").Param("scheme", {0}).In(kU8, {0.02}, {128}).Out(kU8, {0.04}, {128}));
  add("SH203", T("Pack").In(kS8, {0.02}, {0}).In(kS8, {0.04}, {0}).Out(kS8),
      T("Pack").In(kU8, {0.02}, {0}).In(kU8, {0.04}, {0}).Out(kU8));
  const auto dynamic = [](BackendTensor& t) { t.dynamic_shape = Tri::kYes; };
  const auto unknown = [](BackendTensor& t) { t.dynamic_shape = Tri::kUnknown; };
  add("GS201", T("Relu").In(kU8).With(dynamic).Out(kU8), T("Relu").In(kU8).With(unknown).Out(kU8));
  // A copy would look into the deques of what it was copied from: moved all the way.
  const auto shapes = [&](TestOp fires, TestOp neighbor) { add("GS203", fires, neighbor); };
  const auto conv = [](std::vector<int64_t> filter, std::vector<int64_t> out, const char* param = "group",
                       std::vector<int64_t> value = {1}) {
    TestOp op = T("Conv2d");
    op.In(kU8).Dims({1, 8, 8, 16}).In(kS8).Dims(std::move(filter)).Out(kU8).Dims(std::move(out));
    op.Param(param, std::move(value)).AsStated();
    return op;
  };
  shapes(conv({3, 3, 8, 32}, {1, 6, 6, 32}), conv({3, 3, 16, 32}, {1, 6, 6, 32}));
  shapes(conv({3, 3, 16, 32}, {1, 8, 6, 32}), conv({3, 3, 16, 32}, {1, 8, 8, 32}, "pad_amount", {1, 1, 1, 1}));
  shapes(conv({3, 3, 16, 32}, {1, 6, 6, 32}, "group", {3}), conv({3, 3, 8, 32}, {1, 6, 6, 32}, "group", {2}));
  const auto product = [](int64_t transposed) {
    TestOp op = T("MatMul");
    op.In(kU8)
        .Dims({4, 16})
        .In(kU8)
        .Dims({8, 16})
        .Out(kU8)
        .Dims({4, 8})
        .Param("transpose_in1", {transposed})
        .AsStated();
    return op;
  };
  shapes(product(0), product(1));
  const auto joined = [](int64_t size) {
    TestOp op = T("Concat");
    op.In(kU8).Dims({1, 4}).In(kU8).Dims({1, 5}).Out(kU8).Dims({1, size}).Param("axis", {1}).AsStated();
    return op;
  };
  shapes(joined(8), joined(9));
  const auto reduced = [](int64_t keep) {
    TestOp op = T("ReduceMax");
    op.In(kU8).Dims({2, 3}).Out(kU8).Dims({2, 1}).Param("axes", {1}).Param("keep_dims", {keep}).AsStated();
    return op;
  };
  shapes(reduced(0), reduced(1));
  const auto width = [](int bits) {
    return [bits](BackendTensor& t) {
      t.encoding = Encoding::kBwPerTensor;
      t.bits = bits;
    };
  };
  add("QS204", T("Relu").In(kS8).With(width(8)).Out(kS8), T("Relu").In(kS8).With(width(4)).Out(kS8));
  add("QS204", T("Relu").In(kS8).With(width(8)).Out(kS8), T("Relu").In(kU8).With(width(8)).Out(kU8));
  const auto pooled = [](int64_t size) {
    TestOp op = T("PoolMax2d");
    op.In(kU8).Dims({1, 8, 8, 16}).Out(kU8).Dims({1, size, 4, 16});
    op.Param("filter_size", {2, 2}).Param("stride", {2, 2}).AsStated();
    return op;
  };
  shapes(pooled(5), pooled(4));
  const auto kept = [](const char* name, int64_t size) {
    TestOp op = T(name);
    op.In(kU8).Dims({2, 3}).Out(kU8).Dims({2, size}).AsStated();
    return op;
  };
  shapes(kept("Relu", 4), kept("Relu", 3));
  shapes(kept("HadamardTransform", 4), kept("HadamardTransform", 3));
  const auto normalized = [](const char* name, int64_t gamma) {
    TestOp op = T(name);
    op.In(kU8).Dims({1, 8, 64}).In(kU8).Dims({gamma}).Out(kU8).Dims({1, 8, 64}).Param("axes", {2}).AsStated();
    return op;
  };
  shapes(normalized("LayerNorm", 1), normalized("LayerNorm", 64));
  shapes(normalized("RmsNorm", 8), normalized("RmsNorm", 1));
  const auto instance = [](int64_t gamma) {
    TestOp op = T("InstanceNorm");
    op.In(kU8).Dims({1, 8, 8, 64}).In(kU8).Dims({gamma}).Out(kU8).Dims({1, 8, 8, 64}).AsStated();
    return op;
  };
  shapes(instance(8), instance(1));
  shapes(conv({3, 3, 16, 32}, {1, 6, 6, 32}, "dilation", {0, 1}),
         conv({3, 3, 16, 32}, {1, 6, 6, 32}, "dilation", {1, 1}));
  const auto regions = [](int64_t indices) {
    TestOp op = T("RoiAlign");
    op.In(kU8).Dims({1, 8, 8, 16}).In(kU8).Dims({4, 4}).In("INT_32").Dims({indices}).Out(kU8).Dims({4, 4, 4, 16});
    op.AsStated();
    return op;
  };
  shapes(regions(5), regions(4));
  const auto detected = [](int64_t coordinates, int64_t boxes) {
    TestOp op = T("DetectionOutput");
    op.In(kU8).Dims({1, 8, 3}).In(kU8).Dims({1, 8, coordinates}).In(kU8).Dims({8, 4});
    op.Out(kU8).Dims({1, 4}).Out("FLOAT_32").Dims({1, boxes, 4}).Out("INT_32").Dims({1, 4}).AsStated();
    return op;
  };
  shapes(detected(4, 5), detected(4, 4));
  shapes(detected(5, 4), detected(4, 4));
  shapes(kept("Reshape", 4), kept("Reshape", 3));
  const auto strided = [](std::vector<int64_t> dims, std::vector<int64_t> ranges) {
    TestOp op = T("StridedSlice");
    op.In("INT_32").Dims(std::move(dims)).Out("INT_32").Param("ranges", std::move(ranges));
    return op;
  };
  const auto taken = [](std::vector<int64_t> ranges, std::vector<int64_t> dims) {
    TestOp op = T("StridedSlice");
    op.In(kU8).Dims({2, 8}).Out(kU8).Dims(std::move(dims)).Param("ranges", std::move(ranges));
    return op;
  };
  shapes(taken({0, 2, 1, 4, 4, 1}, {2, 0}), taken({0, 2, 1, 4, 5, 1}, {2, 1}));
  shapes(taken({0, 2, 1, 8, 9, 1}, {2, 1}), taken({0, 2, 1, 7, 9, 1}, {2, 1}));
  shapes(taken({0, 2, 1, 0, 0, 0}, {2, 0}), taken({0, 2, 1, 0, 8, 1}, {2, 8}));
  const auto of_vector = [](std::vector<int64_t> in, std::vector<int64_t> ranges, std::vector<int64_t> out,
                            bool as_stated = false) {
    TestOp op = T("StridedSlice");
    op.In(kU8).Dims(std::move(in)).Out(kU8).Dims(std::move(out)).Param("ranges", std::move(ranges));
    if (as_stated) op.AsStated();
    return op;
  };
  shapes(of_vector({8}, {4, 4, 1}, {0}), of_vector({8}, {4, 5, 1}, {1}));
  shapes(of_vector({0}, {0, 0, 1}, {0}), of_vector({1}, {0, 1, 1}, {1}));
  shapes(of_vector({8}, {4, 4, 1}, {0}, true), of_vector({8}, {4, 5, 1}, {1}, true));
  const auto selected = [](int64_t size) {
    TestOp op = T("StridedSlice");
    op.In(kU8).Dims({size, 8}).Out(kU8).Dims({8}).Param("ranges", {0, 0, 1, 0, 8, 1}).Param("shrink_axes", {1});
    return op;
  };
  shapes(selected(0), selected(1));
  const auto parted = [](int64_t first) {
    TestOp op = T("Split");
    op.In(kU8).Dims({2, 8}).Out(kU8).Dims({2, first}).Out(kU8).Dims({2, 8 - first}).Param("axis", {1});
    op.Param("split_index", {first});
    return op;
  };
  shapes(parted(0), parted(1));
  shapes(parted(8), parted(7));
  const auto emptied = [](const char* op, std::vector<int64_t> dims) {
    TestOp made = T(op);
    made.In(kU8).Dims(dims).Out(kU8).Dims(dims);
    return made;
  };
  const auto empty = [&](TestOp fires, TestOp neighbor) { add("GS207", fires, neighbor); };
  empty(emptied("Relu", {2, 0}), emptied("Relu", {2, 1}));
  empty(emptied("Reshape", {0, 16}), emptied("Quantize", {0, 16}));
  const auto steps = [&](TestOp fires, TestOp neighbor) { add("GS205", fires, neighbor); };
  steps(strided({1, 8, 8, 16}, {0, 1, 1, 0, 8, 1, 0, 8, 1, 0, 16, 2}),
        strided({1, 8, 8, 16}, {0, 1, 1, 0, 8, 1, 0, 8, 2, 0, 16, 1}));
  steps(strided({2, 8, 8, 16}, {0, 2, 2, 0, 8, 1, 0, 8, 1, 0, 16, 1}),
        strided({2, 8, 8, 16}, {0, 2, 2, 0, 8, 1, 0, 8, 1, 0, 16, 2}));
  steps(strided({8, 1, 16}, {0, 8, 2, 0, 1, 1, 0, 16, 1}), strided({8, 16}, {0, 8, 2, 0, 16, 1}));
  const auto minimum = [](const char* type, std::vector<int64_t> dims, double scale, double out = 0.02) {
    TestOp op = T("ElementWiseMinimum");
    op.In(type, {0.02}, {0}).Dims({1, 8, 8, 16}).In(type, {scale}, {0}).Dims(std::move(dims)).Static();
    op.Out(type, {out}, {0}).Dims({1, 8, 8, 16});
    return op;
  };
  const std::vector<int64_t> whole = {1, 8, 8, 16};
  const auto extremum = [&](TestOp fires, TestOp neighbor) { add("GS206", fires, neighbor); };
  extremum(minimum(kU8, whole, 0.02), minimum(kU8, {16}, 0.02));
  extremum(minimum(kS8, {8, 8, 16}, 0.02), minimum(kS8, {8, 1, 16}, 0.02));
  extremum(minimum(kU8, whole, 0.02), minimum(kU8, whole, 0.01));
  extremum(minimum(kU8, whole, 0.02), minimum(kU8, whole, 0.02, 0.03));
  extremum(minimum(kU8, whole, 0.02), minimum(kU16, whole, 0.02));
  const auto binary = [](int64_t operation, bool both) {
    TestOp op = T("ElementWiseBinary");
    op.In(kU8, {0.02}, {3}).Dims({5});
    if (both) op.Static();
    op.In(kU8, {0.02}, {3}).Dims({5}).Static().Out(kU8, {0.02}, {3}).Dims({5}).Param("operation", {operation});
    return op;
  };
  extremum(binary(10, false), binary(10, true));
  extremum(binary(11, false), binary(0, false));
  add("GS202", T("GroupNorm").In(kU8).In(kS8).Out(kU8), T("GroupNorm").In(kU8).In(kS8).In(kS32).Out(kU8));
  const Toolchain ort = Toolchain::kOnnxRuntime;
  const auto output = [](const char* name, const char* type, double scale, double zero_point) {
    return Op(std::move(T(name).In(kU16, {0.1}, {5}).Out(type, {scale}, {zero_point})));
  };
  const auto sigmoid = output("Sigmoid", kU16, 1.0 / 65535, 0);
  const auto tanh = output("Tanh", kU16, 1.0 / 32767, 32768);
  cases.push_back({"FX205", sigmoid, output("Sigmoid", kU16, 1.0 / 65536, 0), 75, 75, ort, ort});
  cases.push_back({"FX205", sigmoid, sigmoid, 75, 75, ort, Toolchain::kQnnConverter});
  cases.push_back({"FX205", sigmoid, output("Sigmoid", kU8, 1.0 / 255, 0), 75, 75, ort, ort});
  cases.push_back({"FX205", tanh, output("Tanh", kU16, 1.0 / 32768, 32768), 75, 75, ort, ort});
  const auto shaped = [&](const char* code, TestOp fires, TestOp neighbor) { add(code, fires, neighbor); };
  const Toolchain executorch = Toolchain::kExecuTorch;
  const auto narrow_gamma = [&](std::vector<double> scales, int bits) {
    TestOp op = T("InstanceNorm");
    const std::vector<double> zero_points(scales.size(), 0);
    op.In(kU8).In(kS8, std::move(scales), zero_points).Bits(bits).Static().Out(kU8);
    return Op(std::move(op));
  };
  cases.push_back({"EN203", narrow_gamma({0.1}, 2), narrow_gamma(two, 2), 75, 75, executorch, executorch});
  cases.push_back({"EN203", narrow_gamma({0.1}, 2), narrow_gamma({0.1}, 4), 75, 75, executorch, executorch});
  cases.push_back(
      {"EN203", narrow_gamma({0.1}, 2), narrow_gamma({0.1}, 2), 75, 75, executorch, Toolchain::kQnnConverter});
  const auto observed_tanh = [](const char* type, bool fixed) {
    TestOp op = T("Tanh");
    return Op(std::move(fixed ? op.In(type).Out(type, {1.0 / 32768}, {32768}) : op.In(type).Out(type)));
  };
  const auto measured = [&](const char* type, bool fixed, Toolchain toolchain) {
    cases.push_back({"FX206", observed_tanh(kU16, false), observed_tanh(type, fixed), 75, 75, executorch, toolchain});
  };
  measured(kU16, true, executorch);
  measured(kU8, false, executorch);
  measured(kU16, false, Toolchain::kQnnConverter);
  // Two inputs of the graph itself; one batch of matrices, or more.
  const auto inputs_product = [&](const char* first, const char* second, int64_t batch, bool input, int64_t transposed,
                                  int64_t products = 64) {
    TestOp op = T("MatMul");
    const auto from_outside = [](BackendTensor& t) { t.is_graph_input = true; };
    op.In(first).Dims({batch, 16, products}).With(from_outside).In(second, {0.1}, {0}).Dims({batch, products, 32});
    if (input) op.With(from_outside);
    op.Out(first).Dims({batch, 16, 32}).Param("transpose_in1", {transposed});
    return op;
  };
  shaped("GS204", inputs_product(kU16, kS16, 4, true, 0), inputs_product(kU16, kS16, 1, true, 0));
  shaped("GS204", inputs_product(kU16, kS16, 4, true, 0), inputs_product(kU16, kS16, 4, false, 0));
  shaped("GS204", inputs_product(kS16, kS8, 4, true, 0), inputs_product(kS16, kS8, 4, true, 1));
  shaped("GS204", inputs_product(kS16, kS16, 4, true, 0), inputs_product(kU16, kS8, 4, true, 0));
  shaped("GS204", inputs_product(kU16, kS8, 4, true, 0, 256), inputs_product(kU16, kS8, 4, true, 0, 160));
  shaped("GS204", inputs_product(kU16, kS8, 4, true, 0, 128), inputs_product(kU16, kU8, 4, true, 0, 128));
  shaped("GS204", inputs_product(kU16, kS8, 4, true, 0, 128), inputs_product(kU16, kS8, 1, true, 0, 128));
  const auto pool = [&](int64_t filter, int64_t rounding) {
    TestOp op = T("PoolAvg2d");
    op.In(kU8).Dims({1, 3, 3, 8}).Out(kU8).Dims({1, 1, 1, 8});
    op.Param("filter_size", {filter, filter}).Param("stride", {filter, filter}).Param("rounding_mode", {rounding});
    return op;
  };
  shaped("GS203", pool(4, 1), pool(3, 1));
  shaped("GS203", pool(4, 1), pool(4, 0));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, MeasuredRule, ::testing::ValuesIn(Cases()));

TEST(MeasuredRules, EveryRuleIsTested) {
  std::vector<std::string> tested;
  for (const Case& c : Cases()) tested.emplace_back(c.code);
  for (const OpRule& rule : OpRules()) EXPECT_THAT(tested, ::testing::Contains(rule.info->code));
}

// The library, asked about an operator alone, contradicts none of the others.
TEST(MeasuredRules, ThoseOfOneOperator) {
  for (const char* code : {"DT101", "DT107", "DT205", "DT208", "GS203", "GS207"}) EXPECT_TRUE(IsAboutOneOperator(code));
  for (const char* code : {"CV203", "DT212", "EN201", "EN237", "EN238"}) EXPECT_FALSE(IsAboutOneOperator(code)) << code;
}

TEST(MeasuredRules, CodesAreUnique) {
  std::vector<std::string> codes;
  for (const OpRule& rule : OpRules()) codes.emplace_back(rule.info->code);
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(std::adjacent_find(codes.begin(), codes.end()), codes.end());
}

TEST(MeasuredRules, SilentWhereTheTableHasSpoken) {
  TestOp conv = std::move(T("Conv2d").In(kU16).In(kS16).Out(kU16));
  Violation known;
  known.rule = &kMinimumArch;
  known.port = In(1);
  EXPECT_THAT(Codes(conv.op(), 68, {known}), ::testing::Not(::testing::Contains("DT201")));
}

// ---- Where measurement contradicts the table ----

Violation Documented(const RuleInfo& rule, PortRef port) {
  Violation violation;
  violation.rule = &rule;
  violation.port = port;
  return violation;
}

TEST(Overrules, LpbqBelowV79IsTolerated) {
  TestOp lpbq = std::move(T("Conv2d").In(kU16).In(kS8).Kind(Encoding::kBlockExpansion).Out(kU16));
  EXPECT_EQ(Overrule(lpbq.op(), Documented(kMinimumArch, In(1))), Ruling::kTolerated);
  TestOp wide = std::move(T("Conv2d").In(kU16).In(kS16).Out(kU16));
  EXPECT_EQ(Overrule(wide.op(), Documented(kMinimumArch, In(1))), Ruling::kStands);
}

TEST(Overrules, SigmoidScaleIsToleratedTanhZeroPointIsNot) {
  TestOp sigmoid = std::move(T("Sigmoid").In(kU16).Out(kU16, {0.02}, {0}));
  EXPECT_EQ(Overrule(sigmoid.op(), Documented(kFixedQparams, Out(0))), Ruling::kTolerated);
  TestOp tanh = std::move(T("Tanh").In(kU16).Out(kU16, {0.02}, {0}));
  EXPECT_EQ(Overrule(tanh.op(), Documented(kFixedQparams, Out(0))), Ruling::kReplaced);
}

TEST(Overrules, GatherRequantizesTopKDoesNot) {
  TestOp gather = std::move(T("Gather").In(kU8).In("INT_32").Out(kU8));
  EXPECT_EQ(Overrule(gather.op(), Documented(kUnequalScale, Out(0))), Ruling::kTolerated);
  EXPECT_EQ(Overrule(gather.op(), Documented(kUnequalZeroPoint, Out(0))), Ruling::kStands);
  TestOp top = std::move(T("TopK").In(kU8).Out(kU8));
  EXPECT_EQ(Overrule(top.op(), Documented(kUnequalScale, Out(0))), Ruling::kReplaced);
}

TEST(Overrules, TransposeTakesEveryTypeOfItsRows) {
  TestOp transpose = std::move(T("Transpose").In(kF32).Dims({1, 2, 3, 4}).Out(kF32));
  EXPECT_EQ(Overrule(transpose.op(), Documented(kPortType, In(0))), Ruling::kTolerated);
  EXPECT_EQ(Overrule(transpose.op(), Documented(kDtypeRow, In(0))), Ruling::kStands);
}

TEST(Overrules, MeasuredRowsAlwaysStand) {
  TestOp sigmoid = std::move(T("Sigmoid").In(kU16).Out(kU16, {0.02}, {0}));
  Violation measured = Documented(kFixedQparams, Out(0));
  measured.evidence = db::Evidence::kMeasured;
  EXPECT_EQ(Overrule(sigmoid.op(), measured), Ruling::kStands);
}

TEST(Composite, NamesTheStandAloneOperator) {
  EXPECT_EQ(StandAloneName(T("ElementWiseBinary").Param("operation", {13}).op()), "ElementWiseMultiply");
  EXPECT_EQ(StandAloneName(T("ElementWiseUnary").Param("operation", {12}).op()), "ElementWiseRsqrt");
  EXPECT_EQ(StandAloneName(T("ElementWiseNeuron").Param("operation", {2}).op()), "");
  EXPECT_EQ(StandAloneName(T("ElementWiseBinary").Param("operation", {99}).op()), "");
  EXPECT_EQ(StandAloneName(T("Relu").op()), "");
}

}  // namespace
}  // namespace quantgate::qnn_htp
