// A call whose request comes in messages: options first, then chunks of what was too large for one message.
#ifndef QUANTGATE_SERVER_RPC_CLIENT_STREAM_H_
#define QUANTGATE_SERVER_RPC_CLIENT_STREAM_H_

#include <grpcpp/alarm.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/server_callback.h"
#include "server/options.h"
#include "server/rpc/byte_budget.h"
#include "server/rpc/call.h"

namespace quantgate::server {

// Collects the messages, then runs like a unary call. Reactions come one at a time, but for the alarm; the object ends
// itself. A stream that stalls is ended: it holds memory that others wait for.
class ClientStream : public grpc::ServerReadReactor<grpc::ByteBuffer> {
 public:
  void OnReadDone(bool ok) final;
  void OnDone() final;

 protected:
  // What `environment` refers to outlives the call.
  ClientStream(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method);

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
  // DEADLINE_EXCEEDED: "max_stream_idle=…", when no message came in time; else looks again later.
  void OnAlarm();
  void SetAlarm(absl::Time time);
  // When the stream has stalled: no message for max_stream_idle, or too few bytes since it began.
  absl::Time Deadline() const;
  // Of the call and the alarm, the last one deletes the object.
  void Release();

  ByteBudget::Share share_;
  const int64_t max_bytes_;
  const double max_idle_seconds_;
  const absl::Time start_;
  std::mutex mutex_;       // the alarm's thread is another one
  bool receiving_ = true;  // guarded by mutex_, as what follows is while it is true
  absl::Time last_;        // when a message came
  int64_t bytes_ = 0;
  std::shared_ptr<Call> call_;
  grpc::ByteBuffer message_;
  bool has_options_ = false;
  grpc::Alarm alarm_;
  std::atomic<int> parts_{2};
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_CLIENT_STREAM_H_
