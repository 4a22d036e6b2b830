#include "client/report/xml.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/report/layout.h"

namespace quantgate {

std::string XmlEscaped(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  return absl::StrJoin(lines, "&#10;", [](std::string* out, absl::string_view line) {
    out->append(absl::StrReplaceAll(Printable(line), {{"&", "&amp;"},
                                                      {"<", "&lt;"},
                                                      {">", "&gt;"},
                                                      {"\"", "&quot;"},
                                                      {"'", "&apos;"},
                                                      {"\xEF\xBF\xBE", "\\xef\\xbf\\xbe"},
                                                      {"\xEF\xBF\xBF", "\\xef\\xbf\\xbf"}}));
  });
}

}  // namespace quantgate
