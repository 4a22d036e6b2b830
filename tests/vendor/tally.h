// Counts how QuantGate's verdicts compare with the vendor's.
#ifndef QUANTGATE_TESTS_VENDOR_TALLY_H_
#define QUANTGATE_TESTS_VENDOR_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "quantgate/v1/report.pb.h"
#include "tests/vendor/case.h"

namespace quantgate::vendor {

struct Counts {
  int64_t cases = 0;
  int64_t accepted = 0;  // by the vendor
  int64_t false_accepts = 0;
  int64_t false_rejects = 0;
  int64_t ignored = 0;         // executed and accepted: the output's encoding has no effect
  int64_t ignored_named = 0;   // of these, with a finding that says so
  int64_t honoured = 0;        // executed and accepted: it has
  int64_t honoured_named = 0;  // of these, wrongly with such a finding
  int64_t unknown = 0;         // not judged
};

class Tally {
 public:
  // Returns what QuantGate got wrong: "false accept", "wrong numbers not named"; mostly nothing.
  std::vector<absl::string_view> Add(const Case& asked, const v1::Result& judged);

  // The same for the step at which a single operator is refused, as judged for toolchain executorch; cases that are
  // judged wrongly as a whole do not count.
  std::vector<absl::string_view> AddStep(const Case& asked, const v1::Result& judged);

  // One line per operator, one per kind.
  std::string Table() const;
  // "the vendor accepts 48 % of them; 27 cases or more of every operator"
  std::string Accepted() const;
  // "steps: S of R refusals at the right one"
  std::string Steps() const;
  // "agreement: N cases, F false accepts, ..."
  std::string Summary() const;

 private:
  Counts all_;
  int64_t refusals_ = 0;
  int64_t right_steps_ = 0;
  std::map<std::string, Counts> by_op_;
  std::map<std::string, Counts> by_kind_;
};

}  // namespace quantgate::vendor

#endif  // QUANTGATE_TESTS_VENDOR_TALLY_H_
