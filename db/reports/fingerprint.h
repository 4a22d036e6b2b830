// What makes two findings of different reports the same one.
//
// A model that is exported again has other numbers in its names, and sometimes other names. So a finding is known by
// what it says: target (of any SDK version), code, effect, operator and port; and by where: position (see
// Location.position), the tensor's name, the node's name. One thing of the three is enough to recognize it, each
// finding at most once; what agrees in more goes first. Values that were observed, channels and messages do not count.
#ifndef QUANTGATE_DB_REPORTS_FINGERPRINT_H_
#define QUANTGATE_DB_REPORTS_FINGERPRINT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db {

// "qnn_htp/SM8650@2.25.0" without the version.
absl::string_view TargetWithoutSdk(absl::string_view target);

// What a finding says and of which kind of place, as one string; numbers in the names of enclosing nodes do not count.
std::string FindingKind(absl::string_view target, const v1::Finding& finding);

// Where it is, by name. Empty where there is no name, or one that an exporter counts up ("#12", "377").
absl::string_view StableNodeName(const v1::Location& location);
absl::string_view StableValueName(const v1::Location& location);

// One per finding of the result, in order, hexadecimal: of kind and position. The second, third, … with the same are
// told apart by their number, so no two of a result are equal. The same for every name of nodes and tensors.
std::vector<std::string> Fingerprints(const v1::Result& result);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_FINGERPRINT_H_
