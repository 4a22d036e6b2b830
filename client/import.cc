#include "client/import.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/encodings/join.h"
#include "client/encodings/read.h"
#include "client/error.h"
#include "client/graph_file.h"
#include "client/model_file.h"
#include "client/onnx/onnx_importer.h"
#include "client/pt2/pt2_importer.h"
#include "client/qnn_net/net_importer.h"
#include "client/sniff.h"
#include "client/text.h"
#include "client/tflite/tflite_importer.h"
#include "db/sha256.h"

namespace quantgate {
namespace {

// The same error with the file's name in front, code kept.
absl::Status NameFile(const std::string& path, const absl::Status& error) {
  return CodedError(error.code(), ErrorCode(error), absl::StrCat(path, ": ", error.message()));
}

absl::StatusOr<v1::Graph> ImportBytes(std::string bytes, FileFormat format, const std::string& folder,
                                      const ImportOptions& options) {
  switch (format) {
    case FileFormat::kOnnx:
      return ImportOnnx(std::move(bytes), folder, options);
    case FileFormat::kTflite:
      return ImportTflite(bytes, folder, options);
    case FileFormat::kEncodings: {
      absl::StatusOr<encodings::ReadFile> file = encodings::Read(bytes);
      if (!file.ok()) return file.status();
      return encodings::Alone(*file);
    }
    case FileFormat::kQnnNet:
      return ImportQnnNet(bytes, options);
    case FileFormat::kPt2:
      return ImportPt2(bytes, options);
    default:
      return ParseGraph(bytes, format, options);
  }
}

const char* FormatName(FileFormat format) {
  switch (format) {
    case FileFormat::kOnnx:
      return "onnx";
    case FileFormat::kTflite:
      return "tflite";
    case FileFormat::kEncodings:
      return "encodings";
    case FileFormat::kQnnNet:
      return "qnn-net";
    case FileFormat::kPt2:
      return "pt2";
    default:
      return "quantgate.v1.Graph";
  }
}

std::string ModelFolder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

absl::StatusOr<encodings::ReadFile> ParseEncodings(absl::string_view bytes) {
  const Sniffed sniffed = SniffFormat(bytes);
  switch (sniffed.format) {
    case FileFormat::kOther:
      return UnreadableFile(absl::StrCat("is no file of encodings; it ", sniffed.reason));
    case FileFormat::kEncodings:
    case FileFormat::kGraphJson:  // JSON that has none of their keys near its start
      return encodings::Read(bytes);
    default:
      return UnreadableFile("is a model, not a file of encodings");
  }
}

// Joins the model with the file at `path`.
absl::Status AddEncodings(const std::string& path, int64_t max_bytes, ImportedModel& model) {
  if (model.graph.origin() != v1::Graph::ONNX || model.info.format() != FormatName(FileFormat::kOnnx)) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.info.path(), ": is no ONNX model, and encodings are joined with those"));
  }
  const absl::StatusOr<std::string> bytes = ReadModelFile(path, max_bytes);
  if (!bytes.ok()) return NameFile(path, bytes.status());
  absl::StatusOr<encodings::ReadFile> file = ParseEncodings(*bytes);
  if (!file.ok()) return NameFile(path, file.status());
  encodings::Join(*file, &model.graph);
  model.info.set_format("onnx with encodings");
  model.encodings = path;
  model.encodings_sha256 = Sha256Hex(*bytes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ImportedModel> ImportModel(const std::string& path, const ImportOptions& options) {
  absl::StatusOr<std::string> bytes = ReadModelFile(path, options.max_file_bytes);
  if (!bytes.ok()) return NameFile(path, bytes.status());
  const Sniffed sniffed = SniffFormat(*bytes);
  if (sniffed.format == FileFormat::kOther) {
    return NameFile(path, UnreadableFile(sniffed.reason));
  }
  const std::string sha256 = Sha256Hex(*bytes);
  absl::StatusOr<v1::Graph> graph = ImportBytes(*std::move(bytes), sniffed.format, ModelFolder(path), options);
  if (!graph.ok()) return NameFile(path, graph.status());

  ImportedModel model;
  model.graph = *std::move(graph);
  model.info.set_path(ToUtf8(path));  // a file may have any bytes for a name, a report may not
  model.info.set_sha256(sha256);
  model.info.set_format(FormatName(sniffed.format));
  if (!options.encodings.empty()) {
    absl::Status status = AddEncodings(options.encodings, options.max_file_bytes, model);
    if (!status.ok()) return status;
  }
  return model;
}

}  // namespace quantgate
