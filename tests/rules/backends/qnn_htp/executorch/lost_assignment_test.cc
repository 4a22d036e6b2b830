// GS017 on small graphs; tests/client/python/test_assignments.py compares it with what real quantizers make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::CodesAt;
using ::quantgate::testing::ResultOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;

// Where the spec is: nowhere; on the tensor, whose readers then share what is dequantized; on its view; on the edge
// into the view, or into the last reader; on the tensor and what the last reader computes, or on that alone.
enum class Quantized { kNothing, kTensor, kView, kIntoView, kReader, kTensorAndResult, kResult };

// GS017 at the node, or nothing.
std::vector<std::string> LostAt(const AnnotatedBuilder& b, const std::string& node) {
  std::vector<std::string> codes = CodesAt(ResultOf(b, "qnn_htp/SM8650@2.49"), node);
  codes.erase(std::remove_if(codes.begin(), codes.end(), [](const std::string& code) { return code != "GS017"; }),
              codes.end());
  return codes;
}

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
    b.Shape("y", kF32, {4, 8})
        .set_spec(spec(program.quantized == Quantized::kTensorAndResult ? program.quantized : Quantized::kTensor));
  }
  b.Node(program.view, "view", {"y"}, {"view"}).add_input_specs(spec(Quantized::kIntoView));
  b.Shape("view", kF32, {4}).set_spec(spec(Quantized::kView));
  b.Node(program.write, "write", {"view", "z"}, {"write"});
  b.Shape("write", kF32, {4});
  b.Node("aten.neg.default", "last", {program.is_read_later ? "y" : "write"}, {"last"})
      .add_input_specs(spec(Quantized::kReader));
  b.Shape("last", kF32, {4, 8})
      .set_spec(spec(program.quantized == Quantized::kTensorAndResult ? program.quantized : Quantized::kResult));
  b.Output("last");
  return LostAt(b, "write");
}

TEST(LostAssignment, IsFoundWhereverTheCopyIsMade) {
  EXPECT_THAT(LostIn({Quantized::kIntoView}), ElementsAre("GS017"));
  EXPECT_THAT(LostIn({Quantized::kView}), ElementsAre("GS017"));
  EXPECT_THAT(LostIn({Quantized::kReader}), ElementsAre("GS017"));
  EXPECT_THAT(LostIn({Quantized::kTensor}), IsEmpty());
  EXPECT_THAT(LostIn({Quantized::kNothing}), IsEmpty());
}

// convert_pt2e copies the Dequantize for every user that is annotated, if for its output alone.
TEST(LostAssignment, AReaderWithAnOutputSpecReadsACopyOfWhatIsObserved) {
  EXPECT_THAT(LostIn({Quantized::kTensorAndResult}), ElementsAre("GS017"));
  EXPECT_THAT(LostIn({Quantized::kResult}), IsEmpty());
}

TEST(LostAssignment, NeedsAWriteIntoAView) {
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.add_.Tensor"}), ElementsAre("GS017"));
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.add.Tensor"}), IsEmpty());
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.copy_.default", "aten.slice.Tensor"}), ElementsAre("GS017"));
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.copy_.default", "aten.clone.default"}), IsEmpty());
}

TEST(LostAssignment, NeedsAReaderOfTheTensor) {
  EXPECT_THAT(LostIn({Quantized::kIntoView, "aten.copy_.default", "aten.select.int", false}), IsEmpty());
}

// A cache that is read with a spec is read as it was before; one that is written by its copy keeps nothing for the next
// call, whether or not this one reads it.
TEST(LostAssignment, OfABufferToo) {
  Program program;
  program.of_constant = true;
  program.quantized = Quantized::kReader;
  EXPECT_THAT(LostIn(program), ElementsAre("GS017"));
  program.quantized = Quantized::kNothing;
  EXPECT_THAT(LostIn(program), IsEmpty());
  program.is_read_later = false;
  EXPECT_THAT(LostIn(program), IsEmpty());
  program.quantized = Quantized::kView;
  EXPECT_THAT(LostIn(program), ElementsAre("GS017"));
}

// What copy_ and put_ write is quantized at every call, and what add_ writes once and for all.
TEST(LostAssignment, OfABufferThatIsReadBeforeItIsWritten) {
  const auto lost_by = [](const std::string& write) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Weight("state", kF32, {4, 8}, 128);
    b.Node("aten.add.Tensor", "sum", {"x", "state"}, {"sum"}).add_input_specs(0);
    b.Find("sum").add_input_specs(b.Act());
    b.Shape("sum", kF32, {4, 8});
    b.Node(write, "write", {"state", "sum"}, {"write"});
    b.Shape("write", kF32, {4, 8});
    b.Output("sum");
    return LostAt(b, "write");
  };
  EXPECT_THAT(lost_by("aten.copy_.default"), IsEmpty());
  EXPECT_THAT(lost_by("aten.index_put_.default"), IsEmpty());
  EXPECT_THAT(lost_by("aten.index_copy_.default"), IsEmpty());
  EXPECT_THAT(lost_by("aten.add_.Tensor"), ElementsAre("GS017"));
}

// y[i] += z: the sum goes into another view of y.
TEST(LostAssignment, IsNoneWhereTheResultIsWrittenAgain) {
  for (const char* target : {"y", "x"}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    const int act = b.Act();
    b.Node("aten.neg.default", "y", {"x"}, {"y"});
    b.Shape("y", kF32, {4, 8});
    b.Node("aten.select.int", "from", {"y"}, {"from"});
    b.Shape("from", kF32, {4}).set_spec(act);
    b.Node("aten.add_.Tensor", "add", {"from", "from"}, {"add"});
    b.Shape("add", kF32, {4});
    b.Node("aten.select.int", "into", {target}, {"into"});
    b.Shape("into", kF32, {4});
    b.Node("aten.copy_.default", "copy", {"into", "add"}, {"copy"});
    b.Shape("copy", kF32, {4});
    b.Output("y");
    EXPECT_EQ(LostAt(b, "add").size(), target == std::string("x") ? 1u : 0u) << target;
  }
}

// Of what is read of the tensor afterwards, the numbers count.
TEST(LostAssignment, NeedsAReaderOfNumbers) {
  for (const char* reader : {"aten.zeros_like.default", "aten.copy_.default", "aten.neg.default"}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4, 8});
    const int act = b.Act();
    b.Node("aten.neg.default", "y", {"x"}, {"y"});
    b.Shape("y", kF32, {4, 8});
    b.Node("aten.select.int", "view", {"y"}, {"view"});
    b.Shape("view", kF32, {4}).set_spec(act);
    b.Node("aten.fill_.Scalar", "write", {"view"}, {"write"});
    b.Shape("write", kF32, {4});
    b.Node(reader, "last", {"y", "x"}, {"last"});
    b.Shape("last", kF32, {4, 8});
    b.Output("last");
    const bool lost = reader == std::string("aten.neg.default");
    EXPECT_EQ(LostAt(b, "write").size(), lost ? 1u : 0u) << reader;
  }
}

}  // namespace
}  // namespace quantgate
