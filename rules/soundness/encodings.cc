#include "rules/soundness/encodings.h"

#include "absl/strings/str_cat.h"

namespace quantgate {

const v1::EncodingsFile* EncodingsOf(const CheckContext& context) {
  const v1::Graph& message = context.graph().message();
  return message.has_encodings_file() ? &message.encodings_file() : nullptr;
}

const v1::EncodingsFile* WholeEncodings(const CheckContext& context) {
  return context.is_body() ? nullptr : EncodingsOf(context);
}

Place PlaceOf(const Graph& graph, const v1::Encoding& encoding) {
  Place place;
  place.value = encoding.value() - 1;
  if (place.value < 0) return place;
  place.node = graph.producer(place.value);
  if (place.node >= 0) place.output = graph.output_index(place.value);
  return place;
}

std::string AtPlace(int32_t line, int32_t column) {
  return line > 0 ? absl::StrCat(" (line ", line, ", column ", column, ")") : "";
}

bool StatesOffsets(const v1::EncodingsFile& file) {
  return file.layout() == v1::EncodingsFile::LAYOUT_KEYED || file.layout() == v1::EncodingsFile::LAYOUT_TWO_LISTS;
}

int64_t GridBits(const Graph& graph, const v1::Encoding& encoding) {
  const v1::Spec* spec = SpecOf(graph, encoding);
  return encoding.bit_width() + (spec != nullptr ? spec->qparams().block_scale_bits() : 0);
}

const v1::Spec* SpecOf(const Graph& graph, const v1::Encoding& encoding) {
  return encoding.spec() > 0 ? &graph.message().specs(encoding.spec() - 1) : nullptr;
}

}  // namespace quantgate
