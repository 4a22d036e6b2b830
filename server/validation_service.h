// quantgate.v1.ValidationService.
//
// Both methods take raw bytes: a request is measured before it is parsed, and parsed on a worker thread, on an arena of
// its own, in bounded memory. A typed method would parse on gRPC's threads before anything could be refused.
#ifndef QUANTGATE_SERVER_VALIDATION_SERVICE_H_
#define QUANTGATE_SERVER_VALIDATION_SERVICE_H_

#include "quantgate/v1/validation_service.grpc.pb.h"
#include "server/byte_budget.h"
#include "server/call.h"
#include "server/options.h"
#include "server/validator.h"

namespace quantgate::server {

using RawValidationService = v1::ValidationService::WithRawCallbackMethod_Validate<
    v1::ValidationService::WithRawCallbackMethod_ValidateStream<v1::ValidationService::Service>>;

class ValidationService final : public RawValidationService {
 public:
  // `budget` outlives the service.
  ValidationService(CallEnvironment environment, const Validator& validator, const Limits& limits, ByteBudget& budget)
      : environment_(environment), validator_(validator), limits_(limits), budget_(budget) {}

  grpc::ServerUnaryReactor* Validate(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerReadReactor<grpc::ByteBuffer>* ValidateStream(grpc::CallbackServerContext* context,
                                                            grpc::ByteBuffer* response) override;

 private:
  class Stream;

  const CallEnvironment environment_;
  const Validator& validator_;
  const Limits limits_;
  ByteBudget& budget_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_VALIDATION_SERVICE_H_
