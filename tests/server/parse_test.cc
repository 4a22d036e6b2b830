#include "server/rpc/parse.h"

#include <gmock/gmock.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include "quantgate/v1/graph.pb.h"

namespace quantgate::server {
namespace {

using google::protobuf::Arena;

struct Parsed {
  absl::Status status;
  int nodes = 0;
  size_t space = 0;
};

Parsed Parse(const std::string& bytes, int64_t max_bytes, int block = -1) {
  Arena arena;
  auto* graph = Arena::CreateMessage<v1::Graph>(&arena);
  google::protobuf::io::ArrayInputStream input(bytes.data(), static_cast<int>(bytes.size()), block);
  Parsed parsed;
  parsed.status = ParseBounded(input, arena, max_bytes, *graph);
  parsed.nodes = graph->nodes_size();
  parsed.space = arena.SpaceAllocated();
  return parsed;
}

TEST(ParseBounded, ReadsWhatFits) {
  v1::Graph graph;
  for (int i = 0; i < 5000; ++i) graph.add_nodes()->set_name(std::string(i % 50, 'n'));
  const std::string bytes = graph.SerializeAsString();
  for (int block : {-1, 1, 7, 100'000}) {
    const Parsed parsed = Parse(bytes, 64 << 20, block);
    EXPECT_TRUE(parsed.status.ok()) << parsed.status;
    EXPECT_EQ(parsed.nodes, 5000);
  }
}

// Four megabytes of empty nodes would be hundreds of megabytes of messages.
TEST(ParseBounded, StopsAmplification) {
  std::string bytes;
  for (int i = 0; i < (2 << 20); ++i) bytes += std::string("\x52\x00", 2);
  const Parsed parsed = Parse(bytes, 10 << 20);
  EXPECT_EQ(parsed.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(parsed.status.message()), ::testing::HasSubstr("max_parsed_bytes=10485760"));
  EXPECT_LT(parsed.space, size_t{32} << 20);
}

TEST(ParseBounded, RefusesDamageAndDepth) {
  EXPECT_EQ(Parse("\x0a\xff", 1 << 20).status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Parse(std::string("\x0a\x02\xff\xff", 4), 1 << 20).status.code(), absl::StatusCode::kInvalidArgument);
  for (int depth : {50, 150}) {
    v1::Graph graph;
    for (int i = 0; i < depth; ++i) {
      v1::Graph outer;
      outer.add_subgraphs()->Swap(&graph);
      graph.Swap(&outer);
    }
    EXPECT_EQ(Parse(graph.SerializeAsString(), 1 << 20).status.ok(), depth < 100) << depth;
  }
}

}  // namespace
}  // namespace quantgate::server
