#include "client/confirm/find_library.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

// Finds the package without running any code of it.
constexpr char kAskPython[] =
    "python3 -c 'import importlib.util as u; s = u.find_spec(\"onnxruntime_qnn\"); "
    "print(s.submodule_search_locations[0] if s else \"\")' 2>/dev/null";

std::string PackageFolder() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> python(popen(kAskPython, "r"), pclose);
  if (python == nullptr) return "";
  std::string text;
  char buffer[1024];
  while (std::fgets(buffer, sizeof(buffer), python.get()) != nullptr) text += buffer;
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::StatusOr<std::string> Existing(const std::string& path, absl::string_view from) {
  std::error_code error;
  // A loader looks for a name without a folder in the system's folders, not here.
  if (std::filesystem::is_regular_file(path, error)) return std::filesystem::absolute(path, error).string();
  return absl::FailedPreconditionError(absl::StrCat("no vendor library at ", path, " (", from, ")"));
}

}  // namespace

absl::StatusOr<std::string> FindVendorLibrary(const std::string& path) {
  if (!path.empty()) return Existing(path, "--qnn-lib");
  if (const char* stated = std::getenv("QUANTGATE_QNN_LIB"); stated != nullptr && *stated != '\0') {
    return Existing(stated, "QUANTGATE_QNN_LIB");
  }
  const std::string folder = PackageFolder();
  if (folder.empty()) {
    return absl::FailedPreconditionError(
        "the vendor's library is not here: give --qnn-lib or QUANTGATE_QNN_LIB, or install it for the python3 on the "
        "PATH (pip install onnxruntime-qnn)");
  }
  return Existing(absl::StrCat(folder, "/libQnnHtp.so"), "Python package onnxruntime_qnn");
}

}  // namespace quantgate
