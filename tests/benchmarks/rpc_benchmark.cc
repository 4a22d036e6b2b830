// Request rate of Validate against that of a sink: a service of the same library and settings that takes the same
// payload, parses it the same way, and does nothing. Both serve in this process; as many callers as cores, each with
// one call under way, turn from one to the other every few calls.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <grpcpp/grpcpp.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "db/reports/report_store.h"
#include "quantgate/v1/validation_service.grpc.pb.h"
#include "rules/all_rules.h"
#include "rules/check.h"
#include "server/memory.h"
#include "server/rpc/parse.h"
#include "server/server.h"
#include "server/worker_pool.h"
#include "tests/benchmarks/model.h"
#include "tests/benchmarks/ratio.h"

namespace quantgate::benchmarks {
namespace {

using google::protobuf::Arena;
using v1::ValidationService;

constexpr double kGoal = 0.8;

int Cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Raw bytes onto an arena on a worker thread, as the real service does it.
class Sink final : public ValidationService::WithRawCallbackMethod_Validate<ValidationService::Service> {
 public:
  grpc::ServerUnaryReactor* Validate(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const bool posted = pool_.Post([=] {
      Arena arena(server::RequestArena());
      auto* parsed = Arena::CreateMessage<v1::ValidateRequest>(&arena);
      grpc::ByteBuffer bytes(*request);
      grpc::ProtoBufferReader reader(&bytes);
      const bool ok = server::ParseBounded(reader, arena, server::Limits().max_parsed_bytes, *parsed).ok();
      *response = grpc::ByteBuffer(nullptr, 0);
      reactor->Finish(ok ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INTERNAL, "cannot parse"));
    });
    if (!posted) reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "busy"));
    return reactor;
  }

 private:
  server::WorkerPool pool_{Cores(), 256};
};

class SinkServer {
 public:
  SinkServer() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&sink_);
    builder.SetMaxReceiveMessageSize(-1);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }
  ~SinkServer() {
    server_->Shutdown();
    server_->Wait();
  }
  const std::string& address() const { return address_; }

 private:
  Sink sink_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

class QuantgateServer {
 public:
  // `store` as for `serve --store`.
  explicit QuantgateServer(const std::string& store)
      : database_(db::Database::Open(QUANTGATE_TABLES_FILE).value()),
        store_(db::OpenReportStore(store).value()),
        modules_(*database_),
        log_(server::Log::Format::kText) {
    RegisterBuiltinModules(modules_);
    server::Options options;
    options.listen = "127.0.0.1:0";
    server_ = server::Server::Start(options, {Check, AllRules(), modules_, store_.get(), log_}).value();
  }
  const std::string& address() const { return server_->address(); }

 private:
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::ReportStore> store_;
  ModuleRegistry modules_;
  server::Log log_;
  std::unique_ptr<server::Server> server_;
};

// Connections to one server, one per caller.
class Callers {
 public:
  explicit Callers(const std::string& address) {
    for (int i = 0; i < Cores(); ++i) {
      grpc::ChannelArguments arguments;
      arguments.SetMaxReceiveMessageSize(-1);
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      stubs_.push_back(ValidationService::NewStub(
          grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments)));
    }
  }

  // Every caller makes `calls` of them, all at the same time; false when one failed.
  bool Call(const v1::ValidateRequest& request, int calls) {
    std::atomic<bool> ok{true};
    std::vector<std::thread> threads;
    for (auto& stub : stubs_) {
      threads.emplace_back([&] {
        for (int i = 0; i < calls && ok; ++i) {
          grpc::ClientContext context;
          v1::ValidateResponse response;
          if (!stub->Validate(&context, request, &response).ok()) ok = false;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return ok;
  }

 private:
  std::vector<std::unique_ptr<ValidationService::Stub>> stubs_;
};

void RpcOverSink(benchmark::State& state, int nodes, const std::string& store) {
  const v1::ValidateRequest request = AnnotatedModel(nodes);
  const int calls = std::max(2, 20'000 / nodes);
  SinkServer sink_server;
  QuantgateServer server(store);
  Callers sink(sink_server.address());
  Callers real(server.address());
  bool ok = sink.Call(request, calls) && real.Call(request, calls);  // connections, modules
  RatioRecorder recorder;
  for (auto _ : state) {
    const double doing_nothing = Seconds([&] { ok = ok && sink.Call(request, calls); });
    const double checking = Seconds([&] { ok = ok && real.Call(request, calls); });
    state.SetIterationTime(checking);
    recorder.Add(checking, doing_nothing, RatioRecorder::kRate);
  }
  if (!ok) {
    state.SkipWithError("a call failed");
    return;
  }
  recorder.Report(store == "none" ? kGoal : 0, state);
  state.counters["requests_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * calls * Cores(), benchmark::Counter::kIsRate);
}

void Register(const std::string& name, int nodes, const std::string& store) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { RpcOverSink(state, nodes, store); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace quantgate::benchmarks

int main(int argc, char** argv) {
  namespace bench = quantgate::benchmarks;
  quantgate::server::KeepFreedMemory();  // as `quantgate serve` does
  std::string folder = (std::filesystem::temp_directory_path() / "rpc_benchmark_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 3;
  for (int nodes : {1000, 10'000}) bench::Register("rpc_over_sink_" + bench::SizeName(nodes), nodes, "none");
  bench::Register("rpc_over_sink_sqlite_1k", 1000, absl::StrCat("sqlite:", folder, "/reports.db"));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(folder);
  return 0;
}
