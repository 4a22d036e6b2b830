// Both verdicts, as a reader sees them.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "client/report/confirmation_text.h"

namespace quantgate {
namespace {

v1::Result Example() {
  v1::Result result;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        target: "qnn_htp/SM8350@2.51.0"
        confirmation {
          sdk: "2.51.0"
          nodes {
            node: "relu"
            answers { backend_op: "Relu" answer: ACCEPTED }
          }
          nodes {
            node: "conv0"
            refused: true
            refused_by_vendor: true
            answers { backend_op: "Conv2d" answer: REFUSED step: "graphFinalize" code: 1002 reason: "no\tkernel" }
          }
          nodes {
            node: "conv1"
            refused: true
            refused_by_vendor: true
            answers { backend_op: "Conv2d" answer: REFUSED step: "graphFinalize" code: 1002 reason: "no\tkernel" }
          }
          nodes {
            node: "add"
            refused_by_vendor: true
            differs: true
            answers { backend_op: "Convert" answer: ACCEPTED }
            answers { backend_op: "ElementWiseAdd" answer: CRASHED step: "graphFinalize" reason: "signal 6" }
          }
          nodes {
            node: "gelu"
            refused: true
            differs: true
            answers { backend_op: "Gelu" answer: ACCEPTED }
          }
          nodes {
            node: "even"
            refused: true
            answers { backend_op: "Conv2d" answer: ACCEPTED }
          }
          nodes {
            node: "loop"
            answers { answer: NOT_ASKED reason: "the shape of in[0] is not known" }
          }
        })pb",
      &result));
  return result;
}

TEST(RenderConfirmation, MarksWhatDiffers) {
  Style style;
  style.width = 120;
  EXPECT_EQ(RenderConfirmation(v1::Result(), Style()), "");
  EXPECT_EQ(
      RenderConfirmation(Example(), style),
      "confirmed qnn_htp/SM8350@2.51.0, 7 nodes put to the vendor's library 2.51.0: 4 agree, 2 differ, 1 not asked\n"
      "node              operators                QuantGate  library    why\n"
      "conv0 and 1 more  Conv2d                   refused    refused    graphFinalize, code 1002: no\\x09kernel\n"
      "add               Convert, ElementWiseAdd  accepted   crashed    DIFFERS; graphFinalize: signal 6\n"
      "gelu              Gelu                     refused    accepted   DIFFERS\n"
      "even              Conv2d                   refused    accepted   refused for what is around it, or by the "
      "toolchain\n"
      "loop                                       accepted   not asked  the shape of in[0] is not known\n");
}

TEST(RenderConfirmation, VerboseNamesEveryNode) {
  Style style;
  style.verbose = true;
  const std::string text = RenderConfirmation(Example(), style);
  for (const char* node : {"\nrelu ", "\nconv0 ", "\nconv1 ", "\nadd ", "\ngelu ", "\neven ", "\nloop "}) {
    EXPECT_THAT(text, ::testing::HasSubstr(node));
  }
}

}  // namespace
}  // namespace quantgate
