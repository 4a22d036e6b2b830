#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/error.h"
#include "client/npz/npz.h"
#include "client/text.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/numpy_type.h"
#include "rules/simulator/run/constants.h"

namespace quantgate {
namespace {

using simulator::Tensor;

// What stands behind 'key': in the header, which is a Python dictionary; nullopt: nothing.
std::optional<absl::string_view> Entry(absl::string_view header, absl::string_view key) {
  const size_t at = header.find(absl::StrCat("'", key, "':"));
  if (at == absl::string_view::npos) return std::nullopt;
  return absl::StripLeadingAsciiWhitespace(header.substr(at + key.size() + 3));
}

std::optional<std::vector<int64_t>> ParseShape(absl::string_view text) {
  const size_t end = text.find(')');
  if (!absl::StartsWith(text, "(") || end == absl::string_view::npos) return std::nullopt;
  std::vector<int64_t> dims;
  for (absl::string_view part : absl::StrSplit(text.substr(1, end - 1), ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    int64_t size = 0;
    constexpr size_t kMaxRank = 64;
    if (!absl::SimpleAtoi(part, &size) || size < 0 || dims.size() == kMaxRank) return std::nullopt;
    dims.push_back(size);
  }
  return dims;
}

}  // namespace

absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes) {
  constexpr absl::string_view kMagic = "\x93NUMPY";
  if (!absl::StartsWith(bytes, kMagic) || bytes.size() < 12) return UnreadableFile("is no .npy array");
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) return UnreadableFile(absl::StrCat("is of version ", version, " of the .npy format"));
  const size_t begin = version == 1 ? 10 : 12;
  const size_t length = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > bytes.size() - begin)
    return UnreadableFile(absl::StrCat("has a header of ", length, " bytes, beyond its end"));
  const absl::string_view header = bytes.substr(begin, length);
  const auto descr = Entry(header, "descr"), order = Entry(header, "fortran_order"), shape = Entry(header, "shape");
  if (!descr.has_value() || !order.has_value() || !shape.has_value())
    return UnreadableFile("has a header without type, order or shape");
  std::optional<v1::DataType> type;
  // "'<f4'"
  if (descr->size() >= 5 && descr->front() == '\'' && (*descr)[4] == '\'')
    type = simulator::FromNumpyType(descr->substr(1, 3));
  if (!type.has_value())
    return UnreadableFile(absl::StrCat(
        "is of the type ", ToUtf8(descr->substr(0, std::min<size_t>(descr->find(','), 40))), ", which is not read"));
  std::optional<std::vector<int64_t>> dims = ParseShape(*shape);
  if (!dims.has_value()) return UnreadableFile("has a header without a shape that can be read");
  const bool fortran = absl::StartsWith(*order, "True");
  if (fortran) std::reverse(dims->begin(), dims->end());
  const absl::StatusOr<int64_t> count = simulator::ElementCount(*dims);
  if (!count.ok()) return UnreadableFile(absl::StrCat("says that it is ", count.status().message()));
  absl::StatusOr<Tensor> tensor = simulator::UnpackGiven(*type, *dims, bytes.substr(begin + length));
  if (!tensor.ok()) return UnreadableFile(tensor.status().message());
  if (!fortran) return tensor;
  std::vector<int> reversed;
  for (size_t i = dims->size(); i-- > 0;) reversed.push_back(static_cast<int>(i));
  return simulator::Permuted(*tensor, reversed);
}

absl::StatusOr<std::string> WriteNpy(const Tensor& tensor) {
  const absl::string_view descr = simulator::NumpyType(tensor.type);
  if (descr.empty())
    return absl::UnimplementedError(absl::StrCat("numpy has no type for ", v1::DataType_Name(tensor.type)));
  std::string shape;
  for (int64_t dim : tensor.dims) absl::StrAppend(&shape, dim, ", ");
  if (tensor.dims.size() > 1) shape.resize(shape.size() - 2);
  if (tensor.dims.size() == 1) shape.pop_back();
  std::string header = absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  // The elements begin at a multiple of 64 bytes.
  const size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.append(total - 10 - header.size() - 1, ' ');
  header.push_back('\n');
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(header.size() & 255));
  bytes.push_back(static_cast<char>(header.size() >> 8));
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  return bytes;
}

}  // namespace quantgate
