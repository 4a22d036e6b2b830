#include "rules/graph/elements.h"

#include <string>

namespace quantgate {
namespace {

template <typename T>
NumberView<T> Packed(const v1::Constant& constant, v1::DataType dtype) {
  using Form = typename NumberView<T>::Form;
  const size_t width = PackedWidth(dtype);
  const std::string& data = constant.data();
  if (width == 0 || data.size() / width > kMostPackedElements) return {};
  const Form form = dtype == v1::DATA_TYPE_FLOAT32 ? Form::kFloat
                    : dtype == v1::DATA_TYPE_INT32 ? Form::kInt32
                    : dtype == v1::DATA_TYPE_INT8  ? Form::kInt8
                                                   : Form::kUint8;
  return NumberView<T>(data.data(), data.size() / width, form);
}

bool Listed(const v1::Constant& constant) { return !constant.ints().empty() || !constant.reals().empty(); }

}  // namespace

size_t PackedWidth(v1::DataType dtype) {
  switch (dtype) {
    case v1::DATA_TYPE_FLOAT32:
    case v1::DATA_TYPE_INT32:
      return 4;
    case v1::DATA_TYPE_INT8:
    case v1::DATA_TYPE_UINT8:
      return 1;
    default:
      return 0;
  }
}

IntegerView IntegersOf(const v1::Constant& constant, v1::DataType dtype) {
  if (Listed(constant)) return constant.ints();
  return dtype == v1::DATA_TYPE_FLOAT32 ? IntegerView() : Packed<int64_t>(constant, dtype);
}

RealView RealsOf(const v1::Constant& constant, v1::DataType dtype) {
  if (Listed(constant)) return constant.reals();
  return dtype == v1::DATA_TYPE_FLOAT32 ? Packed<double>(constant, dtype) : RealView();
}

RealView NumbersOf(const v1::Value& value) {
  const v1::Constant& constant = value.constant();
  if (!constant.reals().empty()) return constant.reals();
  if (constant.ints().empty()) return Packed<double>(constant, value.dtype());
  return {constant.ints().data(), static_cast<size_t>(constant.ints_size()), RealView::Form::kInt64};
}

bool IsPacked(const v1::Value& value) {
  return !Listed(value.constant()) && !Packed<double>(value.constant(), value.dtype()).empty();
}

void ListElements(v1::Value& value) {
  if (!IsPacked(value)) return;
  v1::Constant& constant = *value.mutable_constant();
  const IntegerView integers = IntegersOf(value);
  const RealView reals = RealsOf(value);
  constant.mutable_ints()->Assign(integers.begin(), integers.end());
  constant.mutable_reals()->Assign(reals.begin(), reals.end());
  constant.clear_data();
}

}  // namespace quantgate
