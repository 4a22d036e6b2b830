#include "client/sniff.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "client/wire_check.h"
#include "onnx/onnx.pb.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {
namespace {

struct Magic {
  size_t offset;
  absl::string_view bytes;
  const char* reason;
};

constexpr auto kMagics = std::to_array<Magic>({
    {0, "PK\x05\x06", "is an empty zip archive"},
    {0, "\x1f\x8b", "is gzip data: decompress it first"},
    {0, "BZh", "is bzip2 data: decompress it first"},
    {0,
     "\xfd"
     "7zXZ",
     "is xz data: decompress it first"},
    {0, "\x28\xb5\x2f\xfd", "is zstd data: decompress it first"},
    {0, "\x89HDF", "is an HDF5 (Keras) file, which this version cannot read"},
    {0, "\xff\xfe", "is UTF-16 text: save it as UTF-8"},
    {0, "\xfe\xff", "is UTF-16 text: save it as UTF-8"},
    {0, "\x93NUMPY", "is a NumPy array, not a model"},
    {0, "\x80\x02", "is a Python pickle (a PyTorch checkpoint?), which is never read"},
    {0, "GGUF", "is a GGUF file, which this version cannot read"},
    {0, "ORTM", "is an ORT-format model, which this version cannot read: use the ONNX file that it was made from"},
    {4, "ORTM", "is an ORT-format model, which this version cannot read: use the ONNX file that it was made from"},
    {8, "{\"", "is a safetensors file: weights without a graph"},
    {0,
     "\x7f"
     "ELF",
     "is a program or library, not a model"},
});

// By its first member, or by its end where the beginning is damaged: readers start there.
bool IsZip(absl::string_view bytes) {
  constexpr size_t kEnd = 22;
  return absl::StartsWith(bytes, "PK\x03\x04") ||
         (bytes.size() > kEnd && absl::StartsWith(bytes.substr(bytes.size() - kEnd), "PK\x05\x06"));
}

bool LooksLikeText(absl::string_view start) {
  return std::all_of(start.begin(), start.end(), [](unsigned char c) {
    return c >= 0x20 ? c != 0x7f : c == '\t' || c == '\n' || c == '\r' || c == '\f';
  });
}

// The keys of the outermost object, as they are written. What is within others may have any names: a graph that was
// made of encodings has a member `encodings` further in.
std::vector<absl::string_view> OutermostKeys(absl::string_view text) {
  std::vector<absl::string_view> keys;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == '}' || text[i] == ']') --depth;
    if (text[i] != '"') continue;
    const size_t begin = ++i;
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    if (depth != 1 || i >= text.size()) continue;
    const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(i + 1));
    if (absl::StartsWith(behind, ":")) keys.push_back(text.substr(begin, i - begin));
  }
  return keys;
}

Sniffed SniffText(absl::string_view text) {
  if (absl::StartsWith(text, "version https://git-lfs.github.com/spec/")) {
    return {FileFormat::kOther, "is a Git LFS pointer, not the model itself: run `git lfs pull`"};
  }
  if (absl::StartsWithIgnoreCase(text, "<!doctype html") || absl::StartsWithIgnoreCase(text, "<html")) {
    return {FileFormat::kOther, "is an HTML page (a download that failed?), not a model"};
  }
  if (absl::StartsWith(text, "<")) return {FileFormat::kOther, "is XML text, not a model that this version can read"};
  if (absl::StartsWith(text, "{")) {
    const std::vector<absl::string_view> keys = OutermostKeys(text);
    const auto has = [&](absl::string_view key) { return absl::c_linear_search(keys, key); };
    if (has("model.cpp") || has("converter_command")) return {FileFormat::kQnnNet};
    if (has("activation_encodings") || has("param_encodings") || has("encodings")) return {FileFormat::kEncodings};
    return {FileFormat::kGraphJson};
  }
  if (absl::StartsWith(text, "[")) return {FileFormat::kOther, "is a JSON list, not a model"};
  // A text proto starts with a comment or with the name of a field and its value.
  if (absl::StartsWith(text, "#")) return {FileFormat::kGraphText};
  const auto name_end =
      std::find_if_not(text.begin(), text.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
  const std::string name(text.begin(), name_end);
  if (v1::Graph::descriptor()->FindFieldByName(name) != nullptr) {
    const absl::string_view rest = absl::StripLeadingAsciiWhitespace(text.substr(name.size()));
    if (absl::StartsWith(rest, ":") || absl::StartsWith(rest, "{")) return {FileFormat::kGraphText};
  }
  return {FileFormat::kOther, "is a text file of no known format"};
}

}  // namespace

Sniffed SniffFormat(absl::string_view bytes) {
  constexpr size_t kLookAt = 1 << 16;
  if (bytes.empty()) return {FileFormat::kOther, "is empty"};
  if (bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3") return {FileFormat::kTflite};
  if (IsZip(bytes)) return {FileFormat::kPt2};
  for (const Magic& magic : kMagics) {
    if (bytes.size() >= magic.offset && absl::StartsWith(bytes.substr(magic.offset), magic.bytes)) {
      return {FileFormat::kOther, magic.reason};
    }
  }
  absl::string_view start = bytes.substr(0, kLookAt);
  if (LooksLikeText(start)) {
    absl::ConsumePrefix(&start, "\xef\xbb\xbf");
    return SniffText(absl::StripLeadingAsciiWhitespace(start));
  }
  const int onnx_fit = WireFit(bytes, *onnx::ModelProto::descriptor());
  const int graph_fit = WireFit(bytes, *v1::Graph::descriptor());
  if (onnx_fit > 0 && onnx_fit >= graph_fit) return {FileFormat::kOnnx};
  if (graph_fit > 0) return {FileFormat::kGraphBinary};
  return {FileFormat::kOther,
          "is of no known format: no ONNX or LiteRT model, exported program or quantgate.v1.Graph, or damaged"};
}

}  // namespace quantgate
