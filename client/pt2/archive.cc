#include "client/pt2/archive.h"

#include <zip.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/error.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

constexpr uint64_t kMaxMembers = 200'000;
// Deflate reaches 1,032; weights, which are what is large, hardly shrink.
constexpr int64_t kMaxRatio = 100;
constexpr int64_t kAlwaysAllowed = int64_t{1} << 20;
constexpr int64_t kChunk = int64_t{1} << 16;

std::string Named(absl::string_view name) { return absl::StrCat("its member '", ToUtf8(name), "' "); }

uint16_t Load16(absl::string_view bytes) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[0]) | static_cast<uint8_t>(bytes[1]) << 8);
}

uint64_t Load64(absl::string_view bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

// How many members the end of the archive announces, which libzip makes room for before it looks at them. 0: it finds
// no such end. PKWARE's APPNOTE, 4.3.14 to 4.3.16.
uint64_t AnnouncedMembers(absl::string_view bytes) {
  constexpr size_t kEndSize = 22;
  constexpr size_t kLocatorSize = 20;
  constexpr size_t kEnd64Size = 56;
  constexpr size_t kMaxComment = 65'535;
  const size_t searched = std::min(bytes.size(), kEndSize + kMaxComment);
  absl::string_view tail = bytes.substr(bytes.size() - searched);
  uint64_t most = 0;
  for (size_t at = tail.rfind("PK\x05\x06"); at != absl::string_view::npos && at <= tail.size();
       at = at == 0 ? absl::string_view::npos : tail.rfind("PK\x05\x06", at - 1)) {
    if (tail.size() - at < kEndSize) continue;
    most = std::max<uint64_t>(most, Load16(tail.substr(at + 10)));
    if (at < kLocatorSize || !absl::StartsWith(tail.substr(at - kLocatorSize), "PK\x06\x07")) continue;
    const uint64_t end64 = Load64(tail.substr(at - kLocatorSize + 8));
    if (end64 > bytes.size() || bytes.size() - end64 < kEnd64Size) continue;
    // An archive within this one has an end of its own, whose offsets mean nothing here.
    if (!absl::StartsWith(bytes.substr(end64), "PK\x06\x06")) continue;
    most = std::max(most, Load64(bytes.substr(end64 + 32)));
  }
  return most;
}

}  // namespace

void Archive::Discard::operator()(zip* archive) const { zip_discard(archive); }
void Archive::Close::operator()(zip_file* file) const { zip_fclose(file); }

absl::StatusOr<Archive> Archive::Open(absl::string_view bytes) {
  if (AnnouncedMembers(bytes) > kMaxMembers) {
    return BeyondLimit(absl::StrCat("is a zip archive of more than ", kMaxMembers, " members"));
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), /*freep=*/0, &error);
  Archive archive;
  if (source != nullptr) archive.zip_.reset(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  if (archive.zip_ == nullptr) {
    if (source != nullptr) zip_source_free(source);
    absl::Status damaged = UnreadableFile(absl::StrCat("is a damaged zip archive (was it cut off?): ",
                                                       absl::AsciiStrToLower(zip_error_strerror(&error))));
    zip_error_fini(&error);
    return damaged;
  }
  zip_error_fini(&error);
  if (absl::Status status = archive.ReadDirectory(static_cast<int64_t>(bytes.size())); !status.ok()) return status;
  return archive;
}

absl::Status Archive::ReadDirectory(int64_t total_bytes) {
  const int64_t count = zip_get_num_entries(zip_.get(), 0);
  int64_t compressed_bytes_left = total_bytes;
  for (int64_t i = 0; i < count; ++i) {
    if (absl::Status status = AddMember(static_cast<uint64_t>(i), &compressed_bytes_left); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Archive::AddMember(uint64_t index, int64_t* compressed_bytes_left) {
  zip_stat_t facts;
  zip_stat_init(&facts);
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(zip_.get(), index, ZIP_FL_ENC_RAW, &facts) != 0 || (facts.valid & kNeeded) != kNeeded) {
    return UnreadableFile("is a damaged zip archive: its directory is incomplete");
  }
  const std::string name = facts.name;
  if (facts.comp_method != ZIP_CM_STORE && facts.comp_method != ZIP_CM_DEFLATE) {
    return UnreadableFile(
        absl::StrCat(Named(name), "is compressed with method ", facts.comp_method, "; only deflate is read"));
  }
  if (facts.encryption_method != ZIP_EM_NONE) return UnreadableFile(absl::StrCat(Named(name), "is encrypted"));
  if (facts.comp_size > static_cast<uint64_t>(*compressed_bytes_left)) {
    return UnreadableFile(absl::StrCat(Named(name), "overlaps others, or lies outside of the file"));
  }
  const auto compressed = static_cast<int64_t>(facts.comp_size);
  *compressed_bytes_left -= compressed;
  if (facts.size > static_cast<uint64_t>(std::max(kAlwaysAllowed, kMaxRatio * compressed))) {
    return BeyondLimit(absl::StrCat(Named(name), "expands ", compressed, " bytes to ", facts.size, "; the limit is ",
                                    kMaxRatio, " times"));
  }
  if (!members_.try_emplace(name, Member{index, static_cast<int64_t>(facts.size)}).second) {
    return UnreadableFile(absl::StrCat("has the member '", ToUtf8(name), "' twice"));
  }
  names_.push_back(name);
  return absl::OkStatus();
}

const Archive::Member* Archive::Find(absl::string_view name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? nullptr : &found->second;
}

absl::Status Archive::Stream(const Member& member, const std::function<void(absl::string_view)>& sink) {
  absl::Status damaged =
      UnreadableFile(absl::StrCat(Named(names_[member.index]), "is damaged: its checksum or its length does not hold"));
  const std::unique_ptr<zip_file, Close> file(zip_fopen_index(zip_.get(), member.index, 0));
  if (file == nullptr) return damaged;
  buffer_.resize(kChunk);
  int64_t left = member.size;
  while (left > 0) {
    // A chunk is filled before it is passed on: inflating may give less than was asked for.
    int64_t filled = 0;
    const int64_t wanted = std::min(left, kChunk);
    while (filled < wanted) {
      const int64_t got = zip_fread(file.get(), buffer_.data() + filled, static_cast<zip_uint64_t>(wanted - filled));
      if (got <= 0) return damaged;
      filled += got;
    }
    sink(absl::string_view(buffer_).substr(0, static_cast<size_t>(filled)));
    left -= filled;
  }
  // The checksum is compared where the member ends.
  char beyond = 0;
  return zip_fread(file.get(), &beyond, 1) == 0 ? absl::OkStatus() : damaged;
}

absl::StatusOr<std::string> Archive::Beginning(const Member& member, int64_t count) {
  std::string bytes(static_cast<size_t>(std::min(member.size, count)), '\0');
  const std::unique_ptr<zip_file, Close> file(zip_fopen_index(zip_.get(), member.index, 0));
  size_t filled = 0;
  while (file != nullptr && filled < bytes.size()) {
    const int64_t got = zip_fread(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  if (file != nullptr && filled == bytes.size()) return bytes;
  return UnreadableFile(
      absl::StrCat(Named(names_[member.index]), "is damaged: its checksum or its length does not hold"));
}

absl::StatusOr<std::string> Archive::Read(const Member& member, int64_t max_bytes) {
  if (member.size > max_bytes) {
    return BeyondLimit(
        absl::StrCat(Named(names_[member.index]), "is ", member.size, " bytes long; the limit is ", max_bytes));
  }
  std::string bytes;
  bytes.reserve(static_cast<size_t>(member.size));
  absl::Status status = Stream(member, [&bytes](absl::string_view chunk) { absl::StrAppend(&bytes, chunk); });
  if (!status.ok()) return status;
  return bytes;
}

bool LeavesFolder(absl::string_view name) {
  if (absl::StartsWith(name, "/") || absl::StartsWith(name, "\\")) return true;
  if (name.size() >= 2 && name[1] == ':' && absl::ascii_isalpha(static_cast<unsigned char>(name[0]))) return true;
  for (absl::string_view part : absl::StrSplit(name, absl::ByAnyChar("/\\"))) {
    if (part == "..") return true;
  }
  return false;
}

absl::Status InMember(absl::string_view member, const absl::Status& error) {
  return CodedError(error.code(), ErrorCode(error), absl::StrCat(ToUtf8(member), ": ", error.message()));
}

}  // namespace quantgate::pt2
