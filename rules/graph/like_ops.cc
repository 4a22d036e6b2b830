#include "rules/graph/like_ops.h"

#include "rules/graph/mixer.h"

namespace quantgate {
namespace {

uint64_t Pair(int32_t high, int32_t low) { return static_cast<uint64_t>(high) << 32 | static_cast<uint32_t>(low); }

constexpr size_t kWordsPerOp = 2;
constexpr size_t kMaxWordsPerOperand = 3;

// Writes the words of an operand; returns where the next one's go.
uint64_t* Describe(const Graph& graph, const Operand& operand, uint64_t* words) {
  const auto like = [&graph](int32_t value) { return value < 0 ? -1 : graph.value_like(value); };
  const bool constant = operand.value >= 0 && graph.is_constant(operand.value);
  const int32_t stored = operand.quantizer < 0 ? operand.edge_value : StoredValue(graph, operand);
  const bool input = stored >= 0 && graph.is_graph_input(stored);
  const bool other_edge = operand.edge_value != operand.value;
  const uint32_t flags = operand.present | operand.quantized << 1 | operand.is_static << 2 | operand.static_chain << 3 |
                         operand.annotated_none << 4 | constant << 5 | input << 6 | other_edge << 7;
  *words++ = Pair(like(operand.value), operand.form);
  *words++ = Pair(operand.argument, operand.type << 16 | operand.port << 8 | flags);
  if (other_edge) *words++ = Pair(like(operand.edge_value), 0);
  return words;
}

}  // namespace

int32_t LikeOps::FirstLike(int32_t number, const ResolvedOp& op, absl::Span<const Operand> operands) {
  const size_t room = kWordsPerOp + kMaxWordsPerOperand * operands.size();
  if (words_.size() < used_ + room) words_.resize(2 * (used_ + room));
  uint64_t* words = &words_[used_];
  // The same node of a file is one operator here and another one there: Quantize behind a Dequantize requantizes.
  *words++ = Pair(graph_.node_like(op.node), op.op == nullptr ? -1 : static_cast<int32_t>(op.op->id));
  *words++ = Pair(op.input_count, op.output_count);
  for (const Operand& operand : operands) {
    if (operand.form == Operand::kFormUnlike) return -1;
    words = Describe(graph_, operand, words);
  }
  const size_t end = words - words_.data();
  const auto last = static_cast<int32_t>(described_.size());
  described_.push_back({number, used_, end});
  const int32_t first = first_(last);
  if (first == last) {
    used_ = end;
  } else {
    described_.pop_back();
  }
  return described_[first].number;
}

uint64_t LikeOps::Kinds::Guess(int32_t op) const {
  uint64_t guess = 0;
  for (uint64_t word : outer->Words(op)) guess = 3 * guess + word;
  return guess;
}

size_t LikeOps::Kinds::Hash(int32_t op) const {
  Mixer mixer;
  for (uint64_t word : outer->Words(op)) mixer.Add(word);
  return mixer.hash();
}

bool LikeOps::Kinds::Same(int32_t a, int32_t b) const { return outer->Words(a) == outer->Words(b); }

}  // namespace quantgate
