// Predicates about element types, widths and architecture.
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/constraints/kinds.h"
#include "rules/constraints/rows.h"

namespace quantgate::kinds {
namespace {

bool IsSigned(v1::DataType type) {
  switch (type) {
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_INT8:
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_INT32:
    case v1::DATA_TYPE_INT64:
      return true;
    default:
      return false;
  }
}

}  // namespace

Evaluator Types(Arguments& arguments) {
  return [allowed = arguments.Types("allowed")](const Subject& subject, Outcome& outcome) {
    if (TypeUnknown(*subject.tensor)) return Unknown(outcome, "the element type is not known");
    if (allowed.Contains(subject.tensor->type)) return Verdict::kHolds;
    return Violated(outcome, std::string(db::ElementTypeName(subject.tensor->type)), allowed.text);
  };
}

Evaluator SameType(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor* other = TensorAt(subject.op, port.kind, port.first);
    if (other == nullptr) return Verdict::kHolds;
    if (TypeUnknown(*subject.tensor) || TypeUnknown(*other)) return Unknown(outcome, "an element type is not known");
    if (subject.tensor->type == other->type) return Verdict::kHolds;
    return Violated(outcome, std::string(db::ElementTypeName(subject.tensor->type)),
                    absl::StrCat(db::ElementTypeName(other->type), ", the type of ", port.name));
  };
}

Evaluator PortTypes(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port, allowed = arguments.Types("allowed")](const Subject& subject, Outcome& outcome) {
    const BackendTensor* tensor = TensorAt(subject.op, port.kind, port.first);
    if (tensor == nullptr) return Verdict::kHolds;
    if (TypeUnknown(*tensor)) return Unknown(outcome, absl::StrCat("the element type of ", port.name, " is not known"));
    if (allowed.Contains(tensor->type)) return Verdict::kHolds;
    const std::string own =
        subject.tensor == nullptr ? "" : absl::StrCat(db::ElementTypeName(subject.tensor->type), " with ");
    return Violated(outcome, absl::StrCat(own, db::ElementTypeName(tensor->type), " at ", port.name),
                    absl::StrCat(allowed.text, " at ", port.name));
  };
}

Evaluator Bits(Arguments& arguments) {
  return [allowed = arguments.Choices("allowed")](const Subject& subject, Outcome& outcome) {
    if (subject.tensor->bits <= 0) return Unknown(outcome, "the bit width is not known");
    if (allowed.Contains(subject.tensor->bits)) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat(subject.tensor->bits), allowed.text);
  };
}

Evaluator Signed(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    if (TypeUnknown(*subject.tensor)) return Unknown(outcome, "the element type is not known");
    if (IsSigned(subject.tensor->type.type)) return Verdict::kHolds;
    return Violated(outcome, std::string(db::ElementTypeName(subject.tensor->type)), "a signed type");
  };
}

Evaluator MinArch(Arguments& arguments) {
  return [arch = arguments.Count("arch")](const Subject& subject, Outcome& outcome) {
    if (subject.arch == 0) return Unknown(outcome, "the architecture of the target is not known");
    if (subject.arch >= arch) return Verdict::kHolds;
    // What the condition may have looked at.
    const std::string what = subject.tensor == nullptr ? ""
                                                       : absl::StrCat(db::ElementTypeName(subject.tensor->type), " ",
                                                                      EncodingName(subject.tensor->encoding), " on ");
    return Violated(outcome, absl::StrCat(what, "V", subject.arch), absl::StrCat("V", arch, " or later"));
  };
}

Evaluator MaxArch(Arguments& arguments) {
  return [arch = arguments.Count("arch")](const Subject& subject, Outcome& outcome) {
    if (subject.arch == 0) return Unknown(outcome, "the architecture of the target is not known");
    if (subject.arch <= arch) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat("V", subject.arch), absl::StrCat("V", arch, " or earlier"));
  };
}

}  // namespace quantgate::kinds
