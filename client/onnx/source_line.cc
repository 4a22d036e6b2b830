#include "client/onnx/source_line.h"

#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/stack_trace.h"
#include "client/text.h"
#include "google/protobuf/unknown_field_set.h"

namespace quantgate {
namespace {

// NodeProto.metadata_props of ONNX 1.16; unknown to the schema we compile.
constexpr int kMetadataProps = 9;

// `['', 'layer1', 'layer1.0', 'conv2d']`: the last entry is the node itself.
void ReadScopes(absl::string_view scopes, SourceNote* note) {
  const std::vector<absl::string_view> names = absl::StrSplit(scopes, '\'');
  // Names are the odd pieces.
  if (names.size() >= 5) note->scope = ToUtf8(names[names.size() - (names.size() % 2 == 0 ? 5 : 4)]);
}

void ReadDocString(absl::string_view text, SourceNote* note) {
  const absl::string_view first = text.substr(0, text.find('\n'));
  const size_t open = first.find('(');
  const size_t close = first.find("):");
  if (open == absl::string_view::npos || close == absl::string_view::npos || close < open) return;
  int line = 0;
  if (!absl::SimpleAtoi(first.substr(open + 1, close - open - 1), &line)) return;
  note->file = ToUtf8(first.substr(0, open));
  note->line = line;
}

}  // namespace

SourceNote ReadSourceNote(const onnx::NodeProto& node) {
  SourceNote note;
  const google::protobuf::UnknownFieldSet& unknown = node.GetReflection()->GetUnknownFields(node);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    if (field.number() != kMetadataProps || field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      continue;
    }
    onnx::StringStringEntryProto entry;
    if (!entry.ParseFromString(field.length_delimited())) continue;
    if (entry.key() == "pkg.torch.onnx.stack_trace") {
      if (const std::optional<SourceFrame> frame = InnermostFrame(entry.value())) {
        note.file = frame->file;
        note.line = frame->line;
      }
    }
    if (entry.key() == "pkg.torch.onnx.name_scopes") ReadScopes(entry.value(), &note);
  }
  if (note.file.empty() && node.has_doc_string()) ReadDocString(node.doc_string(), &note);
  return note;
}

}  // namespace quantgate
