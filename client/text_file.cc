#include "client/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace quantgate {

absl::StatusOr<std::string> ReadTextFile(const std::string& path, int64_t max_bytes) {
  constexpr size_t kStep = size_t{1} << 16;
  const auto unreadable = [&] {
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read: ", std::strerror(errno)));
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(nullptr, std::fclose);
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (opened == nullptr) return unreadable();
    file = opened.get();
  }
  std::string text;
  for (;;) {
    const size_t filled = text.size();
    text.resize(filled + kStep);
    const size_t got = std::fread(text.data() + filled, 1, kStep, file);
    text.resize(filled + got);
    if (static_cast<int64_t>(text.size()) > max_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(path, ": longer than ", max_bytes, " bytes"));
    }
    if (got == kStep) continue;
    if (std::ferror(file) != 0) return unreadable();
    return text;
  }
}

}  // namespace quantgate
