#include "server/validator.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <openssl/evp.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

constexpr size_t kMaxRequestId = 64;
constexpr size_t kMaxModelText = 4096;

struct Size {
  int64_t nodes = 0;
  int64_t values = 0;
};

// The parser's own limit on nesting bounds the recursion.
void AddSize(const v1::Graph& graph, Size& size) {
  size.nodes += graph.nodes_size();
  size.values += graph.values_size();
  for (const v1::Graph& subgraph : graph.subgraphs()) AddSize(subgraph, size);
}

absl::Status CheckLimits(const v1::Graph& graph, const v1::ValidateOptions& options, const Limits& limits) {
  Size size;
  AddSize(graph, size);
  if (size.nodes > limits.max_nodes) {
    return LimitExceeded("max_nodes", limits.max_nodes, absl::StrCat("the graph has ", size.nodes, " nodes"));
  }
  if (size.values > limits.max_values) {
    return LimitExceeded("max_values", limits.max_values, absl::StrCat("the graph has ", size.values, " values"));
  }
  if (options.targets_size() > limits.max_targets) {
    return LimitExceeded("max_targets", limits.max_targets,
                         absl::StrCat("the request names ", options.targets_size(), " targets"));
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(const v1::ValidateOptions& options) {
  if (options.request_id().size() > kMaxRequestId) {
    return absl::InvalidArgumentError(absl::StrCat("options.request_id: ", options.request_id().size(),
                                                   " bytes; at most ", kMaxRequestId));
  }
  if (!v1::Report::Mode_IsValid(options.mode())) {
    return absl::InvalidArgumentError(absl::StrCat("options.mode: ", static_cast<int>(options.mode()),
                                                   " is no mode; STRICT is 1, WARN is 2"));
  }
  const v1::ModelInfo& model = options.model();
  if (model.path().size() > kMaxModelText || model.sha256().size() > kMaxModelText ||
      model.format().size() > kMaxModelText) {
    return absl::InvalidArgumentError(absl::StrCat("options.model: a text is longer than ", kMaxModelText, " bytes"));
  }
  return absl::OkStatus();
}

// Digests the canonical bytes of a message without holding them all.
class Sha256Stream : public google::protobuf::io::CopyingOutputStream {
 public:
  Sha256Stream() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_, EVP_sha256(), nullptr); }
  ~Sha256Stream() override { EVP_MD_CTX_free(context_); }
  bool Write(const void* data, int size) override { return EVP_DigestUpdate(context_, data, size) == 1; }

  void Add(const google::protobuf::MessageLite& message) {
    google::protobuf::io::CopyingOutputStreamAdaptor adaptor(this);
    google::protobuf::io::CodedOutputStream coded(&adaptor);
    coded.SetSerializationDeterministic(true);
    coded.WriteVarint64(message.ByteSizeLong());  // keeps two messages in a row apart
    message.SerializeToCodedStream(&coded);
  }

  std::string Hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_, digest, &size);
    return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
  }

 private:
  EVP_MD_CTX* context_;
};

db::RequestKey KeyOf(const v1::Graph& graph, const v1::ValidateOptions& options) {
  db::RequestKey key;
  if (options.request_id().empty()) return key;
  key.id = options.request_id();
  Sha256Stream digest;
  digest.Add(options);
  digest.Add(graph);
  key.digest = digest.Hex();
  return key;
}

}  // namespace

absl::Status Validator::StoreStatus(absl::Status status) const {
  if (!status.ok() && !absl::IsAlreadyExists(status)) deps_.metrics.StoreError(status.code());
  return status;
}

absl::Status Validator::Check(const v1::Graph& graph, const v1::ValidateOptions& options,
                              const std::function<bool()>& cancelled, v1::Report& report) const {
  CheckOptions check;
  check.targets.assign(options.targets().begin(), options.targets().end());
  if (options.mode() != v1::Report::MODE_UNSPECIFIED) check.mode = options.mode();
  check.toolchain = options.toolchain();
  check.cancelled = cancelled;
  absl::Status status = deps_.check(graph, check, deps_.modules, report);
  // A module that was asked for and is not loaded now has failed; the next request tries again.
  for (const v1::Result& result : report.results()) {
    const std::pair<std::string, std::string> target = absl::StrSplit(result.target(), absl::MaxSplits('/', 1));
    const std::pair<std::string, std::string> backend = absl::StrSplit(target.first, absl::MaxSplits('@', 1));
    if (backend.first != "any") deps_.module_state(backend.first, deps_.modules.IsLoaded(backend.first));
  }
  return status;
}

absl::Status Validator::Validate(const v1::Graph& graph, const v1::ValidateOptions& options,
                                 const std::function<bool()>& cancelled, v1::Report& report) const {
  absl::Status status = CheckArguments(options);
  if (status.ok()) status = CheckLimits(graph, options, limits_);
  if (!status.ok()) return status;

  db::RequestKey key;
  if (deps_.store != nullptr) {
    key = KeyOf(graph, options);
    absl::StatusOr<std::optional<v1::Report>> earlier = deps_.store->FindRequest(key);
    if (!earlier.ok()) return StoreStatus(earlier.status());
    if (earlier->has_value()) {
      report = **earlier;
      return absl::OkStatus();
    }
  }

  status = Check(graph, options, cancelled, report);
  if (!status.ok()) return status;
  deps_.metrics.Findings(report);
  if (options.has_model()) *report.mutable_model() = options.model();
  if (deps_.store != nullptr) return StoreStatus(deps_.store->Put(key, report));
  const int64_t now = absl::ToUnixNanos(absl::Now());
  report.mutable_create_time()->set_seconds(now / 1'000'000'000);
  report.mutable_create_time()->set_nanos(static_cast<int>(now % 1'000'000'000));
  return absl::OkStatus();
}

}  // namespace quantgate::server
