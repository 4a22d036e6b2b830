// Any bytes as a LiteRT model.
#include <cstdint>

#include "client/tflite/tflite_importer.h"
#include "tests/fuzz/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  quantgate::fuzz::CheckImported(quantgate::ImportTflite(bytes, "", {.max_nodes = 10'000}));
  return 0;
}
