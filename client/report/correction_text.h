// The corrections of a report as text.
#ifndef QUANTGATE_CLIENT_REPORT_CORRECTION_TEXT_H_
#define QUANTGATE_CLIENT_REPORT_CORRECTION_TEXT_H_

#include <string>
#include <utility>

#include "client/report/style.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// Changes that differ only in their place are said once, targets with the same corrections together. "" when there are
// none.
//     corrections for qnn_htp/SM8350@2.49: 17 changes remove all 18 errors and fallbacks; checked again
//       12 × input 1 of aten.linear.default: linear, linear_1, linear_2 and 9 more
//           int16 in -32767..32767, symmetric
//        -> int8 in -127..127, symmetric
std::string RenderCorrections(const v1::Report& report, const Style& style);

// What a change replaces, and by what, as text.
std::pair<std::string, std::string> ChangeTexts(const v1::Change& change);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_CORRECTION_TEXT_H_
