// POST /v1/models:check: a model file in, its report out.
#ifndef QUANTGATE_SERVER_HTTP_MODEL_UPLOAD_H_
#define QUANTGATE_SERVER_HTTP_MODEL_UPLOAD_H_

#include <grpcpp/channel.h>
#include <httplib.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/v1/validation_service.grpc.pb.h"
#include "server/events.h"
#include "server/http/import_process.h"

namespace quantgate::server {

class ModelUpload {
 public:
  struct Settings {
    // Takes MODEL -o GRAPH --info INFO --self-contained; empty: models are not taken.
    std::vector<std::string> import_command;
    int64_t max_bytes = int64_t{1} << 30;
    int max_uploads = 8;     // models at a time that are here or on their way
    int max_concurrent = 2;  // of these so many are read at a time; the others wait for their turn
    ImportLimits limits;
  };
  // `events` may be null and outlives this. Without a channel nothing may be checked.
  ModelUpload(Settings settings, std::shared_ptr<grpc::Channel> channel, Events* events)
      : settings_(std::move(settings)),
        stub_(channel == nullptr ? nullptr : v1::ValidationService::NewStub(channel)),
        events_(events) {}

  int64_t max_bytes() const { return settings_.max_bytes; }

  // The query: fields of ValidateOptions, with `target` for one of `targets` and `path` for model.path. The body: the
  // file, which must have all that it is made of, written to a folder of its own that is gone afterwards, read by the
  // import command, checked as by ValidateStream, whose status it is then, details included.
  grpc::Status Check(const httplib::Request& request, const httplib::ContentReader& body,
                     const std::function<bool()>& gone, v1::Report& report);

 private:
  grpc::Status Validate(const v1::ValidateOptions& options, const std::string& graph, const std::string& authorization,
                        const std::function<bool()>& gone, v1::Report& report);

  const Settings settings_;
  const std::unique_ptr<v1::ValidationService::Stub> stub_;
  Events* const events_;
  std::atomic<int> uploads_{0};
  std::atomic<int> running_{0};
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_MODEL_UPLOAD_H_
