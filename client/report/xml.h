// Text in XML 1.0.
#ifndef QUANTGATE_CLIENT_REPORT_XML_H_
#define QUANTGATE_CLIENT_REPORT_XML_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quantgate {

// For content and attributes alike. Line feeds stay what they are (as "&#10;"); other control characters, bytes that
// are not UTF-8 and the two code points that XML forbids are written as \xNN.
std::string XmlEscaped(absl::string_view text);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_XML_H_
