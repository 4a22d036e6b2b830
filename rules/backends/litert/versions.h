// Versions of the operators that LiteRT 2.3.0 has kernels for. A converter raises an operator's version when the model
// needs something that older kernels do not have.
#ifndef QUANTGATE_RULES_BACKENDS_LITERT_VERSIONS_H_
#define QUANTGATE_RULES_BACKENDS_LITERT_VERSIONS_H_

#include "absl/strings/string_view.h"

namespace quantgate::litert {

struct KernelVersions {
  absl::string_view op;
  int first;
  int reference;  // the last one; 0: there is no such kernel
  int optimized;  // of litert/xnnpack; likewise
};

// Null: no operator of the schema, or one of its placeholders.
const KernelVersions* VersionsOf(absl::string_view op);

}  // namespace quantgate::litert

#endif  // QUANTGATE_RULES_BACKENDS_LITERT_VERSIONS_H_
