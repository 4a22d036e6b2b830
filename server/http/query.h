// The query of a request.
#ifndef QUANTGATE_SERVER_HTTP_QUERY_H_
#define QUANTGATE_SERVER_HTTP_QUERY_H_

#include <httplib.h>

#include <string>
#include <utility>
#include <vector>

namespace quantgate::server {

// Names and values in their order, decoded. What follows the first `=` is the value: in the library's own reading
// (Request::params) "filter=verdict = REJECTED" loses all but what follows the last.
std::vector<std::pair<std::string, std::string>> QueryOf(const httplib::Request& request);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_QUERY_H_
