// Small graphs as files, with what a runtime computed for them: tests/rules/data/graphs, written by
// tests/runtimes/graphs.
#ifndef QUANTGATE_TESTS_RULES_SIMULATOR_GRAPH_RECORD_H_
#define QUANTGATE_TESTS_RULES_SIMULATOR_GRAPH_RECORD_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "rules/simulator/run/report.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

using Tensors = absl::flat_hash_map<std::string, Tensor>;

struct GraphRecord {
  v1::Graph graph;
  std::string profile;  // of the runtime
  Tensors inputs;
  Tensors outputs;      // what it computed
  int64_t steps = 0;    // that integers may differ by
  double relative = 0;  // that real numbers may differ by, of the largest

  // Refers to this record.
  Request request() const;
};

// Calls with every `every`th record of tests/rules/data/graphs/NAME.jsonl.gz and returns how many there were. A record
// that cannot be read is a failure of the test.
int ForEachGraphRecord(const std::string& name, int every, const std::function<void(const GraphRecord&)>& use);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_TESTS_RULES_SIMULATOR_GRAPH_RECORD_H_
