// GS017 on small graphs; tests/client/python/test_assignments.py compares it with what real quantizers make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::ResultOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;

// Where the spec is: nowhere; on the tensor, whose readers then share what is dequantized; on its view; on the edge
// into the view, or into the last reader.
enum class Quantized { kNothing, kTensor, kView, kIntoView, kReader };

// y = neg(x); y.view[...] = z; return neg(y)
struct Program {
  Quantized quantized = Quantized::kIntoView;
  std::string write = "aten.copy_.default";
  std::string view = "aten.select.int";
  bool is_read_later = true;
  bool of_constant = false;
};

std::vector<std::string> LostIn(const Program& program) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {4, 8});
  b.Input("z", kF32, {4});
  const int act = b.Act();
  const auto spec = [&](Quantized at) { return program.quantized == at ? act : 0; };
  if (program.of_constant) {
    b.Weight("y", kF32, {4, 8}, 128);
  } else {
    b.Node("aten.neg.default", "y", {"x"}, {"y"});
    b.Shape("y", kF32, {4, 8}).set_spec(spec(Quantized::kTensor));
  }
  b.Node(program.view, "view", {"y"}, {"view"}).add_input_specs(spec(Quantized::kIntoView));
  b.Shape("view", kF32, {4}).set_spec(spec(Quantized::kView));
  b.Node(program.write, "write", {"view", "z"}, {"write"});
  b.Shape("write", kF32, {4});
  b.Node("aten.neg.default", "last", {program.is_read_later ? "y" : "write"}, {"last"})
      .add_input_specs(spec(Quantized::kReader));
  b.Shape("last", kF32, {4, 8});
  b.Output("last");
  std::vector<std::string> nodes;
  const v1::Result result = ResultOf(b, "qnn_htp/SM8650@2.49");
  for (const v1::Finding& finding : result.findings()) {
    if (finding.code() == "GS017") nodes.push_back(finding.location().node());
  }
  return nodes;
}

TEST(LostAssignment, IsFoundWhereverTheCopyIsMade) {
  EXPECT_THAT(LostIn({Quantized::kIntoView}), ElementsAre("write"));
  EXPECT_THAT(LostIn({Quantized::kView}), ElementsAre("write"));
  EXPECT_THAT(LostIn({Quantized::kReader}), ElementsAre("write"));
  EXPECT_THAT(LostIn({Quantized::kTensor}), IsEmpty());
  EXPECT_THAT(LostIn({Quantized::kNothing}), IsEmpty());
}

TEST(LostAssignment, NeedsAWriteIntoAView) {
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.add_.Tensor"}), ElementsAre("write"));
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.add.Tensor"}), IsEmpty());
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.copy_.default", "aten.slice.Tensor"}), ElementsAre("write"));
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.copy_.default", "aten.clone.default"}), IsEmpty());
}

TEST(LostAssignment, NeedsAReaderOfTheTensor) {
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.copy_.default", "aten.select.int", false}), IsEmpty());
}

// A cache that is read with a spec is read as it was before.
TEST(LostAssignment, OfABufferToo) {
  Program program;
  program.of_constant = true;
  program.quantized = Quantized::kReader;
  EXPECT_THAT(LostIn(program), ElementsAre("write"));
  program.quantized = Quantized::kNothing;
  EXPECT_THAT(LostIn(program), IsEmpty());
}

}  // namespace
}  // namespace quantgate
