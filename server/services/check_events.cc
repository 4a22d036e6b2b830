#include "server/services/check_events.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/time/clock.h"

namespace quantgate::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr absl::Duration kBetween = absl::Milliseconds(500);

}  // namespace

CheckEvents::CheckEvents(Events* events, const char* phase, const std::string& model, std::vector<std::string> targets,
                         int64_t nodes)
    : events_(events),
      phase_(phase),
      model_(model),
      targets_(std::move(targets)),
      nodes_(nodes),
      id_(events == nullptr ? 0 : events->NextId()),
      start_(absl::Now()),
      last_(start_) {
  Publish("started", absl::OkStatus(), nullptr);
}

CheckEvents::~CheckEvents() {
  if (finished_) return;
  try {
    Finished(absl::InternalError("ended by a fault of the server"), v1::Report());
  } catch (const std::exception&) {
    // There is no memory even to say so.
  }
}

std::function<bool()> CheckEvents::Watching(const std::function<bool()>& cancelled) {
  if (events_ == nullptr) return cancelled;
  return [this, cancelled] {
    Progress();
    return cancelled != nullptr && cancelled();
  };
}

void CheckEvents::Progress() {
  const absl::Time now = absl::Now();
  if (now - last_ < kBetween) return;
  last_ = now;
  Publish("progress", absl::OkStatus(), nullptr);
}

void CheckEvents::Finished(const absl::Status& status, const v1::Report& report) {
  finished_ = true;
  Publish("finished", status, &report);
}

void CheckEvents::Publish(const char* name, const absl::Status& status, const v1::Report* report) {
  if (events_ == nullptr || !events_->watched()) return;
  Json json = {{"id", id_},       {"phase", phase_},
               {"model", model_}, {"targets", targets_},
               {"nodes", nodes_}, {"elapsedMs", absl::ToDoubleMilliseconds(absl::Now() - start_)}};
  if (!status.ok()) {
    json["error"] = std::string(status.message());
  } else if (report != nullptr) {
    json["report"] = report->name();
    json["verdicts"] = Json::array();
    for (const v1::Result& result : report->results()) {
      json["verdicts"].push_back(
          {{"target", result.target()}, {"verdict", v1::Result::Verdict_Name(result.verdict())}});
    }
  }
  events_->Publish(name, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace quantgate::server
