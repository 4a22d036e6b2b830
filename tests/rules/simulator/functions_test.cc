// Element-wise functions, reductions and products of integers under every profile, against what the operators'
// specifications (ONNX, PyTorch) say in real numbers: within a step of the output.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/operators/operator.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {
namespace {

constexpr float kInScale = 1.0f / 32, kOutScale = 1.0f / 16;
constexpr int64_t kInZero = -7, kOutZero = 5;

QTensor Bytes(const std::vector<int64_t>& dims, const std::vector<int8_t>& stored) {
  QTensor tensor;
  tensor.tensor.type = v1::DATA_TYPE_INT8;
  EXPECT_TRUE(Allocate(dims, tensor.tensor).ok());
  std::copy(stored.begin(), stored.end(), tensor.tensor.as<int8_t>().begin());
  tensor.q.scales = {kInScale};
  tensor.q.zero_points = {kInZero};
  return tensor;
}

QTensor AllBytes() {
  std::vector<int8_t> stored;
  for (int i = -128; i < 128; ++i) stored.push_back(static_cast<int8_t>(i));
  return Bytes({256}, stored);
}

double RealOf(int64_t stored) { return kInScale * static_cast<double>(stored - kInZero); }

// The operator's answer under a profile; not OK where that has no kernel in this form.
absl::Status RunOne(OpId op, const Profile& profile, const std::vector<QTensor>& inputs, const Attributes& attributes,
                    QTensor& out) {
  std::vector<const QTensor*> pointers;
  for (const QTensor& input : inputs) pointers.push_back(&input);
  out.tensor.type = v1::DATA_TYPE_INT8;
  out.q.scales = {kOutScale};
  out.q.zero_points = {kOutZero};
  KernelCall call{.op = op,
                  .layout = Layout::kChannelsFirst,
                  .attributes = &attributes,
                  .inputs = pointers,
                  .outputs = absl::MakeSpan(&out, 1)};
  return RunKernel(profile, call);
}

void ExpectMeans(const QTensor& out, size_t i, double real, const std::string& what) {
  if (std::isnan(real)) return;  // what integers are made of it is the runtime's choice
  const double steps = std::clamp(real / kOutScale + kOutZero, -128.0, 127.0);
  EXPECT_LE(std::fabs(static_cast<double>(out.tensor.as<int8_t>()[i]) - steps), 1.0) << what << "[" << i << "]";
}

using Real = std::function<double(double)>;

struct Function {
  OpId op;
  Real real;
  std::vector<std::pair<std::string, double>> attributes = {};
};

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double TanhGelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

const std::vector<Function>& Functions() {
  static const auto* const all = new std::vector<Function>{
      {OpId::kAbs, [](double x) { return std::fabs(x); }},
      {OpId::kNeg, [](double x) { return -x; }},
      {OpId::kExp, [](double x) { return std::exp(x); }},
      {OpId::kLog, [](double x) { return x > 0 ? std::log(x) : NAN; }},
      {OpId::kSqrt, [](double x) { return x >= 0 ? std::sqrt(x) : NAN; }},
      {OpId::kRsqrt, [](double x) { return x > 0 ? 1 / std::sqrt(x) : NAN; }},
      {OpId::kReciprocal, [](double x) { return x == 0 ? NAN : 1 / x; }},
      {OpId::kSquare, [](double x) { return x * x; }},
      {OpId::kErf, [](double x) { return std::erf(x); }},
      {OpId::kSin, [](double x) { return std::sin(x); }},
      {OpId::kCos, [](double x) { return std::cos(x); }},
      {OpId::kFloor, [](double x) { return std::floor(x); }},
      {OpId::kCeil, [](double x) { return std::ceil(x); }},
      {OpId::kRound, [](double x) { return std::nearbyint(x); }},
      {OpId::kSign, [](double x) { return x > 0   ? 1.0
                                          : x < 0 ? -1.0
                                                  : 0.0; }},
      {OpId::kRelu, [](double x) { return std::max(x, 0.0); }},
      {OpId::kRelu6, [](double x) { return std::clamp(x, 0.0, 6.0); }},
      {OpId::kRelu1, [](double x) { return std::clamp(x, -1.0, 1.0); }},
      {OpId::kClamp, [](double x) { return std::clamp(x, -2.0, 1.5); }, {{"min", -2}, {"max", 1.5}}},
      {OpId::kLeakyRelu, [](double x) { return x < 0 ? 0.01 * x : x; }},
      {OpId::kLeakyRelu, [](double x) { return x < 0 ? 0.25 * x : x; }, {{"alpha", 0.25}}},
      {OpId::kLeakyRelu, [](double x) { return x < 0 ? -0.25 * x : x; }, {{"alpha", -0.25}}},
      {OpId::kElu, [](double x) { return x < 0 ? std::expm1(x) : x; }},
      {OpId::kElu, [](double x) { return x < 0 ? 2 * std::expm1(x) : x; }, {{"alpha", 2}}},
      {OpId::kSelu, [](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); }},
      {OpId::kCelu, [](double x) { return std::max(0.0, x) + std::min(0.0, 2 * std::expm1(x / 2)); }, {{"alpha", 2}}},
      {OpId::kGelu, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2))); }},
      {OpId::kFastGelu, TanhGelu},
      {OpId::kQuickGelu, [](double x) { return x * Logistic(1.702 * x); }},
      {OpId::kSilu, [](double x) { return x * Logistic(x); }},
      {OpId::kSwish, [](double x) { return x * Logistic(2 * x); }, {{"alpha", 2}}},
      {OpId::kMish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {OpId::kSoftplus, [](double x) { return std::log1p(std::exp(x)); }},
      {OpId::kSoftsign, [](double x) { return x / (1 + std::fabs(x)); }},
      {OpId::kSigmoid, Logistic},
      {OpId::kLogSigmoid, [](double x) { return -std::log1p(std::exp(-x)); }},
      {OpId::kTanh, [](double x) { return std::tanh(x); }},
      {OpId::kHardSigmoid, [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }},
      {OpId::kHardSwish, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {OpId::kIdentity, [](double x) { return x; }},
  };
  return *all;
}

// LiteRT's NEG negates what is stored, and looks at no parameters.
bool HasOwnMeaning(OpId op, const Profile& profile) {
  return op == OpId::kNeg &&
         (profile.family == Family::kLiteRt || profile.family == Family::kTosa || profile.family == Family::kXnnpack);
}

TEST(Functions, OfOneOperand) {
  const QTensor x = AllBytes();
  for (const Function& function : Functions()) {
    Attributes attributes;
    for (const auto& [name, value] : function.attributes) attributes.SetFloat(name, value);
    int computed = 0;
    for (const Profile& profile : Profiles()) {
      if (HasOwnMeaning(function.op, profile)) continue;
      QTensor out;
      const absl::Status status = RunOne(function.op, profile, {x}, attributes, out);
      const std::string what = absl::StrCat(GetOperator(function.op).name, " under ", profile.name);
      if (!status.ok()) {
        EXPECT_TRUE(absl::IsUnimplemented(status)) << what << ": " << status;
        continue;
      }
      ++computed;
      ASSERT_EQ(out.tensor.data.size(), 256u) << what;
      for (size_t i = 0; i < 256; ++i) ExpectMeans(out, i, function.real(RealOf(static_cast<int64_t>(i) - 128)), what);
    }
    EXPECT_GE(computed, 4) << GetOperator(function.op).name;
  }
}

TEST(Functions, GeluByTanhIsAskedForByName) {
  Attributes attributes;
  attributes.SetText("approximate", "tanh");
  QTensor out;
  ASSERT_TRUE(RunOne(OpId::kGelu, *FindProfile("torch"), {AllBytes()}, attributes, out).ok());
  for (size_t i = 0; i < 256; ++i) ExpectMeans(out, i, TanhGelu(RealOf(static_cast<int64_t>(i) - 128)), "gelu");
}

struct Pair {
  OpId op;
  std::function<double(double, double)> real;
};

TEST(Functions, OfTwoOperands) {
  const std::vector<Pair> pairs = {
      {OpId::kAdd, [](double a, double b) { return a + b; }},
      {OpId::kSub, [](double a, double b) { return a - b; }},
      {OpId::kMul, [](double a, double b) { return a * b; }},
      // LiteRT's integers do not define very small quotients: it shifts by more bits than there are.
      {OpId::kDiv, [](double a, double b) { return std::fabs(a) < std::fabs(b) / 16 ? NAN : a / b; }},
      {OpId::kPow, [](double a, double b) { return a > 0 ? std::pow(a, b) : NAN; }},
      {OpId::kMaximum, [](double a, double b) { return std::max(a, b); }},
      {OpId::kMinimum, [](double a, double b) { return std::min(a, b); }},
      {OpId::kSquaredDifference, [](double a, double b) { return (a - b) * (a - b); }},
      {OpId::kPRelu, [](double a, double b) { return a < 0 ? a * b : a; }},
  };
  const std::vector<int8_t> slopes = {-100, -40, -6, 1, 33, 127};  // none of them is 0
  const QTensor x = AllBytes(), column = Bytes({static_cast<int64_t>(slopes.size()), 1}, slopes);
  for (const Pair& pair : pairs) {
    int computed = 0;
    for (const Profile& profile : Profiles()) {
      QTensor out;
      const absl::Status status = RunOne(pair.op, profile, {x, column}, {}, out);
      const std::string what = absl::StrCat(GetOperator(pair.op).name, " under ", profile.name);
      if (!status.ok()) {
        EXPECT_TRUE(absl::IsUnimplemented(status)) << what << ": " << status;
        continue;
      }
      ++computed;
      ASSERT_EQ(out.tensor.dims, (std::vector<int64_t>{static_cast<int64_t>(slopes.size()), 256})) << what;
      for (size_t i = 0; i < out.tensor.data.size(); ++i) {
        ExpectMeans(out, i, pair.real(RealOf(static_cast<int64_t>(i % 256) - 128), RealOf(slopes[i / 256])), what);
      }
    }
    EXPECT_GE(computed, 4) << GetOperator(pair.op).name;
  }
}

TEST(Functions, OfAnAxis) {
  struct Reduction {
    OpId op;
    std::function<double(const std::vector<double>&)> real;
  };
  const auto sum = [](const Real& of) {
    return [of](const std::vector<double>& all) {
      double total = 0;
      for (const double x : all) total += of(x);
      return total;
    };
  };
  const std::vector<Reduction> reductions = {
      {OpId::kReduceSum, sum([](double x) { return x; })},
      {OpId::kReduceMean, sum([](double x) { return x / 3; })},
      {OpId::kReduceL1, sum([](double x) { return std::fabs(x); })},
      {OpId::kReduceSumSquare, sum([](double x) { return x * x; })},
      {OpId::kReduceL2,
       [&](const std::vector<double>& all) { return std::sqrt(sum([](double x) { return x * x; })(all)); }},
      {OpId::kReduceProd, [](const std::vector<double>& all) { return all[0] * all[1] * all[2]; }},
      {OpId::kReduceMax, [](const std::vector<double>& all) { return *std::max_element(all.begin(), all.end()); }},
      {OpId::kReduceMin, [](const std::vector<double>& all) { return *std::min_element(all.begin(), all.end()); }},
  };
  std::vector<int8_t> stored;
  for (int i = 0; i < 3 * 40; ++i) stored.push_back(static_cast<int8_t>((i * 37) % 61 - 35));
  const QTensor x = Bytes({3, 40}, stored);
  for (const Reduction& reduction : reductions) {
    for (const bool negative : {false, true}) {
      Attributes attributes;
      attributes.SetInts("axes", {negative ? -2 : 0});
      attributes.SetInt("keepdims", negative ? 1 : 0);
      int computed = 0;
      for (const Profile& profile : Profiles()) {
        QTensor out;
        const absl::Status status = RunOne(reduction.op, profile, {x}, attributes, out);
        const std::string what = absl::StrCat(GetOperator(reduction.op).name, " under ", profile.name);
        if (!status.ok()) {
          EXPECT_TRUE(absl::IsUnimplemented(status)) << what << ": " << status;
          continue;
        }
        ++computed;
        ASSERT_EQ(out.tensor.dims, negative ? (std::vector<int64_t>{1, 40}) : (std::vector<int64_t>{40})) << what;
        for (size_t i = 0; i < 40; ++i) {
          ExpectMeans(out, i, reduction.real({RealOf(stored[i]), RealOf(stored[40 + i]), RealOf(stored[80 + i])}),
                      what);
        }
      }
      EXPECT_GE(computed, 4) << GetOperator(reduction.op).name;
    }
  }
}

}  // namespace
}  // namespace quantgate::simulator
