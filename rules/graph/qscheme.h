// What the schemes of torch's specs say.
#ifndef QUANTGATE_RULES_GRAPH_QSCHEME_H_
#define QUANTGATE_RULES_GRAPH_QSCHEME_H_

#include "quantgate/v1/spec.pb.h"

namespace quantgate {

inline bool IsSymmetric(v1::Spec::QScheme scheme) {
  return scheme == v1::Spec::PER_TENSOR_SYMMETRIC || scheme == v1::Spec::PER_CHANNEL_SYMMETRIC ||
         scheme == v1::Spec::PER_BLOCK_SYMMETRIC;
}

inline bool IsPerChannel(v1::Spec::QScheme scheme) {
  return scheme == v1::Spec::PER_CHANNEL_AFFINE || scheme == v1::Spec::PER_CHANNEL_SYMMETRIC ||
         scheme == v1::Spec::PER_CHANNEL_AFFINE_FLOAT_QPARAMS;
}

inline bool IsPerBlock(v1::Spec::QScheme scheme) {
  return scheme == v1::Spec::PER_BLOCK_AFFINE || scheme == v1::Spec::PER_BLOCK_SYMMETRIC;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QSCHEME_H_
