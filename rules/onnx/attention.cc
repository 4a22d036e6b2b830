// What attention is told about its heads and about how far it looks.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// A number of heads that is stated. False: a contradiction has been noted.
bool Heads(NodeShapes& node, const char* name) {
  const int64_t heads = node.integer(name, 1);
  if (heads >= 1) return true;
  node.BadParameter(absl::StrCat(name, " ", heads), "at least 1");
  return false;
}

// Heads of which each reads one of fewer.
void Divide(NodeShapes& node, const char* heads_name, const char* read_name) {
  if (!Heads(node, heads_name) || !Heads(node, read_name) || !node.has(heads_name) || !node.has(read_name)) return;
  const int64_t heads = node.integer(heads_name, 1);
  const int64_t read = node.integer(read_name, 1);
  if (heads % read != 0) {
    node.BadParameter(absl::StrCat(heads_name, " ", heads), absl::StrCat("a multiple of ", read_name, " ", read));
  }
}

// Four dimensions have the heads as the second; what is stated beside them, and not 0, is the same.
void CheckUnpacked(NodeShapes& node, const Shape& shape, const char* name) {
  const int64_t heads = node.integer(name, 0);
  if (heads == 0 || shape.dims[1] == kAnySize || heads == shape.dims[1]) return;
  node.BadParameter(absl::StrCat(name, " ", heads),
                    absl::StrCat(shape.dims[1], ", the heads of ", ShapeText(shape.dims)));
}

// Of three dimensions, the last of which is that of all heads. False: of four, or a contradiction has been noted.
bool CheckPacked(NodeShapes& node, int argument, const char* name) {
  const Shape shape = node.at(argument);
  if (shape.known && shape.rank() == 4) CheckUnpacked(node, shape, name);
  if (!shape.known || shape.rank() != 3) return false;
  if (!node.has(name)) {
    node.BadParameter(absl::StrCat("no ", name), absl::StrCat("one for an input of shape ", ShapeText(shape.dims)));
    return false;
  }
  if (!Heads(node, name)) return false;
  const int64_t heads = node.integer(name, 1);
  if (shape.dims[2] == kAnySize || shape.dims[2] % heads == 0) return true;
  node.BadParameter(absl::StrCat(name, " ", heads),
                    absl::StrCat("a divisor of ", shape.dims[2], ", the last size of ", ShapeText(shape.dims)));
  return false;
}

void CheckStandard(NodeShapes& node) {
  for (int argument : {0, 1, 2}) {
    const Shape shape = node.at(argument);
    if (!shape.known || shape.rank() == 3 || shape.rank() == 4) continue;
    node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), "rank 3 or 4");
    return;
  }
  const bool packed = CheckPacked(node, 0, "q_num_heads");
  if (CheckPacked(node, 1, "kv_num_heads") && packed) Divide(node, "q_num_heads", "kv_num_heads");
  for (const char* name : {"left_window_size", "right_window_size"}) {
    const int64_t size = node.integer(name, -1);
    if (size < -1) node.BadParameter(absl::StrCat(name, " ", size), "-1, which is no window, or more");
  }
}

}  // namespace

void CheckAttention(NodeShapes& node) {
  const absl::string_view op_type = node.graph().op_type(node.node());
  if (op_type == "Attention") {
    CheckStandard(node);
  } else if (absl::StartsWith(op_type, "com.microsoft::") && absl::EndsWith(op_type, "Attention")) {
    Divide(node, "num_heads", "kv_num_heads");
  }
}

}  // namespace quantgate
