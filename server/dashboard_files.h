// The files of the page, part of the program. Made by server/dashboard's build; without one, a page that says how to
// get it.
#ifndef QUANTGATE_SERVER_DASHBOARD_FILES_H_
#define QUANTGATE_SERVER_DASHBOARD_FILES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate::server {

struct DashboardFile {
  absl::string_view path;  // "/index.html"
  absl::string_view content_type;
  absl::string_view etag;  // changes with the bytes
  absl::string_view bytes;
};

absl::Span<const DashboardFile> DashboardFiles();

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_DASHBOARD_FILES_H_
