// Writers of corrected models: one function for each format that has one.
#ifndef QUANTGATE_CLIENT_FIX_WRITER_H_
#define QUANTGATE_CLIENT_FIX_WRITER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/corrections/apply.h"

namespace quantgate {

struct WriteTask {
  absl::string_view bytes;                 // of the model file
  const std::string& folder;               // where its external data is
  const v1::Graph& graph;                  // what its importer read of it
  absl::Span<const TensorChange> changes;  // those of one correction side by side
};

// A change that the file does not have: it was not possible without a guess, or it would change more than it says.
struct UnwrittenChange {
  std::string tensor;
  std::string reason;  // "it is an output of the model: …"
};

struct WrittenModel {
  std::string bytes;  // of the corrected file; but for the tensors that change, what the model's file says
  std::vector<UnwrittenChange> left;
  std::vector<std::string> external;  // locations of files that it still refers to, relative to the model's folder
};

// Errors: FI001 when the bytes are not those of the model, FI002 when the corrected model is larger than its format can
// be.
using ModelWriter = absl::StatusOr<WrittenModel> (*)(const WriteTask& task);

absl::StatusOr<WrittenModel> WriteOnnx(const WriteTask& task);
// `bytes` are those of the encodings file.
absl::StatusOr<WrittenModel> WriteEncodings(const WriteTask& task);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FIX_WRITER_H_
