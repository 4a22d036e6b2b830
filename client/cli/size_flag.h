#ifndef QUANTGATE_CLIENT_CLI_SIZE_FLAG_H_
#define QUANTGATE_CLIENT_CLI_SIZE_FLAG_H_

#include <cstdint>

#include "CLI/CLI.hpp"

namespace quantgate {

// Makes `option` take a number of bytes, with a unit of 1024 or without: "8GB", "65536". From `least` to 1 PiB.
CLI::Option* TakesSize(CLI::Option* option, uint64_t least);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_SIZE_FLAG_H_
