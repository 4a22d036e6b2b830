#include "server/address.h"

#include <gtest/gtest.h>

namespace quantgate::server {
namespace {

TEST(Address, ParsesAndFormats) {
  for (const char* text : {"127.0.0.1:50051", "[::1]:0", "example.org:65535", "0.0.0.0:1"}) {
    auto address = ParseAddress(text);
    ASSERT_TRUE(address.ok()) << text;
    EXPECT_EQ(FormatAddress(*address), text);
  }
  for (const char* text : {"", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "h:65536", "h:-1", "::1:5", "[::1:5",
                           "h/x:1", "unix:/tmp/s"}) {
    EXPECT_EQ(ParseAddress(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(Address, KnowsLoopback) {
  for (const char* text : {"127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "localhost:1"}) {
    EXPECT_TRUE(IsLoopback(*ParseAddress(text))) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "128.0.0.1:1", "10.0.0.1:1", "localhost.example:1", "127.1:1"}) {
    EXPECT_FALSE(IsLoopback(*ParseAddress(text))) << text;
  }
}

}  // namespace
}  // namespace quantgate::server
