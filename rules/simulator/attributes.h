// What an operator call states besides its tensors, under canonical names (kernel.h lists them).
#ifndef QUANTGATE_RULES_SIMULATOR_ATTRIBUTES_H_
#define QUANTGATE_RULES_SIMULATOR_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate::simulator {

class Attributes {
 public:
  void SetInts(absl::string_view name, std::vector<int64_t> values) { At(name).ints = std::move(values); }
  void SetInt(absl::string_view name, int64_t value) { At(name).ints = {value}; }
  void SetFloat(absl::string_view name, double value) { At(name).floats = {value}; }
  void SetFloats(absl::string_view name, std::vector<double> values) { At(name).floats = std::move(values); }
  void SetText(absl::string_view name, absl::string_view value) { At(name).text = std::string(value); }

  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  int64_t Int(absl::string_view name, int64_t fallback) const {
    const Entry* entry = Find(name);
    return entry == nullptr || entry->ints.empty() ? fallback : entry->ints[0];
  }
  // Empty: absent.
  absl::Span<const int64_t> Ints(absl::string_view name) const {
    const Entry* entry = Find(name);
    return entry == nullptr ? absl::Span<const int64_t>() : entry->ints;
  }
  double Float(absl::string_view name, double fallback) const {
    const Entry* entry = Find(name);
    return entry == nullptr || entry->floats.empty() ? fallback : entry->floats[0];
  }
  absl::Span<const double> Floats(absl::string_view name) const {
    const Entry* entry = Find(name);
    return entry == nullptr ? absl::Span<const double>() : entry->floats;
  }
  absl::string_view Text(absl::string_view name, absl::string_view fallback) const {
    const Entry* entry = Find(name);
    return entry == nullptr || entry->text.empty() ? fallback : absl::string_view(entry->text);
  }

 private:
  struct Entry {
    std::string name;
    std::vector<int64_t> ints;
    std::vector<double> floats;
    std::string text;
  };
  const Entry* Find(absl::string_view name) const {
    for (const Entry& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  Entry& At(absl::string_view name) {
    for (Entry& entry : entries_) {
      if (entry.name == name) return entry;
    }
    entries_.push_back({std::string(name)});
    return entries_.back();
  }
  std::vector<Entry> entries_;
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_ATTRIBUTES_H_
