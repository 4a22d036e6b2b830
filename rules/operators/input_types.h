// Which element types an input of an ONNX operator may have. That some of its arguments have one type is in
// definition.h.
#ifndef QUANTGATE_RULES_OPERATORS_INPUT_TYPES_H_
#define QUANTGATE_RULES_OPERATORS_INPUT_TYPES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate {

// Newest version of the default operator set that the table covers; of later ones everything is admitted.
constexpr int64_t kNewestTyped = 27;

class InputTypes {
 public:
  // An operator of the default domain in that version of the operator set. Of others everything is admitted.
  InputTypes(absl::string_view op_type, int64_t version);

  // Types that are not known are admitted.
  bool Admits(int input, v1::DataType type) const;
  std::vector<v1::DataType> Admitted(int input) const;
  // Whether nothing but a tensor is admitted, no sequence and no optional. False where that is not known.
  bool IsTensor(int input) const { return Letter(input) != '.'; }

 private:
  // '.': everything is admitted.
  char Letter(int input) const;

  absl::string_view letters_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_INPUT_TYPES_H_
