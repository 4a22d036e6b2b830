// What a backend accepts, as plain data. No SQLite and no engine here: the database fills these structures, the engine
// reads them, tests write them by hand.
#ifndef QUANTGATE_DB_TABLE_H_
#define QUANTGATE_DB_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::db {

// Element type of a port: the stored type, and whether it carries qparams. QNN's UFIXED_POINT_8 is {UINT8, quantized},
// its UINT_8 is {UINT8, plain}.
struct ElementType {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  bool quantized = false;

  // Small dense code, < 64, for packed keys.
  constexpr uint8_t code() const { return static_cast<uint8_t>(type) | (quantized ? 32 : 0); }
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

// QNN's spelling ("UFIXED_POINT_8", "FLOAT_16", "BOOL_8", "INT_32"), which tables and messages use.
absl::string_view ElementTypeName(ElementType type);
std::optional<ElementType> ElementTypeFromName(absl::string_view name);

enum class Evidence : uint8_t { kDocumented, kMeasured };

// What an operator that does not hold to an item comes to.
enum class ItemEffect : uint8_t {
  kRefused,       // validation fails; of a document, or a backend with one step: the operator is not taken
  kUnprepared,    // validation takes it, and the graph cannot be prepared
  kWrongNumbers,  // it is taken, and computes something else than the encodings say
  kNotEnforced,   // it is taken, and computes right, whatever the document says
};
absl::string_view ItemEffectName(ItemEffect effect);  // "refused", "unprepared", "wrong_numbers", "not_enforced"
std::optional<ItemEffect> ItemEffectFromName(absl::string_view name);

// Closed interval of arch numbers (68 for V68). 0 at either end: open.
struct ArchRange {
  int min = 0;
  int max = 0;
  bool Contains(int arch) const { return (min == 0 || arch >= min) && (max == 0 || arch <= max); }
};

// One port of one row, and the types it takes there (OR).
struct PortTypes {
  std::string port;  // "in[0]", "out[0]", variadic "in[0..m]"
  std::vector<ElementType> types;
};

// A dtype row: all ports must fit (AND); rows of an op are alternatives (OR).
struct DtypeRow {
  std::string configuration;  // "INT8", "INT16", "FP16", "OTHERS", "All"
  int ordinal = 0;            // 1-based within the op, in document order
  std::vector<PortTypes> ports;
  ArchRange archs;
  Evidence evidence = Evidence::kDocumented;
  std::string source;  // what says so, when it is not the table's document
};

// A typed predicate: `kind` names an evaluator of rules/constraints, `args` its arguments in document order.
// The vocabulary is documented in db/README.md.
struct Predicate {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> args;
};

// One statement of the document about one port or parameter, as one or more predicates (AND).
struct Item {
  std::string configuration;
  std::string port;  // "in[1]", "out[0]", or a parameter name
  int ordinal = 0;   // 1-based within (op, configuration, port)
  std::vector<Predicate> predicates;
  ArchRange archs;
  Evidence evidence = Evidence::kDocumented;
  std::string source;
  // Stated in the document's table of supported operators, not among the operator's constraints. Judged like any other,
  // not counted among TableInfo::items.
  bool summary = false;
  ItemEffect effect = ItemEffect::kRefused;
};

// Formal parameter or port of the op definition (QNN's "master" table).
struct Formal {
  std::string name;
  bool mandatory = false;
  std::string dtype;          // "UINT_32", "INT_32|backend"; "backend": each backend's own tables say
  std::string default_value;  // number, "fill:V" (every element is V), "N-1" or "N" (N: rank of in[0]); empty: none
  std::string same_type_as;   // port or parameter whose element type it shares; empty: none stated
};

struct OpConstraints {
  std::string op;  // "Conv2d", "ElementWiseBinary:ADD"
  std::vector<DtypeRow> rows;
  std::vector<Item> items;
  // Not -1: what is said of this value of the operator's parameter `operation`, in the place of what is said of the
  // operator without it.
  int operation = -1;
};

// One document or measurement: everything a backend says of one SDK version.
struct ConstraintTable {
  std::string backend;             // "qnn_htp"
  std::string sdk;                 // "2.25.0"
  std::string document;            // title of the source
  std::vector<OpConstraints> ops;  // sorted by op
  // kMeasured: the backend's own code was asked about all of it, so that nothing is left to overrule.
  Evidence evidence = Evidence::kDocumented;
};

// The row takes floats, and is of a configuration that a SoC without them lacks as a whole (FP16, BF16). What takes
// floats in other configurations (Quantize, a Reshape of FLOAT_32) it has.
bool NeedsFloats(const ConstraintTable& table, const DtypeRow& row);

// Definition of an operator's ports and parameters, independent of the backend.
struct OpDefinition {
  std::string op;
  std::vector<Formal> inputs;
  std::vector<Formal> parameters;
  std::vector<Formal> outputs;
};

struct Soc {
  int id = 0;
  std::string name;                  // "SM8650"
  int arch = 0;                      // HTP arch number, 75; 0: no HTP
  int kernels = 0;                   // the arch whose kernels it was found to have; `arch` unless the table says
  int vtcm_mb = 0;                   // 0: not known
  std::vector<std::string> aliases;  // names toolchains use for it
  bool has_float = true;             // false: its HTP computes integers alone
};

struct TableInfo {
  std::string backend;
  std::string sdk;
  std::string document;
  int ops = 0;
  int rows = 0;   // dtype rows; 0 for definitions
  int items = 0;  // items without summary ones; for definitions: ports and parameters
  // A table of operator definitions (LoadDefinitions); as a ConstraintTable it has operators and nothing about them.
  bool definitions = false;
};

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_TABLE_H_
