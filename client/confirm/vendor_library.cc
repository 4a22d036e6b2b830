#include "client/confirm/vendor_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quantgate {
namespace {

using qnn_abi::Error;
using qnn_abi::Handle;

// The interface hands no pointer of ours to the callback, and there is one library per process.
std::vector<std::string>& Logged() {
  static auto* lines = new std::vector<std::string>;
  return *lines;
}

void Log(const char* format, uint32_t level, uint64_t, va_list arguments) {
  constexpr size_t kMaxLines = 1000;
  if (level != qnn_abi::kLogError || Logged().size() >= kMaxLines) return;
  char line[2048];
  std::vsnprintf(line, sizeof(line), format, arguments);
  Logged().push_back(line);
}

// The first line that tells something; those that only repeat that a call failed are left out.
std::string TakeReason() {
  constexpr size_t kLongest = 240;
  const std::vector<std::string> lines = std::move(Logged());
  Logged().clear();
  for (const std::string& line : lines) {
    absl::string_view text = absl::StripAsciiWhitespace(line);
    if (absl::ConsumePrefix(&text, "<E>")) text = absl::StripLeadingAsciiWhitespace(text);
    text = text.substr(0, text.find('\n'));
    if (text.empty() || absl::StrContains(text, "validateOpConfig failed") ||
        absl::StrContains(text, "Failed to validate op")) {
      continue;
    }
    return std::string(text.substr(0, kLongest));
  }
  return "";
}

StepReply Reply(absl::string_view step, Error error) {
  StepReply reply;
  reply.code = static_cast<uint32_t>(error & qnn_abi::kErrorMask);
  // A code whose low half is 0 is one all the same.
  if (error != 0 && reply.code == 0) reply.code = static_cast<uint32_t>(error >> 16 & qnn_abi::kErrorMask);
  if (reply.code != 0) reply.step = std::string(step);
  return reply;
}

absl::Status Failed(const std::string& path, absl::string_view step, Error error) {
  const StepReply reply = Reply(step, error);
  const std::string reason = TakeReason();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", step, " failed with code ", reply.code, reason.empty() ? "" : ": ", reason));
}

// "v2.51.0.260101..." -> "2.51.0".
std::string SdkOf(absl::string_view build_id) {
  absl::ConsumePrefix(&build_id, "v");
  std::vector<absl::string_view> parts = absl::StrSplit(build_id, absl::ByAnyChar("._-"));
  if (parts.size() > 3) parts.resize(3);
  return absl::StrJoin(parts, ".");
}

}  // namespace

absl::StatusOr<VendorLibrary> VendorLibrary::Load(const std::string& path, int soc_id) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::FailedPreconditionError(dlerror());  // begins with the path
  const auto get_providers = reinterpret_cast<qnn_abi::GetProviders>(dlsym(library, "QnnInterface_getProviders"));
  if (get_providers == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": is no QNN backend library"));
  }
  const qnn_abi::Interface* const* providers = nullptr;
  uint32_t count = 0;
  if (const Error error = get_providers(&providers, &count); error != 0 || count == 0) {
    return Failed(path, "getProviders", error);
  }
  VendorLibrary result;
  result.functions_ = providers[0];
  const qnn_abi::Interface& qnn = *result.functions_;
  constexpr uint32_t kCoreMajor = 2;
  if (qnn.api_version[0] != kCoreMajor) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": has version ", qnn.api_version[0], " of the QNN interface; version 2 is known"));
  }
  const char* build_id = nullptr;
  if (qnn.backend_get_build_id(&build_id) == 0 && build_id != nullptr) result.sdk_ = SdkOf(build_id);
  Handle log = nullptr;
  if (const Error error = qnn.log_create(&Log, qnn_abi::kLogError, &log); error != 0) {
    return Failed(path, "logCreate", error);
  }
  if (const Error error = qnn.backend_create(log, nullptr, &result.backend_); error != 0) {
    return Failed(path, "backendCreate", error);
  }
  qnn_abi::HtpDeviceConfig custom = {};
  custom.soc_at_4 = custom.soc_at_8 = static_cast<uint32_t>(soc_id);
  const qnn_abi::Config config = {0, &custom};
  const qnn_abi::Config* const configs[] = {&config, nullptr};
  if (const Error error = qnn.device_create(log, configs, &result.device_); error != 0) {
    return Failed(path, absl::StrCat("deviceCreate for SoC ", soc_id), error);
  }
  return result;
}

StepReply VendorLibrary::Validate(QnnGraph& graph) {
  Logged().clear();
  for (const QnnGraph::Node& node : graph.nodes()) {
    StepReply reply =
        Reply("backendValidateOpConfig", functions_->backend_validate_op_config(backend_, graph.ConfigOf(node)));
    if (reply.code == 0) continue;
    reply.reason = TakeReason();
    return reply;
  }
  return {};
}

StepReply VendorLibrary::Prepare(QnnGraph& graph) {
  Logged().clear();
  Handle context = nullptr;
  StepReply reply = Reply("contextCreate", functions_->context_create(backend_, device_, nullptr, &context));
  if (reply.code == 0) {
    reply = Build(graph, context);
    if (reply.code != 0) reply.reason = TakeReason();
    functions_->context_free(context, nullptr);
  }
  return reply;
}

StepReply VendorLibrary::Build(QnnGraph& graph, Handle context) {
  Handle handle = nullptr;
  StepReply reply = Reply("graphCreate", functions_->graph_create(context, "g", nullptr, &handle));
  const auto create = [&](qnn_abi::Tensor& tensor) {
    if (reply.code != 0 || tensor.type == qnn_abi::kNull) return;
    Logged().clear();  // what is said of calls that succeed explains nothing
    reply = Reply("tensorCreateGraphTensor", functions_->tensor_create_graph_tensor(handle, &tensor));
  };
  for (QnnGraph::Node& node : graph.nodes()) {
    for (qnn_abi::Param& param : node.params) {
      if (param.kind == 1) create(param.tensor);
    }
  }
  for (qnn_abi::Tensor& tensor : graph.tensors()) create(tensor);
  for (const QnnGraph::Node& node : graph.nodes()) {
    if (reply.code != 0) return reply;
    Logged().clear();
    reply = Reply("graphAddNode", functions_->graph_add_node(handle, graph.ConfigOf(node)));
  }
  if (reply.code != 0) return reply;
  Logged().clear();
  return Reply("graphFinalize", functions_->graph_finalize(handle, nullptr, nullptr));
}

}  // namespace quantgate
