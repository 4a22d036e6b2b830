#include "rules/constraints/mismatch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/constraints/arguments.h"
#include "rules/constraints/rules.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

constexpr size_t kRowsShown = 3;

bool Same(PortRef a, PortRef b) { return a.kind == b.kind && a.index == b.index; }

bool Same(const PortSet& a, const PortSet& b) {
  return absl::c_equal(a, b, [](PortRef x, PortRef y) { return Same(x, y); });
}

const BackendTensor& At(const BackendOp& op, PortRef port) {
  return port.kind == PortRef::kInput ? op.inputs[port.index] : op.outputs[port.index];
}

// "INT16 quantized (SFIXED_POINT_16)"
std::string Describe(db::ElementType type) {
  absl::string_view name = v1::DataType_Name(type.type);
  name.remove_prefix(std::min<size_t>(name.size(), sizeof("DATA_TYPE_") - 1));
  return absl::StrCat(name, type.quantized ? " quantized" : "", " (", db::ElementTypeName(type), ")");
}

// Rows that differ from the operator at the same ports, with the types they take there.
struct Closest {
  PortSet ports;
  std::vector<std::vector<db::ElementType>> types;  // parallel to ports; empty: the rows have no such port
  std::string rows;
};

std::string Describe(const Closest& closest) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < closest.ports.size(); ++i) {
    std::vector<std::string> names;
    for (db::ElementType type : closest.types[i]) names.emplace_back(db::ElementTypeName(type));
    parts.push_back(absl::StrCat(PortName(closest.ports[i]), ": ", names.empty() ? "nothing" : OrList(names)));
  }
  return absl::StrCat(absl::StrJoin(parts, ", "), " (", closest.rows, ")");
}

std::string ArchText(int arch) { return arch == 0 ? "an unknown architecture" : absl::StrCat("V", arch); }

// The range nearest to an arch that is in none: the next one above, else the last one below. Ranges that touch are one.
db::ArchRange Nearest(std::vector<db::ArchRange> ranges, int arch) {
  absl::c_sort(ranges, [](db::ArchRange a, db::ArchRange b) { return a.min < b.min; });
  db::ArchRange nearest = ranges.front();
  for (db::ArchRange range : ranges) {
    if (nearest.max == 0) break;
    if (range.min > nearest.max + 1) {
      if (nearest.min > arch) break;
      nearest = range;
    } else {
      nearest.max = range.max == 0 ? 0 : std::max(nearest.max, range.max);
    }
  }
  return nearest;
}

// What the ranges of some rows say to an arch that is in none of them.
std::string NeededArch(std::vector<db::ArchRange> ranges, int arch) {
  const db::ArchRange needed = Nearest(std::move(ranges), arch);
  if (needed.max == 0) return absl::StrCat("V", needed.min, " or later");
  if (needed.min == 0) return absl::StrCat("V", needed.max, " or earlier");
  if (needed.min == needed.max) return absl::StrCat("V", needed.min);
  return absl::StrCat("V", needed.min, " to V", needed.max);
}

Violation Gate(const RowTable& rows, const std::vector<int>& candidates, Hardware hardware) {
  Violation violation;
  // Validation refuses floats, and is asked before kernels are looked for.
  if (!hardware.has_float && absl::c_all_of(candidates, [&](int i) { return rows.rows()[i].of_floats; })) {
    violation.rule = &kNoFloat;
    violation.observed = "floats";
    violation.allowed = "integers alone on this SoC";
  } else {
    violation.rule = &kDtypeRowArch;
    violation.observed = ArchText(hardware.kernels);
    std::vector<db::ArchRange> ranges;
    ranges.reserve(candidates.size());
    for (int i : candidates) {
      // Some may be refused for their floats alone.
      const db::ArchRange archs = rows.rows()[i].archs;
      if (!archs.Contains(hardware.kernels)) ranges.push_back(archs);
    }
    violation.allowed = NeededArch(std::move(ranges), hardware.kernels);
  }
  const CompiledRow& first = rows.rows()[candidates.front()];
  violation.row = first.name;
  violation.document = first.source;
  // The row may be documented; which SoCs lack it was asked.
  violation.evidence = violation.rule == &kNoFloat ? db::Evidence::kMeasured : first.evidence;
  return violation;
}

}  // namespace

Violation DescribeGate(const RowTable& rows, const RowSet& fitting, Hardware hardware) {
  std::vector<int> candidates;
  for (size_t i = 0; i < rows.rows().size(); ++i) {
    if (fitting[i / 64] >> (i % 64) & 1) candidates.push_back(static_cast<int>(i));
  }
  return Gate(rows, candidates, hardware);
}

Violation DescribeMismatch(const BackendOp& op, const RowTable& rows, Hardware hardware, int& closest) {
  closest = -1;
  std::vector<PortSet> differences(rows.rows().size());
  size_t fewest = SIZE_MAX;
  for (size_t i = 0; i < rows.rows().size(); ++i) {
    if (!rows.rows()[i].IsFor(hardware)) continue;
    differences[i] = rows.Differences(op, rows.rows()[i]);
    if (differences[i].size() >= fewest) continue;
    fewest = differences[i].size();
    closest = static_cast<int>(i);
  }
  if (closest < 0) {
    std::vector<int> all(rows.rows().size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return Gate(rows, all, hardware);
  }

  // Rows that differ at one and the same port are one alternative with several types. Where several ports differ the
  // types belong together, so every row stands for itself.
  std::vector<Closest> shown;
  for (size_t i = 0; i < differences.size(); ++i) {
    const CompiledRow& row = rows.rows()[i];
    if (!row.IsFor(hardware) || differences[i].size() != fewest) continue;
    auto group = shown.end();
    if (fewest == 1) {
      group = absl::c_find_if(shown, [&](const Closest& c) { return Same(c.ports, differences[i]); });
    }
    if (group == shown.end()) {
      if (shown.size() == kRowsShown) continue;
      shown.push_back({differences[i], std::vector<std::vector<db::ElementType>>(fewest), row.name});
      group = shown.end() - 1;
    }
    for (size_t p = 0; p < fewest; ++p) {
      const std::vector<db::ElementType>* types = row.TypesAt(differences[i][p]);
      if (types == nullptr) continue;
      for (db::ElementType type : *types) {
        if (!absl::c_linear_search(group->types[p], type)) group->types[p].push_back(type);
      }
    }
  }

  Violation violation;
  violation.rule = &kDtypeRow;
  // Every port at which one of the rows shown differs, in port order.
  PortSet ports;
  for (const Closest& c : shown) {
    for (PortRef port : c.ports) {
      if (absl::c_none_of(ports, [&](PortRef p) { return Same(p, port); })) ports.push_back(port);
    }
  }
  absl::c_sort(ports, [](PortRef a, PortRef b) { return std::tie(a.kind, a.index) < std::tie(b.kind, b.index); });
  if (ports.size() == 1) violation.port = ports[0];
  violation.observed = absl::StrJoin(ports, ", ", [&](std::string* out, PortRef port) {
    const BackendTensor& tensor = At(op, port);
    absl::StrAppend(out, PortName(port), ": ", Describe(tensor.type));
    // The file's own type may be narrower than the one it is stored as.
    if (tensor.bits > 0 && tensor.bits < BitWidth(tensor.type.type)) absl::StrAppend(out, " of ", tensor.bits, " bits");
  });
  violation.allowed = absl::StrJoin(shown, "; or ", [](std::string* out, const Closest& c) { *out += Describe(c); });
  const CompiledRow& first = rows.rows()[closest];
  violation.row = first.name;
  violation.document = first.source;
  violation.evidence = first.evidence;
  return violation;
}

}  // namespace quantgate
