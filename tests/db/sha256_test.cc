#include "db/sha256.h"

#include <gtest/gtest.h>

namespace quantgate {
namespace {

// FIPS 180-2, example B.1.
TEST(Sha256, OfAbc) { EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); }

TEST(Sha256, OfNothing) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace quantgate
