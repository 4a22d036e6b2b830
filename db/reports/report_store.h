// Where reports are kept. One narrow interface, over SQLite for one server and over PostgreSQL for several.
#ifndef QUANTGATE_DB_REPORTS_REPORT_STORE_H_
#define QUANTGATE_DB_REPORTS_REPORT_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate::db {

// What makes a request idempotent. Empty `id`: it is not.
struct RequestKey {
  std::string id;      // chosen by the client, at most 64 characters
  std::string digest;  // of everything the answer depends on; any fixed-size text
};

struct ReportQuery {
  // As documented at ListReportsRequest.filter. Conditions on target, verdict and code are about one and the same
  // result of a report: `target = "a" AND verdict = REJECTED` finds reports in which target a was rejected.
  std::string filter;
  int page_size = 50;      // >= 1
  std::string page_token;  // from ReportPage, for the same filter
  bool full = false;       // false: without findings, not-checked lists, corrections and node outcomes
  // A page ends early rather than grow beyond this many serialized bytes (but has at least one report).
  int64_t max_bytes = 3 << 20;
  // It also ends early, even without a report, once about so many were looked at: then next_page_token says where to go
  // on. Only where no index has what the filter names, nor its rarest part.
  int max_examined = 2500;
};

struct ReportPage {
  std::vector<v1::Report> reports;
  std::string next_page_token;  // empty: no more
};

// Thread-safe. Every call that returns OK has reached the disk. Errors, beside those named below:
//   FAILED_PRECONDITION  the store is read-only
//   RESOURCE_EXHAUSTED   the disk or the store's own limit is full; nothing was written
//   DATA_LOSS            the file is damaged
//   UNAVAILABLE          another process holds the store, or the database does not answer; try again
class ReportStore {
 public:
  virtual ~ReportStore() = default;

  virtual bool read_only() const = 0;

  // Stores the report under a new name; sets `name` ("reports/{uuid}") and `create_time`. When the store already has a
  // report for key.id: with the same digest, `report` becomes that report; with another, ALREADY_EXISTS.
  // `graph`, when there, is the one that report.graph_digest names: it is kept once for all its reports, without
  // weights, unless it is larger than kMaxGraphBytes.
  virtual absl::Status Put(const RequestKey& key, v1::Report& report, const v1::Graph* graph) = 0;
  absl::Status Put(const RequestKey& key, v1::Report& report) { return Put(key, report, nullptr); }

  // The report of an earlier request with this key, if any. ALREADY_EXISTS when the digest differs.
  virtual absl::StatusOr<std::optional<v1::Report>> FindRequest(const RequestKey& key) = 0;

  // INVALID_ARGUMENT (not a report name), NOT_FOUND.
  virtual absl::StatusOr<v1::Report> Get(absl::string_view name) = 0;

  // Newest first. INVALID_ARGUMENT: "filter: ..." or "page_token: ...".
  // The time is that of an index or of `max_examined`, whatever the store holds.
  virtual absl::StatusOr<ReportPage> List(const ReportQuery& query) = 0;

  // INVALID_ARGUMENT (not a report name), NOT_FOUND.
  virtual absl::Status Delete(absl::string_view name) = 0;

  // Stores reports under the names and times that they have, and graphs of these or of earlier reports, all or none;
  // says how many reports there were not yet. One of whose name there is a report is left as it is. INVALID_ARGUMENT:
  // "reports[3].create_time: ...", no name, time or results; "graphs[0]: ...", no report has its digest.
  // ALREADY_EXISTS: "reports[3].name: ...", a report of that name says something else.
  virtual absl::StatusOr<int> Import(absl::Span<const v1::Report* const> reports,
                                     absl::Span<const v1::Graph* const> graphs) = 0;
  absl::StatusOr<int> Import(absl::Span<const v1::Report* const> reports) { return Import(reports, {}); }

  // The graph that the report is about. INVALID_ARGUMENT (not a report name), NOT_FOUND (no report, or no graph of it).
  virtual absl::StatusOr<v1::Graph> GetGraph(absl::string_view name) = 0;

  // As documented at the service; `page_size` as it is to be used. INVALID_ARGUMENT names the field.
  virtual absl::Status GetFleet(const v1::GetFleetRequest& request, int page_size, v1::GetFleetResponse& response) = 0;
  virtual absl::Status GetTrends(const v1::GetTrendsRequest& request, v1::GetTrendsResponse& response) = 0;

  // Deletes up to `limit` of the oldest reports that are older than `before` or beyond the newest `max_reports` (0: any
  // number), and says how many; fewer than `limit`: there are no more. Trends keep what they counted.
  virtual absl::StatusOr<int64_t> Prune(absl::Time before, int64_t max_reports, int limit) = 0;
};

// Of a serialized graph without weights.
inline constexpr int64_t kMaxGraphBytes = int64_t{32} << 20;

// Opens the store that an address names:
//   none                                 null: reports are not kept
//   sqlite:PATH[?mode=ro][&max_bytes=N]  a SQLite file, created when missing (its folder must exist). `mode=ro` never
//                                        writes; `max_bytes` bounds the file, not counting its write-ahead log; less
//                                        than a store without reports has is INVALID_ARGUMENT.
//   postgresql://...                     a PostgreSQL database, by its connection URI. Several servers can share one.
// INVALID_ARGUMENT for any other address. FAILED_PRECONDITION when the store belongs to another program or to a newer
// version, or to an older one and is only to be read; UNAVAILABLE when the database does not answer; DATA_LOSS when it
// is damaged. A refused file is left as it is.
enum class StoreUse { kChange, kRead };  // kRead: no store is brought to this version, nor otherwise written to
absl::StatusOr<std::unique_ptr<ReportStore>> OpenReportStore(const std::string& address,
                                                             StoreUse use = StoreUse::kChange);

// The file that such an address names, of SQLite; empty: none.
std::string StoreFile(absl::string_view address);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_REPORT_STORE_H_
