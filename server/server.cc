#include "server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/address.h"
#include "server/credentials.h"
#include "server/http/http_server.h"
#include "server/metrics.h"
#include "server/services/catalog_service.h"
#include "server/services/report_service.h"
#include "server/services/simulation_service.h"
#include "server/services/validation_service.h"
#include "server/worker_pool.h"

namespace quantgate::server {
namespace {

// Lookups do not wait behind checks, nor those of the catalog behind a store that does not answer.
constexpr int kLookupThreads = 2;
constexpr int kLookupQueue = 256;

// Each takes a thread of the HTTP endpoint.
constexpr int kMaxWatchers = 16;

// For gRPC's own needs: connections, headers, answers on their way.
constexpr int64_t kTransportBytes = 64 << 20;

int CheckThreads(const Limits& limits) {
  if (limits.max_concurrent > 0) return limits.max_concurrent;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What the health service says of each backend module: serving from registration on, not serving while its last load
// has failed.
class ModuleHealth {
 public:
  void Connect(grpc::HealthCheckServiceInterface* health, const std::vector<std::string>& modules) {
    const std::lock_guard lock(mutex_);
    health_ = health;
    for (const std::string& module : modules) {
      serving_[module] = true;
      health_->SetServingStatus(module, true);
    }
  }

  void Set(const std::string& module, bool serving) {
    const std::lock_guard lock(mutex_);
    auto it = serving_.find(module);
    if (it == serving_.end() || it->second == serving) return;
    it->second = serving;
    health_->SetServingStatus(module, serving);
  }

 private:
  std::mutex mutex_;
  grpc::HealthCheckServiceInterface* health_ = nullptr;  // guarded by mutex_
  std::map<std::string, bool> serving_;                  // guarded by mutex_
};

// gRPC keeps both switches in the process, for every server built later.
void EnablePlugins() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

}  // namespace

struct Server::Impl {
  Impl(const Options& options, Dependencies deps)
      : log(deps.log),
        limits(options.limits),
        budget(limits.max_buffered_bytes),
        checks(CheckThreads(options.limits), options.limits.max_queue),
        lookups(kLookupThreads, kLookupQueue),
        catalog_lookups(kLookupThreads, kLookupQueue),
        metrics({[this] { return checks.queued(); },
                 [&modules = deps.modules] {
                   std::vector<std::pair<std::string, bool>> states;
                   for (std::string& name : modules.names()) {
                     const bool loaded = modules.IsLoaded(name);
                     states.emplace_back(std::move(name), loaded);
                   }
                   return states;
                 }}),
        validator({std::move(deps.check), deps.modules, deps.store, metrics,
                   [this](const std::string& module, bool loaded) { health.Set(module, loaded); }, &events},
                  options.limits),
        validation({checks, metrics, log, limits, budget}, validator),
        simulation({checks, metrics, log, limits, budget}, deps.modules),
        catalog({catalog_lookups, metrics, log, limits, budget}, deps.modules, std::move(deps.rules)),
        reports({lookups, metrics, log, limits, budget}, deps.modules, deps.store) {}

  // In the order of dependence: the gRPC server goes first, the pools that answer its calls after it.
  Log& log;
  const Limits limits;
  ByteBudget budget;
  WorkerPool checks;
  WorkerPool lookups;
  WorkerPool catalog_lookups;
  Metrics metrics;
  ModuleHealth health;
  Events events{kMaxWatchers};
  Validator validator;
  ValidationService validation;
  SimulationService simulation;
  CatalogService catalog;
  ReportService reports;
  std::string address;
  std::string http_address;
  std::atomic<bool> draining{false};
  // What the HTTP endpoint asks: the same services on a server of its own, without a port. It ends after the endpoint,
  // because a server that shuts down breaks its channels inside of the process, with the calls on them.
  std::unique_ptr<grpc::Server> internal;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<grpc::Server> grpc;

  void Register(grpc::ServerBuilder& builder, const grpc::ResourceQuota& quota) {
    builder.RegisterService(&validation);
    builder.RegisterService(&simulation);
    builder.RegisterService(&catalog);
    builder.RegisterService(&reports);
    // gRPC's own limit has a message of its own and applies after the bytes have arrived; the services name theirs. The
    // quota is what bounds bytes that have not reached a service yet: beyond it gRPC ends streams (ENHANCE_YOUR_CALM).
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetResourceQuota(quota);
  }
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Options& options, Dependencies dependencies) {
  absl::StatusOr<Address> listen = ParseAddress(options.listen);
  if (!listen.ok()) return absl::InvalidArgumentError(absl::StrCat("--listen: ", listen.status().message()));
  Address http;
  if (!options.http.empty()) {
    absl::StatusOr<Address> parsed = ParseAddress(options.http);
    if (!parsed.ok()) return absl::InvalidArgumentError(absl::StrCat("--http: ", parsed.status().message()));
    http = *std::move(parsed);
  }
  absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials =
      MakeCredentials(options, *listen, options.http.empty() ? nullptr : &http);
  if (!credentials.ok()) return credentials.status();

  const std::vector<std::string> modules = dependencies.modules.names();
  DecodeFunction decode = std::move(dependencies.decode);
  std::vector<std::string> import_command = std::move(dependencies.import_command);
  auto impl = std::make_unique<Impl>(options, std::move(dependencies));
  EnablePlugins();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(FormatAddress(*listen), *credentials, &port);
  grpc::ResourceQuota quota("quantgate");
  quota.Resize(static_cast<size_t>(2 * options.limits.max_buffered_bytes + kTransportBytes));
  impl->Register(builder, quota);
  // Two servers on one port would share its calls by chance.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // A peer that has vanished is noticed, also while a check is long and says nothing.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  impl->grpc = builder.BuildAndStart();
  if (impl->grpc == nullptr || port == 0) {
    return CannotListen(*listen);
  }
  listen->port = port;
  impl->address = FormatAddress(*listen);
  impl->health.Connect(impl->grpc->GetHealthCheckService(), modules);

  if (!options.http.empty()) {
    Impl* raw = impl.get();
    HttpServer::Handlers handlers;
    handlers.metrics = [raw] { return raw->metrics.Render(); };
    handlers.healthy = [raw] { return !raw->draining.load(); };
    handlers.answered = [raw](int http_status) { raw->metrics.HttpAnswered(http_status); };
    // The services only know of those that could be read.
    handlers.uploaded = [raw](const absl::Status& status, absl::Duration time) {
      raw->log.Event(Log::Level::kInfo, "upload",
                     {{"status", absl::StatusCodeToString(status.code())},
                      {"message", std::string(status.message())},
                      {"run_ms", absl::ToDoubleMilliseconds(time)}});
      raw->metrics.Uploaded(status.code());
    };
    if (options.tls_client_ca.empty()) {
      grpc::ServerBuilder internal;
      impl->Register(internal, quota);
      impl->internal = internal.BuildAndStart();
      if (impl->internal == nullptr) return absl::InternalError("http: the services cannot be started");
      grpc::ChannelArguments arguments;
      arguments.SetMaxReceiveMessageSize(-1);
      handlers.api = impl->internal->InProcessChannel(arguments);
    } else {
      handlers.closed = "this server asks clients for certificates, which its HTTP endpoint cannot: ask over gRPC";
    }
    handlers.events = &impl->events;
    handlers.decode = std::move(decode);
    handlers.import_command = std::move(import_command);
    handlers.names = options.http_names;
    handlers.names.push_back(http.host);
    handlers.max_upload_bytes = options.max_upload_bytes;
    handlers.max_graph_bytes = options.limits.max_stream_bytes;
    absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(http, std::move(handlers));
    if (!server.ok()) return server.status();
    impl->http = *std::move(server);
    http.port = impl->http->port();
    impl->http_address = FormatAddress(http);
  }
  impl->log.Event(Log::Level::kInfo, "listening",
                  {{"address", impl->address},
                   {"http", impl->http_address},
                   {"tls", std::string(options.tls_cert.empty() ? "no" : "yes")}});
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  if (!impl_->draining) Drain(absl::Seconds(1));
}

const std::string& Server::address() const { return impl_->address; }

const std::string& Server::http_address() const { return impl_->http_address; }

void Server::Drain(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  impl_->draining = true;
  impl_->log.Event(Log::Level::kInfo, "draining", {{"timeout_s", absl::ToDoubleSeconds(timeout)}});
  impl_->events.Close();
  impl_->grpc->GetHealthCheckService()->Shutdown();
  impl_->grpc->Shutdown(absl::ToChronoTime(deadline));
  impl_->grpc->Wait();
  if (impl_->http != nullptr) impl_->http->Stop(deadline);
  if (impl_->internal != nullptr) {
    impl_->internal->Shutdown();
    impl_->internal->Wait();
  }
  impl_->log.Event(Log::Level::kInfo, "stopped", {});
}

}  // namespace quantgate::server
