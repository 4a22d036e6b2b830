// What ends the reading of a file, before there is a graph that rules could look at. Importers print these codes on the
// error line ("error[FI001]: …", exit code 2); no finding ever has them.
#ifndef QUANTGATE_RULES_ENGINE_FILE_ERRORS_H_
#define QUANTGATE_RULES_ENGINE_FILE_ERRORS_H_

#include "rules/engine/rule.h"

namespace quantgate {

extern const RuleInfo kUnreadableFile;   // FI001
extern const RuleInfo kFileBeyondLimit;  // FI002

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_FILE_ERRORS_H_
