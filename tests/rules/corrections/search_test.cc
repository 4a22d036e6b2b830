// The search against exhaustive search, on small graphs whose backend is made up at random: same number of changes and
// warnings, same loss. Bounds and determinism, too.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "rules/corrections/spec_form.h"
#include "tests/rules/corrections/annotated.h"

namespace quantgate {
namespace {

using corrections::FormOf;
using ::quantgate::testing::Annotated;

// The first is what all places begin with.
constexpr v1::DataType kTypes[] = {v1::DATA_TYPE_UINT16, v1::DATA_TYPE_INT8, v1::DATA_TYPE_UINT8, v1::DATA_TYPE_INT16};
constexpr int kBitsLost[] = {0, 8, 8, 0};
constexpr int kNodes = 3;
constexpr int kPorts = 3;  // two inputs, one output
constexpr int kPlaces = kNodes * kPorts;

using Assignment = std::array<int, kPlaces>;  // index into kTypes, by node and port

// A chain of three additions, each with a free second input; all places carry one spec.
Annotated Chain() {
  Annotated b;
  const int a16 = b.A16();
  std::string before = "x";
  b.FloatInput("x", {4});
  for (int i = 0; i < kNodes; ++i) {
    const std::string name = "n" + std::to_string(i);
    b.FloatInput("y" + std::to_string(i), {4});
    b.Op("aten.add.Tensor", name, {before, "y" + std::to_string(i)}, {4}, {a16, a16}, a16);
    before = name;
  }
  b.Output(before);
  return b;
}

// What each node takes.
struct Backend {
  std::vector<std::array<int, kPorts>> rows[kNodes];

  bool Takes(int node, const Assignment& types) const {
    return absl::c_any_of(rows[node], [&](const auto& row) {
      return row[0] == types[node * kPorts] && row[1] == types[node * kPorts + 1] && row[2] == types[node * kPorts + 2];
    });
  }
};

// Node `faulty` refuses what all carry, the others take it.
Backend RandomBackend(std::mt19937& random, int faulty) {
  Backend backend;
  for (int node = 0; node < kNodes; ++node) {
    if (node != faulty) backend.rows[node].push_back({0, 0, 0});
    const int rows = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < rows; ++i) {
      std::array<int, kPorts> row;
      for (int& type : row) type = static_cast<int>(random() % 4);
      if (node == faulty && row == std::array<int, kPorts>{0, 0, 0}) row[1] = 1;
      backend.rows[node].push_back(row);
    }
  }
  return backend;
}

struct Cost {
  int changes = 0;  // and warnings
  int loss = 0;
  friend bool operator==(const Cost&, const Cost&) = default;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

bool Requantizes(const Assignment& types, int node) {
  return node > 0 && types[node * kPorts] != types[(node - 1) * kPorts + 2];
}

Cost CostOf(const Assignment& types) {
  Cost cost;
  for (int type : types) {
    cost.changes += type != 0 ? 1 : 0;
    cost.loss += 8 * kBitsLost[type];
  }
  for (int node = 0; node < kNodes; ++node) cost.changes += Requantizes(types, node) ? 1 : 0;
  return cost;
}

// Cheapest of all 4^9 assignments that every node takes.
std::optional<Cost> Exhaustive(const Backend& backend) {
  std::optional<Cost> best;
  Assignment types;
  for (int code = 0; code < 1 << (2 * kPlaces); ++code) {
    for (int i = 0; i < kPlaces; ++i) types[i] = code >> (2 * i) & 3;
    bool taken = true;
    for (int node = 0; node < kNodes && taken; ++node) taken = backend.Takes(node, types);
    if (!taken) continue;
    const Cost cost = CostOf(types);
    if (!best.has_value() || cost < *best) best = cost;
  }
  return best;
}

// -1: none of the four.
int TypeIndex(const v1::Graph& graph, int spec) {
  if (spec == 0 || graph.specs(spec - 1).kind() != v1::Spec::PLAIN) return -1;
  const corrections::SpecForm form = FormOf(graph.specs(spec - 1));
  if (form.symmetric || form.granularity != corrections::Granularity::kTensor) return -1;
  for (int i = 0; i < 4; ++i) {
    if (corrections::TypeOf(form).type == kTypes[i]) return i;
  }
  return -1;
}

Assignment TypesOf(const v1::Graph& graph) {
  Assignment types;
  for (int node = 0; node < kNodes; ++node) {
    for (int port = 0; port < 2; ++port) {
      types[node * kPorts + port] = TypeIndex(graph, graph.nodes(node).input_specs(port));
    }
    types[node * kPorts + 2] = TypeIndex(graph, graph.values(graph.nodes(node).outputs(0) - 1).spec());
  }
  return types;
}

Judge JudgeOf(const Backend& backend) {
  return [&backend](const v1::Graph& graph, v1::Result& result) {
    const Assignment types = TypesOf(graph);
    for (int node = 0; node < kNodes; ++node) {
      const auto add = [&](const char* code, v1::Finding::Severity severity, v1::Finding::Effect effect) {
        v1::Finding& finding = *result.add_findings();
        finding.set_code(code);
        finding.set_severity(severity);
        finding.set_effect(effect);
        finding.mutable_location()->set_node(graph.nodes(node).name());
        for (int type : types) finding.set_observed(finding.observed() + static_cast<char>('a' + type + 1));
      };
      if (!backend.Takes(node, types)) add("DT900", v1::Finding::ERROR, v1::Finding::REFUSED);
      if (Requantizes(types, node)) add("SH900", v1::Finding::WARNING, v1::Finding::PRECISION);
    }
    return absl::OkStatus();
  };
}

v1::Result Plan(const v1::Graph& message, const Backend& backend, bool with_rows, CorrectionLimits limits,
                PredictNoise predict = nullptr) {
  const Graph graph = *Graph::Build(message);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  const CheckContext context(graph, resolved);
  CorrectionTask task{context, JudgeOf(backend), nullptr, limits, std::move(predict)};
  if (with_rows) {
    task.accepted = [&](const ResolvedOp& op) {
      std::vector<AcceptedTypes> accepted;
      for (const auto& row : backend.rows[op.node]) {
        AcceptedTypes& types = accepted.emplace_back();
        for (int port = 0; port < kPorts; ++port) {
          const bool is_output = port == 2;
          const int32_t value = is_output ? graph.output(op.node, 0) : graph.input(op.node, port);
          types.ports.push_back({is_output, is_output ? 0 : port, value, {{kTypes[row[port]], true}}});
        }
      }
      return accepted;
    };
  }
  v1::Result result;
  EXPECT_TRUE(task.judge(message, result).ok());
  EXPECT_TRUE(PlanCorrections(task, result).ok());
  return result;
}

CorrectionLimits Unbounded() {
  CorrectionLimits limits;
  limits.max_checks = limits.max_tried = 1'000'000;
  limits.max_judged_nodes = std::numeric_limits<int64_t>::max();
  return limits;
}

TEST(Search, FindsTheCheapestOfAll) {
  constexpr unsigned kSeed = 20261121;
  constexpr int kGraphs = 60;
  std::mt19937 random(kSeed);
  const v1::Graph graph = Chain().graph;
  int repaired = 0;
  for (int i = 0; i < kGraphs; ++i) {
    const Backend backend = RandomBackend(random, static_cast<int>(random() % kNodes));
    const std::optional<Cost> best = Exhaustive(backend);
    const v1::Result result = Plan(graph, backend, /*with_rows=*/true, Unbounded());
    ASSERT_EQ(best.has_value(), !result.corrections().empty()) << "backend " << i;
    if (!best.has_value()) continue;
    ++repaired;
    const v1::Graph corrected = testing::Corrected(graph, result);
    const Assignment types = TypesOf(corrected);
    for (int node = 0; node < kNodes; ++node) EXPECT_TRUE(backend.Takes(node, types)) << "backend " << i;
    EXPECT_EQ(CostOf(types).changes, best->changes) << "backend " << i;
    EXPECT_EQ(CostOf(types).loss, best->loss) << "backend " << i;
  }
  std::printf("%d of %d backends can be satisfied; each was, as cheaply as possible (seed %u)\n", repaired, kGraphs,
              kSeed);
  EXPECT_GT(repaired, kGraphs / 4);
}

TEST(Search, TheSameQuestionHasTheSameAnswer) {
  std::mt19937 random(7);
  const v1::Graph graph = Chain().graph;
  for (int i = 0; i < 10; ++i) {
    const Backend backend = RandomBackend(random, 1);
    EXPECT_EQ(Plan(graph, backend, true, {}).SerializeAsString(), Plan(graph, backend, true, {}).SerializeAsString());
  }
}

// Of changes that are as few, a prediction decides; what is wider, or takes more changes, is not asked about.
TEST(Search, APredictionDecidesBetweenEqualChanges) {
  Backend backend;
  backend.rows[0] = backend.rows[2] = {{0, 0, 0}};
  backend.rows[1] = {{0, 1, 0}, {0, 2, 0}, {1, 2, 0}};
  const v1::Graph graph = Chain().graph;
  const auto type_with = [&](const PredictNoise& predict) {
    const v1::Result result = Plan(graph, backend, /*with_rows=*/true, Unbounded(), predict);
    EXPECT_EQ(result.corrections_size(), 1);
    EXPECT_TRUE(result.corrections(0).proven());
    const Assignment types = TypesOf(testing::Corrected(graph, result));
    EXPECT_EQ(CostOf(types).changes, 1);
    return types[1 * kPorts + 1];
  };
  std::vector<v1::Correction> asked;
  const auto prefer = [&](v1::DataType type, double by) {
    return [&asked, type, by](const v1::Correction& correction) -> std::optional<double> {
      asked.push_back(correction);
      const corrections::SpecForm form = FormOf(correction.changes(0).after());
      return corrections::TypeOf(form).type == type ? 20 + by : 20;
    };
  };
  const int first = type_with(nullptr);
  ASSERT_TRUE(first == 1 || first == 2);
  const int other = 3 - first;
  EXPECT_EQ(type_with(prefer(kTypes[other], 1)), other);
  EXPECT_EQ(type_with(prefer(kTypes[first], 1)), first);
  EXPECT_EQ(type_with(prefer(kTypes[other], 0.01)), first) << "not worth it";
  EXPECT_EQ(type_with([](const v1::Correction&) { return std::nullopt; }), first);
  EXPECT_EQ(asked.size(), 6u) << "the solution and one alternative, three times";
  for (const v1::Correction& correction : asked) EXPECT_EQ(correction.changes_size(), 1);
}

TEST(Search, AWiderTypeIsNoAlternative) {
  Backend backend;
  backend.rows[0] = backend.rows[2] = {{0, 0, 0}};
  backend.rows[1] = {{0, 1, 0}, {0, 3, 0}};
  const v1::Graph graph = Chain().graph;
  const v1::Result without = Plan(graph, backend, /*with_rows=*/true, Unbounded());
  ASSERT_EQ(TypesOf(testing::Corrected(graph, without))[1 * kPorts + 1], 3) << "16 bits lose nothing";
  // From there to 8 bits is narrower: an alternative, which a simulation may find to be as good.
  int asked = 0;
  const v1::Result narrow = Plan(graph, backend, true, Unbounded(), [&](const v1::Correction& correction) {
    ++asked;
    return std::optional<double>(FormOf(correction.changes(0).after()).bits == 8 ? 40 : 20);
  });
  EXPECT_EQ(TypesOf(testing::Corrected(graph, narrow))[1 * kPorts + 1], 1);
  EXPECT_EQ(asked, 2);
}

TEST(Search, BoundsEndItAndSaySo) {
  Backend backend;
  backend.rows[0] = {{0, 0, 0}};
  backend.rows[1] = {{3, 3, 3}};  // three changes, and the neighbors do not take any of them
  backend.rows[2] = {{0, 0, 0}};
  CorrectionLimits limits;
  limits.max_checks = 2;
  const v1::Result result = Plan(Chain().graph, backend, /*with_rows=*/false, limits);
  EXPECT_TRUE(result.corrections().empty());
  ASSERT_EQ(result.not_checked_size(), 1);
  EXPECT_EQ(result.not_checked(0).reason(),
            "the search for corrections ended after 2 checks; there may be more corrections, or smaller ones");
}

}  // namespace
}  // namespace quantgate
