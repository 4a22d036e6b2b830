// ValidationService: every status by a request that gets it and one next to it that does not.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "rules/graph/digest.h"
#include "server/error_details.pb.h"
#include "tests/server/server_fixture.h"

namespace quantgate::server {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ValidationTest : public ServerTest {
 protected:
  // Sends the graph of `request` in pieces.
  grpc::Status ValidateStream(const v1::ValidateRequest& request, size_t piece, v1::Report* report = nullptr) {
    std::vector<v1::ValidateStreamRequest> parts(1);
    *parts[0].mutable_options() = request.options();
    const std::string bytes = request.graph().SerializeAsString();
    for (size_t at = 0; at < bytes.size(); at += piece) {
      parts.emplace_back().set_graph_chunk(bytes.substr(at, piece));
    }
    return Stream(parts, report);
  }

  grpc::Status Stream(const std::vector<v1::ValidateStreamRequest>& parts, v1::Report* report = nullptr) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    v1::ValidateStreamResponse response;
    auto writer = validation_->ValidateStream(&context, &response);
    for (const v1::ValidateStreamRequest& part : parts) {
      if (!writer->Write(part)) break;
    }
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    if (report != nullptr) *report = response.report();
    return status;
  }

  // Sends bytes that need not be a request.
  grpc::Status ValidateBytes(const std::string& bytes) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    grpc::Slice slice(bytes);
    grpc::ByteBuffer request(&slice, 1), response;
    absl::Notification done;
    grpc::Status status;
    stub.UnaryCall(&context, "/quantgate.v1.ValidationService/Validate", {}, &request, &response, [&](grpc::Status s) {
      status = s;
      done.Notify();
    });
    done.WaitForNotification();
    return status;
  }
};

TEST_F(ValidationTest, AnswersAndStores) {
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_graph()->add_nodes()->set_name("bad");
  request.mutable_options()->add_targets("good/S1");
  request.mutable_options()->set_mode(v1::Report::WARN);
  v1::Report report;
  ASSERT_TRUE(Validate(request, &report).ok());
  EXPECT_THAT(report.name(), StartsWith("reports/"));
  EXPECT_TRUE(report.has_create_time());
  EXPECT_EQ(report.model().path(), "m.onnx");
  EXPECT_EQ(report.mode(), v1::Report::WARN);
  EXPECT_EQ(report.graph_digest(), GraphDigest(request.graph()));
  EXPECT_EQ(report.results(0).target(), "good/S1@2.0");
  EXPECT_EQ(report.results(0).verdict(), v1::Result::REJECTED);
  auto stored = store_->Get(report.name());
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(MessageDifferencer::Equals(*stored, report));
}

TEST_F(ValidationTest, WithoutAStoreThereIsNoName) {
  store_address_ = "none";
  Start();
  v1::Report report;
  ASSERT_TRUE(Validate(Request(), &report).ok());
  EXPECT_TRUE(report.name().empty());
  EXPECT_TRUE(report.has_create_time());
}

TEST_F(ValidationTest, StreamGivesTheSameReport) {
  Start();
  v1::ValidateRequest request = Request();
  for (int i = 0; i < 1000; ++i) request.mutable_graph()->add_nodes()->set_name("bad");
  v1::Report unary, streamed;
  ASSERT_TRUE(Validate(request, &unary).ok());
  const grpc::Status status = ValidateStream(request, 100, &streamed);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_NE(unary.name(), streamed.name());
  for (v1::Report* report : {&unary, &streamed}) {
    report->clear_name();
    report->clear_create_time();
  }
  EXPECT_TRUE(MessageDifferencer::Equals(unary, streamed));
}

TEST_F(ValidationTest, StreamOrderIsChecked) {
  Start();
  v1::ValidateStreamRequest options, chunk;
  options.mutable_options();
  chunk.set_graph_chunk(Request().graph().SerializeAsString());
  EXPECT_TRUE(Stream({options, chunk}).ok());
  EXPECT_TRUE(Stream({options}).ok());  // the empty graph
  for (const std::vector<v1::ValidateStreamRequest>& parts : std::vector<std::vector<v1::ValidateStreamRequest>>{
           {}, {chunk}, {chunk, options}, {options, options}, {options, chunk, options}, {{}, chunk}}) {
    EXPECT_EQ(Stream(parts).error_code(), grpc::StatusCode::INVALID_ARGUMENT) << parts.size();
  }
  chunk.set_graph_chunk("\x0a\xff");
  EXPECT_EQ(Stream({options, chunk}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ValidationTest, MalformedGraphNamesItsField) {
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_graph()->add_symbols("Conv");
  request.mutable_graph()->add_nodes()->set_op(1);
  EXPECT_TRUE(Validate(request).ok());
  request.mutable_graph()->add_nodes()->set_op(-7);
  const grpc::Status status = Validate(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  RpcStatus details;
  BadRequest bad;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_TRUE(bad.ParseFromString(details.details(0).value()));
  EXPECT_EQ(bad.field_violations(0).field(), "graph.nodes[1].op");
}

TEST_F(ValidationTest, BytesThatAreNoRequest) {
  Start();
  EXPECT_TRUE(ValidateBytes(Request().SerializeAsString()).ok());
  EXPECT_TRUE(ValidateBytes("").ok());
  for (const std::string& bytes :
       {std::string("\x0a\xff\xff\xff\x7f"), std::string(100, '\xff'), Request().SerializeAsString().substr(0, 4)}) {
    EXPECT_EQ(ValidateBytes(bytes).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_TRUE(Validate(Request()).ok());
}

TEST_F(ValidationTest, BadOptionsNameTheirField) {
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_options()->set_request_id(std::string(64, 'i'));
  EXPECT_TRUE(Validate(request).ok());
  request.mutable_options()->set_request_id(std::string(65, 'i'));
  EXPECT_THAT(Validate(request).error_message(), StartsWith("options.request_id: "));
  request = Request();
  request.mutable_options()->set_mode(static_cast<v1::Report::Mode>(7));
  EXPECT_THAT(Validate(request).error_message(), StartsWith("options.mode: "));
  request = Request();
  request.mutable_options()->mutable_model()->set_path(std::string(4097, 'p'));
  EXPECT_THAT(Validate(request).error_message(), StartsWith("options.model: "));
  request = Request();
  request.mutable_options()->set_simulate(true);
  EXPECT_THAT(Validate(request).error_message(), StartsWith("options.simulate: "));
  request = Request();
  request.mutable_options()->add_targets("@");
  EXPECT_EQ(Validate(request).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ValidationTest, UnknownTargetsAreNotFound) {
  Start();
  for (const char* target : {"nobody/S1", "good/S9"}) {
    v1::ValidateRequest request = Request();
    request.mutable_options()->add_targets(target);
    EXPECT_EQ(Validate(request).error_code(), grpc::StatusCode::NOT_FOUND) << target;
  }
}

TEST_F(ValidationTest, AFaultOfTheEngineIsInternalAndTheServerLives) {
  Start();
  EXPECT_EQ(Validate(Request("throw")).error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_TRUE(Validate(Request()).ok());
}

TEST_F(ValidationTest, LimitsAreNamed) {
  options_.limits.max_request_bytes = 2000;
  options_.limits.max_stream_bytes = 4000;
  options_.limits.max_nodes = 3;
  options_.limits.max_values = 4;
  options_.limits.max_targets = 2;
  Start();
  const auto expect_limit = [](const grpc::Status& status, const std::string& limit) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << limit;
    EXPECT_THAT(status.error_message(), HasSubstr(limit));
  };
  v1::ValidateRequest request = Request();
  for (int i = 0; i < 2; ++i) request.mutable_graph()->add_nodes();
  request.mutable_graph()->add_subgraphs()->add_nodes();
  EXPECT_TRUE(Validate(request).ok());
  request.mutable_graph()->mutable_subgraphs(0)->add_nodes();
  expect_limit(Validate(request), "max_nodes=3");

  request = Request();
  for (int i = 0; i < 4; ++i) request.mutable_graph()->add_values();
  EXPECT_TRUE(Validate(request).ok());
  request.mutable_graph()->add_values();
  expect_limit(Validate(request), "max_values=4");

  request = Request();
  for (int i = 0; i < 2; ++i) request.mutable_options()->add_targets("good/S1");
  EXPECT_TRUE(Validate(request).ok());
  request.mutable_options()->add_targets("good/S1");
  expect_limit(Validate(request), "max_targets=2");

  request = Request();
  request.mutable_graph()->set_producer(std::string(1900, 'x'));
  EXPECT_TRUE(Validate(request).ok());
  for (size_t bytes : {size_t{2000}, size_t{5} << 20}) {  // the second is beyond gRPC's own default
    request.mutable_graph()->set_producer(std::string(bytes, 'x'));
    expect_limit(Validate(request), "max_request_bytes=2000");
  }

  request.mutable_graph()->set_producer(std::string(3900, 'x'));
  EXPECT_TRUE(ValidateStream(request, 1000).ok());
  request.mutable_graph()->set_producer(std::string(4000, 'x'));
  expect_limit(ValidateStream(request, 1000), "max_stream_bytes=4000");
}

// What it had sent is given back: the next stream needs all there is.
TEST_F(ValidationTest, StreamsThatStallAreEnded) {
  options_.limits.max_stream_idle = 0.2;
  options_.limits.max_buffered_bytes = 1 << 20;
  Start();
  std::vector<v1::ValidateStreamRequest> parts(2);
  parts[0].mutable_options();
  parts[1].set_graph_chunk(std::string(700 << 10, 'x'));
  for (size_t sent : {0, 1, 2}) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    v1::ValidateStreamResponse response;
    auto writer = validation_->ValidateStream(&context, &response);
    for (size_t i = 0; i < sent; ++i) EXPECT_TRUE(writer->Write(parts[i]));
    const grpc::Status status = writer->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    EXPECT_THAT(status.error_message(), HasSubstr("max_stream_idle=0.2"));
  }
  v1::ValidateRequest request = Request();
  request.mutable_graph()->add_symbols(std::string(700 << 10, 's'));
  EXPECT_TRUE(Eventually([&] { return ValidateStream(request, 100 << 10).ok(); }));
}

TEST_F(ValidationTest, ChunksAreAtMostOneMebibyte) {
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_graph()->set_producer(std::string(3 << 20, 'x'));
  EXPECT_TRUE(ValidateStream(request, 1 << 20).ok());
  const grpc::Status status = ValidateStream(request, (1 << 20) + 100);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("max_chunk_bytes=1048576"));
}

TEST_F(ValidationTest, ParsedSizeIsBounded) {
  options_.limits.max_parsed_bytes = 4 << 20;
  Start();
  std::string graph;
  for (int i = 0; i < 1000; ++i) graph += std::string("\x52\x00", 2);
  v1::ValidateRequest request = Request();
  ASSERT_TRUE(request.mutable_graph()->ParseFromString(graph));
  EXPECT_TRUE(Validate(request).ok());
  for (int i = 0; i < 200'000; ++i) request.mutable_graph()->add_nodes();
  const grpc::Status status = Validate(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("max_parsed_bytes=4194304"));
}

TEST_F(ValidationTest, RequestIdsAreIdempotent) {
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_options()->set_request_id("build 7");
  v1::Report first, second;
  ASSERT_TRUE(Validate(request, &first).ok());
  const int checks = fake::Started();
  ASSERT_TRUE(Validate(request, &second).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(first, second));
  ASSERT_TRUE(ValidateStream(request, 10, &second).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(first, second));
  EXPECT_EQ(fake::Started(), checks);

  v1::ValidateRequest other_graph = request;
  other_graph.mutable_graph()->set_name("h");
  EXPECT_EQ(Validate(other_graph).error_code(), grpc::StatusCode::ALREADY_EXISTS);
  v1::ValidateRequest other_options = request;
  other_options.mutable_options()->add_targets("good/S1");
  EXPECT_EQ(Validate(other_options).error_code(), grpc::StatusCode::ALREADY_EXISTS);
  other_options.mutable_options()->set_request_id("build 8");
  EXPECT_TRUE(Validate(other_options).ok());
}

TEST_F(ValidationTest, NothingLeavesThatIsNotStored) {
  Start();
  ASSERT_TRUE(Validate(Request()).ok());
  server_.reset();
  store_address_ += "?mode=ro";
  Start();
  v1::Report report;
  const grpc::Status status = Validate(Request(), &report);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("reports.db"));
  EXPECT_FALSE(report.has_create_time());
  v1::ListReportsResponse list;
  EXPECT_TRUE(Call(*reports_, &v1::ReportService::Stub::ListReports, v1::ListReportsRequest(), list).ok());
  EXPECT_EQ(list.reports_size(), 1);
}

TEST_F(ValidationTest, AFullStoreIsNamedAndTheServerLives) {
  store_address_ += "?max_bytes=400000";
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_options()->mutable_model()->set_path(std::string(4000, 'p'));
  grpc::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = Validate(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("reports.db: database or disk is full (max_bytes=400000)"));
  v1::ListReportsResponse list;
  EXPECT_TRUE(Call(*reports_, &v1::ReportService::Stub::ListReports, v1::ListReportsRequest(), list).ok());
  EXPECT_GT(list.reports_size(), 0);
}

TEST_F(ValidationTest, DeadlinesEndTheCheck) {
  Start();
  const int cancelled = fake::Cancelled();
  EXPECT_EQ(Validate(Request("slow"), nullptr, absl::Milliseconds(100)).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return fake::Cancelled() == cancelled + 1; }));
  EXPECT_TRUE(Validate(Request("quarter"), nullptr, absl::Seconds(20)).ok());
}

TEST_F(ValidationTest, CancellationEndsTheCheck) {
  Start();
  const int started = fake::Started();
  const int cancelled = fake::Cancelled();
  grpc::ClientContext context;
  v1::ValidateResponse response;
  grpc::Status status;
  std::thread client([&] { status = validation_->Validate(&context, Request("slow"), &response); });
  EXPECT_TRUE(Eventually([&] { return fake::Started() == started + 1; }));
  context.TryCancel();
  client.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(Eventually([&] { return fake::Cancelled() == cancelled + 1; }));
}

TEST_F(ValidationTest, OverloadSaysWhenToRetry) {
  options_.limits.max_concurrent = 1;
  options_.limits.max_queue = 1;
  Start();
  const int started = fake::Started();
  std::vector<std::thread> clients;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  for (int i = 0; i < 2; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    clients.emplace_back([this, context = contexts.back().get()] {
      v1::ValidateResponse response;
      validation_->Validate(context, Request("slow"), &response);
    });
  }
  ASSERT_TRUE(Eventually([&] { return fake::Started() == started + 1; }));
  grpc::Status status;
  // Until the second client has arrived in the queue, a third could take its place: short calls that expire there.
  EXPECT_TRUE(Eventually([&] {
    status = Validate(Request(), nullptr, absl::Milliseconds(50));
    return status.error_code() == grpc::StatusCode::UNAVAILABLE;
  }));
  EXPECT_THAT(status.error_message(), HasSubstr("retry after 1 s"));
  RpcStatus details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.details(0).type_url(), "type.googleapis.com/google.rpc.RetryInfo");
  // Lookups go on.
  v1::ListRulesResponse rules;
  EXPECT_TRUE(Call(*catalog_, &v1::CatalogService::Stub::ListRules, v1::ListRulesRequest(), rules).ok());
  for (auto& context : contexts) context->TryCancel();
  for (std::thread& client : clients) client.join();
  EXPECT_TRUE(Eventually([&] { return Validate(Request()).ok(); }));
}

TEST_F(ValidationTest, BufferedBytesAreBounded) {
  options_.limits.max_buffered_bytes = 1 << 20;
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_graph()->set_producer(std::string(900 << 10, 'x'));
  EXPECT_TRUE(Validate(request).ok());
  // Each gives its share back, a moment after its answer has left.
  EXPECT_TRUE(Eventually([&] { return Validate(request).ok(); }));
  EXPECT_TRUE(Eventually([&] { return ValidateStream(request, 100 << 10).ok(); }));
  request.mutable_graph()->set_producer(std::string(2 << 20, 'x'));
  EXPECT_EQ(Validate(request).error_code(), grpc::StatusCode::UNAVAILABLE);
  const grpc::Status status = ValidateStream(request, 1 << 20);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("max_buffered_bytes"));
}

TEST_F(ValidationTest, SixtyFourClientsAtOnce) {
  Start();
  std::atomic<int> ok{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 64; ++i) {
    clients.emplace_back([&, i] {
      grpc::ChannelArguments arguments;
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
      auto stub = v1::ValidationService::NewStub(
          grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), arguments));
      for (int j = 0; j < 5; ++j) {
        v1::ValidateRequest request = Request();
        const std::string path = absl::StrCat("m", i, ".", j);
        request.mutable_options()->mutable_model()->set_path(path);
        if (j % 2) request.mutable_graph()->add_nodes()->set_name("bad");
        grpc::ClientContext context;
        // gRPC 1.51 takes a connection in progress for a failed one when memory is short of arenas (it reads an errno
        // that malloc has overwritten); the next attempt succeeds.
        context.set_wait_for_ready(true);
        v1::ValidateResponse response;
        const grpc::Status status = stub->Validate(&context, request, &response);
        EXPECT_TRUE(status.ok()) << path << ": " << status.error_message();
        const bool right =
            status.ok() && response.report().model().path() == path &&
            response.report().results(0).verdict() == (j % 2 ? v1::Result::REJECTED : v1::Result::ACCEPTED);
        if (right) ++ok;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(ok, 320);
  db::ReportQuery query;
  query.page_size = 1000;
  EXPECT_EQ(store_->List(query)->reports.size(), 320u);
}

TEST_F(ValidationTest, DrainFinishesWhatIsInFlight) {
  Start();
  const int started = fake::Started();
  grpc::Status status;
  std::thread client([&] { status = Validate(Request("quarter")); });
  ASSERT_TRUE(Eventually([&] { return fake::Started() == started + 1; }));
  server_->Drain(absl::Seconds(20));
  client.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(Validate(Request(), nullptr, absl::Seconds(1)).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(store_->List({})->reports.size(), 1u);
}

TEST_F(ValidationTest, DrainCancelsWhatDoesNotEnd) {
  Start();
  const int started = fake::Started();
  grpc::Status status;
  std::thread client([&] { status = Validate(Request("slow")); });
  ASSERT_TRUE(Eventually([&] { return fake::Started() == started + 1; }));
  const absl::Time begin = absl::Now();
  server_->Drain(absl::Milliseconds(200));
  EXPECT_LT(absl::Now() - begin, absl::Seconds(5));
  client.join();
  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace quantgate::server
