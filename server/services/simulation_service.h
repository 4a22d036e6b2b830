// quantgate.v1.SimulationService. Raw bytes, for the reason that unary.h gives.
#ifndef QUANTGATE_SERVER_SERVICES_SIMULATION_SERVICE_H_
#define QUANTGATE_SERVER_SERVICES_SIMULATION_SERVICE_H_

#include "quantgate/v1/simulation_service.grpc.pb.h"
#include "rules/engine/module.h"
#include "server/rpc/call.h"

namespace quantgate::server {

using RawSimulationService = v1::SimulationService::WithRawCallbackMethod_Simulate<v1::SimulationService::Service>;

class SimulationService final : public RawSimulationService {
 public:
  SimulationService(CallEnvironment environment, ModuleRegistry& modules)
      : environment_(environment), modules_(modules) {}

  // Nothing is stored. A deadline or cancellation is seen between two nodes.
  grpc::ServerReadReactor<grpc::ByteBuffer>* Simulate(grpc::CallbackServerContext* context,
                                                      grpc::ByteBuffer* response) override;

 private:
  class Stream;

  const CallEnvironment environment_;
  ModuleRegistry& modules_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_SIMULATION_SERVICE_H_
