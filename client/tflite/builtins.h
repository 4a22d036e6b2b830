// Builtin operators of the LiteRT schema.
#ifndef QUANTGATE_CLIENT_TFLITE_BUILTINS_H_
#define QUANTGATE_CLIENT_TFLITE_BUILTINS_H_

#include <cstdint>

namespace quantgate::tflite {

constexpr int32_t kCustomOperator = 32;

struct Builtin {
  const char* name;               // "CONV_2D"
  const char* options = nullptr;  // the table that holds its parameters; null: it has none
};

// Null for a code that no schema version defines.
const Builtin* BuiltinOf(int32_t code);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_BUILTINS_H_
