#include "rules/constraints/rows.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

constexpr int kTypeCodes = 64;
// Code of "absent" and of "type unknown" (ElementType::code() of UNSPECIFIED): every row fits.
constexpr int kAnyCode = 0;

}  // namespace

bool Any(const RowSet& set) {
  return absl::c_any_of(set, [](uint64_t word) { return word != 0; });
}

bool Intersects(const RowSet& a, const RowSet& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] & b[i]) return true;
  }
  return false;
}

const std::vector<db::ElementType>* CompiledRow::TypesAt(PortRef port) const {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].kind == port.kind && ports[i].Contains(port.index)) return &types[i];
  }
  return nullptr;
}

absl::Status RowTable::Add(const db::DtypeRow& row, std::string name, int group, bool of_floats) {
  CompiledRow compiled;
  for (const db::PortTypes& port : row.ports) {
    absl::StatusOr<PortPattern> pattern = ParsePort(port.port);
    if (!pattern.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", pattern.status().message()));
    if (pattern->kind != PortRef::kInput && pattern->kind != PortRef::kOutput) continue;
    if (port.types.empty()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", port.port, " takes no type"));
    for (db::ElementType type : port.types) {
      if (type.type <= v1::DATA_TYPE_UNSPECIFIED || type.type > v1::DATA_TYPE_STRING) {
        return absl::InvalidArgumentError(absl::StrCat(name, ": ", port.port, " has an unknown type"));
      }
    }
    compiled.ports.push_back(*std::move(pattern));
    compiled.types.push_back(port.types);
  }
  compiled.name = std::move(name);
  compiled.group = group;
  compiled.archs = row.archs;
  compiled.of_floats = of_floats;
  compiled.evidence = row.evidence;
  compiled.source = row.source;
  arch_limited_ |= row.archs.min != 0 || row.archs.max != 0;
  rows_.push_back(std::move(compiled));
  return absl::OkStatus();
}

void RowTable::Freeze(const std::vector<PortPattern>& declared) {
  words_ = (rows_.size() + 63) / 64;
  FreezeSide(PortRef::kInput, declared, inputs_);
  FreezeSide(PortRef::kOutput, declared, outputs_);
}

void RowTable::FreezeSide(PortRef::Kind kind, const std::vector<PortPattern>& declared, Side& side) {
  // One position beyond every explicit number stands for the open tail.
  const auto cover = [&](const PortPattern& port) {
    if (port.kind == kind) side.positions = std::max(side.positions, (port.open() ? port.first : port.last) + 1);
  };
  absl::c_for_each(declared, cover);
  for (const CompiledRow& row : rows_) absl::c_for_each(row.ports, cover);
  ++side.positions;
  side.bits.assign(static_cast<size_t>(side.positions) * kTypeCodes * words_, 0);
  side.unstated.assign(side.positions, false);
  for (int position = 0; position < side.positions; ++position) {
    const PortRef port{kind, static_cast<int16_t>(position)};
    uint64_t* codes =
        side.bits.data() + static_cast<size_t>(position) * kTypeCodes * words_;  // of no element when there are no rows
    side.unstated[position] =
        absl::c_any_of(declared, [&](const PortPattern& p) { return p.kind == kind && p.Contains(position); }) &&
        absl::c_none_of(rows_, [&](const CompiledRow& row) { return row.TypesAt(port) != nullptr; });
    for (size_t i = 0; i < rows_.size(); ++i) {
      const uint64_t bit = uint64_t{1} << (i % 64);
      codes[kAnyCode * words_ + i / 64] |= bit;
      if (side.unstated[position]) {
        for (int code = 0; code < kTypeCodes; ++code) codes[code * words_ + i / 64] |= bit;
      } else if (const std::vector<db::ElementType>* types = rows_[i].TypesAt(port)) {
        for (db::ElementType type : *types) codes[type.code() * words_ + i / 64] |= bit;
      }
    }
  }
}

void RowTable::Narrow(const Side& side, absl::Span<const BackendTensor> tensors, RowSet& rows) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].present || TypeUnknown(tensors[i])) continue;
    const size_t position = std::min<size_t>(i, side.positions - 1);
    const uint64_t* fit = &side.bits[(position * kTypeCodes + tensors[i].type.code()) * words_];
    for (size_t word = 0; word < words_; ++word) rows[word] &= fit[word];
  }
}

RowSet RowTable::Fit(const BackendOp& op) const {
  RowSet rows(words_, ~uint64_t{0});
  if (rows_.size() % 64 != 0) rows.back() = (uint64_t{1} << (rows_.size() % 64)) - 1;
  if (rows_.empty()) return rows;
  Narrow(inputs_, op.inputs, rows);
  Narrow(outputs_, op.outputs, rows);
  return rows;
}

void RowTable::KeepFor(Hardware hardware, RowSet& rows) const {
  if (!arch_limited_ && hardware.has_float) return;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].IsFor(hardware)) rows[i / 64] &= ~(uint64_t{1} << (i % 64));
  }
}

bool RowTable::Unstated(PortRef port) const {
  const Side& side = port.kind == PortRef::kInput ? inputs_ : outputs_;
  return side.positions > 0 && side.unstated[std::min<int>(port.index, side.positions - 1)];
}

PortSet RowTable::Differences(const BackendOp& op, const CompiledRow& row) const {
  PortSet differences;
  const auto compare = [&](PortRef::Kind kind, absl::Span<const BackendTensor> tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const PortRef port{kind, static_cast<int16_t>(i)};
      if (!tensors[i].present || TypeUnknown(tensors[i]) || Unstated(port)) continue;
      const std::vector<db::ElementType>* types = row.TypesAt(port);
      if (types == nullptr || !absl::c_linear_search(*types, tensors[i].type)) differences.push_back(port);
    }
  };
  compare(PortRef::kInput, op.inputs);
  compare(PortRef::kOutput, op.outputs);
  return differences;
}

}  // namespace quantgate
