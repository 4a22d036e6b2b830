// Arrays in numpy's files: what numpy itself writes and reads is in tests/client/python/test_simulate.py.
#include "client/npz/npz.h"

#include <cstring>

#include "client/error.h"
#include "client/model_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"

namespace quantgate {
namespace {

using simulator::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Npy(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(header.size() & 255));
  bytes.push_back(static_cast<char>(header.size() >> 8));
  return bytes + header + data;
}

std::string Error(const std::string& bytes) {
  const absl::StatusOr<Tensor> tensor = ParseNpy(bytes);
  EXPECT_FALSE(tensor.ok());
  EXPECT_EQ(ErrorCode(tensor.status()), "FI001");
  return std::string(tensor.status().message());
}

TEST(Npy, ReadsIntegers) {
  const auto tensor = ParseNpy(Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n", "\1\2\3\4\5\xff"));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->dims, ElementsAre(2, 3));
  EXPECT_THAT(tensor->as<int8_t>(), ElementsAre(1, 2, 3, 4, 5, -1));
}

TEST(Npy, TurnsTheOrderOfFortran) {
  const auto tensor = ParseNpy(Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "\1\2\3\4\5\6"));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->dims, ElementsAre(2, 3));
  EXPECT_THAT(tensor->as<uint8_t>(), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Npy, HalvesBecomeFloats) {
  // 1.0, -2.0, the smallest subnormal.
  const auto tensor = ParseNpy(
      Npy("{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }\n", std::string("\x00\x3c\x00\xc0\x01\x00", 6)));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->as<float>(), ElementsAre(1.0f, -2.0f, 0x1p-24f));
}

TEST(Npy, SizesDoNotLie) {
  EXPECT_THAT(Error(Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 4), }\n", "\1\2\3")),
              HasSubstr("asks for 8 bytes, and it has 3"));
  EXPECT_THAT(Error(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 99999999, 99999999), }\n", "")),
              HasSubstr("elements"));
  EXPECT_THAT(Error(Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (-1,), }\n", "\1")), HasSubstr("shape"));
  EXPECT_THAT(Error(std::string("\x93NUMPY\x01\x00\xff\xff{'descr'", 18)), HasSubstr("header of 65535 bytes"));
}

TEST(Npy, OtherTypesAreNotRead) {
  EXPECT_THAT(Error(Npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", "\1\2\3\4")),
              HasSubstr("'>f4'"));
  EXPECT_THAT(Error(Npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "")), HasSubstr("'|O'"));
  EXPECT_THAT(Error("PK"), HasSubstr("no .npy"));
}

TEST(Npz, WhatIsWrittenIsRead) {
  const TempFolder folder;
  const std::string path = (folder.path() / "a.npz").string();
  Tensor tensor;
  tensor.type = v1::DATA_TYPE_INT16;
  tensor.dims = {2, 2};
  tensor.data.resize(8);
  const int16_t values[] = {1, -2, 300, -32768};
  std::memcpy(tensor.data.data(), values, sizeof(values));
  Tensor scalar;
  scalar.type = v1::DATA_TYPE_FLOAT32;
  scalar.data.resize(4, std::byte{0});
  NpzWriter writer(1 << 20);
  ASSERT_TRUE(writer.Add("block/conv:0", tensor).ok());
  ASSERT_TRUE(writer.Add("scalar", scalar).ok());
  ASSERT_TRUE(writer.Add("scalar", tensor).ok());  // the first is kept
  ASSERT_TRUE(writer.Close(path).ok());
  const auto arrays = ReadNpz(path, 1 << 20);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_THAT(arrays->at("block/conv:0").as<int16_t>(), ElementsAre(1, -2, 300, -32768));
  EXPECT_THAT(arrays->at("block/conv:0").dims, ElementsAre(2, 2));
  EXPECT_TRUE(arrays->at("scalar").dims.empty());
}

// Times of writing would make another file of the same tensors.
TEST(Npz, IsTheSameFileAtAnyTime) {
  const TempFolder folder;
  const std::string path = (folder.path() / "a.npz").string();
  Tensor scalar;
  scalar.type = v1::DATA_TYPE_FLOAT32;
  scalar.data.resize(4, std::byte{0});
  NpzWriter writer(1 << 20);
  ASSERT_TRUE(writer.Add("scalar", scalar).ok());
  ASSERT_TRUE(writer.Close(path).ok());
  const absl::StatusOr<std::string> bytes = ReadModelFile(path, 1 << 20);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  // Of the first entry: 0:00 on 1 January 1980.
  EXPECT_EQ(bytes->substr(10, 4), std::string("\0\0\x21\0", 4));
}

TEST(Npz, OfNothingIsAFile) {
  const TempFolder folder;
  const std::string path = (folder.path() / "empty.npz").string();
  ASSERT_TRUE(NpzWriter(1 << 20).Close(path).ok());
  const auto arrays = ReadNpz(path, 1 << 20);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_TRUE(arrays->empty());
}

TEST(Npz, KeepsToItsLimit) {
  Tensor tensor;
  tensor.type = v1::DATA_TYPE_INT8;
  tensor.dims = {16};
  tensor.data.resize(16, std::byte{0});
  NpzWriter writer(20);
  EXPECT_TRUE(writer.Add("a", tensor).ok());
  EXPECT_EQ(writer.Add("b", tensor).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Npz, NamesTheDamagedMember) {
  const TempFolder folder;
  const auto missing = ReadNpz((folder.path() / "none.npz").string(), 1 << 20);
  EXPECT_EQ(ErrorCode(missing.status()), "FI001");
  EXPECT_THAT(std::string(ReadNpz(folder.Write("x.npz", "no archive"), 1 << 20).status().message()),
              HasSubstr("x.npz"));
}

}  // namespace
}  // namespace quantgate
