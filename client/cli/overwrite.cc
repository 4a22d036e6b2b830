#include "client/cli/overwrite.h"

#include "absl/strings/str_cat.h"
#include "client/same_file.h"

namespace quantgate {

absl::Status CheckOverwrites(absl::string_view flag, const std::string& path, const std::vector<KeptFile>& kept) {
  for (const KeptFile& file : kept) {
    if (IsSameFile(path, file.path)) {
      return absl::InvalidArgumentError(absl::StrCat(flag, " ", path, " would overwrite ", file.what));
    }
  }
  return absl::OkStatus();
}

}  // namespace quantgate
