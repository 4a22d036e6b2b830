#include "client/npz/npz.h"

#include <zip.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/error.h"
#include "client/model_file.h"
#include "client/pt2/archive.h"
#include "client/text.h"
#include "client/unfinished_file.h"

namespace quantgate {
namespace {

constexpr zip_uint16_t kFirstDosDate = 1 << 5 | 1;  // 1 January 1980

absl::Status InFile(absl::string_view path, absl::string_view member, const absl::Status& status) {
  const std::string place = member.empty() ? std::string(path) : absl::StrCat(path, ": '", ToUtf8(member), "'");
  return CodedError(status.code(), ErrorCode(status),
                    absl::StrCat(place, member.empty() ? ": " : " ", status.message()));
}

}  // namespace

absl::StatusOr<absl::flat_hash_map<std::string, simulator::Tensor>> ReadNpz(const std::string& path,
                                                                            int64_t max_bytes) {
  const absl::StatusOr<std::string> bytes = ReadModelFile(path, max_bytes);
  if (!bytes.ok()) return InFile(path, "", bytes.status());
  absl::StatusOr<pt2::Archive> archive = pt2::Archive::Open(*bytes);
  if (!archive.ok()) return InFile(path, "", archive.status());
  absl::flat_hash_map<std::string, simulator::Tensor> arrays;
  int64_t left = max_bytes;
  for (const std::string& name : archive->names()) {
    absl::StatusOr<std::string> member = archive->Read(*archive->Find(name), left);
    if (!member.ok()) return InFile(path, "", member.status());
    left -= static_cast<int64_t>(member->size());
    absl::StatusOr<simulator::Tensor> tensor = ParseNpy(*member);
    if (!tensor.ok()) return InFile(path, name, tensor.status());
    arrays.emplace(absl::StripSuffix(name, ".npy"), *std::move(tensor));
  }
  return arrays;
}

absl::Status NpzWriter::Add(const std::string& name, const simulator::Tensor& tensor) {
  if (!names_.insert(name).second) return absl::OkStatus();
  const auto size = static_cast<int64_t>(tensor.data.size());
  if (size > left_) {
    return BeyondLimit(absl::StrCat("the arrays take more than ", max_bytes_, " bytes"));
  }
  left_ -= size;
  absl::StatusOr<std::string> bytes = WriteNpy(tensor);
  if (!bytes.ok()) return bytes.status();
  members_.emplace_back(absl::StrCat(name, ".npy"), *std::move(bytes));
  return absl::OkStatus();
}

absl::Status NpzWriter::Close(const std::string& path) {
  const auto failed = [&](absl::string_view why) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": cannot be written: ", why));
  };
  absl::StatusOr<UnfinishedFile> file = UnfinishedFile::Create(path);  // the library would replace links and pipes
  if (!file.ok()) return file.status();
  if (members_.empty()) {
    // The library would write no file: the end of an archive's directory, with nothing in front of it.
    absl::Status written = file->Append(absl::string_view("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22));
    return written.ok() ? file->Finish() : written;
  }
  int error = 0;
  zip_t* archive = zip_open(file->path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive == nullptr) {
    zip_error_t text;
    zip_error_init_with_code(&text, error);
    absl::Status status = failed(zip_error_strerror(&text));
    zip_error_fini(&text);
    return status;
  }
  for (const auto& [name, bytes] : members_) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), /*freep=*/0);
    const zip_int64_t index = source == nullptr ? -1 : zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (source != nullptr) zip_source_free(source);
      absl::Status status = failed(zip_strerror(archive));
      zip_discard(archive);
      return status;
    }
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    // As numpy writes it: the same tensors make the same file, whenever that is.
    zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), /*dtime=*/0, kFirstDosDate, 0);
  }
  if (zip_close(archive) == 0) return file->Finish();
  absl::Status status = failed(zip_strerror(archive));
  zip_discard(archive);
  return status;
}

}  // namespace quantgate
