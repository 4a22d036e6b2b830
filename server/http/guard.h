// Which requests are let in at all: what a browser can be made to send on behalf of another site is not.
#ifndef QUANTGATE_SERVER_HTTP_GUARD_H_
#define QUANTGATE_SERVER_HTTP_GUARD_H_

#include <httplib.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace quantgate::server {

// A site whose name is made to resolve to this server (DNS rebinding) comes with its own name in Host. Addresses,
// "localhost" and `names` are served.
bool HostAllowed(absl::string_view host, const std::vector<std::string>& names);

// PERMISSION_DENIED: another Host, or a request that changes something and that a page of another site could have
// sent: it must have Content-Type application/json or a header X-QuantGate-Request, which make a browser ask first, and
// nobody answers.
absl::Status Admit(const httplib::Request& request, const std::vector<std::string>& names);

// Headers of every answer.
httplib::Headers SecurityHeaders();

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_GUARD_H_
