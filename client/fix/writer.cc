#include "client/fix/writer.h"

#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace quantgate {

void ForEachCorrection(absl::Span<const TensorChange> changes,
                       const std::function<void(absl::Span<const TensorChange>)>& write) {
  for (size_t begin = 0; begin < changes.size();) {
    size_t end = begin + 1;
    while (end < changes.size() && changes[end].correction == changes[begin].correction) ++end;
    write(changes.subspan(begin, end - begin));
    begin = end;
  }
}

void LeaveOut(absl::Span<const TensorChange> changes, const TensorChange& culprit, absl::string_view why,
              const v1::Graph& graph, std::vector<UnwrittenChange>& left) {
  const std::string& name = graph.values(culprit.value).name();
  for (const TensorChange& change : changes) {
    left.push_back({graph.values(change.value).name(),
                    &change == &culprit ? std::string(why) : absl::StrCat("it belongs to the change of '", name, "'")});
  }
}

bool KeepsIntegers(const TensorChange& change) {
  const v1::QParams& before = change.before.qparams();
  const v1::QParams& after = change.after.qparams();
  if (change.before.dtype() != change.after.dtype() || before.scales_size() != after.scales_size()) return false;
  const auto zero_point = [](const v1::QParams& qparams, int i) {
    const int given = qparams.zero_points_size();
    return given == 0 ? 0.0 : qparams.zero_points(i < given ? i : 0);
  };
  constexpr double kFloatRounding = 2e-7;
  for (int i = 0; i < before.scales_size(); ++i) {
    if (std::fabs(before.scales(i) - after.scales(i)) > kFloatRounding * std::fabs(before.scales(i))) return false;
    if (zero_point(before, i) != zero_point(after, i)) return false;
  }
  return absl::c_equal(before.block_sizes(), after.block_sizes());
}

}  // namespace quantgate
