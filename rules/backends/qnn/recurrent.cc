#include "rules/backends/qnn/lowerers.h"

namespace quantgate::qnn {
namespace {

// One gate's part of a stacked ONNX weight or bias: same type and encoding, without the direction and gate dimensions.
void AddGate(const NodeView& view, const Operand* stacked, int rank, Emission& emission) {
  BackendTensor& gate = emission.AddInput();
  FillTensor(view, stacked, Layout::kSame, -1, emission, gate);
  if (!gate.present) return;
  gate.rank = rank;
  gate.dims = {};
  gate.axis = -1;
}

}  // namespace

Lowering LowerLstm(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.graph().origin() != v1::Graph::ONNX) return Unknown("decomposed by the exporter in other origins");
  if (view.text({"direction"}) == "bidirectional") {
    return NoCounterpart("QNN's Lstm has one direction; a bidirectional one is two operators and a concatenation");
  }
  // ONNX: X, W [dirs, 4*hidden, in], R [dirs, 4*hidden, hidden], B [dirs, 8*hidden], lengths, h0, c0, P [dirs,
  // 3*hidden].
  const Operand* w = view.input(1);
  const Operand* r = view.input(2);
  const Operand* b = view.input(3);
  const Operand* p = view.input(7);
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  for (int i = 0; i < 3; ++i) AddGate(view, w, 2, emission);  // forget, cell, output
  for (int i = 0; i < 3; ++i) AddGate(view, r, 2, emission);
  for (int i = 0; i < 3; ++i) AddGate(view, b, 1, emission);
  AddGate(view, view.input(5), 2, emission);                      // h0, without its direction
  AddGate(view, view.input(6), 2, emission);                      // c0
  for (int i = 0; i < 4; ++i) AddInput(view, nullptr, emission);  // layer norm weights
  AddGate(view, w, 2, emission);                                  // input gate
  AddGate(view, r, 2, emission);
  for (int i = 0; i < 3; ++i) AddGate(view, p, 1, emission);
  AddGate(view, b, 1, emission);
  const Operand* sequence = view.output(0);
  BackendTensor& out0 = emission.AddOutput();
  FillTensor(view, sequence, Layout::kSame, -1, emission, out0);
  if (out0.rank == 4) {  // [seq, dirs, batch, hidden] without the direction
    out0.rank = 3;
    out0.dims = {};
  }
  for (int port : {2, 1}) {  // QNN: cell state, then hidden state
    BackendTensor& state = emission.AddOutput();
    FillTensor(view, view.output(port), Layout::kSame, -1, emission, state);
    if (state.present && state.rank == 3) {
      state.rank = 2;
      state.dims = {};
    }
  }
  emission.AddInt("direction", view.text({"direction"}) == "reverse" ? 1 : 0);
  emission.AddInt("time_major", view.integer({"layout"}).value_or(0) == 0 ? 1 : 0);
  emission.AddReal("cell_clip_threshold", view.real({"clip"}).value_or(0.0));
  return Emitted();
}

}  // namespace quantgate::qnn
