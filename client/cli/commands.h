// The commands, one file each. Every function adds its command to `app`; when that is chosen and its flags are parsed,
// `*run` is set to what does the work.
#ifndef QUANTGATE_CLIENT_CLI_COMMANDS_H_
#define QUANTGATE_CLIENT_CLI_COMMANDS_H_

#include "client/cli/command.h"

namespace quantgate {

void AddCheckCommand(CLI::App& app, Run* run);
void AddImportCommand(CLI::App& app, Run* run);
void AddSimulateCommand(CLI::App& app, Run* run);
void AddTargetsCommand(CLI::App& app, Run* run);
void AddRulesCommand(CLI::App& app, Run* run);
void AddGroupsCommand(CLI::App& app, Run* run);
void AddExplainCommand(CLI::App& app, Run* run);
void AddDecodeCommand(CLI::App& app, Run* run);
void AddConstraintsCommand(CLI::App& app, Run* run);
void AddReportsCommand(CLI::App& app, Run* run);
void AddCompletionCommand(CLI::App& app, Run* run);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_COMMANDS_H_
