// Rules that constraint tables are evaluated under. What is allowed comes from the table; the rule says what kind of
// thing is wrong, why it matters and what to change.
#ifndef QUANTGATE_RULES_CONSTRAINTS_RULES_H_
#define QUANTGATE_RULES_CONSTRAINTS_RULES_H_

#include "rules/engine/rule.h"

namespace quantgate {

extern const RuleInfo kDtypeRow;                  // DT101
extern const RuleInfo kDtypeRowArch;              // DT102
extern const RuleInfo kBitWidth;                  // DT103
extern const RuleInfo kPortType;                  // DT104
extern const RuleInfo kMinimumArch;               // DT105
extern const RuleInfo kNoFloat;                   // DT106
extern const RuleInfo kSymmetry;                  // QS101
extern const RuleInfo kSignedness;                // QS102
extern const RuleInfo kEncoding;                  // QS103
extern const RuleInfo kZeroPoint;                 // QS104
extern const RuleInfo kRunTimeQparams;            // QS105
extern const RuleInfo kEncodingAxis;              // AX101
extern const RuleInfo kGranularity;               // AX102
extern const RuleInfo kFixedQparams;              // FX101
extern const RuleInfo kUnequalZeroPoint;          // SH101
extern const RuleInfo kUnequalScale;              // SH102
extern const RuleInfo kValueRange;                // NR101
extern const RuleInfo kIndexRange;                // NR102
extern const RuleInfo kDuplicateIndices;          // NR103
extern const RuleInfo kNegativeScale;             // NR104
extern const RuleInfo kRequantizationMultiplier;  // NR105
extern const RuleInfo kScaleLimits;               // NR106
extern const RuleInfo kMissingPort;               // GS101
extern const RuleInfo kUnsupportedPort;           // GS102
extern const RuleInfo kRank;                      // GS103
extern const RuleInfo kShape;                     // GS104
extern const RuleInfo kDynamicShape;              // GS105
extern const RuleInfo kConstness;                 // GS106
extern const RuleInfo kParameterValue;            // GS107
extern const RuleInfo kAxisParameter;             // GS108
extern const RuleInfo kIgnoredParameter;          // GS109
extern const RuleInfo kTableNote;                 // GS110
extern const RuleInfo kUnknownBackendOp;          // CV101
extern const RuleInfo kOperationSupport;          // CV102

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_RULES_H_
