#include "server/http/model_upload.h"

#include <grpcpp/client_context.h>
#include <stdlib.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "google/protobuf/util/json_util.h"
#include "rules/engine/field.h"
#include "server/http/query.h"
#include "server/http/slot.h"
#include "server/http/transcode.h"
#include "server/services/check_events.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunkBytes = 1 << 20;
constexpr absl::Duration kMaxWait = absl::Seconds(60);
constexpr absl::Duration kCheckTime = absl::Minutes(10);

// A folder that nobody else can look into, gone with everything in it.
class PrivateFolder {
 public:
  PrivateFolder() = default;
  PrivateFolder(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  absl::Status Make() {
    std::error_code code;
    std::string pattern = (fs::temp_directory_path(code) / "quantgate-upload-XXXXXX").string();
    if (code || mkdtemp(pattern.data()) == nullptr) {
      return absl::UnavailableError(absl::StrCat("no folder for the model: ", std::strerror(errno)));
    }
    path_ = pattern;
    return absl::OkStatus();
  }
  std::string File(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// The last part of the client's name for the model, for messages, if it is a plain name; "model" otherwise.
std::string FileName(const std::string& path) {
  const std::string name = path.substr(path.find_last_of("/\\") + 1);
  if (name.empty() || name.size() > 100 || !absl::ascii_isalnum(static_cast<unsigned char>(name[0]))) return "model";
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') return "model";
  }
  return name == "graph.pb" || name == "info.json" ? "model" : name;
}

absl::StatusOr<v1::ValidateOptions> OptionsOf(const httplib::Request& request) {
  v1::ValidateOptions options;
  std::vector<std::pair<std::string, std::string>> query = QueryOf(request);
  for (auto& [key, value] : query) key = key == "target" ? "targets" : key == "path" ? "model.path" : key;
  if (absl::Status status = SetFields(options, query); !status.ok()) return status;
  return options;
}

absl::StatusOr<Slot> WaitForTurn(std::atomic<int>& running, int most, const std::function<bool()>& gone) {
  const absl::Time end = absl::Now() + kMaxWait;
  while (true) {
    if (std::optional<Slot> slot = Slot::Take(running, most); slot.has_value()) return *std::move(slot);
    if (gone()) return absl::CancelledError("the client has gone");
    if (absl::Now() > end) return Overloaded("max_uploads: other models are being read");
    absl::SleepFor(absl::Milliseconds(50));
  }
}

// Streams the body to a file. RESOURCE_EXHAUSTED beyond `max_bytes`, UNAVAILABLE on a full disk.
absl::Status Receive(const httplib::ContentReader& body, const std::string& path, int64_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr) return absl::UnavailableError(absl::StrCat("no file for the model: ", std::strerror(errno)));
  int64_t bytes = 0;
  absl::Status status;
  const bool whole = body([&](const char* data, size_t size) {
    bytes += static_cast<int64_t>(size);
    if (bytes > max_bytes) {
      status = LimitExceeded("max_upload_bytes", max_bytes, "the model is larger");
    } else if (std::fwrite(data, 1, size, file.get()) != size) {
      status = absl::UnavailableError(absl::StrCat("the model cannot be written: ", std::strerror(errno)));
    }
    return status.ok();
  });
  if (!status.ok()) return status;
  if (!whole) return absl::InvalidArgumentError("the upload ended early, or was too slow");
  if (bytes == 0) return AtField(absl::InvalidArgumentError("the body is empty; it must be the model file"), "body");
  if (std::fflush(file.get()) != 0) {
    return absl::UnavailableError(absl::StrCat("the model cannot be written: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

}  // namespace

grpc::Status ModelUpload::Check(const httplib::Request& request, const httplib::ContentReader& body,
                                const std::function<bool()>& gone, v1::Report& report) {
  if (settings_.import_command.empty())
    return ToGrpcStatus(absl::UnimplementedError("this server takes no model files"));
  std::optional<Slot> slot = Slot::Take(uploads_, settings_.max_uploads);
  if (!slot.has_value()) return ToGrpcStatus(Overloaded("max_uploads: other models are here or on their way"));
  absl::StatusOr<v1::ValidateOptions> options = OptionsOf(request);
  if (!options.ok()) return ToGrpcStatus(options.status());

  PrivateFolder folder;
  if (absl::Status status = folder.Make(); !status.ok()) return ToGrpcStatus(status);
  const std::string name = FileName(options->model().path());
  const std::string graph = folder.File("graph.pb"), info = folder.File("info.json");
  if (absl::Status status = Receive(body, folder.File(name), settings_.max_bytes); !status.ok())
    return ToGrpcStatus(status);
  // Only now: a slow client keeps nobody's model from being read.
  const absl::StatusOr<Slot> turn = WaitForTurn(running_, settings_.max_concurrent, gone);
  if (!turn.ok()) return ToGrpcStatus(turn.status());

  std::vector<std::string> command = settings_.import_command;
  command.insert(command.end(), {name, "--output", "graph.pb", "--info", "info.json", "--quiet", "--self-contained"});
  CheckEvents events(events_, "importing", options->model().path(),
                     {options->targets().begin(), options->targets().end()}, 0);
  absl::Status status = RunImport(command, folder.path(), settings_.limits, [&] {
    events.Progress();
    return gone();
  });
  events.Finished(status, v1::Report());
  if (!status.ok()) return ToGrpcStatus(status);

  std::ifstream text(info, std::ios::binary);
  const std::string json((std::istreambuf_iterator<char>(text)), {});
  v1::ModelInfo model;
  if (!google::protobuf::util::JsonStringToMessage(json, &model).ok())
    return ToGrpcStatus(absl::InternalError("info.json: no ModelInfo"));
  model.set_path(options->model().path().empty() ? name : options->model().path());
  *options->mutable_model() = std::move(model);
  return Validate(*options, graph, request.get_header_value("Authorization"), gone, report);
}

grpc::Status ModelUpload::Validate(const v1::ValidateOptions& options, const std::string& graph,
                                   const std::string& authorization, const std::function<bool()>& gone,
                                   v1::Report& report) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kCheckTime));
  if (IsMetadata(authorization)) context.AddMetadata("authorization", authorization);
  v1::ValidateStreamResponse response;
  const auto writer = stub_->ValidateStream(&context, &response);
  v1::ValidateStreamRequest part;
  *part.mutable_options() = options;
  bool sending = writer->Write(part);
  std::ifstream file(graph, std::ios::binary);
  while (sending && file) {
    std::string& chunk = *part.mutable_graph_chunk();
    chunk.resize(kChunkBytes);
    file.read(chunk.data(), kChunkBytes);
    chunk.resize(static_cast<size_t>(file.gcount()));
    if (!chunk.empty()) sending = writer->Write(part);
  }
  writer->WritesDone();
  std::future<grpc::Status> done = std::async(std::launch::async, [&] { return writer->Finish(); });
  while (done.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout) {
    if (gone()) context.TryCancel();
  }
  grpc::Status status = done.get();
  if (status.ok()) report = std::move(*response.mutable_report());
  return status;
}

}  // namespace quantgate::server
