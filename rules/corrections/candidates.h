// Changes that may remove what is wrong at a node. What is tried comes from data: the element types that the backend
// takes for the node, the specs that its tensors carry and those that the graph uses elsewhere. Whether a change helps
// is not known here; the planner applies it and asks.
#ifndef QUANTGATE_RULES_CORRECTIONS_CANDIDATES_H_
#define QUANTGATE_RULES_CORRECTIONS_CANDIDATES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rules/corrections/spec_editor.h"
#include "rules/corrections/spec_form.h"
#include "rules/corrections/stored_specs.h"
#include "rules/engine/context.h"
#include "rules/engine/module.h"
#include "rules/graph/sharing/sharing.h"

namespace quantgate::corrections {

// Loss of a tensor that is left in float: no precision and all speed, the last resort.
inline constexpr int kUnquantizedLoss = 1000;

// One place gets another spec. `spec` as in SpecEditor.
struct Edit {
  SpecPlace place;
  int32_t spec = 0;
  friend bool operator==(const Edit&, const Edit&) = default;
};

// A port of a node with the element type that it gets.
struct Choice {
  int32_t node;
  bool is_output;
  int argument;
  db::ElementType type;
};

// Edits that belong together, with what they cost.
struct Move {
  std::vector<Edit> edits;
  std::vector<Choice> choices;
  int loss = 0;
  int distance = 0;
};

using AcceptedTypesOf = std::function<std::vector<AcceptedTypes>(const ResolvedOp&)>;

class Candidates {
 public:
  // The context is of the graph before any change; `original` is its message, with the specs of stored tensors lifted;
  // `editor` interns the specs of moves. All must outlive the object.
  Candidates(const CheckContext& context, const v1::Graph& original, const StoredSpecs& stored,
             AcceptedTypesOf accepted, SpecEditor& editor);

  // Moves that change what the tensors of `node` carry; of a Quantize or Dequantize node, the stored one. Made once per
  // node.
  const std::vector<Move>& At(int32_t node);

  // Whether one row of the backend's table has all these types, at the ports of `node`; true where there are no rows.
  bool Compatible(int32_t node, const std::vector<Choice>& choices) const;

  // Whether one row has the types that the node's tensors have after `edits`. Only for nodes that At was asked
  // about.
  bool FitsRow(int32_t node, const std::vector<Edit>& edits) const;

  // Adds to `edits` what has to change with them: a bias that counted in units of input x weight goes on to. Sorts
  // them. Returns how many nodes it looked at.
  int64_t AddDependent(std::vector<Edit>& edits) const;

  // Places that `edits` change, and a conversion for each edge of a graph with Quantize and Dequantize nodes, where
  // they have to be inserted.
  int ChangesOf(const std::vector<Edit>& edits) const;

  // Nodes that see a change of `place`: its reader, or writer and readers, and those whose specs refer to it.
  std::vector<int32_t> NodesAt(SpecPlace place) const;

 private:
  // One tensor of the node.
  struct Port {
    SpecPlace place;                   // where the spec is that decides, references followed
    int32_t value = -1;                // what the node reads or writes
    std::vector<SpecPlace> alike;      // places of the same sharing group that have to say the same, `place` included
    std::optional<SpecPlace> own;      // the node's own place, when it only refers to `place`
    std::optional<SpecPlace> edge;     // from the Dequantize, where a spec is for this reader alone
    const v1::Spec* before = nullptr;  // null: no spec
    bool is_output = false;
    bool is_static = false;
    bool is_bias = false;
    int argument = -1;
    int rank = -1;
    db::ElementType type;
    std::vector<db::ElementType> types;  // accepted ones
  };
  // A port that is quantized or in float, as it is before any change.
  struct Held {
    SpecPlace own;
    SpecPlace place;  // where the spec is that decides
    std::optional<SpecPlace> edge;
    Choice choice;
  };
  struct Variant {
    int32_t spec;
    db::ElementType type;
    int loss;
    int distance;
  };

  // Where the spec of an operand sits; nullopt: it has none that could be changed.
  std::optional<SpecPlace> PlaceOf(const Operand& operand, int32_t node, bool is_output) const;
  const v1::Spec* Before(SpecPlace place) const;
  std::vector<db::ElementType> TypesToTry(const Port& port) const;
  std::vector<Port> PortsOf(const ResolvedOp& op, const std::vector<AcceptedTypes>& accepted);
  std::vector<Variant> VariantsOf(const Port& port);
  void AddVariant(const Port& port, SpecForm form, std::vector<Variant>& variants);
  void AddSpec(const Port& port, int32_t spec, const SpecForm& form, std::vector<Variant>& variants);
  // What follows from other specs around the node: the producer's for an edge that reads it, the moved input's for an
  // output.
  void AddFollowing(const ResolvedOp& op, const std::vector<Port>& ports, size_t index, std::vector<Variant>& variants);
  // Of a bias that is added to sums of products: what counts in units of input x weight. nullopt: of other ports, or
  // one of the two has no spec.
  std::optional<v1::Spec> DerivedBias(const ResolvedOp& op, const std::vector<Port>& ports, size_t index) const;
  static std::optional<v1::Spec> WiderBias(const Port& port);
  // The output parameters that fill what the operator fills, where others are prescribed.
  void AddPrescribed(const ResolvedOp& op, const Port& port, std::vector<Variant>& variants);
  std::optional<SpecPlace> EdgeOf(const Operand& operand, int32_t node) const;
  void AddEdges(int32_t node, const std::vector<Port>& ports, const std::vector<std::vector<Variant>>& variants,
                std::vector<Move>& moves);
  // Specs of what is never quantized go.
  void AddRemovals(int32_t node, const std::vector<Port>& ports, std::vector<Move>& moves) const;
  int MeantAxis(const Port& port, const SpecForm& before) const;
  v1::Spec Write(const Port& port, const SpecForm& form);
  SpecPlace Root(SpecPlace place) const;
  bool SharesWithNone(SpecPlace place) const;
  std::vector<SpecPlace> GroupOf(SpecPlace place) const;
  std::vector<Move> Make(int32_t node);
  std::vector<Move> MakeForQuantizer(int32_t node);

  const CheckContext& context_;
  const v1::Graph& original_;
  const StoredSpecs& stored_;
  const AcceptedTypesOf accepted_;
  SpecEditor& editor_;
  const bool native_;
  std::optional<SharingGroups> groups_;  // PT2E
  absl::flat_hash_map<int32_t, std::vector<Move>> moves_;
  absl::flat_hash_map<int32_t, std::vector<AcceptedTypes>> rows_;  // of the nodes in moves_
  absl::flat_hash_map<int32_t, std::vector<Held>> held_;           // likewise
  absl::flat_hash_map<int64_t, std::vector<int32_t>> referring_;   // by place: nodes with specs that refer to it
  const int original_specs_;
  // Scales and zero points that candidates may still have, all together: a tensor may claim 2^40 channels. Beyond,
  // they are written without numbers, and are no solutions.
  int64_t numbers_left_ = 16'000'000;
};

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_CANDIDATES_H_
