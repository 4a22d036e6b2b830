#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rules/operators/op_map.h"
#include "rules/operators/operator.h"

namespace quantgate {
namespace {

// Operator names of one origin. Built once, on first use, and never destroyed.
class OpMap {
 public:
  void Add(absl::Span<const OpRow> rows) {
    for (const OpRow& row : rows) Insert(row.name, MakeBinding(row.op, row.arguments, row.style));
  }

  void Add(absl::Span<const OverloadRow> rows) {
    // Backend tables also write packets without an overload. That is an operator only when all overloads are one.
    absl::flat_hash_map<std::string, const Binding*> packets;
    for (const OverloadRow& row : rows) {
      const Binding* binding = MakeBinding(row.op, row.arguments, Style::kFloat);
      for (absl::string_view packet : absl::StrSplit(row.packets, ' ')) {
        for (absl::string_view overload : absl::StrSplit(row.overloads, ' ')) {
          Insert(absl::StrCat(packet, ".", overload), binding);
        }
        auto [it, inserted] = packets.emplace(packet, binding);
        if (!inserted && it->second != nullptr && it->second->op != binding->op) it->second = nullptr;
      }
    }
    for (auto& [packet, binding] : packets) {
      if (binding != nullptr) Insert(packet, binding);
    }
  }

  const Binding* Find(absl::string_view name) const {
    auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

 private:
  void Insert(absl::string_view name, const Binding* binding) { by_name_.emplace(name, binding); }

  const Binding* MakeBinding(OpId id, const OperatorArguments& arguments, Style style) {
    const Operator& op = GetOperator(id);
    const auto span =
        arguments.size() > 0 ? absl::MakeConstSpan(arguments.begin(), arguments.size()) : OneArgumentPerPort(op);
    return &bindings_.emplace_back(Binding{&op, span, style == Style::kInteger});
  }

  absl::Span<const Argument> OneArgumentPerPort(const Operator& op) {
    std::vector<Argument>& arguments = arguments_.emplace_back();
    for (const Port& port : op.inputs) {
      const Argument argument = Data(static_cast<uint8_t>(arguments.size()));
      arguments.push_back(port.variadic ? Rest(argument) : argument);
    }
    return arguments;
  }

  // Deques: what was handed out does not move.
  std::deque<Binding> bindings_;
  std::deque<std::vector<Argument>> arguments_;
  absl::flat_hash_map<std::string, const Binding*> by_name_;
};

template <typename... Rows>
const OpMap* BuildMap(Rows... rows) {
  auto* map = new OpMap;
  (map->Add(rows), ...);
  return map;
}

}  // namespace

const Binding* FindBinding(v1::Graph::Origin origin, absl::string_view op_type) {
  switch (origin) {
    case v1::Graph::ONNX: {
      static const OpMap& map = *BuildMap(OnnxOps(), OnnxContribOps());
      return map.Find(op_type);
    }
    case v1::Graph::PT2E: {
      static const OpMap& map = *BuildMap(AtenOps(), TorchOps());
      return map.Find(op_type);
    }
    case v1::Graph::QNN: {
      static const OpMap& map = *BuildMap(QnnOps());
      return map.Find(op_type);
    }
    case v1::Graph::TFLITE: {
      static const OpMap& map = *BuildMap(TfliteOps());
      return map.Find(op_type);
    }
    default:
      return nullptr;
  }
}

Argument FurtherArgument(const Binding& binding, int index) {
  const int count = static_cast<int>(binding.arguments.size());
  if (index < 0 || count == 0 || !binding.arguments[count - 1].variadic) return Other();
  const int group = binding.arguments[count - 1].group;
  const int first = count - group;
  return binding.arguments[first + (index - first) % group];
}

}  // namespace quantgate
