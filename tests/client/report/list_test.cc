#include "client/report/list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/report/layout.h"

namespace quantgate {
namespace {

v1::ListReportsResponse TwoReports() {
  v1::ListReportsResponse list;
  for (const char* id : {"01234567-89ab-4cde-8f01-23456789abcd", "11234567-89ab-4cde-8f01-23456789abcd"}) {
    v1::Report& report = *list.add_reports();
    report.set_name(absl::StrCat("reports/", id));
    report.mutable_create_time()->set_seconds(1'800'000'000);
    report.mutable_create_time()->set_nanos(123);
    report.mutable_model()->set_path("models/vision/classifier.onnx");
    for (const char* target : {"qnn_htp/SM8350@2.51.0", "qnn_htp/SM8650@2.51.0", "onnxruntime/cpu@1.31.1"}) {
      v1::Result& result = *report.add_results();
      result.set_target(target);
      result.set_verdict(v1::Result::ACCEPTED);
    }
  }
  return list;
}

TEST(RenderList, IsALinePerReportWhereNobodyStatedAWidth) {
  const std::string text = RenderList(TwoReports(), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_NE(text.find("  2027-01-15T08:00:00Z  models/vision/classifier.onnx  + accepted qnn_htp/SM8350@2.51.0, "),
            std::string::npos)
      << text;
}

TEST(RenderList, FitsATerminal) {
  for (const int width : {60, 80, 120}) {
    Style style;
    style.width = width;
    style.width_stated = true;
    const std::string text = RenderList(TwoReports(), style);
    for (const auto line : absl::StrSplit(text, '\n')) EXPECT_LE(DisplayWidth(line), width) << text;
    for (const char* said : {"reports/11234567-89ab-4cde-8f01-23456789abcd", "2027-01-15T08:00:00Z",
                             "models/vision/classifier.onnx", "onnxruntime/cpu@1.31.1"}) {
      EXPECT_NE(text.find(said), std::string::npos) << text;
    }
  }
}

TEST(RenderList, StaysATableWhereThatFits) {
  Style style;
  style.width = 160;
  style.width_stated = true;
  v1::ListReportsResponse list = TwoReports();
  for (v1::Report& report : *list.mutable_reports()) report.mutable_results()->DeleteSubrange(1, 2);
  EXPECT_EQ(RenderList(list, style), RenderList(list, {}));
}

}  // namespace
}  // namespace quantgate
