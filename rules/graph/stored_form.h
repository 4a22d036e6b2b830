// The stored form of a tensor: element type, range and parameters, whoever states them.
#ifndef QUANTGATE_RULES_GRAPH_STORED_FORM_H_
#define QUANTGATE_RULES_GRAPH_STORED_FORM_H_

#include <cstdint>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// What is known of it: how a Quantize node writes it, or what a spec says.
struct StoredForm {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  int32_t qparams = -1;  // index into the graph's QParamsStore
  int64_t quant_min = 0;
  int64_t quant_max = 0;
  Tri is_dynamic = Tri::kUnknown;
  bool quantized = false;
};

// Forms by index. Adding one may move the others: copy what has to last.
class StoredForms {
 public:
  int32_t Add(const StoredForm& form) {
    forms_.push_back(form);
    return static_cast<int32_t>(forms_.size()) - 1;
  }
  const StoredForm& operator[](int32_t index) const { return forms_[index]; }

 private:
  std::vector<StoredForm> forms_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_STORED_FORM_H_
