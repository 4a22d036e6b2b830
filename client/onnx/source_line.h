// Where in the user's program a node comes from, as far as the exporter wrote it down.
#ifndef QUANTGATE_CLIENT_ONNX_SOURCE_LINE_H_
#define QUANTGATE_CLIENT_ONNX_SOURCE_LINE_H_

#include <string>

#include "onnx/onnx.pb.h"

namespace quantgate {

struct SourceNote {
  std::string file;  // empty: unknown
  int line = 0;      // 1-based; 0: unknown
  std::string scope;
};

// Reads metadata_props "pkg.torch.onnx.stack_trace" (innermost frame last) and "pkg.torch.onnx.name_scopes"
// (torch >= 2.5), else the doc_string of the older exporter ("model.py(12): forward", innermost frame first).
SourceNote ReadSourceNote(const onnx::NodeProto& node);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_SOURCE_LINE_H_
