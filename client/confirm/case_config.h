// An operator that a check emitted, written down as a question: the "config" of the case files that
// tests/vendor/README.md describes.
#ifndef QUANTGATE_CLIENT_CONFIRM_CASE_CONFIG_H_
#define QUANTGATE_CLIENT_CONFIRM_CASE_CONFIG_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "db/table.h"
#include "quantgate/v1/types.pb.h"
#include "rules/constraints/backend_op.h"

namespace quantgate {

class CaseConfigWriter {
 public:
  // The definitions say of which type parameters are, and which ones an operator must have.
  explicit CaseConfigWriter(const std::vector<db::OpDefinition>& definitions);

  // No names of the model and no weights; of constants only indices, where the graph has them. `stage` of the graph
  // tells quantization parameters that are not known yet from those that the toolchain chooses for a constant of its
  // own (which get plausible ones). FAILED_PRECONDITION: what is not known, so that nothing can be asked.
  absl::StatusOr<nlohmann::json> Write(const BackendOp& op, v1::Stage stage) const;

 private:
  absl::StatusOr<nlohmann::json> ParamOf(const BackendOp& op, const BackendParam& param) const;

  absl::flat_hash_map<std::string, std::string> dtype_;                   // by "op/param"
  absl::flat_hash_map<std::string, std::vector<std::string>> mandatory_;  // parameters, by operator
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_CASE_CONFIG_H_
