// The corrections of a report, in the file that the next tool reads.
#ifndef QUANTGATE_CLIENT_FIX_FIX_H_
#define QUANTGATE_CLIENT_FIX_FIX_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/fix/writer.h"
#include "client/import.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// INVALID_ARGUMENT when nothing that belongs to a model can be written to `path`: its ending is that of no format, or
// no regular file is there. To be asked before anything is read.
absl::Status CheckFixPath(const std::string& path);
// INVALID_ARGUMENT when `path` does not end like a graph or like the format (ModelInfo.format) that the model came in.
absl::Status CheckFixFormat(const std::string& path, const v1::ModelInfo& model);

struct FixResult {
  v1::Report report;                  // of the written file, on the targets of the model's own
  std::vector<UnwrittenChange> left;  // of the corrections
  int written = 0;                    // changed tensors
};

// Asks the same question of another model.
using CheckAgain = std::function<absl::StatusOr<v1::Report>(const ImportedModel&)>;

// Writes the model, with all corrections of the first target, to `path`: in the format that it came in or, where the
// ending says so, as a graph. Before the file has its name it is read back and checked again. FAILED_PRECONDITION, and
// no file: it cannot be written; the model is not what was checked any more; read back, the file has more errors on the
// first target than the model. Else errors are those of importers and of `check`.
absl::StatusOr<FixResult> WriteFixed(const ImportedModel& model, const v1::Report& report, const std::string& path,
                                     const CheckAgain& check);

// The model with one correction of the result (by its index) and nothing else, as it would be read from a file, stored
// integers included; nothing is written. `options` are for reading. UNIMPLEMENTED: the model's format is not written;
// FAILED_PRECONDITION: the correction cannot be, or the model is not what was checked any more.
absl::StatusOr<v1::Graph> CorrectedGraph(const ImportedModel& model, const v1::Result& result, int correction,
                                         const ImportOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FIX_FIX_H_
