// Specs as corrections state them.
#ifndef QUANTGATE_TESTS_CLIENT_PLAIN_SPEC_H_
#define QUANTGATE_TESTS_CLIENT_PLAIN_SPEC_H_

#include <vector>

#include "quantgate/v1/spec.pb.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate {

inline v1::Spec Plain(v1::DataType type, std::vector<double> scales, double zero_point = 0, int axis = -1) {
  v1::Spec spec;
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type);
  for (double scale : scales) {
    spec.mutable_qparams()->add_scales(scale);
    spec.mutable_qparams()->add_zero_points(zero_point);
  }
  if (axis >= 0) spec.mutable_qparams()->add_axes(axis);
  return spec;
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_PLAIN_SPEC_H_
