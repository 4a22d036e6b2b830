// Puts what a check judged to the vendor's own library and lays both verdicts side by side.
#ifndef QUANTGATE_CLIENT_CONFIRM_CONFIRM_H_
#define QUANTGATE_CLIENT_CONFIRM_CONFIRM_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/confirm/case_config.h"
#include "client/confirm/vendor_process.h"
#include "db/table_source.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/engine/toolchain.h"

namespace quantgate {

struct ConfirmOptions {
  std::string library;
  // Starts a process that runs RunVendorWorker(library, SoC id); those two are appended.
  std::vector<std::string> worker;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  // of one operator
};

class Confirmer {
 public:
  // `tables` must outlive the confirmer.
  static absl::StatusOr<Confirmer> Create(ConfirmOptions options, const db::TableSource& tables);
  Confirmer(Confirmer&&) = default;

  // Adds Result::confirmation to the results of HTP targets of a report on `graph`. `progress` is told what goes on.
  // FAILED_PRECONDITION: there is no such target, or the library does not start.
  absl::Status Confirm(const v1::Graph& graph, const std::function<void(const std::string&)>& progress,
                       v1::Report& report);

  // What a user should know once: that the library is of another version than a target's table. Empties the list.
  std::vector<std::string> TakeNotes();
  // The operators whose verdicts differ, as JSON lines for tests/vendor/agreement.
  const std::string& cases() const { return cases_; }

 private:
  struct PlannedNode;  // what a node becomes
  struct Plan;         // all of them
  struct Asked;        // about which device
  Confirmer(ConfirmOptions options, const db::TableSource& tables, CaseConfigWriter writer)
      : options_(std::move(options)), tables_(&tables), writer_(std::move(writer)) {}
  VendorProcess& ProcessFor(int soc_id);
  absl::StatusOr<Plan> MakePlan(const v1::Graph& graph, Toolchain toolchain) const;
  absl::Status ConfirmResult(Plan plan, const std::function<void(const std::string&)>& progress, v1::Result& result);
  absl::Status AskNode(const Asked& asked, const PlannedNode& planned, bool refused_for_others,
                       v1::ConfirmedNode& node);
  absl::StatusOr<const VendorReply*> AskOnce(const Asked& asked, const std::string& op, const nlohmann::json& config);
  std::string CaseLine(const Asked& asked, const std::string& op, const nlohmann::json& config,
                       const VendorReply& reply);

  ConfirmOptions options_;
  const db::TableSource* tables_;
  CaseConfigWriter writer_;
  std::map<int, std::unique_ptr<VendorProcess>> processes_;  // by SoC id
  std::map<std::string, VendorReply> known_;                 // by SoC and question: models repeat themselves
  std::vector<std::string> notes_;
  std::string cases_;
  int num_cases_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_CONFIRM_H_
