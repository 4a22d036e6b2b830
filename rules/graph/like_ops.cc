#include "rules/graph/like_ops.h"

#include <cstring>

#include "rules/graph/mixer.h"

namespace quantgate {
namespace {

uint64_t Pair(int32_t high, int32_t low) { return static_cast<uint64_t>(high) << 32 | static_cast<uint32_t>(low); }

}  // namespace

int32_t LikeOps::FirstLike(int32_t number, const ResolvedOp& op, absl::Span<const Operand> operands) {
  const size_t begin = words_.size();
  // The same node of a file is one operator here and another one there: Quantize behind a Dequantize requantizes.
  words_.push_back(Pair(graph_.node_like(op.node), op.op == nullptr ? -1 : static_cast<int32_t>(op.op->id)));
  words_.push_back(Pair(op.input_count, op.output_count));
  for (const Operand& operand : operands) {
    if (operand.form == Operand::kFormUnlike) {
      words_.resize(begin);
      return -1;
    }
    Describe(operand);
  }
  const auto [first, inserted] = first_.insert({number, begin, words_.size()});
  if (!inserted) words_.resize(begin);
  return first->number;
}

void LikeOps::Describe(const Operand& operand) {
  const int32_t value = operand.value < 0 ? -1 : graph_.value_like(operand.value);
  const bool constant = operand.value >= 0 && graph_.is_constant(operand.value);
  int32_t edge_value = value;
  if (operand.edge_value != operand.value)
    edge_value = operand.edge_value < 0 ? -1 : graph_.value_like(operand.edge_value);
  const bool input = operand.edge_value >= 0 && graph_.is_graph_input(operand.edge_value);
  const uint64_t flags = operand.present | operand.quantized << 1 | operand.is_static << 2 | operand.static_chain << 3 |
                         operand.annotated_none << 4 | constant << 5 | input << 6;
  words_.push_back(Pair(value, edge_value));
  words_.push_back(Pair(operand.form, operand.argument));
  words_.push_back(static_cast<uint64_t>(operand.type) << 16 | operand.port << 8 | flags);
}

size_t LikeOps::Hash::operator()(const Described& op) const {
  Mixer mixer;
  for (size_t i = op.begin; i < op.end; ++i) mixer.Add(outer->words_[i]);
  return mixer.hash();
}

bool LikeOps::Equal::operator()(const Described& a, const Described& b) const {
  const size_t count = a.end - a.begin;
  return count == b.end - b.begin &&
         std::memcmp(&outer->words_[a.begin], &outer->words_[b.begin], count * sizeof(uint64_t)) == 0;
}

}  // namespace quantgate
