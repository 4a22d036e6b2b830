#include "client/encodings/read.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/text.h"

namespace quantgate::encodings {
namespace {

constexpr absl::string_view kActivations = "activation_encodings";
constexpr absl::string_view kParameters = "param_encodings";
constexpr absl::string_view kOneList = "encodings";

// Versions from 0.5 on state the element type of every entry.
bool StatesTypes(absl::string_view version) { return !absl::StartsWith(version, "0.4"); }

class Reader {
 public:
  explicit Reader(JsonValue root) : root_(root), fields_(root, file().mutable_problems()) {}

  absl::StatusOr<ReadFile> Read() && {
    const JsonValue::Member one = root_.Find(kOneList);
    const JsonValue::Member activations = root_.Find(kActivations);
    const JsonValue::Member parameters = root_.Find(kParameters);
    if (!root_.is_object() || (!one.found && !activations.found && !parameters.found)) {
      return UnreadableFile(absl::StrCat("holds no encodings: neither \"", kOneList, "\" nor \"", kActivations,
                                         "\" and \"", kParameters, "\" are in it"));
    }
    ReadVersion();
    if (one.found) {
      file().set_layout(v1::EncodingsFile::LAYOUT_ONE_LIST);
      fields_.Forbid({kActivations, kParameters}, "beside encodings, which is read instead");
      ReadSection(kOneList, v1::Encoding::SECTION_UNSPECIFIED);
    } else {
      const bool lists =
          (activations.found && activations.value.is_array()) || (parameters.found && parameters.value.is_array());
      file().set_layout(lists ? v1::EncodingsFile::LAYOUT_TWO_LISTS : v1::EncodingsFile::LAYOUT_KEYED);
      file().set_partial(!lists && !file().has_version());
      ReadSection(kActivations, v1::Encoding::SECTION_ACTIVATIONS);
      ReadSection(kParameters, v1::Encoding::SECTION_PARAMETERS);
    }
    return std::move(result_);
  }

 private:
  v1::EncodingsFile& file() { return result_.file; }

  void ReadVersion() {
    const JsonValue::Member version = root_.Find("version");
    if (!version.found) return;
    file().set_version_is_string(version.value.is_string());
    file().set_version(version.value.is_string() ? ToUtf8(version.value.text()) : version.value.Excerpt());
  }

  // A section that is not there is a problem of files that claim to be whole.
  void ReadSection(absl::string_view name, v1::Encoding::Section section) {
    const std::optional<JsonValue> entries = fields_.Find(name, file().partial() ? Need::kOptional : Need::kRequired);
    if (!entries) return;
    const bool keyed = file().layout() == v1::EncodingsFile::LAYOUT_KEYED;
    if (keyed ? !entries->is_object() : !entries->is_array()) {
      fields_.Invalid(name, *entries, keyed ? "an object, keyed by tensor names" : "a list of encodings");
      return;
    }
    entries->ForEach([&](absl::string_view key, JsonValue entry) {
      ReadEncoding encoding;
      encoding.facts.set_section(section);
      const JsonPlace place = entry.place();
      encoding.facts.set_line(place.line);
      encoding.facts.set_column(place.column);
      if (keyed) {
        encoding.name = std::string(key);
        ReadKeyed(entry, file().partial(), file().has_version() && StatesTypes(file().version()), encoding);
      } else if (!entry.is_object()) {
        AddProblem(v1::EncodingProblem::KIND_INVALID, "", entry.Excerpt(), "an object", place,
                   encoding.facts.mutable_problems());
      } else if (file().layout() == v1::EncodingsFile::LAYOUT_TWO_LISTS) {
        ReadListed(entry, encoding);
      } else {
        ReadOnnxStyle(entry, encoding);
      }
      if (encoding.name.empty() && encoding.facts.problems().empty()) {
        AddProblem(v1::EncodingProblem::KIND_INVALID, "name", "\"\"", "the name of a tensor", place,
                   encoding.facts.mutable_problems());
      }
      result_.encodings.push_back(std::move(encoding));
      return true;
    });
  }

  ReadFile result_;
  JsonValue root_;
  Fields fields_;
};

}  // namespace

absl::StatusOr<ReadFile> Read(absl::string_view bytes) {
  absl::StatusOr<JsonDocument> document = JsonDocument::Parse(bytes);
  if (!document.ok()) return document.status();
  return Reader(document->root()).Read();
}

}  // namespace quantgate::encodings
