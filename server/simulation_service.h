// quantgate.v1.SimulationService. Raw bytes, for the reason that validation_service.h gives.
#ifndef QUANTGATE_SERVER_SIMULATION_SERVICE_H_
#define QUANTGATE_SERVER_SIMULATION_SERVICE_H_

#include "quantgate/v1/simulation_service.grpc.pb.h"
#include "rules/engine/module.h"
#include "server/byte_budget.h"
#include "server/call.h"
#include "server/options.h"

namespace quantgate::server {

using RawSimulationService = v1::SimulationService::WithRawCallbackMethod_Simulate<v1::SimulationService::Service>;

class SimulationService final : public RawSimulationService {
 public:
  // `modules` and `budget` outlive the service.
  SimulationService(CallEnvironment environment, ModuleRegistry& modules, const Limits& limits, ByteBudget& budget)
      : environment_(environment), modules_(modules), limits_(limits), budget_(budget) {}

  // Nothing is stored. A deadline or cancellation is seen between two nodes.
  grpc::ServerReadReactor<grpc::ByteBuffer>* Simulate(grpc::CallbackServerContext* context,
                                                      grpc::ByteBuffer* response) override;

 private:
  class Stream;

  const CallEnvironment environment_;
  ModuleRegistry& modules_;
  const Limits limits_;
  ByteBudget& budget_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SIMULATION_SERVICE_H_
