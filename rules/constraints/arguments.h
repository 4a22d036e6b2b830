// Arguments of a predicate, read when a table is compiled from its text, and once more when it is loaded. The first
// error wins and is kept, so that the function of a kind reads what it needs without looking back; Finish tells whether
// all was well.
#ifndef QUANTGATE_RULES_CONSTRAINTS_ARGUMENTS_H_
#define QUANTGATE_RULES_CONSTRAINTS_ARGUMENTS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/table.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/port.h"

namespace quantgate {

// A set of element types, with the text that messages print: "UFIXED_POINT_8 or SFIXED_POINT_8".
struct TypeSet {
  uint64_t codes = 0;
  std::string text;
  bool Contains(db::ElementType type) const { return (codes >> type.code()) & 1; }
};

struct EncodingSet {
  uint32_t kinds = 0;
  std::string text;
  bool Contains(Encoding encoding) const { return (kinds >> static_cast<int>(encoding)) & 1; }
};

// Numbers that may have names: "FLOOR=2,CEIL=3".
struct NumberSet {
  std::vector<double> values;
  std::vector<std::string> names;  // parallel; the number itself where it has no name
  std::string text;                // "FLOOR (2) or CEIL (3)"
  bool Contains(double value) const;
};

// Inclusive; an empty end is open.
struct Interval {
  double min;
  double max;
  bool Contains(double value) const { return value >= min && value <= max; }
  bool of_counts() const;  // whole numbers from 0 on at the ends that are not open
  std::string text() const;
};

class Arguments {
 public:
  // `about`: the port of the predicate's item.
  Arguments(const db::Predicate& predicate, const PortPattern& about);

  bool Has(absl::string_view name) const;
  // The readers below take the argument away. A missing or malformed one is an error.
  std::string Text(absl::string_view name);
  double Number(absl::string_view name);  // "0.5", "1/32768"
  int Int(absl::string_view name);
  int Count(absl::string_view name);                                                         // from 0 on
  std::string Word(absl::string_view name, std::initializer_list<absl::string_view> words);  // one of them
  bool YesNo(absl::string_view name);
  std::vector<double> Integers(absl::string_view name);
  NumberSet Choices(absl::string_view name);  // of integers
  TypeSet Types(absl::string_view name);
  EncodingSet Encodings(absl::string_view name);
  PortPattern Port(absl::string_view name);       // one input or output
  PortPattern OtherPort(absl::string_view name);  // one that is not the item's own
  Interval Ranks(absl::string_view name);         // "1..5", "..3", "2.."
  Interval MinMax();                              // arguments `min` and `max`, at least one of them
  Interval MinAndMax();                           // both
  // "KEY:rest": takes the key away and leaves `rest` to be read under the same name.
  std::string Key(absl::string_view name);
  PortPattern OtherPortKey(absl::string_view name);

  void Fail(std::string why);
  // INVALID_ARGUMENT for the first thing wrong, and for an argument that nobody read.
  absl::Status Finish() const;

 private:
  std::string* Find(absl::string_view name);
  PortPattern OnePort(absl::string_view argument, const std::string& port);
  PortPattern NotOwn(absl::string_view argument, PortPattern port);

  std::string kind_;
  std::string about_;
  std::vector<std::pair<std::string, std::string>> left_;
  std::string error_;
};

// "encoding" as tables spell it: "per_channel".
absl::string_view EncodingName(Encoding encoding);
// "a", "a or b", "a, b or c".
std::string OrList(const std::vector<std::string>& names);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_ARGUMENTS_H_
