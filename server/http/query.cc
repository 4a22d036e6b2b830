#include "server/http/query.h"

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace quantgate::server {
namespace {

std::string Decoded(absl::string_view text) {
  return httplib::detail::decode_url(std::string(text), /*convert_plus_to_space=*/true);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> QueryOf(const httplib::Request& request) {
  std::vector<std::pair<std::string, std::string>> query;
  const absl::string_view target = request.target;
  const size_t begin = target.find('?');
  if (begin == absl::string_view::npos) return query;
  const absl::string_view text = target.substr(begin + 1, target.find('#', begin) - begin - 1);
  for (const absl::string_view part : absl::StrSplit(text, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> field = absl::StrSplit(part, absl::MaxSplits('=', 1));
    query.emplace_back(Decoded(field.first), Decoded(field.second));
  }
  return query;
}

}  // namespace quantgate::server
