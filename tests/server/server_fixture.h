// A real server in this process, on a free port, with a store in a temporary folder.
#ifndef QUANTGATE_TESTS_SERVER_SERVER_FIXTURE_H_
#define QUANTGATE_TESTS_SERVER_SERVER_FIXTURE_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "db/reports/report_store.h"
#include "quantgate/v1/catalog_service.grpc.pb.h"
#include "quantgate/v1/report_service.grpc.pb.h"
#include "quantgate/v1/validation_service.grpc.pb.h"
#include "server/server.h"
#include "tests/server/fake_engine.h"

namespace quantgate::server {

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : modules_(tables_), log_(Log::Format::kJson) {
    std::string pattern = (std::filesystem::temp_directory_path() / "server_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    store_address_ = absl::StrCat("sqlite:", (folder_ / "reports.db").string());
    options_.listen = "127.0.0.1:0";
    fake::RegisterModules(modules_);
  }
  ~ServerTest() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Start() {
    auto store = db::OpenReportStore(store_address_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto server = Server::Start(options_, {fake::Check, fake::Rules(), modules_, store_.get(), log_});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), arguments);
    validation_ = v1::ValidationService::NewStub(channel_);
    catalog_ = v1::CatalogService::NewStub(channel_);
    reports_ = v1::ReportService::NewStub(channel_);
  }

  static v1::ValidateRequest Request(const std::string& graph_name = "g") {
    v1::ValidateRequest request;
    request.mutable_graph()->set_name(graph_name);
    request.mutable_options()->mutable_model()->set_path("m.onnx");
    return request;
  }

  grpc::Status Validate(const v1::ValidateRequest& request, v1::Report* report = nullptr,
                        absl::Duration timeout = absl::Seconds(30)) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
    v1::ValidateResponse response;
    const grpc::Status status = validation_->Validate(&context, request, &response);
    if (report != nullptr) *report = response.report();
    return status;
  }

  // Calls a unary method of a stub.
  template <typename Stub, typename Request, typename Response>
  static grpc::Status Call(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                           const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    return (stub.*method)(&context, request, &response);
  }

  std::filesystem::path folder_;
  std::string store_address_;
  Options options_;
  fake::Tables tables_;
  ModuleRegistry modules_;
  Log log_;
  std::unique_ptr<db::ReportStore> store_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ValidationService::Stub> validation_;
  std::unique_ptr<v1::CatalogService::Stub> catalog_;
  std::unique_ptr<v1::ReportService::Stub> reports_;
};

// Until `condition` holds, at most ten seconds.
template <typename Condition>
bool Eventually(Condition condition) {
  const absl::Time end = absl::Now() + absl::Seconds(10);
  while (!condition()) {
    if (absl::Now() > end) return false;
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

}  // namespace quantgate::server

#endif  // QUANTGATE_TESTS_SERVER_SERVER_FIXTURE_H_
