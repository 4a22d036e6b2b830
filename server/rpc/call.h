// One RPC from arrival to answer: run on a pool, observed, never beyond its deadline, no exception out of it.
#ifndef QUANTGATE_SERVER_RPC_CALL_H_
#define QUANTGATE_SERVER_RPC_CALL_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/options.h"
#include "server/rpc/byte_budget.h"
#include "server/worker_pool.h"

namespace quantgate::server {

// What every service needs to answer calls. All outlive the gRPC server.
struct CallEnvironment {
  WorkerPool& pool;
  Metrics& metrics;
  Log& log;
  const Limits& limits;
  ByteBudget& budget;  // of the bytes of all requests at work
};

class Call {
 public:
  // `method` is a literal, "ValidationService/Validate".
  Call(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method);

  // The client has gone, or its deadline has passed. Cheap enough to be asked now and then while checking.
  bool Expired() const;
  // Expired() as a status: DEADLINE_EXCEEDED or CANCELLED; OK when neither.
  absl::Status ExpiredStatus() const;

  // For the log: what the client calls the request.
  void set_request_id(std::string id) { request_id_ = std::move(id); }

  // Runs `work` on the pool, then hands its status to `finish`, once, from some thread. When the pool is full, `finish`
  // is called at once with UNAVAILABLE.
  static void Run(const std::shared_ptr<Call>& call, std::function<absl::Status(Call&)> work,
                  const std::function<void(const grpc::Status&)>& finish);

  // Counts and logs the answer; every call ends here, exactly once.
  grpc::Status Finish(const absl::Status& status);

 private:
  CallEnvironment environment_;
  grpc::CallbackServerContext* context_;
  const char* method_;
  std::string request_id_;
  const absl::Time arrival_;
  absl::Time start_;
  const absl::Time deadline_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_CALL_H_
