// Everything that can be set about a server.
#ifndef QUANTGATE_SERVER_OPTIONS_H_
#define QUANTGATE_SERVER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace quantgate::server {

// A request beyond one of these is answered RESOURCE_EXHAUSTED with the limit's name and value, a stream that stalls
// DEADLINE_EXCEEDED; the last three are answered UNAVAILABLE: the same request will do later.
struct Limits {
  int64_t max_request_bytes = int64_t{64} << 20;  // one unary request as it is sent
  int64_t max_stream_bytes = int64_t{512} << 20;  // the graph (and inputs) of one streamed request, all chunks
  int64_t max_parsed_bytes = int64_t{2} << 30;    // memory of one parsed request
  int64_t max_nodes = 1'000'000;                  // of a graph with its subgraphs
  int64_t max_values = 4'000'000;
  int64_t max_targets = 128;
  int64_t max_simulation_bytes = int64_t{1} << 30;  // tensors that one simulation holds at a time, weights included
  double max_stream_idle = 15;  // seconds between two messages of a streamed request; on average 16 KiB come in one

  int64_t max_buffered_bytes = int64_t{1} << 30;  // requests being received, waiting and checked, all together
  int max_concurrent = 0;                         // checks at a time; 0: one per core
  int max_queue = 256;                            // checks waiting
};

struct Options {
  std::string listen = "127.0.0.1:50051";       // HOST:PORT; port 0 takes a free one
  std::string http;                             // HOST:PORT of /v1, the page, /metrics and /healthz; empty: none
  std::vector<std::string> http_names;          // names that browsers reach it by, beside addresses and localhost
  int64_t max_upload_bytes = int64_t{1} << 30;  // a model file sent to the HTTP endpoint
  bool insecure = false;  // allows an address beyond loopback without TLS; with tls_cert that of `http` alone

  // Paths of PEM files. Certificate and key come together; a client CA makes client certificates mandatory.
  std::string tls_cert;
  std::string tls_key;
  std::string tls_client_ca;

  Limits limits;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_OPTIONS_H_
