// Texts and lists of a model file.
#ifndef QUANTGATE_CLIENT_TFLITE_VIEW_H_
#define QUANTGATE_CLIENT_TFLITE_VIEW_H_

#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"

namespace quantgate::tflite {

// Empty when absent from the file; valid as long as that.
inline absl::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? absl::string_view() : absl::string_view(text->c_str(), text->size());
}

// Numbers of a list. Copied: the verifier does not ask where numbers of 8 bytes begin, and reading them in place needs
// an address that 8 divides.
template <typename T>
std::vector<T> Numbers(const flatbuffers::Vector<T>& list) {
  std::vector<T> numbers(list.size());
  if (!numbers.empty()) std::memcpy(numbers.data(), list.Data(), numbers.size() * sizeof(T));
  for (T& number : numbers) number = flatbuffers::EndianScalar(number);
  return numbers;
}

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_VIEW_H_
