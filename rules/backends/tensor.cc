#include "rules/backends/tensor.h"

#include <algorithm>

#include "rules/backends/folding.h"
#include "rules/backends/shared_encoding.h"
#include "rules/backends/undecided.h"
#include "rules/backends/wide_integers.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/qscheme.h"

namespace quantgate {
namespace {

int StorageBits(v1::DataType type) {
  switch (type) {
    case v1::DATA_TYPE_INT8:
    case v1::DATA_TYPE_UINT8:
      return 8;
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_UINT16:
      return 16;
    case v1::DATA_TYPE_INT32:
    case v1::DATA_TYPE_UINT32:
      return 32;
    default:
      return 0;
  }
}

bool IsSubByte(v1::DataType type) {
  return type == v1::DATA_TYPE_INT2 || type == v1::DATA_TYPE_INT4 || type == v1::DATA_TYPE_UINT2 ||
         type == v1::DATA_TYPE_UINT4;
}

// In a QNN graph a spec that states its range stands for a bit-width (BW) encoding, of eight bits too.
bool StatesRange(const NodeView& view, const Operand& operand) {
  return view.graph().origin() == v1::Graph::QNN && operand.spec >= 0 &&
         view.graph().message().specs(operand.spec).has_quant_min();
}

// Width as QNN will state it. Toolchains know 2 and 4 bits below a byte, and only for types that say so or for int8.
int StatedBits(const NodeView& view, const Operand& operand, v1::DataType stored) {
  const int storage = StorageBits(stored);
  const int effective = EffectiveBits(operand);
  if (StatesRange(view, operand) && effective > 0) return std::min(effective, storage);
  if (storage != 8 || effective <= 0 || effective >= 8) return storage;
  if (view.graph().origin() == v1::Graph::QNN) return effective;
  if (!IsSubByte(operand.type) && (stored != v1::DATA_TYPE_INT8 || effective > 4)) return storage;
  return effective <= 2 ? 2 : 4;
}

const v1::Spec* SpecOf(const NodeView& view, const Operand& operand) {
  return operand.spec < 0 ? nullptr : &view.graph().message().specs(operand.spec);
}

// By the numbers where they are known, else by what the spec says: a per-channel scheme is one even when its axis is
// not stated.
Encoding EncodingOf(const NodeView& view, const Operand& operand, bool narrow) {
  if (!operand.quantized) return Encoding::kNone;
  const QuantParams& qparams = *view.context().resolved().qparams(operand);
  const v1::Spec* spec = SpecOf(view, operand);
  // Block-wise annotations of today's quantizers are nested (LPBQ): a scale per channel, a small one per block. What
  // their observers give are the products.
  if (spec != nullptr && spec->block_size_size() > 0) return Encoding::kBlockExpansion;
  if (spec == nullptr || !qparams.scales.empty()) {
    const bool expands = !qparams.block_scales.empty() || view.graph().origin() == v1::Graph::PT2E;
    if (qparams.blocked()) return expands ? Encoding::kBlockExpansion : Encoding::kBlock;
    if (!qparams.per_tensor()) return narrow ? Encoding::kBwPerChannel : Encoding::kPerChannel;
    return narrow ? Encoding::kBwPerTensor : Encoding::kPerTensor;
  }
  switch (spec->qscheme()) {
    case v1::Spec::PER_TENSOR_AFFINE:
    case v1::Spec::PER_TENSOR_SYMMETRIC:
      return narrow ? Encoding::kBwPerTensor : Encoding::kPerTensor;
    case v1::Spec::PER_CHANNEL_AFFINE:
    case v1::Spec::PER_CHANNEL_SYMMETRIC:
    case v1::Spec::PER_CHANNEL_AFFINE_FLOAT_QPARAMS:
      return narrow ? Encoding::kBwPerChannel : Encoding::kPerChannel;
    case v1::Spec::PER_BLOCK_AFFINE:
    case v1::Spec::PER_BLOCK_SYMMETRIC:
      return Encoding::kBlockExpansion;
    default:
      return Encoding::kUndefined;
  }
}

// Quantized channel axis in the origin's layout; -1: none or not known. Of a blocked tensor it is the axis that keeps
// one scale per element, which is the one QNN expands along.
int ChannelAxis(const NodeView& view, const Operand& operand) {
  const QuantParams* qparams = view.context().resolved().qparams(operand);
  if (qparams == nullptr) return -1;
  if (!qparams->blocked()) return qparams->axes.size() == 1 ? qparams->axes[0] : -1;
  for (size_t i = 0; i < qparams->axes.size() && i < qparams->block_sizes.size(); ++i) {
    if (qparams->block_sizes[i] == 1) return qparams->axes[i];
  }
  return -1;
}

// QNN has no tensors of rank 0; the toolchains make them [1].
void FillShape(const v1::Value& value, const LayoutMap& map, Layout layout, bool scalars_have_rank_1,
               Emission& emission, BackendTensor& tensor) {
  if (!value.has_shape()) {
    tensor.dynamic_shape = Tri::kUnknown;
    return;
  }
  tensor.rank = value.dims_size();
  for (int64_t size : value.dims()) {
    if (size < 0) tensor.dynamic_shape = Tri::kYes;
  }
  if (tensor.rank == 0 && scalars_have_rank_1) {
    auto& dims = emission.NewDims();
    dims[0] = 1;
    tensor.rank = 1;
    tensor.dims = absl::MakeConstSpan(dims.data(), 1);
    return;
  }
  if (map.rank == 0) {
    if (layout == Layout::kSame) tensor.dims = absl::MakeConstSpan(value.dims().data(), value.dims_size());
    return;
  }
  tensor.rank = map.rank;
  if (layout == Layout::kSame && map.rank == value.dims_size()) {
    tensor.dims = absl::MakeConstSpan(value.dims().data(), value.dims_size());
    return;
  }
  auto& dims = emission.NewDims();
  for (int k = 0; k < map.rank; ++k) dims[k] = map.from[k] < 0 ? 1 : value.dims(map.from[k]);
  tensor.dims = absl::MakeConstSpan(dims.data(), map.rank);
}

LayoutMap FillShapeOf(const NodeView& view, const Operand& operand, Layout layout, int backend_rank, Emission& emission,
                      BackendTensor& tensor) {
  LayoutMap map;
  if (operand.value < 0) {
    tensor.dynamic_shape = Tri::kUnknown;
    return map;
  }
  const v1::Value& value = view.graph().value(operand.value);
  if (value.has_shape()) {
    map = MapLayout(layout, value.dims_size(), backend_rank < value.dims_size() ? value.dims_size() : backend_rank);
  }
  FillShape(value, map, layout, view.graph().origin() != v1::Graph::QNN, emission, tensor);
  return map;
}

}  // namespace

db::ElementType StoredType(const NodeView& view, const Operand& operand) {
  db::ElementType type{operand.type, operand.quantized};
  // A QNN graph already is what it will be; but stored numbers of 2 and 4 bits are bytes with an encoding that says so.
  const bool narrow_constant = operand.quantized && operand.is_static && IsSubByte(operand.type);
  if (view.graph().origin() == v1::Graph::QNN && !narrow_constant) return type;
  if (!operand.quantized) {
    switch (operand.type) {
      case v1::DATA_TYPE_INT64:
        if (!IsWide(view.context(), view.op(), operand)) type.type = v1::DATA_TYPE_INT32;
        break;
      case v1::DATA_TYPE_UINT64:
        type.type = v1::DATA_TYPE_UINT32;
        break;
      case v1::DATA_TYPE_FLOAT64:
        type.type = v1::DATA_TYPE_FLOAT32;
        break;
      default:
        break;
    }
    return type;
  }
  switch (operand.type) {
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_INT4:
      type.type = v1::DATA_TYPE_INT8;
      break;
    case v1::DATA_TYPE_UINT2:
    case v1::DATA_TYPE_UINT4:
      type.type = v1::DATA_TYPE_UINT8;
      break;
    case v1::DATA_TYPE_INT32: {
      const int bits = EffectiveBits(operand);
      const bool is_unsigned = operand.quant_min >= 0;
      if (bits > 0 && bits <= 8) {
        type.type = is_unsigned ? v1::DATA_TYPE_UINT8 : v1::DATA_TYPE_INT8;
      } else if (bits > 8 && bits <= 16) {
        type.type = is_unsigned ? v1::DATA_TYPE_UINT16 : v1::DATA_TYPE_INT16;
      }
      break;
    }
    default:
      break;
  }
  return type;
}

bool IsGraphInput(const Graph& graph, const Operand& operand) {
  if (operand.is_static || (graph.origin() == v1::Graph::PT2E && operand.quantized)) return false;
  const int32_t stored = StoredValue(graph, operand);
  return stored >= 0 && graph.is_graph_input(stored);
}

// Where the zero point of a symmetric scheme over an unsigned range is: types that observers do not ask about have it
// in the middle.
int64_t ObservedMiddle(const v1::Spec& spec, int64_t middle) {
  const bool asks = spec.dtype() == v1::DATA_TYPE_INT32 || spec.dtype() == v1::DATA_TYPE_UINT8;
  return asks ? SymmetricZeroPoint(spec) : middle;
}

// Of a spec whose numbers an observer is yet to find.
Tri AskedSymmetric(const NodeView& view, const Operand& operand) {
  const v1::Spec* spec = operand.quantized ? SpecOf(view, operand) : nullptr;
  if (spec == nullptr || spec->kind() != v1::Spec::PLAIN || !spec->qparams().scales().empty()) return Tri::kUnknown;
  if (spec->qscheme() == v1::Spec::Q_SCHEME_UNSPECIFIED) return Tri::kUnknown;
  return IsSymmetric(spec->qscheme()) ? Tri::kYes : Tri::kNo;
}

// Symmetric by the numbers: every zero point is 0 (signed) or the middle of the type (unsigned). Without known numbers
// the scheme of the spec decides; unknown when there is none. `type` and `bits` are those that QNN will see: uint8 in
// 0..15 is a UFIXED_POINT_8, whose middle is 128.
Tri Symmetric(const NodeView& view, const Operand& operand, v1::DataType type, int bits) {
  if (!operand.quantized || bits < 1) return Tri::kUnknown;
  const int64_t middle = IsSigned(type) ? 0 : int64_t{1} << (bits - 1);
  const QuantParams* qparams = view.context().resolved().qparams(operand);
  if (qparams != nullptr && !qparams->scales.empty()) {
    if (qparams->zero_points.empty()) return middle == 0 ? Tri::kYes : Tri::kNo;
    for (double zero_point : qparams->zero_points) {
      if (zero_point != static_cast<double>(middle)) return Tri::kNo;
    }
    return Tri::kYes;
  }
  const v1::Spec* spec = SpecOf(view, operand);
  if (spec == nullptr) return Tri::kUnknown;
  if (IsSymmetric(spec->qscheme())) {
    // Over a lopsided range the middle that the scheme keeps is not that of the type.
    const int64_t sum = operand.quant_min + operand.quant_max;
    const bool at_middle = middle == 0 ? sum == 0 || sum == -1 : ObservedMiddle(*spec, middle) == middle;
    return at_middle ? Tri::kYes : Tri::kNo;
  }
  return spec->qscheme() == v1::Spec::Q_SCHEME_UNSPECIFIED ? Tri::kUnknown : Tri::kNo;
}

void FillTensor(const NodeView& view, const Operand* operand, Layout layout, int backend_rank, Emission& emission,
                BackendTensor& tensor) {
  if (operand == nullptr || !operand->present) return;
  Operand encoded;
  const Operand* shared = view.shares_encodings() ? SharedEncoding(view.context(), *operand) : nullptr;
  if (shared != nullptr) {
    encoded = EncodedAs(*operand, *shared);
    operand = &encoded;
  }
  tensor.present = true;
  tensor.type = StoredType(view, *operand);
  // Of no known type, until a converter has decided.
  if (IsUndecided(view.graph(), *operand) || IsRealBias(view.context(), view.op(), *operand)) tensor.type = {};
  tensor.value = operand->value;
  tensor.argument = operand->argument;
  tensor.is_static = operand->is_static || IsComputedByConvert(view.context(), *operand);
  tensor.static_chain = operand->static_chain;
  tensor.is_graph_input = IsGraphInput(view.graph(), *operand);
  tensor.bits = operand->quantized ? StatedBits(view, *operand, tensor.type.type) : StorageBits(tensor.type.type);
  const bool narrow = tensor.bits < StorageBits(tensor.type.type) || StatesRange(view, *operand);
  tensor.encoding = EncodingOf(view, *operand, operand->quantized && narrow);
  tensor.symmetric = Symmetric(view, *operand, tensor.type.type, tensor.bits);
  tensor.asked_symmetric = AskedSymmetric(view, *operand);
  tensor.qparams = view.context().resolved().qparams(*operand);
  tensor.without_encoding = tensor.type.quantized && view.context().stage() == v1::STAGE_CONVERTED &&
                            (tensor.qparams == nullptr || tensor.qparams->scales.empty());
  if (operand->quantized) tensor.dynamic_qparams = operand->is_dynamic;
  const LayoutMap map = FillShapeOf(view, *operand, layout, backend_rank, emission, tensor);
  // Whatever the file says: a constant has a size.
  if ((tensor.is_static || tensor.static_chain) && tensor.dynamic_shape == Tri::kYes) tensor.dynamic_shape = Tri::kNo;
  if (operand->value >= 0 && view.graph().is_constant(operand->value)) {
    const v1::Value& value = view.graph().value(operand->value);
    tensor.constant = {&value.constant(), value.dtype(), emission.looked_at_constants()};
  }
  const int axis = ChannelAxis(view, *operand);
  if (axis >= 0) tensor.axis = map.rank > 0 ? map.AxisOf(axis) : (layout == Layout::kSame ? axis : -1);
}

}  // namespace quantgate
