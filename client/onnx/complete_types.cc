#include "client/onnx/complete_types.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "client/onnx/roles.h"
#include "rules/graph/elements.h"
#include "rules/onnx/complete.h"
#include "rules/onnx/data_type.h"

namespace quantgate {
namespace {

class Completer {
 public:
  explicit Completer(v1::Graph* graph) : graph_(*graph) {}

  // True: a shape was found that others may follow from.
  bool Run() {
    for (const v1::Node& node : graph_.nodes()) Forward(node);
    // A quantizer's input often lost its shape when tools renamed tensors; its output may have kept it.
    bool found = false;
    for (int i = graph_.nodes_size() - 1; i >= 0; --i) {
      const v1::Node& node = graph_.nodes(i);
      if (IsQuantizeOrDequantize(Op(node))) found |= CopyShape(Output(node, 0), Input(node, 0));
    }
    return found;
  }

 private:
  static bool IsQuantizeOrDequantize(absl::string_view op) {
    absl::ConsumePrefix(&op, "com.microsoft::");
    return op == "QuantizeLinear" || op == "DequantizeLinear";
  }

  absl::string_view Op(const v1::Node& node) const {
    return node.op() > 0 ? absl::string_view(graph_.symbols(node.op() - 1)) : absl::string_view();
  }
  v1::Value* Input(const v1::Node& node, int i) { return i < node.inputs_size() ? At(node.inputs(i)) : nullptr; }
  v1::Value* Output(const v1::Node& node, int i) { return i < node.outputs_size() ? At(node.outputs(i)) : nullptr; }
  v1::Value* At(int id) { return id > 0 ? graph_.mutable_values(id - 1) : nullptr; }

  v1::DataType TypeAttribute(const v1::Node& node, absl::string_view name) const {
    for (const v1::Attribute& attribute : node.attributes()) {
      if (attribute.name() > 0 && graph_.symbols(attribute.name() - 1) == name) {
        return DataTypeFromOnnx(attribute.i());
      }
    }
    return v1::DATA_TYPE_UNSPECIFIED;
  }

  static void SetType(v1::Value* value, v1::DataType dtype) {
    if (value != nullptr && value->dtype() == v1::DATA_TYPE_UNSPECIFIED) value->set_dtype(dtype);
  }
  static bool CopyShape(const v1::Value* from, v1::Value* to) {
    if (from == nullptr || to == nullptr || !from->has_shape() || to->has_shape()) return false;
    to->set_has_shape(true);
    *to->mutable_dims() = from->dims();
    *to->mutable_dim_symbols() = from->dim_symbols();
    return true;
  }

  void Forward(const v1::Node& node) {
    const absl::string_view op = Op(node);
    v1::Value* output = Output(node, 0);
    if (const int position = OutputZeroPoint(op); position >= 0) {
      if (const v1::Value* zero_point = Input(node, position)) {
        SetType(output, zero_point->dtype());
      } else if (op == "QuantizeLinear") {
        const v1::DataType stated = TypeAttribute(node, "output_dtype");
        SetType(output, stated != v1::DATA_TYPE_UNSPECIFIED ? stated : v1::DATA_TYPE_UINT8);
      } else if (op == "com.microsoft::QGemm") {
        SetType(output, v1::DATA_TYPE_FLOAT32);
      }
    } else if (op == "DequantizeLinear" || op == "com.microsoft::DequantizeLinear") {
      const v1::DataType stated = TypeAttribute(node, "output_dtype");
      const v1::Value* scale = Input(node, 1);
      SetType(output, stated != v1::DATA_TYPE_UNSPECIFIED ? stated
                      : scale != nullptr                  ? scale->dtype()
                                                          : v1::DATA_TYPE_UNSPECIFIED);
    } else if (op == "Cast") {
      SetType(output, TypeAttribute(node, "to"));
    } else if (op == "ConvInteger" || op == "MatMulInteger") {
      SetType(output, v1::DATA_TYPE_INT32);
    } else if (op == "DynamicQuantizeLinear") {
      SetType(output, v1::DATA_TYPE_UINT8);
      SetType(Output(node, 1), v1::DATA_TYPE_FLOAT32);
      SetType(Output(node, 2), v1::DATA_TYPE_UINT8);
      for (int i : {1, 2}) {
        if (v1::Value* scalar = Output(node, i)) scalar->set_has_shape(true);
      }
      CopyShape(Input(node, 0), output);
    }
    if (IsQuantizeOrDequantize(op)) CopyShape(Input(node, 0), output);
    // QOperator graphs move integer tensors through such operators and seldom state a type on the way.
    const TypeSource same = SourceOfType(op);
    const v1::Value* source = same.input < 0 ? nullptr : Input(node, same.input);
    if (source == nullptr) return;
    for (int i = 0; i < (same.every_output ? node.outputs_size() : 1); ++i) SetType(Output(node, i), source->dtype());
  }

  v1::Graph& graph_;
};

// Scales and zero points are judged where they are used, also in the body of a loop. What all bodies together take
// along is bounded: many may capture the same large constant.
constexpr int64_t kMostOfOneConstant = 4096;
constexpr int64_t kMostOfAll = 1 << 20;

void TakeOverConstant(const v1::Value& outer, int64_t& room, v1::Value& value) {
  const auto numbers = static_cast<int64_t>(NumbersOf(outer).size());
  if (numbers > kMostOfOneConstant || numbers > room) return;
  room -= numbers;
  *value.mutable_constant() = outer.constant();
}

void TakeOverCaptured(const v1::Graph& parent, int64_t& room, v1::Graph* graph) {
  for (v1::Value& value : *graph->mutable_values()) {
    if (value.captured() <= 0) continue;
    const v1::Value& outer = parent.values(value.captured() - 1);
    value.set_dtype(outer.dtype());
    value.set_has_shape(outer.has_shape());
    *value.mutable_dims() = outer.dims();
    if (outer.has_constant()) TakeOverConstant(outer, room, value);
    // Symbols are ids into the other graph's pool: the sizes stay unknown, their names are not taken along.
  }
}

bool LacksSizes(const v1::Value& value) {
  return !value.has_shape() || absl::c_any_of(value.dims(), [](int64_t size) { return size < 0; });
}

void Complete(const v1::Graph& model, v1::Graph* graph, int64_t& room) {
  // First what operators make: a wrong declaration is to be found where it is, not where a copy of it went.
  CompleteShapes(model, graph);
  if (Completer(graph).Run()) CompleteShapes(model, graph);
  CompleteElementTypes(model, graph);
  // Sizes that are computed in real numbers depend on their type.
  if (absl::c_any_of(graph->values(), LacksSizes)) CompleteShapes(model, graph);
  for (v1::Graph& subgraph : *graph->mutable_subgraphs()) {
    TakeOverCaptured(*graph, room, &subgraph);
    Complete(model, &subgraph, room);
  }
  // What the bodies give.
  if (graph->subgraphs_size() > 0) CompleteElementTypes(model, graph);
}

}  // namespace

void CompleteTypes(v1::Graph* graph) {
  int64_t room = kMostOfAll;
  Complete(*graph, graph, room);
}

}  // namespace quantgate
