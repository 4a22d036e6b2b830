// Whose arithmetic a simulation follows.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_CHOOSE_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_CHOOSE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/simulator/profile.h"

namespace quantgate::simulator {

struct ProfileChoice {
  const Profile* profile = nullptr;
  std::string reason;  // Simulation.profile_reason
};

// `name`: a profile that the user names; otherwise that of the target ("BACKEND/SOC"), otherwise that of the graph's
// origin. NOT_FOUND: there is no such profile.
absl::StatusOr<ProfileChoice> ChooseProfile(absl::string_view name, absl::string_view backend, absl::string_view soc,
                                            v1::Graph::Origin origin);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_CHOOSE_H_
