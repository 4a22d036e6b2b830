#include "client/tflite/options.h"

#include "client/text.h"
#include "client/tflite/data_type.h"
#include "client/tflite/options_tables.h"
#include "client/tflite/view.h"

namespace quantgate::tflite {
namespace {

using flatbuffers::Table;
using flatbuffers::Vector;
using flatbuffers::Verifier;
using flatbuffers::voffset_t;

voffset_t FieldOffset(int field) { return static_cast<voffset_t>(4 + 2 * field); }

// A number of the schema, by name; itself when no name is known.
void SetWord(int number, absl::Span<const char* const> words, v1::Attribute& attribute) {
  if (number >= 0 && number < static_cast<int>(words.size())) {
    attribute.set_s(words[number]);
  } else {
    attribute.set_i(number);
  }
}

class Reader {
 public:
  Reader(const Table& table, int field, const Option& option, const Verifier& verifier, Budget& budget)
      : table_(table), offset_(FieldOffset(field)), option_(option), verifier_(verifier), budget_(budget) {}

  std::optional<v1::Attribute> Read() {
    switch (option_.kind) {
      case OptionKind::kSkipped:
        return attribute_;
      case OptionKind::kBool:
        return Scalar<uint8_t>([this](uint8_t value) { attribute_.set_b(value != 0); });
      case OptionKind::kInt8:
        return Scalar<int8_t>([this](int8_t value) { attribute_.set_i(value); });
      case OptionKind::kInt32:
      case OptionKind::kSubgraph:
        return Scalar<int32_t>([this](int32_t value) { attribute_.set_i(value); });
      case OptionKind::kUint32:
        return Scalar<uint32_t>([this](uint32_t value) { attribute_.set_i(value); });
      case OptionKind::kInt64:
        return Scalar<int64_t>([this](int64_t value) { attribute_.set_i(value); });
      case OptionKind::kFloat:
        return Scalar<float>([this](float value) { attribute_.set_f(value); });
      case OptionKind::kType:
        return Scalar<int8_t>([this](int8_t value) {
          if (IsTfliteType(value)) {
            attribute_.set_dtype(DataTypeFromTflite(value));
          } else {
            attribute_.set_i(value);
          }
        });
      case OptionKind::kPadding:
        return Word({"SAME", "VALID"});
      case OptionKind::kActivation:
        return Word({"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"});
      case OptionKind::kMirrorMode:
        return Word({"REFLECT", "SYMMETRIC"});
      case OptionKind::kInt32s:
        return List<int32_t>([this](int32_t value) { attribute_.mutable_ints()->add_values(value); });
      case OptionKind::kInt64s:
        return List<int64_t>([this](int64_t value) { attribute_.mutable_ints()->add_values(value); });
      case OptionKind::kFloats:
        return List<float>([this](float value) { attribute_.mutable_floats()->add_values(value); });
      case OptionKind::kText:
        return Text();
    }
    return attribute_;
  }

 private:
  template <typename T, typename Set>
  std::optional<v1::Attribute> Scalar(Set set) {
    if (!table_.VerifyField<T>(verifier_, offset_, sizeof(T))) return std::nullopt;
    set(table_.GetField<T>(offset_, static_cast<T>(option_.missing)));
    return attribute_;
  }

  std::optional<v1::Attribute> Word(std::initializer_list<const char*> words) {
    return Scalar<int8_t>([&](int8_t value) { SetWord(value, {words.begin(), words.size()}, attribute_); });
  }

  template <typename T, typename Add>
  std::optional<v1::Attribute> List(Add add) {
    if (!table_.VerifyOffset(verifier_, offset_)) return std::nullopt;
    const auto* list = table_.GetPointer<const Vector<T>*>(offset_);
    if (!verifier_.VerifyVector(list)) return std::nullopt;
    if (list == nullptr || !budget_.Take(list->size() * int64_t{8})) return attribute_;
    if constexpr (std::is_same_v<T, float>) {
      attribute_.mutable_floats();  // an empty list is stated too
    } else {
      attribute_.mutable_ints();
    }
    for (T value : Numbers(*list)) add(value);
    return attribute_;
  }

  std::optional<v1::Attribute> Text() {
    if (!table_.VerifyOffset(verifier_, offset_)) return std::nullopt;
    const auto* text = table_.GetPointer<const flatbuffers::String*>(offset_);
    if (!verifier_.VerifyString(text)) return std::nullopt;
    if (text == nullptr || !budget_.Take(text->size())) return attribute_;
    attribute_.set_s(ToUtf8({text->c_str(), text->size()}));
    return attribute_;
  }

  const Table& table_;
  const voffset_t offset_;
  const Option& option_;
  const Verifier& verifier_;
  Budget& budget_;
  v1::Attribute attribute_;
};

}  // namespace

const OptionsTable* OptionsOf(int type, int type_2) {
  const auto find = [](absl::Span<const OptionsTable> tables, int number) {
    return number >= 1 && number <= static_cast<int>(tables.size()) ? &tables[number - 1] : nullptr;
  };
  return type != 0 ? find(FirstOptionsTables(), type) : find(SecondOptionsTables(), type_2);
}

std::optional<v1::Attribute> ReadOption(const Table& table, int field, const Option& option, const Verifier& verifier,
                                        Budget& budget) {
  return Reader(table, field, option, verifier, budget).Read();
}

}  // namespace quantgate::tflite
