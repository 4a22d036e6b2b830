#include "client/pt2/schema.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

template <size_t N>
std::string NameAt(const std::array<const char*, N>& names, int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(N) ? names[static_cast<size_t>(number)]
                                                         : absl::StrCat("unknown ", number);
}

}  // namespace

v1::DataType DataTypeOf(int64_t scalar_type) {
  switch (scalar_type) {
    case 1:
      return v1::DATA_TYPE_UINT8;
    case 2:
      return v1::DATA_TYPE_INT8;
    case 3:
      return v1::DATA_TYPE_INT16;
    case 4:
      return v1::DATA_TYPE_INT32;
    case 5:
      return v1::DATA_TYPE_INT64;
    case 6:
      return v1::DATA_TYPE_FLOAT16;
    case 7:
      return v1::DATA_TYPE_FLOAT32;
    case 8:
      return v1::DATA_TYPE_FLOAT64;
    case 10:
      return v1::DATA_TYPE_COMPLEX64;
    case 11:
      return v1::DATA_TYPE_COMPLEX128;
    case 12:
      return v1::DATA_TYPE_BOOL;
    case 13:
      return v1::DATA_TYPE_BFLOAT16;
    case 28:
      return v1::DATA_TYPE_UINT16;
    case 29:
      return v1::DATA_TYPE_FLOAT8_E4M3FN;
    case 30:
      return v1::DATA_TYPE_FLOAT8_E5M2;
    case 31:
      return v1::DATA_TYPE_FLOAT8_E4M3FNUZ;
    case 32:
      return v1::DATA_TYPE_FLOAT8_E5M2FNUZ;
    case 33:
      return v1::DATA_TYPE_FLOAT8_E8M0;
    case 34:
      return v1::DATA_TYPE_UINT32;
    case 35:
      return v1::DATA_TYPE_UINT64;
    default:
      return v1::DATA_TYPE_UNSPECIFIED;
  }
}

std::string MemoryFormatName(int64_t number) {
  static constexpr auto kNames =
      std::to_array<const char*>({"unknown 0", "torch.contiguous_format", "torch.channels_last",
                                  "torch.channels_last_3d", "torch.preserve_format"});
  return NameAt(kNames, number);
}

std::string LayoutName(int64_t number) {
  static constexpr auto kNames =
      std::to_array<const char*>({"unknown 0", "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc",
                                  "torch.sparse_bsr", "torch.sparse_bsc", "torch._mkldnn", "torch.strided"});
  return NameAt(kNames, number);
}

std::string OperatorName(absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "torch.ops.")) absl::ConsumePrefix(&target, "_");
  return ToUtf8(target);
}

std::string SymbolName(absl::string_view expression) {
  absl::string_view name = expression;
  if (!absl::ConsumePrefix(&name, "Symbol('")) return ToUtf8(expression);
  const size_t end = name.find('\'');
  const absl::string_view rest = end == absl::string_view::npos ? "" : name.substr(end);
  return ToUtf8(rest.find(')') + 1 == rest.size() ? name.substr(0, end) : expression);
}

}  // namespace quantgate::pt2
