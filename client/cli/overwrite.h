// Files that a command must not write over.
#ifndef QUANTGATE_CLIENT_CLI_OVERWRITE_H_
#define QUANTGATE_CLIENT_CLI_OVERWRITE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

struct KeptFile {
  std::string path;  // empty: there is none
  std::string what;  // "the model", for messages
};

// INVALID_ARGUMENT when `path`, given with `flag`, is one of `kept`, however it is spelled: "--output ./m.onnx would
// overwrite the model". Devices and pipes keep nothing.
absl::Status CheckOverwrites(absl::string_view flag, const std::string& path, const std::vector<KeptFile>& kept);

// What a command writes.
struct OutputFile {
  absl::string_view flag;
  std::string path;  // empty: it is not asked for
  std::string what;  // "the report", for messages
};

// CheckOverwrites of each output, against what is kept and the outputs before it.
absl::Status CheckOutputs(const std::vector<OutputFile>& outputs, std::vector<KeptFile> kept);

// The files beside the model at `path` that it says its weights are in. Empty for what has them in itself.
std::vector<KeptFile> WeightFiles(const std::string& path, const v1::Graph& graph);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_OVERWRITE_H_
