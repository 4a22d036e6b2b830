// The versions that an archive states of itself, beside the schema version of each program.
#ifndef QUANTGATE_CLIENT_PT2_VERSIONS_H_
#define QUANTGATE_CLIENT_PT2_VERSIONS_H_

#include <string>

#include "absl/status/status.h"
#include "client/pt2/archive.h"

namespace quantgate::pt2 {

// FI001 where torch.export.load refuses the archive in the folder `root` ("model/"): its archive_version is not there
// or is not "0", or the version of PyTorch's zip files (.data/version, once "version") is none that is read.
absl::Status CheckVersions(Archive* archive, const std::string& root);

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_VERSIONS_H_
