// Unary methods of raw bytes: a request is measured before it is parsed, and parsed on a worker thread, on an arena of
// its own, in bounded memory. A typed method would parse on gRPC's threads before anything could be refused.
#ifndef QUANTGATE_SERVER_RPC_UNARY_H_
#define QUANTGATE_SERVER_RPC_UNARY_H_

#include <google/protobuf/arena.h>

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "server/rpc/byte_budget.h"
#include "server/rpc/call.h"
#include "server/rpc/parse.h"
#include "server/rpc/stream.h"

namespace quantgate::server {

// Of a request as it is sent.
struct SizeLimit {
  const char* name;
  int64_t bytes;
  const char* otherwise = "";  // what to do with a larger one
};
// Of requests that are a few names.
constexpr SizeLimit kLookupLimit = {"max_lookup_bytes", 1 << 20};

// RESOURCE_EXHAUSTED: the limit; UNAVAILABLE: `share` cannot take the request.
absl::Status Measure(const grpc::ByteBuffer& request, const SizeLimit& limit, ByteBudget::Share& share);

// Runs `work(Call&, const Request&, Arena&)`, which writes the answer and returns a status. The request lives on the
// arena.
template <typename Request, typename Work>
grpc::ServerUnaryReactor* RunRaw(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method,
                                 const SizeLimit& limit, const grpc::ByteBuffer* request, Work work) {
  using google::protobuf::Arena;
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto call = std::make_shared<Call>(environment, context, method);
  auto share = std::make_shared<ByteBudget::Share>(environment.budget);
  if (absl::Status refusal = Measure(*request, limit, *share); !refusal.ok()) {
    reactor->Finish(call->Finish(refusal));
    return reactor;
  }
  Call::Run(
      call,
      [environment, request, work](Call& call) -> absl::Status {
        Arena arena(RequestArena());
        auto* parsed = Arena::CreateMessage<Request>(&arena);
        grpc::ByteBuffer bytes(*request);  // shares the slices; the reader wants it mutable
        grpc::ProtoBufferReader reader(&bytes);
        absl::Status status = ParseBounded(reader, arena, environment.limits.max_parsed_bytes, *parsed);
        return status.ok() ? work(call, *parsed, arena) : status;
      },
      [reactor, share](const grpc::Status& status) {
        share->GiveBack();  // a server that stops waits for what follows, and then has no budget any more
        reactor->Finish(status);
      });
  return reactor;
}

// The same for `work(Call&, const Request&, Response&)`. The answer is not on the arena: what a store or a catalog made
// moves into it.
template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* RunUnary(CallEnvironment environment, grpc::CallbackServerContext* context,
                                   const char* method, const SizeLimit& limit, const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response, Work work) {
  return RunRaw<Request>(environment, context, method, limit, request,
                         [work, response](Call& call, const Request& parsed, google::protobuf::Arena&) {
                           Response answer;
                           const absl::Status status = work(call, parsed, answer);
                           return status.ok() ? Serialize(answer, *response) : status;
                         });
}

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_UNARY_H_
