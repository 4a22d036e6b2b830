// Renders drafts into a result, within bounds.
#ifndef QUANTGATE_RULES_ENGINE_FINDING_WRITER_H_
#define QUANTGATE_RULES_ENGINE_FINDING_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "quantgate/v1/report.pb.h"
#include "rules/engine/finding.h"
#include "rules/graph/graph.h"

namespace quantgate {

// One result's findings. First every list is added, then all are written in the order of addition: what is left out,
// when there is too much, are the least severe ones, and never the last of a severity; so the verdict stays true.
class FindingWriter {
 public:
  // `max_findings` and `max_bytes` (of rendered text, estimated): of the whole result.
  FindingWriter(int64_t max_findings, int64_t max_bytes) : findings_left_(max_findings), bytes_left_(max_bytes) {}

  // Sorts `drafts` as readers rely on it: node in file order (the whole graph first), code, port (inputs before
  // outputs), value, element. Graph, path ("" for the main graph) and drafts must outlive Write.
  void Add(const Graph& graph, const std::string& path, std::vector<FindingDraft>& drafts);

  // Notes in result.not_checked how many were left out.
  void Write(v1::Result& result);

 private:
  struct List {
    const Graph* graph;
    const std::string* path;
    const std::vector<FindingDraft>* drafts;
  };
  struct Share {
    int64_t findings = 0;
    int64_t bytes = 0;
  };
  static constexpr int kSeverities = 4;

  int64_t findings_left_;
  int64_t bytes_left_;
  std::vector<List> lists_;
  Share wanted_[kSeverities];  // by v1::Finding::Severity
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_FINDING_WRITER_H_
