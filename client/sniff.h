// What a file is, by its content.
#ifndef QUANTGATE_CLIENT_SNIFF_H_
#define QUANTGATE_CLIENT_SNIFF_H_

#include "absl/strings/string_view.h"

namespace quantgate {

enum class FileFormat {
  kOnnx,
  kTflite,
  kPt2,  // or another zip archive; its members tell
  kGraphBinary,
  kGraphJson,
  kGraphText,
  kEncodings,  // AIMET, or QNN and SNPE overrides
  kQnnNet,     // a QNN converter's *_net.json
  kOther,      // not readable by this version
};

struct Sniffed {
  FileFormat format;
  // kOther: what the file is and what to do, as the end of a sentence that starts with its name ("is gzip data: …").
  const char* reason = "";
};

// Looks at the first bytes only. A file that is damaged further on is still of its format.
Sniffed SniffFormat(absl::string_view bytes);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_SNIFF_H_
