// The remote client against a server of this process that answers as told.
#include "client/remote/remote.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "quantgate/v1/report_service.grpc.pb.h"
#include "quantgate/v1/validation_service.grpc.pb.h"

namespace quantgate {
namespace {

using testing::HasSubstr;

class FakeService final : public v1::ValidationService::Service {
 public:
  grpc::Status Validate(grpc::ServerContext* context, const v1::ValidateRequest* request,
                        v1::ValidateResponse* response) override {
    ++unary_calls;
    if (unavailable > 0) {
      --unavailable;
      return {grpc::StatusCode::UNAVAILABLE, unavailable_reason};
    }
    while (hang && !context->IsCancelled()) absl_sleep();
    if (!too_large.empty()) return {grpc::StatusCode::RESOURCE_EXHAUSTED, too_large};
    if (request->options().toolchain() == "bad") return {grpc::StatusCode::INVALID_ARGUMENT, "options.toolchain: bad"};
    response->mutable_report()->set_name(request->graph().name());
    *response->mutable_report()->mutable_model() = request->options().model();
    return grpc::Status::OK;
  }

  grpc::Status ValidateStream(grpc::ServerContext*, grpc::ServerReader<v1::ValidateStreamRequest>* reader,
                              v1::ValidateStreamResponse* response) override {
    ++stream_calls;
    v1::ValidateStreamRequest part;
    std::string bytes;
    for (int i = 0; reader->Read(&part); ++i) {
      if (part.has_options() != (i == 0)) return {grpc::StatusCode::INVALID_ARGUMENT, "options come first"};
      if (part.graph_chunk().size() > (1u << 20)) return {grpc::StatusCode::INVALID_ARGUMENT, "chunk too large"};
      bytes += part.graph_chunk();
    }
    v1::Graph graph;
    if (!graph.ParseFromString(bytes)) return {grpc::StatusCode::INVALID_ARGUMENT, "not a graph"};
    response->mutable_report()->set_name(graph.name());
    response->mutable_report()->mutable_results()->Add()->mutable_coverage()->set_nodes(graph.nodes_size());
    return grpc::Status::OK;
  }

  static void absl_sleep() { absl::SleepFor(absl::Milliseconds(5)); }

  std::atomic<int> unary_calls{0};
  std::atomic<int> stream_calls{0};
  std::atomic<int> unavailable{0};
  std::string unavailable_reason = "queue is full";
  std::atomic<bool> hang{false};
  std::string too_large;  // what a unary call is answered with; empty: the report
};

class RemoteTest : public testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    options_.address = absl::StrCat("127.0.0.1:", port_);
  }
  absl::StatusOr<v1::Report> Ask(const v1::Graph& graph, const v1::ValidateOptions& options = {}) {
    auto remote = Remote::Create(options_);
    if (!remote.ok()) return remote.status();
    return remote->Validate(graph, options);
  }
  static v1::Graph SmallGraph() {
    v1::Graph graph;
    graph.set_name("small");
    return graph;
  }

  FakeService service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  RemoteOptions options_;
};

TEST_F(RemoteTest, SmallGraphsAreOneCall) {
  const auto report = Ask(SmallGraph());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->name(), "small");
  EXPECT_EQ(service_.unary_calls, 1);
  EXPECT_EQ(service_.stream_calls, 0);
}

TEST_F(RemoteTest, GraphsBeyondTheLimitAreStreamedWhole) {
  v1::Graph graph = SmallGraph();
  for (int i = 0; i < 300000; ++i) graph.add_nodes()->set_name(absl::StrCat("a node with a long name ", i));
  ASSERT_GT(graph.ByteSizeLong(), 8u << 20);
  const auto report = Ask(graph);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->results(0).coverage().nodes(), 300000);
  EXPECT_EQ(service_.stream_calls, 1);
  EXPECT_EQ(service_.unary_calls, 0);
}

TEST_F(RemoteTest, TheLimitItselfIsStillUnary) {
  options_.unary_limit = static_cast<int64_t>(SmallGraph().ByteSizeLong());
  ASSERT_TRUE(Ask(SmallGraph()).ok());
  EXPECT_EQ(service_.unary_calls, 1);
  --options_.unary_limit;
  ASSERT_TRUE(Ask(SmallGraph()).ok());
  EXPECT_EQ(service_.stream_calls, 1);
}

TEST_F(RemoteTest, WhatTheServerFindsTooLargeIsStreamed) {
  for (const char* message :
       {"max_request_bytes=10: the request has 20 bytes", "CLIENT: Sent message larger than max (20 vs. 10)"}) {
    service_.too_large = message;
    const int streamed = service_.stream_calls;
    const auto report = Ask(SmallGraph());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->name(), "small");
    EXPECT_EQ(service_.stream_calls, streamed + 1);
  }
  service_.too_large = "max_nodes=1: the graph has 2 nodes";  // no smaller in pieces
  EXPECT_EQ(Ask(SmallGraph()).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(service_.stream_calls, 2);
}

TEST_F(RemoteTest, UnavailableIsTriedAgain) {
  service_.unavailable = 2;
  EXPECT_TRUE(Ask(SmallGraph()).ok());
  EXPECT_EQ(service_.unary_calls, 3);
}

TEST_F(RemoteTest, ABusyServerIsAskedWhileThereIsTime) {
  service_.unavailable = 6;  // five seconds of pauses
  EXPECT_TRUE(Ask(SmallGraph()).ok());
  EXPECT_EQ(service_.unary_calls, 7);
  service_.unavailable = 1000;
  options_.timeout = absl::Milliseconds(500);
  EXPECT_EQ(Ask(SmallGraph()).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(RemoteTest, TextThatIsNotUtf8IsNotSent) {
  v1::ValidateOptions options;
  options.add_targets("qnn_htp/\xff");
  EXPECT_EQ(Ask(SmallGraph(), options).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(service_.unary_calls, 0);
  const auto remote = Remote::Create(options_);
  EXPECT_EQ(remote->GetReport("reports/\xff").status().message(), "a name, a target or the filter is not UTF-8");
}

TEST_F(RemoteTest, ABusyServerIsNotCalledUnreachable) {
  service_.unavailable = 1000;
  options_.attempts = 2;
  const auto report = Ask(SmallGraph());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(report.status().message(), absl::StrCat(options_.address, " is overloaded: queue is full"));
  EXPECT_EQ(service_.unary_calls, 2);
}

TEST_F(RemoteTest, AServerWithoutItsStoreIsNotCalledOverloaded) {
  service_.unavailable = 1000;
  service_.unavailable_reason = "report store postgresql://db/quantgate: connection refused";
  options_.attempts = 2;
  const auto report = Ask(SmallGraph());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(report.status().message(),
            absl::StrCat(options_.address, " cannot answer now: ", service_.unavailable_reason));
}

TEST_F(RemoteTest, OtherErrorsAreNotTriedAgain) {
  v1::ValidateOptions options;
  options.set_toolchain("bad");
  const auto report = Ask(SmallGraph(), options);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(report.status().message(), "options.toolchain: bad");
  EXPECT_EQ(service_.unary_calls, 1);
}

TEST_F(RemoteTest, TheDeadlineEndsAHangingCall) {
  service_.hang = true;
  options_.timeout = absl::Milliseconds(200);
  const auto report = Ask(SmallGraph());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(report.status().message(), absl::StrCat(options_.address, " did not answer within 200ms"));
}

TEST_F(RemoteTest, NobodyThere) {
  server_->Shutdown();
  server_.reset();
  const auto report = Ask(SmallGraph());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr(absl::StrCat("cannot reach ", options_.address, " (")));
}

TEST_F(RemoteTest, AServiceThatTheServerLacks) {
  const auto remote = Remote::Create(options_);
  EXPECT_EQ(remote->GetReport("reports/x").status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(RemoteTest, TlsToAPlainServerFails) {
  options_.tls = true;
  options_.attempts = 1;
  EXPECT_EQ(Ask(SmallGraph()).status().code(), absl::StatusCode::kUnavailable);
}

struct BadOptions {
  std::string address;
  std::string ca;
  std::string cert;
  const char* message;
};
class BadOptionsTest : public testing::TestWithParam<BadOptions> {};
TEST_P(BadOptionsTest, AreRefusedAtOnce) {
  RemoteOptions options;
  options.address = GetParam().address;
  options.tls_ca = GetParam().ca;
  options.tls_cert = GetParam().cert;
  const auto remote = Remote::Create(options);
  EXPECT_EQ(remote.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(remote.status().message()), HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Options, BadOptionsTest,
    testing::Values(BadOptions{"localhost", "", "", "write HOST:PORT"}, BadOptions{":50051", "", "", "write HOST:PORT"},
                    BadOptions{"localhost:", "", "", "write HOST:PORT"},
                    BadOptions{"localhost:1", "/nonexistent.pem", "",
                               "--tls-ca: cannot read a PEM file at '/nonexistent.pem'"},
                    BadOptions{"localhost:1", "/dev/null", "", "cannot read a PEM file at '/dev/null'"},
                    BadOptions{"localhost:1", "", "c.pem", "belong together"}));

// A file that is there and is another's than the flag says is no server that does not answer.
TEST(PemFiles, AreWhatTheyAreGivenAs) {
  const std::string folder = testing::TempDir();
  const auto file = [&](const std::string& name) { return absl::StrCat(folder, "/remote_", name); };
  for (const std::string name : {"client", "other"}) {
    const std::string made = absl::StrCat("openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=", name,
                                          " -keyout ", file(name + ".key"), " -out ", file(name + ".pem"));
    ASSERT_EQ(std::system((made + " 2>/dev/null").c_str()), 0);
  }
  const auto create = [&](const std::string& ca, const std::string& cert, const std::string& key) {
    RemoteOptions options;
    options.tls_ca = file(ca);
    options.tls_cert = file(cert);
    options.tls_key = file(key);
    return Remote::Create(options).status();
  };
  EXPECT_TRUE(create("other.pem", "client.pem", "client.key").ok());
  const std::pair<absl::Status, std::string> refused[] = {
      {create("other.key", "client.pem", "client.key"), "--tls-ca: '"},
      {create("other.pem", "client.key", "client.pem"), "--tls-cert: '"},
      {create("other.pem", "client.pem", "other.key"), "is not the key of the certificate"}};
  for (const auto& [status, message] : refused) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
}

}  // namespace
}  // namespace quantgate
