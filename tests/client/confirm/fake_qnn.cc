// A library with the vendor's interface that behaves as an operator's name says, so that every way in which a library
// can fail is tested where the vendor's own is not installed. FAKE_QNN in the environment says how loading ends.
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

#include "client/confirm/qnn_abi.h"

namespace {

using quantgate::qnn_abi::Config;
using quantgate::qnn_abi::Error;
using quantgate::qnn_abi::Handle;
using quantgate::qnn_abi::HtpDeviceConfig;
using quantgate::qnn_abi::Interface;
using quantgate::qnn_abi::LogCallback;
using quantgate::qnn_abi::OpConfig;
using quantgate::qnn_abi::Tensor;

LogCallback log_callback = nullptr;
uint32_t soc = 0;
int anything = 0;

bool Behaves(const char* how) {
  const char* stated = std::getenv("FAKE_QNN");
  return stated != nullptr && std::strcmp(stated, how) == 0;
}

void Log(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log_callback(format, 1, 0, arguments);
  va_end(arguments);
}

Error GetBuildId(const char** id) {
  *id = Behaves("old") ? "v2.47.0.1_2" : "v2.51.0.260101_1";
  return 0;
}

Error CreateLog(LogCallback callback, uint32_t, Handle* log) {
  log_callback = callback;
  *log = &anything;
  return 0;
}

Error CreateBackend(Handle, const Config* const*, Handle* backend) {
  *backend = &anything;
  return 0;
}

Error CreateDevice(Handle, const Config* const* configs, Handle* device) {
  const auto& config = *static_cast<const HtpDeviceConfig*>(configs[0]->value);
  soc = Behaves("old") ? config.soc_at_4 : config.soc_at_8;
  *device = &anything;
  if (!Behaves("unknown soc")) return 0;
  Log("SoC %u is not known", soc);
  return 14001;
}

// Takes what has no other name, refuses what arch 68 refuses: 16-bit weights (SFIXED_POINT_16 at in[1]) on SoC 30.
Error Validate(Handle, OpConfig op) {
  const std::string type = op.type;
  if (Behaves("abort in validate")) std::abort();
  if (Behaves("refuse all")) {
    Log("<E> %s is refused,\nsays the fake", op.type);
    return 0x30000 + 3110;
  }
  if (op.num_inputs > 1 && op.inputs[1].dtype == 0x316 && soc == 30) {
    Log("Value %d, expected >= %d.", 68, 73);
    return 3110;
  }
  return 0;
}

Error Create(Handle, const char*, const Config* const*, Handle* graph) {
  *graph = &anything;
  return 0;
}

Error CreateContext(Handle, Handle, const Config* const*, Handle* context) {
  *context = &anything;
  return 0;
}

Error CreateTensor(Handle, Tensor* tensor) {
  static uint32_t id = 0;
  tensor->id = ++id;
  return 0;
}

Error AddNode(Handle, OpConfig op) {
  for (uint32_t i = 0; i < op.num_inputs; ++i) {
    if (op.inputs[i].id == 0) return 6004;  // not one of the graph's tensors
  }
  return 0;
}

Error Finalize(Handle, Handle, Handle) {
  if (Behaves("abort in finalize")) std::abort();
  if (Behaves("hang in finalize")) pause();
  if (Behaves("exit in finalize")) _exit(9);
  return 0;
}

Error Free(Handle, Handle) { return 0; }

}  // namespace

extern "C" __attribute__((visibility("default"))) Error QnnInterface_getProviders(const Interface* const** providers,
                                                                                  uint32_t* count) {
  if (Behaves("abort at load")) std::abort();
  if (Behaves("hang at load")) pause();
  static Interface fake = {};
  fake.api_version[0] = Behaves("new interface") ? 3 : 2;
  fake.backend_get_build_id = GetBuildId;
  fake.log_create = CreateLog;
  fake.backend_create = CreateBackend;
  fake.device_create = CreateDevice;
  fake.backend_validate_op_config = Validate;
  fake.context_create = CreateContext;
  fake.context_free = Free;
  fake.graph_create = Create;
  fake.tensor_create_graph_tensor = CreateTensor;
  fake.graph_add_node = AddNode;
  fake.graph_finalize = Finalize;
  static const Interface* const list[] = {&fake};
  *providers = list;
  *count = 1;
  return 0;
}
