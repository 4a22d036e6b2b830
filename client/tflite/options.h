// Parameters of builtin operators. The schema has a table of options for each kind of operator; they are described here
// and read by description, so that there is one reader instead of one for each table.
#ifndef QUANTGATE_CLIENT_TFLITE_OPTIONS_H_
#define QUANTGATE_CLIENT_TFLITE_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "client/tflite/budget.h"
#include "client/tflite/model_generated.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::tflite {

enum class OptionKind : uint8_t {
  kSkipped,  // no longer used, or nothing that a rule could ask for
  kBool,
  kInt8,
  kInt32,
  kUint32,
  kInt64,
  kFloat,
  kInt32s,
  kInt64s,
  kFloats,
  kText,
  kType,        // an element type
  kPadding,     // SAME or VALID
  kActivation,  // fused into the operator
  kMirrorMode,
  kSubgraph,  // index of a subgraph
};

// One field; its number is its place among the fields of the table.
struct Option {
  OptionKind kind;
  const char* name;  // as in the schema
  int missing = 0;   // the schema's default
};

struct OptionsTable {
  const char* name;  // "Conv2DOptions"
  absl::Span<const Option> options;
};

// The table behind a number of the first or second union of options. Null: 0 (none), or a number that is not known.
const OptionsTable* OptionsOf(int type, int type_2);

// Reads field number `field` of `table`, whose start was verified. nullopt: its bytes are not where they should be. No
// value: the file does not state it and there is no default, or it is skipped. Subgraphs are their indices, in `i`.
// Fields that exceed the budget have no value either.
std::optional<v1::Attribute> ReadOption(const flatbuffers::Table& table, int field, const Option& option,
                                        const flatbuffers::Verifier& verifier, Budget& budget);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_OPTIONS_H_
