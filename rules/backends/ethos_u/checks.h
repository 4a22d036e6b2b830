// What the checks of operators have in common.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_CHECKS_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_CHECKS_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "rules/backends/ethos_u/call.h"

namespace quantgate::ethos_u {

using Found = std::optional<Complaint>;

// What 16 bits count.
constexpr int64_t kMost16Bits = int64_t{1} << 16;

// Batch, height, width and channels: axes in front of shorter shapes are 1. Of longer ones the last four.
std::array<int64_t, 4> Nhwc(Dims dims);
constexpr int kHeight = 1, kWidth = 2, kDepth = 3;

struct Size {
  int64_t width = 1;
  int64_t height = 1;
};

// As shapes are written.
std::string Text(Size size);

// The first complaint.
Found FirstOf(const Call& call, std::initializer_list<Found (*)(const Call& call)> checks);

// Of an output with another shape than the first input.
Found OneShape(const Call& call);

// Of a parameter that is looked at when the operator is written, and has to be there.
Found Computed(const Call& call, size_t position);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_CHECKS_H_
