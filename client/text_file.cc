#include "client/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace quantgate {

absl::StatusOr<std::string> ReadTextFile(const std::string& path, int64_t max_bytes) {
  std::string text;
  const absl::Status read = ReadPieces(path, [&](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return static_cast<int64_t>(text.size()) <= max_bytes
               ? absl::OkStatus()
               : absl::ResourceExhaustedError(absl::StrCat(path, ": longer than ", max_bytes, " bytes"));
  });
  if (!read.ok()) return read;
  return text;
}

absl::Status ReadPieces(const std::string& path, const std::function<absl::Status(absl::string_view piece)>& take) {
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
  std::string piece(kStep, '\0');
  for (;;) {
    const size_t got = std::fread(piece.data(), 1, kStep, file);
    if (absl::Status status = take(absl::string_view(piece).substr(0, got)); !status.ok()) return status;
    if (got == kStep) continue;
    return std::ferror(file) != 0 ? unreadable() : absl::OkStatus();
  }
}

}  // namespace quantgate
