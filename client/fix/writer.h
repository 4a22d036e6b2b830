// Writers of corrected models: one function for each format that has one.
#ifndef QUANTGATE_CLIENT_FIX_WRITER_H_
#define QUANTGATE_CLIENT_FIX_WRITER_H_

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/corrections/apply.h"

namespace quantgate {

struct WriteTask {
  absl::string_view bytes;                 // of the model file
  const std::string& folder;               // where its external data is
  const v1::Graph& graph;                  // what its importer read of it
  absl::Span<const TensorChange> changes;  // those of one correction side by side
};

// A change that the file does not have: it was not possible without a guess, or it would change more than it says.
struct UnwrittenChange {
  std::string tensor;
  std::string reason;  // "it is an output of the model: …"
};

struct WrittenModel {
  std::string bytes;  // of the corrected file; but for the tensors that change, what the model's file says
  std::vector<UnwrittenChange> left;
  std::vector<std::string> external;  // locations of files that it still refers to, relative to the model's folder
};

// Errors: FI001 when the bytes are not those of the model, FI002 when the corrected model is larger than its format can
// be.
using ModelWriter = absl::StatusOr<WrittenModel> (*)(const WriteTask& task);

absl::StatusOr<WrittenModel> WriteOnnx(const WriteTask& task);
absl::StatusOr<WrittenModel> WriteTflite(const WriteTask& task);
// `bytes` are those of the encodings file.
absl::StatusOr<WrittenModel> WriteEncodings(const WriteTask& task);

// What writers share.

// Calls `write` with the changes of each correction.
void ForEachCorrection(absl::Span<const TensorChange> changes,
                       const std::function<void(absl::Span<const TensorChange>)>& write);

// Adds all changes of a correction to `left`, because `culprit`, one of them, cannot be written.
void LeaveOut(absl::Span<const TensorChange> changes, const TensorChange& culprit, absl::string_view why,
              const v1::Graph& graph, std::vector<UnwrittenChange>& left);

// The stored integers stay as they are: they stand for the same within what float32 keeps. So they do where the same
// numbers are stated along another axis: the one before does not have as many elements, and they stood for nothing.
bool KeepsIntegers(const TensorChange& change);

// Writes each correction whole or not at all: `prepare` makes a plan for a change, or says why there is none; `carry`
// writes what was planned. `left` gets what was not written.
template <typename Prepare, typename Carry>
void WriteCorrections(const WriteTask& task, Prepare prepare, Carry carry, std::vector<UnwrittenChange>& left) {
  ForEachCorrection(task.changes, [&](absl::Span<const TensorChange> changes) {
    std::vector<typename std::invoke_result_t<Prepare, const TensorChange&>::value_type> plans;
    for (const TensorChange& change : changes) {
      auto plan = prepare(change);
      if (!plan.ok()) return LeaveOut(changes, change, plan.status().message(), task.graph, left);
      plans.push_back(*std::move(plan));
    }
    for (size_t i = 0; i < changes.size(); ++i) carry(changes[i], plans[i]);
  });
}

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FIX_WRITER_H_
