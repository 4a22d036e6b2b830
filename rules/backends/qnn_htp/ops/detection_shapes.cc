#include "rules/backends/qnn_htp/ops/detection_shapes.h"

#include "absl/strings/str_cat.h"
#include "rules/backends/qnn_htp/ops/inferred_shape.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

constexpr int64_t kCoordinates = 4;  // of a box: two corners
constexpr int64_t kIndices = 3;      // of a selected box: batch, class, box

// Ranks were looked at before. False, with a finding: the size is known and another one.
bool CheckSize(const BackendTensor& tensor, PortRef place, size_t dim, int64_t wanted, absl::string_view because,
               OpReport& report) {
  if (!tensor.present || dim >= tensor.dims.size() || wanted < 0) return true;
  const int64_t size = tensor.dims[dim];
  if (size < 0 || size == wanted) return true;
  report.Add(kInferredShape, place, absl::StrCat("size ", size, " in dimension ", dim),
             absl::StrCat("it must be ", wanted, ", ", because));
  return false;
}

int64_t Size(const BackendTensor& tensor, size_t dim) { return dim < tensor.dims.size() ? tensor.dims[dim] : -1; }

void CheckSuppression(const BackendOp& op, OpReport& report) {
  const BackendTensor& boxes = Input(op, 0);
  const BackendTensor& scores = Input(op, 1);
  if (!CheckSize(boxes, In(0), 2, kCoordinates, "a box has four coordinates", report)) return;
  if (!CheckSize(scores, In(1), 2, Size(boxes, 1), "one score for each box", report)) return;
  if (!CheckSize(Output(op, 0), Out(0), 1, kIndices, "batch, class and box of a selected one", report)) return;
  CheckSize(Output(op, 1), Out(1), 0, 1, "the count of selected boxes", report);
  const int64_t batches = Size(scores, 0), classes = Size(scores, 1);
  const int64_t most = ParamElement(op, "max_boxes_selected", 0, -1);
  int64_t wanted = 0;
  if (batches < 0 || classes < 0 || most < 0 || __builtin_mul_overflow(batches, classes, &wanted) ||
      __builtin_mul_overflow(wanted, most, &wanted))
    return;
  CheckSize(Output(op, 0), Out(0), 0, wanted, "max_boxes_selected for each batch and class", report);
}

// Outputs are of one batch, and those with an entry for each selected box agree how many there are.
void CheckSelected(const BackendOp& op, OpReport& report) {
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const PortRef place = Out(static_cast<int>(i));
    if (!CheckSize(Output(op, i), place, 0, Size(Input(op, 0), 0), "the batch of the inputs", report)) return;
    if (op.outputs[i].dims.size() < 2) continue;  // the count of them
    if (!CheckSize(Output(op, i), place, 1, Size(Output(op, 0), 1), "as in the first output", report)) return;
  }
}

void CheckMultiClass(const BackendOp& op, OpReport& report) {
  const BackendTensor& boxes = Input(op, 0);
  if (!CheckSize(boxes, In(0), 2, kCoordinates, "a box has four coordinates", report)) return;
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    const PortRef place = In(static_cast<int>(i));
    if (!CheckSize(Input(op, i), place, 0, Size(boxes, 0), "the batch of the boxes", report)) return;
    if (!CheckSize(Input(op, i), place, 1, Size(boxes, 1), "one for each box", report)) return;
  }
  CheckSelected(op, report);
}

void CheckDetection(const BackendOp& op, OpReport& report) {
  for (size_t i : {1, 2}) {
    const BackendTensor& boxes = Input(op, i);
    const size_t last = boxes.dims.empty() ? 0 : boxes.dims.size() - 1;
    if (!CheckSize(boxes, In(static_cast<int>(i)), last, kCoordinates, "a box has four coordinates", report)) return;
  }
  CheckSelected(op, report);
}

void CheckRegions(const BackendOp& op, OpReport& report) {
  const BackendTensor& regions = Input(op, 1);
  if (!CheckSize(regions, In(1), 1, kCoordinates, "a region has four coordinates", report)) return;
  CheckSize(Input(op, 2), In(2), 0, Size(regions, 0), "a batch index for each region", report);
}

}  // namespace

void CheckDetectionShapes(const BackendOp& op, OpReport& report) {
  if (op.name == "NonMaxSuppression") CheckSuppression(op, report);
  if (op.name == "MultiClassNms") CheckMultiClass(op, report);
  if (op.name == "DetectionOutput") CheckDetection(op, report);
  if (op.name == "RoiAlign") CheckRegions(op, report);
}

}  // namespace quantgate::qnn_htp
