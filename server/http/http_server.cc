#include "server/http/http_server.h"

#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "quantgate/v1/report_service.pb.h"
#include "server/dashboard_files.h"
#include "server/http/guard.h"
#include "server/http/listener.h"
#include "server/http/model_upload.h"
#include "server/http/sharing_json.h"
#include "server/http/status_json.h"
#include "server/http/transcode.h"
#include "server/rpc/byte_budget.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

// Requests at work, with those who watch events. The other threads answer probes and refuse, however many bodies are
// sent slowly.
constexpr int kMaxRequests = 64;
constexpr int kThreads = kMaxRequests + 16;
constexpr int64_t kMaxJsonBytes = 16 << 20;
constexpr int64_t kMaxLogBytes = 2 << 20;
// Bodies of JSON in memory, all together; what they are parsed into takes a few times as much.
constexpr int64_t kMaxJsonBytesTogether = 64 << 20;
constexpr absl::Duration kLookupTime = absl::Seconds(60);
constexpr absl::Duration kPing = absl::Seconds(5);
constexpr char kModelsCheck[] = "/v1/models:check";
constexpr char kLogsDecode[] = "/v1/logs:decode";
constexpr char kEvents[] = "/v1/events";
constexpr char kGroups[] = "/groups";
constexpr char kServer[] = "/v1/server";

// The addresses that the page's own router knows (server/dashboard/src/main.tsx): all of them are one page.
bool IsView(absl::string_view path) {
  absl::ConsumePrefix(&path, "/");
  if (!path.empty()) absl::ConsumeSuffix(&path, "/");
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  if (parts.size() == 1) {
    return absl::c_linear_search(
        std::array<absl::string_view, 6>{"", "reports", "trends", "compare", "check", "decode"}, parts[0]);
  }
  return parts[0] == "reports" && !parts[1].empty() &&
         (parts.size() == 2 || (parts.size() == 3 && parts[2] == "graph"));
}

absl::Status TooLarge(const char* name, int64_t limit) { return LimitExceeded(name, limit, "the body is larger"); }

}  // namespace

struct HttpServer::Impl {
  Impl(Handlers given, Address bound)
      : handlers(std::move(given)),
        address(std::move(bound)),
        transcoder(handlers.api),
        upload({handlers.import_command,
                handlers.max_upload_bytes,
                /*max_uploads=*/8,
                /*max_concurrent=*/2,
                {.output_bytes = handlers.max_graph_bytes}},
               handlers.api, handlers.events),
        listener(kThreads, kMaxRequests, {}, [this](httplib::Request& request) { return Prepare(request); }) {}

  // Adjusts headers to what is offered here.
  HttpListener::Terms Prepare(httplib::Request& request) const;
  bool Refuse(const httplib::Request& request, httplib::Response& response);
  void Get(const httplib::Request& request, httplib::Response& response);
  void Post(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& body);
  void WatchEvents(httplib::Response& response);
  void SendPage(const httplib::Request& request, httplib::Response& response) const;
  void Groups(const httplib::Request& request, const std::string& name, httplib::Response& response) const;
  void Decode(const std::string& body, httplib::Response& response) const;
  void Api(const httplib::Request& request, const std::string& body, httplib::Response& response) const;

  // Probes and scrapers come by whatever name a service has, and a page of another site learns nothing from them.
  static bool IsProbe(const httplib::Request& request) {
    return (request.path == "/metrics" || request.path == "/healthz") &&
           (request.method == "GET" || request.method == "HEAD");
  }
  bool IsUpload(const httplib::Request& request) const {
    return request.method == "POST" && request.path == kModelsCheck;
  }
  int64_t MaxBody(const httplib::Request& request) const {
    return IsUpload(request) ? handlers.max_upload_bytes : kMaxJsonBytes;
  }
  // Whether the client of the calling handler need not be answered any more.
  std::function<bool()> Gone() const {
    return [this, &connection = HttpListener::Current()] { return connection.PeerGone() || stopping; };
  }

  const Handlers handlers;
  const Address address;
  const Transcoder transcoder;
  ModelUpload upload;
  ByteBudget bodies{kMaxJsonBytesTogether};
  HttpListener listener;
  std::thread thread;
  std::atomic<bool> stopping{false};
  int port = 0;
};

HttpListener::Terms HttpServer::Impl::Prepare(httplib::Request& request) const {
  // Brotli at its best takes seconds; a stream of events would be held back until there is enough to compress.
  const bool gzip = absl::StrContains(request.get_header_value("Accept-Encoding"), "gzip") && request.path != kEvents;
  request.headers.erase("Accept-Encoding");
  if (gzip) request.headers.emplace("Accept-Encoding", "gzip");
  // RFC 9112, 6.3: then there is no body. The library would wait for one until the connection ends.
  if (request.method == "POST" && !request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
    request.headers.emplace("Content-Length", "0");
  }
  request.headers.erase("Range");
  request.ranges.clear();
  // What chunks add on the wire.
  return {MaxBody(request) + MaxBody(request) / 16 + (64 << 10), IsProbe(request)};
}

bool HttpServer::Impl::Refuse(const httplib::Request& request, httplib::Response& response) {
  const auto refuse = [&](int http_status, const absl::Status& status) {
    SetStatus(http_status, status, response);
    HttpListener::Current().CloseAfterAnswer();
    if (IsUpload(request) && handlers.uploaded) handlers.uploaded(status, absl::ZeroDuration());
    return true;
  };
  // Before it is asked for what only requests with a body have.
  const absl::Status method = FindApiMethod(request.method, request.path).status();
  if (absl::IsUnimplemented(method)) {
    response.set_header("Allow", std::string(method.message()));
    return refuse(405, absl::UnimplementedError(absl::StrCat(request.method, ": this resource has no such method")));
  }
  if (request.method != "GET" && request.method != "HEAD" && request.method != "DELETE" && request.method != "POST") {
    response.set_header("Allow", "GET, HEAD, POST, DELETE");
    return refuse(405, absl::UnimplementedError("only GET, HEAD, POST and DELETE are answered"));
  }
  if (!IsProbe(request)) {
    if (absl::Status admitted = Admit(request, handlers.names); !admitted.ok()) return refuse(403, admitted);
    if (handlers.api == nullptr) return refuse(403, absl::PermissionDeniedError(handlers.closed));
    // Its place was taken before: who drains either sees it, or it sees that.
    if (!handlers.healthy()) return refuse(503, Overloaded("the server is shutting down"));
    if (!HttpListener::HasPlace()) {
      return refuse(503, Overloaded(absl::StrCat("max_http_requests=", kMaxRequests, ": others are at work")));
    }
  }
  const bool has_body = request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
  int64_t length = 0;
  if (has_body && request.has_header("Content-Length") &&
      (!absl::SimpleAtoi(request.get_header_value("Content-Length"), &length) || length < 0 ||
       request.get_header_value_count("Content-Length") > 1 || request.has_header("Transfer-Encoding"))) {
    return refuse(400, absl::InvalidArgumentError("Content-Length: is no length of this body"));
  }
  if (request.has_header("Transfer-Encoding") && request.get_header_value("Transfer-Encoding") != "chunked") {
    return refuse(501, absl::UnimplementedError("Transfer-Encoding: only chunked is understood"));
  }
  if (request.method == "POST") {
    const char* limit = IsUpload(request) ? "max_upload_bytes" : "max_http_body_bytes";
    if (length > MaxBody(request)) return refuse(413, TooLarge(limit, MaxBody(request)));
    if (request.has_header("Content-Encoding")) {
      return refuse(415, absl::InvalidArgumentError("Content-Encoding: send the body as it is"));
    }
    if (request.is_multipart_form_data()) {
      return refuse(415, absl::InvalidArgumentError("Content-Type: send one body, not a form"));
    }
    return false;
  }
  if (length > 0 || request.has_header("Transfer-Encoding")) {
    return refuse(400, absl::InvalidArgumentError("a request of this method has no body"));
  }
  return false;
}

void HttpServer::Impl::Groups(const httplib::Request& request, const std::string& name,
                              httplib::Response& response) const {
  v1::GetGraphRequest asked;
  asked.set_name(name);
  std::string bytes;
  const grpc::Status status = transcoder.Call("/quantgate.v1.ReportService/GetGraph", asked.SerializeAsString(),
                                              kLookupTime, request.get_header_value("Authorization"), Gone(), bytes);
  v1::GetGraphResponse answer;
  if (!status.ok()) {
    SetStatus(status, response);
  } else if (!answer.ParseFromString(bytes)) {
    SetStatus(absl::InternalError("no GetGraphResponse"), response);
  } else {
    SetJson(SharingGroupsJson(answer.graph()), response);
  }
}

void HttpServer::Impl::Api(const httplib::Request& request, const std::string& body,
                           httplib::Response& response) const {
  const absl::StatusOr<ApiMethod> method = FindApiMethod(request.method, request.path);
  if (method.ok()) {
    transcoder.Answer(*method, request, body, Gone(), response);
  } else {
    SetStatus(method.status(), response);
  }
}

void HttpServer::Impl::WatchEvents(httplib::Response& response) {
  std::shared_ptr<Events::Subscription> subscription =
      handlers.events == nullptr ? nullptr : handlers.events->Subscribe();
  if (subscription == nullptr) {
    SetStatus(Overloaded("max_event_streams: too many watch"), response);
    return;
  }
  response.set_header("Cache-Control", "no-store");
  response.set_chunked_content_provider("text/event-stream", [subscription, events = handlers.events, first = true](
                                                                 size_t, httplib::DataSink& sink) mutable {
    std::string text = ": \n\n";  // a line that says nothing finds out whether anybody still listens
    if (!first) {
      const std::optional<Event> event = subscription->Next(kPing);
      if (events->closed()) return false;
      if (event.has_value()) text = absl::StrCat("event: ", event->name, "\ndata: ", event->data, "\n\n");
    }
    first = false;
    return sink.is_writable() && sink.write(text.data(), text.size());
  });
}

void HttpServer::Impl::SendPage(const httplib::Request& request, httplib::Response& response) const {
  const std::string path = IsView(request.path) ? "/index.html" : request.path;
  for (const DashboardFile& file : DashboardFiles()) {
    if (file.path != path) continue;
    response.set_header("ETag", std::string(file.etag));
    response.set_header("Cache-Control", "no-cache");
    if (request.get_header_value("If-None-Match") == file.etag) {
      response.status = 304;
      return;
    }
    response.status = 200;
    response.set_content(file.bytes.data(), file.bytes.size(), std::string(file.content_type));
    return;
  }
  SetStatus(absl::NotFoundError("no such page"), response);
}

void HttpServer::Impl::Get(const httplib::Request& request, httplib::Response& response) {
  if (request.method == "DELETE") {
    Api(request, "", response);
    return;
  }
  if (request.path == "/metrics") {
    response.set_content(handlers.metrics(), "text/plain; version=0.0.4");
  } else if (request.path == "/healthz") {
    const bool ok = handlers.healthy();
    response.status = ok ? 200 : 503;
    response.set_content(ok ? "ok\n" : "draining\n", "text/plain");
  } else if (request.path == kEvents) {
    WatchEvents(response);
  } else if (request.path == kServer) {
    const nlohmann::ordered_json json = {
        {"maxUploadBytes", handlers.import_command.empty() ? 0 : handlers.max_upload_bytes},
        {"maxLogBytes", handlers.decode == nullptr ? 0 : kMaxLogBytes}};
    response.set_content(json.dump(), "application/json");
  } else if (absl::StartsWith(request.path, "/v1/reports/") && absl::EndsWith(request.path, kGroups)) {
    Groups(request, request.path.substr(4, request.path.size() - 4 - sizeof kGroups + 1), response);
  } else if (absl::StartsWith(request.path, "/v1/")) {
    Api(request, "", response);
  } else {
    SendPage(request, response);
  }
}

void HttpServer::Impl::Decode(const std::string& body, httplib::Response& response) const {
  if (handlers.decode == nullptr) {
    SetStatus(absl::UnimplementedError("this server explains no logs"), response);
    return;
  }
  // The nesting of what is no more than an object with a text needs no depth.
  bool deep = false;
  const auto shallow = [&deep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    deep = deep || depth > 4;
    return !deep;
  };
  const nlohmann::json json = nlohmann::json::parse(body, shallow, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 1 || !json.contains("text") || !json["text"].is_string()) {
    SetStatus(absl::InvalidArgumentError("text: the body must be {\"text\": \"…\"}"), response);
    return;
  }
  const auto& text = json["text"].get_ref<const std::string&>();
  if (static_cast<int64_t>(text.size()) > kMaxLogBytes) {
    SetStatus(LimitExceeded("max_log_bytes", kMaxLogBytes, absl::StrCat("the log has ", text.size(), " bytes")),
              response);
    return;
  }
  SetJson(handlers.decode(text), response);
}

void HttpServer::Impl::Post(const httplib::Request& request, httplib::Response& response,
                            const httplib::ContentReader& body) {
  if (IsUpload(request)) {
    const absl::Time start = absl::Now();
    v1::ValidateResponse answer;
    const grpc::Status status = upload.Check(request, body, Gone(), *answer.mutable_report());
    if (handlers.uploaded) handlers.uploaded(WithoutDetails(status), absl::Now() - start);
    if (!status.ok()) {
      // What follows may be the rest of the file.
      HttpListener::Current().CloseAfterAnswer();
      SetStatus(status, response);
      return;
    }
    SetJson(transcoder.ToJson("quantgate.v1.ValidateResponse", answer.SerializeAsString()), response);
    return;
  }
  ByteBudget::Share share(bodies);
  std::string text;
  absl::Status status;
  const bool whole = body([&](const char* data, size_t size) {
    if (static_cast<int64_t>(text.size() + size) > kMaxJsonBytes)
      status = TooLarge("max_http_body_bytes", kMaxJsonBytes);
    if (status.ok() && !share.Grow(static_cast<int64_t>(size))) {
      status = Overloaded("max_http_bytes: the requests at work take all memory");
    }
    if (status.ok()) text.append(data, size);
    return status.ok();
  });
  if (!whole) {
    HttpListener::Current().CloseAfterAnswer();
    if (status.ok()) status = absl::InvalidArgumentError("the body ended early, or was too slow");
    SetStatus(status, response);
  } else if (request.path == kLogsDecode) {
    Decode(text, response);
  } else {
    Api(request, text, response);
  }
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const Address& address, Handlers handlers) {
  auto impl = std::make_unique<Impl>(std::move(handlers), address);
  Impl* raw = impl.get();
  httplib::Server& server = impl->listener;
  // The default shares the port with whoever else asks for it.
  server.set_socket_options([](socket_t sock) {
    const int yes = 1;
    setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_tcp_nodelay(true);
  httplib::Headers headers = SecurityHeaders();
  headers.emplace("Accept-Ranges", "none");  // the library promises them by itself
  server.set_default_headers(std::move(headers));
  server.set_logger([raw](const httplib::Request&, const httplib::Response& response) {
    if (raw->handlers.answered) raw->handlers.answered(response.status);
  });
  server.set_pre_routing_handler([raw](const httplib::Request& request, httplib::Response& response) {
    return raw->Refuse(request, response) ? httplib::Server::HandlerResponse::Handled
                                          : httplib::Server::HandlerResponse::Unhandled;
  });
  // Before a client sends a body that it asks about first.
  server.set_expect_100_continue_handler([raw](const httplib::Request& request, httplib::Response& response) {
    return raw->Refuse(request, response) ? response.status : 100;
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
    HttpListener::Current().CloseAfterAnswer();
    SetStatus(absl::InternalError("unexpected fault"), response);
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    HttpListener::Current().CloseAfterAnswer();
    const int status = response.status;
    SetStatus(status, absl::InvalidArgumentError("the request cannot be understood"), response);
  });
  const auto get = [raw](const httplib::Request& request, httplib::Response& response) { raw->Get(request, response); };
  server.Get(".*", get);
  server.Delete(".*", get);
  server.Post(".*", [raw](const httplib::Request& request, httplib::Response& response,
                          const httplib::ContentReader& body) { raw->Post(request, response, body); });
  impl->port = impl->listener.Bind(address.host, address.port);
  if (impl->port <= 0) {
    const absl::Status why = CannotListen(address);
    return absl::Status(why.code(), absl::StrCat("http: ", why.message()));
  }
  impl->thread = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // stop() before that would be forgotten
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

void HttpServer::Stop(absl::Time deadline) {
  if (!impl_->thread.joinable()) return;
  impl_->listener.WaitUntilIdle(std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(deadline - absl::Now()));
  impl_->stopping = true;
  impl_->listener.End();
  impl_->thread.join();
}

HttpServer::~HttpServer() { Stop(absl::InfinitePast()); }

int HttpServer::port() const { return impl_->port; }

}  // namespace quantgate::server
