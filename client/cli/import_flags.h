// How a model file is read: the flags of every command that reads one.
#ifndef QUANTGATE_CLIENT_CLI_IMPORT_FLAGS_H_
#define QUANTGATE_CLIENT_CLI_IMPORT_FLAGS_H_

#include "CLI/CLI.hpp"
#include "client/import.h"

namespace quantgate {

// `options` must outlive the command.
void AddImportFlags(CLI::App& command, ImportOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_IMPORT_FLAGS_H_
