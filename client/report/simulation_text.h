// What a simulation found, as text for people: the worst nodes first.
#ifndef QUANTGATE_CLIENT_REPORT_SIMULATION_TEXT_H_
#define QUANTGATE_CLIENT_REPORT_SIMULATION_TEXT_H_

#include <string>

#include "client/report/style.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// The simulation of a report; strings may be hostile, what is printed is harmless.
std::string RenderSimulation(const v1::Report& report, const Style& style);

// In one sentence, beside a check: how the model's outputs come out, by whose arithmetic, of which inputs.
std::string SimulationText(const v1::Simulation& simulation);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_SIMULATION_TEXT_H_
