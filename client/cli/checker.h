// One question, two ways to have it answered: by the engine in this process, or by a server.
#ifndef QUANTGATE_CLIENT_CLI_CHECKER_H_
#define QUANTGATE_CLIENT_CLI_CHECKER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/engine.h"
#include "client/remote/remote.h"
#include "quantgate/v1/validation_service.pb.h"
#include "rules/check.h"

namespace quantgate {

// The same report either way, byte for byte but for name and time, where the function is null. A server does not get
// it: it has no weights.
using Checker =
    std::function<absl::StatusOr<v1::Report>(const v1::Graph&, const v1::ValidateOptions&, const PredictNoiseOn&)>;

// Checks here, and keeps nothing.
absl::StatusOr<Checker> LocalChecker(const std::string& tables_path);

// Asks the server. Every question gets a request id of its own, so that a retry is not stored twice.
Checker RemoteChecker(Remote remote);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_CHECKER_H_
