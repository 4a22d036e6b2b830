#include "server/services/constraint_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "db/table_text.h"

namespace quantgate::server {
namespace {

std::string Archs(const db::ArchRange& archs) {
  const std::string text = db::ArchText(archs);
  return text.empty() ? "" : absl::StrCat(" (", text, ")");
}

v1::Constraint::Effect EffectOf(db::ItemEffect effect) {
  switch (effect) {
    case db::ItemEffect::kRefused:
      return v1::Constraint::EFFECT_REFUSED;
    case db::ItemEffect::kUnprepared:
      return v1::Constraint::EFFECT_NOT_PREPARED;
    case db::ItemEffect::kWrongNumbers:
      return v1::Constraint::EFFECT_WRONG_NUMBERS;
    case db::ItemEffect::kNotEnforced:
      return v1::Constraint::EFFECT_NOT_ENFORCED;
  }
  return v1::Constraint::EFFECT_UNSPECIFIED;
}

void SetSource(const db::ConstraintTable& table, std::string row, db::Evidence evidence, const std::string& document,
               v1::Constraint& constraint) {
  v1::Source& source = *constraint.mutable_source();
  source.set_kind(evidence == db::Evidence::kMeasured ? v1::Source::MEASURED : v1::Source::DOCUMENTED);
  source.set_table(absl::StrCat(table.backend, "@", table.sdk));
  source.set_row(std::move(row));
  source.set_document(document.empty() ? table.document : document);
}

}  // namespace

std::vector<v1::Constraint> ConstraintsOf(const db::ConstraintTable& table, absl::string_view op) {
  std::vector<v1::Constraint> constraints;
  for (const db::OpConstraints& entry : table.ops) {
    if (!op.empty() && entry.op != op) continue;
    for (const db::DtypeRow& row : entry.rows) {
      v1::Constraint& constraint = constraints.emplace_back();
      constraint.set_op(entry.op);
      constraint.set_configuration(row.configuration);
      constraint.set_effect(v1::Constraint::EFFECT_REFUSED);
      constraint.set_text(absl::StrCat(db::RowText(row), Archs(row.archs)));
      SetSource(table, db::RowName(entry.op, row), row.evidence, row.source, constraint);
    }
    for (const db::Item& item : entry.items) {
      v1::Constraint& constraint = constraints.emplace_back();
      constraint.set_op(entry.op);
      constraint.set_configuration(item.configuration);
      constraint.set_port(item.port);
      constraint.set_effect(EffectOf(item.effect));
      constraint.set_text(absl::StrCat(db::ItemText(item), Archs(item.archs)));
      SetSource(table, db::ItemName(entry.op, item), item.evidence, item.source, constraint);
    }
  }
  return constraints;
}

}  // namespace quantgate::server
