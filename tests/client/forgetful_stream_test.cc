#include "client/forgetful_stream.h"

#include <string>

#include "google/protobuf/wrappers.pb.h"
#include "gtest/gtest.h"

namespace quantgate {
namespace {

// No two pages alike.
std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 4096);
  return bytes;
}

TEST(ForgetfulStream, GivesAllBytesInOrder) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100'000}, size_t{262'144}, size_t{1'000'003}}) {
    const std::string bytes = Bytes(size);
    ForgetfulStream stream(bytes);
    std::string read;
    const void* data = nullptr;
    int count = 0;
    while (stream.Next(&data, &count)) read.append(static_cast<const char*>(data), static_cast<size_t>(count));
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(stream.ByteCount(), static_cast<int64_t>(size));
  }
}

TEST(ForgetfulStream, WhatIsGivenBackComesAgain) {
  const std::string bytes = Bytes(600'000);
  ForgetfulStream stream(bytes);
  const void* data = nullptr;
  int count = 0;
  ASSERT_TRUE(stream.Next(&data, &count));
  ASSERT_TRUE(stream.Next(&data, &count));
  const auto begin = static_cast<size_t>(stream.ByteCount()) - static_cast<size_t>(count);
  stream.BackUp(count - 10);
  EXPECT_EQ(stream.ByteCount(), static_cast<int64_t>(begin + 10));
  ASSERT_TRUE(stream.Next(&data, &count));
  EXPECT_EQ(std::string(static_cast<const char*>(data), static_cast<size_t>(count)),
            bytes.substr(begin + 10, static_cast<size_t>(count)));
}

TEST(ForgetfulStream, SkipsWithinTheBytesOnly) {
  ForgetfulStream stream(Bytes(600'000));
  EXPECT_TRUE(stream.Skip(500'000));
  const void* data = nullptr;
  int count = 0;
  ASSERT_TRUE(stream.Next(&data, &count));
  EXPECT_EQ(count, 100'000);
  EXPECT_EQ(static_cast<const char*>(data)[0], Bytes(600'000)[500'000]);
  EXPECT_FALSE(stream.Skip(1));
}

TEST(ForgetfulStream, AParserReadsFieldsAcrossPieces) {
  google::protobuf::BytesValue message;
  message.set_value(Bytes(3'000'000));
  ForgetfulStream stream(message.SerializeAsString());
  google::protobuf::BytesValue parsed;
  ASSERT_TRUE(parsed.ParseFromZeroCopyStream(&stream));
  EXPECT_EQ(parsed.value(), message.value());
}

}  // namespace
}  // namespace quantgate
