// What rules about encodings files have in common.
#ifndef QUANTGATE_RULES_SOUNDNESS_ENCODINGS_H_
#define QUANTGATE_RULES_SOUNDNESS_ENCODINGS_H_

#include <cstdint>
#include <string>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

// The file that the graph was joined with; null: none.
const v1::EncodingsFile* EncodingsOf(const CheckContext& context);

// The same for what holds of the file as a whole: null also in bodies, where it would be said again.
const v1::EncodingsFile* WholeEncodings(const CheckContext& context);

// Where an encoding's tensor is; the whole graph for an entry without a name.
Place PlaceOf(const Graph& graph, const v1::Encoding& encoding);

// " (line 3, column 14)" as the end of what was observed.
std::string AtPlace(int32_t line, int32_t column);

// The layout states offsets on the unsigned grid; zero points of specs were made of them.
bool StatesOffsets(const v1::EncodingsFile& file);

// Bits of the grid that offsets are counted on: with nested scales that of factor and weight together.
int64_t GridBits(const Graph& graph, const v1::Encoding& encoding);

// The widest grid that is counted on; a wider one is encoding-width's.
constexpr int64_t kMaxGridBits = 32;

// The spec made of an encoding; null: none was.
const v1::Spec* SpecOf(const Graph& graph, const v1::Encoding& encoding);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_ENCODINGS_H_
