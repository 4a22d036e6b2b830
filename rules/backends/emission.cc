#include "rules/backends/emission.h"

namespace quantgate {

void Emission::Clear() {
  records_.clear();
  inputs_.clear();
  outputs_.clear();
  params_used_ = 0;
  dims_used_ = 0;
  ops_.clear();
  looked_at_constants_ = false;
}

void Emission::Begin(absl::string_view name, int32_t node) {
  records_.push_back(
      {name, node, {inputs_.size(), inputs_.size()}, {outputs_.size(), outputs_.size()}, {params_used_, params_used_}});
}

void Emission::MarkAsStated() { records_.back().as_stated = true; }

BackendTensor& Emission::AddInput() {
  inputs_.emplace_back();
  records_.back().inputs.end = inputs_.size();
  return inputs_.back();
}

BackendTensor& Emission::AddOutput() {
  outputs_.emplace_back();
  records_.back().outputs.end = outputs_.size();
  return outputs_.back();
}

BackendParam& Emission::AddParam(absl::string_view name) {
  if (params_used_ == params_.size()) params_.emplace_back();
  BackendParam& param = params_[params_used_++];
  param.name = name;
  param.ints.clear();
  param.reals.clear();
  records_.back().params.end = params_used_;
  return param;
}

std::array<int64_t, kMaxBackendRank>& Emission::NewDims() {
  if (dims_used_ == dims_.size()) dims_.emplace_back();
  return dims_[dims_used_++];
}

absl::Span<const BackendOp> Emission::Finish() {
  ops_.clear();
  for (const Record& record : records_) {
    BackendOp& op = ops_.emplace_back();
    op.name = record.name;
    op.node = record.node;
    op.as_stated = record.as_stated;
    op.inputs = absl::MakeConstSpan(inputs_).subspan(record.inputs.begin, record.inputs.end - record.inputs.begin);
    op.outputs = absl::MakeConstSpan(outputs_).subspan(record.outputs.begin, record.outputs.end - record.outputs.begin);
    op.params = absl::MakeConstSpan(params_).subspan(record.params.begin, record.params.end - record.params.begin);
  }
  return ops_;
}

}  // namespace quantgate
