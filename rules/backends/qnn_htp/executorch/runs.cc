#include "rules/backends/qnn_htp/executorch/runs.h"

namespace quantgate::qnn_htp {

FindingSource OfTheRuns() {
  FindingSource source;
  source.kind = v1::Source::MEASURED;
  source.document = "ExecuTorch 1.5.1, run";
  return source;
}

}  // namespace quantgate::qnn_htp
