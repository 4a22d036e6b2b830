// Predicates about parameters of the operator.
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "rules/constraints/kinds.h"

namespace quantgate::kinds {
namespace {

ParamValue OwnValue(const Subject& subject) { return ValueOf(subject.op, subject.defaults, subject.name); }

Verdict ValueUnknown(absl::string_view name, Outcome& outcome) {
  return Unknown(outcome, absl::StrCat("the value of ", name, " is not known"));
}

std::string NameAndValue(absl::string_view name, const ParamValue& value) {
  return absl::StrCat(name, " = ", value.text());
}

// Every element of the value satisfies `good`.
template <typename Predicate>
bool All(const ParamValue& value, Predicate good) {
  for (size_t i = 0; i < value.size(); ++i) {
    if (!good(value.at(i))) return false;
  }
  return true;
}

bool Equals(const ParamValue& value, const std::vector<double>& list) {
  if (!value.every() && value.size() != list.size()) return false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (value.at(i) != list[i]) return false;
  }
  return true;
}

}  // namespace

Evaluator Given(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    if (!subject.op.as_stated || FindParam(subject.op, subject.name) != nullptr) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat("no ", subject.name), absl::StrCat(subject.name, " of ", subject.op.name));
  };
}

Evaluator NotGiven(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    if (FindParam(subject.op, subject.name) == nullptr) return Verdict::kHolds;
    return Violated(outcome, std::string(subject.name), absl::StrCat("no ", subject.name));
  };
}

Evaluator ParamIsOneOf(Arguments& arguments) {
  const NumberSet allowed = arguments.Choices("allowed");
  const bool absent_ok = arguments.Has("absent") && arguments.Word("absent", {"ok"}) == "ok";
  return [allowed, absent_ok](const Subject& subject, Outcome& outcome) {
    if (absent_ok && FindParam(subject.op, subject.name) == nullptr) return Verdict::kHolds;
    const ParamValue value = OwnValue(subject);
    if (!value.known()) return ValueUnknown(subject.name, outcome);
    if (All(value, [&](double v) { return allowed.Contains(v); })) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, value), absl::StrCat(subject.name, " = ", allowed.text));
  };
}

Evaluator ParamDefault(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    if (FindParam(subject.op, subject.name) == nullptr) return Verdict::kHolds;
    const ParamValue value = OwnValue(subject);
    const ParamValue fallback = subject.defaults.Find(subject.name, subject.op);
    if (!value.known()) return ValueUnknown(subject.name, outcome);
    if (!fallback.known()) return Unknown(outcome, absl::StrCat("the default of ", subject.name, " is not known"));
    if (All(value, [&](double v) { return v == fallback.at(0); })) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, value), NameAndValue(subject.name, fallback));
  };
}

Evaluator ParamRange(Arguments& arguments) {
  return [allowed = arguments.MinMax()](const Subject& subject, Outcome& outcome) {
    const ParamValue value = OwnValue(subject);
    if (!value.known()) return ValueUnknown(subject.name, outcome);
    if (All(value, [&](double v) { return allowed.Contains(v); })) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, value), absl::StrCat(subject.name, " ", allowed.text()));
  };
}

Evaluator ParamElement(Arguments& arguments) {
  const int index = arguments.Count("index");
  const double wanted = arguments.Int("value");
  return [index, wanted](const Subject& subject, Outcome& outcome) {
    const ParamValue value = OwnValue(subject);
    if (!value.known()) return ValueUnknown(subject.name, outcome);
    if (value.has(index) && value.at(index) == wanted) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, value),
                    absl::StrFormat("%s[%d] = %.10g", subject.name, index, wanted));
  };
}

Evaluator ParamLength(Arguments& arguments) {
  const int max = arguments.Count("max");
  return [max](const Subject& subject, Outcome& outcome) {
    const ParamValue value = OwnValue(subject);
    if (!value.known() || value.every()) return ValueUnknown(subject.name, outcome);
    if (value.size() <= static_cast<size_t>(max)) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, value),
                    absl::StrCat(subject.name, " of at most ", max, " numbers"));
  };
}

Evaluator AxisRange(Arguments& arguments) {
  const PortPattern port = arguments.Port("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor* tensor = TensorAt(subject.op, port.kind, port.first);
    if (tensor == nullptr) return Verdict::kHolds;
    const ParamValue axes = OwnValue(subject);
    if (!axes.known()) return ValueUnknown(subject.name, outcome);
    // A negative one may count from the end in the file, and be translated once the rank is known.
    if (tensor->rank < 0) return Unknown(outcome, absl::StrCat("the rank of ", port.name, " is not known"));
    if (All(axes, [&](double axis) { return axis >= 0 && axis < tensor->rank; })) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, axes), absl::StrCat(subject.name, " 0 to ", tensor->rank - 1));
  };
}

Evaluator AxisLast(Arguments& arguments) {
  const PortPattern port = arguments.Port("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor* tensor = TensorAt(subject.op, port.kind, port.first);
    if (tensor == nullptr) return Verdict::kHolds;
    const ParamValue axes = OwnValue(subject);
    if (!axes.known()) return ValueUnknown(subject.name, outcome);
    if (axes.size() == 1 && axes.at(0) == -1) return Verdict::kHolds;
    if (tensor->rank < 0) return Unknown(outcome, absl::StrCat("the rank of ", port.name, " is not known"));
    if (axes.size() == 1 && axes.at(0) == tensor->rank - 1) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, axes),
                    absl::StrCat(subject.name, " = ", tensor->rank - 1, ", the last dimension"));
  };
}

Evaluator DilationStride(Arguments& arguments) {
  const std::string stride_name = arguments.Text("stride");
  const std::vector<double> dims = arguments.Integers("dims");
  if (!absl::c_all_of(dims, [](double d) { return d >= 0 && d < 8; })) {
    arguments.Fail("argument \"dims\" is not a list of positions");
  }
  // The one combination of dilation, stride and kernel size that is supported besides; empty: none.
  std::vector<double> except_dilation, except_stride, except_kernel;
  if (arguments.Has("except_dilation") || arguments.Has("except_stride") || arguments.Has("except_kernel")) {
    except_dilation = arguments.Integers("except_dilation");
    except_stride = arguments.Integers("except_stride");
    except_kernel = arguments.Integers("except_kernel");
  }
  return [=](const Subject& subject, Outcome& outcome) {
    const ParamValue dilation = OwnValue(subject);
    if (!dilation.known()) return ValueUnknown(subject.name, outcome);
    if (All(dilation, [](double d) { return d == 1; })) return Verdict::kHolds;
    const ParamValue stride = ValueOf(subject.op, subject.defaults, stride_name);
    if (!stride.known()) return ValueUnknown(stride_name, outcome);
    const auto one = [&](double d) {
      return stride.has(static_cast<size_t>(d)) && stride.at(static_cast<size_t>(d)) == 1;
    };
    if (absl::c_all_of(dims, one)) return Verdict::kHolds;
    if (!except_dilation.empty() && Equals(dilation, except_dilation) && Equals(stride, except_stride)) {
      const BackendTensor* weight = TensorAt(subject.op, PortRef::kInput, 1);
      if (weight == nullptr || weight->dims.size() < except_kernel.size()) {
        return Unknown(outcome, "the size of the kernel is not known");
      }
      bool same = true;
      for (size_t i = 0; i < except_kernel.size(); ++i) {
        if (weight->dims[i] < 0) return Unknown(outcome, "the size of the kernel is not known");
        same &= static_cast<double>(weight->dims[i]) == except_kernel[i];
      }
      if (same) return Verdict::kHolds;
    }
    return Violated(outcome,
                    absl::StrCat(NameAndValue(subject.name, dilation), " with ", NameAndValue(stride_name, stride)),
                    absl::StrCat(subject.name, " above 1 only with ", stride_name, " = 1"));
  };
}

Evaluator OperationUnsupported(Arguments& arguments) {
  return [forbidden = arguments.Choices("operations")](const Subject& subject, Outcome& outcome) {
    const ParamValue operation = ValueOf(subject.op, subject.defaults, "operation");
    if (!operation.known()) return ValueUnknown("operation", outcome);
    const auto found = absl::c_find(forbidden.values, operation.at(0));
    if (found == forbidden.values.end()) return Verdict::kHolds;
    return Violated(outcome, forbidden.names[found - forbidden.values.begin()],
                    absl::StrCat("any but ", forbidden.text));
  };
}

Evaluator Ignored(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    // Evaluated for tensors only when they are given.
    if (subject.tensor == nullptr && FindParam(subject.op, subject.name) == nullptr) return Verdict::kHolds;
    const std::string what = subject.tensor != nullptr ? "this input" : NameAndValue(subject.name, OwnValue(subject));
    return Violated(outcome, what, "no effect");
  };
}

Evaluator Note(Arguments& arguments) {
  std::string meaning = arguments.Text("meaning");
  absl::string_view like = meaning;
  if (!absl::ConsumePrefix(&like, "quantized_like:")) {
    // A permission: nothing can violate it.
    if (meaning != "qparams_may_change") arguments.Fail(absl::StrCat("\"", meaning, "\" is not a meaning"));
    return [](const Subject&, Outcome&) { return Verdict::kHolds; };
  }
  const absl::StatusOr<PortPattern> port = ParsePort(like);
  if (!port.ok() || port->first != port->last || port->kind > PortRef::kOutput) {
    arguments.Fail(absl::StrCat("\"", meaning, "\" does not name an input or output"));
    return nullptr;
  }
  return [port = *port](const Subject& subject, Outcome& outcome) {
    const BackendTensor* tensor = TensorAt(subject.op, port.kind, port.first);
    if (tensor == nullptr || !tensor->type.quantized || FindParam(subject.op, subject.name) == nullptr) {
      return Verdict::kHolds;
    }
    const ParamValue value = OwnValue(subject);
    if (!value.known()) return ValueUnknown(subject.name, outcome);
    if (All(value, [](double v) { return v == std::floor(v); })) return Verdict::kHolds;
    return Violated(outcome, NameAndValue(subject.name, value),
                    absl::StrCat("an integer under the scale and zero point of ", port.name));
  };
}

Evaluator Unclear(Arguments& arguments) {
  return [meaning = arguments.Text("meaning")](const Subject&, Outcome& outcome) {
    return Unknown(outcome, absl::StrCat("the document contradicts itself here (", meaning, ")"));
  };
}

}  // namespace quantgate::kinds
