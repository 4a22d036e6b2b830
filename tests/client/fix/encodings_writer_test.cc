// Changed entries of encodings files, and all that stays.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "client/encodings/join.h"
#include "client/encodings/read.h"
#include "client/fix/writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

v1::Graph Joined(absl::string_view text) {
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 3, 8, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {2, 3, 3, 3}, 216);
  b.Node("Conv", "conv", {"x", "w"}, {"y"});
  absl::StatusOr<encodings::ReadFile> file = encodings::Read(text);
  EXPECT_TRUE(file.ok()) << file.status();
  encodings::Join(*file, &b.graph);
  return b.graph;
}

int32_t Find(const v1::Graph& graph, const std::string& name) {
  for (int32_t i = 0; i < graph.values_size(); ++i) {
    if (graph.values(i).name() == name) return i;
  }
  return -1;
}

v1::Spec SpecOf(const v1::Graph& graph, const std::string& name) {
  return graph.specs(graph.values(Find(graph, name)).spec() - 1);
}

TensorChange Change(const v1::Graph& graph, const std::string& name, const v1::Spec& after) {
  TensorChange change;
  change.value = Find(graph, name);
  change.correction = 0;
  change.before = SpecOf(graph, name);
  change.after = after;
  return change;
}

WrittenModel Write(const std::string& text, const v1::Graph& graph, const std::vector<TensorChange>& changes) {
  absl::StatusOr<WrittenModel> written = WriteEncodings({text, "", graph, changes});
  EXPECT_TRUE(written.ok()) << written.status();
  return written.ok() ? *std::move(written) : WrittenModel();
}

// The specs that the written file gives the tensor.
v1::Spec ReadBack(const WrittenModel& written, const std::string& name) { return SpecOf(Joined(written.bytes), name); }

constexpr char kKeyed[] = R"({"version": "0.6.1",
  "activation_encodings": {
    "x": [ {"bitwidth":8,"dtype":"int", "is_symmetric": "False", "max": 1.35, "min": -1.2, "offset": -120, "scale": 0.01} ]},
  "param_encodings": {
    "w": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 1.27, "min": -1.28, "offset": -128, "scale": 0.01},
          {"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 2.54, "min": -2.56, "offset": -128, "scale": 0.02}]},
  "excluded_layers": [ 1,2 ]}
)";

constexpr char kListed[] =
    R"({"activation_encodings": [{"bw": 8, "dtype": "INT", "enc_type": "PER_TENSOR", "is_sym": false,
  "name": "x", "offset": [-120], "scale": [0.01]}], "param_encodings": [{"bw": 8, "dtype": "INT", "enc_type":
  "PER_CHANNEL", "is_sym": true, "name": "w", "offset": [-128, -128], "scale": [0.01, 0.02]}], "version": "1.0.0"})";

constexpr char kOneList[] =
    R"({"encodings": [{"name": "x", "output_dtype": "uint8", "y_scale": 0.01, "y_zero_point": 120},
  {"axis": 0, "name": "w", "output_dtype": "int8", "y_scale": [0.01, 0.02]}], "version": "2.0.0"})";

class EveryVersion : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryVersion, WithoutChangesEveryByteStays) {
  const WrittenModel written = Write(GetParam(), Joined(GetParam()), {});
  EXPECT_EQ(written.bytes, GetParam());
}

TEST_P(EveryVersion, AChangeIsReadBackAsItself) {
  const v1::Graph graph = Joined(GetParam());
  v1::Spec after = SpecOf(graph, "x");
  after.set_dtype(v1::DATA_TYPE_UINT16);
  after.mutable_qparams()->set_scales(0, 0.0001);
  after.mutable_qparams()->set_zero_points(0, 30000);
  const WrittenModel written = Write(GetParam(), graph, {Change(graph, "x", after)});
  EXPECT_THAT(written.left, IsEmpty());
  EXPECT_EQ(ReadBack(written, "x").SerializeAsString(), after.SerializeAsString()) << written.bytes;
  EXPECT_EQ(ReadBack(written, "w").SerializeAsString(), SpecOf(graph, "w").SerializeAsString());
}

TEST_P(EveryVersion, WeightsPerChannel) {
  const v1::Graph graph = Joined(GetParam());
  v1::Spec after = SpecOf(graph, "w");
  after.set_dtype(v1::DATA_TYPE_INT4);
  after.mutable_qparams()->set_scales(1, 0.3);
  const WrittenModel written = Write(GetParam(), graph, {Change(graph, "w", after)});
  EXPECT_THAT(written.left, IsEmpty());
  const v1::Spec read = ReadBack(written, "w");
  EXPECT_EQ(read.dtype(), v1::DATA_TYPE_INT4) << written.bytes;
  EXPECT_THAT(read.qparams().scales(), ElementsAre(0.01, 0.3));
  EXPECT_THAT(read.qparams().axes(), ElementsAre(0));
  for (double zero_point : read.qparams().zero_points()) EXPECT_EQ(zero_point, 0);
}

TEST_P(EveryVersion, WhatIsNotWritten) {
  const v1::Graph graph = Joined(GetParam());
  v1::Spec blocks = SpecOf(graph, "w");
  blocks.mutable_qparams()->add_block_sizes(1);
  TensorChange one_reader = Change(graph, "x", SpecOf(graph, "x"));
  one_reader.reader = 0;
  one_reader.correction = 1;
  const WrittenModel written = Write(GetParam(), graph, {Change(graph, "w", blocks), one_reader});
  ASSERT_THAT(written.left, SizeIs(2));
  EXPECT_EQ(written.left[0].tensor, "w");
  EXPECT_THAT(written.left[0].reason, HasSubstr("blocks"));
  EXPECT_THAT(written.left[1].reason, HasSubstr("one reader"));
  EXPECT_EQ(written.bytes, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Encodings, EveryVersion, ::testing::Values(kKeyed, kListed, kOneList));

TEST(ListedWriter, PartsOfAStepAreBesideTheOffset) {
  const v1::Graph graph = Joined(kListed);
  v1::Spec after = SpecOf(graph, "x");
  after.mutable_qparams()->set_zero_points(0, 119.75);
  const WrittenModel written = Write(kListed, graph, {Change(graph, "x", after)});
  EXPECT_THAT(written.bytes, HasSubstr(R"("offset":[-120],"scale":[0.01],"zero_point_shift":[0.25])"));
  EXPECT_EQ(ReadBack(written, "x").SerializeAsString(), after.SerializeAsString());
  after.mutable_qparams()->set_zero_points(0, 119);
  const WrittenModel whole = Write(written.bytes, Joined(written.bytes), {Change(graph, "x", after)});
  EXPECT_EQ(ReadBack(whole, "x").SerializeAsString(), after.SerializeAsString()) << whole.bytes;
}

TEST(KeyedWriter, KeepsItsStyle) {
  const v1::Graph graph = Joined(kKeyed);
  v1::Spec after = SpecOf(graph, "x");
  after.mutable_qparams()->set_zero_points(0, 128);
  const WrittenModel written = Write(kKeyed, graph, {Change(graph, "x", after)});
  EXPECT_THAT(written.bytes, HasSubstr("\"is_symmetric\":\"True\""));
  EXPECT_THAT(written.bytes, HasSubstr("\"excluded_layers\": [ 1,2 ]}\n"));
}

TEST(KeyedWriter, SignedActivationsCannotBeSaid) {
  const v1::Graph graph = Joined(kKeyed);
  v1::Spec after = SpecOf(graph, "x");
  after.set_dtype(v1::DATA_TYPE_INT8);
  after.mutable_qparams()->set_zero_points(0, 3);
  const WrittenModel written = Write(kKeyed, graph, {Change(graph, "x", after)});
  ASSERT_THAT(written.left, SizeIs(1));
  EXPECT_THAT(written.left[0].reason, HasSubstr("no such type"));
  EXPECT_EQ(written.bytes, kKeyed);
}

// Versions before 2.0.0 leave the axis to their readers, who take that of the output channels.
TEST_P(EveryVersion, AnotherAxisIsWrittenWhereTheVersionHasOne) {
  const v1::Graph graph = Joined(GetParam());
  v1::Spec after = SpecOf(graph, "w");
  after.set_axis(1);
  v1::QParams& qparams = *after.mutable_qparams();
  qparams.set_axes(0, 1);
  qparams.add_scales(0.03);
  if (!qparams.zero_points().empty()) qparams.add_zero_points(0);
  const WrittenModel written = Write(GetParam(), graph, {Change(graph, "w", after)});
  if (GetParam() == absl::string_view(kOneList)) {
    EXPECT_THAT(written.left, IsEmpty());
    EXPECT_THAT(ReadBack(written, "w").qparams().axes(), ElementsAre(1));
  } else {
    ASSERT_THAT(written.left, SizeIs(1));
    EXPECT_THAT(written.left[0].reason, HasSubstr("no axes"));
    EXPECT_EQ(written.bytes, GetParam());
  }
}

TEST_P(EveryVersion, ZeroPointsAreWholeNumbers) {
  const v1::Graph graph = Joined(GetParam());
  v1::Spec after = SpecOf(graph, "x");
  after.mutable_qparams()->set_zero_points(0, 100);
  EXPECT_THAT(Write(GetParam(), graph, {Change(graph, "x", after)}).bytes, ::testing::Not(HasSubstr("100.0")));
}

}  // namespace
}  // namespace quantgate
