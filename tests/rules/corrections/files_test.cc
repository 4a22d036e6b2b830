// Files whose parameters say what was meant, and neighbors that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/import.h"
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

}  // namespace
}  // namespace quantgate
