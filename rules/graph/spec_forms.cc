#include "rules/graph/spec_forms.h"

#include <numeric>
#include <utility>

#include "rules/graph/data_type.h"
#include "rules/graph/qscheme.h"

namespace quantgate {
namespace {

constexpr int32_t kNotComputed = -2;
constexpr int32_t kOnTheWay = -3;

}  // namespace

SpecForms::SpecForms(const Graph& graph, StoredForms& forms, QParamsStore& params)
    : graph_(graph),
      forms_(forms),
      params_(params),
      form_of_(graph.message().specs_size(), -1),
      roots_(graph.message().specs_size(), kNotComputed) {}

int32_t SpecForms::RootAt(SpecPlace place) {
  const int32_t spec = SpecAt(place);  // of a value that the node reads twice, the first
  return spec >= 0 && graph_.spec_kind(spec) == v1::Spec::SHARED ? RootOfShared(spec) : spec;
}

// Where the references of a shared spec end does not depend on the place that carries it.
int32_t SpecForms::RootOfShared(int32_t spec) {
  way_.clear();
  int32_t root = -1;
  while (true) {
    if (roots_[spec] == kOnTheWay) break;  // a circle
    if (roots_[spec] != kNotComputed) {
      root = roots_[spec];
      break;
    }
    roots_[spec] = kOnTheWay;
    way_.push_back(spec);
    spec = SpecAt(graph_.references(spec)[0]);
    if (spec < 0) break;  // it dangles
    if (graph_.spec_kind(spec) != v1::Spec::SHARED) {
      root = spec;
      break;
    }
  }
  for (int32_t each : way_) roots_[each] = root;
  return root;
}

// The spec that a place carries; -1: none. An output that is explicitly not quantized carries none, in torchao.
int32_t SpecForms::SpecAt(SpecPlace place) {
  if (place.value < 0) return -1;
  if (!place.is_edge()) {
    const int32_t spec = graph_.value_spec(place.value);
    return spec >= 0 && graph_.spec_kind(spec) == v1::Spec::EXPLICIT_NONE ? -1 : spec;
  }
  constexpr int kWide = 16;
  if (graph_.num_inputs(place.node) > kWide || graph_.has_spec_map(place.node)) {
    if (!annotations_.has_value()) annotations_.emplace(graph_);
    const int32_t entry = annotations_->Find(place);
    return entry < 0 ? -1 : annotations_->spec_id(entry);
  }
  for (int i = 0; i < graph_.num_inputs(place.node); ++i) {
    if (graph_.input(place.node, i) == place.value && graph_.edge_spec(place.node, i) >= 0) {
      return graph_.edge_spec(place.node, i);
    }
  }
  return -1;
}

int32_t SpecForms::AddForm(int32_t spec) {
  form_of_[spec] = forms_.Add(Describe(graph_.message().specs(spec)));
  return form_of_[spec];
}

int32_t SpecForms::FormOf(int32_t spec, int32_t root) {
  const int32_t form = FormOf(graph_.spec_like(root));
  if (spec == root) return form;  // nearly always, and without a look at the message
  const v1::QParams& own = graph_.message().specs(spec).qparams();
  if (own.scales().empty() || !params_[forms_[form].qparams].scales.empty()) return form;
  StoredForm merged = forms_[form];
  merged.qparams = Describe(graph_.message().specs(spec)).qparams;
  return forms_.Add(merged);
}

StoredForm SpecForms::Describe(const v1::Spec& spec) {
  StoredForm form;
  // An encodings file says of some tensors that they stay real, and in how many bits.
  form.quantized = !(graph_.message().has_encodings_file() && IsFloat(spec.dtype()) && spec.qparams().scales().empty());
  // Of a type beyond the list it is only known whether two specs have the same, which is for sharing to ask.
  form.type = v1::DataType_IsValid(spec.dtype()) ? spec.dtype() : v1::DATA_TYPE_UNSPECIFIED;
  form.quant_min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
  form.quant_max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
  if (spec.has_is_dynamic()) form.is_dynamic = spec.is_dynamic() ? Tri::kYes : Tri::kNo;
  QuantParams params;
  const v1::QParams& known = spec.qparams();
  params.scales = known.scales();
  params.zero_points = known.zero_points();
  params.axes = known.axes();
  params.block_sizes = known.block_sizes();
  params.block_scales = known.block_scales();
  if (params.axes.empty() && !spec.block_size().empty()) {
    std::vector<int32_t> axes(spec.block_size_size());
    std::iota(axes.begin(), axes.end(), 0);
    params.axes = params_.Keep(std::move(axes));
    params.block_sizes = spec.block_size();
  } else if (params.axes.empty() && IsPerChannel(spec.qscheme()) && spec.has_axis()) {
    params.axes = params_.Keep(std::vector<int32_t>{spec.axis()});
  }
  form.qparams = params_.Add(params);
  return form;
}

}  // namespace quantgate
