// Conditions under which a predicate applies: the when_ and unless_ arguments.
#include "rules/constraints/predicate.h"
#include "rules/constraints/rows.h"

namespace quantgate {
namespace {

Tri ToTri(bool value) { return value ? Tri::kYes : Tri::kNo; }

Tri Not(Tri value) { return value == Tri::kUnknown ? value : ToTri(value == Tri::kNo); }

// A port that is not given has no type, encoding or rank: such a condition is false.
Tri TypeIn(const BackendTensor* tensor, const TypeSet& types) {
  if (tensor == nullptr) return Tri::kNo;
  return TypeUnknown(*tensor) ? Tri::kUnknown : ToTri(types.Contains(tensor->type));
}

Tri EncodingIn(const BackendTensor* tensor, const EncodingSet& encodings) {
  if (tensor == nullptr || (!tensor->type.quantized && !TypeUnknown(*tensor))) return Tri::kNo;
  if (tensor->encoding == Encoding::kNone || tensor->encoding == Encoding::kUndefined) return Tri::kUnknown;
  return ToTri(encodings.Contains(tensor->encoding));
}

Tri RankIn(const BackendTensor* tensor, const Interval& ranks) {
  if (tensor == nullptr) return Tri::kNo;
  return tensor->rank < 0 ? Tri::kUnknown : ToTri(ranks.Contains(tensor->rank));
}

// What is computed from constants alone is a constant by the time the backend sees it.
Tri IsStatic(const BackendTensor* tensor, bool wanted) {
  if (tensor == nullptr) return Tri::kNo;
  return ToTri((tensor->is_static || tensor->static_chain) == wanted);
}

Tri ParamIn(const Subject& subject, absl::string_view name, const NumberSet& values) {
  const ParamValue value = ValueOf(subject.op, subject.defaults, name);
  if (!value.known()) return Tri::kUnknown;
  for (size_t i = 0; i < value.size(); ++i) {
    if (!values.Contains(value.at(i))) return Tri::kNo;
  }
  return Tri::kYes;
}

}  // namespace

std::vector<Condition> TakeConditions(Arguments& arguments) {
  std::vector<Condition> conditions;
  if (arguments.Has("when_type")) {
    conditions.push_back([types = arguments.Types("when_type")](const Subject& s) { return TypeIn(s.tensor, types); });
  }
  if (arguments.Has("when_encoding")) {
    conditions.push_back([encodings = arguments.Encodings("when_encoding")](const Subject& s) {
      return EncodingIn(s.tensor, encodings);
    });
  }
  if (arguments.Has("when_rank")) {
    conditions.push_back([ranks = arguments.Ranks("when_rank")](const Subject& s) { return RankIn(s.tensor, ranks); });
  }
  for (const bool unless : {false, true}) {
    const char* operation = unless ? "unless_operation" : "when_operation";
    if (arguments.Has(operation)) {
      conditions.push_back([values = arguments.Choices(operation), unless](const Subject& s) {
        const Tri in = ParamIn(s, "operation", values);
        return unless ? Not(in) : in;
      });
    }
    const char* param = unless ? "unless_param" : "when_param";
    if (arguments.Has(param)) {
      std::string name = arguments.Key(param);
      conditions.push_back([name = std::move(name), values = arguments.Choices(param), unless](const Subject& s) {
        const Tri in = ParamIn(s, name, values);
        return unless ? Not(in) : in;
      });
    }
  }
  // Conditions on another port: "PORT:..." with the same kinds of lists.
  const auto at = [](const Subject& s, const PortPattern& port) { return TensorAt(s.op, port.kind, port.first); };
  if (arguments.Has("when_port_type")) {
    const PortPattern port = arguments.OtherPortKey("when_port_type");
    conditions.push_back(
        [port, at, types = arguments.Types("when_port_type")](const Subject& s) { return TypeIn(at(s, port), types); });
  }
  if (arguments.Has("when_port_encoding")) {
    const PortPattern port = arguments.OtherPortKey("when_port_encoding");
    conditions.push_back([port, at, encodings = arguments.Encodings("when_port_encoding")](const Subject& s) {
      return EncodingIn(at(s, port), encodings);
    });
  }
  if (arguments.Has("when_port_rank")) {
    const PortPattern port = arguments.OtherPortKey("when_port_rank");
    conditions.push_back(
        [port, at, ranks = arguments.Ranks("when_port_rank")](const Subject& s) { return RankIn(at(s, port), ranks); });
  }
  if (arguments.Has("when_same_type")) {
    const PortPattern port = arguments.OtherPort("when_same_type");
    conditions.push_back([port, at](const Subject& s) {
      const BackendTensor* other = at(s, port);
      if (other == nullptr) return Tri::kNo;
      if (TypeUnknown(*other) || TypeUnknown(*s.tensor)) return Tri::kUnknown;
      return ToTri(other->type == s.tensor->type);
    });
  }
  if (arguments.Has("when_bits")) {
    conditions.push_back([bits = arguments.Choices("when_bits")](const Subject& s) {
      return s.tensor->bits > 0 ? ToTri(bits.Contains(s.tensor->bits)) : Tri::kUnknown;
    });
  }
  if (arguments.Has("when_static")) {
    conditions.push_back(
        [wanted = arguments.YesNo("when_static")](const Subject& s) { return IsStatic(s.tensor, wanted); });
  }
  if (arguments.Has("when_port_static")) {
    const PortPattern port = arguments.OtherPortKey("when_port_static");
    conditions.push_back([port, at, wanted = arguments.YesNo("when_port_static")](const Subject& s) {
      return IsStatic(at(s, port), wanted);
    });
  }
  return conditions;
}

}  // namespace quantgate
