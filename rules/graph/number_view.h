// Numbers where they are, in the form in which they came: a graph of many channels has more of them than of anything
// else, and most came in four bytes, or one.
#ifndef QUANTGATE_RULES_GRAPH_NUMBER_VIEW_H_
#define QUANTGATE_RULES_GRAPH_NUMBER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/repeated_field.h"

namespace quantgate {

// Reads as a span of `T` (double or int64_t) that nobody can write to. Refers to what it was made of.
template <typename T>
class NumberView {
 public:
  enum class Form : uint8_t { kDouble, kFloat, kInt64, kInt32, kInt8, kUint8 };

  // By position, which is all that algorithms need; an element has no address.
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    Iterator() = default;
    Iterator(const NumberView* view, std::ptrdiff_t at) : view_(*view), at_(at) {}

    T operator*() const { return view_[static_cast<size_t>(at_)]; }
    T operator[](std::ptrdiff_t i) const { return view_[static_cast<size_t>(at_ + i)]; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) {
      Iterator before = *this;
      ++at_;
      return before;
    }
    Iterator& operator+=(std::ptrdiff_t n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    friend Iterator operator+(Iterator it, std::ptrdiff_t n) { return it += n; }
    friend Iterator operator-(Iterator it, std::ptrdiff_t n) { return it -= n; }
    friend std::ptrdiff_t operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.at_ != b.at_; }
    friend bool operator<(const Iterator& a, const Iterator& b) { return a.at_ < b.at_; }

   private:
    NumberView view_;
    std::ptrdiff_t at_ = 0;
  };
  using value_type = T;
  using const_iterator = Iterator;
  using iterator = Iterator;

  NumberView() = default;
  // NOLINTBEGIN(google-explicit-constructor): what a span of numbers is made of
  NumberView(absl::Span<const T> numbers) : NumberView(numbers.data(), numbers.size(), FormOf<T>()) {}
  NumberView(const google::protobuf::RepeatedField<T>& numbers)
      : NumberView(numbers.data(), static_cast<size_t>(numbers.size()), FormOf<T>()) {}
  NumberView(const std::vector<T>& numbers) : NumberView(numbers.data(), numbers.size(), FormOf<T>()) {}
  // NOLINTEND(google-explicit-constructor)
  // `size` numbers of this form, little-endian, at any address.
  NumberView(const void* data, size_t size, Form form) : data_(data), size_(size), form_(form) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T operator[](size_t i) const {
    switch (form_) {
      case Form::kDouble:
        return Read<double>(i);
      case Form::kFloat:
        return Read<float>(i);
      case Form::kInt64:
        return Read<int64_t>(i);
      case Form::kInt32:
        return Read<int32_t>(i);
      case Form::kInt8:
        return Read<int8_t>(i);
      default:
        return Read<uint8_t>(i);
    }
  }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, static_cast<std::ptrdiff_t>(size_)}; }

  // They are integers already where they came from: none is a fraction, infinite, or no number.
  bool are_integers() const { return form_ != Form::kDouble && form_ != Form::kFloat; }

 private:
  template <typename U>
  static constexpr Form FormOf() {
    static_assert(sizeof(U) == 8);
    return static_cast<U>(0.5) != 0 ? Form::kDouble : Form::kInt64;
  }
  template <typename U>
  T Read(size_t i) const {
    U number;
    std::memcpy(&number, static_cast<const char*>(data_) + i * sizeof(U), sizeof(U));
    return static_cast<T>(number);
  }

  const void* data_ = nullptr;
  uint64_t size_ : 60 = 0;
  Form form_ : 4 = Form::kDouble;
};

using RealView = NumberView<double>;
using IntegerView = NumberView<int64_t>;

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_NUMBER_VIEW_H_
