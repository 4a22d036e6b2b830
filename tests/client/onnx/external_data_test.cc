// External data: read inside the model's folder, never outside it.
#include <sys/stat.h>

#include "client/error.h"
#include "client/onnx/onnx_importer.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;
using Status = v1::ExternalData;

struct Location {
  std::string path;
  std::string offset;
  std::string length;
  std::string checksum = "";
};

onnx::ModelProto ModelWith(const Location& location) {
  onnx::ModelProto model = EmptyModel();
  onnx::TensorProto* tensor = AddTensor(model.mutable_graph(), "w", onnx::TensorProto::UINT8, {4});
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [tensor](const std::string& key, const std::string& value) {
    if (value.empty()) return;
    onnx::StringStringEntryProto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location.path);
  add("offset", location.offset);
  add("length", location.length);
  add("checksum", location.checksum);
  return model;
}

class ExternalDataTest : public testing::Test {
 protected:
  ExternalDataTest() {
    outer_.Write("secret.bin", "secret!!");
    outer_.Write("model/w.bin", "\x01\x02\x03\x04\x05\x06");
    outer_.Write("model/sub/w.bin", "abcd");
    outer_.Write("model-2/w.bin", "abcd");
    fs::create_symlink("../secret.bin", outer_.path() / "model/link_out.bin");
    fs::create_symlink("w.bin", outer_.path() / "model/link_in.bin");
    fs::create_directory_symlink("..", outer_.path() / "model/up");
    ::mkfifo((outer_.path() / "model/pipe").c_str(), 0600);
  }

  v1::Constant Import(const Location& location) {
    const absl::StatusOr<v1::Graph> graph =
        ImportOnnx(ModelWith(location).SerializeAsString(), (outer_.path() / "model").string());
    EXPECT_TRUE(graph.ok()) << graph.status();
    return ValueNamed(*graph, "w").constant();
  }

  TempFolder outer_;
};

TEST_F(ExternalDataTest, ReadsInsideTheFolder) {
  const v1::Constant constant = Import({"w.bin", "1", "4"});
  EXPECT_EQ(constant.external().status(), Status::READ);
  EXPECT_EQ(constant.stored_bytes(), 4);
  EXPECT_EQ(constant.statistics().min(), 2);
  EXPECT_EQ(constant.ints(3), 5);
  EXPECT_EQ(Import({"sub/w.bin"}).external().status(), Status::READ);
  EXPECT_EQ(Import({"./sub/../w.bin"}).external().status(), Status::READ);
  EXPECT_EQ(Import({"link_in.bin"}).external().status(), Status::READ);
}

TEST_F(ExternalDataTest, WithoutLengthTheShapeDecides) {
  EXPECT_EQ(Import({"w.bin", "1"}).stored_bytes(), 4);
  // Less than the shape asks for: what is there.
  EXPECT_EQ(Import({"w.bin", "3"}).stored_bytes(), 3);
  EXPECT_EQ(Import({"w.bin"}).external().length(), -1);
  EXPECT_EQ(Import({"w.bin", "1", "0"}).stored_bytes(), 4);
}

TEST_F(ExternalDataTest, OneLocationIsStated) {
  onnx::ModelProto model = ModelWith({"w.bin"});
  onnx::TensorProto& tensor = *model.mutable_graph()->mutable_initializer(0);
  *tensor.add_external_data() = tensor.external_data(0);
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(model.SerializeAsString(), (outer_.path() / "model").string());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValueNamed(*graph, "w").constant().external().status(), Status::NO_LOCATION);
}

TEST_F(ExternalDataTest, NothingOutsideIsOpened) {
  for (const std::string path : {"../secret.bin", "link_out.bin", "up/secret.bin", "sub/../../secret.bin",
                                 "../model-2/w.bin", "../nowhere.bin"}) {
    const v1::Constant constant = Import({path});
    EXPECT_EQ(constant.external().status(), Status::OUTSIDE_MODEL_FOLDER) << path;
    EXPECT_EQ(constant.stored_bytes(), -1);
    EXPECT_FALSE(constant.has_statistics());
    EXPECT_EQ(constant.external().location(), path);
  }
  for (const std::string& path : {(outer_.path() / "model/w.bin").string(), std::string("C:\\w.bin")}) {
    EXPECT_EQ(Import({path}).external().status(), Status::ABSOLUTE_PATH) << path;
  }
}

TEST_F(ExternalDataTest, SaysWhatIsWrong) {
  EXPECT_EQ(Import({"nowhere.bin"}).external().status(), Status::MISSING);
  EXPECT_EQ(Import({""}).external().status(), Status::NO_LOCATION);
  EXPECT_EQ(Import({"sub"}).external().status(), Status::UNREADABLE);
  EXPECT_EQ(Import({"pipe"}).external().status(), Status::UNREADABLE);
  EXPECT_EQ(Import({std::string("w.bin\0x", 7)}).external().status(), Status::UNREADABLE);
  for (const Location& bad :
       {Location{"w.bin", "-1", "4"}, Location{"w.bin", "7", "0"}, Location{"w.bin", "3", "4"},
        Location{"w.bin", "0", "-1"}, Location{"w.bin", "0", "9223372036854775807"},
        Location{"w.bin", "9223372036854775807", "9223372036854775807"}, Location{"w.bin", "many", "4"},
        Location{"w.bin", " 1", "4"}, Location{"w.bin", "1\n", "4"}, Location{"w.bin", "+1", "4"}}) {
    EXPECT_EQ(Import(bad).external().status(), Status::BAD_RANGE) << bad.offset << " " << bad.length;
  }
}

// Nothing is claimed of it: no number is in the graph that is not in the file.
TEST_F(ExternalDataTest, WhatIsNoNumberIsLeftOut) {
  for (const Location& bad : {Location{"w.bin", "0x10", "4"}, Location{"w.bin", "99999999999999999999999", "4"},
                              Location{"w.bin", "1", " 0 "}, Location{"w.bin", "-", "4"}}) {
    const v1::Constant constant = Import(bad);
    EXPECT_EQ(constant.external().status(), Status::BAD_RANGE) << bad.offset;
    EXPECT_EQ(constant.external().offset(), 0) << bad.offset;
    EXPECT_EQ(constant.external().length(), -1) << bad.length;
    EXPECT_EQ(constant.stored_bytes(), -1);
    EXPECT_FALSE(constant.has_statistics());
  }
  const v1::Constant negative = Import({"w.bin", "-3", "4"});
  EXPECT_EQ(negative.external().offset(), -3);
  EXPECT_EQ(negative.external().length(), 4);
  // Where it is comes first.
  EXPECT_EQ(Import({"../secret.bin", "0x10", "4"}).external().status(), Status::OUTSIDE_MODEL_FOLDER);
  EXPECT_EQ(Import({"nowhere.bin", "0x10", "4"}).external().status(), Status::MISSING);
}

TEST_F(ExternalDataTest, TheChecksumIsThatOfTheWholeFile) {
  const std::string sha1 = "5D211bad8f4ee70e16c7d343a838fc344a1ed961";  // printf '\1\2\3\4\5\6' | sha1sum
  EXPECT_EQ(Import({"w.bin", "2", "4", sha1}).external().status(), Status::READ);
  EXPECT_EQ(Import({"w.bin", "2", "4", "no checksum"}).external().status(), Status::READ);
  const auto other =
      ImportOnnx(ModelWith({"sub/w.bin", "0", "4", sha1}).SerializeAsString(), (outer_.path() / "model").string());
  EXPECT_EQ(ErrorCode(other.status()), "FI005");
  EXPECT_NE(other.status().message().find("5d211bad"), std::string::npos);
}

TEST_F(ExternalDataTest, WithoutAFolderNothingIsOpened) {
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(ModelWith({"w.bin"}).SerializeAsString(), "");
  EXPECT_EQ(ValueNamed(*graph, "w").constant().external().status(), Status::MISSING);
}

// Gigabytes of weights are located and left alone; what fits is read, in the order of the file.
TEST_F(ExternalDataTest, BeyondWhatIsToBeReadElementsAreNotLookedAt) {
  for (int64_t bytes : {3, 4}) {
    ImportOptions options;
    options.max_scanned_bytes = bytes;
    const absl::StatusOr<v1::Graph> graph =
        ImportOnnx(ModelWith({"w.bin", "0", "4"}).SerializeAsString(), (outer_.path() / "model").string(), options);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const v1::Constant& constant = ValueNamed(*graph, "w").constant();
    EXPECT_EQ(constant.external().status(), bytes < 4 ? Status::STATUS_UNSPECIFIED : Status::READ);
    EXPECT_EQ(constant.has_statistics(), bytes >= 4);
    EXPECT_EQ(constant.stored_bytes(), 4);
  }
}

TEST_F(ExternalDataTest, TheTotalIsLimited) {
  ImportOptions options;
  options.max_external_bytes = 3;
  const absl::StatusOr<v1::Graph> graph =
      ImportOnnx(ModelWith({"w.bin"}).SerializeAsString(), (outer_.path() / "model").string(), options);
  EXPECT_EQ(ErrorCode(graph.status()), "FI002");
}

}  // namespace
}  // namespace quantgate
