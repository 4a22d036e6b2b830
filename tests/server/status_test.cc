#include "server/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "rules/engine/field.h"
#include "server/error_details.pb.h"

namespace quantgate::server {
namespace {

TEST(ToGrpcStatus, NamesTheField) {
  const grpc::Status status = ToGrpcStatus(absl::InvalidArgumentError("graph.nodes[3].op: id 9 is out of range"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  RpcStatus details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), 3);
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.details(0).type_url(), "type.googleapis.com/google.rpc.BadRequest");
  BadRequest bad;
  ASSERT_TRUE(bad.ParseFromString(details.details(0).value()));
  EXPECT_EQ(bad.field_violations(0).field(), "graph.nodes[3].op");
  EXPECT_EQ(bad.field_violations(0).description(), "id 9 is out of range");
}

TEST(ToGrpcStatus, NamesTheFieldThatAnErrorCarries) {
  const grpc::Status status =
      ToGrpcStatus(AtField(absl::InvalidArgumentError("target '': is empty"), "options.targets[1]"));
  EXPECT_EQ(status.error_message(), "target '': is empty");
  RpcStatus details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  BadRequest bad;
  ASSERT_TRUE(bad.ParseFromString(details.details(0).value()));
  EXPECT_EQ(bad.field_violations(0).field(), "options.targets[1]");
  EXPECT_EQ(bad.field_violations(0).description(), "target '': is empty");
}

TEST(ToGrpcStatus, HasNoViolationWithoutAField) {
  EXPECT_TRUE(ToGrpcStatus(absl::InvalidArgumentError("target 'x': is bad")).error_details().empty());
  EXPECT_TRUE(ToGrpcStatus(absl::NotFoundError("name: not there")).error_details().empty());
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
}

TEST(ToGrpcStatus, TellsWhenToRetry) {
  const grpc::Status status = ToGrpcStatus(Overloaded("busy"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  RpcStatus details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.details(0).type_url(), "type.googleapis.com/google.rpc.RetryInfo");
  RetryInfo retry;
  ASSERT_TRUE(retry.ParseFromString(details.details(0).value()));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
}

TEST(ToGrpcStatus, CutsLongMessagesBetweenCharacters) {
  std::string text = "a";
  while (text.size() < 5000) text += "é";
  const std::string cut = ToGrpcStatus(absl::NotFoundError(text)).error_message();
  EXPECT_LT(cut.size(), 1100u);
  EXPECT_EQ(cut.substr(cut.size() - 5), "é…");
}

}  // namespace
}  // namespace quantgate::server
