// quantgate.v1.ValidationService. Raw bytes, for the reason that unary.h gives.
#ifndef QUANTGATE_SERVER_SERVICES_VALIDATION_SERVICE_H_
#define QUANTGATE_SERVER_SERVICES_VALIDATION_SERVICE_H_

#include "quantgate/v1/validation_service.grpc.pb.h"
#include "server/rpc/call.h"
#include "server/services/validator.h"

namespace quantgate::server {

using RawValidationService = v1::ValidationService::WithRawCallbackMethod_Validate<
    v1::ValidationService::WithRawCallbackMethod_ValidateStream<v1::ValidationService::Service>>;

class ValidationService final : public RawValidationService {
 public:
  ValidationService(CallEnvironment environment, const Validator& validator)
      : environment_(environment), validator_(validator) {}

  grpc::ServerUnaryReactor* Validate(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerReadReactor<grpc::ByteBuffer>* ValidateStream(grpc::CallbackServerContext* context,
                                                            grpc::ByteBuffer* response) override;

 private:
  class Stream;

  const CallEnvironment environment_;
  const Validator& validator_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_VALIDATION_SERVICE_H_
