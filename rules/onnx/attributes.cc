// Attributes that an operator's definition leaves no meaning for, whatever its inputs hold.
#include <algorithm>
#include <bitset>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/graph/data_type.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// No list of these is worth reading further.
constexpr int kMostActivations = 6;

void CheckConstant(NodeShapes& node) {
  const Graph& graph = node.graph();
  if (!graph.node(node.node()).attributes().empty() || node.num_outputs() == 0) return;
  const int32_t made = graph.output(node.node(), 0);
  if (made >= 0 && !graph.is_constant(made)) node.BadParameter("no value", "one attribute that has it");
}

void CheckLrn(NodeShapes& node) {
  const int64_t size = node.integer("size", 1);
  if (size < 1) node.BadParameter(absl::StrCat("size ", size), "at least 1: the channels to sum over");
}

void CheckLpNorm(NodeShapes& node) {
  const int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2) node.BadParameter(absl::StrCat("p ", p), "1 or 2");
}

// From version 28 of the operator set on remainders of real numbers are defined either way.
void CheckMod(NodeShapes& node) {
  if (node.opset() >= 28 || !node.given(0) || node.integer("fmod", 0) != 0) return;
  if (!IsFloat(node.graph().dtype(node.graph().input(node.node(), 0)))) return;
  node.BadParameter("fmod 0 of real numbers", "fmod 1: it has the sign of the divisor for integers alone").when_run =
      true;
}

void CheckReverse(NodeShapes& node) {
  const int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  if (batch > 1 || time > 1 || batch == time) {
    node.BadParameter(absl::StrCat("batch_axis ", batch, " and time_axis ", time), "0 and 1, or 1 and 0");
    return;
  }
  const Shape input = node.at(0);
  const auto lengths = node.constant(1);
  if (!lengths || !input.known || time < 0 || time >= input.rank() || input.dims[time] < 0) return;
  for (int64_t length : *lengths) {
    if (length >= 0 && length <= input.dims[time]) continue;
    node.Conflict(1, absl::StrCat("a sequence of ", length),
                  absl::StrCat("0 to ", input.dims[time], ", the time steps"))
        .when_run = true;
    return;
  }
}

void CheckCumSum(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto axis = node.constant(1);
  if (!input.known || !axis || axis->size() != 1) return;
  if (node.Axis((*axis)[0], input.rank()) < 0) node.contradictions.back().when_run = true;
}

void CheckOneHot(NodeShapes& node) {
  const Shape indices = node.at(0);
  if (indices.known) node.Axis(node.integer("axis", -1), indices.rank() + 1);
}

// The letters behind the arrow are those of the operands, each once.
void CheckEinsum(NodeShapes& node) {
  constexpr size_t kMostShown = 80;
  const absl::string_view equation = node.text("equation");
  const size_t arrow = equation.find("->");
  if (arrow == absl::string_view::npos) return;
  std::bitset<256> seen, made;
  for (const char c : equation.substr(0, arrow)) seen.set(static_cast<unsigned char>(c));
  for (const char c : equation.substr(arrow + 2)) {
    if (!absl::ascii_isalpha(static_cast<unsigned char>(c))) continue;
    const auto letter = static_cast<unsigned char>(c);
    if (seen.test(letter) && !made.test(letter)) {
      made.set(letter);
      continue;
    }
    node.BadParameter(absl::StrCat("equation '", equation.substr(0, kMostShown), "' with ", absl::string_view(&c, 1),
                                   made.test(letter) ? " twice in the result" : " in the result alone"),
                      "letters of the operands, each once")
        .when_run = true;
    return;
  }
}

void CheckActivations(NodeShapes& node) {
  constexpr absl::string_view kKnown[] = {"affine",   "elu",        "hardsigmoid",    "leakyrelu",
                                          "relu",     "scaledtanh", "sigmoid",        "softplus",
                                          "softsign", "tanh",       "thresholdedrelu"};
  const v1::Attribute* activations = node.graph().attribute(node.node(), "activations");
  if (activations == nullptr || activations->value_case() != v1::Attribute::kStrings) return;
  const auto& names = activations->strings().values();
  const absl::string_view op_type = node.graph().op_type(node.node());
  const int directions = node.text("direction") == "bidirectional" ? 2 : 1;
  const int wanted = directions * (op_type == "LSTM" ? 3 : op_type == "GRU" ? 2 : 1);
  // RNN's own default is two, whatever the direction is.
  if (names.size() != wanted && !names.empty() && !(op_type == "RNN" && names.size() == 2)) {
    node.BadParameter(absl::StrCat(names.size(), " activations"), absl::StrCat(wanted, ", by the direction"));
    return;
  }
  for (int i = 0; i < std::min(names.size(), kMostActivations); ++i) {
    const auto same = [&](absl::string_view known) { return absl::EqualsIgnoreCase(known, names[i]); };
    if (std::any_of(std::begin(kKnown), std::end(kKnown), same)) continue;
    node.BadParameter(absl::StrCat("activation '", absl::string_view(names[i]).substr(0, 40), "'"),
                      "an activation that ONNX has");
    return;
  }
}

// In training the running mean and variance are results as well, and were followed by those of the batch.
void CheckBatchNorm(NodeShapes& node) {
  if (node.opset() < 14) {
    const bool one_or_all = node.num_outputs() <= 1 || node.num_outputs() >= 5;
    if (!one_or_all) node.BadParameter(absl::StrCat(node.num_outputs(), " outputs"), "1, or the 5 of training");
    return;
  }
  const bool trains = node.integer("training_mode", 0) != 0;
  const int wanted = trains ? 3 : 1;
  if (node.num_outputs() == wanted || node.num_outputs() == 0) return;
  node.BadParameter(absl::StrCat("training_mode ", trains ? 1 : 0, " with ", node.num_outputs(), " outputs"),
                    absl::StrCat(wanted, " with that"));
}

void CheckFillValue(NodeShapes& node) {
  const v1::Attribute* attribute = node.graph().attribute(node.node(), "value");
  if (attribute == nullptr || attribute->value_case() != v1::Attribute::kTensor || attribute->tensor() < 1) return;
  const v1::Value& value = node.graph().message().values(attribute->tensor() - 1);
  if (!value.has_shape() || (value.dims_size() == 1 && value.dims(0) == 1)) return;
  node.BadParameter(absl::StrCat("a value of shape ", ShapeText(value.dims())), "[1], a list of one element");
}

void CheckSplit(NodeShapes& node) {
  if (node.opset() < 18) return;
  const bool stated = node.has("num_outputs");
  if (stated == node.given(1)) {
    node.BadParameter(stated ? "both num_outputs and the sizes of the parts" : "neither num_outputs nor sizes of parts",
                      "one of them");
  }
}

// Scales of Resize and Upsample are `least` or more; 0 itself is none.
void CheckScales(NodeShapes& node, double least, RealView scales) {
  for (size_t i = 0; i < std::min<size_t>(scales.size(), kMaxRank); ++i) {
    if (scales[i] > 0 && scales[i] >= least) continue;
    node.BadParameter(absl::StrCat("scale ", scales[i], " of axis ", i),
                      least > 0 ? "at least 1: it makes tensors larger" : "more than 0");
    return;
  }
}

void CheckUpsample(NodeShapes& node) {
  const v1::Attribute* attribute = node.graph().attribute(node.node(), "scales");
  if (node.opset() >= 9) {
    CheckScales(node, 1, node.reals(1));
  } else if (attribute != nullptr && attribute->value_case() == v1::Attribute::kFloats) {
    const auto& values = attribute->floats().values();
    CheckScales(node, 1, RealView(values));
  }
}

void CheckResize(NodeShapes& node) {
  const int argument = node.opset() < 11 ? 1 : 2;
  CheckScales(node, 0, node.reals(argument));
  const Shape scales = node.at(argument);
  if (!node.given(3) || !scales.known || scales.rank() != 1 || scales.dims[0] <= 0) return;
  // Older files state sizes beside scales of no element.
  const Shape sizes = node.at(3);
  if (sizes.known && sizes.rank() == 1 && sizes.dims[0] == 0) return;
  node.BadParameter("both scales and sizes", "one of them").when_run = node.opset() < 13;
}

using Check = void (*)(NodeShapes&);

// Built once, on first use, and never destroyed.
Check CheckOf(absl::string_view op_type) {
  static const auto& all = *new absl::flat_hash_map<absl::string_view, Check>({
      {"BatchNormalization", CheckBatchNorm},
      {"Constant", CheckConstant},
      {"ConstantOfShape", CheckFillValue},
      {"Einsum", CheckEinsum},
      {"GRU", CheckActivations},
      {"LRN", CheckLrn},
      {"LSTM", CheckActivations},
      {"LpNormalization", CheckLpNorm},
      {"Mod", CheckMod},
      {"OneHot", CheckOneHot},
      {"RNN", CheckActivations},
      {"Resize", CheckResize},
      {"CumSum", CheckCumSum},
      {"ReverseSequence", CheckReverse},
      {"Split", CheckSplit},
      {"Upsample", CheckUpsample},
  });
  const auto found = all.find(op_type);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace

void CheckMeaning(NodeShapes& node) {
  if (const Check check = CheckOf(node.graph().op_type(node.node())); check != nullptr) check(node);
}

}  // namespace quantgate
