// Which inputs an operator of a LiteRT model may leave out.
#ifndef QUANTGATE_RULES_TFLITE_OPTIONAL_INPUTS_H_
#define QUANTGATE_RULES_TFLITE_OPTIONAL_INPUTS_H_

#include "absl/strings/string_view.h"

namespace quantgate {

// A place for input number `input` may hold -1, as in kernels that read it by GetOptionalInputTensor. True also where
// that is not known: custom operators, and those that pass their inputs on to other subgraphs.
bool MayBeLeftOut(absl::string_view op_type, int input);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_OPTIONAL_INPUTS_H_
