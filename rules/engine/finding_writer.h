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

// One result's findings, and what was not checked. First every list is added, then all are written in the order of
// addition: what is left out, when there is too much, are the least severe ones, and never the last of a severity; so
// the verdict stays true.
class FindingWriter {
 public:
  // `max_findings` (and as many entries of what was not checked) and `max_bytes` (of rendered text, estimated): of the
  // whole result.
  FindingWriter(int64_t max_findings, int64_t max_bytes) : max_findings_(max_findings), bytes_left_(max_bytes) {}

  // Written in the order that readers rely on: node in file order (the whole graph first), code, port (inputs before
  // outputs), value, element. Graph, path ("" for the main graph) and drafts must outlive Write.
  void Add(const Graph& graph, const std::string& path, const std::vector<FindingDraft>& drafts);

  // Graph and drafts must outlive Write.
  void AddNotChecked(const Graph& graph, const std::vector<NotCheckedDraft>& drafts) {
    not_checked_.push_back({&graph, &drafts});
  }

  // Findings that were dropped before they got here, to be counted with those that are left out here.
  void Count(const std::string& code, int64_t dropped) { left_out_[code] += dropped; }

  // Notes in result.not_checked how many were left out, findings by rule. True: none.
  bool Write(v1::Result& result);

 private:
  struct List {
    const Graph* graph;
    const std::string* path;
    std::vector<const FindingDraft*> drafts;  // in order
  };
  struct NotCheckedList {
    const Graph* graph;
    const std::vector<NotCheckedDraft>* drafts;
  };
  struct Share {
    int64_t findings = 0;
    int64_t bytes = 0;
  };
  static constexpr int kSeverities = 4;

  // False: not all fitted.
  bool WriteNotChecked(v1::Result& result) const;

  const int64_t max_findings_;
  int64_t bytes_left_;
  std::vector<List> lists_;
  std::vector<NotCheckedList> not_checked_;
  Share wanted_[kSeverities];  // by v1::Finding::Severity
  LeftOut left_out_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_FINDING_WRITER_H_
