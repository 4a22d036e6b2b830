// Simulations that run out of memory, or are ended from outside, at one place after the other: they end with the status
// that says so and no other, and with what they need they are the same as ever.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "client/import.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/simulator/run/report.h"
#include "tests/rules/simulator/graph_record.h"

namespace quantgate::simulator {
namespace {

// Under a sanitizer each takes a hundred times as long, and what is said of it is judged without one.
#ifdef QUANTGATE_SANITIZED
constexpr int kRarer = 10;
#else
constexpr int kRarer = 1;
#endif

constexpr char kData[] = QUANTGATE_TEST_DATA "/../data/";

// Good files of every format; of the operators of Ethos-U's, which are many, some.
std::vector<std::string> Models() {
  std::vector<std::string> models = {"onnx/tiny.qdq_u8s8.onnx",
                                     "onnx/tiny.qdq_a16w4.onnx",
                                     "onnx/tiny.qdq_a16w8.onnx",
                                     "onnx/tiny.qoperator_u8s8.onnx",
                                     "tflite/dscnn.int8.tflite",
                                     "tflite/conv1d.int16x8.tflite",
                                     "tflite/conv1d.aeq_dynamic_wi4_afp32.tflite",
                                     "tflite/conv1d.aeq_weight_only_wi8_afp32.tflite",
                                     "tflite/lstm.aeq_weight_only_wi4_afp32.tflite",
                                     "pt2/tinycnn.xnnpack_pc.pt2",
                                     "pt2/tinycnn.x86_dyn.pt2"};
  std::vector<std::string> operators;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kData) + "ethos_u")) {
    if (entry.path().extension() == ".tflite") operators.push_back("ethos_u/" + entry.path().filename().string());
  }
  std::sort(operators.begin(), operators.end());
  constexpr size_t kEvery = 11 * kRarer;
  for (size_t i = 0; i < operators.size(); i += kEvery) models.push_back(operators[i]);
  return models;
}

struct Simulation {
  absl::Status status;
  std::string simulation;
};

Simulation Simulated(const v1::Graph& graph, const Request& request, SimulateOptions options) {
  v1::Report report;
  Simulation run;
  run.status = SimulateReport(graph, request, nullptr, std::move(options), report);
  if (run.status.ok()) run.simulation = report.simulation().SerializeAsString();
  return run;
}

// What is cut short, and what it is without.
using Use = std::function<void(const v1::Graph&, const Request&, const Simulation& whole)>;

void ForEachModel(const Use& use) {
  int models = 0;
  for (const std::string& name : Models()) {
    SCOPED_TRACE(name);
    ImportOptions import;
    import.max_weight_bytes = 1 << 24;
    const absl::StatusOr<ImportedModel> model = ImportModel(kData + name, import);
    if (!model.ok()) continue;  // one that asks for an operator's limits
    Request request;
    request.seed = 5;
    const Simulation whole = Simulated(model->graph, request, SimulateOptions());
    if (!whole.status.ok()) continue;
    use(model->graph, request, whole);
    ++models;
  }
  EXPECT_GT(models, kRarer == 1 ? 25 : 8);
  for (const char* runtime : {"onnx", "torch", "litert", "litert_integers"}) {
    SCOPED_TRACE(runtime);
    constexpr int kEvery = 3 * kRarer;
    const int records = ForEachGraphRecord(runtime, kEvery, [&](const GraphRecord& record) {
      use(record.graph, record.request(), Simulated(record.graph, record.request(), SimulateOptions()));
    });
    EXPECT_GT(records, 0);
  }
}

TEST(CutShort, OfMemory) {
  int cut = 0;
  ForEachModel([&](const v1::Graph& graph, const Request& request, const Simulation& whole) {
    bool whole_again = false;
    for (int64_t bytes = 1; !whole_again && bytes < (int64_t{1} << 26); bytes += bytes / 8 + 1) {
      SimulateOptions options;
      options.max_bytes = bytes;
      const Simulation run = Simulated(graph, request, std::move(options));
      if (run.status.ok()) {
        EXPECT_EQ(run.simulation, whole.simulation) << bytes << " bytes";
        whole_again = true;
        continue;
      }
      EXPECT_EQ(run.status.code(), absl::StatusCode::kResourceExhausted) << bytes << " bytes: " << run.status;
      ++cut;
    }
    EXPECT_TRUE(whole_again);
  });
  EXPECT_GT(cut, 10'000 / kRarer);
}

TEST(CutShort, FromOutside) {
  int cut = 0;
  ForEachModel([&](const v1::Graph& graph, const Request& request, const Simulation& whole) {
    bool whole_again = false;
    for (int patience = 0; !whole_again && patience < 10'000; patience += patience / 8 + 1) {
      SimulateOptions options;
      int asked = 0;
      options.cancelled = [&] { return ++asked > patience; };
      const Simulation run = Simulated(graph, request, std::move(options));
      if (run.status.ok()) {
        EXPECT_EQ(run.simulation, whole.simulation);
        whole_again = true;
        continue;
      }
      EXPECT_EQ(run.status.code(), absl::StatusCode::kCancelled) << run.status;
      ++cut;
    }
    EXPECT_TRUE(whole_again);
  });
  EXPECT_GT(cut, 1'000 / kRarer);
}

}  // namespace
}  // namespace quantgate::simulator
