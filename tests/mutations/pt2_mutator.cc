#include "tests/mutations/pt2_mutator.h"

#include <zip.h>

#include <cstdlib>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "tests/client/pt2/archive.h"
#include "tests/mutations/json_mutator.h"

namespace quantgate::mutations {
namespace {

// What a name ends with while it is to be the name of another member as well: libzip writes no name twice.
constexpr char kDouble = '~';

Members::iterator AnyMember(Members& members, Random& random) {
  return std::next(members.begin(), static_cast<std::ptrdiff_t>(random.Below(members.size())));
}

void ChangeBytes(std::string& bytes, Random& random) {
  if (random.OneIn(3) || bytes.empty()) {
    bytes.resize(random.Below(2 * bytes.size() + 2));
  } else {
    bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
  }
}

void ChangeMembers(Members& members, std::string& doubled, Random& random) {
  const auto member = AnyMember(members, random);
  switch (random.Below(4)) {
    case 0:
      members.erase(member);
      return;
    case 1: {
      const std::string bytes = member->second;
      const std::string name = member->first + (random.OneIn(2) ? "_" : "/../../x");
      members.erase(member);
      members[name] = bytes;
      return;
    }
    case 2: {
      doubled = member->first;
      if (doubled.empty()) return;
      std::string name = doubled;
      name.back() = kDouble;
      members[name] = AnyMember(members, random)->second;
      return;
    }
    default:
      member->second = AnyMember(members, random)->second;
  }
}

}  // namespace

Members Unzip(const std::string& file) {
  zip_source_t* source = zip_source_buffer_create(file.data(), file.size(), 0, nullptr);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) std::abort();
  Members members;
  for (int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t facts;
    if (zip_stat_index(archive, static_cast<uint64_t>(i), 0, &facts) != 0) std::abort();
    std::string bytes(facts.size, '\0');
    zip_file_t* member = zip_fopen_index(archive, static_cast<uint64_t>(i), 0);
    if (member == nullptr || zip_fread(member, bytes.data(), bytes.size()) != static_cast<int64_t>(bytes.size())) {
      std::abort();
    }
    zip_fclose(member);
    members[facts.name] = std::move(bytes);
  }
  zip_discard(archive);
  return members;
}

std::string MutatePt2(Members members, int changes, Random& random) {
  std::string doubled;
  for (int i = 0; i < changes && !members.empty(); ++i) {
    if (random.OneIn(6)) {
      ChangeMembers(members, doubled, random);
      continue;
    }
    auto member = AnyMember(members, random);
    if (random.OneIn(2)) {  // the program
      for (auto other = members.begin(); other != members.end(); ++other) {
        if (absl::EndsWith(other->first, "/model.json")) member = other;
      }
    }
    if (absl::EndsWith(member->first, ".json")) {
      member->second = MutateJson(member->second, 1, random);
    } else {
      ChangeBytes(member->second, random);
    }
  }
  std::string archive = Zip(members, ZIP_CM_STORE);
  if (!doubled.empty()) {
    std::string name = doubled;
    name.back() = kDouble;
    archive = absl::StrReplaceAll(archive, {{name, doubled}});
  }
  if (random.OneIn(20)) ChangeBytes(archive, random);
  return archive;
}

}  // namespace quantgate::mutations
