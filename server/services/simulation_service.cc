#include "server/services/simulation_service.h"

#include <google/protobuf/arena.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "google/protobuf/util/time_util.h"
#include "rules/engine/field.h"
#include "rules/graph/digest.h"
#include "rules/simulator/run/inputs.h"
#include "rules/simulator/run/report.h"
#include "server/rpc/client_stream.h"
#include "server/rpc/parse.h"
#include "server/rpc/request_size.h"
#include "server/rpc/stream.h"
#include "server/services/simulation_tensors.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

using google::protobuf::Arena;

constexpr char kMethodName[] = "SimulationService/Simulate";

// An error of the simulator as one about the request: which field, which limit.
absl::Status AboutRequest(absl::Status status, const v1::Tensors& inputs, const Limits& limits) {
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_simulation_bytes", limits.max_simulation_bytes, status.message());
  }
  if (!absl::IsInvalidArgument(status) || !FieldOf(status).empty()) return status;
  const auto input = status.GetPayload(simulator::kInputPayload);
  if (!input.has_value()) return absl::StartsWith(status.message(), "graph.") ? status : AtField(status, "graph");
  for (int i = 0; i < inputs.tensors_size(); ++i) {
    if (inputs.tensors(i).name() == *input) return AtField(status, absl::StrCat("inputs.tensors[", i, "]"));
  }
  return AtField(status, "inputs");
}

}  // namespace

class SimulationService::Stream final : public ClientStream {
 public:
  Stream(SimulationService& service, grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : ClientStream(service.environment_, context, kMethodName), service_(service), response_(response) {}

 private:
  absl::Status TakeOptions(grpc::ByteBuffer& message) override {
    v1::SimulateRequest parsed;
    absl::Status status = ParseStreamOptions(message, parsed);
    if (!status.ok()) return status;
    if (!parsed.has_options()) return absl::InvalidArgumentError("options: the first message must carry them");
    options_ = std::move(*parsed.mutable_options());
    return CheckModelInfo(options_.model());
  }

  absl::Status TakeChunk(grpc::ByteBuffer& message) override {
    v1::SimulateRequest parsed;
    absl::Status status = ParseStreamChunk(message, parsed);
    if (!status.ok()) return status;
    switch (parsed.part_case()) {
      case v1::SimulateRequest::kGraphChunk:
        if (has_inputs_) return absl::InvalidArgumentError("graph_chunk: the graph comes before the inputs");
        return Append(parsed.graph_chunk(), graph_);
      case v1::SimulateRequest::kInputsChunk:
        if (graph_.empty()) return absl::InvalidArgumentError("inputs_chunk: the graph comes before the inputs");
        has_inputs_ = true;
        return Append(parsed.inputs_chunk(), inputs_);
      case v1::SimulateRequest::kOptions:
        return absl::InvalidArgumentError("options: only the first message may carry them");
      default:
        return absl::InvalidArgumentError("graph_chunk: every message but the first must carry a chunk");
    }
  }

  absl::Status CheckWhole() const override {
    return graph_.empty() ? absl::InvalidArgumentError("graph_chunk: there is no graph") : absl::OkStatus();
  }

  absl::Status Answer(Call& call) override {
    const Limits& limits = service_.environment_.limits;
    Arena arena(RequestArena());
    auto* graph = Arena::CreateMessage<v1::Graph>(&arena);
    absl::Status status = ParseBounded(std::move(graph_), arena, limits.max_parsed_bytes, *graph);
    if (!status.ok()) return AtField(status, "graph");
    if (status = CheckGraphSize(*graph, limits); !status.ok()) return status;
    auto* tensors = Arena::CreateMessage<v1::Tensors>(&arena);
    if (status = ParseBounded(std::move(inputs_), arena, limits.max_parsed_bytes, *tensors); !status.ok())
      return AtField(status, "inputs");
    const auto given = ReadTensors(*tensors, limits.max_simulation_bytes);
    if (!given.ok()) return given.status();
    for (v1::Tensor& tensor : *tensors->mutable_tensors()) tensor.mutable_data()->clear();

    auto* answer = Arena::CreateMessage<v1::SimulateResponse>(&arena);
    simulator::Request request{options_.target(), options_.profile(), options_.seed()};
    if (has_inputs_) request.given = &*given;
    TensorWriter values(limits.max_simulation_bytes, *answer->mutable_values());
    simulator::SimulateOptions options;
    options.max_bytes = limits.max_simulation_bytes;
    // What cannot be sent need not be computed to its end.
    options.cancelled = [&] { return call.Expired() || !values.status().ok(); };
    if (options_.dump()) {
      options.on_value = [&](const std::string& name, const simulator::Tensor& tensor) { values.Add(name, tensor); };
    }
    status = simulator::SimulateReport(*graph, request, &service_.modules_, options, *answer->mutable_report());
    if (!values.status().ok()) return values.status();
    if (!status.ok()) return AboutRequest(status, *tensors, limits);
    FillReport(*graph, *answer->mutable_report());
    if (!options_.dump()) answer->clear_values();
    if (answer->ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int>::max())) {
      return LimitExceeded("max_simulation_bytes", limits.max_simulation_bytes, "the answer is larger than 2 GiB");
    }
    return Serialize(*answer, *response_);
  }

  // What the report says of the request. `graph` loses its weights.
  void FillReport(v1::Graph& graph, v1::Report& report) {
    simulator::DropWeights(graph);
    report.set_graph_digest(GraphDigest(graph));
    if (options_.has_model()) *report.mutable_model() = options_.model();
    *report.mutable_create_time() =
        google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(absl::Now()));
    service_.environment_.metrics.Findings(report);
  }

  SimulationService& service_;
  grpc::ByteBuffer* response_;
  v1::SimulateOptions options_;
  bool has_inputs_ = false;
  std::string graph_;
  std::string inputs_;
};

grpc::ServerReadReactor<grpc::ByteBuffer>* SimulationService::Simulate(grpc::CallbackServerContext* context,
                                                                       grpc::ByteBuffer* response) {
  return new Stream(*this, context, response);
}

}  // namespace quantgate::server
