#ifndef QUANTGATE_RULES_ENGINE_SUBJECT_H_
#define QUANTGATE_RULES_ENGINE_SUBJECT_H_

#include <string>

#include "quantgate/v1/report.pb.h"

namespace quantgate {

// What the message of a finding calls its place: "Conv node 'c1', input 1 'c1.weight'", of what is known.
std::string SubjectText(const v1::Location& location);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_SUBJECT_H_
