#include "rules/backends/xnnpack/wide_tensor.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "rules/backends/table_target.h"
#include "rules/constraints/matcher.h"
#include "rules/constraints/rules.h"

namespace quantgate::xnnpack {

const RuleInfo kWideTensor = {
    "DT601",
    "wide-tensor",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; XNNPACK needs {allowed}.",
    "ExecuTorch 1.5.1 computes on integers what reads Dequantize nodes alone and is read by one Quantize alone, "
    "whatever their types are. For int32 XNNPACK has kernels that move numbers, from int32 to int32: with others the "
    "program does not load (\"xnn_status_invalid_parameter\"), or a mean of int8 ends in wrong numbers. A slice "
    "between two types stays on the CPU.",
    "Quantize the inputs and the output to int8, or leave one of them in float.",
    "Fires: a cat of int8 and int32, a relu of int32. Does not: a cat of int32 alone, or a relu that reads int32 and "
    "writes floats."};

const RuleInfo kWideZeroPoint = {
    "NR601",
    "wide-zero-point",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; ExecuTorch needs {allowed}.",
    "ExecuTorch 1.5.1 delegates a node between Dequantize and Quantize nodes of int32, and then takes the zero point 0 "
    "alone there: the export ends with \"Invalid quantization scale or zero point\".",
    "Quantize to int32 with a symmetric scheme, or to int8.",
    "Fires: a view from int32 to int32 with zero point 7. Does not: with zero point 0, or a sigmoid of the same "
    "tensor, which is computed in float."};

namespace {

// An operator that is computed on integers where all around it is quantized.
struct Kernel {
  absl::string_view name;
  int tensors = 1;        // a number in the place of one is in float
  bool moves = false;     // takes int32 for int32
  bool left_out = false;  // the partitioner compares the parameters: others are left to the CPU
};
constexpr Kernel kKernels[] = {
    {"XNNAdd", 2},
    {"XNNClamp"},
    {"XNNConcatenate", 1, true},
    {"XNNExpandDims", 1, true},
    {"XNNGlobalAvgPooling2d"},
    {"XNNMaxPooling2d"},
    {"XNNMultiply", 2},
    {"XNNStaticReshape", 1, true},
    {"XNNStaticSlice", 1, true, true},
    {"XNNStaticTranspose", 1, true},
    {"XNNSubtract", 2},
};

// As XNNPACK reads them, in float32.
constexpr double kEqualScaleTolerance = 1e-6;

struct Port {
  PortRef place;
  const BackendTensor* tensor;

  bool is_wide() const { return tensor->type.type == v1::DATA_TYPE_INT32; }
  bool has_numbers() const { return tensor->qparams != nullptr && !tensor->qparams->scales.empty(); }
};

std::vector<Port> PortsOf(const BackendOp& op) {
  std::vector<Port> ports;
  const auto add = [&](PortRef::Kind kind, absl::Span<const BackendTensor> tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].present) ports.push_back({{kind, static_cast<int16_t>(i)}, &tensors[i]});
    }
  };
  add(PortRef::kInput, op.inputs);
  add(PortRef::kOutput, op.outputs);
  return ports;
}

bool IsComputedOnIntegers(const Kernel& kernel, const std::vector<Port>& ports) {
  return ports.size() > static_cast<size_t>(kernel.tensors) && absl::c_all_of(ports, [](const Port& port) {
           return port.tensor->type.quantized && port.tensor->dynamic_qparams != Tri::kYes;
         });
}

// What is said of one operator.
class Report {
 public:
  Report(const BackendOp& op, const Target& target, FindingSink& sink) : op_(op), target_(target), sink_(sink) {}

  void Add(const RuleInfo& rule, const Port& port, std::string observed, std::string allowed,
           v1::Finding::Effect effect) {
    FindingDraft draft;
    draft.rule = &rule;
    draft.place = PlaceOf(op_, port.place);
    draft.observed = std::move(observed);
    draft.allowed = std::move(allowed);
    draft.effect = effect;
    draft.severity = v1::Finding::ERROR;
    draft.source = FromTable(target_, v1::Source::MEASURED, op_.name,
                             "ExecuTorch 1.5.1, operators between tensors of int8 and int32, lowered and run");
    sink_.Add(std::move(draft));
  }
  void NotChecked(const RuleInfo& rule, absl::string_view reason) {
    sink_.NotChecked(&rule, op_.node, absl::StrCat(op_.name, ": ", reason));
  }

 private:
  const BackendOp& op_;
  const Target& target_;
  FindingSink& sink_;
};

bool HasZeroPoint(const Port& port) {
  if (!port.has_numbers()) return port.tensor->asked_symmetric == Tri::kNo;
  const QuantParams& numbers = *port.tensor->qparams;
  for (size_t i = 0; i < numbers.scales.size(); ++i) {
    if (numbers.zero_point(i) != 0) return true;
  }
  return false;
}

// False: the export ends.
bool CheckZeroPoints(const std::vector<Port>& ports, Report& report) {
  bool holds = true;
  for (const Port& port : ports) {
    if (!port.is_wide()) continue;
    if (HasZeroPoint(port)) {
      holds = false;
      report.Add(kWideZeroPoint, port,
                 port.has_numbers()
                     ? absl::StrFormat("int32 with zero point %.10g", port.tensor->qparams->zero_point(0))
                     : "int32 with the observed zero point of an affine range",
                 "zero point 0 for int32", v1::Finding::REFUSED);
    } else if (!port.has_numbers() && port.tensor->asked_symmetric == Tri::kUnknown) {
      report.NotChecked(kWideZeroPoint, "the zero point is not known");
    }
  }
  return holds;
}

// Whether numbers that are moved keep their meaning. They are not compared when the program loads.
bool CheckScales(const Kernel& kernel, const std::vector<Port>& ports, Report& report) {
  const Port& output = ports.back();
  bool holds = true;
  for (const Port& port : ports) {
    if (&port == &output) continue;
    if (!port.has_numbers() || !output.has_numbers()) {
      report.NotChecked(kUnequalScale, "scales are not known at this stage");
      continue;
    }
    const double mine = port.tensor->qparams->scales[0], theirs = output.tensor->qparams->scales[0];
    if (std::fabs(mine - theirs) <= kEqualScaleTolerance * std::fabs(theirs)) continue;
    holds = false;
    report.Add(kUnequalScale, port, absl::StrFormat("scale %.7g", mine),
               absl::StrFormat("scale %.7g of the output", theirs),
               kernel.left_out ? v1::Finding::REFUSED : v1::Finding::WRONG_NUMBERS);
  }
  return holds;
}

}  // namespace

Fate CheckWideTensors(const BackendOp& op, const Target& target, FindingSink& sink) {
  const Kernel* kernel = absl::c_find_if(kKernels, [&](const Kernel& known) { return known.name == op.name; });
  const std::vector<Port> ports = PortsOf(op);
  const auto is_wide = [](const Port& port) { return port.is_wide(); };
  if (kernel == std::end(kKernels) || !IsComputedOnIntegers(*kernel, ports) || absl::c_none_of(ports, is_wide)) {
    return Fate::kByRule;
  }
  Report report(op, target, sink);
  const bool moved = kernel->moves && absl::c_all_of(ports, is_wide);
  if (kernel->left_out && (!moved || !CheckScales(*kernel, ports, report))) {
    if (!moved)
      report.Add(kWideTensor, *absl::c_find_if(ports, is_wide), "int32 beside another type", "one type",
                 v1::Finding::REFUSED);
    return Fate::kRefused;
  }
  if (!CheckZeroPoints(ports, report)) return Fate::kEndsExport;
  if (!moved) {
    report.Add(kWideTensor, *absl::c_find_if(ports, is_wide), "int32",
               kernel->moves ? "int8, or int32 for all inputs and the output" : "int8", v1::Finding::REFUSED);
    return Fate::kEndsExport;
  }
  if (!kernel->left_out) CheckScales(*kernel, ports, report);
  return Fate::kByRule;
}

}  // namespace quantgate::xnnpack
