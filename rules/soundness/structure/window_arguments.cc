#include "rules/soundness/structure/window_arguments.h"

#include <array>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/render.h"

namespace quantgate {
namespace {

// One number for each axis, or one for all; `groups` is a single one. PyTorch 2.13.0 refuses smaller ones when the
// operator first runs, and other kinds when it is called.
struct WindowArgument {
  const char* name;
  int64_t least;
  bool list = true;
};

constexpr auto kWindowArguments = std::to_array<WindowArgument>(
    {{"kernel_size", 1}, {"stride", 1}, {"dilation", 1}, {"padding", 0}, {"output_padding", 0}, {"groups", 1, false}});

bool IsConvolution(OpId op) { return op == OpId::kConv || op == OpId::kConvTranspose; }

bool HasWindow(OpId op) { return IsConvolution(op) || op == OpId::kMaxPool || op == OpId::kAveragePool; }

// What another kind of value is; empty: it is of its kind. Sizes of convolutions are SymInt[], which takes no single
// integer, those of pools int[].
std::string OtherKind(const v1::Attribute& attribute, bool list, bool convolution) {
  switch (attribute.value_case()) {
    case v1::Attribute::kS:
      // A kind of argument that this version does not know stands as its tag.
      return absl::StartsWith(attribute.s(), "as_") ? "" : absl::StrCat("the text '", attribute.s(), "'");
    case v1::Attribute::kF:
      return absl::StrCat("the number ", FormatNumber(attribute.f()));
    case v1::Attribute::kFloats:
      return attribute.floats().values().empty() ? "" : "a list of reals";
    case v1::Attribute::kStrings:
      return "a list of texts";
    case v1::Attribute::kI:
      return list && convolution ? absl::StrCat("the number ", attribute.i()) : "";
    case v1::Attribute::kInts:
      return list ? "" : "a list";
    default:
      return "";
  }
}

// Sizes that are known at run time only stand as -1, and their names as operands.
bool HasNumbersOfRunTime(const Graph& graph, int32_t node) {
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    if (const int32_t value = graph.input(node, i); value >= 0 && graph.dtype(value) == v1::DATA_TYPE_UNSPECIFIED) {
      return true;
    }
  }
  return false;
}

// The number or the list, where one is below the least.
std::string TooSmall(const v1::Attribute& attribute, int64_t least) {
  if (attribute.value_case() == v1::Attribute::kI && attribute.i() < least) return absl::StrCat(attribute.i());
  const auto& numbers = attribute.ints().values();
  if (absl::c_none_of(numbers, [least](int64_t number) { return number < least; })) return "";
  constexpr int kMostAxes = 3;
  if (numbers.size() > kMostAxes) return "a list with numbers below that";
  return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
}

// {observed, allowed}; nothing observed: the argument is good.
std::pair<std::string, std::string> Judge(const Graph& graph, int32_t node, const WindowArgument& argument,
                                          const v1::Attribute& attribute) {
  if (absl::EndsWith(graph.op_type(node), ".padding") && absl::string_view(argument.name) == "padding") {
    const bool known = attribute.s() == "same" || attribute.s() == "valid" || absl::StartsWith(attribute.s(), "as_");
    return {known                   ? ""
            : attribute.s().empty() ? "no text"
                                    : absl::StrCat("'", attribute.s(), "'"),
            "'same' or 'valid'"};
  }
  std::string observed = OtherKind(attribute, argument.list, IsConvolution(graph.op(node)));
  if (!observed.empty()) return {std::move(observed), argument.list ? "a list of integers" : "an integer"};
  if (HasNumbersOfRunTime(graph, node)) return {};
  return {TooSmall(attribute, argument.least),
          absl::StrCat(argument.list ? "numbers" : "a number", " of at least ", argument.least)};
}

}  // namespace

void CheckWindowArguments(const Graph& graph, const RuleInfo& rule, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (!HasWindow(graph.op(node)) || !absl::StartsWith(graph.op_type(node), "aten.")) continue;
    for (const WindowArgument& argument : kWindowArguments) {
      const v1::Attribute* attribute = graph.attribute(node, argument.name);
      if (attribute == nullptr) continue;
      auto [observed, allowed] = Judge(graph, node, argument, *attribute);
      if (observed.empty()) continue;
      Place place;
      place.node = node;
      sink.Add(rule, place, absl::StrCat(argument.name, " is ", observed), std::move(allowed));
    }
  }
}

}  // namespace quantgate
