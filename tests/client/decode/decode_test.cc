#include "client/decode/decode.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/all_rules.h"

namespace quantgate {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Decoder& BuiltinDecoder() {
  static const Decoder* decoder = [] {
    absl::StatusOr<db::LogMessages> messages = db::BuiltinLogMessages();
    EXPECT_TRUE(messages.ok()) << messages.status();
    absl::StatusOr<Decoder> created = Decoder::Create(*std::move(messages));
    EXPECT_TRUE(created.ok()) << created.status();
    return new Decoder(*std::move(created));
  }();
  return *decoder;
}

DecodedLog Decode(const std::string& text) { return BuiltinDecoder().Decode(text); }

std::string Means(const std::string& line) {
  const DecodedLog log = Decode(line);
  return log.messages.empty() ? "" : log.messages[0].means;
}

TEST(LogMessages, NameRulesThatExist) {
  std::set<std::string> codes;
  for (const RuleInfo* rule : AllRules()) codes.insert(rule->code);
  const absl::StatusOr<db::LogMessages> all = db::BuiltinLogMessages();
  ASSERT_TRUE(all.ok()) << all.status();
  for (const db::LogMessage& message : all->messages) {
    for (const std::string& rule : message.rules) {
      EXPECT_THAT(codes, Contains(rule)) << message.pattern << message.code;
    }
  }
}

// Every line of the public trackers that is kept beside the tests.
TEST(Decode, RealLines) {
  std::ifstream file(std::filesystem::path(QUANTGATE_TEST_DATA).parent_path() / "data" / "messages" / "real_lines.tsv");
  int lines = 0;
  for (std::string row; std::getline(file, row);) {
    if (row.empty() || row[0] == '#') continue;
    const std::vector<std::string> cells = absl::StrSplit(row, '\t');
    ASSERT_EQ(cells.size(), 4) << row;
    const DecodedLog log = Decode(cells[3]);
    ASSERT_EQ(log.messages.size(), 1) << row;
    EXPECT_EQ(log.messages[0].message->tool, cells[0]) << row;
    if (cells[1] == "-") {
      EXPECT_THAT(log.messages[0].message->rules, IsEmpty()) << row;
    } else {
      EXPECT_THAT(log.messages[0].message->rules, Contains(cells[1])) << row;
    }
    EXPECT_EQ(log.unknown_count, 0) << row;
    // No placeholder stays open.
    EXPECT_THAT(log.messages[0].means, Not(HasSubstr("{"))) << row;
    EXPECT_THAT(log.messages[0].change, Not(HasSubstr("{"))) << row;
    ++lines;
  }
  EXPECT_EQ(lines, 217);
}

TEST(Decode, FillsInWhatTheLineSays) {
  EXPECT_THAT(Means("<E> [12] has incorrect Value 69, expected >= 79."),
              HasSubstr("from Hexagon V79 on; the target is V69"));
  EXPECT_THAT(Means("Tensor 0 and 0 have mismatching datatypes. 0x416 != 0x308."),
              HasSubstr("UFIXED_POINT_16 (0x416) and SFIXED_POINT_8 (0x308)"));
  EXPECT_THAT(Means("0x408 != 0x232"), HasSubstr("UFIXED_POINT_8 (0x408) and FLOAT_32 (0x232)"));
  EXPECT_THAT(Means("0x999 != 0x232"), HasSubstr("an unknown type (0x999)"));
  EXPECT_THAT(Means("has incorrect Value 0, expected >= 73."), HasSubstr("not known"));
  EXPECT_THAT(Means("has incorrect Value 5, expected equal to 0."), HasSubstr("offset is 5"));
}

TEST(Decode, CodesAloneOrCalledErrors) {
  for (const char* line :
       {"3110", "0xc26", "0xC26", "error 3110", "  error code: 3110", "FullyConnected failed 3110 and 3110",
        "returned with error 0xc26", "Code: 0x00000c26", "status = 3110", "0x1b8c0000000c26", "7753755999079462"}) {
    EXPECT_THAT(Means(line), HasSubstr("backendValidateOpConfig")) << line;
  }
  for (const char* line : {"took 3110 ms", "loaded 3110 tensors", "error 31100", "errors: 3", "HTTP error 1002", "C26",
                           "0x1234567890c26", "error 0x7f3200010c26", "0x10c26"}) {
    EXPECT_EQ(Means(line), "") << line;
  }
  EXPECT_THAT(Means("QnnGraph_finalize failed with error 1002"), HasSubstr("no kernel"));
  EXPECT_THAT(Means("1002"), HasSubstr("no kernel"));
}

// What no tool's own list has, but says what lines of many tools say.
TEST(Decode, WordsOfAnyTool) {
  const std::pair<const char*, const char*> lines[] = {
      {"Scale coefficients must all be positive", "NR001"},
      {"[TRT] Missing scale and zero-point for tensor input_1", "FI009"},
      {"ValueError: zero_point must be 0 for qint32", "QS104"},
      {"per-channel quantization is not supported for this layer", "AX102"},
      {"CONCAT: inputs must have the same quantization parameters", "SH007"},
      {"std::abs(input_product_scale - bias_scale) <= 1e-6 * min was not true.", "FX001"},
      {"quantized bias 3 overflows int32", "NR004"},
      {"Operator aten::foo is not supported", "CV201"},
      {"RuntimeError: maximum recursion depth exceeded", "SH002"},
  };
  for (const auto& [line, rule] : lines) {
    const DecodedLog log = Decode(line);
    ASSERT_EQ(log.messages.size(), 1) << line;
    EXPECT_THAT(log.messages[0].message->rules, Contains(rule)) << line;
  }
}

TEST(Decode, NeighborsAreUnknown) {
  for (const char* line : {"the file has an incorrect value",
                           "expected >= 73",
                           "tensor datatypes match: 0x408 == 0x408",
                           "tfl.add op is fine",
                           "zero point 0",
                           "scale is 0.5",
                           "the operator conv took 3 ms",
                           "using the same scale factor in the plot title",
                           "loading 3 ops",
                           "[QNN Partitioner Op Support]: aten.relu.default | True",
                           "Op Conv2d supports A16W16 for dsp arch v73",
                           "Received static tensor at index 2",
                           "in[0] has dimension 4 at index 1",
                           "graph prepare took 3 s",
                           "input->type is kTfLiteInt8",
                           "bias range -2147483646 to 5",
                           "weight offset -2147483648 of 32 bits",
                           "Arch 75 set by custom config",
                           "delegated FULLY_CONNECTED node #67",
                           "quantization of weights is on",
                           "Model IR version: 10",
                           "opset 17 is used",
                           "dtype for quantization: int8",
                           "fallback to CPU EP is allowed",
                           "Could not run 'aten::_indices' with arguments from the 'CPU' backend."}) {
    EXPECT_TRUE(Decode(line).messages.empty()) << line;
  }
}

TEST(Decode, UnknownLinesAreSaidToBe) {
  const DecodedLog one = Decode("flux capacitor at 88\n");
  ASSERT_EQ(one.unknown.size(), 1);
  EXPECT_EQ(one.unknown[0].text, "flux capacitor at 88");
  // Of a log, the lines that speak of trouble.
  const DecodedLog log =
      Decode("[INFO] start\n\nERROR: the flux capacitor failed\nhas incorrect Value 68, expected >= 73.\n");
  EXPECT_EQ(log.lines, 3);
  ASSERT_EQ(log.messages.size(), 1);
  EXPECT_EQ(log.messages[0].line, 4);
  ASSERT_EQ(log.unknown.size(), 1);
  EXPECT_EQ(log.unknown[0].line, 3);
  EXPECT_EQ(log.unknown_count, 1);
}

TEST(Decode, SaysTheSameOnce) {
  std::string text;
  for (int i = 0; i < 500; ++i) absl::StrAppend(&text, "[", i, "] has incorrect Value 68, expected >= 73.\r\n");
  const DecodedLog log = Decode(text);
  ASSERT_EQ(log.messages.size(), 1);
  EXPECT_EQ(log.messages[0].count, 500);
}

TEST(Decode, WhatOverwritesIsALineToo) {
  std::string text = "start\n";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, "\r", i, " of 1000 [=====>     ]");
  absl::StrAppend(&text, "\rhas incorrect Value 68, expected >= 73.\r\nend\n");
  const DecodedLog log = Decode(text);
  ASSERT_EQ(log.messages.size(), 1);
  EXPECT_EQ(log.messages[0].line, 2);
  EXPECT_EQ(log.messages[0].text, "has incorrect Value 68, expected >= 73.");
}

TEST(Decode, OfLongLinesHeadAndEndCount) {
  const std::string message = "has incorrect Value 68, expected >= 73.", filling(1 << 20, 'x');
  for (const std::string& line :
       {absl::StrCat(message, " ", filling), absl::StrCat(filling, " ", message), absl::StrCat(message, filling)}) {
    EXPECT_EQ(Decode(line).messages.size(), 1) << line.substr(0, 50);
  }
  // Nothing is made of what did not stand together.
  EXPECT_TRUE(
      Decode(absl::StrCat(std::string(8192 - 11, 'x'), "error code ", filling, "3110 ", std::string(8192 - 5, 'x')))
          .messages.empty());
}

TEST(Decode, PiecesEndAnywhere) {
  const std::string text = absl::StrCat("one\r\nhas incorrect Value 68, expected >= 73.\r", std::string(40'000, 'x'),
                                        " error 3110\n\nerror: unknown thing");
  const DecodedLog whole = Decode(text);
  ASSERT_EQ(whole.messages.size(), 2);
  for (const size_t size : {1, 7, 8192, 16384}) {
    LogDecoding decoding(BuiltinDecoder());
    for (size_t i = 0; i < text.size(); i += size) decoding.Add(absl::string_view(text).substr(i, size));
    const DecodedLog log = decoding.Finish();
    EXPECT_EQ(log.lines, whole.lines);
    ASSERT_EQ(log.messages.size(), 2);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(log.messages[i].line, whole.messages[i].line);
      EXPECT_EQ(log.messages[i].text, whole.messages[i].text);
    }
    ASSERT_EQ(log.unknown.size(), 1);
    EXPECT_EQ(log.unknown[0].line, 4);
  }
}

TEST(Decode, IsBounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    absl::StrAppend(&text, "error: unknown thing ", i, "\nscale must be 1D tensor with size ", i, "\n");
  const DecodedLog log = Decode(text);
  EXPECT_EQ(log.unknown.size(), 20);
  EXPECT_EQ(log.unknown_count, 5000);
  EXPECT_EQ(log.messages.size(), 1000);
}

TEST(Decode, HostileBytes) {
  std::string bytes;
  for (int i = 0; i < 70'000; ++i) bytes.push_back(static_cast<char>(i * 7919 >> 3));
  std::vector<std::string> texts = {bytes,
                                    std::string(1 << 20, 'a'),
                                    std::string(1 << 20, '\0'),
                                    std::string(100'000, '\n'),
                                    "\x1b[31merror: \xff\xfe 3110\x1b[0m",
                                    "{1} {1:dtype} error 3110",
                                    absl::StrCat("REASON : xOpBuilder::y ", std::string(1 << 20, '{'))};
  for (const std::string& text : texts) {
    const DecodedLog log = Decode(text);
    for (const DecodedMessage& message : log.messages) {
      EXPECT_EQ(Utf8Prefix(message.text), message.text.size());
      EXPECT_EQ(Utf8Prefix(message.means), message.means.size());
    }
    for (const UnknownLine& line : log.unknown) EXPECT_EQ(Utf8Prefix(line.text), line.text.size());
  }
}

TEST(LogMessages, MalformedTextIsNamed) {
  for (const char* text : {"tool: x\nmessages: [", "messages: [{match: a}]", "messages: [{means: a}]", "mesages: []",
                           "messages: [{match: a, means: b, change: c, source: d, more: e}]", "codes: [{code: x}]",
                           "tool: x\n---\ntool: y"}) {
    db::LogMessages messages;
    const absl::Status status = db::ParseLogMessages("m.yaml", text, messages);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("m.yaml:")) << text;
  }
}

TEST(Decode, ABadPatternIsAFaultOfOurs) {
  db::LogMessages messages;
  messages.messages.push_back({"x", "(", 0, "", "m", {}, "c", "s"});
  EXPECT_EQ(Decoder::Create(messages).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace quantgate
