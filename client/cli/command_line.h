// The whole command line: parse, run, exit code.
#ifndef QUANTGATE_CLIENT_CLI_COMMAND_LINE_H_
#define QUANTGATE_CLIENT_CLI_COMMAND_LINE_H_

namespace quantgate {

// What main() does. Throws nothing.
int RunCommandLine(int argc, const char* const* argv);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_COMMAND_LINE_H_
