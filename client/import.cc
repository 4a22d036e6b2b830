#include "client/import.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/graph_file.h"
#include "client/model_file.h"
#include "client/onnx/onnx_importer.h"
#include "client/pt2/pt2_importer.h"
#include "client/sniff.h"
#include "client/tflite/tflite_importer.h"

namespace quantgate {
namespace {

// The same error with the file's name in front, code kept.
absl::Status NameFile(const std::string& path, const absl::Status& error) {
  return CodedError(error.code(), ErrorCode(error), absl::StrCat(path, ": ", error.message()));
}

absl::StatusOr<v1::Graph> ImportBytes(absl::string_view bytes, FileFormat format, const std::string& folder,
                                      const ImportOptions& options) {
  switch (format) {
    case FileFormat::kOnnx:
      return ImportOnnx(bytes, folder, options);
    case FileFormat::kTflite:
      return ImportTflite(bytes, folder, options);
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
    case FileFormat::kPt2:
      return "pt2";
    default:
      return "quantgate.v1.Graph";
  }
}

std::string FolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

absl::StatusOr<ImportedModel> ImportModel(const std::string& path, const ImportOptions& options) {
  absl::StatusOr<std::string> bytes = ReadModelFile(path, options.max_file_bytes);
  if (!bytes.ok()) return NameFile(path, bytes.status());
  const Sniffed sniffed = SniffFormat(*bytes);
  if (sniffed.format == FileFormat::kOther) {
    return NameFile(path, CodedError(absl::StatusCode::kInvalidArgument, "FI001", sniffed.reason));
  }
  absl::StatusOr<v1::Graph> graph = ImportBytes(*bytes, sniffed.format, FolderOf(path), options);
  if (!graph.ok()) return NameFile(path, graph.status());

  ImportedModel model;
  model.graph = *std::move(graph);
  model.info.set_path(path);
  model.info.set_sha256(Sha256Hex(*bytes));
  model.info.set_format(FormatName(sniffed.format));
  return model;
}

}  // namespace quantgate
