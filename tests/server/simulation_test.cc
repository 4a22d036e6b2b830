// SimulationService: what it says of a model beside what `quantgate simulate` says of the file, and every refusal
// beside a neighbor that is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "client/import.h"
#include "client/npz/npz.h"
#include "client/report/json.h"
#include "quantgate/v1/simulation_service.grpc.pb.h"
#include "rules/simulator/run/report.h"
#include "server/error_details.pb.h"
#include "tests/server/process.h"
#include "tests/server/server_fixture.h"

namespace quantgate::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr char kModel[] = QUANTGATE_MODELS "/tiny.qdq_u8s8.onnx";  // one input: x, float32, (1, 3, 16, 16)

v1::SimulateRequest OptionsPart(const v1::SimulateOptions& options = {}) {
  v1::SimulateRequest part;
  *part.mutable_options() = options;
  return part;
}

v1::SimulateRequest GraphPart(const std::string& bytes) {
  v1::SimulateRequest part;
  part.set_graph_chunk(bytes);
  return part;
}

v1::SimulateRequest InputsPart(const std::string& bytes) {
  v1::SimulateRequest part;
  part.set_inputs_chunk(bytes);
  return part;
}

// Input "x" with the same ramp each time.
v1::Tensors Ramp() {
  std::vector<float> values(3 * 16 * 16);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) / 48.0f - 1.0f;
  v1::Tensors inputs;
  v1::Tensor& x = *inputs.add_tensors();
  x.set_name("x");
  x.set_dtype("<f4");
  for (int64_t dim : {1, 3, 16, 16}) x.add_dims(dim);
  x.set_data(values.data(), values.size() * sizeof(float));
  return inputs;
}

std::string FieldOfStatus(const grpc::Status& status) {
  RpcStatus details;
  BadRequest bad;
  if (!details.ParseFromString(status.error_details()) || details.details().empty()) return "";
  if (!bad.ParseFromString(details.details(0).value()) || bad.field_violations().empty()) return "";
  return bad.field_violations(0).field();
}

class SimulationTest : public ServerTest {
 protected:
  SimulationTest() {
    ImportOptions options;
    options.max_weight_bytes = 1 << 20;
    absl::StatusOr<ImportedModel> model = ImportModel(kModel, options);
    EXPECT_TRUE(model.ok()) << model.status();
    if (model.ok()) model_ = *std::move(model);
  }

  void StartAll() {
    Start();
    stub_ = v1::SimulationService::NewStub(channel_);
  }

  grpc::Status Stream(const std::vector<v1::SimulateRequest>& parts, v1::SimulateResponse* response = nullptr) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    v1::SimulateResponse answer;
    auto writer = stub_->Simulate(&context, &answer);
    for (const v1::SimulateRequest& part : parts) {
      if (!writer->Write(part)) break;
    }
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    if (response != nullptr) *response = answer;
    return status;
  }

  // The graph and the inputs in pieces.
  grpc::Status Simulate(const v1::SimulateOptions& options, const v1::Graph& graph, const v1::Tensors* inputs = nullptr,
                        v1::SimulateResponse* response = nullptr, size_t piece = 1000) {
    std::vector<v1::SimulateRequest> parts = {OptionsPart(options)};
    const std::string bytes = graph.SerializeAsString();
    for (size_t at = 0; at < bytes.size(); at += piece) parts.push_back(GraphPart(bytes.substr(at, piece)));
    if (inputs != nullptr) {
      const std::string given = inputs->SerializeAsString();
      for (size_t at = 0; at < given.size(); at += piece) parts.push_back(InputsPart(given.substr(at, piece)));
      if (given.empty()) parts.push_back(InputsPart(""));
    }
    return Stream(parts, response);
  }

  grpc::Status SimulateWith(const v1::Tensors& inputs) { return Simulate({}, model_.graph, &inputs); }

  // What the command writes to standard output; its values in `dump`.
  std::string Command(std::vector<std::string> flags, const std::string& dump) {
    std::vector<std::string> command = {
        QUANTGATE_EXECUTABLE, "simulate",         kModel, "--quiet", "--format", "json", "--dump", dump,
        "--output",           Path("report.json")};
    command.insert(command.end(), flags.begin(), flags.end());
    Process process(command, Path("log"));
    EXPECT_TRUE(Eventually([&] { return std::filesystem::exists(Path("report.json")); })) << process.Output();
    std::string text;
    EXPECT_TRUE(Eventually([&] {
      std::ifstream file(Path("report.json"));
      text.assign(std::istreambuf_iterator<char>(file), {});
      return Json::accept(text);
    })) << process.Output();
    return text;
  }

  std::string Path(const std::string& name) { return (folder_ / name).string(); }

  void ExpectSame(const v1::SimulateResponse& response, const std::string& command, const std::string& dump) {
    const absl::StatusOr<std::string> text = ToJson(response.report());
    ASSERT_TRUE(text.ok());
    Json served = Json::parse(*text), written = Json::parse(command);
    ASSERT_FALSE(served["simulation"]["nodes"].empty());
    served.erase("createTime");
    written.erase("createTime");
    EXPECT_EQ(served, written);
    const auto values = ReadNpz(dump, 1 << 26);
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_GT(values->size(), 5u);
    EXPECT_EQ(static_cast<size_t>(response.values().tensors_size()), values->size());
    for (const v1::Tensor& tensor : response.values().tensors()) {
      const auto found = values->find(tensor.name());
      ASSERT_NE(found, values->end()) << tensor.name();
      EXPECT_EQ(std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end()), found->second.dims) << tensor.name();
      EXPECT_EQ(tensor.data(),
                std::string(reinterpret_cast<const char*>(found->second.data.data()), found->second.data.size()))
          << tensor.name();
    }
  }

  void ExpectField(const grpc::Status& status, const std::string& field) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field << " " << status.error_message();
    EXPECT_EQ(FieldOfStatus(status), field) << status.error_message();
  }

  static void ExpectLimit(const grpc::Status& status, const std::string& limit) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << limit << " " << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(limit));
  }

  ImportedModel model_;
  std::unique_ptr<v1::SimulationService::Stub> stub_;
};

TEST_F(SimulationTest, SaysWhatTheCommandSays) {
  StartAll();
  v1::SimulateOptions options;
  *options.mutable_model() = model_.info;
  options.set_seed(7);
  options.set_dump(true);
  v1::SimulateResponse response;
  const grpc::Status status = Simulate(options, model_.graph, nullptr, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.report().has_create_time());
  ExpectSame(response, Command({"--seed", "7"}, Path("out.npz")), Path("out.npz"));

  options.set_dump(false);
  ASSERT_TRUE(Simulate(options, model_.graph, nullptr, &response).ok());
  EXPECT_FALSE(response.has_values());
  EXPECT_GT(response.report().simulation().nodes_size(), 5);
}

TEST_F(SimulationTest, SaysWhatTheCommandSaysOfGivenInputs) {
  StartAll();
  const v1::Tensors inputs = Ramp();
  simulator::Tensor x;
  x.type = v1::DATA_TYPE_FLOAT32;
  ASSERT_TRUE(simulator::Allocate({1, 3, 16, 16}, x).ok());
  std::memcpy(x.data.data(), inputs.tensors(0).data().data(), x.data.size());
  NpzWriter writer(1 << 20);
  ASSERT_TRUE(writer.Add("x", x).ok());
  ASSERT_TRUE(writer.Close(Path("in.npz")).ok());
  v1::SimulateOptions options;
  *options.mutable_model() = model_.info;
  options.set_profile("tosa");
  options.set_dump(true);
  v1::SimulateResponse response;
  const grpc::Status status = Simulate(options, model_.graph, &inputs, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.report().simulation().inputs(), "given");
  EXPECT_EQ(response.report().simulation().profile(), "tosa");
  ExpectSame(response, Command({"--profile", "tosa", "--input", Path("in.npz")}, Path("out.npz")), Path("out.npz"));
}

TEST_F(SimulationTest, TargetsAreResolved) {
  StartAll();
  v1::SimulateOptions options;
  options.set_target("good/S1");
  v1::SimulateResponse response;
  ASSERT_TRUE(Simulate(options, model_.graph, nullptr, &response).ok());
  EXPECT_EQ(response.report().results(0).target(), "good/S1@2.0");
  EXPECT_THAT(response.report().simulation().profile_reason(), HasSubstr("good"));
  for (const char* target : {"nobody/S1", "good/S9"}) {
    options.set_target(target);
    EXPECT_EQ(Simulate(options, model_.graph).error_code(), grpc::StatusCode::NOT_FOUND) << target;
  }
  options.set_target("@");
  ExpectField(Simulate(options, model_.graph), "options.target");
  options.clear_target();
  options.set_profile("nobody");
  EXPECT_EQ(Simulate(options, model_.graph).error_code(), grpc::StatusCode::NOT_FOUND);
  options.clear_profile();
  options.mutable_model()->set_path(std::string(5000, 'p'));
  ExpectField(Simulate(options, model_.graph), "options.model");
}

TEST_F(SimulationTest, PartsComeInOrder) {
  StartAll();
  const v1::SimulateRequest options = OptionsPart(), graph = GraphPart(model_.graph.SerializeAsString()),
                            inputs = InputsPart(Ramp().SerializeAsString());
  EXPECT_TRUE(Stream({options, graph}).ok());
  EXPECT_TRUE(Stream({options, graph, inputs}).ok());
  const std::vector<std::pair<std::vector<v1::SimulateRequest>, std::string>> wrong = {
      {{}, "options"},
      {{graph}, "options"},
      {{{}, graph}, "options"},
      {{options}, "graph_chunk"},
      {{options, options, graph}, "options"},
      {{options, graph, options}, "options"},
      {{options, {}}, "graph_chunk"},
      {{options, inputs}, "inputs_chunk"},
      {{options, inputs, graph}, "inputs_chunk"},
      {{options, graph, inputs, graph}, "graph_chunk"},
  };
  for (const auto& [parts, field] : wrong) ExpectField(Stream(parts), field);
  ExpectField(Stream({options, GraphPart("\x0a\xff")}), "graph");
  ExpectField(Stream({options, graph, InputsPart("\x0a\xff")}), "inputs");
  EXPECT_TRUE(Stream({options, graph, inputs}).ok());
}

TEST_F(SimulationTest, InputsThatLie) {
  StartAll();
  EXPECT_TRUE(SimulateWith(Ramp()).ok());
  const auto changed = [&](const std::function<void(v1::Tensor&)>& change) {
    v1::Tensors inputs = Ramp();
    change(*inputs.mutable_tensors(0));
    return SimulateWith(inputs);
  };
  const auto dims = [&](const std::vector<int64_t>& dims) {
    return changed([&](v1::Tensor& x) {
      x.clear_dims();
      for (int64_t dim : dims) x.add_dims(dim);
    });
  };
  // The bytes.
  ExpectField(changed([](v1::Tensor& x) { x.mutable_data()->pop_back(); }), "inputs.tensors[0].data");
  ExpectField(changed([](v1::Tensor& x) { x.mutable_data()->push_back('\0'); }), "inputs.tensors[0].data");
  ExpectField(changed([](v1::Tensor& x) { x.clear_data(); }), "inputs.tensors[0].data");
  ExpectField(changed([](v1::Tensor& x) { x.set_dtype("<f8"); }), "inputs.tensors[0].data");
  // The type.
  for (const char* dtype : {"", "<f", "f4", ">f4", "<c8", "|O", "float32", "<f4,"}) {
    ExpectField(changed([&](v1::Tensor& x) { x.set_dtype(dtype); }), "inputs.tensors[0].dtype");
  }
  // The sizes.
  constexpr int64_t kHuge = int64_t{1} << 40;
  const int64_t most = std::numeric_limits<int64_t>::max();
  for (const std::vector<int64_t>& lie : std::vector<std::vector<int64_t>>{
           {-1}, {1, -3, -16, 16}, {kHuge, kHuge}, {most, most}, {most}, {kHuge, 2}, {kHuge, kHuge, 0}}) {
    ExpectField(dims(lie), "inputs.tensors[0].dims");
  }
  ExpectField(dims(std::vector<int64_t>(65, 1)), "inputs.tensors[0].dims");
  ExpectField(dims({kHuge}), "inputs.tensors[0].data");
  ExpectField(dims({3, 16, 16}), "inputs.tensors[0]");  // it has the bytes, and another shape than the graph
  // The names.
  ExpectField(changed([](v1::Tensor& x) { x.clear_name(); }), "inputs.tensors[0].name");
  ExpectField(changed([](v1::Tensor& x) { x.set_name("y"); }), "inputs");  // x is not given
  v1::Tensors inputs = Ramp();
  *inputs.add_tensors() = inputs.tensors(0);
  ExpectField(SimulateWith(inputs), "inputs.tensors[1].name");
  inputs.mutable_tensors(1)->set_name("y");
  ExpectField(SimulateWith(inputs), "inputs.tensors[1]");
  ExpectField(SimulateWith({}), "inputs");
  // The numbers.
  ExpectField(changed([](v1::Tensor& x) {
                const float nan = std::nanf("");
                std::memcpy(x.mutable_data()->data() + 8, &nan, sizeof(nan));
              }),
              "inputs.tensors[0]");
  EXPECT_TRUE(SimulateWith(Ramp()).ok());
}

TEST_F(SimulationTest, GraphsThatLie) {
  StartAll();
  v1::Graph graph = model_.graph;
  graph.mutable_nodes(0)->set_op(-7);
  ExpectField(Simulate({}, graph), "graph.nodes[0].op");
  // Weights that are not there, or of another size.
  int weights = 0;
  for (int i = 0; i < model_.graph.values_size(); ++i) {
    if (model_.graph.values(i).constant().data().size() < 100) continue;
    ++weights;
    graph = model_.graph;
    graph.mutable_values(i)->mutable_constant()->mutable_data()->pop_back();
    v1::SimulateResponse response;
    const grpc::Status status = Simulate({}, graph, nullptr, &response);
    ExpectField(status, "graph");
    EXPECT_THAT(status.error_message(), HasSubstr("bytes")) << status.error_message();
    graph.mutable_values(i)->mutable_constant()->clear_data();
    EXPECT_FALSE(Simulate({}, graph).ok());
    // A size that no memory has, for bytes that are not there.
    graph.mutable_values(i)->clear_dims();
    graph.mutable_values(i)->add_dims(int64_t{1} << 33);
    EXPECT_FALSE(Simulate({}, graph).ok());
  }
  EXPECT_GT(weights, 0);
  EXPECT_TRUE(Simulate({}, model_.graph).ok());
}

TEST_F(SimulationTest, LimitsAreNamed) {
  options_.limits.max_simulation_bytes = 1 << 20;
  options_.limits.max_stream_bytes = 64 << 10;
  options_.limits.max_nodes = model_.graph.nodes_size();
  StartAll();
  EXPECT_TRUE(SimulateWith(Ramp()).ok());
  // Inputs that are made, of a size that only the graph states.
  v1::Graph graph = model_.graph;
  graph.mutable_values(graph.inputs(0) - 1)->set_dims(0, 1 << 20);
  ExpectLimit(Simulate({}, graph), "max_simulation_bytes=1048576");
  graph = model_.graph;
  graph.add_nodes();
  ExpectLimit(Simulate({}, graph), "max_nodes=");
  graph = model_.graph;
  graph.set_producer(std::string(64 << 10, 'p'));
  ExpectLimit(Simulate({}, graph), "max_stream_bytes=65536");
  v1::Tensors inputs = Ramp();
  inputs.mutable_tensors(0)->set_data(std::string(64 << 10, 'x'));
  ExpectLimit(SimulateWith(inputs), "max_stream_bytes=65536");
  ExpectLimit(Stream({OptionsPart(), GraphPart(std::string((1 << 20) + 100, 'x'))}), "max_chunk_bytes=1048576");
  EXPECT_TRUE(SimulateWith(Ramp()).ok());
}

TEST_F(SimulationTest, MemoryOfASimulationIsBounded) {
  options_.limits.max_simulation_bytes = 10'000;
  StartAll();
  ExpectLimit(SimulateWith(Ramp()), "max_simulation_bytes=10000");
}

TEST_F(SimulationTest, BufferedBytesAreBounded) {
  options_.limits.max_buffered_bytes = 1 << 20;
  StartAll();
  EXPECT_TRUE(SimulateWith(Ramp()).ok());
  v1::Graph graph = model_.graph;
  graph.set_producer(std::string(2 << 20, 'p'));
  const grpc::Status status = Simulate({}, graph, nullptr, nullptr, 1 << 20);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("max_buffered_bytes"));
  EXPECT_TRUE(Eventually([&] { return SimulateWith(Ramp()).ok(); }));
}

TEST_F(SimulationTest, AClientThatLeavesEndsItsCall) {
  StartAll();
  for (const bool deadline : {false, true}) {
    grpc::ClientContext context;
    if (deadline) context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Milliseconds(100)));
    v1::SimulateResponse response;
    auto writer = stub_->Simulate(&context, &response);
    // On a busy machine the deadline may be over before all is written.
    EXPECT_TRUE(writer->Write(OptionsPart()) || deadline);
    EXPECT_TRUE(writer->Write(GraphPart(model_.graph.SerializeAsString())) || deadline);
    if (!deadline) context.TryCancel();
    EXPECT_EQ(writer->Finish().error_code(),
              deadline ? grpc::StatusCode::DEADLINE_EXCEEDED : grpc::StatusCode::CANCELLED);
  }
  EXPECT_TRUE(SimulateWith(Ramp()).ok());
}

TEST_F(SimulationTest, EndsBetweenNodesWhenCancelled) {
  int asked = 0;
  simulator::SimulateOptions options;
  options.cancelled = [&asked] { return ++asked == 4; };
  v1::Report report;
  EXPECT_TRUE(absl::IsCancelled(simulator::SimulateReport(model_.graph, {}, nullptr, options, report)));
  EXPECT_EQ(asked, 4);
  options.cancelled = [] { return false; };
  EXPECT_TRUE(simulator::SimulateReport(model_.graph, {}, nullptr, options, report).ok());
}

}  // namespace
}  // namespace quantgate::server
