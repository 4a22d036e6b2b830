// Any text as the filter and as the page token of a listing: an answer or INVALID_ARGUMENT, and what the store makes of
// a filter is SQL that SQLite takes. What a client of the Report service can send, without the network.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "db/reports/page_token.h"
#include "db/reports/report_store.h"

namespace {

namespace db = quantgate::db;

// One report in a file of this process's own, which is gone from the folder as soon as it is open.
db::ReportStore& TheStore() {
  static db::ReportStore& store = *[] {
    const auto path = std::filesystem::temp_directory_path() / absl::StrCat("report_filter_fuzz_", getpid(), ".db");
    auto opened = db::OpenReportStore(absl::StrCat("sqlite:", path.string()));
    if (!opened.ok()) std::abort();  // the machine is broken, not the input
    quantgate::v1::Report report;
    report.mutable_model()->set_path("model.onnx");
    report.add_results()->set_target("any");
    if (!(*opened)->Put({}, report).ok() || !(*opened)->List({}).ok()) std::abort();  // now both connections are open
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
    return opened->release();
  }();
  return store;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const db::ReportQuery& query : {db::ReportQuery{.filter = text}, db::ReportQuery{.page_token = text}}) {
    const auto page = TheStore().List(query);
    if (!page.ok() && !absl::IsInvalidArgument(page.status())) std::abort();
  }
  const auto position = db::DecodePageToken(text, db::EncodePageToken(text, 7));
  if (!position.ok() || *position != 7) std::abort();
  return 0;
}
