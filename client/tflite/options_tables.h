// The two unions of options in the LiteRT schema. Internal to client/tflite.
#ifndef QUANTGATE_CLIENT_TFLITE_OPTIONS_TABLES_H_
#define QUANTGATE_CLIENT_TFLITE_OPTIONS_TABLES_H_

#include "absl/types/span.h"
#include "client/tflite/options.h"

namespace quantgate::tflite {

// In the order of the unions, from number 1.
absl::Span<const OptionsTable> FirstOptionsTables();
absl::Span<const OptionsTable> SecondOptionsTables();

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_OPTIONS_TABLES_H_
