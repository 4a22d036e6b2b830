// A call whose request comes in messages: options first, then chunks of what was too large for one message.
#ifndef QUANTGATE_SERVER_CLIENT_STREAM_H_
#define QUANTGATE_SERVER_CLIENT_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/server_callback.h"
#include "server/byte_budget.h"
#include "server/call.h"

namespace quantgate::server {

// Collects the messages, then runs like a unary call. Reactions come one at a time; the object ends itself.
class ClientStream : public grpc::ServerReadReactor<grpc::ByteBuffer> {
 public:
  void OnReadDone(bool ok) final;
  void OnDone() final { delete this; }

 protected:
  // `budget` and what `environment` refers to outlive the call. At most `max_bytes` of chunks are taken.
  ClientStream(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method,
               ByteBudget& budget, int64_t max_bytes);

  // Of the first message, and of one after it. INVALID_ARGUMENT names the field, "options: …".
  virtual absl::Status TakeOptions(grpc::ByteBuffer& message) = 0;
  virtual absl::Status TakeChunk(grpc::ByteBuffer& message) = 0;
  // Whether something is missing, once all have come.
  virtual absl::Status CheckWhole() const { return absl::OkStatus(); }
  // The answer, on a worker.
  virtual absl::Status Answer(Call& call) = 0;

  // RESOURCE_EXHAUSTED: "max_stream_bytes=…".
  absl::Status Append(const std::string& chunk, std::string& bytes);
  Call& call() { return *call_; }

 private:
  void Start();

  ByteBudget::Share share_;
  const int64_t max_bytes_;
  int64_t bytes_ = 0;
  std::shared_ptr<Call> call_;
  grpc::ByteBuffer message_;
  bool has_options_ = false;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_CLIENT_STREAM_H_
