// What changed from one report to another, as text.
#ifndef QUANTGATE_CLIENT_REPORT_DIFF_H_
#define QUANTGATE_CLIENT_REPORT_DIFF_H_

#include <string>

#include "client/report/style.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {

//     reports/… (2027-01-30T…, a.onnx) -> reports/… (2027-01-31T…, a.onnx)
//     qnn_htp/SM8650@2.51.0: ✗ rejected -> ✓ accepted
//       new    error[DT001] layer.3.conv: …
//       fixed  error[NR001] layer.0.conv: …
//       2 still there
std::string RenderDiff(const v1::DiffReportsResponse& diff, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_DIFF_H_
