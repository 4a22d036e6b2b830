#include "db/reports/labels.h"

#include <google/protobuf/stubs/common.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace quantgate::db {
namespace {

constexpr size_t kMaxLabelBytes = 256;

// Called with the name and the text of each label.
template <typename Take>
void ForEach(v1::Labels& labels, Take take) {
  take("repository", *labels.mutable_repository());
  take("revision", *labels.mutable_revision());
  take("branch", *labels.mutable_branch());
  take("pull_request", *labels.mutable_pull_request());
}

}  // namespace

absl::Status CheckLabels(const v1::Labels& labels) {
  v1::Labels copy = labels;
  absl::Status status;
  ForEach(copy, [&](absl::string_view name, const std::string& text) {
    if (!status.ok()) return;
    const std::string label = absl::StrCat("options.labels.", name);
    if (text.size() > kMaxLabelBytes) {
      status = absl::InvalidArgumentError(absl::StrCat(label, ": ", text.size(), " bytes; at most ", kMaxLabelBytes));
    } else if (!IsUtf8(text)) {
      status = absl::InvalidArgumentError(absl::StrCat(label, ": is not UTF-8"));
    }
  });
  return status;
}

bool IsUtf8(absl::string_view text) {
  return google::protobuf::internal::IsStructurallyValidUTF8(text.data(), static_cast<int>(text.size()));
}

absl::Status SetLabel(absl::string_view assignment, v1::Labels& labels) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  bool is_set = false, is_twice = false;
  ForEach(labels, [&](absl::string_view name, std::string& text) {
    if (name != parts.first || parts.second.empty()) return;
    is_twice = !text.empty();
    text = parts.second;
    is_set = true;
  });
  if (is_twice)
    return absl::InvalidArgumentError(absl::StrCat("--label ", assignment, ": ", parts.first, " is given twice"));
  if (is_set) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--label ", assignment, ": give NAME=VALUE, with repository, revision, branch or pull_request as NAME"));
}

}  // namespace quantgate::db
