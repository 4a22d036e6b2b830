// Files for tests.
#ifndef QUANTGATE_TESTS_CLIENT_FILES_H_
#define QUANTGATE_TESTS_CLIENT_FILES_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace quantgate {

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own, removed in the end.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "quantgate.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path path() const { return path_; }
  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

// Fixtures of the repository.
inline std::filesystem::path OnnxData() {
  return std::filesystem::path(QUANTGATE_TEST_DATA).parent_path() / "data" / "onnx";
}
inline std::filesystem::path TfliteData() { return OnnxData().parent_path() / "tflite"; }
inline std::filesystem::path Pt2Data() { return OnnxData().parent_path() / "pt2"; }

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_FILES_H_
