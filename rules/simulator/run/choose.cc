#include "rules/simulator/run/choose.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::simulator {
namespace {

constexpr absl::string_view OfOrigin(v1::Graph::Origin origin) {
  switch (origin) {
    case v1::Graph::TFLITE:
      return "litert/reference";
    case v1::Graph::PT2E:
      return "torch";
    default:
      return "onnxruntime";
  }
}

struct Row {
  absl::string_view backend;  // or the beginning of several
  absl::string_view profile;
  absl::string_view reason;
};

constexpr Row kRows[] = {
    {"onnxruntime", "onnxruntime", ""},
    {"xnnpack", "xnnpack", "as XNNPACK computes in LiteRT's delegate, which was compared; by itself it was not"},
    // What was not compared with the backend itself is not called its own.
    {"qnn_htp", "qnn_htp",
     "compared with QAIRT 2.51.0 on x86-64, V73 and later (V68 and V69 round otherwise): tables of 8 bits are equal, "
     "the "
     "rest of 8 bits is within 1 step (3 in squared differences and products of two activations), sums of products of "
     "16 "
     "bits within 48, other functions of 16 bits within 160"},
    {"qnn_", "qnn_htp", "the arithmetic of this backend is not published; that of QNN HTP stands in"},
    {"ethos_u", "tosa", "its arithmetic as TOSA 1.0 defines it, which was not compared with the backend"},
    {"vgf", "tosa", "its arithmetic as TOSA 1.0 defines it, which was not compared with the backend"},
    {"x86_inductor", "torch/x86", ""},
    {"cortex_m", "litert/reference", "its kernels are CMSIS-NN's, which round as LiteRT's reference kernels"},
};

}  // namespace

absl::StatusOr<ProfileChoice> ChooseProfile(absl::string_view name, absl::string_view backend, absl::string_view soc,
                                            v1::Graph::Origin origin) {
  ProfileChoice choice;
  if (!name.empty()) {
    choice.profile = FindProfile(name);
    if (choice.profile != nullptr) return choice;
    std::vector<absl::string_view> names;
    for (const Profile& profile : Profiles()) names.push_back(profile.name);
    return absl::NotFoundError(
        absl::StrCat("there is no profile '", name, "'; there are ", absl::StrJoin(names, ", ")));
  }
  if (backend.empty()) {
    choice.profile = FindProfile(OfOrigin(origin));
    choice.reason = "no target was named: this is the runtime that the file's format belongs to";
    return choice;
  }
  if (backend == "litert") {
    choice.profile = FindProfile(soc == "xnnpack" ? "litert/xnnpack" : "litert/reference");
    return choice;
  }
  for (const Row& row : kRows) {
    const bool several = absl::EndsWith(row.backend, "_");
    if (several ? !absl::StartsWith(backend, row.backend) : backend != row.backend) continue;
    choice.profile = FindProfile(row.profile);
    choice.reason = std::string(row.reason);
    return choice;
  }
  choice.profile = FindProfile(OfOrigin(origin));
  choice.reason =
      absl::StrCat("the arithmetic of ", backend, " is not published; that of the file's own runtime stands in");
  return choice;
}

}  // namespace quantgate::simulator
