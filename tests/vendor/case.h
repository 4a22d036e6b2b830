// One configuration that the vendor's library was asked about, with its answers. tests/vendor/README.md has the format.
#ifndef QUANTGATE_TESTS_VENDOR_CASE_H_
#define QUANTGATE_TESTS_VENDOR_CASE_H_

#include <optional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::vendor {

// What executing showed about the declared encoding of the output.
enum class OutputEncoding { kNotExecuted, kHonoured, kIgnored, kInexact };

// Where the vendor's tools stop.
enum class Step { kNone, kValidation, kPreparation };

struct Case {
  std::string id;
  std::string op;    // "Conv2d", "ElementWiseBinary:ADD"
  std::string kind;  // what was varied: "row", "out_scale"
  std::string target;
  bool accepted = false;  // validated and prepared
  Step stops_at = Step::kNone;
  OutputEncoding output_encoding = OutputEncoding::kNotExecuted;
  // What else has to be said of it (Remarks()); none stated: anything.
  std::optional<std::set<std::string>> remarks;
  v1::Graph graph;
};

// Whether its outputs were executed and tell if their encoding has an effect; those of DetectionOutput were constant.
bool TellsOutputEncoding(const Case& asked);

// Reads one line of JSON. INVALID_ARGUMENT says what is wrong with it.
absl::StatusOr<Case> ParseCase(absl::string_view line);

}  // namespace quantgate::vendor

#endif  // QUANTGATE_TESTS_VENDOR_CASE_H_
