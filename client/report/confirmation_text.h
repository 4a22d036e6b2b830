// What the vendor's own library said, beside what QuantGate says.
#ifndef QUANTGATE_CLIENT_REPORT_CONFIRMATION_TEXT_H_
#define QUANTGATE_CLIENT_REPORT_CONFIRMATION_TEXT_H_

#include <string>

#include "client/report/style.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// A line of counts and a table of the nodes that either side refuses, or that could not be asked about; of all nodes
// when the style is verbose. Disagreement is marked. Empty when nobody was asked.
std::string RenderConfirmation(const v1::Result& result, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_CONFIRMATION_TEXT_H_
