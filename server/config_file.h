// A YAML file that sets the flags of a command.
#ifndef QUANTGATE_SERVER_CONFIG_FILE_H_
#define QUANTGATE_SERVER_CONFIG_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace quantgate::server {

// Each key of the file's map is the long name of a flag of `command` ("drain-timeout: 10"); a flag that was given on
// the command line keeps its value. INVALID_ARGUMENT, with file and line: not readable, not a map of scalars, an
// unknown key (with the nearest flag), a value that the flag does not take.
absl::Status ApplyConfigFile(const std::string& path, CLI::App& command);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_CONFIG_FILE_H_
