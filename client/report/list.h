// Stored reports, one after the other, as text for people and for grep.
#ifndef QUANTGATE_CLIENT_REPORT_LIST_H_
#define QUANTGATE_CLIENT_REPORT_LIST_H_

#include <string>

#include "client/report/style.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {

// A line for each: name, time, model and verdicts. Where that is wider than the terminal, name and time have a line and
// model and verdicts are below them; what is no terminal has lines of any width.
std::string RenderList(const v1::ListReportsResponse& list, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_LIST_H_
