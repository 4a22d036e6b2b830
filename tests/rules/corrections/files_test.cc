// Files whose parameters say what was meant, and neighbors that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "client/import.h"
#include "rules/graph/resolve.h"
#include "tests/rules/corrections/annotated.h"

namespace quantgate {
namespace {

using ::quantgate::testing::Changes;
using ::quantgate::testing::CheckFor;
using ::quantgate::testing::Corrected;
using ::quantgate::testing::Faults;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kReference[] = "litert/reference";

v1::Graph FileOf(const std::string& name) {
  absl::StatusOr<ImportedModel> model = ImportModel(std::string(QUANTGATE_TEST_DATA) + "/../data/" + name);
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? model->graph : v1::Graph();
}

// The parameters with other than one zero point for each scale.
v1::QParams& Uncounted(v1::Graph& graph) {
  for (v1::Spec& spec : *graph.mutable_specs()) {
    v1::QParams& qparams = *spec.mutable_qparams();
    if (qparams.zero_points_size() > 1 && qparams.zero_points_size() != qparams.scales_size()) return qparams;
  }
  ADD_FAILURE() << "each scale has a zero point";
  return *graph.mutable_specs(0)->mutable_qparams();
}

v1::Spec AfterOf(const v1::Result& result) {
  return result.corrections_size() == 1 && result.corrections(0).changes_size() == 1
             ? result.corrections(0).changes(0).after()
             : v1::Spec();
}

TEST(RepairLiteRt, ZeroPointsThatAreAllTheSameAreThatOfEachScale) {
  const v1::Graph graph = FileOf("tflite/bad.zp_count.conv1d.int8.tflite");
  const v1::Result result = CheckFor(graph, kReference);
  EXPECT_THAT(AfterOf(result).qparams().scales(), SizeIs(8));
  EXPECT_THAT(AfterOf(result).qparams().zero_points(), ::testing::AllOf(SizeIs(8), ::testing::Each(0)));
  EXPECT_EQ(Faults(CheckFor(Corrected(graph, result), kReference)), 0);
}

TEST(RepairLiteRt, OfZeroPointsThatDifferNobodyKnowsWhichIsMissing) {
  v1::Graph graph = FileOf("tflite/bad.zp_count.conv1d.int8.tflite");
  Uncounted(graph).set_zero_points(2, 1);
  EXPECT_THAT(CheckFor(graph, kReference).corrections(), IsEmpty());
}

TEST(RepairLiteRt, TheAxisThatHasAsManyElementsAsThereAreScalesIsMeant) {
  const v1::Graph graph = FileOf("tflite/bad.dw_axis.dscnn.int16x8.tflite");
  const v1::Result result = CheckFor(graph, kReference);
  EXPECT_THAT(AfterOf(result).qparams().axes(), ::testing::ElementsAre(3));
  EXPECT_THAT(AfterOf(result).qparams().scales(), SizeIs(32));
  EXPECT_EQ(Faults(CheckFor(Corrected(graph, result), kReference)), 0);
}

TEST(RepairLiteRt, ABiasBesideActivationsOfSixteenBitsTakesSixtyFour) {
  const v1::Graph graph = FileOf("tflite/bad.bias_type.dscnn.int16x8.tflite");
  const v1::Result result = CheckFor(graph, kReference);
  EXPECT_GT(Faults(result), 1);
  EXPECT_EQ(AfterOf(result).dtype(), v1::DATA_TYPE_INT64);
  ASSERT_EQ(result.corrections_size(), 1);
  EXPECT_EQ(AfterOf(result).qparams().scales(0), result.corrections(0).changes(0).before().qparams().scales(0));
  EXPECT_TRUE(result.corrections(0).safe());
  EXPECT_EQ(Faults(CheckFor(Corrected(graph, result), kReference)), 0);
}

TEST(RepairLiteRt, WhereSuchABiasIsNarrowedItStandsInNoCorrectionsWay) {
  const v1::Graph graph = FileOf("tflite/bad.scale_neg.dscnn.int16x8.tflite");
  const v1::Result result = CheckFor(graph, "qnn_htp/SM8650@2.51");
  ASSERT_THAT(AfterOf(result).qparams().scales(), SizeIs(1));
  EXPECT_GT(AfterOf(result).qparams().scales(0), 0);
}

TEST(RepairLiteRt, BesideActivationsOfEightBitsItStays) {
  EXPECT_THAT(CheckFor(FileOf("tflite/dscnn.int8.tflite"), kReference).corrections(), IsEmpty());
}

// Scales along the inputs become one, and the bias counts in its units; with scales for outputs it never went with
// them.
TEST(RepairOnnx, ZeroPointsThatAreAllTheSameAreThatOfEachScale) {
  const v1::Graph graph = FileOf("onnx/bad.zp_count.tiny.qdq_a16w8.onnx");
  const v1::Result result = CheckFor(graph, "qnn_htp/SM8650@2.51");
  EXPECT_THAT(AfterOf(result).qparams().scales(), SizeIs(8));
  EXPECT_THAT(AfterOf(result).qparams().zero_points(), ::testing::AllOf(SizeIs(8), ::testing::Each(0)));
  ASSERT_EQ(result.corrections_size(), 1);
  EXPECT_TRUE(result.corrections(0).safe());
  EXPECT_EQ(result.corrections(0).changes(0).before().qparams().zero_points_size(), 3);
  EXPECT_THAT(result.corrections(0).changes(0).summary(), ::testing::HasSubstr(", 3 zero points becomes "));
  EXPECT_EQ(Faults(CheckFor(Corrected(graph, result), "qnn_htp/SM8650@2.51")), 0);
}

TEST(RepairOnnx, ABiasFollowsAWeightWhoseScalesItCouldNotGoWith) {
  const v1::Graph graph = FileOf("onnx/bad.axis_input_channel.tiny.qdq_s8s8_pc.onnx");
  const v1::Result result = CheckFor(graph, "qnn_htp/SM8650@2.51");
  ASSERT_EQ(result.corrections_size(), 1);
  ASSERT_EQ(result.corrections(0).changes_size(), 2);
  const v1::Spec& weight = result.corrections(0).changes(0).after();
  const v1::Spec& bias = result.corrections(0).changes(1).after();
  EXPECT_EQ(weight.qscheme(), v1::Spec::PER_TENSOR_SYMMETRIC);
  EXPECT_EQ(bias.qscheme(), v1::Spec::PER_TENSOR_SYMMETRIC);
  EXPECT_EQ(bias.dtype(), v1::DATA_TYPE_INT32);
  EXPECT_FALSE(result.corrections(0).safe());
  EXPECT_EQ(Faults(CheckFor(Corrected(graph, result), "qnn_htp/SM8650@2.51")), 0);
}

TEST(RepairPt2, OfAConvertedProgramThereIsNoSearch) {
  const v1::Graph graph = FileOf("pt2/tinycnn.xnnpack_pc.pt2");
  const v1::Result result = CheckFor(graph, "qnn_lpai/SM8850");
  EXPECT_GT(Faults(result), 0);
  EXPECT_THAT(result.corrections(), IsEmpty());
  ASSERT_FALSE(result.not_checked().empty());
  EXPECT_THAT(result.not_checked(result.not_checked_size() - 1).reason(),
              ::testing::HasSubstr("the program is converted"));
}

// A weight that is turned leaves the bias its 32 bits.
TEST(RepairOnnx, ABiasCountsInTheUnitsOfATurnedWeight) {
  const v1::Graph graph = FileOf("onnx/bad.wscale_neg.tiny.qdq_u8s8.onnx");
  const v1::Result result = CheckFor(graph, "qnn_htp/SM8350@2.51");
  ASSERT_EQ(result.corrections_size(), 1);
  ASSERT_EQ(result.corrections(0).changes_size(), 2);
  EXPECT_GT(result.corrections(0).changes(0).after().qparams().scales(0), 0);
  EXPECT_EQ(result.corrections(0).changes(1).after().dtype(), v1::DATA_TYPE_INT32);
  EXPECT_EQ(Faults(CheckFor(Corrected(graph, result), "qnn_htp/SM8350@2.51")), 0);
}

// What the smallest and the largest number of each bias stand for.
std::map<std::string, std::vector<double>> RealBiases(const v1::Graph& message) {
  std::map<std::string, std::vector<double>> biases;
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  EXPECT_TRUE(graph.ok()) << graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || op.op->id != OpId::kConv) continue;
    const Operand* bias = resolved.input(op, 2);
    if (bias == nullptr || resolved.qparams(*bias) == nullptr) continue;
    const v1::Statistics& stored = message.values(bias->value).constant().statistics();
    const RealView& scales = resolved.qparams(*bias)->scales;
    for (size_t i = 0; i < scales.size(); ++i) {
      const int channel = static_cast<int>(i);
      biases[message.nodes(op.node).name()].push_back(scales[i] *
                                                      (scales.size() > 1 ? stored.axis_max(channel) : stored.max()));
    }
  }
  return biases;
}

TEST(RepairOnnx, ABiasInFewerBitsStillStandsForWhatItStoodFor) {
  const v1::Graph graph = FileOf("onnx/resnet8.qnn_a16_mixed.onnx");
  const v1::Result result = CheckFor(graph, "qnn_lpai/SM8850");
  const auto before = RealBiases(graph);
  const auto after = RealBiases(Corrected(graph, result));
  ASSERT_THAT(before, SizeIs(9));
  int narrowed = 0;
  for (const v1::Correction& correction : result.corrections()) {
    for (const v1::Change& change : correction.changes()) {
      if (change.before().dtype() != v1::DATA_TYPE_INT32 || change.after().dtype() == v1::DATA_TYPE_INT32) continue;
      const std::string& node = change.location().node();
      if (!before.contains(node)) continue;  // a Gemm
      ++narrowed;
      ASSERT_EQ(before.at(node).size(), after.at(node).size());
      double largest = 0;
      for (double number : before.at(node)) largest = std::max(largest, std::fabs(number));
      for (size_t i = 0; i < before.at(node).size(); ++i) {
        EXPECT_NEAR(after.at(node)[i], before.at(node)[i], largest / 127) << node << " " << i;
      }
    }
  }
  EXPECT_GE(narrowed, 8);
}

TEST(RepairOnnx, OfABiasThatIsNotKnownNothingNarrowerIsOffered) {
  v1::Graph graph = FileOf("onnx/resnet8.qnn_a16_mixed.onnx");
  for (v1::Value& value : *graph.mutable_values()) {
    if (value.dtype() == v1::DATA_TYPE_INT32 && value.dims_size() == 1) value.mutable_constant()->clear_statistics();
  }
  const v1::Result result = CheckFor(graph, "qnn_lpai/SM8850");
  for (const v1::Correction& correction : result.corrections()) {
    for (const v1::Change& change : correction.changes()) EXPECT_NE(change.before().dtype(), v1::DATA_TYPE_INT32);
  }
}

}  // namespace
}  // namespace quantgate
