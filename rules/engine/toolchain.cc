#include "rules/engine/toolchain.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quantgate {
namespace {

// What is known of a toolchain is of one version.
struct Known {
  absl::string_view name;
  absl::string_view version;
};

Known KnownOf(Toolchain toolchain, absl::string_view sdk) {
  switch (toolchain) {
    case Toolchain::kQnnConverter:
      return {"QNN's converter", sdk};
    case Toolchain::kOnnxRuntime:
      return {"ONNX Runtime", "1.31.1"};
    case Toolchain::kExecuTorch:
      return {"ExecuTorch", "1.5.1"};
    case Toolchain::kLiteRt:
      return {"LiteRT", "2.3.0"};
  }
  return {};
}

}  // namespace

bool IsVersion(absl::string_view text) {
  constexpr size_t kMostDigits = 9;
  constexpr size_t kLongest = 64;
  if (text.size() > kLongest) return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  return absl::c_all_of(parts, [](absl::string_view part) {
    return !part.empty() && part.size() <= kMostDigits && absl::c_all_of(part, absl::ascii_isdigit);
  });
}

absl::StatusOr<Toolchain> ResolveToolchain(absl::string_view name, absl::string_view backend,
                                           v1::Graph::Origin origin) {
  const size_t at = name.find('@');
  const absl::string_view bare = name.substr(0, at);
  if (at != absl::string_view::npos && !IsVersion(name.substr(at + 1))) {
    return absl::InvalidArgumentError(
        absl::StrCat("toolchain '", name.substr(0, 64), "': expected a version after '@', such as executorch@1.5.1"));
  }
  for (const Toolchain toolchain : kToolchains) {
    if (bare == ToolchainName(toolchain)) return toolchain;
  }
  if (!name.empty()) {
    const std::string known = absl::StrJoin(kToolchains, ", ", [](std::string* out, Toolchain toolchain) {
      absl::StrAppend(out, ToolchainName(toolchain));
    });
    return absl::InvalidArgumentError(
        absl::StrCat("toolchain '", name.substr(0, 64), "' is not known (known: ", known, ")"));
  }
  switch (origin) {
    case v1::Graph::PT2E:
      return Toolchain::kExecuTorch;
    case v1::Graph::TFLITE:
      return Toolchain::kLiteRt;
    case v1::Graph::ONNX:
      return absl::StartsWith(backend, "qnn_") ? Toolchain::kQnnConverter : Toolchain::kOnnxRuntime;
    default:
      return Toolchain::kQnnConverter;
  }
}

absl::string_view ToolchainName(Toolchain toolchain) {
  switch (toolchain) {
    case Toolchain::kQnnConverter:
      return "qnn-converter";
    case Toolchain::kOnnxRuntime:
      return "onnxruntime";
    case Toolchain::kExecuTorch:
      return "executorch";
    case Toolchain::kLiteRt:
      return "litert";
  }
  return "";
}

std::string OtherVersion(absl::string_view name, Toolchain toolchain, absl::string_view sdk) {
  const size_t at = name.find('@');
  const Known known = KnownOf(toolchain, sdk);
  if (at == absl::string_view::npos) return "";
  const absl::string_view version = name.substr(at + 1);
  if (known.version.empty()) return absl::StrCat("nothing is known of ", known.name, " ", version, " for this target");
  if (version == known.version || absl::StartsWith(known.version, absl::StrCat(version, "."))) return "";
  return absl::StrCat("what is known of ", known.name, " is of ", known.version, "; ", version, " may do otherwise");
}

bool ReshapesOperands(OpId id) { return id == OpId::kAdd || id == OpId::kSub || id == OpId::kMul || id == OpId::kDiv; }

}  // namespace quantgate
