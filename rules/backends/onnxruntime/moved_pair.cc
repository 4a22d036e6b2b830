#include "rules/backends/onnxruntime/moved_pair.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/backends/onnxruntime/node.h"
#include "rules/backends/onnxruntime/simplified.h"
#include "rules/backends/onnxruntime/unsigned_pair.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/infer.h"
#include "rules/values/signs.h"

namespace quantgate::onnxruntime {

const RuleInfo kMovedSigned = {
    "DT506",
    "int8-pair-of-stated-type",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}.",
    "Behind what moves dequantized integers (Transpose, Reshape, Slice, Squeeze, Unsqueeze, MaxPool) and is not read "
    "by a QuantizeLinear the optimizer puts a QuantizeLinear and a DequantizeLinear of the same parameters. From "
    "opset 21 on it states the type of the pair. Later it makes uint8 pairs of int8 ones with one reader, zero point "
    "and all, but leaves the type that is stated: \"output_dtype INT8 does not match y_zero_point type UINT8\". "
    "Without optimizations the same file runs. A MatMul of more than two dimensions with an Add of a bias behind it is "
    "made a Gemm between Reshapes, and so has one in front of it.",
    "Quantize to uint8 there, put a QuantizeLinear and a DequantizeLinear behind the movement (or between MatMul and "
    "Add), or import opset 20.",
    "Fires: an int8 DequantizeLinear, Transpose and Sin under opset 21; the same DequantizeLinear of [1, 6, 4], MatMul "
    "and Add of a bias; QuantizeLinear with output_dtype INT8 and an int8 zero point, DequantizeLinear and Cos. Does "
    "not: the first under opset 20, with uint8, or with two readers of "
    "the Transpose; the second without output_dtype.",
};

const RuleInfo kMovedAccumulators = {
    "DT507",
    "int32-pair",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}.",
    "Behind what moves dequantized integers (Transpose, Reshape, Slice, Squeeze, Unsqueeze, MaxPool) and is not read "
    "by a QuantizeLinear the optimizer puts a QuantizeLinear and a DequantizeLinear of the same parameters. No "
    "QuantizeLinear makes int32, which a DequantizeLinear takes: \"Type 'tensor(int32)' of input parameter ... of "
    "operator (QuantizeLinear) ... is invalid\", or without a zero point under opset 21 and newer \"Could not find an "
    "implementation for QuantizeLinear\". Without optimizations the same file runs.",
    "Move the integers: put the movement in front of the DequantizeLinear.",
    "Fires: an int32 DequantizeLinear, Reshape and Sin. Does not: the Reshape in front of the DequantizeLinear; "
    "Flatten in its place; a QuantizeLinear behind it; without a zero point under opset 20 (NR504).",
};

const RuleInfo kMovedIntoBody = {
    "GS509",
    "dequantized-movement-read-in-body",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; ONNX Runtime takes {allowed}.",
    "Behind what moves dequantized integers (Transpose, Reshape, Slice, Squeeze, Unsqueeze, MaxPool) and is not read "
    "by a QuantizeLinear the optimizer puts a QuantizeLinear and a DequantizeLinear of the same parameters, in front "
    "of each reader. A reader inside of an If, Loop or Scan has no input that it could take the place of: the "
    "process ends while the session is made.",
    "Put an operator that computes between the movement and the body, hand the tensor to the body as a value that the "
    "loop carries, or make the session without optimizations.",
    "Fires: a Transpose of a dequantized tensor that a branch of If reads. Does not: the dequantized tensor itself, or "
    "a Transpose of one of constants.",
};

const RuleInfo kMovedWithoutPoint = {
    "NR504",
    "uint8-pair",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}.",
    "Behind what moves dequantized integers (Transpose, Reshape, Slice, Squeeze, Unsqueeze, MaxPool) and is not read "
    "by a QuantizeLinear the optimizer puts a QuantizeLinear and a DequantizeLinear of the same parameters. Where the "
    "DequantizeLinear has no zero point, that QuantizeLinear has none either, and makes uint8: what is below 0 becomes "
    "0, and what is above 255 steps becomes that. Only from opset 21 on the pair's type is stated, and for ONNX's own "
    "operators alone.",
    "Give the DequantizeLinear a zero point of its input's type, import opset 21, or move the integers: put the "
    "movement in front of the DequantizeLinear.",
    "Fires: a DequantizeLinear of int8 without a zero point, Transpose and Sin under opset 20. Does not: the same "
    "under opset 21, with a zero point, of uint8, or behind a Relu.",
};

namespace {

constexpr absl::string_view kMovements[] = {"MaxPool", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"};

constexpr absl::string_view kProduct = "MatMul";

// From here on the optimizer states the type of what it puts in.
constexpr int kFirstStatedOpset = 21;

class Propagation {
 public:
  Propagation(const CheckContext& context, const std::vector<v1::DataType>& types)
      : context_(context), graph_(context.graph()), types_(types), opset_(OperatorSet(context.model(), "")) {}

  std::vector<MovedPair> Run() {
    const auto moves = [this](int32_t node) { return Moves(node) || graph_.op_type(node) == kProduct; };
    const absl::Span<const int32_t> kinds = graph_.unlike_nodes();
    if (graph_.quantizers().empty() || std::none_of(kinds.begin(), kinds.end(), moves)) return {};
    left_ = Simplify(context_, types_);
    FindEndsInQuantize();
    LookForOthers();
    std::vector<MovedPair> pairs(graph_.num_nodes());
    source_.assign(graph_.num_nodes(), -1);
    may_get_ahead_.assign(graph_.num_nodes(), false);
    for (const int32_t node : graph_.order()) {
      if (IsMovement(node)) pairs[node] = PairBehind(node);
      if (graph_.op_type(node) == kProduct && IsReshaped(node)) pairs[node] = PairBeforeProduct(node);
    }
    return pairs;
  }

 private:
  bool Moves(int32_t node) const { return absl::c_linear_search(kMovements, graph_.op_type(node)); }
  bool IsMovement(int32_t node) const { return Moves(node) && FirstOutput(graph_, node) >= 0 && !left_.is_gone[node]; }

  const Readers& Behind(int32_t node) const { return left_.readers[left_.same_as[FirstOutput(graph_, node)]]; }

  // Movements with one reader each, up to a QuantizeLinear, get a pair from behind, whose type is not stated.
  void FindEndsInQuantize() {
    ends_in_quantize_.assign(graph_.num_nodes(), false);
    for (auto node = graph_.order().rbegin(); node != graph_.order().rend(); ++node) {
      if (!IsMovement(*node)) continue;
      const Readers& readers = Behind(*node);
      if (readers.body || readers.node < 0 || readers.count + readers.quantizers != 1) continue;
      ends_in_quantize_[*node] = readers.quantizers > 0 ? HasFixedScalars(readers.node)
                                                        : IsMovement(readers.node) && ends_in_quantize_[readers.node] &&
                                                              left_.same_as[InputAt(graph_, readers.node, 0)] ==
                                                                  left_.same_as[FirstOutput(graph_, *node)];
    }
  }

  bool HasFixedScalars(int32_t quantizer) const {
    const int32_t point = InputAt(graph_, quantizer, 2);
    return FixedScalar(graph_, InputAt(graph_, quantizer, 1)) && (point < 0 || FixedScalar(graph_, point));
  }

  // The DequantizeLinear that the pair in front of the node is of; -1: there is none. What constants dequantize to is
  // computed before.
  int32_t SourceOf(int32_t node) const {
    const int32_t value = InputAt(graph_, node, 0) < 0 ? -1 : left_.same_as[InputAt(graph_, node, 0)];
    const int32_t producer = value < 0 || graph_.is_static(value) ? -1 : graph_.producer(value);
    if (producer < 0) return -1;
    if (IsMovement(producer)) return source_[producer];
    return IsDequantize(graph_, producer) && HasFixedScalars(producer) ? producer : -1;
  }

  // A Transpose that a QuantizeLinear reads, too, gets no pair, nor does what moves its result on; but the optimizer
  // may move that in front of it, and then it gets one.
  MovedPair PairBehind(int32_t node) {
    const int32_t source = SourceOf(node);
    const Readers& readers = Behind(node);
    if (source < 0) return {IsConstantInt32(node) ? PairHarm::kInt32 : PairHarm::kNone, /*perhaps=*/true};
    if (ends_in_quantize_[node]) return {};
    const bool transposes = graph_.op(node) == OpId::kTranspose;
    const int32_t moved = left_.same_as[InputAt(graph_, node, 0)];
    const bool may_get_ahead = may_get_ahead_[graph_.producer(moved)];
    may_get_ahead_[node] = readers.quantizers > 0 ? transposes : may_get_ahead;
    if (readers.quantizers > 0 && !transposes) return {};
    source_[node] = source;
    if (readers.quantizers > 0 || (readers.count == 0 && !readers.body)) return {};
    const bool perhaps = may_get_ahead || (transposes && IsSharedByAnotherName(node));
    if (readers.body) return {PairHarm::kIntoBody, leaves_branches_out_ || perhaps};
    return PairOf(source, readers.count == 1, perhaps || (transposes && has_transposes_));
  }

  MovedPair PairOf(int32_t source, bool is_read_once, bool perhaps) const {
    MovedPair pair = {HarmOf(source, is_read_once), perhaps};
    const int32_t point = InputAt(graph_, source, 2);
    if (pair.harm != PairHarm::kNone || perhaps || point < 0) return pair;
    pair.source = source;
    // Made unsigned as pairs of the model are.
    const bool is_made_unsigned = types_[point] == v1::DATA_TYPE_INT8 && is_read_once && !graph_.is_elsewhere(point);
    pair.type = is_made_unsigned ? v1::DATA_TYPE_UINT8 : types_[point];
    return pair;
  }

  // A product of more dimensions than two and an Add of a bias are a Gemm between two Reshapes before pairs are put in,
  // where all sizes are known (core/optimizer/matmul_add_fusion.cc).
  bool IsReshaped(int32_t node) const {
    const int32_t left = InputAt(graph_, node, 0), right = InputAt(graph_, node, 1);
    if (left < 0 || right < 0 || FirstOutput(graph_, node) < 0 || left_.is_gone[node]) return false;
    const Readers& readers = Behind(node);
    if (readers.body || readers.node < 0 || readers.count != 1 || readers.quantizers != 0) return false;
    if (graph_.op_type(readers.node) != "Add") return false;
    const int product = InputAt(graph_, readers.node, 0) == FirstOutput(graph_, node) ? 0 : 1;
    const int32_t bias = InputAt(graph_, readers.node, 1 - product);
    if (bias < 0 || InputAt(graph_, readers.node, product) < 0) return false;
    const std::vector<Shape>& shapes = context_.Once(InferShapes).shapes;
    if (!shapes[left].is_static() || shapes[left].rank() == 2) return false;
    if (!shapes[right].is_static() || shapes[right].rank() != 2) return false;
    return shapes[bias].is_static() && shapes[bias].rank() == 1 && shapes[bias].dims[0] == shapes[right].dims[1];
  }
  MovedPair PairBeforeProduct(int32_t node) const {
    const int32_t source = SourceOf(node);
    if (source < 0) return {};
    const int32_t before = graph_.producer(left_.same_as[InputAt(graph_, node, 0)]);
    const bool perhaps = may_get_ahead_[before] || (graph_.op(before) == OpId::kTranspose && has_transposes_);
    MovedPair pair = PairOf(source, /*is_read_once=*/true, perhaps);
    pair.mover = Mover::kReshape;
    pair.source = -1;
    return pair;
  }

  PairHarm HarmOf(int32_t source, bool is_read_once) const {
    const v1::DataType type = StoredType(source);
    const int32_t point = InputAt(graph_, source, 2);
    const bool is_stated = opset_ >= kFirstStatedOpset && graph_.op_type(source) == "DequantizeLinear";
    if (type == v1::DATA_TYPE_INT32 && (point >= 0 || is_stated)) return PairHarm::kInt32;
    if (point < 0) return is_stated || FitsUint8(source, type) ? PairHarm::kNone : PairHarm::kUint8;
    const bool is_signed = types_[point] == v1::DATA_TYPE_INT8 && !graph_.is_elsewhere(point);
    return is_read_once && is_stated && is_signed ? PairHarm::kUnlike : PairHarm::kNone;
  }

  v1::DataType StoredType(int32_t dequantize) const {
    const int32_t stored = InputAt(graph_, dequantize, 0);
    return stored < 0 ? v1::DATA_TYPE_UNSPECIFIED : types_[stored];
  }

  bool FitsUint8(int32_t dequantize, v1::DataType type) const {
    constexpr v1::DataType kFitting[] = {v1::DATA_TYPE_UINT8, v1::DATA_TYPE_UINT4, v1::DATA_TYPE_UINT2,
                                         v1::DATA_TYPE_UNSPECIFIED};
    constexpr v1::DataType kIfPositive[] = {v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT4, v1::DATA_TYPE_INT2};
    if (absl::c_linear_search(kFitting, type)) return true;
    if (!absl::c_linear_search(kIfPositive, type)) return false;
    const int32_t quantize = graph_.producer(InputAt(graph_, dequantize, 0));
    const int32_t value = IsQuantize(graph_, quantize) ? InputAt(graph_, quantize, 0) : -1;
    return value >= 0 && context_.Once(SignsOf)[value] == Sign::kNotNegative;
  }

  // What moves Transposes puts pairs behind them before constants are computed, if it finds no better place.
  bool IsConstantInt32(int32_t node) const {
    const int32_t moved = InputAt(graph_, node, 0);
    const int32_t producer = moved < 0 ? -1 : graph_.producer(left_.same_as[moved]);
    return graph_.op(node) == OpId::kTranspose && IsDequantize(graph_, producer) && HasFixedScalars(producer) &&
           StoredType(producer) == v1::DATA_TYPE_INT32 && InputAt(graph_, producer, 2) >= 0 &&
           Behind(node).count == 1 && Behind(node).quantizers == 0;
  }

  // Behind an Identity (say) readers share one DequantizeLinear at first, and it is propagated once each has its own. A
  // Transpose may have got a pair by then, of no stated type.
  bool IsSharedByAnotherName(int32_t node) const {
    const int32_t value = InputAt(graph_, node, 0), left = left_.same_as[value];
    return value != left && left_.readers[left].count + left_.readers[left].quantizers > 1;
  }

  // The optimizer moves a Transpose through what is around it, towards another one, and its pair may go with it. Of an
  // If whose condition is a constant it leaves one branch.
  void LookForOthers() {
    int transposes = 0;
    for (int32_t node = 0; node < graph_.num_nodes(); ++node) {
      if (graph_.op(node) == OpId::kTranspose && FirstOutput(graph_, node) >= 0)
        transposes += !graph_.is_static(FirstOutput(graph_, node));
      const bool is_if = graph_.op_type(node) == "If" && InputAt(graph_, node, 0) >= 0;
      leaves_branches_out_ |= is_if && graph_.is_static(InputAt(graph_, node, 0));
    }
    has_transposes_ = transposes > 1;
  }

  const CheckContext& context_;
  const Graph& graph_;
  const std::vector<v1::DataType>& types_;
  const int opset_;
  Simplified left_;
  std::vector<bool> ends_in_quantize_;
  bool has_transposes_ = false;       // several, of what is not constant
  bool leaves_branches_out_ = false;  // of an If
  std::vector<int32_t> source_;       // by node: the DequantizeLinear that the pair behind it is of; -1: there is none
  std::vector<bool> may_get_ahead_;   // by node: of a Transpose that a QuantizeLinear reads, too
};

// Stated by the model itself, beside a zero point that will be another one.
bool StatesInt8(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node) {
  constexpr int kOnnxInt8 = 3;
  return graph.op_type(node) == "QuantizeLinear" && graph.num_outputs(node) > 0 &&
         graph.int_attribute(node, "output_dtype", 0) == kOnnxInt8 && IsMadeUnsigned(graph, types, node);
}

// What is said of a pair that does harm.
struct Telling {
  const RuleInfo* rule;
  const char* observed;  // behind the operator
  const char* allowed;
  const char* open;  // where it is not known
};

const Telling& TellingOf(PairHarm harm) {
  constexpr const char* kByTransposes =
      "it depends on where the optimizer moves a Transpose whether a pair is behind it";
  static constexpr Telling kUnlike = {&kMovedSigned, " of dequantized int8 with one reader",
                                      "uint8, or a QuantizeLinear behind it", kByTransposes};
  static constexpr Telling kInt32 = {
      &kMovedAccumulators, " of dequantized int32: the optimizer puts a QuantizeLinear behind it, and none makes int32",
      "the integers moved, and dequantized then", kByTransposes};
  static constexpr Telling kUint8 = {
      &kMovedWithoutPoint,
      " of what is dequantized without a zero point: the QuantizeLinear that the optimizer puts behind it makes uint8",
      "a zero point of the type that is dequantized", kByTransposes};
  static constexpr Telling kIntoBody = {
      &kMovedIntoBody, " of dequantized integers is read in a body of control flow",
      "one that the nodes of its own graph read",
      "the optimizer may leave the branch out that reads what is moved, or move a Transpose behind it"};
  switch (harm) {
    case PairHarm::kInt32:
      return kInt32;
    case PairHarm::kUint8:
      return kUint8;
    case PairHarm::kIntoBody:
      return kIntoBody;
    case PairHarm::kUnlike:
    case PairHarm::kNone:
      break;
  }
  return kUnlike;
}

}  // namespace

std::vector<MovedPair> MovedPairsOf(const CheckContext& context, const std::vector<v1::DataType>& types) {
  return Propagation(context, types).Run();
}

Tri CheckPair(const Graph& graph, const std::vector<v1::DataType>& types, const std::vector<MovedPair>& moved,
              int32_t node, const FindingSource& source, FindingSink& sink) {
  Place place;
  place.node = node;
  if (StatesInt8(graph, types, node)) {
    FindingDraft draft{.rule = &kMovedSigned};
    draft.place = place;
    draft.observed = "output_dtype is INT8, and the optimizer makes the zero point uint8";
    draft.allowed = "no output_dtype beside a zero point";
    draft.source = source;
    draft.fix = "Leave output_dtype out: the zero point has the type.";
    sink.Add(std::move(draft));
    return Tri::kYes;
  }
  const MovedPair pair = moved.empty() ? MovedPair() : moved[node];
  if (pair.harm == PairHarm::kNone) return Tri::kNo;
  const Telling& telling = TellingOf(pair.harm);
  if (pair.perhaps) {
    sink.NotChecked(telling.rule, node, telling.open);
    return Tri::kUnknown;
  }
  const absl::string_view mover =
      pair.mover == Mover::kReshape ? "the Reshape of the Gemm that it and the Add become" : graph.op_type(node);
  sink.Add(*telling.rule, place, absl::StrCat(mover, telling.observed), telling.allowed, source);
  return telling.rule->effect == v1::Finding::REFUSED ? Tri::kYes : Tri::kNo;
}

}  // namespace quantgate::onnxruntime
