// What the LiteRT writer changes of a file, and what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "client/fix/writer.h"
#include "client/tflite/tflite_importer.h"
#include "tests/client/onnx/model.h"
#include "tests/client/plain_spec.h"
#include "tests/client/tflite/model.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int32_t kFullyConnected = 9;

// x, weight w in buffer 1, bias b in buffer 2, y.
TfliteModel Dense() {
  TfliteModel model;
  TfliteSubgraph subgraph;
  subgraph.tensors = {
      {.name = "x", .type = kTfliteInt8, .shape = {1, 2}, .scales = {0.5}, .zero_points = {3}},
      {.name = "w", .type = kTfliteInt8, .shape = {2, 2}, .buffer = 1, .scales = {0.5}, .zero_points = {0}},
      {.name = "b", .type = kTfliteInt32, .shape = {2}, .buffer = 2, .scales = {0.25}, .zero_points = {0}},
      {.name = "y", .type = kTfliteInt8, .shape = {1, 2}, .scales = {1}, .zero_points = {0}},
  };
  subgraph.inputs = {0};
  subgraph.outputs = {3};
  subgraph.operators = {{.code = kFullyConnected, .inputs = {0, 1, 2}, .outputs = {3}}};
  model.subgraphs = {subgraph};
  model.buffers = {std::string("\x02\x04\x06\x7f", 4), std::string("\1\0\0\0\2\0\0\0", 8)};
  return model;
}

struct Written {
  std::string before;
  std::string bytes;
  v1::Graph graph;
  std::vector<UnwrittenChange> left;
};

TensorChange ChangeOf(int value, const v1::Spec& before, const v1::Spec& after, int correction = 0) {
  TensorChange change;
  change.value = value;
  change.before = before;
  change.after = after;
  change.correction = correction;
  return change;
}

Written Write(const TfliteModel& model, const std::vector<TensorChange>& changes, const std::string& behind = "") {
  Written out;
  out.before = WriteTflite(model) + behind;
  const absl::StatusOr<v1::Graph> graph = ImportTflite(out.before, "", {});
  EXPECT_TRUE(graph.ok()) << graph.status();
  const std::string folder;
  const absl::StatusOr<WrittenModel> written = WriteTflite(WriteTask{out.before, folder, *graph, changes});
  EXPECT_TRUE(written.ok()) << written.status();
  out.bytes = written->bytes;
  out.left = written->left;
  const absl::StatusOr<v1::Graph> again = ImportTflite(out.bytes, "", {});
  EXPECT_TRUE(again.ok()) << again.status();
  if (again.ok()) out.graph = *again;
  return out;
}

const v1::QParams& ParametersOf(const v1::Graph& graph, const std::string& name) {
  return graph.specs(ValueNamed(graph, name).spec() - 1).qparams();
}

std::string Elements(const std::string& bytes, int buffer) {
  const auto& data = *tflite::GetModel(bytes.data())->buffers()->Get(buffer)->data();
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

size_t Differences(const std::string& a, const std::string& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

TEST(WriteTflite, ParametersGoBehindTheEnd) {
  const Written out =
      Write(Dense(), {ChangeOf(0, Plain(v1::DATA_TYPE_INT8, {0.5}, 3), Plain(v1::DATA_TYPE_INT8, {2}, 5))});
  EXPECT_THAT(out.left, IsEmpty());
  EXPECT_THAT(ParametersOf(out.graph, "x").scales(), ElementsAre(2));
  EXPECT_THAT(ParametersOf(out.graph, "x").zero_points(), ElementsAre(5));
  EXPECT_THAT(ParametersOf(out.graph, "w").scales(), ElementsAre(0.5));
  ASSERT_GT(out.bytes.size(), out.before.size());
  EXPECT_LE(Differences(out.before, out.bytes), sizeof(uint32_t));  // one offset
}

TEST(WriteTflite, WeightsAreRequantizedWhereTheyAre) {
  const Written out = Write(Dense(), {ChangeOf(1, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1}))});
  EXPECT_EQ(Elements(out.bytes, 1), std::string("\x01\x02\x03\x40", 4));
  EXPECT_EQ(Elements(out.bytes, 2), Elements(out.before, 2));
  const Written channels =
      Write(Dense(), {ChangeOf(1, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {0.5, 1}, 0, 0))});
  EXPECT_EQ(Elements(channels.bytes, 1), std::string("\x02\x04\x03\x40", 4));
  EXPECT_THAT(ParametersOf(channels.graph, "w").axes(), ElementsAre(0));
}

TEST(WriteTflite, AWiderTypeTakesANewBuffer) {
  const Written out =
      Write(Dense(), {ChangeOf(1, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT16, {0.25}))});
  EXPECT_EQ(ValueNamed(out.graph, "w").dtype(), v1::DATA_TYPE_INT16);
  EXPECT_EQ(Elements(out.bytes, 1), std::string("\x04\0\x08\0\x0c\0\xfe\0", 8));
}

TEST(WriteTflite, AScaleThatIsOnlyRestatedLeavesTheElements) {
  const Written out =
      Write(Dense(), {ChangeOf(2, Plain(v1::DATA_TYPE_INT32, {0.25}), Plain(v1::DATA_TYPE_INT32, {0.25}))});
  EXPECT_THAT(out.left, IsEmpty());
  EXPECT_EQ(Elements(out.bytes, 2), Elements(out.before, 2));
}

TEST(WriteTflite, WhatCannotBeWrittenIsLeftAsItIs) {
  const v1::Spec int8 = Plain(v1::DATA_TYPE_INT8, {0.5}, 3);
  // The type of an input; a scale that only calibration finds; no quantization at all.
  for (const v1::Spec& after : {Plain(v1::DATA_TYPE_UINT8, {0.5}, 131), Plain(v1::DATA_TYPE_INT8, {}), v1::Spec()}) {
    const Written out = Write(Dense(), {ChangeOf(0, int8, after)});
    EXPECT_THAT(out.left, SizeIs(1));
    EXPECT_EQ(out.bytes, out.before);
  }
  // A buffer of two tensors, unless its elements stay.
  TfliteModel shared = Dense();
  shared.subgraphs[0].tensors.push_back(shared.subgraphs[0].tensors[1]);
  const v1::Spec weight = Plain(v1::DATA_TYPE_INT8, {0.5});
  EXPECT_THAT(Write(shared, {ChangeOf(1, weight, Plain(v1::DATA_TYPE_INT8, {1}))}).left, SizeIs(1));
  shared.buffers[0] = std::string(4, '\0');
  EXPECT_THAT(Write(shared, {ChangeOf(1, weight, Plain(v1::DATA_TYPE_INT8, {1}))}).left, IsEmpty());
  // An archive has its directory at the end.
  const std::string directory = std::string("PK\5\6", 4) + std::string(18, '\0');
  EXPECT_THAT(Write(Dense(), {ChangeOf(1, weight, Plain(v1::DATA_TYPE_INT8, {1}))}, directory).left, SizeIs(1));
}

TEST(WriteTflite, ACorrectionIsWrittenWholeOrNotAtAll) {
  const v1::Spec weight = Plain(v1::DATA_TYPE_INT8, {0.5});
  const Written out = Write(Dense(), {ChangeOf(1, weight, Plain(v1::DATA_TYPE_INT8, {1})),
                                      ChangeOf(3, Plain(v1::DATA_TYPE_INT8, {1}), Plain(v1::DATA_TYPE_INT8, {}))});
  EXPECT_THAT(out.left, SizeIs(2));
  EXPECT_EQ(out.bytes, out.before);
}

}  // namespace
}  // namespace quantgate
