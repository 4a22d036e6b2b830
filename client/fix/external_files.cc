#include "client/fix/external_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/tensor/external_data.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

bool SameContent(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  if (fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
  std::ifstream one(a, std::ios::binary);
  std::ifstream other(b, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(one), {}, std::istreambuf_iterator<char>(other), {});
}

}  // namespace

ExternalFiles::~ExternalFiles() {
  std::error_code error;
  for (const fs::path& path : made_) fs::remove(path, error);
}

void ExternalFiles::Keep() {
  made_.clear();
  passing_.clear();
}

absl::Status ExternalFiles::Copy(const fs::path& from, const fs::path& model, absl::Span<const std::string> locations) {
  std::error_code error;
  const fs::path folder = fs::canonical(from, error);
  if (error) return absl::OkStatus();
  const fs::path parent = model.parent_path().empty() ? "." : model.parent_path();
  const fs::path target_folder = fs::canonical(parent, error);
  if (error) return absl::FailedPreconditionError(absl::StrCat(parent.string(), ": ", error.message()));
  for (const std::string& location : locations) {
    if (absl::StrContains(location, '\0') || location.empty() || fs::path(location).is_absolute()) continue;
    const fs::path source = fs::weakly_canonical(folder / location, error);
    if (error || !LeadsInside(folder, source) || !fs::is_regular_file(source, error)) continue;
    const fs::path target = fs::weakly_canonical(target_folder / location, error);
    const auto fail = [&](absl::string_view why) {
      return absl::FailedPreconditionError(absl::StrCat(target.string(), ": ", why));
    };
    if (error || !LeadsInside(target_folder, target)) return fail("the model's external data cannot be put there");
    if (target == fs::weakly_canonical(model, error)) return fail("is the model's own external data");
    if (fs::exists(target, error)) {
      if (SameContent(source, target)) continue;
      return fail(absl::StrCat("is in the place of the model's external data, ", source.string()));
    }
    fs::create_directories(target.parent_path(), error);
    made_.push_back(target);
    passing_.emplace_back(target.string());
    if (error || !fs::copy_file(source, target, error)) {
      return fail(absl::StrCat("external data cannot be copied: ", error.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace quantgate
