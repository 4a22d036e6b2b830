#include "rules/graph/alike.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/string_view.h"
#include "rules/graph/mixer.h"

namespace quantgate {
namespace {

uint64_t Bits(double number) {
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

bool SameNumbers(const google::protobuf::RepeatedField<int64_t>& a, const google::protobuf::RepeatedField<int64_t>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// By their bits: 0.0 and -0.0 differ, a NaN is itself.
bool SameNumbers(const google::protobuf::RepeatedField<double>& a, const google::protobuf::RepeatedField<double>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return Bits(x) == Bits(y); });
}

void AddAttribute(const v1::Attribute& attribute, Mixer& mixer) {
  mixer.Add(static_cast<uint64_t>(attribute.name()) << 8 | attribute.value_case());
  switch (attribute.value_case()) {
    case v1::Attribute::kI:
      return mixer.Add(attribute.i());
    case v1::Attribute::kF:
      return mixer.Add(Bits(attribute.f()));
    case v1::Attribute::kB:
      return mixer.Add(attribute.b());
    case v1::Attribute::kDtype:
      return mixer.Add(attribute.dtype());
    case v1::Attribute::kInts:
      for (int64_t number : attribute.ints().values()) mixer.Add(number);
      return;
    case v1::Attribute::kFloats:
      for (double number : attribute.floats().values()) mixer.Add(Bits(number));
      return;
    default:
      return;
  }
}

uint64_t GuessOf(const v1::Attribute& attribute) {
  switch (attribute.value_case()) {
    case v1::Attribute::kI:
      return attribute.i();
    case v1::Attribute::kInts: {
      uint64_t guess = 0;
      for (int64_t number : attribute.ints().values()) guess += number;
      return guess;
    }
    default:
      return 0;
  }
}

bool SameAttribute(const v1::Attribute& a, const v1::Attribute& b) {
  if (a.name() != b.name() || a.value_case() != b.value_case() || a.param_type() != b.param_type()) return false;
  switch (a.value_case()) {
    case v1::Attribute::kI:
      return a.i() == b.i();
    case v1::Attribute::kF:
      return Bits(a.f()) == Bits(b.f());
    case v1::Attribute::kB:
      return a.b() == b.b();
    case v1::Attribute::kS:
      return a.s() == b.s();
    case v1::Attribute::kDtype:
      return a.dtype() == b.dtype();
    case v1::Attribute::kInts:
      return SameNumbers(a.ints().values(), b.ints().values());
    case v1::Attribute::kFloats:
      return SameNumbers(a.floats().values(), b.floats().values());
    case v1::Attribute::kStrings:
      return std::equal(a.strings().values().begin(), a.strings().values().end(), b.strings().values().begin(),
                        b.strings().values().end());
    case v1::Attribute::VALUE_NOT_SET:
      return true;
    case v1::Attribute::kGraph:
    case v1::Attribute::kTensor:
      return false;
  }
  return false;
}

}  // namespace

uint64_t ValueKinds::Guess(int32_t id) const {
  const v1::Value& value = message->values(id);
  uint64_t guess = value.dtype();
  for (int64_t size : value.dims()) guess = 3 * guess + static_cast<uint64_t>(size);
  return guess;
}

size_t ValueKinds::Hash(int32_t id) const {
  const v1::Value& value = message->values(id);
  Mixer mixer;
  mixer.Add(static_cast<uint64_t>(value.dtype()) << 2 | static_cast<uint64_t>(value.no_tensor()) << 1 |
            static_cast<uint64_t>(value.has_shape()));
  for (int64_t size : value.dims()) mixer.Add(size);
  return mixer.hash();
}

bool ValueKinds::Same(int32_t a, int32_t b) const {
  const v1::Value& x = message->values(a);
  const v1::Value& y = message->values(b);
  return x.dtype() == y.dtype() && x.has_shape() == y.has_shape() && x.no_tensor() == y.no_tensor() &&
         SameNumbers(x.dims(), y.dims());
}

uint64_t NodeKinds::Guess(int32_t id) const {
  const v1::Node& node = message->nodes(id);
  uint64_t guess = node.op();
  for (const v1::Attribute& attribute : node.attributes()) guess = 3 * guess + GuessOf(attribute);
  return guess;
}

size_t NodeKinds::Hash(int32_t id) const {
  const v1::Node& node = message->nodes(id);
  Mixer mixer;
  mixer.Add(node.op());
  mixer.Add(node.source_fn());
  for (const v1::Attribute& attribute : node.attributes()) {
    AddAttribute(attribute, mixer);
    const bool unlike =
        attribute.value_case() == v1::Attribute::kTensor || attribute.value_case() == v1::Attribute::kGraph;
    if (unlike) mixer.Add(id);
  }
  return mixer.hash();
}

bool NodeKinds::Same(int32_t a, int32_t b) const {
  const v1::Node& x = message->nodes(a);
  const v1::Node& y = message->nodes(b);
  return a == b || (x.op() == y.op() && x.source_fn() == y.source_fn() && x.attributes_size() == y.attributes_size() &&
                    x.input_args_size() == y.input_args_size() &&
                    std::equal(x.input_args().begin(), x.input_args().end(), y.input_args().begin()) &&
                    std::equal(x.attributes().begin(), x.attributes().end(), y.attributes().begin(), SameAttribute));
}

uint64_t SpecKinds::Guess(int32_t id) const {
  const v1::Spec& spec = message->specs(id);
  return (static_cast<uint64_t>(spec.kind()) << 8 ^ static_cast<uint64_t>(spec.dtype())) + spec.quant_min() +
         spec.axis();
}

size_t SpecKinds::Hash(int32_t id) const {
  const v1::Spec& spec = message->specs(id);
  Mixer mixer;
  mixer.Add(static_cast<uint64_t>(spec.kind()) << 32 | static_cast<uint64_t>(spec.qscheme()) << 16 | spec.dtype());
  mixer.Add(spec.quant_min());
  mixer.Add(spec.quant_max());
  mixer.Add(spec.axis());
  if (spec.has_qparams()) mixer.Add(id);
  return mixer.hash();
}

bool SpecKinds::Same(int32_t a, int32_t b) const {
  if (a == b) return true;
  const v1::Spec& x = message->specs(a);
  const v1::Spec& y = message->specs(b);
  return x.kind() == y.kind() && x.qscheme() == y.qscheme() && x.dtype() == y.dtype() &&
         x.has_quant_min() == y.has_quant_min() && x.quant_min() == y.quant_min() &&
         x.has_quant_max() == y.has_quant_max() && x.quant_max() == y.quant_max() && x.has_axis() == y.has_axis() &&
         x.axis() == y.axis() && x.has_is_dynamic() == y.has_is_dynamic() && x.is_dynamic() == y.is_dynamic() &&
         SameNumbers(x.block_size(), y.block_size()) && !x.has_qparams() && !y.has_qparams();
}

}  // namespace quantgate
