// Values of operator parameters, the definition's default standing in for one that is not given.
#ifndef QUANTGATE_RULES_CONSTRAINTS_DEFAULTS_H_
#define QUANTGATE_RULES_CONSTRAINTS_DEFAULTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table.h"
#include "rules/constraints/backend_op.h"

namespace quantgate {

// A parameter's value: a scalar, a list, or "every element is this" (a default such as [1, 1]).
class ParamValue {
 public:
  static ParamValue Ints(absl::Span<const int64_t> ints) { return {ints, {}, 0, ints.size(), false}; }
  static ParamValue Reals(absl::Span<const double> reals) { return {{}, reals, 0, reals.size(), false}; }
  static ParamValue Every(double value) { return {{}, {}, value, 1, true}; }
  static ParamValue Unknown() { return {{}, {}, 0, 0, false}; }

  bool known() const { return size_ > 0; }
  // A default for every element answers any index; size() is then 1.
  bool has(size_t i) const { return every_ || i < size_; }
  size_t size() const { return size_; }
  bool every() const { return every_; }
  double at(size_t i) const { return every_ ? value_ : ints_.empty() ? reals_[i] : static_cast<double>(ints_[i]); }
  std::string text() const;  // "2", "[1, 2]"

 private:
  ParamValue(absl::Span<const int64_t> ints, absl::Span<const double> reals, double value, size_t size, bool every)
      : ints_(ints), reals_(reals), value_(value), size_(size), every_(every) {}

  absl::Span<const int64_t> ints_;
  absl::Span<const double> reals_;
  double value_;
  size_t size_;
  bool every_;
};

// Defaults of one operator's parameters, as far as the definition states them (db::Formal): a number, "fill:V" (every
// element is V), "N" or "N-1" (N: the rank of in[0]).
class ParamDefaults {
 public:
  void Add(absl::string_view name, absl::string_view text);
  // Unknown when there is none or it depends on a rank that is not known.
  ParamValue Find(absl::string_view name, const BackendOp& op) const;

 private:
  struct Default {
    std::string name;
    bool of_rank = false;  // value is added to the rank of in[0]
    double value = 0;
  };
  std::vector<Default> defaults_;
};

const BackendParam* FindParam(const BackendOp& op, absl::string_view name);
// The given value, else the default. Unknown also when the parameter is given without a value.
ParamValue ValueOf(const BackendOp& op, const ParamDefaults& defaults, absl::string_view name);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_DEFAULTS_H_
