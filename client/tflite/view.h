// Text of a model file, which may be absent.
#ifndef QUANTGATE_CLIENT_TFLITE_VIEW_H_
#define QUANTGATE_CLIENT_TFLITE_VIEW_H_

#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"

namespace quantgate::tflite {

// Empty when absent; valid as long as the file.
inline absl::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? absl::string_view() : absl::string_view(text->c_str(), text->size());
}

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_VIEW_H_
