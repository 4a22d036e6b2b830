#include "rules/constraints/arguments.h"

#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quantgate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> ParseNumber(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  double value;
  if (parts.size() > 2 || !absl::SimpleAtod(parts[0], &value) || !std::isfinite(value)) return std::nullopt;
  if (parts.size() == 2) {
    double divisor;
    if (!absl::SimpleAtod(parts[1], &divisor) || !std::isfinite(divisor) || divisor == 0) return std::nullopt;
    value /= divisor;
  }
  return value;
}

std::optional<double> ParseInteger(absl::string_view text) {
  const std::optional<double> number = ParseNumber(text);
  return number && *number == std::floor(*number) ? number : std::nullopt;
}

struct NamedEncoding {
  absl::string_view name;
  Encoding encoding;
};
constexpr NamedEncoding kEncodings[] = {
    {"per_tensor", Encoding::kPerTensor},
    {"per_channel", Encoding::kPerChannel},
    {"bw_per_tensor", Encoding::kBwPerTensor},
    {"bw_per_channel", Encoding::kBwPerChannel},
    {"block", Encoding::kBlock},
    {"block_expansion", Encoding::kBlockExpansion},
};

}  // namespace

absl::string_view EncodingName(Encoding encoding) {
  for (const NamedEncoding& named : kEncodings) {
    if (named.encoding == encoding) return named.name;
  }
  return encoding == Encoding::kNone ? "none" : "undefined";
}

std::string OrList(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  if (names.size() == 1) return names[0];
  return absl::StrCat(absl::StrJoin(names.begin(), names.end() - 1, ", "), " or ", names.back());
}

bool NumberSet::Contains(double value) const { return absl::c_linear_search(values, value); }

std::string Interval::text() const {
  if (min == max) return absl::StrFormat("%.10g", min);
  if (max == kInfinity) return absl::StrFormat("at least %.10g", min);
  if (min == -kInfinity) return absl::StrFormat("at most %.10g", max);
  return absl::StrFormat("%.10g to %.10g", min, max);
}

bool Interval::of_counts() const {
  const auto good = [](double end) { return std::isinf(end) || (end >= 0 && end == std::floor(end)); };
  return good(min) && good(max);
}

Arguments::Arguments(const db::Predicate& predicate, const PortPattern& about)
    : kind_(predicate.kind), about_(about.name) {
  for (const auto& argument : predicate.args) {
    if (Has(argument.first)) {
      Fail(absl::StrCat("argument \"", argument.first, "\" is given twice"));
    } else {
      left_.push_back(argument);
    }
  }
}

std::string* Arguments::Find(absl::string_view name) {
  for (auto& [key, value] : left_) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool Arguments::Has(absl::string_view name) const { return const_cast<Arguments*>(this)->Find(name) != nullptr; }

void Arguments::Fail(std::string why) {
  if (error_.empty()) error_ = std::move(why);
}

std::string Arguments::Text(absl::string_view name) {
  for (auto it = left_.begin(); it != left_.end(); ++it) {
    if (it->first != name) continue;
    std::string value = std::move(it->second);
    left_.erase(it);
    if (value.empty()) Fail(absl::StrCat("argument \"", name, "\" is empty"));
    return value;
  }
  Fail(absl::StrCat("argument \"", name, "\" is missing"));
  return "";
}

double Arguments::Number(absl::string_view name) {
  const std::string text = Text(name);
  const std::optional<double> number = ParseNumber(text);
  if (!number) Fail(absl::StrCat("argument \"", name, "\" is \"", text, "\", not a number"));
  return number.value_or(0);
}

int Arguments::Int(absl::string_view name) {
  const double number = Number(name);
  if (number != std::floor(number) || std::abs(number) > std::numeric_limits<int>::max()) {
    Fail(absl::StrCat("argument \"", name, "\" is ", number, ", not an integer"));
    return 0;
  }
  return static_cast<int>(number);
}

int Arguments::Count(absl::string_view name) {
  const int count = Int(name);
  if (count < 0) Fail(absl::StrCat("argument \"", name, "\" is negative"));
  return count;
}

std::string Arguments::Word(absl::string_view name, std::initializer_list<absl::string_view> words) {
  std::string word = Text(name);
  if (!absl::c_linear_search(words, word)) {
    Fail(absl::StrCat("argument \"", name, "\" is \"", word, "\", not ",
                      OrList(std::vector<std::string>(words.begin(), words.end()))));
  }
  return word;
}

bool Arguments::YesNo(absl::string_view name) { return Word(name, {"yes", "no"}) == "yes"; }

std::vector<double> Arguments::Integers(absl::string_view name) {
  std::vector<double> numbers;
  const std::string list = Text(name);
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    const std::optional<double> number = ParseInteger(part);
    if (!number) Fail(absl::StrCat("argument \"", name, "\" has \"", part, "\", not an integer"));
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

NumberSet Arguments::Choices(absl::string_view name) {
  NumberSet set;
  std::vector<std::string> texts;
  const std::string list = Text(name);
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    const size_t equals = part.rfind('=');
    const bool named = equals != absl::string_view::npos && equals > 0;
    const std::optional<double> number = ParseInteger(named ? part.substr(equals + 1) : part);
    if (!number) Fail(absl::StrCat("argument \"", name, "\" has \"", part, "\", neither an integer nor NAME=integer"));
    set.values.push_back(number.value_or(0));
    set.names.emplace_back(named ? part.substr(0, equals) : part);
    texts.push_back(named ? absl::StrFormat("%s (%.10g)", set.names.back(), set.values.back()) : set.names.back());
  }
  set.text = OrList(texts);
  return set;
}

TypeSet Arguments::Types(absl::string_view name) {
  TypeSet set;
  std::vector<std::string> names;
  const std::string list = Text(name);
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    const std::optional<db::ElementType> type = db::ElementTypeFromName(part);
    if (type) {
      set.codes |= uint64_t{1} << type->code();
    } else {
      Fail(absl::StrCat("argument \"", name, "\" has \"", part, "\", not an element type"));
    }
    names.emplace_back(part);
  }
  set.text = OrList(names);
  return set;
}

EncodingSet Arguments::Encodings(absl::string_view name) {
  EncodingSet set;
  std::vector<std::string> names;
  const std::string list = Text(name);
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    const auto* found = absl::c_find_if(kEncodings, [&](const NamedEncoding& e) { return e.name == part; });
    if (found == std::end(kEncodings)) {
      Fail(absl::StrCat("argument \"", name, "\" has \"", part, "\", not an encoding"));
    } else {
      set.kinds |= 1u << static_cast<int>(found->encoding);
    }
    names.emplace_back(part);
  }
  set.text = OrList(names);
  return set;
}

PortPattern Arguments::OnePort(absl::string_view argument, const std::string& port) {
  absl::StatusOr<PortPattern> pattern = ParsePort(port);
  if (pattern.ok() && pattern->kind <= PortRef::kOutput && pattern->first == pattern->last) return *std::move(pattern);
  Fail(absl::StrCat("argument \"", argument, "\" is \"", port, "\", not one input or output"));
  return PortPattern();
}

PortPattern Arguments::NotOwn(absl::string_view argument, PortPattern port) {
  if (!port.name.empty() && port.name == about_) {
    Fail(absl::StrCat("argument \"", argument, "\" is \"", port.name, "\", the port that the item is about"));
  }
  return port;
}

PortPattern Arguments::Port(absl::string_view name) { return OnePort(name, Text(name)); }

PortPattern Arguments::OtherPort(absl::string_view name) { return NotOwn(name, Port(name)); }

PortPattern Arguments::OtherPortKey(absl::string_view name) { return NotOwn(name, OnePort(name, Key(name))); }

Interval Arguments::Ranks(absl::string_view name) {
  const std::string text = Text(name);
  Interval interval{-kInfinity, kInfinity};
  const size_t dots = text.find("..");
  bool good = dots != std::string::npos && text.size() > 2;
  if (good) {
    const auto end = [&](absl::string_view part, double& value) {
      if (part.empty()) return;
      const std::optional<double> number = ParseNumber(part);
      good = good && number.has_value();
      value = number.value_or(value);
    };
    end(absl::string_view(text).substr(0, dots), interval.min);
    end(absl::string_view(text).substr(dots + 2), interval.max);
  }
  if (!good || !interval.of_counts() || interval.min > interval.max) {
    Fail(absl::StrCat("argument \"", name, "\" is \"", text, "\", not LO..HI"));
  }
  return interval;
}

Interval Arguments::MinMax() {
  Interval interval{-kInfinity, kInfinity};
  if (!Has("min") && !Has("max")) Fail("needs \"min\" or \"max\"");
  if (Has("min")) interval.min = Number("min");
  if (Has("max")) interval.max = Number("max");
  if (interval.min > interval.max) Fail("\"min\" is above \"max\"");
  return interval;
}

Interval Arguments::MinAndMax() {
  if (!Has("min") || !Has("max")) Fail("needs \"min\" and \"max\"");
  return MinMax();
}

std::string Arguments::Key(absl::string_view name) {
  std::string* text = Find(name);
  const size_t colon = text == nullptr ? std::string::npos : text->find(':');
  if (colon == std::string::npos || colon == 0) {
    Fail(absl::StrCat("argument \"", name, "\" is not KEY:..."));
    return "";
  }
  std::string key = text->substr(0, colon);
  *text = text->substr(colon + 1);
  return key;
}

absl::Status Arguments::Finish() const {
  std::vector<std::string> wrong;
  if (!error_.empty()) wrong.push_back(error_);
  // Said as well: what is missing may be what has another name there.
  if (!left_.empty()) wrong.push_back(absl::StrCat("takes no argument \"", left_[0].first, "\""));
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("predicate ", kind_, ": ", absl::StrJoin(wrong, "; ")));
}

}  // namespace quantgate
