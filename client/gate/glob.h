// Patterns of names, as in a shell but for brackets: names of layers have those.
#ifndef QUANTGATE_CLIENT_GATE_GLOB_H_
#define QUANTGATE_CLIENT_GATE_GLOB_H_

#include "absl/strings/string_view.h"

namespace quantgate {

// `*` stands for any bytes, `?` for one; everything else for itself. The whole text must match. Takes time proportional
// to the product of both lengths at most.
bool GlobMatches(absl::string_view pattern, absl::string_view text);

// The whole path matches, or what follows one of its slashes: "*.onnx" and "vision/*.onnx" match "/ci/vision/a.onnx".
// "./a.onnx" is "a.onnx" in both, as it is for a baseline.
bool PathMatches(absl::string_view pattern, absl::string_view path);

// Of "qnn_htp/SM8350@2.25.0" match: all of it, with the first numbers of its version or none, and the backend alone.
bool TargetMatches(absl::string_view pattern, absl::string_view target);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GATE_GLOB_H_
