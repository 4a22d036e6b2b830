// Records of single operator calls with what runtimes made of them: one JSON object a line, gzipped or not.
//   op, attrs, inputs [{name, qdtype, dtype, shape, q: {scale, zp, axis}, z}], output {qdtype, q}, oracles {name:
//   tensor}
// attrs: num_outputs and output_index, where an operator has several outputs of one type and one of them is recorded.
// Tensors: `z` is base64 of zlib of the little-endian bytes in C order; {"same_as": X} repeats oracle X.
#ifndef QUANTGATE_TESTS_RULES_SIMULATOR_RECORD_H_
#define QUANTGATE_TESTS_RULES_SIMULATOR_RECORD_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

struct Record {
  std::string id;
  std::string op;
  OpId op_id = OpId::kUnknown;
  Layout layout = Layout::kChannelsLast;
  Attributes attributes;
  std::vector<QTensor> inputs;
  QTensor output;  // type and quantization
  std::map<std::string, Tensor> oracles;
};

// Calls `each` for every record of the file; an error names the line.
absl::Status ForEachRecord(const std::string& path, absl::FunctionRef<void(const Record&)> each);

// The profile that is to give an oracle's numbers; null: none.
const Profile* ProfileOfOracle(const std::string& oracle);

struct Answer {
  absl::Status status;  // of the kernel
  QTensor output;       // the one that the record is about
};

// Runs the record's operator under `profile`.
Answer Compute(const Record& record, const Profile& profile);

struct Difference {
  absl::Status status;   // of the kernel
  int64_t elements = 0;  // compared
  int64_t differ = 0;
  double largest = 0;  // in steps of the output
};

// Computes the record and compares with `expected`.
Difference Compare(const Record& record, const Profile& profile, const Tensor& expected);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_TESTS_RULES_SIMULATOR_RECORD_H_
