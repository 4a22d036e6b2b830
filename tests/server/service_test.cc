// Catalog and reports, health, reflection, metrics.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <optional>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/server/server_fixture.h"

namespace quantgate::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

grpc::ByteBuffer ToBuffer(const std::string& text) {
  grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

class ServiceTest : public ServerTest {
 protected:
  // Sends bytes as a request of a method.
  grpc::Status Raw(const std::string& method, const std::string& bytes, grpc::ByteBuffer* response = nullptr) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    grpc::ByteBuffer request = ToBuffer(bytes), ignored;
    absl::Notification done;
    grpc::Status status;
    stub.UnaryCall(&context, method, {}, &request, response == nullptr ? &ignored : response, [&](grpc::Status s) {
      status = s;
      done.Notify();
    });
    done.WaitForNotification();
    return status;
  }

  // "SERVING", "NOT_SERVING", or the error of grpc.health.v1.Health/Check. Debian installs no code for that service;
  // its messages have one field each.
  std::string Health(const std::string& service) {
    grpc::ByteBuffer response;
    const grpc::Status status =
        Raw("/grpc.health.v1.Health/Check",
            absl::StrCat("\x0a", std::string(1, static_cast<char>(service.size())), service), &response);
    if (!status.ok()) return absl::StrCat("error ", status.error_code());
    const std::string bytes = ToString(response);
    return bytes == "\x08\x01" ? "SERVING" : bytes == "\x08\x02" ? "NOT_SERVING" : "?";
  }

  template <typename Request, typename Response>
  grpc::Status Catalog(grpc::Status (v1::CatalogService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                        Response*),
                       const Request& request, Response& response) {
    return Call(*catalog_, method, request, response);
  }
};

TEST_F(ServiceTest, TargetsPageAndFilter) {
  Start();
  v1::ListTargetsRequest request;
  v1::ListTargetsResponse response;
  ASSERT_TRUE(
      Catalog(&v1::CatalogService::Stub::ListTargets, request, response).ok());  // "broken" does not hide "good"
  ASSERT_EQ(response.targets_size(), 2);
  const v1::Target& s1 = response.targets(0);
  EXPECT_EQ(s1.name(), "good/S1");
  EXPECT_EQ(s1.backend(), "good");
  EXPECT_EQ(s1.soc(), "S1");
  EXPECT_EQ(s1.arch(), "V1");
  EXPECT_THAT(s1.sdk_versions(), ElementsAre("1.0", "2.0"));
  EXPECT_THAT(s1.aliases(), ElementsAre("S1X"));

  request.set_page_size(1);
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::ListTargets, request, response).ok());
  ASSERT_EQ(response.targets_size(), 1);
  EXPECT_EQ(response.targets(0).name(), "good/S1");
  request.set_page_token(response.next_page_token());
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::ListTargets, request, response).ok());
  EXPECT_EQ(response.targets(0).name(), "good/S2");
  EXPECT_TRUE(response.next_page_token().empty());

  request.set_backend("good");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::ListTargets, request, response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);  // the token is of another listing
  request.clear_page_token();
  EXPECT_TRUE(Catalog(&v1::CatalogService::Stub::ListTargets, request, response).ok());
  request.set_page_size(-1);
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::ListTargets, request, response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  request.set_page_size(0);
  request.set_backend("goot");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::ListTargets, request, response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServiceTest, RulesNameTheirBackend) {
  Start();
  v1::ListRulesResponse response;
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::ListRules, v1::ListRulesRequest(), response).ok());
  ASSERT_EQ(response.rules_size(), 2);
  EXPECT_EQ(response.rules(0).name(), "rules/DT001");
  EXPECT_EQ(response.rules(0).backend(), "good");
  EXPECT_THAT(response.rules(0).stages(), ElementsAre(v1::STAGE_CONVERTED));
  EXPECT_EQ(response.rules(1).backend(), "");
  EXPECT_EQ(response.rules(1).severity(), v1::Finding::ERROR);
  EXPECT_EQ(response.rules(1).effect(), v1::Finding::UNSOUND);

  v1::GetRuleRequest get;
  v1::GetRuleResponse got;
  get.set_name("rules/NR001");
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::GetRule, get, got).ok());
  EXPECT_EQ(got.rule().title(), "scale-range");
  EXPECT_THAT(got.rule().explanation(), HasSubstr("# NR001 scale-range"));
  get.set_name("rules/NR999");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::GetRule, get, got).error_code(), grpc::StatusCode::NOT_FOUND);
  get.set_name("NR001");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::GetRule, get, got).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServiceTest, ConstraintsComeFromTheTables) {
  Start();
  v1::ListConstraintTablesResponse tables;
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::ListConstraintTables, v1::ListConstraintTablesRequest(), tables).ok());
  ASSERT_EQ(tables.tables_size(), 2);
  EXPECT_EQ(tables.tables(1).name(), "constraintTables/good@2.0");
  EXPECT_EQ(tables.tables(1).row_count(), 3);

  v1::ListConstraintsRequest request;
  v1::ListConstraintsResponse response;
  request.set_parent("constraintTables/good@2.0");
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::ListConstraints, request, response).ok());
  ASSERT_EQ(response.constraints_size(), 4);
  EXPECT_EQ(response.constraints(0).text(), "in[0]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8");
  EXPECT_EQ(response.constraints(0).source().document(), "doc two");
  EXPECT_EQ(response.constraints(1).text(), "in[0]=UFIXED_POINT_8 (V73 and later)");
  EXPECT_EQ(response.constraints(1).source().kind(), v1::Source::MEASURED);
  EXPECT_EQ(response.constraints(1).source().document(), "a measurement");
  EXPECT_EQ(response.constraints(2).text(), "rank equals=4 and static");
  EXPECT_EQ(response.constraints(2).source().row(), "Conv2d/All/in[1]/item 1");

  request.set_op("Relu");
  ASSERT_TRUE(Catalog(&v1::CatalogService::Stub::ListConstraints, request, response).ok());
  EXPECT_EQ(response.constraints_size(), 1);
  request.set_op("Rely");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::ListConstraints, request, response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.clear_op();
  request.set_parent("constraintTables/good@2");
  EXPECT_TRUE(Catalog(&v1::CatalogService::Stub::ListConstraints, request, response).ok());
  request.set_parent("constraintTables/good@3.0");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::ListConstraints, request, response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_parent("good@2.0");
  EXPECT_EQ(Catalog(&v1::CatalogService::Stub::ListConstraints, request, response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServiceTest, ReportsListGetDelete) {
  Start();
  v1::Report first, second;
  ASSERT_TRUE(Validate(Request(), &first).ok());
  v1::ValidateRequest bad = Request();
  bad.mutable_graph()->add_nodes()->set_name("bad");
  ASSERT_TRUE(Validate(bad, &second).ok());

  v1::ListReportsRequest list;
  v1::ListReportsResponse listed;
  list.set_page_size(1);
  ASSERT_TRUE(Call(*reports_, &v1::ReportService::Stub::ListReports, list, listed).ok());
  ASSERT_EQ(listed.reports_size(), 1);
  EXPECT_EQ(listed.reports(0).name(), second.name());
  EXPECT_EQ(listed.reports(0).results(0).findings_size(), 0);
  list.set_full(true);
  ASSERT_TRUE(Call(*reports_, &v1::ReportService::Stub::ListReports, list, listed).ok());
  EXPECT_EQ(listed.reports(0).results(0).findings_size(), 1);
  list.set_page_token(listed.next_page_token());
  ASSERT_TRUE(Call(*reports_, &v1::ReportService::Stub::ListReports, list, listed).ok());
  EXPECT_EQ(listed.reports(0).name(), first.name());
  list.Clear();
  list.set_filter("code = NR001");
  ASSERT_TRUE(Call(*reports_, &v1::ReportService::Stub::ListReports, list, listed).ok());
  EXPECT_EQ(listed.reports_size(), 1);
  list.set_filter("colour = red");
  const grpc::Status status = Call(*reports_, &v1::ReportService::Stub::ListReports, list, listed);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("filter: at character 1: unknown field 'colour'"));

  v1::DeleteReportRequest erase;
  v1::DeleteReportResponse erased;
  erase.set_name(first.name());
  EXPECT_TRUE(Call(*reports_, &v1::ReportService::Stub::DeleteReport, erase, erased).ok());
  EXPECT_EQ(Call(*reports_, &v1::ReportService::Stub::DeleteReport, erase, erased).error_code(),
            grpc::StatusCode::NOT_FOUND);
  v1::GetReportRequest get;
  v1::GetReportResponse got;
  get.set_name(second.name());
  EXPECT_TRUE(Call(*reports_, &v1::ReportService::Stub::GetReport, get, got).ok());
  get.set_name(first.name());
  EXPECT_EQ(Call(*reports_, &v1::ReportService::Stub::GetReport, get, got).error_code(), grpc::StatusCode::NOT_FOUND);
  get.set_name("x");
  EXPECT_EQ(Call(*reports_, &v1::ReportService::Stub::GetReport, get, got).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

// The store's own tests say what the answers hold; this is that they arrive, and what is refused.
TEST_F(ServiceTest, HistoryOfReports) {
  using Stub = v1::ReportService::Stub;
  Start();
  v1::ValidateRequest request = Request();
  request.mutable_options()->mutable_labels()->set_branch("main");
  v1::Report first, second;
  ASSERT_TRUE(Validate(request, &first).ok());
  request.mutable_graph()->add_nodes()->set_name("bad");
  ASSERT_TRUE(Validate(request, &second).ok());
  EXPECT_EQ(second.labels().branch(), "main");

  v1::DiffReportsRequest diff;
  diff.set_base(first.name());
  diff.set_other(second.name());
  v1::DiffReportsResponse differs;
  ASSERT_TRUE(Call(*reports_, &Stub::DiffReports, diff, differs).ok());
  ASSERT_EQ(differs.targets_size(), 1);
  EXPECT_EQ(differs.targets(0).new_findings_size(), 1);
  diff.set_base("first");
  EXPECT_EQ(Call(*reports_, &Stub::DiffReports, diff, differs).error_code(), grpc::StatusCode::INVALID_ARGUMENT);

  v1::GetGraphRequest graph;
  graph.set_name(second.name());
  v1::GetGraphResponse kept;
  ASSERT_TRUE(Call(*reports_, &Stub::GetGraph, graph, kept).ok());
  EXPECT_EQ(kept.graph().SerializeAsString(), request.graph().SerializeAsString());

  v1::GetFleetRequest fleet;
  fleet.set_filter("labels.branch = main");
  v1::GetFleetResponse entries;
  ASSERT_TRUE(Call(*reports_, &Stub::GetFleet, fleet, entries).ok());
  ASSERT_EQ(entries.entries_size(), 1);
  EXPECT_EQ(entries.entries(0).newest().report(), second.name());
  EXPECT_EQ(entries.entries(0).previous().report(), first.name());
  fleet.set_page_size(-1);
  EXPECT_EQ(Call(*reports_, &Stub::GetFleet, fleet, entries).error_code(), grpc::StatusCode::INVALID_ARGUMENT);

  v1::GetTrendsResponse trends;
  ASSERT_TRUE(Call(*reports_, &Stub::GetTrends, v1::GetTrendsRequest(), trends).ok());
  EXPECT_EQ(trends.points(trends.points_size() - 1).results(), 2);

  v1::ImportReportsRequest import;
  *import.add_reports() = second;
  v1::ImportReportsResponse imported;
  ASSERT_TRUE(Call(*reports_, &Stub::ImportReports, import, imported).ok());
  EXPECT_EQ(imported.present(), 1);

  v1::PruneReportsRequest prune;
  prune.set_max_reports(1);
  v1::PruneReportsResponse pruned;
  ASSERT_TRUE(Call(*reports_, &Stub::PruneReports, prune, pruned).ok());
  EXPECT_EQ(pruned.deleted(), 1);

  for (int length : {256, 257}) {
    request.mutable_options()->mutable_labels()->set_revision(std::string(length, 'r'));
    const grpc::Status status = Validate(request);
    EXPECT_EQ(status.ok(), length == 256);
    if (!status.ok()) {
      EXPECT_THAT(status.error_message(), HasSubstr("options.labels.revision: 257 bytes; at most 256"));
    }
  }
}

TEST_F(ServiceTest, WithoutAStoreReportsSaySo) {
  store_address_ = "none";
  Start();
  v1::ListReportsResponse listed;
  const grpc::Status status = Call(*reports_, &v1::ReportService::Stub::ListReports, v1::ListReportsRequest(), listed);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("--store none"));
}

TEST_F(ServiceTest, HealthFollowsTheModules) {
  Start();
  EXPECT_EQ(Health(""), "SERVING");
  EXPECT_EQ(Health("good"), "SERVING");
  EXPECT_EQ(Health("broken"), "SERVING");
  EXPECT_EQ(Health("nobody"), absl::StrCat("error ", grpc::StatusCode::NOT_FOUND));
  EXPECT_FALSE(modules_.IsLoaded("good"));
  v1::ValidateRequest request = Request();
  request.mutable_options()->add_targets("good/S1");
  request.mutable_options()->add_targets("broken/S1");
  v1::Report report;
  ASSERT_TRUE(Validate(request, &report).ok());
  EXPECT_EQ(report.results(1).verdict(), v1::Result::UNKNOWN);
  EXPECT_THAT(report.results(1).verdict_reason(), HasSubstr("its table is damaged"));
  EXPECT_TRUE(modules_.IsLoaded("good"));
  EXPECT_EQ(Health("good"), "SERVING");
  EXPECT_EQ(Health("broken"), "NOT_SERVING");
  EXPECT_EQ(Health(""), "SERVING");
}

class ListServices : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit ListServices(grpc::Channel& channel, std::shared_ptr<grpc::Channel> shared) : stub_(std::move(shared)) {
    stub_.PrepareBidiStreamingCall(&context_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {},
                                   this);
    request_ = ToBuffer("\x3a\x01*");  // ServerReflectionRequest{list_services: "*"}
    StartWriteLast(&request_, {});
    StartRead(&response_);
    StartCall();
  }
  void OnDone(const grpc::Status& status) override {
    status_ = status;
    done_.Notify();
  }
  std::string Wait() {
    done_.WaitForNotification();
    return status_.ok() ? ToString(response_) : status_.error_message();
  }

 private:
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  absl::Notification done_;
};

TEST_F(ServiceTest, ReflectionListsTheServices) {
  Start();
  ListServices list(*channel_, channel_);
  const std::string services = list.Wait();
  for (const char* name : {"quantgate.v1.ValidationService", "quantgate.v1.CatalogService",
                           "quantgate.v1.ReportService", "grpc.health.v1.Health"}) {
    EXPECT_THAT(services, HasSubstr(name));
  }
}

TEST_F(ServiceTest, MetricsCount) {
  options_.http = "127.0.0.1:0";
  Start();
  httplib::Client http("http://" + server_->http_address());
  const auto metrics = [&] {
    auto response = http.Get("/metrics");
    EXPECT_TRUE(response);
    return response ? response->body : std::string();
  };
  EXPECT_THAT(metrics(), HasSubstr("quantgate_module_loaded{module=\"good\"} 0"));
  v1::ValidateRequest request = Request();
  request.mutable_options()->add_targets("good/S1");
  for (int i = 0; i < 3; ++i) request.mutable_graph()->add_nodes()->set_name("bad");
  ASSERT_TRUE(Validate(request).ok());
  request.mutable_options()->add_targets("nobody");
  ASSERT_FALSE(Validate(request).ok());
  const std::string text = metrics();
  EXPECT_THAT(text, HasSubstr("quantgate_requests_total{code=\"OK\",method=\"ValidationService/Validate\"} 1"));
  EXPECT_THAT(text, HasSubstr("quantgate_requests_total{code=\"NOT_FOUND\",method=\"ValidationService/Validate\"} 1"));
  EXPECT_THAT(text, HasSubstr("quantgate_request_seconds_count{method=\"ValidationService/Validate\"} 2"));
  EXPECT_THAT(text, HasSubstr("quantgate_findings_total{code=\"NR001\"} 3"));
  EXPECT_THAT(text, HasSubstr("quantgate_verdicts_total{verdict=\"REJECTED\"} 1"));
  EXPECT_THAT(text, HasSubstr("quantgate_module_loaded{module=\"good\"} 1"));
  EXPECT_THAT(text, HasSubstr("quantgate_module_loaded{module=\"broken\"} 0"));
  EXPECT_THAT(text, HasSubstr("quantgate_requests_in_flight 0"));
  EXPECT_THAT(text, HasSubstr("quantgate_checks_queued 0"));
  EXPECT_THAT(text, Not(HasSubstr("quantgate_store_errors_total{")));
  EXPECT_EQ(http.Get("/healthz")->status, 200);
  EXPECT_EQ(http.Get("/nothing.txt")->status, 404);
}

TEST_F(ServiceTest, StoreErrorsAreCounted) {
  Start();
  server_.reset();
  store_address_ += "?mode=ro";
  options_.http = "127.0.0.1:0";
  Start();
  ASSERT_FALSE(Validate(Request()).ok());
  httplib::Client http("http://" + server_->http_address());
  EXPECT_THAT(http.Get("/metrics")->body, HasSubstr("quantgate_store_errors_total{code=\"FAILED_PRECONDITION\"} 1"));
}

// Two bytes are an empty report, of two hundred bytes in memory.
TEST_F(ServiceTest, RequestsAreMeasuredBeforeTheyAreParsed) {
  options_.limits.max_request_bytes = 4 << 20;
  options_.limits.max_parsed_bytes = 8 << 20;
  options_.limits.max_buffered_bytes = 2 << 20;
  Start();
  std::string reports;
  for (int i = 0; i < 1 << 18; ++i) reports.append("\x0a\x00", 2);
  const auto refused = [](const grpc::Status& status, const std::string& limit) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(status.error_message(), HasSubstr(limit));
  };
  const std::string import = "/quantgate.v1.ReportService/ImportReports";
  refused(Raw(import, reports), "max_parsed_bytes=8388608");
  refused(Raw(import, std::string(5 << 20, 'x')), "max_request_bytes=4194304");
  EXPECT_EQ(Raw(import, std::string(3 << 20, 'x')).error_code(), grpc::StatusCode::UNAVAILABLE);
  for (const char* method : {"ReportService/GetReport", "ReportService/ListReports", "CatalogService/ListRules"}) {
    refused(Raw(absl::StrCat("/quantgate.v1.", method), std::string(2 << 20, 'x')), "max_lookup_bytes=1048576");
  }
}

TEST_F(ServiceTest, BytesThatAreNoRequestAreAnsweredAndCounted) {
  options_.http = "127.0.0.1:0";
  Start();
  for (const char* method : {"ReportService/ImportReports", "ReportService/GetFleet", "CatalogService/GetRule",
                             "CatalogService/ListTargets"}) {
    const grpc::Status status = Raw(absl::StrCat("/quantgate.v1.", method), "\xff\xff");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(status.error_message(), HasSubstr("are not a valid quantgate.v1.")) << method;
    httplib::Client http("http://" + server_->http_address());
    EXPECT_THAT(http.Get("/metrics")->body,
                HasSubstr(absl::StrCat("requests_total{code=\"INVALID_ARGUMENT\",method=\"", method, "\"} 1")));
  }
}

// A database that hangs.
class StuckStore final : public db::ReportStore {
 public:
  absl::Notification go_on;

  bool read_only() const override { return false; }
  absl::Status Put(const db::RequestKey&, v1::Report&, const v1::Graph*) override { return Stuck(); }
  absl::StatusOr<std::optional<v1::Report>> FindRequest(const db::RequestKey&) override { return Stuck(); }
  absl::StatusOr<v1::Report> Get(absl::string_view) override { return Stuck(); }
  absl::StatusOr<db::ReportPage> List(const db::ReportQuery&) override { return Stuck(); }
  absl::Status Delete(absl::string_view) override { return Stuck(); }
  absl::StatusOr<int> Import(absl::Span<const v1::Report* const>, absl::Span<const v1::Graph* const>) override {
    return Stuck();
  }
  absl::StatusOr<v1::Graph> GetGraph(absl::string_view) override { return Stuck(); }
  absl::Status GetFleet(const v1::GetFleetRequest&, int, v1::GetFleetResponse&) override { return Stuck(); }
  absl::Status GetTrends(const v1::GetTrendsRequest&, v1::GetTrendsResponse&) override { return Stuck(); }
  absl::StatusOr<int64_t> Prune(absl::Time, int64_t, int) override { return Stuck(); }

 private:
  absl::Status Stuck() {
    go_on.WaitForNotification();
    return absl::UnavailableError("the database does not answer");
  }
};

TEST_F(ServiceTest, TheCatalogNeedsNoStore) {
  auto stuck = std::make_unique<StuckStore>();
  absl::Notification& go_on = stuck->go_on;
  Start();
  server_.reset();
  store_ = std::move(stuck);
  auto server = Server::Start(options_, {fake::Check, fake::Rules(), modules_, store_.get(), log_});
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  const auto channel = grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials());
  const auto reports = v1::ReportService::NewStub(channel);
  std::vector<std::thread> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back([&] {
      v1::ListReportsResponse response;
      const grpc::Status status =
          Call(*reports, &v1::ReportService::Stub::ListReports, v1::ListReportsRequest(), response);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    });
  }
  absl::SleepFor(absl::Milliseconds(200));
  v1::ListRulesResponse rules;
  EXPECT_TRUE(
      Call(*v1::CatalogService::NewStub(channel), &v1::CatalogService::Stub::ListRules, v1::ListRulesRequest(), rules)
          .ok());
  go_on.Notify();
  for (std::thread& thread : waiting) thread.join();
}

TEST_F(ServiceTest, TwoServersDoNotShareAPort) {
  Start();
  Options second = options_;
  second.listen = server_->address();
  auto server = Server::Start(second, {fake::Check, fake::Rules(), modules_, nullptr, log_});
  EXPECT_EQ(server.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ServiceTest, AddressesBeyondLoopbackNeedTlsOrConsent) {
  const auto start = [&] {
    return Server::Start(options_, {fake::Check, fake::Rules(), modules_, nullptr, log_}).status();
  };
  options_.listen = "0.0.0.0:0";
  EXPECT_THAT(std::string(start().message()), HasSubstr("--insecure"));
  options_.insecure = true;
  EXPECT_TRUE(start().ok());
  options_.listen = "127.0.0.1:0";
  options_.http = "0.0.0.0:0";
  EXPECT_TRUE(start().ok());
  options_.insecure = false;
  EXPECT_THAT(std::string(start().message()), HasSubstr("--http 0.0.0.0:0 is reachable"));
  options_.http = "127.0.0.1:0";
  EXPECT_TRUE(start().ok());
}

}  // namespace
}  // namespace quantgate::server
