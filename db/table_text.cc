#include "db/table_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::db {
namespace {

// What happens when an item is broken, where that is not that the target's tools refuse.
absl::string_view EffectText(ItemEffect effect) {
  switch (effect) {
    case ItemEffect::kRefused:
      return "";
    case ItemEffect::kUnprepared:
      return "else validated and not prepared: ";
    case ItemEffect::kWrongNumbers:
      return "else wrong numbers: ";
    case ItemEffect::kNotEnforced:
      return "stated, not enforced: ";
  }
  return "";
}

}  // namespace

std::string RowName(absl::string_view op, const DtypeRow& row) {
  return absl::StrCat(op, "/", row.configuration, "/row ", row.ordinal);
}

std::string ItemName(absl::string_view op, const Item& item) {
  return absl::StrCat(op, "/", item.configuration, item.port.empty() ? "" : "/", item.port, "/item ", item.ordinal);
}

std::string RowText(const DtypeRow& row) {
  return absl::StrJoin(row.ports, " ", [](std::string* out, const PortTypes& port) {
    absl::StrAppend(out, port.port, "=", absl::StrJoin(port.types, "|", [](std::string* name, ElementType type) {
                      absl::StrAppend(name, ElementTypeName(type));
                    }));
  });
}

std::string PredicateText(const Predicate& predicate) {
  std::string text = predicate.kind;
  for (const auto& [name, value] : predicate.args) absl::StrAppend(&text, " ", name, "=", value);
  return text;
}

std::string ItemText(const Item& item) {
  return absl::StrCat(EffectText(item.effect),
                      absl::StrJoin(item.predicates, " and ", [](std::string* out, const Predicate& predicate) {
                        absl::StrAppend(out, PredicateText(predicate));
                      }));
}

std::string ArchText(ArchRange archs) {
  if (archs.min == 0 && archs.max == 0) return "";
  if (archs.max == 0) return absl::StrCat("V", archs.min, " and later");
  if (archs.min == 0) return absl::StrCat("up to V", archs.max);
  return absl::StrCat("V", archs.min, " to V", archs.max);
}

}  // namespace quantgate::db
