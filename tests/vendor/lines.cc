#include "tests/vendor/lines.h"

#include <zlib.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace quantgate::vendor {

absl::Status ForEachLine(const std::string& path, const std::function<void(int64_t, absl::string_view)>& use) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::string pending;
  int64_t number = 0;
  const auto flush = [&](absl::string_view line) {
    ++number;
    if (!line.empty()) use(number, line);
  };
  std::string buffer(1 << 16, '\0');
  int read = 0;
  while ((read = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    absl::string_view rest(buffer.data(), read);
    for (size_t end = rest.find('\n'); end != absl::string_view::npos; end = rest.find('\n')) {
      absl::StrAppend(&pending, rest.substr(0, end));
      flush(pending);
      pending.clear();
      rest.remove_prefix(end + 1);
    }
    absl::StrAppend(&pending, rest);
  }
  int code = Z_OK;
  const char* message = gzerror(file.get(), &code);
  // A stream that stops in the middle is not an error of gzread's.
  if (read < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    return absl::DataLossError(message);  // it begins with the path
  }
  if (!pending.empty()) flush(pending);
  return absl::OkStatus();
}

}  // namespace quantgate::vendor
