// Products of matrices that are written as an equation.
#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/qnn/provider/lowerers.h"

namespace quantgate::qnn::provider {
namespace {

// Letters renamed a, b, c, ... in the order in which they appear, blanks left out: "bij, bjk -> bik" is "abc,acd->abd".
std::string Canonical(absl::string_view equation) {
  std::string from;
  std::string text;
  for (const char c : equation) {
    if (absl::ascii_isspace(c)) continue;
    if (!absl::ascii_isalpha(c)) {
      text.push_back(c);
      continue;
    }
    size_t letter = from.find(c);
    if (letter == std::string::npos) {
      letter = from.size();
      from.push_back(c);
    }
    text.push_back(static_cast<char>('a' + letter));
  }
  return text;
}

// Of operands of `rank` dimensions, all but two of which are alike: "abc,acd->abd" or, transposed, "abc,adc->abd".
std::string ProductOf(int rank, bool transposed) {
  std::string all;
  for (int i = 0; i <= rank; ++i) all.push_back(static_cast<char>('a' + i));
  const std::string batch = all.substr(0, rank - 2);
  const std::string row = all.substr(rank - 2, 1);
  const std::string inner = all.substr(rank - 1, 1);
  const std::string column = all.substr(rank, 1);
  return absl::StrCat(batch, row, inner, ",", batch, transposed ? column + inner : inner + column, "->", batch, row,
                      column);
}

// Others that it takes, with Transpose nodes or a sum behind a product.
constexpr absl::string_view kWithMoreOperators[] = {"abcd,aecb->aecd", "abcd,bed->abce", "abcd,ced->abce"};

}  // namespace

Lowering LowerEinsum(const NodeView& view, absl::string_view name, Emission& emission) {
  const std::string equation = Canonical(view.text({"equation"}));
  const size_t rank = equation.find(',');
  if (std::find(std::begin(kWithMoreOperators), std::end(kWithMoreOperators), equation) !=
      std::end(kWithMoreOperators)) {
    return Unknown("ONNX Runtime's QNN provider takes it apart into several operators");
  }
  const bool matrices = rank != std::string::npos && rank >= 2 && rank <= kMaxBackendRank;
  const bool plain = matrices && equation == ProductOf(static_cast<int>(rank), false);
  const bool transposed = matrices && equation == ProductOf(static_cast<int>(rank), true);
  if (!plain && !transposed) return NoCounterpart("ONNX Runtime's QNN provider takes products of two matrices only");
  if (view.inputs().size() != 2) return Unknown("another number of operands than its equation has");
  emission.Begin(name, view.node());
  AddInput(view, &view.inputs()[0], emission);
  AddInput(view, &view.inputs()[1], emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("transpose_in0", 0);
  emission.AddInt("transpose_in1", transposed ? 1 : 0);
  return Emitted();
}

}  // namespace quantgate::qnn::provider
