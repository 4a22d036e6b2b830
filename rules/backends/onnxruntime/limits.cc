#include "rules/backends/onnxruntime/limits.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/onnxruntime/node.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/node_shapes.h"
#include "rules/onnx/runs.h"

namespace quantgate::onnxruntime {

const RuleInfo kNotImplemented = {
    "GS506",
    "attribute-not-implemented",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; the kernel knows {allowed}.",
    "The operator's definition allows more than the CPU kernel computes. The session ends when the kernel is made, or "
    "the run when it comes to the node.",
    "Write the node in the form that the kernel knows: for another layout, put Transpose nodes around it.",
    "Fires: LSTM with layout 1, MaxPool of a tensor of rank 6. Does not: with layout 0; of rank 5.",
};

namespace {

// Integer attributes of which a kernel knows one value.
struct OnlyValue {
  absl::string_view op;
  absl::string_view attribute;
  int64_t value;
};

constexpr OnlyValue kOnlyValues[] = {{"LSTM", "layout", 0}, {"GRU", "layout", 0}, {"RNN", "layout", 0}};

constexpr absl::string_view kNeedsHiddenSize[] = {"LSTM", "GRU", "RNN"};

constexpr absl::string_view kConvolutions[] = {"Conv", "QLinearConv", "ConvInteger", "com.microsoft::QLinearConv"};

// Ranks of the first input.
struct Ranks {
  absl::string_view op;
  int least;
  int most;
};

constexpr Ranks kRanks[] = {
    {"MaxPool", 3, 5},           {"AveragePool", 3, 5},  {"LpPool", 3, 5},     {"GlobalMaxPool", 3, 5},
    {"GlobalAveragePool", 3, 5}, {"GlobalLpPool", 3, 5}, {"GridSample", 4, 5},
};

// Optional inputs that the kernel, or the optimizer, takes for there when their place is.
struct NeedsName {
  absl::string_view op;
  int argument;
  absl::string_view beside;  // an attribute that there has to be as well; empty: none
  bool when_run;
};

constexpr NeedsName kNeedsNames[] = {
    {"LayerNormalization", 2, "", false},  // of float32 and float16: what looks for fusions reads its type
    {"Split", 1, "num_outputs", false},
    {"Squeeze", 1, "", true},
};

bool IsOne(double factor) { return factor == 1; }

class Limits {
 public:
  Limits(const CheckContext& context, const KernelCall& call, const FindingSource& source, FindingSink& sink)
      : context_(context), graph_(context.graph()), call_(call), source_(source), sink_(sink) {}

  bool Check() {
    CheckAttributes();
    CheckRank();
    CheckNames();
    if (absl::c_linear_search(kConvolutions, call_.op)) CheckConvolution();
    if (call_.op == "ConvTranspose") CheckOutputPadding();
    if (call_.op == "Resize" || call_.op == "Upsample") CheckResize();
    if (call_.op == "Pad") CheckReflection();
    return refused_;
  }

 private:
  int64_t Int(absl::string_view name, int64_t fallback) const {
    return graph_.int_attribute(call_.node, name, fallback);
  }
  absl::string_view Text(absl::string_view name) const {
    const v1::Attribute* attribute = graph_.attribute(call_.node, name);
    return attribute == nullptr ? absl::string_view() : absl::string_view(attribute->s());
  }
  absl::Span<const int64_t> Ints(absl::string_view name) const {
    const v1::Attribute* attribute = graph_.attribute(call_.node, name);
    if (attribute == nullptr || attribute->value_case() != v1::Attribute::kInts) return {};
    return absl::MakeConstSpan(attribute->ints().values().data(), attribute->ints().values_size());
  }
  bool Has(absl::string_view name) const { return graph_.attribute(call_.node, name) != nullptr; }
  int rank() const { return call_.input(0) < 0 ? -1 : graph_.rank(call_.input(0)); }
  // A constant that is the same in every run.
  const v1::Value* Fixed(size_t argument) const {
    const int32_t value = call_.input(argument);
    const bool fixed = value >= 0 && graph_.is_constant(value) && !graph_.is_graph_input(value);
    return fixed ? &graph_.value(value) : nullptr;
  }

  // A branch that is never taken may be removed before its kernels are made, and none of them runs.
  void Refuse(std::string observed, std::string allowed, bool when_run) {
    const Runs runs = RunsOf(context_);
    if (runs == Runs::kNever && when_run) return;
    if (runs == Runs::kAlways || (runs == Runs::kPerhaps && !when_run)) {
      Place place;
      place.node = call_.node;
      sink_.Add(kNotImplemented, place, std::move(observed), std::move(allowed), source_);
      refused_ = true;
      return;
    }
    sink_.NotChecked(
        &kNotImplemented, call_.node,
        absl::StrCat("is in a branch that may not be taken, and has ", observed, "; the kernel knows ", allowed));
  }

  void CheckAttributes() {
    for (const OnlyValue& only : kOnlyValues) {
      if (only.op != call_.op) continue;
      const int64_t value = Int(only.attribute, only.value);
      if (value == only.value) continue;
      Refuse(absl::StrCat(only.attribute, " ", value), absl::StrCat(only.attribute, " ", only.value), false);
    }
    if (absl::c_linear_search(kNeedsHiddenSize, call_.op) && !Has("hidden_size")) {
      Refuse("no hidden_size", "a stated one", false);
    }
    if (call_.op == "LRN" && Int("size", 1) % 2 == 0) Refuse(absl::StrCat("size ", Int("size", 1)), "odd ones", false);
  }

  void CheckRank() {
    for (const Ranks& ranks : kRanks) {
      if (ranks.op != call_.op || rank() < 0 || (rank() >= ranks.least && rank() <= ranks.most)) continue;
      if (rank() < 3) continue;  // said of any target
      Refuse(absl::StrCat("an input of rank ", rank()), absl::StrCat("ranks from ", ranks.least, " to ", ranks.most),
             true);
    }
  }

  void CheckNames() {
    for (const NeedsName& row : kNeedsNames) {
      const auto at = static_cast<size_t>(row.argument);
      if (row.op != call_.op || at >= call_.inputs.size() || call_.inputs[at] >= 0) continue;
      if (!row.beside.empty() && !Has(row.beside)) continue;
      if (row.op == "LayerNormalization" && call_.types[0] == v1::DATA_TYPE_FLOAT64) continue;
      Refuse(absl::StrCat("an input ", row.argument, " without a name"), "one with a name, or a list that ends before",
             row.when_run);
    }
  }

  void CheckConvolution() {
    const absl::Span<const int64_t> dilations = Ints("dilations");
    if (!absl::StartsWith(Text("auto_pad"), "SAME")) return;
    if (absl::c_all_of(dilations, [](int64_t dilation) { return dilation == 1; })) return;
    Refuse(absl::StrCat("dilations ", ListText(dilations), " with auto_pad ", Text("auto_pad")), "pads beside them",
           true);
  }

  // Beside a larger dilation the definition allows it. Beyond that it is said of any target.
  void CheckOutputPadding() {
    const absl::Span<const int64_t> added = Ints("output_padding"), strides = Ints("strides");
    const absl::Span<const int64_t> dilations = Ints("dilations");
    for (size_t i = 0; i < std::min(added.size(), dilations.size()); ++i) {
      const int64_t stride = i < strides.size() ? strides[i] : 1;
      if (added[i] < stride || added[i] >= dilations[i]) continue;
      Refuse(absl::StrCat("output_padding ", added[i], " with a stride of ", stride), "less than the stride", true);
      return;
    }
  }

  void CheckResize() {
    const absl::string_view mode = Text("mode");
    const bool linear = mode == "linear", cubic = mode == "cubic", smooth = Int("antialias", 0) != 0;
    if (smooth && !linear && !cubic) Refuse("antialias", "it with mode linear or cubic", false);
    if (Int("exclude_outside", 0) != 0 && !cubic && !(linear && smooth)) {
      Refuse("exclude_outside", "it with mode cubic, or linear with antialias", false);
    }
    if (cubic && !call_.types.empty() && IsInteger(call_.types[0])) {
      CheckCubicIntegers();
      return;
    }
    if ((!linear && !cubic) || Has("axes") || rank() < 0) return;
    bool by_size = false;
    const std::vector<double> factors = Factors(by_size);
    const bool taken = factors.empty() ? MayBeTaken(cubic) : Taken(factors, cubic);
    if (taken) return;
    std::string observed = absl::StrCat("mode ", mode, " for a tensor of rank ", rank());
    if (factors.size() == 4 || factors.size() == 5) absl::StrAppend(&observed, ", by ", absl::StrJoin(factors, " x "));
    Refuse(std::move(observed),
           cubic ? "rank 2, or two neighboring axes of rank 4 but the first"
                 : "ranks 2 and 3, two neighboring axes of rank 4 but the first, or the last three of rank 5",
           by_size || factors.empty());
  }

  // The kernel is registered for them, and finds floats alone when it runs. What keeps its sizes is a copy.
  void CheckCubicIntegers() {
    bool by_size = false;
    const std::vector<double> factors = rank() < 0 || Has("axes") ? std::vector<double>() : Factors(by_size);
    bool keeps_sizes = true, is_empty = false, is_known = !factors.empty();
    for (size_t i = 0; i < factors.size(); ++i) {
      const int64_t size = graph_.value(call_.input(0)).dims(static_cast<int>(i));
      if (size < 0 && !IsOne(factors[i])) is_known = false;
      const double product = static_cast<double>(size) * factors[i];
      const double made = by_size ? std::round(product) : std::floor(product);  // stated sizes are whole
      keeps_sizes = keeps_sizes && (IsOne(factors[i]) || made == static_cast<double>(size));
      is_empty = is_empty || (size >= 0 && made == 0);
    }
    if (!is_known) {
      sink_.NotChecked(&kNotImplemented, call_.node,
                       "mode cubic for integers runs where the sizes stay, which is not known");
    } else if (!keeps_sizes && !is_empty) {
      Refuse(absl::StrCat("mode cubic for ", DataTypeName(call_.types[0])), "it for floats", true);
    }
  }

  // By how much each axis is scaled; empty: not known, or not for all of them.
  std::vector<double> Factors(bool& by_size) const {
    const auto count = static_cast<size_t>(rank());
    std::vector<double> factors;
    if (call_.op == "Upsample" && call_.inputs.size() < 2) {
      const v1::Attribute* scales = graph_.attribute(call_.node, "scales");
      if (scales == nullptr || scales->value_case() != v1::Attribute::kFloats) return factors;
      factors.assign(scales->floats().values().begin(), scales->floats().values().end());
    } else if (const v1::Value* scales = Fixed(call_.op == "Upsample" || call_.inputs.size() == 2 ? 1 : 2)) {
      const RealView numbers = RealsOf(*scales);
      if (numbers.size() == count) factors.assign(numbers.begin(), numbers.end());
    }
    const absl::string_view policy = Text("keep_aspect_ratio_policy");
    if (const v1::Value* sizes = Fixed(3);
        factors.empty() && sizes != nullptr && graph_.value(call_.input(0)).has_shape()) {
      const IntegerView numbers = IntegersOf(*sizes);
      const auto& dims = graph_.value(call_.input(0)).dims();
      by_size = true;
      for (size_t i = 0; numbers.size() == count && i < count && (policy.empty() || policy == "stretch"); ++i) {
        if (dims[static_cast<int>(i)] <= 0) return {};
        factors.push_back(static_cast<double>(numbers[i]) / static_cast<double>(dims[static_cast<int>(i)]));
      }
    }
    if (factors.size() != count) factors.clear();
    return factors;
  }

  static bool Taken(const std::vector<double>& factors, bool cubic) {
    const size_t count = factors.size();
    if (count == 2 || (count == 3 && !cubic)) return true;
    if (count == 4) return IsOne(factors[0]) && (IsOne(factors[1]) || IsOne(factors[3]));
    return count == 5 && !cubic && IsOne(factors[0]) && IsOne(factors[1]);
  }
  bool MayBeTaken(bool cubic) const { return cubic ? rank() == 2 || rank() == 4 : rank() >= 2 && rank() <= 5; }

  // A line is mirrored once.
  void CheckReflection() {
    const int32_t data = call_.input(0);
    if (Text("mode") != "reflect" || data < 0 || rank() < 0 || call_.input(3) >= 0) return;
    const v1::Value* stored = Fixed(1);
    const IntegerView moved = stored == nullptr ? IntegerView() : IntegersOf(*stored);
    const IntegerView pads = call_.inputs.size() > 1 ? moved : IntegerView(Ints("pads"));
    const auto& dims = graph_.value(data).dims();
    if (pads.size() != 2 * static_cast<size_t>(rank())) return;
    for (int i = 0; i < rank(); ++i) {
      const int64_t before = pads[i], after = pads[i + rank()];
      if (dims[i] < 0 || std::min(before, after) < -dims[i]) continue;  // that cuts too much is another finding
      const int64_t most = dims[i] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) - 1;
      if (std::max(before, after) <= std::max<int64_t>(most, 0)) continue;
      Refuse(
          absl::StrCat("mode reflect with ", std::max(before, after), " elements beside the ", dims[i], " of axis ", i),
          absl::StrCat("at most ", most), true);
      return;
    }
  }

  const CheckContext& context_;
  const Graph& graph_;
  const KernelCall& call_;
  const FindingSource& source_;
  FindingSink& sink_;
  bool refused_ = false;
};

}  // namespace

bool CheckLimits(const CheckContext& context, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  return Limits(context, call, source, sink).Check();
}

}  // namespace quantgate::onnxruntime
