// Lists of what a collection of model files holds, a JSON object a line: cases.jsonl and qparams.jsonl.
#ifndef QUANTGATE_TESTS_CLIENT_FIXTURE_LINES_H_
#define QUANTGATE_TESTS_CLIENT_FIXTURE_LINES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace quantgate::testing {

using google::protobuf::Struct;

#ifdef QUANTGATE_SANITIZED_THREADS
inline constexpr bool kMapsDiffer = true;  // protobuf's, between objects with ThreadSanitizer and a library without it
#else
inline constexpr bool kMapsDiffer = false;
#endif

// The folder that the environment variable names, else the repository's own.
inline std::filesystem::path FixtureFolder(const char* variable, const std::filesystem::path& own) {
  const char* other = std::getenv(variable);
  return other != nullptr ? std::filesystem::path(other) : own;
}

inline std::vector<Struct> ReadLines(const std::filesystem::path& path) {
  std::vector<Struct> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &lines.emplace_back()).ok()) << line;
  }
  return lines;
}

inline const google::protobuf::Value& Field(const Struct& line, const std::string& name) {
  return line.fields().at(name);
}
inline std::string Text(const Struct& line, const std::string& name) { return Field(line, name).string_value(); }
inline double Number(const Struct& line, const std::string& name) { return Field(line, name).number_value(); }

inline bool IsClose(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_CLIENT_FIXTURE_LINES_H_
