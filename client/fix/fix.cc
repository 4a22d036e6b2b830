#include "client/fix/fix.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/error.h"
#include "client/fix/external_files.h"
#include "client/fix/lost_values.h"
#include "client/graph_file.h"
#include "client/model_file.h"
#include "client/onnx/onnx_importer.h"
#include "client/passing_path.h"
#include "client/tflite/tflite_importer.h"
#include "client/unfinished_file.h"
#include "db/sha256.h"
#include "rules/corrections/apply.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

struct FormatWriter {
  absl::string_view format;  // ModelInfo.format
  absl::string_view ending;
  ModelWriter write;
};

const FormatWriter kWriters[] = {
    {"onnx", ".onnx", WriteOnnx},
    {"tflite", ".tflite", WriteTflite},
    {"onnx with encodings", ".encodings", WriteEncodings},
};

const FormatWriter* WriterOf(const v1::ModelInfo& model) {
  const auto* found = absl::c_find_if(kWriters, [&](const FormatWriter& one) { return one.format == model.format(); });
  return found == std::end(kWriters) ? nullptr : found;
}

std::string FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

absl::StatusOr<WrittenModel> WriteAsGraph(const ImportedModel& model, const v1::Result& result, FileFormat format) {
  v1::Graph graph = model.graph;
  if (absl::Status status = ApplyCorrections(result, graph); !status.ok()) return status;
  DropLostValues(model.graph, graph);
  absl::StatusOr<std::string> bytes = SerializeGraph(graph, format);
  if (!bytes.ok()) return bytes.status();
  return WrittenModel{*std::move(bytes), {}, {}};
}

absl::StatusOr<WrittenModel> WriteAsModel(const ImportedModel& model, const FormatWriter& writer,
                                          absl::Span<const TensorChange> changes) {
  // Parameters that are beside the model are written beside it.
  const bool beside = !model.encodings.empty();
  const std::string& path = beside ? model.encodings : model.info.path();
  absl::StatusOr<std::string> bytes = ReadModelFile(path, ImportOptions().max_file_bytes);
  if (!bytes.ok()) return bytes.status();
  if (Sha256Hex(*bytes) != (beside ? model.encodings_sha256 : model.info.sha256())) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": changed since it was checked"));
  }
  const std::string folder = FolderOf(path);
  absl::StatusOr<WrittenModel> written = writer.write({*bytes, folder, model.graph, changes});
  if (!written.ok()) {
    const absl::Status& error = written.status();
    return CodedError(error.code(), ErrorCode(error), absl::StrCat(path, ": ", error.message()));
  }
  return written;
}

// What was written, as the next tool reads it.
absl::StatusOr<ImportedModel> ReadBack(const ImportedModel& model, const std::string& written, bool is_graph) {
  if (is_graph || model.encodings.empty()) return ImportModel(written);
  ImportOptions options;
  options.encodings = written;
  return ImportModel(model.info.path(), options);
}

int64_t Errors(const v1::Report& report) {
  if (report.results().empty()) return 0;
  return absl::c_count_if(report.results(0).findings(),
                          [](const v1::Finding& finding) { return finding.severity() == v1::Finding::ERROR; });
}

}  // namespace

absl::Status CheckFixPath(const std::string& path) {
  std::vector<std::string> endings = {".pb", ".json", ".txtpb"};
  for (const FormatWriter& writer : kWriters) endings.emplace_back(writer.ending);
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("--fix ", path, ": ", why));
  };
  if (absl::EndsWith(path, ".pt2")) {
    return refuse(
        "exported programs are not written: correct what they are converted from (quantgate.apply in Python), or write "
        "a graph: .pb, .json or .txtpb");
  }
  if (absl::c_none_of(endings, [&](const std::string& ending) { return absl::EndsWith(path, ending); })) {
    return refuse(absl::StrCat("a corrected model ends like the file that it is made from, or is a graph: ",
                               absl::StrJoin(endings, ", ")));
  }
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) return refuse("is a directory");
  if (fs::exists(there) && !fs::is_regular_file(there)) return refuse("is not a regular file");
  return absl::OkStatus();
}

absl::Status CheckFixFormat(const std::string& path, const v1::ModelInfo& model) {
  if (GraphFormatOf(path).has_value()) return absl::OkStatus();
  const FormatWriter* writer = WriterOf(model);
  if (writer != nullptr && absl::EndsWith(path, writer->ending)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--fix ", path, ": ", model.path(), " is ", model.format(), ", which is written as ",
      writer != nullptr ? absl::StrCat(writer->ending, ", or as a graph: ") : "a graph: ", ".pb, .json or .txtpb"));
}

absl::StatusOr<FixResult> WriteFixed(const ImportedModel& model, const v1::Report& report, const std::string& path,
                                     const CheckAgain& check) {
  if (absl::Status status = CheckFixFormat(path, model.info); !status.ok()) return status;
  if (report.results().empty()) return absl::FailedPreconditionError("the report has no result to correct by");
  const v1::Result& result = report.results(0);
  absl::StatusOr<std::vector<TensorChange>> changes = ChangedTensors(result, model.graph);
  if (!changes.ok()) return changes.status();
  absl::c_stable_sort(*changes,
                      [](const TensorChange& a, const TensorChange& b) { return a.correction < b.correction; });
  const std::optional<FileFormat> graph_format = GraphFormatOf(path);
  absl::StatusOr<WrittenModel> written = graph_format.has_value()
                                             ? WriteAsGraph(model, result, *graph_format)
                                             : WriteAsModel(model, *WriterOf(model.info), *changes);
  if (!written.ok()) return written.status();

  absl::StatusOr<UnfinishedFile> file = UnfinishedFile::Write(path, written->bytes);
  if (!file.ok()) return file.status();
  ExternalFiles external;
  if (absl::Status status = external.Copy(FolderOf(model.info.path()), path, written->external); !status.ok()) {
    return status;
  }
  absl::StatusOr<ImportedModel> read = ReadBack(model, file->path(), graph_format.has_value());
  if (!read.ok()) {
    return absl::InternalError(absl::StrCat("what was written cannot be read back: ", read.status().message()));
  }
  read->info.set_path(path);
  absl::StatusOr<v1::Report> again = check(*read);
  if (!again.ok()) return again.status();
  if (Errors(*again) > Errors(report)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": not written: with the corrections it would have ",
                                                      Errors(*again), " errors, the model has ", Errors(report)));
  }
  {
    const SignalsWait wait;  // the model and its weights are there together
    if (absl::Status status = file->Finish(); !status.ok()) return status;
    external.Keep();
  }
  FixResult fixed;
  fixed.report = *std::move(again);
  fixed.written = static_cast<int>(changes->size() - written->left.size());
  fixed.left = std::move(written->left);
  return fixed;
}

absl::StatusOr<v1::Graph> CorrectedGraph(const ImportedModel& model, const v1::Result& result, int correction,
                                         const ImportOptions& options) {
  const FormatWriter* writer = WriterOf(model.info);
  if (writer == nullptr || !model.encodings.empty()) {
    return absl::UnimplementedError(absl::StrCat(model.info.format(), " is not written"));
  }
  absl::StatusOr<std::vector<TensorChange>> changes = ChangedTensors(result, model.graph);
  if (!changes.ok()) return changes.status();
  changes->erase(std::remove_if(changes->begin(), changes->end(),
                                [&](const TensorChange& change) { return change.correction != correction; }),
                 changes->end());
  const absl::StatusOr<WrittenModel> written = WriteAsModel(model, *writer, *changes);
  if (!written.ok()) return written.status();
  if (!written->left.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", written->left[0].tensor, "' is not written: ", written->left[0].reason));
  }
  const std::string folder = FolderOf(model.info.path());
  return writer->write == WriteOnnx ? ImportOnnx(absl::string_view(written->bytes), folder, options)
                                    : ImportTflite(written->bytes, folder, options);
}

}  // namespace quantgate
