// Any bytes as a QNN graph.
#include <cstdint>

#include "client/qnn_net/net_importer.h"
#include "tests/fuzz/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  quantgate::fuzz::CheckImported(quantgate::ImportQnnNet(bytes, {.max_nodes = 10'000}));
  return 0;
}
