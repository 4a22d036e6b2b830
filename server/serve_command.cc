#include "server/serve_command.h"

#include <pthread.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "db/number_flag.h"
#include "db/reports/age.h"
#include "db/reports/report_store.h"
#include "grpc/grpc.h"
#include "server/config_file.h"
#include "server/log.h"
#include "server/memory.h"
#include "server/options.h"
#include "server/retention.h"
#include "server/server.h"

namespace quantgate {
namespace {

// What cancelled calls get to end.
constexpr absl::Duration kCancelTime = absl::Seconds(5);

struct ServeFlags {
  server::Options server;
  std::string config;
  std::string store;   // empty: the user's own (DefaultStore)
  std::string tables;  // empty: the database built with this binary
  std::string log_format = "text";
  double drain_timeout = 30;
  std::string retain;
  int64_t max_reports = 0;
};

// $XDG_STATE_HOME/quantgate/reports.db, made when missing.
absl::StatusOr<std::string> DefaultStore() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return absl::InvalidArgumentError("there is no home folder to keep reports in: give --store");
  }
  folder /= "quantgate";
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make ", folder.string(), " (", code.message(), "): give --store"));
  }
  return absl::StrCat("sqlite:", (folder / "reports.db").string());
}

absl::StatusOr<std::unique_ptr<db::ReportStore>> OpenStore(const std::string& flag) {
  if (!flag.empty()) return db::OpenReportStore(flag);
  absl::StatusOr<std::string> address = DefaultStore();
  if (!address.ok()) return address.status();
  return db::OpenReportStore(*address);
}

// The signals that end the server, blocked in this and every later thread and waited for in this one.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signal(SIGPIPE, SIG_IGN);  // a client that goes away is not a reason to end
  }
  void Wait() {
    int number;
    while (sigwait(&set_, &number) != 0) {
    }
    // A second signal does not wait for the drain.
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }

 private:
  sigset_t set_;
};

// A check that does not ask whether it was cancelled, or a database that does not answer, must not keep the process.
// What was acknowledged is on the disk.
void EndInAnyCaseAfter(absl::Duration time) {
  std::thread([time] {
    absl::SleepFor(time);
    std::fputs("error[DEADLINE_EXCEEDED]: calls did not end, not even when they were cancelled\n", stderr);
    std::_Exit(3);
  }).detach();
}

absl::StatusOr<server::RetentionPolicy> PolicyOf(const ServeFlags& flags) {
  server::RetentionPolicy policy;
  policy.max_reports = flags.max_reports;
  // A number is soon exceeded, an age is not.
  if (policy.max_reports > 0) policy.pause = absl::Minutes(1);
  if (flags.retain.empty()) return policy;
  absl::StatusOr<absl::Duration> age = db::ParseAge(flags.retain);
  if (!age.ok()) return absl::InvalidArgumentError(absl::StrCat("--retain: ", age.status().message()));
  policy.max_age = *age;
  return policy;
}

void PrintAddresses(const server::Server& server, const ServeFlags& flags) {
  std::printf("listening on %s\n", server.address().c_str());
  if (!server.http_address().empty()) {
    std::printf("metrics on http://%s/metrics\n", server.http_address().c_str());
    if (flags.server.tls_client_ca.empty()) std::printf("dashboard on http://%s/\n", server.http_address().c_str());
  }
  std::fflush(stdout);
}

absl::Status Serve(CLI::App& command, ServeFlags& flags, const ServeParts& parts) {
  if (!flags.config.empty()) {
    absl::Status status = server::ApplyConfigFile(flags.config, command);
    if (!status.ok()) return status;
  }
  absl::StatusOr<server::RetentionPolicy> policy = PolicyOf(flags);
  if (!policy.ok()) return policy.status();
  const bool retains = policy->max_reports > 0 || policy->max_age != absl::InfiniteDuration();
  if (retains && flags.store == "none") {
    return absl::InvalidArgumentError("--retain and --max-reports delete stored reports, and --store none keeps none");
  }
  if (!flags.server.http_names.empty() && flags.server.http.empty()) {
    return absl::InvalidArgumentError("--http-name names the endpoint of --http, which is not given");
  }
  // What gRPC would log of an address in use, CannotListen says; $GRPC_VERBOSITY brings its log back.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  server::KeepFreedMemory();
  // Before any other thread is there: a thread that does not block them, as gRPC's would not, ends the process.
  StopSignals signals;
  // Never given back: when the last use of the library ends, it waits up to ten seconds for a poller of its own, which
  // has nothing left to poll.
  grpc_init();
  absl::StatusOr<std::unique_ptr<db::TableSource>> tables = parts.open_tables(flags.tables);
  if (!tables.ok()) return tables.status();
  absl::StatusOr<std::unique_ptr<db::ReportStore>> store = OpenStore(flags.store);
  if (!store.ok()) return store.status();
  if (retains && *store != nullptr && (*store)->read_only()) {
    return absl::InvalidArgumentError("--retain and --max-reports delete stored reports, and --store may only be read");
  }
  ModuleRegistry modules(**tables);
  parts.register_modules(modules);
  server::Log log(flags.log_format == "json" ? server::Log::Format::kJson : server::Log::Format::kText);
  absl::StatusOr<std::unique_ptr<server::Server>> server = server::Server::Start(
      flags.server, {parts.check, parts.rules, modules, store->get(), log, parts.decode, parts.import_command});
  if (!server.ok()) return server.status();
  // For people and scripts that start it; the log says the same in JSON.
  if (flags.log_format == "text") PrintAddresses(**server, flags);
  std::optional<server::Retention> retention;
  if (*store != nullptr && retains) {
    retention.emplace(**store, log, *policy);
  }
  signals.Wait();
  EndInAnyCaseAfter(absl::Seconds(flags.drain_timeout) + kCancelTime);
  (*server)->Drain(absl::Seconds(flags.drain_timeout));
  return absl::OkStatus();
}

}  // namespace

void AddServeCommand(CLI::App& app, std::function<absl::Status()>* run, ServeParts parts) {
  auto flags = std::make_shared<ServeFlags>();
  server::Options& server = flags->server;
  server::Limits& limits = server.limits;
  CLI::App* command = app.add_subcommand("serve", "Serve checks and reports over gRPC and HTTP");
  command->add_option("--config", flags->config, "YAML file that sets any of these flags; a given flag wins")
      ->type_name("PATH");
  command->add_option("--listen", server.listen, "Where to serve gRPC; port 0 takes a free one")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command
      ->add_option(
          "--http", server.http,
          "Where to serve the dashboard, the API as JSON under /v1, /metrics and\n/healthz; by default nowhere")
      ->type_name("HOST:PORT");
  command
      ->add_option("--http-name", server.http_names,
                   "A name that browsers know the HTTP endpoint by, beside its address")
      ->type_name("NAME")
      ->check(CLI::Validator(
          [](const std::string& name) {
            if (name.find(':') != std::string::npos) {
              return absl::StrCat("'", name, "' must be a host name alone: it holds for any port");
            }
            const bool is_one = !name.empty() && name.find_first_of(", \t/") == std::string::npos;
            return is_one ? std::string() : absl::StrCat("'", name, "' is no host name; give the flag once for each");
          },
          ""))
      ->allow_extra_args(false);
  command
      ->add_option("--store", flags->store,
                   "Where reports are kept: sqlite:PATH[?mode=ro][&max_bytes=N],\n"
                   "postgresql://... or none; by default reports.db in the user's state folder")
      ->type_name("STORE");
  command->add_option("--retain", flags->retain, "Delete reports of this age: 12h, 90d, 8w; by default never")
      ->type_name("AGE");
  command->add_option("--tables", flags->tables, "Constraint database; by default the one that came with this program")
      ->type_name("PATH");
  command->add_flag("--insecure", server.insecure,
                    "Allow an address that other machines reach, without TLS; with --tls-cert, that of --http");
  command->add_option("--tls-cert", server.tls_cert, "The server's certificate chain")->type_name("PEM");
  command->add_option("--tls-key", server.tls_key, "Its private key")->type_name("PEM");
  command
      ->add_option("--tls-client-ca", server.tls_client_ca, "Clients must show a certificate signed by this authority")
      ->type_name("PEM");
  command->add_option("--log-format", flags->log_format, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));

  // The range is checked but not shown: the bounds are there to keep arithmetic sane, not to be chosen from.
  const auto number = [command](const char* name, auto& value, const char* type, const char* description,
                                std::decay_t<decltype(value)> low, std::decay_t<decltype(value)> high) {
    CLI::Validator range = NumberRange(low, high);
    command->add_option(name, value, description)->type_name(type)->capture_default_str()->check(range.description(""));
  };
  // Protobuf's own ceiling is 2 GiB per message; the same bound keeps sums of limits within 64 bits.
  constexpr int kMost = 2147483647;
  number("--drain-timeout", flags->drain_timeout, "SECONDS",
         "What calls in flight get after SIGTERM, over gRPC and HTTP", 0.0, 86400.0);
  number("--max-concurrent", limits.max_concurrent, "N", "Checks at a time; 0: one per core", 0, 1024);
  number("--max-reports", flags->max_reports, "N",
         "Reports to keep, the newest, looked at when the server\nstarts and every minute; 0: all", 0,
         1'000'000'000'000);
  number("--max-queue", limits.max_queue, "N", "Checks that may wait", 0, 1000000);
  number("--max-nodes", limits.max_nodes, "N", "Nodes of a graph", 1, kMost);
  number("--max-values", limits.max_values, "N", "Values of a graph", 1, kMost);
  number("--max-targets", limits.max_targets, "N", "Targets of a request", 1, kMost);
  number("--max-request-bytes", limits.max_request_bytes, "BYTES", "A unary request", 1, kMost);
  number("--max-stream-bytes", limits.max_stream_bytes, "BYTES", "A streamed graph, with inputs", 1, kMost);
  number("--max-stream-idle", limits.max_stream_idle, "SECONDS", "Between two messages of a streamed request", 0.001,
         86400.0);
  number("--max-upload-bytes", server.max_upload_bytes, "BYTES", "A model file sent over HTTP", 1, int64_t{64} << 30);
  number("--max-simulation-bytes", limits.max_simulation_bytes, "BYTES", "Tensors of one simulation at a time", 1,
         kMost);
  constexpr int64_t kPetabyte = 1'000'000'000'000'000;
  number("--max-parsed-bytes", limits.max_parsed_bytes, "BYTES", "Memory of one parsed request", 1, kPetabyte);
  number("--max-buffered-bytes", limits.max_buffered_bytes, "BYTES", "All requests at work together", 1, kPetabyte);
  command->footer(
      "Examples:\n"
      "  quantgate serve                                             on loopback, reports in the user's state folder\n"
      "  quantgate serve --http 127.0.0.1:9464 --store sqlite:reports.db\n"
      "  quantgate serve --listen 0.0.0.0:50051 --tls-cert server.pem --tls-key server.key\n"
      "  quantgate serve --config quantgate.yaml");

  command->callback([command, flags, parts = std::move(parts), run] {
    *run = [command, flags, parts] { return Serve(*command, *flags, parts); };
  });
}

}  // namespace quantgate
