// Any bytes as an archive of PyTorch, and as the program in a good archive.
#include <algorithm>
#include <cstdint>
#include <string>

#include "client/pt2/pt2_importer.h"
#include "tests/fuzz/imported.h"

namespace {

void Import(absl::string_view bytes) {
  quantgate::fuzz::CheckImported(quantgate::ImportPt2(bytes, {.max_nodes = 10'000}));
}

// An archive of stored members. Checksums stand in the way of a fuzzer that changes a member in its archive; here they
// follow.
class Stored {
 public:
  void Add(const std::string& name, absl::string_view bytes) {
    const uint32_t offset = static_cast<uint32_t>(archive_.size());
    const std::string facts = Number(20, 2) + Number(0, 2) + Number(0, 2) + Number(0, 4) + Number(Crc(bytes), 4) +
                              Number(bytes.size(), 4) + Number(bytes.size(), 4) + Number(name.size(), 2) + Number(0, 2);
    archive_ += "PK\x03\x04" + facts + name + std::string(bytes);
    directory_ += "PK\x01\x02" + Number(20, 2) + facts + Number(0, 2) + Number(0, 2) + Number(0, 2) + Number(0, 4) +
                  Number(offset, 4) + name;
    ++count_;
  }
  std::string Finish() const {
    return archive_ + directory_ + "PK\x05\x06" + Number(0, 4) + Number(count_, 2) + Number(count_, 2) +
           Number(directory_.size(), 4) + Number(archive_.size(), 4) + Number(0, 2);
  }

 private:
  static std::string Number(uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  }
  static uint32_t Crc(absl::string_view bytes) {
    uint32_t crc = ~uint32_t{0};
    for (unsigned char byte : bytes) {
      crc ^= byte;
      for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
    }
    return ~crc;
  }

  std::string archive_;
  std::string directory_;
  uint64_t count_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  Import(bytes);
  // The bytes up to the first NUL are the program, the others the weights and their list.
  const size_t end = std::min(bytes.find('\0'), size);
  const absl::string_view rest = bytes.substr(std::min(end + 1, size));
  const size_t config_end = std::min(rest.find('\0'), rest.size());
  Stored archive;
  archive.Add("m/archive_format", "pt2");
  archive.Add("m/archive_version", "0");
  archive.Add("m/.data/version", "6");
  archive.Add("m/data/constants/model_constants_config.json", R"({"config": {}})");
  archive.Add("m/models/model.json", bytes.substr(0, end));
  archive.Add("m/data/weights/model_weights_config.json", rest.substr(0, config_end));
  archive.Add("m/data/weights/weight_0", rest.substr(std::min(config_end + 1, rest.size())));
  Import(archive.Finish());
  return 0;
}
