#include "server/http/guard.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace quantgate::server {
namespace {

// "example.org" of "example.org:8080", "::1" of "[::1]:8080".
std::string HostName(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) return std::string(host.substr(0, host.find(']')));
  return std::string(host.substr(0, host.find(':')));
}

// A page of this server: of the host that it asks; or, where a proxy asks under another name, of one that the server is
// known by. Whatever else this machine serves has its addresses too, so these do not count.
bool IsOwnOrigin(absl::string_view origin, absl::string_view host, const std::vector<std::string>& names) {
  if (absl::EndsWith(origin, absl::StrCat("://", host))) return true;
  if (!absl::ConsumePrefix(&origin, "https://") && !absl::ConsumePrefix(&origin, "http://")) return false;
  return !HostAllowed(origin, {}) && HostAllowed(origin, names);
}

}  // namespace

bool HostAllowed(absl::string_view host, const std::vector<std::string>& names) {
  const std::string name = absl::AsciiStrToLower(HostName(host));
  in6_addr address;
  if (name == "localhost" || inet_pton(AF_INET, name.c_str(), &address) == 1 ||
      inet_pton(AF_INET6, name.c_str(), &address) == 1) {
    return true;
  }
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& one) { return absl::EqualsIgnoreCase(one, name); });
}

absl::Status Admit(const httplib::Request& request, const std::vector<std::string>& names) {
  const std::string host = request.get_header_value("Host");
  if (request.get_header_value_count("Host") > 1 || (!host.empty() && !HostAllowed(host, names))) {
    return absl::PermissionDeniedError(
        "Host: this server is not known by that name; start it with --http-name NAME if it is");
  }
  if (request.method == "GET" || request.method == "HEAD") return absl::OkStatus();
  const std::string origin = request.get_header_value("Origin");
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  if ((!origin.empty() && !IsOwnOrigin(origin, host, names)) ||
      (!site.empty() && site != "same-origin" && site != "none")) {
    return absl::PermissionDeniedError(
        "Origin: requests from pages of other sites are not answered; a proxy in front must pass the Host header on, "
        "or the page's own name be given with --http-name");
  }
  absl::string_view type =
      request.headers.count("Content-Type") == 1 ? request.headers.find("Content-Type")->second : absl::string_view();
  type = absl::StripAsciiWhitespace(type.substr(0, type.find(';')));
  if (!absl::EqualsIgnoreCase(type, "application/json") && !request.has_header("X-QuantGate-Request")) {
    return absl::PermissionDeniedError(
        "Content-Type: must be application/json, or the request must have a header X-QuantGate-Request");
  }
  return absl::OkStatus();
}

httplib::Headers SecurityHeaders() {
  return {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src "
       "'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
}

}  // namespace quantgate::server
