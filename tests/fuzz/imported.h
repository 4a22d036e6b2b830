// What importers promise for any bytes: a graph that can be sent and that the rules can judge, or an error with a code.
#ifndef QUANTGATE_TESTS_FUZZ_IMPORTED_H_
#define QUANTGATE_TESTS_FUZZ_IMPORTED_H_

#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"
#include "client/error.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/resolve.h"
#include "rules/soundness/rules.h"

namespace quantgate::fuzz {

inline void Require(bool condition) {
  if (!condition) std::abort();
}

// What a file can get wrong is for the rules: every id holds.
inline void JudgeScope(const v1::Graph& message, const v1::Graph& model) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  Require(graph.ok());
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  const CheckContext context(*graph, resolved, &model);
  FindingSink sink;
  for (const Rule& rule : SoundnessRules()) rule.check(context, sink);
  for (const v1::Graph& body : message.subgraphs()) JudgeScope(body, model);
}

inline void CheckSendable(const v1::Graph& message) {
  v1::Graph again;
  Require(again.ParseFromString(message.SerializeAsString()));
}

inline void CheckGraph(const v1::Graph& message) {
  CheckSendable(message);
  JudgeScope(message, message);
}

// With one of the codes that client/import.h names.
inline void CheckError(const absl::Status& status) {
  const std::string code = ErrorCode(status);
  Require(code == "FI001" || code == "FI002" || code == "FI003");
}

inline void CheckImported(const absl::StatusOr<v1::Graph>& graph) {
  if (graph.ok()) {
    CheckGraph(*graph);
  } else {
    CheckError(graph.status());
  }
}

}  // namespace quantgate::fuzz

#endif  // QUANTGATE_TESTS_FUZZ_IMPORTED_H_
